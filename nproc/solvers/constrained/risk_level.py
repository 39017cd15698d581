r"""The level of a surrogate risk that bounds the true one with a stated probability (Theorem 2.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.checks import check_level
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.solvers.constrained.problem import L1Ball
from nproc.tables import ShortRepr


@dataclass(frozen=True, kw_only=True, repr=False)
class RiskLevel(ShortRepr):
    r"""A level tau for the training surrogate risk of class 0, and what it promises about new rows.

    Attributes
    ----------
    tau : float
        Bound on the mean loss of the class 0 training rows: ``level - gamma / sqrt(n0)``.
    level : float
        Bound on the expected loss of class 0, which holds with probability `confidence`.
    type1_bound : float
        ``level / phi(0)``, or 1: the bound on the type I error P(predict 1 | class 0) that follows.
    confidence : float
        1 - 2 delta.
    gamma : float
        Equation (15), with the Lipschitz constant of the loss itself on [-1, 1].
    epsilon : float
        Equation (14): the smallest expected loss of class 0 over the rules allowed, as a share of `level`.
    least_n0 : int
        m_0 of equation (16), the class 0 rows needed.
    type2_gap : float
        Equation (18): with that confidence, the expected loss of class 1 is no more than this above the least one
        that rules with an expected loss of class 0 of at most `level` have.
    alpha, delta : float
        As given.
    n0, n1, n_features : int
        As given; an intercept counts as a feature.
    """

    tau: float
    level: float
    type1_bound: float
    confidence: float
    gamma: float
    epsilon: float
    least_n0: int
    type2_gap: float
    alpha: float
    delta: float
    n0: int
    n1: int
    n_features: int


def theorem_level(n0, n1, n_features, *, alpha, delta, loss, least_risk=None, scaled=False):
    r"""Return the `RiskLevel` of Theorem 2.3 for a linear rule in an l1 ball.

    For rules :math:`h(x) = \langle x, w \rangle` with :math:`\|w\|_1 \le M` and rows with
    :math:`M \|x\|_\infty \le 1`, so that :math:`|h| \le 1`, h is a mixture of the 2 d rules
    :math:`\pm M x_i`. The mean loss of :math:`n_0` rows is then close to the expected one for all of them at once: with
    probability :math:`1 - \delta` nowhere further off than :math:`\gamma / \sqrt{n_0}`, where

    .. math:: \gamma = 4 L \sqrt{2 \ln(4 d / \delta)}

    and L is the largest slope of the loss on [-1, 1]. A rule whose mean loss is at most
    :math:`\tau = \alpha - \gamma / \sqrt{n_0}` has thus an expected loss of at most :math:`\alpha`.

    Parameters
    ----------
    n0, n1 : int
        Rows of class 0, whose error is bounded, and of class 1.
    n_features : int
        Number d of features; an intercept is one more.
    alpha : float
        Level, in (0, 1).
    delta : float
        In (0, 1/2); the promises hold with probability 1 - 2 delta.
    loss : object
        A loss with ``value(z)`` and ``derivative(z)``, decreasing, convex and at least 0 on [-1, 1].
    least_risk : float, optional
        Smallest expected loss of class 0 over the ball. By default phi(1), below which no rule with |h| <= 1 can
        come, and which an intercept as large as the largest feature reaches. Without an intercept, the smallest mean
        loss of the training rows can stand in (see `least_mean_loss`).
    scaled : bool
        False as the theorem is printed: `alpha` bounds the expected loss, and the type I error is at most
        alpha / phi(0). True divides the loss by phi(0) first, so that it is at least 1 where a row is called wrongly:
        `alpha` then bounds the type I error itself, and ``level`` is alpha phi(0).

    Returns
    -------
    RiskLevel

    Raises
    ------
    InvalidInputError
        If no rule with |h| <= 1 has so small a risk: `level` is not above `least_risk`. For the logistic loss that is
        every alpha up to 0.313 (0.452 if scaled). Also for a loss that is negative on [-1, 1], for which no bound
        holds (calibrated hinge).
    TooFewSamplesError
        If n0 is smaller than m_0; the message names it.

    See Also
    --------
    nproc.np_order : The exact bound by an order statistic, which needs no ball and far fewer rows.

    Notes
    -----
    Sizes: with the logistic loss, 10 features, delta = 0.05 and alpha = 0.4, 243 000 class 0 rows.

    The theorem needs rows in a box that is known beforehand; the largest entry of the training rows is only an
    estimate of it. As printed, (15) has the Lipschitz constant of the derivative of the loss, and (18) phi(1) where
    the theorem it is taken from, written for increasing losses, means the largest value, here phi(-1).

    References
    ----------
    Theorem 2.3 of [barlaud2015]_; Theorem 5 of [rigollet2011]_.

    Examples
    --------
    >>> from nproc.losses.calibrated import LogisticLoss
    >>> from nproc.solvers.constrained.risk_level import theorem_level
    >>> found = theorem_level(300_000, 300_000, 10, alpha=0.4, delta=0.05, loss=LogisticLoss())
    >>> print(f"tau={found.tau:.4f} gamma={found.gamma:.2f} m_0={found.least_n0} type I <= {found.type1_bound:.3f}")
    tau=0.3805 gamma=10.69 m_0=243125 type I <= 0.577
    """
    at_one, at_zero, at_minus_one = (float(v) + 0.0 for v in loss.value(np.array([1.0, 0.0, -1.0])))
    if at_one < 0.0 or at_zero <= 0.0:
        raise InvalidInputError(
            f"loss must be at least 0 on [-1, 1] for a bound on the type I error, got {type(loss).__name__} with "
            f"phi(0) = {at_zero:.3g} and phi(1) = {at_one:.3g}. Use the logistic or Matsusita loss, or give tau itself."
        )
    level = alpha * at_zero if scaled else alpha
    least_risk = at_one if least_risk is None else max(at_one, least_risk)
    if level <= least_risk:
        raise InvalidInputError(_out_of_reach(alpha, level, least_risk, at_one, at_zero, scaled))
    # a convex decreasing function is steepest on the left
    lipschitz = abs(float(loss.derivative(np.array([-1.0]))[0]))
    gamma = 4.0 * lipschitz * math.sqrt(2.0 * math.log(4.0 * n_features / delta))
    room = level - least_risk
    least_n0 = math.ceil((4.0 * gamma / room) ** 2)
    if n0 < least_n0:
        enough = math.ceil(math.log(delta) / math.log1p(-alpha))
        raise TooFewSamplesError(
            f"Theorem 2.3 needs {least_n0} rows of class 0 for alpha={alpha:g} and delta={delta:g} with {n_features} "
            f"columns (a constant counts as one), got {n0}. Its linear rules have scores between -1 and 1, and an "
            f"expected loss of class 0 of at least {least_risk:.4g}, but at most {level:.4g} is required. Use a larger "
            f"alpha, give tau itself, or let npc() set the threshold, for which it needs {enough}."
        )
    return RiskLevel(
        tau=level - gamma / math.sqrt(n0),
        level=level,
        type1_bound=min(1.0, level / at_zero),
        confidence=1.0 - 2.0 * delta,
        gamma=gamma,
        epsilon=least_risk / level,
        least_n0=least_n0,
        type2_gap=4.0 * gamma * at_minus_one / (room * math.sqrt(n0)) + 2.0 * gamma / math.sqrt(n1),
        alpha=alpha,
        delta=delta,
        n0=n0,
        n1=n1,
        n_features=n_features,
    )


def check_half_level(delta):
    """Return `delta` as a float that lies strictly between 0 and 1/2."""
    delta = check_level(delta, "delta")
    if delta >= 0.5:
        raise InvalidInputError(
            f"delta must lie strictly between 0 and 1/2 for a probability 1 - 2 delta, got {delta:g}."
        )
    return delta


def least_mean_loss(X0, *, loss, radius, tol=1e-6, max_iter=10_000):
    r"""Return the smallest mean loss of class 0 rows over the linear rules of an l1 ball, without an intercept.

    It stands in for the smallest expected loss, which (14) needs and nobody knows. Accelerated projected gradient,
    which stops when the mean loss is within `tol` of the least value of a tangent over the ball, which is
    :math:`F(w) - \langle w, g \rangle - M \|g\|_\infty` for the mean loss F and its gradient g at w.

    Parameters
    ----------
    X0 : ndarray or CSR matrix, shape (n0, d)
        Rows of class 0.
    loss : object
        A loss with ``value``, ``derivative`` and ``curvature``.
    radius : float
        M, the bound on the sum of the absolute weights.
    tol : float
        Precision.
    max_iter : int
        Most gradients.

    Returns
    -------
    least : float
        A mean loss that a rule of the ball has, so never too small; too large by `tol` at most unless `max_iter` was
        reached.

    References
    ----------
    Equation (14) of [barlaud2015]_, with the sample in place of the law.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.losses.calibrated import LogisticLoss
    >>> from nproc.solvers.constrained.risk_level import least_mean_loss
    >>> print(f"{least_mean_loss(np.array([[1.0, 0.0], [1.0, 0.5]]), loss=LogisticLoss(), radius=1.0):.4f}")
    0.3133
    """
    ball, n0 = L1Ball(radius), X0.shape[0]
    # the largest eigenvalue of X'X / n is at most the mean squared length of a row
    squares = X0.multiply(X0) if sparse.issparse(X0) else X0 * X0
    step = n0 / (loss.curvature * max(float(squares.sum()), np.finfo(float).tiny))
    w = point = np.zeros(X0.shape[1])
    heights = point_heights = np.zeros(n0)
    momentum, least, bound = 1.0, float(loss.value(0.0)), -math.inf
    for _ in range(max_iter):
        gradient = -(X0.T @ loss.derivative(-point_heights)) / n0
        tangent = float(loss.value(-point_heights).mean()) - float(point @ gradient)
        bound = max(bound, tangent - ball.support(gradient))
        new = ball.project(point - step * gradient)
        new_heights = X0 @ new
        least = min(least, float(loss.value(-new_heights).mean()))
        if least - bound <= tol:
            break
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        ahead = (momentum - 1.0) / following
        point, point_heights = new + ahead * (new - w), new_heights + ahead * (new_heights - heights)
        w, heights, momentum = new, new_heights, following
    return least


def _out_of_reach(alpha, level, least_risk, at_one, at_zero, scaled):
    if least_risk > at_one * (1.0 + 1e-9):
        least = f"{least_risk:.4g}"
    else:
        least = f"phi(1) = {at_one:.4g}"
    limit = least_risk / at_zero if scaled else least_risk
    asked = f"alpha phi(0) = {level:.4g}" if scaled else f"{level:.4g}"
    larger = f"an alpha above {limit:.4g}, " if limit < 1.0 else ""
    return (
        f"alpha={alpha:g} cannot be reached: Theorem 2.3 holds for linear rules with scores between -1 and 1, which "
        f"have an expected loss of class 0 of at least {least}, but at most {asked} is required. Use {larger}give tau "
        "itself, or let npc() set the threshold."
    )
