"""Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.

`npc` gives a classifier, `nproc` an NP-ROC band, `compare` the levels at which one method dominates another.
Class 0 is always the class whose misclassification is controlled.

References
----------
.. [tong2018] Tong, X., Feng, Y. and Li, J. J. (2018). Neyman-Pearson classification algorithms and NP
   receiver operating characteristics. Science Advances 4(2), eaao1659.
"""

from nproc import starting  # noqa: F401  first, since it takes Ctrl-C while the others are imported
from nproc.api import compare, npc, nproc, roc_cv
from nproc.bands.band import NPROCBand
from nproc.bands.bounds import AlphaChoice, BandValues
from nproc.bands.predictive import PredictiveBand, PredictiveValues, predictive_band
from nproc.comparison.compare import compare_scores
from nproc.comparison.methods import nproc_bands
from nproc.comparison.procedures import compare_procedures
from nproc.comparison.result import Comparison, ProcedureComparison
from nproc.crossval import ROCCurve
from nproc.display import NPROCDisplay
from nproc.errors import (
    InvalidInputError,
    LostWorkerError,
    NotConvergedWarning,
    NPError,
    NPWarning,
    PlainPythonWarning,
    SeparationWarning,
    TooFewSamplesError,
)
from nproc.estimator import NPClassifier
from nproc.fits.certification import CertifiedBound, certification_size, certify
from nproc.fits.evaluation import Evaluation
from nproc.fits.fit import NPFit
from nproc.fits.pvalues import conditional_p_values, p_values
from nproc.fits.type1_curve import Type1Curve
from nproc.fits.vote_bound import VoteBound, vote_bound
from nproc.groups.clusters import NPClusterFit, one_per_cluster
from nproc.groups.fit import GroupEvaluation, NPGroupFit
from nproc.groups.thresholds import GroupThresholds, np_group_thresholds
from nproc.model_choice import np_loss, np_score
from nproc.multiclass.costs import npcs
from nproc.multiclass.estimators import NPCSClassifier, NPMultiClassifier
from nproc.multiclass.priority import npc_multiclass
from nproc.multiclass.result import MultiEvaluation, NPCSFit, NPMultiFit
from nproc.orderstat import clopper_pearson, min_class0_size, np_order, type1_upper, type2_bounds, violation_rate
from nproc.persistence import load, save
from nproc.planning.class0 import ClassZeroPlan, plan_class0
from nproc.planning.rank_law import RankLaw, type1_law
from nproc.planning.split_ratio import SplitRatioPlan, plan_split_ratio
from nproc.planning.supported import SupportedLevels, supported_levels
from nproc.qvalues import accepted, q_values
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.reading import read_in_chunks
from nproc.row_chunks.training import train_in_chunks
from nproc.score_chunks.sources import ScoreChunks
from nproc.scorers import get_scorer, register, scorer_names
from nproc.scorers.averaged import AveragedScorer
from nproc.scorers.papers.acsvm import AsymmetricCostSVC
from nproc.scorers.papers.constrained import ConstrainedNPClassifier
from nproc.scorers.papers.generative import GaussianNPClassifier
from nproc.scorers.papers.network import OnlineNPNetwork
from nproc.scorers.papers.npsvm import NPSVC
from nproc.scorers.papers.online import OnlineNPClassifier
from nproc.scorers.papers.online_cv import OnlineNPClassifierCV
from nproc.scorers.papers.parzen import ParzenNP
from nproc.scorers.papers.qvalue import QValueLinear, QValueNetwork
from nproc.scorers.papers.qvalue_svm import QValueSVC
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier
from nproc.scorers.papers.svmperf import PrecisionAtKSVC
from nproc.simultaneous import simultaneous_cdf_bounds, simultaneous_order, simultaneous_type1_upper
from nproc.small_samples.fit import NPNormalFit
from nproc.small_samples.normality import NormalityCheck, normality_check
from nproc.small_samples.threshold import NormalThreshold, normal_factor, np_threshold_normal
from nproc.thresholds import Threshold, np_threshold
from nproc.tuning import RatioChoice

__version__ = "0.1.0"

__all__ = [
    "NPSVC",
    "AlphaChoice",
    "AsymmetricCostSVC",
    "AveragedScorer",
    "BandValues",
    "CertifiedBound",
    "ClassZeroPlan",
    "Comparison",
    "ConstrainedNPClassifier",
    "Evaluation",
    "GaussianNPClassifier",
    "GroupEvaluation",
    "GroupThresholds",
    "InvalidInputError",
    "LostWorkerError",
    "MultiEvaluation",
    "NPCSClassifier",
    "NPCSFit",
    "NPClassifier",
    "NPClusterFit",
    "NPError",
    "NPFit",
    "NPGroupFit",
    "NPMultiClassifier",
    "NPMultiFit",
    "NPNormalFit",
    "NPROCBand",
    "NPROCDisplay",
    "NPWarning",
    "NormalThreshold",
    "NormalityCheck",
    "NotConvergedWarning",
    "OnlineNPClassifier",
    "OnlineNPClassifierCV",
    "OnlineNPNetwork",
    "ParzenNP",
    "PlainPythonWarning",
    "PrecisionAtKSVC",
    "PredictiveBand",
    "PredictiveValues",
    "ProcedureComparison",
    "QValueLinear",
    "QValueNetwork",
    "QValueSVC",
    "ROCCurve",
    "RankLaw",
    "RatioChoice",
    "RowChunks",
    "ScoreChunks",
    "SeparationWarning",
    "SparseLogisticClassifier",
    "SplitRatioPlan",
    "SupportedLevels",
    "Threshold",
    "TooFewSamplesError",
    "Type1Curve",
    "VoteBound",
    "accepted",
    "certification_size",
    "certify",
    "clopper_pearson",
    "compare",
    "compare_procedures",
    "compare_scores",
    "conditional_p_values",
    "get_scorer",
    "load",
    "min_class0_size",
    "normal_factor",
    "normality_check",
    "np_group_thresholds",
    "np_loss",
    "np_order",
    "np_score",
    "np_threshold",
    "np_threshold_normal",
    "npc",
    "npc_multiclass",
    "npcs",
    "nproc",
    "nproc_bands",
    "one_per_cluster",
    "p_values",
    "plan_class0",
    "plan_split_ratio",
    "predictive_band",
    "q_values",
    "read_in_chunks",
    "register",
    "roc_cv",
    "save",
    "scorer_names",
    "simultaneous_cdf_bounds",
    "simultaneous_order",
    "simultaneous_type1_upper",
    "supported_levels",
    "train_in_chunks",
    "type1_law",
    "type1_upper",
    "type2_bounds",
    "violation_rate",
    "vote_bound",
]
