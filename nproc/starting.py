"""Ctrl-C while the command line is still importing ends it with code 130 and no traceback."""

import os
import signal
import sys

COMMANDS = ("npc", "npc.exe", "npc-script.py")


def start_quietly():
    """If this process is the command line, and not a worker of it, let Ctrl-C end it at once until `started`."""
    # Python has "-m" in the place of the program while it imports the package for ``python -m nproc``
    is_command = sys.argv[:1] == ["-m"] or os.path.basename((sys.argv or [""])[0]) in COMMANDS
    # a worker of joblib has the arguments of its parent; a shell may have told the process to ignore Ctrl-C
    if is_command and "joblib" not in sys.modules and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def started():
    """From here on Ctrl-C raises KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stop(signum, frame):
    # an exception would leave modules half imported, and libraries turn it into errors of their own
    os.write(2, b"interrupted\n")
    os._exit(130)
