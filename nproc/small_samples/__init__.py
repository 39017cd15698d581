"""Thresholds under an assumption on the scores, for class 0 samples that are too small for an order statistic.

`fit_small_sample` fits the umbrella where the rows suffice, and else takes a threshold of the same scores that assumes
normal scores, or an upper tail that is log-concave.
"""

from nproc.small_samples.fit import NPSmallSampleFit, fit_small_sample
from nproc.small_samples.log_concave import LogConcaveThreshold, log_concave_factor, np_threshold_log_concave
from nproc.small_samples.normality import NormalityCheck, normality_check
from nproc.small_samples.threshold import NormalThreshold, normal_factor, np_threshold_normal

__all__ = [
    "LogConcaveThreshold",
    "NPSmallSampleFit",
    "NormalThreshold",
    "NormalityCheck",
    "fit_small_sample",
    "log_concave_factor",
    "normal_factor",
    "normality_check",
    "np_threshold_log_concave",
    "np_threshold_normal",
]
