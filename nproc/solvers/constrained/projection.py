"""The projection onto the level set of a smooth convex function, by intersections of half-spaces.

References
----------
Section 3.2 and algorithm (33) of [barlaud2015]_, which is Haugazeau's method with subgradient projections as in
[bauschke2001]_.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from nproc.checks import check_count, check_number, is_number
from nproc.errors import InvalidInputError
from nproc.tables import ShortRepr

# two unit vectors this close are parallel to rounding
PARALLEL = 1e-14
# the directions of p_0 - p_k and of the gradient at the projection differ by no more than this, or than `tol`
ALIGNED = 1e-9
# a level set without a point this many times as far away as the start is from 0 (and at least 1) counts as empty
FAR_FROM_START = 1e9
LARGEST = 1e140


@dataclass(frozen=True, kw_only=True, repr=False)
class LevelSetProjection(ShortRepr):
    """The projection of a point onto a level set, as far as the iterations went.

    Attributes
    ----------
    point : ndarray, shape (p,)
        The last iterate. The iterates come from outside, so that it may exceed the level by `gap`.
    value : float
        The function there.
    gap : float
        ``value - level``; at most 0, and the point is the projection, where the iterations ended by themselves.
    distance : float
        Distance from the start to `point`: a lower bound of the distance to the level set.
    n_iter : int
        Iterations, one value and one gradient each.
    converged : bool
        Whether the stopping rule was met: a gap of at most 0, or one of at most `tol` at a point from which p_0 lies in
        the direction of the gradient.
    infeasible : bool
        Whether the half-spaces have proved that the level set is empty (or farther than anything that counts).
    reason : str
        In words, why the iterations stopped.
    history : dict of str to ndarray
        ``gap`` at p_0, p_1, and so on.
    """

    point: np.ndarray
    value: float
    gap: float
    distance: float
    n_iter: int
    converged: bool
    infeasible: bool
    reason: str
    history: dict


def half_space_step(mu, nu, chi, rho):
    r"""Return (b, c) with :math:`p_{k+1} = p_k + b (p_0 - p_k) + c (p_{k+1/2} - p_k)`, or None.

    It is the projection of p_0 onto the half-spaces :math:`H(p_0, p_k)` and :math:`H(p_k, p_{k+1/2})`, the three cases
    of algorithm (33). None is the fourth: rho = 0 and chi < 0, where the half-spaces face away from each other.

    Parameters
    ----------
    mu, nu : float
        ||p_0 - p_k||^2 and ||p_k - p_{k+1/2}||^2.
    chi : float
        <p_0 - p_k, p_k - p_{k+1/2}>.
    rho : float
        mu nu - chi^2, 0 where the two vectors are parallel.

    Returns
    -------
    coefficients : tuple of two floats, or None
    """
    if rho <= 0:
        return (0.0, 1.0) if chi >= 0 else None
    if chi * nu >= rho:
        return 1.0, 1.0 + chi / nu
    return nu / rho * chi, nu / rho * mu


def half_space_products(back, half):
    """Return (mu, nu, chi, rho) of p_0 - p_k and p_{k+1/2} - p_k, rho without the cancellation of mu nu - chi^2."""
    mu, nu, chi = float(back @ back), float(half @ half), -float(back @ half)
    if mu == 0 or nu == 0:
        return mu, nu, chi, 0.0
    # what is left of p_0 - p_k beside the other vector: its length has a relative error of 1e-16, not 1e-8
    beside = back + (chi / nu) * half
    square = float(beside @ beside)
    return mu, nu, chi, nu * square if square > PARALLEL**2 * mu else 0.0


def project_level_set(
    p0: ArrayLike, function: Callable[..., Any], level: float, *, tol: float = 1e-12, max_iter: int = 1000
) -> LevelSetProjection:
    r"""Return the projection of a point onto :math:`\{p : f(p) \le \eta\}` for a smooth convex function f.

    Algorithm (33): the tangent at p_k puts the level set into a half-space, and so does the projection so far; the
    next iterate is the projection of p_0 onto the intersection of the two, in closed form. The distance to p_0 grows
    to that of the level set, of which it is a lower bound throughout.

    Parameters
    ----------
    p0 : array-like, shape (p,)
        The point.
    function : callable
        ``function(p) -> (value, gradient)``, a number and an array shaped like p; convex and differentiable.
    level : float
        eta.
    tol : float
        Largest gap f(p) - eta with which the iterations may end, at least 0. A level set that is empty by less than
        this may count as met.
    max_iter : int
        Most iterations. Fewer than 10 are usual for mean losses of rows of unit norm; a level set much longer than wide
        needs hundreds (an ellipse with axes of 10 to 1: 142), and so may standardised columns.

    Returns
    -------
    LevelSetProjection
        Its ``gap`` is 0, or below, at the solution. A level set that is empty by more than `tol` is reported as
        ``infeasible``.

    Raises
    ------
    InvalidInputError
        If an argument is not valid, or the function gives a value or gradient that is not finite.

    See Also
    --------
    nproc.solvers.solve_constrained_np : Takes such a projection at each of its steps.

    Notes
    -----
    A gap of 1e-16 may leave an error of 1e-8 in the point, as the distance to p_0 is flat there. So a gap between 0 and
    `tol` ends the iterations only where p_0 - p_k is parallel to the gradient to 1e-9, or to `tol` if that is larger.

    The least value of f is not known, so that a point with a gap between 0 and `tol` may be one near which the level is
    not reached: exp(p) <= 0 counts as met at p = -28. Otherwise an empty set shows in one of four ways: the gradient
    vanishes above the level, the half-spaces face away from each other, the value is above the level by more than the
    gradient could make up within any distance that counts, or the distance to p_0 exceeds 1e9 (1 + ||p_0||). The last
    two speak of that ball only.

    References
    ----------
    Algorithm (33) and equations (34) to (36) of [barlaud2015]_.

    Examples
    --------
    >>> found = project_level_set([3.0, 4.0], lambda p: (p @ p, 2 * p), 1.0)
    >>> found.point.round(12)
    array([0.6, 0.8])
    >>> found.converged
    True
    """
    start = _start(p0)
    if not callable(function):
        raise InvalidInputError(
            "function must be a function of a point that returns (value, gradient), such as lambda p: (p @ p, 2 * p), "
            f"got {function!r}."
        )
    if not is_number(level) or not np.isfinite(level):
        raise InvalidInputError(f"level must be a finite number, got {level!r}.")
    level = float(level)
    tol, max_iter = check_number(tol, "tol", zero=True), check_count(max_iter, "max_iter")
    far, aligned = FAR_FROM_START * (1.0 + float(np.linalg.norm(start))), max(ALIGNED, tol)
    point, gaps, converged, infeasible = start, [], False, False
    reason = f"{max_iter} iterations were not enough"
    for k in range(max_iter + 1):
        value, gradient = _evaluated(function, point)
        gaps.append(value - level)
        slope = float(np.linalg.norm(gradient))
        if gaps[-1] <= tol and (gaps[-1] <= 0 or _angle(start - point, gradient, slope) <= aligned):
            converged, reason = True, "the gap is at most tol"
            break
        if gaps[-1] >= far * slope:
            infeasible = True
            reason = f"infeasible: the function is {value:.6g} where its gradient vanishes, above the level {level:.6g}"
            break
        if k == max_iter:
            break
        half = (-gaps[-1] / slope) * (gradient / slope)
        back = start - point
        step = half_space_step(*half_space_products(back, half))
        if step is None:
            infeasible, reason = True, "infeasible: two half-spaces that hold the level set do not meet"
            break
        point = point + step[0] * back + step[1] * half
        if not np.linalg.norm(point - start) <= far:
            infeasible = True
            reason = f"infeasible: the level set, if there is one, is more than {far:.3g} away"
            break
    return LevelSetProjection(
        point=point,
        value=float(value),
        gap=gaps[-1],
        distance=float(np.linalg.norm(point - start)),
        n_iter=len(gaps) - 1,
        converged=converged,
        infeasible=infeasible,
        reason=reason,
        history={"gap": np.array(gaps)},
    )


def _angle(back, gradient, slope):
    """Return how far the directions of p_0 - p_k and of the gradient, the same at the projection, are apart."""
    length = float(np.linalg.norm(back))
    if slope == 0 or length == 0:
        return 0.0
    return float(np.linalg.norm(back / length - gradient / slope))


def _start(p0):
    try:
        start = np.array(p0, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"p0 must be a one-dimensional array of finite numbers, got {p0!r}.") from error
    if start.ndim != 1:
        raise InvalidInputError(f"p0 must be a one-dimensional array of finite numbers, got shape {start.shape}.")
    # beyond that, squared distances overflow; NaN is not below it either
    bad = start[~(np.abs(start) < LARGEST)]
    if bad.size:
        raise InvalidInputError(f"p0 must hold finite numbers below {LARGEST:g} in size, got {bad[0]:g}.")
    return start


def _evaluated(function, point):
    returned = function(point)
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise InvalidInputError(f"function must return a pair (value, gradient), got {type(returned).__name__}.")
    try:
        value, gradient = float(returned[0]), np.asarray(returned[1], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("function must return a number and an array of numbers (value, gradient).") from error
    if gradient.shape != point.shape:
        raise InvalidInputError(f"function must return a gradient of shape {point.shape}, got {gradient.shape}.")
    if not (np.isfinite(value) and np.isfinite(gradient).all()):
        raise InvalidInputError("function must return a finite value and gradient, got NaN or infinite values.")
    return value, gradient


# The projection onto all constraints of the problem, by intersections of half-spaces.
#
# With one risk and no other set this is algorithm (33): one product with the class 0 rows and one with their transpose
# a step. With several constraints, each risk that is above its level gives the half-space
# of its tangent, and the sets enter by their exact projector: the next iterate is the projection of the start onto the
# sets, the latest half-spaces and that of the projection so far. All these hold the constraints, and lie within the
# half-spaces of the scheme of [combettes2000]_ for each violated constraint, so that its proof of convergence holds.


# what is rounding, relative to the coordinates
ROUNDING = 1e-15
# added to the diagonal of a small system
RIDGE = 1e-13
DUAL_STEPS, NEAR, PATIENCE = 100, 1e-12, 3
# half-spaces and sets that would need such multipliers, in units of the coordinates, do not meet
FAR = 1e10


@dataclass(frozen=True)
class OuterProjection:
    """A point near the projection onto the constraints.

    Attributes
    ----------
    x : ndarray, shape (dim,)
        The point, from outside.
    z0 : ndarray, shape (m0,)
        Its margins of class 0.
    gaps : ndarray, shape (q,)
        Risks minus levels.
    n_steps : int
        Steps taken.
    empty : bool
        Whether the half-spaces do not meet.
    tangents : dict of int to (ndarray, float)
        (a, b) for the risks that were above their levels: a'x <= b holds wherever the risk is at most its level.
    """

    x: np.ndarray
    z0: np.ndarray
    gaps: np.ndarray
    n_steps: int
    empty: bool
    tangents: dict


def project_constraints(risks, sets, v, *, n_steps, gap, levels=None, tangents=None):
    """Return the `OuterProjection` of v onto the constraints.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    v : ndarray, shape (dim,)
        The point to project.
    n_steps : int
        Most steps.
    gap : ndarray, shape (q,)
        Excesses of the risks over their levels with which the steps end.
    levels : ndarray, shape (q,), optional
        Levels in place of those of `risks`.
    tangents : dict, optional
        Those of an earlier projection onto the same constraints, to begin with. Algorithm (33) takes none.

    Returns
    -------
    OuterProjection
    """
    levels = risks.levels if levels is None else levels
    by_33 = levels.size == 1 and not sets.given
    x, kept, k, warm = v.copy(), {}, 0, False
    x[: risks.p] = sets.project(v[: risks.p])
    if tangents and not by_33:
        found = project_half_spaces(sets, risks.p, v, [tangents[i] for i in sorted(tangents)])
        if found is not None:
            x, kept, warm = found, dict(tangents), True
    z0 = risks.margins0(x)
    while True:
        gaps = risks.risks(z0) - levels
        above = np.flatnonzero(gaps > gap)
        if above.size == 0 or k == n_steps:
            return OuterProjection(x, z0, gaps, k, False, kept)
        for i in above:
            gradient = risks.risk_gradient(z0, i)
            if not float(gradient @ gradient) > 0:
                return OuterProjection(x, z0, gaps, k, True, kept)
            kept[i] = (gradient, float(gradient @ x) - gaps[i])
        if by_33:
            # the tangent, and what the projection so far tells
            half, back = (-gaps[0] / float(gradient @ gradient)) * gradient, v - x
            step = half_space_step(*half_space_products(back, half))
            found = None if step is None else x + step[0] * back + step[1] * half
        else:
            # all that is known of the constraints: the last tangent of each risk, and what the projection so far tells
            half_spaces = [kept[i] for i in sorted(kept)]
            if k > 0 or warm:
                half_spaces.append((v - x, float((v - x) @ x)))
            found = project_half_spaces(sets, risks.p, v, half_spaces)
        if found is None:
            return OuterProjection(x, z0, gaps, k, True, kept)
        x, z0, k = found, risks.margins0(found), k + 1


def project_half_spaces(sets, p, v, half_spaces):
    """Return the projection of v onto {x : a'x <= b for all (a, b)} and the sets, or None if they do not meet.

    The dual has a variable for each half-space and the projector of the sets inside; it is maximised by Newton's method
    with a generalised derivative of the projector.
    """
    lengths = [float(np.linalg.norm(a)) for a, _ in half_spaces]
    chosen = [(a / size, b / size) for (a, b), size in zip(half_spaces, lengths, strict=True) if size > 0]
    normals, bounds = np.array([a for a, _ in chosen]), np.array([b for _, b in chosen])

    def primal(multipliers):
        before = v - multipliers @ normals
        x = before.copy()
        x[:p] = sets.project(before[:p])
        excess = normals @ x - bounds
        return before, x, excess, 0.5 * float((x - v) @ (x - v)) + float(multipliers @ excess)

    multipliers = np.zeros(bounds.size)
    before, x, excess, value = primal(multipliers)
    unit = float(np.abs(v).max()) + float(np.abs(bounds).max()) + np.finfo(np.float64).tiny
    safe, least, stalled = _ridged_cholesky(normals @ normals.T), np.inf, 0
    for _ in range(DUAL_STEPS):
        wrong = float(np.max(np.where(multipliers > 0, np.abs(excess), np.maximum(excess, 0.0))))
        # near the end, rounding moves the excess up and down
        stalled = 0 if wrong < 0.5 * least or wrong > NEAR * unit else stalled + 1
        least = min(least, wrong)
        if wrong <= ROUNDING * unit or stalled == PATIENCE:
            break
        images = normals.copy()
        images[:, :p] = sets.jacobian(before[:p], x[:p], normals[:, :p])
        # Newton's step may be too long where the projector has a corner; the other one, for the projector of no set,
        # has a derivative that is at least as large, and so never overshoots
        for factor in (_ridged_cholesky(images @ normals.T), safe):
            target = solve_triangular(factor, excess, trans=1, lower=False) + factor @ multipliers
            trial = nnls(factor, target)[0]
            slope = float(excess @ (trial - multipliers))
            after = primal(trial)
            if after[3] >= value + 1e-4 * slope - ROUNDING * (abs(value) + unit**2):
                break
        multipliers, (before, x, excess, value) = trial, after
        if not float(np.abs(multipliers).max()) <= FAR * unit:
            return None
    return x


def _ridged_cholesky(matrix):
    """Return the upper Cholesky factor of a small matrix, whose eigenvalues are at most about 1, with a ridge."""
    return np.linalg.cholesky(0.5 * (matrix + matrix.T) + RIDGE * np.eye(matrix.shape[0])).T
