"""Algorithm 2: the objective falls, the point found is a local minimum, and outliers lose their pull."""

import numpy as np
import pytest

from nproc.losses import RampLoss
from nproc.solvers.jit import plain_python
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.nonconvex_svm import changed_share, given_up, misjudged, solve_nonconvex_svm
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm


def world(seed, n=120, shift=1.0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 > 0).astype(int)
    return rng.normal(size=(n, 3)) + shift * y[:, None], y


def costs(y, C0, C1):
    return np.where(y == 1, C1, C0)


def objective(coef, intercept, K, y, cost, eta):
    decision = K @ coef + intercept
    signs = np.where(y == 1, 1.0, -1.0)
    return 0.5 * coef @ K @ coef + cost @ RampLoss(eta).value(signs * decision)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kernel", "eta", "C0", "C1"), [("rbf", 1.0, 3.0, 1.0), ("linear", 0.5, 0.2, 2.0)])
def test_the_objective_never_rises(seed, kernel, eta, C0, C1):
    X, y = world(seed)
    beta = np.random.default_rng(seed).integers(0, 2, len(y)).astype(float)
    for start in (None, beta):
        fit = solve_nonconvex_svm(X, y, kernel=kernel, cost=costs(y, C0, C1), eta=eta, beta=start, tol=1e-9)
        # the slack at this tolerance
        assert np.diff(fit.objective).max(initial=-1.0) <= 1e-7
        assert fit.converged


@pytest.mark.parametrize("seed", range(6))
def test_with_rough_convex_problems_it_rises_by_no_more_than_the_slack(seed):
    X, y = world(seed, n=200)
    fit = solve_nonconvex_svm(X, y, kernel=make_kernel("rbf", gamma=2.0), cost=costs(y, 0.05, 0.05), tol=0.05)
    assert (np.diff(fit.objective) <= fit.history["slack"][1:] + 1e-12).all()


def test_the_objective_is_the_one_of_the_expansion():
    X, y = world(1)
    cost = costs(y, 2.0, 1.0)
    fit = solve_nonconvex_svm(X, y, kernel="linear", cost=cost, eta=0.7)
    assert fit.objective[-1] == pytest.approx(objective(fit.coef, fit.intercept, X @ X.T, y, cost, 0.7), rel=1e-9)
    np.testing.assert_allclose(X @ X.T @ fit.coef + fit.intercept, fit.decision, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_no_small_step_away_from_the_solution_lowers_the_objective(seed):
    X, y = world(seed, n=60)
    cost, K = costs(y, 2.0, 1.0), X @ X.T
    fit = solve_nonconvex_svm(X, y, kernel="linear", cost=cost, tol=1e-10)
    least = objective(fit.coef, fit.intercept, K, y, cost, 1.0)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-3):
        for _ in range(200):
            coef, intercept = fit.coef + size * rng.normal(size=60) / 60, fit.intercept + size * rng.normal()
            moved = objective(coef, intercept, K, y, cost, 1.0)
            assert moved >= least - 1e-9


def test_from_all_starts_the_best_point_is_the_global_minimum():
    # one column: all lines w x + b on a grid are the slow oracle
    X = np.array([[-2.0], [-1.2], [0.3], [1.0], [2.2], [4.0]])
    y = np.array([0, 0, 1, 0, 1, 1])
    cost = np.full(6, 2.0)
    starts = (np.array([(k >> i) & 1 for i in range(6)], dtype=float) for k in range(64))
    fits = [solve_nonconvex_svm(X, y, kernel="linear", cost=cost, beta=beta, tol=1e-8) for beta in starts]
    w, b = np.meshgrid(np.linspace(-4, 4, 401), np.linspace(-8, 8, 801), indexing="ij")
    z = np.where(y == 1, 1.0, -1.0) * (w[..., None] * X[:, 0] + b[..., None])
    on_grid = 0.5 * w**2 + RampLoss(1.0).value(z) @ cost
    # the grid is 0.02 wide, and the slope at most 20
    assert min(fit.objective[-1] for fit in fits) == pytest.approx(on_grid.min(), abs=0.02)
    assert min(fit.objective[-1] for fit in fits) <= on_grid.min() + 1e-9


def test_without_a_row_beyond_the_ramp_it_is_the_convex_machine():
    X, y = world(2, shift=8.0)
    cost = costs(y, 1.0, 1.0)
    fit = solve_nonconvex_svm(X, y, kernel="linear", cost=cost)
    convex = solve_shifted_svm(X, y, kernel="linear", cost=cost)
    assert fit.n_iter == 1
    assert fit.beta.sum() == 0
    np.testing.assert_array_equal(fit.coef, convex.coef)


def test_a_row_that_is_given_up_has_no_pull_wherever_it_lies():
    X, y = world(3, shift=3.0)
    cost = costs(y, 1.0, 1.0)
    fits = []
    for far in (30.0, 60.0):
        X_odd, y_odd = np.vstack([X, np.full((1, 3), far)]), np.append(y, 0)
        fits.append(solve_nonconvex_svm(X_odd, y_odd, kernel="linear", cost=np.append(cost, 1.0), tol=1e-8))
    assert fits[0].beta[-1] == 1
    np.testing.assert_allclose(fits[0].decision[:-1], fits[1].decision[:-1], atol=1e-5)


def test_the_certificate_is_small_at_the_end_and_says_when_rows_still_change():
    X, y = world(4)
    good = solve_nonconvex_svm(X, y, kernel="rbf", cost=costs(y, 5.0, 1.0), tol=1e-6)
    assert good.certificate <= 1e-6
    early = solve_nonconvex_svm(X, y, kernel="rbf", cost=costs(y, 5.0, 1.0), tol=1e-6, max_iter=1)
    assert not early.converged
    assert "rows still changed sides" in early.reason
    assert early.certificate == changed_share(costs(y, 5.0, 1.0), early.beta_before, early.beta) > 1e-3


def test_rows_at_the_kink_keep_their_beta():
    y, before = np.array([1, 1, 0, 0, 1]), np.array([1.0, 0.0, 1.0, 0.0, 0.0])
    decision = np.array([-1.0005, -1.0005, 0.9995, 0.5, -1.5])
    beta = given_up(decision, y, 1.0, before, 1e-3)
    assert beta.tolist() == [1, 0, 1, 0, 1]
    # rows 1 and 2 are on the other side of the kink than their beta says, by 0.0005 each
    assert misjudged(decision, y, np.full(5, 4.0), 1.0, beta) == pytest.approx(2 * 4.0 * 0.0005 / 2)


def test_compiled_and_plain_python_agree():
    X, y = world(5, n=40)
    fits = [solve_nonconvex_svm(X, y, kernel="rbf", cost=costs(y, 2.0, 1.0), tol=1e-6)]
    with plain_python():
        fits.append(solve_nonconvex_svm(X, y, kernel="rbf", cost=costs(y, 2.0, 1.0), tol=1e-6))
    np.testing.assert_allclose(fits[0].decision, fits[1].decision, atol=1e-9)
