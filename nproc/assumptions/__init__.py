"""Does anything speak against what the promise rests on? Checks of a fit, which inform and promise nothing.

The promise rests on left-out class 0 rows that are independent draws of the law of those to come. `check_fit` is
`NPFit.check_assumptions`: it finds out which rows were left out, and makes of each check an `AssumptionCheck`, all of
them an `AssumptionChecks`.

References
----------
.. [vovk2005] Vovk, V., Gammerman, A. and Shafer, G. (2005). Algorithmic Learning in a Random World. Springer.
.. [vovk2021] Vovk, V., Petej, I., Nouretdinov, I., Ahlberg, E., Carlsson, L. and Gammerman, A. (2021). Retrain or not
   retrain: conformal test martingales for change-point detection. Proceedings of Machine Learning Research 152,
   191-210.
.. [ville1939] Ville, J. (1939). Etude critique de la notion de collectif. Gauthier-Villars, Paris.
.. [ruger1978] Rueger, B. (1978). Das maximale Signifikanzniveau des Tests: "Lehne H0 ab, wenn k unter n gegebenen
   Tests zur Ablehnung fuehren". Metrika 25, 171-178.
"""

from nproc.assumptions.check import check_fit, left_out_positions, way_to_rows
from nproc.assumptions.result import AGAINST, ALONE, AssumptionCheck, AssumptionChecks

__all__ = ["AGAINST", "ALONE", "AssumptionCheck", "AssumptionChecks", "check_fit", "left_out_positions", "way_to_rows"]
