r"""The steps of the stochastic Neyman-Pearson method, one example each: the hot loops of `solve_stochastic_np`.

The weights are kept as w = s v / r, with a number s and a unit of length r: the shrinkage of w is one
multiplication, and a step on a sparse row costs its nonzeros.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.
"""

import numpy as np

from nproc.solvers.jit import hot, prefetch

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
# exp at the multiples of 1/16 up to there, the middle one exp(0)
EXPONENTIALS = np.exp(np.arange(-16 * FAR, 16 * FAR + 1) / 16.0)
MIDDLE = int(16 * FAR)
# adding this to a small number and taking it away again rounds it to a whole one
ROUNDING = 1.5 * 2.0**52
# a row is asked for so many draws before its turn, as so many lines of 64 bytes; the processor then sees by itself
# which lines come next
AHEAD, LINES = 3, 6


@hot(inline=True)
def near_exp(x):
    """Return exp(x) to within rounding, where x counts as `FAR` if it lies above, and as -`FAR` if below or NaN.

    The step waits for it: a table and seven terms of the series are faster than a call of the function of the library.
    """
    x = FAR if x > FAR else (x if x > -FAR else -FAR)
    whole = (16.0 * x + ROUNDING) - ROUNDING
    d = x - whole / 16.0
    square = d * d
    low = (1.0 + d) + square * (0.5 + d * (1.0 / 6.0))
    high = (1.0 / 24.0 + d * (1.0 / 120.0)) + square * (1.0 / 720.0 + d * (1.0 / 5040.0))
    return EXPONENTIALS[int(whole) + MIDDLE] * (low + square * square * high)


@hot(inline=True)
def loss_and_slope(margin, sigmoid, eta):
    """Return the loss of a margin and its derivative, which is 0 at the kinks of the ramp."""
    if sigmoid:
        odds = near_exp(eta * margin)
        loss = 1.0 / (1.0 + odds)
        return loss, -eta * (loss * loss * odds)
    steepest = 0.5 / eta
    loss = min(max(0.5 - steepest * margin, 0.0), 1.0)
    return loss, -steepest if -eta < margin < eta else 0.0


@hot(inline=True)
def step(score, label, t, scale, intercept, multiplier, setting):
    """Make the part of a step that needs no row: intercept, multiplier and shrinkage.

    Returns (what the row is multiplied with before it is added to v, scale, intercept, multiplier, loss). Numbers go in
    and out, not places in an array, so that the loops keep them in registers. The next step waits for the score of this
    one, so that what does not depend on it comes first, and no branch depends on the label, which is not to be guessed.
    """
    gamma = setting[GAMMA0] / (1.0 + setting[DECAY] * t)
    scale *= 1.0 - gamma * setting[LAM]
    inverse = 1.0 / (scale * setting[UNIT])
    sign = 1.0 if label == 1 else -1.0
    weight = -gamma * setting[WEIGHT1] if label == 1 else gamma * setting[WEIGHT0] * multiplier
    # a row of class 1 leaves the multiplier alone
    nu = 0.0 if label == 1 else min(setting[NU], gamma, LARGEST_NU)
    loss, slope = loss_and_slope(sign * score, setting[SIGMOID] == 1.0, setting[ETA])
    push = weight * slope
    if setting[ADDITIVE] == 1.0:
        multiplier = max(0.0, multiplier + nu * (loss - setting[ALPHA]))
    else:
        multiplier = max(LEAST_MULTIPLIER, multiplier * (1.0 + nu * (loss - setting[ALPHA])))
    multiplier = min(LARGEST_MULTIPLIER, multiplier)
    return push * inverse, scale, intercept + push, multiplier, loss


@hot
def fold_scale(v, scale):
    """Move the scale into `v`."""
    for j in range(v.shape[0]):
        v[j] *= scale


@hot
def add_scaled(total, v, scale):
    """Add `v` times the scale to `total`: one pass, without a copy."""
    for j in range(v.shape[0]):
        total[j] += v[j] * scale


@hot(reassociate=True)
def square_norm(v):
    """Return the sum of the squares of `v`: one pass, on one thread."""
    total = 0.0
    for j in range(v.shape[0]):
        total += v[j] * v[j]
    return total


@hot(reassociate=True, inline=True)
def dense_product(X, row, v):
    """Return the scalar product of a row of `X` and `v`."""
    total = 0.0
    for j in range(v.shape[0]):
        total += X[row, j] * v[j]
    return total


@hot(inline=True)
def sparse_product(data, indices, start, stop, v):
    """Return the scalar product of a stretch of a CSR matrix and `v`."""
    # two sums in turn: neither waits for the sum before it
    total, other = 0.0, 0.0
    for place in range(start, stop):
        total, other = other, total + data[place] * v[indices[place]]
    return total + other


@hot(inline=True)
def count_draw(tally, score, label, loss):
    """Count a row of class `label` into the tally."""
    tally[SEEN0 + label] += 1.0
    tally[LOSS0 + label] += loss
    tally[ERRORS0 + label] += 1.0 if (score > 0.0) != (label == 1) else 0.0


@hot(inline=True)
def ask_for(array, start, stop):
    """Have the processor fetch the beginning of a stretch of an array, whose turn comes soon."""
    place = start
    # as many for every row: a loop that ends with the row would end where the processor does not expect it
    for _ in range(LINES):
        prefetch(array, min(place, stop))
        place += np.uint64(64 // array.itemsize)


@hot
def run_dense(X, y, rows, v, state, setting, tally):
    """Make a step on each of `rows` in turn; `v`, `state` and `tally` change."""
    scale, intercept, multiplier, first = state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP]
    entries, width = X.reshape(X.size), np.uint64(X.shape[1])
    for i in range(rows.shape[0]):
        row = rows[i]
        if i + AHEAD < rows.shape[0]:
            start = np.uint64(rows[i + AHEAD]) * width
            ask_for(entries, start, start + width)
        score = scale / setting[UNIT] * dense_product(X, row, v) + intercept
        label = 1 if y[row] == 1 else 0
        push, scale, intercept, multiplier, loss = step(score, label, first + i, scale, intercept, multiplier, setting)
        count_draw(tally, score, label, loss)
        if push != 0.0:
            for j in range(v.shape[0]):
                v[j] += push * X[row, j]
        if scale < SMALL_SCALE:
            fold_scale(v, scale)
            scale = 1.0
    state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP] = scale, intercept, multiplier, first + rows.shape[0]


@hot
def ask_for_row(data, indices, start, stop):
    """Have the processor fetch a stretch of a CSR matrix, whose turn comes next; a line of its memory has 64 bytes."""
    place = start
    while place < stop:
        prefetch(data, place)
        place += np.uint64(64 // data.itemsize)
    place = start
    while place < stop:
        prefetch(indices, place)
        place += np.uint64(64 // indices.itemsize)


@hot
def run_csr(data, indices, indptr, y, rows, v, state, setting, tally):
    """Make a step on each of `rows` of a CSR matrix in turn; `v`, `state` and `tally` change."""
    scale, intercept, multiplier, first = state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP]
    for i in range(rows.shape[0]):
        row = rows[i]
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        if i + AHEAD < rows.shape[0]:
            coming = rows[i + AHEAD]
            ask_for(data, np.uint64(indptr[coming]), np.uint64(indptr[coming + 1]))
            ask_for(indices, np.uint64(indptr[coming]), np.uint64(indptr[coming + 1]))
        score = scale / setting[UNIT] * sparse_product(data, indices, start, stop, v) + intercept
        label = 1 if y[row] == 1 else 0
        push, scale, intercept, multiplier, loss = step(score, label, first + i, scale, intercept, multiplier, setting)
        count_draw(tally, score, label, loss)
        if push != 0.0:
            for k in range(start, stop):
                v[indices[k]] += push * data[k]
        if scale < SMALL_SCALE:
            fold_scale(v, scale)
            scale = 1.0
    state[SCALE], state[INTERCEPT], state[MULTIPLIER], state[STEP] = scale, intercept, multiplier, first + rows.shape[0]


def sparse_parts(X):
    """Return the arrays of a CSR matrix, without a copy; column numbers unsigned, which (as with the places in the
    arrays) spares the compiled loops the test for negative ones."""
    return X.data, X.indices.view(f"u{X.indices.dtype.itemsize}"), X.indptr


@hot
def repeats_an_entry(indices, indptr, last_row):
    """Tell whether a CSR matrix has an entry in parts; `last_row` is room for a number a column, all below 0."""
    for row in range(indptr.shape[0] - 1):
        for place in range(indptr[row], indptr[row + 1]):
            j = indices[place]
            if last_row[j] == row:
                return True
            last_row[j] = row
    return False


def fresh_state(multiplier):
    """Return the state before the first step: w = 0, b = 0."""
    state = np.zeros(STATE_SIZE)
    state[SCALE], state[MULTIPLIER] = 1.0, multiplier
    return state


# Steps of many stochastic Neyman-Pearson runs on the same rows: the hot loops of `solve_stochastic_np_together`.
#
# The weights of the runs lie side by side, a column each. A row is read once for all of them, and what `step` of
# this file does for one run is done here for all, quantity by quantity: each loop runs through neighbours in
# memory, and the processor takes several runs at a time.


@hot(inline=True)
def losses_and_slopes(margins, sigmoid, eta, losses, slopes):
    """Fill in the losses of the margins and minus their derivatives."""
    if sigmoid:
        for k in range(margins.shape[0]):
            losses[k] = near_exp(eta[k] * margins[k])
        for k in range(margins.shape[0]):
            losses[k] = 1.0 / (1.0 + losses[k])
            slopes[k] = eta[k] * losses[k] * (1.0 - losses[k])
    else:
        for k in range(margins.shape[0]):
            inside = -eta[k] < margins[k] < eta[k]
            losses[k] = min(max((eta[k] - margins[k]) / (2.0 * eta[k]), 0.0), 1.0)
            slopes[k] = 0.5 / eta[k] if inside else 0.0


@hot(inline=True)
def move_multipliers(multipliers, losses, alphas, nus, gammas, additive):
    """Make the ascent step of every run on a row of class 0."""
    for k in range(multipliers.shape[0]):
        nu = min(min(nus[k], gammas[k]), LARGEST_NU) * (losses[k] - alphas[k])
        grown = max(0.0, multipliers[k] + nu) if additive else max(LEAST_MULTIPLIER, multipliers[k] * (1.0 + nu))
        multipliers[k] = min(LARGEST_MULTIPLIER, grown)


@hot(inline=True)
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
