"""The scikit-learn face of `npcs`."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nproc.multiclass.cost_sensitive import npcs
from nproc.multiclass.estimator import SeveralClasses
from nproc.sklearn_face import check_target, record_columns


class NPCSClassifier(SeveralClasses):
    """The cost-sensitive classifier of several classes as a scikit-learn estimator; it promises no bound.

    It runs the same code as `npcs` and gives the same labels for the same seed.

    Parameters
    ----------
    method : str or estimator
        As in `npcs`.
    alphas : dict
        Level aimed at for the total error of each of some classes: ``{label: alpha}``.
    weights : dict, optional
        Weights of the errors in the objective, as in `npcs`.
    variant : {"cx", "er"}
        Plug-in dual on the training rows, or empirical errors of held-out rows.
    split_ratio : float
        Share of the rows that train, for "er".
    method_params : dict, optional
        Arguments of a named method.
    random_state : None, int, Generator or RandomState
        Source of randomness.

    Attributes
    ----------
    fit_ : NPCSFit
        The classifier, with summary, evaluate, decision_function and plot.
    classes_ : ndarray, shape (K,)
        The labels in sorted order.
    costs_ : ndarray, shape (K,)
        What the probability of each class is multiplied by.
    feasible_ : bool
        False where the levels seem out of reach, see `NPCSFit`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the training rows had names.

    See Also
    --------
    npcs : the same as a function.
    NPMultiClassifier : a classifier with a bound.

    Notes
    -----
    Levels are met on average at best: in simulations each was exceeded in 42 to 75 % of the samples, see `npcs`.

    References
    ----------
    NPMC-CX and NPMC-ER of [tian2025]_, see `nproc.multiclass.cost_sensitive`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NPCSClassifier("lda", alphas={2: 0.1}, random_state=1).fit(X, y)
    >>> model.feasible_, model.predict(X[:3])
    (True, array([0, 0, 0]))
    """

    def __init__(
        self,
        method="logistic",
        *,
        alphas=None,
        weights=None,
        variant="cx",
        split_ratio=0.5,
        method_params=None,
        random_state=None,
    ):
        self.method = method
        self.alphas = alphas
        self.weights = weights
        self.variant = variant
        self.split_ratio = split_ratio
        self.method_params = method_params
        self.random_state = random_state

    def fit(self, X, y):
        """Return self after choosing the costs.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (n, p)
            The rows.
        y : array-like, shape (n,)
            Labels with two or more distinct values.

        Returns
        -------
        NPCSClassifier

        Raises
        ------
        InvalidInputError, TooFewSamplesError
            As in `npcs`.
        """
        check_target(self, y)
        fit = npcs(
            X,
            y,
            self.method,
            alphas=self.alphas,
            weights=self.weights,
            variant=self.variant,
            split_ratio=self.split_ratio,
            method_params=self.method_params,
            random_state=self.random_state,
        )
        self.fit_ = fit
        self.classes_ = np.array(fit.labels)
        self.costs_ = fit.costs
        self.feasible_ = fit.feasible
        record_columns(self, fit.design)
        return self

    def decision_function(self, X):
        """Return cost times estimated probability of each class, shape (m, K)."""
        check_is_fitted(self)
        return self.fit_.decision_function(X)
