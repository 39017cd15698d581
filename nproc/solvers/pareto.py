"""The linear classifier with the least type II error bound at a level of the type I error, from class moments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats

from nproc.checks import Matrix
from nproc.errors import InvalidInputError
from nproc.solvers.result import SolverResult

# The error of a class whose mean lies so many standard deviations from a cut: normal, or at most for any distribution.
#
# A margin of u standard deviations on the right side gives the normal error Phi(-u), or at most 1 / (1 + u^2) (the
# one-sided inequality of Chebyshev; 1 for u below 0).


def bound_quantile(alpha, bound):
    """Return the class 0 standard deviations from mean to cut that make the type I error (at most) `alpha`."""
    return float(stats.norm.isf(alpha)) if bound == "gaussian" else float(np.sqrt((1.0 - alpha) / alpha))


def error_bound(margin, bound):
    """Return the error of a class whose mean lies `margin` standard deviations on the right side of the cut."""
    return float(stats.norm.sf(margin)) if bound == "gaussian" else 1.0 / (1.0 + max(margin, 0.0) ** 2)


def error_trade(c, margin, s1, bound):
    """Return minus the derivative of the type II error in the type I error as the cut moves.

    The margins are c of class 0, in its standard deviations, and `margin` of class 1, in its own, which are `s1` of
    those of class 0.
    """
    if bound == "gaussian":
        return float(np.exp(min(0.5 * (c * c - margin * margin), 700.0)) / s1)
    return margin / (1.0 + margin**2) ** 2 / (c / (1.0 + c**2) ** 2) / s1


# an exact zero among the projections is moved by this share of the others, which settles the hard case
LEAST_PROJECTION = np.finfo(float).eps

TOO_LARGE = "X holds numbers whose squares overflow; bring the columns to one scale first."
# a variance that is this share of the mean square or less is rounding
ROUNDING = 1e-24


@dataclass(frozen=True, kw_only=True, repr=False)
class ParetoDirection(SolverResult):
    """A linear rule on the Pareto frontier of two class models.

    Attributes
    ----------
    weight : float
        The weight r of the class 1 covariance in the direction, from -inf to inf; see `solve_pareto_direction`.
    quantile : float
        Class 0 standard deviations between the mean of class 0 and the cut.
    margin : float
        Class 1 standard deviations between the cut and the mean of class 1; negative if that mean is cut off.
    type1, type2 : float
        What the model says the errors are, or are at most; type1 is alpha.
    multiplier : float
        Rate at which type2 falls as alpha grows.
    trivial : bool
        Whether the Chebyshev bound on type2 is 1 whatever the direction.
    least_alpha : float
        Smallest alpha at which `type2` is at most 1/2 (gaussian), or at which the bound says something (chebyshev).
    """

    weight: float
    quantile: float
    margin: float
    type1: float
    type2: float
    multiplier: float
    trivial: bool
    least_alpha: float


def solve_pareto_direction(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    alpha: float,
    bound: Literal["gaussian", "chebyshev"] = "gaussian",
    reg: float = 1e-3,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> ParetoDirection:
    r"""Return the linear rule with the least type II error of two class models at type I error `alpha`.

    With the means and covariances of the classes, a rule :math:`w'x + b > 0` cuts :math:`u_0 = -(b + w'\mu_0) / s_0`
    standard deviations above the mean of class 0 and :math:`u_1 = (b + w'\mu_1) / s_1` below that of class 1,
    :math:`s_k^2 = w'S_k w`. Gaussian classes have the errors :math:`\Phi(-u_0), \Phi(-u_1)`; whatever the
    distributions, the errors are at most :math:`1 / (1 + u^2)` for :math:`u > 0`. Either way the problem is

    .. math:: \max_w\; u_1 = (w'\delta - c\, s_0) / s_1, \qquad \delta = \mu_1 - \mu_0,\quad b = -w'\mu_0 - c\, s_0,

    with :math:`c = \Phi^{-1}(1 - \alpha)` or :math:`c = \sqrt{(1 - \alpha) / \alpha}`. The solutions are
    :math:`w(r) = (S_0 + r S_1)^{-1} \delta`. Along this curve the slope of :math:`u_1` has the sign of
    :math:`s_0(w(r)) - c`, and :math:`s_0(w(r))` falls strictly, so that the optimum is the only root of a monotone
    function, found by Newton steps on :math:`1 / s_0(w(r))`, which is concave:

    - :math:`c > 0` and :math:`\delta' S_0^{-1} \delta \ge c^2`: :math:`r \ge 0`, positive weights, type II error at
      most 1/2 (the case of the paper);
    - :math:`c > 0` otherwise: :math:`r \in (-d_{min}, 0)`, with the least eigenvalue of :math:`S_0 v = d S_1 v`,
      type II error above 1/2; if :math:`\delta` has no part along that eigenvector, one is added (the hard case of
      trust regions);
    - :math:`c = 0`: :math:`w = S_1^{-1} \delta`; and :math:`c < 0` (gaussian, alpha above 1/2): :math:`r < -d_{max}`.

    All are global optima. In the second case the Chebyshev bound on the type II error is 1 in every direction; then
    :math:`w = S_0^{-1} \delta` is returned, the direction that gives a bound below 1 at the smallest alpha.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Rows; already checked.
    y : ndarray, shape (n,)
        0 for the class whose error is bounded, 1 for the other.
    alpha : float
        Bound on the type I error.
    bound : {'gaussian', 'chebyshev'}
        Gaussian classes, or any distribution with these moments.
    reg : float
        Both covariances (divisors n_k - 1) get `reg` times the mean variance over all directions of the data
        (half the sum of both traces, over min(n, p)) on the diagonal.
    tol : float
        Newton's steps end when s_0(w(r)) is c to this relative precision.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    result : ParetoDirection
        ``coef`` has class 0 standard deviation 1, so that the score is in those units. ``certificate`` is the norm
        of :math:`\delta - c S_0 w / s_0 - u_1 S_1 w / s_1`, the first-order condition, relative to its terms.

    Raises
    ------
    InvalidInputError
        If a covariance is singular (reg is 0, or no column varies within a class), or squares of X overflow.

    See Also
    --------
    nproc.solvers.solve_pareto_kernel : The same in the feature space of a kernel.

    Notes
    -----
    Why the optima are global: s_0 lies below its tangents in s_0^2, so that the best w of the first two cases also
    solves a problem with quadratic terms on the sphere s_1 = 1, whose matrix S_0 + r S_1 has no negative eigenvalue at
    the optimum; the last case is the first with the classes exchanged, since each point of the frontier solves both.
    Cost: O(n p^2) for the moments, O(p^3) for each of the (few) Newton steps by Cholesky factors; an eigenvalue problem
    of size p replaces these outside the first case. With p > n the work is done in the span of the rows.

    References
    ----------
    [kim2006]_: Pareto-optimal directions of two Gaussian classes. [huang2006]_: the Chebyshev version. Both in the form
    of [gasso2011]_, section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> result = solve_pareto_direction(rng.normal(size=(1000, 2)) + 3 * y[:, None], y, alpha=0.05)
    >>> result.converged, round(result.type2, 3)
    (True, 0.004)
    """
    n, p = X.shape
    with np.errstate(over="ignore", invalid="ignore"):
        mean_square = np.einsum("ij,ij->", X, X) / n
    if not np.isfinite(mean_square):
        raise InvalidInputError(TOO_LARGE)
    centre = X.mean(axis=0)
    rows, basis = X - centre, None
    if p > n:
        basis, triangle = linalg.qr(rows.T, mode="economic")
        rows = triangle.T
    means, covariances = zip(*(_moments(rows[y == label]) for label in (0, 1)), strict=True)
    variance = 0.5 * sum(np.trace(S) for S in covariances)
    if variance <= ROUNDING * mean_square:
        raise InvalidInputError(
            "no column varies within a class, so that there is no spread to measure distances in. With a kernel take a "
            "larger gamma."
        )
    ridge = reg * variance / min(n, p)
    for S in covariances:
        S.flat[:: S.shape[0] + 1] += ridge
    found = _best_direction(means[0], means[1], covariances[0], covariances[1], alpha, bound, tol, max_iter)
    coef = found.coef if basis is None else basis @ found.coef
    return replace(found, coef=coef, intercept=found.intercept - float(coef @ centre))


def _moments(rows):
    mean = rows.mean(axis=0)
    centred = rows - mean
    return mean, centred.T @ centred / max(rows.shape[0] - 1, 1)


def _best_direction(mean0, mean1, S0, S1, alpha, bound, tol, max_iter):
    """Return the `ParetoDirection` of the moments given."""
    delta, c = mean1 - mean0, bound_quantile(alpha, bound)
    factor0, factor1 = _factor(S0, 0), _factor(S1, 1)
    w0 = linalg.cho_solve(factor0, delta)
    # its root is the largest number of standard deviations u_0 at which u_1 = 0 can be had
    separation = float(np.sqrt(max(delta @ w0, 0.0)))
    regular, trivial = c > 0 and separation >= c, bound == "chebyshev" and separation <= c
    if trivial:
        w, r, trace, reached = w0, 0.0, [(0.0, 0.0)], separation > 0
    elif c == 0:
        w = linalg.cho_solve(factor1, delta)
        r, trace, reached = np.inf, [(np.inf, float(np.sqrt(delta @ w)))], separation > 0
    elif regular:
        w, r, trace, reached = _by_factors(delta, S0, S1, c, tol, max_iter)
    else:
        w, r, trace, reached = _by_eigenvectors(delta, S0, S1, c, tol, max_iter)
    spread = float(np.sqrt(w @ S0 @ w))
    # two equal means can leave no direction; the rule then says class 0 everywhere
    w = w / spread if spread > 0 else w
    s1 = float(np.sqrt(w @ S1 @ w)) if spread > 0 else 1.0
    margin = (float(w @ delta) - c) / s1
    # without a bound to gain, the direction is the best one for a smaller c
    gradient = (float(w @ delta), 0.0) if trivial else (c, margin / s1)
    type2 = [error_bound(u, bound) for _, u in trace]
    return ParetoDirection(
        coef=w,
        intercept=-float(w @ mean0) - c,
        objective=np.array(type2),
        n_iter=len(trace),
        converged=reached,
        certificate=_first_order(delta, S0 @ w, S1 @ w, *gradient),
        reason=_reason(reached, trivial, separation, len(trace)),
        history={
            "objective": np.array(type2),
            "type1": np.full(len(trace), alpha),
            "type2": np.array(type2),
            "weight": np.array([r for r, _ in trace]),
        },
        weight=float(r),
        quantile=c,
        margin=margin,
        type1=float(alpha),
        type2=error_bound(margin, bound),
        multiplier=0.0 if trivial else error_trade(c, margin, s1, bound),
        trivial=bool(trivial),
        least_alpha=error_bound(separation, bound),
    )


def _reason(reached, trivial, separation, n_iter):
    if separation == 0 and not reached:
        return "the classes have the same mean, so that no direction is better than another."
    if trivial:
        return "no direction gives a bound on the type II error below 1."
    return "the first-order condition holds." if reached else f"no root within {n_iter} Newton steps."


def _factor(S, label):
    try:
        factor = linalg.cho_factor(S, lower=True)
    except linalg.LinAlgError:
        factor = None
    if factor is None or np.diag(factor[0]).min() ** 2 <= S.shape[0] * np.finfo(float).eps * np.diag(S).max():
        raise InvalidInputError(
            f"the covariance matrix of class {label} is singular: some combination of the columns does not vary "
            "in it. Use reg above 0 (a ridge), or drop such columns."
        )
    return factor


def _by_factors(delta, S0, S1, c, tol, max_iter):
    """Return w, r, a trace of (r, u_1) and whether the root is reached, for positive weights."""

    def curve(r):
        factor = linalg.cho_factor(S0 + r * S1, lower=True)
        w = linalg.cho_solve(factor, delta)
        S0w, S1w = S0 @ w, S1 @ w
        bend = float(S0w @ linalg.cho_solve(factor, S1w))
        return w, np.sqrt(w @ S0w), np.sqrt(w @ S1w), bend

    return _newton(curve, delta, 0.0, 0.0, 1.0, c, tol, max_iter)


def _by_eigenvectors(delta, S0, S1, c, tol, max_iter):
    """Return the same as `_by_factors` for any c but 0, in the basis where S_1 is I and S_0 diagonal."""
    d, V = linalg.eigh(S0, S1)
    gamma = V.T @ delta
    edge, sign = (0, 1.0) if c > 0 else (d.size - 1, -1.0)
    gaps = np.abs(d - d[edge])
    least = LEAST_PROJECTION * max(np.linalg.norm(gamma), abs(c) * np.sqrt(d[edge]))
    if abs(gamma[edge]) < least:
        gamma[edge] = -least if gamma[edge] < 0 else least

    def curve(e):
        w = gamma / (gaps + e)
        return w, np.sqrt(d @ w**2), np.linalg.norm(w), float((d * w**2) @ (1 / (gaps + e)))

    # here one term of s_0^2 is c^2, so that the start is on the left of the root
    start = float(np.sqrt(d[edge]) * abs(gamma[edge]) / abs(c))
    w, r, trace, reached = _newton(curve, gamma, start, -sign * d[edge], sign, c, tol, max_iter)
    return V @ w, r, trace, reached


def _newton(curve, delta, e, shift, sign, c, tol, max_iter):
    """Solve s_0 = |c| along a curve in e >= 0; the weight is r = sign e + shift.

    1 / s_0 is concave in e and the start is on the left of its root: the steps go up and never pass it.
    """
    trace, size, reached = [], abs(c), False
    for _ in range(max_iter):
        w, s0, s1, bend = curve(e)
        trace.append((sign * e + shift, float((w @ delta - c * s0) / s1)))
        reached = bool(abs(s0 - size) <= tol * size)
        step = (1.0 / size - 1.0 / s0) * s0**3 / bend
        if reached or e + step == e:
            break
        # rounding alone can put the start past the root
        e = e + step if e + step > 0 else 0.5 * e
    return w, trace[-1][0], trace, reached


def _first_order(delta, S0w, S1w, a0, a1):
    residual = np.linalg.norm(delta - a0 * S0w - a1 * S1w)
    scale = np.linalg.norm(delta) + abs(a0) * np.linalg.norm(S0w) + abs(a1) * np.linalg.norm(S1w)
    return float(residual / scale) if scale > 0 else 0.0


# pivots below this share of the largest diagonal entry are left out: far below any useful ridge
RANK_TOL = 1e-10
# what rounding leaves of K - Z Z' for a positive semidefinite K, with room to spare
PSD_TOL = 1e-6


@dataclass(frozen=True, kw_only=True, repr=False)
class ParetoKernel(ParetoDirection):
    """A Pareto-optimal rule sum_i a_i k(x, x_i) + b; ``coef`` holds the a_i of the rows in ``support``.

    Attributes
    ----------
    support : ndarray, shape (r,)
        Rows whose features span those of all rows, r the rank of the kernel matrix.
    """

    support: np.ndarray


def solve_pareto_kernel(
    K: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    alpha: float,
    bound: Literal["gaussian", "chebyshev"] = "gaussian",
    reg: float = 1e-3,
    tol: float = 1e-9,
    max_iter: int = 100,
) -> ParetoKernel:
    r"""Return the rule of `solve_pareto_direction` on the features of a kernel.

    A pivoted Cholesky factor :math:`K = Z Z'` gives each row r coordinates (its row of Z, r the rank of K) in which all
    inner products are those of the features :math:`\phi(x_i)`. The means and covariances of the classes in these
    coordinates are those of the features in their span, where the optimal w lies:

    .. math:: m_k = Z_k' 1 / n_k, \qquad S_k = Z_k'(I - 1 1' / n_k) Z_k / (n_k - 1) + \varepsilon I,

    with the ridge :math:`\varepsilon` = `reg` times the mean variance per direction. Then
    :math:`w = \sum_i a_i \phi(x_i)` over the r pivot rows, :math:`Z_{piv}' a = w`. With a linear kernel this is the
    linear rule, ridge included.

    Parameters
    ----------
    K : ndarray, shape (n, n)
        Kernel matrix, symmetric and positive semidefinite.
    y : ndarray, shape (n,)
        0 for the class whose error is bounded, 1 for the other.
    alpha : float
        Bound on the type I error.
    bound : {'gaussian', 'chebyshev'}
        Model of the classes in the feature space.
    reg : float
        Ridge, above 0 since the covariances are singular in n dimensions.
    tol : float
        As in `solve_pareto_direction`.
    max_iter : int
        As in `solve_pareto_direction`.

    Returns
    -------
    result : ParetoKernel
        ``certificate`` as in `solve_pareto_direction`, in the coordinates Z.

    Raises
    ------
    InvalidInputError
        If K is not positive semidefinite, or a covariance is singular (reg = 0).

    See Also
    --------
    nproc.solvers.solve_pareto_direction : The linear rule and the method.

    Notes
    -----
    Cost: O(n r^2) for the factor and the covariances and O(r^3) for each Newton step, so O(n^3) for a kernel of full
    rank; about five n by n matrices in memory. All r rows enter a score: there is no sparsity.

    References
    ----------
    [kim2006]_: the linear rule and its kernel version. [huang2006]_: the Chebyshev form.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + 3 * y[:, None]
    >>> result = solve_pareto_kernel(X @ X.T, y, alpha=0.05)
    >>> result.support.size
    2
    """
    Z, support = kernel_coordinates(K)
    found = solve_pareto_direction(Z, y, alpha=alpha, bound=bound, reg=reg, tol=tol, max_iter=max_iter)
    coef = linalg.solve_triangular(Z[support], found.coef, lower=True, trans="T")
    return ParetoKernel(**vars(found) | {"coef": coef, "support": support})


def kernel_coordinates(K):
    """Return coordinates Z of the rows, shape (n, r), with K = Z Z', and the r pivot rows; Z of these is triangular."""
    diagonal = np.diag(K)
    largest = float(diagonal.max())
    if largest <= 0:
        raise InvalidInputError("the kernel matrix has no positive diagonal entry; use a kernel that is not zero.")
    factor, pivots, rank, _ = linalg.lapack.dpstrf(K, lower=1, tol=RANK_TOL * largest)
    Z = np.empty((K.shape[0], rank))
    Z[pivots - 1] = np.tril(factor)[:, :rank]
    # in blocks: no further n by n matrix
    blocks = (slice(start, start + 256) for start in range(0, K.shape[0], 256))
    worst = max(float(np.abs(K[block] - Z[block] @ Z.T).max()) for block in blocks)
    if worst > PSD_TOL * largest:
        raise InvalidInputError(
            f"the kernel matrix is not positive semidefinite (a residual of {worst:.2g} is left of its Cholesky "
            "factor); use a kernel that is, such as 'rbf'."
        )
    return Z, pivots[:rank] - 1
