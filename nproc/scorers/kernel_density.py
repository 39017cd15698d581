"""The logarithm of a Gaussian kernel density estimate in one dimension, fast and finite everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# in bandwidths: spacing of the knots, how far from a data point knots are set, and the distance beyond
# which a data point no longer matters at a knot (it adds less than exp(-32) of the whole there)
SPACING = 0.25
REACH = 12.0
WINDOW = 15.0
# a distance that can be squared and summed without overflow
FARTHEST = 1e150


@dataclass(frozen=True)
class LogDensity:
    """Knots of the log density, with its slope at each.

    Attributes
    ----------
    knots, values, slopes : ndarray, shape (k,)
        Position in bandwidths, log density and its derivative there.
    bandwidth : float
        Standard deviation of the kernel.
    """

    knots: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    bandwidth: float

    def __call__(self, x):
        """Return the log density at `x`, shape as `x`; finite for every finite `x`."""
        x = np.clip(x / self.bandwidth, -FARTHEST, FARTHEST)
        left = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, self.knots.size - 2)
        right = left + 1
        width = self.knots[right] - self.knots[left]
        past_left, past_right = x - self.knots[left], x - self.knots[right]
        tail_left = self.values[left] + past_left * (self.slopes[left] - 0.5 * past_left)
        tail_right = self.values[right] + past_right * (self.slopes[right] - 0.5 * past_right)
        # what holds before the first knot and after the last; overwritten below for x between knots
        log_density = np.where(past_left < 0, tail_left, tail_right)
        between = (past_left >= 0) & (past_right <= 0)
        gap = between & (width > 1.5 * SPACING)
        log_density[gap] = np.logaddexp(tail_left[gap], tail_right[gap])
        near = between & ~gap
        log_density[near] = _hermite(past_left[near] / width[near], width[near], left[near], self.values, self.slopes)
        return log_density


def fit_log_density(x, bandwidth):
    r"""Return the `LogDensity` of the kernel density estimate :math:`\frac{1}{nh}\sum_i \phi((t - x_i) / h)`.

    The estimate and its slope are computed at knots a quarter of a bandwidth apart, wherever a data point
    lies within twelve bandwidths, and interpolated by cubics. Beyond the knots, each side goes on as the tail
    of a Gaussian kernel: log density quadratic with curvature -1/h^2.

    Parameters
    ----------
    x : ndarray, shape (n,)
        The sample; already checked.
    bandwidth : float
        Standard deviation h of the kernel, above 0.

    Returns
    -------
    log_density : LogDensity

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.kernel_density import fit_log_density
    >>> fit_log_density(np.array([0.0]), 1.0)(np.array([0.0, 3.0, 20.0])).round(3)
    array([  -0.919,   -5.419, -200.919])
    """
    scaled = np.sort(x) / bandwidth
    knots = _knots(scaled)
    values, slopes = np.empty(knots.size), np.empty(knots.size)
    for start in range(0, knots.size, 32):
        part = slice(start, start + 32)
        chunk = knots[part]
        first, last = np.searchsorted(scaled, [chunk[0] - WINDOW, chunk[-1] + WINDOW])
        near = scaled[first:last]
        distance = near - chunk[:, None]
        exponent = -0.5 * distance**2
        top = exponent.max(axis=1, keepdims=True)
        weight = np.exp(exponent - top)
        total = weight.sum(axis=1)
        values[part] = top[:, 0] + np.log(total)
        slopes[part] = (weight * distance).sum(axis=1) / total
    values -= np.log(x.size * bandwidth * np.sqrt(2 * np.pi))
    return LogDensity(knots, values, slopes, float(bandwidth))


def nrd0(x, least):
    """Return Silverman's rule of thumb as R's ``bw.nrd0``: 0.9 min(sd, IQR / 1.34) n^(-1/5).

    A zero interquartile range leaves the standard deviation; the result is at least `least`.
    """
    spread = x.std(ddof=1)
    lower, upper = np.quantile(x, [0.25, 0.75])
    robust = (upper - lower) / 1.34
    narrow = min(spread, robust) if robust > 0 else spread
    return max(0.9 * narrow * x.size ** (-0.2), least)


def _knots(scaled):
    cells = np.unique(np.floor(scaled / SPACING))
    reach = int(REACH / SPACING)
    shifts = np.arange(-reach, reach + 2)
    return np.unique(cells[:, None] + shifts) * SPACING


def _hermite(t, width, left, values, slopes):
    right = left + 1
    return (
        values[left] * (1 + 2 * t) * (1 - t) ** 2
        + values[right] * t**2 * (3 - 2 * t)
        + width * (slopes[left] * t * (1 - t) ** 2 - slopes[right] * t**2 * (1 - t))
    )
