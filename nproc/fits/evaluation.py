"""Both errors of a classifier on new data, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from nproc.orderstat import Bounds, clopper_pearson
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    at_most,
    level_pairs,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)

# the share of new class 0 rows that set the threshold, from which the errors found on them tell nothing
MANY_OWN = 1 / 5
# where rows of the fit equal one another: the probability of so many equal new rows below which it is not chance
BY_CHANCE = 1e-3
OWN_ROWS = (
    "at least a fifth of the class 0 rows have exactly the same score as a row that set the threshold. If they are the "
    "same rows, the errors found do not apply to new rows, and no bound holds. Use rows that the fit has not seen."
)
_MORE_THAN_CHANCE = (
    "which is more than chance explains, unless copies were dropped before the fit. If they are the same rows, the "
    "errors found do not apply to new rows, and no bound holds. Use rows that the fit has not seen."
)
_EQUAL = "at least a fifth of the class 0 rows equal a class 0 row of the fit in all"
EQUAL_ROWS = f"{_EQUAL} predictors, {_MORE_THAN_CHANCE}"
EQUAL_IN_TABLE = f"{_EQUAL} columns of the table, {_MORE_THAN_CHANCE}"
# what is warned of rows that are likely to be rows of the fit
OWN_ROWS_WARNINGS = (OWN_ROWS, EQUAL_ROWS, EQUAL_IN_TABLE)
# of a fit of several classes
_EQUAL_OF_ALL = "at least a fifth of the rows equal a row of the fit in all"
EQUAL_ROWS_OF_ALL = f"{_EQUAL_OF_ALL} predictors, {_MORE_THAN_CHANCE}"
EQUAL_IN_TABLE_OF_ALL = f"{_EQUAL_OF_ALL} columns of the table, {_MORE_THAN_CHANCE}"
LIKELY_FITTED = (
    "Many of these rows equal rows of the fit, or have exactly the scores of rows that set the threshold. If they are "
    "the same rows, the errors do not apply to new rows, and no bound holds."
)
# also where the fit was given a trained model, of whose training it knows nothing
NOT_CHECKED = "It could not be checked whether the classifier has seen these rows; if it has, no bound holds."
NO_INTERVALS = "No intervals are shown, because they would not hold for these rows."
# what is wrong then follows
NO_CLUSTERS_TO_COUNT = (
    "No clusters were given: each row counts as its own cluster. If rows belong together, the intervals are too narrow."
)
SEE_CHECKS = "See check_assumptions."
INTERVALS = "Intervals are Clopper-Pearson's, two-sided, for independent rows."
NOT_GUARANTEED = "This classifier has no guarantee at alpha and delta; the summary of the fit says why."


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
    guaranteed : bool
        Whether the classifier has its guarantee at these levels, as `NPFit.guaranteed` says.
    labels : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    one_per_cluster : bool
        Whether the rows are one of each cluster and class, drawn at random; `n0` and `n1` then count clusters.
    own_rows : bool or None
        Whether the rows are likely to be rows of the fit, as `CertifiedBound.own_rows`; None if nothing tells, as
        for the rows that trained the model of a fit with ``prefit=True``.
    dependent : str
        Why the rows are not independent, in a few words, if the command line or the web page finds so by their owners.
    note : str
        What else a reader should know.
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
    guaranteed: bool = field(kw_only=True)
    one_per_cluster: bool = field(default=False, kw_only=True)
    own_rows: bool | None = field(default=None, kw_only=True)
    dependent: str = field(default="", kw_only=True)
    note: str = field(default="", kw_only=True)

    def __repr__(self):
        told = [
            f"{name} {rate:.4f} ({count} of {n})" + f" [{rounded_down(low)}, {rounded_up(high)}]" * self.intervals_hold
            if n
            else f"{name}: no rows"
            for name, _, _, count, n, rate, low, high in self._rows(0.0)
        ]
        own = ", probably on rows of the fit" if self.own_rows else ""
        return f"Evaluation({', '.join(told)}, class0={self.labels.tolist()[0]!s}, level={self.level:g}{own})"

    @property
    def intervals_hold(self) -> bool:
        """Whether nothing is known against the intervals: the rows are not likely to be of the fit, nor dependent."""
        return not (self.own_rows or self.dependent)

    @property
    def is_above(self) -> bool:
        """Whether the whole interval of the type I error lies above alpha, where nothing is known against it."""
        interval = self.type1_interval if self.intervals_hold else None
        return interval is not None and bool(interval.lower > self.alpha)

    def _headed(self, title, note):
        """Return title and note of a summary, which say so if the rows are likely to be of the fit or nothing tells."""
        if self.own_rows is None:
            note = f"{note} {NOT_CHECKED}"
        return ("Errors, probably on rows of the fit", f"{LIKELY_FITTED} {note}") if self.own_rows else (title, note)

    def _ends(self, low, high):
        """Return the texts of an interval in a table, which are "-" where it does not hold or there is none."""
        return ("-", "-") if low == "-" or not self.intervals_hold else outward(low, high)

    def _rows(self, missing):
        """Return name, true label, label called, count, rows, rate and bounds of each error; `missing` for none."""
        label0, label1 = self.labels.tolist()
        both = (
            ("type I", label0, label1, self.n_false1, self.n0, self.type1, self.type1_interval),
            ("type II", label1, label0, self.n_false0, self.n1, self.type2, self.type2_interval),
        )
        return [
            (*head, *((missing,) * 3 if interval is None else (rate, interval.lower, interval.upper)))
            for *head, rate, interval in both
        ]

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row an error: error, true, called, count, n, rate, lower, upper, level.

        Returns
        -------
        DataFrame
            Two rows, "type I" and "type II". ``rate`` is ``count / n``, with its interval; NaN without a row of
            the class ``true``. The ends are NaN where `intervals_hold` is false.
        """
        names = ("error", "true", "called", "count", "n", "rate", "lower", "upper")
        columns = dict(zip(names, map(list, zip(*self._rows(np.nan), strict=True)), strict=True))
        if not self.intervals_hold:
            columns |= {"lower": [np.nan] * 2, "upper": [np.nan] * 2}
        return table_frame({**columns, "level": [self.level, self.level]})

    def summary(self) -> Summary:
        """Return a table of both errors with their intervals and counts, as a summary of statsmodels."""
        return self._summary(SEE_CHECKS)

    def _summary(self, see):
        """Return the summary; `see` says where to look, if anywhere, for why the type I error is above alpha."""
        rows = [
            (name, f"{true} called {called}", *counts, rate, *self._ends(low, high))
            for name, true, called, *counts, rate, low, high in self._rows("-")
        ]
        per = f"{100 * self.level:g} %"
        intervals = INTERVALS if self.intervals_hold else NO_INTERVALS
        note = f"{intervals} {NOT_GUARANTEED}"
        if self.guaranteed and self.is_above:
            note = f"{INTERVALS} {above_told(self.delta + (1 - self.level) / 2, see)}"
        elif self.guaranteed:
            note = (
                f"{intervals} Alpha and delta are about the type I error in the population. The observed rate of a "
                "finite test set varies around it, and may exceed alpha with a probability larger than delta."
            )
        if self.one_per_cluster:
            note = (
                "One row of each cluster and class counts, drawn at random. The clusters must be independent, and none "
                f"of them may be one of the fit. {note}"
            )
        note = f"{self.note} {note}".strip()
        title, note = self._headed("Errors on new data", note)
        pairs = level_pairs(self, "alpha", "delta")
        columns = ["Error", "What", "Count", "Of", "Rate", f"{per} low", f"{per} high"]
        return summary_table(title, pairs, columns, rows, [note])


def above_told(chance: float, see: str, where: str = "") -> str:
    """Return what is said where the interval of the type I error lies above alpha, the probability of which is small.

    With probability at most delta the type I error is above alpha, and else the interval is with (1 - level) / 2.
    """
    return (
        f"The whole interval of the type I error lies above alpha{where}. Where class 0 is that of the fit, this "
        f"happens with probability at most {at_most(min(chance, 1.0))}. Are the labels swapped, or has class 0 "
        f"changed? {see}".rstrip()
    )


def with_known(evaluation, **known):
    """Return errors, or those of groups, with what is `known` of all their rows, such as why they are dependent."""
    if hasattr(evaluation, "overall"):
        parts = tuple(replace(part, **known) for part in evaluation.parts)
        return replace(evaluation, parts=parts, overall=replace(evaluation.overall, **known))
    return replace(evaluation, **known)


def outward(low, high):
    """Return an interval as two texts that are rounded outward."""
    return at_least(low, 4), at_most(high, 4)


def confusion(codes, predicted):
    """Return the rows of class 0 and of class 1, and how many of each are called by the other, as an array."""
    wrong = codes != predicted
    return np.array([np.sum(rows) for rows in (codes == 0, codes == 1, wrong & (codes == 0), wrong & (codes == 1))])


def count_errors(codes, predicted, **known):
    """Return the `Evaluation` of 0/1 predictions against 0/1 labels, with its level and those of the classifier."""
    return evaluation_of_counts(*confusion(codes, predicted).tolist(), **known)


def evaluation_of_counts(n0, n1, false1, false0, *, level, **known):
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
        **known,
    )
