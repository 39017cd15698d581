"""How the constrained convex problem is fitted: its level, its balls, its solver, and what is kept of the result.

References
----------
.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint, hal-01160831.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nproc.checks import (
    as_float,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_number,
    is_number,
    refuse_tiny,
)
from nproc.errors import InvalidInputError
from nproc.losses.calibrated import CALIBRATED_LOSSES
from nproc.scorers.coefficients import Coefficients
from nproc.scorers.np_scorer import NPScorer, history_frame
from nproc.solvers.constrained_np import solve_constrained_np
from nproc.solvers.constrained_outcome import ADVICE
from nproc.solvers.constraint_sets import L1Ball, L2Ball, sort_constraints
from nproc.solvers.risk_level import check_half_level, least_mean_loss, theorem_level

NORMS = {"l1": L1Ball, "l2": L2Ball}
THEOREM = ("theorem", "theorem_scaled")
# radius='auto': the most that a row of standardised columns and of typical length scores, beside the intercept
MOST_SCORE = 30.0
MOST_L1 = 10.0


class ConstrainedFitting(Coefficients, NPScorer):
    """The working parts of `nproc.scorers.papers_constrained.ConstrainedNPClassifier`, whose parameters they read."""

    _accepts_sparse = True

    def predict_proba(self, X):
        """Return the probabilities of the labels if class 0 occurred ``multiplier_`` times as often as the other.

        That is the population whose classes the rule weighs alike, so that a row is called 1 where its probability is
        above 1/2. For another population see `posterior`. With groups among the constraints, class 0 stands for a
        mixture of their rows and all of class 0 by their multipliers, which are added.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, p)
            Rows.

        Returns
        -------
        probabilities : ndarray, shape (n, 2)
            In the order of ``classes_``.
        """
        scores = self.decision_function(X)
        loss = CALIBRATED_LOSSES[self.loss]
        return np.column_stack([loss.posterior(-scores), loss.posterior(scores)])

    def posterior(self, X, share0=None):
        """Return the probabilities of the labels in a population with a given share of class 0.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, p)
            Rows.
        share0 : float, optional
            Share of class 0, in (0, 1); by default that of the training rows.

        Returns
        -------
        probabilities : ndarray, shape (n, 2)
            In the order of ``classes_``.

        Raises
        ------
        InvalidInputError
            If the constraint does not bind, so that the rule takes no account of class 0.
        """
        check_is_fitted(self)
        share0 = self._share0 if share0 is None else check_level(share0, "share0")
        # what class 0 weighs against class 1 in the derivative of the Lagrangian
        weight0 = self.multiplier_ + float(np.sum(self.multipliers_.get("groups", 0.0)))
        if weight0 <= 0.0:
            raise InvalidInputError(
                f"the constraint does not bind (multiplier 0), so that tau={self.tau_:.4g} is large enough to call all "
                "rows 1 and the scores say nothing of class 0. Use a smaller tau."
            )
        is_class0 = self.classes_ == self.class0_
        shares = self.predict_proba(X) * np.where(is_class0, share0, weight0 * (1.0 - share0))
        return shares / shares.sum(axis=1, keepdims=True)

    def _fit(self, X, y):
        """Check all parameters, solve, and set the fitted attributes."""
        check_choice(self.loss, "loss", tuple(CALIBRATED_LOSSES))
        loss = CALIBRATED_LOSSES[self.loss]
        check_level(self.alpha, "alpha")
        check_half_level(self.delta)
        check_flag(self.fit_intercept, "fit_intercept")
        check_count(self.verbose, "verbose", minimum=0)
        sort_constraints(self.constraints)
        X, y = self._read_two_classes(X, y)
        balls = self._balls(X)
        self.level_ = None
        if self._by_theorem():
            result = self._solve_with_theorem(X, y, loss, balls[0].radius)
        else:
            self.tau_ = self._own_tau(loss)
            constraints = (*balls, *self.constraints)
            result = self._solve(X, y, loss, fit_intercept=bool(self.fit_intercept), constraints=constraints)
            self._keep_coefficients(result.intercept, weights=result.coef)
        self.radius_ = balls[0].radius if balls else None
        self._keep(result, loss, float(np.mean(y == 0)))

    def _own_tau(self, loss):
        if self.tau is None:
            if loss.at_zero <= 0.0:
                raise InvalidInputError(
                    f"tau must be a number for loss={self.loss!r}: its mean bounds no share of errors, so that none "
                    "follows from alpha. Give tau, or use the logistic or Matsusita loss."
                )
            return float(self.alpha) * loss.at_zero
        good = is_number(self.tau) and np.isfinite(as_float(self.tau, "tau"))
        if not good or self.tau <= loss.infimum:
            rule = "" if np.isinf(loss.infimum) else f" above {loss.infimum:g}, which no mean loss falls below"
            raise InvalidInputError(
                f"tau must be None, 'theorem', 'theorem_scaled' or a finite number{rule}, got {self.tau!r}."
            )
        refuse_tiny(self.tau, "tau")
        return float(self.tau)

    def _by_theorem(self):
        return isinstance(self.tau, str) and self.tau in THEOREM

    def _balls(self, X):
        """Return the ball that the parameters ask for, as a tuple of one or none."""
        if self.feature_bound is not None:
            check_number(self.feature_bound, "feature_bound")
        if self._by_theorem():
            return (self._theorem_ball(X),)
        if self.norm is None:
            if self.radius is not None and not (isinstance(self.radius, str) and self.radius == "auto"):
                raise InvalidInputError(f"radius={self.radius!r} needs norm='l1' or 'l2', got norm=None.")
            return ()
        check_choice(self.norm, "norm", tuple(NORMS))
        if isinstance(self.radius, str):
            if self.radius != "auto":
                raise InvalidInputError(f"radius must be a number above 0 or 'auto', got {self.radius!r}.")
            radius = MOST_SCORE / np.sqrt(X.shape[1]) if self.norm == "l2" else MOST_L1
        else:
            radius = check_number(self.radius, "radius", otherwise="'auto', with a norm")
        return (NORMS[self.norm](float(radius)),)

    def _theorem_ball(self, X):
        """Return the l1 ball of the theorem, and set ``feature_bound_``."""
        if self.norm not in (None, "l1") or len(self.constraints) > 0:
            raise InvalidInputError(
                f"tau={self.tau!r} holds for an l1 ball alone: use norm='l1' (or None) and no other constraints."
            )
        largest = float(abs(X).max())
        box = largest if self.feature_bound is None else float(self.feature_bound)
        if largest > box:
            raise InvalidInputError(f"feature_bound={box:g} is exceeded by an entry of X of size {largest:g}.")
        self.feature_bound_ = box if box > 0 else 1.0
        allowed = 1.0 / self.feature_bound_
        if self.radius is None or isinstance(self.radius, str):
            check_choice(self.radius or "auto", "radius", ("auto",))
            return L1Ball(allowed)
        radius = check_number(self.radius, "radius")
        if radius > allowed * (1.0 + 1e-12):
            raise InvalidInputError(
                f"radius must be at most 1 / feature_bound = {allowed:.6g} with tau={self.tau!r}, so that no score "
                f"exceeds 1, got {radius:g}."
            )
        return L1Ball(radius)

    def _solve_with_theorem(self, X, y, loss, radius):
        """Return the result; set ``level_``, ``tau_`` and the coefficients, the constant in the ball too."""
        box = self.feature_bound_
        if self.fit_intercept:
            # a column as large as the box allows makes the least loss that the ball holds phi(radius box)
            ones = np.full((X.shape[0], 1), box)
            X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
            least = float(loss.value(radius * box))
        else:
            least = least_mean_loss(X[y == 0], loss=loss, radius=radius)
        n0 = int(np.sum(y == 0))
        self.level_ = theorem_level(
            n0,
            y.size - n0,
            X.shape[1],
            alpha=self.alpha,
            delta=self.delta,
            loss=loss,
            least_risk=max(least, 0.0),
            scaled=self.tau == "theorem_scaled",
        )
        self.tau_ = self.level_.tau
        result = self._solve(X, y, loss, fit_intercept=False, constraints=(L1Ball(radius),))
        if self.fit_intercept:
            self._keep_coefficients(result.coef[-1] * box, weights=result.coef[:-1].copy())
        else:
            self._keep_coefficients(0.0, weights=result.coef)
        return result

    def _solve(self, X, y, loss, constraints, **options):
        result = solve_constrained_np(
            X,
            y,
            tau=self.tau_,
            loss=loss,
            constraints=constraints,
            n_inner=self.n_inner,
            step=self.step,
            step_bound=self.step_bound,
            variant=self.variant,
            tol=self.tol,
            max_iter=self.max_iter,
            callback=progress_line(self.verbose) if self.verbose else None,
            **options,
        )
        sets, groups = sort_constraints(constraints)
        if result.reason.startswith(("infeasible", "undecided")):
            raise InvalidInputError(self._out_of_reach(result, sets.bounded, bool(groups)))
        # what there is no constraint for is left out
        kept = {"type1": True, "type2": True, "groups": bool(groups), "l2": sets.l2 is not None}
        kept["l1"] = sets.l1 is not None
        return replace(
            result,
            multipliers={name: value for name, value in result.multipliers.items() if kept[name]},
            risks={name: value for name, value in result.risks.items() if kept[name]},
        )

    def _out_of_reach(self, result, bounded, grouped):
        which = "class 0, or of a group of its rows," if grouped else "class 0"
        ways = ["a larger bound" if grouped else "a larger tau"]
        ways += [] if self.fit_intercept else ["fit_intercept=True"]
        ways += ["a larger radius"] if bounded else []
        way = f"Use {', or '.join(ways)}."
        if result.reason.startswith("undecided"):
            return f"tau={self.tau_:.6g} was not reached ({result.reason}). {way}"
        by = f" by {result.lower_bound:.3g} or more" if result.lower_bound > 0 else ""
        return (
            f"tau={self.tau_:.6g} cannot be reached: with every rule allowed the mean loss of {which} is above its "
            f"bound{by}. {way}"
        )

    def _keep(self, result, loss, share0):
        self.support_ = np.flatnonzero(self._weights)
        self.type1_bound_ = min(1.0, self.tau_ / loss.at_zero) if loss.at_zero > 0 else 1.0
        self.multiplier_, self.multipliers_, self.risks_ = result.multiplier, result.multipliers, result.risks
        self.history_ = history_frame(result.history)
        self.certificate_, self.converged_ = result.certificate, result.converged
        # the solver's advice is in its own terms
        self.reason_ = result.reason.removesuffix(f" {ADVICE}").rstrip(".")
        self.n_iter_, self.variant_ = result.n_iter, result.variant
        self._share0 = share0
        advice = "Use a larger max_iter or tol, or columns on one scale."
        if result.reason.startswith("no minimiser"):
            advice = "Bound the norm of the weights: norm='l2' or 'l1' with a radius, such as 'auto'."
        elif "smaller radius" in result.reason:
            advice = "The columns should be standardised, too."
        self._warn_not_converged(replace(result, reason=f"{self.reason_}."), advice)

    def _score(self, X):
        return X @ self._weights + self._constant


def progress_line(verbose):
    """Return a callback that writes a line on standard error: every iteration, or 1, 2, 5, 10, 20, ... (verbose 1)."""

    def write(n_iter, row):
        if verbose > 1 or str(n_iter).rstrip("0") in ("1", "2", "5"):
            sys.stderr.write(
                f"iteration {n_iter}: mean loss of class 1 {row['risk2']:.6g}, of class 0 {row['risk1']:.6g}, "
                f"type I {row['type1']:.4f}, type II {row['type2']:.4f}\n"
            )

    return write
