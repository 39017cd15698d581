"""Several classes in an order of priority, and the cost-sensitive method beside it.

`npc_multiclass` trains a stage for each class but the last and thresholds it on left-out rows (`NPMultiFit`); `npcs`
estimates costs for which the errors meet their levels, without a promise (`NPCSFit`).
"""

from nproc.multiclass.costs import VARIANTS, npcs
from nproc.multiclass.estimators import NPCSClassifier, NPMultiClassifier
from nproc.multiclass.priority import npc_multiclass
from nproc.multiclass.result import MultiEvaluation, NPCSFit, NPMultiFit
from nproc.multiclass.stages import SCHEMES, SCORES

__all__ = [
    "SCHEMES",
    "SCORES",
    "VARIANTS",
    "MultiEvaluation",
    "NPCSClassifier",
    "NPCSFit",
    "NPMultiClassifier",
    "NPMultiFit",
    "npc_multiclass",
    "npcs",
]
