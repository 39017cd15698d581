"""A fitted classifier whose thresholds assume normal class 0 scores."""

from __future__ import annotations

from dataclasses import dataclass, fields

from nproc.checks import Seed, check_count, check_level
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.fits import NPFit, VoteBound
from nproc.orderstat import min_class0_size
from nproc.scorers import describe_trained
from nproc.small_samples.normality import NormalityCheck, normality_check
from nproc.small_samples.threshold import ASSUMPTION, normal_threshold_at, warn_of_model
from nproc.splitting import make_splits, n_left_out, said
from nproc.tables import DataFrame, Summary, rows_to_show, summary_table, table_frame
from nproc.tuning import RatioChoice
from nproc.umbrella import assemble, at_number, fit_umbrella, score_splits, warn_even, warn_reversed


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
    ties, rank, prefit, alpha_chosen, simultaneous, caveats, versions, ratio_choice
        As in `NPFit`.

    See Also
    --------
    np_threshold_normal : what is proved, and how.
    """

    @property
    def assumption(self) -> str:
        """What the bound on the type I error rests on."""
        return ASSUMPTION

    @property
    def guaranteed(self) -> bool:
        return False

    @property
    def n0_needed(self) -> int:
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

    def check(self, *, split: int = 1, level: float = 0.05, random_state: Seed = 0) -> NormalityCheck:
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

    def with_levels(self, *, alpha: float | None = None, delta: float | None = None) -> NPFit:
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
        warn_of_model(self.scores0)
        return super().with_levels(alpha=alpha, delta=delta)

    def _rules_at(self, alpha, delta):
        return tuple(normal_threshold_at(scores0, alpha, delta) for scores0 in self.scores0)

    def vote_bound(self) -> VoteBound:
        """Raise InvalidInputError: without the model nothing is proved of the splits or their vote."""
        raise InvalidInputError(
            f"this fit assumes {ASSUMPTION}, and its vote has no bound without them; under the model it is that of "
            "nproc.fits.vote_bound(n_splits, alpha, delta)."
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a split: threshold, mean, sd, factor, n0_left_out, type1_mean."""
        names = {"value": "threshold", "mean": "mean", "sd": "sd", "factor": "factor", "n0": "n0_left_out"}
        columns = {text: [getattr(rule, name) for rule in self.rules] for name, text in names.items()}
        type1_mean = [rule.type1_mean for rule in self.rules]
        return table_frame({"split": list(range(1, self.n_splits + 1)), **columns, "type1_mean": type1_mean})

    def notes(self) -> list[str]:
        """Return what holds and what does not, as a list of sentences."""
        return normal_fit_notes(self)

    def summary(self, *, max_rows: int | None = 15) -> Summary:
        """Return a table of levels, sizes and thresholds, and of the model that they assume.

        Parameters
        ----------
        max_rows : int or None
            Splits shown; None shows all.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        return normal_fit_report(self, scorer=describe_trained(self.scorers), max_rows=max_rows)

    def _need_ranks(self, what):
        if what == "type1_upper_curve":
            raise InvalidInputError(
                "type1_upper_curve is the law of an order statistic, and this threshold is none; use certify on fresh "
                "class 0 rows."
            )


def fit_small_sample(inputs, run, *, alpha, delta, ties):
    """Return the `NPFit` of checked inputs where the rows suffice, and otherwise the `NPNormalFit`.

    The splits and the scorers are those of `fit_umbrella` for the same seed; only the threshold differs. An adaptive
    split ratio needs as many rows as the order statistic.
    """
    labels, prefit, ratio = inputs.labels, inputs.method.prefit, run.split_ratio
    adaptive = ratio == "adaptive" or isinstance(ratio, RatioChoice)
    n_left = labels.n0 if prefit or adaptive else n_left_out(labels.n0, ratio, alpha, delta)
    if adaptive or n_left >= min_class0_size(alpha, delta):
        return fit_umbrella(inputs, run, alpha=alpha, delta=delta, ties=ties)
    if ties != "conservative":
        raise InvalidInputError(f"ties={ties!r} is for order statistics; a normal threshold knows no ties.")
    if prefit and n_left < 2:
        raise TooFewSamplesError("small_sample='normal' needs 2 class 0 rows to set the threshold, got n0=1.")
    if n_left < 2 or (not prefit and n_left == labels.n0):
        raise TooFewSamplesError(
            f"small_sample='normal' needs a class 0 row to train and 2 to set the threshold; of n0={labels.n0} rows, "
            f"split_ratio={said(ratio)} leaves {n_left} out."
        )
    splits = None
    if not prefit:
        warn_even(run.n_splits)
        run = at_number(run, labels.n0, alpha, delta)
        splits = make_splits(labels.y, run.n_splits, run.split_ratio, run.seed, leave_out_class1=False)
    scored = score_splits(inputs, splits, run, "npc: split")
    rules = [normal_threshold_at(split.scores0, alpha, delta) for split in scored]
    warn_of_model([split.scores0 for split in scored])
    warn_reversed(inputs, scored, splits)
    return assemble(inputs.subject, run, scored, rules, kind=NPNormalFit, alpha=alpha, delta=delta)


def normal_fit_notes(fit):
    """Return what holds for a fit with normal thresholds and what does not, as a list of sentences."""
    notes = [
        f"Assumes normal class 0 scores: an order statistic needs {fit.n0_needed} left-out class 0 rows at this "
        f"alpha and delta, and there are {fit.n0_left_out}. Threshold: mean + factor * standard deviation.",
        f"If the scores are normal, P(predict {fit.labels[1]} | {fit.class0}) <= {fit.alpha:g} holds with "
        f"probability {1 - fit.delta:g} over the draw of the left-out class 0 rows, for each single split. Without "
        "normality nothing is guaranteed; see check(). Scores are normal if the class 0 rows are multivariate "
        "normal and the score is linear (lda, logistic, penlog, slda).",
        f"A row is called {fit.labels[1]} (class 1) when its score exceeds the threshold: larger scores mean class 1.",
    ]
    if fit.n_splits > 1:
        notes.append(
            f"For the majority vote of {fit.n_splits} splits the same bound is not proved, even if the scores are "
            "normal."
        )
    return notes + list(fit.caveats)


def normal_fit_report(fit, *, scorer, max_rows):
    """Return a table of levels, sizes and normal thresholds; `scorer` is a note."""
    pairs = [
        ("Method", fit.method),
        ("Class 0 (controlled)", str(fit.class0)),
        ("Class 1", str(fit.labels[1])),
        ("Class 0 rows", fit.n0),
        ("Class 0 rows left out", fit.n0_left_out),
        ("Class 1 rows", fit.n1),
        ("alpha", f"{fit.alpha:g}"),
        ("delta", f"{fit.delta:g}"),
        ("Assumes", fit.assumption),
        ("Splits", fit.n_splits),
        ("Split ratio", "-" if fit.split_ratio is None else f"{fit.split_ratio:g}"),
        ("Seed", fit.seed),
    ]
    rows = [(j, r.value, r.mean, r.sd, r.factor, r.n0, r.type1_mean) for j, r in enumerate(fit.rules, start=1)]
    columns = ["Split", "Threshold", "Mean", "SD", "Factor", "Of", "E type I"]
    title = "Neyman-Pearson classifier, normal threshold"
    return summary_table(title, pairs, columns, rows, [*normal_fit_notes(fit), scorer], max_rows=rows_to_show(max_rows))
