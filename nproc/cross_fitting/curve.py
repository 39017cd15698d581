"""A cross-fitted estimate of the type II error against alpha, from all rows of both classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_count, check_levels
from nproc.cross_fitting.fit import count_at_or_above, make_folds
from nproc.errors import InvalidInputError
from nproc.tables import DataFrame, InNotebook, Summary, summary_table, table_frame


@dataclass(frozen=True, repr=False, eq=False)
class CrossFittedCurve(InNotebook):
    """Estimated type II errors of cross-fitted classifiers against alpha; made by `nproc` with ``cross_fit``.

    Nothing is proved of them: neither that they are close to the type II errors, nor that a cross-fitted classifier
    keeps alpha (`cross_fit_bound` has what is proved of that).

    Attributes
    ----------
    alpha : ndarray, shape (n0,)
        The level from which each rank among all class 0 rows serves, ascending.
    order : ndarray, shape (n0,)
        The ranks, n0 to 1.
    type2 : ndarray, shape (n0,)
        Share of the class 1 rows that are called class 0, each by the scorer of the fold that it is in.
    n_folds : int
        Number of folds.
    """

    alpha: NDArray[np.float64]
    order: NDArray[np.intp]
    type2: NDArray[np.float64]
    n_folds: int

    def __repr__(self):
        return f"CrossFittedCurve({self.n_folds} folds, {self.alpha.size} class 0 rows; an estimate)"

    def at(self, alpha: ArrayLike) -> float | NDArray[np.float64]:
        """Return the estimated type II error at levels in [0, 1], shaped like them; 1 where no rank serves."""
        levels = check_levels(alpha, "alpha", closed=True)
        found = np.append(1.0, self.type2)[np.searchsorted(self.alpha, levels, side="right")]
        return float(found) if levels.ndim == 0 else found

    def summary(self, *, alphas: Sequence[float] = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)) -> Summary:
        """Return a table of the estimates at some levels that prints like those of statsmodels."""
        levels = np.ravel(check_levels(alphas, "alphas", closed=True))
        pairs = [("Class 0 rows", self.alpha.size), ("Folds", self.n_folds)]
        notes = [
            "These are estimates, and nothing is proved about them. A cross-fitted classifier may have a type I error "
            "above alpha."
        ]
        rows = list(zip(levels.tolist(), np.ravel(self.at(levels)).tolist(), strict=True))
        return summary_table("Cross-fitted type II errors", pairs, ["alpha", "Type II, estimate"], rows, notes)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a rank: alpha, order, type2."""
        return table_frame({"alpha": self.alpha, "order": self.order, "type2": self.type2})


def curve_folds(inputs, seed, n_folds):
    """Return the folds of both classes for a `CrossFittedCurve`, as `Splits`, or raise where there are too many."""
    n_folds = check_count(n_folds, "cross_fit", minimum=2)
    n0, n1 = inputs.labels.n0, inputs.labels.n1
    if inputs.method.prefit:
        raise InvalidInputError("cross_fit trains a scorer for each fold; leave out prefit=True.", argument="cross_fit")
    if n_folds > min(n0, n1):
        raise InvalidInputError(
            f"cross_fit={n_folds} requires at least {n_folds} rows of each class, got {n0} and {n1}.",
            argument="cross_fit",
        )
    return make_folds(inputs.y, n_folds, seed, both=True)


def cross_fitted_curve(scored, rule):
    """Return the `CrossFittedCurve` of scored folds.

    Parameters
    ----------
    scored : list of ScoredSplit
        Of each fold of `curve_folds`.
    rule : PointwiseBounds
        What gives a rank its level, that of a band.

    Notes
    -----
    The rows of both classes are divided. The scorer of a fold gives each class 1 row of the fold its place among the
    class 0 rows of the fold, c of m at or above it. The row is called class 1 at rank k of n0 if c / m is at most
    (n0 - k) / n0. The classifier of `npc` sums these counts over all folds; for a row that only one of its scorers has
    not seen there is one count.
    """
    shares = [count_at_or_above(np.sort(fold.scores0), fold.scores1) / fold.scores0.size for fold in scored]
    n0, n1 = sum(fold.scores0.size for fold in scored), sum(fold.scores1.size for fold in scored)
    # a share that equals (n0 - k) / n0 up to rounding is at most that
    at_most = np.searchsorted(np.sort(np.concatenate(shares)), np.arange(n0) / n0 + 1e-12, side="right")
    order, alpha = np.arange(n0, 0, -1), rule.type1_knots(n0)
    known = alpha < 1
    return CrossFittedCurve(alpha[known], order[known], (1 - at_most / n1)[known], len(scored))
