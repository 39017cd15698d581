"""Scores without signal: a direction chosen from the left-out rows would break the promise (HOUSE difference 1)."""

import numpy as np
import pytest
from exactness import MeanDifference, assert_rate, exact_violation_rate, first_column, rejects, type1_of
from scipy import stats

from nproc import NPROCBand, NPWarning, npc
from nproc.simulate import GaussianWorld

LAWS = {"normal": stats.norm(), "t with 3 degrees": stats.t(3), "Cauchy": stats.cauchy()}
N0, N1, ALPHA = 59, 30, 0.05
EXACT = float(exact_violation_rate(N0, N0, ALPHA))


def test_the_exact_rate_without_a_flip_is_0_0485():
    assert pytest.approx(0.0485, abs=5e-5) == EXACT


def type1_errors(name, n_data_sets):
    """True type I errors of npc on useless scores, and those of a rule that turns the scores round as R does."""
    scores = LAWS[name].rvs(size=(n_data_sets, N0 + N1), random_state=np.random.default_rng(59))
    y = np.repeat([0, 1], [N0, N1])
    thresholds, flipped = np.empty(n_data_sets), np.empty(n_data_sets)
    for seed, row in enumerate(scores):
        thresholds[seed] = npc(row[:, None], y, first_column, prefit=True, random_state=seed).thresholds[0]
        # the direction in which the class means differ, seen from the rows that set the threshold
        sign = -1.0 if row[y == 1].mean() < row[y == 0].mean() else 1.0
        flipped[seed] = np.max(sign * row[y == 0])
    # the three laws are symmetric, so that the survival function serves both directions
    return LAWS[name].sf(thresholds), LAWS[name].sf(flipped)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_useless_scores_violate_at_the_exact_rate_and_a_flip_would_be_noticed(name):
    errors, flipped = type1_errors(name, 4000)
    assert_rate(np.sum(errors > ALPHA), 4000, EXACT)
    assert rejects(np.sum(flipped > ALPHA), 4000, EXACT)


@pytest.mark.slow
def test_a_method_trained_on_noise_violates_at_the_exact_rate():
    world = GaussianWorld([0, 0], [0, 0])
    count = 0
    for seed in range(3000):
        sample = world.sample_classes(118, 60, seed)
        count += type1_of(npc(sample.X, sample.y, MeanDifference(), random_state=seed, split_ratio=0.5), 2)[0] > ALPHA
    assert_rate(count, 3000, EXACT)


def test_scores_that_point_the_wrong_way_are_used_as_they_are():
    rng = np.random.default_rng(1)
    scores0, scores1 = rng.normal(2, 1, 100), rng.normal(0, 1, 100)
    y = np.repeat([0, 1], 100)
    with pytest.warns(NPWarning, match="wrong sign"):
        fit = npc(np.concatenate([scores0, scores1])[:, None], y, first_column, prefit=True, random_state=1)
    assert fit.thresholds[0] == np.sort(scores0)[fit.orders[0] - 1]
    with pytest.warns(NPWarning, match="change their sign"):
        band = NPROCBand.from_scores(scores0, scores1)
    assert band.at(0.1).type2 > 0.9


def test_a_direction_chosen_by_rows_that_set_the_threshold_can_fail_twice_as_often():
    # one class 0 row, alpha = delta = 1/2, as `nproc.score_direction` works out: the factor of two is reached
    scores0 = np.random.default_rng(2).random(20_000)
    one_direction = 1 - scores0 > 0.5
    area = 1 - scores0
    chosen = np.where(area > 0.5, 1 - scores0, scores0)
    assert_rate(np.sum(one_direction), 20_000, 0.5)
    assert np.all(chosen > 0.5)


@pytest.mark.slow
def test_a_direction_chosen_by_training_rows_keeps_delta():
    # as free as the warning says: the same seed leaves out the same rows, whose scores are turned round or not
    count, n_data_sets = 0, 1500
    for seed in range(n_data_sets):
        rng = np.random.default_rng([7, seed])
        scores0, scores1 = rng.normal(size=2 * N0), rng.normal(size=N1)
        sign = 1.0 if scores1.mean() > scores0[:N0].mean() else -1.0
        count += stats.norm.sf(np.max(sign * scores0[N0:])) > ALPHA
    assert_rate(count, n_data_sets, EXACT)
