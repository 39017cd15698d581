"""A fitted classifier for several classes in a decreasing order of priority."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import check_level, rows_in
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.fits import (
    EQUAL_IN_TABLE_OF_ALL,
    EQUAL_ROWS_OF_ALL,
    INTERVALS,
    LIKELY_FITTED,
    NO_INTERVALS,
    NOT_CHECKED,
    WAYS_OUT,
    EqualRows,
    NPFit,
)
from nproc.inputs import knows_names_of_r
from nproc.multiclass.stages import StageRules, class_values, first_kept
from nproc.orderstat import clopper_pearson
from nproc.row_chunks import score_new_rows, showing_rows
from nproc.rows import Design, Table, as_table, check_same_length, check_same_rows, encode_labels, warn_of_new_values
from nproc.splitting import shown_ratio
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)
from nproc.thresholds import OfRules, Threshold


@dataclass(frozen=True, repr=False, eq=False)
class ClassError:
    """One error of one class: how many of its rows, and a two-sided Clopper-Pearson interval.

    Attributes
    ----------
    count, n : int
        Wrong rows and all rows of the class.
    rate, lower, upper : float or None
        Share and interval; None without a row of the class.
    """

    count: int
    n: int
    rate: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, repr=False, eq=False)
class MultiEvaluation(InNotebook):
    """What a classifier of several classes did with labelled rows that it never saw.

    Attributes
    ----------
    labels : ndarray, shape (K,)
        The classes, for `npc_multiclass` in the order of priority.
    counts : ndarray of int, shape (K, K)
        Rows of the class of the row that were called the class of the column.
    controlled : ndarray of bool, shape (K, K)
        Which cells make up the error for which the class has a level: of `npc_multiclass` those to the right of the
        diagonal (called lower), of `npcs` all wrong ones.
    alphas : tuple of float or None
        The level of each class, None where it has none.
    level : float
        Coverage of each interval by itself.
    promise : str
        What is guaranteed of the controlled errors.
    own_rows : bool or None
        Whether the rows are likely to be rows of the fit, as `Evaluation.own_rows`.
    dependent : str
        Why the rows are not independent, as `Evaluation.dependent`.
    """

    labels: np.ndarray
    counts: np.ndarray
    controlled: np.ndarray
    alphas: tuple
    level: float
    promise: str
    own_rows: bool | None = field(default=None, kw_only=True)
    dependent: str = field(default="", kw_only=True)

    @property
    def n(self) -> NDArray[np.intp]:
        """Rows of each class, shape (K,)."""
        return self.counts.sum(axis=1)

    @property
    def rates(self) -> NDArray[np.float64]:
        """Counts as shares of the rows of the class, shape (K, K); NaN in the line of a class without rows."""
        n = self.n[:, None].astype(np.float64)
        return np.divide(self.counts, n, out=np.full(self.counts.shape, np.nan), where=n > 0)

    @property
    def intervals_hold(self) -> bool:
        """Whether nothing is known against the intervals, as `Evaluation.intervals_hold`."""
        return not (self.own_rows or self.dependent)

    @property
    def controlled_errors(self) -> tuple[ClassError | None, ...]:
        """`ClassError` of each class over its controlled cells, None for a class that has no level."""
        wrong = (self.counts * self.controlled).sum(axis=1)
        return tuple(
            None if alpha is None else self._error(w, n) for w, n, alpha in zip(wrong, self.n, self.alphas, strict=True)
        )

    @property
    def total_errors(self) -> tuple[ClassError, ...]:
        """`ClassError` of each class over all wrong cells."""
        return tuple(self._error(n - c, n) for n, c in zip(self.n, np.diag(self.counts), strict=True))

    def _error(self, count, n):
        count, n = int(count), int(n)
        if n == 0:
            return ClassError(count, n, None, None, None)
        interval = clopper_pearson(count, n, level=self.level)
        return ClassError(count, n, count / n, interval.lower, interval.upper)

    def __repr__(self):
        errors = ", ".join(
            f"{label}: {error.rate:.4f} (alpha {alpha:g})"
            for label, error, alpha in zip(self.labels.tolist(), self.controlled_errors, self.alphas, strict=True)
            if error is not None and error.rate is not None
        )
        right = f"{np.trace(self.counts)} of {self.counts.sum()} rows right"
        own = ", probably on rows of the fit" if self.own_rows else ""
        return f"MultiEvaluation({right}; errors with a level: {errors or 'none'}{own})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a class: its counts, controlled error and total error with intervals.

        The ends of the intervals are NaN where `intervals_hold` is false.
        """
        columns = {"class": self.labels.tolist(), "n": self.n}
        for k, label in enumerate(self.labels.tolist()):
            columns[f"called {label}"] = self.counts[:, k]
        columns["alpha"] = np.array(self.alphas, dtype=np.float64)
        for name, errors in (("controlled", self.controlled_errors), ("total", self.total_errors)):
            for part in ("rate", "lower", "upper"):
                shown = part == "rate" or self.intervals_hold
                values = [getattr(error, part, None) if shown else None for error in errors]
                columns[f"{name}_{part}"] = np.array(values, dtype=np.float64)
        return table_frame(columns)

    def summary(self) -> Summary:
        """Return the confusion table and both errors of each class, as a summary of statsmodels."""
        labels = [str(label) for label in self.labels.tolist()]
        holds = self.intervals_hold
        per = f" [{100 * self.level:g} %]" * holds
        rows = []
        errors = zip(self.alphas, self.controlled_errors, self.total_errors, strict=True)
        for label, counts, n, (alpha, *both) in zip(labels, self.counts.tolist(), self.n, errors, strict=True):
            shares = [f"{count} ({100 * count / n:.1f} %)" if n else "-" for count in counts]
            rows.append((label, *shares, _level(alpha), *(_error(error, holds) for error in both)))
        called = [f"Called {label}" for label in labels]
        columns = ["True class", *called, "alpha", f"Controlled{per}", f"Total{per}"]
        pairs = [("Rows", int(self.counts.sum())), ("Classes", len(labels))]
        some_free = self.controlled.sum() < len(labels) * (len(labels) - 1)
        notes = [
            f"Controlled: the error that alpha is about, {self.promise}.",
            "Total: the share of all rows of the class that were called another one. It is estimated here"
            + (", and it has no bound." if some_free else "."),
            f"{INTERVALS if holds else NO_INTERVALS} On a finite test set the observed rate varies around the error in "
            "the population, so it may exceed alpha with a probability larger than delta.",
        ]
        title = "Confusion table on new data"
        if self.own_rows:
            title, notes = "Confusion table, probably on rows of the fit", [LIKELY_FITTED, *notes]
        elif self.own_rows is None:
            notes.append(NOT_CHECKED)
        return summary_table(title, pairs, columns, rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the confusion table; cells of the controlled errors have a thick frame. Return the Axes."""
        from nproc.plotting import plot_confusion

        return plot_confusion(self, ax=ax, figsize=figsize)


def confusion_counts(codes, predicted, n_classes):
    """Return the table of counts, shape (K, K): true classes down, called classes across."""
    return np.bincount(codes * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)


INSTEAD_OF_CERTIFY = (
    "nproc.certify(fit, X0, class0=label) bounds how often rows of one class are called another, and "
    "fit.evaluate(X_new, y_new) has exact intervals of the error of each class"
)


class SeveralClassesFit(InNotebook):
    """What fits of several classes share; each supplies `_codes`, the classes of rows, and `_evaluation`, of counts."""

    prefit = False

    @property
    def feature_names(self: Any) -> tuple[str, ...] | None:
        """Names of the columns that new data must have, or None."""
        return self.design.required_columns

    @knows_names_of_r
    def predict(self: Any, X: Table) -> NDArray[Any]:
        """Return the predicted labels, shape (m,); `X` as in `decision_function`."""
        predicted = self.labels[self._codes(X)]
        warn_of_new_values(self.design.ranges, X)
        return predicted

    @knows_names_of_r
    def evaluate(self: Any, X: Table, y: ArrayLike | None = None, *, level: float = 0.95) -> MultiEvaluation:
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

        Warns
        -----
        NPWarning
            If at least a fifth of the rows equal rows of the fit. They are then probably rows of the fit, and the
            result says so. Fewer are not noticed.
        """
        level, predicted = check_level(level, "level"), self._codes(X)
        check_same_rows(X=X, y=y)
        codes = encode_labels(self.design.labels_of(X, y), self.labels)
        check_same_length(predicted, codes)
        warn_of_new_values(self.design.ranges, X)
        own_rows = self._warn_of_own_rows(X, np.arange(codes.size))
        counts = confusion_counts(codes, predicted, len(self.labels))
        return replace(self._evaluation(counts, level), own_rows=own_rows)

    def _warn_of_own_rows(self: Any, X, rows):
        """Warn if more rows, given by position, than by chance equal rows of the fit; return it, as `OwnRows.warn`."""
        own = self._warn_of_equal_rows(as_table(X, "X"), rows)
        return None if self.prefit and not own else own

    def _warn_of_equal_rows(self: Any, table, rows):
        seen = EqualRows(self.keys, sum(self.n_rows), self.design)
        seen.add(table, rows)
        if not seen.equal and self.table_keys is not None and self.table_keys.are_in(table):
            # by more columns rows are told again that agree in the predictors by chance
            in_table = EqualRows(self.table_keys.keys, sum(self.n_rows), self.table_keys)
            in_table.add(table, rows)
            if in_table.equal:
                warn_at_call(EQUAL_IN_TABLE_OF_ALL, NPWarning)
            return seen.equal if in_table.equal is None else in_table.equal
        if seen.equal:
            warn_at_call(EQUAL_ROWS_OF_ALL, NPWarning)
        return seen.equal


@dataclass(frozen=True, repr=False, eq=False)
class NPMultiFit(SeveralClassesFit):
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
        The rule of each stage: its threshold, rank and bounds.
    thresholds : ndarray, shape (K - 1,)
        Thresholds on the scores of the stages; minus infinity keeps no row in the class.
    orders, n_left_out : ndarray of int, shape (K - 1,)
        Rank of each threshold among the left-out rows of its class, and the number of these rows.
    violation_rates : ndarray, shape (K - 1,)
        The probability that each bound does not hold, at most ``deltas``.
    error_uppers : ndarray, shape (K - 1,)
        Bounds on P(called lower | class), at most ``alphas``; each holds with probability at least 1 - its delta.
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
    unmet, caveats : tuple of str
        As in `NPFit`.
    keys : ndarray of uint32
        Hashes of at most 512 rows of the fit, by which it recognises its rows, as `NPFit.keys0`.
    table_keys : object or None
        The same of a fit by formula, from all columns of its table but the labels.
    """

    method: str
    labels: np.ndarray
    alphas: tuple
    deltas: tuple
    n_rows: tuple
    stages: Any
    stage_rules: StageRules
    left_out_counts: np.ndarray
    split_ratio: float | None
    seed: int
    scheme: str
    stage_score: str | None
    design: Design
    keys: np.ndarray
    table_keys: Any = None
    prefit: bool = False
    versions: dict = field(default_factory=dict)
    unmet: tuple = ()
    caveats: tuple = ()

    # a type checker shall not take any name for an attribute
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError. If fits of two classes have the attribute, the message says what to use."""
            words = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name == "certify":
                way = INSTEAD_OF_CERTIFY
            elif not name.startswith("_") and hasattr(NPFit, name):
                way = "Fits of two classes, by npc, have it"
            else:
                raise AttributeError(words, name=name, obj=self)
            # without the object, Python guesses at no other name
            raise AttributeError(f"{words}. {way}.", name=name, obj=None)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.labels)

    @property
    def rules(self) -> tuple[Threshold, ...]:
        """The `Threshold` of each class but the last."""
        return self.stage_rules.rules

    thresholds = OfRules("value")
    orders = OfRules("order")
    n_left_out = OfRules("n0")
    violation_rates = OfRules("violation_rate")
    error_uppers = OfRules("type1_upper")

    @property
    def guaranteed(self) -> bool:
        """True if the bounds are proved: no condition is `unmet`, and none of the rows trained a prefit scorer."""
        return not self.unmet

    @property
    def joint_probability(self) -> float:
        """Least probability with which all bounds hold at once, the product of 1 - violation rate."""
        return float(np.prod(1 - self.violation_rates))

    def __repr__(self):
        order = " > ".join(str(label) for label in self.labels.tolist())
        bounds = ", ".join(
            f"{label} <= {rounded_up(upper, alpha)}"
            for label, upper, alpha in zip(self.labels.tolist(), self.error_uppers.tolist(), self.alphas, strict=False)
        )
        sizes = " and ".join(map(str, self.n_left_out))
        return (
            f"NPMultiFit(method={self.method!r}, priority {order}, alphas={_listed(self.alphas)}, "
            f"deltas={_listed(self.deltas)}, seed={self.seed})\n"
            f"  P(called lower | class): {bounds}; thresholds set by {sizes} left-out rows of the classes"
            + f", no guarantee: it would hold {' and '.join(self.unmet)}"
            * bool(self.unmet)
        )

    @knows_names_of_r
    def decision_function(self, X: Table) -> NDArray[np.float64]:
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
            If X does not have the columns of the fit, or a value is not finite.
        """
        with showing_rows(rows_in(X, "X")):
            return self.stage_rules.margins(score_new_rows(self.stages.scores, self.design.transform(X)))

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a class: the columns of `summary`."""
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
            "n_called_higher": [*(float(n) for n in self.stage_rules.n_called_higher), np.nan],
        }
        return table_frame(columns)

    def summary(self) -> Summary:
        """Return a table of levels, thresholds and bounds, and notes on what holds, as a summary of statsmodels."""
        labels = [str(label) for label in self.labels.tolist()]
        pairs = [
            ("Method", self.method),
            ("Priority", " > ".join(labels)),
            ("Classes", self.n_classes),
            ("Split ratio", "-" if self.split_ratio is None else shown_ratio(self.split_ratio)),
            ("Thresholds", self.scheme),
            ("Score", self.stage_score or "given"),
            ("Seed", self.seed),
        ]
        rows = []
        n_higher = self.stage_rules.n_called_higher
        for label, n, rule, higher in zip(labels, self.n_rows, self.rules, n_higher, strict=False):
            levels = (f"{rule.alpha:g}", f"{rule.delta:g}")
            kept = rule.value if rule.value > float("-inf") else "none kept"
            promised = rounded_up(rule.violation_rate, rule.delta), rounded_up(rule.type1_upper, rule.alpha)
            rows.append((label, n, rule.n0, *levels, rule.order, kept, *promised, higher))
        rows.append((labels[-1], self.n_rows[-1], *["-"] * 8))
        columns = [
            "Class",
            "Rows",
            "Left out",
            "alpha",
            "delta",
            "Rank",
            "Threshold",
            "Violation",
            "Error upper",
            "Called higher",
        ]
        notes = [
            "For each class but the last, P(called a class of lower priority | class) <= alpha holds with probability "
            "at least 1 - delta over the draw of its left-out rows (Proposition 1). All these bounds hold at once with "
            f"probability at least {rounded_down(self.joint_probability)}, the product of 1 - violation rate."
            + " The model was trained beforehand (prefit=True). It must not have seen these rows; this was not checked."
            * self.prefit,
            "No error of the last class is bounded. In the classes between the first and the last, the share of rows "
            "that are called a class of higher priority is not bounded. To estimate these errors, evaluate the fit on "
            "new rows.",
            "Violation: an upper bound on the probability that P(called lower | class) is above alpha. Error upper: "
            "P(called lower | class) is at most this value with probability at least 1 - delta. Called higher: the "
            "number of left-out rows of the class that are called a class of higher priority.",
        ]
        if self.unmet:
            ways_out = [WAYS_OUT[condition] for condition in self.unmet if condition in WAYS_OUT]
            promise = f"What follows would hold {' and '.join(self.unmet)}."
            notes.insert(0, " ".join(["Nothing is guaranteed.", promise, *ways_out]))
        silent = [str(self.labels[j]) for j, rule in enumerate(self.rules) if rule.value == float("-inf")]
        if silent:
            notes[-2] += f" No row is ever called {', '.join(silent)}: {NEVER_CALLED}"
        notes += [*self.design.label_notes(), *self.caveats]
        return summary_table("Neyman-Pearson classifier, several classes", pairs, columns, rows, notes)

    def plot(
        self,
        X: Table | None = None,
        y: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the confusion table of new rows, or without `X` that of the left-out rows; return the Axes.

        Parameters
        ----------
        X, y : optional
            As in `evaluate`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if X is not None:
            return self.evaluate(X, y).plot(ax=ax, figsize=figsize)
        if y is not None:
            raise InvalidInputError("y was given without X; give the rows too, or neither for the left-out rows.")
        from nproc.plotting import plot_confusion

        left_out, title = self._evaluation(self.left_out_counts, 0.95), "left-out rows, which set the thresholds"
        return plot_confusion(left_out, title=title, ax=ax, figsize=figsize)

    def _evaluation(self, counts, level):
        # called lower than the own class; the last class has no lower one
        controlled = np.triu(np.ones(counts.shape, dtype=bool), k=1)
        promise = (
            "P(called a class of lower priority | class) <= alpha, for each class with probability at least 1 - its "
            "delta"
        )
        if self.unmet:
            promise += f", {' and '.join(self.unmet)}"
        return MultiEvaluation(self.labels, counts, controlled, (*self.alphas, None), level, promise)

    def _codes(self, X):
        return first_kept(self.decision_function(X))


def _listed(values):
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


NEVER_CALLED = (
    "so many of its left-out rows are assigned to a class of higher priority that its bound holds even if no row "
    "is called this class. Raise the alpha of the classes before it, or use scheme='separate'."
)


def _level(alpha):
    return "none" if alpha is None else f"{alpha:g}"


def _error(error, holds):
    if error is None or error.rate is None:
        return "-"
    return f"{error.rate:.4f}" + f" [{rounded_down(error.lower)}, {rounded_up(error.upper)}]" * holds


@dataclass(frozen=True, repr=False, eq=False)
class NPCSFit(SeveralClassesFit):
    """A classifier with costs chosen for levels of the errors of some classes; made by `npcs`. It has no bound.

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
    keys : ndarray of uint32
        Hashes of at most 512 rows of the fit, by which it recognises its rows, as `NPFit.keys0`.
    table_keys : object or None
        The same of a fit by formula, from all columns of its table but the labels.
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
    keys: np.ndarray
    table_keys: Any = None
    versions: dict = field(default_factory=dict)

    @property
    def guaranteed(self) -> bool:
        """Always False."""
        return False

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
            f"seed={self.seed})\n  these errors have no guarantee; npc_multiclass bounds other errors"
        )

    @knows_names_of_r
    def decision_function(self, X: Table) -> NDArray[np.float64]:
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
            If X does not have the columns of the fit, or a value is not finite.
        """
        classes = range(len(self.labels))
        with showing_rows(rows_in(X, "X")):
            values, _ = score_new_rows(lambda rows: class_values(self.model, rows, classes), self.design.transform(X))
        return values * self.costs

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a class: rows, alpha, weight, multiplier, cost, estimated error."""
        return table_frame(
            {
                "class": self.labels.tolist(),
                "n": list(self.n_rows),
                "alpha": np.array(self.alphas, dtype=np.float64),
                "weight": self.weights,
                "lambda": self.lam,
                "cost": self.costs,
                "estimated_error": self.estimated_errors,
            }
        )

    def summary(self) -> Summary:
        """Return a table of levels, multipliers and costs, and notes on what holds, as a summary of statsmodels."""
        labels = [str(label) for label in self.labels.tolist()]
        pairs = [
            ("Method", self.method),
            ("Variant", {"cx": "CX (convex, plug-in)", "er": "ER (held-out errors)"}[self.variant]),
            ("Classes", len(labels)),
            ("Rows", sum(self.n_rows)),
            ("Feasible as estimated", self.feasible),
            ("Dual value", self.dual_value),
            ("Dual gap", "-" if self.gap is None else f"{self.gap:.1e}"),
            ("Seed", self.seed),
        ]
        levels = map(_level, self.alphas)
        rows = list(
            zip(labels, self.n_rows, self.weights, levels, self.lam, self.costs, self.estimated_errors, strict=True)
        )
        columns = ["Class", "Rows", "Weight", "alpha", "lambda", "Cost", "Error on these rows"]
        which = "the held-out rows that chose lambda" if self.variant == "er" else "the training rows"
        notes = [
            "There is no guarantee, because the method aims at the levels through estimated probabilities. In "
            "simulations the true error of a class exceeded its alpha in 42 to 75 % of the samples. A "
            "multiclass classifier by priority bounds another error: the probability that a row is called a class of "
            "lower priority than its own.",
            "A row is called the class with the largest product of cost and estimated probability, where cost = "
            "(weight + lambda) / share of the class. lambda: the multiplier of the level of the class, 0 where it has "
            "none or where the level is met without one. Dual value: by the estimated probabilities no classifier that "
            "meets all levels has a smaller sum of weight times error. Error on these rows: the share of rows of the "
            f"class called another one, on {which}. It underestimates the true error if the model overfits.",
        ]
        if not self.feasible:
            notes.insert(1, self.diagnosis)
        title = "Cost-sensitive Neyman-Pearson classifier, several classes"
        return summary_table(title, pairs, columns, rows, notes)

    def plot(
        self,
        X: Table,
        y: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the confusion table of new rows; `X`, `y` as in `evaluate`. Return the Axes."""
        return self.evaluate(X, y).plot(ax=ax, figsize=figsize)

    def _evaluation(self, counts, level):
        has = np.array([alpha is not None for alpha in self.alphas])
        controlled = has[:, None] & ~np.eye(has.size, dtype=bool)
        promise = "P(called another class | class) aims at alpha; there is no guarantee"
        return MultiEvaluation(self.labels, counts, controlled, self.alphas, level, promise)

    def _codes(self, X):
        return self.decision_function(X).argmax(axis=1)
