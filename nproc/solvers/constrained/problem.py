"""The mean losses of the two classes, their gradients and products, with one contiguous block of rows a class.

References
----------
Equations (20), (21), (22) and (27) of [barlaud2015]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from nproc.checks import check_number, is_number
from nproc.errors import InvalidInputError

# rows whose scaled copy is made at a time for a Hessian
ROWS_AT_A_TIME = 2048
# a column that varies by less than this, beside its size, counts as one that varies by this
CONSTANT = 1e-6
# most steps of the power iteration
POWER_STEPS = 100


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

    def spectral_constant(self):
        """Return phi''(0) times the largest eigenvalue of X1'X1 / m1 by power iteration, 1 % larger for safety."""
        v = self.rms1 + 1e-3 * float(self.rms1.max())
        v, size = v / np.linalg.norm(v), 0.0
        for _ in range(POWER_STEPS):
            image = self._transposed(self.A1t, self._linear(self.A1, v)) / self.m1
            before, size = size, float(np.linalg.norm(image))
            if size == 0:
                break
            v = image / size
            if size - before <= 1e-4 * size:
                break
        return self.loss.curvature * 1.01 * size


# Constraints on the weights besides the type I risk: balls, signs, and the risks of groups of class 0 rows.
#
# Each set has its own projector, and its support function max {v'w : w in the set}, which turns the tangent of a convex
# function into a lower bound. The intercept is in none of them.


@dataclass(frozen=True)
class L2Ball:
    """The weights with a Euclidean norm of at most `radius`.

    Parameters
    ----------
    radius : float
        Above 0.

    Examples
    --------
    >>> L2Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    radius: float

    def __post_init__(self):
        check_number(self.radius, "radius")

    def project(self, w):
        """Return the nearest point of the ball."""
        norm = float(np.linalg.norm(w))
        return w * (self.radius / norm) if norm > self.radius else w

    def violation(self, w):
        """Return how far the norm exceeds the radius, relative to it; at most 0 inside."""
        return float(np.linalg.norm(w)) / self.radius - 1.0

    def support(self, v):
        """Return the largest v'w over the ball."""
        return self.radius * float(np.linalg.norm(v))


@dataclass(frozen=True)
class L1Ball:
    """The weights with a sum of absolute values of at most `radius`.

    Parameters
    ----------
    radius : float
        Above 0.

    Examples
    --------
    >>> L1Ball(1.0).project(np.array([2.0, 0.5, -1.5]))
    array([ 0.75,  0.  , -0.25])
    """

    radius: float

    def __post_init__(self):
        check_number(self.radius, "radius")

    def project(self, w):
        """Return the nearest point of the ball: soft thresholding at the level that meets the radius."""
        size = np.abs(w)
        if size.sum() <= self.radius:
            return w
        falling = np.sort(size)[::-1]
        levels = (np.cumsum(falling) - self.radius) / np.arange(1, size.size + 1)
        # the first is below its level only where the radius is rounding beside it
        level = levels[max(np.flatnonzero(falling >= levels), default=0)]
        return np.sign(w) * np.maximum(size - level, 0.0)

    def violation(self, w):
        """Return how far the norm exceeds the radius, relative to it; at most 0 inside."""
        return float(np.abs(w).sum()) / self.radius - 1.0

    def support(self, v):
        """Return the largest v'w over the ball."""
        return self.radius * float(np.abs(v).max())


@dataclass(frozen=True)
class Nonnegative:
    """The weights of at least 0.

    Examples
    --------
    >>> Nonnegative().project(np.array([2.0, -0.5]))
    array([2., 0.])
    """

    def project(self, w):
        """Return the nearest point: negative entries become 0."""
        return np.maximum(w, 0.0)

    def violation(self, w):
        """Return the size of the most negative weight, relative to the largest weight; at most 0 inside."""
        largest = float(np.abs(w).max())
        return -float(w.min()) / largest if largest > 0 else 0.0

    def support(self, v):
        """Return the largest v'w: 0, or infinity if v has an entry above 0."""
        return np.inf if np.any(v > 0) else 0.0


@dataclass(frozen=True)
class GroupRisk:
    """The mean loss of a group of class 0 rows, at most `tau`.

    Parameters
    ----------
    rows : array of bool, shape (n,)
        The rows of the group, over all training rows; those of class 1 do not count.
    tau : float
        The bound.
    """

    rows: np.ndarray
    tau: float

    def __post_init__(self):
        good = is_number(self.tau)
        if not good or not np.isfinite(self.tau):
            raise InvalidInputError(f"tau of a GroupRisk must be a finite number, got {self.tau!r}.")

    def weights(self, y):
        """Return the weights, with sum 1, of the class 0 rows in the mean, in the order of the rows."""
        rows = np.asarray(self.rows)
        if rows.dtype != bool or rows.shape != y.shape:
            raise InvalidInputError(
                f"rows of a GroupRisk must be a boolean array of shape {y.shape}, got {rows.shape}."
            )
        chosen = rows[y == 0].astype(np.float64)
        if chosen.sum() == 0:
            raise InvalidInputError("rows of a GroupRisk must hold at least one class 0 row, got none.")
        return chosen / chosen.sum()


@dataclass(frozen=True)
class WeightSets:
    """The sets that hold the weights, at most one of a kind: their intersection.

    Attributes
    ----------
    l2, l1 : float or None
        Radii.
    nonnegative : bool
        Whether weights must not be negative.
    """

    l2: float | None = None
    l1: float | None = None
    nonnegative: bool = False

    @property
    def bounded(self):
        """Whether the weights lie in a ball."""
        return self.l2 is not None or self.l1 is not None

    @property
    def given(self):
        """Whether there is any set."""
        return self.bounded or self.nonnegative

    def members(self):
        """Return the sets as objects with projectors."""
        found = [] if self.l2 is None else [L2Ball(self.l2)]
        found += [] if self.l1 is None else [L1Ball(self.l1)]
        return found + ([Nonnegative()] if self.nonnegative else [])

    def project(self, w):
        """Return the nearest point of the intersection."""
        if self.nonnegative:
            # a ball around 0 keeps signs, so that the projections may follow each other
            w = np.maximum(w, 0.0)
        if self.l1 is None:
            return w if self.l2 is None else L2Ball(self.l2).project(w)
        near = L1Ball(self.l1).project(w)
        if self.l2 is None or np.linalg.norm(near) <= self.l2:
            return near
        near = L2Ball(self.l2).project(w)
        if np.abs(near).sum() <= self.l1:
            return near
        # both norms meet their radii: soft thresholding, then scaling, at the level that gives the ratio of the radii
        size, low, high = np.abs(w), 0.0, float(np.abs(w).max())
        for _ in range(100):
            level = 0.5 * (low + high)
            left = np.maximum(size - level, 0.0)
            if left.sum() * self.l2 > self.l1 * np.linalg.norm(left):
                low = level
            else:
                high = level
        left = np.maximum(size - high, 0.0) if high < size.max() else (size == size.max()).astype(np.float64)
        return np.sign(w) * left * (self.l2 / float(np.linalg.norm(left)))

    def jacobian(self, before, p, vectors):
        """Return the images of `vectors` (rows) under a generalised derivative of `project` at `before`, which is p."""
        if self.l1 is not None or self.nonnegative:
            vectors = np.where(p != 0, vectors, 0.0)
        normals, factor = [], 1.0
        norm = float(np.linalg.norm(p))
        if self.l2 is not None and norm >= self.l2 * (1 - 1e-12):
            normals.append(p / norm)
            inner = before if self.l1 is None else before - np.sign(p) * self._level(before, p)
            factor = norm / max(float(np.linalg.norm(inner[p != 0])), norm)
        if self.l1 is not None and np.abs(p).sum() >= self.l1 * (1 - 1e-12):
            normals.append(np.sign(p))
        if normals:
            basis = np.linalg.qr(np.array(normals).T)[0]
            vectors = vectors - (vectors @ basis) @ basis.T
        return factor * vectors

    @staticmethod
    def _level(before, p):
        # |before| - level is proportional to |p| on its support: two coordinates tell the level, one tells nothing
        chosen = np.flatnonzero(p)
        a, b = np.abs(before[chosen]), np.abs(p[chosen])
        spread = b - b.mean()
        ratio = float(spread @ a) / float(spread @ b) if float(spread @ spread) > 0 else 1.0
        return max(float(a.mean() - ratio * b.mean()), 0.0)

    def support(self, v, far):
        """Return a bound on v'w over the sets and the ball of radius `far`, exact for one ball."""
        if self.nonnegative:
            # a coordinate with v_j < 0 is best at 0
            v = np.maximum(v, 0.0)
        bounds = [far * float(np.linalg.norm(v))]
        if self.l2 is not None:
            bounds.append(L2Ball(self.l2).support(v))
        if self.l1 is not None:
            bounds.append(L1Ball(self.l1).support(v))
        return min(bounds)

    def violation(self, w):
        """Return the largest relative violation, at most 0 inside."""
        return max((member.violation(w) for member in self.members()), default=0.0)


def sort_constraints(constraints):
    """Return (WeightSets, list of GroupRisk) of what the caller gave; two balls of a kind become the smaller one."""
    if not isinstance(constraints, list | tuple):
        raise InvalidInputError(
            "constraints must be a list or tuple of L2Ball, L1Ball, Nonnegative or GroupRisk objects, "
            f"got {type(constraints).__name__}."
        )
    l2, l1, nonnegative, groups = None, None, False, []
    for one in constraints:
        if isinstance(one, L2Ball):
            l2 = one.radius if l2 is None else min(l2, one.radius)
        elif isinstance(one, L1Ball):
            l1 = one.radius if l1 is None else min(l1, one.radius)
        elif isinstance(one, Nonnegative):
            nonnegative = True
        elif isinstance(one, GroupRisk):
            groups.append(one)
        else:
            raise InvalidInputError(
                f"constraints must hold L2Ball, L1Ball, Nonnegative or GroupRisk objects, got {type(one).__name__}."
            )
    return WeightSets(None if l2 is None else float(l2), None if l1 is None else float(l1), nonnegative), groups


NAMES = ("objective", "risk1", "risk2", "type1", "type2", "certificate")


class RiskHistory:
    """A table with one row an iteration.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    callback : callable or None
        ``callback(n_iter, row)``, the row being a dictionary.

    Attributes
    ----------
    n_iter : int
        Rows so far.
    """

    def __init__(self, risks, callback=None):
        self.risks, self.callback, self.rows = risks, callback, []

    @property
    def n_iter(self):
        return len(self.rows)

    def add(self, z0, z1, objective=None, risk1=None, certificate=np.nan):
        """Record one iteration; values that are known need not be computed again."""
        objective = self.risks.objective(z1) if objective is None else objective
        risk1 = float(self.risks.risks(z0)[0]) if risk1 is None else risk1
        if not (np.isfinite(objective) and np.isfinite(risk1)):
            raise InvalidInputError(
                f"The losses must stay finite, got means of {risk1} (class 0) and {objective} (class 1) in "
                f"iteration {self.n_iter + 1}. Scale the columns of X, or use a shorter step."
            )
        row = dict(zip(NAMES, (objective, risk1, objective, *self.risks.errors(z0, z1), certificate), strict=True))
        self.rows.append(row)
        if self.callback is not None:
            self.callback(self.n_iter, row)

    def arrays(self):
        """Return the columns as arrays."""
        return {name: np.array([row[name] for row in self.rows]) for name in NAMES}
