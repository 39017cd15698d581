"""Thresholds where the class 0 scores at hand are not a sample of the class 0 to come.

`np_threshold_noisy` takes samples in which some labels are wrong, in known or bounded shares.
"""

from nproc.biased_samples.noisy import NoisyThreshold, np_threshold_noisy
from nproc.biased_samples.sensitivity import NoiseSensitivity, noise_sensitivity

__all__ = [
    "NoiseSensitivity",
    "NoisyThreshold",
    "noise_sensitivity",
    "np_threshold_noisy",
]
