"""Names that are imported when they are asked for, packages that may not be installed, and which versions are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]] | None = None, rooms: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package that imports a name when it is first asked for.

    Its subpackages are such names too, so that ``nproc.multiclass.npcs`` works whatever was imported before.

    Parameters
    ----------
    package : str
        The package's ``__name__``; ``dir`` lists what its ``__all__`` lists.
    modules : mapping of str to sequence of str, optional
        The names in each module; modules are relative to the package. None takes the imports that the package makes for
        type checkers, in its block ``if TYPE_CHECKING:``, each of a name from a module within the package.
    rooms : sequence of str, default ()
        Subpackages and modules that ``dir`` lists too, because users import names from them.

    Examples
    --------
    >>> look_up, _ = lazy_names("nproc.solvers", {"npsvm.uzawa": ["solve_uzawa"]})
    >>> look_up("solve_uzawa").__name__
    'solve_uzawa'
    """

    @cache
    def module_of() -> dict[str, str]:
        if modules is None:
            return _imports_of(package)
        return {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    # two threads that ask the package for its first names would import numpy and scikit-learn at once, which these do
    # not stand. The rooms have no lock: modules ask them while they are imported, and two locks would wait for each
    # other
    one_at_a_time = nullcontext() if "." in package else RLock()

    def look_up(name: str) -> object:
        with one_at_a_time:
            # Python asks for such names itself, and none is a room's
            module = None if name.startswith("__") else module_of().get(name)
            if module is None:
                # a room that nobody has opened yet
                if name.isidentifier() and not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
                    return import_module(f"{package}.{name}")
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            return getattr(import_module(module), name)

    def list_names() -> list[str]:
        return sorted({*import_module(package).__all__, *rooms})

    return look_up, list_names


def _imports_of(package: str) -> dict[str, str]:
    """Return the module within a package of each name that the package imports, for type checkers alone or at once.

    They stand in its compiled code, which is there without the source too: in frozen programs, for example.
    """
    # it takes milliseconds, unless something else has imported it
    import dis

    loader: Any = sys.modules[package].__loader__
    found, module = {}, ""
    for step in dis.get_instructions(loader.get_code(package)):
        if step.opname == "IMPORT_NAME":
            module = step.argval
        elif step.opname == "IMPORT_FROM" and module.startswith(f"{package}."):
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
