"""An interior point method for the constrained problem: all iterates satisfy all constraints strictly.

References
----------
Problem (29) of [barlaud2015]_; the method is not theirs.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import qr
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotrf

from nproc.solvers.constrained.certificate import NOTHING, kkt_residual, separates
from nproc.solvers.constrained.problem import ClassRisks

# share of the way to the boundary that a step may go
SHARE = 0.995
# the barrier parameter falls by this factor, or by this power of the duality gap that it stands for
FALL, POWER = 0.2, 0.5
# the barrier problem counts as solved when a step promises at most this many times the parameter
SOLVED = 0.5
# the slope, in units of the barrier parameter, that holds weights under signs back
DAMPING = 0.1
# the duality gap that the first barrier parameter stands for
FIRST_GAP = 0.1
# multipliers stay within this factor of parameter / slack
SPREAD = 1e8


class InteriorPoint:
    """Newton steps on the barrier function of a problem, primal and dual, with a line search on the barrier function.

    Parameters
    ----------
    problem : object
        ``margins(x)``, a tuple of arrays linear in x; ``objective``, ``constraints``, ``gradients``, ``hessian`` and
        ``slope`` of them (see `RiskProblem`, and `LevelProblem` of `feasibility`).
    sets : WeightSets
        The sets that hold the weights.
    x : ndarray, shape (dim,)
        A point that satisfies all constraints strictly, but for an l1 ball within which it only must lie.

    Attributes
    ----------
    x : ndarray, shape (dim,)
        Weights and, last, the free coordinate.
    parts : list of ndarray, shape (p,)
        Positive parts: none, u with w = u (signs), or u and v with w = u - v (an l1 ball).
    lam : ndarray
        Multipliers of the scalar constraints: the risks, then the l2 and the l1 ball.
    pi : list of ndarray
        Multipliers of the positive parts.
    mu : float
        The barrier parameter.
    """

    def __init__(self, problem, sets, x):
        self.problem, self.sets, self.p = problem, sets, problem.p
        w = x[: self.p]
        parts = []
        if sets.l1 is not None and not sets.nonnegative:
            spare = 0.25 * (sets.l1 - np.abs(w).sum()) / self.p
            parts = [np.maximum(w, 0) + spare, np.maximum(-w, 0) + spare]
        elif sets.nonnegative:
            parts = [w.copy()]
        self.margins = problem.margins(x)
        slack = self.slacks(self.margins, x, parts)
        # weights that no row sees would follow the logarithm of their sign constraint to infinity
        size = np.maximum(problem.risks.rms0, problem.risks.rms1)[: self.p]
        self.damping = DAMPING * np.where(size > 0, size, 1.0) if sets.nonnegative and not sets.bounded else None
        self.n_bounds = slack.size + sum(part.size for part in parts)
        mu = FIRST_GAP / self.n_bounds
        self.x, self.parts, self.mu = x, parts, mu
        self.lam, self.pi = mu / slack, [mu / part for part in parts]
        self.solved = False

    def slacks(self, margins, x, parts):
        """Return minus the scalar constraints, all above 0 inside."""
        found = [-self.problem.constraints(margins)]
        w = x[: self.p]
        if self.sets.l2 is not None:
            found.append([(self.sets.l2 - float(w @ w) / self.sets.l2) / 2])
        if self.sets.l1 is not None:
            found.append([self.sets.l1 - sum(float(part.sum()) for part in parts)])
        return np.concatenate(found)

    def _jacobian(self, risk_gradients):
        """Return the gradients, in x, of the constraints that are functions of x: the risks and the l2 ball."""
        if self.sets.l2 is None:
            return risk_gradients
        normal = np.zeros(risk_gradients.shape[1])
        normal[: self.p] = self.x[: self.p] / self.sets.l2
        return np.vstack([risk_gradients, normal])

    def merit(self, margins, x, parts):
        """Return the barrier function, infinity outside."""
        slack = self.slacks(margins, x, parts)
        if not slack.min() > 0 or any(not part.min() > 0 for part in parts):
            return np.inf
        logs = float(np.log(slack).sum()) + sum(float(np.log(part).sum()) for part in parts)
        if self.damping is not None:
            logs -= float(self.damping @ parts[0])
        return self.problem.objective(margins) - self.mu * logs

    def prepare(self):
        """Compute gradients at the point; return the dual residual, in units of the problem, and complementarity."""
        self.slack = self.slacks(self.margins, self.x, self.parts)
        self.gradient, self.risk_gradients = self.problem.gradients(self.margins)
        self.jacobian = self._jacobian(self.risk_gradients)
        n_smooth = self.jacobian.shape[0]
        total = self.gradient + self.lam[:n_smooth] @ self.jacobian
        nu1 = self.lam[-1] if self.sets.l1 is not None else 0.0
        residual = np.abs(total)
        for part, sign in enumerate((1.0, -1.0)[: len(self.parts)]):
            mine = np.abs(sign * total[: self.p] + nu1 - self.pi[part])
            residual[: self.p] = mine if part == 0 else np.maximum(residual[: self.p], mine)
        products = [self.lam * self.slack] + [a * b for a, b in zip(self.pi, self.parts, strict=True)]
        scale = self.problem.scale(self.margins, self.lam)
        dual = float(np.max(np.divide(residual, scale, out=np.zeros_like(residual), where=scale > 0)))
        return dual, np.concatenate(products)

    def lower_mu(self, least):
        """Lower the barrier parameter if the last step was a whole one that promised little: its problem is solved."""
        if self.solved and self.mu > least:
            gap = self.mu * self.n_bounds
            self.mu = max(least, self.mu * min(FALL, gap**POWER))

    def _factor(self, spread):
        """Factor the matrix of the weights and the free coordinate."""
        n_smooth = self.jacobian.shape[0]
        n_risks = self.risk_gradients.shape[0]
        extra = [np.sqrt(self.lam[:n_smooth] / self.slack[:n_smooth])[:, None] * self.jacobian]
        diagonal = np.zeros(self.x.size)
        if self.sets.l2 is not None:
            diagonal[: self.p] += self.lam[n_risks] / self.sets.l2
        if len(self.parts) == 1:
            diagonal[: self.p] += spread[0]
            if self.sets.l1 is not None:
                ones = np.zeros((1, self.x.size))
                ones[0, : self.p] = np.sqrt(self.lam[-1] / self.slack[-1])
                extra.append(ones)
        elif len(self.parts) == 2:
            diagonal[: self.p] += spread[0] * (spread[1] / (spread[0] + spread[1]))
        matrix = self.problem.hessian(self.margins, self.lam[:n_risks], np.vstack(extra))
        place = np.arange(self.x.size)
        matrix[place, place] += diagonal
        size = np.maximum(matrix[place, place], np.finfo(np.float64).tiny)
        ridge = 1e-14
        while True:
            # only the direction changes, not the solution; collinear columns need it
            trial = matrix.copy(order="F")
            trial[place, place] += ridge * size
            factor, failed = dpotrf(trial, lower=1, overwrite_a=1)
            if not failed or ridge > 1.0:
                return factor
            ridge *= 100.0

    def step(self):
        """Take one Newton step; return whether the barrier function fell (or only rounding is left)."""
        mu = self.mu
        n_smooth = self.jacobian.shape[0]
        spread = [a / b for a, b in zip(self.pi, self.parts, strict=True)]
        solve = self._solver(spread)
        gradient = self.gradient + (mu / self.slack[:n_smooth]) @ self.jacobian
        nu1 = mu / self.slack[-1] if self.sets.l1 is not None else 0.0
        pushes = [mu / part for part in self.parts]
        if self.damping is not None:
            pushes[0] -= mu * self.damping
        dx, moves = solve(-gradient, nu1, pushes)
        slope = float(gradient @ dx) + sum(
            float(nu1 * m.sum() - push @ m) for m, push in zip(moves, pushes, strict=True)
        )
        line = [(self.problem.margins(dx), dx, moves)]
        whole = min([1.0] + [_to_boundary(a, m) for m, a in zip(moves, self.parts, strict=True)])
        length, bend = self._line_search(whole, slope, line, 1), np.zeros(n_smooth)
        if length < whole:
            # the constraints curve away from their tangents: with what they curve by, the same matrix bends the step
            bend = self._curvature(whole, line[0])
            weight = self.lam[:n_smooth] / self.slack[:n_smooth]
            more = solve(-(weight * bend) @ self.jacobian, 0.0, [np.zeros_like(part) for part in self.parts])
            line.append((self.problem.margins(more[0]), *more))
            length = self._line_search(whole, slope, line, 3)
            if length == 0.0:
                line, bend = line[:1], np.zeros(n_smooth)
                length = self._line_search(whole, slope, line, 60)
        # on the central path the curvature of the constraints is small beside their slack; off it, steps would creep
        self.solved = length == 1.0 and -slope <= SOLVED * mu
        total, total_moves = dx, moves
        if len(line) == 2:
            total = dx + line[1][1]
            total_moves = [a + b for a, b in zip(moves, line[1][2], strict=True)]
        dlam = mu / self.slack - self.lam
        dlam[:n_smooth] += self.lam[:n_smooth] / self.slack[:n_smooth] * (self.jacobian @ total + bend)
        if self.sets.l1 is not None:
            dlam[-1] += self.lam[-1] / self.slack[-1] * sum(float(m.sum()) for m in total_moves)
        dpi = [mu / a - b - s * m for a, b, s, m in zip(self.parts, self.pi, spread, total_moves, strict=True)]
        dual = min(_to_boundary(a, m) for a, m in zip([self.lam, *self.pi], [dlam, *dpi], strict=True))
        self.margins, self.x, self.parts = self._moved(length, line)
        slack = self.slacks(self.margins, self.x, self.parts)
        self.lam = np.clip(self.lam + dual * dlam, mu / slack / SPREAD, mu / slack * SPREAD)
        self.pi = [
            np.clip(b + dual * m, mu / a / SPREAD, mu / a * SPREAD)
            for a, b, m in zip(self.parts, self.pi, dpi, strict=True)
        ]
        return length > 0

    def _solver(self, spread):
        """Return a function that solves the Newton system for (right, nu1, [right of each part])."""
        factor = self._factor(spread)

        def plain(right):
            return dtrsv(factor, dtrsv(factor, right, lower=1), lower=1, trans=1)

        def solve(right, nu1, parts):
            if not parts:
                return plain(right), []
            if len(parts) == 1:
                right = right.copy()
                right[: self.p] += parts[0] - nu1
                dx = plain(right)
                return dx, [dx[: self.p]]
            return self._split_solve(plain, spread, right, nu1, parts)

        return solve

    def _curvature(self, length, first):
        """Return how much more the risks and the ball grow along a step than their tangents."""
        margins, x, parts = self._moved(length, [first])
        n_smooth = self.jacobian.shape[0]
        after = self.slacks(margins, x, parts)[:n_smooth]
        return np.maximum(self.slack[:n_smooth] - after - length * (self.jacobian @ first[1]), 0.0) / length**2

    def _moved(self, length, line):
        """Return margins, x and parts after a step along a line, or along the parabola of two lines."""
        margins, x, parts = self.margins, self.x, self.parts
        for power, (image, dx, moves) in enumerate(line, start=1):
            share = length**power
            margins = tuple(a + share * b for a, b in zip(margins, image, strict=True))
            x = x + share * dx
            parts = [a + share * m for a, m in zip(parts, moves, strict=True)]
        return margins, x, parts

    def _split_solve(self, plain, spread, right, nu1, parts):
        # (u, v) is eliminated for w = u - v; the constraint on their sum adds a rank one term to the larger matrix
        p, total = self.p, spread[0] + spread[1]

        def both(right_u, right_v, rest):
            dx = plain(np.concatenate([(spread[1] * right_u - spread[0] * right_v) / total, rest]))
            added = right_u + right_v
            return dx, (spread[1] * dx[:p] + added) / total, (added - spread[0] * dx[:p]) / total

        first = both(right[:p] - nu1 + parts[0], -right[:p] - nu1 + parts[1], right[p:])
        ones = both(np.ones(p), np.ones(p), np.zeros(right.size - p))
        weight = self.lam[-1] / self.slack[-1]
        share = weight * float(first[1].sum() + first[2].sum()) / (1 + weight * float(ones[1].sum() + ones[2].sum()))
        dx, du, dv = (a - share * b for a, b in zip(first, ones, strict=True))
        return dx, [du, dv]

    def _line_search(self, length, slope, line, n_trials):
        """Return the first of some halved lengths at which the barrier function falls enough, inside; or 0."""
        here = self.merit(self.margins, self.x, self.parts)
        rounding = 1e-14 * (1.0 + abs(here))
        for _ in range(n_trials):
            trial = self._moved(length, line)
            inside = np.all(self.slacks(*trial) >= (1 - SHARE) * self.slack)
            if inside and self.merit(*trial) <= here + 1e-4 * length * slope + rounding:
                return length
            length *= 0.5
        return 0.0


def _to_boundary(values, moves):
    """Return the longest step, at most 1, that leaves a share of each positive value."""
    falling = moves < 0
    if not falling.any():
        return 1.0
    return min(1.0, SHARE * float(np.min(values[falling] / -moves[falling])))


# the barrier parameter at which all is said, in units of the tolerance, and where it is not lowered any more
FINAL, LAST = 0.01, 1e-7
# margins beyond this go to infinity
RUN_AWAY = 1e12


class RiskProblem:
    """The problem itself: the mean loss of class 1 under bounds on the risks of class 0."""

    def __init__(self, risks):
        self.risks, self.p = risks, risks.p

    def margins(self, x):
        return self.risks.margins0(x), self.risks.margins1(x)

    def objective(self, margins):
        return self.risks.objective(margins[1])

    def constraints(self, margins):
        return self.risks.risks(margins[0]) - self.risks.levels

    def gradients(self, margins):
        jacobian = [self.risks.risk_gradient(margins[0], k) for k in range(self.risks.levels.size)]
        return self.risks.gradient(margins[1]), np.array(jacobian)

    def hessian(self, margins, multipliers, extra):
        return self.risks.hessian(self.risks.row_weights(*margins, multipliers), extra)

    def scale(self, margins, multipliers):
        slopes1 = self.risks.loss.derivative(margins[1])
        slopes0 = np.sqrt(self.risks.weights @ self.risks.loss.derivative(margins[0]) ** 2)
        own = np.sqrt(np.mean(slopes1**2)) * self.risks.rms1
        return own + (multipliers[: slopes0.size] @ slopes0) * self.risks.rms0

    def slope(self, margins):
        return float(np.mean(-self.risks.loss.derivative(margins[1])))


def in_row_space(risks, sets):
    """Return (ClassRisks, Q) on the row space of the data where it is smaller and no set minds the axes, else None."""
    n = risks.m0 + risks.m1
    if sparse.issparse(risks.rows) or risks.p <= n or sets.l1 is not None or sets.nonnegative:
        return None
    # x'w for the rows, and the norm, see only the part of w in the row space: w = Q v
    q, r = qr(risks.rows.T, mode="economic")
    y = np.repeat([1, 0], [risks.m1, risks.m0])
    return ClassRisks(np.ascontiguousarray(r.T), y, risks.loss, risks.fit_intercept, risks.weights, risks.levels), q


def solve_interior(risks, sets, x, *, tol, max_iter, history):
    """Return (x, multipliers) where Newton steps from a strictly feasible x end.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    x : ndarray, shape (dim,)
        Satisfies all constraints strictly.
    tol : float
        The KKT residual at which the steps end.
    max_iter : int
        Most steps.
    history : RiskHistory
        Gets a row a step.

    Returns
    -------
    x : ndarray, shape (dim,)
    multipliers : tuple (ndarray, float, float)
        Of the risks, the l2 and the l1 ball.
    """
    problem = RiskProblem(risks)
    method = InteriorPoint(problem, sets, x)
    n_risks, share, still, best = risks.levels.size, FINAL, 0, (np.inf,)
    for k in range(max_iter + 1):
        dual, products = method.prepare()
        z0, z1 = method.margins
        known = {"gradient": method.gradient, "risk_gradients": method.risk_gradients}
        own = kkt_residual(risks, sets, method.x, z0, z1, multipliers=_multipliers(method, sets, n_risks), **known)
        if k > 0:
            history.add(z0, z1, certificate=own.largest)
        if not sets.bounded and separates(z0, z1):
            # every margin is above 0: the point proves that there is no minimiser
            break
        if max(float(np.abs(z0).max()), float(np.abs(z1).max())) > RUN_AWAY:
            break
        slope = problem.slope(method.margins)
        least = share * tol * slope / method.n_bounds
        if risks.objective(z1) - risks.loss.infimum <= NOTHING * abs(risks.loss.at_zero):
            break
        # the best multipliers are sought only when the parts of the residual are small, or rounding keeps them from it
        still = still + 1 if method.solved and method.mu <= 1.1 * least else 0
        if (dual <= 0.5 * tol and float(products.max()) <= 2.0 * least) or still == 3:
            for found in (own, kkt_residual(risks, sets, method.x, z0, z1, **known)):
                if found.largest < best[0]:
                    best = (found.largest, method.x, (found.multipliers, found.l2, found.l1))
            if best[0] <= tol or share < LAST:
                break
            # a weight that is nearly 0, and may be, is as far from 0 as the barrier keeps it
            share, least, still = 1e-2 * share, 1e-2 * least, 0
        if k == max_iter:
            break
        method.lower_mu(least)
        if not method.step():
            break
    return best[1:] if np.isfinite(best[0]) else (method.x, _multipliers(method, sets, n_risks))


def _multipliers(method, sets, n_risks):
    lam = method.lam
    nu2 = float(lam[n_risks]) if sets.l2 is not None else 0.0
    nu1 = float(lam[-1]) if sets.l1 is not None else 0.0
    if sets.l2 is not None:
        # from half the squared norm over the radius to the norm
        nu2 *= float(np.linalg.norm(method.x[: method.p])) / sets.l2
    return lam[:n_risks].copy(), nu2, nu1


def with_exact_zeros(risks, sets, x, multipliers):
    """Return x with weights set to 0 that the optimality conditions hold there, if the constraints still hold."""
    if sets.l1 is None and not sets.nonnegative:
        return x
    z0, z1 = risks.margins0(x), risks.margins1(x)
    problem = RiskProblem(risks)
    gradient, jacobian = problem.gradients((z0, z1))
    lam, nu2, nu1 = multipliers
    w = x[: risks.p]
    total = (gradient + lam @ jacobian)[: risks.p] + nu2 * w / max(float(np.linalg.norm(w)), np.finfo(float).tiny)
    scale = problem.scale((z0, z1), lam)[: risks.p]
    size = np.maximum(risks.rms0, risks.rms1)[: risks.p]
    # the proximal step of `kkt_residual` ends at 0
    step = np.divide(total, scale, out=np.zeros_like(total), where=scale > 0)
    level = np.divide(nu1, scale, out=np.zeros_like(total), where=scale > 0)
    moved = w * size - step
    zero = moved <= level if sets.nonnegative else np.abs(moved) <= level
    candidate = x.copy()
    candidate[: risks.p][zero] = 0.0
    z0 = risks.margins0(candidate)
    if sets.violation(candidate[: risks.p]) > 0:
        return x
    if np.all(risks.risks(z0) <= risks.levels):
        return candidate
    if risks.fit_intercept:
        # the weights that were dropped moved the margins by next to nothing, which the intercept makes up for
        shift = 1e-15 * (1.0 + float(np.abs(z0).max()))
        for _ in range(60):
            if np.all(risks.risks(z0 + shift) <= risks.levels):
                candidate[-1] -= shift
                return candidate
            shift *= 2.0
    return x
