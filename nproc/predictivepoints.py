"""Points of a band of predictive values: the bounds at given ranks, and how they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from nproc.errorbounds import type2_curve
from nproc.orderstat import type1_upper
from nproc.reprs import InNotebook, short
from nproc.simultaneous import simultaneous_cdf_bounds
from nproc.tables import summary_table, table_frame

NAMES = ("ppv_lower", "ppv", "ppv_upper", "npv_lower", "npv", "npv_upper")
PAIR = ("ppv", "npv")
COLUMNS = ("alpha", "Rank", "PPV lower", "Estimate", "PPV upper", "NPV lower", "Estimate", "NPV upper")
NONE_NOTE = "Bounds of 0 and 1 without an estimate: no classifier respects this alpha."


@dataclass(frozen=True, repr=False, eq=False)
class PredictiveValues(InNotebook):
    """Predictive values at given levels; arrays are shaped like the levels asked for.

    Attributes
    ----------
    alpha : float or ndarray
        Levels.
    order : int or ndarray
        Rank of the threshold; n0 + 1 where no classifier respects alpha.
    ppv_lower, ppv_upper, npv_lower, npv_upper : float or ndarray
        Bounds; 0 and 1 where no classifier respects alpha.
    ppv, npv : float or ndarray
        Estimates; NaN where no classifier respects alpha.
    note : str
        What the bounds promise.
    """

    alpha: float | np.ndarray
    order: int | np.ndarray
    ppv_lower: float | np.ndarray
    ppv: float | np.ndarray
    ppv_upper: float | np.ndarray
    npv_lower: float | np.ndarray
    npv: float | np.ndarray
    npv_upper: float | np.ndarray
    note: str = ""

    def __repr__(self):
        ends = [f"{value}_{end}" for value in PAIR for end in ("lower", "upper")]
        shown = ", ".join(f"{name}={short(getattr(self, name))}" for name in ends)
        return f"PredictiveValues(alpha={short(self.alpha)}, order={short(self.order)},\n  {shown})"

    def to_frame(self):
        """Return a DataFrame with a row a level: alpha, order, and bounds and estimates of both values."""
        return table_frame({name: np.atleast_1d(getattr(self, name)).ravel() for name in ("alpha", "order", *NAMES)})

    def summary(self):
        """Return a table with a row a level, as a summary of statsmodels."""
        notes = [self.note, NONE_NOTE] if self.note else [NONE_NOTE]
        return summary_table("Predictive values at some levels", [], COLUMNS, value_rows(self), notes)


def split_values(scores0, scores1, cuts, orders, prevalence, delta, method):
    """Return the six rows of `NAMES` of one split.

    Parameters
    ----------
    scores0, scores1 : ndarray, shape (n0,) and (n1,)
        Left-out scores of each class in increasing order.
    cuts : ndarray, shape (m,)
        Thresholds at ranks of `scores0`.
    orders : ndarray of int, shape (m,)
        Those ranks.
    prevalence : (float, float)
        Lowest and highest share of class 1.
    delta : float
        Chance of failure.
    method : str or None
        How all thresholds are bounded at once, as in `simultaneous_cdf_bounds`; None bounds each by itself.

    Returns
    -------
    ndarray, shape (6, m)
    """
    up_to0 = np.searchsorted(scores0, cuts, side="right")
    up_to1 = np.searchsorted(scores1, cuts, side="right")
    n0, n1 = scores0.size, scores1.size
    if method is None:
        errors = pointwise_errors(orders, up_to0, n0, up_to1, n1, delta)
    else:
        errors = simultaneous_errors(up_to0, n0, up_to1, n1, delta, method)
    return values_of_errors(*errors, prevalence)


def values_of_errors(errors1, errors2, prevalence):
    """Return the six rows of `NAMES` for (lower, estimate, upper) of both errors at thresholds.

    Parameters
    ----------
    errors1, errors2 : sequence of three ndarray, each of shape (m,)
        Of the type I and the type II error: lower bound, estimate, upper bound.
    prevalence : (float, float)
        Lowest and highest share of class 1.

    Returns
    -------
    ndarray, shape (6, m)
    """
    (lower1, estimate1, upper1), (lower2, estimate2, upper2) = errors1, errors2
    low, high = prevalence
    middle = (low + high) / 2
    return np.stack(
        [
            _share(low * (1 - upper2), (1 - low) * upper1, 0.0),
            _share(middle * (1 - estimate2), (1 - middle) * estimate1, 0.0),
            _share(high * (1 - lower2), (1 - high) * lower1, 1.0),
            _share((1 - high) * (1 - upper1), high * upper2, 0.0),
            _share((1 - middle) * (1 - estimate1), middle * estimate2, 1.0),
            _share((1 - low) * (1 - lower1), low * lower2, 1.0),
        ]
    )


def pointwise_errors(orders, up_to0, n0, up_to1, n1, delta):
    r"""Return lower bounds, estimates and upper bounds on both errors of thresholds at ranks fixed beforehand.

    Parameters
    ----------
    orders : ndarray of int, shape (m,)
        Ranks of the thresholds.
    up_to0, up_to1 : ndarray of int, shape (m,)
        Scores of each class up to the thresholds.
    n0, n1 : int
        Scores of each class.
    delta : float
        Chance that one of the two upper bounds, and that one of the two lower bounds, fails.

    Returns
    -------
    errors1, errors2 : tuple of three ndarray

    Notes
    -----
    The lower bound on the type I error at rank k needs a proof of its own, since with ties the error may be smaller
    than that of continuous scores, and the number k' of class 0 scores up to the threshold :math:`T_{(k)}` is random.
    Write the scores as quantiles of uniform :math:`U_i`. Then :math:`F(T_{(k)})` is e(u), the right end of the values
    that share a score with :math:`u = U_{(k)}`, and k' = N(e(u)), the number of :math:`U_i` up to there. With
    :math:`b_j` the :math:`1 - \delta'` quantile of :math:`U_{(j)}`, :math:`\delta' = 1 - \sqrt{1 - \delta}`, the bound
    is :math:`1 - b_{k' + 1}`, and fails where :math:`e(u) > b_{k' + 1}`. Let p be the smallest right end above
    :math:`b_{k + 1}`. A failure at p means :math:`p > b_{N(p) + 1}`; one beyond p means N(p) < k, so that again
    :math:`p > b_{N(p) + 1}`; before p there is none. With m the largest count for which :math:`p > b_{m + 1}`, this is
    :math:`N(p) \le m`, that is :math:`U_{(m + 1)} > p`, of probability at most :math:`\delta'`. (Without a smallest
    right end take right ends p down to the infimum: the failures at or beyond p increase to all failures.)

    For continuous scores the quantile of Beta(n0 + 1 - k, k) would do, which is about one rank less conservative; with
    a mass at one score it would not.
    """
    share = -math.expm1(0.5 * math.log1p(-delta))
    some = up_to0 < n0
    lower1 = np.zeros(up_to0.size)
    lower1[some] = betaincinv(n0 - up_to0[some], up_to0[some] + 1.0, share)
    bounds2 = type2_curve(up_to1, n1, share)
    errors1 = (lower1, _mean_type1(up_to0, n0), type1_upper(orders, n0, share))
    return errors1, (bounds2.lower, up_to1 / n1, bounds2.upper)


def simultaneous_errors(up_to0, n0, up_to1, n1, delta, method):
    """Return the same for all thresholds at once, with `method` as in `simultaneous_cdf_bounds`."""
    share = -math.expm1(0.5 * math.log1p(-delta))
    below0, above0 = simultaneous_cdf_bounds(up_to0, n0, share, method=method)
    lower2, upper2 = simultaneous_cdf_bounds(up_to1, n1, share, method=method)
    return (1 - above0, _mean_type1(up_to0, n0), 1 - below0), (lower2, up_to1 / n1, upper2)


def _mean_type1(up_to0, n0):
    # were the scores continuous, this would be the mean of the type I error at that rank
    return (n0 + 1 - up_to0) / (n0 + 1)


def _share(right, wrong, empty):
    """Return right / (right + wrong), and `empty` where both are 0."""
    total = right + wrong
    return np.divide(right, total, out=np.full(total.shape, empty), where=total > 0)


def value_rows(values):
    """Return the rows of a table of `PredictiveValues`."""
    rows = []
    for row in values.to_frame().itertuples(index=False):
        none = np.isnan(row.ppv)
        cells = [("-" if np.isnan(getattr(row, name)) else getattr(row, name)) for name in NAMES]
        rows.append((row.alpha, "none" if none else int(row.order), *cells))
    return rows
