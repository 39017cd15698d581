"""Tests of `nproc.estimator`: a scikit-learn estimator, and the same body as `npc`."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from nproc import NPClassifier, npc
from nproc.errors import InvalidInputError, NPWarning

# trees and neighbours often give class 0 rows the largest score, about which the warning is right
pytestmark = pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning")


def world(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    return rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.0]), y


X, Y = world()
X_NEW, Y_NEW = world(seed=1)


@parametrize_with_checks([NPClassifier(alpha=0.3, delta=0.5)])
# scikit-learn feeds its checks tiny and constant data, about which warnings are right
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::sklearn.exceptions.SkipTestWarning")
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_splits", [1, 3])
@pytest.mark.parametrize("method", ["lda", "tree", "randomforest", LogisticRegression()])
def test_it_agrees_with_npc_bit_for_bit(method, n_splits):
    params = {"n_estimators": 5} if method == "randomforest" else None
    model = NPClassifier(method, method_params=params, n_splits=n_splits, random_state=4).fit(X, Y)
    fit = npc(X, Y, method, method_params=params, n_splits=n_splits, random_state=4)
    np.testing.assert_array_equal(model.thresholds_, fit.thresholds)
    np.testing.assert_array_equal(model.orders_, fit.orders)
    np.testing.assert_array_equal(model.decision_function(X_NEW), fit.decision_function(X_NEW))
    np.testing.assert_array_equal(model.predict(X_NEW), fit.predict(X_NEW))
    np.testing.assert_array_equal(model.votes(X_NEW), fit.votes(X_NEW))
    assert str(model.summary()) == str(fit.summary())


def test_every_argument_of_npc_reaches_it():
    arguments = {"alpha": 0.1, "delta": 0.2, "n_splits": 3, "split_ratio": 0.4, "class0": 1, "ties": "randomize"}
    arguments["random_state"] = 4
    weights = np.arange(1.0, 301)
    model = NPClassifier("logistic", **arguments).fit(X, Y, sample_weight=weights)
    fit = npc(X, Y, "logistic", sample_weight=weights, **arguments)
    np.testing.assert_array_equal(model.thresholds_, fit.thresholds)
    assert repr(model.fit_) == repr(fit)


@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize("class0", [None, "a", "b"])
@pytest.mark.parametrize("method", ["lda", "tree"])
def test_a_positive_margin_means_the_second_class_in_sorted_order(class0, method):
    model = NPClassifier(method, class0=class0, random_state=4).fit(X, np.where(Y, "b", "a"))
    assert model.classes_.tolist() == ["a", "b"]
    assert model.class0_ == (class0 or "a")
    for rows in (X, X_NEW):
        # trees give many rows the very score of the threshold
        np.testing.assert_array_equal(
            model.predict(rows), model.classes_[(model.decision_function(rows) > 0).astype(int)]
        )


def test_parameters_are_neither_changed_nor_checked_before_fit():
    model = NPClassifier(alpha=7, split_ratio="x")
    assert model.get_params()["alpha"] == 7
    with pytest.raises(InvalidInputError, match="alpha must lie strictly between 0 and 1, got 7"):
        model.fit(X, Y)
    scorer = LogisticRegression()
    model = NPClassifier(scorer, random_state=None).fit(X, Y)
    assert model.method is scorer
    assert model.random_state is None
    assert not hasattr(scorer, "coef_")


def test_it_works_in_a_pipeline_and_inside_one():
    outside = make_pipeline(StandardScaler(), NPClassifier("lda", random_state=4)).fit(X, Y)
    inside = NPClassifier(make_pipeline(StandardScaler(), LogisticRegression()), random_state=4).fit(X, Y)
    assert outside.predict(X_NEW).shape == inside.predict(X_NEW).shape == Y_NEW.shape
    assert set(outside.predict(X_NEW)) == {0, 1}


@pytest.mark.slow
def test_it_works_in_cross_validation_and_grid_search():
    model = NPClassifier("lda", alpha=0.1, random_state=4)
    assert cross_val_score(model, X, Y, cv=3, scoring="roc_auc").mean() > 0.9
    search = GridSearchCV(model, {"alpha": [0.1, 0.2], "method": ["lda", "nb"]}, cv=3, scoring="roc_auc").fit(X, Y)
    assert search.best_params_["alpha"] in (0.1, 0.2)
    assert search.predict(X_NEW).shape == Y_NEW.shape
    nested = GridSearchCV(
        NPClassifier(LogisticRegression(), alpha=0.1, random_state=4), {"method__C": [0.1, 1.0]}, cv=3
    ).fit(X, Y)
    assert nested.best_params_["method__C"] in (0.1, 1.0)


def test_a_trained_model_in_cross_validation_is_frozen_and_the_message_says_so():
    trained = LogisticRegression().fit(X[::2], Y[::2])
    known = {"prefit": True, "class0": 0, "alpha": 0.2}
    with pytest.raises(ValueError, match=r"clone made it forget this.* give FrozenEstimator\(model\)"):
        cross_val_score(NPClassifier(trained, **known), X[1::2], Y[1::2], cv=3, error_score="raise")
    scores = cross_val_score(NPClassifier(FrozenEstimator(trained), **known), X[1::2], Y[1::2], cv=3)
    assert np.isfinite(scores).all()


def test_a_clone_gives_the_same_classifier_and_a_pickle_too():
    model = NPClassifier("tree", n_splits=3, random_state=4).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "fit_")
    np.testing.assert_array_equal(copy.fit(X, Y).predict(X_NEW), model.predict(X_NEW))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X_NEW), model.predict(X_NEW))


def test_what_only_the_fit_has_is_told_with_the_way_to_it():
    model = NPClassifier("lda", random_state=1).fit(X, Y)
    with pytest.raises(AttributeError, match=r"no attribute 'evaluate'\. The fit has it: use fit_\.evaluate"):
        _ = model.evaluate
    with pytest.raises(AttributeError, match=r"follow fit_\.labels, class 0 first, and not classes_"):
        _ = model.predict_proba
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"no attribute 'tresholds_'\.$"):
        _ = model.tresholds_


def test_frames_that_a_transformer_puts_out_bring_their_names():
    pipeline = make_pipeline(StandardScaler(), NPClassifier("lda", random_state=4)).set_output(transform="pandas")
    pipeline.fit(pd.DataFrame(X, columns=["u", "v"]), Y)
    assert pipeline[-1].feature_names_in_.tolist() == ["u", "v"]
    assert pipeline[-1].n_features_in_ == 2


def test_feature_names_are_checked_at_predict():
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = NPClassifier("lda", random_state=4).fit(frame, Y)
    with pytest.raises(InvalidInputError, match="Feature names must be in the same order as they were in fit"):
        model.predict(frame[["v", "u"]])
    with pytest.raises(InvalidInputError, match="Feature names seen at fit time, yet now missing:\n- u"):
        model.predict(frame.rename(columns={"u": "w"}))
    with pytest.warns(NPWarning, match="X does not have valid feature names"):
        model.predict(X)
    # a later fit without names forgets them
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


def test_methods_of_an_unfitted_classifier_say_so():
    model = NPClassifier()
    for call in (model.predict, model.decision_function, model.votes):
        with pytest.raises(NotFittedError, match="This NPClassifier instance is not fitted yet"):
            call(X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.summary()


def test_labels_are_required():
    with pytest.raises(InvalidInputError, match="requires y to be passed, but the target y is None"):
        NPClassifier().fit(X, None)


def test_the_tags_tell_what_it_is():
    tags = NPClassifier().__sklearn_tags__()
    assert tags.classifier_tags.multi_class is False
    # not a promise of accuracy: the type I error may use all of alpha
    assert tags.classifier_tags.poor_score is True


def test_an_unknown_fit_parameter_is_an_error():
    with pytest.raises(
        InvalidInputError, match=r"fit accepts only sample_weight, groups and clusters, got \['weights'\]"
    ):
        NPClassifier("lda").fit(X, Y, weights=Y)


class OfPatients(NPClassifier):
    """A child that fixes some parameters and takes others."""

    def __init__(self, alpha=0.2):
        super().__init__("lda", alpha=alpha, class0=1, n_splits=3, random_state=1)


def test_a_child_with_a_constructor_of_its_own_keeps_what_it_sets():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) + y[:, None]
    fit = clone(OfPatients(alpha=0.3)).fit(X, y).fit_
    assert (fit.method, fit.alpha, fit.class0, fit.n_splits, fit.seed) == ("lda", 0.3, 1, 3, 1)


def test_a_child_that_forgets_to_set_a_parameter_is_told_so():
    class Forgetful(NPClassifier):
        def __init__(self, method="lda"):
            self.alpha = 0.1

    # not the default of the parent, which is another method
    with pytest.raises(AttributeError, match="has no attribute 'method'"):
        Forgetful().get_params()


def test_weights_may_come_third_and_only_once():
    X, y = np.random.default_rng(0).normal(size=(200, 2)), np.repeat([0, 1], 100)
    weights = np.linspace(1, 5, 200)
    model = NPClassifier("logistic", alpha=0.1, class0=0, random_state=1)
    by_place = model.fit(X, y, weights).decision_function(X)
    np.testing.assert_array_equal(by_place, model.fit(X, y, sample_weight=weights).decision_function(X))
    assert not np.array_equal(by_place, model.fit(X, y).decision_function(X))
    for call in (lambda: model.fit(X, y, weights, weights), lambda: model.fit(X, y, weights, sample_weight=weights)):
        with pytest.raises(InvalidInputError, match="each of them once"):
            call()


def test_the_accuracy_on_rows_of_the_fit_is_told_but_not_inside_a_search():
    model = NPClassifier("lda", alpha=0.2, class0=0, random_state=1).fit(X, Y)
    with pytest.warns(NPWarning, match="the errors found do not apply to new rows"):
        model.score(X, Y)
    assert model.score(X_NEW, Y_NEW) == np.mean(model.predict(X_NEW) == Y_NEW)
    GridSearchCV(model, {"alpha": [0.1, 0.2]}, cv=2, return_train_score=True).fit(X, Y)


def test_the_accuracy_is_refused_in_words_before_it_is_doubted():
    frame = pd.DataFrame(X)
    model = NPClassifier("lda", random_state=1).fit(frame, Y)
    # an error, and not first the warning about rows of the fit
    with pytest.raises(InvalidInputError, match="X and y have the same row labels in a different order"):
        model.score(frame, pd.Series(Y, index=frame.index[::-1]))
    with pytest.raises(InvalidInputError, match=r"y has the label '[01]', which was not in the training data"):
        model.score(frame, Y.astype(str))
    with pytest.raises(InvalidInputError, match=r"^y is empty; give one label for each row\.$"):
        model.fit_.evaluate(frame[:0], Y[:0])


def test_named_columns_in_another_order_are_found_by_the_fit_and_refused_as_scikit_learn_does():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = NPClassifier("lda", random_state=1).fit(frame, Y)
    other = frame[["b", "a"]].assign(more=1.0)
    np.testing.assert_array_equal(model.fit_.predict(other), model.predict(frame))
    told = r"must be in the same order as they were in fit\.\nX has .* order by X\[list\(model\.feature_names_in_"
    with pytest.raises(InvalidInputError, match=told):
        model.predict(other[["b", "a"]])


def test_the_accuracy_takes_groups_and_weights():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(400, 2)), np.repeat([0, 1], 200), np.resize(["a", "b"], 400)
    model = NPClassifier("lda", alpha=0.2, class0=0, random_state=1).fit(X, y, groups=groups)
    right, weights = model.predict(X, groups) == y, rng.random(400)
    assert model.score(X, y, groups=groups) == right.mean()
    assert model.score(X, y, weights, groups) == pytest.approx(np.average(right, weights=weights))
    with pytest.raises(InvalidInputError, match=f"X has {len(y)} rows and y has {len(y) - 1} labels"):
        model.score(X, y[:-1], groups=groups)


def test_a_parameter_of_a_method_by_name_has_its_place_told():
    search = GridSearchCV(NPClassifier("knn", class0=0, alpha=0.2), {"method__n_neighbors": [3, 5]})
    with pytest.raises(InvalidInputError, match=r"Use method_params=\{'n_neighbors': \.\.\.\}, and in a grid a list"):
        search.fit(X, Y)
    # of a parameter that the method does not have, method_params is no way
    with pytest.raises(InvalidInputError, match=r"^method 'logistic' has no parameter 'C'\. Its parameters are: "):
        NPClassifier("logistic").set_params(method__C=1)
    # with an estimator of one's own it is a parameter like any other, also if both come at once
    model = NPClassifier("lda").set_params(method=LogisticRegression(), method__C=3.0)
    assert model.method.C == 3.0


@pytest.mark.parametrize(
    "wrap",
    [
        lambda m: VotingClassifier([("a", m)]),
        lambda m: StackingClassifier([("a", m)], cv=3),
        lambda m: BaggingClassifier(m, n_estimators=2, random_state=0),
    ],
)
def test_wrappers_that_code_the_labels_are_named_where_class0_is_a_text(wrap):
    model, labels = wrap(NPClassifier("lda", class0="bad", alpha=0.2)), np.where(Y == 0, "bad", "good")
    told = (
        r"^class0='bad' is not a label in y, which has 0 and 1\. Give class0=0 or class0=1\. If y has other labels .*"
        r"inside VotingClassifier, StackingClassifier or BaggingClassifier, which "
        r"code the labels by 0 and 1 in sorted order; their own labels have no guarantee\.$"
    )
    with pytest.raises(InvalidInputError, match=told):
        model.fit(X, labels)
    with pytest.raises(InvalidInputError, match=told):
        cross_val_score(model, X, labels, error_score="raise")


def test_an_estimator_that_omits_rows_scores_them_only_where_its_method_takes_them():
    gaps = X.copy()
    gaps[::17, 0] = np.nan
    model = NPClassifier("lda", class0=0, alpha=0.2, na_action="omit")
    refused = "Impute them as in the training data, or leave these rows out"
    with pytest.warns(NPWarning, match="left out"), pytest.raises(InvalidInputError, match=refused):
        cross_val_score(model, gaps, Y, cv=3, error_score="raise")
    # as the docstring says
    model.set_params(method=make_pipeline(SimpleImputer(), LogisticRegression()), na_action="error")
    assert np.isfinite(cross_val_score(model, gaps, Y, cv=3)).all()


def test_cross_validated_probabilities_are_those_of_the_method():
    told = (
        r"has 0 and 1\. For method='predict_proba' pass the method itself to cross_val_predict, because NPClassifier "
        r"has no predict_proba; its fit_ has estimates\. For method='decision_function' give class0=0 or class0=1"
    )
    with pytest.raises(InvalidInputError, match=told):
        cross_val_predict(NPClassifier("lda", class0="bad"), X, np.where(Y, "good", "bad"), method="predict_proba")


def test_keys_of_class_weights_are_told_where_they_are_the_labels_of_the_user():
    weighted = LogisticRegression(class_weight={"bad": 10, "good": 1})
    with pytest.raises(
        InvalidInputError, match=r"[^.]\. A method sees the labels 0 \(class 0\) and 1.*class_weight=\{0: 10"
    ):
        NPClassifier(weighted, class0="bad", alpha=0.2).fit(X, np.where(Y == 0, "bad", "good"))
    # the names of all parameters, which scikit-learn gives, have class_weight among them
    misspelt = GridSearchCV(LogisticRegression(), {"c": [1.0]}, cv=2)
    with pytest.raises(InvalidInputError, match=r"Invalid parameter 'c' for estimator .*'class_weight'") as raised:
        NPClassifier(misspelt, alpha=0.2).fit(X, Y)
    assert "A method sees" not in str(raised.value)


@pytest.mark.parametrize(
    ("method", "place"),
    [
        (LogisticRegression(), "fit_.scorers[0]"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "fit_.scorers[0][-1]"),
        (GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2), "fit_.scorers[0].best_estimator_"),
    ],
)
def test_what_the_trained_method_has_is_told_with_its_place(method, place):
    model = NPClassifier(method, class0=0, alpha=0.2, random_state=1).fit(X, Y)
    with pytest.raises(AttributeError, match=re.escape(f"The method that was trained has it: use {place}.coef_.")):
        model.coef_  # noqa: B018
    assert eval(f"model.{place}.coef_").shape == (1, 2)
    assert not hasattr(clone(model), "coef_")


def test_rows_without_names_are_matched_by_position_also_where_the_method_selects_columns_by_name():
    frame = pd.DataFrame(X, columns=["u", "v"])
    method = make_pipeline(ColumnTransformer([("u", SimpleImputer(), ["u"])]), LogisticRegression())
    model = NPClassifier(method, class0=0, alpha=0.2, random_state=1).fit(frame, Y)
    rows = np.where(X > 2, np.nan, X)
    with pytest.warns(NPWarning, match="X does not have valid feature names.*matched by position"):
        labels = model.predict(rows)
    assert np.array_equal(labels, model.predict(pd.DataFrame(rows, columns=["u", "v"])))


def test_a_category_that_is_new_is_told_and_not_the_missing_values_of_other_columns():
    frame = pd.DataFrame({"u": np.r_[np.nan, X[1:, 0]], "kind": np.tile(["a", "b"], 150)})
    encode = ColumnTransformer([("kind", OneHotEncoder(), ["kind"]), ("u", SimpleImputer(), ["u"])])
    model = NPClassifier(make_pipeline(encode, LogisticRegression()), class0=0, alpha=0.2, random_state=1)
    with pytest.raises(InvalidInputError, match=r"^300 rows have .*: column 'kind' has 'z' \(first at X\.iloc\[0\]\)"):
        model.fit(frame, Y).predict(frame.assign(kind="z"))


def test_a_table_with_its_own_labels_is_told_where_the_method_may_leave_them_out():
    frame = pd.DataFrame(X, columns=["u", "v"])
    labels = pd.Series(np.where(Y == 0, "bad", "good"), name="risk")
    method = make_pipeline(ColumnTransformer([("u", SimpleImputer(), ["u"])]), LogisticRegression())
    with pytest.warns(
        NPWarning, match=r"contains y as the column 'risk'.*unless your method leaves.*X\.drop\(columns="
    ):
        NPClassifier(method, class0="bad", alpha=0.2, random_state=1).fit(frame.assign(risk=labels), labels)


def test_text_columns_are_named_where_a_classifier_without_an_encoder_gets_them():
    frame = pd.DataFrame({"u": X[:, 0], "kind": np.tile(["a", "b"], 150)})
    with pytest.raises(
        InvalidInputError, match=r"X has columns that are not numbers: \['kind'\]\. .* an encoder as method"
    ):
        NPClassifier(LogisticRegression(), class0=0, alpha=0.2).fit(frame, Y)


def test_rows_of_validation_are_left_to_the_method():
    with pytest.raises(InvalidInputError, match=r"got \['eval_set'\]. A method that stops early must divide the rows"):
        NPClassifier("lda", class0=0, alpha=0.2).fit(X, Y, eval_set=[(X, Y)])


@pytest.mark.slow
def test_pca_before_the_classifier_breaks_the_bound_and_inside_it_does_not():
    def lengths(Z):
        return np.sqrt((Z**2).sum(axis=1, keepdims=True))

    steps = StandardScaler(), PCA(20), FunctionTransformer(lengths)
    outside, inside = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 100)
        rows = rng.normal(size=(200, 200)) * np.where(y == 0, 1.0, 0.3)[:, None]
        new = rng.normal(size=(1000, 200))
        levels = {"class0": 0, "alpha": 0.1, "delta": 0.1, "random_state": seed, "split_ratio": 0.5}
        before = make_pipeline(*steps, NPClassifier(LogisticRegression(), **levels)).fit(rows, y)
        within = NPClassifier(make_pipeline(*steps, LogisticRegression()), **levels).fit(rows, y)
        outside.append(np.mean(before.predict(new) == 1))
        inside.append(np.mean(within.predict(new) == 1))
    # the docstring says 0.99 against alpha = 0.1; inside, each violates with probability at most 0.1
    assert min(outside) > 0.9
    assert sum(error > 0.1 for error in inside) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_texts_without_a_table_are_taken_as_one_column_of_a_table(kind):
    rng = np.random.default_rng(0)
    y = np.repeat(["spam", "ham"], 200)
    words = np.where((y == "spam") == (rng.random((400, 8)) < 0.4).T, "offer", "thanks").T
    texts = [f"{' '.join(row)} {number}" for number, row in enumerate(words)]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    by_column = make_pipeline(ColumnTransformer([("words", TfidfVectorizer(), "text")]), LogisticRegression())
    frame, keywords = pd.DataFrame({"text": texts}), {"class0": "spam", "alpha": 0.1, "n_splits": 3, "random_state": 1}
    model = NPClassifier(pipeline, **keywords).fit(kind(texts), y)
    same = npc(frame, y, by_column, **keywords)
    np.testing.assert_array_equal(model.thresholds_, same.thresholds)
    np.testing.assert_array_equal(model.predict(kind(texts)), same.predict(frame))
    assert model.predict(texts[:1]).shape == (1,)
    scorer = model.fit_.scorers[0]
    # the name of a column need not be a text, and a part of the fit takes what the fit takes
    for table in (pd.DataFrame({0: texts}), pd.Series(texts).to_frame(7)):
        np.testing.assert_array_equal(model.predict(table), model.predict(kind(texts)))
        np.testing.assert_array_equal(scorer.decision_function(table), scorer.decision_function(kind(texts)))
    assert model.fit_.evaluate(kind(texts), y).type1 == same.evaluate(frame, y).type1
    assert "Scorer: TfidfVectorizer(), then LogisticRegression()." in " ".join(str(model.summary()).split())
    assert cross_val_score(NPClassifier(pipeline, **keywords), kind(texts), y, cv=3).min() > 0.5
    trained = pipeline.fit(texts[::2], y[::2])
    for given in (trained, lambda rows: -trained.decision_function(rows)):
        # class 0 is the second of the labels in sorted order
        prefit = npc(kind(texts[1::2]), y[1::2], given, prefit=True, class0="spam", alpha=0.1)
        np.testing.assert_array_equal(prefit.to_sklearn().predict(kind(texts)), prefit.predict(texts))
