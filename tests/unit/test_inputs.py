"""Tests of `nproc.inputs`: the user's words become clean values, once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer, precision_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from nproc.errors import InvalidInputError, NPWarning
from nproc.inputs import _scores_label_1, read_inputs, read_method
from nproc.model_choice import np_score
from nproc.rows import GivenRows
from nproc.scorers.papers.npsvm import NPSVC

X = np.arange(20.0).reshape(10, 2)
Y = np.repeat([0, 1], 5)


def score(X):
    return X[:, 0]


def test_a_name_gives_a_scorer_that_needs_numbers():
    method = read_method("svm", {"C": 3})
    assert (method.name, method.prefit, method.numeric) == ("svm", False, True)
    assert method.scorer.get_params()["svc__C"] == 3


def test_an_object_is_taken_as_it_is_and_may_see_any_table():
    forest = RandomForestClassifier()
    method = read_method(forest)
    assert method.scorer is forest
    assert (method.name, method.numeric, method.sparse) == ("RandomForestClassifier", False, True)


@pytest.mark.parametrize(
    ("method", "prefit", "name"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression()), False, "StandardScaler+LogisticRegression"),
        (GridSearchCV(LogisticRegression(), {"C": [1.0]}), False, "GridSearchCV of LogisticRegression"),
        (
            RandomizedSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0]}, n_iter=1),
            False,
            "RandomizedSearchCV of StandardScaler+SVC",
        ),
        (make_pipeline(PCA(1), GridSearchCV(SVC(), {"C": [1.0]})), False, "PCA+GridSearchCV of SVC"),
        (make_pipeline("passthrough", None, LogisticRegression()), False, "LogisticRegression"),
        (CalibratedClassifierCV(SVC()), False, "CalibratedClassifierCV of SVC"),
        (BaggingClassifier(), False, "BaggingClassifier"),
        (
            make_pipeline(SelectFromModel(LogisticRegression()), SVC()),
            False,
            "(SelectFromModel of LogisticRegression)+SVC",
        ),
        (score, True, "score"),
        (lambda X: X[:, 0], True, "<lambda>"),
    ],
)
def test_the_name_of_an_object_says_what_it_is(method, prefit, name):
    assert read_method(method, prefit=prefit).name == name


@pytest.mark.parametrize(
    ("method", "params", "prefit", "message"),
    [
        ("lda", {}, True, "prefit=True needs a fitted model or a function as method, got the name 'lda'"),
        ("bad ~ x", {}, False, r"'bad ~ x' is a formula, .*: npc\('bad ~ x', data=frame\)\. A method"),
        ("ldaa", {}, False, r"unknown method 'ldaa'\. Did you mean 'lda'\? A method must be one of acsvm, "),
        ("lda", {"apha": 0.2}, False, r"method 'lda' has no parameter 'apha'\. Its parameters are: solver"),
        (["lda", "nb"], {}, False, "method must be one name or object, got list of 2. Call the function once"),
        (
            LogisticRegression(),
            {"C": 3},
            False,
            r"unknown argument\(s\) \['C'\]: .* of LogisticRegression on the object",
        ),
        (LogisticRegression, {}, False, r"method is the class LogisticRegression; pass an instance"),
        (LinearRegression(), {}, False, "a scorer needs decision_function or predict_proba; LinearRegression has only"),
        (score, {}, False, "method=score is a function without fit, .* Pass prefit=True"),
        (None, {}, False, "method must have fit and decision_function or predict_proba, got None"),
        (3, {}, False, "method must have fit and decision_function or predict_proba, got 3"),
        (X, {}, False, r"got ndarray of shape .* The order is X, y, method\."),
        (
            GridSearchCV(LogisticRegression(), {}, refit=False),
            {},
            False,
            r"has refit=False and trains no .* Use refit=True\.",
        ),
        (
            GridSearchCV(LogisticRegression(), {}, cv=PredefinedSplit(np.arange(10) % 2)),
            {},
            False,
            "has cv=PredefinedSplit, which names rows by their numbers.* Give a number of folds, or a splitter",
        ),
        (
            make_pipeline(GridSearchCV(LogisticRegression(), {}, cv=[(np.arange(5), np.arange(5, 10))])),
            {},
            False,
            "has gridsearchcv__cv=list, which names rows by their numbers",
        ),
    ],
)
def test_bad_methods_are_refused(method, params, prefit, message):
    with pytest.raises(InvalidInputError, match=message):
        read_method(method, params, prefit=prefit)


def test_inputs_know_their_sizes_and_keep_no_rows_in_the_subject():
    inputs = read_inputs(GivenRows(X, np.where(Y, "b", "a"), None), method=read_method("lda"), class0="b")
    subject = inputs.subject
    assert (subject.n0, subject.n1, subject.labels.tolist()) == (5, 5, ["b", "a"])
    assert not hasattr(subject, "X")
    assert inputs.y.tolist() == (1 - Y).tolist()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(9), r"sample_weight must have one weight a row \(10\), got shape \(9,\)"),
        (np.ones((10, 1)), r"sample_weight must have one weight a row \(10\), got shape \(10, 1\)"),
        (2.0, r"sample_weight must have one weight a row \(10\), got shape \(\)"),
        (np.r_[1.0, -1.0, -2.0, np.ones(7)], r"^sample_weight has 2 negative .*, the first at sample_weight\[1\]; "),
        (np.r_[1.0, 1.0, np.nan, np.ones(7)], r"has 1 missing .*, the first at sample_weight\[2\]; .*na_action='omit'"),
        ([1.0, None] * 5, r"^sample_weight has 5 missing value\(s\) .*, the first at sample_weight\[1\]; "),
        (np.r_[np.inf, np.ones(9)], r"^sample_weight has 1 infinite value\(s\), the first at sample_weight\[0\]; "),
        (np.zeros(10), "^sample_weight is 0 in every row"),
        (["a"] * 10, "sample_weight must hold numbers, one a row"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(InvalidInputError, match=message):
        read_inputs(GivenRows(X, Y, None, weights), method=read_method("logistic"))


def test_a_formula_for_a_trained_model_is_refused():
    frame = pd.DataFrame({"y": Y, "a": X[:, 0], "b": X[:, 1]})
    with pytest.raises(InvalidInputError, match="prefit=True cannot be used with a formula"):
        read_inputs(GivenRows("y ~ a + b", None, frame), method=read_method(score, prefit=True))


def test_rows_and_labels_with_the_same_index_in_another_order_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b"])
    y = pd.Series(Y)
    with pytest.raises(InvalidInputError, match="the same row labels in a different order"):
        read_inputs(GivenRows(frame.sample(frac=1, random_state=0), y, None), method=read_method("lda"))
    shifted = frame.set_axis(frame.index + 1000)
    with pytest.raises(InvalidInputError, match="0 of the 10 labels of X are among those of y"):
        read_inputs(GivenRows(shifted, y, None), method=read_method("lda"))
    assert read_inputs(GivenRows(shifted, y.to_numpy(), None), method=read_method("lda")).X.shape == X.shape


@pytest.mark.parametrize(
    ("method", "named", "way_out"),
    [
        (RandomForestClassifier(class_weight={0: 1, 1: 5}), "class_weight", "Give the numbers for 0 and 1"),
        (HistGradientBoostingClassifier(monotonic_cst=[1, 0]), "monotonic_cst", "Change the sign of each constraint"),
        (
            make_pipeline(StandardScaler(), HistGradientBoostingClassifier(monotonic_cst=[1, 0])),
            "histgradientboostingclassifier__monotonic_cst",
            "Change the sign",
        ),
        (
            GridSearchCV(LogisticRegression(), {"class_weight": [None, {0: 1, 1: 10}]}),
            "class_weight",
            "Give the numbers for 0 and 1",
        ),
        (
            make_pipeline(RandomizedSearchCV(LogisticRegression(), [{"class_weight": [{0: 1, 1: 10}]}])),
            "class_weight",
            "Give the numbers for 0 and 1",
        ),
        (
            GridSearchCV(
                make_pipeline(LogisticRegression()),
                {"logisticregression": [HistGradientBoostingClassifier(monotonic_cst=np.array([1, 0]))]},
            ),
            "monotonic_cst",
            "Change the sign",
        ),
        (GridSearchCV(LogisticRegression(), {}, scoring="recall"), "scoring", "give a scorer with pos_label=0"),
        (GridSearchCV(LogisticRegression(), {}, scoring=["roc_auc", "f1"], refit="f1"), "scoring", "pos_label=0"),
        (GridSearchCV(LogisticRegression(), {}, scoring=make_scorer(precision_score)), "scoring", "pos_label=0"),
        (GridSearchCV(LogisticRegression(), {}, scoring="positive_likelihood_ratio"), "scoring", "exchange 'positive_"),
        (GridSearchCV(LogisticRegression(), {}, scoring="neg_negative_likelihood_ratio"), "scoring", "exchange 'pos"),
    ],
)
def test_parameters_about_label_1_are_told_where_it_is_class_0(method, named, way_out):
    with pytest.warns(NPWarning, match=f" has {named}, but scorers see the labels 0 .for class 0.*{way_out}"):
        read_inputs(GivenRows(X, Y, None), method=read_method(method), class0=1)
    read_inputs(GivenRows(X, Y, None), method=read_method(method), class0=0)


@pytest.mark.parametrize("names", [("bad", "good"), (-1, 1), (False, True), (1, 2)])
def test_constraints_that_the_order_of_the_labels_turns_round_are_told(names):
    first, second = names
    y = np.where(Y == 0, first, second)
    for constraints in ([1, 0], {"a": 1}):
        method = HistGradientBoostingClassifier(monotonic_cst=constraints)
        with pytest.warns(NPWarning, match=rf"for class 0, here label {second!r}.*Change the sign of each constraint"):
            read_inputs(GivenRows(X, y, None), method=read_method(method), class0=second)
        read_inputs(GivenRows(X, y, None), method=read_method(method), class0=first)
    recall = GridSearchCV(LogisticRegression(), {}, scoring="recall")
    if 1 in names:
        with pytest.warns(NPWarning, match="pos_label=0"):
            read_inputs(GivenRows(X, y, None), method=read_method(recall), class0=1)
    # by 0 and 1, as the page says: nothing is turned round
    weighted = RandomForestClassifier(class_weight={0: 1, 1: 5})
    if isinstance(first, str):
        read_inputs(GivenRows(X, y, None), method=read_method(weighted), class0=second)


@pytest.mark.parametrize(
    "method",
    [
        RandomForestClassifier(class_weight="balanced"),
        HistGradientBoostingClassifier(),
        GridSearchCV(LogisticRegression(), {"class_weight": [None, "balanced"]}, scoring="roc_auc"),
        GridSearchCV(LogisticRegression(), {}, scoring=make_scorer(precision_score, pos_label=0)),
    ],
)
def test_parameters_that_treat_the_labels_alike_are_not_told(method):
    read_inputs(GivenRows(X, Y, None), method=read_method(method), class0=1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_scoring_of_scikit_learn_that_treats_the_labels_differently_is_told():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [200, 300])
    rows = rng.normal(size=(500, 2)) + y[:, None]
    model = LogisticRegression(class_weight={0: 1, 1: 3}).fit(rows, y)
    mirrored = LogisticRegression(class_weight={1: 1, 0: 3}).fit(rows, 1 - y)
    value = {}
    for name in get_scorer_names():
        scoring = get_scorer(name)
        try:
            value[name] = scoring(model, rows, y), scoring(mirrored, rows, 1 - y)
        except ValueError:
            # of several labels, or of clusters
            continue
    differing = {name for name, (own, other) in value.items() if not np.isclose(own, other, rtol=1e-6)}
    # of regressions
    differing -= {"neg_mean_absolute_percentage_error"}
    assert differing == {name for name in value if _scores_label_1(name)}
    assert differing == {name for name in value if _scores_label_1(get_scorer(name))}
    # why the two ratios may be exchanged
    assert value["positive_likelihood_ratio"][0] == pytest.approx(-1 / value["neg_negative_likelihood_ratio"][1])


def test_a_weight_of_label_1_of_a_booster_is_told_where_it_is_class_0():
    booster = pytest.importorskip("xgboost").XGBClassifier(scale_pos_weight=10)
    with pytest.warns(NPWarning, match=r"has scale_pos_weight, .* Give 1 / scale_pos_weight\."):
        read_inputs(GivenRows(X, Y, None), method=read_method(booster), class0=1)


def test_a_scorer_that_names_a_label_of_the_user_is_refused():
    # its scores would all be NaN, and the search would take the first candidate
    scoring = make_scorer(precision_score, pos_label="fraud")
    for method in (
        GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, scoring=scoring),
        make_pipeline(GridSearchCV(LogisticRegression(), {}, scoring={"auc": "roc_auc", "precision": scoring})),
    ):
        with pytest.raises(
            InvalidInputError, match=r"with pos_label='fraud', but it sees the labels 0 .class 0. and 1"
        ):
            read_method(method)


def test_labels_and_rows_must_be_equally_many():
    with pytest.raises(InvalidInputError, match="X has 10 rows and y has 9 labels; every row needs exactly one label"):
        read_inputs(GivenRows(X, Y[:-1], None), method=read_method("lda"))


def test_an_estimator_with_a_class0_of_its_own_is_refused():
    # inside, the prioritised class is coded 0: class0=1 would bound the error of the other class
    search = GridSearchCV(NPSVC(), {"C": [1.0]}, scoring=np_score(0.1, class0="bad"))
    for method in (NPSVC(class0=1), NPSVC(class0="bad"), make_pipeline(NPSVC(class0=1)), search):
        with pytest.raises(InvalidInputError, match=r"of its own\. Give class0 here only, and leave it out of the"):
            read_method(method)
    for method in (NPSVC(), NPSVC(class0=0), GridSearchCV(NPSVC(), {"C": [1.0]}, scoring=np_score(0.1))):
        assert read_method(method).scorer is method
    trained = NPSVC(class0="bad").fit([[0.0], [1.0], [2.0], [3.0]] * 20, ["good", "bad"] * 40)
    assert read_method(trained, prefit=True).prefit
