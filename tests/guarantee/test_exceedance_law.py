"""How often the empirical type I error on a finite test set exceeds alpha, although the true one respects it.

Threshold rows and test rows are exchangeable. So the number of m test scores above the k-th of n threshold scores is
beta-binomial(m, n + 1 - k, k): for one data set divided again and again just as for fresh ones.
"""

import numpy as np
import pytest
from exactness import MeanDifference, assert_rate, rejects, smallest_order
from scipy import stats

from nproc import np_threshold, npc
from nproc.simulate import GaussianWorld

ALPHA, DELTA = 0.1, 0.05


def exact_exceedance(n, m, alpha=ALPHA, delta=DELTA):
    """P(more than alpha m of m test scores lie above the threshold of n scores)."""
    order = smallest_order(n, alpha, delta)
    # alpha m must not be a whole number, so that no rounding decides
    assert alpha * m % 1 > 1e-6
    return float(stats.betabinom.sf(np.floor(alpha * m), m, n + 1 - order, order))


@pytest.mark.slow
def test_the_share_of_test_sets_that_exceed_alpha_follows_the_beta_binomial_law():
    # 3/4 of 333 class 0 rows: half of them, here 125, set the threshold, and 83 test it
    rng = np.random.default_rng(1)
    scores0 = rng.standard_normal(333)
    n, m, n_splits = 125, 83, 5000
    exceeded = 0
    for _ in range(n_splits):
        shuffled = rng.permutation(scores0)
        value = np_threshold(shuffled[:n], alpha=ALPHA, delta=DELTA).value
        exceeded += np.sum(shuffled[n : n + m] > value) > ALPHA * m
    exact = exact_exceedance(n, m)
    assert exact > DELTA  # the test set is finite too
    assert_rate(exceeded, n_splits, exact)
    assert rejects(exceeded, n_splits, DELTA)


def exceedances(n_splits, method, start):
    """Random stratified 3/4-1/4 splits of one data set."""
    sample = GaussianWorld([0, 0], [1.5, 1]).sample_classes(166, 80, 1)
    rows0, rows1 = np.flatnonzero(sample.y == 0), np.flatnonzero(sample.y == 1)
    exceeded = 0
    for seed in range(start, start + n_splits):
        rng = np.random.default_rng(seed)
        fit0, test0 = np.split(rng.permutation(rows0), [124])
        rows = np.concatenate([fit0, rng.permutation(rows1)[:60]])
        fit = npc(sample.X[rows], sample.y[rows], method, alpha=ALPHA, delta=DELTA, random_state=seed, split_ratio=0.5)
        assert (fit.n0_left_out, test0.size) == (62, 42)
        exceeded += np.mean(fit.predict(sample.X[test0])) > ALPHA
    return exceeded


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lda", "logistic", MeanDifference()], ids=["lda", "logistic", "mean difference"])
def test_npc_on_1000_random_splits_of_one_data_set_follows_the_beta_binomial_law(method):
    assert_rate(exceedances(1000, method, 1000), 1000, exact_exceedance(62, 42))
