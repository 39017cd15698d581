"""Newton systems of the active rows of the dual, while single rows enter and leave: for kernels, and for columns.

With signs s and G_ij = s_i s_j K_ij / lambda, the Hessian of the active rows is G plus a diagonal, which is above 0 for
some rows (stiff ones) and 0 for the others (loose ones), and s'd = 0 borders it. `KernelSystem` factors the matrix of
the active rows. `ColumnSystem` works in the space of the columns of a linear kernel with far fewer columns than rows,
where nothing is as large as the active rows.
"""

from abc import ABC, abstractmethod

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf, dtrtrs

from nproc.errors import InvalidInputError
from nproc.solvers.jit import hot
from nproc.solvers.kernels import squared_norms

# a pivot below this share of its diagonal entry is taken for 0: the new row depends on the others
SINGULAR = 1e-11
# rank-one changes of the matrix in the space of the columns, after which it is computed anew
MOST_CHANGES = 100


class SquareBuffer:
    """A square matrix in a larger piece of memory, so that a row can be appended without a copy of the others.

    Attributes
    ----------
    size : int
        Number of rows.
    """

    def __init__(self):
        self.size = 0
        self._memory = np.zeros((0, 0), order="F")
        self._spare = self._memory

    @property
    def columns(self):
        """The columns with all their memory, (at least m, m), contiguous in Fortran order."""
        return self._memory[:, : self.size]

    @property
    def matrix(self):
        """The matrix, (m, m), in Fortran order but not contiguous."""
        return self._memory[: self.size, : self.size]

    def replace(self, matrix):
        """Take `matrix`, in Fortran order, and its memory in the place of the old one."""
        self._memory, self.size = matrix, matrix.shape[0]

    def append(self, row, corner):
        """Append a row and, as its mirror image, a column."""
        m = self.size
        if m == self._memory.shape[0]:
            grown = np.empty((m + m // 2 + 32,) * 2, order="F")
            grown[:m, :m] = self._memory
            self._memory = grown
        self._memory[m, :m] = self._memory[:m, m] = row
        self._memory[m, m] = corner
        self.size = m + 1

    def delete(self, k):
        """Delete row and column `k`."""
        m, before = self.size - 1, self.matrix
        if self._spare.shape[0] < m:
            self._spare = np.empty_like(self._memory)
        after = self._spare
        after[:k, :k], after[k:m, :k] = before[:k, :k], before[k + 1 :, :k]
        after[:k, k:m], after[k:m, k:m] = before[:k, k + 1 :], before[k + 1 :, k + 1 :]
        self._memory, self._spare, self.size = self._spare, self._memory, m


class CholeskyFactor:
    """The Cholesky factor L L' of a positive definite matrix, in the order in which its rows were appended.

    Examples
    --------
    >>> factor = CholeskyFactor()
    >>> factor.append(np.zeros(0), 4.0), factor.append(np.array([2.0]), 5.0)
    (4.0, 4.0)
    >>> factor.solve(np.array([8.0, 14.0]))
    array([0.75, 2.5 ])
    """

    def __init__(self):
        self._rows = SquareBuffer()

    @property
    def size(self):
        """Number of rows."""
        return self._rows.size

    def factorise(self, matrix, tested=None):
        """Factorise `matrix`, (m, m) in Fortran order, in its memory; return whether it is positive definite.

        `tested` marks the rows whose pivots must be above 1e-11 times their diagonal entries; all by default.
        """
        if matrix.shape[0]:
            diagonal = np.diagonal(matrix).copy()
            matrix, failed = dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
            if failed:
                return False
            small = np.diagonal(matrix) ** 2 <= SINGULAR * diagonal
            if np.any(small if tested is None else small & tested):
                return False
        self._rows.replace(matrix)
        return True

    def append(self, column, corner, *, least=None):
        """Append a row; return its pivot, its squared distance from what the others span.

        Parameters
        ----------
        column : ndarray, shape (m,)
            The entries of the new row with the others.
        corner : float
            Its diagonal entry.
        least : float, optional
            Raise the pivot to this value. Without it a pivot that is at most 1e-11 times the diagonal entry leaves the
            factor as it is: the larger matrix is singular.

        Returns
        -------
        float
            The pivot before it was raised.
        """
        new = self._triangular(column, 0)
        pivot = float(corner) - float(new @ new)
        if least is not None or pivot > SINGULAR * corner:
            self._rows.append(new, np.sqrt(pivot if least is None else max(pivot, least)))
        return pivot

    def delete(self, k):
        """Delete row and column `k`; a rank-one update of what is behind it, O((m - k)^2)."""
        spare = self._rows.matrix[k + 1 :, k].copy()
        self._rows.delete(k)
        add_rank_one(self._rows.columns.T, spare, int(k))

    def add_to_diagonal(self, k, amount):
        """Add `amount`, at least 0, to diagonal entry `k`, O((m - k)^2)."""
        change = np.zeros(self.size - k)
        change[0] = np.sqrt(amount)
        add_rank_one(self._rows.columns.T, change, int(k))

    def solve(self, rhs):
        """Return the solution for `rhs`, shape (m,) or (m, k)."""
        return self._triangular(self._triangular(rhs, 0), 1)

    def _triangular(self, rhs, transposed):
        if self.size == 0:
            return np.zeros_like(rhs, dtype=np.float64)
        # much faster than dpotrs for a few columns, and content with rows that are spread in memory
        solution, _ = dtrtrs(self._rows.columns, rhs, lower=1, trans=transposed)
        return solution


@hot
def add_rank_one(upper, x, first):
    """Turn the factor R'R, R upper triangular, into that of R'R + x x', in place; x begins at row `first`.

    `upper` may have more columns than rows that count.
    """
    m = first + x.shape[0]
    for j in range(first, m):
        a, b = upper[j, j], x[j - first]
        if b != 0.0:
            r = np.sqrt(a * a + b * b)
            cos, sin = r / a, b / a
            upper[j, j] = r
            row = upper[j]
            for k in range(j + 1, m):
                row[k] = (row[k] + sin * x[k - first]) / cos
                x[k - first] = cos * x[k - first] - sin * row[k]


class BorderedSystem(ABC):
    r"""Solutions of a linear system whose rows come and go, bordered by one equation.

    Active-set methods solve, step after step,

    .. math:: \begin{pmatrix} H & s \\ s' & 0 \end{pmatrix} \begin{pmatrix} d \\ \gamma \end{pmatrix}
              = \begin{pmatrix} r \\ t \end{pmatrix},

    while single rows enter H and leave it. H need not be regular, only positive definite where s'd = 0. The matrix
    M = H + c s s' with c > 0 has the same solutions d and is positive definite exactly then. So the bordered system is
    solved by means of solutions with M, refined once.

    Children say what M is: `solve` returns M^-1 of a column or of several, `product` returns H d.

    Attributes
    ----------
    s : ndarray, shape (m,)
        The border.
    c : float
        The weight of s s' in M, above 0; of the size of the diagonal of H.
    """

    def __init__(self, c):
        self.c = float(c)
        self.s = np.zeros(0)

    @abstractmethod
    def solve(self, rhs):
        """Return M^-1 rhs, shape of `rhs`."""

    @abstractmethod
    def product(self, d):
        """Return H d, shape (m,)."""

    def direction(self, rhs, total):
        """Return (d, gamma): H d + gamma s = rhs and s'd = total."""
        first = self.solve(np.asfortranarray(np.column_stack([rhs, self.s])))
        d, border = first[:, 0], first[:, 1]
        # s' M^-1 s, which is above 0
        across = float(self.s @ border)
        gamma = (float(self.s @ d) - total) / across
        d = d - gamma * border
        gamma += self.c * total
        # one step of refinement: s'd = total must not drift from step to step
        gap = self.solve(rhs - self.product(d) - gamma * self.s)
        missing = total - float(self.s @ d)
        more = (float(self.s @ gap) - missing) / across
        return d + gap - more * border, gamma + more + self.c * missing


class KernelSystem(BorderedSystem):
    """The system of the active rows by the Cholesky factor of its matrix, for any kernel.

    O(m^3 / 3) for m active rows where all diagonal entries change, O(m^2) where one row changes, one row of the kernel
    matrix for each row that enters.

    Attributes
    ----------
    active : ndarray of int, shape (m,)
        The active rows, in the order of the factor.
    stiffness : ndarray, shape (m,)
        The diagonal that H has besides G.

    Examples
    --------
    G is singular here, and the bordered system is not.

    >>> from nproc.solvers.kernel_cache import KernelRows
    >>> from nproc.solvers.kernels import make_kernel
    >>> rows = KernelRows(make_kernel("linear"), np.array([[1.0], [-1.0]]))
    >>> system = KernelSystem(rows, np.array([1.0, -1.0]), 1.0)
    >>> system.restart([0, 1], np.zeros(2))
    []
    >>> d, gamma = system.direction(np.array([3.0, 1.0]), 0.0)
    >>> d.round(12), round(gamma, 12)
    (array([1., 1.]), 1.0)
    """

    def __init__(self, rows, s, lam):
        size = float(np.mean(rows.diagonal)) / float(lam)
        super().__init__(size if size > 0.0 else 1.0)
        self.rows, self.signs, self.lam = rows, s, float(lam)
        self._clear()

    def _clear(self):
        self.active, self.s, self.stiffness = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
        self._factor, self._gram = CholeskyFactor(), SquareBuffer()

    def decision(self, alpha):
        """Return f(x_i) of all rows, without a constant."""
        return self.rows.product(self.signs * alpha) / self.lam

    def restart(self, active, stiffness):
        """Begin anew with these rows; return those that had to stay out, for they depend on the others."""
        active = np.asarray(active, dtype=np.int64)
        s, same_rows = self.signs[active], np.array_equal(active, self.active)
        if same_rows:
            gram = self._gram.matrix
        else:
            gram = np.asfortranarray(self._square(active) * np.outer(s, s) / self.lam)
        bordered = np.array(gram, order="F")
        bordered += self.c * np.outer(s, s)
        np.einsum("ii->i", bordered)[:] += stiffness
        # a row with its own diagonal entry cannot depend on the others
        if self._factor.factorise(bordered, stiffness == 0.0):
            if not same_rows:
                self._gram.replace(gram)
            self.active, self.s, self.stiffness = active, s, stiffness
            return []
        self._clear()
        left_out = []
        for k in np.argsort(stiffness == 0.0, kind="stable"):
            if not self.enter(active[k], stiffness[k]):
                left_out.append(int(active[k]))
        return left_out

    def enter(self, i, stiffness, *, forced=False):
        """Append row `i`; return False, and change nothing, where the system became singular."""
        column, corner = self._column(i)
        sign, stiffness = self.signs[i], float(stiffness)
        total = corner + self.c + stiffness
        # a row with its own diagonal entry cannot depend on the others
        forced = forced or stiffness > 0.0
        least = max(SINGULAR * (corner + self.c), stiffness) if forced else None
        pivot = self._factor.append(column + self.c * sign * self.s, total, least=least)
        if not forced and pivot <= SINGULAR * total:
            return False
        self._gram.append(column, corner)
        self.active, self.s = np.append(self.active, i), np.append(self.s, sign)
        self.stiffness = np.append(self.stiffness, stiffness)
        return True

    def leave(self, i):
        """Delete row `i`."""
        k = self._place(i)
        self._factor.delete(k)
        self._gram.delete(k)
        self.active, self.s = np.delete(self.active, k), np.delete(self.s, k)
        self.stiffness = np.delete(self.stiffness, k)

    def stiffen(self, i, stiffness):
        """Add `stiffness`, at least 0, to the diagonal at row `i`."""
        k = self._place(i)
        self._factor.add_to_diagonal(k, float(stiffness))
        self.stiffness[k] += float(stiffness)

    def null_direction(self, i):
        """Return d, balanced with an added 1 for row `i`, where H (d, 1) is across all steps of the active rows.

        Also return (d, 1)' G (d, 1), which is 0 where the row depends on active rows without stiffness.
        """
        column, corner = self._column(i)
        d, _ = self.direction(-column, -float(self.signs[i]))
        return d, float(d @ self.image(d) + 2.0 * (column @ d) + corner)

    def image(self, d):
        """Return G d of the active rows."""
        return self._gram.matrix @ d

    def product(self, d):
        """Return H d."""
        return self.image(d) + self.stiffness * d

    def solve(self, rhs):
        """Return (H + c s s')^-1 rhs."""
        return self._factor.solve(rhs)

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
        return super().direction(rhs, total)

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
