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
from nproc.bands import AlphaChoice, BandValues, NPROCBand, PredictiveBand, PredictiveValues, predictive_band
from nproc.comparison import Comparison, ProcedureComparison, compare_procedures, compare_scores, nproc_bands
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
from nproc.fits import (
    CertifiedBound,
    Evaluation,
    NPFit,
    Type1Curve,
    VoteBound,
    certification_size,
    certify,
    conditional_p_values,
    p_values,
    vote_bound,
)
from nproc.groups import (
    GroupEvaluation,
    GroupThresholds,
    NPClusterFit,
    NPGroupFit,
    np_group_thresholds,
    one_per_cluster,
)
from nproc.model_choice import np_loss, np_score
from nproc.multiclass import (
    MultiEvaluation,
    NPCSClassifier,
    NPCSFit,
    NPMultiClassifier,
    NPMultiFit,
    npc_multiclass,
    npcs,
)
from nproc.orderstat import clopper_pearson, min_class0_size, np_order, type1_upper, type2_bounds, violation_rate
from nproc.persistence import load, save
from nproc.planning import (
    ClassZeroPlan,
    RankLaw,
    SplitRatioPlan,
    SupportedLevels,
    plan_class0,
    plan_split_ratio,
    supported_levels,
    type1_law,
)
from nproc.qvalues import accepted, q_values
from nproc.row_chunks import RowChunks, read_in_chunks, train_in_chunks
from nproc.score_chunks import ScoreChunks
from nproc.scorers import (
    NPSVC,
    AsymmetricCostSVC,
    AveragedScorer,
    ConstrainedNPClassifier,
    GaussianNPClassifier,
    OnlineNPClassifier,
    OnlineNPClassifierCV,
    OnlineNPNetwork,
    ParzenNP,
    PrecisionAtKSVC,
    QValueLinear,
    QValueNetwork,
    QValueSVC,
    SparseLogisticClassifier,
    get_scorer,
    register,
    scorer_names,
)
from nproc.simultaneous import simultaneous_cdf_bounds, simultaneous_order, simultaneous_type1_upper
from nproc.small_samples import (
    NormalityCheck,
    NormalThreshold,
    NPNormalFit,
    normal_factor,
    normality_check,
    np_threshold_normal,
)
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
