"""Normal thresholds: the violation rate is delta exactly for normal scores, and not for others."""

import warnings

import numpy as np
import pytest
from exactness import MeanDifference, assert_rate, assert_rate_above, linear_rule, rejects
from scipy import stats

from nproc import NPWarning, npc
from nproc.small_samples import normal_factor

N_SAMPLES = 40_000


def violations(draw, tail, n0, alpha, delta, seed, n_samples=N_SAMPLES):
    """How many of many samples give a threshold with a true type I error above alpha."""
    scores = draw(np.random.default_rng(seed), (n_samples, n0))
    values = scores.mean(axis=1) + normal_factor(n0, alpha, delta) * scores.std(axis=1, ddof=1)
    return int(np.sum(tail(values) > alpha)), tail(values)


@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.05, 0.2), (0.01, 0.1)])
@pytest.mark.parametrize("n0", [2, 5, 20, 50])
def test_the_violation_rate_of_normal_scores_is_delta(n0, alpha, delta):
    count, errors = violations(
        lambda rng, size: rng.normal(-3, 2, size), lambda t: stats.norm.sf(t, -3, 2), n0, alpha, delta, n0
    )
    assert_rate(count, N_SAMPLES, delta)
    factor = normal_factor(n0, alpha, delta)
    mean = stats.t.sf(factor / np.sqrt(1 + 1 / n0), n0 - 1)
    assert abs(errors.mean() - mean) < 4 * errors.std() / np.sqrt(N_SAMPLES)


def test_a_factor_from_the_normal_quantile_alone_would_be_found_out():
    scores = np.random.default_rng(1).normal(size=(N_SAMPLES, 20))
    values = scores.mean(axis=1) + stats.norm.isf(0.05) * scores.std(axis=1, ddof=1)
    assert rejects(np.sum(stats.norm.sf(values) > 0.05), N_SAMPLES, 0.05)


@pytest.mark.parametrize("n0", [5, 20, 50])
def test_the_promise_breaks_for_skewed_scores_and_more_rows_make_it_worse(n0):
    def draw(rng, size):
        return rng.exponential(size=size)

    count, _ = violations(draw, stats.expon.sf, n0, 0.05, 0.05, n0, 10_000)
    assert_rate_above(count, 10_000, 0.05)
    more, _ = violations(draw, stats.expon.sf, 4 * n0, 0.05, 0.05, n0, 10_000)
    assert_rate_above(more, 10_000, count / 10_000)


def test_heavy_tails_break_a_small_alpha():
    count, _ = violations(lambda rng, size: rng.standard_t(3, size), lambda t: stats.t.sf(t, 3), 50, 0.01, 0.05, 3)
    assert_rate_above(count, N_SAMPLES, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("n0", [10, 40, 90])
def test_end_to_end_under_the_model_of_linear_discriminant_analysis(n0, delta):
    rng = np.random.default_rng(n0)
    y = np.repeat([0, 1], [n0, 60])
    count, runs = 0, 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        for run in range(runs):
            # class 1 need not be normal
            X = np.vstack([rng.standard_normal((n0, 3)), 1 + rng.exponential(size=(60, 3))])
            fit = npc(
                X,
                y,
                MeanDifference(),
                alpha=0.02,
                delta=delta,
                small_sample="normal",
                random_state=run,
                split_ratio=0.5,
            )
            assert type(fit).__name__ == "NPSmallSampleFit"
            weights, intercept = linear_rule(fit.scorers[0], 3)
            count += stats.norm.sf((fit.thresholds[0] - intercept) / np.linalg.norm(weights)) > 0.02
    assert_rate(count, runs, delta)
