"""Do the scores change with time or with the order of the rows? Two rank tests by permutations, and a martingale."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from nproc.tables import ShortRepr
from nproc.thresholds import surely_same_within

# fewer scores tell nothing of an order
FEWEST = 20
# of more scores, evenly spaced ones in the order of time are looked at
MOST = 10_000
# a part before or after a change has at least this many scores
SHORTEST = 5
# rates at which the bettor forgets what it has learned
JUMP_RATES = np.array([1e-3, 1e-2])
# its bets: small p-values, none, large ones
BETS = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True, repr=False)
class TrendTest(ShortRepr):
    """Do scores rise or fall with the order?

    Attributes
    ----------
    correlation : float
        Spearman's rank correlation of score and order.
    n : int
        Scores.
    p_value : float
        Two-sided, by permutations.
    """

    correlation: float
    n: int
    p_value: float


@dataclass(frozen=True, repr=False)
class ChangeTest(ShortRepr):
    """Do scores differ before and after some point of the order?

    Attributes
    ----------
    n_before, n : int
        Scores before the point at which the two parts differ most, and in all.
    later_larger : float
        Share of the pairs of one score before and one after in which the later is the larger; a tie counts half.
    p_value : float
        By permutations, for the largest difference over all points.
    """

    n_before: int
    n: int
    later_larger: float
    p_value: float


@dataclass(frozen=True, repr=False, eq=False)
class MartingaleTest(ShortRepr):
    """Is there evidence, row by row, that the scores are not exchangeable?

    Attributes
    ----------
    log_evidence : ndarray, shape (n,)
        Logarithm of the martingale after each score, in their order.
    p_value : float
        1 over the largest value of the martingale, at most 1.
    """

    log_evidence: np.ndarray
    p_value: float

    @property
    def highest(self) -> float:
        """Largest value of the martingale; infinite where it is too large for a float."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_evidence.max()))

    def alarm_at(self, level):
        """Return the number of scores after which the evidence reaches 1 / level, or None."""
        reached = np.flatnonzero(self.log_evidence >= -np.log(level))
        return int(reached[0]) + 1 if reached.size else None


def centred_ranks(values):
    """Return twice the ranks of values, less their mean, as whole numbers; tied values share their mean rank.

    Values that differ by rounding alone are tied, since equal rows may score a last digit apart.
    """
    return np.rint(2 * rankdata(without_rounding(values))).astype(np.int64) - (values.size + 1)


def without_rounding(values):
    """Return finite values as whole numbers in their order; neighbours that are surely the same get one number."""
    # halves, so that no difference is an overflow
    order, halves = np.argsort(values), np.sort(values) / 2
    steps = np.diff(halves) > surely_same_within(halves)(halves[1:])
    numbers = np.empty(values.size)
    numbers[order] = np.concatenate([[0], np.cumsum(steps)])
    return numbers


def in_order(scores, when, rng):
    """Return scores and their times by time, at most `MOST` of them; of scores of one time chance decides.

    Chance does not look at the scores, so that exchangeable scores are exchangeable afterwards.
    """
    mixed = rng.permutation(scores.size)
    by_time = mixed[np.argsort(when[mixed], kind="stable")]
    if by_time.size > MOST:
        by_time = by_time[np.linspace(0, by_time.size - 1, MOST).round().astype(np.intp)]
    return scores[by_time], when[by_time]


def rank_tests(scores, when, n_permutations, rng):
    r"""Return the `TrendTest` and the `ChangeTest` of scores in the order of `when`, which may have ties.

    The statistic of the first is :math:`|\sum_i t_i r_i|` with centred ranks t of the times and r of the scores. That
    of the second is the largest :math:`|\sum_{i \le k} r_i| / \sqrt{k (n - k)}` over the points k between two
    times, with at least `SHORTEST` scores on either side; it is 0 where there is no such point.

    Notes
    -----
    If the scores are exchangeable given the times, all orders of them have the same probability, and so the observed
    statistic and those of B random permutations are exchangeable. Hence P(p <= t) <= t for p = (1 + number of
    permutations with a statistic at least as large) / (B + 1), with ties as well. Sums of ranks are whole numbers and
    therefore exact.
    """
    ranks, times, n = centred_ranks(scores), centred_ranks(when.astype(np.float64)), scores.size
    ends = np.flatnonzero(np.diff(when)) + 1
    ends = ends[(ends >= SHORTEST) & (n - ends >= SHORTEST)]
    weights = 1.0 / np.sqrt(ends * (n - ends))

    def statistics(values):
        sums = np.abs(np.cumsum(values)[ends - 1] * weights)
        return abs(int(times @ values)), float(sums.max(initial=0.0))

    trend, change = statistics(ranks)
    as_large = np.zeros(2, dtype=np.int64)
    for _ in range(n_permutations):
        other = statistics(rng.permutation(ranks))
        as_large += (other[0] >= trend, other[1] >= change)
    p_trend, p_change = ((1 + as_large) / (n_permutations + 1)).tolist()
    scale = np.sqrt(float(times @ times) * float(ranks @ ranks))
    correlation = float(times @ ranks) / scale if scale > 0 else 0.0
    return TrendTest(correlation, n, p_trend), _change(ranks, ends, weights, p_change)


def _change(ranks, ends, weights, p_value):
    n = ranks.size
    if ends.size == 0:
        return ChangeTest(0, n, 0.5, p_value)
    sums = np.cumsum(ranks)[ends - 1]
    best = int(np.argmax(np.abs(sums * weights)))
    before = int(ends[best])
    # by Mann and Whitney, from the sum of the ranks before
    earlier_larger = (sums[best] + before * (n + 1)) / 2 - before * (before + 1) / 2
    return ChangeTest(before, n, float(1 - earlier_larger / (before * (n - before))), p_value)


def conformal_p_values(scores, rng):
    """Return for each score its randomised p-value among those up to it: the share that is larger, ties at random.

    Of exchangeable scores they are independent and uniform [vovk2005]_.
    """
    u = rng.random(scores.size)
    known: list[float] = []
    values = np.empty(scores.size)
    for i, score in enumerate(without_rounding(scores).tolist()):
        low, high = bisect_left(known, score), bisect_right(known, score)
        known.insert(high, score)
        larger, tied = i - high, high - low + 1
        values[i] = (larger + u[i] * tied) / (i + 1)
    return values


def jumper_martingale(p_values):
    r"""Return the logarithm of a jumper martingale, averaged over its rates, after each p-value [vovk2021]_.

    Notes
    -----
    A bettor of capital C divides it among bets e in {-1, 0, 1}. A bet turns its part into (1 + e (p - 1/2)) times as
    much, and this has mean 1 for uniform p. Before each p-value a share J of the capital is divided anew among the
    bets, which leaves the sum as it is. So C is a martingale from 1, and the average over several J is one, too.
    """
    parts = np.full((JUMP_RATES.size, BETS.size), 1.0 / BETS.size)
    keep, spread = 1.0 - JUMP_RATES[:, None], JUMP_RATES[:, None] / BETS.size
    gains = np.empty((p_values.size, JUMP_RATES.size))
    for i, p in enumerate(p_values.tolist()):
        # each row sums to 1
        parts = (keep * parts + spread) * (1.0 + BETS * (p - 0.5))
        total = parts.sum(axis=1)
        gains[i] = total
        parts /= total[:, None]
    return np.logaddexp.reduce(np.cumsum(np.log(gains), axis=0), axis=1) - np.log(JUMP_RATES.size)


def martingale_test(scores, rng):
    """Return the `MartingaleTest` of scores that are in order.

    Notes
    -----
    By Ville's inequality the martingale of exchangeable scores ever reaches c with probability at most 1 / c
    [ville1939]_. So P(1 / max <= t) <= t, and the evidence may be looked at after each score.
    """
    path = jumper_martingale(conformal_p_values(scores, rng))
    return MartingaleTest(path, float(min(1.0, np.exp(-path.max()))))
