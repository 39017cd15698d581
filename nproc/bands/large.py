"""Bands with many knots, without a beta quantile for every knot.

A beta quantile takes some ten microseconds where n is large, and a band has three a knot: an hour for 10^8. Bounds are
smooth functions of the count behind them, though, so that a few thousand quantiles and a spline give all of them, with
a proved error (see `smooth_bounds` in `nproc.simultaneous`). With more than `FEW` knots the curves of a band are made
so. With more than `MANY` no array of knots is made: areas are taken from the spline in blocks, a choice looks with it
for the knots that may be best and compares the exact bounds of these, and a picture shows exact bounds at some of the
knots.
"""

import math
from bisect import bisect_left
from functools import lru_cache, partial

import numpy as np

from nproc.bands.bounds import PointwiseBounds
from nproc.score_chunks import count_up_to
from nproc.simultaneous import MANY_BOUNDS, MOST_KEPT, beta_quantile, beta_upper_quantile, smooth_bounds
from nproc.thresholds import guard_of

# up to these numbers of knots: each is a beta quantile of its own; all of them are kept
FEW, MANY = MANY_BOUNDS, MOST_KEPT
BLOCK = 1 << 16
# two heights that differ by less may be in the wrong order
CLOSE = 1e-9
# steps of a picture: more than the columns that it has
SHOWN = 8000


def knot_blocks(band):
    """Give the band at all knots, ascending in alpha, in blocks: ranks, alpha, type2_lower, type2 and type2_upper."""
    n0 = band.n0_left_out
    type1, lower, upper = bounds_of_counts(band.rule, n0, band.n1_left_out)
    guards = [None if band.subject is None else guard_of(scores0) for scores0 in band.sorted0]
    for stop in range(n0, 0, -BLOCK):
        start = max(stop - BLOCK, 0)
        orders = np.arange(stop, start, -1)
        totals = np.zeros((3, orders.size))
        for scores0, scores1, guard in zip(band.sorted0, band.sorted1, guards, strict=True):
            cuts = scores0[start:stop]
            if guard is not None:
                cuts = cuts + guard(cuts)
            missed = count_up_to(scores1, cuts)[::-1]
            totals += lower(missed), missed / scores1.size, upper(missed)
        yield orders, type1(n0 - orders), *(totals / band.n_splits)


@lru_cache(maxsize=4)
def bounds_of_counts(rule, n0, n1):
    """Return the bounds of a rule as functions of counts: scores above the threshold, and missed ones (twice)."""
    # a limit would be a jump, which no spline can follow
    limit = rule.most(n0) if rule.simultaneous and not rule.has_closed_form else n0
    all_bounds = partial(PointwiseBounds.type1_at, rule) if limit < n0 else rule.type1_at

    def type1(n_above):
        # no rank has all scores above it; the bound would be 1
        return np.where(n_above < n0, all_bounds(np.maximum(n0 - n_above, 1), n0), 1.0)

    if rule.has_closed_form:
        return type1, lambda missed: rule.type2(missed, n1).lower, lambda missed: rule.type2(missed, n1).upper
    level = rule.level(n1, sides=2)

    def lower(missed):
        return np.where(missed > 0, beta_quantile(np.maximum(missed, 0.5), n1 + 1.0 - missed, level), 0.0)

    def upper(missed):
        return np.where(missed < n1, beta_upper_quantile(missed + 1.0, np.maximum(n1 - missed, 0.5), level), 1.0)

    smooth = smooth_bounds(type1, n0, 1)

    def bounded(n_above):
        return np.where(n_above < limit, smooth(n_above), 1.0)

    return bounded, smooth_bounds(lower, n1, -1), smooth_bounds(upper, n1, 1)


def areas(band, up_to=1.0):
    """Return the areas under the lower curve, the estimate and the upper curve of a band, from 0 up to a level."""
    parts, before = [], None
    for _, alpha, *type2 in knot_blocks(band):
        alpha, heights = np.minimum(alpha, up_to), 1 - np.stack(type2[::-1])
        if before is None:
            # below the first knot there is only the upper curve
            parts.append(alpha[0] * heights[:, 0] * [0, 0, 1])
        else:
            parts.append((alpha[0] - before[0]) * before[1])
        parts.append(heights[:, :-1] @ np.diff(alpha))
        before = alpha[-1], heights[:, -1]
    parts.append((up_to - before[0]) * before[1])
    under_lower, estimate, under_upper = map(math.fsum, np.transpose(parts))
    return under_lower, estimate, under_upper


def orders_to_choose_from(band, type2_max, knots_at):
    """Return ranks, descending, among which is the one that is best of all ranks: by `type2_max`, or by Youden's index.

    Parameters
    ----------
    band : NPROCBand
    type2_max : float or None
        None is Youden's index.
    knots_at : callable
        Gives the exact alpha, type2_lower and type2_upper of an array of ranks.
    """
    if type2_max is None:
        return _orders_of_youden(band)
    # along the knots alpha rises and the upper bound falls, so that the first of each kind is found by halving
    n0 = band.n0_left_out
    n_open = bisect_left(range(n0), True, key=lambda knot: knots_at(np.array([n0 - knot]))[0][0] >= 1)
    # of a bound out of reach an error names the first knot with the smallest one
    target = max(type2_max, knots_at(np.array([n0 + 1 - n_open]))[2][0]) if n_open else type2_max
    good = bisect_left(range(n_open), True, key=lambda knot: knots_at(np.array([n0 - knot]))[2][0] <= target)
    return n0 - np.unique(np.clip([good - 1, good], 0, max(n_open - 1, 0)))


def _orders_of_youden(band):
    best, near = -np.inf, []
    for orders, alpha, _, _, upper in knot_blocks(band):
        height = np.where(alpha < 1, 1 - upper - alpha, -np.inf)
        best = max(best, float(height.max()))
        close = height >= best - CLOSE
        near.append((orders[close], height[close]))
    orders, height = (np.concatenate(parts) for parts in zip(*near, strict=True))
    return orders[height >= best - CLOSE]


def orders_to_show(n0):
    """Return the ranks, descending, that a picture of n0 knots needs: no step of it moves by more than 1 / `SHOWN`."""
    return np.unique(np.linspace(1, n0, SHOWN + 1).round().astype(np.int64))[::-1]
