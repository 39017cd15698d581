"""Smooth stand-ins for truncated losses: slopes, curvature, and what they are at the kinks."""

import numpy as np
import pytest
from scipy.special import expit

from nproc.losses import TruncatedLikelihood
from nproc.solvers.sparse_logistic.newton import TruncatedRows

LOSS = TruncatedLikelihood(0.2, 1.0)
Y = np.tile([0, 1], 200)
EXPONENTS = np.linspace(-4, 4, 400)


def some_rows(elbow=0.3):
    return TruncatedRows(LOSS.floor(Y), elbow)


def everywhere(rows, exponents):
    at = rows.at(exponents)
    alpha, weights = np.zeros(400), np.zeros(400)
    alpha[at.rows], weights[at.rows] = at.alpha, rows.weights(at)
    return rows.value(at), alpha, weights


def test_rows_past_their_elbows_are_left_out():
    rows = some_rows()
    left = np.setdiff1d(np.arange(400), rows.at(EXPONENTS).rows)
    np.testing.assert_array_equal(left, np.flatnonzero((Y == 0) & (LOSS.floor(0) - EXPONENTS >= 0.3)))


@pytest.mark.parametrize("sharpened", [False, True])
def test_slopes_and_curvature_are_those_of_the_sum(sharpened):
    rows, step = some_rows(), 1e-5
    if sharpened:
        rows.centre(rows.multipliers(rows.at(EXPONENTS + 0.05)), 0.1)
    direction = np.random.default_rng(0).normal(size=400)
    _, alpha, weights = everywhere(rows, EXPONENTS)
    up, down = everywhere(rows, EXPONENTS + step * direction), everywhere(rows, EXPONENTS - step * direction)
    assert alpha @ direction == pytest.approx((up[0] - down[0]) / (2 * step), rel=1e-6)
    # no row passes the end of an elbow within the step
    np.testing.assert_allclose(weights * direction, (up[1] - down[1]) / (2 * step), atol=1e-6)


def test_the_loss_is_the_truncated_one_and_far_from_the_elbows_so_are_the_slopes():
    rows = some_rows()
    assert rows.loss(EXPONENTS) == pytest.approx(LOSS.value(-EXPONENTS, Y).sum(), rel=1e-13)
    alpha = everywhere(rows, EXPONENTS)[1]
    far = np.abs(EXPONENTS - LOSS.floor(Y)) > 0.3
    np.testing.assert_allclose(alpha[far], -LOSS.derivative(-EXPONENTS, Y)[far], atol=1e-15)


def test_a_multiplier_that_is_right_needs_no_narrow_elbow():
    # min over x of h max(0, x - f) - a x is at the kink for 0 < a < h, whatever the width
    rows = some_rows()
    floor, a = LOSS.floor(Y), np.where(Y == 0, 0.07, 0.0)
    for width in (1.0, 0.01):
        rows.centre(a, width)
        at = rows.at(np.where(Y == 0, floor, 0.0))
        np.testing.assert_allclose(at.alpha[Y[at.rows] == 0], 0.07, atol=1e-15)
    assert rows.gap(at)[:2] == (0.0, 0.0)
    alpha, sets = rows.alpha_and_sets(at, rows.multipliers(at))
    np.testing.assert_allclose(alpha, np.where(Y == 0, 0.07, 0.5), atol=1e-15)
    np.testing.assert_array_equal(sets, np.where(Y == 0, 1, 2))


def test_without_kinks_it_is_the_logistic_loss_to_the_last_digit():
    rows = TruncatedRows(np.full(5, -np.inf), 0.1)
    exponents = np.array([-700.0, -1.0, 0.0, 1.0, 700.0])
    at = rows.at(exponents)
    np.testing.assert_array_equal(at.alpha, expit(exponents))
    assert rows.loss(exponents) == np.logaddexp(0.0, exponents).sum()
    far = rows.at(np.full(5, -2000.0))
    assert far.rows.size == 0
    # a loss that has become nothing is still on the logarithm
    assert rows.alpha_and_sets(far, rows.multipliers(far))[1].tolist() == [2] * 5
