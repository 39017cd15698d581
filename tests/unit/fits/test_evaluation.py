"""Tests of `nproc.fits.evaluation`: counts, rates and exact intervals on new data."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from nproc import npc, nproc
from nproc.errors import InvalidInputError, NPWarning
from nproc.fits import NO_SHARED_OWNERS
from nproc.fits.evaluation import count_errors
from nproc.orderstat import clopper_pearson

X = np.linspace(-3, 3, 200).reshape(-1, 1)
Y = (np.random.default_rng(0).random(200) < 0.5).astype(int)
FIT = npc(X, Y, lambda X: X[:, 0], prefit=True)


def test_errors_are_counted_by_class():
    codes, predicted = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 1, 0, 1, 1, 1])
    known = {"level": 0.95, "alpha": 0.05, "delta": 0.05, "labels": np.array([0, 1]), "guaranteed": True}
    errors = count_errors(codes, predicted, **known)
    assert (errors.n_false1, errors.n0, errors.n_false0, errors.n1) == (2, 3, 1, 4)
    assert (errors.type1, errors.type2) == (2 / 3, 1 / 4)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_are_two_sided_clopper_pearson(level):
    errors = FIT.evaluate(X, Y, level=level)
    # scipy solves by bisection to about 1e-12
    for count, n, interval in (
        (errors.n_false1, errors.n0, errors.type1_interval),
        (errors.n_false0, errors.n1, errors.type2_interval),
    ):
        expected = binomtest(count, n).proportion_ci(level, method="exact")
        assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_new_data_of_one_class_have_no_error_rate_of_the_other():
    errors = FIT.evaluate(X[:5], np.zeros(5, dtype=int))
    assert errors.type2 is None
    assert errors.type2_interval is None
    assert errors.n1 == 0
    assert "type II: no rows" in repr(errors)
    assert "-" in str(errors.summary())


def test_both_texts_show_counts_rates_and_intervals():
    errors = FIT.evaluate(X, Y, level=0.9)
    assert repr(errors).startswith(f"Evaluation(type I {errors.type1:.4f} ({errors.n_false1} of {errors.n0}), type II")
    # these are its own rows
    assert repr(errors).endswith("level=0.9, probably on rows of the fit)")
    errors = replace(errors, own_rows=False)
    assert repr(errors).startswith(f"Evaluation(type I {errors.type1:.4f} ({errors.n_false1} of {errors.n0}) [")
    text = str(errors.summary())
    for expected in ("0 called 1", "1 called 0", "90 % low", "Clopper-Pearson", f"{errors.type2:.4f}"):
        assert expected in text


def beside_new_rows(given):
    """Return the groups of the new rows, and clusters that the fit did not have."""
    return {name: values + 200 * (name == "clusters") for name, values in given.items() if name != "review_beta"}


@pytest.mark.parametrize(
    "given", [{}, {"groups": np.arange(200) % 2}, {"clusters": np.arange(200)}, {"review_beta": 0.3}]
)
def test_alpha_and_delta_are_spoken_of_as_a_promise_only_where_they_are_one(given):
    fit = npc(X, Y, "lda", alpha=0.3, delta=0.3, random_state=1, **given)
    beside = beside_new_rows(given)
    for one, promised in ((fit, True), (replace(fit, unmet=(NO_SHARED_OWNERS,)), False)):
        text = " ".join(str(one.evaluate(X + 1e-3, Y, **beside).summary()).split())
        assert ("This classifier has no guarantee at alpha and delta" in text) is not promised
        assert ("may exceed alpha with a probability larger than delta" in text) is (
            promised and "review_beta" not in given
        )


def test_errors_that_chance_hardly_explains_are_told_with_what_may_explain_them():
    told = "The whole interval of the type I error lies above alpha"
    words = r"rows of class 0 are clearly more often called class 1 than rows of class 1 are. Are the labels of these"
    labels = (X[:, 0] + np.random.default_rng(3).normal(size=200) > 0).astype(int)
    for given in ({}, {"groups": np.arange(200) % 2}, {"clusters": np.arange(200)}):
        fit = npc(X, labels, "lda", alpha=0.3, delta=0.3, random_state=1, **given)
        beside = beside_new_rows(given)
        assert told not in " ".join(str(fit.evaluate(X + 1e-3, labels, **beside).summary()).split())
        with pytest.warns(NPWarning, match=words):
            swapped = fit.evaluate(X + 1e-3, 1 - labels, **beside)
        text = " ".join(str(swapped.summary()).split())
        where, chance = (" in 2 of 2 groups", 0.35) if "groups" in given else ("", 0.325)
        assert (
            f"{told}{where}. Where class 0 is that of the fit, this happens with probability at most {chance}." in text
        )
        assert "may exceed alpha" not in text
        # without a guarantee nothing was promised
        with pytest.warns(NPWarning, match=words):
            found = replace(fit, unmet=(NO_SHARED_OWNERS,)).evaluate(X + 1e-3, 1 - labels, **beside)
        assert told not in " ".join(str(found.summary()).split())
        if not given:
            # rows of the fit tell nothing
            assert told not in " ".join(str(replace(swapped, own_rows=True).summary()).split())


def test_the_probability_of_an_interval_above_alpha_is_at_most_what_is_told():
    # the type I error of the largest of 59 uniform scores has density 59 (1 - x)^58: alpha = delta = 0.05
    error = 1 - np.random.default_rng(5).uniform(size=20_000) ** (1 / 59)
    above = [clopper_pearson(int(k), 500, level=0.95).lower > 0.05 for k in range(501)]
    counts = np.random.default_rng(6).binomial(500, error)
    assert np.mean(np.array(above)[counts]) <= 0.05 + 0.025


def test_errors_of_a_vote_and_of_a_level_chosen_on_its_band_come_without_a_promise():
    for fit in (
        npc(X, Y, "lda", alpha=0.3, n_splits=5, random_state=1),
        (band := nproc(X, Y, "lda", random_state=1)).classifier(band.choose_alpha("youden")),
    ):
        assert "has no guarantee at alpha and delta" in " ".join(str(fit.evaluate(X + 1e-3, Y).summary()).split())


def test_the_frame_has_a_row_an_error_with_its_counts_and_interval():
    errors = FIT.evaluate(X + 1e-3, Y, level=0.9)
    frame = errors.to_frame()
    assert frame["error"].tolist() == ["type I", "type II"]
    assert (frame["true"].tolist(), frame["called"].tolist()) == ([0, 1], [1, 0])
    assert (frame["count"].tolist(), frame["n"].tolist()) == (
        [errors.n_false1, errors.n_false0],
        [errors.n0, errors.n1],
    )
    np.testing.assert_array_equal(frame["rate"], frame["count"] / frame["n"])
    assert frame["upper"].tolist() == [errors.type1_interval.upper, errors.type2_interval.upper]
    assert FIT.evaluate(X[:5], np.zeros(5, dtype=int)).to_frame()["rate"].isna().tolist() == [False, True]


def test_labels_are_those_of_the_user():
    named = np.where(Y, "well", "ill")
    errors = npc(X, named, lambda X: -X[:, 0], prefit=True, class0="well").evaluate(X, named)
    assert errors.n0 == np.sum(Y == 1)
    assert "well called ill" in str(errors.summary())


def test_two_evaluations_can_be_compared_without_an_error():
    assert FIT.evaluate(X, Y) != FIT.evaluate(X, Y)


@pytest.mark.parametrize(
    ("y", "arguments", "message"),
    [
        (Y + 1, {}, "y has the label 2, which was not in the training data"),
        (Y[:-1], {}, "X has 200 rows and y has 199 labels"),
        (Y, {"level": 1}, "level must lie strictly between 0 and 1, got 1"),
        (np.full(200, np.nan), {}, "y has 200 NaN and 0 infinite labels"),
    ],
)
def test_bad_input_is_refused(y, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        FIT.evaluate(X, y, **arguments)


@pytest.mark.parametrize("looked_at", ["predict", "evaluate", "thresholds_table"])
def test_missing_values_of_all_new_rows_are_counted(looked_at):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 2)) + Y[:100].repeat(3)[:, None], columns=["u", "v"])
    frame["y"] = Y[:100].repeat(3)
    fit = npc("y ~ u + v", frame, "lda", alpha=0.1, random_state=1)
    frame.loc[[0, 4, 100], "u"] = np.nan
    with pytest.raises(InvalidInputError, match=r"column 'u' has 3 missing value\(s\)"):
        getattr(fit, looked_at)(frame)
