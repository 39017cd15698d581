"""Rows that come sorted by class: what a stream can notice of them."""

from __future__ import annotations

import math

import numpy as np

from nproc.errors import NPWarning
from nproc.warning_place import warn_at_call

# rows in random order make a chunk of one class with a smaller chance than this hardly ever
HARDLY_EVER = 1e-6


def warn_of_sorted_rows(before, now):
    """Warn if a chunk has rows of one class only, as the rows before it make all but impossible in random order.

    Parameters
    ----------
    before, now : array-like of int, shape (2,)
        Rows of each class in the chunks before, and in this one.

    Examples
    --------
    >>> import warnings
    >>> from nproc.scorers.row_order import warn_of_sorted_rows
    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     warn_of_sorted_rows((50, 50), (10, 0))
    ...     warn_of_sorted_rows((50, 50), (40, 0))
    >>> len(heard)
    1
    """
    before, now = np.asarray(before), np.asarray(now)
    if before.sum() == 0 or now.min() > 0 or now.max() == 0:
        return
    # one row of each class more, so that a class that was not seen is not taken to be impossible
    share = (before[np.argmax(now)] + 1) / (before.sum() + 2)
    if now.max() * math.log(share) < math.log(HARDLY_EVER):
        warn_at_call(
            "a chunk has rows of one class only, where the chunks before show that rows in random order would have "
            "both: the rows seem to be sorted. Learnt one class after the other, the errors end up far from alpha. "
            "Shuffle the rows first; train_in_chunks does it for data that do not fit in memory.",
            NPWarning,
        )
