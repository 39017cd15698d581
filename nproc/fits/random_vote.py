"""Several splits of which one, drawn at random for each row, decides: their average keeps alpha."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from nproc.checks import level_text
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.fits.fit import NPFit, span
from nproc.fits.vote_bounds import VoteBound
from nproc.fits.voting import BLOCK_ROWS, TieNumbers
from nproc.orderstat import round_up, smallest_size, tail_mean
from nproc.splitting import needed_in_all
from nproc.tables import at_least


def average_upper(order, n0, delta):
    r"""Bound the average type I error of any number of splits by E(B | B > b), the mean of the largest share delta.

    Parameters
    ----------
    order : int or array of int
        Rank of the threshold of each split.
    n0 : int
        Left-out class 0 scores of each split.
    delta : float
        Bound on the probability, in (0, 1), that the type I error is above the bound.

    Returns
    -------
    float or ndarray
        It falls as the rank rises.

    Notes
    -----
    Let :math:`\bar R` be the average of the type I errors :math:`R_j` of the splits, given the sample. Each
    :math:`R_j` is stochastically at most B, of the law Beta(n0 + 1 - k, k). For t < y,

    .. math:: P(\bar R > y) \le \frac{E(\bar R - t)_+}{y - t} \le \frac{E(B - t)_+}{y - t},

    by Markov's inequality and convexity, whatever the dependence of the splits. With t the upper delta quantile of B
    and y = E(B | B > t), the numerator is delta (y - t): so :math:`P(\bar R > y) \le \delta`.

    Examples
    --------
    >>> round(float(average_upper(245, 250, 0.05)), 4), round(float(average_upper(244, 250, 0.05)), 4)
    (0.0478, 0.0533)
    """
    return tail_mean(n0 + 1.0 - order, order, delta)


def average_order(n0, alpha, delta):
    """Return the smallest rank whose `average_upper` is at most alpha, or n0 + 1 where there is none.

    Examples
    --------
    >>> average_order(250, 0.05, 0.05), average_order(1000, 0.05, 0.05), average_order(77, 0.05, 0.05)
    (245, 965, 78)
    """
    return 1 + bisect_left(range(1, n0 + 1), True, key=lambda order: average_upper(order, n0, delta) <= alpha)


def average_size(alpha, delta):
    """Return the smallest number of left-out class 0 scores with a rank for the average of several splits.

    Examples
    --------
    >>> average_size(0.05, 0.05)
    78
    """
    # the mean of the tail is above its smallest value, so that no fewer will do; at the largest score it is
    # 1 - delta^(1 / n) n / (n + 1), at most (log(1 / delta) + 1) / n
    enough = math.ceil((1 - math.log(delta)) / alpha)
    size = smallest_size(alpha, delta)
    return bisect_left(range(enough + 1), True, lo=size, key=lambda n: average_upper(n, n, delta) <= alpha)


def average_order_or_error(n0, alpha, delta, n0_in_all, split_ratio):
    """Return `average_order`, or raise TooFewSamplesError; the ratio leaves out `n0` class 0 rows of all."""
    order = average_order(n0, alpha, delta)
    if order > n0:
        needed, of_one = average_size(alpha, delta), smallest_size(alpha, delta)
        one_split = f"With one split {of_one} are enough." if n0 >= of_one else ""
        raise TooFewSamplesError(
            f"n0={n0} left-out class 0 scores in each split are too few for vote='random' at alpha={alpha:g}, "
            f"delta={delta:g}; at least {needed} are needed. "
            f"{needed_in_all(needed, n0_in_all, split_ratio)} {one_split}".rstrip()
        )
    return order


@dataclass(frozen=True, repr=False, eq=False)
class NPRandomVoteFit(NPFit):
    """A Neyman-Pearson classifier of several splits, of which one, drawn at random, decides each row.

    Made by `npc` and `NPClassifier` with ``vote="random"``.

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`, proved for any number of splits.
    orders : ndarray, shape (n_splits,)
        The rank of each split, at which the average of the type I errors of all splits keeps `alpha`.
    thresholds, violation_rates, type1_uppers : ndarray, shape (n_splits,)
        As in `NPFit`, of each split by itself.
    guaranteed : bool
        True if there is no `unmet` condition.
    n0, n1, n0_left_out, n_splits, split_ratio, labels, seed, scorers, rules, scores0, design, ties, rank, prefit
        As in `NPFit`.
    alpha_chosen, simultaneous, caveats, versions, ratio_choice, given, of_band, band_rule, auto_ratio, unmet
        As in `NPFit`.
    keys0, table_keys0
        As in `NPFit`.

    Notes
    -----
    Called class 1 with probability votes / n_splits, a class 0 row is called so on average with the average of the
    type I errors of the splits. The rank is the smallest at which this average is at most alpha with probability at
    least 1 - delta, for any dependence of the splits; the proof is in `nproc.fits.random_vote.average_upper`.

    Where the splits disagree, two calls of `predict` may call a row differently. In `predict`, leave `random_state`
    out, or give the same Generator in every call. Give a whole number only if one call predicts all rows. If you
    predict rows one at a time with the same number, all rows get the same draw, and the bound does not hold.
    `decision_function` and `votes` are as for the majority vote, and do not depend on chance.
    """

    @property
    def guaranteed(self) -> bool:
        return not self.unmet

    def __repr__(self):
        return (
            f"{self._opening()}{self.n0_left_out} of {self.n0} class 0 rows set the threshold at rank "
            f"{span(self.orders)}; one split, drawn at random for each row, decides{self._doubt()}"
        )

    def vote_bound(self) -> VoteBound:
        """Raise InvalidInputError: this is no majority vote, and its type I error is bounded by alpha itself."""
        raise InvalidInputError(
            "with vote='random' there is no majority vote; the type I error is at most alpha with probability at least "
            "1 - delta, see summary()."
        )

    def _own_notes(self):
        upper = float(average_upper(int(self.orders[0]), self.n0_left_out, self.delta))
        promise = (
            f"{self._premise()}P(predict {self.labels[1]} | {self.class0}) <= {level_text(self.alpha)} "
            f"{self._holds()} with probability at least {at_least(1 - self.delta)} over the draw of the "
            f"class 0 rows, for any number of splits. For each row one of the {self.n_splits} splits is drawn at "
            "random, and this split decides."
        )
        rates = (
            "Violation rate and Type I upper are those of each single split. The type I error of the classifier is "
            "the average of the type I errors of the splits, which is at most "
            f"{round_up(upper, 4)} with probability at least "
            f"{at_least(1 - self.delta)}."
        )
        if self.unmet:
            conditions = " and ".join(self.unmet)
            rates = f"Violation rate and Type I upper would be valid bounds for each single split {conditions}."
        return [
            promise,
            "Use a new seed (random_state) for each call of predict: rows that are predicted one at a time with the "
            "same seed all get the same draw.",
            rates,
        ]

    def _vote_notes(self):
        # the first note is about the draw among the splits
        return []

    def _who_decides(self):
        return ""

    def _proved_bound(self):
        if self.unmet:
            return float("nan")
        return float(average_upper(int(self.orders[0]), self.n0_left_out, self.delta))

    def _ties(self, random_state):
        # a number for the ties of each split, and one for the vote
        return TieNumbers(random_state, self.n_splits + 1)

    def _shares(self, table, codes, random_state, n_jobs):
        shares = np.arange(self.n_splits + 1) / self.n_splits
        return self._counted(shares, self._voters(), table, codes, self._ties(random_state), n_jobs)

    def _counted(self, values, voters, table, codes, numbers, n_jobs):
        return super()._by_count(values, voters, table, codes, numbers if self.ties == "randomize" else None, n_jobs)

    def _by_count(self, values, voters, table, codes, ties, n_jobs):
        """Return the last of `values` with probability votes / n_splits, and the first one otherwise."""
        counts = self._counted(np.arange(self.n_splits + 1), voters, table, codes, ties, n_jobs)
        drawn = np.empty(counts.size)
        for start in range(0, counts.size, BLOCK_ROWS):
            part = drawn[start : start + BLOCK_ROWS]
            part[:] = ties.of_block(start, part.size)[:, -1]
        return values[np.where(drawn * self.n_splits < counts, self.n_splits, 0)]

    def _order_at(self, alpha, delta):
        return average_order_or_error(self.n0_left_out, alpha, delta, self.n0, self.split_ratio)
