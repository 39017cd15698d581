"""A run of the stochastic Neyman-Pearson method that can be stopped and carried on: what `partial_fit` needs.

References
----------
Algorithm 4 and equations (10) to (12) of [gasso2011]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.losses import RampLoss, SigmoidLoss
from nproc.solvers.stochastic import steps

# the paper's gamma_0, for rows of norm about 1
PAPER_GAMMA0 = 0.1


@dataclass(frozen=True, kw_only=True)
class StochasticProblem:
    """What is minimised and by which steps; `solve_stochastic_np` documents the fields."""

    alpha: float
    lam: float
    loss: str
    eta: float
    gamma0: float | str
    tau: float
    balanced: bool
    additive: bool


def first_rates(problem, X):
    """Return gamma0 and lam as the steps have them, and the mean square norm of the rows by which lam is divided.

    Their product must be below 1, or one step would reverse the sign of the weights.
    """
    if problem.gamma0 != "auto":
        return problem.gamma0, problem.lam, 1.0
    square = 1.0 if X is None else mean_square_norm(X)
    return PAPER_GAMMA0, problem.lam / square, square


def setting_of(problem, X):
    """Return the array of what stays in a run, but for what `set_class_weights` sets.

    Parameters
    ----------
    problem : StochasticProblem
        What is minimised.
    X : ndarray or CSR matrix, or None
        Rows, for the unit of length of ``gamma0="auto"``; None where their mean square norm is 1.
    """
    setting = np.zeros(steps.SETTING_SIZE)
    gamma0, lam, square = first_rates(problem, X)
    if gamma0 * lam >= 1.0:
        raise InvalidInputError(
            f"gamma0 * lam must be below 1, got {gamma0 * lam:.3g}: one step would reverse the sign of the "
            "weights. Use a smaller gamma0 or lam, or scale the columns up."
        )
    setting[steps.SIGMOID] = float(problem.loss == "sigmoid")
    setting[steps.ADDITIVE] = float(problem.additive)
    setting[steps.ETA], setting[steps.ALPHA] = problem.eta, problem.alpha
    setting[steps.GAMMA0], setting[steps.LAM], setting[steps.DECAY] = gamma0, lam, lam
    setting[steps.UNIT] = np.sqrt(square)
    return setting


def set_class_weights(setting, problem, *, n0, n1, balanced):
    """Set the weights (10) of both classes, for balanced draws or plain ones, and the rate nu of the multiplier."""
    setting[steps.WEIGHT0] = 2.0 if balanced else (n0 + n1) / max(n0, 1)
    setting[steps.WEIGHT1] = 2.0 if balanced else (n0 + n1) / max(n1, 1)
    setting[steps.NU] = problem.tau / max(n0, 1)


def mean_square_norm(X):
    """Return the mean square norm of the rows of `X`, or of 1024 of them in eight blocks spread evenly; 1 if it is 0.

    Raises
    ------
    InvalidInputError
        If it overflows.
    """
    n, size = X.shape[0], 128
    blocks = [(0, n)] if n <= 8 * size else [(start, start + size) for start in range(0, n - size + 1, (n - size) // 7)]
    total = 0.0
    with np.errstate(over="ignore"):
        for start, stop in blocks:
            values = X.data[X.indptr[start] : X.indptr[stop]] if sparse.issparse(X) else X[start:stop].reshape(-1)
            values = values.astype(np.float64, copy=False)
            # on one thread: waking the others takes longer than the sum
            total += float(np.einsum("i,i->", values, values))
    square = total / sum(stop - start for start, stop in blocks)
    if not np.isfinite(square):
        raise InvalidInputError("X holds numbers whose squares overflow; bring the columns to one scale first.")
    return square if square > 0 else 1.0


FLAT = 0.01
LOSSES = {"sigmoid": SigmoidLoss, "ramp": RampLoss}
# rows whose losses are computed at a time
EXAMINED_ROWS = 1 << 11
LARGEST_WEIGHT = 1e100
# an epoch is made in four parts, of these sizes at least and at most; between them the iterates are summed for
# their mean, and an interruption comes through
PARTS, LEAST_PART, LARGEST_PART = 4, 512, 8192


def parts_of_epoch(sampler, balanced, most=LARGEST_PART):
    """Draw as many rows as there are; give their numbers in parts of `most` rows at most."""
    part = min(max(-(-sampler.n // PARTS), LEAST_PART), most)
    for start in range(0, sampler.n, LARGEST_PART):
        # drawn for several parts at once: a draw of few rows costs almost as much as one of many
        size = min(LARGEST_PART, sampler.n - start)
        drawn = sampler.balanced(size) if balanced else sampler.plain(size)
        for first in range(0, size, part):
            yield drawn[first : first + part]


class StochasticRun:
    """The iterate, the multiplier, and their sums, of a run of Algorithm 4.

    Parameters
    ----------
    problem : StochasticProblem
        What is minimised.
    multiplier : float
        lambda before the first step, above 0.
    features : FourierFeatures, optional
        A map of the rows, applied to the rows drawn, a block at a time.
    """

    def __init__(self, problem, *, multiplier=1.0, features=None):
        self.problem = problem
        self.features = features
        # the number of steps after which iterates are summed; below 0: never
        self.average_from = -1.0
        self._state = steps.fresh_state(multiplier)
        self._setting = np.zeros(steps.SETTING_SIZE)
        self._v = None
        self._sum_v, self._sum_state, self._n_summed = None, np.zeros(steps.STATE_SIZE), 0

    @property
    def n_steps(self):
        """Return the number of steps made."""
        return int(self._state[steps.STEP])

    @property
    def coef(self):
        """Return the weights, shape (p,): the present ones, or their average once there is one."""
        unit = self._setting[steps.UNIT]
        if self._n_summed > 0:
            return self._sum_v / (self._n_summed * unit)
        return self._v * (self._state[steps.SCALE] / unit)

    @property
    def penalty(self):
        """Return lam / 2 times the square norm of `coef`, without a copy of it."""
        if self._n_summed > 0:
            scaled, factor = self._sum_v, 1.0 / self._n_summed
        else:
            scaled, factor = self._v, self._state[steps.SCALE]
        return (
            0.5 * self.problem.lam * float(steps.square_norm(scaled)) * float(factor / self._setting[steps.UNIT]) ** 2
        )

    @property
    def intercept(self):
        """Return the intercept that goes with `coef`."""
        return self._mean_or_last(steps.INTERCEPT)

    @property
    def multiplier(self):
        """Return the multiplier that goes with `coef`."""
        return self._mean_or_last(steps.MULTIPLIER)

    def _mean_or_last(self, place):
        return float(self._sum_state[place] / self._n_summed if self._n_summed > 0 else self._state[place])

    def learn(self, X, y, sampler, *, n0, n1):
        """Make as many steps as `X` has rows, on rows drawn at random; return the tally of what was seen on the way.

        Parameters
        ----------
        X : ndarray (C-contiguous) or CSR matrix, float64 or float32, shape (n, p)
            Rows.
        y : ndarray of uint8, shape (n,)
            0 or 1.
        sampler : RowSampler
            Draws rows of `y`.
        n0, n1 : int
            Rows of each class in all the data, of which `X` may be a part: for nu and for the weights (10).

        Returns
        -------
        tally : ndarray
            Examples, losses and errors of each class, at the places named in `nproc.solvers.stochastic.steps`.

        Raises
        ------
        InvalidInputError
            If the steps are too large: weights or intercept overflow.
        """
        balanced = self.problem.balanced and sampler.n0 > 0 and sampler.n1 > 0
        self.prepare(X, n0=n0, n1=n1, balanced=balanced)
        tally = np.zeros(steps.TALLY_SIZE)
        most = LARGEST_PART if self.features is None else self.features.block_rows
        # looked up once: what a hot function runs as does not change within an epoch
        loop = (steps.run_csr if self.features is None and sparse.issparse(X) else steps.run_dense).target()
        # what overflows is found below
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in parts_of_epoch(sampler, balanced, most):
                # the sums of a part by themselves, so that rounding does not grow with the number of rows
                part = np.zeros(steps.TALLY_SIZE)
                self.learn_part(loop, X, y, rows, part)
                tally += part
            self._check_finite()
        return tally

    def prepare(self, X, *, n0, n1, balanced):
        """Make the run ready for steps on rows of `X`, with the arguments of `set_class_weights`."""
        if self._v is None:
            self._begin(X)
        elif self.features is None:
            self._check_sizes(X.shape[1])
        set_class_weights(self._setting, self.problem, n0=n0, n1=n1, balanced=balanced)

    def learn_part(self, loop, X, y, rows, tally):
        """Make a step on each of `rows` by one of the hot loops, and take the iterate into the mean if it is time."""
        self._steps_on(loop, X, y, rows, tally)
        if 0 <= self.average_from < self._state[steps.STEP]:
            self._add_to_sums()

    def _add_to_sums(self):
        if self._sum_v is None:
            self._sum_v = np.zeros(self._v.size)
        steps.add_scaled(self._sum_v, self._v, self._state[steps.SCALE])
        self._sum_state += self._state
        self._n_summed += 1

    def _begin(self, X):
        n_weights = X.shape[1] if self.features is None else self.features.n_components
        self._v = np.zeros(n_weights)
        # the features of a row have a square norm of 1 on average
        self._setting = setting_of(self.problem, X if self.features is None else None)

    def _check_sizes(self, n_weights):
        # compiled loops look at no bounds, and a run that was loaded may hold any numbers
        sized = [(self._v, n_weights), (self._state, steps.STATE_SIZE), (self._setting, steps.SETTING_SIZE)]
        if self._sum_v is not None:
            sized.append((self._sum_v, n_weights))
        if not all(isinstance(part, np.ndarray) and part.shape == (size,) for part, size in sized):
            raise InvalidInputError(f"the weights of this model do not fit together for {n_weights} columns.")

    def _steps_on(self, loop, X, y, rows, tally):
        rest = (self._v, self._state, self._setting, tally)
        if self.features is not None:
            mapped = self.features.transform(X[rows])
            self._check_sizes(mapped.shape[1])
            loop(mapped, y[rows], np.arange(rows.size, dtype=np.int32), *rest)
        elif sparse.issparse(X):
            loop(*steps.sparse_parts(X), y, rows, *rest)
        else:
            loop(X, y, rows, *rest)

    def finite(self):
        """Return whether nothing has overflowed, nor will when the weights are squared."""
        # no comparison holds for NaN
        return bool(steps.square_norm(self._v) <= LARGEST_WEIGHT**2 and np.abs(self._state).max() <= LARGEST_WEIGHT)

    def _check_finite(self):
        if not self.finite():
            raise InvalidInputError(
                f"the weights overflowed after {self._state[steps.STEP]:.0f} steps: gamma0={self.problem.gamma0!r} is "
                "too large for these data. Use a smaller gamma0 or gamma0='auto', and bring the columns to one scale."
            )

    def examine(self, X, y, rows=None):
        """Return the `Examination` of the present model on the `rows` of `X`, or on all: one pass, in blocks."""
        coef, intercept = self.coef, self.intercept
        loss = LOSSES[self.problem.loss](eta=self.problem.eta)
        n, losses, errors, pulls = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((coef.size + 1, 2))
        size = EXAMINED_ROWS if self.features is None else self.features.block_rows
        for start in range(0, y.size if rows is None else rows.size, size):
            block = slice(start, start + size) if rows is None else rows[start : start + size]
            part, label = X[block], (y[block] == 1).astype(np.int64)
            if self.features is not None:
                part = self.features.transform(part)
            scores, signs = part @ coef + intercept, 2.0 * label - 1.0
            n += np.bincount(label, minlength=2)
            losses += np.bincount(label, weights=loss.value(signs * scores), minlength=2)
            errors += np.bincount(label, weights=(scores > 0.0) != (label == 1), minlength=2)
            slopes = np.zeros((label.size, 2))
            slopes[np.arange(label.size), label] = signs * loss.derivative(signs * scores)
            pulls += np.vstack([part.T @ slopes, slopes.sum(axis=0)])
        unit = self._setting[steps.UNIT]
        pulls[:-1] /= unit
        return Examination(
            coef=coef,
            intercept=intercept,
            multiplier=self.multiplier,
            penalty=self.penalty,
            loss0=losses[0] / n[0],
            loss1=losses[1] / n[1],
            type1=errors[0] / n[0],
            type2=errors[1] / n[1],
            pull0=pulls[:, 0] / n[0],
            pull1=pulls[:, 1] / n[1],
            shrink=np.append(self.problem.lam / unit * coef, 0.0),
            steepest=self._setting[steps.ETA] / 4.0 if self.problem.loss == "sigmoid" else 0.5 / self.problem.eta,
        )


@dataclass(frozen=True, kw_only=True)
class Examination:
    """A model on the full data: its mean losses and error rates, and the parts of the gradient of its Lagrangian.

    The gradients are in (r w, b), with r the unit of length of the run, so that they do not depend on the units of X.
    """

    coef: np.ndarray
    intercept: float
    multiplier: float
    penalty: float
    loss0: float
    loss1: float
    type1: float
    type2: float
    pull0: np.ndarray
    pull1: np.ndarray
    shrink: np.ndarray
    steepest: float

    @property
    def gradient(self):
        """Return the norm of the gradient of the Lagrangian, relative to the norms of its three parts.

        Where the classes are apart all parts vanish; the sum of their norms counts as `FLAT` times the steepest slope
        of the loss, at least.
        """
        push0 = self.multiplier * self.pull0
        parts = sum(float(np.linalg.norm(part)) for part in (push0, self.pull1, self.shrink))
        return float(np.linalg.norm(push0 + self.pull1 + self.shrink)) / max(parts, FLAT * self.steepest)

    def constraint(self, alpha, n0):
        """Return by how much the constraint is broken, or is not tight though it has a price, relative to alpha."""
        gap = self.loss0 - alpha
        return (gap if gap > 0 else -gap * min(self.multiplier, 1.0)) / (alpha + 1.0 / n0)
