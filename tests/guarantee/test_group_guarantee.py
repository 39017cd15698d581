"""The type I errors of all groups at once: the exact product law of separate thresholds, and that of a pooled one."""

import numpy as np
import pytest
from exactness import (
    MeanDifference,
    assert_rate,
    assert_rate_above,
    assert_rate_at_most,
    exact_violation_rate,
    linear_rule,
    rejects,
    smallest_order,
)
from scipy import stats

from nproc import npc
from nproc.groups import np_group_thresholds

ALPHA = 0.1
SIZES = [(40, 60), (70, 100, 80), (200, 150, 400, 120)]
DELTAS = [0.05, 0.2]
N = 4000


def ranks(sizes, delta, pooled):
    """The ranks that the package takes for groups of these sizes; they depend on nothing else."""
    scores0 = np.arange(float(sum(sizes)))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return np_group_thresholds(scores0, groups, alpha=ALPHA, delta=delta, pooled=pooled).orders


def draw_thresholds(rng, sizes, orders, centres):
    """N draws of each group's order statistic, scores normal about the centre of the group."""
    columns = [
        np.partition(rng.normal(centre, 1, size=(N, n)), order - 1, axis=1)[:, order - 1]
        for n, order, centre in zip(sizes, orders, centres, strict=True)
    ]
    return np.column_stack(columns)


def failures(thresholds, centres):
    """Draws in which some group has a type I error above alpha."""
    return int(np.sum((stats.norm.sf(thresholds - np.asarray(centres)) > ALPHA).any(axis=1)))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_separate_thresholds_fail_in_some_group_at_the_exact_product_rate(sizes, delta):
    rng = np.random.default_rng([1, len(sizes), int(1000 * delta)])
    centres = np.linspace(0, 3, len(sizes))
    each = 1 - (1 - delta) ** (1 / len(sizes))
    orders = ranks(sizes, delta, pooled=False)
    assert orders.tolist() == [smallest_order(n, ALPHA, each) for n in sizes]
    exact = 1 - np.prod(1 - exact_violation_rate(np.array(sizes), orders, ALPHA))
    assert exact <= delta
    assert_rate(failures(draw_thresholds(rng, sizes, orders, centres), centres), N, exact)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("sizes", SIZES[1:], ids=str)
def test_separate_thresholds_at_delta_itself_would_fail_too_often(sizes, delta):
    rng = np.random.default_rng([2, len(sizes), int(1000 * delta)])
    centres = np.zeros(len(sizes))
    orders = [smallest_order(n, ALPHA, delta) for n in sizes]
    count = failures(draw_thresholds(rng, sizes, orders, centres), centres)
    assert_rate_above(count, N, delta)
    own = ranks(sizes, delta, pooled=False)
    assert rejects(count, N, 1 - np.prod(1 - exact_violation_rate(np.array(sizes), own, ALPHA)))


def centres_of(world, n_groups):
    return {
        "one group above all others": np.r_[0.0, np.full(n_groups - 1, -9.0)],
        "all groups alike": np.zeros(n_groups),
        "groups half apart": -0.5 * np.arange(n_groups),
    }[world]


@pytest.mark.parametrize("world", ["one group above all others", "all groups alike", "groups half apart"])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_pooled_threshold_fails_at_the_exact_rate_of_its_world(sizes, delta, world):
    rng = np.random.default_rng([3, len(sizes), int(1000 * delta)])
    centres = centres_of(world, len(sizes))
    orders = ranks(sizes, delta, pooled=True)
    assert orders.tolist() == [smallest_order(n, ALPHA, delta) for n in sizes]
    thresholds = draw_thresholds(rng, sizes, orders, centres).max(axis=1, keepdims=True)
    count = failures(np.broadcast_to(thresholds, (N, len(sizes))), centres)
    # some group fails exactly where all thresholds lie below the largest of the quantiles
    quantile = centres.max() + stats.norm.isf(ALPHA)
    below = stats.norm.cdf(quantile - centres)
    exact = float(np.prod(stats.binom.sf(orders - 1, np.array(sizes), below)))
    assert_rate(count, N, exact)
    worst = exact_violation_rate(sizes[0], orders[0], ALPHA)
    if world == "one group above all others":
        np.testing.assert_allclose(exact, worst, rtol=1e-9)
    else:
        assert exact < worst
    assert_rate_at_most(count, N, delta)


@pytest.mark.parametrize("pooled", [False, True])
def test_the_type_1_bounds_hold_in_all_groups_at_once(pooled):
    # a level that is met with room to spare, so that the bounds differ from alpha
    sizes, delta, rng = (45, 61), 0.1, np.random.default_rng(4)
    groups = np.repeat([0, 1], sizes)
    found = np_group_thresholds(np.arange(106.0), groups, alpha=ALPHA, delta=delta, pooled=pooled)
    thresholds = draw_thresholds(rng, sizes, found.orders, [0.0, -9.0 * pooled])
    if pooled:
        # the group that sets the threshold is the first, and the bound the larger of the two
        thresholds = np.repeat(thresholds.max(axis=1, keepdims=True), 2, axis=1)
        exact = exact_violation_rate(45, found.orders[0], found.type1_uppers[0])
    else:
        exact = delta
    errors = stats.norm.sf(thresholds - np.array([0.0, -9.0 * pooled]))
    assert_rate(np.sum((errors > found.type1_uppers).any(axis=1)), N, float(exact))


CENTRES = np.array([[0.0, 0.0], [1.0, -0.5]])
SPREADS = np.array([1.0, 1.5])


def two_groups(rng, n0, n1):
    groups = np.concatenate([np.repeat([0, 1], n0), np.repeat([0, 1], n1)])
    y = np.repeat([0, 1], [sum(n0), sum(n1)])
    X = rng.standard_normal((y.size, 2)) * SPREADS[groups, None] + CENTRES[groups] + [1.5, 1] * y[:, None]
    return X, y, groups


def count_failures(n_data_sets, start, kind):
    """Data sets on which npc breaks the bound in some group, by the closed form of the linear rule."""
    failed = 0
    for seed in range(start, start + n_data_sets):
        X, y, groups = two_groups(np.random.default_rng(seed), (81, 120), (30, 30))
        fit = npc(
            X,
            y,
            MeanDifference(),
            groups=groups,
            group_thresholds=kind,
            alpha=ALPHA,
            delta=0.1,
            random_state=seed,
            split_ratio=0.5,
        )
        assert fit.n0_left_out_by_group.tolist() == [41, 60]
        weights, intercept = linear_rule(fit.scorers[0], 2)
        centre = intercept + CENTRES @ weights
        errors = stats.norm.sf((fit.thresholds[0] - centre) / (SPREADS * np.linalg.norm(weights)))
        failed += bool(np.any(errors > ALPHA))
    return failed, fit.orders[0]


@pytest.mark.slow
def test_npc_with_separate_thresholds_fails_at_the_exact_product_rate():
    failed, orders = count_failures(200, 0, "separate")
    exact = 1 - np.prod(1 - exact_violation_rate(np.array([41, 60]), orders, ALPHA))
    assert_rate(failed, 200, exact)


@pytest.mark.slow
def test_npc_with_separate_thresholds_fails_at_the_exact_product_rate_on_1500_data_sets():
    failed, orders = count_failures(1500, 10_000, "separate")
    assert_rate(failed, 1500, 1 - np.prod(1 - exact_violation_rate(np.array([41, 60]), orders, ALPHA)))


@pytest.mark.slow
def test_npc_with_a_pooled_threshold_fails_at_most_at_the_rate_of_the_worst_group():
    failed, orders = count_failures(150, 20_000, "pooled")
    # the second group is wider and shifted towards class 1 for every direction near (1.5, 1): it is the worst
    assert_rate_at_most(failed, 150, exact_violation_rate(60, orders[1], ALPHA))
