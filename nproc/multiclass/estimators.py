"""The scikit-learn face of `npc_multiclass`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from nproc.checks import Seed
from nproc.estimator import check_target, parameters_of, record_columns
from nproc.fits import unmet_by_callers
from nproc.inputs import tell_names_of_r
from nproc.multiclass.costs import npcs
from nproc.multiclass.priority import npc_multiclass
from nproc.multiclass.result import INSTEAD_OF_CERTIFY
from nproc.rows import Table
from nproc.scorers import MethodLike, RowClassifier, with_parameters


class SeveralClasses(RowClassifier):
    """What the estimators of several classes share once they have a ``fit_``."""

    def predict(self, X):
        """Return the predicted labels, shape (m,)."""
        check_is_fitted(self)
        self.fit_.design.refuse_other_order(X)
        return self.fit_.predict(X)

    def summary(self):
        """Return the summary of the fitted classifier."""
        check_is_fitted(self)
        return self.fit_.summary()

    # a type checker shall not take any name for an attribute
    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Raise AttributeError. If the fit has the attribute, the message says so."""
            way = ""
            if name == "certify":
                way = f" {INSTEAD_OF_CERTIFY}."
            elif name == "predict_proba":
                way = f" {self._instead_of_probabilities}"
            elif not name.startswith("_") and hasattr(self.__dict__.get("fit_"), name):
                way = f" The fit has it: use fit_.{name}."
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.{way}", name=name, obj=self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # it spends its errors up to the levels, whatever that costs in accuracy
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = False
        return tags


@with_parameters
class NPMultiClassifier(SeveralClasses):
    """A Neyman-Pearson classifier of classes in a decreasing order of priority, as a scikit-learn estimator.

    It runs the same code as `npc_multiclass` and gives the same labels for the same seed.

    Parameters
    ----------
    method : str or estimator or function
        As in `npc_multiclass`.
    priority : sequence of labels, optional
        All labels, from the highest priority to the lowest; None takes them in sorted order, with a warning if they are
        texts.
    alphas, deltas : float or sequence of float, length K - 1
        For each class but the last: P(called a class of lower priority | class) is at most alpha with probability at
        least 1 - delta.
    split_ratio : float
        Share of the rows of each class but the last that train.
    scheme : {"joint", "separate"}
        How thresholds count rows that an earlier stage calls a class of higher priority.
    stage_score : {"against_lower", "own"}
        What a model of all classes is asked.
    prefit : bool
        Use `method` as it is.
    method_params : dict, optional
        Arguments of a named method.
    random_state : None, int, Generator or RandomState
        Source of randomness.

    Attributes
    ----------
    fit_ : NPMultiFit
        The classifier, with summary, evaluate, decision_function and plot.
    classes_ : ndarray, shape (K,)
        The labels in sorted order, as scikit-learn expects.
    priority_ : ndarray, shape (K,)
        The labels in the order of priority.
    thresholds_, orders_ : ndarray, shape (K - 1,)
        Threshold of each class but the last, in the order of priority, and its rank.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the training rows had names.

    See Also
    --------
    npc_multiclass : the same as a function, with what is proved and what is not.

    Notes
    -----
    The guarantee requires that the levels and the method were chosen without the rows given to ``fit``. The
    ``best_estimator_`` of a search over this estimator has none, and its summary says so.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NPMultiClassifier("lda", priority=[2, 0, 1], alphas=0.15, deltas=0.1, random_state=1).fit(X, y)
    >>> model.priority_
    array([2, 0, 1])
    """

    _instead_of_probabilities = (
        "It has no probabilities, because thresholds of scores decide in stages. fit_.decision_function has score "
        "minus threshold of each stage."
    )

    method: MethodLike = "logistic"
    _: KW_ONLY
    priority: Sequence[Any] | None = None
    alphas: float | Sequence[float] = 0.05
    deltas: float | Sequence[float] = 0.05
    split_ratio: float = 0.5
    scheme: Literal["joint", "separate"] = "joint"
    stage_score: Literal["against_lower", "own"] = "against_lower"
    prefit: bool = False
    method_params: Mapping[str, Any] | None = None
    random_state: Seed = None

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Return self after setting a threshold for every class but the last.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (n, p)
            The rows.
        y : array-like, shape (n,)
            Labels with two or more distinct values.

        Returns
        -------
        NPMultiClassifier

        Raises
        ------
        InvalidInputError, TooFewSamplesError
            As in `npc_multiclass`.
        """
        check_target(self, y)
        fit = npc_multiclass(X, y, **parameters_of(self, NPMultiClassifier))
        fit = self.fit_ = replace(fit, unmet=(*fit.unmet, *unmet_by_callers()))
        self.classes_ = np.sort(fit.labels)
        self.priority_ = fit.labels
        self.thresholds_ = fit.thresholds
        self.orders_ = fit.orders
        record_columns(self, fit.design)
        return self


@with_parameters
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
    At best the errors equal their levels on average: in simulations each level was exceeded in 42 to 75 % of the
    samples, see `npcs`.

    References
    ----------
    NPMC-CX and NPMC-ER of [tian2025]_, see `nproc.multiclass.costs`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NPCSClassifier("lda", alphas={2: 0.1}, random_state=1).fit(X, y)
    >>> model.feasible_, model.predict(X[:3])
    (True, array([0, 0, 0]))
    """

    _instead_of_probabilities = "Its decision_function has cost times estimated probability, and costs_ has the costs."

    method: MethodLike = "logistic"
    _: KW_ONLY
    alphas: Mapping[Any, Any] | None = None
    weights: Mapping[Any, Any] | None = None
    variant: Literal["cx", "er"] = "cx"
    split_ratio: float = 0.5
    method_params: Mapping[str, Any] | None = None
    random_state: Seed = None

    def fit(self, X: Table, y: ArrayLike) -> Self:
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
        fit = npcs(X, y, **parameters_of(self, NPCSClassifier))
        self.fit_ = fit
        self.classes_ = np.array(fit.labels)
        self.costs_ = fit.costs
        self.feasible_ = fit.feasible
        record_columns(self, fit.design)
        return self

    def decision_function(self, X: Table) -> NDArray[np.float64]:
        """Return cost times estimated probability of each class, shape (m, K)."""
        check_is_fitted(self)
        self.fit_.design.refuse_other_order(X)
        return self.fit_.decision_function(X)


tell_names_of_r(NPMultiClassifier, "npc_multiclass")
tell_names_of_r(NPCSClassifier, "npcs")
