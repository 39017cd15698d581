"""The page and its server as one ASGI application."""

from __future__ import annotations

from shiny import App

from nproc.app.limits import SameOrigin, UploadLimit
from nproc.app.page import page
from nproc.app.session import server


def make_app():
    """Return the application."""
    return SameOrigin(UploadLimit(App(page(), server)))
