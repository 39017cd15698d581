"""The exponent with which a time grows with n."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np

LAWS = {
    "1": np.ones_like,
    "n": lambda n: n,
    "n log n": lambda n: n * np.log(n),
    "n^1.5": lambda n: n**1.5,
}
# the exponent is that of the upper part, where overheads are small
DECADES = 2


@dataclass(frozen=True)
class Exponent:
    """The slope of log seconds on log n, its standard error, the slope of the law, and the range of n."""

    exponent: float
    standard_error: float
    of_law: float
    smallest: int
    largest: int


def fit_exponent(seconds, law):
    """Return the `Exponent` of medians over the last `DECADES` decades of n, by least squares.

    The standard error is that of the regression, from how far the points are from a line: it knows of noise and of
    curvature, not of what would differ in another run.
    """
    # half a step of slack, for sizes that are rounded
    sizes = np.array([n for n in sorted(seconds) if n >= max(seconds) / 10 ** (DECADES + 0.25)], dtype=np.float64)
    x = np.log(sizes) - np.log(sizes).mean()
    middle = np.log([statistics.median(seconds[int(n)]) for n in sizes])
    slope = x @ middle / (x @ x)
    left = middle - middle.mean() - slope * x
    error = np.sqrt(left @ left / (sizes.size - 2) / (x @ x)) if sizes.size > 2 else np.nan
    of_law = x @ np.log(LAWS[law](sizes)) / (x @ x)
    return Exponent(float(slope), float(error), float(of_law), int(sizes[0]), int(sizes[-1]))


def verdict(fit, most):
    """Return whether an exponent is at most `most`; above it, only two standard errors make it a miss."""
    if np.isnan(fit.standard_error):
        # two sizes have no standard error
        return "-"
    if fit.exponent <= most:
        return "yes"
    return "**no**" if fit.exponent - 2 * fit.standard_error > most else "inconclusive"
