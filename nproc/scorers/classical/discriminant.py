"""Gaussian discriminant analysis: linear and quadratic."""

from nproc.scorers.registry import register
from nproc.scorers.scaling import builds


@register("lda", r_name="lda")
@builds("sklearn.discriminant_analysis.LinearDiscriminantAnalysis")
def lda(*, solver="svd", shrinkage=None, priors=None):
    """Linear discriminant analysis, for roughly Gaussian classes with one covariance; the score is linear.

    R: method "lda" (MASS::lda). Same rule; R scores by the posterior probability, an increasing function of
    the score here, so that thresholds give the same labels.

    Parameters
    ----------
    solver : {'svd', 'lsqr', 'eigen'}
        How the discriminant is computed. Shrinkage needs 'lsqr' or 'eigen'.
    shrinkage : None, 'auto' or float
        Shrinkage of the covariance matrix towards a multiple of the identity; 'auto' is Ledoit and Wolf's.
        R has none.
    priors : array-like of two floats, optional
        Prior probabilities; they shift all scores alike, so no Neyman-Pearson label depends on them.

    Returns
    -------
    estimator : sklearn.discriminant_analysis.LinearDiscriminantAnalysis

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("lda")
    LinearDiscriminantAnalysis()
    """


@register("qda", r_name=None)
@builds("sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis", step="qda")
def qda(*, reg_param=0.0, priors=None, tol=1e-8):
    """Quadratic discriminant analysis, for classes with different covariances; the score is a log density ratio.

    Columns are standardised first, since scikit-learn judges rank by an absolute tolerance.

    R: the package nproc has no such method; MASS::qda is the same rule.

    Parameters
    ----------
    reg_param : float in [0, 1]
        Shrinks each class covariance of the standardised columns towards the identity.
    priors : array-like of two floats, optional
        Prior probabilities; they shift all scores alike.
    tol : float
        A class covariance of the standardised columns with a smaller eigenvalue is refused as rank deficient.
        scikit-learn's 1e-4 refuses data that are merely collinear, such as its breast cancer data.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("qda", reg_param=0.1).named_steps["qda"]
    QuadraticDiscriminantAnalysis(reg_param=0.1, tol=1e-08)
    """
