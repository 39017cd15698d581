"""Several classes in an order of priority, and the cost-sensitive method beside it.

`npc_multiclass` trains a stage for each class but the last and thresholds it on left-out rows (`NPMultiFit`); `npcs`
estimates costs for which the errors meet their levels, without a promise (`NPCSFit`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.multiclass.costs import VARIANTS, npcs
    from nproc.multiclass.estimators import NPCSClassifier, NPMultiClassifier
    from nproc.multiclass.priority import npc_multiclass
    from nproc.multiclass.result import MultiEvaluation, NPCSFit, NPMultiFit
    from nproc.multiclass.stages import SCHEMES, SCORES

# imported when they are asked for
_FILES = {
    "MultiEvaluation": "result",
    "NPCSClassifier": "estimators",
    "NPCSFit": "result",
    "NPMultiClassifier": "estimators",
    "NPMultiFit": "result",
    "SCHEMES": "stages",
    "SCORES": "stages",
    "VARIANTS": "costs",
    "npc_multiclass": "priority",
    "npcs": "costs",
}

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

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
