"""Scoring methods: a registry of names, and adapters for any scikit-learn compatible model.

The only home of scikit-learn and statsmodels learners in the package. A name stands for a factory of an unfitted
estimator: those of `classical` are the learners of the R package and their like, those of `papers` train for a bound on
one error.

References
----------
.. [breiman1996] Breiman, L. (1996). Bagging predictors. Machine Learning 24(2), 123-140.
.. [buhlmann2002] Buhlmann, P. and Yu, B. (2002). Analyzing bagging. Annals of Statistics 30(4), 927-961.
.. [higham2002] Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd edition. SIAM.

Those of the papers whose methods these are stand in `nproc.scorers.papers`.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names
from nproc.scorers.adapter import (
    as_scorer,
    check_trainable,
    class0_comes_second,
    last_model,
    leaves_rows,
    name_of,
    on_scale_of_rounding,
    refuse_batch_scores,
    rows_for,
    score_rows,
    scoring_method,
)
from nproc.scorers.coding import with_coding
from nproc.scorers.encoders import columns_of_xgboost, columns_without_encoder
from nproc.scorers.outliers import OutlierScorer, name_outliers, outlier_scorers, refuse_detector
from nproc.scorers.registry import (
    MethodLike,
    Resampler,
    Scorer,
    ScorerSpec,
    describe_scorers,
    get_scorer,
    method_in_words,
    parameter_of_r,
    register,
    scorer_names,
    scorer_spec,
)
from nproc.scorers.trained_parts import kept_copy, owner_of, refuse_trained_parts, refuse_untrained
from nproc.scorers.training import (
    describe_trained,
    fit_scorer,
    fresh_copy,
    naming_refused,
    not_converged,
    splitters_with_seeds,
    too_large_error,
)

if TYPE_CHECKING:
    from nproc.scorers.averaged import AveragedScorer
    from nproc.scorers.base import RowClassifier, with_parameters
    from nproc.scorers.classical.multinomial import multinomial_model
    from nproc.scorers.linear import linear_form, stack_linear
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
    from nproc.scorers.scaling import with_joined_columns, without_searches


__all__ = [
    "NPSVC",
    "AsymmetricCostSVC",
    "AveragedScorer",
    "ConstrainedNPClassifier",
    "GaussianNPClassifier",
    "MethodLike",
    "OnlineNPClassifier",
    "OnlineNPClassifierCV",
    "OnlineNPNetwork",
    "OutlierScorer",
    "ParzenNP",
    "PrecisionAtKSVC",
    "QValueLinear",
    "QValueNetwork",
    "QValueSVC",
    "Resampler",
    "RowClassifier",
    "Scorer",
    "ScorerSpec",
    "SparseLogisticClassifier",
    "as_scorer",
    "check_trainable",
    "class0_comes_second",
    "columns_of_xgboost",
    "columns_without_encoder",
    "describe_scorers",
    "describe_trained",
    "fit_scorer",
    "fresh_copy",
    "get_scorer",
    "kept_copy",
    "last_model",
    "leaves_rows",
    "linear_form",
    "method_in_words",
    "multinomial_model",
    "name_of",
    "name_outliers",
    "naming_refused",
    "not_converged",
    "on_scale_of_rounding",
    "outlier_scorers",
    "owner_of",
    "parameter_of_r",
    "refuse_batch_scores",
    "refuse_detector",
    "refuse_trained_parts",
    "refuse_untrained",
    "register",
    "rows_for",
    "score_rows",
    "scorer_names",
    "scorer_spec",
    "scoring_method",
    "splitters_with_seeds",
    "stack_linear",
    "too_large_error",
    "with_coding",
    "with_joined_columns",
    "with_parameters",
    "without_searches",
]

__getattr__, __dir__ = lazy_names(__name__)
