r"""Sparse logistic regression with kernels, by a set of working rows that grows.

With signs s and G_ij = s_i s_j K_ij / lambda, the dual of the criterion is to minimise alpha'G alpha / 2 + sum_i
h_i(alpha_i) subject to s'alpha = 0 and 0 <= alpha_i < 1, where the conjugate of the truncated loss is linear and then
an entropy: with the floor f_i and the top 1 / (1 + exp(-f_i)),

.. math:: h_i(\alpha) = \alpha f_i - \log(1 + e^{f_i}) \quad (\alpha \le top_i), \qquad
          \alpha \log \alpha + (1 - \alpha) \log(1 - \alpha) \quad (\alpha \ge top_i).

Rows of I_0 have alpha_i = 0 and may be left out. Which rows are in it is told first with smooth elbows in place of the
kinks, where a step needs an equation for each row that has a say and no more. The others, the working rows, have
coordinates Z with K = Z Z' in which the model is linear, so that the steps of the primal solver find their alpha; rows
that are then past their kinks join them.

References
----------
Section 3.2 of [herault2008]_, where rows enter one at a time, and alpha_i < 1 in (17b).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.sparse.linalg import aslinearoperator
from scipy.special import entr, expit, logit

from nproc.checks import Matrix
from nproc.losses import TruncatedLikelihood
from nproc.solvers.hinges import flat_point
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import Kernel, make_kernel
from nproc.solvers.sparse_logistic.criterion import FLAT, SparseLogisticResult, kkt_violation, result_of, signs
from nproc.solvers.sparse_logistic.newton import FAR_BELOW, NewtonSearch, TruncatedRows
from nproc.solvers.sparse_logistic.primal import ELBOW, descend
from nproc.solvers.weighted_normal import CentredRows

# most working rows of a class in the first round
FIRST_ROWS = 250
# half-widths of the elbows in turn, with which all rows are told apart that have a say: the first for a few rows of
# each class. How many steps each may take, and the share of what its elbows still cost that a last step promises
SMOOTH_ELBOWS = (ELBOW, 0.1, 0.02)
MOST_SMOOTH_STEPS = 30
SMOOTH_ENOUGH = 0.1
# rows that these steps leave past their kinks, or closer to them than this, are the first working rows: more than the
# last half-width, for a few others come in at the kinks themselves
NEAR_KINK = 0.03
# with a trace of K above this many lambda, steps in single precision lose more than a hundredth of themselves
SINGLE_TRACE = 0.04 / float(np.finfo(np.float32).eps)
# half-width of the first elbows where alpha is nearly known, from a start or from a round before
KNOWN_ELBOW = 0.05
# with fewer rows a coordinate than this a system with an equation for each row costs less than to sum the one with an
# equation for each coordinate
ROWS_PER_COORDINATE = 1.8
# the ratio of curvature to lambda from which on the products of rows in the system of the rows lose too many digits
MOST_CURVATURE = 300.0


class KernelSearch(NewtonSearch):
    """A search in coordinates Z of the working rows, judged by the scores that alpha gives them.

    Parameters
    ----------
    K : ndarray or LinearOperator, shape (m, m)
        The kernel matrix of the working rows, Z Z'.
    *problem
        What `NewtonSearch` takes, with Z for X.
    """

    def __init__(self, K, *problem):
        self.K = K
        super().__init__(*problem)

    @staticmethod
    def read(X):
        """Return the rows as they are: K is that of these."""
        return CentredRows(X, np.zeros(X.shape[1]))

    def direction(self, rows, alpha, weights):
        """Return the Newton step of losses of `rows` with these derivatives in the exponents, shape (rank + 1,)."""
        if not self.few(rows):
            return super().direction(rows, alpha, weights)
        pulls = -self.s[rows] * alpha
        gradient = np.append(self.lam * self.coef + self.X[rows].T @ pulls, pulls.sum())
        return -RowSystem(self, rows, weights).solve(gradient)

    def few(self, rows):
        """Return whether a system with an equation for each of these rows costs least."""
        return rows.size <= ROWS_PER_COORDINATE * self.X.shape[1] and isinstance(self.K, np.ndarray)

    def quadratic(self, rows, alpha, weights, near, slopes):
        """Return what `NewtonSearch.quadratic` does; with few rows in the coordinates of the hinges and the gradient.

        Only their products in the inverse of the matrix of second derivatives matter, and the system of the rows gives
        these.
        """
        few = rows.size > 0 and self.few(rows)
        exact = few and weights.max() * self.K.diagonal().max() <= MOST_CURVATURE * self.lam
        system = RowSystem(self, rows, weights) if exact else None
        if system is None or system.bend <= 0.0:
            return super().quadratic(rows, alpha, weights, near, slopes)
        signed, k = -self.s[near], near.size
        design = np.append(self.X[near], np.ones((k, 1)), axis=1) * signed[:, None]
        pulls = -self.s[rows] * alpha
        gradient = np.append(self.lam * self.coef + self.X[rows].T @ pulls, pulls.sum()) - slopes @ design
        newton = system.solve(gradient)
        products = np.empty((k + 1, k + 1))
        products[:k, :k] = system.products(near) * signed * signed[:, None]
        products[:k, k] = products[k, :k] = design @ newton
        products[k, k] = gradient @ newton
        sizes = np.sqrt(np.maximum(products.diagonal(), 0.0))
        sizes[sizes == 0.0] = 1.0
        factor, pivots, rank, _ = dpstrf(products / sizes / sizes[:, None], lower=1, tol=np.finfo(float).eps)
        if rank == 0:
            return super().quadratic(rows, alpha, weights, near, slopes)
        Z, top = np.empty((k + 1, rank)), pivots[:rank] - 1
        Z[pivots - 1] = np.tril(factor)[:, :rank]
        Z *= sizes[:, None]

        def change_of(point, multiplier):
            # at the minimiser the point is this sum of the gradient and the hinges; what is not yet, is added
            shares = -np.append(multiplier, 1.0)
            rest = point - shares @ Z
            shares[top] += solve_triangular(factor[:rank, :rank], rest, lower=True, trans="T") / sizes[top]
            return system.solve(shares[k] * gradient + shares[:k] @ design)

        return Z[k], np.ascontiguousarray(Z[:k]), change_of

    def judged(self, alpha):
        """Return the scores of the rows that the optimality conditions look at, and the violation of (9a) by them."""
        return self.K @ (self.s * alpha) / self.lam + self.intercept, 0.0


class RowSystem:
    """The matrix of second derivatives of a `KernelSearch`, inverted by a system with an equation for each row.

    Parameters
    ----------
    search : KernelSearch
        With its K, X and lambda.
    rows, weights : ndarray, shape (m,)
        Rows that have a say, and the second derivatives of their losses.
    """

    def __init__(self, search, rows, weights):
        self.search, self.rows, self.roots = search, rows, np.sqrt(weights)
        self.used = search.X[rows]
        self.factor = row_factor(search.K, rows, self.roots, search.lam)
        self.first = self.used.T @ weights
        self.border = self.without_constant(self.first)
        # what is left of the curvature in the constant
        self.bend = float(weights.sum() - self.first @ self.border)

    def without_constant(self, right):
        """Return the solution in the coefficients alone."""
        seen = self.roots * cho_solve(self.factor, self.roots * (self.used @ right), check_finite=False)
        return (right - self.used.T @ seen / self.search.lam) / self.search.lam

    def solve(self, right):
        """Return the solution in the coefficients and the constant, which stays where it is without a curvature."""
        plain = self.without_constant(right[:-1])
        constant = float(right[-1] - self.first @ plain) / self.bend if self.bend > 0.0 else 0.0
        return np.append(plain - constant * self.border, constant)

    def products(self, near):
        """Return the products of the designs of the rows `near` in the inverse, without their signs."""
        K, lam = self.search.K, self.search.lam
        seen = self.roots[:, None] * K[np.ix_(self.rows, near)]
        seen = solve_triangular(self.factor[0], seen, lower=True, overwrite_b=True, check_finite=False)
        own = 1.0 - self.search.X[near] @ self.border
        return (K[np.ix_(near, near)] - seen.T @ seen / lam) / lam + np.outer(own, own) / self.bend


def row_factor(K, rows, roots, lam):
    """Return the factor of the Newton system with an equation for each of some rows, I + R K R / lam.

    R is the diagonal matrix of the `roots` of the weights of these rows.
    """
    roots, inner = roots.astype(K.dtype), K[rows][:, rows]
    inner *= roots
    inner *= (roots / lam)[:, None]
    inner[np.diag_indices_from(inner)] += 1.0
    return cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)


def coordinates(K):
    """Return Z, shape (m, rank), with K = Z Z'."""
    factor, pivots, rank, _ = dpstrf(K, lower=1, tol=np.finfo(float).eps * float(np.max(K.diagonal(), initial=0.0)))
    Z = np.empty((K.shape[0], rank))
    Z[pivots - 1] = np.tril(factor)[:, :rank]
    return Z


def smooth_minimiser(K, y, loss, lam, coef, intercept, elbow, most):
    """Return (coef, b, the `RowsAt`, steps) near the minimiser with elbows of this half-width in place of the kinks.

    At most `most` steps, Newton's in the space of the functions K coef: each costs O(m^3 / 3) for the m rows that have
    a say there, and needs no coordinates of the others. K may be in single precision, where a step takes half as long:
    its rounding is far below the width of an elbow.
    """
    s, losses = signs(y), TruncatedRows(loss.floor(y), elbow)
    f, b = K @ coef, intercept
    at = losses.at(-s * (f + b))
    for step in range(most):
        rows, roots = at.rows, np.sqrt(losses.weights(at))
        if rows.size == 0:
            return coef, b, at, step
        try:
            factor = row_factor(K, rows, roots, lam)
        except LinAlgError:
            # K is not positive semi-definite: left to what takes only the part that is
            return coef, b, at, step
        right = np.stack([s[rows] * (at.alpha / roots - roots * at.exponent), roots], axis=1)
        plain, border = cho_solve(factor, right.astype(K.dtype), check_finite=False).T.astype(np.float64)
        new_b = float(roots @ plain) / float(roots @ border)
        new = np.zeros(y.size)
        new[rows] = roots * (plain - new_b * border) / lam
        change, rise = new - coef, K @ new.astype(K.dtype) - f
        move = -s * (rise + new_b - b)
        linear, square = lam * float(f @ change), lam * float(rise @ change)
        steep = linear + float(at.alpha @ move[rows])
        if not steep < 0.0:
            return coef, b, at, step

        def slope_at(length, linear=linear, square=square, start=-s * (f + b), move=move):
            there = losses.at(start + length * move)
            return linear + length * square + float(there.alpha @ move[there.rows])

        length = flat_point(slope_at, steep, 1.0)
        coef, f, b = coef + length * change, f + length * rise, b + length * (new_b - b)
        at = losses.at(-s * (f + b))
        if length == 1.0 and -steep <= SMOOTH_ENOUGH * losses.gap(at)[0]:
            return coef, b, at, step + 1
    return coef, b, at, most


def spread(y):
    """Return which rows begin: at most `FIRST_ROWS` of each class, evenly spread."""
    first = np.zeros(y.size, dtype=bool)
    for label in (0, 1):
        mine = np.flatnonzero(y == label)
        first[mine[np.linspace(0, mine.size - 1, min(mine.size, FIRST_ROWS)).astype(np.int64)]] = True
    return first


def dual_value(alpha, f, y, loss):
    """Return the dual criterion, a lower bound on the criterion where the sum of s_i alpha_i is 0."""
    floor = np.maximum(loss.floor(y), FAR_BELOW)
    above = alpha > expit(floor)
    entropies = np.where(above, entr(alpha) + entr(1.0 - alpha), np.logaddexp(0.0, floor) - alpha * floor)
    return float(np.sum(entropies) - 0.5 * np.sum(alpha * signs(y) * f))


def solve_sparse_logistic_dual(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    p_min: float = 0.0,
    p_max: float = 1.0,
    lam: float = 1.0,
    kernel: Literal["linear", "rbf", "poly", "precomputed"] | Callable[..., Any] | Kernel = "linear",
    start: NDArray[np.float64] | None = None,
    tol: float = 1e-9,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    callback: Callable[..., Any] | None = None,
) -> SparseLogisticResult:
    r"""Return sparse logistic regression with a kernel, by Newton's method on the rows that have a say.

    With signs s and the floors f_i of `TruncatedLikelihood` it minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (f(x_i) + b), f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2

    over :math:`f = \frac{1}{\lambda} \sum_i \alpha_i s_i K(\cdot, x_i)` and b, through the dual: with
    :math:`G_{ij} = s_i s_j K_{ij} / \lambda` minimise

    .. math:: \tfrac12 \alpha' G \alpha + \sum_{I_\ell} \bigl[\alpha_i \log \alpha_i
              + (1 - \alpha_i) \log(1 - \alpha_i)\bigr] + \sum_{I_h} \alpha_i f_i, \qquad s'\alpha = 0,

    with alpha = 0 on I_0, :math:`0 \le \alpha_i \le 1 / (1 + e^{-f_i})` on I_h and
    :math:`1 / (1 + e^{-f_i}) \le \alpha_i < 1` on I_l. Rows of I_0 may be left out: the problem of some working rows is
    solved by the steps of `solve_sparse_logistic_primal`, in coordinates in which f is linear, and while others are
    past their kinks, :math:`-s_i (f(x_i) + b) > f_i`, these take the places of working rows in I_0. (The paper's rows
    enter and leave one at a time, which leads to the same solution in many more steps.) Rows that are right beyond the
    interval never cost anything: this is fast where few rows have a say.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p), or (n, n) for a precomputed kernel
        Training rows.
    y : array, shape (n,)
        Labels 0 and 1, both present.
    p_min, p_max : float
        The interval of probabilities of class 1 that matters, 0 <= p_min < p_max <= 1.
    lam : float
        lambda, above 0.
    kernel : {'linear', 'rbf', 'poly', 'precomputed'}, callable or Kernel
        See `make_kernel`, which gives a `Kernel` with other parameters.
    start : ndarray, shape (n,), optional
        Multipliers alpha to begin with, for example those for another lambda or interval.
    tol : float
        Largest violation of the optimality conditions.
    max_iter : int
        Most Newton steps.
    cache_size : float
        Room for kernel rows in MB.
    callback : callable, optional
        ``callback(n_iter, violation, n_active)`` is called after each step on working rows: the largest violation by
        them, and how many of them have a say.

    Returns
    -------
    SparseLogisticResult
        `coef` is w of shape (p,) for a linear kernel, otherwise s_i alpha_i / lambda. `objective` is the dual
        criterion each time that the problem of the working rows is solved: it never falls, is a lower bound on the
        criterion, and equal to it at the optimum; ``history["active"]`` counts the rows of I_h and I_l. The certificate
        is the largest violation of (12), (13) and (17).

    See Also
    --------
    nproc.solvers.solve_sparse_logistic_primal : Newton's method for linear models.

    Notes
    -----
    With (p_min, p_max) = (0, 1) all rows are in I_l, and this is kernel logistic regression by Newton's method.

    The solution (f, b) is unique: some alpha_i is above 0 in each class, and its margin is known from alpha. alpha
    itself is not unique where rows of I_h depend on each other.

    The first steps see smooth elbows in place of the kinks, and tell which rows have a say. The callback does not hear
    of them. This needs an interval with both ends inside (0, 1), no `start`, and a whole kernel matrix that is small
    enough: 2000 rows, or fewer with less room. They are taken in single precision unless lambda is small. Without them
    it begins with 250 rows of each class, with those of a class without a kink, or with those of the start.

    With m working rows a step costs O(m^3 / 3) and f(x_i) of all rows, O(n m), is needed before rows enter. A linear
    kernel with fewer than half as many columns as rows is solved in the space of the columns: O(n p^2) a step.

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
    loss = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    kernel, n = make_kernel(kernel), X.shape[0]
    linear, centre = kernel.name == "linear", np.zeros(X.shape[1])
    if linear and not sparse.issparse(X):
        # the constant is free, so that columns may be centred: fewer digits are lost
        centre = X.mean(axis=0)
        X = X - centre
    rows, s, floor = KernelRows(kernel, X, cache_size=cache_size), signs(y), loss.floor(y)
    alpha = np.zeros(n) if start is None else np.array(start, dtype=np.float64)
    intercept = float(logit(np.clip(np.mean(y), p_min, p_max)))
    few_columns = linear and 2 * X.shape[1] < n
    chosen = (alpha > 0.0) | np.isneginf(floor) | few_columns
    history: dict[str, list[Any]] = {"objective": [], "active": []}
    n_iter, whole, known_elbow = 0, None, KNOWN_ELBOW
    if not chosen.any() and n <= rows.most_in_square:
        few, every = np.flatnonzero(spread(y)), np.arange(n)
        whole, coef = rows.square(every), np.zeros(n)
        rough = whole.astype(np.float32) if whole.trace() <= SINGLE_TRACE * lam else whole
        for some, elbow in zip((few, every, every), SMOOTH_ELBOWS, strict=True):
            part = rough if some is every else rough[np.ix_(some, some)]
            most = min(MOST_SMOOTH_STEPS, max_iter - n_iter - 1)
            coef[some], intercept, at, steps = smooth_minimiser(
                part, y[some], loss, lam, coef[some], intercept, elbow, most
            )
            n_iter += steps
        chosen = -s * (whole @ coef + intercept) > floor - NEAR_KINK
        alpha[at.rows], known_elbow = at.alpha, SMOOTH_ELBOWS[-1]
    for label in (0, 1):
        if not (chosen & (y == label)).any():
            chosen |= spread(y) & (y == label)

    def told(*_):
        nonlocal n_iter
        n_iter += 1
        if callback is not None:
            violation, _, sets, _ = search.verdict()
            callback(n_iter, violation, int(np.count_nonzero(sets)))

    while True:
        idx, sets = np.flatnonzero(chosen), np.full(n, FLAT, dtype=np.int8)
        if few_columns:
            Z, K = X, aslinearoperator(X) @ aslinearoperator(X).T
        else:
            K = rows.square(idx).copy() if whole is None else whole[np.ix_(idx, idx)]
            Z = coordinates(K)
        # an overflow is reported in words
        with np.errstate(over="ignore", invalid="ignore"):
            coef = Z.T @ (s * alpha)[idx] / lam
            search = KernelSearch(K, Z, y[idx], loss, lam, ELBOW, coef, intercept)
            if alpha.any():
                search.centre_elbows(np.minimum(alpha[idx], search.rows.slope), 2.0 * known_elbow)
            inner, alpha[idx], sets[idx], decision = descend(search, tol=tol, max_iter=max_iter - n_iter, told=told)
        intercept = search.intercept
        if idx.size < n:
            pulls = s * alpha
            decision = (rows.product(pulls) if whole is None else whole @ pulls) / lam + intercept
        found = kkt_violation(alpha, decision, y, sets, loss)
        history["objective"].append(dual_value(alpha, decision - intercept, y, loss))
        history["active"].append(int(np.count_nonzero(sets)))
        past = np.where(chosen, -np.inf, -s * decision - floor)
        entering = np.flatnonzero(past > 0.0)
        if found <= tol or inner > tol or entering.size == 0 or n_iter >= max_iter:
            break
        chosen, known_elbow = sets != FLAT, KNOWN_ELBOW
        chosen[entering[np.argsort(-past[entering])[: max(2 * FIRST_ROWS, idx.size)]]] = True
    coef = s * alpha / lam
    if linear:
        coef = np.asarray(X.T @ coef, dtype=np.float64)
        intercept -= float(centre @ coef)
    return result_of((found, alpha, sets, decision), coef, intercept, history, n_iter=n_iter, tol=tol)
