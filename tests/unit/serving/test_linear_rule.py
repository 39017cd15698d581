"""The weights and the cut of a linear classifier: the labels of the fit, in numpy and in plain JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import npc, nproc
from nproc.errors import InvalidInputError
from nproc.serving import linear_rule, to_onnx

N = 600
RNG = np.random.default_rng(2)
CODES = np.resize([0, 1], N)
X = RNG.normal(size=(N, 3)) * [1.0, 100.0, 0.01] + CODES[:, None] * [1.0, 100.0, 0.01]
NEW = RNG.normal(size=(100_000, 3)) * [1.0, 100.0, 0.01]
KNOWN = {"alpha": 0.1, "random_state": 1}
LINEAR = [
    "logistic",
    "lda",
    "penlog",
    "slda",
    "svmperf",
    LogisticRegression(),
    make_pipeline(StandardScaler(), RidgeClassifier()),
    GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2),
    make_pipeline(StandardScaler(), GridSearchCV(RidgeClassifier(), {"alpha": [0.1, 1]}, cv=2)),
]


@pytest.mark.parametrize("method", LINEAR, ids=str)
@pytest.mark.parametrize("labels", [[0, 1], [1, 0], ["bad", "good"], [False, True], [2.5, 1.5]], ids=str)
def test_the_numbers_give_the_labels_of_the_fit(method, labels, tmp_path):
    fit = npc(X, np.array(labels)[CODES], method, class0=labels[0], **KNOWN)
    rule = linear_rule(fit)
    expected = fit.predict(NEW)
    assert rule.predict(NEW).tolist() == expected.tolist()
    assert rule.predict(NEW).dtype == expected.dtype
    # ten lines in any language
    text = json.loads(rule.write(tmp_path / "rule.json").read_text())
    by_hand = []
    for row in NEW[:500].tolist():
        score = sum(value * weight for value, weight in zip(row, text["weights"], strict=True)) + text["intercept"]
        by_hand.append(text["class1"] if score >= text["cut"] else text["class0"])
    assert by_hand == expected[:500].tolist()
    assert (text["order"], text["n0"], text["violation_rate"]) == (
        fit.orders[0],
        fit.n0_left_out,
        fit.violation_rates[0],
    )


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: npc(X, CODES, **KNOWN), "with probability at least 0.95 over the draw of the left-out class 0 rows"),
        (
            lambda: nproc(X, CODES, random_state=1).classifier(0.1),
            "if alpha = 0.1 was fixed before the band was looked",
        ),
        (lambda: npc(X, CODES, clusters=np.arange(N), **KNOWN), "a class 0 row drawn at random from a new cluster"),
        (lambda: npc(X, CODES, rank="randomize", **KNOWN), "class 0 rows and the random choice between two ranks"),
        (lambda: chosen(nproc(X, CODES, random_state=1)), "There is no guarantee on the type I error, because alpha"),
    ],
    ids=["npc", "band", "clusters", "random rank", "chosen alpha"],
)
def test_a_rule_says_on_which_conditions_its_bound_holds_as_its_fit_does(make, told, tmp_path):
    fit = make()
    rule = linear_rule(fit)
    assert told in rule.statement
    for summary in (rule.summary(), fit.summary()):
        assert rule.statement in " ".join(str(summary).split())
    assert json.loads(rule.write(tmp_path / "rule.json").read_text())["statement"] == rule.statement


def chosen(band):
    return band.classifier(band.choose_alpha(type2_max=0.2).alpha)


@pytest.mark.filterwarnings("ignore:.*exact copies of training rows")
def test_a_tie_with_the_threshold_is_class_0():
    rows = np.arange(N, dtype=float)[:, None] // 10
    fit = npc(rows, (np.arange(N) >= 300).astype(int), "lda", alpha=0.1, split_ratio=0.5, random_state=1)
    grid = np.arange(0.0, 60.0)[:, None]
    assert linear_rule(fit).predict(grid).tolist() == fit.predict(grid).tolist()


def test_columns_are_found_by_their_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=CODES)
    for fit in (npc(frame[["a", "b", "c"]], CODES, **KNOWN), npc("y ~ a + b + c", data=frame, **KNOWN)):
        rule = linear_rule(fit)
        assert rule.columns == ("a", "b", "c")
        assert rule.predict(frame[["y", "c", "a", "b"]]).tolist() == fit.predict(frame).tolist()
        with pytest.raises(InvalidInputError, match=r"X lacks the column\(s\) \['b'\]"):
            rule.predict(frame[["a", "c"]])
    with pytest.raises(InvalidInputError, match="X has 2 columns, but the rule has 3 weights"):
        rule.predict(X[:, :2])


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: npc(X, CODES, RandomForestClassifier(50), **KNOWN), "does not know the scores of RandomForest"),
        (
            lambda: npc(X, CODES, n_splits=3, **KNOWN),
            r"no single threshold; fit with n_splits=1\.$",
        ),
        (lambda: npc(X, CODES, ties="randomize", **KNOWN), "calls tied scores at random"),
        (lambda: npc(X, CODES, groups=np.repeat([0, 1], N // 2), **KNOWN), "linear_rule requires thresholds"),
        (lambda: npc("y ~ I(a**2)", data=pd.DataFrame({"a": X[:, 0], "y": CODES}), **KNOWN), "transforms columns"),
        (lambda: 3, "linear_rule needs the result of npc, got 3"),
    ],
)
def test_what_is_no_linear_rule_is_refused(fit, message):
    with pytest.raises(InvalidInputError, match=message):
        linear_rule(fit())


@pytest.mark.parametrize("frame", [lambda model: model, FrozenEstimator], ids=["itself", "frozen"])
@pytest.mark.parametrize("class0", ["a", "b"])
def test_a_model_that_was_trained_beforehand_keeps_its_direction(class0, frame):
    half, rest = np.arange(N // 2), np.arange(N // 2, N)
    y = np.where(CODES == 1, "b", "a") if class0 == "a" else np.where(CODES == 1, "a", "b")
    trained = LogisticRegression().fit(X[half], y[half])
    fit = npc(X[rest], y[rest], frame(trained), prefit=True, class0=class0, **KNOWN)
    expected = fit.predict(NEW)
    assert set(expected) == {"a", "b"}
    assert linear_rule(fit).predict(NEW).tolist() == expected.tolist()
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    session = runtime.InferenceSession(to_onnx(fit, X).SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(["label"], {"X": NEW})[0].tolist() == expected.tolist()
