"""The scikit-learn face: the same body as `npc`, as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from nproc.api import npc
from nproc.checks import Seed, check_choice, shown_label
from nproc.errors import InvalidInputError, called_by, warn_at_call
from nproc.fits import NPFit, unmet_by_callers
from nproc.inputs import tell_names_of_r
from nproc.row_chunks import RowChunks
from nproc.rows import Table, as_column, check_same_length, check_same_rows, encode_labels, label_array
from nproc.scorers import MethodLike, Resampler, RowClassifier, get_scorer, scorer_names, scorer_spec, with_parameters
from nproc.tables import Summary
from nproc.thresholds import GROUP_THRESHOLDS
from nproc.tuning import RatioChoice


def check_target(estimator, y):
    """Raise if `y` is missing, and warn in scikit-learn's words if it is a column."""
    if y is None:
        raise InvalidInputError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected; y.ravel() is the 1d array."
        warn_at_call(message, DataConversionWarning)


def _refuse_coded(class0, y):
    """Raise if class 0 is a text and the labels are codes, which a tool around the estimator has made."""
    whole = isinstance(y, np.ndarray) and y.dtype.kind in "iu"
    if isinstance(class0, str) and whole and np.unique(y).tolist() == [0, 1]:
        fact = f"class0={shown_label(class0)} is not a label in y, which has 0 and 1."
        if called_by("sklearn.model_selection") and not called_by("sklearn.ensemble"):
            raise InvalidInputError(
                f"{fact} For method='predict_proba' pass the method itself to cross_val_predict, because NPClassifier "
                "has no predict_proba; its fit_ has estimates. For method='decision_function' give class0=0 or "
                "class0=1, because cross_val_predict codes the labels by 0 and 1 in sorted order."
            )
        raise InvalidInputError(
            f"{fact} Give class0=0 or class0=1. If y has other labels where you call, it is inside VotingClassifier, "
            "StackingClassifier or BaggingClassifier, which code the labels by 0 and 1 in sorted order; their own "
            "labels have no guarantee."
        )


def parameters_of(estimator, kind):
    """Return the parameters of an estimator that are those of a class, also where a child has a constructor of its own.

    ``get_params`` would lose what the child's constructor has set and does not take itself.
    """
    return {entry.name: getattr(estimator, entry.name) for entry in fields(kind)}


def record_columns(estimator, design):
    """Set ``n_features_in_``, and ``feature_names_in_`` where the columns have names."""
    estimator.n_features_in_ = design.n_features
    if design.feature_names is not None:
        estimator.feature_names_in_ = np.array(design.feature_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        # of a fit before this one
        del estimator.feature_names_in_


@with_parameters
class NPClassifier(RowClassifier):
    """A Neyman-Pearson classifier as a scikit-learn estimator.

    It runs the same code as `npc` and gives the same labels for the same seed; it works in pipelines,
    grid searches and cross-validation.

    Parameters
    ----------
    method : str or estimator or function
        Name of a scoring method (see `describe_scorers`), a scikit-learn classifier or pipeline, or with ``prefit``
        a fitted model or function.
    alpha, delta : float
        The type I error is at most `alpha`, in (0, 1), with probability at least 1 - `delta`, with delta in (0, 0.5].
        Fix both before you see the rows.
    n_splits : int
        Number of random splits, whose classifiers vote. For three or more the guarantee of the vote is not proved, as
        in `npc`.
    split_ratio : float, "auto", "adaptive" or RatioChoice
        Share of the class 0 rows that train, as in `npc`.
    class0 : label, optional
        The label whose misclassification is controlled; None takes the first in sorted order, with a warning unless the
        labels are 0 and 1, -1 and 1, or False and True. With ``prefit=True`` None takes that of the model, as in `npc`.
    small_sample : {"error", "normal", "log_concave"}
        What to do where the left-out class 0 rows are too few for an order statistic, as in `npc`.
    ties : {"conservative", "randomize"}
        How a row with a score equal to the threshold is classified.
    rank : {"conservative", "randomize"}
        Whether the rank is drawn at random between two ranks, once for the whole fit, as in `npc`.
    vote : {"majority", "random"}
        How several splits decide, as in `npc`. With "random", `predict` draws anew in every call.
    cross_fit : int, optional
        Number of folds in place of a split, as in `npc`; its bound is not proved at `alpha`.
    group_thresholds : {"separate", "pooled"}
        With ``groups`` in `fit`: a threshold for each group, or one for all; without them it has no meaning.
    na_action : {"error", "omit"}
        What `fit` does with missing values: raise an error if the method cannot take them, or leave out every row that
        has one, as in `npc`. `predict` and `score` leave no row out: they refuse rows that the method cannot take. So
        in cross-validation impute inside the method, as with ``make_pipeline(SimpleImputer(), ...)``.
    prefit : bool
        Use `method` as it is. The rows given to `fit` set the threshold and must not have trained it. `fit` makes and
        keeps a deep copy of the model, as in `npc`, so you may train yours further after `fit`. A function is not
        copied, except a method such as ``model.predict``: it must keep giving the same scores. Scikit-learn's clone
        makes a model forget its training; in `cross_val_score` and in searches give ``FrozenEstimator(model)``.
    resample : object with ``fit_resample``, optional
        Resampling of the training rows.
    method_params : dict, optional
        Arguments of a named method, which `describe_scorers` lists.
    n_jobs : int, optional
        Number of splits that run at the same time, as in joblib.
    random_state : None, int, Generator or RandomState
        Source of randomness.
    verbose : int
        1 shows a progress bar on the standard error, 2 a line for every split.
    checkpoint : str or path, optional
        A folder in which trained splits are saved, as in `npc`. It requires `random_state`.

    Attributes
    ----------
    fit_ : NPFit
        The classifier, with summary, evaluate, votes, certify, p_values and plot.
    classes_ : ndarray, shape (2,)
        The two labels in sorted order, as scikit-learn expects.
    class0_ : label
        The controlled label.
    thresholds_, orders_ : ndarray, shape (n_splits,)
        Threshold of each split and its rank.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if the training rows had names.

    See Also
    --------
    npc : the same as a function, with formulas.

    Notes
    -----
    The guarantee holds only if alpha, delta and the method were chosen without the rows given to ``fit``. A search over
    this estimator, such as ``GridSearchCV(NPClassifier(...), {"alpha": [0.05, 0.1]})``, chooses by rows that then set
    the threshold of its ``best_estimator_``. For that classifier the guarantee does not hold, and its summary says so.
    A second fit to the same rows does not help. To tune the method, make the search the method,
    ``NPClassifier(GridSearchCV(...))``: it then sees only training rows. To choose alpha, look at a simultaneous band
    (see `nproc.nproc`), or choose on one part of the rows and fit on the other.

    It also does not hold if the estimator stands behind pipeline steps that learn from the rows, because these steps
    see the rows that set the threshold. A warning and the summary say so if a step is recognised as one that learns
    from the labels: a selector of features, a sampler such as SMOTE, a target encoder, or a step of your own whose
    ``fit`` requires ``y``, also if it is frozen. Other steps are not checked. A step of your own with
    ``fit(X, y=None)`` may use the labels, which the package cannot know. Steps that ignore the labels are no exception:
    in 20 samples of noise, 200 rows and 200 columns each, ``PCA(whiten=True)`` before the estimator, with
    ``LogisticRegression()`` as the method, gave a mean type I error of 0.49 for alpha = 0.1. Put all such steps into
    the pipeline given as `method`, and SMOTE there or into `resample`.

    What wraps the estimator may replace its `predict`: `CalibratedClassifierCV`, `VotingClassifier`,
    `StackingClassifier`, `BaggingClassifier` and `TunedThresholdClassifierCV` call labels by a rule of their own, for
    which nothing is guaranteed. Wrap the method instead, such as ``NPClassifier(CalibratedClassifierCV(...))``.
    `VotingClassifier`, `StackingClassifier` and `BaggingClassifier` recode the labels as 0 and 1 in sorted order.
    Inside them ``class0=1`` means the second label, even if the labels are 1 and 2.

    Examples
    --------
    >>> from nproc import NPClassifier
    >>> from nproc.datasets import load_breast_cancer_np
    >>> cancer = load_breast_cancer_np()
    >>> model = NPClassifier("lda", class0="malignant", random_state=1).fit(cancer.X, cancer.y)
    >>> model.fit_.evaluate(cancer.X, cancer.y).n0
    212
    """

    method: MethodLike = "logistic"
    _: KW_ONLY
    alpha: float = 0.05
    delta: float = 0.05
    n_splits: int = 1
    split_ratio: float | str | RatioChoice = "auto"
    class0: object = None
    small_sample: Literal["error", "normal", "log_concave"] = "error"
    ties: Literal["conservative", "randomize"] = "conservative"
    rank: Literal["conservative", "randomize"] = "conservative"
    vote: Literal["majority", "random"] = "majority"
    cross_fit: int | None = None
    group_thresholds: Literal["separate", "pooled"] = "separate"
    na_action: Literal["error", "omit"] = "error"
    prefit: bool = False
    resample: Resampler | None = None
    method_params: Mapping[str, Any] | None = None
    n_jobs: int | None = None
    random_state: Seed = None
    verbose: int = 0
    checkpoint: str | PathLike[str] | None = None

    # what fit takes besides, for metadata routing; as arguments by name ensembles would find them, see fit
    __metadata_request__fit = {"sample_weight": None, "groups": None, "clusters": None}  # noqa: RUF012

    def fit(self, X: Table | RowChunks, y: ArrayLike | None = None, *weights: Any, **fit_params: Any) -> Self:
        """Return self after running the umbrella algorithm on `X` and `y`.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (n, p), or RowChunks
            The rows. With ``prefit=True`` also rows larger than memory, as in `npc`.
        y : array-like, shape (n,)
            Labels with two distinct values. Left out only with `RowChunks`, which have their labels with them.
        *weights
            ``sample_weight`` as third argument, as scikit-learn's own estimators take it.
        **fit_params
            ``sample_weight``: weights, shape (n,), for the training of the scorer. A weight of 2 differs from a row
            given twice, because the threshold ignores weights. Scikit-learn's ensembles assume that the two agree if
            `fit` has an argument ``sample_weight``, so here it is not a named argument. ``groups`` or ``clusters``: as
            in `npc`, one value a row or the name of a column. With metadata routing ask for them by
            ``set_fit_request(groups=True)`` and the like.

        Returns
        -------
        NPClassifier

        Raises
        ------
        InvalidInputError, TooFewSamplesError
            As in `npc`.
        """
        if len(weights) > 1 or (weights and "sample_weight" in fit_params):
            raise InvalidInputError("fit accepts X, y and sample_weight by position, and each of them once.")
        fit_params |= {"sample_weight": weights[0]} if weights else {}
        unknown = sorted(set(fit_params) - {"sample_weight", "groups", "clusters"})
        if unknown:
            early = " A method that stops early must divide the rows that it gets." * ("eval_set" in unknown)
            early += " The table of a formula follows it: fit(formula, data)." * ("data" in unknown)
            raise InvalidInputError(f"fit accepts only sample_weight, groups and clusters, got {unknown}.{early}")
        groups = fit_params.get("groups")
        check_choice(self.group_thresholds, "group_thresholds", GROUP_THRESHOLDS)
        if not isinstance(X, RowChunks):
            check_target(self, y)
            _refuse_coded(self.class0, y)
        params = parameters_of(self, NPClassifier)
        if groups is None:
            # of no meaning without groups, where npc refuses what would be ignored
            del params["group_thresholds"]
        fit = npc(X, y, **params, **fit_params)
        fit = self.fit_ = replace(fit, unmet=(*fit.unmet, *unmet_by_callers()))
        self.classes_ = np.sort(fit.labels)
        self.class0_ = fit.class0
        self.thresholds_ = fit.thresholds
        self.orders_ = fit.orders
        record_columns(self, fit.design)
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters and return self. Those of an estimator given as `method` are named ``method__name``.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        NPClassifier

        Raises
        ------
        InvalidInputError
            For ``method__name`` where `method` is a name: `method_params` has the parameters of a named method.
        ValueError
            If there is no such parameter.
        """
        inner = [name.partition("__")[2] for name in params if name.startswith("method__")]
        method = params.get("method", self.method)
        if inner and isinstance(method, str):
            # raises if the method has no such parameter
            get_scorer(method, **{name: params[f"method__{name}"] for name in inner})
            raise InvalidInputError(
                f"method={method!r} is a name, so method__{inner[0]} cannot be set. Use "
                f"method_params={{{inner[0]!r}: ...}}, and in a grid a list of such dicts."
            )
        return super().set_params(**params)

    def predict(self, X: Table, groups: ArrayLike | None = None) -> NDArray[Any]:
        """Return the predicted labels of new rows.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows. In a table with names the columns of the fit are found by name, and further ones are ignored. A
            table that has only the columns of the fit must have them in its order, as for all estimators of
            scikit-learn; ``fit_.predict`` takes them in any order.
        groups : array-like, shape (m,), or str, optional
            The group of each row, for separate thresholds by group.

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        InvalidInputError
            If X does not have the columns of the fit or has only these in another order, a value is not finite, or
            groups are needed and missing or unknown.
        """
        check_is_fitted(self)
        self.fit_.design.refuse_other_order(X)
        return self.fit_.predict(X, **_of_groups(self.fit_, groups), n_jobs=self.n_jobs)

    def decision_function(self, X: Table, groups: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the margin for ``classes_[1]``. Its sign is the prediction, unless the prediction is random.

        With ``vote="random"`` the sign is that of the majority, and with ``ties="randomize"`` a margin of 0 decides
        nothing.

        When ``classes_[1]`` is the controlled label, the margin of `NPFit.decision_function` is negated, since
        scikit-learn takes positive values for ``classes_[1]``.

        Parameters
        ----------
        X : array-like or DataFrame, shape (m, p)
            New rows, as in `predict`.
        groups : array-like, shape (m,), or str, optional
            For a fit with ``groups``, as in `NPGroupFit.decision_function`.

        Returns
        -------
        ndarray of float, shape (m,)
            Above 0 exactly where `predict` says ``classes_[1]``; with ``ties="randomize"`` except at exact ties,
            and with ``vote="random"`` except where the splits disagree.
        """
        check_is_fitted(self)
        self.fit_.design.refuse_other_order(X)
        margin = self.fit_.decision_function(X, **_of_groups(self.fit_, groups), n_jobs=self.n_jobs)
        if self.classes_[0] == self.class0_:
            return margin
        # a score equal to the threshold is called class 0, here classes_[1]: its margin must be above zero
        return np.where(margin == 0, np.nextafter(0.0, 1.0), -margin)

    def score(
        self, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> float:
        """Return the accuracy of `predict`, as scikit-learn's classifiers do.

        It is no measure of a Neyman-Pearson classifier, which gives up accuracy for a bound on one error. For both
        errors use ``fit_.evaluate``. A search without ``scoring`` maximises this accuracy, whatever the type I error;
        give it ``scoring=np_score(alpha)``.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            The rows.
        y : array-like, shape (m,)
            Their labels.
        sample_weight : array-like, shape (m,), optional
            Weights of the rows.
        groups : array-like, shape (m,), optional
            The group of each row, as in `predict`.

        Returns
        -------
        float

        Raises
        ------
        InvalidInputError
            If `X` and `y` have different numbers of rows or different row labels, a label was not in the training data,
            or groups are needed and missing or unknown.

        Warns
        -----
        NPWarning
            If many of the rows score exactly as rows that set the threshold, as rows of the fit do. In a search or a
            cross-validation, which asks for such scores on purpose, nothing is said.
        """
        check_is_fitted(self)
        check_same_rows(X=X, y=y, sample_weight=sample_weight, groups=groups)
        check_same_length(X, y)
        codes = encode_labels(as_column(y, "y"), self.fit_.labels)
        if not called_by("sklearn.model_selection"):
            self.fit_._warn_of_own_rows(X, np.flatnonzero(codes == 0))
        if groups is None:
            return super().score(X, y, sample_weight)
        right = self.predict(X, groups) == label_array(as_column(y, "y"))
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def votes(self, X: Table, groups: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the share of splits that call each row class 1, shape (m,); `groups` as in `predict`."""
        check_is_fitted(self)
        self.fit_.design.refuse_other_order(X)
        return self.fit_.votes(X, **_of_groups(self.fit_, groups), n_jobs=self.n_jobs)

    def summary(self) -> Summary:
        """Return the summary of the fitted classifier."""
        check_is_fitted(self)
        return self.fit_.summary()

    # a type checker shall not take any name for an attribute
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError. If the fit has the attribute, the message says so."""
            way = ""
            if not name.startswith("_") and hasattr(NPFit, name):
                way = f" The fit has it: use fit_.{name}."
                if name == "predict_proba":
                    way += " Its columns follow fit_.labels, class 0 first, and not classes_."
                    way += " Its probabilities are estimates, and predict does not use them."
            elif name.endswith("_") and not name.startswith("_") and hasattr(self.__dict__.get("fit_"), "scorers"):
                place = _place_of(name, self.fit_.scorers[0], "fit_.scorers[0]")
                way = "" if place is None else f" The method that was trained has it: use {place}.{name}."
            words = f"{type(self).__name__!r} object has no attribute {name!r}.{way}"
            raise AttributeError(words, name=name, obj=self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # it spends its type I error up to alpha, whatever that costs in accuracy
        tags.classifier_tags.poor_score = True
        named = isinstance(self.method, str) and self.method in scorer_names()
        tags.input_tags.sparse = scorer_spec(self.method).sparse if named else True
        return tags


tell_names_of_r(NPClassifier, "npc")


def _place_of(name, scorer, path):
    """Return where a trained method, its last step or its best estimator has an attribute, or None."""
    if hasattr(scorer, name):
        return path
    if getattr(scorer, "steps", None):
        return _place_of(name, scorer.steps[-1][1], f"{path}[-1]")
    if hasattr(scorer, "best_estimator_"):
        return _place_of(name, scorer.best_estimator_, f"{path}.best_estimator_")
    return None


def _of_groups(fit, groups):
    if groups is not None and not hasattr(fit, "group_values"):
        raise InvalidInputError("groups= is for a classifier that was fitted with groups=, and this one was not.")
    return {} if groups is None else {"groups": groups}
