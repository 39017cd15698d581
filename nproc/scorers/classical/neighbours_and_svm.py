"""k-nearest neighbours."""

import math

from scipy import sparse

from nproc.checks import check_choice, check_count
from nproc.scorers.base import BinaryScorer, with_parameters
from nproc.scorers.registry import register
from nproc.scorers.scaling import ColumnScaler, builds, register_estimator


@with_parameters
class NearestNeighbours(BinaryScorer):
    """The share of class 1 among the nearest training rows (sqrt(n) by default), for few columns and any boundaries.

    Parameters
    ----------
    n_neighbors : int, optional
        Number of neighbours; None is sqrt(n) rounded, for n training rows. More than n counts as n.
    weights : {'distance', 'uniform'}
        'distance' weights neighbours by 1 / distance. 'uniform' gives only k + 1 distinct scores, and tied
        scores cost a Neyman-Pearson classifier power.

    Attributes
    ----------
    scaler_ : ColumnScaler
        The fitted scaler.
    model_ : sklearn.neighbors.KNeighborsClassifier
        The fitted neighbours.
    classes_ : ndarray, shape (2,)
        The labels.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.classical.neighbours_and_svm import NearestNeighbours
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> NearestNeighbours(3, weights="uniform").fit(X, y).decision_function([[0.5], [4.5]]).round(6)
    array([-0.166667,  0.166667])
    """

    n_neighbors: int | None = None
    weights: str = "distance"

    _accepts_sparse = True

    def fit(self, X, y):
        """Store the standardised training rows; return self."""
        from sklearn.neighbors import KNeighborsClassifier

        check_choice(self.weights, "weights", ("distance", "uniform"))
        X, codes = self._read_training(X, y)
        n = X.shape[0]
        if self.n_neighbors is None:
            k = max(1, round(math.sqrt(n)))
        else:
            k = min(check_count(self.n_neighbors, "n_neighbors"), n)
        self.scaler_ = ColumnScaler().fit(X)
        # brute force, scikit-learn's choice in high dimension, finds small distances between equal rows, and
        # 1 / distance would make much of them; trees find 0
        algorithm = "auto" if sparse.issparse(X) else "kd_tree" if X.shape[1] <= 15 else "ball_tree"
        model = KNeighborsClassifier(k, weights=self.weights, algorithm=algorithm)
        self.model_ = model.fit(self.scaler_.transform(X), codes)
        return self

    def _score(self, X):
        # minus one half, so that zero parts the majority from the minority
        return self.model_.predict_proba(self.scaler_.transform(X))[:, 1] - 0.5


knn = register_estimator("knn", NearestNeighbours, sparse=True)


@register("svm", r_name="svm", sparse=True)
@builds("sklearn.svm.SVC", step="svc", unit_variance=True)
def svm(*, kernel="rbf", C=1.0, gamma="auto", degree=3, coef0=0.0, class_weight=None):
    """A support vector machine on standardised columns, for smooth curved boundaries; the score is its decision value.

    R: method "svm" (e1071::svm) with the same defaults: radial kernel, cost 1, gamma = 1 / p, columns scaled.
    R ranks by a probability from Platt's scaling, which needs an inner cross-validation; the decision
    value gives the same order without it.

    Parameters
    ----------
    kernel : {'rbf', 'linear', 'poly', 'sigmoid'}
        Kernel; e1071 calls 'rbf' "radial" and 'poly' "polynomial".
    C : float
        Cost of a violated margin (e1071: cost).
    gamma : 'auto', 'scale' or float
        Kernel width; 'auto' is 1 / p, the default of e1071.
    degree : int
        Degree of the polynomial kernel.
    coef0 : float
        Constant in the polynomial and sigmoid kernels.
    class_weight : None, 'balanced' or dict
        Weights of class 0 and 1 in the cost (e1071: class.weights).

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.svm.SVC.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("svm", C=10).named_steps["svc"]
    SVC(C=10, gamma='auto')
    """
