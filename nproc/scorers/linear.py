"""Models whose score is a weighted sum of the columns, and their weights in the units of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit

from nproc.scorers.adapter import class0_comes_second

# those that score by scikit-learn's `LinearClassifierMixin`
LINEAR_OF_SKLEARN = (
    *("LogisticRegression", "LogisticRegressionCV", "SGDClassifier", "Perceptron", "RidgeClassifier"),
    *("RidgeClassifierCV", "LinearSVC", "LinearDiscriminantAnalysis"),
)


class LinearForm(NamedTuple):
    """A score ``X @ weights + intercept``, larger = more like class 1.

    Attributes
    ----------
    weights : ndarray, shape (p,)
        One a column.
    intercept : float
        The constant.
    size : float
        Sum of the sizes of the numbers that the model itself adds up besides the products with the columns.
    takes_sparse : bool
        Whether the model takes a sparse X.
    """

    weights: np.ndarray
    intercept: float
    size: float
    takes_sparse: bool


def linear_form(scorer, values=None):
    """Return the `LinearForm` of what `score_rows` gives, or None where the score is of another kind.

    Parameters
    ----------
    scorer : object
        A fitted model or a function. Only known classes are looked into, and no child of theirs, which may score
        otherwise: the linear methods of this package, the linear classifiers of scikit-learn, pipelines of scalers and
        one of these, and scikit-learn's searches over any of them.
    values : array-like, shape (2,), optional
        As in `score_rows`.

    Returns
    -------
    LinearForm or None

    Raises
    ------
    InvalidInputError
        If the classes of the model are not those expected, as `score_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers import get_scorer
    >>> from nproc.scorers.linear import linear_form
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> form = linear_form(get_scorer("logistic").fit(X, y))
    >>> form.weights.round(4), round(form.intercept, 4)
    (array([0.9082]), -1.3623)
    >>> linear_form(get_scorer("tree").fit(X, y)) is None
    True
    """
    form = _own_form(scorer)
    if form is not None and class0_comes_second(scorer, values):
        return form._replace(weights=-form.weights, intercept=-form.intercept)
    return form


def _own_form(scorer):
    """Return the form of a model's own ``decision_function``."""
    if type(scorer).__module__.startswith("sklearn.model_selection.") and hasattr(scorer, "best_estimator_"):
        return _own_form(scorer.best_estimator_)
    if _is_of_sklearn(scorer, "FrozenEstimator"):
        return _own_form(scorer.estimator)
    if _is_of_sklearn(scorer, "Pipeline"):
        return _pipeline_form(scorer)
    own = type(scorer).__module__.startswith("nproc.scorers.")
    # weights of random features are none of columns
    of_columns = hasattr(scorer, "coef_") and getattr(scorer, "random_features_", None) is None
    if not of_columns or not (own or _is_of_sklearn(scorer, *LINEAR_OF_SKLEARN)):
        return None
    coef, constant = scorer.coef_, np.ravel(scorer.intercept_)
    if sparse.issparse(coef) or constant.size != 1 or coef.shape[:-1] not in ((), (1,)):
        return None
    weights, constant = np.asarray(coef, dtype=np.float64), float(constant[0])
    size = abs(constant)
    if own and type(scorer).__name__ == "SparseLogisticClassifier":
        # the model itself adds the constant of the log-odds, then takes off those of its threshold
        size += 2.0 * abs(float(logit(scorer.threshold_)))
    return LinearForm(weights.ravel(), constant, size, scorer._accepts_sparse if own else True)


def _is_of_sklearn(model, *names):
    """Return whether a model is of a class of scikit-learn itself, not of a child."""
    return type(model).__module__.startswith("sklearn.") and type(model).__name__ in names


def _pipeline_form(pipeline):
    *before, (_, last) = pipeline.steps
    form = _own_form(last)
    for _, step in reversed(before):
        if form is None:
            return None
        if step is None or isinstance(step, str):
            # "passthrough"
            continue
        own = type(step).__module__ == "nproc.scorers.scaling"
        scaler = step.scaler_ if own else step
        if not _is_of_sklearn(scaler, "StandardScaler"):
            return None
        weights = form.weights / (scaler.scale_ if scaler.with_std else 1.0)
        moved = weights * (scaler.mean_ if scaler.with_mean else 0.0)
        constant, size = form.intercept - float(moved.sum()), form.size + float(np.abs(moved).sum())
        # a scaler that centres refuses a sparse X, except the package's own, which makes it dense
        form = LinearForm(weights, constant, size, own if scaler.with_mean else form.takes_sparse)
    return form


# The scores of many linear models from one matrix product: `predict` of 101 logistic splits calls 100,000 rows of 30
# columns 6 times as fast on one core (0.03 s for 0.2 s) and 11 times on two as by one model after the other.
#
# A product of a block of rows with a matrix rounds otherwise than each model's own sum. `LinearStack` therefore says
# how far the two can lie apart: a score that far from a threshold is on the same side of it either way, and the few
# others are left to `score_rows`. No label depends on which of the two was used.

# a sum of p products is wrong by at most about p epsilon times the sum of their sizes [higham2002]_; two
# such sums are compared, the weights are rounded when scales are divided out, and the rest is reserve
ROUNDING = 8 * np.finfo(np.float64).eps
ROUNDED_BESIDES = 8
# sums of such size may overflow on the way
TOO_LARGE = 1e300


@dataclass(frozen=True)
class LinearStack:
    """The linear ones among several scorers.

    Attributes
    ----------
    members : ndarray of int, shape (L,)
        Their positions among the scorers.
    weights : ndarray, shape (L, p)
        Their weights, one row each.
    intercepts : ndarray, shape (L,)
        Their constants.
    sizes : ndarray, shape (L,)
        As `LinearForm.size`.
    names : tuple or None
        Names of the columns that all of them were trained with; None for columns without names.
    takes_sparse : bool
        Whether all of them take a sparse X.
    """

    members: np.ndarray
    weights: np.ndarray
    intercepts: np.ndarray
    sizes: np.ndarray
    names: tuple | None
    takes_sparse: bool

    def plain_rows(self, X):
        """Return `X` as a float64 array or CSR matrix whose columns are those of the weights, or None.

        None stands for all that needs a look by the models themselves: numbers that these may add up in less than
        float64, columns that are not numbers, another number of columns, names that are not those of the training.
        """
        columns = getattr(X, "columns", None)
        if (None if columns is None else tuple(columns.tolist())) != self.names:
            return None
        if columns is not None:
            X = X.to_numpy(dtype=np.float64) if _added_in_float64(list(X.dtypes)) else None
        if not (self.takes_sparse and X.format == "csr" if sparse.issparse(X) else isinstance(X, np.ndarray)):
            return None
        return X if X.dtype == np.float64 and X.ndim == 2 and X.shape[1] == self.weights.shape[1] else None

    @property
    def rounding(self):
        """Share of the sizes that two ways of summing may differ by."""
        return ROUNDING * (self.weights.shape[1] + ROUNDED_BESIDES)

    def products(self, rows):
        """Return the scores without their constants, and the sizes of what is added up.

        Parameters
        ----------
        rows : ndarray of float64 or CSR matrix, shape (n, p)
            From `plain_rows`.

        Returns
        -------
        (ndarray, shape (L, n), ndarray, shape (L,)), or None
            With the constants added, a score of member l lies within ``rounding * sizes[l]`` of the model's own; after
            another number is added to both, within ``rounding`` times the sum of the size and that number's. None where
            a value is not finite, or so large that a sum may overflow.
        """
        values = rows.data if sparse.issparse(rows) else rows
        # NaN passes through both; with the rows in the processor's cache, faster than the sizes of all
        largest = max(values.max(), -values.min()) if values.size else 0.0
        if not np.isfinite(largest):
            return None
        with np.errstate(over="ignore"):
            sizes = max(largest, 0.0) * np.abs(self.weights).sum(axis=1) + self.sizes
        if not np.all(sizes < TOO_LARGE):
            return None
        if sparse.issparse(rows):
            # one member after the other, as the product of an array is
            return np.ascontiguousarray((rows @ self.weights.T).T), sizes
        return self.weights @ rows.T, sizes


def _added_in_float64(kinds):
    """Return whether a model adds up columns of these dtypes in float64, also with weights of float32."""
    if not all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds):
        return False
    return np.result_type(np.float32, *kinds) == np.float64


def stack_linear(scorers, values=None):
    """Return the `LinearStack` of the linear ones among `scorers`, or None if there is none.

    Members that were trained with other columns than the first one are left out, as if they were not linear.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers import get_scorer
    >>> from nproc.scorers.linear import stack_linear
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> stack = stack_linear([get_scorer(name).fit(X, y) for name in ("logistic", "tree", "lda")])
    >>> stack.members
    array([0, 2])
    >>> scores, _ = stack.products(stack.plain_rows(X))
    >>> (scores + stack.intercepts[:, None]).round(2)
    array([[-1.36, -0.45,  0.45,  1.36],
           [-1.5 , -0.5 ,  0.5 ,  1.5 ]])
    """
    forms = {j: form for j, scorer in enumerate(scorers) if (form := linear_form(scorer, values)) is not None}
    if not forms:
        return None
    columns = {j: (_names_of(scorers[j]), form.weights.size) for j, form in forms.items()}
    names, _ = first = columns[next(iter(forms))]
    forms = {j: form for j, form in forms.items() if columns[j] == first}
    weights, intercepts, sizes, takes_sparse = zip(*forms.values(), strict=True)
    arrays = map(np.array, (list(forms), weights, intercepts, sizes))
    return LinearStack(*arrays, names, all(takes_sparse))


def _names_of(scorer):
    names = getattr(scorer, "feature_names_in_", None)
    return None if names is None else tuple(names.tolist())
