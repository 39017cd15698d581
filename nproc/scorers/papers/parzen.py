"""The ratio of two kernel density estimates, cut where few left-out rows of class 0 lie above."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_choice, is_number
from nproc.errors import InvalidInputError
from nproc.rows import Table
from nproc.scorers.base import AS_LEFT_OUT, ErrorShares, NPScorer, scale_advice, two_rows_each, with_parameters
from nproc.scorers.scaling import column_units, register_scaled

KERNELS = ("gaussian", "exponential")
RULES = ("silverman", "scott", "cv")
# least bandwidth, for a class without spread, as a share of the standard deviation of all rows
LEAST_BANDWIDTH_SHARE = 1e-3
# a bandwidth whose square neither underflows nor overflows
LEAST = 1e-100
# bandwidths tried by cross-validation, as multiples of Silverman's
CV_FACTORS = np.geomspace(1 / 16, 4, 25)
# distances between one block of rows and all others are in memory at a time, about 32 MB
BLOCK_ENTRIES = 4_000_000
# a coordinate whose square can be summed without overflow
FARTHEST = 1e140


@with_parameters
class ParzenNP(NPScorer):
    r"""Parzen windows, for few columns: the log ratio of two kernel densities, cut at a left-out type I error.

    The score is :math:`\log \hat f_1(x) - \log \hat f_0(x) - t`. The threshold t is the smallest order statistic of the
    log ratios of the class 0 training rows, each computed without that row's own kernel, that at most a share `alpha`
    of them exceeds.

    Parameters
    ----------
    alpha : float
        Level of the leave-one-out type I error, in (0, 1).
    bandwidth : 'silverman', 'scott', 'cv' or float
        Of each class, for columns divided by their standard deviations over all rows: s (n (p + 2) / 4)^(-1 / (p + 4));
        s n^(-1 / (p + 4)), with s^2 the mean variance of its columns; or the one of 25 multiples of Silverman's, from
        1/16 to 4, with the largest leave-one-out likelihood. A number is the bandwidth of both classes and of all
        columns as they are.
    kernel : {'gaussian', 'exponential'}
        Kernels that are positive everywhere, so that the ratio is defined everywhere.
    class0 : label, optional
        The class whose error is bounded; by default the first in sorted order.

    Attributes
    ----------
    bandwidths_ : ndarray, shape (2, p)
        Of the bounded class and of the other, in the units of each column.
    threshold_ : float
        t.
    type1_ : float
        The leave-one-out type I error of the training rows, at most alpha.
    classes_, class0_, n_features_in_
        The labels in sorted order, the bounded one, the number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, or a class with one row only.

    Notes
    -----
    The level is that of the training rows, left out one by one from the density but not from the choice of the
    bandwidth. It is not guaranteed for new rows; under the umbrella algorithm (`npc`) the threshold is replaced by one
    for which it is. A warning tells of so few class 0 rows that, were t set on independent scores, the type I error
    would exceed 2 alpha with a probability above 0.1. Sums of kernels are formed on the log scale, so that scores stay
    finite far from all data. There
    the class with the larger bandwidth has the larger density, and with equal bandwidths the one with the nearest row.
    Few columns means a handful: each further column needs many more rows for densities as good. Columns of two values,
    such as indicators, count as well. The papers leave the bandwidth open. With a rule, units do not matter: each
    column has its own bandwidth, in the ratio of the standard deviations, which is the rule for columns that are
    standardised first. A number is for columns of one unit, such as coordinates.
    Cost: O(n^2 p) to fit (O(n0 n p) within `npc`), O(n p) a score; "cv" takes 25 times (n0^2 + n1^2) kernels. All rows
    are kept.

    References
    ----------
    [bounsiar2008]_; section 2.1 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.parzen import ParzenNP
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 1)) + 3 * y[:, None]
    >>> model = ParzenNP(alpha=0.1).fit(X, y)
    >>> print(model.type1_, model.predict([[-1.0], [4.0]]))
    0.1 [0 1]
    """

    alpha: float = 0.05
    _: KW_ONLY
    bandwidth: str | float = "silverman"
    kernel: str = "gaussian"
    class0: object = None

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Estimate both densities and set the threshold; return self."""
        check_choice(self.kernel, "kernel", KERNELS)
        self._check_bandwidth()
        X, y = self._read_two_classes(X, y)
        n0 = int((y == 0).sum())
        alpha = self._check_alpha(n0)
        two_rows_each(y, "ParzenNP needs at least 2 rows of each class, to leave one out and for a bandwidth")
        # distances are formed from inner products, which are exact near the origin
        self._centre, self._units = X.mean(axis=0), np.ones(X.shape[1])
        if isinstance(self.bandwidth, str):
            self._units = column_units(self._moved(X), self._centre)
        given, X = X, self._moved(X)
        least = LEAST_BANDWIDTH_SHARE * np.sqrt(X.var(axis=0).mean())
        rows0, rows1 = X[y == 0], X[y == 1]
        self._widths = [self._class_bandwidth(rows, least) for rows in (rows0, rows1)]
        self.bandwidths_ = np.outer(self._widths, self._units)
        self._rows, self._kernel = (rows0, rows1), self.kernel
        ratios = self._log_density(1, rows0) - self._log_density(0, rows0, left_out=True)
        # the share is a count: 0.1 * 30 is 3, whatever its last digits
        n_above = min(int(np.floor(alpha * n0 * (1 + 1e-12))), n0 - 1)
        self.threshold_ = float(np.sort(ratios)[n0 - n_above - 1])
        self.type1_ = float(np.mean(ratios > self.threshold_))
        if self._labels_matter():
            self._tell_of_luck(n0, n_above, alpha)
            scores1 = self._log_density(1, rows1, left_out=True) - self._log_density(0, rows1) - self.threshold_
            left_out = ErrorShares(self.type1_, float(np.mean(scores1 <= 0)), n0, rows1.shape[0], AS_LEFT_OUT)
            # a row's own kernel speaks for its class, so that the training rows would tell no more
            advice, one_for_all = "Use fewer columns or another bandwidth.", not isinstance(self.bandwidth, str)
            scale = scale_advice(given) if one_for_all else ""
            if not self._tell_of_use(advice, advice, left_out, scale=scale) and one_for_all:
                self._tell_of_scale(given)
        return self

    def _check_bandwidth(self):
        h = self.bandwidth
        if isinstance(h, str):
            check_choice(h, "bandwidth", RULES)
        elif not is_number(h) or not LEAST <= h <= 1 / LEAST:
            listed = ", ".join(map(repr, RULES))
            raise InvalidInputError(
                f"bandwidth must be a number from {LEAST:g} to {1 / LEAST:g} or one of {listed}, got {h!r}."
            )

    def _class_bandwidth(self, rows, least):
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        n, p = rows.shape
        spread = np.sqrt(rows.var(axis=0, ddof=1).mean())
        factor = 1.0 if self.bandwidth == "scott" else ((p + 2) / 4) ** (-1 / (p + 4))
        # without any spread at all every bandwidth says the same
        h = max(spread * factor * n ** (-1 / (p + 4)), least)
        h = h if h > LEAST else 1.0
        return _most_likely(rows, h * CV_FACTORS, self.kernel) if self.bandwidth == "cv" else h

    def _moved(self, X):
        return np.clip(np.clip(X - self._centre, -FARTHEST, FARTHEST) / self._units, -FARTHEST, FARTHEST)

    def _score(self, X):
        X = self._moved(X)
        return self._log_density(1, X) - self._log_density(0, X) - self.threshold_

    def _log_density(self, label, X, *, left_out=False):
        return _log_densities(X, self._rows[label], (self._widths[label],), self._kernel, left_out=left_out)[0]


def _most_likely(rows, bandwidths, kernel):
    """Return the bandwidth with the largest leave-one-out likelihood, the larger of equals."""
    likelihoods = _log_densities(rows, rows, bandwidths, kernel, left_out=True).sum(axis=1)
    return float(bandwidths[np.flatnonzero(likelihoods == likelihoods.max())[-1]])


def _log_densities(X, rows, bandwidths, kernel, *, left_out):
    """Return the log densities of `X` for each bandwidth, shape (b, m), without row i for X[i] if `left_out`.

    They are those of n^-1 h^-p sum_i K(|x - x_i| / h) up to the constant of K, and always finite.
    """
    from sklearn.metrics.pairwise import euclidean_distances

    n, p = rows.shape
    logs = np.empty((len(bandwidths), X.shape[0]))
    squares = np.einsum("ij,ij->i", rows, rows)[None, :]
    size = max(1, BLOCK_ENTRIES // n)
    for start in range(0, X.shape[0], size):
        part = slice(start, min(start + size, X.shape[0]))
        distance = euclidean_distances(X[part], rows, Y_norm_squared=squares, squared=kernel == "gaussian")
        if left_out:
            distance[np.arange(part.stop - start), np.arange(start, part.stop)] = np.inf
        nearest = distance.min(axis=1, keepdims=True)
        distance -= nearest
        for k, h in enumerate(bandwidths):
            scale = -0.5 / h**2 if kernel == "gaussian" else -1.0 / h
            total = np.exp(scale * distance).sum(axis=1)
            logs[k, part] = scale * nearest[:, 0] + np.log(total) - p * np.log(h)
    return logs - np.log(n - 1 if left_out else n)


parzen = register_scaled("parzen", ParzenNP, follows_alpha=True)
