"""Tests of `nproc.comparison`: merged knots are exact, and the best method is the dominating one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nproc import NPROCBand, compare, nproc
from nproc.errors import InvalidInputError

STEADY = settings(deadline=None, derandomize=True, max_examples=40)


def band(seed, n0=80, n1=60, shift=1.0, scale=1.0, delta=0.1, name="scores"):
    rng = np.random.default_rng(seed)
    return NPROCBand.from_scores(rng.normal(size=n0), rng.normal(shift, scale, size=n1), delta=delta, name=name)


def dominates(result, better, worse, alpha):
    return any(
        r.better == better and r.worse == worse and r.alpha_low <= alpha < r.alpha_high for r in result.intervals
    )


@given(
    seed=st.integers(0, 10_000),
    n0=st.tuples(st.integers(2, 90), st.integers(2, 90)),
    n1=st.tuples(st.integers(2, 90), st.integers(2, 90)),
    shifts=st.tuples(st.floats(0, 4), st.floats(0, 4)),
)
@STEADY
def test_regions_of_bands_with_different_knots_are_those_of_a_dense_grid(seed, n0, n1, shifts):
    a = band(seed, n0[0], n1[0], shifts[0], 1.0, name="a")
    b = band(seed + 1, n0[1], n1[1], shifts[1], 2.0, name="b")
    result = compare(a, b)
    grid = (np.arange(800) + 0.5) / 800
    at_a, at_b = a.at(grid), b.at(grid)
    for better, worse, wins in (
        ("a", "b", at_a.type2_upper < at_b.type2_lower),
        ("b", "a", at_b.type2_upper < at_a.type2_lower),
    ):
        assert [dominates(result, better, worse, alpha) for alpha in grid] == wins.tolist()


def test_regions_begin_and_end_at_knots_and_are_maximal():
    result = compare(band(0, shift=3.0, name="a"), band(1, n0=50, shift=0.5, name="b"))
    knots = np.concatenate([b.alpha for b in result.bands] + [[1.0]])
    assert result.intervals
    for region in result.intervals:
        assert region.alpha_low in knots
        assert region.alpha_high in knots
        assert region.alpha_low < region.alpha_high
        before = np.nextafter(region.alpha_low, 0)
        assert not dominates(result, region.better, region.worse, before)
        assert not dominates(result, region.better, region.worse, region.alpha_high)


def test_a_band_made_by_hand_has_the_regions_worked_out_by_hand():
    # one class 0 score each: a single knot at 1 - delta = 0.5, and below it no classifier
    a = NPROCBand.from_scores([0.0], np.full(20, 1.0), delta=0.5, name="a")
    b = NPROCBand.from_scores([0.0], np.full(20, -1.0), delta=0.5, name="b")
    result = compare(a, b)
    assert [(r.better, r.worse, r.alpha_low, r.alpha_high) for r in result.intervals] == [("a", "b", 0.5, 1.0)]
    assert result.best_at(0.6) == "a"


def test_a_band_does_not_dominate_itself():
    same = band(0)
    result = compare(same, same)
    assert result.intervals == ()
    assert result.names == ("scores (1)", "scores (2)")


def test_more_than_two_bands_are_compared_in_all_pairs():
    bands = [
        band(j, shift=s, n1=200, n0=200, name=name) for j, (s, name) in enumerate([(4, "a"), (2, "b"), (0.5, "c")])
    ]
    result = compare(*bands)
    pairs = {(r.better, r.worse) for r in result.intervals}
    assert pairs == {("a", "b"), ("a", "c"), ("b", "c")}
    for first, second in permutations(bands, 2):
        pair = [(r.alpha_low, r.alpha_high) for r in compare(first, second).intervals if r.better == first.method]
        inside = [
            (r.alpha_low, r.alpha_high)
            for r in result.intervals
            if (r.better, r.worse) == (first.method, second.method)
        ]
        # knots of a third band may only split, never move, a region: maximal runs are equal
        assert pair == inside
    assert compare(bands).names == ("a", "b", "c")


def test_the_best_method_is_the_one_that_dominates_all_others():
    result = compare(
        band(0, 300, 300, 4.0, name="a"), band(1, 300, 300, 1.0, name="b"), band(2, 300, 300, 0.5, name="c")
    )
    assert result.best_at(0.1) == result.best_at(0.1, fallback=None) == "a"


def test_without_dominance_the_smallest_estimate_wins_and_beaten_methods_are_left_out():
    near = [band(5, 300, 300, 1.0, name="near"), band(6, 300, 300, 1.05, name="nearer")]
    beaten = band(7, 300, 300, 0.0, name="beaten")
    result = compare(*near, beaten)
    assert result.best_at(0.2, fallback=None) is None
    estimates = {b.method: b.at(0.2).type2 for b in near}
    assert result.best_at(0.2) == min(estimates, key=estimates.get)
    table = result.at(0.2)
    assert table["method"].tolist() == ["near", "nearer", "beaten"]
    assert table["dominates"].tolist() == ["beaten", "beaten", ""]
    np.testing.assert_array_equal(table["type2"], [b.at(0.2).type2 for b in (*near, beaten)])


def test_a_method_without_a_classifier_at_the_level_is_never_the_best():
    few = band(0, n0=10, n1=300, shift=6.0, name="few")
    many = band(1, n0=300, n1=300, shift=0.1, name="many")
    assert compare(few, many).best_at(0.05) == "many"


def test_no_classifier_at_all_is_an_error():
    with pytest.raises(InvalidInputError, match=r"no method has a classifier at alpha=0\.001 .* the smallest level is"):
        compare(band(0), band(1)).best_at(0.001)


def test_a_table_has_a_row_a_region():
    result = compare(band(0, shift=4.0, name="a"), band(1, shift=0.5, name="b"))
    assert result.regions.columns.tolist() == ["better", "worse", "alpha_low", "alpha_high"]
    assert len(result.regions) == len(result.intervals)
    empty = compare(band(0, name="a"), band(0, name="b"))
    assert empty.regions.columns.tolist() == ["better", "worse", "alpha_low", "alpha_high"]
    assert len(empty.regions) == 0


def test_texts_name_methods_levels_and_what_is_proved():
    result = compare(band(0, shift=4.0, name="a"), band(1, shift=0.5, name="b"))
    assert repr(result) == f"Comparison(a, b; delta=0.1, {len(result.intervals)} interval(s) of dominance)"
    text = " ".join(str(result.summary()).split())
    assert "at most 2 delta = 0.2" in text
    assert "not for all alpha at once" in text
    assert "none" in str(compare(band(0, name="a"), band(0, name="b")).summary())
    several = NPROCBand.from_scores([[0.0, 1.0]] * 3, [[1.0]] * 3, delta=0.1, name="m")
    assert "averages over splits" in " ".join(str(compare(several, band(0)).summary()).split())


def test_names_are_those_of_the_bands_or_of_the_user():
    assert compare(band(0, name="a"), band(1, name="b")).names == ("a", "b")
    assert compare(band(0, name="a"), band(1, name="a"), band(2, name="b")).names == ("a (1)", "a (2)", "b")
    assert compare(band(0), band(1), names=["x", "y"]).names == ("x", "y")


@pytest.mark.parametrize(
    ("bands", "arguments", "message"),
    [
        ((band(0),), {}, "compare needs at least two bands, got 1"),
        ((), {}, "compare needs at least two bands, got 0"),
        ((band(0), "lda"), {}, r"compare takes NPROCBand objects \(from nproc\), got str"),
        ((band(0), band(1, delta=0.2)), {}, r"all bands must have the same delta, got 0\.1, 0\.2"),
        ((band(0), band(1)), {"names": ["a"]}, r"names must hold 2 different names, got \['a'\]"),
        ((band(0), band(1)), {"names": ["a", "a"]}, r"names must hold 2 different names, got \['a', 'a'\]"),
    ],
)
def test_bad_arguments_are_refused(bands, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(*bands, **arguments)


@pytest.mark.parametrize(
    ("alpha", "fallback", "message"),
    [
        (0, "cv", "alpha must lie strictly between 0 and 1, got 0"),
        (0.1, "best", "fallback must be 'cv' or None, got 'best'"),
    ],
)
def test_bad_questions_are_refused(alpha, fallback, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(band(0), band(1)).best_at(alpha, fallback)


def test_a_generated_name_never_collides_with_a_given_one():
    names = compare(band(0, name="a"), band(1, name="a"), band(2, name="a (1)")).names
    assert len(set(names)) == 3


def test_bands_that_control_different_classes_are_not_compared():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 1)) + y[:, None]
    one, other = (nproc(X, y, "lda", class0=label, random_state=1) for label in (0, 1))
    with pytest.raises(InvalidInputError, match="all bands must control the same class, got class0 0 and 1"):
        compare(one, other)


def test_the_summary_says_what_choosing_a_method_costs():
    text = " ".join(str(compare(band(0), band(1)).summary()).split())
    assert "for one split, its type I error exceeds alpha with probability at most 2 delta, not delta" in text
