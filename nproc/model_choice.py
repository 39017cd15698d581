r"""A number to choose a model by where one error has a bound: the criterion of Neyman-Pearson validation.

References
----------
Section 5.4 of [gasso2011]_, which is in ``help(nproc.solvers)``, after [davenport2010]_.

.. [davenport2010] Davenport, M. A., Baraniuk, R. G. and Scott, C. D. (2010). Tuning support vector machines for
   minimax and Neyman-Pearson classification. IEEE Transactions on Pattern Analysis and Machine Intelligence 32(10).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import (
    as_array,
    check_keywords,
    check_level,
    check_levels,
    check_one_label,
    check_weights,
    is_label,
    is_number,
    shown_label,
    tells_names,
)
from nproc.errors import InvalidInputError, InvalidTypeError, NPWarning, warn_of_data
from nproc.rows import check_labels, check_same_rows, copied_rows

P = ParamSpec("P")
T = TypeVar("T")


@tells_names
def np_loss(type1: ArrayLike, type2: ArrayLike, alpha: ArrayLike = 0.05) -> Any:
    r"""Measure a classifier by one number: type II error plus the relative excess of the type I error over its bound.

    :math:`J = P_{nd} + \max(0, P_{fa} - \alpha) / \alpha`, where :math:`P_{fa}` is the type I error and
    :math:`P_{nd}` the type II error. Within the bound only the type II error counts; beyond it, each
    further :math:`\alpha` of type I error costs as much as missing all of class 1, so that a small bound is enforced
    strictly.

    Parameters
    ----------
    type1 : array-like
        Type I errors, between 0 and 1.
    type2 : array-like
        Type II errors, between 0 and 1; any shape that goes with that of `type1`.
    alpha : float or array-like
        The bound on the type I error, strictly between 0 and 1.

    Returns
    -------
    loss : float or ndarray
        J, at least 0 and the smaller the better; the common shape of the arguments.

    Raises
    ------
    InvalidInputError
        If an error lies outside [0, 1], alpha outside (0, 1), or the shapes do not go together.

    See Also
    --------
    np_score : The same as a scorer for scikit-learn.

    References
    ----------
    Section 5.4 of [gasso2011]_, after [davenport2010]_.

    Examples
    --------
    >>> from nproc.model_choice import np_loss
    >>> print(np_loss([0.04, 0.06], [0.3, 0.2], alpha=0.05))
    [0.3 0.4]
    """
    type1, type2 = check_levels(type1, "type1", closed=True), check_levels(type2, "type2", closed=True)
    alpha = check_levels(alpha, "alpha")
    try:
        np.broadcast_shapes(type1.shape, type2.shape, alpha.shape)
    except ValueError as error:
        raise InvalidInputError(
            f"type1, type2 and alpha must have shapes that go together, got {type1.shape}, {type2.shape} and "
            f"{alpha.shape}. Give arrays of one shape, or single numbers."
        ) from error
    # [()] turns an array without dimensions into a number
    return (type2 + np.maximum(0.0, type1 - alpha) / alpha)[()]


def _refuses_rows(function: Callable[P, T]) -> Callable[P, T]:
    """Make `np_score` say that it makes the scorer, where it is called in the place of the scorer or of a metric."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if len(args) > 1 and not is_number(args[0]):
            raise InvalidTypeError("np_score was not called: write scoring=np_score(alpha), such as np_score(0.1).")
        return function(*args, **kwargs)

    return called


@_refuses_rows
@tells_names
def np_score(alpha: float = 0.05, *, class0: object = None) -> NPScore:
    r"""Make a scorer for ``scoring=`` in scikit-learn: minus the Neyman-Pearson loss of the predicted labels.

    The scorer takes (estimator, X, y), predicts the labels of X, counts both errors and returns
    :math:`-J = -P_{nd} - \max(0, P_{fa} - \alpha) / \alpha` (larger is better), where :math:`P_{fa}` is
    the share of class 0 that is predicted as the other class, and :math:`P_{nd}` the share of the other class that
    is predicted as class 0. With it `sklearn.model_selection.GridSearchCV` (or its random and halving sisters) does
    the model selection of the papers, `LogisticRegressionCV` chooses its penalty, and `TunedThresholdClassifierCV` its
    threshold, by J of the labels at each.

    Parameters
    ----------
    alpha : float
        The bound on the type I error, strictly between 0 and 1; the same as that of the estimator, if it has one.
    class0 : label, optional
        The label whose error is bounded. None takes the class 0 of the estimator (or of the last step of a pipeline,
        or of the best estimator of a search): its ``class0_``, the ``class0`` of a fit of `npc`, or the label that is
        not its ``pos_label``. Where it has none, the first label of y in sorted order is taken.
        `TunedThresholdClassifierCV` hands on labels, not the estimator: there None always takes the first label.

    Returns
    -------
    score : NPScore
        A callable (estimator, X, y, sample_weight=None, groups=None) -> float, which can be pickled.

    Raises
    ------
    InvalidInputError
        If alpha is not a level. When called: if y has not exactly two labels (as in a fold without one of the
        classes), `class0` is not one of them, a prediction is none of them (as those of a regressor), the weights
        are not one number of at least 0 a row, some above 0 in each class, or groups are given for an estimator that
        predicts without them.

    Warns
    -----
    NPWarning
        When called: if the estimator has an ``alpha`` or a class 0 of its own, and it is another one.

    See Also
    --------
    np_loss : The loss J of given errors.

    Notes
    -----
    The labels are those that the estimator predicts by itself. `npc` does not use them, since it sets its own
    threshold. In a search that is the method of `npc`, this criterion may therefore prefer a bad score with a good
    threshold. On halves of page blocks at alpha = .05, a search between weighted logistic regression and boosting took
    the former in 10 of 10 samples, with a mean type II error of .494; with ``scoring="roc_auc"`` it took boosting, with
    .108. Use `np_score` for estimators that keep `alpha` by themselves.

    With ``sample_weight`` both shares are of the weight of a class instead of its rows. As to its own scorers,
    scikit-learn hands on the weights given to ``fit`` of a search; with metadata routing, those asked for by
    ``set_score_request``.

    An `NPClassifier` that was fitted with the values of ``groups`` needs them to predict as well. The scorer hands them
    on: with metadata routing use ``np_score(alpha).set_score_request(groups=True)``. If the groups are a column of X,
    give its name as ``groups`` instead; the scorer then needs no request.

    `RidgeClassifierCV` needs a ``cv``: without one it leaves out single rows and scores with codes that are all 0 for
    two classes, from which no scorer can tell the errors.

    Within a search scikit-learn turns an error of a scorer into a warning and the score NaN, unless told
    ``error_score="raise"``.

    The error rates of a fold are multiples of one over the number of its class 0 rows: with fewer than 1 / alpha of
    them, one false alarm breaks the bound. The choice alone guarantees nothing for new rows: it takes a model or a
    threshold that keeps the bound on the validation rows. A bound that holds with a stated probability needs a
    threshold set by `npc` on other rows: **rows used for such a choice must not set the threshold** of the umbrella
    algorithm (a search within ``npc(X, y, GridSearchCV(...))`` is safe: it sees training rows only).

    References
    ----------
    Section 5.4 of [gasso2011]_, after [davenport2010]_.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from nproc.model_choice import np_score
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> X = rng.normal(size=(400, 2)) + 1.5 * y[:, None]
    >>> weights = [{0: w, 1: 1} for w in (1, 5, 10, 50)]
    >>> search = GridSearchCV(LogisticRegression(), {"class_weight": weights}, scoring=np_score(alpha=0.05))
    >>> search.fit(X, y).best_params_
    {'class_weight': {0: 5, 1: 1}}
    """
    return NPScore(check_level(alpha, "alpha"), check_one_label(class0, "class0"))


@dataclass(frozen=True)
class NPScore:
    """Minus the Neyman-Pearson loss of an estimator's labels; made by `np_score`.

    Attributes
    ----------
    alpha : float
        The bound on the type I error.
    class0 : label or None
        The label whose error is bounded.
    """

    alpha: float = 0.05
    class0: object = None
    _requests: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    # what scikit-learn reads of a scorer that is to become one of thresholds; its own class would cost its import
    _sign = 1
    _response_method = "predict"
    _kwargs = property(lambda self: {})

    # of a function, which make_scorer takes it for, it is shown before the call
    __name__ = "np_score"

    def __call__(self, estimator, X, y=None, *, sample_weight=None, groups=None, **of_metric):
        """Return the score of `estimator` on rows `X` with labels `y`, a float; 0 is perfect, larger is better."""
        if y is None and not hasattr(estimator, "predict"):
            raise InvalidTypeError(
                f"np_score is a scorer already and takes (estimator, X, y), but was called without an estimator, as by "
                f"make_scorer. Pass it as it is: scoring={self!r}."
            )
        check_keywords(of_metric, ["estimator", "X", "y", "sample_weight", "groups"], "np_score")
        _refuse_ridge(estimator)
        _refuse_groups(estimator, groups)
        check_same_rows(X=X, y=y, sample_weight=sample_weight, groups=groups)
        own = model_with_class0(estimator)
        self._tell_of_other_alpha(own)
        class0 = self.class0 if self.class0 is not None else class0_of(own)
        labels = _checked_labels(y, class0)
        self._tell_of_other_class0(own, labels)
        predicted = estimator.predict(copied_rows(X), **({} if groups is None else {"groups": groups}))
        says_class0 = _says_class0(predicted, labels, f"{type(estimator).__name__}.predict")
        return self._minus_loss(labels, says_class0, sample_weight)

    def __repr__(self):
        class0 = "" if self.class0 is None else f", class0={self.class0!r}"
        return f"np_score(alpha={self.alpha:g}{class0})"

    def set_score_request(self, **requests):
        """Return self, which then asks for weights or groups of rows, as any scorer where metadata routing is enabled.

        Parameters
        ----------
        **requests : bool, None or str
            ``sample_weight`` and ``groups``: whether they are asked for, or a name for them, as in scikit-learn. What
            is not mentioned stays as it was.
        """
        from sklearn.metrics import make_scorer

        check_keywords(requests, ["sample_weight", "groups"], "set_score_request")
        # raises where routing is off, or for a request that is none
        make_scorer(self._score_func).set_score_request(**requests)
        self._requests.update(requests)
        return self

    def get_metadata_routing(self):
        """Return scikit-learn's description of what the scorer asks for."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        # groups may be meant for the folds alone: nobody must say so to the scorer
        for param, alias in ({"sample_weight": None} | self._requests).items():
            request.score.add_request(param=param, alias=alias)
        return request

    # scikit-learn 1.7 asks so where a threshold is tuned
    _get_metadata_request = get_metadata_routing

    def _tell_of_other_alpha(self, own):
        alpha = getattr(own, "alpha", None)
        # sparse logistic regression has a level that it does not use unless its interval is made for it
        unused = getattr(own, "interval", "alpha") != "alpha"
        if unused or not is_number(alpha) or alpha == self.alpha:
            return
        warn_of_data(
            f"{self!r} scores {type(own).__name__}, which has alpha={alpha:g} of its own. A type I error between the "
            f"two levels keeps one of them and breaks the other. Give both the same level, as in np_score({alpha:g}).",
            NPWarning,
            "np_score and an estimator have two levels",
        )

    def _tell_of_other_class0(self, own, labels):
        class0 = stated_class0(own)
        first, second = labels.values.tolist()
        if self.class0 is None or class0 is None or class0 != second:
            return
        told = shown_label(class0)
        warn_of_data(
            f"{self!r} scores {type(own).__name__}, which has class0={told} of its own. The estimator controls "
            f"the errors of {told} rows, but the score bounds those of {first!r} rows. Give both the same class 0, "
            f"as in np_score({self.alpha:g}, class0={told}).",
            NPWarning,
            "np_score and an estimator have two classes 0",
        )

    def _accept_sample_weight(self):
        return True

    def _score_func(self, y_true, y_pred, sample_weight=None):
        """Return the score of predicted labels."""
        labels = _checked_labels(y_true, self.class0)
        return self._minus_loss(labels, _says_class0(y_pred, labels, "the classifier"), sample_weight)

    def _minus_loss(self, labels, says_class0, sample_weight):
        needed = "np_score needs rows with a weight in both classes to count both errors."
        given = sample_weight is not None
        weight = check_weights(sample_weight, labels.y, labels.values.tolist(), needed) if given else None
        wrong = says_class0 == (labels.y == 1)
        errors = (_share(wrong, labels.y == code, weight) for code in (0, 1))
        return -float(np_loss(*errors, self.alpha))


def model_with_class0(estimator):
    """Return the estimator, inside a pipeline or a search, that has a class 0 of its own, or None."""
    # neither a pipeline nor a search passes on the attributes of what it holds
    while estimator is not None and class0_of(estimator) is None:
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
    return estimator


def class0_of(estimator):
    """Return the label of class 0 of a fitted estimator, of a fit of this package or of its twin in scikit-learn."""
    class0 = stated_class0(estimator)
    # scikit-learn's classifier with a fixed threshold says which label is class 1
    class1 = getattr(estimator, "pos_label", None)
    if class0 is None and class1 is not None and len(getattr(estimator, "classes_", [])) == 2:
        first, second = np.asarray(estimator.classes_).tolist()
        return first if class1 == second else second
    return class0


def stated_class0(estimator):
    """Return the label that an estimator or a fit itself calls class 0, or None."""
    class0 = getattr(estimator, "class0_", getattr(estimator, "class0", None))
    # a model of others may have a method or a list of this name
    return class0 if is_label(class0) and not callable(class0) else None


def fit_inside(model, X):
    """Return the fit of this package that a model is or holds, and the rows as they come to it; None where none is."""
    fronts = []
    while not hasattr(fit := getattr(model, "fit_", model), "_warn_of_own_rows"):
        steps = getattr(model, "steps", None)
        fronts += [step for _, step in steps[:-1]] if steps else []
        model = steps[-1][1] if steps else getattr(model, "best_estimator_", None)
        if model is None:
            return None, X
    # a step may write into the rows that it is given
    X = copied_rows(X) if fronts else X
    for front in fronts:
        # samplers and "passthrough" leave new rows as they are
        X = front.transform(X) if hasattr(front, "transform") else X
    return fit, X


def _refuse_ridge(estimator):
    # a class of scikit-learn's own use, which stands for the model in place of which single rows are left out
    if type(estimator).__name__ == "_IdentityClassifier":
        raise InvalidInputError(
            "RidgeClassifierCV without cv leaves out single rows and does not tell a scorer the labels of two classes, "
            "so that np_score cannot count errors there. Use RidgeClassifierCV(scoring=np_score(...), cv=5), or "
            "another number of folds."
        )


def _refuse_groups(estimator, groups):
    if groups is None:
        return
    parameters = signature(estimator.predict).parameters
    if "groups" not in parameters and all(entry.kind is not Parameter.VAR_KEYWORD for entry in parameters.values()):
        raise InvalidTypeError(
            f"np_score got groups, but {type(estimator).__name__}.predict takes none. Leave groups out, or score an "
            "NPClassifier that was fitted with groups."
        )


def _checked_labels(y, class0):
    values = as_array(y, "y")
    if values.ndim == 1 and values.size and np.all(values == values[0]):
        raise InvalidInputError(
            f"y has one class only ({values.tolist()[0]!r}, {values.size} rows); np_score needs rows of both classes "
            "to count both errors. Use stratified folds, fewer folds, or a larger validation set."
        )
    return check_labels(y, class0)


def _share(wrong, rows, weight):
    """Return the share of `rows`, or of their weight, that is wrong."""
    if weight is None:
        return np.mean(wrong[rows])
    # so that the sum is finite, and rounding does not carry the share beyond 1
    scaled = weight[rows] / weight[rows].max()
    return min(1.0, float(np.sum(scaled[wrong[rows]]) / np.sum(scaled)))


def _says_class0(predicted, labels, who):
    """Return where class 0 is predicted; a prediction that is neither label is an error."""
    predicted = as_array(predicted, who)
    if predicted.shape != labels.y.shape:
        raise InvalidInputError(
            f"{who} must give one label a row, shape {labels.y.shape}, got shape {predicted.shape}."
        )
    is_class0, is_class1 = (np.asarray(predicted == value) for value in labels.values.tolist())
    other = ~(is_class0 | is_class1)
    if np.any(other):
        first, second = labels.values.tolist()
        raise InvalidInputError(
            f"{who} gave {predicted[other].tolist()[0]!r}, which is not a label of y ({first!r} or {second!r}). "
            "np_score needs a classifier trained on these two labels, not a regressor."
        )
    return is_class0
