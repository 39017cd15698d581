"""A classifier whose score is a weighted sum of columns, as numbers that any program can use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nproc.checks import check_numeric_matrix, check_path, tells_names
from nproc.errors import InvalidInputError
from nproc.fits import NPFit, single_cut
from nproc.outputs import write_json
from nproc.rows import Table, as_table, is_frame, near_names
from nproc.scorers import linear_form
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    level_pairs,
    rounded_up,
    short,
    summary_table,
    table_frame,
)

FORMAT, FORMAT_VERSION = "nproc-linear-rule", 1


@dataclass(frozen=True, repr=False)
class LinearRule(InNotebook):
    """A row is of class 1 where ``row @ weights + intercept >= cut``, and of class 0 otherwise.

    Attributes
    ----------
    columns : tuple of str, or None
        Names of the columns in the order of `weights`.
    weights : tuple of float
        One a column, in its units.
    intercept, cut : float
        Added to the sum, and compared with it.
    class0, class1 : label
        The labels, class 0 the controlled one.
    alpha, delta : float
        The type I error is at most `alpha` with probability at least 1 - `delta`.
    n0, order : int
        Number of class 0 scores that set the cut, and its rank among them.
    violation_rate : float
        Upper bound on the probability that the type I error exceeds `alpha`.
    guaranteed : bool
        Whether the fit has a guarantee.
    statement : str
        What is guaranteed and on which conditions, as the summary of the fit says it.
    """

    columns: tuple[str, ...] | None
    weights: tuple[float, ...]
    intercept: float
    cut: float
    class0: Any
    class1: Any
    alpha: float
    delta: float
    n0: int
    order: int
    violation_rate: float
    guaranteed: bool
    statement: str

    def __repr__(self):
        return (
            f"LinearRule({len(self.weights)} weights, cut={short(self.cut)}, class0={self.class0!s}, "
            f"class1={self.class1!s}, alpha={short(self.alpha)}, delta={short(self.delta)}, order={self.order} of "
            f"n0={self.n0})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a column of the data: its name and its weight."""
        names = self.columns or [f"column {j}" for j in range(1, len(self.weights) + 1)]
        return table_frame({"column": list(names), "weight": list(self.weights)})

    def summary(self) -> Summary:
        """Return a table of the weights and of what the rule promises, as a summary of statsmodels."""
        pairs = [
            ("Class 0 (controlled)", str(self.class0)),
            ("Class 1", str(self.class1)),
            ("Intercept", self.intercept),
            ("Cut", self.cut),
            *level_pairs(self, "alpha", "delta"),
            ("Rank", f"{self.order} of {self.n0}"),
            ("Violation rate", rounded_up(self.violation_rate, self.delta)),
        ]
        notes = [
            f"A row is called {self.class1} (class 1) when the sum of its weighted columns and the intercept is at "
            "least the cut.",
            self.statement,
        ]
        rows = list(self.to_frame().itertuples(index=False, name=None))
        return summary_table("Linear Neyman-Pearson rule", pairs, ["Column", "Weight"], rows, notes)

    def predict(self, X: Table) -> NDArray[Any]:
        """Call each row by its label.

        Parameters
        ----------
        X : DataFrame or array-like, shape (m, p)
            New rows. Of a frame the columns of the rule are taken by their names, if it has names.

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        InvalidInputError
            If columns are missing, or values are not finite numbers.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.serving import linear_rule
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(500, random_state=1)
        >>> fit = npc(sample.X, sample.y, "logistic", random_state=1)
        >>> bool((linear_rule(fit).predict(sample.X) == fit.predict(sample.X)).all())
        True
        """
        table = as_table(X, "X")
        if is_frame(table) and self.columns is not None:
            lost = [name for name in self.columns if name not in table.columns]
            if lost:
                meant = near_names(self.columns, table.columns)
                raise InvalidInputError(f"X lacks the column(s) {lost} of the rule. {meant}".rstrip())
            table = table[list(self.columns)]
        rows = check_numeric_matrix(table, "X", method="the linear rule")
        if rows.shape[1] != len(self.weights):
            raise InvalidInputError(f"X has {rows.shape[1]} columns, but the rule has {len(self.weights)} weights.")
        scores = rows @ np.array(self.weights) + self.intercept
        return np.array([self.class0, self.class1])[(scores >= self.cut).astype(np.intp)]

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain numbers, texts and lists."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain |= {"weights": list(self.weights), "columns": None if self.columns is None else list(self.columns)}
        return {"format": FORMAT, "format_version": FORMAT_VERSION} | plain

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the rule as JSON, with numbers to the last digit; return the path."""
        path = check_path(path, "path")
        write_json(path, self.to_dict(), indent=2)
        return path


@tells_names
def linear_rule(fit: NPFit) -> LinearRule:
    """Return the weights and the cut of a fit whose score is linear in the columns.

    Parameters
    ----------
    fit : NPFit
        Of one split, by a linear method: "logistic", "lda", "penlog", "slda", a linear classifier of scikit-learn or a
        linear method of this package, also with a StandardScaler before it or in a search of scikit-learn. The rows may
        have been a table of numbers, or a formula that names such columns alone.

    Returns
    -------
    LinearRule

    Raises
    ------
    InvalidInputError
        If the score is not known to be linear in the columns, or the fit has no single threshold.

    Notes
    -----
    The labels are those of ``fit.predict`` but for rows whose score is within rounding of the cut: the sum may be
    added up in another order. The guarantee is that of the fit.

    Examples
    --------
    >>> from nproc import npc
    >>> from nproc.serving import linear_rule
    >>> from nproc.simulate import simulation1
    >>> sample = simulation1(500, random_state=1)
    >>> rule = linear_rule(npc(sample.X, sample.y, "lda", random_state=1))
    >>> len(rule.weights), rule.class0, rule.order, rule.n0
    (1, 0, 122, 124)
    """
    cut = single_cut(fit, "linear_rule")
    design, scorer = fit.design, fit.scorers[0]
    coding = design.coding
    form = linear_form(scorer, fit.labels if fit.prefit else None)
    if form is None:
        raise InvalidInputError(
            f"linear_rule does not know the scores of {fit.method} as a weighted sum of the columns. Use "
            "nproc.serving.to_onnx, or save() for use in Python."
        )
    if coding is not None and coding.names != tuple(coding.kinds):
        raise InvalidInputError(
            f"the formula {coding.formula!r} transforms columns, which a linear rule cannot do. Use save(), or fit "
            "with a table of numbers."
        )
    class0, class1 = fit.labels.tolist()
    rule, statement, none = fit.rules[0], fit.notes(columns=False)[0], "There is no guarantee on the type I error"
    if not fit.guaranteed and not statement.startswith(none):
        # it says what would have to be true
        statement = f"{none}. {statement}"
    return LinearRule(
        columns=design.feature_names,
        weights=tuple(form.weights.tolist()),
        intercept=float(form.intercept),
        cut=cut,
        class0=class0,
        class1=class1,
        alpha=fit.alpha,
        delta=fit.delta,
        n0=rule.n0,
        order=rule.order,
        violation_rate=float(rule.violation_rate),
        guaranteed=fit.guaranteed,
        statement=statement,
    )
