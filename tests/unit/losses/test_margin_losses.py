"""The losses of Figure 1: values, slopes, and differences of convex functions."""

import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.losses import AtanLoss, ErfLoss, HingeLoss, RampLoss, SigmoidLoss

LOSSES = [HingeLoss(), RampLoss(0.7), RampLoss(2.0), SigmoidLoss(1.5), AtanLoss(2.0), ErfLoss(0.8)]
Z = np.linspace(-6, 6, 1201) + 0.0003


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_derivative_is_that_of_the_value(loss):
    step = 1e-6
    numeric = (loss.value(Z + step) - loss.value(Z - step)) / (2 * step)
    # central differences lose half of the digits
    np.testing.assert_allclose(loss.derivative(Z), numeric, atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_parts_differ_by_the_loss_and_are_convex(loss):
    first, second = loss.dc_parts(Z)
    np.testing.assert_allclose(first - second, loss.value(Z), atol=1e-14)
    for part in (first, second):
        assert np.diff(part, 2).min() > -1e-12


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_slopes_of_the_parts_are_theirs(loss):
    step = 1e-6
    above, below = loss.dc_parts(Z + step), loss.dc_parts(Z - step)
    for k, slope in enumerate(loss.dc_derivatives(Z)):
        np.testing.assert_allclose(slope, (above[k] - below[k]) / (2 * step), atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES[1:], ids=repr)
def test_a_stand_in_for_the_0_1_loss_falls_from_1_to_0_by_way_of_one_half(loss):
    assert loss.value(0.0) == 0.5
    assert np.all(np.diff(loss.value(Z)) <= 0)
    # arctan approaches its limits like 1 / z
    np.testing.assert_allclose([loss.value(-1e6), loss.value(1e6)], [1.0, 0.0], atol=1e-6)


def test_the_ramp_is_equation_5():
    eta, z = 0.7, Z
    direct = np.maximum(0, (eta - z) / (2 * eta)) - np.maximum(0, -(eta + z) / (2 * eta))
    np.testing.assert_allclose(RampLoss(eta).value(z), direct, atol=1e-15)


def test_the_slope_of_the_ramp_is_zero_at_its_kinks():
    assert RampLoss(0.5).derivative([-0.5, 0.5]).tolist() == [0.0, 0.0]
    assert RampLoss(0.5).derivative([-0.49, 0.49]).tolist() == [-1.0, -1.0]


def test_the_sigmoid_keeps_its_tails():
    loss = SigmoidLoss(1.0)
    np.testing.assert_allclose(loss.value(700.0), np.exp(-700.0), rtol=1e-12)
    np.testing.assert_allclose(loss.derivative(-700.0), -np.exp(-700.0), rtol=1e-12)


def test_erf_and_arctan_keep_their_tails():
    np.testing.assert_allclose(ErfLoss(1.0).value(7.0), 2.0919128e-23, rtol=1e-6)
    # arctan(1 / z) = 1 / z to the third order
    np.testing.assert_allclose(AtanLoss(1.0).value(1e12), 1e-12 / np.pi, rtol=1e-12)


@pytest.mark.parametrize("kind", [RampLoss, SigmoidLoss, AtanLoss, ErfLoss])
@pytest.mark.parametrize("width", [0.0, -1.0, np.inf, np.nan, True, "wide"])
def test_a_width_that_is_not_above_zero_is_refused(kind, width):
    with pytest.raises(InvalidInputError, match="must be a finite number above 0"):
        kind(width)
