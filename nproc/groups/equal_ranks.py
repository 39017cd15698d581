r"""Pairs of ranks for two groups: numbers in, ranks and the probabilities of both violations out.

Let R_a and R_b be the type I errors of two groups whose thresholds are the k_a-th and the k_b-th smallest of n_a and
n_b left-out class 0 scores. For continuous scores they are independent, with the laws Beta(n_a - k_a + 1, k_a) and
Beta(n_b - k_b + 1, k_b). Everything here is an integral over these two laws, and a search among pairs of ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import betaincc, betaln, xlog1py, xlogy

from nproc.simultaneous import beta_quantile, beta_upper_quantile

# The integrands are polynomials, nearly normal in shape: of the mass all but twice _LEFT_OUT lies in the window.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_LEFT_OUT = 1e-14
# Added to every probability, and for more rows than 1e5 in proportion: above what rounding and quadrature can do.
MARGIN = 1e-9
# An interval of shares is cut into so many pieces, each of which is treated at its worst.
_PIECES = 4
# Ranks of the smaller group that are solved at once, and how often that is done where no pair is found.
_AT_ONCE, MOST_ROUNDS = 48, 20


@dataclass(frozen=True)
class EqualLevels:
    """What a pair of ranks has to meet.

    Attributes
    ----------
    alpha, delta : float
        The overall type I error exceeds `alpha` with probability at most `delta`.
    epsilon, gamma : float
        The difference exceeds `epsilon` with probability at most `gamma`.
    share_lower, share_upper : float
        Interval of the share of the first group in class 0, a single number, or all from 0 to 1.
    """

    alpha: float
    delta: float
    epsilon: float
    gamma: float
    share_lower: float
    share_upper: float

    def pieces(self):
        """Return pairs of shares; all of [0, 1] is one piece, where the larger of both errors is what counts."""
        low, high = self.share_lower, self.share_upper
        cuts = np.linspace(low, high, 2 if low == high or (low, high) == (0.0, 1.0) else _PIECES + 1)
        return list(pairwise(cuts))

    def swapped(self):
        """Return the levels for the groups in the other order."""
        return replace(self, share_lower=1 - self.share_upper, share_upper=1 - self.share_lower)


def overall_tail(sizes, orders, levels):
    r"""Return P(p R_a + (1 - p) R_b > alpha) at the worst p of the interval of shares, for arrays of ranks.

    Parameters
    ----------
    sizes : tuple of int
        n_a and n_b.
    orders : tuple of ndarray, shape (m,)
        k_a and k_b.
    levels : EqualLevels

    Returns
    -------
    ndarray, shape (m,)

    Notes
    -----
    On a piece [p1, p2] the error is largest at one end, since it is linear in p. So it exceeds alpha for some p of the
    piece exactly where R_b > c(R_a), with c(r) the smaller of (alpha - p r) / (1 - p) at p = p1, which it is for
    r < alpha, and at p = p2. The largest probability of the pieces bounds that of each p.

    Examples
    --------
    >>> levels = EqualLevels(0.1, 0.05, 0.1, 0.05, 0.0, 1.0)
    >>> overall_tail((50, 80), (np.array([49]), np.array([79])), levels).round(4)
    array([0.0359])
    """
    if sizes[0] < sizes[1]:
        return overall_tail(sizes[::-1], orders[::-1], levels.swapped())
    (n, m), (k, j), alpha = sizes, [np.asarray(order, dtype=np.float64) for order in orders], levels.alpha
    worst = np.zeros(k.shape)
    for low, high in levels.pieces():
        ceiling = min(alpha / high, 1.0) if high > 0 else 1.0
        tail = betaincc(n - k + 1.0, k, ceiling) if ceiling < 1 else 0.0
        # below this the other error would have to be above 1
        floor = max((alpha - (1 - low)) / low, 0.0) if low > 0 else 0.0
        for start, end, share in ((floor, alpha, low), (alpha, ceiling, high)):
            if start < end:
                tail = tail + _mean_over(n, k, start, end, lambda r, p=share: _above(m, j, (alpha - p * r) / (1 - p)))
        worst = np.maximum(worst, tail)
    return np.minimum(worst + margin(sizes), 1.0)


def gap_tails(sizes, orders, epsilon):
    """Return P(R_a - R_b > epsilon) and P(R_b - R_a > epsilon) for arrays of ranks.

    The first falls with k_a and rises with k_b, the second the other way round.

    Examples
    --------
    >>> one, other = gap_tails((50, 80), (np.array([46]), np.array([74])), 0.1)
    >>> one.round(4), other.round(4)
    (array([0.0497]), array([0.012]))
    """
    if sizes[0] < sizes[1]:
        return gap_tails(sizes[::-1], orders[::-1], epsilon)[::-1]
    (n, m), (k, j) = sizes, [np.asarray(order, dtype=np.float64) for order in orders]
    first = _mean_over(n, k, epsilon, 1.0, lambda r: 1 - _above(m, j, r - epsilon))
    second = _mean_over(n, k, 0.0, 1 - epsilon, lambda r: _above(m, j, r + epsilon))
    return np.minimum(first + margin(sizes), 1.0), np.minimum(second + margin(sizes), 1.0)


def margin(sizes):
    """Return what is added to a probability, so that it errs on the safe side."""
    return MARGIN * max(1.0, max(sizes) / 1e5)


def _above(n, order, value):
    """P(R > value) for R ~ Beta(n - order + 1, order), at a table of values with a row for each rank."""
    return betaincc(n - order[:, None] + 1.0, order[:, None], np.clip(value, 0.0, 1.0))


def _mean_over(n, order, start, end, of):
    """Return E(of(R); start < R < end) for R ~ Beta(n - order + 1, order), for an array of ranks."""
    a = n - order + 1.0
    left = np.maximum(beta_quantile(a, order, _LEFT_OUT), start)
    half = np.maximum(np.minimum(beta_upper_quantile(a, order, _LEFT_OUT), end) - left, 0.0)[:, None] / 2
    r = np.clip(left[:, None] + half * (1 + _NODES), 0.0, 1.0)
    a, b = a[:, None], order[:, None]
    density = np.exp(xlogy(a - 1, r) + xlog1py(b - 1, -r) - betaln(a, b))
    return (half * density * of(r)) @ _WEIGHTS


def best_pair(sizes, levels, worth, most_rounds=MOST_ROUNDS):
    """Return the pair of ranks that meets both levels with the largest worth, or None where no pair was found.

    Parameters
    ----------
    sizes : tuple of int
        n_a and n_b.
    levels : EqualLevels
    worth : callable
        Of arrays k_a and k_b of one shape; falls, or stays, as either rank rises.
    most_rounds : int
        Where no pair is found among so many times 48 ranks of the smaller group, the search ends.

    Returns
    -------
    tuple of int, or None

    Notes
    -----
    For each rank of the smaller group only the smallest good rank of the other can be best. It is at least the
    smallest that meets alpha, which falls as the first rank rises. So a rank that is solved bounds the worth of all
    that lie below it, and most of them need not be solved.
    """
    if sizes[0] > sizes[1]:
        found = best_pair(sizes[::-1], levels.swapped(), lambda k, j: worth(j, k), most_rounds)
        return None if found is None else found[::-1]
    ends = np.array([0]), np.array([sizes[0] + 1])
    first = _smallest(lambda k: overall_tail(sizes, (k, np.full(k.shape, sizes[1])), levels) <= levels.delta, *ends)[0]
    open_ranks = np.arange(first, sizes[0] + 1)
    solved, partner = np.array([first - 1, sizes[0] + 1]), np.array([sizes[1] + 1, 1])
    best, best_worth = None, -np.inf
    for round_number in range(sizes[0]):
        if not open_ranks.size or (best is None and round_number == most_rounds):
            break
        tried = open_ranks[np.unique(np.linspace(0, open_ranks.size - 1, _AT_ONCE).round().astype(int))]
        above = np.searchsorted(solved, tried)
        least, good = _partners(sizes, tried, partner[above], partner[above - 1], levels)
        solved, partner = np.append(solved, tried), np.append(partner, least)
        by_rank = np.argsort(solved)
        solved, partner = solved[by_rank], partner[by_rank]
        has_one = good <= sizes[1]
        if has_one.any():
            worths = worth(tried[has_one], good[has_one])
            place = int(np.argmax(worths))
            if worths[place] > best_worth:
                best, best_worth = (int(tried[has_one][place]), int(good[has_one][place])), worths[place]
        open_ranks = np.setdiff1d(open_ranks, tried)
        bound = worth(open_ranks, partner[np.searchsorted(solved, open_ranks)])
        open_ranks = open_ranks[bound > best_worth]
    return best


def _partners(sizes, ranks, low, high, levels):
    """Return the smallest rank of the second group that meets alpha, and the smallest that meets both levels.

    Of the latter n_b + 1 stands for none. With k_b the chance that R_b is larger by epsilon falls, and the other
    rises, so that the smallest good rank is found from below.
    """
    least = _smallest(
        lambda j, at: overall_tail(sizes, (ranks[at], j), levels) <= levels.delta, low - 1, high, pass_places=True
    )
    good, room = least.copy(), np.full(ranks.shape, levels.gamma)
    pending = good <= sizes[1]
    none = np.full(ranks.shape, sizes[1] + 1)
    while pending.any():
        one, other = gap_tails(sizes, (ranks[pending], good[pending]), levels.epsilon)
        fails = one + other > levels.gamma
        room[pending] = levels.gamma - one
        pending[pending] = fails
        hopeless = pending & (room <= margin(sizes))
        good[hopeless] = sizes[1] + 1
        pending &= ~hopeless
        if not pending.any():
            break
        good[pending] = _smallest(
            lambda j, at: gap_tails(sizes, (ranks[pending][at], j), levels.epsilon)[1] <= room[pending][at],  # noqa: B023
            good[pending],
            none[pending],
            pass_places=True,
        )
        pending &= good <= sizes[1]
    return least, good


def _smallest(passes, low, high, *, pass_places=False):
    """Return for each place the smallest rank in (low, high] that passes; `high` is taken to pass, `low` to fail."""
    low, high = low.copy(), high.copy()
    while (open_places := np.flatnonzero(high - low > 1)).size:
        middle = (low + high)[open_places] // 2
        passed = passes(middle, open_places) if pass_places else passes(middle)
        high[open_places[passed]] = middle[passed]
        low[open_places[~passed]] = middle[~passed]
    return high
