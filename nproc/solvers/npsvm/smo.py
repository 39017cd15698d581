"""Sequential minimal optimisation on boxes: the loops in which a support vector machine spends its time.

The problem is min 1/2 c'Kc - t'c subject to sum(c) = 0 and lower <= c <= upper, with gradient ascent direction
g = t - Kc. A row can go up where c < upper and down where c > lower; at the solution no row that can go up has a larger
g than one that can go down. Each step moves one pair, c_i up and c_j down, by the same amount.

A row that cannot go up has -inf in `bar_up` and one that cannot go down +inf in `bar_down`: added to g they take
it out of a maximum or minimum without a branch, so that the loops compile to vector instructions.

References
----------
The pair is chosen by second-order information, WSS 2 of [fan2005]_.
"""

import numpy as np

from nproc.errors import InvalidInputError
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
    snap_and_balance(moved, lower, upper)
    return moved


def carried_to_new_boxes(c, before, now, margin):
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


def snap_and_balance(c, lower, upper):
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


# From one small problem to the next: sequential minimal optimisation that sees only the rows which may change.
#
# Rows that violate the optimality conditions, the worst and some of the others, and the free ones make a small problem.
# Its kernel matrix lies in one block that fits the processor's cache; it is solved to a share of the gap of the whole,
# and the gradient of all rows, those left out included, is then brought up to date with the kernel rows of the
# coefficients that have changed. So a kernel row is computed for about each support vector and for hardly another one,
# and no row is left out for good. Where the gap stops falling, the small problem grows.
#
# The worst violators alone make poor small problems: they lie close together, and few of them become support vectors.


# steps on all rows before the first small problem, where the start is near the solution
FIRST_STEPS = 500
# steps between two returns to Python, where Ctrl-C is heard
STEPS_AT_A_TIME = 10_000
# most violating rows that come into the first small problem
FIRST_SIZE = 256
# free rows that stay
KEPT_FREE = 512
# a small problem is solved to this share of the gap of the whole
INNER_SHARE = 0.2
# small problems without a new least gap after which their size doubles
PATIENCE = 12
# small problems with neither a new least gap nor a lower objective after which rounding is all that is left
NO_GAIN = 50
# rows that are computed with a missing one
BLOCK_ROWS = 64

REASONS = {
    OPTIMAL: "the KKT gap is at most tol",
    STUCK: "progress is limited by rounding errors, and the KKT gap is still above tol",
}


class BoxProblem:
    """min 1/2 c'Kc - t'c subject to sum(c) = 0 and lower <= c <= upper, while it is being solved.

    Parameters
    ----------
    rows : KernelRows
        The kernel matrix.
    lower, upper : ndarray, shape (n,)
        The boxes.
    c : ndarray, shape (n,)
        A feasible start, changed in place.
    target : ndarray, shape (n,)
        The linear term t.
    g : ndarray, shape (n,)
        t - K c, changed in place.
    """

    def __init__(self, rows, lower, upper, c, target, g):
        self.rows, self.lower, self.upper, self.c, self.target, self.g = rows, lower, upper, c, target, g
        self._set_bars()
        self.least_curvature = LEAST_CURVATURE * (float(np.max(np.abs(rows.diagonal), initial=0.0)) or 1.0)
        self.n_iter = 0
        self.gap = np.inf
        self._size, self._largest = FIRST_SIZE, max(2, rows.most_in_square)
        self._least_gap, self._least_objective, self._waited, self._no_gain = np.inf, np.inf, 0, 0

    def _set_bars(self):
        self.bar_up = np.where(self.c < self.upper, 0.0, -np.inf)
        self.bar_down = np.where(self.c > self.lower, 0.0, np.inf)

    def objective(self):
        """Return 1/2 c'Kc - t'c."""
        # adding 0.0 turns -0.0 into 0.0
        return -0.5 * float(self.c @ (self.g + self.target)) + 0.0

    def solve(self, tol, max_iter, near=False):
        """Take steps until the gap is at most `tol`; return (whether it is, why it ended).

        `near` says that the start is the solution of a similar problem. A few steps may then suffice, and these are
        taken on all rows, as far as these are in the cache.
        """
        if near and max_iter > FIRST_STEPS and self.rows.n_kept == self.rows.n:
            self._all_rows(tol, FIRST_STEPS)
        while True:
            why = self._small_problem(tol, max_iter)
            self._check_finite()
            if why in REASONS or self.n_iter >= max_iter:
                break
        snap_and_balance(self.c, self.lower, self.upper)
        self._set_bars()
        _, highest, lowest = extremes(self.g, self.bar_up, self.bar_down)
        self.gap = highest - lowest
        return why == OPTIMAL, REASONS.get(why, f"the limit of {max_iter} iterations was reached")

    def _check_finite(self):
        """Raise where numbers have overflowed: NaN is in no maximum, so that such rows would count as optimal."""
        if not np.isfinite(self.g).all():
            raise InvalidInputError(
                "the scores of the support vector machine overflow: costs times kernel values are too large for a "
                "computer's numbers. Bring the columns of X to one scale, or choose a smaller C or a larger eta."
            )

    def _all_rows(self, tol, max_iter):
        rows = self.rows
        n_steps = min(STEPS_AT_A_TIME, max_iter - self.n_iter)
        why, i, j, taken, rows.clock, self.gap = take_steps(
            self.c, self.lower, self.upper, self.g, self.bar_up, self.bar_down, rows.diagonal, rows.store,
            rows.slot_of, rows.last_use, rows.clock, self.least_curvature, tol, n_steps,
        )  # fmt: skip
        self.n_iter += taken
        if why == NEEDS_ROW:
            rows.fetch(self._block_with([k for k in (i, j) if k >= 0]))
        return why

    def _block_with(self, pair):
        """Return the rows of the pair, and missing ones that violate most to make up a block."""
        room = min(self.rows.store.shape[0], BLOCK_ROWS) - 2
        missing = self.rows.slot_of < 0
        missing[pair] = False
        others = np.flatnonzero(missing)
        if others.size > room:
            up, down = self.g + self.bar_up, self.g + self.bar_down
            violation = np.maximum(up - down.min(), up.max() - down)[others]
            others = others[np.argsort(-violation)[:room]]
        return np.concatenate([np.array(pair, dtype=np.int64), others])

    def _small_problem(self, tol, max_iter):
        rows, c, g = self.rows, self.c, self.g
        _, highest, lowest = extremes(g, self.bar_up, self.bar_down)
        self.gap = highest - lowest
        if self.gap <= tol:
            return OPTIMAL
        if self._no_progress():
            return STUCK
        idx = self._chosen(highest, lowest)
        m = idx.size
        part, bar_up, bar_down = c[idx], self.bar_up[idx], self.bar_down[idx]
        state = (
            part, self.lower[idx], self.upper[idx], g[idx], bar_up, bar_down, rows.diagonal[idx], rows.square(idx),
            np.arange(m), np.zeros(m, dtype=np.int64), 0, self.least_curvature, max(tol, INNER_SHARE * self.gap),
        )  # fmt: skip
        while True:
            why, _, _, taken, _, inner_gap = take_steps(*state, min(STEPS_AT_A_TIME, max_iter - self.n_iter))
            self.n_iter += taken
            if why in REASONS or self.n_iter >= max_iter or not np.isfinite(inner_gap):
                break
        moves = part - c[idx]
        moved = np.flatnonzero(moves)
        rows.add_product(idx[moved], -moves[moved], g)
        c[idx], self.bar_up[idx], self.bar_down[idx] = part, bar_up, bar_down
        return None if moved.size else STUCK

    def _no_progress(self):
        """Let the small problem grow where the gap has stopped falling; return whether nothing falls any more."""
        objective = self.objective()
        lower_gap = self.gap < self._least_gap
        lower = lower_gap or objective < self._least_objective - 1e-15 * abs(objective)
        self._waited = 0 if lower_gap else self._waited + 1
        self._no_gain = 0 if lower else self._no_gain + 1
        self._least_gap, self._least_objective = min(self.gap, self._least_gap), min(objective, self._least_objective)
        if self._waited >= PATIENCE:
            self._size, self._waited = 2 * self._size, 0
        return self._no_gain >= NO_GAIN

    def _chosen(self, highest, lowest):
        """Return the rows of the next small problem in ascending order."""
        most = min(self._size, self._largest)
        up = np.flatnonzero(self.g + self.bar_up > lowest)
        down = np.flatnonzero(self.g + self.bar_down < highest)
        chosen = np.zeros(self.g.shape[0], dtype=bool)
        chosen[_first_and_others(up, -self.g[up], most // 2)] = True
        chosen[_first_and_others(down, self.g[down], most // 2)] = True
        free = np.flatnonzero((self.bar_up == 0) & (self.bar_down == 0) & ~chosen)
        middle = 0.5 * (highest + lowest)
        room = min(max(KEPT_FREE, self._size), self._largest - int(chosen.sum()))
        chosen[_first(free, -np.abs(self.g[free] - middle), room)] = True
        return np.flatnonzero(chosen)


def _first(idx, key, count):
    """Return the `count` entries of `idx` whose key is least."""
    if count <= 0:
        return idx[:0]
    return idx if idx.size <= count else idx[np.argpartition(key, count - 1)[:count]]


def _first_and_others(idx, key, count):
    """Return `count` entries of `idx`: half of them with the least keys, half taken evenly from the others."""
    if idx.size <= count:
        return idx
    half = (count + 1) // 2
    order = np.argpartition(key, half - 1)
    others = np.sort(order[half:])
    evenly = np.linspace(0, others.size - 1, count - half).astype(np.int64)
    return idx[np.concatenate([order[:half], others[evenly]])]
