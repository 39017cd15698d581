"""Where one NP-ROC band lies wholly above another: the alpha regions in which a method dominates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from nproc.bands import NPROCBand
from nproc.checks import check_level
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
    """Dominance between NP-ROC bands; made by `compare`.

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
    """

    bands: tuple
    names: tuple
    intervals: tuple

    @property
    def delta(self):
        """Chance with which each bound of a band may be broken."""
        return self.bands[0].delta

    @cached_property
    def regions(self):
        return self.to_frame()

    def __repr__(self):
        return (
            f"Comparison({', '.join(self.names)}; delta={self.delta:g}, {len(self.intervals)} interval(s) of dominance)"
        )

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
            Columns method, type2_lower, type2 (estimate), type2_upper, dominates (names, separated by commas).
        """
        from nproc.tables import table_frame

        alpha = check_level(alpha, "alpha")
        values = [band.at(alpha) for band in self.bands]
        return table_frame(
            {
                "method": list(self.names),
                "type2_lower": [v.type2_lower for v in values],
                "type2": [v.type2 for v in values],
                "type2_upper": [v.type2_upper for v in values],
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
        By dominance the answer is wrong with probability at most 2 delta for two methods and one split; by the
        fallback it is an estimate without a guarantee. With one split "cv" is a single hold-out: use more.

        The bands' class 0 rows take part in the choice. The type I error of the winner's classifier from its own band
        is therefore above alpha with probability at most K delta for K methods and one split, not delta (measured for
        useless, independent scores: 6 % for 2 methods and 19 % for 10 at delta = 0.05). For the usual promise, run
        `npc` with the winner on other rows, or make the bands with delta / K.

        References
        ----------
        Discussion of [tong2018]_: "users can choose the method that gives the lowest type II error by CV".
        """
        alpha = check_level(alpha, "alpha")
        if fallback not in ("cv", None):
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

    def _dominated_by(self, name, alpha):
        return [r.worse for r in self.intervals if r.better == name and r.alpha_low <= alpha < r.alpha_high]

    def summary(self):
        """Return a table of the regions that prints like those of statsmodels."""
        from nproc.reports import comparison_report

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
                "alpha": band.alpha,
                "type2_lower": band.type2_lower,
                "type2_upper": band.type2_upper,
                "label": name,
                "delta": band.delta,
            }
            for name, band in zip(self.names, self.bands, strict=True)
        ]
        ax = plot_bands(drawn, ax=ax, marked_alpha=alpha)
        regions = [(r.better, r.worse, r.alpha_low, r.alpha_high) for r in self.intervals]
        return plot_dominance(regions, list(self.names), ax=ax)


def compare(*bands, names=None):
    r"""Return the levels at which one NP-ROC band lies wholly above another.

    Method a dominates b at alpha if the upper bound on the type II error of a is below the lower bound of b. The
    knots of all bands are merged exactly, so that regions end where a band really changes.

    Parameters
    ----------
    *bands : NPROCBand
        At least two bands with the same `delta`; their numbers of rows and splits may differ.
    names : sequence of str, optional
        Names of the methods; None takes those of the bands, numbered where they are equal.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInputError
        If fewer than two bands are given, one is not an NPROCBand, deltas differ, or names do not fit.

    Notes
    -----
    At one alpha fixed beforehand, and for bands of one split, that a given rule is called better than
    another although its conditional type II error is not smaller has probability at most 2 delta: one of two bounds
    must fail. (If both errors are equal, either direction is false, each with probability at most 2 delta.) The
    regions as a whole carry no such bound, and no statement is made about the methods as procedures, that is, on
    other training data. For averages over splits nothing is proved.

    References
    ----------
    "Simulation 2" and Figure 4B of [tong2018]_.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> strong = NPROCBand.from_scores(rng.normal(size=300), rng.normal(3, 1, size=300), name="strong")
    >>> weak = NPROCBand.from_scores(rng.normal(size=300), rng.normal(1, 1, size=300), name="weak")
    >>> result = compare(strong, weak)
    >>> result.best_at(0.1)
    'strong'
    """
    if len(bands) == 1 and isinstance(bands[0], list | tuple):
        bands = tuple(bands[0])
    if len(bands) < 2:
        raise InvalidInputError(f"compare needs at least two bands, got {len(bands)}.")
    for band in bands:
        if not isinstance(band, NPROCBand):
            raise InvalidInputError(f"compare takes NPROCBand objects (from nproc), got {type(band).__name__}.")
    deltas = [band.delta for band in bands]
    if len(set(deltas)) > 1:
        shown = ", ".join(f"{d:g}" for d in deltas)
        raise InvalidInputError(f"all bands must have the same delta, got {shown}; make them again with one delta.")
    labels = {tuple(band.subject.labels.tolist()) for band in bands if band.subject is not None}
    if len(labels) > 1:
        shown = " and ".join(repr(pair[0]) for pair in sorted(labels, key=str))
        raise InvalidInputError(f"all bands must control the same class, got class0 {shown}; make them again with one.")
    names = _distinct_names(bands, names)
    grid = np.unique(np.concatenate([band.alpha for band in bands]))
    curves = [_on_grid(band, grid) for band in bands]
    intervals = []
    for a, b in combinations(range(len(bands)), 2):
        for better, worse in ((a, b), (b, a)):
            wins = curves[better][1] < curves[worse][0]
            intervals += [Region(names[better], names[worse], low, high) for low, high in _runs(wins, grid)]
    intervals.sort(key=lambda r: (r.alpha_low, r.alpha_high))
    return Comparison(tuple(bands), names, tuple(intervals))


def _distinct_names(bands, names):
    if names is None:
        names = [band.method for band in bands]
        repeated = {name for name in names if names.count(name) > 1}
        seen = dict.fromkeys(repeated, 0)
        taken = set(names)
        for j, name in enumerate(names):
            if name in repeated:
                seen[name] += 1
                while f"{name} ({seen[name]})" in taken:
                    seen[name] += 1
                names[j] = f"{name} ({seen[name]})"
        return tuple(names)
    names = tuple(str(name) for name in names)
    if len(names) != len(bands) or len(set(names)) != len(names):
        raise InvalidInputError(f"names must hold {len(bands)} different names, got {list(names)}.")
    return names


def _on_grid(band, grid):
    """Lower and upper bounds on the intervals [grid_i, grid_{i+1})."""
    at = np.searchsorted(band.alpha, grid, side="right") - 1
    none = at < 0
    at = np.maximum(at, 0)
    return band.type2_lower[at], np.where(none, 1.0, band.type2_upper[at])


def _runs(wins, grid):
    edges = np.diff(np.concatenate([[0], wins.astype(np.int8), [0]]))
    ends = np.append(grid, 1.0)
    return [
        (float(ends[i]), float(ends[j]))
        for i, j in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True)
    ]
