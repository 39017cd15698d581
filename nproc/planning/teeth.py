r"""The sawtooth in the number of left-out class 0 rows, and the size from which on a requirement holds for good.

Let m = n - k be the number of class 0 scores above the threshold. A tooth is a run of sizes n with one m: in it the
type I error Beta(m + 1, n - m) falls stochastically as n grows, and at the next tooth it jumps up. The start of tooth
m is :math:`n_m = \min\{n : P(\mathrm{Bin}(n, \alpha) \le m) \le \delta\}`, which rises strictly with m since taking
one trial away lowers a count by at most one.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincc

from nproc.errors import InvalidInputError
from nproc.ranks import EXACT_N, search_orders

# Where a tail is this near to delta (relative), np_order settles the tie in rational arithmetic.
_NEAR = 1e-7
MOST_TEETH = 40_000


def tooth_starts(n_teeth, alpha, delta):
    """Return the first size of the teeth m = 0, ..., n_teeth - 1 as an int array."""
    m = np.arange(n_teeth)
    good = m + 1
    while np.any(failing := betaincc(m + 1.0, good - m, alpha) > delta):
        good = np.where(failing, 2 * good + math.ceil(1 / alpha), good)
    bad = m.copy()
    while np.any(good - bad > 1):
        middle = (good + bad) // 2
        inside = good - bad > 1
        passed = betaincc(m + 1.0, np.maximum(middle - m, 1), alpha) <= delta
        good = np.where(inside & passed, middle, good)
        bad = np.where(inside & ~passed, middle, bad)
    below = good - 1
    tail = betaincc(m + 1.0, np.maximum(below - m, 1), alpha)
    for j in np.flatnonzero((below > m) & (tail <= delta * (1 + _NEAR)) & (below <= EXACT_N)):
        n = int(below[j])
        good[j] -= n - int(search_orders(n, np.array([alpha]), delta)[0]) >= j
    return good


def settled_size(alpha, delta, deficit):
    r"""Return a size N such that E (alpha - R)_+ <= alpha * deficit for every n >= N.

    Notes
    -----
    Write :math:`E = (m + 1)/(n + 1)` for the mean of R, and L for log(1/delta). By Chernoff's bound
    :math:`P(\mathrm{Bin}(n, \alpha) \le n \alpha - \sqrt{2 n \alpha L}) \le \delta`, so
    :math:`m + 1 \ge n \alpha - \sqrt{2 n \alpha L}` and
    :math:`\alpha - E \le (\alpha + \sqrt{2 n \alpha L}) / (n + 1)`. For delta <= 1/2, m is at most a median of
    Bin(n, alpha), so :math:`m \le n \alpha + 1`, and the variance :math:`E (1 - E)/(n + 2)` of R is at most
    :math:`(\alpha + 2/(n + 1))/(n + 2)`. Since :math:`E(\alpha - R)_+ \le (\alpha - E)_+ + E(E - R)_+` and the last
    term, half a mean absolute deviation, is at most half a standard deviation, the sum of these two bounds is one on
    :math:`E(\alpha - R)_+`; it falls in n.
    """

    def bound(n):
        mean_part = (alpha + math.sqrt(2 * n * alpha * math.log(1 / delta))) / (n + 1)
        return mean_part + math.sqrt((alpha + 2 / (n + 1)) / (n + 2)) / 2

    high = 1
    while bound(high) > alpha * deficit:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bound(middle) > alpha * deficit else (low, middle)
    return high


def sizes_for(power_of, power, alpha, delta, *, steepness=1.0):
    """Return the first size at which a rule has the power, and the size from which on it always has.

    Parameters
    ----------
    power_of : callable
        ``power_of(n_above, n0) -> ndarray``: expected power as a share of the oracle's. It must fall where the type I
        error falls stochastically.
    power : float
        The share required, in (0, 1).
    alpha, delta : float
        Levels; `delta` at most 1/2.
    steepness : float
        A number c such that the share is at least 1 - c E (1 - R / alpha)_+.

    Returns
    -------
    n_first, n_always : int

    Raises
    ------
    InvalidInputError
        If `power` is so near to 1 that the teeth are too many to look at.
    """
    settled = settled_size(alpha, delta, (1 - power) / steepness)
    # a tooth takes about 1 / alpha sizes, and m of tooth `settled` is at most settled * alpha + 1
    n_teeth = math.ceil(settled * alpha) + 3
    if n_teeth > MOST_TEETH:
        raise InvalidInputError(
            f"power={power:g} is too near to 1 to plan for at alpha={alpha:g}: all numbers of left-out class 0 rows up "
            f"to {settled:.3g}, a crude bound on what it takes, would have to be looked at. Give a smaller power."
        )
    starts = tooth_starts(n_teeth + 1, alpha, delta)
    teeth = np.arange(n_teeth)
    at_start = _in_pieces(power_of, teeth, starts[:-1]) >= power
    at_end = _in_pieces(power_of, teeth, starts[1:] - 1) >= power
    failing = np.flatnonzero(~at_end & (starts[:-1] < settled))
    first = int(starts[np.argmax(at_start)])
    always = int(starts[failing[-1] + 1]) if failing.size else int(starts[0])
    return first, always


def _in_pieces(power_of, teeth, sizes):
    pieces = max(1, teeth.size // 500)
    parts = zip(np.array_split(teeth, pieces), np.array_split(sizes, pieces), strict=True)
    return np.concatenate([power_of(m, n) for m, n in parts])
