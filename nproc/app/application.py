"""The page and its server as one ASGI application."""

from __future__ import annotations

from shiny import App

from nproc.app.limits import KnownHosts, SameOrigin, TokenNeeded, UploadLimit
from nproc.app.page import page
from nproc.app.session import server


def make_app(*, host, port, token, token_once=None, names=()):
    """Return the application of a server that listens on `host` and `port`."""
    return KnownHosts(SameOrigin(TokenNeeded(UploadLimit(App(page(), server)), token, port, token_once)), host, names)
