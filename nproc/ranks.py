"""The binomial tail of a rank, and the search for the smallest rank that it allows.

Arguments are already checked; `nproc.orderstat` is the door.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.special import betaincc, betainccinv, ndtri

# Two tails closer than this (relative) may be equal numbers that rounding has parted.
_NEAR_TIE = 1e-8
# Up to this n a near tie is settled in rational arithmetic ...
EXACT_N = 1000
# ... if v(k) can equal a printed delta at all: as a fraction it has total**n below, for alpha = a / total. Beyond
# this, only alpha = 1/2 reaches equality, by symmetry.
_EXACT_DENOMINATOR = 10**40
# Where a rank fails by less than this (relative to delta), or 1 - alpha has few digits left, rounding may have decided.
_NEAR_BOUND = 1e-4
_FEW_DIGITS = 1e-8


def search_orders(n0, alphas, delta):
    """Return np_order for an array of levels in [0, 1], and n0 + 1 where no rank is good enough.

    Already checked: `n0` an int, `alphas` a float array, `delta` a float. A Cornish-Fisher approximation is nearly
    always the rank sought or the next one, so that a level costs two binomial tails for any `n0`.
    """
    inside = (alphas > 0) & (alphas < 1)
    level = np.where(inside, alphas, 0.5)
    z = ndtri(delta)
    spread = np.sqrt(n0 * level * (1 - level))
    exceed = n0 * level + z * spread + (z * z - 1) * (1 - 2 * level) / 6 - 0.5
    guess = np.clip(np.floor(n0 - exceed), 1, n0)
    # bracket: `bad` is a rank that fails (0 always does), `good` one that passes (n0 + 1 stands for none)
    bad = np.zeros_like(level)
    bad_tail = np.ones_like(level)
    good = np.full_like(level, n0 + 1.0)
    step = 1.0
    trial = guess
    pending = np.ones(level.shape, dtype=bool)
    while np.any(pending):
        passed = np.zeros(level.shape, dtype=bool)
        tail = np.ones_like(level)
        passed[pending], tail[pending] = _judge(trial[pending], n0, level[pending], delta)
        failed = pending & ~passed
        good = np.where(pending & passed, np.minimum(good, trial), good)
        bad_tail = np.where(failed & (trial > bad), tail, bad_tail)
        bad = np.where(failed, np.maximum(bad, trial), bad)
        pending = good - bad > 1
        bracketed = (bad > 0) & (good <= n0)
        downwards = np.maximum(good - step, bad + 1)
        upwards = np.minimum(bad + step, good - 1)
        outward = np.where(good <= n0, downwards, upwards)
        trial = np.where(bracketed, np.floor((bad + good) / 2), outward)
        step *= 4
    # the bound reported for a rank is itself a level which that rank meets, whatever the tail's rounding says
    doubtful = (good > 1) & ((bad_tail <= delta * (1 + _NEAR_BOUND)) | (level > 1 - _FEW_DIGITS))
    below = good[doubtful] - 1
    good[doubtful] -= betainccinv(n0 - below + 1, below, delta) <= level[doubtful]
    orders = np.where(alphas >= 1, 1.0, np.where(alphas <= 0, n0 + 1.0, good))
    return orders.astype(np.int64)


def violation_tail(orders, n0, alpha):
    """Return v(order) for float orders."""
    # P(Bin(n, alpha) <= n - k), written with alpha and not 1 - alpha: exact for tiny levels too
    return betaincc(n0 - orders + 1.0, orders, alpha)


def meets_level(orders, n0, alpha, delta):
    """Whether v(order) <= delta, with near ties settled exactly (see the notes of np_order)."""
    return _judge(orders, n0, alpha, delta)[0]


def _judge(orders, n0, alpha, delta):
    """Return what `meets_level` says, and the tail that it compared."""
    tail = violation_tail(orders, n0, alpha)
    passed = np.asarray(tail <= delta)
    near = np.abs(tail - delta) <= _NEAR_TIE * delta
    if n0 > EXACT_N or not np.any(near):
        return passed[()], tail
    allowed = Fraction(repr(float(delta)))
    orders, alpha = np.broadcast_to(orders, passed.shape), np.broadcast_to(alpha, passed.shape)
    for where in zip(*np.nonzero(near), strict=True) if passed.ndim else [()]:
        level = Fraction(repr(float(alpha[where])))
        if level.denominator == 2 or level.denominator ** int(n0) <= _EXACT_DENOMINATOR:
            passed[where] = _exact_tail(int(orders[where]), int(n0), level) <= allowed
    return passed[()], tail


def _exact_tail(k, n, level):
    a, total = level.numerator, level.denominator
    b = total - a
    tail = sum(math.comb(n, j) * a**j * b ** (n - j) for j in range(n - k + 1))
    return Fraction(tail, total**n)
