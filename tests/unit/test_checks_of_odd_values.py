"""What looks like a number and is none: masked, complex, dated, written out, too large, or not there."""

import os
import re
import signal
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from all_cases import check_all_cases
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import nproc
from nproc import (
    NPSVC,
    InvalidInputError,
    NPClassifier,
    NPROCBand,
    OnlineNPClassifier,
    OnlineNPClassifierCV,
    OnlineNPNetwork,
    ParzenNP,
    PrecisionAtKSVC,
    SparseLogisticClassifier,
    TooFewSamplesError,
    accepted,
    certify,
    load,
    min_class0_size,
    np_order,
    np_score,
    np_threshold,
    npc,
    npc_multiclass,
    plan_class0,
    q_values,
    read_in_chunks,
    save,
    violation_rate,
)
from nproc.cli import main
from nproc.comparison import compare_procedures, compare_scores
from nproc.fits import certification_size, conditional_p_values, p_values, vote_bound
from nproc.groups import np_group_thresholds, one_per_cluster
from nproc.multiclass import npcs
from nproc.orderstat import type1_upper, type2_bounds
from nproc.planning import plan_split_ratio, supported_levels, type1_law
from nproc.row_chunks import RowChunks
from nproc.score_chunks import ScoreChunks
from nproc.scorers import AveragedScorer
from nproc.simulate import LogisticWorld
from nproc.simultaneous import simultaneous_cdf_bounds, simultaneous_type1_upper
from nproc.small_samples import normal_factor, normality_check, np_threshold_normal

RNG = np.random.default_rng(0)
N = 240
Y = np.repeat([0, 1], N // 2)
X = RNG.normal(size=(N, 2)) + Y[:, None]
SCORES = X[:, 0]
GROUPS = np.tile(["a", "b"], N // 2)


def masked(values):
    """The values with the first one masked."""
    mask = np.zeros(np.shape(values), dtype=bool)
    mask.flat[0] = True
    return np.ma.masked_array(values, mask)


def in_list(values):
    """A list of rows, of which the first is masked."""
    return [masked(row) if np.ndim(row) else np.ma.masked for row in values[:1]] + list(values[1:])


def fitted():
    return npc(X, Y, "lda", random_state=1)


def scoring(function):
    return npc(X, Y, function, prefit=True)


class Resampler:
    """A resampler that returns what it is told to."""

    def __init__(self, change=None):
        self.change = change

    def get_params(self, deep=True):
        return {"change": self.change}

    def set_params(self, **params):
        return self

    def fit_resample(self, X, y):
        return self.change(X, y)


class Model:
    """A trained model with the probabilities it is told to give."""

    classes_ = np.array([0, 1])

    def __init__(self, change):
        self.change = change

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return self.change(np.column_stack([0.5 - X[:, 0] / 99, 0.5 + X[:, 0] / 99]))


# every door through which a value of a user becomes an array, with what it is given
DOORS = {
    "npc X": (X, lambda v: npc(v, Y, "lda", random_state=1)),
    "npc y": (Y, lambda v: npc(X, v, "lda", random_state=1)),
    "npc weights": (np.ones(N), lambda v: npc(X, Y, sample_weight=v, random_state=1)),
    "npc groups": (GROUPS, lambda v: npc(X, Y, "lda", groups=v, alpha=0.2, random_state=1)),
    "npc clusters": (np.arange(N) // 2, lambda v: npc(X, Y, "lda", clusters=v, alpha=0.2, random_state=1)),
    "npc scores": (SCORES, lambda v: scoring(lambda X: v)),
    "npc probabilities": (None, lambda change: scoring(Model(change))),
    "npc pipeline": (X, lambda v: npc(v, Y, LogisticRegression(), random_state=1)),
    "predict": (X, lambda v: fitted().predict(v)),
    "evaluate y": (Y, lambda v: fitted().evaluate(X, v)),
    "certify y": (Y, lambda v: certify(fitted(), X, v)),
    "certify predictions": (Y, lambda v: certify(lambda X: v, X, class0=0)),
    "NPClassifier": (X, lambda v: NPClassifier("lda", random_state=1).fit(v, Y)),
    "npc_multiclass X": (X, lambda v: npc_multiclass(v, Y, "lda", alphas=0.1, random_state=1)),
    "npc_multiclass y": (Y, lambda v: npc_multiclass(X, v, "lda", alphas=0.1, random_state=1)),
    "np_threshold": (SCORES, np_threshold),
    "np_threshold.predict": (SCORES, lambda v: np_threshold(SCORES).predict(v)),
    "np_threshold_normal": (SCORES, np_threshold_normal),
    "normality_check": (SCORES, normality_check),
    "np_group_thresholds scores": (SCORES, lambda v: np_group_thresholds(v, GROUPS, alpha=0.1)),
    "np_group_thresholds groups": (GROUPS, lambda v: np_group_thresholds(SCORES, v, alpha=0.1)),
    "one_per_cluster": (np.arange(N) // 2, lambda v: one_per_cluster(v, random_state=1)),
    "from_scores": (SCORES, lambda v: NPROCBand.from_scores(v, SCORES + 1)),
    "from_scores 1": (SCORES, lambda v: NPROCBand.from_scores(SCORES, v)),
    "compare_scores": (X, lambda v: compare_scores(v, X + 1)),
    "p_values": (SCORES, lambda v: p_values(SCORES, v)),
    "conditional_p_values": (SCORES, lambda v: conditional_p_values(v, SCORES)),
    "q_values scores": (SCORES, lambda v: q_values(v, Y)),
    "q_values y": (Y, lambda v: q_values(SCORES, v)),
    "accepted": (SCORES, lambda v: accepted(v, Y, q=0.5)),
    "np_score y": (Y, lambda v: np_score(alpha=0.05)(fitted(), X, v)),
    "np_score weights": (np.ones(N), lambda v: np_score(alpha=0.05)(fitted(), X, Y, sample_weight=v)),
    "plan_class0": (SCORES, lambda v: plan_class0(0.1, 0.1, power=0.5, pilot=(v, SCORES + 1))),
    "SparseLogisticClassifier": (X, lambda v: SparseLogisticClassifier().fit(v, Y)),
    "SparseLogisticClassifier y": (Y, lambda v: SparseLogisticClassifier().fit(X, v)),
    "partial_fit": (X, lambda v: OnlineNPClassifier(alpha=0.1, random_state=1).partial_fit(v, Y, classes=[0, 1])),
    "AveragedScorer": (X, lambda v: AveragedScorer("lda", n_members=3, random_state=1).fit(v, Y)),
    "AveragedScorer weights": (
        np.ones(N),
        lambda v: AveragedScorer("logistic", n_members=3, random_state=1).fit(X, Y, sample_weight=v),
    ),
    "ScoreChunks": (SCORES, lambda v: np_threshold(ScoreChunks(v))),
    "chunks of scores": (SCORES, lambda v: np_threshold(ScoreChunks([SCORES, v]))),
    "RowChunks X": (X, lambda v: RowChunks.from_arrays(v, Y)),
    "RowChunks y": (Y, lambda v: RowChunks.from_arrays(X, v)),
    "resampler X": (None, lambda change: npc(X, Y, "lda", resample=Resampler(lambda X, y: (change(X), y)))),
    "resampler y": (None, lambda change: npc(X, Y, "lda", resample=Resampler(lambda X, y: (X, change(y))))),
}


def spoiled(name, change):
    values, call = DOORS[name]
    return call(change) if values is None else call(change(values))


def test_a_masked_value_is_refused_at_every_door():
    def check(name, change):
        with pytest.raises(InvalidInputError, match=r"masked value\(s\)"):
            spoiled(name, change)

    ways = {"array": masked, "list": in_list}
    check_all_cases(check, {f"{way} to {name}": (name, ways[way]) for way in ways for name in DOORS})


NO_NUMBERS = {
    "complex": lambda v: v + 1j,
    "text": lambda v: v.astype(str).astype(object),
    "bytes": lambda v: v.astype(bytes).astype(object),
    "timedelta": lambda v: np.full(v.shape, np.timedelta64(5, "s"), dtype=object),
    "timestamp": lambda v: np.full(v.shape, pd.Timestamp("2020-01-01"), dtype=object),
    "datetime": lambda v: v.astype("datetime64[s]"),
    "huge": lambda v: np.full(v.shape, 10**400, dtype=object),
    "decimal NaN": lambda v: np.full(v.shape, Decimal("NaN"), dtype=object),
}


def test_what_is_no_number_is_refused_where_numbers_are_meant():
    def check(name, change):
        with pytest.raises((InvalidInputError, ValueError), match=r"must|NaN|omplex|infinite"):
            spoiled(name, change)

    numbers = {name for name, (values, _) in DOORS.items() if values is X or values is SCORES}
    # text and dates are for the user's own pipeline
    numbers -= {"npc pipeline", "AveragedScorer", "RowChunks X"}
    check_all_cases(
        check, {f"{kind} to {name}": (name, NO_NUMBERS[kind]) for kind in NO_NUMBERS for name in sorted(numbers)}
    )


def test_a_mask_that_hides_nothing_changes_nothing():
    plain, hidden = np_threshold(SCORES), np_threshold(np.ma.masked_array(SCORES, False))
    assert plain == hidden
    fit = npc(np.ma.masked_array(X, np.zeros(X.shape, dtype=bool)), np.ma.masked_array(Y), "lda", random_state=1)
    np.testing.assert_array_equal(fit.thresholds, fitted().thresholds)


@pytest.mark.parametrize("weight", [["1.0"] * N, np.full(N, "2020-01-01", "datetime64[s]"), np.ones(N) + 0j])
def test_weights_that_are_no_numbers_are_refused(weight):
    with pytest.raises(InvalidInputError, match="sample_weight must hold numbers"):
        npc(X, Y, sample_weight=weight, random_state=1)


def test_weights_next_to_nothing_are_refused():
    with pytest.raises(InvalidInputError, match="the largest sample_weight must be at least 1e-300"):
        npc(X, Y, sample_weight=np.full(N, 5e-324), random_state=1)


def test_complex_sparse_rows_and_labels_are_refused():
    for method in ("penlog", LogisticRegression()):
        with pytest.raises(InvalidInputError, match="X has complex values"):
            npc(sparse.csr_array(X + 1j), Y, method, random_state=1)
    with pytest.raises(InvalidInputError, match="y has complex values"):
        npc(X, Y + 0j, "lda")


@pytest.mark.parametrize(
    ("y", "message"),
    [(3, "y must have one entry a row, got 3"), ((label for label in Y), "y (must have one entry|is a generator)")],
)
def test_labels_that_are_not_one_a_row_are_refused(y, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(X, y)
    with pytest.raises(InvalidInputError, match="X is a generator"):
        npc((row for row in X), Y)


def test_a_missing_class0_is_no_label():
    for missing in (pd.NA, np.nan, pd.NaT):
        with pytest.raises(InvalidInputError, match="is not a label in y"):
            npc(X, Y, class0=missing)


def test_columns_of_intervals_are_no_numbers():
    frame = pd.DataFrame({"a": pd.cut(SCORES, 4), "b": pd.arrays.IntervalArray.from_breaks(range(N + 1))})
    with pytest.raises(InvalidInputError, match=r"columns that are not numbers: \['a', 'b'\]"):
        npc(frame, Y)


def test_missing_and_infinite_values_are_told_by_the_names_of_their_columns():
    frame = pd.DataFrame(X.copy(), columns=["age", "größe"])
    frame.iloc[3, 1] = np.nan
    with pytest.raises(InvalidInputError, match=r"1 missing value\(s\) in column\(s\) \['größe'\]"):
        npc(frame, Y)
    frame.iloc[3, 1] = np.inf
    with pytest.raises(InvalidInputError, match=r"1 infinite value\(s\) in column\(s\) \['größe'\]"):
        npc(frame, Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: None, r"must return the pair \(X, y\) of resampled rows, got NoneType"),
        (lambda X, y: (X[:, :1], y), "must return rows of the 2 columns"),
        (lambda X, y: (X[:5], y), "must return rows of the 2 columns"),
        (lambda X, y: (X, y + 1), r"must return labels 0 and 1, as it was given, and rows of both, got \[1, 2\]"),
        (lambda X, y: (X, y * 0), "must return labels 0 and 1"),
        (lambda X, y: (X * np.nan, y), "NaN"),
    ],
)
def test_a_resampler_that_returns_something_else_is_named(change, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(X, Y, "lda", resample=Resampler(change), random_state=1)


@pytest.mark.parametrize("level", [1e-320, 10**400, Decimal("NaN"), True, "0.1", np.ma.masked, Fraction(10**400, 3)])
def test_levels_that_cannot_be_used_are_refused_with_the_rule(level):
    for call in (
        lambda: np_order(100, level, 0.05),
        lambda: min_class0_size(0.05, level),
        lambda: np_threshold(SCORES, alpha=level),
    ):
        with pytest.raises(InvalidInputError, match=r"(alpha|delta) (must|is too large)"):
            call()


@pytest.mark.parametrize("whole", [3.0, Fraction(3), np.float32(3), np.int8(3)])
def test_a_whole_number_may_have_any_type_wherever_one_is_asked_for(whole):
    plain = npc(X, Y, "lda", n_splits=3, random_state=3, n_jobs=1, verbose=0)
    same = npc(X, Y, "lda", n_splits=whole, random_state=whole, n_jobs=1.0, verbose=0.0)
    assert same.seed == 3
    np.testing.assert_array_equal(plain.thresholds, same.thresholds)
    assert violation_rate(whole, 9, 0.05) == violation_rate(3, 9, 0.05)
    assert type2_bounds(whole, 9, 0.05).upper == type2_bounds(3, 9, 0.05).upper


@pytest.mark.parametrize(
    ("call", "limit"),
    [
        (lambda: npc(X, Y, n_splits=10**9), 100_000),
        (lambda: nproc.nproc(X, Y, n_splits=10**9), 100_000),
        (lambda: compare_procedures(X, Y, ["lda", "logistic"], n_splits=10**9), 100_000),
        (lambda: npc(X, Y, n_splits=10**400), 100_000),
        (lambda: AveragedScorer(n_members=10**9).fit(X, Y), 100_000),
        (lambda: vote_bound(10**9, n0_left_out=100), 100_000),
        (lambda: np_order(10**16, 0.05, 0.05), 2**53),
        (lambda: violation_rate(1, 10**16, 0.05), 2**53),
        (lambda: type1_upper(1, 10**16, 0.05), 2**53),
        (lambda: supported_levels(10**16), 2**53),
        (lambda: min_class0_size(1e-16, 0.05), 2**53),
        (lambda: certification_size(n_errors=10**16), 2**53),
        (lambda: simultaneous_type1_upper(10**9, 0.05), 10**7),
        (lambda: simultaneous_cdf_bounds([1], 10**9, 0.05), 10**7),
        (lambda: simultaneous_type1_upper(10**9, 0.05, method="dkw"), 10**8),
    ],
)
def test_a_number_beyond_all_use_is_refused_at_once_with_the_limit(call, limit):
    begin = time.perf_counter()
    with pytest.raises(InvalidInputError, match=rf"at most {limit}\b"):
        call()
    # the time of an import, on a busy machine
    assert time.perf_counter() - begin < 10


def test_ranks_of_very_many_rows_are_quick_and_right():
    for n0 in (10**6, 10**9, 10**12):
        order = np_order(n0, 0.05, 0.05)
        assert violation_rate(order, n0, 0.05) <= 0.05 < violation_rate(order - 1, n0, 0.05)
    assert vote_bound(11, n0_left_out=10**15).order == np_order(10**15, 0.05, 0.05)
    # ceil(log(0.05) / log(1 - 1e-15)) in 50 digits; in floats it is one less
    assert min_class0_size(1e-15, 0.05) == 2995732273553990
    # (1 - alpha)^n0 is 0 as a float
    supported = supported_levels(10**6)
    assert supported.smallest_delta == 0.0
    assert all(re.search("1(.01)?e-300", shown) for shown in (repr(supported), str(supported.summary())))
    with pytest.raises(InvalidInputError, match="cannot be computed from the noncentral t"):
        normal_factor(10**12)


@pytest.fixture
def loop(tmp_path):
    (tmp_path / "a.joblib").symlink_to(tmp_path / "b.joblib")
    (tmp_path / "b.joblib").symlink_to(tmp_path / "a.joblib")
    return tmp_path / "a.joblib"


def test_a_nul_and_a_loop_of_links_are_no_paths(loop, capsys):
    calls = (
        lambda path: save(fitted(), path),
        load,
        lambda path: read_in_chunks(path, "y"),
        ScoreChunks,
        lambda path: npc(X, Y, "lda", checkpoint=path, random_state=1),
    )
    for path in ("a\0b", str(loop), "x" * 400):
        for call in calls:
            with pytest.raises((InvalidInputError, OSError)):
                call(path)
    assert main(["fit", "a\0b", "--label", "y"]) == 2
    assert main(["demo", "--out", str(loop)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_count_beyond_use_is_refused_by_the_command_line(tmp_path, capsys):
    table = tmp_path / "d.csv"
    pd.DataFrame({"a": SCORES, "y": Y}).to_csv(table, index=False)
    assert main(["fit", str(table), "--label", "y", "--splits", "9" * 21]) == 2
    assert "--splits must be at most 100000" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_line_writes_labels_in_their_letters_whatever_the_locale(tmp_path):
    table = tmp_path / "d.csv"
    pd.DataFrame({"a": SCORES, "y": np.where(Y == 1, "Mädchen 中", "Große")}).to_csv(table, index=False)
    command = [sys.executable, "-m", "nproc", "fit", str(table), "--label", "y", "--class0", "Große", "--seed", "1"]
    ended = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True, check=True)
    assert "Große" in ended.stdout.decode("utf-8")
    assert "Mädchen 中" in ended.stdout.decode("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_while_the_command_line_is_imported_leaves_no_traceback():
    for wait in (0.3, 0.6):
        process = subprocess.Popen([sys.executable, "-m", "nproc", "demo", "--help"], stderr=subprocess.PIPE, stdout=-3)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        # where the machine is quick the command may have ended before
        assert process.returncode in (130, 0)
        assert b"Traceback" not in said


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: npc(X, Y, "lda", prefit=np.array([0, 1])), "prefit must be True or False"),
        (lambda: npc(X, Y, "lda", prefit="no"), "prefit must be True or False, got 'no'"),
        (lambda: np_group_thresholds(SCORES, GROUPS, pooled=pd.NA), "pooled must be True or False"),
        (lambda: plan_split_ratio(X, Y, "lda", method_params=3), "method_params must be a dict"),
        (lambda: certify(fitted(), X, Y, class0=pd.NA), "class0 must be one label"),
        (lambda: SparseLogisticClassifier(class0=pd.NA).fit(X, Y), "class0 must be one of the labels"),
        (lambda: q_values(SCORES, Y, correction=10**400), "correction is too large for a float"),
        (lambda: npc_multiclass(X, Y, "lda", priority=np.array(0)), "priority must list the labels"),
        (lambda: npc_multiclass(X, Y, "lda", split_ratio=np.ones(2)), "split_ratio must be a number"),
        (lambda: npcs(X, Y, "lda", alphas={0: 0.1}, split_ratio=pd.NA), "split_ratio must be a number"),
        (lambda: fitted().plot(ax=3), "ax must be the Axes"),
        (lambda: read_in_chunks("d.csv", np.array(["a", "b"])), "label must be the name of one column"),
        (lambda: read_in_chunks("d.csv", "y", features=3), "features must be a list of column names"),
        (lambda: compare_procedures(X, Y, ["lda", "logistic"], alpha=[]), "alpha is empty"),
        (lambda: npc_multiclass(X, Y, "lda", priority=[0, pd.NA]), "priority must list labels"),
        (lambda: one_per_cluster(b"abab"), "clusters must be one value a row"),
        (lambda: type1_law(100).probability(0.0, True), "high must be a number between 0 and 1, got True"),
        (lambda: plan_class0(0.1, 0.1).to_frame([[100], [100, 200]]), "n0 cannot be made an array"),
        (lambda: compare_scores(X[:9], X[:9], names=[object(), object()]), "names must hold 2 names, such as texts"),
        (lambda: ScoreChunks(sparse.csr_array(X)), "scores must be a dense array"),
        (lambda: np_threshold(""), "scores must be the path of a file or folder, got ''"),
        (lambda: LogisticWorld(True, [1.0]), "intercept must be a finite number, got True"),
        (lambda: PrecisionAtKSVC(k=Fraction(10**400, 3)).fit(X, Y), "k as a share"),
        (lambda: OnlineNPClassifierCV(cv=[[1], [2]]).fit(X, Y), "cv must be a number of folds, a splitter or a list"),
        (lambda: OnlineNPNetwork(hidden=[[1.0], [1.0, 2.0]]).fit(X, Y), "hidden cannot be made an array"),
        (lambda: OnlineNPNetwork(p_min=pd.NA).fit(X, Y), "p_min must be a number between 0 and 1"),
        (lambda: SparseLogisticClassifier(interval=np.zeros(0)).fit(X, Y), "interval must be one of"),
        (lambda: SparseLogisticClassifier(kernel="poly", coef0=-1).fit(X, Y), "coef0 must be .* at least 0"),
    ],
)
def test_arguments_of_another_kind_are_named(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_a_share_next_to_nothing_is_refused_at_once():
    with pytest.raises(TooFewSamplesError, match="split_ratio=1e-09"):
        npc_multiclass(X, Y, "lda", split_ratio=1e-9)


def test_labels_that_mix_texts_and_numbers_are_refused_by_every_estimator():
    mixed = ["0" if place == 0 else label for place, label in enumerate(Y.tolist())]
    for model in (NPSVC(class0=0), ParzenNP(class0=0), AveragedScorer("lda"), NPClassifier("lda", class0=0)):
        # in the words of scikit-learn or of the package
        with pytest.raises((TypeError, ValueError), match=r"'str'|mixes|mix of label|Unknown label type"):
            model.fit(X, mixed)


def test_an_object_that_numpy_can_read_is_certified():
    class Rows:
        def __array__(self, dtype=None, copy=None):
            return np.array(X, dtype=dtype)

    bound = certify(lambda rows: (np.asarray(rows)[:, 0] > 3).astype(int), Rows(), class0=0)
    assert (bound.n0, bound.n_called1) == (N, int((X[:, 0] > 3).sum()))
