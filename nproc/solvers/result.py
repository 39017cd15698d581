"""What every solver returns: coefficients, a trace, and a number that says how far from optimal they are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class SolverResult:
    """The outcome of a solver; children add what is their own.

    Attributes
    ----------
    coef : ndarray
        Coefficients: weights of a linear model, or dual coefficients.
    intercept : float
        The constant term.
    objective : ndarray, shape (n_iter,) or (n_iter + 1,)
        Trace of the objective.
    n_iter : int
        Iterations (epochs for a stochastic solver).
    converged : bool
        Whether the stopping rule was met.
    certificate : float
        Zero at an optimum; the docstring of the solver says what it is.
    reason : str
        In words, why the solver stopped.
    history : dict of str to ndarray
        One array a quantity, one entry an iteration.
    """

    coef: np.ndarray
    intercept: float
    objective: np.ndarray
    n_iter: int
    converged: bool
    certificate: float
    reason: str
    history: dict = field(default_factory=dict)
