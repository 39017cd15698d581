"""Independent tasks through joblib: results in order, warnings heard, progress shown."""

from __future__ import annotations

import importlib.util
import numbers
import os
import sys
import threading
import time
import warnings
from collections import Counter
from contextlib import contextmanager

import numpy as np

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


def check_verbose(verbose):
    """Raise unless `verbose` is a whole number of at least 0, or a bool."""
    if not isinstance(verbose, numbers.Integral | np.bool_) or verbose < 0:
        raise InvalidInputError(
            f"verbose must be 0 (silent), 1 (a progress bar) or 2 (a line for every task), got {verbose!r}."
        )


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
        1: a progress bar on the standard error, in a notebook one of its own if ipywidgets is there. At least 2: a line
        for every task that ends, which a log file can keep.
    label : str
        What a task is called there.

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

    check_verbose(verbose)
    caller = os.getpid()
    results, heard = [], Counter()
    stream = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_run_one)(function, task, caller) for task in tasks)
    try:
        with _progress(verbose, label, len(tasks)) as advance:
            for result, caught in stream:
                results.append(result)
                heard.update(set(caught))
                advance()
    finally:
        stream.close()
    for (category, text), count in heard.items():
        where = f" ({label}: {count} of {len(tasks)})" if len(tasks) > 1 else ""
        warn_at_call(text + where, category)
    return results


@contextmanager
def _progress(verbose, label, n_tasks):
    """Give a function to be called after each task, which shows how far the work is."""
    if not verbose:
        yield lambda: None
    elif verbose == 1:
        with _bar_class()(total=n_tasks, desc=label, unit="", file=sys.stderr) as bar:
            yield bar.update
    else:
        started, done = time.monotonic(), 0

        def write_line():
            nonlocal done
            done += 1
            seconds = time.monotonic() - started
            sys.stderr.write(f"{label} {done} of {n_tasks} done, {seconds:.1f} s\n")
            sys.stderr.flush()

        yield write_line


def _bar_class():
    # without ipywidgets tqdm.auto warns in a notebook, and falls back to the same text
    if importlib.util.find_spec("ipywidgets") is None:
        from tqdm.std import tqdm
    else:
        from tqdm.auto import tqdm
    return tqdm


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
