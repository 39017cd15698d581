"""What the state of ``npc monitor`` remembers of the rows that it has counted: hashes of the rows and of their owners.

The hashes depend on the values alone, and not on line ends, the order of columns or the types of numbers. Whoever
guesses a value can confirm it by its hash, so a state is to be kept as safely as the data.
"""

import hashlib

import numpy as np
import pandas as pd
from scipy.special import bdtrc, gammaincinv

from nproc.fits import BY_CHANCE, MANY_OWN, more_than_chance
from nproc.monitoring import cluster_name
from nproc.rows import has_twin

# of each kind of hash the latest are kept
MOST_COUNTED = 100_000
# fewer counted rows do not tell how many rows are equal by chance
LEAST_COUNTED = 20
# the share of rows that equal another one, up to which few new rows that equal counted ones tell something
HARDLY_ANY = 0.01


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
        more. By chance new rows equal counted ones about as often as these equal each other. Where hardly any rows
        equal each other, a smaller share is enough if chance does not explain it. Where a fifth of the counted rows
        equal each other, new rows that equal them tell nothing unless they are likely to be the same, and the number
        is 0. So it is where too few rows were counted to tell chance.
    """
    if not marks or len(counted) < LEAST_COUNTED:
        return 0, False
    equal, n_twins = np.isin(marks, counted), np.count_nonzero(has_twin(np.array(counted)))
    likely = more_than_chance(equal, (n_twins + 1) / (len(counted) + 1))
    likely = likely or _few_tell(np.array(marks), np.array(counted))
    return int(np.count_nonzero(equal)) if likely or n_twins < MANY_OWN * len(counted) else 0, likely


def _few_tell(marks, counted):
    """Return whether hardly any rows equal each other within the new and the counted ones, but too many across."""
    sizes = np.array([len(marks), len(counted)])
    twins = sum(np.count_nonzero(has_twin(part)) for part in (marks, counted))
    if twins > HARDLY_ANY * sizes.sum():
        return False
    # an upper bound on the probability that two rows are equal, from the number of equal pairs within both parts
    of_pair = gammaincinv(twins / 2 + 1, 1 - BY_CHANCE) / np.sum(sizes * (sizes - 1) / 2)
    found = np.isin(np.unique(marks), counted)
    return bool(bdtrc(np.count_nonzero(found) - 1, found.size, min(of_pair * len(counted), 1.0)) < BY_CHANCE)


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
