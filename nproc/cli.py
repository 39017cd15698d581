"""The command line: ``npc`` and ``python -m nproc``. Results on the standard output, everything else on the other."""

from __future__ import annotations

import os
import sys
import warnings

from nproc.cli_options import UsageError, build_parser, check_files
from nproc.errors import NPError

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def main(argv=None):
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; None takes those of the process.

    Returns
    -------
    int
        0 if all went well, 2 for wrong usage or bad input, 130 after Ctrl-C, 141 if the reader of the output left.
    """
    try:
        with warnings.catch_warnings():
            _show_warnings_in_one_line()
            _run(argv)
            sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
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
    except (NPError, OSError) as error:
        _say(f"error: {error}")
        return BAD_INPUT
    return 0


def _run(argv):
    from nproc.cli_records import as_json
    from nproc.outputs import replaced_file

    args = build_parser().parse_args(argv)
    target = getattr(args, "json", None)
    check_files(args)
    result = args.run(args)
    if target not in (None, "-"):
        with replaced_file(target) as part:
            part.write_text(as_json(result.record), encoding="utf-8")
    print(as_json(result.record) if target == "-" else result.text, end="")


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
    warnings.showwarning = show


def _say(text):
    print(" ".join(text.split()), file=sys.stderr, flush=True)
