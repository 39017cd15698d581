"""Estimated probabilities, their calibration, and the table of thresholds of a fit."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from nproc import load, npc, nproc, plan_class0, save
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.fits.random_vote import average_upper
from nproc.orderstat import clopper_pearson

RNG = np.random.default_rng(5)
Y = np.repeat(["ill", "well"], [400, 200])
X = RNG.normal(size=(600, 2)) + 1.5 * (Y == "well")[:, None]
Y_NEW = np.repeat(["ill", "well"], [20_000, 10_000])
X_NEW = RNG.normal(size=(30_000, 2)) + 1.5 * (Y_NEW == "well")[:, None]
FIT = npc(X, Y, "lda", class0="ill", alpha=0.1, random_state=1)


def true_probability(X, share1):
    """Of class 1, for two normal classes with means 0 and 1.5 in both columns."""
    return expit((1.5 * X - 1.5**2 / 2).sum(axis=1) + logit(share1))


@pytest.mark.parametrize("method", ["logistic", "penlog", "nb", "nnb", "lda", "qda"])
@pytest.mark.parametrize("n_splits", [1, 3])
def test_probabilities_are_near_the_true_ones_in_the_shares_of_the_data(method, n_splits):
    fit = npc(X, Y, method, class0="ill", alpha=0.1, n_splits=n_splits, random_state=1)
    p = fit.predict_proba(X_NEW)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    # trained on fewer class 0 rows than there are, the odds would be about twice too large
    assert abs(np.mean(p[:, 1]) - 1 / 3) < 0.03
    assert np.mean(np.abs(p[:, 1] - true_probability(X_NEW, 1 / 3))) < 0.05


@pytest.mark.parametrize("how", [{"cross_fit": 5}, {"clusters": np.arange(600) // 2}, {"groups": np.arange(600) % 2}])
def test_the_odds_are_those_of_the_data_however_the_rows_were_split(how):
    fit = npc(X, Y, "lda", class0="ill", alpha=0.2, delta=0.2, random_state=1, **how)
    p = fit.predict_proba(X_NEW[:1])[0, 1]
    if "clusters" in how:
        # the 200 pairs of class 0 rows are clusters, of which each trains as a whole
        raw = fit.scorers[0].predict_proba(X_NEW[:1])[0, 1]
        assert logit(p) - logit(raw) == pytest.approx(np.log((200 - fit.n0_left_out) / 200))
    assert abs(np.mean(fit.predict_proba(X_NEW)[:, 1]) - 1 / 3) < 0.03
    if "groups" in how:
        with pytest.raises(InvalidInputError, match="has a threshold for each group"):
            fit.thresholds_table(X_NEW, Y_NEW, **how)
        pooled = npc(X, Y, "lda", class0="ill", alpha=0.2, delta=0.2, group_thresholds="pooled", random_state=1, **how)
        with pytest.raises(InvalidInputError, match="one threshold for all groups, but a rank and"):
            pooled.thresholds_table()
    else:
        assert fit.thresholds_table(alphas=[0.2])["rank"][0] == fit.orders[0]


def test_another_prevalence_moves_the_odds_by_its_own():
    low, data = FIT.predict_proba(X_NEW[:50], prevalence={"well": 0.01})[:, 1], FIT.predict_proba(X_NEW[:50])[:, 1]
    np.testing.assert_allclose(logit(low) - logit(data), logit(0.01) - logit(1 / 3), rtol=1e-9)
    np.testing.assert_allclose(FIT.predict_proba(X_NEW[:50], prevalence={"ill": 0.99})[:, 1], low)
    with pytest.raises(InvalidInputError, match="'ill' and 'well' as its only key"):
        FIT.predict_proba(X_NEW[:5], prevalence={"sick": 0.1})


def test_a_prefit_model_keeps_its_probabilities_and_the_order_of_the_labels():
    model = LogisticRegression().fit(X, Y)
    fit = npc(X_NEW, Y_NEW, model, prefit=True, class0="well", alpha=0.1)
    np.testing.assert_allclose(fit.predict_proba(X[:9]), model.predict_proba(X[:9])[:, ::-1])
    with pytest.raises(InvalidInputError, match="prevalence cannot be used with a prefit scorer"):
        fit.predict_proba(X, prevalence=0.1)


def test_a_method_without_probabilities_says_so():
    with pytest.raises(InvalidInputError, match=r"method 'SVC' \(SVC\) gives scores and no probabilities"):
        npc(X, Y, SVC(), class0="ill", alpha=0.1, random_state=1).predict_proba(X)


def test_calibration_shows_the_shares_of_new_rows():
    ax = FIT.plot_calibration(X_NEW, Y_NEW, n_groups=6, ax=Figure().subplots())
    (points,) = [line for line in ax.lines if line.get_gid() == "nproc-calibration"]
    estimate, share = points.get_data()
    assert estimate.size == 6
    np.testing.assert_allclose(share, estimate, atol=0.06)
    assert ax.get_xlabel() == "estimated probability of well"
    with pytest.raises(InvalidInputError, match="label 'sick'"):
        FIT.plot_calibration(X, np.repeat("sick", 600))
    # whose shares would all be 0 or 1
    for label, other in (("ill", "well"), ("well", "ill")):
        with pytest.raises(InvalidInputError, match=f"y must hold rows of both classes, got none of {other}"):
            FIT.plot_calibration(X_NEW, np.repeat(label, len(X_NEW)))


def test_rows_of_the_fit_are_told_once_for_the_whole_table_and_have_no_intervals():
    with pytest.warns(NPWarning, match="a fifth of the class 0 rows") as told:
        table = FIT.thresholds_table(X, Y, prevalence={"well": 0.1})
    assert len(told) == 1
    ends = table.columns.str.endswith(("_lower", "_upper"))
    assert ends.sum() == 8
    assert table.loc[:, ends].isna().all(axis=None)
    assert table.loc[:, ~ends].notna().all(axis=None)


def test_each_row_of_the_table_is_the_fit_at_that_level():
    table = FIT.thresholds_table(X_NEW, Y_NEW, alphas=[0.2, 0.05])
    assert table["alpha"].tolist() == [0.05, 0.2]
    for row in table.itertuples():
        at = FIT.with_levels(alpha=row.alpha)
        told = at.evaluate(X_NEW, Y_NEW)
        assert (row.rank, row.threshold, row.type1_bound) == (at.orders[0], at.thresholds[0], at.type1_uppers[0])
        assert (row.type1, row.type2) == (told.type1, told.type2)
        assert (row.type1_lower, row.type2_upper) == (told.type1_interval.lower, told.type2_interval.upper)


def test_predictive_values_follow_from_the_errors_and_hold_together():
    table = FIT.thresholds_table(X_NEW, Y_NEW, alphas=[0.1], prevalence={"well": 0.02}, level=0.9)
    (row,) = table.itertuples()
    right = [f"P({label} | called {label}){end}" for label in ("well", "ill") for end in ("", "_lower", "_upper")]
    assert table.columns.tolist()[-7:] == ["P(well)", *right]
    well, ill = (
        table.loc[0, [f"P({label} | called {label}){end}" for end in ("", "_lower", "_upper")]]
        for label in ("well", "ill")
    )
    assert well.iloc[0] == pytest.approx(0.02 * (1 - row.type2) / (0.02 * (1 - row.type2) + 0.98 * row.type1))
    # an error has the interval of evaluate, whatever else the table shows
    alone = FIT.evaluate(X_NEW, Y_NEW, level=0.9)
    assert (row.type1_lower, row.type1_upper) == (alone.type1_interval.lower, alone.type1_interval.upper)
    assert (row.type2_lower, row.type2_upper) == (alone.type2_interval.lower, alone.type2_interval.upper)
    # both predictive values from two intervals at 1 - (1 - level) / 2
    errors = FIT.evaluate(X_NEW, Y_NEW)
    t1, t2 = clopper_pearson(errors.n_false1, errors.n0), clopper_pearson(errors.n_false0, errors.n1)
    assert well.iloc[1] == pytest.approx(0.02 * (1 - t2.upper) / (0.02 * (1 - t2.upper) + 0.98 * t1.upper))
    assert ill.iloc[2] == pytest.approx(0.98 * (1 - t1.lower) / (0.98 * (1 - t1.lower) + 0.02 * t2.lower))
    # the table says whose prevalence they are at: always that of class 1, whichever was given
    of_ill = FIT.thresholds_table(X_NEW, Y_NEW, alphas=[0.1], prevalence={"ill": 0.98}, level=0.9)
    assert table["P(well)"].tolist() == [0.02]
    pd.testing.assert_frame_equal(of_ill, table)


def test_without_new_rows_the_table_shows_the_levels_that_can_be_met():
    table = FIT.thresholds_table()
    assert table.columns.tolist() == ["alpha", "rank", "threshold", "type1_bound", "violation_rate"]
    # 0.01 takes 299 left-out class 0 rows
    assert 0.01 not in table["alpha"].tolist()
    assert FIT.alpha in table["alpha"].tolist()
    with pytest.raises(TooFewSamplesError):
        FIT.thresholds_table(alphas=[0.001])
    assert "threshold" not in npc(X, Y, "lda", class0="ill", n_splits=3, random_state=1).thresholds_table()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"X": X}, "X and y go together"),
        ({"prevalence": 0.1}, "prevalence is for new rows; give X and y too"),
        *(
            (
                {"X": X_NEW, "y": Y_NEW, "prevalence": share},
                r"prevalence must be one number .* got \(0.1, 0.2\)\. Interv",
            )
            for share in ((0.1, 0.2), {"ill": (0.1, 0.2)}, {"well": (0.1, 0.2)})
        ),
        ({"X": X_NEW[:9], "y": Y_NEW[:9]}, "rows of both classes, got none of well"),
    ],
)
def test_a_table_that_cannot_be_made_is_refused(given, match):
    with pytest.raises(InvalidInputError, match=match):
        FIT.thresholds_table(**given)


def test_a_formula_fit_finds_the_labels_in_the_table():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(state=Y)
    fresh = pd.DataFrame(X_NEW[::20], columns=["a", "b"]).assign(state=Y_NEW[::20])
    fit = npc("state ~ a + b", data=frame, method="lda", class0="ill", alpha=0.1, random_state=1)
    assert fit.thresholds_table(fresh, alphas=[0.1])["type1"][0] == fit.evaluate(fresh).type1
    assert fit.plot_calibration(fresh, ax=Figure().subplots()).get_title() == ""


@pytest.mark.parametrize("kind", [{}, {"alpha_max": 0.25}, {"bounds": "dkw"}])
def test_the_table_of_a_simultaneous_band_holds_the_classifiers_of_the_band(kind, tmp_path):
    band = nproc(X, Y, "lda", class0="ill", band="simultaneous", random_state=1, **kind)
    # a level that was chosen on the band is one of the rows, and the classifier may have been saved
    chosen = band.classifier(band.choose_alpha("youden"))
    save(chosen, tmp_path / "fit.skops")
    tables = [fit.thresholds_table(X_NEW, Y_NEW) for fit in (chosen, load(tmp_path / "fit.skops"))]
    pd.testing.assert_frame_equal(*tables)
    assert chosen.alpha in tables[0]["alpha"].tolist()
    assert tables[0]["alpha"].max() <= kind.get("alpha_max", 1)
    for row in tables[0].itertuples():
        at = band.classifier(row.alpha)
        assert (row.rank, row.threshold, row.type1_bound) == (at.orders[0], at.thresholds[0], at.type1_uppers[0])
        assert row.type1 == at.evaluate(X_NEW, Y_NEW).type1
    with pytest.raises(TooFewSamplesError, match="in a simultaneous band"):
        chosen.thresholds_table(alphas=[0.001])
    if "alpha_max" in kind:
        with pytest.raises(InvalidInputError, match=r"above alpha_max=0\.25"):
            chosen.thresholds_table(alphas=[0.1, 0.3])


def test_a_level_that_was_chosen_on_a_band_is_refused_where_the_bound_would_not_be_proved():
    band = nproc(X, Y, "lda", class0="ill", random_state=1)
    choice = band.choose_alpha("youden")
    fit, way_out = (
        npc(X, Y, "lda", class0="ill", alpha=0.1, random_state=1),
        r"Use band\.classifier\(choice\), or choice",
    )
    for alphas in (choice, [choice], [0.1, choice], np.array([choice], dtype=object)):
        with pytest.raises(InvalidInputError, match=f"alphas must be fixed beforehand, .*{way_out}"):
            fit.thresholds_table(alphas=alphas)
    for call in (fit.with_levels, partial(npc, X, Y, "lda"), partial(plan_class0, delta=0.05)):
        with pytest.raises(InvalidInputError, match=f"got AlphaChoice.*{way_out}"):
            call(alpha=choice)
    chosen = band.classifier(choice)
    with pytest.raises(InvalidInputError, match="a table of several levels needs a classifier whose alpha was fixed"):
        chosen.thresholds_table()
    with pytest.raises(InvalidInputError, match="At another delta the bounds of the band differ"):
        chosen.with_levels(delta=0.1)
    with pytest.raises(InvalidInputError, match="Another level must be fixed beforehand"):
        chosen.with_levels(alpha=0.2)
    wide = nproc(X, Y, "lda", class0="ill", band="simultaneous", random_state=1)
    sure = wide.choose_alpha("youden")
    assert wide.classifier(0.3).thresholds_table(alphas=sure)["alpha"].tolist() == [sure.alpha]


def test_the_bound_of_the_table_is_what_is_proved_of_the_classifier_as_a_whole():
    levels = {"class0": "ill", "alpha": 0.1, "random_state": 1}
    crossed = npc(X, Y, "lda", cross_fit=5, **levels)
    voted = npc(X, Y, "lda", n_splits=5, **levels)
    drawn = npc(X, Y, "lda", n_splits=5, vote="random", **levels)
    one = npc(X, Y, "lda", **levels)
    upper = average_upper(int(drawn.orders[0]), drawn.n0_left_out, drawn.delta)
    for fit, bound in (
        (crossed, crossed.bound().type1_upper_at_delta),
        (voted, voted.vote_bound().type1_upper_at_delta),
        (drawn, upper),
        (one, one.type1_uppers[0]),
    ):
        row = fit.thresholds_table(alphas=[0.1]).iloc[0]
        assert row["type1_bound"] == bound
        assert np.isnan(row["violation_rate"]) == (fit is not one)
    assert crossed.bound().type1_upper_at_delta > 0.1 > upper
