"""A fitted Neyman-Pearson classifier."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nproc.design import Design
from nproc.fit_bounds.methods import FitBounds
from nproc.labels import plain_labels
from nproc.predicting.methods import Predictions
from nproc.row_chunks.refusals import explaining
from nproc.scorers import score_rows
from nproc.scorers.training import describe_trained
from nproc.thresholds import Threshold


@dataclass(frozen=True, repr=False, eq=False)
class NPFit(Predictions, FitBounds):
    """A Neyman-Pearson classifier: M scorers, each with its own threshold, and their majority vote.

    Made by `npc`, `NPClassifier` and `NPROCBand.classifier`.

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta` (proved for one split).
    thresholds, orders, violation_rates, type1_uppers : ndarray, shape (n_splits,)
        Of each split: the threshold, its rank among the left-out class 0 scores, the violation rate actually
        reached (at most `delta`), and the 1 - `delta` upper bound on the type I error (at most `alpha`).
    n0, n1 : int
        Rows of each class.
    n0_left_out : int
        Class 0 rows that set the threshold of each split.
    n_splits : int
        Number of splits, M.
    split_ratio : float or None
        Share of the class 0 rows that trained; None for a prefit scorer.
    labels : ndarray, shape (2,)
        The user's labels, the prioritised one first.
    seed : int
        Root seed: the same call with ``random_state=seed`` gives the same classifier.
    scorers : tuple
        The trained scorers.
    rules : tuple of Threshold
        The thresholds with all that is known of them.
    scores0 : tuple of ndarray
        Left-out class 0 scores of each split.
    design : Design
        Turns new rows into what the scorers see.
    ties : str
        How a score equal to a threshold is called, see `np_threshold`.
    prefit : bool
        Whether the scorer was given trained.
    guaranteed : bool
        Whether the bound on the type I error is proved: one split, and `alpha` not chosen on the rows that set the
        threshold, unless the rank is one of a simultaneous band.
    alpha_chosen : bool
        Whether `alpha` was chosen on the rows that set the thresholds.
    simultaneous : bool
        Whether the rank is one of a simultaneous band, whose promise holds for all alpha at once.
    caveats : tuple of str
        What the reader of a summary should know.
    versions : dict
        Versions of the packages that made the fit.
    ratio_choice : RatioChoice or None
        How an adaptive split ratio was chosen.
    """

    method: str
    alpha: float
    delta: float
    n0: int
    n1: int
    n_splits: int
    split_ratio: float | None
    labels: np.ndarray
    seed: int
    scorers: tuple
    rules: tuple[Threshold, ...]
    scores0: tuple
    design: Design
    ties: str = "conservative"
    prefit: bool = False
    alpha_chosen: bool = False
    simultaneous: bool = False
    caveats: tuple = ()
    versions: dict = field(default_factory=dict)
    ratio_choice: object = None

    @property
    def class0(self):
        """The prioritised label."""
        return plain_labels(self.labels)[0]

    @property
    def guaranteed(self):
        return self.n_splits == 1 and (self.simultaneous or not self.alpha_chosen)

    @property
    def thresholds(self):
        return np.array([rule.value for rule in self.rules])

    @property
    def orders(self):
        return np.array([rule.order for rule in self.rules])

    @property
    def violation_rates(self):
        return np.array([rule.violation_rate for rule in self.rules])

    @property
    def type1_uppers(self):
        return np.array([rule.type1_upper for rule in self.rules])

    @property
    def n0_left_out(self):
        return self.rules[0].n0

    @property
    def feature_names(self):
        """Names of the columns that new data must have, or None."""
        return self.design.required_columns

    def __repr__(self):
        from nproc.reports import span

        splits = f"{self.n_splits} split" + ("s" if self.n_splits > 1 else "")
        doubt = ", no guarantee: alpha was chosen on them" * (self.alpha_chosen and not self.simultaneous)
        doubt = doubt or ", all alpha at once" * self.simultaneous + " in each split" * (self.n_splits > 1)
        return (
            f"NPFit(method={self.method!r}, alpha={self.alpha:g}, delta={self.delta:g}, {splits}, "
            f"class0={self.class0!s}, seed={self.seed})\n"
            f"  {self.n0_left_out} of {self.n0} class 0 rows set the threshold at rank {span(self.orders)}: "
            f"violation rate {span(self.violation_rates)}, type I error <= {span(self.type1_uppers)}{doubt}"
        )

    def to_frame(self):
        """Return a DataFrame with a row a split: threshold, order, violation rate, bound on the type I error."""
        from nproc.tables import table_frame

        return table_frame(
            {
                "split": np.arange(1, self.n_splits + 1),
                "threshold": self.thresholds,
                "order": self.orders,
                "n0_left_out": np.array([rule.n0 for rule in self.rules]),
                "violation_rate": self.violation_rates,
                "type1_upper": self.type1_uppers,
            }
        )

    def summary(self, *, max_rows=15):
        """Return a table of levels, sizes and thresholds, and notes on what holds and on the training of the scorers.

        Parameters
        ----------
        max_rows : int or None
            Splits shown; None shows all.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        from nproc.reports import fit_report

        return fit_report(self, scorer=describe_trained(self.scorers), max_rows=max_rows)

    def plot(self, *, ax=None):
        """Draw the left-out class 0 scores of each split about their threshold; return the Axes."""
        from nproc.plotting import plot_threshold

        return plot_threshold(list(self.scores0), self.thresholds, ax=ax, alpha=self.alpha, labels=self.labels)

    def _scores(self, X):
        rows = self.design.transform(self._table(X))
        values = self.labels if self.prefit else None
        with explaining(rows):
            return np.column_stack([score_rows(scorer, rows, values) for scorer in self.scorers])
