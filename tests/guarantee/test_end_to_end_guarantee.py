"""npc from data to labels where class 0 is standard normal and the rule linear: the true error is a formula."""

import numpy as np
import pytest
from exactness import (
    MeanDifference,
    assert_rate,
    assert_rate_at_most,
    exact_violation_rate,
    first_column,
    rejects,
    smallest_order,
    type1_of,
    vote_type1,
)
from scipy import stats

from nproc import npc
from nproc.simulate import GaussianWorld

# (class 0 rows, class 1 rows, alpha, delta); half of class 0 sets the threshold
SMALL = (118, 60, 0.05, 0.05)
MEDIUM = (200, 100, 0.1, 0.1)
WORLD = GaussianWorld([0, 0], [1.5, 1])


def exact_rate(n_left_out, alpha, delta):
    return float(exact_violation_rate(n_left_out, smallest_order(n_left_out, alpha, delta), alpha))


def violations(n_data_sets, setting, method, *, world=WORLD, start=0, **arguments):
    """Number of data sets on which the fitted rule has a true type I error above alpha."""
    n0, n1, alpha, delta = setting
    count = 0
    for seed in range(start, start + n_data_sets):
        sample = world.sample_classes(n0, n1, seed)
        fit = npc(
            sample.X, sample.y, method, alpha=alpha, delta=delta, random_state=seed, **{"split_ratio": 0.5} | arguments
        )
        count += type1_of(fit, sample.X.shape[1])[0] > alpha
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "setting", "runs"),
    [("logistic", SMALL, 500), ("lda", MEDIUM, 2000)],
    ids=["logistic, 59 left out", "lda, 100 left out"],
)
def test_npc_violates_at_the_exact_rate(method, setting, runs):
    # ranks wrong by one would be found with probability 0.999 and more
    n0, _, alpha, delta = setting
    count = violations(runs, setting, method, start=10_000)
    assert_rate(count, runs, exact_rate(n0 // 2, alpha, delta))
    order = smallest_order(n0 // 2, alpha, delta)
    wrong = [k for k in (order - 1, order + 1) if k <= n0 // 2]
    assert all(rejects(count, runs, float(exact_violation_rate(n0 // 2, k, alpha))) for k in wrong)


@pytest.mark.slow
def test_the_default_size_violates_at_its_exact_rate():
    # 93 of 180 rows, whose rank spends nearly all of delta; half of them, 90, would spend a fifth
    count = violations(600, (180, 60, 0.05, 0.05), MeanDifference(), split_ratio="auto")
    assert exact_rate(93, 0.05, 0.05) > 0.0499
    assert_rate(count, 600, exact_rate(93, 0.05, 0.05))
    assert rejects(count, 600, exact_rate(90, 0.05, 0.05))


@pytest.mark.slow
def test_an_uneven_split_ratio_violates_at_the_exact_rate_of_its_left_out_size():
    # round(85 * .3) = 26 rows (25.5, to even) train
    count = violations(600, (85, 60, 0.05, 0.05), MeanDifference(), split_ratio=0.3)
    assert_rate(count, 600, exact_rate(59, 0.05, 0.05))


def test_predicted_labels_have_the_type_1_error_of_the_formula():
    sample = WORLD.sample_classes(118, 60, 3)
    fit = npc(sample.X, sample.y, "lda", random_state=3, split_ratio=0.5)
    rows = np.random.default_rng(4).standard_normal((200_000, 2))
    assert_rate(np.sum(fit.predict(rows) == 1), len(rows), float(type1_of(fit, 2)[0]))


@pytest.mark.slow
def test_prefit_scores_violate_at_the_exact_rate():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [59, 20])
    count = 0
    for seed in range(1000):
        X = (rng.standard_normal(79) + 2 * y)[:, None]
        fit = npc(X, y, first_column, prefit=True, random_state=seed)
        assert fit.n0_left_out == 59
        count += stats.norm.sf(fit.thresholds[0]) > 0.05
    assert_rate(count, 1000, exact_rate(59, 0.05, 0.05))


@pytest.mark.slow
def test_a_prefit_model_that_was_trained_on_other_rows_violates_at_the_exact_rate():
    count = 0
    for seed in range(600):
        training = WORLD.sample_classes(20, 20, 2 * seed)
        model = MeanDifference().fit(training.X, training.y)
        model.classes_ = np.array([0, 1])
        fresh = WORLD.sample_classes(59, 5, 2 * seed + 1)
        fit = npc(fresh.X, fresh.y, model, prefit=True, random_state=seed)
        count += type1_of(fit, 2)[0] > 0.05
    assert_rate(count, 600, exact_rate(59, 0.05, 0.05))


@pytest.mark.slow
def test_extreme_weights_leave_the_violation_rate_exact():
    # rows far on the side of class 1 weigh 50 times as much as the others, in training only
    n0, n1, alpha, delta = SMALL
    count = 0
    for seed in range(600):
        sample = WORLD.sample_classes(n0, n1, 20_000 + seed)
        weight = np.where(sample.X[:, 0] > 1, 50.0, 1.0)
        fit = npc(sample.X, sample.y, MeanDifference(), sample_weight=weight, random_state=seed, split_ratio=0.5)
        count += type1_of(fit, 2)[0] > alpha
    assert_rate(count, 600, exact_rate(59, alpha, delta))


class ThreefoldClass0:
    """Repeats each class 0 row three times, as over-sampling does."""

    def fit_resample(self, X, y):
        rows = np.concatenate([np.flatnonzero(y == 1), np.repeat(np.flatnonzero(y == 0), 3)])
        return X[rows], y[rows]


@pytest.mark.slow
def test_resampling_the_training_part_leaves_the_violation_rate_exact():
    count = violations(600, SMALL, MeanDifference(), start=30_000, resample=ThreefoldClass0())
    assert_rate(count, 600, exact_rate(59, 0.05, 0.05))


# the vote has no proof, so only the side that the paper saw in experiments is tested


def test_the_closed_form_of_the_vote_agrees_with_its_labels():
    sample = WORLD.sample_classes(118, 60, 6)
    fit = npc(sample.X, sample.y, "lda", n_splits=11, random_state=6, split_ratio=0.5)
    rows = np.random.default_rng(7).standard_normal((200_000, 2))
    assert_rate(np.sum(fit.predict(rows) == 1), len(rows), vote_type1(fit))


def vote_violations(n_data_sets, method, start):
    n0, n1, alpha, delta = SMALL
    count = 0
    for seed in range(start, start + n_data_sets):
        sample = WORLD.sample_classes(n0, n1, seed)
        fit = npc(sample.X, sample.y, method, alpha=alpha, delta=delta, n_splits=11, random_state=seed, split_ratio=0.5)
        count += vote_type1(fit) > alpha
    return count


@pytest.mark.slow
def test_the_vote_of_11_splits_violates_at_most_at_delta():
    assert_rate_at_most(vote_violations(500, "lda", 50_000), 500, 0.05)
