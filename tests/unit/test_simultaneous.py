"""Bounds on all type I errors, or a whole distribution function, at once."""

import numpy as np
import pytest
from scipy.special import betainc, betaincc
from scipy.stats import binom

from nproc.errors import InvalidInputError
from nproc.orderstat import np_order, type1_upper
from nproc.simultaneous import (
    about_local_level,
    beta_quantile,
    beta_upper_quantile,
    inside_probability,
    local_bounds,
    local_level,
    simultaneous_cdf_bounds,
    simultaneous_order,
    simultaneous_type1_upper,
)


@pytest.mark.parametrize("level", [0.5, 0.05, 1e-4, 1e-9])
def test_beta_quantiles_have_their_tails_where_those_of_scipy_do_not(level):
    # SciPy's are wrong for many of these n, where a shape is exactly 1000
    n = np.concatenate([np.arange(1001.0, 1100), np.arange(10_080.0, 10_130), [21_131, 43_200, 87_300, 175_400, 1e6]])
    upper = beta_upper_quantile(1000, n - 999, level)
    np.testing.assert_allclose(betaincc(1000, n - 999, upper), level, rtol=1e-9)
    np.testing.assert_allclose(beta_quantile(n - 999, 1000, level), 1 - upper, rtol=1e-11, atol=1e-15)
    lower = beta_quantile(1000, n - 999, level)
    np.testing.assert_allclose(betainc(1000, n - 999, lower), level, rtol=1e-9)
    np.testing.assert_allclose(beta_upper_quantile(n - 999, 1000, level), 1 - lower, rtol=1e-11, atol=1e-15)


@pytest.mark.slow
def test_sizes_at_which_a_quantile_of_scipy_is_wrong_have_bounds_like_their_neighbours():
    bounds = type1_upper(np.arange(10_089, 0, -1), 10_089, 0.05)
    assert np.all(np.diff(bounds) > 0)
    assert local_level(10_089, 0.05) == pytest.approx(local_level(10_080, 0.05), rel=1e-3)


@pytest.mark.parametrize("n", [1, 2, 7, 59, 300])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-4])
@pytest.mark.parametrize("sides", [1, 2])
def test_the_local_level_uses_delta_up(n, delta, sides):
    level = local_level(n, delta, sides=sides)
    failure = 1 - inside_probability(*local_bounds(n, level, sides=sides))
    assert 0.999 * delta <= failure <= delta


def failure_by_transitions(lower, upper):
    """1 - P(all order statistics within their bounds): from bound to bound, by binomial transitions of the counts."""
    n = lower.size
    counts = np.arange(n + 1)
    law, now = np.eye(1, n + 1)[0], 0.0
    bounds = [(a, j - 1, False) for j, a in enumerate(lower, 1)] + [(b, j, True) for j, b in enumerate(upper, 1)]
    lost = 0.0
    for time, limit, is_floor in sorted(bounds, key=lambda bound: bound[0]):
        if time > now:
            share = (time - now) / (1 - now)
            law = law @ binom.pmf(counts[None, :] - counts[:, None], n - counts[:, None], share)
            now = time
        outside = counts < limit if is_floor else counts > limit
        lost += law[outside].sum()
        law[outside] = 0.0
    # what is lost is counted as it goes, and so keeps its digits where it is small
    return lost


DELTAS = [1e-6, 1e-4, 0.01, 0.05, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]


@pytest.mark.slow
@pytest.mark.parametrize("sides", [1, 2])
def test_the_local_level_keeps_its_promise_at_all_small_sizes_by_a_slow_count(sides):
    broken = []
    for n in [*range(1, 18), 25, 33, 50]:
        for delta in DELTAS:
            failure = failure_by_transitions(*local_bounds(n, local_level(n, delta, sides=sides), sides=sides))
            # the last digits of the count are rounded
            if not 0.999 * delta * (1 - 1e-9) <= failure <= delta * (1 + 1e-9):
                broken.append((n, delta, failure / delta))
    assert not broken


@pytest.mark.slow
@pytest.mark.parametrize("sides", [1, 2])
def test_the_local_level_keeps_its_promise_at_every_level(sides):
    broken = []
    for n in [*range(1, 51, 4), 1000]:
        for delta in [1e-8, *DELTAS, 1 - 1e-6]:
            failure = 1 - inside_probability(*local_bounds(n, local_level(n, delta, sides=sides), sides=sides))
            if not 0.999 * delta <= failure <= delta:
                broken.append((n, delta, failure / delta))
    assert not broken


@pytest.mark.parametrize("sides", [1, 2])
def test_a_large_sample_starts_from_smaller_ones_and_ends_at_its_own_level(sides):
    n, delta = 12_000, 0.03
    failure = 1 - inside_probability(*local_bounds(n, local_level(n, delta, sides=sides), sides=sides))
    assert 0.999 * delta <= failure <= delta
    assert about_local_level(n, delta, sides=sides) == pytest.approx(local_level(n, delta, sides=sides), rel=0.02)


def test_one_value_has_the_level_of_a_single_interval():
    assert local_level(1, 0.05, sides=1) == pytest.approx(0.05, rel=3e-3)
    assert local_level(1, 0.05, sides=2) == pytest.approx(0.025, rel=3e-3)


def test_a_tiny_delta_falls_back_to_bonferroni():
    assert local_level(50, 1e-12, sides=1) == pytest.approx(1e-12 / 50, rel=3e-3)


def test_the_two_sided_band_is_much_narrower_than_dkw_where_the_error_is_small():
    exact = np.diff(simultaneous_cdf_bounds([50], 1000, 0.05), axis=0)
    simple = np.diff(simultaneous_cdf_bounds([50], 1000, 0.05, method="dkw"), axis=0)
    assert (exact <= 0.55 * simple).all()


@pytest.mark.parametrize("n0", [59, 400])
def test_simultaneous_bounds_lie_above_the_pointwise_ones(n0):
    ranks = np.arange(1, n0 + 1)
    bounds = simultaneous_type1_upper(n0, 0.05)
    assert (bounds > type1_upper(ranks, n0, 0.05)).all()
    assert (np.diff(bounds) < 0).all()


@pytest.mark.parametrize("method", ["berk_jones", "dkw"])
def test_the_order_is_the_smallest_rank_whose_bound_is_at_most_alpha(method):
    bounds = simultaneous_type1_upper(200, 0.1, method=method)
    alphas = np.array([1e-6, 0.02, 0.05, bounds[180], 0.3, 0.999])
    expected = [next((k for k in range(1, 201) if bounds[k - 1] <= a), 201) for a in alphas]
    assert simultaneous_order(200, alphas, 0.1, method=method).tolist() == expected


def test_the_simultaneous_order_is_larger_than_that_of_one_alpha():
    for alpha in (0.02, 0.05, 0.1):
        assert simultaneous_order(1000, alpha, 0.05) > np_order(1000, alpha, 0.05)


def test_bounds_of_the_distribution_function_are_those_of_its_order_statistics():
    n, delta = 12, 0.1
    lower, upper = simultaneous_cdf_bounds(np.arange(n + 1), n, delta)
    below, above = local_bounds(n, local_level(n, delta, sides=2))
    assert lower.tolist() == [0, *below]
    assert upper.tolist() == [*above, 1]


@pytest.mark.parametrize("n", [20, 100, 500])
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_the_whole_function_leaves_its_bounds_as_often_as_it_says(n, delta):
    """The exact failure is between 0.999 delta and delta; the count of failures is tested on both sides."""
    rng = np.random.default_rng(n)
    repeats = 4000
    points = np.sort(rng.uniform(size=(repeats, n)), axis=1)
    counts = np.arange(n + 1)
    lower, upper = simultaneous_cdf_bounds(counts, n, delta)
    # of a uniform law F(t) = t: just before the next value t is largest, at a value smallest
    ends = np.hstack([points, np.ones((repeats, 1))])
    starts = np.hstack([np.zeros((repeats, 1)), points])
    failures = np.any((starts < lower) | (ends > upper), axis=1).sum()
    spread = np.sqrt(repeats * delta * (1 - delta))
    assert abs(failures - repeats * delta) < 4 * spread


def test_ties_make_the_bounds_conservative():
    rng = np.random.default_rng(5)
    n, delta, repeats = 50, 0.2, 2000
    scores = np.sort(rng.integers(0, 6, size=(repeats, n)), axis=1)
    type1 = 1 - (scores + 1) / 6  # P(score > threshold) of the uniform law on 0, ..., 5
    failures = np.any(type1 > simultaneous_type1_upper(n, delta), axis=1).sum()
    assert failures <= repeats * delta


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: local_level(0, 0.05), "n must be"),
        (lambda: local_level(10, 1.5), "delta must lie strictly between 0 and 1"),
        (lambda: local_level(10, 0.05, sides=3), "sides must be 1 or 2"),
        (lambda: simultaneous_type1_upper(10, 0.6, method="dkw"), "delta of at most 1/2"),
        (lambda: simultaneous_type1_upper(10, 0.05, method="ks"), "method must be one of"),
        (lambda: simultaneous_order(10, [0.1, 1.0], 0.05), "alpha must lie strictly between"),
        (
            lambda: simultaneous_order(10, [0.1, "x"], 0.05),
            r"alpha must hold numbers between 0 and 1, got dtype",
        ),
        (lambda: simultaneous_cdf_bounds([11], 10), "whole numbers from 0 to n=10"),
        (lambda: simultaneous_cdf_bounds([0.5], 10), "whole numbers from 0 to n=10"),
    ],
)
def test_bad_arguments_are_named(call, match):
    with pytest.raises(InvalidInputError, match=match):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "delta", "sides"), [(17_000, 0.05, 1), (17_001, 0.3, 2), (20_000, 1e-5, 1), (20_000, 1e-7, 1)]
)
def test_the_level_that_splines_find_is_right_for_the_exact_bounds(n, delta, sides):
    failure = 1 - inside_probability(*local_bounds(n, local_level(n, delta, sides=sides), sides=sides))
    # the probability itself is known to about 1e-12
    assert 0.999 * delta - 1e-11 <= failure <= delta + 1e-11
