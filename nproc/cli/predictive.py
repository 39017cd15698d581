"""Predictive values and p-values on the command line: their options, and what is reported."""

import argparse

import numpy as np

from nproc.bands import NAMES


def add_predictive(bands, predict):
    """Add the options of the commands ``bands`` and ``predict``."""
    bands.add_argument(
        "--prevalence",
        type=_prevalence,
        metavar="P",
        help="share of class 1 where the classifier will be used, or an interval of it, 0.05,0.1: adds bounds on the "
        "predictive values",
    )
    predict.add_argument(
        "--p-values", action="store_true", help="add p-values of the hypothesis that a row is of class 0"
    )


def predictive_parts(band, prevalence, alphas):
    """Return the summaries to print below that of a band: one, or none without a prevalence."""
    return [] if prevalence is None else [band.predictive_values(prevalence).summary(alphas=alphas)]


def predictive_record(record, bands, prevalence, alphas):
    """Return the object of ``bands`` with the predictive values at the levels."""
    if prevalence is not None:
        for entry, band in zip(record["bands"], bands, strict=True):
            values = band.predictive_values(prevalence).at(np.asarray(alphas))
            points = values.to_frame().to_dict("records")
            entry["predictive_values"] = {
                "prevalence": prevalence,
                "values": [{name: point[name] for name in ("alpha", *NAMES)} for point in points],
            }
    return record


def _prevalence(text):
    try:
        values = [float(piece) for piece in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) not in (1, 2) or not all(0 < value < 1 for value in values) or values != sorted(values):
        raise argparse.ArgumentTypeError(f"give a share between 0 and 1, or two in increasing order, not {text!r}")
    return values[0] if len(values) == 1 else values
