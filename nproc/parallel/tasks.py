"""Independent tasks through joblib or Dask: results in order, warnings heard, lost workers replaced, work kept."""

import importlib.util
import os
import sys
import threading
import time
import warnings
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from functools import partial

import numpy as np

from nproc.checks import LARGEST_COUNT, shown, whole_number
from nproc.doors import needed
from nproc.errors import InvalidInputError, LostWorkerError, NPWarning, warn_at_call
from nproc.parallel.cluster import LostClusterError, LostDataError, NoWorkersError, dask_client, run_on_cluster
from nproc.parallel.packing import PackedArguments
from nproc.parallel.threads import heard_in_this_thread, heard_in_threads_of_tasks, sorted_by_thread
from nproc.parallel.worker_life import end_with_parent


@contextmanager
def progress(verbose, label, n_tasks):
    """Give a function to be called after each task, which shows on the standard error how far the work is.

    Parameters
    ----------
    verbose : int
        0: nothing is shown. 1: a bar, in a notebook one of its own if ipywidgets is there. At least 2: a line a task.
    label : str
        What a task is called.
    n_tasks : int
        How many there are.

    Examples
    --------
    >>> with progress(0, "split", 3) as advance:
    ...     advance()
    """
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
    with needed("tqdm", "verbose=1 shows a progress bar, which"):
        if importlib.util.find_spec("ipywidgets") is None:
            from tqdm.std import tqdm
        else:
            from tqdm.auto import tqdm
    return tqdm


# how often tasks are given to new workers after some were lost
MORE_TRIES = 2
_MEMORY = "The usual cause is too little memory: fewer processes at a time (n_jobs) need less."
_RESUME = (
    "npc, nproc and roc_cv accept checkpoint= (a folder); then another run resumes after the tasks that were done."
)


def check_n_jobs(n_jobs):
    """Return `n_jobs` if it is None or a whole number other than 0."""
    if n_jobs is None:
        return None
    whole = whole_number(n_jobs)
    # 0 is no number of processes
    if not whole or abs(whole) > LARGEST_COUNT:
        raise InvalidInputError(
            f"n_jobs must be None or a whole number other than 0 (1: one process, -1: all cores), got {shown(n_jobs)}.",
            argument="n_jobs",
        )
    return whole


def check_verbose(verbose):
    """Raise unless `verbose` is a whole number of at least 0, or a bool."""
    whole = int(verbose) if isinstance(verbose, bool | np.bool_) else whole_number(verbose)
    if whole is None or whole < 0:
        raise InvalidInputError(
            f"verbose must be 0 (silent), 1 (a progress bar) or 2 (a line for every task), got {shown(verbose)}."
        )


def run_tasks(function, tasks, *, shared=(), n_jobs=None, verbose=0, label="task", store=None, keys=None):
    """Return ``[function(*shared, *task) for task in tasks]``, run in parallel.

    Parameters
    ----------
    function : callable
        Defined at the top level of a module, so that it reaches other processes.
    tasks : sequence of tuple
        Further arguments of each call, small: each is sent on its own. All randomness must come from them, so that
        `n_jobs` changes nothing.
    shared : tuple
        The first arguments of every call, such as the rows: they reach each worker once. Processes of this machine map
        one copy of arrays and tables, and may not write into it.
    n_jobs : int or None
        As joblib's; None means 1 unless a `joblib.parallel_config` is active.
    verbose : int
        1: a progress bar on the standard error, in a notebook one of its own if ipywidgets is there. At least 2: a line
        for every task that ends, which a log file can keep.
    label : str
        What a task is called there.
    store : object, optional
        With ``read(key)``, which returns what was written or None, and ``write(key, outcome)``, such as
        `nproc.checkpoints.Checkpoint`. Tasks found there are not run; the others are written as soon as they end.
    keys : sequence of str
        With `store`: the name of each task there.

    Returns
    -------
    list
        Results in the order of `tasks`.

    Raises
    ------
    LostWorkerError
        If workers die again and again, or a Dask cluster is gone.

    Warns
    -----
    NPWarning
        If a worker was lost, and its tasks were run again.

    Notes
    -----
    Warnings of all tasks are raised again here, each distinct one once, with the number of tasks that raised it. An
    exception or an interrupt stops the remaining tasks and is passed on.

    A single task that is left, and all tasks where there is one process, run here, and what is parallel inside them
    stays so. With several workers a task is sequential inside, so that a forest of 8 processes in each of 8 splits does
    not make 64; in threads of this process, BLAS and OpenMP have one thread for the time. The settings of
    `sklearn.set_config` and `sklearn.config_context` hold in every worker.

    There are never more worker processes than tasks. They end when this process does, in whatever way it ends.
    """
    check_verbose(verbose)
    tasks, n_lost = list(tasks), 0
    outcomes = [None] * len(tasks)
    with progress(verbose, label, len(tasks)) as advance:
        if store is not None:
            for j, key in enumerate(keys):
                outcomes[j] = store.read(key)
                if outcomes[j] is not None:
                    advance()
        while left := [(j, task) for j, task in enumerate(tasks) if outcomes[j] is None]:
            try:
                how = {"alone": len(tasks) == 1, "lost": n_lost > 0}
                with closing(_as_they_end(function, left, shared, n_jobs, label, **how)) as stream:
                    for j, outcome in stream:
                        if store is not None:
                            store.write(keys[j], outcome)
                        outcomes[j] = outcome
                        advance()
            except _lost_workers() as error:
                n_lost += 1
                done = f"with {len(tasks) - outcomes.count(None)} of {len(tasks)} tasks ({label}) done"
                # workers that died may come back, those that never were there will not
                empty = isinstance(error, NoWorkersError) and (n_lost == 1 or n_lost > MORE_TRIES)
                if empty or isinstance(error, LostClusterError):
                    raise LostWorkerError(f"{error}, {done}.", way_out=_RESUME) from error
                if n_lost > MORE_TRIES:
                    raise LostWorkerError(
                        f"worker processes were lost {n_lost} times, {done}.",
                        fault="lost workers",
                        way_out=f"{_MEMORY} {_RESUME}",
                    ) from error
    if n_lost:
        warn_at_call(
            f"worker processes were lost {n_lost} time(s) ({label}). Their tasks were run again, and the result is the "
            f"same. {_MEMORY}",
            NPWarning,
        )
    heard = Counter(entry for _, caught in outcomes for entry in set(caught))
    for (category, text), count in heard.items():
        where = f" ({label}: {count} of {len(tasks)})" if len(tasks) > 1 else ""
        warn_at_call(text + where, category)
    return [result for result, _ in outcomes]


def _as_they_end(function, tasks, shared, n_jobs, label, *, alone, lost):
    """Yield (index, (result, warnings)) of the pairs (index, task), in the order in which they end."""
    from joblib import Parallel, delayed, effective_n_jobs
    from joblib.parallel import get_active_backend
    from sklearn import get_config
    from threadpoolctl import threadpool_limits

    # scikit-learn keeps its settings for one thread of one process
    backend, caller, settings = get_active_backend()[0], os.getpid(), get_config()
    on_cluster = dask_client(backend) is not None and n_jobs != 1
    threads = getattr(backend, "uses_threads", False)
    # a task that was lost may take its process with it: not this one
    single = len(tasks) == 1 and not threads and not lost
    if alone or (not on_cluster and (single or effective_n_jobs(n_jobs) == 1)):
        for j, task in tasks:
            yield j, _heard(function, (*shared, *task), caller)
    elif on_cluster:
        yield from run_on_cluster(backend, partial(_in_worker, function, caller, settings, False), tasks, shared, label)
    else:
        with ExitStack() as stack:
            if threads:
                stack.enter_context(threadpool_limits(1, user_api="blas"))
                stack.enter_context(heard_in_threads_of_tasks())
                calls = (delayed(_in_worker)(function, caller, settings, True, j, task, *shared) for j, task in tasks)
            else:
                packed = PackedArguments(shared)
                # a process takes a second to start and much memory; a single one would be this process
                n_jobs = max(2, min(effective_n_jobs(n_jobs), len(tasks)))
                calls = (delayed(_in_process)(function, caller, settings, j, task, packed) for j, task in tasks)
            # of some backends, such as that of ray, all comes at the end
            as_they_end = getattr(backend, "supports_return_generator", False)
            found = Parallel(n_jobs=n_jobs, return_as="generator_unordered" if as_they_end else "list")(calls)
            stream = found if as_they_end else (outcome for outcome in found)
            # one by one: to be closed here first, and not by `yield from`
            for outcome in stack.enter_context(_stopped(stream)):  # noqa: UP028
                yield outcome


@contextmanager
def in_threads():
    """Run the tasks of `run_tasks` in threads of this process, whatever backend is active, and as many as it would."""
    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    # of backends with threads one is sequential, which a worker has, and stays so
    with ExitStack() as stack:
        if not getattr(get_active_backend()[0], "supports_sharedmem", False):
            stack.enter_context(parallel_config(backend="threading"))
        yield


@contextmanager
def _stopped(stream):
    try:
        yield stream
    finally:
        with warnings.catch_warnings():
            # joblib tells of results that nobody took, and here it is an error or an interrupt that stops the work
            warnings.simplefilter("ignore")
            stream.close()


def _in_process(function, caller, settings, index, task, packed):
    if os.getpid() != caller:
        end_with_parent()
    return _in_worker(function, caller, settings, False, index, task, *packed.unpacked())


def _in_worker(function, caller, settings, threads, index, task, *shared):
    from joblib import parallel_config
    from sklearn import config_context
    from threadpoolctl import threadpool_limits

    # a memory map as the array that it is, so that what is taken from it is an ordinary array
    shared = [np.asarray(part) if isinstance(part, np.memmap) else part for part in shared]
    with ExitStack() as stack:
        stack.enter_context(parallel_config(backend="sequential"))
        stack.enter_context(config_context(**settings))
        if threads:
            # OpenMP, unlike BLAS, has a number of threads for each thread that calls it
            stack.enter_context(threadpool_limits(1, user_api="openmp"))
        return index, _heard(function, (*shared, *task), caller)


def _heard(function, arguments, caller):
    """Return the result and a tuple of (category, text) of the warnings."""
    if os.getpid() != caller:
        # in a worker process nobody would see a warning: carry all of them home
        with heard_in_this_thread() as heard:
            result = function(*arguments)
        return result, tuple(heard)
    if threading.current_thread() is not threading.main_thread():
        # filters are global to a process, so that only the main thread may touch them
        with sorted_by_thread() as heard:
            result = function(*arguments)
        return result, tuple(heard)
    with warnings.catch_warnings(record=True) as caught:
        result = function(*arguments)
    return result, tuple((entry.category, str(entry.message)) for entry in caught)


def _lost_workers():
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    return TerminatedWorkerError, LostDataError
