"""Points of a band: its values at given levels, and a level chosen from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import check_level
from nproc.errors import InvalidInputError

WHY_NOT_GUARANTEED = (
    "alpha was chosen on the rows that set the thresholds. Where delta = 0.05 promises type I errors above alpha in "
    "at most 5 % of samples, 5 to 9 % were measured for alphas chosen by type2_max and 10 to 17 % by youden. For a "
    "guarantee, choose alpha on other data, or certify the classifier on fresh class 0 rows."
)


@dataclass(frozen=True)
class BandValues:
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
    """

    alpha: float | np.ndarray
    type2_lower: float | np.ndarray
    type2_upper: float | np.ndarray
    type2: float | np.ndarray
    order: int | np.ndarray


@dataclass(frozen=True, repr=False)
class AlphaChoice:
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
        False: the choice looked at the rows that set the thresholds.
    reason : str
        Why it is not guaranteed.
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
            f"AlphaChoice(alpha={self.alpha:.6g}, type II error in [{self.type2_lower:.4g}, {self.type2_upper:.4g}]; "
            f"{self.criterion}; guaranteed={self.guaranteed}, see reason)"
        )


def choose_from_knots(alpha, type2_lower, type2_upper, criterion, type2_max):
    """Return the `AlphaChoice` at one of the knots; see `NPROCBand.choose_alpha`."""
    if (criterion is None) == (type2_max is None):
        raise InvalidInputError("give either criterion='youden' or type2_max=, a bound on the type II error.")
    if type2_max is not None:
        type2_max = check_level(type2_max, "type2_max")
        good = np.flatnonzero(type2_upper <= type2_max)
        if good.size == 0:
            raise InvalidInputError(
                f"no alpha has a type II upper bound of at most {type2_max:g}; the smallest reached is "
                f"{type2_upper.min():.3g}. Raise type2_max, or leave out more class 1 rows."
            )
        best, how = int(good[0]), f"smallest alpha with type II upper bound <= {type2_max:g}"
    else:
        if criterion != "youden":
            raise InvalidInputError(
                f"criterion must be 'youden', got {criterion!r}; a bound on the type II error goes in as type2_max=0.4."
            )
        best, how = (
            int(np.argmax(1 - type2_upper - alpha)),
            "youden: largest 1 - type2_upper - alpha",
        )
    return AlphaChoice(float(alpha[best]), float(type2_lower[best]), float(type2_upper[best]), how)
