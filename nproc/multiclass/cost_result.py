"""A fitted cost-sensitive classifier for several classes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nproc.checks import check_level
from nproc.design import Design
from nproc.multiclass.confusion import MultiEvaluation, count_predictions
from nproc.multiclass.stages import class_values
from nproc.reprs import InNotebook


@dataclass(frozen=True, repr=False, eq=False)
class NPCSFit(InNotebook):
    """A classifier with costs chosen for levels of the errors of some classes; made by `npcs`. It promises no bound.

    Attributes
    ----------
    method : str
        Name of the model.
    variant : str
        "cx" or "er".
    labels : ndarray, shape (K,)
        The user's labels in sorted order.
    alphas : tuple of float or None, length K
        Level aimed at for the error of each class; None where there is none.
    weights : ndarray, shape (K,)
        Weights of the errors in the objective.
    lam : ndarray, shape (K,)
        Multipliers of the levels.
    costs : ndarray, shape (K,)
        (weight + multiplier) / share of the class: what a probability is multiplied by before the largest wins.
    feasible : bool
        False if the criterion exceeds the sum of the weights: by "cx" no classifier meets all levels at once, as
        estimated; by "er" that is a sign, not a proof.
    diagnosis : str
        Why not, empty otherwise.
    dual_value : float
        The dual function at `lam`.
    gap : float or None
        Certificate of "cx": how far `dual_value` may be below the maximum. None for "er", which has none.
    converged : bool
        Whether the gap is within the tolerance ("cx"), or the search has ended ("er").
    estimated_errors : ndarray, shape (K,)
        Error of each class on the rows that chose the multipliers.
    n_rows : tuple of int, length K
        Rows of each class.
    model : object
        The trained model.
    seed : int
        Root seed.
    design : Design
        Turns new rows into what the model sees.
    versions : dict
        Versions of the packages that made the fit.
    """

    method: str
    variant: str
    labels: np.ndarray
    alphas: tuple
    weights: np.ndarray
    lam: np.ndarray
    costs: np.ndarray
    feasible: bool
    diagnosis: str
    dual_value: float
    gap: float | None
    converged: bool
    estimated_errors: np.ndarray
    n_rows: tuple
    model: object
    seed: int
    design: Design
    versions: dict = field(default_factory=dict)

    @property
    def guaranteed(self):
        """Always False."""
        return False

    @property
    def feature_names(self):
        """Names of the columns that new data must have, or None."""
        return self.design.required_columns

    def __repr__(self):
        aims = ", ".join(
            f"{label} <= {alpha:g}"
            for label, alpha in zip(self.labels.tolist(), self.alphas, strict=True)
            if alpha is not None
        )
        judge = "on these rows" if self.variant == "cx" else "by the held-out criterion"
        doubt = "" if self.feasible else f", NOT FEASIBLE {judge}"
        return (
            f"NPCSFit(method={self.method!r}, variant={self.variant!r}, errors aimed at: {aims}{doubt}, "
            f"seed={self.seed})\n  no bound is promised; npc_multiclass has one"
        )

    def decision_function(self, X):
        """Return cost times estimated probability, shape (m, K): the largest of a row is its class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.

        Returns
        -------
        ndarray of float, shape (m, K)

        Raises
        ------
        InvalidInputError
            If the columns are not those of the fit, or a value is not finite.
        """
        values, _ = class_values(self.model, self.design.transform(X), range(len(self.labels)))
        return values * self.costs

    def predict(self, X):
        """Return the predicted labels, shape (m,); `X` as in `decision_function`."""
        return self.labels[self.decision_function(X).argmax(axis=1)]

    def evaluate(self, X, y=None, *, level=0.95):
        """Return the confusion table on new data, with Clopper-Pearson intervals of the errors of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, not those of the fit.
        y : array-like, shape (m,), optional
            Their labels. For a fit by formula None takes the label column of `X`.
        level : float
            Coverage of each interval by itself, in (0, 1).

        Returns
        -------
        MultiEvaluation

        Raises
        ------
        InvalidInputError
            If a label is missing or was not in the training data, or the rows do not match the fit.
        """
        level = check_level(level, "level")
        counts = count_predictions(self, X, y, self.decision_function(X).argmax(axis=1))
        has = np.array([alpha is not None for alpha in self.alphas])
        controlled = has[:, None] & ~np.eye(has.size, dtype=bool)
        promise = "P(called another class | class), aimed at alpha; nothing is promised"
        return MultiEvaluation(self.labels, counts, controlled, self.alphas, level, promise)

    def to_frame(self):
        """Return a DataFrame with a row a class: rows, alpha, weight, multiplier, cost, estimated error."""
        from nproc.tables import table_frame

        return table_frame(
            {
                "class": self.labels.tolist(),
                "n": list(self.n_rows),
                "alpha": [np.nan if alpha is None else alpha for alpha in self.alphas],
                "weight": self.weights,
                "lambda": self.lam,
                "cost": self.costs,
                "estimated_error": self.estimated_errors,
            }
        )

    def summary(self):
        """Return a table of levels, multipliers and costs, and notes on what holds, as a summary of statsmodels."""
        from nproc.multiclass.reports import cost_report

        return cost_report(self)

    def plot(self, X, y=None, *, ax=None):
        """Draw the confusion table of new rows; `X`, `y` as in `evaluate`. Return the Axes."""
        return self.evaluate(X, y).plot(ax=ax)
