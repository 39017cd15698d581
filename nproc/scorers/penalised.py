"""L1-penalised scores: logistic regression and sparse linear discriminant analysis."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nproc.checks import check_choice, check_count, check_seed
from nproc.errors import InvalidInputError, NotConvergedWarning
from nproc.scorers.binary import BinaryScorer
from nproc.scorers.l1_choice import FINAL_TOL, choose_penalty, stratified_folds
from nproc.scorers.l1_path import logistic_loss, squared_loss
from nproc.scorers.registry import register
from nproc.warning_place import warn_at_call

# glmnet keeps left-out probabilities this far from 0 and 1, so that one row cannot rule the deviance
LEAST_PROBABILITY = 1e-5


class _L1Scorer(BinaryScorer):
    _accepts_sparse = True

    def __init__(self, rule="min", n_lambdas=100, n_folds=10, random_state=None):
        self.rule = rule
        self.n_lambdas = n_lambdas
        self.n_folds = n_folds
        self.random_state = random_state

    def _choose(self, X, codes, response, loss, left_out_loss):
        """Set ``coef_`` and ``intercept_`` in the units of X, and what the choice of the penalty showed."""
        check_choice(self.rule, "rule", ("1se", "min"))
        n_lams = check_count(self.n_lambdas, "n_lambdas", minimum=2)
        n_folds = check_count(self.n_folds, "n_folds", minimum=2)
        smallest = int(min((codes == 0).sum(), (codes == 1).sum()))
        if smallest < 2:
            raise InvalidInputError(
                f"{type(self).__name__} needs at least 2 rows of each class for its cross-validation, got {smallest}."
            )
        rng = np.random.default_rng(check_seed(self.random_state))
        # every fold must leave out, and keep, a row of each class
        fold = stratified_folds(codes, min(n_folds, smallest), rng)
        standard, centre, scale = standardised(X)
        choice = choose_penalty(standard, response, fold, loss, left_out_loss, n_lams=n_lams, rule=self.rule)
        self.coef_ = choice.fit.coef / scale
        self.intercept_ = choice.fit.intercept - float(self.coef_ @ centre)
        self.lambda_ = choice.fit.lam
        self.lambdas_ = choice.lams
        self.cv_losses_ = choice.losses
        self.cv_standard_errors_ = choice.standard_errors
        self.converged_ = choice.fit.violation <= FINAL_TOL
        if not self.converged_:
            warn_at_call(
                f"{type(self).__name__} did not converge at lambda={self.lambda_:.3g}: the optimality "
                f"conditions are violated by {choice.fit.violation:.1e} of the largest lambda. "
                "Use a larger lambda (rule='1se').",
                NotConvergedWarning,
            )

    def _score(self, X):
        return X @ self.coef_ + self.intercept_


class L1LogisticCV(_L1Scorer):
    r"""Logistic regression with an L1 penalty chosen by cross-validation, as cv.glmnet.

    Minimises :math:`-\ell(b_0, b) / n + \lambda \|b\|_1` on standardised columns; the coefficients are given
    back in the units of X. The score is the linear predictor.

    Parameters
    ----------
    rule : {'1se', 'min'}
        The penalty with the least left-out deviance ('min'), or the largest within one standard error of it.
    n_lambdas : int
        Length of the path of penalties.
    n_folds : int
        Number of (stratified) folds, fewer if a class has fewer rows.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray, shape (p,)
        Coefficients.
    intercept_ : float
        Intercept.
    lambda_ : float
        Penalty chosen, on standardised columns (glmnet's scale).
    lambdas_, cv_losses_, cv_standard_errors_ : ndarray, shape (m,)
        Penalties tried, their mean left-out deviance and its standard error.
    converged_ : bool
        Whether the chosen model satisfies the optimality conditions.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    If the rule chooses the model without any column, which would score all rows alike, the first one of
    the path that has a column is taken. The path is left when the deviance no longer falls.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.penalised import L1LogisticCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    >>> model = L1LogisticCV(random_state=1).fit(X, y)
    >>> np.flatnonzero(model.coef_)[0]
    np.int64(0)
    """

    def fit(self, X, y):
        """Return self after choosing the penalty and fitting all rows with it."""
        X, codes = self._read_training(X, y)
        self._choose(X, codes, codes, logistic_loss, _deviance)
        return self


class SparseLDA(_L1Scorer):
    r"""Sparse linear discriminant analysis: the lasso on a recoded response (Mai, Zou and Yuan 2012).

    With y recoded as :math:`-n / n_0` for class 0 and :math:`n / n_1` for class 1, least squares gives the
    direction of linear discriminant analysis up to a positive factor; the lasso gives a sparse one. The
    score is ``b0 + x'b`` with the intercept of their Proposition 2, so that zero is the optimal cut.

    Parameters
    ----------
    rule : {'1se', 'min'}
        The penalty with the least left-out squared error ('min'), or the largest within one standard error.
    n_lambdas : int
        Length of the path of penalties.
    n_folds : int
        Number of (stratified) folds, fewer if a class has fewer rows.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray, shape (p,)
        Coefficients.
    intercept_ : float
        Intercept.
    lambda_ : float
        Penalty chosen, on standardised columns (glmnet's scale).
    lambdas_, cv_losses_, cv_standard_errors_ : ndarray, shape (m,)
        Penalties tried, their mean left-out squared error and its standard error.
    converged_ : bool
        Whether the chosen model satisfies the optimality conditions.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    As for `L1LogisticCV`, a model without any column is never chosen.

    References
    ----------
    Mai, Zou and Yuan (2012), A direct approach to sparse discriminant analysis in ultra-high dimensions,
    Biometrika 99, equation (5).

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.penalised import SparseLDA
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 5)) + np.outer(y, [2, 0, 0, 0, 0])
    >>> model = SparseLDA(random_state=1).fit(X, y)
    >>> np.flatnonzero(model.coef_)[0]
    np.int64(0)
    """

    def fit(self, X, y):
        """Return self after choosing the penalty and fitting all rows with it."""
        X, codes = self._read_training(X, y)
        n, n1 = codes.size, codes.sum()
        self._choose(X, codes, np.where(codes == 1, n / n1, -n / (n - n1)), squared_loss, _squared_error)
        self.intercept_ = self._optimal_intercept(X @ self.coef_, codes)
        return self

    def _optimal_intercept(self, projection, codes):
        zero, one = projection[codes == 0], projection[codes == 1]
        gap = one.mean() - zero.mean()
        within = (zero.size * zero.var() + one.size * one.var()) / (codes.size - 2)
        return float(-(zero.mean() + one.mean()) / 2 + within / gap * np.log(one.size / zero.size))


def standardised(X):
    """Return `X` with columns of unit standard deviation, and the centre and scale used.

    A dense X is centred and stored by columns; a sparse one is not centred, which the free intercept makes
    good. Constant columns become zero.
    """
    if not sparse.issparse(X):
        centre, scale = X.mean(axis=0), X.std(axis=0)
        constant = scale <= 1e-12 * np.abs(centre)
        scale[constant] = 1.0
        standard = np.asfortranarray((X - centre) / scale)
        standard[:, constant] = 0.0
        return standard, centre, scale
    columns = sparse.csc_array(X)
    mean = np.asarray(columns.mean(axis=0)).ravel()
    square = np.asarray((columns * columns).mean(axis=0)).ravel()
    variance = np.maximum(square - mean**2, 0.0)
    constant = variance <= 1e-14 * square
    scale = np.where(constant, 1.0, np.sqrt(variance))
    factors = np.where(constant, 0.0, 1.0 / scale)
    return sparse.csc_array(columns @ sparse.diags_array(factors)), np.zeros(mean.size), scale


def _deviance(linear, y):
    limit = np.log(1.0 / LEAST_PROBABILITY - 1.0)
    linear = np.clip(linear, -limit, limit)
    return 2.0 * (np.logaddexp(0.0, linear) - y * linear)


def _squared_error(linear, y):
    return (y - linear) ** 2


@register("penlog", r_name="penlog", sparse=True)
def penlog(*, rule="min", n_lambdas=100, n_folds=10, random_state=None):
    """Return L1-penalised logistic regression with the penalty by cross-validation.

    R: method "penlog" (glmnet::cv.glmnet, binomial deviance, 10 folds) with the same path and defaults: the
    coefficients that R's scores reveal are those of the penalty with the least deviance. R's folds are not stratified.

    Parameters
    ----------
    rule : {'1se', 'min'}
        Largest penalty within one standard error of the least deviance, or the one with the least
        (glmnet: s = "lambda.1se" or "lambda.min").
    n_lambdas : int
        Length of the path (glmnet: nlambda).
    n_folds : int
        Number of folds (glmnet: nfolds).
    random_state : int, optional
        Seed of the folds.

    Returns
    -------
    estimator : L1LogisticCV

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("penlog", rule="1se")
    L1LogisticCV(rule='1se')
    """
    return L1LogisticCV(rule=rule, n_lambdas=n_lambdas, n_folds=n_folds, random_state=random_state)


@register("slda", r_name="slda", sparse=True)
def slda(*, rule="min", n_lambdas=100, n_folds=10, random_state=None):
    """Return sparse linear discriminant analysis with the penalty by cross-validation.

    R: method "slda" (the lasso of glmnet::cv.glmnet on the recoded response) with the same path, number of folds and
    least squared error as the criterion. R's folds are not stratified.

    Parameters
    ----------
    rule : {'1se', 'min'}
        Largest penalty within one standard error of the least squared error, or the one with the least.
    n_lambdas : int
        Length of the path.
    n_folds : int
        Number of folds.
    random_state : int, optional
        Seed of the folds.

    Returns
    -------
    estimator : SparseLDA

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("slda", rule="1se")
    SparseLDA(rule='1se')
    """
    return SparseLDA(rule=rule, n_lambdas=n_lambdas, n_folds=n_folds, random_state=random_state)
