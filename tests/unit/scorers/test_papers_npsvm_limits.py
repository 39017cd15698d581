"""Kernel machines at their limits: what overflows, is no kernel or goes round for ever is told in words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from nproc.errors import InvalidInputError, NotConvergedWarning
from nproc.scorers.papers.npsvm import NPSVC
from nproc.scorers.papers.qvalue_svm import QValueSVC
from nproc.solvers.jit import plain_python
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.annealed import solve_annealed
from nproc.solvers.npsvm.constraint import LARGEST_MULTIPLIER, Multiplier, made_constraint, taken_back
from nproc.solvers.npsvm.nonconvex_svm import CircleDetector, solve_nonconvex_svm
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm
from nproc.solvers.npsvm.smo import OPTIMAL, take_steps
from nproc.solvers.npsvm.uzawa import solve_uzawa


def world(seed, n0=60, n1=60, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, 2)) + shift * y[:, None], y


def small_world(seed):
    """Rows, labels, C and a level whose count of class 0 rows ends in .7."""
    rng = np.random.default_rng(seed)
    n0, n1 = (int(v) for v in rng.integers(20, 80, 2))
    shift, level = rng.uniform(0.3, 1.5), (int(rng.integers(1, 6)) + 0.7) / n0
    C = float(10 ** rng.uniform(-0.5, 2.5))
    X, y = world(seed, n0, n1, shift)
    return X, y, C, level


X, Y = world(14, 40, 50)


def test_for_the_01_rate_rows_are_taken_back_by_the_limit_in_whole_rows():
    X, y, C, alpha = small_world(1031)
    model = NPSVC(alpha, C=C, rate="0-1", max_iter=200).fit(X, y)
    assert model.converged_
    assert np.sum(model.predict(X[y == 0]) == 1) <= alpha * np.sum(y == 0)
    y = np.repeat([0, 1], [10, 10])
    beta = np.zeros(20)
    beta[:2] = 1
    # 1.7 rows: the second is one too many for a count, and within eps of a mean
    assert taken_back(made_constraint(y, 0.17, rate="0-1"), beta, y).sum() == 0
    assert taken_back(made_constraint(y, 0.17, eps=0.05), beta, y).sum() == 2
    assert taken_back(made_constraint(y, 0.2, rate="0-1"), beta, y).sum() == 2


@pytest.mark.parametrize("rate", ["ramp", "0-1"])
# seeds whose multiplier grew without end
@pytest.mark.parametrize("seed", [15, 50, 135])
@pytest.mark.filterwarnings("ignore:QValueSVC would (not keep|accept)")
def test_for_q_values_the_rows_given_up_are_measured_by_the_limit_that_they_leave(rate, seed):
    rng = np.random.default_rng(seed)
    n0, n1 = (int(v) for v in rng.integers(20, 80, 2))
    shift, C, level = rng.uniform(0.3, 1.5), float(10 ** rng.uniform(-0.5, 2.5)), int(rng.integers(1, 6)) + 0.7
    y = np.repeat([0, 1], [n0, n1])
    X = rng.normal(size=(n0 + n1, 2)) + shift * y[:, None]
    for solver in ("annealed", "uzawa"):
        assert QValueSVC(min(0.9, level / n1), C=C, rate=rate, solver=solver, max_iter=150).fit(X, y).converged_


def test_rows_given_up_count_twice_for_q_values():
    y = np.repeat([0, 1], [10, 10])
    constraint = made_constraint(y, 0.4, of_discoveries=True)
    beta = np.zeros(20)
    beta[:3] = 1
    np.testing.assert_array_equal(taken_back(constraint, beta, y), beta)
    # half the class 1 rows leave half the limit
    beta[10:15] = 1
    assert np.flatnonzero(taken_back(constraint, beta, y)).tolist() == [10, 11, 12, 13, 14]


@pytest.mark.parametrize("update", ["multiplicative", "additive"])
def test_the_multiplier_has_a_bound(update):
    multiplier = Multiplier(0.99 * LARGEST_MULTIPLIER, 1.0, update)
    for _ in range(100):
        multiplier.move(5.0)
    assert multiplier.value == LARGEST_MULTIPLIER


@pytest.mark.parametrize("solve", [solve_annealed, solve_uzawa])
def test_at_the_bound_of_the_multiplier_the_run_ends_and_says_so(solve, monkeypatch):
    monkeypatch.setattr("nproc.solvers.npsvm.constraint.LARGEST_MULTIPLIER", 1.5)
    X, y = world(0)
    fit = solve(X, y, constraint=made_constraint(y, 0.01), kernel=make_kernel("rbf", gamma=0.5))
    assert not fit.converged
    assert "the multiplier has grown to its bound, 1.5, with a mean ramp loss of class 0 of" in fit.reason
    assert fit.n_iter < 20


# few and rough iterations: the promise does not depend on convergence
@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", [14, 20, 21])
def test_with_the_shift_predict_keeps_to_alpha_far_from_the_origin(form, seed):
    far = form(world(seed, 40, 50)[0] + 1e3)
    for kernel in ("linear", "rbf"):
        model = NPSVC(0.1, shift=True, kernel=kernel, max_iter=30, tol=1e-2).fit(far, Y)
        called = model.predict(far)
        assert np.mean(called[Y == 0] == 1) == model.train_type1_ <= 0.1
        assert np.mean(called[Y == 1] == 0) == model.train_type2_
        # rounding in another order
        assert np.mean(model.predict(far[:40]) == 1) <= 0.1
        assert np.mean([model.predict(far[[k]])[0] for k in range(40)]) <= 0.1


def test_the_shift_holds_where_the_solver_and_the_score_round_otherwise():
    far = world(14, 40, 50)[0] + 1e3
    model = NPSVC(0.1, shift=True, kernel="linear").fit(far, Y)
    assert np.mean(model.predict(far[Y == 0]) == 1) == model.train_type1_ <= 0.1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_whose_squared_distances_overflow_are_told_of(form):
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(InvalidInputError, match=r"kernel 'rbf' overflows.*Bring the columns of X to one scale"),
    ):
        NPSVC(0.1, gamma=1.0).fit(form(X * 1e160), Y)
    with pytest.raises(InvalidInputError, match=r"kernel 'rbf' cannot be computed accurately.*choose a smaller gamma"):
        NPSVC(0.1, gamma=1.0).fit(form(X * 1e9), Y)
    # without a digit, a row and itself are no longer alike; before, they are
    rows = KernelRows(make_kernel("rbf", gamma=1.0), form(X * 1e3))
    np.testing.assert_allclose(np.diag(rows.block(np.arange(90))), 1.0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:NPSVC would call about")
@pytest.mark.parametrize(("kernel", "scale"), [("poly", 1e150), ("poly", 1e100), ("rbf", 1e200)])
def test_new_rows_whose_scores_overflow_are_told_of(kernel, scale):
    model = NPSVC(0.1, kernel=kernel, gamma=1.0).fit(X, Y)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(InvalidInputError, match="overflows"):
        model.decision_function(X * scale)


def test_a_gap_that_is_no_number_is_not_small():
    n = 2
    K, state = np.eye(n), [np.zeros(n), -np.ones(n), np.ones(n), np.array([np.inf, np.inf])]
    bars = [np.zeros(n), np.zeros(n)]
    last_use = np.zeros(n, dtype=np.int64)
    with plain_python(), np.errstate(invalid="ignore"):
        why, *_, gap = take_steps(*state, *bars, np.ones(n), K, np.arange(n), last_use, 0, 1e-12, 1e-3, 0)
    assert np.isnan(gap)
    assert why != OPTIMAL


def test_scores_that_overflow_in_the_solver_are_told_of():
    rows = KernelRows(make_kernel("linear"), X * 1e90)
    start = replace(solve_shifted_svm(X, Y, cost=np.full(90, 1e-200), rows=rows), coef=np.where(Y == 1, 1e200, -1e200))
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(InvalidInputError, match="scores of the support vector machine overflow"),
    ):
        solve_shifted_svm(X, Y, cost=np.full(90, 1e200), rows=rows, start=start)


def test_solutions_that_go_round_in_a_circle_end_the_run():
    # from seed to seed two, or three and more, solutions follow each other
    for seed in (5, 6, 11, 18):
        X, y = world(seed)
        with pytest.warns(NotConvergedWarning, match=r"[1-9]\d* rows keep changing sides of the ramp near"):
            model = NPSVC(0.1, kernel="poly", coef0=-3.0).fit(X, y)
        assert not model.converged_
        assert model.n_iter_ < 100


def test_a_circle_is_one_set_that_returns_with_others_between():
    sets = np.eye(4)
    rest, circle, turns, slow = (CircleDetector() for _ in range(4))
    for _ in range(30):
        rest.add(sets[0])
    assert rest.n_rows == 0
    for k in range(2 + 5 + 2):
        assert circle.n_rows == 0
        # the first set leads in and is not on the way round
        circle.add(sets[0] if k == 0 else sets[1 + k % 3])
    assert circle.n_rows == 3
    for lam in range(1, 26):
        assert turns.n_rows == slow.n_rows == 0
        for k in (0, 1, 0):
            turns.add(sets[k], lam)
        for k in (0, 1, 0 if lam % 5 else 2):
            slow.add(sets[k], lam)
    assert turns.n_rows == 2
    assert slow.n_rows == 0


def test_dc_iterations_that_go_round_end_before_their_limit():
    found = []
    for seed in range(8):
        X, y = world(seed)
        kernel = make_kernel("poly", gamma=0.5, coef0=-3.0)
        fit = solve_nonconvex_svm(X, y, kernel=kernel, cost=np.where(y == 1, 1.0, 0.4), max_iter=200)
        found.append(fit)
        assert not (fit.converged and "keep changing" in fit.reason)
    circles = [fit for fit in found if "rows keep changing sides of the ramp" in fit.reason]
    assert circles
    assert all(fit.n_iter < 100 for fit in circles)


def upside_down(A, B):
    return -(A @ B.T)


def bent(A, B):
    return np.tanh(A @ B.T)


def lopsided(A, B):
    return A @ B.T + 3 * A[:, :1]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (upside_down, "kernel upside_down is not a kernel: its value for a row of X with itself.*is -"),
        (bent, "kernel bent is not a kernel: its matrix for 64 rows of X has the eigenvalue -"),
        (lopsided, "kernel lopsided is not symmetric"),
    ],
)
def test_a_function_that_is_no_kernel_is_told_of(kernel, message):
    with pytest.raises(InvalidInputError, match=message):
        NPSVC(0.1, kernel=kernel).fit(X, Y)


def test_a_function_is_tried_on_few_rows_and_single_precision_is_forgiven():
    asked = []

    def single(A, B):
        asked.append(A.shape[0] * B.shape[0])
        return (A.astype(np.float32) @ B.T.astype(np.float32)).astype(np.float64)

    many = np.random.default_rng(1).normal(size=(500, 3))
    KernelRows(make_kernel(single), many)
    assert sum(asked) <= 500 + 64**2
    for n in (1, 2, 5):
        KernelRows(make_kernel(single), many[:n])
    KernelRows(make_kernel(lambda A, B: np.zeros((len(A), len(B)))), many[:5])


@pytest.mark.parametrize("solver", ["annealed", "uzawa"])
@pytest.mark.parametrize("eta", [1e-200, 1e-16, 1e200, 1e308])
def test_a_ramp_too_narrow_or_wide_to_compute_with_is_told_of(solver, eta):
    with pytest.raises(InvalidInputError, match=r"C / eta\*\*2 must lie between 1e-300 and 1e\+30, got .* eta="):
        NPSVC(0.1, eta=eta, solver=solver).fit(X, Y)
