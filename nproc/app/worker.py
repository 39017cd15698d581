"""What runs in other processes: the reading of an upload, and the bands of all methods, with messages on the way.

Each message of a fit is a tuple whose first entry is its kind: ("at", method number, splits done), ("bands", bands,
warnings) or ("error", text).
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import warnings
from multiprocessing import connection, parent_process

from nproc.api import nproc
from nproc.app.sources import uploaded_source
from nproc.errors import InvalidInputError, NPError

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
    terminal = sys.stderr
    try:
        arguments = plan.arguments()
        bands, heard = [], {}
        for number, method in enumerate(plan.methods):
            pipe.send(("at", number, 0))
            sys.stderr = ProgressText(lambda done, number=number: pipe.send(("at", number, done)))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                # a line for each split; a bar would make locks that a killed process cannot give back
                bands.append(_band(arguments, method, several=len(plan.methods) > 1))
            heard.update({f"{method}: {entry.message}": None for entry in caught if _concerns_user(entry.category)})
        pipe.send(("bands", tuple(bands), tuple(heard)))
    except NPError as error:
        # fits know columns by their place, the user by their name
        where = plan.missing_note() if "missing value" in str(error) else ""
        pipe.send(("error", f"{error} {where}".strip()))
    finally:
        sys.stderr = terminal
        pipe.close()


def _band(arguments, method, *, several):
    """Return the band of one method; an error names the method, where there are several."""
    try:
        return nproc(**arguments, method=method, verbose=2)
    except NPError as error:
        if several:
            raise NPError(f"{method} cannot be fitted: {error} Leave this method out for the others.") from error
        raise


def read_upload(path, name, pipe):
    """Send the `Source` of an upload and an empty text through a pipe, or None and the problem.

    Parameters
    ----------
    path : Path
        Where the upload lies.
    name : str
        What the user calls it.
    pipe : multiprocessing.connection.Connection
        The sending end.
    """
    _obey_parent()
    try:
        source = uploaded_source(path, name)
        # looked through here, once, and remembered by the source, likely_label and values with it
        source.predictors(source.likely_label)
        answer = source, ""
    except InvalidInputError as error:
        answer = None, str(error)
    pipe.send(answer)
    pipe.close()


def _obey_parent():
    # Ctrl-C in the terminal is for the server, which ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _concerns_user(category):
    return issubclass(category, UserWarning | RuntimeWarning)


def _end_with_parent():
    connection.wait([parent_process().sentinel])
    os._exit(1)
