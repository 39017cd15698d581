"""Tests of `nproc.umbrella` through `npc`: every threshold belongs to its own scorer, and nothing leaks."""

import threading
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import SMOTE, RandomOverSampler
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import NPClassifier, np_order, np_threshold, npc, npc_multiclass, nproc
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.planning import plan_class0
from nproc.rows.keys import take_rows
from nproc.scorers import score_rows
from nproc.splitting import auto_left_out, make_splits

# trees and neighbours often give class 0 rows the largest score, about which the warning is right
pytestmark = pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning")


def world(n=400, seed=0, p=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    return rng.normal(size=(n, p)) + np.outer(y, np.r_[2.0, np.zeros(p - 1)]), y


X, Y = world()


class Spy(ClassifierMixin, BaseEstimator):
    """Scores by the first column, and keeps what it was trained on."""

    def __init__(self, mark="unchanged"):
        self.mark = mark

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.sample_weight_ = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


class SpyResampler(BaseEstimator):
    """Doubles every row, and notes in a list shared by all copies what it saw."""

    seen = []  # noqa: RUF012

    def fit_resample(self, X, y):
        SpyResampler.seen.append((X, y))
        return np.vstack([X, X]), np.concatenate([y, y])


def left_out_of(fit, y, n_splits=None, used=None):
    return make_splits(
        y, n_splits or fit.n_splits, fit.split_ratio, fit.seed, leave_out_class1=False, always_train=used
    )


@pytest.mark.parametrize("method", ["lda", "tree", LogisticRegression(), RandomForestClassifier(10)])
def test_each_threshold_is_the_order_statistic_of_the_left_out_scores_of_its_own_scorer(method):
    fit = npc(X, Y, method, n_splits=5, random_state=3, split_ratio=0.5)
    assert len({id(scorer) for scorer in fit.scorers}) == 5
    for j, split in enumerate(left_out_of(fit, Y)):
        scores0 = score_rows(fit.scorers[j], X[split.idx_left0])
        assert fit.n0_left_out == split.idx_left0.size == 100
        assert fit.orders[j] == np_order(100, 0.05, 0.05)
        assert fit.thresholds[j] == np.sort(scores0)[fit.orders[j] - 1]
        np.testing.assert_array_equal(fit.scores0[j], scores0)


def test_left_out_rows_never_train_and_all_class1_rows_do():
    fit = npc(X, Y, Spy(), n_splits=3, random_state=3)
    for scorer, split in zip(fit.scorers, left_out_of(fit, Y), strict=True):
        np.testing.assert_array_equal(scorer.X_, X[split.idx_train])
        np.testing.assert_array_equal(scorer.y_, Y[split.idx_train])
        assert np.sum(scorer.y_ == 1) == 200
        assert not np.any(np.isin(X[split.idx_left0][:, 0], scorer.X_[:, 0]))


def test_the_object_of_the_user_is_cloned_and_never_trained_or_changed():
    spy = Spy()
    fit = npc(X, Y, spy, n_splits=3, random_state=3)
    assert vars(spy) == {"mark": "unchanged"}
    assert all(scorer is not spy for scorer in fit.scorers)
    nested = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    npc(X, Y, nested, random_state=3)
    assert not hasattr(nested[0], "mean_")
    assert nested[-1].random_state is None


def test_an_object_without_get_params_is_copied():
    class Plain:
        def fit(self, X, y):
            self.mean = X[y == 1].mean(axis=0)
            return self

        def decision_function(self, X):
            return X @ self.mean

    plain = Plain()
    fit = npc(X, Y, plain, n_splits=3, random_state=3)
    assert not hasattr(plain, "mean")
    assert len({tuple(scorer.mean) for scorer in fit.scorers}) == 3 or len({id(s) for s in fit.scorers}) == 3


def test_a_seed_set_by_the_user_on_his_object_is_kept():
    fit = npc(X, Y, RandomForestClassifier(5, random_state=11), random_state=3)
    assert fit.scorers[0].random_state == 11


def test_scorers_with_their_own_randomness_get_a_seed_of_their_own_in_every_split():
    fit = npc(X, Y, "randomforest", n_estimators=5, n_splits=3, random_state=3)
    assert len({scorer[-1].random_state for scorer in fit.scorers}) == 3


def test_the_resampler_sees_the_training_rows_of_each_split_and_nothing_else():
    SpyResampler.seen = []
    fit = npc(X, Y, Spy(), n_splits=3, resample=SpyResampler(), random_state=3, split_ratio=0.5)
    splits = left_out_of(fit, Y)
    assert len(SpyResampler.seen) == 3
    for (X_seen, y_seen), scorer, split in zip(SpyResampler.seen, fit.scorers, splits, strict=True):
        np.testing.assert_array_equal(X_seen, X[split.idx_train])
        np.testing.assert_array_equal(y_seen, Y[split.idx_train])
        assert scorer.y_.size == 2 * y_seen.size
    assert fit.n0_left_out == 100


@pytest.mark.parametrize("resample", [SMOTE(k_neighbors=3), RandomOverSampler()])
def test_a_resampler_of_imbalanced_learn_balances_the_training_part_only(resample):
    fit = npc(X, Y, Spy(), resample=resample, random_state=3)
    trained = fit.scorers[0].y_
    assert np.sum(trained == 0) == np.sum(trained == 1) == 200
    again = npc(X, Y, Spy(), resample=resample, random_state=3)
    np.testing.assert_array_equal(fit.scorers[0].X_, again.scorers[0].X_)
    assert resample.random_state is None


def test_a_resampler_takes_frames_and_sparse_rows():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    fit = npc(frame, Y, LogisticRegression(), resample=RandomOverSampler(), random_state=3)
    assert fit.scorers[0].feature_names_in_.tolist() == ["a", "b", "c"]
    assert npc(sparse.csr_array(X), Y, LogisticRegression(), resample=RandomOverSampler(), random_state=3).n_splits == 1


@pytest.mark.parametrize("resample", [SMOTE, object(), "smote"])
def test_something_that_cannot_resample_is_refused(resample):
    with pytest.raises(InvalidInputError, match=r"resample must be an object with fit_resample\(X, y\)"):
        npc(X, Y, "lda", resample=resample)


def test_an_error_of_a_resampler_is_told_with_its_name_and_not_as_one_of_the_scorer():
    rows, labels = np.random.default_rng(1).normal(size=(98, 2)), np.repeat([0, 1], [95, 3])
    with pytest.raises(InvalidInputError, match=r"^SMOTE cannot resample .* 0: Expected n_neighbors .* resample\.$"):
        npc(rows, labels, LogisticRegression(), resample=SMOTE(), class0=0, random_state=1)


def test_resample_and_weights_do_not_go_together():
    with pytest.raises(InvalidInputError, match="resample and sample_weight cannot be used together"):
        npc(X, Y, "logistic", resample=RandomOverSampler(), sample_weight=np.ones(Y.size))


def test_weights_go_to_the_training_rows_and_leave_the_rank_alone():
    weights = np.arange(1.0, Y.size + 1)
    fit = npc(X, Y, Spy(), sample_weight=weights, n_splits=3, random_state=3)
    plain = npc(X, Y, Spy(), n_splits=3, random_state=3)
    for scorer, split in zip(fit.scorers, left_out_of(fit, Y), strict=True):
        np.testing.assert_array_equal(scorer.sample_weight_, weights[split.idx_train])
    assert plain.scorers[0].sample_weight_ is None
    note = "The training used the weights of the rows."
    assert (note in str(fit.summary()), note in str(plain.summary())) == (True, False)
    np.testing.assert_array_equal(fit.thresholds, plain.thresholds)


def test_weights_change_the_scorer_of_a_named_method_and_of_a_pipeline():
    weights = np.where(X[:, 1] > 0, 5.0, 1.0)
    for method in ("logistic", make_pipeline(StandardScaler(), LogisticRegression())):
        plain, weighted = (npc(X, Y, method, sample_weight=w, random_state=3) for w in (None, weights))
        assert plain.thresholds[0] != weighted.thresholds[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["randomforest", "gradientboosting", HistGradientBoostingClassifier(max_iter=5)])
def test_missing_values_reach_methods_that_take_them(method):
    holes = X.copy()
    holes[::7, 1] = np.nan
    fit = npc(holes, Y, method, random_state=3)
    assert fit.predict(holes).shape == Y.shape


@pytest.mark.slow
def test_sparse_rows_give_the_same_classifier_as_dense_ones():
    # no row of zeros alone, which would be a copy of others
    thin = np.where(np.abs(X) > [0, 1, 1], X, 0.0)
    dense = npc(thin, Y, "logistic", random_state=3)
    thinned = npc(sparse.csc_matrix(thin), Y, LogisticRegression(C=1e6, tol=1e-8), random_state=3)
    assert (dense.predict(thin) == thinned.predict(sparse.coo_matrix(thin))).mean() > 0.98
    for method in ("svm", "randomforest"):
        pair = [npc(table, Y, method, random_state=3) for table in (thin, sparse.csr_array(thin))]
        np.testing.assert_array_equal(pair[0].predict(thin), pair[1].predict(sparse.csr_array(thin)))


def test_a_formula_gives_the_classifier_of_its_columns():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
        y=np.where(Y, "yes", "no"), g=np.where(X[:, 2] > 0, "u", "v")
    )
    by_formula = npc("y ~ a + b", data=frame, method="lda", class0="no", random_state=3)
    by_columns = npc(frame[["a", "b"]], frame["y"], "lda", class0="no", random_state=3)
    np.testing.assert_array_equal(by_formula.thresholds, by_columns.thresholds)
    np.testing.assert_array_equal(by_formula.predict(frame), by_columns.predict(frame[["a", "b"]]))
    coded = npc("y ~ a + g", data=frame, method="lda", class0="yes", random_state=3)
    assert coded.class0 == "yes"
    assert coded.evaluate(frame).n0 == 200


@pytest.mark.parametrize("n_splits", [2, 4])
def test_an_even_number_of_splits_warns_and_ties_go_to_class0(n_splits):
    with pytest.warns(NPWarning, match=f"n_splits={n_splits} is even, and a tied vote is called class 0"):
        fit = npc(X, Y, "tree", max_depth=3, n_splits=n_splits, random_state=3)
    votes, labels = fit.votes(X), fit.predict(X)
    assert np.any(votes == 0.5)
    assert np.all(labels[votes == 0.5] == 0)
    np.testing.assert_array_equal(labels, (fit.decision_function(X) > 0).astype(int))


def test_copies_of_a_row_on_both_sides_of_a_split_warn():
    twice, labels = np.vstack([X, X[:50]]), np.concatenate([Y, Y[:50]])
    with pytest.warns(
        NPWarning,
        match=r"of 111 left-out class 0 rows \([\d.]+ %\) are exact copies of training rows .* drop the copies before",
    ) as caught:
        fit = npc(twice, labels, "lda", random_state=3, split_ratio=0.5)
    # the fit keeps it, and so does a copy at other levels
    (told,) = fit.with_levels(alpha=0.2).caveats
    assert str(caught[0].message).startswith(told)
    # it is also said where there is no guarantee
    assert "guarantee" not in told
    assert " ".join(str(fit.summary()).split()).count("exact copies") == 1
    assert npc(X, Y, "lda", random_state=3, split_ratio=0.5).caveats == ()


@pytest.mark.slow
def test_a_fit_to_rows_of_class_0_that_look_oversampled_claims_no_guarantee(tmp_path):
    few = np.flatnonzero((Y == 1) | (np.arange(Y.size) % 5 == 0))
    rows, labels = RandomOverSampler(random_state=0).fit_resample(X[few], Y[few])
    assert np.sum(labels == 0) == np.sum(labels == 1)
    seen = (
        r"It seems to have been oversampled before the fit, and .* not guaranteed\. Fit to the rows before oversampling"
    )
    made = []
    for make in (
        lambda: npc(rows, labels, "lda", alpha=0.1, random_state=1),
        lambda: npc(rows, labels, "lda", alpha=0.1, cross_fit=5, random_state=1),
        lambda: NPClassifier("lda", alpha=0.1, random_state=1).fit(rows, labels).fit_,
        lambda: nproc(rows, labels, "lda", random_state=1).classifier(0.1),
    ):
        with pytest.warns(NPWarning, match=seen):
            made.append(make())
    for fit in made:
        assert not fit.guaranteed
        told = " ".join(str(fit.summary()).split())
        assert "if class 0 had not been oversampled before the fit" in told
        assert "Fit to the rows before oversampling" in told
    assert "is not guaranteed" in made[0].report(tmp_path / "report.md").read_text()
    # class 1 may be oversampled, and class 0 by the fit itself, on its training rows
    more, of_more = RandomOverSampler(random_state=0).fit_resample(X[few], 1 - Y[few])
    for args, own in (((more, of_more), {}), ((X[few], Y[few]), {"resample": RandomOverSampler(random_state=0)})):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*exact copies", NPWarning)
            assert npc(*args, "lda", alpha=0.2, random_state=1, **own).guaranteed


def test_rows_that_look_oversampled_have_no_guarantee_with_a_trained_method_either():
    few = np.flatnonzero((Y == 1) | (np.arange(Y.size) % 5 == 0))
    rows, labels = RandomOverSampler(random_state=0).fit_resample(X[few], Y[few])
    told = {"method": lambda Z: Z[:, 0], "prefit": True, "random_state": 1}
    for make in (
        lambda: npc(rows, labels, alpha=0.1, **told),
        lambda: npc(rows, labels, alpha=0.1, groups=np.arange(labels.size) % 2, **told),
        lambda: nproc(rows, labels, **told).classifier(0.1),
    ):
        with pytest.warns(NPWarning, match="It seems to have been oversampled before the fit"):
            fit = make()
        assert not fit.guaranteed
        assert "if class 0 had not been oversampled before the fit" in " ".join(str(fit.summary()).split())
    assert npc(X, Y, alpha=0.1, **told).guaranteed


@pytest.mark.filterwarnings(
    "ignore:.*tied", "ignore:.*are the same rows", "ignore:.*[0-9] of [0-9]+ left-out class 0 rows"
)
def test_replicates_of_a_few_profiles_are_told_apart_by_numbers_of_the_observations():
    rng = np.random.default_rng(3)
    # each of the 8 profiles of class 0 was observed 25 times
    table = pd.DataFrame(np.vstack([np.repeat(rng.normal(size=(8, 2)), 25, axis=0), rng.normal(size=(200, 2)) + 2]))
    table.columns, labels = ["a", "b"], np.repeat([0, 1], 200)
    known = {"alpha": 0.3, "random_state": 1}
    trained = {"method": lambda Z: np.asarray(Z)[:, 0], "prefit": True}
    for how in ({"method": "lda"}, trained):
        with pytest.warns(
            NPWarning, match="oversampled .* number the observations. Give the numbers as clusters= of npc"
        ):
            assert not npc(table, labels, **how, **known).guaranteed
        assert npc(table, labels, **how, clusters=np.arange(400), **known).guaranteed
    numbered = table.assign(y=labels, number=np.arange(400))
    assert npc("y ~ a + b", data=numbered, method="lda", **known).guaranteed
    assert nproc("y ~ a + b", data=numbered, method="lda", random_state=1).classifier(0.3).guaranteed
    # what is copied has the number of its observation
    few = np.flatnonzero((labels == 1) | (np.arange(400) % 5 == 0))
    copied, _ = RandomOverSampler(random_state=0).fit_resample(numbered.iloc[few], labels[few])
    with pytest.warns(NPWarning, match="It seems to have been oversampled"):
        assert not npc("y ~ a + b", data=copied, method="lda", **known).guaranteed
    one_each = npc(copied[["a", "b"]], copied["y"], "lda", clusters=copied["number"], **known)
    assert one_each.guaranteed
    assert one_each.n_clusters0 == 40


@pytest.mark.filterwarnings("ignore:.*tied")
def test_independent_rows_of_few_categories_stay_guaranteed_with_the_caveat_of_copies():
    rng = np.random.default_rng(1)
    rows, labels = rng.integers(0, 5, size=(400, 2)).astype(float), np.repeat([0, 1], 200)
    with pytest.warns(NPWarning, match="In the first case drop the copies before the fit"):
        fit = npc(rows + labels[:, None], labels, "lda", alpha=0.1, random_state=1)
    assert fit.guaranteed
    assert "exact copies" in fit.caveats[0]


@pytest.mark.filterwarnings("ignore:.*tied", "ignore:.*exact copies")
def test_class_0_with_few_symptoms_in_a_matched_sample_is_not_taken_for_an_oversampled_one():
    rng = np.random.default_rng(0)
    n, weights = 200, np.linspace(1, 1.5, 12)
    symptoms = np.vstack([rng.random((n, 12)) < 0.02, rng.random((n, 12)) < 0.4]).astype(float)
    labels, rows = np.repeat([0, 1], n), np.arange(2 * n)
    few = np.r_[rows[labels == 1], rows[:50]]
    copied, of_copied = RandomOverSampler(random_state=0).fit_resample(few[:, None], labels[few])
    copied = copied.ravel()
    beside = {
        "nothing": np.empty((2 * n, 0)),
        "years": np.c_[rng.integers(20, 60, 2 * n), (rng.random(2 * n) < 0.9) * labels * rng.lognormal(2, 1, 2 * n)],
        "amount": (rng.normal(size=(2 * n, 1)) ** 2 * (rng.random((2 * n, 1)) < np.where(labels, 0.9, 0.2)[:, None])),
        # an amount that most of class 0 do not have, above; here to two decimal places
        "measured": rng.normal(size=(2 * n, 3)).round(2),
    }
    for name, columns in beside.items():
        told = np.hstack([symptoms, columns])
        trained = {"method": lambda Z: Z[:, :12] @ weights, "prefit": True}
        for how, other in ((trained, sparse.csr_matrix), ({"method": "lda"}, pd.DataFrame)):
            assert npc(told, labels, **how, class0=0, random_state=1).guaranteed, name
            if name == "measured":
                for kind in (np.asarray, other):
                    with pytest.warns(NPWarning, match="It seems to have been oversampled"):
                        assert not npc(kind(told[copied]), of_copied, **how, class0=0, random_state=1).guaranteed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_that_every_row_is_called_class_0_is_told_with_the_number_of_splits_and_stays_with_the_fit(tmp_path):
    with pytest.warns(NPWarning, match=r"every row is called class 0.* \(so it is in all 3 splits; the numbers are"):
        fit = npc(np.round(X / 100), Y, "tree", n_splits=3, random_state=3)
    report = fit.report(tmp_path / "report.md").read_text()
    for text in (fit.caveats[-1], " ".join(str(fit.summary()).split()), report):
        assert "every row is called class 0. So it is in all 3 splits." in text


def test_a_share_of_all_left_out_rows_is_written_as_100_percent():
    with pytest.warns(NPWarning, match=r"of \d+ left-out class 0 rows \(100 %\) are exact copies"):
        npc(np.vstack([X] * 20), np.tile(Y, 20), "lda", random_state=3)


def test_a_single_copy_and_the_split_that_is_told_of_are_said_in_plain_words():
    twice, labels = np.vstack([X, X[Y == 0][:1]]), np.append(Y, 0)
    told = (
        r"^1 of \d+ left-out class 0 rows \([\d.]+ %\) is an exact copy of a training row with the same label \(of the "
        r"9 splits, this one has the most copies\)\. If they are one observation"
    )
    with pytest.warns(NPWarning, match=told):
        npc(twice, labels, "lda", random_state=3, n_splits=9, split_ratio=0.5)


def test_a_few_copies_among_many_rows_are_kept_by_the_fit_without_a_warning():
    many, labels = world(2000)
    # copies of two rows, so that some stand on both sides of the split
    twice, labels = np.vstack([many, *[many[labels == 0][:1]] * 2]), np.append(labels, [0, 0])
    fits = [npc(twice, labels, "lda", class0=0, random_state=seed) for seed in range(4)]
    # here a warning would be an error
    assert any("exact cop" in text for fit in fits for text in fit.caveats)


def test_rows_that_differ_in_a_column_outside_the_formula_are_no_copies():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(a=np.round(X[:, 0]), y=Y)
    npc("y ~ a", data=frame, method="lda", random_state=3)
    with pytest.warns(NPWarning, match="exact copies of training rows"):
        npc("y ~ a", data=pd.concat([frame, frame[:50]]), method="lda", random_state=3)


def test_equal_rows_of_different_labels_are_no_copies():
    npc(np.vstack([X, X[Y == 0]]), np.concatenate([Y, np.ones(200, dtype=int)]), "nb", random_state=3)


def test_the_warning_counts_copies_of_the_same_label_alone():
    def counted(rows, labels):
        with pytest.warns(NPWarning, match="exact copies of training rows with the same label") as caught:
            npc(rows, labels, "nb", random_state=3)
        return str(caught[0].message).split(" left-out")[0]

    other = X[Y == 0] + 100.0
    twice, labels = np.vstack([X, X[Y == 0]]), np.concatenate([Y, np.zeros(np.sum(Y == 0), dtype=int)])
    # as many rows of class 1 in both: copies of class 0 rows, and rows of which there is one
    ones = np.ones(len(other), dtype=int)
    alone = counted(np.vstack([twice, other]), np.concatenate([labels, ones]))
    assert counted(np.vstack([twice, X[Y == 0]]), np.concatenate([labels, ones])) == alone


def test_cross_validation_tells_of_copies_once_for_the_same_rows():
    def told(rows, labels):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            cross_val_score(NPClassifier("lda", alpha=0.2, random_state=1), rows, labels, cv=4)
        return [str(warning.message) for warning in heard]

    twice, labels = np.vstack([X, X]), np.concatenate([Y, Y])
    for scale in (1.0, 2.0):
        told_once = told(scale * twice, labels)
        assert len(told_once) == 1
        assert "exact copies of training rows" in told_once[0]


def test_copies_that_all_train_do_not_warn():
    twice, labels = np.vstack([X, X[Y == 1][:50]]), np.concatenate([Y, np.ones(50, dtype=int)])
    assert npc(twice, labels, "lda", random_state=3).n1 == 250


def further(seed=9):
    """Rows of which nearly all are class 1, which move a model that is trained on them too."""
    rng = np.random.default_rng(seed)
    y = (rng.random(3000) < 0.95).astype(int)
    return rng.normal(size=(3000, 3)) - np.outer(y, [2.0, 0.0, 0.0]), y


def moved(model):
    return model.partial_fit(*further())


def trained_twice(model):
    return model.fit(*further())


@pytest.mark.parametrize(
    ("model", "train_on"),
    [
        (GaussianNB(), moved),
        (SGDClassifier(random_state=0), moved),
        (HistGradientBoostingClassifier(max_iter=5), trained_twice),
        (make_pipeline(StandardScaler(), LogisticRegression()), trained_twice),
    ],
    ids=["naive Bayes", "stochastic gradient", "boosting", "pipeline"],
)
def test_further_training_of_a_model_changes_nothing_that_was_made_with_it(model, train_on):
    model.fit(*world(seed=3))
    fit = npc(X, Y, model, prefit=True, alpha=0.1)
    estimator = NPClassifier(model, prefit=True, alpha=0.1, class0=0).fit(X, Y)
    made = [fit, fit.to_sklearn(), fit.with_levels(alpha=0.2), nproc(X, Y, model, prefit=True).classifier(0.1)]
    made += [estimator, npc_multiclass(X, Y, model, prefit=True, priority=[0, 1], alphas=0.1)]
    before = [one.predict(X) for one in made]
    untrained = score_rows(model, X)
    train_on(model)
    assert not np.array_equal(score_rows(model, X), untrained)
    for one, labels in zip(made, before, strict=True):
        np.testing.assert_array_equal(one.predict(X), labels)
    np.testing.assert_array_equal(fit.scores0[0], score_rows(fit.scorers[0], X[Y == 0]))


def test_a_method_of_a_model_is_copied_with_the_model():
    model = SGDClassifier(random_state=0).fit(*world(seed=3))
    fit = npc(X, Y, model.decision_function, prefit=True)
    before = fit.predict(X)
    moved(model)
    np.testing.assert_array_equal(fit.predict(X), before)


class Session:
    """A trained model with a lock, which Python cannot copy, as sessions of other libraries."""

    def __init__(self):
        self.lock = threading.Lock()

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def test_a_model_that_cannot_be_copied_is_told():
    model = Session()
    with pytest.warns(NPWarning, match=r"method=.*Session.* cannot be copied .* Do not train it further"):
        fit = npc(X, Y, model, prefit=True)
    assert fit.scorers[0] is model


class TestPrefit:
    """A model or a function that is used as it is: all class 0 rows set the threshold."""

    def test_all_class0_rows_set_the_threshold(self):
        fit = npc(X, Y, lambda X: X[:, 0], prefit=True)
        rule = np_threshold(X[Y == 0, 0])
        assert fit.n0_left_out == 200
        assert fit.rules[0] == rule
        assert fit.split_ratio is None
        np.testing.assert_array_equal(fit.predict(X), rule.predict(X[:, 0]))

    @pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"], [False, True], [3, 1]])
    @pytest.mark.parametrize("second", [False, True])
    @pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
    def test_the_order_of_the_classes_of_a_model_does_not_turn_the_score_round(self, labels, second, model):
        X_old, y_old = world(seed=1)
        named = np.array(labels)
        class0 = named[1] if second else named[0]
        y, y_old = named[Y], named[y_old]
        fit = npc(X, y, model.fit(X_old, y_old), prefit=True, class0=class0)
        errors = fit.evaluate(X, y)
        assert fit.class0 == class0
        # the sample sets the threshold: at most 200 - order of its 200 class 0 rows lie above
        assert errors.n_false1 <= 200 - fit.orders[0]
        assert errors.type2 < 0.6

    def test_a_model_trained_on_codes_is_refused_for_other_labels_since_its_direction_is_a_guess(self):
        X_old, y_old = world(seed=1)
        model = LogisticRegression().fit(X_old, y_old)
        with pytest.raises(InvalidInputError, match=r"trained on the classes \[0, 1\], but \['a', 'b'\] are expected"):
            npc(X, np.where(Y, "b", "a"), model, prefit=True, class0="a")

    def test_a_model_of_other_classes_is_refused(self):
        model = LogisticRegression().fit(X, np.where(Y, "u", "v"))
        with pytest.raises(InvalidInputError, match=r"was trained on the classes \['u', 'v'\], but \[0, 1\]"):
            npc(X, Y, model, prefit=True)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"n_splits": 3}, "prefit=True trains nothing, so there is nothing to split: n_splits must be 1, got 3"),
            ({"resample": RandomOverSampler()}, "prefit=True trains nothing; leave out resample and sample_weight"),
            ({"sample_weight": np.ones(400)}, "prefit=True trains nothing; leave out resample and sample_weight"),
        ],
    )
    def test_arguments_of_training_are_refused(self, arguments, message):
        with pytest.raises(InvalidInputError, match=message):
            npc(X, Y, lambda X: X[:, 0], prefit=True, **arguments)

    def test_too_few_class0_rows_are_an_error(self):
        with pytest.raises(TooFewSamplesError, match="n0=40 left-out class 0 scores cannot meet"):
            npc(X[np.argsort(Y)[160:]], np.sort(Y)[160:], lambda X: X[:, 0], prefit=True)


class TestAdaptive:
    """split_ratio="adaptive": rows that chose the ratio never set the threshold."""

    def test_rows_that_chose_the_ratio_are_not_left_out(self):
        fit = npc(X, Y, Spy(), split_ratio="adaptive", n_splits=3, random_state=3)
        choice = fit.ratio_choice
        assert fit.split_ratio == choice.split_ratio in choice.ratios
        assert np.sum(choice.used & (Y == 0)) == 40
        for scorer, split in zip(fit.scorers, left_out_of(fit, Y, used=choice.used), strict=True):
            assert not np.any(choice.used[split.idx_left0])
            np.testing.assert_array_equal(scorer.X_, X[split.idx_train])
        assert fit.n0_left_out == 200 - round(200 * fit.split_ratio)
        assert "(adaptive)" in str(fit.summary())

    def test_several_splits_differ_even_at_the_smallest_ratio(self):
        fit = npc(X, Y, "lda", split_ratio="adaptive", n_splits=3, random_state=3)
        assert min(fit.ratio_choice.ratios) == 0.3
        assert len(set(fit.thresholds)) == 3

    def test_thresholds_come_from_these_left_out_rows(self):
        fit = npc(X, Y, "lda", split_ratio="adaptive", random_state=3)
        split = left_out_of(fit, Y, used=fit.ratio_choice.used)[0]
        np.testing.assert_array_equal(fit.scores0[0], score_rows(fit.scorers[0], take_rows(X, split.idx_left0)))

    def test_too_few_rows_ask_for_a_number(self):
        few = np.r_[np.flatnonzero(Y == 0)[:65], np.flatnonzero(Y == 1)]
        with pytest.raises(TooFewSamplesError, match="give split_ratio as a number"):
            npc(X[few], Y[few], "lda", split_ratio="adaptive", random_state=3)


class TestSeeds:
    """One seed, one classifier: for every way to give it and every number of processes."""

    def test_no_seed_records_the_one_it_drew_and_replays(self):
        fit = npc(X, Y, "randomforest", n_estimators=5, n_splits=3)
        again = npc(X, Y, "randomforest", n_estimators=5, n_splits=3, random_state=fit.seed)
        np.testing.assert_array_equal(fit.thresholds, again.thresholds)
        assert str(fit.seed) in repr(fit)
        assert str(fit.seed) in str(fit.summary())
        assert npc(X, Y, "lda").seed != npc(X, Y, "lda").seed

    @pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
    def test_generators_of_numpy_are_taken_and_move_on(self, source):
        rng = source(5)
        first, second = (npc(X, Y, "lda", random_state=rng) for _ in range(2))
        assert first.seed == npc(X, Y, "lda", random_state=source(5)).seed != second.seed

    def test_more_splits_extend_fewer(self):
        three, five = (npc(X, Y, "lda", n_splits=m, random_state=3) for m in (3, 5))
        np.testing.assert_array_equal(three.thresholds, five.thresholds[:3])

    @pytest.mark.parametrize("method", ["randomforest", "tree"])
    @pytest.mark.parametrize("ties", ["conservative", "randomize"])
    def test_every_number_of_processes_and_backend_gives_the_same_fit(self, method, ties):
        arguments = {"n_splits": 3, "random_state": 3, "ties": ties, "resample": RandomOverSampler()}
        arguments["method_params"] = {"n_estimators": 5} if method == "randomforest" else {}
        alone = npc(X, Y, method, **arguments)
        others = [npc(X, Y, method, n_jobs=2, **arguments)]
        with joblib.parallel_config("threading", n_jobs=2):
            others.append(npc(X, Y, method, **arguments))
        for other in others:
            np.testing.assert_array_equal(alone.thresholds, other.thresholds)
            np.testing.assert_array_equal(alone.scores0, other.scores0)
            np.testing.assert_array_equal(alone.predict(X, random_state=1), other.predict(X, random_state=1))

    @pytest.mark.parametrize("backend", ["loky", "threading"])
    def test_a_pipeline_of_tables_gives_the_same_fit_in_every_process_and_thread(self, backend):
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        chosen = make_column_transformer(("passthrough", ["a", "b"]))
        method = make_pipeline(StandardScaler(), chosen, GaussianNB())
        with config_context(transform_output="pandas"), joblib.parallel_config(backend):
            alone, two = (npc(frame, Y, method, n_splits=3, random_state=3, n_jobs=n) for n in (1, 2))
            np.testing.assert_array_equal(alone.predict(frame, n_jobs=1), two.predict(frame, n_jobs=2))
        np.testing.assert_array_equal(alone.thresholds, two.thresholds)

    def test_an_adaptive_ratio_does_not_depend_on_the_number_of_processes(self):
        alone, two = (npc(X, Y, "lda", split_ratio="adaptive", n_jobs=n, random_state=3) for n in (1, 2))
        assert alone.ratio_choice.type2 == two.ratio_choice.type2
        np.testing.assert_array_equal(alone.thresholds, two.thresholds)


def test_the_global_random_state_is_neither_used_nor_changed():
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()  # noqa: NPY002
    first = npc(X, Y, "randomforest", n_estimators=5, n_splits=3, random_state=3, resample=SMOTE())
    first.predict(X)
    after = np.random.get_state()  # noqa: NPY002
    assert before[2] == after[2]
    np.testing.assert_array_equal(before[1], after[1])
    np.random.seed(2)  # noqa: NPY002
    second = npc(X, Y, "randomforest", n_estimators=5, n_splits=3, random_state=3, resample=SMOTE())
    np.testing.assert_array_equal(first.thresholds, second.thresholds)


def test_rows_and_labels_of_the_user_are_not_changed():
    X_before, y_before = X.copy(), Y.copy()
    X.flags.writeable = Y.flags.writeable = False
    try:
        npc(X, Y, "lda", n_splits=3, random_state=3).predict(X)
    finally:
        X.flags.writeable = Y.flags.writeable = True
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(Y, y_before)


def test_by_default_the_size_left_out_wastes_least_of_alpha_and_the_summary_says_so():
    y = np.repeat([0, 1], [180, 60])
    rows = np.random.default_rng(1).normal(size=(240, 2)) + y[:, None]
    fit, half = npc(rows, y, "lda", random_state=1), npc(rows, y, "lda", split_ratio=0.5, random_state=1)
    assert (fit.n0_left_out, half.n0_left_out) == (93, 90)
    assert (round(fit.violation_rates[0], 4), round(half.violation_rates[0], 4)) == (0.05, 0.0099)
    assert "Split ratio: 0.4833 (auto)" in " ".join(str(fit.summary()).split())
    assert "Split ratio: 0.5 " in " ".join(str(half.summary()).split())
    assert NPClassifier("lda", random_state=1).fit(rows, y).fit_.thresholds == fit.thresholds


def test_a_summary_has_at_most_three_notes_and_says_what_a_score_means():
    y = np.repeat([0, 1], [180, 60])
    rows = np.random.default_rng(1).normal(size=(240, 2)) + y[:, None]
    groups, clusters = np.arange(240) % 2, np.arange(240)
    fits = [npc(rows, y, "lda", random_state=1, n_splits=n) for n in (1, 3)]
    fits += [npc(rows, y, "lda", random_state=1, n_splits=n, groups=groups, alpha=0.1) for n in (1, 3)]
    fits += [npc(rows, y, "lda", random_state=1, n_splits=n, clusters=clusters) for n in (1, 3)]
    pilot = (rows[y == 0, 0], rows[y == 1, 0])
    for one in (*fits, nproc(rows, y, "lda", random_state=1), plan_class0(0.1, 0.1, power=0.5, pilot=pilot)):
        summary = one.summary()
        assert "[3]" in str(summary)
        assert "[4]" not in str(summary)
    for fit in fits:
        told = " ".join(str(fit.summary()).split())
        near = round(1 / fit.alpha)
        which = "of half, this one"
        if hasattr(fit, "group_values"):
            which = "of half of the group that leave a fifth of it to train, it takes the one that"
        what = "clusters" if hasattr(fit, "n_clusters") else "rows"
        assert f"among the numbers of left-out {what} within {near} {which} leaves the smallest" in told
    text = " ".join(str(npc(rows, y, "lda", random_state=1).summary()).split())
    assert "P(predict 1 | 0) <= 0.05 holds with probability at least 0.95" in text
    assert "A row is called 1 (class 1) when its score exceeds the threshold: larger scores mean class 1." in text
    assert "(auto)" not in str(npc(rows, y, "lda", split_ratio=0.5, random_state=1).summary())
    # 118 rows: half of them is also the number of "auto", but the user chose it
    few, of_few = rows[62:], y[62:]
    half, auto = (npc(few, of_few, "lda", split_ratio=ratio, random_state=1) for ratio in (0.5, "auto"))
    assert half.n0_left_out == auto.n0_left_out == 59
    assert "(auto)" not in str(half.summary())
    assert "Split ratio: 0.5 (auto)" in " ".join(str(auto.summary()).split())
    # at another level the number is no longer that of "auto"
    assert "(auto)" in str(auto.with_levels(alpha=0.05).summary())
    assert "(auto)" not in str(auto.with_levels(alpha=0.06).summary())


def test_groups_and_clusters_have_sizes_of_their_own():
    y = np.tile([0, 1], 360)
    rows, groups = np.random.default_rng(1).normal(size=(720, 2)) + y[:, None], np.repeat(["a", "b"], [360, 360])
    levels = {"alpha": 0.1, "delta": 0.1, "random_state": 1}
    fit = npc(rows, y, "lda", groups=groups, **levels)
    each = 1 - 0.9**0.5
    assert fit.n0_left_out_by_group.tolist() == [auto_left_out(180, 0.1, each)] * 2
    assert "(auto)" in " ".join(str(fit.summary()).split())
    patients = npc(rows, y, "lda", clusters=np.arange(720) // 4, **levels)
    assert patients.n0_left_out == auto_left_out(180, 0.1, 0.1)
    assert "(auto)" in " ".join(str(patients.summary()).split())


def test_a_band_has_no_alpha_by_which_auto_could_choose():
    with pytest.raises(InvalidInputError, match="split_ratio='auto' depends on alpha, and a band covers every alpha"):
        nproc(np.ones((4, 1)) * np.arange(4)[:, None], [0, 0, 1, 1], "lda", split_ratio="auto")


@pytest.mark.slow
def test_a_random_rank_is_drawn_once_for_all_splits_and_again_for_other_levels():
    y = np.repeat([0, 1], [180, 60])
    rows = np.random.default_rng(1).normal(size=(240, 2)) + y[:, None]
    options = {"split_ratio": 0.5, "rank": "randomize", "n_splits": 3}
    fits = [npc(rows, y, "lda", random_state=seed, **options) for seed in range(60)]
    assert {tuple(fit.orders) for fit in fits} == {(89, 89, 89), (90, 90, 90)}
    fit = fits[0]
    assert fit.violation_rates.tolist() == [0.05] * 3
    assert fit.type1_uppers.tolist() == [0.05] * 3
    assert "The rank was chosen at random" in " ".join(str(fit.summary()).split())
    anew = npc(rows, y, "lda", alpha=0.1, random_state=0, **options)
    np.testing.assert_array_equal(fit.with_levels(alpha=0.1).thresholds, anew.thresholds)
    np.testing.assert_array_equal(fit.with_levels().thresholds, fit.thresholds)
    # what is proved of the vote holds for any rank at this delta
    assert fit.vote_bound().order is None
    assert (
        NPClassifier("lda", random_state=0, **options).fit(rows, y).fit_.thresholds.tolist() == fit.thresholds.tolist()
    )


def test_a_random_rank_is_for_one_order_statistic():
    y = np.repeat([0, 1], 60)
    rows = np.random.default_rng(1).normal(size=(120, 1)) + y[:, None]
    for option in ({"groups": y}, {"small_sample": "normal"}):
        with pytest.raises(InvalidInputError, match=f"rank='randomize' cannot be combined with {next(iter(option))}"):
            npc(rows, y, "lda", rank="randomize", alpha=0.2, **option)
    fit = npc(rows, y, "lda", rank="randomize", clusters=np.arange(120), alpha=0.2, random_state=1)
    assert fit.rules[0].coin is not None
