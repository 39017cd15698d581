"""Names that are imported when they are asked for, packages that may not be installed, and which versions are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package that imports a name when it is first asked for.

    The names are those that the package imports for type checkers, in its block ``if TYPE_CHECKING:``, from modules
    within it. What it imports there from itself are rooms: subpackages and modules that ``dir`` lists beside
    ``__all__``, because users import names from them. Every other subpackage opens when it is asked for too, so that
    ``nproc.multiclass.npcs`` works whatever was imported before.

    Parameters
    ----------
    package : str
        The package's ``__name__``.

    Examples
    --------
    >>> import nproc.solvers
    >>> look_up, list_names = lazy_names("nproc.solvers")
    >>> look_up("solve_uzawa").__name__, "solve_uzawa" in list_names()
    ('solve_uzawa', True)
    """

    # two threads that ask the package for its first names would import numpy and scikit-learn at once, which these do
    # not stand. The rooms have no lock: modules ask them while they are imported, and two locks would wait for each
    # other
    one_at_a_time = nullcontext() if "." in package else RLock()

    def look_up(name: str) -> object:
        with one_at_a_time:
            # Python asks for such names itself, and none is a room's
            module = None if name.startswith("__") else _imports_of(package).get(name)
            if module is None:
                # a room that nobody has opened yet
                if name.isidentifier() and not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
                    return import_module(f"{package}.{name}")
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            return import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)

    def list_names() -> list[str]:
        rooms = [name for name, module in _imports_of(package).items() if module == package]
        return sorted({*import_module(package).__all__, *rooms})

    return look_up, list_names


@cache
def _imports_of(package: str) -> dict[str, str]:
    """Return the module of each name that a package imports from itself or within, for type checkers alone or at once.

    They stand in its compiled code, which is there without the source too: in frozen programs, for example.
    """
    # it takes milliseconds, unless something else has imported it
    import dis

    loader: Any = sys.modules[package].__loader__
    found, module = {}, ""
    for step in dis.get_instructions(loader.get_code(package)):
        if step.opname == "IMPORT_NAME":
            module = step.argval
        elif step.opname == "IMPORT_FROM" and f"{module}.".startswith(f"{package}."):
            found[step.argval] = module
    return found


@contextmanager
def needed(package: str, purpose: str) -> Iterator[None]:
    """Say what a package is for, and how to install it, where the import within the block does not find it.

    Examples
    --------
    >>> with needed("no_such_package", "a picture"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: a picture needs no_such_package, which is not installed: pip install no_such_package
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise
        text = f"{purpose} needs {package}, which is not installed: pip install {package}"
        raise ModuleNotFoundError(text, name=package) from None


@cache
def _installed_versions() -> tuple[tuple[str, str], ...]:
    # the import and reading the metadata of a package take milliseconds
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in ("nproc-py", "numpy", "scipy", "scikit-learn", "statsmodels"):
        # a package that is not there changes no number
        with suppress(PackageNotFoundError):
            found.append((name, version(name)))
    return tuple(found)


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that numbers depend on."""
    return dict(_installed_versions())
