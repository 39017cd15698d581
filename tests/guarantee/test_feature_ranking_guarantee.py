"""Type I errors of the classifiers of a ranking, and intervals for averages over splits that share rows."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, exact_violation_rate
from scipy.stats import norm

from nproc import np_order, rank_features
from nproc.feature_ranking import averaged_error_bounds, log_density_ratio


@pytest.mark.slow
def test_the_classifier_of_one_split_exceeds_alpha_with_the_exact_probability():
    alpha, delta, n_left = 0.1, 0.2, 40
    order = np_order(n_left, alpha, delta)
    # quantiles of class 0, so that the type I error is the share of them above the threshold
    grid = norm.ppf((np.arange(4000) + 0.5) / 4000)
    broken, n_runs = 0, 600
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        # two bumps around class 0: no cut of the feature itself would do
        train1 = rng.normal(size=40) + rng.choice([-2.0, 2.0], 40)
        train0, left0 = rng.normal(size=40), rng.normal(size=n_left)
        scores = log_density_ratio(train0, train1, np.concatenate([left0, grid]))
        cut = np.sort(scores[:n_left])[order - 1]
        broken += np.mean(scores[n_left:] > cut) > alpha
    assert_rate(broken, n_runs, exact_violation_rate(n_left, order, alpha))


def one_sample(rng, n, n_splits, shift, order):
    """Return shares of missed rows, and true type II errors, of cuts at an order statistic in splits of one sample."""
    x0, x1 = rng.normal(size=n), shift + rng.normal(size=n)
    shares, errors = np.empty(n_splits), np.empty(n_splits)
    for j in range(n_splits):
        left0, left1 = rng.permutation(x0)[: n // 2], rng.permutation(x1)[: n // 2]
        cut = np.sort(left0)[order - 1]
        shares[j], errors[j] = np.mean(left1 <= cut), norm.cdf(cut - shift)
    return shares, errors


@pytest.mark.slow
@pytest.mark.parametrize("n_splits", [1, 2, 11])
def test_the_interval_holds_for_the_mean_error_of_splits_that_share_rows(n_splits):
    rng = np.random.default_rng(3)
    n, level, shift, n_runs = 80, 0.8, 1.2, 1500
    order = np_order(n // 2, 0.1, 0.1)
    runs = [one_sample(rng, n, n_splits, shift, order) for _ in range(n_runs)]
    shares, truth = np.array([run[0] for run in runs]), np.array([run[1].mean() for run in runs])
    means = shares.mean(axis=1)
    bounds = averaged_error_bounds(means, n // 2, level=level)
    assert_rate_at_most(np.sum((truth < bounds.lower) | (truth > bounds.upper)), n_runs, 1 - level)
    if n_splits > 2:
        # the interval from the spread over the splits is why there is another one
        half = norm.ppf((1 + level) / 2) * shares.std(axis=1, ddof=1) / np.sqrt(n_splits)
        assert np.mean(abs(means - truth) > half) > 1.5 * (1 - level)


@pytest.mark.slow
def test_the_interval_holds_for_a_world_in_which_all_splits_err_together():
    # each classifier is one of two, by a coin that all splits share, and the same rows are left out of all
    rng = np.random.default_rng(4)
    n, level, n_runs = 30, 0.8, 20_000
    errors = rng.choice([0.05, 0.5], n_runs)
    bounds = averaged_error_bounds(rng.binomial(n, errors) / n, n, level=level)
    assert_rate_at_most(np.sum((errors < bounds.lower) | (errors > bounds.upper)), n_runs, 1 - level)


@pytest.mark.slow
def test_the_best_of_many_useless_features_looks_better_than_it_is():
    # what the docstring warns of: alpha = .2, so that no useless feature misses less than .8 in the population
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 80)
    ranking = rank_features(rng.normal(size=(160, 400)), y, alpha=0.2, random_state=1)
    assert ranking.scores.min() < 0.78
    assert 0.8 < ranking.scores.mean() < 0.95
    assert np.mean(ranking.upper < 0.8) < 0.05
