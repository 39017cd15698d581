"""Tied scores: exact with ties="randomize", at most the promised rate (and the summed one) by default."""

import warnings

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, exact_violation_rate, first_column, smallest_order
from scipy import stats

from nproc import NPWarning, np_threshold, npc

N0, ALPHA, DELTA = 80, 0.1, 0.1
ORDER = smallest_order(N0, ALPHA, DELTA)
EXACT = float(exact_violation_rate(N0, ORDER, ALPHA))
TENTHS = np.round(np.arange(-60, 61) / 10, 1)
WORLDS = {
    "one value": (np.array([0.0]), np.array([1.0])),
    "two values": (np.array([0.0, 1.0]), np.array([0.85, 0.15])),
    "five values": (np.arange(5.0), np.array([0.5, 0.25, 0.15, 0.07, 0.03])),
    "normal rounded to one decimal": (TENTHS, np.diff(stats.norm.cdf(np.append(TENTHS, 6.1) - 0.05))),
}


def draw(world, n_data_sets, seed):
    atoms, mass = WORLDS[world]
    rng = np.random.default_rng(seed)
    return rng, rng.choice(atoms, (n_data_sets, N0), p=mass / mass.sum())


def masses_at_and_above(world, threshold):
    atoms, mass = WORLDS[world]
    mass = mass / mass.sum()
    return mass[atoms == threshold].sum(), mass[atoms > threshold].sum()


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_the_randomised_rule_violates_exactly_as_with_continuous_scores(world):
    n = 5000
    rng, samples = draw(world, n, 1)
    violations = 0
    for scores0 in samples:
        threshold = np_threshold(scores0, alpha=ALPHA, delta=DELTA, ties="randomize", random_state=rng)
        at, above = masses_at_and_above(world, threshold.value)
        violations += above + at * (1 - threshold.tie_cut) > ALPHA
    assert threshold.violation_rate == pytest.approx(EXACT, rel=1e-12)
    assert_rate(violations, n, EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_the_default_rule_violates_at_the_summed_rate_and_never_more_often_than_promised(world):
    n = 5000
    _, samples = draw(world, n, 2)
    atoms, mass = WORLDS[world]
    up_to = np.cumsum(mass / mass.sum()).clip(0, 1)
    order_mass = np.diff(stats.binom.sf(ORDER - 1, N0, up_to), prepend=0.0)
    # a type I error equal to alpha up to rounding is no violation
    summed = float(order_mass @ (1 - up_to > ALPHA + 1e-12))
    assert summed <= EXACT
    with warnings.catch_warnings():
        # a sample of one value warns that all scores are tied
        warnings.simplefilter("ignore", NPWarning)
        values = np.array([np_threshold(scores0, alpha=ALPHA, delta=DELTA).value for scores0 in samples])
    violations = np.sum(1 - up_to[np.searchsorted(atoms, values)] > ALPHA + 1e-12)
    assert_rate(violations, n, summed)
    assert_rate_at_most(violations, n, EXACT)


def test_predictions_of_the_randomised_rule_have_the_type_1_error_of_the_formula():
    rng, samples = draw("five values", 1, 3)
    threshold = np_threshold(samples[0], alpha=ALPHA, delta=DELTA, ties="randomize", random_state=rng)
    at, above = masses_at_and_above("five values", threshold.value)
    atoms, mass = WORLDS["five values"]
    fresh = rng.choice(atoms, 200_000, p=mass)
    count = int(threshold.predict(fresh, random_state=rng).sum())
    assert_rate(count, fresh.size, above + at * (1 - threshold.tie_cut))


def randomised_npc(world, n, seed):
    _, samples = draw(world, n, seed)
    y = np.repeat([0, 1], [N0, 5])
    for j, scores0 in enumerate(samples):
        X = np.append(scores0, np.full(5, 9.0))[:, None]
        yield npc(
            X,
            y,
            first_column,
            prefit=True,
            alpha=ALPHA,
            delta=DELTA,
            ties="randomize",
            random_state=int(seed * 10**6 + j),
        )


@pytest.mark.slow
@pytest.mark.parametrize("world", ["two values", "five values"])
def test_npc_with_randomised_ties_violates_at_the_exact_rate(world):
    violations = 0
    for fit in randomised_npc(world, 4000, 4):
        at, above = masses_at_and_above(world, fit.thresholds[0])
        violations += above + at * (1 - fit.rules[0].tie_cut) > ALPHA
    assert_rate(violations, 4000, EXACT)


def test_npc_with_randomised_ties_predicts_at_the_type_1_error_of_the_formula():
    fit = next(randomised_npc("two values", 1, 5))
    at, above = masses_at_and_above("two values", fit.thresholds[0])
    fresh = np.random.default_rng(6).choice([0.0, 1.0], 100_000, p=[0.85, 0.15])[:, None]
    count = int(np.sum(fit.predict(fresh, random_state=7) == 1))
    assert_rate(count, len(fresh), above + at * (1 - fit.rules[0].tie_cut))


@pytest.mark.parametrize(
    ("offset", "far"),
    [(0.0, 0.0), (3e15, 0.0), (1e16, 0.0), (0.0, 1e9), (0.0, 1e10)],
    ids=["plain", "offset 3e15", "offset 1e16", "far mode 1e9", "far mode 1e10"],
)
def test_randomised_ties_keep_the_promise_where_many_scores_count_as_equal(offset, far):
    # the guard against rounding is then wide: no row below the threshold may gain by it
    rng = np.random.default_rng(6)
    n, violations = 100, 0
    new = rng.normal(size=20_000)
    new[: 12_000 if far else 0] = -far

    def score(rows):
        return offset + rows[:, 0]

    for seed in range(n):
        class0 = rng.normal(size=300)
        class0[: 180 if far else 0] = -far * (1 + rng.random(180 if far else 0))
        rows, y = np.append(class0, [9.0, 9.0])[:, np.newaxis], np.repeat([0, 1], [300, 2])
        fit = npc(rows, y, score, prefit=True, alpha=0.2, delta=DELTA, ties="randomize", random_state=seed)
        violations += np.mean(fit.predict(new[:, np.newaxis], random_state=seed) == 1) > 0.2
    assert_rate_at_most(violations, n, DELTA)
