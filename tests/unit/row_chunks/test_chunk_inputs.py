"""Tests of `npc` and `nproc` with rows in chunks: the results are those of the same rows in memory."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from nproc import (
    InvalidInputError,
    NPClassifier,
    NPWarning,
    OnlineNPClassifier,
    TooFewSamplesError,
    npc,
    nproc,
    read_in_chunks,
    train_in_chunks,
)
from nproc.row_chunks import RowChunks
from nproc.umbrella import left_out_mark

N = 3001
RNG = np.random.default_rng(0)
GRADE = np.where(RNG.random(N) < 0.4, "bad", "good")
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)) + (GRADE == "bad")[:, None], columns=list("abc")).assign(grade=GRADE)


def score(X):
    # column by column, so that a row's score does not depend on the rows beside it to the last digit
    return 0.3 * X["a"] + 0.5 * X["b"] - 0.1 * X["c"]


def in_chunks(tmp_path, kind="parquet", chunk_size=170, frame=FRAME, **options):
    path = tmp_path / f"rows.{kind}"
    frame.to_parquet(path, row_group_size=400) if kind == "parquet" else frame.to_csv(path, index=False)
    return read_in_chunks(path, "grade", chunk_size=chunk_size, **options)


def in_memory(rows):
    X, y = zip(*rows, strict=True)
    return pd.concat(X, ignore_index=True), np.concatenate(y)


# one of the two class 0 makes the score a reversed one
@pytest.mark.filterwarnings("ignore:the scores seem to have the wrong sign")
@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz"])
@pytest.mark.parametrize("class0", ["good", "bad"])
def test_npc_is_that_of_the_rows_in_memory_bit_for_bit(tmp_path, kind, class0):
    rows = in_chunks(tmp_path, kind).split(0.3, random_state=5)[1]
    settings = {"method": score, "prefit": True, "alpha": 0.1, "delta": 0.1, "random_state": 3}
    chunked, whole = npc(rows, class0=class0, **settings), npc(*in_memory(rows), class0=class0, **settings)
    np.testing.assert_array_equal(chunked.scores0[0], whole.scores0[0])
    assert chunked.rules == whole.rules
    assert (chunked.n0, chunked.n1, chunked.n0_left_out) == (whole.n0, whole.n1, whole.n0_left_out)
    assert chunked.labels.tolist() == whole.labels.tolist() == [class0, "bad" if class0 == "good" else "good"]
    assert chunked.labels.dtype.kind == whole.labels.dtype.kind
    assert repr(chunked) == repr(whole)
    # no pass over all chunks is made for the ranges of the columns
    assert chunked.design == replace(whole.design, ranges=None)
    fresh = FRAME[["a", "b", "c"]][:50]
    np.testing.assert_array_equal(chunked.predict(fresh), whole.predict(fresh))
    np.testing.assert_array_equal(chunked.p_values(fresh), whole.p_values(fresh))


def test_nproc_is_that_of_the_rows_in_memory_bit_for_bit(tmp_path):
    rows = in_chunks(tmp_path, class0="good")
    settings = {"method": score, "prefit": True, "random_state": 3}
    chunked, whole = nproc(rows, **settings), nproc(*in_memory(rows), class0="good", **settings)
    np.testing.assert_array_equal(chunked.alpha, whole.alpha)
    np.testing.assert_array_equal(chunked.type2_upper, whole.type2_upper)
    np.testing.assert_array_equal(chunked.type2_lower, whole.type2_lower)
    assert chunked.scored[0].rows == whole.scored[0].rows
    assert chunked.classifier(0.1).rules == whole.classifier(0.1).rules


def test_whole_numbers_and_ties_at_random_are_those_of_the_rows_in_memory():
    X, y = np.round(FRAME[["a"]].to_numpy(), 1), (GRADE == "bad").astype(int)
    settings = {"method": lambda X: X[:, 0], "prefit": True, "ties": "randomize", "random_state": 3}
    chunked = npc(RowChunks.from_arrays(X, y, chunk_size=64), **settings)
    assert chunked.rules == npc(X, y, **settings).rules
    assert chunked.labels.dtype == np.int64


@pytest.mark.parametrize("class0", ["good", "bad"])
def test_a_model_trained_in_chunks_gets_its_threshold_from_the_other_part(tmp_path, class0):
    train, left_out = in_chunks(tmp_path, class0=class0).split(0.5, random_state=1)
    trained = train_in_chunks(OnlineNPClassifier(), train, random_state=2)
    fit = npc(left_out, method=trained, prefit=True, random_state=3)
    assert "this was checked only if train_in_chunks trained it." in " ".join(str(fit.summary()).split())
    X, y = in_memory(left_out)
    assert fit.n0 == np.sum(y == class0)
    # the sums of a product may differ in the last digit with the rows beside
    np.testing.assert_allclose(
        fit.thresholds, npc(X, y, trained, prefit=True, class0=class0, random_state=3).thresholds, rtol=1e-12
    )
    # of the rows at the threshold at most alpha are called the other class
    assert np.mean(fit.predict(X[y == class0]) != class0) <= 0.05
    assert fit.evaluate(X, y).type2 < 0.9


def test_a_model_trained_elsewhere_on_the_users_labels_is_taken(tmp_path):
    rows = in_chunks(tmp_path, class0="good")
    model = LogisticRegression().fit(FRAME[["a", "b", "c"]][:500], GRADE[:500])
    fit = npc(rows, method=model, prefit=True, random_state=1)
    # classes_ are sorted, "bad" first: the score is turned round
    np.testing.assert_allclose(
        np.sort(fit.scores0[0]), np.sort(-model.decision_function(FRAME[["a", "b", "c"]][GRADE == "good"])), rtol=1e-9
    )


def test_the_mark_of_the_rows_is_that_of_their_places():
    y = (RNG.random(500) < 0.4).astype(int)
    rows = RowChunks.from_arrays(np.sin(np.arange(500.0))[:, None] + y[:, None], y, chunk_size=37)
    band = nproc(rows, method=lambda X: X[:, 0], prefit=True, random_state=1)
    assert band.scored[0].rows == left_out_mark(np.flatnonzero(y == 0), np.flatnonzero(y == 1))


def test_too_few_rows_are_an_error_before_any_scoring():
    def never(X):
        raise AssertionError("no row should be scored")

    rows = RowChunks.from_arrays(np.zeros((100, 1)), np.arange(100) % 2)
    with pytest.raises(TooFewSamplesError, match="n0=50 left-out class 0 scores cannot meet"):
        npc(rows, method=never, prefit=True, random_state=1)


def test_a_constant_score_warns_as_in_memory():
    rows = RowChunks.from_arrays(np.zeros((300, 1)), np.arange(300) % 2, chunk_size=40)
    with pytest.warns(NPWarning, match="gives every row the same score, 0"):
        npc(rows, method=lambda X: X[:, 0], prefit=True, random_state=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "lda"}, r"training of method 'lda' by npc and nproc needs the rows in memory. .*train_in_chunks"),
        ({"method": score, "prefit": True, "y": GRADE}, "contain their labels; leave out y and data"),
        ({"method": score, "prefit": True, "class0": "poor"}, "class0='poor' is not a label in the label column"),
        ({"method": score, "prefit": True, "n_splits": 3}, "n_splits must be 1"),
        ({"method": score, "prefit": True, "groups": "a"}, "groups and clusters need the rows in memory"),
        ({"method": score, "prefit": True, "clusters": "a"}, "groups and clusters need the rows in memory"),
    ],
)
def test_what_needs_the_rows_in_memory_is_an_error(tmp_path, options, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(in_chunks(tmp_path), random_state=1, **options)


def test_rows_that_cannot_be_scored_are_named(tmp_path):
    frame = FRAME.copy()
    frame.loc[1000, "b"] = np.nan
    rows = in_chunks(tmp_path, frame=frame)
    with pytest.raises(
        InvalidInputError, match=r"rows.parquet: column .b. has .* row 1001; .*not all scores are finite numbers"
    ):
        npc(rows, method=score, prefit=True, class0="bad", random_state=1)
    model = LogisticRegression().fit(FRAME[["a", "b", "c"]], GRADE)
    with pytest.raises(InvalidInputError, match=r"column .b. has .*in row 1001; .* \(Input X contains NaN\)"):
        npc(rows, method=model, prefit=True, class0="bad", random_state=1)


def test_memory_is_a_few_chunks_and_the_scores_of_class_0():
    n, p, chunk_size = 2_000_000, 2, 20_000
    X, y = np.zeros((n, p)), (np.arange(n) % 10 > 0).astype(np.int8)
    X[:, 0] = np.sin(np.arange(n))
    rows = RowChunks.from_arrays(X, y, chunk_size=chunk_size)
    settings = {"method": lambda X: X[:, 0], "prefit": True, "random_state": 1}
    npc(rows, **settings)
    tracemalloc.start()
    fit = npc(rows, **settings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a byte a row, 8 for each of class 0, once more for the partition that finds the threshold, and some chunks; those
    # of class 1 that show the direction of the scores come when the partition is done, and are few
    assert peak < n + 2 * 8 * fit.n0 + 5 * chunk_size * p * 8
    # and far less than all scores of class 1 would take
    assert peak < 8 * (n - fit.n0)
    assert fit.n0 == n // 10


def first_column(X):
    return X[:, 0]


@pytest.mark.parametrize("label", [0, 1])
def test_rows_that_are_others_when_they_are_scored_are_an_error(label):
    X, y = np.sin(np.arange(400.0))[:, None], np.arange(400) % 2
    rows = RowChunks.from_arrays(X, y, chunk_size=50)
    assert rows.label_counts() == {0: 200, 1: 200}
    # as a file that is written meanwhile, or a Dask frame that draws its rows anew
    y[300:] = label
    with pytest.raises(
        InvalidInputError, match=r"has other labels now than when its rows were counted \(200 and 200 rows"
    ):
        npc(rows, method=first_column, prefit=True, random_state=1)


def test_fewer_rows_than_were_counted_are_an_error():
    class Shrinking(RowChunks):
        def __iter__(self):
            return (pair for number, pair in enumerate(super().__iter__()) if number < 7)

    X, y = np.sin(np.arange(400.0))[:, None], np.arange(400) % 2
    with pytest.raises(InvalidInputError, match="has other labels now than when its rows were counted"):
        npc(Shrinking.from_arrays(X, y, chunk_size=50), method=first_column, prefit=True, random_state=1)


def test_the_estimator_takes_rows_in_chunks_too():
    X, y = np.sin(np.arange(400.0))[:, None], np.where(np.arange(400) % 3, "p", "q")
    rows = RowChunks.from_arrays(X, y, class0="q", chunk_size=50)
    model = NPClassifier(first_column, prefit=True, alpha=0.1, random_state=1).fit(rows)
    expected = NPClassifier(first_column, prefit=True, alpha=0.1, class0="q", random_state=1).fit(X, y)
    assert model.fit_.rules == expected.fit_.rules
    assert (model.class0_, model.classes_.tolist(), model.n_features_in_) == ("q", ["p", "q"], 1)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    with pytest.raises(InvalidInputError, match="requires y to be passed, but the target y is None"):
        NPClassifier(random_state=1).fit(X)
    with pytest.raises(InvalidInputError, match="contain their labels; leave out y and data"):
        NPClassifier(first_column, prefit=True, random_state=1).fit(rows, y)
    with pytest.raises(InvalidInputError, match="needs the rows in memory"):
        NPClassifier("lda", random_state=1).fit(rows)
