"""Serving the page until Ctrl-C."""

import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from multiprocessing.util import get_temp_dir
from pathlib import Path
from urllib.parse import quote

import uvicorn
from shiny import App

from nproc.app.gate import LOOPBACK, Gate, is_number
from nproc.app.jobs import warm_up
from nproc.app.page import page
from nproc.app.parts import server
from nproc.errors import InvalidInputError
from nproc.outputs import hold_lock, is_abandoned

# the temporary folder of a server, and the file in it that it locks as long as it lives
FOLDER, LOCK = "nproc-app-", "served"
HOST, PORT = "127.0.0.1", 8050
TOKEN_VARIABLE = "NPROC_APP_TOKEN"
SHORTEST_TOKEN = 16


def serve(*, host=HOST, port=PORT, browser=True, names=()):
    """Serve the page until the process is interrupted.

    Parameters
    ----------
    host : str
        Address to listen on; by default only this computer reaches it.
    port : int
        Port; 0 takes any free one.
    browser : bool
        Whether to open the page in a browser.
    names : iterable of str
        Other names by which browsers reach the server, as behind a proxy.

    Raises
    ------
    InvalidInputError
        If the address cannot be used, or a name or the token is not as it must be.
    """
    _check_names(names)
    token = _token()
    listening = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    port = listening.getsockname()[1]
    token_once = secrets.token_urlsafe(24)
    app = Gate(App(page(), server), host=host, port=port, token=token, token_once=token_once, names=names)
    address = f"http://{shown}:{port}/?token="
    if host not in LOOPBACK:
        sys.stderr.write(
            f"warning: whoever reaches {host} and has the token can use this page, and the network can read both the "
            "token and the data; put a proxy with https before it.\n"
        )
    # the fork server's own folder goes after everything else, so it must not lie in the folder made next
    get_temp_dir()
    # a polite end by another process cleans up as Ctrl-C does
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _remove_abandoned_folders()
    # everything temporary of all sessions lies in one folder, which goes with the server at the latest
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder, hold_lock(Path(folder) / LOCK):
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            threading.Thread(target=warm_up, daemon=True).start()
            sys.stderr.write(f"The page is at {address}{quote(token)} (stop it with Ctrl-C).\n")
            sys.stderr.flush()
            if browser:
                threading.Timer(1.0, webbrowser.open, [address + token_once]).start()
            # open pages keep their connection: do not wait for them long
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            sys.stderr.write("The page is closed.\n")
        finally:
            tempfile.tempdir = before
            listening.close()


def _remove_abandoned_folders():
    """Remove the folders of servers that were killed: those of this user whose lock nobody holds."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        if is_abandoned(folder / LOCK):
            shutil.rmtree(folder, ignore_errors=True)


def _check_names(names):
    for name in names:
        if not name or "/" in name or (":" in name and not is_number(name)):
            raise InvalidInputError(
                f"--name must be the name of a server without scheme and port, such as hub.example, got {name!r}."
            )


def _token():
    """Return the token of the environment, or one that nobody can guess."""
    given = os.environ.get(TOKEN_VARIABLE)
    if given is None:
        return secrets.token_urlsafe(24)
    if not (given.isascii() and given.isprintable()):
        raise InvalidInputError(f"{TOKEN_VARIABLE} may hold letters, digits and signs of ASCII only.")
    if len(given) < SHORTEST_TOKEN:
        raise InvalidInputError(
            f"{TOKEN_VARIABLE} has {len(given)} character(s); a token needs at least {SHORTEST_TOKEN} that nobody can "
            "guess. Leave the variable out for a new token at each start."
        )
    return given


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
