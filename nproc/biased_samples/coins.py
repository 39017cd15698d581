r"""Coins that keep each row or leave it out: one draw of them, or the average over all of their outcomes.

A row is kept with probability w / weight_max. Where w is only known to lie between two values, a row above the
candidate cut is kept with the upper one, and a row at or below it with the lower one. The shares of the two kinds are
`high` and `low`, both in [0, 1], in the order of the scores.
"""

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
    evidence = MeanEvidence(values.size, alpha, delta)
    return first_passing(values, lambda n_below: evidence.at(high[n_below:], low[:n_below]) >= 1 + _ROUNDING)


class MeanEvidence:
    r"""Delta times the mean of the evidence over the coins of rows above a cut and of rows below it.

    With K rows kept above and M below, the evidence of one outcome is the sum over `LEVELS` (r, p) of p / (r delta)
    where the randomised p-value of K among Bin(K + M, alpha) is at most r delta. Its uniform number is averaged over
    too, which spreads a p-value evenly over P(B < K) to P(B <= K).

    Parameters
    ----------
    n : int
        Number of rows.
    alpha, delta : float
        The levels.
    """

    def __init__(self, n, alpha, delta):
        self.tables = [(part / share, _LevelTable(n, alpha, share * delta)) for share, part in LEVELS]

    def at(self, above, below):
        """Return the mean for rows that are kept with the probabilities `above` and `below`."""
        mass_above, mass_below = count_law(above), count_law(below)
        n_below = np.flatnonzero(mass_below > _NEGLIGIBLE)
        return sum(
            height * float(table.chances(mass_above, n_below) @ mass_below[n_below]) for height, table in self.tables
        )


class _LevelTable:
    """The largest numbers kept above a cut that pass one level, by the number kept below; filled as needed."""

    def __init__(self, n, alpha, level):
        self.n, self.alpha, self.level = n, alpha, level
        self.most = np.full(n + 1, -2)
        # for numbers above the largest, by how much more: the part of their p-values that passes
        self.parts = []

    def chances(self, mass_above, n_below):
        """Return, for each number kept below, the chance that the randomised p-value is at most the level."""
        self._fill(n_below[self.most[n_below] == -2])
        most, mass = self.most[n_below], np.append(mass_above, 0.0)
        cumulative = np.append(0.0, np.cumsum(mass_above))
        chances = cumulative[np.minimum(most + 1, mass_above.size)]
        for more, part in enumerate(self.parts, start=1):
            chances = chances + part[n_below] * mass[np.minimum(most + more, mass_above.size)]
        return chances

    def _fill(self, n_below):
        good, bad = np.full(n_below.size, -1), np.full(n_below.size, self.n + 1)
        while np.any(bad - good > 1):
            middle = np.maximum((good + bad) // 2, 0)
            passed = _up_to(middle, n_below, self.alpha) <= self.level
            good, bad = np.where(passed, middle, good), np.where(passed, bad, middle)
        self.most[n_below] = good
        more = 0
        while True:
            more += 1
            lower, upper = _below(good + more, n_below, self.alpha), _up_to(good + more, n_below, self.alpha)
            if np.all(lower >= self.level):
                return
            if len(self.parts) < more:
                self.parts.append(np.zeros(self.n + 1))
            # an upper end at or below the level is one that rounding has moved
            width = np.maximum(upper - lower, self.level - lower)
            inside = lower < self.level
            self.parts[more - 1][n_below[inside]] = ((self.level - lower) / np.where(inside, width, 1.0))[inside]


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
