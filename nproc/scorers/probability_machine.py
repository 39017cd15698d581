"""What sparse logistic regression gives: the interval, the solver, and probabilities that say what is known."""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import expit, logit
from sklearn.utils.validation import check_is_fitted

from nproc.checks import (
    check_choice,
    check_count,
    check_level,
    check_number,
    check_seed,
    refuse_bad_seed,
)
from nproc.errors import InvalidInputError, NPWarning
from nproc.labels import label_array
from nproc.losses.truncated import TruncatedLikelihood
from nproc.matching_rows import check_same_rows
from nproc.plotting.probability import plot_calibration
from nproc.scorers.binary import validate_numbers
from nproc.scorers.calibration import calibration_groups
from nproc.scorers.kernel_machine import SPARSE_KERNELS, KernelMachine
from nproc.scorers.np_scorer import history_frame
from nproc.scorers.probability_interval import (
    ProbabilityInterval,
    check_factor,
    exceeded_by,
    interval_from_alpha,
    interval_from_costs,
    out_of_fold,
    threshold_from_costs,
)
from nproc.solvers.sparse_logistic_dual import solve_sparse_logistic_dual
from nproc.solvers.sparse_logistic_primal import solve_sparse_logistic_primal
from nproc.warning_place import warn_at_call

# log-odds this near to those of an end count as the end: solutions have rows on it, but for rounding
EDGE = 1e-6


class ProbabilityMachine(KernelMachine):
    """A linear or kernel model of the log-odds, trained by one of the solvers of sparse logistic regression.

    A child has the parameters of `SparseLogisticClassifier`, and calls `_check_parameters`, `_train` and
    `_keep_result` in ``fit``.
    """

    def predict_proba(self, X):
        """Return the estimated probability of each class, shape (n, 2), in the order of ``classes_``.

        At p_min_ and p_max_ and beyond, that of the class that is not ``class0_`` says no more than on which side it
        is. Between them it is an estimate, biased if f cannot level off at both ends, as no linear f can.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.

        Returns
        -------
        ndarray of float64, shape (n, 2)
        """
        log_odds = self._log_odds(self._read_new(X))
        one, other = expit(log_odds), expit(-log_odds)
        return np.column_stack([other, one] if self.class0_ == self.classes_[0] else [one, other])

    def probability_bounds(self, X):
        """Return a lower and an upper bound on ONE class's probability, that of the class that is not ``class0_``.

        Shape (n, 2): column 0 is the lower bound and column 1 the upper, not the classes of `predict_proba`. Both are
        the estimate where it lies between p_min_ and p_max_. Elsewhere they are 0 and p_min_, or p_max_ and 1, also at
        the ends, up to rounding: all probabilities beyond an end may have it as their estimate.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.

        Returns
        -------
        ndarray of float64, shape (n, 2)
            The lower and the upper bound of each row.
        """
        log_odds = self._log_odds(self._read_new(X))
        p = expit(log_odds)
        below, above = (side * (log_odds - logit(end)) >= -EDGE for side, end in ((-1, self.p_min_), (1, self.p_max_)))
        low = np.where(below, 0.0, np.where(above, self.p_max_, p))
        high = np.where(below, self.p_min_, np.where(above, 1.0, p))
        return np.column_stack([low, high])

    def plot(self, X, y, *, ax=None, n_groups=10):
        """Draw how often rows with similar probabilities are not of ``class0_``; return the Axes.

        The parts outside [p_min_, p_max_], where the probability says no more than a side, are hatched. Give rows that
        did not train the model.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Rows with the columns of the training.
        y : array-like, shape (n,)
            Their labels.
        ax : Axes, optional
            Where to draw; a figure of its own is made without it.
        n_groups : int
            Number of groups of rows, of about the same size.

        Returns
        -------
        Axes

        Raises
        ------
        InvalidInputError
            If y does not hold one known label a row.
        """
        check_same_rows(X=X, y=y)
        p = expit(self._log_odds(self._read_new(X)))
        check_count(n_groups, "n_groups")
        y = label_array(y)
        if y.shape != p.shape or not np.isin(y, self.classes_).all():
            raise InvalidInputError(
                f"y must hold one of the labels {self.classes_.tolist()} for each of the {p.size} rows of X."
            )
        groups = calibration_groups(p, (y != self.class0_).astype(np.int64), n_groups)
        label = f"class {self.classes_[self.classes_ != self.class0_].item()!r}"
        return plot_calibration(
            groups.estimate, groups.share, groups.lower, groups.upper, self.p_min_, self.p_max_, ax=ax, label=label
        )

    def _check_parameters(self):
        TruncatedLikelihood(self.p_min, self.p_max)
        if check_choice(self.interval, "interval", ("given", "costs", "alpha")) != "given" and not self._whole():
            raise InvalidInputError(
                f"p_min={self.p_min!r} and p_max={self.p_max!r} do not go with interval={self.interval!r}, which "
                "chooses both ends itself. Use interval='given', or leave p_min and p_max at 0 and 1."
            )
        check_level(self.alpha, "alpha")
        check_factor(self.factor)
        check_choice(self.solver, "solver", ("auto", "primal", "dual"))
        check_number(self.tol, "tol")
        check_number(self.cache_size, "cache_size")
        if self.max_iter is not None:
            check_count(self.max_iter, "max_iter")
        check_count(self.n_folds, "n_folds", minimum=2)
        check_count(self.verbose, "verbose", minimum=0)
        refuse_bad_seed(self.random_state)
        # with a negative one poly is no kernel: what is minimised has no least value
        check_number(self.coef0, "coef0", zero=True)
        if not callable(self.kernel):
            check_choice(self.kernel, "kernel", (*SPARSE_KERNELS, "precomputed"))
        if self.solver == "primal" and self.kernel != "linear":
            raise InvalidInputError(
                f"solver='primal' takes kernel='linear' only, got kernel={self.kernel!r}. Use solver='dual' or 'auto'."
            )
        check_number(self.lam, "lam", zero=True)
        if self.lam == 0 and self._by_dual():
            raise InvalidInputError(
                "lam must be above 0 with the dual solver, got 0; only solver='primal' (kernel='linear') takes lam=0."
            )
        if (self.cost0 is None) != (self.cost1 is None):
            raise InvalidInputError("cost0 and cost1 must be given together; only their ratio matters.")
        if self.cost0 is None and self.interval == "costs":
            raise InvalidInputError("interval='costs' needs cost0 and cost1; only their ratio matters.")

    def _whole(self):
        return (self.p_min, self.p_max) == (0.0, 1.0)

    def _by_dual(self):
        return self.solver == "dual" or not (isinstance(self.kernel, str) and self.kernel == "linear")

    def _train(self, X, y):
        """Return the interval, with its threshold, and the result of the solver; warn of what went wrong."""
        if self.interval == "alpha":
            chosen, result = self._train_near_alpha(X, y)
        else:
            chosen = self._given_interval() if self.interval == "given" else self._interval_of_costs()
            result = self._solve_in(X, y, chosen.p_min, chosen.p_max)
        if self.cost0 is not None:
            costs = threshold_from_costs(self.cost0, self.cost1)
            chosen = ProbabilityInterval(chosen.p_min, chosen.p_max, costs)
            self._warn_threshold_outside(chosen)
        self._warn_not_converged(result, "Try a larger lam, max_iter or tol.")
        return chosen, result

    def _train_near_alpha(self, X, y):
        """Return an interval round the level of a type I error of alpha, and the result of training in it."""
        # both rounds leave out the same rows
        seed = check_seed(self.random_state)
        p0 = self._probabilities0(X, y, seed, 0.0, 1.0)
        factor = float(self.factor)
        while True:
            chosen = interval_from_alpha(p0, self.alpha, factor)
            result = self._solve_in(X, y, chosen.p_min, chosen.p_max)
            # a model too stiff for probabilities so high makes all of them equal to p_min: it needs to see more
            if chosen.p_min == 0.0 or 2 * result.decision.max() > logit(chosen.p_min) + logit(chosen.threshold):
                break
            factor *= 2.0
        if self.cost0 is not None:
            return chosen, result
        if np.ptp(result.decision) <= EDGE:
            warn_at_call(
                "the model gives all training rows the same probability, so that no threshold has a type I error near "
                f"alpha={self.alpha:g}: predict calls all rows alike. Use other columns, another kernel or a smaller "
                "lam.",
                NPWarning,
            )
            return chosen, result
        # the model of the interval has other probabilities than the one that chose it
        threshold = exceeded_by(self._probabilities0(X, y, seed, chosen.p_min, chosen.p_max, result), self.alpha)
        return ProbabilityInterval(chosen.p_min, chosen.p_max, threshold), result

    def _probabilities0(self, X, y, seed, p_min, p_max, whole=None):
        """Return the probabilities that class 0 rows get from models of the interval that did not see them.

        The solution `whole` for all rows is near those of the folds, and a start for them: no more, for each has one
        optimum.
        """

        def log_odds(X, y, X_new, alpha=None):
            start = None if whole is None else alpha if self._by_dual() else (whole.coef, whole.intercept)
            result = self._solve_in(X, y, p_min, p_max, start)
            if self.kernel_.name == "linear":
                return np.asarray(X_new @ result.coef).ravel() + result.intercept
            return self.kernel_.matrix(X_new, X) @ result.coef + result.intercept

        pairwise = self.kernel_.name == "precomputed"
        alpha = None if whole is None else whole.alpha
        return expit(out_of_fold(log_odds, X, y, self.n_folds, seed, pairwise=pairwise, values=alpha)[y == 0])

    def _interval_of_costs(self):
        return interval_from_costs(self.cost0, self.cost1, self.factor)

    def _given_interval(self):
        p_min, p_max = float(self.p_min), float(self.p_max)
        return ProbabilityInterval(p_min, p_max, 0.5 if p_min < 0.5 < p_max else (p_min + p_max) / 2)

    def _solve_in(self, X, y, p_min, p_max, start=None):
        settings = {
            "p_min": p_min,
            "p_max": p_max,
            "lam": float(self.lam),
            "start": start,
            "tol": float(self.tol),
            "callback": _reporter(
                type(self).__name__, self.verbose, "largest violation" if self._by_dual() else "objective"
            ),
        }
        if self.max_iter is not None:
            settings["max_iter"] = int(self.max_iter)
        if self._by_dual():
            return solve_sparse_logistic_dual(X, y, kernel=self.kernel_, cache_size=float(self.cache_size), **settings)
        return solve_sparse_logistic_primal(X, y, **settings)

    def _warn_threshold_outside(self, chosen):
        if not chosen.holds_threshold:
            warn_at_call(
                f"the costs make {chosen.threshold:.3g} the threshold, which is not strictly between p_min="
                f"{chosen.p_min:.3g} and p_max={chosen.p_max:.3g}, where probabilities are estimated: predict may be "
                "far from the least cost. Use interval='costs', or p_min and p_max to both sides of the threshold.",
                NPWarning,
            )

    def _keep_result(self, X, y, chosen, result):
        """Set the fitted attributes; those of an earlier fit with another kernel go."""
        self.p_min_, self.p_max_, self.threshold_ = chosen.p_min, chosen.p_max, chosen.threshold
        vars(self).pop("support_vectors_", None)
        self.support_ = np.asarray(result.support)
        weights = dual_weights = None
        if self.lam > 0:
            dual_weights = (np.where(y == 1, 1.0, -1.0) * result.alpha)[self.support_] / float(self.lam)
        if self.kernel_.name == "linear":
            # the weights say it all: a fitted model carries no training rows that it does not need
            weights = np.asarray(X[self.support_].T @ dual_weights).ravel() if self._by_dual() else result.coef
        elif self.kernel_.name != "precomputed":
            self.support_vectors_ = X[self.support_]
        # of the log-odds, from which the score is counted
        self._keep_coefficients(result.intercept, weights=weights, dual_weights=dual_weights)
        self.history_ = history_frame(result.history)
        self.n_iter_ = int(result.n_iter)
        self.converged_ = bool(result.converged)
        self.certificate_ = float(result.certificate)
        self.reason_ = result.reason

    def _read_new(self, X):
        check_is_fitted(self)
        return validate_numbers(self, X, reset=False, dtype=np.float64, accept_sparse=self._sparse_format)

    def _log_odds(self, X):
        return super()._score(X)

    def _score(self, X):
        return self._log_odds(X) - logit(self.threshold_)

    def _constant_of_score(self):
        return self._constant - logit(self.threshold_)


def _reporter(name, verbose, quantity):
    """Return a callback that prints every call (verbose 2) or every tenth (1) on standard error, or None."""
    if not verbose:
        return None
    n_calls = 0

    def report(n_iter, value, *_):
        nonlocal n_calls
        if verbose > 1 or n_calls % 10 == 0:
            sys.stderr.write(f"{name} {n_iter:5d}: {quantity} {value:.10g}\n")
        n_calls += 1

    return report
