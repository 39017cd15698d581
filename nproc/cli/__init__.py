"""The command line: ``npc`` and ``python -m nproc``. Results on the standard output, everything else on the other."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nproc.cli.options import UsageError, build_parser, check_files
from nproc.cli.values import in_options
from nproc.doors import lazy_names
from nproc.errors import NPError
from nproc.starting import started

if TYPE_CHECKING:
    from nproc.cli.files import (
        as_trained,
        choose_predictors,
        label_values,
        match_label,
        read_table,
        repeated_note,
        require_columns,
        rows_for,
    )
    from nproc.cli.records import best_text


__all__ = [
    "as_trained",
    "best_text",
    "build_parser",
    "choose_predictors",
    "label_values",
    "main",
    "match_label",
    "read_table",
    "repeated_note",
    "require_columns",
    "rows_for",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "files": [
            "as_trained",
            "choose_predictors",
            "label_values",
            "match_label",
            "read_table",
            "repeated_note",
            "require_columns",
            "rows_for",
        ],
        "records": ["best_text"],
    },
)


BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def main(argv=None):
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; None takes those of the process.

    Returns
    -------
    int
        0 if all went well, 2 for wrong usage or bad input, 130 after Ctrl-C, 141 if the reader of the output left, 143
        if another program asked for the end (SIGTERM), 129 if the terminal was closed (SIGHUP).
    """
    started()
    try:
        with _orderly_end(), warnings.catch_warnings():
            _write_utf8()
            _show_warnings_in_one_line()
            _run(argv)
            sys.stdout.flush()
    except SystemExit as stop:  # --help, --version, and signals that end a program
        return stop.code or 0
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except UsageError as error:
        _say(str(error))
        return BAD_INPUT
    except NPError as error:
        _say(f"error: {in_options(error)}")
        return BAD_INPUT
    except OSError as error:
        _say(f"error: {error}")
        return BAD_INPUT
    return 0


def _write_utf8():
    # labels of any letters go to a file or a pipe as they are, whatever the locale says
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _run(argv):
    from nproc.cli.records import as_json
    from nproc.outputs import replaced_file

    args = build_parser().parse_args(argv)
    target = getattr(args, "json", None)
    check_files(args)
    result = args.run(args)
    if target not in (None, "-"):
        with replaced_file(target) as part:
            part.write_text(as_json(result.record), encoding="utf-8")
    print(as_json(result.record) if target == "-" else result.text, end="")


@contextmanager
def _orderly_end():
    """Within it, signals that end a program raise SystemExit, so that workers and unfinished files go first."""

    def end(number, _):
        # a second one would stop the cleaning
        for ending in mine:
            signal.signal(ending, signal.SIG_IGN)
        _say(f"ended by {signal.Signals(number).name}")
        raise SystemExit(128 + number)

    # of those that a program around this one ignores or handles, none is touched
    in_main = threading.current_thread() is threading.main_thread()
    mine = [ending for ending in _ENDING if in_main and signal.getsignal(ending) is signal.SIG_DFL]
    for ending in mine:
        signal.signal(ending, end)
    try:
        yield
    finally:
        for ending in mine:
            signal.signal(ending, signal.SIG_DFL)


def _show_warnings_in_one_line():
    """For this process: what concerns the user goes to the standard error, each text once."""
    shown = set()

    def show(message, category, filename, lineno, file=None, line=None):
        text = " ".join(str(message).split())
        if text not in shown:
            shown.add(text)
            _say(f"warning: {text}")

    warnings.simplefilter("ignore")
    for category in (UserWarning, RuntimeWarning):
        warnings.simplefilter("always", category)
    # one library's word to the programmers of another, which some make a UserWarning too
    warnings.simplefilter("ignore", DeprecationWarning)
    warnings.showwarning = show


def _say(text):
    print(" ".join(text.split()), file=sys.stderr, flush=True)
