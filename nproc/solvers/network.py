r"""Algorithm 4 with a neural network: stochastic Neyman-Pearson learning by back-propagation and the sigmoid loss.

With :math:`f(x) = g(x) + b`, g a network of weights w, :math:`\ell(z) = 1 / (1 + e^{\eta z})`, and the mean losses
:math:`P_{nd}` of class 1 (at z = f) and :math:`P_{fa}` of class 0 (at z = -f), a local saddle point of

.. math:: L(f, \lambda) = \tfrac{1}{2} \lambda_c \|w\|^2 + P_{nd}(f) + \lambda (P_{fa}(f) - \alpha)

is sought by descent in (w, b) and ascent in the multiplier, one random row at a time.

References
----------
Algorithm 4, equations (10) to (12), section 3.3, "Nonlinear extensions" and "Imbalanced dataset", of [gasso2011]_;
"deep network" of [gasso2011slides]_.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.losses import SigmoidLoss, TruncatedLikelihood
from nproc.solvers.network_steps import (
    CHUNK,
    NetworkState,
    diverged,
    network_gradient,
    new_network,
    relative_norm,
    run_steps,
    weight_mask,
)
from nproc.solvers.result import SolverResult, no_better_than_constant
from nproc.solvers.sampling import RowSampler

# this share of the epochs is a warm start: the logistic loss, and a multiplier held at 1. The sigmoid loss alone often
# stays at an almost linear solution, and an untrained network would drive the multiplier up
WARM = 0.1
# a fit is flat enough if changing (w, b) by as much as their norm moves L, whose losses lie in [0, 1], by no more than
# this to first order: where the classes can be parted, all three forces vanish and need not cancel
FLAT = 0.05
# the weights at the ends of the last epochs, this share of all, are averaged: the noise of single steps shrinks
AVERAGED = 0.2


@dataclass(frozen=True, kw_only=True, repr=False)
class NetworkResult(SolverResult):
    """A trained network; ``coef`` is its flat parameter array, ``intercept`` the constant b of its output.

    Attributes
    ----------
    state : NetworkState
        The network, ready to score or to be trained further.
    multiplier : float
        The multiplier lambda of the constraint.
    """

    state: NetworkState
    multiplier: float


def solve_np_network(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    alpha: float,
    hidden: Sequence[int] = (10,),
    activation: Literal["tanh", "logistic", "relu"] = "tanh",
    lam: float = 1e-3,
    eta: float = 1.0,
    gamma0: float = 0.25,
    decay: float | None = None,
    tau: float = 3.0,
    balanced: bool = True,
    likelihood: TruncatedLikelihood | None = None,
    tol: float = 0.4,
    max_iter: int = 100,
    rng: np.random.Generator,
    callback: Callable[..., Any] | None = None,
) -> NetworkResult:
    """Return the network found by Algorithm 4, and how near it is to a saddle point.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Predictors, on scales not too far from 1.
    y : ndarray, shape (n,)
        0 for the class whose error is bounded, 1 for the other.
    alpha : float
        Bound on the loss of class 0.
    hidden : sequence of int
        Units of each hidden layer; empty for a linear model.
    activation : {'tanh', 'logistic', 'relu'}
        Of the hidden units.
    lam : float
        Penalty lambda_c of the squared weights (not of biases).
    eta : float
        Slope of the sigmoid loss.
    gamma0, decay : float
        The learning rate at step t is gamma0 / (1 + decay t), times the stabiliser of `run_steps`; `decay` None is
        1 / (5 n).
    tau : float
        The multiplier moves by nu = tau / n0 at most, and by no more than the learning rate.
    balanced : bool
        Draw both classes equally often, with coefficients (2, 2 lambda); else rows at random, with those of (10).
    likelihood : TruncatedLikelihood, optional
        What the weights descend on in place of the sigmoid loss; see Notes. None: the sigmoid loss.
    tol : float
        What `converged` asks of the certificate and of the constraint gap. It does not stop the training.
    max_iter : int
        Epochs of n steps each.
    rng : numpy.random.Generator
        Where chance comes from.
    callback : callable, optional
        Called as ``callback(epoch, objective, type1, type2, multiplier)`` after each epoch.

    Returns
    -------
    result : NetworkResult
        Its certificate is the norm of the gradient of L in (w, b) over all rows, divided by the sum of the norms of
        its three parts (penalty, class 1, class 0): between 0 and 1, and 0 exactly at a stationary point. (It may
        exceed `tol` if the norm of the gradient times that of (w, b) is at most 0.05.) Its
        constraint gap is (P_fa - alpha) / alpha where that is positive; else the smaller of (alpha - P_fa) / alpha and
        lambda (alpha - P_fa), which is 0 where the constraint is tight or its multiplier 0. A network whose P_nd is
        above that of the best constant, 1 - alpha, by more than tol alpha has not converged either.

    Raises
    ------
    InvalidInputError
        If the weights overflow.

    Notes
    -----
    The result is the mean of the weights, of b and of lambda at the ends of the last fifth of the epochs.

    With `likelihood` the weights descend on the class means of the truncated likelihood of eta f, with the weights
    (1, lambda), in the places of P_nd and P_fa, and lambda ascends by the error of class 0 itself, f > 0 (which no
    truncation keeps from falling to alpha). For a given lambda the likelihood is least where eta f is the log of the
    ratio of the two densities less log lambda, so that f > 0 is the Neyman-Pearson test and lambda finds its level;
    truncation asks for the ratio near that threshold only. This is no saddle point of one function: the certificate
    is that of the weights for the lambda reached, the objective is the penalty and class 1's mean of the truncated
    likelihood, and P_fa and P_nd are shares of errors.

    ``history``: objective (penalty and P_nd), type1 and type2 (shares of training rows on the wrong side of 0),
    type1_loss (P_fa) and multiplier, at the end of each epoch, and of the mean in the last entry. One epoch costs n
    passes forward and back, and n forward for the history.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.ascontiguousarray(y, dtype=np.int64)
    n, n0, n1 = y.size, int(np.sum(y == 0)), int(np.sum(y == 1))
    state = new_network(X.shape[1], hidden=hidden, activation=activation, rng=rng)
    sampler = RowSampler(y, rng)
    coefficients = (2.0, 2.0) if balanced else (n / n0, n / n1)
    settings = {"alpha": alpha, "lam": lam, "eta": eta, "gamma0": gamma0, "likelihood": likelihood}
    settings["decay"] = 1.0 / (5.0 * n) if decay is None else decay
    rows_of_history = []
    first_averaged = min(max_iter - 1, max_iter - round(AVERAGED * max_iter))
    sums = [np.zeros_like(state.theta), np.zeros_like(state.numbers)]
    for epoch in range(max_iter):
        # the draws of an epoch come in chunks too: memory does not grow with n
        for start in range(0, n, CHUNK):
            count = min(CHUNK, n - start)
            rows = sampler.balanced(count) if balanced else sampler.plain(count)
            run_steps(
                state, X, y, rows, coefficients=coefficients, nu=tau / n0, warm=epoch < WARM * max_iter, **settings
            )
        if epoch >= first_averaged:
            sums[0] += state.theta
            sums[1] += state.numbers
        if epoch == max_iter - 1:
            state.theta[:] = sums[0] / (max_iter - first_averaged)
            state.numbers[:2] = sums[1][:2] / (max_iter - first_averaged)
        measured = _measure(state, X, y, lam, eta, likelihood)
        if not np.isfinite(measured["objective"]):
            raise diverged(gamma0)
        rows_of_history.append(measured)
        if callback is not None:
            callback(epoch + 1, *(measured[name] for name in ("objective", "type1", "type2", "multiplier")))
    parts = lagrangian_parts(state, X, y, lam, eta, likelihood)
    certificate, size = relative_norm(parts), float(np.hypot(np.linalg.norm(state.theta), state.numbers[0]))
    stationary = certificate <= tol or float(np.linalg.norm(sum(parts))) * size <= FLAT
    gap = constraint_gap(measured["type1_loss"], alpha, measured["multiplier"])
    if likelihood is None:
        type2_loss = measured["objective"] - state.penalty(lam)
    else:
        type2_loss = measured["type2"]
    blind = no_better_than_constant(measured["type1_loss"], type2_loss, alpha)
    history = {name: np.array([row[name] for row in rows_of_history]) for name in measured}
    return NetworkResult(
        coef=state.theta,
        intercept=float(state.numbers[0]),
        objective=history["objective"],
        n_iter=max_iter,
        converged=stationary and gap <= tol and not blind,
        certificate=certificate,
        reason=_reason(None if stationary else certificate, gap, blind, tol),
        history=history,
        state=state,
        multiplier=float(state.numbers[1]),
    )


def constraint_gap(type1_loss, alpha, multiplier):
    """Return how far the constraint is from being met with complementarity, 0 where it is."""
    if type1_loss > alpha:
        return (type1_loss - alpha) / alpha
    return min((alpha - type1_loss) / alpha, multiplier * (alpha - type1_loss))


def _measure(state, X, y, lam, eta, likelihood):
    f = state.scores(X)
    type1 = float(np.mean(f[y == 0] > 0))
    if likelihood is None:
        loss = SigmoidLoss(eta=eta)
        losses1, type1_loss = loss.value(f[y == 1]), float(loss.value(-f[y == 0]).mean())
    else:
        losses1, type1_loss = likelihood.value(eta * f[y == 1], 1), type1
    return {
        "objective": state.penalty(lam) + float(losses1.mean()),
        "type1": type1,
        "type2": float(np.mean(f[y == 1] <= 0)),
        "type1_loss": type1_loss,
        "multiplier": float(state.numbers[1]),
    }


def lagrangian_parts(state, X, y, lam, eta, likelihood=None):
    """Return the gradients in (w, b) of the penalty, of P_nd and of lambda P_fa over all rows; their sum is L's."""
    z = np.where(y == 1, 1.0, -1.0) * state.scores(X)
    slopes = SigmoidLoss(eta=eta).derivative(z) if likelihood is None else eta * likelihood.derivative(eta * z, y)
    slope1 = np.where(y == 1, slopes / np.sum(y == 1), 0.0)
    slope0 = np.where(y == 0, -slopes / np.sum(y == 0), 0.0) * state.numbers[1]
    parts = [np.append(lam * state.theta * weight_mask(state.sizes), 0.0)]
    for slope in (slope1, slope0):
        parts.append(np.append(network_gradient(state.theta, state.sizes, state.activation, X, slope), slope.sum()))
    return parts


def _reason(certificate, gap, blind, tol):
    if blind:
        return "the network does no better than a constant score."
    if certificate is not None:
        return f"the gradient of the Lagrangian is {certificate:.2g} of the sum of its parts, above tol={tol:g}."
    if gap > tol:
        return f"the constraint on class 0 and its multiplier are {gap:.2g} apart, above tol={tol:g}."
    return f"the Lagrangian is stationary and its constraint tight to tol={tol:g}."
