"""The confusion table of several classes, with the errors that have a bound and those that have none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.design import check_same_length
from nproc.errorbounds import clopper_pearson
from nproc.labels import encode_labels
from nproc.matching_rows import check_same_rows
from nproc.reprs import InNotebook


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
        What is promised of the controlled errors.
    """

    labels: np.ndarray
    counts: np.ndarray
    controlled: np.ndarray
    alphas: tuple
    level: float
    promise: str

    @property
    def n(self):
        """Rows of each class, shape (K,)."""
        return self.counts.sum(axis=1)

    @property
    def rates(self):
        """Counts as shares of the rows of the class, shape (K, K); NaN in the line of a class without rows."""
        n = self.n[:, None].astype(np.float64)
        return np.divide(self.counts, n, out=np.full(self.counts.shape, np.nan), where=n > 0)

    @property
    def controlled_errors(self):
        """`ClassError` of each class over its controlled cells, None for a class that has no level."""
        wrong = (self.counts * self.controlled).sum(axis=1)
        return tuple(
            None if alpha is None else self._error(w, n) for w, n, alpha in zip(wrong, self.n, self.alphas, strict=True)
        )

    @property
    def total_errors(self):
        """`ClassError` of each class over all wrong cells."""
        return tuple(self._error(n - c, n) for n, c in zip(self.n, np.diag(self.counts), strict=True))

    def _error(self, count, n):
        count, n = int(count), int(n)
        if n == 0:
            return ClassError(count, n, None, None, None)
        interval = clopper_pearson(count, n, level=self.level)
        return ClassError(count, n, count / n, interval.lower, interval.upper)

    def __repr__(self):
        total = int(self.counts.sum())
        right = int(np.trace(self.counts))
        errors = ", ".join(
            f"{label}: {error.rate:.4f} (alpha {alpha:g})"
            for label, error, alpha in zip(self.labels.tolist(), self.controlled_errors, self.alphas, strict=True)
            if error is not None and error.rate is not None
        )
        return f"MultiEvaluation({right} of {total} rows right; errors with a level: {errors or 'none'})"

    def to_frame(self):
        """Return a DataFrame with a row a class: its counts, controlled error and total error with intervals."""
        from nproc.tables import table_frame

        columns = {"class": self.labels.tolist(), "n": self.n}
        for k, label in enumerate(self.labels.tolist()):
            columns[f"called {label}"] = self.counts[:, k]
        columns["alpha"] = [_number(alpha) for alpha in self.alphas]
        for name, errors in (("controlled", self.controlled_errors), ("total", self.total_errors)):
            for part in ("rate", "lower", "upper"):
                values = [None if error is None else getattr(error, part) for error in errors]
                columns[f"{name}_{part}"] = [_number(value) for value in values]
        return table_frame(columns)

    def summary(self):
        """Return the confusion table and both errors of each class, as a summary of statsmodels."""
        from nproc.multiclass.reports import confusion_report

        return confusion_report(self)

    def plot(self, *, ax=None):
        """Draw the confusion table; cells of the controlled errors have a thick frame. Return the Axes."""
        from nproc.plotting.confusion import plot_confusion

        return plot_confusion(
            self.counts, [str(v) for v in self.labels.tolist()], controlled=self.controlled, alphas=self.alphas, ax=ax
        )


def _number(value):
    return np.nan if value is None else value


def confusion_counts(codes, predicted, n_classes):
    """Return the table of counts, shape (K, K): true classes down, called classes across."""
    return np.bincount(codes * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)


def count_predictions(fit, X, y, predicted):
    """Return the table of counts of new rows, of which a fit has called the classes with the codes `predicted`."""
    check_same_rows(X=X, y=y)
    codes = encode_labels(fit.design.labels_of(X, y), fit.labels)
    check_same_length(predicted, codes)
    return confusion_counts(codes, predicted, len(fit.labels))
