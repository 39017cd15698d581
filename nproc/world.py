"""What every simulated world has: samples, and the true errors of linear rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import (
    as_floats,
    check_count,
    check_level,
    check_levels,
    check_numeric_matrix,
    check_scores,
    check_seed,
)
from nproc.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Sample:
    """A data set: `X` of shape (n, d), `y` of shape (n,) with 0 and 1, the `world` it is from, its `seed`."""

    X: np.ndarray
    y: np.ndarray
    world: World
    seed: int

    def __repr__(self):
        n0, n1 = np.bincount(self.y, minlength=2)
        return f"Sample(n0={n0}, n1={n1}, d={self.X.shape[1]}, seed={self.seed})"


@dataclass(frozen=True, eq=False)
class OracleRule:
    """The rule "predict 1 when weights'x > threshold", with its true errors `type1` and `type2`."""

    weights: np.ndarray
    threshold: float
    type1: float
    type2: float


class World:
    """What every world offers; it supplies `_rows`, `_error`, `_threshold`, `_best`, prob0, n_features."""

    def sample(self, n, random_state=None):
        """Return a `Sample` of `n` independent rows, each of class 0 with probability `prob0`."""
        rng = np.random.default_rng(seed := check_seed(random_state))
        return self._fill((rng.random(check_count(n, "n")) >= self.prob0).astype(np.int64), rng, seed)

    def sample_classes(self, n0, n1, random_state=None):
        """Return a `Sample` of `n0` class 0 rows followed by `n1` class 1 rows (either may be 0)."""
        sizes = [check_count(n0, "n0", minimum=0), check_count(n1, "n1", minimum=0)]
        rng = np.random.default_rng(seed := check_seed(random_state))
        return self._fill(np.repeat([0, 1], sizes), rng, seed)

    def _fill(self, y, rng, seed):
        X = np.empty((y.size, self.n_features))
        for label in (0, 1):
            X[y == label] = self._rows(label, int(np.sum(y == label)), rng)
        return Sample(X, y, self, seed)

    def type1(self, weights, threshold):
        """Return P(weights'x > threshold | y = 0), shaped like `threshold`; `weights` has shape (d,)."""
        return plain(self._error(0, self._weights(weights), numbers_in(threshold, "threshold")))

    def type2(self, weights, threshold):
        """Return P(weights'x <= threshold | y = 1), shaped like `threshold`; `weights` has shape (d,)."""
        return plain(self._error(1, self._weights(weights), numbers_in(threshold, "threshold")))

    def threshold(self, weights, alpha):
        """Return the smallest threshold with type I error at most `alpha` in [0, 1], shaped like `alpha`."""
        alpha = check_levels(alpha, "alpha", closed=True)
        return plain(self._threshold(self._weights(weights), alpha))

    def np_oracle(self, alpha, weights=None):
        """Return the `OracleRule` of a score at `alpha`; None means the best score, so the NP oracle."""
        weights = self._best() if weights is None else self._weights(weights)
        threshold = self.threshold(weights, check_level(alpha, "alpha"))
        return OracleRule(weights, threshold, self.type1(weights, threshold), self.type2(weights, threshold))

    def roc(self, fpr, weights=None):
        """Return the score's oracle ROC curve: 1 - type II error at type I errors `fpr` in [0, 1]."""
        fpr = check_levels(fpr, "fpr", closed=True)
        weights = self._best() if weights is None else weights
        fpr = check_levels(fpr, "fpr", closed=True)
        return 1 - self.type2(weights, self.threshold(weights, fpr))

    def _weights(self, weights):
        return vector_of(weights, "weights", size=self.n_features, nonzero=True)


def numbers_in(values, name):
    array = as_floats(values, name)
    if np.isnan(array).any():
        raise InvalidInputError(f"{name} must hold numbers, got NaN.")
    return array


def plain(array):
    return float(array) if np.ndim(array) == 0 else array


def one_by_one(function, values):
    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


def vector_of(values, name, *, size=None, nonzero=False):
    vector = check_scores(values, name).copy()
    if size is not None and vector.size != size:
        raise InvalidInputError(f"{name} must hold {size} numbers, got {vector.size}.")
    if nonzero and not vector.any():
        raise InvalidInputError(f"{name} must not be all zero: the score would be constant.")
    return vector


def covariance_of(matrix, name, size):
    cov = check_numeric_matrix(matrix, name).copy()
    symmetric = cov.shape == (size, size) and np.allclose(cov, cov.T, rtol=1e-12)
    if not symmetric or np.linalg.eigvalsh(cov)[0] <= 0:
        raise InvalidInputError(f"{name} must be a symmetric positive definite {size} by {size} matrix.")
    return cov
