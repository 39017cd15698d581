"""Columns of a table that tell rows or their owners apart, and are no measurement."""

import re

import numpy as np

from nproc.errors import NPWarning, warn_once

_NAME = re.compile(r"(?:^|[\W_])(?:id|ID|Id|uuid|guid|mrn|MRN)(?:[\W_]|$)|[a-z0-9]I[Dd]$")
# a measurement looks like numbers of rows with a probability below 1e-6
LARGEST_LOG = np.log(1e-6)
# of so few rows 2 / n! is far below that already
FEWEST_ORDERED = 20


def why_identifier(values, n_distinct=None):
    """Return why a column of a table looks like an identifier of rows or of their owners; None if it does not.

    Parameters
    ----------
    values : pandas.Series
        The column, with its name.
    n_distinct : int, optional
        The number of its different values, if it is known.

    Notes
    -----
    A column without the name of an identifier looks like one if it has another whole number in each row, and either
    these are sorted or there is little room for so many different ones. Of n independent draws from s whole numbers all
    are different with a probability of at most exp(-n (n - 1) / (2 s)), whatever their distribution is. In the order of
    size they come with a probability of at most 2 / n!. Both are kept below 1e-6.

    Examples
    --------
    >>> import pandas as pd
    >>> why_identifier(pd.Series(range(101, 141), name="case"))
    'it has another whole number in each row'
    >>> why_identifier(pd.Series([31250, 28100, 40775, 52400], name="income"))
    """
    named = _NAME.search(str(values.name)) is not None
    if not named and not _numbers_rows(values):
        return None
    n_distinct = values.nunique() if n_distinct is None else n_distinct
    if n_distinct <= 2:
        # such as a mark of one of two groups
        return None
    if not named:
        return "it has another whole number in each row" if n_distinct == len(values) else None
    if len(values.dropna()) == n_distinct:
        return "its name is that of an identifier"
    return (
        "its name is that of an identifier, and some rows share their value: rows of one owner are not independent, "
        "for which npc has clusters"
    )


def _numbers_rows(values):
    """Return whether numbers, if they are all different, look like numbers of rows, and not like a measurement."""
    if values.dtype.kind not in "iuf" or len(values) == 0 or np.any(values != np.floor(values)):
        return False
    n, span = len(values), float(values.max()) - float(values.min()) + 1
    ordered = values.is_monotonic_increasing or values.is_monotonic_decreasing
    return (ordered and n >= FEWEST_ORDERED) or -n * (n - 1) / (2 * span) < LARGEST_LOG


def warn_of_identifiers(frame):
    """Warn of the predictors in a pandas frame that look like identifiers."""
    for column in frame.columns:
        reason = why_identifier(frame[column])
        if reason is not None:
            warning = NPWarning(
                f"the column {column!r} is a predictor, but it looks like an identifier: {reason}.",
                fault="identifier",
                value=column,
                way_out="If it is one, leave it out.",
            )
            warn_once(warning, NPWarning)
