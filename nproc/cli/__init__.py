"""The command line: ``npc`` and ``python -m nproc``. Results on the standard output, everything else on the other.

Each command has a file, which is imported when the command is asked for. `options` makes the parser of them all,
`arguments` holds the options that several commands share, such as ``--alpha``, and `values` reads the text after an
option.
"""

import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nproc.cli.options import FILES_READ, build_parser, check_files
from nproc.cli.wording import Wording, excluding_clusters
from nproc.doors import lazy_names, package_versions
from nproc.errors import NPError, NPWarning
from nproc.outputs import replaced_file
from nproc.starting import started

if TYPE_CHECKING:
    from nproc.cli.bands import knots
    from nproc.cli.files import listed, read_table, require_columns
    from nproc.cli.fit_rows import repeated_note, rows_for, texts_of
    from nproc.cli.groups import evaluate_table
    from nproc.cli.label_texts import label_values, labels_for, match_label
    from nproc.cli.predictor_columns import choose_predictors, rows_as_arguments
    from nproc.cli.reasons import GAP, TEXT, UNSEEN, reasons_of_rows
    from nproc.cli.records import best_text
    from nproc.cli.wording import option_with, rows_counted

__all__ = [
    "GAP",
    "TEXT",
    "UNSEEN",
    "best_text",
    "build_parser",
    "choose_predictors",
    "evaluate_table",
    "knots",
    "label_values",
    "labels_for",
    "listed",
    "main",
    "match_label",
    "option_with",
    "read_table",
    "reasons_of_rows",
    "repeated_note",
    "require_columns",
    "rows_as_arguments",
    "rows_counted",
    "rows_for",
    "texts_of",
]

# what the page takes from here
__getattr__, __dir__ = lazy_names(__name__)

BAD_INPUT, ALARM, INTERRUPTED, BROKEN_PIPE = 2, 3, 130, 141


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
        0 if all went well, 2 for wrong usage or bad input, 3 if there has been an alarm of ``monitor``, 130 after
        Ctrl-C, 141 if the reader of the output left, 143 if another program asked for the end (SIGTERM), 129 if the
        terminal was closed (SIGHUP).
    """
    words = Wording()
    try:
        with _orderly_end(), warnings.catch_warnings():
            _write_utf8()
            _show_warnings_in_one_line(words)
            if argv is None:
                _quieten_tracker()
            code = _run(argv, words)
            sys.stdout.flush()
    except SystemExit as stop:  # --help, --version, wrong usage, and signals that end a program
        return stop.code or 0
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (NPError, OSError, ModuleNotFoundError) as error:
        _say(f"error: {words.told(error) if isinstance(error, NPError) else error}")
        return BAD_INPUT
    return code


def _write_utf8():
    # labels of any letters go to a file or a pipe as they are, whatever the locale says
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _quieten_tracker():
    # a process of joblib's that removes its files: after Ctrl-C it may find that they are gone, which is no news
    rules = os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, rules))


def _run(argv, words):
    parser = build_parser(sys.argv[1:] if argv is None else argv)
    words.parser = parser.asked
    args = parser.parse_args(argv)
    methods = getattr(args, "method", ())
    words.methods = [methods] if isinstance(methods, str) else methods
    words.trains = hasattr(args, "method") and not getattr(args, "scores", ())
    words.is_reversed = getattr(args, "larger_means", None) == "class0"
    words.instead_of = excluding_clusters(args)
    # the files of the command are imported by now
    started()
    check_files(args)
    words.files = [str(getattr(args, name, None)) for name in FILES_READ]
    words.sep = getattr(args, "sep", None)
    # not before, so that the help comes at once
    from nproc.tables import summaries_as_text

    with summaries_as_text(words):
        result = args.run(args)
    if result is None:
        return 0
    parts, record = result
    text = "\n\n".join(str(part).rstrip() for part in parts) + "\n"
    if args.json is not None:
        from nproc.cli.records import as_json

        numbers = as_json({"command": args.command, "version": package_versions().get("nproc-py"), **record})
        if args.json == "-":
            text = numbers
        else:
            with replaced_file(args.json) as part:
                part.write_text(numbers, encoding="utf-8")
    print(text, end="")
    # of the monitor alone
    return ALARM if record.get("alarm") else 0


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


def _show_warnings_in_one_line(words):
    """For this process: what concerns the user goes to the standard error, each text once."""
    shown = set()

    def show(message, category, filename, lineno, file=None, line=None):
        # a command says it itself with the rows of the file
        told_by_command = ("codes of new rows", "missing values of new rows", "codes among scores")
        if getattr(message, "fault", None) in told_by_command and not message.about:
            return
        told = words.told(message) if isinstance(message, NPWarning) else words(str(message))
        text = " ".join(told.split())
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
