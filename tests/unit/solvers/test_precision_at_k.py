"""The structural SVM of k rows against all labellings, and the small quadratic program against clarabel."""

import itertools

import clarabel
import numpy as np
import pytest
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers.precision_at_k import (
    CuttingPlaneProblem,
    PlaneSet,
    reference_labels,
    solve_plane_qp,
    solve_precision_at_k,
)


def quadratic_program(P, q, A, b):
    """Solution and value of min x'Px/2 + q'x with Ax <= b."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(len(b))]
    solver = clarabel.DefaultSolver(sparse.csc_matrix(P), q, sparse.csc_matrix(A), b, cones, settings)
    solution = solver.solve()
    return np.array(solution.x), solution.obj_val


def all_labellings(n, k):
    labellings = np.zeros((0, n))
    for chosen in itertools.combinations(range(n), k):
        labelling = np.zeros(n)
        labelling[list(chosen)] = 1
        labellings = np.vstack([labellings, labelling])
    return labellings


def constraints(X, y, k, reference):
    """Gradient and loss of every labelling with k ones."""
    m = min(k, y.sum())
    if reference == "labels":
        compared = y
    else:
        # the mean of all labellings that have the least loss
        labellings = all_labellings(len(y), k)
        hits = labellings @ y
        compared = labellings[hits == hits.max()].mean(axis=0)
    labellings = all_labellings(len(y), k)
    return (compared - labellings) @ X / m, 1 - labellings @ y / m


def slow_oracle(X, y, k, C, reference):
    """Solution and objective with all constraints at once."""
    gradients, losses = constraints(X, y, k, reference)
    p = X.shape[1]
    A = np.vstack([np.column_stack([-gradients, -np.ones(len(losses))]), np.append(np.zeros(p), -1.0)])
    P = np.diag(np.append(np.ones(p), 0.0))
    x, value = quadratic_program(P, np.append(np.zeros(p), C), A, np.append(-losses, 0.0))
    return x[:p], value


def small_problem(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 10)), int(rng.integers(1, 4))
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    X = rng.normal(size=(n, p)) + y[:, None] * rng.random()
    return X, y, int(rng.integers(1, n)), 10 ** rng.uniform(-2, 3)


def larger_problem(seed=1, n=400, p=6):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int64)
    return rng.normal(size=(n, p)) + np.outer(y, np.linspace(1, 0, p)), y


X, Y = larger_problem()


@pytest.mark.parametrize("reference", ["labels", "average"])
@pytest.mark.parametrize("seed", range(40))
def test_the_solution_is_that_of_all_constraints_at_once(seed, reference):
    X, y, k, C = small_problem(seed)
    w, value = slow_oracle(X, y, k, C, reference)
    result = solve_precision_at_k(X, y, k=k, C=C, tol=1e-9, reference=reference)
    assert result.converged
    assert result.certificate <= 1e-9
    # the oracle is accurate to about 1e-9 itself
    np.testing.assert_allclose(result.objective[-1], value, rtol=1e-7)
    np.testing.assert_allclose(result.coef, w, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(result.objective[-1], 0.5 * result.coef @ result.coef + C * result.slack, rtol=1e-10)


@pytest.mark.parametrize("reference", ["labels", "average"])
@pytest.mark.parametrize("seed", range(40))
def test_the_most_violated_labelling_is_that_of_an_enumeration(seed, reference):
    X, y, k, _ = small_problem(seed)
    scores = X @ np.random.default_rng(seed).normal(size=X.shape[1])
    gradients, losses = constraints(scores[:, None], y, k, reference)
    heights = losses - gradients[:, 0]
    point = CuttingPlaneProblem(np.eye(y.size), y, k, 1.0, reference, None).at(scores)
    selected, height = point.selected, point.height
    assert selected.sum() == k
    assert height == pytest.approx(heights.max(), rel=1e-12, abs=1e-12)
    np.testing.assert_array_equal(selected, all_labellings(len(y), k)[int(np.argmax(heights))])


@pytest.mark.parametrize("seed", range(10))
def test_the_most_violated_labelling_is_that_of_the_loop_over_the_true_ones(seed):
    # Algorithm 2 of the paper: for each number a of true ones, the top a of class 1 and the top k - a of class 0
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 200)
    scores, k = rng.normal(size=200), int(rng.integers(1, 150))
    m = min(k, y.sum())
    ones, zeros = np.sort(scores[y == 1])[::-1], np.sort(scores[y == 0])[::-1]
    heights = [
        1 - a / m + (ones[:a].sum() + zeros[: k - a].sum() - ones.sum()) / m
        for a in range(max(0, k - zeros.size), min(k, ones.size) + 1)
    ]
    point = CuttingPlaneProblem(np.eye(y.size), y, k, 1.0, "labels", None).at(scores)
    assert point.height == pytest.approx(max(heights), rel=1e-12)


@pytest.mark.parametrize("reference", ["labels", "average"])
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("share", [0.2, 1.0, 1.5])
def test_both_bounds_are_monotone_and_meet(share, C, reference):
    result = solve_precision_at_k(X, Y, k=round(share * Y.sum()), C=C, tol=1e-5, reference=reference)
    lower = result.history["lower_bound"]
    assert result.converged
    assert np.all(np.diff(result.objective) <= 0)
    assert np.all(np.diff(lower) >= 0)
    # they may cross by rounding only
    assert np.all(lower <= result.objective[-1] * (1 + 1e-12))
    assert result.certificate == pytest.approx(1 - lower[-1] / result.objective[-1], rel=1e-9, abs=1e-12)
    assert result.certificate <= 1e-5
    assert len(result.objective) == result.n_iter + 1


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0, 1.5])
def test_the_slack_of_the_average_bounds_the_loss_of_the_highest_scores(share):
    k = round(share * Y.sum())
    result = solve_precision_at_k(X, Y, k=k, C=10.0, reference="average")
    hits = np.sum(Y[np.argsort(-(X @ result.coef))[:k]] == 1)
    assert 1 - hits / min(k, Y.sum()) <= result.slack + 1e-12


def test_the_slack_of_the_labels_is_no_bound_below_the_size_of_class_1():
    k = round(0.2 * Y.sum())
    result = solve_precision_at_k(X - X.mean(axis=0), Y, k=k, C=1000.0)
    hits = np.sum(Y[np.argsort(-(X @ result.coef))[:k]] == 1)
    assert result.slack < 1 - hits / k


def test_both_references_are_the_same_where_k_is_the_size_of_class_1():
    k = int(Y.sum())
    np.testing.assert_array_equal(reference_labels(Y, k, "labels"), reference_labels(Y, k, "average"))


@pytest.mark.parametrize(("share", "reference"), [(0.5, "average"), (1.0, "labels"), (1.4, "average")])
def test_a_shift_of_all_rows_changes_nothing(share, reference):
    k, shift = round(share * Y.sum()), np.array([5, 0, 0, 0, 0, -3])
    here, there = (solve_precision_at_k(Z, Y, k=k, tol=1e-8, reference=reference) for Z in (X, X + shift))
    np.testing.assert_allclose(there.coef, here.coef, atol=1e-3)
    np.testing.assert_allclose(there.objective[-1], here.objective[-1], rtol=1e-7)


def test_an_origin_is_the_same_as_shifted_rows_and_leaves_sparse_rows_alone():
    origin = X.mean(axis=0)
    k = round(0.3 * Y.sum())
    shifted = solve_precision_at_k(X - origin, Y, k=k, tol=1e-8)
    for rows in (X, sparse.csr_array(X)):
        result = solve_precision_at_k(rows, Y, k=k, tol=1e-8, origin=origin)
        np.testing.assert_allclose(result.coef, shifted.coef, rtol=1e-5, atol=1e-6)
        assert result.intercept == pytest.approx(-origin @ result.coef, rel=1e-12)


def test_the_scale_of_c_is_that_of_svmperf_as_the_docstring_says():
    # loss 100 (1 - a/k), sums 2 (sum of the y_i x_i), C: the direction is ours at C k^2 / 25
    y, k, C = np.repeat([0, 1], 4), 3, 0.05
    X = np.random.default_rng(3).normal(size=(8, 2)) + y[:, None]
    gradients, losses = constraints(X, y, k, "labels")
    A = np.vstack(
        [
            np.column_stack([-2 * k * gradients, -np.ones(len(losses))]),
            np.append(np.zeros(X.shape[1]), -1.0),
        ]
    )
    P, q = np.diag(np.append(np.ones(X.shape[1]), 0.0)), np.append(np.zeros(X.shape[1]), C)
    theirs = quadratic_program(P, q, A, np.append(-100 * losses, 0.0))[0][:-1]
    ours = solve_precision_at_k(X, y, k=k, C=C * k**2 / 25, tol=1e-9).coef
    np.testing.assert_allclose(ours / np.linalg.norm(ours), theirs / np.linalg.norm(theirs), rtol=1e-4, atol=1e-6)


def test_too_few_planes_end_unconverged_with_an_honest_certificate_and_the_reason():
    exact = solve_precision_at_k(X, Y, k=50, C=100.0, tol=1e-8)
    early = solve_precision_at_k(X, Y, k=50, C=100.0, tol=1e-8, max_iter=3)
    assert not early.converged
    assert early.n_iter == 3
    assert "max_iter=3" in early.reason
    distance = (early.objective[-1] - exact.objective[-1]) / early.objective[-1]
    assert distance <= early.certificate + 1e-8


def test_the_callback_sees_every_round():
    seen = []
    result = solve_precision_at_k(X, Y, k=50, callback=lambda *round_: seen.append(round_))
    assert [entry[0] for entry in seen] == list(range(result.n_iter + 1))
    np.testing.assert_array_equal([entry[1] for entry in seen], result.objective)


def test_rows_without_any_difference_give_the_zero_solution():
    result = solve_precision_at_k(np.zeros((6, 2)), np.array([0, 0, 0, 1, 1, 1]), k=3)
    assert result.converged
    np.testing.assert_array_equal(result.coef, 0.0)


def test_overflow_is_an_error_and_not_a_nan_solution():
    with pytest.raises(InvalidInputError, match="so large that their products overflow"):
        solve_precision_at_k(X * 1e200, Y, k=50)


@pytest.mark.parametrize("seed", range(30))
def test_the_mixture_of_planes_is_that_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    n_planes, p = int(rng.integers(1, 30)), int(rng.integers(1, 12))
    planes = rng.normal(size=(n_planes, p))
    if seed % 3 == 0:
        planes[-1] = planes[0]
    offsets, C = rng.random(n_planes), 10 ** rng.uniform(-3, 3)
    gram = planes @ planes.T
    A = np.vstack([-np.eye(n_planes), np.ones(n_planes)])
    _, value = quadratic_program(gram, -offsets, A, np.append(np.zeros(n_planes), C))
    start = np.full(n_planes, C / (2 * n_planes)) if seed % 2 else np.zeros(n_planes)
    weights, found = solve_plane_qp(gram, offsets, C, start)
    assert weights.min() >= 0
    assert weights.sum() <= C * (1 + 1e-12)
    np.testing.assert_allclose(found, -value, rtol=1e-7)


def test_a_plane_that_comes_again_leaves_the_bound():
    planes = PlaneSet(2, 1.0)
    planes.add(np.array([1.0, 0.0]), 0.1)
    for _ in range(30):
        planes.add(np.array([0.0, 1.0]), 0.9)
    assert planes.lower == pytest.approx(
        solve_plane_qp(np.eye(2), np.array([0.1, 0.9]), 1.0, np.zeros(2))[1], rel=1e-12
    )
