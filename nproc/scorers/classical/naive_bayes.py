"""Gaussian naive Bayes, scored on the log scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import is_number
from nproc.errors import InvalidInputError
from nproc.scorers.base import LogOddsScorer, two_rows_each, with_parameters
from nproc.scorers.registry import register
from nproc.scorers.scaling import register_estimator

# least variance within a class, as a share of the variance of the whole column: a column that is constant
# in one class would otherwise give infinite scores
LEAST_VARIANCE_SHARE = 1e-9


class NaiveBayes(LogOddsScorer):
    """A sum of log density ratios of the columns, and of the class sizes."""

    def _read_classes(self, X, y, needs):
        X, codes = self._read_training(X, y)
        sizes = two_rows_each(codes, needs)
        self.log_prior_odds_ = float(np.log(sizes[1] / sizes[0]))
        return X, codes


class GaussianNaiveBayes(NaiveBayes):
    r"""Naive Bayes with a normal density for each column and class, for very few rows.

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
    >>> from nproc.scorers.classical.naive_bayes import GaussianNaiveBayes
    >>> X, y = np.array([[-1.0], [0.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> GaussianNaiveBayes().fit(X, y).decision_function([[1.5], [3.5]]).round(6)
    array([ 0., 16.])
    """

    def fit(self, X, y):
        """Estimate the means and variances of each class; return self."""
        X, codes = self._read_classes(X, y, "naive Bayes needs at least 2 rows of each class for a variance")
        classes = (X[codes == 0], X[codes == 1])
        self.means_ = np.stack([rows.mean(axis=0) for rows in classes])
        self.variances_ = np.stack([rows.var(axis=0, ddof=1) for rows in classes])
        self.variances_ = np.maximum(self.variances_, LEAST_VARIANCE_SHARE * X.var(axis=0, ddof=1))
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
    """Gaussian naive Bayes, for very few rows; the score is the log odds.

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


# in bandwidths: spacing of the knots, how far from a data point knots are set, and the distance beyond
# which a data point no longer matters at a knot (it adds less than exp(-32) of the whole there)
SPACING = 0.25
REACH = 12.0
WINDOW = 15.0
# a distance that can be squared and summed without overflow
FARTHEST = 1e150


@dataclass(frozen=True)
class LogDensity:
    """Knots of the log density, with its slope at each.

    Attributes
    ----------
    knots, values, slopes : ndarray, shape (k,)
        Position in bandwidths, log density and its derivative there.
    bandwidth : float
        Standard deviation of the kernel.
    """

    knots: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    bandwidth: float

    def __call__(self, x):
        """Return the log density at `x`, shape as `x`; finite for every finite `x`."""
        x = np.clip(x / self.bandwidth, -FARTHEST, FARTHEST)
        left = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, self.knots.size - 2)
        right = left + 1
        width = self.knots[right] - self.knots[left]
        past_left, past_right = x - self.knots[left], x - self.knots[right]
        tail_left = self.values[left] + past_left * (self.slopes[left] - 0.5 * past_left)
        tail_right = self.values[right] + past_right * (self.slopes[right] - 0.5 * past_right)
        # what holds before the first knot and after the last; overwritten below for x between knots
        log_density = np.where(past_left < 0, tail_left, tail_right)
        between = (past_left >= 0) & (past_right <= 0)
        gap = between & (width > 1.5 * SPACING)
        log_density[gap] = np.logaddexp(tail_left[gap], tail_right[gap])
        near = between & ~gap
        log_density[near] = _hermite(past_left[near] / width[near], width[near], left[near], self.values, self.slopes)
        return log_density


def fit_log_density(x, bandwidth):
    r"""Return the `LogDensity` of the kernel density estimate :math:`\frac{1}{nh}\sum_i \phi((t - x_i) / h)`.

    The estimate and its slope are computed at knots a quarter of a bandwidth apart, wherever a data point
    lies within twelve bandwidths, and interpolated by cubics. Beyond the knots, each side goes on as the tail
    of a Gaussian kernel: log density quadratic with curvature -1/h^2.

    Parameters
    ----------
    x : ndarray, shape (n,)
        The sample; already checked.
    bandwidth : float
        Standard deviation h of the kernel, above 0.

    Returns
    -------
    log_density : LogDensity

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.classical.naive_bayes import fit_log_density
    >>> fit_log_density(np.array([0.0]), 1.0)(np.array([0.0, 3.0, 20.0])).round(3)
    array([  -0.919,   -5.419, -200.919])
    """
    scaled = np.sort(x) / bandwidth
    knots = _knots(scaled)
    values, slopes = np.empty(knots.size), np.empty(knots.size)
    for start in range(0, knots.size, 32):
        part = slice(start, start + 32)
        chunk = knots[part]
        first, last = np.searchsorted(scaled, [chunk[0] - WINDOW, chunk[-1] + WINDOW])
        near = scaled[first:last]
        distance = near - chunk[:, None]
        exponent = -0.5 * distance**2
        top = exponent.max(axis=1, keepdims=True)
        weight = np.exp(exponent - top)
        total = weight.sum(axis=1)
        values[part] = top[:, 0] + np.log(total)
        slopes[part] = (weight * distance).sum(axis=1) / total
    values -= np.log(x.size * bandwidth * np.sqrt(2 * np.pi))
    return LogDensity(knots, values, slopes, float(bandwidth))


def nrd0(x, least):
    """Return Silverman's rule of thumb as R's ``bw.nrd0``: 0.9 min(sd, IQR / 1.34) n^(-1/5).

    A zero interquartile range leaves the standard deviation; the result is at least `least`.
    """
    spread = x.std(ddof=1)
    lower, upper = np.quantile(x, [0.25, 0.75])
    robust = (upper - lower) / 1.34
    narrow = min(spread, robust) if robust > 0 else spread
    return max(0.9 * narrow * x.size ** (-0.2), least)


def _knots(scaled):
    cells = np.unique(np.floor(scaled / SPACING))
    reach = int(REACH / SPACING)
    shifts = np.arange(-reach, reach + 2)
    return np.unique(cells[:, None] + shifts) * SPACING


def _hermite(t, width, left, values, slopes):
    right = left + 1
    return (
        values[left] * (1 + 2 * t) * (1 - t) ** 2
        + values[right] * t**2 * (3 - 2 * t)
        + width * (slopes[left] * t * (1 - t) ** 2 - slopes[right] * t**2 * (1 - t))
    )


# least bandwidth as a share of the standard deviation of the whole column, for a column that is constant
# within a class
LEAST_BANDWIDTH_SHARE = 1e-3


@with_parameters
class KernelNaiveBayes(NaiveBayes):
    r"""Naive Bayes with a Gaussian kernel density for each column and class, for columns far from normal.

    The score of x is :math:`\log(n_1 / n_0) + \sum_j \log \hat f_{1j}(x_j) - \log \hat f_{0j}(x_j)`. It is
    finite also far outside the training data, where the Gaussian tails of the kernels decide.

    R: method "nnb" (naivebayes::naive_bayes with usekernel = TRUE) with the same kernel and bandwidth (nrd0). R
    interpolates the density on 512 points and scores by the probability, which ties at 0 and 1 and outside the data.

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
    >>> from nproc.scorers.classical.naive_bayes import KernelNaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 1)) + 2 * y[:, None]
    >>> KernelNaiveBayes().fit(X, y).decision_function([[-1.0], [3.0]]) > 0
    array([False,  True])
    """

    adjust: float = 1.0

    def fit(self, X, y):
        """Estimate the densities of each class; return self."""
        adjust = self.adjust
        if not is_number(adjust) or not 0 < adjust < np.inf:
            raise InvalidInputError(f"adjust must be a finite number above 0, got {adjust!r}.")
        X, codes = self._read_classes(X, y, "kernel naive Bayes needs at least 2 rows of each class for a bandwidth")
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


nnb = register_estimator("nnb", KernelNaiveBayes, r_name="nnb")
