"""Thresholds that control the type I error in every group of class 0 at once: separate ones, or one for all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import (
    Seed,
    check_choice,
    check_delta,
    check_flag,
    check_level,
    check_scores,
    check_seed,
    level_text,
    tells_names,
)
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.groups.membership import codes_of_groups, read_membership
from nproc.orderstat import min_class0_size, np_order, round_up
from nproc.rows import check_same_rows
from nproc.splitting import n_left_out, rows_in_all, said
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    level_pairs,
    rounded_up,
    short,
    summary_table,
    table_frame,
)
from nproc.thresholds import TIED_SCORE, TIES, OfRules, Threshold, threshold_at


def group_level(delta, n_groups, pooled):
    """Return the bound on the probability of a violation that the rank of each group must meet.

    Examples
    --------
    >>> round(group_level(0.05, 4, False), 5), group_level(0.05, 4, True)
    (0.01274, 0.05)
    """
    return delta if pooled or n_groups == 1 else -math.expm1(math.log1p(-delta) / n_groups)


def check_group_sizes(values, counts, alpha, delta, pooled, *, split_ratio=None):
    """Raise if a group leaves out too few of its `counts` class 0 rows, naming the smallest and what would do."""
    smallest = int(np.argmin(counts))
    count = int(counts[smallest])
    sizes = ", ".join(f"{value!r}: {n}" for value, n in list(zip(values, counts.tolist(), strict=True))[:12])
    sizes = f"class 0 rows by group: {sizes}{', ...' if len(values) > 12 else ''}"
    if count == 0:
        raise TooFewSamplesError(
            f"the group {values[smallest]!r} has no class 0 row, so its type I error cannot be bounded ({sizes}). "
            "Leave its rows out, or merge it with another group."
        )
    each = group_level(delta, len(values), pooled)
    needed = min_class0_size(alpha, each)
    n_left = count if split_ratio is None else n_left_out(count, split_ratio, alpha, each)
    if split_ratio is not None and n_left == count:
        raise TooFewSamplesError(
            f"split_ratio={said(split_ratio)} leaves none of the {count} class 0 row(s) of the group "
            f"{values[smallest]!r} for training, and each group needs one; give a larger split_ratio ({sizes})."
        )
    if n_left >= needed:
        return
    at = f"alpha={alpha:g} with delta={delta:g}"
    if not pooled and len(values) > 1:
        at += f" (each of the {len(values)} groups at delta={each:.4g}, so that all hold at once)"
    taken = (
        ""
        if split_ratio is None
        else f", of which split_ratio={said(split_ratio)} leaves out {n_left} for its threshold"
    )
    in_all = (
        "" if split_ratio is None else f", which takes {rows_in_all(needed, split_ratio, alpha, each)} in the group"
    )
    ways = _ways_out(values, counts, alpha, delta, pooled, split_ratio)
    what = f"Any of these would be enough: {'; '.join(ways)}" if ways else "Collect more class 0 rows, or merge groups"
    raise TooFewSamplesError(
        f"the group {values[smallest]!r} has {count} class 0 row(s){taken}; {at} needs at least {needed} left "
        f"out{in_all}. {what}. In all, {sizes}."
    )


def _ways_out(values, counts, alpha, delta, pooled, split_ratio):
    # single changes after which every group has enough class 0 rows, and no others

    def enough(counts, alpha, level, ratio=split_ratio):
        left = [n if ratio is None else n_left_out(n, ratio, alpha, level) for n in counts]
        trained = ratio is None or all(k < n for k, n in zip(left, counts, strict=True))
        return trained and min(left) >= min_class0_size(alpha, level)

    counts, n_groups = counts.tolist(), len(values)
    each = group_level(delta, n_groups, pooled)
    n_left = min(counts) if split_ratio is None else n_left_out(min(counts), split_ratio, alpha, each)
    least = round_up(-math.expm1(math.log(each) / n_left)) if n_left else "1"
    ways = [f"alpha >= {least}"] if float(least) < 1 and enough(counts, float(least), each) else []
    if not pooled and n_groups > 1 and enough(counts, alpha, delta):
        ways.append(f"one threshold for all groups (pooled, where {min_class0_size(alpha, delta)} left out are enough)")
    if split_ratio is not None:
        smaller = math.floor(1000 * (1 - min_class0_size(alpha, each) / min(counts))) / 1000
        ways += [f"split_ratio={smaller}"] if smaller > 0 and enough(counts, alpha, each, smaller) else []
    if n_groups > 1:
        # no other pair leaves the smallest group larger
        first, second, *others = np.argsort(counts, kind="stable")
        merged = [counts[first] + counts[second], *(counts[j] for j in others)]
        if enough(merged, alpha, group_level(delta, n_groups - 1, pooled)):
            ways.append(f"merging the groups {values[first]!r} and {values[second]!r}")
    return ways


@dataclass(frozen=True, repr=False, eq=False)
class GroupThresholds(InNotebook):
    """Thresholds on scores that control the type I error of every group; made by `np_group_thresholds`.

    Attributes
    ----------
    groups : tuple
        The groups.
    rules : tuple of Threshold
        The threshold that the class 0 scores of each group alone give, at `group_delta`.
    pooled : bool
        Whether one threshold, the largest of `rules`, serves all groups.
    alpha, delta : float
        Type I error at most `alpha` in all groups at once, with probability at least 1 - `delta`.
    group_delta : float
        Bound on the probability of a violation that the rank of each group must meet. It is
        ``1 - (1 - delta) ** (1 / G)`` for separate thresholds, and `delta` itself for a pooled one.
    values : ndarray, shape (G,)
        The threshold that is used in each group.
    orders, n0 : ndarray of int, shape (G,)
        Rank of each group's own threshold, and number of its class 0 scores.
    violation_rates : ndarray, shape (G,)
        The probability that the type I error of the group is above `alpha`. For a pooled threshold it is an upper bound
        on this probability.
    violation_rate : float
        The probability that the type I error of *some* group is above `alpha`, at most `delta`. Separate thresholds:
        one minus the product of 1 - `violation_rates`, which is exact for continuous scores. A pooled threshold: the
        largest of the `violation_rates`, which is an upper bound on the probability.
    type1_uppers : ndarray, shape (G,)
        Upper bounds on the type I errors of the groups, at most `alpha`, which hold all at once with probability
        1 - `delta`. For a pooled threshold all are the largest of the bounds of the groups.
    setter : group or None
        The group whose threshold is the pooled one; None for separate thresholds.
    """

    groups: tuple
    rules: tuple[Threshold, ...]
    pooled: bool
    alpha: float
    delta: float
    group_delta: float

    @property
    def used(self) -> tuple[Threshold, ...]:
        """The `Threshold` that is used in each group."""
        if not self.pooled:
            return self.rules
        return (self.rules[self._set_by],) * len(self.rules)

    @property
    def _set_by(self):
        # with randomised ties a score comes with a uniform number, and the pairs are in lexicographic order
        keys = [(rule.value, rule.tie_cut or 0.0) for rule in self.rules]
        return keys.index(max(keys))

    @property
    def setter(self) -> Any:
        return self.groups[self._set_by] if self.pooled else None

    @property
    def values(self) -> NDArray[np.float64]:
        return np.array([rule.value for rule in self.used])

    orders = OfRules("order")
    n0 = OfRules("n0")
    violation_rates = OfRules("violation_rate")

    @property
    def violation_rate(self) -> float:
        rates = self.violation_rates
        return float(np.max(rates) if self.pooled else -np.expm1(np.sum(np.log1p(-rates))))

    @property
    def type1_uppers(self) -> NDArray[np.float64]:
        own = np.array([rule.type1_upper for rule in self.rules])
        return np.full(own.size, own.max()) if self.pooled else own

    def __repr__(self):
        kind = "pooled" if self.pooled else "separate"
        return (
            f"GroupThresholds({kind}, {len(self.groups)} groups, alpha={short(self.alpha)}, delta={short(self.delta)}, "
            f"values={short(self.values)}, violation_rate={rounded_up(self.violation_rate)})\n"
            "  class 1 when score > value: larger scores mean class 1"
        )

    def predict(
        self, scores: ArrayLike, groups: ArrayLike | None = None, *, random_state: Seed = None
    ) -> NDArray[np.intp]:
        """Return 0/1 labels for `scores`: 1 where the score exceeds the threshold of its group.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, larger = more like class 1.
        groups : array-like, shape (n,), optional
            The group of each; not needed for a pooled threshold.
        random_state : None, int, Generator or RandomState
            Source of the uniform numbers of a randomised rule; not used otherwise.

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        InvalidInputError
            If a group was not there when the thresholds were set, or groups are needed and missing.
        """
        check_same_rows(scores=scores, groups=groups)
        scores = check_scores(scores, "scores")
        if self.pooled:
            return self.used[0].predict(scores, random_state=random_state)
        if groups is None:
            raise InvalidInputError("groups is missing: separate thresholds need the group of every score.")
        codes = codes_of_groups(groups, self.groups, scores.size)
        rng = np.random.default_rng(check_seed(random_state))
        labels = np.zeros(scores.size, dtype=np.int64)
        for code, rule in enumerate(self.rules):
            chosen = codes == code
            if chosen.any():
                labels[chosen] = rule.predict(scores[chosen], random_state=rng)
        return labels

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a group: group, n0, order, own_threshold, threshold, and what they promise."""
        return table_frame(
            {
                "group": list(self.groups),
                "n0": self.n0,
                "order": self.orders,
                "own_threshold": [rule.value for rule in self.rules],
                "threshold": self.values,
                "violation_rate": self.violation_rates,
                "type1_upper": self.type1_uppers,
            }
        )

    def summary(self) -> Summary:
        """Return a table of the groups and notes on what is promised, as a summary of statsmodels."""
        pairs = [
            ("Thresholds", kind_of_threshold(self.pooled)),
            ("Groups", len(self.groups)),
            *level_pairs(self, "alpha", "delta"),
            ("delta of each group", f"{self.group_delta:.4g}"),
            ("Violation rate, any group", rounded_up(self.violation_rate, self.delta)),
        ]
        notes = [
            "Predict class 1 when the score exceeds the threshold of its group: larger scores are taken to mean class "
            "1.",
            *group_promise(len(self.groups), self.pooled, self.alpha, self.delta),
        ]
        if self.pooled:
            notes[0] = "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1."
            notes[2] += f" The threshold was computed from the group {self.setter}. {OWN_RANKS}"
        if any(rule.tie_cut is not None for rule in self.used):
            notes[0] += TIED_SCORE
        return summary_table("Neyman-Pearson thresholds by group", pairs, GROUP_COLUMNS, group_rows(self), notes)


@tells_names
def np_group_thresholds(
    scores0: ArrayLike,
    groups: ArrayLike,
    *,
    alpha: float = 0.05,
    delta: float = 0.05,
    pooled: bool = False,
    ties: Literal["conservative", "randomize"] = "conservative",
    random_state: Seed = None,
) -> GroupThresholds:
    r"""Set thresholds with type I error at most `alpha` in all groups, with probability at least 1 - `delta`.

    The rule "predict 1 when score > threshold of the group" has type I errors R_g = P(predict 1 | class 0, group g),
    and what is controlled is their largest.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of left-out class 0 points, finite; larger = more like class 1.
    groups : array-like, shape (n0,)
        The group of each, of any hashable type.
    alpha : float
        Bound on the type I error of every group, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha` in one group or more.
    pooled : bool
        One threshold for all groups, the largest of theirs, so that the group of a new point need not be known.
    ties : {"conservative", "randomize"}
        What a score equal to a threshold means, see `np_threshold`.
    random_state : None, int, Generator or RandomState
        Used only by ``ties="randomize"``.

    Returns
    -------
    GroupThresholds

    Raises
    ------
    TooFewSamplesError
        If a group has too few scores; the message names it.
    InvalidInputError
        If a score is not finite, a group is missing, or a level is not in (0, 1).

    See Also
    --------
    np_threshold : one sample without groups.
    npc : with ``groups=``, scorer, thresholds and classifier in one.

    Notes
    -----
    Assumed: given the scoring function and the groups, the scores are independent, and those of one group have one
    distribution. Nothing is assumed about how the groups differ or how large they are.

    *Separate thresholds.* The rank of each group is the smallest with v(k) <= 1 - (1 - delta)^(1/G). The threshold of a
    group is a function of its own scores alone, so that the G events "type I error of group g at most alpha" are
    independent, and each has probability at least 1 - v_g (Proposition 1; exactly that for continuous scores). All
    occur with probability at least the product of 1 - v_g >= ((1 - delta)^(1/G))^G = 1 - delta.

    *Pooled threshold.* Each group takes the rank of `delta` itself, and c is the largest of the thresholds T_g. Let q_g
    be the smallest t with P(score > t | class 0, group g) <= alpha, and g* the group, fixed by the distributions, with
    the largest q_g. The type I error of group g exceeds alpha exactly where c < q_g. If some group fails, then
    T_g* <= c < q_g <= q_g*, so that T_g* fails its own group g*, which by Proposition 1 happens with
    probability at most v(k_g*) <= delta. There is no price for the number of groups, since only the worst can fail, nor
    need groups be independent of each other. The price is paid by the groups other than g*, whose type I
    error is lower than it need be, and where groups have the same distribution by all of them. The largest
    of the bounds u_g of the groups (`type1_upper`) holds for all of them, by the same argument with max u_g for alpha.

    The number of groups must not be chosen by looking at the scores.

    References
    ----------
    Proposition 1 of [tong2018]_, in each group.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat(["a", "b"], [300, 200])
    >>> scores0 = rng.normal(size=500) + (groups == "b")
    >>> np_group_thresholds(scores0, groups, alpha=0.1).values.round(2)
    array([1.49, 2.46])
    >>> np_group_thresholds(scores0, groups, alpha=0.1, pooled=True).setter
    'b'
    """
    check_same_rows(scores0=scores0, groups=groups)
    scores0 = check_scores(scores0, "scores0")
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    check_choice(ties, "ties", TIES)
    pooled = check_flag(pooled, "pooled")
    members = read_membership(groups, "groups", scores0)[2]
    check_group_sizes(members.values, members.counts(slice(None)), alpha, delta, pooled)
    seed = check_seed(random_state) if ties == "randomize" else None
    parts = members.parts(scores0, slice(None))
    return thresholds_by_group(parts, members.values, alpha, delta, pooled, ties, seed)


def thresholds_by_group(parts, values, alpha, delta, pooled, ties, seed):
    """Return the `GroupThresholds` of the checked scores of each of the groups `values`; the seed is for ties."""
    each, rng = group_level(delta, len(values), pooled), np.random.default_rng(seed)
    rules = tuple(threshold_at(own, np_order(own.size, alpha, each), alpha, each, ties, rng) for own in parts)
    return GroupThresholds(values, rules, pooled, alpha, delta, each)


def group_rows(rule):
    """Return the rows of a table of `GroupThresholds`."""
    rates = [rounded_up(rate, rule.delta) for rate in rule.violation_rates]
    uppers = [rounded_up(upper, rule.alpha) for upper in rule.type1_uppers]
    return list(zip(map(str, rule.groups), rule.n0, rule.orders, rule.values, rates, uppers, strict=True))


def kind_of_threshold(pooled):
    return "one for all groups" if pooled else "separate"


GROUP_COLUMNS = ["Group", "Class 0 left out", "Rank", "Threshold", "Violation rate", "Type I upper"]


# of one threshold for all groups
OWN_RANKS = (
    "Rank: the rank of the group's own threshold among the scores of the group. The threshold shown is the common one; "
    "fewer scores of the group may exceed it."
)


def group_promise(n_groups, pooled, alpha, delta, each_split="", premise=""):
    """Return what holds in all groups, under a `premise` that is not met, and what the columns of a table show."""
    each = f"{group_level(delta, n_groups, pooled):.4g}"
    how = (
        "The threshold is the largest of the groups' thresholds. Each of them uses delta itself. This is enough: if "
        "the type I error is at most alpha in the group with the largest upper alpha quantile, it is so in all groups."
        if pooled
        else f"The left-out rows of different groups are independent. With {n_groups} groups, each threshold therefore "
        f"uses 1 - (1 - delta)^(1/{n_groups}) = {each} in place of delta."
    )
    how *= n_groups > 1
    return [
        f"{f'{premise}the type I error would be' if premise else 'The type I error is'} at most {level_text(alpha)} "
        f"in all groups at once with probability at least "
        f"{at_least(1 - delta)} over the draw of the left-out class 0 rows{each_split} (Proposition 1). {how}".rstrip(),
        "Violation rate: an upper bound on the probability that the type I error of this group is above alpha. "
        "Type I upper: with probability at least 1 - delta these bounds hold in all groups at once.",
    ]
