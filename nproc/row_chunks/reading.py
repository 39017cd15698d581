"""From the name of a file to its rows in chunks."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from nproc.checks import check_count, check_path, is_label, shown
from nproc.errors import InvalidInputError
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.csv_files import CSV_ENDINGS, CSVSource
from nproc.row_chunks.parquet_files import PARQUET_ENDINGS, ParquetSource
from nproc.row_chunks.sources import DaskSource
from nproc.sequences import refuse_unordered


def is_file_name(X):
    """Return whether `X` is a path, or text that ends as the name of a file that `read_in_chunks` reads.

    Examples
    --------
    >>> is_file_name("loans.csv"), is_file_name("default ~ age")
    (True, False)
    """
    return isinstance(X, Path) or (isinstance(X, str) and X.lower().endswith(CSV_ENDINGS + PARQUET_ENDINGS))


def read_in_chunks(path, label, *, features=None, drop=(), class0=None, chunk_size=100_000, sep=None, decimal="."):
    """Return the rows of a file that may be larger than memory, to be read a chunk at a time.

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
        The separator of a CSV file, a single character; None is a comma, and a tab in ``.tsv``.
    decimal : str
        The decimal sign of the numbers in a CSV file: "." or ",".

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
    its first 10,000 rows: text further on in a column of numbers is an error. All lines of a CSV file are looked
    at once when it is opened. That takes about a third of the time of reading it, and as long as that where every field
    is quoted.

    Predictors are given on as they are: missing values as NaN, and text as text. Most models refuse both, those with
    ``partial_fit`` in particular; the error names file, column and row. Leave columns of text out by `drop`, or
    write the file with them coded as numbers, and rows with gaps out of the file, or fill them in. A pipeline that was
    trained in memory, with an encoder or imputer as its first step, takes them in `npc` with ``prefit=True``.

    A first column without a name in a CSV file, and the index of pandas in a Parquet file, hold row names and are no
    predictors. Columns without a name at the end of a CSV file are left out if they are empty throughout.

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
            f"path must be a file or a folder, got {type(path).__name__}; for arrays use RowChunks.from_arrays(X, y)."
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
        source = CSVSource(path, label, features, drop, sep, decimal, chunk_size)
    else:
        known = ", ".join(CSV_ENDINGS + PARQUET_ENDINGS)
        raise InvalidInputError(f"the file {path} has an unknown extension; the known ones are {known}.")
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
