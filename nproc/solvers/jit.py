"""Hot loops: plain functions, compiled when numba is installed, the same functions as Python when it is not.

The only home of numba, which is imported at the first call of a hot function and never before.
"""

import functools
import hashlib
import importlib.util
import os
import threading
import types
from contextlib import contextmanager
from pathlib import Path

_compiler_allowed = True
_choosing_folder = threading.Lock()


@functools.cache
def numba_installed():
    """Return whether numba can be imported; it is not imported to find out."""
    return importlib.util.find_spec("numba") is not None


def compiler_on():
    """Return whether hot functions run compiled: numba is installed and nothing has switched it off."""
    return _compiler_allowed and numba_installed()


@contextmanager
def plain_python():
    """Run hot functions as Python within a ``with`` block, for debugging and for tests."""
    global _compiler_allowed
    before, _compiler_allowed = _compiler_allowed, False
    try:
        yield
    finally:
        _compiler_allowed = before


class HotFunction:
    """A plain function that is compiled at its first call; made by `hot`.

    Parameters
    ----------
    function : function
        Takes and returns numbers, tuples and arrays. It may call other hot functions of its own module.
    reassociate : bool
        Let the compiler reorder sums, which vectorises dot products; results then differ from plain Python by
        rounding. NaN and infinity keep their meaning.
    inline : bool
        Copy the function into the hot functions that call it. What it divides by must not be 0: that is not looked at.
    """

    def __init__(self, function, reassociate, inline):
        self.function = function
        self._reassociate, self._inline = reassociate, inline
        self._compiled = None
        functools.update_wrapper(self, function)

    def __call__(self, *args):
        return self.target()(*args)

    def __reduce__(self):
        # found again by its name, like a function
        return self.function.__qualname__

    def target(self):
        """Return what a call runs: the compiled function, or the plain one where the compiler is off."""
        if not compiler_on():
            return self.function
        if self._compiled is None:
            self._compiled = self._compile()
        return self._compiled

    def fingerprint(self):
        """Return a text that changes with the code of the function, of those it calls, and the numbers it reads."""
        code, known = self.function.__code__, self.function.__globals__
        parts = [code.co_code, code.co_consts, code.co_names, self._reassociate, self._inline]
        for name in code.co_names:
            value = known.get(name)
            if isinstance(value, HotFunction):
                parts.append(value.fingerprint())
            elif isinstance(value, int | float):
                parts.append(value)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def _compile(self):
        from numba import njit

        plain = self.function
        # the compiler must see compiled functions, not their wrappers, behind the names that this one calls
        called = {
            name: value.target()
            for name in plain.__code__.co_names
            if isinstance(value := plain.__globals__.get(name), HotFunction)
        }
        called |= {name: _prefetch() for name in plain.__code__.co_names if plain.__globals__.get(name) is prefetch}
        copy = types.FunctionType(
            plain.__code__, {**plain.__globals__, **called}, plain.__name__, plain.__defaults__, plain.__closure__
        )
        # numba names its cache files after the function, and looks at no other module when it asks whether one is stale
        copy.__module__, copy.__qualname__ = plain.__module__, f"{plain.__qualname__}_{self.fingerprint()}"
        options = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"} if self._reassociate else False}
        if self._inline:
            options |= {"forceinline": True, "error_model": "numpy"}
        try:
            with _cache_outside_packages(plain.__code__.co_filename):
                return njit(cache=True, **options)(copy)
        except RuntimeError:
            # numba's word for a folder in which no file can be written: compile again in every process
            return njit(**options)(copy)


@contextmanager
def _cache_outside_packages(file):
    """Let numba keep what it compiles of `file` in the user's cache folder, if `file` is in an installed package.

    Beside the file it would stay when the package is removed: a folder of its name without modules, which then hides
    the package where that is installed anew in editable form.
    """
    from numba import config

    with _choosing_folder:
        before = config.CACHE_DIR
        if not before and {"site-packages", "dist-packages"} & set(Path(file).parts):
            config.CACHE_DIR = str(_user_cache() / "nproc")
        try:
            yield
        finally:
            config.CACHE_DIR = before


def _user_cache():
    home = Path(os.path.expanduser("~"))
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")


def hot(function=None, *, reassociate=False, inline=False):
    """Return a decorator, or with a function its `HotFunction`."""
    if function is None:
        return functools.partial(hot, reassociate=reassociate, inline=inline)
    return HotFunction(function, reassociate, inline)


def prefetch(array, place):
    """Ask the processor for the memory at a place of a one-dimensional array, in a hot function; changes no result.

    Rows that are drawn at random are not in the cache when their turn comes, unless they were asked for before. Plain
    Python does nothing here.
    """


@functools.cache
def _prefetch():
    """Return what stands for `prefetch` in compiled code: one instruction of the processor."""
    from llvmlite import ir
    from numba import types as kinds
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def compiled(typing, array, place):
        def instruction(context, builder, signature, values):
            at = context.cast(builder, values[1], signature.args[1], kinds.intp)
            made = context.make_array(signature.args[0])(context, builder, values[0])
            pointer = cgutils.get_item_pointer(context, builder, signature.args[0], made, [at], wraparound=False)
            number, address = ir.IntType(32), ir.IntType(8).as_pointer()
            told = ir.FunctionType(ir.VoidType(), [address, number, number, number])
            function = cgutils.get_or_insert_function(builder.module, told, "llvm.prefetch.p0i8")
            # to be read, and used again soon: data, not code
            builder.call(function, [builder.bitcast(pointer, address), number(0), number(3), number(1)])
            return context.get_dummy_value()

        return kinds.void(array, place), instruction

    return compiled
