"""Algorithm 3, the constraint and the multiplier: the rule of stopping holds at the end, or the reason is told."""

import numpy as np
import pytest

from nproc.solvers.jit import plain_python
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.annealed import solve_annealed, taken_back
from nproc.solvers.npsvm.constraint import Multiplier, Rates, made_constraint
from nproc.solvers.npsvm.uzawa import solve_uzawa

RBF = make_kernel("rbf", gamma=0.5)


def world(seed, n0=120, n1=180, shift=1.2):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, 2)) + shift * y[:, None], y


def rule_holds(fit, constraint):
    excess = fit.rates.type1 - constraint.limit(fit.rates)
    return excess <= constraint.eps and fit.multiplier * max(0.0, -excess) <= constraint.eps


@pytest.mark.parametrize("solve", [solve_annealed, solve_uzawa])
@pytest.mark.parametrize("rate", ["ramp", "0-1"])
@pytest.mark.parametrize("update", ["multiplicative", "additive"])
@pytest.mark.parametrize("alpha", [0.02, 0.2])
def test_at_the_end_the_rule_of_stopping_holds(solve, rate, update, alpha):
    for seed in range(3):
        X, y = world(seed)
        constraint = made_constraint(y, alpha, rate=rate)
        fit = solve(X, y, constraint=constraint, kernel=RBF, C=2.0, update=update)
        assert fit.converged, fit.reason
        assert rule_holds(fit, constraint)
        assert constraint.measure(fit.decision, y) == fit.rates
        # KKT gap 1e-3; eps otherwise
        assert fit.certificate <= max(1e-3, constraint.eps)


def test_the_01_rate_with_the_least_tolerance_keeps_the_count_within_alpha():
    for seed in range(5):
        X, y = world(seed, n0=130)
        constraint = made_constraint(y, 0.05, rate="0-1", eps=1e-9)
        assert constraint.eps == 0.5 / 130
        fit = solve_annealed(X, y, constraint=constraint, kernel=RBF)
        # the rows within alpha = 6.5 of 130; a run that finds no multiplier gives back one that keeps them too
        assert (fit.decision[y == 0] > 0).sum() <= 6
    assert made_constraint(y, 0.05, rate="ramp", eps=1e-9).eps == 1e-9


def test_the_first_costs_are_equal_and_the_multiplier_is_their_ratio():
    X, y = world(0)
    constraint = made_constraint(y, 0.05)
    fit = solve_annealed(X, y, constraint=constraint, kernel=RBF, C=3.0)
    assert fit.history["multiplier"][0] == 120 / 180
    np.testing.assert_allclose(constraint.costs(y, 3.0, 120 / 180), 3.0)
    assert list(fit.history) == ["objective", "type1", "type2", "error1", "error2", "multiplier", "n_solves"]
    assert all(len(column) == fit.n_iter == len(fit.objective) for column in fit.history.values())


@pytest.mark.parametrize("of_discoveries", [False, True])
def test_the_excess_is_the_derivative_of_the_lagrangian_and_the_costs_are_its_coefficients(of_discoveries):
    X, y = world(1)
    constraint = made_constraint(y, 0.1, of_discoveries=of_discoveries)
    decision = X[:, 0] - 0.5
    rates = constraint.measure(decision, y)
    slope = (constraint.lagrangian(0.3, rates, 2.001) - constraint.lagrangian(0.3, rates, 1.999)) / 0.002
    assert slope == pytest.approx(constraint.excess(rates), rel=1e-9)
    # (7) or (13): the sum of costs times ramps is the Lagrangian, up to the constant
    C, lam = 4.0, 2.0
    ramps = np.clip((1.0 - np.where(y == 1, decision, -decision)) / 2, 0, 1)
    constant = -lam * (constraint.slope if of_discoveries else 0.1)
    total = constraint.costs(y, C, lam) @ ramps / (C * constraint.n1)
    assert total + constant == pytest.approx(constraint.lagrangian(0.0, rates, lam), rel=1e-12)


def test_q_values_use_the_ratio_of_the_classes():
    y = np.repeat([0, 1], [50, 200])
    constraint = made_constraint(y, 0.02, rate="0-1", of_discoveries=True)
    # 100 of 200 accepted: 2 of 50 negatives make 2 %
    scores = np.concatenate([np.repeat([1.0, -1.0], [2, 48]), np.repeat([1.0, -1.0], [100, 100])])
    assert constraint.excess(constraint.measure(scores, y)) == pytest.approx(0.0)
    nothing = constraint.measure(np.full(250, -1.0), y)
    assert constraint.excess(nothing) == 0.0
    assert not constraint.is_met(nothing, 1.0)
    assert constraint.relative_excess(nothing) == -1.0


@pytest.mark.parametrize("solve", [solve_annealed, solve_uzawa])
@pytest.mark.parametrize("gamma", [1e-12, 0.0001])
def test_a_function_that_discovers_nothing_is_no_solution(solve, gamma):
    # f is nearly a constant: at -1 + tiny all ramps are tiny, and so is what they add to both sides of the constraint
    X, y = world(3, n0=60, n1=80)
    constraint = made_constraint(y, 0.1, of_discoveries=True)
    fit = solve(X, y, constraint=constraint, kernel=make_kernel("rbf", gamma=gamma))
    assert (fit.decision[y == 1] > 0).any() or not fit.converged
    assert "nan" not in fit.reason


def test_for_q_values_the_counts_hold_at_the_end():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [200, 400])
    X = rng.normal(size=(600, 2))
    X[400:] += 2.5
    for rate in ("ramp", "0-1"):
        constraint = made_constraint(y, 0.05, rate=rate, of_discoveries=True)
        fit = solve_annealed(X, y, constraint=constraint, kernel=RBF)
        assert fit.converged, fit.reason
        assert rule_holds(fit, constraint)
        accepted = (fit.decision[y == 1] > 0).sum()
        assert accepted > 120
        # half a row, and for the ramp what it counts in part
        assert (fit.decision[y == 0] > 0).sum() <= 0.05 * accepted + (0.5 if rate == "0-1" else 2.0)


def test_an_inactive_constraint_ends_with_a_multiplier_of_almost_nothing():
    X, y = world(3, shift=30.0)
    constraint = made_constraint(y, 0.1)
    fit = solve_annealed(X, y, constraint=constraint, kernel="linear", C=100.0)
    assert fit.converged
    assert fit.rates.type1 < 0.05
    assert 0 < fit.multiplier * (0.1 - fit.rates.type1) <= constraint.eps


@pytest.mark.parametrize("solve", [solve_annealed, solve_uzawa])
def test_a_type_1_error_that_jumps_across_alpha_ends_the_run_and_says_so(solve):
    # all rows alike: f is a constant, which calls all class 0 or all class 1
    y = np.repeat([0, 1], [40, 60])
    fit = solve(np.zeros((100, 1)), y, constraint=made_constraint(y, 0.1), kernel="linear")
    assert not fit.converged
    assert "jumps between" in fit.reason
    assert "across its limit 0.1" in fit.reason
    # what is given back meets the constraint
    assert fit.rates.type1 <= 0.105


def test_at_the_limit_of_iterations_the_best_iterate_that_meets_the_constraint_comes_back():
    X, y = world(4)
    constraint = made_constraint(y, 0.05, eps=1e-7)
    fit = solve_annealed(X, y, constraint=constraint, kernel=RBF, max_iter=8)
    assert not fit.converged
    assert "max_iter=8" in fit.reason
    met = fit.history["type1"] <= 0.05 + 1e-7
    assert met.any()
    assert fit.penalty + fit.rates.ramp2 == fit.history["objective"][met].min()
    early = solve_annealed(X, y, constraint=constraint, kernel=RBF, max_iter=1)
    assert early.rates.type1 == early.history["type1"][0] > 0.06
    assert early.certificate >= early.rates.type1 - 0.05


def test_too_many_rows_given_up_are_taken_back():
    y = np.repeat([0, 1], [20, 20])
    taken = taken_back(made_constraint(y, 0.1), np.ones(40), y)
    assert taken.sum() == 0
    some = np.zeros(40)
    some[[0, 1, 25]] = 1
    np.testing.assert_array_equal(taken_back(made_constraint(y, 0.1), some, y), some)
    some[2] = 1
    assert np.flatnonzero(taken_back(made_constraint(y, 0.1), some, y)).tolist() == [25]


@pytest.mark.parametrize("seed", range(3))
def test_a_random_start_meets_the_constraint_too(seed):
    X, y = world(5)
    beta = np.random.default_rng(seed).integers(0, 2, len(y)).astype(float)
    constraint = made_constraint(y, 0.1)
    fit = solve_annealed(X, y, constraint=constraint, kernel=RBF, beta=beta)
    assert fit.converged
    assert rule_holds(fit, constraint)


def test_the_multiplier_doubles_at_most_and_the_gain_is_halved_when_the_sign_changes():
    multiplier = Multiplier(1.0, 1.0, "multiplicative")
    multiplier.move(50.0)
    assert multiplier.value == 2.0
    multiplier.move(-0.5)
    assert multiplier.value == pytest.approx(2.0 * (1 - 0.5 * 0.5))
    assert multiplier.sign_changes == 1
    constant = Multiplier(1.0, 0.2, "multiplicative", settle=False)
    for excess in (0.5, -0.5, 0.5, 0.5):
        constant.move(excess)
    np.testing.assert_allclose(constant.value, 1.1**3 * 0.9, rtol=1e-14)
    additive = Multiplier(2.0, 1.0, "additive")
    for _ in range(20):
        additive.move(-1.0)
    assert additive.value == 0.0
    additive.move(0.5)
    assert additive.value > 0


def test_the_scale_of_alpha_does_not_set_the_number_of_steps():
    for level in (0.001, 0.1):
        multiplier = Multiplier(1.0, 1.0, "multiplicative")
        constraint = made_constraint(np.repeat([0, 1], [10000, 10]), level)
        rates = Rates(1.3 * level, 0.5, 1.3 * level, 0.5, 1.3 * level, 0.5)
        multiplier.move(constraint.relative_excess(rates))
        assert multiplier.value == pytest.approx(1.3)


def test_compiled_and_plain_python_agree():
    X, y = world(6, n0=20, n1=30)
    constraint = made_constraint(y, 0.1)
    fits = [solve_annealed(X, y, constraint=constraint, kernel=RBF, tol=1e-8)]
    with plain_python():
        fits.append(solve_annealed(X, y, constraint=constraint, kernel=RBF, tol=1e-8))
    # rounding may lead the convex problems another way to the same point
    np.testing.assert_allclose(fits[0].decision, fits[1].decision, atol=1e-5)
