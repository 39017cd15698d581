"""The result of a comparison of fitted rules or scores: regions of alpha, and the best method at a level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nproc.checks import check_level
from nproc.comparison.reports import comparison_report, statement_of, target_of
from nproc.errors import InvalidInputError
from nproc.reprs import InNotebook, ShortRepr


@dataclass(frozen=True, repr=False)
class Region(ShortRepr):
    """An interval of levels, ``alpha_low <= alpha < alpha_high``, in which `better` dominates `worse`."""

    better: str
    worse: str
    alpha_low: float
    alpha_high: float


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
        Maximal intervals of dominance of all pairs.
    regions : DataFrame
        The same as a table with the columns better, worse, alpha_low, alpha_high.
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

    def __getstate__(self):
        # the table is made again when it is asked for
        return {name: value for name, value in self.__dict__.items() if name != "regions"}

    @property
    def delta(self):
        """Chance with which a statement may fail: each bound of a band, or all regions together, see `statement`."""
        return self.bands[0].delta

    @property
    def statement(self):
        """What the regions say, of what, and with which probability, in words."""
        return statement_of(self)

    @cached_property
    def regions(self):
        return self.to_frame()

    def __repr__(self):
        what = f"{self.kind}, of the fitted {self.about}, delta={self.delta:g}"
        return f"Comparison({', '.join(self.names)}; {what}, {len(self.intervals)} interval(s) of dominance)"

    def to_frame(self):
        """Return the regions as a DataFrame: better, worse, alpha_low (inside), alpha_high (outside)."""
        from nproc.tables import table_frame

        keys = ("better", "worse", "alpha_low", "alpha_high")
        return table_frame({key: [getattr(r, key) for r in self.intervals] for key in keys})

    def at(self, alpha):
        """Return a DataFrame with a row a method: its band and estimate at one level, and whom it dominates.

        Parameters
        ----------
        alpha : float
            Level in (0, 1).

        Returns
        -------
        DataFrame
            Columns method, type2_lower, type2 (estimate), type2_upper, dominates (names, separated by commas). The
            error is that of the fitted rule which serves alpha, or of the fitted score at a type I error of alpha
            (`about`); the bounds are those that are drawn. Paired regions are found by tests on the rows, so that one
            method may dominate another although their bounds overlap; all these bounds hold at once with probability
            at least 1 - delta, all paired regions too, and both together with at least 1 - 2 delta.
        """
        from nproc.tables import table_frame

        alpha = check_level(alpha, "alpha")
        bounds = [curve.at(alpha) for curve in self.curves]
        return table_frame(
            {
                "method": list(self.names),
                "type2_lower": [float(lower) for lower, _ in bounds],
                "type2": [self._estimate(band, alpha) for band in self.bands],
                "type2_upper": [float(upper) for _, upper in bounds],
                "dominates": [", ".join(self._dominated_by(name, alpha)) for name in self.names],
            }
        )

    def best_at(self, alpha, fallback="cv"):
        """Return the name of the best method at one level.

        Parameters
        ----------
        alpha : float
            Level in (0, 1).
        fallback : {"cv", None}
            What to do where no method dominates all others. "cv": among the methods that none dominates, the one
            with the lowest cross-validated type II error, which is the share of left-out class 1 rows at or below
            the threshold, averaged over the splits of the band (repeated random subsampling). None: no answer.

        Returns
        -------
        str or None
            Name of the method; None if there is no dominance and no fallback.

        Raises
        ------
        InvalidInputError
            If `fallback` is unknown, or no method has a classifier at `alpha`.

        Notes
        -----
        By dominance between fitted rules or scores of one split, the answer is wrong with probability at most 2 delta
        for two methods at an alpha fixed beforehand (pointwise regions), and at most delta for any number of methods
        and any alpha, also one chosen by a look at the regions (simultaneous and paired ones). By the fallback it is
        an estimate without a guarantee. With one split "cv" is a single hold-out: use more.

        The bands' class 0 rows take part in the choice. The type I error of the winner's classifier from its own band
        is therefore above alpha with probability at most K delta for K methods and one split, not delta (measured for
        useless, independent scores: 6 % for 2 methods and 19 % for 10 at delta = 0.05). For the usual promise, run
        `npc` with the winner on other rows, or make the bands with delta / K. With pointwise bands this holds at an
        alpha fixed beforehand, whatever the regions; with simultaneous ones also at an alpha chosen here.

        References
        ----------
        Discussion of [tong2018]_: "users can choose the method that gives the lowest type II error by CV".
        """
        alpha = check_level(alpha, "alpha")
        if fallback is not None and not (isinstance(fallback, str) and fallback == "cv"):
            raise InvalidInputError(f"fallback must be 'cv' or None, got {fallback!r}.")
        values = [band.at(alpha) for band in self.bands]
        if all(v.order > band.n0_left_out for v, band in zip(values, self.bands, strict=True)):
            raise InvalidInputError(
                f"no method has a classifier at alpha={alpha:g} with delta={self.delta:g}; the smallest level is "
                f"{min(band.alpha[0] for band in self.bands):.4g}."
            )
        beaten = set()
        for name in self.names:
            losers = self._dominated_by(name, alpha)
            beaten.update(losers)
            if len(losers) == len(self.names) - 1:
                return name
        if fallback is None:
            return None
        candidates = [(v.type2, j) for j, v in enumerate(values) if self.names[j] not in beaten]
        return self.names[min(candidates)[1]]

    def _estimate(self, band, alpha):
        if self.about == "rules":
            return band.at(alpha).type2
        # the left-out class 0 scores have a type I error of at most alpha from this rank on
        order = band.n0_left_out - math.floor(band.n0_left_out * alpha * (1 + 1e-12))
        if order == 0:
            return 0.0
        return float(np.searchsorted(band.sorted1[0], band.sorted0[0][order - 1], side="right") / band.n1_left_out)

    def _dominated_by(self, name, alpha):
        return [r.worse for r in self.intervals if r.better == name and r.alpha_low <= alpha < r.alpha_high]

    def summary(self):
        """Return a table of the regions that prints like those of statsmodels."""
        return comparison_report(self)

    def plot(self, *, ax=None, alpha=None):
        """Draw all bands with bars under them where one dominates another; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        alpha : float, optional
            A level to mark.
        """
        from nproc.plotting import plot_bands, plot_dominance

        drawn = [
            {
                "alpha": curve.alpha,
                "type2_lower": curve.lower,
                "type2_upper": curve.upper,
                "label": name,
                "delta": self.delta,
                "kind": "pointwise" if self.kind == "pointwise" else r"all $\alpha$ at once",
            }
            for name, curve in zip(self.names, self.curves, strict=True)
        ]
        ax = plot_bands(drawn, ax=ax, marked_alpha=alpha)
        if self.about == "scores":
            ax.set_xlabel(r"type I error, $\alpha$")
        regions = [(r.better, r.worse, r.alpha_low, r.alpha_high) for r in self.intervals]
        return plot_dominance(regions, list(self.names), ax=ax, note=target_of(self))
