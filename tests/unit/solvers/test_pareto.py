"""The Pareto-optimal direction of two class models: linear, Chebyshev and in a kernel's feature space."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from nproc.errors import InvalidInputError
from nproc.solvers.kernels import make_kernel
from nproc.solvers.pareto import (
    bound_quantile,
    error_bound,
    kernel_coordinates,
    solve_pareto_direction,
    solve_pareto_kernel,
)

# from far below the level at which half of class 1 is found, to levels above one half
ALPHAS = (1e-4, 0.01, 0.1, 0.3, 0.5, 0.7, 0.95)


def world(seed, p=3, n=60, gap=1.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n, n + 20])
    A, B = rng.normal(size=(2, p, p))
    X = rng.normal(size=(y.size, p))
    X = np.where(y[:, None] == 0, X @ A, X @ B) + gap * np.outer(y, rng.normal(size=p)) + 5.0
    return X, y


def moments(X, y):
    S = [np.cov(X[y == label], rowvar=False, ddof=1).reshape(X.shape[1], -1) for label in (0, 1)]
    return [X[y == label].mean(axis=0) for label in (0, 1)], S


def margins(w, b, X, y):
    means, S = moments(X, y)
    return -(b + w @ means[0]) / np.sqrt(w @ S[0] @ w), (b + w @ means[1]) / np.sqrt(w @ S[1] @ w)


def best_margin_by_slsqp(X, y, c, seed, n_starts=5):
    (mean0, mean1), _ = moments(X, y)
    rng = np.random.default_rng(seed)
    best = -np.inf
    for _ in range(n_starts):
        w = rng.normal(size=X.shape[1])
        start = np.append(w, -w @ (mean0 + mean1) / 2)
        found = minimize(
            lambda v: -margins(v[:-1], v[-1], X, y)[1],
            start,
            method="SLSQP",
            constraints=[
                {"type": "ineq", "fun": lambda v: margins(v[:-1], v[-1], X, y)[0] - c},
                # the scale of (w, b) is free
                {"type": "eq", "fun": lambda v: v[:-1] @ v[:-1] - 1.0},
            ],
            options={"ftol": 1e-13, "maxiter": 500},
        )
        u0, u1 = margins(found.x[:-1], found.x[-1], X, y)
        if u0 >= c - 1e-8:
            best = max(best, u1)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("gap", [0.05, 3.0])
def test_no_start_of_a_general_optimiser_finds_a_smaller_type_2_error(alpha, gap):
    X, y = world(seed=int(1000 * alpha), gap=gap)
    result = solve_pareto_direction(X, y, alpha=alpha, reg=0.0)
    oracle = best_margin_by_slsqp(X, y, result.quantile, seed=1)
    assert result.converged
    # SLSQP meets its constraint to 1e-8
    assert result.margin == pytest.approx(oracle, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", range(6))
def test_the_rule_has_the_errors_that_the_result_states_and_the_certificate_is_zero(alpha, seed):
    X, y = world(seed, p=4, gap=0.3 * seed)
    result = solve_pareto_direction(X, y, alpha=alpha, reg=0.0)
    u0, u1 = margins(result.coef, result.intercept, X, y)
    assert stats.norm.sf(u0) == pytest.approx(alpha, rel=1e-9)
    assert stats.norm.sf(u1) == pytest.approx(result.type2, rel=1e-8)
    assert result.certificate < 1e-8
    assert result.type1 == alpha


def test_the_certificate_is_the_gradient_of_the_margin():
    X, y = world(3)
    result = solve_pareto_direction(X, y, alpha=0.05, reg=0.0, max_iter=1)
    assert not result.converged
    assert "no root" in result.reason
    assert result.certificate > 1e-3
    solved = solve_pareto_direction(X, y, alpha=0.05, reg=0.0)
    (mean0, mean1), (S0, S1) = moments(X, y)

    def margin(w):
        return (w @ (mean1 - mean0) - solved.quantile * np.sqrt(w @ S0 @ w)) / np.sqrt(w @ S1 @ w)

    step = 1e-6 * np.eye(3) * np.linalg.norm(solved.coef)
    slopes = [(margin(solved.coef + h) - margin(solved.coef - h)) / np.linalg.norm(2 * h) for h in step]
    # central differences
    np.testing.assert_allclose(slopes, 0, atol=1e-6)


@pytest.mark.parametrize("bound", ["gaussian", "chebyshev"])
def test_equal_covariances_give_fishers_direction(bound):
    X, y = world(0, gap=3.0)
    centred = X[y == 0] - X[y == 0].mean(axis=0)
    # the second class is a shifted copy of the first
    shift = np.array([2.0, -1.0, 4.0])
    X, y = np.vstack([centred, centred + shift]), np.repeat([0, 1], len(centred))
    result = solve_pareto_direction(X, y, alpha=0.2, bound=bound, reg=0.0)
    expected = np.linalg.solve(np.cov(centred, rowvar=False), shift)
    expected /= np.sqrt(shift @ expected)
    np.testing.assert_allclose(result.coef, expected, rtol=1e-8)
    separation = np.sqrt(shift @ np.linalg.solve(np.cov(centred, rowvar=False), shift))
    assert result.margin == pytest.approx(separation - bound_quantile(0.2, bound), rel=1e-8)


@pytest.mark.parametrize("bound", ["gaussian", "chebyshev"])
@pytest.mark.parametrize("alpha", [0.02, 0.3])
def test_linear_maps_of_the_columns_change_nothing(alpha, bound):
    X, y = world(5, gap=4.0)
    A, move = np.random.default_rng(1).normal(size=(3, 3)), np.array([1.0, 2.0, 3.0])
    one = solve_pareto_direction(X, y, alpha=alpha, bound=bound, reg=0.0)
    two = solve_pareto_direction(X @ A + move, y, alpha=alpha, bound=bound, reg=0.0)
    np.testing.assert_allclose((X @ A + move) @ two.coef + two.intercept, X @ one.coef + one.intercept, atol=1e-8)


def test_one_column_is_cut_at_the_quantile():
    X, y = world(2, p=1, gap=3.0)
    result = solve_pareto_direction(X, y, alpha=0.05, reg=0.0)
    zero, sign = X[y == 0, 0], np.sign(result.coef[0])
    assert sign == np.sign(X[y == 1].mean() - X[y == 0].mean())
    cut = zero.mean() + sign * stats.norm.isf(0.05) * zero.std(ddof=1)
    assert -result.intercept / result.coef[0] == pytest.approx(cut, rel=1e-12)


def test_a_mean_difference_outside_the_least_eigenvector_is_the_hard_case():
    # class 1 spreads along the first column only; at a small level, that spread beats the difference in the second
    root = np.sqrt(2.0)
    cross = np.array([[root, 0.0], [-root, 0.0], [0.0, root], [0.0, -root]])
    X = np.vstack([cross, cross * [5.0, 1.0] + [0.0, 0.5]])
    y = np.repeat([0, 1], 4)
    result = solve_pareto_direction(X, y, alpha=1e-3, reg=0.0)
    grid = np.linspace(0, 2 * np.pi, 200_001)
    S0, S1 = moments(X, y)[1]
    W = np.column_stack([np.cos(grid), np.sin(grid)])
    values = W @ [0.0, 0.5] - result.quantile * np.sqrt(np.einsum("ij,jk,ik->i", W, S0, W))
    values /= np.sqrt(np.einsum("ij,jk,ik->i", W, S1, W))
    assert abs(result.coef[0]) > 0.1
    # the grid is as fine as 3e-5, and flat at its best
    assert result.margin == pytest.approx(values.max(), abs=1e-8)


@pytest.mark.slow
def test_equal_means_leave_the_spread_of_class_1_to_find_it_by():
    rows = world(0)[0][:40]
    rows = rows - rows.mean(axis=0)
    X, y = np.vstack([rows, rows * [4.0, 1.0, 1.0]]), np.repeat([0, 1], 40)
    result = solve_pareto_direction(X, y, alpha=0.05, reg=0.0)
    assert result.converged
    assert result.type2 > 0.5
    assert result.margin == pytest.approx(best_margin_by_slsqp(X, y, result.quantile, seed=2), abs=1e-6)


@pytest.mark.parametrize(("alpha", "bound"), [(0.5, "gaussian"), (0.05, "chebyshev")])
def test_without_any_direction_the_result_says_so(alpha, bound):
    X, y = np.array([[-1.0], [1.0], [-2.0], [2.0]]), np.array([0, 0, 1, 1])
    result = solve_pareto_direction(X, y, alpha=alpha, bound=bound)
    assert not result.converged
    assert "same mean" in result.reason
    assert np.isfinite(X @ result.coef + result.intercept).all()


def test_the_chebyshev_rule_is_worse_than_the_gaussian_one_only_by_its_quantile():
    X, y = world(1, gap=6.0)
    alpha = 0.3
    cheb = solve_pareto_direction(X, y, alpha=alpha, bound="chebyshev", reg=0.0)
    assert cheb.quantile == pytest.approx(np.sqrt(0.7 / 0.3))
    assert cheb.type2 == pytest.approx(1 / (1 + cheb.margin**2))
    same_cut = solve_pareto_direction(X, y, alpha=stats.norm.sf(cheb.quantile), reg=0.0)
    np.testing.assert_allclose(cheb.coef, same_cut.coef, rtol=1e-8)


def test_a_trivial_chebyshev_bound_gives_the_direction_that_is_the_first_to_have_a_bound():
    X, y = world(1, gap=0.5)
    result = solve_pareto_direction(X, y, alpha=0.01, bound="chebyshev", reg=0.0)
    assert result.trivial
    assert result.type2 == 1.0
    assert result.certificate < 1e-12
    just_enough = solve_pareto_direction(X, y, alpha=result.least_alpha * 1.0001, bound="chebyshev", reg=0.0)
    assert not just_enough.trivial
    assert just_enough.type2 < 1.0
    np.testing.assert_allclose(result.coef, just_enough.coef, rtol=1e-2)
    assert margins(result.coef, result.intercept, X, y)[0] == pytest.approx(np.sqrt(0.99 / 0.01))


@pytest.mark.parametrize(
    ("alpha", "bound"), [(0.01, "gaussian"), (0.2, "gaussian"), (0.8, "gaussian"), (0.3, "chebyshev")]
)
def test_the_multiplier_is_the_slope_of_the_frontier(alpha, bound):
    X, y = world(4, gap=4.0)
    low, middle, high = (
        solve_pareto_direction(X, y, alpha=a, bound=bound, reg=0.0) for a in (alpha - 1e-5, alpha, alpha + 1e-5)
    )
    # differences of steps 1e-5
    assert middle.multiplier == pytest.approx((low.type2 - high.type2) / 2e-5, rel=1e-5, abs=1e-9)


def test_the_type_2_error_never_rises_along_the_newton_steps():
    X, y = world(7, p=5, gap=3.0)
    result = solve_pareto_direction(X, y, alpha=0.05)
    assert (np.diff(result.objective) <= 1e-15).all()
    assert (np.diff(result.history["weight"]) >= 0).all()
    assert result.n_iter == result.objective.size


def test_more_columns_than_rows_are_solved_in_the_span_of_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), np.repeat([0, 1], 15)
    X[y == 1, :5] += 1.0
    result = solve_pareto_direction(X, y, alpha=0.1, reg=0.5)
    assert result.converged
    # the same ridge by hand, in all 80 columns
    (mean0, mean1), (S0, S1) = moments(X, y)
    ridge = 0.5 * 0.5 * (np.trace(S0) + np.trace(S1)) / 30 * np.eye(80)
    w = np.linalg.solve(S0 + ridge + result.weight * (S1 + ridge), mean1 - mean0)
    np.testing.assert_allclose(result.coef, w / np.sqrt(w @ (S0 + ridge) @ w), atol=1e-8)


def test_singular_covariances_without_a_ridge_are_an_error():
    X, y = world(0)
    with pytest.raises(InvalidInputError, match=r"covariance matrix of class 0 is singular.*reg above 0"):
        solve_pareto_direction(np.column_stack([X, X[:, 0]]), y, alpha=0.1, reg=0.0)
    with pytest.raises(InvalidInputError, match="no column varies within a class"):
        solve_pareto_direction(y[:, None].astype(float), y, alpha=0.1)


@pytest.mark.parametrize("alpha", [0.05, 0.7])
@pytest.mark.parametrize(("n", "p"), [(60, 3), (20, 200)])
def test_a_linear_kernel_gives_the_linear_rule(alpha, n, p):
    X, y = world(3, p=p, n=n, gap=2.0)
    X -= X.mean(axis=0) + 0.1
    plain = solve_pareto_direction(X, y, alpha=alpha, reg=1e-2)
    dual = solve_pareto_kernel(X @ X.T, y, alpha=alpha, reg=1e-2)
    assert dual.support.size == min(p, len(y))
    np.testing.assert_allclose(X[dual.support].T @ dual.coef, plain.coef, atol=1e-8)
    assert dual.intercept == pytest.approx(plain.intercept, abs=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_kernel_coordinates_have_the_inner_products_of_the_kernel(kernel):
    X, _ = world(0, n=40)
    K = make_kernel(kernel, gamma=0.05, coef0=1.0).matrix(X, X)
    Z, pivots = kernel_coordinates(K)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-9 * K.max())
    np.testing.assert_array_equal(np.triu(Z[pivots], 1), 0)


def test_a_kernel_that_is_not_positive_semidefinite_is_an_error():
    X, y = world(0)
    with pytest.raises(InvalidInputError, match="not positive semidefinite"):
        solve_pareto_kernel(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([0, 1]), alpha=0.1)
    with pytest.raises(InvalidInputError, match="no positive diagonal"):
        solve_pareto_kernel(-(X @ X.T), y, alpha=0.1)


def test_the_bound_of_an_error_is_a_half_at_no_margin_or_says_nothing():
    assert error_bound(0.0, "gaussian") == 0.5
    assert error_bound(-3.0, "chebyshev") == 1.0
    assert bound_quantile(0.5, "chebyshev") == 1.0
