"""Predictors that are the labels in other words, such as a column of 0 and 1 that was made of them."""

import numpy as np
from scipy import sparse

from nproc.errors import NPWarning, warn_of_data
from nproc.rows.frames import is_frame

# rows of each class: with fewer a column may well be so by chance
FEWEST_ROWS = 20
_LOOKED_AT = 100
_TELLS = "tells the label of every row"
_UNLESS = ", unless your method does so"


def label_columns(X, codes):
    """Return the places of the columns that have one value in each class, and another in every other class.

    Parameters
    ----------
    X : ndarray, DataFrame or sparse matrix, n rows
        The predictors; none of a sparse matrix is found.
    codes : ndarray of int, shape (n,)
        The class of each row, from 0.

    Examples
    --------
    >>> codes = np.repeat([0, 1], 20)
    >>> label_columns(np.column_stack([np.arange(40), 5 - 2 * codes]), codes)
    [1]
    """
    counts = np.bincount(codes)
    if counts.size < 2 or counts.min() < FEWEST_ROWS or sparse.issparse(X):
        return []
    firsts = np.array([np.argmax(codes == code) for code in range(counts.size)])
    # most columns are known by a few rows
    some = np.unique(np.r_[firsts, np.arange(0, codes.size, -(-codes.size // _LOOKED_AT))])
    return [
        j for j in range(X.shape[1]) if all(_tells(_values(X, j, rows), codes[rows]) for rows in (some, slice(None)))
    ]


def _values(X, j, rows):
    return X.iloc[rows, j].tolist() if is_frame(X) else np.asarray(X)[rows, j].tolist()


def _tells(values, codes):
    """Return whether each class has a value of its own, by which its rows are known."""
    try:
        pairs = set(zip(values, codes.tolist(), strict=True))
    except TypeError:
        # values such as lists
        return False
    n_classes = np.unique(codes).size
    return len(pairs) == n_classes == len({value for value, _ in pairs})


def short_of_label_columns(told):
    """Return in short what `warn_of_label_columns` has said, among what else there was to say of a table.

    Examples
    --------
    >>> short_of_label_columns(("The column 'cured' tells the label of every row: each class has one value.",))
    ["The column 'cured' tells the label of every row, and may not be known for new rows."]
    """
    return [
        f"{text.partition(_TELLS)[0]}{_TELLS}, and may not be known for new rows."
        + f" Leave it out then{_UNLESS}." * (_UNLESS in text)
        for text in told
        if _TELLS in text
    ]


def warn_of_label_columns(X, codes, names, own):
    """Warn of predictors that tell the label of every row; `own` says whether the user's method may leave columns out.

    `names` are those of the columns, or None. Returns what is said of the table, as a list of no or one text.
    """
    found = label_columns(X, codes)
    if not found:
        return []
    column, more = found[0], f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    called = f"column {column} of X, counted from 0," if names is None else f"the column {names[column]!r}"
    way_out = f"Leave it out then{_UNLESS * own}."
    warning = NPWarning(
        f"{called}{more} {_TELLS}: each class has one value of its own. If it was made from "
        f"the labels, or is known only later, a classifier that uses it is of no use for new rows.",
        way_out=way_out,
    )
    warn_of_data(warning, NPWarning)
    return [f"{warning.fact} {way_out}" if own else warning.fact]
