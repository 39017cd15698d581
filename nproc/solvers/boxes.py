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
