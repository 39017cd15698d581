"""A linear rule with the least surrogate risk of one class at a bounded surrogate risk of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nproc.checks import (
    as_float,
    check_choice,
    check_flag,
    check_level,
    check_number,
    is_number,
    refuse_tiny,
)
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.losses import CALIBRATED_LOSSES
from nproc.rows import Table
from nproc.scorers.base import Coefficients, NPScorer, with_parameters
from nproc.scorers.scaling import register_scaled
from nproc.solvers import solve_constrained_np
from nproc.solvers.constrained.certificate import ADVICE
from nproc.solvers.constrained.problem import L1Ball, L2Ball, sort_constraints
from nproc.solvers.constrained.risk_level import check_half_level, least_mean_loss, theorem_level

NORMS = {"l1": L1Ball, "l2": L2Ball}
THEOREM = ("theorem", "theorem_scaled")
# radius='auto': the most that a row of standardised columns and of typical length scores, beside the intercept
MOST_SCORE = 30.0
MOST_L1 = 10.0


def iteration_line(n_iter, row):
    """Return what is told of an iteration."""
    return (
        f"iteration {n_iter}: mean loss of class 1 {row['risk2']:.6g}, of class 0 {row['risk1']:.6g}, type I "
        f"{row['type1']:.4f}, type II {row['type2']:.4f}"
    )


@with_parameters
class ConstrainedNPClassifier(Coefficients, NPScorer):
    r"""The linear rule with the least mean loss of class 1 at a mean loss of class 0 of at most tau.

    For :math:`f(x) = \langle w, x \rangle + b` and a smooth convex loss :math:`\phi`,

    .. math:: \min_{w, b} \frac{1}{n_1} \sum_{y_i = 1} \phi(f(x_i)) \quad\text{subject to}\quad
              \frac{1}{n_0} \sum_{y_i = 0} \phi(-f(x_i)) \le \tau.

    A row is called 1 where f is above 0. The problem is convex, so that no trade-off between the classes has to be
    searched: the multiplier of the constraint comes out with the solution. The calibrated hinge is below 0 for large
    margins, and so may be its mean losses.

    Parameters
    ----------
    alpha : float
        Level of the type I error that `tau` is derived from, in (0, 1); without a meaning if tau is a number.
    tau : float, 'theorem' or 'theorem_scaled', optional
        Bound on the mean loss of class 0. By default ``alpha * phi(0)``, which makes at most a share `alpha` of the
        class 0 training rows score above 0 (logistic loss: 0.69 alpha). ``tau=alpha`` is what the paper's experiments
        use. With a number `fit` compares no type I error with alpha, and many rows may score above 0. 'theorem' is the
        level of Theorem 2.3, alpha - gamma / sqrt(n0), for new rows: the expected loss of class 0 is then at most
        alpha, and with 'theorem_scaled' the type I error is, with probability 1 - 2 delta.
    delta : float
        Of the theorem, in (0, 1/2); without a meaning otherwise.
    loss : {'logistic', 'calibrated_hinge', 'matsusita'}
        The loss phi. The calibrated hinge bounds no type I error, whatever tau is, and so needs a number.
    fit_intercept : bool
        Whether there is a constant b. No ball holds it, except the theorem's, where it is one more feature.
    norm : None, 'l1' or 'l2'
        Norm of w that is at most `radius`.
    radius : float or 'auto', optional
        Radius of that ball, above 0; needed with a norm, and None or 'auto' without one, where neither says anything.
        'auto' is meant for standardised columns: 30 / sqrt(p) in
        the l2 norm, so that a row of typical length scores at most 30 beside the intercept, and 10 in the l1 norm.
        With tau='theorem', None and 'auto' are the largest radius that the theorem allows.
    feature_bound : float, optional
        A number that no entry of X exceeds in absolute value, in new rows too; used by the theorem alone. By default
        the largest of the training rows, an estimate.
    constraints : sequence of object
        Further constraints (`nproc.solvers.constrained.problem`): signs, other balls, the risks of groups of rows.
    variant : {'auto', 'interior_point', 'projected_gradient', 'accelerated'}
        Method: 'projected_gradient' is the paper's (37); 'auto' takes Newton steps on a barrier function for up to
        3000 columns and the accelerated gradient beyond. On columns of one scale all find the same optimum; on others
        gradient steps may run out long before it.
    step : float
        Step of the gradient in units of beta, between 0 and 2 ('accelerated' and 'auto': at most 1); without a meaning
        for Newton steps.
    step_bound : {'trace', 'spectral'}
        What 1 / beta is: (22), or the largest eigenvalue in place of the trace, which is smaller and steps longer.
    tol : float
        Certificate that counts as converged.
    max_iter : int, optional
        Most iterations; by default 200 Newton steps or 10 000 gradient steps.
    class0 : label, optional
        The class whose risk is bounded; by default the first label in sorted order.
    verbose : int
        Above 0: a line on standard error every `verbose` iterations.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p)
        Weights w; larger score = more like ``classes_[1]``, as `decision_function`.
    intercept_ : ndarray, shape (1,)
        The constant b, of the same sign.
    support_ : ndarray of int
        Columns with a weight other than 0.
    tau_ : float
        The bound used.
    type1_bound_ : float
        ``tau_ / phi(0)`` or 1: at most this share of the class 0 training rows scores above 0.
    radius_ : float or None
        Radius of the ball, if there is one.
    level_ : RiskLevel or None
        What Theorem 2.3 promises, if it set tau: see `nproc.solvers.constrained.risk_level.RiskLevel`.
    multiplier_ : float
        Multiplier of the constraint: mean loss of class 1 paid for a unit of tau.
    multipliers_ : dict
        The same as ``type1``, and those of the other constraints, as far as there are any: ``groups`` (ndarray), ``l2``
        and ``l1``.
    risks_ : dict
        Mean losses of the training rows: ``type1`` and ``type2``, and ``groups`` where there are any.
    history_ : DataFrame
        A row an iteration: objective and risk2 (mean loss of class 1), risk1 (mean loss of class 0), type1 and type2
        (shares of wrongly called rows), certificate (of every Newton step or of every tenth gradient step, else NaN;
        in the last row ``certificate_``).
    certificate_ : float
        0 at the optimum: see `nproc.solvers.solve_constrained_np`.
    converged_ : bool
        Whether the certificate is at most `tol`.
    reason_ : str
        Why the solver stopped.
    n_iter_ : int
        Iterations.
    classes_, class0_, n_features_in_
        The labels in sorted order, the bounded one, the number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, or if no rule meets the constraint.
    TooFewSamplesError
        If the theorem needs more class 0 rows.

    See Also
    --------
    nproc.npc : The umbrella algorithm, which bounds the type I error of new rows for any scores.

    Notes
    -----
    Ways to a level. The default bounds the error of the training rows. Of new rows it says nothing, in either
    direction. With many rows of classes that overlap it is far stricter than alpha, since a mean loss is well above the
    share of errors: 80,000 rows of two normal classes 1.1 standard deviations apart have, with alpha = 0.05, a type I
    error of 0.0002 and a type II error of 0.99, where 0.71 is possible. With more columns than class 0 rows it is far
    looser, since the rule fits the training rows too well: 100 class 0 rows of `rna_seq` and 200 genes (alpha = 0.1,
    'auto' l2 ball) have 0.14 on new rows, and leukemia (36 training rows) 0.4. 'theorem' and 'theorem_scaled' hold for
    new rows, but |f| is at most 1, so that no logistic risk is below 0.313: they need large alpha and hundreds of
    thousands of rows. `nproc.npc` with method "constrained" puts the cut at an order statistic of left-out scores: a
    promise for new rows at any alpha, and not stricter than it must be.

    If the classes can be separated by a line and nothing bounds w, there is no minimiser: the mean loss of class 1
    falls to 0 as w grows. The solver finds that out and says so; bound the norm.

    The calibrated loss makes :math:`f = \phi' + 1` a probability, but of which population? At the optimum the
    derivative of the Lagrangian vanishes: where class c has the density :math:`p_c`,
    :math:`p_1 \phi'(h) = \lambda p_0 \phi'(-h)`, so that :math:`f(h) = p_1 / (p_1 + \lambda p_0)`. `predict_proba` is
    this: the probability of class 1 if the classes occurred in the proportion of :math:`\lambda` (class 0) to 1,
    which calls a row 1 where it is above 1/2. `posterior` turns it into that at other proportions. Both are right as
    far as a line can fit, and a ball shrinks them towards 1/2.

    References
    ----------
    Problem (29), algorithm (37), Theorem 2.3 and equation (19) of [barlaud2015]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.constrained import ConstrainedNPClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + 1.5 * y[:, None]
    >>> model = ConstrainedNPClassifier(alpha=0.1).fit(X, y)
    >>> print(f"{model.tau_:.4f} {np.mean(model.predict(X[y == 0]) == 1):.3f}")
    0.0693 0.015
    """

    alpha: float = 0.05
    _: KW_ONLY
    tau: str | float | None = None
    delta: float = 0.05
    loss: str = "logistic"
    fit_intercept: bool = True
    norm: str | None = None
    radius: str | float | None = None
    feature_bound: float | None = None
    constraints: Sequence = ()
    variant: str = "auto"
    step: float = 1.0
    step_bound: str = "trace"
    tol: float = 1e-6
    max_iter: int | None = None
    class0: object = None
    verbose: int = 0

    _accepts_sparse = True

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Solve the problem for `X`, shape (n, p), and two labels `y`, shape (n,); return self."""
        loss = CALIBRATED_LOSSES[check_choice(self.loss, "loss", tuple(CALIBRATED_LOSSES))]
        check_level(self.alpha, "alpha")
        check_half_level(self.delta)
        check_flag(self.fit_intercept, "fit_intercept")
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
        self._share0 = float(np.mean(y == 0))
        self._keep(result, loss)
        if self.converged_ and self._labels_matter():
            self._tell_power(X, y)
        return self

    def _tell_power(self, X, y):
        """Warn of a rule of little use; where tau is given only if it calls no row class 1, as tau is no alpha."""
        advice = f"The mean loss bounds the type I error from far above. Use a larger tau than {self.tau_:.3g}."
        if self.tau is None:
            advice += " With a number for tau alpha has no effect, so look at the type I error."
        if self._by_theorem():
            advice = f"The theorem asks for a mean loss of at most {self.tau_:.3g}, far below alpha. Use tau=None."
        if self.tau is None or isinstance(self.tau, str):
            errors, n_weights = self._training_errors(X, y), self.support_.size
            if self.tau is None:
                self._warn_of_few_rows(errors, n_weights, f"{n_weights} weights", "weight")
            self._tell_of_use(advice, f"Use a smaller tau than {self.tau_:.3g}.", errors)
        elif not np.any(self._score(X) > 0):
            warn_at_call(
                f"ConstrainedNPClassifier calls no training row class 1, so predict is of no use. {advice} Give alpha "
                "instead of tau to state the type I error. To set a threshold on the scores, use npc.",
                NPWarning,
            )

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        """Estimate the probabilities of the labels if class 0 occurred ``multiplier_`` times as often as the other.

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

    def posterior(self, X: Table, share0: float | None = None) -> NDArray[np.float64]:
        """Estimate the probabilities of the labels in a population with a given share of class 0.

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
                f"the constraint does not bind (multiplier 0), so tau={self.tau_:.4g} allows all rows to be called "
                "class 1, and the scores do not separate class 0. Use a smaller tau."
            )
        is_class0 = self.classes_ == self.class0_
        shares = self.predict_proba(X) * np.where(is_class0, share0, weight0 * (1.0 - share0))
        return shares / shares.sum(axis=1, keepdims=True)

    def _own_tau(self, loss):
        if self.tau is None:
            if loss.at_zero <= 0.0:
                raise InvalidInputError(
                    f"tau must be a number for loss={self.loss!r}: the mean of this loss does not bound a share of "
                    "errors, so tau cannot be computed from alpha. Give tau, or use the logistic or Matsusita "
                    "loss."
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
            return (L1Ball(self._theorem_radius(X)),)
        if self.norm is None:
            if self.radius is not None and not (isinstance(self.radius, str) and self.radius == "auto"):
                raise InvalidInputError(f"radius={self.radius!r} needs norm='l1' or 'l2', got norm=None.")
            return ()
        ball = NORMS[check_choice(self.norm, "norm", tuple(NORMS))]
        if not isinstance(self.radius, str):
            return (ball(check_number(self.radius, "radius", otherwise="'auto', with a norm")),)
        if self.radius != "auto":
            raise InvalidInputError(f"radius must be a number above 0 or 'auto', got {self.radius!r}.")
        radius = MOST_SCORE / np.sqrt(X.shape[1]) if self.norm == "l2" else MOST_L1
        return (ball(float(radius)),)

    def _theorem_radius(self, X):
        """Return the radius of the l1 ball of the theorem, and set ``feature_bound_``."""
        if self.norm not in (None, "l1") or len(self.constraints) > 0:
            raise InvalidInputError(
                f"tau={self.tau!r} requires an l1 ball and no other constraint: use norm='l1' (or None)."
            )
        largest = float(abs(X).max())
        box = largest if self.feature_bound is None else float(self.feature_bound)
        if largest > box:
            raise InvalidInputError(f"feature_bound={box:g} is exceeded by an entry of X of size {largest:g}.")
        self.feature_bound_ = box if box > 0 else 1.0
        allowed = 1.0 / self.feature_bound_
        if self.radius is None or isinstance(self.radius, str):
            check_choice(self.radius or "auto", "radius", ("auto",))
            return allowed
        radius = check_number(self.radius, "radius")
        if radius > allowed * (1.0 + 1e-12):
            raise InvalidInputError(
                f"radius must be at most 1 / feature_bound = {allowed:.6g} with tau={self.tau!r}, so that no score "
                f"exceeds 1, got {radius:g}."
            )
        return radius

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
        for name in ("step", "step_bound", "variant", "tol", "max_iter"):
            options[name] = getattr(self, name)
        result = solve_constrained_np(
            X, y, tau=self.tau_, loss=loss, constraints=constraints, callback=self._progress(iteration_line), **options
        )
        sets, groups = sort_constraints(constraints)
        if result.reason.startswith(("infeasible", "undecided")):
            raise InvalidInputError(self._out_of_reach(result, sets.bounded, bool(groups)))
        # what there is no constraint for is left out
        there = {"groups": bool(groups), "l2": sets.l2 is not None, "l1": sets.l1 is not None}
        self.multipliers_, self.risks_ = (
            {name: value for name, value in found.items() if there.get(name, True)}
            for found in (result.multipliers, result.risks)
        )
        return result

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
            f"tau={self.tau_:.6g} cannot be reached: for every allowed rule the mean loss of {which} is above its "
            f"bound{by}. {way}"
        )

    def _keep(self, result, loss):
        self.support_ = np.flatnonzero(self._weights)
        self.type1_bound_ = min(1.0, self.tau_ / loss.at_zero) if loss.at_zero > 0 else 1.0
        self.multiplier_ = result.multiplier
        # the solver's advice is in its own terms
        self.reason_ = result.reason.removesuffix(f" {ADVICE}").rstrip(".")
        self.variant_ = result.variant
        advice = "Use a larger max_iter or tol, or columns on one scale."
        if result.reason.startswith("no minimiser"):
            advice = "Bound the norm of the weights: norm='l2' or norm='l1' with a radius, such as 'auto'."
        elif "smaller radius" in result.reason:
            advice = "The columns should be standardised, too."
        self._keep_run(replace(result, reason=f"{self.reason_}."), advice)


constrained = register_scaled(
    "constrained",
    ConstrainedNPClassifier,
    omit=("verbose", "delta", "fit_intercept", "feature_bound", "constraints", "step", "step_bound"),
    changed={"norm": "l2", "radius": "auto"},
    sparse=True,
    follows_alpha=True,
)
