"""What the state of ``npc monitor`` remembers of the rows that it has counted: hashes of the rows and of their owners.

The hashes depend on the values alone, and not on line ends, the order of columns or the types of numbers. Whoever
guesses a value can confirm it by its hash, so a state is to be kept as safely as the data.
"""

import hashlib

import numpy as np
import pandas as pd
from scipy.special import gammaln

from nproc.fits import BY_CHANCE, MANY_OWN, more_than_chance
from nproc.monitoring import cluster_name
from nproc.rows import has_twin

# of each kind of hash the latest are kept
MOST_COUNTED = 100_000
# fewer counted rows do not tell how many rows are equal by chance
LEAST_COUNTED = 20


def row_marks(rows):
    """Return a hash of each row of a table as text: rows with the same values in columns of the same names share it."""
    names = sorted(rows.columns, key=str)
    cells = zip(*([_text(value) for value in rows[name].tolist()] for name in names), strict=True)
    head = repr(list(map(str, names)))
    return [_mark(head + repr(row)) for row in cells]


def value_marks(values):
    """Return a hash of each value of a column as text, None where it is missing."""
    return [None if pd.isna(value) else _mark(cluster_name(value).strip()) for value in values.tolist()]


def judge_rows(marks, counted):
    """Return how many rows equal counted rows, and whether these are likely to be the same observations.

    Parameters
    ----------
    marks, counted : list of str
        The `row_marks` of the new rows, and of the rows counted so far.

    Returns
    -------
    (int, bool)
        They are likely to be the same where the share that equals counted rows exceeds that by chance by a fifth or
        more. By chance new rows equal counted ones about as often as these equal each other. A smaller share, or fewer
        than 20 counted rows, are enough where chance does not explain that rows equal each other across the two parts
        and hardly any within one. Two parts of at most 12 rows each cannot tell. Where a fifth of the counted rows
        equal each other, new rows that equal them tell nothing unless they are likely to be the same, and the number
        is 0. So it is where too few rows were counted to tell chance.
    """
    if not marks or not counted:
        return 0, False
    equal, n_twins = np.isin(marks, counted), np.count_nonzero(has_twin(np.array(counted)))
    known = len(counted) >= LEAST_COUNTED
    likely = known and more_than_chance(equal, (n_twins + 1) / (len(counted) + 1))
    likely = likely or _equal_across(np.array(marks), np.array(counted))
    tells = likely or (known and n_twins < MANY_OWN * len(counted))
    return int(np.count_nonzero(equal)) if tells else 0, likely


def _equal_across(marks, counted):
    """Return whether more rows equal each other across the new and the counted ones than chance explains.

    Let K values come in both parts, which have m and n of N rows and P pairs of equal rows in all. If no row differs
    from the others but by chance, each choice of m of the N rows is as probable as any other. K pairs without a common
    row then all lie across with probability 2^K C(N - 2K, m - K) / C(N, m), and there are at most C(P, K) choices of
    such pairs, so that K or more values come in both with at most C(P, K) times that probability.
    """
    _, sizes = np.unique(np.r_[marks, counted], return_counts=True)
    n_pairs, n_across = np.sum(sizes * (sizes - 1) // 2), np.intersect1d(marks, counted).size
    n, n_rows = counted.size, marks.size + counted.size
    of_pairs = n_across * np.log(2) + _log_choices(n_rows - 2 * n_across, n - n_across) - _log_choices(n_rows, n)
    return bool(_log_choices(n_pairs, n_across) + of_pairs < np.log(BY_CHANCE))


def _log_choices(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def latest(marks):
    """Return the latest hashes of a list, as many as a state keeps."""
    return marks[-MOST_COUNTED:]


def _mark(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(value):
    """Return a cell as text, the same for a number of any type; a gap in another row can make whole numbers decimal."""
    if pd.isna(value):
        return ""
    # a float holds whole numbers up to 2**53 exactly
    for kind in (int, float) if isinstance(value, str | int) else (float,):
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if -np.inf < number < np.inf:
            return cluster_name(number)
    return str(value).strip()
