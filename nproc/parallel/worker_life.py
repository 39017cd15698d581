"""The end of a worker process whose parent is gone, which would wait for its next task and keep the shared memory."""

import os
import threading
import time
from multiprocessing import connection, parent_process

# seconds between two looks
_EVERY = 1.0


class _Watched:
    """The process that looks for its parent; a fork of it has no such thread, and another number."""

    lock = threading.Lock()
    pid = None


def end_with_parent():
    """Let this process end, within seconds, when the process that started it has ended in whatever way.

    What it is doing is dropped, as nobody waits for it. The memory that it shares is removed by joblib's own process
    for that, which waits for the last worker. Further calls do nothing, nor does a call in a process that Python's
    multiprocessing, or joblib, did not start.
    """
    parent = parent_process()
    if parent is None:
        return
    with _Watched.lock:
        if _Watched.pid == os.getpid():
            return
        _Watched.pid = os.getpid()
    threading.Thread(target=_wait_and_end, args=(parent,), daemon=True, name="end-with-parent").start()


def _wait_and_end(parent):
    handle = getattr(parent, "sentinel", None)
    # joblib's processes have no handle but on Windows, and that of a fork is open in later forks too; a process of a
    # fork server has another parent than the one that asked for it
    if os.name == "posix" and (handle is None or os.getppid() == parent.pid):
        # the number changes when the parent ends, perhaps before this first look
        while os.getppid() == parent.pid:
            time.sleep(_EVERY)
    else:
        connection.wait([handle])
    os._exit(1)
