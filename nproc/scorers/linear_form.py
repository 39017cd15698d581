"""Models whose score is a weighted sum of the columns, and their weights in the units of the columns."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.special import logit

from nproc.scorers.adapter import class0_comes_second
from nproc.scorers.logistic_regression import LogisticRegressionML
from nproc.scorers.papers_acsvm import AsymmetricCostSVC
from nproc.scorers.papers_constrained import ConstrainedNPClassifier
from nproc.scorers.papers_generative import GaussianNPClassifier
from nproc.scorers.papers_npsvm import NPSVC
from nproc.scorers.papers_online import OnlineNPClassifier
from nproc.scorers.papers_online_cv import OnlineNPClassifierCV
from nproc.scorers.papers_qvalue_svm import QValueSVC
from nproc.scorers.papers_sparse_logistic import SparseLogisticClassifier
from nproc.scorers.papers_svmperf import PrecisionAtKSVC
from nproc.scorers.penalised import L1LogisticCV, SparseLDA
from nproc.scorers.scaling import ColumnScaler

# classes of this package, and whether a fitted one is linear
SOMETIMES_LINEAR = {
    **dict.fromkeys(
        (LogisticRegressionML, L1LogisticCV, SparseLDA, ConstrainedNPClassifier, OnlineNPClassifierCV, PrecisionAtKSVC),
        lambda scorer: True,
    ),
    OnlineNPClassifier: lambda scorer: scorer.random_features_ is None,
    **dict.fromkeys(
        (AsymmetricCostSVC, GaussianNPClassifier, NPSVC, QValueSVC, SparseLogisticClassifier),
        lambda scorer: hasattr(scorer, "coef_"),
    ),
}
# of scikit-learn those that score by its `LinearClassifierMixin`
LINEAR_OF_SKLEARN = {
    "sklearn.linear_model": (
        "LogisticRegression",
        "LogisticRegressionCV",
        "SGDClassifier",
        "Perceptron",
        "RidgeClassifier",
        "RidgeClassifierCV",
    ),
    "sklearn.svm": ("LinearSVC",),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis",),
}


@dataclass(frozen=True)
class LinearForm:
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

    def reversed(self):
        """Return the form of the other direction."""
        return replace(self, weights=-self.weights, intercept=-self.intercept)

    def after_scaling(self, centre, scale, takes_sparse):
        """Return the form on columns x, of which the model sees ``(x - centre) / scale``."""
        weights = self.weights / scale
        moved = weights * centre
        constant, size = self.intercept - float(moved.sum()), self.size + float(np.abs(moved).sum())
        return LinearForm(weights, constant, size, takes_sparse)


def linear_form(scorer, values=None):
    """Return the `LinearForm` of what `score_rows` gives, or None where the score is of another kind.

    Parameters
    ----------
    scorer : object
        A fitted model or a function. Only known classes are looked into, and no child of theirs, which may score
        otherwise: the linear methods of this package, the linear classifiers of scikit-learn, and pipelines of scalers
        and one of these.
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
    >>> from nproc.scorers.linear_form import linear_form
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> form = linear_form(get_scorer("logistic").fit(X, y))
    >>> form.weights.round(4), round(form.intercept, 4)
    (array([0.9082]), -1.3623)
    >>> linear_form(get_scorer("tree").fit(X, y)) is None
    True
    """
    form = _own_form(scorer)
    if form is None:
        return None
    return form.reversed() if class0_comes_second(scorer, values) else form


def _own_form(scorer):
    """Return the form of a model's own ``decision_function``."""
    kind = type(scorer)
    if kind is _loaded("sklearn.pipeline", "Pipeline"):
        return _pipeline_form(scorer)
    if any(kind is _loaded(module, name) for module, names in LINEAR_OF_SKLEARN.items() for name in names):
        return _form(scorer, takes_sparse=True)
    if kind not in SOMETIMES_LINEAR or not SOMETIMES_LINEAR[kind](scorer):
        return None
    form = _form(scorer, takes_sparse=scorer._accepts_sparse)
    if form is not None and kind is SparseLogisticClassifier:
        # the model itself adds the constant of the log-odds, then takes off those of its threshold
        form = replace(form, size=form.size + 2.0 * abs(float(logit(scorer.threshold_))))
    return form


def _loaded(module, name):
    """Return a class of another package if its module is loaded, as it is where there is a model of that class."""
    return getattr(sys.modules.get(module), name, None)


def _form(scorer, *, takes_sparse):
    """Return the form of coefficients of shape (p,) or (1, p); None for several rows of them, or sparse ones."""
    coef, constant = scorer.coef_, np.ravel(scorer.intercept_)
    if sparse.issparse(coef) or constant.size != 1:
        return None
    weights = np.asarray(coef, dtype=np.float64)
    if weights.ndim == 2 and weights.shape[0] == 1:
        weights = weights[0]
    constant = float(constant[0])
    return LinearForm(weights, constant, abs(constant), takes_sparse) if weights.ndim == 1 else None


def _pipeline_form(pipeline):
    *before, (_, last) = pipeline.steps
    form = _own_form(last)
    for _, step in reversed(before):
        if form is None:
            return None
        if step is None or isinstance(step, str):
            # "passthrough"
            continue
        own = type(step) is ColumnScaler
        scaler = step.scaler_ if own else step
        if type(scaler) is not _loaded("sklearn.preprocessing", "StandardScaler"):
            return None
        centre = scaler.mean_ if scaler.with_mean else np.zeros(form.weights.size)
        scale = scaler.scale_ if scaler.with_std else np.ones(form.weights.size)
        # a scaler that centres refuses a sparse X, but for the package's own, which makes it dense
        takes_sparse = own if scaler.with_mean else form.takes_sparse
        form = form.after_scaling(centre, scale, takes_sparse)
    return form
