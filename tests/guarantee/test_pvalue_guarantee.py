"""p-values of new class 0 rows: exactly uniform on their grid, conservative with ties, valid given left-out rows."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_above, assert_rate_at_most, first_column
from scipy import stats

from nproc import npc
from nproc.fits import conditional_p_values, p_values
from nproc.fits.pvalues import combine_votes
from nproc.simulate import GaussianWorld

SIZES = (19, 100, 400)
LEVELS = (0.05, 0.1)
SETTINGS = [(n0, level) for n0 in SIZES for level in LEVELS]


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "level"), SETTINGS)
def test_a_new_class_0_row_has_a_p_value_uniform_on_the_grid(n0, level):
    n_runs = 3000
    rng = np.random.default_rng([n0, int(100 * level)])
    values = np.array([p_values(rng.standard_normal(n0), rng.standard_normal(1))[0] for _ in range(n_runs)])
    assert_rate(np.sum(values <= level), n_runs, np.floor(level * (n0 + 1) + 1e-9) / (n0 + 1))
    # the whole law: as many of each of the n0 + 1 values
    counts = np.bincount(np.rint(values * (n0 + 1)).astype(int), minlength=n0 + 2)[1:]
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize(("n0", "level"), SETTINGS)
def test_with_ties_small_p_values_are_rarer(n0, level):
    n_runs = 1500
    rng = np.random.default_rng([n0, int(100 * level), 1])
    atoms = rng.integers(0, 6, size=(n_runs, n0 + 1)).astype(float)
    values = np.array([p_values(row[1:], row[:1])[0] for row in atoms])
    assert_rate_at_most(np.sum(values <= level), n_runs, level)


@pytest.mark.parametrize(("n0", "level"), SETTINGS)
def test_given_the_left_out_rows_the_error_of_a_cut_has_the_law_of_its_rank(n0, level):
    # P(p <= j / (n0 + 1)) given the left-out scores is the type I error at rank n0 + 1 - j, Beta(j, n0 + 1 - j)
    n_runs = 2000
    j = int(np.floor(level * (n0 + 1) + 1e-9))
    rng = np.random.default_rng([n0, int(100 * level), 2])
    grid = stats.norm.isf(np.linspace(0, 1, 1002)[1:-1])
    above, near = 0, 0.0
    for run in range(n_runs):
        scores0 = rng.standard_normal(n0)
        # the smallest score with a p-value of at most j / (n0 + 1)
        error = stats.norm.sf(np.sort(scores0)[n0 - j])
        above += error > level
        if run < 20:
            near = max(near, abs(np.mean(p_values(scores0, grid) <= j / (n0 + 1)) - error))
    assert near < 2e-3
    assert_rate(above, n_runs, stats.beta.sf(level, j, n0 + 1 - j))
    assert_rate_above(above, n_runs, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("n0", SIZES)
def test_conditional_p_values_fail_for_a_share_delta_of_left_out_samples(n0, delta):
    n_runs = 800
    rng = np.random.default_rng([n0, int(100 * delta), 3])
    fails = 0
    for _ in range(n_runs):
        scores0 = np.sort(rng.random(n0))
        # p is at most this from each left-out score on: with what probability, given the scores?
        values = conditional_p_values(scores0, np.nextafter(scores0, 2.0), delta=delta)
        fails += np.any(1 - scores0 > values)
    # the local level is found to a thousandth of delta
    assert_rate(fails, n_runs, delta * 0.9995)


@pytest.mark.slow
@pytest.mark.parametrize("n_splits", [2, 3, 5])
def test_splits_that_share_rows_give_a_valid_p_value(n_splits):
    # one score for all splits, whose left-out halves overlap: as dependent as splits of one sample are
    n_runs, n0 = 1200, 60
    rng = np.random.default_rng(n_splits)
    columns = np.empty((n_runs, n_splits))
    for run in columns:
        scores0, new = rng.standard_normal(n0), rng.standard_normal(1)
        run[:] = [p_values(rng.permutation(scores0)[: n0 // 2], new)[0] for _ in range(n_splits)]
    for level in LEVELS:
        assert_rate_at_most(np.sum(combine_votes(columns) <= level), n_runs, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_splits", [2, 3, 7])
def test_the_factor_of_several_splits_is_the_smallest_for_any_dependence(n_splits, level):
    # with probability t, r of the M p-values picked at random lie in [0, r t / M]; the rest of the law lies beyond
    n_runs, majority = 20_000, n_splits // 2 + 1
    rng = np.random.default_rng([n_splits, int(100 * level), 4])
    small = majority * level / n_splits
    columns = rng.uniform(small, 1, size=(n_runs, n_splits))
    chosen = rng.permuted(np.tile(np.arange(n_splits), (n_runs, 1)), axis=1) < majority
    hit = (rng.random(n_runs) < level)[:, None] & chosen
    columns[hit] = rng.uniform(0, small, size=int(hit.sum()))
    # each is uniform by itself
    assert_rate(np.sum(columns[:, 0] <= small), n_runs, small)
    assert_rate(np.sum(combine_votes(columns) <= level), n_runs, level)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "level"), [(60, 0.1), (150, 0.1), (300, 0.05)])
def test_p_values_of_a_fitted_classifier_are_uniform(n, level):
    world = GaussianWorld([0, 0], [1.5, 1])
    n_runs = 500
    count, n_left = 0, None
    for seed in range(n_runs):
        sample = world.sample_classes(n, 40, seed)
        fit = npc(sample.X, sample.y, "lda", alpha=0.2, delta=0.2, random_state=seed, split_ratio=0.5)
        n_left = fit.n0_left_out
        count += fit.p_values(np.random.default_rng([seed, n]).standard_normal((1, 2)))[0] <= level
    assert_rate(count, n_runs, np.floor(level * (n_left + 1) + 1e-9) / (n_left + 1))


@pytest.mark.slow
@pytest.mark.parametrize("n0", [80, 200, 600])
def test_the_type_1_curve_of_a_rank_is_right_at_every_delta_fixed_beforehand(n0):
    n_runs, deltas = 500, np.array([0.01, 0.05, 0.3, 0.8])
    rng = np.random.default_rng([n0, 6])
    y = np.repeat([0, 1], [n0, 5])
    errors = np.empty(n_runs)
    for run in range(n_runs):
        rows = rng.standard_normal((n0 + 5, 1)) + 3.0 * y[:, None]
        fit = npc(rows, y, first_column, prefit=True, alpha=0.1, delta=0.1, random_state=1)
        errors[run] = stats.norm.sf(fit.thresholds[0])
    # the bounds depend on rank and number alone, so that they are those of the last fit
    curve = fit.type1_upper_curve(deltas)
    for delta, bound in zip(deltas, curve.type1_upper, strict=True):
        assert_rate(np.sum(errors > bound), n_runs, delta)
    assert abs(errors.mean() - curve.mean) < 5 * errors.std() / np.sqrt(n_runs)
