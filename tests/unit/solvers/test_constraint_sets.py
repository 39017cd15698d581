"""The sets that hold the weights: projectors, support functions, and projections with half-spaces."""

import warnings

import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.losses import LogisticLoss
from nproc.solvers.constrained.problem import (
    ClassRisks,
    GroupRisk,
    L1Ball,
    L2Ball,
    Nonnegative,
    WeightSets,
    sort_constraints,
)
from nproc.solvers.constrained.projection import project_constraints, project_half_spaces

SETS = {
    "l2": WeightSets(l2=0.8),
    "l1": WeightSets(l1=1.5),
    "signs": WeightSets(nonnegative=True),
    "l2, l1": WeightSets(l2=0.8, l1=1.5),
    "l2, signs": WeightSets(l2=0.8, nonnegative=True),
    "l1, signs": WeightSets(l1=1.5, nonnegative=True),
    "all": WeightSets(l2=0.8, l1=1.5, nonnegative=True),
}


def least_squares(sets, v, half_spaces):
    """The projection by a conic solver."""
    cp = pytest.importorskip("cvxpy")
    w = cp.Variable(v.size)
    given = [a @ w <= b for a, b in half_spaces]
    given += [] if sets.l2 is None else [cp.norm(w) <= sets.l2]
    given += [] if sets.l1 is None else [cp.norm1(w) <= sets.l1]
    given += [w >= 0] if sets.nonnegative else []
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w - v)), given)
    with warnings.catch_warnings():
        # at this accuracy the conic solver may say that its solution is inaccurate
        warnings.simplefilter("ignore")
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-12, tol_gap_abs=1e-12, tol_feas=1e-12)
    return w.value, problem.value


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("n_half_spaces", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_projections_are_those_of_a_conic_solver(name, n_half_spaces, seed):
    rng, sets = np.random.default_rng(seed), SETS[name]
    v = 2 * rng.normal(size=9)
    # all hold a point of the sets
    inner = sets.project(rng.normal(size=9)) * 0.5
    half_spaces = []
    for _ in range(n_half_spaces):
        a = rng.normal(size=9)
        half_spaces.append((a, float(a @ inner) + 0.1))
    found = sets.project(v) if not half_spaces else project_half_spaces(sets, 9, v, half_spaces)
    near, square = least_squares(sets, v, half_spaces)
    assert sets.violation(found) <= 1e-12
    assert all(a @ found - b <= 1e-12 for a, b in half_spaces)
    # the conic solver knows the distance to 1e-10 or so, the point to the root of that
    assert np.sum((found - v) ** 2) == pytest.approx(square, rel=1e-7, abs=1e-9)
    np.testing.assert_allclose(found, near, atol=2e-5)


@pytest.mark.parametrize("name", SETS)
def test_half_spaces_that_miss_the_sets_have_no_projection(name):
    sets, v = SETS[name], np.array([1.0, 2.0, -1.0])
    if not sets.bounded:
        half_spaces = [(np.ones(3), -1.0)]
    else:
        half_spaces = [(-np.ones(3), -50.0)]
    assert project_half_spaces(sets, 3, v, half_spaces) is None


@pytest.mark.parametrize("name", SETS)
def test_the_derivative_of_the_projector_is_that_of_differences(name):
    rng, sets = np.random.default_rng(5), SETS[name]
    v = 3 * rng.normal(size=8)
    vectors = rng.normal(size=(4, 8))
    step = 1e-6
    differences = [(sets.project(v + step * d) - sets.project(v - step * d)) / (2 * step) for d in vectors]
    np.testing.assert_allclose(sets.jacobian(v, sets.project(v), vectors), differences, atol=1e-8)


@pytest.mark.parametrize("one", [L2Ball(0.7), L1Ball(0.7), Nonnegative()], ids=["l2", "l1", "signs"])
def test_a_projection_obeys_its_variational_inequality_and_is_idempotent(one):
    rng = np.random.default_rng(0)
    for _ in range(20):
        v = rng.normal(size=6)
        near = one.project(v)
        assert one.violation(near) <= 1e-15
        np.testing.assert_allclose(one.project(near), near, atol=1e-15)
        # no point of the set makes an acute angle with v - near
        assert one.support(v - near) == pytest.approx(float((v - near) @ near), abs=1e-12) or np.isinf(
            one.support(v - near)
        )


def test_support_functions_bound_every_point():
    rng = np.random.default_rng(1)
    for name, sets in SETS.items():
        for _ in range(50):
            v, w = rng.normal(size=5), sets.project(3 * rng.normal(size=5))
            assert v @ w <= sets.support(v, 100.0) + 1e-12, name


def test_sets_of_a_kind_are_joined():
    sets, groups = sort_constraints([L2Ball(3.0), Nonnegative(), L2Ball(2.0), L1Ball(1.0)])
    assert (sets.l2, sets.l1, sets.nonnegative, groups) == (2.0, 1.0, True, [])
    assert sets.bounded
    assert sets.given
    assert not WeightSets().given


def test_a_group_averages_its_class_0_rows_only():
    y = np.array([0, 1, 0, 0])
    np.testing.assert_allclose(GroupRisk(np.array([True, True, True, False]), 0.5).weights(y), [0.5, 0.5, 0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: L2Ball(0.0), "radius must be a finite number above 0"),
        (lambda: L1Ball(np.inf), "radius must be a finite number above 0"),
        (lambda: sort_constraints([3.0]), "constraints must hold L2Ball, L1Ball, Nonnegative or GroupRisk objects"),
        (lambda: sort_constraints(None), "constraints must be a list or tuple .* got NoneType"),
        (lambda: sort_constraints(L2Ball(1.0)), "constraints must be a list or tuple .* got L2Ball"),
        (lambda: GroupRisk(np.array([True]), np.nan), "tau of a GroupRisk must be a finite number, got nan"),
        (lambda: GroupRisk(np.array([True]), "low"), "tau of a GroupRisk must be a finite number, got 'low'"),
        (lambda: GroupRisk(np.array([0, 1]), 0.1).weights(np.array([0, 1])), "must be a boolean array"),
        (lambda: GroupRisk(np.array([False, True]), 0.1).weights(np.array([0, 1])), "at least one class 0 row"),
    ],
)
def test_bad_sets_are_refused(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize("name", SETS)
def test_the_outer_approximation_projects_onto_a_risk_and_sets(name):
    cp = pytest.importorskip("cvxpy")
    rng, sets = np.random.default_rng(7), SETS[name]
    X, y = rng.normal(size=(60, 5)), np.repeat([0, 1], 30)
    X[:30] -= 0.8
    weights = np.full((1, 30), 1 / 30)
    risks = ClassRisks(X, y, LogisticLoss(), False, weights, np.array([0.55]))
    v = rng.normal(size=5)
    v[0] -= 1.0
    found = project_constraints(risks, sets, v, n_steps=200, gap=np.full(1, 1e-14))
    w = cp.Variable(5)
    given = [cp.sum(cp.logistic(X[:30] @ w)) / 30 <= 0.55]
    given += [] if sets.l2 is None else [cp.norm(w) <= sets.l2]
    given += [] if sets.l1 is None else [cp.norm1(w) <= sets.l1]
    given += [w >= 0] if sets.nonnegative else []
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w - v)), given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-12, tol_gap_abs=1e-12, tol_feas=1e-12)
    assert found.gaps[0] <= 1e-13
    assert sets.violation(found.x) <= 1e-12
    np.testing.assert_allclose(found.z0, risks.margins0(found.x), atol=1e-12)
    assert np.sum((found.x - v) ** 2) == pytest.approx(problem.value, rel=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_a_projection_that_begins_with_the_tangent_of_another_ends_at_the_same_point_in_no_more_steps(name):
    rng, sets = np.random.default_rng(7), SETS[name]
    X = rng.normal(size=(60, 5))
    X[:30] -= 0.8
    y = np.repeat([0, 1], 30)
    risks = ClassRisks(X, y, LogisticLoss(), False, np.full((1, 30), 1 / 30), np.array([0.55]))
    v = 0.1 * rng.normal(size=5)
    v[0] -= 1.0
    settings = {"n_steps": 200, "gap": np.full(1, 1e-14)}
    earlier = project_constraints(risks, sets, v + 0.01 * rng.normal(size=5), **settings)
    gradient, bound = earlier.tangents[0]
    # what the tangent promises: it holds all points of the level
    points = rng.normal(size=(2000, 5))
    within = np.array([risks.risks(risks.margins0(point))[0] <= 0.55 for point in points])
    assert within.sum() > 100
    assert np.all(points[within] @ gradient <= bound)
    plain = project_constraints(risks, sets, v, **settings)
    warm = project_constraints(risks, sets, v, **settings, tangents=earlier.tangents)
    np.testing.assert_allclose(warm.x, plain.x, atol=1e-6)
    assert warm.n_steps <= plain.n_steps
