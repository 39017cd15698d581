r"""The steps of the active-set method for the dual of sparse logistic regression.

With signs s, G_ij = s_i s_j K_ij / lambda and the conjugates h_i of `dual_line_search`, the dual is to minimise
alpha'G alpha / 2 + sum_i h_i(alpha_i) subject to s'alpha = 0 and 0 <= alpha_i < 1. Rows of I_0 stay at 0, those of I_h
are on the linear part of h_i and those of I_l on its entropy; a Newton step for I_h and I_l solves the system with the
Hessian H = G + D, D = 1 / (alpha_i (1 - alpha_i)) on I_l, bordered by s.

References
----------
Sections 3.2.4 and 3.2.5 of [herault2008]_.

.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
   Signal 25(4), 279-291.
"""

from __future__ import annotations

import numpy as np
from scipy.special import entr, expit

from nproc.solvers.dual_line_search import BELOW_ONE, bregman, limits, line_search, slopes
from nproc.solvers.sparse_logistic import FLAT, HINGE, LOGARITHM

# the factor is renewed when an entry of D has changed by more than this share
STALE = 0.25
# a row enters once the active rows' violation is below this share of the worst one of the others
GOOD_ENOUGH = 0.5
# slopes and steps below these shares of their terms are rounding errors
FLAT_SLOPE, NO_STEP = 1e-12, 1e-10
# a null direction along which margins are off their kinks by less than this share of the tolerance is level
FLAT_SHARE = 0.01
SMALLEST_GAIN = 1e-15
# steps without gain, after which the tolerance need not be met more than it has to be, and after which it is given up
FEW, MANY = 10, 100
# smallest alpha of a row that has no kink
TINY = 1e-300


class ActiveSet:
    """The state of the active-set method: alpha, the sets, the factor of the active rows' system.

    A row of I_h that depends on the others of I_h (more of them than columns, or equal rows) would make the system
    singular. It stays out of it, and alpha moves along the null direction, which changes f nowhere, until a row leaves
    I_h.

    Parameters
    ----------
    system : KernelSystem or ColumnSystem
        Solves the bordered systems.
    s, floor : ndarray, shape (n,)
        Signs and floors f_i.
    alpha : ndarray, shape (n,)
        Where to begin: balanced, and above 0 for rows whose floor is -inf. All 0: with one row of each class.
    tol : float
        Largest violation of the optimality conditions.
    entering : int
        The most rows that enter at a time.
    past_kinks : bool
        Whether a step may take rows from I_h to I_l and back; otherwise it ends where the first one would change.

    Attributes
    ----------
    alpha, f : ndarray, shape (n,)
        Multipliers, and f(x_i) without the constant.
    b : float
        The constant: the multiplier of s'alpha = 0.
    sets : ndarray of int8, shape (n,)
        Where each row is.
    value : float
        The dual criterion, which no step lowers.
    n_iter : int
        Steps.
    objective, n_active : list
        The dual criterion and the number of active rows after each step.
    """

    def __init__(self, system, s, floor, alpha, *, tol, entering, past_kinks):
        self.system, self.s, self.floor, self.alpha = system, s, floor, alpha.copy()
        self.tol, self.entering, self.past_kinks = tol, entering, past_kinks
        self.top = expit(floor)
        self._at_kink = np.logaddexp(0.0, floor)
        self._unit = np.maximum(1.0, np.abs(np.where(np.isfinite(floor), floor, 1.0)))
        self.sets = np.where(alpha > self.top, LOGARITHM, np.where(alpha > 0.0, HINGE, FLAT)).astype(np.int8)
        if not np.any(alpha):
            self.sets[[np.flatnonzero(s > 0)[0], np.flatnonzero(s < 0)[0]]] = HINGE
        self.n_iter, self.b = 0, 0.0
        self.objective, self.n_active = [], []
        # rows that should enter the system; rows at their top, held there because the rows of I_h hold their margin
        self._waiting, self._held = [], []
        self._idle, self._moved = 0, True
        self._restart(np.flatnonzero(self.sets != FLAT))
        self.refresh()

    def solve(self, max_iter, violation, callback=None):
        """Make steps until the conditions hold; return why it ended.

        `violation` is called without arguments where they seem to hold, and returns the largest one.
        """
        within = np.inf
        while True:
            if self.n_iter >= max_iter:
                return f"max_iter={max_iter} steps were made."
            active = self.system.active
            if self._idle > MANY + 2 * active.size:
                return "rounding errors allow no further progress."
            if self._waiting:
                self._admit(self._waiting.pop())
                continue
            used, now = self.system.stiffness, self._stiffness(active)
            if np.any(np.abs(now - used) > STALE * used):
                self._restart(active)
                continue
            s, alpha = self.s[active], self.alpha[active]
            g = s * self.f[active] + slopes(alpha, self.floor[active])
            d, self.b = self.system.direction(-g, -float(self.s @ self.alpha))
            stuck = self._idle > FEW
            if self._moved and (stuck or self._inside(active) <= within):
                self.refresh()
                inside, flat = self._inside(active), np.flatnonzero(self.sets == FLAT)
                past = (-self.s * (self.f + self.b) - self.floor)[flat] / self._unit[flat]
                worst = float(np.max(past, initial=0.0))
                if callback is not None:
                    callback(self.n_iter, max(inside, worst), active.size)
                if worst <= self.tol and (stuck or inside <= self.tol) and violation() <= self.tol:
                    self._record()
                    return "the optimality conditions hold."
                within = max(GOOD_ENOUGH * worst, 0.5 * self.tol if worst > self.tol else 0.1 * inside)
                if worst > self.tol and inside <= within:
                    self._let_in(flat, past, worst)
                    continue
            image = self.system.image(d)
            self._move(active, d, float((g + self.b * s) @ d), float(image @ d), 1.0, s * image, self.past_kinks)

    def refresh(self):
        """Compute f and the dual criterion anew from alpha."""
        self.f = self.system.decision(self.alpha)
        used = np.flatnonzero(self.alpha)
        a, stiff = self.alpha[used], self.sets[used] == LOGARITHM
        self.value = float(
            np.sum(self._at_kink)
            - np.sum(self._at_kink[used[stiff]])
            + np.sum(entr(a[stiff]) + entr(1.0 - a[stiff]))
            - np.sum(a[~stiff] * self.floor[used[~stiff]])
            - 0.5 * np.sum(a * self.s[used] * self.f[used])
        )

    def _record(self):
        self.objective.append(self.value)
        self.n_active.append(int(self.system.active.size))

    def _stiffness(self, idx):
        a, stiff = self.alpha[idx], self.sets[idx] == LOGARITHM
        values = np.zeros(np.size(idx))
        values[stiff] = 1.0 / (a[stiff] * (1.0 - a[stiff]))
        return values

    def _restart(self, idx):
        self._waiting.extend(self.system.restart(idx, self._stiffness(idx)))

    def _inside(self, active):
        """Return the largest violation of (12) by the active rows, of a margin on I_h and of a share of alpha on I_l.

        A share, for where all alpha are tiny the certificate is met long before the criterion has its least value.
        """
        z, stiff = self.s[active] * (self.f[active] + self.b), self.sets[active] == LOGARITHM
        hinge = np.abs(-z - self.floor[active])[~stiff] / self._unit[active][~stiff]
        alpha = self.alpha[active][stiff]
        share = np.abs(alpha - expit(-z[stiff])) / alpha
        return float(max(np.max(hinge, initial=0.0), np.max(share, initial=0.0)))

    def _let_in(self, flat, past, worst):
        order = np.argsort(-past)[: self.entering]
        chosen = flat[order[past[order] > max(self.tol, 0.5 * worst)]]
        self.sets[chosen] = HINGE
        # no row enters twice without a step
        self._moved = False
        self._waiting.extend(int(i) for i in chosen[::-1])

    def _admit(self, i):
        """Let row `i` of I_h into the system, or where it depends on others move along the null direction."""
        if self.system.enter(i, 0.0):
            self._held = []
            return
        self.refresh()
        d, curvature = self.system.null_direction(i)
        d = np.append(d, 1.0)
        d[np.abs(d) <= FLAT_SLOPE * np.max(np.abs(d))] = 0.0
        idx = np.append(self.system.active, i)
        margin, bend = self.s[idx] * self.f[idx], slopes(self.alpha[idx], self.floor[idx])
        slope = float((margin + bend) @ d)
        size = FLAT_SLOPE * (np.abs(margin) + np.abs(bend)) + FLAT_SHARE * self.tol * self._unit[idx]
        level = abs(slope) <= float(size @ np.abs(d))
        if level and self.alpha[i] == self.top[i]:
            # the rows of I_h hold its margin at the kink: there is nothing to gain on the linear part
            self._to_logarithm(i)
            self._held.append(i)
            return
        if slope > 0.0 or level:
            d, slope = -d, 0.0 if level else -slope
        if self.alpha[i] == 0.0 and d[-1] < 0.0:
            self.sets[i] = FLAT
            return
        self._waiting.append(i)
        # on a level direction the entropies beyond the kinks would only cost
        changed = self._move(idx, d, slope, 0.0 if level else max(0.0, curvature), np.inf, None, not level)
        self.refresh()
        if not changed:
            # the direction was bent after all
            self._waiting.remove(i)
            self.system.enter(i, 0.0, forced=True)

    def _move(self, idx, d, slope, curvature, most, image, past_kinks):
        """Move alpha of the rows `idx` along `d` and f by `image`; return whether a row changed its set."""
        alpha, top, stiff = self.alpha[idx], self.top[idx], self.sets[idx] == LOGARITHM
        # rounding errors must not block a row at its bound, nor what is held be moved
        still = (alpha == top) | (alpha == 0.0)
        still &= (np.abs(d) <= NO_STEP * np.max(np.abs(d))) | ((d < 0.0) & np.isin(idx, self._held))
        d = np.where(still, 0.0, d)
        kinks, ends, cap = limits(alpha, d, top, stiff)
        first = float(min(np.min(ends, initial=np.inf), np.inf if past_kinks else np.min(kinks, initial=np.inf)))
        least_slope = SMALLEST_GAIN * 100.0 * (1.0 + abs(self.value))
        t = line_search(slope, curvature, alpha, d, self.floor[idx], top, min(most, first, cap), least_slope)
        moved = np.clip(alpha + t * d, 0.0, BELOW_ONE)
        gain = -(t * slope + 0.5 * t * t * curvature + bregman(alpha, moved, self.floor[idx], top))
        crossed = kinks <= t
        if t == 0.0 or not past_kinks:
            # one at a time: the row with the smallest number, so that nothing goes round in a circle
            reached = np.flatnonzero(crossed | (ends <= t))
            reached = reached[[np.argmin(idx[reached])]] if reached.size else reached
        else:
            reached = np.flatnonzero(crossed | (ends <= t))
        moved[ends <= t] = 0.0
        if past_kinks:
            moved[crossed] = np.where(stiff, np.minimum(moved, top), np.maximum(moved, top))[crossed]
        else:
            moved[crossed] = top[crossed]
        moved[~crossed] = np.where(stiff, np.maximum(moved, np.maximum(top, TINY)), np.minimum(moved, top))[~crossed]
        self.alpha[idx] = moved
        if image is not None:
            self.f[idx] += t * image
        self.value += gain
        self._idle = 0 if gain > SMALLEST_GAIN * abs(self.value) else self._idle + 1
        self._moved = self._moved or t > 0.0
        self.n_iter += 1
        self._record()
        for i in idx[reached]:
            self._change(int(i))
        return reached.size > 0

    def _change(self, i):
        """Move row `i` to the set that its alpha asks for."""
        inside = bool(np.any(self.system.active == i))
        if self.sets[i] == LOGARITHM:
            self.sets[i] = HINGE
            self.system.leave(i)
            self._waiting.append(i)
            return
        self._held = []
        if not inside:
            self._waiting.remove(i)
        if self.alpha[i] == 0.0:
            self.sets[i] = FLAT
            if inside:
                self.system.leave(i)
        elif inside:
            self.sets[i] = LOGARITHM
            self.system.stiffen(i, float(self._stiffness(np.array([i]))[0]))
        else:
            self._to_logarithm(i)

    def _to_logarithm(self, i):
        self.sets[i] = LOGARITHM
        self.system.enter(i, float(self._stiffness(np.array([i]))[0]))
