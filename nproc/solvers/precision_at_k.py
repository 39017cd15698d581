"""The linear support vector machine of a list of fixed length: precision and recall among the k highest scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.errors import InvalidInputError
from nproc.solvers.result import SolverResult

# added to the diagonal, relative to its largest entry: planes that depend on each other give a solvable system. The
# value of the mixture is then computed without it, so that a bound on the objective stays a bound.
RIDGE = 1e-14
# a slope (in units of the largest offset) below this is rounding
SLOPE_TOL = 1e-13


def solve_plane_qp(gram, offsets, C, start):
    r"""Return the weights of the planes that maximise the dual of a one-slack structural SVM.

    .. math:: \max_{a \ge 0, \sum_j a_j \le C} \; \sum_j a_j d_j - \tfrac12 \sum_{jl} a_j a_l G_{jl},

    the dual of :math:`\min_w \tfrac12 \|w\|^2 + C \max(0, \max_j (d_j - w \cdot g_j))` with :math:`G_{jl} = g_j \cdot
    g_l` and :math:`w = \sum_j a_j g_j`. A plane of zeros takes up the rest of C, so that the weights lie on a simplex.
    An active-set method starts at `start`: solve for the weights of the support; go there, or as far as no weight
    becomes negative (that plane leaves the support); when all are positive, the plane with the steepest slope enters.
    Each round raises the objective, so that the method ends after finitely many.

    Parameters
    ----------
    gram : ndarray, shape (n_planes, n_planes)
        Inner products of the planes.
    offsets : ndarray, shape (n_planes,)
        Offsets d (losses) of the planes.
    C : float
        Bound on the sum of the weights, above 0.
    start : ndarray, shape (n_planes,)
        Feasible weights to start from.

    Returns
    -------
    weights : ndarray, shape (n_planes,)
    value : float
        Of the dual: a lower bound on the least value.

    Notes
    -----
    A step costs O(s^3) for a support of s planes (at most the number of features and one more), and a support
    changes by few planes when one plane is new.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers.precision_at_k import solve_plane_qp
    >>> print(solve_plane_qp(np.array([[4.0]]), np.array([1.0]), 10.0, np.zeros(1))[0])
    [0.25]
    """
    n_planes = offsets.size
    # shares of C; the last is the plane of zeros
    Q = np.zeros((n_planes + 1, n_planes + 1))
    Q[:-1, :-1] = C * gram
    # none for the plane of zeros, whose weight may be nearly all of C; the planes may all be zero, too
    largest = max(float(np.max(np.diagonal(Q))), float(np.max(np.abs(offsets))), np.finfo(np.float64).tiny)
    ridge = np.append(np.full(n_planes, RIDGE * largest), 0.0)
    d = np.append(offsets, 0.0)
    shares = np.append(start / C, 0.0)
    shares[-1] = max(0.0, 1.0 - shares.sum())
    support = list(np.flatnonzero(shares > 0))
    slope_tol = SLOPE_TOL * max(1.0, float(np.max(np.abs(d))))
    newest = -1
    for _ in range(20 * (n_planes + 10)):
        target, level = _optimum_on_support(Q, d, support, ridge)
        here = shares[support]
        falling = target <= 0
        if falling.any():
            ratio = np.where(falling, here / np.where(falling, here - target, 1.0), np.inf)
            leaves = int(np.argmin(ratio))
            if support[leaves] == newest and ratio[leaves] <= 0:
                # the steepest plane would have to leave at once: its slope was rounding
                shares[newest] = 0.0
                break
            shares[support] = np.maximum(0.0, here + ratio[leaves] * (target - here))
            shares[support[leaves]] = 0.0
            support = [j for j in support if shares[j] > 0 or j == newest]
            continue
        shares[support] = target / target.sum()
        slope = d - Q @ shares - level
        slope[support] = -np.inf
        newest = int(np.argmax(slope))
        if slope[newest] <= slope_tol:
            break
        support.append(newest)
    weights = C * shares[:-1] / shares.sum()
    return weights, float(weights @ offsets - 0.5 * weights @ gram @ weights)


def _optimum_on_support(Q, d, support, ridge):
    """Return the shares with sum 1 that maximise d's - s'Qs/2 without regard to signs, and the common slope."""
    size = len(support)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = Q[np.ix_(support, support)]
    system[np.arange(size), np.arange(size)] += ridge[support]
    system[size, size] = 0.0
    solution = np.linalg.solve(system, np.append(d[support], 1.0))
    return solution[:size], solution[size]


class PlaneSet:
    """The constraints kept, with the weights of their best mixture and the lower bound that it gives.

    Parameters
    ----------
    n_features : int
        Length of a plane.
    C : float
        Bound on the sum of the weights.

    Attributes
    ----------
    planes, offsets, weights : ndarray
        The planes (one a row), their offsets and their weights.
    lower : float
        The largest lower bound so far.
    slack : float
        The slack that the last solution needs for the planes kept.
    """

    def __init__(self, n_features, C):
        self.C = C
        self.planes, self.offsets, self.gram = np.zeros((0, n_features)), np.zeros(0), np.zeros((0, 0))
        self.weights, self.lower, self.slack = np.zeros(0), 0.0, 0.0

    def add(self, plane, offset):
        """Return the solution w with one more plane."""
        products = (self.planes @ plane)[:, None]
        self.gram = np.block([[self.gram, products], [products.T, np.array([[plane @ plane]])]])
        self.planes, self.offsets = np.vstack([self.planes, plane]), np.append(self.offsets, offset)
        self.weights, bound = solve_plane_qp(self.gram, self.offsets, self.C, np.append(self.weights, 0.0))
        self.lower = max(self.lower, bound)
        w = self.weights @ self.planes
        self.slack = max(0.0, float(np.max(self.offsets - self.planes @ w)))
        return w


# a new plane that cuts off less than this (in units of the loss) cuts off rounding
CUT_TOL = 1e-13
# how far from the best solution so far towards the newest one the next plane is taken (Franc and Sonnenburg 2009)
TOWARDS_NEWEST = 0.1
BISECTIONS = 12


@dataclass(frozen=True, kw_only=True, repr=False)
class PrecisionAtKResult(SolverResult):
    """The outcome of `solve_precision_at_k`.

    Attributes
    ----------
    n_planes : int
        Planes with a weight above zero at the end.
    slack : float
        The slack at the solution: a bound on its loss.
    """

    n_planes: int
    slack: float


def solve_precision_at_k(
    X: Matrix,
    y: NDArray[Any],
    *,
    k: int,
    C: float = 1.0,
    tol: float = 1e-3,
    max_iter: int = 1000,
    reference: Literal["labels", "average"] = "labels",
    origin: NDArray[np.float64] | None = None,
    callback: Callable[..., Any] | None = None,
) -> PrecisionAtKResult:
    r"""Return the linear structural SVM that calls exactly k rows class 1.

    With z running through all labellings that have exactly k ones, and scores :math:`s_i = w \cdot (x_i - o)`,

    .. math:: \min_{w, \xi \ge 0} \tfrac12 \|w\|^2 + C \xi \quad \text{with} \quad
              \frac1m \sum_i (r_i - z_i) s_i \ge \Delta(z) - \xi \; \text{ for all z},

    where the loss is :math:`\Delta(z) = 1 - a/m` for a labelling with a true ones and m = min(k, n_1): one minus the
    precision at k for k up to :math:`n_1`, one minus the recall at k beyond. The reference r is y itself in the paper.
    The cutting-plane method keeps some of the constraints (planes), solves their quadratic program, and adds a
    constraint that is violated, until the objective lies within `tol` of the lower bound that the planes give.

    Parameters
    ----------
    X : ndarray or CSR array, shape (n, p)
        Rows, already checked.
    y : ndarray of int, shape (n,)
        0 and 1, both present.
    k : int
        Number of rows called class 1, between 1 and n - 1.
    C : float
        Cost of the slack, above 0.
    tol : float
        Largest certificate at which the method stops.
    max_iter : int
        Largest number of rounds, each of which adds a plane.
    reference : {'labels', 'average'}
        r = y as in the paper, or the average of all labellings of least loss: min(k, n_1) / n_1 on class 1 and
        max(0, k - n_1) / n_0 on class 0. They are the same for k = n_1.
    origin : ndarray, shape (p,), optional
        The point o with score 0 (None: the origin). It matters for r = y and k other than n_1 only. X is not changed,
        so that a sparse one stays sparse.
    callback : callable, optional
        Called in each round with (number of rounds, objective, lower bound).

    Returns
    -------
    result : PrecisionAtKResult
        ``coef`` is w, ``intercept`` is -w.o; ``objective`` is the least objective after each round. The certificate is
        (objective - lower bound) / objective, which bounds how far the objective is from optimal, relatively.
        ``history`` has the arrays objective, lower_bound and n_planes.

    Raises
    ------
    InvalidInputError
        If entries of X are so large that their products overflow.

    See Also
    --------
    nproc.solvers.precision_at_k.solve_plane_qp : The quadratic program of the planes.

    Notes
    -----
    For r = y and k = n_1, and for the average, the slack is an upper bound of the loss of the k rows with the highest
    scores, as r is then a mixture of labellings with k ones, and a shift of all rows changes nothing. For r = y and
    other k the labels are no such mixture: the slack may be 0 where the loss is not, and the origin matters.

    Compared with the program SVMPerf: its loss is 100 times the one here, its sums are twice those here and not divided
    by m. The direction of w at its C is that of ``C * m**2 / 25`` here. The scale here makes C mean the
    same for any n and k. There is no bias, which r = y could not have (where k is below n_1, slack would tend to 0
    as the bias grows); a threshold is set afterwards.

    The loop over the number of true ones in Algorithm 2 of [joachims2005]_ is not needed: this loss is linear in that
    number, so that the most violated labelling are the k largest :math:`s_i - y_i`. The next plane is taken near
    the best point of the line between the best solution so far and that of the planes, as by Franc and
    Sonnenburg (2009, Journal of Machine Learning Research 10); where it does not cut off the latter, its own plane is
    taken, as in the paper. For C of 100 and more this takes 10 to 20 times fewer planes.

    A round costs O(n p) (the nonzeros, where X is sparse) for scores and sums, O(n) for some 15 selections, O(p) for
    each plane kept and the small quadratic program. Memory beyond X is O(n + p * planes kept). The number of planes is
    at most O(C R^2 / eps) for rows within a ball of radius R and does not depend on n: 43 and 35 rounds (0.1 and 1
    second) for 1,000 and 37,176 rows of covertype at C = 100. [gasso2011]_ give SVMPerf's times for linear models as
    growing with n to the degree four; a fixed C of SVMPerf is a C here that grows with the square of m.

    References
    ----------
    Algorithms 1 and 2 and section 4 of [joachims2005]_; section 5.5 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers.precision_at_k import solve_precision_at_k
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 2)) + np.outer(y, [3, 0])
    >>> result = solve_precision_at_k(X, y, k=50, C=1.0, tol=1e-6)
    >>> result.certificate <= 1e-6
    True
    >>> bool(result.coef[0] > abs(result.coef[1]))
    True
    """
    problem = CuttingPlaneProblem(X, y, k, float(C), reference, origin)
    planes = PlaneSet(X.shape[1], problem.C)
    best = newest = problem.at(np.zeros(X.shape[1]))
    trace, lowers, counts = [], [], []
    converged, reason = False, f"the certificate is above tol={tol:g} after max_iter={max_iter} planes."
    while True:
        trace.append(best.objective)
        lowers.append(planes.lower)
        counts.append(int(np.sum(planes.weights > 0)))
        if callback is not None:
            callback(len(trace) - 1, best.objective, planes.lower)
        gap = max(0.0, best.objective - planes.lower)
        if gap <= tol * best.objective:
            converged, reason = True, f"the certificate is at most tol={tol:g}."
            break
        if len(trace) > max_iter:
            break
        between = problem.towards(best, newest, TOWARDS_NEWEST)
        plane, offset = problem.plane(between)
        if offset - plane @ newest.w <= planes.slack + CUT_TOL:
            plane, offset = problem.plane(newest)
            if offset - plane @ newest.w <= planes.slack + CUT_TOL:
                reason = "no further plane cuts off more than rounding."
                break
        newest = problem.at(planes.add(plane, offset))
        candidates = (best, problem.best_between(best, newest), newest)
        best = min(candidates, key=lambda point: point.objective)
    return PrecisionAtKResult(
        coef=best.w,
        intercept=-float(problem.origin @ best.w),
        objective=np.array(trace),
        n_iter=len(trace) - 1,
        converged=converged,
        certificate=gap / best.objective if best.objective > 0 else 0.0,
        reason=reason,
        history={"objective": np.array(trace), "lower_bound": np.array(lowers), "n_planes": np.array(counts)},
        n_planes=int(np.sum(planes.weights > 0)),
        slack=max(0.0, best.height),
    )


def reference_labels(y, k, reference):
    """Return the labelling that others are compared with, shape (n,): y, or the average of those of least loss."""
    is_one = (y == 1).astype(np.float64)
    if reference == "labels":
        return is_one
    n1 = is_one.sum()
    return np.where(y == 1, min(k, n1) / n1, max(0.0, k - n1) / (y.size - n1))


def _top(value, k):
    chosen = np.argpartition(value, value.size - k)[value.size - k :]
    selected = np.zeros(value.size, dtype=bool)
    selected[chosen] = True
    return selected, float(value[chosen].sum())


@dataclass(frozen=True)
class _Point:
    """A solution, its scores, and the constraint that it violates most."""

    w: np.ndarray
    scores: np.ndarray
    selected: np.ndarray
    height: float
    objective: float


class CuttingPlaneProblem:
    r"""Scores, objective and planes of the points of one problem.

    The labelling that a point violates most maximises :math:`\Delta(z) + \sum_i (z_i - r_i) s_i / m`. As the loss is
    1 - a/m, a row adds :math:`(s_i - y_i) / m` where it is selected, and the k largest are the solution; between rows
    that tie, any.
    """

    def __init__(self, X, y, k, C, reference, origin):
        self.X, self.k, self.C = X, k, C
        self.is_one = (y == 1).astype(np.float64)
        self.m = min(k, int(self.is_one.sum()))
        self.reference = reference_labels(y, k, reference)
        self.origin = np.zeros(X.shape[1]) if origin is None else origin

    def at(self, w):
        return self._point(w, self.X @ w - self.origin @ w)

    def towards(self, start, end, share):
        """Return the point that lies `share` of the way from `start` to `end`; no product with X is needed."""
        w = start.w + share * (end.w - start.w)
        return self._point(w, start.scores + share * (end.scores - start.scores))

    def best_between(self, start, end):
        """Return the point with about the least objective on the way from `start` to `end`, by bisection."""
        low, high = 0.0, 1.0
        if self._slope(end, start, end) <= 0:
            return end
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if self._slope(self.towards(start, end, middle), start, end) > 0:
                high = middle
            else:
                low = middle
        return self.towards(start, end, low)

    def plane(self, point):
        """Return the gradient of the constraint that `point` violates most, and its loss."""
        sign = self.reference - point.selected
        with np.errstate(over="ignore", invalid="ignore"):
            plane = (self.X.T @ sign - self.origin * sign.sum()) / self.m
            finite = np.isfinite(self.C * (plane @ plane))
        if not finite:
            raise InvalidInputError(
                "X has entries so large that their products overflow. Put the columns on one scale, for example with "
                "sklearn.preprocessing.StandardScaler."
            )
        return plane, 1.0 - float(point.selected @ self.is_one) / self.m

    def _point(self, w, scores):
        selected, total = _top(scores - self.is_one, self.k)
        height = 1.0 + (total - float(self.reference @ scores)) / self.m
        return _Point(w, scores, selected, height, 0.5 * float(w @ w) + self.C * max(0.0, height))

    def _slope(self, point, start, end):
        slope = float(point.w @ (end.w - start.w))
        if point.height > 0:
            slope += self.C * float((point.selected - self.reference) @ (end.scores - start.scores)) / self.m
        return slope
