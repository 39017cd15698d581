r"""The constrained Neyman-Pearson problem: least mean loss of class 1 under a bound on the mean loss of class 0.

References
----------
Problem (29) and algorithm (37) of [barlaud2015]_.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nproc.checks import Matrix, check_choice, check_count, check_number
from nproc.errors import InvalidInputError
from nproc.losses import LogisticLoss
from nproc.solvers.constrained.certificate import ConstrainedNPResult, constrained_result
from nproc.solvers.constrained.feasibility import find_interior
from nproc.solvers.constrained.interior_point import in_row_space, solve_interior, with_exact_zeros
from nproc.solvers.constrained.problem import ClassRisks, RiskHistory, sort_constraints
from nproc.solvers.constrained.splitting import solve_splitting

VARIANTS = ("auto", "interior_point", "projected_gradient", "accelerated")
# the interior point method factors a matrix of this size at most under "auto"
MOST_COORDINATES = 3000
NEWTON_STEPS, GRADIENT_STEPS = 200, 10_000


def solve_constrained_np(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    tau: float,
    loss: Any = None,
    fit_intercept: bool = True,
    constraints: Sequence[Any] = (),
    step: float = 1.0,
    step_bound: Literal["trace", "spectral"] = "trace",
    variant: Literal["auto", "interior_point", "projected_gradient", "accelerated"] = "auto",
    tol: float = 1e-6,
    max_iter: int | None = None,
    callback: Callable[..., Any] | None = None,
) -> ConstrainedNPResult:
    r"""Return the linear rule with the least surrogate type II risk under a bound on the surrogate type I risk.

    With f(x) = x'w + b and the class means of a smooth calibrated loss,

    .. math:: \min_{w, b} \; \varphi^+(w, b) = \frac{1}{m^+} \sum_{i: y_i = 1} \phi(f(x_i)) \quad \text{subject to}
        \quad \varphi^-(w, b) = \frac{1}{m^-} \sum_{i: y_i = 0} \phi(-f(x_i)) \le \tau,

    w in the sets given by `constraints`, b free.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Rows, already checked.
    y : ndarray, shape (n,)
        0 for the controlled class, 1 for the other; both must occur.
    tau : float
        Bound on the mean loss of class 0.
    loss : object, optional
        One of `nproc.losses.calibrated`; the logistic loss by default.
    fit_intercept : bool
        Whether there is a b, an ordinary coordinate that no set bounds.
    constraints : sequence
        `L2Ball`, `L1Ball`, `Nonnegative` and `GroupRisk` objects.
    step : float
        Step in units of beta, the inverse of the Lipschitz constant of the gradient: in ]0, 1] for 'accelerated' and
        'auto', else in ]0, 2[. Newton steps make no use of it.
    step_bound : {'trace', 'spectral'}
        The Lipschitz constant: (22), or the largest eigenvalue in place of the trace, by power iteration (off the
        paper's path, and up to p times smaller).
    variant : {'auto', 'interior_point', 'projected_gradient', 'accelerated'}
        'projected_gradient' is algorithm (37). 'accelerated' adds momentum with restarts ([beck2009]_) and
        'interior_point' takes Newton steps on a barrier function; neither is in the paper. 'auto' takes Newton steps
        where the matrix has at most 3000 rows, and the accelerated variant with the spectral bound elsewhere.
    tol : float
        The KKT residual at which to stop.
    max_iter : int, optional
        Most iterations: by default 200 Newton steps or 10,000 gradient steps.
    callback : callable, optional
        ``callback(n_iter, row)`` after each iteration, the row being a dictionary of the entries of `history`.

    Returns
    -------
    ConstrainedNPResult
        Its certificate, 0 at a solution, is the KKT residual of the problem.

    Raises
    ------
    InvalidInputError
        If an argument is not valid, or losses are not finite.

    See Also
    --------
    nproc.solvers.project_level_set : The projection alone.
    nproc.solvers.constrained.certificate.kkt_residual : The certificate.

    Notes
    -----
    Errors are those of the rule f(x) > 0, as everywhere in this package: a class 0 row with f(x) = 0 is none, where
    the paper counts it. The point returned satisfies phi^- <= tau. Newton steps cost O(n p^2 + p^3) each, 15 to 30 in
    all, whatever the units of the columns; gradient steps cost a product with the class 1 rows and its transpose, and
    two with those of class 0 an inner step, and are slow where the columns have unequal scales or are not centred.

    References
    ----------
    Problem (29), algorithm (37) and equation (22) of [barlaud2015]_.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> found = solve_constrained_np(X, y, tau=0.4)
    >>> found.converged, round(found.risks["type1"], 6), found.multiplier > 0
    (True, 0.4, True)
    """
    loss = LogisticLoss() if loss is None else loss
    check_choice(variant, "variant", VARIANTS)
    check_choice(step_bound, "step_bound", ("trace", "spectral"))
    tol, step = check_number(tol, "tol"), check_number(step, "step")
    max_iter = None if max_iter is None else check_count(max_iter, "max_iter")
    _check_step(step, variant)
    tau = float(tau)
    if not np.isfinite(tau):
        raise InvalidInputError(f"tau must be finite, got {tau!r}.")
    y = np.asarray(y)
    sets, groups = sort_constraints(constraints)
    m0 = int(np.sum(y == 0))
    weights = np.vstack([np.full(m0, 1.0 / m0)] + [group.weights(y) for group in groups])
    levels = np.array([tau] + [float(group.tau) for group in groups])
    risks = ClassRisks(X, y, loss, bool(fit_intercept), weights, levels)
    if variant == "auto" and _fits_newton(risks, sets):
        variant = "interior_point"
    elif variant == "auto":
        variant, step_bound = "accelerated", "spectral"
    if variant == "interior_point":
        return _by_newton(risks, sets, tol, NEWTON_STEPS if max_iter is None else max_iter, callback)
    history = RiskHistory(risks, callback)
    if np.any(levels <= loss.infimum):
        found = find_interior(risks, sets, max_iter=1)
        why = {"infeasible": found.reason, "lower_bound": found.lower_bound}
        return constrained_result(risks, sets, np.zeros(risks.dim), tol=tol, history=history, variant=variant, **why)
    constant = risks.trace_constant() if step_bound == "trace" else risks.spectral_constant()
    return solve_splitting(
        risks,
        sets,
        length=step / constant if constant > 0 else 1.0,
        variant=variant,
        tol=tol,
        max_iter=GRADIENT_STEPS if max_iter is None else max_iter,
        history=history,
    )


def _by_newton(risks, sets, tol, max_iter, callback):
    settings = {"tol": tol, "history": RiskHistory(risks, callback), "variant": "interior_point"}
    origin = risks.centre()
    turned = in_row_space(risks, sets)
    inner, basis = (risks, None) if turned is None else turned
    start = find_interior(inner, sets, max_iter=max_iter)
    if start.x is None:
        why = {"infeasible": start.reason, "lower_bound": start.lower_bound}
        return constrained_result(risks, sets, np.zeros(risks.dim), **settings, **why)
    x, multipliers = solve_interior(inner, sets, start.x, tol=tol, max_iter=max_iter, history=settings["history"])
    if basis is not None:
        x = np.concatenate([basis @ x[: inner.p], x[inner.p :]])
    x = with_exact_zeros(risks, sets, x, multipliers)
    found = constrained_result(risks, sets, x, multipliers=multipliers, **settings)
    return replace(found, intercept=found.intercept - float(origin @ found.coef))


def _check_step(step, variant):
    # "auto" may turn out to be the accelerated variant
    closed = variant in ("auto", "accelerated")
    if step > 1.0 if closed else step >= 2.0:
        rule = "above 0 and at most 1" if closed else "strictly between 0 and 2"
        raise InvalidInputError(f"step must lie {rule} (units of beta) for variant={variant!r}, got {step:g}.")


def _fits_newton(risks, sets):
    n = risks.m0 + risks.m1
    plain = sets.l1 is None and not sets.nonnegative and not sparse.issparse(risks.rows)
    return min(risks.p, n if plain else risks.p) <= MOST_COORDINATES
