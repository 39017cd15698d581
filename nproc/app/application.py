"""The page and its server as one ASGI application."""

from __future__ import annotations

from shiny import App

from nproc.app.limits import UploadLimit
from nproc.app.page import page
from nproc.app.session import server


def make_app():
    """Return the application."""
    return UploadLimit(App(page(), server))
