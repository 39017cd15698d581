"""The calibrated losses against differences, Assumption 1 and closed forms."""

import itertools
import math

import numpy as np
import pytest

from nproc.losses import CALIBRATED_LOSSES, CalibratedHingeLoss, LogisticLoss, MatsusitaLoss

LOSSES = list(CALIBRATED_LOSSES.values())
NAMES = list(CALIBRATED_LOSSES)
GRID = np.concatenate([np.linspace(-6, 6, 97), [-1e3, -40.0, 40.0, 1e3]])
HUGE = np.array([-1e300, -1e12, -1e3, 1e3, 1e12, 1e300])

each_loss = pytest.mark.parametrize("loss", LOSSES, ids=NAMES)


@each_loss
def test_the_derivative_is_that_of_the_value(loss):
    step = 1e-6
    slope = (loss.value(GRID + step) - loss.value(GRID - step)) / (2 * step)
    # differences of values near 1000 have an error of 1e-7
    np.testing.assert_allclose(loss.derivative(GRID), slope, atol=2e-7)


@each_loss
def test_the_second_derivative_is_that_of_the_derivative(loss):
    step = 1e-6
    away = GRID[np.abs(GRID) > 1e-3]
    curvature = (loss.derivative(away + step) - loss.derivative(away - step)) / (2 * step)
    np.testing.assert_allclose(loss.second_derivative(away), curvature, atol=1e-9)


@each_loss
def test_assumption_1_the_posterior_is_one_plus_the_slope_antisymmetric_increasing_and_in_the_unit_interval(loss):
    posterior = loss.posterior(GRID)
    np.testing.assert_allclose(loss.derivative(GRID), posterior - 1.0, atol=1e-15)
    np.testing.assert_allclose(posterior + loss.posterior(-GRID), 1.0, atol=1e-15)
    assert np.all((posterior >= 0) & (posterior <= 1))
    assert np.all(np.diff(loss.posterior(np.linspace(-6, 6, 97))) > 0)
    assert float(loss.posterior(0.0)) == 0.5


@each_loss
def test_the_curvature_at_zero_is_the_largest_second_derivative(loss):
    assert float(loss.second_derivative(0.0)) == pytest.approx(loss.curvature, rel=1e-15)
    assert np.all(loss.second_derivative(GRID) <= loss.curvature)


@each_loss
def test_the_loss_at_zero_and_both_slopes_there_are_as_stated(loss):
    assert float(loss.value(0.0)) == pytest.approx(loss.at_zero, abs=1e-16)
    step = 1e-7
    left = (loss.value(0.0) - loss.value(-step)) / step
    right = (loss.value(step) - loss.value(0.0)) / step
    assert left == pytest.approx(-0.5, abs=1e-6)
    assert right == pytest.approx(-0.5, abs=1e-6)


@each_loss
def test_the_loss_is_the_integral_of_the_posterior_minus_the_line(loss):
    # phi(b) - phi(a) = -(b - a) + the integral of f, by Gauss-Legendre quadrature on pieces
    nodes, weights = np.polynomial.legendre.leggauss(20)
    ends = np.array([-5.0, -2.0, 0.0, 1.5, 5.0])
    for low, high in itertools.pairwise(ends):
        points = 0.5 * (high - low) * nodes + 0.5 * (high + low)
        integral = 0.5 * (high - low) * float(weights @ loss.posterior(points))
        assert float(loss.value(high) - loss.value(low)) == pytest.approx(integral - (high - low), abs=1e-11)


@each_loss
def test_huge_margins_neither_overflow_nor_cancel(loss):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, slope, curve, posterior = (
            loss.value(HUGE),
            loss.derivative(HUGE),
            loss.second_derivative(HUGE),
            loss.posterior(HUGE),
        )
    for found in (value, slope, curve, posterior):
        assert np.isfinite(found).all()
    np.testing.assert_allclose(value[:2], [1e300, 1e12], rtol=1e-10)
    np.testing.assert_allclose(slope[:3], -1.0, atol=1e-2)


def test_small_tails_keep_their_digits():
    assert float(LogisticLoss().value(800.0)) == pytest.approx(math.exp(-700) * math.exp(-100), abs=1e-320)
    assert float(LogisticLoss().value(50.0)) == pytest.approx(math.exp(-50), rel=1e-15)
    assert float(MatsusitaLoss().value(1e8)) == pytest.approx(0.25e-8, rel=1e-15)
    assert float(MatsusitaLoss().derivative(1e8)) == pytest.approx(-0.25e-16, rel=1e-15)
    assert float(MatsusitaLoss().posterior(-1e8)) == pytest.approx(0.25e-16, rel=1e-15)
    assert float(CalibratedHingeLoss().derivative(1e8)) == pytest.approx(-1 / (1e8 + 2), rel=1e-15)


def test_the_printed_calibrated_hinge_is_not_the_one_here():
    def printed(t):
        return max(0.0, -t) - math.log(math.sqrt(2 + abs(t))) + math.log(2)

    step = 1e-7
    assert (printed(0) - printed(-step)) / step == pytest.approx(-0.75, abs=1e-6)
    assert (printed(step) - printed(0)) / step == pytest.approx(-0.25, abs=1e-6)
    for t in (-3.0, -0.5, 0.0, 2.0):
        corrected = max(0.0, -t) - math.log(2 + abs(t)) + math.log(2)
        assert float(CalibratedHingeLoss().value(t)) == pytest.approx(corrected, abs=1e-15)


@pytest.mark.parametrize("loss", [LogisticLoss(), MatsusitaLoss()], ids=["logistic", "matsusita"])
def test_over_its_value_at_zero_the_loss_bounds_the_0_1_loss_and_by_itself_it_does_not(loss):
    assert np.all(loss.value(GRID) / loss.at_zero >= (GRID <= 0))
    assert not np.all(loss.value(GRID) >= (GRID <= 0))
    assert loss.infimum == 0
    assert np.all(loss.value(GRID) >= 0)


def test_no_multiple_of_the_calibrated_hinge_bounds_the_0_1_loss():
    loss = CalibratedHingeLoss()
    assert float(loss.value(0.0)) == 0
    assert float(loss.value(1e-3)) < 0
    assert loss.infimum == -np.inf


@each_loss
def test_losses_take_integers_and_any_shape(loss):
    assert loss.value(np.array([[1, 2], [3, 4]])).shape == (2, 2)
    assert float(loss.value(1)) == float(loss.value(1.0))
