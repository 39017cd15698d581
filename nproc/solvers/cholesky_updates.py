r"""The Cholesky factor of a matrix whose rows come and go, and whose diagonal grows."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from nproc.solvers.jit import hot

# a pivot below this share of its diagonal entry is taken for 0: the new row depends on the others
SINGULAR = 1e-11


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

    @property
    def lower(self):
        """L, shape (m, m)."""
        return np.tril(self._rows.matrix)

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
