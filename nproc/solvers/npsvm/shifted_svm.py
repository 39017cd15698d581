r"""The convex step of the DC procedure for the ramp loss: a support vector machine whose boxes are shifted.

References
----------
Algorithm 2 of [gasso2011]_, with :math:`f(x) = \sum_i y_i a_i k(x, x_i) + b` and :math:`y_i f(x_i) = \eta` on the free
support vectors, as the linear term of its dual requires.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.errors import InvalidInputError
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import Kernel, make_kernel
from nproc.solvers.npsvm.linear_newton import linear_coefficients, suits_newton
from nproc.solvers.npsvm.smo import BoxProblem, balanced, carried_to_new_boxes, shifted_boxes
from nproc.solvers.result import SolverResult

# cost of a row over eta^2: beyond, the scores of rows whose coefficients reach their bounds lose all digits beside eta
# (1e16 would do for that, and rows that a plane separates never reach theirs); below, the numbers underflow
LARGEST_RATIO, LEAST_RATIO = 1e30, 1e-300

# steps a row after which a linear kernel goes on by Newton's method, and steps a row and column: Newton's steps cost
# more with more columns; the share of these steps that is enough where the problem before needed it too
STEPS_BEFORE_NEWTON, STEPS_A_COLUMN, SHARE_BEFORE_NEXT = 20, 0.25, 0.1


def check_ratio(C, eta):
    """Raise where the cost `C` of a row and the half width `eta` of the ramp are too far apart to compute with.

    With scores in units of eta, the machine is the one of eta = 1 and cost C / eta^2.
    """
    # in two steps, since the square of eta may itself overflow or underflow
    with np.errstate(over="ignore", under="ignore"):
        ratio = float(np.float64(C) / eta / eta)
    if not LEAST_RATIO <= ratio <= LARGEST_RATIO:
        raise InvalidInputError(
            f"C / eta**2 must lie between {LEAST_RATIO:g} and {LARGEST_RATIO:g}, got {ratio:.3g} from C={C:g} and "
            f"eta={eta:g}. Outside these limits the numbers of the solver overflow, underflow or lose their digits. "
            "Only this ratio matters, so choose eta nearer to sqrt(C); eta=1 is nearly always right."
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class ShiftedSVMResult(SolverResult):
    """The solution of a support vector machine with shifted boxes.

    Attributes
    ----------
    coef : ndarray, shape (n,)
        y_i a_i, the coefficients of the kernel expansion.
    intercept : float
        The constant b.
    decision : ndarray, shape (n,)
        f(x_i) of the training rows.
    duality_gap : float
        Primal minus dual objective, at least 0 and 0 at the solution.
    lower, upper : ndarray, shape (n,)
        The boxes of `coef`.
    by_newton : bool
        Whether Newton's method took over, as it does where a linear kernel needs many steps.
    objective : ndarray
        1/2 a'K~a - eta a'1 at the start and at the end.
    n_iter : int
        Steps, each of which moves two coefficients.
    converged : bool
        Whether the KKT gap is at most `tol`.
    certificate : float
        The KKT gap: the largest violation of the optimality conditions, max(0, m(a) - M(a)) / eta (LIBSVM's units).
    reason : str
        In words, why the solver stopped.
    history : dict
        Empty.
    """

    decision: np.ndarray
    duality_gap: float
    lower: np.ndarray
    upper: np.ndarray
    by_newton: bool


def solve_shifted_svm(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    kernel: Literal["linear", "rbf", "poly", "precomputed"] | Callable[..., Any] | Kernel = "rbf",
    cost: NDArray[np.float64],
    beta: NDArray[np.float64] | None = None,
    eta: float = 1.0,
    tol: float = 1e-3,
    max_iter: int | None = None,
    cache_size: float = 200.0,
    rows: KernelRows | None = None,
    start: ShiftedSVMResult | None = None,
) -> ShiftedSVMResult:
    r"""Return the support vector machine with shifted boxes, the convex step of the DC procedure for the ramp loss.

    With signs :math:`y_i = \pm 1` (+1 for class 1), costs :math:`C_i` and :math:`\beta_i = 1` for the rows that are
    given up, it minimises

    .. math::

        \frac12 \|f\|^2 + \sum_i C_i \left[\max\left(0, \frac{\eta - z_i}{2 \eta}\right)
        + \beta_i \frac{z_i}{2 \eta}\right], \qquad z_i = y_i f(x_i),

    over :math:`f(x) = \sum_i y_i a_i k(x, x_i) + b`, through its dual: minimise
    :math:`\tfrac12 a' \tilde K a - \eta a'1` with :math:`y'a = 0` and
    :math:`-\beta_i C_i \le 2 \eta a_i \le (1 - \beta_i) C_i`. A row that is given up does not
    cost more the further it lies on the wrong side: its hinge is bent back to the ramp. With all beta 0 this is the
    usual support vector machine with cost :math:`C_i / (2 \eta^2)`, whose solution is then multiplied by eta.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p), or (n, n) for a precomputed kernel
        Training rows; not looked at where `rows` is given.
    y : array, shape (n,)
        Labels 0 and 1.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'}, callable or Kernel
        See `make_kernel`, which gives a `Kernel` with other parameters; not looked at where `rows` is given.
    cost : array, shape (n,)
        C_i, at least 0, usually one value a class.
    beta : array, shape (n,), optional
        1 for each row that is given up, 0 (default) for the others; values between are allowed.
    eta : float
        Half the width of the ramp, above 0.
    tol : float
        Largest KKT gap, in LIBSVM's units (where the linear term is 1).
    max_iter : int, optional
        Most steps; the larger of 10,000,000 and 100 n by default.
    cache_size : float
        Room for kernel rows in MB; not looked at where `rows` is given.
    rows : KernelRows, optional
        The kernel matrix from an earlier solve, whatever its costs.
    start : ShiftedSVMResult, optional
        An earlier result on the same rows to begin with, moved into the boxes and to y'a = 0; a = 0 by default. The
        gradient is taken over too, and only what has changed is computed; coefficients at a bound stay at it where it
        has moved.

    Returns
    -------
    ShiftedSVMResult
        Its certificate, 0 at the solution, is the KKT gap; the duality gap is given too.

    See Also
    --------
    nproc.solvers.kernel_cache.KernelRows : The kernel matrix behind its cache.

    Notes
    -----
    Sequential minimal optimisation with second-order selection of the pair, inside small problems (see
    `nproc.solvers.npsvm.smo`). A step costs O(size of the small problem), and a small problem O(n) for each coefficient
    that it has changed, so that about one kernel row is computed for each support vector.

    The number of steps grows with the costs. After 20 n steps, or n p / 4 with more than 80 columns, a linear kernel
    goes on from the solution of the primal problem by Newton's method (up to 500 columns), whose steps do not grow in
    number; after a tenth of these steps, if the result it starts from needed this too.

    With a matrix that is not positive semi-definite the problem is not convex: as in LIBSVM, a curvature that is not
    positive counts as a tiny one, so that steps end at a bound, and the solution may be a local one. Where no row is
    free, b is the middle of what the conditions allow, or the finite end of it.

    References
    ----------
    Equation (9) and the dual of Algorithm 2 of [gasso2011]_, after the appendix of [collobert2006]_.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> found = solve_shifted_svm(X, y, kernel="linear", cost=np.full(4, 20.0), tol=1e-8)
    >>> found.decision.round(6)
    array([-3., -1.,  1.,  3.])
    >>> found.converged
    True
    """
    y = np.asarray(y)
    n = y.shape[0]
    if rows is None:
        rows = KernelRows(make_kernel(kernel), X, cache_size=cache_size)
    signs = np.where(y == 1, 1.0, -1.0)
    target = float(eta) * signs
    beta = np.zeros(n) if beta is None else beta
    lower, upper = shifted_boxes(signs, cost, beta, eta)
    c, g = _start(start, target, lower, upper, rows)
    problem = BoxProblem(rows, lower, upper, c, target, g)
    at_start = problem.objective()
    max_iter = max(10_000_000, 100 * n) if max_iter is None else int(max_iter)
    patience = max(STEPS_BEFORE_NEWTON, STEPS_A_COLUMN * rows.X.shape[1])
    if start is not None and start.by_newton:
        patience *= SHARE_BEFORE_NEXT
    first = min(max_iter, int(patience * n)) if suits_newton(rows) else max_iter
    converged, reason = problem.solve(float(tol) * float(eta), first, near=start is not None)
    by_newton = first < max_iter and not converged
    if by_newton:
        problem = _nearer(problem, linear_coefficients(rows.X, signs, cost, beta, float(eta)))
        converged, reason = problem.solve(float(tol) * float(eta), max_iter, near=True)
    c, g = problem.c, problem.g
    intercept = _intercept(problem)
    decision = target - g + intercept
    return ShiftedSVMResult(
        coef=c,
        intercept=intercept,
        objective=np.array([at_start, problem.objective()]),
        n_iter=problem.n_iter,
        converged=converged,
        certificate=max(0.0, float(problem.gap)) / eta,
        reason=reason,
        decision=decision,
        duality_gap=_duality_gap(c, signs, decision, lower, upper, eta),
        lower=lower,
        upper=upper,
        by_newton=by_newton,
    )


def _start(start, target, lower, upper, rows):
    """Return (c, g): the coefficients moved into the boxes and to sum 0, and target - K c."""
    if start is None:
        known, g = np.zeros(target.shape), target.copy()
        c = known
    else:
        known, g = start.coef, target - (start.decision - start.intercept)
        c = carried_to_new_boxes(known, (start.lower, start.upper), (lower, upper), np.abs(target - start.decision))
    c = balanced(np.clip(c, lower, upper), lower, upper)
    changed = c - known
    if np.any(changed):
        g -= rows.product(changed)
    return c, g


def _nearer(problem, c):
    """Return the problem with `c`, moved into the boxes, for its point; as it is if the objective is no lower there."""
    lower, upper, target = problem.lower, problem.upper, problem.target
    c = balanced(np.clip(c, lower, upper), lower, upper)
    other = BoxProblem(problem.rows, lower, upper, c, target, target - problem.rows.product(c))
    if not other.objective() < problem.objective():
        return problem
    other.n_iter = problem.n_iter
    return other


def _intercept(problem):
    """Return b: g on the free rows, else the middle of what the other rows leave, else the end that is finite."""
    g, bar_up, bar_down = problem.g, problem.bar_up, problem.bar_down
    free = (bar_up == 0) & (bar_down == 0)
    if free.any():
        return float(np.mean(g[free]))
    ends = np.array([np.max(g + bar_up), np.min(g + bar_down)])
    ends = ends[np.isfinite(ends)]
    return float(np.mean(ends)) if ends.size else 0.0


def _duality_gap(c, signs, decision, lower, upper, eta):
    """Return the sum over rows of (eta - z)(bound - a), the bound being the one that z asks for; no term is below 0."""
    slack = eta - signs * decision
    dual = signs * c
    low, high = np.where(signs > 0, lower, -upper), np.where(signs > 0, upper, -lower)
    return float(np.sum(np.where(slack > 0, slack * (high - dual), -slack * (dual - low))))
