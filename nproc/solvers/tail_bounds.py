"""The error of a class whose mean lies so many standard deviations from a cut: normal, or at most for any distribution.

A margin of u standard deviations on the right side gives the normal error Phi(-u), or at most 1 / (1 + u^2) (the
one-sided inequality of Chebyshev; 1 for u below 0).
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def bound_quantile(alpha, bound):
    """Return the class 0 standard deviations from mean to cut that make the type I error (at most) `alpha`."""
    return float(stats.norm.isf(alpha)) if bound == "gaussian" else float(np.sqrt((1.0 - alpha) / alpha))


def error_bound(margin, bound):
    """Return the error of a class whose mean lies `margin` standard deviations on the right side of the cut."""
    return float(stats.norm.sf(margin)) if bound == "gaussian" else 1.0 / (1.0 + max(margin, 0.0) ** 2)


def error_trade(c, margin, s1, bound):
    """Return minus the derivative of the type II error in the type I error as the cut moves.

    The margins are c of class 0, in its standard deviations, and `margin` of class 1, in its own, which are `s1` of
    those of class 0.
    """
    if bound == "gaussian":
        return float(np.exp(min(0.5 * (c * c - margin * margin), 700.0)) / s1)
    return margin / (1.0 + margin**2) ** 2 / (c / (1.0 + c**2) ** 2) / s1
