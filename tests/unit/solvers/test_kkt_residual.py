"""The KKT residual is 0 at optima only, whatever the units of the columns."""

import numpy as np
import pytest
from np_problems import overlapping
from scipy import sparse

from nproc.losses import LogisticLoss
from nproc.solvers.constrained.certificate import kkt_residual
from nproc.solvers.constrained.problem import ClassRisks, L1Ball, L2Ball, Nonnegative, WeightSets, sort_constraints
from nproc.solvers.constrained.solve import solve_constrained_np


def the_risks(X, y, tau, fit_intercept=True):
    m0 = int(np.sum(y == 0))
    return ClassRisks(X, y, LogisticLoss(), fit_intercept, np.full((1, m0), 1 / m0), np.array([tau]))


def residual_at(risks, sets, x, **more):
    return kkt_residual(risks, sets, x, risks.margins0(x), risks.margins1(x), **more)


@pytest.mark.parametrize(
    "constraints",
    [(), (L2Ball(0.3),), (L1Ball(0.4),), (Nonnegative(),), (L1Ball(0.3), Nonnegative()), (L2Ball(0.3), L1Ball(0.4))],
)
def test_it_vanishes_at_an_optimum_and_not_beside_it(constraints):
    X, y = overlapping(0)
    found = solve_constrained_np(X, y, tau=0.62, constraints=constraints, tol=1e-9)
    assert found.certificate <= 1e-9
    risks, sets = the_risks(X, y, 0.62), sort_constraints(constraints)[0]
    x = np.append(found.coef, found.intercept)
    rng = np.random.default_rng(0)
    direction = rng.normal(size=7) * np.append(1 / X.std(axis=0), 1.0)
    sizes = [residual_at(risks, sets, x + step * direction).largest for step in (1e-3, 1e-2, 1e-1)]
    # off a bound there is no multiplier, and the residual is as large as it can be
    assert min(sizes) > 1e-5
    assert constraints or sizes[0] < sizes[1] < sizes[2]


def test_it_does_not_depend_on_the_units_of_the_columns():
    X, y = overlapping(1)
    x = 0.1 * np.random.default_rng(0).normal(size=7)
    scale = np.array([1e-6, 1e-2, 1.0, 10.0, 1e3, 1e6])
    first = residual_at(the_risks(X, y, 0.5), WeightSets(), x)
    other = residual_at(the_risks(X * scale, y, 0.5), WeightSets(), np.append(x[:6] / scale, x[6]))
    assert other.largest == pytest.approx(first.largest, rel=1e-9)


def test_it_does_not_depend_on_the_origin_of_the_columns_where_an_intercept_makes_up_for_it():
    X, y = overlapping(1)
    x = 0.1 * np.random.default_rng(0).normal(size=7)
    first = residual_at(the_risks(X, y, 0.5), WeightSets(), x).largest
    for shift in (10.0, 1e3, 1e5):
        moved = np.append(x[:6], x[6] - shift * x[:6].sum())
        for rows in (X + shift, sparse.csr_array(X + shift)):
            assert residual_at(the_risks(rows, y, 0.5), WeightSets(), moved).largest == pytest.approx(first, rel=1e-4)
        without = residual_at(the_risks(X + shift, y, 0.5, fit_intercept=False), WeightSets(), x[:6] / shift)
        assert without.largest > 1e-3


def test_it_does_not_vanish_as_the_weights_grow_where_the_classes_are_separated():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    X[30:] += 7
    risks = the_risks(X, y, 0.3)
    for size in (1.0, 10.0, 60.0):
        assert residual_at(risks, WeightSets(), size * np.array([1.0, 1.0, -7.0])).largest > 0.05


def test_multipliers_are_those_of_the_solver():
    X, y = overlapping(0)
    found = solve_constrained_np(X, y, tau=0.62, constraints=(L2Ball(0.3),), tol=1e-10)
    risks, sets = the_risks(X, y, 0.62), WeightSets(l2=0.3)
    best = residual_at(risks, sets, np.append(found.coef, found.intercept))
    assert best.multipliers[0] == pytest.approx(found.multipliers["type1"], rel=1e-5)
    assert best.l2 == pytest.approx(found.multipliers["l2"], rel=1e-5)


def test_points_outside_have_a_residual():
    X, y = overlapping(0)
    x = np.append(np.full(6, 0.3), 2.0)
    found = residual_at(the_risks(X, y, 0.2), WeightSets(l2=0.1), x)
    assert found.feasibility > 1.0
    assert found.largest >= found.feasibility


def test_a_multiplier_times_a_slack_is_a_residual():
    X, y = overlapping(0)
    x = np.zeros(7)
    found = residual_at(the_risks(X, y, 3.0), WeightSets(), x, multipliers=(np.array([2.0]), 0.0, 0.0))
    # mean slope 1/2 at 0
    assert found.complementarity == pytest.approx(2.0 * (3.0 - np.log(2)) / 0.5)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gradients_and_hessians_are_those_of_differences(fit_intercept):
    X, y = overlapping(2)
    risks = the_risks(X, y, 0.5, fit_intercept)
    rng = np.random.default_rng(0)
    x, step = 0.2 * rng.normal(size=risks.dim), 1e-6
    lam = np.array([0.7])

    def lagrangian_gradient(u):
        return risks.gradient(risks.margins1(u)) + 0.7 * risks.risk_gradient(risks.margins0(u), 0)

    unit = np.eye(risks.dim)
    slopes = [
        (risks.objective(risks.margins1(x + step * e)) - risks.objective(risks.margins1(x - step * e))) / (2 * step)
        for e in unit
    ]
    np.testing.assert_allclose(risks.gradient(risks.margins1(x)), slopes, atol=1e-8)
    slopes = [
        (risks.risks(risks.margins0(x + step * e)) - risks.risks(risks.margins0(x - step * e)))[0] / (2 * step)
        for e in unit
    ]
    np.testing.assert_allclose(risks.risk_gradient(risks.margins0(x), 0), slopes, atol=1e-8)
    extra = rng.normal(size=(2, risks.dim))
    lower = risks.hessian(risks.row_weights(risks.margins0(x), risks.margins1(x), lam), extra)
    full = np.tril(lower) + np.tril(lower, -1).T - extra.T @ extra
    columns = [(lagrangian_gradient(x + step * e) - lagrangian_gradient(x - step * e)) / (2 * step) for e in unit]
    np.testing.assert_allclose(full, columns, atol=1e-7)


def test_the_spectral_constant_lies_between_the_true_one_and_the_trace():
    X, y = overlapping(3)
    risks = the_risks(X, y, 0.5)
    rows = np.column_stack([X[y == 1], np.ones(int(y.sum()))])
    true = 0.25 * np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1]
    assert true * 0.999 <= risks.spectral_constant() <= 1.011 * true
    assert risks.trace_constant() == pytest.approx(0.25 * np.mean(np.sum(rows**2, axis=1)))
    assert risks.spectral_constant() < risks.trace_constant()
