r"""The exact law of the type I error of the rule that `npc` makes of n left-out class 0 scores.

For continuous scores the type I error of the rule at rank k of n is :math:`R_0 \sim \mathrm{Beta}(n + 1 - k, k)`,
whatever the distribution of the scores: it is one minus the k-th order statistic of n uniform variables.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc

from nproc.checks import check_levels, check_real, tells_names
from nproc.errors import InvalidInputError
from nproc.orderstat import EXACT_N, np_order, search_orders, type1_upper, violation_rate
from nproc.simultaneous import beta_quantile
from nproc.tables import DataFrame, InNotebook, Summary, level_pairs, rounded_up, short, summary_table, table_frame


@dataclass(frozen=True, repr=False)
class RankLaw(InNotebook):
    r"""What a number of left-out class 0 rows buys: the rank, and the law of the type I error of its rule.

    Attributes
    ----------
    n0 : int
        Left-out class 0 scores.
    order : int
        Rank of the threshold, `np_order`.
    alpha, delta : float
        Bound on the type I error, and bound on the probability that the type I error is above `alpha`.
    type1_mean, type1_sd : float
        Expectation (n + 1 - k) / (n + 1) and standard deviation of the type I error over the draw of the scores.
    price : float
        Price of conservatism, alpha - type1_mean.
    power_share : float
        E min(1, type I error / alpha): the share of the oracle's power that the rule of a continuous score with a
        concave ROC curve has at least, see `plan_class0`.
    violation_rate : float
        The probability that a threshold of this rank has a type I error above alpha.
    type1_upper : float
        Bound on the type I error that holds with probability 1 - delta.

    Notes
    -----
    Exact for continuous scores, Beta(n + 1 - k, k). With ties the type I error is stochastically smaller.

    References
    ----------
    Proof of Proposition 1 of [tong2018]_.

    Examples
    --------
    >>> law = type1_law(59)
    >>> law.order, round(law.type1_mean, 4), round(law.price, 4)
    (59, 0.0167, 0.0333)
    """

    n0: int
    order: int
    alpha: float
    delta: float

    @property
    def _shape(self):
        return self.n0 + 1 - self.order, self.order

    @property
    def type1_mean(self) -> float:
        return (self.n0 + 1 - self.order) / (self.n0 + 1)

    @property
    def type1_sd(self) -> float:
        return float(np.sqrt(self.type1_mean * (1 - self.type1_mean) / (self.n0 + 2)))

    @property
    def price(self) -> float:
        return self.alpha - self.type1_mean

    @property
    def power_share(self) -> float:
        return float(worst_share(self.n0 - self.order, self.n0, self.alpha))

    @property
    def violation_rate(self) -> float:
        return violation_rate(self.order, self.n0, self.alpha)

    @property
    def type1_upper(self) -> float:
        return type1_upper(self.order, self.n0, self.delta)

    def probability(self, low: float, high: float) -> float:
        """Return P(low < type I error <= high).

        Parameters
        ----------
        low, high : float
            Ends in [0, 1], `low` at most `high`.

        Returns
        -------
        float

        Raises
        ------
        InvalidInputError
            If the ends are not in [0, 1] or not in order.

        Examples
        --------
        >>> round(type1_law(100).probability(0.025, 0.05), 3)
        0.246
        """
        rule = "be a number between 0 and 1"
        ends = {"low": check_real(low, "low", rule), "high": check_real(high, "high", rule)}
        low, high = (float(check_levels(end, name, closed=True)) for name, end in ends.items())
        if low > high:
            raise InvalidInputError(f"low must be at most high, got {low:g} and {high:g}.")
        a, b = self._shape
        return float(betainc(a, b, high) - betainc(a, b, low))

    def quantile(self, q: ArrayLike) -> Any:
        """Return quantiles of the type I error.

        Parameters
        ----------
        q : float or array-like
            Probabilities in [0, 1].

        Returns
        -------
        float or ndarray
            Shaped like `q`.

        Examples
        --------
        >>> round(type1_law(59).quantile(0.95), 4)
        0.0495
        """
        levels = check_levels(q, "q", closed=True)
        a, b = self._shape
        values = beta_quantile(a, b, levels)
        return float(values) if levels.ndim == 0 else values

    def __repr__(self):
        return (
            f"RankLaw(n0={self.n0}, order={self.order}, alpha={short(self.alpha)}, delta={short(self.delta)}: "
            f"E[type I]={short(self.type1_mean)}, price={short(self.price)},\n"
            f"  violation_rate={rounded_up(self.violation_rate)}, power_share={short(self.power_share)})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns."""
        names = ("n0", "order", "alpha", "delta", "type1_mean", "type1_sd", "price", "power_share")
        return table_frame({n: [getattr(self, n)] for n in (*names, "violation_rate", "type1_upper")})

    def summary(self) -> Summary:
        """Return a table of the rank and of the law of the type I error, as a summary of statsmodels."""
        low, high = self.quantile([0.05, 0.95]).tolist()
        pairs = [
            ("Left-out class 0 rows", self.n0),
            *level_pairs(self, "alpha", "delta"),
            ("Rank", self.order),
            ("Violation rate", rounded_up(self.violation_rate, self.delta)),
            ("Expected type I error", self.type1_mean),
            ("Unused part of alpha", self.price),
            ("90 % of samples between", f"{low:.4f} and {high:.4f}"),
            ("Type I upper", rounded_up(self.type1_upper, self.alpha)),
            ("Least share of power", self.power_share),
        ]
        return summary_table("Law of the type I error", pairs, notes=[LAW_NOTE, SHARE_NOTE])


@tells_names
def type1_law(n0: int, alpha: float = 0.05, delta: float = 0.05) -> RankLaw:
    """Tell the rank that `npc` uses with n0 left-out class 0 scores, and the exact law of its type I error.

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores.
    alpha, delta : float
        Bound on the type I error, and bound on the probability that the type I error is above `alpha`; in (0, 1).

    Returns
    -------
    RankLaw

    Raises
    ------
    TooFewSamplesError
        If no rank meets the levels.

    See Also
    --------
    plan_class0 : the number of rows for a given quality.

    Examples
    --------
    >>> type1_law(200)
    RankLaw(n0=200, order=196, alpha=0.05, delta=0.05: E[type I]=0.02488, price=0.02512,
      violation_rate=0.0265, power_share=0.4938)
    """
    order = np_order(n0, alpha, delta)
    return RankLaw(int(n0), order, float(alpha), float(delta))


def worst_share(n_above, n0, alpha):
    """Return E min(1, R / alpha) for R ~ Beta(n_above + 1, n0 - n_above), elementwise."""
    a, b = np.asarray(n_above) + 1.0, np.asarray(n0, dtype=np.float64) - n_above
    beyond = 1 - betainc(a, b, alpha)
    return a / (a + b) * betainc(a + 1, b, alpha) / alpha + beyond


LAW_NOTE = (
    "For continuous scores the type I error of the rule has the distribution Beta(n + 1 - rank, rank), with n "
    "left-out rows. Unused part of alpha: alpha minus the expected type I error."
)


SHARE_NOTE = (
    "Least share of power: E min(1, type I error / alpha). For every continuous score with a concave ROC curve, the "
    "expected power is at least this share of the best possible, which is that of the threshold of the same score with "
    "a type I error of exactly alpha."
)


# The sawtooth in the number of left-out class 0 rows, and the size from which on a requirement holds for good.
#
# Let m = n - k be the number of class 0 scores above the threshold. A tooth is a run of sizes n with one m: in it the
# type I error Beta(m + 1, n - m) falls stochastically as n grows, and at the next tooth it jumps up. The start of tooth
# m is :math:`n_m = \min\{n : P(\mathrm{Bin}(n, \alpha) \le m) \le \delta\}`, which rises strictly with m since taking
# one trial away lowers a count by at most one.


# Where a tail is this near to delta (relative), np_order settles the tie in rational arithmetic.
_NEAR = 1e-7
MOST_TEETH = 40_000


def tooth_starts(n_teeth, alpha, delta):
    """Return the first size of the teeth m = 0, ..., n_teeth - 1 as an int array."""
    m = np.arange(n_teeth)
    good = m + 1
    while np.any(failing := betaincc(m + 1.0, good - m, alpha) > delta):
        good = np.where(failing, 2 * good + math.ceil(1 / alpha), good)
    bad = m.copy()
    while np.any(good - bad > 1):
        middle = (good + bad) // 2
        inside = good - bad > 1
        passed = betaincc(m + 1.0, np.maximum(middle - m, 1), alpha) <= delta
        good = np.where(inside & passed, middle, good)
        bad = np.where(inside & ~passed, middle, bad)
    below = good - 1
    tail = betaincc(m + 1.0, np.maximum(below - m, 1), alpha)
    for j in np.flatnonzero((below > m) & (tail <= delta * (1 + _NEAR)) & (below <= EXACT_N)):
        n = int(below[j])
        good[j] -= n - int(search_orders(n, np.array([alpha]), delta)[0]) >= j
    return good


def settled_size(alpha, delta, deficit):
    r"""Return a size N such that E (alpha - R)_+ <= alpha * deficit for every n >= N.

    Notes
    -----
    Write :math:`E = (m + 1)/(n + 1)` for the mean of R, and L for log(1/delta). By Chernoff's bound
    :math:`P(\mathrm{Bin}(n, \alpha) \le n \alpha - \sqrt{2 n \alpha L}) \le \delta`, so
    :math:`m + 1 \ge n \alpha - \sqrt{2 n \alpha L}` and
    :math:`\alpha - E \le (\alpha + \sqrt{2 n \alpha L}) / (n + 1)`. For delta <= 1/2, m is at most a median of
    Bin(n, alpha), so :math:`m \le n \alpha + 1`, and the variance :math:`E (1 - E)/(n + 2)` of R is at most
    :math:`(\alpha + 2/(n + 1))/(n + 2)`. Since :math:`E(\alpha - R)_+ \le (\alpha - E)_+ + E(E - R)_+` and the last
    term, half a mean absolute deviation, is at most half a standard deviation, the sum of these two bounds is one on
    :math:`E(\alpha - R)_+`; it falls in n.
    """

    def bound(n):
        mean_part = (alpha + math.sqrt(2 * n * alpha * math.log(1 / delta))) / (n + 1)
        return mean_part + math.sqrt((alpha + 2 / (n + 1)) / (n + 2)) / 2

    high = 1
    while bound(high) > alpha * deficit:
        high *= 2
    return bisect_left(range(high), True, lo=high // 2 + 1, key=lambda n: bound(n) <= alpha * deficit)


def sizes_for(power_of, power, alpha, delta, *, steepness=1.0):
    """Return the first size at which a rule has the power, and the size from which on it always has.

    Parameters
    ----------
    power_of : callable
        ``power_of(n_above, n0) -> ndarray``: expected power as a share of the oracle's. It must fall where the type I
        error falls stochastically.
    power : float
        The share required, in (0, 1).
    alpha, delta : float
        Levels; `delta` at most 1/2.
    steepness : float
        A number c such that the share is at least 1 - c E (1 - R / alpha)_+.

    Returns
    -------
    n_first, n_always : int

    Raises
    ------
    InvalidInputError
        If `power` is so near to 1 that the teeth are too many to look at.
    """
    settled = settled_size(alpha, delta, (1 - power) / steepness)
    # a tooth takes about 1 / alpha sizes, and m of tooth `settled` is at most settled * alpha + 1
    n_teeth = math.ceil(settled * alpha) + 3
    if n_teeth > MOST_TEETH:
        raise InvalidInputError(
            f"power={power:g} is too near 1 to plan for at alpha={alpha:g}: the search would have to go through "
            f"all numbers of left-out class 0 rows up to {settled:.3g}, a rough upper bound on the number needed. "
            "Give a smaller power."
        )
    starts = tooth_starts(n_teeth + 1, alpha, delta)
    teeth = np.arange(n_teeth)
    at_start = _in_pieces(power_of, teeth, starts[:-1]) >= power
    at_end = _in_pieces(power_of, teeth, starts[1:] - 1) >= power
    failing = np.flatnonzero(~at_end & (starts[:-1] < settled))
    first = int(starts[np.argmax(at_start)])
    always = int(starts[failing[-1] + 1]) if failing.size else int(starts[0])
    return first, always


def _in_pieces(power_of, teeth, sizes):
    pieces = max(1, teeth.size // 500)
    parts = zip(np.array_split(teeth, pieces), np.array_split(sizes, pieces), strict=True)
    return np.concatenate([power_of(m, n) for m, n in parts])
