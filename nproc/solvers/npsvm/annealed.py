r"""The annealed Neyman-Pearson support vector machine; Algorithm 3 of [gasso2011]_.

References
----------
Algorithm 3, equations (7) and (13) of [gasso2011]_.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.constraint import (
    Multiplier,
    NPSVMResult,
    Progress,
    RateConstraint,
    npsvm_result,
    stop_reason,
    taken_back,
)
from nproc.solvers.npsvm.nonconvex_svm import given_up
from nproc.solvers.npsvm.shifted_svm import check_ratio, solve_shifted_svm

# KKT gap of the first convex problems in units of tol: they only have to tell where the multiplier goes; and what
# a change of sign of the excess, or beta at rest with an excess below this share of the limit, makes of it
FIRST_ROUGHNESS, ROUGHNESS_DAMPING, NEAR_LIMIT = 30.0, 0.3, 0.2
# changes of sign of the excess for each further DC iteration at one multiplier
PATIENCE = 4


def solve_annealed(
    X: Matrix,
    y: NDArray[Any],
    *,
    constraint: RateConstraint,
    kernel: Any = "rbf",
    C: float = 1.0,
    update: Literal["multiplicative", "additive"] = "multiplicative",
    gain: float = 1.0,
    settle: bool = True,
    beta: NDArray[Any] | None = None,
    tol: float = 1e-3,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    rows: KernelRows | None = None,
    callback: Callable[..., Any] | None = None,
) -> NPSVMResult:
    r"""Return the Neyman-Pearson support vector machine by moving the multiplier within the DC iterations.

    Each iteration solves one convex problem, a support vector machine with shifted boxes and cost C of a class 1 row
    and :math:`C \lambda n_1 / n_0` of a class 0 row, from the solution of the one before; then it finds the rows to
    give up and moves :math:`\lambda` up where the type I error is above its limit and down where it is below. At the
    start both costs are C (:math:`\lambda = n_0 / n_1`) and no row is given up.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Training rows, or the Gram matrix for a precomputed kernel.
    y : ndarray of {0, 1}, shape (n,)
        Class of each row; 0 is the class whose error is bounded.
    constraint : RateConstraint
        What is bounded, to what tolerance; from `nproc.solvers.npsvm.constraint.made_constraint`.
    kernel : Kernel, str or callable
        See `nproc.solvers.kernels.make_kernel`.
    C : float
        Cost of a class 1 row, above 0; the paper's C is C n1.
    update : {'multiplicative', 'additive'}
        How the multiplier moves; see `nproc.solvers.npsvm.constraint.Multiplier`.
    gain : float
        First gain relative to the limit, above 0: the paper's nu is gain / alpha.
    settle : bool
        Whether the gain adapts and settles; False keeps it constant, as in the paper, where it is small.
    beta : ndarray of 0 and 1, shape (n,), optional
        Rows given up at the start; None is no row.
    tol : float
        KKT gap, in units of eta, to which each convex problem is solved.
    max_iter : int
        Most convex problems.
    cache_size : float
        Room for kernel rows in MB.
    rows : KernelRows, optional
        Kernel rows shared with other solves.
    callback : callable, optional
        ``callback(n_iter, row of the history)`` after each convex problem.

    Returns
    -------
    NPSVMResult

    Notes
    -----
    The paper has no proof of convergence, and stops when the constraint holds to a precision; here beta must be
    unchanged too. While the constraint holds the multiplier rests, and the iterations are those of Algorithm 2.

    Ours: a row that is given up pulls no more, so that no multiplier brings the type I error below the share of class 0
    rows given up. When that share exceeds the limit, all class 0 rows are taken back, and when all class 1 rows are
    given up, all rows. For q-values the limit is the one that the class 1 rows not given up leave.

    The solution lags behind the multiplier, and the two can swing about the limit. For every four changes of sign of
    the excess, the multiplier therefore rests for one more DC iteration, or until beta is unchanged: the more often the
    excess has changed sign, the closer the iterations are to Algorithm 1.

    Where 25 changes of sign of the excess have not settled the multiplier, the type I error jumps across its limit
    (no multiplier meets it), and the run ends with ``converged`` False. So it does where the multiplier has grown to
    1e8, and where the rows given up go round in a circle: back to an earlier set five times at one multiplier, or at
    25 multipliers in turn. Then, as after `max_iter`, the result is the iterate of least objective among those that
    meet the constraint to within eps; without any, the one with the least excess.

    References
    ----------
    Algorithm 3 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers import made_constraint
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + y[:, None]
    >>> fit = solve_annealed(X, y, constraint=made_constraint(y, 0.1), kernel="linear")
    >>> fit.converged, fit.rates.ramp1 <= 0.105
    (True, True)
    """
    y = np.asarray(y)
    eta = constraint.eta
    check_ratio(C, eta)
    if rows is None:
        rows = KernelRows(make_kernel(kernel), X, cache_size=cache_size)
    multiplier = Multiplier(constraint.n0 / constraint.n1, gain, update, settle)
    progress = Progress(constraint, callback)
    beta = np.zeros(y.shape[0]) if beta is None else np.asarray(beta, dtype=np.float64)
    solution, roughness, held, changes = None, FIRST_ROUGHNESS, 0, 0
    while True:
        cost = constraint.costs(y, C, multiplier.value)
        # the last one allowed is solved as precisely as it must be
        precision = tol if progress.n_iter + 1 >= max_iter else tol * roughness
        solution = solve_shifted_svm(
            X, y, kernel=kernel, cost=cost, beta=beta, eta=eta, tol=precision, rows=rows, start=solution
        )
        after = given_up(solution.decision, y, eta, beta, precision)
        iterate = constraint.iterate(solution, beta, after, y, C, multiplier.value)
        progress.add(iterate)
        met = constraint.is_met(iterate.rates, multiplier.value)
        reason = stop_reason(constraint, iterate, multiplier, progress, max_iter)
        if reason and not (met and precision > tol):
            break
        held += 1
        if not met and (iterate.is_fixed or held > multiplier.sign_changes // PATIENCE):
            multiplier.move(constraint.relative_excess(iterate.rates))
            held = 0
        # the nearer to rest, the more precise: a rough margin alone can hold the ramp type I error above its limit
        at_rest = iterate.is_fixed and abs(constraint.relative_excess(iterate.rates)) < NEAR_LIMIT
        if met or at_rest or multiplier.sign_changes > changes:
            roughness = 1.0 if met else max(1.0, roughness * ROUGHNESS_DAMPING)
        changes = multiplier.sign_changes
        beta = taken_back(constraint, after, y)
    return npsvm_result(constraint, progress, iterate, y, C, reason)
