"""What the checks of a fit found, one after the other and together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nproc.assumptions.new_rows import MOST_EXACT
from nproc.orderstat import holm_adjusted
from nproc.tables import DataFrame, InNotebook, ShortRepr, Summary, at_least, p_text, summary_table, table_frame

AGAINST, ALONE, QUIET, NOT_MADE = "against", "against alone", "not against", "not made"


@dataclass(frozen=True, repr=False)
class AssumptionCheck(ShortRepr):
    """One check of what the promise of a classifier rests on.

    Attributes
    ----------
    name : str
        What is checked.
    p_value : float or None
        P(p <= t) is at most t if the assumption holds, of new scores about t above 1000 scores; of several splits
        combined. None if the check was not made.
    level : float
        At or below it the check speaks against the assumption.
    found : str
        What was found, in a few words, or why the check was not made.
    meaning : str
        What it would mean if this check speaks against the assumption.
    by_split : tuple
        The result in each split, such as `TrendTest`; empty if the check was not made.
    """

    name: str
    p_value: float | None
    level: float
    found: str
    meaning: str
    by_split: tuple[Any, ...] = ()

    @property
    def made(self) -> bool:
        """Whether the check could be made."""
        return self.p_value is not None

    @property
    def against(self) -> bool:
        """Whether the check speaks against the assumption: its p-value is at most `level`."""
        return self.p_value is not None and self.p_value <= self.level

    @property
    def reading(self) -> str:
        """The p-value in words, whatever the other checks found."""
        return NOT_MADE if not self.made else AGAINST if self.against else QUIET


@dataclass(frozen=True, repr=False, eq=False)
class AssumptionChecks(InNotebook):
    """Checks of what the promise of a Neyman-Pearson classifier rests on. They inform, and promise nothing.

    Made by `NPFit.check_assumptions`, whose notes say what each check is worth.

    Attributes
    ----------
    trend, change, martingale : AssumptionCheck
        Do the left-out class 0 scores move with the order of the rows: steadily, at one point, in any way that a
        bettor can use?
    new_scores, new_errors : AssumptionCheck
        Do new class 0 scores have the law of the left-out ones, and do no more of them exceed the threshold than its
        rank leads to expect?
    clusters : AssumptionCheck
        Are the scores of one cluster alike?
    level : float
        The level of each check.
    n0_left_out, n_splits : int
        Of the fit.
    n_permutations : int
        Random permutations from which the p-values of trend, change and clusters are computed.
    seed : int
        Source of the permutations: the same call with ``random_state=seed`` gives the same result.
    order : str
        By what the rows are in order: the name of a Series, "the values given" without a name, "the rows", or for a
        fit with clusters "the clusters".
    drawn : Drawn
        What `plot` draws, of the first split.
    note : str
        Which of the new rows were left out because of their labels, and of which columns most new values lie outside
        the range in the rows of the fit, as sentences.
    new_clusters_unknown : bool
        Whether the fit was made with clusters and those of the new rows are not known. The p-values of new_scores and
        new_errors then hold only if the new rows are independent.
    told : tuple of str
        What the fit warned of in its table, as sentences.
    """

    trend: AssumptionCheck
    change: AssumptionCheck
    martingale: AssumptionCheck
    new_scores: AssumptionCheck
    new_errors: AssumptionCheck
    clusters: AssumptionCheck
    level: float
    n0_left_out: int
    n_splits: int
    n_permutations: int
    seed: int
    order: str = "the rows"
    drawn: Any = None
    note: str = ""
    new_clusters_unknown: bool = False
    told: tuple[str, ...] = ()

    @property
    def checks(self) -> tuple[AssumptionCheck, ...]:
        """All checks, also those that were not made."""
        return (self.trend, self.change, self.martingale, self.new_scores, self.new_errors, self.clusters)

    @property
    def made(self) -> tuple[AssumptionCheck, ...]:
        """The checks that were made."""
        return tuple(check for check in self.checks if check.made)

    @property
    def against(self) -> tuple[AssumptionCheck, ...]:
        """The checks that speak against an assumption, each at its own level."""
        return tuple(check for check in self.checks if check.against)

    @property
    def holm(self) -> tuple[float | None, ...]:
        """The p-value of each of `checks`, adjusted for their number by Holm; None for those that were not made."""
        adjusted = iter(holm_adjusted(np.array([check.p_value for check in self.made], dtype=np.float64)).tolist())
        return tuple(next(adjusted) if check.made else None for check in self.checks)

    @property
    def readings(self) -> tuple[str, ...]:
        """The reading of each check: "against alone" where its p-value is at most `level`, and that of Holm is not."""
        return tuple(
            ALONE if check.against and p is not None and p > self.level else check.reading
            for check, p in zip(self.checks, self.holm, strict=True)
        )

    def __repr__(self):
        n_made = len(self.made)
        read = list(zip(self.checks, self.holm, self.readings, strict=True))
        against = [f"{check.name} (Holm p = {p:.2g})" for check, p, reading in read if reading == AGAINST]
        alone = [f"{check.name} (p = {check.p_value:.2g})" for check, _, reading in read if reading == ALONE]
        if against:
            verb = "speaks" if len(against) == 1 else "speak"
            verdict = f"{len(against)} of {n_made} checks {verb} against the assumptions: {', '.join(against)}"
        elif n_made == 0:
            verdict = "no check could be made; summary() says why"
        else:
            verdict = f"none of the {n_made} checks made speaks against the assumptions; this proves none of them"
        if alone:
            verdict += f"\n  only without the adjustment for {n_made} checks: {', '.join(alone)}"
        return f"AssumptionChecks(level={self.level:g} each, {len(self.checks) - n_made} not made)\n  {verdict}"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a check: check, found, p_value, p_holm, reading, meaning."""
        return table_frame(
            {
                "check": [check.name for check in self.checks],
                "found": [check.found for check in self.checks],
                "p_value": np.array([np.nan if check.p_value is None else check.p_value for check in self.checks]),
                "p_holm": np.array([np.nan if p is None else p for p in self.holm]),
                "reading": list(self.readings),
                "meaning": [check.meaning for check in self.checks],
            }
        )

    def summary(self) -> Summary:
        """Return a table of the checks and notes on what they mean, as a summary of statsmodels."""
        n_alone = self.readings.count(ALONE)
        against = f"{self.readings.count(AGAINST)} of {len(self.made)}" + f", and {n_alone} alone" * bool(n_alone)
        pairs = [
            ("Level of each check", f"{self.level:g}"),
            ("Class 0 rows left out", self.n0_left_out),
            ("Checks made", f"{len(self.made)} of {len(self.checks)}"),
            ("Splits", self.n_splits),
            ("Checks against", against if self.made else "- (none made)"),
            ("Seed", self.seed),
            ("Order", self.order),
        ]
        levels = (
            "The guarantee requires that the left-out class 0 rows and future class 0 rows are independent and have "
            "one distribution. A check may speak against this assumption, and none can prove it. If the assumption "
            f"holds, each check speaks against it with probability at most {self.level:g}{self._approximate()}."
            f"{self._without_clusters()} Holm p is adjusted for the number of checks. Against: Holm p is at most the "
            "level. Against alone: only p is at most the level, which can easily happen by chance in one of several "
            "checks."
        )
        if self.change.made:
            levels += (
                " Change: the score of a row from the one named on is larger or smaller than that of a row before it "
                "in this share of all pairs. Equal scores count half."
            )
        if self.new_scores.made:
            levels += (
                " New scores: the distance is the largest one between the distribution functions of new and left-out "
                "scores."
            )
        if self.martingale.made:
            levels += (
                " Martingale: the evidence is the capital of a bet on the order of scores, which starts at 1. Column "
                "Found gives its largest value E, and for one split p is 1 / E."
            )
        if self.clusters.made:
            levels += (
                " Clusters: the correlation of the ranks of the scores of two rows of one cluster. In the tail: that "
                "of being among the largest tenth of the scores, or above the threshold if these are more. n rows "
                "count as m: m independent rows would give the share in the tail as precisely."
            )
        if by_chance := [check.name for check in (self.trend, self.change, self.clusters) if check.made]:
            levels += (
                f" Permutation tests: {', '.join(by_chance)}. Their p comes from {self.n_permutations:,} random "
                f"permutations. It is never below {at_least(1 / (self.n_permutations + 1))}, and another seed changes "
                "it a little."
            )
        if self.n_splits > 1:
            levels += f" With {self.n_splits} splits, Found is about the first split. p is {RUGER_WORDS}"
        notes = [
            levels,
            *self.told,
            *[f"New rows: {self.note}"] * bool(self.note),
            *[f"{check.name}: {check.meaning}" for check in self.against],
        ]
        missing: dict[str, list[str]] = {}
        for check in self.checks:
            if not check.made:
                missing.setdefault(check.found, []).append(check.name)
        # the first note has number 1
        why_not = {why: f"see note [{number}]" for number, why in enumerate(missing, start=len(notes) + 1)}
        notes += [f"Not made: {', '.join(names)}. {why}" for why, names in missing.items()]
        rows = [
            (check.name, why_not.get(check.found, check.found), _two_figures(check.p_value), _two_figures(p), reading)
            for check, p, reading in zip(self.checks, self.holm, self.readings, strict=True)
        ]
        columns = ["Check", "Found", "p", "Holm p", "Reading"]
        return summary_table("Checks of the assumptions", pairs, columns, rows, notes)

    def _without_clusters(self):
        """Say that this does not hold for the checks of new rows, where their clusters are not known."""
        made = [check.name for check in (self.new_scores, self.new_errors) if check.made]
        if not (self.new_clusters_unknown and made):
            return ""
        return (
            f" This does not hold for {' and '.join(made)}, because the fit was made with clusters and those of the "
            "new rows are not known: each new row counts as its own cluster. If several rows belong to one cluster, "
            "the probability may be much larger."
        )

    def _approximate(self):
        """Say that the p-value of new scores is asymptotic, where it is."""
        asymptotic = any(max(one.n_new, one.n0) > MOST_EXACT for one in self.new_scores.by_split)
        return " (for new scores this is approximate)" * asymptotic

    def plot(self, *, ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
        """Draw the left-out scores in their order with the threshold; below, both distributions or the evidence.

        Parameters
        ----------
        ax : sequence of two Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        ndarray of two Axes
            Of the first split. The second shows the distribution functions of the new and of the left-out scores, or
            without new rows the evidence of the martingale.
        """
        from nproc.plotting import plot_assumptions

        return plot_assumptions(self, ax=ax, figsize=figsize)


def _two_figures(p):
    """Return a p-value as text, with two significant figures where four decimals would not show them; "-" for None."""
    if p is None:
        return "-"
    return f"{p:.2g}" if 1e-300 <= p < 0.001 else p_text(p)


RUGER_WORDS = (
    "the median of the p-values of the splits times 2 M / (M + 1), for odd M. This is valid however the splits depend "
    "on each other."
)


def combined(p_values):
    """Return one p-value of those of M splits: the r-th smallest times M / r, r the smallest majority [ruger1978]_.

    Examples
    --------
    >>> combined([0.01, 0.02, 0.9]), combined([0.2])
    (0.03, 0.2)
    """
    m = len(p_values)
    majority = m // 2 + 1
    return p_values[0] if m == 1 else float(min(1.0, m / majority * sorted(p_values)[majority - 1]))
