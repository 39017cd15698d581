r"""The nonconvex support vector machine with a cost a row, by DC programming; Algorithm 2 of [gasso2011]_.

References
----------
Algorithm 2, equations (8) and (9) of [gasso2011]_; [collobert2006]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.losses import RampLoss
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.shifted_svm import ShiftedSVMResult, solve_shifted_svm
from nproc.solvers.result import SolverResult


@dataclass(frozen=True, kw_only=True, repr=False)
class NonconvexSVMResult(SolverResult):
    """A critical point of the asymmetric nonconvex support vector machine.

    Attributes
    ----------
    coef : ndarray, shape (n,)
        y_i a_i, the coefficients of the kernel expansion.
    intercept : float
        The constant b.
    decision : ndarray, shape (n,)
        f(x_i) of the training rows.
    beta_before, beta : ndarray of 0 and 1, shape (n,)
        The DC variables that entered the last convex problem, and those of its solution: 1 for a row that lies more
        than eta on the wrong side, which is given up.
    objective : ndarray, shape (n_iter,)
        1/2 ||f||^2 + sum of costs times ramp losses, after each convex problem.
    n_iter : int
        Convex problems solved.
    converged : bool
        Whether beta is unchanged in the last iteration and its convex problem is solved to `tol`.
    certificate : float
        The larger of the KKT gap of the last convex problem (in units of eta) and the share of the cost that lies on
        rows whose beta has changed; 0 at a critical point.
    reason : str
        In words, why the solver stopped.
    history : dict of str to ndarray
        objective, n_given_up (sum of beta), n_changed and slack (by how much the objective may rise, see the
        Notes), one entry a convex problem.
    last : ShiftedSVMResult
        The last convex problem, from which another solve can start.
    """

    decision: np.ndarray
    beta_before: np.ndarray
    beta: np.ndarray
    last: ShiftedSVMResult


# returns to earlier sets of rows given up, at one multiplier and then at how many in turn, before the iterations count
# as going round for ever: scores are known to tol only, and near the kink one return may be chance
MOST_RETURNS, MOST_TURNING = 5, 25


class CircleDetector:
    """Whether the rows given up go round in a circle: the sets seen at the present multiplier are remembered.

    Where the kernel matrix is positive semi-definite the objective falls and no set returns, but for rounding; with
    another one, such as that of poly with a negative constant, DC iterations may alternate between solutions.

    Attributes
    ----------
    n_rows : int
        Rows that change sides on the way round; 0 while no circle is found.
    """

    def __init__(self):
        self.n_rows, self._lam, self._returns, self._turning, self._seen = 0, None, 0, 0, {}

    def add(self, beta, lam=0.0):
        """Take the set of the next iteration."""
        packed = np.packbits(beta == 1.0)
        key = packed.tobytes()
        if lam != self._lam:
            # one multiplier after another without a return: no circle yet
            self._turning = self._turning if self._returns else 0
            self._lam, self._returns, self._seen = lam, 0, {}
        elif key in self._seen:
            since = list(self._seen.values())[list(self._seen).index(key) :]
            n_rows = int(np.unpackbits(np.bitwise_or.reduce([packed ^ other for other in since])).sum())
            # a set that stays is no circle
            if n_rows:
                self._turning += self._returns == 0
                self._returns += 1
            if self._returns >= MOST_RETURNS or self._turning >= MOST_TURNING:
                self.n_rows = n_rows
        # the last set seen comes last
        self._seen.pop(key, None)
        self._seen[key] = packed


def half_squared_norm(solution):
    """Return 1/2 ||f||^2 of a kernel expansion, from its coefficients and its values on the training rows."""
    return 0.5 * float(solution.coef @ (solution.decision - solution.intercept))


def given_up(decision, y, eta, before, tol):
    """Return beta, shape (n,): 1 for a row that lies more than `eta` on the wrong side, else 0.

    Rows within tol eta of the kink keep the beta they had `before`: scores are known to that precision only. There
    are many such rows, since margin support vectors of one class hold the score where the other class is given up.
    """
    excess = np.where(y == 1, decision, -decision) + eta
    return np.where(np.abs(excess) <= tol * eta, before, (excess < 0).astype(np.float64))


def misjudged(decision, y, cost, eta, beta):
    """Return by how much `beta` fails to be a subgradient at the scores: the sum of C_i |z_i + eta| / (2 eta)."""
    excess = np.where(y == 1, decision, -decision) + eta
    return float(cost @ (np.abs(excess) * (beta != (excess < 0)))) / (2 * eta)


def changed_share(cost, before, after):
    """Return the share of the cost on rows where beta `before` and `after` differ."""
    total = float(cost.sum())
    return float(cost[before != after].sum()) / total if total > 0 else 0.0


def solve_nonconvex_svm(
    X: Matrix,
    y: NDArray[Any],
    *,
    kernel: Any = "rbf",
    cost: NDArray[np.float64],
    eta: float = 1.0,
    beta: NDArray[Any] | None = None,
    start: ShiftedSVMResult | None = None,
    tol: float = 1e-3,
    max_iter: int = 100,
    cache_size: float = 200.0,
    rows: KernelRows | None = None,
) -> NonconvexSVMResult:
    r"""Return a local minimum of the support vector machine with ramp losses and a cost a row.

    Minimises :math:`\frac12 \|f\|^2 + \sum_i C_i \ell(y_i f(x_i))` with the ramp
    :math:`\ell = \ell_1 - \ell_2` of two hinges. Each iteration replaces the second by its tangent at the present f and
    solves the convex problem that is left, a support vector machine with shifted boxes; rows more than eta on
    the wrong side (:math:`\beta_i = 1`) then have a constant loss, so that no outlier pulls at f.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Training rows, or the Gram matrix for a precomputed kernel.
    y : ndarray of {0, 1}, shape (n,)
        Class of each row; sign -1 and +1.
    kernel : Kernel, str or callable
        See `nproc.solvers.kernels.make_kernel`.
    cost : ndarray, shape (n,)
        C_i, at least 0.
    eta : float
        Half width of the ramp, above 0.
    beta : ndarray of 0 and 1, shape (n,), optional
        Where the DC iterations start; None is 0, the convex support vector machine.
    start : ShiftedSVMResult, optional
        Warm start of the first convex problem.
    tol : float
        KKT gap, in units of eta, to which each convex problem is solved.
    max_iter : int
        Most convex problems.
    cache_size : float
        Room for kernel rows in MB.
    rows : KernelRows, optional
        Kernel rows shared with other solves.

    Returns
    -------
    NonconvexSVMResult

    Notes
    -----
    The objective never rises when the convex problems are solved exactly (Section 3.2 of the paper). Solved to
    a duality gap d, an iteration may raise it by at most d: the new f is within d of the least value of the convex
    upper bound, and the old f lies above that. Ours: a row within tol eta of the kink z = -eta keeps its beta, since
    scores are known to that precision only and beta would else never rest; this adds C_i |z_i + eta| / (2 eta) for a
    row whose beta is then on the wrong side of the kink. The sum of both is the slack in `history`. With these bounds
    going to 0, the objective falls until beta is unchanged, of which there are finitely many.

    The point found is critical: no convex step leads away from it. It depends on the start.

    References
    ----------
    Algorithm 2 of [gasso2011]_, with f(x) = sum_i y_i a_i k(x, x_i) + b; [collobert2006]_.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0], [3.0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1, 0])
    >>> fit = solve_nonconvex_svm(X, y, kernel="linear", cost=np.full(7, 10.0))
    >>> fit.beta
    array([0., 0., 0., 0., 0., 0., 1.])
    """
    y = np.asarray(y)
    ramp = RampLoss(eta)
    signs = np.where(y == 1, 1.0, -1.0)
    if rows is None:
        rows = KernelRows(make_kernel(kernel), X, cache_size=cache_size)
    beta = np.zeros(y.shape[0]) if beta is None else np.asarray(beta, dtype=np.float64)
    trace, misjudgement, circle = [], 0.0, CircleDetector()
    while True:
        start = solve_shifted_svm(X, y, kernel=kernel, cost=cost, beta=beta, eta=eta, tol=tol, rows=rows, start=start)
        before, beta = beta, given_up(start.decision, y, eta, beta, tol)
        objective = half_squared_norm(start) + float(cost @ ramp.value(signs * start.decision))
        n_changed = int((before != beta).sum())
        trace.append((objective, beta.sum(), n_changed, start.duality_gap + misjudgement))
        misjudgement = misjudged(start.decision, y, cost, eta, beta)
        circle.add(beta)
        if n_changed == 0 or len(trace) >= max_iter or circle.n_rows:
            break
    if n_changed and circle.n_rows:
        reason = f"{circle.n_rows} rows keep changing sides of the ramp: the solutions come round again and again."
    elif n_changed:
        reason = f"{n_changed} rows still changed sides of the ramp after the limit of {max_iter} convex problems."
    elif not start.converged:
        reason = f"the last convex problem was not solved: {start.reason}."
    else:
        reason = "no row changed sides of the ramp."
    history = dict(zip(("objective", "n_given_up", "n_changed", "slack"), np.array(trace).T, strict=True))
    return NonconvexSVMResult(
        coef=start.coef,
        intercept=start.intercept,
        objective=history["objective"],
        n_iter=len(trace),
        converged=n_changed == 0 and start.converged,
        certificate=max(start.certificate, changed_share(cost, before, beta)),
        reason=reason,
        history=history,
        decision=start.decision,
        beta_before=before,
        beta=beta,
        last=start,
    )
