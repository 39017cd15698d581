r"""Stochastic Neyman-Pearson classification: one example a step, for the model and for the multiplier.

References
----------
Section 3.3, Algorithm 4 and equations (10) to (12) of [gasso2011]_; the additive update is that of
[gasso2011slides]_.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.solvers.result import SolverResult, no_better_than_constant
from nproc.solvers.sampling import FourierFeatures, RowSampler
from nproc.solvers.stochastic import steps
from nproc.solvers.stochastic.run import Examination, StochasticProblem, StochasticRun


@dataclass(frozen=True, kw_only=True, repr=False)
class StochasticNPResult(SolverResult):
    """What `solve_stochastic_np` returns.

    Attributes
    ----------
    multiplier : float
        lambda at the end, or its average where the iterates are averaged.
    only_tol : bool
        Whether the run would count as converged with a larger tol.
    examination : Examination or None
        What the certificate was made of.
    run : StochasticRun
        With which to carry on.
    """

    multiplier: float
    only_tol: bool
    examination: Examination | None
    run: StochasticRun


def solve_stochastic_np(
    X: Matrix,
    y: NDArray[Any],
    *,
    alpha: float,
    lam: float = 1e-3,
    loss: Literal["sigmoid", "ramp"] = "sigmoid",
    eta: float = 2.0,
    gamma0: Literal["auto"] | float = "auto",
    tau: float = 10.0,
    balanced: bool = True,
    average: bool | int = True,
    additive: bool = False,
    features: FourierFeatures | None = None,
    rows: NDArray[np.integer] | None = None,
    tol: float | None = 0.2,
    max_iter: int = 100,
    rng: np.random.Generator,
    callback: Callable[..., Any] | None = None,
) -> StochasticNPResult:
    r"""Return a linear Neyman-Pearson classifier trained by Algorithm 4.

    It looks for a saddle point of

    .. math:: L(w, b, \lambda) = \tfrac{\lambda_c}{2} \|w\|^2 + \frac{1}{n_+} \sum_+ \ell(f(x_i))
              + \lambda \Bigl( \frac{1}{n_-} \sum_- \ell(-f(x_i)) - \alpha \Bigr), \quad f(x) = w^\top x + b,

    by a descent step in (w, b) and, on examples of class 0, an ascent step in the multiplier. A drawn example is
    used for both with the margin that it has before the step.

    Parameters
    ----------
    X : ndarray (C-contiguous) or CSR matrix, float64 or float32, shape (n, p)
        Rows, already checked.
    y : ndarray of uint8, shape (n,)
        0 (the class whose error is bounded) or 1; both occur.
    alpha : float
        Bound on the mean loss of class 0, in (0, 1).
    lam : float
        lambda_c = 1/C, above 0: the weight of the penalty.
    loss : {'sigmoid', 'ramp'}
        The loss.
    eta : float
        Its parameter, above 0. The sigmoid with 2 has at 0 the slope of the ramp with 1.
    gamma0 : float or 'auto'
        First learning rate: gamma_t = gamma0 / (1 + lam t). 'auto' is the paper's 0.1 on X / r, with r^2 the
        mean square norm of the rows (and lam / r^2 in place of lam, which leaves the problem as it is): the paper
        gives 0.1 for rows of norm about 1.
    tau : float
        nu_t = min(tau / n0, gamma_t, 1/2), above 0.
    balanced : bool
        Draw each class with probability 1/2, with weights (2, 2 lambda); otherwise draw all rows alike, with the
        weights (10).
    average : bool or int
        Return the mean of the iterates (multiplier included) after this many epochs; True: of the second half.
        About four iterates an epoch are taken: neighbours are alike, and a sum at each step would cost as much as
        the step.
    additive : bool
        lambda <- max(0, lambda + nu g) instead of lambda <- lambda (1 + nu g), equation (12).
    features : FourierFeatures, optional
        A map of the rows, applied to those drawn; w is then a vector of its length. It goes beyond the paper.
    rows : ndarray of int, optional
        The rows that train, without a copy of them; None: all. "All rows" below are these.
    tol : float or None
        The certificate of a converged run; None: the last pass over all rows is spared, the certificate is None,
        and to have run all epochs is to have converged.
    max_iter : int
        Number of epochs, of n steps each.
    rng : numpy.random.Generator
        Where chance comes from.
    callback : callable, optional
        Called after each epoch with its number and a dict, the row of the history.

    Returns
    -------
    result : StochasticNPResult
        Its certificate is the larger of two numbers: the norm of the gradient of L in (r w, b) on all rows, relative
        to the sum of the norms of its three parts (or to 0.01 times the steepest slope of the loss, if that is
        larger); and the mean loss of class 0 less alpha, if positive, otherwise
        alpha less that loss times min(lambda, 1), relative to alpha + 1/n0. Rows on the flat parts of the loss pull at
        nothing, so that a model which calls them all alike has a small certificate: a model has not converged either
        if the mean losses of both classes add up to more than 1 - alpha / 20 (1 is that of any constant score), or
        if the multiplier has grown to its upper bound. The history has a row an epoch, with the
        means over the examples of the epoch, each seen just before its step; where ``full_data`` is 1, as in the
        last row, with those of the model on all rows.

    Raises
    ------
    InvalidInputError
        If the weights overflow, or gamma0 * lam is 1 or more.

    See Also
    --------
    nproc.scorers.papers.online.OnlineNPClassifier : The estimator.

    Notes
    -----
    A step costs the nonzeros of its row. Memory beyond the data is a few vectors of p numbers. The problem is not
    convex: a saddle point is a local one. The constraint is on the loss; the two error rates are in the history.

    References
    ----------
    Algorithm 4 of [gasso2011]_; "Imbalanced dataset" there has weights (1, lambda), which would double the penalty.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(np.array([0, 1], dtype=np.uint8), 500)
    >>> X = rng.normal(size=(1000, 2)) + 2.0 * y[:, None]
    >>> result = solve_stochastic_np(X, y, alpha=0.1, max_iter=30, rng=rng)
    >>> result.converged, round(float(result.history["type1"][-1]), 1)
    (True, 0.1)
    """
    problem = StochasticProblem(
        alpha=alpha, lam=lam, loss=loss, eta=eta, gamma0=gamma0, tau=tau, balanced=balanced, additive=additive
    )
    run = StochasticRun(problem, features=features)
    sampler = RowSampler(y, rng, rows)
    n0, n1 = sampler.n0, sampler.n1
    averaged_after = max_iter / 2 if average is True else average
    if average is not False:
        run.average_from = float(int(sampler.n * averaged_after))
    told = []
    for epoch in range(1, max_iter + 1):
        told.append(history_row(run, run.learn(X, y, sampler, n0=n0, n1=n1)))
        if callback is not None and epoch < max_iter:
            callback(epoch, told[-1])
    result = examined(run, told, X, y, n0=n0, rows=rows, tol=tol)
    if callback is not None:
        callback(max_iter, told[-1])
    return result


def examined(run, told, X, y, *, n0, rows, tol):
    """Return the result of a run over all its epochs; its last row of `told` becomes that of the model on all rows."""
    alpha, examination = run.problem.alpha, None
    if tol is not None:
        examination = run.examine(X, y, rows)
        told[-1] = full_row(examination)
    converged, reason = _verdict(examination, run.multiplier, alpha, n0, tol)
    history = {name: np.array([row[name] for row in told]) for name in told[0]}
    certificate: Any = None
    if examination is not None:
        certificate = max(examination.gradient, examination.constraint(alpha, n0))
    return StochasticNPResult(
        coef=run.coef,
        intercept=run.intercept,
        objective=history["objective"],
        n_iter=len(told),
        converged=converged,
        certificate=certificate,
        reason=reason,
        history=history,
        multiplier=run.multiplier,
        only_tol=not converged and _verdict(examination, run.multiplier, alpha, n0, np.inf)[0],
        examination=examination,
        run=run,
    )


def _verdict(examination, multiplier, alpha, n0, tol):
    if multiplier >= 0.99 * steps.LARGEST_MULTIPLIER:
        return False, f"the multiplier has grown to its bound, {steps.LARGEST_MULTIPLIER:g}."
    if examination is None:
        return True, "all epochs were run; tol=None asks for no certificate."
    gradient, constraint = examination.gradient, examination.constraint(alpha, n0)
    if no_better_than_constant(examination.loss0, examination.loss1, alpha):
        end = f"the multiplier has fallen to its bound, {steps.LEAST_MULTIPLIER:g}, and "
        at_the_bottom = multiplier <= 1.01 * steps.LEAST_MULTIPLIER
        return False, f"{end if at_the_bottom else ''}the model is no better than a constant score."
    if max(gradient, constraint) <= tol:
        return True, f"the certificate is at most tol={tol:g}."
    if gradient >= constraint:
        return False, f"the gradient of the Lagrangian is {gradient:.2g} of its parts, above tol={tol:g}."
    return False, f"the constraint is off by {constraint:.2g} of alpha + 1/n0, above tol={tol:g}."


def full_row(examination):
    """Return the row of the history for a model on all rows."""
    return {
        "objective": examination.penalty + examination.loss1,
        "type1": examination.type1,
        "type2": examination.type2,
        "multiplier": examination.multiplier,
        "full_data": 1,
    }


def history_row(run, tally):
    """Return the row of the history from the examples of an epoch, as each was when it was drawn.

    What is a mean over no rows is NaN.
    """
    n0, n1 = (float(n) if n > 0 else np.nan for n in (tally[steps.SEEN0], tally[steps.SEEN1]))
    return {
        "objective": run.penalty + tally[steps.LOSS1] / n1,
        "type1": tally[steps.ERRORS0] / n0,
        "type2": tally[steps.ERRORS1] / n1,
        "multiplier": run.multiplier,
        "full_data": 0,
    }
