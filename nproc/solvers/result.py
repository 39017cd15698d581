"""What every solver returns: coefficients, a trace, and a number that says how far from optimal they are."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from nproc.tables import DataFrame, short, table_frame

# what a model must gain on a constant score, in units of alpha
LEAST_GAIN = 0.05


def no_better_than_constant(loss0, loss1, alpha):
    """Return whether a model is hardly better than the constant score with the same mean loss of class 0.

    The mean sigmoid or ramp losses of both classes add up to 1 for each constant score, and so do the two error rates.
    """
    return bool(loss0 + loss1 > 1.0 - LEAST_GAIN * alpha)


@dataclass(frozen=True, kw_only=True, repr=False)
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

    def __repr__(self):
        trace = np.asarray(self.objective)
        reached = f"objective={short(trace[-1])}, " if trace.size else ""
        told = {"n_iter", "converged", "certificate", "reason", "objective"}
        others = [entry.name for entry in fields(self) if entry.name not in told]
        return (
            f"{type(self).__name__}(converged={self.converged}, n_iter={self.n_iter}, {reached}"
            f"certificate={short(self.certificate)}, reason={short(self.reason)})\n  with {', '.join(others)}"
        )

    def to_frame(self) -> DataFrame:
        """Return the history as a DataFrame, a row an iteration; without a history, the trace of the objective.

        A trace that begins before the first iteration has a row 0. One that was not kept at every iteration has no
        column ``iteration``.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> trace = {"objective": np.array([3.0, 2.5]), "type1": np.array([0.1, 0.05])}
        >>> result = SolverResult(
        ...     coef=np.ones(2), intercept=0.0, objective=trace["objective"], n_iter=2, converged=True,
        ...     certificate=1e-9, reason="the gap is below tol", history=trace,
        ... )
        >>> result.to_frame()
           iteration  objective  type1
        0          1        3.0   0.10
        1          2        2.5   0.05
        """
        columns = self.history or {"objective": np.asarray(self.objective)}
        n_rows = len(next(iter(columns.values())))
        if n_rows not in (self.n_iter, self.n_iter + 1):
            return table_frame(columns)
        return table_frame({"iteration": np.arange(self.n_iter + 1 - n_rows, self.n_iter + 1), **columns})
