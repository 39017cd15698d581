"""L1-penalised scores: logistic regression and sparse linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

from nproc.checks import check_choice, check_count, check_seed
from nproc.errors import InvalidInputError, NotConvergedWarning, warn_at_call
from nproc.scorers.base import BinaryScorer, LogOddsScorer, two_rows_each, with_parameters
from nproc.scorers.scaling import register_estimator, rows_like_documents

# share of the null deviance explained beyond which a path stops; glmnet's fdev is 0.001
PERFECT_SHARE = 0.999


@dataclass(frozen=True)
class L1Fit:
    """The fit at one penalty.

    Attributes
    ----------
    lam : float
        Penalty.
    intercept : float
        Intercept.
    coef : ndarray, shape (p,)
        Coefficients.
    violation : float
        Certificate: the largest violation of the optimality conditions, divided by the first penalty of the
        path; zero at the optimum.
    """

    lam: float
    intercept: float
    coef: np.ndarray
    violation: float


def squared_loss(linear, y):
    """Return mean loss, residual and curvature of half the squared error."""
    residual = linear - y
    return 0.5 * np.mean(residual**2), residual, np.ones_like(residual)


def logistic_loss(linear, y):
    """Return mean loss, residual and curvature of the logistic loss (half the deviance)."""
    probability = expit(linear)
    value = np.mean(np.logaddexp(0.0, linear) - y * linear)
    return value, probability - y, probability * (1.0 - probability)


def largest_penalty(X, y):
    """Return the smallest penalty at which all coefficients are zero, for either loss."""
    return float(np.abs(X.T @ (y - y.mean())).max() / y.size)


def walk_path(X, y, lams, loss, *, tol=1e-6, max_iter=50):
    r"""Yield the minimum of ``mean loss(b0 + X b) + lam * ||b||_1`` for each penalty in turn.

    Two-metric projected Newton (Gafni and Bertsekas 1984): a Newton step on the intercept, the nonzero
    coefficients and those zero ones whose gradient exceeds the penalty, projected onto the orthant of their
    signs, with backtracking. Each penalty starts from the solution of the one before.

    Parameters
    ----------
    X : ndarray or CSC array, shape (n, p)
        Columns of similar scale, not necessarily centred; already checked.
    y : ndarray, shape (n,)
        Response (0 or 1 for the logistic loss).
    lams : ndarray, shape (m,)
        Penalties, decreasing.
    loss : callable
        `squared_loss` or `logistic_loss`.
    tol : float
        Largest violation of the optimality conditions, as a share of ``lams[0]``.
    max_iter : int
        Most Newton steps for each penalty.

    Yields
    ------
    fit : L1Fit
        Once the fit is nearly perfect the last one is repeated (with its own penalty), as glmnet does.
    """
    centre, coef = y.mean(), np.zeros(X.shape[1])
    intercept = float(np.log(centre / (1.0 - centre))) if loss is logistic_loss else float(centre)
    null = loss(np.full(y.size, intercept), y)[0]
    fit, perfect = None, False
    for lam in lams:
        if not perfect:
            intercept, coef, value, violation = _minimise(X, y, lam, loss, intercept, coef, tol * lams[0], max_iter)
            fit = L1Fit(float(lam), float(intercept), coef, float(violation / lams[0]))
            perfect = 1.0 - value / null > PERFECT_SHARE
        yield fit


def _minimise(X, y, lam, loss, intercept, coef, tol, max_iter):
    n = y.size
    linear = intercept + X @ coef
    value, residual, curvature = loss(linear, y)
    for iteration in range(max_iter + 1):
        gradient = X.T @ residual / n
        sign = np.where(coef != 0, np.sign(coef), -np.sign(gradient))
        excess = np.where(coef != 0, np.abs(gradient + lam * sign), np.abs(gradient) - lam)
        violation = max(excess.max(initial=0.0), abs(residual.mean()))
        if violation <= tol or iteration == max_iter:
            break
        free = np.flatnonzero((coef != 0) | (excess > 0))
        n_active = np.count_nonzero(coef)
        if free.size > 2 * n_active + 20:
            # far from the solution most of the columns let in at once would be thrown out again
            entering = free[coef[free] == 0]
            order = np.argsort(-excess[entering])[: n_active + 20]
            free = np.sort(np.concatenate([np.flatnonzero(coef), entering[order]]))
        columns = X[:, free].toarray() if sparse.issparse(X) else X[:, free]
        step0, step = _newton_step(columns, residual, curvature, gradient[free] + lam * sign[free])
        direction = columns @ step
        penalised = value + lam * np.abs(coef).sum()
        size = 1.0
        while size > 1e-10:
            moved = coef[free] + size * step
            moved[np.sign(moved) != sign[free]] = 0.0
            unhindered = np.array_equal(moved, coef[free] + size * step)
            change = size * direction if unhindered else columns @ (moved - coef[free])
            candidate = linear + size * step0 + change
            new = loss(candidate, y)
            new_coef = coef.copy()
            new_coef[free] = moved
            if new[0] + lam * np.abs(new_coef).sum() <= penalised + 1e-14 * abs(penalised):
                break
            size /= 2
        else:
            break  # no descent to rounding; the violation reported says how far from the optimum
        intercept, coef, linear = intercept + size * step0, new_coef, candidate
        value, residual, curvature = new
    return intercept, coef, value, violation


def _newton_step(columns, residual, curvature, gradient):
    n, q = columns.shape
    weighted = columns * curvature[:, None]
    hessian = np.empty((q + 1, q + 1))
    hessian[0, 0] = curvature.sum()
    hessian[0, 1:] = hessian[1:, 0] = weighted.sum(axis=0)
    hessian[1:, 1:] = columns.T @ weighted
    hessian /= n
    # keeps the system solvable for dependent columns; it bends the direction, not the solution
    hessian[np.diag_indices(q + 1)] += 1e-9 * np.trace(hessian) / (q + 1)
    step = np.linalg.solve(hessian, -np.concatenate([[residual.mean()], gradient]))
    return step[0], step[1:]


# the folds need no more digits than their noise; the chosen model is fitted to FINAL_TOL
FOLD_TOL = 1e-3
FINAL_TOL = 1e-7
# the path is left when the curve has not gained within so many penalties
PATIENCE = 10


def penalty_grid(X, y, n_lams):
    """Return `n_lams` penalties from the smallest with an empty model down to 1e-4 (1e-2 if n < p) of it."""
    largest = largest_penalty(X, y)
    if largest <= 1e-12 * np.abs(y - y.mean()).max():
        raise InvalidInputError(
            "no column of X varies with y: every column is constant or exactly uncorrelated with y."
        )
    n, p = X.shape
    return largest * np.geomspace(1.0, 1e-4 if n >= p else 1e-2, n_lams)


def stratified_folds(codes, n_folds, rng):
    """Return the fold of each row, shape (n,); the classes are spread evenly over the folds."""
    fold = np.empty(codes.size, dtype=np.int64)
    start = 0
    for label in (0, 1):
        rows = np.flatnonzero(codes == label)
        # the second class goes on where the first stopped, so that fold sizes differ by at most one
        fold[rng.permutation(rows)] = (start + np.arange(rows.size)) % n_folds
        start += rows.size
    return fold


def choose_penalty(X, y, fold, loss, left_out_loss, *, n_lams, rule):
    """Return the fit of all rows at the penalty that cross-validation over the given folds chooses, and its curve.

    Parameters
    ----------
    X : ndarray or CSC array, shape (n, p)
        Columns of unit standard deviation.
    y : ndarray, shape (n,)
        Response.
    fold : ndarray of int, shape (n,)
        The fold that leaves each row out.
    loss : callable
        Loss of the fit, for `walk_path`.
    left_out_loss : callable
        Takes linear predictors and responses and gives one loss a row.
    n_lams : int
        Length of the path.
    rule : {'1se', 'min'}
        The penalty of least left-out loss, or the largest within one standard error of it.

    Returns
    -------
    fit : L1Fit
        The fit of all rows at the penalty chosen.
    lams : ndarray, shape (m,)
        Penalties tried, decreasing.
    losses, standard_errors : ndarray, shape (m,)
        Mean loss on left-out rows and its standard error over the folds.

    Notes
    -----
    All folds walk down the path together and stop when the left-out loss no longer falls, since the last
    and largest models are the slow ones. A model without any column would give every row the same score:
    if the rule asks for it, the largest penalty with a column is taken.
    """
    lams = penalty_grid(X, y, n_lams)
    # not every fold number need occur in small samples
    parts = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    walks = [walk_path(X[kept], y[kept], lams, loss, tol=FOLD_TOL) for kept, _ in parts]
    left_out = [(X[out], y[out]) for _, out in parts]
    share = np.array([out.size for _, out in parts]) / y.size
    means, errors = [], []
    for fits in zip(*walks, strict=True):
        by_fold = np.array(
            [
                left_out_loss(fit.intercept + rows @ fit.coef, response).mean()
                for fit, (rows, response) in zip(fits, left_out, strict=True)
            ]
        )
        mean = float(share @ by_fold)
        means.append(mean)
        errors.append(float(np.sqrt(share @ (by_fold - mean) ** 2 / max(len(parts) - 1, 1))))
        if _no_longer_falls(means, errors):
            break
    means, errors = np.array(means), np.array(errors)
    best = int(means.argmin())
    chosen = best if rule == "min" else int(np.flatnonzero(means <= means[best] + errors[best])[0])
    # the first penalty is the one where the model is still empty
    chosen = max(chosen, 1)
    # steps of the path serve only as warm starts, so every fifth is enough
    steps = np.unique(np.append(np.arange(0, chosen, 5), chosen))
    fit = list(walk_path(X, y, lams[steps], loss, tol=FINAL_TOL))[-1]
    return fit, lams[: means.size], means, errors


def _no_longer_falls(means, errors):
    latest = len(means) - 1
    best = int(np.argmin(means))
    if latest - best >= PATIENCE:
        return True
    # flat: what the last steps gained is nothing beside the noise
    before = min(means[:-PATIENCE], default=np.inf)
    return before - means[best] < 0.01 * errors[best]


# glmnet keeps left-out probabilities this far from 0 and 1, so that one row cannot rule the deviance
LEAST_PROBABILITY = 1e-5


@with_parameters
class _L1Scorer(BinaryScorer):
    rule: str = "min"
    n_lambdas: int = 100
    n_folds: int = 10
    random_state: object = None

    _accepts_sparse = True

    def _choose(self, X, codes, response, loss, left_out_loss):
        """Set ``coef_`` and ``intercept_`` in the units of X, and what the choice of the penalty showed."""
        check_choice(self.rule, "rule", ("1se", "min"))
        n_lams = check_count(self.n_lambdas, "n_lambdas", minimum=2)
        n_folds = check_count(self.n_folds, "n_folds", minimum=2)
        sizes = two_rows_each(
            codes, f"{type(self).__name__} needs at least 2 rows of each class for its cross-validation"
        )
        rng = np.random.default_rng(check_seed(self.random_state))
        # every fold must leave out, and keep, a row of each class
        fold = stratified_folds(codes, min(n_folds, sizes.min()), rng)
        standard, centre, scale = in_one_unit(X)
        fit, self.lambdas_, self.cv_losses_, self.cv_standard_errors_ = choose_penalty(
            standard, response, fold, loss, left_out_loss, n_lams=n_lams, rule=self.rule
        )
        self.coef_ = fit.coef / scale
        self.intercept_ = fit.intercept - float(self.coef_ @ centre)
        self.lambda_ = fit.lam
        self.converged_ = fit.violation <= FINAL_TOL
        if not self.converged_:
            warn_at_call(
                f"{type(self).__name__} did not converge at lambda={self.lambda_:.3g}: the optimality "
                f"conditions are violated by {fit.violation:.1e} of the largest lambda. "
                "Use a larger lambda (rule='1se').",
                NotConvergedWarning,
            )

    def _score(self, X):
        return X @ self.coef_ + self.intercept_


class L1LogisticCV(_L1Scorer, LogOddsScorer):
    r"""Logistic regression with an L1 penalty by cross-validation, as cv.glmnet, where few of many columns matter.

    Minimises :math:`-\ell(b_0, b) / n + \lambda \|b\|_1` on standardised columns; the coefficients are given
    back in the units of X. The score is the linear predictor.

    R: method "penlog" (glmnet::cv.glmnet, binomial deviance, 10 folds) with the same path and defaults: the
    coefficients that R's scores reveal are those of the penalty with the least deviance. R's folds are not stratified.

    Parameters
    ----------
    rule : {'1se', 'min'}
        The penalty with the least left-out deviance ('min'), or the largest within one standard error of it
        (glmnet: s = "lambda.min" or "lambda.1se").
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
    >>> from nproc.scorers.classical.penalised import L1LogisticCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    >>> model = L1LogisticCV(random_state=1).fit(X, y)
    >>> np.flatnonzero(model.coef_)[0]
    np.int64(0)
    """

    def fit(self, X, y):
        """Choose the penalty and fit all rows with it; return self."""
        X, codes = self._read_training(X, y)
        self._choose(X, codes, codes, logistic_loss, _deviance)
        return self


class SparseLDA(_L1Scorer):
    r"""Sparse linear discriminant analysis (Mai, Zou and Yuan 2012), for more columns than rows.

    With y recoded as :math:`-n / n_0` for class 0 and :math:`n / n_1` for class 1, least squares gives the
    direction of linear discriminant analysis up to a positive factor; the lasso gives a sparse one. The
    score is ``b0 + x'b`` with the intercept of their Proposition 2, so that zero is the optimal cut.

    R: method "slda" (the lasso of glmnet::cv.glmnet on the recoded response) with the same path, number of folds and
    least squared error as the criterion. R's folds are not stratified.

    Parameters
    ----------
    rule : {'1se', 'min'}
        The penalty with the least left-out squared error ('min'), or the largest within one standard error.
    n_lambdas, n_folds : int
        Length of the path of penalties, and number of folds, as in `L1LogisticCV`.
    random_state : int, Generator, RandomState or None
        Seed of the folds.

    Attributes
    ----------
    coef_, intercept_, lambda_, lambdas_, cv_losses_, cv_standard_errors_, converged_, classes_, n_features_in_
        As in `L1LogisticCV`, with the squared error for the deviance.

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
    >>> from nproc.scorers.classical.penalised import SparseLDA
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 5)) + np.outer(y, [2, 0, 0, 0, 0])
    >>> model = SparseLDA(random_state=1).fit(X, y)
    >>> np.flatnonzero(model.coef_)[0]
    np.int64(0)
    """

    def fit(self, X, y):
        """Choose the penalty and fit all rows with it; return self."""
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


def in_one_unit(X):
    """Return what `standardised` gives, or `X` as it is where its rows are like documents."""
    if not rows_like_documents(X):
        return standardised(X)
    same = sparse.csc_array(X) if sparse.issparse(X) else np.asfortranarray(X)
    return same, np.zeros(X.shape[1]), np.ones(X.shape[1])


def standardised(X):
    """Return `X` with columns of unit standard deviation, and the centre and scale used.

    A dense X is centred and stored by columns; a sparse one is not centred, which the free intercept makes
    good. Constant columns become zero.
    """
    if not sparse.issparse(X):
        with np.errstate(over="ignore"):
            centre, scale = X.mean(axis=0), X.std(axis=0)
        huge = np.isinf(scale) & np.isfinite(centre)
        if huge.any():
            # of numbers whose squares overflow
            largest = np.abs(X[:, huge]).max(axis=0)
            scale[huge] = largest * (X[:, huge] / largest).std(axis=0)
        # a constant column differs from its mean by rounding only
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


penlog = register_estimator("penlog", L1LogisticCV, r_name="penlog", sparse=True)


slda = register_estimator("slda", SparseLDA, r_name="slda", sparse=True)
