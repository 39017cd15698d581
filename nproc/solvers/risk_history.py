"""The risks and errors of each iteration of a constrained problem, which callbacks see as they come."""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError

NAMES = ("objective", "risk1", "risk2", "type1", "type2", "certificate")


class RiskHistory:
    """A table with one row an iteration.

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    callback : callable or None
        ``callback(n_iter, row)``, the row being a dictionary.

    Attributes
    ----------
    n_iter : int
        Rows so far.
    """

    def __init__(self, risks, callback=None):
        self.risks, self.callback, self.rows = risks, callback, []

    @property
    def n_iter(self):
        return len(self.rows)

    def add(self, z0, z1, objective=None, risk1=None, certificate=np.nan):
        """Record one iteration; values that are known need not be computed again."""
        objective = self.risks.objective(z1) if objective is None else objective
        risk1 = float(self.risks.risks(z0)[0]) if risk1 is None else risk1
        if not (np.isfinite(objective) and np.isfinite(risk1)):
            raise InvalidInputError(
                f"The losses must stay finite, got means of {risk1} (class 0) and {objective} (class 1) in "
                f"iteration {self.n_iter + 1}. Scale the columns of X, or use a shorter step."
            )
        row = dict(zip(NAMES, (objective, risk1, objective, *self.risks.errors(z0, z1), certificate), strict=True))
        self.rows.append(row)
        if self.callback is not None:
            self.callback(self.n_iter, row)

    def arrays(self):
        """Return the columns as arrays."""
        return {name: np.array([row[name] for row in self.rows]) for name in NAMES}
