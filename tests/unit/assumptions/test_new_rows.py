"""New class 0 rows: the law of their number above the threshold, and the distance of two distributions."""

from math import comb

import numpy as np
import pytest
from scipy.stats import betabinom, hypergeom, ks_2samp

from nproc.assumptions.new_rows import new_errors_test, new_scores_test, upper_tail


def exact_upper_tail(n_above, n_new, order, n0):
    """By counting: in how many orders of all scores do at least `n_above` new ones follow the k-th left-out one?"""
    # j new scores lie below the k-th left-out score, the others above
    ways = sum(comb(j + order - 1, j) * comb(n_new - j + n0 - order, n_new - j) for j in range(n_new - n_above + 1))
    return ways / comb(n0 + n_new, n_new)


@pytest.mark.parametrize(("n_new", "order", "n0"), [(7, 59, 59), (20, 291, 300), (30, 5, 9), (1, 3, 4)])
def test_the_tail_is_that_of_counting_all_orders(n_new, order, n0):
    for n_above in range(n_new + 1):
        wanted = exact_upper_tail(n_above, n_new, order, n0)
        found = upper_tail(n_above, n_new, order, n0)
        # on the safe side
        assert wanted <= found <= wanted * (1 + 1e-8)


def test_the_tail_is_that_of_the_beta_binomial_and_of_the_hypergeometric_law():
    found = upper_tail(30, 400, 291, 300)
    assert found == pytest.approx(betabinom(400, 10, 291).sf(29), rel=1e-8)
    # at least c new scores above: at most n0 - k left-out ones among the c + n0 - k largest
    assert found == pytest.approx(hypergeom(700, 300, 39).cdf(9), rel=1e-8)


def test_tails_far_out_and_of_many_rows_are_numbers():
    assert 0 < upper_tail(300, 400, 291, 300) < 1e-90
    assert upper_tail(50_000, 1_000_000, 9_544, 10_000) == pytest.approx(
        hypergeom(1_010_000, 10_000, 50_456).cdf(456), rel=1e-6
    )
    assert upper_tail(0, 10, 3, 5) == 1.0


def test_the_expected_share_is_the_mean_of_the_law():
    found = new_errors_test(3, 200, 291, 300)
    assert found.expected * 200 == pytest.approx(betabinom(200, 10, 291).mean())


def test_the_distance_is_that_of_kolmogorov_and_smirnov_and_equal_scores_stay_equal():
    rng = np.random.default_rng(1)
    known, fresh = rng.normal(size=80), rng.normal(0.5, 1, size=50)
    found, wanted = new_scores_test(known, fresh), ks_2samp(fresh, known, method="exact")
    assert (found.distance, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
    tied = new_scores_test(np.full(50, 0.3), np.full(40, 0.1 + 0.2))
    assert (tied.distance, tied.p_value) == (0.0, 1.0)


def test_many_scores_are_compared_by_the_asymptotic_law():
    rng = np.random.default_rng(2)
    known, fresh = rng.normal(size=1500), rng.normal(size=2500)
    assert new_scores_test(known, fresh).p_value == pytest.approx(ks_2samp(fresh, known).pvalue, abs=0.02)
