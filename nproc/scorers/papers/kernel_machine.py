"""What the kernel machines of the papers share: the kernel, the scores of new rows, and the training of a ramp loss."""

from collections.abc import Callable
from dataclasses import KW_ONLY, replace

import numpy as np
from scipy import sparse

from nproc.checks import check_choice, check_count, check_number, check_real, shown
from nproc.errors import InvalidInputError
from nproc.scorers.base import (
    DISTANCES_APART,
    FAR_APART,
    Coefficients,
    NPScorer,
    scale_advice,
    warn_plain_python,
    with_parameters,
)
from nproc.scorers.papers.left_out import scores_left_out
from nproc.solvers import leave_one_out_scores, made_constraint, solve_annealed, solve_uzawa
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import check_gram, make_kernel

SOLVERS = {"annealed": solve_annealed, "uzawa": solve_uzawa}
SPARSE_KERNELS = ("linear", "rbf", "poly")
# entries of the kernel matrix of new rows computed at a time: 32 MB
BLOCK_ENTRIES = 1 << 22
# scores of a linear model may differ by this much from those of the solver, relative to their size (at least 1)
MOST_LOST = 1e-3
# seconds of plain Python for one of compiled code, on 300 to 1,000 rows
SLOWDOWN = 20


class KernelMachine(Coefficients, NPScorer):
    """A score that adds up values of a kernel at training rows; a child has the parameters of a kernel."""

    @property
    def _accepts_sparse(self):
        return isinstance(self.kernel, str) and self.kernel in SPARSE_KERNELS

    def _why_dense(self):
        return f" with kernel={shown(self.kernel)}"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _check_kernel(self):
        if not callable(self.kernel):
            check_choice(self.kernel, "kernel", (*SPARSE_KERNELS, "precomputed"))

    def _made_kernel(self, X):
        """Return the kernel with its scale, which 'scale' and 'auto' take from the training rows."""
        if self.kernel == "precomputed":
            check_gram(X)
            return make_kernel("precomputed")
        gamma = self.gamma
        if isinstance(gamma, str):
            check_choice(gamma, "gamma", ("scale", "auto"))
            gamma = 1.0 / (total_variance(X) if gamma == "scale" else float(X.shape[1]))
        return make_kernel(self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)

    def _keep_expansion(self, X, result, support, dual_weights, advice, weights=None):
        """Set the fitted attributes; those of an earlier fit with another kernel, or a shift, go."""
        for name in ("support_vectors_", "shift_"):
            vars(self).pop(name, None)
        self.support_ = support
        if self.kernel_.name == "linear":
            # the weights say it all: a fitted model carries no training rows that it does not need
            weights = np.asarray(X[support].T @ dual_weights).ravel() if weights is None else weights
        elif self.kernel_.name != "precomputed":
            self.support_vectors_ = X[support]
        self._keep_coefficients(result.intercept, weights=weights, dual_weights=dual_weights)
        if self.kernel_.name == "linear":
            result = _as_scored(result, KernelMachine._score(self, X))
        self.reason_ = result.reason
        self._keep_run(result, advice)

    def _score(self, X):
        if self.kernel_.name == "linear":
            return np.asarray(X @ self._weights).ravel() + self._constant
        if self.kernel_.name == "precomputed":
            return X[:, self.support_] @ self._dual_weights + self._constant
        scores = np.full(X.shape[0], self._constant)
        if self.support_.size:
            step = max(1, BLOCK_ENTRIES // self.support_.size)
            for first in range(0, X.shape[0], step):
                block = slice(first, first + step)
                scores[block] += self.kernel_.matrix(X[block], self.support_vectors_) @ self._dual_weights
        return scores

    def _scale_advice(self, X):
        return "" if self.kernel_.name == "precomputed" else scale_advice(X)

    def _tell_of_scale(self, X):
        if self.kernel_.name != "precomputed":
            super()._tell_of_scale(X, DISTANCES_APART if self.kernel_.name == "rbf" else FAR_APART)


def _as_scored(result, scores):
    """Return `result`, not converged if the weights kept give the training rows other scores than it has found."""
    gap = most_moved(scores, result.decision)
    if gap == 0.0:
        return result
    return replace(result, converged=False, certificate=max(result.certificate, gap), reason=told_of_rounding(gap))


def most_moved(scores, decision):
    """Return the largest difference of `scores` from those of the solver, 0 where none counts."""
    gaps = np.abs(scores - decision)
    counts = np.any(gaps > MOST_LOST * np.maximum(1.0, np.abs(decision)))
    return float(np.max(gaps)) if counts else 0.0


def told_of_rounding(gap):
    """Return in words that rounding moves scores by `gap`."""
    return (
        f"the columns lie so far from 0, beside how much they vary, that rounding moves scores by {gap:.2g}. "
        "Subtract the column means."
    )


@with_parameters
class RampMachine(KernelMachine):
    """A kernel machine trained by a solver of the nonconvex Neyman-Pearson support vector machine.

    A child calls `_settings`, `_prepare` and `_train_at` in ``fit``.
    """

    _: KW_ONLY
    C: float = 1.0
    kernel: str | Callable = "rbf"
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    eta: float = 1.0
    solver: str = "annealed"
    rate: str = "ramp"
    update: str = "multiplicative"
    gain: float = 1.0
    eps: float | None = None
    tol: float = 1e-3
    max_iter: int = 1000
    cache_size: float = 200

    def _settings(self):
        """Return what the solver takes of the parameters; raise where one of any kind is out of its range."""
        for name in ("eta", "cache_size"):
            check_number(getattr(self, name), name)
        if self.eps is not None:
            check_number(self.eps, "eps")
        check_choice(self.solver, "solver", tuple(SOLVERS))
        check_choice(self.rate, "rate", ("ramp", "0-1"))
        check_real(self.coef0, "coef0")
        self._check_kernel()
        return {
            **{name: check_number(getattr(self, name), name) for name in ("C", "gain", "tol")},
            "update": check_choice(self.update, "update", ("multiplicative", "additive")),
            "max_iter": check_count(self.max_iter, "max_iter"),
            "callback": self._progress(_progress_line),
        }

    def _prepare(self, X):
        """Set what does not depend on the level; return what the solver takes beside the `_settings`."""
        warn_plain_python(type(self).__name__, SLOWDOWN)
        self.kernel_ = self._made_kernel(X)
        return {
            "kernel": self.kernel_,
            "rows": KernelRows(self.kernel_, self._centred(X)[0], cache_size=float(self.cache_size)),
        }

    def _centred(self, X):
        """Return (rows, centre): less the means of the columns, a sum of which coefficients of sum 0 do not change.

        For a linear kernel and dense rows only. Far from the origin products of the rows as they are have no digits.
        """
        if self.kernel_.name != "linear" or sparse.issparse(X):
            return X, np.zeros(X.shape[1])
        centre = X.mean(axis=0)
        return X - centre, centre

    def _train_at(self, X, y, level, settings, advice, if_none, *, of_discoveries=False):
        """Set the fitted attributes after training at one level; warn if the solver has not converged.

        The warning gives `advice`, or `if_none` if the model calls no row of class 1 by its class.
        Returns the scores that the training rows would have if they had been left out; None where they are not known.
        """
        constraint = made_constraint(
            y, level, eta=self.eta, rate=self.rate, eps=self.eps, of_discoveries=of_discoveries
        )
        result = SOLVERS[self.solver](X, y, constraint=constraint, **settings)
        self.given_up_ = result.beta == 1.0
        self.multiplier_ = float(result.multiplier)
        self.eps_ = float(constraint.eps)
        self.train_type1_, self.train_type2_ = float(result.rates.error1), float(result.rates.error2)
        self.n_solves_ = int(result.n_solves)
        # several values of q have a machine each
        which = f"At q={level:g}: " if of_discoveries else ""
        support, weights = np.flatnonzero(result.coef), None
        kept, scale = _what_is_kept(result.rates, constraint), self._scale_advice(X)
        advice = f"{which}{kept} {scale}{if_none if result.rates.error2 >= 1.0 else advice}"
        rows, centre = self._centred(X)
        if self.kernel_.name == "linear":
            weights = np.asarray(rows[support].T @ result.coef[support]).ravel()
            result = replace(result, intercept=result.intercept - float(centre @ weights))
        self._keep_expansion(X, result, support, result.coef[support], advice, weights)
        if weights is not None:
            self._count_errors(X, y)
        self.loo_type1_ = self.loo_type2_ = None
        if self._labels_matter():
            return leave_one_out_scores(self.kernel_, rows, result.coef, result.decision)
        return None

    def _scores_by_folds(self, X, y, level, settings, shift_of=None, *, of_discoveries=False):
        """Return the score of each row by a machine that was trained without its quarter, None where that is too long.

        `shift_of` gives for scores of training rows, labels and the level by how much all scores are lowered. The
        machine has no random_state: which rows make up a quarter is fixed, and decides on a warning alone.
        """
        rows, precomputed = self._centred(X)[0], self.kernel_.name == "precomputed"
        given = {**settings, "rows": None, "callback": None, "cache_size": float(self.cache_size)}

        def scores_without(training, left_out):
            constraint = made_constraint(
                y[training], level, eta=self.eta, rate=self.rate, eps=self.eps, of_discoveries=of_discoveries
            )
            part = rows[np.ix_(training, training)] if precomputed else rows[training]
            result = SOLVERS[self.solver](part, y[training], constraint=constraint, **given)
            support = np.flatnonzero(result.coef)
            far = training[support]
            values = rows[np.ix_(left_out, far)] if precomputed else self.kernel_.matrix(rows[left_out], rows[far])
            shift = 0.0 if shift_of is None else shift_of(result.decision, y[training], level)
            return values @ result.coef[support] + (result.intercept - shift)

        return scores_left_out(scores_without, y, np.random.default_rng(0))

    def _keep_left_out(self, scores, y):
        """Set the errors of the rows when left out."""
        if scores is not None:
            self.loo_type1_ = float(np.mean(scores[y == 0] > 0))
            self.loo_type2_ = float(np.mean(scores[y == 1] <= 0))

    def _count_errors(self, X, y):
        """Set the errors on the training rows, by the scores that `predict` uses."""
        called = self._score(X) > 0
        self.train_type1_, self.train_type2_ = float(np.mean(called[y == 0])), float(np.mean(~called[y == 1]))


def _what_is_kept(rates, constraint):
    """Return in words how a model kept without convergence stands to the constraint."""
    if constraint.discovers_nothing(rates):
        return "The model kept accepts no row of class 1."
    limit = f"a limit of {constraint.limit(rates):.4g} on the training rows"
    numbers = f"a {constraint.bounded} of {rates.type1:.4g} and {limit}"
    if constraint.violation(rates) <= constraint.eps:
        use = " It calls no class 1 training row class 1, so predict is of no use." if rates.error2 >= 1.0 else ""
        return f"The model kept meets the constraint up to eps={constraint.eps:.2g}, with {numbers}.{use}"
    return f"No model that was tried meets the constraint. The returned model comes nearest to it, with {numbers}."


def total_variance(X):
    """Return the sum of the columns' variances, 1 where no column varies."""
    # column by column, so that a shift of a column, such as the centring that a sparse X forgoes, changes nothing
    with np.errstate(over="ignore", invalid="ignore"):
        if not (X.max(axis=0) - X.min(axis=0)).max() > 0:
            # rounding would make a number of it
            return 1.0
        if sparse.issparse(X):
            mean = np.asarray(X.mean(axis=0)).ravel()
            total = float(np.sum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2))
        else:
            total = float(X.var(axis=0).sum())
    # so far from 1 that it, or its inverse, is no normal number
    if not 1e-300 < total < 1e300:
        raise InvalidInputError(
            f"the variances of the columns of X add up to {total:.3g}, which is too far from 1 to compute with. "
            "Standardise the columns."
        )
    return total


def check_size(X):
    """Raise where the numbers of `X` vary too much or too little to compute with, or their squares overflow."""
    total_variance(X)
    values = X.data if sparse.issparse(X) else X
    largest = float(np.max(np.abs(values), initial=0.0))
    # a sum of squares must be finite as well
    if largest > 1e150:
        raise InvalidInputError(
            f"X has a number of size {largest:.3g}, whose square is too large to compute with. Standardise the columns."
        )


def _progress_line(n_iter, row):
    return (
        f"iteration {n_iter}: multiplier {row['multiplier']:.4g}, type I error {row['type1']:.4g}, type II error "
        f"{row['type2']:.4g}, objective {row['objective']:.5g}"
    )


def of_rows(parameters):
    """Return `parameters` of a named method; a precomputed kernel does not go with a name."""
    kernel = parameters["kernel"]
    if isinstance(kernel, str) and kernel == "precomputed":
        raise InvalidInputError(
            "kernel='precomputed' cannot be used with a method given by name. npc splits and scales the rows of "
            "X, but a kernel matrix would have to be split by rows and by columns. Give rows and a kernel by "
            "name, or a function of two sets of rows."
        )
    return parameters
