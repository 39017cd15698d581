"""Simultaneous bands up to a level fixed beforehand: what they say beyond it, and what is refused."""

import numpy as np
import pytest
from scipy.special import betainccinv

from nproc import NPROCBand, compare, load, nproc, save
from nproc.bands.bounds import ranks_up_to
from nproc.bands.large import areas
from nproc.cli import main
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.simulate import GaussianWorld
from nproc.simultaneous import local_level

RNG = np.random.default_rng(4)
SCORES0, SCORES1 = RNG.normal(size=1000), RNG.normal(1.5, 1, size=800)


def limited(alpha_max=0.1, **changes):
    return NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous", alpha_max=alpha_max, **changes)


def test_ranks_are_smaller_up_to_the_level_and_the_band_ends_there():
    band, full = limited(), NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous")
    assert (band.at(0.05).order, full.at(0.05).order) == (969, 972)
    assert band.at(0.1).order == 1001 - 75
    assert band.rule.level(1000, sides=1) > 3.9 * full.rule.level(1000, sides=1)
    choice = band.choose_alpha(type2_max=0.6)
    assert choice.guaranteed
    assert "The band holds for all alpha up to 0.1 at once." in choice.reason
    assert "hold for all alpha up to 0.1 at once" in band.at(0.05).note
    assert "for all alpha up to 0.1 at once" in " ".join(str(band.summary()).split())


def test_a_limit_of_nearly_one_changes_nothing_and_fewer_bounds_have_a_larger_level():
    assert limited(0.9999999).rule.level(1000, sides=1) == local_level(1000, limited().rule.share, sides=1)
    levels = [local_level(500, 0.05, sides=1, most=most) for most in (1, 5, 50, 500)]
    assert levels[0] == pytest.approx(0.05, rel=1e-3)
    assert np.all(np.diff(levels) < 0)


def test_a_saved_band_keeps_its_limit_and_a_spline_follows_it(tmp_path):
    band = limited()
    save(band, tmp_path / "band.joblib")
    again = load(tmp_path / "band.joblib")
    np.testing.assert_array_equal(again.alpha, band.alpha)
    np.testing.assert_allclose(areas(band)[::2], (band.auc_lower, band.auc_upper), atol=1e-9)


@pytest.mark.parametrize("level", [0.002, 0.05, 0.1])
def test_a_partial_area_is_that_under_the_curves_up_to_the_level(level):
    band = limited()
    part = band.partial_auc(level)
    grid = (np.arange(200_000) + 0.5) / 200_000 * level
    values = band.at(grid)
    assert part.lower == pytest.approx(level * np.mean(1 - values.type2_upper), abs=1e-5)
    assert part.upper == pytest.approx(level * np.mean(1 - values.type2_lower), abs=1e-5)
    assert part.estimate == pytest.approx(level * np.mean(1 - values.type2), abs=1e-5)
    np.testing.assert_allclose(areas(band, level), (part.lower, part.estimate, part.upper), atol=1e-9)


def test_a_partial_area_ends_where_the_band_does():
    band = limited()
    assert band.partial_auc().alpha == band.alpha_max
    with pytest.raises(InvalidInputError, match=r"alpha=0\.2 is above alpha_max=0\.1"):
        band.partial_auc(0.2)
    with pytest.raises(InvalidInputError, match="alpha is missing"):
        limited(None).partial_auc()


def test_it_goes_with_fitted_bands_and_the_command_line(tmp_path, capsys):
    sample = GaussianWorld([0.0], [2.0]).sample_classes(400, 300, 1)
    band = nproc(sample.X, sample.y, "lda", band="simultaneous", alpha_max=0.2, random_state=1)
    fit = band.classifier(0.1)
    assert fit.guaranteed
    assert "hold for all alpha up to 0.2 at once" in repr(fit)
    assert "hold for all alpha up to 0.2 at once, so alpha may be chosen" in " ".join(str(fit.summary()).split())
    assert fit.orders[0] == band.at(0.1).order
    rows = np.column_stack([sample.X, sample.y])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,y", comments="")
    options = ["bands", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "0.0", "--method", "lda", "--seed", "1"]
    assert main([*options, "--band", "simultaneous", "--alpha-max", "0.2", "--json"]) == 0
    assert main([*options, "--alpha-max", "0.2"]) == 2
    assert "--alpha-max can be used only with --band simultaneous" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [{"band": "pointwise"}, {"band": "simultaneous", "bounds": "dkw"}])
def test_other_bands_do_not_depend_on_it(kind):
    with pytest.raises(
        InvalidInputError, match=r"alpha_max can be used only with b(and='simultaneous'|ounds='berk_jones');"
    ):
        NPROCBand.from_scores(SCORES0, SCORES1, alpha_max=0.1, **kind)
    with pytest.raises(InvalidInputError, match="alpha_max must lie strictly between 0 and 1, got 1"):
        limited(1)


@pytest.mark.parametrize(
    ("n", "alpha_max"), [(60, 0.1), (100, 0.1), (500, 0.02), (1000, 0.1), (5000, 0.01), (700, 0.6)]
)
def test_the_bounded_ranks_are_those_whose_bound_is_at_most_the_level_and_no_more_would_be(n, alpha_max):
    most = ranks_up_to(n, 0.0253, alpha_max)

    def bound(ranks):
        return betainccinv(ranks, n + 1 - ranks, local_level(n, 0.0253, sides=1, most=ranks))

    assert bound(most) <= alpha_max
    assert bound(most + 1) > alpha_max


def test_nothing_is_chosen_told_drawn_or_handed_out_beyond_the_level():
    band = limited()
    assert band.choose_alpha("youden").alpha <= 0.1
    frame = band.to_frame()
    assert len(frame) == band.n_knots == 75
    assert frame["alpha"].max() <= 0.1
    values = band.predictive_values(0.3)
    assert values.to_frame()["alpha"].max() <= 0.1
    text = " ".join(str(band.summary()).split())
    assert "alpha_max: 0.1" in text
    assert "AUC" not in text
    assert "Levels above alpha_max=0.1 are not shown" in text
    assert "up to alpha=0.1" in repr(band)
    legend = band.plot().get_legend().get_title().get_text()
    assert "up to 0.1 at once" in legend
    with pytest.raises(
        InvalidInputError, match=r"the smallest reached is .* make the band with an alpha_max above 0.1"
    ):
        band.choose_alpha(type2_max=0.05)
    sample = GaussianWorld([0.0], [2.0]).sample_classes(400, 300, 1)
    fitted = nproc(sample.X, sample.y, "lda", band="simultaneous", alpha_max=0.2, random_state=1)
    for ask in (fitted.classifier, fitted.at, fitted.predictive_values({1.0: 0.3}).at, fitted.partial_auc):
        with pytest.raises(InvalidInputError, match=r"alpha=0\.3 is above alpha_max=0\.2, where this band ends"):
            ask(0.3)
    with pytest.raises(InvalidInputError, match=r"alpha=0\.3 is above alpha_max=0\.2"):
        fitted.plot(alpha=0.3)
    with pytest.raises(InvalidInputError, match=r"alpha=0\.3 is above alpha_max=0\.2"):
        fitted.at([0.1, 0.3])


# 1 - share^(1 / n0) is the smallest level of n0 scores, so that 72 of them have one of at most 0.05
@pytest.mark.parametrize("n0", [40, 71])
def test_with_too_few_rows_for_alpha_max_there_is_no_alpha_to_choose_and_the_number_needed_is_told(n0):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=n0), rng.normal(2, 1, size=60)
    with pytest.warns(NPWarning, match="no threshold for any alpha up to alpha_max=0.05 .* about 72 are needed"):
        band = NPROCBand.from_scores(*scores, band="simultaneous", alpha_max=0.05)
    for criterion, type2_max in (("youden", None), (None, 0.7)):
        with pytest.raises(TooFewSamplesError, match=f"n0={n0} .* about 72 are needed"):
            band.choose_alpha(criterion, type2_max=type2_max)
    assert band.at(0.05).order == n0 + 1
    with pytest.raises(InvalidInputError, match="where this band ends"):
        band.at(0.1)
    assert len(band.to_frame()) == band.n_knots == 0
    text = " ".join(str(band.summary()).split())
    assert "Smallest alpha: none" in text
    assert "about 72 are needed" in text
    band.plot(alpha=0.05)
    values = band.predictive_values({1: 0.1})
    assert len(values.to_frame()) == 0
    with pytest.raises(TooFewSamplesError, match="about 72 are needed"):
        values.plot()
    with pytest.raises(InvalidInputError, match="no band has one up to its alpha_max"):
        compare(band, band, about="rules").best_at(0.05)


def test_as_many_rows_as_are_needed_are_enough():
    rng = np.random.default_rng(0)
    band = NPROCBand.from_scores(rng.normal(size=72), rng.normal(2, 1, size=60), band="simultaneous", alpha_max=0.05)
    assert band.n_knots == 1
    assert band.choose_alpha(type2_max=0.9).alpha <= 0.05


def test_a_fitted_band_without_a_classifier_warns_too():
    sample = GaussianWorld([0.0], [2.0]).sample_classes(80, 60, 1)
    with pytest.warns(NPWarning, match="n0=40 left-out class 0 scores have no threshold for any alpha up to"):
        nproc(sample.X, sample.y, "lda", band="simultaneous", alpha_max=0.05, random_state=1)


@pytest.mark.slow
def test_rules_are_compared_up_to_the_smaller_level_and_scores_everywhere():
    weak = NPROCBand.from_scores(RNG.normal(size=3000), RNG.normal(1, 1, size=3000), band="simultaneous", name="weak")
    scores = RNG.normal(size=3000), RNG.normal(2.5, 1, size=3000)
    strong = NPROCBand.from_scores(*scores, band="simultaneous", alpha_max=0.1, name="strong")
    rules = compare(strong, weak, about="rules").intervals
    assert {region.better for region in rules} == {"strong"}
    assert max(region.alpha_high for region in rules) == 0.1
    assert max(region.alpha_high for region in compare(strong, weak, about="scores").intervals) > 0.2
    # the same scores, of which one band ends earlier
    same = NPROCBand.from_scores(*scores, band="simultaneous", alpha_max=0.05, name="same")
    rules = compare(strong, same, about="rules")
    assert max((region.alpha_high for region in rules.intervals), default=0) <= 0.05
    text = " ".join(str(rules.summary()).split())
    assert "alpha_max: 0.1, 0.05" in text
    assert "The bands have different alpha_max. Rules are compared for all alpha up to 0.05" in text
    assert "no region is false, for all alpha up to 0.05 and all pairs" in text
    for ask in (rules.at, rules.best_at, lambda alpha: rules.plot(alpha=alpha)):
        with pytest.raises(InvalidInputError, match=r"alpha=0\.08 is above alpha_max=0\.05"):
            ask(0.08)
    scores = compare(strong, weak, about="scores")
    text = " ".join(str(scores.summary()).split())
    assert "alpha_max: 0.1, none" in text
    assert "alpha_max ends the bands. Regions of scores do not depend on it: they cover all levels." in text
    rows = weak.sorted0[0], weak.sorted1[0]
    both = compare(strong, NPROCBand.from_scores(*rows, band="simultaneous", alpha_max=0.1, name="weak"))
    assert "they cover all levels" in " ".join(str(both.summary()).split())
    assert len(scores.at(0.3)) == 2
