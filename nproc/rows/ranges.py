"""The range of each column of numbers at a fit, and new rows that mostly lie outside it, as in another unit."""

from dataclasses import dataclass

import numpy as np

FEWEST_VALUES = 10
MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """The least and the largest value of columns of numbers in the rows of a fit; made by `ranges_of`.

    These two values of each column are all that it holds of the rows.

    Attributes
    ----------
    names : tuple
        The columns.
    lowest, highest : ndarray of float, shape (q,)
        Their ends; NaN for a column without a value.
    """

    names: tuple
    lowest: np.ndarray
    highest: np.ndarray

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
        import pandas as pd

        there = rows[[name for name in self.names if name in rows.columns]]
        texts = [name for name in there.columns if not pd.api.types.is_numeric_dtype(there[name])]
        numbers = there.assign(**{name: pd.to_numeric(there[name], errors="coerce") for name in texts})
        values = numbers.reindex(columns=list(self.names)).to_numpy(dtype=np.float64, na_value=np.nan)
        known = ~np.isnan(values) & ~np.isnan(self.lowest)
        outside = known & ((values < self.lowest) | (values > self.highest))
        return np.array([outside.sum(axis=0), known.sum(axis=0)])

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
            n = f"all {known[j]}" if outside[j] == known[j] else f"{outside[j]} of {known[j]}"
            said.append(f"{n} values of {self.names[j]!r} lie outside {low} to {high}")
        said[0] += ", the range in the rows of the fit"
        more = len(places) - len(said)
        also = f"; and so it is in {more} more column{'s' * (more > 1)}" if more else ""
        return f"{'; '.join(said)}{also}. Are the units the same?"


def ranges_of(table, names):
    """Return the `ColumnRanges` of a matrix with these names, or of the columns of numbers of a DataFrame.

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
        numbers = table[list(names)].select_dtypes("number", exclude=["timedelta", "complexfloating"])
        table, names = numbers.to_numpy(dtype=np.float64, na_value=np.nan), numbers.columns
    return ColumnRanges(tuple(names), np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0))
