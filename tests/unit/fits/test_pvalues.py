"""Tests of `nproc.fits.pvalues`: counts of ranks, ties, rounding, and what several splits give."""

import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.fits import conditional_p_values, p_values, pvalues
from nproc.fits.pvalues import combine_votes, count_below
from nproc.simultaneous import simultaneous_type1_upper

SCORES0 = np.random.default_rng(1).normal(size=60)


def test_it_is_the_share_of_scores_as_large():
    new = np.random.default_rng(2).normal(size=40)
    expected = [(1 + sum(s >= t for s in SCORES0)) / 61 for t in new]
    np.testing.assert_array_equal(p_values(SCORES0, new), expected)
    np.testing.assert_array_equal(p_values(np.round(SCORES0), np.round(new)).shape, (40,))


def test_ties_count_against_the_new_score():
    np.testing.assert_array_equal(p_values([1.0, 1.0, 2.0], [1.0, 2.0, 3.0, 0.0]), [1.0, 0.5, 0.25, 1.0])


def test_the_conditional_one_is_the_simultaneous_bound_of_the_last_rank_below():
    bounds = simultaneous_type1_upper(60, 0.1)
    ordered = np.sort(SCORES0)
    between = (ordered[1:] + ordered[:-1]) / 2
    np.testing.assert_array_equal(conditional_p_values(SCORES0, between, delta=0.1), bounds[:-1])
    assert conditional_p_values(SCORES0, [ordered[0]], delta=0.1) == 1.0
    assert conditional_p_values(SCORES0, [99.0], delta=0.1) == bounds[-1]
    assert np.all(conditional_p_values(SCORES0, between, delta=0.1) >= p_values(SCORES0, between))


def test_the_count_follows_the_difference_of_the_classifier_within_rounding():
    sorted0 = np.sort(np.random.default_rng(3).normal(size=30)) * 1e3
    guards = 1e-12 * (np.abs(sorted0) + 1.0)
    near = (sorted0[:, None] + guards[:, None] * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])).ravel()
    near = np.concatenate([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
    expected = [np.sum(s - sorted0 > guards) for s in near]
    np.testing.assert_array_equal(count_below(sorted0, near, guards), expected)


def test_scores_in_any_order_are_counted_in_theirs_and_looked_up_in_ascending_order_where_there_are_many(monkeypatch):
    monkeypatch.setattr(pvalues, "BLOCK", 32)
    looked_up, settle = [], pvalues._as_the_classifier
    monkeypatch.setattr(pvalues, "_as_the_classifier", lambda *given: (looked_up.append(given[2]), settle(*given))[1])
    rng = np.random.default_rng(4)
    for n0, ascending in ((31, False), (700, True)):
        sorted0 = np.sort(np.round(rng.normal(size=n0), 1))
        scores = np.round(rng.normal(size=333), 1)
        guards = 1e-12 * (np.abs(sorted0) + 1.0)
        expected = [np.sum(s - sorted0 > guards) for s in scores]
        looked_up.clear()
        np.testing.assert_array_equal(count_below(sorted0, scores, guards), expected)
        assert [part.size for part in looked_up] == [32] * 10 + [13]
        assert np.all(np.diff(np.concatenate(looked_up)) >= 0) == ascending


def test_several_splits_give_the_median_times_a_factor():
    columns = np.array([[0.01, 0.3, 0.2], [0.5, 0.9, 0.8]])
    np.testing.assert_allclose(combine_votes(columns), [1.5 * 0.2, 1.0])
    # an even number of votes needs one more than half
    np.testing.assert_allclose(combine_votes(np.array([[0.1, 0.2, 0.3, 0.4]])), [4 / 3 * 0.3])
    np.testing.assert_array_equal(combine_votes(columns[:, :1]), columns[:, 0])


def test_bad_input_is_told():
    with pytest.raises(InvalidInputError, match="scores0 is empty"):
        p_values([], [1.0])
    with pytest.raises(InvalidInputError, match="scores must be finite"):
        p_values([1.0], [np.nan])
    with pytest.raises(InvalidInputError, match="delta must lie strictly"):
        conditional_p_values([1.0], [1.0], delta=1.0)
