"""The web page: ``python -m nproc app``. It requires Shiny for Python, the extra ``app``.

`page` lays it out and `parts` fills it, `jobs` fits in a process of its own, `results` words what was found, `reading`
takes files in, and `data` has the tables, the plan of a fit and the words of errors (`page_words`). `seen_rows`
recognises the rows of a table whose band has been seen. `server` and `gate` start the page and guard it.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.app.server import serve


__all__ = ["serve"]

__getattr__, __dir__ = lazy_names(__name__)
