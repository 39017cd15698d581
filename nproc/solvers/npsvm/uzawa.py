r"""Uzawa's algorithm around the nonconvex support vector machine.

References
----------
Algorithm 1, inequalities (16) and Theorem 3 of [gasso2011]_.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from nproc.solvers.npsvm.nonconvex_svm import solve_nonconvex_svm
from nproc.solvers.npsvm.shifted_svm import check_ratio

# solutions kept for warm starts: with a multiplier that settles the last ones are the nearest
MOST_KEPT = 8
# changes of sign of the excess after which each minimisation starts from the last solution, on its branch
MOST_SWITCHES = 5
# DC iterations at one multiplier
MOST_DC_ITERATIONS = 100
# a solution counts as better than another only by more than the convex problems are solved to
RELATIVE_SLACK = 1e-9


def solve_uzawa(
    X: Matrix,
    y: NDArray[Any],
    *,
    constraint: RateConstraint,
    kernel: Any = "rbf",
    C: float = 1.0,
    update: Literal["multiplicative", "additive"] = "multiplicative",
    gain: float = 1.0,
    settle: bool = True,
    restart: bool = False,
    tol: float = 1e-3,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    rows: KernelRows | None = None,
    callback: Callable[..., Any] | None = None,
) -> NPSVMResult:
    r"""Return the Neyman-Pearson support vector machine by Uzawa's algorithm: a full minimisation at each multiplier.

    For the present :math:`\lambda` the Lagrangian is minimised over f by the DC iterations of Algorithm 2, then
    :math:`\lambda` moves along its gradient, the excess of the type I error over its limit. Theorem 3: if no
    solution is better at another's multiplier than that one's own (16), the type I error falls as :math:`\lambda`
    rises, so that the sign of the excess says where to go. To that end the DC iterations start from the best of the
    solutions kept so far, measured by the Lagrangian at the new multiplier.

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
    restart : bool
        Start the DC iterations of each multiplier with no row given up, as Algorithm 2 is printed, instead of from a
        solution kept; the first convex problem still starts from the last solution.
    tol : float
        KKT gap, in units of eta, to which each convex problem is solved.
    max_iter : int
        Most values of the multiplier.
    cache_size : float
        Room for kernel rows in MB.
    rows : KernelRows, optional
        Kernel rows shared with other solves.
    callback : callable, optional
        ``callback(n_iter, row of the history)`` after each value of the multiplier.

    Returns
    -------
    NPSVMResult

    See Also
    --------
    nproc.solvers.solve_annealed : Moves the multiplier after each convex problem; faster.

    Notes
    -----
    Starts, stopping rule, gain and what is returned without convergence are those of `solve_annealed`. The
    eight last solutions are kept. Where too many class 0 rows are given up for the limit, the DC iterations start
    with all of them taken back; if that ends in a worse solution than the best kept one, they start from that one.
    Where two local minima have the same Lagrangian at the multiplier sought, the best one jumps across the limit; after
    five changes of sign the DC iterations therefore start from the last solution, on whose branch the type I error
    is continuous in the multiplier. (16) then holds no more.

    References
    ----------
    Algorithms 1 and 2 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers import made_constraint
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + y[:, None]
    >>> fit = solve_uzawa(X, y, constraint=made_constraint(y, 0.1), kernel="linear")
    >>> fit.converged, fit.rates.ramp1 <= 0.105
    (True, True)
    """
    y = np.asarray(y)
    check_ratio(C, constraint.eta)
    if rows is None:
        rows = KernelRows(make_kernel(kernel), X, cache_size=cache_size)
    settings = {"kernel": kernel, "eta": constraint.eta, "tol": tol, "rows": rows, "max_iter": MOST_DC_ITERATIONS}
    multiplier = Multiplier(constraint.n0 / constraint.n1, gain, update, settle)
    progress = Progress(constraint, callback)

    def minimised(beta, start):
        """Return the `Iterate` at which the DC iterations from `beta` end."""
        lam = multiplier.value
        fit = solve_nonconvex_svm(X, y, cost=constraint.costs(y, C, lam), beta=beta, start=start, **settings)
        return constraint.iterate(fit.last, fit.beta_before, fit.beta, y, C, lam, fit.n_iter)

    def value(iterate):
        """Return the Lagrangian of an iterate at the present multiplier."""
        return constraint.lagrangian(iterate.penalty, iterate.rates, multiplier.value)

    iterate = minimised(None, None)
    kept: list[Any] = []
    while True:
        progress.add(iterate)
        kept = [*kept, iterate][-MOST_KEPT:]
        reason = stop_reason(constraint, iterate, multiplier, progress, max_iter)
        if reason:
            return npsvm_result(constraint, progress, iterate, y, C, reason)
        multiplier.move(constraint.relative_excess(iterate.rates))
        if restart:
            iterate = minimised(None, iterate.solution)
            continue
        best = min(kept if multiplier.sign_changes < MOST_SWITCHES else kept[-1:], key=value)
        start = taken_back(constraint, best.beta, y)
        iterate = minimised(start, best.solution)
        slack = RELATIVE_SLACK * (1.0 + abs(value(iterate)))
        if start is not best.beta and value(best) < value(iterate) - slack:
            second = minimised(best.beta, best.solution)
            iterate = replace(second, n_solves=iterate.n_solves + second.n_solves)
