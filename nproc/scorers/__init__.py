"""Scoring methods: a registry of names, and adapters for any scikit-learn compatible model.

The only home of scikit-learn and statsmodels learners in the package.
"""

from nproc.scorers import (
    averaged,
    discriminant,
    kernel_naive_bayes,
    logistic_regression,
    naive_bayes,
    neighbours,
    papers_acsvm,
    papers_constrained,
    papers_generative,
    papers_network,
    papers_npsvm,
    papers_online,
    papers_parzen,
    papers_qvalue,
    papers_qvalue_svm,
    papers_sparse_logistic,
    papers_svmperf,
    penalised,
    support_vectors,
    trees,
)
from nproc.scorers.adapter import check_trainable, name_of, refuse_batch_scores, score_rows, scoring_method
from nproc.scorers.outliers import OutlierScorer
from nproc.scorers.registry import (
    ScorerSpec,
    describe_scorers,
    get_scorer,
    register,
    scorer_names,
    scorer_spec,
)
from nproc.scorers.trained_parts import refuse_trained_parts, refuse_untrained
from nproc.scorers.training import fit_scorer, fresh_copy

# importing these registers the names of the built-in methods
BUILT_IN = (
    averaged,
    discriminant,
    kernel_naive_bayes,
    logistic_regression,
    naive_bayes,
    neighbours,
    papers_acsvm,
    papers_constrained,
    papers_generative,
    papers_network,
    papers_npsvm,
    papers_online,
    papers_parzen,
    papers_qvalue,
    papers_qvalue_svm,
    papers_sparse_logistic,
    papers_svmperf,
    penalised,
    support_vectors,
    trees,
)

__all__ = [
    "OutlierScorer",
    "ScorerSpec",
    "check_trainable",
    "describe_scorers",
    "fit_scorer",
    "fresh_copy",
    "get_scorer",
    "name_of",
    "refuse_batch_scores",
    "refuse_trained_parts",
    "refuse_untrained",
    "register",
    "score_rows",
    "scorer_names",
    "scorer_spec",
    "scoring_method",
]
