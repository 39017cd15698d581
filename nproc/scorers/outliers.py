"""Outlier detectors: which of the user's labels their outliers are decides the sign of their scores."""

import copy

import numpy as np
from sklearn.base import clone, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from nproc.checks import check_choice, check_one_label
from nproc.errors import InvalidInputError
from nproc.scorers.adapter import last_model
from nproc.scorers.base import BinaryScorer, with_parameters
from nproc.scorers.trained_parts import owner_of

TRAIN_ON = ("inliers", "all")


@with_parameters
class OutlierScorer(BinaryScorer):
    """A scorer from an outlier detector and the label that its outliers have, which decides the sign of its scores.

    A detector knows normal and abnormal rows but no labels. scikit-learn's score normal rows higher, PyOD's abnormal
    ones. The sign that makes larger scores mean class 1 therefore follows from what the detector documents and from
    `outliers`; the data are not used for this.

    Parameters
    ----------
    detector : estimator
        An outlier detector of scikit-learn or PyOD with ``decision_function``, or a pipeline that ends in one;
        `LocalOutlierFactor` needs ``novelty=True``. It is cloned and trained, but with ``prefit=True`` in `npc` a
        trained one is used as it is.
    outliers : label
        The label of y whose rows are abnormal.
    train_on : {"inliers", "all"}
        Rows that train the detector: only those that have the other label, which is what OneClassSVM and
        `LocalOutlierFactor` with ``novelty=True`` are made for and hurts no other detector, or all training rows.
    labels : sequence of two labels, optional
        Set by `npc` and the other fitting functions, which train on 0 and 1: the original labels.

    Attributes
    ----------
    detector_ : estimator
        The trained detector.
    classes_ : ndarray, shape (2,)
        The labels of y; scores are larger for the second.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from nproc import npc
    >>> from nproc.scorers import OutlierScorer
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(size=(300, 2)), rng.normal(size=(50, 2)) + 5]
    >>> y = np.repeat(["fine", "faulty"], [300, 50])
    >>> scorer = OutlierScorer(IsolationForest(random_state=0), outliers="faulty")
    >>> fit = npc(X, y, scorer, class0="fine", random_state=1)
    >>> fit.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    ['fine', 'faulty']
    """

    detector: object
    outliers: object
    train_on: str = "inliers"
    labels: object = None

    def fit(self, X, y):
        """Train a clone of the detector on the rows that `train_on` names; return self."""
        check_choice(self.train_on, "train_on", TRAIN_ON)
        if not is_detector(self.detector):
            raise InvalidInputError(
                f"detector must be an outlier detector such as IsolationForest(), got {self.detector!r}."
            )
        X, codes = self._read_training(X, y)
        self._outliers_second = self._position(self.classes_ if self.labels is None else self.labels) == 1
        rows = codes != self._outliers_second if self.train_on == "inliers" else slice(None)
        self.detector_ = clone(self.detector).fit(X[rows])
        if not hasattr(self.detector_, "decision_function"):
            raise InvalidInputError(
                f"{type(last_model(self.detector)).__name__} has no decision_function for new rows. "
                "LocalOutlierFactor has one with novelty=True."
            )
        return self

    def _read_new(self, X):
        check_is_fitted(self)
        # a detector that was trained by itself reads its rows itself
        return super()._read_new(X) if hasattr(self, "n_features_in_") else X

    def used_as_it_is(self, values):
        """Make a copy that scores by the trained detector, for two labels, that of class 0 first."""
        twin = copy.copy(self)
        twin.labels = values.tolist()
        twin._outliers_second = self._position(twin.labels) == 1
        twin.detector_, twin.classes_ = self.detector, values
        return twin

    def _position(self, labels):
        check_one_label(self.outliers, "outliers")
        found = [position for position, label in enumerate(labels) if label == self.outliers]
        if not found:
            shown = " and ".join(repr(label) for label in np.asarray(labels).tolist())
            raise InvalidInputError(f"outliers={self.outliers!r} is not a label in y, which has {shown}.")
        return found[0]

    def _score(self, X):
        model = last_model(self.detector_)
        # PyOD: larger = more abnormal, with a threshold beside it; scikit-learn: larger = more normal, cut at 0
        raw = np.asarray(self.detector_.decision_function(X), dtype=np.float64)
        abnormal = raw - float(getattr(model, "threshold_", 0.0)) if _is_pyod(model) else -raw
        return abnormal if self._outliers_second else -abnormal

    def describe_sign(self):
        """Tell in a sentence where the sign of the scores comes from."""
        return f"Outliers are {self.outliers!r}; the sign of the scores follows from that and from no data."


def is_detector(model):
    """Return whether a model is an outlier detector, or a pipeline or search that ends in one."""
    return any(
        _is_pyod(part) or (hasattr(part, "__sklearn_tags__") and is_outlier_detector(part))
        for part in (model, last_model(model))
        if not isinstance(part, type)
    )


def _is_pyod(model):
    return any(
        kind.__module__ == "pyod.models.base" and kind.__name__ == "BaseDetector" for kind in type(model).__mro__
    )


def refuse_detector(model, name):
    """Raise if `model` is an outlier detector, whose sign nothing tells."""
    model = owner_of(model)
    params = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    inside = [path for path, part in params.items() if is_detector(part) and not _told(path, params, model)]
    if inside and not is_detector(model):
        raise InvalidInputError(
            f"{name} contains the outlier detector {type(params[inside[0]]).__name__}, as {inside[0]}. Its scores "
            "show which rows are normal, but not which label these rows have. Put it into "
            "nproc.scorers.OutlierScorer(detector, outliers=label) there."
        )
    if is_detector(model):
        raise InvalidInputError(
            f"{name} is the outlier detector {type(last_model(model)).__name__}. Its scores show which rows are "
            "normal, but not which label these rows have. With the wrong sign almost no class 1 row would be "
            f"found. Say which label its outliers have, nproc.scorers.OutlierScorer({type(model).__name__}(...), "
            "outliers=label), or give a function of X with prefit=True whose values are larger for class 1."
        )


def _told(path, params, model):
    """Return whether a part stands in an `OutlierScorer`, which knows the label of its outliers."""
    names = path.split("__")
    around = [model, *(params.get("__".join(names[:end])) for end in range(1, len(names)))]
    return any(isinstance(part, OutlierScorer) for part in around)


def outlier_scorers(scorer):
    """Return every `OutlierScorer` in an estimator by the name of its parameter, "" for the estimator itself."""
    params = scorer.get_params(deep=True) if hasattr(scorer, "get_params") else {}
    return {path: part for path, part in {"": scorer, **params}.items() if isinstance(part, OutlierScorer)}


def name_outliers(scorer, values, prefit):
    """Return `scorer` with the user's labels told to every `OutlierScorer` in it; the very object if there is none.

    Parameters
    ----------
    scorer : object
        What is trained on 0 and 1, or with `prefit` used as it is.
    values : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    prefit : bool
        Whether it is trained.
    """
    if prefit:
        given = isinstance(scorer, OutlierScorer) and not hasattr(scorer, "detector_")
        return scorer.used_as_it_is(values) if given else scorer
    if not hasattr(scorer, "get_params"):
        return scorer
    parts, named = {"": scorer, **scorer.get_params(deep=True)}, outlier_scorers(scorer)
    for key, value in parts.items():
        if isinstance(value, dict | list) and key.rpartition("__")[2] in ("param_grid", "param_distributions"):
            _refuse_candidates(value, key)
    if not named:
        return scorer
    for part in named.values():
        part._position(values)
    labels = values.tolist()
    return clone(scorer).set_params(**{f"{path}__labels" if path else "labels": labels for path in named})


def _refuse_candidates(value, key):
    if isinstance(value, OutlierScorer):
        raise InvalidInputError(
            f"{key} has an OutlierScorer among its candidates. npc cannot pass the labels to a candidate of a "
            "search. Put it into the estimator of the search, and search over its parameters, such as its "
            "detector."
        )
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        _refuse_candidates(part, key)
