"""Tests of `nproc.comparison.regions`: rows are counted as they should be, and claims follow from the counts."""

import numpy as np
from scipy import stats

from nproc.comparison.regions import paired_claims
from nproc.orderstat import holm_adjusted


def test_claims_are_those_of_sign_tests_counted_row_by_row():
    rng = np.random.default_rng(3)
    n, n_cells, level = 90, 6, 0.3
    shared = rng.normal(size=n)
    scores1 = [(shared + 0.5 * rng.normal(size=n) + shift).round(1) for shift in (0.0, 0.5, 1.2)]
    lower = [np.sort(rng.normal(size=n_cells))[::-1].round(1) for _ in scores1]
    upper = [cuts + 0.2 for cuts in lower]
    claimed = paired_claims(upper, lower, scores1, level)
    pairs, p_values = [], []
    for a in range(3):
        for b in range(3):
            for cell in range(n_cells if a != b else 0):
                missed_a, missed_b = scores1[a] <= upper[a][cell], scores1[b] <= lower[b][cell]
                n_for, n_against = int(np.sum(missed_b & ~missed_a)), int(np.sum(missed_a & ~missed_b))
                pairs.append((a, b, cell))
                p_values.append(stats.binom.sf(n_for - 1, n_for + n_against, 0.5))
    expected = holm_adjusted(np.array(p_values)) <= level
    assert [bool(claimed[pair]) for pair in pairs] == expected.tolist()
    assert 0 < expected.sum() < expected.size
    assert not claimed[np.arange(3), np.arange(3)].any()


def test_no_cell_means_no_claim():
    empty = [np.empty(0), np.empty(0)]
    assert paired_claims(empty, empty, [np.zeros(3), np.ones(3)], 0.05).shape == (2, 2, 0)
