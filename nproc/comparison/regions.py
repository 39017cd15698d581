"""Regions of dominance between NP-ROC bands, one function for each kind of statement.

Each takes a list of bands and returns two things: for each band the `StepCurve` of the bounds on its type II error that
are drawn, and a list of regions, each the numbers of the better and the worse band and the ends of a range of alpha.
What is proved is in the Notes of `compare` in
`nproc.comparison.bands`, where the public functions are.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.special import betainc

from nproc.comparison.dominance import (
    StepCurve,
    join_ranges,
    roc_cells,
    roc_curve_bounds,
    rule_bounds,
    rule_cells,
    runs_below,
)
from nproc.errors import InvalidInputError
from nproc.thresholds import rounding_guard


def sign_test(n_for, n_against):
    """Return P(Bin(n_for + n_against, 1/2) >= n_for), the exact one-sided p-value of a sign test.

    Parameters
    ----------
    n_for, n_against : ndarray of int
        Numbers of rows that speak for and against the claim.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> sign_test(np.array([5, 0]), np.array([0, 3]))
    array([0.03125, 1.     ])
    """
    return np.where(n_for > 0, betainc(np.maximum(n_for, 1), n_against + 1.0, 0.5), 1.0)


def holm_adjusted(p_values):
    """Return p-values adjusted by Holm's procedure: each the smallest level at which its hypothesis is rejected.

    Parameters
    ----------
    p_values : ndarray, shape (m,)
        One for each hypothesis.

    Returns
    -------
    ndarray, shape (m,)

    References
    ----------
    [holm1979]_.

    Examples
    --------
    >>> holm_adjusted(np.array([0.03, 0.01, 0.04])).round(6)
    array([0.06, 0.03, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(order.size)
    steps = np.arange(order.size, 0, -1) * p_values[order]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


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
    [holm1979]_, in `nproc.comparison.regions`.
    """
    n_methods, n_cells = len(scores1), upper_cuts[0].size
    p_values = np.ones((n_methods, n_methods, n_cells))
    # a row is missed in so many of the first cells: thresholds fall as alpha rises
    upper_missed = [_cells_missed(*pair) for pair in zip(upper_cuts, scores1, strict=True)]
    lower_missed = [_cells_missed(*pair) for pair in zip(lower_cuts, scores1, strict=True)]
    for a, b in permutations(range(n_methods), 2):
        both = _still_missed(np.minimum(upper_missed[a], lower_missed[b]), n_cells)
        only_a = _still_missed(upper_missed[a], n_cells) - both
        only_b = _still_missed(lower_missed[b], n_cells) - both
        p_values[a, b] = sign_test(only_b, only_a)
    claimed = np.zeros(p_values.shape, dtype=bool)
    tested = ~np.eye(n_methods, dtype=bool)
    claimed[tested] = holm_adjusted(p_values[tested].ravel()).reshape(p_values[tested].shape) <= level
    return claimed


def _cells_missed(cuts, scores):
    return np.searchsorted(-cuts, -scores, side="right")


def _still_missed(cells_missed, n_cells):
    ended = np.bincount(cells_missed, minlength=n_cells + 1)
    return cells_missed.size - np.cumsum(ended)[:n_cells]


def pointwise_rules(bands):
    """Return where one band lies wholly above another.

    Notes
    -----
    At one alpha fixed beforehand and for bands of one split, the fitted rule that is not the better one is called so
    with probability at most 2 delta: one of two bounds must fail.
    """
    return _apart([StepCurve(band.alpha, band.type2_lower, band.type2_upper) for band in bands])


def simultaneous_rules(bands):
    """Return where the simultaneous bounds on the type II errors of the bands' rules do not overlap.

    Notes
    -----
    Each of the K bands has bounds that hold for all its rules at once with probability at least 1 - delta / K, so that
    all hold for all bands with probability at least 1 - delta; then no region is false. No assumption is made on how
    the bands depend on each other.
    """
    delta = bands[0].delta / len(bands)
    return _apart([rule_bounds(band.alpha, _cuts(band)[::-1], band.sorted1[0], delta) for band in bands])


def simultaneous_scores(bands):
    """Return where the simultaneous bounds on the ROC curves of the bands' scores do not overlap.

    Notes
    -----
    As in `simultaneous_rules`, with the bounds of `nproc.comparison.dominance.roc_curve_bounds` at delta / K.
    """
    delta = bands[0].delta / len(bands)
    return _apart([roc_curve_bounds(band.sorted0[0], band.sorted1[0], delta, guard=_guard(band)) for band in bands])


def paired_rules(bands, scores1):
    """Return where one fitted rule has the smaller type II error by exact sign tests on the same class 1 rows.

    Parameters
    ----------
    bands : sequence of NPROCBand
        Bands of one split, with the same left-out rows and the same kind of bounds: the rules that serve alpha must
        have one rank.
    scores1 : list of ndarray, shape (n1,)
        Their scores of the same left-out class 1 rows in the same order.

    Notes
    -----
    A range of alpha is called if the error of the better one at the largest rank of the range, its largest there, is
    below that of the worse one at the smallest rank, its smallest. The thresholds are independent of the class 1 rows;
    given them, the probability of any false call is at most delta (see `nproc.comparison.regions`).
    """
    found = _called(bands, scores1, rule_cells(bands[0].alpha), bands[0].delta)
    return simultaneous_rules(bands)[0], found


def paired_scores(bands, scores1):
    r"""Return where one fitted score has the higher ROC curve by exact sign tests on the same class 1 rows.

    Parameters
    ----------
    bands : sequence of NPROCBand
        Bands of one split, with the same left-out rows.
    scores1 : list of ndarray, shape (n1,)
        Their scores of the same left-out class 1 rows in the same order.

    Notes
    -----
    Half of delta bounds the thresholds :math:`t_\alpha` of all K scores at once (`nproc.comparison.dominance.roc_cells`
    at delta / (2 K)). Where these bounds hold and a is called better than b in a range, but :math:`\beta_a(\alpha)
    \ge \beta_b(\alpha)` for an alpha in it, then :math:`F_{1a}(T_{a(k)}) \ge \beta_a(\alpha) \ge \beta_b(\alpha) \ge
    F_{1b}(T_{b(j)})`: the sign test of the range has rejected a true hypothesis. Given the class 0 rows, Holm's
    procedure does so anywhere with probability at most delta / 2. Together: at most delta.
    """
    delta = bands[0].delta
    cells = roc_cells(bands[0].n0_left_out, delta / (2 * len(bands)))
    return simultaneous_scores(bands)[0], _called(bands, scores1, cells, delta / 2)


def same_rows(bands):
    """Return the class 1 scores of bands in row order, once it is sure that all left out the same rows.

    Raises
    ------
    InvalidInputError
        If a band has no row order, or the left-out positions differ.
    """
    if any(len(band.scored) != 1 for band in bands):
        raise InvalidInputError(
            "regions='paired' needs the scores in row order, which bands from raw scores do not keep; give the "
            "scores of the same rows to nproc.comparison.compare_scores(scores0, scores1), one column a method."
        )
    marks = {band.scored[0].rows for band in bands}
    if len(marks) > 1:
        raise InvalidInputError(
            "regions='paired' needs bands that left out the same rows, and these did not. Make them by nproc "
            "from the same rows in the same order, with one class0, random_state and split_ratio (not 'adaptive'), "
            "as nproc_bands does."
        )
    return [band.scored[0].scores1 for band in bands]


def _apart(curves):
    found = [(a, b, *run) for a, b in permutations(range(len(curves)), 2) for run in runs_below(curves[a], curves[b])]
    return tuple(curves), found


def _called(bands, scores1, cells, level):
    upper = [_cuts(band)[cells.upper_ranks - 1] for band in bands]
    # a score just above a threshold counts as missed by a method that must be bounded from above only
    lower = [band.sorted0[0][cells.lower_ranks - 1] for band in bands]
    claimed = paired_claims(upper, lower, scores1, level)
    found = []
    for a, b in permutations(range(len(bands)), 2):
        calls = claimed[a, b]
        found += [(a, b, *run) for run in join_ranges(cells.alpha_low[calls], cells.alpha_high[calls])]
    return found


def _guard(band):
    scores0 = band.sorted0[0]
    # as the band's classifiers count: a rounding error above the threshold is no miss avoided
    return np.zeros(scores0.size) if band.subject is None else rounding_guard(scores0, scores0)


def _cuts(band):
    return band.sorted0[0] + _guard(band)
