"""A fitted classifier whose thresholds assume normal class 0 scores."""

from __future__ import annotations

from dataclasses import dataclass, fields

from nproc.checks import check_count, check_level
from nproc.errors import InvalidInputError, NPWarning
from nproc.fitted import NPFit
from nproc.orderstat import min_class0_size
from nproc.scorers.training import describe_trained
from nproc.small_samples.normality import normality_check
from nproc.small_samples.threshold import ASSUMPTION, normal_message, normal_threshold_at, warn_tied
from nproc.warning_place import warn_at_call


@dataclass(frozen=True, repr=False, eq=False)
class NPNormalFit(NPFit):
    """A Neyman-Pearson classifier for a small class 0: thresholds mean + factor * sd of left-out scores.

    Made by `npc` and `NPClassifier` with ``small_sample="normal"`` where the left-out class 0 rows are too few for an
    order statistic. The bound on the type I error holds only if class 0 scores are normal; `check` looks at that.

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, delta : float
        Type I error at most `alpha` with probability 1 - `delta`, for each split, if class 0 scores are normal.
    thresholds : ndarray, shape (n_splits,)
        Of each split.
    violation_rates, type1_uppers : ndarray, shape (n_splits,)
        Under the model: `delta` and `alpha`.
    orders : ndarray, shape (n_splits,)
        0: no threshold is an order statistic.
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
        Root seed.
    scorers : tuple
        The trained scorers.
    rules : tuple of NormalThreshold
        The thresholds with all that is known of them.
    scores0 : tuple of ndarray
        Left-out class 0 scores of each split.
    design : Design
        Turns new rows into what the scorers see.
    guaranteed : bool
        False: nothing is proved without the model.
    ties, prefit, alpha_chosen, simultaneous, caveats, versions, ratio_choice
        As in `NPFit`.

    See Also
    --------
    np_threshold_normal : what is proved, and how.
    """

    @property
    def assumption(self):
        """What the bound on the type I error rests on."""
        return ASSUMPTION

    @property
    def guaranteed(self):
        return False

    @property
    def n0_needed(self):
        """Left-out class 0 rows that an order statistic needs at these levels."""
        return min_class0_size(self.alpha, self.delta)

    def __repr__(self):
        splits = f"{self.n_splits} split" + ("s" if self.n_splits > 1 else "")
        return (
            f"NPNormalFit(method={self.method!r}, alpha={self.alpha:g}, delta={self.delta:g}, {splits}, "
            f"class0={self.class0!s}, seed={self.seed})\n"
            f"  assumes {ASSUMPTION}: {self.n0_left_out} of {self.n0} class 0 rows set the threshold, "
            f"{self.n0_needed} are needed without the assumption"
        )

    def check(self, *, split=1, level=0.05, random_state=0):
        """Return the `NormalityCheck` of the left-out class 0 scores of a split.

        Parameters
        ----------
        split : int
            Which split, 1 to n_splits.
        level, random_state
            As in `normality_check`.

        Returns
        -------
        NormalityCheck

        Raises
        ------
        InvalidInputError
            If there is no such split.
        """
        split = check_count(split, "split")
        if split > self.n_splits:
            raise InvalidInputError(f"split must be at most n_splits={self.n_splits}, got {split}.")
        return normality_check(self.scores0[split - 1], level=level, random_state=random_state)

    def with_levels(self, *, alpha=None, delta=None):
        """Return this classifier at other levels, without training; see `NPFit.with_levels`.

        Parameters
        ----------
        alpha, delta : float, optional
            The levels, in (0, 1); None keeps that of the fit.

        Returns
        -------
        NPNormalFit or NPFit
            The latter where the left-out rows are enough for an order statistic at these levels, as `npc` does.

        Warns
        -----
        NPWarning
            That the thresholds assume normal class 0 scores, as `npc` does.
        """
        alpha = self.alpha if alpha is None else check_level(alpha, "alpha")
        delta = self.delta if delta is None else check_level(delta, "delta")
        if self.n0_left_out >= min_class0_size(alpha, delta):
            plain = NPFit(**{entry.name: getattr(self, entry.name) for entry in fields(NPFit)})
            return plain.with_levels(alpha=alpha, delta=delta)
        warn_at_call(normal_message(self.n0_left_out), NPWarning)
        for scores0 in self.scores0:
            warn_tied(scores0)
        return super().with_levels(alpha=alpha, delta=delta)

    def _rules_at(self, alpha, delta):
        return tuple(normal_threshold_at(scores0, alpha, delta) for scores0 in self.scores0)

    def vote_bound(self):
        """Raise InvalidInputError: without the model nothing is proved of the splits or their vote."""
        raise InvalidInputError(
            f"this fit assumes {ASSUMPTION}, and its vote has no bound without them; under the model it is that of "
            "nproc.vote_bound(n_splits, alpha, delta)."
        )

    def to_frame(self):
        """Return a DataFrame with a row a split: threshold, mean, sd, factor, n0_left_out, type1_mean."""
        from nproc.tables import table_frame

        names = {"value": "threshold", "mean": "mean", "sd": "sd", "factor": "factor", "n0": "n0_left_out"}
        columns = {text: [getattr(rule, name) for rule in self.rules] for name, text in names.items()}
        type1_mean = [rule.type1_mean for rule in self.rules]
        return table_frame({"split": list(range(1, self.n_splits + 1)), **columns, "type1_mean": type1_mean})

    def notes(self):
        """Return what holds and what does not, as a list of sentences."""
        from nproc.small_samples.reports import normal_fit_notes

        return normal_fit_notes(self)

    def summary(self, *, max_rows=15):
        """Return a table of levels, sizes and thresholds, and of the model that they assume.

        Parameters
        ----------
        max_rows : int or None
            Splits shown; None shows all.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        from nproc.small_samples.reports import normal_fit_report

        return normal_fit_report(self, scorer=describe_trained(self.scorers), max_rows=max_rows)

    def _need_ranks(self, what):
        if what == "type1_upper_curve":
            raise InvalidInputError(
                "type1_upper_curve is the law of an order statistic, and this threshold is none; use certify on fresh "
                "class 0 rows."
            )
