"""What the bounds of an NP-ROC band are, and what they promise: at one alpha at a time, or at all alpha at once.

A rule turns levels into ranks of the left-out class 0 scores, and counts of missed class 1 scores into bounds. A band
holds one, and asks it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from nproc.checks import check_choice, check_level, level_text
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import Bounds, round_up, search_orders, too_few_message, type1_upper, type2_curve
from nproc.simultaneous import (
    MANY_BOUNDS,
    METHODS,
    SLACK,
    about_local_level,
    local_level,
    share_of_each_class,
    simultaneous_cdf_bounds,
)
from nproc.tables import (
    FEW,
    DataFrame,
    InNotebook,
    ShortRepr,
    Summary,
    at_least,
    at_most,
    format_number,
    rounded_down,
    rounded_up,
    short,
    summary_table,
    table_frame,
)
from nproc.thresholds import rounding_guard, threshold_at


def cost_of_choosing(n_splits=1):
    """Return what it costs to choose alpha on a pointwise band of independent rows, in some sentences.

    They do not promise delta where an alpha fixed beforehand has no such promise: for the vote of three splits or more.
    """
    if n_splits > 2:
        return (
            f"The bound is not proved for the vote of {n_splits} splits at an alpha fixed beforehand either. For a "
            "guarantee, certify the classifier on fresh class 0 rows that are independent."
        )
    of_one = " of one split" * (n_splits > 1)
    # benchmarks/chosen_alpha.py
    return (
        "At an alpha fixed beforehand, the type I error is above alpha in at most a share delta of the samples. In "
        f"simulations with alpha chosen on the band{of_one}, this share was up to 2 delta if alpha was chosen by a "
        "bound on the type II error, and up to 4 delta if it was chosen by Youden's index. For a guarantee, choose "
        "alpha on other data, or certify the classifier on fresh class 0 rows."
    )


def average_told(n_splits):
    """Return what an average of bounds over several splits says of the vote of the splits, in some sentences."""
    said = (
        f"The bounds on the type II error are averages over {n_splits} splits, for which nothing is proved. They are "
        "about single splits."
    )
    if n_splits == 2:
        return (
            f"{said} A vote of both calls a row class 1 only if both splits do. Its type II error is therefore at "
            "least that of each split, and may lie above the bounds."
        )
    tie = " A tied vote is called class 0, which raises it." if n_splits % 2 == 0 else ""
    return f"{said} The type II error of a vote of the splits may lie outside the bounds.{tie}"


CHOSEN_HERE = "alpha was chosen on the rows that set the thresholds."
WHY_NOT_GUARANTEED = f"{CHOSEN_HERE} {cost_of_choosing()}"


EACH_ALPHA = (
    "Each bound on the type II error on new rows holds at one alpha that was fixed beforehand. The bounds do not hold "
    "for all alpha at once."
)


def mask_order(frame, none):
    """Return a frame whose column of ranks has a gap in the rows `none`, where no rank meets alpha."""
    frame["order"] = frame["order"].astype("Int64").mask(none)
    return frame


def level_cell(alpha):
    """Return a level as text for a table: with four decimals if these are the level, or else as `level_text` does.

    Examples
    --------
    >>> level_cell(0.1), level_cell(0.14981344)
    ('0.1000', '0.14981344')
    """
    text = format_number(float(alpha))
    return text if math.isclose(float(text), alpha, rel_tol=1e-12) else level_text(alpha)


def shown_order(order, none):
    """Return ranks in short form, with "none" where `none` is true.

    Examples
    --------
    >>> shown_order(7, False), shown_order(np.array([8, 7]), np.array([True, False]))
    ('7', '[none, 7]')
    >>> shown_order(np.arange(8, 0, -1), np.arange(8) == 0)
    '<8 numbers, 1 to 7 or none>'
    """
    order, none = np.asarray(order), np.asarray(none)
    if order.size <= FEW and order.ndim <= 1:
        texts = ["none" if at else str(rank) for rank, at in zip(order.ravel().tolist(), none.ravel(), strict=True)]
        return f"[{', '.join(texts)}]" if order.ndim else texts[0]
    if none.all():
        return f"<{order.size} times none>"
    text = short(np.where(none, order[~none].max(), order))
    return text.replace(">", " or none>") if none.any() else text


@dataclass(frozen=True, repr=False)
class BandValues(InNotebook):
    """A band at given levels; arrays are shaped like the levels asked for.

    Printed bounds are rounded outward, to four decimals: lower bounds down and upper bounds up.

    Attributes
    ----------
    alpha : float or ndarray
        Levels.
    type2_lower, type2_upper : float or ndarray
        Bounds on the conditional type II error. Where no classifier respects alpha, the upper one is 1, that of calling
        every row class 0. The lower one is then that of the largest left-out score as threshold; a larger threshold
        has at least the same type II error.
    type2 : float or ndarray
        Share of left-out class 1 scores at or below the threshold, averaged over splits: an estimate. It is 1 where no
        classifier respects alpha, which is no estimate, so it is missing there in `to_frame`. For several splits it is
        about single splits, as the two bounds are, and not about their vote.
    order : int or ndarray
        Rank of the threshold; n0 + 1 where no classifier respects alpha. Tables and reprs then say that there is none.
    note : str
        What the bounds are.
    n0 : int, optional
        Number of left-out class 0 scores.
    smallest_alpha : float or None
        The smallest alpha at which the band has a classifier; None if it has none.
    """

    alpha: float | np.ndarray
    type2_lower: float | np.ndarray
    type2_upper: float | np.ndarray
    type2: float | np.ndarray
    order: int | np.ndarray
    note: str = EACH_ALPHA
    n0: int | None = None
    smallest_alpha: float | None = None

    def __repr__(self):
        bounds = (
            f"type2_lower={short(self.type2_lower, rounded_down)}, type2={short(self.type2)}, "
            f"type2_upper={short(self.type2_upper, rounded_up)}"
        )
        none = np.asarray(self.order) > (np.inf if self.n0 is None else self.n0)
        least = None if self.smallest_alpha is None else level_text(self.smallest_alpha, digits=4)
        if none.size and none.all():
            which = "this alpha" if none.size == 1 else "these levels"
            bounds = f"no classifier at {which}{'' if least is None else f'; the smallest alpha is {least}'}"
        elif none.any():
            bounds += f";\n  type2 is 1 below alpha={least}, where there is no classifier"
        return f"BandValues(alpha={short(self.alpha, level_text)}, order={shown_order(self.order, none)},\n  {bounds})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a level: alpha, order, type2_lower, type2, type2_upper.

        The order and the estimate `type2` are missing where no rank meets alpha, and the upper bound is 1 there.
        """
        names = ("alpha", "order", "type2_lower", "type2", "type2_upper")
        frame = table_frame({name: np.atleast_1d(getattr(self, name)).ravel() for name in names})
        none = frame["order"] > (np.inf if self.n0 is None else self.n0)
        frame["type2"] = frame["type2"].mask(none)
        return mask_order(frame, none)

    def table_rows(self) -> list[tuple[Any, ...]]:
        """Return the rows of a summary, for `VALUE_COLUMNS`; of a level without a rank nothing but "none"."""
        frame = self.to_frame()
        has_rank = frame["order"].notna()
        ranks, estimates = frame["order"].astype(object).where(has_rank, "none"), frame["type2"].astype(object)
        estimates = estimates.where(has_rank, "-")
        # bounds are rounded outward
        lower = [at_least(bound, 4) if has else "-" for bound, has in zip(frame["type2_lower"], has_rank, strict=True)]
        upper = [at_most(bound, 4) if has else "-" for bound, has in zip(frame["type2_upper"], has_rank, strict=True)]
        return list(zip(map(level_cell, frame["alpha"]), ranks, lower, estimates, upper, strict=True))

    def summary(self) -> Summary:
        """Return a table with a row a level, as a summary of statsmodels."""
        rows = self.table_rows()
        notes = [self.note, *[NO_RANK] * any(row[1] == "none" for row in rows)]
        return summary_table("NP-ROC band at some levels", [], VALUE_COLUMNS, rows, notes)


YOUDEN = "largest 1 - type II upper bound - alpha (Youden's index)"


@dataclass(frozen=True, repr=False)
class AlphaChoice(InNotebook):
    """A level chosen from a band.

    Attributes
    ----------
    alpha : float
        The level. It is the left end of its step, rounded up to six decimals (below 1e-4 to six significant digits), or
        to more if the step is narrower, so that the number has the same rank.
    type2_lower, type2_upper : float
        The band there.
    criterion : str
        How it was chosen.
    guaranteed : bool
        Whether the promise of the band holds at this level: False of a pointwise band, since the choice looked at the
        rows that set the thresholds; True of a simultaneous band of one split.
    reason : str
        Why it is guaranteed, or not.
    type2_max : float or None
        The bound on the type II error that was asked for, if it was chosen by one.
    """

    alpha: float
    type2_lower: float
    type2_upper: float
    criterion: str
    guaranteed: bool = False
    reason: str = WHY_NOT_GUARANTEED
    type2_max: float | None = None

    def __float__(self):
        return self.alpha

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of `choose_alpha` that give this level; one that was made in another way was chosen by eye."""
        if self.type2_max is not None:
            return {"type2_max": self.type2_max}
        return {"criterion": "youden"} if self.criterion == YOUDEN else {"by_eye": self.alpha}

    def __repr__(self):
        return (
            f"AlphaChoice(alpha={self.shown_alpha}, type II error in [{rounded_down(self.type2_lower)}, "
            f"{rounded_up(self.type2_upper)}]; "
            f"{self.criterion}; guaranteed={self.guaranteed}, see .reason)"
        )

    @property
    def shown_alpha(self) -> str:
        """The level as text, rounded up: typed in by hand it must not fall below its knot, into the rank before."""
        return level_text(self.alpha)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row: alpha, type2_lower, type2_upper, criterion, guaranteed."""
        names = ("alpha", "type2_lower", "type2_upper", "criterion", "guaranteed")
        return table_frame({name: [getattr(self, name)] for name in names})

    def summary(self) -> Summary:
        """Return a table of the level, the band there, and why it has a guarantee or none, as one of statsmodels."""
        pairs = [
            ("alpha", self.shown_alpha),
            ("Guaranteed", self.guaranteed),
            ("Type II lower", rounded_down(self.type2_lower)),
            ("Type II upper", rounded_up(self.type2_upper)),
        ]
        notes = [f"Criterion: {self.criterion}.", self.reason]
        return summary_table("Level chosen from an NP-ROC band", pairs, notes=notes)


def level_of(alpha):
    """Return the level of an `AlphaChoice`, and anything else as it is."""
    return alpha.alpha if isinstance(alpha, AlphaChoice) else alpha


def check_way(criterion, type2_max, by_eye=None):
    """Return `type2_max`, checked, or None for another way."""
    if sum(way is not None for way in (criterion, type2_max, by_eye)) != 1:
        raise InvalidInputError(
            "give either criterion='youden' or type2_max=, a bound on the type II error, or by_eye=, a level that you "
            "chose yourself."
        )
    if by_eye is not None:
        return None
    if type2_max is not None:
        return check_level(type2_max, "type2_max")
    if not isinstance(criterion, str) or criterion != "youden":
        raise InvalidInputError(
            f"criterion must be 'youden', got {criterion!r}; to choose by a bound on the type II error, give "
            "type2_max, such as type2_max=0.4."
        )
    return None


def choose_from_knots(band, knots, criterion, type2_max):
    """Return the `AlphaChoice` at one of the knots (alpha, type2_lower, type2_upper); see `NPROCBand.choose_alpha`."""
    type2_max = check_way(criterion, type2_max)
    alpha, type2_lower, type2_upper = (curve[knots[0] < 1] for curve in knots)
    if alpha.size == 0:
        raise InvalidInputError(
            "with these rows every upper bound on the type I error is 1, so no alpha can be chosen. Leave out more "
            "class 0 rows, or raise delta."
        )
    if type2_max is not None:
        good = np.flatnonzero(type2_upper <= type2_max)
        if good.size == 0:
            lowest = np.argmin(type2_upper)
            raise InvalidInputError(
                f"no alpha has a type II upper bound of at most {type2_max:g}; the smallest reached is "
                f"{round_up(type2_upper.min())}, at alpha = {level_text(level_in_step(float(alpha[lowest]), band))}.",
                value=type2_max,
                limit=float(type2_upper.min()),
                fault="target out of reach",
                way_out="Raise type2_max, or leave out more class 1 rows."
                if band.alpha_max is None
                else f"Raise type2_max, or make the band with an alpha_max above {band.alpha_max:g}.",
            )
        best, how = int(good[0]), f"smallest alpha with type II upper bound <= {type2_max:g}"
    else:
        best, how = int(np.argmax(1 - type2_upper - alpha)), YOUDEN
    level = level_in_step(float(alpha[best]), band)
    return AlphaChoice(level, float(type2_lower[best]), float(type2_upper[best]), how, type2_max=type2_max)


def level_in_step(knot, band):
    """Return a knot rounded up to as many digits as a data frame shows, or to as many more as its step needs."""
    exact = Decimal(repr(knot))
    first = -6 if knot >= 1e-4 else exact.adjusted() - 5
    rounded = [float(exact.quantize(Decimal(1).scaleb(first - more), ROUND_CEILING)) for more in range(7)]
    levels = [level for level in rounded if level < 1 and level <= (band.alpha_max or 1)]
    order, *orders = band.rule.orders(band.n0_left_out, np.array([knot, *levels])).tolist()
    return next((level for level, rank in zip(levels, orders, strict=True) if rank == order), knot)


NO_RANK = (
    "Rank none: no rank meets this alpha, so every row would be called class 0. The table then has neither an "
    "estimate nor bounds."
)
VALUE_COLUMNS = ("alpha", "Rank", "Type II lower", "Estimate", "Type II upper")


def cuts_at(scores0, orders, subject):
    """Return where the sorted class 0 scores of a split are cut at some ranks, as the classifier counts."""
    cuts = scores0[orders - 1]
    # a rounding error above the threshold is no miss avoided
    return cuts if subject is None else cuts + rounding_guard(scores0, cuts)


KINDS = ("pointwise", "simultaneous")
# scipy's beta quantiles are not numbers from about 1e-160 on
SMALLEST_DELTA = 1e-150


@dataclass(frozen=True, repr=False)
class PointwiseBounds(ShortRepr):
    """Bounds that hold at one alpha fixed beforehand: each is broken with probability at most delta.

    Attributes
    ----------
    delta : float
        Bound on the probability, in (0, 1), that each bound does not hold.
    """

    delta: float

    simultaneous = has_closed_form = False
    in_table = "pointwise"
    in_legend = r"at one $\alpha$ fixed beforehand"
    values_note = EACH_ALPHA

    def level(self, n, *, sides):
        """Return the chance of failure at which each bound from n scores is taken, on one side or on both."""
        return self.delta

    def orders(self, n0, alphas):
        """Return the rank for each level of a float array in [0, 1]; n0 + 1 where no rank is good enough."""
        return search_orders(n0, alphas, self.level(n0, sides=1))

    def type1_at(self, orders, n0):
        """Return the bounds on the type I errors of an array of ranks."""
        return type1_upper(orders, n0, self.level(n0, sides=1))

    def type1_knots(self, n0):
        """Return the bounds on the type I errors of the ranks n0, ..., 1, ascending."""
        return self.type1_at(np.arange(n0, 0, -1), n0)

    def thresholds_at(self, scores0, alpha):
        """Return the `Threshold` of each split, from its class 0 scores, at the rank for a level."""
        n0 = scores0[0].size
        order = int(self.orders(n0, np.array([alpha]))[0])
        if order > n0:
            raise TooFewSamplesError(self.too_few(n0, alpha))
        return tuple(threshold_at(scores, order, alpha, self.delta) for scores in scores0)

    def type2(self, n_missed, n1):
        """Return `Bounds` on the type II errors of thresholds with so many class 1 scores at or below them."""
        return type2_curve(n_missed, n1, self.level(n1, sides=2))

    def no_rank(self, n0):
        """Return the message for a band that ends below its first knot, or None: this one does not end."""
        return None

    def too_few(self, n0, alpha):
        """Return the message for a level below the first knot."""
        return too_few_message(n0, alpha, self.delta)

    def promise(self):
        """Return what a band of one split promises, as a sentence."""
        return (
            "For one split and one alpha fixed beforehand: with probability at least 1 - delta the type I error "
            "is at most alpha, and with probability at least 1 - 2 delta the type II error on new rows lies "
            "inside the band. This does not hold for all alpha at once."
        )

    def of_a_choice(self, n_splits):
        """Return whether the promise holds at an alpha chosen on the band, why, and what else a reader should know."""
        cost = cost_of_choosing(n_splits)
        if n_splits > 1:
            cost = f"{cost} {average_told(n_splits)}"
        return False, f"{CHOSEN_HERE} {cost}", cost


@dataclass(frozen=True, repr=False)
class SimultaneousBounds(PointwiseBounds):
    r"""Exact bounds that hold at all alpha at once, of Berk and Jones: those of a single alpha at smaller levels.

    Attributes
    ----------
    delta : float
        Bound on the probability, in (0, 1), that any bound of the band does not hold.
    alpha_max : float, optional
        The largest alpha that is of use, fixed beforehand, in (0, 1). Only ranks whose bound is at most this are
        bounded, which makes their bounds smaller. The band ends there.

    Notes
    -----
    Given the training, the left-out scores of the two classes are independent. Class 0 fails if the type I error of the
    rule at any rank is above its bound; class 1 fails if :math:`P(\text{score} \le t \mid \text{class } 1)` leaves its
    bounds at any t at all, so in particular at any left-out class 0 score. Each happens with probability at most
    :math:`\delta' = 1 - \sqrt{1 - \delta}`, hence neither with probability at least :math:`(1 - \delta')^2 = 1 -
    \delta`. Then, for every alpha at once, the rule at the smallest rank whose bound is at most alpha has a type I
    error of at most its bound, and its type II error is between the bounds at its threshold, however alpha was chosen.

    For continuous scores each of these two events has a probability of at least :math:`0.999 \delta'`, unless
    :math:`\delta'` is below 1e-9. The band itself is safer than that: it reads the bounds of class 1 at the left-out
    class 0 scores alone, and not at any t. The further the classes are apart, the fewer class 1 scores lie there. In
    simulations with normal scores, 100 or 1000 rows of each class and delta = 0.1 the class 1 half failed with 40 to
    84 % of :math:`\delta'` and the band with 68 to 94 % of delta where the two classes had one law; with means 5
    standard deviations apart these were 4 to 14 % and 51 to 60 %.
    """

    alpha_max: float | None = None

    bounds = "berk_jones"
    simultaneous = True
    in_table = "simultaneous"
    # whose bounds they are, for a sentence, and the keys of the papers
    whose = "exact simultaneous bounds (Berk and Jones 1979; Moscovich et al. 2016)"
    papers: ClassVar[tuple[str, ...]] = ("berk1979", "moscovich2016")

    @property
    def in_legend(self):
        return rf"all $\alpha${self.up_to} at once"

    @property
    def values_note(self):
        return f"Bounds on the type II error on new rows that hold for all alpha{self.up_to} at once."

    @property
    def up_to(self):
        """What follows the words "all alpha" in a sentence: where the band ends, if it does."""
        return "" if self.alpha_max is None else f" up to {self.alpha_max:g}"

    @property
    def share(self):
        """The chance given to each class, see `share_of_each_class` in `nproc.simultaneous`."""
        return share_of_each_class(self.delta)

    def most(self, n0):
        """Return how many of the largest of n0 class 0 scores are bounded: those whose bound is at most alpha_max."""
        return n0 if self.alpha_max is None else ranks_up_to(n0, self.share, self.alpha_max)

    def no_rank(self, n0):
        """Return the message for a band without a classifier at any alpha up to alpha_max, or None."""
        # a single bound has the level `share`, or up to SLACK less: so many scores are surely enough
        if self.alpha_max is None or n0 >= self._enough_for_one or self.most(n0) > 0:
            return None
        return (
            f"n0={n0} left-out class 0 scores have no threshold for any alpha up to alpha_max={self.alpha_max:g} with "
            f"delta={self.delta:g} in a simultaneous band; about {self._enough_for_one} are needed. Leave out more "
            "class 0 rows, or make the band with a larger alpha_max."
        )

    @property
    def _enough_for_one(self):
        return math.ceil((math.log(self.share) - 2 * SLACK) / math.log1p(-self.alpha_max))

    def level(self, n, *, sides):
        """Return the chance of failure at which each bound from n scores is taken, on one side or on both."""
        return local_level(n, self.share, sides=sides, most=max(1, self.most(n)) if sides == 1 else None)

    def orders(self, n0, alphas):
        """Return the rank for each level of a float array in [0, 1]; n0 + 1 where no rank is good enough."""
        return np.maximum(super().orders(n0, alphas), n0 + 1 - self.most(n0))

    def type1_at(self, orders, n0):
        """Return the bounds on the type I errors of an array of ranks; 1 where `alpha_max` leaves none."""
        return np.where(orders > n0 - self.most(n0), super().type1_at(orders, n0), 1.0)

    def thresholds_at(self, scores0, alpha):
        """Return the `Threshold` of each split, from its class 0 scores, at the rank for a level."""
        found = super().thresholds_at(scores0, alpha)
        bound = float(self.type1_at(np.array([found[0].order]), found[0].n0)[0])
        return tuple(replace(threshold, type1_upper=bound) for threshold in found)

    def too_few(self, n0, alpha):
        """Return the message for a level below the first knot."""
        none = self.no_rank(n0)
        if none is not None:
            return none
        enough, before = n0, 0
        while enough > before:
            # rises to the size that its own local level allows
            before = enough
            level = about_local_level(before, self.share, sides=1, most=self.most(before))
            enough = math.ceil(math.log(level) / math.log1p(-alpha))
        return self._too_few(n0, alpha, f"; about {before} are needed")

    def _too_few(self, n0, alpha, needed):
        smallest = self.type1_at(np.array([n0]), n0)[0]
        return (
            f"n0={n0} left-out class 0 scores cannot meet alpha={alpha:g} with delta={self.delta:g} in a "
            f"simultaneous band{needed}; its smallest alpha is {level_text(smallest, digits=3)}. A pointwise "
            "band, for one alpha fixed beforehand, needs fewer rows."
        )

    def promise(self):
        """Return what a band of one split promises, as a sentence."""
        return (
            f"For one split: with probability at least {at_least(1 - self.delta)}, for all alpha{self.up_to} at once, "
            "the type I error is at most alpha and the type II error on new rows lies inside the band. These are "
            f"{self.whose}. Those of each class fail with probability at most {round_up(self.share, 4)}. Alpha may be "
            "chosen after looking at the band."
        )

    def of_a_choice(self, n_splits):
        """Return whether the promise holds at an alpha chosen on the band, why, and what else a reader should know."""
        if n_splits == 1:
            both = (
                f"With probability at least {at_least(1 - self.delta)} the type I error at this alpha is at most alpha "
                "and the type II error on new rows lies inside the band, however alpha was chosen."
            )
            return True, f"The band holds for all alpha{self.up_to} at once. {both}", both
        average = average_told(n_splits)
        each = (
            f"In each of the {n_splits} splits the bounds hold at all alpha{self.up_to} at once, so also at a chosen "
            f"alpha. {average} For the type I error of the vote a weaker bound is proved, see nproc.fits.vote_bound()."
        )
        return False, each, average


@lru_cache(maxsize=256)
def ranks_up_to(n0, delta, alpha_max):
    """Return how many of the largest of n0 scores have simultaneous bounds that are all at most `alpha_max`.

    The more of them are bounded, the larger each bound: this is the largest such number, or a little less of more than
    2^14 scores. Where not even the largest score has such a bound, it is 0.

    Examples
    --------
    >>> ranks_up_to(1000, 0.0253, 0.1)
    75
    """

    def at_most(most, level_of):
        # so many scores would have such a bound at the level of `most` of them; never more where `most` is larger
        return n0 + 1 - int(search_orders(n0, np.array([alpha_max]), level_of(n0, delta, sides=1, most=most))[0])

    low, before = 1, 0
    while low > before:
        # the number lies between these two, and they come closer
        high = max(1, at_most(low, about_local_level))
        low, before = max(1, low, min(high, at_most(high, about_local_level))), low
    while low < min(n0, MANY_BOUNDS) and at_most(low + 1, local_level) > low:
        low += 1
    while low > 1 and at_most(low, local_level) < low:
        low -= 1
    return low if low > 1 else min(1, at_most(1, local_level))


@dataclass(frozen=True, repr=False)
class DKWBounds(SimultaneousBounds):
    """Bounds that hold at all alpha at once, by the inequality of Dvoretzky, Kiefer and Wolfowitz: simple and wide."""

    bounds, in_table = "dkw", "simultaneous, DKW"
    whose = "simultaneous bounds by the inequality of Dvoretzky, Kiefer and Wolfowitz (Massart 1990)"
    papers = ("massart1990",)
    has_closed_form = True

    def orders(self, n0, alphas):
        """Return the rank for each level of a float array in [0, 1]; n0 + 1 where no rank is good enough."""
        # the formula for the rank, one or two ranks early for its rounding; then up to where the bound itself agrees
        guess = np.ceil(n0 * (1 + self._slack(n0) - alphas)) - 2
        orders = np.where(alphas < 1, guess.clip(1, n0 + 1), 1).astype(np.int64)
        while np.any(low := (orders <= n0) & (self.type1_at(orders, n0) > alphas)):
            orders += low
        return orders

    def type1_at(self, orders, n0):
        """Return the bounds on the type I errors of an array of ranks."""
        return np.minimum(1.0, 1 - orders / n0 + self._slack(n0))

    def _slack(self, n0):
        return math.sqrt(math.log(1 / self.share) / (2 * n0))

    def type2(self, n_missed, n1):
        """Return `Bounds` on the type II errors of thresholds with so many class 1 scores at or below them."""
        return Bounds(*simultaneous_cdf_bounds(n_missed, n1, self.share, method="dkw"))

    def too_few(self, n0, alpha):
        """Return the message for a level below the first knot."""
        enough = math.ceil(math.log(1 / self.share) / (2 * alpha**2))
        return self._too_few(n0, alpha, f"; at least {enough} are needed")


def bound_rule(band, bounds, delta, alpha_max=None):
    """Return the rule of a band.

    Parameters
    ----------
    band : {"pointwise", "simultaneous"}
        Whether the bounds hold at one alpha fixed beforehand, or at all alpha at once.
    bounds : {"berk_jones", "dkw"}
        Which simultaneous bounds; a pointwise band has only one kind.
    delta : float
        Bound on the probability, in (0, 1), that they do not hold; already checked.
    alpha_max : float, optional
        Of exact simultaneous bounds: the largest alpha of use.

    Returns
    -------
    PointwiseBounds or SimultaneousBounds

    Raises
    ------
    InvalidInputError
        If a name is unknown, or 'dkw' is asked of a pointwise band.
    """
    if isinstance(band, bool):
        raise InvalidInputError(
            f"band must be 'pointwise' or 'simultaneous', got {band}. There is always a band, so leave it out or say "
            "which kind.",
            argument="band",
        )
    check_choice(band, "band", KINDS)
    check_choice(bounds, "bounds", METHODS)
    if delta < SMALLEST_DELTA:
        raise InvalidInputError(
            f"delta must be at least {SMALLEST_DELTA:g} for a band, because beta quantiles cannot be computed below "
            f"it; got {delta:g}.",
            argument="delta",
        )
    if alpha_max is not None:
        alpha_max = check_level(alpha_max, "alpha_max")
        if band != "simultaneous" or bounds != "berk_jones":
            needed = "bounds='berk_jones'" if band == "simultaneous" else "band='simultaneous'"
            raise InvalidInputError(
                f"alpha_max can be used only with {needed}; leave it out otherwise.", argument="alpha_max"
            )
        return SimultaneousBounds(delta, alpha_max)
    if band == "simultaneous":
        return DKWBounds(delta) if bounds == "dkw" else SimultaneousBounds(delta)
    if bounds != "berk_jones":
        raise InvalidInputError(f"bounds={bounds!r} is for band='simultaneous'; leave it out for a pointwise band.")
    return PointwiseBounds(delta)
