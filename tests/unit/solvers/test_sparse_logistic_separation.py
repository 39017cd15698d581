"""Whether the truncated likelihood without a penalty has a minimiser."""

import numpy as np
import pytest

from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal


def problem(seed, n=200, p=5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    return rng.normal(size=(n, p)) + y[:, None] / np.sqrt(p), y


def separated(n=60):
    rng = np.random.default_rng(14)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 2)) + 8.0 * y[:, None], y


@pytest.mark.parametrize(("p_min", "p_max"), [(0.0, 1.0), (0.0, 0.6), (0.3, 1.0)])
def test_separated_classes_without_a_penalty_have_no_minimiser(p_min, p_max):
    result = solve_sparse_logistic_primal(*separated(), p_min=p_min, p_max=p_max, lam=0.0)
    assert not result.converged
    assert result.reason.startswith("no minimiser: a linear rule separates the classes, and")


def test_separated_classes_with_a_kink_in_both_losses_have_one():
    X, y = separated()
    result = solve_sparse_logistic_primal(X, y, p_min=0.3, p_max=0.6, lam=0.0)
    assert result.converged
    assert result.alpha.max() < 1e-8
    floor = -np.sum(np.log([0.6] * 30 + [0.7] * 30))
    assert result.objective[-1] == pytest.approx(floor, rel=1e-9)


def with_ties():
    # a rare category that occurs in class 1 only, beside a column on which the classes overlap
    X, y = problem(15)
    rare = np.zeros(200)
    rare[np.flatnonzero(y == 1)[:4]] = 1.0
    return np.column_stack([X[:, 0], rare]), y


def test_separation_but_for_ties_is_seen():
    X, y = with_ties()
    for p_min in (0.0, 0.1):
        result = solve_sparse_logistic_primal(X, y, p_min=p_min, lam=0.0)
        assert not result.converged
        assert result.reason.startswith("no minimiser: a linear rule separates the classes, except for ties")
    assert solve_sparse_logistic_primal(X, y, lam=1e-3).converged


def test_a_direction_that_moves_rows_with_a_kink_only_is_harmless():
    X, y = with_ties()
    for p_min in (0.0, 0.1):
        result = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=0.9, lam=0.0)
        assert result.converged
    whole = solve_sparse_logistic_primal(X[X[:, 1] == 0][:, :1], y[X[:, 1] == 0], p_max=0.9, lam=0.0)
    assert solve_sparse_logistic_primal(X, y, p_max=0.9, lam=0.0).coef[0] == pytest.approx(whole.coef[0], abs=1e-6)
