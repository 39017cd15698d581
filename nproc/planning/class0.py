"""Planning a study: how many class 0 rows give a rule with enough power."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import betaincc

from nproc.checks import as_array, check_count, check_delta, check_level, class_names, shown, tells_names
from nproc.errors import InvalidInputError
from nproc.orderstat import min_class0_size
from nproc.planning.pilot import read_pilot
from nproc.planning.rank_law import LAW_NOTE, RankLaw, sizes_for, type1_law
from nproc.rows import one_share_of_class1, share_of_all_rows, two_names
from nproc.splitting import check_split_ratio, rows_in_all, said, shown_ratio, sizes_looked_at
from nproc.tables import (
    Axes,
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

_RULE = "A row is called class 1 if its score exceeds the order statistic in column Rank."


@dataclass(frozen=True, repr=False, eq=False)
class ClassZeroPlan(InNotebook):
    """Class 0 rows for given levels and power, and what they buy. Made by `plan_class0`.

    Attributes
    ----------
    n0 : int
        Left-out class 0 rows from which on, for this and every larger number, the power is reached.
    n0_first : int
        Smallest number at which it is reached; some numbers between this and `n0` fall short again.
    n0_min : int
        Smallest number for which any rule exists, `min_class0_size`.
    alpha, delta : float
        Bound on the type I error, and bound on the probability that the type I error is above `alpha`.
    power : float or None
        Share of the oracle's power that the rule has in expectation; None asks for the smallest sizes.
    split_ratio : float or "auto"
        Share of the class 0 rows that trains, or "auto" as in `npc`.
    level : float
        Bound on the probability that the bounds from the pilot do not hold.
    curve : object
        ROC curve of the pilot.
    prevalence : float or None
        Share of class 1 among the rows that will be collected.
    labels : tuple of two, or None
        The labels of class 0 and class 1.

    Notes
    -----
    Properties tell the rest: `law` (`RankLaw` at `n0`: rank, expected type I error, price of conservatism), `rows`,
    with a prevalence `rows_of_both` and, with a pilot, `type2_mean`, `type2_oracle`, `type2_price`, `type2_bounds`.
    """

    n0: int
    n0_first: int
    n0_min: int
    alpha: float
    delta: float
    power: float | None
    split_ratio: float | str
    level: float
    curve: Any
    prevalence: float | None = None
    labels: tuple[object, object] | None = None

    @property
    def law(self) -> RankLaw:
        """`RankLaw` of `n0` rows."""
        return self.at(self.n0)

    @property
    def order(self) -> int:
        """Rank of the threshold among `n0` rows."""
        return self.law.order

    @property
    def type1_mean(self) -> float:
        """Expected type I error at `n0`, (n0 + 1 - order) / (n0 + 1)."""
        return self.law.type1_mean

    @property
    def price(self) -> float:
        """Price of conservatism at `n0`, alpha - type1_mean."""
        return self.law.price

    @property
    def violation_rate(self) -> float:
        """The probability, at `n0` rows, of a type I error above alpha."""
        return self.law.violation_rate

    @property
    def rows(self) -> int:
        """Class 0 rows in all, of which `npc` with this `split_ratio` leaves out `n0` or more."""
        return rows_in_all(self.n0, self.split_ratio, self.alpha, self.delta)

    @property
    def rows_of_both(self) -> int | None:
        """Least number of random rows that hold `rows` or more of class 0 with probability at least 1 - delta."""
        return None if self.prevalence is None else _rows_drawn(self.rows, 1 - self.prevalence, self.delta)

    @property
    def has_pilot(self) -> bool:
        """Whether type II errors are known or estimated."""
        return self.curve.is_pilot

    @property
    def type2_oracle(self) -> float | None:
        """Type II error of the threshold with type I error alpha exactly, or None without a pilot."""
        return 1 - float(self.curve.power_at(self.alpha)) if self.has_pilot else None

    @property
    def type2_mean(self) -> float | None:
        """Expected type II error at `n0` under the pilot's ROC curve, or None."""
        return 1 - float(self.curve.mean_power(self.n0 - self.order, self.n0)) if self.has_pilot else None

    @property
    def type2_price(self) -> float | None:
        """Price of conservatism in type II error, type2_mean - type2_oracle, or None."""
        mean, oracle = self.type2_mean, self.type2_oracle
        return None if mean is None or oracle is None else mean - oracle

    @property
    def type2_bounds(self) -> tuple[float, float] | None:
        """Lower and upper bound on the expected type II error at `n0`, which hold together, or None."""
        if not self.curve.has_bounds:
            return None
        low, high = self.curve.mean_bounds(self.n0 - self.order, self.n0)
        return 1 - float(high), 1 - float(low)

    def at(self, n0: int) -> RankLaw:
        """Return the `RankLaw` of another number of left-out class 0 rows at the same levels.

        Parameters
        ----------
        n0 : int
            Number of rows.

        Returns
        -------
        RankLaw

        Raises
        ------
        TooFewSamplesError
            If no rule exists for so few.
        """
        return type1_law(n0, self.alpha, self.delta)

    def to_frame(self, n0: int | Sequence[int] | None = None) -> DataFrame:
        """Return a DataFrame with a row a number of left-out class 0 rows: the curves of the plan.

        Parameters
        ----------
        n0 : int or sequence of int, optional
            Numbers of rows, each at least `n0_min`; None takes some from `n0_min` to twice `n0`.

        Returns
        -------
        DataFrame
            Columns n0, order, type1_mean, price, violation_rate, power_share; with a pilot type2_mean, and with pilot
            scores type2_lower and type2_upper.
        """
        given = self._grid(400) if n0 is None else np.atleast_1d(as_array(n0, "n0")).tolist()
        return table_frame(self._columns([check_count(n, "n0") for n in given]))

    def _columns(self, sizes):
        """Return the columns of a table with a row for each size."""
        laws = [self.at(n) for n in sizes]
        names = ("n0", "order", "type1_mean", "price", "violation_rate", "power_share")
        columns = {name: [getattr(law, name) for law in laws] for name in names}
        above, sizes = np.array([law.n0 - law.order for law in laws]), np.array(sizes)
        if self.has_pilot:
            columns["type2_mean"] = 1 - self.curve.mean_power(above, sizes)
        if self.curve.has_bounds:
            low, high = self.curve.mean_bounds(above, sizes)
            columns |= {"type2_lower": 1 - high, "type2_upper": 1 - low}
        return columns

    def summary(self) -> Summary:
        """Return a table of the sizes and of what they buy, as a summary of statsmodels."""
        return self._summary()

    def _summary(self, rule=_RULE, unmet=(), caveats=()):
        """Return the summary; `rule` says when a row is called class 1, the rest what the rows of the pilot break."""
        pairs = [
            *level_pairs(self, "alpha", "delta"),
            ("Least to leave out", self.n0_min),
            ("In all for a guarantee", rows_in_all(self.n0_min, self.split_ratio, self.alpha, self.delta)),
            *(
                []
                if self.power is None
                else [(f"Left out for power {self.power:g}", self.n0), ("In all for that power", self.rows)]
            ),
            *([] if self.prevalence is None else [("Rows to draw, both classes", self.rows_of_both)]),
            ("Split ratio", shown_ratio(self.split_ratio)),
            ("Rank", self.order),
            ("Expected type I error", self.type1_mean),
            ("Unused part of alpha", self.price),
        ]
        columns = ["Left out", "", "Rank", "Violation rate", "E type I", "Least share"]
        if self.has_pilot:
            pairs += [("Best possible type II error", self.type2_oracle), ("Price in type II error", self.type2_price)]
            columns.append("E type II")
        if self.curve.has_bounds:
            columns += ["lower", "upper"]
        sizes = {self.n0_min: "for a guarantee"}
        if self.power is not None:
            sizes |= {self.n0_first: "first with the power", self.n0: "power from here on"}
        columns_of_sizes = self._columns(sorted(sizes))
        lines = zip(*columns_of_sizes.values(), strict=True)
        rows = [
            (n, sizes[n], order, rounded_up(violation_rate), type1_mean, share, *type2[:1], *_outward(*type2[1:]))
            for n, order, type1_mean, _, violation_rate, share, *type2 in lines
        ]
        pilot = f"Pilot: {self.curve.name}."
        if not self.has_pilot:
            pilot = "No pilot data were given. The plan is for the least favourable concave ROC curve."
        if self.curve.has_bounds:
            conditions = f" The probability given here would hold only {' and '.join(unmet)}." * bool(unmet)
            pilot += (
                f" E type II: an estimate of the expected type II error of the pilot's score.{conditions} With "
                f"probability at least {at_least(1 - self.level)} this error lies between lower and upper, at all "
                "sample sizes at once. A score trained on more rows may be better."
            )
        if self.has_pilot:
            pilot += " Price in type II error: E type II minus the best possible type II error."
        where = "for independent rows at each" if unmet else "at each"
        rule += f" The bound on the type I error holds {where} of these sample sizes; only the power differs."
        power = (
            "Power: the expected 1 - type II error, as a share of the best possible, which is that of the threshold of "
            "the same score with a type I error of exactly alpha. Least share: E min(1, type I error / alpha). For "
            "every continuous score with a concave ROC curve, the power is at least this."
        )
        if self._falls_below_least_share(columns_of_sizes):
            power += (
                " The ROC curve of this pilot is not concave, by chance or because that of the score is not. At one "
                "or more of these sizes it gives a power below the least share. More rows may then be needed than "
                "without a pilot."
            )
        if self.power is not None:
            power += " Power from here on: this size and all larger ones reach it."
        if self.n0_first < self.n0:
            power += " First with the power: the smallest size that reaches it, although some larger sizes do not."
        auto = ""
        if self.split_ratio == "auto":
            near = sizes_looked_at(self.alpha, self.rows)
            auto = (
                f" Split ratio (auto): the number of left-out rows is {near}, so more rows may be left out than train."
            )
        notes = [pilot, *caveats, f"{rule} {LAW_NOTE}{auto}", power]
        if self.prevalence is not None:
            notes.append(
                f"Of both classes: with probability at least {at_least(1 - self.delta)} so many rows, drawn at random, "
                f"hold the class 0 rows in all, if the share of {class_names(self.labels)[1]} among all "
                f"rows is {short(self.prevalence)}."
            )
        return summary_table("Plan: class 0 rows", pairs, columns, rows, notes)

    def _falls_below_least_share(self, columns):
        """Return whether the power under the pilot is below the least share at a size of `_columns`, but for rounding.

        Under a concave curve it is not.
        """
        if not self.has_pilot:
            return False
        share = (1 - columns["type2_mean"]) / (1 - self.type2_oracle)
        return bool(np.any(share < np.array(columns["power_share"]) - 1e-6))

    def plot(
        self,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        what: Literal["type1", "type2"] | None = None,
    ) -> Axes:
        """Draw the type I or type II error against the number of left-out class 0 rows; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.
        what : {"type1", "type2"}, optional
            Type I error: expectation and the range that holds 90 % of samples. Type II error: expectation under the
            pilot, with bounds where there are scores; the best possible is that of the oracle, whose type I error is
            exactly alpha. None takes type II where there is a pilot.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_plan_type1, plot_plan_type2

        known = ("type2", "type1") if self.has_pilot else ("type1",)
        what = known[0] if what is None else what
        if not isinstance(what, str) or what not in known:
            raise InvalidInputError(f"what must be 'type1', or with a pilot 'type2', got {shown(what)}.")
        frame = self.to_frame(self._grid(1500))
        columns = {name: frame[name].to_numpy() for name in frame.columns}
        marks = {"n0": self.n0, "n0_first": self.n0_first, "power": self.power}
        if what == "type2":
            return plot_plan_type2(columns, self.type2_oracle, self.alpha, marks=marks, ax=ax, figsize=figsize)
        ranges = np.array([self.at(n).quantile([0.05, 0.95]) for n in columns["n0"].tolist()])
        return plot_plan_type1(columns, ranges[:, 0], ranges[:, 1], self.alpha, marks=marks, ax=ax, figsize=figsize)

    def __repr__(self):
        asked = f"n0_min={self.n0_min} left-out rows for a guarantee"
        if self.power is not None:
            asked += f", n0={self.n0} or more for a rule with {short(self.power)} of the best possible power"
            if self.n0_first < self.n0:
                asked += f" ({self.n0_first} reach it, but some larger numbers do not)"
        both = ""
        if self.prevalence is not None:
            whose = share_of_all_rows(class_names(self.labels)[1])
            both = f", rows_of_both={self.rows_of_both} at {whose}={short(self.prevalence)}"
        type2 = (
            f", E[type II]={short(self.type2_mean)} (best possible {short(self.type2_oracle)})"
            if self.has_pilot
            else ""
        )
        return (
            f"ClassZeroPlan({asked},\n  alpha={short(self.alpha)}, delta={short(self.delta)}, rank {self.order}, "
            f"{self.rows} class 0 rows in all at split_ratio={said(self.split_ratio)}{both}, "
            f"E[type I]={short(self.type1_mean)}{type2})"
        )

    def _grid(self, most):
        high = max(2 * self.n0, self.n0_min + 20)
        # with a step of more than one the teeth of the saw are sampled, each number shown being exact
        step = max(1, -(-(high - self.n0_min) // most))
        return sorted({*range(self.n0_min, high + 1, step), self.n0, self.n0_first})


def _outward(*bounds):
    """Return a lower and an upper bound as texts that are rounded outward, or nothing where there are none."""
    return [text(bound) for text, bound in zip((rounded_down, rounded_up), bounds, strict=False)]


def _rows_drawn(n0, share0, delta):
    """Return the least number of random rows of which `n0` are of class 0 with probability at least 1 - delta."""
    # that of fewer than n0 among n, a binomial tail, falls in n
    sizes = range(n0, 2**53)
    return sizes[bisect_left(sizes, True, key=lambda n: betaincc(n0, n - n0 + 1.0, share0) <= delta)]


def _labels_of(pilot, labels):
    """Return the labels that were given, or those of a pilot that is a band; not two different pairs."""
    subject = getattr(pilot, "subject", None)
    if subject is None:
        return labels
    known = tuple(subject.labels.tolist())
    if labels not in (None, known):
        raise InvalidInputError(
            f"labels must be those of the pilot, {list(known)!r}, class 0 first, got {list(labels)!r}. Leave them out.",
            argument="labels",
        )
    return known


@tells_names
def plan_class0(
    alpha: float = 0.05,
    delta: float = 0.05,
    *,
    power: float | None = 0.8,
    pilot: object = None,
    split_ratio: float | Literal["auto"] = "auto",
    level: float = 0.05,
    prevalence: float | Mapping[Any, float] | None = None,
    labels: Sequence[object] | None = None,
) -> ClassZeroPlan:
    r"""Plan a study: how many left-out class 0 rows it needs, the rank, and the expected type I and type II errors.

    The bound on the type I error holds from `min_class0_size` rows on. With few rows the guarantee is expensive: the
    type I error is far below alpha, so the type II error is much larger than necessary. `power` says which share of the
    best possible power the rule should have. This is the power of the oracle: the threshold of the same score whose
    type I error is exactly alpha.

    Parameters
    ----------
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.
    power : float or None
        Share of the oracle's power, in (0, 1), that the rule shall have in expectation over the draw of the left-out
        class 0 rows: E[1 - type II error] >= power * (1 - type II error of the oracle). None asks for no more than that
        a rule exists.
    pilot : optional
        What is known of the score: a pair ``(scores0, scores1)`` of left-out scores of a pilot study, an `NPROCBand` of
        one split, a world of `nproc.simulate`, or a number in (0.5, 1), the area under the ROC curve of two normal
        classes of equal variance. None assumes the least favourable concave ROC curve.
    split_ratio : float or "auto"
        Share of the class 0 rows that trains, or "auto" as in `npc`. It determines how many class 0 rows are needed in
        all, for training and threshold together.
    level : float
        Bound on the probability, in (0, 1), that the bounds from pilot scores do not hold.
    prevalence : float or dict, optional
        Share of class 1, in (0, 1), among rows that are drawn at random, such as patients who are recruited, or a dict
        with the share of either class by its label, such as ``{"malignant": 0.01}``. With it the plan has
        `rows_of_both`, the number of rows to draw.
    labels : sequence of two, optional
        The labels of class 0 and class 1, for `prevalence`. None takes those of a pilot that is a band of
        `nproc`, or else 0 and 1.

    Returns
    -------
    ClassZeroPlan

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or the pilot says nothing at this alpha.

    Warns
    -----
    NPWarning
        If there are labels other than 0 and 1, -1 and 1, or False and True, and the prevalence is a bare number. If the
        two samples of `pilot` look like the labels and the scores of the same rows, or the scores of its class 1 are
        clearly smaller than those of its class 0.

    See Also
    --------
    supported_levels : what rows in hand allow.
    plan_split_ratio : how to share rows between training and threshold.
    type1_law : the law of the type I error at one size.

    Notes
    -----
    *Sawtooth.* As n grows, n - k stays constant for a while and then grows by one. In between the expected type I error
    falls. So there are two answers: `n0_first`, the smallest size that has the power, and `n0`, from which on every
    size has it. The second is found by looking at each tooth of the saw (`nproc.planning.rank_law`) up to a size beyond
    which Chernoff's bound settles the matter.

    *Rows of both classes.* The number of class 0 rows among n random rows is binomial. `rows_of_both` is the least n
    for which it is at least `rows` with probability at least 1 - delta. This probability is that of enough rows, and
    adds to the one of the guarantee: given any number of class 0 rows from which a rule can be made, the type I error
    is at most alpha with probability at least 1 - delta. Both hold together with probability at least
    :math:`(1 - \delta)^2`.

    *Without a pilot.* The type I error R of the rule is Beta(n + 1 - k, k). Let the ROC curve g of the score be concave
    with g(0) >= 0, as it is where a larger score means a larger likelihood ratio. Then g(R) >= g(alpha) where R >=
    alpha, since g rises, and g(R) >= (R / alpha) g(alpha) where R < alpha, since g is concave. Hence E g(R) >= E min(1,
    R / alpha) g(alpha), for any such score, and equality holds for g(r) = min(1, r / alpha), the ROC curve of a class 1
    that has all its scores, distributed alike, in the upper alpha of class 0. So E min(1, R / alpha), an exact number,
    is the share of the oracle's power that is left in the worst case. This requires continuous scores. With ties R is
    smaller, and the share may be smaller as well.

    *With a pilot* E g(R) is computed for the pilot's curve: exactly for the straight pieces between the points of pilot
    scores, by quadrature for a formula. The point of the i-th largest of n class 0 scores is at a type I error of (i -
    1/2) / n. This curve need not be concave. Where it is not, the power may be below the worst case above, and `n0` may
    be larger than without a pilot; the summary then says so. Pilot scores give an estimate; `type2_bounds` are bounds
    that hold together with probability 1 - level, for every n at once, since they come from simultaneous bounds on both
    distribution functions. They speak of the pilot's trained score; a score trained on more rows is likely to be
    better, see `plan_split_ratio`.

    References
    ----------
    Propositions 1 and 2 of [tong2018]_ for the law of the type I error; bounds as in [berk1979]_.

    Examples
    --------
    >>> plan_class0(0.05, 0.05, power=0.8)
    ClassZeroPlan(n0_min=59 ..., n0=1348 or more for a rule with 0.8 of the best possible power (1193 reach it, ...),
      alpha=0.05, delta=0.05, rank 1294, 2656 class 0 rows in all at split_ratio='auto', E[type I]=0.04077)
    >>> plan = plan_class0(0.05, 0.05, power=0.8, pilot=0.9)
    >>> plan.n0, round(plan.type2_mean, 3), round(plan.type2_oracle, 3)
    (286, 0.527, 0.433)
    >>> plan_class0(0.05, 0.05, power=0.8, pilot=0.9, prevalence={"ill": 0.25}, labels=["ill", "well"])
    ClassZeroPlan(n0_min=59 ..., n0=286 or more for a rule with 0.8 of the best possible power (208 reach it, ...),
      alpha=0.05, delta=0.05, rank 278, 532 class 0 rows in all at split_ratio='auto',
      rows_of_both=2261 at P(well)=0.75, E[type I]=0.03136, E[type II]=0.5271 (best possible 0.4335))
    """
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    split_ratio, level = check_split_ratio(split_ratio, words=("auto",)), check_level(level, "level")
    curve = read_pilot(pilot, alpha, level)
    labels = _labels_of(pilot, two_names(labels))
    if prevalence is not None:
        prevalence = one_share_of_class1(prevalence, labels)
    smallest = min_class0_size(alpha, delta)
    first = always = smallest
    if power is not None:
        power = check_level(power, "power")
        oracle = float(curve.power_at(alpha))

        def share(n_above, n0):
            return curve.mean_power(n_above, n0) / oracle

        first, always = sizes_for(share, power, alpha, delta, steepness=curve.steepness(alpha))
    return ClassZeroPlan(always, first, smallest, alpha, delta, power, split_ratio, level, curve, prevalence, labels)
