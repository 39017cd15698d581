"""Work in a process of its own: a fit, which can be watched and cancelled, and an errand, which is waited for."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass

from nproc.app.worker import fit_bands

# a fork server has the packages loaded, so that a fit begins at once; a plain fork of a process with threads may hang
_KIND = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


@dataclass(frozen=True)
class Progress:
    """How far a fit is.

    Attributes
    ----------
    methods : tuple of str
        All methods.
    n_splits : int
        Splits of each.
    method : int
        Number of the method at work, from 0.
    done : int
        Its splits that are done.
    seconds : float
        Time since the start.
    """

    methods: tuple
    n_splits: int
    method: int
    done: int
    seconds: float

    @property
    def share(self):
        """Share of all splits of all methods that is done."""
        return (self.method * self.n_splits + self.done) / (len(self.methods) * self.n_splits)

    def __str__(self):
        name = self.methods[self.method]
        method = f"{name} (method {self.method + 1} of {len(self.methods)})" if len(self.methods) > 1 else name
        return f"Fitting {method}: {self.done} of {self.n_splits} split(s) done, {self.seconds:.0f} s"


class Job:
    """The fit of a `Plan` in another process.

    Parameters
    ----------
    plan : Plan
        What to fit.

    Attributes
    ----------
    pid : int or None
        Number of the process, once started.
    """

    def __init__(self, plan):
        self.plan = plan
        self._begun = time.monotonic()
        self._at = (0, 0)
        self._process = None
        self._pipe = None
        self._cancelled = False

    @property
    def pid(self):
        return None if self._process is None else self._process.pid

    @property
    def progress(self):
        """The `Progress` by the last message."""
        return Progress(self.plan.methods, self.plan.n_splits, *self._at, time.monotonic() - self._begun)

    def start(self):
        """Start the process; it waits for the first one of a server, which loads the packages."""
        self._process, self._pipe = _begin(fit_bands, self.plan)
        if self._cancelled:
            self.cancel()

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
                return self._broken()
            if message[0] == "at":
                self._at = message[1:]
                continue
            self._end()
            return message
        return None

    def cancel(self):
        """Kill the process, now or as soon as it has started; it leaves nothing behind."""
        self._cancelled = True
        if self._process is not None:
            self._process.kill()
            self._end()

    def _end(self):
        self._process.join()
        self._pipe.close()

    def _broken(self):
        if self._cancelled:
            return None
        self._end()
        method = self.plan.methods[self._at[0]]
        return "error", f"the fit of {method} ended without a result ({_end_of(self._process)})."


class Errand:
    """A call of a function in another process, for which a thread waits.

    Parameters
    ----------
    function : callable
        It takes the arguments and a pipe, and sends its answer through the pipe.
    *arguments : object
        What it takes.
    """

    def __init__(self, function, *arguments):
        self._function, self._arguments = function, arguments
        self._process = None
        self._cancelled = False

    def run(self):
        """Return the answer; if there is none, None and a sentence that says why."""
        self._process, pipe = _begin(self._function, *self._arguments)
        if self._cancelled:
            self._process.kill()
        try:
            return pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            return None, f"the work ended without a result ({_end_of(self._process)})."
        finally:
            self._process.join()
            pipe.close()

    def cancel(self):
        """Kill the process, now or as soon as it has started."""
        self._cancelled = True
        if self._process is not None:
            self._process.kill()


def warm_up():
    """Load the packages that a fit and its picture need, so that the first one begins at once and holds up nobody."""
    import matplotlib.backends.backend_agg
    import matplotlib.pyplot  # noqa: F401

    process = _context().Process(target=int, daemon=True)
    process.start()
    process.join()


def _begin(function, *arguments):
    """Start a process; return it with the pipe through which it answers."""
    context = _context()
    pipe, sending = context.Pipe(duplex=False)
    process = context.Process(target=function, args=(*arguments, sending), daemon=True)
    process.start()
    sending.close()
    return process, pipe


def _end_of(process):
    code = process.exitcode
    why = "killed, perhaps for want of memory" if code and code < 0 else "the terminal of the server says why"
    return f"exit code {code}; {why}"


def _context():
    context = multiprocessing.get_context(_KIND)
    if _KIND == "forkserver":
        context.set_forkserver_preload(["nproc.app.worker", "pandas"])
    return context
