r"""What a pilot says of the power of a score: its ROC curve, and the expected power of the rule at a rank.

A curve gives the power (1 - type II error) of the threshold whose type I error is r. The rule at rank k of n left-out
class 0 scores has the power ROC(R), with R ~ Beta(n + 1 - k, k), so its expectation is an integral over a known law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from nproc.checks import check_level, check_scores, is_number
from nproc.errors import InvalidInputError
from nproc.planning.rank_law import worst_share
from nproc.score_direction import area_of_wrong_sign, told_of_sign, warn_direction, warn_labels
from nproc.simultaneous import beta_quantile, simultaneous_cdf_bounds

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


@dataclass(frozen=True)
class WorstCase:
    """No pilot: the concave ROC curve that loses most, min(1, r / alpha)."""

    alpha: float
    name = "none; the plan is for the least favourable concave ROC curve"
    is_pilot = False
    has_bounds = False

    def power_at(self, type1):
        return np.minimum(1.0, np.asarray(type1) / self.alpha)

    def mean_power(self, n_above, n0):
        return worst_share(n_above, n0, self.alpha)

    def steepness(self, alpha):
        return 1.0


@dataclass(frozen=True, eq=False)
class SmoothCurve:
    """A known ROC curve, as normal quantiles of the power at normal quantiles of the type I error, straight between.

    For two normal classes it is a straight line. That of another world is tabulated at steps of 0.05.
    """

    z1: np.ndarray
    z2: np.ndarray
    name: str
    is_pilot = True
    has_bounds = False

    @classmethod
    def of_world(cls, world, name):
        """Return the curve of the best score of a simulated world."""
        z1 = np.linspace(-9, 9, 361)
        power = np.clip(world.roc(ndtr(z1)), 1e-300, 1 - 1e-16)
        inner = (power > 1e-6) & (power < 1 - 1e-6)
        if np.any(np.diff(power[inner]) <= 0):
            raise InvalidInputError(
                f"pilot is a {type(world).__name__} with tied scores; a plan requires continuous scores. Give "
                "pilot scores instead."
            )
        return cls(z1, ndtri(power), name)

    def power_at(self, type1):
        return ndtr(np.interp(ndtri(np.asarray(type1, dtype=np.float64)), self.z1, self.z2))

    def mean_power(self, n_above, n0):
        # Gauss-Legendre in the probability scale of the type I error: the integrand is smooth and bounded
        return self.power_at(beta_quantile(*_law(n_above, n0), _NODES)) @ _WEIGHTS

    def steepness(self, alpha):
        return _steepest_chord(self, alpha, alpha * np.linspace(0, 1, 2001)[:-1])


@dataclass(frozen=True, eq=False)
class PilotCurve:
    r"""The ROC curve of pilot scores, straight between its vertices, with bounds that hold at once.

    The i-th largest of n class 0 scores is taken as the threshold with type I error (i - 1/2) / n, and its power as the
    share of class 1 scores above it. The curve goes straight through these vertices, (0, 0) and (1, 1). With
    i / (n + 1) in place of (i - 1/2) / n the power at small type I errors would come out too low: the curve is concave,
    and averaging over the place of the threshold flattens it.

    Notes
    -----
    Bounds: with simultaneous bounds on both distribution functions at all class 0 scores t, each at half of the level,
    the type I error of t lies in [l0(t), u0(t)] and its power in [l1(t), u1(t)] for all t at once, with probability
    at least 1 - level. Power rises with the type I error. So the power at type I error r is at least l1(t) for every
    t with u0(t) <= r, and at most u1(t) for every t with l0(t) >= r.
    """

    type1: np.ndarray
    power: np.ndarray
    lower_steps: tuple
    upper_steps: tuple
    name: str
    is_pilot = True

    @classmethod
    def from_scores(cls, scores0, scores1, name, level=None):
        """Return the curve of checked scores; a level asks for bounds."""
        cuts = np.sort(scores0)[::-1]
        n0, n1 = cuts.size, scores1.size
        up_to1 = np.searchsorted(np.sort(scores1), cuts, side="right")
        type1 = np.concatenate([[0.0], (np.arange(n0) + 0.5) / n0, [1.0]])
        power = np.concatenate([[0.0], 1 - up_to1 / n1, [1.0]])
        if level is None:
            return cls(type1, power, (), (), name)
        up_to0 = np.searchsorted(cuts[::-1], cuts, side="right")
        below0, above0 = simultaneous_cdf_bounds(up_to0, n0, level / 2)
        below1, above1 = simultaneous_cdf_bounds(up_to1, n1, level / 2)
        # in order of rising type I error; thresholds may tie
        lower = np.maximum.accumulate(1 - above1)
        upper = np.minimum.accumulate((1 - below1)[::-1])[::-1]
        return cls(type1, power, (1 - below0, lower), (1 - above0, upper), name)

    @property
    def has_bounds(self):
        return len(self.lower_steps) > 0

    def power_at(self, type1):
        return np.interp(type1, self.type1, self.power)

    def mean_power(self, n_above, n0):
        a, b = _law(n_above, n0)
        slopes = np.diff(self.power) / np.diff(self.type1)
        inner = self.type1[1:-1]
        # int ROC dF = 1 - int slope(r) F(r) dr, and int_0^x F = x F(x) - mean * F_{a+1}(x)
        area = inner * betainc(a, b, inner) - a / (a + b) * betainc(a + 1, b, inner)
        last = 1 - (a / (a + b))
        pieces = np.diff(np.concatenate([np.zeros_like(last), area, last], axis=-1), axis=-1)
        return 1 - pieces @ slopes

    def mean_bounds(self, n_above, n0):
        """Return bounds on the expected power: expectations of the step curves."""
        a, b = _law(n_above, n0)
        starts, lower = self.lower_steps
        stops, upper = self.upper_steps
        lowest = (1 - betainc(a, b, starts)) @ np.diff(lower, prepend=0.0)
        highest = upper[0] + (1 - betainc(a, b, stops)) @ np.diff(upper, append=1.0)
        return lowest, highest

    def steepness(self, alpha):
        return _steepest_chord(self, alpha, self.type1[self.type1 < alpha])


def _steepest_chord(curve, alpha, type1):
    """Return the steepest slope between these points and alpha, at least 1, in units of that from the origin."""
    at_alpha = float(curve.power_at(alpha))
    chords = (at_alpha - curve.power_at(type1)) / (alpha - type1)
    return max(1.0, float(chords.max()) * alpha / at_alpha)


def _law(n_above, n0):
    """Return the parameters of the beta law of the type I error, each with a last axis for points."""
    return np.asarray(n_above)[..., None] + 1.0, (np.asarray(n0) - n_above)[..., None]


def read_pilot(pilot, alpha, level):
    """Return the curve of whatever was given as `pilot`; see `plan_class0`."""
    if pilot is None:
        return WorstCase(alpha)
    if is_number(pilot):
        auc = check_level(pilot, "pilot (the area under a binormal ROC curve)")
        if auc <= 0.5:
            raise InvalidInputError(f"pilot as an area under the ROC curve must lie in (0.5, 1), got {auc:g}.")
        ends = np.array([-40.0, 40.0])
        return SmoothCurve(ends, ends + np.sqrt(2) * ndtri(auc), f"normal classes of equal variance, AUC {auc:g}")
    if hasattr(pilot, "roc") and hasattr(pilot, "np_oracle"):
        return SmoothCurve.of_world(pilot, f"best score of a {type(pilot).__name__}")
    if hasattr(pilot, "sorted0"):
        if len(pilot.sorted0) != 1:
            raise InvalidInputError(
                f"pilot must be a band of one split, got {len(pilot.sorted0)}: bounds of an average are not known."
            )
        scores, name = (pilot.sorted0[0], pilot.sorted1[0]), f"left-out rows of a band by {pilot.method!r}"
    elif isinstance(pilot, tuple | list) and len(pilot) == 2:
        scores, name = pilot, "scores"
    else:
        raise InvalidInputError(
            "pilot must be a pair (scores0, scores1), an NPROCBand, a simulated world, or an area under the ROC curve "
            f"in (0.5, 1), got {type(pilot).__name__}."
        )
    scores0, scores1 = check_scores(scores[0], "pilot scores0"), check_scores(scores[1], "pilot scores1")
    warn_labels(scores0, scores1, "pilot=")
    check_reach(scores0.size, alpha, "pilot has")
    name = f"{name}, {scores0.size} of class 0 and {scores1.size} of class 1"
    curve = PilotCurve.from_scores(scores0, scores1, name, level)
    if curve.power_at(alpha) <= 0:
        fact = (
            f"pilot shows no class 1 score above the thresholds at alpha={alpha:g}: the estimated power is 0, and no "
            "share of it can be planned."
        )
        area = area_of_wrong_sign(scores0, scores1)
        if area is None:
            raise InvalidInputError(f"{fact} Give a larger alpha, or a better score.")
        seen = f"Of all pairs of one row from each class, only {area:.1%} have the larger score in class 1."
        raise told_of_sign(InvalidInputError, f"{fact} {seen}")
    if not hasattr(pilot, "sorted0"):
        # a band was told when it was made
        warn_direction(scores0, scores1, "in the pilot", "")
    return curve


def check_reach(n0, alpha, what):
    """Raise unless n0 class 0 scores have a threshold with an expected type I error of at most alpha."""
    if alpha * (n0 + 1) < 1:
        raise InvalidInputError(
            f"{what} {n0} class 0 scores, which say nothing about a type I error of alpha={alpha:g}; at least "
            f"{int(np.ceil(1 / alpha - 1e-9)) - 1} are needed."
        )
