"""Which method is better at which levels: of fitted rules, fitted scores, or procedures.

Bands of the same splits, or scores of the same rows, become regions of alpha in which one method is called better, each
with what it claims and how sure it is: a `Comparison`. `compare_procedures` speaks of the methods over training sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.comparison.bands import ABOUT, REGIONS, compare, compare_scores
    from nproc.comparison.methods import nproc_bands
    from nproc.comparison.procedures import compare_procedures
    from nproc.comparison.result import Comparison, ProcedureComparison

# imported when they are asked for
_FILES = {
    "ABOUT": "bands",
    "Comparison": "result",
    "ProcedureComparison": "result",
    "REGIONS": "bands",
    "compare": "bands",
    "compare_procedures": "procedures",
    "compare_scores": "bands",
    "nproc_bands": "methods",
}

__all__ = [
    "ABOUT",
    "REGIONS",
    "Comparison",
    "ProcedureComparison",
    "compare",
    "compare_procedures",
    "compare_scores",
    "nproc_bands",
]

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
