r"""Coins that keep each row or leave it out: one draw of them, or the average over all of their outcomes.

A row is kept with probability w / weight_max. Where w is only known to lie between two values, a row above the
candidate cut is kept with the upper one, and a row at or below it with the lower one. The shares of the two kinds are
`high` and `low`, both in [0, 1], in the order of the scores.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import betaincc

from nproc.orderstat import search_orders

# levels as shares of delta, and what each counts; see the Notes of np_threshold_shifted
LEVELS = ((0.3, 0.6), (0.003, 0.2), (0.00001, 0.2))
# far above the rounding of the averages: sums of n numbers, each off by 1e-16 at most, over the smallest level
_ROUNDING = 1e-6
_NEGLIGIBLE = 1e-18


def first_passing(values, passes):
    """Return the first of the sorted `values` at which `passes(rows at or below it)` holds, or None if none does.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Sorted scores; tied ones count as one.
    passes : callable
        From a number of rows to bool; once true it stays true for more rows.
    """
    ends = np.append(np.flatnonzero(np.diff(values)), values.size - 1) + 1
    bad, good = -1, ends.size - 1
    if not passes(int(ends[good])):
        return None
    while good - bad > 1:
        middle = (bad + good) // 2
        if passes(int(ends[middle])):
            good = middle
        else:
            bad = middle
    return int(ends[good])


def drawn_cut(values, low, high, uniform, alpha, delta):
    """Return the rows at or below the cut of one draw, or None, and the counts kept at or below it and in all.

    Without a cut the counts are those at the largest score.
    """
    below = np.concatenate([[0], np.cumsum(uniform < low)])
    above = np.concatenate([np.cumsum((uniform < high)[::-1])[::-1], [0]])

    def passes(n_below):
        kept = int(below[n_below] + above[n_below])
        return kept > 0 and bool(search_orders(kept, np.array([alpha]), delta)[0] <= below[n_below])

    at = first_passing(values, passes)
    counted = values.size if at is None else at
    return at, int(below[counted]), int(below[counted] + above[counted])


def averaged_cut(values, low, high, alpha, delta):
    """Return the rows at or below the cut that averages over all outcomes of the coins, or None."""

    def passes(n_below):
        return mean_evidence(high[n_below:], low[:n_below], alpha, delta) >= 1 + _ROUNDING

    return first_passing(values, passes)


def mean_evidence(above, below, alpha, delta):
    r"""Return delta times the mean of the evidence over the coins of rows above a cut and of rows below it.

    With K rows kept above and M below, the evidence of one outcome is the sum over `LEVELS` (r, p) of p / (r delta)
    where the randomised p-value of K among Bin(K + M, alpha) is at most r delta, and its uniform number is averaged
    over too.

    Parameters
    ----------
    above, below : ndarray
        Probabilities with which the rows on each side are kept.
    alpha, delta : float
        The levels.

    Returns
    -------
    float
        From 0 to p / r of the last level, 20000.
    """
    mass_above, mass_below = count_law(above), count_law(below)
    many = np.flatnonzero(mass_below > _NEGLIGIBLE)
    total = 0.0
    for share, part in LEVELS:
        chances = _chance_of_passing(mass_above, many, alpha, share * delta)
        total += part / share * float(chances @ mass_below[many])
    return total


def _chance_of_passing(mass_above, n_below, alpha, level):
    """Return, for each number kept below, the chance that the randomised p-value is at most `level`."""
    cumulative = np.concatenate([[0.0], np.cumsum(mass_above)])
    most = mass_above.size - 1
    # the largest number kept above whose p-value P(Bin(K + M, alpha) <= K) is at most the level, -1 for none
    good, bad = np.full(n_below.size, -1), np.full(n_below.size, most + 1)
    while np.any(bad - good > 1):
        middle = np.clip((good + bad) // 2, 0, most)
        passed = _up_to(middle, n_below, alpha) <= level
        good, bad = np.where(passed, np.maximum(middle, good), good), np.where(passed, bad, np.minimum(middle, bad))
    chances = cumulative[good + 1]
    # beyond them the uniform number decides, which spreads a p-value over the mass of its count
    edge = good + 1
    while True:
        inside = edge <= most
        at = np.where(inside, edge, 0)
        lower, upper = _below(at, n_below, alpha), _up_to(at, n_below, alpha)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(inside & (lower < level), np.clip((level - lower) / (upper - lower), 0.0, 1.0), 0.0)
        if not np.any(part > 0):
            return chances
        chances = chances + part * mass_above[at]
        edge = edge + 1


def _up_to(k, m, alpha):
    """Return P(Bin(k + m, alpha) <= k)."""
    return np.where(m > 0, betaincc(k + 1.0, np.maximum(m, 1), alpha), 1.0)


def _below(k, m, alpha):
    """Return P(Bin(k + m, alpha) < k)."""
    return np.where(k > 0, betaincc(np.maximum(k, 1), m + 1.0, alpha), 0.0)


def count_law(chances):
    """Return the probabilities of 0, 1, ..., n rows kept, where each is kept by a coin of its own.

    Pairs of laws are folded into one until one is left, by Fourier transforms, O(n log(n)^2).

    Examples
    --------
    >>> count_law(np.array([0.5, 0.5, 1.0])).round(3).tolist()
    [0.0, 0.25, 0.5, 0.25]
    """
    chances = np.asarray(chances, dtype=np.float64)
    if chances.size == 0:
        return np.ones(1)
    n_laws = 1 << int(chances.size - 1).bit_length()
    padded = np.concatenate([chances, np.zeros(n_laws - chances.size)])
    laws = np.stack([1 - padded, padded], axis=1)
    while laws.shape[0] > 1:
        length = 2 * laws.shape[1] - 1
        if length <= 65:
            first, second = laws[0::2], laws[1::2]
            folded = np.zeros((first.shape[0], length))
            for j in range(first.shape[1]):
                folded[:, j : j + second.shape[1]] += first[:, j : j + 1] * second
            laws = folded
        else:
            size = next_fast_len(length, real=True)
            spectra = rfft(laws, size, axis=1)
            laws = irfft(spectra[0::2] * spectra[1::2], size, axis=1)[:, :length]
    return np.clip(laws[0, : chances.size + 1], 0.0, 1.0)
