"""Both errors of a rule with review: exact for continuous scores, both at once, and kept where ties and overlap try."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, exact_violation_rate, linear_rule, rejects, smallest_order
from scipy.stats import norm

from nproc import np_review, npc

ALPHA, BETA, DELTA = 0.1, 0.15, 0.1
N_RUNS = 4000


def errors_of(rule, centre):
    """The true errors of a rule on standard normal scores, class 1 shifted by `centre`."""
    low = rule.upper if rule.crossed else rule.lower
    return norm.sf(rule.upper), norm.cdf(low - centre)


def violations(centre, n0=90, n1=110):
    rng, found = np.random.default_rng(1), np.zeros((N_RUNS, 2), dtype=bool)
    for run in range(N_RUNS):
        rule = np_review(
            rng.normal(size=n0), rng.normal(centre, 1, size=n1), alpha=ALPHA, beta=BETA, delta0=DELTA, delta1=DELTA
        )
        type1, type2 = errors_of(rule, centre)
        found[run] = type1 > ALPHA, type2 > BETA
    return found


@pytest.mark.slow
def test_each_error_and_both_together_are_broken_exactly_as_often_as_said():
    # the cuts never cross, since the classes are the same
    found = violations(0.0)
    exact = [exact_violation_rate(n, smallest_order(n, level, DELTA), level) for n, level in ((90, ALPHA), (110, BETA))]
    for count, rate in zip(found.sum(axis=0), exact, strict=True):
        assert_rate(count, N_RUNS, rate)
    assert_rate(found.any(axis=1).sum(), N_RUNS, 1 - (1 - exact[0]) * (1 - exact[1]))
    # the check would see a rank that is off by one
    assert rejects(
        round(N_RUNS * exact_violation_rate(90, smallest_order(90, ALPHA, DELTA) - 1, ALPHA)), N_RUNS, exact[0]
    )


@pytest.mark.slow
@pytest.mark.parametrize("centre", [1.0, 2.2, 2.6, 4.0])
def test_cuts_that_sometimes_cross_keep_both_bounds(centre):
    found = violations(centre)
    assert_rate_at_most(found[:, 0].sum(), N_RUNS, DELTA)
    assert_rate_at_most(found[:, 1].sum(), N_RUNS, DELTA)
    assert_rate_at_most(found.any(axis=1).sum(), N_RUNS, 1 - (1 - DELTA) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0, 1, 2])
def test_ties_break_neither_bound(shift):
    # scores 0 to 4, class 1 shifted: whole steps of the distribution functions fall on the cuts
    weights = np.array([0.35, 0.3, 0.2, 0.1, 0.05])
    above0, below1 = 1 - np.cumsum(weights), np.concatenate([[0], np.cumsum(weights)])
    rng, found = np.random.default_rng(2), np.zeros((N_RUNS, 2), dtype=bool)
    for run in range(N_RUNS):
        scores0, scores1 = rng.choice(5, 80, p=weights), rng.choice(5, 90, p=weights) + shift
        rule = np_review(scores0, scores1, alpha=ALPHA, beta=BETA, delta0=DELTA, delta1=DELTA)
        called0 = np.arange(5 + shift)[rule.predict(np.arange(5 + shift)) == 0]
        type1 = above0[int(rule.upper)] if rule.upper < 5 else 0.0
        type2 = below1[max(0, min(5, int(called0.max(initial=-1)) + 1 - shift))]
        found[run] = type1 > ALPHA + 1e-12, type2 > BETA + 1e-12
    assert_rate_at_most(found[:, 0].sum(), N_RUNS, DELTA)
    assert_rate_at_most(found[:, 1].sum(), N_RUNS, DELTA)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the scores seem to have the wrong sign")
def test_npc_keeps_both_bounds_from_training_to_labels():
    n_data, found, y = 600, np.zeros((600, 2), dtype=bool), np.repeat([0, 1], [100, 100])
    exact = None
    for i in range(n_data):
        rows = np.random.default_rng([3, i]).normal(size=(200, 2)) + 0.4 * y[:, None]
        fit = npc(rows, y, "lda", alpha=0.2, delta=0.2, review_beta=0.2, split_ratio=0.5, random_state=i)
        weights, intercept = linear_rule(fit.scorers[0], 2)
        size, rule = np.linalg.norm(weights), fit.review_rules[0]
        low = rule.upper if rule.crossed else rule.lower
        type1 = norm.sf((rule.upper - intercept) / size)
        type2 = norm.cdf((low - intercept - 0.4 * weights.sum()) / size)
        found[i] = type1 > 0.2, type2 > 0.2
        exact = rule.violation_rate0, rule.violation_rate1
    assert_rate(found[:, 0].sum(), n_data, exact[0])
    assert_rate_at_most(found[:, 1].sum(), n_data, exact[1])
