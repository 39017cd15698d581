"""Where the axis of levels of bands ends, if nobody says so."""

import numpy as np

ENDS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
# how many times the alpha of interest the axis shows, unless the bands are flat before
TIMES_ALPHA = 3
# a band within this distance of its last height counts as flat
FLAT = 0.02


def end_of_levels(alpha, bands, *, marked=0.0):
    """Return where the axis of levels ends: soon behind an alpha, or where all bands are flat.

    Parameters
    ----------
    alpha : float
        The level of interest.
    bands : iterable of sequence of ndarray
        For each band its levels in ascending order, and its curves there.
    marked : float
        A level that is in sight in any case.

    Returns
    -------
    float
        One of `ENDS`.

    Examples
    --------
    >>> end_of_levels(0.05, [(np.array([0.02, 0.9]), np.array([0.5, 0.1]))])
    0.2
    >>> end_of_levels(0.05, [(np.array([0.02, 0.9]), np.array([0.5, 0.1]))], marked=0.2)
    0.3
    """
    # 3 times 0.1 is not above 0.3
    enough = min(round(TIMES_ALPHA * alpha, 9), max(map(_flat_from, bands)))
    return next(end for end in ENDS if enough <= end and marked < end)


def _flat_from(knots):
    """Return from which level on a band is within `FLAT` of its height at the last."""
    alpha, *curves = knots
    away = np.any([np.abs(curve - curve[-1]) > FLAT for curve in curves], axis=0)
    return alpha[np.flatnonzero(away)[-1] + 1] if away.any() else alpha[0]
