"""The doors of rooms: names of a package that are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, files: Mapping[str, str], names: Sequence[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package whose names come from its files on demand.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    files : mapping
        The file of each name, relative to the package, such as ``{"solve_uzawa": "npsvm.uzawa"}``.
    names : sequence of str
        What ``dir`` lists, as in ``__all__``.

    Examples
    --------
    >>> look_up, list_names = lazy_names("nproc.solvers", {"SolverResult": "result"}, ["SolverResult"])
    >>> look_up("SolverResult").__name__, list_names()
    ('SolverResult', ['SolverResult'])
    """

    def look_up(name: str) -> object:
        if name not in files:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{files[name]}"), name)

    def list_names() -> list[str]:
        return sorted(names)

    return look_up, list_names
