"""Independent tasks through joblib: results in order, warnings heard, progress shown."""

from __future__ import annotations

import numbers
import os
import sys
import threading
import time
import warnings
from collections import Counter

from nproc.errors import InvalidInputError
from nproc.warning_place import warn_at_call


def check_n_jobs(n_jobs):
    """Return `n_jobs` if it is None or a whole number other than 0."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be None or a whole number other than 0 (1: one process, -1: all cores), got {n_jobs!r}."
        )
    return int(n_jobs)


def run_tasks(function, tasks, *, n_jobs=None, verbose=0, label="task"):
    """Return ``[function(*task) for task in tasks]``, run in parallel.

    Parameters
    ----------
    function : callable
        Defined at the top level of a module, so that it reaches other processes.
    tasks : sequence of tuple
        Arguments of each call. All randomness must come from them, so that `n_jobs` changes nothing.
    n_jobs : int or None
        As joblib's; None means 1 unless a `joblib.parallel_config` is active.
    verbose : int
        At least 1: a line on the standard error for every task that ends.
    label : str
        What a task is called in that line.

    Returns
    -------
    list
        Results in the order of `tasks`.

    Notes
    -----
    Warnings of all tasks are raised again here, each distinct one once, with the number of tasks that raised it. An
    exception or an interrupt stops the remaining tasks and is passed on.
    """
    from joblib import Parallel, delayed

    started = time.monotonic()
    caller = os.getpid()
    results, heard = [], Counter()
    stream = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_run_one)(function, task, caller) for task in tasks)
    try:
        for result, caught in stream:
            results.append(result)
            heard.update(set(caught))
            if verbose:
                seconds = time.monotonic() - started
                sys.stderr.write(f"{label} {len(results)} of {len(tasks)} done, {seconds:.1f} s\n")
                sys.stderr.flush()
    finally:
        stream.close()
    for (category, text), count in heard.items():
        where = f" ({label}: {count} of {len(tasks)})" if len(tasks) > 1 else ""
        warn_at_call(text + where, category)
    return results


def _run_one(function, task, caller):
    here = os.getpid() == caller
    if here and threading.current_thread() is not threading.main_thread():
        # filters are global to a process, so that another thread must not touch them
        return function(*task), ()
    with warnings.catch_warnings(record=True) as caught:
        if not here:
            # in a worker process nobody would see a warning: carry all of them home
            warnings.simplefilter("always")
        result = function(*task)
    return result, tuple((entry.category, str(entry.message)) for entry in caught)
