"""Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.

`npc` gives a classifier, `nproc` an NP-ROC band, `compare` the levels at which one method dominates another.
Class 0 is always the class whose misclassification is controlled.

References
----------
.. [tong2018] Tong, X., Feng, Y. and Li, J. J. (2018). Neyman-Pearson classification algorithms and NP
   receiver operating characteristics. Science Advances 4(2), eaao1659.
"""

from nproc.api import compare, npc, nproc, roc_cv
from nproc.bandpoints import AlphaChoice, BandValues
from nproc.bands import NPROCBand
from nproc.comparison import Comparison
from nproc.crossval import ROCCurve
from nproc.display import NPROCDisplay
from nproc.errorbounds import clopper_pearson, type2_bounds
from nproc.errors import (
    InvalidInputError,
    NotConvergedWarning,
    NPError,
    NPWarning,
    PlainPythonWarning,
    SeparationWarning,
    TooFewSamplesError,
)
from nproc.estimator import NPClassifier
from nproc.evaluation import Evaluation
from nproc.fitted import NPFit
from nproc.model_choice import np_loss, np_score
from nproc.orderstat import min_class0_size, np_order, type1_upper, violation_rate
from nproc.persistence import load, save
from nproc.qvalues import accepted, q_values
from nproc.scorers import get_scorer, register, scorer_names
from nproc.scorers.papers_acsvm import AsymmetricCostSVC
from nproc.scorers.papers_constrained import ConstrainedNPClassifier
from nproc.scorers.papers_generative import GaussianNPClassifier
from nproc.scorers.papers_network import OnlineNPNetwork
from nproc.scorers.papers_npsvm import NPSVC
from nproc.scorers.papers_online import OnlineNPClassifier
from nproc.scorers.papers_parzen import ParzenNP
from nproc.scorers.papers_qvalue import QValueNetwork
from nproc.scorers.papers_qvalue_svm import QValueSVC
from nproc.scorers.papers_sparse_logistic import SparseLogisticClassifier
from nproc.scorers.papers_svmperf import PrecisionAtKSVC
from nproc.scorers.qvalue_linear import QValueLinear
from nproc.thresholds import Threshold, np_threshold

__version__ = "0.1.0"

__all__ = [
    "NPSVC",
    "AlphaChoice",
    "AsymmetricCostSVC",
    "BandValues",
    "Comparison",
    "ConstrainedNPClassifier",
    "Evaluation",
    "GaussianNPClassifier",
    "InvalidInputError",
    "NPClassifier",
    "NPError",
    "NPFit",
    "NPROCBand",
    "NPROCDisplay",
    "NPWarning",
    "NotConvergedWarning",
    "OnlineNPClassifier",
    "OnlineNPNetwork",
    "ParzenNP",
    "PlainPythonWarning",
    "PrecisionAtKSVC",
    "QValueLinear",
    "QValueNetwork",
    "QValueSVC",
    "ROCCurve",
    "SeparationWarning",
    "SparseLogisticClassifier",
    "Threshold",
    "TooFewSamplesError",
    "accepted",
    "clopper_pearson",
    "compare",
    "get_scorer",
    "load",
    "min_class0_size",
    "np_loss",
    "np_order",
    "np_score",
    "np_threshold",
    "npc",
    "nproc",
    "q_values",
    "register",
    "roc_cv",
    "save",
    "scorer_names",
    "type1_upper",
    "type2_bounds",
    "violation_rate",
]
