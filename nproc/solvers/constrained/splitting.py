r"""Gradient steps on the class 1 risk, each followed by an approximate projection onto the constraints.

References
----------
Algorithm (37) of [barlaud2015]_; for several constraints the scheme of [combettes2000]_; momentum after [beck2009]_
with the restarts of O'Donoghue and Candès (Foundations of Computational Mathematics 15, 2015).
"""

import numpy as np

from nproc.solvers.constrained.certificate import constrained_result, kkt_residual, separates
from nproc.solvers.constrained.feasibility import find_interior
from nproc.solvers.constrained.projection import project_constraints

# the gap of the n-th projection is at most this share of the level over n^2, a summable sequence, where K_n steps
# are enough
GAP = 1e-10
# a gap that is rounding, relative to the level (at least 1)
ROUNDING = 1e-14
# iterations between two KKT residuals
CHECK_EVERY = 10
# a projection that stays this far from its level (relative to it) after so many iterations makes one ask whether the
# constraints can be met
STUCK, PATIENCE = 1e-2, 20
# K_n, the most half-space steps of a projection, is doubled where the residual stalls above the gaps that are wanted.
# Nine bring the gap to 1e-12 where the rows have unit norm or are not centred, as in the paper. With standardised
# columns the first projection may need over a hundred, the later ones, which begin near the level, a few
FIRST_STEPS, FINAL_STEPS = 9, 500


def solve_splitting(risks, sets, *, length, variant, tol, max_iter, history):
    """Return the `ConstrainedNPResult` of projected gradient steps, or of accelerated ones.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    length : float
        The step gamma. The accelerated variant halves it where the objective shows that it is too long.
    variant : {'projected_gradient', 'accelerated'}
        Without or with momentum.
    tol : float
        The KKT residual at which to stop.
    max_iter : int
        Most iterations.
    history : RiskHistory
        Gets a row an iteration.

    Returns
    -------
    ConstrainedNPResult
    """
    accelerated = variant == "accelerated"
    settings = {"tol": tol, "history": history, "variant": variant}
    ahead = old = np.zeros(risks.dim)
    ahead1 = old1 = risks.margins1(ahead)
    k_n, best, momentum, total = FIRST_STEPS, np.inf, 1.0, 0
    rounding = ROUNDING * np.maximum(1.0, np.abs(risks.levels))
    known, tangents = None, None
    for n in range(1, max_iter + 1):
        gradient = risks.gradient(ahead1) if known is None else known
        known = None
        gap_wanted = GAP * np.maximum(np.abs(risks.levels), 1e-3) / n**2
        while True:
            v = ahead - length * gradient
            # tangents hold the constraints wherever the projection starts
            found = project_constraints(
                risks, sets, v, n_steps=k_n, gap=np.maximum(gap_wanted, rounding), tangents=tangents
            )
            tangents = found.tangents
            total += found.n_steps
            z1 = risks.margins1(found.x)
            objective = risks.objective(z1)
            moved = found.x - ahead
            if not accelerated or objective <= _bound(risks, ahead1, gradient, moved, length):
                break
            length *= 0.5
        if found.empty or (n >= PATIENCE and np.any(found.gaps > STUCK * np.maximum(np.abs(risks.levels), 1e-3))):
            feasibility = find_interior(risks, sets, max_iter=200)
            if feasibility.x is None:
                why = {"infeasible": feasibility.reason, "lower_bound": feasibility.lower_bound}
                return constrained_result(risks, sets, found.x, n_inner=total, **settings, **why)
        if not sets.bounded and separates(found.z0, z1):
            # the margins are all above 0, so that longer weights only lower the risks
            x = found.x
            while np.any(risks.risks(risks.margins0(x)) > risks.levels):
                x = 1.01 * x
            return constrained_result(risks, sets, x, n_inner=total, **settings)
        certificate = np.nan
        if n % CHECK_EVERY == 0 or n == max_iter:
            known = risks.gradient(z1)
            certificate = kkt_residual(risks, sets, found.x, found.z0, z1, gradient=known).largest
            # where K_n steps leave an error that does not vanish, K_n has to grow: their sum must be finite
            if certificate > 0.5 * best and np.any(found.gaps > gap_wanted):
                k_n = min(2 * k_n, FINAL_STEPS)
            best = min(best, certificate)
        history.add(found.z0, z1, objective, float(found.gaps[0] + risks.levels[0]), certificate)
        if certificate <= tol:
            inner = feasible_point(risks, sets, found.x)
            z0, z1 = risks.margins0(inner), risks.margins1(inner)
            if kkt_residual(risks, sets, inner, z0, z1).largest <= tol:
                return constrained_result(risks, sets, inner, n_inner=total, **settings)
        ahead, ahead1 = found.x, z1
        if accelerated:
            # momentum that points uphill is dropped
            uphill = float(moved @ (found.x - old)) < 0
            after = 1.0 if uphill else (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            share = 0.0 if uphill else (momentum - 1.0) / after
            if share > 0:
                ahead, ahead1, known = found.x + share * (found.x - old), z1 + share * (z1 - old1), None
            old, old1, momentum = found.x, z1, after
    return constrained_result(risks, sets, feasible_point(risks, sets, found.x), n_inner=total, **settings)


def _bound(risks, ahead1, gradient, moved, length):
    here = risks.objective(ahead1)
    return here + float(gradient @ moved) + float(moved @ moved) / (2 * length) + 1e-14 * (1.0 + abs(here))


def feasible_point(risks, sets, x):
    """Return the projection of x onto the constraints, on the inner side of rounding."""
    levels, room = risks.levels, 0.0
    for _ in range(8):
        found = project_constraints(
            risks, sets, x, n_steps=FINAL_STEPS, gap=np.zeros(levels.size), levels=levels - room
        )
        x = found.x.copy()
        for member in sets.members():
            x[: risks.p] = member.project(x[: risks.p])
        if np.all(risks.risks(risks.margins0(x)) <= levels):
            break
        room = np.maximum(10.0 * room, 1e-15 * np.maximum(np.abs(levels), 1e-3))
    return x
