"""The truncated log-likelihood: what it is at both ends, its slopes."""

import numpy as np
import pytest
from scipy.special import expit

from nproc.errors import InvalidInputError
from nproc.losses import TruncatedLikelihood

Z = np.linspace(-6, 6, 1201) + 0.0003
INTERVALS = [(0.0, 1.0), (0.2, 0.6), (0.0, 0.3), (0.7, 1.0), (0.078, 0.1)]
LOSSES = [TruncatedLikelihood(*ends) for ends in INTERVALS]


@pytest.mark.parametrize("ends", INTERVALS)
@pytest.mark.parametrize("y", [0, 1])
def test_it_is_minus_the_log_of_the_probability_cut_off_at_the_ends(ends, y):
    p_min, p_max = ends
    f = Z if y == 1 else -Z
    p = expit(f)
    direct = -np.log(np.minimum(p, p_max)) if y == 1 else -np.log(np.minimum(1 - p, 1 - p_min))
    np.testing.assert_allclose(TruncatedLikelihood(p_min, p_max).value(Z, y), direct, rtol=1e-12)


@pytest.mark.parametrize("y", [0, 1])
def test_with_0_and_1_it_is_the_logistic_loss_to_the_last_digit(y):
    z = np.concatenate([Z, [-1e300, -800.0, 800.0, 1e300]])
    loss = TruncatedLikelihood()
    np.testing.assert_array_equal(loss.value(z, y), np.logaddexp(0.0, -z))
    np.testing.assert_array_equal(loss.derivative(z, y), -expit(-z))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("y", [0, 1])
def test_the_derivative_is_that_of_the_value(loss, y):
    step = 1e-6
    numeric = (loss.value(Z + step, y) - loss.value(Z - step, y)) / (2 * step)
    # central differences lose half of the digits
    np.testing.assert_allclose(loss.derivative(Z, y), numeric, atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("y", [0, 1])
def test_it_is_convex_and_falls(loss, y):
    value = loss.value(Z, y)
    assert np.diff(value, 2).min() > -1e-12
    assert np.diff(value).max() <= 1e-15


def test_classes_can_be_mixed_and_floors_are_those_of_the_paper():
    loss = TruncatedLikelihood(0.2, 0.6)
    y = np.array([1, 0, 1])
    np.testing.assert_allclose(loss.floor(y), [-np.log(1.5), np.log(0.25), -np.log(1.5)])
    z = np.array([-1.0, 0.5, 3.0])
    expected = [loss.value(z[0], 1), loss.value(z[1], 0), loss.value(z[2], 1)]
    np.testing.assert_array_equal(loss.value(z, y), expected)
    assert TruncatedLikelihood().floors == (-np.inf, -np.inf)


def test_values_far_out_are_finite_and_keep_their_tails():
    loss = TruncatedLikelihood()
    np.testing.assert_allclose(loss.value(700.0, 1), np.exp(-700.0), rtol=1e-12)
    np.testing.assert_allclose(loss.value(-1e300, 0), 1e300)
    part = TruncatedLikelihood(1e-300, 0.5)
    assert np.isfinite(part.value([-1e308, 1e308], 0)).all()
    assert part.value(1e308, 1) == np.log(2.0)


@pytest.mark.parametrize(("p_min", "p_max"), [(0.4, 0.4), (0.6, 0.2), (1.0, 1.0), (0.0, 0.0)])
def test_an_empty_interval_is_an_error(p_min, p_max):
    with pytest.raises(InvalidInputError, match="p_min must be smaller than p_max"):
        TruncatedLikelihood(p_min, p_max)


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, "0.5", None, True])
def test_an_end_outside_0_and_1_is_an_error(bad):
    with pytest.raises(InvalidInputError, match="p_max must be a number between 0 and 1"):
        TruncatedLikelihood(0.0, bad)
    with pytest.raises(InvalidInputError, match="p_min must be a number between 0 and 1"):
        TruncatedLikelihood(bad, 1.0)
