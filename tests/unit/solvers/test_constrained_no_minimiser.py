"""Problems whose infimum is not attained are recognised, and only those."""

import numpy as np
import pytest
from np_problems import overlapping

from nproc.losses import CALIBRATED_LOSSES
from nproc.solvers.constrained.problem import L1Ball, L2Ball, Nonnegative
from nproc.solvers.constrained.solve import solve_constrained_np

VARIANTS = ["interior_point", "projected_gradient", "accelerated"]
each_loss = pytest.mark.parametrize("loss", CALIBRATED_LOSSES.values(), ids=CALIBRATED_LOSSES)


def separated(seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 3)), (rng.random(80) < 0.5).astype(int)
    X[y == 1] += 6
    return X, y


def with_rare_category(which):
    X, y = overlapping(5, n=80, p=3)
    rare = np.zeros(80)
    rare[np.flatnonzero(y == which)[:5]] = 1.0
    return np.column_stack([X, rare]), y


@each_loss
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_separated_classes_have_no_minimiser(loss, fit_intercept):
    X, y = separated()
    if not fit_intercept:
        X = np.column_stack([X, np.ones(len(X))])
    tau = 0.3 * loss.at_zero if loss.at_zero > 0 else -0.1
    found = solve_constrained_np(X, y, tau=tau, loss=loss, fit_intercept=fit_intercept)
    assert not found.converged
    assert found.reason.startswith("no minimiser: complete separation")
    assert "Bound the norm of the weights" in found.reason
    # feasible, and a rule without errors
    assert found.risks["type1"] <= tau
    f = X @ found.coef + found.intercept
    assert np.all((f > 0) == (y == 1))


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_variants_recognise_separation(variant):
    X, y = separated()
    found = solve_constrained_np(X, y, tau=0.2, variant=variant, max_iter=100)
    assert found.reason.startswith("no minimiser")
    assert not found.converged
    assert found.risks["type1"] <= 0.2


def test_more_columns_than_rows_separate_any_classes():
    rng = np.random.default_rng(0)
    found = solve_constrained_np(rng.normal(size=(30, 100)), np.arange(30) % 2, tau=0.3)
    assert found.reason.startswith("no minimiser: complete separation")


@pytest.mark.parametrize("one", [L2Ball(2.0), L1Ball(2.0)], ids=["l2", "l1"])
def test_a_ball_gives_separated_classes_a_minimiser(one):
    X, y = separated()
    found = solve_constrained_np(X, y, tau=0.3, constraints=(one,))
    assert found.converged


@each_loss
def test_a_rare_category_of_class_1_leaves_no_minimiser(loss):
    X, y = with_rare_category(1)
    tau = 0.9 * loss.at_zero if loss.at_zero > 0 else -0.01
    found = solve_constrained_np(X, y, tau=tau, loss=loss)
    assert not found.converged
    assert found.reason.startswith("no minimiser: separation but for ties")
    held = solve_constrained_np(X, y, tau=tau, loss=loss, constraints=(L2Ball(1.0),))
    assert held.converged


@each_loss
def test_a_rare_category_of_class_0_leaves_none_where_the_constraint_is_active(loss):
    X, y = with_rare_category(0)
    tau = 0.9 * loss.at_zero if loss.at_zero > 0 else -0.01
    found = solve_constrained_np(X, y, tau=tau, loss=loss)
    assert not found.converged
    assert found.reason.startswith("no minimiser: a constraint active in the limit only")


@pytest.mark.parametrize("signs", [(), (Nonnegative(),)])
@pytest.mark.parametrize("max_iter", [1, 5, 200])
def test_a_run_that_ends_before_the_rule_separates_still_tells_complete_separation(max_iter, signs):
    # a bound so loose that the first rules call rows of class 0 wrongly
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 40)) + 0.8 * y[:, None]
    found = solve_constrained_np(X, y, tau=3.0, max_iter=max_iter, constraints=signs)
    assert found.reason.startswith("no minimiser: complete separation"), found.reason


def test_signs_can_forbid_the_direction_that_separates():
    X, y = with_rare_category(1)
    X[:, 3] = -X[:, 3]
    found = solve_constrained_np(X, y, tau=0.6, constraints=(Nonnegative(),))
    assert found.converged, found.reason


@each_loss
@pytest.mark.parametrize("seed", range(5))
def test_overlapping_classes_have_a_minimiser(loss, seed):
    X, y = overlapping(seed)
    tau = 0.9 * loss.at_zero if loss.at_zero > 0 else -0.01
    assert solve_constrained_np(X, y, tau=tau, loss=loss).converged


def test_collinear_columns_are_no_separation():
    X, y = overlapping(0)
    found = solve_constrained_np(np.column_stack([X, X @ np.arange(6.0)]), y, tau=0.5)
    assert found.converged
