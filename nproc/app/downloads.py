"""Server side of the downloads."""

from __future__ import annotations

import asyncio

from shiny import render, req

from nproc.app.code import python_code
from nproc.app.drawing import FORMATS, picture_bytes
from nproc.persistence import save

# a spreadsheet runs text that begins so as a formula
# the last four are wide forms, which some spreadsheets take for the signs
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
STALE = "earlier-settings-"


def downloads(input, state, method, fitted_classifier, differences):
    """Register the downloads of what is on the screen; their names tell of settings that have changed since."""

    def named(name):
        return lambda: (STALE if differences() else "") + (name or f"{method()}.joblib")

    def picture(kind):
        zoom = float(input.zoom())
        return picture_bytes(req(state.result()), req(state.level()), kind, alpha_up_to=zoom)

    @render.download_button(filename=named("np-roc-bands.svg"), media_type=FORMATS["svg"])
    def picture_svg():
        yield picture("svg")

    @render.download_button(filename=named("np-roc-bands.pdf"), media_type=FORMATS["pdf"])
    def picture_pdf():
        yield picture("pdf")

    @render.download_button(filename=named("np-roc-bands.csv"), media_type="text/csv")
    def band_csv():
        import pandas as pd

        bands = req(state.result()).bands
        knots = [band.to_frame().assign(method=band.method) for band in bands]
        yield csv_text(pd.concat(knots, ignore_index=True))

    @render.download_button(filename=named(None), media_type="application/octet-stream")
    def model():
        path = save(fitted_classifier(), state.folder / "model.joblib")
        yield path.read_bytes()

    @render.download_button(filename=named("np_classification.py"), media_type="text/x-python")
    def script():
        yield python_code(req(state.result()), req(state.level()), method(), state.new())

    @render.download_button(filename=named("predictions.csv"), media_type="text/csv")
    async def predictions():
        new, fit, label = req(state.new()), fitted_classifier(), req(state.result()).plan.label
        yield await asyncio.to_thread(lambda: csv_text(new.predictions(fit, label)))


def csv_text(frame):
    """Return a DataFrame as CSV with one header row, in which no text can be taken for a formula."""
    from pandas.api.types import is_numeric_dtype

    safe = frame.set_axis([_no_formula(name) for name in frame.columns], axis=1)
    for number, dtype in enumerate(frame.dtypes):
        if not is_numeric_dtype(dtype):
            safe.isetitem(number, frame.iloc[:, number].astype(object).map(_no_formula))
    # with this end of lines a line break inside a cell is quoted, and begins no cell
    return safe.to_csv(index=False, lineterminator="\r\n")


def _no_formula(value):
    """Return text that a spreadsheet would run with an apostrophe before it, and all else as it is."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value  # a number, which nothing runs
