"""Tests of `nproc.bands.joint_region`: its probability, its extremes against a grid, and what it gains."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from nproc.bands.joint_region import AXIS, largest_log_ratio, region_levels

DELTAS = (1e-12, 1e-3, 0.05, 0.5, 0.9, 0.999)


@pytest.mark.parametrize("delta", DELTAS)
def test_two_uniform_p_values_leave_the_region_with_probability_delta(delta):
    a, c = region_levels(delta)
    # P(p2 < h(p1)), on the three pieces of h
    inside, _ = integrate.quad(lambda u: c / u, a, c / a, epsabs=0, epsrel=1e-12)
    np.testing.assert_allclose(a + inside + a * (1 - c / a), delta, rtol=1e-10)


def some_laws(n, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 3000, (2, n))
    order, missed = 1 + (rng.random(n) * sizes[0]).astype(int), (rng.random(n) * (sizes[1] + 1)).astype(int)
    first, second = (sizes[0] + 1.0 - order, 1.0 * order), (missed + 1.0, 1.0 * (sizes[1] - missed))
    return first, second


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-140, 1e-30, 1e-18, *DELTAS])
def test_the_bound_is_never_below_the_largest_value_in_the_region_and_hardly_above(delta):
    a, c = region_levels(delta)
    # each law has a column of the grid
    first, second = some_laws(200 if delta > 1e-15 else 40, seed=0)
    found = largest_log_ratio(first, second, delta)
    assert np.all(np.isposinf(found[second[1] == 0]))
    # the smaller delta, the longer the curve on which the maximum lies
    levels = np.geomspace(a, c / a, 2001 if delta > 1e-15 else 20001)[:, None]
    some = second[1] > 0
    (a1, b1), (a2, b2) = [(x[some], y[some]) for x, y in (first, second)]
    grid = np.log(special.betainccinv(a1, b1, levels)) - np.log(special.betaincinv(b2, a2, c / levels))
    away = found[some] - grid.max(axis=0)
    assert np.all(away >= 0)
    assert np.all(away < (1e-7 if delta > 1e-15 else 1e-5))


def test_the_other_pairs_of_levels_in_the_region_give_smaller_values():
    a, c = region_levels(0.05)
    first, second = some_laws(50, seed=1)
    second = (second[0], np.maximum(second[1], 1))
    found = largest_log_ratio(first, second, 0.05)
    levels = np.random.default_rng(2).random((3000, 2))
    levels = levels[(levels.min(axis=1) >= a) & (levels.prod(axis=1) >= c)]
    for u1, u2 in levels.tolist():
        assert np.all(np.log(special.betainccinv(*first, u1)) - np.log(special.betaincinv(*second[::-1], u2)) < found)


def test_a_quantile_that_is_one_takes_the_other_at_its_smallest_level():
    a, _ = region_levels(0.1)
    found = largest_log_ratio((np.array([51.0]), np.array([0.0])), (np.array([6.0]), np.array([45.0])), 0.1)
    np.testing.assert_allclose(found, -np.log(1 - stats.beta.isf(a, 6, 45)), atol=1e-8)


def test_the_corner_gains_a_fifth_and_the_axes_lose_two_per_cent():
    a, c = region_levels(0.05)
    rectangle = stats.norm.isf(1 - np.sqrt(0.95))
    assert 1 < stats.norm.isf(a) / rectangle < 1.025
    assert 0.77 < stats.norm.isf(np.sqrt(c)) / rectangle < 0.79
    np.testing.assert_allclose(a, AXIS * (1 - np.sqrt(0.95)))


def test_a_quantile_that_rounds_to_one_does_not_hide_the_maximum():
    a, c = region_levels(1e-30)
    for n0 in (182, 10**4, 10**8):
        first, second = (np.array([n0 - 1.0]), np.array([2.0])), (np.array([351.0]), np.array([769.0]))
        found = largest_log_ratio(first, second, 1e-30)
        levels = np.geomspace(a, c / a, 4001)
        below = special.betaincinv(2.0, n0 - 1.0, levels)
        grid = np.log1p(-below) - np.log(special.betaincinv(769.0, 351.0, c / levels))
        assert 0 <= found[0] - grid.max() < 1e-6
