"""Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.

`npc` makes a classifier. `nproc` makes an NP-ROC band, which bounds the type II error at every alpha. `compare` finds
the alphas at which one method is shown to have the smaller type II error. Class 0 is always the class whose
misclassification is controlled.

The umbrella algorithm and NP-ROC bands are from [tong2018]_. The bounds of simultaneous bands are those of [berk1979]_
and [moscovich2016]_; see `nproc.simultaneous`.

More functions are in subpackages and modules such as `nproc.planning`, `nproc.groups` and `nproc.simulate`. Tab
completion lists these too, and they are imported when they are first used.

References
----------
.. [tong2018] Tong, X., Feng, Y. and Li, J. J. (2018). Neyman-Pearson classification algorithms and NP
   receiver operating characteristics. Science Advances 4(2), eaao1659.
.. [berk1979] Berk, R. H. and Jones, D. H. (1979). Goodness-of-fit test statistics that dominate the Kolmogorov
   statistics. Zeitschrift fuer Wahrscheinlichkeitstheorie und verwandte Gebiete 47, 47-59.
.. [moscovich2016] Moscovich, A., Nadler, B. and Spiegelman, C. (2016). On the exact Berk-Jones statistics and their
   p-value calculation. Electronic Journal of Statistics 10(2), 2329-2354.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names
from nproc.starting import start_quietly

if TYPE_CHECKING:
    from nproc import assumptions as assumptions
    from nproc import bands as bands
    from nproc import biased_samples as biased_samples
    from nproc import comparison as comparison
    from nproc import cross_fitting as cross_fitting
    from nproc import datasets as datasets
    from nproc import expression as expression
    from nproc import feature_ranking as feature_ranking
    from nproc import fits as fits
    from nproc import groups as groups
    from nproc import losses as losses
    from nproc import model_choice as model_choice
    from nproc import monitoring as monitoring
    from nproc import multiclass as multiclass
    from nproc import orderstat as orderstat
    from nproc import planning as planning
    from nproc import review as review
    from nproc import row_chunks as row_chunks
    from nproc import score_chunks as score_chunks
    from nproc import scorers as scorers
    from nproc import serving as serving
    from nproc import simulate as simulate
    from nproc import simultaneous as simultaneous
    from nproc import small_samples as small_samples
    from nproc import solvers as solvers
    from nproc import tuning as tuning
    from nproc.api import compare, npc, nproc, roc_cv
    from nproc.bands import NPROCBand
    from nproc.biased_samples import np_threshold_noisy, np_threshold_shifted
    from nproc.comparison import Comparison, nproc_bands
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
    from nproc.feature_ranking import rank_features
    from nproc.fits import Evaluation, NPFit, certify
    from nproc.model_choice import np_score
    from nproc.monitoring import Type1Monitor
    from nproc.multiclass import NPMultiClassifier, npc_multiclass
    from nproc.orderstat import min_class0_size, np_order, violation_rate
    from nproc.persistence import load, save
    from nproc.planning import plan_class0
    from nproc.qvalues import accepted, q_values
    from nproc.review import np_review
    from nproc.row_chunks import read_in_chunks, train_in_chunks
    from nproc.scorers import (
        NPSVC,
        AsymmetricCostSVC,
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
        describe_scorers,
        get_scorer,
        register,
        scorer_names,
    )
    from nproc.thresholds import Threshold, np_threshold

__version__ = "0.1.0"

# before anything heavy is imported
start_quietly()

__all__ = [
    "NPSVC",
    "AsymmetricCostSVC",
    "Comparison",
    "ConstrainedNPClassifier",
    "Evaluation",
    "GaussianNPClassifier",
    "InvalidInputError",
    "LostWorkerError",
    "NPClassifier",
    "NPError",
    "NPFit",
    "NPMultiClassifier",
    "NPROCBand",
    "NPROCDisplay",
    "NPWarning",
    "NotConvergedWarning",
    "OnlineNPClassifier",
    "OnlineNPClassifierCV",
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
    "Type1Monitor",
    "accepted",
    "certify",
    "compare",
    "describe_scorers",
    "get_scorer",
    "load",
    "min_class0_size",
    "np_order",
    "np_review",
    "np_score",
    "np_threshold",
    "np_threshold_noisy",
    "np_threshold_shifted",
    "npc",
    "npc_multiclass",
    "nproc",
    "nproc_bands",
    "plan_class0",
    "q_values",
    "rank_features",
    "read_in_chunks",
    "register",
    "roc_cv",
    "save",
    "scorer_names",
    "train_in_chunks",
    "violation_rate",
]

__getattr__, __dir__ = lazy_names(__name__)
