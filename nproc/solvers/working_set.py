"""From one small problem to the next: sequential minimal optimisation that sees only the rows which may change.

Rows that violate the optimality conditions, the worst and some of the others, and the free ones make a small problem.
Its kernel matrix lies in one block that fits the processor's cache; it is solved to a share of the gap of the whole,
and the gradient of all rows, those left out included, is then brought up to date with the kernel rows of the
coefficients that have changed. So a kernel row is computed for about each support vector and for hardly another one,
and no row is left out for good. Where the gap stops falling, the small problem grows.

The worst violators alone make poor small problems: they lie close together, and few of them become support vectors.
"""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError
from nproc.solvers.boxes import settle
from nproc.solvers.smo import LEAST_CURVATURE, NEEDS_ROW, OPTIMAL, STUCK, extremes, take_steps

# steps on all rows before the first small problem, where the start is near the solution
FIRST_STEPS = 500
# steps between two returns to Python, where Ctrl-C is heard and the callback is called
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
    STUCK: "rounding errors are all that is left to gain, before the KKT gap is at most tol",
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

    def solve(self, tol, max_iter, shrinking=True, callback=None, near=False):
        """Take steps until the gap is at most `tol`; return (whether it is, why it ended).

        `near` says that the start is the solution of a similar problem. A few steps may then suffice, and these are
        taken on all rows, as far as these are in the cache.
        """
        advance = self._small_problem if shrinking else self._all_rows
        if near and shrinking and max_iter > FIRST_STEPS and self.rows.n_kept == self.rows.n:
            self._all_rows(tol, FIRST_STEPS, callback)
        while True:
            why = advance(tol, max_iter, callback)
            self._check_finite()
            if why in REASONS or self.n_iter >= max_iter:
                break
        settle(self.c, self.lower, self.upper)
        self._set_bars()
        _, highest, lowest = extremes(self.g, self.bar_up, self.bar_down)
        self.gap = highest - lowest
        if callback is not None:
            callback(self.n_iter, self.gap)
        return why == OPTIMAL, REASONS.get(why, f"the limit of {max_iter} iterations was reached")

    def _check_finite(self):
        """Raise where numbers have overflowed: NaN is in no maximum, so that such rows would count as optimal."""
        if not np.isfinite(self.g).all():
            raise InvalidInputError(
                "the scores of the support vector machine overflow: costs times kernel values are too large for a "
                "computer's numbers. Bring the columns of X to one scale, or choose a smaller C or a larger eta."
            )

    def _all_rows(self, tol, max_iter, callback):
        rows = self.rows
        n_steps = min(STEPS_AT_A_TIME, max_iter - self.n_iter)
        why, i, j, taken, rows.clock, self.gap = take_steps(
            self.c, self.lower, self.upper, self.g, self.bar_up, self.bar_down, rows.diagonal, rows.store,
            rows.slot_of, rows.last_use, rows.clock, self.least_curvature, tol, n_steps,
        )  # fmt: skip
        self.n_iter += taken
        if why == NEEDS_ROW:
            rows.fetch(self._block_with([k for k in (i, j) if k >= 0]))
        elif callback is not None:
            callback(self.n_iter, self.gap)
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

    def _small_problem(self, tol, max_iter, callback):
        rows, c, g = self.rows, self.c, self.g
        _, highest, lowest = extremes(g, self.bar_up, self.bar_down)
        self.gap = highest - lowest
        if callback is not None:
            callback(self.n_iter, self.gap)
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
            if callback is not None:
                callback(self.n_iter, inner_gap)
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
