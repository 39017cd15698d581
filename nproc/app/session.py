"""A session: one browser window, one `State`."""

from __future__ import annotations

from nproc.app.data_part import data_part
from nproc.app.downloads import downloads
from nproc.app.fit_part import fit_part
from nproc.app.inputs import Inputs
from nproc.app.level_part import level_part
from nproc.app.result_part import result_part
from nproc.app.state import State


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
