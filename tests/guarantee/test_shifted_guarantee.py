"""Thresholds for a shifted class 0: exact for known weights and drawn coins, a bound in all else."""

from functools import partial

import numpy as np
import pytest
from exactness import (
    assert_mixed_rate,
    assert_rate,
    assert_rate_above,
    assert_rate_at_most,
    exact_violation_rate,
    smallest_order,
)
from scipy.stats import binom, norm

from nproc import TooFewSamplesError, np_threshold, np_threshold_shifted

ALPHA = DELTA = 0.1


def groups(rng, n):
    """Scores of two groups, one half each, of which the one with larger scores makes up 0.8 of the target."""
    group = rng.random(n) < 0.5
    return rng.normal(size=n) + 2 * group, np.where(group, 1.6, 0.4)


def rising(rng, n):
    """Uniform scores, whose target has the density 2 s."""
    scores = rng.random(n)
    return scores, 2 * scores


def falling(rng, n):
    """Uniform scores, whose target has the density 3 (1 - s)^2: weights are small where the cut is."""
    scores = rng.random(n)
    return scores, 3 * (1 - scores) ** 2


# the world, the bound on its weights, the type I error in the target
WORLDS = {
    "groups": (groups, 1.6, lambda c: 0.2 * norm.sf(c) + 0.8 * norm.sf(c - 2)),
    "loose": (groups, 4.8, lambda c: 0.2 * norm.sf(c) + 0.8 * norm.sf(c - 2)),
    "rising": (rising, 2.0, lambda c: 1 - c**2),
    "falling": (falling, 3.0, lambda c: (1 - c) ** 3),
}
each_world = pytest.mark.parametrize("name", WORLDS)


def rules_of(name, n0, n_runs, seed=None, **options):
    """Return the rules of many samples of a world, None where there are too few rows."""
    draw, top, _ = WORLDS[name]
    options = {"alpha": ALPHA, "delta": DELTA, "weight_max": top, **options}
    rules = []
    for run in range(n_runs):
        scores, weights = draw(np.random.default_rng([7, n0, run]), n0)
        try:
            rules.append(np_threshold_shifted(scores, weights, random_state=run if seed is None else seed, **options))
        except TooFewSamplesError:
            rules.append(None)
    return rules


def violations(name, rules):
    type1 = WORLDS[name][2]
    return sum(type1(rule.value) > ALPHA for rule in rules if rule is not None)


# with one seed for all data sets, as people type it, and with another one for each
@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 0])
@each_world
def test_drawn_coins_are_exact_given_the_number_kept(name, seed):
    rules = [rule for rule in rules_of(name, 150, 1500, seed) if rule is not None]
    assert len(rules) > 1000
    rates = np.array(
        [exact_violation_rate(rule.n_kept, smallest_order(rule.n_kept, ALPHA, DELTA), ALPHA) for rule in rules]
    )
    assert np.allclose(rates, [rule.violation_rate for rule in rules], rtol=1e-9)
    assert_mixed_rate(violations(name, rules), rates)


@pytest.mark.slow
def test_weights_that_are_ignored_break_the_bound():
    type1 = WORLDS["groups"][2]
    count = sum(
        type1(np_threshold(groups(np.random.default_rng([8, run]), 500)[0], alpha=ALPHA, delta=DELTA).value) > ALPHA
        for run in range(500)
    )
    assert_rate_above(count, 500, 0.8)


@pytest.mark.slow
@each_world
def test_averaged_coins_keep_the_bound(name):
    rules = rules_of(name, 300, 400, coins="averaged")
    assert_rate_at_most(violations(name, rules), 400, DELTA)
    assert sum(rule is not None for rule in rules) == 400


@pytest.mark.slow
def test_averaged_coins_spend_part_of_delta():
    # a wrong test would be seen: the rate is far from 0
    rules = rules_of("groups", 300, 500, coins="averaged")
    count = violations("groups", rules)
    assert_rate_at_most(count, 500, DELTA)
    assert_rate_above(count, 500, DELTA / 10)


def worst_cut(low, high):
    """Return the cut of uniform scores at which the error is alpha if weights are `high` above and `low` below it."""
    return 1 - ALPHA * low / (ALPHA * low + (1 - ALPHA) * high)


def interval_values(options, truth, n0=200, n_runs=1500):
    """Return the thresholds from uniform scores with weights between 0.5 and 1.5, infinite without one."""
    values = []
    for run in range(n_runs):
        scores = np.random.default_rng([9, run]).random(n0)
        try:
            rule = np_threshold_shifted(
                scores, truth(scores), alpha=ALPHA, delta=DELTA, weight_max=1.5, random_state=run, **options
            )
            values.append(rule.value)
        except TooFewSamplesError:
            values.append(np.inf)
    return np.array(values)


@pytest.mark.slow
def test_intervals_are_exact_at_the_worst_weights():
    cut = worst_cut(0.5, 1.5)
    values = interval_values({}, lambda scores: np.tile([0.5, 1.5], (scores.size, 1)))
    # the number that the true weights would have kept
    share = (1.5 * (1 - cut) + 0.5 * cut) / 1.5
    sizes = np.arange(22, 201)
    rates = [exact_violation_rate(n, smallest_order(n, ALPHA, DELTA), ALPHA) for n in sizes]
    assert_rate(np.sum(values < cut), values.size, binom.pmf(sizes, 200, share) @ rates)


@pytest.mark.slow
def test_one_interval_for_all_rows_is_exact_at_the_worst_weights():
    cut = worst_cut(0.5, 1.5)
    values = interval_values({}, lambda _: [[0.5, 1.5]])
    assert_rate(
        np.sum(values < cut), values.size, exact_violation_rate(200, smallest_order(200, 1 - cut, DELTA), 1 - cut)
    )


@pytest.mark.slow
def test_weights_in_the_middle_of_their_intervals_break_the_bound():
    values = interval_values({}, np.ones_like)
    assert_rate_above(np.sum(values < worst_cut(0.5, 1.5)), values.size, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("coins", ["drawn", "averaged"])
@pytest.mark.parametrize("top_at", [0.6, 0.8, 0.95])
def test_intervals_hold_for_weights_that_change_within_them(coins, top_at):
    # the true weights are the upper ends above a place of its own, and the lower ends below it
    low, high = (lambda s: 0.4 + 0.2 * s), (lambda s: 0.8 + 0.7 * s)

    def mass(weight, a, b):
        middle = (a + b) / 2
        return (b - a) * weight(middle)

    def type1(c):
        upper = mass(high, max(c, top_at), 1.0) + (mass(low, c, top_at) if c < top_at else 0.0)
        return upper / (mass(high, top_at, 1.0) + mass(low, 0.0, top_at))

    n_runs = 250 if coins == "averaged" else 800
    values = interval_values({"coins": coins}, lambda s: np.column_stack([low(s), high(s)]), n0=300, n_runs=n_runs)
    count = sum(np.isfinite(value) and type1(value) > ALPHA for value in values)
    assert_rate_at_most(count, n_runs, DELTA)


@pytest.mark.slow
@pytest.mark.parametrize("coins", ["drawn", "averaged"])
def test_tied_scores_keep_the_bound(coins):
    # scores 0 to 9 with equal chances; weights from 1 to 2 rising with the score
    chances = (1 + np.arange(10) / 9) / (1 + np.arange(10) / 9).sum()
    draw = partial(np.random.default_rng, 10)()
    count = 0
    for run in range(300):
        scores = draw.integers(10, size=200)
        rule = np_threshold_shifted(
            scores, 1 + scores / 9, weight_max=2, alpha=0.25, delta=DELTA, coins=coins, random_state=run
        )
        count += chances[np.arange(10) > rule.value].sum() > 0.25
    assert_rate_at_most(count, 300, DELTA)
