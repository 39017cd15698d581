"""The planes of a cutting-plane method, and the small quadratic program of their best mixture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# added to the diagonal, relative to its largest entry: planes that depend on each other give a solvable system. The
# value of the mixture is then computed without it, so that a bound on the objective stays a bound.
RIDGE = 1e-14
# a slope (in units of the largest offset) below this is rounding
SLOPE_TOL = 1e-13
# a plane whose weight has been zero for so many rounds is dropped; it is found again if it is needed
IDLE_ROUNDS = 20


@dataclass(frozen=True)
class PlaneWeights:
    """The mixture of planes that `solve_plane_qp` found.

    Attributes
    ----------
    weights : ndarray, shape (n_planes,)
        Weights of the planes, at least 0, with a sum of at most C.
    value : float
        The objective at these weights: a lower bound of the primal problem, whatever the accuracy.
    n_steps : int
        Linear systems solved.
    exact : bool
        Whether the optimality conditions hold to rounding.
    """

    weights: np.ndarray
    value: float
    n_steps: int
    exact: bool


def solve_plane_qp(gram, offsets, C, start=None):
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
    start : ndarray, shape (n_planes,), optional
        Feasible weights to start from; None starts at zero.

    Returns
    -------
    result : PlaneWeights
        Weights, the value of the dual, steps, and whether it is exact.

    Notes
    -----
    A step costs O(s^3) for a support of s planes (at most the number of features and one more), and a support
    changes by few planes when one plane is new.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers.plane_qp import solve_plane_qp
    >>> print(solve_plane_qp(np.array([[4.0]]), np.array([1.0]), 10.0).weights)
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
    shares = np.zeros(n_planes + 1)
    if start is not None:
        shares[:-1] = start / C
    shares[-1] = max(0.0, 1.0 - shares[:-1].sum())
    support = list(np.flatnonzero(shares > 0))
    slope_tol = SLOPE_TOL * max(1.0, float(np.max(np.abs(d))))
    newest, n_steps, exact = -1, 0, False
    while n_steps < 20 * (n_planes + 10):
        n_steps += 1
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
            exact = True
            break
        support.append(newest)
    weights = C * shares[:-1] / shares.sum()
    return PlaneWeights(weights, float(weights @ offsets - 0.5 * weights @ gram @ weights), n_steps, exact)


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
        self.weights, self.idle = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.lower, self.slack = 0.0, 0.0

    def add(self, plane, offset):
        """Return the solution w with one more plane; drop planes that have been idle for long."""
        products = (self.planes @ plane)[:, None]
        self.gram = np.block([[self.gram, products], [products.T, np.array([[plane @ plane]])]])
        self.planes, self.offsets = np.vstack([self.planes, plane]), np.append(self.offsets, offset)
        mixture = solve_plane_qp(self.gram, self.offsets, self.C, np.append(self.weights, 0.0))
        self.weights, self.lower = mixture.weights, max(self.lower, mixture.value)
        self.idle = np.where(self.weights > 0, 0, np.append(self.idle, 0) + 1)
        kept = self.idle < IDLE_ROUNDS
        if not np.all(kept):
            self.planes, self.offsets, self.gram = self.planes[kept], self.offsets[kept], self.gram[np.ix_(kept, kept)]
            self.weights, self.idle = self.weights[kept], self.idle[kept]
        w = self.weights @ self.planes
        self.slack = max(0.0, float(np.max(self.offsets - self.planes @ w)))
        return w
