"""Two cuts on scores: class 1 above the upper one, class 0 below the lower one, and a review between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_delta, check_level, check_scores, class_names, level_text, tells_names
from nproc.errors import TooFewSamplesError
from nproc.orderstat import clopper_pearson, search_orders, too_few_message, type1_upper, violation_rate
from nproc.rows import one_share_of_class1, share_of_all_rows, two_names
from nproc.score_direction import PAID_BY_BOTH, warn_direction, warn_labels
from nproc.simultaneous import beta_quantile, beta_upper_quantile
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    level_pairs,
    rounded_down,
    rounded_up,
    short,
    summary_table,
    table_frame,
)

# what `ReviewRule.predict` returns for a row that a person should look at
REVIEW = -1


@dataclass(frozen=True, repr=False)
class ReviewRule(InNotebook):
    """Two cuts on scores: class 1 when ``score > upper``, class 0 when ``score < lower``, a review otherwise.

    Attributes
    ----------
    lower, upper : float
        The cuts; ``lower <= upper``. They are equal where no score needs a review.
    crossed : bool
        True if the classes are so far apart that one cut bounds both errors. A score equal to the cut is then class 0.
    alpha, beta : float
        Bounds on the type I error P(called class 1 | class 0) and the type II error P(called class 0 | class 1).
    delta0, delta1 : float
        Bounds on the probabilities that the one and the other is broken.
    order0, order1 : int
        Ranks: the order0-th smallest class 0 score is the cut for class 1, the order1-th smallest class 1 score is the
        cut for class 0.
    n0, n1 : int
        Scores of each class.
    violation_rate0, violation_rate1 : float
        Probabilities that the type I error exceeds `alpha` and that the type II error exceeds `beta`: exact for
        continuous scores if the cuts did not cross, upper bounds otherwise.
    type1_upper, type2_upper : float
        Upper bounds on the two errors, each valid with probability at least 1 - `delta0` or 1 - `delta1`.
    n0_called0, n0_called1, n1_called0, n1_called1 : int
        How many of the scores of each class the rule calls class 0 and class 1; the others are reviewed.
    """

    lower: float
    upper: float
    crossed: bool
    alpha: float
    beta: float
    delta0: float
    delta1: float
    order0: int
    order1: int
    n0: int
    n1: int
    violation_rate0: float
    violation_rate1: float
    type1_upper: float
    type2_upper: float
    n0_called0: int
    n0_called1: int
    n1_called0: int
    n1_called1: int

    def __repr__(self):
        cuts = (
            f"one cut {short(self.upper)}, no review"
            if self.crossed
            else f"lower={short(self.lower)}, upper={short(self.upper)}"
        )
        return (
            f"ReviewRule({cuts}, alpha={short(self.alpha)}, beta={short(self.beta)}, n0={self.n0}, n1={self.n1})\n"
            "  class 1 when score > upper, class 0 when score < lower, else review: larger scores mean class 1"
        )

    def predict(self, scores: ArrayLike) -> NDArray[np.intp]:
        """Return 1, 0 or -1 for each score: class 1, class 0, or a review by a person.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, larger = more like class 1.

        Returns
        -------
        ndarray of int, shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> rule = np_review(np.arange(100.0), np.arange(50.0, 150.0), alpha=0.05, beta=0.05)
        >>> rule.lower, rule.upper, rule.predict([20.0, 60.0, 120.0])
        (51.0, 98.0, array([ 0, -1,  1]))
        """
        scores = check_scores(scores, "scores")
        low = scores <= self.upper if self.crossed else scores < self.lower
        return np.where(scores > self.upper, 1, np.where(low, 0, REVIEW)).astype(np.int64)

    def shares(
        self,
        *,
        prevalence: float | Mapping[Any, float] | None = None,
        level: float = 0.95,
        labels: Sequence[object] | None = None,
    ) -> DataFrame:
        r"""Estimate what share of each class is called class 0, sent to review, and called class 1.

        Parameters
        ----------
        prevalence : float or dict, optional
            Share of class 1 where the rule will be used, in (0, 1), or a dict with the share of either class by its
            label, such as ``{"malignant": 0.01}``. It adds a row for all rows together.
        level : float
            Coverage of the interval of the share in review, in (0, 1).
        labels : sequence of two, optional
            The labels of class 0 and class 1, for `prevalence` and the names in the table.

        Returns
        -------
        DataFrame
            Columns of, called0, review, called1, review_lower, review_upper; a row for each class. With `prevalence`
            also ``P(class 1)``, or that of its label, behind the first one: the share of class 1 among the rows that
            the line is about.

        Warns
        -----
        NPWarning
            If there are `labels` other than 0 and 1, -1 and 1, or False and True, and the prevalence is a bare number.

        Notes
        -----
        The shares are those of the scores that set the cuts. The interval is for the population, and holds for
        continuous scores. Let b of the n class 0 scores lie below the cut for class 0, which comes from the other
        class, and let p be the probability of such a score. The k-th class 0 score is the upper cut. Given b, the share
        of the other class 0 scores that are at most this cut has the law Beta(k - b, n - k + 1). The share in review
        is 1 - p times it. Clopper-Pearson's bounds for p and the quantiles of this law, each at a quarter of
        1 - `level`, give the interval. For class 1 it is the mirror image. With `prevalence` the intervals of both
        classes have half of 1 - `level` each, and are added.
        """
        level, labels = check_level(level, "level"), two_names(labels)
        classes = class_names(labels)
        rows = [(name, *self._shares(label, level)) for label, name in enumerate(classes)]
        if prevalence is not None:
            weight1 = one_share_of_class1(prevalence, labels)
            both = np.array([self._shares(label, (1 + level) / 2) for label in (0, 1)])
            rows.append(("all", *(np.array([1 - weight1, weight1]) @ both)))
        names = ("of", "called0", "review", "called1", "review_lower", "review_upper")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if prevalence is not None:
            columns = {"of": columns["of"], share_of_all_rows(classes[1]): [0.0, 1.0, weight1], **columns}
        return table_frame(columns)

    def _shares(self, label, level):
        n, called0, called1, rank, right = (
            (self.n0, self.n0_called0, self.n0_called1, self.order0, self.n0_called0)
            if label == 0
            else (self.n1, self.n1_called0, self.n1_called1, self.n1 + 1 - self.order1, self.n1_called1)
        )
        shares = called0 / n, (n - called0 - called1) / n, called1 / n
        if self.crossed:
            return (*shares, 0.0, 0.0)
        # rank and calls as seen from the side of the class itself
        tail = (1 - level) / 4
        outside = clopper_pearson(right, n, level=1 - 2 * tail)
        law = rank - right, n + 1 - rank
        low = (1 - outside.upper) * float(beta_quantile(*law, tail))
        high = (1 - outside.lower) * float(beta_upper_quantile(*law, tail))
        return (*shares, low, high)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns."""
        return table_frame({field.name: [getattr(self, field.name)] for field in fields(self)})

    def summary(self) -> Summary:
        """Return a table of the cuts, what they promise, and the shares in review, as a summary of statsmodels."""
        pairs = [
            ("Upper cut", self.upper),
            ("Rank in class 0", f"{self.order0} of {self.n0}"),
            *level_pairs(self, "alpha", "delta0"),
            ("Violation rate, type I", rounded_up(self.violation_rate0, self.delta0)),
            ("Type I upper", rounded_up(self.type1_upper, self.alpha)),
            ("Lower cut", self.lower),
            ("Rank in class 1", f"{self.order1} of {self.n1}"),
            *level_pairs(self, "beta", "delta1"),
            ("Violation rate, type II", rounded_up(self.violation_rate1, self.delta1)),
            ("Type II upper", rounded_up(self.type2_upper, self.beta)),
        ]
        columns = ["Class", "Called 0", "Review", "Called 1", "95 % low", "95 % high"]
        shares = enumerate(self.shares().drop(columns="of").itertuples(index=False, name=None))
        rows = [(label, *rest, rounded_down(low), rounded_up(high)) for label, (*rest, low, high) in shares]
        together = (1 - self.delta0) * (1 - self.delta1)
        called = (
            "The cuts crossed, so one cut is enough: a row is called class 1 when its score exceeds it, and class 0 "
            "otherwise. Nothing is left to review."
            if self.crossed
            else "A row is called class 1 when its score exceeds the upper cut, class 0 when it is below the lower "
            "cut, and is left to a person otherwise."
        )
        notes = [
            called,
            f"With probability at least {at_least(together)}, the type I error is at most {level_text(self.alpha)} "
            "and the type "
            f"II error at most {self.beta:g}. Both are wrong calls as a share of all rows of the class; rows in review "
            "do not count as errors.",
            "Review: the share of the scores that set the cuts, with an interval for the population.",
        ]
        return summary_table("Neyman-Pearson rule with review", pairs, columns, rows, notes)

    def plot(
        self,
        scores0: ArrayLike,
        scores1: ArrayLike,
        *,
        ax: Any = None,
        figsize: tuple[float, float] | None = None,
        labels: tuple[object, object] | None = None,
    ) -> Any:
        """Draw the scores of both classes about the cuts; return the Axes.

        Parameters
        ----------
        scores0, scores1 : array-like of float
            Scores of each class, such as those that set the cuts.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.
        labels : pair, optional
            The names of class 0 and class 1.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_review

        return plot_review(scores0, scores1, self.lower, self.upper, labels=labels, ax=ax, figsize=figsize)


@tells_names
def np_review(
    scores0: ArrayLike,
    scores1: ArrayLike,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    delta0: float = 0.05,
    delta1: float = 0.05,
) -> ReviewRule:
    r"""Set two cuts that bound both errors, with a review by a person between them.

    A row is called class 1 when its score exceeds an order statistic of the class 0 scores, and class 0 when it is
    below an order statistic of the class 1 scores. Other rows are left to a person. Where the classes are so far apart
    that the two cuts cross, one cut bounds both errors and nothing is left to review.

    Parameters
    ----------
    scores0, scores1 : array-like of float, shape (n0,) and (n1,)
        Scores of left-out points of each class, finite; larger = more like class 1.
    alpha : float
        Bound on the type I error P(called class 1 | class 0), in (0, 1).
    beta : float
        Bound on the type II error P(called class 0 | class 1), in (0, 1).
    delta0, delta1 : float
        Bounds on the probabilities, in (0, 0.5], that the type I error exceeds `alpha`, and the type II error `beta`.

    Returns
    -------
    ReviewRule

    Raises
    ------
    TooFewSamplesError
        If n0 is below ``min_class0_size(alpha, delta0)``, or n1 below ``min_class0_size(beta, delta1)``.
    InvalidInputError
        If a score is not finite or a level not in (0, 1).

    Warns
    -----
    NPWarning
        If `scores0` and `scores1` look like the labels and the scores of the same rows, or the scores of class 1 are
        clearly smaller than those of class 0.

    See Also
    --------
    np_threshold : one cut, which bounds the type I error alone.
    npc : with ``review_beta`` it trains the scorer and sets both cuts.
    nproc.review.plan_review : how many rows bring the share in review down.

    Notes
    -----
    *Proof.* Let :math:`t_0` be the class 0 order statistic at rank k*(n0, alpha, delta0), and :math:`-t_1` that of the
    negative class 1 scores at k*(n1, beta, delta1). By Proposition 1 of [tong2018]_,
    :math:`P_0(s > t_0) \le \alpha` with probability at least 1 - delta0 over the class 0 scores, and
    :math:`P_1(s < t_1) \le \beta` with probability at least 1 - delta1 over the class 1 scores. The two samples are
    independent, so both hold at once with probability at least (1 - delta0)(1 - delta1), and exactly with (1 -
    `violation_rate0`)(1 - `violation_rate1`) for continuous scores.

    If :math:`t_1 \le t_0`, a row is called class 1 when :math:`s > t_0` and class 0 when :math:`s < t_1`: these are the
    two events. If :math:`t_0 < t_1`, the one cut :math:`t_0` is used, and a row is called class 0 when
    :math:`s \le t_0`, which implies :math:`s < t_1`. The second event can only become smaller, so both bounds stay.

    A score that is tied with a cut is reviewed, or called class 0 where the cuts cross. Ties therefore only make the
    errors smaller.

    What the bounds do not say: how well the person decides, and which share of all calls is wrong. The share of errors
    among the rows that are *not* reviewed may be larger than `alpha` or `beta`, since the review takes rows away from
    the denominator.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rule = np_review(rng.normal(size=500), rng.normal(2, 1, size=500), alpha=0.05, beta=0.05)
    >>> round(rule.lower, 3), round(rule.upper, 3), round(rule.violation_rate0, 4)
    (0.248, 1.764, 0.0343)
    >>> rule.shares()[["of", "called0", "review", "called1"]].round(3)
            of  called0  review  called1
    0  class 0    0.606   0.362    0.032
    1  class 1    0.032   0.400    0.568
    """
    scores0, scores1 = check_scores(scores0, "scores0"), check_scores(scores1, "scores1")
    alpha, beta = check_level(alpha, "alpha"), check_level(beta, "beta")
    delta0, delta1 = check_delta(delta0, "delta0"), check_delta(delta1, "delta1")
    warn_labels(scores0, scores1, "np_review")
    order0 = own_order(scores0.size, alpha, delta0, ("n0", "alpha", "delta0", "left-out class 0 scores"))
    mirrored = own_order(scores1.size, beta, delta1, ("n1", "beta", "delta1", "left-out class 1 scores"))
    warn_direction(scores0, scores1, "of scores0, class 0, and scores1, class 1", PAID_BY_BOTH)
    return review_rule(scores0, scores1, order0, mirrored, alpha, beta, delta0, delta1)


def own_order(n, level, delta, words):
    """Return the rank k* of one class, or raise an error in the words (n, level, delta, scores) of this class."""
    order = int(search_orders(n, np.array([level]), delta)[0])
    if order > n:
        *names, rows = words
        raise TooFewSamplesError(too_few_message(n, level, delta, rows=rows, names=names))
    return order


def review_rule(scores0, scores1, order0, mirrored, alpha, beta, delta0, delta1):
    """Return the `ReviewRule` of checked scores at known ranks; `mirrored` counts from the largest class 1 score."""
    n0, n1 = scores0.size, scores1.size
    order1 = n1 + 1 - mirrored
    cut1 = float(np.partition(scores0, order0 - 1)[order0 - 1])
    cut0 = float(np.partition(scores1, order1 - 1)[order1 - 1])
    crossed = cut1 < cut0

    def called(scores):
        above = int(np.sum(scores > cut1))
        return (scores.size - above if crossed else int(np.sum(scores < cut0))), above

    (n0_called0, n0_called1), (n1_called0, n1_called1) = called(scores0), called(scores1)
    return ReviewRule(
        lower=cut1 if crossed else cut0,
        upper=cut1,
        crossed=crossed,
        alpha=alpha,
        beta=beta,
        delta0=delta0,
        delta1=delta1,
        order0=order0,
        order1=order1,
        n0=n0,
        n1=n1,
        violation_rate0=violation_rate(order0, n0, alpha),
        violation_rate1=violation_rate(mirrored, n1, beta),
        type1_upper=type1_upper(order0, n0, delta0),
        type2_upper=type1_upper(mirrored, n1, delta1),
        n0_called0=n0_called0,
        n0_called1=n0_called1,
        n1_called0=n1_called0,
        n1_called1=n1_called1,
    )
