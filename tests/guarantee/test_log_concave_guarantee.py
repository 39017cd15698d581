"""Thresholds under a log-concave tail: exact for exponential scores, at most delta for such tails, not for others."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_above, assert_rate_at_most, rejects
from scipy import stats

from nproc.small_samples import log_concave_factor

N_SAMPLES = 20_000
LOG_CONCAVE = {
    "normal": stats.norm(),
    "logistic": stats.logistic(),
    "Laplace": stats.laplace(),
    "uniform": stats.uniform(),
    "gumbel": stats.gumbel_r(),
}


def violations(law, n0, alpha, delta, seed):
    """How many of many samples give a threshold with a true type I error above alpha."""
    scores = np.sort(law.rvs((N_SAMPLES, n0), random_state=seed), axis=1)
    base, largest = scores[:, min(max(1, round(0.7 * n0)), n0 - 1) - 1], scores[:, -1]
    return int(np.sum(law.sf(largest + log_concave_factor(n0, alpha, delta) * (largest - base)) > alpha))


@pytest.mark.parametrize(("n0", "alpha", "delta"), [(2, 0.2, 0.1), (8, 0.1, 0.1), (20, 0.05, 0.05), (45, 0.05, 0.05)])
def test_the_violation_rate_of_exponential_scores_is_delta(n0, alpha, delta):
    assert_rate(violations(stats.expon(), n0, alpha, delta, n0), N_SAMPLES, delta)


def test_the_largest_score_alone_would_be_found_out():
    largest = np.random.default_rng(1).exponential(size=(N_SAMPLES, 20)).max(axis=1)
    assert rejects(np.sum(np.exp(-largest) > 0.05), N_SAMPLES, 0.05)


@pytest.mark.parametrize("name", LOG_CONCAVE)
@pytest.mark.parametrize(("n0", "alpha", "delta"), [(5, 0.1, 0.1), (20, 0.05, 0.05)])
def test_other_log_concave_tails_fail_no_more_often(name, n0, alpha, delta):
    assert_rate_at_most(violations(LOG_CONCAVE[name], n0, alpha, delta, 7), N_SAMPLES, delta)


def test_a_second_bump_far_out_breaks_the_promise_although_the_tail_is_bounded():
    rng = np.random.default_rng(4)
    shape = (N_SAMPLES, 20)
    bump = rng.random(shape) < 0.06
    scores = np.sort(np.where(bump, rng.uniform(8, 8.1, shape), rng.standard_normal(shape)), axis=1)
    cuts = scores[:, -1] + log_concave_factor(20, 0.05, 0.05) * (scores[:, -1] - scores[:, 13])
    type1 = 0.94 * stats.norm.sf(cuts) + 0.06 * stats.uniform(8, 0.1).sf(cuts)
    assert_rate_above(np.sum(type1 > 0.05), N_SAMPLES, 0.05)


def test_heavier_tails_break_the_promise():
    assert_rate_above(violations(stats.lognorm(1), 20, 0.05, 0.05, 3), N_SAMPLES, 0.05)
    assert_rate_above(violations(stats.t(2), 20, 0.05, 0.05, 3), N_SAMPLES, 0.05)
