"""Points of a band: its values at given levels, and a level chosen from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nproc.checks import check_level
from nproc.errors import InvalidInputError
from nproc.reprs import InNotebook, short

WHY_NOT_GUARANTEED = (
    "alpha was chosen on the rows that set the thresholds. Where delta = 0.05 promises type I errors above alpha in "
    "at most 5 % of samples, 5 to 9 % were measured for alphas chosen by type2_max and 10 to 17 % by youden. For a "
    "guarantee, choose alpha on other data, or certify the classifier on fresh class 0 rows."
)


EACH_ALPHA = "Bounds on the conditional type II error, each at its alpha, not for all alpha at once."


@dataclass(frozen=True, repr=False)
class BandValues(InNotebook):
    """A band at given levels; arrays are shaped like the levels asked for.

    Attributes
    ----------
    alpha : float or ndarray
        Levels.
    type2_lower, type2_upper : float or ndarray
        Bounds on the conditional type II error; the upper one is 1 where no classifier respects alpha.
    type2 : float or ndarray
        Share of left-out class 1 scores at or below the threshold, averaged over splits: an estimate.
    order : int or ndarray
        Rank of the threshold; n0 + 1 where no classifier respects alpha.
    note : str
        What the bounds are.
    """

    alpha: float | np.ndarray
    type2_lower: float | np.ndarray
    type2_upper: float | np.ndarray
    type2: float | np.ndarray
    order: int | np.ndarray
    note: str = EACH_ALPHA

    def __repr__(self):
        bounds = (
            f"type2_lower={short(self.type2_lower)}, type2={short(self.type2)}, type2_upper={short(self.type2_upper)}"
        )
        return f"BandValues(alpha={short(self.alpha)}, order={short(self.order)},\n  {bounds})"

    def to_frame(self):
        """Return a DataFrame with a row a level: alpha, order, type2_lower, type2, type2_upper."""
        from nproc.tables import table_frame

        names = ("alpha", "order", "type2_lower", "type2", "type2_upper")
        return table_frame({name: np.atleast_1d(getattr(self, name)).ravel() for name in names})

    def summary(self):
        """Return a table with a row a level, as a summary of statsmodels."""
        from nproc.reports import values_report

        return values_report(self)


@dataclass(frozen=True, repr=False)
class AlphaChoice(InNotebook):
    """A level chosen from a band.

    Attributes
    ----------
    alpha : float
        The level.
    type2_lower, type2_upper : float
        The band there.
    criterion : str
        How it was chosen.
    guaranteed : bool
        Whether the promise of the band holds at this level: False of a pointwise band, since the choice looked at the
        rows that set the thresholds; True of a simultaneous band of one split.
    reason : str
        Why it is guaranteed, or not.
    """

    alpha: float
    type2_lower: float
    type2_upper: float
    criterion: str
    guaranteed: bool = False
    reason: str = WHY_NOT_GUARANTEED

    def __float__(self):
        return self.alpha

    def __repr__(self):
        return (
            f"AlphaChoice(alpha={self.shown_alpha}, type II error in [{self.type2_lower:.4g}, {self.type2_upper:.4g}]; "
            f"{self.criterion}; guaranteed={self.guaranteed}, see reason)"
        )

    @property
    def shown_alpha(self):
        """The level as text, rounded up: typed in by hand it must not fall below its knot, into the rank before."""
        return f"{min(math.ceil(self.alpha * 1e6 * (1 - 1e-14)) / 1e6, 0.999999):.6f}".rstrip("0")

    def to_frame(self):
        """Return a DataFrame of one row: alpha, type2_lower, type2_upper, criterion, guaranteed."""
        from nproc.tables import table_frame

        names = ("alpha", "type2_lower", "type2_upper", "criterion", "guaranteed")
        return table_frame({name: [getattr(self, name)] for name in names})

    def summary(self):
        """Return a table of the level, the band there, and why it has a guarantee or none, as one of statsmodels."""
        from nproc.reports import choice_report

        return choice_report(self)


def caveat_of(choice):
    """Return what a classifier at a chosen level should say of the choice."""
    return f"{'alpha was chosen' if choice.guaranteed else 'No guarantee'} ({choice.criterion}): {choice.reason}"


def check_way(criterion, type2_max):
    """Return `type2_max`, checked, or None for Youden's index."""
    if (criterion is None) == (type2_max is None):
        raise InvalidInputError("give either criterion='youden' or type2_max=, a bound on the type II error.")
    if type2_max is not None:
        return check_level(type2_max, "type2_max")
    if not isinstance(criterion, str) or criterion != "youden":
        raise InvalidInputError(
            f"criterion must be 'youden', got {criterion!r}; a bound on the type II error goes in as type2_max=0.4."
        )
    return None


def choose_from_knots(alpha, type2_lower, type2_upper, criterion, type2_max):
    """Return the `AlphaChoice` at one of the knots; see `NPROCBand.choose_alpha`."""
    type2_max = check_way(criterion, type2_max)
    alpha, type2_lower, type2_upper = (curve[alpha < 1] for curve in (alpha, type2_lower, type2_upper))
    if alpha.size == 0:
        raise InvalidInputError("no bound on the type I error is below 1; leave out more class 0 rows, or raise delta.")
    if type2_max is not None:
        good = np.flatnonzero(type2_upper <= type2_max)
        if good.size == 0:
            raise InvalidInputError(
                f"no alpha has a type II upper bound of at most {type2_max:g}; the smallest reached is "
                f"{type2_upper.min():.3g}. Raise type2_max, or leave out more class 1 rows."
            )
        best, how = int(good[0]), f"smallest alpha with type II upper bound <= {type2_max:g}"
    else:
        best, how = int(np.argmax(1 - type2_upper - alpha)), "youden: largest 1 - type2_upper - alpha"
    return AlphaChoice(float(alpha[best]), float(type2_lower[best]), float(type2_upper[best]), how)
