"""From the name of a file to its rows in chunks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from nproc.checks import check_count, check_path, is_label, refuse_unordered, shown, tells_names
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.csv_files import CSV_ENDINGS, CSVSource, unknown_extension
from nproc.row_chunks.refusals import placing, row_in_file
from nproc.row_chunks.sources import PARQUET_ENDINGS, DaskSource, ParquetSource
from nproc.rows import as_table, is_frame


def is_file_name(X):
    """Return whether `X` is a path, or text that ends as the name of a file that `read_in_chunks` reads.

    Examples
    --------
    >>> is_file_name("loans.csv"), is_file_name("default ~ age")
    (True, False)
    """
    return isinstance(X, Path) or (isinstance(X, str) and X.lower().endswith(CSV_ENDINGS + PARQUET_ENDINGS))


CHUNK_ROWS = 100_000


@tells_names
def read_in_chunks(
    path: str,
    label: str | None,
    *,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    class0: object = None,
    chunk_size: int = CHUNK_ROWS,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> RowChunks:
    """Open a file that may be larger than memory, to read its rows a chunk at a time.

    Parameters
    ----------
    path : str, path or Dask DataFrame
        A Parquet file, a folder of Parquet files with the same columns, or a CSV file (``.csv``, ``.tsv`` or ``.txt``,
        also with ``.gz``).
    label : str or None
        The column of labels. None for rows without labels, of which `RowChunks.rows` alone can be used.
    features : list of str, optional
        The columns that predict; None takes all others. Those not asked for are not read.
    drop : list of str
        Columns that are no predictors.
    class0 : label, optional
        The label whose misclassification is controlled, where it is not the first in sorted order.
    chunk_size : int
        Rows of a chunk, above 0.
    sep : str, optional
        The separator of a CSV file, a single character; None is a comma, and a tab in ``.tsv``. With
        ``decimal=","`` None is the separator that the header and the first rows show; where that is a comma, numbers
        with a comma must stand within quotation marks.
    decimal : str, optional
        The decimal sign of the numbers in a CSV file: "." or ",". None is a point, but a predictor is refused if its
        points may stand between thousands.
    encoding : str, optional
        The encoding of a CSV file, such as "cp1252" for files of Excel on Windows; None is UTF-8. A file that begins
        with the mark of UTF-8 is read as UTF-8 whatever is given.

    Returns
    -------
    RowChunks

    Raises
    ------
    InvalidInputError
        There is no such file, it cannot be read, is empty, lacks a column that is asked for, has an unknown extension,
        or pyarrow is missing; a line of a CSV file is blank before the end, or has more or fewer fields than the
        header; or a predictor is text that looks like numbers with another decimal sign.

    See Also
    --------
    RowChunks.from_arrays : the same for arrays and memory maps.
    train_in_chunks : training on such rows.

    Notes
    -----
    The file must not change between two passes, which is checked; a Dask DataFrame must give the same rows in every
    pass, of which only the labels are counted. In a CSV file numbers are float64, as whole numbers
    may have missing ones further on (but for labels, which stay whole), and the type of each column is that of
    its first 10,000 rows: text further on in a column of numbers is an error. A column with leading zeros anywhere, as
    in 007, holds codes and is text. All lines of a CSV file are looked at once when it is opened. That takes about
    three quarters of the time of reading it, and longer where every field is quoted.

    Predictors are given on as they are: missing values as NaN, and text as text. Most models refuse both, those with
    ``partial_fit`` in particular; the error names file, column and row. Leave columns of text out by `drop`, or
    write the file with them coded as numbers, and rows with gaps out of the file, or fill them in. A pipeline that was
    trained in memory, with an encoder or imputer as its first step, takes them in `npc` with ``prefit=True``.

    A first column without a name in a CSV file, and the index of pandas in a Parquet file, hold row names and are no
    predictors. Columns without a name at the end of a CSV file are left out if they are empty throughout. Rows of a CSV
    file with nothing in any column are skipped with a warning; the other rows keep their numbers in messages.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/loans.csv"
    >>> pd.DataFrame({"income": range(10), "default": ["no", "yes"] * 5}).to_csv(path, index=False)
    >>> rows = read_in_chunks(path, "default", class0="yes", chunk_size=4)
    >>> [(len(X), y.tolist()) for X, y in rows][-1]
    (2, ['no', 'yes'])
    >>> rows.n_rows, rows.label_counts()
    (10, {'no': 5, 'yes': 5})
    >>> folder.cleanup()
    """
    chunk_size = check_count(chunk_size, "chunk_size")
    if label is not None and not (isinstance(label, Hashable) and is_label(label)):
        raise InvalidInputError(f"label must be the name of one column, or None, got {shown(label)}.")
    features, drop = _names(features, "features"), _names(drop, "drop")
    if hasattr(path, "get_partition"):
        return RowChunks(DaskSource(path, label, features, drop), chunk_size, class0)
    if isinstance(path, list | tuple | set):
        raise InvalidInputError(
            f"path must be one file or folder, got a {type(path).__name__} of {len(path)}. Put files together by "
            "giving the path of a folder of Parquet files with the same columns."
        )
    if not isinstance(path, str | Path):
        raise InvalidInputError(
            f"path must be a file or a folder, got {type(path).__name__}; for arrays use "
            "nproc.row_chunks.RowChunks.from_arrays(X, y)."
        )
    path = check_path(path, "path")
    if not path.exists():
        pattern = any(sign in str(path) for sign in "*?[")
        several = " Patterns are not read; a folder of Parquet files with the same columns is read as one." * pattern
        raise InvalidInputError(f"there is no file or folder {path}.{several}")
    name = path.name.lower()
    if path.is_dir() or name.endswith(PARQUET_ENDINGS):
        source = ParquetSource(path, label, features, drop)
    elif name.endswith(CSV_ENDINGS):
        source = CSVSource(path, label, features, drop, chunk_size, sep=sep, decimal=decimal, encoding=encoding)
    else:
        raise InvalidInputError(unknown_extension(path, CSV_ENDINGS + PARQUET_ENDINGS))
    return RowChunks(source, chunk_size, class0)


def _names(columns, name):
    """Return column names as a list, or None."""
    if columns is None:
        return None
    refuse_unordered(columns, name)
    several = hasattr(columns, "__len__") and getattr(columns, "ndim", 1) == 1 and not isinstance(columns, str | bytes)
    if not several or not all(isinstance(column, Hashable) for column in columns):
        raise InvalidInputError(
            f"{name} must be a list of column names, such as ['age', 'income'], got {shown(columns)}."
        )
    return list(columns)


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


def rows_of_path(chunks, columns, texts=None):
    """Return the `RowChunks` of a path, of which `columns` are read (None: all), and what is no path as it is.

    `texts` are columns of a CSV file that hold text, as `nproc.rows.Design.texts` has them.
    """
    if not isinstance(chunks, str | Path):
        return chunks
    path = check_path(chunks, "chunks")
    if not path.name.lower().endswith(CSV_ENDINGS) or not path.is_file():
        return read_in_chunks(path, None, features=columns)
    texts = {**dict.fromkeys(columns or ()), **(texts or {})}
    return RowChunks(CSVSource(path, None, columns, (), CHUNK_ROWS, texts=texts), CHUNK_ROWS, None)


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
    return placing(f"{name_of(chunks)}, chunk {number}", places_in_all(chunks, done))


def places_in_all(chunks, done):
    """Return a function from the place of a row in a chunk, before which there were `done` rows, to that in all."""
    return lambda row: row_in_file(chunks, done + row) if isinstance(chunks, RowChunks) else done + row


def warn_if_none(n_chunks, name):
    """Warn that there was no chunk."""
    if n_chunks == 0:
        warn_at_call(
            f"{name} gave no table of rows at all. A generator gives its tables only once and may be used up. Make it "
            "again, or give the path of a file or RowChunks, which can be read again.",
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
            "to get the predicted labels, leave out the true ones, as in (X for X, y in chunks)."
        )
    if not is_table(chunk) and not isinstance(chunk, list):
        raise InvalidInputError(f"chunks must give tables of rows, and gave {shown(chunk)}.")
    return chunk


def pair_of(chunk: Any) -> tuple[Any, Any]:
    """Return the rows and labels of a chunk; a table alone, for a fit by formula, holds its labels itself."""
    if is_table(chunk):
        return chunk, None
    if isinstance(chunk, tuple) and len(chunk) == 2:
        return chunk
    raise InvalidInputError(
        "y is missing; give one label a row, or as X an iterable of pairs (rows, labels). X holds a "
        f"{type(chunk).__name__}, which is not a pair."
    )
