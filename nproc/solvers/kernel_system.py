r"""Newton systems of the active rows of a kernel machine's dual, while single rows enter and leave.

With signs s and G_ij = s_i s_j K_ij / lambda, the Hessian of the active rows is G plus a diagonal, which is above 0 for
some rows (stiff ones) and 0 for the others (loose ones), and s'd = 0 borders it.
"""

from __future__ import annotations

import numpy as np

from nproc.solvers.bordered_cholesky import BorderedCholesky


class KernelSystem:
    """The system of the active rows by the Cholesky factor of its matrix, for any kernel.

    O(m^3 / 3) for m active rows where all diagonal entries change, O(m^2) where one row changes, one row of the kernel
    matrix for each row that enters.

    Attributes
    ----------
    active : ndarray of int
        The active rows, in the order of the factor.
    """

    def __init__(self, rows, s, lam):
        self.rows, self.signs, self.lam = rows, s, float(lam)
        self.active = np.zeros(0, dtype=np.int64)
        size = float(np.mean(rows.diagonal)) / self.lam
        self._system = BorderedCholesky(size if size > 0.0 else 1.0)

    @property
    def stiffness(self):
        """The diagonal that the factor has, one entry for each active row."""
        return self._system.diagonal

    def decision(self, alpha):
        """Return f(x_i) of all rows, without a constant."""
        return self.rows.product(self.signs * alpha) / self.lam

    def restart(self, active, stiffness):
        """Begin anew with these rows; return those that had to stay out, for they depend on the others."""
        active = np.asarray(active, dtype=np.int64)
        if np.array_equal(active, self.active):
            done = self._system.change_diagonal(stiffness)
        else:
            s = self.signs[active]
            matrix = np.asfortranarray(self._square(active) * np.outer(s, s) / self.lam)
            done = self._system.factorise(matrix, s, stiffness)
        if done:
            self.active = active
            return []
        self._system = BorderedCholesky(self._system.c)
        self.active = np.zeros(0, dtype=np.int64)
        left_out = []
        for k in np.argsort(stiffness == 0.0, kind="stable"):
            if not self.enter(active[k], stiffness[k]):
                left_out.append(int(active[k]))
        return left_out

    def enter(self, i, stiffness, *, forced=False):
        """Append row `i`; return False, and change nothing, where the system became singular."""
        column, corner = self._column(i)
        if not self._system.append(column, corner, self.signs[i], float(stiffness), forced=forced):
            return False
        self.active = np.append(self.active, i)
        return True

    def leave(self, i):
        """Delete row `i`."""
        k = self._place(i)
        self._system.delete(k)
        self.active = np.delete(self.active, k)

    def stiffen(self, i, stiffness):
        """Add `stiffness` to the diagonal at row `i`."""
        self._system.add_to_diagonal(self._place(i), float(stiffness))

    def direction(self, rhs, total):
        """Return (d, gamma): H d + gamma s = rhs and s'd = total."""
        return self._system.solve_bordered(rhs, total)

    def null_direction(self, i):
        """Return d, balanced with an added 1 for row `i`, where H (d, 1) is across all steps of the active rows.

        Also return (d, 1)' G (d, 1), which is 0 where the row depends on active rows without stiffness.
        """
        column, corner = self._column(i)
        d, _ = self._system.solve_bordered(-column, -float(self.signs[i]))
        return d, float(d @ self.image(d) + 2.0 * (column @ d) + corner)

    def image(self, d):
        """Return G d of the active rows."""
        return self._system.matrix @ d

    def _place(self, i):
        return int(np.flatnonzero(self.active == i)[0])

    def _column(self, i):
        values = self._square(np.array([i]), self.active)[0]
        column = self.signs[self.active] * self.signs[i] * values / self.lam
        return column, float(self.rows.diagonal[i]) / self.lam

    def _square(self, idx, columns=None):
        columns = idx if columns is None else columns
        if idx.size > self.rows.store.shape[0]:
            # more rows than there is room for: they are computed in parts and not kept
            parts = np.array_split(idx, -(-idx.size // 64))
            return np.vstack([self.rows.block(part)[:, columns] for part in parts])
        self.rows.fetch(idx)
        return self.rows.store[np.ix_(self.rows.slot_of[idx], columns)]
