"""Newton's method on the truncated likelihood: the optimum, its proof, and problems without one."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sparse_logistic_problems import dual_criterion

from nproc.errors import InvalidInputError
from nproc.losses import TruncatedLikelihood
from nproc.solvers.sparse_logistic import primal as sparse_logistic_primal
from nproc.solvers.sparse_logistic.criterion import signs
from nproc.solvers.sparse_logistic.newton import NewtonSearch
from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal

INTERVALS = [(0.0, 1.0), (0.2, 0.6), (0.0, 0.4), (0.3, 1.0), (0.28, 0.32), (0.01, 0.99)]


def problem(seed, n=200, p=5, spread=1.0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    X = rng.normal(size=(n, p)) + spread * y[:, None] / np.sqrt(p)
    return X, y


def both_values(X, y, result, p_min, p_max, lam):
    # the criterion of the coefficients returned, and the bound that its alpha proves after a repair of (13)
    loss = TruncatedLikelihood(p_min, p_max)
    decision = X @ result.coef + result.intercept
    primal = np.sum(loss.value(signs(y) * decision, y)) + 0.5 * lam * np.sum(result.coef**2)
    expansion = X.T @ (signs(y) * result.alpha)
    return primal, dual_criterion(result.alpha, y, loss, 0.5 * np.sum(expansion**2) / lam)


@pytest.mark.parametrize(("p_min", "p_max"), INTERVALS)
@pytest.mark.parametrize("lam", [1e-3, 1.0, 100.0])
def test_the_dual_proves_the_optimum(p_min, p_max, lam):
    X, y = problem(0)
    result = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=p_max, lam=lam)
    assert result.converged
    assert result.certificate <= 1e-9
    primal, dual = both_values(X, y, result, p_min, p_max, lam)
    assert primal == pytest.approx(dual, rel=1e-8)
    assert result.objective[-1] == pytest.approx(primal, rel=1e-12)
    np.testing.assert_allclose(result.decision, X @ result.coef + result.intercept, atol=1e-10)


@pytest.mark.parametrize(("p_min", "p_max"), INTERVALS[1:])
def test_a_conic_solver_finds_nothing_better(p_min, p_max):
    cp = pytest.importorskip("cvxpy")
    X, y = problem(1, n=80, p=3)
    lam, s = 0.5, signs(y)
    floor = TruncatedLikelihood(p_min, p_max).floor(y)
    w, b = cp.Variable(3), cp.Variable()
    exponents = cp.multiply(-s, X @ w + b)
    kinked = np.isfinite(floor)
    terms = [cp.sum(cp.logistic(cp.maximum(exponents[kinked], floor[kinked])))]
    if not kinked.all():
        terms.append(cp.sum(cp.logistic(exponents[~kinked])))
    conic = cp.Problem(cp.Minimize(sum(terms) + lam / 2 * cp.sum_squares(w)))
    conic.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    result = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=p_max, lam=lam)
    assert result.objective[-1] == pytest.approx(conic.value, rel=1e-8)
    # coefficients are flat at the bottom: digits are lost by half
    np.testing.assert_allclose(result.coef, w.value, atol=1e-4)


@pytest.mark.parametrize("lam", [0.01, 1.0, 50.0])
def test_over_all_probabilities_it_is_the_logistic_regression_of_scikit_learn(lam):
    X, y = problem(2, n=300)
    result = solve_sparse_logistic_primal(X, y, lam=lam)
    peer = LogisticRegression(C=1 / lam, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(result.coef, peer.coef_[0], rtol=1e-8)
    np.testing.assert_allclose(result.intercept, peer.intercept_[0], rtol=1e-8)
    assert result.support.size == 300


def test_rows_past_their_kinks_have_no_say():
    X, y = problem(3, n=400, spread=2.0)
    result = solve_sparse_logistic_primal(X, y, p_min=0.25, p_max=0.45)
    assert 0 < result.support.size < 250
    keep = result.support
    again = solve_sparse_logistic_primal(X[keep], y[keep], p_min=0.25, p_max=0.45)
    np.testing.assert_allclose(again.coef, result.coef, atol=1e-7)
    assert not result.alpha[np.setdiff1d(np.arange(400), keep)].any()


def test_fewer_rows_have_a_say_in_a_narrower_interval():
    X, y = problem(4, n=500, spread=1.5)
    sizes = [
        solve_sparse_logistic_primal(X, y, p_min=0.3 - d, p_max=0.3 + d).support.size for d in (0.29, 0.2, 0.1, 0.02)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 1.5


def test_rows_on_the_hinge_are_exactly_there():
    X, y = problem(5)
    result = solve_sparse_logistic_primal(X, y, p_min=0.28, p_max=0.32)
    hinge = result.sets == 1
    assert hinge.sum() >= 2
    floor = TruncatedLikelihood(0.28, 0.32).floor(y)
    np.testing.assert_allclose((-signs(y) * result.decision)[hinge], floor[hinge], atol=1e-9)


def test_sparse_rows_give_the_same():
    X, y = problem(6)
    X[np.abs(X) < 0.8] = 0.0
    dense = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.5)
    csr = solve_sparse_logistic_primal(sparse.csr_array(X), y, p_min=0.2, p_max=0.5)
    assert csr.converged
    np.testing.assert_allclose(csr.coef, dense.coef, atol=1e-8)
    assert csr.intercept == pytest.approx(dense.intercept, abs=1e-8)


def test_another_start_and_other_elbows_lead_to_the_same_place(monkeypatch):
    X, y = problem(7)
    first = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.5)
    for start, elbow in (((np.full(5, 30.0), -50.0), 1.0), ((first.coef, first.intercept), 1e-3)):
        monkeypatch.setattr(sparse_logistic_primal, "ELBOW", elbow)
        other = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.5, start=start)
        assert other.converged
        np.testing.assert_allclose(other.coef, first.coef, atol=1e-7)


@pytest.mark.parametrize(("p_min", "p_max"), INTERVALS[1:])
def test_elbows_alone_lead_to_the_same_place(monkeypatch, p_min, p_max):
    X, y = problem(23, n=300)
    short = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=p_max)
    monkeypatch.setattr(sparse_logistic_primal, "MOST_FAILURES", 0)
    long = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=p_max)
    assert long.converged
    assert long.objective[-1] == pytest.approx(short.objective[-1], rel=1e-10)
    np.testing.assert_allclose(long.coef, short.coef, atol=1e-7)
    np.testing.assert_array_equal(long.sets, short.sets)


def test_repeated_rows_count_as_often_as_they_occur():
    X, y = problem(8, n=60, p=2)
    twice = solve_sparse_logistic_primal(np.repeat(X, 3, axis=0), np.repeat(y, 3), p_min=0.2, p_max=0.4, lam=3.0)
    once = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.4, lam=1.0)
    assert twice.converged
    np.testing.assert_allclose(twice.coef, once.coef, atol=1e-7)


def test_few_distinct_rows_may_crowd_on_the_hinge():
    rng = np.random.default_rng(9)
    X = rng.integers(0, 2, size=(400, 3)).astype(np.float64)
    y = (rng.random(400) < 0.2 + 0.2 * X[:, 0]).astype(np.int64)
    for interval in ((0.25, 0.35), (0.15, 0.6), (0.299, 0.301)):
        result = solve_sparse_logistic_primal(X, y, p_min=interval[0], p_max=interval[1], lam=0.1)
        assert result.converged
        primal, dual = both_values(X, y, result, *interval, 0.1)
        assert primal == pytest.approx(dual, rel=1e-8)


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_constant_and_repeated_columns_do_no_harm(lam):
    X, y = problem(10)
    wide = np.column_stack([X, np.full(200, 7.0), np.zeros(200), X[:, 0]])
    plain = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.6, lam=0.0)
    result = solve_sparse_logistic_primal(wide, y, p_min=0.2, p_max=0.6, lam=lam)
    assert result.converged
    assert np.abs(result.coef[5:7]).max() < 1e-9
    assert result.coef[0] == pytest.approx(result.coef[7], abs=1e-8)
    if lam == 0.0:
        np.testing.assert_allclose(result.decision, plain.decision, atol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_rare_mark_on_rows_without_a_say_does_no_harm(make):
    X, y = problem(24, n=150)
    plain = solve_sparse_logistic_primal(X, y, p_min=0.3, p_max=0.44, lam=0.4)
    mute = np.setdiff1d(np.arange(150), plain.support)[:2]
    marked = np.column_stack([X, np.zeros(150)])
    marked[mute, 5] = 1.0
    result = solve_sparse_logistic_primal(make(marked), y, p_min=0.3, p_max=0.44, lam=0.4)
    assert result.converged
    assert abs(result.coef[5]) < 1e-12
    np.testing.assert_allclose(result.coef[:5], plain.coef, atol=1e-8)


def test_columns_far_from_0_and_of_any_size_do_no_harm():
    X, y = problem(11)
    plain = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.6, lam=0.0)
    units = np.array([1e8, 1e-8, 1.0, 1e4, 1.0])
    moved = solve_sparse_logistic_primal(X * units + 1e3 * units, y, p_min=0.2, p_max=0.6, lam=0.0)
    assert moved.converged
    # a mean of a thousand standard deviations costs three digits
    np.testing.assert_allclose(moved.coef * units, plain.coef, rtol=1e-6)


def test_more_columns_than_rows():
    X, y = problem(12, n=40, p=90)
    result = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.6, lam=0.5)
    assert result.converged
    primal, dual = both_values(X, y, result, 0.2, 0.6, 0.5)
    assert primal == pytest.approx(dual, rel=1e-8)


@pytest.mark.parametrize("width", [1e-3, 1e-5, 1e-6])
def test_the_interval_may_be_very_narrow(width):
    X, y = problem(13)
    result = solve_sparse_logistic_primal(X, y, p_min=0.3, p_max=0.3 + width)
    assert result.converged
    primal, dual = both_values(X, y, result, 0.3, 0.3 + width, 1.0)
    assert primal == pytest.approx(dual, rel=1e-8)


def test_no_row_that_was_cut_off_crosses_the_middle_of_the_interval_in_a_step():
    X, y = problem(17, n=400, spread=2.0)
    loss = TruncatedLikelihood(0.28, 0.32)
    search = NewtonSearch(X, y, loss, 1.0, 1e-3, np.full(5, 0.5), 3.0)
    bounded = 0
    for _ in range(5):
        idle = np.setdiff1d(np.arange(400), search.at.rows)
        step, _ = search.step()
        bounded += step < 1.0
        beyond = signs(y)[idle] * (X[idle] @ search.coef + search.intercept - loss.threshold)
        assert beyond.min() >= -1e-9
    assert bounded > 0


def test_the_objective_is_traced_and_told():
    X, y = problem(18)
    told = []
    result = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.5, callback=lambda *line: told.append(line))
    assert [number for number, _ in told] == list(range(1, result.n_iter + 1))
    np.testing.assert_array_equal([value for _, value in told], result.objective)
    assert set(result.history) == {"objective", "support", "step", "width"}
    assert all(values.shape == (result.n_iter,) for values in result.history.values())


def test_too_few_steps_are_reported():
    X, y = problem(19)
    result = solve_sparse_logistic_primal(X, y, p_min=0.2, p_max=0.5, max_iter=2)
    assert not result.converged
    assert result.n_iter == 2
    assert result.reason.startswith("the optimality conditions are off by")
    assert result.certificate > 1e-9


def test_an_empty_interval_is_an_error():
    with pytest.raises(InvalidInputError, match="p_min must be smaller than p_max"):
        solve_sparse_logistic_primal(*problem(21), p_min=0.5, p_max=0.5)


def test_values_that_overflow_are_an_error():
    X, y = problem(22)
    with pytest.raises(InvalidInputError, match="X has values so large"):
        solve_sparse_logistic_primal(X * 1e200, y)
