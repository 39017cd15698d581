"""What row belongs to which group or cluster: read once, checked, and found again in new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import differs_from_itself, refuse_masked, rows_in
from nproc.errors import FirstRowError, InvalidInputError
from nproc.rows import (
    as_column,
    check_same_rows,
    column_of,
    is_frame,
    listed,
    n_rows,
    name_in_table,
    plain_frame,
    table_beside,
    take_column,
)


@dataclass(frozen=True)
class Membership:
    """The groups, or clusters, of some rows.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position in `values` of the group of each row.
    values : tuple
        The distinct groups, in sorted order where they can be sorted.
    column : object
        Name of the column of the table that has them, or None.
    """

    codes: np.ndarray
    values: tuple
    column: object = None

    @property
    def size(self):
        """Number of groups."""
        return len(self.values)

    def counts(self, chosen):
        """Return how many of the rows `chosen` (a Boolean array) each group has."""
        return np.bincount(self.codes[chosen], minlength=self.size)

    def parts(self, scores, rows):
        """Return the scores of some rows, given by position, as a tuple with those of each group."""
        return tuple(scores[self.codes[rows] == code] for code in range(self.size))


def read_membership(given, name, X, data=None):
    """Return the rows without the column that `given` names, the table likewise, and the `Membership`.

    Parameters
    ----------
    given : array-like, shape (n,), or str
        A hashable value a row, or the name of a column of `data` or, without it, of `X`.
    name : str
        Name of the argument, for messages.
    X : table or str
        The rows, or a formula with `data`.
    data : DataFrame, optional
        The table of a formula.

    Returns
    -------
    X, data, Membership
        A named column is taken out of the table, so that it does not predict, unless a formula names it.
    """
    column = None
    if isinstance(given, str):
        column = given
        X, data, given = take_column(column, name, X, data)
    table = table_beside(X, data, name)
    check_same_rows(**{"X" if data is None else "data": table, name: given})
    labels = plain_labels(given, name)
    if len(labels) != n_rows(table):
        raise InvalidInputError(
            f"{name} has {len(labels)} values and there are {n_rows(table)} rows; every row needs exactly one."
        )
    if column is None:
        values = as_column(given, name)
        column = name_in_table(values if hasattr(values, "iloc") else given, table)
    return X, data, Membership(*_coded(given, labels), column)


def plain_labels(given, name):
    """Return a list of hashable values without a missing one."""
    refuse_masked(given, name)
    rows = rows_in(given, name)
    given = as_column(given, name)
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    # of bytes numpy and list make numbers
    of_bytes = isinstance(given, bytes | bytearray)
    if of_bytes or getattr(given, "ndim", 1) != 1 or not hasattr(given, "__len__"):
        raise InvalidInputError(f"{name} must be one value a row, or the name of a column, got {type(given).__name__}.")
    # tolist makes numbers of dates
    plain = hasattr(given, "tolist") and getattr(getattr(given, "dtype", None), "kind", "O") not in "mM"
    labels = given.tolist() if plain else list(given)
    try:
        # equal labels are one key; NaN is not equal to itself, and stays
        distinct = dict.fromkeys(labels)
        strange = any(label is None or differs_from_itself(label) for label in distinct)
        every = enumerate(labels) if strange else ()
        missing = [row for row, label in every if label is None or differs_from_itself(label)]
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{name} must hold values that can be compared and hashed, such as texts or numbers ({error})."
        ) from error
    if missing:
        raise FirstRowError.at(
            missing[0],
            f"{name} has {len(missing)} missing value(s) (None or NaN)",
            "; leave out these rows, or give them a value of their own.",
            table=rows,
            argument=name,
        )
    if not labels:
        raise InvalidInputError(f"{name} is empty; give one value a row.")
    return labels


def find_labels(given, name, X, column):
    """Return the labels of new rows: those given, those of a column named, or of the column of the fit; else None."""
    X = plain_frame(X)
    if isinstance(given, str):
        given = column_of(X, given, name)
    elif given is not None:
        check_same_rows(**{"X": X, name: given})
    elif column is not None and is_frame(X) and column in X.columns:
        given = column_of(X, column, name)
    return None if given is None else plain_labels(given, name)


def own_name(given):
    """Return the name of the column or Series of the labels that a user gave; None if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> own_name("patient"), own_name(pd.Series([1], name="visit")), own_name([1])
    ('patient', 'visit', None)
    """
    name = given if isinstance(given, str) else getattr(given, "name", None)
    # a Series of polars without a name has an empty one
    return None if name == "" else name


def encode_members(labels, values, name, n, column=None):
    """Return the position in `values` of each of `n` labels; a value that the fit did not have is an error.

    Labels that were not given, but taken from a column of the rows, are told by the name of that `column`.
    """
    if len(labels) != n:
        raise InvalidInputError(f"{name} has {len(labels)} values and X has {n} rows; every row needs exactly one.")
    code_of = {value: code for code, value in enumerate(values)}
    unknown = next((label for label in labels if label not in code_of), None)
    if unknown is not None:
        source = name if column is None else f"the column {column!r} of X, from which {name} is taken,"
        others = "" if column is None else f"give other values as {name}=, "
        raise InvalidInputError(
            f"{source} has the value {unknown!r}, which has no threshold: the fit had {listed(values)}. Leave these "
            f"rows out, {others}or fit with class 0 rows of that group."
        )
    return np.array([code_of[label] for label in labels], dtype=np.intp)


def codes_of_groups(groups, values, n):
    """Return the position in `values` of the group of each of `n` scores, as a user gives it."""
    return encode_members(plain_labels(groups, "groups"), values, "groups", n)


def without_column(X, column, required):
    """Return new rows without the column of the groups, where that is none of the predictors."""
    X = plain_frame(X)
    extra = column is not None and is_frame(X) and column in X.columns and column not in (required or ())
    return X.drop(columns=[column]) if extra else X


def _coded(given, labels):
    """Codes and distinct values of labels; those of an array of numbers or texts without a loop over rows."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "biufU":
        values, codes = np.unique(given.ravel(), return_inverse=True)
        return codes, tuple(values.tolist())
    values = _in_order(dict.fromkeys(labels))
    code_of = {value: code for code, value in enumerate(values)}
    return np.array([code_of[label] for label in labels], dtype=np.intp), values


def _in_order(values):
    try:
        return tuple(sorted(values))
    except TypeError:
        return tuple(sorted(values, key=lambda value: (type(value).__name__, repr(value))))
