r"""Thresholds beyond the largest of few class 0 scores, if their survival function is log-concave in the tail."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import betainc

from nproc.checks import check_count, check_delta, check_level, check_scores, level_text, tells_names
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.simultaneous import beta_quantile
from nproc.small_samples.threshold import ModelThreshold
from nproc.tables import Summary, at_least, level_pairs, short, summary_table

LOG_CONCAVE = "a log-concave upper tail of the class 0 scores"
# the share of the scores below the one from which the tail is taken: near the best for normal and logistic scores
TAIL_FROM = 0.7
LARGEST_FACTOR = 1e6


@dataclass(frozen=True, repr=False)
class LogConcaveThreshold(ModelThreshold):
    """A threshold beyond the largest score, for scores with a log-concave upper tail: class 1 when ``score > value``.

    Attributes
    ----------
    value : float
        largest + factor * (largest - base).
    largest, base : float
        The largest class 0 score, and the one of rank `base_order`, from which the tail is taken.
    base_order : int
        Its rank r.
    factor : float
        `log_concave_factor`.
    n0 : int
        Number of class 0 scores.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`, if the tail is log-concave.
    violation_rate : float
        Bound on the probability that the type I error is above `alpha` if the tail is log-concave: `delta`.
    type1_upper : float
        Upper bound on the type I error that holds with probability 1 - `delta` if the tail is log-concave: `alpha`.
    order : int
        0: the value is no order statistic.
    tie_cut : None
        Ties have no meaning here.
    """

    value: float
    largest: float
    base: float
    base_order: int
    factor: float
    n0: int
    alpha: float
    delta: float
    violation_rate: float
    type1_upper: float
    order: int = 0
    tie_cut: None = None

    assumption: ClassVar[str] = LOG_CONCAVE

    def __repr__(self):
        return (
            f"LogConcaveThreshold(value={short(self.value)} = largest + {short(self.factor)} * (largest - score of "
            f"rank {self.base_order} of n0={self.n0}), alpha={short(self.alpha)}, delta={short(self.delta)})\n  "
            f"assumes {LOG_CONCAVE}; class 1 when score > value: larger scores mean class 1"
        )

    def summary(self) -> Summary:
        """Return a table of the threshold and what it promises under the assumption, as a summary of statsmodels."""
        pairs = [
            ("Threshold", self.value),
            ("Largest score", self.largest),
            (f"Score of rank {self.base_order}", self.base),
            ("Factor", self.factor),
            ("Class 0 scores", self.n0),
            *level_pairs(self, "alpha", "delta"),
        ]
        notes = [
            "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
            f"The type I error is at most {level_text(self.alpha)} with probability at least "
            f"{at_least(1 - self.delta)} if the class 0 "
            f"scores have a log-concave upper tail beyond the one of rank {self.base_order}, as normal, logistic, "
            "exponential and Laplace scores have. For heavier tails nothing is guaranteed.",
        ]
        return summary_table("Threshold under a log-concave tail", pairs, notes=notes)


@tells_names
def log_concave_factor(n0: int, alpha: float = 0.05, delta: float = 0.05) -> float:
    r"""Compute the factor c of `np_threshold_log_concave`, to see before you collect rows how far out it lies.

    Parameters
    ----------
    n0 : int
        Number of class 0 scores, at least 2.
    alpha, delta : float
        Levels in (0, 1).

    Returns
    -------
    float
        At least 0. It is 0 where the largest score itself will do.

    Raises
    ------
    TooFewSamplesError
        If `n0` is 1.
    InvalidInputError
        If an argument is out of range, or the factor is above 10^6.

    Examples
    --------
    >>> round(log_concave_factor(20), 3), round(log_concave_factor(40), 3)
    (1.04, 0.236)
    """
    return _factor(check_count(n0, "n0"), check_level(alpha, "alpha"), check_level(delta, "delta"))


@lru_cache(maxsize=64)
def _factor(n0, alpha, delta):
    # the same for all splits of a fit
    if n0 < 2:
        raise TooFewSamplesError("a log-concave threshold requires at least 2 class 0 scores, got 1.")
    above = n0 - _base_order(n0)
    # the share B of class 0 beyond the base has the law Beta(above + 1, r); its quantiles give the mean over B > alpha
    start = betainc(above + 1, n0 - above, alpha)

    def failure(factor):
        def all_below(u):
            # P(the largest of `above` exponentials is below ln(B / alpha) / (1 + c)) for one B
            share = max(beta_quantile(above + 1, n0 - above, u), alpha)
            return (-math.expm1(math.log(alpha / share) / (1 + factor))) ** above

        return quad(all_below, start, 1, epsabs=1e-12, epsrel=1e-10, limit=200)[0] - delta

    if failure(0.0) <= 0:
        return 0.0
    if failure(LARGEST_FACTOR) > 0:
        raise InvalidInputError(
            f"n0={n0} class 0 scores are too few for alpha={alpha:g} with delta={delta:g}: the threshold would lie "
            "more than 10^6 ranges beyond the largest. Use larger levels or more rows."
        )
    return float(brentq(failure, 0.0, LARGEST_FACTOR, xtol=1e-12))


@tells_names
def np_threshold_log_concave(scores0: ArrayLike, *, alpha: float = 0.05, delta: float = 0.05) -> LogConcaveThreshold:
    r"""Set a threshold beyond the largest of few class 0 scores, if you can assume a log-concave upper tail.

    For samples below `min_class0_size`, where no order statistic can, and where `np_threshold_normal` assumes too much.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of left-out class 0 points, finite, not all equal; larger = more like class 1.
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.

    Returns
    -------
    LogConcaveThreshold

    Raises
    ------
    TooFewSamplesError
        If there is one score only.
    InvalidInputError
        If a score is not finite, the upper scores are equal, a level is not in (0, 1), or the threshold would lie
        absurdly far out.

    Warns
    -----
    NPWarning
        If the guarantee rests on an assumption; and if there are so many scores that none is needed.

    See Also
    --------
    np_threshold : no assumption, from `min_class0_size` scores on.
    np_threshold_normal : a lower threshold, if the scores are normal.

    Notes
    -----
    Let S be the survival function of the class 0 scores, X_(1) <= ... <= X_(n) the n scores, and r = round(0.7 n). The
    threshold is T = X_(n) + c (X_(n) - X_(r)) with c >= 0.

    *Proved if ln S is concave beyond X_(r) and S is continuous.* Put h(t) = ln S(X_(r)) - ln S(X_(r) + t). It is convex
    with h(0) = 0. Given X_(r), the n - r scores above it are a sample from the tail, so their h(X_(i) - X_(r)) are
    independent standard exponential variables; let E be the largest, which is h(X_(n) - X_(r)). A convex function that
    is 0 at 0 satisfies h((1 + c) t) >= (1 + c) h(t). So with B = S(X_(r))

    .. math:: S(T) = B e^{-h((1 + c)(X_{(n)} - X_{(r)}))} \le B e^{-(1 + c) E},

    with equality for an exponential tail. B and E are independent, B has the law Beta(n - r + 1, r), and E is the
    largest of n - r exponential variables. The factor c is the one at which the right side exceeds alpha with
    probability delta:

    .. math:: E_B [(1 - (\alpha / B)^{1 / (1 + c)})^{n - r}; B > \alpha] = \delta.

    The exponential tail is thus the least favourable one, and for it the violation rate is delta exactly as long as c
    is above 0. From `min_class0_size` scores on c is 0. The threshold is then the largest score, no assumption is
    needed, and `np_threshold` has a threshold that is as low or lower. Normal,
    logistic, exponential, Laplace and uniform scores have log-concave survival functions, and so has every score with a
    log-concave density. Lognormal and Student's t have not. A bounded tail alone is not enough: a second bump far out,
    such as 6 % of the scores near 8 and 94 % standard normal, breaks the assumption too.

    *Without the assumption nothing is promised.* With 20 lognormal scores the type I error is above 0.05 in 8 % of the
    samples, for delta = 0.05.

    Examples
    --------
    >>> import warnings, numpy as np
    >>> scores0 = np.random.default_rng(0).normal(size=20)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     threshold = np_threshold_log_concave(scores0)
    >>> round(threshold.value, 3), round(threshold.factor, 3)
    (2.529, 1.04)
    """
    scores0 = check_scores(scores0, "scores0")
    threshold = log_concave_threshold_at(scores0, check_level(alpha, "alpha"), check_delta(delta))
    if threshold.factor > 0:
        warn_of_tail([scores0])
    else:
        warn_at_call(
            f"{scores0.size} scores are enough for np_threshold, which needs no assumption about the tail. Here "
            "the threshold is the largest score; that of np_threshold is as low or lower.",
            NPWarning,
        )
    return threshold


def log_concave_threshold_at(scores0, alpha, delta):
    """Return the `LogConcaveThreshold` of checked scores, without a warning."""
    n0 = scores0.size
    factor = _factor(n0, alpha, delta)
    order = _base_order(n0)
    base, largest = float(np.partition(scores0, order - 1)[order - 1]), float(scores0.max())
    if base == largest:
        raise InvalidInputError(
            f"the {n0 - order + 1} largest of {n0} left-out class 0 scores are all {largest:g}, so the tail cannot "
            "be estimated from them. Use a scorer with finer scores."
        )
    value = largest + factor * (largest - base)
    return LogConcaveThreshold(value, largest, base, order, factor, n0, alpha, delta, delta, alpha)


def warn_of_tail(samples):
    """Warn that the thresholds of samples of one size rest on an assumption about the tail."""
    warn_at_call(
        f"the threshold assumes {LOG_CONCAVE}. It lies beyond the largest of {samples[0].size} left-out scores. "
        "The bound on the type I error holds only if the tail is log-concave, and so few rows can hardly show whether "
        "it is.",
        NPWarning,
    )


def _base_order(n0):
    """Return the rank from which the tail is taken: fixed beforehand by the number of scores, with one above it."""
    return min(max(1, round(TAIL_FROM * n0)), n0 - 1)
