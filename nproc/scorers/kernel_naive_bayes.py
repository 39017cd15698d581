"""Naive Bayes with kernel density estimates."""

from __future__ import annotations

import numpy as np

from nproc.checks import is_number
from nproc.errors import InvalidInputError
from nproc.scorers.binary import BinaryScorer
from nproc.scorers.kernel_density import fit_log_density, nrd0
from nproc.scorers.registry import register

# least bandwidth as a share of the standard deviation of the whole column, for a column that is constant
# within a class
LEAST_BANDWIDTH_SHARE = 1e-3


class KernelNaiveBayes(BinaryScorer):
    r"""Naive Bayes with a Gaussian kernel density for each column and class.

    The score of x is :math:`\log(n_1 / n_0) + \sum_j \log \hat f_{1j}(x_j) - \log \hat f_{0j}(x_j)`. It is
    finite also far outside the training data, where the Gaussian tails of the kernels decide.

    Parameters
    ----------
    adjust : float
        Factor on the bandwidths.

    Attributes
    ----------
    bandwidths_ : ndarray, shape (2, p)
        Of class 0 (``classes_[0]``) and class 1, by R's nrd0 rule; NaN for a column that is constant over
        all rows, which is not used.
    log_prior_odds_ : float
        Log ratio of the class sizes.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    Time of fit grows with n times the number of bandwidths that the data span, not with n squared; that of
    a score not with n.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.kernel_naive_bayes import KernelNaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 1)) + 2 * y[:, None]
    >>> KernelNaiveBayes().fit(X, y).decision_function([[-1.0], [3.0]]) > 0
    array([False,  True])
    """

    def __init__(self, adjust=1.0):
        self.adjust = adjust

    def fit(self, X, y):
        """Return self after estimating the densities of each class."""
        adjust = self.adjust
        if not is_number(adjust) or not 0 < adjust < np.inf:
            raise InvalidInputError(f"adjust must be a finite number above 0, got {adjust!r}.")
        X, codes = self._read_training(X, y)
        sizes = np.bincount(codes.astype(np.int64), minlength=2)
        if sizes.min() < 2:
            raise InvalidInputError(
                f"kernel naive Bayes needs at least 2 rows of each class for a bandwidth, got {sizes.tolist()}."
            )
        self.log_prior_odds_ = float(np.log(sizes[1] / sizes[0]))
        self.bandwidths_ = np.full((2, X.shape[1]), np.nan)
        centre, spread = X.mean(axis=0), X.std(axis=0)
        # measured from the mean, since a bandwidth small beside a large mean would lose its digits
        self._centre, self._densities = centre, []
        for j in np.flatnonzero(spread > 1e-12 * np.abs(centre)):
            for label in (0, 1):
                column = X[codes == label, j] - centre[j]
                self.bandwidths_[label, j] = adjust * nrd0(column, LEAST_BANDWIDTH_SHARE * spread[j])
                self._densities.append((label, int(j), fit_log_density(column, self.bandwidths_[label, j])))
        return self

    def _score(self, X):
        score = np.full(X.shape[0], self.log_prior_odds_)
        for label, j, log_density in self._densities:
            score += (1.0 if label == 1 else -1.0) * log_density(X[:, j] - self._centre[j])
        return score


@register("nnb", r_name="nnb")
def nnb(*, adjust=1.0):
    """Return naive Bayes with kernel density estimates; the score is the log odds.

    R: method "nnb" (naivebayes::naive_bayes with usekernel = TRUE) with the same kernel and bandwidth
    (nrd0). R interpolates the density on 512 points and scores by the probability, which ties at 0 and 1
    and outside the data.

    Parameters
    ----------
    adjust : float
        Factor on the bandwidths (R: adjust).

    Returns
    -------
    estimator : KernelNaiveBayes

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("nnb", adjust=2.0)
    KernelNaiveBayes(adjust=2.0)
    """
    return KernelNaiveBayes(adjust=adjust)
