"""What the bounds of an NP-ROC band are, and what they promise: at one alpha at a time, or at all alpha at once.

A rule turns levels into ranks of the left-out class 0 scores, and counts of missed class 1 scores into bounds. A band
holds one, and asks it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nproc.bandpoints import EACH_ALPHA, WHY_NOT_GUARANTEED
from nproc.checks import check_choice
from nproc.errorbounds import Bounds, type2_curve
from nproc.errors import InvalidInputError
from nproc.locallevel import about_local_level, local_level
from nproc.orderstat import too_few_message, type1_upper
from nproc.ranks import search_orders
from nproc.reprs import ShortRepr
from nproc.simultaneous import METHODS, share_of_each_class, simultaneous_cdf_bounds

KINDS = ("pointwise", "simultaneous")


@dataclass(frozen=True, repr=False)
class PointwiseBounds(ShortRepr):
    """Bounds that hold at one alpha fixed beforehand: each is broken with probability at most delta.

    Attributes
    ----------
    delta : float
        Chance with which each bound may be broken, in (0, 1).
    """

    delta: float

    kind = "pointwise"
    simultaneous = has_closed_form = False
    in_legend = in_table = "pointwise"
    values_note = EACH_ALPHA

    def orders(self, n0, alphas):
        """Return the rank for each level of a float array in [0, 1]; n0 + 1 where no rank is good enough."""
        return search_orders(n0, alphas, self.delta)

    def type1_at(self, orders, n0):
        """Return the bounds on the type I errors of an array of ranks."""
        return type1_upper(orders, n0, self.delta)

    def type1_knots(self, n0):
        """Return the bounds on the type I errors of the ranks n0, ..., 1, ascending."""
        return self.type1_at(np.arange(n0, 0, -1), n0)

    def type2(self, n_missed, n1):
        """Return `Bounds` on the type II errors of thresholds with so many class 1 scores at or below them."""
        return type2_curve(n_missed, n1, self.delta)

    def too_few(self, n0, alpha):
        """Return the message for a level below the first knot."""
        return too_few_message(n0, alpha, self.delta)

    def promise(self):
        """Return what a band of one split promises, as a sentence."""
        return (
            "At one alpha fixed beforehand: type I error <= alpha with probability at least 1 - delta, and the "
            "conditional type II error inside the band with probability at least 1 - 2 delta, for one split. Not for "
            "all alpha at once."
        )

    def of_a_choice(self, n_splits):
        """Return whether the promise holds at an alpha chosen on the band, and why."""
        return False, WHY_NOT_GUARANTEED


@dataclass(frozen=True, repr=False)
class SimultaneousBounds(ShortRepr):
    r"""Exact bounds that hold at all alpha at once, of Berk and Jones: those of a single alpha at smaller levels.

    Attributes
    ----------
    delta : float
        Chance with which any bound of the band is broken, in (0, 1).

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

    delta: float

    kind = "simultaneous"
    bounds = "berk_jones"
    simultaneous, has_closed_form = True, False
    in_legend, in_table = r"all $\alpha$ at once", "simultaneous"
    values_note = "Bounds on the conditional type II error that hold for all alpha at once."

    @property
    def share(self):
        """The chance given to each class, see `share_of_each_class` in `nproc.simultaneous`."""
        return share_of_each_class(self.delta)

    def orders(self, n0, alphas):
        """Return the rank for each level of a float array in [0, 1]; n0 + 1 where no rank is good enough."""
        return search_orders(n0, alphas, local_level(n0, self.share, sides=1))

    def type1_at(self, orders, n0):
        """Return the bounds on the type I errors of an array of ranks."""
        return type1_upper(orders, n0, local_level(n0, self.share, sides=1))

    def type1_knots(self, n0):
        """Return the bounds on the type I errors of the ranks n0, ..., 1, ascending."""
        return self.type1_at(np.arange(n0, 0, -1), n0)

    def type2(self, n_missed, n1):
        """Return `Bounds` on the type II errors of thresholds with so many class 1 scores at or below them."""
        return type2_curve(n_missed, n1, local_level(n1, self.share, sides=2))

    def too_few(self, n0, alpha):
        """Return the message for a level below the first knot."""
        enough, before = n0, 0
        while enough > before:
            # rises to the size that its own local level allows
            before = enough
            enough = math.ceil(math.log(about_local_level(before, self.share, sides=1)) / math.log1p(-alpha))
        return self._too_few(n0, alpha, f"; about {before} are needed")

    def _too_few(self, n0, alpha, needed):
        smallest = self.type1_at(np.array([n0]), n0)[0]
        return (
            f"n0={n0} left-out class 0 scores cannot meet alpha={alpha:g} at all alpha at once with "
            f"delta={self.delta:g}{needed}; the smallest alpha here is {smallest:.4g}. For one alpha "
            "fixed beforehand a pointwise band needs fewer."
        )

    def promise(self):
        """Return what a band of one split promises, as a sentence."""
        return (
            "For all alpha at once, with probability at least 1 - delta, for one split: type I error <= alpha, and the "
            f"conditional type II error inside the band. Each class is given {self.share:.4g} of delta = "
            f"{self.delta:g}. Alpha may be chosen after looking at the band."
        )

    def of_a_choice(self, n_splits):
        """Return whether the promise holds at an alpha chosen on the band, and why."""
        if n_splits == 1:
            return True, (
                "The band holds for all alpha at once. With probability at least "
                f"{1 - self.delta:g} the type I error at this alpha is at most alpha and the conditional type II error "
                "inside the band, however alpha was chosen."
            )
        return False, (
            f"For each of the {n_splits} splits the bounds hold at all alpha at once, and so at a chosen one; for "
            "their average there is no proof, and for their vote only a weaker bound, vote_bound()."
        )


@dataclass(frozen=True, repr=False)
class DKWBounds(SimultaneousBounds):
    """Bounds that hold at all alpha at once, by the inequality of Dvoretzky, Kiefer and Wolfowitz: simple and wide."""

    bounds, in_table = "dkw", "simultaneous, DKW"
    has_closed_form = True

    def __post_init__(self):
        if self.share > 0.5:
            raise InvalidInputError(f"bounds='dkw' needs delta of at most 0.75, got {self.delta:g}; take 'berk_jones'.")

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


def bound_rule(band, bounds, delta):
    """Return the rule of a band.

    Parameters
    ----------
    band : {"pointwise", "simultaneous"}
        Whether the bounds hold at one alpha fixed beforehand, or at all alpha at once.
    bounds : {"berk_jones", "dkw"}
        Which simultaneous bounds; a pointwise band has only one kind.
    delta : float
        Chance of breaking them, in (0, 1), already checked.

    Returns
    -------
    PointwiseBounds or SimultaneousBounds

    Raises
    ------
    InvalidInputError
        If a name is unknown, or 'dkw' is asked of a pointwise band or with a delta above 0.75.
    """
    check_choice(band, "band", KINDS)
    check_choice(bounds, "bounds", METHODS)
    if band == "simultaneous":
        return DKWBounds(delta) if bounds == "dkw" else SimultaneousBounds(delta)
    if bounds != "berk_jones":
        raise InvalidInputError(f"bounds={bounds!r} is for band='simultaneous'; leave it out for a pointwise band.")
    return PointwiseBounds(delta)


__all__ = ["DKWBounds", "PointwiseBounds", "SimultaneousBounds", "bound_rule"]
