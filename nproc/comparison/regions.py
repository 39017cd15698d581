"""Regions of dominance between NP-ROC bands, one function for each kind of statement.

Each takes a list of bands and returns two things: for each band the `StepCurve` of the bounds on its type II error that
are drawn, and a list of regions, each the numbers of the better and the worse band and the ends of a range of alpha.
What is proved is in the Notes. The public functions are in `nproc.comparison.bands`.
"""

import math
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
    type1_bounds_at,
)
from nproc.errors import InvalidInputError
from nproc.orderstat import holm_adjusted
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


# shares of delta: for regions throughout which a method is better, and of the rest for where the others lie
THROUGHOUT, PLACE = 3 / 4, 1 / 8
# levels of the thresholds that are compared in both classes: so many standard deviations apart, up to this one
STEP, HIGHEST = 4.0, 0.5


def paired_scores(bands, scores0, scores1):
    r"""Return where one fitted score has the higher ROC curve by exact sign tests on the same rows.

    Parameters
    ----------
    bands : sequence of NPROCBand
        Bands of one split, with the same left-out rows.
    scores0, scores1 : list of ndarray, shape (n0,) and (n1,)
        Their scores of the same left-out rows of each class in the same order.

    Returns
    -------
    curves, found
        As the other functions; the regions are true throughout.
    somewhere : list of (int, int, float, float)
        Further ranges of alpha, in each of which the first is better at some level at least; see `better_in_both`.

    Notes
    -----
    Three quarters of delta, :math:`\delta'`, are for regions throughout which a method is better. Half of that bounds
    the thresholds :math:`t_\alpha` of all K scores at once (`nproc.comparison.dominance.roc_cells` at
    :math:`\delta' / (2 K)`). Where these bounds hold and a is called better than b in a range, but
    :math:`\beta_a(\alpha) \ge \beta_b(\alpha)` for an alpha in it, then :math:`F_{1a}(T_{a(k)}) \ge \beta_a(\alpha) \ge
    \beta_b(\alpha) \ge F_{1b}(T_{b(j)})`: the sign test of the range has rejected a true hypothesis. Given the class 0
    rows, Holm's procedure does so anywhere with probability at most :math:`\delta' / 2`. Together: at most
    :math:`\delta'`. The last quarter of delta is for the ranges of `better_in_both`.
    """
    delta, n_methods = bands[0].delta, len(bands)
    sure = THROUGHOUT * delta
    found = _called(bands, scores1, roc_cells(bands[0].n0_left_out, sure / (2 * n_methods)), sure / 2)
    guarded = [band.subject is not None for band in bands]
    more = better_in_both(scores0, scores1, guarded, delta - sure)
    # a range that holds a region is known already
    somewhere = [
        claim for claim in more if not any(r[:2] == claim[:2] and r[2] < claim[3] and r[3] > claim[2] for r in found)
    ]
    return simultaneous_scores(bands)[0], found, somewhere


def better_in_both(scores0, scores1, guarded, level):
    r"""Return ranges of alpha in each of which the ROC curve of one method is higher at some level at least.

    Parameters
    ----------
    scores0, scores1 : list of ndarray, shape (n0,) and (n1,)
        For each method the scores of the same rows of each class in the same order.
    guarded : list of bool
        Whether scores within rounding error of a threshold count as equal to it.
    level : float
        Probability that any range is false.

    Returns
    -------
    list of (int, int, float, float)
        Numbers of the better and the worse method, and the ends of a range; those of a pair are disjoint.

    Notes
    -----
    Half of the class 0 rows set thresholds, some standard deviations of an order statistic apart. The other half and
    the class 1 rows compare a at each threshold with b at the next, looser one. Which rows are in which half depends on
    their number alone, by a fixed order that is as good as random: in a table that is sorted, such as by a score, every
    other row would not be independent of the rows between them. If a has the smaller error in both
    classes, :math:`R_a < R_b` and :math:`B_a < B_b`, then for all alpha from :math:`R_a` up to :math:`R_b`

    .. math:: \beta_a(\alpha) \le B_a < B_b \le \beta_b(\alpha),

    as :math:`t_\alpha` of a is at most its threshold and that of b at least its own. So the curve of a is the higher
    one in that interval, which is not empty. Given the thresholds, in each class the rows that one rule errs on and the
    other does not are binomial, as in `paired_claims`. The larger of the two p-values is one for "not smaller in both".
    Holm's procedure over all pairs and thresholds fails with probability at most 7/8 of `level`. The interval lies
    between the lower bound of :math:`R_a` and the upper bound of :math:`R_b`, of which those of all thresholds of all K
    methods hold at once with probability at least 1 - `level` / 8.

    Both rules are compared with each other on the same rows, and not with a level. That is why methods whose scores
    are close to each other are told apart where regions throughout which one is better find nothing.
    """
    half = np.random.default_rng(0).permutation(scores0[0].size) % 2 == 0
    known, fresh = [s[half] for s in scores0], [s[~half] for s in scores0]
    n_known = known[0].size
    n_steps = math.ceil(2 * math.asin(math.sqrt(HIGHEST)) * math.sqrt(n_known) / STEP)
    levels = np.sin(np.linspace(0, math.asin(math.sqrt(HIGHEST)), n_steps + 1)[1:]) ** 2
    # descending, so that alpha rises; with few rows some levels share a rank
    ranks = np.unique((n_known + 1 - np.floor(levels * (n_known + 1))).clip(1, n_known).astype(np.int64))[::-1]
    if ranks.size < 2 or fresh[0].size == 0:
        return []
    cuts = [np.sort(s)[ranks - 1] for s in known]
    cuts = [cut + rounding_guard(s, cut) if guard else cut for cut, s, guard in zip(cuts, known, guarded, strict=True)]
    p_values, pairs = [], list(permutations(range(len(scores0)), 2))
    for a, b in pairs:
        in_class = [
            sign_test(*_only_one_errs(rows[a], cuts[a][:-1], rows[b], cuts[b][1:], wrong))
            for rows, wrong in ((fresh, np.greater), (scores1, np.less_equal))
        ]
        p_values.append(np.maximum(*in_class))
    claimed = holm_adjusted(np.concatenate(p_values)).reshape(len(pairs), -1) <= (1 - PLACE) * level
    found = []
    for (a, b), calls in zip(pairs, claimed, strict=True):
        low = type1_bounds_at(known[a], cuts[a], PLACE * level / len(scores0))[0][:-1]
        high = type1_bounds_at(known[b], cuts[b], PLACE * level / len(scores0))[1][1:]
        found += [(a, b, *ends) for ends in _disjoint(low[calls], high[calls])]
    return found


def _only_one_errs(scores_a, cuts_a, scores_b, cuts_b, wrong):
    """Return, for each pair of thresholds, on how many rows only b errs, and on how many only a does."""
    counts = np.empty((2, cuts_a.size), dtype=np.int64)
    for i, (cut_a, cut_b) in enumerate(zip(cuts_a, cuts_b, strict=True)):
        by_a, by_b = wrong(scores_a, cut_a), wrong(scores_b, cut_b)
        counts[:, i] = np.count_nonzero(by_b & ~by_a), np.count_nonzero(by_a & ~by_b)
    return counts


def _disjoint(lows, highs):
    """Return as many of some ranges as do not meet each other, those that end first."""
    kept = []
    for low, high in sorted(zip(lows.tolist(), highs.tolist(), strict=True), key=lambda ends: ends[1]):
        if not kept or low >= kept[-1][1]:
            kept.append((low, high))
    return kept


def same_rows(bands):
    """Return the scores of each class of bands in row order, once it is sure that all left out the same rows.

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
    return [band.scored[0].scores0 for band in bands], [band.scored[0].scores1 for band in bands]


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
