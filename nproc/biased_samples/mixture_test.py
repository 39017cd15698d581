r"""A test at one cut: two binomial counts of mixtures, and whether the unmixed class 0 exceeds alpha there.

Of n0 rows labelled 0 and n1 rows labelled 1, let X and Y have scores above a cut. They are independent, binomial with
the probabilities u and v. A violation at the cut means u >= b(v), where b is the `NullCurve`. The test passes a cut
when X <= k(Y), for the nondecreasing k that `allowed_counts` chooses from the sizes, the noise and the levels alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.special import betainc, betaincc, ndtri

# steps of the counts and of the nuisance, in standard deviations of the test; more steps than these are never made
STEP, MOST_STEPS = 0.04, 500
# rounds in which the quantile is adapted to the nuisance, at so many values of it; in the end all of them are looked at
ROUNDS, KNOTS = 5, 60
# a quantile that fails is raised by what is missing and this
MARGIN = 2e-3
# no quantile is above this, where k is 0
LARGEST = 1e12
# probabilities of the two tails that are bounded and not summed, as a share of delta
TAIL = 1e-3
# what rounding may add to a sum of incomplete beta functions, relative
ROUNDING = 1e-9


@dataclass(frozen=True)
class NullCurve:
    r"""The least u = P(score > cut | label 0) at a cut where class 0 exceeds alpha, as a function of v for label 1.

    Inside the box of noises, :math:`b(v) = (1 - \rho) \alpha + \rho v` with :math:`\rho = noise_0 / (1 - noise_1)`. It
    is smallest for the lowest rho where v >= alpha, and for the highest where v < alpha.
    """

    alpha: float
    low: float
    high: float

    def __call__(self, v):
        return self.alpha + self.slope(v) * (v - self.alpha)

    def slope(self, v):
        return np.where(v < self.alpha, self.high, self.low)


@dataclass(frozen=True, eq=False)
class AllowedCounts:
    """The nondecreasing k of the test: `counts[j]` for Y from `starts[j]` to before `starts[j + 1]`."""

    starts: np.ndarray
    counts: np.ndarray
    size: float

    def __call__(self, n_above1):
        return self.counts[np.searchsorted(self.starts, n_above1, side="right") - 1]


class Cells:
    """Intervals of the nuisance v that cover [0, 1], with the law of Y in each, from above."""

    def __init__(self, n0, n1, curve, delta):
        spread = np.sqrt(curve(0.0) * (1 - curve(0.0)) / n0)
        parts = []
        for start, end, slope in ((0.0, curve.alpha, curve.high), (curve.alpha, 1.0, curve.low)):
            n_steps = int(np.clip(np.ceil(slope * (end - start) / (STEP * spread)), 1, MOST_STEPS))
            parts.append(np.linspace(start, end, n_steps + 1))
        edges = np.concatenate([parts[0], parts[1][1:]])
        self.n0, self.lower, self.upper = n0, edges[:-1], edges[1:]
        self.u = curve(self.lower)
        # blocks of values of Y, no longer than a cell; k is that of the first value of a block
        self.starts = np.unique(np.floor(n1 * self.lower)).astype(np.int64)
        reach = _reach(n1, self.upper, delta)
        first = np.maximum(np.searchsorted(self.starts, n1 * self.upper - reach, side="right") - 1, 0)
        last = np.searchsorted(self.starts, n1 * self.upper + reach, side="right")
        later = first[:, None] + np.arange(1, int(np.max(last - first)) + 2)
        # from the first block on; what lies below it counts as that block
        self.blocks = np.minimum(np.column_stack([first, later[:, :-1]]), self.starts.size - 1)
        at = self.starts[np.minimum(later, self.starts.size - 1)].astype(float)
        chances = np.where(at > 0, betainc(np.maximum(at, 1.0), n1 - at + 1.0, self.upper[:, None]), 1.0)
        self.reached = np.where(later < self.starts.size, chances, 0.0)

    def sizes(self, counts, rows=slice(None)):
        """Return for each cell an upper bound on P(X <= k(Y)) over its v, with u on the curve or above it.

        It is P(X <= k(Y)) for the largest v and the smallest u of the cell, as a sum over blocks of P(Y reaches the
        block) times the step of P(X <= k) there. What lies behind the last block of the window has the largest k.
        """
        u = self.u[rows, None]
        passed = _binomial_cdf(counts[self.blocks[rows]], self.n0, u)
        steps = np.diff(passed, axis=1, append=_binomial_cdf(counts[-1], self.n0, u))
        return passed[:, 0] + np.sum(steps * self.reached[rows], axis=1)


def _reach(n, v, delta):
    """Return a distance from the mean that a binomial count exceeds with a probability of at most TAIL * delta."""
    # Bernstein's inequality
    a = -np.log(TAIL * delta)
    return a / 3 + np.sqrt(a * a / 9 + 2 * a * n * v * (1 - v)) + 1


def _binomial_cdf(k, n, p):
    inside = k < n
    return np.where(inside, betaincc(np.where(inside, k, 0) + 1.0, np.where(inside, n - k, 1.0), p), 1.0)


def rows_needed(curve, delta):
    """Return the smallest n0 for which the test passes a cut above all scores, where X = Y = 0."""
    return max(1, math.ceil(math.log(delta * (1 - ROUNDING)) / math.log1p(-float(curve(0.0)))))


@lru_cache(maxsize=256)
def allowed_counts(n0, n1, curve, delta):
    """Return the `AllowedCounts` of the test at the level delta; n0 is at least `rows_needed`.

    Any nondecreasing k that passes the check of the sizes at the end is valid. The rounds before make k large: k is an
    approximate binomial quantile, whose normal quantile is adapted until the size is near delta for every v.
    """
    cells = Cells(n0, n1, curve, delta)
    at = cells.starts / n1
    u = curve(at)
    variance = n0 * u * (1 - u) + (n0 * curve.slope(at)) ** 2 * at * (1 - at) / n1

    def counts_of(z):
        # Cornish and Fisher's approximation, with a last term that stays small; k = 0 is always allowed
        k = np.floor(n0 * u - z * np.sqrt(variance) + (np.minimum(np.abs(z), 6) ** 2 - 1) * (1 - 2 * u) / 6 - 0.5)
        return np.minimum.accumulate(np.clip(k, 0, n0)[::-1])[::-1].astype(np.int64)

    knots = np.unique(np.linspace(0, cells.u.size - 1, KNOTS).round().astype(int))
    middle = (cells.lower + cells.upper)[knots] / 2
    z = np.full(middle.shape, -ndtri(delta))
    for _ in range(ROUNDS):
        z += np.clip(_missing(cells.sizes(counts_of(np.interp(at, middle, z)), knots), delta), -1, 1)
    # the two knots beside each cell
    right = np.searchsorted(knots, np.arange(cells.u.size), side="right")
    beside = np.maximum(right - 1, 0), np.minimum(right, knots.size - 1)
    margin, radius = MARGIN, 0
    while True:
        counts = counts_of(np.interp(at, middle, z))
        sizes = cells.sizes(counts)
        over = np.flatnonzero(sizes > delta * (1 - ROUNDING))
        if over.size == 0:
            return AllowedCounts(cells.starts, counts, float(sizes.max()) * (1 + ROUNDING))
        # each round lowers k where the test fails and ever further around it, in the end to 0 for all, which passes
        raised = np.zeros(z.shape)
        for knot in beside:
            np.maximum.at(raised, knot[over], np.maximum(_missing(sizes[over], delta), 0) + margin)
        z = np.minimum(z + maximum_filter1d(raised, 2 * radius + 1), LARGEST)
        margin, radius = 1.5 * margin, min(radius + 1, z.size)


def _missing(sizes, delta):
    """Return by how much normal quantiles must rise where a test of these sizes should have the size delta."""
    return ndtri(np.clip(sizes, delta * 1e-6, 1 - 1e-12)) - ndtri(delta)
