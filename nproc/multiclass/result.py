"""A fitted classifier for several classes in a decreasing order of priority."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nproc.checks import check_level
from nproc.design import Design
from nproc.errors import InvalidInputError
from nproc.multiclass.confusion import MultiEvaluation, count_predictions
from nproc.multiclass.thresholds import StageRules, first_kept
from nproc.reprs import InNotebook


@dataclass(frozen=True, repr=False, eq=False)
class NPMultiFit(InNotebook):
    r"""A Neyman-Pearson classifier for classes in a decreasing order of priority; made by `npc_multiclass`.

    For every class j but the last, P(called a class of lower priority | Y = j) is at most ``alphas[j]`` with
    probability at least 1 - ``deltas[j]``. The total error of a class has no bound: for j >= 1, rows called a class of
    higher priority are errors too.

    Attributes
    ----------
    method : str
        Name of the scorer.
    labels : ndarray, shape (K,)
        The user's labels, from the highest priority to the lowest.
    alphas, deltas : tuple of float, length K - 1
        Levels of all classes but the last.
    n_rows : tuple of int, length K
        Rows of each class.
    stages : BinaryStages, ModelStages or FunctionStages
        The trained scores.
    stage_rules : StageRules
        The thresholds with all that is known of them.
    left_out_counts : ndarray of int, shape (K, K)
        Confusion table of the left-out rows that set the thresholds. Its shares of rows called lower are close to the
        levels by construction; evaluate on other rows.
    split_ratio : float or None
        Share of the rows of each class but the last that trained; None for a prefit scorer.
    seed : int
        Root seed: the same call with ``random_state=seed`` gives the same classifier.
    scheme, stage_score : str
        As in `npc_multiclass`; `stage_score` is None for a prefit function.
    design : Design
        Turns new rows into what the scorers see.
    prefit : bool
        Whether the scorer was given trained.
    versions : dict
        Versions of the packages that made the fit.
    """

    method: str
    labels: np.ndarray
    alphas: tuple
    deltas: tuple
    n_rows: tuple
    stages: object
    stage_rules: StageRules
    left_out_counts: np.ndarray
    split_ratio: float | None
    seed: int
    scheme: str
    stage_score: str | None
    design: Design
    prefit: bool = False
    versions: dict = field(default_factory=dict)

    @property
    def n_classes(self):
        """Number of classes, K."""
        return len(self.labels)

    @property
    def rules(self):
        """The `Threshold` of each class but the last."""
        return self.stage_rules.rules

    @property
    def thresholds(self):
        """Thresholds on the scores of the stages, shape (K - 1,); minus infinity keeps no row in the class."""
        return np.array([rule.value for rule in self.rules])

    @property
    def orders(self):
        """Rank of each threshold among the left-out rows of its class, shape (K - 1,)."""
        return np.array([rule.order for rule in self.rules])

    @property
    def n_left_out(self):
        """Left-out rows that set each threshold, shape (K - 1,)."""
        return np.array([rule.n0 for rule in self.rules])

    @property
    def violation_rates(self):
        """Chance that each bound is broken, at most ``deltas``, shape (K - 1,)."""
        return np.array([rule.violation_rate for rule in self.rules])

    @property
    def error_uppers(self):
        """Bounds on P(called lower | class) that hold except with chance ``deltas``, at most ``alphas``."""
        return np.array([rule.type1_upper for rule in self.rules])

    @property
    def guaranteed(self):
        """True: the bounds are proved; with ``prefit=True`` if none of the rows trained the scorer."""
        return True

    @property
    def joint_probability(self):
        """Least probability with which all bounds hold at once, the product of 1 - violation rate."""
        return float(np.prod(1 - self.violation_rates))

    @property
    def feature_names(self):
        """Names of the columns that new data must have, or None."""
        return self.design.required_columns

    def __repr__(self):
        order = " > ".join(str(label) for label in self.labels.tolist())
        bounds = ", ".join(
            f"{label}: {upper:.4f}"
            for label, upper in zip(self.labels.tolist(), self.error_uppers.tolist(), strict=False)
        )
        return (
            f"NPMultiFit(method={self.method!r}, priority {order}, alphas={_listed(self.alphas)}, "
            f"deltas={_listed(self.deltas)}, seed={self.seed})\n"
            f"  P(called lower | class) <= {bounds}; each by {_listed(self.n_left_out)} left-out rows of its class"
        )

    def decision_function(self, X):
        """Return score minus threshold of every stage.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.

        Returns
        -------
        ndarray of float, shape (m, K - 1)
            A row is called the class of the first column that is not above 0, and the last class if all are above. A
            stage whose threshold is minus infinity keeps no row: its column is infinite.

        Raises
        ------
        InvalidInputError
            If the columns are not those of the fit, or a value is not finite.
        """
        return self.stage_rules.margins(self.stages.scores(self.design.transform(X)))

    def predict(self, X):
        """Return the predicted labels, shape (m,); `X` as in `decision_function`."""
        return self.labels[self._codes(X)]

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
        return self._evaluation(count_predictions(self, X, y, self._codes(X)), check_level(level, "level"))

    def to_frame(self):
        """Return a DataFrame with a row a class: rows, levels, threshold, rank, violation rate, bound, rows caught."""
        from nproc.tables import table_frame

        rules = self.rules
        columns = {
            "class": self.labels.tolist(),
            "n": list(self.n_rows),
            "n_left_out": [rule.n0 for rule in rules] + [self.left_out_counts[-1].sum()],
            "alpha": [*self.alphas, np.nan],
            "delta": [*self.deltas, np.nan],
            "threshold": [*self.thresholds, np.nan],
            "order": [*(float(rule.order) for rule in rules), np.nan],
            "violation_rate": [*self.violation_rates, np.nan],
            "error_upper": [*self.error_uppers, np.nan],
            "n_caught": [*(float(n) for n in self.stage_rules.n_caught), np.nan],
        }
        return table_frame(columns)

    def summary(self):
        """Return a table of levels, thresholds and bounds, and notes on what holds, as a summary of statsmodels."""
        from nproc.multiclass.reports import multi_report

        return multi_report(self)

    def plot(self, X=None, y=None, *, ax=None):
        """Draw the confusion table of new rows, or without `X` that of the left-out rows; return the Axes.

        Parameters
        ----------
        X, y : optional
            As in `evaluate`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if X is not None:
            return self.evaluate(X, y).plot(ax=ax)
        if y is not None:
            raise InvalidInputError("y was given without X; give the rows too, or neither for the left-out rows.")
        ax = self._evaluation(self.left_out_counts, 0.95).plot(ax=ax)
        ax.set_title("left-out rows, which set the thresholds", fontsize="medium")
        return ax

    def _evaluation(self, counts, level):
        # called lower than the own class; the last class has no lower one
        controlled = np.triu(np.ones(counts.shape, dtype=bool), k=1)
        promise = "P(called a class of lower priority | class) <= alpha, each except with its chance delta"
        return MultiEvaluation(self.labels, counts, controlled, (*self.alphas, None), level, promise)

    def _codes(self, X):
        return first_kept(self.decision_function(X))


def _listed(values):
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
