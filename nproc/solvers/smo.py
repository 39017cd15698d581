"""Sequential minimal optimisation on boxes: the loops in which a support vector machine spends its time.

The problem is min 1/2 c'Kc - t'c subject to sum(c) = 0 and lower <= c <= upper, with gradient ascent direction
g = t - Kc. A row can go up where c < upper and down where c > lower; at the solution no row that can go up has a larger
g than one that can go down. Each step moves one pair, c_i up and c_j down, by the same amount.

A row that cannot go up has -inf in `bar_up` and one that cannot go down +inf in `bar_down`: added to g they take
it out of a maximum or minimum without a branch, so that the loops compile to vector instructions.

References
----------
The pair is chosen by second-order information, WSS 2 of [fan2005]_.

.. [fan2005] Fan, R.-E., Chen, P.-H. and Lin, C.-J. (2005). Working set selection using second order information for
   training support vector machines. Journal of Machine Learning Research 6, 1889-1918.
"""

from __future__ import annotations

import numpy as np

from nproc.solvers.jit import hot

# why the loop came back to Python
PAUSED, OPTIMAL, NEEDS_ROW, STUCK = 0, 1, 2, 3
# curvature that stands for one that is zero or, with a matrix that is no kernel matrix, negative: this share of the
# largest kernel of a row with itself, so that units do not matter (in LIBSVM it is 1e-12 itself)
LEAST_CURVATURE = 1e-12


@hot
def extremes(g, bar_up, bar_down):
    """Return (row that can go up with the largest g, that g, least g of the rows that can go down)."""
    first, highest, lowest = -1, -np.inf, np.inf
    for k in range(g.shape[0]):
        up = g[k] + bar_up[k]
        if up > highest:
            first, highest = k, up
        down = g[k] + bar_down[k]
        if down < lowest:
            lowest = down
    return first, highest, lowest


@hot
def second_row(g, bar_down, row, diagonal, i, highest, least_curvature):
    """Return the row that can go down whose step with row i promises the largest gain; -1 where there is none."""
    best, j = -1.0, -1
    curvature_i = diagonal[i]
    for k in range(g.shape[0]):
        lead = highest - (g[k] + bar_down[k])
        if lead > 0.0:
            curvature = curvature_i + diagonal[k] - 2.0 * row[k]
            if curvature < least_curvature:
                curvature = least_curvature
            gain = lead * lead / curvature
            if gain > best:
                best, j = gain, k
    return j


@hot
def set_bars(c, lower, upper, bar_up, bar_down, k):
    """Write down which ways row k can go."""
    bar_up[k] = 0.0 if c[k] < upper[k] else -np.inf
    bar_down[k] = 0.0 if c[k] > lower[k] else np.inf


@hot
def step(c, lower, upper, g, row_i, row_j, curvature, i, j):
    """Move c_i up and c_j down as far as the gain grows and the boxes allow; return whether either has changed."""
    before_i, before_j = c[i], c[j]
    move = (g[i] - g[j]) / curvature
    room_i, room_j = upper[i] - c[i], c[j] - lower[j]
    move = min(move, room_i, room_j)
    # a bound that is met is met exactly
    c[i] = upper[i] if move == room_i else min(c[i] + move, upper[i])
    c[j] = lower[j] if move == room_j else max(c[j] - move, lower[j])
    for k in range(g.shape[0]):
        g[k] -= move * (row_i[k] - row_j[k])
    return c[i] != before_i or c[j] != before_j


@hot
def take_steps(
    c, lower, upper, g, bar_up, bar_down, diagonal, store, slot_of, last_use, clock, least_curvature, tol, n_steps
):
    """Take up to `n_steps` steps; return (why it came back, first row, second row, steps taken, clock, gap)."""
    taken = 0
    while True:
        i, highest, lowest = extremes(g, bar_up, bar_down)
        gap = highest - lowest
        # a gap that is NaN is not small
        if gap <= tol:
            return OPTIMAL, i, -1, taken, clock, gap
        if taken >= n_steps:
            return PAUSED, i, -1, taken, clock, gap
        slot_i = slot_of[i]
        if slot_i < 0:
            return NEEDS_ROW, i, -1, taken, clock, gap
        j = second_row(g, bar_down, store[slot_i], diagonal, i, highest, least_curvature)
        slot_j = slot_of[j]
        clock += 1
        last_use[slot_i] = clock
        if slot_j < 0:
            return NEEDS_ROW, i, j, taken, clock, gap
        last_use[slot_j] = clock
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * store[slot_i, j], least_curvature)
        if not step(c, lower, upper, g, store[slot_i], store[slot_j], curvature, i, j):
            return STUCK, i, j, taken, clock, gap
        set_bars(c, lower, upper, bar_up, bar_down, i)
        set_bars(c, lower, upper, bar_up, bar_down, j)
        taken += 1
