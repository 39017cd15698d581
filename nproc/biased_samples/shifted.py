"""A threshold for a class 0 that will come in other proportions than the rows at hand, by known or bounded weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from nproc.biased_samples.coins import LEVELS, averaged_cut, drawn_cut
from nproc.checks import (
    SMALLEST_LEVEL,
    Seed,
    as_floats,
    check_choice,
    check_delta,
    check_flag,
    check_level,
    check_number,
    check_scores,
    check_seed,
    level_text,
    refuse_bad_seed,
    rows_in,
    tells_names,
)
from nproc.errors import FirstRowError, InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.orderstat import min_class0_size, np_order, violation_rate
from nproc.score_chunks import mixture_of
from nproc.tables import (
    Axes,
    DataFrame,
    Summary,
    at_least,
    format_percent,
    rounded_up,
    short,
    summary_table,
    table_frame,
)
from nproc.thresholds import ScoreCut

COINS = ("drawn", "averaged")
# a weight may exceed weight_max by this much of it, which is rounding
_ROUNDING = 1e-12
NO_PROMISE = "The weights are estimated: nothing is promised of the type I error."


@dataclass(frozen=True, repr=False)
class ShiftedThreshold(ScoreCut):
    """A threshold on scores for a shifted class 0: predict class 1 when ``score > value``.

    Attributes
    ----------
    value : float
        The threshold, one of the class 0 scores.
    n0 : int
        Number of class 0 scores.
    alpha, delta : float
        Type I error in the shifted class 0 at most `alpha` with probability at least 1 - `delta`.
    coins : {"drawn", "averaged", "none"}
        How rows were kept; "none" with one interval for all rows, which needs no coins.
    n_kept : int or None
        How many rows the coins kept; all of them without coins. None where the coins are averaged.
    order : int or None
        The rank of `value` among the rows kept. None where the coins are averaged.
    violation_rate : float or None
        Bound on the probability that the type I error exceeds `alpha`, at most `delta`. For known weights and
        drawn coins it is the probability itself, for continuous scores, given `n_kept`. None for estimated weights.
    share_kept : float
        Share of the rows that the coins keep on average over their outcomes, by the lower ends of intervals.
    effective_size : float or None
        (sum of the weights)^2 / (sum of their squares). None for intervals.
    weight_max : float
        The bound on the weights.
    interval : bool
        Whether the weights were given as intervals.
    estimated : bool
        Whether the weights were estimated, so that nothing is promised.
    """

    value: float
    n0: int
    alpha: float
    delta: float
    coins: str
    n_kept: int | None
    order: int | None
    violation_rate: float | None
    share_kept: float
    effective_size: float | None
    weight_max: float
    interval: bool
    estimated: bool

    def __repr__(self):
        how = (
            f"coins averaged over n0={self.n0}"
            if self.order is None
            else f"order={self.order} of {self.n_kept} kept of n0={self.n0}"
        )
        rate = "" if self.violation_rate is None else f", violation_rate={rounded_up(self.violation_rate)}"
        warned = "nothing is promised: estimated weights; " if self.estimated else ""
        return (
            f"ShiftedThreshold(value={short(self.value)}, {how}, alpha={short(self.alpha)}, "
            f"delta={short(self.delta)}{rate})\n  {warned}class 1 when score > value: larger scores mean class 1"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns; NaN stands for None."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return table_frame({name: [np.nan if value is None else value] for name, value in values.items()})

    def summary(self) -> Summary:
        """Return a table of the threshold, the rows that it rests on and what it promises."""
        pairs = [
            ("Threshold", self.value),
            ("Class 0 scores", self.n0),
            ("Rank", "averaged" if self.order is None else self.order),
            ("Of rows kept", "averaged" if self.n_kept is None else self.n_kept),
            ("Share kept", format_percent(self.share_kept)),
            ("Effective size", "unknown" if self.effective_size is None else f"{self.effective_size:.1f}"),
            ("alpha", level_text(self.alpha)),
            ("delta", f"{self.delta:g}"),
            ("Violation rate", "unknown" if self.violation_rate is None else rounded_up(self.violation_rate)),
            ("Weights", "estimated" if self.estimated else "in intervals" if self.interval else "known"),
            ("Largest weight", f"{self.weight_max:g}"),
            ("Coins", self.coins),
        ]
        alpha = level_text(self.alpha)
        if self.estimated:
            promise = f"{NO_PROMISE} If they were right, and known beforehand, it would be at most {alpha} with "
        else:
            promise = f"In the shifted class 0 the type I error is at most {alpha} with "
        over = "class 0 scores and of the coins that keep or drop them" if self.coins == "drawn" else "class 0 scores"
        promise += f"probability at least {at_least(1 - self.delta)} over the draw of the {over}"
        if not self.estimated:
            promise += (
                ", whatever the weights are within their intervals" if self.interval else ", if the weights are right"
            )
        notes = [
            "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
            promise + ".",
        ]
        return summary_table("Neyman-Pearson threshold under a shift of class 0", pairs, notes=notes)

    def plot(
        self,
        scores0: ArrayLike,
        weights: ArrayLike,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the class 0 scores at hand, the same as they will come by the weights, and the threshold.

        Parameters
        ----------
        scores0, weights : array-like of float
            Scores and weights, such as those that set the threshold. Of intervals the worst weights are drawn: the
            upper ones above the threshold, the lower ones at or below it.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_shift

        scores0 = check_scores(scores0, "scores0")
        low, high = (np.broadcast_to(ends, scores0.shape) for ends in check_weights(weights, scores0.size))
        worst = np.where(scores0 > self.value, high, low)
        if not worst.any():
            raise InvalidInputError(
                "weights are all 0, so the new class 0 has no rows. Give a weight above 0.", argument="weights"
            )
        return plot_shift(scores0, worst, self.value, alpha=self.alpha, ax=ax, figsize=figsize)


@tells_names
def np_threshold_shifted(
    scores0: ArrayLike,
    weights: ArrayLike,
    *,
    weight_max: float | None = None,
    alpha: float = 0.05,
    delta: float = 0.05,
    coins: Literal["drawn", "averaged"] = "drawn",
    estimated: bool = False,
    random_state: Seed = None,
) -> ShiftedThreshold:
    r"""Set a threshold for a class 0 that will come in other proportions, by known or bounded weights.

    The rows at hand are a sample of one class 0, the source: last year's patients, say, or those of one clinic. The
    classifier will meet another class 0, the target. Each row has a weight, which says how many times more often rows
    such as this one come in the target than in the source. With these weights, the rule "predict 1 when score >
    value" has a type I error in the *target* of at most `alpha` with probability at least 1 - `delta`.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of left-out class 0 rows of the source, finite; larger = more like class 1. The scoring function never
        saw these rows.
    weights : array-like of float, shape (n0,), (n0, 2) or (1, 2)
        The ratio of the densities of target and source at each row, at least 0, up to a common factor. Two columns:
        a lower and an upper bound on each ratio. One row of two numbers: the same interval for all rows, such as
        ``[[0.5, 2.0]]``. Only the quotient of the two matters there.
    weight_max : float, optional
        A bound on the weights, in their units, that was known before these rows were seen: no row of the source could
        have a larger one. The largest of `weights` is no such bound. It may be left out with one interval for all
        rows, and with estimated weights, where the largest one is taken.
    alpha : float
        Bound on the type I error in the target, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.
    coins : {"drawn", "averaged"}
        "drawn": a coin is tossed once for each row, and the rows kept set the threshold. The guarantee is then exact.
        "averaged": the threshold that averages over all outcomes of the coins. It depends on the scores and weights
        alone. Its guarantee is one-sided. It is better where the weights near the cut are well below `weight_max`.
    estimated : bool
        Must be True for weights that were estimated from data. Nothing is promised then, and the result says so.
    random_state : None, int, Generator or RandomState
        Source of the coins. Not used where none are drawn.

    Returns
    -------
    ShiftedThreshold

    Raises
    ------
    TooFewSamplesError
        If too few rows are left for these levels. Do not try another `random_state` then: that would choose among
        outcomes of the coins, for which the proof does not hold.
    InvalidInputError
        If a score or weight is not finite, a weight negative or above `weight_max`, a lower bound above its upper one,
        `weight_max` missing, or a level not in (0, 1).

    Warns
    -----
    NPWarning
        If `weight_max` is the weight of only one row, which suggests that it was taken from these rows.

    See Also
    --------
    np_threshold : for rows that are a sample of the class 0 to come.
    Type1Monitor : to see whether a classifier in use keeps its bound.

    Notes
    -----
    *Setting.* The pairs of score S and weight w of the n0 rows are independent, with one law, that of the source. The
    target has the type I error :math:`R(c) = E[w 1(S > c)] / E[w]` at the threshold c. A common factor of all weights
    drops out, so E[w] need not be known. Let :math:`c^*` be the smallest c with :math:`R(c) \le \alpha`. A threshold
    violates the bound if and only if it is below :math:`c^*`.

    *Drawn coins, known weights: exact.* Row i is kept if an independent uniform number is below w_i / weight_max. A row
    that is kept has the law of the target, since :math:`P(S \in A, kept) = E[w 1(S \in A)] / weight\_max`. This is von
    Neumann's rejection. Given their number N, the rows kept are therefore an independent sample of the target, and the
    order statistic of rank ``np_order(N, alpha, delta)`` among them violates the bound with probability v(k), as in
    `np_threshold`. For continuous scores this is exact, with ties it is an upper bound. Whether N suffices depends on N
    alone, so the statement holds also given that there is a threshold.

    *Averaged coins.* At a cut c let K be the number of rows kept above it and M that of rows kept at or below it. The
    p-value of K among Bin(K + M, alpha), p = P(B < K) + U P(B = K) with U uniform, is uniform for the target if R =
    alpha. With the levels :math:`r_j = 0.3, 0.003, 0.00001` and :math:`\pi_j = 0.6, 0.2, 0.2` the evidence
    :math:`e = \sum_j \pi_j 1(p \le r_j \delta) / (r_j \delta)` has a mean of at most 1. So has its average E(c) over
    the coins and U, given the rows: a number without any randomness but that of the rows. The threshold is the smallest
    score c with :math:`E(c) \ge 1 / \delta`. As c grows, K falls and M rises, so p falls and E rises. If the threshold
    is below :math:`c^*`, then at :math:`c^*`, with the rows at :math:`c^*` counted among those above, E is at least
    1 / delta too. The target has at least the share alpha there, so by Markov's inequality this has probability at most
    delta. For one draw the evidence would be the test itself; the average is a combination of dependent tests in the
    sense of [vovkwang2021]_. The *median* of the thresholds of many draws is a special case, one level r = 1/2: it must
    run each draw at delta / 2. Small levels win where the coins, not the rows, make most of the difference.

    *Intervals.* Let the true weight w(x) lie in [low(x), high(x)]. Rows above a cut are kept if the uniform number is
    below high / weight_max, and rows at or below it if it is below low / weight_max. With the same uniform numbers, at
    :math:`c^*` of the true weights, K is at least what the true weights would have kept and M at most that. So the
    p-value is at least the true one, and each proof above goes through as a bound. It cannot be improved without more
    knowledge: among the weights in their intervals are those with w = high above their own :math:`c^*` and w = low
    below it, and for them the violation rate of drawn coins is that of known weights.

    For averaged coins and for intervals what is proved is this: the probability that a threshold is given *and*
    violates is at most delta. Only for known weights and drawn coins does it also hold given that there is a threshold.

    *One interval for all rows* needs no coins. In the target :math:`R(c) \le q h / (q h + (1 - q) l)` with q = P(S > c)
    in the source, and this is at most alpha if and only if
    :math:`q \le \alpha' = \alpha l / (\alpha l + (1 - \alpha) h)`. The threshold is that of `np_threshold` at
    :math:`\alpha'`. The proof requires only that all ratios of weights lie within l / h and h / l.

    *Estimated weights.* If they come from other rows than these, the statement holds for the target that has the
    estimated weights. The type I error in the true target may exceed alpha by the total variation distance between the
    two, which nobody knows. If they come from these rows, not even that holds.

    *What breaks it.* Class 0 rows of the target that have no like in the source: no weight makes up for them. A
    `weight_max` that is the largest of these weights. Repeating the call until the threshold pleases.

    The coins come from `random_state` and from a mixture of all bits of the scores and weights, so that one seed gives
    other coins for other data, also for whoever always types the same seed.

    Averaged coins take about log2(n0) steps of O(n0 log(n0)^2) each.

    References
    ----------
    Rejection: [vonneumann1951]_. Weights under a shift: [tibshirani2019]_. The order statistic: [tong2018]_.

    Examples
    --------
    Men and women come in equal numbers in the source, but three in four are men in the target.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> man = rng.random(1000) < 0.5
    >>> scores0 = rng.normal(size=1000) + man
    >>> weights = np.where(man, 1.5, 0.5)
    >>> rule = np_threshold_shifted(scores0, weights, weight_max=1.5, random_state=1)
    >>> rule.order, rule.n_kept, round(rule.value, 3)
    (625, 648, 2.71)

    The share of men in the target may be anything from one half to three quarters.

    >>> intervals = np.column_stack([np.where(man, 1.0, 0.5), np.where(man, 1.5, 1.0)])
    >>> round(np_threshold_shifted(scores0, intervals, weight_max=1.5, random_state=1).value, 3)
    2.889
    """
    scores0 = check_scores(scores0, "scores0")
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    check_choice(coins, "coins", COINS)
    estimated = check_flag(estimated, "estimated")
    low, high = check_weights(weights, scores0.size)
    interval = low is not high
    one_interval = interval and low.size == 1
    top = _check_top(weight_max, high, estimated, one_interval, rows_in(weights, "weights"))
    known = {
        "n0": scores0.size,
        "alpha": alpha,
        "delta": delta,
        "effective_size": None if interval else _effective_size(low / top),
        "weight_max": top,
        "interval": interval,
        "estimated": estimated,
    }
    if one_interval:
        refuse_bad_seed(random_state)
        return _without_coins(scores0, float(low[0]), float(high[0]), known)
    if not (estimated or interval) and scores0.size > 1 and np.count_nonzero(high == top) == 1:
        warn_at_call(
            f"weight_max={top:g} is the weight of only one row. If you took it from these weights, it is not a bound, "
            "and the guarantee does not hold. Give a bound that was known before you saw these rows.",
            NPWarning,
        )
    given = np.concatenate([low, high])
    in_order = np.argsort(scores0, kind="stable")
    values = scores0[in_order]
    low, high = (np.minimum(ends[in_order] / top, 1.0) for ends in (low, high))
    share = float(np.mean(low))
    if coins == "averaged":
        refuse_bad_seed(random_state)
        at, n_kept, order = averaged_cut(values, low, high, alpha, delta), None, None
    else:
        source = np.random.default_rng([check_seed(random_state), 4, *_halves(scores0), *_halves(given)])
        at, order, n_kept = drawn_cut(values, low, high, source.random(values.size), alpha, delta)
    if at is None:
        raise TooFewSamplesError(_too_few(scores0.size, n_kept, share, alpha, delta, interval))
    rate = delta if interval or order is None or n_kept is None else violation_rate(order, n_kept, alpha)
    return ShiftedThreshold(
        value=float(values[at - 1]),
        coins=coins,
        n_kept=n_kept,
        order=order,
        violation_rate=None if estimated else rate,
        share_kept=share,
        **known,
    )


def check_weights(weights, n0):
    """Return the lower and the upper weights: the same array twice for known ones, of size 1 for one interval."""
    values = as_floats(weights, "weights", "hold numbers, one or two for each score")
    shapes = f"({n0},), ({n0}, 2) or (1, 2)"
    if values.shape not in ((n0,), (n0, 2), (1, 2)):
        raise InvalidInputError(
            f"weights must have shape {shapes} for {n0} scores, got shape {values.shape}: one weight for each score, "
            "a lower and an upper one for each, or one interval for all.",
            argument="weights",
        )
    ends = values.reshape(values.shape[0], -1)
    bad = ~(np.isfinite(ends) & (ends >= 0)).all(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise FirstRowError.at(
            row,
            f"weights must be finite and at least 0: {int(bad.sum())} row(s) are not",
            f" ({_shown_row(ends[row])}).",
            table=rows_in(weights, "weights"),
            argument="weights",
        )
    if values.ndim == 1:
        return values, values
    turned = np.flatnonzero(ends[:, 0] > ends[:, 1])
    if turned.size:
        row = int(turned[0])
        raise FirstRowError.at(
            row,
            f"weights must hold a lower bound and then an upper one: {turned.size} row(s) do not",
            f" ({_shown_row(ends[row])}).",
            table=rows_in(weights, "weights"),
            argument="weights",
        )
    return values[:, 0].copy(), values[:, 1].copy()


def _shown_row(ends):
    shown = ", ".join(f"{end:g}" for end in ends)
    return shown if ends.size == 1 else f"[{shown}]"


def _check_top(weight_max, high, estimated, one_interval, rows):
    """Return the bound on the weights: as given, or the largest of them where that will do."""
    largest = float(high.max())
    if weight_max is None and not (estimated or one_interval):
        raise InvalidInputError(
            "weight_max is missing: give a bound on the weights that was known before these rows were seen. The "
            f"largest of these weights, {largest:g}, is not such a bound. With estimated=True the largest weight is "
            "used, and nothing is guaranteed.",
            argument="weight_max",
        )
    if weight_max is None:
        top = largest if largest > 0 else 1.0
    else:
        top = check_number(weight_max, "weight_max")
    if largest > top * (1 + _ROUNDING):
        above = high > top
        raise FirstRowError.at(
            int(np.argmax(above)),
            f"weight_max={top:g} is below {int(above.sum())} weight(s), the largest {largest:g}",
            ". Give a bound that no weight can exceed.",
            table=rows,
            argument="weight_max",
            value=largest,
            limit=top,
        )
    return top


def _halves(values):
    mixture = mixture_of(values)
    return mixture >> 32, mixture % 2**32


def _effective_size(shares):
    total = float(shares.sum())
    return total**2 / float(np.square(shares).sum()) if total > 0 else 0.0


def _without_coins(scores0, low, high, known):
    """Return the threshold for one interval: an order statistic of all scores at a smaller alpha."""
    alpha, delta = known["alpha"], known["delta"]
    # rounded down, which is the safe side
    ratio = low / high if high > 0 else 0.0
    smaller = math.nextafter(alpha * ratio / (alpha * ratio + (1 - alpha)) * (1 - 1e-15), 0.0)
    if smaller < SMALLEST_LEVEL:
        raise TooFewSamplesError(
            f"weights between {low:g} and {high:g} require a type I error of at most {smaller:.3g} in the class 0 "
            "that was sampled. No number of scores can meet this. Raise the lower weight."
        )
    if ratio == 1.0:
        smaller = alpha
    try:
        order = np_order(scores0.size, smaller, delta)
    except TooFewSamplesError as error:
        raise TooFewSamplesError(
            f"with weights between {low:g} and {high:g} the type I error must be at most {smaller:.3g} in the source: "
            f"{error}"
        ) from None
    rate = violation_rate(order, scores0.size, smaller)
    return ShiftedThreshold(
        value=float(np.partition(scores0, order - 1)[order - 1]),
        coins="none",
        n_kept=scores0.size,
        order=order,
        violation_rate=None if known["estimated"] else rate,
        share_kept=1.0,
        **known,
    )


def _too_few(n0, n_kept, share, alpha, delta, interval):
    """Return the message of too few rows, with about how many are needed."""
    least = min_class0_size(alpha, delta if n_kept is not None else max(LEVELS[0][0] * delta, SMALLEST_LEVEL))
    by = "the lower weights" if interval else "the weights"
    kept = f"and the coins kept {n_kept}" if n_kept is not None else "averaged over the coins"
    if share == 0:
        return (
            f"n0={n0} class 0 scores set no threshold: {by} are all 0, so that none of these rows has its like in the "
            "target."
        )
    return (
        f"n0={n0} class 0 scores, {kept}, cannot meet alpha={alpha:g} with delta={delta:g}: at least {least} must be "
        f"kept, and {by} keep {format_percent(share)} of the rows on average. About {math.ceil(least / share)} scores "
        "are needed, and some more to be sure. Do not try other coins: that makes the guarantee void."
    )
