"""What is let in: pages of this server, for whoever has its token, and uploads up to a limit, before one is read."""

from __future__ import annotations

import hmac
import ipaddress
import re
from urllib.parse import parse_qs, quote, unquote_to_bytes

from nproc.app.sources import MAX_BYTES

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
