"""What the state of ``npc monitor`` remembers of the rows that it has counted: hashes of the rows and of their owners.

The hashes depend on the values alone, and not on line ends, the order of columns or the types of numbers. Whoever
guesses a value can confirm it by its hash, so a state is to be kept as safely as the data.
"""

import hashlib

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from nproc.fits import BY_CHANCE, MANY_OWN
from nproc.monitoring import cluster_name
from nproc.rows import has_twin

# of each kind of hash the latest are kept
MOST_COUNTED = 100_000
# fewer counted rows do not tell how many rows are equal by chance
LEAST_COUNTED = 20
# values of more rows are not judged: a study may choose equal numbers of them in each file
MOST_ALIKE = 6
# exp(c / 2) is then far above the number of pairs of any two parts, and exp(1.5 c) is still a float
LARGEST_C = 80.0


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
        They are likely to be the same where rows that equal each other are spread more evenly over the two parts than
        chance explains. New rows are taken for the same with probability at most 0.001 if they differ from the counted
        ones by chance alone. Rows do not tell where more than 6 are equal, nor do two parts of at most 12 rows each.
        Where a fifth of the counted rows equal each other, new rows that equal them tell nothing unless they are likely
        to be the same, and the number is 0. So it is where fewer than 20 rows were counted.
    """
    if not marks or not counted:
        return 0, False
    marks, counted = np.array(marks), np.array(counted)
    likely = _equal_across(marks, counted)
    tells = counted.size >= LEAST_COUNTED and np.count_nonzero(has_twin(counted)) < MANY_OWN * counted.size
    return int(np.count_nonzero(np.isin(marks, counted))) if likely or tells else 0, likely


def _equal_across(marks, counted):
    """Return whether rows that equal each other are spread more evenly over both parts than chance explains.

    Of N rows m are new. If they differ from the counted ones by chance alone, each choice of m of the N rows is as
    probable as any other. So choose each row with probability p = m / N, independently, given that m are chosen. Let R
    rows have values that 2 to 6 rows share. A value of s rows, of which J are chosen, counts J (s - J) / s, which is
    largest where half of them are chosen, and T is the sum over these values. Whatever is chosen of the R rows, m are
    chosen in all with probability at most max_i P(Bin(N - R, p) = i). So, for each c >= 0,

        P(T >= t | m) <= exp(-c t) E[exp(c T)] max_i P(Bin(N - R, p) = i) / P(Bin(N, p) = m).

    The smallest of these bounds never grows with t, so that at t = T it is below 0.001 with probability at most 0.001.
    The bound of a c that is not quite the best is larger, and below 0.001 even more rarely.
    """
    _, where = np.unique(np.r_[marks, counted], return_inverse=True)
    of_value = np.bincount(where)
    chosen = np.bincount(where[: marks.size], minlength=of_value.size)
    few = (of_value > 1) & (of_value <= MOST_ALIKE)
    found = np.sum((chosen * (of_value - chosen) / of_value)[few])
    n_values = np.bincount(of_value[few], minlength=MOST_ALIKE + 1)[1:]
    sizes, j, share = np.arange(1, MOST_ALIKE + 1)[:, None], np.arange(MOST_ALIKE + 1), marks.size / where.size
    # no more than all rows of a value are chosen
    probability, spread = binom.pmf(j, sizes, share), np.maximum(j * (sizes - j) / sizes, 0)

    def log_moment(c):
        return n_values @ np.log(np.sum(probability * np.exp(c * spread), axis=1)) - c * found

    others = where.size - np.sum(of_value[few])
    at_most = binom.logpmf(np.floor((others + 1) * share), others, share)
    bound = minimize_scalar(log_moment, bounds=(0, LARGEST_C), method="bounded").fun
    return bool(bound + at_most - binom.logpmf(marks.size, where.size, share) < np.log(BY_CHANCE))


def latest(marks):
    """Return the latest hashes of a list, as many as a state keeps."""
    return marks[-MOST_COUNTED:]


def _mark(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(value):
    """Return a cell as text, the same for a number of any type; a gap in another row can make whole numbers decimal."""
    if pd.isna(value):
        return ""
    for kind in (int, float) if isinstance(value, str | int) else (float,):
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if -np.inf < number < np.inf:
            # a float holds whole numbers up to 2**53 exactly; minus zero is zero
            return repr(float(number) + 0.0) if abs(number) <= 2**53 else cluster_name(number)
    return str(value).strip()
