"""Linear and kernel rules from the means and covariances of the classes, Gaussian or distribution-free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_choice, check_count, check_number
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows import Table
from nproc.scorers.base import (
    DISTANCES_APART,
    Coefficients,
    NPScorer,
    scale_advice,
    two_rows_each,
    with_parameters,
)
from nproc.scorers.papers.left_out import errors_left_out
from nproc.scorers.scaling import column_units, register_scaled, rows_like_documents
from nproc.solvers import solve_pareto_direction, solve_pareto_kernel
from nproc.solvers.kernels import make_kernel
from nproc.solvers.pareto import TOO_LARGE

BOUNDS = ("gaussian", "chebyshev")
# default ridges, as shares of the mean variance per direction, without a kernel (of standardised columns) and with one
REG = 1e-3
KERNEL_REG = 1.0


@with_parameters
class GaussianNPClassifier(Coefficients, NPScorer):
    r"""The best linear rule for two Gaussian classes at a type I error (GEN), from means and covariances alone.

    Among the rules :math:`\langle w, x \rangle + b > 0`, the one with the least type II error of class models with the
    means and covariances of the training rows, at a type I error of `alpha`:

    .. math:: \min_{w, b} \Phi\left(-\frac{b + w'\mu_1}{\sqrt{w'S_1 w}}\right) \quad\text{subject to}\quad
              \Phi\left(\frac{b + w'\mu_0}{\sqrt{w'S_0 w}}\right) \le \alpha.

    With ``bound="chebyshev"`` the normal distribution gives way to :math:`1 / (1 + u^2)`, the most that any
    distribution with these moments can have beyond u standard deviations: the biased minimax probability machine.
    With a `kernel` the same is done with the means and covariances of the features.

    Parameters
    ----------
    alpha : float
        Level of the type I error of the model, in (0, 1).
    bound : {'gaussian', 'chebyshev'}
        Normal classes, or a bound for all distributions.
    kernel : None, 'linear', 'rbf', 'poly' or callable
        None works with the columns themselves; a callable k(A, B) must be positive semidefinite.
    gamma : 'scale', 'auto' or float
        Scale of rbf and poly: 1 / (p var(X)), 1 / p, or a number above 0. For rbf it is 1 / (2 sigma^2).
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly, at least 0.
    reg : float, optional
        Ridge on both covariances, as a share of the mean variance per direction of the data: half the sum of the
        traces over min(n, p), or over the rank of the kernel matrix. Without a kernel these are the covariances of
        columns divided by their standard deviations over all training rows, so that the ridge of each column is in
        proportion to its own variance. By default 1e-3, and 1 with a kernel, whose n directions the n rows would
        otherwise fit too closely. With 0, singular covariances are an error.
    tol : float
        Relative precision of the one equation that is solved.
    max_iter : int
        Most Newton steps; a handful are needed.
    class0 : label, optional
        The class whose error is bounded; by default the first in sorted order.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p)
        Weights w, without a kernel; larger score = more like ``classes_[1]``, as `decision_function`. The score is in
        class 0 standard deviations beyond the cut.
    dual_coef_ : ndarray, shape (1, r)
        With a kernel: coefficients of the rows in ``support_``, of the same sign.
    support_ : ndarray, shape (r,)
        With a kernel: training rows that span all others, r the rank of the kernel matrix.
    intercept_ : ndarray, shape (1,)
        The constant b, of the same sign.
    weight_ : float
        r in w = (S_0 + r S_1)^{-1} (mu_1 - mu_0).
    type1_, type2_ : float
        Errors of the class models, or their bounds; not those of the training rows.
    multiplier_ : float
        Rate at which ``type2_`` falls as alpha grows.
    history_ : DataFrame
        objective (= type2), type1, type2 and weight at each Newton step.
    certificate_ : float
        Relative residual of the first-order condition.
    converged_, n_iter_ : bool, int
        Whether the equation is solved, and the steps.
    classes_, class0_, n_features_in_
        The labels in sorted order, the bounded one, the number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, singular covariances with reg=0, or a kernel matrix with negative eigenvalues.

    See Also
    --------
    nproc.solvers.solve_pareto_direction : The method.

    Notes
    -----
    Any alpha is covered, also where the best type II error is above 1/2. The Chebyshev bound on it can be 1 in every
    direction; a warning then names the smallest alpha at which it is not. The type I error holds for the model with
    estimated moments, not for the distribution of the data: the umbrella algorithm (`npc`) makes it hold. Where columns
    have outliers or skew, the type I error of the data may be far below alpha and the power as well: transform such
    columns first. `fit` warns where the training rows show it. It then trains four more models, each without a quarter
    of the rows, and warns where these rows show no power or a type I error above alpha. With a kernel and more than
    5,000 rows it divides a random sample of 5,000 of them instead, and looks at the power alone.
    Without a kernel the units of the columns do not matter. Only rows like documents by tf-idf, whose columns have one
    unit, are taken as they are. With a kernel the columns should be on one scale: the method name 'gen' sees to that.
    Cost: O(n p^2 + p^3); with a kernel O(n^3) time, about five n by n matrices in memory, and a score costs O(r). With
    the models of the check it takes up to four times as long.

    References
    ----------
    [kim2006]_ (Gaussian), [huang2006]_ (Chebyshev), section 2.1 of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.generative import GaussianNPClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> X = rng.normal(size=(1000, 2)) + np.outer(y, [2.0, 2.0])
    >>> model = GaussianNPClassifier(alpha=0.1).fit(X, y)
    >>> print(round(model.type2_, 3), model.predict([[0.0, 0.0], [2.0, 2.0]]))
    0.052 [0 1]
    """

    alpha: float = 0.05
    _: KW_ONLY
    bound: str = "gaussian"
    kernel: str | Callable | None = None
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    reg: float | None = None
    tol: float = 1e-9
    max_iter: int = 100
    class0: object = None

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Find the direction for the moments of the classes; return self."""
        check_choice(self.bound, "bound", BOUNDS)
        usual = REG if self.kernel is None else KERNEL_REG
        options = {
            "bound": self.bound,
            "reg": usual if self.reg is None else check_number(self.reg, "reg", zero=True),
            "tol": check_number(self.tol, "tol"),
            "max_iter": check_count(self.max_iter, "max_iter"),
        }
        X, y = self._read_two_classes(X, y)
        needs = "GaussianNPClassifier needs at least 2 rows of each class for a covariance"
        n0, _ = two_rows_each(y, needs, " rows of class 0 and of class 1")
        # the constraint is on the model's error, and no training error is counted
        options["alpha"] = self._check_alpha(
            int(n0), "the data cannot show whether the model of class 0 fits so far in the tail", "such rows"
        )
        if self.kernel is None:
            units = _units_of(X)
            known = X / units
            result = solve_pareto_direction(known, y, **options)
            self.__dict__.pop("support_", None)
            self._keep_coefficients(result.intercept, weights=result.coef / units)
        else:
            self._kernel = self._chosen_kernel(X)
            known = self._kernel.matrix(X, X)
            result = solve_pareto_kernel(known, y, **options)
            self._keep_coefficients(result.intercept, dual_weights=result.coef)
            self.support_, self._support_rows = result.support, X[result.support]
        self.weight_, self.multiplier_ = result.weight, result.multiplier
        self.type1_, self.type2_ = result.type1, result.type2
        self._keep_run(result, "Use a larger max_iter or tol, or columns in which the class means differ.")
        if result.trivial and result.converged:
            warn_at_call(
                f"alpha={result.type1:g} is too small for the Chebyshev bound: the bound on the type II error is 1 in "
                f"every direction. It is below 1 only for alpha above {result.least_alpha:.3g}. The direction found is "
                "the best one for this larger alpha. Use a larger alpha, or bound='gaussian'.",
                NPWarning,
            )
        if self._labels_matter():
            self._tell_of_labels(X, y, known, options, judged=self.converged_ and not result.trivial)
        return self

    def _tell_of_labels(self, X, y, known, options, *, judged):
        """Warn of labels of no use or above alpha, on rows left out as well, or else of scales and of few rows.

        `known` are the rows in the units of the solver, or with a kernel their products.
        """
        advice = "Columns with outliers or skew are not as the class models have them: transform these columns."
        n_rows, n_columns = int(np.bincount(y.astype(int)).min()), X.shape[1]
        crowded = self.kernel is None and n_columns >= n_rows
        if crowded:
            advice = f"{n_columns} columns are too many for {n_rows} rows of a class. Use fewer columns, or more rows."
        errors = self._training_errors(X, y)
        if judged:
            new = self._errors_by_folds(known, y, options)
            looked_at = [errors] if new is None else [errors, new]
            more = advice if crowded else f"Use fewer columns or more class 0 rows. {advice}"
            scale = "" if self.kernel is None else scale_advice(X)
            if self._tell_of_use(advice, more, *looked_at, scale=scale):
                return
            if self.kernel is not None:
                # one ridge for all features hides those of small columns
                self._tell_of_scale(X, DISTANCES_APART)
        # a kernel has more features than there are columns
        what = "how columns vary together" if self.kernel is None else "how features of its kernel vary together"
        self._warn_of_few_rows(errors, X.shape[1], what, "column", f"{advice} ")

    def _errors_by_folds(self, known, y, options):
        """Return the errors of rows, each scored by a rule from the moments of the other quarters, or None.

        Which rows make up a quarter is fixed, and decides on a warning alone.
        """

        def scores_without(training, left_out):
            try:
                if self.kernel is None:
                    result = solve_pareto_direction(known[training], y[training], **options)
                    return known[left_out] @ result.coef + result.intercept
                result = solve_pareto_kernel(known[np.ix_(training, training)], y[training], **options)
            except InvalidInputError:
                # fewer rows have singular covariances
                return np.full(left_out.size, np.nan)
            return known[np.ix_(left_out, training[result.support])] @ result.coef + result.intercept

        # moments take little time, with any number of rows
        return errors_left_out(scores_without, y, np.random.default_rng(0), any_number=self.kernel is None)

    def _chosen_kernel(self, X):
        if not callable(self.kernel):
            check_choice(self.kernel, "kernel", ("linear", "rbf", "poly"))
        gamma = self.gamma
        if isinstance(gamma, str):
            check_choice(gamma, "gamma", ("scale", "auto"))
            with np.errstate(over="ignore", invalid="ignore"):
                variance = X.var() if gamma == "scale" else 1.0
            if not np.isfinite(variance):
                raise InvalidInputError(TOO_LARGE)
            gamma = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        coef0 = check_number(self.coef0, "coef0", zero=True)
        return make_kernel(self.kernel, gamma=gamma, degree=self.degree, coef0=coef0)

    def _score(self, X):
        if self._weights is not None:
            return X @ self._weights + self._constant
        return self._kernel.matrix(X, self._support_rows) @ self._dual_weights + self._constant


def _units_of(X):
    """Return the number to divide each column by, so that the ridge is a share of its own variance."""
    if rows_like_documents(X):
        return np.ones(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        units = column_units(X, X.mean(axis=0))
    if not np.isfinite(units).all():
        raise InvalidInputError(TOO_LARGE)
    return units


gen = register_scaled("gen", GaussianNPClassifier, omit=("tol", "max_iter"), follows_alpha=True)
