"""Tests of the order of scores: statistics by hand, exact p-values, and the martingale."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau, mannwhitneyu, rankdata, spearmanr

from nproc.assumptions.order import (
    MOST,
    centred_ranks,
    conformal_p_values,
    in_order,
    jumper_martingale,
    martingale_test,
    rank_tests,
)


def rng():
    return np.random.default_rng(7)


def test_ranks_are_those_of_scipy_with_ties_and_without_the_last_digits():
    scores = np.array([0.3, 0.1, 0.3 + 1e-15, 5.0, -2.0])
    wanted = 2 * rankdata([0.3, 0.1, 0.3, 5.0, -2.0]) - 6
    assert centred_ranks(scores).tolist() == wanted.tolist()
    assert centred_ranks(np.full(4, 2.0)).tolist() == [0, 0, 0, 0]
    assert centred_ranks(np.array([-1.7e308, 0.0, 1.7e308])).tolist() == [-2, 0, 2]


def test_one_score_far_out_ties_no_others():
    scores = rng().normal(size=200)
    scores[7], scores[8] = 1e11, scores[9] + 1e-15
    told = scores.copy()
    told[8] = told[9]
    assert centred_ranks(scores).tolist() == (2 * rankdata(told) - 201).tolist()
    # a clear trend stays one
    trend, _ = rank_tests(np.sort(scores), np.arange(200), 99, rng())
    assert (trend.correlation, trend.p_value) == (pytest.approx(1), 0.01)


def test_the_correlation_is_spearmans():
    scores, when = rng().normal(size=60).round(1), rng().integers(0, 9, size=60)
    scores, when = in_order(scores, when, rng())
    trend, _ = rank_tests(scores, when, 19, rng())
    assert trend.correlation == pytest.approx(spearmanr(when, scores).statistic, rel=1e-12)


@pytest.mark.slow
def test_the_p_value_of_a_trend_is_that_of_all_permutations():
    scores, when = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]), np.arange(6)
    found = abs(np.sum((when - 2.5) * scores))
    exact = np.mean([abs(np.sum((when - 2.5) * np.array(one))) >= found - 1e-9 for one in permutations(scores)])
    trend, _ = rank_tests(scores, when, 20_000, rng())
    assert trend.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


def test_a_change_is_found_where_it_is_and_told_as_by_mann_and_whitney():
    scores = np.concatenate([rng().normal(size=80), rng().normal(3, 1, size=40)])
    _, change = rank_tests(scores, np.arange(120), 99, rng())
    assert change.n_before == pytest.approx(80, abs=3)
    before, after = scores[: change.n_before], scores[change.n_before :]
    wanted = mannwhitneyu(after, before).statistic / (before.size * after.size)
    assert change.later_larger == pytest.approx(wanted, rel=1e-12)
    assert change.p_value == 0.01


def test_a_change_lies_between_two_times_and_not_within_one():
    when = np.repeat([2001, 2002, 2003], 20)
    scores, when = in_order(rng().normal(size=60) + 2 * (when == 2003), when, rng())
    _, change = rank_tests(scores, when, 99, rng())
    assert change.n_before == 40


def test_without_a_place_for_a_change_its_p_value_is_1():
    when = np.repeat([0, 1], [2, 40])
    _, change = rank_tests(rng().normal(size=42), when, 19, rng())
    assert (change.p_value, change.later_larger) == (1.0, 0.5)


def test_equal_scores_speak_for_nothing():
    trend, change = rank_tests(np.ones(50), np.arange(50), 19, rng())
    assert (trend.p_value, change.p_value, trend.correlation) == (1.0, 1.0, 0.0)


def test_scores_of_one_time_are_put_in_an_order_by_chance_and_many_are_thinned():
    when = np.zeros(MOST + 500, dtype=int)
    scores, times = in_order(np.arange(MOST + 500.0), when, rng())
    assert scores.size == times.size == MOST
    assert abs(kendalltau(np.arange(MOST), scores).statistic) < 0.03


def test_conformal_p_values_are_shares_of_larger_scores_up_to_each():
    scores = np.array([2.0, 1.0, 2.0, 3.0])
    u = np.random.default_rng(3).random(4)
    wanted = [u[0], (1 + u[1]) / 2, (2 * u[2]) / 3, u[3] / 4]
    assert conformal_p_values(scores, np.random.default_rng(3)).tolist() == pytest.approx(wanted)


def test_the_martingale_is_that_of_its_definition():
    p = rng().random(30)
    rates, bets = [1e-3, 1e-2], [-1.0, 0.0, 1.0]
    mean = np.zeros(30)
    for rate in rates:
        capital = [1 / 3] * 3
        for i, value in enumerate(p):
            total = sum(capital)
            capital = [(1 - rate) * part + rate / 3 * total for part in capital]
            capital = [part * (1 + bet * (value - 0.5)) for part, bet in zip(capital, bets, strict=True)]
            mean[i] += sum(capital) / 2
    assert np.exp(jumper_martingale(p)).tolist() == pytest.approx(mean.tolist(), rel=1e-12)


def test_the_martingale_has_mean_1_one_step_ahead():
    start = rng().random(10)
    ends = [jumper_martingale(np.append(start, p))[-1] for p in (np.arange(2000) + 0.5) / 2000]
    assert np.mean(np.exp(ends)) == pytest.approx(np.exp(jumper_martingale(start)[-1]), rel=1e-9)


def test_the_alarm_comes_where_the_evidence_reaches_1_over_the_level():
    scores = np.concatenate([rng().normal(size=100), rng().normal(2, 1, size=100)])
    found = martingale_test(scores, rng())
    at = found.alarm_at(0.05)
    assert at is not None
    assert 100 < at <= 200
    assert found.log_evidence[at - 1] >= np.log(20) > found.log_evidence[: at - 1].max()
    assert found.p_value == pytest.approx(1 / found.highest)
    assert martingale_test(rng().normal(size=200), rng()).alarm_at(0.001) is None


def test_evidence_beyond_the_largest_float_is_no_error():
    found = martingale_test(np.arange(3000.0), rng())
    assert found.highest == np.inf
    assert found.p_value == 0.0
