r"""The criterion of sparse logistic regression, its optimality conditions, and what its solvers return.

With s = +1 for class 1 and -1 for class 0, decisions d_i = f(x_i) + b and margins z_i = s_i d_i,

.. math:: \min_{f, b} \sum_i \log\bigl(1 + e^{\max(-z_i, f_i)}\bigr) + \frac{\lambda}{2} \|f\|^2

is convex. (f, b) is optimal if and only if some alpha satisfies all of

- (9a): f = (1 / lambda) sum_i alpha_i s_i K(., x_i), for linear models lambda w = sum_i alpha_i s_i x_i;
- (13): sum_i alpha_i s_i = 0;
- each row is in one of three sets: I_0, right beyond its floor: z_i >= -f_i, alpha_i = 0; I_h, on the hinge:
  z_i = -f_i (12) and 0 <= alpha_i <= 1 / (1 + e^{-f_i}) (17a); I_l, on the logarithm: z_i <= -f_i,
  alpha_i = 1 / (1 + e^{z_i}) (12), which lies between 1 / (1 + e^{-f_i}) and 1 (17b).

References
----------
Equations (6), (9), (12), (13), (17) and Table 1 of [herault2008]_; its (17b) lacks alpha_i < 1, and its definition of
I_l has the inequality turned round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

from nproc.solvers.result import SolverResult

# codes of the sets I_0, I_h and I_l
FLAT, HINGE, LOGARITHM = 0, 1, 2
# rows gathered at a time
BLOCK = 2048


@dataclass(frozen=True, kw_only=True, repr=False)
class SparseLogisticResult(SolverResult):
    """What the solvers of sparse logistic regression return.

    Attributes
    ----------
    alpha : ndarray, shape (n,)
        Multiplier of each row, in [0, 1); 0 for rows without a say.
    decision : ndarray, shape (n,)
        f(x_i) + b.
    sets : ndarray of int8, shape (n,)
        Where each row is: 0 in I_0 (cut off), 1 in I_h (on the hinge), 2 in I_l (on the logarithm).
    """

    alpha: np.ndarray
    decision: np.ndarray
    sets: np.ndarray

    @property
    def support(self):
        """Indices of the rows in I_h or I_l, which determine the solution."""
        return np.flatnonzero(self.sets != FLAT)


def result_of(verdict, coef, intercept, history, *, n_iter, tol, why=""):
    """Return the `SparseLogisticResult` of a verdict (violation, alpha, sets, decision).

    `why` says in words that there is no solution; "": there is one.
    """
    violation, alpha, sets, decision = verdict
    converged = not why and violation <= tol
    if converged:
        why = f"the optimality conditions hold to tol={tol:g}."
    return SparseLogisticResult(
        coef=coef,
        intercept=float(intercept),
        objective=np.array(history["objective"]),
        n_iter=n_iter,
        converged=converged,
        certificate=violation,
        reason=why or f"the optimality conditions are off by {violation:.2g}, above tol={tol:g}.",
        history={name: np.array(values) for name, values in history.items()},
        alpha=alpha,
        decision=decision,
        sets=sets,
    )


def signs(y):
    """Return s: 1.0 for class 1 and -1.0 for class 0."""
    return np.where(np.asarray(y) == 1, 1.0, -1.0)


def kkt_violation(alpha, decision, y, sets, loss, *, stationarity=0.0):
    """Return the largest violation of the optimality conditions: 0 exactly at the optimum, NaN where any of them is.

    Parameters
    ----------
    alpha, decision : ndarray, shape (n,)
        Multipliers, and f(x_i) + b.
    y : ndarray, shape (n,)
        0 or 1.
    sets : ndarray, shape (n,)
        0 (I_0), 1 (I_h) or 2 (I_l).
    loss : TruncatedLikelihood
        The loss, without a smoothed elbow.
    stationarity : float
        Violation of (9a), which the caller measures; see `linear_stationarity`.

    Returns
    -------
    violation : float

    Notes
    -----
    (13) counts relative to the larger of 1 and the sum of alpha_i. (12) on I_h, and a row of I_0 or I_l on the wrong
    side of its kink, count by the distance of the margin from the kink, relative to max(1, distance of the kink from
    0). (12) on I_l counts by the difference of alpha_i and 1 / (1 + e^z_i), which is at most a quarter of the
    difference of their logits and stays finite where alpha_i rounds to 0 or 1. (17) counts by how far alpha_i is
    outside its bounds.
    """
    s, floor = signs(y), loss.floor(y)
    flat, hinge, logarithm = (sets == code for code in (FLAT, HINGE, LOGARITHM))
    z = s * decision
    # where the floor is -inf there is no kink: -z - floor is inf, and the row belongs in I_l
    past = (-z - floor) / np.maximum(1.0, np.abs(np.where(np.isfinite(floor), floor, 1.0)))
    top = expit(floor)
    total = float(np.sum(np.abs(alpha)))
    each = (
        stationarity,
        abs(float(np.sum(s * alpha))) / max(1.0, total),
        _largest(np.abs(past[hinge])),
        _largest(np.abs(alpha[logarithm] - expit(-z[logarithm]))),
        _largest(past[flat]),
        _largest(-past[logarithm]),
        _largest(np.abs(alpha[flat])),
        _largest(-alpha[hinge]),
        _largest((alpha - top)[hinge]),
        _largest((top - alpha)[logarithm]),
        _largest(alpha[logarithm] - 1.0),
    )
    return float(np.max(each))


def linear_stationarity(X, y, coef, alpha, lam):
    """Return the violation of (9a) by a linear model: the largest over columns, relative to the sizes of the terms.

    Column j gives |lambda w_j - sum_i s_i alpha_i x_ij|, relative to lambda |w_j| + sum_i alpha_i |x_ij|, or to the
    largest |x_ij| of a row with a say if that is larger, which it is where all alpha_i are next to nothing. Where no
    row with a say has a value in the column, w_j is 0 but for rounding, and the largest |x_ij| of all rows takes that
    place. It does not depend on the units of the column.
    """
    rows, s = np.flatnonzero(alpha), signs(y)
    gap, size = lam * coef, lam * np.abs(coef)
    largest = np.zeros(coef.shape)
    # by blocks, which stay in the cache
    for start in range(0, rows.size, BLOCK):
        block = rows[start : start + BLOCK]
        used, share = X[block], alpha[block]
        gap = gap - used.T @ (s[block] * share)
        used = abs(used)
        size = size + used.T @ np.abs(share)
        largest = np.maximum(largest, _column_tops(used))
    mute = np.flatnonzero(largest == 0.0)
    if mute.size:
        largest[mute] = _column_tops(abs(X[:, mute]))
    gap, size = np.abs(gap), np.maximum(size, largest)
    return _largest(gap[size > 0.0] / size[size > 0.0])


def _column_tops(sizes):
    top = sizes.max(axis=0)
    return top.toarray().ravel() if sparse.issparse(top) else top


def _largest(values):
    return float(np.max(values, initial=0.0))
