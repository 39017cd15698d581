"""A test, after every row if you like, that a classifier in use still keeps its bound on the type I error."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import (
    as_array,
    check_count,
    check_delta,
    check_level,
    check_number,
    check_path,
    class_names,
    count_of,
    differs_from_itself,
    level_text,
    rows_of,
    shown,
)
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.monitoring.evidence import default_prior, log_evidence, rate_bounds
from nproc.outputs import write_json
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)

FORMAT, FORMAT_VERSION = "nproc-monitor", 3
# labels of class 0 and class 1 that are errors to who reads them as numbers, and the wrong ones
_LOOK_LIKE_ERRORS = (("1", "0"), ("1.0", "0.0"))
_FROM_LABELS = "From labels it is fit.predict(X0) == fit.labels[1]."
# what is "dependent" of rows, or of a bound, then
CLUSTERS_UNKNOWN = "the classifier was made with clusters, and those of these rows are not known"
# points of the path that are kept; then every second one goes
MOST_MARKS = 1024
# rows whose evidence is worked out in one step
BLOCK = 1 << 16


def read_errors(errors, labels=()):
    """Return 0/1 values as a Boolean array; anything else is an error.

    So are numbers where `labels`, those of class 0 and class 1 as text, are 1 and 0: predicted labels look like errors.
    """
    values = as_array(errors, "errors")
    values = values.ravel() if values.ndim == 2 and 1 in values.shape else np.atleast_1d(values)
    if values.ndim != 1 or values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        found = f"an array of shape {values.shape}" if values.ndim != 1 else shown(errors)
        raise InvalidInputError(
            f"errors must be 0 or 1, one value for each class 0 row: 1 where the row was called class 1, got {found}. "
            + _FROM_LABELS,
            argument="errors",
        )
    if values.size and values.dtype.kind != "b" and tuple(labels) in _LOOK_LIKE_ERRORS:
        raise InvalidInputError(
            "errors must be True or False where the labels are 1 (class 0) and 0: numbers may be predicted labels or "
            f"errors, which are opposite here, got {shown(errors)}. {_FROM_LABELS}",
            argument="errors",
        )
    return values.astype(bool)


def read_clusters(clusters, n, rows="class 0 rows"):
    """Return the cluster of each of `n` rows as text, by which a state remembers it; `rows` is what to call them."""
    values = as_array(clusters, "clusters")
    values = values.ravel() if values.ndim == 2 and 1 in values.shape else np.atleast_1d(values)
    if values.shape != (n,):
        raise InvalidInputError(
            f"clusters must have one value for each of the {n} {rows}, got an array of shape {values.shape}.",
            argument="clusters",
        )
    # tolist makes numbers of dates
    values = list(values) if values.dtype.kind in "mM" else values.tolist()
    n_missing = sum(value is None or differs_from_itself(value) for value in values)
    if n_missing:
        raise InvalidInputError(
            f"clusters has {n_missing} missing values; give the cluster of every row.", argument="clusters"
        )
    return list(map(cluster_name, values))


def cluster_name(value):
    """Return a cluster as text, the same for whole numbers that a gap in another file has made decimal."""
    return str(int(value) if isinstance(value, float | np.floating) and value.is_integer() else value)


def draw_of_each(names, source):
    """Return the row that is drawn of each cluster, by its name; `source` is a seed or a Generator.

    Rows that come in behind the others change no number of theirs, so that looks at a growing stream count the same
    rows.
    """
    drawn: dict[str, int] = {}
    for row in np.argsort(np.random.default_rng(source).random(len(names))).tolist():
        drawn.setdefault(names[row], row)
    return drawn


def read_batch(n_errors, n):
    """Return the counts of a batch, checked."""
    n = check_count(n, "n")
    n_errors = check_count(n_errors, "n_errors", minimum=0)
    if n_errors > n:
        raise InvalidInputError(f"n_errors={n_errors} is more than the n={n} rows.", argument="n_errors")
    return n_errors, n


@dataclass
class Marks:
    """Points (n, errors) on the way, at distances that double when there are too many of them.

    Which points are kept depends on the rows alone, and not on how they were cut into calls of ``update``.
    """

    step: int = 1
    n: list = field(default_factory=list)
    errors: list = field(default_factory=list)

    def add(self, n, errors):
        """Take the points of a stretch of rows, arrays of the counts after each of its rows."""
        wanted = n % self.step == 0
        self.n += n[wanted].tolist()
        self.errors += errors[wanted].tolist()
        self._thin()

    def add_batch(self, before, n, errors):
        """Take the end of a batch, within which the order is not known, if it passes a point that is wanted."""
        if n // self.step > before // self.step:
            self.n.append(n)
            self.errors.append(errors)
            self._thin()

    def _thin(self):
        while len(self.n) > MOST_MARKS:
            self.step *= 2
            kept = [j for j, n in enumerate(self.n) if n % self.step == 0]
            # of batches no end may be a multiple
            kept = kept if len(kept) > MOST_MARKS // 4 else list(range(1, len(self.n), 2))
            self.n, self.errors = [self.n[j] for j in kept], [self.errors[j] for j in kept]


class RowWatch(InNotebook):
    """What the monitor and the detector of a late change share: an alarm, and a state that is written as JSON."""

    alarm_at: int | None
    about: dict[str, Any]
    clusters: list[str] | None

    def _errors_that_count(self, errors, clusters):
        """Return the errors as Booleans, with clusters those of one row of each new one."""
        return self._one_of_each(read_errors(errors, self.about.get("labels", ())), clusters)

    def _one_of_each(self: Any, values, clusters):
        """Return the errors of one row of each cluster that was not counted before, and remember these clusters.

        Which rows they are depends on the seed of the fit and on the number of rows so far, and not on their errors.
        Each call draws with numbers of its own: with the same ones in every call, rows at the same places would be
        drawn together.
        """
        if clusters is None:
            if self.clusters is not None:
                raise InvalidInputError(
                    f"clusters is missing: the {self.n} rows so far are one row of each cluster. Give the cluster of "
                    "every row, or start a new monitor.",
                    argument="clusters",
                )
            if values.size and "cluster_column" in self.about:
                warn_at_call(
                    f"clusters is missing, so each of the {values.size} rows is treated as its own cluster. If rows "
                    "belong to the same cluster, false alarms are more frequent than stated. Nothing is guaranteed: "
                    "give the cluster of every row. If each row is a cluster of its own, give each another name.",
                    NPWarning,
                )
                self.about.setdefault("dependent", CLUSTERS_UNKNOWN)
            return values
        if self.clusters is None and self.n:
            raise InvalidInputError(
                f"the {self.n} rows so far came without their clusters, so it is not known which clusters were "
                "counted. Start a new monitor, and give clusters from the first row on.",
                argument="clusters",
            )
        names = np.array(read_clusters(clusters, values.size), dtype=object)
        seed = self.about.get("seed", 0)
        # the first rows are those of `certify`
        drawn = draw_of_each(names, [seed, self.n] if self.n else seed)
        before = set(self.clusters or ())
        rows = sorted(row for name, row in drawn.items() if name not in before)
        self.clusters = [*(self.clusters or ()), *names[rows].tolist()]
        return values[rows]

    def _notes_on_rows(self):
        not_new = (
            " The model was trained before the fit. The rows that trained it are not new rows, so leave them out."
        ) * self.about.get("prefit", False)
        if self.clusters is not None:
            return [
                "Give every class 0 row with its cluster, or a sample of the clusters that was drawn without looking "
                "at the predictions. One row of each cluster counts, drawn at random when the cluster first comes, and "
                "its later rows do not count. The type I error is that of such a row, and the clusters must be "
                "independent." + not_new
            ]
        apart = (
            " No clusters were given: each row counts as its own cluster. If rows belong together, false alarms are "
            "more frequent than stated."
        )
        # of errors without clusters the first note says it, and counts may be those of one row each
        apart *= "cluster_column" in self.about and not self._nothing_holds
        return [
            "Give every class 0 row, or a sample of them that was drawn without looking at the predictions. The rows "
            "must be independent." + apart + not_new
        ]

    @property
    def alarm(self) -> bool:
        """Whether there has been an alarm: the evidence has reached its limit."""
        return self.alarm_at is not None

    def __eq__(self: Any, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def rows_again(self) -> int:
        """Number of rows that were counted before, or made the classifier; no statement holds unless it is 0."""
        return self.about.get("rows_again", 0)

    @property
    def rows_alike(self) -> int:
        """Number of rows that equal counted rows in all columns of their files, but are too few to be refused."""
        return self.about.get("rows_alike", 0)

    @property
    def _nothing_holds(self):
        """Whether rows were counted twice, made the classifier, depend on each other, or are of unknown clusters."""
        return bool(self.rows_again or self.about.get("dependent"))

    @property
    def _clusters_unknown(self):
        return not self.rows_again and self.about.get("dependent") == CLUSTERS_UNKNOWN

    @property
    def _told_again(self):
        again = count_of(self.rows_again, self.n, "rows")
        why = f"{again} are not new" if self.rows_again else "rows depend on each other"
        why = "the clusters of the rows are not known" if self._clusters_unknown else why
        return f";\n  nothing is guaranteed, as {why}" if self._nothing_holds else ""

    def _note_on_rows_again(self, statements):
        """Return why `statements`, such as "the bound", do not hold where rows were counted twice."""
        return (
            f"Nothing is guaranteed: {count_of(self.rows_again, self.n, 'rows')} were counted before, or are "
            f"likely to have made the classifier. {statements} if each row is new and counts once. Go "
            "back to a copy of the state, or start a new one."
        )

    def _notes_on_dependent_rows(self):
        notes, told = [], self.about.get("dependent")
        if self.rows_alike:
            one = self.rows_alike == 1
            equal = "equals a row" if one else "equal rows"
            same = "it is the same observation" if one else "they are the same observations"
            notes.append(
                f"{count_of(self.rows_alike, self.n, 'rows')} {equal} counted before, in all columns of the file. If "
                f"{same}, nothing is guaranteed."
            )
        if relabelled := self.about.get("relabelled", 0):
            notes.append(
                f"{count_of(relabelled, self.n, 'rows')} came again in a file in which they are not of class 0. If "
                "their labels were wrong before, nothing is guaranteed: go back to a copy of the state, or start a new "
                "one."
            )
        if told:
            notes.append(f"Nothing is guaranteed, because {told}. What follows would hold for independent rows.")
        return notes

    def _notes_on_alarm(self: Any):
        # of rows that are not new the alarm is not valid, which the first note says
        if not self.alarm or self.rows_again:
            return []
        class0, class1 = class_names(self.about.get("labels") or None)
        return [
            f"Alarm: the errors speak against a type I error of at most {level_text(self.alpha)}. Do not rely on this "
            "bound until you know why. First make sure that the labels are right, and that those of the two classes "
            "are not swapped. Rows with wrong labels stay in the counts: go back to a copy of the state from before "
            "them, or start a new one, and give all rows since then again. Then look at the latest "
            f"{rows_of(class0)} that were called {class1}: has {class0} changed since the fit? If it has, fit again on "
            "rows like these."
        ]

    def _notes_on_models(self):
        n_models = len(self.about.get("models", []))
        if n_models < 2:
            return []
        return [
            f"The rows were called by {n_models} model files. The test is about all of them together, and does not say "
            "which of them an alarm is about. To test one of them alone, start a new state file."
        ]

    def write(self: Any, path: str | PathLike[str]) -> Path:
        """Write the state as JSON, from which `read` resumes with the same bits; return the path."""
        path = check_path(path, "path")
        write_json(path, self.to_dict())
        return path


class Type1Monitor(RowWatch):
    """Test, after every class 0 row if you like, that the type I error is still at most alpha.

    Give it the errors of class 0 rows as they become known: 1 if the row was called class 1, else 0. `alarm` is True
    once the evidence against "the type I error is at most alpha" has reached 1 / delta. Suppose that each class 0 row
    is called class 1 with probability at most alpha, given the rows before it. Then the probability that there is ever
    an alarm is at most delta, however often you look and whenever you stop.

    Parameters
    ----------
    alpha : float
        The level, in (0, 1).
    delta : float
        Bound on the probability that there is ever a false alarm, in (0, 0.5].
    prior : tuple of float, optional
        Parameters a, b of a beta density. The evidence is averaged over type I errors with this density, cut off below
        alpha. The choice decides how fast an alarm comes, and the guarantee holds for every choice. None takes
        `default_prior`, which is (1, 1 / (2 alpha)) with b at least 1, for type I errors of one to a few times alpha.

    Attributes
    ----------
    n, n_errors : int
        Class 0 rows so far, and how many of them were called class 1.
    alarm_at : int or None
        The number of rows at which the alarm came.
    about : dict
        Which classifier the errors are about, as far as it is known: its "labels" as text, that of class 0 first, its
        level "alpha", the SHA-256 values of its files, "models", and those of the files of rows, "files"; for a fit or
        rule with clusters also its "cluster_column" and its "seed", and "prefit" for a fit of a model that was trained
        before it. `NPFit.monitor` and the command line write it, and the command line refuses a classifier with other
        labels or another level. It also writes "rows_again", how many rows were counted before, or are likely to have
        made the classifier, and "dependent", which rows of the latest file that has such rows depend on each other or
        on rows of an earlier file; `update` writes it where the clusters of rows are not known. Nothing is guaranteed
        then, and the summary says so. "rows", "unnumbered" and "inputs" have hashes of the latest 100,000 rows, by all
        columns, by those that do not number the rows of a file, and by those that the classifier reads, and "owners"
        of as many identifiers in each column, by which it knows them again. "rows_alike" says how many rows equal
        counted ones but were too few to be refused, and "relabelled" how many counted rows are not of class 0 in a
        later file.
    clusters : list of str, or None
        The clusters that were counted, as text; None if the rows came without clusters.

    Notes
    -----
    *What is proved.* Let every class 0 row be called class 1 with probability at most alpha given the rows before it.
    Then P(there is ever an alarm) <= delta, by Ville's inequality [ville1939]_; see `nproc.monitoring.log_evidence` for
    the proof. Nothing is assumed about how the rate drifts below alpha, or about the number of rows. The evidence is
    compared with 1 / delta after every row that was an error, because it falls at all other rows. For counts the order
    of the rows is not known, so it is compared once, after the batch; this can only make an alarm later.

    *What breaks it.* The rows must be all class 0 rows that the classifier met, or a sample drawn without looking at
    what they were called. If labels come later for rows that were called class 0 than for the others, or only for rows
    that a person chose to check, the share of errors among those seen is not the type I error. Wait until the labels of
    all rows of one day are known, or label a random sample. Rows that belong together, such as several of one patient,
    break it too, because an error in one of them makes errors in the others more likely. Give their clusters to
    `update`: one row of each cluster then counts, drawn at random when the cluster first comes. The monitor remembers
    the clusters, and does not count their later rows. The type I error is that of a row drawn at random from the class
    0 rows of a new cluster. If the rows of a cluster come in several calls, it is that of a row drawn from those of the
    first.

    *What an alarm says.* The type I error was above alpha at some time. The alarm does not say since when, or by how
    much. The test gathers evidence from the first row on, so that after many good rows many errors are needed for an
    alarm. For changes that come late use `Type1ChangeDetector`, which has false alarms now and then.

    *A classifier that was fitted with alpha and delta* has a type I error above alpha from the start with a probability
    of at most delta. The monitor cannot distinguish this from a later change.

    References
    ----------
    The mixture of likelihood ratios is that of [robbins1970]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc import Type1Monitor
    >>> rng = np.random.default_rng(1)
    >>> monitor = Type1Monitor(alpha=0.05)
    >>> monitor.update(rng.random(1000) < 0.03).alarm
    False
    >>> monitor = Type1Monitor(alpha=0.05).update(rng.random(1000) < 0.12)
    >>> monitor.alarm, monitor.alarm_at, monitor.lower_bound > 0.05
    (True, 250, True)
    """

    def __init__(self, alpha: float, delta: float = 0.05, prior: tuple[float, float] | None = None) -> None:
        self.alpha = check_level(alpha, "alpha")
        self.delta = check_delta(delta)
        if prior is not None and (not isinstance(prior, tuple | list) or len(prior) != 2):
            raise InvalidInputError(f"prior must be two numbers above 0, such as (1, 10), got {shown(prior)}.")
        given = default_prior(self.alpha) if prior is None else prior
        self.prior = tuple(check_number(value, "prior") for value in given)
        self.n = self.n_errors = 0
        self.alarm_at = None
        self.about = {}
        self.clusters = None
        self._marks = Marks()

    def update(
        self,
        errors: ArrayLike | None = None,
        *,
        clusters: ArrayLike | None = None,
        n_errors: int | None = None,
        n: int | None = None,
    ) -> Self:
        """Take the errors of further class 0 rows; return self.

        Parameters
        ----------
        errors : array-like of 0 and 1, or one such value, optional
            One value for each row, in the order in which they came.
        clusters : array-like, optional
            The cluster of each row, such as its patient. One row of each cluster that was not counted before is drawn
            at random and counted. The draw depends on the seed of the fit, 0 without one, and on the number of rows
            counted so far. Clusters are compared as text; the whole number 7 is the same as 7.0.
        n_errors, n : int, optional
            Instead of `errors` and `clusters`: how many of how many rows were called class 1. Where rows come in
            clusters, count one row of each yourself.

        Raises
        ------
        InvalidInputError
            If neither or both are given, or a value is not 0 or 1, or some rows come with clusters and others without;
            also if `errors` are numbers and the monitor is that of a fit with the labels 1 (class 0) and 0.

        Warns
        -----
        NPWarning
            If the monitor is that of a fit with clusters, and `errors` come without clusters. Nothing is then
            guaranteed, and there are no bounds.
        """
        if (errors is None) == (n_errors is None) or (n_errors is None) != (n is None):
            raise InvalidInputError("update takes either errors, one 0 or 1 for each class 0 row, or n_errors and n.")
        if errors is None:
            if clusters is not None or self.clusters is not None:
                raise InvalidInputError(
                    "counts cannot be combined with clusters, which need errors, one 0 or 1 for each class 0 row.",
                    argument="clusters",
                )
            self._take_batch(*read_batch(n_errors, n))
            return self
        values = self._errors_that_count(errors, clusters)
        for start in range(0, values.size, BLOCK):
            self._take(values[start : start + BLOCK])
        return self

    def _take(self, values):
        n = self.n + np.arange(1, values.size + 1)
        errors = self.n_errors + np.cumsum(values)
        if self.alarm_at is None and values.any():
            evidence = log_evidence(errors[values], n[values], self.alpha, self.prior)
            high = np.flatnonzero(evidence >= self._reached)
            self.alarm_at = int(n[values][high[0]]) if high.size else None
        self._marks.add(n, errors)
        self.n, self.n_errors = int(n[-1]), int(errors[-1])

    def _take_batch(self, n_errors, n):
        before = self.n
        self.n, self.n_errors = self.n + n, self.n_errors + n_errors
        if self.alarm_at is None and self.log_e_value >= self._reached:
            self.alarm_at = self.n
        self._marks.add_batch(before, self.n, self.n_errors)

    @property
    def _reached(self):
        return -np.log(self.delta)

    @property
    def log_e_value(self) -> float:
        """Logarithm of `e_value`, which may be too large or too small for a float."""
        return log_evidence(self.n_errors, self.n, self.alpha, self.prior)

    @property
    def e_value(self) -> float:
        """Evidence after the rows so far: large where the type I error is above alpha; 1 without rows."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_e_value))

    @property
    def rate(self) -> float:
        """Share of errors so far; NaN without rows."""
        return self.n_errors / self.n if self.n else float("nan")

    @property
    def lower_bound(self) -> float:
        """Lower bound on the type I error, if it is the same for all rows; holds at all times with 1 - `delta`.

        NaN where rows were counted twice or depend on each other, or where their clusters are not known.
        """
        return self._bounds()[0]

    @property
    def upper_bound(self) -> float:
        """Upper bound, of the same kind as `lower_bound`."""
        return self._bounds()[1]

    def _bounds(self):
        if self._nothing_holds:
            return float("nan"), float("nan")
        return rate_bounds(self.n_errors, self.n, self.delta, self.prior) if self.n else (0.0, 1.0)

    def __repr__(self):
        state = f"alarm after {self.alarm_at} rows" if self.alarm else "no alarm"
        return (
            f"Type1Monitor(alpha={self.alpha:g}, delta={self.delta:g}: {self.n_errors} errors in {self.n} class 0 "
            f"rows, {state}{self._told_again})"
        )

    def to_frame(self) -> DataFrame:
        """Return the way so far, at most 1025 points: n, n_errors, log_e_value, lower_bound, upper_bound.

        The bounds are missing where rows were counted twice or depend on each other, or where their clusters are not
        known.
        """
        n, errors = list(self._marks.n), list(self._marks.errors)
        if self.n and (not n or n[-1] != self.n):
            n.append(self.n)
            errors.append(self.n_errors)
        k, size = np.array(errors, dtype=np.int64), np.array(n, dtype=np.int64)
        # without rows both are empty
        lower, upper = rate_bounds(k, size, self.delta, self.prior) if n else (k, k)
        if self._nothing_holds:
            lower = upper = np.full(k.size, np.nan)
        return table_frame(
            {
                "n": size,
                "n_errors": k,
                "log_e_value": log_evidence(k, size, self.alpha, self.prior),
                "lower_bound": lower,
                "upper_bound": upper,
            }
        )

    def summary(self) -> Summary:
        """Return the counts, the evidence and the bounds, as a summary of statsmodels."""
        low, high = self._bounds()
        class0, class1 = class_names(self.about.get("labels") or None)
        rows = rows_of(class0)
        pairs = [
            ("Level alpha", level_text(self.alpha)),
            (rows[0].upper() + rows[1:], self.n),
            ("delta", f"{self.delta:g}"),
            (f"Called {class1}", self.n_errors),
            ("Evidence", f"{self.e_value:.4g}"),
            ("Share", "-" if not self.n else f"{self.rate:.4f}"),
            ("Alarm at evidence", f"{1 / self.delta:g}"),
            ("Lower bound", "-" if self._nothing_holds else rounded_down(low)),
            ("Alarm", f"after {self.alarm_at} rows" if self.alarm else "none"),
            ("Upper bound", "-" if self._nothing_holds else rounded_up(high)),
        ]
        statements = [
            f"Suppose that each {rows.replace('rows', 'row', 1)} is called {class1} with probability at most "
            f"{level_text(self.alpha)}, given the rows before it. Then the probability that there is ever an alarm is "
            f"at most {self.delta:g}, however often you look. The alarm comes when the evidence against this "
            f"supposition reaches 1 / delta = {1 / self.delta:g}.",
            f"Each bound holds at all times at once with probability at least {at_least(1 - self.delta)}, if the "
            "type I error "
            "is the same for all rows.",
        ]
        if self.rows_again:
            statements = [self._note_on_rows_again("The test and the bounds are valid only")]
        elif self._nothing_holds:
            # the table has no bounds
            statements = statements[:1]
        notes = [
            *self._notes_on_dependent_rows(),
            *self._notes_on_alarm(),
            *statements,
            *self._notes_on_rows(),
            *self._notes_on_models(),
        ]
        return summary_table("Monitor of the type I error", pairs, notes=notes)

    def plot(self, *, ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
        """Draw the share of errors with its bounds, and the evidence on a log axis below; return the two Axes.

        Parameters
        ----------
        ax : sequence of two Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        ndarray of two Axes
        """
        from nproc.plotting import plot_monitor

        return plot_monitor(self, ax=ax, figsize=figsize)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain numbers and lists."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "about": self.about,
            "clusters": self.clusters,
            "alpha": self.alpha,
            "delta": self.delta,
            "prior": list(self.prior),
            "n": self.n,
            "n_errors": self.n_errors,
            "alarm_at": self.alarm_at,
            "marks": {"step": self._marks.step, "n": self._marks.n, "n_errors": self._marks.errors},
        }

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a state that `write` has written.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Type1Monitor

        Raises
        ------
        InvalidInputError
            If the file is of another kind, or its numbers contradict each other.
        """
        state = json_state(path, FORMAT, FORMAT_VERSION)
        try:
            found = cls(state["alpha"], state["delta"], tuple(state["prior"]))
            if state["n"]:
                n_errors, n = read_batch(state["n_errors"], state["n"])
                found.n, found.n_errors = n, n_errors
            found.about = read_about(state["about"], found.n)
            found.clusters = read_counted(state["clusters"], found.n)
            found.alarm_at = (
                state["alarm_at"] if state["alarm_at"] is None else check_count(state["alarm_at"], "alarm_at")
            )
            marks = state["marks"]
            found._marks = Marks(check_count(marks["step"], "step"), list(marks["n"]), list(marks["n_errors"]))
            whole = all(isinstance(value, int) for value in [*found._marks.n, *found._marks.errors])
            rising = all(a < b for a, b in zip(found._marks.n, found._marks.n[1:], strict=False))
            right = whole and rising and len(found._marks.n) == len(found._marks.errors)
            right = right and max([0, found.alarm_at or 0, *found._marks.n]) <= found.n
        except (KeyError, TypeError, InvalidInputError) as error:
            raise InvalidInputError(f"{path} is not a saved Type1Monitor: {error}") from error
        if not right or (found.alarm_at is None and found.n and found.log_e_value >= found._reached):
            raise InvalidInputError(f"{path} is not a saved Type1Monitor: its numbers contradict each other.")
        return found


def read_about(about, n):
    """Return what a state of `n` rows says of its classifier and of its files, checked."""
    wanted = {
        "labels": list,
        "alpha": float | int,
        "models": list,
        "files": list,
        "cluster_column": str | None,
        "seed": int,
        "prefit": bool,
        "rows_again": int,
        "rows_alike": int,
        "relabelled": int,
        "rows": list,
        "unnumbered": list,
        "inputs": list,
        "owners": dict,
        "dependent": str,
    }
    if not isinstance(about, dict) or not all(isinstance(about[key], wanted.get(key, ())) for key in about):
        raise InvalidInputError(f"about must have {', '.join(wanted)} or some of them, got {shown(about)}.")
    labels = about.get("labels", [])
    if len(labels) > 2 or not all(isinstance(label, str) for label in labels):
        raise InvalidInputError(
            f"labels must be at most two texts, that of class 0 and that of class 1, got {shown(labels)}."
        )
    for name in ("rows_again", "rows_alike", "relabelled"):
        check_count(about.get(name, 0), name, minimum=0, maximum=n, reason="all rows of the state")
    owners = about.get("owners", {}).values()
    rows = (about.get(name, []) for name in ("rows", "unnumbered", "inputs"))
    for hashes in (*rows, *owners):
        if not isinstance(hashes, list) or not all(isinstance(text, str) for text in hashes):
            raise InvalidInputError(
                f"rows, unnumbered, inputs and owners must be lists of hashes as texts, got {shown(hashes)}."
            )
    return about


def read_counted(clusters, n):
    """Return the clusters that a state has counted, or None, checked: there is one for each row."""
    if clusters is None:
        return None
    right = isinstance(clusters, list) and all(isinstance(name, str) for name in clusters)
    if not right or not len(set(clusters)) == len(clusters) == n:
        raise InvalidInputError(f"clusters must be {n} different texts, one for each row, or null.")
    return clusters


def json_state(path, kind, version):
    """Return the object of a JSON file that names its kind and version; an error if it is another."""
    path = check_path(path, "path")
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInputError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(state, dict) or state.get("format") != kind:
        raise InvalidInputError(f"{path} is not a file of the format {kind!r}.")
    if state.get("format_version") != version:
        raise InvalidInputError(
            f"{path} has version {state.get('format_version')!r} of {kind!r}, and this package reads version "
            f"{version}; start a new file."
        )
    return state
