"""Server side of the downloads."""

from __future__ import annotations

from shiny import render, req

from nproc.app.code import python_code
from nproc.app.drawing import FORMATS, picture_bytes
from nproc.persistence import save


def downloads(input, state, method, fitted_classifier):
    """Register the downloads of what is on the screen."""

    def picture(kind):
        zoom = float(input.zoom())
        return picture_bytes(req(state.result()), req(state.level()), kind, alpha_up_to=zoom)

    @render.download_button(filename="np-roc-bands.svg", media_type=FORMATS["svg"])
    def picture_svg():
        yield picture("svg")

    @render.download_button(filename="np-roc-bands.pdf", media_type=FORMATS["pdf"])
    def picture_pdf():
        yield picture("pdf")

    @render.download_button(filename="np-roc-bands.csv", media_type="text/csv")
    def band_csv():
        import pandas as pd

        bands = req(state.result()).bands
        knots = [band.to_frame().assign(method=band.method) for band in bands]
        yield csv_text(pd.concat(knots, ignore_index=True))

    @render.download_button(filename=lambda: f"{method()}.joblib", media_type="application/octet-stream")
    def model():
        path = save(fitted_classifier(), state.folder / "model.joblib")
        yield path.read_bytes()

    @render.download_button(filename="np_classification.py", media_type="text/x-python")
    def script():
        yield python_code(req(state.result()), req(state.level()), method(), state.new())

    @render.download_button(filename="predictions.csv", media_type="text/csv")
    def predictions():
        yield csv_text(req(state.new()).predictions(fitted_classifier(), req(state.result()).plan.label))


def csv_text(frame):
    """Return a DataFrame as CSV with one header row."""
    return frame.to_csv(index=False, lineterminator="\n")
