"""Tests of `nproc.bands.bounds` and of simultaneous bands: exact ones at a smaller level that the classes share."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

from nproc import NPROCBand, NPROCDisplay, load, npc, nproc, save
from nproc.bands.bounds import DKWBounds, PointwiseBounds, SimultaneousBounds, bound_rule
from nproc.cli import main
from nproc.cli.records import choice_text
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import type1_upper, type2_bounds
from nproc.simultaneous import local_level, simultaneous_cdf_bounds, simultaneous_order, simultaneous_type1_upper

RNG = np.random.default_rng(0)
SCORES0, SCORES1 = RNG.normal(size=150), RNG.normal(1.5, 1, size=120)
KINDS = {"berk_jones": SimultaneousBounds, "dkw": DKWBounds}


def band(**kind):
    return NPROCBand.from_scores(SCORES0, SCORES1, **{"delta": 0.1, "band": "simultaneous", **kind})


def data(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n, n])
    return (rng.normal(size=2 * n) + 1.5 * y)[:, None], y


def first_column(X):
    return np.asarray(X)[:, 0]


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.5])
def test_the_two_shares_together_are_delta(delta):
    assert 1 - (1 - SimultaneousBounds(delta).share) ** 2 == pytest.approx(delta, rel=1e-12)


def test_berk_jones_bounds_are_those_of_one_alpha_at_the_local_level():
    rule = SimultaneousBounds(0.1)
    level0, level1 = local_level(150, rule.share, sides=1), local_level(120, rule.share, sides=2)
    np.testing.assert_array_equal(band().alpha, type1_upper(np.arange(150, 0, -1), 150, level0))
    for missed, lower, upper in zip(
        np.round(band().type2 * 120).astype(int)[::10], band().type2_lower[::10], band().type2_upper[::10], strict=True
    ):
        bounds = type2_bounds(int(missed), 120, level1)
        assert (lower, upper) == pytest.approx((bounds.lower, bounds.upper), rel=1e-12)


@pytest.mark.parametrize("bounds", KINDS)
def test_a_rule_gives_what_the_functions_of_simultaneous_bounds_give(bounds):
    rule = bound_rule("simultaneous", bounds, 0.1)
    assert type(rule) is KINDS[bounds]
    np.testing.assert_allclose(rule.type1_knots(80), simultaneous_type1_upper(80, rule.share, method=bounds)[::-1])
    alphas = np.array([0.01, 0.1, 0.2, 0.5, 0.9])
    np.testing.assert_array_equal(rule.orders(80, alphas), simultaneous_order(80, alphas, rule.share, method=bounds))
    counts = np.array([0, 3, 50, 120])
    found, expected = rule.type2(counts, 120), simultaneous_cdf_bounds(counts, 120, rule.share, method=bounds)
    np.testing.assert_allclose([found.lower, found.upper], expected, rtol=1e-12)


@pytest.mark.parametrize("bounds", KINDS)
def test_values_at_levels_are_those_of_the_knots(bounds):
    one = band(bounds=bounds)
    inside = one.alpha < 1
    values = one.at(one.alpha[inside])
    np.testing.assert_array_equal(values.order, np.arange(150, 0, -1)[inside])
    np.testing.assert_array_equal(values.type2_upper, one.type2_upper[inside])
    below = one.at([0.0, one.alpha[0] * 0.999])
    assert below.type2_upper.tolist() == [1.0, 1.0]
    assert below.order.tolist() == [151, 151]
    assert one.at(1.0).order == 1
    assert "hold for all alpha at once" in " ".join(str(values.summary()).split())
    assert "do not hold for all alpha at once" in " ".join(str(band(band="pointwise").at(0.1).summary()).split())


@pytest.mark.parametrize("n0", [1, 2, 17, 1000, 54_321])
@pytest.mark.parametrize("delta", [1e-9, 0.05, 0.75])
def test_ranks_by_dkw_are_those_of_all_knots_and_need_none(n0, delta, monkeypatch):
    rule, rng = DKWBounds(delta), np.random.default_rng(0)
    knots = rule.type1_knots(n0)
    near = knots[rng.integers(0, n0, 200)]
    levels = np.concatenate([[0.0, 1.0, 1e-300], rng.uniform(size=200), near, np.nextafter(near, 0)])
    levels = np.append(levels, np.nextafter(near, 1))
    expected = n0 + 1 - np.searchsorted(knots, levels, side="right")
    monkeypatch.setattr(DKWBounds, "type1_knots", None)
    np.testing.assert_array_equal(rule.orders(n0, levels), expected)
    assert rule.orders(n0, np.array(levels[5])) == expected[5]


def test_a_simultaneous_band_holds_the_pointwise_one_and_dkw_is_wider_where_errors_are_small():
    grid = np.linspace(0.001, 0.999, 300)
    point, exact = band(band="pointwise").at(grid), band().at(grid)
    assert np.all(exact.type2_upper >= point.type2_upper)
    assert np.all(exact.order >= point.order)
    sums = [one.auc_upper - one.auc_lower for one in (band(band="pointwise"), band(), band(bounds="dkw"))]
    assert sums == sorted(sums)


def test_a_choice_on_one_split_is_guaranteed_and_on_several_not():
    choice = band().choose_alpha("youden")
    assert choice.guaranteed
    assert "however alpha was chosen" in choice.reason
    assert "Guaranteed:                       yes" in str(choice.summary())
    several = NPROCBand.from_scores([SCORES0] * 3, [SCORES1] * 3, band="simultaneous")
    choice = several.choose_alpha("youden")
    assert not choice.guaranteed
    assert "averages over 3 splits, for which nothing is proved" in choice.reason


@pytest.mark.parametrize("n_splits", [1, 3])
def test_the_classifier_says_what_holds(n_splits):
    X, y = data()
    one = nproc(X, y, "lda", band="simultaneous", n_splits=n_splits, random_state=1)
    for alpha in (0.2, one.choose_alpha("youden")):
        fit = one.classifier(alpha)
        text = " ".join(str(fit.summary()).split())
        assert fit.guaranteed is (n_splits == 1)
        assert fit.simultaneous
        assert fit.type1_uppers.tolist() == [one.alpha[100 - fit.orders[0]]] * n_splits
        assert "The bounds hold for all alpha at once, so alpha may be chosen after looking at these rows" in text
        assert "before the band was looked at" not in text
        assert "all alpha at once" in repr(fit)
        assert ("Choice of alpha: largest 1 - type II upper bound - alpha" in text) is fit.alpha_chosen
        assert ("averages over 3 splits, for which nothing is proved" in text) is (n_splits == 3 and fit.alpha_chosen)
        assert "no guarantee: alpha was chosen" not in repr(fit)
    assert not npc(X, y, "lda", random_state=1).simultaneous


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_the_level_that_the_command_line_shows_typed_in_again_is_the_same_choice(kind):
    X, y = data()
    chosen = nproc(X, y, first_column, prefit=True, band=kind, class0=0)
    for type2_max in np.linspace(0.3, 0.9, 13):
        choice = chosen.choose_alpha(type2_max=type2_max)
        shown = float(re.search(r"alpha = ([0-9.]+),", choice_text(chosen, choice)).group(1))
        fit = chosen.classifier(shown)
        assert fit.orders[0] == chosen.classifier(choice).orders[0]
        assert fit.alpha_chosen


def test_a_choice_of_a_simultaneous_band_gives_no_guarantee_to_a_pointwise_one():
    X, y = data()
    choice = nproc(X, y, first_column, prefit=True, band="simultaneous", random_state=1).choose_alpha("youden")
    fit = nproc(X, y, first_column, prefit=True, random_state=1).classifier(choice)
    assert not fit.guaranteed
    assert "There is no guarantee on the type I error" in " ".join(str(fit.summary()).split())


@pytest.mark.parametrize("bounds", KINDS)
def test_a_level_below_the_first_knot_is_an_error_that_names_what_would_do(bounds):
    X, y = data(n=60)
    one = nproc(X, y, first_column, prefit=True, band="simultaneous", bounds=bounds, random_state=1)
    with pytest.raises(TooFewSamplesError, match=r"in a simultaneous band.* needed; its smallest alpha is 0\.") as e:
        one.classifier(0.01)
    needed = int(str(e.value).split(" are needed")[0].split()[-1])
    # the size named is enough, and one tenth less is not
    for n0, enough in ((int(needed * 1.02), True), (int(needed * 0.9), False)):
        assert (one.rule.orders(n0, np.array([0.01]))[0] <= n0) is np.bool_(enough)


def test_texts_and_pictures_say_which_band_it_is():
    from matplotlib.figure import Figure

    for kind, word, legend in (
        ({"band": "pointwise"}, "pointwise", "at one $\\alpha$ fixed beforehand, $\\delta$ = 0.1"),
        ({}, "simultaneous", "all $\\alpha$ at once, $\\delta$ = 0.1"),
        ({"bounds": "dkw"}, "simultaneous, DKW", "all $\\alpha$ at once, $\\delta$ = 0.1"),
    ):
        one = band(**kind)
        assert ("simultaneous" in repr(one)) is one.simultaneous
        assert f"{word}\n" in str(one.summary())
        ax = one.plot(ax=Figure().subplots())
        assert ax.get_legend().get_title().get_text() == legend
    text = " ".join(str(band().summary()).split())
    assert "for all alpha at once, the type I error is at most alpha" in text
    assert "fail with probability at most 0.05132" in text


def test_a_simultaneous_band_survives_saving(tmp_path):
    one = band(bounds="dkw")
    again = pickle.loads(pickle.dumps(one))
    for copy in (again, load(save(one, tmp_path / "band.joblib")), load(save(one, tmp_path / "band.skops"))):
        assert copy.simultaneous
        assert copy.bounds == "dkw"
        np.testing.assert_array_equal(copy.alpha, one.alpha)
    # a fit of it too
    X, y = data()
    fit = nproc(X, y, "lda", band="simultaneous", random_state=1).classifier(0.2)
    assert load(save(fit, tmp_path / "fit.joblib")).guaranteed
    assert load(save(fit, tmp_path / "fit.skops")).simultaneous


def test_displays_take_the_kind_of_band():
    X, y = data()
    one = NPROCDisplay.from_predictions(y, X[:, 0], band="simultaneous", plot=False).band
    two = NPROCDisplay.from_estimator(first_column, X, y, band="simultaneous", bounds="dkw", plot=False).band
    assert one.rule == SimultaneousBounds(0.05)
    assert two.rule == DKWBounds(0.05)
    assert NPROCBand.from_scores(X[y == 0, 0], X[y == 1, 0]).rule == PointwiseBounds(0.05)


def test_few_scores_whose_bounds_by_dkw_say_nothing_have_no_alpha_to_choose():
    one = NPROCBand.from_scores([0.1], [0.7], band="simultaneous", bounds="dkw")
    assert one.alpha.tolist() == [1.0]
    with pytest.raises(InvalidInputError, match="every upper bound on the type I error is 1"):
        one.choose_alpha("youden")


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"band": "uniform"}, "band must be one of 'pointwise', 'simultaneous', got 'uniform'"),
        ({"band": "simultaneous", "bounds": "ks"}, "bounds must be one of 'berk_jones', 'dkw', got 'ks'"),
        ({"band": "pointwise", "bounds": "dkw"}, "bounds='dkw' is for band='simultaneous'"),
        ({"delta": 0.8}, "delta must be at most 0.5, got 0.8"),
    ],
)
def test_bad_kinds_are_refused_before_any_work(arguments, match):
    with pytest.raises(InvalidInputError, match=match):
        band(**arguments)
    X, y = data(n=20)
    with pytest.raises(InvalidInputError, match=match):
        nproc(X, y, lambda X: 1 / 0, prefit=True, random_state=1, **arguments)


class TestCommandLine:
    """`bands` and `compare` take --band; a saved band predicts by its own ranks."""

    def run(self, capsys, *args):
        code = main([str(arg) for arg in args])
        assert code == 0
        return capsys.readouterr().out

    def table(self, folder):
        X, y = data(seed=3)
        path = folder / "data.csv"
        np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="x,y", comments="")
        return path

    def test_bands_are_simultaneous_when_asked(self, capsys, tmp_path):
        args = ("bands", self.table(tmp_path), "--label", "y", "--method", "lda", "--seed", 1, "--youden")
        text = self.run(capsys, *args, "--band", "simultaneous", "--out", tmp_path / "band.joblib")
        assert "for all alpha at once" in " ".join(text.split())
        assert "\nGuaranteed: The band holds for all alpha at once" in text
        assert "\nNot guaranteed: alpha was chosen" in self.run(capsys, *args)
        record = json.loads(self.run(capsys, *args, "--band", "simultaneous", "--json"))["bands"][0]
        assert record["band"] == "simultaneous"
        assert record["chosen"]["guaranteed"] is True
        saved = load(tmp_path / "band.joblib")
        assert saved.simultaneous
        text = self.run(capsys, "predict", tmp_path / "band.joblib", tmp_path / "data.csv", "--alpha", 0.2)
        fit = saved.classifier(0.2)
        rows = pd.DataFrame({"x": data(seed=3)[0][:, 0]})
        assert text.splitlines()[1:] == [f"{j},{label}" for j, label in enumerate(fit.predict(rows), start=1)]

    def test_compare_takes_it_too(self, capsys, tmp_path):
        args = ("compare", self.table(tmp_path), "--label", "y", "--method", "lda", "--method", "nb", "--seed", 1)
        record = json.loads(self.run(capsys, *args, "--band", "simultaneous", "--json"))
        assert [part["band"] for part in record["bands"]] == ["simultaneous"] * 2


def test_a_delta_for_which_no_quantile_is_known_is_refused():
    scores = np.arange(50.0)
    assert np.isfinite(NPROCBand.from_scores(scores, scores, delta=1e-150).type2_lower).all()
    with pytest.raises(InvalidInputError, match="delta must be at least 1e-150 for a band"):
        NPROCBand.from_scores(scores, scores, delta=1e-151)
