"""NP-ROC bands: at every alpha, bounds on the type II error of the classifier that keeps this alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.bands.bounds import (
    CHOSEN_HERE,
    NO_RANK,
    VALUE_COLUMNS,
    AlphaChoice,
    BandValues,
    average_told,
    bound_rule,
    check_way,
    choose_from_knots,
    cuts_at,
    level_of,
)
from nproc.bands.large import FEW, MANY, areas, bounds_of_counts, orders_to_choose_from, orders_to_show
from nproc.checks import (
    check_delta,
    check_end_of_area,
    check_flag,
    check_level,
    check_levels,
    level_text,
    refuse_beyond,
)
from nproc.errors import InvalidInputError, NPError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.fits import BY_EYE, EQUAL_SCORES, PART_OF_CLASS1, NPFit, doubt_in_picture
from nproc.inputs import RunSettings, Subject, knows_names_of_r
from nproc.rows import warn_of_score_codes
from nproc.score_chunks import sort_splits
from nproc.score_direction import WRONG_SIGN, warn_direction, warn_labels
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    format_number,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)
from nproc.umbrella import assemble, warn_useless, with_caveats

if TYPE_CHECKING:
    from nproc.bands.predictive import PredictiveBand, Prevalence


@dataclass(frozen=True, repr=False)
class PartialAUC(InNotebook):
    """The areas under the curves of an NP-ROC band from 0 to a level; made by `NPROCBand.partial_auc`.

    Attributes
    ----------
    alpha : float
        The level, and the largest area that there is.
    lower, upper : float
        Areas under the lower and the upper curve.
    estimate : float
        Area under the estimate, the curve that `NPROCBand.plot` draws as a line. It lies between the two others. For
        several splits it is about single splits, as the bounds are, and not about their vote.
    kind : str
        What the curves are: "pointwise", "simultaneous" or "simultaneous, DKW".
    delta : float
        Bound on the probability that the bounds do not hold, as in `nproc`.
    guaranteed : bool
        Whether `lower` and `upper` are proved to be bounds. Only those of a simultaneous band of one split are.
    reason : str
        Why they are not; empty if they are.
    """

    alpha: float
    lower: float
    estimate: float
    upper: float
    kind: str
    delta: float
    guaranteed: bool
    reason: str = ""

    def __repr__(self):
        level, estimate = level_text(self.alpha), f"estimate {format_number(self.estimate)}"
        curves = f"{rounded_down(self.lower)} to {rounded_up(self.upper)}"
        areas = f"{estimate} of {level}; curves of the band {curves}, which are no bounds"
        if self.guaranteed:
            areas = f"{curves} of {level}, {estimate}"
        what = f"area of the rules for alpha from 0 to {level}, not of the scores"
        return f"PartialAUC({areas};\n  {what}; {self.kind}, delta={self.delta:g})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with one row and a column for each attribute other than `reason`."""
        return table_frame({name: [value] for name, value in asdict(self).items() if name != "reason"})

    def summary(self) -> Summary:
        """Return a table that prints like those of statsmodels."""
        lower, upper = ("Lower bound", "Upper bound") if self.guaranteed else ("Area, lower curve", "Area, upper curve")
        pairs = [
            ("alpha", f"0 to {level_text(self.alpha)}"),
            (lower, rounded_down(self.lower)),
            ("Estimate", format_number(self.estimate)),
            (upper, rounded_up(self.upper)),
            ("Band", self.kind),
            ("delta", f"{self.delta:g}"),
            ("Largest area", level_text(self.alpha)),
        ]
        what = "The area is that under one minus the type II error of the rule for each alpha."
        told = (
            f"It lies between the bounds with probability at least {at_least(1 - self.delta)}. The partial AUC of the "
            "scores is then at least the lower bound, but it may be above the upper bound."
        )
        if not self.guaranteed:
            told = f"{self.reason} The partial AUC of the scores may be above all three areas."
        notes = [
            f"{what} {told} The estimate is the area under the line that plot() draws in the band.",
            "nproc.comparison.partial_auc estimates the partial AUC of scores.",
        ]
        return summary_table("Partial area under an NP-ROC band", pairs, notes=notes)


# the levels of a summary
SHOWN_LEVELS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, repr=False, eq=False)
class NPROCBand(InNotebook):
    r"""An NP-ROC band: lower and upper bounds on the type II error, as step functions of alpha.

    The curves jump at the knots. There is one knot for each rank of the left-out class 0 scores.

    The rule of rank k calls a row class 1 if its score is above the k-th order statistic. The knot of this rule is the
    alpha that equals the upper bound on its type I error. At this knot the two curves are bounds on the type II error
    of the rule, given the training rows and the threshold. Between two knots the band keeps the values of the knot to
    the left. Below the first knot the type I bound of every rank is above alpha. There the upper bound is 1, and the
    lower bound is that of the rule with the largest score as threshold. With ``band="pointwise"`` the bounds
    (`type1_upper` and Clopper-Pearson bounds) hold at one alpha fixed beforehand. With ``band="simultaneous"`` they
    hold at all alpha at once.

    Attributes
    ----------
    alpha, type2_lower, type2_upper : ndarray, shape (n0_left_out,)
        The alpha of the knots in ascending order, and both bounds there. They are computed when first used.
    type2 : ndarray, shape (n0_left_out,)
        Estimated type II error at the knots: the share of left-out class 1 scores at or below the threshold.
    auc_lower, auc_upper : float
        Areas under the lower curve (1 - type2_upper) and the upper curve (1 - type2_lower). They are not an interval
        for the AUC of the scores. This AUC may be above `auc_upper`, because the horizontal axis of the band is a bound
        on the type I error. Only `auc_lower` of a simultaneous band of one split is a bound on the AUC. For an interval
        use `nproc.comparison.compare_aucs`. If there are more than 2^20 knots, the areas are accurate to 1e-10. With
        `alpha_max` the band ends there. These two areas then take both curves as constant from there to 1; use
        `partial_auc` for the areas up to `alpha_max`.
    delta : float
        Each bound of a pointwise band holds with probability at least 1 - delta. For a simultaneous band, all bounds
        hold together with probability at least 1 - delta.
    band : {"pointwise", "simultaneous"}
        Whether the bounds hold at one alpha fixed beforehand or at all alpha at once.
    bounds : {"berk_jones", "dkw"}
        The kind of simultaneous bounds.
    alpha_max : float or None
        The largest alpha of a simultaneous band. The band ends there, and has no bounds and no classifiers at larger
        alpha. None: the band covers all alpha.
    simultaneous : bool
        Whether the band is simultaneous.
    n_splits : int
        Number of splits whose bands are averaged.
    n0_left_out, n1_left_out : int
        Left-out rows of each class in each split.
    cross_fitted : CrossFittedCurve or None
        An estimate of the type II error of cross-fitted classifiers at every alpha, if you gave `cross_fit` to `nproc`.
        Nothing is proved about it.
    seed : int or None
        Root seed of the splits; None for a band from raw scores. With ``prefit=True`` nothing is drawn, and the summary
        shows no seed.
    unmet, caveats : tuple of str
        What a proof requires and the rows do not have, as conditions that begin with "if", and what must be read with
        the bounds. Classifiers of the band have both.

    Notes
    -----
    For a pointwise band, one split and one alpha fixed beforehand, two statements are proved. With
    probability at least 1 - delta, the type I error of the rule is at most alpha. With probability at least 1 - 2
    delta, its conditional type II error lies inside the band. They do not hold for all alpha at once. In simulations
    with Gaussian classes at delta = 0.05, all type II errors were inside the band in 17 to 44 % of the samples, and all
    errors of both kinds were within their bounds in 4 to 22 %.

    For a simultaneous band and one split, take for each alpha the rule at the smallest rank whose bound is at most
    alpha. With probability at least 1 - delta, for every alpha in (0, 1) at once, the type I error of this rule is at
    most alpha, and its conditional type II error lies inside the band. The proof is in the notes of
    `SimultaneousBounds` in `nproc.bands.bounds`. At a given alpha the rank is larger than the rank in `npc`, and the
    band is about twice as wide as a pointwise band.

    For several splits the curves are averaged at each alpha, as in the paper. Nothing is proved about the average, and
    it is about single splits. A classifier of the band is the vote of the splits, and its type II error may lie outside
    the band. Two splits must both call a row class 1, so the type II error of their vote is at least that of each of
    them. In general a tied vote of an even number of splits is called class 0, which raises this error.

    References
    ----------
    Equations 3, S9 and S10 of [tong2018]_, whose bounds at the knots are joined by step functions. Simultaneous bounds:
    [berk1979]_, [moscovich2016]_, [massart1990]_.
    """

    sorted0: tuple
    sorted1: tuple
    delta: float
    method: str = "scores"
    seed: int | None = None
    split_ratio: float | None = None
    subject: Subject | None = None
    scored: tuple = ()
    ratio_choice: object = None
    band: str = "pointwise"
    bounds: str = "berk_jones"
    alpha_max: float | None = None
    cross_fitted: Any = None
    unmet: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()

    @classmethod
    def from_scores(
        cls,
        scores0: ArrayLike,
        scores1: ArrayLike,
        *,
        delta: float = 0.05,
        name: str = "scores",
        band: Literal["pointwise", "simultaneous"] = "pointwise",
        bounds: Literal["berk_jones", "dkw"] = "berk_jones",
        alpha_max: float | None = None,
        folder: str | PathLike[str] | None = None,
    ) -> NPROCBand:
        """Make a band from scores of left-out rows, where you have scores and no model.

        Parameters
        ----------
        scores0, scores1 : array-like of float, shape (n0,) and (n1,), or sources of chunks
            Scores of class 0 and class 1 rows that were not used to train the scoring function; larger scores mean
            class 1. A memmap, a path, a dask array or an iterable of arrays is also accepted (see `ScoreChunks`). A
            list of M arrays gives the average band of M splits; n0 must be the same in each. If the list holds chunks
            of one split, pass ``ScoreChunks(list)``.
        delta : float
            In (0, 0.5]. Each bound of a pointwise band fails with probability at most `delta`. For a simultaneous band,
            the probability that one bound or more fails is at most `delta`.
        name : str
            Name in summaries, legends and comparisons.
        band : {"pointwise", "simultaneous"}
            Whether the bounds hold at one alpha fixed beforehand, or at all alpha at once.
        bounds : {"berk_jones", "dkw"}
            For a simultaneous band: exact bounds ("berk_jones"), or the bounds of Dvoretzky, Kiefer and Wolfowitz
            ("dkw"). The latter are much wider for a small error and a little narrower for an error near 1/2.
        alpha_max : float, optional
            For a simultaneous band with exact bounds: the largest alpha that you may choose, fixed beforehand. Fewer
            thresholds are then bounded, and the bounds are tighter. The band ends at `alpha_max`.
        folder : str or path, optional
            A folder for the sorted scores, if they do not fit in memory (8 bytes for each score). The files are
            temporary and are removed with the band. None keeps the scores in memory.

        Returns
        -------
        NPROCBand

        Raises
        ------
        InvalidInputError
            If a score is not finite, if a sample is empty, if splits differ in number or size, if a name is unknown, or
            if the folder does not exist.

        Warns
        -----
        NPWarning
            If `scores0` and `scores1` look like the labels and the scores of the same rows, in any order. If the scores
            of the first split are clearly larger for class 0 than for class 1 (see `nproc.score_direction`). The sign
            of the scores is never flipped, because a flip would void the guarantee. If there are too few class 0 scores
            for a classifier at any alpha up to `alpha_max`. If a score looks like a code for a missing
            value, such as -9.

        Notes
        -----
        The cost is one sort of each sample. A band depends on all scores, so each of them is kept, at 8 bytes, in
        memory or in `folder`. Chunks give exactly the same band as arrays. `at` computes bounds at the ranks that it
        needs. `alpha`, `type2_lower`, `type2`, `type2_upper`, `to_frame` and `compare` compute the bounds at all ranks.
        This requires about 100 bytes for each rank, of which 32 are kept. With more than 2^14 knots the bounds come
        from a spline through some thousands of exact bounds. For 10^6 scores of each class this takes about as long as
        three stable sorts of the scores (``benchmarks/results/threshold_and_band.md``). Each bound is further out than
        the exact one, by at most a relative 1.8e-12. This is proved for up to 10^8 scores of a class. If there are at
        most 2^20 knots, areas, `summary`, `choose_alpha` and `plot` use all of them. With more knots they need little
        memory, and about a microsecond for each knot (100 s for 10^8 scores of each class). Areas are then accurate to
        1e-10, `choose_alpha` gives the same result as with all knots, and a plot has 8000 steps.

        The level used for each single bound of a simultaneous band is computed when a bound is first needed, once for
        each sample size (see `local_level` in `nproc.simultaneous`). This takes some ten seconds for 10^6 scores of
        a class, and more than ten times as long for ten times as many. It requires up to 220 bytes of memory for each
        score. ``bounds="dkw"`` does not need this computation.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> band = NPROCBand.from_scores(rng.normal(size=200), rng.normal(2, 1, size=200))
        >>> values = band.at(0.1)
        >>> round(values.type2_lower, 3), round(values.type2_upper, 3)
        (0.299, 0.415)
        """
        delta = check_delta(delta)
        bound_rule(band, bounds, delta, alpha_max)
        sorted0, sorted1 = sort_splits(scores0, "scores0", folder), sort_splits(scores1, "scores1", folder)
        if len(sorted0) != len(sorted1):
            raise InvalidInputError(
                f"scores0 and scores1 must have the same number of splits, got {len(sorted0)} and {len(sorted1)}. "
                "A list is read as one array for each split. If the arrays or files are chunks of one split, pass "
                "nproc.score_chunks.ScoreChunks(list)."
            )
        for splits, label in ((sorted0, "scores0"), (sorted1, "scores1")):
            sizes = sorted({s.size for s in splits})
            if len(sizes) > 1:
                raise InvalidInputError(
                    f"{label} must have the same number of scores in each split, got {sizes}. A list is read as "
                    "one array for each split. If the arrays or files are chunks of one split, pass "
                    "nproc.score_chunks.ScoreChunks(list)."
                )
        warn_labels(sorted0[0], sorted1[0], "from_scores")
        warn_of_score_codes(sorted0[0], "scores0")
        warn_of_score_codes(sorted1[0], "scores1")
        told = warn_direction(sorted0[0], sorted1[0], "of scores0, class 0, and scores1, class 1")
        given = {"method": name, "band": band, "bounds": bounds, "alpha_max": alpha_max, "caveats": told}
        result = cls(sorted0, sorted1, delta, **given)
        result.warn_no_rank()
        return result

    def warn_no_rank(self) -> None:
        """Warn if the band ends below its first knot, so that it has no classifier."""
        none = self.rule.no_rank(self.n0_left_out)
        if none is not None:
            warn_at_call(none, NPWarning)

    # a type checker shall not take any name for an attribute
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError. If a classifier of the band has the attribute, the message says so."""
            words = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in ("scores0", "scores1"):
                way = f"The left-out scores of each split are in band.sorted{name[-1]}, in ascending order"
            elif hasattr(NPFit, name) and not name.startswith("_"):
                way = f"A classifier of the band has it: use band.classifier(alpha).{name}"
            else:
                raise AttributeError(words, name=name, obj=self)
            # without the object, Python guesses at no other name
            raise AttributeError(f"{words}. {way}.", name=name, obj=None)

    def __getstate__(self):
        # a saved band needs no knots, which are made again when they are asked for; what was chosen on it is kept
        return {
            name: value for name, value in self.__dict__.items() if name not in ("alpha", "rule", "_bounds", "_curves")
        }

    @cached_property
    def rule(self) -> Any:
        """The kind of bounds, and what is guaranteed."""
        return bound_rule(self.band, self.bounds, self.delta, self.alpha_max)

    @property
    def simultaneous(self) -> bool:
        return self.rule.simultaneous

    @property
    def n_splits(self) -> int:
        return len(self.sorted0)

    @property
    def n_knots(self) -> int:
        """The number of knots: one for each left-out class 0 score, or with `alpha_max` only those up to it."""
        return self.n0_left_out if self.alpha_max is None else self.rule.most(self.n0_left_out)

    @property
    def n0_left_out(self) -> int:
        return self.sorted0[0].size

    @property
    def n1_left_out(self) -> int:
        return self.sorted1[0].size

    @cached_property
    def _bounds(self):
        # of the type I error by the scores above a threshold, and of the type II error by the missed ones
        return bounds_of_counts(self.rule, self.n0_left_out, self.n1_left_out)

    @cached_property
    def alpha(self) -> NDArray[np.float64]:
        if self.n0_left_out > FEW:
            return self._bounds[0](np.arange(self.n0_left_out))
        return self.rule.type1_knots(self.n0_left_out)

    @cached_property
    def _curves(self):
        return self._type2_at(np.arange(self.n0_left_out, 0, -1))

    @property
    def type2_lower(self) -> NDArray[np.float64]:
        return self._curves[0]

    @property
    def type2_upper(self) -> NDArray[np.float64]:
        return self._curves[1]

    @property
    def type2(self) -> NDArray[np.float64]:
        return self._curves[2]

    @property
    def auc_lower(self) -> float:
        return self._areas[0]

    @property
    def auc_upper(self) -> float:
        return self._areas[2]

    def partial_auc(self, alpha: float | AlphaChoice | None = None) -> PartialAUC:
        """Return the areas under the band from level 0 to `alpha`, the largest level that you would allow.

        Parameters
        ----------
        alpha : float or AlphaChoice, optional
            The level, in (0, 1), fixed beforehand. None takes `alpha_max` of the band.

        Returns
        -------
        PartialAUC
            Areas under the lower curve, the estimate and the upper curve, up to this level. No area is larger than
            alpha. The estimate is the curve that `plot` draws as a line, and is 0 below the first knot. For a
            simultaneous band of one split the true area lies between the two areas with probability at least
            1 - delta. The true area lies under this curve: its height at each alpha is one minus the type II error of
            the rule for this alpha, or 0 if no rank meets this alpha. Even without any type II error, the true area is
            therefore below alpha. Where the bounds of the band hold, the partial AUC of the scores is at least `lower`.
            It may be above `upper`, because the type I errors of the rules are smaller than the levels that you allow.
            Nothing is proved for a pointwise band, because its bounds hold at one alpha only. Nothing is proved for
            several splits either.

        Raises
        ------
        InvalidInputError
            If `alpha` is not in (0, 1), is above `alpha_max`, or is missing.

        See Also
        --------
        nproc.comparison.partial_auc : Estimate the partial AUC of scores.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> band = NPROCBand.from_scores(rng.normal(size=500), rng.normal(2, 1, 500), delta=0.05, band="simultaneous")
        >>> band.partial_auc(0.2)
        PartialAUC(0.1040 to 0.1323 of 0.2, estimate 0.1172;
          area of the rules for alpha from 0 to 0.2, not of the scores; simultaneous, delta=0.05)
        """
        alpha = self.alpha_max if alpha is None else alpha
        if alpha is None:
            raise InvalidInputError("alpha is missing; give the level up to which you want the area, such as 0.1.")
        alpha = check_end_of_area(level_of(alpha), "alpha")
        refuse_beyond(alpha, self.alpha_max)
        lower, estimate, upper = self._areas_up_to(alpha)
        reason = ""
        if not self.simultaneous:
            reason = "Nothing is proved about it, because the bounds of a pointwise band hold at one alpha only."
        elif self.n_splits > 1:
            reason = f"Nothing is proved about it, because the curves are averages of {self.n_splits} splits."
        elif self.unmet:
            reason = f"The areas under both curves would be bounds on it only {' and '.join(self.unmet)}."
        return PartialAUC(alpha, lower, estimate, upper, self.rule.in_table, self.delta, not reason, reason)

    @cached_property
    def _areas(self):
        return self._areas_up_to(1.0)

    def _areas_up_to(self, level):
        if self.n0_left_out > MANY:
            return areas(self, level)
        widths = np.diff(np.minimum(np.concatenate([[0.0], self.alpha, [1.0]]), level))
        below_first = widths[0] * (1 - self.type2_lower[0])
        curves = self.type2_upper, self.type2, self.type2_lower
        under_lower, estimate, under_upper = (np.sum(widths[1:] * (1 - curve)) for curve in curves)
        return float(under_lower), float(estimate), float(below_first + under_upper)

    def __repr__(self):
        splits = "1 split" if self.n_splits == 1 else f"average of {self.n_splits} splits"
        who = "" if self.subject is None else f", class0={self.subject.labels[0]!s}"
        direction = "\n  larger scores are taken to mean class 1" if self.subject is None else ""
        up_to = "" if self.alpha_max is None else f" up to alpha={self.alpha_max:g}"
        kind = (", simultaneous" + " (dkw)" * (self.bounds == "dkw") + up_to) * self.simultaneous
        return (
            f"NPROCBand(method={self.method!r}, delta={self.delta:g}{kind}, {splits}{who}, "
            f"left out: {self.n0_left_out} of class 0, {self.n1_left_out} of class 1){direction}"
        )

    def doubts(self) -> list[str]:
        """Return why the probabilities of the bounds are not proved for these rows, as sentences; usually none."""
        return [*self._conditions(), *self._copies()]

    def _conditions(self):
        return [f"The probabilities given here would hold only {' and '.join(self.unmet)}."] * bool(self.unmet)

    def _copies(self):
        return [text for text in self.caveats if not text.startswith((EQUAL_SCORES, WRONG_SIGN))]

    def at(self, alpha: ArrayLike | AlphaChoice) -> BandValues:
        """Return the bounds of the band at one alpha or at several.

        Parameters
        ----------
        alpha : float, array-like or AlphaChoice
            Levels in [0, 1], or in [0, `alpha_max`] if the band ends there. At a level that was chosen on this band
            nothing is proved, unless the band is simultaneous and of one split. The summary and `note` then say so. If
            a choice was made on the band of other rows, give ``choice.alpha``; it counts as fixed beforehand.

        Returns
        -------
        BandValues
            The bounds at rank ``np_order(n0, alpha, delta)``. For a simultaneous band they are taken at the smallest
            rank whose simultaneous bound is at most alpha. Below the first knot the type I bound of every rank is above
            alpha, so that there is no classifier, as the repr says. There the upper bound is 1, and the lower bound is
            that of the rule with the largest left-out score as threshold. For several splits the bounds are averages
            over single splits, and the type II error of the vote may lie outside of them.

        Raises
        ------
        InvalidInputError
            If a level is outside [0, 1], or above `alpha_max`.

        Examples
        --------
        >>> import numpy as np
        >>> band = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0))
        >>> band.at([0.01, 0.1]).type2_upper.round(3)
        array([1.   , 0.547])
        """
        levels = check_levels(level_of(alpha), "alpha", closed=True)
        refuse_beyond(levels, self.alpha_max)
        orders = self.rule.orders(self.n0_left_out, levels.ravel()).reshape(levels.shape)
        none = orders > self.n0_left_out
        distinct, where = np.unique(np.minimum(orders, self.n0_left_out), return_inverse=True)
        lower, upper, middle = (curve[where.reshape(levels.shape)] for curve in self._type2_at(distinct))
        upper, middle = np.where(none, 1.0, upper), np.where(none, 1.0, middle)
        columns = {"alpha": levels, "type2_lower": lower, "type2_upper": upper, "type2": middle, "order": orders}
        if levels.ndim == 0:
            columns = {name: value.item() for name, value in columns.items()}
        what = self.rule.values_note if self.n_splits == 1 else average_told(self.n_splits)
        note = " ".join(
            [*self.doubts(), what, *self._chosen_told(levels, orders, is_choice=isinstance(alpha, AlphaChoice))]
        )
        n0 = self.n0_left_out
        smallest = self.rule.type1_at(np.array([n0]), n0).item() if self.n_knots else None
        return BandValues(**columns, note=note, n0=n0, smallest_alpha=smallest)

    @knows_names_of_r
    def choose_alpha(
        self,
        criterion: Literal["youden"] | None = None,
        *,
        type2_max: float | None = None,
        by_eye: float | None = None,
    ) -> AlphaChoice:
        """Choose alpha from the band, in one of two ways from the paper, or by looking at it.

        Parameters
        ----------
        criterion : {"youden"}, optional
            "youden": the alpha that maximises 1 - type2_upper - alpha, the height of the lower curve over the diagonal.
        type2_max : float, optional
            A level in (0, 1). The choice is the smallest alpha at which the upper bound on the type II error is at
            most this level. For several splits this bound is an average over single splits. The type II error of the
            vote may then be above `type2_max`, and with two splits it often is.
        by_eye : float, optional
            A level in (0, 1) that you chose yourself after you had seen the band. It becomes a choice as it is, so that
            what is made with it says whether the bounds hold there.

        Returns
        -------
        AlphaChoice
            For a pointwise band ``guaranteed`` is False and ``reason`` says why: the choice used the rows that set the
            thresholds. For a simultaneous band of one split ``guaranteed`` is True, because its bounds hold however
            alpha was chosen.

        Raises
        ------
        InvalidInputError
            If not exactly one way is given, no alpha reaches `type2_max`, or `by_eye` is above `alpha_max`.
        TooFewSamplesError
            If the band has no classifier at any alpha up to `alpha_max`.

        References
        ----------
        "Real data application 1" of [tong2018]_.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> band = NPROCBand.from_scores(rng.normal(size=300), rng.normal(2, 1, size=300))
        >>> choice = band.choose_alpha(type2_max=0.4)
        >>> round(choice.alpha, 3), choice.guaranteed
        (0.068, False)
        """
        choice = self._choice(criterion, type2_max, by_eye)
        self._chosen[self._order(choice.alpha)] = choice
        return choice

    def _choice(self, criterion=None, type2_max=None, by_eye=None):
        type2_max = check_way(criterion, type2_max, by_eye)
        none = self.rule.no_rank(self.n0_left_out)
        if none is not None:
            raise TooFewSamplesError(none)
        if by_eye is None:
            choice = choose_from_knots(self, self._knots_to_choose_from(type2_max), criterion, type2_max)
        else:
            level = check_level(by_eye, "by_eye")
            values = self.at(level)
            choice = AlphaChoice(level, values.type2_lower, values.type2_upper, BY_EYE)
        guaranteed, reason, _ = self._of_a_choice()
        return replace(choice, guaranteed=guaranteed, reason=reason)

    def _asked_here(self, choice):
        """Return the arguments of `choose_alpha` that give the level of a choice on this band."""
        try:
            same = level_text(self._choice(**choice.asked).alpha) == choice.shown_alpha
        except NPError:
            same = False
        # a choice on another band is no more than its level here
        return choice.asked if same else {"by_eye": choice.alpha}

    def _of_a_choice(self):
        """Return whether the bound holds at an alpha chosen on the band, why, and what else a reader should know."""
        if self.unmet:
            conditions = " and ".join(self.unmet)
            why = f"Nothing is proved at this alpha: the bounds of the band would hold only {conditions}."
            return False, why, why
        return self.rule.of_a_choice(self.n_splits)

    def _chosen_told(self, levels: Any, orders: Any, *, is_choice: bool = False) -> list[str]:
        """Return that nothing is proved at levels that were chosen on this or another band, as a list of sentences."""
        if self.simultaneous:
            return []
        # the band knows what was chosen on it by rank
        chosen = [order in self._chosen for order in np.ravel(orders).tolist()]
        why = "the threshold there was chosen on the band."
        if is_choice and not any(chosen):
            chosen = [True]
            why = (
                "it was chosen on a band. If the choice was made on other rows, give choice.alpha, which counts as "
                "fixed beforehand."
            )
        told = ", ".join(dict.fromkeys(map(level_text, np.ravel(levels)[chosen].tolist())))
        return [f"Nothing is proved at alpha = {told}, because {why}"] * bool(told)

    def _doubts_choice(self, alpha: float | AlphaChoice) -> bool:
        """Whether a level was chosen on this or another band, so that the bounds need not hold there."""
        chosen = isinstance(alpha, AlphaChoice) or self._order(float(alpha)) in self._chosen
        return chosen and not self._of_a_choice()[0]

    def _summary_with(self, alpha: float) -> Summary:
        """Return the summary at its usual levels and at one more."""
        return self.summary(alphas=sorted({*SHOWN_LEVELS, alpha}))

    def _with_level_fixed(self, alpha: float) -> NPROCBand:
        """Return this band for a level that was fixed beforehand, though another level of its rank was chosen here."""
        order = self._order(alpha)
        if order not in self._chosen or level_text(self._chosen[order].alpha) == level_text(alpha):
            return self
        band, known = replace(self), {**self.__dict__}
        known["_chosen"] = {rank: choice for rank, choice in self._chosen.items() if rank != order}
        band.__dict__.update(known)
        return band

    def _knots_to_choose_from(self, type2_max: float | None) -> tuple[Any, Any, Any]:
        if self.n0_left_out <= MANY:
            return self.alpha, self.type2_lower, self.type2_upper
        return self._knots_at(orders_to_choose_from(self, type2_max, self._knots_at))

    def _knots_at(self, orders):
        return self.rule.type1_at(orders, self.n0_left_out), *self._type2_at(orders)[:2]

    @property
    def shown_knots(self) -> tuple[Any, Any, Any, Any]:
        """The levels that a picture needs, with both bounds and the estimate of the type II error at each of them."""
        if self.n0_left_out <= MANY:
            return self.alpha, self.type2_lower, self.type2_upper, self.type2
        orders = orders_to_show(self.n0_left_out)
        return self.rule.type1_at(orders, self.n0_left_out), *self._type2_at(orders)

    @property
    def shown_seed(self) -> int | None:
        """The seed of the splits; None where the scores were there before, so that nothing was drawn."""
        return None if self.subject is None or self.subject.prefit else self.seed

    def _order(self, level):
        return int(self.rule.orders(self.n0_left_out, np.array([level]))[0])

    @cached_property
    def _chosen(self):
        # by rank: the number alone, or rounded as it was printed, is the same choice
        return {}

    def classifier(self, alpha: float | AlphaChoice, *, review_beta: float | None = None) -> NPFit:
        """Return the classifier that the band describes at `alpha`, without training again.

        Parameters
        ----------
        alpha : float or AlphaChoice
            A level fixed beforehand, or a level chosen on this band by `choose_alpha`. A level chosen on this band has
            no guarantee unless the band is simultaneous. This also applies to the plain number ``choice.alpha``, and to
            any other alpha that gives the same rank. If the choice was made on the band of other rows, give
            ``choice.alpha``; it counts as fixed beforehand.
        review_beta : float, optional
            Bound on the type II error, in (0, 1), of a classifier that leaves the rows between two cuts to a person, as
            in `npc`. The left-out class 1 rows of the band set the second cut. Both levels must be fixed beforehand.

        Returns
        -------
        NPFit
            With `review_beta` an `NPReviewFit`. The scorers were trained on only a part of class 1, so they differ from
            those of `npc`, which train on all class 1 rows. On a simultaneous band the rank is larger than that of
            `npc`, and `type1_uppers` are the simultaneous bounds at this rank. With one split ``guaranteed`` is then
            True for every alpha. With several splits it is their vote, and its type II error may lie outside the band.

        Raises
        ------
        InvalidInputError
            If the band comes from raw scores, so that there is no model to predict with, or if `alpha` is above
            `alpha_max`.
        TooFewSamplesError
            If `alpha` lies below the first knot.

        Warns
        -----
        NPWarning
            If tied scores leave no row that the classifier calls class 1, as in `npc`.
        """
        level = check_level(level_of(alpha), "alpha")
        refuse_beyond(level, self.alpha_max)
        if self.subject is None:
            # np_threshold gives the smaller rank, which serves one alpha fixed beforehand
            value = "np.sort(scores0)[band.at(alpha).order - 1]"
            way_out = (
                value
                if self.simultaneous
                else "the value of np_threshold(scores0, alpha=..., delta=...), for example scores > value"
            )
            raise InvalidInputError(
                f"a band from raw scores has no scorer to predict with; compare new scores with {way_out}."
            )
        rules = self.rule.thresholds_at([split.scores0 for split in self.scored], level)
        choice = alpha if isinstance(alpha, AlphaChoice) else self._chosen.get(rules[0].order)
        caveats = () if self.subject.prefit else (PART_OF_CLASS1,)
        if choice is not None:
            guaranteed, reason, beyond = self._of_a_choice()
            # it may have been made on another band; a reason that somebody wrote himself is kept
            usual = choice.guaranteed != guaranteed or choice.reason == reason or choice.reason.startswith(CHOSEN_HERE)
            caveats = (f"Choice of alpha: {choice.criterion}. {beyond if usual else choice.reason}", *caveats)
        fit = assemble(
            self.subject,
            RunSettings(self.seed, split_ratio=self.split_ratio),
            self.scored,
            rules,
            alpha=level,
            delta=self.delta,
            ratio_choice=self.ratio_choice,
            alpha_chosen=choice is not None,
            simultaneous=self.simultaneous,
            caveats=(*caveats, *self.caveats),
            unmet=self.unmet,
            of_band={name: getattr(self, name) for name in ("band", "bounds", "alpha_max")}
            | {"rows": tuple(split.rows for split in self.scored)}
            | ({} if choice is None else {"choice": self._asked_here(choice)}),
            band_rule=self.rule if self.simultaneous else None,
        )
        fit = with_caveats(fit, warn_useless(self.method, self.scored, fit.thresholds, lambda split: split.scores1))
        if review_beta is None:
            return fit
        from nproc.review import with_review

        return with_review(fit, [split.scores1 for split in self.scored], review_beta)

    def predictive_values(self, prevalence: Prevalence) -> PredictiveBand:
        """Bound the predictive values of the band's classifiers at a prevalence that you give.

        Parameters
        ----------
        prevalence : float or (float, float) or dict
            The share of one class where the classifier is used. The safest form is a dict with the label of that class,
            such as ``{"malignant": 0.01}``. ``{"malignant": (0.01, 0.02)}`` is an interval in which the share lies.
            Without a label, a number in (0, 1) is the share of class 1, and two numbers are an interval for this share,
            not two shares.

        Returns
        -------
        PredictiveBand

        Raises
        ------
        InvalidInputError
            If the prevalence is neither a number in (0, 1) nor an increasing pair of such numbers.

        Warns
        -----
        NPWarning
            If the prevalence comes without a label, unless the labels are 0 and 1, -1 and 1, or False and True.

        Notes
        -----
        What is proved, and how, is in the notes of `PredictiveBand`.

        Examples
        --------
        >>> import numpy as np
        >>> from nproc import NPROCBand
        >>> rng = np.random.default_rng(0)
        >>> band = NPROCBand.from_scores(rng.normal(size=500), rng.normal(2, 1, size=500))
        >>> values = band.predictive_values(0.1).at(0.05)
        >>> round(values.ppv_lower, 3), round(values.ppv, 3), round(values.ppv_upper, 3)
        (0.539, 0.65, 0.783)
        """
        from nproc.bands.predictive import predictive_band

        return predictive_band(self, prevalence)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of the knots up to `alpha_max`: alpha, order, type2_lower, type2, type2_upper."""
        type2 = {name: getattr(self, name) for name in ("type2_lower", "type2", "type2_upper")}
        columns = {"alpha": self.alpha, "order": np.arange(self.n0_left_out, 0, -1), **type2}
        return table_frame({name: values[: self.n_knots] for name, values in columns.items()})

    def summary(self, *, alphas: Sequence[float] = SHOWN_LEVELS) -> Summary:
        """Return a table of the band at some levels that prints like those of statsmodels.

        Bounds are rounded outward, to four decimals: lower ones down and upper ones up. `to_frame` has them unrounded.

        Parameters
        ----------
        alphas : sequence of float, optional
            The levels that the table shows.

        Returns
        -------
        Summary
        """
        return self._summary(alphas)

    def _summary(self, alphas, direction="Larger scores are taken to mean class 1."):
        """Return the summary; `direction` says which scores mean class 1."""
        n0 = self.n0_left_out
        levels = np.ravel(check_levels(alphas, "alphas", closed=True))
        beyond = np.zeros(levels.size, dtype=bool) if self.alpha_max is None else levels > self.alpha_max
        values = self.at(levels[~beyond])
        rows = values.table_rows()
        first = self.rule.type1_at(np.array([n0]), n0)[0]
        smallest = "none" if self.n_knots == 0 else level_text(first, digits=4)
        pairs = [
            ("Method", self.method),
            ("Class 0 (controlled)", "-" if self.subject is None else str(self.subject.labels[0])),
            ("Class 1", "-" if self.subject is None else str(self.subject.labels[1])),
            ("Class 0 rows left out", n0),
            ("Class 1 rows left out", self.n1_left_out),
            ("delta", f"{self.delta:g}"),
            ("Bounds", self.rule.in_table),
            ("Splits", self.n_splits),
            ("Smallest alpha", smallest),
        ]
        if self.alpha_max is None:
            pairs.append(("Area, lower curve", rounded_down(self.auc_lower)))
            pairs.append(("Area, upper curve", rounded_up(self.auc_upper)))
        else:
            pairs.append(("alpha_max", f"{self.alpha_max:g}"))
        pairs.append(("Seed", "-" if self.shown_seed is None else self.shown_seed))
        equal = [text for text in self.caveats if text.startswith((EQUAL_SCORES, WRONG_SIGN))]
        promise = [*self._conditions(), *equal, self.rule.promise()]
        if self.n_splits > 1:
            promise.append(average_told(self.n_splits))
        promise += self._chosen_told(values.alpha, values.order)
        notes = [" ".join([*promise, direction]), *self._copies()]
        if self.alpha_max is None:
            notes.append(
                "The areas under the two curves are not a confidence interval for the AUC of the scores; "
                f"nproc.comparison.compare_aucs gives one{' for a band of one split' if self.n_splits > 1 else ''}."
            )
        if beyond.any():
            notes.append(f"Levels above alpha_max={self.alpha_max:g} are not shown, because the band ends there.")
        if self.n_knots == 0:
            notes.append(self.rule.no_rank(n0))
        if any(row[1] == "none" for row in rows):
            notes.append(NO_RANK)
        if self.subject is not None:
            notes += [*self.subject.design.omitted_notes(), *self.subject.design.label_notes()]
        return summary_table("NP-ROC band", pairs, VALUE_COLUMNS, rows, notes)

    @knows_names_of_r
    def plot(
        self,
        *,
        ax: Axes | None = None,
        label: str | None = None,
        alpha: float | AlphaChoice | None = None,
        scale: Literal["roc", "errors", "sensitivity"] | None = None,
        xlim: tuple[float, float] | None = None,
        log: bool | None = None,
        figsize: tuple[float, float] | None = None,
        color: Any = None,
        linestyle: Any = None,
        shade: bool | None = None,
    ) -> Axes:
        """Draw the estimate as a line, and the band around it as a light area; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; None makes a figure. Several bands may be drawn on the same axes if they have the same
            class 0.
        label : str, optional
            Name in the legend. None takes the name of the method.
        alpha : float or AlphaChoice, optional
            A level to mark, at most `alpha_max`, with a bar for the bounds there. Below the smallest alpha of the band
            there is no classifier: the level gets no bar, and the legend gives the smallest alpha. Bars of several
            bands at one level stand side by side, in the order of the legend.
        scale : {"roc", "errors", "sensitivity"}, optional
            What the axes show. "roc", the default: one minus the type II error, as in the paper. "errors": the type II
            error. "sensitivity": the same as "roc" in the words of diagnostic tests, sensitivity against one minus
            specificity. Sensitivity is then the share of class 1 that is called class 1, and specificity the share of
            class 0 that is called class 0. The names of the axes say so with your labels, because clinicians exchange
            the two words where class 0 is the disease. In the other two they name the classes where labels are texts
            and there is room. None takes the scale of `ax`, if it has one.
        xlim : (float, float), optional
            The smallest and the largest level that the picture shows, such as (0, 0.2).
        log : bool, optional
            Whether the axis of levels is logarithmic.
        figsize : (float, float), optional
            Size of a new figure in inches. None takes ``figure.figsize`` of matplotlib's rcParams, if you have set it.
            Colours, font size and line widths follow rcParams too: set ``plt.rc("font", size=7)`` or
            ``plt.rc("lines", linewidth=1)`` before the call. For one column of a journal, use ``figsize=(3.35, 3)``
            with that font size.
        color, linestyle : optional
            As matplotlib takes them. None takes the next style that no band or ROC curve on the axes has.
        shade : bool, optional
            Whether to fill the band. None, the default, fills one or two bands. From three bands on the same Axes on,
            the bounds are thin lines, and the fills of the first two are taken away, since fills that lie over each
            other cannot be told apart. A band that was drawn with True stays filled.

        Notes
        -----
        The light area lies between the bounds. The line in it is the estimate, which is the share of
        left-out class 1 rows that are missed. If the legend would cover a curve, it is placed above the axes.
        """
        from nproc.plotting import (
            as_given,
            error_axes,
            legend_letters,
            plot_band,
            plot_estimate,
            short_name,
            tell_chosen,
        )

        is_chosen = False
        if alpha is not None:
            level = check_level(level_of(alpha), "alpha")
            refuse_beyond(level, self.alpha_max)
            alpha, is_chosen = level, self._doubts_choice(alpha)
        shade = None if shade is None else check_flag(shade, "shade")
        knots = self.shown_knots
        view = {"scale": scale, "xlim": xlim, "log": log, "figsize": figsize}
        ax = error_axes(ax, **view, whole=levels_to_show([self]))
        name = self.method if label is None else label
        short = short_name(name, legend_letters(ax)) if isinstance(name, str) else name
        if label is None:
            name, short = as_given(name), as_given(short)
        plot_band(
            *knots,
            ax=ax,
            # two pipelines that end with the same step
            label=name if any(line.get_label() == short for line in ax.get_lines()) else short,
            caption=self.caption,
            marked_alpha=alpha,
            labels=None if self.subject is None else self.subject.labels,
            color=color,
            linestyle=linestyle,
            shade=shade,
        )
        if is_chosen:
            tell_chosen(ax)
        if self.cross_fitted is not None:
            curve = self.cross_fitted
            plot_estimate(curve.alpha, curve.type2, ax=ax, label=f"cross-fitted, {curve.n_folds} folds: an estimate")
        return ax

    @property
    def caption(self) -> str:
        """What the legend of a picture says about the bounds."""
        usual = rf"{self.rule.in_legend}, $\delta$ = {self.delta:g}"
        if self.n_splits > 1:
            usual = f"average of {self.n_splits} splits, not proved"
        return "; ".join(filter(None, [doubt_in_picture(self.unmet), usual]))

    def _type2_at(self, orders):
        """Averages over splits of the lower and upper bound and the estimate at ranks, in any monotone order."""
        totals = np.zeros((3, orders.size))
        for scores0, scores1 in zip(self.sorted0, self.sorted1, strict=True):
            cuts = cuts_at(scores0, orders, self.subject)
            missed = np.searchsorted(scores1, cuts, side="right")
            if orders.size > FEW:
                lower, upper = (bound(missed) for bound in self._bounds[1:])
            else:
                bounds = self.rule.type2(missed, scores1.size)
                lower, upper = bounds.lower, bounds.upper
            totals += np.stack([lower, upper, missed / scores1.size])
        return totals / self.n_splits


def levels_to_show(bands):
    """Return the first and the last level at which a picture of some bands has something to show."""
    firsts = [band.rule.type1_at(np.array([band.n0_left_out]), band.n0_left_out) for band in bands]
    last = max(band.alpha_max or 1.0 for band in bands)
    # a band without a classifier has nothing to show before its end
    return min(float(np.min(firsts)), last / 2), last
