"""Scores of new rows, and which of the rows a method refuses: it is asked again for some of them at a time."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from nproc.checks import differs_from_itself
from nproc.errors import InvalidInputError, NPError, changed_filter, is_of_library, with_kind
from nproc.row_chunks.refusals import (
    MISSING,
    MOST_COLUMNS,
    REFUSED,
    Fault,
    RefusedValuesError,
    find_faults,
    is_about_values,
    refused,
    what_is_said,
)
from nproc.rows import NEW_CATEGORY, NO_TEXT, Unseen, is_frame, take_rows, unseen_error

# what encoders of several libraries say
_NEW_CATEGORY = re.compile(
    r"(unknown|unexpected|unseen|new) (categor|label|level)|previously unseen|category not in the training", re.I
)
_LISTED = re.compile(r"(?:categories|labels|levels|category)\W*?[:\s]\s*[\[{(](.*)[\]})]", re.I)
_WORDS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,()\[\]{}]+""")
_NOT_FINITE = re.compile(r"infinit|\binf\b|too large for")
# rows that are asked for one that is taken, where the first is refused
_TRIED = 20
# different values of a column that are tried one by one, where the model names one of the new ones at a time
_MOST_VALUES = 500
_GAPS = {"None", "nan", "NaT", "<NA>"}
# of Python's errors those that a model may refuse rows with
_REFUSING = (ValueError, TypeError, LookupError, AttributeError)
REFUSED_BY_METHOD = "rows that the method refuses"


def score_new_rows(score, X, *, start=0, n_rows=None, name="X"):
    """Return the scores of new rows by a trained model; what it refuses is told with the columns and rows.

    Parameters
    ----------
    score : callable
        Takes rows and returns their scores.
    X : DataFrame, ndarray or sparse matrix, n rows
        The rows.
    start, n_rows : int
        Where the rows of `X` begin among all rows, and how many those are.
    name : str
        Name of the argument, for messages.

    Returns
    -------
    scores : ndarray
        What `score` returns.

    Raises
    ------
    UnseenCategoriesError
        If the model knows of categories, and rows have others.
    RefusedValuesError
        If it refuses a row for another reason.
    InvalidInputError
        If it refuses the rows, and no row is at fault.

    Examples
    --------
    >>> def by_name(X):
    ...     return np.array([{"low": 0.0, "high": 1.0}[str(name)] for name in X[:, 0]])
    >>> score_new_rows(by_name, np.array([["low"], ["high"], ["none"]]))
    Traceback (most recent call last):
    ...
    nproc.row_chunks.refusals.RefusedValuesError: X: column 0 has the value 'none' in row 3; the model refuses it \
('none'). Correct this row, leave it out, or fit with a method that takes it.
    """
    score = partial(_without_unused, score)
    try:
        return score(X)
    except Exception as error:
        # libraries may have classes of errors of their own
        of_library = is_of_library(error)
        if not of_library and not isinstance(error, _REFUSING):
            raise
        said, is_told = what_is_said(error), isinstance(error, NPError)
        no_word = isinstance(error, AttributeError) and not NO_TEXT.search(said)
        faults = [] if no_word else find_faults(X, said)
        if not is_told and not (faults and is_about_values(said)):
            found = _refusal(X, error, score, start, n_rows, name)
            if found is None and _NEW_CATEGORY.search(said):
                found = _refused_gaps(X, score, start, n_rows, name)
            # where all rows are too large, no column of a row that is taken tells which is at fault
            if found is not None and not (_names_no_column(found) and _too_large(X, said, name)):
                raise found from error
        # gaps and infinite values are likely causes
        if faults and not isinstance(error, RefusedValuesError | LookupError):
            faults = [replace(one, row=start + one.row) for one in faults]
            found = refused(faults, said, name, "new")
            found.argument, found.rows = name, _rows_with_gaps(X, found.faults, score, start, n_rows)
            raise found from error
        # scores that are not finite may have another cause
        large = None if faults or is_told else _too_large(X, said, name)
        if large is not None:
            raise large from error
        if is_told or not (of_library or isinstance(error, ValueError | LookupError)):
            raise
        in_words = with_kind(error) if isinstance(error, LookupError) else said.rstrip(".")
        raise InvalidInputError(
            f"the method refuses these rows: {in_words}.",
            fault=REFUSED_BY_METHOD,
            value=said,
            way_out="Correct them, leave them out, or fit with a method that takes them.",
        ) from error


def _names_no_column(error):
    return isinstance(error, RefusedValuesError) and all(fault.column is None for fault in error.faults)


def _too_large(X, said, name):
    """Return the error that names columns of numbers whose squares are infinite, if something infinite is refused."""
    if not _NOT_FINITE.search(said):
        return None
    # a rule is applied without scikit-learn
    from nproc.scorers import too_large_error

    return too_large_error(X, "the model", name, way_out="Correct such values, or leave these rows out.")


def _without_unused(score, X):
    """Return the scores of rows, if need be without the last categories of a column that none of them has.

    XGBoost refuses a new category also where it stands in the type of a column alone.
    """
    try:
        return score(X)
    except Exception as error:
        fewer = _with_fewer_categories(X) if _NEW_CATEGORY.search(str(error)) else None
        if fewer is None:
            raise
    return score(fewer)


def _with_fewer_categories(X):
    """Return a frame whose columns have no categories behind the last that a row has; None where none has."""
    changed = {}
    for j, kind in enumerate(X.dtypes if is_frame(X) else ()):
        if hasattr(kind, "categories"):
            values = X.iloc[:, j].array
            n_kept = max(int(values.codes.max(initial=0)) + 1, 1)
            if n_kept < len(kind.categories):
                changed[j] = values.set_categories(kind.categories[:n_kept])
    if not changed:
        return None
    fewer = X.copy()
    for j, values in changed.items():
        fewer.isetitem(j, values)
    return fewer


def _refused_gaps(X, score, start, n_rows, name):
    """Return the error for gaps that are refused in rows of which others have new categories; None if none are."""
    rows = _rows_with_gaps(X, find_faults(X, MISSING), score, start, n_rows)
    if rows is None:
        return None
    places = np.flatnonzero(rows) - start
    said = what_is_said(_error_of(score, X, places[:1]))
    faults = [replace(one, row=start + int(places[one.row])) for one in find_faults(take_rows(X, places), MISSING)]
    found = refused(faults, said, name, "new")
    found.argument, found.rows = name, rows
    return found


def _rows_with_gaps(X, faults, score, start, n_rows):
    """Return which rows are refused for gaps in the columns of some faults; None where that is not known.

    Rows with gaps in the same columns are taken for alike, and a few of them are asked for.
    """
    names = [fault.column for fault in faults if fault.kind == MISSING]
    if not names or faults[0].kind != MISSING or sparse.issparse(X):
        return None
    columns = [j for j in range(X.shape[1]) if _name_of(X, j) in names]
    gaps = np.column_stack([[_is_missing(value) for value in _values(X, j, np.arange(X.shape[0]))] for j in columns])
    patterns, of_row = np.unique(gaps, axis=0, return_inverse=True)
    rows = np.zeros(X.shape[0] if n_rows is None else n_rows, dtype=bool)
    for pattern in np.flatnonzero(patterns.any(axis=1))[:_MOST_VALUES]:
        alike = np.flatnonzero(of_row.ravel() == pattern)
        errors = (_error_of(score, X, alike[[k]]) for k in range(min(alike.size, _TRIED)))
        rows[start + alike] = any(error is not None and is_about_values(what_is_said(error)) for error in errors)
    return rows if rows.any() else None


def _refusal(X, error, score, start, n_rows, name):
    """Return the error that names the rows of `X` that the model refuses by themselves; None if no row is at fault."""
    n = X.shape[0]
    n_rows = n if n_rows is None else n_rows
    rest, unseen, rows = np.arange(n), [], np.zeros(n_rows, dtype=bool)
    # each round finds the new categories of a column, or one of them; the second in a column finds the others
    for _ in range(MOST_COLUMNS):
        fault, here, said = _first_fault(X, rest, error, score, {one.column for one in unseen})
        if fault is None or not (fault.kind == REFUSED and fault.column is not None and _NEW_CATEGORY.search(said)):
            break
        n_others = len({shown_value(value) for value in _values(X, fault.column, here)}) - 1
        row = start + fault.row
        unseen.append(Unseen(_name_of(X, fault.column), fault.value, n_others, row, here.size, ()))
        rows[start + here] = True
        rest = np.setdiff1d(rest, here)
        error = _error_of(score, X, rest) if rest.size else None
        if error is None:
            break
    if unseen:
        # rows of later blocks are not looked at
        return unseen_error(unseen, rows, complete=error is None and n == n_rows)
    if fault is None:
        return None
    rows[start + here] = True
    named = replace(fault, row=start + fault.row, column=None if fault.column is None else _name_of(X, fault.column))
    # the encoder counts the columns that it has been given
    found = refused([named], re.sub(r" in column \d+ during transform", "", said), name, "new")
    found.rows, found.argument = rows, name
    if fault.column is None and _NEW_CATEGORY.search(said):
        found.fault = NEW_CATEGORY
    return found


def _first_fault(X, rest, error, score, told):
    """Return the `Fault` of the first of some rows that is refused, all that have it, and what is said of it.

    Its column is a place, None where no column alone is at fault; the fault is None where no row is. Columns that are
    `told` of have had new categories before.
    """
    nothing = None, None, ""
    # the rows before `low` are taken, and one of those from there up to `high` is refused
    low, high = 0, rest.size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _error_of(score, X, rest[low:middle]) else (middle, high)
    row = int(rest[low])
    alone = error if rest.size == 1 else _error_of(score, X, rest[[low]])
    if alone is None:
        return nothing
    said = what_is_said(alone)
    # such as too few rows for a model that looks at several
    if _kind_of(said) != _kind_of(what_is_said(error)) and not _NEW_CATEGORY.search(said):
        return nothing
    taken = rest[low - 1] if low else next((k for k in rest[1:_TRIED] if not _error_of(score, X, np.array([k]))), None)
    if taken is None and not (
        (isinstance(error, ValueError) or is_of_library(error)) and (rest.size == 1 or _NEW_CATEGORY.search(said))
    ):
        return nothing
    listed = _listed_in(said)
    column = None
    if not sparse.issparse(X):
        column = _column_listed(X, row, listed) if taken is None else _column_at_fault(X, row, int(taken), score)
    if column is None:
        return Fault(None, REFUSED, row, None), np.array([row]), said
    value = _values(X, column, [row])[0]
    if _is_missing(value):
        same = [_is_missing(other) for other in _values(X, column, rest)]
        return Fault(column, MISSING, row, value), rest[same], said
    alike, also = {shown_value(value)}, _listed_in(what_is_said(error))
    # where no row is taken, none is blamed in vain
    alike |= also if taken is None else _also_refused(X, column, rest, int(taken), also - alike, score)
    if taken is not None and len(alike) == 1 and _name_of(X, column) in told:
        values = {shown_value(other) for other in _values(X, column, rest)}
        alike |= _also_refused(X, column, rest, int(taken), values, score, _MOST_VALUES)
    # gaps are told in other words
    alike.discard("nan")
    same = [shown_value(other) in alike for other in _values(X, column, rest)]
    return Fault(column, REFUSED, row, value), rest[same], said


def _also_refused(X, column, rest, taken, listed, score, most=_TRIED):
    """Return those of some listed values that are refused in a column; of more than `most` that is tried for some."""
    values = [shown_value(other) for other in _values(X, column, rest)]
    first = {value: row for value, row in zip(reversed(values), reversed(rest), strict=True) if value in listed}
    tried = list(first)[:: -(-len(first) // most) or 1]
    refused = {value for value in tried if _error_of(score, _mixed(X, taken, first[value], [column]), np.array([0]))}
    return set(first) if len(refused) == len(tried) else refused


def _column_at_fault(X, row, taken, score):
    """Return the place of the column with which a row that is taken is refused; None where it takes several."""
    columns = np.arange(X.shape[1])
    while columns.size:
        half = columns[: (columns.size + 1) // 2]
        if _error_of(score, _mixed(X, taken, row, half), np.array([0])) is None:
            half = columns[half.size :]
            if half.size == 0 or _error_of(score, _mixed(X, taken, row, half), np.array([0])) is None:
                return None
        if half.size == 1:
            return int(half[0])
        columns = half
    return None


def _column_listed(X, row, listed):
    """Return the place of the only column in which a row has one of some values; None where there are several."""
    values = [_values(X, j, [row])[0] for j in range(X.shape[1])]
    found = [j for j, value in enumerate(values) if shown_value(value) in listed]
    return found[0] if len(found) == 1 else None


def _mixed(X, taken, row, columns):
    """Return the row `taken` as a table, with the values of another `row` in some columns."""
    if not is_frame(X):
        mixed = X[[taken]].copy()
        mixed[0, columns] = X[row, columns]
        return mixed
    mixed = X.iloc[[taken]].copy()
    for j in columns:
        mixed.isetitem(j, X.iloc[[row], j].array)
    return mixed


def _error_of(score, X, places):
    """Return the error of a model on some rows, None if it takes them."""
    try:
        with changed_filter("ignore", Warning):
            score(take_rows(X, places))
    except Exception as error:
        if not is_of_library(error) and not isinstance(error, _REFUSING):
            raise
        return error
    return None


def _kind_of(said):
    """Return what is said without numbers and names."""
    return re.sub(r"\[.*\]|'[^']*'|\"[^\"]*\"|[\d.]+", "", said)


def _listed_in(said):
    """Return the values that an encoder lists as new, as `shown_value` shows them."""
    found = _LISTED.search(said) if _NEW_CATEGORY.search(said) else None
    words = [] if found is None else [word.strip("'\"") for word in _WORDS.findall(found[1])]
    return {"nan" if word in _GAPS else word for word in words}


def shown_value(value):
    """Return a value as text; all gaps as the same."""
    return "nan" if _is_missing(value) else str(value)


def _is_missing(value):
    return value is None or differs_from_itself(value)


def _values(X, column, places):
    return (X.iloc[places, column] if is_frame(X) else X[places, column]).tolist()


def _name_of(X, column):
    return X.columns[column] if is_frame(X) else column
