"""Certificates from fresh class 0 rows hold with the exact binomial probability, for single rules and for votes."""

from functools import cache

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, rejects, vote_type1
from scipy import stats

from nproc import certify, npc
from nproc.fits import certification_size
from nproc.simulate import GaussianWorld

SETTINGS = [(n0, delta) for n0 in (60, 300, 1000) for delta in (0.05, 0.2)]
N_RUNS = 1500


def smallest_safe_count(n0, delta, type1):
    """The smallest count whose Clopper-Pearson bound is at least the type I error."""
    count = np.arange(n0 + 1)
    bounds = np.where(count < n0, stats.beta.ppf(1 - delta, count + 1, np.maximum(n0 - count, 1)), 1.0)
    return int(np.argmax(bounds >= type1))


def coverage(n0, delta, type1):
    return stats.binom.sf(smallest_safe_count(n0, delta, type1) - 1, n0, type1)


def is_above(cut):
    return lambda rows: (rows > cut).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "delta"), SETTINGS)
@pytest.mark.parametrize("type1", [0.03, 0.2])
def test_the_bound_of_a_fixed_rule_holds_at_its_exact_rate(n0, delta, type1):
    rule = is_above(stats.norm.isf(type1))
    rng = np.random.default_rng([n0, int(100 * delta), int(100 * type1)])
    bounds = [certify(rule, rng.standard_normal(n0), class0=0, delta=delta).type1_upper for _ in range(N_RUNS)]
    exact = coverage(n0, delta, type1)
    assert exact >= 1 - delta
    holds = np.sum(np.array(bounds) >= type1)
    assert_rate(holds, N_RUNS, exact)
    # one error too few in the count would be noticed where a count has much weight
    if n0 == 300 and type1 < 0.1:
        assert rejects(holds, N_RUNS, stats.binom.sf(smallest_safe_count(n0, delta, type1), n0, type1))


@pytest.mark.slow
def test_one_row_of_each_cluster_holds_at_the_exact_rate_and_all_rows_far_less_often():
    type1, clusters = 0.2, np.repeat(np.arange(60), 8)
    rule, rng = is_above(stats.norm.isf(type1)), np.random.default_rng(7)
    one, naive = [], []
    for _ in range(N_RUNS):
        rows = 0.9 * rng.standard_normal(60)[clusters] + np.sqrt(1 - 0.9**2) * rng.standard_normal(clusters.size)
        one.append(certify(rule, rows, class0=0, clusters=clusters).type1_upper)
        naive.append(certify(rule, rows, class0=0).type1_upper)
    exact = coverage(60, 0.05, type1)
    assert exact >= 0.95
    assert_rate(np.sum(np.array(one) >= type1), N_RUNS, exact)
    assert np.mean(np.array(naive) >= type1) < 0.85


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "delta"), SETTINGS)
def test_alpha_is_certified_of_a_rule_at_alpha_with_probability_at_most_delta(n0, delta):
    alpha = 0.1
    most = np.flatnonzero(stats.binom.cdf(np.arange(n0), n0, alpha) <= delta)
    exact = stats.binom.cdf(most.max(), n0, alpha) if most.size else 0.0
    assert exact <= delta
    rule = is_above(stats.norm.isf(alpha))
    rng = np.random.default_rng([n0, int(100 * delta), 7])
    hits = sum(
        certify(rule, rng.standard_normal(n0), class0=0, delta=delta, alpha=alpha).certified for _ in range(N_RUNS)
    )
    assert_rate(hits, N_RUNS, exact)


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "delta"), SETTINGS)
def test_the_best_of_several_certified_rules_is_safe_when_they_share_delta(n0, delta):
    # ten rules whose errors are a little above alpha: certifying any of them is a mistake
    alpha, cuts = 0.1, stats.norm.isf(np.linspace(0.1001, 0.11, 10))
    rng = np.random.default_rng([n0, int(100 * delta), 8])
    shared, alone = 0, 0
    n_runs = 60
    for _ in range(n_runs):
        rows = rng.standard_normal((n0, 10))
        for n_candidates in (1, 10):
            found = [
                certify(is_above(cut), rows[:, j], class0=0, delta=delta, alpha=alpha, n_candidates=n_candidates)
                for j, cut in enumerate(cuts)
            ]
            mistake = any(bound.certified for bound in found)
            shared, alone = (shared, alone + mistake) if n_candidates == 1 else (shared + mistake, alone)
    assert_rate_at_most(shared, n_runs, delta)
    # independent rows for each rule: without sharing about one in 1 - (1 - delta)^10 goes wrong
    assert alone > n_runs * delta


def ever_false(type1, level, n_looks):
    """P(the bound at this level is below the type I error after one row at least of n_looks): row by row, exact."""
    law, failed = np.ones(1), 0.0
    for n in range(1, n_looks + 1):
        law = np.append(law * (1 - type1), 0.0) + np.append(0.0, law * type1)
        # the bound is below the error where so few errors have a probability below the level
        false = stats.binom.cdf(np.arange(n + 1), n, type1) < level
        failed += law[false].sum()
        law[false] = 0.0
    return failed


@pytest.mark.slow
@pytest.mark.parametrize("n_candidates", [1, 3])
def test_a_look_after_each_row_breaks_the_bound_whatever_the_number_of_candidates(n_candidates):
    type1, delta, n_looks, n_runs = 0.1, 0.05, 300, 200
    exact = ever_false(type1, delta / n_candidates, n_looks)
    rng = np.random.default_rng(n_candidates)

    @cache
    def bound(n, n_errors):
        rows = np.arange(n) < n_errors
        return certify(np.array, rows, class0=False, delta=delta, n_candidates=n_candidates).type1_upper

    failed = 0
    for _ in range(n_runs):
        called1 = rng.random(n_looks) < type1
        n_errors = called1.cumsum().tolist()
        # an error raises the bound, so that it is false first after a row without one
        failed += any(bound(n + 1, n_errors[n]) < type1 for n in np.flatnonzero(~called1).tolist())
    assert_rate(failed, n_runs, exact)
    # a bound depends on the numbers of rows and errors alone
    found = certify(np.array, called1, class0=False, delta=delta, n_candidates=n_candidates)
    assert found.type1_upper == bound(n_looks, n_errors[-1])
    # the figures of the docstring
    assert ever_false(type1, delta / n_candidates, 1000) == pytest.approx({1: 0.272, 3: 0.116}[n_candidates], abs=5e-4)


@pytest.mark.parametrize("n_splits", [1, 3, 5])
def test_the_bound_of_a_vote_holds_at_its_exact_rate(n_splits):
    world = GaussianWorld([0, 0], [1.5, 1])
    sample = world.sample_classes(300, 300, 1)
    fit = npc(sample.X, sample.y, "lda", n_splits=n_splits, alpha=0.1, random_state=1, split_ratio=0.5)
    type1 = vote_type1(fit)
    n0, delta, n_runs = 200, 0.1, 1500
    rng = np.random.default_rng(n_splits)
    rows = rng.standard_normal((n_runs, n0, 2))
    predicted = fit.predict(rows.reshape(-1, 2)).reshape(n_runs, n0)
    bounds = np.array([certify(np.array, part, class0=0, delta=delta).type1_upper for part in predicted])
    assert fit.certify(rows[0], delta=delta).type1_upper == bounds[0]
    assert_rate(np.sum(bounds >= type1), n_runs, coverage(n0, delta, type1))


@pytest.mark.parametrize("n_errors", [0, 3])
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.3])
def test_the_planned_size_keeps_delta_and_one_row_less_would_not(alpha, delta, n_errors):
    n0 = certification_size(alpha, delta, n_errors=n_errors)
    rng = np.random.default_rng([n0, n_errors])
    counts = rng.binomial(n0, alpha, 20_000)
    assert_rate(np.sum(counts <= n_errors), 20_000, stats.binom.cdf(n_errors, n0, alpha))
    assert_rate_at_most(np.sum(counts <= n_errors), 20_000, delta)
    assert stats.binom.cdf(n_errors, n0 - 1, alpha) > delta
