"""Who gets in to the page, and who does not."""

import hmac
import ipaddress
import re
from urllib.parse import quote, unquote_to_bytes

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocketClose

from nproc.app.data import MAX_BYTES

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


class Gate:
    """An ASGI application that passes on what may reach the page, and refuses all else.

    The page answers under the names of its server only. A browser takes a page of another site for one of this server
    if the name of that site is made to lead to this computer. It still says in the header Host which name it asked for.

    Pages of other sites have no access. A browser connects any page to a server on this computer; it says in the header
    Origin where the page is from.

    Nobody gets in without the token. The address that is printed in the terminal ends with it. Whoever opens that
    address is given a cookie, with which all else is asked for, the websocket included. Other users of the same
    computer do not have it, nor do other sites.

    Nothing of more than `MAX_BYTES` is taken.

    Parameters
    ----------
    app : ASGI application
        What answers those who get in.
    host : str
        The address that the server listens on. If it stands for all addresses of this computer, as 0.0.0.0 does,
        every address in numbers is known: only a name can be made to lead elsewhere.
    port : int
        The port of the server, which tells its cookie from those of other servers on the same computer.
    token : str
        Text that cannot be guessed.
    token_once : str, optional
        Text that opens the page once, as the token does. It is for the browser that the server starts, whose command
        line all users of the computer can read.
    names : iterable of str
        Other names by which browsers reach the server, as behind a proxy.
    """

    def __init__(self, app, *, host, port, token, token_once=None, names=()):
        self._app = app
        self._known = {*LOOPBACK, host.lower(), *(name.lower() for name in names)}
        self._any_number = host in ALL_ADDRESSES
        self._token = token.encode("utf-8")
        self._once = [] if token_once is None else [token_once.encode("utf-8")]
        self._cookie = f"nproc-{port}"

    async def __call__(self, scope, receive, send):
        if scope["type"] in ("http", "websocket"):
            asked = HTTPConnection(scope)
            known = self._is_token(unquote_to_bytes(asked.cookies.get(self._cookie, "")))
            refusal = self._refusal(asked, known)
            if refusal is not None:
                closed = scope["type"] == "websocket"
                answer = WebSocketClose(1008) if closed else PlainTextResponse(*refusal, {"connection": "close"})
                await answer(scope, receive, send)
                return
            if not known:
                send = self._with_cookie(send)
        await self._app(scope, receive, send)

    def _refusal(self, asked, known):
        """Return the text and the code of a refusal, or None; `known` says whether the cookie was sent."""
        hosts = [host.lower() for host in asked.headers.getlist("host")]
        if len(hosts) != 1 or not self._answers_to(hosts[0]):
            return UNKNOWN_HOST, 403
        if any(origin.lower().partition("://")[2] != hosts[0] for origin in asked.headers.getlist("origin")):
            return "Pages of other sites have no access.", 403
        if not known and not self._opens(asked):
            return NO_TOKEN, 403
        if asked.scope.get("method") == "POST":
            length = asked.headers.get("content-length", "")
            if not length.isdecimal():
                return "The size of an upload must be known in advance.", 411
            if int(length) > MAX_BYTES:
                return f"Uploads may have at most {MAX_BYTES / 1e6:.0f} MB.", 413
        return None

    def _answers_to(self, host):
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        name = parts["inside"] or parts["name"]
        return name in self._known or (self._any_number and is_number(name))

    def _opens(self, asked):
        if asked.scope.get("method") != "GET":
            return False
        given = [value.encode("utf-8") for value in asked.query_params.getlist("token")]
        if self._once and any(hmac.compare_digest(value, self._once[0]) for value in given):
            self._once.clear()
            return True
        return any(map(self._is_token, given))

    def _is_token(self, given):
        return hmac.compare_digest(given, self._token)

    def _with_cookie(self, send):
        async def send_with_cookie(message):
            if message["type"] == "http.response.start":
                value = f"{self._cookie}={quote(self._token)}; Path=/; HttpOnly; SameSite=Strict"
                MutableHeaders(scope=message).append("set-cookie", value)
            await send(message)

        return send_with_cookie


def is_number(name):
    """Return whether a name is an address in numbers."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
