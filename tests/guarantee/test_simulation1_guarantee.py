"""Simulation 1 of the paper: N(0, 1) against N(2, 1), N = 1000, alpha = delta = 0.05, and x itself as the score."""

import numpy as np
import pytest
from exactness import assert_rate, exact_violation_rate, rejects, smallest_order
from scipy import stats

from nproc import np_order, np_threshold

N, ALPHA, DELTA = 1000, 0.05, 0.05
N_DATA_SETS = 20_000
# sizes of class 0 beyond these have a total probability below 1e-14
SIZES = np.arange(370, 631)
WEIGHTS = stats.binom.pmf(SIZES, N, 0.5)


def mean_rate(rate_of_size):
    """Average of a violation rate over the random size of class 0, Bin(1000, 1/2)."""
    return float(np.sum(WEIGHTS * np.array([rate_of_size(int(n)) for n in SIZES])))


def umbrella_rate(n):
    return exact_violation_rate(n, smallest_order(n, ALPHA, DELTA), ALPHA)


def naive_order(n):
    """Smallest rank whose empirical type I error (n - k) / n is at most 1/20."""
    return n - n // 20


def cv_exceeding_law(n):
    """Law of the number of scores above the threshold of the paper's five-fold CV, on 0, 1, ..., n.

    The CV type I error is the mean of five fold errors, so that a score in a fold of size q weighs 1 / (5 q). Folds
    have sizes q and q + 1. The m largest scores may lie above if their weights add up to at most 1/20, that is, if h of
    them in the large folds satisfy (m - h)(q + 1) + h q <= q (q + 1) / 4; h is hypergeometric.
    """
    q, n_large = divmod(n, 5)
    m = np.arange(n + 1)
    # smallest h that satisfies the inequality
    least = m * (q + 1) - (q * (q + 1)) // 4
    allowed = stats.hypergeom.sf(least - 1, n, n_large * (q + 1), m)
    return allowed - np.append(allowed[1:], 0.0)


def cv_rate(n):
    law = cv_exceeding_law(n)
    m = np.flatnonzero(law > 1e-15)
    return float(np.sum(law[m] * exact_violation_rate(n, n - m, ALPHA)))


def cv_threshold(scores0, rng):
    """Smallest score whose CV type I error is at most 1/20, by the definition in the paper."""
    n = scores0.size
    q = n // 5
    folds = np.array_split(rng.permutation(n), 5)
    # weights 1 / (5 q) and 1 / (5 (q + 1)) in units of 1 / (5 q (q + 1)), so that sums are whole numbers
    weight = np.empty(n, dtype=np.int64)
    for fold in folds:
        weight[fold] = q + 1 if fold.size == q else q
    order = np.argsort(scores0)
    above = np.cumsum(weight[order][::-1])[::-1] - weight[order]
    return scores0[order[np.argmax(4 * above <= q * (q + 1))]]


@pytest.fixture(scope="module")
def type1_errors():
    """Population type I errors of the three thresholds on each data set."""
    rng = np.random.default_rng(20180201)
    errors = np.empty((N_DATA_SETS, 3))
    for errors_of_set in errors:
        scores0 = rng.standard_normal(rng.binomial(N, 0.5))
        naive = np.partition(scores0, naive_order(scores0.size) - 1)[naive_order(scores0.size) - 1]
        umbrella = np_threshold(scores0, alpha=ALPHA, delta=DELTA).value
        errors_of_set[:] = umbrella, naive, cv_threshold(scores0, rng)
    return stats.norm.sf(errors)


def test_the_exact_rate_of_simulation_1_is_0_0397():
    # three digits are printed in the reference numbers
    assert mean_rate(umbrella_rate) == pytest.approx(0.0397, abs=5e-5)
    assert mean_rate(umbrella_rate) <= DELTA


def test_the_package_uses_the_smallest_rank_at_every_class_0_size_of_simulation_1():
    assert [np_order(int(n), ALPHA, DELTA) for n in SIZES] == [smallest_order(int(n), ALPHA, DELTA) for n in SIZES]


@pytest.mark.slow
def test_the_umbrella_threshold_violates_at_the_exact_rate_on_20000_data_sets(type1_errors):
    violations = int(np.sum(type1_errors[:, 0] > ALPHA))
    assert_rate(violations, N_DATA_SETS, mean_rate(umbrella_rate))


@pytest.mark.slow
@pytest.mark.parametrize("step", [-1, 1])
def test_a_rank_wrong_by_one_would_be_noticed(type1_errors, step):
    def shifted(n):
        return exact_violation_rate(n, smallest_order(n, ALPHA, DELTA) + step, ALPHA)

    assert rejects(np.sum(type1_errors[:, 0] > ALPHA), N_DATA_SETS, mean_rate(shifted))


@pytest.mark.slow
def test_the_naive_threshold_violates_in_about_half_of_the_data_sets_at_its_exact_rate(type1_errors):
    exact = mean_rate(lambda n: exact_violation_rate(n, naive_order(n), ALPHA))
    # "about half" in the paper; the exact rate is a little above
    assert 0.45 < exact < 0.6
    assert_rate(np.sum(type1_errors[:, 1] > ALPHA), N_DATA_SETS, exact)


@pytest.mark.slow
def test_the_five_fold_cv_threshold_violates_in_about_half_of_the_data_sets_at_its_exact_rate(type1_errors):
    exact = mean_rate(cv_rate)
    assert 0.45 < exact < 0.6
    assert_rate(np.sum(type1_errors[:, 2] > ALPHA), N_DATA_SETS, exact)
