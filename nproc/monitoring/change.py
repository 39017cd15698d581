"""A detector of a rise of the type I error that comes late, with false alarms as rare as one asks."""

from __future__ import annotations

from itertools import pairwise
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_count, check_level, class_names, level_text, rows_of
from nproc.errors import InvalidInputError
from nproc.monitoring.monitor import MOST_MARKS, RowWatch, json_state, read_about, read_batch, read_counted
from nproc.tables import DataFrame, Summary, summary_table, table_frame

CHANGE_FORMAT, CHANGE_VERSION = "nproc-change-detector", 3
# rates above alpha whose evidence is averaged: alpha + (1 - alpha) times a number of this grid
N_RATES = 32


class Type1ChangeDetector(RowWatch):
    """Raise an alarm soon after the type I error has risen above alpha, whenever that is.

    `Type1Monitor` weighs all rows since the first, so that after ten thousand good ones an alarm comes late. This
    detector gathers evidence from every possible start at once. It pays for this: even if the type I error stays at
    most alpha for ever, alarms come, but on average no sooner than after `run_length` rows.

    Parameters
    ----------
    alpha : float
        The level, in (0, 1).
    run_length : int
        Mean number of class 0 rows before a false alarm, at least; 10,000 by default.

    Attributes
    ----------
    n, n_errors : int
        Class 0 rows since the start, and how many of them were called class 1.
    alarm_at : int or None
        The number of rows at which the first alarm came.
    about, clusters
        As in `Type1Monitor`.

    Notes
    -----
    For each of 32 rates p above alpha, with weights :math:`w_p` of sum 1, let :math:`l_t(p)` be the factor of row t in
    the likelihood ratio against alpha, as in `nproc.monitoring.log_evidence`. The Shiryaev-Roberts sum

    .. math:: M_t = \\sum_p w_p S_t(p), \\qquad S_t(p) = (S_{t-1}(p) + 1)\\, l_t(p), \\qquad S_0 = 0

    is the evidence from all starts together. An alarm comes at the first row T with an error and :math:`M_T` of at
    least `run_length`.

    *The mean time to a false alarm is at least `run_length`.* If every row is an error with probability at most alpha
    given those before, then :math:`E[l_t(p)] \\le 1`, and so :math:`M_t - t` is a supermartingale that starts at 0.
    Hence :math:`E[\\min(T, m)] \\ge E[M_{\\min(T, m)}] \\ge` run_length P(T <= m) for every m, and if T is finite with
    probability 1 then :math:`E[T] \\ge` run_length; if not, E[T] is infinite [shin2024]_.

    There is no bound on the probability of a false alarm: if one waits long enough, there will be one. For the test
    that has such a bound see `Type1Monitor`, and for the conditions on the rows too.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.monitoring import Type1ChangeDetector
    >>> rng = np.random.default_rng(0)
    >>> detector = Type1ChangeDetector(alpha=0.05, run_length=10_000)
    >>> detector.update(rng.random(5_000) < 0.03).alarm
    False
    >>> detector.update(rng.random(500) < 0.15).alarm_at
    5130
    """

    def __init__(self, alpha: float, run_length: int = 10_000) -> None:
        self.alpha = check_level(alpha, "alpha")
        self.run_length = check_count(run_length, "run_length", minimum=2)
        self.n = self.n_errors = 0
        self.alarm_at = None
        self.about = {}
        self.clusters = None
        # the rates 1.1 alpha to nearly 1, evenly spread on the scale of the log odds ratio
        odds = self.alpha / (1 - self.alpha) * np.geomspace(1.1, 100.0, N_RATES)
        rates = odds / (1 + odds)
        self._hit, self._miss = rates / self.alpha, (1 - rates) / (1 - self.alpha)
        self._sums, self._since = np.zeros(N_RATES), 0
        # the way so far: every step-th error as (n, n_errors, log of the evidence)
        self._step = 1
        self._path: list[tuple[int, int, float]] = []

    def update(self, errors: ArrayLike, *, clusters: ArrayLike | None = None) -> Self:
        """Take the errors of further class 0 rows, 0 or 1 each; return self. After an alarm it still counts.

        Parameters
        ----------
        errors : array-like of 0 and 1, or one such value
            One value for each row, in the order in which they came.
        clusters : array-like, optional
            The cluster of each row. One row of each cluster counts, as in `Type1Monitor.update`.
        """
        values = self._errors_that_count(errors, clusters)
        last = self.n
        for position in np.flatnonzero(values).tolist():
            good, self._since = self._since + self.n + position - last, 0
            last = self.n + position + 1
            self._take_error(good, last)
        self._since += self.n + values.size - last
        self.n += values.size
        return self

    def _take_error(self, good, at):
        """Move on by `good` rows without an error and one with."""
        shrunk = self._miss**good
        # (S + 1) q, `good` times over
        self._sums = shrunk * self._sums + self._miss * (1 - shrunk) / (1 - self._miss)
        self._sums = (self._sums + 1) * self._hit
        if self.alarm_at is None and self.evidence >= self.run_length:
            self.alarm_at = at
        # beyond any run length; infinite numbers would become NaN
        self._sums = np.minimum(self._sums, 1e250)
        self.n_errors += 1
        if self.n_errors % self._step == 0:
            self._path.append((at, self.n_errors, float(np.log(self.evidence))))
        if len(self._path) > MOST_MARKS:
            self._step, self._path = 2 * self._step, self._path[1::2]

    @property
    def evidence(self) -> float:
        """The sum M at the last row that was an error."""
        return float(self._sums.mean())

    @property
    def evidence_at(self) -> int | None:
        """The last row that was an error, counted from 1; None before the first error."""
        return self.n - self._since if self.n_errors else None

    def __repr__(self):
        state = f"alarm after {self.alarm_at} rows" if self.alarm else "no alarm"
        return (
            f"Type1ChangeDetector(alpha={self.alpha:g}, run_length={self.run_length}: {self.n_errors} errors in "
            f"{self.n} class 0 rows, {state}{self._told_again})"
        )

    def to_frame(self) -> DataFrame:
        """Return the way so far, a row an error, of many errors at most 1024 of them: n, n_errors, log_evidence."""
        n, n_errors, log_evidence = np.array(self._path, dtype=np.float64).reshape(-1, 3).T
        counts = {"n": n.astype(np.int64), "n_errors": n_errors.astype(np.int64)}
        return table_frame(counts | {"log_evidence": log_evidence})

    def summary(self) -> Summary:
        """Return the counts, the evidence and what an alarm means, as a summary of statsmodels."""
        class0, class1 = class_names(self.about.get("labels") or None)
        rows = rows_of(class0)
        pairs = [
            ("Level alpha", level_text(self.alpha)),
            (rows[0].upper() + rows[1:], self.n),
            ("Run length", self.run_length),
            (f"Called {class1}", self.n_errors),
            ("Evidence", f"{self.evidence:.4g}"),
            ("Alarm", f"after {self.alarm_at} rows" if self.alarm else "none"),
        ]
        statement = (
            f"If the type I error stays at most {level_text(self.alpha)} for ever, the mean number of rows before an "
            "alarm is at "
            f"least {self.run_length}. The alarm comes when the evidence reaches {self.run_length}. The probability of "
            "a false alarm has no bound: it grows with the number of rows."
        )
        if self.rows_again:
            statement = self._note_on_rows_again("The mean number of rows before a false alarm is bounded only")
        notes = [
            *self._notes_on_dependent_rows(),
            *self._notes_on_alarm(),
            statement,
            *self._note_on_evidence(),
            *self._notes_on_rows(),
            *self._notes_on_models(),
        ]
        return summary_table("Detector of a late rise of the type I error", pairs, notes=notes)

    def _note_on_evidence(self):
        if not self._since or not self.n_errors:
            return []
        return [
            f"The evidence changes only at an error: {self.evidence:.4g} is its value at the last error, row "
            f"{self.evidence_at} of {self.n}."
        ]

    def plot(self, *, ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
        """Draw the evidence on a log axis, with the limit at which an alarm comes; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_change

        return plot_change(self, ax=ax, figsize=figsize)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain numbers and lists."""
        return {
            "format": CHANGE_FORMAT,
            "format_version": CHANGE_VERSION,
            "about": self.about,
            "clusters": self.clusters,
            "alpha": self.alpha,
            "run_length": self.run_length,
            "n": self.n,
            "n_errors": self.n_errors,
            "alarm_at": self.alarm_at,
            "since_error": self._since,
            "sums": self._sums.tolist(),
            "step": self._step,
            "path": [list(point) for point in self._path],
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
        Type1ChangeDetector

        Raises
        ------
        InvalidInputError
            If the file is of another kind, or its numbers contradict each other.
        """
        state = json_state(path, CHANGE_FORMAT, CHANGE_VERSION)
        try:
            found = cls(state["alpha"], state["run_length"])
            if state["n"]:
                found.n_errors, found.n = read_batch(state["n_errors"], state["n"])
            found.about = read_about(state["about"], found.n)
            found.clusters = read_counted(state["clusters"], found.n)
            found.alarm_at = None if state["alarm_at"] is None else check_count(state["alarm_at"], "alarm_at")
            found._since = check_count(state["since_error"], "since_error", minimum=0)
            found._step = check_count(state["step"], "step")
            found._sums = np.array(state["sums"], dtype=np.float64)
            found._path = [(int(n), int(errors), float(log)) for n, errors, log in state["path"]]
        except (KeyError, TypeError, ValueError, InvalidInputError) as error:
            raise InvalidInputError(f"{path} is not a saved Type1ChangeDetector: {error}") from error
        path_n = [point[0] for point in found._path]
        shown = found._path[-1][1] if found._path else 0
        right = (
            found._sums.shape == (N_RATES,)
            and bool(np.all((found._sums >= 0) & (found._sums <= 1e250)))
            and found._since + found.n_errors <= found.n
            and (found._since == found.n) == (found.n_errors == 0)
            and max([0, found.alarm_at or 0, *path_n]) <= found.n - found._since
            and all(a < b for a, b in pairwise(path_n))
            and all(np.isfinite(point[2]) for point in found._path)
            and shown <= found.n_errors < shown + found._step
        )
        if not right or (found.alarm_at is None and found.evidence >= found.run_length):
            raise InvalidInputError(f"{path} is not a saved Type1ChangeDetector: its numbers contradict each other.")
        return found
