"""What the state of ``npc monitor`` remembers of the rows that it has counted: hashes of the rows and of their owners.

The hashes depend on the values alone, and not on line ends, the order of columns or the types of numbers. Whoever
guesses a value can confirm it by its hash, so a state is to be kept as safely as the data.
"""

import hashlib

import numpy as np
import pandas as pd

from nproc.fits import MANY_OWN, more_than_chance
from nproc.monitoring import cluster_name
from nproc.rows import has_twin

# of each kind of hash the latest are kept
MOST_COUNTED = 100_000


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
        more. By chance new rows equal counted ones about as often as these equal each other. Where a fifth of the
        counted rows do, others that are equal tell nothing, and the number is 0.
    """
    if not marks or not counted:
        return 0, False
    equal, n_twins = np.isin(marks, counted), np.count_nonzero(has_twin(np.array(counted)))
    likely = more_than_chance(equal, (n_twins + 1) / (len(counted) + 1))
    return int(np.count_nonzero(equal)) if likely or n_twins < MANY_OWN * len(counted) else 0, likely


def latest(marks):
    """Return the latest hashes of a list, as many as a state keeps."""
    return marks[-MOST_COUNTED:]


def _mark(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(value):
    """Return a cell as text, the same for a number of any type; a gap in another row can make whole numbers decimal."""
    if pd.isna(value):
        return ""
    try:
        # minus zero is zero
        return repr(float(value) + 0.0)
    except (TypeError, ValueError, OverflowError):
        return str(value).strip()
