"""Cross-fitting: every class 0 row trains in all folds but one, and helps to set the threshold in that one.

`fit_cross` trains a scorer for each fold and puts the out-of-fold class 0 scores together; `cross_fit_bound` says what
is proved of the classifier. `cross_fitted_curve` estimates the type II error at every alpha, without a proof.
"""

from nproc.cross_fitting.bound import CrossFitBound, cross_fit_bound
from nproc.cross_fitting.curve import CrossFittedCurve, cross_fitted_curve, curve_folds
from nproc.cross_fitting.fit import CrossFittedScorer, NPCrossFit, fit_cross

__all__ = [
    "CrossFitBound",
    "CrossFittedCurve",
    "CrossFittedScorer",
    "NPCrossFit",
    "cross_fit_bound",
    "cross_fitted_curve",
    "curve_folds",
    "fit_cross",
]
