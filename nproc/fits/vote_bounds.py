"""What is proved of the type I error of a majority vote of several splits.

References
----------
.. [gasparin2024] Gasparin, M. and Ramdas, A. (2024). Merging uncertainty sets via majority vote. arXiv:2401.09379.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betaincc

from nproc.checks import check_count, check_level, check_levels, check_models, level_text, tells_names
from nproc.errors import InvalidInputError
from nproc.orderstat import np_order, round_up, tail_mean, violation_rate
from nproc.simultaneous import beta_upper_quantile
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    level_pairs,
    rounded_up,
    summary_table,
    table_frame,
)

# Bounds on the law of the type I error of a majority vote; the proof is in the notes of `vote_bound`.
#
# R is the type I error of the vote of M splits, m = floor(M / 2) + 1 of whose votes make class 1. B has the Beta law of
# the error of one split, whose threshold has rank k = `order` among n = `n0` left-out class 0 scores.


def set_aside(n_splits):
    """Return, for each number b < m of splits put aside, the factor (M - b) / (m - b) and b + 1."""
    b = np.arange(n_splits // 2 + 1)
    return (n_splits - b) / (n_splits // 2 + 1 - b), b + 1.0


def chance_by_counting(type1, n_splits, n0, order):
    """Return the bound of step 2 on P(R > type1); it may be above 1."""
    factors, more_than = set_aside(n_splits)
    return float(np.min(n_splits * betaincc(n0 - order + 1.0, order, type1 / factors) / more_than))


def chance_by_convexity(mean_error, n0, order):
    """Return the bound of step 3 on P(mean of the errors > mean_error)."""
    a, mean = n0 - order + 1.0, (n0 + 1.0 - order) / (n0 + 1.0)
    if mean_error <= mean:
        return 1.0

    def excess(t):
        # E(B; B > t) - y P(B > t): negative where the mean above t is below y
        return mean * betaincc(a + 1.0, order, t) - mean_error * betaincc(a, order, t)

    return float(betaincc(a, order, brentq(excess, 0.0, mean_error, xtol=1e-14)))


def chance_above(type1, n_splits, n0, order):
    """Return the best bound on P(R > type1)."""
    mean_error = type1 * (n_splits // 2 + 1) / n_splits
    return min(1.0, chance_by_counting(type1, n_splits, n0, order), chance_by_convexity(mean_error, n0, order))


def upper_at(p, n_splits, n0, order):
    """Return the least x for which P(R > x) <= p is proved."""
    a = n0 - order + 1.0
    factors, more_than = set_aside(n_splits)
    counted = np.min(factors * beta_upper_quantile(a, order, p * more_than / n_splits))
    return float(min(1.0, counted, n_splits / (n_splits // 2 + 1) * tail_mean(a, order, p)))


@dataclass(frozen=True, repr=False)
class VoteBound(InNotebook):
    """What is proved of the majority vote of `n_splits` splits; made by `vote_bound` and `NPFit.vote_bound`.

    Attributes
    ----------
    n_splits : int
        Number of splits, M.
    alpha, delta : float
        The levels of each single split.
    n0_left_out, order : int or None
        Left-out class 0 rows of each split and the rank of their threshold, if known.
    violation_rate : float
        The probability that the type I error of one split is above alpha: that of the rank, or `delta` if the rank is
        not known.
    least_votes : int
        Votes that make class 1, m = floor(M / 2) + 1.
    factor : float
        M / m: 2M / (M + 1) for odd M.
    type1_upper : float
        `factor` times alpha, or 1 if that is less.
    failure_union : float
        Bound on the probability of a type I error above `type1_upper`, by the union bound over the thresholds. The
        value 1 says nothing.
    failure : float
        The best bound on this probability; it is `failure_union` where the rank is not known.
    type1_upper_at_delta : float or None
        The type I error of the vote is at most this with probability at least 1 - delta; None without the rank.
    mean_type1_upper : float or None
        Bound on the type I error of the vote on average over samples; None without the rank.
    """

    n_splits: int
    alpha: float
    delta: float
    n0_left_out: int | None
    order: int | None
    violation_rate: float
    least_votes: int
    factor: float
    type1_upper: float
    failure_union: float
    failure: float
    type1_upper_at_delta: float | None
    mean_type1_upper: float | None

    def exceedance(self, type1: ArrayLike) -> Any:
        """Bound the probability that the vote's type I error is above `type1`, shaped like it.

        Parameters
        ----------
        type1 : float or array-like
            Type I errors, in (0, 1).

        Returns
        -------
        float or ndarray
            In [0, 1]; 1 says nothing.

        Raises
        ------
        InvalidInputError
            If a level is not in (0, 1), or the rank of the thresholds is not known.
        """
        n0, order, _ = self._rank()
        levels = check_levels(type1, "type1")
        found = [chance_above(x, self.n_splits, n0, order) for x in levels.ravel().tolist()]
        return float(found[0]) if levels.ndim == 0 else np.reshape(found, levels.shape)

    def __repr__(self):
        levels = f"alpha={level_text(self.alpha)}, delta={self.delta:g}"
        return f"VoteBound(n_splits={self.n_splits}, {levels})\n  {self.sentence()}"

    def sentence(self) -> str:
        """Return what is proved of the type I error of the vote, as a sentence.

        If the rank is known, it is the bound that holds with probability at least 1 - delta. Otherwise it is the one of
        `factor` times alpha. Shown bounds are rounded up, and shown probabilities down.
        """
        return self._sentence("Proved")

    def _sentence(self, proved):
        """Return the sentence; `proved` begins it where a bound is proved, and says of whom."""
        if self.type1_upper_at_delta is not None and self.type1_upper_at_delta < 1:
            upper, chance = str(round_up(self.type1_upper_at_delta, 4)), at_least(1 - self.delta)
        elif self.type1_upper >= 1:
            return f"Nothing is proved about the vote: {self._of_alpha} is 1 or more."
        elif self.failure >= 1:
            if self.order is None:
                return f"No bound on the vote is proved here, because delta is too large for {self.n_splits} splits."
            return f"No bound on the vote below 1 is proved with probability at least {at_least(1 - self.delta)}."
        else:
            # less a rounding error, which would show as a digit
            upper = f"{self._of_alpha} = {round_up(self.type1_upper * (1 - 1e-12), 4)}"
            chance = _floor(1 - self.failure)
        return f"{proved}: the vote's type I error is at most {upper} with probability at least {chance}."

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of the statements: type I error at most, with probability at least, and why."""
        words, uppers, chances = zip(*self._rows(), strict=True)
        columns = {"statement": list(words), "type1_upper": np.array(uppers), "probability": np.array(chances)}
        return table_frame(columns)

    def summary(self) -> Summary:
        """Return a table of the statements that prints like those of statsmodels."""
        pairs = [("Splits", self.n_splits), ("Votes for class 1", f"{self.least_votes} or more")]
        pairs += level_pairs(self, "alpha", "delta")
        pairs += [("Left-out class 0 scores", "-" if self.n0_left_out is None else self.n0_left_out)]
        pairs += [("Rank", "-" if self.order is None else self.order)]
        pairs += [("Violation rate", rounded_up(self.violation_rate))]
        rows = [(words, round_up(upper * (1 - 1e-12), 4), _floor(chance)) for words, upper, chance in self._rows()]
        how = (
            "The statements hold however the splits depend on each other. Probabilities are over the draw of the "
            "sample."
        )
        if any(chance == "0" for _, _, chance in rows):
            how += " A probability of 0 means that nothing is proved in that row."
        notes = [how, self._of_alpha_itself()]
        if self.mean_type1_upper is not None:
            notes.append(
                f"On average over samples the type I error of the vote is at most {rounded_up(self.mean_type1_upper)}."
            )
        columns = ["Statement", "Type I at most", "Probability at least"]
        return summary_table("Majority vote: what is proved", pairs, columns, rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the proved chances that the vote, and a single split, exceed a type I error; return the Axes."""
        from nproc.plotting import plot_vote_bound

        n0, order, upper = self._rank()
        high = 2 * max(upper, self.alpha)
        grid = np.linspace(0, min(1.0, high), 202)[1:-1]
        union = [chance_by_counting(x, self.n_splits, n0, order) for x in grid.tolist()]
        single = [chance_by_counting(x, 1, n0, order) for x in grid.tolist()]
        curves = grid, self.exceedance(grid), np.minimum(union, 1.0), single
        known = {name: getattr(self, name) for name in ("n_splits", "alpha", "delta")}
        return plot_vote_bound(*curves, **known, ax=ax, figsize=figsize)

    def _rank(self):
        """Return the number of left-out class 0 rows, the rank and the bound at delta, or raise without them."""
        if self.order is None:
            raise InvalidInputError("the rank is not known; give n0_left_out to vote_bound.")
        return self.n0_left_out, self.order, self.type1_upper_at_delta

    @property
    def _of_alpha(self):
        # as a fraction, since a rounded factor times alpha is another number than the bound
        return "alpha" if self.factor == 1 else f"{self.n_splits}/{self.least_votes} alpha"

    def _of_alpha_itself(self):
        if self.factor == 1:
            return "For one or two splits the vote has the same guarantee as a single split."
        if self.type1_upper_at_delta is not None and self.type1_upper_at_delta <= self.alpha:
            return "At this rank the type I error of the vote is at most alpha with probability at least 1 - delta."
        return (
            "It is not proved that the type I error of the vote is at most alpha. In experiments with useful scores "
            "it was at most alpha in at least 1 - delta of the samples."
        )

    def _rows(self):
        of_alpha = self._of_alpha
        rows = [(f"{of_alpha}, by the union bound", self.type1_upper, 1 - self.failure_union)]
        if self.order is not None:
            rows.append((f"{of_alpha}, by the best bound", self.type1_upper, 1 - self.failure))
            rows.append(("with probability 1 - delta", self.type1_upper_at_delta, 1 - self.delta))
        return rows


@tells_names
def vote_bound(
    n_splits: int, alpha: float = 0.05, delta: float = 0.05, *, n0_left_out: int | None = None, order: int | None = None
) -> VoteBound:
    r"""Say what is proved about the type I error of the majority vote of several splits.

    A row is called class 1 by m = floor(M / 2) + 1 of M votes or more (a tie of an even M goes to class 0). Each split
    by itself has a type I error above alpha with probability at most delta; the splits share rows, and nothing is
    assumed of how they depend on each other. Then the type I error of the vote is at most

    .. math:: \frac{M}{m}\, \alpha = \frac{2M}{M + 1}\, \alpha \quad (M \text{ odd})

    with probability at least 1 - M delta, and with a larger probability where the rank of the thresholds is known.

    Parameters
    ----------
    n_splits : int
        Number of splits, M.
    alpha, delta : float
        The levels of each split, in (0, 1).
    n0_left_out : int, optional
        Left-out class 0 rows of each split. None: only the union bound, at delta.
    order : int, optional
        Rank of the threshold among them; None takes the one of `np_order`.

    Returns
    -------
    VoteBound

    Raises
    ------
    InvalidInputError
        If an argument is out of its range, or `order` is given without `n0_left_out`.
    TooFewSamplesError
        If `n0_left_out` rows cannot meet the levels.

    See Also
    --------
    nproc.NPFit.vote_bound : The same for a fitted classifier.
    nproc.scorers.AveragedScorer : An ensemble with one threshold, which keeps alpha with probability 1 - delta.

    Notes
    -----
    Let :math:`R_j` be the type I error of split j and R that of the vote, all given the sample, and n the left-out
    class 0 rows, k the rank. By Proposition 1, :math:`P(R_j > x) \le P(B > x)` for each x, where B is
    Beta(n + 1 - k, k).

    1. *Markov, given the sample.* Put aside any b < m of the splits. A row with m votes has m - b votes or more of the
       others, so that R is at most the sum of the others' errors divided by m - b. With b = 0,
       :math:`R \le (M / m) \bar R`, where :math:`\bar R` is the mean of the :math:`R_j`.
    2. *Counting.* Put aside the b splits of largest error: R > y (M - b) / (m - b) only if more than b of the errors
       are above y, and by Markov's inequality on their number this has probability at most
       :math:`M P(B > y) / (b + 1)`. With b = 0 and y = alpha this is the union bound: with probability at least 1 - M v
       we have :math:`R \le (M / m) \alpha`. Here v is the violation rate of the rank, which is at most delta. If M v is
       1 or more, this says nothing. With M = 2 and b = 1, R is at most alpha with probability at least 1 - v, so two
       splits have the guarantee of one.
    3. *Convexity.* For t < y, :math:`1\{\bar R > y\} \le (\bar R - t)_+ / (y - t) \le M^{-1} \sum_j (R_j - t)_+ /
       (y - t)`. Hence

       .. math:: P(R > (M / m) y) \le \min_{t < y} \frac{E (B - t)_+}{y - t},

       without a factor M. The minimum is the p at which the mean of the largest share p of the law of B is y, so that
       :math:`R \le (M / m) E(B \mid B > b_p)` with probability at least 1 - p, where :math:`b_p` is the upper p
       quantile of B. This is why the vote of many splits has a bound at all where M delta is above 1. At a larger rank,
       for which the mean of the largest share delta is at most alpha (``average_order`` in `nproc.fits`), R is at most
       (M / m) alpha with probability 1 - delta for every M, and the average of the errors at most alpha: that is the
       rule of ``vote="random"``. Larger still, where (M / m) times that mean is at most alpha, the vote itself keeps
       alpha.
    4. *On average over samples*, :math:`E R \le (M / m) E B = (M / m) (n + 1 - k) / (n + 1)`.

    `failure` and `type1_upper_at_delta` are the best of 2 and 3. The constant M / m cannot be improved: for some scores
    the vote of M splits has a type I error as near to :math:`(M / m) \alpha` as one likes, and above alpha in nearly
    every sample, while each split keeps its promise (``tests/guarantee/test_ensemble_guarantee.py``). Such scores
    disagree on which class 0 rows look like class 1; scores that learn the same thing do not, and their vote is seen to
    keep alpha.

    Equal ties of scores, and ties called at random, change nothing: Proposition 1 holds for them.

    References
    ----------
    The argument of 1 and 2 with b = 0 is that for sets that are merged by a majority vote in [gasparin2024]_;
    Proposition 1 of [tong2018]_.

    Examples
    --------
    >>> bound = vote_bound(11, 0.05, 0.05)
    >>> round(bound.type1_upper, 4), round(bound.failure, 2)
    (0.0917, 0.55)
    >>> bound = vote_bound(11, 0.05, 0.05, n0_left_out=250)
    >>> round(bound.failure, 3), round(bound.type1_upper_at_delta, 4)
    (0.082, 0.0977)
    """
    n_splits = check_models(n_splits, "n_splits")
    alpha, delta = check_level(alpha, "alpha"), check_level(delta, "delta")
    least_votes = n_splits // 2 + 1
    factor = n_splits / least_votes
    upper = min(1.0, factor * alpha)
    if n0_left_out is None:
        if order is not None:
            raise InvalidInputError("order is a rank among left-out class 0 scores; give n0_left_out with it.")
        rate, known = delta, (None, None)
    else:
        n0_left_out = check_count(n0_left_out, "n0_left_out")
        given = None if order is None else check_count(order, "order")
        order = np_order(n0_left_out, alpha, delta) if given is None else given
        rate = violation_rate(order, n0_left_out, alpha)
        # the rank of np_order meets delta, whatever the last digit of its rate
        if given is not None and rate > delta:
            shown = round_up(rate, 4)
            raise InvalidInputError(f"order={order} has a violation rate of {shown}, above delta={delta:g}.")
        known = (
            upper_at(delta, n_splits, n0_left_out, order),
            min(1.0, factor * (n0_left_out + 1 - order) / (n0_left_out + 1)),
        )
    # both of two splits must agree: one that keeps alpha is enough
    union = min(1.0, rate if n_splits == 2 else n_splits * rate)
    failure = union if order is None or upper >= 1 else chance_above(upper, n_splits, n0_left_out, order)
    return VoteBound(
        n_splits=n_splits,
        alpha=alpha,
        delta=delta,
        n0_left_out=n0_left_out,
        order=order,
        violation_rate=rate,
        least_votes=least_votes,
        factor=factor,
        type1_upper=upper,
        failure_union=union,
        failure=min(failure, union),
        type1_upper_at_delta=known[0],
        mean_type1_upper=known[1],
    )


def _floor(probability):
    """Return a probability as text, rounded down to three digits so that the statement stays true."""
    return f"{np.floor(1000 * probability + 1e-9) / 1000:g}"
