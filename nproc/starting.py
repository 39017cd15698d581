"""While the command line imports, Ctrl-C ends it with code 130 and no traceback, and Python looks for no garbage."""

import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager

COMMANDS = ("npc", "npc.exe", "npc-script.py")


def start_quietly():
    """If this process is the command line, and not a worker of it, let Ctrl-C end it at once until `started`."""
    # a worker of joblib has the arguments of its parent
    if _is_command() and "joblib" not in sys.modules:
        _begin()


def started():
    """From here on Ctrl-C raises KeyboardInterrupt again."""
    if _is_command():
        _end()


@contextmanager
def starting():
    """Within it the command line imports again: Ctrl-C ends it at once."""
    if not _is_command():
        yield
        return
    _begin()
    try:
        yield
    finally:
        _end()


def _is_command():
    # Python has "-m" in the place of the program while it imports the package for ``python -m nproc``
    program = (sys.argv or [""])[0]
    as_module = program == "-m" or program.endswith(os.path.join("nproc", "__main__.py"))
    return as_module or os.path.basename(program) in COMMANDS


def _begin():
    # a shell may have told the process to ignore Ctrl-C
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    # modules stay to the end, and to look through them again and again takes a fifth of the time
    gc.disable()


def _end():
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # what is there by now is not looked at again, also when the process ends
    gc.freeze()
    gc.enable()


def _stop(signum, frame):
    # an exception would leave modules half imported, and libraries turn it into errors of their own
    os.write(2, b"interrupted\n")
    os._exit(130)
