"""Tests of `nproc.bands.predictive`: values at knots and levels, both kinds of band, what is shown, and bad input."""

import json
import pickle
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.path import Path
from scipy import optimize, special, stats

from nproc import NPROCBand, compare, load, np_order, npc, nproc, save
from nproc.bands import PredictiveBand
from nproc.cli import main
from nproc.errors import InvalidInputError, NPWarning
from nproc.plotting.canvas import color_of
from nproc.simultaneous import local_level
from nproc.tables import rounded_down, rounded_up

mpl.use("Agg")
RNG = np.random.default_rng(0)
SCORES0, SCORES1 = RNG.normal(size=200), RNG.normal(1.5, 1.2, size=150)
BAND = NPROCBand.from_scores(SCORES0, SCORES1, delta=0.1)
ENDS = ["_lower", "", "_upper"]
NAMES = ["ppv_lower", "ppv", "ppv_upper", "npv_lower", "npv", "npv_upper"]


def edge_of_region(delta):
    """Levels p1, p2 of at least a whose product is c."""
    a = 0.9 * (1 - np.sqrt(1 - delta))
    c = optimize.brentq(lambda c: 2 * a + c * np.log(c / a**2) - c - delta, a**2, a)
    u1 = np.geomspace(a, c / a, 4001)
    return u1, c / u1


def by_hand(order, prevalence, delta=0.1):
    """The extreme values over a fine grid of the region."""
    u1, u2 = edge_of_region(delta)
    missed = int(np.sum(np.sort(SCORES0)[order - 1] >= SCORES1))
    low1 = special.betaincinv(200 - order, order + 1, u1)
    high1 = special.betainccinv(201 - order, order, u1)
    low2, high2 = special.betaincinv(missed, 151 - missed, u2), special.betainccinv(missed + 1, 150 - missed, u2)
    errors = ((high1, high2, np.min), ((201 - order) / 201, missed / 150, np.min), (low1, low2, np.max))
    found = []
    for type1, type2, extreme in errors:
        power = prevalence * (1 - type2)
        found.append(extreme(power / (power + (1 - prevalence) * type1)))
    for type1, type2, extreme in errors:
        right = (1 - prevalence) * (1 - type1)
        found.append(extreme(right / (right + prevalence * type2)))
    return found


def test_a_prevalence_may_be_that_of_a_label():
    sample = RNG.normal(size=(300, 1)) + np.repeat([0, 2], 150)[:, None], np.repeat(["ill", "well"], 150)
    band = nproc(*sample, "lda", class0="ill", random_state=1)
    for given, same in (({"ill": 0.1}, {"well": 0.9}), ({"ill": (0.05, 0.2)}, {"well": (0.8, 0.95)})):
        assert band.predictive_values(given).prevalence == pytest.approx(band.predictive_values(same).prevalence)
    # a bare number is that of class 1, which may not be the one that was meant
    said = "prevalence=0.9 is taken as the share of 'well' rows, which are class 1. If it is that of 'ill', the result"
    with pytest.warns(NPWarning, match=said):
        assert band.predictive_values(0.9).prevalence == (0.9, 0.9)
    text = " ".join(str(band.predictive_values({"ill": 0.1}).summary()).split())
    assert "Prevalence of ill: 0.1" in text
    # what is read off at some levels says whose prevalence it is, too
    interval = band.predictive_values({"ill": (0.05, 0.2)})
    for shown in (repr(interval), repr(interval.at(0.1)), repr(interval.at([0.1, 0.2]))):
        assert "prevalence of ill: 0.05 to 0.2, " in shown
    assert "Prevalence of ill: 0.05 to 0.2" in " ".join(str(interval.at(0.1).summary()).split())
    for frame in (interval.to_frame(), interval.at(0.1).to_frame()):
        given = frame[["P(well)_lower", "P(well)", "P(well)_upper"]].drop_duplicates()
        np.testing.assert_allclose(given, [[0.8, 0.875, 0.95]])
    assert "P(ill | called ill) is the share of ill (class 0)" in text
    assert BAND.predictive_values({0: 0.2}).prevalence == pytest.approx((0.8, 0.8))
    for wrong in ({"sick": 0.1}, {}, {"ill": 0.1, "well": 0.9}):
        with pytest.raises(InvalidInputError, match="one of the labels 'ill' and 'well' as its only key"):
            band.predictive_values(wrong)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.4])
def test_the_values_at_a_level_are_those_of_the_formulas(alpha):
    values = BAND.predictive_values(0.2).at(alpha)
    order = np_order(200, alpha, 0.1)
    assert values.order == order
    np.testing.assert_allclose([getattr(values, name) for name in NAMES], by_hand(order, 0.2), rtol=1e-6)


def test_levels_may_be_an_array_and_the_knots_are_the_same():
    band = BAND.predictive_values(0.2)
    knots = band.to_frame()
    one, zero = "P(class 1 | called class 1)", "P(class 0 | called class 0)"
    given = [f"P(class 1){end}" for end in ENDS]
    right = [f"{of}{end}" for of in (one, zero) for end in ENDS]
    assert knots.columns.tolist() == ["alpha", "order", *given, *right]
    assert np.all(knots[given] == 0.2)
    knots = knots.drop(columns=given).set_axis(["alpha", "order", *NAMES], axis=1)
    values = band.at(band.alpha)
    np.testing.assert_array_equal(values.order, band.order)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(values, name), knots[name])
        np.testing.assert_array_equal(getattr(band, name), knots[name])
    assert np.all(knots.ppv_lower <= knots.ppv)
    assert np.all(knots.ppv <= knots.ppv_upper)
    assert np.all(knots.npv_lower <= knots.npv)
    assert np.all(knots.npv <= knots.npv_upper)


def test_below_the_first_knot_nothing_is_said():
    values = BAND.predictive_values(0.2).at([0.001, 0.1])
    assert values.order.tolist() == [201, np_order(200, 0.1, 0.1)]
    assert (values.ppv_lower[0], values.ppv_upper[0], values.npv_lower[0], values.npv_upper[0]) == (0, 1, 0, 1)
    assert np.isnan(values.ppv[0])
    # the note on such rows is only where there is one
    band, note = BAND.predictive_values(0.2), "Rank none: no left-out class 0 score"
    for nowhere in (True, False):
        alphas = [0.001, 0.1] if nowhere else [0.1]
        for summary in (band.at(alphas).summary(), band.summary(alphas=alphas)):
            words = " ".join(str(summary).split())
            assert (note in words) == nowhere
            assert ("none" in words) == nowhere


def test_where_no_row_is_called_class_1_its_share_of_right_calls_is_bounded_but_not_estimated():
    # of the five points all class 0 and class 1 rows with the largest are called class 0 at a small alpha
    tied = np.repeat(np.arange(5.0), [60, 50, 40, 30, 20]), np.repeat(np.arange(5.0), [5, 10, 20, 30, 35])
    largest = SCORES0.copy()
    largest[0] = 9.0
    for scores in (tied, (largest, SCORES1)):
        band = NPROCBand.from_scores(*scores).predictive_values(0.2)
        above = [np.sum(scores[1] > np.sort(scores[0])[order - 1]) for order in band.order]
        nothing = (np.array(above) == 0) & (np.sort(scores[0])[band.order - 1] == scores[0].max())
        assert 0 < nothing.sum() < nothing.size
        np.testing.assert_array_equal(np.isnan(band.ppv), nothing)
        assert not np.isnan(band.npv).any()
        level = band.alpha[0]
        values = band.at(level)
        assert (values.order, values.ppv_lower, values.ppv_upper) == (200, 0.0, 1.0)
        assert "order=200," in repr(values)
        assert "P(class 1 | called class 1)=none [0.0000, 1.0000] (.ppv), P(class 0 | called class 0)=" in repr(values)
        said = "Estimate -: no left-out row is called class 1 there"
        for summary in (values.summary(), band.summary(alphas=[level])):
            words = " ".join(str(summary).split())
            assert said in words
            assert "200 P(class 1 | called class 1) 0.0000 - 1.0000" in words
            assert "Rank none" not in words
        assert said not in str(band.summary(alphas=[0.4]))
        assert values.to_frame()["order"].tolist() == [200]
        # no line is drawn where there is no estimate
        (line,) = (line for line in band.plot(ax=Figure().subplots()).lines if line.get_gid() == "nproc-ppv-0-estimate")
        np.testing.assert_array_equal(np.isnan(line.get_ydata()[:-1]), nothing)
    # an average over splits has an estimate where each split has one
    both = NPROCBand.from_scores([largest, SCORES0], [SCORES1, SCORES1]).predictive_values(0.2)
    assert np.isnan(both.ppv[0])
    assert not np.isnan(both.ppv_upper).any()


def test_the_summary_says_how_the_type_1_error_of_an_estimate_is_taken():
    values = BAND.predictive_values(0.2)
    cut = np.sort(SCORES0)[values.at(0.1).order - 1]
    m, power = np.sum(cut < SCORES0), 0.2 * np.mean(cut < SCORES1)
    assert values.at(0.1).ppv == pytest.approx(power / (power + 0.8 * (m + 1) / 201))
    said = "The estimates take (m + 1) / (n0 + 1) as the type I error if m of the n0 left-out class 0 rows are called"
    for summary in (values.summary(), values.at(0.1).summary()):
        assert said in " ".join(str(summary).split())


def test_bounds_at_one_alpha_are_said_not_to_be_those_of_the_two_separate_bounds():
    values = BAND.predictive_values(0.2)
    here, power = values.at(0.1), 0.2 * (1 - BAND.at(0.1).type2_upper)
    assert here.ppv_lower != pytest.approx(power / (power + 0.8 * 0.1), rel=1e-3)
    said = "one region for both errors, and are not what the separate bounds of the two errors would give."
    for summary in (here.summary(), values.summary()):
        assert said in " ".join(str(summary).split())
    at_once = NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous").predictive_values(0.2)
    assert said not in " ".join(str(at_once.summary()).split())


def test_the_summaries_of_an_interval_say_that_the_estimates_are_at_its_middle():
    band = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0))
    for share, said in (((0.05, 0.15), "0.1"), ({0: (0.02, 0.04)}, "0.03"), (0.2, None)):
        values = band.predictive_values(share)
        for summary in (values.at(0.2).summary(), values.summary()):
            words = " ".join(str(summary).split())
            assert ("Estimates are at the middle" in words) == (said is not None)
            assert said is None or f"Estimates are at the middle of the interval, {said}." in words
        # all that is needed has three notes
        notes = str(values.summary(alphas=[0.001, 0.2])).partition("Notes:")[2]
        assert ("[3]" in notes, "[4]" in notes) == (True, False)


def test_a_tie_at_the_threshold_counts_all_that_share_it():
    tied = NPROCBand.from_scores(np.repeat([0.0, 1.0, 2.0], [150, 40, 10]), np.repeat([0.0, 2.0], [50, 100]), delta=0.1)
    order = np_order(200, 0.2, 0.1)
    assert 150 < order < 190
    u1, u2 = edge_of_region(0.1)
    values = tied.predictive_values(0.5).at(0.2)
    # 190 scores are up to the threshold, at 1; 50 class 1 scores are
    low1, low2 = stats.beta.ppf(u1, 10, 191), stats.beta.ppf(u2, 50, 101)
    assert values.ppv_upper == pytest.approx(np.max((1 - low2) / (1 - low2 + low1)), rel=1e-6)


def test_the_largest_score_leaves_no_lower_bound_on_the_type_1_error():
    knots = BAND.predictive_values(0.2)
    assert knots.order[0] == 200
    assert knots.ppv_upper[0] == 1.0


def test_class_1_scores_all_below_or_all_above():
    none = NPROCBand.from_scores(np.arange(100.0), np.full(50, 200.0)).predictive_values(0.3)
    assert np.all(none.npv_upper == 1.0)
    with pytest.warns(UserWarning, match="the wrong sign"):
        all_missed = NPROCBand.from_scores(np.arange(100.0), np.full(50, -1.0))
    assert np.all(all_missed.predictive_values(0.3).ppv_lower == 0.0)


@pytest.mark.parametrize("bounds", ["berk_jones", "dkw"])
def test_a_simultaneous_band_gives_simultaneous_values(bounds):
    band = NPROCBand.from_scores(SCORES0, SCORES1, delta=0.1, band="simultaneous", bounds=bounds)
    wide, narrow = band.predictive_values(0.2), BAND.predictive_values(0.2)
    assert wide.simultaneous
    assert not narrow.simultaneous
    # at one and the same rank
    assert np.all(wide.ppv_lower <= narrow.ppv_lower)
    assert np.all(wide.ppv_upper >= narrow.ppv_upper - 1e-12)
    values = wide.at(0.4)
    assert values.order == band.at(0.4).order > narrow.at(0.4).order
    told = " ".join(str(wide.summary()).split())
    assert "for all alpha, and all prevalences, at once" in told
    # the band bounds the type I error at one side only
    assert "A lower bound worked out from alpha and the band's bound on the type II error can be larger." in told
    power = 1.0 - band.at(0.4).type2_upper
    assert values.ppv_lower < 0.2 * power / (0.2 * power + 0.8 * 0.4)
    assert "all alpha at once" in repr(wide)


def test_the_simultaneous_bounds_are_local_ones():
    band = NPROCBand.from_scores(SCORES0, SCORES1, delta=0.1, band="simultaneous").predictive_values(0.2)
    share = 1 - np.sqrt(0.9)
    level0, level1 = local_level(200, share, sides=2), local_level(150, share, sides=2)
    order = 150
    missed = int(np.sum(np.sort(SCORES0)[order - 1] >= SCORES1))
    high1 = stats.beta.ppf(1 - level0, 201 - order, order)
    high2 = stats.beta.ppf(1 - level1, missed + 1, 150 - missed)
    at = int(np.flatnonzero(band.order == order)[0])
    assert band.ppv_lower[at] == pytest.approx(0.2 * (1 - high2) / (0.2 * (1 - high2) + 0.8 * high1), rel=1e-9)


def test_several_splits_are_averaged_and_the_summary_says_that_nothing_is_proved():
    one, two = (NPROCBand.from_scores(SCORES0[j::2], SCORES1[j::2], delta=0.1) for j in (0, 1))
    both = NPROCBand.from_scores([SCORES0[::2], SCORES0[1::2]], [SCORES1[::2], SCORES1[1::2]], delta=0.1)
    mean = (one.predictive_values(0.2).ppv_lower + two.predictive_values(0.2).ppv_lower) / 2
    np.testing.assert_allclose(both.predictive_values(0.2).ppv_lower, mean, rtol=1e-12)
    for shown in (both.predictive_values(0.2), both.predictive_values(0.2).at(0.05)):
        assert "nothing is proved about averages" in " ".join(str(shown.summary()).split())


@pytest.mark.slow
def test_a_level_chosen_on_the_band_takes_the_promise_away_wherever_it_is_shown():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=300), rng.normal(1.5, 1, size=200)
    band = NPROCBand.from_scores(*scores)
    assert "Nothing is proved" not in band.predictive_values(0.2).at(0.1).note
    choice = band.choose_alpha(type2_max=0.6)
    values = band.predictive_values(0.2)
    said = f"Nothing is proved at alpha = {choice.shown_alpha}, because the threshold there was chosen on the band."
    assert values.at(choice).ppv_lower == values.at(choice.alpha).ppv_lower
    for known in (values, band):
        for shown in (known.at(choice), known.at(choice.alpha), known.at([0.3, choice.alpha])):
            assert said in shown.note
            assert said in " ".join(str(shown.summary()).split())
        assert said in " ".join(str(known.summary(alphas=[0.3, choice.alpha])).split())
        assert "Nothing is proved" not in known.at(0.3).note
    # another band cannot know which rows made the choice, and the number alone counts as fixed beforehand
    other = NPROCBand.from_scores(rng.normal(size=250), rng.normal(1.5, 1, size=200))
    way = "because it was chosen on a band. If the choice was made on other rows, give choice.alpha, which counts as"
    for known in (other, other.predictive_values(0.2)):
        assert f"Nothing is proved at alpha = {choice.shown_alpha}, {way}" in known.at(choice).note
        assert "Nothing is proved" not in known.at(choice.alpha).note
    # a simultaneous band holds at all levels, and so at a chosen one
    wide = NPROCBand.from_scores(*scores, band="simultaneous")
    sure = wide.choose_alpha(type2_max=0.6)
    for known in (wide, wide.predictive_values(0.2)):
        assert "Nothing is proved" not in known.at(sure).note
    # also by its number, and on a simultaneous band whose conditions are not met
    unmet = replace(wide, unmet=("if the settings were fixed beforehand",))
    unmet.choose_alpha(type2_max=0.6)
    both = compare(band, NPROCBand.from_scores(scores[0], scores[1] - 0.2), regions="pointwise")
    pairs = [(shown, alpha) for shown in (band, values, both) for alpha in (choice, choice.alpha)]
    pairs += [(shown, alpha) for shown in (unmet, unmet.predictive_values(0.2)) for alpha in (sure, sure.alpha)]
    for shown, alpha in pairs:
        legend = shown.plot(alpha=alpha).get_legend()
        assert sum("chosen on a band" in text.get_text() for text in legend.get_texts()) == 1
    # and every method takes the choice as it takes its number
    assert both.at(choice).equals(both.at(choice.alpha))
    assert set(both.at(choice)["bounds"]) == {"pointwise, of the rule; not proved: alpha was chosen on a band"}
    assert set(both.at(0.3)["bounds"]) == {"pointwise, of the rule"}
    assert both.best_at(choice, fallback=None) == both.best_at(choice.alpha, fallback=None)
    assert band.at(choice).type2_upper == band.at(choice.alpha).type2_upper
    assert band.partial_auc(choice) == band.partial_auc(choice.alpha)
    for shown in (wide, wide.predictive_values(0.2)):
        legend = shown.plot(alpha=sure).get_legend()
        assert not any("chosen on a band" in text.get_text() for text in legend.get_texts())


def trained():
    rng = np.random.default_rng(4)
    y = np.repeat(["ill", "well"], 150)
    frame = pd.DataFrame({"a": rng.normal(size=300) + 2.0 * (y == "well"), "b": rng.normal(size=300)})
    return frame, y


def test_a_band_of_a_trained_method_names_its_classes(tmp_path):
    frame, y = trained()
    values = nproc(frame, y, "lda", class0="ill", random_state=1).predictive_values({"well": (0.6, 0.9)})
    text = " ".join(str(values.summary(alphas=[0.1])).split())
    assert "P(well | called well) is the share of well (class 1) among rows called well." in text
    assert "0.6 to 0.9" in text
    assert "It is not estimated, because the data need not have this share" in text
    assert "prevalence of well: 0.6 to 0.9" in repr(values)
    at = values.at(0.1)
    for name, shown in (("ppv", "P(well | called well)"), ("npv", "P(ill | called ill)")):
        lower, upper = (getattr(at, f"{name}_{end}") for end in ("lower", "upper"))
        assert f"{shown}={getattr(at, name):.4f} [{rounded_down(lower)}, {rounded_up(upper)}] (.{name})" in repr(at)
        assert f"{shown}=none [0.0000, 1.0000]; {getattr(at, name):.4f} [" in repr(values.at([0.0, 0.1]))
        known = values.at(np.linspace(0, 1, 9)[1:])
        many = getattr(known, name)
        of_many = repr(values.at(np.linspace(0, 1, 9)))
        assert f"{shown}={many.min():.4f} to {many.max():.4f} in [" in of_many
        assert f"] (.{name})" in of_many
    # the bounds are those of the classifier of the band, whose knots a saved band makes again
    again = load(save(values.band, tmp_path / "band.joblib")).predictive_values({"well": (0.6, 0.9)})
    np.testing.assert_array_equal(again.ppv_lower, values.ppv_lower)
    copied = pickle.loads(pickle.dumps(values))
    assert isinstance(copied, PredictiveBand)
    np.testing.assert_array_equal(copied.npv_upper, values.npv_upper)


def test_the_picture_shows_the_bounds():
    band = BAND.predictive_values(0.2)
    axes = band.plot()
    for name in ("ppv-lower", "ppv-upper", "npv-lower", "npv-upper"):
        gid = f"nproc-{name.replace('-', '-0-')}"
        (line,) = axes.findobj(lambda artist, gid=gid: artist.get_gid() == gid)
        np.testing.assert_array_equal(line.get_ydata()[:-1], getattr(band, name.replace("-", "_")))
    mpl.pyplot.close(axes.figure)
    alone = band.plot(values="npv")
    assert not alone.findobj(lambda artist: artist.get_gid() == "nproc-ppv-0-lower")
    assert "prevalence of class 1: 0.2" in alone.get_title()
    mpl.pyplot.close(alone.figure)


@pytest.mark.slow
def test_the_picture_marks_a_level_with_its_bounds_and_shows_the_levels_asked_for():
    band = BAND.predictive_values((0.1, 0.2))

    def found(axes, gid):
        return axes.findobj(lambda artist: artist.get_gid() == gid)

    def levels_in(axes):
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        return [text for text in texts if "called" not in text]

    axes, at = band.plot(alpha=0.1, xlim=(0, 0.3), ax=Figure().subplots()), band.at(0.1)
    for name in ("ppv", "npv"):
        (bar,) = found(axes, f"nproc-{name}-0-at-alpha")
        np.testing.assert_array_equal(
            bar.get_data(), [[0.1, 0.1], [getattr(at, f"{name}_{end}") for end in ("lower", "upper")]]
        )
    assert axes.get_xlim() == pytest.approx((-0.003, 0.303))
    assert levels_in(axes) == [r"bounds at $\alpha$ = 0.1"]

    def bars_in_legend(axes):
        bars = axes.get_legend().findobj(lambda artist: isinstance(getattr(artist, "get_marker", str)(), Path))
        return [bar.get_color() for bar in bars]

    # the bars have the colours of the values, and stand beside the line of the level, also in the legend
    bars = [found(axes, f"nproc-{name}-0-at-alpha")[0].get_color() for name in ("ppv", "npv")]
    assert bars_in_legend(axes) == bars == [color_of(0), color_of(1)]
    # that of one value is dark and stands on the line
    alone = band.plot(alpha=0.1, values="ppv", ax=Figure().subplots())
    assert bars_in_legend(alone) == ["black"]
    band.plot(values="npv", ax=alone)
    assert bars_in_legend(alone) == ["black"]
    assert "0.1 to 0.2, lines at 0.15" in axes.get_title()
    # the edges of a band are told from those of the other one in grey-scale print
    edges = [found(axes, f"nproc-{name}-0-lower")[0].get_linestyle() for name in ("ppv", "npv")]
    assert edges == ["-", "--"]
    # below the smallest level there is no classifier
    axes = band.plot(alpha=0.002, log=True, ax=Figure().subplots())
    assert not found(axes, "nproc-ppv-0-at-alpha")
    assert levels_in(axes) == [r"$\alpha$ = 0.002, below the smallest, 0.0115"]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] == pytest.approx(0.9 * band.alpha[0])
    with pytest.raises(InvalidInputError, match="xlim must be two ascending levels"):
        band.plot(xlim=(0.3, 0.1), ax=Figure().subplots())
    ends = NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous", alpha_max=0.3).predictive_values(0.2)
    with pytest.raises(InvalidInputError, match=r"alpha.*0\.3"):
        ends.plot(alpha=0.4)


@pytest.mark.slow
def test_predictive_values_on_shared_axes_are_told_apart():
    def texts(axes):
        return [text.get_text().replace("\n", " ") for text in axes.get_legend().get_texts()]

    def title(axes):
        return axes.get_title().replace("\n", " ")

    of_bounds = r"$\delta$ = 0.1, one $\alpha$ fixed beforehand"
    axes = BAND.predictive_values(0.01).plot(values=["npv"], xlim=(0, 0.5), ax=Figure().subplots())
    assert title(axes) == f"prevalence of class 1: 0.01; {of_bounds}"
    BAND.predictive_values(0.2).plot(values=["npv"], ax=axes)
    assert title(axes) == of_bounds
    row = "P(class 0 | called class 0), prevalence of class 1:"
    assert texts(axes) == [f"{row} 0.01", f"{row} 0.2"]
    lines = [line for line in axes.lines if line.get_gid().endswith("-estimate")]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 2
    assert axes.get_xlim() == pytest.approx((-0.005, 0.505))
    with pytest.raises(
        InvalidInputError,
        match=r"shows P\(class 0 \| called class 0\) at a prevalence of class 1: 0.2, .*own",
    ):
        BAND.predictive_values(0.2).plot(ax=axes)
    # cleared Axes show nothing any more
    axes.clear()
    X, y = trained()
    for method in ("lda", "qda"):
        nproc(X, y, method, class0="ill", random_state=1).predictive_values({"well": 0.2}).plot(values="ppv", ax=axes)
    assert title(axes) == r"prevalence of well: 0.2; $\delta$ = 0.05, one $\alpha$ fixed beforehand"
    assert texts(axes) == [f"P(well | called well), {method}" for method in ("lda", "qda")]
    with pytest.raises(InvalidInputError, match="ax already shows type I errors of class ill"):
        nproc(X, y, "lda", class0="well", random_state=1).predictive_values({"well": 0.2}).plot(ax=axes)


def test_predictive_values_and_errors_are_not_drawn_on_the_same_axes():
    axes = BAND.predictive_values(0.2).plot(ax=Figure().subplots())
    with pytest.raises(InvalidInputError, match=r"ax already shows predictive values.* leave out ax"):
        BAND.plot(ax=axes)
    assert axes.get_ylabel() == "predictive value"
    axes = BAND.plot(ax=Figure().subplots())
    with pytest.raises(InvalidInputError, match=r"ax already shows errors.* leave out ax"):
        BAND.predictive_values(0.2).plot(ax=axes)
    assert axes.get_ylabel() != "predictive value"


def test_bad_input_is_told():
    for wrong in (0.0, 1.5, "much"):
        with pytest.raises(InvalidInputError, match="prevalence must"):
            BAND.predictive_values(wrong)
    for wrong in ((0.3, 0.1), (0.1, 0.2, 0.3)):
        with pytest.raises(InvalidInputError, match="one number or an increasing pair"):
            BAND.predictive_values(wrong)
    with pytest.raises(InvalidInputError, match="alpha must lie between 0 and 1"):
        BAND.predictive_values(0.2).at(1.2)
    with pytest.raises(InvalidInputError, match="values must be 'ppv', 'npv' or both"):
        BAND.predictive_values(0.2).plot(values="roc")


@pytest.mark.slow
def test_the_command_line_adds_them_to_bands(tmp_path, capsys):
    frame, y = trained()
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    command = ["bands", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "ill", "--method", "lda"]
    command += ["--seed", "1", "--alphas", "0.05,0.2"]
    assert main([*command, "--prevalence", "0.6,0.9"]) == 0
    out, err = capsys.readouterr()
    assert "Predictive values" in out
    assert "note: --prevalence without a label is the share of well; for that of ill, give --prevalence ill=P" in err
    assert main([*command, "--prevalence", "0.6", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)["bands"][0]["predictive_values"]
    expected = nproc(frame, y, "lda", class0="ill", random_state=1).predictive_values({"well": 0.6}).at(0.2)
    assert (entry["prevalence_of"], entry["prevalence"]) == ("well", 0.6)
    assert main([*command, "--prevalence", "ill=0.4", "--json"]) == 0
    of_ill = json.loads(capsys.readouterr().out)["bands"][0]["predictive_values"]
    assert (of_ill["prevalence_of"], of_ill["prevalence"]) == ("ill", 0.4)
    assert of_ill["values"][1]["ppv_lower"] == pytest.approx(expected.ppv_lower, rel=1e-12)
    assert main([*command, "--prevalence", "ill=0.1,0.4", "--json"]) == 0
    between = json.loads(capsys.readouterr().out)["bands"][0]["predictive_values"]
    assert (between["prevalence_of"], between["prevalence"]) == ("ill", [0.1, 0.4])
    out = tmp_path / "knots.csv"
    assert main([*command, "--method", "nb", "--prevalence", "ill=0.4", "--out", str(out)]) == 0
    capsys.readouterr()
    table = pd.read_csv(out)
    for method in ("lda", "nb"):
        rows = table[table["method"] == method].drop(columns="method").reset_index(drop=True)
        band = nproc(frame, y, method, class0="ill", random_state=1)
        values = band.predictive_values({"ill": 0.4}).to_frame()
        np.testing.assert_allclose(rows[values.columns], values, rtol=1e-12)
        np.testing.assert_allclose(rows[band.to_frame().columns], band.to_frame(), rtol=1e-12)
    assert main([*command, "--prevalence", "ill=0.4"]) == 0
    shown = capsys.readouterr().out
    assert "Prevalence of ill:" in shown
    assert shown.partition("Predictive values")[2].partition("Notes:")[0].count("P(ill | called ill)") == 2
    assert main([*command, "--prevalence", "sick=0.4"]) == 2
    assert "'sick' is not a label in the label column, which has 'ill', 'well'" in capsys.readouterr().err
    assert (entry["ppv"], entry["npv"]) == ("P(well | called well)", "P(ill | called ill)")
    assert entry["values"][1]["ppv_lower"] == pytest.approx(expected.ppv_lower, rel=1e-12)
    assert entry["values"][1]["npv_upper"] == pytest.approx(expected.npv_upper, rel=1e-12)
    for wrong in ("2", "x", "0.5,0.2", "0.1,0.2,0.3"):
        assert main([*command, "--prevalence", wrong]) == 2
        assert "give a share between 0 and 1, or two in increasing order" in capsys.readouterr().err


def test_the_command_line_predicts_p_values(tmp_path, capsys):
    import io

    frame, y = trained()
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    rows = str(tmp_path / "rows.csv")
    model = str(tmp_path / "model.joblib")
    assert main(["fit", rows, "--label", "y", "--class0", "ill", "--method", "lda", "--seed", "1", "--out", model]) == 0
    capsys.readouterr()
    assert main(["predict", model, rows, "--p-values"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_allclose(table["p_value"], load(model).p_values(frame), rtol=1e-12)


def test_levels_of_a_summary_are_checked():
    band = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0)).predictive_values(0.1)
    with pytest.raises(InvalidInputError, match="alphas must hold numbers between 0 and 1, got dtype <U3"):
        band.summary(alphas="low")
    with pytest.raises(InvalidInputError, match="alphas must lie between 0 and 1, got 2"):
        band.summary(alphas=[0.1, 2])


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ((0, 1), ("class 0", "class 1")),
        # the label 1 is class 0 here
        ((1, 0), ("label 1", "label 0")),
        (("ill", "well"), ("ill", "well")),
    ],
)
def test_predictive_values_name_classes_as_pictures_do(labels, names):
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat([0, 1], 150))
    X, y = rng.normal(size=(300, 1)) + codes[:, np.newaxis], np.array(labels)[codes]
    band = nproc(X, y, "lda", class0=labels[0], random_state=1)
    right = [f"P({name} | called {name})" for name in names]
    values = band.predictive_values({labels[1]: 0.2})
    assert f"{right[1]} is the share of {names[1]}" in " ".join(str(values.summary()).split())
    shares = [f"P({names[1]})", *right[::-1]]
    assert list(values.to_frame())[2:] == [f"{name}{end}" for name in shares for end in ("_lower", "", "_upper")]
    assert [text.get_text() for text in values.plot().get_legend().get_texts()] == right[::-1]
    fit = npc(X, y, "lda", class0=labels[0], alpha=0.1, random_state=1)
    table = fit.thresholds_table(X + 0.01, y, prevalence={labels[1]: 0.2})
    assert {*shares} <= {*table.columns}


def test_the_picture_ends_where_the_bounds_do():
    rng = np.random.default_rng(0)
    band = NPROCBand.from_scores(rng.normal(size=200), rng.normal(1, 1, 200), band="simultaneous", alpha_max=0.3)
    assert band.predictive_values(0.2).plot(ax=Figure().subplots()).get_xlim() == pytest.approx((-0.003, 0.303))
