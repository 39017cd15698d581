r"""A feed-forward network g(x) on one flat array of parameters: scores and gradients of one row at a time.

Layers of ``sizes = [d, h_1, ..., h_k, 1]`` units: weights (out x in, by rows) and biases of each hidden layer in turn,
then the weights of the output, which has neither bias nor activation. The constant term is kept apart, since the
solvers treat it apart (each q-value has its own). Without hidden layers g is linear.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from nproc.solvers.jit import hot

ACTIVATIONS = ("tanh", "logistic", "relu")


def layer_sizes(n_features, hidden):
    """Return the numbers of units from the input to the output, an int64 array."""
    return np.array([n_features, *hidden, 1], dtype=np.int64)


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
    """Return room for the activations, or their derivatives, of one row: hidden layers, then the output."""
    return np.zeros(int(np.sum(sizes[1:])))


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
    start, below, here, total = 0, 0, 0, 0.0
    for layer in range(last + 1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        bias = start + n_in * n_out
        for j in range(n_out):
            row = start + j * n_in
            total = theta[bias + j] if layer < last else 0.0
            if layer == 0:
                for i in range(n_in):
                    total += theta[row + i] * x[i]
            else:
                for i in range(n_in):
                    total += theta[row + i] * units[below + i]
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
def add_gradient(target, sizes, x, units, deltas, shrink, scale):
    """Multiply the weights in `target` by `shrink` and add `scale` times the gradient of g; biases do not shrink."""
    last = sizes.shape[0] - 2
    start, below, here = 0, 0, 0
    for layer in range(last + 1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        bias = start + n_in * n_out
        for j in range(n_out):
            row = start + j * n_in
            step = scale * deltas[here + j]
            if layer == 0:
                for i in range(n_in):
                    target[row + i] = shrink * target[row + i] + step * x[i]
            else:
                for i in range(n_in):
                    target[row + i] = shrink * target[row + i] + step * units[below + i]
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
            add_gradient(gradient, sizes, X[i], units, deltas, 1.0, factors[i])


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
