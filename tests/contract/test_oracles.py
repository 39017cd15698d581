"""What the papers' solvers find, against other solvers and definitions, on seeds that no other test draws from."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from nproc import ConstrainedNPClassifier, QValueSVC, SparseLogisticClassifier, accepted, q_values
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm

SEEDS = range(7001, 7011)
GAMMA = 0.3


def rows(seed, n=80, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] - 0.5 * X[:, 1] + 1.5 * rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    return rng, X, y


def conic(objective, constraints):
    cvxpy = pytest.importorskip("cvxpy")
    tight = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}
    return cvxpy.Problem(cvxpy.Minimize(objective), constraints).solve(solver="CLARABEL", **tight)


def coordinates(X, kernel):
    """Return coordinates of the rows in which a model of this kernel is linear."""
    if kernel == "linear":
        return X
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=GAMMA))
    return vectors * np.sqrt(np.maximum(values, 0.0))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_shifted_box_machine_has_the_least_primal_objective(seed, kernel):
    cvxpy = pytest.importorskip("cvxpy")
    rng, X, y = rows(seed)
    Z = coordinates(X, kernel)
    s = 2.0 * y - 1
    cost, eta = np.where(y == 1, *(10 ** rng.uniform(-1, 1, size=2))), float(rng.choice([0.5, 1.0, 2.0]))
    beta = (rng.random(y.size) < 0.2).astype(float)
    found = solve_shifted_svm(X, y, kernel=make_kernel(kernel, gamma=GAMMA), cost=cost, beta=beta, eta=eta, tol=1e-10)

    def objective(w, b, positive, dot):
        z = s * (Z @ w + b) if dot is np.dot else cvxpy.multiply(s, Z @ w + b)
        return positive(w) + dot(cost / (2 * eta), positive_part(eta - z, dot)) + dot(cost * beta / (2 * eta), z)

    def positive_part(values, dot):
        return np.maximum(values, 0.0) if dot is np.dot else cvxpy.pos(values)

    w, b = cvxpy.Variable(Z.shape[1]), cvxpy.Variable()
    least = conic(objective(w, b, lambda v: 0.5 * cvxpy.sum_squares(v), lambda u, v: u @ v), [])
    own = objective(Z.T @ found.coef, found.intercept, lambda v: 0.5 * v @ v, np.dot)
    assert found.converged
    assert own == pytest.approx(least, rel=1e-7, abs=1e-8)


# alpha holds a mean loss here, and the power may be small
@pytest.mark.filterwarnings("ignore:ConstrainedNPClassifier calls .* class 1 training rows")
@pytest.mark.parametrize("radius", [None, 0.5])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_constrained_classifier_has_the_least_loss_of_class_1_at_its_level(seed, radius):
    cvxpy = pytest.importorskip("cvxpy")
    _, X, y = rows(seed, n=150)
    alpha = (0.5 if radius else 0.2) + 0.1 * (seed % 5)
    ball = {"norm": "l2", "radius": radius} if radius else {}
    model = ConstrainedNPClassifier(alpha=alpha, **ball).fit(X, y)
    f = model.decision_function(X)
    w, b = cvxpy.Variable(X.shape[1]), cvxpy.Variable()
    scores = X @ w + b
    least = conic(
        cvxpy.sum(cvxpy.logistic(-scores[y == 1])) / np.sum(y == 1),
        [
            cvxpy.sum(cvxpy.logistic(scores[y == 0])) / np.sum(y == 0) <= alpha * np.log(2),
            *([cvxpy.norm(w) <= radius] if radius else []),
        ],
    )
    assert np.mean(np.logaddexp(0, f[y == 0])) <= alpha * np.log(2) * (1 + 1e-6)
    assert np.mean(np.logaddexp(0, -f[y == 1])) == pytest.approx(least, rel=1e-5)


# the claim is about the criterion, and a large penalty may leave one label
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:SparseLogisticClassifier (calls|would call) ")
@pytest.mark.parametrize("kind", ["primal", "dual", "rbf", "sparse", "more columns than rows"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_sparse_logistic_model_has_the_least_criterion(seed, kind):
    cvxpy = pytest.importorskip("cvxpy")
    rng, X, y = rows(seed, **({"n": 30, "p": 60} if kind == "more columns than rows" else {}))
    p_min, p_max, lam = rng.uniform(0.05, 0.4), rng.uniform(0.5, 0.95), 10 ** rng.uniform(-1, 1)
    how = {"solver": kind} if kind in ("primal", "dual") else {"kernel": "rbf", "gamma": GAMMA} if kind == "rbf" else {}
    given = sparse.csr_array(X) if kind == "sparse" else X
    model = SparseLogisticClassifier(p_min, p_max, lam, **how).fit(given, y)
    Z = coordinates(X, "rbf" if kind == "rbf" else "linear")
    s = 2.0 * y - 1
    # a row that is right by more than its end counts as that end
    ends = np.where(y == 1, -np.log(p_max / (1 - p_max)), np.log(p_min / (1 - p_min)))
    w, b = cvxpy.Variable(Z.shape[1]), cvxpy.Variable()
    exponent = cvxpy.maximum(cvxpy.multiply(-s, Z @ w + b), ends)
    least = conic(cvxpy.sum(cvxpy.logistic(exponent)) + 0.5 * lam * cvxpy.sum_squares(w), [])
    # the intercept of the score is lowered by the log-odds of the threshold
    f = model.decision_function(given) + np.log(model.threshold_ / (1 - model.threshold_))
    coef = Z[model.support_].T @ model.dual_coef_.ravel() if kind == "rbf" else model.coef_.ravel()
    own = np.sum(np.logaddexp(0, np.maximum(-s * f, ends))) + 0.5 * lam * coef @ coef
    assert model.converged_
    assert own == pytest.approx(least, rel=1e-7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:q=.* is at least the ratio")
@pytest.mark.filterwarnings("ignore:no row is accepted. In ")
@pytest.mark.parametrize("seed", SEEDS)
def test_q_values_and_discoveries_are_those_of_every_threshold_tried(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        n, correction = int(rng.integers(4, 40)), int(rng.integers(2))
        y = rng.integers(0, 2, size=n)
        y[:2] = 0, 1
        scores = rng.integers(0, 12, size=n).astype(float)
        shares = {
            cut: (np.sum(scores[y == 0] >= cut) + correction) / max(np.sum(scores[y == 1] >= cut), 1e-300)
            for cut in scores
        }
        least = [min(1.0, *(share for cut, share in shares.items() if cut <= score), 1.0) for score in scores]
        np.testing.assert_allclose(q_values(scores, y, correction=correction), least, rtol=1e-12)
        level = float(rng.uniform(0.05, 0.95))
        called = accepted(scores, y, level, correction=correction)
        np.testing.assert_array_equal(called, (y == 1) & (np.array(least) <= level))


def test_the_machine_of_discoveries_counts_as_the_definition_says():
    _, X, y = rows(7001, n=400)
    model = QValueSVC(0.3, class0=0).fit(X, y)
    called = model.predict(X) == 1
    assert 0 < np.sum(called[y == 0]) <= 0.3 * np.sum(called[y == 1])
