"""What every simulated world has: samples, and the true errors of linear rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

from nproc.checks import (
    Seed,
    as_floats,
    check_count,
    check_level,
    check_levels,
    check_numeric_matrix,
    check_real,
    check_scores,
    check_seed,
)
from nproc.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Sample:
    """A data set: `X` of shape (n, d), `y` of shape (n,) with 0 and 1, the `world` it is from, its `seed`."""

    X: np.ndarray
    y: np.ndarray
    world: Drawn
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


class Drawn:
    """A world that rows are drawn from; it supplies prob0 and `_fill`, which makes a sample of the labels."""

    def sample(self: Any, n: int, random_state: Seed = None) -> Any:
        """Return a `Sample` of `n` independent rows, each of class 0 with probability `prob0`."""
        n = check_count(n, "n")
        rng = np.random.default_rng(seed := check_seed(random_state))
        return self._fill((rng.random(n) >= self.prob0).astype(np.int64), rng, seed)

    def sample_classes(self: Any, n0: int, n1: int, random_state: Seed = None) -> Any:
        """Return a `Sample` of `n0` class 0 rows followed by `n1` class 1 rows (either may be 0)."""
        sizes = [check_count(n0, "n0", minimum=0), check_count(n1, "n1", minimum=0)]
        rng = np.random.default_rng(seed := check_seed(random_state))
        return self._fill(np.repeat([0, 1], sizes), rng, seed)


class World(Drawn):
    """What worlds with known errors offer; each supplies `_rows`, `_error`, `_threshold`, `_best` and n_features."""

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


# Worlds in which the true errors of every linear score are known.
#
# A world draws samples and tells the population errors of the rule "predict 1 when w'x > t": a formula for
# normal classes, an integral for the logistic world, a sum for discrete scores. Class 0 is the class whose
# error (type I) is controlled. The global random state is never touched, and a sample carries its seed.


_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True, eq=False)
class GaussianWorld(World):
    r"""Two normal classes, with the errors of every linear score in closed form.

    For class means :math:`m_c`, covariances :math:`S_c` and :math:`s_c = \sqrt{w'S_c w}`,

    .. math:: \text{type I} = \Phi((w'm_0 - t) / s_0), \quad \text{type II} = \Phi((t - w'm_1) / s_1).

    Parameters
    ----------
    mean0, mean1 : array-like, shape (d,)
        Class means.
    cov0, cov1 : array-like, shape (d, d), optional
        Covariances. None means the identity for `cov0`, and `cov0` for `cov1`. If they differ, no linear
        score is best, and `np_oracle` and `roc` need `weights`.
    prob0 : float
        P(y = 0), in (0, 1); only `sample` uses it.

    Examples
    --------
    >>> rule = GaussianWorld([0, 0], [1, 1]).np_oracle(0.05, weights=[1, 0])
    >>> print(f"{rule.threshold:.4f} {rule.type1:.4f} {rule.type2:.4f}")
    1.6449 0.0500 0.7405
    """

    mean0: Any
    mean1: Any
    cov0: Any | None = None
    cov1: Any | None = None
    prob0: float = 0.5

    def __post_init__(self):
        mean0 = vector_of(self.mean0, "mean0")
        mean1 = vector_of(self.mean1, "mean1", size=mean0.size)
        cov0 = np.eye(mean0.size) if self.cov0 is None else covariance_of(self.cov0, "cov0", mean0.size)
        cov1 = cov0 if self.cov1 is None else covariance_of(self.cov1, "cov1", mean0.size)
        prob0 = check_level(self.prob0, "prob0")
        self.__dict__.update(mean0=mean0, mean1=mean1, cov0=cov0, cov1=cov1, prob0=prob0)

    n_features = property(lambda self: self.mean0.size, doc="Number of predictors, d.")

    def _rows(self, label, n, rng):
        mean, cov = (self.mean1, self.cov1) if label else (self.mean0, self.cov0)
        return mean + rng.standard_normal((n, mean.size)) @ np.linalg.cholesky(cov).T

    def _error(self, label, weights, threshold):
        mean, cov = (self.mean1, self.cov1) if label else (self.mean0, self.cov0)
        above = (weights @ mean - threshold) / np.sqrt(weights @ cov @ weights)
        return ndtr(-above if label else above)

    def _threshold(self, weights, alpha):
        return weights @ self.mean0 - np.sqrt(weights @ self.cov0 @ weights) * ndtri(alpha)

    def _best(self):
        if not np.array_equal(self.cov0, self.cov1):
            raise InvalidInputError("weights must be given: cov0 and cov1 differ, so no linear score is best.")
        if np.array_equal(self.mean0, self.mean1):
            raise InvalidInputError("weights must be given: mean0 and mean1 are equal, so no score is best.")
        return np.linalg.solve(self.cov0, self.mean1 - self.mean0)


@dataclass(frozen=True, eq=False)
class LogisticWorld(World):
    r"""Standard normal predictors with P(y = 1 | x) = 1 / (1 + exp(-a - b'x)).

    Given :math:`v = b'x / \|b\|`, the label depends on v alone and w'x is normal with mean c v, where
    :math:`c = w'b / \|b\|`, and variance :math:`r^2 = w'w - c^2`. So one integral gives an error:

    .. math:: P(w'x > t, y = 0) = \int \phi(v)\, P(y = 0 \mid v)\, \Phi((c v - t) / r)\, dv.

    Parameters
    ----------
    intercept : float
        The number a.
    slopes : array-like, shape (d,)
        The vector b, not all zero.

    Examples
    --------
    >>> print(f"{LogisticWorld(1, [3, 0]).np_oracle(0.05).type2:.4f}")
    0.3575
    """

    intercept: float
    slopes: Any

    def __post_init__(self):
        intercept = check_real(self.intercept, "intercept")
        self.__dict__.update(intercept=intercept, slopes=vector_of(self.slopes, "slopes", nonzero=True))

    n_features = property(lambda self: self.slopes.size, doc="Number of predictors, d.")
    prob0 = property(lambda self: self._joint(0, self.slopes, -np.inf), doc="P(y = 0), an integral.")

    def _rows(self, label, n, rng):
        rows = np.empty((0, self.n_features))
        while len(rows) < n:  # draw from the joint law, keep the rows with the label that is wanted
            X = rng.standard_normal((2 * n, self.n_features))
            y = rng.random(2 * n) < expit(self.intercept + X @ self.slopes)
            rows = np.concatenate([rows, X[y == label]])
        return rows[:n]

    def _joint(self, label, weights, threshold):
        """Return P(y = label and weights'x lies on the other label's side of threshold)."""
        steepness, sign = np.linalg.norm(self.slopes), 1 - 2 * label
        along = weights @ self.slopes / steepness
        rest = np.linalg.norm(weights - along * self.slopes / steepness)
        rest = rest if rest > 1e-12 * abs(along) else 0.0
        # Gauss-Legendre panels, short where the label's probability or the normal one turns
        edges = [np.linspace(-12, 12, 49), (np.arange(-30, 31) - self.intercept) / steepness]
        if along != 0:
            edges.append((threshold + np.arange(-10, 11) * rest) / along)
        edges = np.unique(np.clip(np.concatenate(edges), -12, 12))
        half = np.diff(edges)[:, None] / 2
        v = edges[:-1, None] + half * (1 + _NODES)
        gap = sign * (along * v - threshold)
        wrong = ndtr(gap / rest) if rest else gap > 0
        density = np.exp(-(v**2) / 2) / np.sqrt(2 * np.pi) * expit(-sign * (self.intercept + steepness * v))
        return float(np.sum(half * _NODE_WEIGHTS * density * wrong))

    def _error(self, label, weights, threshold):
        whole = self._joint(label, weights, np.inf if label else -np.inf)
        return np.vectorize(lambda t: self._joint(label, weights, t) / whole, otypes=[float])(threshold)

    def _threshold(self, weights, alpha):
        whole = self._joint(0, weights, -np.inf)
        far = 60 * np.linalg.norm(weights)  # no probability in floating point lies beyond

        def excess(t, level):
            return self._joint(0, weights, t) / whole - level

        def solve(level):
            if level == 0 or excess(-far, level) <= 0:
                return -np.inf if level else np.inf
            return brentq(excess, -far, far, args=(level,), xtol=1e-15 * far, rtol=1e-14)

        return np.vectorize(solve, otypes=[float])(alpha)

    def _best(self):
        return self.slopes


@dataclass(frozen=True, eq=False)
class DiscreteWorld(World):
    """One predictor with finitely many values (atoms), so that scores tie; errors are sums of masses.

    Its `threshold` is an atom, where the type I error may be well below alpha. `np_oracle` takes x itself
    as the best score, which is right if mass1 / mass0 grows with x.

    Parameters
    ----------
    values : array-like, shape (k,)
        The atoms, strictly increasing.
    mass0, mass1 : array-like, shape (k,)
        Their probabilities in each class, summing to 1.
    prob0 : float
        P(y = 0), in (0, 1); only `sample` uses it.
    """

    values: np.ndarray
    mass0: np.ndarray
    mass1: np.ndarray
    prob0: float = 0.5
    n_features = 1

    def __post_init__(self):
        values = vector_of(self.values, "values")
        masses = {name: vector_of(getattr(self, name), name, size=values.size) for name in ("mass0", "mass1")}
        if np.any(np.diff(values) <= 0):
            raise InvalidInputError(f"values must be strictly increasing, got {values.tolist()}.")
        for name, mass in masses.items():
            if np.any(mass < 0) or abs(mass.sum() - 1) > 1e-9:
                raise InvalidInputError(f"{name} must be at least 0 and sum to 1, got {mass.tolist()}.")
        self.__dict__.update(values=values, prob0=check_level(self.prob0, "prob0"), **masses)

    def _rows(self, label, n, rng):
        cumulated = np.cumsum(self.mass1 if label else self.mass0)
        atoms = np.searchsorted(cumulated / cumulated[-1], rng.random(n), side="right")
        return self.values[atoms][:, None]

    def _error(self, label, weights, threshold):
        above = weights[0] * self.values > threshold[..., None]
        return ~above @ self.mass1 if label else above @ self.mass0

    def _threshold(self, weights, alpha):
        thresholds = np.append(-np.inf, np.sort(weights[0] * self.values))
        errors = self._error(0, weights, thresholds)
        # a sum of masses may miss the decimal it stands for by a rounding error
        return thresholds[np.argmax(errors <= alpha[..., None] * (1 + 1e-12), axis=-1)]

    def _best(self):
        return np.ones(1)
