"""Bad input at the front doors: each kind has its own message, and an interrupt ends everything."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from nproc import (
    NPClassifier,
    NPMultiClassifier,
    certify,
    np_threshold,
    npc,
    npc_multiclass,
    nproc,
    plan_class0,
    roc_cv,
)
from nproc.biased_samples import np_threshold_noisy, np_threshold_shifted
from nproc.errors import InvalidInputError, NPWarning
from nproc.fits import conditional_p_values
from nproc.groups import np_equal_thresholds, np_group_thresholds
from nproc.multiclass import npcs
from nproc.planning import plan_split_ratio
from nproc.review import np_review
from nproc.serving import score_rule
from nproc.small_samples import np_threshold_log_concave, np_threshold_normal

RNG = np.random.default_rng(0)
Y = RNG.permutation(np.repeat([0, 1], 150))
X = RNG.normal(size=(300, 2)) + 2 * Y[:, None]
DOORS = [npc, nproc, roc_cv, lambda X, y, method="logistic": NPClassifier(method).fit(X, y)]
doors = pytest.mark.parametrize("door", DOORS, ids=["npc", "nproc", "roc_cv", "NPClassifier"])


class Refusing(BaseEstimator, ClassifierMixin):
    """An estimator of a user, which says less than scikit-learn."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.decision_function(X)
        return self

    def decision_function(self, X):
        if np.isnan(np.asarray(X)).any():
            raise ValueError("NaN is not allowed")
        return np.asarray(X)[:, 0]


def with_cell(value):
    changed = X.copy()
    changed[7, 1] = value
    return changed


@doors
@pytest.mark.parametrize(
    ("method", "who"),
    [
        (LogisticRegression(), "LogisticRegression"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "LogisticRegression"),
        (make_pipeline(StandardScaler(), Refusing()), "a step of the pipeline"),
        (Refusing(), "Refusing"),
    ],
)  # fmt: skip
def test_an_own_estimator_that_refuses_nan_names_the_columns_of_all_rows_as_a_named_method_does(door, method, who):
    frame = pd.DataFrame(with_cell(np.nan), columns=["a", "b"])
    with pytest.raises(InvalidInputError) as named:
        door(frame, Y, "logistic")
    # whether the row trains or is left out, which the seed decides
    for _ in range(4):
        with pytest.raises(InvalidInputError) as own:
            door(frame, Y, method)
        assert "1 missing value(s) in column(s) ['b']" in str(own.value)
        told = str(named.value).replace("method 'logistic'", who)
        if hasattr(method, "steps"):
            # the pipeline may have imputed others of these columns
            told = told.replace(
                f"{who} needs", f"some of these columns still have gaps when they reach {who}, which needs"
            ).replace("Impute them in a pipeline", "Impute these columns in the pipeline too")
        assert str(own.value) == told


@pytest.mark.parametrize(("n_gaps", "more"), [(10, ""), (20, ""), (23, " and 3 more")])
def test_a_message_names_twenty_columns_with_nan_and_says_how_many_more_there_are(n_gaps, more):
    frame = pd.DataFrame(np.zeros((len(Y), 25)), columns=[f"x{j}" for j in range(25)])
    frame.iloc[3, :n_gaps] = np.nan
    with pytest.raises(InvalidInputError) as caught:
        npc(frame, Y, "logistic")
    assert f"in column(s) {[f'x{j}' for j in range(min(n_gaps, 20))]}{more}, the first at X.iloc[3], and method" in str(
        caught.value
    )


def test_an_infinite_value_that_an_own_estimator_refuses_is_told_with_its_column():
    with pytest.raises(InvalidInputError, match=r"X has 1 infinite value\(s\) in column\(s\) \[1\]"):
        npc(with_cell(np.inf), Y, LogisticRegression())


@pytest.mark.parametrize("gap", [np.nan, None, pd.NA])
def test_a_gap_that_a_vectorizer_of_text_refuses_is_told_with_its_column(gap):
    notes = [f"{word} day{number}" for number in range(100) for word in ("good", "bad")]
    frame = pd.DataFrame({"note": notes, "more": notes}).astype(object)
    frame.loc[[5, 150], "note"] = gap
    words = make_column_transformer((TfidfVectorizer(), "note"), (TfidfVectorizer(), "more"))
    told = r"^X has missing values in columns of text: note \(2\), the first at X\.iloc\[5\], and .* na_action='omit'"
    with pytest.raises(InvalidInputError, match=told):
        npc(frame, [0, 1] * 100, make_pipeline(words, LogisticRegression()), alpha=0.2, random_state=1)


@pytest.mark.filterwarnings("ignore:all .* left-out class 0 scores are tied")
@pytest.mark.parametrize("value", [3.5, 7, True])
def test_a_value_that_is_no_text_is_told_with_its_column_and_row_where_a_vectorizer_refuses_it(value):
    notes = [f"{word} day{number}" for number in range(100) for word in ("good", "bad")]
    frame = pd.DataFrame({"note": notes, "more": notes}).astype(object)
    model = make_pipeline(make_column_transformer((TfidfVectorizer(), "note")), LogisticRegression())
    fit = npc(frame, [0, 1] * 100, model, alpha=0.2, random_state=1)
    frame.loc[[5, 150], "note"] = value
    told = rf"has a value that is no text \({value}\), the first at X\.iloc\[5\]\. .* X\['note'\]\.astype\(str\)\.$"
    with pytest.raises(InvalidInputError, match=told):
        npc(frame, [0, 1] * 100, model, alpha=0.2, random_state=1)
    told = rf"column 'note' has a value that is no text \({value}\), the first at X\.iloc\[5\]; .* Correct such values"
    with pytest.raises(InvalidInputError, match=told):
        fit.predict(frame)


def test_nan_that_arises_within_a_pipeline_is_told_in_its_own_words():
    def with_gap(X):
        return np.where(np.arange(len(X))[:, None] == 0, np.nan, X)

    with pytest.raises(InvalidInputError, match="LogisticRegression cannot be trained: Input X contains NaN"):
        npc(X, Y, make_pipeline(FunctionTransformer(with_gap), LogisticRegression()))


@doors
@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        pytest.param(with_cell(np.nan), Y, r"X contains NaN: 1 missing value\(s\) in column\(s\) \[1\]", id="NaN in X"),
        pytest.param(
            np.column_stack([with_cell(np.nan), np.full(len(Y), np.nan)]),
            Y,
            r"X contains NaN: no value at all in column\(s\) \[2\], and 1 missing value\(s\) in column\(s\) \[1\]",
            id="an empty column beside one with a gap",
        ),
        pytest.param(
            np.column_stack([with_cell(0.0), np.full(len(Y), np.nan)]),
            Y,
            r"no value at all in column\(s\) \[2\], and .* complete rows\. Leave out the empty columns\.$",
            id="an empty column",
        ),
        pytest.param(with_cell(np.inf), Y, r"X has 1 infinite value\(s\)", id="inf in X"),
        pytest.param(X, np.where(np.arange(300) == 3, np.nan, Y), "y has 1 NaN and 0 infinite labels", id="NaN in y"),
        pytest.param(X, np.where(np.arange(300) == 3, np.inf, Y), "y has 0 NaN and 1 infinite labels", id="inf in y"),
        pytest.param(X, np.zeros(300, dtype=int), r"y has one class only \(0, 300 rows\)", id="one class"),
        pytest.param(X, np.arange(300) % 3, r"y has 3 classes \[0, 1, 2\]\. Only binary", id="three classes"),
        pytest.param(X, RNG.normal(size=300), "y has 300 .*, which look continuous", id="numbers as labels"),
        pytest.param(X[:0], Y[:0], r"X is empty: 0 rows", id="no row"),
        pytest.param(X[:, :0], Y, r"X has 0 feature\(s\)", id="no column"),
        pytest.param([], [], "X is empty: 0 rows", id="empty list"),
        pytest.param(X[:, 0], Y, "X must be two-dimensional", id="a vector"),
        pytest.param(X, Y[1:], "X has 300 rows and y has 299 labels", id="lengths"),
        pytest.param(X, np.c_[Y, Y], r"y must be one-dimensional, got shape \(300, 2\)", id="two label columns"),
        pytest.param(np.full((300, 2), "a"), Y, "X must hold numbers, got dtype <U1", id="text"),
        pytest.param(np.full((300, 2), "a", dtype=object), Y, "X must hold numbers, got dtype object", id="objects"),
        pytest.param(pd.DataFrame({"b": ["x"] * 300}), Y, r"X has columns that are not numbers: \['b'\]", id="frame"),
    ],
)  # fmt: skip
def test_bad_rows_and_labels_are_refused_at_every_door(door, rows, labels, message):
    with pytest.raises(InvalidInputError, match=message):
        door(rows, labels)


@doors
@pytest.mark.parametrize(
    ("method", "message"),
    [
        (LinearRegression(), "a scorer needs decision_function or predict_proba; LinearRegression has only predict"),
        ("nosuch", "method must be one of acsvm, ada, .*; got 'nosuch'"),
        (LogisticRegression, r"method is the class LogisticRegression; pass an instance, LogisticRegression\(\)"),
        (lambda X: X[:, 0], "is a function without fit, so it cannot be trained. Pass prefit=True"),
    ],
)
def test_a_method_that_cannot_score_is_refused_at_every_door(door, method, message):
    with pytest.raises(InvalidInputError, match=message):
        door(X, Y, method)


class OnlyLabels(ClassifierMixin, BaseEstimator):
    """Predicts labels and has no scores."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@doors
def test_a_scorer_without_scores_is_refused(door):
    with pytest.raises(InvalidInputError, match=r"decision_function or predict_proba; OnlyLabels has only predict"):
        door(X, Y, OnlyLabels())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *[({"alpha": value}, f"alpha must lie strictly between 0 and 1, got {value}") for value in (0, 1, -0.05, 1.5)],
        *[({"delta": value}, f"delta must lie strictly between 0 and 1, got {value}") for value in (0, 1, -0.05, 1.5)],
        ({"delta": 95}, r"got 95\. For 95 % confidence give 0\.05\."),
        ({"delta": 0.95}, r"delta must be at most 0\.5, got 0\.95\. .* Did you mean delta=0\.05\?"),
        ({"n_splits": 0}, "n_splits must be at least 1, got 0"),
        ({"class0": "ill"}, "class0='ill' is not a label in y, which has 0 and 1"),
        ({"split_ratio": 1.0}, "split_ratio must lie strictly between 0 and 1, got 1"),
        ({"ties": "none"}, "ties must be one of 'conservative', 'randomize', got 'none'"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
        ({"random_state": -1}, "random_state must be at least 0, got -1"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused_by_both_faces(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(X, Y, "lda", **arguments)
    with pytest.raises(InvalidInputError, match=message):
        NPClassifier("lda", **arguments).fit(X, Y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: nproc(X, Y, "lda", delta=0.95),
        lambda: npc(X, Y, "lda", random_state=1).with_levels(delta=0.95),
        lambda: np_threshold(np.arange(100.0), delta=0.95),
        lambda: certify(LinearDiscriminantAnalysis().fit(X, Y), X, Y, class0=0, delta=0.95),
        lambda: plan_class0(0.1, 0.95),
        lambda: npc_multiclass(X, Y, "lda", priority=[0, 1], deltas=[0.95]),
    ],
)
def test_a_confidence_given_as_delta_is_refused_wherever_a_bound_is_made(call):
    with pytest.raises(InvalidInputError, match=r"Did you mean deltas?=0\.05\?"):
        call()


@pytest.mark.parametrize("function", [npc, nproc])
def test_a_constant_score_warns_that_it_separates_nothing(function):
    with pytest.warns(NPWarning, match="gives every row the same score, .*, so every row is called class 0") as heard:
        result = function(X, Y, DummyClassifier(), random_state=1)
    assert len(heard) == 1
    fit = result
    assert "gives every row the same score" in " ".join(str(result.summary()).split())
    if function is nproc:
        with pytest.warns(NPWarning, match="gives every row the same score, .*, so every row is called class 0"):
            fit = result.classifier(0.1)
    assert np.all(fit.predict(X) == 0)


@pytest.mark.parametrize("function", [npc, nproc])
def test_scores_tied_at_the_threshold_that_leave_no_row_of_class_1_warn(function):
    # the largest score is shared by rows of both classes, smaller ones are not
    scores = np.r_[np.tile([0.0, 1.0, 2.0, 3.0], 50), np.full(200, 3.0)][:, None]
    told = {"method": lambda X: X[:, 0], "prefit": True, "random_state": 1}
    band = None if function is npc else nproc(scores, np.repeat([0, 1], 200), **told)
    with pytest.warns(NPWarning, match="tied at 3, and no class 1 score lies above: every row is called class 0"):
        fit = npc(scores, np.repeat([0, 1], 200), alpha=0.1, **told) if band is None else band.classifier(0.1)
    assert np.all(fit.predict(scores) == 0)
    assert "lies above: every row is called class 0." in " ".join(str(fit.summary()).split())
    at_once = fit.with_levels(alpha=0.4) if band is None else band.classifier(0.4)
    assert at_once.predict(scores).any()
    assert "called class 0" not in "".join(at_once.caveats)
    assert fit.caveats == fit.with_levels(alpha=0.09).caveats


def test_class0_scores_that_are_all_tied_warn_and_say_what_is_left():
    # one row of class 1 has the same score: else the classes are told apart
    tied = (Y == 0) | (np.arange(Y.size) == np.argmax(Y == 1))
    with pytest.warns(NPWarning, match=r"all 150 left-out class 0 scores are tied at 0, .* ties='randomize'"):
        fit = npc(np.c_[np.where(tied, 0.0, X[:, 0])], Y, lambda X: X[:, 0], prefit=True)
    assert fit.thresholds.tolist() == [0.0]
    assert fit.predict([[0.0], [0.5]]).tolist() == [0, 1]


def test_ties_that_are_randomised_need_no_warning():
    fit = npc(X, Y, DummyClassifier(), ties="randomize", random_state=1)
    assert 0 < fit.predict(np.zeros((4000, 2))).mean() < 0.1


@pytest.mark.parametrize("ties", ["conservative", "randomize"])
@pytest.mark.parametrize("groups", [None, np.tile([0, 1], 200)], ids=["alone", "groups"])
def test_scores_of_too_different_scales_say_why_every_row_is_class_0(ties, groups):
    rng = np.random.default_rng(0)
    scores = np.r_[rng.normal(size=200) - 1e12 * (rng.random(200) < 0.6), rng.normal(size=200) + 3][:, None]
    y, by = np.repeat([0, 1], 200), {} if groups is None else {"groups": groups}
    with pytest.warns(NPWarning, match=r"are ignored and every row is called class 0\. Use scores of similar size"):
        npc(scores, y, lambda X: X[:, 0], prefit=True, ties=ties, random_state=0, **by)
    # 10^9 apart they are told apart
    fit = npc(
        np.where(scores < -100, scores / 1e3, scores), y, lambda X: X[:, 0], prefit=True, ties=ties, random_state=0
    )
    assert fit.predict(scores[y == 1]).mean() > 0.8


class TestPredict:
    """New rows that do not fit the training."""

    fit = npc(X, Y, "lda", random_state=1)

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (X[:, :1], "X has 1 features, but lda is expecting 2 features as input"),
            (np.c_[X, X], "X has 4 features, but lda is expecting 2 features as input"),
            (X[:0], "X is empty: 0 rows"),
            (X[0], "X must be two-dimensional"),
            (with_cell(np.nan), "X contains NaN"),
            (with_cell(np.inf), "X has 1 infinite value"),
            (sparse.csr_array(X), "X is sparse, and method 'lda' needs a dense array"),
            (np.full((3, 2), "a"), "X must hold numbers"),
            (None, "X is missing"),
        ],
    )
    def test_bad_rows_are_refused_by_every_method_of_the_fit(self, rows, message):
        for call in (self.fit.predict, self.fit.votes, self.fit.decision_function):
            with pytest.raises(InvalidInputError, match=message):
                call(rows)

    def test_a_model_of_the_user_is_given_rows_of_the_right_width_only(self):
        fit = npc(X, Y, LinearSVC(), random_state=1)
        with pytest.raises(InvalidInputError, match="X has 1 features, but LinearSVC is expecting 2 features"):
            fit.predict(X[:, :1])

    def test_scores_that_are_not_finite_are_refused(self):
        with pytest.raises(InvalidInputError, match=r"must be finite, got 150 NaN|must be finite, got 300 NaN"):
            npc(X, Y, lambda X: np.full(len(X), np.nan), prefit=True)


def test_a_category_that_training_did_not_have_is_refused():
    frame = pd.DataFrame({"a": X[:, 0], "g": np.where(X[:, 1] > 1, "u", "v"), "y": Y})
    fit = npc("y ~ a + g", data=frame, method="lda", random_state=1)
    told = r"300 rows have a category that was not in the training data: column 'g' has 'w' \(first at X\.iloc\[0\]"
    with pytest.raises(InvalidInputError, match=told):
        fit.predict(frame.assign(g="w"))


def test_all_columns_with_categories_that_training_did_not_have_are_named_at_once_with_their_rows():
    frame = pd.DataFrame({"a": X[:, 0], "g": np.where(X[:, 1] > 1, "u", "v"), "h": np.where(X[:, 0] > 1, 1, 2), "y": Y})
    fit = npc("y ~ a + g + C(h)", data=frame, method="lda", random_state=1)
    new = frame.copy()
    new.loc[[4, 9, 12], "g"] = ["w", "z", "w"]
    new.loc[[9], "h"] = 3
    with pytest.raises(InvalidInputError) as told:
        fit.predict(new)
    assert str(told.value) == (
        "3 rows have a category that was not in the training data: column 'g' has 'w' and 1 more (first at X.iloc[4]; "
        "known: ['u', 'v']); column 'h' has 3 (at X.iloc[9]; known: [1, 2]). Leave such rows out, merge the category "
        "into a known one, or train with rows that have it."
    )


@pytest.mark.parametrize(
    ("formula", "data", "message"),
    [
        ("y ~ a", None, "needs data=, a DataFrame with its columns"),
        ("y ~ nosuch", pd.DataFrame({"a": X[:, 0], "y": Y}), "nosuch"),
        ("y ~ a", pd.DataFrame({"a": X[:, 0], "y": Y}).iloc[:0], "data is empty: 0 rows"),
        ("y ~ a", pd.DataFrame({"a": with_cell(np.nan)[:, 1], "y": Y}), r"column 'a' has 1 missing value\(s\) \(NaN\)"),
    ],
)
def test_bad_formulas_are_refused(formula, data, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(formula, data=data, method="lda")


class Interrupted(LogisticRegression):
    """Raises KeyboardInterrupt at its second training, as Ctrl-C in the middle would."""

    n_fits = 0

    def fit(self, X, y):
        Interrupted.n_fits += 1
        if Interrupted.n_fits == 2:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.mark.parametrize("function", [npc, nproc])
def test_an_interrupt_in_the_second_training_ends_the_run(function):
    Interrupted.n_fits = 0
    with pytest.raises(KeyboardInterrupt):
        function(X, Y, Interrupted(), n_splits=5, random_state=1)
    assert Interrupted.n_fits == 2


# trees and neighbours often give class 0 rows the largest score, about which the warning is right
pytestmark = pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning")

SLOW_RUN = """
import signal, sys, time
import numpy as np
from sklearn.linear_model import LogisticRegression
from nproc import npc

# a shell starts its background jobs deaf to Ctrl-C, and a child inherits that
signal.signal(signal.SIGINT, signal.default_int_handler)

class Slow(LogisticRegression):
    def fit(self, X, y):
        open(sys.argv[1], "a").write("x")
        time.sleep(60)
        return super().fit(X, y)

y = np.repeat([0, 1], 150)
X = np.random.default_rng(0).normal(size=(300, 2))
try:
    npc(X, y, Slow(), n_splits=5, n_jobs=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
"""


def processes_of_session(session):
    """Ids of the processes of a session that are not dead."""
    alive = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, number = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(number) == session and state != "Z":
            alive.append(int(folder.name))
    return alive


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_ctrl_c_ends_a_run_of_two_processes_and_leaves_none_behind(tmp_path):
    started = tmp_path / "started"
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW_RUN, str(started)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        # long limits for busy machines: it takes a few seconds
        assert wait_until(started.exists, 90)
        os.kill(run.pid, signal.SIGINT)
        out, err = run.communicate(timeout=300)
        assert (run.returncode, out.strip()) == (130, "interrupted"), err
        assert wait_until(lambda: not processes_of_session(run.pid), 20)
    finally:
        for pid in processes_of_session(run.pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("rows", "first_step", "alone"),
    [
        (lambda frame: frame, TfidfVectorizer(), r"X\['note'\]"),
        (lambda frame: frame.to_numpy(), TfidfVectorizer(), r"X\[:, 0\]"),
        (lambda frame: frame, make_column_transformer((TfidfVectorizer(), ["note"])), r"X\['note'\]"),
        (
            lambda frame: frame.assign(age=X[:, 0]),
            make_column_transformer((TfidfVectorizer(), ["note"]), remainder="passthrough"),
            r"X\['note'\]",
        ),
        (lambda frame: frame, TfidfVectorizer(min_df=2), r"X\['note'\]"),
        (lambda frame: frame, make_column_transformer((TfidfVectorizer(min_df=2), ["note"])), r"X\['note'\]"),
        (lambda frame: frame, make_union(TfidfVectorizer(min_df=2)), r"X\['note'\]"),
        (lambda frame: frame.rename(columns={"note": "t"}), TfidfVectorizer(), r"X\['t'\]"),
    ],
)
def test_a_vectorizer_that_gets_a_table_of_texts_is_told_to_leave_out_the_brackets(rows, first_step, alone):
    table = rows(pd.DataFrame({"note": [f"day {j}" for j in range(300)]}))
    told = rf"^TfidfVectorizer requires one text a row, .* without brackets, .* give the texts .* as in {alone}\.$"
    with pytest.raises(InvalidInputError, match=told):
        npc(table, Y, make_pipeline(first_step, LogisticRegression()), alpha=0.2)


def test_rows_that_are_dicts_or_lists_of_words_are_told_how_they_become_a_table_or_texts():
    words = [["day", str(j), *["late"] * (j % 3)] for j in range(300)]
    dicts = [{"day": j, "word": word[-1]} for j, word in enumerate(words)]
    by_words = make_pipeline(TfidfVectorizer(analyzer=lambda row: row), LogisticRegression())
    for kind in (list, pd.Series):
        told = r"^X must be a table or texts, and its rows are lists of texts\. Join .*token_pattern=r'\\S\+'"
        with pytest.raises(InvalidInputError, match=told):
            npc(kind(words), Y, by_words, alpha=0.2)
        with pytest.raises(
            InvalidInputError, match=r"rows are dicts\. .* DictVectorizer\(\)\.fit_transform\(X\), which"
        ):
            npc(kind(dicts), Y, make_pipeline(DictVectorizer(), LogisticRegression()), alpha=0.2)


def test_what_a_vectorizer_says_of_the_texts_of_one_column_stays_as_it_is():
    words, notes = TfidfVectorizer(min_df=290), pd.DataFrame({"note": [f"day {j}" for j in range(300)]})
    for rows, first_step in ((notes, make_column_transformer((words, "note"))), (notes["note"], words)):
        with pytest.raises(InvalidInputError, match="cannot be trained: max_df corresponds to < documents than min_df"):
            npc(rows, Y, make_pipeline(first_step, LogisticRegression()), alpha=0.2)


@pytest.mark.parametrize("steps", [(OneHotEncoder(), LogisticRegression()), (LogisticRegression(),)])
def test_texts_without_a_table_are_refused_with_a_method_that_does_not_begin_with_a_vectorizer(steps):
    told = r"\+?LogisticRegression does not\. Use one, as in make_pipeline\(TfidfVectorizer.* frame\[\['NAME'\]\]\.$"
    with pytest.raises(InvalidInputError, match=told):
        npc([f"day {j}" for j in range(300)], Y, make_pipeline(*steps), alpha=0.2)
    # a named method takes numbers, and is told the same of any texts
    told = r"and method 'logistic' does not\. Use one, as in make_pipeline\(TfidfVectorizer"
    for texts in ([f"day {j}" for j in range(300)], ["same day"] * 300, np.array(["a", "b"] * 150, dtype=object)):
        with pytest.raises(InvalidInputError, match=told):
            npc(texts, Y, "logistic", alpha=0.2)


@pytest.mark.filterwarnings("ignore:all .* left-out class 0 scores are tied")
@pytest.mark.parametrize("kind", [list, tuple, pd.Series, lambda texts: np.array(texts, dtype=object)])
@pytest.mark.parametrize("gap", [np.nan, None, pd.NA])
def test_texts_without_a_table_have_the_same_gaps_and_other_values_in_a_list_as_in_a_series(kind, gap):
    texts = [f"{word} day{number}" for number in range(100) for word in ("good", "nan")]
    with_gaps = [gap if j in (5, 150) else text for j, text in enumerate(texts)]
    model, given = make_pipeline(TfidfVectorizer(), LogisticRegression()), {"alpha": 0.2, "random_state": 1}
    with pytest.warns(NPWarning, match="left out 2 of 200 rows"):
        npc(kind(with_gaps), [0, 1] * 100, model, na_action="omit", **given)
    rule = "^X must have a text in every row, .*, and "
    place = r"at pandas\.Series\(X\)\.iloc"
    with pytest.raises(InvalidInputError, match=rf"{rule}2 of 200 are missing, .* {place}\[5\]\. Fill .*'omit'\)\.$"):
        npc(kind(with_gaps), [0, 1] * 100, model, **given)
    fit = npc(kind(texts), [0, 1] * 100, model, **given)
    for few, told in ((["a", gap], rf"1 of 2 .* {place}\[1\]"), ([gap, gap], rf"2 of 2 .* {place}\[0\]")):
        told = rf"{rule}{told}\. Impute .* label them\.$"
        for call in (fit.predict, lambda rows: fit.evaluate(rows, [0, 1])):
            with pytest.raises(InvalidInputError, match=told):
                call(kind(few))
    for few in (["a", 3.5], ["a", 3.5, 4]):
        with pytest.raises(InvalidInputError, match=rf"{rule}.* {place}\[1\] \(3\.5\)\. .*\.astype\(str\)\.$"):
            fit.predict(kind(few))
    with pytest.raises(InvalidInputError, match=rf"{rule}.* are none, .* {place}\[5\] \(7\)\. "):
        npc(kind([*texts[:5], 7, *texts[6:]]), [0, 1] * 100, model, **given)


@pytest.mark.filterwarnings("ignore:all .* left-out class 0 scores are tied")
def test_gaps_among_the_texts_of_rows_without_names_are_told_by_their_place():
    rows = [[f"{word} day{number}", 1.5] for number in range(100) for word in ("good", "nan")]
    model = make_pipeline(make_column_transformer((TfidfVectorizer(), 0)), LogisticRegression())
    fit = npc(rows, [0, 1] * 100, model, alpha=0.2, random_state=1)
    with pytest.raises(InvalidInputError, match=r"column 0 has a missing value .* X\[1\]"):
        fit.predict([["a", 1.5], [np.nan, 1.5]])
    rows[7][0] = None
    told = r"columns of text: 0 \(1\), the first at X\[7\], .* by pandas\.DataFrame\(X\)\.fillna\(\{0: ''\}\)"
    with pytest.raises(InvalidInputError, match=told):
        npc(rows, [0, 1] * 100, model, alpha=0.2, random_state=1)


def test_a_row_of_text_is_refused_where_the_fit_had_a_table():
    frame = pd.DataFrame({"a": [f"{j // 17}" for j in range(300)], "b": [f"{j % 17}" for j in range(300)]})
    fit = npc(frame, Y, make_pipeline(OneHotEncoder(), LogisticRegression()), alpha=0.2, random_state=1)
    with pytest.raises(InvalidInputError, match=r"two-dimensional .* begins with a vectorizer, .*\.iloc\[\[0\]\]"):
        fit.predict(frame.iloc[0])
    with pytest.raises(InvalidInputError, match=r"also of a single text: \[text\]"):
        fit.predict("1")


def test_what_people_write_who_come_from_elsewhere_is_understood():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(size=100), "status": np.repeat(["control", "case"], 50)})
    X, y = frame[["age"]], frame["status"]
    for call, match in (
        (lambda: npc(frame, "status"), r"y must hold one label a row, .* X\['status'\]"),
        (lambda: npc(X, y, class0="Control"), r"which has 'case' and 'control'. Did you mean 'control'\?"),
        (lambda: npc(X, y + " ", class0="case"), r"which has 'case ' and 'control '. Did you mean 'case '\?"),
        (lambda: npc(X, y, "glmnet", class0="case"), r"Did you mean 'penlog'\?"),
        (lambda: npc(X, y, "log", class0="case"), r"Did you mean 'logistic'\?"),
        (lambda: npc(X, y, "glm", class0="case"), r"Did you mean 'logistic'\?"),
        (lambda: npc(X, y, "RandomForrest", class0="case"), r"Did you mean 'randomforest'\?"),
    ):
        with pytest.raises(InvalidInputError, match=match):
            call()


def test_a_pipeline_of_the_user_is_named_whole_and_a_named_method_by_its_model():
    steps = make_pipeline(OneHotEncoder(handle_unknown="ignore").set_output(transform="pandas"), LogisticRegression())
    with pytest.raises(InvalidInputError, match=r"^OneHotEncoder\+LogisticRegression cannot be trained: Pandas output"):
        npc(pd.DataFrame({"a": np.arange(200).astype(str)}), [0, 1] * 100, steps, alpha=0.2)
    texts = pd.DataFrame({"age": X[:, 0], "peptide": [f"EIF{j}" for j in range(300)], "gap": ["a", pd.NA] * 150})
    told = r"^StandardScaler\+Log.* could not convert string to float: 'EIF\d+'\. .* in column\(s\) \['peptide'\] of X"
    with pytest.raises(InvalidInputError, match=told):
        npc(texts, Y, make_pipeline(StandardScaler(), LogisticRegression()), alpha=0.2, clusters=np.arange(300))
    with pytest.raises(InvalidInputError, match=r"^passthrough\+LinearSVC cannot be trained: The 'C' parameter"):
        npc(X, Y, make_pipeline("passthrough", LinearSVC(C=-1.0)), alpha=0.2)
    with pytest.raises(InvalidInputError, match=r"^SVC cannot be trained: The 'gamma' parameter"):
        npc(np.arange(200.0)[:, None], [0, 1] * 100, "svm", gamma="none", alpha=0.2)


def test_rows_given_to_plot_are_told_what_it_draws():
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(TypeError, match=r"plot takes no rows, because it draws .*\. Give ax, figsize by name"):
        fit.plot(X, Y)


def test_one_argument_too_many_by_position_is_told_which_are_by_name():
    told = r"^npc takes by position only X, y, method, and got 0\.1 after that\. Give .* such as alpha"
    with pytest.raises(TypeError, match=told):
        npc(X, Y, "lda", 0.1)
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(TypeError, match=r"^evaluate takes by position only X, y, and got 0\.9 .* such as level"):
        fit.evaluate(X, Y, 0.9)
    with pytest.raises(TypeError, match=r"^with_levels takes no argument by position; .* with_levels\(alpha=0\.2\)\.$"):
        fit.with_levels(0.2)
    with pytest.raises(TypeError, match=r"^np_threshold takes by position only scores0, and got 0\.1 .* such as alpha"):
        np_threshold(X[:, 0], 0.1)
    with pytest.raises(TypeError, match=r"^NPClassifier takes by position only method, and got 0\.1"):
        NPClassifier("lda", 0.1)
    with pytest.raises(TypeError, match=r"^certify takes by position only classifier, X0, y, and got 0\.1 .* class0"):
        certify(fit, X, Y, 0.1)
    for threshold in (np_threshold, np_threshold_normal, np_threshold_log_concave):
        name = threshold.__name__
        told = rf"^{name} takes the scores of class 0 alone, .* {name}\(s\[y == class0\], alpha=\.\.\.\)\.$"
        for call in (lambda one: one(X[:, 0], Y), lambda one: one(X[:, 0], y=Y)):
            with pytest.raises(TypeError, match=told):
                call(threshold)
    with pytest.raises(TypeError, match=r"^score_rule takes the scores of class 0 alone, .*\(s\[y == class0\], class"):
        score_rule(X[:, 0], Y)


@pytest.mark.parametrize(
    ("call", "beside"),
    [
        (np_review, "s[y == class1]"),
        (np_threshold_noisy, "s[y == class1]"),
        (np_threshold_shifted, "weights[y == class0]"),
        (np_group_thresholds, "groups[y == class0]"),
        (np_equal_thresholds, "groups[y == class0]"),
        (conditional_p_values, "scores"),
    ],
)
def test_labels_given_to_thresholds_of_scores_are_told_how_the_scores_are_given(call, beside):
    told = f"{call.__name__} takes no labels y. With scores s and labels y: {call.__name__}(s[y == class0], {beside}, "
    with pytest.raises(TypeError, match=rf"^{re.escape(told)}\.\.\.\)\.$"):
        call(X[:, 0], y=Y)


def test_text_columns_and_missing_labels_are_told_the_way_out_of_their_method():
    frame = pd.DataFrame({"a": np.arange(60.0) ** 0.5, "site": ["u", "v"] * 30})
    labels = np.tile([0, 0, 1], 20)
    boosting = HistGradientBoostingClassifier()
    with pytest.raises(InvalidInputError, match=r"Turn text into categories by X\.astype\(\{NAME: 'category'\}\)"):
        npc(frame, labels, boosting, alpha=0.3, class0=0)
    npc(frame.astype({"site": "category"}), labels, boosting, alpha=0.3, class0=0, random_state=1)
    mixed = pd.DataFrame({"a": frame["a"].astype(object)})
    mixed.loc[[0, 3], "a"] = np.nan, "k.A."
    with pytest.warns(NPWarning, match="left out 1 of"), pytest.raises(InvalidInputError, match=r"at X\.iloc\[3\]: "):
        npc(mixed, labels, "lda", alpha=0.3, class0=0, na_action="omit")
    gap = np.where(np.arange(60) == 2, np.nan, labels)
    omit = r"with na_action='omit' leaves them out, and rows with gaps in X too\."
    with pytest.raises(
        InvalidInputError, match=rf"keep = numpy\.isfinite\(y\), then X\[keep\] and y\[keep\]\. .*{omit}"
    ):
        npc(frame[["a"]], gap, "lda", class0=0)
    with pytest.raises(InvalidInputError, match=rf"leave them out: data\.dropna\(subset=\['y'\]\)\. .*{omit}"):
        npc("y ~ a", data=frame.assign(y=pd.Series(gap).map({0: "u", 1: "v"})), method="lda", class0="u")
    with pytest.warns(NPWarning, match="left out 1 of 60 rows"):
        roc_cv(frame[["a"]], gap, "lda", class0=0, na_action="omit", random_state=1)


def test_a_pipeline_that_makes_numbers_of_dates_is_trained():
    frame = pd.DataFrame({"a": X[:, 0], "when": pd.date_range("2020", periods=300)})
    of_year = FunctionTransformer(lambda table: table.assign(when=table["when"].dt.year))
    assert npc(frame, Y, make_pipeline(of_year, LogisticRegression()), alpha=0.2, class0=0, random_state=1).n0 == 150


@doors
@pytest.mark.parametrize("kind", ["date", "period", "time zone", "span"])
@pytest.mark.parametrize(
    ("method", "who"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression()), "a step of the pipeline"),
        (HistGradientBoostingClassifier(), "HistGradientBoostingClassifier"),
    ],
)
@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.filterwarnings("ignore:class0 is not given")
def test_columns_of_dates_and_times_are_named_with_what_to_do(door, nullable, kind, method, who):
    days = pd.date_range("2020", periods=300)
    made = {
        "date": days,
        "period": days.to_period("D"),
        "time zone": days.tz_localize("UTC"),
        "span": days - days[0],
    }
    frame = pd.DataFrame({"a": X[:, 0], "when": made[kind]}).astype({"a": "Float64"} if nullable else {})
    with pytest.raises(InvalidInputError, match=rf"dates or times: \['when'\], and {who} refuses .*Turn each into a"):
        door(frame, Y, method)


FORMULA_FRAME = pd.DataFrame({"a": np.linspace(-1, 1, 300), "b": np.resize([0.5, -0.5, 1.0], 300)})
FORMULA_FRAME["y"] = np.where(FORMULA_FRAME["a"] + np.resize([0.4, -0.4], 300) > 0, "no", "yes")
FORMULA_FRAME["m"] = np.where(FORMULA_FRAME["y"] == "no", "u", np.resize(["v", "w"], 300))


@pytest.mark.slow
def test_a_table_may_follow_its_formula_in_every_function_and_estimator():
    data, seed = FORMULA_FRAME, {"random_state": 1}
    of_two, of_three = {"class0": "no", **seed}, {"method": "lda", **seed}
    stages = {"alphas": 0.2, "priority": ["u", "v", "w"]}
    planned = {"method": "lda", "rows": 400, "n_repeats": 2}
    for call in (
        lambda *table, **named: npc_multiclass("m ~ a + b", *table, **stages, **of_three, **named),
        lambda *table, **named: npcs("m ~ a + b", *table, alphas={"u": 0.3}, **of_three, **named),
        lambda *table, **named: plan_split_ratio("y ~ a + b", *table, **planned, **of_two, **named),
    ):
        assert str(call(data).summary()) == str(call(data=data).summary())
    model = NPMultiClassifier("lda", **stages, **seed).fit("m ~ a + b", data)
    named = npc_multiclass("m ~ a + b", data=data, **stages, **of_three)
    np.testing.assert_array_equal(model.thresholds_, named.thresholds)
    with pytest.raises(InvalidInputError, match=r"'data'\]\. The table of a formula follows it: fit\(formula, data\)"):
        NPClassifier("lda", class0="no").fit("y ~ a + b", data=data)


def test_rows_labels_and_a_formula_in_another_order_are_told_the_order():
    data, formula = FORMULA_FRAME, "y ~ a + b"
    a_table = r"data is a dict, which has values by name, but a table is needed\. Give pandas\.DataFrame\(data\)"
    after = r"after the formula 'y ~ a \+ b' comes its table, got the text 'lda'.* give it as method='lda'"
    exchanged = "X has one value a row, and y has 2 columns. The rows come first, and then the labels"
    for call, said in (
        (lambda: npc(data, formula, "lda"), r"the formula 'y ~ a \+ b'\. The formula comes first, and then the table"),
        (lambda: npc(formula, "lda"), after),
        (lambda: npc(formula, "lda", data=data), after),
        (lambda: npc(data["y"], data[["a", "b"]], "lda"), exchanged),
        (lambda: nproc(data["y"].to_numpy(), data[["a", "b"]].to_numpy(), "lda"), exchanged),
        (lambda: npc(formula, data.to_dict("list")), a_table),
        (lambda: npc(formula, data=data.to_dict("list")), a_table),
    ):
        with pytest.raises(InvalidInputError, match=said):
            call()
    fit = npc(formula, data, "lda", class0="no", alpha=0.2, random_state=1)
    record = data[["a", "b"]].iloc[0].to_dict()
    with pytest.raises(InvalidInputError, match=r"Give pandas\.DataFrame\(\[X\]\), a table of one row\.$"):
        fit.predict(record)
    assert fit.predict(pd.DataFrame([record])).shape == (1,)
    for method in (fit.predict, fit.decision_function, fit.predict_proba):
        with pytest.raises(InvalidInputError, match=r"X is a dict, .* Give pandas\.DataFrame\(X\)"):
            method({"a": [0.5], "b": [1.0]})
    with pytest.raises(InvalidInputError, match=r"X is a dict, .* Give pandas\.DataFrame\(X\)"):
        fit.predict({"a": [[1], [1, 2]]})


def test_arguments_of_proc_and_caret_are_told_by_their_names_here():
    for name, said in {
        "conf.level": "use delta, .* and level for intervals",
        "levels": "use class0",
        "positive": "use class0",
        "direction": "larger scores must mean class 1",
    }.items():
        for call in (npc, nproc):
            with pytest.raises(InvalidInputError, match=f"unknown argument '{name}': {said}"):
                call("y ~ a", FORMULA_FRAME, "nb", **{name: "x"})


def test_functions_of_several_classes_say_which_arguments_of_npc_they_do_not_have():
    says = {
        "clusters": "has none. Give one row of each cluster",
        "groups": "has none. npc has groups, for two classes",
        "na_action": "has none. Leave out rows with missing values before the call",
        "sample_weight": "has none. npc has weights",
        "ties": "has none. npc has it, for two classes",
    }
    for call, levels, own in (
        (npc_multiclass, 0.2, "use priority, all labels"),
        (npcs, {"u": 0.3}, "use alphas, a level for each label"),
    ):
        for name, said in (says | {"class0": own}).items():
            with pytest.raises(InvalidInputError, match=f"unknown argument '{name}': .*{said}"):
                call("m ~ a", FORMULA_FRAME, "lda", alphas=levels, **{name: "u"})


def test_percentages_are_told_as_shares_wherever_levels_are_given():
    band = nproc("y ~ a", FORMULA_FRAME, "lda", class0="no", random_state=1)
    for call in (
        lambda: band.predictive_values({"yes": 10}),
        lambda: band.predictive_values({"yes": (10, 20)}),
        lambda: band.at(10),
        lambda: band.at([0.1, 10]),
    ):
        with pytest.raises(InvalidInputError, match=r"got 10\. For 10 % give 0\.1\."):
            call()


def test_a_message_shows_a_row_by_code_that_works_on_the_table_given():
    polars = pytest.importorskip("polars")
    bad = X.astype(float)
    bad[5, 1] = np.nan
    table = pd.DataFrame(bad, columns=[f"x{j}" for j in range(X.shape[1])])
    fit = npc(table.fillna(0.0), Y, random_state=1)
    for given, code in (
        (table, "X.iloc[5]"),
        (polars.from_pandas(table), "X[5]"),
        (sparse.coo_array(bad), "X.tocsr()[5]"),
    ):
        with pytest.raises(InvalidInputError, match=re.escape(f"the first at {code}")):
            npc(given, Y, random_state=1)
        eval(code, {"X": given})
    with pytest.raises(InvalidInputError, match=r"the first at X0\[5\]"):
        fit.certify(polars.from_pandas(table))


@pytest.mark.parametrize("argument", ["groups", "clusters", "sample_weight"])
def test_a_message_about_values_given_by_the_name_of_a_column_shows_the_row_of_this_column(argument):
    polars = pytest.importorskip("polars")
    table = pd.DataFrame({"a": X[:, 0], "k": np.where(np.arange(len(X)) == 11, np.nan, np.arange(len(X)) % 2)})
    for given, code in ((table, r"X\['k'\]\.iloc\[11\]"), (polars.from_pandas(table), r"X\['k'\]\[11\]")):
        with pytest.raises(InvalidInputError, match=f"the first at {code}"):
            npc(given, Y, random_state=1, **{argument: "k"})
    with pytest.raises(InvalidInputError, match=r"the first at data\['k'\]\.iloc\[11\]"):
        npc("y ~ a", table.assign(y=Y), random_state=1, **{argument: "k"})


def test_new_rows_with_a_gap_are_refused_with_a_way_out_in_python():
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fit = npc(table, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match=r"leave these rows out: the classifier cannot label them"):
        fit.predict(table.mask(np.arange(len(X))[:, None] == [3, -1]))


@pytest.mark.parametrize("as_rows", [lambda table: table, np.asarray], ids=["frame", "array"])
def test_new_rows_that_all_lack_a_value_make_no_empty_column_and_the_first_is_named(as_rows):
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fit = npc(as_rows(table), Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match=r"X contains NaN: 2 missing value\(s\) in .*the first at X.*\[0\]"):
        fit.predict(as_rows(table.iloc[:2].assign(a=np.nan)))
