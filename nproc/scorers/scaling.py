"""Columns on one scale, for methods that are sensitive to units; and names for estimators that need them so."""

import functools
import inspect
import re
from importlib import import_module

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nproc.rows import check_same_rows
from nproc.scorers.registry import register


def on_one_scale(step, estimator, **scaling):
    """Return a pipeline of a `ColumnScaler` with keywords `scaling`, then `estimator` as the step named `step`."""
    from sklearn.pipeline import Pipeline

    return Pipeline([("scale", ColumnScaler(**scaling)), (step, estimator)])


def builds(path, *, step=None, **scaling):
    """Return a decorator for a function without a body: it becomes a factory that gives its keywords to a class.

    Parameters
    ----------
    path : str
        Where the class is, which is imported when the first model is built: scikit-learn's modules are slow to import.
    step : str, optional
        The model's name in a pipeline that standardises the columns first; by default there is none.
    **scaling
        Keywords of the `ColumnScaler` of that pipeline.

    Returns
    -------
    decorator : callable
        Keeps the signature and the docstring of the function.

    Examples
    --------
    >>> @builds("sklearn.linear_model.LogisticRegression")
    ... def ridge(*, C=0.1):
    ...     "Ridge-penalised logistic regression."
    >>> ridge(), ridge(C=2.0)
    (LogisticRegression(C=0.1), LogisticRegression(C=2.0))
    """
    module, _, name = path.rpartition(".")

    def decorate(function):
        defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}

        @functools.wraps(function)
        def factory(**given):
            model = getattr(import_module(module), name)(**(defaults | given))
            return on_one_scale(step, model, **scaling) if step else model

        return factory

    return decorate


def register_estimator(name, estimator, *, omit=(), changed=None, added=None, prepare=None, step=None, **known):
    """Give an estimator a name in the registry.

    The keywords of the name, their defaults and their documentation are those of the estimator, and what it is in R
    is the paragraph of the estimator's docstring that begins with "R: ".

    Parameters
    ----------
    name : str
        The name.
    estimator : type
        The class; its docstring has an entry for each parameter.
    omit : sequence of str
        Parameters that do not go with the name, beside ``class0``.
    changed : dict, optional
        Other defaults than the estimator's.
    added : dict, optional
        Keywords that the estimator does not have, with the documentation of each, for `prepare`; None by default.
    prepare : callable, optional
        Takes the parameters as a dict and returns those that the estimator is given.
    step : str, optional
        The estimator's name in a pipeline that standardises the columns first; by default there is none.
    **known
        What `register` is to know of the method.

    Returns
    -------
    factory : callable
        What `get_scorer` calls.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> from nproc.scorers.papers.parzen import ParzenNP
    >>> factory = register_estimator("smooth", ParzenNP, changed={"kernel": "exponential"}, replace=True)
    >>> get_scorer("smooth", bandwidth=0.5)
    ParzenNP(bandwidth=0.5, kernel='exponential')
    """
    left_out = {"self", "class0", *omit}
    kept = [p for p in inspect.signature(estimator.__init__).parameters.values() if p.name not in left_out]
    kept += [inspect.Parameter(keyword, inspect.Parameter.KEYWORD_ONLY, default=None) for keyword in added or {}]
    defaults = {p.name: p.default for p in kept} | (changed or {})

    def factory(**given):
        parameters = defaults | given
        model = estimator(**(prepare(parameters) if prepare else parameters))
        return on_one_scale(step, model) if step else model

    factory.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY, default=defaults[p.name]) for p in kept])
    factory.__name__ = factory.__qualname__ = name
    factory.__module__ = estimator.__module__
    factory.__doc__ = _factory_doc(estimator, set(defaults), (added or {}).values(), step)
    return register(name, **known)(factory)


def register_scaled(name, estimator, *, step=None, **options):
    """Give an estimator a name under which it works on standardised columns, as the step `name` of a pipeline."""
    return register_estimator(name, estimator, step=step or name, **options)


def _factory_doc(estimator, names, added, step):
    doc = inspect.getdoc(estimator) or ""
    told = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n\S[^\n]*\n-{3,}\n|\Z)", doc, flags=re.DOTALL)
    if told is None:
        # `python -OO` strips docstrings, and dataclasses put their signature there instead
        return None
    in_r = re.search(r"^R: .*?(?=\n\n)", doc, flags=re.DOTALL | re.MULTILINE)
    shown = []
    for entry in re.split(r"\n(?=\S)", told[1]):
        listed, colon, rest = entry.partition(" :")
        kept = [name for name in re.split(r",\s*", listed) if name in names]
        shown += [", ".join(kept) + colon + rest] if kept else []
    name = estimator.__name__
    returned = f"sklearn.pipeline.Pipeline\n    ColumnScaler, then `{name}`." if step else name
    paragraphs = [
        doc.split("\n")[0],
        in_r[0] if in_r else "R: no such method.",
        "\n".join(["Parameters", "----------", *shown, *added]),
        f"Returns\n-------\nestimator : {returned}",
    ]
    return "\n\n".join(paragraphs)


# rounding errors of a mean, of its last digit, that a column may vary by without telling rows apart
ROUNDINGS = 32.0
# a standard deviation whose square does not underflow
LEAST_SPREAD = 1e-100


def column_units(rows, centre):
    """Return the standard deviation of each dense column, 1 where rounding alone makes it vary.

    The columns had the means `centre` before any of it was subtracted.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.scaling import column_units
    >>> rows = np.array([[0.0, 7.0, 0.1 + 0.2], [10.0, 7.0, 0.3]])
    >>> column_units(rows, rows.mean(axis=0)).tolist()
    [5.0, 1.0, 1.0]
    """
    spread = rows.std(axis=0)
    rounding = ROUNDINGS * np.finfo(float).eps * np.abs(centre)
    return np.where((np.ptp(rows, axis=0) > 0) & (spread > rounding) & (spread > LEAST_SPREAD), spread, 1.0)


# of the numbers of documents at most this share is not zero; and of their squares at most this share is in one column
MOST_NONZERO, MOST_IN_A_COLUMN = 1 / 3, 1 / 4


def rows_like_documents(X):
    """Tell whether the rows of `X` are like documents by tf-idf: mostly zeros, and all of one Euclidean norm.

    The columns of such rows have one unit, for their squares have been added up. Norms count as equal if they differ
    by less than 0.1 %, since files keep few digits; rows of zeros may be among them. One column that is much larger
    than the others would give any rows nearly one norm: so no column may hold more than a quarter of all squares.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.scaling import rows_like_documents
    >>> [rows_like_documents(X) for X in (np.eye(5), np.diag([1, 1, 1, 1, 2]), np.ones((5, 5)))]
    [True, False, False]
    """
    X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    n_nonzero = X.count_nonzero() if sparse.issparse(X) else np.count_nonzero(X)
    if not 0 < n_nonzero <= MOST_NONZERO * X.shape[0] * X.shape[1]:
        return False
    X = sparse.csr_array(X, dtype=np.float64)
    squares = X.power(2)
    lengths, columns = squares.sum(axis=1), squares.sum(axis=0)
    lengths = np.sqrt(lengths[lengths != 0])
    one_length = lengths.max() - lengths.min() < 1e-3 * lengths.min()
    return bool(one_length and columns.max() <= MOST_IN_A_COLUMN * columns.sum())


class ColumnScaler(TransformerMixin, BaseEstimator):
    """Divide each column by its standard deviation, and centre it unless X is sparse.

    Distances do not change when columns are shifted, so a sparse X can stay sparse; a dense X is centred
    because products of large numbers lose digits. Constant columns become constant zeros.

    Training rows that are like documents by tf-idf (see `rows_like_documents`) are left as they are: their columns have
    one unit already, and dividing by the standard deviation would let rare words outweigh all others.

    Parameters
    ----------
    unit_variance : bool
        Divide rows like documents by a number, so that the variance of their columns is 1 in the mean, as kernels of
        width 1 / p need it.

    Attributes
    ----------
    scaler_ : sklearn.preprocessing.StandardScaler
        The fitted scaler.
    n_features_in_ : int
        Number of columns in fit.
    """

    def __init__(self, unit_variance=False):
        self.unit_variance = unit_variance

    def fit(self, X, y=None):
        """Learn the means and standard deviations of the columns of `X`; return self."""
        from sklearn.preprocessing import StandardScaler

        # the rows that it gives the next step have lost their labels
        check_same_rows(X=X, y=y)
        self.scaler_ = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
        if rows_like_documents(X):
            self.scaler_.set_params(with_mean=False, with_std=self.unit_variance)
            # rows that are all the same stay as they are
            one_scale = np.full_like(self.scaler_.var_, np.sqrt(self.scaler_.var_.mean()) or 1.0)
            self.scaler_.scale_ = one_scale if self.unit_variance else None
        self.n_features_in_ = self.scaler_.n_features_in_
        if hasattr(self.scaler_, "feature_names_in_"):
            self.feature_names_in_ = self.scaler_.feature_names_in_
        return self

    def transform(self, X):
        """Scale the columns of `X`, whose shape does not change."""
        check_is_fitted(self)
        if self.scaler_.with_mean and sparse.issparse(X):
            X = X.toarray()
        return self.scaler_.transform(X)

    def get_feature_names_out(self, input_features=None):
        """Name the columns: their names do not change."""
        return self.scaler_.get_feature_names_out(input_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def without_searches(scorer):
    """Return a fitted model with the best model of a search in its place, and scikit-learn's scaler for `ColumnScaler`.

    This looks into pipelines, and takes what is frozen out of its frame.
    """
    from sklearn.pipeline import Pipeline

    if isinstance(scorer, Pipeline):
        return Pipeline([(name, without_searches(step)) for name, step in scorer.steps])
    if isinstance(scorer, ColumnScaler):
        return scorer.scaler_
    inner = getattr(scorer, "best_estimator_", None)
    if inner is None and type(scorer).__name__ == "FrozenEstimator":
        inner = scorer.estimator
    return scorer if inner is None else without_searches(inner)


def with_joined_columns(scorer, frame):
    """Return a fitted pipeline that joins the columns of a frame first, unless the model chooses its columns itself."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import FeatureUnion, Pipeline

    first = scorer
    while isinstance(first, Pipeline):
        first = first.steps[0][1]
    if isinstance(first, ColumnTransformer | FeatureUnion):
        return scorer
    joined = ColumnTransformer([("columns", "passthrough", list(frame.columns))]).fit(frame)
    return Pipeline([("joined", joined), ("model", scorer)])
