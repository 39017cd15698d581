r"""Losses of a margin z = y f(x), y = +1 or -1, that stand for the 0-1 loss; nonconvex, between 0 and 1.

References
----------
Equations (4) and (5) of [gasso2011]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from nproc.checks import check_number


@dataclass(frozen=True)
class RampLoss:
    """The ramp loss, for kernel machines: 1 for z <= -eta, 0 for z >= eta, straight in between.

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

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the loss, shape of `z`; equation (5)."""
        return np.clip((self.eta - np.asarray(z, dtype=np.float64)) / (2 * self.eta), 0.0, 1.0)

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative in z; 0 at the kinks z = -eta and z = eta, where the stochastic update is skipped."""
        return np.where(np.abs(np.asarray(z, dtype=np.float64)) < self.eta, -1.0 / (2 * self.eta), 0.0)


@dataclass(frozen=True)
class SigmoidLoss:
    """The sigmoid loss 1 / (1 + exp(eta z)), for stochastic descent: smooth, with a slope everywhere.

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

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the loss, shape of `z`; equation (4)."""
        return expit(-self.eta * np.asarray(z, dtype=np.float64))

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative in z."""
        # -eta p (1 - p), written so that neither factor is lost to rounding
        scaled = self.eta * np.asarray(z, dtype=np.float64)
        return -self.eta * expit(-scaled) * expit(scaled)
