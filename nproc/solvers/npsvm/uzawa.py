r"""Uzawa's algorithm around the nonconvex support vector machine, and its solutions along a path of multipliers.

References
----------
Algorithm 1, inequalities (16) and Theorem 3 of [gasso2011]_.
"""

from dataclasses import replace

import numpy as np

from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.annealed import finished, stop_reason, taken_back
from nproc.solvers.npsvm.constraint import Iterate, Multiplier, Progress
from nproc.solvers.npsvm.nonconvex_svm import half_squared_norm, solve_nonconvex_svm
from nproc.solvers.npsvm.shifted_svm import check_ratio

# solutions kept for warm starts: with a multiplier that settles the last ones are the nearest
MOST_KEPT = 8
# changes of sign of the excess after which each minimisation starts from the last solution, on its branch
MOST_SWITCHES = 5
# DC iterations at one multiplier
MOST_DC_ITERATIONS = 100
# a solution counts as better than another only by more than the convex problems are solved to
RELATIVE_SLACK = 1e-9


class _Machine:
    """The nonconvex support vector machine at any multiplier: training rows and all that stays the same."""

    def __init__(self, X, y, constraint, kernel, C, tol, rows, cache_size):
        self.y = np.asarray(y)
        self.constraint = constraint
        self.C = C
        check_ratio(C, constraint.eta)
        if rows is None:
            rows = KernelRows(make_kernel(kernel), X, cache_size=cache_size)
        self._solve = {"X": X, "y": self.y, "kernel": kernel, "eta": constraint.eta, "tol": tol, "rows": rows}

    def solve(self, lam, beta=None, start=None):
        """Return the `Iterate` at which the DC iterations from `beta` end."""
        cost = self.constraint.costs(self.y, self.C, lam)
        fit = solve_nonconvex_svm(cost=cost, beta=beta, start=start, max_iter=MOST_DC_ITERATIONS, **self._solve)
        rates = self.constraint.measure(fit.decision, self.y)
        penalty = half_squared_norm(fit.last) / (self.C * self.constraint.n1)
        return Iterate(fit.last, fit.beta_before, fit.beta, lam, penalty, rates, fit.n_iter)

    def value(self, iterate, lam):
        """Return the Lagrangian of the solution of an iterate at multiplier `lam`."""
        return self.constraint.lagrangian(iterate.penalty, iterate.rates, lam)

    def best(self, kept, lam):
        """Return the iterate of least Lagrangian at `lam`."""
        return min(kept, key=lambda iterate: self.value(iterate, lam))


def solve_uzawa(
    X,
    y,
    *,
    constraint,
    kernel="rbf",
    C=1.0,
    update="multiplicative",
    gain=1.0,
    settle=True,
    beta=None,
    restart=False,
    tol=1e-3,
    max_iter=1000,
    cache_size=200.0,
    rows=None,
    callback=None,
):
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
    beta : ndarray of 0 and 1, shape (n,), optional
        Rows given up at the start; None is no row.
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
    is continuous in the multiplier. (16) then holds no more; `lambda_path` enforces it.

    References
    ----------
    Algorithms 1 and 2 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers.npsvm.constraint import made_constraint
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + y[:, None]
    >>> fit = solve_uzawa(X, y, constraint=made_constraint(y, 0.1), kernel="linear")
    >>> fit.converged, fit.rates.ramp1 <= 0.105
    (True, True)
    """
    machine = _Machine(X, y, constraint, kernel, C, tol, rows, cache_size)
    y = machine.y
    multiplier = Multiplier(constraint.n0 / constraint.n1, gain, update, settle)
    progress = Progress(constraint, callback)
    iterate = machine.solve(multiplier.value, beta=beta)
    kept = []
    while True:
        progress.add(iterate)
        kept = [*kept, iterate][-MOST_KEPT:]
        reason = stop_reason(constraint, iterate, multiplier, progress, max_iter)
        if reason:
            return finished(constraint, progress, iterate, y, C, reason)
        multiplier.move(constraint.relative_excess(iterate.rates))
        if restart:
            iterate = machine.solve(multiplier.value, start=iterate.solution)
            continue
        candidates = kept if multiplier.sign_changes < MOST_SWITCHES else kept[-1:]
        iterate = _next_iterate(machine, candidates, multiplier.value)


def _next_iterate(machine, kept, lam):
    best = machine.best(kept, lam)
    start = taken_back(machine.constraint, best.beta, machine.y)
    iterate = machine.solve(lam, beta=start, start=best.solution)
    if start is best.beta or not _is_better(machine, best, iterate, lam):
        return iterate
    second = machine.solve(lam, beta=best.beta, start=best.solution)
    return replace(second, n_solves=iterate.n_solves + second.n_solves)


def _is_better(machine, first, second, lam):
    a, b = machine.value(first, lam), machine.value(second, lam)
    return a < b - RELATIVE_SLACK * (1.0 + abs(b))


def lambda_path(X, y, multipliers, *, constraint, kernel="rbf", C=1.0, tol=1e-3, cache_size=200.0, rows=None):
    r"""Return a solution at each multiplier such that none is better at another's multiplier than that one's own.

    Theorem 3: for solutions :math:`f_\lambda` with :math:`L(f_\lambda, \lambda) \le L(f_{\lambda'}, \lambda)` for all
    pairs (16), the objective is nondecreasing and the ramp type I error nonincreasing in :math:`\lambda`. Local minima
    need not satisfy (16), and warm starts in one direction give one half of it only. Here every solution found at any
    multiplier is kept; where one of another multiplier is better, the DC iterations start from it, until no
    solution changes.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        Training rows, or the Gram matrix for a precomputed kernel.
    y : ndarray of {0, 1}, shape (n,)
        Class of each row.
    multipliers : array-like, shape (m,)
        Values of lambda, above 0, in the unit of `nproc.solvers.npsvm.constraint`.
    constraint : RateConstraint
        Gives the Lagrangian; its tolerance is not used.
    kernel : Kernel, str or callable
        See `nproc.solvers.kernels.make_kernel`.
    C : float
        Cost of a class 1 row.
    tol : float
        KKT gap, in units of eta, to which each convex problem is solved.
    cache_size : float
        Room for kernel rows in MB.
    rows : KernelRows, optional
        Kernel rows shared with other solves.

    Returns
    -------
    list of Iterate
        One a multiplier, in increasing order of the multiplier (attribute ``lam``): ``solution``, ``rates``,
        ``penalty``, ``objective``.

    Notes
    -----
    For the q-value constraint the theorem is about :math:`P_{fa} - q'(1 - P_{nd})` in place of the type I error.
    Each solution is the one of least Lagrangian among the same finite set, so that (16) holds exactly, whatever the
    tolerance of the convex problems.

    References
    ----------
    Theorem 3 of [gasso2011]_.
    """
    machine = _Machine(X, y, constraint, kernel, C, tol, rows, cache_size)
    lams = np.unique(np.asarray(multipliers, dtype=np.float64))
    found, previous = [], None
    for lam in lams:
        found.append(machine.solve(lam, start=previous))
        previous = found[-1].solution
    changed = True
    while changed:
        changed = False
        # down and up again, so that a good solution travels through all multipliers in one sweep
        for lam in [*lams[::-1], *lams]:
            best = machine.best(found, lam)
            if best.lam == lam:
                continue
            moved = machine.solve(lam, beta=best.beta, start=best.solution)
            # within the tolerance of the convex problems the solution of the other multiplier serves as well
            if _is_better(machine, moved, best, lam):
                found.append(moved)
                changed = True
    return [replace(machine.best(found, lam), lam=float(lam)) for lam in lams]
