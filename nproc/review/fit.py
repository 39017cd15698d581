"""A fitted classifier with three answers: class 1, class 0, or a review by a person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from nproc.checks import check_level, level_text, tells_names
from nproc.errors import InvalidInputError
from nproc.fits import (
    INTERVALS,
    NO_INTERVALS,
    NOT_GUARANTEED,
    Cuts,
    Evaluation,
    NPFit,
    evaluation_of_counts,
    scorer_notes,
)
from nproc.orderstat import Bounds, clopper_pearson, order_or_error, smallest_size
from nproc.review.threshold import ReviewRule, own_order, review_rule
from nproc.score_direction import warn_swapped
from nproc.splitting import auto_left_out, check_split_sizes, make_splits, most_from_half, n_train
from nproc.tables import (
    Axes,
    DataFrame,
    Summary,
    at_least,
    level_pairs,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)
from nproc.thresholds import rounding_guard
from nproc.umbrella import adaptive_choice, assemble, rules_at, score_splits, warn_even, warn_reversed, with_caveats

# what `NPReviewFit.predict` returns beside the two labels of the user
REVIEW_LABEL = "review"
CLASS1_WORDS = "n1", "review_beta", "delta", "left-out class 1 scores"


@dataclass(frozen=True, repr=False, eq=False)
class ReviewEvaluation(Evaluation):
    """Both errors of a classifier with review on new data, and the shares of rows that it leaves to a person.

    Attributes
    ----------
    type1, type2 : float or None
        Shares of class 0 rows called class 1, and of class 1 rows called class 0, of all rows of the class.
    n0_review, n1_review : int
        Rows of each class that are left to review.
    type1_interval, type2_interval, n0, n1, n_false1, n_false0, level, alpha, delta, labels, guaranteed
        As in `Evaluation`.
    one_per_cluster, own_rows, dependent, note
        As in `Evaluation`.
    beta : float
        Bound on the type II error.
    """

    beta: float
    n0_review: int
    n1_review: int

    @property
    def review(self) -> float:
        """Share of all rows that are left to review, in the mixture of classes at hand."""
        return (self.n0_review + self.n1_review) / (self.n0 + self.n1)

    @property
    def review_interval(self) -> Bounds:
        """Its two-sided Clopper-Pearson interval."""
        return clopper_pearson(self.n0_review + self.n1_review, self.n0 + self.n1, level=self.level)

    def __repr__(self):
        low, high = self.review_interval.lower, self.review_interval.upper
        told = f"review {self.review:.4f}" + f" [{rounded_down(low)}, {rounded_up(high)}]" * self.intervals_hold
        return f"Review{super().__repr__()[:-1]},\n  {told})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with the rows of `Evaluation.to_frame`, and one more for each class: its review.

        Returns
        -------
        DataFrame
            Five rows: the two errors, then "review" of class 0, of class 1 and of all rows.
        """
        frame = super().to_frame()
        rows = [list(row) for row in frame.itertuples(index=False, name=None)]
        rows += [["review", label, REVIEW_LABEL, *self._review_of(label), self.level] for label in (0, 1, "all")]
        for row in rows[2:4]:
            row[1] = self.labels.tolist()[row[1]]
        return table_frame(dict(zip(frame.columns, map(list, zip(*rows, strict=True)), strict=True)))

    def _review_of(self, label):
        counts, sizes = (self.n0_review, self.n1_review), (self.n0, self.n1)
        count, n = (sum(counts), sum(sizes)) if label == "all" else (counts[label], sizes[label])
        if n == 0:
            return 0, 0, np.nan, np.nan, np.nan
        if not self.intervals_hold:
            return count, n, count / n, np.nan, np.nan
        interval = clopper_pearson(count, n, level=self.level)
        return count, n, count / n, interval.lower, interval.upper

    def summary(self) -> Summary:
        """Return a table of both errors and the reviews with their intervals, as a summary of statsmodels."""
        return self._summary()

    def _summary(self, see=""):
        rows = [
            (
                *(error, f"{true} called {called}" if error != "review" else f"{true}: review"),
                *(*rest, *((rounded_down(low), rounded_up(high)) if self.intervals_hold else ("-", "-"))),
            )
            for error, true, called, *rest, low, high, _ in self.to_frame().itertuples(index=False, name=None)
        ]
        per = f"{100 * self.level:g} %"
        note = (
            f"{INTERVALS if self.intervals_hold else NO_INTERVALS} Each error is a share of all rows of the class, so "
            "that a row in review is not counted as an error."
        )
        if not self.guaranteed:
            note = f"{note} {NOT_GUARANTEED}"
        title, note = self._headed("Errors and reviews on new data", note)
        pairs = level_pairs(self, "alpha", "delta", "beta")
        columns = ["Error", "What", "Count", "Of", "Rate", f"{per} low", f"{per} high"]
        return summary_table(title, pairs, columns, rows, [note])


@dataclass(frozen=True, repr=False, eq=False)
class NPReviewFit(NPFit):
    """A Neyman-Pearson classifier that bounds both errors and leaves the rows between its cuts to a person.

    Made by `npc` with ``review_beta``. `predict` returns the two labels of the user and "review".

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, beta : float
        Bounds on the type I error P(called class 1 | class 0) and the type II error P(called class 0 | class 1).
    delta : float
        Each of the two bounds holds with probability at least 1 - `delta`, both with at least (1 - `delta`)^2. This is
        proved for one split, and for two, which must agree on a class.
    review_rules : tuple of ReviewRule
        The two cuts of each split.
    thresholds, orders, violation_rates, type1_uppers : ndarray, shape (n_splits,)
        Of the cut for class 1 of each split, as in `NPFit`.
    n0, n1 : int
        Rows of each class.
    n0_left_out, n1_left_out : int
        Rows of each class that set the cuts of each split.
    split_ratio : float or None
        Share of the class 0 rows that trained; None for a prefit scorer.
    scores0, scores1 : tuple of ndarray
        Left-out scores of each class and split.
    n_splits, labels, seed, scorers, rules, design, ties, rank, prefit, alpha_chosen, simultaneous
        As in `NPFit`.
    caveats, versions, ratio_choice, given, of_band, band_rule, auto_ratio, unmet, keys0, table_keys0
        As in `NPFit`.
    """

    beta: float = 0.05
    review_rules: tuple[ReviewRule, ...] = ()
    scores1: tuple[Any, ...] = ()

    @property
    def n1_left_out(self) -> int:
        return self.review_rules[0].n1

    def __repr__(self):
        opening = self._opening(beta=f"beta={self.beta:g}, ")
        return (
            f"{opening}left out: {self.n0_left_out} of class 0, {self.n1_left_out} of class 1; in review: "
            f"{self._reviewed(0)} of class 0 and {self._reviewed(1)} of class 1{self._doubt()}"
        )

    def _reviewed(self, label):
        shares = [rule.shares()["review"][label] for rule in self.review_rules]
        low, high = (f"{100 * share:.3g}" for share in (min(shares), max(shares)))
        return f"{low} %" if low == high else f"{low} to {high} %"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a split: both cuts, their ranks and bounds, and the shares in review."""
        rules = self.review_rules
        names = ("lower", "upper", "order0", "n0", "order1", "n1", "violation_rate0", "violation_rate1")
        names += ("type1_upper", "type2_upper")
        review = np.array([rule.shares()["review"] for rule in rules])
        return table_frame(
            {"split": np.arange(1, self.n_splits + 1)}
            | {name: np.array([getattr(rule, name) for rule in rules]) for name in names}
            | {"review0": review[:, 0], "review1": review[:, 1]}
        )

    def _table_of_summary(self):
        pairs = [
            *self._heading(),
            ("Class 0 rows", self.n0),
            ("Class 0 rows left out", self.n0_left_out),
            ("Class 1 rows", self.n1),
            ("Class 1 rows left out", self.n1_left_out),
            *level_pairs(self, "alpha", "beta", "delta"),
            *self._last_pairs(),
        ]
        columns = ["Split", "Lower cut", "Upper cut", "Type I upper", "Type II upper", "Review 0", "Review 1"]
        kept = ["split", "lower", "upper", "type1_upper", "type2_upper", "review0", "review1"]
        rows = [
            (split, lower, upper, rounded_up(type1, self.alpha), rounded_up(type2, self.beta), *shares)
            for split, lower, upper, type1, type2, *shares in self.to_frame()[kept].itertuples(index=False, name=None)
        ]
        return "Neyman-Pearson classifier with review", pairs, columns, rows

    def _scorer_notes(self):
        return scorer_notes(self.scorers, self.design, self._why_auto())

    def _why_auto(self):
        if not self.auto_ratio:
            return ""
        return (
            f"{super()._why_auto()} For class 1 the number is chosen in the same way from those within "
            f"{most_from_half(self.beta)} of half, with beta in place of alpha."
        )

    def _own_notes(self):
        label0, label1 = self.labels.tolist()
        fixed = self._levels_fixed("alpha", "beta")
        required = f". All this requires that {fixed}" if fixed else ""
        does, hold = ("would", "would hold") if self.unmet else ("does", "hold")
        promise = (
            f"{self._premise()}P(called {label1} | {label0}) <= {level_text(self.alpha)} {self._holds()} with "
            f"probability at least {at_least(1 - self.delta)}, and so {does} P(called {label0} | {label1}) <= "
            f"{level_text(self.beta)}. Both {hold} with probability at least {at_least((1 - self.delta) ** 2)}. These "
            f"probabilities are over the draw of the left-out rows{self._each_split()}{required}."
            f"{self._trained_beforehand()}"
        )
        columns = "Review 0 and Review 1: the shares of the left-out rows of each class that lie between the cuts."
        return [" ".join([promise, *self._vote_notes()]), f"{self._three_answers()} {columns}"]

    def _three_answers(self):
        label0, label1 = self.labels.tolist()
        row = "A row" if self.n_splits == 1 else "In each split a row"
        return (
            f"{row} is called {label1} (class 1) when its score exceeds the upper cut, {label0} (class 0) when it is "
            f"below the lower cut, and {REVIEW_LABEL} otherwise. Rows in review are not counted as errors."
        )

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the left-out scores of both classes about the cuts, of the first split; return the Axes.

        Bars end at the cuts, so that none holds scores of both sides of one. Where far scores would squeeze the rest
        together, they are gathered in bars that are set apart, and the name of the axis says how many they are.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.
        """
        names = tuple(self.labels.tolist())
        drawn = self.review_rules[0].plot(
            self.scores0[0], self.scores1[0], ax=ax, figsize=figsize, labels=cast(Any, names)
        )
        if self.n_splits > 1:
            drawn.set_xlabel(f"{drawn.get_xlabel()} (split 1 of {self.n_splits})")
        return drawn

    @tells_names
    def with_levels(
        self, *, alpha: float | None = None, delta: float | None = None, beta: float | None = None
    ) -> NPReviewFit:
        """Return this classifier at other levels, without training: only the cuts change.

        Parameters
        ----------
        alpha, delta : float, optional
            As in `NPFit.with_levels`; `delta` is that of both bounds.
        beta : float, optional
            Bound on the type II error, in (0, 1); None keeps that of the fit.

        Returns
        -------
        NPReviewFit

        Raises
        ------
        TooFewSamplesError
            If the left-out rows of a class cannot meet the levels.
        InvalidInputError
            If a level is not in (0, 1).

        Notes
        -----
        The result is that of `npc` with these levels and the same seed, if `split_ratio` was a number. "auto" leaves
        out another number of rows for other levels.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, "lda", review_beta=0.1, random_state=1)
        >>> looser = fit.with_levels(beta=0.2)
        >>> looser.review_rules[0].lower > fit.review_rules[0].lower
        True
        """
        beta = self.beta if beta is None else check_level(beta, "beta")
        found = cast(NPReviewFit, super().with_levels(alpha=alpha, delta=delta))
        rules = _review_rules(self.scores0, self.scores1, found.rules, beta, found.delta)
        return replace(found, beta=beta, review_rules=rules, auto_ratio=found.auto_ratio and beta == self.beta)

    def thresholds_table(self, *args: Any, **options: Any) -> Any:
        """Raise InvalidInputError: the table is of one cut, and this fit has two; `evaluate` counts what they call."""
        raise InvalidInputError(
            "thresholds_table describes one cut, and this fit has two. Use with_levels(...) and evaluate for each pair "
            "of levels."
        )

    def _calls(self, table, codes, random_state, n_jobs):
        """Return 1 or 0 where a class is called, and 2 where a row is left to review."""
        majority = self._majority()
        class1 = self._by_count(majority, self._voters(), table, codes, None, n_jobs)
        # a split that does not call class 0 votes against it
        class0 = self._by_count(majority[::-1], self._floor(), table, codes, None, n_jobs)
        return np.where(class1 == 1, 1, np.where(class0 == 1, 0, 2))

    def _floor(self):
        """Return voters for "not class 0"."""
        at, guards = np.array([self._not_class0(j) for j in range(self.n_splits)]).T
        voters = self._voters()
        return type(voters)(self.scorers, self.labels if self.prefit else None, Cuts(at, guards, None))

    def _not_class0(self, j):
        """Return the threshold, and the distance that counts as equal, above which a score is not called class 0."""
        rule, scores1 = self.review_rules[j], self.scores1[j]
        if rule.crossed:
            return rule.upper, float(rounding_guard(self.scores0[j], rule.upper))
        # a score that equals the cut up to rounding is reviewed
        least = rule.lower - float(rounding_guard(-scores1, -rule.lower))
        return float(np.nextafter(least, -np.inf)), 0.0

    def _labels_by(self, voters, table, codes, ties, n_jobs):
        return self._named(self._calls(table, codes, None, n_jobs))

    def _named(self, calls):
        known = [*self.labels.tolist(), REVIEW_LABEL]
        return np.array(known, dtype=None if self.labels.dtype.kind == "U" else object)[calls]

    def _labels_of_chunks(self, chunks, tables, ties, n_jobs):
        empty = np.empty(0, dtype=np.intp)
        for labels in super()._labels_of_chunks(chunks, tables, ties, n_jobs):
            yield labels if labels.size else self._named(empty)

    def _called1(self, predicted):
        return (predicted == self.labels[1]).astype(np.int64)

    def _tally(self, codes, called):
        """Return n0, n1, the numbers of errors of the two classes, and the numbers of reviews of each, as an array."""
        of = [codes == 0, codes == 1]
        parts = [*of, of[0] & (called == 1), of[1] & (called == 0), of[0] & (called == 2), of[1] & (called == 2)]
        return np.array([np.sum(rows) for rows in parts])

    def _evaluation(self, counts, known):
        *errors, n0_review, n1_review = counts.tolist()
        plain = evaluation_of_counts(*errors, **known)
        warn_swapped(plain, plain.n1 - plain.n_false0 - n1_review)
        return ReviewEvaluation(**vars(plain), beta=self.beta, n0_review=n0_review, n1_review=n1_review)

    def _claims(self):
        # what a column of the summary holds is no claim
        return [self._own_notes()[0], self._three_answers()]

    def _vote_notes(self):
        if self.n_splits == 1:
            return []
        who = "Both splits" if self.n_splits == 2 else f"More than half of the {self.n_splits} splits"
        agree = f"{who} must agree on a class; other rows are reviewed."
        if self.unmet:
            return [agree]
        if self.n_splits == 2:
            return [f"{agree} The vote therefore has the same bounds as each of the splits."]
        return [f"{agree} The same bounds are not proved for this vote. {self.vote_bound().sentence()}"]


def _review_rules(scores0, scores1, rules, beta, delta):
    order = own_order(scores1[0].size, beta, delta, CLASS1_WORDS)
    return tuple(
        review_rule(s0, s1, rule.order, order, rule.alpha, beta, delta, delta)
        for s0, s1, rule in zip(scores0, scores1, rules, strict=True)
    )


def with_review(fit, scores1, beta):
    """Return the `NPReviewFit` of a fit whose scorers saw none of some class 1 rows, by the scores of these rows.

    Nothing is trained. `scores1` has an array for each split.
    """
    beta = check_level(beta, "review_beta")
    if fit.alpha_chosen or fit.simultaneous:
        raise InvalidInputError(
            "review_beta needs an alpha that was fixed beforehand, on a pointwise band. Give such an alpha, or leave "
            "out review_beta.",
            argument="review_beta",
        )
    refuse_label(fit.labels)
    rules = _review_rules(fit.scores0, scores1, fit.rules, beta, fit.delta)
    return NPReviewFit(**vars(fit), beta=beta, scores1=tuple(scores1), review_rules=rules)


def refuse_label(labels):
    """Raise if a label of the user is the word for a review."""
    if REVIEW_LABEL in labels.tolist():
        raise InvalidInputError(
            f"predict returns {REVIEW_LABEL!r} for rows between the cuts, and it is one of the labels here. Give "
            "this label another name."
        )


def fit_review(inputs, run, *, alpha, delta, ties, beta):
    """Return the `NPReviewFit` of checked inputs; see `npc` for the arguments.

    References
    ----------
    Algorithm 1 of [tong2018]_, for each class by itself, on scores that were trained on neither.
    """
    labels, splits, choice = inputs.labels, None, None
    beta = check_level(beta, "review_beta")
    if ties != "conservative":
        raise InvalidInputError(
            "review_beta leaves tied scores to review, so ties='randomize' has no use; leave it out.", argument="ties"
        )
    refuse_label(labels.values)
    if inputs.method.prefit:
        order0 = order_or_error(labels.n0, alpha, delta)
    else:
        warn_even(run.n_splits)
        choice, run, ratio1 = _ratios(inputs, run, alpha, delta, beta)
        ratio0, used = run.split_ratio, choice and choice.used
        splits = make_splits(
            labels.y, run.n_splits, (ratio0, ratio1), run.seed, leave_out_class1=True, always_train=used
        )
        order0 = order_or_error(splits[0].idx_left0.size, alpha, delta)
    scored = score_splits(inputs, splits, run, "npc: split")
    rules = rules_at(scored, order0, alpha, delta)
    fit = assemble(inputs.subject, run, scored, rules, ratio_choice=choice, alpha=alpha, delta=delta)
    fit = with_review(fit, [split.scores1 for split in scored], beta)
    return with_caveats(fit, warn_reversed(inputs, scored, splits, choice))


def _ratios(inputs, run, alpha, delta, beta):
    """Return the adaptive choice or None, settings with the share of class 0 that trains, and the share of class 1."""
    n0, n1 = inputs.labels.n0, inputs.labels.n1
    choice, ratio1 = None, run.split_ratio
    if run.split_ratio == "auto":
        check_split_sizes(n0, "auto", alpha, delta)
        left0, left1 = auto_left_out(n0, alpha, delta), auto_left_out(n1, beta, delta)
        run, ratio1 = replace(run, split_ratio=(n0 - left0) / n0, auto_ratio=True), (n1 - left1) / n1
    else:
        choice, run = adaptive_choice(inputs, run, [alpha], delta, leave_out_class1=True)
        ratio1 = run.split_ratio
        check_split_sizes(n0, ratio1, alpha, delta)
        left1 = n1 - n_train(n1, ratio1)
    if left1 in (0, n1) or left1 < smallest_size(beta, delta):
        # words what is missing
        own_order(max(left1, 1), beta, delta, CLASS1_WORDS)
        raise InvalidInputError(
            f"split_ratio leaves {n1 - left1} of {n1} class 1 rows to train and {left1} to set the cut; both need at "
            "least 1."
        )
    return choice, run, ratio1
