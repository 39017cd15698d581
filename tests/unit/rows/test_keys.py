"""Rows of any table: counted, taken, and recognised as copies of each other."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse

from nproc.rows.keys import count_shared, has_twin, n_rows, row_keys, take_rows, times_among

floats = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
few_values = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.nan, np.inf])
matrices = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8), elements=floats | few_values
)


def same(row_a, row_b):
    return bool(np.all((row_a == row_b) | (np.isnan(row_a) & np.isnan(row_b))))


def pattern(keys):
    """Which rows equal which, whatever the keys are."""
    return (keys[:, None] == keys[None, :]).tolist()


@pytest.mark.parametrize(
    "make",
    [np.asarray, np.ndarray.tolist, pd.DataFrame, sparse.csr_array, sparse.csr_matrix, sparse.csc_array],
)
def test_rows_are_counted_and_taken_in_the_order_asked_for(make):
    dense = np.arange(12.0).reshape(4, 3)
    table = make(dense)
    taken = take_rows(table, np.array([3, 0, 3]))
    assert n_rows(table) == 4
    assert n_rows(taken) == 3
    as_array = taken.toarray() if sparse.issparse(taken) else np.asarray(taken)
    np.testing.assert_array_equal(as_array, dense[[3, 0, 3]])


def test_frames_keep_their_dtypes_and_a_series_its_values():
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}, index=[9, 9])
    taken = take_rows(frame, np.array([1]))
    assert taken["a"].tolist() == ["y"]
    assert taken.dtypes.tolist() == frame.dtypes.tolist()
    assert take_rows(frame["b"], np.array([1, 0])).tolist() == [2, 1]
    # tables of other libraries stay what they are, as functions that use their columns by name need
    polars = pytest.importorskip("polars").DataFrame({"a": [1, 2], "b": [3, 4]})
    for other in (polars, polars.to_arrow()):
        assert type(other) is type(taken := take_rows(other, np.array([1, 0])))
        assert taken["b"].to_numpy().tolist() == [4, 3]


@pytest.mark.slow
@given(matrices)
@settings(max_examples=200, deadline=None)
def test_rows_have_equal_keys_exactly_if_they_are_equal(X):
    keys = row_keys(X)
    for i in range(len(X)):
        for j in range(len(X)):
            assert (keys[i] == keys[j]) == same(X[i], X[j])


@given(matrices, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_a_key_belongs_to_the_row_and_not_to_its_place_or_layout(X, random):
    keys = row_keys(X)
    order = np.array(random.sample(range(len(X)), len(X)))
    np.testing.assert_array_equal(row_keys(X[order]), keys[order])
    np.testing.assert_array_equal(row_keys(np.asfortranarray(X)), keys)
    np.testing.assert_array_equal(row_keys(np.repeat(X, 3, axis=0)), np.repeat(keys, 3))


@given(matrices)
@settings(max_examples=100, deadline=None)
def test_sparse_frames_and_dense_tables_agree_on_which_rows_are_equal(X):
    expected = pattern(row_keys(X))
    assert pattern(row_keys(sparse.csr_array(X))) == expected
    assert pattern(row_keys(pd.DataFrame(X))) == expected


@given(matrices)
@settings(max_examples=100, deadline=None)
def test_the_storage_of_a_sparse_matrix_has_no_influence(X):
    matrix = sparse.csr_array(X)
    keys = row_keys(matrix)
    # all cells stored, the zeros too, in reversed order
    n, p = X.shape
    stored = sparse.csr_array(
        (X[:, ::-1].ravel(), np.tile(np.arange(p)[::-1], n), np.arange(0, n * p + 1, p)), shape=(n, p)
    )
    np.testing.assert_array_equal(row_keys(stored), keys)


def test_a_sparse_cell_stored_in_two_parts_is_their_sum_and_the_input_is_left_alone():
    parts = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    keys = row_keys(parts)
    assert keys[0] == keys[1]
    assert parts.nnz == 3


def test_empty_rows_of_a_sparse_matrix_are_equal():
    keys = row_keys(sparse.csr_array(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])))
    assert pattern(keys) == pattern(np.array([0, 1, 0, 2]))


@pytest.mark.parametrize("p", [1, 10, 40_000])
def test_blocks_of_rows_join_without_a_seam(p):
    n = 2 * 2**15 // p + 3
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n, p)).astype(float)
    X[-1] = X[0]
    keys = row_keys(X)
    assert keys[-1] == keys[0]
    np.testing.assert_array_equal(keys[[0, n // 2]], row_keys(X[[0, n // 2]]))


def test_binary_rows_rarely_collide():
    # all 2^16 rows of 16 bits: a hash that is weak in few-bit patterns would show here
    bits = (np.arange(2**16)[:, None] >> np.arange(16) & 1).astype(float)
    assert np.unique(row_keys(bits)).size == 2**16
    assert np.unique(row_keys(sparse.csr_array(bits))).size == 2**16


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint64, np.float32])
def test_numeric_dtypes_have_the_keys_of_their_float_values(dtype):
    X = np.array([[0, 1], [1, 1], [0, 1]]).astype(dtype)
    np.testing.assert_array_equal(row_keys(X), row_keys(X.astype(np.float64)))


@pytest.mark.parametrize("dtype", ["object", "string", "str", "category"])
def test_text_columns_count_and_missing_values_are_one_value(dtype):
    frame = pd.DataFrame({"g": ["u", "v", "u", None, None], "x": [1.0, 1.0, 1.0, np.nan, np.nan]})
    frame["x"] = frame["x"] * [1, 1, 1, 1, -1]
    assert pattern(row_keys(frame.astype({"g": dtype}))) == pattern(np.array([0, 1, 0, 2, 2]))


def test_nullable_dates_and_object_columns_have_keys():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 1], dtype="Int64"),
            "t": pd.to_datetime(["2020-01-01", None, "2020-01-01"]),
            "o": [("a", 1), None, ("a", 1)],
        }
    )
    assert pattern(row_keys(frame)) == pattern(np.array([0, 1, 0]))
    mixed = np.array([["a", 1], ["b", 1], ["a", 1]], dtype=object)
    assert pattern(row_keys(mixed)) == pattern(np.array([0, 1, 0]))


def test_cells_that_are_lists_have_keys():
    keys = row_keys(pd.DataFrame({"a": pd.Series([[1], [2, 3], [1], None])}))
    assert keys[0] == keys[2]
    assert len(set(keys.tolist())) == 3


def test_swapped_cells_and_columns_of_a_frame_give_other_keys():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "x"]})
    assert row_keys(frame)[0] != row_keys(frame)[1]
    assert row_keys(np.array([[1.0, 2.0], [2.0, 1.0]]))[0] != row_keys(np.array([[2.0, 1.0]]))[0]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_shared_rows_are_counted_as_by_hand(values, random):
    keys = np.array(values, dtype=np.uint64)
    mask = np.array([random.random() < 0.5 for _ in values])
    idx_a, idx_b = np.flatnonzero(mask), np.flatnonzero(~mask)
    expected = sum(1 for i in idx_b if values[i] in {values[j] for j in idx_a})
    twin = has_twin(keys)
    assert twin.tolist() == [values.count(value) > 1 for value in values]
    assert count_shared(keys, idx_a, idx_b) == expected
    assert count_shared(keys, idx_a, idx_b, twin=twin) == expected


def test_shared_rows_of_keys_beyond_the_signed_integers_are_counted():
    # copies of one row alone: all keys are near each other, and none fits a signed integer (numpy 2.0.0 overflowed)
    keys = np.full(6, 2**64 - 5, dtype=np.uint64)
    assert count_shared(keys, np.array([0, 1]), np.array([2, 3, 4, 5]), twin=has_twin(keys)) == 4


def test_keys_of_one_row_and_of_no_column_exist():
    assert row_keys(np.ones((1, 3))).shape == (1,)
    assert has_twin(row_keys(np.ones((1, 3)))).tolist() == [False]
    assert row_keys(np.ones((0, 3))).shape == (0,)


@pytest.mark.parametrize("of_rows", [np.asarray, pd.DataFrame, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist])
@pytest.mark.parametrize("of_table", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_rows_are_found_in_a_table_of_another_kind(of_rows, of_table):
    table = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [5.0, 2.0]])
    rows = np.array([[1, 0], [2, 5], [5, 2], [0, 0]])
    assert times_among(of_rows(rows), of_table(table)).tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("kind", [object, "string", "category"])
def test_text_and_numbers_are_found_whatever_type_holds_them(kind):
    table = pd.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "y"]})
    rows = pd.DataFrame({"c": [2.0, 1.0], "d": pd.Series(["y", "z"], dtype=kind)})
    assert times_among(rows, table).tolist() == [2, 0]
    assert times_among(rows, table.to_numpy()).tolist() == [2, 0]
