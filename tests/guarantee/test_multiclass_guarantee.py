"""Several classes: P(called lower than j | class j) breaks its level at the exact rate, for every class j."""

import numpy as np
import pytest
from exactness import (
    assert_mixed_rate,
    assert_rate,
    assert_rate_above,
    assert_rate_at_most,
    exact_violation_rate,
    linear_rule,
    rejects,
    smallest_order,
)
from scipy import stats

from nproc import npc_multiclass
from nproc.multiclass.stages import stage_thresholds

# four classes, three stages: under class j the scores of the stages are independent, U ** POWERS[j]; a small power puts
# them near 1, so that class j mostly passes the stages before its own
POWERS = np.array([[1.0, 1.0, 1.0], [0.05, 1.0, 1.0], [0.03, 0.1, 1.0], [0.02, 0.1, 0.2]])
ALPHAS = (0.05, 0.15, 0.1)
SIZES, DELTAS = (60, 120, 300), (0.05, 0.2)
SETTINGS = [(n, delta) for n in SIZES for delta in DELTAS]


def passing(thresholds, j):
    """P(score of stage i above its threshold | class j), for every stage i."""
    above = np.clip(thresholds, 0, 1) ** (1 / POWERS[j])
    return 1 - above


def run(n, delta, scheme, n_runs, seed):
    """Violations of the joint and of the separate statement, and the exact chance of the joint one, given the past."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2], n)
    rates = np.array([exact_violation_rate(n, smallest_order(n, a, delta), a) for a in ALPHAS])
    joint, separate, chances = (np.zeros((n_runs, 3)) for _ in range(3))
    for r in range(n_runs):
        scores = rng.random((3 * n, 3)) ** POWERS[codes]
        found = stage_thresholds(scores, codes, ALPHAS, (delta,) * 3, scheme=scheme)
        thresholds = np.array([rule.value for rule in found.rules])
        for j in range(3):
            pass_each = passing(thresholds, j)
            pass_before = pass_each[:j].prod()
            joint[r, j] = pass_before * pass_each[j] > ALPHAS[j]
            separate[r, j] = pass_each[j] > ALPHAS[j]
            # a class that passes the earlier stages with no more than alpha can never break its level
            chances[r, j] = rates[j] if pass_before > ALPHAS[j] else 0.0
    return joint, separate, chances, rates


@pytest.mark.slow
@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_every_class_breaks_its_joint_bound_at_the_exact_rate(n, delta):
    joint, _, chances, _ = run(n, delta, "joint", 500, n)
    for j in range(3):
        assert_mixed_rate(joint[:, j].sum(), chances[:, j])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "delta"), [(120, 0.05), (120, 0.2)])
def test_one_rank_more_or_less_would_not_pass_on_6000_samples(n, delta):
    joint, _, chances, _ = run(n, delta, "joint", 6000, 7)
    for j, alpha in enumerate(ALPHAS):
        live = chances[:, j] > 0
        count, order = joint[live, j].sum(), smallest_order(n, alpha, delta)
        assert joint[~live, j].sum() == 0
        assert_rate(count, live.sum(), float(exact_violation_rate(n, order, alpha)))
        assert all(rejects(count, live.sum(), float(exact_violation_rate(n, k, alpha))) for k in (order - 1, order + 1))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_separate_thresholds_are_exact_for_their_own_stage_and_conservative_for_rows_called_lower(n, delta):
    joint, separate, _, rates = run(n, delta, "separate", 300, n + 1)
    for j in range(3):
        assert_rate(separate[:, j].sum(), len(separate), rates[j])
        assert_rate_at_most(joint[:, j].sum(), len(joint), rates[j])


@pytest.mark.slow
def test_all_bounds_hold_at_once_with_the_product_of_their_probabilities():
    _, separate, _, rates = run(60, 0.2, "separate", 800, 3)
    # the thresholds of different classes are independent
    assert_rate(np.sum(~separate.any(axis=1)), len(separate), float(np.prod(1 - rates)))
    joint, _, chances, rates = run(60, 0.2, "joint", 500, 4)
    assert_rate_at_most(np.sum(joint.any(axis=1)), len(joint), float(1 - np.prod(1 - rates)))
    assert np.all(chances[:, 0] == rates[0])


def test_the_total_error_of_a_class_after_the_first_has_no_bound():
    rng = np.random.default_rng(5)
    codes = np.repeat([0, 1], 60)
    total, lower = np.zeros(200), np.zeros(200)
    for r in range(200):
        # class 1 scores at stage 0 as class 0 does: nearly all of it is called class 0
        found = stage_thresholds(rng.random((120, 2)), codes, (0.1, 0.1), (0.1, 0.1))
        t0, t1 = (rule.value for rule in found.rules)
        lower[r] = (1 - t0) * (1 - max(t1, 0.0))
        total[r] = t0 + lower[r]
    assert_rate_at_most(np.sum(lower > 0.1), 200, 0.1)
    assert np.mean(total) > 0.9
    assert_rate_above(np.sum(total > 0.1), 200, 0.9)


@pytest.mark.slow
def test_tied_scores_break_the_bound_at_most_at_the_rate_of_continuous_ones():
    n, alpha, delta = 80, 0.1, 0.1
    rng = np.random.default_rng(6)
    mass = np.array([0.5, 0.25, 0.15, 0.07, 0.03])
    codes = np.repeat([0, 1], n)
    rate = float(exact_violation_rate(n, smallest_order(n, alpha, delta), alpha))
    broken = np.zeros(2)
    for _ in range(400):
        scores = rng.choice(5, (2 * n, 2), p=mass).astype(float)
        # class 1 passes stage 0 more often
        scores[n:, 0] = rng.choice(5, n, p=mass[::-1])
        found = stage_thresholds(scores, codes, (alpha, alpha), (delta, delta))
        t0, t1 = (rule.value for rule in found.rules)
        pass0 = [mass[np.arange(5) > t0].sum(), mass[::-1][np.arange(5) > t0].sum()]
        broken += [pass0[0] > alpha + 1e-12, pass0[1] * mass[np.arange(5) > t1].sum() > alpha + 1e-12]
    assert_rate_at_most(broken[0], 400, rate)
    assert_rate_at_most(broken[1], 400, rate)


# from data to labels: classes N(0, 1), N(3, 1), N(6, 1) on a line, where every stage is a cut


def cuts(fit):
    """Where each stage is passed: above these values of x."""
    found = []
    for scorer, threshold in zip(fit.stages.scorers, fit.thresholds, strict=True):
        (weight,), intercept = linear_rule(scorer, 1)
        assert weight > 0
        found.append((threshold - intercept) / weight if threshold > -np.inf else -np.inf)
    return found


def line_runs(n_runs, n, alphas, deltas, start):
    y = np.repeat(["high", "middle", "low"], n)
    means = np.repeat([0.0, 3.0, 6.0], n)
    rates = [
        float(exact_violation_rate(n // 2, smallest_order(n // 2, a, d), a))
        for a, d in zip(alphas, deltas, strict=True)
    ]
    broken, chances = np.zeros((n_runs, 2)), np.zeros((n_runs, 2))
    for r in range(n_runs):
        rng = np.random.default_rng([start, r])
        X = (means + rng.standard_normal(3 * n))[:, None]
        fit = npc_multiclass(
            X, y, "lda", priority=["high", "middle", "low"], alphas=alphas, deltas=deltas, random_state=r
        )
        c0, c1 = cuts(fit)
        broken[r] = stats.norm.sf(c0) > alphas[0], stats.norm.sf(max(c0, c1) - 3) > alphas[1]
        chances[r] = rates[0], rates[1] if stats.norm.sf(c0 - 3) > alphas[1] else 0.0
    return broken, chances


@pytest.mark.filterwarnings("ignore:no row will be called")
@pytest.mark.slow
@pytest.mark.parametrize(("n", "alphas", "deltas"), [(120, (0.05, 0.2), (0.05, 0.1)), (200, (0.1, 0.1), (0.2, 0.05))])
def test_npc_multiclass_breaks_its_bounds_at_the_exact_rates_on_1500_data_sets(n, alphas, deltas):
    broken, chances = line_runs(1500, n, alphas, deltas, 9)
    for j in range(2):
        assert_mixed_rate(broken[:, j].sum(), chances[:, j])


def test_predicted_labels_have_the_errors_of_the_formula():
    rng = np.random.default_rng(10)
    y = np.repeat([0, 1, 2], 200)
    fit = npc_multiclass((3.0 * y + rng.standard_normal(600))[:, None], y, "lda", alphas=(0.05, 0.2), random_state=1)
    c0, c1 = cuts(fit)
    for label, cut in ((0, c0), (1, max(c0, c1))):
        rows = 3.0 * label + rng.standard_normal(100_000)
        called_lower = int(np.sum(fit.predict(rows[:, None]) > label))
        assert_rate(called_lower, rows.size, float(stats.norm.sf(cut - 3.0 * label)))


@pytest.mark.slow
def test_the_cost_sensitive_method_breaks_its_levels_far_more_often_than_a_bound_would():
    from nproc.multiclass import npcs

    # with normal classes on a line and lda, the rule is two cuts; class 0 is called 0 below the first
    broken = 0
    for r in range(50):
        rng = np.random.default_rng([11, r])
        y = np.repeat([0, 1, 2], 100)
        X = (2.5 * y + rng.standard_normal(300))[:, None]
        fit = npcs(X, y, "lda", alphas={0: 0.15}, random_state=r)
        grid = np.linspace(-2, 6, 4001)
        first = grid[np.argmax(fit.predict(grid[:, None]) != 0)]
        broken += stats.norm.sf(first) > 0.15
    assert_rate_above(broken, 50, 0.2)
