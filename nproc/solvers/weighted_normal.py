"""Newton's equations of a linear model with an intercept, from the rows that have a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

# rows gathered at a time: memory beyond the data does not grow with n, and a block stays in the cache
BLOCK = 2048
# squared pivots of the Cholesky factor below this share of 1 tell of columns that depend on each other
DEPENDENT = 1e-12


@dataclass(frozen=True)
class CentredRows:
    """The rows of X, less a fixed centre where they are dense, so that a large mean of a column costs no digits.

    Attributes
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        The rows.
    centre : ndarray, shape (p,)
        Subtracted from each row; zero for CSR.
    """

    X: np.ndarray
    centre: np.ndarray

    @classmethod
    def of(cls, X):
        """Return the rows of `X`, with their means as centre where they are dense."""
        return cls(X, np.zeros(X.shape[1]) if sparse.issparse(X) else X.mean(axis=0))

    def times(self, point):
        """Return the scores of the rows for coefficients and a constant, the last of `point`, shape (n,)."""
        return self.X @ point[:-1] + (point[-1] - float(self.centre @ point[:-1]))

    def design(self, rows):
        """Return some rows less the centre, and a column of ones: dense, or CSR where they are."""
        ones = np.ones((rows.size, 1))
        if sparse.issparse(self.X):
            return sparse.hstack([self.X[rows], ones], format="csr")
        return np.hstack([self.X[rows] - self.centre, ones])

    def sums(self, rows, pulls, weights):
        """Return sums over `rows` of pull x and weight x x', with x of `design`."""
        if sparse.issparse(self.X):
            used = self.design(rows)
            return used.T @ pulls, (used.T @ used.multiply(weights[:, None])).toarray()
        size = self.X.shape[1] + 1
        pull, matrix = np.zeros(size), np.zeros((size, size))
        for start in range(0, rows.size, BLOCK):
            part = slice(start, start + BLOCK)
            used = self.design(rows[part])
            pull += pulls[part] @ used
            used *= np.sqrt(weights[part])[:, None]
            matrix += used.T @ used
        return pull, matrix


def newton_direction(gradient, matrix):
    """Return the Newton step, shape (p + 1,).

    Where the matrix is singular, as with columns that depend on each other and no penalty, the step is the shortest one
    on the scale of the roots of its diagonal.

    Parameters
    ----------
    gradient : ndarray, shape (p + 1,)
        In the coefficients and the constant.
    matrix : ndarray, shape (p + 1, p + 1)
        The second derivatives.
    """
    diagonal = matrix.diagonal()
    scale = np.divide(1.0, np.sqrt(diagonal), out=np.zeros_like(gradient), where=diagonal > 0.0)
    matrix = matrix * scale * scale[:, None]
    np.fill_diagonal(matrix, 1.0)
    return -scale * _solve(matrix, scale * gradient)


def _solve(matrix, right):
    try:
        factor = linalg.cholesky(matrix, lower=True, check_finite=False)
    except linalg.LinAlgError:
        factor = None
    if factor is not None and factor.diagonal().min() ** 2 > DEPENDENT:
        return linalg.cho_solve((factor, True), right, check_finite=False)
    values, vectors = linalg.eigh(matrix, check_finite=False)
    kept = values > DEPENDENT * values[-1]
    return vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept])
