"""exp of many numbers at once, by vector instructions.

numpy's exp of float64 runs one number at a time on processors without AVX-512, and is most of what an rbf kernel costs.
"""

from __future__ import annotations

import math

import numpy as np

from nproc.solvers.jit import compiler_on, hot

# exp(x) = 2^m exp(r) with x = m ln 2 + r; ln 2 in two parts, so that m ln 2 is exact
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# added to a number below 2^51, it leaves the nearest whole number in the last bits
WHOLE = 6755399441055744.0
# below, exp would be subnormal
LOWEST = -708.0
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = (1.0 / math.factorial(k) for k in range(2, 14))
# numbers at a time, so that all of them stay in the processor's first cache
PIECE = 1024


def exp_of_nonpositive(values):
    """Return exp(min(x, 0)) of a C-contiguous float64 array, in its memory, to 2 units in the last place.

    Numbers below -708, where exp is 0 to 307 digits, give exp(-708). Without the compiler numpy's exp is the faster.
    """
    if compiler_on():
        _exp_pieces(values.reshape(-1), np.empty(PIECE))
        return values
    np.clip(values, LOWEST, 0.0, out=values)
    return np.exp(values, out=values)


@hot
def _exp_pieces(values, work):
    for begin in range(0, values.shape[0], PIECE):
        _exp_piece(values[begin : begin + PIECE], work)


@hot
def _exp_piece(values, work):
    # Taylor's series to r^13 for |r| <= ln(2) / 2, summed in pairs to keep the pipeline busy
    for k in range(values.shape[0]):
        x = values[k]
        x = x if x < 0.0 else 0.0
        x = x if x > LOWEST else LOWEST
        shifted = x * LOG2_E + WHOLE
        work[k] = shifted
        m = shifted - WHOLE
        r = (x - m * LN2_HIGH) - m * LN2_LOW
        r2 = r * r
        r4 = r2 * r2
        low = (C2 + C3 * r) + (C4 + C5 * r) * r2
        middle = (C6 + C7 * r) + (C8 + C9 * r) * r2
        high = (C10 + C11 * r) + (C12 + C13 * r) * r2
        values[k] = 1.0 + (r + r2 * (low + middle * r4 + high * (r4 * r4)))
    # times 2^m: m is added to the exponent
    bits, powers = values.view(np.int64), work.view(np.int64)
    for k in range(values.shape[0]):
        bits[k] += powers[k] << 52
