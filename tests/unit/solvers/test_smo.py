"""How the shifted-box solver gets there: small problems, caches, warm starts, limits, and both ways to run."""

import numpy as np
import pytest
from svm_problems import KERNELS, random_problem, sample, signs

from nproc.solvers import kernel_cache
from nproc.solvers.jit import plain_python
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.npsvm import smo as working_set
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm
from nproc.solvers.npsvm.smo import carried_to_new_boxes, shifted_boxes


@pytest.mark.parametrize("cache_size", [200.0, 0.02, 1e-6])
def test_the_cache_does_not_change_the_solution(cache_size):
    X, y, terms = random_problem(11, n=120)
    expected = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, **terms)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, cache_size=cache_size, **terms)
    assert found.converged
    np.testing.assert_allclose(found.objective[-1], expected.objective[-1], rtol=1e-10)
    np.testing.assert_allclose(found.decision, expected.decision, atol=1e-6)


def test_a_matrix_computed_row_by_row_gives_the_same_solution(monkeypatch):
    X, y, terms = random_problem(11, n=120)
    expected = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, **terms)
    monkeypatch.setattr(kernel_cache, "AT_ONCE", 0)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, **terms)
    np.testing.assert_allclose(found.objective[-1], expected.objective[-1], rtol=1e-10)


def test_small_problems_find_the_solution_that_needs_many_of_them(monkeypatch):
    X, y, terms = random_problem(13, n=300)
    expected = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-8, **terms)
    monkeypatch.setattr(working_set, "FIRST_SIZE", 4)
    monkeypatch.setattr(working_set, "KEPT_FREE", 2)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-8, **terms)
    assert found.converged
    np.testing.assert_allclose(found.objective[-1], expected.objective[-1], rtol=1e-10)


def test_compiled_and_plain_runs_agree():
    X, y, terms = random_problem(11, n=60)
    compiled = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, **terms)
    with plain_python():
        plain = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-9, **terms)
    np.testing.assert_allclose(plain.objective, compiled.objective, rtol=1e-10)
    np.testing.assert_allclose(plain.decision, compiled.decision, atol=1e-7)


@pytest.mark.parametrize("factor", [1.0, 0.97, 1.03])
def test_warm_starts_give_the_same_objectives_in_fewer_steps(factor):
    X, y = sample(21, n=300)
    rows = KernelRows(KERNELS["rbf"], X)
    warm = solve_shifted_svm(None, y, rows=rows, cost=np.where(y == 1, 4.0, 6.0), tol=1e-5)
    beta = (signs(y) * warm.decision < -1.0).astype(float)
    assert beta.sum() > 5
    n_warm = n_cold = 0
    for turn in range(4):
        terms = {"cost": np.where(y == 1, 4.0, 6.0 * factor**turn), "beta": beta, "tol": 1e-5}
        warm = solve_shifted_svm(None, y, rows=rows, start=warm, **terms)
        cold = solve_shifted_svm(None, y, rows=rows, **terms)
        n_warm, n_cold = n_warm + warm.n_iter, n_cold + cold.n_iter
        np.testing.assert_allclose(warm.objective[-1], cold.objective[-1], rtol=1e-6)
        assert abs(warm.coef.sum()) <= 1e-9
        np.testing.assert_allclose(warm.decision, rows.product(warm.coef) + warm.intercept, atol=1e-9)
    assert n_warm < 0.9 * n_cold


def test_the_solution_as_a_start_needs_no_step_and_no_row():
    X, y, terms = random_problem(11, n=60)
    rows = KernelRows(KERNELS["rbf"], X)
    found = solve_shifted_svm(X, y, rows=rows, **terms)
    n_computed = rows.n_computed
    again = solve_shifted_svm(X, y, rows=rows, start=found, **terms)
    assert again.n_iter == 0
    assert rows.n_computed == n_computed
    np.testing.assert_allclose(again.decision, found.decision, rtol=1e-12)


def test_a_start_of_another_problem_is_moved_into_the_boxes():
    X, y, terms = random_problem(11, n=60)
    expected = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-8, **terms)
    for factor in (1e-3, 0.5, 1e3):
        start = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], **terms | {"cost": factor * terms["cost"]})
        found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-8, start=start, **terms)
        np.testing.assert_allclose(found.objective[-1], expected.objective[-1], rtol=1e-8)
        assert found.objective[-1] <= found.objective[0]


def test_kernel_rows_are_shared_between_solves():
    X, y = sample(21, n=300)
    rows = KernelRows(KERNELS["rbf"], X)
    for factor in (1.0, 1.1, 1.2):
        found = solve_shifted_svm(X, y, rows=rows, cost=np.full(300, 2.0 * factor))
        alone = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], cost=np.full(300, 2.0 * factor))
        np.testing.assert_allclose(found.objective[-1], alone.objective[-1], rtol=1e-9)
    assert rows.n_computed <= 300


def test_too_few_iterations_are_told():
    X, y, terms = random_problem(11, n=60)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], max_iter=3, tol=1e-9, **terms)
    assert found.n_iter == 3
    assert not found.converged
    assert found.certificate > 1e-9
    assert found.reason == "the limit of 3 iterations was reached"


def test_a_tolerance_below_rounding_ends():
    X, y, terms = random_problem(11, n=60)
    found = solve_shifted_svm(X * 100, y, kernel="linear", tol=1e-300, **terms)
    assert found.certificate < 1e-8
    assert found.converged or "rounding" in found.reason


def test_a_start_near_the_solution_needs_no_small_problem(monkeypatch):
    X, y = sample(0, n=200)
    rows = KernelRows(KERNELS["rbf"], X)
    cost = np.where(y == 1, 1.0, 2.0)
    first = solve_shifted_svm(X, y, cost=cost, rows=rows, tol=1e-4)
    small = []
    inner = working_set.BoxProblem._small_problem
    monkeypatch.setattr(
        working_set.BoxProblem, "_small_problem", lambda self, *args: small.append(1) or inner(self, *args)
    )
    again = solve_shifted_svm(X, y, cost=1.001 * cost, rows=rows, tol=1e-4, start=first)
    # the one call that finds the gap closed
    assert again.converged
    assert len(small) == 1


def test_coefficients_at_a_bound_stay_at_it_where_it_has_moved():
    X, y = sample(0, n=200)
    first = solve_shifted_svm(X, y, cost=np.where(y == 1, 1.0, 2.0), kernel="rbf", tol=1e-8)
    again = solve_shifted_svm(X, y, cost=np.where(y == 1, 1.0, 2.1), kernel="rbf", tol=np.inf, start=first)
    # no step was asked for: this is the start
    assert again.n_iter == 0
    at_bound = (first.coef == first.lower) & (first.coef < 0)
    assert at_bound.sum() > 20
    # class 0 costs 5 % more: its rows follow, but for the few that make up for the change of the sum
    assert np.mean((again.coef == again.lower)[at_bound]) > 0.9
    assert abs(again.coef.sum()) <= 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_carried_to_new_boxes_boxes_hold_the_point_and_leave_less_than_one_row_to_balance(seed):
    rng = np.random.default_rng(seed)
    X, y, terms = random_problem(seed)
    eta = terms["eta"]
    before = shifted_boxes(signs(y), terms["cost"], terms["beta"], eta)
    now = shifted_boxes(signs(y), terms["cost"] * rng.uniform(0.2, 3, y.size), 1.0 * (rng.random(y.size) < 0.3), eta)
    c = solve_shifted_svm(X, y, **terms).coef
    moved = carried_to_new_boxes(c, before, now, rng.random(y.size))
    assert np.all((now[0] <= moved) & (moved <= now[1]))
    heavy = np.abs(moved[moved * moved.sum() > 0])
    assert abs(moved.sum()) <= (heavy.max() if heavy.size else 0.0) + 1e-12
