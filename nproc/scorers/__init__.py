"""Scoring methods: a registry of names, and adapters for any scikit-learn compatible model.

The only home of scikit-learn and statsmodels learners in the package.
"""

from nproc.scorers import averaged
from nproc.scorers.adapter import check_trainable, name_of, refuse_batch_scores, score_rows, scoring_method
from nproc.scorers.classical import discriminant, naive_bayes, penalised, trees
from nproc.scorers.classical import logistic as logistic_regression
from nproc.scorers.classical import naive_bayes as kernel_naive_bayes
from nproc.scorers.classical import neighbours_and_svm as neighbours
from nproc.scorers.classical import neighbours_and_svm as support_vectors
from nproc.scorers.outliers import OutlierScorer
from nproc.scorers.papers import (
    acsvm,
    constrained,
    generative,
    network,
    npsvm,
    online,
    parzen,
    qvalue,
    qvalue_svm,
    sparse_logistic,
    svmperf,
)
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
    acsvm,
    constrained,
    generative,
    network,
    npsvm,
    online,
    parzen,
    qvalue,
    qvalue_svm,
    sparse_logistic,
    svmperf,
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
