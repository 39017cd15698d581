"""Serving the page until Ctrl-C."""

from __future__ import annotations

import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from multiprocessing.util import get_temp_dir

from nproc.errors import InvalidInputError

HOST, PORT = "127.0.0.1", 8050
_LOOPBACK = ("127.", "::1", "localhost")


def serve(*, host=HOST, port=PORT, browser=True):
    """Serve the page until the process is interrupted.

    Parameters
    ----------
    host : str
        Address to listen on; by default only this computer reaches it.
    port : int
        Port; 0 takes any free one.
    browser : bool
        Whether to open the page in a browser.

    Raises
    ------
    InvalidInputError
        If Shiny is missing, or the address cannot be used.
    """
    uvicorn, app = _load()
    listening = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}/"
    if not host.startswith(_LOOPBACK):
        sys.stderr.write(f"warning: whoever reaches {host} can use this page; it has no password.\n")
    # the fork server's own folder goes after everything else, so it must not lie in the folder made next
    get_temp_dir()
    # a polite end by another process cleans up as Ctrl-C does
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # everything temporary of all sessions lies in one folder, which goes with the server at the latest
    with tempfile.TemporaryDirectory(prefix="nproc-app-") as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            from nproc.app.jobs import warm_up

            threading.Thread(target=warm_up, daemon=True).start()
            sys.stderr.write(f"The page is at {url} (stop it with Ctrl-C).\n")
            sys.stderr.flush()
            if browser:
                threading.Timer(1.0, webbrowser.open, [url]).start()
            # open pages keep their connection: do not wait for them long
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            sys.stderr.write("The page is closed.\n")
        finally:
            tempfile.tempdir = before
            listening.close()


def _load():
    try:
        import shiny  # noqa: F401
        import uvicorn
    except ImportError:
        raise InvalidInputError("the page takes Shiny for Python: pip install 'nproc-py[app]'.") from None
    from nproc.app.application import make_app

    return uvicorn, make_app()


def _bind(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise InvalidInputError(
            f"cannot listen on {host}, port {port} ({error}); give another --port, or 0 for any free one."
        ) from error
    return listening
