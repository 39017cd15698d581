"""The range of each column of numbers at a fit, and new rows outside it, as in another unit, by a code, or missing."""

from dataclasses import dataclass, replace

import numpy as np

from nproc.checks import rows_in
from nproc.errors import NPWarning, at_row, warn_at_call
from nproc.rows.frames import as_table, is_frame
from nproc.rows.missing_codes import CODES, FEWEST_OTHERS, are_prices, is_apart

FEWEST_VALUES = 10
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """The least and the largest value of columns of numbers in the rows of a fit; made by `ranges_of`.

    These two values of each column, and whether one was missing, are all that it holds of the rows.

    Attributes
    ----------
    names : tuple
        The columns.
    lowest, highest : ndarray of float, shape (q,)
        Their ends; NaN for a column without a value.
    complete : ndarray of bool, shape (q,)
        Whether no value of the column was missing. False for a fit that refuses missing values or left them out.
    """

    names: tuple
    lowest: np.ndarray
    highest: np.ndarray
    complete: np.ndarray

    def count_outside(self, rows):
        """Return for each column how many values of new rows lie outside its range, and how many there are.

        Parameters
        ----------
        rows : DataFrame
            Columns that it lacks, and texts in it, have no values.

        Returns
        -------
        ndarray of int, shape (2, q)
            Counts of several parts of a table add up.
        """
        values = self._values(rows)
        known = ~np.isnan(values) & ~np.isnan(self.lowest)
        outside = known & ((values < self.lowest) | (values > self.highest))
        return np.array([outside.sum(axis=0), known.sum(axis=0)])

    def count_missing(self, rows):
        """Return for each column that was complete at the fit how many new values are missing, and of how many.

        Parameters
        ----------
        rows : DataFrame
            Columns that it lacks have no values; a text is a value.

        Returns
        -------
        ndarray of int, shape (2, q)
            Counts of several parts of a table add up.
        """
        counts = np.zeros((2, len(self.names)), dtype=np.int64)
        counts[1] = [len(rows) if name in rows.columns else 0 for name in self.names]
        with_gaps = _columns_with_gaps(rows)
        for j in np.flatnonzero(self.complete):
            if self.names[j] in with_gaps:
                counts[0, j] = rows[self.names[j]].isna().sum()
        return counts

    def silent_on_missing(self):
        """Return the same for a fit whose new rows with missing values are refused or warned of elsewhere."""
        return replace(self, complete=np.zeros_like(self.complete))

    def codes_outside(self, rows):
        """Return the usual codes for missing values far outside the range of their column, with their rows' places.

        As in `missing_codes`, a code counts if it is farther from the range than this is wide. A negative code outside
        a range without negative values also counts if it is in several of the rows, or farther below the range than a
        tenth of its width. This does not hold for -1, which would have to be frequent at the fit.

        The other new values, which are no codes, widen the range up to the third lowest and the third highest of them,
        each value counted once. So the new rows of a running number hold no code. Where most values end in 9 too, as
        prices do, no code counts.

        Parameters
        ----------
        rows : DataFrame
            As in `count_outside`.

        Returns
        -------
        dict
            The places of the rows, from 0, by the column and the code.
        """
        found, ends = {}, _ends_of(rows, self.names)
        for name, low, high in zip(self.names, self.lowest.tolist(), self.highest.tolist(), strict=True):
            least, largest = ends.get(name, (np.nan, np.nan))
            if not (least < low or largest > high) or np.isinf([low, high]).any():
                continue
            codes = CODES[(least <= CODES) & (largest >= CODES) & ((low > CODES) | (high < CODES))]
            if codes.size:
                values = _numbers(rows[name])
                for code in _codes_among(values, codes.tolist(), low, high):
                    found[name, code] = np.flatnonzero(values == code)
        return found

    def _values(self, rows):
        import pandas as pd

        there = rows
        if tuple(rows.columns) != self.names:
            there = rows[[name for name in self.names if name in rows.columns]]
        kinds = zip(there.columns, there.dtypes, strict=True)
        texts = [name for name, kind in kinds if not pd.api.types.is_numeric_dtype(kind)]
        if texts:
            there = there.assign(**{name: pd.to_numeric(there[name], errors="coerce") for name in texts})
        if there.shape[1] < len(self.names):
            there = there.reindex(columns=list(self.names))
        return there.to_numpy(dtype=np.float64, na_value=np.nan)

    def told(self, counts):
        """Say of which columns more than half of the values lie outside the range, of ten or more; "" for none.

        If the rows have the distribution of those of a fit of many rows, nearly no value does.
        """
        outside, known = counts
        places = np.flatnonzero((known >= FEWEST_VALUES) & (2 * outside > known)).tolist()
        if not places:
            return ""
        said = []
        for j in places[:MOST_NAMED]:
            low, high = f"{self.lowest[j]:g}", f"{self.highest[j]:g}"
            said.append(f"{_all_or(outside[j], known[j])} values of {self.names[j]!r} lie outside {low} to {high}")
        said[0] += ", the range in the rows of the fit"
        more = len(places) - len(said)
        also = f"; and so it is in {more} more column{'s' * (more > 1)}" if more else ""
        return f"{'; '.join(said)}{also}. Are the units the same?"


def _codes_among(values, codes, low, high):
    """Return those of some codes that are among new values, and far from the others and the range `low` to `high`."""
    counts = {code: int(np.sum(values == code)) for code in codes}
    found = _far_codes({code: count for code, count in counts.items() if count}, low, high)
    # what follows sorts the values
    if not found:
        return []
    others = np.unique(values[np.isfinite(values) & ~np.isin(values, CODES)])
    if others.size < FEWEST_OTHERS:
        return found
    if are_prices(np.union1d(others, [low, high])):
        return []
    # fewer, farther out, may be other codes, or errors of typing
    low, high = min(low, others[FEWEST_OTHERS - 1]), max(high, others[-FEWEST_OTHERS])
    return _far_codes({code: counts[code] for code in found}, low, high)


def _far_codes(counts, low, high):
    """Return the codes, of those with these numbers of rows, that are far from all values from `low` to `high`."""

    def is_negative(code, count):
        return code < 0 <= low and code != -1 and (count > 1 or 10 * (low - code) > high - low)

    return [code for code, count in counts.items() if is_apart(code, low, high) or is_negative(code, count)]


def _ends_of(rows, names):
    """Return the least and the largest value of columns that a frame has, by their names; NaN where it has no number.

    Columns of one type are looked at together, in place: one by one it would be slow, and a copy may be large.
    """
    if len(rows) == 0:
        return {}
    ends, kinds = {}, rows.dtypes.unique()
    for kind in kinds:
        if isinstance(kind, np.dtype) and kind.kind in "iuf":
            # `select_dtypes` also takes the nullable columns of such numbers, with some versions of pandas
            alike = rows if len(kinds) == 1 else rows.loc[:, [one == kind for one in rows.dtypes]]
            values = alike.to_numpy()
            least, largest = np.fmin.reduce(values, axis=0).tolist(), np.fmax.reduce(values, axis=0).tolist()
            ends |= zip(alike.columns, zip(least, largest, strict=True), strict=True)
    for name in names:
        if name not in ends and name in rows.columns:
            column = _numbers(rows[name])
            ends[name] = float(np.fmin.reduce(column)), float(np.fmax.reduce(column))
    return ends


def _numbers(column):
    """Return the values of a column as floats, NaN for a text that is no number."""
    import pandas as pd

    if pd.api.types.is_complex_dtype(column):
        # refused where it is read
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(column):
        column = pd.to_numeric(column, errors="coerce")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _columns_with_gaps(rows):
    """Return the columns of a frame in which a value may be missing, as cheaply as `_ends_of`."""
    found, kinds = set(), rows.dtypes.unique()
    for kind in kinds if len(rows) else ():
        alike = rows if len(kinds) == 1 else rows.loc[:, [one == kind for one in rows.dtypes]]
        names = alike.columns
        if isinstance(kind, np.dtype) and kind.kind in "iufb":
            # the least of some values is NaN if one of them is
            names = names[np.isnan(np.minimum.reduce(alike.to_numpy(), axis=0).astype(np.float64))]
        found |= set(names)
    return found


# warnings that the command line and the page say themselves, with the rows of the file
CODES_OF_NEW_ROWS = "codes of new rows"
MISSING_OF_NEW_ROWS = "missing values of new rows"
TOLD_OF_NEW_ROWS = (CODES_OF_NEW_ROWS, MISSING_OF_NEW_ROWS)


def missing_told(ranges, counts):
    """Return a warning of columns of which most of ten or more new values are missing and none was at the fit, or None.

    Parameters
    ----------
    ranges : ColumnRanges
        Of the fit.
    counts : ndarray of int, shape (2, q)
        As of `ColumnRanges.count_missing`.

    Examples
    --------
    >>> import pandas as pd
    >>> ranges = ranges_of(np.array([[70.0], [110.0], [210.0]]), ["glucose"])
    >>> missing_told(ranges, ranges.count_missing(pd.DataFrame({"glucose": [np.nan] * 30 + [90.0] * 10}))).fact
    "most new values are missing in columns without a missing value at the fit: 30 of 40 of 'glucose'."
    """
    missing, there = counts
    places = np.flatnonzero((there >= FEWEST_VALUES) & (2 * missing > there)).tolist()
    if not places:
        return None
    said = [f"{_all_or(missing[j], there[j])} of {ranges.names[j]!r}" for j in places[:MOST_NAMED]]
    more = len(places) - len(said)
    return NPWarning(
        f"most new values are missing in columns without a missing value at the fit: {', '.join(said)}"
        f"{f', and so it is in {more} more' * (more > 0)}.",
        fault=MISSING_OF_NEW_ROWS,
        way_out="Fill in these values as in the training data, or fit without these columns.",
    )


def _all_or(n, n_all):
    """Return a count of some values as "all 40" or "30 of 40"."""
    return f"all {n_all}" if n == n_all else f"{n} of {n_all}"


def codes_told(found, table=""):
    """Return a warning of the codes of new rows, or None where there are none.

    Parameters
    ----------
    found : dict of (int, int)
        The first row, from 0, and the number of rows, by the column and the code.
    table : str
        Code that shows a row, as in `nproc.errors.at_row`.

    Examples
    --------
    >>> codes_told({("glucose", 999.0): (4, 2)}, "X.iloc").fact.partition(": ")[2]
    "999 in column 'glucose' (2 rows, the first at X.iloc[4]). No row of the fit has a value so far out."
    """
    if not found:
        return None
    said = []
    for (column, code), (first, n) in list(found.items())[:MOST_NAMED]:
        where = at_row(first, table)
        of = f"1 row, {where}" if n == 1 else f"{n} rows, the first {where}"
        said.append(f"{code:g} in column {column!r} ({of})")
    more = len(found) - len(said)
    return NPWarning(
        f"some new values look like codes for missing values, and are used as numbers: {', '.join(said)}"
        f"{f', and {more} more' * (more > 0)}. No row of the fit has a value so far out.",
        fault=CODES_OF_NEW_ROWS,
        way_out="If they are codes, impute these values as in the training data, or leave these rows out.",
    )


class NewValues:
    """Missing values of new rows, and codes for them, of all parts of a table together.

    Parameters
    ----------
    ranges : ColumnRanges or None
        Of the fit; None where it knows none.

    Examples
    --------
    >>> import pandas as pd
    >>> new, ranges = pd.DataFrame({"glucose": [np.nan] * 9}), ranges_of(np.array([[70.0], [210.0]]), ["glucose"])
    >>> for warning in NewValues(ranges).add(new).add(new).warnings():
    ...     print(warning.fact)
    most new values are missing in columns without a missing value at the fit: all 18 of 'glucose'.
    """

    def __init__(self, ranges):
        self._ranges, self._missing, self._codes = ranges, None, {}

    def add(self, X, name="X", row_of=int):
        """Count the values of a part; `row_of` gives the place of a row in the whole from that in it. Return self."""
        if self._ranges is None or not hasattr(type(X), "columns"):
            return self
        table = as_table(X, name)
        # what is refused is refused where it is read
        if not is_frame(table) or not table.columns.is_unique:
            return self
        missing = self._ranges.count_missing(table)
        self._missing = missing if self._missing is None else self._missing + missing
        for where, places in self._ranges.codes_outside(table).items():
            first, n = self._codes.get(where) or (int(row_of(int(places[0]))), 0)
            self._codes[where] = first, n + len(places)
        return self

    def warnings(self, table=""):
        """Return warnings as of `missing_told` and `codes_told`, a list."""
        missing = None if self._missing is None else missing_told(self._ranges, self._missing)
        return [warning for warning in (missing, codes_told(self._codes, table)) if warning is not None]

    def warn(self, place):
        """Warn, with the name of the rows in front; they are counted as in a file."""
        for warning in self.warnings():
            warn_at_call(warning.told(f"{place}: "), NPWarning)


def warn_of_new_values(ranges, X, name="X", row_of=int):
    """Warn of new rows, a table, as `NewValues`.

    Within `each_warning_once` the first call alone warns. `row_of` gives the place of a row in the table of the user,
    where `X` has only some of its rows.
    """
    for warning in NewValues(ranges).add(X, name, row_of).warnings(rows_in(X, name)):
        warn_at_call(warning, NPWarning, what=warning.fault)


def ranges_of(table, names):
    """Return the `ColumnRanges` of a matrix with these names, or of the columns of numbers and flags of a DataFrame.

    Parameters
    ----------
    table : ndarray of float, shape (n, q), or DataFrame
        The rows of a fit.
    names : sequence
        Names of all columns of a matrix, or those of the columns of a frame that count.

    Returns
    -------
    ColumnRanges

    Examples
    --------
    >>> import pandas as pd
    >>> ranges = ranges_of(np.array([[70.0], [110.0], [210.0]]), ["glucose"])
    >>> ranges.told(ranges.count_outside(pd.DataFrame({"glucose": [5.1, 6.0] * 20})))
    "all 40 values of 'glucose' lie outside 70 to 210, the range in the rows of the fit. Are the units the same?"
    """
    if not isinstance(table, np.ndarray):
        numbers = table[list(names)].select_dtypes(["number", "bool"], exclude=["timedelta", "complexfloating"])
        table, names = numbers.to_numpy(dtype=np.float64, na_value=np.nan), numbers.columns
    complete = ~np.isnan(np.minimum.reduce(table, axis=0))
    return ColumnRanges(tuple(names), np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0), complete)
