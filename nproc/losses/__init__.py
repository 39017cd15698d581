"""Pointwise losses of a margin z = y f(x), y = +1 or -1, and what solvers need of them."""

from nproc.losses.margin import AtanLoss, ErfLoss, HingeLoss, RampLoss, SigmoidLoss

__all__ = ["AtanLoss", "ErfLoss", "HingeLoss", "RampLoss", "SigmoidLoss"]
