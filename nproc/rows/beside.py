"""What stands beside the rows, one value each: columns that are given by their names, and rows with gaps left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.checks import check_choice, counts_named, rows_in, with_rows_in
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows.formulas import formula_columns
from nproc.rows.frames import as_column, as_table, counting_rows, is_frame, listed, near_names
from nproc.rows.keys import n_rows, take_rows
from nproc.rows.matching import check_same_rows

NA_ACTIONS = ("error", "omit")


@dataclass(frozen=True)
class GivenRows:
    """The arguments of one call that have one entry a row, as they go on.

    Attributes
    ----------
    X, y, data : object
        As in `npc`.
    sample_weight, groups, clusters : object
        Likewise; a weight that was given as the name of a column is that column, which is no longer in the table.
        Groups and clusters may be names of columns until `nproc.groups.umbrella_for` has read them.
    n_omitted : int
        Rows that were left out because a value was missing.
    places : array of int or None
        The places of the others in the table of the user, from 0; None where no row was left out.
    """

    X: object
    y: object
    data: object
    sample_weight: object = None
    groups: object = None
    clusters: object = None
    n_omitted: int = 0
    places: object = None

    def counted(self):
        """Return a block in which what is said of a row counts the rows of the table of the user."""
        return nullcontext() if self.places is None else counting_rows(lambda row: int(self.places[row]), in_table=True)


def take_column(given, name, X, data=None):
    """Return the rows and the table without the column `given`, unless a formula names it, and the column.

    Parameters
    ----------
    given : str
        Name of a column of `data` or, without it, of `X`.
    name : str
        Name of the argument, for messages.
    X : table or str
        The rows, or a formula with `data`.
    data : DataFrame, optional
        The table of a formula.

    Returns
    -------
    X, data, column
    """
    table = table_beside(X, data, name)
    column = column_of(table, given, name, "X" if data is None else "data")
    if data is None:
        return table.drop(columns=[given]), None, column
    if isinstance(X, str) and re.search(rf"(?<!\w){re.escape(given)}(?!\w)", X):
        return X, data, column
    return X, table.drop(columns=[given]), column


def table_beside(X, data, name):
    """Return the table that an argument has one value a row of: that of the formula, or the rows themselves."""
    table = plain_frame(X if data is None else data)
    if table is None or isinstance(table, str):
        raise InvalidInputError(f"{name} was given without rows. Give a table as X, or a formula together with data=.")
    return table


def column_of(table, column, name, of="X"):
    """Return a column of a frame by its name; an error if there is none. `of` is the name of the frame."""
    if not is_frame(table):
        raise InvalidInputError(
            f"{name}={column!r} names a column, and the rows are a {type(table).__name__} without names; give a "
            "DataFrame, or one value a row."
        )
    if column not in table.columns:
        meant = near_names([column], table.columns)
        raise InvalidInputError(
            f"{name}={column!r} is no column of the data; the columns are {listed(table.columns)}. {meant}".rstrip()
        )
    rows = f"{of}[{column!r}]{rows_in(table, '')}"
    return with_rows_in(table[column], rows)


def name_in_table(values, table):
    """Return the name of one value a row where a frame has a column of that name with these very values; else None.

    A pandas Series keeps its name when it is computed with, so that the name alone does not say what its values are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"flag": [0, 1, 1]})
    >>> name_in_table(table["flag"], table), name_in_table(1 - table["flag"], table)
    ('flag', None)
    """
    name = getattr(values, "name", None)
    if name is None or getattr(values, "ndim", 1) != 1 or not is_frame(table) or name not in table.columns:
        return None
    column = table[name]
    if len(column) != len(values) or _missing(column).any() or _missing(values).any():
        return None
    return name if np.array_equal(np.asarray(column), np.asarray(values)) else None


def plain_frame(X):
    """Return a pandas frame of the frame of another library; anything else as it is."""
    return as_table(X, "X") if hasattr(type(X), "columns") and not is_frame(X) else X


def table_of_formula(X, y, data):
    """Return the labels and the table, where a table may follow a formula in the place of the labels, as in R.

    Examples
    --------
    >>> table_of_formula("y ~ a", {"y": [0, 1], "a": [0.5, 1.5]}, None)
    (None, {'y': [0, 1], 'a': [0.5, 1.5]})
    """
    # a dict is told later that a table is needed
    if isinstance(X, str) and data is None and (hasattr(type(y), "columns") or isinstance(y, Mapping)):
        return None, y
    return y, data


def read_given(X, y, data, *, na_action, sample_weight=None, groups=None, clusters=None):
    """Return `GivenRows`: a weight by its name becomes a column, and rows with gaps go if `na_action` is "omit".

    A table that follows a formula, in the place of the labels, is its `data`.

    Raises
    ------
    InvalidInputError
        If a column does not exist, or no row is without a gap.

    Warns
    -----
    NPWarning
        How many rows were left out, and for which columns.
    """
    check_choice(na_action, "na_action", NA_ACTIONS)
    y, data = table_of_formula(X, y, data)
    if isinstance(sample_weight, str):
        X, data, sample_weight = take_column(sample_weight, "sample_weight", X, data)
    beside = {"y": y, "sample_weight": sample_weight, "groups": groups, "clusters": clusters}
    if na_action == "error":
        return GivenRows(X, data=data, **beside)
    X, data = plain_frame(X), plain_frame(data)
    if callable(getattr(X, "rows", None)):
        raise InvalidInputError(
            "na_action='omit' cannot be used with rows in chunks. Leave out rows with missing values where the chunks "
            "are made.",
            argument="na_action",
        )
    table = X if data is None else data
    if table is None or isinstance(table, str):
        # a formula without its table, of which there are better words elsewhere
        return GivenRows(X, data=data, **beside)
    table = table if is_frame(table) or sparse.issparse(table) else as_table(table, "X")
    check_same_rows(**{"X" if data is None else "data": table}, **beside)
    gaps = gaps_of_table(table, X if data is not None else None, [g for g in (groups, clusters) if isinstance(g, str)])
    empty = [name for name, rows in gaps.items() if rows.all()] if is_frame(table) else []
    for name, given in beside.items():
        if given is not None and not isinstance(given, str):
            beside[name] = given = as_column(given, name)
            if n_rows(given) == n_rows(table):
                gaps[_name_of(given, name, gaps)] = _missing(given)
    gaps = {name: rows for name, rows in gaps.items() if rows.any()}
    if not gaps:
        return GivenRows(X, data=data, **beside)
    keep = np.flatnonzero(~np.any(list(gaps.values()), axis=0))
    n_omitted = n_rows(table) - keep.size
    where = counts_named((name, int(rows.sum())) for name, rows in gaps.items())
    if keep.size == 0:
        way_out = "Leave out columns, or impute the values."
        if empty:
            way_out = f"Leave out column(s) {listed(empty)}, which have no value in any row."
        raise InvalidInputError(
            f"every row has a missing value, in {where}, so na_action='omit' leaves no row. {way_out}",
            argument="na_action",
        )
    warn_at_call(
        f"na_action='omit' left out {n_omitted} of {n_rows(table)} rows with missing values, in {where}. All "
        "statements about the errors then hold for rows without missing values.",
        NPWarning,
    )
    for name, given in beside.items():
        if given is not None and not isinstance(given, str) and n_rows(given) == n_rows(table):
            beside[name] = _taken(given, keep)
    if data is None:
        X = take_rows(table, keep)
    else:
        data = take_rows(table, keep)
    return GivenRows(X, data=data, n_omitted=n_omitted, places=keep, **beside)


def gaps_of_table(table, formula=None, members=()):
    """Return by name which rows of a table have a gap: by column of a frame, those of the formula if there is one."""
    if sparse.issparse(table):
        entries = table.tocoo()
        gaps = np.zeros(table.shape[0], dtype=bool)
        gaps[entries.row[np.isnan(entries.data)]] = True
        return {"X": gaps}
    if not is_frame(table):
        return {"X": _missing(table)}
    columns = table.columns if formula is None else [*formula_columns(formula, table), *members]
    return {str(column): _missing(table[column]) for column in dict.fromkeys(columns)}


def _name_of(values, argument, taken):
    """Return the name of a pandas Series, by which the user knows it; that of the argument for anything else."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name and name not in taken else argument


def _missing(values):
    import pandas as pd

    gaps = np.asarray(pd.isna(values if hasattr(values, "iloc") else np.asarray(values)))
    return gaps if gaps.ndim == 1 else gaps.reshape(len(gaps), -1).any(axis=1)


def _taken(values, keep):
    return [values[j] for j in keep] if isinstance(values, tuple) else take_rows(values, keep)
