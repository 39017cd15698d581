"""The solution of the shifted-box solver against a QP solver, scikit-learn's SVC and its certificates."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC
from svm_problems import KERNELS, random_problem, sample, signs

from nproc.solvers.hinges import minimise_hinges
from nproc.solvers.npsvm import linear_newton
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm


def least_objective(K, target, lower, upper):
    """The same problem by an interior point method."""
    clarabel = pytest.importorskip("clarabel")
    n = target.size
    conditions = sparse.vstack([sparse.csc_matrix(np.ones((1, n))), sparse.eye(n), -sparse.eye(n)], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(
        sparse.triu(sparse.csc_matrix(K), format="csc"),
        -target,
        conditions,
        np.concatenate([[0.0], upper, -lower]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    return solver.solve().obj_val


def primal(K, y, found, cost, beta, eta):
    """The primal objective at what the solver returned, from its definition."""
    z = signs(y) * (K @ found.coef + found.intercept)
    loss = np.maximum(0.0, (eta - z) / (2 * eta)) + beta * z / (2 * eta)
    return 0.5 * found.coef @ K @ found.coef + np.sum(cost * loss)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(25))
def test_the_objective_is_that_of_a_qp_solver_and_all_constraints_hold(kernel, seed):
    X, y, terms = random_problem(seed)
    found = solve_shifted_svm(X, y, kernel=KERNELS[kernel], tol=1e-8, **terms)
    half = terms["cost"] / (2 * terms["eta"])
    assert found.converged
    assert np.all(-terms["beta"] * half <= signs(y) * found.coef)
    assert np.all(signs(y) * found.coef <= (1 - terms["beta"]) * half)
    assert abs(found.coef.sum()) <= 1e-9
    K = KERNELS[kernel].matrix(X, X)
    np.testing.assert_allclose(
        found.objective[-1],
        least_objective(K, terms["eta"] * signs(y), found.lower, found.upper),
        rtol=1e-6,
        atol=1e-9,
    )
    np.testing.assert_allclose(found.decision, K @ found.coef + found.intercept, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_the_duality_gap_is_primal_minus_dual_and_closes(seed):
    X, y, terms = random_problem(seed, n=50)
    K = KERNELS["rbf"].matrix(X, X)
    gaps = []
    for tol in (1.0, 1e-3, 1e-10):
        found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=tol, **terms)
        # the linear terms of the rows given up add a constant to the dual
        dual = -found.objective[-1] + np.sum(terms["beta"] * terms["cost"]) / 2
        gap = primal(K, y, found, **terms) - dual
        np.testing.assert_allclose(found.duality_gap, gap, rtol=1e-6, atol=1e-9 * (1 + abs(dual)))
        assert found.duality_gap >= 0
        assert found.certificate <= tol
        gaps.append(found.duality_gap)
    assert gaps[2] <= 1e-7 * max(1.0, abs(dual))
    assert gaps[2] <= gaps[1] <= gaps[0] + 1e-12


def test_free_rows_lie_at_eta():
    X, y, terms = random_problem(4, n=60)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], tol=1e-10, **terms)
    free = (found.coef > found.lower) & (found.coef < found.upper)
    assert free.sum() > 3
    np.testing.assert_allclose(signs(y)[free] * found.decision[free], terms["eta"], rtol=1e-8)


@pytest.mark.parametrize("eta", [1.0, 0.4])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_without_rows_given_up_it_is_svc_with_c_over_two_eta_squared_times_eta(kernel, eta):
    X, y = sample(5, n=300)
    costs = {0: 3.0, 1: 0.8}
    cost = np.where(y == 1, costs[1], costs[0])
    found = solve_shifted_svm(X, y, kernel=KERNELS[kernel], cost=cost, eta=eta, tol=1e-6)
    weights = {label: value / (2 * eta**2) for label, value in costs.items()}
    peer = SVC(C=1.0, kernel=kernel, gamma=0.5, class_weight=weights, tol=1e-8).fit(X, y)
    coef = np.zeros(y.size)
    coef[peer.support_] = eta * peer.dual_coef_[0]
    K = KERNELS[kernel].matrix(X, X)
    np.testing.assert_allclose(found.objective[-1], 0.5 * coef @ K @ coef - eta * np.abs(coef).sum(), rtol=1e-6)
    np.testing.assert_allclose(found.decision, eta * peer.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("free_class", [0, 1])
def test_a_class_without_cost_is_ignored(free_class):
    X, y = sample(3, n=40)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], cost=np.where(y == free_class, 0.0, 5.0))
    assert found.converged
    np.testing.assert_array_equal(found.coef, 0.0)
    # nothing but the other class counts, and a constant serves it
    np.testing.assert_allclose(signs(y)[y != free_class] * found.decision[y != free_class], 1.0)
    assert found.duality_gap == 0.0


def test_without_any_cost_the_function_is_zero():
    X, y = sample(3, n=40)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], cost=np.zeros(40))
    assert found.converged
    np.testing.assert_array_equal(found.decision, 0.0)


def test_without_a_free_row_the_intercept_is_the_middle_of_what_is_allowed():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([0, 1, 0, 1])
    found = solve_shifted_svm(X, y, kernel="linear", cost=np.full(4, 1e-3), tol=1e-9)
    assert np.all((found.coef == found.lower) | (found.coef == found.upper))
    np.testing.assert_allclose(found.intercept, 0.0, atol=1e-12)
    assert found.duality_gap <= 1e-12


def test_units_of_the_rows_do_not_matter_to_a_linear_kernel():
    X, y, terms = random_problem(11, n=60)
    expected = solve_shifted_svm(X, y, kernel="linear", tol=1e-8, **terms)
    # a unit of 1e-8 makes weights 1e8 times as large, and the penalty on them 1e16 times
    small = solve_shifted_svm(X * 1e-8, y, kernel="linear", tol=1e-8, **terms | {"cost": terms["cost"] * 1e16})
    np.testing.assert_allclose(small.objective[-1], 1e16 * expected.objective[-1], rtol=1e-6)
    np.testing.assert_allclose(small.decision, expected.decision, atol=1e-6)


@pytest.mark.parametrize("scale", [1e10, 1e20, 1e300])
def test_boxes_far_wider_than_any_coefficient_change_nothing(scale):
    X, y = sample(3, n=40)
    X[:, 0] += 6.0 * signs(y)
    expected = solve_shifted_svm(X, y, kernel="linear", cost=np.full(40, 1e3), tol=1e-8)
    found = solve_shifted_svm(X, y, kernel="linear", cost=np.full(40, scale), tol=1e-8)
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-8)
    np.testing.assert_allclose(X @ X.T @ found.coef + found.intercept, found.decision, atol=1e-8)


def test_equal_rows_with_both_labels_do_no_harm():
    X, _ = sample(3, n=20)
    X = np.repeat(X, 5, axis=0)
    y = np.random.default_rng(1).integers(0, 2, 100)
    found = solve_shifted_svm(X, y, kernel=KERNELS["rbf"], cost=np.full(100, 20.0), tol=1e-8)
    assert found.converged
    K = KERNELS["rbf"].matrix(X, X)
    np.testing.assert_allclose(found.objective[-1], least_objective(K, signs(y), found.lower, found.upper), rtol=1e-6)


def test_an_indefinite_matrix_gives_a_feasible_point_and_no_nan():
    X, y = sample(3, n=60)
    K = np.tanh(0.5 * X @ X.T - 1.0)
    found = solve_shifted_svm(K, y, kernel="precomputed", cost=np.full(60, 20.0), max_iter=20_000)
    assert np.isfinite(found.decision).all()
    assert np.isfinite([found.certificate, found.duality_gap, found.intercept]).all()
    assert np.all((found.coef >= found.lower) & (found.coef <= found.upper))
    assert abs(found.coef.sum()) <= 1e-9


@pytest.mark.parametrize("as_csr", [False, True])
@pytest.mark.parametrize("C", [1e5, 1e6])
def test_a_linear_kernel_with_large_costs_is_solved_in_few_steps(C, as_csr):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 303)
    # columns of other units, which overlap much
    X = (rng.normal(size=(303, 10)) + 0.5 * y[:, None]) * np.geomspace(0.1, 10.0, 10)
    beta = np.where(rng.random(303) < 0.05, 1.0, 0.0)
    # rows without a cost have no say
    cost = np.where(rng.random(303) < 0.05, 0.0, np.where(y == 1, 2.0 * C, C))
    rows = sparse.csr_matrix(X) if as_csr else X + 10.0
    found = solve_shifted_svm(rows, y, kernel="linear", cost=cost, beta=beta)
    assert found.converged
    # the limit is 10,000,000, which sequential minimal optimisation reaches
    assert found.n_iter <= 200 * 303
    assert 0.0 <= found.duality_gap <= 1e-6 * abs(found.objective[-1])
    assert abs(found.coef.sum()) <= 1e-9 * np.abs(found.coef).sum()
    assert np.all((found.coef >= found.lower) & (found.coef <= found.upper))


@pytest.mark.parametrize("C", [1e3, 1e5, 1e7])
def test_a_linear_kernel_is_solved_in_few_steps_where_many_rows_are_given_up(C):
    # all kinks lie close to the start, beside how far the first Newton step goes
    for seed in range(6):
        y = np.repeat([0, 1], [150, 153])
        X = np.random.default_rng(seed).normal(size=(303, 13)) + 0.4 * y[:, None]
        beta = np.where(signs(y) * (X.sum(axis=1) - 2.6) < -1.0, 1.0, 0.0)
        found = solve_shifted_svm(X, y, kernel="linear", cost=np.where(y == 1, C, 3.0 * C), beta=beta)
        assert found.converged
        assert found.n_iter <= 200 * 303
        assert found.duality_gap <= 1e-6 * abs(found.objective[-1])


@pytest.mark.parametrize("C", [1e2, 1e4])
def test_a_linear_kernel_is_solved_in_few_steps_where_columns_have_very_different_units(C):
    # the squares of the largest column hide those of the smallest, and the penalty, in a matrix of products
    n = 400
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < 0.8).astype(int)
        X = np.exp(rng.normal(size=(n, 8)) + 0.5 * y[:, None]) * np.geomspace(1e-2, 1e3, 8)
        cost = np.where(y == 1, C, 10.0 * C)
        first = solve_shifted_svm(X, y, kernel="linear", cost=cost)
        assert first.converged
        assert first.by_newton
        assert first.n_iter <= 30 * n
        beta = np.where(signs(y) * first.decision < -1.0, 1.0, 0.0)
        second = solve_shifted_svm(X, y, kernel="linear", cost=cost, beta=beta, start=first)
        assert second.converged
        # Newton's method takes over sooner
        assert second.n_iter <= 12 * n
        assert second.duality_gap <= 1e-5 * abs(second.objective[-1])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(200, 60), (400, 150)])
def test_the_rounds_of_newtons_method_end_where_nearly_as_many_rows_as_columns_are_on_their_kinks(monkeypatch, n, p):
    # the second round begins where the first ended; directions that cancel down to rounding are computed anew
    steps = []

    def counted(*problem, **settings):
        found = minimise_hinges(*problem, **settings)
        steps.append(found[2])
        return found

    monkeypatch.setattr(linear_newton, "minimise_hinges", counted)
    for seed in range(3):
        y = np.arange(n) % 2
        X = np.random.default_rng(seed).normal(size=(n, p)) + 0.3 * y[:, None] + 5.0
        cost = np.where(y == 1, 100.0, 1000.0)
        steps.clear()
        c = linear_newton.linear_coefficients(X, signs(y), cost, np.zeros(n), 1.0)
        assert len(steps) <= 3
        assert sum(steps) <= 500
        w = (X - X.mean(axis=0)).T @ c
        margins = signs(y) * ((X - X.mean(axis=0)) @ w)
        dual = np.sum(signs(y) * c) - 0.5 * w @ w
        # the primal at its best constant, which lies where a row is on its kink
        ends = signs(y) * (1.0 - margins)
        primal = 0.5 * w @ w + min(np.sum(cost / 2 * np.maximum(0.0, 1.0 - margins - signs(y) * b)) for b in ends)
        assert primal == pytest.approx(dual, rel=1e-4)
