"""A fitted classifier whose type I error is controlled in every group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import Seed, check_level, level_text
from nproc.errors import InvalidInputError, called_by, each_warning_once
from nproc.fits import (
    EQUAL_SCORES,
    LIKELY_FITTED,
    NO_INTERVALS,
    NOT_CHECKED,
    NOT_GUARANTEED,
    SEE_CHECKS,
    Cuts,
    Evaluation,
    NPFit,
    VoteBound,
    above_told,
    count_errors,
    scorer_notes,
    span,
    vote_bound,
)
from nproc.groups.membership import encode_members, find_labels, without_column
from nproc.groups.thresholds import (
    GROUP_COLUMNS,
    OWN_RANKS,
    check_group_sizes,
    group_promise,
    group_rows,
    kind_of_threshold,
    thresholds_by_group,
)
from nproc.inputs import knows_names_of_r
from nproc.rows import Table, check_same_length, check_same_rows, encode_labels, n_rows
from nproc.splitting import most_from_half
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)
from nproc.thresholds import NOT_OF_THE_VOTE, OfRules, rounding_guard


@dataclass(frozen=True, repr=False, eq=False)
class GroupEvaluation(InNotebook):
    """Both errors of a classifier on new data, by group.

    Attributes
    ----------
    groups : tuple
        The groups.
    parts : tuple of Evaluation
        The errors in each group.
    overall : Evaluation
        Those of all rows together.
    """

    groups: tuple
    parts: tuple[Evaluation, ...]
    overall: Evaluation

    def __getitem__(self, group):
        """The `Evaluation` of one group."""
        if group not in self.groups:
            raise InvalidInputError(f"{group!r} is not one of the groups {list(self.groups)}.")
        return self.parts[self.groups.index(group)]

    def __repr__(self):
        worst = [part.type1 for part in self.parts if part.type1 is not None]
        highest = f", highest type I error {max(worst):.4f}" if worst else ""
        own = ", probably on rows of the fit" if self.overall.own_rows else ""
        return f"GroupEvaluation({len(self.groups)} groups{highest}{own})\n  all rows: {self.overall!r}"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with two rows a group, its two errors, as in `Evaluation.to_frame`, with the group."""
        frames = [part.to_frame() for part in self.parts]
        columns = {
            "group": [group for group, frame in zip(self.groups, frames, strict=True) for _ in range(len(frame))]
        }
        columns |= {name: np.concatenate([frame[name].to_numpy() for frame in frames]) for name in frames[0].columns}
        return table_frame(columns)

    def summary(self) -> Summary:
        """Return a table of both errors of each group with their intervals, as a summary of statsmodels."""
        return self._summary(SEE_CHECKS)

    def _summary(self, see):
        overall = self.overall
        parts = zip([*map(str, self.groups), "all rows"], [*self.parts, overall], strict=True)
        holds = overall.intervals_hold
        rows = [
            (name, p.n0, _shown(p.type1, p.type1_interval, holds), p.n1, _shown(p.type2, p.type2_interval, holds))
            for name, p in parts
        ]
        zero, one = (str(value) for value in overall.labels.tolist())
        promise = NOT_GUARANTEED
        if overall.guaranteed:
            promise = "The observed rate of a finite test set may exceed alpha with a probability larger than delta."
        above = [str(g) for g, part in zip(self.groups, self.parts, strict=True) if part.is_above]
        if overall.guaranteed and above and holds:
            # in any of the groups
            chance = overall.delta + len(self.groups) * (1 - overall.level) / 2
            promise = above_told(chance, see, f" in {len(above)} of {len(self.groups)} groups")
        intervals = NO_INTERVALS
        if holds:
            intervals = (
                f"Intervals are two-sided Clopper-Pearson intervals, {100 * overall.level:g} % each, for independent "
                "rows, not for all groups at once."
            )
        notes = [f"Type I: {zero} called {one}. {intervals} {promise}"]
        pairs = [("alpha", f"{overall.alpha:g}"), ("delta", f"{overall.delta:g}")]
        columns, title = ["Group", "n0", "Type I error", "n1", "Type II error"], "Errors on new data by group"
        if overall.own_rows:
            title, notes = "Errors by group, probably on rows of the fit", [f"{LIKELY_FITTED} {notes[0]}"]
        elif overall.own_rows is None:
            notes = [f"{notes[0]} {NOT_CHECKED}"]
        return summary_table(title, pairs, columns, rows, notes)

    @knows_names_of_r
    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the type I error of each group with its interval, and alpha; return the Axes."""
        from nproc.plotting import plot_group_errors

        return plot_group_errors(self, ax=ax, figsize=figsize)


@dataclass(frozen=True, repr=False, eq=False)
class NPGroupFit(NPFit):
    """A Neyman-Pearson classifier with type I error at most alpha in every group at once.

    Made by `npc` and `NPClassifier` with ``groups=``. With separate thresholds `predict`, `votes` and
    `decision_function` need the groups of new rows, with a pooled one they do not.

    Attributes
    ----------
    method : str
        Name of the scorer, which is one for all groups.
    alpha, delta : float
        Type I error at most `alpha` in all groups with probability at least 1 - `delta` (proved for one split).
    group_values : tuple
        The groups.
    group_column : str or None
        Name of the column of the table of the fit that had the groups, in which `predict` looks for those of new rows.
        None if they were given as values that no column of the table has under their name: new rows then need
        ``groups=``.
    pooled : bool
        One threshold for all groups, or one each.
    thresholds, orders, violation_rates, type1_uppers : ndarray, shape (n_splits, G)
        Of each split and group, as in `GroupThresholds`: the thresholds used, the ranks of the groups' own thresholds,
        and what they promise.
    violation_rate : ndarray, shape (n_splits,)
        The probability that some group of the split has a type I error above `alpha`, at most `delta`.
    n0, n1, n_splits : int
        Rows of each class, and number of splits, M.
    n0_by_group, n1_by_group, n0_left_out_by_group : ndarray of int, shape (G,)
        Rows of each class in each group, and class 0 rows that set the threshold of each split.
    n0_left_out : int
        Class 0 rows that set the thresholds of each split, of all groups.
    split_ratio : float or None
        Share of the class 0 rows of each group that trained; None for a prefit scorer.
    labels : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    seed : int
        Root seed: the same call with ``random_state=seed`` gives the same classifier.
    scorers : tuple
        The trained scorers.
    rules : tuple of GroupThresholds
        The `GroupThresholds` of each split.
    scores0 : tuple of tuple of ndarray
        Left-out class 0 scores of each split and group.
    guaranteed : bool
        Whether the bound is proved: one split.
    design, ties, rank, prefit, alpha_chosen, simultaneous, caveats, unmet, keys0, table_keys0
        As in `NPFit`.
    versions, ratio_choice, given, of_band, band_rule, auto_ratio
        As in `NPFit`.

    See Also
    --------
    np_group_thresholds : what is proved, and how.
    """

    group_values: tuple = ()
    group_column: object = None
    pooled: bool = False
    n0_by_group: np.ndarray | None = None
    n1_by_group: np.ndarray | None = None

    thresholds = OfRules("values")
    orders = OfRules("orders")
    violation_rates = OfRules("violation_rates")
    violation_rate = OfRules("violation_rate")
    type1_uppers = OfRules("type1_uppers")

    @property
    def n0_left_out_by_group(self) -> NDArray[np.intp]:
        return self.rules[0].n0

    @property
    def n0_left_out(self) -> int:
        return int(self.rules[0].n0.sum())

    def __repr__(self):
        n_groups = len(self.group_values)
        kind = "one threshold" if self.pooled or n_groups == 1 else "separate thresholds"
        groups, each = ("1 group", "") if n_groups == 1 else (f"{n_groups} groups", " in each")
        return (
            f"{self._opening()}{kind} for {groups}, {span(self.n0_left_out_by_group)} left-out "
            f"class 0 rows{each}: violation rate {span(self.violation_rate, limit=self.delta)}, type I errors <= "
            f"{span(self.type1_uppers, limit=self.alpha)}{' in each split' * (self.n_splits > 1)}{self._doubt()}"
        )

    @knows_names_of_r
    def decision_function(
        self, X: Table, groups: ArrayLike | None = None, *, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the lower median over splits of score minus the threshold of the row's group.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        groups : array-like, shape (m,), or str, optional
            Their groups, or the name of a column of `X`. None looks for the column of the fit; a pooled threshold
            needs none.
        n_jobs : int or None
            Threads, as in `NPFit.predict`.

        Returns
        -------
        ndarray of float, shape (m,)
            Above 0 exactly where `predict` says class 1 (with ``ties="randomize"``: except at exact ties).

        Raises
        ------
        InvalidInputError
            If the groups are missing, one is not among those of the fit, or the columns do not match the fit.
        """
        margins = self._median_margins(*self._table_and_codes(X, groups), n_jobs)
        self._warn_of_new_rows(X)
        return margins

    @knows_names_of_r
    def votes(
        self, X: Table, groups: ArrayLike | None = None, *, random_state: Seed = None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Count the votes: the share of splits that call each row class 1.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows.
        groups : array-like, shape (m,), or str, optional
            As in `decision_function`.
        random_state, n_jobs
            As in `NPFit.votes`.

        Returns
        -------
        ndarray of float, shape (m,)
            Between 0 and 1.
        """
        shares = self._shares(*self._table_and_codes(X, groups), random_state, n_jobs)
        self._warn_of_new_rows(X)
        return shares

    @knows_names_of_r
    def predict(
        self, X: Table, groups: ArrayLike | None = None, *, random_state: Seed = None, n_jobs: int | None = None
    ) -> NDArray[Any]:
        """Predict the labels of new rows: class 1 where more than half of the splits say so.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        groups : array-like, shape (m,), or str, optional
            As in `decision_function`.
        random_state, n_jobs
            As in `NPFit.predict`.

        Returns
        -------
        ndarray, shape (m,)
            Labels as in the training data; the tie of an even number of splits goes to class 0.
        """
        labels = self._labels(*self._table_and_codes(X, groups), random_state, n_jobs)
        self._warn_of_new_rows(X)
        return labels

    @knows_names_of_r
    def evaluate(  # type: ignore[override]  # new rows come with their groups
        self,
        X: Table,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        level: float = 0.95,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> GroupEvaluation:
        """Return both errors on new data in every group, with Clopper-Pearson intervals.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, not those of the fit.
        y : array-like, shape (m,), optional
            Their labels. For a fit by formula None takes the label column of `X`.
        groups : array-like, shape (m,), or str, optional
            Their groups, or a column of `X`; None looks for that of the fit. Needed for a pooled threshold too.
        level : float
            Coverage of each interval by itself, in (0, 1).
        random_state : None, int, Generator or RandomState
            As in `predict`, for ``ties="randomize"``: the errors are those of the labels of the same seed.
        n_jobs : int or None
            Threads, as in `NPFit.predict`.

        Returns
        -------
        GroupEvaluation

        Raises
        ------
        InvalidInputError
            If a label or group was not in the training data, or the rows do not match the fit.

        Warns
        -----
        NPWarning
            If at least a fifth of the class 0 rows equal rows of the fit. They are then probably rows of the fit, and
            the result says so, of all groups together. Fewer are not noticed.
        """
        level = check_level(level, "level")
        check_same_rows(X=X, y=y, groups=groups)
        (X, y, groups), counted = self._counted_rows(X, y, groups)
        codes = encode_labels(self.design.labels_of(X, y), self.labels)
        members = self._codes_of(X, groups, needed=True)
        table, of_group = self._table_and_codes(X, groups)
        known = {"level": level, **self._levels()}
        with each_warning_once(), counted:
            predicted = self._calls(table, of_group, random_state, n_jobs)
            check_same_length(predicted, codes)
            known["own_rows"] = self._warn_of_own_rows(table, np.flatnonzero(codes == 0))
        each = [members == g for g in range(len(self.group_values))]
        parts = [count_errors(codes[rows], predicted[rows], **known) for rows in each]
        of_all = self._evaluation(self._tally(codes, predicted), known)
        return GroupEvaluation(self.group_values, tuple(parts), of_all)

    def thresholds_table(self, *args: Any, **options: Any) -> DataFrame:
        """Raise InvalidInputError: the table is of one threshold; `with_levels` and `evaluate` give each level."""
        own = "one threshold for all groups, but a rank and errors" if self.pooled else "a threshold"
        raise InvalidInputError(
            f"this fit has {own} for each group. fit.with_levels(alpha=...) gives the classifier at another level. Its "
            "to_frame() shows the thresholds and ranks, and its evaluate(X, y, groups=...) the errors."
        )

    def vote_bound(self) -> VoteBound:
        """Return the `VoteBound`: what is proved of the vote of these splits, in all groups at once.

        Notes
        -----
        With probability at least 1 - M delta, every split has a type I error of at most alpha in every
        group. The type I error of the majority is then at most 2 M / (M + 1) alpha in every group, for odd M.
        """
        return vote_bound(self.n_splits, self.alpha, self.delta)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each split and group: thresholds, ranks and what they promise.

        ``order`` is the rank of ``own_threshold``, the group's own, also where one threshold serves all groups.
        """
        splits = np.repeat(np.arange(1, self.n_splits + 1), len(self.group_values))
        columns = {"split": splits, "group": [group for rule in self.rules for group in rule.groups]}
        columns |= {"threshold": self.thresholds.ravel(), "order": self.orders.ravel()}
        columns["own_threshold"] = [own.value for rule in self.rules for own in rule.rules]
        columns["n0_left_out"] = np.concatenate([rule.n0 for rule in self.rules])
        columns |= {"violation_rate": self.violation_rates.ravel(), "type1_upper": self.type1_uppers.ravel()}
        return table_frame(columns)

    def _own_notes(self):
        n_groups, premise = len(self.group_values), self._premise()
        promise, rates = group_promise(n_groups, self.pooled, self.alpha, self.delta, self._each_split(), premise)
        if self.unmet:
            rates = f"Violation rate and Type I upper would be valid bounds {' and '.join(self.unmet)}."
        none = "There is no guarantee for groups that were not in the fit, and none for the type II error."
        if self.pooled:
            rates += f" {OWN_RANKS} The group of a new row is not needed."
        if self.n_splits > 2:
            rates = f"{NOT_OF_THE_VOTE} {rates}"
        promise += self._trained_beforehand()
        return [" ".join([promise, none, *self._vote_notes()]), rates]

    def _vote_notes(self):
        if self.n_splits <= 2 or self.unmet:
            return super()._vote_notes()
        return [
            f"For the majority vote of {self.n_splits} splits the same bound is not proved.",
            self.vote_bound()._sentence("Proved in all groups at once"),
        ]

    def summary(self, *, max_rows: int | None = 30) -> Summary:
        """Return a table of levels, sizes and thresholds by group, and notes on what holds; see `NPFit.summary`."""
        return super().summary(max_rows=max_rows)

    def _table_of_summary(self):
        pairs = [
            *head_rows(self),
            ("Groups", len(self.group_values)),
            ("Thresholds", kind_of_threshold(self.pooled)),
            ("delta of each group", f"{self.rules[0].group_delta:.4g}"),
            ("Violation rate, any group", span(self.violation_rate, limit=self.delta)),
            *self._last_pairs(),
        ]
        rows = [(group, j, *rest) for j, rule in enumerate(self.rules, start=1) for group, *rest in group_rows(rule)]
        columns = [GROUP_COLUMNS[0], "Split", *GROUP_COLUMNS[1:]]
        if self.n_splits == 1:
            rows, columns = group_rows(self.rules[0]), GROUP_COLUMNS
        return "Neyman-Pearson classifier, type I error controlled in every group", pairs, columns, rows

    def _scorer_notes(self):
        threshold = "the threshold" if self.pooled else "the threshold of its group"
        return scorer_notes(self.scorers, self.design, self._how_called(threshold) + self._why_auto())

    def _why_auto(self):
        if not self.auto_ratio:
            return ""
        return (
            " The split ratio (auto) is chosen in each group by itself: among the numbers of left-out rows within "
            f"{most_from_half(self.alpha)} of half of the group that leave a fifth of it to train, it takes the one "
            "that leaves the smallest part of alpha unused."
        )

    @knows_names_of_r
    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the left-out class 0 scores of each group about their threshold; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.
        """
        from nproc.plotting import plot_group_scores

        scores0 = [list(parts) for parts in self.scores0]
        return plot_group_scores(
            scores0, self.thresholds, self.group_values, self.alpha, labels=self.labels, ax=ax, figsize=figsize
        )

    def _cuts(self):
        pairs = zip(map(np.concatenate, self.scores0), self.thresholds, strict=True)
        guards = np.array([[rounding_guard(scores, value) for value in values] for scores, values in pairs])
        cuts = [[used.tie_cut for used in rule.used] for rule in self.rules]
        return Cuts(self.thresholds, guards, np.array(cuts) if self.ties == "randomize" else None)

    def _table(self, X):
        return without_column(X, self.group_column, self.feature_names)

    def _table_and_codes(self, X: Any, groups: Any) -> tuple[Any, Any]:
        codes = self._codes_of(X, groups, needed=not self.pooled)
        column = groups if isinstance(groups, str) else self.group_column
        return without_column(X, column, self.feature_names), codes

    def _labels_of_chunk(self, voters, X, ties, n_jobs):
        return self._labels_by(voters, *self._table_and_codes(X, None), ties, n_jobs)

    def _columns_read(self):
        names, needed = super()._columns_read(), self.group_column is not None and not self.pooled
        return None if names is None else list(dict.fromkeys(names + [self.group_column] * needed))

    def _codes_of(self, X, groups, *, needed):
        labels = find_labels(groups, "groups", X, self.group_column)
        if labels is not None and needed:
            column = self.group_column if groups is None else groups if isinstance(groups, str) else None
            return encode_members(labels, self.group_values, "groups", n_rows(X), column)
        if needed:
            where = f" by groups=, or a column {self.group_column!r} in X."
            if called_by("nproc.scorers"):
                raise InvalidInputError(self._no_groups_prefit())
            if self.group_column is None:
                where = " by groups=. The groups of the fit were given as values, not as a column of X."
                if called_by("sklearn.model_selection"):
                    where += (
                        " In a search or cross-validation of scikit-learn give groups= as the name of a column of X. "
                        "With metadata routing and np_score the values also suffice, if the scorer asks for them by "
                        "np_score(alpha).set_score_request(groups=True)."
                    )
            raise InvalidInputError(f"groups is missing: give the group of every row{where}")
        # one threshold for all: any position gives it
        return np.zeros(n_rows(X), dtype=np.intp)

    def _no_groups_prefit(self):
        column = self.group_column
        if column is None:
            return (
                "method is a fit that was given the values of groups. With prefit=True it sees X alone, and not the "
                "groups of its rows. Fit it with groups= as the name of a column of X."
            )
        return (
            f"X has no column {column!r} for the method, which is a fit by these groups. With prefit=True it sees X "
            f"alone. Give X with this column. If the call has groups={column!r}, which takes the column out of X, give "
            "the values of the groups instead."
        )

    def _rules_at(self, alpha, delta):
        values, pooled = self.group_values, self.pooled
        check_group_sizes(values, self.n0_left_out_by_group, alpha, delta, pooled)
        return tuple(
            thresholds_by_group(parts, values, alpha, delta, pooled, self.ties, seed)
            for parts, seed in zip(self.scores0, self._tie_seeds(), strict=True)
        )

    def _of_use_above(self, other):
        """Return this classifier without the caveats of equal scores of those groups whose threshold is lower."""
        lower = np.any(self.thresholds < other.thresholds, axis=0).tolist()
        begin = [in_group(group) for group, less in zip(self.group_values, lower, strict=True) if not less]
        stay = tuple(f"{EQUAL_SCORES} {words[0].upper()}{words[1:]}" for words in begin)
        others = super()._of_use_above(other).caveats
        return replace(self, caveats=tuple(text for text in self.caveats if text in others or text.startswith(stay)))


def in_group(group):
    """Return the words with which a finding on one group begins."""
    return f"in group {group!r}, "


def _shown(rate, interval, holds):
    if rate is None:
        return "-"
    return f"{rate:.4f}" + f" [{rounded_down(interval.lower)}, {rounded_up(interval.upper)}]" * holds


def head_rows(fit):
    return [
        *fit._heading(),
        ("Class 0 rows", fit.n0),
        ("Class 1 rows", fit.n1),
        ("alpha", level_text(fit.alpha)),
        ("delta", f"{fit.delta:g}"),
    ]
