r"""The projection onto all constraints of the problem, by intersections of half-spaces.

With one risk and no other set this is algorithm (33), with margins carried along: one product with the class 0 rows and
one with their transpose a step. With several constraints, each risk that is above its level gives the half-space of its
tangent, and the sets enter by their exact projector: the next iterate is the projection of the start onto the sets,
the latest half-spaces and that of the projection so far. All these hold the constraints, and lie within the half-spaces
of the scheme of [combettes2000]_ for each violated constraint, so that its proof of convergence holds.

References
----------
Algorithms (33) and (37) of [barlaud2015]_.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
.. [combettes2000] Combettes, P. L. (2000). Strong convergence of block-iterative outer approximation methods for convex
   optimization. SIAM Journal on Control and Optimization 38, 538-565.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from nproc.reprs import ShortRepr
from nproc.solvers.level_set import half_space_products, half_space_step

# what is rounding, relative to the coordinates
ROUNDING = 1e-15
# added to the diagonal of a small system
RIDGE = 1e-13
DUAL_STEPS, NEAR, PATIENCE = 100, 1e-12, 3
# half-spaces and sets that would need such multipliers, in units of the coordinates, do not meet
FAR = 1e10


@dataclass(frozen=True, repr=False)
class OuterProjection(ShortRepr):
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
    """

    x: np.ndarray
    z0: np.ndarray
    gaps: np.ndarray
    n_steps: int
    empty: bool


def project_constraints(risks, sets, v, *, n_steps, gap, levels=None):
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

    Returns
    -------
    OuterProjection
    """
    levels = risks.levels if levels is None else levels
    if levels.size == 1 and not sets.given:
        return _one_risk(risks, v, n_steps, float(gap[0]), float(levels[0]))
    return _several(risks, sets, v, n_steps, gap, levels)


def _one_risk(risks, v, n_steps, gap, level):
    x, z0, start0 = v, risks.margins0(v), None
    k = 0
    while True:
        excess = float(risks.risks(z0)[0]) - level
        if not excess > gap or k == n_steps:
            return OuterProjection(x, z0, np.array([excess]), k, False)
        start0 = z0 if start0 is None else start0
        gradient = risks.risk_gradient(z0, 0)
        square = float(gradient @ gradient)
        step = None
        if square > 0:
            half, back = (-excess / square) * gradient, v - x
            step = half_space_step(*half_space_products(back, half))
        if step is None:
            return OuterProjection(x, z0, np.array([excess]), k, True)
        x = x + step[0] * back + step[1] * half
        z0 = z0 + step[0] * (start0 - z0) + step[1] * risks.margins0(half)
        k += 1


def _several(risks, sets, v, n_steps, gap, levels):
    x, kept, k = v.copy(), {}, 0
    x[: risks.p] = sets.project(v[: risks.p])
    z0 = risks.margins0(x)
    while True:
        gaps = risks.risks(z0) - levels
        above = np.flatnonzero(gaps > gap)
        if above.size == 0 or k == n_steps:
            return OuterProjection(x, z0, gaps, k, False)
        for i in above:
            gradient = risks.risk_gradient(z0, i)
            if not gradient.any():
                return OuterProjection(x, z0, gaps, k, True)
            kept[i] = (gradient, float(gradient @ x) - gaps[i])
        # all that is known of the constraints: the last tangent of each risk, and what the projection so far tells
        chosen = sorted(kept)
        half_spaces = [kept[i] for i in chosen]
        if k > 0:
            half_spaces.append((v - x, float((v - x) @ x)))
        found = project_half_spaces(sets, risks.p, v, half_spaces)
        if found is None:
            return OuterProjection(x, z0, gaps, k, True)
        x = found
        z0 = risks.margins0(x)
        k += 1


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
    safe, least, stalled = _root(normals @ normals.T), np.inf, 0
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
        for factor in (_root(images @ normals.T), safe):
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


def _root(matrix):
    """Return the upper Cholesky factor of a small matrix, whose eigenvalues are at most about 1, with a ridge."""
    return np.linalg.cholesky(0.5 * (matrix + matrix.T) + RIDGE * np.eye(matrix.shape[0])).T
