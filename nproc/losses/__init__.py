"""Pointwise losses of a margin z = y f(x), y = +1 or -1, and what solvers need of them.

References
----------
The work [gasso2011]_ is in ``help(nproc.solvers)``.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson classification
   using an outer approximation splitting method. Preprint hal-01160831.
.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du Signal
   25(4), 279-291.
"""

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
