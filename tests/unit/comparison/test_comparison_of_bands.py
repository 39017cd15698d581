"""Tests of `nproc.comparison.bands`: merged knots are exact, and the best method is the dominating one."""

import pickle
import re
from dataclasses import replace
from itertools import pairwise, permutations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from nproc import NPROCBand, compare, nproc
from nproc.comparison import compare_scores
from nproc.comparison.dominance import runs_below
from nproc.comparison.result import Region
from nproc.errors import InvalidInputError, NPWarning
from nproc.orderstat import round_up
from nproc.simulate import simulation2

STEADY = settings(deadline=None, derandomize=True, max_examples=40)


def band(seed, n0=80, n1=60, shift=1.0, scale=1.0, delta=0.1, name="scores"):
    rng = np.random.default_rng(seed)
    return NPROCBand.from_scores(rng.normal(size=n0), rng.normal(shift, scale, size=n1), delta=delta, name=name)


def dominates(result, better, worse, alpha):
    return any(
        r.better == better and r.worse == worse and r.alpha_low <= alpha < r.alpha_high for r in result.intervals
    )


@pytest.mark.slow
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
    table = result.to_frame()
    shown = [frozenset(pair) for pair in zip(table["better"], table["worse"], strict=True)]
    # the rows of a pair stand together
    assert sum(one != other for one, other in pairwise(shown)) == len(set(shown)) - 1
    assert "Which method is better at one alpha: see comparison.best_at()." in " ".join(str(result.summary()).split())


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
    assert result.best_at(0.2, fallback="estimate") == min(estimates, key=estimates.get)
    told = (
        r"at alpha=0\.2, so the best .* is near, because it has the lowest .* may not be the best\. "
        "fallback='estimate' gives the same answer without the warning"
    )
    with pytest.warns(NPWarning, match=told):
        assert result.best_at(0.2) == min(estimates, key=estimates.get)
    # two bands of the same scores
    same = compare(near[0], near[0], names=["one", "other"])
    with pytest.warns(NPWarning, match="is one, because it is the first of 2 methods that share the lowest estimate"):
        assert same.best_at(0.2) == "one"
    table = result.at(0.2)
    assert table["method"].tolist() == ["near", "nearer", "beaten"]
    assert table["dominates"].tolist() == ["beaten", "beaten", ""]
    np.testing.assert_array_equal(table["type2"], [b.at(0.2).type2 for b in (*near, beaten)])
    # several levels stand one under the other
    for levels in (
        [0.3, 0.2],
        (0.3, 0.2),
        np.array([[0.3], [0.2]]),
        pd.Series([0.3, 0.2], index=[4, 2]),
        pl.Series([0.3, 0.2]),
    ):
        both = result.at(levels)
        assert both["alpha"].tolist() == [0.3] * 3 + [0.2] * 3
        for part, level in ((both[:3], 0.3), (both[3:], 0.2)):
            pd.testing.assert_frame_equal(part.drop(columns="alpha").reset_index(drop=True), result.at(level))
    pd.testing.assert_frame_equal(result.at(np.array(0.2)), table)
    for wrong, match in (
        ([], "got none"),
        ([0.2, 1.5], r"strictly between 0 and 1, got 1\.5"),
        (["a"], "alpha must hold"),
    ):
        with pytest.raises(InvalidInputError, match=match):
            result.at(wrong)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, np.nan, np.inf])
def test_the_table_has_no_row_for_what_is_no_level(level):
    rng = np.random.default_rng(3)
    bands = [NPROCBand.from_scores(rng.normal(size=99), rng.normal(2, size=99), name=name) for name in "ab"]
    result = compare(bands)
    for asked in (level, [0.2, level]):
        with pytest.raises(InvalidInputError, match=f"^alpha must lie strictly between 0 and 1, got {level}"):
            result.at(asked)


def test_the_table_at_a_level_that_no_rank_meets_has_no_estimate_and_bounds_nothing_from_above():
    rng = np.random.default_rng(3)
    bands = [NPROCBand.from_scores(rng.normal(size=99), rng.normal(2, size=99), name=name) for name in "ab"]
    table = compare(bands).at(0.01)
    assert table["type2"].isna().all()
    assert table["type2_upper"].tolist() == [1, 1]
    assert table["dominates"].tolist() == ["", ""]


def test_the_table_at_a_level_says_what_its_bounds_are():
    rng = np.random.default_rng(3)
    scores0, scores1 = rng.normal(size=(300, 2)), rng.normal([2, 1], size=(300, 2))
    bands = [NPROCBand.from_scores(scores0[:, j], scores1[:, j], name=name) for j, name in enumerate("ab")]
    said = {
        ("pointwise", "rules"): ("pointwise, of the rule", "at one alpha fixed beforehand"),
        ("simultaneous", "rules"): ("simultaneous, of the rule", "fitted rules. With probability at least 0.95"),
        ("paired", "scores"): ("simultaneous, of the score", "at a true type I error of alpha"),
    }
    for (regions, about), (kind, text) in said.items():
        if regions == "paired":
            result = compare_scores(scores0, scores1)
        else:
            result = compare(bands, regions=regions, about=about)
        assert result.at(0.2)["bounds"].tolist() == [kind, kind]
        assert text in result.bounds_text


def test_paired_regions_may_miss_what_the_bounds_beside_them_prove_and_this_is_told():
    # all class 1 scores of the second method lie between two of its class 0 scores
    rng = np.random.default_rng(4)
    scores0 = rng.normal(size=(400, 2))
    jump = np.sort(scores0[:, 1])[[300, 301]].mean()
    scores1 = np.column_stack([rng.normal(9, 1, size=400), np.full(400, jump)])
    paired = compare_scores(scores0, scores1, names=["a", "b"], about="rules")
    columns = zip(scores0.T, scores1.T, "ab", strict=True)
    bands = [NPROCBand.from_scores(rows0, rows1, name=name) for rows0, rows1, name in columns]
    simultaneous = compare(bands, regions="simultaneous", about="rules")
    # of scores alone it is not known what set a threshold
    for result in (paired, simultaneous):
        assert result.notes()[-1].startswith(
            "If you choose a method by this comparison and set its threshold on the same"
        )
    (found,), (tested,) = simultaneous.intervals, paired.intervals
    assert tested.alpha_high < found.alpha_high
    alpha = (tested.alpha_high + found.alpha_high) / 2
    table = paired.at(alpha)
    assert table["dominates"].tolist() == ["", ""]
    assert table["type2_upper"][0] < table["type2_lower"][1]
    assert simultaneous.at(alpha)["dominates"].tolist() == ["b", ""]
    assert "even if the tests of the paired regions do not show it" in paired.bounds_text
    assert "With probability at least 0.9 all bounds and all regions hold together." in paired.bounds_text
    assert "overlap" not in simultaneous.bounds_text


def test_where_regions_of_scores_leave_most_levels_open_the_summary_and_the_best_method_name_those_of_rules():
    three = compare(*(band(seed, name=name) for seed, name in enumerate("abc")), regions="simultaneous")
    # of a and c each is better somewhere, and together on 0.3 of the levels
    ends = {("a", "b"): [(0.3, 0.9)], ("a", "c"): [(0.2, 0.4)], ("c", "a"): [(0.5, 0.6)]}
    some = replace(three, intervals=tuple(Region(*pair, *span) for pair, spans in ends.items() for span in spans))
    told = "At more than half of the levels no region says which method is better, for 2 of 3 pairs. Regions of scores"
    assert told in " ".join(some.notes())
    with pytest.warns(NPWarning, match="it may not be the best[.] Regions of scores require .* about='rules' compares"):
        some.best_at(0.1)
    two = compare(band(0, name="a"), band(1, name="b"), regions="simultaneous")
    for high, few in [(0.5, True), (0.9, False)]:
        one = replace(two, intervals=(Region("a", "b", 0.3, high),))
        assert ("no region says which method is better. Regions of scores" in " ".join(one.notes())) is few
    rules = replace(some, about="rules")
    assert "about='rules'" not in " ".join(rules.notes())
    with pytest.warns(NPWarning, match="it may not be the best[.] fallback="):
        rules.best_at(0.1)


def note_of(paired, **view):
    ax = paired.plot(**view)
    plt.close(ax.figure)
    notes = ax.findobj(lambda artist: artist.get_gid() == "nproc-dominance-note")
    return " ".join(" ".join(text.get_text() for text in notes).split())


@pytest.mark.slow
@pytest.mark.parametrize("apart", [True, False])
def test_without_paired_regions_it_is_told_whether_the_simultaneous_bounds_prove_something(apart):
    # all class 1 scores of a method lie between two of its class 0 scores, in one cell of the tests for both methods
    scores0 = np.tile(np.arange(400.0)[:, None], 2)
    scores1 = np.tile([300.5, 301.5 if apart else 300.5], (400, 1))
    paired = compare_scores(scores0[::-1], scores1, names=["a", "b"], about="rules")
    assert paired.regions.empty
    knots = paired.curves[0].alpha
    tables = [paired.at(alpha) for alpha in (knots[:-1] + knots[1:]) / 2]
    # the second method has the larger scores in class 1
    assert any(table["type2_upper"][1] < table["type2_lower"][0] for table in tables) is apart
    assert all(table["type2_upper"][0] >= table["type2_lower"][1] for table in tables)
    assert paired.notes()[0].startswith("No region was found. The methods may still differ.")
    told = " ".join(paired.notes())
    assert "The fitted rules also have simultaneous bounds." in told
    proved = "do not overlap at some alpha. There they prove which method is better"
    together = "With probability at least 0.9 all bounds and all regions hold together."
    assert (proved in told, together in told, "overlap at every alpha" in told) == (apart, apart, not apart)
    more = "; where the bands do not overlap, they prove more" * apart
    assert note_of(paired) == f"by paired tests of the fitted rules{more}"


@pytest.mark.slow
def test_the_note_of_a_picture_speaks_only_of_bounds_that_it_shows():
    scores0, scores1 = np.tile(np.arange(400.0)[::-1, None], 5), np.tile([300.5, 301.5, 300.5, 300.5, 300.5], (400, 1))
    two, five = (compare_scores(scores0[:, :k], scores1[:, :k], names=list("abcde"[:k]), about="rules") for k in (2, 5))
    assert all(found.regions.empty for found in (two, five))
    (low, high), *_ = runs_below(*two.curves[::-1])
    for paired, view, told in [
        (two, {"xlim": (0.1, high)}, True),
        (two, {"xlim": (0, low - 0.05)}, False),
        # five bands over each other have their bounds at the marked level alone
        (five, {"layout": "panels"}, True),
        (five, {"layout": "overlay"}, False),
        (five, {"layout": "overlay", "alpha": (low + high) / 2}, True),
        (five, {"layout": "overlay", "alpha": high + 0.05}, False),
    ]:
        assert note_of(paired, **view).endswith("they prove more") is told
    heading = five.plot(layout="overlay").get_legend().get_title().get_text()
    assert heading.startswith("tests: all $")


def test_a_method_without_a_classifier_at_the_level_is_never_the_best():
    few = band(0, n0=10, n1=300, shift=6.0, name="few")
    many = band(1, n0=300, n1=300, shift=0.1, name="many")
    assert compare(few, many).best_at(0.05, "estimate") == "many"


def test_no_classifier_at_all_is_an_error():
    bands = band(0), band(1)
    smallest = round_up(min(one.alpha[0] for one in bands))
    told = rf"no method has a classifier at alpha=0\.001 .* the smallest level is {smallest}\.$"
    with pytest.raises(InvalidInputError, match=told):
        compare(*bands).best_at(0.001)


def test_a_table_has_a_row_a_region():
    result = compare(band(0, shift=4.0, name="a"), band(1, shift=0.5, name="b"))
    assert result.regions.columns.tolist() == ["better", "worse", "alpha_low", "alpha_high", "where"]
    assert len(result.regions) == len(result.intervals)
    empty = compare(band(0, name="a"), band(0, name="b"))
    assert empty.regions.columns.tolist() == ["better", "worse", "alpha_low", "alpha_high", "where"]
    assert len(empty.regions) == 0


def test_texts_name_methods_levels_and_what_is_proved():
    result = compare(band(0, shift=4.0, name="a"), band(1, shift=0.5, name="b"))
    what = "pointwise, of the fitted rules, delta=0.1"
    assert repr(result) == f"Comparison(a, b; {what}, {len(result.intervals)} interval(s) of dominance)"
    text = " ".join(str(result.summary()).split())
    assert "at most 2 delta = 0.2" in text
    assert "do not hold for all alpha at once" in text
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
        ((band(0), "lda"), {}, r"compare takes NPROCBand objects \(from nproc\), or one dict .* got str"),
        (({"a": band(0)}, {"b": band(1)}), {}, r"got dict.*compare\({\*\*bands, 'new name': band}\)"),
        ((band(0), {"b": band(1)}), {}, r"got dict.*compare\({\*\*bands, 'new name': band}\)"),
        (([band(0)], [band(1)]), {}, r"got list.*compare\(\[\*bands, band\]\)"),
        ((band(0), band(1, delta=0.2)), {}, r"all bands must have the same delta, got 0\.1, 0\.2"),
        ((band(0), band(1)), {"names": ["a"]}, r"names must hold 2 different names, got \['a'\]"),
        ((band(0), band(1)), {"names": ["a", "a"]}, r"names must hold 2 different names, got \['a', 'a'\]"),
        ((band(0), band(1)), {"names": "ab"}, "names must be a list of 2 different names, got 'ab'"),
        ((band(0), band(1)), {"names": 5}, "names must be a list of 2 different names, got 5"),
    ],
)
def test_bad_arguments_are_refused(bands, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(*bands, **arguments)


@pytest.mark.parametrize(
    ("alpha", "fallback", "message"),
    [
        (0, "estimate", "alpha must lie strictly between 0 and 1, got 0"),
        (0.1, "cv", "fallback must be 'warn', 'estimate' or None, got 'cv'"),
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
    with pytest.raises(InvalidInputError, match="all bands must have the same class0, got 0 and 1"):
        compare(one, other)


def test_the_summary_says_what_choosing_a_method_costs():
    text = " ".join(str(compare(band(0), band(1)).summary()).split())
    assert "the type I error of the chosen classifier exceeds alpha with probability at most 2 delta, not delta" in text
    assert "This holds for one split and one alpha fixed beforehand" in text


# simultaneous and paired regions


KINDS = [("simultaneous", "rules"), ("simultaneous", "scores"), ("paired", "rules"), ("paired", "scores")]


@pytest.fixture(scope="module")
def fitted():
    sample = simulation2(2000, random_state=2)
    return [nproc(sample.X[:, [j]], sample.y, "lda", class0=0, random_state=2) for j in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("regions", "about"), KINDS)
def test_every_result_says_what_it_speaks_of_and_for_which_levels(fitted, regions, about):
    result = compare(*fitted, names=["x1", "x2"], regions=regions, about=about)
    assert (result.kind, result.about) == (regions, about)
    assert f"{regions}, of the fitted {about}" in repr(result)
    text = " ".join(str(result.summary()).split())
    assert f"compare the fitted {about}" in text
    assert "the methods on other training samples" in text
    assert "for all alpha and all pairs at once" in text
    assert "With probability at least 0.95" in text
    note = result.plot().child_axes[0].findobj(lambda artist: artist.get_gid() == "nproc-dominance-note")[0].get_text()
    assert rf"fitted {about}, for all $\alpha$ at once" in note
    again = pickle.loads(pickle.dumps(result))
    assert again.intervals == result.intervals
    # the better feature for large alpha
    assert result.best_at(0.7, fallback=None) == "x1"


def test_pointwise_results_say_so_too(fitted):
    result = compare(*fitted)
    assert (result.kind, result.about) == ("pointwise", "rules")
    text = " ".join(str(result.summary()).split())
    assert "compare the fitted rules" in text
    assert "do not compare the methods on other training samples" in text
    notes = result.plot().child_axes[0].findobj(lambda artist: artist.get_gid() == "nproc-dominance-note")
    assert [note.get_text() for note in notes] == [r"bars: fitted rules, not for all $\alpha$ at once"]


@pytest.mark.parametrize("about", ["rules", "scores"])
def test_simultaneous_regions_are_where_the_drawn_bounds_are_apart(fitted, about):
    result = compare(*fitted, names=["x1", "x2"], regions="simultaneous", about=about)
    grid = (np.arange(500) + 0.5) / 500
    (lower1, upper1), (lower2, upper2) = (curve.at(grid) for curve in result.curves)
    assert [dominates(result, "x1", "x2", alpha) for alpha in grid] == (upper1 < lower2).tolist()
    assert [dominates(result, "x2", "x1", alpha) for alpha in grid] == (upper2 < lower1).tolist()


def length(result):
    return sum(r.alpha_high - r.alpha_low for r in result.intervals)


@pytest.mark.parametrize("about", ["rules", "scores"])
def test_paired_regions_are_longer_and_pointwise_ones_longest_of_rules(fitted, about):
    simultaneous, paired = (compare(*fitted, regions=kind, about=about) for kind in ("simultaneous", "paired"))
    assert 0 < length(simultaneous) < length(paired)
    assert length(paired) < length(compare(*fitted))


def test_bands_of_three_methods_share_delta():
    bands = [band(j, 400, 400, shift, name=name) for j, (shift, name) in enumerate([(4, "a"), (1, "b"), (1, "c")])]
    two, three = (compare(bands[:k], regions="simultaneous") for k in (2, 3))
    assert length(two) > sum(r.alpha_high - r.alpha_low for r in three.intervals if r.worse == "b") > 0


def test_simultaneous_bands_give_simultaneous_regions():
    rng = np.random.default_rng(0)
    bands = [
        NPROCBand.from_scores(rng.normal(size=200), rng.normal(s, 1, size=200), band="simultaneous", name=str(s))
        for s in (1, 4)
    ]
    assert compare(*bands).kind == "simultaneous"
    with pytest.raises(InvalidInputError, match="regions='pointwise' requires pointwise bands"):
        compare(*bands, regions="pointwise")
    usual = NPROCBand.from_scores(rng.normal(size=200), rng.normal(1, 1, size=200))
    with pytest.raises(InvalidInputError, match="all bands must be of one kind, got pointwise and simultaneous"):
        compare(bands[0], usual)


def test_a_table_of_scores_gives_what_the_bands_of_its_rows_give(fitted):
    scores0, scores1 = (
        np.stack([getattr(b.scored[0], name) for b in fitted], axis=1) for name in ("scores0", "scores1")
    )
    of_bands = compare(*fitted, names=["x1", "x2"], regions="paired")
    of_scores = compare_scores(scores0, scores1, names=["x1", "x2"])
    assert of_scores.intervals == of_bands.intervals
    frames = [pd.DataFrame(scores, columns=["x1", "x2"]) for scores in (scores0, scores1)]
    assert compare_scores(*frames).names == ("x1", "x2")
    assert compare_scores(scores0, scores1).names == ("method 1", "method 2")


def test_the_order_of_the_rows_matters_only_to_pairs():
    rng = np.random.default_rng(0)
    shared0, shared1 = rng.normal(size=(600, 1)), rng.normal(1, 1, size=(600, 1))
    scores0 = shared0 + 0.1 * rng.normal(size=(600, 2))
    scores1 = shared1 + 0.1 * rng.normal(size=(600, 2)) + [0.0, 0.8]
    paired = compare_scores(scores0, scores1)
    mixed = compare_scores(scores0, np.stack([scores1[:, 0], rng.permutation(scores1[:, 1])], axis=1))
    assert length(paired) > length(mixed)


def test_bands_of_other_rows_are_not_paired(fitted):
    sample = simulation2(2000, random_state=2)
    other_seed = nproc(sample.X[:, [1]], sample.y, "lda", class0=0, random_state=3)
    other_order = nproc(sample.X[::-1, [1]], sample.y[::-1], "lda", class0=0, random_state=2)
    for other in (other_seed, other_order):
        with pytest.raises(InvalidInputError, match="needs bands that left out the same rows, and these did not"):
            compare(fitted[0], other, regions="paired")
    with pytest.raises(InvalidInputError, match="bands from raw scores do not keep; give the scores"):
        compare(band(0), band(1), regions="paired")


def test_bands_of_prefit_models_are_paired():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 2)), np.repeat([0, 1], 200)
    X[200:] += [3, 0]
    bands = [nproc(X, y, model, prefit=True) for model in (first_column, second_column)]
    assert [r.better for r in compare(*bands, regions="paired").intervals] == ["first_column"]


def first_column(X):
    return X[:, 0]


def second_column(X):
    return X[:, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"regions": "all"}, "regions must be one of 'pointwise', 'simultaneous', 'paired', got 'all'"),
        ({"regions": "paired", "about": "methods"}, "about must be one of 'rules', 'scores', got 'methods'"),
        ({"about": "scores"}, "regions='pointwise' compares rules"),
    ],
)
def test_unknown_kinds_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(band(0), band(1), **arguments)


@pytest.mark.parametrize("regions", ["simultaneous", "paired"])
def test_averages_over_splits_have_no_simultaneous_regions(regions):
    several = NPROCBand.from_scores([[0.0, 1.0]] * 3, [[1.0]] * 3, delta=0.1, name="m")
    with pytest.raises(InvalidInputError, match="requires bands of one split, but one of the bands has 3 splits"):
        compare(several, band(0), regions=regions)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((20, 2), (20, 3)), "one column for each of at least two methods, got 2 and 3"),
        (((20, 1), (20, 1)), "one column for each of at least two methods, got 1 and 1"),
        # rows and columns swapped, which would be the bands of 900 methods
        (((2, 900), (2, 900)), r"scores0 has 2 rows and 900 columns, .* pass np.column_stack\(scores0\)"),
        (((900, 30), (20, 30)), "scores1 has 20 rows and 30 columns, so there are fewer observations than methods"),
        (((20,), (20,)), r"scores0 must be two-dimensional \(a row an observation, a column a method\)"),
    ],
)
def test_tables_of_scores_that_do_not_fit_are_refused(shapes, message):
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match=message):
        compare_scores(*(rng.normal(size=shape) for shape in shapes))


def test_columns_of_scores_must_have_one_order():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    with pytest.raises(InvalidInputError, match=r"must have the same columns in the same order, got \['b', 'a'\] and"):
        compare_scores(frame[["b", "a"]], frame)
    assert compare_scores(frame, frame.to_numpy() + 1).names == ("a", "b")
    assert compare_scores(frame.to_numpy(), frame + 1).names == ("a", "b")


def test_a_missing_score_is_named_by_its_column():
    scores = np.random.default_rng(0).normal(size=(30, 2))
    holed = scores.copy()
    holed[3, 1] = np.nan
    with pytest.raises(InvalidInputError, match="column 1 of scores1 must be finite, got 1 NaN"):
        compare_scores(scores, holed)


def test_rules_of_unlike_bounds_have_no_paired_regions():
    # their ranks at an alpha differ: ranges of one rank would be regions of levels at which other rules serve
    y = np.repeat([0, 1], 200)
    X = np.random.default_rng(0).normal(size=(400, 2)) + 1.5 * y[:, None]
    bands = [nproc(X, y, "lda", band="simultaneous", bounds=bounds, random_state=1) for bounds in ("berk_jones", "dkw")]
    with pytest.raises(InvalidInputError, match="requires bands with the same bounds="):
        compare(*bands, names=["a", "b"], regions="paired", about="rules")
    # the scores are the same, whatever the bounds
    assert compare(*bands, names=["a", "b"], regions="paired").intervals == ()


@pytest.mark.parametrize(
    ("kind", "says", "says_not"),
    [
        (
            "pointwise",
            "for one split and one alpha fixed beforehand; if alpha is chosen here as well, there is no such bound",
            "for one split and all alpha at once",
        ),
        ("simultaneous", "for one split and all alpha at once", "if alpha is chosen here as well"),
    ],
)
def test_the_price_of_choosing_a_method_is_that_of_the_bands_and_not_of_the_regions(kind, says, says_not):
    rng = np.random.default_rng(0)
    bands = [
        NPROCBand.from_scores(rng.normal(size=60), rng.normal(2, 1, size=60), name=name, band=kind) for name in "ab"
    ]
    text = " ".join(str(compare(*bands, regions="simultaneous").summary()).split())
    assert says in text
    assert "at most 2 delta, not delta" in text
    assert says_not not in text


def test_at_a_level_of_nearly_1_nothing_is_missed():
    result = compare(band(0), band(1), regions="simultaneous")
    assert result.at(1 - 1e-15)["type2"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("regions", "about"), [("pointwise", "rules"), ("simultaneous", "rules"), ("simultaneous", "scores")]
)
def test_where_none_dominates_the_best_is_the_method_with_the_lowest_estimate_of_the_table(regions, about):
    n_seen, n_other = 0, 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y0, y1 = rng.normal(size=(60, 1)), rng.normal(1.2, 1, size=(60, 1))
        scores0, scores1 = y0 + rng.normal(size=(60, 3)), y1 + rng.normal(size=(60, 3))
        bands = [NPROCBand.from_scores(scores0[:, j], scores1[:, j], name=f"m{j}") for j in range(3)]
        comparison = compare(*bands, regions=regions, about=about)
        table = comparison.at(0.2).set_index("method")
        if (table["dominates"] != "").any():
            continue
        assert table.loc[comparison.best_at(0.2, "estimate"), "type2"] == table["type2"].min()
        n_seen += 1
        n_other += table["type2"].idxmin() != min(bands, key=lambda band: band.at(0.2).type2).method
    assert n_seen > 5
    # the estimates of scores are not those of rules
    assert (n_other > 0) == (about == "scores")


def test_each_printed_level_of_a_region_lies_in_it():
    n_shown = 0
    for seed in range(12):
        result = compare(band(seed, shift=1.5, name="a"), band(seed + 50, shift=0.5, scale=2.0, name="b"))
        rows = re.findall(r"^(\w+) +(\w+) +([0-9.]+) +([0-9.]+) +throughout$", str(result.summary()), re.MULTILINE)
        assert len(rows) == len(result.intervals)
        for (better, worse, start, end), region in zip(rows, result.intervals, strict=True):
            start, end = float(start), float(end)
            assert start < end
            assert all(dominates(result, better, worse, a) for a in (start, (start + end) / 2, np.nextafter(end, 0)))
            assert max(start - region.alpha_low, region.alpha_high - end) < 1e-4
            assert f"alpha_low={start:.4f}" in repr(region)
            n_shown += 1
    assert n_shown > 12


@pytest.mark.slow
def test_the_picture_of_rules_of_one_alpha_says_that_only_their_type2_bounds_hold_for_all_alpha():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(120, 2)), rng.normal(1, 1, (120, 2))])
    y = np.repeat([0, 1], 120)
    said = {}
    for kind in ("pointwise", "simultaneous"):
        bands = [nproc(X, y, name, random_state=1, band=kind) for name in ("lda", "nb")]
        ax = compare(*bands, regions="paired", about="rules").plot()
        said[kind] = ax.get_legend().get_title().get_text()
        plt.close(ax.figure)
    assert said["pointwise"].startswith(r"type II bounds: all $\alpha$ at once")
    assert said["simultaneous"].startswith(r"all $\alpha$ at once")


@pytest.mark.parametrize("millimetres", [85, 170])
@pytest.mark.parametrize("layout", ["overlay", "panels"])
def test_a_picture_calls_pipelines_by_their_last_step_at_every_width(millimetres, layout):
    result = compare(*(pipeline_band(StandardScaler(), PCA(), end) for end in (GaussianNB(), BernoulliNB(), SVC())))
    assert "StandardScaler+PCA+GaussianNB" in str(result.summary())
    shown = called_in_picture(result, layout, millimetres)
    assert [re.sub("^[ABC]: ", "", name) for name in shown] == ["GaussianNB", "BernoulliNB", "SVC"]


def test_a_picture_shows_what_tells_pipelines_with_one_last_step_apart_and_keeps_given_names():
    bands = [pipeline_band(*steps, GaussianNB()) for steps in ((StandardScaler(), PCA()), (StandardScaler(),))]
    bands.append(pipeline_band(StandardScaler(), SVC()))
    assert called_in_picture(compare(*bands), "overlay", 170) == [
        "PCA+GaussianNB",
        "GaussianNB",
        "SVC",
    ]
    # a sum of words that the user has written is no pipeline
    given = ["Clinic+Laboratory", "Clinic", "Laboratory"]
    assert called_in_picture(compare(*bands, names=given), "overlay", 170) == given
    # another method has this name already
    given = ["GaussianNB", "StandardScaler+GaussianNB", "lda"]
    assert called_in_picture(compare(*bands, names=given), "overlay", 170) == given


def pipeline_band(*steps):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(120, 2)), rng.normal(1, 1, (120, 2))])
    return nproc(X, np.repeat([0, 1], 120), make_pipeline(*steps), random_state=1)


def called_in_picture(result, layout, millimetres):
    with plt.rc_context({"font.size": 7}):
        ax = result.plot(layout=layout, figsize=(millimetres / 25.4, 4))
    panels = [child for child in ax.child_axes if (child.get_gid() or "").startswith("nproc-panel")]
    texts = [panel.get_title(loc="left") for panel in panels]
    texts = texts or [text.get_text() for text in ax.get_legend().get_texts()[: len(result.names)]]
    plt.close(ax.figure)
    return texts
