"""The result of a comparison of fitted rules or scores: regions of alpha, and the best method at a level."""

from __future__ import annotations

import math
import re
from dataclasses import astuple, dataclass, fields, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from nproc.bands import AlphaChoice, SimultaneousBounds, level_of, levels_to_show
from nproc.checks import check_level, check_levels, level_text, refuse_beyond
from nproc.comparison.dominance import runs_below
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.fits import ONE_OR_TWO, doubt_in_picture
from nproc.inputs import knows_names_of_r
from nproc.scorers import method_in_words
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    ShortRepr,
    Summary,
    at_least,
    p_text,
    region_ends,
    rounded_down,
    rounded_up,
    short,
    summary_table,
    table_frame,
)

LESS_POWER = (
    " Regions of scores require more rows than regions of rules. about='rules' compares the fitted classifiers with "
    "their thresholds, as pointwise regions do."
)
TITLES = {
    "pointwise": "Dominance between NP-ROC bands",
    "simultaneous": "Simultaneous regions of dominance",
    "paired": "Simultaneous regions of dominance, paired rows",
}
# a picture shows the estimates at so many levels at most
MOST_DRAWN = 4000
# with few degrees of freedom Student's law is far off where the differences have heavy tails
FEW_SPLITS = (
    " {} splits are few: in simulations of equal methods with 2 to 5 splits, where the threshold was one of the "
    "two largest class 0 scores, p was at most 0.05 in 5 to 8 % of the samples. Use at least ten splits."
)


def frame_of(kind, entries):
    """Return a DataFrame with a row for each dataclass of a kind, and its fields as columns."""
    return table_frame({field.name: [getattr(entry, field.name) for entry in entries] for field in fields(kind)})


@dataclass(frozen=True, repr=False)
class Region:
    """An interval of levels, ``alpha_low <= alpha < alpha_high``, in which `better` dominates `worse`.

    `where` says whether it does so "throughout" the interval, or "somewhere" in it, at one level at least.
    """

    better: str
    worse: str
    alpha_low: float
    alpha_high: float
    where: Literal["throughout", "somewhere"] = "throughout"

    def __repr__(self):
        low, high = region_ends(self.alpha_low, self.alpha_high, self.where)
        return (
            f"Region(better={short(self.better)}, worse={short(self.worse)}, alpha_low={low}, alpha_high={high}, "
            f"where={self.where!r})"
        )


def pair_and_place(names):
    """Return the key that puts the regions of the same two methods together, and these by alpha."""

    def key(region):
        pair = sorted((names.index(region.better), names.index(region.worse)))
        return *pair, region.alpha_low, region.alpha_high

    return key


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(InNotebook):
    """Dominance between NP-ROC bands; made by `compare` or `compare_scores`.

    Attributes
    ----------
    bands : tuple of NPROCBand
        The bands compared.
    names : tuple of str
        Their names, all different.
    intervals : tuple of Region
        Maximal intervals of dominance of all pairs: the better method is better throughout.
    somewhere : tuple of Region
        Of paired regions of scores: further intervals, in which the better method is better at one level at least. They
        are found with far fewer rows, where the scores of two methods are close to each other.
    regions : DataFrame
        Both as a table with the columns better, worse, alpha_low, alpha_high, where.
    kind : {"pointwise", "simultaneous", "paired"}
        How the regions were found, the argument `regions` of `compare`.
    about : {"rules", "scores"}
        What the regions speak of, see `compare`.
    curves : tuple of StepCurve
        For each method the bounds on its type II error that are drawn: with `alpha`, `lower`, `upper`.
    """

    bands: tuple
    names: tuple
    intervals: tuple
    kind: str = "pointwise"
    about: str = "rules"
    curves: tuple = ()
    somewhere: tuple = ()

    def __getstate__(self):
        # the table is made again when it is asked for
        return {name: value for name, value in self.__dict__.items() if name != "regions"}

    @property
    def delta(self) -> float:
        """Bound on the probability that each bound, or all regions together, do not hold; see `statement`."""
        return self.bands[0].delta

    @property
    def statement(self) -> str:
        """What the regions say, of what, and with which probability, in words."""
        delta, n = self.delta, len(self.bands)
        if self.kind == "pointwise":
            return (
                "The regions compare the fitted rules, with their thresholds. They do not compare the methods on "
                "other training samples. For one split and one alpha fixed beforehand, the probability that the "
                f"worse of two fitted rules is called better is at most 2 delta = {2 * delta:g}. If the two are "
                "equally good, each is called better with probability at most 2 delta. These probabilities do not "
                "hold for all alpha at once."
            )
        how = {
            "simultaneous": f"In a region the simultaneous bounds of both, each at delta / {n}, do not overlap.",
            "paired": "The regions were found by exact sign tests on the same rows, with Holm's procedure.",
        }[self.kind]
        sure = f"With probability at least {at_least(1 - delta)} no region is false"
        promise = f"{sure}, for all alpha{self._up_to} and all pairs at once. {how}"
        if self.about == "scores":
            return (
                "The regions compare the fitted scores. Each score is taken with the threshold whose true type I "
                f"error is alpha. They do not compare the methods on other training samples. {promise}"
            )
        return (
            "The regions compare the fitted rules, with their thresholds. They do not compare the scores, nor the "
            f"methods on other training samples. {promise} Two equally good scores can give two rules of which "
            "one is better, because the thresholds are random. The regions may show this."
        )

    @property
    def kind_of_bounds(self) -> Literal["pointwise", "simultaneous"]:
        """What the bounds of `at` are: those of paired regions are simultaneous."""
        return "pointwise" if self.kind == "pointwise" else "simultaneous"

    @property
    def bounds_text(self) -> str:
        """What the bounds of `at` hold for, in a few sentences."""
        # copies of rows are told by the summary
        condition = self._doubted.doubts()[:1] * bool(self._doubted.unmet)
        text = " ".join([*condition, self._bounds_of_independent_rows])
        if self.kind != "paired":
            return text
        return (
            f"{text} Where they do not overlap, they prove which method is better, even if the tests of the paired "
            f"regions do not show it. {self._all_together}"
        )

    @property
    def _all_together(self):
        return f"With probability at least {at_least(1 - 2 * self.delta)} all bounds and all regions hold together."

    @property
    def _beside_tests(self):
        """What the bounds of `at` prove where the tests of the paired regions show nothing."""
        which = f"The fitted {self.about} also have simultaneous bounds."
        if not self._bounds_apart:
            return (
                f"{which} Those of any two methods overlap at every alpha{self._up_to}, so they show no difference "
                "either."
            )
        return (
            f"{which} Those of two methods do not overlap at some alpha. There they prove which method is better, "
            f"although the tests of the paired regions do not show it. {self._all_together}"
        )

    @property
    def _bounds_apart(self):
        """The ranges of levels in which the bounds of two methods do not overlap."""
        return [span for pair in permutations(self.curves, 2) for span in runs_below(*pair)]

    @property
    def _doubted(self):
        """The first band with unmet conditions; else the first with anything else that speaks against its bounds."""
        return max(self.bands, key=lambda band: (bool(band.unmet), bool(band.doubts())))

    @property
    def _bounds_of_independent_rows(self):
        if self.kind_of_bounds == "pointwise":
            text = "The bounds are those of the fitted rules, at one alpha fixed beforehand."
            averages = any(band.n_splits > 1 for band in self.bands)
            if not averages:
                return text
            of_vote = "The type II error of the vote of several splits may lie outside of such an average."
            return f"{text} Nothing is proved for averages over splits. {of_vote}"
        hold = f"With probability at least {at_least(1 - self.delta)} they hold for all alpha and all methods at once."
        if self.about == "rules":
            return f"The bounds are those of the fitted rules. {hold}"
        return f"The bounds are those of the fitted scores, at a true type I error of alpha. {hold}"

    @cached_property
    def regions(self) -> tuple:
        return self.to_frame()

    def __repr__(self):
        what = f"{self.kind}, of the fitted {self.about}, delta={self.delta:g}"
        more = f", {len(self.somewhere)} of dominance somewhere in it" * bool(self.somewhere)
        return f"Comparison({', '.join(self.names)}; {what}, {len(self.intervals)} interval(s) of dominance{more})"

    @property
    def _ends(self):
        return [band.alpha_max for band in self.bands]

    @property
    def _up_to(self):
        """What follows the words "all alpha": rules are compared up to the smallest alpha_max, scores everywhere."""
        ends = [end for end in self._ends if end is not None and self.about == "rules"]
        return f" up to {min(ends):g}" if ends else ""

    def _by_pair(self):
        """Return all regions, those of the same two methods together and by alpha."""
        return sorted([*self.intervals, *self.somewhere], key=pair_and_place(self.names))

    def _check_level(self, alpha):
        """Return a level, checked; rules have none above the smallest alpha_max."""
        alpha = check_level(level_of(alpha), "alpha")
        if self.about == "rules":
            for band in self.bands:
                refuse_beyond(alpha, band.alpha_max)
        return alpha

    def to_frame(self) -> DataFrame:
        """Return the regions as a DataFrame: better, worse, alpha_low (inside), alpha_high (outside), where.

        The rows of two methods stand together, in ascending order of alpha.
        """
        return frame_of(Region, self._by_pair())

    def at(self, alpha: ArrayLike | AlphaChoice) -> DataFrame:
        """Return a DataFrame with a row a method: its band and estimate at a level, and whom it dominates.

        Parameters
        ----------
        alpha : float, array-like or AlphaChoice
            Level in (0, 1), or several. For rules, at most the smallest `alpha_max` of the bands.

        Returns
        -------
        DataFrame
            Columns method, type2_lower, type2 (estimate), type2_upper, bounds, dominates (names, separated by commas).
            The estimate is missing where a rule has no classifier that meets alpha; the upper bound is 1 there.
            Of several levels the rows stand one level under the other, with alpha as first column. The column bounds
            says what the two bounds are: "pointwise, of the rule", "simultaneous, of the rule" or "simultaneous, of the
            score" (see `bounds_text`). At an alpha that was chosen on one of the bands, nothing is proved about
            pointwise bounds, and the column says so. Those of the score are at a true type I error of `alpha`, so they
            differ from ``band.at(alpha)``. Simultaneous bounds of K rules differ from it too, because each method has
            delta / K. Paired regions are found by tests on the rows. One method may therefore dominate another although
            their bounds overlap. The reverse also occurs: bounds that do not overlap prove which method is better, and
            ``regions="simultaneous"`` shows it, but the tests may not find it. All simultaneous bounds hold at once
            with probability at least 1 - delta, all paired regions too, and both together with at least 1 - 2 delta.
        """
        if isinstance(alpha, str) or not hasattr(alpha, "__len__"):
            return table_frame(self._columns_at(alpha))
        levels = check_levels(alpha, "alpha")
        if not levels.ndim:
            return table_frame(self._columns_at(levels.item()))
        levels = levels.ravel()
        if not levels.size:
            raise InvalidInputError("alpha must hold a level or several, got none.", argument="alpha")
        tables = [self._columns_at(level) for level in levels.tolist()]
        columns = {name: [value for table in tables for value in table[name]] for name in tables[0]}
        return table_frame({"alpha": np.repeat(levels, len(self.names)), **columns})

    def _columns_at(self, alpha):
        given, alpha = alpha, self._check_level(alpha)
        kind = f"{self.kind_of_bounds}, of the {self.about[:-1]}"
        if self.kind_of_bounds == "pointwise" and self._doubts_choice(given):
            kind += "; not proved: alpha was chosen on a band"
        bounds = [curve.at(alpha) for curve in self.curves]
        return {
            "method": list(self.names),
            "type2_lower": [float(lower) for lower, _ in bounds],
            "type2": [self._estimate(band, alpha) for band in self.bands],
            "type2_upper": [float(upper) for _, upper in bounds],
            "bounds": [kind] * len(self.names),
            "dominates": [", ".join(self._dominated_by(name, alpha)) for name in self.names],
        }

    def best_at(self, alpha: float | AlphaChoice, fallback: Literal["warn", "estimate"] | None = "warn") -> str | None:
        """Name the best method at one level: the method that dominates all others, or else the lowest estimate.

        Parameters
        ----------
        alpha : float or AlphaChoice
            Level in (0, 1), at most the `alpha_max` of each band.
        fallback : {"warn", "estimate", None}
            What to do where no method dominates all others. "estimate": among the methods that none dominates, the one
            with the lowest estimate of the type II error in `at`. For rules this is the share of left-out class 1 rows
            at or below the threshold, averaged over the splits of the band (repeated random subsampling). Of equal
            estimates the method that was given first is named. "warn": the same, with a warning that the answer is only
            an estimate. None: no answer.

        Returns
        -------
        str or None
            Name of the method; None if there is no dominance and no fallback.

        Raises
        ------
        InvalidInputError
            If `fallback` is unknown, `alpha` is above the `alpha_max` of a band, or no method has a classifier at
            `alpha`.

        Warns
        -----
        NPWarning
            If no method dominates all others, so that the method named has only the lowest estimate.

        Notes
        -----
        *Is the named method the better one?* Suppose that it dominates, and that the bands are of one split. Pointwise
        regions name the worse of two methods with probability at most 2 delta, at an alpha fixed beforehand.
        Simultaneous and paired regions name a worse method with probability at most delta. This holds for any number of
        methods and any alpha, also an alpha chosen by looking at the regions. The fallback is an estimate without a
        guarantee. With one split it is a single hold-out, so use more splits.

        *Does its classifier keep alpha?* The class 0 rows of the bands take part in the choice. For K methods and one
        split, the type I error of the chosen classifier from its own band is therefore above alpha with probability at
        most K delta, not delta. For useless, independent scores at delta = 0.05 it was above alpha in 6 % of
        experiments with 2 methods and in 19 % with 10. To keep delta, run `npc` with the chosen method on other rows,
        or make the bands with delta / K. With pointwise bands all this holds at an alpha fixed beforehand, whatever the
        regions. With simultaneous bands it also holds at an alpha chosen here.

        References
        ----------
        Discussion of [tong2018]_: "users can choose the method that gives the lowest type II error by CV".
        """
        alpha = check_level(level_of(alpha), "alpha")
        if fallback is not None and not (isinstance(fallback, str) and fallback in ("warn", "estimate")):
            raise InvalidInputError(f"fallback must be 'warn', 'estimate' or None, got {fallback!r}.")
        values = [band.at(alpha) for band in self.bands]
        if all(v.order > band.n0_left_out for v, band in zip(values, self.bands, strict=True)):
            firsts = [band.alpha[0] for band in self.bands if band.n_knots]
            why = "no band has one up to its alpha_max"
            if firsts:
                why = f"the smallest level is {level_text(min(firsts), digits=3)}"
            raise InvalidInputError(
                f"no method has a classifier at alpha={level_text(alpha)} with delta={self.delta:g}; {why}."
            )
        worse = {name: self._dominated_by(name, alpha) for name in self.names}
        best = next((name for name, others in worse.items() if len(others) == len(self.names) - 1), None)
        if best is not None or fallback is None:
            return best
        beaten = {name for others in worse.values() for name in others}
        candidates = [
            (np.nan_to_num(self._estimate(band, alpha), nan=1.0), j)
            for j, band in enumerate(self.bands)
            if self.names[j] not in beaten
        ]
        lowest, first = min(candidates)
        named, share = self.names[first], [self.names[j] for value, j in sorted(candidates) if value == lowest]
        if fallback == "warn":
            has = "has the lowest estimate of the type II error"
            if len(share) > 1:
                has = f"is the first of {len(share)} methods that share the lowest estimate of the type II error"
            more = LESS_POWER if self.about == "scores" else ""
            warn_at_call(
                f"no method dominates all others at alpha={level_text(alpha)}, so the best one is not known. The "
                f"answer is {named}, because it {has}, and it may not be the best.{more} fallback='estimate' gives "
                "the same answer without the warning, and fallback=None gives None.",
                NPWarning,
            )
        return named

    def _estimate(self, band, alpha):
        if self.about == "rules":
            values = band.at(alpha)
            return values.type2 if values.order <= band.n0_left_out else math.nan
        # the left-out class 0 scores have a type I error of at most alpha from this rank on
        order = band.n0_left_out - math.floor(band.n0_left_out * alpha * (1 + 1e-12))
        if order == 0:
            return 0.0
        return float(np.searchsorted(band.sorted1[0], band.sorted0[0][order - 1], side="right") / band.n1_left_out)

    def _dominated_by(self, name, alpha):
        return [r.worse for r in self.intervals if r.better == name and r.alpha_low <= alpha < r.alpha_high]

    def _mostly_open(self):
        """Of how many pairs of methods the regions say at less than half of all levels which one is better."""
        covered = {frozenset(pair): 0.0 for pair in combinations(self.names, 2)}
        for region in self.intervals:
            covered[frozenset((region.better, region.worse))] += region.alpha_high - region.alpha_low
        return sum(share < 0.5 for share in covered.values())

    def summary(self) -> Summary:
        """Return a table of the regions that prints like those of statsmodels."""
        return self._summary("see comparison.best_at()")

    def _summary(self, best):
        """Return the summary; `best` says in a few words what shows the best method at one alpha, "" if all see it."""
        class0 = next((str(b.subject.labels[0]) for b in self.bands if b.subject is not None), "-")
        pairs = [
            ("Methods", ", ".join(self.names)),
            ("Class 0 (controlled)", class0),
            ("delta", f"{self.delta:g}"),
            ("Compared", f"fitted {self.about}"),
            ("Splits", ", ".join(str(b.n_splits) for b in self.bands)),
            ("Regions", f"{len(self.intervals) + len(self.somewhere)}, {self.kind}"),
        ]
        if any(end is not None for end in self._ends):
            ends = ["none" if end is None else f"{end:g}" for end in self._ends]
            pairs.append(("alpha_max", ends[0] if len(set(ends)) == 1 else ", ".join(ends)))
        rows = [(r.better, r.worse, *region_ends(r.alpha_low, r.alpha_high, r.where), r.where) for r in self._by_pair()]
        levels = ["true type I from", "to (below)"] if self.about == "scores" else ["alpha from", "alpha to (below)"]
        columns = ["Better", "Worse", *levels, "Where"]
        notes = self.notes()
        if best and len(rows) > 1:
            notes[-1] += f" Which method is better at one alpha: {best}."
        rows = rows or [("none", "none", "-", "-", "-")]
        return summary_table(TITLES[self.kind], pairs, columns, rows, notes)

    def notes(self) -> list[str]:
        """Return what the regions do and do not say, as a list of sentences."""
        return self._notes(f"bands at delta / {len(self.bands)}")

    def _notes(self, smaller_delta):
        """Return the notes; `smaller_delta` says what else, beside other rows, keeps delta for a method chosen here."""
        n, of_regions = len(self.bands), []
        if self.kind == "pointwise":
            of_regions.append(
                "At each alpha in a region, the whole band of the better method lies above the band of the worse one."
            )
        if self.somewhere:
            of_regions.append(
                "Somewhere: the better method has the smaller type II error at one level at least between the two "
                "ends. The data do not say at which, and at other levels it need not be better."
            )
        if not (self.intervals or self.somewhere):
            more = LESS_POWER if self.about == "scores" else ""
            if self.kind == "paired":
                more = f" {self._beside_tests}{more}"
            of_regions = [f"No region was found. The methods may still differ.{more}"]
        elif self.about == "scores" and (open_pairs := self._mostly_open()):
            which = f", for {open_pairs} of {math.comb(n, 2)} pairs" * (n > 2)
            of_regions.append(
                f"At more than half of the levels no region says which method is better{which}.{LESS_POWER}"
            )
        if self.about == "scores" and any(end is not None for end in self._ends):
            of_regions.append("alpha_max ends the bands. Regions of scores do not depend on it: they cover all levels.")
        elif len(set(self._ends)) > 1:
            of_regions.append(
                f"The bands have different alpha_max. Rules are compared for all alpha{self._up_to}, where all bands "
                "have them. A band with a smaller alpha_max has smaller ranks, so a rule can be better for this reason "
                "alone."
            )
        chosen = (
            f"the type I error of the chosen classifier exceeds alpha with probability at most {n} delta, not delta."
        )
        if any(band.subject is None for band in self.bands):
            # of scores it is not known what set the thresholds, if there are any
            choice = f"If you choose a method by this comparison and set its threshold on the same rows, {chosen}"
        else:
            choice = (
                "The rows that set the thresholds were used for this comparison. If you choose a method by it, "
                f"{chosen}"
            )
        choice += " This holds for one split and "
        if self.bands[0].simultaneous:
            ends = [end for end in self._ends if end is not None]
            choice += f"all alpha{f' up to {min(ends):g}' if ends else ''} at once."
        else:
            choice += "one alpha fixed beforehand; if alpha is chosen here as well, there is no such bound."
        choice += f" To keep delta, use other rows for the final classifier, or {smaller_delta}."
        if any(b.n_splits > 1 for b in self.bands):
            choice += " Some bands are averages over splits. None of these probabilities is proved for them."
        doubts = [" ".join(self._doubted.doubts())] * bool(self._doubted.doubts())
        told = [" ".join(of_regions)] * bool(of_regions)
        # what the regions promise matters less where there are none
        first = [self.statement, *told] if self.intervals or self.somewhere else [*told, self.statement]
        return [*doubts, *first, choice]

    def _in_methods_section(self, known, rows):
        """Return what was compared and how, the keys of the papers, and the names; the method `known` is known.

        `rows` are the rows if they are not the left-out ones of the fit.
        """
        names = []
        for name, band in zip(self.names, self.bands, strict=True):
            # a name of the user's own says what he wants it to say
            usual = band.subject is not None and not band.subject.prefit and name == band.subject.method != known
            names.append(method_in_words(name, band.subject.given) if usual else name)
        same = f"{rows}, the same for all methods" if rows else "the same left-out rows"
        how, papers = {
            "pointwise": ("by their NP-ROC bands, at each alpha by itself", ()),
            "simultaneous": (
                f"by {SimultaneousBounds.whose} with delta / {len(names)} for each method",
                SimultaneousBounds.papers,
            ),
            "paired": (
                f"by exact sign tests on {same}, with Holm's procedure (Holm 1979)",
                ("holm1979",),
            ),
        }[self.kind]
        if self.kind != "pointwise" and not self._doubted.unmet and all(band.n_splits == 1 for band in self.bands):
            how += f", for all alpha{self._up_to} and all pairs at once at level {self.delta:g}"
        if rows and self.kind != "paired":
            how += f", on {rows}"
        # of the left-out rows of the fit it is told with its guarantee
        doubts = [doubt.split(f" {ONE_OR_TWO}")[0] for doubt in self._doubted.doubts()] * bool(rows)
        told = f" In this comparison: {' '.join(doubts)}" * bool(doubts)
        return (
            f"We compared the fitted {self.about} of {', '.join(names[:-1])} and {names[-1]} {how}.{told}",
            papers,
            self.names,
        )

    @knows_names_of_r
    def plot(
        self,
        *,
        ax: Axes | None = None,
        alpha: float | AlphaChoice | None = None,
        layout: Literal["overlay", "panels"] | None = None,
        scale: Literal["roc", "errors", "sensitivity"] | None = None,
        xlim: tuple[float, float] | None = None,
        log: bool | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw all bands with bars under them where one dominates another; return the Axes.

        Pipelines are called by their last step, and by the steps in which they differ if two end with the same one.
        Names that you have given stay as they are, unless they are too long.
        Each method that dominates another one has a row of bars. If it dominates several, the bars say whom, by name or
        by the letters of the legend. If some bars are about all other methods and some are not, the latter are light,
        where the note below has room to say so. If all bars are of one kind, they have one tint. Narrow bars
        have no name in them, and a line about unnamed bars says whom the methods beat there, as far as there is room.
        Where the picture is low, a line says whose bars are not shown. Where it is lower still, the lines below the
        bars are left out, since they would lie over each other. `summary` lists all regions.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        alpha : float or AlphaChoice, optional
            A level to mark by a line. The estimate and the bounds of each band at this level stand beside the curves as
            a point in a bar, and in panels as a bar on the line.
        layout : {"overlay", "panels"}, optional
            All bands over each other, or a panel for each with the estimates of the others in grey. None takes panels
            from three methods on, if they are high enough to be read. Where the figure holds other Axes, the bands lie
            over each other, so that neighbours can be compared. The panels are ``ax.child_axes``; limits set on `ax`
            are those of all panels. Over each other, the bands of three and four methods have their bounds as thin
            lines. Those of more could not be told apart: then the estimates alone are drawn, and the legend says so.
            Panels and `alpha` show the bounds of any number of methods.
        scale : {"roc", "errors", "sensitivity"}, optional
            The vertical axis: one minus the type II error, as in the paper ("roc", the default); the type II error
            itself; or the first in the words of diagnostic tests, sensitivity against one minus specificity.
            Sensitivity is then the share of class 1 that is called class 1, and specificity the share of class 0 that
            is called class 0. The names of the axes say so with your labels, because clinicians exchange the two words
            where class 0 is the disease. In the other two they name the classes where labels are texts and there is
            room. None takes the scale of `ax`, if it has one.
        xlim : (float, float), optional
            Levels from which and to which the picture reaches. None shows the whole curve, from 0 to 1. Good methods
            often differ at small levels only, and ``xlim=(0, 0.2)`` then gives these the whole width.
        log : bool, optional
            Whether the axis of levels is logarithmic.
        figsize : (float, float), optional
            Size of a new figure in inches. None takes ``figure.figsize`` of matplotlib's rcParams, if you have set it.
            Colours, font size and line widths follow rcParams too: set ``plt.rc("font", size=7)`` or
            ``plt.rc("lines", linewidth=1)`` before the call. For one column of a journal, use ``figsize=(3.35, 3)``
            with that font size.
        """
        from nproc.plotting import plot_comparison

        shown = self._shown_names()
        paired = self.kind == "paired"
        how = (
            "at one $\\alpha$ fixed beforehand," if self.kind == "pointwise" else rf"all $\alpha${self._up_to} at once,"
        )
        # over curves without bounds it would seem to be about these
        unseen = rf"{'tests' if paired else 'bounds'}: {how} $\delta$ = {self.delta:g}"
        if self.kind != "pointwise" and self.about == "rules" and not self.bands[0].simultaneous:
            # the ranks of the rules are for one alpha
            how = f"type II bounds: {how}"
            unseen = unseen if paired else f"type II {unseen}"
        # the regions rest on all bands
        unmet = self._doubted.unmet
        how, unseen = ("; ".join(filter(None, [doubt_in_picture(unmet), text])) for text in (how, unseen))
        drawn = [
            {
                "alpha": curve.alpha,
                "type2_lower": curve.lower,
                "type2_upper": curve.upper,
                "type2": self._estimates(band),
                "label": name,
                "caption": replace(band, unmet=unmet).caption
                if band.n_splits > 1
                else rf"{how} $\delta$ = {self.delta:g}",
                "unseen": None if band.n_splits > 1 else unseen,
                "labels": None if band.subject is None else band.subject.labels,
            }
            for name, curve, band in zip(shown.values(), self.curves, self.bands, strict=True)
        ]
        when = "not for all" if self.kind == "pointwise" else "for all"
        there = len(self.intervals) + len(self.somewhere)
        note = rf"bars: {'paired tests, ' * paired}fitted {self.about}, {when} $\alpha${self._up_to} at once"
        if not there:
            note = f"by paired tests of the fitted {self.about}" if paired else None
        regions, somewhere = (
            [(shown[r.better], shown[r.worse], r.alpha_low, r.alpha_high) for r in kept]
            for kept in (self.intervals, self.somewhere)
        )
        view = {"scale": scale, "xlim": xlim, "log": log, "figsize": figsize}
        return plot_comparison(
            drawn,
            regions,
            somewhere=somewhere,
            note=note,
            apart=self._bounds_apart if paired and not there else (),
            ax=ax,
            layout=layout,
            marked_alpha=None if alpha is None else self._check_level(alpha),
            chosen=alpha is not None and self._doubts_choice(alpha),
            # a score is taken at its true type I error
            bounded=self.about == "rules",
            whole=levels_to_show(self.bands),
            **view,
        )

    def _shown_names(self):
        """Return what each method is called in a picture."""
        # numbers tell methods with one name apart
        own = [
            name
            for name, band in zip(self.names, self.bands, strict=True)
            if band.subject is not None and re.fullmatch(rf"{re.escape(band.subject.method)}( \(\d+\))?", name)
        ]
        return _shown_names(self.names, own)

    def _doubts_choice(self, alpha):
        """Whether a level was chosen on a band, and the bounds need not hold there."""
        of_rules = self.kind_of_bounds == "pointwise" or any(band.unmet for band in self.bands)
        return of_rules and any(band._doubts_choice(alpha) for band in self.bands)

    def _estimates(self, band):
        """Levels, and from each to the next the estimated type II error."""
        if self.about == "rules":
            alpha, _, _, type2 = band.shown_knots
            return alpha, type2
        n0, n1 = band.n0_left_out, band.n1_left_out
        counts = np.unique(np.linspace(0, n0, min(n0, MOST_DRAWN) + 1).astype(np.int64))
        # the threshold at a type I error of m / n0 has m scores above it
        cuts = np.append(band.sorted0[0], -np.inf)[n0 - 1 - counts]
        return counts / n0, np.searchsorted(band.sorted1[0], cuts, side="right") / n1


@dataclass(frozen=True, repr=False)
class ProcedureDifference(ShortRepr):
    """The type II error of one procedure minus that of another at one level; every number is approximate.

    Attributes
    ----------
    first, second : str
        Names of the methods.
    alpha : float
        Level.
    difference : float
        Mean over the splits of type II error of the first minus that of the second.
    std_error : float
        Its corrected standard error.
    lower, upper : float
        Ends of the interval, for this difference by itself.
    p_value, p_adjusted : float
        Two-sided p-value, and the same adjusted by Holm's procedure for all pairs and levels.
    """

    first: str
    second: str
    alpha: float
    difference: float
    std_error: float
    lower: float
    upper: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, repr=False, eq=False)
class ProcedureComparison(InNotebook):
    """Comparison of methods as procedures, approximate; made by `compare_procedures`.

    Attributes
    ----------
    names : tuple of str
        Names of the methods.
    alpha : ndarray, shape (A,)
        Levels.
    delta : float
        Bound on the probability, in each split, that the type I error is above alpha.
    level : float
        Coverage that each interval aims at.
    type2 : ndarray, shape (n_splits, K, A)
        Share of left-out class 1 rows missed, for each split, method and level.
    differences : tuple of ProcedureDifference
        All pairs at all levels.
    n_splits : int
        Number of splits.
    n_train, n_left_out : int
        Rows that train and rows that are left out in each split.
    split_ratio : float
        Share of the rows of each class that train.
    labels : ndarray, shape (2,)
        The user's labels, class 0 first.
    seed : int
        Root seed of the splits.
    own_names : tuple of str
        Those of the names that the methods have of themselves, and that the user did not choose.
    """

    names: tuple
    alpha: np.ndarray
    delta: float
    level: float
    type2: np.ndarray
    differences: tuple
    n_train: int
    n_left_out: int
    split_ratio: float
    labels: np.ndarray
    seed: int
    own_names: tuple = ()

    @property
    def n_splits(self) -> int:
        return self.type2.shape[0]

    def __repr__(self):
        found = sum(d.p_adjusted <= 1 - self.level for d in self.differences)
        return (
            f"ProcedureComparison({', '.join(self.names)}; procedures, approximate; delta={self.delta:g}, "
            f"{self.n_splits} splits, {found} of {len(self.differences)} difference(s) with adjusted p <= "
            f"{1 - self.level:.3g}, seed={self.seed})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each pair of methods and level, with the fields of a difference."""
        return frame_of(ProcedureDifference, self.differences)

    def summary(self) -> Summary:
        """Return a table of the differences that prints like those of statsmodels."""
        pairs = [
            ("Methods", ", ".join(self.names)),
            ("Class 0 (controlled)", str(self.labels[0])),
            ("Compared", "procedures"),
            ("Splits", self.n_splits),
            ("delta", f"{self.delta:g}"),
            ("Rows that train", self.n_train),
            ("Rows left out", self.n_left_out),
            ("Seed", self.seed),
        ]
        percent = f"{100 * self.level:g}%"
        columns = ["Methods", "alpha", "Difference", "Std. err.", f"{percent} low", f"{percent} high", "p", "p adj."]
        rows = [
            (
                *(f"{first} - {second}", f"{alpha:g}", difference, error, rounded_down(low), rounded_up(high)),
                *map(p_text, p_values),
            )
            for first, second, alpha, difference, error, low, high, *p_values in map(astuple, self.differences)
        ]
        means = ", ".join(
            f"{name} {' / '.join(f'{value:.3f}' for value in self.type2[:, k].mean(axis=0))}"
            for k, name in enumerate(self.names)
        )
        notes = [
            "Each row compares the mean type II errors of two methods, first minus second, over training samples "
            f"of {self.n_train} rows; thresholds have the rank that npc uses. The intervals and p-values are "
            "approximate: t test with the corrected variance of Nadeau and Bengio (2003) for splits that share "
            "rows." + (FEW_SPLITS.format(self.n_splits) * (self.n_splits < 10)),
            "Each interval covers one difference. p adj. is adjusted by Holm's procedure for all pairs and alphas.",
            f"Mean type II errors{' (by alpha)' if self.alpha.size > 1 else ''}: {means}.",
        ]
        return summary_table("Comparison of procedures, approximate", pairs, columns, rows, notes)

    def _in_methods_section(self, known, rows):
        """Return what was compared and how, as a sentence, the keys of the papers, and the names."""
        how = (
            f"on average over training samples of {self.n_train} rows, by approximate t tests from {self.n_splits} "
            f"splits ({rows}) with a corrected variance (Nadeau and Bengio 2003) and Holm's procedure (Holm 1979)"
        )
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        return f"We compared the type II errors of {names} {how}.", ("nadeau2003", "holm1979"), self.names

    @knows_names_of_r
    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the differences with their intervals; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.
        """
        from nproc.plotting import plot_differences

        shown = _shown_names(self.names, self.own_names)
        rows = [
            ((shown[d.first], shown[d.second], rf"$\alpha$ = {d.alpha:g}"), d.difference, d.lower, d.upper)
            for d in self.differences
        ]
        marked = [d.p_adjusted <= 1 - self.level for d in self.differences]
        each = f"approximate {100 * self.level:.4g} % interval each"
        note = f"procedures, {each}; filled: adjusted p $\\leq$ {1 - self.level:.3g}"
        return plot_differences(rows, marked, ax=ax, figsize=figsize, note=note)


def _shown_names(names, own):
    """Return what each method is called in a picture: those of `own`, which the user did not name, by their last steps.

    If two would then look the same, all keep their names.
    """
    from nproc.plotting import last_steps

    found = {name: name for name in names} | dict(zip(own, last_steps(own), strict=True))
    return found if len(set(found.values())) == len(found) else {name: name for name in names}
