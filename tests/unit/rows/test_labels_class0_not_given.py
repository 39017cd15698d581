import warnings

import numpy as np
import pandas as pd
import pytest
from all_cases import check_all_cases
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from nproc import (
    AsymmetricCostSVC,
    ConstrainedNPClassifier,
    GaussianNPClassifier,
    NPClassifier,
    NPMultiClassifier,
    NPROCDisplay,
    NPWarning,
    OnlineNPClassifier,
    OnlineNPClassifierCV,
    OnlineNPNetwork,
    ParzenNP,
    PrecisionAtKSVC,
    QValueLinear,
    QValueNetwork,
    QValueSVC,
    SparseLogisticClassifier,
    accepted,
    npc,
    npc_multiclass,
    nproc,
    nproc_bands,
    q_values,
    roc_cv,
    train_in_chunks,
)
from nproc.comparison import compare_procedures
from nproc.model_choice import np_score
from nproc.multiclass import npcs
from nproc.planning import plan_split_ratio
from nproc.row_chunks import RowChunks
from nproc.rows.labels import check_labels
from nproc.scorers.papers.npsvm import NPSVC

RNG = np.random.default_rng(11)
N = 200
CODES = np.arange(N) % 2
X = RNG.normal(size=(N, 2)) + 1.5 * CODES[:, None]
# the label whose error is to be bounded is the second in the alphabet
Y = np.where(CODES == 0, "malignant", "benign")
FRAME = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y)
LEVELS = {"alpha": 0.3, "delta": 0.3, "random_state": 1}
MODEL = LogisticRegression().fit(X, Y)

FACES = {
    "npc": lambda **class0: npc(X, Y, "lda", **LEVELS, **class0),
    "npc of several splits in processes": lambda **class0: npc(X, Y, "lda", n_splits=3, n_jobs=2, **LEVELS, **class0),
    "npc prefit": lambda **class0: npc(X, Y, MODEL, prefit=True, **LEVELS, **class0),
    "npc of a formula": lambda **class0: npc("y ~ a + b", data=FRAME, method="lda", **LEVELS, **class0),
    "npc of groups": lambda **class0: npc(X, Y, "lda", groups=CODES * 0, **LEVELS, **class0),
    "npc of clusters": lambda **class0: npc(X, Y, "lda", clusters=np.arange(N), **LEVELS, **class0),
    "npc of chunks": lambda **class0: npc(RowChunks.from_arrays(X, Y), method=MODEL, prefit=True, **LEVELS, **class0),
    "nproc": lambda **class0: nproc(X, Y, "lda", random_state=1, **class0),
    "nproc_bands": lambda **class0: nproc_bands(X, Y, ["lda", "nb"], random_state=1, **class0),
    "compare_procedures": lambda **class0: compare_procedures(
        X, Y, ["lda", "nb"], alpha=0.3, n_splits=11, random_state=1, **class0
    ),
    "roc_cv": lambda **class0: roc_cv(X, Y, "lda", random_state=1, **class0),
    "plan_split_ratio": lambda **class0: plan_split_ratio(
        X, Y, "lda", alpha=0.3, delta=0.3, rows=150, n_repeats=2, random_state=1, **class0
    ),
    "NPClassifier": lambda **class0: NPClassifier("lda", **LEVELS, **class0).fit(X, Y),
    "q_values": lambda **class0: q_values(X[:, 0], Y, **class0),
    "accepted": lambda **class0: accepted(X[:, 0], Y, 0.6, **class0),
    "display of an estimator": lambda **class0: NPROCDisplay.from_estimator(MODEL, X, Y, plot=False, **class0),
    "display of predictions": lambda **class0: NPROCDisplay.from_predictions(Y, X[:, 0], plot=False, **class0),
    "np_score": lambda **class0: np_score(0.3, **class0)(MODEL, X, Y),
    "train_in_chunks": lambda **class0: train_in_chunks(
        OnlineNPClassifier(alpha=0.3, random_state=1), RowChunks.from_arrays(X, Y), random_state=1, **class0
    ),
    "partial_fit": lambda **class0: OnlineNPClassifier(alpha=0.3, **class0).partial_fit(X, Y, classes=np.unique(Y)),
    "partial_fit of a network": lambda **class0: OnlineNPNetwork(alpha=0.3, **class0).partial_fit(X, Y),
    "partial_fit of a network, classes": lambda **class0: OnlineNPNetwork(alpha=0.3, **class0).partial_fit(
        X, Y, classes=np.unique(Y)
    ),
}
PAPERS = {
    AsymmetricCostSVC: {"alpha": 0.3, "C1s": [1.0], "C0s": [1.0, 4.0], "gammas": [0.5]},
    ConstrainedNPClassifier: {"alpha": 0.3},
    GaussianNPClassifier: {"alpha": 0.3},
    NPSVC: {"alpha": 0.3},
    OnlineNPClassifier: {"alpha": 0.3, "max_iter": 5},
    OnlineNPClassifierCV: {"alpha": 0.3, "taus": (1, 10), "max_iter": 5},
    OnlineNPNetwork: {"alpha": 0.3, "max_iter": 5},
    ParzenNP: {"alpha": 0.3},
    PrecisionAtKSVC: {"alpha": 0.3},
    QValueLinear: {"q": 0.3, "max_iter": 5},
    QValueNetwork: {"q": 0.3, "max_iter": 5},
    QValueSVC: {"q": [0.2, 0.3]},
    SparseLogisticClassifier: {},
}
for kind, params in PAPERS.items():
    FACES[kind.__name__] = lambda kind=kind, params=params, **class0: kind(**params, **class0).fit(X, Y)


def heard(call, **class0):
    """The warnings of a call that are about class0, with their places."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(**class0)
    return [warning for warning in found if "class0 is not given" in str(warning.message)]


@pytest.mark.slow
def test_labels_whose_order_says_nothing_are_warned_of_once_at_the_line_of_the_user():
    def check(face):
        (warning,) = heard(face)
        assert warning.category is NPWarning
        assert warning.filename == __file__
        assert str(warning.message) == (
            "class0 is not given, so 'benign', the first label in sorted order, is class 0. The share of 'benign' rows "
            "that are called 'malignant' is controlled; the share of 'malignant' rows that are called 'benign' is not. "
            "Give class0='malignant' if the second share is the one to control, and class0='benign' if the first is."
        )

    check_all_cases(check, {name: (face,) for name, face in FACES.items()})


@pytest.mark.slow
def test_a_class0_that_is_given_is_not_warned_of():
    def check(face):
        assert heard(face, class0="malignant") == []

    check_all_cases(check, {name: (face,) for name, face in FACES.items()})


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1, 1], [False, True], [0.0, 1.0], [-1.0, 1.0]],
    ids=["0 and 1", "-1 and 1", "Boolean", "0.0 and 1.0", "-1.0 and 1.0"],
)
@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda y: np.array(y, dtype=object), pd.Categorical])
def test_labels_that_say_which_is_class_0_are_not_warned_of(labels, make):
    y = make([labels[code] for code in CODES])
    assert check_labels(y).values.tolist() == labels
    assert npc(X, y, "lda", **LEVELS).class0 == labels[0]
    assert NPClassifier("lda", **LEVELS).fit(X, y).class0_ == labels[0]
    y = np.asarray(y).astype(type(labels[0]))
    assert GaussianNPClassifier(alpha=0.3).fit(X, y).class0_ == labels[0]


def test_booleans_of_pandas_are_not_warned_of():
    for dtype in ("boolean", "Int64", "category"):
        assert check_labels(pd.Series(CODES == 1).astype(dtype)).n0 == N // 2


@pytest.mark.parametrize("labels", [[1, 2], [0, 2], ["0", "1"], [-1, 0], [5.0, 6.0]])
def test_other_numbers_are_warned_of(labels):
    with pytest.warns(NPWarning, match="class0 is not given"):
        check_labels(labels)


def test_the_warning_does_not_change_the_result():
    with pytest.warns(NPWarning, match="class0 is not given"):
        fit = npc(X, Y, "lda", **LEVELS)
    np.testing.assert_array_equal(fit.thresholds, npc(X, Y, "lda", class0="benign", **LEVELS).thresholds)


def test_a_score_takes_class_0_of_the_estimator_without_a_warning():
    search = GridSearchCV(GaussianNPClassifier(class0="malignant"), {"alpha": [0.2, 0.3]}, scoring=np_score(0.3), cv=2)
    assert heard(lambda: search.fit(X, Y)) == []


def test_the_labels_of_accepted_are_those_of_the_fit_without_a_warning():
    model = QValueSVC(q=0.3, class0="malignant").fit(X, Y)
    assert heard(lambda: model.accepted(X, Y)) == []


THREE = np.array(["minor", "grave", "fatal"])[np.arange(240) % 3]
ROWS3 = np.random.default_rng(5).normal(size=(240, 2)) + (np.arange(240) % 3)[:, None]


@pytest.mark.parametrize("prefit", [False, True])
def test_text_labels_without_a_priority_are_told_to_stand_in_the_order_of_the_alphabet(prefit):
    method = LogisticRegression().fit(ROWS3, THREE) if prefit else "lda"
    message = r"taken in alphabetical order: 'fatal' > 'grave' > 'minor'.*Give priority=\[\.\.\.\]"
    with pytest.warns(NPWarning, match=message) as found:
        npc_multiclass(ROWS3, THREE, method, prefit=prefit, alphas=0.3, deltas=0.3, random_state=1)
    assert [warning.filename for warning in found if "priority" in str(warning.message)] == [__file__]
    for _ in range(2):
        with pytest.warns(NPWarning, match="priority is not given") as found:
            NPMultiClassifier("lda", alphas=0.3, deltas=0.3, random_state=1).fit(ROWS3, THREE)
        assert len(found) == 1


def test_a_cross_validation_is_told_once_and_each_call_of_the_user_anew():
    def scores():
        return cross_val_score(NPClassifier("lda", **LEVELS), X, Y, cv=4)

    assert len(heard(scores)) == 1
    # the same labels of other rows
    for _ in range(2):
        assert len(heard(lambda: npc(X[::-1], Y[::-1], "lda", **LEVELS))) == 1
    assert heard(scores) == []
    # other rows with the same labels, on another line
    assert len(heard(lambda: cross_val_score(NPClassifier("lda", **LEVELS), X[::-1], Y[::-1], cv=4))) == 1


def test_classes_that_are_numbers_or_have_a_priority_are_not_warned_of():
    levels = {"alphas": 0.3, "deltas": 0.3, "random_state": 1}
    npc_multiclass(ROWS3, np.arange(240) % 3, "lda", **levels)
    npc_multiclass(ROWS3, THREE, "lda", priority=["fatal", "grave", "minor"], **levels)
    # levels by label: no order is needed
    npcs(ROWS3, THREE, "lda", alphas={"fatal": 0.3}, random_state=1)
