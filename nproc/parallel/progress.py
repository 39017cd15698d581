"""How far a list of tasks is: a bar for the eye, or a line for every task that a log file can keep."""

from __future__ import annotations

import importlib.util
import sys
import time
from contextlib import contextmanager


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
    if importlib.util.find_spec("ipywidgets") is None:
        from tqdm.std import tqdm
    else:
        from tqdm.auto import tqdm
    return tqdm
