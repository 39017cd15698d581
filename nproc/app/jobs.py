"""Work in a process of its own: a fit, which can be watched and cancelled, and an errand, which is waited for.

Each message of a fit is a tuple whose first entry is its kind: ("at", method number, splits done), ("bands", bands,
warnings) or ("error", text).
"""

import multiprocessing
import os
import re
import signal
import sys
import threading
import time
import warnings
from multiprocessing import connection, parent_process

from nproc.api import nproc
from nproc.app.data import NO_METHOD, gaps_way, page_words, uploaded_source
from nproc.errors import InvalidInputError, NPError, NPWarning

_COUNT = re.compile(r"(\d+) of \d+ done")


class ProgressText:
    """A stream that reads "3 of 7 done" in the progress of `nproc` and tells how many splits are done."""

    def __init__(self, tell):
        self._tell = tell

    def write(self, text):
        """Tell the first count in `text`, if there is one."""
        found = _COUNT.search(text)
        if found:
            self._tell(int(found.group(1)))
        return len(text)

    def flush(self):
        """Nothing is kept."""


def fit_bands(plan, pipe):
    """Send the bands of all methods of a `Plan` through a pipe, and messages on the way.

    Parameters
    ----------
    plan : Plan
        What to fit.
    pipe : multiprocessing.connection.Connection
        The sending end.
    """
    _obey_parent()
    terminal, bands, heard = sys.stderr, [], {}
    try:
        arguments = plan.arguments()
        for number, method in enumerate(plan.methods):
            pipe.send(("at", number, 0))
            sys.stderr = ProgressText(lambda done, number=number: pipe.send(("at", number, done)))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                bands.append(_band(arguments, method, several=len(plan.methods) > 1))
            for entry in caught:
                own = isinstance(entry.message, NPWarning)
                # what concerns the user, each text once; of rows that were left out the plan speaks itself, and of
                # codes for missing values the page has spoken before the fit
                told = plan.leaves_out and "na_action='omit' left out" in str(entry.message)
                told = told or (own and entry.message.fault == "missing code" and plan.codes_told)
                if issubclass(entry.category, UserWarning | RuntimeWarning) and not told:
                    text = page_words(entry.message, with_line=False) if own else str(entry.message)
                    heard.setdefault(text, {})[method] = None
        told = (f"{_whose(methods, plan.methods)}: {text}" for text, methods in heard.items())
        pipe.send(("bands", tuple(bands), tuple(told)))
    except NPError as error:
        told = page_words(error)
        # of one of several methods the fault is the value
        refuses = {
            "missing values": f"{plan.methods[len(bands)]} needs rows without missing values.",
            "missing category": NO_METHOD,
        }.get(error.fault or error.value)
        if refuses and (where := plan.missing_note()):
            told = f"{refuses} {where} {gaps_way(plan.kept.frame[list(plan.features)])}"
        pipe.send(("error", told))
    finally:
        sys.stderr = terminal
        pipe.close()


def _whose(methods, fitted):
    """Return the names of the methods that warn of the same, in a few words."""
    return "all methods" if 1 < len(methods) == len(fitted) else ", ".join(methods)


def _band(arguments, method, *, several):
    """Return the band of one method; an error names the method, where there are several."""
    try:
        # a line for each split; a bar would make locks that a killed process cannot give back
        return nproc(**arguments, method=method, verbose=2)
    except NPError as error:
        if several:
            text = f"{method} cannot be fitted: {page_words(error)} Leave this method out for the others."
            raise NPError(text, value=error.fault) from error
        raise


def read_upload(path, name, texts, pipe):
    """Send the `Source` of an upload and an empty text through a pipe, or None and the problem.

    Parameters
    ----------
    path : Path
        Where the upload lies.
    name : str
        What the user calls it.
    texts : dict or None
        How the columns of new rows are read, see `uploaded_source`.
    pipe : multiprocessing.connection.Connection
        The sending end.
    """
    _obey_parent()
    try:
        source = uploaded_source(path, name, texts)
        # looked through here, once, and remembered by the source, likely_label and values with it
        source.likely_predictors(source.likely_label)
        source.columns_with_gaps  # noqa: B018
        answer = source, ""
    except InvalidInputError as error:
        answer = None, str(error)
    pipe.send(answer)
    pipe.close()


def _obey_parent():
    # Ctrl-C in the terminal is for the server, which ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    connection.wait([parent_process().sentinel])
    os._exit(1)


class Errand:
    """A call of a function in another process.

    Parameters
    ----------
    function : callable
        It takes the arguments and a pipe, and sends its answer through the pipe.
    *arguments : object
        What it takes.

    Attributes
    ----------
    pid : int or None
        Number of the process, once started.
    """

    def __init__(self, function, *arguments):
        self._function, self._arguments = function, arguments
        self._process = self._pipe = None
        self._cancelled = False

    @property
    def pid(self):
        return None if self._process is None else self._process.pid

    def start(self):
        """Start the process; it waits for the first one of a server, which loads the packages."""
        context = _context()
        self._pipe, sending = context.Pipe(duplex=False)
        process = context.Process(target=self._function, args=(*self._arguments, sending), daemon=True)
        process.start()
        sending.close()
        self._process = process
        if self._cancelled:
            self.cancel()

    def run(self):
        """Return the answer, for which a thread waits; if there is none, None and a sentence that says why."""
        self.start()
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            return None, f"the work {self._lost()}"
        finally:
            self._end()

    def cancel(self):
        """Kill the process, now or as soon as it has started; it leaves nothing behind."""
        self._cancelled = True
        if self._process is not None:
            self._process.kill()
            self._process.join()

    def _end(self):
        self._process.join()
        self._pipe.close()

    def _lost(self):
        self._process.join()
        code = self._process.exitcode
        why = "killed, perhaps for want of memory" if code and code < 0 else "the terminal of the server says why"
        return f"ended without a result (exit code {code}; {why})."


class Job(Errand):
    """The fit of a `Plan` in another process.

    Parameters
    ----------
    plan : Plan
        What to fit.

    Attributes
    ----------
    plan : Plan
        What is fitted.
    """

    def __init__(self, plan):
        super().__init__(fit_bands, plan)
        self.plan = plan
        self._begun = time.monotonic()
        self._at = (0, 0)

    @property
    def progress(self):
        """By the last message, the share of all splits of all methods that is done, and what to say of it."""
        methods, n_splits, (number, done) = self.plan.methods, self.plan.n_splits, self._at
        which = f" (method {number + 1} of {len(methods)})" if len(methods) > 1 else ""
        seconds = time.monotonic() - self._begun
        splits = "split" if n_splits == 1 else "splits"
        text = f"Fitting {methods[number]}{which}: {done} of {n_splits} {splits} done, {seconds:.0f} s"
        return (number * n_splits + done) / (len(methods) * n_splits), text

    def outcome(self):
        """Return ("bands", bands, warnings) or ("error", text) when the fit has ended, None before.

        An error that is not of this package ends the process, with its traceback on the terminal of the server.
        """
        while not self._cancelled and self._process is not None:
            try:
                if not self._pipe.poll():
                    return None
                message = self._pipe.recv()
            except (EOFError, OSError):
                if self._cancelled:
                    return None
                message = "error", f"the fit of {self.plan.methods[self._at[0]]} {self._lost()}"
            if message[0] != "at":
                self._end()
                return message
            self._at = message[1:]
        return None


def warm_up():
    """Load the packages that a fit and its picture need, so that the first one begins at once and holds up nobody."""
    import matplotlib.backends.backend_agg
    import matplotlib.pyplot  # noqa: F401

    process = _context().Process(target=int, daemon=True)
    process.start()
    process.join()


def _context():
    # a fork server has the packages loaded, so that a fit begins at once; the fork of a process with threads may hang
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["nproc.app.jobs", "pandas"])
    return context
