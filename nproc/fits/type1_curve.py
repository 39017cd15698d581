"""The bound on the type I error of a fitted rule, for every probability that it fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import check_level, check_levels, level_text
from nproc.orderstat import type1_upper, violation_rate
from nproc.tables import Axes, DataFrame, InNotebook, Summary, rounded_up, summary_table, table_frame

SHOWN = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, repr=False, eq=False)
class Type1Curve(InNotebook):
    r"""The law that bounds the type I error of the threshold at one rank; made by `NPFit.type1_upper_curve`.

    Attributes
    ----------
    order, n0 : int
        Rank of the threshold among the left-out class 0 scores, and their number.
    delta, type1_upper : ndarray, shape (m,)
        Probabilities that the bound fails, and the bound on the type I error for each of them.
    alpha : float
        Level of the classifier.
    n_splits : int
        Number of splits; with several, the curve is that of each split, not of the vote.
    guaranteed : bool
        Whether the rank was surely fixed before the left-out scores were looked at, there is one split, and no `unmet`
        condition: False after `NPROCBand.choose_alpha`, and for the classifiers of simultaneous bands, which invite to
        choose.
    unmet : tuple of str
        As in `NPFit`.

    Notes
    -----
    For continuous scores the type I error R of the rule at rank k has the law Beta(n0 + 1 - k, k), over the draw of the
    left-out rows; with ties it is smaller in law. The curve is its quantile function, P(R <= type1_upper(delta)) =
    1 - delta for each delta. It depends on n0 and k alone, not on the scores, so that nothing is lost by choosing delta
    after looking at the curve. It is not one event that holds for all delta: as delta goes to 1 the bound goes to 0,
    and R is a single number. A delta chosen after an evaluation on new rows, or with a rank chosen on the left-out
    scores, has no such chance.

    References
    ----------
    Proposition 1 and equation 3 of [tong2018]_.
    """

    order: int
    n0: int
    delta: np.ndarray
    type1_upper: np.ndarray
    alpha: float
    n_splits: int
    guaranteed: bool
    unmet: tuple = ()

    def __repr__(self):
        each = "each split: " * (self.n_splits > 1)
        return (
            f"Type1Curve({each}rank {self.order} of {self.n0}: type I error {self.mean:.4g} on average, violation "
            f"rate {self._shown_rate} at alpha={level_text(self.alpha)})"
        )

    @property
    def mean(self) -> float:
        """Mean of the type I error over draws of the left-out rows (with ties: at most this)."""
        return (self.n0 + 1 - self.order) / (self.n0 + 1)

    @property
    def _shown_rate(self):
        return rounded_up(self.delta_at(self.alpha))

    def at(self, delta: float) -> float:
        """Return the bound on the type I error that fails with probability delta, one float.

        Parameters
        ----------
        delta : float
            The probability, in (0, 1), that the bound fails; fixed before looking at new rows.
        """
        return type1_upper(self.order, self.n0, check_level(delta, "delta"))

    def delta_at(self, type1: float) -> float:
        """Return the probability that the type I error exceeds a level, one float.

        Parameters
        ----------
        type1 : float
            The level, in (0, 1).
        """
        return violation_rate(self.order, self.n0, check_level(type1, "type1"))

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of delta and type1_upper."""
        return table_frame({"delta": self.delta, "type1_upper": self.type1_upper})

    def summary(self) -> Summary:
        """Return a table of the bound for some probabilities that it fails, which prints like those of statsmodels."""
        pairs = [
            ("Rank", self.order),
            ("Of", self.n0),
            ("alpha", level_text(self.alpha)),
            ("Violation rate at alpha", self._shown_rate),
            ("Mean type I error", self.mean),
            ("Guaranteed", self.guaranteed),
        ]
        notes = [
            "Over the draw of the left-out rows, each bound fails with probability delta (exactly for continuous "
            "scores, at most delta with ties). The bounds depend only on the rank and the number of left-out "
            "rows, so delta may be chosen from this table, but not after looking at errors on new rows."
        ]
        if self.n_splits > 1:
            notes.append(f"The bounds are for each of the {self.n_splits} splits, not for their vote.")
        elif not self.guaranteed:
            notes.append(
                f"None of these bounds is guaranteed. They would hold {' and '.join(self.unmet)}."
                if self.unmet
                else "If alpha was chosen on the left-out rows, none of these bounds is guaranteed. If alpha was fixed "
                "beforehand, all of them hold."
            )
        rows = [(f"{delta:g}", rounded_up(self.at(delta)), f"{1 - delta:g}") for delta in SHOWN]
        columns = ["delta", "Type I upper", "Holds with probability"]
        return summary_table("Type I error of a fitted rule", pairs, columns, rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the bound against delta, with the level of the classifier; return the Axes."""
        from nproc.plotting import plot_type1_curve

        return plot_type1_curve(self, self._shown_rate, ax=ax, figsize=figsize)


def curve_of(rule, deltas, *, alpha, n_splits, guaranteed, unmet):
    """Return the `Type1Curve` of a `Threshold`; `deltas` None takes 199 from 0.0005 to 0.9995."""
    # evenly spread on the logit scale, so that both tails are seen
    spread = np.concatenate([np.geomspace(0.0005, 0.5, 100), 1 - np.geomspace(0.5, 0.0005, 100)[1:]])
    deltas = spread if deltas is None else np.atleast_1d(check_levels(deltas, "deltas")).ravel()
    bounds = np.array([type1_upper(rule.order, rule.n0, float(delta)) for delta in deltas])
    return Type1Curve(rule.order, rule.n0, deltas, bounds, alpha, n_splits, guaranteed, unmet)
