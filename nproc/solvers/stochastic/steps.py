r"""The steps of the stochastic Neyman-Pearson method, one example each: the hot loops of `solve_stochastic_np`.

The weights are kept as w = s v / r, with a number s and a unit of length r: the shrinkage of w is one
multiplication, and a step on a sparse row costs its nonzeros.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.
"""

import math

import numpy as np

from nproc.solvers.jit import hot

# places in the array of what changes
SCALE, INTERCEPT, MULTIPLIER, STEP = range(4)
STATE_SIZE = 4
# places in the array of what stays
SIGMOID, ETA, ALPHA, LAM, GAMMA0, DECAY, NU, WEIGHT0, WEIGHT1, UNIT, ADDITIVE = range(11)
SETTING_SIZE = 11
# places in the array of what was seen on the way: examples, losses and errors of each class
SEEN0, SEEN1, LOSS0, LOSS1, ERRORS0, ERRORS1 = range(6)
TALLY_SIZE = 6

# the multiplier stays between these; at the upper one the solver does not call itself converged
LEAST_MULTIPLIER, LARGEST_MULTIPLIER = 1e-8, 1e8
# nu_t is never above this, so that the multiplicative update (12) keeps lambda positive
LARGEST_NU = 0.5
SMALL_SCALE = 1e-9
# exp(-40) is lost beside 1
FAR = 40.0


@hot
def loss_and_slope(margin, sigmoid, eta):
    """Return the loss of a margin and its derivative, which is 0 at the kinks of the ramp."""
    if sigmoid:
        scaled = eta * margin
        if scaled > FAR:
            return 0.0, 0.0
        if scaled < -FAR:
            return 1.0, 0.0
        loss = 1.0 / (1.0 + math.exp(scaled))
        return loss, -eta * loss * (1.0 - loss)
    if -eta < margin < eta:
        return (eta - margin) / (2.0 * eta), -1.0 / (2.0 * eta)
    return (1.0, 0.0) if margin < 0.0 else (0.0, 0.0)


@hot
def step(score, label, t, scale, intercept, multiplier, setting):
    """Make the part of a step that needs no row: intercept, multiplier and shrinkage.

    Returns (what the row is multiplied with before it is added to v, scale, intercept, multiplier, loss). Numbers go in
    and out, not places in an array, so that the loops keep them in registers.
    """
    sign = 1.0 if label == 1 else -1.0
    loss, slope = loss_and_slope(sign * score, setting[SIGMOID] == 1.0, setting[ETA])
    gamma = setting[GAMMA0] / (1.0 + setting[DECAY] * t)
    scale *= 1.0 - gamma * setting[LAM]
    if label == 1:
        push = -gamma * setting[WEIGHT1] * slope
    else:
        push = gamma * setting[WEIGHT0] * multiplier * slope
        nu = min(setting[NU], gamma, LARGEST_NU)
        if setting[ADDITIVE] == 1.0:
            multiplier = max(0.0, multiplier + nu * (loss - setting[ALPHA]))
        else:
            multiplier = max(LEAST_MULTIPLIER, multiplier * (1.0 + nu * (loss - setting[ALPHA])))
        multiplier = min(LARGEST_MULTIPLIER, multiplier)
    return push / (scale * setting[UNIT]), scale, intercept + push, multiplier, loss


@hot
def fold_scale(v, scale):
    """Move the scale into `v`."""
    for j in range(v.shape[0]):
        v[j] *= scale


@hot(reassociate=True)
def dense_product(X, row, v):
    """Return the scalar product of a row of `X` and `v`."""
    total = 0.0
    for j in range(v.shape[0]):
        total += X[row, j] * v[j]
    return total


@hot
def sparse_product(data, indices, start, stop, v):
    """Return the scalar product of a stretch of a CSR matrix and `v`."""
    # four sums, so that an addition need not wait for the one before; gathers in vector registers are slower
    first = second = third = fourth = 0.0
    place, four = start, np.uint64(4)
    while place + four <= stop:
        first += data[place] * v[indices[place]]
        second += data[place + np.uint64(1)] * v[indices[place + np.uint64(1)]]
        third += data[place + np.uint64(2)] * v[indices[place + np.uint64(2)]]
        fourth += data[place + np.uint64(3)] * v[indices[place + np.uint64(3)]]
        place += four
    for k in range(place, stop):
        first += data[k] * v[indices[k]]
    return (first + second) + (third + fourth)


@hot
def count_draws(tally, seen0, seen1, losses0, losses1, errors0, errors1):
    """Add to the tally."""
    tally[SEEN0] += seen0
    tally[SEEN1] += seen1
    tally[LOSS0] += losses0
    tally[LOSS1] += losses1
    tally[ERRORS0] += errors0
    tally[ERRORS1] += errors1


@hot
def run_dense(X, y, rows, v, state, setting, tally):
    """Make a step on each of `rows` in turn; `v`, `state` and `tally` change."""
    scale, intercept, multiplier, first = state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP]
    losses0 = losses1 = errors0 = errors1 = seen1 = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        score = scale / setting[UNIT] * dense_product(X, row, v) + intercept
        label = y[row]
        push, scale, intercept, multiplier, loss = step(score, label, first + i, scale, intercept, multiplier, setting)
        if label == 1:
            seen1 += 1.0
            losses1 += loss
            errors1 += 1.0 if score <= 0.0 else 0.0
        else:
            losses0 += loss
            errors0 += 1.0 if score > 0.0 else 0.0
        if push != 0.0:
            for j in range(v.shape[0]):
                v[j] += push * X[row, j]
        if scale < SMALL_SCALE:
            fold_scale(v, scale)
            scale = 1.0
    state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP] = scale, intercept, multiplier, first + rows.shape[0]
    count_draws(tally, rows.shape[0] - seen1, seen1, losses0, losses1, errors0, errors1)


@hot
def run_csr(data, indices, indptr, y, rows, v, state, setting, tally):
    """Make a step on each of `rows` of a CSR matrix in turn; `v`, `state` and `tally` change."""
    scale, intercept, multiplier, first = state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP]
    losses0 = losses1 = errors0 = errors1 = seen1 = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        score = scale / setting[UNIT] * sparse_product(data, indices, start, stop, v) + intercept
        label = y[row]
        push, scale, intercept, multiplier, loss = step(score, label, first + i, scale, intercept, multiplier, setting)
        if label == 1:
            seen1 += 1.0
            losses1 += loss
            errors1 += 1.0 if score <= 0.0 else 0.0
        else:
            losses0 += loss
            errors0 += 1.0 if score > 0.0 else 0.0
        if push != 0.0:
            for k in range(start, stop):
                v[indices[k]] += push * data[k]
        if scale < SMALL_SCALE:
            fold_scale(v, scale)
            scale = 1.0
    state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP] = scale, intercept, multiplier, first + rows.shape[0]
    count_draws(tally, rows.shape[0] - seen1, seen1, losses0, losses1, errors0, errors1)


def sparse_parts(X):
    """Return the arrays of a CSR matrix, without a copy; column numbers unsigned, which (as with the places in the
    arrays) spares the compiled loops the test for negative ones."""
    return X.data, X.indices.view(f"u{X.indices.dtype.itemsize}"), X.indptr


@hot
def examine_dense(X, y, w, intercept, setting, totals, slopes, gradients):
    """Add to the tally `totals`, and to the sums by class of the slopes, (2,), and gradients in w, (p, 2)."""
    sigmoid, eta = setting[SIGMOID] == 1.0, setting[ETA]
    for i in range(X.shape[0]):
        label = 1 if y[i] == 1 else 0
        slope = count_row(dense_product(X, i, w) + intercept, label, sigmoid, eta, totals, slopes)
        if slope != 0.0:
            for j in range(w.shape[0]):
                gradients[j, label] += slope * X[i, j]


@hot
def examine_csr(data, indices, indptr, y, w, intercept, setting, totals, slopes, gradients):
    """Do what `examine_dense` does, on a CSR matrix."""
    sigmoid, eta = setting[SIGMOID] == 1.0, setting[ETA]
    for i in range(y.shape[0]):
        label = 1 if y[i] == 1 else 0
        start, stop = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        score = sparse_product(data, indices, start, stop, w) + intercept
        slope = count_row(score, label, sigmoid, eta, totals, slopes)
        if slope != 0.0:
            for k in range(start, stop):
                gradients[indices[k], label] += slope * data[k]


@hot
def count_row(score, label, sigmoid, eta, totals, slopes):
    """Count a row into `totals`, its slope into the sums; return the derivative of its loss in the score."""
    sign = 1.0 if label == 1 else -1.0
    loss, slope = loss_and_slope(sign * score, sigmoid, eta)
    slopes[label] += sign * slope
    totals[SEEN0 + label] += 1.0
    totals[LOSS0 + label] += loss
    if (score > 0.0) != (label == 1):
        totals[ERRORS0 + label] += 1.0
    return sign * slope


def fresh_state(multiplier):
    """Return the state before the first step: w = 0, b = 0."""
    state = np.zeros(STATE_SIZE)
    state[SCALE], state[MULTIPLIER] = 1.0, multiplier
    return state
