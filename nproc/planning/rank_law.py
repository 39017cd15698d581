r"""The exact law of the type I error of the rule that `npc` makes of n left-out class 0 scores.

For continuous scores the type I error of the rule at rank k of n is :math:`R_0 \sim \mathrm{Beta}(n + 1 - k, k)`,
whatever the distribution of the scores: it is one minus the k-th order statistic of n uniform variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from nproc.checks import check_levels, check_real
from nproc.errors import InvalidInputError
from nproc.orderstat import np_order, type1_upper, violation_rate
from nproc.reprs import InNotebook, short


@dataclass(frozen=True, repr=False)
class RankLaw(InNotebook):
    r"""What a number of left-out class 0 rows buys: the rank, and the law of the type I error of its rule.

    Attributes
    ----------
    n0 : int
        Left-out class 0 scores.
    order : int
        Rank of the threshold, `np_order`.
    alpha, delta : float
        Bound on the type I error, and the chance with which it may be broken.
    type1_mean, type1_sd : float
        Expectation (n + 1 - k) / (n + 1) and standard deviation of the type I error over the draw of the scores.
    price : float
        Price of conservatism, alpha - type1_mean.
    power_share : float
        E min(1, type I error / alpha): the share of the oracle's power that the rule of a continuous score with a
        concave ROC curve has at least, see `plan_class0`.
    violation_rate : float
        Chance, reached by the rank, of a type I error above alpha.
    type1_upper : float
        Bound on the type I error that holds with probability 1 - delta.

    Notes
    -----
    Exact for continuous scores, Beta(n + 1 - k, k). With ties the type I error is stochastically smaller.

    References
    ----------
    Proof of Proposition 1 of [tong2018]_.

    Examples
    --------
    >>> law = type1_law(59)
    >>> law.order, round(law.type1_mean, 4), round(law.price, 4)
    (59, 0.0167, 0.0333)
    """

    n0: int
    order: int
    alpha: float
    delta: float

    @property
    def _shape(self):
        return self.n0 + 1 - self.order, self.order

    @property
    def type1_mean(self):
        return (self.n0 + 1 - self.order) / (self.n0 + 1)

    @property
    def type1_sd(self):
        return float(np.sqrt(self.type1_mean * (1 - self.type1_mean) / (self.n0 + 2)))

    @property
    def price(self):
        return self.alpha - self.type1_mean

    @property
    def power_share(self):
        return float(worst_share(self.n0 - self.order, self.n0, self.alpha))

    @property
    def violation_rate(self):
        return violation_rate(self.order, self.n0, self.alpha)

    @property
    def type1_upper(self):
        return type1_upper(self.order, self.n0, self.delta)

    def probability(self, low, high):
        """Return P(low < type I error <= high).

        Parameters
        ----------
        low, high : float
            Ends in [0, 1], `low` at most `high`.

        Returns
        -------
        float

        Raises
        ------
        InvalidInputError
            If the ends are not in [0, 1] or not in order.

        Examples
        --------
        >>> round(type1_law(100).probability(0.025, 0.05), 3)
        0.246
        """
        rule = "be a number between 0 and 1"
        ends = {"low": check_real(low, "low", rule), "high": check_real(high, "high", rule)}
        low, high = (float(check_levels(end, name, closed=True)) for name, end in ends.items())
        if low > high:
            raise InvalidInputError(f"low must be at most high, got {low:g} and {high:g}.")
        a, b = self._shape
        return float(betainc(a, b, high) - betainc(a, b, low))

    def quantile(self, q):
        """Return quantiles of the type I error.

        Parameters
        ----------
        q : float or array-like
            Probabilities in [0, 1].

        Returns
        -------
        float or ndarray
            Shaped like `q`.

        Examples
        --------
        >>> round(type1_law(59).quantile(0.95), 4)
        0.0495
        """
        levels = check_levels(q, "q", closed=True)
        values = betaincinv(*self._shape, levels)
        return float(values) if levels.ndim == 0 else values

    def __repr__(self):
        return (
            f"RankLaw(n0={self.n0}, order={self.order}, alpha={short(self.alpha)}, delta={short(self.delta)}: "
            f"E[type I]={short(self.type1_mean)}, price={short(self.price)},\n"
            f"  violation_rate={short(self.violation_rate)}, power_share={short(self.power_share)})"
        )

    def to_frame(self):
        """Return a DataFrame of one row with the attributes as columns."""
        from nproc.tables import table_frame

        names = ("n0", "order", "alpha", "delta", "type1_mean", "type1_sd", "price", "power_share")
        return table_frame({n: [getattr(self, n)] for n in (*names, "violation_rate", "type1_upper")})

    def summary(self):
        """Return a table of the rank and of the law of the type I error, as a summary of statsmodels."""
        from nproc.planning.reports import law_report

        return law_report(self)


def type1_law(n0, alpha=0.05, delta=0.05):
    """Return the rank that `npc` takes of n0 left-out class 0 scores, and the exact law of its type I error.

    Parameters
    ----------
    n0 : int
        Number of left-out class 0 scores.
    alpha, delta : float
        Bound on the type I error and the chance of breaking it, in (0, 1).

    Returns
    -------
    RankLaw

    Raises
    ------
    TooFewSamplesError
        If no rank meets the levels.

    See Also
    --------
    plan_class0 : the number of rows for a given quality.

    Examples
    --------
    >>> type1_law(200)
    RankLaw(n0=200, order=196, alpha=0.05, delta=0.05: E[type I]=0.02488, price=0.02512,
      violation_rate=0.02645, power_share=0.4938)
    """
    order = np_order(n0, alpha, delta)
    return RankLaw(int(n0), order, float(alpha), float(delta))


def worst_share(n_above, n0, alpha):
    """Return E min(1, R / alpha) for R ~ Beta(n_above + 1, n0 - n_above), elementwise."""
    a, b = np.asarray(n_above) + 1.0, np.asarray(n0, dtype=np.float64) - n_above
    beyond = 1 - betainc(a, b, alpha)
    return a / (a + b) * betainc(a + 1, b, alpha) / alpha + beyond
