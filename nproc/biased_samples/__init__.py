"""Thresholds where the class 0 scores at hand are not a sample of the class 0 to come.

`np_threshold_shifted`: the ratio of the two densities is known for each row, or bounded.

References
----------
.. [tibshirani2019] Tibshirani, R. J., Foygel Barber, R., Candes, E. J. and Ramdas, A. (2019). Conformal prediction
   under covariate shift. Advances in Neural Information Processing Systems 32.
.. [vonneumann1951] von Neumann, J. (1951). Various techniques used in connection with random digits. National Bureau
   of Standards Applied Mathematics Series 12, 36-38.
.. [vovkwang2021] Vovk, V. and Wang, R. (2021). E-values: calibration, combination and applications. Annals of
   Statistics 49(3), 1736-1754.
"""

from nproc.biased_samples.shifted import ShiftedThreshold, np_threshold_shifted

__all__ = ["ShiftedThreshold", "np_threshold_shifted"]
