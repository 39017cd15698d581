"""Random problems for the constrained solver, and their conic form for an interior point solver of others."""

import warnings

import numpy as np
import pytest

from nproc.solvers.constrained.problem import GroupRisk, L1Ball, L2Ball, Nonnegative


def overlapping(seed, n=150, p=6, shift=0.4):
    """Classes that no linear rule separates, with columns of unequal scales and means."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.exp(0.7 * rng.normal(size=p)) + rng.normal(size=p)
    y = (rng.random(n) < 0.5).astype(int)
    X[y == 1] += shift * rng.normal(size=p)
    return X, y


def a_level(loss, seed):
    """A level that binds and can be reached."""
    return (0.95, 0.98, 1.05)[seed % 3] * loss.at_zero if loss.at_zero > 0 else (-0.03, -0.02, 0.02)[seed % 3]


def conic_loss(cp, name, z, given):
    """The sum of the losses at an affine expression; what it needs is added to `given`."""
    if name == "logistic":
        return cp.sum(cp.logistic(-z))
    if name == "matsusita":
        return 0.5 * cp.sum(cp.norm(cp.vstack([np.ones(z.shape[0]), z]), axis=0) - z)
    # at z = up - down the least of -log(1 + up / 2) + down - log(1 + down / 2) has up = 0 or down = 0
    up, down = cp.Variable(z.shape[0], nonneg=True), cp.Variable(z.shape[0], nonneg=True)
    given.append(up - down == z)
    return cp.sum(down - cp.log(1 + up / 2) - cp.log(1 + down / 2))


def conic_optimum(X, y, name, tau, *, fit_intercept=True, constraints=()):
    """(status, optimum) of the problem by cvxpy and Clarabel."""
    cp = pytest.importorskip("cvxpy")
    w, b, given = cp.Variable(X.shape[1]), cp.Variable(), []
    if not fit_intercept:
        given.append(b == 0)
    m0, m1 = int(np.sum(y == 0)), int(np.sum(y == 1))
    objective = conic_loss(cp, name, X[y == 1] @ w + b, given) / m1
    given.append(conic_loss(cp, name, -(X[y == 0] @ w + b), given) / m0 <= tau)
    for one in constraints:
        if isinstance(one, L2Ball):
            given.append(cp.norm(w) <= one.radius)
        elif isinstance(one, L1Ball):
            given.append(cp.norm1(w) <= one.radius)
        elif isinstance(one, Nonnegative):
            given.append(w >= 0)
        elif isinstance(one, GroupRisk):
            rows = one.rows & (y == 0)
            given.append(conic_loss(cp, name, -(X[rows] @ w + b), given) / rows.sum() <= one.tau)
    problem = cp.Problem(cp.Minimize(objective), given)
    with warnings.catch_warnings():
        # at this accuracy the conic solver may say that its solution is inaccurate
        warnings.simplefilter("ignore")
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-10, tol_gap_abs=1e-10, tol_feas=1e-10)
    return problem.status, problem.value
