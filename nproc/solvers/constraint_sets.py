r"""Constraints on the weights besides the type I risk: balls, signs, and the risks of groups of class 0 rows.

Each set has its own projector, and its support function max {v'w : w in the set}, which turns the tangent of a convex
function into a lower bound. The intercept is in none of them.

References
----------
The conclusion of [barlaud2015]_ announces several constraints, each with its own projector.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import check_number, is_number
from nproc.errors import InvalidInputError


@dataclass(frozen=True)
class L2Ball:
    """The weights with a Euclidean norm of at most `radius`.

    Parameters
    ----------
    radius : float
        Above 0.

    Examples
    --------
    >>> L2Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    radius: float

    def __post_init__(self):
        check_number(self.radius, "radius")

    def project(self, w):
        """Return the nearest point of the ball."""
        norm = float(np.linalg.norm(w))
        return w * (self.radius / norm) if norm > self.radius else w

    def violation(self, w):
        """Return how far the norm exceeds the radius, relative to it; at most 0 inside."""
        return float(np.linalg.norm(w)) / self.radius - 1.0

    def support(self, v):
        """Return the largest v'w over the ball."""
        return self.radius * float(np.linalg.norm(v))


@dataclass(frozen=True)
class L1Ball:
    """The weights with a sum of absolute values of at most `radius`.

    Parameters
    ----------
    radius : float
        Above 0.

    Examples
    --------
    >>> L1Ball(1.0).project(np.array([2.0, 0.5, -1.5]))
    array([ 0.75,  0.  , -0.25])
    """

    radius: float

    def __post_init__(self):
        check_number(self.radius, "radius")

    def project(self, w):
        """Return the nearest point of the ball: soft thresholding at the level that meets the radius."""
        size = np.abs(w)
        if size.sum() <= self.radius:
            return w
        falling = np.sort(size)[::-1]
        levels = (np.cumsum(falling) - self.radius) / np.arange(1, size.size + 1)
        # the first is below its level only where the radius is rounding beside it
        level = levels[max(np.flatnonzero(falling >= levels), default=0)]
        return np.sign(w) * np.maximum(size - level, 0.0)

    def violation(self, w):
        """Return how far the norm exceeds the radius, relative to it; at most 0 inside."""
        return float(np.abs(w).sum()) / self.radius - 1.0

    def support(self, v):
        """Return the largest v'w over the ball."""
        return self.radius * float(np.abs(v).max())


@dataclass(frozen=True)
class Nonnegative:
    """The weights of at least 0.

    Examples
    --------
    >>> Nonnegative().project(np.array([2.0, -0.5]))
    array([2., 0.])
    """

    def project(self, w):
        """Return the nearest point: negative entries become 0."""
        return np.maximum(w, 0.0)

    def violation(self, w):
        """Return the size of the most negative weight, relative to the largest weight; at most 0 inside."""
        largest = float(np.abs(w).max())
        return -float(w.min()) / largest if largest > 0 else 0.0

    def support(self, v):
        """Return the largest v'w: 0, or infinity if v has an entry above 0."""
        return np.inf if np.any(v > 0) else 0.0


@dataclass(frozen=True)
class GroupRisk:
    """The mean loss of a group of class 0 rows, at most `tau`.

    Parameters
    ----------
    rows : array of bool, shape (n,)
        The rows of the group, over all training rows; those of class 1 do not count.
    tau : float
        The bound.
    """

    rows: np.ndarray
    tau: float

    def __post_init__(self):
        good = is_number(self.tau)
        if not good or not np.isfinite(self.tau):
            raise InvalidInputError(f"tau of a GroupRisk must be a finite number, got {self.tau!r}.")

    def weights(self, y):
        """Return the weights, with sum 1, of the class 0 rows in the mean, in the order of the rows."""
        rows = np.asarray(self.rows)
        if rows.dtype != bool or rows.shape != y.shape:
            raise InvalidInputError(
                f"rows of a GroupRisk must be a boolean array of shape {y.shape}, got {rows.shape}."
            )
        chosen = rows[y == 0].astype(np.float64)
        if chosen.sum() == 0:
            raise InvalidInputError("rows of a GroupRisk must hold at least one class 0 row, got none.")
        return chosen / chosen.sum()


@dataclass(frozen=True)
class WeightSets:
    """The sets that hold the weights, at most one of a kind: their intersection.

    Attributes
    ----------
    l2, l1 : float or None
        Radii.
    nonnegative : bool
        Whether weights must not be negative.
    """

    l2: float | None = None
    l1: float | None = None
    nonnegative: bool = False

    @property
    def bounded(self):
        """Whether the weights lie in a ball."""
        return self.l2 is not None or self.l1 is not None

    @property
    def given(self):
        """Whether there is any set."""
        return self.bounded or self.nonnegative

    def members(self):
        """Return the sets as objects with projectors."""
        found = [] if self.l2 is None else [L2Ball(self.l2)]
        found += [] if self.l1 is None else [L1Ball(self.l1)]
        return found + ([Nonnegative()] if self.nonnegative else [])

    def project(self, w):
        """Return the nearest point of the intersection."""
        if self.nonnegative:
            # a ball around 0 keeps signs, so that the projections may follow each other
            w = np.maximum(w, 0.0)
        if self.l1 is None:
            return w if self.l2 is None else L2Ball(self.l2).project(w)
        near = L1Ball(self.l1).project(w)
        if self.l2 is None or np.linalg.norm(near) <= self.l2:
            return near
        near = L2Ball(self.l2).project(w)
        if np.abs(near).sum() <= self.l1:
            return near
        # both norms meet their radii: soft thresholding, then scaling, at the level that gives the ratio of the radii
        size, low, high = np.abs(w), 0.0, float(np.abs(w).max())
        for _ in range(100):
            level = 0.5 * (low + high)
            left = np.maximum(size - level, 0.0)
            if left.sum() * self.l2 > self.l1 * np.linalg.norm(left):
                low = level
            else:
                high = level
        left = np.maximum(size - high, 0.0) if high < size.max() else (size == size.max()).astype(np.float64)
        return np.sign(w) * left * (self.l2 / float(np.linalg.norm(left)))

    def jacobian(self, before, p, vectors):
        """Return the images of `vectors` (rows) under a generalised derivative of `project` at `before`, which is p."""
        if self.l1 is not None or self.nonnegative:
            vectors = np.where(p != 0, vectors, 0.0)
        normals, factor = [], 1.0
        norm = float(np.linalg.norm(p))
        if self.l2 is not None and norm >= self.l2 * (1 - 1e-12):
            normals.append(p / norm)
            inner = before if self.l1 is None else before - np.sign(p) * self._level(before, p)
            factor = norm / max(float(np.linalg.norm(inner[p != 0])), norm)
        if self.l1 is not None and np.abs(p).sum() >= self.l1 * (1 - 1e-12):
            normals.append(np.sign(p))
        if normals:
            basis = np.linalg.qr(np.array(normals).T)[0]
            vectors = vectors - (vectors @ basis) @ basis.T
        return factor * vectors

    @staticmethod
    def _level(before, p):
        # |before| - level is proportional to |p| on its support: two coordinates tell the level, one tells nothing
        chosen = np.flatnonzero(p)
        a, b = np.abs(before[chosen]), np.abs(p[chosen])
        spread = b - b.mean()
        ratio = float(spread @ a) / float(spread @ b) if float(spread @ spread) > 0 else 1.0
        return max(float(a.mean() - ratio * b.mean()), 0.0)

    def support(self, v, far):
        """Return a bound on v'w over the sets and the ball of radius `far`, exact for one ball."""
        if self.nonnegative:
            # a coordinate with v_j < 0 is best at 0
            v = np.maximum(v, 0.0)
        bounds = [far * float(np.linalg.norm(v))]
        if self.l2 is not None:
            bounds.append(L2Ball(self.l2).support(v))
        if self.l1 is not None:
            bounds.append(L1Ball(self.l1).support(v))
        return min(bounds)

    def violation(self, w):
        """Return the largest relative violation, at most 0 inside."""
        return max((member.violation(w) for member in self.members()), default=0.0)


def sort_constraints(constraints):
    """Return (WeightSets, list of GroupRisk) of what the caller gave; two balls of a kind become the smaller one."""
    if not isinstance(constraints, list | tuple):
        raise InvalidInputError(
            "constraints must be a list or tuple of L2Ball, L1Ball, Nonnegative or GroupRisk objects, "
            f"got {type(constraints).__name__}."
        )
    l2, l1, nonnegative, groups = None, None, False, []
    for one in constraints:
        if isinstance(one, L2Ball):
            l2 = one.radius if l2 is None else min(l2, one.radius)
        elif isinstance(one, L1Ball):
            l1 = one.radius if l1 is None else min(l1, one.radius)
        elif isinstance(one, Nonnegative):
            nonnegative = True
        elif isinstance(one, GroupRisk):
            groups.append(one)
        else:
            raise InvalidInputError(
                f"constraints must hold L2Ball, L1Ball, Nonnegative or GroupRisk objects, got {type(one).__name__}."
            )
    return WeightSets(None if l2 is None else float(l2), None if l1 is None else float(l1), nonnegative), groups
