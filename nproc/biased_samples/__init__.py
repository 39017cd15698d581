"""Thresholds where the class 0 scores at hand are not a sample of the class 0 to come.

`np_threshold_shifted`: the ratio of the two densities is known for each row, or bounded. `np_threshold_noisy`: some
labels are wrong, in known or bounded shares.

References
----------
.. [tibshirani2019] Tibshirani, R. J., Foygel Barber, R., Candes, E. J. and Ramdas, A. (2019). Conformal prediction
   under covariate shift. Advances in Neural Information Processing Systems 32.
.. [vonneumann1951] von Neumann, J. (1951). Various techniques used in connection with random digits. National Bureau
   of Standards Applied Mathematics Series 12, 36-38.
.. [vovkwang2021] Vovk, V. and Wang, R. (2021). E-values: calibration, combination and applications. Annals of
   Statistics 49(3), 1736-1754.
"""

from nproc.biased_samples.noisy import NoisyThreshold, np_threshold_noisy
from nproc.biased_samples.sensitivity import NoiseSensitivity, noise_sensitivity
from nproc.biased_samples.shifted import ShiftedThreshold, np_threshold_shifted

__all__ = [
    "NoiseSensitivity",
    "NoisyThreshold",
    "ShiftedThreshold",
    "noise_sensitivity",
    "np_threshold_noisy",
    "np_threshold_shifted",
]
