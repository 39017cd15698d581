"""The limit on uploads, before any byte of one is read."""

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


async def _refuse(send, code, text):
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode("utf-8")})
