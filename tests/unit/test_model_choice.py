"""The validation criterion J, and np_score wherever scikit-learn takes scoring=."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from versions import since

from nproc import GaussianNPClassifier, NPClassifier, SparseLogisticClassifier, npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.model_choice import np_loss, np_score

RNG = np.random.default_rng(1)
Y = np.repeat([0, 1], 60)
X = RNG.normal(size=(120, 2)) + Y[:, None]
NAMES = np.array(["healthy", "ill"])[Y]


class Says:
    """Predicts what it was told."""

    def __init__(self, labels, class0_=None):
        self.labels = labels
        if class0_ is not None:
            self.class0_ = class0_

    def predict(self, X):
        return np.asarray(self.labels)


def loss_by_hand(y, predicted, class0, alpha):
    n = {label: sum(1 for value in y if value == label) for label in set(y)}
    false_alarms = sum(1 for true, said in zip(y, predicted, strict=True) if true == class0 and said != class0)
    misses = sum(1 for true, said in zip(y, predicted, strict=True) if true != class0 and said == class0)
    n0 = n[class0]
    return misses / (len(y) - n0) + max(0, false_alarms / n0 - alpha) / alpha


def test_within_the_bound_the_loss_is_the_type_2_error():
    assert np_loss(0.05, 0.3, 0.05) == 0.3
    np.testing.assert_array_equal(np_loss([0.0, 0.02, 0.05], 0.25, 0.05), 0.25)


def test_beyond_the_bound_each_alpha_costs_1():
    np.testing.assert_allclose(np_loss([0.1, 0.15, 1.0], [0.2, 0.0, 0.0], 0.05), [1.2, 2.0, 19.0], rtol=1e-12)


def test_the_loss_takes_any_shapes_that_go_together():
    assert np_loss(np.zeros((3, 1)), np.ones(4), [0.1, 0.2, 0.3, 0.4]).shape == (3, 4)
    assert np.ndim(np_loss(0.1, 0.1, 0.1)) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 0.1, 0.05), "type1 must lie between 0 and 1, got 1.2"),
        ((0.1, -0.1, 0.05), "type2 must lie between 0 and 1, got -0.1"),
        ((0.1, 0.1, 0.0), "alpha must lie strictly between 0 and 1, got 0"),
        ((0.1, np.nan, 0.1), "type2 must lie between 0 and 1, got nan"),
        ((np.zeros(3), np.zeros(2), 0.1), r"shapes that go together, got \(3,\), \(2,\)"),
    ],
)
def test_errors_of_the_loss_name_the_argument(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        np_loss(*arguments)


@pytest.mark.parametrize("seed", range(20))
def test_the_score_is_minus_the_loss_counted_by_hand(seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([["a", "b"], rng.choice(["a", "b"], 30)])
    predicted = rng.choice(["a", "b"], 32)
    for class0 in ("a", "b"):
        score = np_score(0.2, class0=class0)(Says(predicted), X[:32], y)
        assert score == pytest.approx(-loss_by_hand(y, predicted, class0, 0.2), rel=1e-12)


@pytest.mark.filterwarnings("ignore:class0 is not given")
def test_class_0_is_the_first_label_unless_told_otherwise():
    rejects_healthy = Says(["ill"] * 120)
    assert np_score(0.05)(rejects_healthy, X, NAMES) == pytest.approx(-19.0)
    assert np_score(0.05, class0="healthy")(rejects_healthy, X, NAMES) == pytest.approx(-19.0)
    assert np_score(0.05, class0="ill")(rejects_healthy, X, NAMES) == -1.0


def test_class_0_of_the_estimator_is_taken_unless_told_otherwise():
    for estimator in (Says(["ill"] * 120, "ill"), make_steps(Says(["ill"] * 120, "ill"))):
        assert np_score(0.05)(estimator, X, NAMES) == -1.0
        with pytest.warns(NPWarning, match="class0='healthy'.* scores Says, which has class0='ill' of its own"):
            assert np_score(0.05, class0="healthy")(estimator, X, NAMES) == pytest.approx(-19.0)


def test_class_0_of_a_fit_and_of_its_twin_in_scikit_learn_is_taken():
    fit = npc(X, NAMES, "lda", class0="ill", alpha=0.2, delta=0.2, random_state=1)
    expected = -loss_by_hand(NAMES, fit.predict(X), "ill", 0.2)
    twin = fit.to_sklearn()
    for classifier in (fit, twin, clone(twin).fit(X, NAMES)):
        assert np_score(0.2)(classifier, X, NAMES) == pytest.approx(expected, rel=1e-12)
    assert twin.class0_ == "ill"


def test_another_alpha_of_the_estimator_is_told_once_in_each_call():
    model = NPClassifier("lda", class0="ill", alpha=0.3, delta=0.3, random_state=1)
    with pytest.warns(NPWarning, match=r"np_score\(alpha=0.2\) scores NPClassifier, which has alpha=0.3 of") as heard:
        GridSearchCV(model, {"alpha": [0.2, 0.3, 0.4]}, scoring=np_score(0.2), cv=2).fit(X, NAMES)
    assert len(heard) == 1
    # what stands elsewhere is another call
    with pytest.warns(NPWarning, match="Give both the same level"):
        cross_val_score(make_pipeline(StandardScaler(), model), X, NAMES, scoring=np_score(0.2), cv=2)
    # a warning would be an error; of scikit-learn's own, alpha is a penalty, and of this one it has no effect
    for other in (model, SGDClassifier(alpha=0.01, random_state=1), SparseLogisticClassifier(class0="ill")):
        cross_val_score(other, X, NAMES, scoring=np_score(0.3, class0="ill"), cv=2)


def test_another_class_0_of_the_estimator_is_told_once_in_each_call():
    model = make_pipeline(StandardScaler(), GaussianNPClassifier(class0="ill", alpha=0.2))
    told = r"the errors of 'ill' rows, but the score bounds those of 'healthy' rows.*np_score\(0\.2, class0='ill'\)"
    search = GridSearchCV(model, {"gaussiannpclassifier__reg": [0.1, 1.0]}, cv=2)
    with pytest.warns(NPWarning, match=told) as heard:
        search.set_params(scoring=np_score(0.2, class0="healthy")).fit(X, NAMES)
    assert len(heard) == 1
    # a warning would be an error; of scikit-learn's own models none has a class 0
    search.set_params(scoring=np_score(0.2, class0="ill")).fit(X, NAMES)
    np_score(0.2, class0="healthy")(LogisticRegression().fit(X, NAMES), X, NAMES)


def test_np_score_in_the_place_of_the_scorer_or_of_a_metric_says_how_it_is_called():
    model = LogisticRegression().fit(X, NAMES)
    for scorer in (np_score, make_scorer(np_score)):
        with pytest.raises(TypeError, match=r"np_score was not called: write scoring=np_score\(alpha\)"):
            scorer(model, X, NAMES)


def test_a_scorer_made_a_scorer_again_says_how_it_is_passed():
    made = make_scorer(np_score(0.2, class0="ill"), greater_is_better=False)
    assert "np_score" in repr(made)
    told = r"np_score is a scorer already.*Pass it as it is: scoring=np_score\(alpha=0.2, class0='ill'\)"
    with pytest.raises(TypeError, match=told):
        made(LogisticRegression().fit(X, NAMES), X, NAMES)


def test_a_misspelt_argument_of_a_scorer_is_refused():
    with pytest.raises(TypeError, match=r"no argument 'sample_weigth'\. Did you mean 'sample_weight'\?"):
        np_score(0.2, class0="ill")(LogisticRegression().fit(X, NAMES), X, NAMES, sample_weigth=np.ones(len(X)))


def test_class_0_of_the_best_estimator_of_a_search_is_taken():
    search = Says(["ill"] * 120)
    search.best_estimator_ = make_steps(Says(["ill"] * 120, "ill"))
    assert np_score(0.05)(search, X, NAMES) == -1.0


def test_an_error_of_exactly_alpha_costs_nothing():
    y = np.repeat([0, 1], [100, 10])
    assert np_score(0.05)(Says(np.repeat([1, 0, 1], [5, 95, 10])), np.zeros((110, 1)), y) == 0.0


def make_steps(estimator):
    class Steps(Says):
        steps = (("last", estimator),)

    return Steps(estimator.labels)


def test_grid_search_chooses_the_parameters_with_the_least_loss_on_its_folds():
    weights = [{0: w, 1: 1} for w in (1, 3, 10, 100)]
    score = np_score(0.1)
    search = GridSearchCV(LogisticRegression(), {"class_weight": weights}, scoring=score, cv=4).fit(X, Y)
    means = [
        np.mean(cross_val_score(LogisticRegression(class_weight=weight), X, Y, scoring=score, cv=4))
        for weight in weights
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, rtol=1e-12)
    assert search.best_params_ == {"class_weight": weights[int(np.argmax(means))]}
    assert search.best_params_ != {"class_weight": weights[0]}
    assert search.score(X, Y) == score(search, X, Y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_pipelines_string_labels_and_processes_give_the_same_scores(n_jobs):
    model = make_pipeline(StandardScaler(), LogisticRegression())
    score = np_score(0.2, class0="ill")
    fold_scores = cross_val_score(model, X, NAMES, scoring=score, cv=3, n_jobs=n_jobs)
    table = cross_validate(model, X, NAMES, scoring=score, cv=3, n_jobs=n_jobs, return_train_score=True)
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1.0]}, scoring=score, cv=3, n_jobs=n_jobs)
    search.fit(X, NAMES)
    np.testing.assert_array_equal(fold_scores, table["test_score"])
    np.testing.assert_allclose(search.cv_results_["mean_test_score"][1], fold_scores.mean(), rtol=1e-12)
    codes = cross_val_score(model, X, Y, scoring=np_score(0.2, class0=1), cv=3)
    np.testing.assert_array_equal(fold_scores, codes)


def test_it_stands_beside_other_metrics_in_cross_validate():
    scoring = {"np": np_score(0.1), "accuracy": "accuracy"}
    table = cross_validate(LogisticRegression(), X, Y, scoring=scoring, cv=3)
    np.testing.assert_array_equal(
        table["test_np"], cross_val_score(LogisticRegression(), X, Y, scoring=np_score(0.1), cv=3)
    )


def test_it_is_pickled_compared_and_printed():
    score = np_score(0.1, class0="ill")
    again = pickle.loads(pickle.dumps(score))
    assert again == score
    assert again(Says(NAMES), X, NAMES) == 0.0
    assert repr(score) == "np_score(alpha=0.1, class0='ill')"
    assert repr(np_score()) == "np_score(alpha=0.05)"


@pytest.mark.parametrize("alpha", [0, 1, 1.5, -0.1, "0.1", None, True])
def test_alpha_must_be_a_level(alpha):
    with pytest.raises(InvalidInputError, match="alpha must"):
        np_score(alpha)


def test_a_fold_without_one_class_is_an_error_that_names_stratified_folds():
    with pytest.raises(InvalidInputError, match=r"one class only \('healthy', 60 rows.*stratified folds"):
        np_score()(Says(NAMES[:60]), X[:60], NAMES[:60])


def test_labels_that_are_not_two_are_an_error():
    with pytest.raises(InvalidInputError, match="3 classes"):
        np_score()(Says([0, 1, 2]), X[:3], [0, 1, 2])


def test_class_0_must_be_a_label():
    with pytest.raises(InvalidInputError, match="class0='sick' is not a label in y"):
        np_score(class0="sick")(Says(NAMES), X, NAMES)


@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize("y", [Y, NAMES], ids=["numbers", "text"])
def test_predictions_that_are_not_labels_are_an_error_that_names_the_estimator(y):
    with pytest.raises(InvalidInputError, match=r"LinearRegression\.predict gave .* not a regressor"):
        np_score()(LinearRegression().fit(X, Y), X, y)
    with pytest.raises(InvalidInputError, match=r"DummyClassifier\.predict gave 'other'"):
        np_score()(DummyClassifier(strategy="constant", constant="other").fit(X, ["other"] * 120), X, y)


def test_predictions_of_the_wrong_shape_are_an_error():
    with pytest.raises(InvalidInputError, match=r"one label a row, shape \(120,\), got shape \(60,\)"):
        np_score()(Says(Y[:60]), X, Y)


def test_a_search_shows_the_error_when_told_to_raise():
    folds = StratifiedKFold(3)
    with pytest.raises(InvalidInputError, match="not a regressor"):
        cross_val_score(LinearRegression(), X, Y, scoring=np_score(), cv=folds, error_score="raise")


WEIGHT = np.random.default_rng(2).integers(0, 4, size=120)


@pytest.mark.parametrize("class0", ["healthy", "ill"])
def test_a_weight_counts_as_so_many_rows(class0):
    model = LogisticRegression().fit(X, NAMES)
    score = np_score(0.2, class0=class0)
    repeated = np.repeat(np.arange(120), WEIGHT)
    expected = score(model, X[repeated], NAMES[repeated])
    assert score(model, X, NAMES, sample_weight=WEIGHT) == pytest.approx(expected, rel=1e-12)
    assert score(model, X, NAMES, sample_weight=WEIGHT * 1e300) == pytest.approx(expected, rel=1e-12)
    assert score(model, X, NAMES, sample_weight=np.ones(120)) == pytest.approx(score(model, X, NAMES), rel=1e-12)
    assert score(model, X, NAMES, sample_weight=WEIGHT) != pytest.approx(score(model, X, NAMES))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(60), r"one weight a row \(120\), got shape \(60,\)"),
        (np.full(120, -1.0), "sample_weight must be finite and at least 0, got -1 at sample_weight.0."),
        (np.full(120, np.nan), "sample_weight must be finite"),
        (np.where(Y == 1, 0, 1), "sample_weight is zero for all 60 rows of class 'ill'"),
        (np.zeros(120), "sample_weight is zero for all 60 rows of class 'healthy'"),
    ],
)
def test_bad_weights_are_explained(weight, message):
    with pytest.raises(InvalidInputError, match=message):
        np_score(class0="healthy")(Says(NAMES), X, NAMES, sample_weight=weight)


@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize("class0", [None, "ill"])
def test_a_threshold_is_tuned_by_the_loss_of_the_labels_at_each(class0):
    model = LogisticRegression().fit(X, NAMES)
    tuned = TunedThresholdClassifierCV(
        model, scoring=np_score(0.1, class0=class0), cv="prefit", refit=False, store_cv_results=True
    ).fit(X, NAMES)
    probability = model.predict_proba(X)[:, 1]
    losses = [
        loss_by_hand(NAMES, np.where(probability >= threshold, "ill", "healthy"), class0 or "healthy", 0.1)
        for threshold in tuned.cv_results_["thresholds"]
    ]
    np.testing.assert_allclose(tuned.cv_results_["scores"], -np.array(losses), rtol=1e-12)
    assert tuned.best_score_ == -min(losses)
    # at the threshold 1/2 it is the score of the model itself
    half = TunedThresholdClassifierCV(
        model, scoring=np_score(0.1, class0=class0), cv="prefit", refit=False, thresholds=[0.1, 0.5, 0.9]
    )
    scores, _ = half.fit(X, NAMES)._curve_scorer(model, X, NAMES)
    assert scores[1] == np_score(0.1, class0=class0)(model, X, NAMES)


def test_a_tuned_threshold_goes_into_other_processes_and_files():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    tuned = [TunedThresholdClassifierCV(model, scoring=np_score(0.1), cv=3, n_jobs=n).fit(X, Y) for n in (1, 2)]
    assert tuned[0].best_threshold_ == tuned[1].best_threshold_
    again = pickle.loads(pickle.dumps(tuned[0]))
    np.testing.assert_array_equal(again.predict(X), tuned[0].predict(X))
    # another bound, another threshold
    strict = TunedThresholdClassifierCV(model, scoring=np_score(0.01), cv=3).fit(X, Y)
    assert strict.best_threshold_ > tuned[0].best_threshold_


@pytest.mark.skipif(not since("scikit-learn", "1.8"), reason="LogisticRegressionCV gave scorers labels -1 and 1 before")
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize("weight", [None, np.ones(120), WEIGHT + 1.0])
@pytest.mark.parametrize("class0", [None, "ill"])
def test_logistic_regression_chooses_its_penalty_by_it(weight, class0):
    score, folds = np_score(0.2, class0=class0), StratifiedKFold(3)
    settings = {"l1_ratios": (0.0,), "use_legacy_attributes": False, "tol": 1e-8}
    model = LogisticRegressionCV(Cs=[1e-4, 1.0], cv=folds, scoring=score, **settings).fit(
        X, NAMES, sample_weight=weight
    )
    expected = np.empty((3, 2))
    for k, (train, test) in enumerate(folds.split(X, NAMES)):
        part, rest = ({} if weight is None else {"sample_weight": weight[rows]} for rows in (train, test))
        for j, C in enumerate((1e-4, 1.0)):
            one = LogisticRegression(C=C, tol=1e-8).fit(X[train], NAMES[train], **part)
            expected[k, j] = score(one, X[test], NAMES[test], **rest)
    np.testing.assert_allclose(np.squeeze(model.scores_), expected, rtol=1e-12)
    assert model.score(X, NAMES, sample_weight=weight) == score(model, X, NAMES, sample_weight=weight)


@pytest.mark.skipif(not since("scikit-learn", "1.7"), reason="scikit-learn 1.6 gives weights to no scorer of a search")
@pytest.mark.parametrize("several", [False, True])
def test_a_search_hands_on_its_weights(several):
    scoring = {"np": np_score(0.2), "accuracy": "accuracy"} if several else np_score(0.2)
    weight = WEIGHT + 1.0
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scoring, cv=3, refit="np" if several else True)
    search.fit(X, Y, sample_weight=weight)
    scores = []
    for train, test in StratifiedKFold(3).split(X, Y):
        model = LogisticRegression().fit(X[train], Y[train], sample_weight=weight[train])
        scores.append(np_score(0.2)(model, X[test], Y[test], sample_weight=weight[test]))
    assert search.best_score_ == pytest.approx(np.mean(scores), rel=1e-12)


def test_weights_are_asked_for_where_metadata_are_routed():
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        asks, does_not = (np_score(0.2).set_score_request(sample_weight=answer) for answer in (True, False))
        settings = {"params": {"sample_weight": WEIGHT + 1.0}, "cv": 3}
        weighted = cross_val_score(model, X, Y, scoring=asks, **settings)
        plain = cross_val_score(model, X, Y, scoring=does_not, **settings)
        copied = cross_val_score(model, X, Y, scoring=pickle.loads(pickle.dumps(asks)), **settings)
        with pytest.raises(
            ValueError, match=r"not explicitly set as requested or not requested for (NPScore|np_score)"
        ):
            cross_val_score(model, X, Y, scoring=np_score(0.2), **settings)
    np.testing.assert_array_equal(weighted, copied)
    assert not np.array_equal(weighted, plain)
    assert asks == np_score(0.2)
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        np_score(0.2).set_score_request(sample_weight=True)


SITE = np.resize(["north", "south", "south"], 120)


def test_values_of_groups_are_handed_on_to_predict_where_metadata_are_routed():
    with config_context(enable_metadata_routing=True):
        model = NPClassifier("lda", alpha=0.2, delta=0.5, random_state=1).set_fit_request(groups=True)
        score = np_score(0.2).set_score_request(groups=True)
        settings = {"params": {"groups": SITE}, "cv": 3, "error_score": "raise"}
        found = cross_val_score(model, X, Y, scoring=score, **settings)
        beside = cross_validate(model, X, Y, scoring={"np": score, "again": clone(score, safe=False)}, **settings)
        search = GridSearchCV(model, {"split_ratio": [0.4, 0.5]}, scoring=score, cv=3, error_score="raise")
        search.fit(X, Y, groups=SITE)
    by_hand = []
    for train, test in StratifiedKFold(3).split(X, Y):
        fitted = clone(model).fit(X[train], Y[train], groups=SITE[train])
        by_hand.append(-loss_by_hand(Y[test], fitted.predict(X[test], SITE[test]), 0, 0.2))
        assert score(fitted, X[test], Y[test], groups=SITE[test]) == pytest.approx(by_hand[-1], rel=1e-12)
    for scores in (found, beside["test_np"], beside["test_again"]):
        np.testing.assert_allclose(scores, by_hand, rtol=1e-12)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_scorer_that_does_not_ask_for_values_of_groups_says_how_to_ask():
    with config_context(enable_metadata_routing=True):
        model = NPClassifier("lda", alpha=0.2, delta=0.5, random_state=1).set_fit_request(groups=True)
        settings = {"params": {"groups": SITE}, "cv": 3, "error_score": "raise"}
        with pytest.raises(InvalidInputError, match=r"column of X\. With .*\.set_score_request\(groups=True\)\.$"):
            cross_val_score(model, X, Y, scoring=np_score(0.2), **settings)
    with pytest.raises(InvalidInputError, match=r"not as a column of X\.$"):
        np_score(0.2)(model.fit(X, Y, groups=SITE), X, Y)


def test_groups_in_a_column_of_the_rows_are_scored_without_a_request():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(site=SITE)
    model = NPClassifier("lda", alpha=0.2, delta=0.5, random_state=1)
    settings = {"params": {"groups": "site"}, "cv": 3, "error_score": "raise"}
    plain = cross_val_score(model, frame, Y, scoring=np_score(0.2), **settings)
    with config_context(enable_metadata_routing=True):
        model = clone(model).set_fit_request(groups=True)
        routed = cross_val_score(model, frame, Y, scoring=np_score(0.2), **settings)
    assert np.isfinite(plain).all()
    np.testing.assert_array_equal(plain, routed)


def test_groups_for_the_folds_alone_need_no_word_to_the_scorer():
    with config_context(enable_metadata_routing=True):
        settings = {"params": {"groups": np.arange(120) // 2}, "cv": GroupKFold(3, shuffle=True, random_state=0)}
        assert np.isfinite(cross_val_score(LogisticRegression(), X, Y, scoring=np_score(0.2), **settings)).all()


def test_groups_for_an_estimator_that_predicts_without_them_are_refused():
    with pytest.raises(InvalidInputError, match=r"LogisticRegression\.predict takes none\. Leave groups out"):
        np_score(0.2)(LogisticRegression().fit(X, Y), X, Y, groups=SITE)


def test_a_request_for_what_the_scorer_does_not_take_is_refused():
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(TypeError, match=r"no argument 'group'\. Did you mean 'groups'\?"),
    ):
        np_score(0.2).set_score_request(group=True)


def test_ridge_without_folds_is_told_of_and_with_folds_works():
    with pytest.raises(InvalidInputError, match=r"RidgeClassifierCV without cv .* Use RidgeClassifierCV\(.*cv=5\)"):
        RidgeClassifierCV(scoring=np_score(0.2)).fit(X, Y)
    weight = WEIGHT + 1.0
    assert RidgeClassifierCV(scoring=np_score(0.2), cv=4).fit(X, Y, sample_weight=weight).best_score_ < 0
