"""Serving the page until Ctrl-C."""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
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
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, quote, unquote_to_bytes

from shiny import App, reactive

from nproc.app.data import MAX_BYTES, Source
from nproc.app.inputs import Inputs
from nproc.app.jobs import Job
from nproc.app.page import page
from nproc.app.parts import data_part, downloads, fit_part, level_part, result_part
from nproc.app.results import Level, NewRows, Result
from nproc.errors import InvalidInputError
from nproc.outputs import hold_lock, is_abandoned

# a name or an address, the latter in brackets if it has colons, and perhaps a port
_HOST = re.compile(r"(\[(?P<inside>[^][]+)\]|(?P<name>[^][:@/]+))(:\d*)?")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# the empty text too: a socket takes it so
ALL_ADDRESSES = ("0.0.0.0", "::", "")
NO_TOKEN = (
    "This page needs the token of its server. Open the address that npc app printed in the terminal; it ends with "
    "?token= and the token."
)
UNKNOWN_HOST = (
    "This server does not answer under that name. Open the address that npc app printed in the terminal, or start it "
    "with --name and the name."
)


class UploadLimit:
    """An ASGI application that refuses requests with more than `MAX_BYTES`, and passes all others on.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    """

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http" and scope["method"] == "POST":
            length = dict(scope["headers"]).get(b"content-length", b"")
            if not length.isdigit():
                await _refuse(send, 411, "The size of an upload must be known in advance.")
                return
            if int(length) > MAX_BYTES:
                await _refuse(send, 413, f"Uploads may have at most {MAX_BYTES / 1e6:.0f} MB.")
                return
        await self._app(scope, receive, send)


class KnownHosts:
    """An ASGI application that answers under the names of this server only, and passes all asked by them on.

    A browser takes a page of another site for one of this server if the name of that site is made to lead to this
    computer. It still says in the header Host which name it asked for.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    host : str
        The address that the server listens on. If it stands for all addresses of this computer, as 0.0.0.0 does,
        every address in numbers is known: only a name can be made to lead elsewhere.
    names : iterable of str
        Other names by which browsers reach the server, as behind a proxy.
    """

    def __init__(self, app, host, names=()):
        self._app = app
        self._known = {*LOOPBACK, host.lower(), *(name.lower() for name in names)}
        self._any_number = host in ALL_ADDRESSES

    async def __call__(self, scope, receive, send):
        if scope["type"] in ("http", "websocket"):
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            if len(hosts) != 1 or not self._knows(hosts[0].decode("latin-1").lower()):
                await _refuse_any(scope, send, UNKNOWN_HOST)
                return
        await self._app(scope, receive, send)

    def _knows(self, host):
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts["inside"] or parts["name"]
        return name in self._known or (self._any_number and is_number(name))


class SameOrigin:
    """An ASGI application that refuses what pages of other sites send, and passes all else on.

    A browser connects any page to a server on this computer; it says in the header Origin where the page is from.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    """

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] in ("http", "websocket"):
            headers = dict(scope["headers"])
            origin, host = headers.get(b"origin"), headers.get(b"host", b"")
            if origin is not None and origin.lower().partition(b"://")[2] != host.lower():
                await _refuse_any(scope, send, "Pages of other sites have no access.")
                return
        await self._app(scope, receive, send)


class TokenNeeded:
    """An ASGI application that refuses whoever has not been given its token, and passes the others on.

    The address that is printed in the terminal ends with the token. Whoever opens it is given a cookie, with which all
    else is asked for, the websocket included. Other users of the same computer do not have it, nor do other sites.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    token : str
        Text that cannot be guessed.
    port : int
        The port of the server, which tells its cookie from those of other servers on the same computer.
    token_once : str, optional
        Text that opens the page once, as the token does. It is for the browser that the server starts, whose command
        line all users of the computer can read.
    """

    def __init__(self, app, token, port, token_once=None):
        self._app = app
        self._token = token.encode("utf-8")
        self._once = [] if token_once is None else [token_once.encode("utf-8")]
        self._cookie = f"nproc-{port}".encode("ascii")

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket") or self._has_cookie(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and self._opens(scope):

            async def send_with_cookie(message):
                if message["type"] == "http.response.start":
                    value = self._cookie + b"=" + quote(self._token).encode("ascii")
                    cookie = (b"set-cookie", value + b"; Path=/; HttpOnly; SameSite=Strict")
                    message = {**message, "headers": [*message.get("headers", ()), cookie]}
                await send(message)

            await self._app(scope, receive, send_with_cookie)
        else:
            await _refuse_any(scope, send, NO_TOKEN)

    def _has_cookie(self, scope):
        cookies = b";".join(value for name, value in scope["headers"] if name == b"cookie").split(b";")
        parts = (cookie.strip().partition(b"=") for cookie in cookies)
        return any(name == self._cookie and self._is_token(unquote_to_bytes(value)) for name, _, value in parts)

    def _opens(self, scope):
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return scope["method"] == "GET" and any(self._is_key(value.encode("utf-8")) for value in given)

    def _is_key(self, given):
        if self._once and hmac.compare_digest(given, self._once[0]):
            self._once.clear()
            return True
        return self._is_token(given)

    def _is_token(self, given):
        return hmac.compare_digest(given, self._token)


def is_number(name):
    """Return whether a name is an address in numbers."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _refuse_any(scope, send, text):
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _refuse(send, 403, text)


async def _refuse(send, code, text):
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode("utf-8")})


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
        If Shiny is missing, the address cannot be used, or a name or the token is not as it must be.
    """
    _check_names(names)
    uvicorn, make_app = _load()
    token = _token()
    listening = _bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    port = listening.getsockname()[1]
    token_once = secrets.token_urlsafe(24)
    app = make_app(host=host, port=port, token=token, token_once=token_once, names=names)
    page = f"http://{shown}:{port}/?token="
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
            from nproc.app.jobs import warm_up

            threading.Thread(target=warm_up, daemon=True).start()
            sys.stderr.write(f"The page is at {page}{quote(token)} (stop it with Ctrl-C).\n")
            sys.stderr.flush()
            if browser:
                threading.Timer(1.0, webbrowser.open, [page + token_once]).start()
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


def _load():
    try:
        import shiny  # noqa: F401
        import uvicorn
    except ImportError:
        raise InvalidInputError("the page takes Shiny for Python: pip install 'nproc-py[app]'.") from None

    return uvicorn, make_app


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


class State:
    """The reactive values of a session, and its temporary folder.

    Attributes
    ----------
    source : Value of Source or None
        The table.
    job : Value of Job or None
        The fit that runs.
    progress : Value of str and float, or None
        How far it is.
    result : Value of Result or None
        The last fit.
    first_settings : dict
        For each table and label, the settings of the first fit whose band has been seen.
    level : Value of Level or None
        The level on the bands.
    new : Value of NewRows or None
        New rows to predict.
    problem : Value of str
        What went wrong with the last thing that the user did; empty if nothing.
    new_problem : Value of str
        The same of the new rows.
    folder : Path
        A temporary folder, which goes with the session.
    """

    def __init__(self):
        self.source: reactive.Value[Source | None] = reactive.value(None)
        self.job: reactive.Value[Job | None] = reactive.value(None)
        self.progress = reactive.value(None)
        self.result: reactive.Value[Result | None] = reactive.value(None)
        self.level: reactive.Value[Level | None] = reactive.value(None)
        self.new: reactive.Value[NewRows | None] = reactive.value(None)
        self.problem = reactive.value("")
        self.new_problem = reactive.value("")
        self.first_settings = {}
        self._folder = TemporaryDirectory(prefix="nproc-session-")
        self.folder = Path(self._folder.name)

    def stop_job(self):
        """Kill the fit that runs, if there is one."""
        with reactive.isolate():
            job = self.job()
        if job is not None:
            job.cancel()
            self.job.set(None)
            self.progress.set(None)

    def replace_source(self, source):
        """Take another table; what came from the old one goes."""
        self.stop_job()
        self.source.set(source)
        self.result.set(None)
        self.level.set(None)
        self.new.set(None)
        self.problem.set("")
        self.new_problem.set("")

    @staticmethod
    def rows_of(plan):
        """Return what tells tables and labels apart; a file that is uploaded again is the same table."""
        return plan.source.fingerprint, plan.label

    def close(self):
        """Kill the fit that runs, and remove the temporary folder."""
        with reactive.isolate():
            job = self.job()
        if job is not None:
            job.cancel()
        self._folder.cleanup()


def server(input, output, session):
    """Set up one session; everything it holds goes when it ends."""
    state = State()
    session.on_ended(state.close)
    input = Inputs(input)
    data_part(input, session, state)
    differences = fit_part(input, state)
    method = level_part(input, session, state)
    fitted_classifier = result_part(input, session, state, method, differences)
    downloads(input, state, method, fitted_classifier, differences)


def make_app(*, host, port, token, token_once=None, names=()):
    """Return the application of a server that listens on `host` and `port`."""
    return KnownHosts(SameOrigin(TokenNeeded(UploadLimit(App(page(), server)), token, port, token_once)), host, names)
