"""What machines score the rows that they have not seen, against machines that are trained again without each row."""

import numpy as np
import pytest
from svm_problems import KERNELS, sample

from nproc.solvers import leave_one_out_scores, solve_shifted_svm
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm import leave_one_out


def trained(kernel, X, y, cost):
    return solve_shifted_svm(X, y, kernel=kernel, cost=np.full(y.size, cost), tol=1e-9)


def scored_without(kernel, X, y, cost):
    """Train again without each row in turn, and score that row."""
    scores = np.empty(y.size)
    for i in range(y.size):
        others = np.delete(np.arange(y.size), i)
        found = trained(kernel, X[others], y[others], cost)
        scores[i] = kernel.matrix(X[i : i + 1], X[others])[0] @ found.coef + found.intercept
    return scores


@pytest.mark.parametrize("cost", [2.0, 1e3])
@pytest.mark.parametrize("p", [40, 200])
def test_wide_rows_are_scored_as_by_a_machine_without_them(p, cost):
    rng = np.random.default_rng(p)
    y = np.repeat([0.0, 1.0], 40)
    X = rng.normal(size=(80, p))
    X[y == 1, :2] += 1
    kernel = make_kernel("rbf", gamma=1 / p)
    found = trained(kernel, X, y, cost)
    estimated = leave_one_out_scores(kernel, X, found.coef, found.decision)
    right = scored_without(kernel, X, y, cost)
    assert np.max(np.abs(estimated - right)) < 0.1 * np.std(right)
    # what it is for: the errors on rows seen are none, those on others many
    assert np.mean((found.decision > 0) != y) <= 0.05 < 0.2 < np.mean((right > 0) != y)
    assert abs(np.mean((estimated > 0) != y) - np.mean((right > 0) != y)) <= 2 / 80


@pytest.mark.parametrize("seed", range(4))
def test_the_errors_are_near_those_of_machines_without_each_row(seed):
    kernel = KERNELS["rbf"]
    X, y = sample(seed, n=100)
    found = trained(kernel, X, y, 2.0)
    estimated = leave_one_out_scores(kernel, X, found.coef, found.decision)
    right = scored_without(kernel, X, y, 2.0)
    assert abs(np.mean((estimated > 0) != y) - np.mean((right > 0) != y)) <= 0.03
    unseen = found.coef == 0
    np.testing.assert_array_equal(estimated[unseen], found.decision[unseen])
    # rows without a coefficient do not matter to the machine
    np.testing.assert_allclose(right[unseen], found.decision[unseen], atol=1e-5)


def test_a_matrix_of_kernels_gives_what_its_rows_give():
    X, y = sample(3, n=60)
    kernel = KERNELS["rbf"]
    found = trained(kernel, X, y, 2.0)
    by_rows = leave_one_out_scores(kernel, X, found.coef, found.decision)
    by_matrix = leave_one_out_scores(make_kernel("precomputed"), kernel.matrix(X, X), found.coef, found.decision)
    np.testing.assert_allclose(by_matrix, by_rows, atol=1e-8)


def test_copies_of_rows_and_a_model_without_support_vectors_are_no_trouble():
    X, y = sample(4, n=40)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    found = trained(KERNELS["rbf"], X, y, 5.0)
    assert np.all(np.isfinite(leave_one_out_scores(KERNELS["rbf"], X, found.coef, found.decision)))
    scores = np.linspace(-1, 1, y.size)
    np.testing.assert_array_equal(leave_one_out_scores(KERNELS["rbf"], X, np.zeros(y.size), scores), scores)


def test_with_too_few_or_too_many_free_rows_there_is_no_estimate(monkeypatch):
    X, y = sample(5, n=100)
    few = trained(KERNELS["linear"], X, y, 5.0)
    assert leave_one_out_scores(KERNELS["linear"], X, few.coef, few.decision) is None
    many = trained(KERNELS["rbf"], X, y, 5.0)
    assert leave_one_out_scores(KERNELS["rbf"], X, many.coef, many.decision) is not None
    monkeypatch.setattr(leave_one_out, "MOST_FREE", 1)
    assert leave_one_out_scores(KERNELS["rbf"], X, many.coef, many.decision) is None
