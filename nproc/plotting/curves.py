"""What a picture shows, as arrays: step curves and histogram bars. No drawing here."""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError

N_COLUMNS = 4000


def step_corners(alpha, type2_lower, type2_upper):
    """Return the corners, from 0 to 1, of the two step curves of an NP-ROC band.

    A curve keeps the value of a corner until the next one. Below the first knot no classifier exists:
    the lower curve is 0 there and the upper one has its value at the first knot.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        Knots in ascending order.
    type2_lower, type2_upper : ndarray, shape (k,)
        Bounds on the conditional type II error at the knots.

    Returns
    -------
    x, lower, upper : ndarray, shape (k + 2,)
        Levels, and one minus the upper and the lower bound.

    Raises
    ------
    InvalidInputError
        If the lengths differ or the knots are not in order.
    """
    if alpha.ndim != 1 or not alpha.size or not alpha.shape == type2_lower.shape == type2_upper.shape:
        raise InvalidInputError(
            "alpha, type2_lower and type2_upper must be one-dimensional and equally long, got shapes "
            f"{alpha.shape}, {type2_lower.shape} and {type2_upper.shape}."
        )
    if np.any(np.diff(alpha) < 0):
        raise InvalidInputError("alpha must be in ascending order; sort the three arrays by alpha.")
    lower, upper = 1 - type2_upper, 1 - type2_lower
    x = np.concatenate(([0.0], alpha, [1.0]))
    return x, np.concatenate(([0.0], lower, lower[-1:])), np.concatenate((upper[:1], upper, upper[-1:]))


def thin_corners(x, lower, upper):
    """Return the corners that a picture needs.

    Corners at which neither curve changes are left out, which changes nothing. If more than 8000
    remain, only the first and the last in each of 4000 columns of equal width stay; where the curves do
    not fall, this moves no step by more than 1/4000.

    Parameters
    ----------
    x, lower, upper : ndarray, shape (k,)
        Corners as `step_corners` returns them.

    Returns
    -------
    x, lower, upper : ndarray, shape (m,)
        A subset of the corners with the first and the last one, m at most 8002.
    """
    keep = np.ones(x.size, dtype=bool)
    keep[1:-1] = (np.diff(lower)[:-1] != 0) | (np.diff(upper)[:-1] != 0)
    x, lower, upper = x[keep], lower[keep], upper[keep]
    if x.size > 2 * N_COLUMNS:
        new = np.diff(np.floor(x * N_COLUMNS)) != 0
        keep = np.append(True, new) | np.append(new, True)
        x, lower, upper = x[keep], lower[keep], upper[keep]
    return x, lower, upper


def histogram_edges(samples, cut):
    """Return edges of equal bins for a histogram of one or more samples, with an edge exactly at `cut`.

    The range covers the central 99 % of each sample, and all of it unless far values would squeeze the
    rest together.

    Parameters
    ----------
    samples : sequence of ndarray
        The samples.
    cut : float
        A value that must be an edge.

    Returns
    -------
    ndarray, shape (m + 1,)
        Edges of 10 to about 60 bins.
    """
    low, high = cut, cut
    for sample in samples:
        inner = np.quantile(sample, [0.005, 0.995])
        slack = 0.5 * (inner[1] - inner[0])
        low = min(low, max(sample.min(), inner[0] - slack))
        high = max(high, min(sample.max(), inner[1] + slack))
    n_bins = int(np.clip(2 * np.cbrt(max(sample.size for sample in samples)), 10, 60))
    width = (high - low) / n_bins or max(abs(cut), 1.0) / 10
    first, last = np.floor((low - cut) / width), np.ceil((high - cut) / width)
    return cut + width * np.arange(min(first, -1), max(last, 1) + 1)  # at least one bin on each side


def histogram_heights(sample, edges):
    """Return the density in each bin; a bin holds its right edge, and the end bins all values beyond.

    Parameters
    ----------
    sample : ndarray, shape (n,)
        The values.
    edges : ndarray, shape (m + 1,)
        Ascending edges.

    Returns
    -------
    ndarray, shape (m,)
        Heights whose area is 1.

    Examples
    --------
    >>> import numpy as np
    >>> histogram_heights(np.array([0.0, 1.0, 1.5, 9.0]), np.array([0.0, 1.0, 2.0]))
    array([0.5, 0.5])
    """
    counts = np.histogram(-np.clip(sample, edges[0], edges[-1]), -edges[::-1])[0][::-1]
    return counts / (sample.size * np.diff(edges))
