"""The number of threads of BLAS, which is one for the whole process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import cache


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
