"""A network in training, and the steps of Algorithm 4 on it: one row at a time, by back-propagation.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError
from nproc.solvers.jit import hot

# A feed-forward network g(x) on one flat array of parameters: scores and gradients of one row at a time.
#
# Layers of ``sizes = [d, h_1, ..., h_k, 1]`` units: weights (out x in, by rows) and biases of each hidden layer in
# turn, then the weights of the output, which has neither bias nor activation. The constant term is kept apart, since
# the solvers treat it apart (each q-value has its own). Without hidden layers g is linear.


ACTIVATIONS = ("tanh", "logistic", "relu")


def initial_parameters(sizes, activation, rng):
    """Return random weights whose layers keep the variance of their input, and biases of zero, flat."""
    parts = []
    gain = 6.0 if activation != "relu" else 12.0
    for n_in, n_out in itertools.pairwise(sizes):
        limit = math.sqrt(gain / (n_in + n_out))
        parts += [rng.uniform(-limit, limit, size=n_in * n_out), np.zeros(n_out)]
    # the output has no bias
    return np.concatenate(parts[:-1])


def weight_mask(sizes):
    """Return a boolean array over the flat parameters: True for weights, False for biases."""
    parts = []
    for n_in, n_out in itertools.pairwise(sizes):
        parts += [np.ones(n_in * n_out, dtype=bool), np.zeros(n_out, dtype=bool)]
    return np.concatenate(parts[:-1])


def unpack(theta, intercept, sizes):
    """Return lists of weight matrices (in x out) and of bias vectors, one a layer, as scikit-learn has them."""
    weights, biases, start = [], [], 0
    last = len(sizes) - 2
    for layer, (n_in, n_out) in enumerate(itertools.pairwise(sizes)):
        stop = start + n_in * n_out
        weights.append(theta[start:stop].reshape(n_out, n_in).T.copy())
        biases.append(np.array([intercept]) if layer == last else theta[stop : stop + n_out].copy())
        start = stop + n_out
    return weights, biases


def new_units(sizes):
    """Return room for the values of all units, or their derivatives, for one row: from the input to the output."""
    return np.zeros(int(np.sum(sizes)))


@hot
def logistic(z):
    """1 / (1 + exp(-z)), without overflow."""
    if z >= 0.0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


@hot
def _activate(kind, z):
    if kind == 0:
        return math.tanh(z)
    if kind == 1:
        return logistic(z)
    return z if z > 0.0 else 0.0


@hot
def _slope(kind, a):
    # the derivative of the activation where its value is a
    if kind == 0:
        return 1.0 - a * a
    if kind == 1:
        return a * (1.0 - a)
    return 1.0 if a > 0.0 else 0.0


@hot(reassociate=True)
def forward(theta, sizes, kind, x, units):
    """Return g(x), and leave the values of all units in `units`."""
    last = sizes.shape[0] - 2
    start, below, here, total = 0, 0, sizes[0], 0.0
    for i in range(sizes[0]):
        units[i] = x[i]
    for layer in range(last + 1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        bias = start + n_in * n_out
        inputs = units[below:here]
        for j in range(n_out):
            row = start + j * n_in
            total = theta[bias + j] if layer < last else 0.0
            for i in range(n_in):
                total += theta[row + i] * inputs[i]
            units[here + j] = _activate(kind, total) if layer < last else total
        below = here
        here += n_out
        start = bias + n_out
    return total


@hot(reassociate=True)
def backward(theta, sizes, kind, units, deltas):
    """Leave in `deltas` the derivative of g in the input of each unit, after `forward` has filled `units`."""
    here = units.shape[0] - 1
    stop = theta.shape[0]
    deltas[here] = 1.0
    for layer in range(sizes.shape[0] - 2, 0, -1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        start = stop - n_in * n_out
        below = here - n_in
        for i in range(n_in):
            deltas[below + i] = 0.0
        for j in range(n_out):
            row = start + j * n_in
            for i in range(n_in):
                deltas[below + i] += theta[row + i] * deltas[here + j]
        for i in range(n_in):
            deltas[below + i] *= _slope(kind, units[below + i])
        here = below
        # the biases of the layer below lie before these weights
        stop = start - n_in


@hot(reassociate=True)
def add_gradient(target, sizes, units, deltas, shrink, scale):
    """Multiply the weights in `target` by `shrink` and add `scale` times the gradient of g; biases do not shrink."""
    last = sizes.shape[0] - 2
    start, below, here = 0, 0, sizes[0]
    for layer in range(last + 1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        bias = start + n_in * n_out
        inputs = units[below:here]
        for j in range(n_out):
            row = start + j * n_in
            step = scale * deltas[here + j]
            for i in range(n_in):
                target[row + i] = shrink * target[row + i] + step * inputs[i]
            if layer < last:
                target[bias + j] += step
        below = here
        here += n_out
        start = bias + n_out


@hot
def _fill_scores(theta, sizes, kind, X, units, scores):
    for i in range(X.shape[0]):
        scores[i] = forward(theta, sizes, kind, X[i], units)


@hot
def _sum_gradients(theta, sizes, kind, X, factors, units, deltas, gradient):
    for i in range(X.shape[0]):
        if factors[i] != 0.0:
            forward(theta, sizes, kind, X[i], units)
            backward(theta, sizes, kind, units, deltas)
            add_gradient(gradient, sizes, units, deltas, 1.0, factors[i])


def network_scores(theta, sizes, activation, X):
    """Return g of each row of `X` (C-contiguous float64), shape (n,)."""
    scores = np.empty(X.shape[0])
    _fill_scores(theta, sizes, ACTIVATIONS.index(activation), X, new_units(sizes), scores)
    return scores


def network_gradient(theta, sizes, activation, X, factors):
    """Return the sum over rows of ``factors[i]`` times the gradient of g(x_i) in the flat parameters."""
    gradient = np.zeros_like(theta)
    units, deltas = new_units(sizes), new_units(sizes)
    _sum_gradients(theta, sizes, ACTIVATIONS.index(activation), X, factors, units, deltas, gradient)
    return gradient


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
        Flat weights and biases, see `nproc.solvers.network_steps`.
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

    def penalty(self, lam):
        """Return lam / 2 times the sum of the squared weights."""
        with np.errstate(over="ignore"):
            return 0.5 * lam * float(np.sum(self.theta[weight_mask(self.sizes)] ** 2))

    def scores(self, X):
        """Return f of each row of `X`, shape (n,)."""
        self.check_sizes(X.shape[1])
        return network_scores(self.theta, self.sizes, self.activation, np.ascontiguousarray(X)) + self.numbers[0]


def new_network(n_features, *, hidden, activation, rng):
    """Return an untrained `NetworkState` with multiplier 1."""
    sizes = np.array([n_features, *hidden, 1], dtype=np.int64)
    theta = initial_parameters(sizes, activation, rng)
    return NetworkState(theta, np.array([0.0, 1.0, 0.0]), sizes, activation)


# the numbers of a step, in the order in which the compiled loop takes them
RATES = ("alpha", "lam", "eta", "gamma0", "decay", "nu")


def run_steps(state, X, y, rows, *, coefficients, warm=False, likelihood=None, **rates):
    """Do one step of Algorithm 4 for each of `rows`; `coefficients` are those of class 0 (before lambda) and class 1.

    `rates` are the numbers that `RATES` names.

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
    settings = tuple(float(value) for value in (*coefficients, *map(rates.__getitem__, RATES), *cuts))
    by_likelihood = bool(warm) or likelihood is not None
    # an overflow is reported below, in words
    with np.errstate(over="ignore", invalid="ignore"):
        network = (state.theta, state.numbers, state.sizes, kind, units, deltas)
        _np_steps(*network, X, y, rows, bool(warm), by_likelihood, settings)
    if not (np.isfinite(state.theta).all() and np.isfinite(state.numbers).all()):
        raise diverged(rates["gamma0"])


def relative_norm(parts):
    """Return the norm of the sum of vectors over the sum of their norms: 0 where they cancel, or all vanish."""
    whole = sum(float(np.linalg.norm(part)) for part in parts)
    return float(np.linalg.norm(sum(parts))) / whole if whole > 0 else 0.0


def diverged(gamma0):
    """Return the error for weights that overflow."""
    return InvalidInputError(
        f"gamma0={gamma0:g} makes the training diverge: the weights overflow. Use a smaller gamma0, and standardise "
        "the columns of X."
    )


@hot
def _np_steps(theta, numbers, sizes, kind, units, deltas, X, y, rows, warm, by_likelihood, settings):
    # numbers: intercept, multiplier, steps done
    c0, c1, alpha, lam, eta, gamma0, decay, nu, cut0, cut1 = settings
    for k in range(rows.shape[0]):
        i = rows[k]
        multiplier = numbers[1]
        gamma = gamma0 / (1.0 + decay * numbers[2])
        rate = 2.0 * gamma / max(c1, c0 * multiplier)
        f = forward(theta, sizes, kind, X[i], units) + numbers[0]
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
        add_gradient(theta, sizes, units, deltas, 1.0 - rate * lam, step)
        numbers[0] += step
        numbers[2] += 1.0
