"""Exact comparison of two type II errors on the same class 1 rows, for many thresholds and methods at once."""

from __future__ import annotations

import numpy as np

from nproc.comparison.multiple_tests import holm, sign_test


def paired_claims(upper_cuts, lower_cuts, scores1, level):
    r"""Return for which methods and cells one type II error is proved smaller than another, on the same class 1 rows.

    Parameters
    ----------
    upper_cuts, lower_cuts : list of ndarray, shape (m,)
        For each method the thresholds of the upper and of the lower ranks of the cells, not increasing.
    scores1 : list of ndarray, shape (n1,)
        For each method the scores of the same left-out class 1 rows in the same order.
    level : float
        Probability that any claim is false.

    Returns
    -------
    ndarray of bool, shape (K, K, m)
        Entry (a, b, i): the type II error of a at its upper threshold is below that of b at its lower one.

    Notes
    -----
    Given the thresholds, the rows that b misses and a catches are binomial, given their sum with those that a misses
    and b catches; with a success probability of at most 1/2 if the error of a is not smaller. The p-value is the exact
    tail of this sign test (McNemar's, exact). Holm's step-down procedure over all K (K - 1) m hypotheses keeps the
    probability of any false claim at most `level`, whatever the dependence of the tests [holm1979]_.

    References
    ----------
    [holm1979]_, in `nproc.comparison.multiple_tests`.
    """
    n_methods, n_cells = len(scores1), upper_cuts[0].size
    p_values = np.ones((n_methods, n_methods, n_cells))
    # a row is missed in so many of the first cells: thresholds fall as alpha rises
    upper_missed = [_cells_missed(*pair) for pair in zip(upper_cuts, scores1, strict=True)]
    lower_missed = [_cells_missed(*pair) for pair in zip(lower_cuts, scores1, strict=True)]
    for a in range(n_methods):
        for b in range(n_methods):
            if a != b:
                both = _still_missed(np.minimum(upper_missed[a], lower_missed[b]), n_cells)
                only_a = _still_missed(upper_missed[a], n_cells) - both
                only_b = _still_missed(lower_missed[b], n_cells) - both
                p_values[a, b] = sign_test(only_b, only_a)
    claimed = np.zeros(p_values.shape, dtype=bool)
    tested = ~np.eye(n_methods, dtype=bool)
    claimed[tested] = holm(p_values[tested].ravel(), level).reshape(n_methods * (n_methods - 1), n_cells)
    return claimed


def _cells_missed(cuts, scores):
    return np.searchsorted(-cuts, -scores, side="right")


def _still_missed(cells_missed, n_cells):
    ended = np.bincount(cells_missed, minlength=n_cells + 1)
    return cells_missed.size - np.cumsum(ended)[:n_cells]
