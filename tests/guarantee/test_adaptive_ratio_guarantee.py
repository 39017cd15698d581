"""A split ratio chosen from data keeps the guarantee: the rows that were looked at never set the threshold."""

import numpy as np
import pytest
from exactness import MeanDifference, assert_mixed_rate, exact_violation_rate, smallest_order, type1_of

from nproc import npc, nproc
from nproc.simulate import GaussianWorld

ALPHA, DELTA = 0.2, 0.1
WORLDS = {"no signal": GaussianWorld([0, 0], [0, 0]), "signal": GaussianWorld([0, 0], [1.5, 1])}


def violations_and_rates(world, n_data_sets, start):
    """Violations, and for each data set the exact rate at the left-out size that was chosen there."""
    count, rates, ratios = 0, [], []
    for seed in range(start, start + n_data_sets):
        sample = world.sample_classes(60, 40, seed)
        fit = npc(
            sample.X,
            sample.y,
            MeanDifference(),
            alpha=ALPHA,
            delta=DELTA,
            split_ratio="adaptive",
            random_state=seed,
        )
        n = fit.n0_left_out
        rates.append(float(exact_violation_rate(n, smallest_order(n, ALPHA, DELTA), ALPHA)))
        ratios.append(fit.split_ratio)
        count += type1_of(fit, 2)[0] > ALPHA
    return count, rates, ratios


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_an_adaptive_ratio_violates_at_the_exact_rate_of_the_size_that_it_leaves_out(name):
    # a rank too small by one would be found with probability 0.999 at each size up to 44
    count, rates, ratios = violations_and_rates(WORLDS[name], 1000, 10_000)
    assert_mixed_rate(count, rates)
    # there was something to choose
    assert len(set(ratios)) > 1


def test_rows_that_chose_the_ratio_set_no_threshold_and_bound_no_type_2_error():
    sample = WORLDS["signal"].sample_classes(200, 200, 1)
    keyed = {tuple(row): j for j, row in enumerate(sample.X)}
    fit = npc(
        sample.X,
        sample.y,
        MeanDifference(),
        alpha=ALPHA,
        delta=DELTA,
        split_ratio="adaptive",
        n_splits=5,
        random_state=1,
    )
    band = nproc(sample.X, sample.y, MeanDifference(), split_ratio="adaptive", n_splits=5, random_state=1)
    for choice, splits in (
        (fit.ratio_choice, [(s, sc, None) for s, sc in zip(fit.scorers, fit.scores0, strict=True)]),
        (band.ratio_choice, [(s.scorer, s.scores0, s.scores1) for s in band.scored]),
    ):
        for scorer, scores0, scores1 in splits:
            row_of_score = {score: row for row, score in enumerate(scorer.decision_function(sample.X).tolist())}
            left_out = np.concatenate([scores0, [] if scores1 is None else scores1])
            rows = [row_of_score[score] for score in left_out.tolist()]
            assert not choice.used[rows].any()
    assert len(keyed) == 400
