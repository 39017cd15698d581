"""Sparse logistic regression in its coefficients: linear models, by Newton's method.

References
----------
Criterion (6), section 3.1 and appendix A of [herault2008]_; elbows after [chapelle2007]_.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh, qr
from scipy.special import logit

from nproc.checks import Matrix
from nproc.losses import TruncatedLikelihood
from nproc.solvers.sparse_logistic.criterion import SparseLogisticResult, result_of
from nproc.solvers.sparse_logistic.kink_steps import KinkSteps, most_hinges
from nproc.solvers.sparse_logistic.newton import NewtonSearch

# Whether a logistic criterion without a penalty has a minimiser: directions along which it falls for ever.
#
# A truncated loss is flat beyond its kink, so that the criterion stops to fall along a direction in which no margin
# falls once the margins that grow are beyond their kinks. Only rows without a kink (class 1 where p_max = 1, class 0
# where p_min = 0) can make it fall for ever: the criterion has no minimiser if and only if along some direction no
# margin falls and one of theirs grows. With 0 < p_min and p_max < 1 there always is a minimiser, if not always a single
# one.


# rows with a steeper slope where the search stopped are taken to have margins that stay bounded
STEEP = 0.01
# margins and eigenvalues this small beside the largest are 0
NEARLY_ZERO = 1e-9
RANK = 1e-11
# a direction counts if the mean of the margins grows by this much, with columns of unit mean square
LEAST_GROWTH = 1e-6


def why_no_minimiser(data, s, margins, alpha, endless):
    """Return in words how the criterion falls for ever, as far as the point where a search stopped tells; else "".

    Parameters
    ----------
    data : CentredRows
        The rows.
    s : ndarray, shape (n,)
        +1 for class 1 and -1 for class 0.
    margins, alpha : ndarray, shape (n,)
        z, and minus the slope of the loss, where the search stopped.
    endless : ndarray of bool, shape (n,)
        The rows whose loss has no kink.
    """
    if endless.any() and float(margins.min()) > NEARLY_ZERO * float(margins.max()):
        return "a linear rule separates the classes"
    loose = alpha <= STEEP
    if not (endless & loose).any():
        return ""
    basis = _directions_that_keep(data, np.flatnonzero(~loose))
    if basis.shape[1] == 0:
        return ""
    rows = np.flatnonzero(loose)
    growth = np.column_stack([s[rows] * data.times(v)[rows] for v in basis.T])
    # imported here: scipy.optimize is slow to import and rarely needed
    from scipy.optimize import linprog

    target = growth[endless[rows]].mean(axis=0)
    constraints = np.unique(-growth, axis=0)
    found = linprog(-target, A_ub=constraints, b_ub=np.zeros(constraints.shape[0]), bounds=(-1.0, 1.0), method="highs")
    if found.x is not None and float(target @ found.x) > LEAST_GROWTH:
        return "a linear rule separates the classes, except for ties"
    return ""


def _directions_that_keep(data, rows):
    # a basis of the (coefficients, intercept) that change no margin of `rows`, for columns of unit mean square
    n = data.X.shape[0]
    _, square = data.sums(np.arange(n), np.ones(n), np.ones(n))
    scale = np.sqrt(square.diagonal() / n)
    scale = 1.0 / np.where(scale > 0.0, scale, 1.0)
    _, gram = data.sums(rows, np.ones(rows.size), np.ones(rows.size))
    values, vectors = eigh(gram * scale[:, None] * scale, check_finite=False)
    return scale[:, None] * vectors[:, values <= RANK * max(float(values[-1]), 1.0)]


# half-width of the first elbows, on the scale of the scores; it changes the path, not the solution
ELBOW = 0.25
# elbows become narrower by this factor at most when Newton's method has nearly reached the bottom for the present ones,
# but not narrower than the least width: rounding of a margin, divided by the width, is error in a multiplier
SHARPEN = 0.2
LEAST_SHARPEN = 0.02
NARROWEST = 1e-7
# nearly: a step promises less than this multiple of what the elbows still cost, or rounding
LOOSE = 50.0
ROUNDING = 1e-14
# a length below which steps that know of the kinks have not coped with them; how many they may take, and how often
# they may try
LEAST_STEP = 0.3
MOST_KINK_STEPS = 20
MOST_FAILURES = 4
# the certificate is looked at when a smooth step promised less than this share of the objective, or when a step that
# knows of the kinks moved scores by less than that: they converge quadratically
CLOSE_PROMISE = 1e-10
CLOSE_MOVE = 1e-4
# columns this many times further from 0 than they are wide are centred
FAR = 1e3
# without a penalty, a row without a kink whose alpha is below this may be on its way to infinity
FADING = 1e-6


def descend(search, *, tol, max_iter, told, endless=False):
    """Take steps to the minimiser; return the verdict of `NewtonSearch` on where they end.

    Parameters
    ----------
    search : NewtonSearch
        Changed in place.
    tol : float
        The largest violation of the optimality conditions with which it ends.
    max_iter : int
        Most steps.
    told : callable
        Hears after each step of its number, the objective, the rows with a say, its length, the width of the elbows.
    endless : bool
        Whether to end where all rows are on their right sides.
    """
    kinks, failures = None, 0
    for iteration in range(1, max_iter + 1):
        step, promise = search.step() if kinks is None else kinks.step()
        objective = search.objective()
        told(iteration, objective, search.at.rows.size, step, search.rows.width)
        rest, farthest, bent = search.rows.gap(search.at)
        if kinks is not None:
            close, known = kinks.moved <= CLOSE_MOVE, kinks.multiplier
        else:
            close, known = promise <= CLOSE_PROMISE * objective and farthest <= tol, None
        # the search would go on for ever
        parted = endless and float(search.exponents.max()) < 0.0
        verdict = search.verdict(known) if close or parted or iteration == max_iter else None
        if parted or (close and verdict[0] <= tol):
            break
        if kinks is not None:
            if step < LEAST_STEP or kinks.n_steps >= MOST_KINK_STEPS:
                search.centre_elbows(kinks.multiplier, SHARPEN * kinks.first_width)
                kinks, failures = None, failures + 1
        elif step == 1.0 and promise <= max(LOOSE * rest, ROUNDING * objective):
            most = 2 * most_hinges(*search.X.shape)
            if 0 < bent <= most and failures < MOST_FAILURES:
                kinks = KinkSteps(search)
            else:
                share = min(SHARPEN, max(LEAST_SHARPEN, 0.5 * most / max(bent, 1)))
                width = max(share * search.rows.width, min(NARROWEST, search.rows.width))
                search.centre_elbows(search.rows.multipliers(search.at), width)
    return verdict


def solve_sparse_logistic_primal(
    X: Matrix,
    y: NDArray[np.float64],
    *,
    p_min: float = 0.0,
    p_max: float = 1.0,
    lam: float = 1.0,
    start: Any = None,
    tol: float = 1e-9,
    max_iter: int = 300,
    callback: Callable[..., Any] | None = None,
) -> SparseLogisticResult:
    r"""Return the linear model that minimises the truncated likelihood with a penalty.

    With s = +1 for class 1 and -1 for class 0 it minimises

    .. math:: \sum_i \log\bigl(1 + e^{\max(-s_i (w^\top x_i + b), f_i)}\bigr) + \frac{\lambda}{2} \|w\|^2, \qquad
              f_i = -\log\frac{p_{\max}}{1 - p_{\max}} \text{ or } \log\frac{p_{\min}}{1 - p_{\min}}

    for class 1 or 0, a sum over rows and not a mean. With (0, 1) this is logistic regression, scikit-learn's with
    C = 1 / lam.

    Newton's steps at first see smooth elbows in the places of the kinks; only rows that are not cut off enter the
    equations, and the step is bounded so that no row that was cut off crosses the middle of the interval (appendix A).
    Once few rows are on elbows, the steps take the smooth parts as a quadratic and keep the hinges, so that the kinks
    themselves are met; where that does not help, the elbows, centred by multipliers of their rows, become narrower.

    Parameters
    ----------
    X : ndarray or CSR matrix, float64, shape (n, p)
        Rows, already checked.
    y : ndarray, shape (n,)
        0 or 1.
    p_min, p_max : float
        The interval of probabilities of class 1 that matters, 0 <= p_min < p_max <= 1.
    lam : float
        lambda, at least 0: the penalty of the squared coefficients. The intercept has none.
    start : tuple of (ndarray of shape (p,), float), optional
        Coefficients and intercept to start from; None: zeros, and the logit of the share of class 1 (or the end of the
        interval nearest to it).
    tol : float
        The largest certificate of a converged run.
    max_iter : int
        Most Newton steps.
    callback : callable, optional
        Called after each step with its number and the objective.

    Returns
    -------
    result : SparseLogisticResult
        Its certificate is the largest violation of the optimality conditions (9a), (12), (13) and (17), see
        `nproc.solvers.sparse_logistic.criterion.kkt_violation`. ``history``: objective, support (rows in the
        equations), step (its length) and width (of the elbows), one entry a step.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or values of X are so large that sums of their squares overflow.

    See Also
    --------
    nproc.solvers.solve_sparse_logistic_dual : The same for kernels.

    Notes
    -----
    With lam > 0 the minimiser exists and is unique. With lam = 0 it exists unless some direction
    parts the classes (but perhaps for ties) and moves rows that have no kink, as with p_max = 1 or p_min = 0: then
    `converged` is False and `reason` begins with "no minimiser". If both p_min > 0 and p_max < 1 it always exists, but
    need not be unique: on separated classes all rows may be cut off, and the point returned is the one that
    the search came to first.

    Intervals narrower than about 1e-6 are beyond double precision: the kinks of both classes then cannot be told
    apart to `tol`.

    A step costs the margins of all rows, O(n p), and O(m p^2 + p^3) for the m rows that have a say. The matrix of
    p x p numbers is dense even where X is sparse.

    With a penalty the coefficients are a weighted sum of the rows. A dense X with more columns than rows is therefore
    rotated once: with :math:`X^\top = Q R`, Q of orthonormal columns, the problem has the n columns of
    :math:`R^\top`, the same scores and the same penalty, and the coefficients are Q times those found.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + y[:, None]
    >>> whole = solve_sparse_logistic_primal(X, y)
    >>> part = solve_sparse_logistic_primal(X, y, p_min=0.4, p_max=0.6)
    >>> whole.converged, part.converged, whole.support.size, part.support.size < 360
    (True, True, 400, True)
    """
    loss = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    if lam > 0.0 and X.shape[1] > X.shape[0] and not sparse.issparse(X):
        basis, triangle = qr(X.T, mode="economic", check_finite=False)
        given = None if start is None else (basis.T @ start[0], start[1])
        settings: dict[str, Any] = {"lam": lam, "start": given, "tol": tol, "max_iter": max_iter, "callback": callback}
        found = solve_sparse_logistic_primal(triangle.T.copy(), y, p_min=p_min, p_max=p_max, **settings)
        return replace(found, coef=basis @ found.coef)
    if lies_far_from_zero(X):
        # the constant is free, so that columns may be moved: here the products of coefficients would have no digits
        centre = X.mean(axis=0)
        given = None if start is None else (start[0], float(start[1] + centre @ start[0]))
        settings = {"lam": lam, "start": given, "tol": tol, "max_iter": max_iter, "callback": callback}
        found = solve_sparse_logistic_primal(X - centre, y, p_min=p_min, p_max=p_max, **settings)
        return replace(found, intercept=found.intercept - float(centre @ found.coef))
    if start is None:
        start = (np.zeros(X.shape[1]), float(logit(np.clip(np.mean(y), loss.p_min, loss.p_max))))
    history: dict[str, list[Any]] = {name: [] for name in ("objective", "support", "step", "width")}

    def told(iteration, objective, *others):
        for name, value in zip(history, (objective, *others), strict=True):
            history[name].append(value)
        if callback is not None:
            callback(iteration, objective)

    # an overflow is reported in words
    with np.errstate(over="ignore", invalid="ignore"):
        search = NewtonSearch(X, y, loss, lam, ELBOW, np.array(start[0], dtype=np.float64), float(start[1]))
        endless = np.isneginf(loss.floor(y)) if lam == 0.0 else np.zeros(y.shape, dtype=bool)
        verdict = descend(search, tol=tol, max_iter=max_iter, told=told, endless=bool(endless.any()))
    violation, alpha, _, decision = verdict
    why = ""
    if endless.any() and (violation > tol or float(alpha[endless].min()) < FADING):
        kind = why_no_minimiser(search.data, search.s, search.s * decision, alpha, endless)
        if kind:
            why = f"no minimiser: {kind}, and without a penalty the criterion falls for ever. Use lam above 0."
    n_iter = len(history["objective"])
    return result_of(verdict, search.coef, search.intercept, history, n_iter=n_iter, tol=tol, why=why)


def lies_far_from_zero(X):
    """Return whether a column of dense rows varies by so little beside its mean that digits are lost."""
    if sparse.issparse(X):
        return False
    low, high = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore"):
        spread = high - low
    return bool(np.any((spread > 0.0) & (np.maximum(np.abs(low), np.abs(high)) > FAR * spread)))
