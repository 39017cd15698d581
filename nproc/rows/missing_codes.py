"""Numbers that are likely to stand for missing values, such as 999 where all others are below 200."""

import numpy as np

from nproc.checks import count_of
from nproc.errors import NPWarning, warn_of_data

CODES = np.array([-1, -9, *(sign * float("9" * digits) for digits in range(2, 7) for sign in (1, -1))])
# of marks such as -1 and 1 neither stands for a missing value
FEWEST_OTHERS = 3


def missing_codes(values):
    """Return the codes for missing values that a column of numbers seems to hold, with the numbers of their rows.

    A code is one of -1, -9 and 99, 999, ..., with either sign, that occurs in several rows. It is farther from all
    other values than these are from each other, and there are at least three different ones.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        The column; NaN does not count.

    Returns
    -------
    dict of int
        The numbers of rows by the codes, which are floats.

    Examples
    --------
    >>> missing_codes(np.array([14.0, 3.5, 999.0, 21.0, 999.0]))
    {999.0: 2}
    >>> missing_codes(np.array([95.0, 96.0, 99.0, 97.0, 99.0]))
    {}
    """
    values = values[~np.isnan(values)]
    counts = {code: int(np.sum(values == code)) for code in CODES.tolist()}
    counts = {code: count for code, count in counts.items() if count > 1}
    others = values[~np.isin(values, list(counts))]
    if np.unique(others).size < FEWEST_OTHERS:
        return {}
    low, high = others.min(), others.max()
    return {code: count for code, count in counts.items() if max(low - code, code - high) > high - low}


def warn_of_missing_codes(X, names):
    """Warn of the columns of a matrix that seem to hold codes for missing values; `names` are those of its columns."""
    with np.errstate(invalid="ignore"):
        ends = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    for place in np.flatnonzero(np.isin(ends, CODES).any(axis=0)):
        values = X[:, place]
        for code, count in missing_codes(values).items():
            others = values[~np.isin(values, CODES) & ~np.isnan(values)]
            column = f"the column {names[place]!r}" if names is not None else f"column {place} of X, counted from 0,"
            rows = count_of(count, len(values), "rows")
            warning = NPWarning(
                f"{column} holds the value {code:g} in {rows}, and its other values lie between {others.min():g} and "
                f"{others.max():g}. It looks like a code for a missing value, and it is used as a number.",
                fault="missing code",
                value=f"{code:g}",
                way_out="If it is one, put NaN in its place; na_action='omit' then leaves those rows out.",
            )
            warn_of_data(warning, NPWarning)
