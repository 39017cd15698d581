"""What is not trained again keeps its promise: a ratio chosen in an earlier call, and other levels of the same fit."""

import numpy as np
import pytest
from exactness import (
    MeanDifference,
    assert_mixed_rate,
    assert_rate,
    exact_violation_rate,
    rejects,
    smallest_order,
    type1_of,
)

from nproc import npc, nproc
from nproc.simulate import GaussianWorld

WORLD = GaussianWorld([0, 0], [1.5, 1])
ALPHA, DELTA = 0.2, 0.1


def rate_at(n, alpha, delta):
    return float(exact_violation_rate(n, smallest_order(n, alpha, delta), alpha))


def passed_on(n_data_sets, start):
    """Violations of classifiers by the ratio that a band chose, with other levels and another seed than its own."""
    count, rates, ratios = 0, [], []
    for seed in range(start, start + n_data_sets):
        sample = WORLD.sample_classes(60, 40, seed)
        choice = nproc(sample.X, sample.y, MeanDifference(), split_ratio="adaptive", random_state=seed).ratio_choice
        fit = npc(
            sample.X,
            sample.y,
            MeanDifference(),
            alpha=ALPHA,
            delta=DELTA,
            split_ratio=choice,
            random_state=seed + 1,
        )
        rates.append(rate_at(fit.n0_left_out, ALPHA, DELTA))
        ratios.append(fit.split_ratio)
        count += type1_of(fit, 2)[0] > ALPHA
    return count, rates, ratios


@pytest.mark.slow
def test_a_ratio_that_a_band_has_chosen_keeps_the_exact_rate_in_npc():
    count, rates, ratios = passed_on(60, 0)
    assert_mixed_rate(count, rates)
    # there was something to choose
    assert len(set(ratios)) > 1


@pytest.mark.slow
def test_a_ratio_that_a_band_has_chosen_keeps_the_exact_rate_in_npc_on_300_data_sets():
    count, rates, _ = passed_on(300, 10_000)
    assert_mixed_rate(count, rates)


@pytest.mark.slow
def test_each_of_many_levels_of_one_fit_keeps_its_own_exact_rate_and_not_all_of_them_at_once():
    alphas, n_data_sets = (0.07, 0.15, 0.25, 0.4), 400
    violated = np.zeros((n_data_sets, len(alphas)), dtype=bool)
    for seed in range(n_data_sets):
        sample = WORLD.sample_classes(100, 40, seed)
        first = npc(sample.X, sample.y, MeanDifference(), alpha=0.25, delta=0.25, random_state=seed, split_ratio=0.5)
        for j, alpha in enumerate(alphas):
            violated[seed, j] = type1_of(first.with_levels(alpha=alpha, delta=DELTA), 2)[0] > alpha
    rates = [rate_at(50, alpha, DELTA) for alpha in alphas]
    for j, rate in enumerate(rates):
        assert_rate(violated[:, j].sum(), n_data_sets, rate)
    # that one of them fails is more likely than that any given one does, as the docstring says
    assert rejects(violated.any(axis=1).sum(), n_data_sets, max(rates))
