"""Rows that come in chunks: an iterable of tables or of pairs with labels, told apart from a single table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nproc.errors import InvalidInputError


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


def tables_in(chunks, columns):
    """Return an iterator over tables.

    Parameters
    ----------
    chunks : iterable of tables, object with ``rows()``, or path
        As `NPFit.predict_chunks` takes it.
    columns : list or None
        The columns that are read from a file; None for all.

    Raises
    ------
    InvalidInputError
        For a single table, or what cannot be iterated over.
    """
    if isinstance(chunks, str | Path):
        from nproc.row_chunks.reading import read_in_chunks

        return read_in_chunks(chunks, None, features=columns).rows()
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
    if chunk is None or (isinstance(chunk, tuple) and any(map(is_table, chunk))):
        raise InvalidInputError(
            f"chunks must give tables of rows, and gave a {type(chunk).__name__}. Pairs (rows, labels) go to evaluate; "
            "for the labels called leave out the true ones, as in (X for X, y in chunks)."
        )
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
