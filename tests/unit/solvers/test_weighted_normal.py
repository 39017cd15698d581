"""Newton's equations with an intercept: against the plain matrix, and where that is singular."""

import numpy as np
import pytest
from scipy import sparse

from nproc.solvers import weighted_normal
from nproc.solvers.weighted_normal import CentredRows, newton_direction


def problem(n=50, p=4, shift=0.0):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)) + shift, rng.random(n), rng.normal(size=n)


def direction(X, weights, pulls, lam):
    data = CentredRows.of(X)
    gradient, matrix = data.sums(np.arange(X.shape[0]), pulls, weights)
    penalty = np.append(np.full(X.shape[1], lam), 0.0)
    step = newton_direction(gradient, matrix + np.diag(penalty))
    return step[:-1], step[-1] - data.centre @ step[:-1]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_the_step_solves_the_equations(form, lam):
    X, weights, pulls = problem(shift=3.0)
    design = np.column_stack([X, np.ones(50)])
    matrix = design.T @ (weights[:, None] * design) + lam * np.diag([1, 1, 1, 1, 0])
    step = np.append(*direction(form(X), weights, pulls, lam))
    np.testing.assert_allclose(matrix @ step, -design.T @ pulls, atol=1e-10)


def test_blocks_do_not_change_the_sums(monkeypatch):
    X, weights, pulls = problem()
    rows = np.arange(0, 50, 2)
    whole = CentredRows.of(X).sums(rows, pulls[rows], weights[rows])
    monkeypatch.setattr(weighted_normal, "BLOCK", 7)
    for a, b in zip(whole, CentredRows.of(X).sums(rows, pulls[rows], weights[rows]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_large_mean_costs_no_digits():
    X, weights, pulls = problem()
    near, far = direction(X, weights, pulls, 0.0), direction(X + 1e6, weights, pulls, 0.0)
    # the data themselves lose six digits in the shift
    np.testing.assert_allclose(far[0], near[0], rtol=1e-7)


def test_constant_and_repeated_columns_get_the_shortest_step():
    X, weights, pulls = problem()
    plain = direction(X, weights, pulls, 0.0)[0]
    wide = direction(np.column_stack([X, np.full(50, 1e3), X[:, 0]]), weights, pulls, 0.0)[0]
    assert wide[4] == 0.0
    np.testing.assert_allclose([wide[0], wide[5]], plain[0] / 2, rtol=1e-8)
    np.testing.assert_allclose(wide[1:4], plain[1:], rtol=1e-8)


def test_without_weights_only_the_penalty_pulls():
    gradient = np.array([2.0, -1.0, 0.0])
    np.testing.assert_allclose(newton_direction(gradient, np.diag([0.5, 0.5, 0.0])), [-4.0, 2.0, 0.0], atol=1e-14)
    assert newton_direction(gradient, np.zeros((3, 3))).tolist() == [0.0, 0.0, 0.0]
