r"""Which probabilities a sparse probabilistic classifier has to know: an interval from costs, or from a level alpha.

The decision between two classes needs the probability p(x) of class 1 at one level only: at the threshold. The
criterion of [herault2008]_ is calibrated at every threshold inside [p_min, p_max] and drops the rows that are clearly
outside, so the interval has to contain the thresholds that may be used, and a narrower one keeps fewer rows.

Calibrated means: of all functions f, the best one makes the decision of least cost at each of these thresholds. It
asks for f rich enough to follow log-odds that are cut off at both ends, as with a kernel. A linear f is not: it ranks
rows, and its probabilities are biased inside the interval too, the more so the narrower it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nproc.checks import check_number, check_seed
from nproc.errors import InvalidInputError

# the least factor between the odds of the two ends and those of the threshold
LEAST_FACTOR = 1.1


@dataclass(frozen=True)
class ProbabilityInterval:
    """An interval of probabilities of class 1, and the threshold in it.

    Attributes
    ----------
    p_min : float
        Lower end, at least 0.
    p_max : float
        Upper end, at most 1, above `p_min`.
    threshold : float
        A row is called class 1 if its probability is above this.
    """

    p_min: float
    p_max: float
    threshold: float


def threshold_from_costs(cost0, cost1):
    r"""The probability of class 1 above which calling class 1 costs least, from the costs of both errors.

    A row of class 0 called class 1 costs :math:`c_-`, a row of class 1 called class 0 :math:`c_+`. Calling class 1
    costs :math:`(1 - p) c_-` on average and calling class 0 :math:`p c_+`, so that the rule of least cost calls class 1
    where p is above :math:`\pi^+ = c_- / (c_+ + c_-)`.

    Parameters
    ----------
    cost0 : float
        :math:`c_-`, cost of calling a class 0 row class 1, above 0.
    cost1 : float
        :math:`c_+`, cost of calling a class 1 row class 0, above 0.

    Returns
    -------
    float
        :math:`\pi^+`, in (0, 1).

    Raises
    ------
    InvalidInputError
        Unless both costs are above 0.

    References
    ----------
    Equation (2) of [herault2008]_.

    Examples
    --------
    >>> threshold_from_costs(1, 3)
    0.25
    """
    cost0, cost1 = check_number(cost0, "cost0"), check_number(cost1, "cost1")
    # the larger divides, so that the sum cannot overflow
    larger = max(cost0, cost1)
    threshold = (cost0 / larger) / (cost0 / larger + cost1 / larger)
    if not 0.0 < threshold < 1.0:
        raise InvalidInputError(f"cost0={cost0:g} and cost1={cost1:g} are too far apart to compute with.")
    return threshold


def interval_from_costs(cost0, cost1, factor=3.0):
    r"""The interval of thresholds that are best for costs known up to a factor.

    The threshold has the odds :math:`c_- / c_+`. Where that ratio is known up to a factor r, the odds of the threshold
    lie between :math:`c_- / (r c_+)` and :math:`r c_- / c_+`: these are the ends, and the threshold is their centre on
    the logit scale. With a rich f the criterion is calibrated for all costs in between.

    Parameters
    ----------
    cost0 : float
        :math:`c_-`, cost of calling a class 0 row class 1, above 0.
    cost1 : float
        :math:`c_+`, cost of calling a class 1 row class 0, above 0.
    factor : float
        r, at least 1.1. The closer to 1, the narrower the interval and the fewer the support vectors.

    Returns
    -------
    ProbabilityInterval
        Both ends and the threshold.

    See Also
    --------
    interval_from_alpha : The interval from a level of the type I error.

    References
    ----------
    Section 2 and (with the intervals that Table 3 has) section 4.2.1 of [herault2008]_.

    Examples
    --------
    Costs that make the share 8.8 % of positive rows the threshold, as in Table 3 of the paper.

    >>> interval = interval_from_costs(0.088, 0.912, factor=3.3)
    >>> round(interval.p_min, 3), round(interval.threshold, 3), round(interval.p_max, 3)
    (0.028, 0.088, 0.242)
    """
    return widened(threshold_from_costs(cost0, cost1), factor)


def interval_from_alpha(probabilities0, alpha, factor=3.0):
    r"""The interval of thresholds whose type I error is of the order of alpha.

    By the Neyman-Pearson lemma the most powerful test of level alpha thresholds p(x), at the level t that class 0 rows
    exceed with probability alpha. Only probabilities near t matter, and t is a property of the data: the share of class
    0 rows, and how far the classes are apart, move it. It is estimated from probabilities of class 0 rows: the ends
    are the levels that a share `factor` times alpha and alpha / `factor` of them exceed.

    Parameters
    ----------
    probabilities0 : array-like, shape (n0,)
        Estimated probabilities of class 1 of class 0 rows that did not train the estimate (out of fold).
    alpha : float
        Level of the type I error, in (0, 1).
    factor : float
        At least 1.1. With `factor` alpha of 1 or more p_min is 0; with less than one row in a share alpha / `factor`
        of the rows p_max is 1, for then no level is known that so few exceed.

    Returns
    -------
    ProbabilityInterval
        Both ends and the threshold t.

    See Also
    --------
    interval_from_costs : The interval from costs.
    nproc.npc : A threshold with a guarantee.

    Notes
    -----
    The interval is an empirical choice: nothing is promised about the type I error of `threshold`, least of all with
    another model than that of `probabilities0`, such as one trained in the interval. A poor choice costs power, never
    the guarantee of the umbrella algorithm, which sets its threshold by other rows and usually at a level below alpha
    (it has to be met with probability 1 - delta); hence an interval to both sides of alpha.

    The ends are at least a factor 1.1 in the odds from the threshold, where class 0 rows crowd at one probability.

    Examples
    --------
    >>> import numpy as np
    >>> interval_from_alpha(np.arange(100) / 100, alpha=0.1, factor=2.0)
    ProbabilityInterval(p_min=0.79, p_max=0.94, threshold=0.89)
    """
    threshold = exceeded_by(probabilities0, alpha)
    p_min = exceeded_by(probabilities0, factor * alpha) if factor * alpha < 1 else 0.0
    p_max = exceeded_by(probabilities0, alpha / factor) if rows_in(alpha / factor, probabilities0.size) else 1.0
    least = widened(threshold, LEAST_FACTOR)
    return ProbabilityInterval(min(p_min, least.p_min), max(p_max, least.p_max), threshold)


def exceeded_by(probabilities0, share):
    """Return the least of `probabilities0`, inside (0, 1), that at most a share `share` of them exceeds."""
    # probabilities of exactly 0 and 1 have no odds, and those nearer to 1 no room for an end above them
    falling = np.sort(np.clip(probabilities0, 1e-300, 1 - 1e-12))[::-1]
    return float(falling[min(rows_in(share, falling.size), falling.size - 1)])


def rows_in(share, n):
    """Return how many of `n` rows a share is at most, whatever the last digits of the product."""
    return math.floor(share * n + 1e-9)


def check_factor(factor):
    """Return `factor` as a float of at least 1.1."""
    factor = check_number(factor, "factor")
    if factor < LEAST_FACTOR:
        raise InvalidInputError(
            f"factor must be at least {LEAST_FACTOR}, got {factor:g}: the odds of the ends of the interval are those "
            "of the threshold divided and multiplied by it."
        )
    return factor


def widened(threshold, factor):
    """Return the interval whose ends have the odds of `threshold` divided and multiplied by `factor`."""
    # the smaller of p and 1 - p first, so that neither end is lost to rounding
    low = threshold / (threshold + factor * (1 - threshold))
    high = factor * threshold / (factor * threshold + 1 - threshold)
    return ProbabilityInterval(low, min(high, 1.0), threshold)


def out_of_fold(pilot, y, n_folds, random_state):
    """Return a score of each row by a model that did not see it, shape (n,).

    Parameters
    ----------
    pilot : callable
        ``pilot(trained, left_out)`` trains on some rows and returns the scores of others, both given by their numbers.
    y : ndarray, shape (n,)
        0 or 1.
    n_folds : int
        Folds, stratified; fewer if a class has fewer rows.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

    Returns
    -------
    scores : ndarray, shape (n,)

    Raises
    ------
    InvalidInputError
        If a class has one row only.
    """
    from sklearn.model_selection import StratifiedKFold

    n_folds = min(n_folds, int(np.bincount(y, minlength=2).min()))
    if n_folds < 2:
        raise InvalidInputError(
            "interval='alpha' leaves out rows of both classes in turn, and one class has one row only. Give p_min and "
            "p_max with interval='given'."
        )
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=check_seed(random_state) % 2**32)
    scores = np.empty(y.size)
    for trained, left_out in folds.split(np.zeros(y.size), y):
        scores[left_out] = pilot(trained, left_out)
    return scores
