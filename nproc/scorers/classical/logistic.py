"""Logistic regression by maximum likelihood, as R's glm; with a ridge penalty where sparse rows have many columns."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.special import expit

from nproc.checks import check_count, check_weights
from nproc.doors import needed
from nproc.errors import InvalidInputError, NotConvergedWarning, SeparationWarning, warn_at_call
from nproc.rows import check_same_rows
from nproc.scorers.base import LogOddsScorer, with_parameters
from nproc.scorers.classical.penalised import standardised
from nproc.scorers.scaling import register_estimator, rows_like_documents
from nproc.scorers.training import SEPARATED

# a separating direction with entries of at most 1 counts when it parts rows by more than this; the linear
# program is solved to 1e-7
LEAST_MARGIN = 1e-5
# the last Newton step has converged to a separating direction only so far
ROUNDING = 1e-7


def parts_classes(linear, codes):
    """Return whether every row of class 1 lies strictly above every row of class 0."""
    return bool(linear[codes == 1].min() > linear[codes == 0].max())


def separating_direction(design, codes, candidates):
    """Return a direction along which the likelihood never falls, or None if there is none.

    Albert and Anderson (1984): the maximum likelihood estimate exists unless some b != 0 has x'b >= 0 for
    all rows of class 1 and x'b <= 0 for all rows of class 0. Konis (2007) finds b by a linear program, which
    is slow for many rows, so likely directions are tried first.

    Parameters
    ----------
    design : ndarray, shape (n, q)
        Independent columns of similar scale, the first of ones.
    codes : ndarray, shape (n,)
        0 or 1.
    candidates : iterable of ndarray, shape (q,), or None
        Where Newton's method stopped and its last step, which tends to a separating direction.

    Returns
    -------
    direction : ndarray, shape (q,), or None
    """
    sign = np.where(codes == 1, 1.0, -1.0)
    for candidate in candidates:
        if candidate is None or not np.isfinite(candidate).all():
            continue
        direction = candidate.copy()
        linear = design @ direction
        if parts_classes(linear, codes):
            direction[0] -= (linear[codes == 0].max() + linear[codes == 1].min()) / 2
            return direction
        largest = np.abs(linear).max()
        if largest > 0 and (sign * linear).min() >= -ROUNDING * largest:
            return direction / np.abs(direction).max()
    # imported here: scipy.optimize is slow to import and rarely needed
    from scipy.optimize import linprog

    # identical rows give identical constraints
    constraints = np.unique(sign[:, None] * design, axis=0)
    solution = linprog(
        -constraints.mean(axis=0),
        A_ub=-constraints,
        b_ub=np.zeros(constraints.shape[0]),
        bounds=(-1, 1),
        method="highs",
    )
    if solution.x is None or (constraints @ solution.x).max() <= LEAST_MARGIN:
        return None
    return solution.x


def tied_rows(direction, design, codes, residuals):
    """Return which rows tie on every linear rule that separates the others, as an array of bool, shape (n,).

    A direction may leave more ties than need be. So directions are sought that separate the rows it ties on, until
    there is none. The residuals r of the fit may prove that there is none, without a linear program: with every b of
    entries of at most 1 that separates, the distances x'b of the rows add up to r'Xb <= |X'r| if each is weighted by
    |r|, so none of them exceeds |X'r| / min |r|.
    """
    tied = np.ones(len(codes), dtype=bool)
    while direction is not None:
        linear = np.abs(design[tied] @ direction)
        tied[tied] = linear <= LEAST_MARGIN * linear.max()
        left = residuals[tied]
        if np.abs(left @ design[tied]).sum() <= LEAST_MARGIN * np.abs(left).min(initial=np.inf):
            break
        direction = separating_direction(design[tied], codes[tied], ())
    return tied


def unbounded_coefficients(direction, design, codes, residuals):
    """Return which coefficients the likelihood does not bound under separation, as an array of bool, shape (q,).

    The directions along which the likelihood never falls span those in which all `tied_rows` tie: a step along any of
    the latter, beside a large one along a direction that separates all other rows, keeps every row on its side. So the
    rows that tie determine the other coefficients, and nothing determines these.
    """
    tied = design[tied_rows(direction, design, codes, residuals)]
    if not tied.size:
        return np.ones(design.shape[1], dtype=bool)
    _, sizes, axes = np.linalg.svd(np.linalg.qr(tied, mode="r"))
    rank = int(np.sum(sizes > ALIAS_TOLERANCES[0] * sizes[0]))
    # on columns of similar scale
    return np.linalg.norm(axes[rank:], axis=0) > ROUNDING


def warn_separated(kind):
    """Warn of "complete" or "quasi-complete" separation."""
    # no counts here: they differ between splits, and equal warnings are told once
    what, which = f"{SEPARATED[kind]}.", "the coefficients"
    if kind != "complete":
        which = "some coefficients, which the summary of a fit and diverging_ of the scorer name,"
    warn_at_call(
        f"{what} So logistic regression has no maximum likelihood estimate. The scores still rank the rows, but "
        f"{which} are arbitrary in size. Use method 'penlog', or fewer columns. If a column tells the label, leave it "
        "out.",
        SeparationWarning,
    )


# share of a column's length that must be left after projection on the columns before it; R's glm uses 1e-11
# with a pivoted QR, which on standardised columns is below rounding for p > 1000. The second share is for columns that
# were rounded, such as those of float32: it is used where no fit comes of the first one
ALIAS_TOLERANCES = 1e-9, 1e-6
# the change of the linear predictor's coefficients (on standardised columns) at which Newton's method, which
# doubles the digits at each step, has converged to rounding
STEP_TOLERANCE = 1e-8
# beyond such log odds the information matrix is lost in rounding, and convergence proves nothing
SUSPICIOUS_LOG_ODDS = 25.0
# of a sparse X as an array, 1 GB
MOST_DENSE = 1 << 27
# of the ridge fit; scikit-learn warns if they do not suffice
RIDGE_ITERATIONS = 1000


@with_parameters
class LogisticRegressionML(LogOddsScorer):
    """Unpenalised logistic regression as in R's glm, the first to try where columns are few and rows many.

    The score is the linear predictor, not the probability, which saturates at 0 and 1 and then ties.
    Columns are standardised inside and the coefficients given back in the units of X. Columns that depend
    linearly on those before them are dropped (coefficient 0), as R's glm does.

    A sparse X with more columns than a tenth of its rows, such as text, is fitted with a ridge penalty, by
    scikit-learn's ``LogisticRegression(C=1)``. With more columns than rows there is no maximum likelihood estimate, and
    with nearly as many it is of little use. So is a sparse X that would take more than 1 GB as an array. For this fit
    from an array give the method ``LogisticRegression()`` itself.

    R: method "logistic" (stats::glm, binomial) with the same estimate; R scores by the probability, an increasing
    function of the score here until it saturates.

    Parameters
    ----------
    max_iter : int
        Most steps of Newton's method, which is iteratively reweighted least squares (glm: maxit, 25 as here). The fit
        with a penalty has its own limit of 1000.
    offset : sequence of int, optional
        Positions of columns that are added to the score as they are: their coefficient is 1 and is not estimated
        (glm: offset). In a formula write ``offset(column)`` instead.

    Attributes
    ----------
    coef_ : ndarray, shape (p,)
        Coefficients; 0 for a dropped column.
    intercept_ : float
        Intercept.
    aliased_ : ndarray of bool, shape (p,)
        Which columns were dropped.
    separation_ : {None, "complete", "quasi-complete"}
        Whether a linear rule separates the classes, all rows or all but ties, so that no maximum likelihood estimate
        exists.
    diverging_ : ndarray of bool, shape (p,)
        Whose coefficients are arbitrary in size, because the likelihood does not bound them. All of them under complete
        separation, and none without separation.
    converged_ : bool
        Whether the iterations converged.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    Under separation the likelihood grows without bound along some direction. The fit then stops at the
    first coefficients that part the classes, or at the last iteration: their ranking is of use, their size
    is not, and a SeparationWarning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.classical.logistic import LogisticRegressionML
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> LogisticRegressionML().fit(X, y).decision_function(X).round(4)
    array([-1.3623, -0.4541,  0.4541,  1.3623])
    """

    max_iter: int = 25
    offset: Sequence[int] | None = None

    _accepts_sparse = True

    def fit(self, X, y, sample_weight=None):
        """Fit by Newton's method; return self. `sample_weight` counts a row that many times."""
        max_iter = check_count(self.max_iter, "max_iter")
        check_same_rows(X=X, y=y, sample_weight=sample_weight)
        X, codes = self._read_training(X, y)
        weight = np.ones(codes.size)
        if sample_weight is not None:
            weight = check_weights(sample_weight, codes, self.classes_.tolist(), "both classes are needed.")
        used = weight > 0
        rows, codes, weight = X[used], codes[used], weight[used]
        fixed = _offset_columns(self.offset, rows)
        if sparse.issparse(rows):
            n, p = rows.shape
            if 10 * p > n or n * p > MOST_DENSE:
                return self._fit_ridge(rows, codes, weight)
            rows = rows.toarray()
        added = rows[:, fixed].sum(axis=1)
        rows = np.delete(rows, fixed, axis=1)
        standard, centre, scale = standardised(rows)
        kept = None
        for tolerance in ALIAS_TOLERANCES:
            earlier, kept = kept, independent_columns(standard, tolerance)
            if earlier is not None and len(kept) == len(earlier):
                break
            design = np.column_stack([np.ones(rows.shape[0]), standard[:, kept]])
            coefficients, unbounded = self._iterate(design, codes, weight, max_iter, added)
            if self.converged_ or self.separation_ is not None:
                break
        if not self.converged_ and self.separation_ is None:
            way_out = (
                "raise max_iter" if self.n_iter_ == max_iter else "some columns nearly depend on others, drop them"
            )
            warn_at_call(
                f"logistic regression did not converge in {self.n_iter_} iterations; {way_out}.", NotConvergedWarning
            )
        free = np.delete(np.arange(X.shape[1]), fixed)
        self.aliased_ = np.ones(X.shape[1], dtype=bool)
        self.aliased_[free[kept]] = self.aliased_[fixed] = False
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[free[kept]] = coefficients[1:] / scale[kept]
        self.intercept_ = float(coefficients[0] - self.coef_[free] @ centre)
        self.coef_[fixed] = 1.0
        self.diverging_ = np.zeros(X.shape[1], dtype=bool)
        self.diverging_[free[kept]] = unbounded[1:]
        return self

    def _fit_ridge(self, rows, codes, weight):
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler(with_mean=False, with_std=not rows_like_documents(rows)).fit(rows, sample_weight=weight)
        model = LogisticRegression(C=1.0, max_iter=RIDGE_ITERATIONS).fit(scaler.transform(rows), codes, weight)
        self.coef_ = model.coef_[0] / (scaler.scale_ if scaler.with_std else 1.0)
        self.intercept_ = float(model.intercept_[0])
        self.n_iter_ = int(model.n_iter_[0])
        self.separation_ = None
        self.aliased_, self.diverging_ = np.zeros((2, rows.shape[1]), dtype=bool)
        self.converged_ = self.n_iter_ < RIDGE_ITERATIONS
        return self

    # exp(-z) overflows for z below -709, and 1 / (1 + inf) = 0 is then the right probability
    @np.errstate(over="ignore")
    def _iterate(self, design, codes, weight, max_iter, offset):
        # imported here because statsmodels takes a second to import
        with needed("statsmodels", "the method 'logistic'"):
            from statsmodels.genmod.families import Binomial
            from statsmodels.genmod.generalized_linear_model import GLM

        # Newton's method on the likelihood of statsmodels rather than its own fit: the fit decomposes the
        # whole design at each step (3 to 10 times slower), and its warnings could only be silenced by
        # global filters, which are not safe in threads
        model = GLM(codes, design, family=Binomial(), freq_weights=weight, offset=offset)
        coefficients = np.zeros(design.shape[1])
        likelihood = model.loglike(coefficients)
        step = None
        self.converged_, self.separation_ = False, None
        for iteration in range(1, max_iter + 1):
            self.n_iter_ = iteration
            information = -model.hessian(coefficients, observed=False)
            try:
                step = np.linalg.solve(information, model.score(coefficients))
            except np.linalg.LinAlgError:
                break  # the likelihood is flat to rounding: separation, found out below
            size = 1.0
            lowest = likelihood - 1e-12 * abs(likelihood)  # rounding may lose this much
            while (candidate := model.loglike(coefficients + size * step)) < lowest:
                size /= 2
                if size < 1e-3:
                    break
            coefficients = coefficients + size * step
            likelihood = candidate
            if np.abs(size * step).max() < STEP_TOLERANCE:
                self.converged_ = True
                break
            if parts_classes(design @ coefficients, codes):
                break
        if not self.converged_ or np.abs(design @ coefficients).max() > SUSPICIOUS_LOG_ODDS:
            direction = separating_direction(design, codes, (coefficients, step))
            if direction is not None:
                self.converged_ = False
                self.separation_ = "complete" if parts_classes(design @ direction, codes) else "quasi-complete"
                warn_separated(self.separation_)
                if self.separation_ == "complete":
                    return coefficients, np.ones(design.shape[1], dtype=bool)
                residuals = weight * (codes - expit(design @ coefficients + offset))
                return coefficients, unbounded_coefficients(direction, design, codes, residuals)
        return coefficients, np.zeros(design.shape[1], dtype=bool)

    def _score(self, X):
        return X @ self.coef_ + self.intercept_


def independent_columns(standard, tolerance):
    """Return the indices of the columns that do not depend on the intercept and the columns before them.

    Parameters
    ----------
    standard : ndarray, shape (n, p)
        Centred columns of equal length (or zero).
    tolerance : float
        Share of a column's length that must be left after projection on the columns before it.

    Returns
    -------
    kept : ndarray of int
    """
    from scipy.linalg import qr

    n, p = standard.shape
    if n > p:
        diagonal = np.abs(np.diag(qr(standard, mode="r", pivoting=True, check_finite=False)[0]))
        if diagonal[-1] > tolerance * np.sqrt(n):
            return np.arange(p)
    # rare: find out which, from the left, by Gram-Schmidt (twice, since once loses orthogonality)
    basis = np.zeros((n, min(n - 1, p)))
    kept = []
    for j in range(p):
        if len(kept) == basis.shape[1]:
            break
        left = standard[:, j].copy()
        length = np.linalg.norm(left)
        for _ in range(2):
            left -= basis[:, : len(kept)] @ (basis[:, : len(kept)].T @ left)
        remaining = np.linalg.norm(left)
        if length > 0 and remaining > tolerance * length:
            basis[:, len(kept)] = left / remaining
            kept.append(j)
    return np.array(kept, dtype=np.intp)


def _offset_columns(offset, rows):
    """Return the positions of the offsets as a list; a sparse matrix has none."""
    if offset is None:
        return []
    given = [offset] if isinstance(offset, int | np.integer) else list(offset)
    whole = all(isinstance(j, int | np.integer) and not isinstance(j, bool) and 0 <= j < rows.shape[1] for j in given)
    if not whole or len(set(given)) < len(given):
        raise InvalidInputError(
            f"offset must hold positions of columns, each once, from 0 to {rows.shape[1] - 1}, got {offset!r}."
        )
    if given and sparse.issparse(rows):
        raise InvalidInputError("offset cannot be used with a sparse X; give a dense array.")
    return given


logistic = register_estimator("logistic", LogisticRegressionML, r_name="logistic", sparse=True)
