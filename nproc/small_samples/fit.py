"""A fitted classifier for a small class 0, whose thresholds rest on an assumption about the scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from nproc.checks import Seed, check_count, check_delta, check_level, level_text, tells_names
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.fits import NPFit, VoteBound
from nproc.orderstat import min_class0_size
from nproc.small_samples.log_concave import LogConcaveThreshold, log_concave_threshold_at, warn_of_tail
from nproc.small_samples.normality import NormalityCheck, normality_check
from nproc.small_samples.threshold import NormalThreshold, normal_threshold_at, warn_of_model
from nproc.splitting import make_splits, n_left_out, said, sizes_looked_at
from nproc.tables import DataFrame, at_least, table_frame
from nproc.tuning import RatioChoice
from nproc.umbrella import assemble, at_number, fit_umbrella, score_splits, warn_even, warn_reversed


@dataclass(frozen=True, repr=False, eq=False)
class NPSmallSampleFit(NPFit):
    """A Neyman-Pearson classifier for a small class 0: thresholds that rest on an assumption about the scores.

    Made by `npc` and `NPClassifier` where the left-out class 0 rows are too few for an order statistic. With
    ``small_sample="normal"`` the bound on the type I error holds only if class 0 scores are normal; `check` looks at
    that. With ``small_sample="log_concave"`` it holds only if their upper tail is log-concave.

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, delta : float
        Type I error at most `alpha` with probability 1 - `delta`, for each split, under the assumption.
    thresholds : ndarray, shape (n_splits,)
        Of each split.
    violation_rates, type1_uppers : ndarray, shape (n_splits,)
        Under the assumption: `delta` and `alpha`.
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
        The user's labels, that of class 0 first.
    seed : int
        Root seed.
    scorers : tuple
        The trained scorers.
    rules : tuple of NormalThreshold
        The threshold object of each split.
    scores0 : tuple of ndarray
        Left-out class 0 scores of each split.
    design : Design
        Turns new rows into what the scorers see.
    guaranteed : bool
        False: nothing is proved without the assumption.
    ties, rank, prefit, alpha_chosen, simultaneous, caveats, versions, ratio_choice, given, of_band, band_rule
        As in `NPFit`.
    auto_ratio, unmet, keys0, table_keys0
        As in `NPFit`.

    See Also
    --------
    np_threshold_normal, np_threshold_log_concave : what is proved, and how.
    """

    @property
    def assumption(self) -> str:
        """What the bound on the type I error rests on."""
        return self.rules[0].assumption

    @property
    def guaranteed(self) -> bool:
        return False

    @property
    def n0_needed(self) -> int:
        """Left-out class 0 rows that an order statistic needs at these levels."""
        return min_class0_size(self.alpha, self.delta)

    def __repr__(self):
        return (
            f"{self._opening()}assumes {self.assumption}: {self.n0_left_out} of {self.n0} class 0 rows set the "
            f"threshold, {self.n0_needed} are needed without the assumption{self._doubt()}"
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
            If there is no such split, or the thresholds do not assume normal scores.
        """
        if not isinstance(self.rules[0], NormalThreshold):
            raise InvalidInputError(
                f"check tests whether scores are normal, but these thresholds assume only {self.assumption}."
            )
        split = check_count(split, "split")
        if split > self.n_splits:
            raise InvalidInputError(f"split must be at most n_splits={self.n_splits}, got {split}.")
        return normality_check(self.scores0[split - 1], level=level, random_state=random_state)

    @tells_names
    def with_levels(self, *, alpha: float | None = None, delta: float | None = None) -> NPFit:
        """Return this classifier at other levels, without training; see `NPFit.with_levels`.

        Parameters
        ----------
        alpha, delta : float, optional
            The levels: alpha in (0, 1), delta in (0, 0.5]. None keeps that of the fit.

        Returns
        -------
        NPSmallSampleFit or NPFit
            The latter where the left-out rows are enough for an order statistic at these levels, as `npc` does.

        Warns
        -----
        NPWarning
            What the thresholds assume, as `npc` does.
        """
        alpha = self.alpha if alpha is None else check_level(alpha, "alpha")
        delta = self.delta if delta is None else check_delta(delta)
        if self.n0_left_out >= min_class0_size(alpha, delta):
            plain = NPFit(**{entry.name: getattr(self, entry.name) for entry in fields(NPFit)})
            return plain.with_levels(alpha=alpha, delta=delta)
        _model_of(self).warn(self.scores0)
        return super().with_levels(alpha=alpha, delta=delta)

    def _rules_at(self, alpha, delta):
        return tuple(_model_of(self).threshold_at(scores0, alpha, delta) for scores0 in self.scores0)

    def vote_bound(self) -> VoteBound:
        """Raise InvalidInputError: without the model nothing is proved of the splits or their vote."""
        raise InvalidInputError(
            f"this fit assumes {self.assumption}. Under this assumption the bound for the vote is "
            "nproc.fits.vote_bound(n_splits, alpha, delta); without it nothing is proved."
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a split: threshold, what it is made of, n0_left_out."""
        shown = {"threshold": "value"} | {"n0_left_out" if n == "n0" else n: n for n in _model_of(self).columns}
        columns = {name: [getattr(rule, field) for rule in self.rules] for name, field in shown.items()}
        return table_frame({"split": list(range(1, self.n_splits + 1)), **columns})

    def _claims(self):
        # a report shows the check itself
        return [note.replace(SEE_THE_CHECK, ".") for note in self._notes()]

    def _own_notes(self):
        *notes, last = self._notes()
        return [*notes, f"{last} {_model_of(self).columns_told}"]

    def _notes(self):
        """Return what is promised and why it is assumed, without what the table shows."""
        model = _model_of(self)
        promise = (
            f"{self._premise(model.assumption)}P(predict {self.labels[1]} | {self.class0}) <= "
            f"{level_text(self.alpha)} {self._holds()} with {model.chance} {at_least(1 - self.delta)} over the draw of "
            f"the left-out class 0 rows{self._each_split()}. {model.without}{self._trained_beforehand()}"
        )
        if self.n_splits > 2:
            promise += (
                f" For the majority vote of {self.n_splits} splits the same bound is not proved, even under the "
                "assumption."
            )
        return [
            promise,
            f"The assumption is made because there are {self.n0_left_out} left-out class 0 rows, and an order "
            f"statistic needs {self.n0_needed} at this alpha and delta. Threshold = {model.how}.",
        ]

    def _why_auto(self):
        if not self.auto_ratio:
            return ""
        return (
            " The split ratio (auto) leaves out half, because no number of left-out rows "
            f"{sizes_looked_at(self.alpha, self.n0)} is enough for an order statistic. With few columns a smaller "
            "split_ratio may lower the type II error."
        )

    def _table_of_summary(self):
        shown = _model_of(self).columns
        rows = [(j, rule.value, *(getattr(rule, name) for name in shown)) for j, rule in enumerate(self.rules, start=1)]
        columns = ["Split", "Threshold", *shown.values()]
        return "Neyman-Pearson classifier for a small class 0", self._pairs(), columns, rows

    def _need_ranks(self, what):
        if what == "type1_upper_curve":
            raise InvalidInputError(
                "type1_upper_curve requires a threshold that is an order statistic, and this one is computed from "
                "a model of the scores. Use certify on fresh class 0 rows."
            )


@dataclass(frozen=True)
class _Model:
    """What a threshold for few scores needs: how it is set, its warning, and what a summary says and shows of it."""

    threshold_at: Callable[..., Any]
    warn: Callable[..., None]
    how: str
    assumption: str
    chance: str
    without: str
    columns: dict[str, str]
    columns_told: str


SEE_THE_CHECK = "; see fit.check()."
_MODELS = {
    NormalThreshold: _Model(
        normal_threshold_at,
        warn_of_model,
        "mean + factor * standard deviation",
        "if the scores are normal",
        "probability",
        f"Without normality nothing is guaranteed{SEE_THE_CHECK} Scores are normal if the class 0 rows are "
        "multivariate normal and the score is linear (lda, logistic, penlog, slda).",
        {"mean": "Mean", "sd": "SD", "factor": "Factor", "n0": "Of", "type1_mean": "E type I"},
        "Of: the number of left-out scores. E type I: the expected type I error if the scores are normal.",
    ),
    LogConcaveThreshold: _Model(
        log_concave_threshold_at,
        warn_of_tail,
        "largest + factor * (largest - base)",
        "if the upper tail of the scores is log-concave",
        "probability at least",
        "For heavier tails nothing is guaranteed. Normal, logistic, exponential and Laplace scores have such a tail.",
        {"largest": "Largest", "base": "Base", "base_order": "Rank of base", "factor": "Factor", "n0": "Of"},
        "Of: the number of left-out scores.",
    ),
}
_NAMED = {"normal": _MODELS[NormalThreshold], "log_concave": _MODELS[LogConcaveThreshold]}


def _model_of(fit):
    return _MODELS[type(fit.rules[0])]


def fit_small_sample(inputs, run, *, alpha, delta, ties, model):
    """Return the `NPFit` of checked inputs where the rows suffice, and otherwise the `NPSmallSampleFit`.

    The splits and the scorers are those of `fit_umbrella` for the same seed; only the threshold differs. An adaptive
    split ratio needs as many rows as the order statistic.
    """
    labels, prefit, ratio = inputs.labels, inputs.method.prefit, run.split_ratio
    adaptive = ratio == "adaptive" or isinstance(ratio, RatioChoice)
    n_left = labels.n0 if prefit or adaptive else n_left_out(labels.n0, ratio, alpha, delta)
    if adaptive or n_left >= min_class0_size(alpha, delta):
        return fit_umbrella(inputs, run, alpha=alpha, delta=delta, ties=ties)
    if ties != "conservative":
        raise InvalidInputError(
            f"ties={ties!r} applies only to thresholds that are order statistics; leave it out with "
            f"small_sample={model!r}."
        )
    if prefit and n_left < 2:
        raise TooFewSamplesError(f"small_sample={model!r} needs 2 class 0 rows to set the threshold, got n0=1.")
    if n_left < 2 or (not prefit and n_left == labels.n0):
        raise TooFewSamplesError(
            f"small_sample={model!r} needs a class 0 row to train and 2 to set the threshold; of n0={labels.n0} rows, "
            f"split_ratio={said(ratio)} leaves {n_left} out."
        )
    splits = None
    if not prefit:
        warn_even(run.n_splits)
        run = at_number(run, labels.n0, alpha, delta)
        splits = make_splits(labels.y, run.n_splits, run.split_ratio, run.seed, leave_out_class1=False)
    scored = score_splits(inputs, splits, run, "npc: split")
    rules = [_NAMED[model].threshold_at(split.scores0, alpha, delta) for split in scored]
    _NAMED[model].warn([split.scores0 for split in scored])
    caveats = warn_reversed(inputs, scored, splits)
    levels = {"alpha": alpha, "delta": delta}
    return assemble(inputs.subject, run, scored, rules, kind=NPSmallSampleFit, **levels, caveats=caveats)
