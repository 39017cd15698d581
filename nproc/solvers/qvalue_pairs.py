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

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
.. [spivak2009] Spivak, M., Weston, J., Bottou, L., Kall, L. and Noble, W. S. (2009). Improvements to the Percolator
   algorithm for peptide identification from shotgun proteomics data sets. Journal of Proteome Research 8, 3737-3745.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.losses import SigmoidLoss
from nproc.solvers.backprop import network_gradient, network_scores, weight_mask
from nproc.solvers.network_steps import CHUNK, NetworkState, diverged, new_network, run_steps
from nproc.solvers.qvalue_place import accepting_threshold, place
from nproc.solvers.qvalue_steps import run_pairs
from nproc.solvers.result import SolverResult
from nproc.solvers.sampling import RowSampler

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
    X,
    y,
    *,
    q=(0.01,),
    hidden=(5,),
    activation="tanh",
    lam=1e-2,
    eta=1.0,
    gamma0=0.1,
    decay=None,
    tau=1.0,
    init="logistic",
    init_iter=10,
    n_restarts=1,
    tol=0.3,
    max_iter=30,
    rng,
    callback=None,
):
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
        over all rows, divided by the sum of the norms of its three parts (penalty, class 1, class 0). Converged: at
        most `tol`, with every constraint met.

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
    problem = _Problem(X, y, levels, levels * np.sum(y == 1) / np.sum(y == 0), lam, eta)
    rates = (gamma0, 2.0 / (5.0 * y.size) if decay is None else decay, tau / np.sum(y == 0))
    best = None
    for _ in range(n_restarts):
        state = new_network(X.shape[1], hidden=hidden, activation=activation, rng=rng)
        sampler = RowSampler(y, rng)
        if init == "logistic":
            _warm_start(state, problem, sampler, init_iter)
        found = _search(state, problem, sampler, rates, max_iter, callback)
        if best is None or found.objective < best.objective:
            best = found
    return _finish(best, problem, tol, max_iter)


@dataclass(frozen=True)
class _Problem:
    X: np.ndarray
    y: np.ndarray
    q: np.ndarray
    q_rate: np.ndarray
    lam: float
    eta: float

    def measure(self, state):
        """Return the objective of the weights in `state`, the scores, and the best placement for each q."""
        scores = network_scores(state.theta, state.sizes, state.activation, self.X)
        with np.errstate(over="ignore"):
            penalty = 0.5 * self.lam * float(np.sum(state.theta[weight_mask(state.sizes)] ** 2))
        placements = [place(scores, self.y, rate, self.eta) for rate in self.q_rate]
        return penalty + float(np.mean([p.type2_loss for p in placements])), scores, placements


@dataclass(frozen=True)
class _Found:
    objective: float
    theta: np.ndarray
    state: NetworkState
    history: dict


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
    objective, scores, placements = _stretch(state, problem, rates[0])
    offsets, multipliers = np.array([(p.offset, p.multiplier) for p in placements]).T.copy()
    best, theta = objective, state.theta.copy()
    history = {name: [] for name in ("objective", "type1", "type2", "multiplier", "accepted")}
    time = np.zeros(1)
    n_pairs = max(1, problem.y.size // 2)
    numbers = (problem.lam, problem.eta, *rates)
    for epoch in range(max_iter):
        for start in range(0, n_pairs, CHUNK):
            rows0, rows1 = sampler.pairs(min(CHUNK, n_pairs - start))
            run_pairs(state, offsets, multipliers, time, problem.X, rows0, rows1, problem.q_rate, numbers)
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
    return _Found(best, theta, state, history)


def _finish(best, problem, tol, max_iter):
    state = best.state
    state.theta[:] = best.theta
    _, scores, placements = problem.measure(state)
    reached = [accepting_threshold(scores, problem.y, level) for level in problem.q]
    state.numbers[0] = -reached[0][0]
    offsets, multipliers = np.array([(p.offset, p.multiplier) for p in placements]).T.copy()
    state.numbers[1] = multipliers[0]
    parts = pair_gradients(state, problem, scores, offsets, multipliers)
    whole = sum(float(np.linalg.norm(part)) for part in parts)
    certificate = float(np.linalg.norm(sum(parts))) / whole if whole > 0 else 0.0
    short = [level for level, p in zip(problem.q, placements, strict=True) if not p.feasible]
    return QValueResult(
        coef=state.theta,
        intercept=float(state.numbers[0]),
        objective=np.array(best.history["objective"]),
        n_iter=max_iter,
        converged=certificate <= tol and not short,
        certificate=certificate,
        reason=_reason(certificate, tol, short),
        history={name: np.array(values) for name, values in best.history.items()},
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


def _reason(certificate, tol, short):
    if short:
        listed = ", ".join(f"{level:g}" for level in short)
        return f"no threshold on the training scores meets q={listed} for the smooth losses."
    if certificate > tol:
        return f"the gradient of the Lagrangian is {certificate:.2g} of the sum of its parts, above tol={tol:g}."
    return f"the Lagrangian is stationary to tol={tol:g}, and every constraint is met."
