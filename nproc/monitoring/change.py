"""A detector of a rise of the type I error that comes late, with false alarms as rare as one asks."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_count, check_level
from nproc.monitoring.monitor import read_errors

# rates above alpha whose evidence is averaged: alpha + (1 - alpha) times a number of this grid
N_RATES = 32


class Type1ChangeDetector:
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
        self.alarm_at: int | None = None
        # the rates 1.1 alpha to nearly 1, evenly spread on the scale of the log odds ratio
        odds = self.alpha / (1 - self.alpha) * np.geomspace(1.1, 100.0, N_RATES)
        rates = odds / (1 + odds)
        self._hit, self._miss = rates / self.alpha, (1 - rates) / (1 - self.alpha)
        self._sums, self._since = np.zeros(N_RATES), 0

    def update(self, errors: ArrayLike) -> Self:
        """Take the errors of further class 0 rows, 0 or 1 each; return self. After an alarm it goes on counting."""
        values = read_errors(errors)
        last = self.n
        for position in np.flatnonzero(values).tolist():
            good, self._since = self._since + self.n + position - last, 0
            last = self.n + position + 1
            self._take_error(good, last)
        self._since += self.n + values.size - last
        self.n, self.n_errors = self.n + values.size, self.n_errors + int(values.sum())
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

    @property
    def evidence(self) -> float:
        """The sum M at the last row that was an error."""
        return float(self._sums.mean())

    @property
    def alarm(self) -> bool:
        """Whether there has been an alarm."""
        return self.alarm_at is not None

    def __repr__(self):
        state = f"alarm after {self.alarm_at} rows" if self.alarm else "no alarm"
        return (
            f"Type1ChangeDetector(alpha={self.alpha:g}, run_length={self.run_length}: {self.n_errors} errors in "
            f"{self.n} class 0 rows, {state})"
        )
