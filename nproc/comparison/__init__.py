"""Which method is better at which levels: of fitted rules, fitted scores, or procedures.

Bands of the same splits, or scores of the same rows, become regions of alpha in which one method is called better, each
with what it claims and how sure it is: a `Comparison`. `compare_procedures` speaks of the methods over training sets.
"""

from nproc.comparison.auc import AUCComparison, compare_aucs, partial_auc
from nproc.comparison.bands import ABOUT, REGIONS, compare, compare_scores
from nproc.comparison.methods import nproc_bands
from nproc.comparison.procedures import compare_procedures
from nproc.comparison.result import Comparison, ProcedureComparison

__all__ = [
    "ABOUT",
    "REGIONS",
    "AUCComparison",
    "Comparison",
    "ProcedureComparison",
    "compare",
    "compare_aucs",
    "compare_procedures",
    "compare_scores",
    "nproc_bands",
    "partial_auc",
]
