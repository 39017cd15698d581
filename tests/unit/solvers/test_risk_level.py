"""Theorem 2.3: gamma, m_0, tau and the bounds from the formulas, what it refuses, and that its promises hold."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.losses.calibrated import CALIBRATED_LOSSES, CalibratedHingeLoss, LogisticLoss, MatsusitaLoss
from nproc.solvers.constrained.risk_level import least_mean_loss, theorem_level

LOGISTIC = LogisticLoss()


def logistic(z):
    return math.log1p(math.exp(-z))


def level(n0=10**7, n1=10**6, d=10, loss=LOGISTIC, alpha=0.4, delta=0.05, **options):
    return theorem_level(n0, n1, d, loss=loss, alpha=alpha, delta=delta, **options)


def test_each_number_is_that_of_its_equation():
    found = level()
    slope = 1.0 / (1.0 + math.exp(-1.0))
    gamma = 4.0 * slope * math.sqrt(2.0 * math.log(40.0 / 0.05))
    epsilon = logistic(1.0) / 0.4
    assert found.gamma == pytest.approx(gamma, rel=1e-12)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert found.least_n0 == math.ceil((4.0 * gamma / (0.4 * (1.0 - epsilon))) ** 2)
    assert found.tau == pytest.approx(0.4 - gamma / math.sqrt(10**7), rel=1e-12)
    excess = 4.0 * gamma * logistic(-1.0) / ((1.0 - epsilon) * 0.4 * math.sqrt(10**7)) + 2.0 * gamma / 1000.0
    assert found.type2_gap == pytest.approx(excess, rel=1e-12)
    assert found.type1_bound == pytest.approx(0.4 / math.log(2.0), rel=1e-12)
    assert found.level == 0.4
    assert found.confidence == pytest.approx(0.9)


def test_scaling_the_loss_to_one_at_zero_bounds_the_type_1_error_by_alpha():
    found = level(alpha=0.6, scaled=True)
    assert found.level == pytest.approx(0.6 * math.log(2.0), rel=1e-12)
    assert found.type1_bound == pytest.approx(0.6, rel=1e-12)
    # the same numbers as of the loss phi / phi(0) at alpha itself, in units of phi
    as_printed = level(alpha=0.6 * math.log(2.0))
    assert found.tau == pytest.approx(as_printed.tau, rel=1e-12)
    assert found.least_n0 == as_printed.least_n0
    assert found.type2_gap == pytest.approx(as_printed.type2_gap, rel=1e-12)


@pytest.mark.parametrize("name", ["logistic", "matsusita"])
def test_gamma_has_the_steepest_slope_of_the_loss_itself(name):
    loss = CALIBRATED_LOSSES[name]
    z = np.linspace(-1.0, 1.0, 20_001)
    steepest = np.abs(np.diff(loss.value(z)) / np.diff(z)).max()
    found = level(n0=10**8, loss=loss)
    assert found.gamma == pytest.approx(4.0 * steepest * math.sqrt(2.0 * math.log(40.0 / 0.05)), rel=1e-4)


@pytest.mark.parametrize("loss", [LogisticLoss(), MatsusitaLoss()])
def test_m_0_is_the_first_size_that_is_enough(loss):
    enough = level(loss=loss).least_n0
    found = level(n0=enough, loss=loss)
    # at m_0 the quarter of the way from alpha to the least risk is left to chance
    assert found.level - found.tau <= (found.level - found.epsilon * found.level) / 4.0
    with pytest.raises(TooFewSamplesError, match=rf"needs {enough} rows of class 0.*got {enough - 1}\."):
        level(n0=enough - 1, loss=loss)


def test_a_larger_least_risk_asks_for_more_rows():
    assert level(least_risk=0.35).least_n0 > level().least_n0
    # none can come below phi(1)
    assert level(least_risk=0.1).least_n0 == level().least_n0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"alpha": 0.1},
            r"alpha=0.1 cannot be reached.*between -1.*at least phi\(1\) = 0.3133, but at most.*alpha above 0.3133",
        ),
        ({"alpha": 0.313}, "cannot be reached"),
        (
            {"alpha": 0.45, "scaled": True},
            r"alpha=0.45 cannot be reached.*but at most alpha phi\(0\) = 0.3119 is required.*above 0.4519",
        ),
        ({"alpha": 0.2, "loss": MatsusitaLoss()}, r"phi\(1\) = 0.2071"),
        ({"least_risk": 0.5}, "loss of class 0 of at least 0.5, but at most 0.4 is required. Use an alpha above 0.5"),
        ({"loss": CalibratedHingeLoss()}, r"loss must be at least 0 on \[-1, 1\].*CalibratedHingeLoss.*phi\(0\) = 0"),
    ],
)
def test_what_the_theorem_does_not_cover_is_an_error(options, message):
    with pytest.raises(InvalidInputError, match=message):
        level(**options)


def test_the_mean_loss_is_within_gamma_of_the_expected_one_over_the_whole_ball():
    # rows are the corners of a square with known probabilities, so that the expected loss is a sum
    rng = np.random.default_rng(0)
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    mass = np.array([0.4, 0.3, 0.2, 0.1])
    turn = np.linspace(0.0, 1.0, 41)
    ball = np.concatenate([np.column_stack([s * turn, t * (1.0 - turn)]) for s in (1, -1) for t in (1, -1)])
    losses = LOGISTIC.value(-ball @ corners.T)
    gamma = 4.0 * -float(LOGISTIC.derivative(-1.0)) * math.sqrt(2.0 * math.log(4.0 * 2 / 0.05))
    shares = rng.multinomial(400, mass, size=2000) / 400
    worst = np.abs((shares - mass) @ losses.T).max(axis=1)
    # a uniform bound for every law is loose for one: no more than delta, and in fact never
    assert np.mean(worst > gamma / np.sqrt(400)) <= 0.05


@pytest.mark.parametrize("loss", [LogisticLoss(), MatsusitaLoss()])
def test_the_least_mean_loss_is_that_of_a_general_optimiser(loss):
    rng = np.random.default_rng(1)
    X0 = rng.uniform(-1.0, 1.0, size=(60, 4)) + np.array([0.2, -0.1, 0.0, 0.0])

    def mean_loss(parts):
        return float(loss.value(-X0 @ (parts[:4] - parts[4:])).mean())

    oracle = minimize(
        mean_loss,
        np.zeros(8),
        bounds=[(0.0, None)] * 8,
        constraints={"type": "ineq", "fun": lambda parts: 0.7 - parts.sum()},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    found = least_mean_loss(X0, loss=loss, radius=0.7, tol=1e-9)
    assert found == pytest.approx(oracle.fun, abs=1e-7)
    assert least_mean_loss(sparse.csr_array(X0), loss=loss, radius=0.7, tol=1e-9) == pytest.approx(found, abs=1e-9)


def test_a_column_as_large_as_the_box_reaches_the_floor_of_the_loss():
    rng = np.random.default_rng(2)
    X0 = np.column_stack([rng.uniform(-2.0, 2.0, size=(50, 2)), np.full(50, 2.0)])
    assert least_mean_loss(X0, loss=LOGISTIC, radius=0.5, tol=1e-9) == pytest.approx(logistic(1.0), abs=1e-8)
