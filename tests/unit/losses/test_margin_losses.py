"""The losses that stand for the 0-1 loss: values and slopes."""

import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.losses import RampLoss, SigmoidLoss

LOSSES = [RampLoss(0.7), RampLoss(2.0), SigmoidLoss(1.5)]
Z = np.linspace(-6, 6, 1201) + 0.0003


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_derivative_is_that_of_the_value(loss):
    step = 1e-6
    numeric = (loss.value(Z + step) - loss.value(Z - step)) / (2 * step)
    # central differences lose half of the digits
    np.testing.assert_allclose(loss.derivative(Z), numeric, atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_stand_in_for_the_0_1_loss_falls_from_1_to_0_by_way_of_one_half(loss):
    assert loss.value(0.0) == 0.5
    assert np.all(np.diff(loss.value(Z)) <= 0)
    np.testing.assert_allclose([loss.value(-1e6), loss.value(1e6)], [1.0, 0.0], atol=1e-15)


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


@pytest.mark.parametrize("kind", [RampLoss, SigmoidLoss])
@pytest.mark.parametrize("width", [0.0, -1.0, np.inf, np.nan, True, "wide"])
def test_a_width_that_is_not_above_zero_is_refused(kind, width):
    with pytest.raises(InvalidInputError, match="must be a finite number above 0"):
        kind(width)
