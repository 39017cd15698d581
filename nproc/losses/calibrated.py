r"""Smooth calibrated losses of a margin z = y f(x): logistic, calibrated hinge and Matsusita.

Each is convex and falls strictly. Its derivative is phi' = f - 1 for an increasing f into [0, 1] with
f(z) + f(-z) = 1, which is the posterior probability of class 1 that a score z stands for (Assumption 1); the second
derivative is largest at 0.

Notes
-----
Equation (17) says that the surrogate risk bounds the risk of the 0-1 loss. That needs phi(z) >= 1 for z <= 0, which
none of these losses has. Divided by phi(0), the logistic and the Matsusita loss have it: a surrogate type I risk of at
most tau makes the type I error at most tau / phi(0), and never the surrogate risk itself. For the calibrated hinge no
multiple gives a bound, as phi(0) = 0.

References
----------
Section 2.4 of [barlaud2015]_: Assumption 1 and equations (19) and (24) to (26), with ln(2 + |t|) in place of
ln(sqrt(2 + |t|)) in (25), which as printed has a kink at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit


class _CalibratedLoss:
    # f(z) = 1 - f(-z) = -phi'(-z): no digits are lost where f is small

    def posterior(self, z):
        """Return f(z), the probability of class 1 that a score `z` stands for; shape of `z`, equation (19)."""
        return -self.derivative(-np.asarray(z, dtype=np.float64))


@dataclass(frozen=True)
class LogisticLoss(_CalibratedLoss):
    """The logistic loss log(1 + exp(-z)): the usual choice; divided by ``at_zero`` = log 2 it bounds the 0-1 loss.

    Attributes
    ----------
    curvature : float
        phi''(0), the largest second derivative.
    at_zero : float
        phi(0).
    infimum : float
        The limit for large z, which is not attained.

    References
    ----------
    Equation (24) of [barlaud2015]_.

    Examples
    --------
    >>> LogisticLoss().value([-1000.0, 0.0]).round(4)
    array([1.000e+03, 6.931e-01])
    >>> LogisticLoss().posterior(0.0)
    np.float64(0.5)
    """

    curvature: ClassVar[float] = 0.25
    at_zero: ClassVar[float] = float(np.log(2.0))
    infimum: ClassVar[float] = 0.0

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the loss, shape of `z`."""
        z = np.asarray(z, dtype=np.float64)
        # as logaddexp(0, -z), in half the time
        return np.maximum(0.0, -z) + np.log1p(np.exp(-np.abs(z)))

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative in z, between -1 and 0."""
        return -expit(-np.asarray(z, dtype=np.float64))

    def second_derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the second derivative in z."""
        z = np.asarray(z, dtype=np.float64)
        return expit(z) * expit(-z)


@dataclass(frozen=True)
class CalibratedHingeLoss(_CalibratedLoss):
    """The calibrated hinge max(0, -z) - log(1 + |z| / 2): hinge-like far out; it bounds no multiple of the 0-1 loss.

    It is 0 at 0 and tends to minus infinity as z grows, so it is not a map into [0, inf[, as equation (3) asks, and
    its class means may be negative. Every risk below 0 needs more than w = 0, and w = 0 is feasible for every tau > 0.

    Attributes
    ----------
    curvature : float
        phi''(0), the largest second derivative.
    at_zero : float
        phi(0).
    infimum : float
        The limit for large z.

    References
    ----------
    Equation (25) of [barlaud2015]_ with ln(2 + |t|); as printed, its slopes at 0 are -3/4 and -1/4.

    Examples
    --------
    >>> CalibratedHingeLoss().value([-2.0, 2.0]).round(4)
    array([ 1.3069, -0.6931])
    """

    curvature: ClassVar[float] = 0.25
    at_zero: ClassVar[float] = 0.0
    infimum: ClassVar[float] = -np.inf

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the loss, shape of `z`."""
        z = np.asarray(z, dtype=np.float64)
        return np.maximum(0.0, -z) - np.log1p(0.5 * np.abs(z))

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative in z, between -1 and 0."""
        z = np.asarray(z, dtype=np.float64)
        size = np.abs(z)
        return np.where(z >= 0, -1.0, -1.0 - size) / (2.0 + size)

    def second_derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the second derivative in z."""
        return (1.0 / (2.0 + np.abs(np.asarray(z, dtype=np.float64)))) ** 2


@dataclass(frozen=True)
class MatsusitaLoss(_CalibratedLoss):
    """The Matsusita loss (sqrt(1 + z^2) - z) / 2, which falls slowly; divided by ``at_zero`` it bounds the 0-1 loss.

    Attributes
    ----------
    curvature : float
        phi''(0), the largest second derivative.
    at_zero : float
        phi(0).
    infimum : float
        The limit for large z, which is not attained.

    References
    ----------
    Equation (26) of [barlaud2015]_.

    Examples
    --------
    >>> MatsusitaLoss().value([-0.75, 0.0, 0.75])
    array([1.  , 0.5 , 0.25])
    """

    curvature: ClassVar[float] = 0.5
    at_zero: ClassVar[float] = 0.5
    infimum: ClassVar[float] = 0.0

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the loss, shape of `z`."""
        z = np.asarray(z, dtype=np.float64)
        # (h + |z|) / 2 is the loss at -|z|, and its product with the loss at |z| is 1/4: no difference is taken
        half_sum = 0.5 * np.abs(z) + 0.5 * np.hypot(1.0, z)
        return np.where(z > 0, 0.25 / half_sum, half_sum)

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative in z, between -1 and 0."""
        z = np.asarray(z, dtype=np.float64)
        h = np.hypot(1.0, z)
        half_sum = 0.5 * np.abs(z) + 0.5 * h
        # -phi(z) / h, as (h - z) / (2 h)
        return np.where(z > 0, -0.25 / half_sum / h, -(half_sum / h))

    def second_derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the second derivative in z."""
        return 0.5 * (1.0 / np.hypot(1.0, np.asarray(z, dtype=np.float64))) ** 3


CALIBRATED_LOSSES = {
    "logistic": LogisticLoss(),
    "calibrated_hinge": CalibratedHingeLoss(),
    "matsusita": MatsusitaLoss(),
}
