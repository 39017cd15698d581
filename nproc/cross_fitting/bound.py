"""What is proved of a cross-fitted classifier, whose folds may depend on each other in any way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nproc.checks import check_count, check_level, tells_names
from nproc.errors import InvalidInputError
from nproc.orderstat import np_order, round_up, tail_mean, type1_upper
from nproc.tables import DataFrame, InNotebook, Summary, at_least, summary_table, table_frame

# phi falls to 0 before so many times s; and slopes that are tried
WIDEST, MOST_SLOPES = 4, 200


def fold_sizes(n0: int, n_folds: int) -> NDArray[np.intp]:
    """Return the sizes of `n_folds` folds of `n0` rows, which differ by one at most."""
    return n0 // n_folds + (np.arange(n_folds) < n0 % n_folds)


@dataclass(frozen=True, repr=False)
class CrossFitBound(InNotebook):
    """What is proved of a classifier that is cross-fitted; made by `cross_fit_bound` and `NPCrossFit.bound`.

    Attributes
    ----------
    n0, n_folds : int
        Class 0 rows and folds.
    alpha, delta : float
        The levels of the rank.
    order : int
        Rank k among all out-of-fold scores: a row is called class 1 if at most n0 - k of them are at or above its own.
    type1_upper_at_delta : float
        The type I error is at most this with probability at least 1 - delta.
    mean_type1_upper : float
        Bound on the type I error on average over samples.
    """

    n0: int
    n_folds: int
    alpha: float
    delta: float
    order: int
    type1_upper_at_delta: float
    mean_type1_upper: float

    def __repr__(self):
        return (
            f"CrossFitBound(n0={self.n0}, n_folds={self.n_folds}, alpha={self.alpha:g}, delta={self.delta:g})\n"
            f"  {self.sentence()}"
        )

    def sentence(self) -> str:
        """Return what is proved of the type I error, as a sentence."""
        upper, mean = (round_up(bound, 4) for bound in (self.type1_upper_at_delta, self.mean_type1_upper))
        return (
            f"Proved: the type I error of the cross-fitted classifier is at most {upper} with probability at least "
            f"{at_least(1 - self.delta)}. On average over samples it is at most {mean}."
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of the two statements: what holds, and the bound on the type I error."""
        return table_frame(
            {
                "statement": [f"with probability {at_least(1 - self.delta)}", "on average over samples"],
                "type1_upper": [self.type1_upper_at_delta, self.mean_type1_upper],
            }
        )

    def summary(self) -> Summary:
        """Return a table of the statements that prints like those of statsmodels."""
        pairs = [("Class 0 rows", self.n0), ("Folds", self.n_folds), ("alpha", f"{self.alpha:g}")]
        pairs += [("delta", f"{self.delta:g}"), ("Rank", self.order)]
        notes = [
            "The bounds hold for every learner, however the folds depend on each other. It is not proved that the "
            "type I error is at most alpha with probability at least 1 - delta. In experiments with useful scores "
            "this held."
        ]
        rows = [(what, round_up(upper, 4)) for what, upper in self.to_frame().itertuples(index=False, name=None)]
        return summary_table("Cross-fitting: what is proved", pairs, ["Statement", "Type I at most"], rows, notes)


@tells_names
def cross_fit_bound(
    n0: int, n_folds: int = 5, alpha: float = 0.05, delta: float = 0.05, *, order: int | None = None
) -> CrossFitBound:
    r"""Compute the bounds on the type I error of ``npc(..., cross_fit=n_folds)`` that are proved for every method.

    Parameters
    ----------
    n0 : int
        Class 0 rows, at least `n_folds`.
    n_folds : int
        Number of folds, K, at least 2.
    alpha, delta : float
        The levels, in (0, 1).
    order : int, optional
        Rank k among all out-of-fold scores; None takes the one of `np_order`.

    Returns
    -------
    CrossFitBound

    Raises
    ------
    InvalidInputError
        If an argument is out of its range.
    TooFewSamplesError
        If `n0` rows cannot meet the levels.

    See Also
    --------
    nproc.fits.vote_bound : The same for the majority vote.

    Notes
    -----
    Let :math:`c_k` be the number of the :math:`m_k` out-of-fold scores of fold k that are at or above the score of a
    new class 0 row by the scorer of this fold, :math:`w_k = m_k / n`, :math:`t_k = c_k / w_k` and s = n - k*. The row
    is called class 1 if :math:`\sum_k c_k = \sum_k w_k t_k \le s`.

    1. *Convexity.* For s > 0 and :math:`\lambda > 0` let :math:`\varphi(t) = (1 + \lambda (1 - t / s))_+`. This
       function falls, is at least 1 up to s, and is convex, so that
       :math:`1\{\sum w_k t_k \le s\} \le \varphi(\sum w_k t_k) \le \sum_k w_k \varphi(t_k)`. With :math:`L_k` the mean
       of :math:`\varphi(t_k)` over the new row, given all else, :math:`R \le \sum_k w_k L_k`.
    2. *One fold.* Given the training of fold k its m out-of-fold scores are a sample, and
       :math:`P(c_k \le j) = P(\text{score above the } (j + 1)\text{-th largest})`. As in Proposition 1 these numbers,
       for all j at once, are at most the order statistics :math:`U_{(j + 1)}` of m uniform variables. Hence
       :math:`L_k \le \sum_j d_j U_{(j + 1)}` with :math:`d_j = \varphi(j / w_k) - \varphi((j + 1) / w_k) \ge 0`.
       The last j is m, with :math:`U_{(m + 1)} = 1` and :math:`d_m = \varphi(m / w_k)`.
    3. *Any dependence.* The mean of the largest share delta of the law of a variable, E(Z | Z > its upper delta
       quantile), is at least that quantile and adds up subadditively, whatever the dependence. So with probability at
       least 1 - delta, R is at most :math:`\sum_k w_k \sum_j d_j E(B_j \mid B_j > b_j)`, with :math:`B_j` from
       Beta(j + 1, m - j). On average :math:`E R \le \sum_k w_k \sum_j d_j (j + 1) / (m + 1)`.

    Both bounds are the best over :math:`\lambda`.

    For s = 0 the sum is 0 only if each count is. R is then at most the type I error at the largest score of any one
    fold. Of a fold with m rows this is above x with probability at most :math:`(1 - x)^m`, and on average at most 1 /
    (m + 1); the largest fold gives the bounds.

    As the rows of each fold grow in number, the one on average tends to
    2 alpha, which is :math:`\min_\lambda E (1 + \lambda (1 - U / \alpha))_+` for a uniform U. No smaller factor is true
    of all learners and all numbers of folds: with many folds of many rows, let the rank of a new row in each fold be
    drawn, by a hash of the rows of the fold, uniformly below 2 alpha for a share of nearly 2 alpha of the class 0 rows;
    their mean rank is below alpha. For two folds a smaller factor may be true; a hostile learner of the tests reaches
    1.2 alpha on average, and is above alpha in nearly half of the samples
    (``tests/guarantee/test_cross_fit_guarantee.py``). Folds of few rows make the bounds weak: with 300 folds of one
    row each they are above one half.

    References
    ----------
    Proposition 1 of [tong2018]_ for the law within a fold. The rule is that of cross-conformal prediction [vovk2015]_,
    and step 1 is the argument for means of p-values in [vovk2020]_.

    .. [vovk2015] Vovk, V. (2015). Cross-conformal predictors. Annals of Mathematics and Artificial Intelligence 74,
       9-28.
    .. [vovk2020] Vovk, V. and Wang, R. (2020). Combining p-values via averaging. Biometrika 107(4), 791-808.

    Examples
    --------
    >>> bound = cross_fit_bound(1000, 5)
    >>> round(bound.type1_upper_at_delta, 4), round(bound.mean_type1_upper, 4)
    (0.1405, 0.0805)
    """
    n_folds, n0 = check_count(n_folds, "n_folds", minimum=2), check_count(n0, "n0")
    if n_folds > n0:
        raise InvalidInputError(f"n_folds={n_folds} requires at least {n_folds} class 0 rows, got n0={n0}.")
    alpha, delta = check_level(alpha, "alpha"), check_level(delta, "delta")
    order = np_order(n0, alpha, delta) if order is None else check_count(order, "order", maximum=n0)
    most = n0 - order
    sizes, counts = np.unique(fold_sizes(n0, n_folds), return_counts=True)
    if most == 0:
        largest = int(sizes[-1])
        return CrossFitBound(
            n0, n_folds, alpha, delta, order, type1_upper(largest, largest, delta), 1 / (largest + 1.0)
        )
    folds = [(m / n0, count * m / n0, _means(m, most * m / n0, delta)) for m, count in zip(sizes, counts, strict=True)]
    bounds = np.ones(2)
    for slope in _slopes(sizes / n0, most):
        found = sum(share * (means @ _steps(weight, most, slope, means.shape[1])) for weight, share, means in folds)
        bounds = np.minimum(bounds, found)
    return CrossFitBound(n0, n_folds, alpha, delta, order, float(bounds[0]), float(bounds[1]))


def _means(m, most, delta):
    """Return for each count j of a fold, and at last for all its rows, the tail mean of U_(j + 1) and its mean."""
    a = np.arange(1.0, min(m, int(WIDEST * most) + 2) + 1)
    b = m + 1 - a
    return np.column_stack([[tail_mean(a, b, delta), a / (m + 1)], np.ones(2)])


def _slopes(weights, most):
    """Return slopes at which phi is 0 at a whole count of a fold: between two of them the bounds are linear."""
    ends = np.concatenate([np.arange(int(most * w) + 1, int(WIDEST * most * w) + 2) / w for w in weights])
    slopes = np.unique(most / (ends[ends > most] - most))
    # all of them are bounds, so that some of very many are enough
    return slopes[:: -(-slopes.size // MOST_SLOPES)].tolist()


def _steps(weight, most, slope, size):
    """Return the falls of phi from each count of a fold to the next, and at last its value where no count is left."""
    phi = np.maximum(0.0, 1 + slope * (1 - np.arange(float(size)) / (weight * most)))
    return np.append(phi[:-1] - phi[1:], phi[-1])
