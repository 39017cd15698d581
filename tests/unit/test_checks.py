"""Tests of `nproc.checks`: a clean value, or a message that names the argument, the rule and what came."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from nproc import npc
from nproc.checks import (
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_levels,
    check_number,
    check_numeric_matrix,
    check_path,
    check_scores,
    check_seed,
    fresh_seed,
)
from nproc.errors import InvalidInputError, InvalidTypeError


def test_a_level_of_single_precision_is_the_number_that_was_written():
    for kind in (np.float32, np.float16):
        for text in ("0.1", "0.05", "0.7"):
            assert check_level(kind(text), "alpha") == float(text)


@pytest.mark.parametrize("value", [0.05, np.float64(0.05), np.float32(0.5), Fraction(1, 20), 1e-300])
def test_a_level_of_any_real_type_comes_back_as_a_float(value):
    level = check_level(value, "alpha")
    assert type(level) is float
    assert level == float(value)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, float("nan"), float("inf")])
def test_a_level_outside_the_unit_interval_is_refused(value):
    with pytest.raises(InvalidInputError, match=r"alpha must lie strictly between 0 and 1, got "):
        check_level(value, "alpha")


@pytest.mark.parametrize(
    ("value", "meant"), [(5, "5 % give 0.05"), ("5%", "5 % give 0.05"), ("2.5 %", "2.5 % give 0.025")]
)
def test_a_percentage_in_place_of_a_level_is_told_which_number_to_give(value, meant):
    with pytest.raises(InvalidInputError, match=rf"For {meant}\."):
        check_level(value, "alpha")
    with pytest.raises(InvalidInputError) as error:
        check_level(1, "alpha")
    assert "%" not in str(error.value)


@pytest.mark.parametrize("value", ["0.05", None, True, [0.05], 0.1j])
def test_a_level_that_is_no_number_is_refused(value):
    with pytest.raises(InvalidInputError, match="delta must be a number strictly between 0 and 1, got"):
        check_level(value, "delta")


def test_levels_keep_their_shape_and_may_be_closed():
    assert check_levels([[0.1, 0.2]], "alpha").shape == (1, 2)
    assert check_levels([0, 1], "alpha", closed=True).tolist() == [0.0, 1.0]
    assert check_levels([], "alpha").size == 0


@pytest.mark.parametrize(
    ("value", "closed", "message"),
    [
        ([0.5, 1.0], False, "alpha must lie strictly between 0 and 1, got 1"),
        ([0.5, 1.1], True, r"alpha must lie between 0 and 1, got 1\.1"),
        ([0.5, np.nan], True, "alpha must lie between 0 and 1, got nan"),
        (["a"], False, "alpha must hold numbers between 0 and 1"),
        ([[0.1], [0.1, 0.2]], False, "alpha must hold numbers between 0 and 1"),
    ],
)
def test_bad_levels_name_the_first_bad_one(value, closed, message):
    with pytest.raises(InvalidInputError, match=message):
        check_levels(value, "alpha", closed=closed)


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float64(3)])
def test_a_count_is_any_whole_number(value):
    assert check_count(value, "n_splits") == 3
    assert type(check_count(value, "n_splits")) is int


@pytest.mark.parametrize("value", [1.5, "3", None, True, float("nan"), float("inf"), [3]])
def test_a_count_that_is_not_whole_is_refused(value):
    with pytest.raises(InvalidInputError, match="n_splits must be a whole number of at least 1, got"):
        check_count(value, "n_splits")


@pytest.mark.parametrize("value", [0, -1])
def test_a_count_below_the_minimum_is_refused(value):
    with pytest.raises(InvalidInputError, match=rf"n_splits must be at least 1, got {value}\."):
        check_count(value, "n_splits")


@pytest.mark.parametrize("value", ["conservativ", None, 1, ["conservative"]])
def test_a_choice_lists_the_valid_ones(value):
    with pytest.raises(InvalidInputError, match="ties must be one of 'conservative', 'randomize', got"):
        check_choice(value, "ties", ("conservative", "randomize"))


@pytest.mark.parametrize("scores", [[1, 2], np.array([[1], [2]]), pd.Series([1, 2]), np.array([1, 2], dtype=object)])
def test_scores_become_one_dimensional_floats(scores):
    clean = check_scores(scores, "scores0")
    assert clean.dtype == np.float64
    assert clean.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "scores0 is empty; at least one score is needed"),
        (np.ones((3, 2)), r"scores0 must be one-dimensional \(one score a row\), got shape \(3, 2\)"),
        (1.0, r"scores0 must be one-dimensional \(one score a row\), got shape \(\)"),
        ([1, np.nan, np.inf, -np.inf], "scores0 must be finite, got 1 NaN and 2 infinite values out of 4"),
        (["a", "b"], "scores0 must be a one-dimensional array of numbers"),
        (["1", "2"], "scores0 must be a one-dimensional array of numbers"),
        (np.array([1 + 2j]), "scores0 must be a one-dimensional array of numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "scores0 must be a one-dimensional array of numbers"),
        ([[1], [2, 3]], "scores0 must be a one-dimensional array of numbers"),
    ],
)
def test_bad_scores_are_refused(scores, message):
    with pytest.raises(InvalidInputError, match=message):
        check_scores(scores, "scores0")


def test_a_seed_is_kept_drawn_or_fresh():
    assert check_seed(7) == 7
    assert check_seed(np.int64(7)) == 7
    assert check_seed(2**70) == 2**70
    assert check_seed(np.random.default_rng(1)) == check_seed(np.random.default_rng(1))
    assert check_seed(np.random.RandomState(1)) == check_seed(np.random.RandomState(1))
    # the function itself, which in tests check_seed does not call
    fresh = {fresh_seed() for _ in range(5)}
    assert len(fresh) == 5
    assert all(type(seed) is int and 0 <= seed < 2**32 for seed in [*fresh, check_seed(None)])


@pytest.mark.parametrize("value", [1.5, float("nan"), float("inf"), "1", True, [1]])
def test_a_seed_of_another_type_is_refused(value):
    with pytest.raises(InvalidInputError, match="random_state must be None, a whole number of at least 0, a numpy"):
        check_seed(value)


def test_a_negative_seed_is_refused():
    with pytest.raises(InvalidInputError, match="random_state must be at least 0, got -1"):
        check_seed(-1)


@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 2], [3, 4]], dtype=object),
        pd.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
        pd.DataFrame({"a": pd.array([1, 3], dtype="Int64"), "b": [2, 4]}),
        sparse.csc_matrix([[1, 2], [3, 4]]),
    ],
)
def test_a_matrix_of_any_kind_becomes_floats(X):
    matrix = check_numeric_matrix(X, accept_sparse=True)
    dense = matrix.toarray() if sparse.issparse(matrix) else matrix
    assert dense.dtype == np.float64
    assert dense.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_float_matrix_is_not_copied():
    X = np.ones((3, 2))
    assert check_numeric_matrix(X) is X


def test_nan_passes_only_where_it_is_welcome():
    X = np.array([[1.0, np.nan], [0.0, 2.0]])
    assert np.isnan(check_numeric_matrix(X, allow_nan=True)[0, 1])
    nullable = pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})
    assert np.isnan(check_numeric_matrix(nullable, allow_nan=True)[1, 0])
    with pytest.raises(
        InvalidInputError,
        match=r"X contains NaN: 1 missing value\(s\) in column\(s\) \[1\], the first at X\[0\], and method 'lda'",
    ):
        check_numeric_matrix(X, method="lda")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), r"X must be two-dimensional .* got shape \(3,\)\. .* X.reshape\(-1, 1\) for one predictor"),
        (np.ones((2, 2, 2)), r"X must be two-dimensional .* got shape \(2, 2, 2\)"),
        (np.ones((0, 2)), r"X is empty: 0 rows \(shape=\(0, 2\)\)"),
        (np.ones((2, 0)), r"X has 0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        ([[np.inf, 1.0]], r"X has 1 infinite value\(s\)"),
        (np.array([[1j]]), "Complex data not supported: X has complex values"),
        (np.array([["1", "2"]]), "X must hold numbers, got dtype <U1 .* Encode text columns"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "X must hold numbers, got dtype datetime64"),
        (pd.DataFrame({"a": [1], "b": ["x"]}), r"X has columns that are not numbers: \['b'\]"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), r"X has columns that are not numbers: \['a'\]"),
        (sparse.eye_array(3), "X is sparse, and method 'lda' needs a dense array"),
    ],
)
def test_bad_matrices_are_refused(X, message):
    with pytest.raises(InvalidInputError, match=message):
        check_numeric_matrix(X, method="lda")


def test_objects_that_are_numbers_are_taken_as_numbers_from_a_frame_as_from_an_array():
    plain = np.array([[1.5, 2.0], [0.25, np.nan], [0.0, 4.0]])
    for gap in (np.nan, None, pd.NA, Decimal("NaN")):
        for first in ([1.5, 0.25, 0], [Decimal("1.5"), Decimal("0.25"), Decimal(0)], [np.float32(1.5), 0.25, False]):
            frame = pd.DataFrame({"a": pd.Series(first, dtype=object), "b": pd.Series([2, gap, 4.0], dtype=object)})
            np.testing.assert_array_equal(check_numeric_matrix(frame, allow_nan=True), plain)
            np.testing.assert_array_equal(check_numeric_matrix(frame.assign(b=plain[:, 1]), allow_nan=True), plain)
            with pytest.raises(InvalidInputError, match=r"X contains NaN: 1 missing value\(s\) in column\(s\) \['b'\]"):
                check_numeric_matrix(frame)


@pytest.mark.parametrize("odd", [Decimal("sNaN"), 10**400, 1j, b"1", np.timedelta64(1, "s"), pd.Timestamp(0), [1]])
def test_a_column_with_an_object_that_is_no_number_is_refused(odd):
    frame = pd.DataFrame({"a": pd.Series([1.5, odd, 2.5, 3.5], dtype=object)})
    with pytest.raises(InvalidInputError, match=r"^X has columns that are not numbers: \['a'\]\. Encode"):
        check_numeric_matrix(frame)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["1.5", "2", "3e4"], r"'a' holds numbers as text: X\['a'\] = pandas\.to_numeric\(X\['a'\]\) makes"),
        ([1.5, "2", None], r"'a' holds numbers as text: X\['a'\] = pandas\.to_numeric\(X\['a'\]\) makes"),
        (
            [None, 1.5, Decimal(2), "n/a"],
            r"texts such as 'n/a', the first at X\.iloc\[3\]: .* = pandas\.to_numeric\(X\['a'\], errors='coerce'\)",
        ),
        (
            ["12", "1,5", "2,25"],
            r"texts with commas such as '1,5', the first at X\.iloc\[1\]: if these are decimal commas, give decimal='"
            r",' to pandas\.read_csv, .* X\['a'\] = pandas\.to_numeric\(X\['a'\]\.str\.replace\(',', '\.'\)\)\.",
        ),
        (["1,5", "n/a", "2,5"], r"\.str\.replace\(',', '\.'\), errors='coerce'\)"),
        (["1,5", "n/a", "."], "Encode them as numbers, or leave them out"),
        (["1.5", "n/a", "7", "."], "Encode them as numbers, or leave them out"),
    ],
)
def test_a_column_of_numbers_as_text_is_told_how_it_becomes_numbers(values, told):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "job": "smith"})
    with pytest.raises(InvalidInputError, match=rf"^X has columns that are not numbers: \['a'.*{told}"):
        check_numeric_matrix(frame)


@pytest.mark.parametrize("values", [["1.5", "2", "3"], ["1.5", "2", "3", "n/a"], ["1,5", "2,5", "12"]])
def test_the_code_for_a_column_of_numbers_as_text_runs_on_a_table_of_polars(values):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"a": values * 20, "y": [0, 1] * (10 * len(values))})
    by_table = {"X": lambda: npc(table[["a"]], table["y"], "lda"), "data": lambda: npc("y ~ a", table, "lda")}
    for name, call in by_table.items():
        if name == "X" or "1,5" in values:
            with pytest.raises(InvalidInputError) as error:
                call()
            code = re.search(rf"{name} = {name}\.with_columns\(.*?Float64(, strict=False)?\)\)", str(error.value))
            names = {name: table, "polars": polars}
            exec(code.group(), names)
            assert names[name]["a"].to_list()[:2] == [1.5, 2.5 if "1,5" in values else 2.0]


def test_infinity_is_refused_even_where_nan_is_welcome_and_in_sparse_cells():
    with pytest.raises(InvalidInputError, match="infinite value"):
        check_numeric_matrix([[np.inf]], allow_nan=True)
    with pytest.raises(InvalidInputError, match="infinite value"):
        check_numeric_matrix(sparse.csr_array([[np.inf, 0.0]]), accept_sparse=True)


def test_an_object_that_cannot_be_a_number_is_a_type_error_too():
    with pytest.raises(InvalidTypeError, match="X must hold numbers, got dtype object"):
        check_numeric_matrix(np.array([[{"a": 1}]], dtype=object))


@pytest.mark.parametrize("value", [0.0, -1, np.inf, np.nan, True, "1", None, [1.0]])
def test_a_number_that_is_not_above_zero_is_refused(value):
    with pytest.raises(InvalidInputError, match="lam must be a finite number above 0 or 'auto', got"):
        check_number(value, "lam", otherwise="'auto'")


def test_a_number_may_be_zero_or_none_where_said():
    assert check_number(np.float32(2), "lam") == 2.0
    assert check_number(0, "lam", zero=True) == 0.0
    assert check_number(None, "lam", optional=True) is None
    with pytest.raises(InvalidInputError, match="of at least 0 or None, got -1"):
        check_number(-1, "lam", zero=True, optional=True)


def test_a_flag_is_true_or_false_and_text_is_neither():
    assert check_flag(np.True_, "prefit") is True
    for value in ("no", "", 0, 1, None, [True], np.array([True, False]), float("nan")):
        with pytest.raises(InvalidInputError, match="prefit must be True or False, got"):
            check_flag(value, "prefit")


def test_a_number_next_to_nothing_is_refused_before_a_formula_overflows():
    with pytest.raises(InvalidInputError, match="gamma must be at least 1e-300"):
        check_number(1e-320, "gamma")
    assert check_number(0, "gamma", zero=True) == 0.0


def test_the_empty_text_is_no_path():
    with pytest.raises(InvalidInputError, match="scores must be the path of a file or folder, got ''"):
        check_path("", "scores")


def test_numbers_too_large_and_complex_ones_are_told_with_a_way_out():
    with pytest.raises(InvalidInputError, match="a number in it is too large for a float") as refused:
        check_numeric_matrix([[10**400, 1.0]])
    assert "Encode" not in str(refused.value)
    with pytest.raises(InvalidInputError, match=r"Complex data not supported: X has complex values\. Give the real"):
        check_numeric_matrix(np.ones((2, 2)) + 1j)
