"""Tests of `nproc.bands.band`: exact step functions, their areas, and the classifiers behind them."""

import pickle
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from nproc import NPROCBand, compare, np_order, np_threshold, nproc
from nproc.bands.band import NPROCBand as Band
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.fits import with_shared_owners
from nproc.orderstat import type1_upper, type2_bounds
from nproc.tables import rounded_down, rounded_up

STEADY = settings(deadline=None, derandomize=True, max_examples=60)


def scores(n0=60, n1=40, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n0), rng.normal(shift, 1, size=n1)


def by_hand(scores0, scores1, alpha, delta):
    """Bounds at one level from the definition: rank, count, Clopper-Pearson."""
    try:
        order = np_order(scores0.size, alpha, delta)
    except TooFewSamplesError:
        top = type2_bounds(int(np.sum(scores1 <= scores0.max())), scores1.size, delta)
        return top.lower, 1.0
    threshold = np.sort(scores0)[order - 1]
    bounds = type2_bounds(int(np.sum(scores1 <= threshold)), scores1.size, delta)
    return bounds.lower, bounds.upper


@pytest.mark.slow
@given(
    n0=st.integers(1, 60),
    n1=st.integers(1, 40),
    delta=st.floats(0.01, 0.5),
    seed=st.integers(0, 99),
    digits=st.sampled_from([0, 1, 9]),
)
@STEADY
def test_the_band_at_any_level_is_that_of_the_rank_threshold(n0, n1, delta, seed, digits):
    scores0, scores1 = (np.round(s, digits) for s in scores(n0, n1, seed))
    band = NPROCBand.from_scores(scores0, scores1, delta=delta)
    alphas = np.random.default_rng(seed).random(15)
    expected = np.array([by_hand(scores0, scores1, a, delta) for a in alphas.tolist()])
    values = band.at(alphas)
    np.testing.assert_allclose(values.type2_lower, expected[:, 0], rtol=1e-12)
    np.testing.assert_allclose(values.type2_upper, expected[:, 1], rtol=1e-12)


def test_at_a_knot_the_band_is_that_of_its_rank():
    band = NPROCBand.from_scores(*scores(), delta=0.1)
    orders = np.arange(60, 0, -1)
    np.testing.assert_array_equal(band.alpha, type1_upper(orders, 60, 0.1))
    values = band.at(band.alpha)
    np.testing.assert_array_equal(values.order, orders)
    for curve in ("type2_lower", "type2_upper", "type2"):
        np.testing.assert_array_equal(getattr(values, curve), getattr(band, curve))
    assert np.all(np.diff(band.alpha) > 0)
    assert np.all(np.diff(band.type2_upper) <= 0)
    assert np.all(np.diff(band.type2_lower) <= 0)


def test_between_knots_the_band_is_that_of_the_knot_on_the_left():
    band = NPROCBand.from_scores(*scores())
    middle = (band.alpha[:-1] + band.alpha[1:]) / 2
    just_before = np.nextafter(band.alpha[1:], 0)
    for alphas in (middle, just_before):
        np.testing.assert_array_equal(band.at(alphas).type2_upper, band.type2_upper[:-1])
        np.testing.assert_array_equal(band.at(alphas).type2_lower, band.type2_lower[:-1])


def test_below_the_first_knot_there_is_no_classifier():
    band = NPROCBand.from_scores(*scores())
    values = band.at([0, band.alpha[0] / 2])
    assert values.type2_upper.tolist() == values.type2.tolist() == [1.0, 1.0]
    assert values.type2_lower.tolist() == [band.type2_lower[0]] * 2
    assert values.order.tolist() == [61, 61]


def test_at_level_one_the_smallest_score_is_the_threshold():
    assert NPROCBand.from_scores(*scores()).at(1).order == 1


def test_the_estimate_is_the_share_of_missed_class1_scores():
    scores0, scores1 = scores()
    band = NPROCBand.from_scores(scores0, scores1)
    shares = [np.mean(scores1 <= t) for t in np.sort(scores0)[::-1]]
    np.testing.assert_allclose(band.type2, shares, rtol=1e-15)
    assert np.all((band.type2_lower <= band.type2) & (band.type2 <= band.type2_upper))


def test_a_class1_score_equal_to_the_threshold_is_missed():
    band = NPROCBand.from_scores(np.zeros(5), np.r_[np.zeros(10), np.ones(10)], delta=0.3)
    assert set(band.type2) == {0.5}


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "seed"), [(1, 1, 0), (7, 3, 1), (60, 40, 2), (400, 300, 3)])
def test_areas_are_those_of_brute_numerical_integration(n0, n1, seed):
    band = NPROCBand.from_scores(*scores(n0, n1, seed))
    points = 200_000
    grid = (np.arange(points) + 0.5) / points
    values = band.at(grid)
    # the midpoint rule is wrong by at most half a cell for each of the n0 jumps, times its height; these sum to 1
    cell = 1.0 / points
    assert band.auc_lower == pytest.approx(np.mean(1 - values.type2_upper), abs=cell)
    assert band.auc_upper == pytest.approx(np.mean(1 - values.type2_lower), abs=cell)
    assert 0 <= band.auc_lower <= band.auc_upper <= 1


def test_several_splits_are_averaged_at_each_level():
    parts = [scores(seed=s) for s in range(3)]
    band = NPROCBand.from_scores([p[0] for p in parts], [p[1] for p in parts], delta=0.1)
    singles = [NPROCBand.from_scores(*p, delta=0.1) for p in parts]
    grid = np.linspace(0, 1, 301)
    for curve in ("type2_lower", "type2_upper", "type2"):
        expected = np.mean([getattr(single.at(grid), curve) for single in singles], axis=0)
        np.testing.assert_allclose(getattr(band.at(grid), curve), expected, rtol=1e-12)
    for area in ("auc_lower", "auc_upper"):
        assert getattr(band, area) == pytest.approx(np.mean([getattr(s, area) for s in singles]), rel=1e-12)
    assert band.n_splits == 3


def test_values_are_shaped_like_the_levels():
    band = NPROCBand.from_scores(*scores())
    one = band.at(0.1)
    assert all(type(v) is float for v in (one.alpha, one.type2_lower, one.type2_upper, one.type2))
    assert type(one.order) is int
    assert band.at([[0.1, 0.2, 0.3]]).type2_upper.shape == (1, 3)
    assert band.at([]).type2_upper.shape == (0,)
    assert "no classifier" not in repr(band.at([]))
    # any order of levels, and levels that repeat
    np.testing.assert_array_equal(band.at([0.5, 0.1, 0.5]).order, [band.at(a).order for a in (0.5, 0.1, 0.5)])


def test_scores_of_the_user_are_not_changed():
    scores0, scores1 = scores()
    kept = scores0.copy(), scores1.copy()
    NPROCBand.from_scores(scores0, scores1)
    np.testing.assert_array_equal(scores0, kept[0])
    np.testing.assert_array_equal(scores1, kept[1])


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_level_outside_the_unit_interval_is_refused(alpha):
    with pytest.raises(InvalidInputError, match="alpha must lie between 0 and 1, got"):
        NPROCBand.from_scores(*scores()).at(alpha)


@pytest.mark.parametrize(
    ("scores0", "scores1", "arguments", "message"),
    [
        ([], [1.0], {}, "scores0 is empty"),
        ([1.0], [], {}, "scores1 is empty"),
        ([1.0, np.nan], [1.0], {}, "scores0 must be finite, got 1 NaN"),
        ([1.0], [np.inf], {}, "scores1 must be finite, got 0 NaN and 1 infinite"),
        ([[1.0, 2.0], [1.0, 2.0]], [1.0], {}, "the same number of splits, got 2 and 1"),
        (
            [[1.0, 2.0], [1.0]],
            [[1.0], [2.0]],
            {},
            r"scores0 must have the same number of scores in each split, got \[1, 2\]",
        ),
        (
            [[1.0], [2.0]],
            [[1.0, 2.0], [1.0]],
            {},
            r"scores1 must have the same number of scores in each split, got \[1, 2\]",
        ),
        (np.ones((3, 2)), [1.0], {}, r"scores0 must be one-dimensional .* got shape \(3, 2\)"),
        ([1.0], [1.0], {"delta": 0}, "delta must lie strictly between 0 and 1, got 0"),
        ([1.0], [b"a"], {}, "scores1 must be a one-dimensional array of numbers"),
        (
            ["a"],
            [1.0],
            {},
            "scores must be numbers, or the path of an .npy or Parquet file; there is no file or folder a",
        ),
    ],
)
def test_bad_scores_are_refused(scores0, scores1, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        NPROCBand.from_scores(scores0, scores1, **arguments)


@pytest.mark.parametrize("level", [0.02, 0.1, 0.37, 0.999])
@pytest.mark.parametrize(
    "given",
    [
        {"n_splits": 1},
        {"n_splits": 3},
        {"delta": 0.5},
        {"band": "simultaneous"},
        {"band": "simultaneous", "bounds": "dkw"},
    ],
)
def test_the_estimated_partial_area_is_that_under_the_drawn_line_and_lies_between_the_bounds(given, level):
    band = nproc(*data(), "lda", random_state=1, **given)
    lines = {line.get_gid(): line for line in band.plot(ax=Figure().subplots()).lines}
    x, height = lines["nproc-band-0-estimate"].get_data()
    # steps from each corner to the next; the line begins at the first knot
    by_hand = sum(h * (min(b, level) - min(a, level)) for a, b, h in zip(x[:-1], x[1:], height[:-1], strict=True))
    part = band.partial_auc(level)
    assert part.estimate == pytest.approx(by_hand, abs=1e-12)
    assert 0 <= part.lower <= part.estimate <= part.upper <= level
    assert part.to_frame().at[0, "estimate"] == part.estimate
    shown = f"{part.estimate:.4f}"
    assert f"estimate {shown}" in repr(part)
    summary = str(part.summary())
    assert re.search(rf"Estimate: +{shown} ", summary)
    proved = band.simultaneous
    assert part.guaranteed is proved
    assert ("Nothing is proved" in summary) is (not proved)
    assert ("which are no bounds" in repr(part)) is ("Lower bound" not in summary) is (not proved)
    assert "area of the rules" in repr(part)
    assert "The partial AUC of the scores" in re.sub(r"\s+", " ", summary)


def test_a_partial_area_says_why_its_ends_are_no_bounds():
    given = {"band": "simultaneous", "random_state": 1}
    average = nproc(*data(), "lda", n_splits=3, **given).partial_auc(0.2)
    assert average.reason == "Nothing is proved about it, because the curves are averages of 3 splits."
    unmet = replace(nproc(*data(), "lda", **given), unmet=("if the rows are independent",))
    assert (
        unmet.partial_auc(0.2).reason
        == "The areas under both curves would be bounds on it only if the rows are independent."
    )
    # a pointwise band has none whatever holds
    pointwise = nproc(*data(), "lda", random_state=1)
    assert replace(pointwise, unmet=unmet.unmet).partial_auc(0.2).reason == pointwise.partial_auc(0.2).reason
    for part in (average, unmet.partial_auc(0.2)):
        assert not part.guaranteed
        assert "which are no bounds" in repr(part)
        assert part.reason in re.sub(r"\s+", " ", str(part.summary()))


class TestChooseAlpha:
    """The paper's two ways to choose alpha from a band."""

    @pytest.mark.parametrize("type2_max", [0.3, 0.5, 0.9])
    def test_the_smallest_level_with_a_small_enough_upper_bound(self, type2_max):
        band = NPROCBand.from_scores(*scores(shift=2.5))
        choice = band.choose_alpha(type2_max=type2_max)
        grid = np.linspace(0, 1, 20_001)
        good = grid[band.at(grid).type2_upper <= type2_max]
        assert choice.type2_upper <= type2_max
        knot = band.alpha[band.n0_left_out - band.at(choice.alpha).order]
        assert 0 <= choice.alpha - knot < 1e-6
        assert band.at(np.nextafter(knot, 0)).type2_upper > type2_max
        # the first good level of a grid of step 1/20000 comes at most one step later
        assert 0 <= good[0] - choice.alpha <= 1 / 20_000

    def test_youden_is_the_largest_height_of_the_lower_curve_over_the_diagonal(self):
        band = NPROCBand.from_scores(*scores(shift=2.5))
        choice = band.choose_alpha("youden")
        grid = np.linspace(0, 1, 20_001)
        brute = np.max(1 - band.at(grid).type2_upper - grid)
        height = 1 - choice.type2_upper - choice.alpha
        # the height falls by one grid step at most between a knot and the next grid point
        assert 0 <= height - brute <= 1 / 20_000

    @pytest.mark.filterwarnings("ignore:the scores seem to have the wrong sign")
    @pytest.mark.parametrize(
        ("n0", "place", "alpha"),
        [
            (1000, 0.85, 0.169837),
            (200_000, 2.0, 1.49786e-05),
            # the next level of six decimals is 1, or in the next step
            (200_000, 1 / 400_000, 0.9999998),
            (2_000_000, 0.8500003, 0.1504155),
            (2_000_000, 0.85, 0.150416),
        ],
    )
    def test_it_is_short_if_a_short_level_has_the_same_rank(self, n0, place, alpha):
        # all class 1 scores lie at one place, so that the choice is the first threshold below it
        band = NPROCBand.from_scores(np.arange(n0) / n0, np.full(100, place))
        choice = band.choose_alpha(type2_max=0.5)
        order = max(1, min(n0, np.ceil(n0 * place)))
        knot = type1_upper(int(order), n0, 0.05)
        assert choice.alpha == choice.to_frame().at[0, "alpha"] == alpha == float(choice.shown_alpha)
        assert 0 <= alpha - knot < 1e-6
        # each text of the level can be typed back
        shown = band.at(choice)
        for text in (repr(choice), repr(shown), str(shown.summary()), shown.note):
            (written,) = set(re.findall(r"\b0\.\d{6,}\b|\b1\.\d+e-05\b", text))
            assert band.at(float(written)).order == order

    def test_the_choice_says_that_it_is_not_guaranteed_and_why(self):
        choice = NPROCBand.from_scores(*scores()).choose_alpha("youden")
        assert choice.guaranteed is False
        assert "chosen on the rows that set the thresholds" in choice.reason
        assert float(choice) == choice.alpha

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({}, "give either criterion='youden' or type2_max="),
            ({"criterion": "youden", "type2_max": 0.4}, "give either criterion='youden' or type2_max="),
            ({"by_eye": 0.1, "type2_max": 0.4}, "give either criterion='youden' or type2_max="),
            ({"by_eye": 1.2}, "by_eye must lie strictly between 0 and 1, got 1.2"),
            (
                {"criterion": "best"},
                "criterion must be 'youden', got 'best'; to choose by a bound on the type II error",
            ),
            ({"type2_max": 1}, "type2_max must lie strictly between 0 and 1, got 1"),
            (
                {"type2_max": 1e-9},
                r"no alpha has a type II upper bound of at most 1e-09; the smallest reached is 0\.0\d*, at alpha = 0\.",
            ),
        ],
    )
    def test_bad_criteria_are_refused(self, arguments, message):
        with pytest.raises(InvalidInputError, match=message):
            NPROCBand.from_scores(*scores()).choose_alpha(**arguments)


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    return rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.0]), y


class TestClassifier:
    """The classifier at one level of a band, without training again."""

    X, y = data()
    band = nproc(X, y, "lda", n_splits=3, random_state=1)

    def test_its_thresholds_are_the_order_statistics_of_the_scores_of_the_band(self):
        fit = self.band.classifier(0.1)
        for rule, split in zip(fit.rules, self.band.scored, strict=True):
            assert rule == np_threshold(split.scores0, alpha=0.1)
        assert all(a is b.scorer for a, b in zip(fit.scorers, self.band.scored, strict=True))
        assert (fit.alpha, fit.delta, fit.n_splits, fit.seed) == (0.1, 0.05, 3, 1)

    def test_the_band_at_the_level_speaks_of_these_very_rules(self):
        fit, values = self.band.classifier(0.1), self.band.at(0.1)
        missed = [np.mean(s.scores1 <= t) for s, t in zip(self.band.scored, fit.thresholds, strict=True)]
        assert values.type2 == pytest.approx(np.mean(missed), rel=1e-12)
        assert fit.orders.tolist() == [values.order] * 3

    def test_a_level_fixed_beforehand_keeps_the_guarantee(self):
        fit = self.band.classifier(0.1)
        assert not fit.alpha_chosen
        # proved for one split: the vote of three has no proof
        assert not fit.guaranteed
        assert "For the majority vote of 3 splits the same bound is not proved" in " ".join(str(fit.summary()).split())
        assert "holds with probability at least 0.95" in str(fit.summary())
        condition = "if alpha = {} was fixed before the band was looked at."
        assert condition.format(0.1) in fit.notes()[0]
        assert condition.format(0.2) in fit.with_levels(alpha=0.2).notes()[0]
        assert "only a part of the class 1 rows" in " ".join(str(fit.summary()).split())

    @pytest.mark.parametrize(
        ("name", "way"), [("scores1", "are in band.sorted1,"), ("thresholds", "use band.classifier(alpha).thresholds")]
    )
    def test_an_attribute_of_fits_is_told_by_its_place_without_another_guess(self, name, way):
        with pytest.raises(AttributeError) as told:
            getattr(self.band, name)
        assert way in str(told.value)
        # Python looks for names like this one among those of the object
        assert (told.value.name, told.value.obj) == (name, None)

    @pytest.mark.parametrize("how", [{"criterion": "youden"}, {"type2_max": 0.5}, {"by_eye": 0.2345}])
    def test_a_chosen_level_takes_the_guarantee_away_and_the_summary_says_so(self, how):
        choice = self.band.choose_alpha(**how)
        fit = self.band.classifier(choice)
        assert fit.guaranteed is False
        assert fit.alpha_chosen
        assert "no guarantee: alpha was chosen" in repr(fit)
        assert "no guarantee" not in repr(self.band.classifier(0.1))
        assert self.band.classifier(choice.alpha).alpha_chosen, "the number alone is remembered"
        assert fit.alpha == choice.alpha
        text = " ".join(str(fit.summary()).split())
        assert "There is no guarantee on the type I error" in text
        assert "holds with probability" not in text
        # in experiments with a chosen level the bound did not hold
        assert "held in experiments" not in text
        assert "would be valid bounds for each single split if alpha had been fixed beforehand" in text
        assert f"Choice of alpha: {choice.criterion}." in text

    def test_a_chosen_level_of_a_vote_has_no_word_of_a_promise_at_a_fixed_one(self):
        choice = self.band.choose_alpha(type2_max=0.5)
        one = nproc(self.X, self.y, "lda", random_state=1)
        promise, vote = "in at most a share delta of the samples", "The bound is not proved for the vote of 3 splits"
        assert vote in choice.reason
        assert promise not in choice.reason
        for fit, proved in ((self.band.classifier(choice), False), (one.classifier(choice), True)):
            text = " ".join(str(fit.summary()).split())
            assert (promise in text) is proved
            assert (vote in text) is not proved

    def test_a_level_below_the_first_knot_is_an_error(self):
        with pytest.raises(TooFewSamplesError, match=r"n0=100 left-out class 0 scores cannot meet alpha=0\.001"):
            self.band.classifier(0.001)

    @pytest.mark.parametrize("alpha", [0, 1, "0.1"])
    def test_a_bad_level_is_refused(self, alpha):
        with pytest.raises(InvalidInputError, match="alpha must"):
            self.band.classifier(alpha)

    def test_a_band_from_raw_scores_has_no_classifier(self):
        raw = NPROCBand.from_scores(*scores())
        with pytest.raises(InvalidInputError, match=r"no scorer to predict with; compare .* the value of np_threshold"):
            raw.classifier(0.1)

    def test_of_a_simultaneous_band_from_raw_scores_the_error_names_its_own_threshold(self):
        # np_threshold gives a smaller rank, which serves one alpha fixed beforehand
        raw = NPROCBand.from_scores(*scores(), band="simultaneous")
        with pytest.raises(InvalidInputError, match=r"compare new scores with np\.sort\(scores0\)\[band\.at\(alpha\)"):
            raw.classifier(0.3)
        assert raw.at(0.3).order > NPROCBand.from_scores(*scores()).at(0.3).order


def test_texts_name_levels_sizes_and_what_is_not_proved():
    band = NPROCBand.from_scores([scores()[0]] * 3, [scores()[1]] * 3, delta=0.1, name="mine")
    assert repr(
        band
    ) == "NPROCBand(method='mine', delta=0.1, average of 3 splits, left out: 60 of class 0, 40 of class 1)\n" + (
        "  larger scores are taken to mean class 1"
    )
    text = " ".join(str(band.summary()).split())
    for expected in (
        "mine",
        "0.1",
        "60",
        "40",
        "does not hold for all alpha at once",
        "averages over 3 splits",
        rounded_down(band.auc_lower),
        rounded_up(band.auc_upper),
    ):
        assert expected in text
    assert "none" in str(band.summary(alphas=[0.001]))


def test_a_table_has_a_row_a_knot():
    band = NPROCBand.from_scores(*scores())
    frame = band.to_frame()
    assert frame.columns.tolist() == ["alpha", "order", "type2_lower", "type2", "type2_upper"]
    assert len(frame) == 60


def test_a_band_survives_pickling():
    band = NPROCBand.from_scores(*scores())
    again = pickle.loads(pickle.dumps(band))
    np.testing.assert_array_equal(again.at([0.1, 0.2]).type2_upper, band.at([0.1, 0.2]).type2_upper)
    assert isinstance(again, Band)


def test_a_chosen_level_is_shown_so_that_the_shown_number_has_its_rank():
    rng = np.random.default_rng(11)
    for n0 in (40, 100, 999):
        band = NPROCBand.from_scores(rng.normal(size=n0), rng.normal(1, 1, size=80))
        for choice in (band.choose_alpha(type2_max=0.5), band.choose_alpha("youden")):
            assert f"alpha={choice.shown_alpha}" in repr(choice)
            assert band.at(float(choice.shown_alpha)).order == band.at(choice.alpha).order
            texts = [choice.summary().as_text()]
            for result in (band.at(choice), band.partial_auc(choice), band.predictive_values(0.2).at(choice)):
                texts += [repr(result), result.summary().as_text()]
            with pytest.warns(NPWarning, match="no method dominates all others") as warned:
                compare(band, band).best_at(choice)
            texts.append(str(warned[0].message))
            assert [text for text in texts if not re.search(rf"\b{re.escape(choice.shown_alpha)}\b", text)] == []


def test_the_alpha_of_a_classifier_typed_in_as_it_is_printed_has_the_same_rank():
    for seed in range(20):
        y = np.repeat([0, 1], [90, 80])
        fitted = nproc(np.random.default_rng(seed).normal(size=(170, 2)) + y[:, None], y, "lda", random_state=seed)
        fit = fitted.classifier(fitted.choose_alpha("youden"))
        printed = float(re.search(r"alpha=([\d.]+)", repr(fit))[1])
        assert fitted.classifier(printed).orders.tolist() == fit.orders.tolist()
        in_summary = float(re.search(r"alpha: +([\d.]+)", str(fit.summary()))[1])
        assert in_summary == printed


@pytest.mark.slow
def test_a_picture_of_an_average_of_splits_does_not_claim_a_bound():
    y = np.repeat([0, 1], [90, 80])
    rows = np.random.default_rng(1).normal(size=(170, 2)) + y[:, None]
    one, five = (nproc(rows, y, "lda", n_splits=n, random_state=1) for n in (1, 5))
    assert one.caption == r"at one $\alpha$ fixed beforehand, $\delta$ = 0.05"
    for ax in (five.plot(), compare(five, nproc(rows, y, "nb", n_splits=5, random_state=1)).plot()):
        legend = ax.figure.legends[0] if ax.figure.legends else ax.get_legend()
        words = " ".join([legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())])
        assert "average of 5 splits, not proved" in words
        assert "beforehand" not in words


@pytest.mark.slow
def test_pictures_say_that_nothing_is_guaranteed_and_why_where_the_text_does():
    y = np.repeat([0, 1], [90, 80])
    rows = np.random.default_rng(1).normal(size=(170, 2)) + y[:, None]

    def words(ax):
        legend = ax.get_legend()
        return " ".join(f"{ax.get_title()} {legend.get_title().get_text()}".split())

    for n_splits in (1, 3):
        lda, nb = (nproc(rows, y, method, n_splits=n_splits, random_state=1) for method in ("lda", "nb"))
        owned = with_shared_owners(lda, "some rows share a patient", ["patient"])
        assert "Not guaranteed here" in str(owned.summary())
        compared = compare(owned, nb)
        for draw in (
            owned.plot,
            compared.plot,
            partial(compared.plot, layout="panels"),
            owned.predictive_values(0.2).plot,
        ):
            assert words(draw()).count("not guaranteed: some rows depend on each other") == 1
        assert "guaranteed" not in words(lda.plot())


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_copies_of_rows_are_told_in_a_note_of_their_own_behind_the_guarantee():
    y = np.tile([0, 1], 150)
    X = np.round(np.random.default_rng(0).normal(size=(300, 1)) + y[:, None], 1)
    band = nproc(X, y, "lda", class0=0, random_state=1)
    for result, of_guarantee, begins in (
        (band, 1, "For one split and one alpha fixed beforehand: with probability at least 1 - delta"),
        (band.predictive_values(0.5), 2, "At one alpha fixed beforehand, for one split: both lower bounds hold"),
        (band.predictive_values(0.5).at(0.2), 1, "At one alpha fixed beforehand, for one split: both lower"),
    ):
        notes = " ".join(str(result.summary()).split()).partition("Notes: ")[2]
        first, second = re.split(r"\[\d\] ", notes)[of_guarantee : of_guarantee + 2]
        assert first.startswith(begins)
        assert "are exact copies of training rows with the same label" in second
        assert "copies" not in first
