"""What the kernel machines of the papers share: kernel and parameters checked, solver chosen, scores of new rows."""

import sys

import numpy as np
from scipy import sparse

from nproc.checks import as_floats, check_choice, check_count, check_number, check_real
from nproc.errors import InvalidInputError
from nproc.scorers.base import Coefficients, NPScorer, history_frame, warn_plain_python
from nproc.solvers import solve_annealed, solve_uzawa
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import check_gram, make_kernel
from nproc.solvers.npsvm.constraint import made_constraint

SOLVERS = {"annealed": solve_annealed, "uzawa": solve_uzawa}
SPARSE_KERNELS = ("linear", "rbf", "poly")
# entries of the kernel matrix of new rows computed at a time: 32 MB
BLOCK_ENTRIES = 1 << 22
# rounding errors, of the last digit of the largest number added up, that two orders of a sum may differ by
ROUNDINGS = 32.0
# seconds of plain Python for one of compiled code, on 300 to 1,000 rows
SLOWDOWN = 20


class KernelMachine(Coefficients, NPScorer):
    """A kernel expansion trained by one of the solvers of the nonconvex Neyman-Pearson support vector machine.

    A child has the parameters of `NPSVC` but ``alpha``, and calls `_prepare`, `_solve` and `_keep` in ``fit``.
    """

    @property
    def _accepts_sparse(self):
        return isinstance(self.kernel, str) and self.kernel in SPARSE_KERNELS

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _check_parameters(self):
        """Raise where a parameter that does not depend on the data is out of its range."""
        for name in ("C", "eta", "gain", "tol", "cache_size"):
            check_number(getattr(self, name), name)
        if self.eps is not None:
            check_number(self.eps, "eps")
        check_choice(self.solver, "solver", tuple(SOLVERS))
        check_choice(self.rate, "rate", ("ramp", "0-1"))
        check_choice(self.update, "update", ("multiplicative", "additive"))
        check_count(self.max_iter, "max_iter")
        check_count(self.verbose, "verbose", minimum=0)
        check_real(self.coef0, "coef0")
        if not callable(self.kernel):
            check_choice(self.kernel, "kernel", (*SPARSE_KERNELS, "precomputed"))

    def _made_kernel(self, X):
        """Return the kernel with its scale, which 'scale' and 'auto' take from the training rows."""
        if self.kernel == "precomputed":
            check_gram(X)
            return make_kernel("precomputed")
        if isinstance(self.gamma, str):
            check_choice(self.gamma, "gamma", ("scale", "auto"))
            gamma = 1.0 / (total_variance(X) if self.gamma == "scale" else float(X.shape[1]))
        else:
            gamma = check_number(self.gamma, "gamma")
        check_count(self.degree, "degree")
        return make_kernel(self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)

    def _start(self, n):
        """Return the rows given up at the start, shape (n,), or None for no row."""
        if self.beta_init is None:
            return None
        beta = as_floats(self.beta_init, "beta_init")
        if beta.shape != (n,) or not np.isin(beta, (0, 1)).all():
            raise InvalidInputError(
                f"beta_init must be None or an array of {n} zeros and ones, one for each training row; got "
                f"an array of shape {beta.shape}."
            )
        return beta

    def _prepare(self, X):
        """Set what does not depend on the level; return the keyword arguments of the solver."""
        warn_plain_python(type(self).__name__, SLOWDOWN)
        self.kernel_ = self._made_kernel(X)
        return {
            "kernel": self.kernel_,
            "C": float(self.C),
            "update": self.update,
            "gain": float(self.gain),
            "beta": self._start(X.shape[0]),
            "tol": float(self.tol),
            "max_iter": int(self.max_iter),
            "rows": KernelRows(self.kernel_, X, cache_size=float(self.cache_size)),
            "callback": _reporter(type(self).__name__, self.verbose),
        }

    def _solve(self, X, y, level, settings, *, of_discoveries=False):
        """Return the solver's result and its constraint at one level; warn if it has not converged."""
        constraint = made_constraint(
            y, level, eta=self.eta, rate=self.rate, eps=self.eps, of_discoveries=of_discoveries
        )
        result = SOLVERS[self.solver](X, y, constraint=constraint, **settings)
        # several values of q have a machine each
        which = f"At q={level:g}: " if of_discoveries else ""
        self._warn_not_converged(result, f"{which}{_what_is_kept(result.rates, constraint)} {self._advice()}")
        return result, constraint

    def _advice(self):
        return "Try another C or gamma, a larger eps, or a larger max_iter."

    def _keep(self, X, result, constraint):
        """Set the fitted attributes; those of an earlier fit with another kernel, or a shift, go."""
        for name in ("support_vectors_", "shift_"):
            vars(self).pop(name, None)
        self.support_ = np.flatnonzero(result.coef)
        dual_weights, weights = result.coef[self.support_], None
        if self.kernel_.name == "linear":
            # the weights say it all: a fitted model carries no training rows that it does not need
            weights = np.asarray(X[self.support_].T @ dual_weights).ravel()
        elif self.kernel_.name != "precomputed":
            self.support_vectors_ = X[self.support_]
        self._keep_coefficients(result.intercept, weights=weights, dual_weights=dual_weights)
        self.given_up_ = result.beta == 1.0
        self.multiplier_ = float(result.multiplier)
        self.eps_ = float(constraint.eps)
        self.train_type1_ = float(result.rates.error1)
        self.train_type2_ = float(result.rates.error2)
        self.history_ = history_frame(result.history)
        self.n_iter_ = int(result.n_iter)
        self.n_solves_ = int(result.n_solves)
        self.converged_ = bool(result.converged)
        self.certificate_ = float(result.certificate)
        self.reason_ = result.reason

    def _shift_to_alpha(self, X, y, alpha):
        """Set ``shift_``, and lower the score by it, if more than a share `alpha` of class 0 rows score above 0."""
        # as predict computes them: far from the origin the solver's own scores round otherwise
        scores = self._score(X)
        scores0 = np.sort(scores[y == 0])[::-1]
        # this one and all below must not score above 0
        highest = scores0[min(int(np.floor(alpha * scores0.size + 1e-9)), scores0.size - 1)]
        # a little more, or rounding in another order of the sum could put the row above 0
        little = max(1e-9 * max(1.0, abs(highest)), ROUNDINGS * np.finfo(float).eps * self._size_of_terms(X))
        self.shift_ = float(highest + little) if highest > 0 else 0.0
        if self.shift_ > 0:
            self._constant -= self.shift_
            scores = self._score(X)
        self.train_type1_ = float(np.mean(scores[y == 0] > 0))
        self.train_type2_ = float(np.mean(scores[y == 1] <= 0))

    def _size_of_terms(self, X):
        """Return an upper bound on the sizes of the numbers that are added up to the score of a training row."""
        if self.kernel_.name == "linear":
            total = np.max(abs(X) @ np.abs(self._weights), initial=0.0)
        else:
            total = np.sum(np.abs(self._dual_weights)) * np.max(np.abs(self.kernel_.diagonal(X)), initial=0.0)
        return float(total) + abs(self._constant)

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


def _what_is_kept(rates, constraint):
    """Return in words how a model kept without convergence stands to the constraint."""
    if constraint.discovers_nothing(rates):
        return "The model kept accepts no row of class 1."
    limit = f"a limit of {constraint.limit(rates):.4g} on the training rows"
    numbers = f"a {constraint.bounded} of {rates.type1:.4g} and {limit}"
    if constraint.violation(rates) <= constraint.eps:
        return f"The model kept meets the constraint up to eps={constraint.eps:.2g}, with {numbers}."
    return f"None of the models tried meets the constraint; the one kept comes nearest, with {numbers}."


def total_variance(X):
    """Return the sum of the columns' variances, 1 where no column varies."""
    if not np.any(_ranges(X) > 0):
        # rounding would make a number of it
        return 1.0
    # column by column, so that a shift of a column, such as the centring that a sparse X forgoes, changes nothing
    with np.errstate(over="ignore", invalid="ignore"):
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


def _ranges(X):
    most, least = X.max(axis=0), X.min(axis=0)
    with np.errstate(over="ignore"):
        return (most - least).toarray() if sparse.issparse(most) else most - least


def _reporter(name, verbose):
    """Return a callback that prints every iteration (verbose 2) or every tenth (1) on standard error, or None."""
    if not verbose:
        return None

    def report(n_iter, row):
        if verbose > 1 or n_iter % 10 == 1:
            sys.stderr.write(
                f"{name} {n_iter:5d}: multiplier {row['multiplier']:.4g}, type I error {row['type1']:.4g}, "
                f"type II error {row['type2']:.4g}, objective {row['objective']:.5g}\n"
            )

    return report


def of_rows(parameters):
    """Return `parameters` of a named method; a precomputed kernel does not go with a name."""
    kernel = parameters["kernel"]
    if isinstance(kernel, str) and kernel == "precomputed":
        raise InvalidInputError(
            "kernel='precomputed' does not go with a method's name: there X holds rows, which are split and scaled; "
            "a kernel matrix is split both ways. Give rows and a kernel by name, or a function of two sets of rows."
        )
    return parameters
