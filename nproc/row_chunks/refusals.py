"""Values that a model refuses: which columns and rows they are in, and what to do about them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from scipy import sparse

from nproc.checks import differs_from_itself
from nproc.errors import FirstRowError, InvalidInputError, NPError, at_row
from nproc.row_chunks.mixing import members_among, places_in
from nproc.rows import (
    NEW_CATEGORY,
    NO_TEXT,
    UnseenCategoriesError,
    counting_rows,
    is_frame,
    take_rows,
    unseen_error,
    values_without_text,
)

MISSING, INFINITE, TEXT = "a missing value (NaN)", "an infinite value", "text"
NO_TEXT_VALUE = "a value that is no text"
# of any other kind, found by asking the model again
REFUSED = "the value"
# what libraries say of each; of other complaints gaps and infinite values are the likely causes, text is not: many
# models take it
_COMPLAINTS = (
    (MISSING, r"\bNaN\b|NAType|missing"),
    (INFINITE, r"infinit|\binf\b|too large"),
    (TEXT, r"could not convert|not numbers|must hold numbers|not a numeric dtype|to numeric"),
)
# of a table without names, and of a category that is new: gaps and infinite values are not at fault
_NO_FAULT = re.compile(r"Specifying the columns using strings|Found unknown categories")
# what `nproc.checks` says of the scores of a model
_SCORES_NOT_FINITE = re.compile(r"\(X\) must be finite, got")
MOST_COLUMNS = 5
_CORRECT = "Correct such values, or leave the rows out."
_IMPUTE = "Leave such rows out, or impute them as in the training data."
# numbers in which a comma stands for the decimal point, or between thousands
_WITH_COMMA = re.compile(r"\s*[-+]?\d[\d.]*(,\d+)+\s*")


@dataclass(frozen=True)
class Fault:
    """The first value of a column that a model may refuse: the column's name or place, what it is, its row from 0.

    The row is one of `table`, see `nproc.errors.at_row`.
    """

    column: object
    kind: str
    row: int
    value: object
    table: str = ""


class RefusedValuesError(FirstRowError):
    """Values that a model refuses, with their columns and rows, counted from the first row of the table.

    `rows`, a Boolean array, says which rows have such a value, where the model was asked for each of them.
    """

    faults, said, rows, place, advice = (), "", None, "", "new"

    @property
    def is_counted(self):
        """Whether `counted` counts the rows anew: not where the text names a place of its own, such as a file."""
        return bool(self.before) or self.place == self.argument

    def places_by(self, row_of, *, in_table=False):
        """Return the faults with their rows counted as `row_of` does."""
        return tuple(
            replace(fault, row=row_of(fault.row), table=fault.table if in_table else "") for fault in self.faults
        )

    def counted(self, row_of, *, in_table=False):
        """Return the same with the rows counted as `row_of` does."""
        if not self.is_counted:
            return self
        if self.before:
            again = super().counted(row_of, in_table=in_table)
            again.faults, again.said = self.places_by(row_of, in_table=in_table), self.said
        else:
            again = refused(self.places_by(row_of, in_table=in_table), self.said, self.place, self.advice)
            again.argument, again.fault = self.argument, self.fault
        again.rows = self.rows
        return again


def find_faults(X, said):
    """Return the `Fault` of each column that fits what a model said of a table; empty if there is none.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [np.nan, 3.0]])
    >>> [(fault.column, fault.kind, fault.row) for fault in find_faults(X, "Input X contains NaN.")]
    [(0, 'a missing value (NaN)', 1)]
    """
    if _NO_FAULT.search(said):
        return []
    if NO_TEXT.search(said):
        others = [] if sparse.issparse(X) else values_without_text(X)
        return [
            Fault(column, MISSING if value is None or differs_from_itself(value) else NO_TEXT_VALUE, row, value)
            for column, row, value in others
        ]
    kinds = {kind for kind, words in _COMPLAINTS if re.search(words, said)} or {MISSING, INFINITE}
    found = [_fault(name, values, kinds) for name, values in _columns_of(X)]
    found = [fault for fault in found if fault is not None]
    # a pipeline may code other columns of text, so that those with the very text that was refused are at fault
    named = [fault for fault in found if fault.kind == TEXT and repr(str(fault.value)) in said]
    return named or found


def is_about_values(said):
    """Return whether a model said that values are missing, infinite, or text among numbers."""
    words = (NO_TEXT.pattern, *(words for _, words in _COMPLAINTS))
    return not _NO_FAULT.search(said) and any(re.search(one, said) for one in words)


def refused(faults, said, place, advice):
    """Return the error that names the columns and rows of some faults.

    Parameters
    ----------
    faults : list of Fault
        At least one.
    said : str
        What the model said.
    place : str
        Of which rows.
    advice : {"new", "training", "threshold"}
        What the rows are for: to be predicted, to train a model or to set a threshold.
    """
    first, *others = (fault for fault in faults if fault.kind == faults[0].kind)
    if first.kind == REFUSED:
        return _refused_by_itself(first, said, place)
    value = {TEXT: f" {first.value!r}", NO_TEXT_VALUE: f" ({first.value!r})"}.get(first.kind, "")
    text = f"{place}: column {first.column!r} has {first.kind}{value}, the first {at_row(first.row, first.table)}"
    if others:
        shown = ", ".join(map(_shown, others[:MOST_COLUMNS]))
        text += f", and so {'has' if len(others) == 1 else 'have'} {shown}"
        text += f" and {len(others) - MOST_COLUMNS} more" * (len(others) > MOST_COLUMNS)
    # the first sentence: advice follows here
    cause = re.split(r"(?<=[a-z)])\. ", said)[0].rstrip(".")
    if _SCORES_NOT_FINITE.search(cause):
        cause = "not all scores are finite numbers"
    # the columns are named already
    is_told = advice == "new" and cause.startswith("X has columns that are not numbers")
    because = "" if is_told else f"; the model refuses it ({cause})"
    way_out = _remedy(first, advice)
    fault = {(TEXT, _CORRECT): "text in new rows", (MISSING, _IMPUTE): "gaps that are refused"}.get(
        (first.kind, way_out)
    )
    error = RefusedValuesError(f"{text}{because}.", fault=fault, way_out=way_out)
    error.faults, error.said, error.place, error.advice = tuple(faults), said, place, advice
    return error


def _refused_by_itself(fault, said, place):
    text = f"the model refuses {_row_alone(fault)}"
    if fault.column is not None:
        where = at_row(fault.row, fault.table)
        text = f"column {fault.column!r} has the value {fault.value!r} {where}; the model refuses it"
    way_out = "Correct this row, leave it out, or fit with a method that takes it."
    error = RefusedValuesError(f"{place}: {text} ({said.rstrip('.')}).", way_out=way_out)
    error.faults, error.said, error.place = (fault,), said, place
    return error


@contextmanager
def explaining(X, place="X", *, advice="new", row_of=None, search=None):
    """Name the columns and rows of what is refused inside, if it is about the values of the table `X`.

    Parameters
    ----------
    X : DataFrame, ndarray or sparse matrix
        The rows.
    place, advice
        As in `refused`.
    row_of : callable, optional
        Of the place of a row in `X`: that in the whole.
    search : callable, optional
        Of what the model said: the faults of the whole, where the rows of `X` are in another order.
    """
    try:
        yield
    except RefusedValuesError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        said = what_is_said(error)
        if isinstance(error, AttributeError) and not NO_TEXT.search(said):
            raise
        faults = find_faults(X, said)
        if faults and search is not None:
            faults = search(said)
        elif row_of is not None:
            faults = [replace(fault, row=row_of(fault.row)) for fault in faults]
        if not faults:
            raise
        raise refused(faults, said, place, advice) from error


@contextmanager
def showing_rows(table):
    """Tell where the rows are that a model refuses inside, as rows of `table`, see `nproc.errors.at_row`."""
    try:
        yield
    except UnseenCategoriesError as error:
        found = [replace(one, table=table) for one in error.found]
        raise unseen_error(found, error.rows, complete=error.complete).told(error.about) from error.__cause__
    except RefusedValuesError as error:
        if not error.is_counted or error.before:
            raise
        again = refused([replace(one, table=table) for one in error.faults], error.said, error.place, error.advice)
        again.argument, again.fault, again.rows = error.argument, error.fault, error.rows
        raise again from error.__cause__


@contextmanager
def noting_faults(X):
    """Add the faults of a table to an error inside that tells of them in words of its own."""
    try:
        yield
    except InvalidInputError as error:
        faults = find_faults(X, str(error)) if type(error) in (InvalidInputError, FirstRowError) else []
        if not faults:
            raise
        noted = error.as_kind(RefusedValuesError)
        noted.faults, noted.said = tuple(faults), error.fact
        if isinstance(error, FirstRowError):
            # the rows are those of the faults
            noted.row, noted.before, noted.after, noted.table = error.row, error.before, error.after, error.table
            noted.said = error.before + error.after
        raise noted from error


@contextmanager
def counting(place, row_of):
    """Put a place before the values that are refused inside, with the rows counted as `row_of` does.

    The rows with categories that are refused are counted so, too.
    """
    try:
        with counting_rows(row_of):
            yield
    except RefusedValuesError as error:
        # those of the argument X, say, are counted already
        again = refused(error.faults if error.is_counted else error.places_by(row_of), error.said, place, "new")
        again.rows = error.rows
        again.fault = error.fault if error.fault == NEW_CATEGORY else again.fault
        raise again from error


@contextmanager
def naming(place):
    """Put the place of some rows before the message of what refuses them, unless it names file and row itself."""
    try:
        yield
    except RefusedValuesError:
        raise
    except ValueError as error:
        kind = type(error) if isinstance(error, InvalidInputError) else InvalidInputError
        raise kind(f"{place}: {error}") from error


@contextmanager
def placing(place, row_of):
    """Put the place of a chunk before what is refused inside, with the rows counted over all chunks."""
    with naming(place), counting(place, row_of):
        yield


def what_is_said(error):
    """Return the message of an error of this package, and of another library what it says up to a line without colon.

    Examples
    --------
    >>> what_is_said(ValueError("Cannot use mean strategy:\\ncould not convert string to float: 'a'\\nMore about it."))
    "Cannot use mean strategy: could not convert string to float: 'a'"
    """
    if isinstance(error, NPError):
        return str(error)
    lines = str(error).splitlines() or [type(error).__name__]
    end = next((j for j, line in enumerate(lines) if not line.rstrip().endswith(":")), len(lines) - 1)
    return " ".join(line.strip() for line in lines[: end + 1])


def row_in_file(rows, number):
    """Return the place in the file of the row that comes as `number` of some `RowChunks`, from 0; nothing is read."""
    source, parts = rows.origin
    before = 0
    for places in places_in(source, parts) if parts or len(source.empty) else ():
        if number < before + places.size:
            return int(places[number - before])
        before += places.size
    return number


def first_faults(rows, said):
    """Return the faults of the first rows of some `RowChunks` that have any, with their places in the file."""
    source, parts = rows.origin
    for block in range(source.n_blocks):
        for numbers, X, _ in source.read(block, rows.chunk_size, "X"):
            chosen = np.flatnonzero(members_among(parts, numbers))
            faults = find_faults(take_rows(X, chosen), said) if chosen.size else []
            if faults:
                return [replace(fault, row=int(numbers[chosen[fault.row]])) for fault in faults]
    return []


def _columns_of(X):
    if is_frame(X):
        return [(name, X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if sparse.issparse(X):
        # gaps and infinite values are stored; what is not stored is 0
        X = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(X.data))
        few = sparse.csc_array((X.data[bad], (X.row[bad], X.col[bad])), shape=X.shape)
        return [(int(j), few[:, [j]].toarray().ravel()) for j in np.unique(X.col[bad])]
    X = np.asarray(X)
    return [(j, X[:, j]) for j in range(X.shape[1])] if X.ndim == 2 else []


def _fault(name, values, kinds):
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        texts, numbers = np.zeros(len(values), dtype=bool), np.asarray(values)
    else:
        import pandas as pd

        # pandas asks whether a signalling NaN equals itself, which it does not answer
        quiet = [np.nan if isinstance(value, Decimal) and value.is_nan() else value for value in values]
        plain = pd.Series(quiet, dtype=object)
        missing = plain.isna().to_numpy()
        # a whole number too large for a float counts as infinite
        small = plain.map(_as_readable)
        numbers = pd.to_numeric(small, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        texts = np.isnan(numbers) & ~missing
        values = plain.to_numpy()
    for kind, bad in ((TEXT, texts), (MISSING, np.isnan(numbers) & ~texts), (INFINITE, np.isinf(numbers))):
        if kind in kinds and bad.any():
            row = int(np.flatnonzero(bad)[0])
            return Fault(name, kind, row, np.asarray(values)[row])
    return None


def _as_readable(value):
    """Return what pandas makes a number of as it should: imaginary parts are not dropped."""
    if isinstance(value, int) and value.bit_length() > 1023:
        return np.inf
    if isinstance(value, complex | np.complexfloating):
        return "complex"
    return value


def _shown(fault):
    if fault.kind in (TEXT, NO_TEXT_VALUE):
        return f"{fault.column!r} ({fault.value!r} {at_row(fault.row, fault.table)})"
    return f"{fault.column!r} ({_row_alone(fault)})"


def _row_alone(fault):
    return at_row(fault.row, fault.table).removeprefix("in ").removeprefix("at ")


def _remedy(fault, advice):
    if fault.kind == TEXT and _WITH_COMMA.fullmatch(str(fault.value)):
        return (
            "It looks like a number with a decimal comma, which a file may have with decimal=',', or with commas "
            "between thousands; write the file again without those."
        )
    if advice == "new":
        return _CORRECT if fault.kind in (TEXT, NO_TEXT_VALUE) else _IMPUTE
    without = "leave the column out"
    if isinstance(fault.column, str):
        without += f" by drop=[{fault.column!r}] or features=[...] of read_in_chunks"
    trained = {
        TEXT: "give a pipeline, trained in memory, whose first step codes it",
        MISSING: "give a model that takes missing values, such as a pipeline with a trained imputer",
    }
    other = f", or {trained[fault.kind]}" if advice == "threshold" and fault.kind in trained else ""
    if fault.kind == TEXT:
        return (
            f"If it is a category, {without}{other}, or write the file with it coded as numbers; if it should be a "
            "number, correct it."
        )
    return f"Leave such rows out or fill them in when the file is written, or {without}{other}."
