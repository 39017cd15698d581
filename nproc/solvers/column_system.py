r"""Newton systems of the active rows of a linear model's dual in the space of its columns.

As `kernel_system`, for linear kernels with far fewer columns than rows: nothing is as large as the active rows.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers.bordered_cholesky import BorderedSystem
from nproc.solvers.cholesky_updates import SINGULAR, CholeskyFactor
from nproc.solvers.kernels import squared_norms

# rank-one changes of a matrix, after which it is computed anew
MOST_CHANGES = 100


class ColumnSystem(BorderedSystem):
    r"""The system of the active rows in the space of the p columns of a linear kernel, for p far below n.

    With z_i = s_i (x_i / sqrt(lambda), sqrt(c)), so that G + c s s' = Z Z', stiff rows l of diagonal D and loose h,

    .. math:: B = I + Z_\ell' D^{-1} Z_\ell, \qquad S = Z_h B^{-1} Z_h'

    give every solution: B is (p + 1, p + 1) and at least the identity, and S, of at most p + 1 rows, is positive
    definite exactly where the system is regular. O(m p^2) where all diagonal entries change, O(p^3) where one row
    changes.

    Attributes
    ----------
    active : ndarray of int
        The active rows: the stiff ones, then the loose ones.
    stiffness : ndarray
        Their diagonal entries.
    """

    def __init__(self, X, s, lam):
        with np.errstate(over="ignore"):
            size = float(np.mean(squared_norms(X))) / lam
        if not np.isfinite(size):
            raise InvalidInputError(
                "X has values so large that sums of their squares, divided by lam, overflow. Standardise its columns."
            )
        super().__init__(size if size > 0.0 else 1.0)
        self.X, self.signs, self.lam = X, s, float(lam)
        scaled, constant = X * (1.0 / np.sqrt(lam)), np.full((X.shape[0], 1), np.sqrt(self.c))
        if sparse.issparse(X):
            self._Z = sparse.csr_array(sparse.hstack([scaled, constant]).multiply(s[:, None]))
        else:
            self._Z = np.hstack([scaled, constant]) * s[:, None]
        self._begin(np.zeros(0, dtype=np.int64), np.zeros(0))

    def decision(self, alpha):
        """Return f(x_i) of all rows, without a constant."""
        return self.X @ (self.X.T @ (self.signs * alpha)) / self.lam

    def restart(self, active, stiffness):
        """Begin anew with these rows; return those that had to stay out, for they depend on the others."""
        stiff = stiffness > 0.0
        self._begin(active[stiff], stiffness[stiff])
        return [int(i) for i in active[~stiff] if not self.enter(i, 0.0)]

    def _begin(self, stiff, stiffness):
        self._stiff, self._weights = stiff, 1.0 / stiffness
        self._loose, self._Z_loose = np.zeros(0, dtype=np.int64), np.zeros((0, self._Z.shape[1]))
        self._renew()

    @property
    def active(self):
        """The active rows: the stiff ones, then the loose ones."""
        return np.concatenate([self._stiff, self._loose])

    @property
    def stiffness(self):
        """The diagonal, one entry for each active row."""
        return np.concatenate([1.0 / self._weights, np.zeros(self._loose.size)])

    def enter(self, i, stiffness, *, forced=False):
        """Append row `i`; return False, and change nothing, where the system became singular."""
        if stiffness > 0.0:
            self._stiff, self._weights = np.append(self._stiff, i), np.append(self._weights, 1.0 / stiffness)
            self._change_inner(i, 1.0 / stiffness)
            return True
        self._settle()
        row = self._row(i)
        pulled = self._inner_factor.solve(row)
        corner = float(row @ pulled)
        pivot = self._reduced.append(self._Z_loose @ pulled, corner, least=SINGULAR * corner if forced else None)
        if not forced and pivot <= SINGULAR * corner:
            return False
        self._loose, self._Z_loose = np.append(self._loose, i), np.vstack([self._Z_loose, row])
        self.s = self.signs[self.active]
        return True

    def leave(self, i):
        """Delete row `i`."""
        at = np.flatnonzero(self._loose == i)
        if at.size:
            self._reduced.delete(int(at[0]))
            self._loose, self._Z_loose = np.delete(self._loose, at), np.delete(self._Z_loose, at, axis=0)
            self.s = self.signs[self.active]
            return
        at = np.flatnonzero(self._stiff == i)
        weight = float(self._weights[at[0]])
        self._stiff, self._weights = np.delete(self._stiff, at), np.delete(self._weights, at)
        self._change_inner(i, -weight)

    def stiffen(self, i, stiffness):
        """Give row `i`, which had none, this diagonal entry."""
        self.leave(i)
        self.enter(i, stiffness)

    def direction(self, rhs, total):
        """Return (d, gamma): H d + gamma s = rhs and s'd = total."""
        self._settle()
        return self.solve_bordered(rhs, total)

    def null_direction(self, i):
        """Return d, balanced with an added 1 for row `i`, where H (d, 1) is across all steps of the active rows.

        Also return (d, 1)' G (d, 1), which is 0 where the row depends on loose rows.
        """
        self._settle()
        row = self._row(i)
        column = self._margins(row) - self.c * self.signs[i] * self.s
        d, _ = self.direction(-column, -float(self.signs[i]))
        # c s s' adds nothing, for (d, 1) is balanced
        along = self._pull(d) + row
        return d, float(along @ along)

    def image(self, d):
        """Return G d of the active rows."""
        return self._margins(self._pull(d)) - self.c * float(self.s @ d) * self.s

    def product(self, d):
        """Return H d."""
        product = self.image(d)
        stiff = slice(self._stiff.size)
        product[stiff] += d[stiff] / self._weights
        return product

    def solve(self, rhs):
        """Return (H + c s s')^-1 rhs."""
        m = self._stiff.size
        weights = self._weights if rhs.ndim == 1 else self._weights[:, None]
        weighted = weights * rhs[:m]
        pulled = self._inner_factor.solve(self._Z_stiff.T @ weighted)
        on_loose = self._reduced.solve(rhs[m:] - self._Z_loose @ pulled)
        pulled = pulled + self._inner_factor.solve(self._Z_loose.T @ on_loose)
        return np.concatenate([weighted - weights * (self._Z_stiff @ pulled), on_loose])

    def _margins(self, direction):
        return np.concatenate([self._Z_stiff @ direction, self._Z_loose @ direction])

    def _pull(self, d):
        m = self._stiff.size
        return self._Z_stiff.T @ d[:m] + self._Z_loose.T @ d[m:]

    def _row(self, i):
        row = self._Z[[i]]
        return row.toarray()[0] if sparse.issparse(row) else row[0]

    def _change_inner(self, i, weight):
        row = self._row(i)
        self._inner += weight * np.outer(row, row)
        self._changes += 1
        self._stale = True

    def _settle(self):
        """Bring the factors up to date with the stiff rows."""
        if self._stale and self._changes > MOST_CHANGES:
            self._renew()
        elif self._stale:
            self._refactor()

    def _renew(self):
        Z = self._Z[self._stiff]
        if sparse.issparse(Z):
            self._inner = (Z.T @ Z.multiply(self._weights[:, None])).toarray()
        else:
            self._inner = Z.T @ (Z * self._weights[:, None])
        np.einsum("ii->i", self._inner)[:] += 1.0
        self._changes = 0
        self._refactor()

    def _refactor(self):
        self._stale = False
        self._Z_stiff, self.s = self._Z[self._stiff], self.signs[self.active]
        self._inner_factor, self._reduced = CholeskyFactor(), CholeskyFactor()
        untested = np.zeros(self._inner.shape[0], dtype=bool)
        if not self._inner_factor.factorise(self._inner.copy(order="F"), untested) and self._changes:
            # rounding of rows that left
            self._renew()
            return
        S = self._Z_loose @ self._inner_factor.solve(self._Z_loose.T)
        if not self._reduced.factorise(S.copy(order="F")):
            # they were independent when they entered, and are so but for rounding
            for k in range(S.shape[0]):
                self._reduced.append(S[k, :k], S[k, k], least=SINGULAR * S[k, k])
