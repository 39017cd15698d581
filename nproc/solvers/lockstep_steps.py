r"""Steps of many stochastic Neyman-Pearson runs on the same rows: the hot loops of `solve_stochastic_np_together`.

The weights of the runs lie side by side, a column each. A row is read once for all of them, and what `step` of
`stochastic_steps` does for one run is done here for all, quantity by quantity: each loop runs through neighbours in
memory, and the processor takes several runs at a time.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

import math

import numpy as np

from nproc.solvers.jit import hot
from nproc.solvers.stochastic_steps import (
    ALPHA,
    DECAY,
    ETA,
    FAR,
    GAMMA0,
    INTERCEPT,
    LAM,
    LARGEST_MULTIPLIER,
    LARGEST_NU,
    LEAST_MULTIPLIER,
    MULTIPLIER,
    NU,
    SCALE,
    SMALL_SCALE,
    STEP,
    UNIT,
    WEIGHT0,
    WEIGHT1,
)


@hot
def losses_and_slopes(margins, sigmoid, eta, losses, slopes):
    """Fill in the losses of the margins and minus their derivatives; `margins` is written over."""
    if sigmoid:
        for k in range(margins.shape[0]):
            margins[k] = min(max(eta[k] * margins[k], -FAR), FAR)
        for k in range(margins.shape[0]):
            losses[k] = math.exp(margins[k])
        for k in range(margins.shape[0]):
            losses[k] = 1.0 / (1.0 + losses[k])
            slopes[k] = eta[k] * losses[k] * (1.0 - losses[k])
    else:
        for k in range(margins.shape[0]):
            inside = -eta[k] < margins[k] < eta[k]
            losses[k] = min(max((eta[k] - margins[k]) / (2.0 * eta[k]), 0.0), 1.0)
            slopes[k] = 0.5 / eta[k] if inside else 0.0


@hot
def move_multipliers(multipliers, losses, alphas, nus, gammas, additive):
    """Make the ascent step of every run on a row of class 0."""
    for k in range(multipliers.shape[0]):
        nu = min(min(nus[k], gammas[k]), LARGEST_NU) * (losses[k] - alphas[k])
        grown = max(0.0, multipliers[k] + nu) if additive else max(LEAST_MULTIPLIER, multipliers[k] * (1.0 + nu))
        multipliers[k] = min(LARGEST_MULTIPLIER, grown)


@hot
def step_all(products, label, t, states, settings, sigmoid, additive, work):
    """Make the part of a step that needs no row in every run.

    `products` are v'x; what the row is multiplied with before it is added to each v takes their place. `work` is room
    for four numbers a run. Returns whether a scale has become small.
    """
    scale, intercept, multiplier = states[SCALE], states[INTERCEPT], states[MULTIPLIER]
    margins, losses, slopes, gammas = work[0], work[1], work[2], work[3]
    unit = settings[UNIT]
    sign = 1.0 if label == 1 else -1.0
    for k in range(products.shape[0]):
        margins[k] = sign * (scale[k] / unit[k] * products[k] + intercept[k])
        gammas[k] = settings[GAMMA0, k] / (1.0 + settings[DECAY, k] * t)
    losses_and_slopes(margins, sigmoid, settings[ETA], losses, slopes)
    if label == 1:
        for k in range(products.shape[0]):
            slopes[k] *= gammas[k] * settings[WEIGHT1, k]
    else:
        for k in range(products.shape[0]):
            slopes[k] *= -gammas[k] * settings[WEIGHT0, k] * multiplier[k]
        move_multipliers(multiplier, losses, settings[ALPHA], settings[NU], gammas, additive)
    least = 1.0
    for k in range(products.shape[0]):
        scale[k] *= 1.0 - gammas[k] * settings[LAM, k]
        intercept[k] += slopes[k]
        products[k] = slopes[k] / (scale[k] * unit[k])
        least = min(least, scale[k])
    return least < SMALL_SCALE


@hot
def fold_scales(V, states):
    """Move the scales that have become small into `V`."""
    for k in range(V.shape[1]):
        if states[SCALE, k] < SMALL_SCALE:
            for j in range(V.shape[0]):
                V[j, k] *= states[SCALE, k]
            states[SCALE, k] = 1.0


@hot
def run_dense_together(X, y, rows, V, states, settings, sigmoid, additive):
    """Make a step on each of `rows` in turn in every run; `V`, shape (p, runs), and `states` change."""
    products, work = np.zeros(V.shape[1]), np.zeros((4, V.shape[1]))
    first = states[STEP, 0]
    for i in range(rows.shape[0]):
        row = rows[i]
        products[:] = 0.0
        for j in range(V.shape[0]):
            value = X[row, j]
            for k in range(V.shape[1]):
                products[k] += value * V[j, k]
        small = step_all(products, y[row], first + i, states, settings, sigmoid, additive, work)
        for j in range(V.shape[0]):
            value = X[row, j]
            for k in range(V.shape[1]):
                V[j, k] += value * products[k]
        if small:
            fold_scales(V, states)
    states[STEP] += rows.shape[0]


@hot
def run_csr_together(data, indices, indptr, y, rows, V, states, settings, sigmoid, additive):
    """Do what `run_dense_together` does, on a CSR matrix."""
    products, work = np.zeros(V.shape[1]), np.zeros((4, V.shape[1]))
    first = states[STEP, 0]
    for i in range(rows.shape[0]):
        row = rows[i]
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        products[:] = 0.0
        for place in range(start, stop):
            j, value = indices[place], data[place]
            for k in range(V.shape[1]):
                products[k] += value * V[j, k]
        small = step_all(products, y[row], first + i, states, settings, sigmoid, additive, work)
        for place in range(start, stop):
            j, value = indices[place], data[place]
            for k in range(V.shape[1]):
                V[j, k] += value * products[k]
        if small:
            fold_scales(V, states)
    states[STEP] += rows.shape[0]
