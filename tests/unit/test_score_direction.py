"""A warning about scores that point the wrong way, from rows that set no threshold where there are any."""

import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import hypergeom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, NPROCBand, npc, npc_multiclass, nproc, nproc_bands, plan_class0, q_values
from nproc.biased_samples import noise_sensitivity, np_threshold_noisy
from nproc.comparison import compare_aucs, compare_scores, partial_auc
from nproc.errors import InvalidInputError, NPWarning
from nproc.fits import evaluation_of_counts
from nproc.review import np_review, plan_review
from nproc.row_chunks import RowChunks
from nproc.score_chunks import area_under_roc
from nproc.score_direction import some_of, warn_swapped
from nproc.serving import score_rule

RNG = np.random.default_rng(6)
Y = np.repeat([0, 1], 150)
X = RNG.normal(size=(300, 3)) + 2.0 * Y[:, None]
WRONG = "seem to have the wrong sign"


class Reversed(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return -self.model_.decision_function(X)


def score(X):
    return X[:, 0] + X[:, 1]


def reversed_score(X):
    return -score(X)


TRAINED = {
    "npc": lambda: npc(X, Y, Reversed(), random_state=3),
    "groups": lambda: npc(X, Y, Reversed(), groups=np.tile([0, 1], 150), alpha=0.2, random_state=3),
    "clusters": lambda: npc(X, Y, Reversed(), clusters=np.arange(300), random_state=3),
    "NPClassifier": lambda: NPClassifier(Reversed(), random_state=3).fit(X, Y),
    "nproc": lambda: nproc(X, Y, Reversed(), random_state=3),
    "nproc_bands": lambda: nproc_bands(X, Y, {"a": Reversed()}, random_state=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", TRAINED.values(), ids=TRAINED)
def test_a_reversed_scorer_is_told_by_training_rows(call, tmp_path):
    with pytest.warns(NPWarning, match=rf"{WRONG}.*scored by 'Reversed', .*set no threshold.*random_state=3") as heard:
        found = call()
    assert len(heard) == 1
    # who was not there reads it in the summary and in the report
    found = found["a"] if isinstance(found, dict) else getattr(found, "fit_", found)
    for told in (found, found.classifier(0.2)) if hasattr(found, "classifier") else (found,):
        assert f"The scores {WRONG}." in " ".join(str(told.summary()).split())
    assert f"The scores {WRONG}. Of all pairs" in told.report(tmp_path / "report.md").read_text()


def test_with_several_splits_the_rows_compared_are_not_free():
    with pytest.warns(NPWarning, match=rf"{WRONG}.*in another split"):
        npc(X, Y, Reversed(), n_splits=3, random_state=3)


PREFIT = {
    "npc": lambda: npc(X, Y, reversed_score, prefit=True),
    "groups": lambda: npc(X, Y, reversed_score, prefit=True, groups=np.tile([0, 1], 150), alpha=0.1),
    "clusters": lambda: npc(X, Y, reversed_score, prefit=True, clusters=np.arange(300)),
    "NPClassifier": lambda: NPClassifier(reversed_score, prefit=True).fit(X, Y),
    "nproc": lambda: nproc(X, Y, reversed_score, prefit=True),
    "chunks": lambda: npc(RowChunks.from_arrays(X, Y, chunk_size=37), method=reversed_score, prefit=True),
    "chunks of a band": lambda: nproc(RowChunks.from_arrays(X, Y, chunk_size=37), method=reversed_score, prefit=True),
    "from_scores": lambda: NPROCBand.from_scores(-score(X[Y == 0]), -score(X[Y == 1])),
}


@pytest.mark.parametrize("call", PREFIT.values(), ids=PREFIT)
def test_a_reversed_score_is_told_with_its_price(call):
    with pytest.warns(NPWarning, match=rf"{WRONG}.*new class 0 rows.*the guarantee is lost") as heard:
        call()
    assert len(heard) == 1


@pytest.mark.slow
def test_a_trained_model_that_separates_the_rows_is_told_and_says_its_condition():
    noise, labels = np.random.default_rng(1).normal(size=(400, 20)), np.repeat([0, 1], 200)
    forest = RandomForestClassifier(100, random_state=1).fit(noise, labels)
    with pytest.warns(NPWarning, match="If some of these rows trained it, nothing is guaranteed"):
        fit = npc(noise, labels, forest, prefit=True, alpha=0.1)
    assert "type I error <= 0.0955, if the scorer has not seen these rows" in repr(fit)
    # the error that the warning is about
    assert fit.predict(np.random.default_rng(2).normal(size=(2000, 20))).mean() > 0.5
    # new rows, and the same rows where the model is trained here
    npc(np.random.default_rng(3).normal(size=(400, 20)), labels, forest, prefit=True, alpha=0.1)
    npc(noise, labels, RandomForestClassifier(10), alpha=0.1, random_state=1)


def test_few_rows_for_a_normal_threshold_warn_too():
    rows = np.r_[:20, 150:300]
    with pytest.warns(NPWarning) as heard:
        fit = npc(X[rows], Y[rows], reversed_score, prefit=True, small_sample="normal")
    assert sum(WRONG in str(warning.message) for warning in heard) == 1
    assert " ".join(str(fit.summary()).split()).count(WRONG) == 1


def test_the_threshold_is_that_of_the_scores_as_they_are():
    with pytest.warns(NPWarning, match=WRONG):
        fit = npc(X, Y, reversed_score, prefit=True, random_state=1)
    assert fit.thresholds[0] == np.sort(-score(X[Y == 0]))[fit.orders[0] - 1]


def test_a_right_score_and_the_other_class_as_class_0_say_what_they_should():
    npc(X, Y, score, prefit=True)
    npc(X, Y, reversed_score, prefit=True, class0=1)
    with pytest.warns(NPWarning, match=rf"{WRONG}.*with 1 as class 0 and 0 as class 1"):
        npc(X, Y, score, prefit=True, class0=1)


@pytest.mark.slow
def test_useless_scores_raise_nothing():
    for seed in range(300):
        noise = np.random.default_rng(seed).normal(size=(160, 2))
        labels = np.repeat([0, 1], 80)
        npc(noise, labels, lambda rows: rows[:, 0], prefit=True, alpha=0.1)
        npc(noise, labels, "lda", alpha=0.1, random_state=seed)


def test_rows_of_large_chunks_are_thinned_out_evenly():
    rows = np.random.default_rng(1).normal(size=(9000, 1))
    labels = np.tile([0, 1, 1], 3000)
    chunks = RowChunks.from_arrays(rows, labels, chunk_size=700)
    shifted = RowChunks.from_arrays(rows + labels[:, None], labels, chunk_size=700)
    with pytest.warns(NPWarning, match=WRONG):
        npc(shifted, method=lambda X: -X[:, 0], prefit=True)
    assert npc(chunks, method=lambda X: X[:, 0], prefit=True).n1 == 6000


@pytest.mark.slow
def test_scores_a_little_below_one_half_are_told_if_there_are_many():
    rng = np.random.default_rng(1)
    # area 0.435, and 11 standard errors below 1/2; of 400 rows of each class it would be 3
    scores0, scores1 = rng.normal(size=5000), rng.normal(-0.23, 1, size=5000)
    calls = {
        "from_scores": lambda: NPROCBand.from_scores(scores0, scores1),
        "compare_aucs": lambda: compare_aucs(scores0, scores1),
        "compare_scores": lambda: compare_scores(*(np.column_stack([s, -s]) for s in (scores0, scores1))),
        "prefit": lambda: npc(
            np.concatenate([scores0, scores1])[:, None], np.repeat([0, 1], 5000), lambda Z: Z[:, 0], prefit=True
        ),
        "chunks": lambda: npc(
            RowChunks.from_arrays(np.concatenate([scores0, scores1])[:, None], np.repeat([0, 1], 5000), chunk_size=999),
            method=lambda Z: Z[:, 0],
            prefit=True,
        ),
    }
    for name, call in calls.items():
        with pytest.warns(NPWarning, match=WRONG) as heard:
            call()
        assert len(heard) == 1, name
    # area 0.468, and 5.6 standard errors below 1/2, as dependent rows may give it by chance; warnings are errors here
    NPROCBand.from_scores(scores0, scores1 + 0.1)
    # useless scores of as many rows
    for seed in range(20):
        one, other = np.random.default_rng(seed).normal(size=(2, 5000))
        compare_aucs(one, other)


@pytest.mark.parametrize("n", [1, 399, 400, 401, 5000])
def test_some_are_at_most_400(n):
    assert min(n, 200) <= len(some_of(np.arange(n))) <= 400


def test_stages_of_several_classes_are_looked_at():
    y = np.repeat([0, 1, 2], 100)
    rows = RNG.normal(size=(300, 2)) + 3.0 * np.eye(3)[y][:, :2]
    npc_multiclass(rows, y, "lda", alphas=0.2, random_state=1)
    score = {"prefit": True, "scheme": "separate"}
    with pytest.warns(NPWarning) as heard:
        fit = npc_multiclass(rows, y, lambda X: -X[:, :2], **score, alphas=0.2, random_state=1)
    told = [str(warning.message) for warning in heard if WRONG in str(warning.message)]
    assert ["stage of 0" in told[0], "stage of 1" in told[1], len(told)] == [True, True, 2]
    assert " ".join(str(fit.summary()).split()).count(WRONG) == 2


def test_rows_of_one_cluster_count_once():
    # both classes have one law, and 5 clusters of 80 equal rows of class 1 are no 400 rows
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = np.r_[np.repeat(rng.normal(size=70), 5), np.repeat(rng.normal(size=5), 80)][:, None]
        y, clusters = (
            np.repeat([0, 1], [350, 400]),
            np.r_[np.repeat(np.arange(70), 5), np.repeat(np.arange(70, 75), 80)],
        )
        npc(rows, y, lambda Z: Z[:, 0], prefit=True, clusters=clusters, alpha=0.2, delta=0.2, random_state=1)


SAME_ROWS = "look like the labels and the scores of the same rows"


@pytest.mark.slow
@pytest.mark.parametrize("code", [(0, 1), (-1, 1), (1, 2), (False, True)])
@pytest.mark.parametrize("turned", [False, True])
def test_labels_and_scores_in_the_place_of_the_scores_of_each_class_are_told_in_any_order(code, turned):
    # probabilities, and scores around 0
    for scores in (expit(score(X)), score(X)):
        labels = np.where(Y == 1, code[1], code[0])
        given = (scores, labels) if turned else (labels, scores)
        calls = {
            "from_scores": lambda *given: NPROCBand.from_scores(*given),
            "np_review": lambda *given: np_review(*given, alpha=0.2, beta=0.2),
            "plan_review": lambda *given: plan_review(*given, max_review=0.5, alpha=0.2, beta=0.2),
            "np_threshold_noisy": lambda *given: np_threshold_noisy(*given, noise0=0, noise1=0.1, alpha=0.2),
            "noise_sensitivity": lambda *given: noise_sensitivity(*given, noise0=[0.0, 0.02], alpha=0.2),
            "pilot=": lambda *given: plan_class0(0.2, 0.2, pilot=given),
        }
        for name, call in calls.items():
            # other warnings, such as of the sign, are no matter here, nor what so many ties leave of a plan
            with warnings.catch_warnings(record=True) as heard, suppress(InvalidInputError):
                warnings.simplefilter("always")
                call(*given)
            told = [str(warning.message) for warning in heard if SAME_ROWS in str(warning.message)]
            assert len(told) == 1
            assert f"scores{int(turned)} holds the numbers {code[0]:g} and {code[1]:g} alone" in told[0]
            assert f"{name}(scores[y == 0], scores[y == 1])" in told[0]
        with pytest.raises(InvalidInputError, match="one of scores0 and scores1 looks like labels"):
            compare_aucs(*given)


def test_a_comparison_of_scores_names_the_reversed_one_and_says_nothing_of_thresholds():
    both = np.column_stack([score(X), reversed_score(X)])
    named = pd.DataFrame(both, columns=["good", "reversed"])
    for call in (compare_scores, compare_aucs):
        for table, name in ((both, "method 2"), (named, "reversed")):
            with pytest.warns(NPWarning, match=f"^the scores of '{name}' {WRONG}") as heard:
                call(table[Y == 0], table[Y == 1])
            assert len(heard) == 1
            assert "threshold" not in str(heard[0].message)
            assert str(heard[0].message).endswith("give it as class 0 instead.")
    with pytest.warns(NPWarning, match=f"^the scores {WRONG}"):
        compare_aucs(both[Y == 0, 1], both[Y == 1, 1])
    # bands were told when they were made; warnings are errors here
    with pytest.warns(NPWarning, match=WRONG):
        band = nproc(X, Y, Reversed(), random_state=3)
    compare_aucs(band)


OF_BOTH_CLASSES = {
    "partial_auc": lambda *given: partial_auc(*given, 0.1),
    "np_review": lambda *given: np_review(*given),
    "plan_review": lambda *given: plan_review(*given),
    "np_threshold_noisy": lambda *given: np_threshold_noisy(*given, noise0=0.05, noise1=0.05),
    "noise_sensitivity": lambda *given: noise_sensitivity(*given, noise0=[0.0, 0.02]),
    "score_rule": lambda *given: score_rule(given[0], scores1=given[1], noise1=0.05),
    "plan_class0": lambda *given: plan_class0(0.3, 0.05, power=0.8, pilot=given),
    "q_values": lambda *given: q_values(np.concatenate(given), np.repeat([0, 1], [len(scores) for scores in given])),
}


@pytest.mark.parametrize("call", OF_BOTH_CLASSES.values(), ids=OF_BOTH_CLASSES)
def test_scores_of_both_classes_are_told_where_they_are_reversed_and_not_where_they_are_useless(call):
    rng = np.random.default_rng(1)
    scores0, scores1 = rng.normal(size=400), rng.normal(1.5, size=400)
    with pytest.warns(NPWarning, match=rf"{WRONG}.* only 13\.5% have the larger score in class 1") as heard:
        call(scores1, scores0)
    assert len(heard) == 1
    # warnings are errors here
    call(scores0, scores1)
    call(scores0, rng.normal(size=400))


@pytest.mark.parametrize("names", [["np_review"], ["np_threshold_noisy", "noise_sensitivity", "score_rule"]])
def test_the_price_of_another_sign_is_new_rows_of_both_classes_where_both_set_the_threshold(names):
    for name in names:
        with pytest.warns(NPWarning, match="use new rows of both classes; on the same rows the guarantee is lost"):
            OF_BOTH_CLASSES[name](-score(X[Y == 0]), -score(X[Y == 1]))


def test_a_rule_from_noisy_labels_names_the_argument_that_changes_the_direction():
    with pytest.warns(NPWarning, match=f"{WRONG}.* If larger_means='class0' is wrong, give the other one") as heard:
        score_rule(score(X[Y == 0]), scores1=score(X[Y == 1]), noise1=0.05, larger_means="class0")
    assert len(heard) == 1


def test_wrong_labels_bring_the_area_nearer_to_a_half_and_never_to_its_other_side():
    # ties count half; all pairs of two small populations, of which parts are exchanged
    scores0, scores1 = np.arange(6), np.array([1, 1, 4, 2, 0, 0])
    labelled0 = np.r_[np.repeat(scores0, 9), np.repeat(scores1, 1)]
    labelled1 = np.r_[np.repeat(scores0, 2), np.repeat(scores1, 8)]
    right, noisy = (area_under_roc(np.sort(a), np.sort(b)) for a, b in ((scores0, scores1), (labelled0, labelled1)))
    assert noisy - 0.5 == pytest.approx((1 - 0.1 - 0.2) * (right - 0.5), rel=1e-12)


def test_a_pilot_without_power_is_told_of_its_sign_where_that_is_wrong():
    with pytest.raises(InvalidInputError, match=r"the estimated power is 0.*only 0\.\d% .*: change their sign"):
        plan_class0(0.05, 0.05, power=0.8, pilot=(score(X[Y == 1]), score(X[Y == 0]) - 5))
    with pytest.raises(InvalidInputError, match=r"the estimated power is 0.* or a better score\.$"):
        plan_class0(0.05, 0.05, power=0.8, pilot=(np.arange(20.0), np.full(20, 12.0)))


def test_scores_with_two_values_are_no_labels_if_those_of_class_1_have_two_as_well():
    # such as a medical test that says no or yes; warnings are errors here
    NPROCBand.from_scores(RNG.integers(0, 2, 200), RNG.integers(0, 2, 200))
    NPROCBand.from_scores(RNG.integers(0, 2, 200), score(X)[:190])
    np_review(RNG.integers(0, 2, 200), RNG.integers(0, 2, 200), alpha=0.2)


def test_scores_of_few_values_and_two_other_numbers_are_no_labels():
    # grades, and shares among three neighbours; warnings are errors here
    for low, high, others in ((1, 2, [1, 2, 3]), (0, 1 / 3, np.linspace(0, 1, 40))):
        scores0, scores1 = RNG.choice([low, high], 200), RNG.choice(others, 200)
        NPROCBand.from_scores(scores0, scores1)
        compare_aucs(scores0, scores1)


def warn_of_counts(n0, n1, called0, called1, alpha=0.9):
    known = {"level": 0.95, "alpha": alpha, "delta": 0.05, "labels": np.array([0, 1]), "guaranteed": True}
    warn_swapped(evaluation_of_counts(n0, n1, called0, n1 - called1, **known), called1)


def test_new_rows_are_said_to_be_swapped_only_where_useless_scores_would_hardly_call_them_so():
    # one call, of a class 0 row, has probability 59 / 10059
    warn_of_counts(59, 10_000, 1, 0)
    warn_of_counts(30, 20_000, 3, 120)
    for counts in ((30, 20_000, 9, 120), (200, 200, 104, 3)):
        assert hypergeom(sum(counts[:2]), sum(counts[2:]), counts[0]).sf(counts[2] - 1) < 1e-6
        with pytest.warns(NPWarning, match="are clearly more often called .* Are the labels of these rows swapped"):
            warn_of_counts(*counts)


def test_less_is_enough_where_the_type_1_error_is_above_alpha_too():
    # 26 % of class 0 are called class 1, and 10 % of class 1, which is less clear
    with pytest.warns(NPWarning, match="are more often called .* Are the labels of these rows swapped"):
        warn_of_counts(212, 88, 55, 9, alpha=0.1)
    warn_of_counts(212, 88, 55, 9, alpha=0.25)
    # a class 0 that has changed, of which hardly more are called class 1 than of class 1
    warn_of_counts(212, 88, 55, 20, alpha=0.1)


@pytest.mark.slow
def test_right_labels_of_useless_scores_are_seldom_said_to_be_swapped():
    # at the worst, where the type 1 error is above alpha and as large as the power
    rng, n_heard = np.random.default_rng(1), 0
    for called0, called1 in rng.binomial([212, 88], 0.26, size=(2000, 2)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            warn_of_counts(212, 88, int(called0), int(called1), alpha=0.1)
        n_heard += len(heard)
    # of 2000 at most 20 are expected; more than 37 have probability 1e-4
    assert 0 < n_heard <= 37


def test_swapped_labels_of_a_weak_score_are_told_by_a_fit_with_and_without_review():
    rng = np.random.default_rng(2)
    rows = [rng.normal(size=(n, 1)) + 1.0 * np.repeat([0, 1], n // 2)[:, None] for n in (800, 240)]
    for more in ({}, {"review_beta": 0.1}):
        fit = npc(rows[0], np.repeat([0, 1], 400), lambda Z: Z[:, 0], prefit=True, alpha=0.1, random_state=1, **more)
        fit.evaluate(rows[1], np.repeat([0, 1], 120))
        with pytest.warns(NPWarning, match="Are the labels of these rows swapped"):
            fit.evaluate(rows[1], np.repeat([1, 0], 120))
