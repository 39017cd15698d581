"""The truncated multinomial likelihood: against scikit-learn, the two-class solver, a conic solver and its proof."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from nproc.errors import InvalidInputError
from nproc.solvers.sparse_logistic.multinomial import solve_sparse_multinomial
from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal


def problem(seed, n=150, n_classes=3, p=3):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, size=n - n_classes))
    return rng.normal(size=(n, p)) + 1.2 * rng.normal(size=(n_classes, p))[y], y


def criterion(X, y, coef, intercept, caps, lam):
    logs = log_softmax(X @ coef.T + intercept, axis=1)[np.arange(y.size), y]
    return np.sum(np.maximum(-logs, -np.log(caps)[y])) + 0.5 * lam * np.sum(coef**2)


@pytest.mark.parametrize("lam", [0.1, 5.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_with_caps_of_1_it_is_the_multinomial_regression_of_scikit_learn(lam, n_classes):
    X, y = problem(0, n_classes=n_classes)
    result = solve_sparse_multinomial(X, y, lam=lam)
    assert result.converged
    # scikit-learn gives two classes one score, whose penalty is twice that of a pair of opposite scores
    C = 1 / lam if n_classes > 2 else 2 / lam
    peer = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(result.decision.argmax(axis=1), peer.predict(X))
    logs = log_softmax(result.decision, axis=1)
    np.testing.assert_allclose(logs, np.log(peer.predict_proba(X)), atol=1e-6)
    assert result.support.size == y.size


@pytest.mark.parametrize(("p_min", "p_max"), [(0.2, 0.6), (0.0, 0.4), (0.45, 0.55)])
def test_with_two_classes_it_is_the_two_class_criterion(p_min, p_max):
    X, y = problem(1, n_classes=2)
    several = solve_sparse_multinomial(X, y, p_max=(1 - p_min, p_max), lam=1.0)
    pair = solve_sparse_logistic_primal(X, y, p_min=p_min, p_max=p_max, lam=0.5)
    assert several.converged
    assert several.objective[-1] == pytest.approx(pair.objective[-1], rel=1e-9)
    np.testing.assert_allclose(several.coef[1] - several.coef[0], pair.coef, atol=1e-6)
    np.testing.assert_allclose(several.intercept[1] - several.intercept[0], pair.intercept, atol=1e-6)
    np.testing.assert_allclose(several.coef[0], -several.coef[1], atol=1e-9)


@pytest.mark.parametrize("caps", [(0.6, 0.6, 0.6), (0.4, 0.9, 1.0), (0.34, 0.34, 0.34)])
def test_a_conic_solver_finds_nothing_better(caps):
    cp = pytest.importorskip("cvxpy")
    X, y = problem(2, n=60)
    W, b = cp.Variable((3, 3)), cp.Variable(3)
    scores = X @ W.T + np.ones((60, 1)) @ cp.reshape(b, (1, 3), order="C")
    losses = cp.log_sum_exp(scores, axis=1) - cp.sum(cp.multiply(np.eye(3)[y], scores), axis=1)
    floor = -np.log(np.array(caps))[y]
    conic = cp.Problem(cp.Minimize(cp.sum(cp.maximum(losses, floor)) + 0.5 * cp.sum_squares(W)))
    conic.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    result = solve_sparse_multinomial(X, y, p_max=caps, lam=1.0)
    assert result.converged
    assert result.objective[-1] == pytest.approx(conic.value, rel=1e-7)


@pytest.mark.parametrize("caps", [(0.6, 0.6, 0.6), (0.4, 0.9, 1.0), (0.34, 0.34, 0.34)])
def test_no_direction_leads_down(caps):
    X, y = problem(3)
    result = solve_sparse_multinomial(X, y, p_max=caps, lam=0.5)
    assert result.converged
    best = criterion(X, y, result.coef, result.intercept, np.array(caps), 0.5)
    assert best == pytest.approx(result.objective[-1], rel=1e-12)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(50):
            other = criterion(
                X,
                y,
                result.coef + size * rng.normal(size=(3, 3)),
                result.intercept + size * rng.normal(size=3),
                np.array(caps),
                0.5,
            )
            assert other >= best * (1 - 1e-12)


def test_the_criterion_is_convex_along_any_line():
    X, y = problem(4)
    caps, rng = np.array([0.5, 0.6, 0.7]), np.random.default_rng(1)
    for _ in range(20):
        start, step = rng.normal(size=(2, 3, 4))
        along = [
            criterion(X, y, start[:, :3] + t * step[:, :3], start[:, 3] + t * step[:, 3], caps, 0.0)
            for t in np.linspace(-3, 3, 61)
        ]
        assert np.diff(along, 2).min() > -1e-9


def test_rows_past_their_caps_have_no_say_and_lower_caps_leave_fewer():
    X, y = problem(5, n=300)
    sizes = []
    for cap in (0.95, 0.7, 0.4):
        result = solve_sparse_multinomial(X, y, p_max=cap)
        sizes.append(result.support.size)
        right = np.exp(log_softmax(result.decision, axis=1))[np.arange(300), y]
        assert np.all(right[result.multiplier == 0] >= cap * (1 - 1e-8))
        assert np.all(right[result.multiplier == 1] <= cap * (1 + 1e-8))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.8 * sizes[0]


def test_the_path_is_traced_and_intercepts_sum_to_0():
    X, y = problem(6)
    told = []
    result = solve_sparse_multinomial(X, y, p_max=0.7, callback=lambda *line: told.append(line))
    assert len(told) == result.n_iter == result.objective.size == result.history["support"].size
    assert abs(result.intercept.sum()) < 1e-10
    np.testing.assert_allclose(result.coef.sum(axis=0), 0.0, atol=1e-10)
    short = solve_sparse_multinomial(X, y, p_max=0.7, max_iter=1)
    assert not short.converged
    assert short.reason.startswith("the optimality conditions are off by")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p_max": 0.0}, "each p_max must be above 0"),
        ({"p_max": (0.5, 0.5, 1.5)}, "each p_max must be above 0"),
        ({"p_max": (0.3, 0.3, 0.4)}, "must sum to more than 1"),
        ({"p_max": (0.5, 0.6)}, "p_max must be one number or 3"),
        ({"p_max": "a"}, "p_max must be one number or 3, one for each class, got 'a'"),
        ({"p_max": [0.5, [0.6, 0.7], 0.8]}, "p_max must be one number or 3"),
        ({"p_max": None}, "each p_max must be above 0 and at most 1, got None"),
        ({"p_max": (0.5, 0.6, 0.6, 0.6)}, r"each of the 4 classes must occur in y, but \[3\] do not"),
        ({"lam": 0.0}, "lam must be a finite number above 0"),
    ],
)
def test_a_parameter_out_of_its_range_is_an_error(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        solve_sparse_multinomial(*problem(7), **parameters)


def test_values_that_overflow_are_an_error():
    y = np.array([0, 1, 0, 1])
    with pytest.raises(InvalidInputError, match="X has values so large"):
        solve_sparse_multinomial(np.arange(4.0)[:, None] * 1e200, y)
