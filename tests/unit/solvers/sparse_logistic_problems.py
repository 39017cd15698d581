"""Random problems of sparse logistic regression, the criterion by hand and its least value by others."""

import numpy as np
import pytest
from scipy.special import entr, expit, logit

from nproc.losses.truncated import TruncatedLikelihood
from nproc.solvers.kernels import make_kernel

RBF = make_kernel("rbf", gamma=0.5)


def sample(seed, n=None, p=None):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 70)) if n is None else n
    p = int(rng.integers(1, 8)) if p is None else p
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + rng.normal(size=n) > rng.normal()).astype(int)
    y[:2] = 0, 1
    return X, y


def problem(seed):
    """Rows, labels, interval and lambda; every third time on a grid, so that rows repeat."""
    X, y = sample(seed)
    rng = np.random.default_rng([9, seed])
    p_min, p_max = np.sort(rng.random(2))
    p_min, p_max = (0.0 if seed % 4 == 0 else p_min), (1.0 if seed % 5 == 0 else p_max)
    if seed % 3 == 0:
        X = np.round(X)
    return X, y, {"p_min": float(p_min), "p_max": float(p_max), "lam": float(10 ** rng.uniform(-2, 2))}


def gram(X, kernel):
    return X @ X.T if kernel == "linear" else kernel.matrix(X, X)


def criterion(K, y, found, lam, p_min, p_max):
    """The criterion (6) from its definition."""
    s = 2 * y - 1
    coef = s * found.alpha / lam
    floor = np.where(y == 1, -logit(p_max), logit(p_min))
    losses = np.logaddexp(0.0, np.maximum(-s * found.decision, floor))
    return np.sum(losses) + 0.5 * lam * coef @ K @ coef


def dual_criterion(alpha, y, loss, penalty):
    """The largest lower bound on the criterion (6) that `alpha` proves; (11) is its negative, up to constants.

    It holds if the sum of s_i alpha_i is 0, all alpha_i are in [0, 1], and `penalty` is lambda / 2 times the squared
    norm of (1 / lambda) sum_i alpha_i s_i K(., x_i).
    """
    floor = loss.floor(y)
    top = expit(floor)
    # below the hinge's slope the bound is attained at the kink; above, on the logarithm, where it is an entropy
    bounded = np.where(alpha < top, floor, 0.0)
    at_kink = np.logaddexp(0.0, bounded) - alpha * bounded
    return float(np.sum(np.where(alpha < top, at_kink, entr(alpha) + entr(1.0 - alpha)))) - float(penalty)


def least_criterion(K, y, lam, p_min, p_max):
    """The least value of (6) by an interior point method."""
    cvxpy = pytest.importorskip("cvxpy")
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-13 * values[-1]
    F = vectors[:, kept] * np.sqrt(values[kept])
    u, b = cvxpy.Variable(F.shape[1]), cvxpy.Variable()
    loss = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    s, floor = 2 * y - 1, loss.floor(y)
    terms = 0.5 * lam * cvxpy.sum_squares(u)
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        exponent = -cvxpy.multiply(s[rows], F[rows] @ u + b)
        if np.isfinite(floor[rows[0]]):
            exponent = cvxpy.maximum(exponent, floor[rows[0]])
        terms = terms + cvxpy.sum(cvxpy.logistic(exponent))
    tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    cvxpy.Problem(cvxpy.Minimize(terms)).solve(solver="CLARABEL", **tight)
    z = s * (F @ u.value + float(b.value))
    return float(np.sum(loss.value(z, y)) + 0.5 * lam * u.value @ u.value)
