"""Both errors of a classifier on new data, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.orderstat import Bounds, clopper_pearson
from nproc.tables import DataFrame, InNotebook, Summary, summary_table


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(InNotebook):
    """Both errors of a classifier on new data.

    Attributes
    ----------
    type1, type2 : float or None
        Shares of class 0 rows called class 1, and of class 1 rows called class 0; None where there is no
        row of the class.
    type1_interval, type2_interval : Bounds or None
        Two-sided Clopper-Pearson intervals.
    n0, n1 : int
        Rows of each class.
    n_false1, n_false0 : int
        Class 0 rows called class 1, and class 1 rows called class 0.
    level : float
        Coverage of each interval by itself.
    alpha, delta : float
        Levels of the classifier.
    labels : ndarray, shape (2,)
        The user's labels, the prioritised one first.
    """

    type1: float | None
    type2: float | None
    type1_interval: Bounds | None
    type2_interval: Bounds | None
    n0: int
    n1: int
    n_false1: int
    n_false0: int
    level: float
    alpha: float
    delta: float
    labels: np.ndarray

    def __repr__(self):
        return f"Evaluation({_error_text('type I', self.n_false1, self.n0, self.type1_interval)}, " + (
            f"{_error_text('type II', self.n_false0, self.n1, self.type2_interval)}, "
            f"class0={self.labels.tolist()[0]!s}, level={self.level:g})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row an error: error, true, called, count, n, rate, lower, upper, level.

        Returns
        -------
        DataFrame
            Two rows, "type I" and "type II". ``rate`` is ``count / n``, with its interval; NaN without a row of
            the class ``true``.
        """
        from nproc.tables import table_frame

        intervals = [self.type1_interval, self.type2_interval]
        label0, label1 = self.labels.tolist()
        return table_frame(
            {
                "error": ["type I", "type II"],
                "true": [label0, label1],
                "called": [label1, label0],
                "count": [self.n_false1, self.n_false0],
                "n": [self.n0, self.n1],
                "rate": [np.nan if rate is None else rate for rate in (self.type1, self.type2)],
                "lower": [np.nan if interval is None else interval.lower for interval in intervals],
                "upper": [np.nan if interval is None else interval.upper for interval in intervals],
                "level": [self.level, self.level],
            }
        )

    def summary(self) -> Summary:
        """Return a table of both errors with their intervals and counts, as a summary of statsmodels."""
        return evaluation_report(self)


def _error_text(name, count, n, interval):
    if n == 0:
        return f"{name}: no rows"
    return f"{name} {count / n:.4f} ({count} of {n}) [{interval.lower:.4f}, {interval.upper:.4f}]"


def count_errors(codes, predicted, *, level, alpha, delta, labels):
    """Return the `Evaluation` of 0/1 predictions against 0/1 labels."""
    n0, n1 = int(np.sum(codes == 0)), int(np.sum(codes == 1))
    false1 = int(np.sum((codes == 0) & (predicted == 1)))
    false0 = int(np.sum((codes == 1) & (predicted == 0)))
    return evaluation_of_counts(n0, n1, false1, false0, level=level, alpha=alpha, delta=delta, labels=labels)


def evaluation_of_counts(n0, n1, false1, false0, *, level, alpha, delta, labels):
    """Return the `Evaluation` of `n0` rows of class 0, `false1` of them called class 1, and the same of class 1."""
    return Evaluation(
        type1=false1 / n0 if n0 else None,
        type2=false0 / n1 if n1 else None,
        type1_interval=clopper_pearson(false1, n0, level=level) if n0 else None,
        type2_interval=clopper_pearson(false0, n1, level=level) if n1 else None,
        n0=n0,
        n1=n1,
        n_false1=false1,
        n_false0=false0,
        level=level,
        alpha=alpha,
        delta=delta,
        labels=labels,
    )


def _cells(rate, interval):
    return ("-", "-", "-") if rate is None else (rate, interval.lower, interval.upper)


def evaluation_report(evaluation):
    """Return a table of both errors with their intervals, and the confusion counts."""
    zero, one = (str(v) for v in evaluation.labels.tolist())
    rows = [
        (
            "type I",
            f"{zero} called {one}",
            evaluation.n_false1,
            evaluation.n0,
            *_cells(evaluation.type1, evaluation.type1_interval),
        ),
        (
            "type II",
            f"{one} called {zero}",
            evaluation.n_false0,
            evaluation.n1,
            *_cells(evaluation.type2, evaluation.type2_interval),
        ),
    ]
    per = f"{100 * evaluation.level:g} %"
    return summary_table(
        "Errors on new data",
        [("alpha", evaluation.alpha), ("delta", evaluation.delta)],
        ["Error", "What", "Count", "Of", "Rate", f"{per} low", f"{per} high"],
        rows,
        [
            "Intervals are Clopper-Pearson's, two-sided. The promise of the classifier is about the type I error "
            "in the population; on a finite test set the rate may exceed alpha by chance more often than delta."
        ],
    )
