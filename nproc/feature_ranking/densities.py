"""The logarithm of the ratio of two densities of one feature, estimated from training rows of both classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_scores, tells_names

# a feature with at most so many distinct values may be discrete
MOST_VALUES = 20
# kernels of so many pairs are summed one by one; beyond, rows are put together in cells
EXACT_PAIRS = 1 << 14
# cells in a bandwidth
CELLS = 8
# so that squares of values in [-1, 1] over a bandwidth are finite
LEAST_WIDTH = 1e-150
# numbers in one block of kernels
BLOCK = 1 << 20


@tells_names
def log_density_ratio(train0: ArrayLike, train1: ArrayLike, points: ArrayLike) -> NDArray[np.float64]:
    r"""Return log(p1 / p0) at points, for densities p0 and p1 of one feature that are estimated from two samples.

    This is the score by which `rank_features` classifies rows by one feature. It is larger where class 1 is more
    likely, also for features whose middle values, or whose extreme ones, mean class 1.

    Parameters
    ----------
    train0, train1 : array-like, shapes (n0,) and (n1,)
        Values of the feature in the training rows of each class.
    points : array-like, shape (m,)
        Where the ratio is wanted.

    Returns
    -------
    ndarray, shape (m,)
        Finite numbers. Equal points have exactly equal values.

    Raises
    ------
    InvalidInputError
        If a sample is empty or has a value that is not finite.

    See Also
    --------
    rank_features : Rank all features of a table.

    Notes
    -----
    *Continuous features.* Each density is a mean of normal kernels with the bandwidth
    :math:`0.9 \min(s, \mathrm{IQR} / 1.34) n^{-1/5}` (equation 3.31 of [silverman1986]_), or of s alone where the
    interquartile range is 0. The sums are taken on the scale of logarithms, so that neither density is ever 0. A class
    whose training rows are all equal takes the bandwidth of the other class.

    With more than 16384 pairs of training rows and points, training rows are put together in cells of an eighth of
    a bandwidth, each at its mean, and log p is interpolated between points at the same distance. The cells depend on
    the training rows alone, so the score of a point does not depend on the other points.

    *Discrete features.* If the training rows have at most 20 distinct values, and no more than half as many as there
    are rows, the densities are relative frequencies, with 1/2 added to the count of each value and to that of "any
    other value".

    References
    ----------
    [li2021]_ takes kernel densities with a plug-in bandwidth.

    Examples
    --------
    >>> from nproc.feature_ranking import log_density_ratio
    >>> print(log_density_ratio([0, 0, 0, 1], [1, 1, 1, 0], [0, 1, 2]).round(3))
    [-0.847  0.847  0.   ]
    """
    first, second, wanted = (
        check_scores(values, name) for values, name in ((train0, "train0"), (train1, "train1"), (points, "points"))
    )
    values, places = np.unique(wanted, return_inverse=True)
    exponent = scale_exponent(np.concatenate([first, second, values]))
    first, second, values = (np.ldexp(sample, -exponent) for sample in (np.sort(first), np.sort(second), values))
    return sorted_log_ratio(first, second, values)[places]


def scale_exponent(values):
    """Return the power of two that carries the values into [-1, 1], where no difference or square overflows."""
    return int(np.frexp(np.abs(values).max())[1])


def sorted_log_ratio(train0, train1, values):
    """Return `log_density_ratio` of sorted samples of moderate size, at distinct points in ascending order."""
    n = train0.size + train1.size
    known = np.union1d(train0, train1) if _few_values(train0, n) and _few_values(train1, n) else None
    if known is not None and known.size <= min(MOST_VALUES, n // 2):
        return _log_frequency(train1, known, values) - _log_frequency(train0, known, values)
    width0, width1 = _bandwidth(train0), _bandwidth(train1)
    # both are 0 only where each class has one value and there are hardly any rows
    width0, width1 = width0 or width1 or 1.0, width1 or width0 or 1.0
    return _log_density(train1, width1, values) - _log_density(train0, width0, values)


def _few_values(ordered, n):
    return 1 + np.count_nonzero(ordered[1:] > ordered[:-1]) <= min(MOST_VALUES, n // 2)


def _log_frequency(train, known, values):
    """Return the logarithms of smoothed relative frequencies at some values."""
    counts = np.zeros(known.size + 1)
    counts[:-1] = np.bincount(np.searchsorted(known, train), minlength=known.size)
    places = np.searchsorted(known, values)
    seen = places < known.size
    seen[seen] = known[places[seen]] == values[seen]
    logs = np.log((counts + 0.5) / (train.size + 0.5 * counts.size))
    return logs[np.where(seen, places, known.size)]


def _bandwidth(ordered):
    """Return the normal reference bandwidth of a sorted sample, 0 if its values are all equal."""
    n = ordered.size
    if ordered[0] == ordered[-1]:
        return 0.0
    spread = ordered.std(ddof=1)
    at = np.array([0.25, 0.75]) * (n - 1)
    below = at.astype(np.intp)
    low, high = ordered[below] + (at - below) * (ordered[below + 1] - ordered[below])
    if high > low:
        spread = min(spread, (high - low) / 1.34)
    return max(float(0.9 * spread * n**-0.2), LEAST_WIDTH)


def _log_density(train, width, values):
    """Return the logarithm of the kernel density of a sorted sample, at sorted points."""
    if train.size * values.size <= EXACT_PAIRS:
        return _log_kernel_sum(train, None, width, values) - np.log(train.size * width)
    step = width / CELLS
    # far away, where cells are no longer told apart, each value is one
    cell = np.floor((train - train[0]) / step)
    starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    counts = np.diff(np.append(starts, train.size))
    centres = np.add.reduceat(train - train[0], starts) / counts
    place = (values - train[0]) / step
    below = np.floor(place)
    nodes = np.union1d(below, below + 1.0)
    heights = _log_kernel_sum(centres, counts.astype(float), width, nodes * step) - np.log(train.size * width)
    left = heights[np.searchsorted(nodes, below)]
    right = heights[np.searchsorted(nodes, below + 1.0)]
    return left + (place - below) * (right - left)


def _log_kernel_sum(centres, counts, width, values):
    """Return the logarithm of the sum of exp(-z^2 / 2) over the centres; the factor of both densities is left out."""
    sums = np.empty(values.size)
    centres, values = centres / width, values / width
    rows = max(1, BLOCK // centres.size)
    for start in range(0, values.size, rows):
        part = values[start : start + rows]
        powers = part[:, None] - centres
        np.multiply(powers, powers, out=powers)
        powers *= -0.5
        with np.errstate(under="ignore"):
            found = _weighted(np.exp(powers), counts)
        far = found < 1e-200
        found = np.log(found, out=np.zeros(part.size), where=~far)
        if far.any():
            # far from all training rows: relative to the nearest
            powers = powers[far]
            top = powers.max(axis=1)
            with np.errstate(under="ignore"):
                found[far] = top + np.log(_weighted(np.exp(powers - top[:, None]), counts))
        sums[start : start + rows] = found
    return sums


def _weighted(kernels, counts):
    # einsum, since the bits of a BLAS product may depend on the number of rows
    return kernels.sum(axis=1) if counts is None else np.einsum("ij,j->i", kernels, counts)
