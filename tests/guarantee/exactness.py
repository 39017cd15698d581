"""Exact rates and the tests that hold a simulation against them.

Everything here comes from scipy's distributions alone, so that no formula of the package checks itself.
"""

import numpy as np
from scipy import stats

# chance that a check rejects a correct package; the seeds are fixed, so a check that passes once always passes
FALSE_ALARM = 1e-4


def exact_violation_rate(n0, order, alpha):
    """P(type I error > alpha) of the order-th of n0 continuous scores: P(Bin(n0, 1 - alpha) >= order)."""
    return stats.binom.sf(np.asarray(order) - 1, n0, 1 - alpha)


def smallest_order(n0, alpha, delta):
    """The rank of equation 2, by looking at every rank."""
    rates = exact_violation_rate(n0, np.arange(1, n0 + 1), alpha)
    return int(np.argmax(rates <= delta)) + 1


def assert_rate(count, n, rate):
    """The count of n independent events of probability `rate` is neither too large nor too small."""
    p_value = stats.binomtest(int(count), n, rate).pvalue
    assert p_value > FALSE_ALARM, f"{count} of {n} = {count / n:.5f}, exact {rate:.5f}, p-value {p_value:.2g}"


def assert_rate_at_most(count, n, rate):
    """The count of n independent events does not prove a probability above `rate`."""
    p_value = stats.binomtest(int(count), n, rate, alternative="greater").pvalue
    assert p_value > FALSE_ALARM, f"{count} of {n} = {count / n:.5f}, at most {rate:.5f}, p-value {p_value:.2g}"


def assert_rate_above(count, n, rate):
    """The count of n independent events proves a probability above `rate`."""
    p_value = stats.binomtest(int(count), n, rate, alternative="greater").pvalue
    assert p_value < FALSE_ALARM, f"{count} of {n} = {count / n:.5f}, not above {rate:.5f}, p-value {p_value:.2g}"


def assert_mixed_rate(count, rates):
    """Two-sided, for independent events each with a rate of its own (Poisson-binomial law)."""
    law = np.ones(1)
    for rate, n in zip(*np.unique(rates, return_counts=True), strict=True):
        law = np.convolve(law, stats.binom.pmf(np.arange(n + 1), n, rate))
    p_value = law[law <= law[int(count)] * (1 + 1e-9)].sum()
    mean = np.mean(rates)
    assert p_value > FALSE_ALARM, (
        f"{count} of {len(rates)} = {count / len(rates):.5f}, exact {mean:.5f}, p {p_value:.2g}"
    )


def rejects(count, n, rate):
    """Whether `assert_rate` would fail: shows that a check has the power to find a wrong rank."""
    return stats.binomtest(int(count), n, rate).pvalue <= FALSE_ALARM


def linear_rule(scorer, n_features):
    """Weights and intercept of a scorer that is affine in the row, read off at the unit vectors."""
    values = scorer.decision_function(np.vstack([np.zeros(n_features), np.eye(n_features)]))
    return values[1:] - values[0], values[0]


def type1_of(fit, n_features):
    """True type I error of each split of a linear fit, class 0 standard normal."""
    errors = []
    for scorer, threshold in zip(fit.scorers, fit.thresholds, strict=True):
        weights, intercept = linear_rule(scorer, n_features)
        errors.append(stats.norm.sf((threshold - intercept) / np.linalg.norm(weights)))
    return np.array(errors)


def vote_type1(fit, n_angles=4000):
    """True type I error of the majority vote of linear rules in the plane, class 0 standard normal.

    Along the ray of angle a each rule that is ever above its threshold stays so from some radius on. The vote turns at
    the median radius r(a), and a standard normal point lies beyond it with probability exp(-r^2 / 2).
    """
    angles = 2 * np.pi * (np.arange(n_angles) + 0.5) / n_angles
    rays = np.stack([np.cos(angles), np.sin(angles)])
    radii = []
    for scorer, threshold in zip(fit.scorers, fit.thresholds, strict=True):
        weights, intercept = linear_rule(scorer, 2)
        assert threshold > intercept, "the origin must lie on the side of class 0"
        slope = weights @ rays
        radii.append(np.where(slope > 0, (threshold - intercept) / np.where(slope > 0, slope, 1.0), np.inf))
    median = np.sort(radii, axis=0)[len(radii) // 2]
    # the trapezoidal rule on a circle; errors are below 1e-6 at 4000 angles
    return float(np.mean(np.exp(-(median**2) / 2)))


class MeanDifference:
    """The difference of the (weighted) class means as direction: the cheapest scorer that learns."""

    def fit(self, X, y, sample_weight=None):
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        means = [np.average(X[y == label], axis=0, weights=weight[y == label]) for label in (0, 1)]
        self.coef = means[1] - means[0]
        return self

    def decision_function(self, X):
        return np.asarray(X) @ self.coef


def first_column(X):
    """A score given from outside: the first column as it is."""
    return np.asarray(X)[:, 0]
