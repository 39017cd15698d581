"""Gaussian naive Bayes, scored on the log scale."""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError
from nproc.scorers.binary import BinaryScorer
from nproc.scorers.registry import register

# least variance within a class, as a share of the variance of the whole column: a column that is constant
# in one class would otherwise give infinite scores
LEAST_VARIANCE_SHARE = 1e-9


class GaussianNaiveBayes(BinaryScorer):
    r"""Naive Bayes with a normal density for each column and class.

    The score of x is the log odds :math:`\log(\pi_1 / \pi_0) + \sum_j \log f_{1j}(x_j) - \log f_{0j}(x_j)`.
    Probabilities would saturate at 0 and 1 and tie; their logarithms do not.

    Attributes
    ----------
    means_, variances_ : ndarray, shape (2, p)
        Of class 0 (``classes_[0]``) and class 1; variances with divisor n - 1, as R's sd.
    log_prior_odds_ : float
        Log ratio of the class sizes.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.naive_bayes import GaussianNaiveBayes
    >>> X, y = np.array([[-1.0], [0.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> GaussianNaiveBayes().fit(X, y).decision_function([[1.5], [3.5]]).round(6)
    array([ 0., 16.])
    """

    def fit(self, X, y):
        """Return self after estimating the means and variances of each class."""
        X, codes = self._read_training(X, y)
        sizes = np.bincount(codes.astype(np.int64), minlength=2)
        if sizes.min() < 2:
            raise InvalidInputError(
                f"naive Bayes needs at least 2 rows of each class for a variance, got {sizes.tolist()}."
            )
        classes = (X[codes == 0], X[codes == 1])
        self.means_ = np.stack([rows.mean(axis=0) for rows in classes])
        self.variances_ = np.stack([rows.var(axis=0, ddof=1) for rows in classes])
        total = X.var(axis=0, ddof=1)
        self.variances_ = np.maximum(self.variances_, LEAST_VARIANCE_SHARE * total)
        self.log_prior_odds_ = float(np.log(sizes[1] / sizes[0]))
        return self

    def _score(self, X):
        # a column that was constant over all training rows says nothing about the class
        known = np.flatnonzero((self.variances_ > 0).all(axis=0))
        score = np.full(X.shape[0], self.log_prior_odds_)
        for position, sign in ((1, 1.0), (0, -1.0)):
            centre, variance = self.means_[position, known], self.variances_[position, known]
            squared = ((X[:, known] - centre) ** 2 / variance).sum(axis=1)
            score -= sign * 0.5 * (squared + np.log(variance).sum())
        return score


@register("nb", r_name="nb")
def nb():
    """Return Gaussian naive Bayes; the score is the log odds.

    R: method "nb" (naivebayes::naive_bayes) with the same normal densities (divisor n - 1) and priors equal
    to the class shares; R scores by the probability, which saturates at 0 and 1.

    Returns
    -------
    estimator : GaussianNaiveBayes

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("nb")
    GaussianNaiveBayes()
    """
    return GaussianNaiveBayes()
