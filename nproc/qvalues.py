r"""q-values from scores of known negatives: what share of the accepted rows would be false.

Class 0 holds examples that are known to be negative (decoys, background, permuted data); of those in class 1, some are
real and the others look like class 0. A threshold on the score accepts class 1 rows; the class 0 rows above it say how
many of the accepted ones are false.

References
----------
Section 4 of [gasso2011]_, which is in ``help(nproc.solvers)``; [storey2003]_; [elias2007]_.

.. [elias2007] Elias, J. E. and Gygi, S. P. (2007). Target-decoy search strategy for increased confidence in
   large-scale protein identifications by mass spectrometry. Nature Methods 4(3), 207-214.
.. [storey2003] Storey, J. D. and Tibshirani, R. (2003). Statistical significance for genomewide studies. Proceedings of
   the National Academy of Sciences 100(16), 9440-9445.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_level, check_number, check_scores, tells_names
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows import check_labels, check_same_rows
from nproc.score_direction import warn_direction

# below this share of pairs in the right order, scores that accept nothing are taken to be the wrong way round
REVERSED_AUC = 0.25
# the proof is in the Notes of `q_values`
_PRICE = "If you change the sign because of this warning, use new rows of both classes."


@tells_names
def q_values(scores: ArrayLike, y: ArrayLike, *, correction: float = 0, class0: object = None) -> NDArray[np.float64]:
    r"""Compute q-values: the least share of false rows among the accepted at a threshold that accepts the row.

    With :math:`D(t)` class 0 rows and :math:`T(t)` class 1 rows that score at least t, and a correction c,

    .. math:: q_i = \min\Big(1, \min_{t \le s_i} \frac{c + D(t)}{T(t)}\Big),

    where a ratio with :math:`T(t) = 0` counts as infinite. The minimum makes the q-value monotone: a higher score never
    has a higher q-value. Accepting the class 1 rows of q-value at most q (see `accepted`) accepts as many as any
    threshold whose ratio is at most q.

    Parameters
    ----------
    scores : array-like, shape (n,)
        A finite score a row, larger = more like class 1. Class 0 rows have scores too.
    y : array-like, shape (n,)
        Labels with two distinct values.
    correction : float, at least 0
        Added to the count of class 0 rows; 0 (default) or 1 as a rule. With 0, a threshold above all class 0 rows has
        the estimate 0, which is too optimistic, because a new class 0 row could score above it. With 1 the expected
        share of false rows among the accepted is at most q under the conditions in the Notes, and no q-value is below 1
        / n1.
    class0 : label, optional
        The label of the known negatives; None takes the first in sorted order (0 of {0, 1}, -1 of {-1, 1}), with a
        warning for labels other than these and Boolean ones.

    Returns
    -------
    q : ndarray, shape (n,)
        The q-value of each row, in the order given, between 0 and 1; class 0 rows have one too.

    Raises
    ------
    InvalidInputError
        If the scores are not finite or not as many as the labels, if y has not exactly two labels, if class0 is none of
        them, or if the correction is not a finite number of at least 0.

    Warns
    -----
    NPWarning
        If the scores of class 1 are clearly smaller than those of class 0.

    See Also
    --------
    accepted : The class 1 rows whose q-value is small enough.

    Notes
    -----
    What the ratio estimates: if the class 1 rows that are not real have scores distributed as those of class 0, and are
    about as many as class 0 has rows, then D(t) estimates the number of false rows among the T(t) accepted. Since not
    all class 1 rows are false, the estimate is on the high side (Storey and Tibshirani multiply it by an
    estimate of the false share, which is taken to be 1 here). If class 0 has k times as many rows as class 1, divide
    the q-values by k, or take a sample of class 0; a q-value of 1, which may be a larger ratio capped, stays 1.

    With correction=1, accepting at q keeps the *expected* share of false rows at q or below if the scores of the false
    class 1 rows are exchangeable with those of class 0, and they are not more than class 0 rows plus one. (The ratio
    of false rows to one plus class 0 rows, both above a rising threshold, is a supermartingale.) With 0 it may lie
    above q, noticeably where few class 0 rows are above the threshold.

    This is for scores whose sign was chosen without these rows. Where these rows chose it, only 2q is proved: the share
    of false rows is at most the sum of those with either sign.

    Only the expected share of false rows is at most q. In a single sample the share may be above q. And a score that
    was *trained* on the same class 0 rows puts those lower than new ones would be, so that its q-values on the training
    rows are too small. Train and count on different rows, and keep rows that depend on each other (all matches of one
    spectrum) on the same side.

    Ties are exact: rows of one score share one q-value, and a threshold accepts all of them or none. One sort:
    O(n log n).

    References
    ----------
    Section 4 of [gasso2011]_; [storey2003]_; the correction: [elias2007]_ and its successors in target-decoy counting.

    Examples
    --------
    >>> from nproc.qvalues import q_values
    >>> scores = [5, 4, 3, 2, 1, 0]
    >>> y = [1, 1, 0, 1, 1, 0]
    >>> q_values(scores, y)
    array([0.  , 0.  , 0.25, 0.25, 0.25, 0.5 ])
    >>> q_values(scores, y, correction=1)
    array([0.5 , 0.5 , 0.5 , 0.5 , 0.5 , 0.75])
    """
    scores, labels, correction = _checked(scores, y, class0, correction)
    class0, class1 = labels.values.tolist()
    who = f"with {class0!r} as class 0 and {class1!r} as class 1"
    warn_direction(scores[labels.y == 0], scores[labels.y == 1], who, _PRICE)
    return _q_values(scores, labels.y, correction)


@tells_names
def accepted(
    scores: ArrayLike, y: ArrayLike, q: float = 0.01, *, correction: float = 0, class0: object = None
) -> NDArray[np.bool_]:
    """Find the rows that are accepted at the level `q`: class 1 rows whose q-value is at most `q`.

    That is every class 1 row at or above the lowest threshold whose ratio of (correction + class 0 rows) to class 1
    rows is at most `q`.

    Parameters
    ----------
    scores : array-like, shape (n,)
        A finite score a row, larger = more like class 1.
    y : array-like, shape (n,)
        Labels with two distinct values.
    q : float, in (0, 1)
        The largest q-value accepted.
    correction : float, at least 0
        Added to the count of class 0 rows; see `q_values`.
    class0 : label, optional
        The label of the known negatives; None takes the first in sorted order, as in `q_values`.

    Returns
    -------
    accepted : ndarray of bool, shape (n,)
        True for the accepted rows; class 0 rows never are. Where none is and the scores seem to be the wrong way round,
        an NPWarning says so.

    Raises
    ------
    InvalidInputError
        If q is not strictly between 0 and 1, and as `q_values`.

    See Also
    --------
    q_values : The q-values themselves, with what they promise and what not.

    References
    ----------
    Section 4 of [gasso2011]_.

    Examples
    --------
    >>> from nproc.qvalues import accepted
    >>> accepted([5, 4, 3, 2, 1, 0], [1, 1, 0, 1, 1, 0], q=0.3)
    array([ True,  True, False,  True,  True, False])
    """
    scores, labels, correction = _checked(scores, y, class0, correction)
    level = check_level(q, "q")
    warn_everything_accepted([level], labels.n0 + correction, labels.n1)
    chosen = (labels.y == 1) & (_q_values(scores, labels.y, correction) <= level)
    if not chosen.any():
        _warn_reversed(scores, labels)
    return chosen


def warn_everything_accepted(levels, n0, n1):
    """Warn of q-values that all rows together keep, `n0` of class 0 and `n1` of class 1, whatever their scores."""
    large = [float(level) for level in levels if level * n1 >= n0]
    if large:
        told = ", ".join(f"{level:g}" for level in large)
        warn_at_call(
            f"q={told} is at least the ratio of class 0 to class 1 rows ({n0:g} to {n1}), so all class 1 rows can "
            "be accepted whatever their scores are. There are too few class 0 rows to represent the false class 1 "
            "rows. A q-value requires about as many class 0 rows as there may be false class 1 rows. Use more class 0 "
            "rows, or a smaller q.",
            NPWarning,
        )


def _warn_reversed(scores, labels):
    # slow to import, and seldom needed
    from scipy.stats import rankdata

    # the share of pairs in which class 1 scores higher, ties by half
    ranks = rankdata(scores)
    auc = (ranks[labels.y == 1].sum() - labels.n1 * (labels.n1 + 1) / 2) / (labels.n0 * labels.n1)
    if auc < REVERSED_AUC:
        warn_at_call(
            f"no row is accepted. In {1 - auc:.0%} of the pairs of one row from each class, the class 0 "
            f"({labels.values[0]}) row has the higher score, but scores must be larger for class 1. A "
            "decision_function is larger for the second label in sorted order. If the scores come from it, change "
            f"their sign. {_PRICE}",
            NPWarning,
        )


def _checked(scores, y, class0, correction):
    check_same_rows(scores=scores, y=y)
    scores = check_scores(scores, "scores")
    labels = check_labels(y, class0)
    if labels.y.size != scores.size:
        raise InvalidInputError(
            f"scores and y must have one entry for each row, got {scores.size} scores and {labels.y.size} labels."
        )
    return scores, labels, check_number(correction, "correction", zero=True)


def ratios_at_thresholds(scores, y, correction=0):
    """Return (order, last, ratio, n_found) for checked scores and y in {0, 1}.

    `order` has the rows from the largest score down, and `last` the place there of the last row of each distinct score.
    Down to it, `n_found` rows are of class 1, and `ratio` is that of the rows of class 0 to these.
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    # a threshold takes all rows of one score: count up to the last of each block of ties
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    n_known = np.cumsum(y[order] == 0)[last]
    n_found = np.cumsum(y[order] == 1)[last]
    # the quotient and not the product, which rounding may put on the other side of a whole number
    ratio = np.full(last.size, np.inf)
    np.divide(correction + n_known, n_found, out=ratio, where=n_found > 0)
    return order, last, ratio, n_found


def _q_values(scores, y, correction):
    """Return the q-values for checked scores and y in {0, 1}."""
    order, last, ratio, _ = ratios_at_thresholds(scores, y, correction)
    # from the lowest threshold up: the least ratio at or below each score
    least = np.minimum(np.minimum.accumulate(ratio[::-1])[::-1], 1.0)
    q = np.empty(scores.size)
    q[order] = np.repeat(least, np.diff(last, prepend=-1))
    return q
