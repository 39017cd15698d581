r"""What a stochastic Neyman-Pearson run minimises and by which steps, as the numbers that its hot loops read.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.

.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers import stochastic_steps as steps

# the paper's gamma_0, for rows of norm about 1
PAPER_GAMMA0 = 0.1


@dataclass(frozen=True, kw_only=True)
class StochasticProblem:
    """What is minimised and by which steps; `solve_stochastic_np` documents the fields."""

    alpha: float
    lam: float
    loss: str
    eta: float
    gamma0: float | str
    tau: float
    balanced: bool
    additive: bool


def first_setting(problem, X):
    """Return the array of what stays in a run, but for what `weigh` sets.

    Parameters
    ----------
    problem : StochasticProblem
        What is minimised.
    X : ndarray or CSR matrix, or None
        Rows, for the unit of length of ``gamma0="auto"``; None where their mean square norm is 1.
    """
    setting = np.zeros(steps.SETTING_SIZE)
    square = 1.0
    gamma0 = problem.gamma0
    if gamma0 == "auto":
        gamma0 = PAPER_GAMMA0
        square = 1.0 if X is None else mean_square_norm(X)
    lam = problem.lam / square
    if gamma0 * lam >= 1.0:
        raise InvalidInputError(
            f"gamma0 * lam must be below 1, got {gamma0 * lam:.3g}: one step would turn the weights round. "
            "Use a smaller gamma0 or lam, or scale the columns up."
        )
    setting[steps.SIGMOID] = float(problem.loss == "sigmoid")
    setting[steps.ADDITIVE] = float(problem.additive)
    setting[steps.ETA], setting[steps.ALPHA] = problem.eta, problem.alpha
    setting[steps.GAMMA0], setting[steps.LAM], setting[steps.DECAY] = gamma0, lam, lam
    setting[steps.UNIT] = np.sqrt(square)
    return setting


def weigh(setting, problem, *, n0, n1, balanced):
    """Set the weights (10) of both classes, for balanced draws or plain ones, and the rate nu of the multiplier."""
    setting[steps.WEIGHT0] = 2.0 if balanced else (n0 + n1) / max(n0, 1)
    setting[steps.WEIGHT1] = 2.0 if balanced else (n0 + n1) / max(n1, 1)
    setting[steps.NU] = problem.tau / max(n0, 1)


def square_norm(values):
    """Return the sum of the squares of a vector, on one thread: waking the others takes longer than the sum."""
    return float(np.einsum("i,i->", values, values))


def mean_square_norm(X):
    """Return the mean square norm of the rows of `X`, or of 1024 of them in eight blocks spread evenly; 1 if it is 0.

    Raises
    ------
    InvalidInputError
        If it overflows.
    """
    n, size = X.shape[0], 128
    blocks = [(0, n)] if n <= 8 * size else [(start, start + size) for start in range(0, n - size + 1, (n - size) // 7)]
    total = 0.0
    with np.errstate(over="ignore"):
        for start, stop in blocks:
            values = X.data[X.indptr[start] : X.indptr[stop]] if sparse.issparse(X) else X[start:stop].reshape(-1)
            total += square_norm(values)
    square = total / sum(stop - start for start, stop in blocks)
    if not np.isfinite(square):
        raise InvalidInputError("X holds numbers whose squares overflow; bring the columns to one scale first.")
    return square if square > 0 else 1.0
