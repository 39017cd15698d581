r"""Sparse logistic regression by the active-set method in its dual, for linear models and kernels.

References
----------
Section 3.2 of [herault2008]_, with the bordered system in the place of its formula for gamma, and alpha_i < 1 in (17b).

.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
   Signal 25(4), 279-291.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import expit

from nproc.checks import check_count, check_number
from nproc.errors import InvalidInputError
from nproc.losses.truncated import TruncatedLikelihood
from nproc.solvers.column_system import ColumnSystem
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernel_system import KernelSystem
from nproc.solvers.kernels import make_kernel
from nproc.solvers.sparse_logistic import SparseLogisticResult, kkt_violations, signs
from nproc.solvers.sparse_logistic_active_set import ActiveSet

# where a start has no say of a row that must have one
SMALL = 1e-6


def solve_sparse_logistic_dual(
    X,
    y,
    *,
    p_min=0.0,
    p_max=1.0,
    lam=1.0,
    kernel="linear",
    start=None,
    tol=1e-9,
    max_iter=None,
    entering=1,
    past_kinks=True,
    cache_size=200.0,
    rows=None,
    callback=None,
):
    r"""Return sparse logistic regression by the active-set method for its dual.

    With signs s and the floors f_i of `TruncatedLikelihood` it minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (f(x_i) + b), f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2

    over :math:`f = \frac{1}{\lambda} \sum_i \alpha_i s_i K(\cdot, x_i)` and b, through the dual: with
    :math:`G_{ij} = s_i s_j K_{ij} / \lambda` minimise

    .. math:: \tfrac12 \alpha' G \alpha + \sum_{I_\ell} \bigl[\alpha_i \log \alpha_i
              + (1 - \alpha_i) \log(1 - \alpha_i)\bigr] + \sum_{I_h} \alpha_i f_i, \qquad s'\alpha = 0,

    with alpha = 0 on I_0, :math:`0 \le \alpha_i \le 1 / (1 + e^{-f_i})` on I_h and
    :math:`1 / (1 + e^{-f_i}) \le \alpha_i < 1` on I_l. Each step solves the Newton system of the rows of I_h and I_l,
    bordered by s'alpha = 0, whose multiplier is b; it is cut where alpha reaches 0, and rows whose alpha passes
    :math:`1 / (1 + e^{-f_i})` change between I_h and I_l. When the active rows are at their optimum, the row of I_0
    with the largest :math:`-s_i (f(x_i) + b) - f_i > 0` enters. Rows that are right beyond the interval never cost
    anything: this is fast where few rows have a say.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p), or (n, n) for a precomputed kernel
        Training rows; not looked at where `rows` is given.
    y : array, shape (n,)
        Labels 0 and 1, both present.
    p_min, p_max : float
        The interval of probabilities of class 1 that matters, 0 <= p_min < p_max <= 1.
    lam : float
        lambda, above 0.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'}, callable or Kernel
        See `make_kernel`, which gives a `Kernel` with other parameters; not looked at where `rows` is given.
    start : ndarray of shape (n,) or SparseLogisticResult, optional
        Multipliers alpha to begin with, moved to s'alpha = 0, for example those for another lambda or interval. By
        default alpha = 0 and one row of each class in I_h, except for rows that have no kink.
    tol : float
        Largest violation of the optimality conditions.
    max_iter : int, optional
        Most steps; the larger of 1,000 and 20 n by default.
    entering : int
        The most rows that enter at a time. The paper has 1.
    past_kinks : bool
        Whether a step may take rows from I_h to I_l and back, up to where the dual is best on its ray: its slope is
        continuous there. Without it a step ends where the first row would change, as in the paper, which takes about a
        quarter more steps.
    cache_size : float
        Room for kernel rows in MB; not looked at where `rows` is given.
    rows : KernelRows, optional
        The kernel matrix from an earlier solve.
    callback : callable, optional
        ``callback(n_iter, violation, n_active)`` is called before a row enters.

    Returns
    -------
    SparseLogisticResult
        `coef` is w of shape (p,) for a linear kernel, otherwise s_i alpha_i / lambda. `objective` is the dual
        criterion after each step: it never falls, is a lower bound on the criterion, and equal to it at the optimum;
        ``history["active"]`` counts the rows of I_h and I_l. The certificate is the largest violation of (12), (13) and
        (17), see `KKTViolations`.

    Raises
    ------
    InvalidInputError
        Where an argument breaks its rule; if only one class is present.

    See Also
    --------
    nproc.solvers.sparse_logistic_primal.solve_sparse_logistic_primal : Newton's method for linear models.

    Notes
    -----
    With (p_min, p_max) = (0, 1) all rows are in I_l, and this is kernel logistic regression by Newton's method.

    The solution (f, b) is unique: some alpha_i is above 0 in each class, and its margin is known from alpha. alpha
    itself is not unique where rows of I_h depend on each other.

    With m active rows a step costs O(m^2), rows that enter or leave included, since the Cholesky factor is updated; it
    is computed anew, O(m^3 / 3), when the Hessian's diagonal has changed by a quarter. f(x_i) of all rows, O(n m), is
    needed before a row enters. A linear kernel with fewer than half as many columns as rows is solved in the space of
    the columns: O(m p) a step, O(m p^2) where the factor is renewed, O(n p) before a row enters.

    References
    ----------
    Section 3.2 and equations (6), (11) to (18) of [herault2008]_.

    Examples
    --------
    >>> X = np.array([[-3.0], [-2.0], [-1.0], [0.5], [-0.5], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> found = solve_sparse_logistic_dual(X, y, p_min=0.3, p_max=0.7, lam=0.1)
    >>> found.converged, found.support
    (True, array([2, 3, 4, 5]))
    >>> bool(abs(found.alpha[y == 1].sum() - found.alpha[y == 0].sum()) < 1e-12)
    True
    """
    y = np.asarray(y)
    check_number(lam, "lam")
    check_number(tol, "tol")
    check_count(entering, "entering")
    loss = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    system, columns, centre = _system(X, y, lam, kernel, cache_size, rows)
    max_iter = max(1000, 20 * y.size) if max_iter is None else check_count(max_iter, "max_iter")
    alpha = _start(start, y, loss)
    steps = ActiveSet(
        system, signs(y), loss.floor(y), alpha, tol=float(tol), entering=int(entering), past_kinks=bool(past_kinks)
    )

    def violations():
        return kkt_violations(steps.alpha, steps.f + steps.b, y, steps.sets, loss)

    reason = steps.solve(max_iter, lambda: violations().largest, callback)
    steps.refresh()
    found = violations()
    if found.largest <= tol:
        reason = f"the optimality conditions hold to tol={tol:g}."
    coef, intercept = signs(y) * steps.alpha / lam, float(steps.b)
    if columns is not None:
        coef = np.asarray(columns.T @ coef, dtype=np.float64)
        intercept -= float(centre @ coef)
    return SparseLogisticResult(
        coef=coef,
        intercept=intercept,
        objective=np.array(steps.objective),
        n_iter=steps.n_iter,
        converged=found.largest <= tol,
        certificate=found.largest,
        reason=reason,
        alpha=steps.alpha,
        decision=steps.f + steps.b,
        sets=steps.sets,
        violations=found,
        history={"active": np.array(steps.n_active)},
    )


def _system(X, y, lam, kernel, cache_size, rows):
    """Return (system, columns, centre): the columns of a linear kernel and what was taken off them, else None twice."""
    kernel = make_kernel(kernel) if rows is None else rows.kernel
    n = X.shape[0] if rows is None else rows.n
    if y.shape != (n,) or not np.isin(y, (0, 1)).all():
        raise InvalidInputError(f"y must hold one label, 0 or 1, for each of the {n} rows.")
    if np.all(y == y[0]):
        raise InvalidInputError(f"y must hold both classes, got {y[0]} only; the constant would have no optimum.")
    if kernel.name != "linear":
        return KernelSystem(rows or KernelRows(kernel, X, cache_size=cache_size), signs(y), lam), None, None
    if rows is not None:
        return KernelSystem(rows, signs(y), lam), rows.X, np.zeros(rows.X.shape[1])
    # the constant is free, so that columns may be centred: fewer digits are lost
    centre = np.zeros(X.shape[1]) if sparse.issparse(X) else X.mean(axis=0)
    columns = X if sparse.issparse(X) else X - centre
    if 2 * X.shape[1] < n:
        return ColumnSystem(columns, signs(y), lam), columns, centre
    return KernelSystem(KernelRows(kernel, columns, cache_size=cache_size), signs(y), lam), columns, centre


def _start(start, y, loss):
    """Return alpha to begin with: balanced, and above 0 where there is no kink."""
    classes, floors = [y == 0, y == 1], loss.floors
    given = start.alpha if isinstance(start, SparseLogisticResult) else start
    alpha = np.zeros(y.size) if given is None else np.array(given, dtype=np.float64)
    if alpha.shape != y.shape or not np.all((alpha >= 0.0) & (alpha < 1.0)):
        raise InvalidInputError(f"start must hold a number of at least 0 and below 1 for each of the {y.size} rows.")
    kinked = np.isfinite(floors)
    if not np.any(alpha) and not np.any(kinked):
        # f = 0 and the constant alone
        for label in (0, 1):
            alpha[classes[label]] = np.mean(classes[1 - label])
        return alpha
    if not np.any(alpha) and np.all(kinked):
        return alpha
    for label in (0, 1):
        if not kinked[label]:
            alpha[classes[label]] = np.maximum(alpha[classes[label]], SMALL)
        elif not np.any(alpha[classes[label]]):
            # one row has to stand against the other class
            alpha[np.flatnonzero(classes[label])[0]] = 0.5 * float(expit(floors[label]))
    totals = [float(np.sum(alpha[rows])) for rows in classes]
    for label in (0, 1):
        alpha[classes[label]] *= min(1.0, totals[1 - label] / totals[label])
    return alpha
