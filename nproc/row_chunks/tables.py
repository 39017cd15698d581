"""Rows that come in chunks: an iterable of tables or of pairs with labels, told apart from a single table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nproc.checks import check_path, shown
from nproc.errors import InvalidInputError, NPWarning
from nproc.frames import as_table, is_frame
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.reading import read_in_chunks
from nproc.row_chunks.refusals import placing, row_in_file
from nproc.warning_place import warn_at_call


def is_table(X):
    """Return whether `X` is a single table: an array, a sparse matrix or a frame of any library.

    Examples
    --------
    >>> import numpy as np
    >>> is_table(np.zeros((2, 1))), is_table([np.zeros((2, 1))])
    (True, False)
    """
    return any(hasattr(X, name) for name in ("shape", "columns", "__array__"))


def comes_in_chunks(X):
    """Return whether `X` can be iterated over, chunk by chunk, and is no table itself.

    Examples
    --------
    >>> import numpy as np
    >>> comes_in_chunks(np.zeros((2, 1))), comes_in_chunks([np.zeros((2, 1))])
    (False, True)
    """
    return isinstance(X, Iterable) and not isinstance(X, str) and not is_table(X)


def rows_of_path(chunks, columns):
    """Return the `RowChunks` of a path, of which `columns` are read (None: all), and what is no path as it is."""
    if isinstance(chunks, str | Path):
        return read_in_chunks(check_path(chunks, "chunks"), None, features=columns)
    return chunks


def name_of(chunks):
    """Return what messages call some chunks: the name of a file, or "chunks"."""
    return getattr(chunks, "name", "chunks") if callable(getattr(chunks, "rows", None)) else "chunks"


def chosen_columns(table, columns):
    """Return a frame with the `columns` alone, in their order, if it has them all, and any other table as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> chosen_columns(pd.DataFrame({"age": [30], "name": ["x"]}), ["age"]).columns.tolist()
    ['age']
    """
    if columns is None or not hasattr(type(table), "columns"):
        return table
    table = as_table(table, "X")
    return table[columns] if is_frame(table) and set(columns) <= set(table.columns) else table


def placing_chunk(chunks, number, done):
    """Return a context that names a chunk, before which there were `done` rows, in the errors of its rows."""

    def row_of(row):
        return row_in_file(chunks, done + row) if isinstance(chunks, RowChunks) else done + row

    return placing(f"{name_of(chunks)}, chunk {number}", row_of)


def warn_if_none(n_chunks, name):
    """Warn that there was no chunk."""
    if n_chunks == 0:
        warn_at_call(
            f"{name} gave no table of rows at all. A generator gives its tables only once and may be used up; make it "
            "anew, or give the path of a file or RowChunks, which can be read again.",
            NPWarning,
        )


def tables_in(chunks):
    """Return an iterator over tables.

    Parameters
    ----------
    chunks : iterable of tables or object with ``rows()``
        As `NPFit.predict_chunks` takes it, a path made rows by `rows_of_path`.

    Raises
    ------
    InvalidInputError
        For a single table, or what cannot be iterated over.
    """
    if callable(getattr(chunks, "rows", None)) and not is_table(chunks):
        return chunks.rows()
    if not comes_in_chunks(chunks):
        raise InvalidInputError(
            f"chunks must be an iterable of tables, such as a generator, or a path, got a {type(chunks).__name__}. A "
            "single table X goes to predict(X), and a Dask array to X.map_blocks(fit.predict, ...)."
        )
    return map(_table_of, chunks)


def _table_of(chunk):
    """Return a chunk that is no pair of rows and labels."""
    if isinstance(chunk, str | Path):
        raise InvalidInputError(
            f"chunks must give tables of rows, and gave the text {str(chunk)!r}. Give predict_chunks one path at a "
            "time, or that of a folder of Parquet files with the same columns."
        )
    if chunk is None or (isinstance(chunk, tuple) and any(map(is_table, chunk))):
        raise InvalidInputError(
            f"chunks must give tables of rows, and gave a {type(chunk).__name__}. Pairs (rows, labels) go to evaluate; "
            "for the labels called leave out the true ones, as in (X for X, y in chunks)."
        )
    if not is_table(chunk) and not isinstance(chunk, list):
        raise InvalidInputError(f"chunks must give tables of rows, and gave {shown(chunk)}.")
    return chunk


def pair_of(chunk):
    """Return the rows and labels of a chunk; a table alone, for a fit by formula, holds its labels itself."""
    if is_table(chunk):
        return chunk, None
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return chunk
    raise InvalidInputError(
        "y is missing; give one label a row, or as X an iterable of pairs (rows, labels). X holds a "
        f"{type(chunk).__name__}, which is no such pair."
    )
