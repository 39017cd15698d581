"""Constraints that cannot be met are proved so, and a point inside is found where there is one."""

import numpy as np
import pytest
from np_problems import overlapping
from scipy.optimize import minimize

from nproc.losses import CALIBRATED_LOSSES, CalibratedHingeLoss, LogisticLoss, MatsusitaLoss
from nproc.solvers.constrained.feasibility import clearly_below_levels, find_interior, tangent_bound
from nproc.solvers.constrained.problem import ClassRisks, GroupRisk, L1Ball, L2Ball, Nonnegative, WeightSets
from nproc.solvers.constrained.solve import solve_constrained_np

VARIANTS = ["interior_point", "projected_gradient", "accelerated"]


def least_risk(X, y, loss):
    """The least mean loss of class 0 without an intercept, by a general minimiser."""
    rows = X[y == 0]

    def function(w):
        z = -(rows @ w)
        return loss.value(z).mean(), -(rows.T @ loss.derivative(z)) / len(rows)

    found = minimize(function, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.fun


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", CALIBRATED_LOSSES)
def test_a_level_below_the_least_risk_is_infeasible_and_the_bound_is_the_least_excess(name, variant):
    loss = CALIBRATED_LOSSES[name]
    X, y = overlapping(0)
    X = X - X[y == 0].mean(axis=0) * 0.9
    least = least_risk(X, y, loss)
    tau = least - 0.05
    found = solve_constrained_np(X, y, tau=tau, loss=loss, fit_intercept=False, variant=variant, max_iter=200)
    assert not found.converged
    assert found.reason.startswith("infeasible")
    # a proof, and nearly the best one
    assert 0.04 <= found.lower_bound <= 0.05 + 1e-9


def test_a_level_just_above_the_least_risk_is_met():
    X, y = overlapping(0)
    X = X - X[y == 0].mean(axis=0) * 0.9
    least = least_risk(X, y, LogisticLoss())
    found = solve_constrained_np(X, y, tau=least + 1e-4, fit_intercept=False)
    assert found.converged
    assert np.isnan(found.lower_bound)
    assert found.risks["type1"] <= least + 1e-4


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("one", [L2Ball(0.1), L1Ball(0.1), Nonnegative()], ids=["l2", "l1", "signs"])
def test_sets_can_make_a_level_infeasible(one, variant):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), np.repeat([0, 1], 40)
    X[y == 0] += 3
    free = solve_constrained_np(X, y, tau=0.3, fit_intercept=False)
    held = solve_constrained_np(X, y, tau=0.3, fit_intercept=False, constraints=(one,), variant=variant, max_iter=200)
    assert not free.reason.startswith("infeasible")
    assert held.reason.startswith("infeasible")
    assert held.lower_bound > 0
    # no point of the set goes below the bound
    for _ in range(200):
        w = one.project(rng.normal(size=3) * rng.uniform(0.01, 1))
        risk = LogisticLoss().value(-(X[y == 0] @ w)).mean()
        assert risk - 0.3 >= held.lower_bound - 1e-12


def test_an_infimum_that_is_not_attained_bounds_the_risk_too():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), np.repeat([0, 1], 40)
    X[y == 0] += 4
    X[:20] = 0.0
    floor = 0.5 * np.log(2)
    below = solve_constrained_np(X, y, tau=floor - 0.01, fit_intercept=False)
    above = solve_constrained_np(X, y, tau=floor + 0.01, fit_intercept=False)
    assert below.reason.startswith("infeasible")
    assert below.lower_bound == pytest.approx(0.01, rel=0.2)
    assert not above.reason.startswith("infeasible")
    assert above.risks["type1"] <= floor + 0.01


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("tau", [0.0, -1.0])
def test_a_level_of_0_is_infeasible_for_losses_above_0_and_not_for_the_calibrated_hinge(tau, variant):
    X, y = overlapping(0)
    for loss in (LogisticLoss(), MatsusitaLoss()):
        found = solve_constrained_np(X, y, tau=tau, loss=loss, variant=variant)
        assert found.reason.startswith("infeasible")
        assert found.lower_bound == -tau
    hinge = solve_constrained_np(X, y, tau=tau, loss=CalibratedHingeLoss())
    assert hinge.converged


def test_a_level_that_only_its_boundary_meets_is_undecided_and_not_called_infeasible():
    # rows of zeros: every risk is log 2, whatever the weights
    X, y = np.zeros((20, 2)), np.repeat([0, 1], 10)
    found = solve_constrained_np(X, y, tau=float(np.log(2.0)), fit_intercept=False)
    assert found.reason.startswith("undecided")
    assert not found.converged
    assert not found.lower_bound > 0


def test_groups_that_pull_apart_are_infeasible_together():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 1)), np.repeat([0, 0, 1], 30)
    X[:30] += 3
    X[30:60] -= 3
    first = np.arange(90) < 30
    pair = (GroupRisk(first, 0.4), GroupRisk(~first, 0.4))
    both = solve_constrained_np(X, y, tau=5.0, fit_intercept=False, constraints=pair)
    alone = solve_constrained_np(X, y, tau=5.0, fit_intercept=False, constraints=pair[:1])
    assert both.reason.startswith("infeasible")
    assert both.lower_bound > 0
    assert not alone.reason.startswith("infeasible")


def test_with_an_intercept_every_level_can_be_met():
    X, y = overlapping(0)
    for loss in CALIBRATED_LOSSES.values():
        for tau in (1e-3, 0.5, 3.0):
            weights = np.full((1, int(np.sum(y == 0))), 1 / np.sum(y == 0))
            risks = ClassRisks(X, y, loss, True, weights, np.array([tau]))
            for sets in (WeightSets(), WeightSets(l1=0.1, nonnegative=True), WeightSets(l2=0.1, nonnegative=True)):
                found = find_interior(risks, sets, max_iter=5)
                assert np.all(risks.risks(risks.margins0(found.x)) < tau)
                assert clearly_below_levels(risks, risks.margins0(found.x))
                assert sets.violation(found.x[: risks.p]) < 0 or sets == WeightSets()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_tangent_bound_lies_below_the_risk_everywhere_in_the_set(fit_intercept):
    rng = np.random.default_rng(1)
    X, y = overlapping(1)
    m0 = int(np.sum(y == 0))
    risks = ClassRisks(X, y, LogisticLoss(), fit_intercept, np.full((1, m0), 1 / m0), np.array([0.5]))
    sets = WeightSets(l2=0.5)
    for _ in range(20):
        x = 0.3 * rng.normal(size=risks.dim)
        bound = tangent_bound(risks, sets, x, risks.margins0(x), np.ones(1))
        for _ in range(20):
            u = rng.normal(size=risks.dim)
            u[: risks.p] = sets.project(u[: risks.p])
            assert bound <= risks.risks(risks.margins0(u))[0] - 0.5 + 1e-12
