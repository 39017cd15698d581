"""Rows of any table: how many, some of them, and which are exact copies of each other."""

import copy
from decimal import Decimal
from numbers import Real

import numpy as np
from scipy import sparse

from nproc.checks import as_array, is_number, shown
from nproc.errors import InvalidInputError
from nproc.rows.frames import as_table, is_frame

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_NAN_BITS = np.array([np.nan]).view(np.uint64)[0]
# 2^15 cells of 8 bytes: a block and its copy stay in the cache of one core
_BLOCK_CELLS = 2**15
# keys that stand for all rows of a class
KEPT_KEYS = 512


def n_rows(X):
    """Return the number of rows of an array, a DataFrame, a sparse matrix or a list of rows.

    Examples
    --------
    >>> n_rows(np.ones((3, 2))), n_rows([[1.0, 2.0]])
    (3, 1)
    """
    shape = getattr(X, "shape", None)
    if shape and is_number(shape[0]):
        return int(shape[0])
    if shape is None and hasattr(X, "__len__"):
        return len(X)
    shape = as_array(as_table(X, "X"), "X").shape
    if not shape:
        raise InvalidInputError(f"X must be a table with one row per observation, got {shown(X)}.")
    return int(shape[0])


def take_rows(X, idx):
    """Return the rows of `X` at the positions `idx`, in that order and as the same kind of table.

    Parameters
    ----------
    X : ndarray, DataFrame of any library, Series, CSR matrix or list, n rows
        The table.
    idx : ndarray of int, shape (m,)
        Positions, counted from 0.

    Returns
    -------
    same type as `X`, m rows
        A copy of these rows. Sparse matrices of another format come back as CSR.

    Examples
    --------
    >>> take_rows(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0]))
    array([[3.],
           [1.]])
    """
    if hasattr(X, "iloc"):
        return X.iloc[idx]
    if sparse.issparse(X):
        return X.tocsr()[idx]
    if isinstance(X, list):
        return [X[i] for i in idx]
    if hasattr(X, "columns"):
        # of pyarrow and of polars
        return X.take(idx) if hasattr(X, "take") else X[idx]
    # twice as fast as X[idx] for rows of a C-ordered matrix
    return np.take(X, idx, axis=0)


def copied_rows(X):
    """Return a copy of a table of any kind, in which values may be changed without a change of the table.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0]])
    >>> twin = copied_rows(X)
    >>> twin *= 10
    >>> X.ravel()
    array([1., 2.])
    """
    if isinstance(X, np.ndarray):
        # in its memory layout, on which the rounding of sums depends
        return X.copy(order="K")
    return X.copy() if hasattr(X, "iloc") or sparse.issparse(X) else copy.deepcopy(X)


def row_keys(X):
    """Return one 64-bit integer a row: equal rows always have equal keys.

    The key is the sum, modulo 2^64, of a hash of every cell's bit pattern and column. It is made by integer
    arithmetic alone, so that, unlike a key made by a matrix product, it does not depend on the order of
    summation, the memory layout or the number of threads.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        Two-dimensional, already checked. -0.0 counts as 0.0, all NaN as one value; explicit zeros and
        unsorted indices of a sparse matrix make no difference.

    Returns
    -------
    ndarray of uint64, shape (n,)
        Comparable between rows of one table, not between tables of different kinds.

    Notes
    -----
    Rows that differ in one numeric cell never share a key (each step of the hash is a bijection). Rows that
    differ in more share one by accident with a probability of about 2^-64 a pair, which at worst gives a
    spurious warning about duplicates. Integers beyond 2^53 are compared after rounding to float64. The cost
    is O(n p) time and one block of 2^15 cells (or one row) of memory; for a sparse matrix O(stored entries).

    Examples
    --------
    >>> keys = row_keys(np.array([[1.0, 0.0], [2.0, 5.0], [1.0, -0.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    if is_frame(X):
        return _frame_keys(X)
    if sparse.issparse(X):
        return _sparse_keys(X.tocsr())
    array = np.asarray(X)
    if array.dtype.kind not in "biuf":
        import pandas

        return _frame_keys(pandas.DataFrame(array))
    return _dense_keys(array)


def value_keys(X):
    """Return one 32-bit integer a row, by which rows are known again in a table with other types of the same values.

    Numbers are rounded to float32 first, so that those of any type have the same key, also in columns of objects.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        As for `row_keys`.

    Returns
    -------
    ndarray of uint32, shape (n,)
        The upper half of keys made as by `row_keys`. Rows that differ have the same with a probability of 2^-32.

    Examples
    --------
    >>> bool(value_keys(np.array([[0.1, 2.0]]))[0] == value_keys(np.array([[0.1, 2]], dtype=object))[0])
    True
    """
    if sparse.issparse(X):
        matrix = X.tocsr()
        keys = _sparse_keys(sparse.csr_matrix((_rounded(matrix.data), matrix.indices, matrix.indptr), matrix.shape))
    elif is_frame(X):
        keys = _frame_keys(X, _rounded_cells)
    else:
        array = np.asarray(X)
        if array.dtype.kind in "biuf":
            keys = _dense_keys(_rounded(array))
        else:
            import pandas

            keys = _frame_keys(pandas.DataFrame(array), _rounded_cells)
    return (keys >> np.uint64(32)).astype(np.uint32)


def lowest_keys(X, chosen):
    """Return the smallest `value_keys` of some rows in ascending order, at most 512: a sample of them by their values.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        As for `row_keys`.
    chosen : ndarray of bool, shape (n,)
        Which rows.

    Returns
    -------
    ndarray of uint32
        Equal rows have equal keys, so that any other row of the same values has its key among these or above them.

    Notes
    -----
    Another row with a key up to the largest of these has one of them by chance with a probability of about
    max(m, 512) / 2^32 for m chosen rows: 0.0000001 for 512 rows and 0.0002 for a million.

    Examples
    --------
    >>> keys = lowest_keys(np.arange(2000.0).reshape(1000, 2), np.arange(1000) < 900)
    >>> keys.size, bool(np.all(np.diff(keys) > 0))
    (512, True)
    """
    # small blocks, of which copies are made; those of a frame are made column by column
    kept, step = np.empty(0, dtype=np.uint32), 2**10 if isinstance(X, np.ndarray) else 2**12
    rows = X.iloc if hasattr(X, "iloc") else X.tocsr() if sparse.issparse(X) else X
    for start in range(0, chosen.size, step):
        # a slice is no copy
        keys = value_keys(rows[start : start + step])[chosen[start : start + step]]
        kept = np.sort(np.concatenate([kept, keys]))[:KEPT_KEYS]
    return kept


def has_twin(keys):
    """Return a Boolean array, shape (n,): True where another row has the same key.

    Examples
    --------
    >>> has_twin(np.array([7, 3, 7], dtype=np.uint64))
    array([ True, False,  True])
    """
    order = np.argsort(keys)
    in_order = keys[order]
    same_as_next = in_order[1:] == in_order[:-1]
    twin = np.zeros(keys.size, dtype=bool)
    twin[order[1:]] = same_as_next
    twin[order[:-1]] |= same_as_next
    return twin


def count_shared(keys, idx_a, idx_b, *, twin=None):
    """Return the number of rows of `idx_b` whose key also occurs among the rows of `idx_a`.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n,)
        From `row_keys`.
    idx_a, idx_b : ndarray of int
        Positions of the two parts of a split.
    twin : ndarray of bool, shape (n,), optional
        From `has_twin`. With many splits of the same rows, compute it once: rows without a twin are then
        skipped, and a count costs O(len(idx_a) + len(idx_b)) where duplicates are rare.

    Returns
    -------
    int
        Between 0 and ``len(idx_b)``.

    Examples
    --------
    >>> keys = np.array([7, 3, 7, 7], dtype=np.uint64)
    >>> count_shared(keys, np.array([0, 1]), np.array([2, 3]))
    2
    """
    idx_a, idx_b = np.asarray(idx_a, dtype=np.intp), np.asarray(idx_b, dtype=np.intp)
    if twin is not None:
        idx_a, idx_b = idx_a[twin[idx_a]], idx_b[twin[idx_b]]
    # not by a table of the numbers between the smallest and the largest key, which hashes spread over all 64 bits
    return int(np.isin(keys[idx_b], keys[idx_a], kind="sort").sum())


def times_among(rows, table):
    """Return for each of some rows how many rows of a table equal it in all columns.

    Parameters
    ----------
    rows, table : array-like, DataFrame or sparse matrix, with the same number of columns in the same order
        They need not be of one kind: 1 equals 1.0, and text in a categorical column equals the same text elsewhere.

    Returns
    -------
    ndarray of int, shape (number of rows,)

    Examples
    --------
    >>> times_among(np.array([[1, 2], [3, 4]]), np.array([[3.0, 4.0], [5.0, 6.0], [3.0, 4.0]]))
    array([0, 2])
    """
    keys, keys_of_table = map(row_keys, _of_one_kind(rows, table))
    in_order = np.sort(keys_of_table)
    return np.searchsorted(in_order, keys, "right") - np.searchsorted(in_order, keys, "left")


def _of_one_kind(rows, table):
    """Return two tables so that equal rows of them have equal keys."""
    pair = [one if is_frame(one) or sparse.issparse(one) else np.asarray(one) for one in (rows, table)]
    if any(map(sparse.issparse, pair)):
        return [sparse.csr_matrix(one) for one in pair]
    if not any(is_frame(one) or one.dtype.kind not in "biuf" for one in pair):
        return pair
    import pandas

    frames = [one if is_frame(one) else pandas.DataFrame(one).infer_objects() for one in pair]
    frames = [frame.set_axis(range(frame.shape[1]), axis=1) for frame in frames]
    first, second = (frame.dtypes for frame in frames)
    differ = [
        name
        for name in first.index
        if first[name] != second[name]
        and not all(getattr(dtypes[name], "kind", "O") in "biuf" for dtypes in (first, second))
    ]
    return [frame.astype(dict.fromkeys(differ, str)) for frame in frames]


def _mix(bits):
    """Scramble 64-bit integers in place by a bijection (the finaliser of splitmix64)."""
    bits ^= bits >> np.uint64(30)
    bits *= _MIX_1
    bits ^= bits >> np.uint64(27)
    bits *= _MIX_2
    bits ^= bits >> np.uint64(31)
    return bits


def _column_salts(columns):
    """Return one well mixed integer a column, so that swapped cells give another sum."""
    return _mix((columns.astype(np.uint64) + np.uint64(1)) * _GOLDEN)


def _bit_patterns(values):
    """Return the bits of a float64 copy of `values`, with one pattern for zero and one for NaN."""
    # -0.0 + 0.0 is 0.0, and the addition makes the copy that is scrambled in place
    numbers = np.add(values, 0.0, dtype=np.float64)
    bits = numbers.view(np.uint64)
    missing = np.isnan(numbers)
    if missing.any():
        bits[missing] = _NAN_BITS
    return bits


def _dense_keys(array):
    n, p = array.shape
    salts = _column_salts(np.arange(p))
    keys = np.empty(n, dtype=np.uint64)
    step = max(1, _BLOCK_CELLS // max(p, 1))
    for start in range(0, n, step):
        bits = _bit_patterns(np.ascontiguousarray(array[start : start + step]))
        bits += salts
        keys[start : start + step] = _mix(bits).sum(axis=1, dtype=np.uint64)
    return keys


def _sparse_keys(matrix):
    if not matrix.has_canonical_format:
        # the same cell may be stored in several parts
        matrix = matrix.copy()
        matrix.sum_duplicates()
    salts = _column_salts(np.arange(matrix.shape[1]))
    # the key of a row of zeros, and what each other cell changes of it: an explicit zero is the same as no entry
    of_zeros = _mix(salts.copy())
    cells = _mix(_bit_patterns(matrix.data) + salts[matrix.indices]) - of_zeros[matrix.indices]
    # differences of a running sum that wraps around are exact, also for empty rows
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(cells, dtype=np.uint64)])
    return running[matrix.indptr[1:]] - running[matrix.indptr[:-1]] + of_zeros.sum(dtype=np.uint64)


def _frame_keys(frame, cells_of=None):
    keys = np.zeros(len(frame), dtype=np.uint64)
    salts = _column_salts(np.arange(frame.shape[1]))
    for position, salt in enumerate(salts):
        keys += _mix((cells_of or _exact_cells)(frame.iloc[:, position]) + salt)
    return keys


def _exact_cells(column):
    if getattr(column.dtype, "kind", "O") in "biuf":
        return _bit_patterns(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return _hashed(column)


def _number(cell):
    """Return a cell of objects as a float, NaN where it is none."""
    try:
        return float(cell) if isinstance(cell, Real | Decimal | np.bool_) else np.nan
    except (OverflowError, ValueError):
        # an integer beyond floats, or Decimal's signalling NaN
        return np.nan


def _rounded_cells(column):
    if getattr(column.dtype, "kind", "O") in "biuf":
        return _bit_patterns(_rounded(column.to_numpy(dtype=np.float64, na_value=np.nan)))
    if column.dtype.kind != "O":
        return _hashed(column)
    column = column.astype(object)
    cells = _hashed(column)
    numbers = np.fromiter(map(_number, column), dtype=np.float64, count=column.size)
    known = ~np.isnan(numbers)
    cells[known] = _bit_patterns(_rounded(numbers[known]))
    return cells


def _rounded(values):
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(values, dtype=np.float64).astype(np.float32)


def _hashed(column):
    from pandas.util import hash_array, hash_pandas_object

    try:
        if column.dtype == object:
            return hash_array(column.to_numpy(), categorize=False)
        return hash_pandas_object(column, index=False).to_numpy()
    except (TypeError, ValueError):
        # cells that are lists or arrays
        return hash_array(column.map(repr).to_numpy(dtype=object), categorize=False)
