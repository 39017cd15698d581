"""A fitted Neyman-Pearson classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import (
    LARGEST_COUNT,
    Seed,
    check_delta,
    check_flag,
    check_keywords,
    check_level,
    check_seed,
    count_of,
    keywords_of,
    level_text,
    refuse_beyond,
    rows_in,
    shown,
    tells_names,
)
from nproc.errors import InvalidInputError, NPWarning, calling_it, each_warning_once, warn_at_call
from nproc.fits.certification import ALL_GROUPS, CertifiedBound, bound_of_count, refuse_no_rows
from nproc.fits.evaluation import Evaluation, confusion, evaluation_of_counts
from nproc.fits.made_again import EQUAL_SCORES, GROUP_RATIOS_KEPT, RATIO_KEPT
from nproc.fits.own_rows import OwnRows, warn_of_own_rows
from nproc.fits.probabilities import class_probabilities, plot_probabilities
from nproc.fits.pvalues import combine_votes, conditional_of_counts, count_below, p_of_counts
from nproc.fits.report import UnseenRows, write_report
from nproc.fits.thresholds_table import thresholds_table
from nproc.fits.type1_curve import Type1Curve, curve_of
from nproc.fits.unmet import BROKEN_BY, SETTINGS_FIXED, WAYS_OUT
from nproc.fits.vote_bounds import VoteBound, vote_bound
from nproc.fits.voting import Cuts, NewRows, TieNumbers, Voters
from nproc.inputs import knows_names_of_r
from nproc.orderstat import order_or_error, smallest_size
from nproc.parallel import check_n_jobs
from nproc.row_chunks import (
    RowChunks,
    chosen_columns,
    comes_in_chunks,
    name_of,
    pair_of,
    places_in_all,
    placing_chunk,
    rows_of_path,
    score_new_rows,
    showing_rows,
    tables_in,
    warn_if_none,
)
from nproc.rows import (
    NO_GAPS,
    Design,
    NewValues,
    Table,
    as_column,
    as_table,
    check_same_length,
    check_same_rows,
    counting_rows,
    encode_labels,
    n_rows,
    no_class0_beside,
    notes_on_class0_rows,
    notes_on_labels_beside,
    refuse_labels_beside,
    refuse_path,
    take_rows,
    warn_of_new_values,
)
from nproc.score_chunks import mixture_of
from nproc.score_direction import warn_swapped
from nproc.scorers import describe_trained, not_converged, score_rows, scorer_names, scorer_spec
from nproc.simultaneous import share_of_each_class
from nproc.splitting import needed_in_all, sizes_looked_at, stream
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    format_number,
    rounded_up,
    rows_to_show,
    summary_table,
    table_frame,
)
from nproc.thresholds import (
    NOT_OF_THE_VOTE,
    TIED_SCORE,
    OfRules,
    Threshold,
    and_of_rank,
    coin_notes,
    draw_order,
    rates_note,
    rates_of_splits_note,
    rounding_guard,
    threshold_at,
)

if TYPE_CHECKING:
    from sklearn.model_selection import FixedThresholdClassifier

    from nproc.assumptions import AssumptionChecks
    from nproc.monitoring import Type1Monitor


@dataclass(frozen=True, repr=False, eq=False)
class NPFit(InNotebook):
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
        The user's labels, that of class 0 first.
    class0 : object
        The user's label of class 0, ``labels[0]``.
    seed : int
        Root seed: the same call with ``random_state=seed`` gives the same classifier.
    scorers : tuple
        The trained scorers.
    rules : tuple of Threshold
        The `Threshold` of each split.
    scores0 : tuple of ndarray
        Left-out class 0 scores of each split.
    design : Design
        Turns new rows into what the scorers see.
    ties : str
        How a score equal to a threshold is called, see `np_threshold`.
    rank : str
        Whether the rank is fixed or was drawn at random, see `np_threshold`.
    prefit : bool
        Whether the scorer was trained before the call.
    guaranteed : bool
        True if the bound on the type I error is proved. This requires one or two splits, no `unmet` condition, and an
        `alpha` that was not chosen on the rows that set the threshold (unless the band is simultaneous).
    alpha_chosen : bool
        Whether `alpha` was chosen on the rows that set the thresholds.
    simultaneous : bool
        True if the rank comes from a simultaneous band, whose bounds hold at all alpha at once, or at all alpha up to
        its `alpha_max`.
    caveats : tuple of str
        What the reader of a summary should know.
    versions : dict
        Versions of the packages that made the fit.
    ratio_choice : RatioChoice or None
        How an adaptive split ratio was chosen.
    given : dict
        Other arguments of the call, as text: the parameters of a named method, and the names of weights and of a
        resampler.
    of_band : dict or None
        For a classifier of a band: the arguments of `nproc` that made the band, marks of the places of its left-out
        rows as "rows" and, if alpha was chosen on it, the arguments of `choose_alpha` as "choice". None for a fit by
        `npc`.
    band_rule : object or None
        For a classifier of a simultaneous band: the bounds of the band, which give the rank for every alpha.
    auto_ratio : bool
        Whether `split_ratio` was chosen for these levels by ``split_ratio="auto"``.
    unmet : tuple of str
        Conditions of the guarantee that are known not to hold. Each says what would have to be true for the bound to
        hold, and so the opposite of what is: "if no search had chosen among candidates by the rows of this fit" stands
        there because a search had chosen.
    keys0 : ndarray of uint32, or None
        Hashes of at most 512 class 0 rows of the fit, by which it recognises its rows. None for rows in chunks. By
        these anyone who has the fit can test whether a given row was used.
    table_keys0 : object or None
        Likewise by all columns of the table, for a formula that uses only some of them; else None.
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
    rules: tuple[Any, ...]
    scores0: tuple
    design: Design
    ties: str = "conservative"
    rank: str = "conservative"
    prefit: bool = False
    alpha_chosen: bool = False
    simultaneous: bool = False
    caveats: tuple = ()
    versions: dict = field(default_factory=dict)
    ratio_choice: object = None
    given: dict = field(default_factory=dict)
    of_band: dict | None = None
    band_rule: Any = None
    auto_ratio: bool = False
    unmet: tuple = ()
    keys0: np.ndarray | None = None
    table_keys0: Any = None

    @property
    def class0(self) -> Any:
        """The user's label of class 0."""
        return self.labels.tolist()[0]

    @property
    def guaranteed(self) -> bool:
        # of two splits both must agree
        return self.n_splits <= 2 and not self.unmet and (self.simultaneous or not self.alpha_chosen)

    thresholds = OfRules("value")
    orders = OfRules("order")
    violation_rates = OfRules("violation_rate")
    type1_uppers = OfRules("type1_upper")

    @property
    def n0_left_out(self) -> int:
        return self.rules[0].n0

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the columns that new data must have, or None."""
        return self.design.required_columns

    def __repr__(self):
        doubt = ", no guarantee: alpha was chosen on the same rows" * (self.alpha_chosen and not self.simultaneous)
        doubt = doubt or self._doubt()
        seen = ", if the scorer has not seen these rows" * self.prefit
        held = f"; the bounds hold for all alpha{self._up_to_end()} at once" * self.simultaneous
        doubt = doubt or seen + held + " in each split" * (self.n_splits > 1)
        return (
            f"{self._opening()}{self.n0_left_out} of {self.n0} class 0 rows set the threshold at rank "
            f"{span(self.orders)}: violation rate {span(self.violation_rates, limit=self.delta)}, type I error <= "
            f"{span(self.type1_uppers, limit=self.alpha)}{doubt}"
        )

    def _opening(self, beta="", parts=None):
        """Return the first line of the repr, and what the second one begins with."""
        parts = parts or f"{self.n_splits} split" + "s" * (self.n_splits > 1)
        return (
            f"{type(self).__name__}(method={self.method!r}, alpha={level_text(self.alpha)}, {beta}"
            f"delta={self.delta:g}, {parts}, class0={self.class0!s}, seed={self.seed})\n  "
        )

    def _doubt(self):
        """Return which conditions are not met, as the end of a sentence."""
        return f", no guarantee: it would hold {' and '.join(self.unmet)}" * bool(self.unmet)

    def _verdict(self):
        """Return that there is no guarantee, and why, as a list of one sentence or none."""
        broken = [BROKEN_BY[condition] for condition in self.unmet if condition in BROKEN_BY]
        return [f"No guarantee: {', and '.join(broken)}."] if broken else []

    def _ways_out(self):
        """Return what the user can do about conditions that are not met, as a list of sentences."""
        return [WAYS_OUT[condition] for condition in self.unmet if condition in WAYS_OUT]

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with one row per split: threshold, order, violation rate, bound on the type I error."""
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

    def summary(self, *, max_rows: int | None = 15) -> Summary:
        """Return a table of levels, sizes and thresholds, and notes on what holds and on the training of the scorers.

        Violation rates and bounds are rounded outward, to four decimals or to the digits of alpha and delta.
        `to_frame` has them unrounded.

        Parameters
        ----------
        max_rows : int or None
            Rows of the table shown; None shows all.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        title, pairs, columns, rows = self._table_of_summary()
        promise, *others = self._own_notes()
        notes = [
            " ".join([*self._verdict(), promise, *self.caveats, *self._ways_out()]),
            *others,
            *self._scorer_notes(),
            *self._weight_notes(),
        ]
        return summary_table(title, pairs, columns, rows, notes, max_rows=rows_to_show(max_rows))

    def _table_of_summary(self):
        """Return title, pairs, columns and rows of the summary."""
        rate = ("Violation rate" + " (each)" * (self.n_splits > 1), span(self.violation_rates, limit=self.delta))
        return "Neyman-Pearson classifier", self._pairs(rate), *self._rows_of_splits()

    def _pairs(self, *own):
        """Return the pairs of a summary with a threshold for each split, its own ones after the levels."""
        return [
            *self._heading(),
            ("Class 0 rows", self.n0),
            ("Class 0 rows left out", self.n0_left_out),
            ("Class 1 rows", self.n1),
            ("alpha", level_text(self.alpha)),
            ("delta", f"{self.delta:g}"),
            *own,
            *self._last_pairs(),
        ]

    def _last_pairs(self):
        return [("Splits", self.n_splits), ("Split ratio", self._shown_ratio()), ("Seed", self.seed)]

    def _heading(self):
        return [
            ("Method", self.method),
            ("Class 0 (controlled)", str(self.class0)),
            ("Class 1", str(self.labels[1])),
        ]

    def _rows_of_splits(self):
        rows = [
            (
                *(j, rule.value, rule.order, rule.n0),
                *(rounded_up(rule.violation_rate, self.delta), rounded_up(rule.type1_upper, self.alpha)),
            )
            for j, rule in enumerate(self.rules, start=1)
        ]
        return ["Split", "Threshold", "Rank", "Of", "Violation rate", "Type I upper"], rows

    def _weight_notes(self):
        weighted = "The training used the weights of the rows. The threshold does not use them."
        return [weighted] if "sample_weight" in self.given else []

    def _scorer_notes(self):
        return scorer_notes(self.scorers, self.design, self._how_called("the threshold") + self._why_auto())

    def _how_called(self, threshold):
        """Return how a row is called by its score and the `threshold`, and what the scores mean, as a sentence or two.

        `threshold` is the name of what a score is compared with.
        """
        row = "A row" if self.n_splits == 1 else "In each split a row"
        called = (
            f"{row} is called {self.labels[1]} (class 1) when its score exceeds {threshold}: larger scores mean class "
            f"1.{TIED_SCORE * (self.ties == 'randomize')}"
        )
        return f"{called} {self._who_decides()}".rstrip()

    def _who_decides(self):
        """Return how several splits decide, as a sentence, or nothing where a note on the promise says it."""
        if self.n_splits == 1:
            return ""
        tie = ", and a tie goes to class 0" if self.n_splits % 2 == 0 else ""
        return f"The majority of the splits decides{tie}."

    @knows_names_of_r
    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the left-out class 0 scores of each split around their threshold; return the Axes.

        Where far scores would squeeze the rest together, they are gathered in bars that are set apart, and the name of
        the axis says how many they are. The area of each bar is the share of the scores in it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.
        """
        from nproc.plotting import plot_threshold

        return plot_threshold(
            list(self.scores0),
            self.thresholds,
            ax=ax,
            figsize=figsize,
            alpha=self.alpha,
            labels=self.labels,
            at_random=self._share_at_random(),
            which=self._which_scores(),
        )

    def _which_scores(self):
        """Return what a legend says of the class 0 rows that set the threshold."""
        return "rows that set the threshold" if self.prefit else "left out"

    def _share_at_random(self):
        """Return the share of the left-out class 0 scores that equal the threshold; 0 if none is called at random."""
        if self.ties != "randomize":
            return 0.0
        pairs = zip(self.scores0, self.thresholds, strict=True)
        counts = [np.count_nonzero(np.abs(s - t) <= rounding_guard(s, t)) for s, t in pairs]
        # the score that is the threshold equals itself, which is no tie
        return float(np.mean(counts)) / self.n0_left_out if max(counts) > 1 else 0.0

    def _scores(self, X, name="X"):
        """Return the scores of rows by each scorer, shape (rows, splits); an error calls them `name`."""
        rows = self.design.transform(self._table(X), name=name)
        values = self.labels if self.prefit else None
        with showing_rows(rows_in(X, name)):
            return np.column_stack(
                [score_new_rows(partial(score_rows, scorer, values=values), rows, name=name) for scorer in self.scorers]
            )

    @knows_names_of_r
    def decision_function(self, X: Table, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Score new rows: the lower median over splits of score minus threshold.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        ndarray of float, shape (m,)
            Above 0 exactly where `predict` says class 1, with two exceptions: exact ties with ``ties="randomize"``, and
            rows on which the splits disagree with ``vote="random"``. For one split it is the score minus the threshold.
            If this difference is within rounding error (see `rounding_guard` in `nproc.thresholds`), it is 0 and counts
            as a tie, because the scores of equal rows may differ in the last digit.

        Raises
        ------
        InvalidInputError
            If X does not have the columns of the fit, or a value is not finite.
        """
        margins = self._median_margins(self._table(X), None, n_jobs)
        self._warn_of_new_rows(X)
        return margins

    @knows_names_of_r
    def votes(self, X: Table, *, random_state: Seed = None, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Count the votes: the share of splits that call each row class 1.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows.
        random_state : None, int, Generator or RandomState
            Only for ``ties="randomize"``: the source of the random numbers that decide ties. None draws fresh numbers
            in every call. With a fixed seed, rows that are predicted one at a time would all get the same number.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        ndarray of float, shape (m,)
            Between 0 and 1.
        """
        shares = self._shares(self._table(X), None, random_state, n_jobs)
        self._warn_of_new_rows(X)
        return shares

    @knows_names_of_r
    def predict(self, X: Table, *, random_state: Seed = None, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict the labels of new rows: class 1 where more than half of the splits say so.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit. Columns that are named by texts are found by name, in any order,
            and further ones are ignored.
        random_state : None, int, Generator or RandomState
            As in `votes`.
        n_jobs : int or None
            Number of threads; blocks of rows are distributed over them. -1 means one thread for each core. None is 1
            unless a `joblib.parallel_config` is active. The labels do not depend on it.

        Returns
        -------
        ndarray, shape (m,)
            Labels as in the training data; the tie of an even number of splits goes to class 0.

        Raises
        ------
        InvalidInputError
            If X does not have the columns of the fit, or a value is not finite.

        Warns
        -----
        NPWarning
            If the fit left out rows with missing values (``na_action="omit"``), its method takes them, and `X` has such
            rows. They are labelled, but nothing is guaranteed about them.

        See Also
        --------
        predict_chunks : for rows that do not fit in memory.

        Notes
        -----
        Beside `X` and the labels, each thread needs memory for a few blocks of 2^14 rows (2^16 if a scorer is not
        linear) and their M scores. A formula codes its whole table first. Linear scorers, such as logistic regression,
        cost one matrix product for all M of them. If the product lies so close to a threshold that rounding could
        change the label, the scorer itself computes the score.

        Within a thread, a scorer that is itself parallel runs sequentially. To predict a Dask array on its own workers,
        use ``X.map_blocks(fit.predict, drop_axis=1, dtype=fit.labels.dtype)``, if each block has all columns. For a
        Dask DataFrame use ``X.map_partitions(fit.predict)``.
        """
        labels = self._labels(self._table(X), None, random_state, n_jobs)
        self._warn_of_new_rows(X)
        return labels

    @tells_names
    def predict_chunks(
        self,
        chunks: Iterable[Table] | RowChunks | str | PathLike[str],
        *,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> Iterator[NDArray[Any]]:
        """Predict the labels of rows that come in chunks, one chunk after the other.

        Parameters
        ----------
        chunks : iterable of tables, RowChunks or path
            Tables that `predict` accepts, the result of `read_in_chunks` or another object with a method ``rows()``
            that gives such tables, or the path of a Parquet or CSV file. Columns that are not in the fit are ignored.
        random_state : None, int, Generator or RandomState
            As in `votes`. It is read once for all chunks, so that the labels are the same as for the whole table.
        n_jobs : int or None
            As in `predict`.

        Returns
        -------
        iterator of ndarray
            The labels of one chunk after the other, computed when they are asked for. Concatenated, they equal
            ``predict(X, random_state=...)`` of the whole table. A chunk without rows gives no labels.

        Raises
        ------
        InvalidInputError
            If `chunks` is a single table or cannot be iterated over, and as in `predict`.

        Notes
        -----
        One chunk at a time is in memory, plus the memory that `predict` needs for it.

        Examples
        --------
        >>> import numpy as np
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, random_state=1)
        >>> chunks = (np.random.default_rng(day).normal(size=(500, 1)) for day in range(3))
        >>> [int(labels.sum()) for labels in fit.predict_chunks(chunks)]
        [7, 7, 10]
        """
        check_n_jobs(n_jobs)
        ties = self._ties(random_state)
        chunks = rows_of_path(chunks, self._columns_read(), self.design.texts)
        return self._labels_of_chunks(chunks, tables_in(chunks), ties, n_jobs)

    @knows_names_of_r
    @each_warning_once()
    def evaluate(
        self,
        X: Table | RowChunks | Iterable[tuple[Any, Any]],
        y: ArrayLike | None = None,
        *,
        level: float = 0.95,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> Evaluation:
        """Estimate both errors on new data, with Clopper-Pearson intervals.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p), or iterable of (X, y)
            New rows, not those of the fit. If you leave out `y`, it may also be a `RowChunks` or any iterable of pairs
            (rows, labels); one pair at a time is then in memory.
        y : array-like, shape (m,), optional
            Their labels. For a fit by formula None takes the label column of `X`.
        level : float
            Coverage of each single interval, in (0, 1). It holds if the number of rows was fixed beforehand, but not
            for repeated looks as rows come in.
        random_state : None, int, Generator or RandomState
            As in `votes`, if rows are called at random.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        Evaluation

        Raises
        ------
        InvalidInputError
            If a label is missing or was not in the training data, or the rows do not match the fit.

        Warns
        -----
        NPWarning
            If at least a fifth of the class 0 rows equal rows of the fit, or have exactly the scores of rows that set
            the threshold. They are then probably rows of the fit, and the result says so. Fewer are not noticed. Also
            if the fit left out rows with missing values (``na_action="omit"``) and `X` has such rows: they are left out
            here too.
        """
        level = check_level(level, "level")
        known = {"level": level, **self._levels()}
        if y is None and comes_in_chunks(X):
            # one source for all chunks, so that each has numbers of its own
            source = None if random_state is None else np.random.default_rng(check_seed(random_state))
            counts, number = self._tally(np.empty(0), np.empty(0)), 0
            n_gaps = n_given = 0
            own, new = OwnRows(self), NewValues(self.design.ranges)
            for chunk in cast(Iterable[Any], X):
                number += 1
                with placing_chunk(X, number, n_given):
                    rows, labels = pair_of(chunk)
                    new.add(rows, row_of=places_in_all(X, n_given))
                    (rows, labels), part, counted = self._complete_rows(rows, labels)
                    n_gaps, n_given = n_gaps + part, n_given + n_rows(rows) + part
                    with counted:
                        counts += self._errors(rows, labels, source, n_jobs, own)
                # it would stay in memory beside the next
                del chunk, rows, labels
            warn_if_none(number, "X")
            new.warn(name_of(X))
            self._warn_of_left_out(n_gaps, n_given)
            return self._evaluation(counts, known | {"own_rows": own.warn()})
        refuse_path(X, "X")
        if isinstance(X, RowChunks):
            raise InvalidInputError("X is RowChunks, which contains the labels; leave out y.")
        check_same_rows(X=X, y=y)
        (X, y), counted = self._counted_rows(X, y)
        codes = encode_labels(self.design.labels_of(X, y), self.labels)
        with counted:
            # before the rows that are looked at again, so that a message counts all rows
            called = self._calls(self._table(X), None, random_state, n_jobs)
            check_same_length(called, codes)
            known["own_rows"] = self._warn_of_own_rows(X, np.flatnonzero(codes == 0))
        return self._evaluation(self._tally(codes, called), known)

    @tells_names
    def predict_proba(self, X: Table, *, prevalence: float | Mapping[Any, float] | None = None) -> NDArray[np.float64]:
        """Estimate the probabilities of both classes of new rows; an estimate by the method, without a guarantee.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        prevalence : float or dict, optional
            Share of class 1 among the rows to come, in (0, 1), or a dict with the share of either class by its label,
            such as ``{"malignant": 0.01}``. None takes the share in the data of the fit.

        Returns
        -------
        ndarray of float, shape (m, 2)
            The average over the splits. The columns follow `labels`, class 0 first, and not the sorted labels as in
            scikit-learn: with ``class0=1`` the first column is that of the label 1.

        Raises
        ------
        InvalidInputError
            If the method has no probabilities, or `prevalence` is given for a prefit scorer.

        Warns
        -----
        NPWarning
            If `prevalence` is a number without a label, unless the labels are 0 and 1, -1 and 1, or False and True.

        See Also
        --------
        plot_calibration : how well the probabilities agree with new rows.
        p_values : how unusual a row is for class 0, with a guarantee.

        Notes
        -----
        `predict` does not use these probabilities, because its threshold controls the type I error. The class 0 rows
        that set the threshold were not used for training. The shares of the two classes were therefore different in the
        training than in the data, and the odds are corrected for this. They are not corrected for class weights or for
        `resample`.
        """
        probabilities = class_probabilities(self, X, prevalence)
        self._warn_of_new_rows(X)
        return probabilities

    @tells_names
    def plot_calibration(
        self,
        X: Table,
        y: ArrayLike | None = None,
        *,
        n_groups: int = 10,
        prevalence: float | Mapping[Any, float] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw how often new rows with similar estimated probabilities are class 1; return the Axes.

        Parameters
        ----------
        X, y
            New rows and their labels, as in `evaluate`. They must not be rows of the fit.
        n_groups : int
            Number of groups of rows, of about the same size.
        prevalence
            As in `predict_proba`: the share of class 1 among the new rows, if it is not that of the data of the fit.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches. Font size and line widths follow matplotlib's rcParams: set
            ``plt.rc("font", size=7)`` or ``plt.rc("lines", linewidth=1)`` before the call.

        Returns
        -------
        matplotlib.axes.Axes
            A point for each group, with the exact 95 % interval of its share.

        Raises
        ------
        InvalidInputError
            As `predict_proba`, or if `y` holds other labels, or one class alone.

        Warns
        -----
        NPWarning
            As `predict_proba`, or if many of the rows are those of the fit.
        """
        return plot_probabilities(self, X, y, n_groups=n_groups, prevalence=prevalence, ax=ax, figsize=figsize)

    @tells_names
    def thresholds_table(
        self,
        X: Table | None = None,
        y: ArrayLike | None = None,
        *,
        alphas: Sequence[float] | None = None,
        prevalence: float | Mapping[Any, float] | None = None,
        level: float = 0.95,
        random_state: Seed = None,
    ) -> DataFrame:
        """Return a table of thresholds, one for each alpha, with both errors and predictive values on new rows.

        Parameters
        ----------
        X, y : optional
            New rows and their labels, as in `evaluate`. Without them the table has only the bounds on the type I error.
        alphas : sequence of float, optional
            Levels in (0, 1). None takes the level of this fit, and those of 0.01, 0.02, 0.05, 0.1, 0.15, 0.2 and 0.3
            that the left-out class 0 rows can meet, up to the `alpha_max` of a band.
        prevalence : float or dict, optional
            Adds the predictive values at this share of class 1, as in `predict_proba`.
        level : float
            Coverage of the intervals, in (0, 1).
        random_state : None, int, Generator or RandomState
            As in `predict`, for rows that are called at random.

        Returns
        -------
        DataFrame
            The columns alpha, rank, threshold, type1_bound and violation_rate. For several splits there is no column
            threshold, and violation_rate is NaN. type1_bound is proved for the whole classifier with probability at
            least 1 - delta, and is NaN if nothing is proved. With new rows there are also type1 and type2. With
            `prevalence` there are also the prevalence itself, always that of class 1, such as ``P(benign)``, and the
            predictive values, such as ``P(benign | called benign)`` (the labels 0 and 1 appear as class 0 and class 1).
            Each estimate has columns ``_lower`` and ``_upper``. For an error they are the exact interval of `evaluate`,
            for this error alone. The intervals of the two predictive values of a row hold together. All these ends are
            NaN if `evaluate` finds that the rows are probably rows of the fit.

        Raises
        ------
        TooFewSamplesError
            If the left-out class 0 rows cannot meet one of the `alphas` given.
        InvalidInputError
            If an argument is not valid, if the fit has groups or a review zone, or if it comes from a pointwise band on
            which alpha was chosen.

        Warns
        -----
        NPWarning
            As `plot_calibration`.

        See Also
        --------
        with_levels : the classifier at one of these levels.
        nproc.NPROCBand.classifier : the same for a classifier of a simultaneous band.
        nproc.nproc : both errors without new rows.

        Notes
        -----
        Each bound and interval holds for one row of the table only. If you choose alpha by this table, make it with a
        classifier of a simultaneous band, or divide delta by the number of its rows; see `with_levels`. For a
        simultaneous band `type1_bound` holds for all rows of the table at once. The other bounds and the intervals
        still hold for one row only.

        pandas leaves out columns where the table is wider than the screen. ``print(table.to_string())`` shows all.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample, fresh = (simulation1(1000, random_state=seed) for seed in (1, 2))
        >>> fit = npc(sample.X, sample.y, random_state=1)
        >>> print(fit.thresholds_table(alphas=[0.05, 0.1]).to_string())
           alpha  rank  threshold  type1_bound  violation_rate
        0   0.05   253   2.922461     0.049973        0.049808
        1   0.10   243   2.019100     0.096464        0.033845
        >>> fit.thresholds_table(fresh.X, fresh.y, alphas=[0.05, 0.1])[["alpha", "rank", "type1", "type2"]].round(3)
           alpha  rank  type1  type2
        0   0.05   253  0.010  0.533
        1   0.10   243  0.036  0.350
        """
        given = {"prevalence": prevalence, "level": level, "random_state": random_state}
        return self._thresholds_table(X, y, alphas=alphas, **given)

    def _thresholds_table(self, X, y, **given):
        return thresholds_table(self, X, y, **given)

    def report(
        self,
        path: str | PathLike[str],
        X: Table | None = None,
        y: ArrayLike | None = None,
        *,
        data: tuple[Table, ArrayLike] | Table | None = None,
        band: Any = None,
        summaries: Sequence[Any] = (),
        data_name: str | None = None,
        label_name: str | None = None,
        new_note: str | None = None,
        fmt: Literal["html", "md"] | None = None,
        **evaluation: Any,
    ) -> Path:
        """Write a report in one file, for a supplement or a regulator; return its path.

        It says what is claimed and what is assumed. It shows sizes, ranks, thresholds, violation rates, a picture, both
        errors on new rows, checks of the assumptions, how to make the classifier again, and a paragraph for a methods
        section.

        Parameters
        ----------
        path : str or path
            The file, which ends in .html or .md. A report there is replaced; an existing file of another kind is not,
            unless it is empty.
        X, y : optional
            New rows and their labels, as in `evaluate`. The report shows both errors on them, with exact intervals. If
            the fit left out rows with missing values, such rows are left out here too, and the report says how many.
        data : (X, y) or DataFrame, optional
            The rows and labels of the fit, in their order. For a fit by formula it may be the table. Columns that the
            fit does not use are left out. The report then states the hash of the rest. It counts the new rows that
            equal a row of the fit in all predictors, and the rows of the fit that equal another one. Where the split is
            known, it also counts the left-out class 0 rows that equal a training row of class 0.
        band : NPROCBand, optional
            A band to draw, marked at the level of this fit. It must have the same class 0. A fit holds no band: make
            one of the same rows by `nproc`, or give the band whose classifier this is. The bounds of a band on the
            type II error are about ``band.classifier(alpha)``. If this fit does not come from the band, the report says
            so, and in which settings the two differ.
        summaries : sequence of Summary or of results
            Other results, such as a comparison or predictive values, or their summaries, to be shown as well. Of
            comparisons and AUCs that are given as results, the paragraph for a methods section says how they were made
            and on which rows, and the report says if they are not about this classifier.
        data_name, label_name : str, optional
            Names of the file or table that was fitted and of its label column, for the reader.
        new_note : str, optional
            Sentences about the new rows that stand above their errors, such as how many rows you left out and why.
        fmt : {"html", "md"}, optional
            The format; None chooses it by the ending of `path`.
        **evaluation
            Other arguments of `evaluate`, such as groups or random_state, and the `prevalence` of `thresholds_table`,
            which adds the predictive values on the new rows. They require `X`.

        Returns
        -------
        pathlib.Path
            The file. It needs no other file and contains no script. Labels and names are shown as plain text.

        Raises
        ------
        InvalidInputError
            If the file cannot be written, or is there and no report, if `data` are not the rows of the fit, if `X` and
            `y` are the same rows as `data`, if `band` has other classes, if one of `summaries` has no summary, if `y`,
            `new_note` or one of `evaluation` comes without `X`, if `prevalence` is not valid or there is no table of
            thresholds on the new rows, or if `evaluation` holds a name that is no argument of `evaluate`.

        Warns
        -----
        NPWarning
            If many of the new rows, or all of them, are probably rows of the fit, by `data` or by their scores.

        Notes
        -----
        The report depends only on this fit and the arguments, so the same call writes the same file.

        Examples
        --------
        >>> import tempfile
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample, fresh = (simulation1(1000, random_state=seed) for seed in (1, 2))
        >>> fit = npc(sample.X, sample.y, random_state=1)
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = fit.report(f"{folder.name}/report.md", fresh.X, fresh.y, data=(sample.X, sample.y))
        >>> path.read_text().splitlines()[:3]
        ['# Report on a Neyman-Pearson classifier', '', '## What is claimed']
        >>> folder.cleanup()
        """
        check_keywords(evaluation, (*keywords_of(self.report, self.evaluate), "prevalence"), "report")
        prevalence = evaluation.pop("prevalence", None)
        return write_report(
            self,
            path,
            UnseenRows(X, y, new_note, evaluation, prevalence=prevalence),
            data=data,
            band=band,
            summaries=summaries,
            named=(data_name, label_name),
            fmt=fmt,
        )

    def _shown_ratio(self):
        """Return the share of class 0 that trains, and whether it was chosen by the rows or by alpha and delta."""
        if self.split_ratio is None:
            return "-"
        how = " (adaptive)" if self.ratio_choice is not None else " (auto)" if self.auto_ratio else ""
        return f"{self.split_ratio:.4g}{how}"

    def _why_auto(self):
        """Return why so many rows are left out, as a sentence, or nothing where the user chose the number."""
        return self._why_auto_of("rows")

    def _why_auto_of(self, rows):
        if not self.auto_ratio:
            return ""
        looked_at = sizes_looked_at(self.alpha, round(self.n0_left_out / (1 - self.split_ratio)))
        return (
            f" The split ratio (auto): among the numbers of left-out {rows} {looked_at}, this one leaves the smallest "
            "part of alpha unused."
        )

    def _claims(self):
        """Return what is promised, as a list of sentences."""
        return self._own_notes()[:1]

    def _vote_notes(self):
        """Return what is promised of the vote of several splits, as a list of sentences."""
        if self.n_splits == 1 or self.unmet or (self.alpha_chosen and not self.simultaneous):
            return []
        if self.n_splits == 2:
            return ["Both splits must call a row class 1, so the majority vote has the same bound as each of them."]
        held = "held in experiments with useful scores, but it " if self._vote_was_tried() else ""
        return [
            f"For the majority vote of {self.n_splits} splits the same bound is not proved. It {held}can fail if the "
            f"scores of the splits disagree. {self.vote_bound().sentence()}"
        ]

    def _vote_was_tried(self):
        """Return whether there are experiments with the vote of such fits."""
        return not self.simultaneous

    def _models(self):
        """Return the trained models, each of which may have probabilities."""
        return self.scorers

    def _share_trained(self):
        """Return the share of the class 0 rows that trained each of them."""
        return 1 - self.n0_left_out / self.n0

    def _table(self, X):
        """Return new rows without the columns that are none of the predictors."""
        return X

    def _cuts(self):
        """Return where the scores of each split are cut."""
        guards = np.array([rounding_guard(s, t) for s, t in zip(self.scores0, self.thresholds, strict=True)])
        tie_cuts = np.array([rule.tie_cut for rule in self.rules]) if self.ties == "randomize" else None
        return Cuts(self.thresholds, guards, tie_cuts)

    def _voters(self):
        return Voters(self.scorers, self.labels if self.prefit else None, self._cuts())

    def _ties(self, random_state):
        return TieNumbers(random_state, self.n_splits) if self.ties == "randomize" else None

    def _median_margins(self, table, codes, n_jobs):
        rows = NewRows(self.design, table)
        margins = np.empty(rows.n_rows)
        self._voters().median_margins(rows, margins, codes=codes, n_jobs=check_n_jobs(n_jobs))
        return margins

    def _shares(self, table, codes, random_state, n_jobs):
        shares = np.arange(self.n_splits + 1) / self.n_splits
        return self._by_count(shares, self._voters(), table, codes, self._ties(random_state), n_jobs)

    def _levels(self):
        """Return what an `Evaluation` says of the classifier itself."""
        names = ("alpha", "delta", "labels", "guaranteed")
        return {name: getattr(self, name) for name in names}

    def _tally(self, codes, called):
        """Return n0, n1 and the numbers of errors of the two classes, as an array."""
        return confusion(codes, called)

    def _evaluation(self, counts, known):
        found = evaluation_of_counts(*counts.tolist(), **known)
        warn_swapped(found, found.n1 - found.n_false0)
        return found

    def _calls(self, table, codes, random_state, n_jobs):
        """Return 1 where a row is called class 1, and 0 elsewhere."""
        return self._by_count(self._majority(), self._voters(), table, codes, self._ties(random_state), n_jobs)

    def _labels(self, table, codes, random_state, n_jobs):
        return self._labels_by(self._voters(), table, codes, self._ties(random_state), n_jobs)

    def _labels_by(self, voters, table, codes, ties, n_jobs):
        return self._by_count(self.labels[self._majority()], voters, table, codes, ties, n_jobs)

    def _called1(self, predicted):
        """Return 1 for each label of class 1, and 0 for the others."""
        return encode_labels(predicted, self.labels)

    def _majority(self):
        """Return 1 for each number of votes that is a majority, and 0 for each that is none."""
        return (2 * np.arange(self.n_splits + 1) > self.n_splits).astype(np.int64)

    def _by_count(self, values, voters, table, codes, ties, n_jobs):
        """Return for each row the entry of `values` at the number of splits that call it class 1."""
        rows = NewRows(self.design, table)
        result = np.empty(rows.n_rows, dtype=values.dtype)

        def keep(start, stop, counts):
            result[start:stop] = values[counts]

        voters.counts(rows, keep, codes=codes, ties=ties, n_jobs=check_n_jobs(n_jobs))
        return result

    def _labels_of_chunks(self, chunks, tables, ties, n_jobs):
        voters, columns = self._voters(), self._columns_read()
        number = done = n_gaps = 0
        said: set[str] = set()
        new = NewValues(self.design.ranges)
        # not enumerate, which would keep the table beside the next
        for table in tables:
            number, n = number + 1, n_rows(table)
            with placing_chunk(chunks, number, done), each_warning_once(said):
                table = chosen_columns(table, columns)
                new.add(table, row_of=places_in_all(chunks, done))
                labels = self._labels_of_chunk(voters, table, ties, n_jobs) if n else self.labels[:0]
                gaps = self.design.rows_with_gaps(table)
                n_gaps += 0 if gaps is None else int(gaps.sum())
            done += n
            if ties is not None:
                ties.first_row = done
            # it would stay in memory beside the next
            del table
            yield labels
        warn_if_none(number, name_of(chunks))
        new.warn(name_of(chunks))
        _warn_of_labelled(n_gaps, done)

    def _warn_of_new_rows(self, X):
        """Warn of rows with missing values that are labelled although the fit left such rows out, and of new values."""
        warn_of_new_values(self.design.ranges, X)
        gaps = self.design.rows_with_gaps(X)
        if gaps is not None:
            _warn_of_labelled(int(gaps.sum()), gaps.size)

    def _counted_rows(self, X, *beside, name="X", row_of=int):
        """Return new rows, and what stands beside them, without the rows with missing values that the fit left out.

        Such rows are counted nowhere, since all statements are about the others; a warning says how many there are. A
        block to score the others in comes with them: what is said in it of a row counts all rows. Values that no row
        of the fit had are warned of as by `warn_of_new_values`, at the places that `row_of` gives.
        """
        warn_of_new_values(self.design.ranges, X, name, row_of)
        with calling_it(name):
            kept, n_gaps, counted = self._complete_rows(X, *beside)
        if n_gaps:
            n_kept = n_rows(kept[0])
            if n_kept == 0:
                raise InvalidInputError(
                    f"every row of {name} has a missing value. {NO_GAPS} Give rows without missing values.",
                    argument=name,
                )
            self._warn_of_left_out(n_gaps, n_kept + n_gaps)
        return kept, counted

    def _complete_rows(self, X, *beside):
        """Return the same without a warning, and how many rows were left out."""
        gaps = self.design.rows_with_gaps(X)
        if gaps is None:
            return (X, *beside), 0, nullcontext()
        for one in beside:
            if one is not None and not isinstance(one, str):
                check_same_length(X, one)
        kept = np.flatnonzero(~gaps)
        taken = (one if one is None or isinstance(one, str) else take_rows(as_column(one, "y"), kept) for one in beside)
        counted = counting_rows(lambda row: int(kept[row]), in_table=True)
        return (take_rows(as_table(X, "X"), kept), *taken), int(gaps.sum()), counted

    def _warn_of_left_out(self, n_gaps, n_given):
        if n_gaps:
            have = "has missing values and is" if n_gaps == 1 else "have missing values and are"
            warn_at_call(f"{count_of(n_gaps, n_given)} {have} left out. {NO_GAPS}", NPWarning)

    def _labels_of_chunk(self, voters, X, ties, n_jobs):
        return self._labels_by(voters, self._table(X), None, ties, n_jobs)

    def _columns_read(self):
        """Return the columns that new rows of a file must have; None for all there are."""
        return None if self.feature_names is None else list(self.feature_names)

    def _warn_of_own_rows(self, X, rows0):
        return warn_of_own_rows(self, X, rows0)

    def _scorers_with_scores(self):
        """Return pairs of a scorer and the scores of class 0 rows that it did not see, or None with groups."""
        known = self.scores0[0]
        return [(self.scorers[0], known)] if isinstance(known, np.ndarray) else None

    def _proved_bound(self):
        """Return the bound on the type I error of the classifier as a whole; NaN where none is proved."""
        if self.unmet:
            return float("nan")
        if self.n_splits <= 2:
            return float(np.max(self.type1_uppers))
        if self.alpha_chosen and not self.simultaneous:
            return float("nan")
        bound = self.vote_bound().type1_upper_at_delta
        return float("nan") if bound is None else float(bound)

    def _errors(self, X, y, random_state, n_jobs, own):
        """Return the counts of `_tally` on some rows, and look in `own` at those that may be of the fit."""
        check_same_rows(X=X, y=y)
        y = self.design.labels_of(X, y)
        check_same_length(X, y)
        if n_rows(y) == 0:
            return self._tally(np.empty(0), np.empty(0))
        codes = encode_labels(y, self.labels)
        rows = chosen_columns(X, self._columns_read())
        called = self._calls(self._table(rows), None, random_state, n_jobs)
        own.add(rows, np.flatnonzero(codes == 0))
        return self._tally(codes, called)

    @knows_names_of_r
    @each_warning_once()
    def certify(
        self,
        X0: Table,
        y: ArrayLike | None = None,
        *,
        delta: float | None = None,
        n_candidates: int = 1,
        anytime: bool = False,
        **options: Any,
    ) -> CertifiedBound:
        """Bound the type I error of this classifier, including its majority vote, from fresh class 0 rows.

        The bound holds for any number of splits and any way of choosing alpha, because it uses only the predictions.

        Parameters
        ----------
        X0 : DataFrame, array-like or sparse matrix, n rows
            Class 0 rows that took no part in the fit, nor in choosing this classifier among others. A fit does not
            store its rows, but hashes of some, by which anyone who has the fit can test whether a given row was used.
            By these, and by the scores that set a threshold, it notices its rows if their values are unchanged. It
            warns only if they are at least a fifth of the rows, because a few can be equal by chance. Fewer are not
            noticed, and can make the bound too low. The hashes tell nothing where most rows of the fit equal another
            one or too few are given, and with ``prefit=True`` nothing is known of the rows that trained the model; the
            result then says that this could not be checked.
        y : array-like, shape (n,), optional
            Labels, if `X0` has class 1 rows too; only class 0 rows are used. For a fit by formula, None takes the label
            column of `X0`, if there is one. The summary then says how many rows were left out.
        delta : float, optional
            The bound holds with probability at least 1 - `delta`, in (0, 0.5]. None uses the delta of the fit.
        n_candidates : int
            How many classifiers, all fixed beforehand, are certified on these rows, each of them once.
        anytime : bool
            True for a bound that holds however often you look as rows come in, see `nproc.certify`.
        **options
            Passed on to `predict`: ``random_state`` if ties are called at random, ``groups`` for a fit with groups.
            With groups the bound is on the type I error of all groups together, in the proportions of `X0`. For a bound
            in each group, certify the rows of one group at a time, and give the number of groups as `n_candidates`.

        Returns
        -------
        CertifiedBound
            It also has the `alpha` of the fit, for comparison.

        Raises
        ------
        InvalidInputError
            If a label is missing or not one of the fit's, there is no class 0 row, or the rows do not match the fit. If
            `y` is missing, and a column of `X0` that the fit does not use has the labels of both classes. It is a
            warning where these are numbers or truth values.

        Warns
        -----
        NPWarning
            If at least a fifth of the rows equal rows of the fit, or have exactly the scores of rows that set the
            threshold. They are then probably rows of the fit. Also if the fit left out rows with missing values and
            `X0` has such rows, as in `evaluate`.

        See Also
        --------
        nproc.certify : the same for any classifier, with the proof.
        nproc.fits.certification_size : how many fresh rows are needed.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, n_splits=5, random_state=1)
        >>> fresh = simulation1(2000, random_state=2)
        >>> fit.certify(fresh.X, fresh.y).certified
        True
        """
        own = [name for name in keywords_of(self.certify, NPFit.certify, self.predict) if name != "X"]
        check_keywords(options, own, "certify")
        refuse_no_rows(X0)
        check_same_rows(X0=X0, y=y, groups=options.get("groups"))
        (X0, y, groups), counted = self._counted_rows(X0, y, options.get("groups"), name="X0")
        options |= {"groups": groups} if groups is not None else {}
        beside = self._labels_beside(X0, "X0", groups) if y is None else None
        with calling_it("X0"), counted:
            called1 = self._called1(self.predict(X0, **options))
        y = y if beside is None else beside
        codes = np.zeros_like(called1) if y is None else encode_labels(y, self.labels)
        check_same_length(called1, codes, name="X0")
        called1 = called1[codes == 0]
        if called1.size == 0 and beside is not None:
            raise no_class0_beside(beside, self.class0, "X0")
        if called1.size == 0:
            raise InvalidInputError(f"y has no label {self.class0!r}; certify needs rows of class 0.")
        notes = [ALL_GROUPS] if hasattr(self, "group_values") else []
        notes += notes_on_class0_rows(called1.size, self.class0) if y is None else []
        notes += [] if beside is None else notes_on_labels_beside(beside, self.class0)
        return bound_of_count(
            int(called1.sum()),
            called1.size,
            own_rows=self._warn_of_own_rows(X0, np.flatnonzero(codes == 0)),
            delta=self.delta if delta is None else delta,
            alpha=self.alpha,
            n_candidates=n_candidates,
            anytime=anytime,
            class0=self.class0,
            class1=self.labels[1],
            method=self.method if self.n_splits == 1 else f"{self.method}, {self.n_splits} splits",
            note=" ".join(notes),
            guaranteed_delta=self.delta if self.guaranteed else None,
        )

    def _labels_beside(self, X, name, *beside, takes_y=True):
        """Return the label column of new rows, which a fit by formula knows by its name; None where there is none.

        Another column that has the labels of both classes is refused or warned of, as `refuse_labels_beside` says. What
        stands `beside` the rows are no labels.
        """
        labels = self.design.labels_beside(X)
        if labels is None and self.design.required_columns is not None:
            beside = (getattr(self, "group_column", None), getattr(self, "cluster_column", None), *beside)
            known = self.labels.tolist(), self.class0, self.design.required_columns, name
            refuse_labels_beside(X, *known, beside=beside, takes_y=takes_y)
        return labels

    @tells_names
    def type1_upper_curve(self, deltas: ArrayLike | None = None) -> Type1Curve:
        """Return the bound on the type I error of this fit as a function of delta, the probability that it fails.

        Parameters
        ----------
        deltas : array-like of float, optional
            Values of delta in (0, 1). None takes 199 values that cover both tails.

        Returns
        -------
        Type1Curve
            It has the methods at, delta_at, summary, to_frame and plot. With several splits it is the curve of each
            single split, because all have the same rank. It does not apply to the vote; for the vote use `certify`.

        Raises
        ------
        InvalidInputError
            If a probability is not in (0, 1).

        Notes
        -----
        P(type I error <= bound) is at least 1 - delta for each delta, with equality for continuous scores. The curve
        depends only on the rank and the number of scores, so you may choose delta from it, see `Type1Curve`.

        References
        ----------
        Proposition 1 and equation 3 of [tong2018]_.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> curve = npc(sample.X, sample.y, random_state=1).type1_upper_curve()
        >>> round(curve.mean, 4), round(curve.at(0.05), 4), round(curve.at(0.001), 4)
        (0.0307, 0.05, 0.0737)
        """
        self._need_ranks("type1_upper_curve")
        fixed = self.n_splits == 1 and not (self.alpha_chosen or self.unmet or self.simultaneous)
        known = {"n_splits": self.n_splits, "guaranteed": fixed, "unmet": self.unmet}
        return curve_of(self.rules[0], deltas, alpha=self.alpha, **known)

    @tells_names
    def p_values(self, X: Table) -> NDArray[np.float64]:
        r"""Test for each new row the hypothesis that it is of class 0, by a p-value.

        For one split it is (m + 1) / (n0_left_out + 1), where m is the number of left-out class 0 scores that are at
        least as large as the score of the row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.

        Returns
        -------
        ndarray of float, shape (m,)
            From 1 / (n0_left_out + 1) to 1. For one split `predict` says class 1 exactly where it is at most
            (n0_left_out + 1 - order) / (n0_left_out + 1). There are two exceptions: exact ties with
            ``ties="randomize"``, and fits with ``small_sample="normal"`` or "log_concave", whose threshold is not an
            order statistic.

        Raises
        ------
        InvalidInputError
            If X does not have the columns of the fit, or a value is not finite.

        See Also
        --------
        conditional_p_values : valid given the left-out rows.
        nproc.fits.p_values : from scores, with the proof.

        Notes
        -----
        P(p <= t) <= t for a new row of class 0, over the draw of the left-out rows and the new one; it does not matter
        whether alpha was chosen. Each of M splits gives such a p-value, and these depend on each other in an unknown
        way. If r is the smallest majority of M, then M / r times the r-th smallest is a p-value under any dependence
        [ruger1978]_. For odd M it is 2 M / (M + 1) times the median. The reason: the event {p_(r) <= c} is the vote at
        the cut c, and by Markov's inequality its probability is at most M c / r. An average of p-values is not a
        p-value.

        References
        ----------
        [vovk2005]_, [ruger1978]_

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> npc(sample.X, sample.y, random_state=1).p_values([[0.0], [2.0], [4.0]]).round(3)
        array([0.421, 0.038, 0.004])
        """
        self._need_ranks("p_values")
        scores = self._scores(X)
        self._warn_of_new_rows(X)
        columns = [p_of_counts(self._below(j, scores[:, j]), self.scores0[j].size) for j in range(self.n_splits)]
        return combine_votes(np.column_stack(columns))

    @tells_names
    def conditional_p_values(self, X: Table, *, delta: float | None = None) -> NDArray[np.float64]:
        """Return p-values that are valid given the left-out rows, with probability at least 1 - delta; for one split.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        delta : float, optional
            In (0, 0.5]. The p-values are valid with probability at least 1 - delta over the left-out rows. None uses
            the delta of the fit.

        Returns
        -------
        ndarray of float, shape (m,)
            Larger than those of `p_values`.

        Raises
        ------
        InvalidInputError
            If there are several splits, or X does not have the columns of the fit.

        See Also
        --------
        nproc.fits.conditional_p_values : from scores, with the proof.

        References
        ----------
        [bates2023]_
        """
        self._need_ranks("conditional_p_values")
        if self.n_splits > 1:
            raise InvalidInputError(
                f"conditional p-values require one split, and this fit has {self.n_splits}; fit with n_splits=1, "
                "or use p_values."
            )
        delta = check_delta(self.delta if delta is None else delta)
        scores = self._scores(X)[:, 0]
        self._warn_of_new_rows(X)
        return conditional_of_counts(self._below(0, scores), self.scores0[0].size, delta)

    @tells_names
    def monitor(self, delta: float | None = None) -> Type1Monitor:
        """Make a `Type1Monitor`, which tests on future class 0 rows that the type I error is at most alpha.

        Parameters
        ----------
        delta : float, optional
            Bound on the probability that there is ever a false alarm, in (0, 0.5]; that of the fit by default.

        Returns
        -------
        Type1Monitor
            It has no rows yet. As the true labels of rows become known, give ``fit.predict(X0) == fit.labels[1]`` of
            the class 0 rows to its method ``update``. For a fit with clusters give their clusters, too:
            ``update(errors, clusters=X0["patient"])``. One row of each cluster then counts, and the monitor remembers
            the clusters, so that none counts twice. Without clusters a warning says that each row counts, and there are
            more false alarms than stated if rows of one cluster are alike. If the fit left out rows with missing
            values, leave such rows out here too. With ``prefit=True`` also leave out the rows that trained the model.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample, later = simulation1(1000, random_state=1), simulation1(3000, random_state=2)
        >>> fit = npc(sample.X, sample.y, "lda", random_state=1)
        >>> fit.monitor().update(fit.predict(later.X[later.y == 0]) == fit.labels[1]).alarm
        False
        """
        from nproc.monitoring import Type1Monitor

        made = Type1Monitor(self.alpha, self.delta if delta is None else delta)
        made.about = self._about()
        return made

    def _about(self):
        """Return what a monitor records of this fit."""
        known = {"labels": list(map(str, self.labels.tolist())), "alpha": self.alpha}
        return known | {"prefit": True} if self.prefit else known

    @knows_names_of_r
    def check_assumptions(
        self,
        X0_new: Table | None = None,
        order: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        *,
        X: Table | None = None,
        y: ArrayLike | None = None,
        clusters_new: ArrayLike | None = None,
        level: float = 0.05,
        n_permutations: int = 999,
        random_state: Seed = None,
    ) -> AssumptionChecks:
        r"""Check the assumption of the guarantee: the class 0 rows are independent and have one distribution.

        A check can speak against the assumption, but no check can prove it.

        Parameters
        ----------
        X0_new : DataFrame, array-like or sparse matrix, shape (m, p), optional
            New class 0 rows that were not used for the fit, and that were chosen without looking at how the classifier
            calls them. For a fit by formula the table may have the label column; rows of class 1 are then left out. If
            the fit left out rows with missing values, such rows are left out here too, with a warning.
        order : array-like of numbers or times, or str, optional
            The time at which each class 0 row of the fit was observed, in the order of the rows, or the name of a
            column of `X`. With `y`, give one time for each row of the fit. None takes the order of the rows. The result
            shows the name of a Series.
            A fit with clusters drew one row of each. With `clusters`, `order` is the time of the cluster of each row,
            the same for all rows of a cluster, such as the day on which a patient entered the study. It must not depend
            on the rows of the cluster. If the times differ within a cluster, as those of visits do, the order of the
            drawn rows could depend on their scores even for independent clusters; then trend, change and martingale are
            not made. Without `order` it is that of the clusters in the table, if the rows of each cluster stood
            together there.
        clusters : array-like or str, optional
            The cluster of each class 0 row of the fit, such as its patient, or the name of a column of `X`. With `y`,
            give one for each row of the fit. For a fit with clusters they tell which rows it drew. None then takes the
            column of the fit, if `X` has it.
        X, y : optional
            The rows and labels of the fit, in their order, without rows that ``na_action="omit"`` left out. An error is
            raised if the left-out rows of `X` do not have the scores that they had in the fit. For a fit by formula `y`
            is read from `X`.
        clusters_new : array-like, shape (m,), or str, optional
            For a fit with clusters: the cluster of each row of `X0_new`, or the name of a column of it. One row of each
            cluster then counts, drawn by the seed of the fit. None takes the column of the fit, if `X0_new` has it;
            without one, every row counts as a cluster of its own, with a warning, and the checks of new rows speak
            against the assumption too often where rows share a cluster.
        level : float
            Level of each check, in (0, 1).
        n_permutations : int
            Number of random permutations in each permutation test, at least 19. The smallest possible p-value is 1 /
            (n_permutations + 1); with several splits it is up to twice that.
        random_state : None, int, Generator or RandomState
            Source of the permutations and of the random numbers that order ties. None takes the seed of the fit, so
            that each call gives the same result. If you draw again until you like a p-value, it is not valid.

        Returns
        -------
        AssumptionChecks
            It has the methods summary, to_frame and plot. For a check that cannot be made it says why.

        Raises
        ------
        InvalidInputError
            If the thresholds are not order statistics of one sample (groups, cross-fitting, small samples), or an
            argument does not match the rows of the fit. If a column of `X0_new` that the fit does not use has the
            labels of both classes. It is a warning where these are numbers or truth values.

        Warns
        -----
        NPWarning
            If many of the new rows have exactly the scores of rows that set the threshold. They are then probably rows
            of the fit. If the fit has clusters, and those of the new rows are not known or some have the names of
            clusters of the fit.

        See Also
        --------
        certify : a bound from new rows, which does not require this assumption about the rows of the fit.
        monitor : a test after each new row that the type I error is still at most alpha.

        Notes
        -----
        If the rows are independent draws from one distribution, so are the left-out class 0 scores of a split, given
        the training rows and the scorer. Each p-value then has P(p <= t) <= t. For *new scores* this is approximate if
        there are more than 1000 scores of a kind. The reasons are:

        - *trend*, *change*: Spearman's rank correlation with the order, and the largest rank difference between the
          scores before and after a point. All orders of exchangeable scores have the same probability, so permutations
          give valid p-values, with ties as well.
        - *martingale*: the randomised ranks of each score among the scores up to it give independent uniform p-values
          [vovk2005]_. A jumper martingale bets against them [vovk2021]_; its capital is the evidence. The p-value is
          one divided by the largest evidence (Ville's inequality).
        - *new scores*: the two-sided Kolmogorov-Smirnov test of new against left-out scores. It is exact for at most
          1000 scores of each kind, and asymptotic for more.
        - *new errors*: the number of m new scores above the threshold of rank k is beta-binomial with parameters m,
          n0 + 1 - k and k, whatever the law of the scores is. The p-value P(K >= count) is exact for continuous scores
          and too large with ties. This is the only check of the bound itself, and it is one-sided. The new rows must be
          independent. For a fit with clusters, give the clusters of the new rows; one row of each is then drawn.
        - *clusters*: a permutation test of the variation of ranks between clusters. Let icc be the intra-cluster
          correlation (by the analysis of variance) of the event that a score is among the largest tenth. With m the
          mean over rows of the size of their cluster, n0 / (1 + (m - 1) icc) is the effective number of independent
          rows. This number is a rough estimate without proof, and so is the violation rate at it.

        Each of M splits gives a p-value, and the p-values of the splits depend on each other in an unknown way. If r is
        the smallest majority of M, then M / r times the r-th smallest p-value is valid under any dependence
        [ruger1978]_.

        The p-values are not adjusted for the number of checks; the result also has Holm's adjusted p-values, and its
        repr counts by these. If you fit again because of a check, let new rows set the next threshold, because the
        check used the left-out rows.

        A change of class 0 that does not change the distribution of the scores does no harm, and no check detects it. A
        change after the last row of the fit can be detected only from new rows.

        References
        ----------
        [vovk2005]_, [vovk2021]_, [ville1939]_, [ruger1978]_

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample, later = simulation1(1000, random_state=1), simulation1(500, random_state=2)
        >>> fit = npc(sample.X, sample.y, "lda", random_state=1)
        >>> fit.check_assumptions(later.X[later.y == 0])
        AssumptionChecks(level=0.05 each, 1 not made)
          none of the 5 checks made speaks against the assumptions; this proves none of them
        >>> shifted = later.X[later.y == 0] + 1
        >>> [check.name for check in fit.check_assumptions(shifted).against]
        ['new scores', 'new errors']
        """
        from nproc.assumptions import check_fit

        self._need_ranks("check_assumptions")
        given = {"X": X, "y": y, "level": level, "n_permutations": n_permutations, "random_state": random_state}
        given["clusters_new"] = clusters_new
        if X0_new is not None:
            self._labels_beside(X0_new, "X0_new", clusters_new, takes_y=False)
        return replace(check_fit(self, X0_new, order, clusters, **given), told=self.design.told)

    def to_sklearn(self) -> FixedThresholdClassifier:
        """Make a scikit-learn ``FixedThresholdClassifier`` that predicts the same labels; for one split.

        Returns
        -------
        sklearn.model_selection.FixedThresholdClassifier
            It is already fitted, so it can be used directly in a pipeline, in a ``FrozenEstimator``, and wherever
            ``check_is_fitted`` is called. Its estimator is the trained scorer, frozen. Calling ``fit`` changes no
            prediction, because the threshold is valid only for this scorer. ``clone`` gives a copy with the same scorer
            and threshold that counts as unfitted until its own ``fit``. If the method has probabilities, its
            ``predict_proba`` gives those of the fit, with the columns in the order of ``classes_``. A small estimator
            of this package is put around the scorer if its probabilities need a correction, if it may change the rows
            that it is given, and for labels other than 0 and 1, data frames, formulas and plain functions. A fit with
            clusters ignores the column of clusters in new rows; this classifier expects rows without that column.

        Raises
        ------
        InvalidInputError
            If there are several splits, because a vote has no single threshold, or if tied scores are called at random.

        Notes
        -----
        scikit-learn calls a row class 1 if ``score >= threshold``, and this package if ``score > threshold`` by more
        than rounding error. The threshold is therefore moved up to the next score that is called class 1. The guarantee
        of the fit holds as long as this threshold is not changed.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, "lda", random_state=1)
        >>> twin = fit.to_sklearn()
        >>> type(twin).__name__, bool((twin.predict(sample.X) == fit.predict(sample.X)).all())
        ('FixedThresholdClassifier', True)
        """
        from nproc.fits.fixed_threshold import fixed_threshold_classifier

        cut = single_cut(self, "to_sklearn")
        return fixed_threshold_classifier(self, cut)

    def _up_to_end(self):
        """What follows the words "all alpha" where the fit comes from a band that ends at a level."""
        most = None if self.of_band is None else self.of_band["alpha_max"]
        return "" if most is None else f" up to {most:g}"

    def notes(self, *, columns: bool = True) -> list[str]:
        """Return what holds for this fit and what does not, as a list of sentences.

        Parameters
        ----------
        columns : bool
            Whether to explain the columns of the table in `summary` too.

        Raises
        ------
        InvalidInputError
            If `columns` is neither True nor False.
        """
        check_flag(columns, "columns")
        told = self._own_notes() if columns else self._claims()
        return [*self._verdict(), *told, *self.caveats, *self._ways_out()]

    def _own_notes(self):
        """Return what is promised, and then what the table shows: the notes without the caveats."""
        if self.simultaneous or not self.alpha_chosen:
            fixed = self._levels_fixed("alpha")
            source = f" (Proposition 1), if {fixed}." if fixed else " (Proposition 1)."
            if self.simultaneous:
                source = (
                    f". The bounds hold for all alpha{self._up_to_end()} at once, so alpha may be chosen "
                    "after looking at these rows."
                )
            drawn = "class 0 rows" if self.prefit else "left-out class 0 rows"
            drawn += and_of_rank(self.rules[0]) + self._each_split()
            promise = (
                f"{self._premise()}P(predict {self.labels[1]} | {self.class0}) <= {level_text(self.alpha)} "
                f"{self._holds()} with probability at least {at_least(1 - self.delta)} over the draw of the "
                f"{drawn}{source}{self._trained_beforehand()}"
            )
        else:
            promise = (
                "There is no guarantee on the type I error, because alpha was chosen on the rows that set the "
                "threshold."
            )
        if self.simultaneous:
            rates = (
                f"Type I upper: with probability at least {at_least(1 - self.delta)} these bounds hold at all ranks at "
                "once, so also at a rank chosen on these rows. Violation rate: an upper bound on the probability of a "
                "type I error above alpha, if alpha was fixed beforehand."
            )
            if self.n_splits > 2:
                rates = f"{NOT_OF_THE_VOTE} {rates}"
        elif self.alpha_chosen or self.unmet:
            of_splits = " for each single split" * (self.n_splits > 2)
            fixed = ["if alpha had been fixed beforehand"] * (self.alpha_chosen and SETTINGS_FIXED not in self.unmet)
            conditions = " and ".join([*fixed, *self.unmet])
            rates = f"Violation rate and Type I upper would be valid bounds{of_splits} {conditions}."
        else:
            rates = rates_of_splits_note(self.delta) if self.n_splits > 2 else rates_note(self.delta)
        notes = [rates]
        if self.ties == "randomize" and not (self.alpha_chosen or self.unmet or self.simultaneous):
            in_each = "in each split " if self.n_splits > 1 else ""
            notes.append(
                f"Because scores equal to the threshold are called at random, {in_each}the probability of a type I "
                "error above alpha is exactly the violation rate."
            )
        return [" ".join([promise, *self._vote_notes()]), " ".join([*notes, *coin_notes(self.rules[0])])]

    def _premise(self, *own):
        """Return the unmet conditions, and those that a promise has of its `own`, as the beginning of its sentence."""
        conditions = " and ".join([*self.unmet, *own])
        return f"{conditions[0].upper()}{conditions[1:]}, " if conditions else ""

    def _holds(self):
        return "would hold" if self.unmet else "holds"

    def _trained_beforehand(self):
        """Return what is required of a scorer that was trained before the fit, with a space in front; else ""."""
        if not self.prefit:
            return ""
        # of rows in chunks there are no keys
        in_chunks = self.keys0 is None
        checked = "checked only if train_in_chunks trained it" if in_chunks else "not checked"
        return (
            f" The scorer was trained beforehand (prefit=True). It must not have seen these rows; this was {checked}."
        )

    def _levels_fixed(self, *names):
        """Return the condition of a classifier of a pointwise band, that its levels were not read off it; else ""."""
        if self.of_band is None or self.simultaneous or self.alpha_chosen or SETTINGS_FIXED in self.unmet:
            return ""
        levels = " and ".join(f"{name} = {level_text(getattr(self, name))}" for name in names)
        return f"{levels} {'was' if len(names) == 1 else 'were'} fixed before the band was looked at"

    def _each_split(self):
        return ", for each single split" if self.n_splits > 1 else ""

    def _need_ranks(self, what):
        if not isinstance(self.rules[0], Threshold):
            raise InvalidInputError(
                f"{what} requires thresholds that are order statistics of one sample of class 0 scores. The thresholds "
                "of this fit are set by group or from a model of the scores. For a bound on this classifier, use "
                "certify with fresh class 0 rows."
            )

    def _below(self, split, scores):
        """Left-out class 0 scores of a split that lie below each score, as its thresholds would judge."""
        sorted0 = np.sort(self.scores0[split])
        return count_below(sorted0, scores, rounding_guard(self.scores0[split], sorted0))

    @tells_names
    def with_levels(self, *, alpha: float | None = None, delta: float | None = None) -> NPFit:
        """Return this classifier at another alpha or delta, without training: only the thresholds change.

        Parameters
        ----------
        alpha : float, optional
            Bound on the type I error, in (0, 1); None keeps that of the fit.
        delta : float, optional
            The bound holds with probability at least 1 - `delta`, in (0, 0.5]; None keeps that of the fit.

        Returns
        -------
        NPFit
            A fit of the same class as this one.

        Raises
        ------
        TooFewSamplesError
            If the left-out class 0 rows cannot meet the levels.
        InvalidInputError
            If a level is not in (0, 1), or if the fit comes from a simultaneous band or from a band on which alpha was
            chosen. Use `NPROCBand.classifier` there; it also trains nothing.

        See Also
        --------
        nproc.nproc : the bounds at every alpha; with ``band="simultaneous"`` alpha may be chosen on them.

        Notes
        -----
        The splits and the scorers stay as they are. The result is that of `npc` called with these levels, the same seed
        and ``split_ratio=fit.split_ratio``, to the last bit. With groups this requires that `split_ratio` was a number,
        because "auto" leaves out a different share of each group. There are two exceptions, which the summary mentions.
        First, a method that trains for a level ("npsvm") was trained for the level of the first fit, and `npc` would
        train it again. Second, an adaptive split ratio is not chosen again; the result is that of `npc` with
        ``split_ratio=fit.ratio_choice``. The bound holds in all cases, because Proposition 1 holds for any score and
        any ratio that do not depend on the left-out rows.

        The guarantee holds for a level fixed beforehand. If you use several levels, it holds for each of them with
        probability at least 1 - delta, but not for all at once. For K levels fixed beforehand, all K bounds hold at
        once with probability at least 1 - K delta (union bound), so you may pick one of the K after looking at the
        classifiers. A level that was found by looking at the scores has no guarantee; use a simultaneous band for that.

        If all scores near the new threshold are tied, `npc` warns that no row is called class 1. This method does not
        warn.

        References
        ----------
        Proposition 1 of [tong2018]_, which is applied to each level by itself.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, alpha=0.05, random_state=1)
        >>> stricter = fit.with_levels(alpha=0.02)
        >>> anew = npc(sample.X, sample.y, alpha=0.02, split_ratio=fit.split_ratio, random_state=1)
        >>> bool(stricter.thresholds == anew.thresholds), bool(stricter.orders == anew.orders)
        (True, True)
        """
        alpha = self.alpha if alpha is None else check_level(alpha, "alpha")
        delta = self.delta if delta is None else check_delta(delta)
        if self.simultaneous:
            raise InvalidInputError(
                f"this classifier comes from a band whose bounds hold at all alpha{self._up_to_end()} at once; use "
                "band.classifier(alpha), which also needs no training."
            )
        if self.alpha_chosen and alpha == self.alpha and delta != self.delta:
            raise InvalidInputError(
                "this classifier comes from a band on which alpha was chosen. At another delta the bounds of the band "
                "differ, and so may the choice. Make the band with this delta, nproc(..., delta=...), and choose alpha "
                "on it."
            )
        if self.alpha_chosen:
            raise InvalidInputError(
                "this classifier comes from a band on which alpha was chosen. Another level must be fixed beforehand, "
                "as in band.classifier(0.1), or come from a band made with band='simultaneous'. evaluate(X, y) gives "
                "the errors of this classifier."
            )
        caveats = dict.fromkeys([*self.caveats, *self._kept(alpha, delta)])
        levels = {"alpha": alpha, "delta": delta, "rules": self._rules_at(alpha, delta), "caveats": tuple(caveats)}
        # the ratio suits the levels for which it was chosen
        same = (alpha, delta) == (self.alpha, self.delta)
        return replace(self, **levels, auto_ratio=self.auto_ratio and same)._of_use_above(self)

    def _of_use_above(self, other):
        """Return this classifier; if a threshold is lower than that of another, without its caveat of equal scores."""
        if np.all(self.thresholds >= other.thresholds):
            return self
        return replace(self, caveats=tuple(text for text in self.caveats if not text.startswith(EQUAL_SCORES)))

    def _at(self, alpha):
        """Return this classifier at another level; of a simultaneous band with the rank that the band has there."""
        if not self.simultaneous:
            return self.with_levels(alpha=alpha)
        refuse_beyond(alpha, self.band_rule.alpha_max)
        return replace(self, alpha=alpha, rules=self.band_rule.thresholds_at(self.scores0, alpha))._of_use_above(self)

    def _kept(self, alpha, delta):
        """What the levels would change in a new call of `npc`, and do not change here."""
        kept = []
        if self.ratio_choice is not None and (alpha, delta) != (self.alpha, self.delta):
            kept.append(RATIO_KEPT)
        if self.auto_ratio and hasattr(self, "group_values") and (alpha, delta) != (self.alpha, self.delta):
            kept.append(GROUP_RATIOS_KEPT)
        if alpha != self.alpha and self.method in scorer_names() and scorer_spec(self.method).follows_alpha:
            kept.append(
                f"The method {self.method!r} is trained for a given alpha, so a new call of npc at this alpha may "
                "give another scorer. This fit keeps the scorers that were trained for the first alpha; the bound "
                "holds for them too."
            )
        return kept

    def _rules_at(self, alpha, delta):
        if any(scores0.size != self.n0_left_out for scores0 in self.scores0):
            raise InvalidInputError(
                "this fit does not keep all of its left-out class 0 scores, so the threshold at another rank is "
                "not known; call npc again with the new alpha or delta."
            )
        order = self._order_at(alpha, delta)
        coin = None
        if self.rank == "randomize":
            # the same uniform number as at the fit
            order, coin = draw_order(order, self.n0_left_out, alpha, delta, self.seed, mixture_of(self.scores0[0]))
        seeds = [int(seed.generate_state(1)[0]) for seed in self._tie_seeds()]
        return tuple(
            threshold_at(scores0, order, alpha, delta, self.ties, seed, coin)
            for scores0, seed in zip(self.scores0, seeds, strict=True)
        )

    def _order_at(self, alpha, delta):
        return order_or_error(self.n0_left_out, alpha, delta, way_out=self._more_left_out(alpha, delta))

    def _more_left_out(self, alpha, delta):
        """Return what another call of `npc` needs for levels that these left-out rows may not meet, as sentences."""
        needed = smallest_size(alpha, delta)
        if self.prefit or not self.n0_left_out < needed <= LARGEST_COUNT:
            return ""
        n, rows = self._rows_drawn()
        ratio = "auto" if self.auto_ratio else self.split_ratio
        told = needed_in_all(needed, n, ratio, alpha, delta, rows=rows)
        return f"The left-out rows are those of this fit; another call of npc leaves out others. {told}"

    def _rows_drawn(self):
        """Return of how many the left-out ones are drawn, and what they are."""
        return self.n0, "class 0 rows"

    def _tie_seeds(self):
        """The seed of the uniform numbers of ties in each split, as it was when the classifier was made."""
        root = np.random.SeedSequence(self.seed)
        return [stream(own, "ties") for own in ([root] if self.prefit else root.spawn(self.n_splits))]

    def vote_bound(self) -> VoteBound:
        r"""Compute the bounds that are proved for the type I error of the majority vote of these splits.

        Returns
        -------
        VoteBound

        Raises
        ------
        InvalidInputError
            If alpha was chosen on the rows that set the thresholds, because nothing is then proved. On a simultaneous
            band alpha may be chosen.

        Notes
        -----
        This note is about a simultaneous band. In each split the type I error is at most alpha, at every alpha at once,
        with probability at least :math:`1 - \delta' = \sqrt{1 - \delta}`. The event that no split fails is the same for
        all alpha. The union bound at this delta therefore holds for the vote however alpha was chosen; the other bounds
        do not. If alpha was fixed beforehand, ``vote_bound(n_splits, alpha, delta, n0_left_out=..., order=...)`` gives
        more bounds.
        """
        if self.simultaneous:
            return vote_bound(self.n_splits, self.alpha, share_of_each_class(self.delta))
        if self.alpha_chosen:
            raise InvalidInputError(
                "alpha was chosen on the rows that set the thresholds, so nothing is proved about these splits or "
                "their vote."
            )
        if self.rank == "randomize":
            return vote_bound(self.n_splits, self.alpha, self.delta)
        n0, order = self.rules[0].n0, int(self.rules[0].order)
        return vote_bound(self.n_splits, self.alpha, self.delta, n0_left_out=n0, order=order)


def _warn_of_labelled(n_gaps, n_given):
    if n_gaps:
        have = "has missing values. It is" if n_gaps == 1 else "have missing values. They are"
        warn_at_call(
            f"{count_of(n_gaps, n_given)} {have} classified, but nothing is guaranteed there. {NO_GAPS}", NPWarning
        )


def single_cut(fit, what):
    """Return the cut of a fit of one split, so that class 1 is called where ``score >= cut``; an error if it has none.

    `what` is the name of the function that asks, for messages.
    """
    from nproc.fits.fixed_threshold import smallest_above

    if not isinstance(fit, NPFit):
        held = " Give its fit_, which is one." if isinstance(getattr(fit, "fit_", None), NPFit) else ""
        raise InvalidInputError(f"{what} needs the result of npc, got {shown(fit)}.{held}")
    fit._need_ranks(what)
    for_sklearn = what == "to_sklearn"
    if hasattr(fit, "review_rules"):
        raise InvalidInputError(
            f"{what} makes a rule with two labels, and this fit also leaves rows to review. Fit without review_beta."
        )
    if fit.n_splits > 1:
        other = ", or use NPClassifier, which is a scikit-learn estimator for any number of splits" * for_sklearn
        raise InvalidInputError(
            f"the vote of {fit.n_splits} splits has no single threshold; fit with n_splits=1{other}."
        )
    if fit.ties == "randomize":
        raise InvalidInputError(
            "ties='randomize' calls tied scores at random, which no fixed threshold does; fit with "
            f"ties='conservative'{', or use NPClassifier' * for_sklearn}."
        )
    threshold = float(fit.thresholds[0])
    return smallest_above(threshold, float(rounding_guard(fit.scores0[0], threshold)))


def scorer_notes(scorers, design, how_called="", parts="splits"):
    """Say what the scorers are, and before that how many rows had a missing value and which predictor tells the labels.

    There is one scorer for each of the `parts`. `how_called` ends this note. If training did not converge, that is a
    note of its own, and so is the reason where it is known.
    """
    described = describe_trained(scorers, parts, design.feature_names)
    troubles = not_converged(scorers, parts, design.feature_names)
    if len(troubles) > 1:
        troubles[1] += (
            " The method 'penlog', or fewer columns, would avoid this. If a column tells the label, leave it out."
        )
    of_table = [*design.omitted_notes(), *design.label_notes()]
    return [" ".join([*of_table, described, how_called.strip()]).rstrip(), *troubles]


def span(values, limit=None):
    """Return one number as text, or the lowest and the highest of several; bounds have a `limit`, see `rounded_up`."""
    low, high = values.min(), values.max()

    def text(value):
        return format_number(value) if limit is None else rounded_up(value, limit)

    return text(low) if low == high else f"{text(low)} to {text(high)}"
