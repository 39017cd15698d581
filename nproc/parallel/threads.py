"""The warnings of a task in a worker process, where nobody would see them, and where other tasks may run in threads."""

import threading
import warnings
from contextlib import contextmanager
from functools import cache

_HEARD = threading.local()


class _Hook:
    """All warnings of a process go to the threads that ask for them, while there are such threads.

    `warnings.catch_warnings` by itself is of no use here: it changes what the whole process does with warnings, and of
    two threads that enter and leave in turn, the last to leave would put back what the other had set.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._users = 0

    def enter(self):
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            self._before = warnings.catch_warnings()
            self._before.__enter__()
            warnings.simplefilter("always")
            self._show = warnings.showwarning
            warnings.showwarning = self._hear

    def leave(self):
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._before.__exit__(None, None, None)

    def _hear(self, message, category, *place, **more):
        heard = getattr(_HEARD, "entries", None)
        if heard is None:
            # a thread of the worker that runs no task of this package
            self._show(message, category, *place, **more)
        else:
            heard.append((category, str(message)))


_HOOK = _Hook()


@contextmanager
def heard_in_this_thread():
    """Give a list that takes (category, text) of every warning of this thread, each time it is raised.

    Other threads may do the same at the same time, each with a list of its own. Filters and the place where warnings
    go are as before when the last of them has ended.

    Examples
    --------
    >>> from nproc.errors import warn_at_call
    >>> with heard_in_this_thread() as heard:
    ...     warn_at_call("few rows", UserWarning)
    >>> heard
    [(<class 'UserWarning'>, 'few rows')]
    """
    _HOOK.enter()
    try:
        with sorted_by_thread() as heard:
            yield heard
    finally:
        _HOOK.leave()


@contextmanager
def heard_in_threads_of_tasks():
    """Let `sorted_by_thread` hear in threads that the main thread starts; in another thread nothing is done.

    Threads may outlive it, after an interrupt: they never touch the filters, and warn from then on as any other.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _HOOK.enter()
    try:
        yield
    finally:
        _HOOK.leave()


@contextmanager
def sorted_by_thread():
    """Give a list that takes (category, text) of the warnings of this thread, as long as somebody hears them."""
    outer = getattr(_HEARD, "entries", None)
    _HEARD.entries = []
    try:
        yield _HEARD.entries
    finally:
        _HEARD.entries = outer


class _Held:
    """How many calls hold BLAS at one thread at the moment, and what gives it back the number it had."""

    lock = threading.Lock()
    n_calls = 0
    limiter = None


@contextmanager
def one_blas_thread():
    """Hold BLAS at one thread; of several calls at the same time the first takes and the last gives back.

    The number is one for the whole process: two calls that each gave back what they found could leave it at one.
    """
    with _Held.lock:
        if _Held.n_calls == 0:
            _Held.limiter = _thread_pools().limit(limits=1, user_api="blas")
        _Held.n_calls += 1
    try:
        yield
    finally:
        with _Held.lock:
            _Held.n_calls -= 1
            if _Held.n_calls == 0:
                _Held.limiter.restore_original_limits()


@cache
def _thread_pools():
    # a look at all libraries that are loaded, which takes milliseconds
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
