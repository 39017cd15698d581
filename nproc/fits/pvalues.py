r"""p-values of new rows from the ranks of their scores among left-out class 0 scores.

The hypothesis is "this row is of class 0", and a large score speaks against it. These are conformal p-values
[vovk2005]_; the classifier at rank k calls class 1 exactly those rows whose p-value is at most
:math:`(n_0 + 1 - k) / (n_0 + 1)`, the mean of its type I error.

References
----------
.. [vovk2005] Vovk, V., Gammerman, A. and Shafer, G. (2005). Algorithmic Learning in a Random World. Springer.
.. [bates2023] Bates, S., Candes, E., Lei, L., Romano, Y. and Sesia, M. (2023). Testing for outliers with conformal
   p-values. Annals of Statistics 51(1), 149-178.
.. [ruger1978] Rueger, B. (1978). Das maximale Signifikanzniveau des Tests: "Lehne H0 ab, wenn k unter n gegebenen
   Tests zur Ablehnung fuehren". Metrika 25, 171-178.
.. [vovk2020] Vovk, V. and Wang, R. (2020). Combining p-values via averaging. Biometrika 107(4), 791-808.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_delta, check_scores, tells_names
from nproc.simultaneous import simultaneous_type1_upper

# scores looked up at a time, and class 0 scores from which on they are sorted first: both for speed only
BLOCK = 1 << 16


@tells_names
def p_values(scores0: ArrayLike, scores: ArrayLike) -> NDArray[np.float64]:
    r"""Judge new scores by p-values: the share of class 0 scores, the new one included, that are as large.

    .. math:: p(s) = \frac{1 + \#\{i : S_i \ge s\}}{n_0 + 1}

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of class 0 rows that the scoring function never saw; larger = more like class 1.
    scores : array-like of float, shape (m,)
        Scores of new rows.

    Returns
    -------
    ndarray of float, shape (m,)
        From 1 / (n0 + 1) to 1.

    Raises
    ------
    InvalidInputError
        If a score is not finite, or there is none.

    See Also
    --------
    NPFit.p_values : of the rows of a fitted classifier.
    conditional_p_values : valid for the left-out scores at hand, not on average over them.
    q_values : a share of false discoveries among many rows.

    Notes
    -----
    Proof that p is super-uniform, P(p <= t) <= t, for a new row of class 0: its score S and the n0 left-out scores are
    exchangeable. If all differ, the rank of S among the n0 + 1 counted from above, which is (n0 + 1) p, is uniform on
    1, ..., n0 + 1, so that P(p <= j / (n0 + 1)) is exactly j / (n0 + 1). Ties count against S: (n0 + 1) p is then at
    least the rank with ties broken at random, which is uniform.

    The probability is over the left-out rows as well as the new one. Given the left-out rows, P(p <= j / (n0 + 1)) is
    the type I error of the threshold at rank n0 + 1 - j, for continuous scores a draw from Beta(j, n0 + 1 - j): its
    mean is j / (n0 + 1), and it is above that in about half of all samples (37 % for j = 1). p-values of several rows
    share the left-out scores and so depend on each other, positively: the procedure of Benjamini and Hochberg holds its
    level [bates2023]_.

    References
    ----------
    [vovk2005]_, [bates2023]_

    Examples
    --------
    >>> import numpy as np
    >>> p_values(np.arange(9.0), [8.5, 8.0, 4.5, -1.0])
    array([0.1, 0.2, 0.5, 1. ])
    """
    scores0, scores = check_scores(scores0, "scores0"), check_scores(scores, "scores")
    return p_of_counts(count_below(np.sort(scores0), scores), scores0.size)


@tells_names
def conditional_p_values(scores0: ArrayLike, scores: ArrayLike, *, delta: float = 0.05) -> NDArray[np.float64]:
    r"""Return p-values that, with probability at least 1 - delta, are valid given the left-out scores.

    Each is the smallest simultaneous bound on the type I error among the thresholds at order statistics that lie below
    the score, and 1 if none does.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of class 0 rows that the scoring function never saw; larger = more like class 1.
    scores : array-like of float, shape (m,)
        Scores of new rows.
    delta : float
        Bound on the probability, in (0, 0.5], that the p-values are not valid given the left-out scores. It is over the
        draw of these scores.

    Returns
    -------
    ndarray of float, shape (m,)
        At most 1; for the largest scores about log(1 / level) / n0, with the local level of the bounds.

    Raises
    ------
    InvalidInputError
        If a score is not finite, there is none, or delta is not in (0, 1).

    See Also
    --------
    p_values : smaller, and valid on average over the left-out scores.

    Notes
    -----
    Proof: with probability at least 1 - delta the type I errors of all thresholds :math:`T_{(k)}` are at most
    :math:`h_k`, which falls in k. Then, for any x, p <= x means that the score is above :math:`T_{(k)}` with k the
    smallest rank with :math:`h_k \le x`; given the left-out scores this has a probability of at most
    :math:`h_k \le x`, for all x at once.

    References
    ----------
    [bates2023]_, with the bounds of `nproc.simultaneous`.

    Examples
    --------
    >>> import numpy as np
    >>> conditional_p_values(np.arange(99.0), [98.5, 90.0], delta=0.1).round(3)
    array([0.051, 0.189])
    """
    scores0, scores = check_scores(scores0, "scores0"), check_scores(scores, "scores")
    delta = check_delta(delta)
    return conditional_of_counts(count_below(np.sort(scores0), scores), scores0.size, delta)


def count_below(sorted0, scores, guards=0.0):
    """Return how many class 0 scores lie below each score by more than their guard.

    Parameters
    ----------
    sorted0 : ndarray, shape (n0,)
        Class 0 scores in increasing order.
    scores : ndarray, shape (m,)
        New scores.
    guards : float or ndarray, shape (n0,)
        See `nproc.thresholds.rounding_guard`; the count is at least k exactly where the threshold at rank k calls a
        score class 1.

    Returns
    -------
    ndarray of int, shape (m,)

    Notes
    -----
    Neighbours in a sorted list are found where the processor has just looked: where the class 0 scores do not fit in
    its cache, sorting the scores first costs less than it saves.
    """
    guards = np.broadcast_to(guards, sorted0.shape)
    just_above = sorted0 + guards
    order = np.argsort(scores) if sorted0.size > BLOCK else np.arange(scores.size)
    counts = np.empty(scores.size, dtype=np.intp)
    for start in range(0, scores.size, BLOCK):
        some = order[start : start + BLOCK]
        found = np.searchsorted(just_above, scores[some], side="left")
        counts[some] = _as_the_classifier(found, sorted0, scores[some], guards)
    return counts


def _as_the_classifier(count, sorted0, scores, guards):
    """Return counts of class 0 scores below, moved to where the classifier's own test puts them.

    That test takes a difference where the search took a sum, and the two round differently: at most the neighbours are
    judged otherwise.
    """
    n0 = sorted0.size
    while True:
        at = np.minimum(count, n0 - 1)
        up = (count < n0) & (scores - sorted0[at] > guards[at])
        under = np.maximum(count - 1, 0)
        down = ~up & (count > 0) & ~(scores - sorted0[under] > guards[under])
        if not np.any(up | down):
            return count
        count = count + up - down


def p_of_counts(below, n0):
    """Return p-values for numbers of class 0 scores below."""
    return (n0 + 1 - below) / (n0 + 1)


def conditional_of_counts(below, n0, delta):
    """Return conditional p-values for numbers of class 0 scores below."""
    return np.append(1.0, simultaneous_type1_upper(n0, delta))[below]


def combine_votes(values):
    r"""Return one p-value a row from those of M splits: the median, times 2 M / (M + 1) for odd M.

    Parameters
    ----------
    values : ndarray, shape (m, M)
        One column of p-values a split, which may depend on each other in any way.

    Returns
    -------
    ndarray, shape (m,)
        :math:`\min(1, (M / r)\, p_{(r)})`, with r the smallest number of votes that is a majority.

    Notes
    -----
    Proof: :math:`(M / r)\, p_{(r)} \le t` means that at least r of the M p-values are at most r t / M. The expected
    number of those is at most r t, so that by Markov's inequality the probability is at most t [ruger1978]_. It is
    attained where, with probability t, r of the M p-values picked at random are spread over [0, r t / M], and the
    others lie beyond: no smaller factor would do for all kinds of dependence. The mean of the M is no p-value, and
    twice the mean is one [vovk2020]_.

    References
    ----------
    [ruger1978]_, [vovk2020]_

    Examples
    --------
    >>> import numpy as np
    >>> combine_votes(np.array([[0.01, 0.02, 0.9]])).round(4)
    array([0.03])
    """
    n_splits = values.shape[1]
    majority = n_splits // 2 + 1
    if n_splits == 1:
        return values[:, 0]
    return np.minimum(1.0, n_splits / majority * np.sort(values, axis=1)[:, majority - 1])


__all__ = ["conditional_p_values", "p_values"]
