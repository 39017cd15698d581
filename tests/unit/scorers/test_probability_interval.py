"""Intervals of probabilities from costs and from a level alpha: the ends are what the docstrings say."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from nproc.errors import InvalidInputError
from nproc.scorers.papers.probability_interval import (
    interval_from_alpha,
    interval_from_costs,
    out_of_fold,
    threshold_from_costs,
)


def test_the_threshold_is_where_both_calls_cost_the_same():
    threshold = threshold_from_costs(3.0, 5.0)
    assert (1 - threshold) * 3.0 == pytest.approx(threshold * 5.0, rel=1e-14)
    assert threshold_from_costs(1, 1) == 0.5
    # only the ratio counts, however large both are
    assert threshold_from_costs(3e300, 5e300) == pytest.approx(threshold, rel=1e-14)


def test_the_interval_from_costs_holds_the_thresholds_of_all_ratios_within_the_factor():
    interval = interval_from_costs(1.0, 9.0, factor=2.0)
    assert interval.p_min == pytest.approx(threshold_from_costs(1.0, 18.0), rel=1e-14)
    assert interval.p_max == pytest.approx(threshold_from_costs(2.0, 9.0), rel=1e-14)
    assert interval.p_min < interval.threshold < interval.p_max


@pytest.mark.parametrize(("low", "high"), [(0.078, 0.10), (0.048, 0.158), (0.029, 0.241), (0.01, 0.475), (0.004, 0.72)])
def test_the_intervals_of_table_3_are_centred_at_the_share_of_positives_on_the_logit_scale(low, high):
    # not on the logarithmic one, as the text has it: sqrt(0.004 * 0.72) is 5.4 %
    factor = np.exp((logit(high) - logit(low)) / 2)
    interval = interval_from_costs(0.088, 0.912, factor=float(factor))
    assert interval.p_min == pytest.approx(low, rel=0.06)
    assert interval.p_max == pytest.approx(high, rel=0.03)


def test_shares_of_class_0_rows_above_the_ends_are_those_of_the_level():
    p = np.random.default_rng(0).random(1000)
    interval = interval_from_alpha(p, 0.1, factor=2.0)
    assert np.mean(p > interval.threshold) == 0.1
    assert np.mean(p > interval.p_min) == 0.2
    assert np.mean(p > interval.p_max) == 0.05


def test_the_threshold_from_alpha_tends_to_the_posterior_of_the_neyman_pearson_test():
    rng = np.random.default_rng(1)
    x = rng.standard_normal(200_000)
    # class 1 at 2, prior 0.3: the test of level 0.05 rejects above 1.645
    posterior = 1 / (1 + np.exp(-(logit(0.3) + 2 * x - 2)))
    exact = 1 / (1 + np.exp(-(logit(0.3) + 2 * stats.norm.isf(0.05) - 2)))
    assert interval_from_alpha(posterior, 0.05).threshold == pytest.approx(exact, abs=0.01)


def test_levels_that_no_rows_tell_leave_the_end_open():
    p = np.linspace(0.1, 0.9, 20)
    assert interval_from_alpha(p, 0.06, factor=2.0).p_max == 1.0
    assert interval_from_alpha(p, 0.5, factor=2.0).p_min == 0.0
    assert interval_from_alpha(p, 0.01).threshold == 0.9


def test_rows_that_crowd_at_one_probability_still_give_an_interval():
    for value in (0.0, 1e-9, 0.4, 1.0 - 1e-12, 1.0):
        interval = interval_from_alpha(np.full(50, value), 0.1)
        assert 0.0 < interval.p_min < interval.threshold < interval.p_max <= 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval_from_costs(0, 1), "cost0 must be a finite number above 0, got 0"),
        (lambda: interval_from_costs(1, -2.0), "cost1 must be a finite number above 0, got -2.0"),
        (lambda: interval_from_costs(1e-300, 1e300), "too far apart"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_no_row_is_scored_by_a_model_that_saw_it():
    y = np.repeat([0, 1], [12, 9])
    seen = []

    def pilot(trained, left_out):
        assert set(y[trained]) == {0, 1}
        assert sorted([*trained, *left_out]) == list(range(21))
        seen.extend(left_out)
        return 2.0 * left_out

    np.testing.assert_array_equal(out_of_fold(pilot, y, 5, 0), 2 * np.arange(21))
    assert sorted(seen) == list(range(21))


def test_one_row_of_a_class_cannot_be_left_out():
    with pytest.raises(InvalidInputError, match="one class has one row only"):
        out_of_fold(None, np.array([0, 0, 0, 1]), 5, 0)
