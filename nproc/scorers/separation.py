"""Separated classes: when a maximum likelihood estimate of logistic regression does not exist."""

from __future__ import annotations

import numpy as np

from nproc.errors import SeparationWarning
from nproc.warning_place import warn_at_call

# a separating direction with entries of at most 1 counts when it parts rows by more than this; the linear
# program is solved to 1e-7
LEAST_MARGIN = 1e-5
# the last Newton step has converged to a separating direction only so far
ROUNDING = 1e-7


def parts_classes(linear, codes):
    """Return whether every row of class 1 lies strictly above every row of class 0."""
    return bool(linear[codes == 1].min() > linear[codes == 0].max())


def separating_direction(design, codes, candidates):
    """Return a direction along which the likelihood never falls, or None if there is none.

    Albert and Anderson (1984): the maximum likelihood estimate exists unless some b != 0 has x'b >= 0 for
    all rows of class 1 and x'b <= 0 for all rows of class 0. Konis (2007) finds b by a linear program, which
    is slow for many rows, so likely directions are tried first.

    Parameters
    ----------
    design : ndarray, shape (n, q)
        Independent columns of similar scale, the first of ones.
    codes : ndarray, shape (n,)
        0 or 1.
    candidates : iterable of ndarray, shape (q,), or None
        Where Newton's method stopped and its last step, which tends to a separating direction.

    Returns
    -------
    direction : ndarray, shape (q,), or None
    """
    sign = np.where(codes == 1, 1.0, -1.0)
    for candidate in candidates:
        if candidate is None or not np.isfinite(candidate).all():
            continue
        direction = candidate.copy()
        linear = design @ direction
        if parts_classes(linear, codes):
            direction[0] -= (linear[codes == 0].max() + linear[codes == 1].min()) / 2
            return direction
        largest = np.abs(linear).max()
        if largest > 0 and (sign * linear).min() >= -ROUNDING * largest:
            return direction / np.abs(direction).max()
    # imported here: scipy.optimize is slow to import and rarely needed
    from scipy.optimize import linprog

    # identical rows give identical constraints
    constraints = np.unique(sign[:, None] * design, axis=0)
    solution = linprog(
        -constraints.mean(axis=0),
        A_ub=-constraints,
        b_ub=np.zeros(constraints.shape[0]),
        bounds=(-1, 1),
        method="highs",
    )
    if solution.x is None or (constraints @ solution.x).max() <= LEAST_MARGIN:
        return None
    return solution.x


def warn_separated(direction, design, codes):
    """Warn that the classes are separated along `direction`, completely or but for ties."""
    linear = design @ direction
    if parts_classes(linear, codes):
        what = "the classes of the training rows are completely separated by a linear rule"
    else:
        # no counts here: they differ between splits, and equal warnings are told once
        what = (
            "quasi-complete separation: a linear rule is right for certain about some training rows and ties on the "
            "others, as with a rare category that occurs in one class only"
        )
    warn_at_call(
        f"{what}: logistic regression has no maximum likelihood estimate. The scores still rank the rows, "
        "but the coefficients are arbitrary in size. Use method 'penlog', or fewer columns.",
        SeparationWarning,
    )
