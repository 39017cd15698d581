"""Do the scores of new class 0 rows have the law of those that set the threshold?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln
from scipy.stats import ks_2samp

from nproc.assumptions.order import without_rounding
from nproc.tables import ShortRepr

# up to here the law of the largest distance is computed exactly
MOST_EXACT = 1_000


@dataclass(frozen=True, repr=False)
class NewScoresTest(ShortRepr):
    """Is the distribution of new scores that of the left-out ones? The two-sided test of Kolmogorov and Smirnov.

    Attributes
    ----------
    distance : float
        Largest distance of the two distribution functions.
    n_new, n0 : int
        New scores, and left-out ones.
    p_value : float
        Exact for at most 1000 scores of each kind, else by the asymptotic law; too large where scores are tied.
    """

    distance: float
    n_new: int
    n0: int
    p_value: float


@dataclass(frozen=True, repr=False)
class NewErrorsTest(ShortRepr):
    """Do more new class 0 rows score above the threshold than its rank leads to expect?

    Attributes
    ----------
    n_above, n_new : int
        New scores above the threshold, and in all.
    order, n0 : int
        Rank of the threshold, and left-out scores.
    p_value : float
        P(K >= n_above) for K of the beta-binomial law; see `upper_tail`.
    """

    n_above: int
    n_new: int
    order: int
    n0: int
    p_value: float

    @property
    def expected(self) -> float:
        """Mean of the share above the threshold, over the left-out and the new rows."""
        return (self.n0 + 1 - self.order) / (self.n0 + 1)


def new_scores_test(known, fresh):
    """Return the `NewScoresTest` of left-out scores and new ones; ties make the distance smaller, p larger."""
    both = without_rounding(np.concatenate([known, fresh]))
    method = "exact" if max(known.size, fresh.size) <= MOST_EXACT else "asymp"
    found = ks_2samp(both[known.size :], both[: known.size], method=method)
    return NewScoresTest(float(found.statistic), fresh.size, known.size, float(min(1.0, found.pvalue)))


def new_errors_test(n_above, n_new, order, n0):
    """Return the `NewErrorsTest` of the number of new scores above the left-out score of rank `order`."""
    return NewErrorsTest(n_above, n_new, order, n0, upper_tail(n_above, n_new, order, n0))


def upper_tail(n_above, n_new, order, n0):
    r"""Return P(K >= n_above) for the number K of `n_new` new scores above the k-th smallest of `n0` left-out ones.

    Notes
    -----
    Let all n0 + m scores be independent draws of one continuous law. Given the left-out scores, the new ones lie above
    the threshold independently with probability R, the type I error, and K is binomial. R is Beta(n0 + 1 - k, k), the
    law of one minus the k-th uniform order statistic. So K is beta-binomial, whatever the law of the scores and the
    scorer. It also follows from exchangeability alone, since K is a function of the ranks of all n0 + m scores.

    If the law has atoms, let chance break ties. More new scores are then above the threshold than strictly above its
    value, so that the strict count has a p-value at least as large, and P(p <= t) <= t holds.
    """
    if n_above <= 0:
        return 1.0
    a, b, k = n0 + 1 - order, order, np.arange(n_above, n_new + 1, dtype=np.float64)
    choices = gammaln(n_new + 1) - gammaln(k + 1) - gammaln(n_new - k + 1)
    terms = np.exp(choices + betaln(k + a, n_new - k + b) - betaln(a, b))
    # from the smallest on; the sum is moved to the safe side by more than its rounding
    return float(min(1.0, np.sum(terms[::-1]) * (1 + 1e-9)))
