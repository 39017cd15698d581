"""The result of a comparison of procedures, approximate throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.comparison.reports import procedures_report
from nproc.reprs import InNotebook, ShortRepr


@dataclass(frozen=True, repr=False)
class ProcedureDifference(ShortRepr):
    """The type II error of one procedure minus that of another at one level; every number is approximate.

    Attributes
    ----------
    first, second : str
        Names of the methods.
    alpha : float
        Level.
    difference : float
        Mean over the splits of type II error of the first minus that of the second.
    std_error : float
        Its corrected standard error.
    lower, upper : float
        Ends of the interval, for this difference by itself.
    p_value, p_adjusted : float
        Two-sided p-value, and the same adjusted by Holm's procedure for all pairs and levels.
    """

    first: str
    second: str
    alpha: float
    difference: float
    std_error: float
    lower: float
    upper: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, repr=False, eq=False)
class ProcedureComparison(InNotebook):
    """Comparison of methods as procedures, approximate; made by `compare_procedures`.

    Attributes
    ----------
    names : tuple of str
        Names of the methods.
    alpha : ndarray, shape (A,)
        Levels.
    delta : float
        Chance, for each split, of a type I error above alpha.
    level : float
        Coverage that each interval aims at.
    type2 : ndarray, shape (n_splits, K, A)
        Share of left-out class 1 rows missed, for each split, method and level.
    differences : tuple of ProcedureDifference
        All pairs at all levels.
    n_splits : int
        Number of splits.
    n_train, n_left_out : int
        Rows that train and rows that are left out in each split.
    split_ratio : float
        Share of the rows of each class that train.
    labels : ndarray, shape (2,)
        The user's labels, class 0 first.
    seed : int
        Root seed of the splits.
    """

    names: tuple
    alpha: np.ndarray
    delta: float
    level: float
    type2: np.ndarray
    differences: tuple
    n_train: int
    n_left_out: int
    split_ratio: float
    labels: np.ndarray
    seed: int

    @property
    def n_splits(self):
        return self.type2.shape[0]

    def __repr__(self):
        found = sum(d.p_adjusted <= 1 - self.level for d in self.differences)
        return (
            f"ProcedureComparison({', '.join(self.names)}; procedures, approximate; delta={self.delta:g}, "
            f"{self.n_splits} splits, {found} of {len(self.differences)} difference(s) with adjusted p <= "
            f"{1 - self.level:.3g}, seed={self.seed})"
        )

    def to_frame(self):
        """Return a DataFrame with a row for each pair of methods and level, with the fields of a difference."""
        from nproc.tables import table_frame

        fields = list(ProcedureDifference.__dataclass_fields__)
        return table_frame({field: [getattr(d, field) for d in self.differences] for field in fields})

    def summary(self):
        """Return a table of the differences that prints like those of statsmodels."""
        return procedures_report(self)

    def plot(self, *, ax=None):
        """Draw the differences with their intervals; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        """
        from nproc.plotting import plot_differences

        rows = [
            (rf"{d.first} $-$ {d.second}, $\alpha$ = {d.alpha:g}", d.difference, d.lower, d.upper)
            for d in self.differences
        ]
        marked = [d.p_adjusted <= 1 - self.level for d in self.differences]
        note = f"procedures, approximate; filled: adjusted p $\\leq$ {1 - self.level:.3g}"
        return plot_differences(rows, marked, ax=ax, note=note)
