"""The solver for kernels against a conic solver, scikit-learn, the primal solver and the optimality conditions."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sparse_logistic_problems import RBF, criterion, gram, least_criterion, problem, sample

import nproc.solvers.sparse_logistic.dual as sparse_logistic_dual
from nproc.errors import InvalidInputError
from nproc.losses.truncated import TruncatedLikelihood
from nproc.solvers.jit import plain_python
from nproc.solvers.kernels import make_kernel
from nproc.solvers.sparse_logistic.dual import KernelSearch, solve_sparse_logistic_dual
from nproc.solvers.sparse_logistic.newton import NewtonSearch
from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
@pytest.mark.parametrize("seed", range(15))
def test_the_criterion_is_that_of_an_interior_point_method(kernel, seed):
    X, y, terms = problem(seed)
    found = solve_sparse_logistic_dual(X, y, kernel=kernel, **terms)
    K = gram(X, kernel)
    value = criterion(K, y, found, **terms)
    assert found.converged
    assert value <= least_criterion(K, y, **terms) * (1 + 1e-8)
    np.testing.assert_allclose(found.objective[-1], value, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
@pytest.mark.parametrize("seed", range(40))
def test_all_optimality_conditions_hold_by_hand_and_the_trace_never_falls(kernel, seed):
    X, y, terms = problem(seed)
    found = solve_sparse_logistic_dual(X, y, kernel=kernel, tol=1e-9, **terms)
    assert found.converged, found.reason
    s, K = 2 * y - 1, gram(X, kernel)
    coef = s * found.alpha / terms["lam"]
    margin = s * found.decision
    constant = found.decision - K @ coef
    np.testing.assert_allclose(constant, constant[0], atol=1e-9 * max(1.0, np.abs(K @ coef).max()))
    floor = TruncatedLikelihood(p_min=terms["p_min"], p_max=terms["p_max"]).floor(y)
    top = expit(floor)
    flat, hinge, log = (found.sets == code for code in (0, 1, 2))
    assert abs(s @ found.alpha) <= 1e-9 * found.alpha.sum()
    assert np.all(found.alpha[flat] == 0)
    assert np.all(-margin[flat] <= floor[flat] + 1e-8 * np.maximum(1, np.abs(floor[flat])))
    np.testing.assert_allclose(-margin[hinge], floor[hinge], rtol=2e-9, atol=2e-9)
    assert np.all((found.alpha[hinge] >= 0) & (found.alpha[hinge] <= top[hinge]))
    np.testing.assert_allclose(found.alpha[log], expit(-margin[log]), atol=2e-9)
    assert np.all((found.alpha[log] >= top[log]) & (found.alpha[log] < 1))
    assert found.certificate <= 1e-9
    np.testing.assert_array_equal(found.support, np.flatnonzero(~flat))
    assert np.all(np.diff(found.objective) >= -1e-11 * abs(found.objective[-1]))
    assert found.objective.size == found.history["active"].size


@pytest.mark.parametrize("seed", range(10))
def test_linear_models_agree_with_the_primal_solver(seed):
    X, y, terms = problem(100 + seed)
    found = solve_sparse_logistic_dual(X, y, **terms)
    peer = solve_sparse_logistic_primal(X, y, **terms)
    decision = X @ peer.coef + peer.intercept
    loss = TruncatedLikelihood(p_min=terms["p_min"], p_max=terms["p_max"])
    value = np.sum(loss.value((2 * y - 1) * decision, y)) + 0.5 * terms["lam"] * peer.coef @ peer.coef
    np.testing.assert_allclose(found.objective[-1], value, rtol=1e-8)
    np.testing.assert_allclose(X @ found.coef + found.intercept, found.decision, atol=1e-10)


@pytest.mark.parametrize("lam", [0.01, 1.0, 50.0])
def test_with_the_whole_interval_it_is_scikit_learns_logistic_regression(lam):
    X, y = sample(5, n=120, p=4)
    found = solve_sparse_logistic_dual(X, y, lam=lam)
    peer = LogisticRegression(C=1 / lam, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(found.coef, peer.coef_[0], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.intercept, peer.intercept_[0], rtol=1e-7, atol=1e-8)
    z = (2 * y - 1) * peer.decision_function(X)
    value = np.sum(np.logaddexp(0, -z)) + 0.5 * lam * peer.coef_[0] @ peer.coef_[0]
    np.testing.assert_allclose(found.objective[-1], value, rtol=1e-10)
    assert found.support.size == y.size
    assert np.all(found.sets == 2)


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.2, 0.6), (0.0, 0.5)])
def test_column_space_gram_matrix_and_function_give_the_same(interval):
    X, y = sample(8, n=60, p=3)
    terms = {"p_min": interval[0], "p_max": interval[1], "lam": 0.3}
    first = solve_sparse_logistic_dual(X, y, **terms)
    K = X @ X.T
    others = [
        solve_sparse_logistic_dual(sparse.csr_array(X), y, **terms),
        solve_sparse_logistic_dual(K, y, kernel="precomputed", **terms),
        solve_sparse_logistic_dual(X, y, kernel=lambda A, B: A @ B.T, **terms),
        # room for two rows only
        solve_sparse_logistic_dual(X, y, kernel=lambda A, B: A @ B.T, cache_size=1e-6, **terms),
    ]
    for other in others:
        assert other.converged
        np.testing.assert_allclose(other.decision, first.decision, atol=1e-7)
        np.testing.assert_allclose(other.objective[-1], first.objective[-1], rtol=1e-10)
        np.testing.assert_array_equal(other.support, first.support)
    np.testing.assert_allclose(others[0].coef, first.coef, atol=1e-7)
    np.testing.assert_allclose(others[0].intercept, first.intercept, atol=1e-7)
    np.testing.assert_allclose(others[1].coef, (2 * y - 1) * others[1].alpha / 0.3)


def test_the_support_falls_as_the_interval_narrows():
    X, y = sample(1, n=150, p=2)
    sizes = [
        solve_sparse_logistic_dual(X, y, p_min=0.4 - half, p_max=0.4 + half, kernel=RBF).support.size
        for half in (0.4, 0.3, 0.2, 0.1, 0.02)
    ]
    assert sizes[0] > sizes[-1]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
def test_a_start_from_the_solution_takes_few_steps_and_a_path_reaches_the_same(kernel):
    X, y = sample(11, n=80, p=4)
    cold = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.7, lam=1.0, kernel=kernel)
    again = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.7, lam=1.0, kernel=kernel, start=cold.alpha)
    assert again.converged
    assert again.n_iter <= cold.n_iter
    for p_min, p_max, lam in [(0.2, 0.7, 0.5), (0.3, 0.6, 0.5), (0.0, 0.6, 0.5), (0.0, 1.0, 2.0), (0.2, 0.7, 1.0)]:
        again = solve_sparse_logistic_dual(X, y, p_min=p_min, p_max=p_max, lam=lam, kernel=kernel, start=again.alpha)
        assert again.converged
    np.testing.assert_allclose(again.objective[-1], cold.objective[-1], rtol=1e-10)
    np.testing.assert_allclose(again.decision, cold.decision, atol=1e-6)
    some = np.random.default_rng(0).random(80)
    from_anywhere = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.7, lam=1.0, kernel=kernel, start=some)
    np.testing.assert_allclose(from_anywhere.objective[-1], cold.objective[-1], rtol=1e-10)


def test_repeated_rows_count_as_often_as_they_occur():
    X, y = sample(21, n=25, p=2)
    kernel = make_kernel("rbf", gamma=1.0)
    once = solve_sparse_logistic_dual(X, y, p_min=0.3, p_max=0.6, lam=0.2, kernel=kernel)
    thrice = solve_sparse_logistic_dual(np.tile(X, (3, 1)), np.tile(y, 3), p_min=0.3, p_max=0.6, lam=0.6, kernel=kernel)
    assert thrice.converged
    np.testing.assert_allclose(thrice.decision[:25], once.decision, atol=1e-7)
    np.testing.assert_allclose(thrice.objective[-1], 3 * once.objective[-1], rtol=1e-9)


def test_far_more_rows_on_the_hinge_than_columns():
    # the margins of many rows are equal, at an optimum that has them on the hinge
    X = np.repeat([[-1.0], [1.0], [0.0]], [20, 20, 8], axis=0)
    y = np.concatenate([np.zeros(20), np.ones(20), [0, 1] * 4]).astype(int)
    found = solve_sparse_logistic_dual(X, y, p_min=0.25, p_max=0.75, lam=0.5)
    assert found.converged
    on_hinge = np.isclose((2 * y - 1) * found.decision, -TruncatedLikelihood(0.25, 0.75).floor(y), atol=1e-8)
    assert on_hinge.sum() == 40
    np.testing.assert_allclose(found.decision, logit(0.75) * X[:, 0], atol=1e-8)
    kernel = solve_sparse_logistic_dual(X @ X.T, y, p_min=0.25, p_max=0.75, lam=0.5, kernel="precomputed")
    np.testing.assert_allclose(kernel.decision, found.decision, atol=1e-8)


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.01, 0.3), (0.0, 0.2), (0.3, 1.0)])
@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
def test_one_row_of_a_class_is_enough(kernel, interval):
    X, y = sample(2, n=40, p=3)
    for lone in (0, 1):
        y[:], y[7] = 1 - lone, lone
        terms = {"p_min": interval[0], "p_max": interval[1], "lam": 1.0}
        found = solve_sparse_logistic_dual(X, y, kernel=kernel, **terms)
        assert found.converged
        np.testing.assert_allclose(found.objective[-1], criterion(gram(X, kernel), y, found, **terms), rtol=1e-9)


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.2, 0.6)])
def test_separable_rows_have_a_solution_as_lambda_is_positive(interval):
    X = np.linspace(-2, 2, 30)[:, None]
    y = (X[:, 0] > 0).astype(int)
    found = solve_sparse_logistic_dual(X, y, p_min=interval[0], p_max=interval[1], lam=1e-3)
    assert found.converged
    peer = solve_sparse_logistic_primal(X, y, p_min=interval[0], p_max=interval[1], lam=1e-3)
    np.testing.assert_allclose(found.coef, peer.coef, rtol=1e-6)


def test_columns_without_variation_leave_the_constant_alone():
    y = np.array([0, 0, 0, 1])
    found = solve_sparse_logistic_dual(np.ones((4, 2)), y, p_min=0.1, p_max=0.9)
    assert found.converged
    np.testing.assert_allclose(found.intercept, logit(0.25), rtol=1e-9)
    np.testing.assert_allclose(found.coef, 0.0, atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
def test_plain_python_gives_the_same(kernel):
    X, y = sample(3, n=40, p=3)
    compiled = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.6, kernel=kernel)
    with plain_python():
        plain = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.6, kernel=kernel)
    np.testing.assert_allclose(plain.alpha, compiled.alpha, atol=1e-9)
    np.testing.assert_allclose(plain.objective[-1], compiled.objective[-1], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
@pytest.mark.parametrize("seed", range(25))
def test_repeated_rows_of_both_classes_do_not_lead_round_in_circles(kernel, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 80))
    X = rng.normal(size=(n, int(rng.integers(1, 8))))[rng.integers(0, n // 4, size=n)]
    y = rng.integers(0, 2, size=n)
    y[:2] = 0, 1
    low = rng.random()
    terms = {"p_min": 0.9 * low, "p_max": 0.9 * low + 0.1 * rng.random(), "lam": float(10 ** rng.uniform(-4, 1))}
    found = solve_sparse_logistic_dual(X, y, kernel=kernel, **terms)
    assert found.converged, found.reason
    np.testing.assert_allclose(criterion(gram(X, kernel), y, found, **terms), found.objective[-1], rtol=1e-8)
    assert np.all(np.diff(found.objective) >= -1e-11 * abs(found.objective[-1]))


@pytest.mark.parametrize("kernel", ["linear", RBF], ids=["linear", "rbf"])
@pytest.mark.parametrize("most", [1, 3])
def test_max_iter_ends_it_and_it_says_so(kernel, most):
    X, y = sample(1, n=60, p=3)
    found = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.7, kernel=kernel, max_iter=most)
    assert found.n_iter == most
    assert found.certificate > 1e-9
    assert not found.converged
    assert found.reason.startswith("the optimality conditions are off by")
    if kernel != "linear":
        return
    np.testing.assert_allclose(found.decision, X @ found.coef + found.intercept, atol=1e-12)


def test_the_callback_hears_of_falling_violations(monkeypatch):
    X, y = sample(1, n=60, p=3)
    monkeypatch.setattr(sparse_logistic_dual, "FIRST_ROWS", 4)
    heard = []
    found = solve_sparse_logistic_dual(
        X, y, p_min=0.2, p_max=0.7, kernel=RBF, callback=lambda *args: heard.append(args)
    )
    assert heard[-1][0] == found.n_iter
    assert heard[-1][1] <= 1e-9 < heard[0][1]
    assert heard[-1][2] == found.support.size


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"p_min": 0.6, "p_max": 0.5}, "p_min must be smaller than p_max"),
        ({"kernel": "cubic"}, "kernel must be"),
    ],
)
def test_bad_arguments_are_named(changed, message):
    X, y = sample(0, n=10, p=2)
    with pytest.raises(InvalidInputError, match=message):
        solve_sparse_logistic_dual(X, y, **changed)


def test_values_that_overflow_are_an_error():
    X, y = sample(0, n=10, p=2)
    with pytest.raises(InvalidInputError, match="overflow"):
        solve_sparse_logistic_dual(X * 1e200, y)


@pytest.mark.parametrize("seed", range(4))
def test_near_copies_of_rows_on_their_kinks_do_not_stall_it(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = np.tile((X[:, 0] + rng.normal(size=120) > 0).astype(float), 3)
    X = np.vstack([X, X + 1e-5 * rng.normal(size=X.shape), X + 1e-5 * rng.normal(size=X.shape)])
    found = solve_sparse_logistic_dual(X, y, p_min=0.1, p_max=0.4, lam=3.0, kernel="rbf")
    assert found.converged
    assert found.n_iter <= 40


def test_rows_told_apart_by_smooth_elbows_lead_to_the_same_solution():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(float)
    whole = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.6, kernel="rbf")
    # with less room than the matrix needs it begins with a few rows of each class
    little = solve_sparse_logistic_dual(X, y, p_min=0.2, p_max=0.6, kernel="rbf", cache_size=0.2)
    assert whole.converged
    assert little.converged
    np.testing.assert_allclose(whole.decision, little.decision, atol=1e-7)
    assert whole.objective[-1] == pytest.approx(little.objective[-1], rel=1e-10)


def test_a_small_lambda_converges_where_few_rows_have_a_say():
    # the products in the system of the rows have too few digits there
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=500) > 0.8).astype(int)
    found = solve_sparse_logistic_dual(X, y.astype(float), p_min=0.3, p_max=0.4, lam=1e-4, kernel=RBF)
    assert found.converged
    assert found.n_iter < 200


def test_a_step_from_few_rows_is_the_step_from_all_coordinates():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(float)
    K = gram(X, RBF)
    Z = sparse_logistic_dual.coordinates(K)
    loss = TruncatedLikelihood(p_min=0.2, p_max=0.6)
    search = KernelSearch(K, Z, y, loss, 0.5, 0.25, 0.1 * rng.normal(size=Z.shape[1]), 0.2)
    rows, near = np.arange(30), np.arange(20, 32)
    task = (rows, rng.uniform(0.1, 0.9, 30), rng.uniform(0.1, 0.25, 30), near, rng.uniform(size=12))
    few, B_few, change_few = search.quadratic(*task)
    every, B_every, change_every = NewtonSearch.quadratic(search, *task)
    assert B_few.shape[1] <= near.size + 1 < B_every.shape[1]
    np.testing.assert_allclose(B_few @ B_few.T, B_every @ B_every.T, atol=1e-10)
    np.testing.assert_allclose(B_few @ few, B_every @ every, atol=1e-10)
    # also at a point that is not the minimiser for these multipliers
    multiplier, shift = rng.uniform(size=12), rng.normal(size=12)
    change = change_few(-few - (multiplier + shift) @ B_few, multiplier)
    np.testing.assert_allclose(change, change_every(-every - (multiplier + shift) @ B_every, multiplier), atol=1e-8)
