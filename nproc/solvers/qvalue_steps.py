r"""Stochastic updates on pairs for q-values: one row of each class a step.

References
----------
Section 4, equation (13) and the update below it, of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

import numpy as np

from nproc.solvers.backprop import ACTIVATIONS, add_gradient, backward, forward, logistic, new_units
from nproc.solvers.jit import hot
from nproc.solvers.network_steps import diverged


def run_pairs(state, offsets, multipliers, time, X, rows0, rows1, q_rate, numbers):
    """Do one step for each pair of rows, changing the network, `offsets`, `multipliers` and `time` in place.

    Parameters
    ----------
    state : NetworkState
        The network g; its own intercept and multiplier have no part in this.
    offsets, multipliers : ndarray, shape (m,)
        b_k and lambda_k of each q.
    time : ndarray, shape (1,)
        Pairs seen so far.
    X : ndarray, shape (n, p)
        Predictors, C-contiguous float64.
    rows0, rows1 : ndarray of int
        Row numbers of class 0 and of class 1, as many of either.
    q_rate : ndarray, shape (m,)
        q'_k = q_k n1 / n0.
    numbers : tuple of float
        lam, eta, gamma0, decay and nu; the learning rate at pair t is gamma0 / (1 + decay t) divided by the largest of
        the coefficients.

    Raises
    ------
    InvalidInputError
        If the weights overflow.
    """
    units = [new_units(state.sizes) for _ in range(4)]
    kind = ACTIVATIONS.index(state.activation)
    settings = [float(value) for value in numbers]
    # an overflow is reported below, in words
    with np.errstate(over="ignore", invalid="ignore"):
        _pair_steps(
            state.theta, offsets, multipliers, time, X, rows0, rows1, state.sizes, kind, *units, q_rate, *settings
        )
    if not all(np.isfinite(values).all() for values in (state.theta, offsets, multipliers)):
        raise diverged(settings[2])


@hot
def _pair_steps(
    theta, offsets, multipliers, time, X, rows0, rows1, sizes, kind, units0, deltas0, units1, deltas1, q_rate,
    lam, eta, gamma0, decay, nu,
):  # fmt: skip
    m = q_rate.shape[0]
    for k in range(rows0.shape[0]):
        x0 = X[rows0[k]]
        x1 = X[rows1[k]]
        g0 = forward(theta, sizes, kind, x0, units0)
        g1 = forward(theta, sizes, kind, x1, units1)
        gamma = gamma0 / (1.0 + decay * time[0])
        largest = 1.0
        for j in range(m):
            largest = max(largest, multipliers[j], 1.0 + multipliers[j] * q_rate[j])
        rate = gamma / largest
        step0 = 0.0
        step1 = 0.0
        for j in range(m):
            loss0 = logistic(eta * (g0 + offsets[j]))
            loss1 = logistic(-eta * (g1 + offsets[j]))
            up = rate * (1.0 + multipliers[j] * q_rate[j]) * eta * loss1 * (1.0 - loss1)
            down = -rate * multipliers[j] * eta * loss0 * (1.0 - loss0)
            step1 += up / m
            step0 += down / m
            offsets[j] += up + down
            multipliers[j] *= 1.0 + min(nu, gamma) * (loss0 - q_rate[j] * (1.0 - loss1))
        # both gradients before either step: the pair is one step
        backward(theta, sizes, kind, units0, deltas0)
        backward(theta, sizes, kind, units1, deltas1)
        add_gradient(theta, sizes, x0, units0, deltas0, 1.0 - rate * lam, step0)
        add_gradient(theta, sizes, x1, units1, deltas1, 1.0, step1)
        time[0] += 1.0
