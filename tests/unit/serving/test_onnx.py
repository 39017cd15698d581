"""ONNX graphs of classifiers: the labels of the fit, on 100,000 rows, with the runtime that people use."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from nproc import NPClassifier, npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.serving import onnx as door
from nproc.serving import to_onnx

pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")
# what the tests compare themselves
pytestmark = pytest.mark.filterwarnings("ignore:to_onnx compared the graph")

N = 800
RNG = np.random.default_rng(4)
CODES = np.resize([0, 1], N)
X = RNG.normal(size=(N, 3)) + CODES[:, None]
NEW = RNG.normal(size=(20_000, 3)) + RNG.integers(0, 2, 20_000)[:, None]
KNOWN = {"alpha": 0.1, "random_state": 1}


class OwnTrees(RandomForestClassifier):
    """A class for which nobody registered a converter."""


def first_column(rows):
    return rows[:, 0]


def answers(model, rows):
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["label", "score"], rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        *("logistic", "lda", "penlog", "randomforest", "ada", "svm"),
        LogisticRegression(),
        GradientBoostingClassifier(n_estimators=30),
        AdaBoostClassifier(n_estimators=20),
        MLPClassifier((5,), max_iter=500),
        make_pipeline(StandardScaler(), SVC()),
    ],
    ids=lambda method: method if isinstance(method, str) else type(method).__name__,
)
def test_the_labels_are_those_of_the_fit(method):
    fit = npc(X, CODES, method, **KNOWN)
    model = to_onnx(fit, X)
    kind = np.float64 if "double" in str(model.graph.input[0].type) or fit.method in LINEAR else np.float32
    labels, scores = answers(model, {"X": NEW.astype(kind)})
    expected, margins = fit.predict(NEW), fit.decision_function(NEW).ravel()
    assert set(expected) == {0, 1}
    if kind is np.float64:
        assert labels.tolist() == expected.tolist()
        np.testing.assert_allclose(scores - fit.thresholds[0], margins, rtol=1e-9, atol=1e-12)
        return
    # seven digits: only rows as close as that to the threshold, or to a step of the score, differ
    differ = labels != expected
    assert differ.sum() <= 1
    near = np.abs(scores - fit.thresholds[0] - margins) < 1e-4 * np.abs(scores).max()
    assert near.mean() > 0.9999


def test_few_rows_are_told_with_the_probability_that_a_wrong_graph_passes():
    fit = npc(X, CODES, GradientBoostingClassifier(n_estimators=5), **KNOWN)
    # one other label is allowed below 500 rows
    passes = 0.99**300 + 300 * 0.01 * 0.99**299
    told = rf"on 300 rows only\. .* one row in a hundred passes this with probability {passes:.2g}\. Give at"
    with pytest.warns(NPWarning, match=told):
        to_onnx(fit, NEW[:300])
    with pytest.warns(NPWarning, match=r"on 1 row only\. .* passes this with probability 1\."):
        to_onnx(fit, NEW[:1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_onnx(fit, NEW[:1000])
        # written in double precision, and not by a converter
        to_onnx(npc(X, CODES, "logistic", **KNOWN), NEW[:1])


LINEAR = {"logistic", "lda", "penlog", "LogisticRegression"}
TWO_VOTES = VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())], voting="soft")


@pytest.mark.filterwarnings("ignore:.*exact copies of training rows")
def test_scores_that_tie_with_the_threshold_stay_class_0():
    # 20 trees have 21 values at most: many rows have the score of the threshold, which single precision rounds
    fit = npc(X, CODES, RandomForestClassifier(20, max_depth=3), **KNOWN)
    tied = NEW[np.abs(fit.decision_function(NEW).ravel()) < 1e-12]
    forest = npc(X.round(), CODES, RandomForestClassifier(7), alpha=0.2, random_state=1)
    whole = NEW.round()
    margins = forest.decision_function(whole).ravel()
    assert (margins == 0).sum() > 500
    assert answers(to_onnx(forest, X), {"X": whole.astype(np.float32)})[0].tolist() == forest.predict(whole).tolist()
    labels, _ = answers(to_onnx(fit, X), {"X": tied.astype(np.float32)})
    assert labels.tolist() == fit.predict(tied).tolist()


@pytest.mark.parametrize("labels", [["bad", "good"], [1, 0], [2.5, 1.5], [False, True], [True, False]], ids=str)
def test_labels_are_the_users_own(labels):
    fit = npc(X, np.array(labels)[CODES], "logistic", class0=labels[0], **KNOWN)
    found, _ = answers(to_onnx(fit, X), {"X": NEW[:1000]})
    assert found.tolist() == fit.predict(NEW[:1000]).tolist()


LINE = make_pipeline(StandardScaler(), LogisticRegression())
STUMPS = GridSearchCV(HistGradientBoostingClassifier(max_iter=10), {"max_depth": [1, 2]}, cv=2)
AROUND_OTHERS = {
    "calibrated": CalibratedClassifierCV(LINE, cv=2),
    "calibrated-svc": CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), cv=2),
    "bagging": BaggingClassifier(LINE, 3, random_state=0),
    "bagging-columns": BaggingClassifier(LINE, 3, max_features=2, random_state=0),
    "bagging-twice": BaggingClassifier(
        make_pipeline(StandardScaler(), BaggingClassifier(LINE, 2, random_state=0)), 2, random_state=0
    ),
    "one-or-rest": OneVsRestClassifier(LINE),
    "stacking": StackingClassifier([("line", LINE), ("trees", GradientBoostingClassifier(n_estimators=5))], cv=2),
    "voting": VotingClassifier([("a", LINE), ("b", LINE)], voting="soft", flatten_transform=False),
    "search": STUMPS,
    "search-last": make_pipeline(StandardScaler(), STUMPS),
    "search-at-random": RandomizedSearchCV(STUMPS.estimator, {"max_depth": [1, 2]}, n_iter=2, cv=2),
}


@pytest.mark.parametrize("columns", [None, ["a", "b c", "1"]], ids=["array", "frame"])
@pytest.mark.parametrize("method", AROUND_OTHERS.values(), ids=AROUND_OTHERS)
def test_models_around_others_give_the_labels_of_the_fit(method, columns):
    old, new = (rows if columns is None else pd.DataFrame(rows, columns=columns) for rows in (X, NEW[:5000]))
    fit = npc(old, CODES, method, **KNOWN)
    rows = {"X": new} if columns is None else {name: new[[name]].to_numpy() for name in columns}
    found, _ = answers(to_onnx(fit, old), {name: part.astype(np.float32) for name, part in rows.items()})
    assert set(found) == {0, 1}
    assert np.count_nonzero(found != fit.predict(new)) <= 2


@pytest.mark.parametrize("method", [LINE, GridSearchCV(LINE, {"logisticregression__C": [0.1, 1]}, cv=2)])
def test_linear_models_of_a_frame_are_in_double_precision_too(method):
    frame, new = (pd.DataFrame(rows, columns=["a", "b c", "1"]) for rows in (X, NEW))
    fit = npc(frame, CODES, method, **KNOWN)
    # columns are found by their names
    model = to_onnx(fit, frame[["1", "b c", "a"]].assign(further="x"))
    found, scores = answers(model, {name: new[[name]].to_numpy() for name in new})
    assert found.tolist() == fit.predict(new).tolist()
    np.testing.assert_allclose(scores - fit.thresholds[0], fit.decision_function(new).ravel(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", [["job", "town"], []], ids=["text", "numbers"])
def test_a_table_of_text_and_numbers_is_coded_in_the_graph(text):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    town = np.resize(["u", "v", "v", "u", "v"], N)
    frame = frame.assign(job=np.resize(["x", "y", "z"], N), town=town)[["a", *text, "b", "c"]]
    coded = make_column_transformer((OneHotEncoder(), text), (StandardScaler(), ["a", "b", "c"]))
    fit = npc(frame, CODES, make_pipeline(coded, LogisticRegression()), **KNOWN)
    rows = {name: frame[[name]].to_numpy(object if name in text else np.float32) for name in frame}
    assert np.count_nonzero(answers(to_onnx(fit, frame), rows)[0] != fit.predict(frame)) <= 1


def test_a_graph_that_is_not_the_fit_is_refused(monkeypatch):
    fit = npc(X, CODES, BaggingClassifier(LINE, 3, random_state=0), **KNOWN)
    # the converter then gives probabilities for scores, which no cut of the scores fits
    monkeypatch.setattr(door, "_options", lambda model: {id(model): {"zipmap": False, "raw_scores": True}})
    with pytest.raises(InvalidInputError, match=r"of the 800 rows of X it gives \d{2,} another label and \d{3} an"):
        to_onnx(fit, X)
    # scores tell also where the few labels do not
    few = X[fit.predict(X) == 0][:3]
    with pytest.raises(InvalidInputError, match="of the 3 rows of X it gives 0 another label and 3 another score"):
        to_onnx(fit, few)


def test_columns_that_single_precision_cannot_hold_are_refused():
    large = X + 1e9
    fit = npc(large, CODES, make_pipeline(StandardScaler(), SVC()), **KNOWN)
    with pytest.raises(InvalidInputError, match=r"single precision has too few digits .* Choose another model, or use"):
        to_onnx(fit, large)
    fit = npc(large, CODES, "randomforest", n_estimators=20, min_samples_leaf=20, **KNOWN)
    with pytest.raises(InvalidInputError, match=r"Trees need no scaler: give RandomForestClassifier\(\) of"):
        to_onnx(fit, large)


@pytest.mark.parametrize("name", ["label", "score"])
def test_a_column_with_the_name_of_an_output_is_refused(name):
    frame = pd.DataFrame(X, columns=["a", "b", name])
    fit = npc(frame, CODES, LogisticRegression(), **KNOWN)
    with pytest.raises(InvalidInputError, match=f"X has the column '{name}', which is the name of an output"):
        to_onnx(fit, frame)


def test_columns_of_a_frame_are_inputs_of_their_own():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(job=np.resize(["x", "y", "z"], N))
    method = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder=StandardScaler()), LogisticRegression()
    )
    fit = npc(frame, CODES, method, **KNOWN)
    model = to_onnx(fit, frame)
    assert [entry.name for entry in model.graph.input] == ["a", "b", "c", "job"]
    rows = {name: frame[[name]].to_numpy(np.float32) for name in "abc"} | {"job": frame[["job"]].to_numpy(object)}
    assert np.mean(answers(model, rows)[0] != fit.predict(frame)) < 0.005
    # a named method is trained on the array
    numbers = npc(frame[["a", "b", "c"]], CODES, "lda", **KNOWN)
    found, _ = answers(to_onnx(numbers, frame[["a", "b", "c"]]), {"X": X})
    assert found.tolist() == numbers.predict(frame[["a", "b", "c"]]).tolist()


@pytest.mark.parametrize("method", [HistGradientBoostingClassifier(max_iter=20), SVC()])
def test_a_model_of_the_users_without_a_pipeline_takes_a_frame_of_numbers(method):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    fit = npc(frame, CODES, method, **KNOWN)
    new = frame + np.float32(0.25)
    found, _ = answers(to_onnx(fit, frame), {name: new[[name]].to_numpy(np.float32) for name in "abc"})
    assert set(found) == {0, 1}
    assert np.mean(found != fit.predict(new)) < 0.005


def test_boosted_trees_send_a_missing_value_where_scikit_learn_does():
    holes = np.where(np.random.default_rng(1).random(X.shape) < [0, 0.2, 0.2], np.nan, X)
    fit = npc(holes, CODES, "gradientboosting", **KNOWN)
    found, _ = answers(to_onnx(fit, holes), {"X": holes.astype(np.float32)})
    assert np.mean(found != fit.predict(holes)) < 0.005


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_estimators=20, random_state=1),
        RandomForestClassifier(20, random_state=1),
        CalibratedClassifierCV(LINE),
        FrozenEstimator(SVC().fit(X[:400], np.where(CODES[:400], "a", "b"))),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_of_the_users_with_class_0_second_is_turned(model):
    half, rest = np.arange(N // 2), np.arange(N // 2, N)
    # trained on labels in alphabetical order, of which class 0, "b", is the second
    names = np.where(CODES[half], "a", "b")
    model.fit(X[half], names)
    y = np.where(X[rest].sum(axis=1) + RNG.normal(size=rest.size) > 0.7, "a", "b")
    fit = npc(X[rest], y, model, prefit=True, class0="b", **KNOWN)
    found, _ = answers(to_onnx(fit, X), {"X": NEW[:10_000].astype(np.float32)})
    assert np.count_nonzero(found != fit.predict(NEW[:10_000])) <= 1
    assert set(found) == {"a", "b"}


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: npc(X, CODES, GaussianNB(), **KNOWN), "the scores of GaussianNB are log odds"),
        (lambda: npc(X, CODES, TWO_VOTES, **KNOWN), "the scores of VotingClassifier are log odds"),
        (
            lambda: npc(X, CODES, "knn", **KNOWN),
            r"no converter for NearestNeighbours\. Choose a model that has one, register one by",
        ),
        (lambda: npc(X, CODES, QuadraticDiscriminantAnalysis(), **KNOWN), "cannot convert QuadraticDiscriminant"),
        (lambda: npc(X, CODES, first_column, prefit=True, alpha=0.1), "first_column is a function, which has no ONNX"),
        (
            lambda: npc(X, CODES, make_pipeline(StandardScaler(), OwnTrees(50)), **KNOWN),
            r"skl2onnx has no converter for OwnTrees\.",
        ),
        (lambda: npc(X, CODES, n_splits=3, **KNOWN), r"no single threshold; fit with n_splits=1\.$"),
        (lambda: npc(X, CODES, ties="randomize", **KNOWN), r"fit with ties='conservative'\.$"),
        (lambda: NPClassifier(**KNOWN).fit(X, CODES), "needs the result of npc, .* Give its fit_, which is one"),
        (lambda: npc("y ~ a", data=pd.DataFrame({"a": X[:, 0], "y": CODES}), **KNOWN), "has no ONNX converter"),
    ],
)
def test_what_cannot_be_converted_is_refused(fit, message):
    with pytest.raises(InvalidInputError, match=message) as told:
        to_onnx(fit(), X)
    # what skl2onnx says ends with a whole word
    assert "<class" not in str(told.value)
    assert (
        re.search(r"(\.|\.\.\.\.) (Choose|Give|Use|Fit|Set|Leave) ", str(told.value)) or "cannot convert" not in message
    )


def test_an_imputer_of_text_columns_is_refused_with_a_way_out_that_works():
    kinds = np.where(X[:, 1] > 0, "u", "v").astype(object)
    kinds[::7] = np.nan
    frame = pd.DataFrame({"a": X[:, 0], "kind": kinds})
    encoder = OneHotEncoder(handle_unknown="ignore")

    def fitted(step, rows):
        steps = make_column_transformer((step, ["kind"]), remainder="passthrough")
        return npc(rows, CODES, make_pipeline(steps, LogisticRegression()), **KNOWN)

    imputed = fitted(make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), frame)
    told = r"cannot convert an imputer of text columns\. Fill the gaps .*fillna\('unknown'\).* Leave this step out"
    with pytest.raises(InvalidInputError, match=told):
        to_onnx(imputed, frame)
    filled = frame.fillna({"kind": "unknown"})
    to_onnx(fitted(encoder, filled), filled)


def test_a_model_that_takes_text_columns_itself_is_told_to_encode_them():
    frame = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(np.where(X[:, 1] > 0, "u", "v"))})
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype")
    fit = npc(frame, CODES, model, **KNOWN)
    told = (
        "skl2onnx takes no columns of text or categories for HistGradientBoostingClassifier. Use an encoder such as "
        "OneHotEncoder in the method, or save() for use in Python."
    )
    with pytest.raises(InvalidInputError, match=re.escape(told)):
        to_onnx(fit, frame)
