"""The web page: ``python -m nproc app``. It requires Shiny for Python, the extra ``app``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.app.server import serve


__all__ = [
    "serve",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "server": ["serve"],
    },
)
