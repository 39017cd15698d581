r"""Whether a logistic criterion without a penalty has a minimiser: directions along which it falls for ever.

A truncated loss is flat beyond its kink, so that the criterion stops to fall along a direction in which no margin falls
once the margins that grow are beyond their kinks. Only rows without a kink (class 1 where p_max = 1, class 0 where
p_min = 0) can make it fall for ever: the criterion has no minimiser if and only if along some direction no margin
falls and one of theirs grows. With 0 < p_min and p_max < 1 there always is a minimiser, if not always a single one.

References
----------
The condition of [albert1984]_, who have no kinks.

.. [albert1984] Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
   regression models. Biometrika 71, 1-10.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

# rows with a steeper slope where the search stopped are taken to have margins that stay bounded
STEEP = 0.01
# margins and eigenvalues this small beside the largest are 0
ROUNDING = 1e-9
RANK = 1e-11
# a direction counts if the mean of the margins grows by this much, with columns of unit mean square
LEAST_GROWTH = 1e-6


def falls_for_ever(data, s, margins, alpha, endless):
    """Return in words how the criterion falls for ever, as far as the point where a search stopped tells; else "".

    Parameters
    ----------
    data : CentredRows
        The rows.
    s : ndarray, shape (n,)
        +1 for class 1 and -1 for class 0.
    margins, alpha : ndarray, shape (n,)
        z, and minus the slope of the loss, where the search stopped.
    endless : ndarray of bool, shape (n,)
        The rows whose loss has no kink.
    """
    if endless.any() and float(margins.min()) > ROUNDING * float(margins.max()):
        return "a linear rule separates the classes"
    loose = alpha <= STEEP
    if not (endless & loose).any():
        return ""
    basis = _unmoved(data, np.flatnonzero(~loose))
    if basis.shape[1] == 0:
        return ""
    rows = np.flatnonzero(loose)
    growth = np.column_stack([s[rows] * (data.times(v[:-1])[rows] + v[-1]) for v in basis.T])
    # imported here: scipy.optimize is slow to import and rarely needed
    from scipy.optimize import linprog

    target = growth[endless[rows]].mean(axis=0)
    constraints = np.unique(-growth, axis=0)
    found = linprog(-target, A_ub=constraints, b_ub=np.zeros(constraints.shape[0]), bounds=(-1.0, 1.0), method="highs")
    if found.x is not None and float(target @ found.x) > LEAST_GROWTH:
        return "a linear rule separates the classes but for ties"
    return ""


def _unmoved(data, rows):
    # a basis of the (coefficients, intercept) that change no margin of `rows`, for columns of unit mean square
    everything = np.arange(data.X.shape[0])
    ones = np.ones(everything.size)
    _, _, square = data.sums(everything, ones, ones)
    scale = np.sqrt(square.diagonal() / ones.size)
    scale = 1.0 / np.append(np.where(scale > 0.0, scale, 1.0), 1.0)
    _, first, second = data.sums(rows, np.ones(rows.size), np.ones(rows.size))
    gram = np.block([[second, first[:, None]], [first[None, :], np.array([[float(rows.size)]])]])
    gram *= scale[:, None] * scale
    values, vectors = eigh(gram, check_finite=False)
    return scale[:, None] * vectors[:, values <= RANK * max(float(values[-1]), 1.0)]
