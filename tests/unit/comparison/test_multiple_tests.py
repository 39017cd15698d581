"""Tests of `nproc.comparison.regions` against scipy and statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from nproc.comparison.regions import sign_test
from nproc.orderstat import holm_adjusted


@pytest.mark.parametrize(("n_for", "n_against"), [(0, 0), (0, 4), (1, 0), (7, 2), (3, 3), (60, 31)])
def test_the_sign_test_is_the_exact_binomial_test(n_for, n_against):
    total = n_for + n_against
    expected = stats.binomtest(n_for, total, 0.5, alternative="greater").pvalue if total else 1.0
    assert sign_test(np.array([n_for]), np.array([n_against]))[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    p_values = np.append(rng.random(8), rng.random(8) * 0.01)
    rejected, adjusted, *_ = multipletests(p_values, 0.05, method="holm")
    np.testing.assert_allclose(holm_adjusted(p_values), adjusted, rtol=1e-12)
    np.testing.assert_array_equal(holm_adjusted(p_values) <= 0.05, rejected)


def test_one_hypothesis_is_tested_at_the_level_itself():
    assert (holm_adjusted(np.array([0.05])) <= 0.05).tolist() == [True]
