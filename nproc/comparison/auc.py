"""Areas under ROC curves of scores of the same rows: intervals and tests by DeLong's covariance; approximate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from nproc.bands import NPROCBand
from nproc.checks import check_end_of_area, check_level, check_scores, tells_names
from nproc.comparison.bands import distinct_names, read_score_columns, warn_directions
from nproc.crossval import area_up_to, empirical_roc
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.orderstat import holm_adjusted
from nproc.score_direction import looks_like_labels, warn_direction, warn_labels
from nproc.tables import (
    DataFrame,
    InNotebook,
    ShortRepr,
    Summary,
    p_text,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)


@dataclass(frozen=True, repr=False)
class AUCInterval(ShortRepr):
    """The estimated AUC of one score, its standard error, and an approximate interval."""

    name: str
    auc: float
    std_error: float
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class AUCDifference(ShortRepr):
    """The AUC of one score minus that of another on the same rows, with an approximate interval and test."""

    first: str
    second: str
    difference: float
    std_error: float
    lower: float
    upper: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, repr=False, eq=False)
class AUCComparison(InNotebook):
    """AUCs of scores and their differences; made by `compare_aucs`.

    Attributes
    ----------
    aucs : tuple of AUCInterval
        One for each method.
    differences : tuple of AUCDifference
        One for each pair of methods.
    covariance : ndarray, shape (K, K)
        Estimated covariance of the AUCs.
    level : float
        Coverage that each interval aims at.
    n0, n1 : int
        Rows of each class.
    bands : tuple of NPROCBand
        The bands whose left-out scores these are; empty for scores.
    """

    aucs: tuple
    differences: tuple
    covariance: NDArray[np.float64]
    level: float
    n0: int
    n1: int
    bands: tuple = ()

    def __repr__(self):
        shown = ", ".join(f"{a.name} {a.auc:.4f} [{rounded_down(a.lower)}, {rounded_up(a.upper)}]" for a in self.aucs)
        return f"AUCComparison({shown}; approximate, level={self.level:g}, n0={self.n0}, n1={self.n1})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each AUC and one for each difference of two.

        Columns: kind ("auc" or "difference"), first, second, estimate, std_error, lower, upper, p_value, p_adjusted. In
        the row of an AUC, `first` is the method, `second` is empty and there is no p-value.
        """
        rows = [("auc", a.name, "", a.auc, a.std_error, a.lower, a.upper, math.nan, math.nan) for a in self.aucs]
        rows += [("difference", *astuple(difference)) for difference in self.differences]
        names = ("kind", "first", "second", "estimate", "std_error", "lower", "upper", "p_value", "p_adjusted")
        return table_frame({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})

    def summary(self) -> Summary:
        """Return a table of the AUCs and of their differences that prints like those of statsmodels."""
        percent = f"{100 * self.level:g}%"
        pairs = [("Class 0 scores", self.n0), ("Class 1 scores", self.n1), ("Level", f"{self.level:g}")]
        columns = ["AUC", "Estimate", "Std. err.", f"{percent} low", f"{percent} high", "p", "p adj."]
        rows = [(a.name, a.auc, a.std_error, rounded_down(a.lower), rounded_up(a.upper), "", "") for a in self.aucs]
        rows += [
            (
                *(f"{d.first} - {d.second}", d.difference, d.std_error),
                *(rounded_down(d.lower), rounded_up(d.upper), p_text(d.p_value), p_text(d.p_adjusted)),
            )
            for d in self.differences
        ]
        notes = [
            "All numbers are approximate: DeLong's covariance and the normal law. An AUC averages over all type I "
            "errors, also those that you would never allow; nproc.compare compares at each alpha."
        ]
        if self.differences:
            notes.append("p adj. is adjusted by Holm's procedure for all pairs; each interval covers one number.")
        return summary_table("Areas under ROC curves, approximate", pairs, columns, rows, notes)

    def _in_methods_section(self, known, rows):
        """Return how the AUCs were found, as a sentence, the keys of the papers, and the names of the methods.

        `rows` are the rows if they are not the left-out ones of the fit.
        """
        where = f" on {rows}" * bool(rows)
        names = tuple(one.name for one in self.aucs)
        percent, papers = f"{100 * self.level:g} %", ("delong1988", "sun2014")
        source = "(DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014)"
        if not self.differences:
            said = f"The AUC of {names[0]}{where} has an approximate {percent} interval by DeLong's method {source}."
            return said, papers, names
        what = f"AUCs{where} and their differences have approximate {percent} intervals and tests"
        told = f"{what} by DeLong's method {source}"
        if len(self.differences) == 1:
            return f"{told}.", papers, names
        return f"{told}, with p-values adjusted by Holm's procedure (Holm 1979).", (*papers, "holm1979"), names


@tells_names
def compare_aucs(
    scores0: ArrayLike | NPROCBand | Sequence[NPROCBand] | Mapping[str, NPROCBand],
    scores1: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> AUCComparison:
    r"""Estimate the AUC of one or more scores, and test their differences on the same rows, by DeLong's method.

    Parameters
    ----------
    scores0, scores1 : array-like or DataFrame, shape (n0,) or (n0, K), and (n1,) or (n1, K)
        Scores of class 0 and class 1 rows that no method has seen: a row an observation, a column a method. In place of
        both you may give a band of one split, or a list or dict of bands that left out the same rows, such as the
        result of `nproc_bands`. The AUCs are then those of the fitted scores, from the left-out rows.
    names : sequence of str, optional
        Names of the methods; None takes those of the bands or of the columns of a DataFrame, or numbers.
    level : float
        Coverage that each interval aims at, in (0, 1).

    Returns
    -------
    AUCComparison

    Raises
    ------
    InvalidInputError
        If the tables do not fit each other, if a number is missing or infinite, if a band has several splits, or if
        bands left out different rows.
    TooFewSamplesError
        If a class has fewer than two rows.

    Warns
    -----
    NPWarning
        If the classes do not overlap: the estimated variance is then 0, and the interval says nothing. If the given
        scores of a method are clearly larger for class 0 than for class 1.

    See Also
    --------
    compare_scores : At which alpha one score is better, proved for finite samples.
    partial_auc : The area up to a type I error.

    Notes
    -----
    The AUC is :math:`P(S_1 > S_0) + P(S_1 = S_0) / 2` for scores of one row of each class. Let :math:`V_{0i}` be the
    share of class 1 scores above the class 0 score i, and :math:`V_{1j}` the share of class 0 scores below the class 1
    score j, where ties count half. The average of either is the estimate, and

    .. math:: \widehat{\mathrm{cov}} = \frac{\mathrm{cov}(V_0)}{n_0} + \frac{\mathrm{cov}(V_1)}{n_1}

    estimates the covariance of the AUCs of K methods. Intervals are cut off at 0 and 1. None of this holds exactly for
    finite samples. A lower bound that does is ``nproc(..., band="simultaneous").auc_lower``.

    References
    ----------
    [delong1988]_, by the ranks of [sun2014]_.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> noise0, noise1 = rng.normal(size=(2, 200, 2))
    >>> result = compare_aucs(noise0, noise1 + [2, 1], names=["clear", "noisy"])
    >>> result
    AUCComparison(clear 0.9281 [0.9038, 0.9525], noisy 0.7610 [0.7145, 0.8076]; approximate, level=0.95, n0=200, n1=200)
    """
    level = check_level(level, "level")
    if isinstance(scores1, NPROCBand):
        raise InvalidInputError(
            "compare_aucs takes bands as one list or dict, and scores1 is a band. Write compare_aucs([a, b]).",
            argument="scores1",
        )
    bands: tuple = ()
    if scores1 is None:
        bands, names = _bands_of_one_split(scores0, names)
        scores0, scores1 = _left_out_scores(bands)
    if looks_like_labels(scores0, scores1) is not None:
        raise InvalidInputError(
            "compare_aucs takes the scores of the class 0 rows and those of the class 1 rows, and one of scores0 and "
            "scores1 looks like labels. With scores s and labels y: compare_aucs(s[y == 0], s[y == 1])."
        )
    columns0, columns1, names = read_score_columns(scores0, scores1, names, least=1)
    n0, n1 = columns0[0].size, columns1[0].size
    if min(n0, n1) < 2:
        raise TooFewSamplesError(f"a variance needs at least two rows of each class, got n0={n0} and n1={n1}.")
    if not bands:
        # those of bands were told when they were made
        warn_directions(columns0, columns1, names)
    parts = [_placements(*pair) for pair in zip(columns0, columns1, strict=True)]
    above, below = (np.array(part) for part in zip(*parts, strict=True))
    covariance = np.atleast_2d(np.cov(above)) / n0 + np.atleast_2d(np.cov(below)) / n1
    width = norm.isf((1 - level) / 2)
    values = below.mean(axis=1)
    apart = [name for name, value in zip(names, values, strict=True) if value in (0, 1)]
    if apart:
        warn_at_call(
            f"the scores of the two classes do not overlap for {', '.join(map(repr, apart))}. The estimated standard "
            "error is then 0, and the interval says nothing. For a bound that holds, use "
            "nproc(..., band='simultaneous').auc_lower.",
            NPWarning,
        )
    errors = np.sqrt(np.diag(covariance))
    aucs = tuple(
        AUCInterval(name, float(value), float(error), max(0.0, value - width * error), min(1.0, value + width * error))
        for name, value, error in zip(names, values, errors, strict=True)
    )
    return AUCComparison(aucs, _differences(names, values, covariance, width), covariance, level, n0, n1, bands)


@tells_names
def partial_auc(scores0: ArrayLike, scores1: ArrayLike, fpr_max: float) -> float:
    """Estimate the area under the ROC curve of a score from 0 to an empirical type I error.

    A perfect score has the area `fpr_max`. This is the partial AUC of pROC without a correction.
    `NPROCBand.partial_auc` has bounds.

    Parameters
    ----------
    scores0, scores1 : array-like of float, shape (n0,) and (n1,)
        Scores of class 0 and class 1 rows that the score was not trained on; larger scores mean class 1.
    fpr_max : float
        In (0, 1).

    Returns
    -------
    float
        The area. Tied scores of the two classes are joined by a straight line.

    Warns
    -----
    NPWarning
        If `scores0` and `scores1` look like the labels and the scores of the same rows, or the scores of class 1 are
        clearly smaller than those of class 0.

    Examples
    --------
    >>> partial_auc([0.1, 0.2, 0.3, 0.6], [0.4, 0.5, 0.7, 0.8], 0.25)
    0.125
    """
    scores0, scores1 = check_scores(scores0, "scores0"), check_scores(scores1, "scores1")
    warn_labels(scores0, scores1, "partial_auc")
    warn_direction(scores0, scores1, "of scores0, class 0, and scores1, class 1", "")
    y = np.repeat([0, 1], [scores0.size, scores1.size])
    fpr, tpr = empirical_roc(y, np.concatenate([scores0, scores1]))
    return area_up_to(fpr, tpr, check_end_of_area(fpr_max, "fpr_max"))


def _bands_of_one_split(bands, names):
    """Return bands as a tuple, checked, and their names."""
    if isinstance(bands, Mapping):
        names, bands = list(bands) if names is None else names, list(bands.values())
    bands = [bands] if isinstance(bands, NPROCBand) else bands
    if not isinstance(bands, list | tuple) or not bands or not all(isinstance(band, NPROCBand) for band in bands):
        raise InvalidInputError(
            "compare_aucs needs scores0 and scores1, or in their place bands of one split, such as the result of "
            "nproc_bands.",
            argument="scores1",
        )
    if any(band.n_splits > 1 for band in bands):
        raise InvalidInputError(
            "compare_aucs requires bands of one split, because the scores of several splits come from different models "
            f"and overlap in their rows; got {max(band.n_splits for band in bands)} splits. Make the bands with "
            "n_splits=1.",
            argument="scores0",
        )
    return tuple(bands), distinct_names(bands, names)


def _left_out_scores(bands):
    """Return the left-out scores of each class, a column for each band."""
    if len(bands) == 1:
        return bands[0].sorted0[0], bands[0].sorted1[0]
    if any(not band.scored for band in bands) or len({band.scored[0].rows for band in bands}) > 1:
        raise InvalidInputError(
            "compare_aucs compares bands that left out the same rows, as those of nproc_bands do. Here the rows differ "
            "or the bands are from raw scores and do not keep the order of the rows. Give the scores themselves, one "
            "column a method, or one band at a time.",
            argument="scores0",
        )
    if len({tuple(band.subject.labels.tolist()) for band in bands}) > 1:
        raise InvalidInputError("all bands must have the same class0; make them again with the same class0.")
    columns = [[getattr(band.scored[0], name) for band in bands] for name in ("scores0", "scores1")]
    return np.column_stack(columns[0]), np.column_stack(columns[1])


def _placements(scores0, scores1):
    """Shares of class 1 scores above each class 0 score, and of class 0 scores below each class 1 score."""
    n0, n1 = scores0.size, scores1.size
    ranks = rankdata(np.concatenate([scores0, scores1]))
    return 1 - (ranks[:n0] - rankdata(scores0)) / n1, (ranks[n0:] - rankdata(scores1)) / n0


def _differences(names, values, covariance, width):
    pairs = list(combinations(range(len(names)), 2))
    found = []
    for i, j in pairs:
        difference = float(values[i] - values[j])
        # rounding may leave a difference of equal scores a variance below 0
        error = math.sqrt(max(0.0, covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))
        p_value = float(2 * norm.sf(abs(difference) / error)) if error > 0 else float(difference == 0)
        found.append((difference, error, difference - width * error, difference + width * error, p_value))
    adjusted = holm_adjusted(np.array([row[-1] for row in found])) if found else []
    return tuple(
        AUCDifference(names[i], names[j], *map(float, row), float(p))
        for (i, j), row, p in zip(pairs, found, adjusted, strict=True)
    )
