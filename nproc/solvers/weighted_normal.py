"""Newton's equations of a linear model with an intercept, from the rows that have a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

# rows gathered at a time: memory beyond the data does not grow with n, and a block stays in the cache
BLOCK = 2048
# a column whose weighted variance is this share of its mean square is constant, up to rounding
CONSTANT = 1e-14
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

    def times(self, coef):
        """Return (X - centre) coef, shape (n,)."""
        return self.X @ coef - float(self.centre @ coef)

    def dense(self, rows):
        """Return some rows less the centre, as a dense array."""
        return self.X[rows].toarray() if sparse.issparse(self.X) else self.X[rows] - self.centre

    def sums(self, rows, pulls, weights):
        """Return sums over `rows` of pull x, weight x and weight x x', with x less the centre."""
        if sparse.issparse(self.X):
            used = self.X[rows]
            weighted = used.multiply(weights[:, None]).tocsr()
            return used.T @ pulls, used.T @ weights, np.asarray((used.T @ weighted).todense())
        p = self.X.shape[1]
        pull, first, second = np.zeros(p), np.zeros(p), np.zeros((p, p))
        for start in range(0, rows.size, BLOCK):
            part = slice(start, start + BLOCK)
            used = self.X.take(rows[part], axis=0)
            used -= self.centre
            pull += pulls[part] @ used
            first += weights[part] @ used
            used *= np.sqrt(weights[part])[:, None]
            second += used.T @ used
        return pull, first, second


def newton_direction(gradient, slope, first, second, weight, lam, centre):
    """Return the Newton step (of the coefficients, of the intercept).

    The intercept is eliminated, which leaves the weighted covariance matrix and lam on its diagonal. Where the matrix
    is singular, as with columns that depend on each other and lam = 0, the step is the shortest one on the scale of
    the columns' standard deviations.

    Parameters
    ----------
    gradient : ndarray, shape (p,)
        In the coefficients.
    slope : float
        The derivative in the intercept.
    first, second : ndarray, shapes (p,) and (p, p)
        Sums of weight x and weight x x'.
    weight : float
        Sum of the weights; 0: only the penalty bends.
    lam : float
        Penalty of the squared coefficients, at least 0.
    centre : ndarray, shape (p,)
        What was subtracted from the rows; to know which columns are constant.
    """
    if weight <= 0.0:
        return (-gradient / lam if lam > 0.0 else np.zeros_like(gradient)), 0.0
    mean = first / weight
    matrix = second - np.outer(first, mean)
    square = second.diagonal() + weight * centre**2
    diagonal = matrix.diagonal().copy()
    diagonal[diagonal <= CONSTANT * square] = 0.0
    diagonal += lam
    moving = diagonal > 0.0
    scale = np.where(moving, 1.0 / np.sqrt(np.where(moving, diagonal, 1.0)), 0.0)
    matrix.flat[:: matrix.shape[0] + 1] = diagonal
    matrix *= scale
    matrix *= scale[:, None]
    matrix.flat[:: matrix.shape[0] + 1] = 1.0
    coef = -scale * _solve(matrix, scale * (gradient - mean * slope))
    return coef, -slope / weight - float(mean @ coef)


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
