"""Pointwise losses of a margin z = y f(x), y = +1 or -1, and what solvers need of them."""

from nproc.losses.calibrated import CALIBRATED_LOSSES, CalibratedHingeLoss, LogisticLoss, MatsusitaLoss
from nproc.losses.margin import RampLoss, SigmoidLoss
from nproc.losses.truncated import TruncatedLikelihood

__all__ = [
    "CALIBRATED_LOSSES",
    "CalibratedHingeLoss",
    "LogisticLoss",
    "MatsusitaLoss",
    "RampLoss",
    "SigmoidLoss",
    "TruncatedLikelihood",
]
