r"""Sparse multinomial logistic regression: the likelihood of several classes, each truncated where it is sure enough.

References
----------
The extension that section 5 of [herault2008]_ announces.

.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
   Signal 25(4), 279-291.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq
from scipy.special import log_softmax

from nproc.checks import check_count, check_number
from nproc.errors import InvalidInputError
from nproc.solvers.result import SolverResult

# elbows become narrower by this factor when a step promises less than this multiple of what they cost, but not
# narrower than the least width: rounding of a loss, divided by the width, is error in a multiplier
SHARPEN = 0.2
LOOSE = 1.0
NARROWEST = 1e-5
ROUNDING = 1e-14
MOST_HALVINGS = 50


@dataclass(frozen=True, kw_only=True, repr=False)
class SparseMultinomialResult(SolverResult):
    """What `solve_sparse_multinomial` returns; ``coef`` has shape (K, p) and ``intercept`` shape (K,).

    Attributes
    ----------
    multiplier : ndarray, shape (n,)
        The say of each row, in [0, 1]: 0 where it is cut off, 1 where its likelihood counts in full.
    decision : ndarray, shape (n, K)
        Scores, whose softmax are the probabilities.
    """

    multiplier: np.ndarray
    decision: np.ndarray

    @property
    def support(self):
        """Indices of the rows that have a say."""
        return np.flatnonzero(self.multiplier > 0.0)


def solve_sparse_multinomial(X, y, *, p_max=1.0, lam=1.0, elbow=0.1, tol=1e-9, max_iter=300, callback=None):
    r"""Return the linear scores that minimise the truncated multinomial likelihood with a penalty.

    With probabilities p_k(x) proportional to exp(w_k' x + b_k) it minimises

    .. math:: \sum_i \max\bigl( -\log p_{y_i}(x_i), \; -\log p^{\max}_{y_i} \bigr) + \frac{\lambda}{2}
              \sum_k \|w_k\|^2 .

    This is convex: -log p_k is a log-sum-exp less a score, thus convex in the scores; its maximum with a constant is
    convex; the scores are linear in the coefficients. What is cut off is the set of scores where p_k is at least its
    cap, and that set is convex, as the paper asks. (To cut off the loss of rows that are badly wrong, from above, would
    not be convex.)

    With two classes and caps (1 - p_min, p_max) it is the criterion (3) with f = f_1 - f_0. Since the penalty is shared
    by w_1 = -w_0 = w / 2, this `lam` is twice that of the two-class solvers. With caps of 1 it is multinomial logistic
    regression, scikit-learn's with C = 1 / lam.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Rows, already checked.
    y : ndarray of int, shape (n,)
        Classes 0 to K - 1, each of which occurs.
    p_max : float or sequence of float, shape (K,)
        The cap of each class, above 0 and at most 1: beyond it a probability of the right class is sure enough. Their
        sum must be above 1.
    lam : float
        lambda, above 0.
    elbow : float
        Half-width of the first smooth stand-ins for the kinks, on the scale of the loss. It changes the path only.
    tol : float
        The largest certificate of a converged run.
    max_iter : int
        Most Newton steps.
    callback : callable, optional
        Called after each step with its number and the objective.

    Returns
    -------
    result : SparseMultinomialResult
        Its certificate is the larger of two numbers. The optimality condition lam w_k = sum_i m_i (1{y_i = k} - p_ik)
        x_i, and the same for the intercepts with 0 on the left, gives the first: the largest difference of both sides
        relative to the sizes of the terms. The second is the largest distance of a row with 0 < m_i < 1 from its kink,
        as a difference of losses; by construction m_i is 0 below the kink and 1 above. ``history``: objective and
        support. The intercepts sum to 0.

    Raises
    ------
    InvalidInputError
        If a cap is not above 0 and at most 1, the caps sum to 1 or less, a class does not occur, lam is not above 0, or
        values of X are so large that sums of their squares overflow.

    See Also
    --------
    nproc.solvers.sparse_logistic.primal.solve_sparse_logistic_primal : Two classes, faster.

    Notes
    -----
    A step costs O(m K^2 p^2 + K^3 p^3) for the m rows with a say: it is made for some hundreds of coefficients in all.
    The method is that of `nproc.solvers.sparse_logistic.newton`: smooth elbows, centred by multipliers and made narrower, and
    Newton steps with a line search.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 100)
    >>> X = rng.normal(size=(300, 2)) + 2.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    >>> whole = solve_sparse_multinomial(X, y)
    >>> part = solve_sparse_multinomial(X, y, p_max=0.6)
    >>> whole.converged, part.converged, whole.support.size, part.support.size < 200
    (True, True, 300, True)
    """
    lam, elbow, tol = (check_number(v, name) for v, name in ((lam, "lam"), (elbow, "elbow"), (tol, "tol")))
    max_iter = check_count(max_iter, "max_iter")
    with np.errstate(over="ignore"):
        if not np.isfinite(np.sum(X * X)):
            raise InvalidInputError(
                "X has values so large that sums of their squares overflow. Standardise its columns."
            )
    search = _Search(X, y, -np.log(_check_caps(p_max, y)), lam, 2.0 * elbow)
    history = {"objective": [], "support": []}
    for iteration in range(1, max_iter + 1):
        step, promise = search.step()
        objective = search.objective()
        history["objective"].append(objective)
        history["support"].append(int(np.count_nonzero(search.m)))
        if callback is not None:
            callback(iteration, objective)
        rest, farthest = search.gap()
        if promise <= 1e-10 * objective and farthest <= tol and search.certificate() <= tol:
            break
        if step == 1.0 and promise <= max(LOOSE * rest, ROUNDING * objective):
            search.sharpen()
    certificate = search.certificate()
    converged = certificate <= tol
    return SparseMultinomialResult(
        coef=search.weights[:-1].T.copy(),
        intercept=search.weights[-1].copy(),
        objective=np.array(history["objective"]),
        n_iter=iteration,
        converged=converged,
        certificate=certificate,
        reason=(
            f"the optimality conditions hold to tol={tol:g}."
            if converged
            else f"the optimality conditions are off by {certificate:.2g}, above tol={tol:g}."
        ),
        history={name: np.array(values) for name, values in history.items()},
        multiplier=search.m,
        decision=search.design @ search.weights,
    )


def _check_caps(p_max, y):
    n_classes = int(np.max(y)) + 1
    try:
        caps = np.asarray(p_max, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"p_max must be one number or {n_classes}, one for each class, got {p_max!r}."
        ) from error
    if caps.ndim > 1 or (caps.ndim == 1 and caps.size < n_classes):
        raise InvalidInputError(f"p_max must be one number or {n_classes}, one for each class, got {p_max!r}.")
    n_classes = max(n_classes, caps.size, 2)
    absent = np.setdiff1d(np.arange(n_classes), y)
    if absent.size:
        raise InvalidInputError(
            f"each of the {n_classes} classes must occur in y, but {absent.tolist()} do not. Leave them out."
        )
    caps = np.broadcast_to(caps, (n_classes,))
    if not np.all((caps > 0.0) & (caps <= 1.0)):
        raise InvalidInputError(f"each p_max must be above 0 and at most 1, got {p_max!r}.")
    if not caps.sum() > 1.0:
        raise InvalidInputError(
            f"the p_max of the {n_classes} classes must sum to more than 1, got {caps.sum():g}: otherwise the same "
            "probabilities for all rows reach all of them, and nothing is learned."
        )
    return caps


class _Search:
    # weights (p + 1, K), the last row the intercepts; m the slopes of the hinges max(0, loss - least loss)

    def __init__(self, X, y, least, lam, width):
        n, n_classes = X.shape[0], least.size
        self.design = np.column_stack([X, np.ones(n)])
        self.y, self.lam, self.width = np.asarray(y), lam, width
        self.least = least[self.y]
        self.kinked = self.least > 0.0
        self.target = (self.y[:, None] == np.arange(n_classes)).astype(np.float64)
        self.weights = np.zeros((X.shape[1] + 1, n_classes))
        share = np.log(self.target.mean(axis=0))
        self.weights[-1] = share - share.mean()
        self.centre = np.where(self.kinked, 0.5, 1.0)
        # lambda of each row of the weights
        self.penalty = np.append(np.full(X.shape[1], lam), 0.0)[:, None]
        self._look(self.design @ self.weights)

    def _look(self, scores):
        self.scores = scores
        logs = log_softmax(scores, axis=1)
        self.probability = np.exp(logs)
        self.past = -logs[np.arange(self.y.size), self.y] - self.least
        self.m = self._slopes(self.past)

    def _slopes(self, past):
        return np.where(self.kinked, np.minimum(np.maximum(self.centre + past / self.width, 0.0), 1.0), 1.0)

    def _smooth(self, past, weights):
        m = self._slopes(past)
        rounding = np.where(self.kinked, 0.5 * self.width * (m - self.centre) ** 2, 0.0)
        return float(np.sum(m * past - rounding)) + 0.5 * float(np.sum(self.penalty * weights**2))

    def objective(self):
        losses = np.maximum(self.past, 0.0) + self.least
        return float(np.sum(losses)) + 0.5 * float(np.sum(self.penalty * self.weights**2))

    def gap(self):
        off = np.abs(self.past[self._between()])
        return float(off.sum()), float(off.max(initial=0.0))

    def _between(self):
        return self.kinked & (self.m > 0.0) & (self.m < 1.0)

    def sharpen(self):
        self.centre = self.m
        self.width = max(SHARPEN * self.width, NARROWEST)
        self.m = self._slopes(self.past)

    def certificate(self):
        self._look(self.design @ self.weights)
        pulls = self.m[:, None] * (self.target - self.probability)
        gap = np.abs(self.penalty * self.weights - self.design.T @ pulls)
        size = np.abs(self.penalty * self.weights) + np.abs(self.design).T @ np.abs(pulls)
        return max(float(np.max(gap[size > 0.0] / size[size > 0.0], initial=0.0)), self.gap()[1])

    def step(self):
        rows = np.flatnonzero(self.m > 0.0)
        design, m = self.design[rows], self.m[rows]
        away = self.probability[rows] - self.target[rows]
        gradient = self.penalty * self.weights + design.T @ (m[:, None] * away)
        direction = -self._solve(self._hessian(rows, design, m, away), gradient)
        promise = -float(np.sum(gradient * direction))
        move = self.design @ direction
        before = self._smooth(self.past, self.weights)
        length, scores, weights = 1.0, self.scores, self.weights
        for _ in range(MOST_HALVINGS):
            self._look(scores + length * move)
            trial = weights + length * direction
            if self._smooth(self.past, trial) <= before - 1e-4 * length * promise + ROUNDING * abs(before):
                break
            length /= 2.0
        self.weights = trial
        return length, promise

    def _hessian(self, rows, design, m, away):
        q, n_classes = self.weights.shape
        matrix = np.empty((n_classes, q, n_classes, q))
        probability = self.probability[rows]
        stiff = np.where(self._between()[rows], 1.0 / self.width, 0.0)
        for k in range(n_classes):
            for other in range(k, n_classes):
                bend = m * probability[:, k] * ((k == other) - probability[:, other])
                bend += stiff * away[:, k] * away[:, other]
                block = design.T @ (bend[:, None] * design)
                matrix[k, :, other, :] = block
                matrix[other, :, k, :] = block.T
        for k in range(n_classes):
            matrix[k, :, k, :] += np.diag(self.penalty[:, 0])
        # one number added to the scores of all classes changes nothing: the step has no part in that direction, and
        # the matrix needs one
        scale = np.einsum("kjkj->j", matrix) / n_classes
        matrix += np.diag(np.where(scale > 0.0, scale, 1.0))[None, :, None, :]
        return matrix.reshape(n_classes * q, n_classes * q)

    def _solve(self, matrix, gradient):
        # on the scale of the columns
        right = gradient.T.ravel()
        scale = 1.0 / np.sqrt(matrix.diagonal())
        matrix = matrix * scale[:, None] * scale
        try:
            solution = cho_solve(cho_factor(matrix, lower=True, check_finite=False), scale * right, check_finite=False)
        except LinAlgError:
            solution = lstsq(matrix, scale * right, cond=1e-12, check_finite=False)[0]
        return (scale * solution).reshape(gradient.shape[::-1]).T
