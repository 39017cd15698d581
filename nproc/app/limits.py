"""What is let in: pages of this server only, and uploads up to a limit, before any byte of one is read."""

from __future__ import annotations

from nproc.app.sources import MAX_BYTES


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
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                else:
                    await _refuse(send, 403, "Pages of other sites have no access.")
                return
        await self._app(scope, receive, send)


async def _refuse(send, code, text):
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode("utf-8")})
