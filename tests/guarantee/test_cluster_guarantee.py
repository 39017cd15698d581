"""One row for each left-out cluster: the exact violation rate where rows of a cluster depend on each other strongly."""

import numpy as np
import pytest
from exactness import (
    MeanDifference,
    assert_rate,
    assert_rate_above,
    exact_violation_rate,
    first_column,
    linear_rule,
    rejects,
    smallest_order,
)
from scipy import stats

from nproc import np_threshold, npc
from nproc.groups import one_per_cluster

ALPHA, SPREAD = 0.1, 2.0
TOTAL = np.hypot(SPREAD, 1.0)  # standard deviation of a random row of a new cluster


def exact_rate(n, alpha, delta):
    return float(exact_violation_rate(n, smallest_order(n, alpha, delta), alpha))


def scores_of_clusters(rng, n_clusters, size_of):
    """Scores b_i + e with the effect b_i of the cluster, and the cluster of each."""
    effects = SPREAD * rng.standard_normal(n_clusters)
    clusters = np.repeat(np.arange(n_clusters), size_of(effects))
    return effects[clusters] + rng.standard_normal(clusters.size), clusters


def ten_rows(effects):
    return np.full(effects.size, 10)


def more_rows_where_scores_are_low(effects):
    return np.where(effects < 0, 15, 3)


def violations(n_draws, n_clusters, delta, size_of, seed):
    """Draws with a type I error above alpha: one row for each cluster, and all rows as if independent."""
    rng = np.random.default_rng([seed, n_clusters, int(1000 * delta)])
    one, naive = 0, 0
    for _ in range(n_draws):
        scores, clusters = scores_of_clusters(rng, n_clusters, size_of)
        drawn = scores[one_per_cluster(clusters, random_state=rng)]
        assert drawn.size == n_clusters
        one += stats.norm.sf(np_threshold(drawn, alpha=ALPHA, delta=delta).value / TOTAL) > ALPHA
        naive += stats.norm.sf(np_threshold(scores, alpha=ALPHA, delta=delta).value / TOTAL) > ALPHA
    return one, naive


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("n_clusters", [30, 60, 150])
def test_one_row_for_each_cluster_violates_at_the_exact_rate_and_all_rows_far_more_often(n_clusters, delta):
    n_draws = 250
    one, naive = violations(n_draws, n_clusters, delta, ten_rows, 1)
    exact = exact_rate(n_clusters, ALPHA, delta)
    assert_rate(one, n_draws, exact)
    assert_rate_above(naive, n_draws, delta)
    assert rejects(naive, n_draws, exact)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("n_clusters", [30, 60, 150])
def test_one_row_for_each_cluster_violates_at_the_exact_rate_in_2500_draws(n_clusters, delta):
    one, _ = violations(2500, n_clusters, delta, ten_rows, 2)
    exact = exact_rate(n_clusters, ALPHA, delta)
    assert_rate(one, 2500, exact)


@pytest.mark.parametrize("n_clusters", [30, 60])
def test_sizes_that_depend_on_the_scores_leave_the_rate_exact(n_clusters):
    one, naive = violations(200, n_clusters, 0.05, more_rows_where_scores_are_low, 3)
    assert_rate(one, 200, exact_rate(n_clusters, ALPHA, 0.05))
    # most rows come from clusters with low scores: the threshold of all rows is far too low
    assert naive > 100


@pytest.mark.slow
def test_prefit_scores_in_clusters_violate_at_the_exact_rate():
    rng = np.random.default_rng(4)
    count = 0
    for seed in range(300):
        scores, clusters = scores_of_clusters(rng, 45, ten_rows)
        X, y = np.r_[scores, [5.0, 6.0]][:, None], np.r_[np.zeros(scores.size), 1, 1]
        members = np.r_[clusters, 0, 99]
        fit = npc(X, y, first_column, prefit=True, clusters=members, alpha=ALPHA, delta=0.1, random_state=seed)
        assert fit.n0_left_out == 45
        count += stats.norm.sf(fit.thresholds[0] / TOTAL) > ALPHA
    assert_rate(count, 300, exact_rate(45, ALPHA, 0.1))


def trained_violations(n_data_sets, start, by_cluster, times=1):
    """npc on clusters that have rows of both classes: 59 of 118 clusters are left out, or half of the rows."""
    count = 0
    for seed in range(start, start + n_data_sets):
        rng = np.random.default_rng(seed)
        clusters, y = np.repeat(np.arange(118), 8 * times), np.tile([0, 0, 0, 0, 0, 0, 1, 1], 118 * times)
        effects = SPREAD * rng.standard_normal(118)
        X = rng.standard_normal((y.size, 2)) + [1.5, 1] * y[:, None]
        X[:, 0] += effects[clusters]
        fit = npc(X, y, MeanDifference(), clusters=clusters if by_cluster else None, random_state=seed, split_ratio=0.5)
        weights, intercept = linear_rule(fit.scorers[0], 2)
        spread = np.hypot(weights[0] * TOTAL, weights[1])
        count += stats.norm.sf((fit.thresholds[0] - intercept) / spread) > 0.05
    assert fit.n0_left_out == (59 if by_cluster else 354 * times)
    return count


@pytest.mark.slow
def test_npc_by_cluster_violates_at_the_exact_rate():
    count = trained_violations(200, 0, True)
    assert_rate(count, 200, exact_rate(59, 0.05, 0.05))
    # of a rank too small by one
    assert rejects(count, 200, float(exact_violation_rate(59, 58, 0.05)))


@pytest.mark.slow
def test_npc_on_the_rows_of_clusters_as_if_independent_fails():
    count = trained_violations(100, 20_000, False, times=4)
    assert_rate_above(count, 100, 0.05)
    assert rejects(count, 100, exact_rate(4 * 354, 0.05, 0.05))


class CentredByCluster:
    """Subtracts from a row the mean of the training rows of its cluster, or of all if it has none."""

    def fit(self, X, y):
        self.mean = X[:, 1].mean()
        names, codes = np.unique(X[:, 0], return_inverse=True)
        self.means = dict(zip(names.tolist(), np.bincount(codes, X[:, 1]) / np.bincount(codes), strict=True))
        return self

    def decision_function(self, X):
        return np.array([value - self.means.get(name, self.mean) for name, value in np.asarray(X).tolist()])


def known_clusters(seed):
    """60 clusters with two rows of class 0 and three of class 1: columns are the cluster and the value."""
    rng = np.random.default_rng(seed)
    clusters, y = np.repeat(np.arange(60.0), 5), np.tile([0, 0, 1, 1, 1], 60)
    effects = SPREAD * rng.standard_normal(60)
    return np.column_stack([clusters, np.repeat(effects, 5) + rng.standard_normal(300) + y]), y


@pytest.mark.slow
def test_no_row_of_a_left_out_cluster_may_train_those_of_class_1_neither():
    exact, leaking = 0, 0
    for seed in range(150):
        X, y = known_clusters(seed)
        fit = npc(
            X, y, CentredByCluster(), clusters=X[:, 0], alpha=ALPHA, delta=0.1, random_state=seed, split_ratio=0.5
        )
        # a new cluster has no mean of its own
        exact += stats.norm.sf((fit.thresholds[0] + fit.scorers[0].mean) / TOTAL) > ALPHA
        # the same with the class 1 rows of the left-out clusters in the training
        left = X[:, 0] < 30
        scorer = CentredByCluster().fit(X[~left | (y == 1)], y[~left | (y == 1)])
        rows = np.flatnonzero(left & (y == 0))
        scores0 = scorer.decision_function(X[rows[one_per_cluster(X[rows, 0], random_state=seed)]])
        value = np_threshold(scores0, alpha=ALPHA, delta=0.1).value
        leaking += stats.norm.sf((value + scorer.mean) / TOTAL) > ALPHA
    assert_rate(exact, 150, exact_rate(30, ALPHA, 0.1))
    assert_rate_above(leaking, 150, 0.3)
