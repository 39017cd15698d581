"""Whether rows are those of an earlier call, so that what looked at some of them may be used again."""

from __future__ import annotations

import hashlib

import numpy as np

from nproc.errors import InvalidInputError
from nproc.rows import row_keys

WAY_OUT = "Take split_ratio='adaptive' to choose it on these rows, or a number fixed beforehand."


def mark_rows(X, y):
    """Return a text that two tables share only if they have equal rows and 0/1 labels in the same order.

    Rows are compared by `nproc.rows.row_keys`, so that an array and a frame of the same numbers are equal.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    >>> mark_rows(X, y) == mark_rows(X.copy(), y), mark_rows(X, y) == mark_rows(X[::-1], y)
    (True, False)
    """
    digest = hashlib.sha256(np.asarray(y, dtype="<i8").tobytes())
    digest.update(row_keys(X).astype("<u8").tobytes())
    return digest.hexdigest()


def check_same_data(choice, X, y, *, leave_out_class1):
    """Return an earlier `RatioChoice` if it may serve these rows, with 0/1 labels, and leave out class 1 rows if asked.

    Raises
    ------
    InvalidInputError
        If the rows are not those that the choice has seen, or none of class 1 is left that it has not.
    """
    if choice.used.size != y.size:
        raise InvalidInputError(
            f"split_ratio was chosen on {choice.used.size} rows, and there are {y.size}: the rows that were looked at "
            f"cannot be told from the others. {WAY_OUT}"
        )
    if choice.rows is None:
        raise InvalidInputError(
            "split_ratio was chosen by an older version, which did not mark the rows that it looked at, so that these "
            f"cannot be told from others. {WAY_OUT}"
        )
    if choice.rows != mark_rows(X, y):
        raise InvalidInputError(
            "split_ratio was chosen on other rows, another order of them, other columns or another class0: rows that "
            f"were looked at might set the threshold, and the guarantee would be void. {WAY_OUT}"
        )
    if leave_out_class1 and choice.used[y == 1].all():
        raise InvalidInputError(
            "split_ratio was chosen by npc, which looks at all class 1 rows, and a band must leave out some that were "
            "not looked at. Choose it by nproc with split_ratio='adaptive'; npc takes that choice too."
        )
    return choice
