"""L1-penalised logistic and least squares fits along a path of penalties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

# share of the null deviance explained beyond which a path stops; glmnet's fdev is 0.001
PERFECT_SHARE = 0.999


@dataclass(frozen=True)
class L1Fit:
    """The fit at one penalty.

    Attributes
    ----------
    lam : float
        Penalty.
    intercept : float
        Intercept.
    coef : ndarray, shape (p,)
        Coefficients.
    violation : float
        Certificate: the largest violation of the optimality conditions, divided by the first penalty of the
        path; zero at the optimum.
    """

    lam: float
    intercept: float
    coef: np.ndarray
    violation: float


def squared_loss(linear, y):
    """Return mean loss, residual and curvature of half the squared error."""
    residual = linear - y
    return 0.5 * np.mean(residual**2), residual, np.ones_like(residual)


def logistic_loss(linear, y):
    """Return mean loss, residual and curvature of the logistic loss (half the deviance)."""
    probability = expit(linear)
    value = np.mean(np.logaddexp(0.0, linear) - y * linear)
    return value, probability - y, probability * (1.0 - probability)


def largest_penalty(X, y):
    """Return the smallest penalty at which all coefficients are zero, for either loss."""
    return float(np.abs(X.T @ (y - y.mean())).max() / y.size)


def walk_path(X, y, lams, loss, *, tol=1e-6, max_iter=50):
    r"""Yield the minimum of ``mean loss(b0 + X b) + lam * ||b||_1`` for each penalty in turn.

    Two-metric projected Newton (Gafni and Bertsekas 1984): a Newton step on the intercept, the nonzero
    coefficients and those zero ones whose gradient exceeds the penalty, projected onto the orthant of their
    signs, with backtracking. Each penalty starts from the solution of the one before.

    Parameters
    ----------
    X : ndarray or CSC array, shape (n, p)
        Columns of similar scale, not necessarily centred; already checked.
    y : ndarray, shape (n,)
        Response (0 or 1 for the logistic loss).
    lams : ndarray, shape (m,)
        Penalties, decreasing.
    loss : callable
        `squared_loss` or `logistic_loss`.
    tol : float
        Largest violation of the optimality conditions, as a share of ``lams[0]``.
    max_iter : int
        Most Newton steps for each penalty.

    Yields
    ------
    fit : L1Fit
        Once the fit is nearly perfect the last one is repeated (with its own penalty), as glmnet does.
    """
    p = X.shape[1]
    intercept = _null_intercept(y, loss)
    coef = np.zeros(p)
    null = loss(np.full(y.size, intercept), y)[0]
    fit, perfect = None, False
    for lam in lams:
        if not perfect:
            intercept, coef, value, violation = _minimise(X, y, lam, loss, intercept, coef, tol * lams[0], max_iter)
            fit = L1Fit(float(lam), float(intercept), coef, float(violation / lams[0]))
            perfect = 1.0 - value / null > PERFECT_SHARE
        yield fit


def _minimise(X, y, lam, loss, intercept, coef, tol, max_iter):
    n = y.size
    linear = intercept + X @ coef
    value, residual, curvature = loss(linear, y)
    for iteration in range(max_iter + 1):
        gradient = X.T @ residual / n
        sign = np.where(coef != 0, np.sign(coef), -np.sign(gradient))
        excess = np.where(coef != 0, np.abs(gradient + lam * sign), np.abs(gradient) - lam)
        violation = max(excess.max(initial=0.0), abs(residual.mean()))
        if violation <= tol or iteration == max_iter:
            break
        free = np.flatnonzero((coef != 0) | (excess > 0))
        n_active = np.count_nonzero(coef)
        if free.size > 2 * n_active + 20:
            # far from the solution most of the columns let in at once would be thrown out again
            entering = free[coef[free] == 0]
            order = np.argsort(-excess[entering])[: n_active + 20]
            free = np.sort(np.concatenate([np.flatnonzero(coef), entering[order]]))
        columns = X[:, free].toarray() if sparse.issparse(X) else X[:, free]
        step0, step = _newton_step(columns, residual, curvature, gradient[free] + lam * sign[free])
        direction = columns @ step
        penalised = value + lam * np.abs(coef).sum()
        size, best = 1.0, None
        while size > 1e-10:
            moved = coef[free] + size * step
            moved[np.sign(moved) != sign[free]] = 0.0
            unhindered = np.array_equal(moved, coef[free] + size * step)
            change = size * direction if unhindered else columns @ (moved - coef[free])
            candidate = linear + size * step0 + change
            new = loss(candidate, y)
            new_coef = coef.copy()
            new_coef[free] = moved
            if new[0] + lam * np.abs(new_coef).sum() <= penalised + 1e-14 * abs(penalised):
                best = new
                break
            size /= 2
        if best is None:
            break  # no descent to rounding; the violation reported says how far from the optimum
        intercept, coef, linear = intercept + size * step0, new_coef, candidate
        value, residual, curvature = best
    return intercept, coef, value, violation


def _newton_step(columns, residual, curvature, gradient):
    n, q = columns.shape
    weighted = columns * curvature[:, None]
    hessian = np.empty((q + 1, q + 1))
    hessian[0, 0] = curvature.sum()
    hessian[0, 1:] = hessian[1:, 0] = weighted.sum(axis=0)
    hessian[1:, 1:] = columns.T @ weighted
    hessian /= n
    # keeps the system solvable for dependent columns; it bends the direction, not the solution
    hessian[np.diag_indices(q + 1)] += 1e-9 * np.trace(hessian) / (q + 1)
    step = np.linalg.solve(hessian, -np.concatenate([[residual.mean()], gradient]))
    return step[0], step[1:]


def _null_intercept(y, loss):
    centre = y.mean()
    return float(np.log(centre / (1.0 - centre))) if loss is logistic_loss else float(centre)
