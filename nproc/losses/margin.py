r"""Losses of a margin z = y f(x), y = +1 or -1: the 0-1 loss and its smooth or convex stand-ins.

Each has a value and a derivative, and the parts of its difference of convex functions (DC), l = l1 - l2 with l1 and
l2 convex, on which DC programming rests. All take and return arrays of any shape.

References
----------
Equations (4), (5) and Figure 1 of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, expit

from nproc.checks import check_number


@dataclass(frozen=True)
class HingeLoss:
    """max(0, 1 - z), the convex loss of the support vector machine.

    Examples
    --------
    >>> HingeLoss().value([-1.0, 0.0, 1.0, 2.0])
    array([2., 1., 0., 0.])
    """

    def value(self, z):
        """Return the loss, shape of `z`."""
        return np.maximum(0.0, 1.0 - np.asarray(z, dtype=np.float64))

    def derivative(self, z):
        """Return the derivative in z, shape of `z`; 0, a subgradient, at the kink z = 1."""
        return np.where(np.asarray(z, dtype=np.float64) < 1.0, -1.0, 0.0)

    def dc_parts(self, z):
        """Return (l1, l2): the loss is convex, so l2 = 0."""
        value = self.value(z)
        return value, np.zeros_like(value)

    def dc_derivatives(self, z):
        """Return the derivatives of (l1, l2) in z."""
        slope = self.derivative(z)
        return slope, np.zeros_like(slope)


@dataclass(frozen=True)
class RampLoss:
    """The ramp: 1 for z <= -eta, 0 for z >= eta, straight in between.

    Parameters
    ----------
    eta : float
        Half the width of the ramp, above 0; the loss tends to the 0-1 loss as eta tends to 0.

    Examples
    --------
    >>> RampLoss(eta=1.0).value([-2.0, 0.0, 0.5, 1.0])
    array([1.  , 0.5 , 0.25, 0.  ])
    """

    eta: float = 1.0

    def __post_init__(self):
        check_number(self.eta, "eta")

    def value(self, z):
        """Return the loss, shape of `z`; equation (5)."""
        return np.clip((self.eta - np.asarray(z, dtype=np.float64)) / (2 * self.eta), 0.0, 1.0)

    def derivative(self, z):
        """Return the derivative in z; 0 at the kinks z = -eta and z = eta, where the stochastic update is skipped."""
        return np.where(np.abs(np.asarray(z, dtype=np.float64)) < self.eta, -1.0 / (2 * self.eta), 0.0)

    def dc_parts(self, z):
        """Return (l1, l2) of equation (5): two hinges, with their kinks at eta and -eta."""
        z = np.asarray(z, dtype=np.float64)
        return np.maximum(0.0, (self.eta - z) / (2 * self.eta)), np.maximum(0.0, -(self.eta + z) / (2 * self.eta))

    def dc_derivatives(self, z):
        """Return the derivatives of (l1, l2) in z; 0 at their kinks."""
        z = np.asarray(z, dtype=np.float64)
        slope = -1.0 / (2 * self.eta)
        return np.where(z < self.eta, slope, 0.0), np.where(z < -self.eta, slope, 0.0)


class _SmoothStep:
    # convex to the right of 0 and concave to the left: l1 continues the right half by its tangent at 0

    def dc_parts(self, z):
        """Return (l1, l2): l1 is the loss on z >= 0, continued by its tangent at 0; l2 = l1 - l."""
        z = np.asarray(z, dtype=np.float64)
        value = self.value(z)
        first = np.where(z >= 0, value, self.value(0.0) + self.derivative(0.0) * z)
        return first, first - value

    def dc_derivatives(self, z):
        """Return the derivatives of (l1, l2) in z."""
        z = np.asarray(z, dtype=np.float64)
        slope = self.derivative(z)
        first = np.where(z >= 0, slope, self.derivative(0.0))
        return first, first - slope


@dataclass(frozen=True)
class SigmoidLoss(_SmoothStep):
    """1 / (1 + exp(eta z)).

    The larger eta, the closer to the 0-1 loss. (The text of the paper says that both its losses tend to the 0-1 loss
    as eta tends to 0; that holds for the ramp only.)

    Parameters
    ----------
    eta : float
        Slope, above 0.

    Examples
    --------
    >>> SigmoidLoss(eta=2.0).value(0.0)
    np.float64(0.5)
    """

    eta: float = 1.0

    def __post_init__(self):
        check_number(self.eta, "eta")

    def value(self, z):
        """Return the loss, shape of `z`; equation (4)."""
        return expit(-self.eta * np.asarray(z, dtype=np.float64))

    def derivative(self, z):
        """Return the derivative in z."""
        # -eta p (1 - p), written so that neither factor is lost to rounding
        scaled = self.eta * np.asarray(z, dtype=np.float64)
        return -self.eta * expit(-scaled) * expit(scaled)


@dataclass(frozen=True)
class AtanLoss(_SmoothStep):
    """1/2 + arctan(-beta z) / pi.

    Parameters
    ----------
    beta : float
        Slope, above 0; the larger, the closer to the 0-1 loss.

    Examples
    --------
    >>> AtanLoss(beta=1.0).value([-1.0, 0.0, 1.0])
    array([0.75, 0.5 , 0.25])
    """

    beta: float = 1.0

    def __post_init__(self):
        check_number(self.beta, "beta")

    def value(self, z):
        """Return the loss, shape of `z`; Figure 1."""
        # the same without the cancellation for large z
        return np.arctan2(1.0, self.beta * np.asarray(z, dtype=np.float64)) / np.pi

    def derivative(self, z):
        """Return the derivative in z."""
        return -self.beta / (np.pi * (1.0 + (self.beta * np.asarray(z, dtype=np.float64)) ** 2))


@dataclass(frozen=True)
class ErfLoss(_SmoothStep):
    """1/2 + erf(-beta z) / 2.

    Parameters
    ----------
    beta : float
        Slope, above 0; the larger, the closer to the 0-1 loss.

    Examples
    --------
    >>> ErfLoss(beta=1.0).value(0.0)
    np.float64(0.5)
    """

    beta: float = 1.0

    def __post_init__(self):
        check_number(self.beta, "beta")

    def value(self, z):
        """Return the loss, shape of `z`; Figure 1."""
        # the same without the cancellation for large z
        return erfc(self.beta * np.asarray(z, dtype=np.float64)) / 2.0

    def derivative(self, z):
        """Return the derivative in z."""
        return -self.beta / np.sqrt(np.pi) * np.exp(-((self.beta * np.asarray(z, dtype=np.float64)) ** 2))
