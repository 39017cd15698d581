"""Many stochastic Neyman-Pearson runs at once, on the same draws: what a search over their settings needs.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nproc.checks import Matrix
from nproc.solvers.sampling import RowSampler
from nproc.solvers.stochastic import steps
from nproc.solvers.stochastic.run import (
    LARGEST_WEIGHT,
    StochasticProblem,
    StochasticRun,
    parts_of_epoch,
    set_class_weights,
    setting_of,
)
from nproc.solvers.stochastic.solve import history_row

# so few runs take less time one after the other than in lockstep
FEW = 8
# numbers that the processor takes at a time, and the bytes of a line of its memory
AT_A_TIME, LINE = 4, 64


@dataclass(frozen=True, kw_only=True)
class TogetherResult:
    """What `solve_stochastic_np_together` returns; a run in the order of the problems.

    Attributes
    ----------
    coef : ndarray, shape (runs, p)
        Weights; 0 where a run overflowed.
    intercept : ndarray, shape (runs,)
        Constant terms; 0 where a run overflowed.
    finite : ndarray of bool, shape (runs,)
        Whether the weights stayed finite; a run of which they did not is no model.
    runs : list of StochasticRun
        The runs themselves, if they are few; otherwise none.
    told : list of list of dict
        Of each of `runs` a row of the history an epoch.
    """

    coef: np.ndarray
    intercept: np.ndarray
    finite: np.ndarray
    runs: list[StochasticRun] = field(default_factory=list)
    told: list[list[dict[str, Any]]] = field(default_factory=list)


def solve_stochastic_np_together(
    X: Matrix,
    y: NDArray[Any],
    problems: list[StochasticProblem],
    *,
    average: bool | int = True,
    rows: NDArray[np.integer] | None = None,
    max_iter: int = 100,
    rng: np.random.Generator,
) -> TogetherResult:
    r"""Return the linear classifiers that Algorithm 4 trains with several settings on the same draws.

    Run k ends where ``solve_stochastic_np`` ends with problem k and a generator in the same state, up to rounding. Many
    of them together take a fraction of the time of the runs one by one, since a step waits for the one before it, and
    many runs wait together. Up to eight runs share the draws alone, and take the time of as many runs.

    Parameters
    ----------
    X : ndarray (C-contiguous) or CSR matrix, float64 or float32, shape (n, p)
        Rows, already checked.
    y : ndarray of uint8, shape (n,)
        0 (the class whose error is bounded) or 1; both occur.
    problems : list of StochasticProblem
        At least one, one for each run; `loss`, `balanced` and `additive` must be the same in all.
    average : bool or int
        As in `solve_stochastic_np`.
    rows : ndarray of int, optional
        The rows that train; None: all.
    max_iter : int
        Number of epochs, of n steps each.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    result : TogetherResult
        The models. No certificate is computed: look at the one that is chosen by `solve_stochastic_np`, or by
        `examined` of `nproc.solvers.stochastic.solve` where there are `runs`.

    Raises
    ------
    InvalidInputError
        If gamma0 * lam of a problem is 1 or more.

    See Also
    --------
    nproc.solvers.solve_stochastic_np : One run, with its history and certificate.
    nproc.scorers.papers.online_cv.OnlineNPClassifierCV : The search.

    Notes
    -----
    Memory beyond the data is about 3 p + 30 numbers a run, where more than eight runs are rounded up to a multiple of
    four, and a few thousand drawn row numbers. A run that overflows leaves the others as they are.

    References
    ----------
    Algorithm 4 of [gasso2011]_; the search of its section 5.5 has 42 runs.

    Examples
    --------
    >>> from nproc.solvers.stochastic.run import StochasticProblem
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(np.array([0, 1], dtype=np.uint8), 500)
    >>> X = rng.normal(size=(1000, 2)) + 2.0 * y[:, None]
    >>> settings = dict(lam=1e-3, loss="sigmoid", eta=2.0, gamma0="auto", tau=10.0, balanced=True, additive=False)
    >>> problems = [StochasticProblem(alpha=alpha, **settings) for alpha in (0.05, 0.2)]
    >>> result = solve_stochastic_np_together(X, y, problems, max_iter=30, rng=rng)
    >>> np.mean(X[y == 0] @ result.coef.T + result.intercept > 0, axis=0).round(1)
    array([0. , 0.2])
    """
    sampler = RowSampler(y, rng, rows)
    runs = (_RunsInTurn if len(problems) <= FEW else _RunsInLockstep)(X, y, problems, sampler)
    averaged_after = max_iter / 2 if average is True else average
    average_from = -1 if average is False else int(sampler.n * averaged_after)
    for _ in range(max_iter):
        runs.learn(sampler, average_from)
    return runs.result()


class _RunsInTurn:
    """Runs that each make the steps of a part of an epoch before the next one does."""

    def __init__(self, X, y, problems, sampler):
        self._X, self._y, self._balanced = X, y, problems[0].balanced
        self._loop = (steps.run_csr if sparse.issparse(X) else steps.run_dense).target()
        self._runs = [StochasticRun(problem) for problem in problems]
        self._told = [[] for _ in problems]
        for run in self._runs:
            run.prepare(X, n0=sampler.n0, n1=sampler.n1, balanced=self._balanced)

    def learn(self, sampler, average_from):
        """Make an epoch of steps, as `StochasticRun.learn` does."""
        tallies = np.zeros((len(self._runs), steps.TALLY_SIZE))
        # what overflows is found at the end
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in parts_of_epoch(sampler, self._balanced):
                for run, tally in zip(self._runs, tallies, strict=True):
                    run.average_from = float(average_from)
                    part = np.zeros(steps.TALLY_SIZE)
                    run.learn_part(self._loop, self._X, self._y, rows, part)
                    tally += part
            for run, tally, told in zip(self._runs, tallies, self._told, strict=True):
                told.append(history_row(run, tally))

    def result(self):
        """Return the models as they stand: the mean of the iterates where there is one."""
        with np.errstate(over="ignore", invalid="ignore"):
            coef = np.array([run.coef for run in self._runs])
            intercept = np.array([run.intercept for run in self._runs])
            finite = np.array([run.finite() for run in self._runs]) & np.all(np.isfinite(coef), axis=1)
        coef[~finite], intercept[~finite] = 0.0, 0.0
        return TogetherResult(coef=coef, intercept=intercept, finite=finite, runs=self._runs, told=self._told)


class _RunsInLockstep:
    """The iterates of all runs, which make each step at once, and their sums."""

    def __init__(self, X, y, problems, sampler):
        self._y = y
        self._n_runs = len(problems)
        # the last one is made several times over: what is left over by fours would take longer
        problems = problems + problems[-1:] * (-len(problems) % AT_A_TIME)
        sparse_rows = sparse.issparse(X)
        self._loop = (steps.run_csr_together if sparse_rows else steps.run_dense_together).target()
        self._rows_of_X = steps.sparse_parts(X) if sparse_rows else (X,)
        self._balanced = problems[0].balanced
        self._kind = problems[0].loss == "sigmoid", problems[0].additive
        settings = [setting_of(problem, X) for problem in problems]
        for setting, problem in zip(settings, problems, strict=True):
            set_class_weights(setting, problem, n0=sampler.n0, n1=sampler.n1, balanced=self._balanced)
        self._settings = np.ascontiguousarray(np.transpose(settings))
        self._states = np.repeat(steps.fresh_state(1.0)[:, np.newaxis], len(problems), axis=1)
        self._V = zeros_from_a_line((X.shape[1], len(problems)))
        self._sums, self._state_sums, self._n_summed = np.zeros_like(self._V), np.zeros_like(self._states), 0

    def learn(self, sampler, average_from):
        """Make an epoch of steps, as `StochasticRun.learn` does."""
        # what overflows is found at the end
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in parts_of_epoch(sampler, self._balanced):
                self._loop(*self._rows_of_X, self._y, rows, self._V, self._states, self._settings, *self._kind)
                if 0 <= average_from < self._states[steps.STEP, 0]:
                    self._sums += self._V * self._states[steps.SCALE]
                    self._state_sums += self._states
                    self._n_summed += 1

    def result(self):
        """Return the models as they stand: the mean of the iterates where there is one."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self._n_summed > 0:
                V, states = self._sums / self._n_summed, self._state_sums / self._n_summed
            else:
                V, states = self._V * self._states[steps.SCALE], self._states
            largest = np.maximum(np.abs(self._V).max(axis=0), np.abs(self._states).max(axis=0))
            # no comparison holds for NaN
            finite = (largest <= LARGEST_WEIGHT) & np.all(np.isfinite(V), axis=0)
            coef = np.where(finite, V / self._settings[steps.UNIT], 0.0).T
        runs = slice(self._n_runs)
        return TogetherResult(
            coef=np.ascontiguousarray(coef[runs]),
            intercept=np.where(finite, states[steps.INTERCEPT], 0.0)[runs],
            finite=finite[runs],
        )


def zeros_from_a_line(shape):
    """Return zeros that begin where a line of memory does, so that the weights of a column lie in as few as can be."""
    size = np.prod(shape)
    room = np.zeros(size + LINE // 8)
    start = -room.ctypes.data % LINE // 8
    return room[start : start + size].reshape(shape)
