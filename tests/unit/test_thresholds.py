"""Tests of `nproc.thresholds`: the order statistic itself, ties, and the randomised rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nproc import np_order, np_threshold, type1_upper, violation_rate
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError

STEADY = settings(deadline=None, derandomize=True, max_examples=100)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
# few values: most samples have ties
SAMPLES = hnp.arrays(np.float64, st.integers(5, 80), elements=st.one_of(FINITE, st.sampled_from([-1.0, 0.0, 0.5])))


@given(scores0=SAMPLES)
@STEADY
def test_the_value_is_the_order_statistic_and_the_sample_is_not_changed(scores0):
    given_scores = scores0.copy()
    rule = np_threshold(np.append(scores0, np.nextafter(scores0[0], 1)), alpha=0.3, delta=0.2)
    in_order = np.sort(np.append(scores0, np.nextafter(scores0[0], 1)))
    assert rule.value == in_order[rule.order - 1]
    assert rule.order == np_order(scores0.size + 1, 0.3, 0.2)
    np.testing.assert_array_equal(scores0, given_scores)


@given(scores0=SAMPLES, seed=st.integers(0, 2**32))
@STEADY
def test_a_monotone_change_of_the_scores_moves_the_threshold_with_them(scores0, seed):
    rank = np.unique(scores0, return_inverse=True)[1].astype(float)
    if np.ptp(rank) == 0:
        return
    rule, ranked = (np_threshold(s, alpha=0.3, delta=0.2, ties="randomize", random_state=seed) for s in (scores0, rank))
    assert ranked.value == rank[scores0 == rule.value][0]
    assert ranked.tie_cut == rule.tie_cut


@given(scores0=SAMPLES)
@STEADY
def test_at_most_n_minus_k_class0_scores_are_called_class1_with_ties_too(scores0):
    rule = np_threshold(np.append(scores0, [0.0, 1.0]), alpha=0.3, delta=0.2)
    called = rule.predict(np.append(scores0, [0.0, 1.0])).sum()
    assert called <= rule.n0 - rule.order


def test_the_rule_is_strict_so_that_the_threshold_itself_is_class0():
    rule = np_threshold(np.arange(100.0))
    assert rule.predict([rule.value, np.nextafter(rule.value, np.inf)]).tolist() == [0, 1]


def test_the_threshold_carries_the_rate_and_bound_of_its_rank():
    rule = np_threshold(np.arange(100.0), alpha=0.1, delta=0.2)
    assert rule.violation_rate == violation_rate(rule.order, 100, 0.1) <= 0.2
    assert rule.type1_upper == type1_upper(rule.order, 100, 0.2) <= 0.1
    assert (rule.alpha, rule.delta, rule.n0, rule.tie_cut) == (0.1, 0.2, 100, None)


@given(scores0=SAMPLES, seed=st.integers(0, 1000))
@STEADY
def test_a_randomised_rule_differs_from_the_conservative_one_at_exact_ties_only(scores0, seed):
    scores0 = np.append(scores0, [0.0, 1.0])
    plain = np_threshold(scores0, alpha=0.3, delta=0.2)
    random = np_threshold(scores0, alpha=0.3, delta=0.2, ties="randomize", random_state=seed)
    assert (random.value, random.order) == (plain.value, plain.order)
    differ = random.predict(scores0, random_state=seed) != plain.predict(scores0)
    assert np.all(scores0[differ] == plain.value)
    assert 0 <= random.tie_cut <= 1


def test_a_randomised_rule_on_constant_scores_has_the_violation_rate_of_continuous_ones():
    # every score is tied, so that the type I error is 1 - tie_cut and its law can be compared with v(k)
    n0, alpha, delta, runs = 60, 0.05, 0.05, 1000
    rng = np.random.default_rng(0)
    rules = [
        np_threshold(np.zeros(n0), alpha=alpha, delta=delta, ties="randomize", random_state=rng) for _ in range(runs)
    ]
    exceed = np.mean([1 - rule.tie_cut > alpha for rule in rules])
    expected = violation_rate(60, n0, alpha)
    # two-sided, four standard errors: false alarm 6e-5, with the seed fixed in any case
    assert abs(exceed - expected) < 4 * np.sqrt(expected * (1 - expected) / runs)


def test_a_randomised_rule_calls_tied_points_class1_as_often_as_its_cut_says():
    rule = np_threshold(np.zeros(60), ties="randomize", random_state=1)
    called = rule.predict(np.zeros(100_000), random_state=2).mean()
    # four standard errors of a share of 100 000
    assert called == pytest.approx(1 - rule.tie_cut, abs=4 * 0.5 / np.sqrt(100_000))


def test_the_same_seed_gives_the_same_randomised_rule():
    rules = [np_threshold(np.zeros(60), ties="randomize", random_state=5) for _ in range(2)]
    assert rules[0] == rules[1]


def test_ties_below_the_threshold_do_not_matter():
    rule = np_threshold(np.r_[np.zeros(50), np.arange(1.0, 51.0)], ties="randomize", random_state=0)
    assert rule.value == np.sort(np.r_[np.zeros(50), np.arange(1.0, 51.0)])[rule.order - 1]


def test_all_scores_tied_warns_and_says_what_remains():
    with pytest.warns(NPWarning, match=r"all 60 left-out class 0 scores are tied at 2: .* or ties='randomize'"):
        rule = np_threshold(np.full(60, 2.0))
    assert rule.predict([2.0, 2.5]).tolist() == [0, 1]


def test_too_few_scores_are_an_error():
    with pytest.raises(
        TooFewSamplesError, match=r"n0=58 left-out class 0 scores cannot meet .* at least 59 are needed"
    ):
        np_threshold(np.arange(58.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "random"}, "ties must be one of 'conservative', 'randomize', got 'random'"),
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1, got 0"),
        ({"delta": 1.5}, r"delta must lie strictly between 0 and 1, got 1\.5"),
        ({"scores0": np.r_[np.arange(99.0), np.nan]}, "scores0 must be finite, got 1 NaN and 0 infinite"),
        ({"ties": "randomize", "random_state": "x"}, "random_state must be None"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        np_threshold(**{"scores0": np.arange(100.0), **arguments})


def test_scores_to_predict_must_be_finite():
    with pytest.raises(InvalidInputError, match="scores must be finite, got 1 NaN"):
        np_threshold(np.arange(100.0)).predict([np.nan])
