"""The criterion, its dual and the optimality conditions, by themselves."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sparse_logistic_problems import dual_criterion

from nproc.losses import TruncatedLikelihood
from nproc.solvers.sparse_logistic.criterion import (
    FLAT,
    HINGE,
    LOGARITHM,
    kkt_violation,
    linear_stationarity,
    signs,
)

LOSS = TruncatedLikelihood(0.2, 0.6)
Y = np.array([1, 1, 1, 0, 0, 0])
# past the kink, on it, on the logarithm; for each class
FLOOR = LOSS.floor(Y)
MARGINS = -FLOOR + np.array([1.0, 0.0, -1.0, 2.0, 0.0, -2.0])
DECISION = signs(Y) * MARGINS
SETS = np.array([FLAT, HINGE, LOGARITHM, FLAT, HINGE, LOGARITHM])


@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.45, 0.7, 0.999])
def test_the_dual_of_a_row_is_the_least_of_its_loss_and_a_line(alpha, y):
    found = minimize_scalar(lambda z: float(LOSS.value(z, y)) + alpha * z, bounds=(-60, 60), options={"xatol": 1e-10})
    assert dual_criterion(np.array([alpha]), np.array([y]), LOSS, 0.0) <= found.fun + 1e-9
    kink = float(LOSS.value(-LOSS.floor(y), y) - alpha * LOSS.floor(y))
    assert dual_criterion(np.array([alpha]), np.array([y]), LOSS, 0.0) == pytest.approx(min(found.fun, kink), abs=1e-9)


def test_the_dual_without_kinks_is_the_entropy():
    alpha = np.array([0.0, 0.2, 0.9])
    entropy = -(0.2 * np.log(0.2) + 0.8 * np.log(0.8) + 0.9 * np.log(0.9) + 0.1 * np.log(0.1))
    assert dual_criterion(alpha, np.array([0, 1, 1]), TruncatedLikelihood(), 0.25) == pytest.approx(entropy - 0.25)


def exact_alpha():
    alpha = 1 / (1 + np.exp(MARGINS))
    alpha[[0, 3]] = 0.0
    # of those on the hinge one is fixed by (13)
    alpha[4] = 0.05
    alpha[1] = alpha[4] + alpha[5] - alpha[2]
    return alpha


def test_nothing_is_violated_where_all_conditions_hold():
    alpha = exact_alpha()
    assert 0 <= alpha[1] <= 1 / (1 + np.exp(-FLOOR[1]))
    assert kkt_violation(alpha, DECISION, Y, SETS, LOSS) < 1e-15


@pytest.mark.parametrize(("row", "shift"), [(0, -2.0), (1, 0.5), (2, 3.0), (5, -0.5)])
def test_a_margin_in_the_wrong_place_is_seen(row, shift):
    margins = MARGINS.copy()
    margins[row] += shift
    assert kkt_violation(exact_alpha(), signs(Y) * margins, Y, SETS, LOSS) > 0.05


@pytest.mark.parametrize(("row", "value"), [(0, 0.1), (1, -0.1), (1, 0.9), (2, 0.1), (5, 1.5)])
def test_an_alpha_out_of_its_bounds_is_seen(row, value):
    alpha = exact_alpha()
    alpha[row] = value
    assert kkt_violation(alpha, DECISION, Y, SETS, LOSS) > 0.05


def test_multipliers_that_do_not_balance_are_seen():
    alpha = exact_alpha()
    # within their bounds on the hinge
    alpha[1] -= 0.02
    assert kkt_violation(alpha, DECISION, Y, SETS, LOSS) == pytest.approx(0.02 / max(1.0, alpha.sum()))


def test_stationarity_does_not_depend_on_units():
    rng = np.random.default_rng(0)
    X, y, alpha = rng.normal(size=(8, 2)), np.repeat([0, 1], 4), rng.random(8)
    coef = X.T @ (signs(y) * alpha) / 0.5
    assert linear_stationarity(X, y, coef, alpha, 0.5) < 1e-15
    off = linear_stationarity(X, y, coef * 1.1, alpha, 0.5)
    assert off > 1e-3
    units = np.array([1e9, 1e-9])
    # lambda is per squared unit: with lambda = 0 units drop out altogether
    np.testing.assert_allclose(
        linear_stationarity(X * units, y, coef, alpha, 0.0), linear_stationarity(X, y, coef, alpha, 0.0)
    )


def test_rows_without_a_kink_belong_to_the_logarithm():
    loss = TruncatedLikelihood(0.0, 0.6)
    y, z = np.array([0, 1]), np.array([40.0, -1.0])
    alpha = 1 / (1 + np.exp(z))
    # (13), which these two rows do not meet, is all that is left
    found = kkt_violation(alpha, signs(y) * z, y, np.array([LOGARITHM, LOGARITHM]), loss)
    assert found == pytest.approx(alpha[1] - alpha[0])
    # a row that has no flat part cannot be called flat
    assert kkt_violation(alpha, signs(y) * z, y, np.array([FLAT, LOGARITHM]), loss) == np.inf


def test_a_decision_that_is_no_number_violates_everything():
    loss = TruncatedLikelihood(0.2, 0.6)
    y, alpha = np.array([0, 1]), np.array([0.3, 0.3])
    for code in (FLAT, HINGE, LOGARITHM):
        found = kkt_violation(alpha, np.full(2, np.nan), y, np.full(2, code), loss)
        assert not found <= 1e9
