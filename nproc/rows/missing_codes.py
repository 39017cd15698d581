"""Numbers that are likely to stand for missing values, such as 999 where all others are below 200."""

import numpy as np

from nproc.errors import NPWarning, at_row, warn_at_call, warn_of_data

CODES = np.array([-1, -9, *(sign * float("9" * digits) for digits in range(2, 7) for sign in (1, -1))])
# of marks such as -1 and 1 neither stands for a missing value
FEWEST_OTHERS = 3
MOST_NAMED = 5


def missing_codes(values):
    """Return the codes for missing values that a column of numbers seems to hold, with the numbers of their rows.

    A code is one of -1, -9 and 99, 999, ..., with either sign. It counts, even in a single row, if it is farther from
    all other values than these are from each other. It also counts if it is the only negative value and in several
    rows. In a single row it is then farther below the lowest of the others than that is below a tenth of them. As the
    only negative value, -1 counts only if it is more frequent than each of the others and none of them is 0, because
    changes may well begin at -1. The column has at least three different other values. Where most of these end in 9
    too, as prices do, nothing looks like a code.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        The column; NaN and infinite values do not count.

    Returns
    -------
    dict of int
        The numbers of rows by the codes, which are floats.

    Examples
    --------
    >>> missing_codes(np.array([14.0, 3.5, 999.0, 21.0, 999.0]))
    {999.0: 2}
    >>> missing_codes(np.array([*range(44, 200), -9.0]))
    {-9.0: 1}
    >>> missing_codes(np.array([95.0, 96.0, 99.0, 97.0, 99.0]))
    {}
    """
    values = values[np.isfinite(values)]
    counts = {code: int(np.sum(values == code)) for code in CODES.tolist()}
    counts = {code: count for code, count in counts.items() if count}
    others = values[~np.isin(values, list(counts))]
    if not counts or others.size < FEWEST_OTHERS:
        return {}
    low, high = others.min(), others.max()
    apart = {code for code in counts if is_apart(code, low, high)}
    negative = {code for code in counts if code < 0 <= low and (code != -1 or low > 0)}
    # what follows sorts the values
    if not apart | negative:
        return {}
    different, frequencies = np.unique(others, return_counts=True)
    if different.size < FEWEST_OTHERS or are_prices(different):
        return {}

    def is_only_negative(code, count):
        if code not in negative:
            return False
        if code == -1:
            return count > frequencies.max()
        return count > 1 or low - code > np.quantile(others, 0.1) - low

    return {code: count for code, count in counts.items() if code in apart or is_only_negative(code, count)}


def are_prices(different):
    """Return whether most of some different values end in 9, as prices do."""
    return np.mean((different > 0) & (different % 10 == 9)) > 0.5


def is_apart(codes, low, high):
    """Return whether codes are farther from all other values, from `low` to `high`, than these are from each other."""
    return np.maximum(low - codes, codes - high) > high - low


def warn_of_missing_codes(X, names):
    """Give the `code_warning` of a matrix, if there is one; return what it says, as a list of no or one text."""
    warning = code_warning(X, names)
    if warning is None:
        return []
    warn_of_data(warning, NPWarning)
    return [warning.fact]


def code_warning(X, names):
    """Return a warning of the columns of a matrix that seem to hold codes for missing values; None if none does.

    `names` are those of its columns. No number in the text changes with a few of the rows, so that all folds of a
    cross-validation give one warning.
    """
    with np.errstate(invalid="ignore"):
        ends = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    found = {place: missing_codes(X[:, place]) for place in np.flatnonzero(np.isin(ends, CODES).any(axis=0)).tolist()}
    found = {place: list(codes) for place, codes in found.items() if codes}
    if not found:
        return None
    where = [
        f"{' and '.join(f'{code:g}' for code in codes)} in column {place if names is None else repr(names[place])}"
        for place, codes in list(found.items())[:MOST_NAMED]
    ]
    counted = ", counted from 0" * (names is None)
    n_more = len(found) - len(where)
    more = f", and {n_more} more {'column' if n_more == 1 else 'columns'}" * (n_more > 0)
    return NPWarning(
        "a number apart from all others of its column, or its only negative one, looks like a code for a missing "
        f"value, and it is used as a number: {', '.join(where)}{counted}{more}.",
        fault="missing code",
        value=", ".join(f"{code:g}" for code in sorted({code for codes in found.values() for code in codes})),
        way_out="If it is one, put NaN in its place, or leave those rows out.",
    )


def warn_of_score_codes(scores, name, rows=None):
    """Warn of codes for missing values among scores, which `name` calls so; `rows` are their places in a file."""
    if not np.isin([scores.min(initial=0), scores.max(initial=0)], CODES).any():
        return
    found = missing_codes(scores)
    if not found:
        return
    others = scores[np.isfinite(scores) & ~np.isin(scores, CODES)]
    low, high, said = others.min(), others.max(), []
    is_single = np.unique(scores[scores < 0]).size == 1
    negative = "the only negative value" if is_single else "one of the only negative values"
    for code, count in found.items():
        where = "" if rows is None else f", {'the first ' * (count > 1)}{at_row(int(rows[np.argmax(scores == code)]))}"
        why = "apart from all others" if is_apart(code, low, high) else negative
        said.append(f"{code:g} ({count} time{'s' * (count > 1)}{where}), {why}")
    warning = NPWarning(
        f"{name} has {', and '.join(said)}. This looks like a code for a missing value, and it is used as a number.",
        # a command has the rows, and says this in place of the function that it calls
        fault="codes among scores" if rows is None else None,
        way_out="If it is one, leave those rows out.",
    )
    warn_at_call(warning, NPWarning)
