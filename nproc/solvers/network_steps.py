r"""A network in training, and the steps of Algorithm 4 on it: one row at a time, by back-propagation.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError
from nproc.solvers.backprop import (
    ACTIVATIONS,
    add_gradient,
    backward,
    forward,
    initial_parameters,
    layer_sizes,
    logistic,
    network_scores,
    new_units,
)
from nproc.solvers.jit import hot

# rows between two returns to Python, so that an interrupt is heard and a divergence seen
CHUNK = 1 << 14
# a multiplicative update that has gone further towards 0 does not come back in time when the constraint binds again
LEAST_MULTIPLIER = 1e-3


@dataclass
class NetworkState:
    """A network in training; the steps change it in place.

    Attributes
    ----------
    theta : ndarray
        Flat weights and biases, see `nproc.solvers.backprop`.
    numbers : ndarray, shape (3,)
        The intercept b, the multiplier lambda and the number of steps done.
    sizes : ndarray of int64
        Units of each layer, from the input to the output.
    activation : str
        Of the hidden units.
    """

    theta: np.ndarray
    numbers: np.ndarray
    sizes: np.ndarray
    activation: str

    def check_sizes(self, n_columns):
        """Raise unless the arrays are as long as compiled loops over rows of `n_columns` columns take them to be."""
        sizes = self.sizes.tolist() if isinstance(self.sizes, np.ndarray) and self.sizes.dtype == np.int64 else []
        layers = list(itertools.pairwise(sizes))
        fits = bool(layers) and min(sizes) > 0 and (sizes[0], sizes[-1]) == (n_columns, 1)
        n_weights = sum(n_in * n_out + n_out for n_in, n_out in layers) - 1
        for values, size in ((self.theta, n_weights), (self.numbers, 3)):
            fits = fits and isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == (size,)
        if not fits:
            raise InvalidInputError(f"the weights of this network do not fit together for {n_columns} columns.")

    def scores(self, X):
        """Return f of each row of `X`, shape (n,)."""
        self.check_sizes(X.shape[1])
        return network_scores(self.theta, self.sizes, self.activation, np.ascontiguousarray(X)) + self.numbers[0]


def new_network(n_features, *, hidden, activation, rng):
    """Return an untrained `NetworkState` with multiplier 1."""
    sizes = layer_sizes(n_features, hidden)
    theta = initial_parameters(sizes, activation, rng)
    return NetworkState(theta, np.array([0.0, 1.0, 0.0]), sizes, activation)


def run_steps(state, X, y, rows, *, coefficients, alpha, lam, eta, gamma0, decay, nu, warm=False, likelihood=None):
    """Do one step of Algorithm 4 for each of `rows`; `coefficients` are those of class 0 (before lambda) and class 1.

    The learning rate is scaled so that the larger of the two coefficients, lambda included, becomes 2: a large
    multiplier otherwise makes steps that no rate found by trial at lambda = 1 can stand. The points at which the mean
    step is zero stay where they are. With `warm` the loss is log(1 + exp(-eta z)), and lambda does not move.
    Else lambda moves on class 0, by (12), but not below 0.001. With `likelihood` the weights descend on this
    `TruncatedLikelihood` of eta z in place of the sigmoid loss, and lambda moves by the error itself, 0 or 1.
    """
    state.check_sizes(X.shape[1])
    units, deltas = new_units(state.sizes), new_units(state.sizes)
    kind = ACTIVATIONS.index(state.activation)
    # margins from which on a row is cut off, of class 0 and class 1
    cuts = (np.inf, np.inf) if likelihood is None or warm else [-floor for floor in likelihood.floors]
    numbers = [float(v) for v in (*coefficients, alpha, lam, eta, gamma0, decay, nu, *cuts)]
    by_likelihood = bool(warm) or likelihood is not None
    # an overflow is reported below, in words
    with np.errstate(over="ignore", invalid="ignore"):
        _np_steps(
            state.theta,
            state.numbers,
            X,
            y,
            rows,
            state.sizes,
            kind,
            units,
            deltas,
            bool(warm),
            by_likelihood,
            *numbers,
        )
    if not (np.isfinite(state.theta).all() and np.isfinite(state.numbers).all()):
        raise diverged(gamma0)


def diverged(gamma0):
    """Return the error for weights that overflow."""
    return InvalidInputError(
        f"gamma0={gamma0:g} makes the training diverge: the weights overflow. Use a smaller gamma0, and standardise "
        "the columns of X."
    )


@hot
def _np_steps(
    theta,
    numbers,
    X,
    y,
    rows,
    sizes,
    kind,
    units,
    deltas,
    warm,
    by_likelihood,
    c0,
    c1,
    alpha,
    lam,
    eta,
    gamma0,
    decay,
    nu,
    cut0,
    cut1,
):  # numbers: intercept, multiplier, steps done
    for k in range(rows.shape[0]):
        i = rows[k]
        x = X[i]
        multiplier = numbers[1]
        gamma = gamma0 / (1.0 + decay * numbers[2])
        rate = 2.0 * gamma / max(c1, c0 * multiplier)
        f = forward(theta, sizes, kind, x, units) + numbers[0]
        loss = logistic(-eta * f) if y[i] == 1 else logistic(eta * f)
        pull = eta * loss if by_likelihood else eta * loss * (1.0 - loss)
        if (y[i] == 1 and eta * f >= cut1) or (y[i] != 1 and -eta * f >= cut0):
            pull = 0.0
        if y[i] == 1:
            step = rate * c1 * pull
        else:
            step = -rate * c0 * multiplier * pull
            if not warm:
                if by_likelihood:
                    loss = 1.0 if f > 0.0 else 0.0
                numbers[1] = max(LEAST_MULTIPLIER, multiplier * (1.0 + min(nu, gamma) * (loss - alpha)))
        backward(theta, sizes, kind, units, deltas)
        add_gradient(theta, sizes, x, units, deltas, 1.0 - rate * lam, step)
        numbers[0] += step
        numbers[2] += 1.0
