"""Both bounds of two thresholds: the exact laws, with unequal groups, ties, shares from a sample and pilot rows."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_above, assert_rate_at_most
from scipy import stats

from nproc.groups import np_equal_thresholds

N = 20_000
FEW = 1500


def thresholds_of(sizes, **settings):
    """The thresholds for two groups of these sizes; the ranks depend on nothing else."""
    return np_equal_thresholds(np.arange(float(sum(sizes))), np.repeat(["a", "b"], sizes), **settings)


def order_statistics(rng, sizes, orders, laws):
    """N draws of the threshold of each group."""
    return [
        np.partition(law.rvs(size=(N, n), random_state=rng), k - 1, axis=1)[:, k - 1]
        for law, n, k in zip(laws, sizes, orders, strict=True)
    ]


WORLDS = {
    "the same law": (stats.norm(), stats.norm()),
    "far apart": (stats.norm(), stats.norm(5, 3)),
    "heavy and bounded": (stats.cauchy(), stats.beta(0.3, 0.3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ((60, 60), {"alpha": 0.15, "epsilon": 0.1}),
        ((30, 200), {"alpha": 0.2, "epsilon": 0.15}),
        ((150, 40), {"alpha": 0.1, "epsilon": 0.09}),
    ],
    ids=str,
)
def test_both_violations_have_the_probabilities_that_are_told(sizes, levels, world):
    rng = np.random.default_rng([3, *sizes])
    share = sizes[0] / sum(sizes)
    found = thresholds_of(sizes, delta=0.1, gamma=0.1, shares={"a": share, "b": 1 - share}, **levels)
    laws = WORLDS[world]
    thresholds = order_statistics(rng, sizes, found.orders, laws)
    errors = [law.sf(t) for law, t in zip(laws, thresholds, strict=True)]
    assert found.violation_rate <= 0.1
    assert found.difference_violation_rate <= 0.1
    assert_rate(np.sum(share * errors[0] + (1 - share) * errors[1] > levels["alpha"]), N, found.violation_rate)
    assert_rate(np.sum(np.abs(errors[0] - errors[1]) > levels["epsilon"]), N, found.difference_violation_rate)


def test_for_any_shares_the_larger_error_has_the_probability_that_is_told():
    rng = np.random.default_rng(4)
    sizes = (50, 120)
    found = thresholds_of(sizes, alpha=0.1, epsilon=0.1, delta=0.2, gamma=0.2, shares="any")
    t = order_statistics(rng, sizes, found.orders, WORLDS["far apart"])
    errors = np.array([law.sf(own) for law, own in zip(WORLDS["far apart"], t, strict=True)])
    assert_rate(np.sum(errors.max(axis=0) > 0.1), N, found.violation_rate)
    exact = 1 - np.prod([stats.binom.cdf(k - 1, n, 0.9) for k, n in zip(found.orders, sizes, strict=True)])
    assert found.violation_rate == pytest.approx(exact, abs=1e-8)


def error_with_ties(found, masses):
    """The type I error of `predict` in each group for scores 0, 1, ... with these probabilities."""
    errors = []
    for value, cut, mass in zip(found.values, found.tie_cuts, masses, strict=True):
        place = int(value)
        errors.append(mass[place + 1 :].sum() + mass[place] * (1 - cut))
    return errors


TIED = {
    "one group all equal": (np.array([1.0]), np.full(50, 0.02)),
    "a large atom on top": (np.array([0.3, 0.2, 0.5]), np.array([0.5, 0.3, 0.15, 0.05])),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", TIED)
def test_the_law_is_exact_with_ties_that_are_randomised(world):
    rng = np.random.default_rng(5)
    masses, sizes = TIED[world], (50, 70)
    levels = {"alpha": 0.15, "epsilon": 0.12, "delta": 0.1, "gamma": 0.15}
    groups = np.repeat(["a", "b"], sizes)
    broken = np.zeros(2, dtype=int)
    for seed in range(FEW):
        scores0 = np.concatenate([rng.choice(m.size, n, p=m) for m, n in zip(masses, sizes, strict=True)])
        found = np_equal_thresholds(
            scores0.astype(float), groups, shares={"a": 0.4, "b": 0.6}, random_state=seed, **levels
        )
        a, b = error_with_ties(found, masses)
        broken += np.array([0.4 * a + 0.6 * b > 0.15, abs(a - b) > 0.12])
    assert_rate(broken[0], FEW, found.violation_rate)
    assert_rate(broken[1], FEW, found.difference_violation_rate)


def test_predict_calls_tied_rows_with_the_probability_of_that_law():
    rng = np.random.default_rng(6)
    mass = np.array([0.5, 0.3, 0.2])
    groups = np.repeat(["a", "b"], [80, 80])
    found = np_equal_thresholds(
        rng.choice(3, 160, p=mass).astype(float), groups, alpha=0.15, epsilon=0.12, random_state=0
    )
    for group, error in zip("ab", error_with_ties(found, (mass, mass)), strict=True):
        called = found.predict(rng.choice(3, N, p=mass).astype(float), [group] * N, random_state=1)
        assert_rate(called.sum(), N, error)


def test_conservative_ties_would_break_the_bound_on_the_difference():
    rng = np.random.default_rng(7)
    sizes = (80, 80)
    found = thresholds_of(sizes, alpha=0.2, epsilon=0.1, delta=0.1, gamma=0.1)
    # the scores of one group are all equal, and none is above the threshold
    other = stats.norm.sf(order_statistics(rng, sizes, found.orders, WORLDS["the same law"])[1])
    assert_rate_above(np.sum(other > 0.1), N, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.35, 0.5])
def test_with_shares_from_a_sample_alpha_is_kept(share):
    rng = np.random.default_rng([8, int(100 * share)])
    n0, n_runs = 200, 400
    known = {}
    over = apart = 0
    rates = []
    for _ in range(n_runs * 10):
        n = int(rng.binomial(n0, share))
        if n not in known:
            known[n] = thresholds_of((n, n0 - n), alpha=0.15, epsilon=0.2, delta=0.1, gamma=0.2)
        found = known[n]
        a, b = rng.beta(found.n0 - found.orders + 1, found.orders)
        over += share * a + (1 - share) * b > 0.15
        apart += abs(a - b) > 0.2
        rates.append(found.difference_violation_rate)
    assert_rate_at_most(over, n_runs * 10, 0.1)
    assert_rate(apart, n_runs * 10, np.mean(rates))


def pilot_rows(rng, n):
    y = np.repeat([0, 1], n)
    groups = np.where(rng.random(2 * n) < 0.4, "a", "b")
    return rng.normal(y * np.where(groups == "a", 2.5, 0.5)), groups, y


@pytest.mark.slow
def test_a_choice_by_pilot_rows_keeps_both_bounds():
    rng = np.random.default_rng(9)
    sizes, levels = (60, 90), {"alpha": 0.15, "epsilon": 0.13, "delta": 0.1, "gamma": 0.1}
    groups = np.repeat(["a", "b"], sizes)
    broken, rates, pairs = np.zeros(2, dtype=int), [], set()
    for seed in range(FEW // 5):
        scores0 = rng.normal(size=150)
        scores, given, y = pilot_rows(rng, 150)
        found = np_equal_thresholds(
            scores0,
            groups,
            shares={"a": 0.4, "b": 0.6},
            pilot_scores=scores,
            pilot_groups=given,
            pilot_y=y,
            random_state=seed,
            **levels,
        )
        a, b = stats.norm.sf(found.values)
        broken += np.array([0.4 * a + 0.6 * b > 0.15, abs(a - b) > 0.13])
        rates.append((found.violation_rate, found.difference_violation_rate))
        pairs.add(tuple(found.orders))
    mean = np.mean(rates, axis=0)
    assert len(pairs) > 3
    assert_rate(broken[0], FEW // 5, mean[0])
    assert_rate(broken[1], FEW // 5, mean[1])
