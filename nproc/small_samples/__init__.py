"""Thresholds under a normal model, for class 0 samples that are too small for an order statistic.

`fit_small_sample` fits the umbrella where the rows suffice, and else takes the normal threshold of the same scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.small_samples.fit import NPNormalFit, small_sample_umbrella
    from nproc.small_samples.normality import NormalityCheck, normality_check
    from nproc.small_samples.threshold import NormalThreshold, normal_factor, np_threshold_normal

# imported when they are asked for
_FILES = {
    "NPNormalFit": "fit",
    "NormalThreshold": "threshold",
    "NormalityCheck": "normality",
    "normal_factor": "threshold",
    "normality_check": "normality",
    "np_threshold_normal": "threshold",
    "small_sample_umbrella": "fit",
}

__all__ = [
    "NPNormalFit",
    "NormalThreshold",
    "NormalityCheck",
    "normal_factor",
    "normality_check",
    "np_threshold_normal",
    "small_sample_umbrella",
]

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
