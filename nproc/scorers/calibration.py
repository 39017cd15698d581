"""Groups of rows with similar estimated probabilities, and how often each group is of class 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.errorbounds import clopper_pearson


@dataclass(frozen=True)
class CalibrationGroups:
    """Mean estimate and observed share of class 1 of groups of rows; all arrays have shape (k,).

    Attributes
    ----------
    estimate : ndarray
        Mean estimated probability of class 1.
    share : ndarray
        Share of class 1 rows.
    lower, upper : ndarray
        Clopper-Pearson interval of the share (95 %).
    size : ndarray of int
        Rows.
    """

    estimate: np.ndarray
    share: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    size: np.ndarray


def calibration_groups(probabilities, y, n_groups=10):
    """Return the `CalibrationGroups` of rows sorted by probability and cut into groups of equal size.

    Parameters
    ----------
    probabilities : ndarray, shape (n,)
        Estimated probabilities of class 1.
    y : ndarray, shape (n,)
        0 or 1.
    n_groups : int
        Number of groups; fewer if there are fewer rows.

    Returns
    -------
    groups : CalibrationGroups

    Examples
    --------
    >>> import numpy as np
    >>> groups = calibration_groups(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]), n_groups=2)
    >>> groups.estimate.round(2).tolist(), groups.share.tolist()
    ([0.15, 0.85], [0.0, 1.0])
    """
    parts = np.array_split(np.argsort(probabilities, kind="stable"), min(n_groups, len(y)))
    bounds = [clopper_pearson(int(y[rows].sum()), rows.size) for rows in parts]
    return CalibrationGroups(
        np.array([probabilities[rows].mean() for rows in parts]),
        np.array([y[rows].mean() for rows in parts]),
        np.array([bound.lower for bound in bounds]),
        np.array([bound.upper for bound in bounds]),
        np.array([rows.size for rows in parts]),
    )
