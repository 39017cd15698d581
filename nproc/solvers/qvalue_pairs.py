r"""q-value optimisation by stochastic updates on pairs, for linear models and networks.

With a network g of weights w, thresholds :math:`q_1, \dots, q_m` and a constant and a multiplier for each,
:math:`f_k = g + b_k`, a local saddle point is sought of the mean of the Lagrangians (13),

.. math:: L = \tfrac{1}{2} \lambda_c \|w\|^2 + \frac{1}{m} \sum_k \big[ (1 + \lambda_k q'_k) P_{nd}(f_k)
    + \lambda_k (P_{fa}(f_k) - q'_k) \big], \qquad q'_k = q_k n_1 / n_0,

so that one ranking g serves all thresholds. The paper has m = 1 and q' = q: its constraint is one on rates, and equals
the one on counts, which makes a q-value, only where the classes are of one size.

References
----------
Section 4, equation (13) and the update below it, of [gasso2011]_; several thresholds at once: [spivak2009]_.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.losses import SigmoidLoss
from nproc.qvalues import ratios_at_thresholds
from nproc.solvers.jit import hot
from nproc.solvers.network_steps import (
    ACTIVATIONS,
    CHUNK,
    NetworkState,
    add_gradient,
    backward,
    diverged,
    forward,
    logistic,
    network_gradient,
    network_scores,
    new_network,
    new_units,
    relative_norm,
    run_steps,
    weight_mask,
)
from nproc.solvers.result import SolverResult
from nproc.solvers.sampling import RowSampler

# Where to cut scores at a q-value: thresholds, their smooth counterpart and the multiplier that belongs to it.
#
# For fixed scores g, the problem of section 4 of [gasso2011]_ in the constant b alone,
#
# .. math:: \min_b P_{nd}(g + b) \quad \text{subject to} \quad P_{fa}(g + b) \le q' (1 - P_{nd}(g + b)),
#
# has one dimension, and is solved by a search here: its solution starts the stochastic search and measures what it
# finds.


# thresholds tried at class 1 scores (and below all of them, where the lowest is feasible) before the last feasible
# one is refined by halving
N_CANDIDATES, N_BELOW = 40, 12
# a sigmoid loss of a row so far above its threshold, in units of 1 / eta, is lost to rounding
NO_LOSS = 36.0
N_HALVINGS = 15
# between these the search moves: a multiplicative update cannot leave 0, nor come back from the other end in time
LEAST_MULTIPLIER, LARGEST_MULTIPLIER = 1e-3, 1e4
# no solution has an objective below 0: one of so little is the best there is, to this distance
LEAST_OBJECTIVE = 1e-6
# one update changes a multiplier by no more than this share of it, so that it stays positive
LARGEST_CHANGE = 0.5


@dataclass(frozen=True)
class Placement:
    """The constant of one q, with what it attains.

    Attributes
    ----------
    offset : float
        The constant b.
    multiplier : float
        lambda at which the Lagrangian is stationary in b; 0 where it is at none above 0.
    type2_loss : float
        P_nd at b; 1 where the constraint cannot be met.
    feasible : bool
        Whether any b meets the constraint (other than minus infinity, which accepts nothing).
    """

    offset: float
    multiplier: float
    type2_loss: float
    feasible: bool


def best_placement(scores, y, q_rate, eta):
    """Return the `Placement` with the least P_nd found among those that meet the constraint.

    The constraint is tried at some 40 thresholds, and the lowest feasible one is refined by halving. Feasible
    thresholds need not form an interval: one that lies further down, between two infeasible ones tried, is not found.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        g of each row.
    y : ndarray, shape (n,)
        0 or 1.
    q_rate : float
        q' = q n1 / n0.
    eta : float
        Slope of the sigmoid loss.

    Returns
    -------
    placement : Placement
        Where no threshold is feasible, the median of class 1 with multiplier 1, from which a search can start.
    """
    scores0, scores1 = scores[y == 0], scores[y == 1]
    falling = np.sort(scores1)[::-1]
    ranks = np.unique(np.geomspace(1, falling.size, N_CANDIDATES).astype(np.int64)) - 1
    candidates = falling[ranks]
    loss = SigmoidLoss(eta=eta)

    def rates(threshold):
        return loss.value(threshold - scores0).mean(), 1.0 - loss.value(scores1 - threshold).mean()

    def feasible(threshold):
        false_rate, true_rate = rates(threshold)
        return false_rate <= q_rate * true_rate

    inside = np.flatnonzero([feasible(t) for t in candidates])
    if inside.size == 0:
        return Placement(-float(np.median(scores1)), multiplier=1.0, type2_loss=1.0, feasible=False)
    if inside[-1] == candidates.size - 1:
        # below the least class 1 score there is still some P_nd to gain, half a row of it and more
        further = falling[-1] - np.geomspace(NO_LOSS / 1000, NO_LOSS, N_BELOW) / eta
        candidates = np.concatenate([falling[-1:], further])
        inside = np.flatnonzero([feasible(t) for t in candidates])
    if inside[-1] == candidates.size - 1:
        threshold = candidates[-1]
    else:
        # the lowest feasible one lies between a candidate and the next lower, which is not
        threshold, below = candidates[inside[-1]], candidates[inside[-1] + 1]
        for _ in range(N_HALVINGS):
            middle = 0.5 * (threshold + below)
            if feasible(middle):
                threshold = middle
            else:
                below = middle
    slope1 = -loss.derivative(scores1 - threshold).mean()
    slope0 = -loss.derivative(threshold - scores0).mean()
    # (1 + lambda q') slope1 = lambda slope0 may have no positive solution where the constraint is slack
    denominator = slope0 - q_rate * slope1
    return Placement(
        offset=-float(threshold),
        multiplier=float(slope1 / denominator) if denominator > 0 else 0.0,
        type2_loss=float(1.0 - rates(threshold)[1]),
        feasible=True,
    )


def accepting_threshold(scores, y, q):
    """Return (threshold, count): class 1 rows above it are those with a q-value of at most `q`.

    The threshold lies half way between the last score accepted and the next lower one; where none is accepted it is
    the largest score.
    """
    order, last, ratio, n_found = ratios_at_thresholds(scores, y)
    falling = scores[order]
    inside = np.flatnonzero(ratio <= q)
    if inside.size == 0:
        return float(falling[0]), 0
    reached = last[inside[-1]]
    accepted = float(falling[reached])
    if reached == falling.size - 1:
        return float(np.nextafter(accepted, -np.inf)), int(n_found[inside[-1]])
    middle = 0.5 * (accepted + float(falling[reached + 1]))
    # of two neighbouring floats the middle may be the upper one, which must stay above the threshold
    return min(middle, float(np.nextafter(accepted, -np.inf))), int(n_found[inside[-1]])


def run_pairs(state, offsets, multipliers, time, X, rows0, rows1, q_rate, settings):
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
    settings : tuple of float
        lam, eta, gamma0, decay and nu; the learning rate at pair t is gamma0 / (1 + decay t) divided by the largest of
        the coefficients. A multiplier moves by nu, the learning rate gamma or 1 / (2 q') at most.

    Raises
    ------
    InvalidInputError
        If the weights overflow.
    """
    units = [new_units(state.sizes) for _ in range(4)]
    kind = ACTIVATIONS.index(state.activation)
    settings = tuple(float(value) for value in settings)
    # an overflow is reported below, in words
    with np.errstate(over="ignore", invalid="ignore"):
        network = (state.theta, state.sizes, kind, *units)
        _pair_steps(*network, offsets, multipliers, time, X, rows0, rows1, q_rate, settings)
    if not all(np.isfinite(values).all() for values in (state.theta, offsets, multipliers)):
        raise diverged(settings[2])


@hot
def _pair_steps(
    theta, sizes, kind, units0, deltas0, units1, deltas1, offsets, multipliers, time, X, rows0, rows1, q_rate, settings
):
    lam, eta, gamma0, decay, nu = settings
    m = q_rate.shape[0]
    for k in range(rows0.shape[0]):
        g0 = forward(theta, sizes, kind, X[rows0[k]], units0)
        g1 = forward(theta, sizes, kind, X[rows1[k]], units1)
        gamma = gamma0 / (1.0 + decay * time[0])
        largest = 1.0
        for j in range(m):
            largest = max(largest, multipliers[j], 1.0 + multipliers[j] * q_rate[j])
        rate = gamma / largest
        step0 = step1 = 0.0
        for j in range(m):
            loss0 = logistic(eta * (g0 + offsets[j]))
            loss1 = logistic(-eta * (g1 + offsets[j]))
            up = rate * (1.0 + multipliers[j] * q_rate[j]) * eta * loss1 * (1.0 - loss1)
            down = -rate * multipliers[j] * eta * loss0 * (1.0 - loss0)
            step1 += up / m
            step0 += down / m
            offsets[j] += up + down
            # the bracket lies between -q' and 1, and q' is large where class 0 has few rows
            change = min(nu, gamma, LARGEST_CHANGE / max(1.0, q_rate[j])) * (loss0 - q_rate[j] * (1.0 - loss1))
            multipliers[j] = min(max(multipliers[j] * (1.0 + change), LEAST_MULTIPLIER), LARGEST_MULTIPLIER)
        # both gradients before either step: the pair is one step
        backward(theta, sizes, kind, units0, deltas0)
        backward(theta, sizes, kind, units1, deltas1)
        add_gradient(theta, sizes, units0, deltas0, 1.0 - rate * lam, step0)
        add_gradient(theta, sizes, units1, deltas1, 1.0, step1)
        time[0] += 1.0


# standard deviation of the scores at which the search starts, and how far it is doubled if no threshold is feasible:
# flat sigmoids let the many negatives far below a threshold outweigh the few above it
FIRST_SPREAD, N_DOUBLINGS = 3.0, 6


@dataclass(frozen=True, kw_only=True, repr=False)
class QValueResult(SolverResult):
    """A trained ranking; ``coef`` is the flat parameter array of g, ``intercept`` minus its threshold at the least q.

    Attributes
    ----------
    state : NetworkState
        The network, with that intercept.
    q : ndarray, shape (m,)
        The q-values optimised, rising.
    offsets, multiplier : ndarray, shape (m,)
        The constants b_k and multipliers lambda_k of the Lagrangian.
    accepted : ndarray of int, shape (m,)
        Class 1 training rows whose q-value is at most q_k (no correction).
    """

    state: NetworkState
    q: np.ndarray
    offsets: np.ndarray
    multiplier: np.ndarray
    accepted: np.ndarray


def solve_qvalue_pairs(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    q: Sequence[float] = (0.01,),
    hidden: Sequence[int] = (5,),
    activation: Literal["tanh", "logistic", "relu"] = "tanh",
    lam: float = 1e-2,
    eta: float = 1.0,
    gamma0: float = 0.1,
    decay: float | None = None,
    tau: float = 1.0,
    init: Literal["logistic", "random"] = "logistic",
    init_iter: int = 10,
    n_restarts: int = 1,
    tol: float = 0.3,
    max_iter: int = 30,
    rng: np.random.Generator,
    callback: Callable[..., Any] | None = None,
) -> QValueResult:
    """Return the ranking with the lowest objective met by a stochastic search on pairs, from a warm start.

    The warm start trains the same network by the logistic loss, both classes weighing alike, for `init_iter` epochs.
    Its scores are stretched to a standard deviation of 3, or further until each q has a feasible constant. Each step
    then takes one random row of each class.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Predictors, on scales not too far from 1.
    y : ndarray, shape (n,)
        0 for known negatives, 1 for the rows to be accepted or not.
    q : sequence of float
        Thresholds, each in (0, 1).
    hidden : sequence of int
        Units of each hidden layer; empty for a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        Penalty of the squared weights.
    eta : float
        Slope of the sigmoid loss.
    gamma0, decay : float
        The learning rate at pair t is gamma0 / (1 + decay t), divided by the largest of the coefficients 1 + lambda_k
        q'_k and lambda_k; `decay` None is 2 / (5 n).
    tau : float
        Each multiplier moves by nu = tau / n0 at most, and by no more than the learning rate.
    init : {'logistic', 'random'}
        Warm start, or random weights alone.
    init_iter : int
        Epochs of the warm start.
    n_restarts : int
        Searches from different random weights; the one with the lowest objective is returned.
    tol : float
        What `converged` asks of the certificate. It does not stop the search.
    max_iter : int
        Epochs of n / 2 pairs each.
    rng : numpy.random.Generator
        Where chance comes from.
    callback : callable, optional
        Called as ``callback(epoch, objective, type1, type2, multiplier)`` after each epoch.

    Returns
    -------
    result : QValueResult
        The weights of the epoch (the start included) with the lowest *objective*: the penalty plus the mean over q of
        the least P_nd that any constant b_k attains under the constraint (1 where none does). The certificate belongs
        to them, with the best b_k and the lambda_k that make L stationary in b_k: the norm of the gradient of L in w
        over all rows, divided by the sum of the norms of its three parts (penalty, class 1, class 0). Where no
        lambda_k above 0 makes L stationary in b_k it is 0, and the certificate then speaks of w alone. Where all
        constraints are met and the objective is at most 1e-6, it is the objective, if that is smaller: no solution has
        less than 0, and with everything accepted all three parts vanish. Converged: at most `tol`, with every
        constraint met.

    Raises
    ------
    InvalidInputError
        If the weights overflow.

    Notes
    -----
    ``history``: objective, type1 and type2 (training shares on the wrong side of the *moving* constant of the least q),
    multiplier and accepted (class 1 training rows), both of the least q. An epoch costs n passes forward and back; the
    objective about 60 n sigmoids for each q.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.ascontiguousarray(y, dtype=np.int64)
    levels = np.unique(np.asarray(q, dtype=np.float64))
    problem = QValueProblem(X, y, levels, levels * np.sum(y == 1) / np.sum(y == 0), lam, eta)
    rates = (gamma0, 2.0 / (5.0 * y.size) if decay is None else decay, tau / np.sum(y == 0))
    best: Any = None
    for _ in range(n_restarts):
        state = new_network(X.shape[1], hidden=hidden, activation=activation, rng=rng)
        sampler = RowSampler(y, rng)
        if init == "logistic":
            _warm_start(state, problem, sampler, init_iter)
        objective, history = _search(state, problem, sampler, rates, max_iter, callback)
        if best is None or objective < best[0]:
            best = objective, state, history
    _, state, history = best
    return _result(state, history, problem, tol, max_iter)


@dataclass(frozen=True)
class QValueProblem:
    X: np.ndarray
    y: np.ndarray
    q: np.ndarray
    q_rate: np.ndarray
    lam: float
    eta: float

    def measure(self, state):
        """Return the objective of the weights in `state`, the scores, and the best placement for each q."""
        scores = network_scores(state.theta, state.sizes, state.activation, self.X)
        placements = [best_placement(scores, self.y, rate, self.eta) for rate in self.q_rate]
        return state.penalty(self.lam) + float(np.mean([p.type2_loss for p in placements])), scores, placements


def _warm_start(state, problem, sampler, init_iter):
    n = problem.y.size
    settings = {"alpha": 0.5, "lam": problem.lam, "eta": 1.0, "gamma0": 0.05, "decay": 1.0 / (2.0 * n), "nu": 0.0}
    for _ in range(init_iter):
        for start in range(0, n, CHUNK):
            rows = sampler.balanced(min(CHUNK, n - start))
            run_steps(state, problem.X, problem.y, rows, coefficients=(2.0, 2.0), warm=True, **settings)


def _stretch(state, problem, gamma0):
    """Scale the output until each q has a feasible constant, or as far as allowed; return what `measure` does."""
    output = slice(state.theta.size - int(state.sizes[-2]), state.theta.size)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(np.std(network_scores(state.theta, state.sizes, state.activation, problem.X)))
    if not np.isfinite(spread):
        raise diverged(gamma0)
    state.theta[output] *= FIRST_SPREAD / (spread or FIRST_SPREAD)
    measured = problem.measure(state)
    for _ in range(N_DOUBLINGS):
        if all(p.feasible for p in measured[2]):
            return measured
        state.theta[output] *= 2.0
        measured = problem.measure(state)
    if not any(p.feasible for p in measured[2]):
        # no use: stay where the losses still have a slope
        state.theta[output] /= 2.0**N_DOUBLINGS
        measured = problem.measure(state)
    return measured


def _search(state, problem, sampler, rates, max_iter, callback):
    """Leave the best weights met in `state`; return their objective and the history."""
    objective, scores, placements = _stretch(state, problem, rates[0])
    offsets, multipliers = np.array([(p.offset, p.multiplier) for p in placements]).T.copy()
    multipliers = np.clip(multipliers, LEAST_MULTIPLIER, LARGEST_MULTIPLIER)
    best, theta = objective, state.theta.copy()
    history = {name: [] for name in ("objective", "type1", "type2", "multiplier", "accepted")}
    time = np.zeros(1)
    n_pairs = max(1, problem.y.size // 2)
    settings = (problem.lam, problem.eta, *rates)
    for epoch in range(max_iter):
        for start in range(0, n_pairs, CHUNK):
            rows0, rows1 = sampler.pairs(min(CHUNK, n_pairs - start))
            run_pairs(state, offsets, multipliers, time, problem.X, rows0, rows1, problem.q_rate, settings)
        objective, scores, _ = problem.measure(state)
        if not np.isfinite(objective):
            raise diverged(rates[0])
        if objective < best:
            best, theta = objective, state.theta.copy()
        inside = scores + offsets[0] > 0
        entries = (
            objective,
            float(np.mean(inside[problem.y == 0])),
            float(np.mean(~inside[problem.y == 1])),
            float(multipliers[0]),
            accepting_threshold(scores, problem.y, problem.q[0])[1],
        )
        for name, value in zip(history, entries, strict=True):
            history[name].append(value)
        if callback is not None:
            callback(epoch + 1, *entries[:4])
    state.theta[:] = theta
    return best, history


def _result(state, history, problem, tol, max_iter):
    objective, scores, placements = problem.measure(state)
    reached = [accepting_threshold(scores, problem.y, level) for level in problem.q]
    state.numbers[0] = -reached[0][0]
    offsets, multipliers = np.array([(p.offset, p.multiplier) for p in placements]).T.copy()
    state.numbers[1] = multipliers[0]
    parts = pair_gradients(state, problem, scores, offsets, multipliers)
    certificate = relative_norm(parts)
    short = [level for level, p in zip(problem.q, placements, strict=True) if not p.feasible]
    least = objective <= LEAST_OBJECTIVE and not short
    if least:
        certificate = min(certificate, objective)
    return QValueResult(
        coef=state.theta,
        intercept=float(state.numbers[0]),
        objective=np.array(history["objective"]),
        n_iter=max_iter,
        converged=certificate <= tol and not short,
        certificate=certificate,
        reason=_reason(certificate, tol, short, least),
        history={name: np.array(values) for name, values in history.items()},
        state=state,
        q=problem.q,
        offsets=offsets,
        multiplier=multipliers,
        accepted=np.array([count for _, count in reached]),
    )


def pair_gradients(state, problem, scores, offsets, multipliers):
    """Return the gradients in the weights and biases of the penalty, and of the terms of class 1 and class 0 in L."""
    loss = SigmoidLoss(eta=problem.eta)
    y, m = problem.y, offsets.size
    factors0, factors1 = np.zeros(y.size), np.zeros(y.size)
    for rate, offset, multiplier in zip(problem.q_rate, offsets, multipliers, strict=True):
        f = scores + offset
        factors1 += np.where(y == 1, (1 + multiplier * rate) * loss.derivative(f), 0.0) / (m * np.sum(y == 1))
        factors0 += np.where(y == 0, -multiplier * loss.derivative(-f), 0.0) / (m * np.sum(y == 0))
    penalty = problem.lam * state.theta * weight_mask(state.sizes)
    network = (state.theta, state.sizes, state.activation, problem.X)
    return [penalty, network_gradient(*network, factors1), network_gradient(*network, factors0)]


def _reason(certificate, tol, short, least):
    if short:
        listed = ", ".join(f"{level:g}" for level in short)
        return f"no threshold on the training scores meets q={listed} for the smooth losses."
    if certificate > tol:
        return f"the gradient of the Lagrangian is {certificate:.2g} of the sum of its parts, above tol={tol:g}."
    if least:
        return f"the objective is within {LEAST_OBJECTIVE:g} of 0, its lower bound, and every constraint is met."
    return f"the Lagrangian is stationary to tol={tol:g}, and every constraint is met."
