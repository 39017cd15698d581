"""Boxes of a dual problem with sum(c) = 0, and the way into them."""

from __future__ import annotations

import numpy as np

# a coefficient this close to a bound lies there; a share of its box or, where the boxes are far wider than any
# coefficient, of the largest coefficient
ROUNDING = 1e-14


def shifted_boxes(signs, cost, beta, eta):
    """Return the boxes of c_i = y_i a_i, lower and upper: -beta_i C_i <= 2 eta a_i <= (1 - beta_i) C_i."""
    half = cost / (2.0 * eta)
    low, high = -beta * half, (1.0 - beta) * half
    # adding 0.0 turns -0.0 into 0.0
    return np.where(signs > 0, low, -high) + 0.0, np.where(signs > 0, high, -low) + 0.0


def balanced(c, lower, upper):
    """Return a point of the boxes with sum 0 near `c`, which lies in the boxes; they contain 0.

    The side that has too much is multiplied down, first the coefficients inside their boxes and, where these do not
    suffice, the others: none becomes different from 0, and as few as possible leave their bounds.
    """
    moved = c.copy()
    for inside in (True, False):
        excess = float(np.sum(moved))
        if excess == 0.0:
            break
        side = moved > 0 if excess > 0 else moved < 0
        if inside:
            side &= (moved > lower) & (moved < upper)
        available = float(np.sum(moved[side]))
        if available != 0.0:
            moved[side] *= max(0.0, 1.0 - excess / available)
    settle(moved, lower, upper)
    return moved


def followed(c, before, now, margin):
    """Return `c` in new boxes, with coefficients at a bound still at it, and a sum near 0.

    Where costs change by little, most coefficients stay at the bounds of their boxes: a start that leaves them where
    the bounds were costs a step for each. The side that has too much is emptied row by row instead, those of least
    `margin` (distance of the score from the edge of the hinge) first, since they are the next to leave their bounds.

    Parameters
    ----------
    c : ndarray, shape (n,)
        A point of the boxes `before`.
    before, now : tuple of two ndarray, shape (n,)
        Lower and upper ends of the boxes, all of which contain 0.
    margin : ndarray, shape (n,)
        What the rows of a side are ordered by.

    Returns
    -------
    moved : ndarray, shape (n,)
        A point of the boxes `now`.
    """
    (lower_before, upper_before), (lower, upper) = before, now
    has_width = upper_before > lower_before
    moved = np.where(has_width & (c == upper_before), upper, np.clip(c, lower, upper))
    moved = np.where(has_width & (c == lower_before), lower, moved)
    excess = float(np.sum(moved))
    side = np.flatnonzero(moved * excess > 0)
    side = side[np.argsort(margin[side], kind="stable")]
    total = np.cumsum(np.abs(moved[side]))
    n_emptied = int(np.searchsorted(total, abs(excess)))
    moved[side[:n_emptied]] = 0.0
    return moved


def settle(c, lower, upper):
    """Put what lies at a bound but for rounding there, and take the rest of sum(c) from rows with room, in place."""
    near = ROUNDING * np.minimum(upper - lower, np.max(np.abs(c), initial=0.0))
    c[c - lower <= near] = lower[c - lower <= near]
    c[upper - c <= near] = upper[upper - c <= near]
    excess = float(np.sum(c))
    while excess != 0.0:
        room = np.minimum(c - lower, upper - c)
        if not np.any(room > 0):
            # no row is free: one leaves its bound, unless for a rounding error
            if abs(excess) <= ROUNDING * float(np.sum(np.abs(c))):
                return
            room = c - lower if excess > 0 else upper - c
        k = int(np.argmax(room))
        c[k] = min(max(c[k] - excess, lower[k]), upper[k])
        left = float(np.sum(c))
        if abs(left) >= abs(excess):
            return
        excess = left
