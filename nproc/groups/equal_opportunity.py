"""Two thresholds that bound the type I error over all of class 0 and its difference between two groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import (
    Seed,
    check_choice,
    check_count,
    check_delta,
    check_level,
    check_scores,
    check_seed,
    shown,
    tells_names,
)
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.groups.equal_ranks import EqualLevels, best_pair, gap_tails, overall_tail
from nproc.groups.membership import codes_of_groups, encode_members, plain_labels, read_membership
from nproc.orderstat import clopper_pearson, round_up
from nproc.rows import check_same_rows, listed
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    rounded_up,
    short,
    summary_table,
    table_frame,
)
from nproc.thresholds import threshold_at

EQUAL_TIES = ("randomize", "refuse")
# of delta, what the interval of the share of a group may cost
SHARE_OF_DELTA = 0.1
# halvings of an interval of levels, and the most rows that a message speaks of, as a multiple of those there are
_HALVINGS, _MOST_ROWS = 40, 512


@dataclass(frozen=True, repr=False, eq=False)
class EqualThresholds(InNotebook):
    """Thresholds for two groups whose type I errors differ little; made by `np_equal_thresholds`.

    Attributes
    ----------
    groups : tuple
        The two groups.
    values, orders, n0 : ndarray, shape (2,)
        Threshold of each group, its rank among the class 0 scores of the group, and their number.
    tie_cuts : tuple of float or None
        A score equal to the threshold of its group is called class 1 when a fresh uniform number exceeds this cut. None
        with ``ties="refuse"``.
    alpha, delta : float
        The type I error over all of class 0 is at most `alpha` with probability at least 1 - `delta`.
    epsilon, gamma : float
        The type I errors of the groups differ by at most `epsilon` with probability at least 1 - `gamma`.
    shares : {"sample", "any", "known"}
        What was taken to be known of the shares of the groups in class 0.
    share_lower, share_upper : float
        Interval of the share of the first group for which alpha is kept.
    violation_rate : float
        Upper bound on the probability that the overall type I error exceeds `alpha`, at most `delta`. For shares from a
        sample it includes ``delta / 10``, the level of their interval.
    difference_violation_rate : float
        Probability that the difference exceeds `epsilon`, at most `gamma`: exact, rounded up by about 1e-9.
    type1_upper : float
        Upper bound on the overall type I error that holds with probability at least 1 - `delta`, at most `alpha`.
    difference_upper : float
        Upper bound on the difference that holds with probability at least 1 - `gamma`, at most `epsilon`.
    pilot : bool
        Whether the pair of ranks was chosen by pilot rows.
    """

    groups: tuple
    values: NDArray[np.float64]
    orders: NDArray[np.intp]
    n0: NDArray[np.intp]
    tie_cuts: tuple
    alpha: float
    delta: float
    epsilon: float
    gamma: float
    shares: str
    share_lower: float
    share_upper: float
    violation_rate: float
    difference_violation_rate: float
    type1_upper: float
    difference_upper: float
    pilot: bool = False

    @property
    def expected_type1(self) -> NDArray[np.float64]:
        """Mean of the type I error of each group over the draw of its class 0 scores, (n - k + 1) / (n + 1)."""
        return _expected(self.n0, self.orders)

    def __repr__(self):
        return (
            f"EqualThresholds(groups={list(self.groups)}, values={short(self.values)}, alpha={short(self.alpha)}, "
            f"epsilon={short(self.epsilon)}, violation_rate={rounded_up(self.violation_rate)}, "
            f"difference_violation_rate={rounded_up(self.difference_violation_rate)})\n"
            "  class 1 when score > value of the group: larger scores mean class 1"
        )

    def predict(self, scores: ArrayLike, groups: ArrayLike, *, random_state: Seed = None) -> NDArray[np.intp]:
        """Return 0/1 labels for `scores`: 1 where the score exceeds the threshold of its group.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, larger = more like class 1.
        groups : array-like, shape (n,)
            The group of each.
        random_state : None, int, Generator or RandomState
            Source of the uniform numbers for scores equal to a threshold; not used with ``ties="refuse"``.

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        InvalidInputError
            If a group has no threshold.
        """
        check_same_rows(scores=scores, groups=groups)
        scores = check_scores(scores, "scores")
        codes = codes_of_groups(groups, self.groups, scores.size)
        values = self.values[codes]
        above = scores > values
        if self.tie_cuts[0] is not None:
            uniform = np.random.default_rng(check_seed(random_state)).random(scores.size)
            above |= (scores == values) & (uniform > np.array(self.tie_cuts)[codes])
        return above.astype(np.int64)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a group: group, n0, order, threshold, tie_cut and expected_type1."""
        return table_frame(
            {
                "group": list(self.groups),
                "n0": self.n0,
                "order": self.orders,
                "threshold": self.values,
                "tie_cut": [np.nan if cut is None else cut for cut in self.tie_cuts],
                "expected_type1": self.expected_type1,
            }
        )

    def summary(self) -> Summary:
        """Return a table of the groups and notes on what is promised, as a summary of statsmodels."""
        share = (
            f"{self.share_lower:.4g}"
            if self.share_lower == self.share_upper
            else f"{self.share_lower:.3g} to {self.share_upper:.3g}"
        )
        pairs = [
            ("alpha, delta", f"{self.alpha:g}, {self.delta:g}"),
            ("epsilon, gamma", f"{self.epsilon:g}, {self.gamma:g}"),
            (f"Share of {self.groups[0]}", share),
            ("Violation rate", rounded_up(self.violation_rate, self.delta)),
            ("Violation, difference", rounded_up(self.difference_violation_rate, self.gamma)),
            ("Type I upper", rounded_up(self.type1_upper, self.alpha)),
            ("Difference upper", rounded_up(self.difference_upper, self.epsilon)),
            ("Ranks chosen by", "pilot rows" if self.pilot else "numbers alone"),
        ]
        columns = ["Group", "Class 0 left out", "Rank", "Threshold", "Mean type I"]
        rows = list(zip(map(str, self.groups), self.n0, self.orders, self.values, self.expected_type1, strict=True))
        where = "in both groups at once" if self.shares == "any" else "over all of class 0"
        notes = [
            "Predict class 1 when the score exceeds the threshold of its group: larger scores are taken to mean class "
            "1.",
            f"With probability at least {at_least(1 - self.delta)}, the type I error is at most {self.alpha:g} "
            f"{where}. With "
            f"probability at least {at_least(1 - self.gamma)}, the type I errors of the groups differ by at most "
            f"{self.epsilon:g}.",
            "Mean type I: the mean of the type I error of the group over the draw of its left-out class 0 rows.",
        ]
        return summary_table("Neyman-Pearson thresholds with equal opportunity", pairs, columns, rows, notes)

    def plot(
        self,
        scores0: ArrayLike,
        groups: ArrayLike,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the class 0 scores of both groups about their thresholds; return the Axes.

        Parameters
        ----------
        scores0, groups : array-like, shape (n,)
            Class 0 scores and the group of each, such as those that set the thresholds. Each group needs a row.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_group_scores

        check_same_rows(scores0=scores0, groups=groups)
        scores0 = check_scores(scores0, "scores0")
        codes = codes_of_groups(groups, self.groups, scores0.size)
        parts = [
            check_scores(scores0[codes == code], f"scores0 of group {group!r}")
            for code, group in enumerate(self.groups)
        ]
        return plot_group_scores([parts], self.values, self.groups, self.alpha, ax=ax, figsize=figsize)


@tells_names
def np_equal_thresholds(
    scores0: ArrayLike,
    groups: ArrayLike,
    *,
    alpha: float = 0.05,
    epsilon: float = 0.05,
    delta: float = 0.05,
    gamma: float = 0.05,
    shares: Literal["sample", "any"] | Mapping[Any, float] = "sample",
    n0_by_group: Mapping[Any, int] | None = None,
    pilot_scores: ArrayLike | None = None,
    pilot_groups: ArrayLike | None = None,
    pilot_y: ArrayLike | None = None,
    ties: Literal["randomize", "refuse"] = "randomize",
    random_state: Seed = None,
) -> EqualThresholds:
    r"""Set thresholds for two groups with a bounded type I error and a bounded difference of it between the groups.

    The rule "predict 1 when score > threshold of the group" has type I errors R_a and R_b in the two groups of class 0,
    and p R_a + (1 - p) R_b over all of class 0, where p is the share of group a. With probability at least 1 - `delta`,
    the type I error over all of class 0 is at most `alpha`. With probability at least 1 - `gamma`, \|R_a - R_b\| is at
    most `epsilon`. Both hold at once with probability at least 1 - `delta` - `gamma`.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of left-out class 0 points, finite; larger = more like class 1.
    groups : array-like, shape (n0,)
        The group of each, of any hashable type. There must be two groups.
    alpha : float
        Bound on the type I error over all of class 0, in (0, 1).
    epsilon : float
        Bound on the difference between the type I errors of the groups, in (0, 1).
    delta, gamma : float
        Bounds on the probabilities that the first and the second bound do not hold: delta in (0, 0.5], gamma in
        (0, 1).
    shares : {"sample", "any"} or mapping
        What is known of the shares of the groups in class 0. "sample": the class 0 rows are a random sample of class 0,
        so that their groups tell the shares. "any": nothing. Then the type I error is at most `alpha` in both groups at
        once, with probability at least 1 - `delta`. A mapping from each group to its share: they are known.
    n0_by_group : mapping, optional
        For ``shares="sample"``: how many class 0 rows of each group the random sample had, of which `scores0` are a
        part. Needed where a split by group decided how many are left out, as in `npc` with ``groups=``. None takes the
        numbers in `groups`.
    pilot_scores, pilot_groups, pilot_y : array-like, shape (m,), optional
        Scores, groups and labels (0 or 1) of other rows, such as the training rows, by which the pair of ranks is
        chosen: the pair with the smallest estimate of the type II error. The class 0 rows of `scores0` must not be
        among them. Scores of training rows are often too good, which makes the choice worse but not the guarantee.
    ties : {"randomize", "refuse"}
        What equal scores mean. "randomize": a score equal to the threshold is called class 1 with a probability that
        keeps the law of continuous scores. "refuse": equal class 0 scores of a group are an error, and no prediction is
        random. Conservative ties, as in `np_threshold`, are not offered: they lower the type I error of one group, and
        this can break the bound on the difference.
    random_state : None, int, Generator or RandomState
        Used only by ``ties="randomize"``.

    Returns
    -------
    EqualThresholds

    Raises
    ------
    TooFewSamplesError
        If no pair of ranks was found that meets both bounds. The message names values that would do.
    InvalidInputError
        If there are not two groups, a score is not finite, a level is not in (0, 1), or scores are tied with
        ``ties="refuse"``.

    See Also
    --------
    np_group_thresholds : a bound in each of any number of groups, with no bound on their difference.

    Notes
    -----
    Assumed: given the scoring function and the groups of the rows, the scores are independent, and those of one group
    have one distribution. How the groups differ does not matter.

    *The law.* Let the thresholds be the k_a-th and the k_b-th smallest of n_a and n_b scores. For continuous scores R_a
    and R_b are independent, with the laws Beta(n_a - k_a + 1, k_a) and Beta(n_b - k_b + 1, k_b), whatever the
    distributions. So

    .. math:: P(|R_a - R_b| > \epsilon) \quad\text{and}\quad P(p R_a + (1 - p) R_b > \alpha)

    are one-dimensional integrals of numbers. They are computed by Gauss-Legendre quadrature and rounded up by 1e-9
    (above 1e5 rows in a group by more, in proportion).

    *Ties.* With ``ties="randomize"`` every score s carries an independent uniform number u. The pairs (s, u) are
    compared in lexicographic order, and their distribution is continuous. The type I error of `predict`, over the new
    row and its fresh uniform number, is the probability that a new pair is above that of the threshold. So the law
    above holds exactly, ties or not. With conservative ties R_a would be smaller than this by the part of the tied mass
    that is above the pair. For the first bound this is harmless, for the second it is not: if the scores of group a are
    all equal, R_a is 0 and the difference is R_b.

    *The share.* With ``shares="sample"`` a Clopper-Pearson interval of p from the numbers of class 0 rows by group
    misses p with probability at most delta / 10. The pair of ranks has P(p R_a + (1 - p) R_b > alpha) <= 9/10 delta for
    all p in the interval, given the groups of the rows. So the overall type I error exceeds alpha with probability at
    most delta / 10 + 9/10 delta. With ``shares="any"`` the probability that the larger of R_a and R_b exceeds alpha is
    at most delta. It is 1 - (1 - v_a)(1 - v_b), where v is the violation rate of the rank.

    *The pair.* Of the pairs of ranks that meet both bounds the default is the one with the largest product of
    E(R_a)^w E(R_b)^(1 - w), where E(R_g) = (n_g - k_g + 1) / (n_g + 1) and w is the share of group a in the sample, or
    the known one. It depends on numbers only, never on a score, so that the laws above hold for the pair chosen. With
    pilot rows the pair has the smallest sum over groups of the share of class 1 pilot scores at or below the
    1 - E(R_g) quantile of the class 0 pilot scores of the group. Given the scoring function the pilot rows are
    independent of `scores0`, so that the laws hold given the pilot rows. To choose among pairs by a type II error *at
    the thresholds themselves* does not keep the promise: the thresholds are functions of `scores0`, and the pair chosen
    tends to be one whose thresholds are low by chance. (For 60 scores in each group, alpha = 0.2, epsilon = 0.15 and
    delta = gamma = 0.1 such a choice by 200 class 1 rows broke alpha in 0.117 of 4000 samples, more than delta.)

    A small `epsilon` is met by small type I errors, so that it costs type II error where rows are few:
    `expected_type1` shows it. Where the smaller group has more than 960 ranks to try, and no pair was found among 960
    of them, the search ends.

    References
    ----------
    [fan2023]_ has the two bounds and the idea of a pair of order statistics. Its abstract and introduction were read
    for this, its algorithms were not: the laws, the treatment of ties and of the share, and the choice of the pair
    are derived here.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat(["f", "m"], [200, 300])
    >>> scores0 = rng.normal(size=500) + (groups == "m")
    >>> equal = np_equal_thresholds(scores0, groups, alpha=0.1, epsilon=0.05)
    >>> equal.orders, equal.expected_type1.round(3)
    (array([185, 278]), array([0.08 , 0.076]))
    >>> round(equal.violation_rate, 4), round(equal.difference_violation_rate, 4)
    (0.0473, 0.0438)
    >>> equal.predict([2.0, 2.0], ["f", "m"])
    array([1, 0])
    """
    check_same_rows(scores0=scores0, groups=groups)
    scores0 = check_scores(scores0, "scores0")
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    epsilon, gamma = check_level(epsilon, "epsilon"), check_level(gamma, "gamma")
    check_choice(ties, "ties", EQUAL_TIES)
    members = read_membership(groups, "groups", scores0)[2]
    _check_two(members.values)
    counts = members.counts(slice(None))
    sizes = (int(counts[0]), int(counts[1]))
    levels, kind, weight = _levels(shares, n0_by_group, members.values, counts, alpha, delta, epsilon, gamma)
    pilot = _read_pilot(pilot_scores, pilot_groups, pilot_y, members.values, scores0)
    parts = members.parts(scores0, slice(None))
    if ties == "refuse":
        _refuse_ties(parts, members.values)
    if pilot is None:
        pair = _pair_by_numbers(sizes, levels, weight)
    else:
        pair = best_pair(sizes, levels, _worth_by_pilot(sizes, weight, pilot))
    if pair is None:
        raise TooFewSamplesError(_too_few(members.values, sizes, levels, delta))
    rng = np.random.default_rng(check_seed(random_state) if ties == "randomize" else None)
    how = "randomize" if ties == "randomize" else "conservative"
    rules = [threshold_at(own, k, alpha, delta, how, rng) for own, k in zip(parts, pair, strict=True)]
    cuts = [rule.value for rule in rules], [rule.tie_cut for rule in rules]
    return _at_ranks(members.values, *cuts, pair, sizes, levels, delta, kind, pilot is not None)


def equal_thresholds_at(groups, values, tie_cuts, orders, n0, *, alpha, delta, epsilon, gamma):
    """Return the thresholds at known ranks, as from a file, for ``shares="sample"``; refuse ranks that break a bound.

    Each argument by position is a pair. What is promised is worked out from the ranks alone.
    """
    _check_two(groups)
    levels, kind = _levels("sample", None, groups, np.array(n0), alpha, delta, epsilon, gamma)[:2]
    sizes, pair = tuple(n0), tuple(orders)
    # rounding may have decided where a rate and its level are equal
    overall = _overall_rate(sizes, pair, levels) / levels.delta
    if max(overall, _difference_rate(sizes, pair, levels) / gamma) > 1 + 1e-6:
        raise InvalidInputError(f"the ranks {list(pair)} of {list(sizes)} scores do not keep alpha and epsilon.")
    return _at_ranks(groups, values, tie_cuts, pair, sizes, levels, delta, kind, False)


def _at_ranks(groups, values, tie_cuts, pair, sizes, levels, delta, kind, pilot):
    overall, difference, type1_upper, difference_upper = _promises(sizes, pair, levels)
    return EqualThresholds(
        groups=groups,
        values=np.array(values),
        orders=np.array(pair),
        n0=np.array(sizes),
        tie_cuts=tuple(tie_cuts),
        alpha=levels.alpha,
        delta=delta,
        epsilon=levels.epsilon,
        gamma=levels.gamma,
        shares=kind,
        share_lower=levels.share_lower,
        share_upper=levels.share_upper,
        violation_rate=overall + _spent(kind, delta),
        difference_violation_rate=difference,
        type1_upper=type1_upper,
        difference_upper=difference_upper,
        pilot=pilot,
    )


def _spent(kind, delta):
    return SHARE_OF_DELTA * delta if kind == "sample" else 0.0


def _levels(shares, n0_by_group, values, counts, alpha, delta, epsilon, gamma):
    """Return the levels of the ranks, what is known of the shares, and the weight of the first group in the choice."""
    kind, weight, lower, upper = _read_shares(shares, n0_by_group, values, counts, delta)
    return EqualLevels(alpha, delta - _spent(kind, delta), epsilon, gamma, lower, upper), kind, weight


def _expected(sizes, orders):
    return (sizes - orders + 1.0) / (sizes + 1.0)


def _overall_rate(sizes, pair, levels):
    return float(overall_tail(sizes, tuple(np.array([k]) for k in pair), levels)[0])


def _difference_rate(sizes, pair, levels):
    one, other = gap_tails(sizes, tuple(np.array([k]) for k in pair), levels.epsilon)
    return float(one[0] + other[0])


# the same for all splits of a fit
@lru_cache(maxsize=256)
def _pair_by_numbers(sizes, levels, weight):
    return best_pair(sizes, levels, _worth_by_numbers(sizes, weight))


@lru_cache(maxsize=256)
def _promises(sizes, pair, levels):
    """Return both violation rates of a pair that meets the levels, and the upper bounds on what they are about."""
    return (
        _overall_rate(sizes, pair, levels),
        _difference_rate(sizes, pair, levels),
        _smallest_level(levels, "alpha", lambda at: _overall_rate(sizes, pair, at) <= at.delta),
        _smallest_level(levels, "epsilon", lambda at: _difference_rate(sizes, pair, at) <= at.gamma),
    )


def _smallest_level(levels, name, holds):
    """Return the smallest value of a level at which something holds, from above; it holds at the level itself."""
    low, high = 0.0, getattr(levels, name)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(replace(levels, **{name: middle})) else (middle, high)
    return high


def _worth_by_numbers(sizes, weight):
    """Return the logarithm of the mean type I error, geometric with the shares as weights, as a function of ranks."""
    return lambda k, j: weight * np.log(_expected(sizes[0], k)) + (1 - weight) * np.log(_expected(sizes[1], j))


def _worth_by_pilot(sizes, weight, pilot):
    """Return less the estimate of the type II error as a function of ranks; equal ones are ordered by the numbers."""
    by_numbers = _worth_by_numbers(sizes, weight)
    n1 = sum(part[1].size for part in pilot)

    def missed(code, orders):
        of_class0, of_class1 = pilot[code]
        cut = np.quantile(of_class0, 1 - _expected(sizes[code], orders), method="higher")
        return np.searchsorted(of_class1, cut, side="right")

    # the second term is less than half a row
    share = 1 / (2 + 2 * np.log1p(max(sizes)))
    return lambda k, j: (share * by_numbers(k, j) - missed(0, k) - missed(1, j)) / n1


def _check_two(values):
    if len(values) == 2:
        return
    way_out = (
        "Merge groups so that two are left, or use np_group_thresholds, which bounds the type I error in each."
        if len(values) > 2
        else "Use np_threshold, which needs no groups."
    )
    raise InvalidInputError(
        f"groups must have exactly two different values, because the difference of two groups is bounded, and it has "
        f"{len(values)}: "
        f"{listed(values)}. {way_out}",
        argument="groups",
    )


def _by_group(given, name, values):
    """Return the values of a mapping in the order of the groups."""
    if not isinstance(given, Mapping) or set(given) != set(values):
        raise InvalidInputError(
            f"{name} must be a mapping with the groups {listed(values)} as keys, got {shown(given)}.", argument=name
        )
    return [given[value] for value in values]


def _read_shares(shares, n0_by_group, values, counts, delta):
    """Return the kind, the weight of the first group in the choice, and the interval of its share."""
    if n0_by_group is not None and not (isinstance(shares, str) and shares == "sample"):
        raise InvalidInputError('n0_by_group is used only with shares="sample"; leave it out.', argument="n0_by_group")
    if isinstance(shares, Mapping):
        known = [check_level(share, "shares") for share in _by_group(shares, "shares", values)]
        if abs(sum(known) - 1) > 1e-9:
            raise InvalidInputError(f"shares must add up to 1, and they add up to {sum(known):g}.", argument="shares")
        return "known", known[0], known[0], known[0]
    if not isinstance(shares, str) or shares not in ("sample", "any"):
        raise InvalidInputError(
            f"shares must be 'sample', 'any' or a mapping from each group to its share, got {shown(shares)}.",
            argument="shares",
        )
    if n0_by_group is not None:
        total = [check_count(n, "n0_by_group") for n in _by_group(n0_by_group, "n0_by_group", values)]
        if np.any(np.array(total) < counts):
            raise InvalidInputError(
                f"n0_by_group must be at least the number of scores0 of each group, {counts.tolist()}, got {total}. It "
                "counts all class 0 rows of the sample.",
                argument="n0_by_group",
            )
        counts = np.array(total)
    n0 = int(counts.sum())
    weight = int(counts[0]) / n0
    if shares == "any":
        return "any", weight, 0.0, 1.0
    interval = clopper_pearson(int(counts[0]), n0, level=1 - SHARE_OF_DELTA * delta)
    return "sample", weight, float(interval.lower), float(interval.upper)


def _read_pilot(scores, groups, y, values, scores0):
    """Return the sorted class 0 and class 1 scores of the pilot rows of both groups; None without pilot rows."""
    given = {"pilot_scores": scores, "pilot_groups": groups, "pilot_y": y}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) == len(given):
        return None
    if missing:
        raise InvalidInputError(f"{missing[0]} is missing: pilot_scores, pilot_groups and pilot_y go together.")
    check_same_rows(**given)
    scores = check_scores(scores, "pilot_scores")
    codes = encode_members(plain_labels(groups, "pilot_groups"), values, "pilot_groups", scores.size)
    labels = check_scores(y, "pilot_y")
    if labels.size != scores.size or not np.isin(labels, (0, 1)).all():
        raise InvalidInputError(
            f"pilot_y must hold a 0 or a 1 for each of the {scores.size} pilot rows.", argument="pilot_y"
        )
    distinct = np.unique(scores0)
    if 2 * distinct.size > scores0.size and np.isin(distinct, scores[labels == 0]).all():
        raise InvalidInputError(
            "pilot_scores hold all of scores0. A pair of ranks chosen by the rows that set the thresholds has no "
            "guarantee; give other rows, such as those of the training.",
            argument="pilot_scores",
        )
    parts = [[np.sort(scores[(codes == code) & (labels == label)]) for label in (0, 1)] for code in (0, 1)]
    for value, part in zip(values, parts, strict=True):
        if not part[0].size or not part[1].size:
            raise InvalidInputError(
                f"the pilot rows of the group {value!r} have {part[0].size} row(s) of class 0 and {part[1].size} of "
                "class 1; at least one of each is needed.",
                argument="pilot_y",
            )
    return parts


def _refuse_ties(parts, values):
    for value, own in zip(values, parts, strict=True):
        n_distinct = np.unique(own).size
        if n_distinct < own.size:
            raise InvalidInputError(
                f"scores0 of the group {value!r} has {n_distinct} different values among {own.size}. With equal scores "
                "the bound on the difference requires ties='randomize'. Use it, or use a scorer with finer scores.",
                argument="ties",
            )


def _too_few(values, sizes, levels, delta):
    """Return the message for a pair that was not found, with levels and numbers of rows that would do."""

    def meets(at, times=1):
        many = (sizes[0] * times, sizes[1] * times)
        return best_pair(many, at, lambda k, j: np.zeros(np.shape(k)), most_rounds=1) is not None

    ways = []
    for name in ("epsilon", "alpha"):
        top = 0.999
        if meets(replace(levels, **{name: top})):
            low = getattr(levels, name)
            while top - low > 0.005 * top:
                middle = (low + top) / 2
                low, top = (low, middle) if meets(replace(levels, **{name: middle})) else (middle, top)
            ways.append(f"{name} >= {round_up(top)}")
    times = 2
    while times <= _MOST_ROWS and not meets(levels, times):
        times *= 2
    if times <= _MOST_ROWS:
        ways.append(f"{times} times as many class 0 rows of each group")
    counts = ", ".join(f"{value!r}: {n}" for value, n in zip(values, sizes, strict=True))
    would_do = f" Any of these would be enough: {'; '.join(ways)}." if ways else " Use larger levels, or more rows."
    return (
        f"no pair of ranks among the left-out class 0 scores ({counts}) was found that meets alpha={levels.alpha:g} "
        f"with delta={delta:g} and epsilon={levels.epsilon:g} with gamma={levels.gamma:g}.{would_do}"
    )
