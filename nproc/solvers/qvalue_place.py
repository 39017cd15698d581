r"""Where to cut scores at a q-value: thresholds, their smooth counterpart and the multiplier that belongs to it.

For fixed scores g, the problem of section 4 of [gasso2011]_ in the constant b alone,

.. math:: \min_b P_{nd}(g + b) \quad \text{subject to} \quad P_{fa}(g + b) \le q' (1 - P_{nd}(g + b)),

has one dimension, and is solved by a search here: its solution starts the stochastic search and measures what it finds.

References
----------
Section 4 and equation (13) of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.losses import SigmoidLoss

# thresholds tried at class 1 scores (and below all of them, where the lowest is feasible) before the last feasible
# one is refined by halving
N_CANDIDATES, N_BELOW = 40, 12
# a sigmoid loss of a row so far above its threshold, in units of 1 / eta, is lost to rounding
NO_LOSS = 36.0
N_HALVINGS = 15
# a multiplicative update cannot leave 0, nor does it come back from the other end in time
LEAST_MULTIPLIER, LARGEST_MULTIPLIER = 1e-3, 1e4


@dataclass(frozen=True)
class Placement:
    """The constant of one q, with what it attains.

    Attributes
    ----------
    offset : float
        The constant b.
    multiplier : float
        lambda at which the Lagrangian is stationary in b.
    type2_loss : float
        P_nd at b; 1 where the constraint cannot be met.
    feasible : bool
        Whether any b meets the constraint (other than minus infinity, which accepts nothing).
    """

    offset: float
    multiplier: float
    type2_loss: float
    feasible: bool


def place(scores, y, q_rate, eta):
    """Return the `Placement` with the least P_nd found among those that meet the constraint.

    The constraint is tried at some 40 thresholds, and the lowest feasible one is refined by halving. Feasible
    thresholds need not form an interval: one that lies further down, between two infeasible ones tried, is not found.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        g of each row.
    y : ndarray, shape (n,)
        0 or 1.
    q_rate : float
        q' = q n1 / n0.
    eta : float
        Slope of the sigmoid loss.

    Returns
    -------
    placement : Placement
        Where no threshold is feasible, the median of class 1 with multiplier 1, from which a search can start.
    """
    scores0, scores1 = scores[y == 0], scores[y == 1]
    falling = np.sort(scores1)[::-1]
    ranks = np.unique(np.geomspace(1, falling.size, N_CANDIDATES).astype(np.int64)) - 1
    candidates = falling[ranks]
    loss = SigmoidLoss(eta=eta)

    def rates(threshold):
        return loss.value(threshold - scores0).mean(), 1.0 - loss.value(scores1 - threshold).mean()

    def feasible(threshold):
        false_rate, true_rate = rates(threshold)
        return false_rate <= q_rate * true_rate

    inside = np.flatnonzero([feasible(t) for t in candidates])
    if inside.size == 0:
        return Placement(-float(np.median(scores1)), multiplier=1.0, type2_loss=1.0, feasible=False)
    if inside[-1] == candidates.size - 1:
        # below the least class 1 score there is still some P_nd to gain, half a row of it and more
        further = falling[-1] - np.geomspace(NO_LOSS / 1000, NO_LOSS, N_BELOW) / eta
        candidates = np.concatenate([falling[-1:], further])
        inside = np.flatnonzero([feasible(t) for t in candidates])
    if inside[-1] == candidates.size - 1:
        threshold = candidates[-1]
    else:
        # the lowest feasible one lies between a candidate and the next lower, which is not
        threshold, below = candidates[inside[-1]], candidates[inside[-1] + 1]
        for _ in range(N_HALVINGS):
            middle = 0.5 * (threshold + below)
            if feasible(middle):
                threshold = middle
            else:
                below = middle
    slope1 = -loss.derivative(scores1 - threshold).mean()
    slope0 = -loss.derivative(threshold - scores0).mean()
    # (1 + lambda q') slope1 = lambda slope0; where the constraint is slack there is no positive solution
    denominator = slope0 - q_rate * slope1
    multiplier = slope1 / denominator if denominator > 0 else LEAST_MULTIPLIER
    return Placement(
        offset=-float(threshold),
        multiplier=float(np.clip(multiplier, LEAST_MULTIPLIER, LARGEST_MULTIPLIER)),
        type2_loss=float(1.0 - rates(threshold)[1]),
        feasible=True,
    )


def accepting_threshold(scores, y, q):
    """Return (threshold, count): class 1 rows above it are those with a q-value of at most `q`.

    The threshold lies half way between the last score accepted and the next lower one; where none is accepted it is
    the largest score.
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    n_known = np.cumsum(y[order] == 0)[last]
    n_found = np.cumsum(y[order] == 1)[last]
    # the quotient and not the product, which rounding may put on the other side of a whole number
    ratio = np.full(last.size, np.inf)
    np.divide(n_known, n_found, out=ratio, where=n_found > 0)
    inside = np.flatnonzero(ratio <= q)
    if inside.size == 0:
        return float(falling[0]), 0
    reached = last[inside[-1]]
    accepted = float(falling[reached])
    if reached == falling.size - 1:
        return float(np.nextafter(accepted, -np.inf)), int(n_found[inside[-1]])
    middle = 0.5 * (accepted + float(falling[reached + 1]))
    # of two neighbouring floats the middle may be the upper one, which must stay above the threshold
    return min(middle, float(np.nextafter(accepted, -np.inf))), int(n_found[inside[-1]])
