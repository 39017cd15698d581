"""The projection onto a level set against closed forms, a conic solver and its proofs of infeasibility."""

import warnings

import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.losses import CALIBRATED_LOSSES, LogisticLoss
from nproc.solvers.constrained.projection import half_space_products, half_space_step, project_level_set


def mean_risk(X, loss):
    """The mean loss of class 0 with margins -Xw, and its gradient."""

    def function(w):
        z = -(X @ w)
        return loss.value(z).mean(), -(X.T @ loss.derivative(z)) / len(X)

    return function


def unit_rows(rng, n, p):
    X = np.abs(rng.normal(size=(n, p)))
    return X / np.linalg.norm(X, axis=1)[:, None]


@pytest.mark.parametrize("p", [20, 100])
@pytest.mark.parametrize("seed", range(5))
def test_nine_iterations_bring_the_gap_to_1e_12_on_rows_of_unit_norm(seed, p):
    rng = np.random.default_rng(seed)
    function = mean_risk(unit_rows(rng, 300, p), LogisticLoss())
    found = project_level_set(np.zeros(p), function, 0.1, tol=0.0, max_iter=9)
    gaps = found.history["gap"]
    assert gaps[0] > 0.5
    assert gaps[min(9, len(gaps) - 1)] <= 1e-12


@pytest.mark.parametrize("name", CALIBRATED_LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_the_projection_is_that_of_a_conic_solver(name, seed):
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(seed)
    X, p0, loss = unit_rows(rng, 60, 5), rng.normal(size=5) * 2, CALIBRATED_LOSSES[name]
    function = mean_risk(X, loss)
    level = 0.5 * function(p0)[0] if function(p0)[0] > 0 else function(p0)[0] - 0.2
    found = project_level_set(p0, function, level, tol=1e-15, max_iter=200)
    w = cp.Variable(5)
    z, given = -(X @ w), []
    if name == "logistic":
        risk = cp.sum(cp.logistic(-z)) / 60
    elif name == "matsusita":
        risk = cp.sum(cp.norm(cp.vstack([np.ones(60), z]), axis=0) - z) / 120
    else:
        up, down = cp.Variable(60, nonneg=True), cp.Variable(60, nonneg=True)
        given = [up - down == z]
        risk = cp.sum(down - cp.log(1 + up / 2) - cp.log(1 + down / 2)) / 60
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w - p0)), [risk <= level, *given])
    with warnings.catch_warnings():
        # at this accuracy the conic solver may say that its solution is inaccurate
        warnings.simplefilter("ignore")
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-13, tol_gap_abs=1e-13, tol_feas=1e-13)
    assert found.converged
    # the distance is known to 1e-8, and with it (quadratically) the point to 1e-4 from the conic solver alone; the
    # optimality conditions of the projection say the rest
    assert found.distance == pytest.approx(np.sqrt(problem.value), rel=1e-8)
    normal = function(found.point)[1]
    cosine = (p0 - found.point) @ normal / (np.linalg.norm(p0 - found.point) * np.linalg.norm(normal))
    assert cosine == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_the_projection_onto_an_ellipsoid_is_that_of_its_secular_equation(seed):
    from scipy.optimize import brentq

    rng = np.random.default_rng(seed)
    axes, p0 = rng.uniform(0.2, 3.0, size=8), rng.normal(size=8) * 4
    level = 0.1 * axes @ p0**2
    found = project_level_set(p0, lambda p: (axes @ p**2, 2 * axes * p), level, tol=1e-14, max_iter=500)
    multiplier = brentq(lambda m: axes @ (p0 / (1 + m * axes)) ** 2 - level, 0, 1e6, xtol=1e-15, rtol=1e-15)
    # a point that is off by e along the set costs e^2 in value and distance, so that the point has half their digits
    np.testing.assert_allclose(found.point, p0 / (1 + multiplier * axes), rtol=0, atol=1e-6)


def test_a_point_of_the_set_is_its_own_projection():
    p0 = np.array([0.1, -0.2])
    found = project_level_set(p0, lambda p: (p @ p, 2 * p), 1.0)
    np.testing.assert_array_equal(found.point, p0)
    assert found.n_iter == 0
    assert found.converged
    assert found.distance == 0


def test_distances_grow_to_that_of_the_set():
    rng = np.random.default_rng(0)
    function, p0 = mean_risk(unit_rows(rng, 50, 6), LogisticLoss()), rng.normal(size=6) * 3
    far = project_level_set(p0, function, 0.05, tol=0.0, max_iter=100).distance
    steps = [project_level_set(p0, function, 0.05, tol=0.0, max_iter=k).distance for k in range(1, 7)]
    assert np.all(np.diff(steps) > -1e-12)
    assert steps[-1] <= far + 1e-12


@pytest.mark.parametrize("name", CALIBRATED_LOSSES)
def test_an_empty_level_set_is_reported_as_infeasible(name):
    rng = np.random.default_rng(1)
    X, loss = rng.normal(size=(80, 4)), CALIBRATED_LOSSES[name]
    # margins of both signs in every direction: the least mean loss is not far below that of 0
    found = project_level_set(np.zeros(4), mean_risk(X, loss), loss.at_zero - 0.5, max_iter=10_000)
    assert found.infeasible
    assert not found.converged
    assert found.reason.startswith("infeasible")
    assert found.gap > 0


def test_a_gradient_that_vanishes_above_the_level_is_infeasible():
    found = project_level_set(np.array([0.0, 0.0]), lambda p: (1 + p @ p, 2 * p), 0.5)
    assert found.infeasible
    assert "gradient vanishes" in found.reason


def test_half_spaces_that_face_away_from_each_other_are_infeasible():
    # in one dimension the tangents at both sides of the minimum exclude each other
    found = project_level_set(np.array([3.0]), lambda p: (1 + p @ p, 2 * p), 0.5)
    assert found.infeasible
    assert found.n_iter <= 3
    assert "do not meet" in found.reason
    assert half_space_step(1.0, 1.0, -1.0, 0.0) is None


def test_parallel_vectors_give_rho_zero_where_the_difference_of_products_does_not():
    rng = np.random.default_rng(3)
    back = rng.normal(size=50)
    mu, nu, chi, rho = half_space_products(back, -back * (1 / 3))
    assert chi > 0
    assert rho == 0
    mu, nu, chi, rho = half_space_products(back, -back / 3 + 1e-10 * rng.normal(size=50))
    # of the size of the square of 1e-10, and positive
    assert 0 < rho < 1e-15 * mu * nu


@pytest.mark.parametrize("case", range(3))
def test_each_case_projects_onto_both_half_spaces(case):
    rng = np.random.default_rng(case)
    for _ in range(50):
        p0, pk = rng.normal(size=3), rng.normal(size=3)
        half = -rng.uniform(0.1, 2) * (p0 - pk) if case == 0 else rng.normal(size=3)
        step = half_space_step(*half_space_products(p0 - pk, half))
        if step is None:
            continue
        found = pk + step[0] * (p0 - pk) + step[1] * half
        a, b = p0 - pk, -half
        assert (found - pk) @ a <= 1e-9
        assert (found - pk - half) @ b <= 1e-9
        # p_0 minus its projection is a nonnegative mixture of the two normals
        mix, *_ = np.linalg.lstsq(np.array([a, b]).T, p0 - found, rcond=None)
        assert np.all(mix >= -1e-9)
        np.testing.assert_allclose(np.array([a, b]).T @ mix, p0 - found, atol=1e-9)


def test_an_unfinished_projection_says_so():
    found = project_level_set(np.array([9.0, 1.0]), lambda p: (p @ p, 2 * p), 1.0, max_iter=1)
    assert not found.converged
    assert not found.infeasible
    assert found.reason == "1 iterations were not enough"


def ellipse(p):
    return p[0] ** 2 + 100 * p[1] ** 2, np.array([2 * p[0], 200 * p[1]])


@pytest.mark.slow
def test_a_projection_that_is_short_of_iterations_never_calls_itself_converged():
    for tol in (1e-12, 1e-5, 1e-3):
        for max_iter in range(1, 160):
            found = project_level_set([3.0, 4.0], ellipse, 1.0, tol=tol, max_iter=max_iter)
            assert found.converged == (found.reason == "the gap is at most tol")
            assert found.gap <= tol or not found.converged


def test_the_default_number_of_iterations_does_for_a_long_ellipse():
    found = project_level_set([3.0, 4.0], ellipse, 1.0)
    assert found.converged
    assert found.n_iter > 100
    # a larger tolerance of the gap is one of the direction, too
    sooner = project_level_set([3.0, 4.0], ellipse, 1.0, tol=1e-5)
    assert sooner.converged
    assert sooner.n_iter < found.n_iter
    np.testing.assert_allclose(sooner.point, found.point, atol=1e-5)


def test_a_set_that_is_empty_by_less_than_tol_may_count_as_met():
    found = project_level_set([0.0], lambda p: (np.exp(p[0]), np.exp(p)), 0.0)
    assert found.converged
    assert 0 < found.gap <= 1e-12
    # with the level clearly below what the function takes, it is empty
    assert project_level_set([0.0], lambda p: (np.exp(p[0]), np.exp(p)), -1e-3).infeasible


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p0": [[1.0]]}, "p0 must be a one-dimensional array"),
        ({"p0": [np.nan]}, "p0 must hold finite numbers below 1e\\+140 in size, got nan"),
        ({"p0": ["a"]}, r"p0 must be a one-dimensional array of finite numbers, got \['a'\]"),
        ({"level": "a"}, "level must be a finite number, got 'a'"),
        ({"function": lambda p: 1.0}, r"must return a pair \(value, gradient\), got float"),
        ({"function": lambda p: ("a", p)}, "must return a number and an array of numbers"),
        ({"function": lambda p: (1.0, ["a"])}, "must return a number and an array of numbers"),
        ({"p0": [1e200]}, "below 1e\\+140 in size"),
        ({"level": np.nan}, "level must be a finite number"),
        ({"level": None}, "level must be a finite number, got None"),
        ({"tol": -1.0}, "tol must be a finite number of at least 0"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"function": lambda p: (np.nan, p)}, "must return a finite value"),
        ({"function": lambda p: (1.0, np.zeros(3))}, r"a gradient of shape \(1,\)"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"p0": [5.0], "function": lambda p: (p @ p, 2 * p), "level": 1.0} | change
    with pytest.raises(InvalidInputError, match=message):
        project_level_set(given.pop("p0"), given.pop("function"), given.pop("level"), **given)


def test_a_function_that_is_none_says_what_is_wanted():
    with pytest.raises(InvalidInputError, match=r"function must be a function of a point .*, got 3\."):
        project_level_set([1.0], 3, 0.0)
