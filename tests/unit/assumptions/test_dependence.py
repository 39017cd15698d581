"""Clusters: statistics by hand, and what they say in small worlds."""

import numpy as np
import pytest

from nproc.assumptions.dependence import (
    anova_icc,
    cluster_test,
    rough_violation_rate,
)
from nproc.orderstat import np_order, violation_rate

NOBODY = np.empty(0, dtype=int)


def rng():
    return np.random.default_rng(5)


def icc_by_hand(values, codes):
    groups = [values[codes == code] for code in np.unique(codes)]
    n, g, mean = values.size, len(groups), values.mean()
    between = sum(len(x) * (x.mean() - mean) ** 2 for x in groups) / (g - 1)
    within = sum(((x - x.mean()) ** 2).sum() for x in groups) / (n - g)
    m0 = (n - sum(len(x) ** 2 for x in groups) / n) / (g - 1)
    return (between - within) / (between + (m0 - 1) * within)


def test_the_correlation_is_that_of_the_analysis_of_variance_with_unequal_sizes():
    codes = np.sort(rng().integers(0, 12, size=70))
    _, starts, sizes = np.unique(codes, return_index=True, return_counts=True)
    values = rng().integers(-50, 50, size=70) + 9 * codes
    assert anova_icc(values, starts, sizes) == pytest.approx(icc_by_hand(values, codes), rel=1e-10)


def test_equal_clusters_give_1_and_the_design_effect_is_the_mean_cluster_of_a_row():
    codes = np.repeat(np.arange(40), np.tile([2, 8], 20))
    scores = np.random.default_rng(1).permutation(40)[codes].astype(float)
    found = cluster_test(scores, codes, NOBODY, order=196, alpha=0.05, n_permutations=99, rng=rng())
    assert found.icc == pytest.approx(1.0)
    assert found.icc_tail == pytest.approx(1.0)
    # (2^2 + 8^2) / (2 + 8)
    assert found.design_effect == pytest.approx(6.8)
    assert found.n0_effective == pytest.approx(200 / 6.8)
    assert found.p_value == 0.01


def test_clusters_that_trained_are_counted_and_clusters_of_one_row_tell_nothing():
    codes = np.array([0, 0, 1, 1, 2, 3] * 10)
    found = cluster_test(
        rng().normal(size=60), codes, np.array([1, 7]), order=60, alpha=0.1, n_permutations=19, rng=rng()
    )
    assert (found.n_shared, found.n_clusters, found.n_alone) == (20, 4, 0)
    given = {"order": 5, "alpha": 0.1, "n_permutations": 19, "rng": rng()}
    assert cluster_test(rng().normal(size=6), np.arange(6), NOBODY, **given) is None
    assert cluster_test(rng().normal(size=6), np.zeros(6), NOBODY, **given) is None


@pytest.mark.parametrize("n0", [59, 181, 1000])
def test_without_a_design_effect_the_rough_rate_is_the_violation_rate(n0):
    order = np_order(n0, 0.05, 0.05)
    assert rough_violation_rate(n0, order, 0.05, 1.0) == pytest.approx(violation_rate(order, n0, 0.05), rel=1e-9)
    rates = [rough_violation_rate(n0, order, 0.05, effect) for effect in (1.0, 2.0, 5.0, 10.0)]
    assert rates == sorted(rates)
