r"""Linear systems of a matrix whose rows come and go, bordered by one equation.

Active-set methods solve, step after step,

.. math:: \begin{pmatrix} H & s \\ s' & 0 \end{pmatrix} \begin{pmatrix} d \\ \gamma \end{pmatrix}
          = \begin{pmatrix} r \\ t \end{pmatrix},

while single rows enter H and leave it. H need not be regular, only positive definite where s'd = 0. The matrix
M = H + c s s' with c > 0 has the same solutions d and is positive definite exactly then, so that its Cholesky factor
solves the bordered system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from nproc.solvers.cholesky_updates import SINGULAR, CholeskyFactor, SquareBuffer


class BorderedSystem(ABC):
    """Solutions of the bordered system by means of solutions with M = H + c s s', refined once.

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

    def solve_bordered(self, rhs, total=0.0):
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


class BorderedCholesky(BorderedSystem):
    """The bordered system of a dense matrix: rows are appended and deleted, entries of the diagonal change.

    Attributes
    ----------
    matrix : ndarray, shape (m, m)
        H without `diagonal`.
    diagonal : ndarray, shape (m,)
        What H has on the diagonal besides.

    Examples
    --------
    H is singular here, and the bordered system is not.

    >>> system = BorderedCholesky(c=1.0)
    >>> system.factorise(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, -1.0]), np.array([0.0, 0.0]))
    True
    >>> d, gamma = system.solve_bordered(np.array([3.0, 1.0]))
    >>> d.round(12), round(gamma, 12)
    (array([1., 1.]), 1.0)
    """

    def __init__(self, c):
        super().__init__(c)
        self._factor, self._rows = CholeskyFactor(), SquareBuffer()
        self.diagonal = np.zeros(0)

    @property
    def matrix(self):
        """H without `diagonal`."""
        return self._rows.matrix

    def factorise(self, matrix, s, diagonal):
        """Begin anew with H = matrix + diag(diagonal); return False, and change nothing, where it is singular."""
        if not self._factorise(matrix, s, diagonal):
            return False
        self._rows.replace(np.asfortranarray(matrix))
        self.s, self.diagonal = s, diagonal
        return True

    def change_diagonal(self, diagonal):
        """Put `diagonal` in the place of the old one, by a new factorisation; return whether that was possible."""
        if not self._factorise(self.matrix, self.s, diagonal):
            return False
        self.diagonal = diagonal
        return True

    def _factorise(self, matrix, s, diagonal):
        bordered = np.array(matrix, order="F")
        bordered += self.c * np.outer(s, s)
        np.einsum("ii->i", bordered)[:] += diagonal
        # a row with its own diagonal entry cannot depend on the others
        return self._factor.factorise(bordered, diagonal == 0.0)

    def append(self, column, corner, sign, diagonal, *, forced=False):
        """Append a row; return whether that was possible: without `forced`, not if the system became singular."""
        total = corner + self.c + diagonal
        # a row with its own diagonal entry cannot depend on the others
        forced = forced or diagonal > 0.0
        least = max(SINGULAR * (corner + self.c), diagonal) if forced else None
        pivot = self._factor.append(column + self.c * sign * self.s, total, least=least)
        if not forced and pivot <= SINGULAR * total:
            return False
        self._rows.append(column, corner)
        self.s, self.diagonal = np.append(self.s, sign), np.append(self.diagonal, diagonal)
        return True

    def delete(self, k):
        """Delete row `k`."""
        self._factor.delete(k)
        self._rows.delete(k)
        self.s, self.diagonal = np.delete(self.s, k), np.delete(self.diagonal, k)

    def add_to_diagonal(self, k, amount):
        """Add `amount`, at least 0, to entry `k` of the diagonal."""
        self._factor.add_to_diagonal(k, amount)
        self.diagonal[k] += amount

    def solve(self, rhs):
        """Return (H + c s s')^-1 rhs."""
        return self._factor.solve(rhs)

    def product(self, d):
        """Return H d."""
        return self.matrix @ d + self.diagonal * d
