"""Tests of `nproc.rows.labels`: two labels of any type become 0 and 1, and the prioritised one is 0."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.rows.labels import check_labels, encode_labels
from nproc.scorers.base import labels_to_validate


@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize(
    ("y", "class0"),
    [
        ([0, 1, 1], 0),
        ([-1, 1, 1], -1),
        ([2, 5, 5], 2),
        ([False, True, True], False),
        (["ill", "well", "well"], "ill"),
        ([0.5, 1.5, 1.5], 0.5),
        (pd.Series(["a", "b", "b"], index=[7, 8, 9]), "a"),
        (pd.Series(["a", "b", "b"], dtype="category"), "a"),
        (pd.Series([True, False, False], dtype="boolean"), False),
        (pd.Series(["a", "b", "b"], dtype="string"), "a"),
        (np.array([[0], [1], [1]]), 0),
        (np.array([b"a", b"b", b"b"]), b"a"),
    ],
)
def test_none_takes_the_first_label_in_sorted_order_as_class0(y, class0):
    labels = check_labels(y)
    expected = [1, 0, 0] if isinstance(y, pd.Series) and y.dtype == "boolean" else [0, 1, 1]
    assert labels.y.tolist() == expected
    assert (labels.n0, labels.n1) == (expected.count(0), expected.count(1))
    assert labels.values[0] == class0


@pytest.mark.parametrize(
    ("y", "class0"),
    [
        ([0, 1], 1),
        ([False, True], True),
        ([False, True], np.True_),
        (["no", "yes"], "yes"),
        ([0, 1], np.int64(1)),
        ([0.0, 1.0], 1),
        ([0, 1], 1.0),
    ],
)
def test_class0_names_the_prioritised_label(y, class0):
    labels = check_labels(y, class0)
    assert labels.y.tolist() == [1, 0]
    assert labels.values.tolist() == y[::-1]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("read", [check_labels, labels_to_validate])
def test_lists_in_the_place_of_labels_are_neither_missing_nor_labels(library, read):
    rows = pytest.importorskip(library).Series([[0], [1], [1]])
    with pytest.raises(InvalidInputError, match=r"^y holds lists, such as \[0\]; give one label a row\.$"):
        read(rows)


@pytest.mark.parametrize("class0", ["no ", "0", 2, None.__class__, float("nan")])
def test_a_class0_that_is_not_a_label_lists_the_labels(class0):
    with pytest.raises(InvalidInputError, match=r"class0=.* is not a label in y, which has 0 and 1\."):
        check_labels([0, 1], class0)


@pytest.mark.parametrize(
    ("y", "class0", "meant"), [([0.0, 1.0], "0", "0.0"), ([0, 1], "1.0", "1"), (["No", "Yes"], "yes", "'Yes'")]
)
def test_a_class0_in_another_spelling_is_told_which_label_it_may_mean(y, class0, meant):
    with pytest.raises(InvalidInputError, match=rf"Did you mean {re.escape(meant)}\?"):
        check_labels(np.resize(y, 8), class0=class0)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is missing; give one label a row"),
        ([], "y is empty; at least one row of each class is needed"),
        ([0, 0], r"y has one class only \(0, 2 rows\); exactly 2 classes are needed"),
        (["a"], r"y has one class only \('a', 1 rows\)"),
        (
            ["a", "b", "c"],
            r"y has 3 classes \['a', 'b', 'c'\]\. Only binary classification is .*, or use npc_multiclass, or NPMulti",
        ),
        (["a", "b", "a "], r"here\. Some of them differ only in spaces: 'a' and 'a '\. Spell each label in one way\.$"),
        (
            ["a", "b", "B", "c"],
            r"letters: 'B' and 'b'\. Spell each label in one way, and keep the rows of two classes\.$",
        ),
        (np.linspace(0, 1, 9), r"y has 9 distinct values \[.*, \.\.\.\], which look continuous\. Only binary"),
        ([0.0, 1.0, np.nan], "y has 1 NaN and 0 infinite labels"),
        ([0.0, 1.0, np.inf], "y has 0 NaN and 1 infinite labels"),
        (np.array(["a", "b", None], dtype=object), r"y has 1 missing \(NaN or None\) labels"),
        (pd.Series([True, None, False], dtype="boolean"), r"y has 1 missing \(NaN or None\) labels"),
        (pd.Series(["a", None, "b"], dtype="string"), r"y has 1 missing \(NaN or None\) labels"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), r"y has missing \(NaT\) labels"),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]"), r"y holds dates .*; write them as text, such as y"),
        (pd.Series(pd.to_timedelta([1, 2], unit="D")), r"y holds dates or spans of time \(timedelta64"),
        (np.array([1, "a"], dtype=object), r"y mixes values of different types \(int, str\)"),
        (np.zeros((2, 2)), r"y must be one-dimensional, got shape \(2, 2\)"),
        (1, r"y must be one-dimensional, got shape \(\)"),
        (b"aab", r"^y is the text b'aab'; give the labels themselves"),
        (bytearray(b"aab"), r"^y is the text bytearray\(b'aab'\); give the labels themselves"),
        (sparse.csr_array([[0, 1]]), "y must be a dense one-dimensional array, got a sparse matrix"),
    ],
)
def test_bad_labels_are_refused(y, message):
    with pytest.raises(InvalidInputError, match=message):
        check_labels(y)


def test_new_labels_are_coded_as_at_the_fit():
    values = check_labels(["no", "yes"], "yes").values
    assert encode_labels(["no", "yes", "yes"], values).tolist() == [1, 0, 0]
    # one class alone is fine in new data
    assert encode_labels(["no", "no"], values).tolist() == [1, 1]


@pytest.mark.parametrize("y", [["no", "maybe"], [0, 1]])
def test_a_new_label_that_training_did_not_have_is_refused(y):
    with pytest.raises(InvalidInputError, match=r"y has the label .*, which was not in the training .*'no' and 'yes'"):
        encode_labels(y, np.array(["no", "yes"]))
