"""Regions of dominance between NP-ROC bands, one function for each kind of statement.

Each takes a list of bands and returns `Found`. What is proved is in the Notes; `compare` in
`nproc.comparison.bands` is the door.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from nproc.comparison.dominance import (
    StepCurve,
    join_ranges,
    roc_cells,
    roc_curve_bounds,
    rule_bounds,
    rule_cells,
    runs_below,
)
from nproc.comparison.paired_claims import paired_claims
from nproc.errors import InvalidInputError
from nproc.thresholds import rounding_guard


@dataclass(frozen=True, eq=False)
class Found:
    """What a comparison has found.

    Attributes
    ----------
    curves : tuple of StepCurve
        Bounds on the type II error of each band, to be drawn.
    ranges : list of (int, int, float, float)
        Number of the better band, of the worse one, and the ends of a range of alpha.
    """

    curves: tuple
    ranges: list


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
    return _apart(
        [roc_curve_bounds(band.sorted0[0], band.sorted1[0], delta, guard=_guard(band)) for band in bands],
    )


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
    given them, the probability of any false call is at most delta (see `nproc.comparison.paired_claims`).
    """
    cells = rule_cells(bands[0].alpha)
    found = _called(bands, scores1, cells, bands[0].delta)
    return Found(simultaneous_rules(bands).curves, found)


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
    found = _called(bands, scores1, cells, delta / 2)
    return Found(simultaneous_scores(bands).curves, found)


def same_rows(bands):
    """Return the class 1 scores of bands in row order, once it is sure that all left out the same rows.

    Raises
    ------
    InvalidInputError
        If a band has no row order, or the left-out positions differ.
    """
    if any(len(band.scored) != 1 for band in bands):
        raise InvalidInputError(
            "regions='paired' needs the scores in row order, which bands from raw scores do not keep; give the scores "
            "of the same rows to compare_scores(scores0, scores1), one column a method."
        )
    marks = {band.scored[0].rows for band in bands}
    if None in marks:
        raise InvalidInputError(
            "regions='paired' needs bands that know which rows they left out; a band was saved before that was kept. "
            "Make it again."
        )
    if len(marks) > 1:
        raise InvalidInputError(
            "regions='paired' needs bands that left out the same rows, and these did not. Make them by nproc "
            "from the same rows in the same order, with one class0, random_state and split_ratio (not 'adaptive'), "
            "as nproc_bands does."
        )
    return [band.scored[0].scores1 for band in bands]


def _apart(curves):
    found = [(a, b, *run) for a, b in permutations(range(len(curves)), 2) for run in runs_below(curves[a], curves[b])]
    return Found(tuple(curves), found)


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
