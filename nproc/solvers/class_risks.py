r"""The mean losses of the two classes, their gradients and products, with one contiguous block of rows a class.

References
----------
Equations (20), (21), (22) and (27) of [barlaud2015]_.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from nproc.errors import InvalidInputError

# rows whose scaled copy is made at a time for a Hessian
ROWS_AT_A_TIME = 2048
# a column that varies by less than this, beside its size, counts as one that varies by this
CONSTANT = 1e-6


class ClassRisks:
    r"""The mean loss of class 1 and weighted mean losses of class 0, as functions of x = (w, b) or w.

    The margins are z = f(x) for class 1 and z = -f(x) for class 0, f(x) = x'w + b. They are linear in (w, b), so that
    those of a combination of points cost no product.

    Parameters
    ----------
    X : ndarray or CSR, shape (n, p)
        Rows; copied once, sorted by class.
    y : ndarray, shape (n,)
        0 or 1.
    loss : object
        One of `nproc.losses.calibrated`.
    fit_intercept : bool
        Whether the last coordinate is an intercept.
    weights : ndarray, shape (q, m0)
        A row of weights with sum 1 over the class 0 rows for each constrained risk.
    levels : ndarray, shape (q,)
        Their bounds.

    Attributes
    ----------
    m0, m1, p, dim : int
        Rows of the classes, columns, and coordinates (p, and one more with an intercept).
    rms0, rms1 : ndarray, shape (dim,)
        Root mean squares of the columns in each class.
    origin : ndarray, shape (p,)
        Means of the columns over all rows where there is an intercept to make up for them, 0 elsewhere.
    spread0, spread1 : ndarray, shape (dim,)
        Root mean squares of the columns about `origin`.
    """

    def __init__(self, X, y, loss, fit_intercept, weights, levels):
        self.loss, self.fit_intercept, self.weights, self.levels = loss, fit_intercept, weights, levels
        order = np.concatenate([np.flatnonzero(y == 1), np.flatnonzero(y == 0)])
        self.m1 = int(np.sum(y == 1))
        self.m0, self.p = order.size - self.m1, X.shape[1]
        self.dim = self.p + int(fit_intercept)
        self._read(X[order])

    def _read(self, rows):
        self.rows = rows
        # views of the same numbers, sparse or not: a product with the transpose needs no copy then
        self.A1, self.A0 = rows[: self.m1], rows[self.m1 :]
        self.A1t, self.A0t = self.A1.T, self.A0.T
        blocks = (self.A1, self.A0)
        if sparse.issparse(rows):
            square = rows.multiply(rows)
            parts = (square[: self.m1], square[self.m1 :])
            squares = [np.asarray(part.mean(axis=0)).ravel() for part in parts]
        else:
            squares = [np.einsum("ij,ij->j", block, block) / block.shape[0] for block in blocks]
        if not all(np.isfinite(one).all() for one in squares):
            raise InvalidInputError(
                "X must hold finite numbers with finite squares, got NaN, infinite or too large values."
            )
        means = [np.asarray(block.mean(axis=0)).ravel() for block in blocks]
        ones = [1.0] if self.fit_intercept else []
        self.rms1, self.rms0 = (np.sqrt(np.concatenate([one, ones])) for one in squares)
        share1 = self.m1 / (self.m0 + self.m1) if self.fit_intercept else 0.0
        self.origin = share1 * means[0] + (1.0 - share1) * means[1] if self.fit_intercept else np.zeros(self.p)
        about = [one - self.origin * (2.0 * mean - self.origin) for one, mean in zip(squares, means, strict=True)]
        least = [CONSTANT**2 * one for one in squares]
        self.spread1, self.spread0 = (
            np.sqrt(np.concatenate([np.maximum(*pair), ones])) for pair in zip(about, least, strict=True)
        )

    def centre(self):
        """Move the origin of dense columns to their means; return it: b then stands for b + origin'w.

        The problem is the same, as no set holds the intercept, but far from the origin a Hessian would be singular to
        rounding. Sparse columns stay as they are, and so do all without an intercept: the origin is 0 then.
        """
        origin = np.zeros(self.p)
        if self.fit_intercept and not sparse.issparse(self.rows):
            origin = self.origin
            self._read(self.rows - origin)
        return origin

    def about_origin(self, gradients):
        """Return gradients (last axis: coordinates) for columns about `origin`, where b stands for b + origin'w."""
        if not self.fit_intercept:
            return gradients
        moved = np.array(gradients)
        moved[..., : self.p] -= moved[..., self.p :] * self.origin
        return moved

    def _linear(self, A, x):
        return A @ x[: self.p] + x[self.p] if self.fit_intercept else A @ x

    def _transposed(self, At, a):
        return np.append(At @ a, a.sum()) if self.fit_intercept else At @ a

    def margins0(self, x):
        """Return the margins of class 0, shape (m0,)."""
        return -self._linear(self.A0, x)

    def margins1(self, x):
        """Return the margins of class 1, shape (m1,)."""
        return self._linear(self.A1, x)

    def objective(self, z1):
        """Return the mean loss of class 1, equation (20)."""
        return float(np.mean(self.loss.value(z1)))

    def gradient(self, z1):
        """Return its gradient, shape (dim,), equation (21)."""
        return self._transposed(self.A1t, self.loss.derivative(z1) / self.m1)

    def risks(self, z0):
        """Return the constrained risks, shape (q,); the first is the mean loss of class 0, equation (27)."""
        return self.weights @ self.loss.value(z0)

    def risk_gradient(self, z0, k):
        """Return the gradient of the k-th constrained risk, shape (dim,)."""
        return self.combined_gradient0(self.weights[k] * self.loss.derivative(z0))

    def combined_gradient0(self, slopes):
        """Return the gradient of a sum over class 0 with these derivatives in the margins, shape (dim,)."""
        return -self._transposed(self.A0t, slopes)

    def errors(self, z0, z1):
        """Return the two errors of the rule f(x) > 0: a class 1 row with f(x) = 0 is an error, a class 0 row is not."""
        return float(np.mean(z0 < 0)), float(np.mean(z1 <= 0))

    def row_weights(self, z0, z1, multipliers):
        """Return the weights of the rows, class 1 first, in the Hessian of the Lagrangian."""
        return np.concatenate([self.loss.second_derivative(z1) / self.m1, self.row_weights0(z0, multipliers)])

    def row_weights0(self, z0, multipliers):
        """Return the weights of the class 0 rows alone, in the Hessian of a mixture of the constrained risks."""
        return (multipliers @ self.weights) * self.loss.second_derivative(z0)

    def hessian(self, row_weights, extra, *, class0_only=False):
        """Return the lower triangle of X'DX + extra'extra, shape (k, k), where `extra` has k >= dim columns.

        With an intercept, X has a column of ones; further columns of `extra` meet zeros there.

        Parameters
        ----------
        row_weights : ndarray, shape (n,) or (m0,)
            The diagonal of D, at least 0.
        extra : ndarray, shape (l, k)
            Vectors whose outer products are added.
        class0_only : bool
            Whether X is the block of class 0.
        """
        roots, width = np.sqrt(row_weights), extra.shape[1]
        rows = self.A0 if class0_only else self.rows
        total = np.zeros((width, width), order="F")
        if sparse.issparse(rows):
            scaled = sparse.diags_array(roots) @ rows
            total[: self.p, : self.p] = (scaled.T @ scaled).toarray()
            if self.fit_intercept:
                total[self.p, : self.p] = scaled.T @ roots
                total[self.p, self.p] = row_weights.sum()
        else:
            for first in range(0, roots.size, ROWS_AT_A_TIME):
                part = roots[first : first + ROWS_AT_A_TIME]
                scaled = np.zeros((part.size, width))
                np.multiply(rows[first : first + part.size], part[:, None], out=scaled[:, : self.p])
                if self.fit_intercept:
                    scaled[:, self.p] = part
                total = dsyrk(1.0, scaled.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        if extra.shape[0]:
            total = dsyrk(1.0, extra.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        return total

    def trace_constant(self):
        """Return 1 / beta of equation (22): phi''(0) times the mean squared norm of the class 1 rows."""
        return self.loss.curvature * float(self.rms1 @ self.rms1)

    def spectral_constant(self, n_steps=100):
        """Return phi''(0) times the largest eigenvalue of X1'X1 / m1 by power iteration, 1 % larger for safety."""
        v = self.rms1 + 1e-3 * float(self.rms1.max())
        v, size = v / np.linalg.norm(v), 0.0
        for _ in range(n_steps):
            image = self._transposed(self.A1t, self._linear(self.A1, v)) / self.m1
            before, size = size, float(np.linalg.norm(image))
            if size == 0:
                break
            v = image / size
            if size - before <= 1e-4 * size:
                break
        return self.loss.curvature * 1.01 * size
