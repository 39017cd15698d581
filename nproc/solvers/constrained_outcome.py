"""What a method for the constrained problem hands back: where it stopped and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.solvers.kkt_residual import kkt_residual
from nproc.solvers.no_minimiser import missing_minimiser
from nproc.solvers.result import SolverResult

# excess of a risk over its level, relative to the level (at least 1), that is rounding
ROUNDING = 1e-12
NEARLY_ACTIVE = 1e-6
# a mean loss of class 1 this small beside phi(0) is given up. Losses and slopes keep their relative precision, so that
# there is an optimum to be found far below 1e-16
NOTHING = 1e-60
ADVICE = "Bound the norm of the weights (L2Ball or L1Ball)."


@dataclass(frozen=True)
class Outcome:
    """Where a method stopped.

    Attributes
    ----------
    x : ndarray, shape (dim,)
        The point.
    multipliers : tuple (ndarray, float, float), optional
        Of the risks, the l2 and the l1 ball, where the method has its own.
    infeasible : str
        Why the constraints cannot be met, or "".
    lower_bound : float
        The bound that proves it.
    n_inner : int
        Inner steps.
    """

    x: np.ndarray
    multipliers: tuple | None = None
    infeasible: str = ""
    lower_bound: float = np.nan
    n_inner: int = 0


@dataclass(frozen=True, kw_only=True, repr=False)
class ConstrainedNPResult(SolverResult):
    """The solution of the constrained problem, or why there is none.

    Attributes
    ----------
    coef : ndarray, shape (p,)
        The weights w.
    intercept : float
        The constant b; 0 without an intercept.
    objective : ndarray, shape (n_iter,)
        Mean loss of class 1 after each iteration.
    n_iter : int
        Iterations.
    converged : bool
        Whether the constraints hold and the certificate is at most `tol`.
    certificate : float
        The KKT residual (see `kkt_residual`), 0 at a solution.
    reason : str
        In words, why the solver stopped. It begins with "no minimiser" where the infimum is not attained, and with
        "infeasible" where it is proved that the constraints cannot be met, "undecided" where no point was found and no
        proof either; `coef` then is no solution.
    history : dict of str to ndarray
        ``objective`` and ``risk2`` (mean loss of class 1), ``risk1`` (mean loss of class 0), ``type1`` and ``type2``
        (share of errors of the rule f(x) > 0), ``certificate`` (after each Newton step, in the coordinates and with the
        multipliers of the method; after every tenth gradient step, and NaN between them). The last certificate is that
        of the point returned.
    multiplier : float
        Of the bound on the mean loss of class 0.
    multipliers : dict
        ``type1``, ``groups`` (ndarray), ``l2`` and ``l1`` (of ||w|| <= radius).
    risks : dict
        ``type1``, ``type2`` and ``groups``: the mean losses at the solution.
    lower_bound : float
        Where infeasible, proved lower bound on the largest excess of a class 0 risk over its bound, whatever the
        weights within the sets (and, where no ball holds them, within a ball beyond which no number has a meaning);
        above 0 it is the proof. NaN otherwise.
    variant : str
        The method that ran.
    n_inner : int
        Inner steps altogether (Newton steps have none).
    """

    multiplier: float
    multipliers: dict
    risks: dict
    lower_bound: float
    variant: str
    n_inner: int


def finished(risks, sets, outcome, tol, history, variant):
    """Return the `ConstrainedNPResult` of an `Outcome`: certificate, and whether it is a solution.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    outcome : Outcome
        Where the method stopped.
    tol : float
        The largest certificate of a solution.
    history : RiskHistory
        The iterations.
    variant : str
        The method.

    Returns
    -------
    ConstrainedNPResult
    """
    x = outcome.x
    z0, z1 = risks.margins0(x), risks.margins1(x)
    residual = kkt_residual(risks, sets, x, z0, z1)
    if outcome.multipliers is not None:
        given = kkt_residual(risks, sets, x, z0, z1, multipliers=outcome.multipliers)
        residual = given if given.largest <= residual.largest else residual
    values = risks.risks(z0)
    slack = risks.levels - values
    feasible = bool(np.all(slack >= -ROUNDING * np.maximum(1.0, np.abs(risks.levels))))
    reason, converged = outcome.infeasible, False
    if not reason:
        # the mean loss of class 1 alone falls for ever as an intercept grows
        active = risks.fit_intercept or bool(np.any(slack <= NEARLY_ACTIVE * np.maximum(1.0, np.abs(risks.levels))))
        missing = missing_minimiser(risks, sets, z0, z1, active, settled=residual.largest <= tol)
        converged = feasible and residual.largest <= tol and not missing
        if missing:
            reason = f"no minimiser: {missing}. {ADVICE}"
        elif converged:
            reason = "the constraints hold and the KKT residual is at most tol"
        elif risks.objective(z1) - risks.loss.infimum <= NOTHING * abs(risks.loss.at_zero):
            reason = (
                f"the mean loss of class 1 is {risks.objective(z1):.1g}: the ball is far larger than it takes to "
                "separate the classes. Take a smaller radius"
            )
        elif residual.largest > tol:
            reason = f"the KKT residual is {residual.largest:.3g}, above tol = {tol:g}"
        else:
            reason = f"a mean loss of class 0 is {-slack.min():.3g} above its bound"
    arrays = history.arrays()
    # the end of the column is read for what was reached
    arrays["certificate"][-1:] = residual.largest
    return ConstrainedNPResult(
        coef=x[: risks.p].copy(),
        intercept=float(x[risks.p]) if risks.fit_intercept else 0.0,
        objective=arrays["objective"],
        n_iter=history.n_iter,
        converged=converged,
        certificate=float(residual.largest),
        reason=reason,
        history=arrays,
        multiplier=float(residual.multipliers[0]),
        multipliers={
            "type1": float(residual.multipliers[0]),
            "groups": residual.multipliers[1:].copy(),
            "l2": residual.l2,
            "l1": residual.l1,
        },
        risks={"type1": float(values[0]), "type2": risks.objective(z1), "groups": values[1:].copy()},
        lower_bound=float(outcome.lower_bound) if outcome.infeasible else np.nan,
        variant=variant,
        n_inner=outcome.n_inner,
    )
