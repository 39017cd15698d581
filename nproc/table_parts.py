"""Files of many rows for the command line: parts of a table with the types of columns that the whole would have."""

from __future__ import annotations

import numpy as np

from nproc import tabular

PART_ROWS = 100_000
_OF_KIND = {"integer": "int64", "floating": "float64", "boolean": "bool", "string": "str", "empty": "float64"}


def common_types(path, columns, *, sep=None, decimal="."):
    """Return the types that columns have in a whole file, or None where only reading it as a whole would tell.

    Parameters
    ----------
    path : str or path
        A file that `nproc.tabular.read_table` reads.
    columns : collection of str or None
        The columns that matter; None for all.
    sep : str, optional
        Separator of a CSV file.
    decimal : str
        Its decimal sign.

    Returns
    -------
    dict or None
        Name to type. None for a file of at most `PART_ROWS` rows, for what is no file, and for columns of dates,
        categories or a mixture of true, false and gaps, which are written according to all of their values.

    Notes
    -----
    One pass over the file. pandas takes a column for numbers if all of its values are: whole ones in one part and a gap
    in another make it decimal throughout, and text anywhere makes it text.
    """
    kind = tabular.kind_of_file(path)
    if kind is None:
        return None
    found, n_parts = {}, 0
    for part in _parts(path, kind, sep, decimal, None):
        n_parts += 1
        for name in part.columns if columns is None else [c for c in part.columns if c in columns]:
            found.setdefault(name, set()).add(_kind_of(part[name]))
    if n_parts < 2:
        return None
    types = {name: _common(kinds, kind) for name, kinds in found.items()}
    return None if None in types.values() else types


def read_parts(path, types, *, sep=None, decimal="."):
    """Return an iterator over parts of a table of `PART_ROWS` rows, with the `types` that `common_types` found."""
    return _parts(path, tabular.kind_of_file(path), sep, decimal, types)


def _parts(path, kind, sep, decimal, types):
    if kind == "csv":
        yield from tabular.csv_parts(path, sep, decimal, PART_ROWS, types)
        return
    for part in tabular.parquet_parts(path, PART_ROWS):
        whole = {} if types is None else {name: "float64" for name in types if types[name] == "float64"}
        yield part.astype(whole)


def _kind_of(values):
    import pandas as pd

    if not isinstance(values.dtype, np.dtype) and not pd.api.types.is_string_dtype(values.dtype):
        return "other"
    if values.dtype.kind in "Mmu":
        return "other"
    if values.isna().all():
        return "empty"
    found = pd.api.types.infer_dtype(values, skipna=True)
    if values.dtype == object and found != "string":
        # such as whole numbers of more than 64 bits, which no plain dtype holds
        return "other"
    # gaps in whole numbers make them decimal at once, and true and false a mixture
    complete = found != "boolean" or not values.isna().any()
    return found if found in _OF_KIND and complete else "other"


def _common(kinds, file):
    numbers = {"integer", "floating", "empty"}
    if len(kinds) == 1 and kinds <= set(_OF_KIND):
        return _OF_KIND[next(iter(kinds))]
    if kinds <= numbers:
        return "float64"
    # of a CSV file the text itself is there; a gap is one in text, too
    if "string" in kinds and kinds <= ({"string", "empty"} if file == "parquet" else set(_OF_KIND)):
        return "str"
    return None
