"""Tests of `NPFit.with_levels`: the fit that npc would make at other levels, without training."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from nproc import NPClassifier, NPFit, load, min_class0_size, npc, nproc, save
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.fits import average_size
from nproc.simulate import simulation1
from nproc.small_samples import NPSmallSampleFit

SAMPLE, NEW = simulation1(1000, random_state=1), simulation1(300, random_state=2)
X, Y = SAMPLE.X, SAMPLE.y
HALVES, TENS = np.arange(1000) % 2, np.arange(1000) // 4


class Counting(ClassifierMixin, BaseEstimator):
    """The first column, rounded so that scores tie; it counts how often it was trained."""

    fits = 0

    def fit(self, X, y):
        Counting.fits += 1
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.round(np.asarray(X)[:, 0], 1)


SHAPES = {
    "one split": {},
    "three splits": {"n_splits": 3},
    "ties at random": {"n_splits": 3, "ties": "randomize"},
    "groups": {"groups": HALVES, "n_splits": 3},
    "groups, ties at random": {"groups": HALVES, "ties": "randomize"},
    "groups, one threshold": {"groups": HALVES, "group_thresholds": "pooled"},
    "clusters": {"clusters": TENS, "ties": "randomize"},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_it_is_the_fit_that_npc_makes_at_these_levels_to_the_last_bit(shape):
    first = npc(X, Y, Counting(), alpha=0.2, delta=0.2, random_state=1, **shape, split_ratio=0.5)
    n_fits = Counting.fits
    fit = first.with_levels(alpha=0.15, delta=0.1)
    assert Counting.fits == n_fits
    anew = npc(X, Y, Counting(), alpha=0.15, delta=0.1, random_state=1, **shape, split_ratio=0.5)
    assert type(fit) is type(anew)
    assert repr(fit) == repr(anew)
    assert str(fit.summary()) == str(anew.summary())
    for name in ("thresholds", "orders", "violation_rates", "type1_uppers"):
        np.testing.assert_array_equal(getattr(fit, name), getattr(anew, name))
    by_group = {"groups": np.arange(300) % 2} if "groups" in shape else {}
    np.testing.assert_array_equal(
        fit.predict(NEW.X, random_state=3, **by_group), anew.predict(NEW.X, random_state=3, **by_group)
    )
    # the first one is as it was
    assert (first.alpha, first.delta) == (0.2, 0.2)


def test_a_level_that_is_not_given_stays():
    fit = npc(X, Y, "lda", alpha=0.1, delta=0.2, random_state=1)
    assert (fit.with_levels(alpha=0.2).delta, fit.with_levels(delta=0.1).alpha) == (0.2, 0.1)
    assert repr(fit.with_levels()) == repr(fit)
    assert fit.with_levels(alpha=0.2).with_levels(alpha=0.1).thresholds == fit.thresholds


def test_a_model_that_came_trained_has_other_levels_too():
    def scores(rows):
        return np.round(np.asarray(rows)[:, 0], 1)

    fit = npc(X, Y, scores, prefit=True, ties="randomize", alpha=0.2, random_state=1).with_levels(alpha=0.1)
    anew = npc(X, Y, scores, prefit=True, ties="randomize", alpha=0.1, random_state=1)
    np.testing.assert_array_equal(fit.predict(NEW.X, random_state=2), anew.predict(NEW.X, random_state=2))
    assert fit.rules == anew.rules


def test_the_classifier_of_an_estimator_and_of_a_file_has_it(tmp_path):
    model = NPClassifier("lda", alpha=0.2, random_state=1, split_ratio=0.5).fit(X, Y)
    kept = load(save(model.fit_, tmp_path / "fit.joblib"))
    assert (
        kept.with_levels(alpha=0.1).thresholds
        == npc(X, Y, "lda", alpha=0.1, random_state=1, split_ratio=0.5).thresholds
    )


def test_an_adaptive_ratio_stays_as_it_was_chosen_and_the_summary_says_so():
    first = npc(X, Y, "lda", alpha=0.2, split_ratio="adaptive", random_state=1)
    fit = first.with_levels(alpha=0.1)
    anew = npc(X, Y, "lda", alpha=0.1, split_ratio=first.ratio_choice, random_state=1)
    assert fit.thresholds == anew.thresholds
    assert fit.guaranteed
    assert "chosen for the alpha and delta of the first fit" in str(fit.summary()).replace("\n   ", "")
    # said once, however often the level changes
    assert fit.with_levels(alpha=0.3).caveats == fit.caveats
    assert first.with_levels().caveats == ()


def test_a_method_that_trains_for_a_level_keeps_its_training_and_the_summary_says_so():
    first = npc(X, Y, "gen", alpha=0.2, random_state=1)
    fit = first.with_levels(alpha=0.1)
    assert "is trained for a given alpha" in fit.caveats[0]
    assert fit.guaranteed
    # delta alone is not what it trains for
    anew = npc(X, Y, "gen", alpha=0.2, delta=0.2, random_state=1)
    other = first.with_levels(delta=0.2)
    assert (other.thresholds, other.caveats) == (anew.thresholds, ())


@pytest.mark.parametrize("more", [{}, {"vote": "random", "n_splits": 3}, {"clusters": np.arange(1000) // 2}])
@pytest.mark.parametrize("alpha", [0.02, 0.013, 0.001])
def test_too_few_rows_for_a_level_are_told_a_split_ratio_only_where_it_is_enough(more, alpha):
    fit = npc(X, Y, "lda", random_state=1, split_ratio=0.8, **more)
    n = fit.n_clusters0 if "clusters" in more else fit.n0
    needed = average_size(alpha, 0.05) if "vote" in more else min_class0_size(alpha, 0.05)
    with pytest.raises(TooFewSamplesError, match=rf"cannot meet|too few .*; at least {needed} are needed") as error:
        fit.with_levels(alpha=alpha)
    assert f" are needed in all, and there are {n}." in str(error.value)
    ratio = re.search(r"split_ratio=([\d.]+) leaves out", str(error.value))
    assert (ratio is not None) == (n > needed + 4)
    if ratio:
        assert npc(X, Y, "lda", alpha=alpha, random_state=1, split_ratio=float(ratio[1]), **more).n0_left_out >= needed


def test_too_few_rows_in_a_group_are_told_with_the_group():
    groups = npc(X, Y, "lda", groups=HALVES, random_state=1, split_ratio=0.5)
    with pytest.raises(TooFewSamplesError, match=r"the group 1 has 12\d class 0 row"):
        groups.with_levels(alpha=0.001)


def test_levels_must_be_levels():
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match="alpha must lie strictly between 0 and 1, got 1"):
        fit.with_levels(alpha=1.0)
    with pytest.raises(InvalidInputError, match="delta must lie strictly between 0 and 1, got 0"):
        fit.with_levels(delta=0.0)


def test_a_classifier_of_a_band_whose_alpha_was_chosen_is_sent_back_to_the_band():
    band = nproc(X, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match=r"alpha was chosen\. Another level must be fixed beforehand"):
        band.classifier(band.choose_alpha("youden")).with_levels(alpha=0.05)
    with pytest.raises(InvalidInputError, match=r"evaluate\(X, y\) gives the errors of this classifier"):
        band.classifier(band.choose_alpha("youden")).thresholds_table(X, Y)
    whole = nproc(X, Y, "lda", band="simultaneous", random_state=1)
    with pytest.raises(InvalidInputError, match="whose bounds hold at all alpha at once"):
        whole.classifier(0.1).with_levels(alpha=0.2)
    assert band.classifier(0.1).with_levels(alpha=0.2).thresholds == band.classifier(0.2).thresholds


def test_a_fit_without_all_of_its_scores_has_no_other_rank():
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match="does not keep all of its left-out class 0 scores"):
        replace(fit, scores0=(fit.scores0[0][:50],)).with_levels(alpha=0.1)


class TestNormalThresholds:
    rows, labels = X[:60], Y[:60]

    @pytest.fixture
    def first(self):
        with pytest.warns(NPWarning, match="the threshold assumes normal"):
            return npc(self.rows, self.labels, "lda", small_sample="normal", n_splits=3, random_state=1)

    def test_at_other_levels_they_are_those_of_npc(self, first):
        with pytest.warns(NPWarning, match="the threshold assumes normal"):
            fit = first.with_levels(alpha=0.04)
        with pytest.warns(NPWarning, match="the threshold assumes normal"):
            anew = npc(self.rows, self.labels, "lda", alpha=0.04, small_sample="normal", n_splits=3, random_state=1)
        assert isinstance(fit, NPSmallSampleFit)
        np.testing.assert_array_equal(fit.thresholds, anew.thresholds)

    def test_where_the_rows_suffice_an_order_statistic_takes_their_place(self, first):
        fit = first.with_levels(alpha=0.3, delta=0.2)
        anew = npc(
            self.rows,
            self.labels,
            "lda",
            alpha=0.3,
            delta=0.2,
            small_sample="normal",
            n_splits=3,
            random_state=1,
            split_ratio=0.5,
        )
        assert type(fit) is type(anew) is NPFit
        assert fit.thresholds.tolist() == anew.thresholds.tolist()
        assert repr(fit) == repr(anew)
