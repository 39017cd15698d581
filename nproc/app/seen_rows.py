"""Whether a table has rows of an earlier one, whose band has been seen."""

import math
from dataclasses import dataclass

import numpy as np

# of a larger table so many rows and columns are kept
MOST_ROWS = 10_000
MOST_COLUMNS = 200


def hashes_of(values):
    """Return 64 bits for each value of a column; equal numbers have the same, whatever their type."""
    from pandas.api.types import is_numeric_dtype
    from pandas.util import hash_array

    if is_numeric_dtype(values):
        numbers = values.to_numpy(np.float64, na_value=np.nan)
        # one zero, and one NaN
        return hash_array(np.where(np.isnan(numbers), np.nan, numbers + 0.0))
    # no text that was read is empty
    return hash_array(values.astype(object).map(str, na_action="ignore").fillna("").to_numpy(object))


def marks_of(hashes, labels):
    """Return two numbers for a column and the labels beside it: without and with the order of the rows."""
    from pandas.util import hash_array

    # odd factors keep values, labels and places apart; a sum modulo 2^64 knows no order
    pairs = hash_array(3 * hashes + labels)
    places = np.arange(pairs.size, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return int(pairs.sum()), int(hash_array(pairs + places).sum())


def same_rows(marks, others):
    """Whether two sets of `Source.marks_of_rows` are of the same rows; one of the tables may have more columns."""
    return marks <= others or others <= marks


@dataclass(frozen=True, eq=False)
class SeenTable:
    """What is kept of a table that was fitted.

    Attributes
    ----------
    label : str
        The label column.
    columns : frozenset of str
        The names of all columns.
    marks : frozenset
        See `Source.marks_of_rows`.
    hashes : dict of array
        For the columns that can predict and do not look like identifiers, by name, 64 bits for each row. Two samples
        may well have the same numbers of rows, so that identifiers tell nothing.
    """

    label: str
    columns: frozenset
    marks: frozenset
    hashes: dict

    @classmethod
    def of(cls, source, label):
        """Return what is kept of a `Source`."""
        taken = np.unique(np.linspace(0, len(source.frame) - 1, MOST_ROWS).round().astype(int))
        names = sorted(source.likely_predictors(label), key=lambda name: -source.values[name].n_distinct)
        hashes = {name: hashes_of(source.frame[name].iloc[taken]) for name in names[:MOST_COLUMNS]}
        return cls(label, frozenset(source.frame.columns), source.marks_of_rows(label), hashes)

    def has_columns_of(self, source, label):
        """Return whether a `Source` has columns of the same names, or more or fewer of them."""
        names = set(source.frame.columns)
        return label == self.label and (self.columns <= names or names <= self.columns)

    def has_rows_of(self, source, label):
        """Return whether a `Source` with the same label column has rows of this table; some of its values may differ.

        Labels do not count unless all else is the same, so that corrected labels hide nothing. Columns that agree in
        most rows are looked at first, then more and more columns together. A single column is looked at only where
        there is no other, because its values may be the same for all patients, such as doses, times or ranks. So rows
        are not recognised if two or more columns could predict and fewer than two of them keep their values. Other
        patients may still be taken for those of before if a column of few values stands beside one of fixed values.
        """
        if label != self.label:
            return False
        if same_rows(self.marks, source.marks_of_rows(label)):
            return True
        names = [name for name in source.likely_predictors(label) if name in self.hashes]
        others = {name: hashes_of(source.frame[name]) for name in names}
        shared = {name: _share_found(self.hashes[name], others[name]) for name in names}
        names.sort(key=lambda name: (-shared[name], -source.values[name].n_distinct))
        for k in sorted({*(2**j for j in range(1, len(names).bit_length())), len(names)} - {0}):
            ours, theirs = _joined(self.hashes, names[:k]), _joined(others, names[:k])
            # either table may be a part of the other
            if share_rows(ours, theirs) or share_rows(theirs, ours):
                return True
        return False


def _share_found(values, others):
    return max(float(np.isin(values, others).mean()), float(np.isin(others, values).mean()))


def _joined(hashes, names):
    from pandas.util import hash_array

    rows = hashes[names[0]]
    for name in names[1:]:
        rows = hash_array(3 * rows + hashes[name])
    return rows


def share_rows(rows, others):
    """Return whether more rows of one sample are found in another than two independent samples would share.

    Parameters
    ----------
    rows, others : ndarray of uint64
        A number for each row of both samples; equal rows have equal numbers.

    Notes
    -----
    Let N0, N1 and N2 be how many different rows of the one sample occur not at all, once and twice in the other.
    If the samples are independent, a row occurs in the other, nearly, a Poisson number of times. Let its mean be m,
    which may be another one for each row. Then E[N1] is the sum of m exp(-m), and by the inequality of Cauchy and
    Schwarz it is at most the square root of the sums of exp(-m) and of m^2 exp(-m), which is sqrt(2 E[N0] E[N2]).
    Rows of the same patients occur once, and hardly any occurs twice. The root of a count has a standard deviation
    of at most about 1/2, so that the margins are three or four of them.

    The rows must be drawn independently, with no fixed grid of values: where a column has each value of one list once,
    by design, two samples share its values and yet have different rows.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.arange(100, dtype=np.uint64)
    >>> share_rows(rows, rows[::-1]), share_rows(rows, rows + 50), share_rows(rows, rows + 100)
    (True, True, False)
    >>> share_rows(rows % 2, rows % 2)
    False
    """
    different, others = np.unique(rows), np.sort(others)
    times = np.searchsorted(others, different, "right") - np.searchsorted(others, different, "left")
    never, once, twice = (int(np.sum(times == k)) for k in range(3))
    return once - 3 * math.sqrt(once) > math.sqrt(2) * (math.sqrt(never) + 2) * (math.sqrt(twice) + 2)
