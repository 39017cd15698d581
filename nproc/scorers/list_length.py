"""How long a list of the highest scores is, and the threshold that makes it so."""

from __future__ import annotations

import numbers

import numpy as np

from nproc.checks import check_count, shown
from nproc.errors import InvalidInputError


def threshold_for(scores, k):
    """Return the threshold above which k of the scores lie, or fewer where the k-th and the next are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.list_length import threshold_for
    >>> print(threshold_for(np.array([4.0, 1.0, 2.0, 3.0]), 2))
    2.5
    """
    n = scores.size
    ordered = np.partition(scores, [n - k - 1, n - k])
    below, above = float(ordered[n - k - 1]), float(ordered[n - k])
    middle = below + 0.5 * (above - below)
    # between neighbouring floats the middle may round to the upper one, which must stay above the threshold
    return middle if middle < above else below


def count_of(k, y):
    """Return k as a count: itself, or as a share of the class 1 rows."""
    n1 = int(np.sum(y == 1))
    if isinstance(k, numbers.Real) and not isinstance(k, bool | np.bool_ | numbers.Integral):
        if not 0.0 < k <= 1.0:
            raise InvalidInputError(
                f"k as a share of the class 1 rows must lie above 0 and be at most 1.0, got {shown(k)}. Give a whole "
                "number for a count."
            )
        count = shared_count(float(k), n1)
    else:
        count = check_count(k, "k")
    if count >= y.size:
        raise InvalidInputError(f"k must be less than the number of rows, {y.size}, got {count}.")
    return count


def shared_count(share, n1):
    """Return a share of `n1` rows as a count of at least one."""
    return max(1, round(share * n1))
