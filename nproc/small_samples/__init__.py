"""Thresholds under a normal model, for class 0 samples that are too small for an order statistic.

`fit_small_sample` fits the umbrella where the rows suffice, and else takes the normal threshold of the same scores.
"""

from nproc.small_samples.fit import NPNormalFit, fit_small_sample
from nproc.small_samples.normality import NormalityCheck, normality_check
from nproc.small_samples.threshold import NormalThreshold, normal_factor, np_threshold_normal

__all__ = [
    "NPNormalFit",
    "NormalThreshold",
    "NormalityCheck",
    "fit_small_sample",
    "normal_factor",
    "normality_check",
    "np_threshold_normal",
]
