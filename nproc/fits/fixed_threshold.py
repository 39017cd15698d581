"""A fitted rule of one split as scikit-learn's own classifier with a fixed threshold."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.metaestimators import available_if

from nproc.checks import rows_in
from nproc.fits.probabilities import both_probabilities, log_odds_shift, probability_of_class1
from nproc.row_chunks import score_new_rows, showing_rows
from nproc.rows import Design
from nproc.scorers import leaves_rows, score_rows, scoring_method, with_parameters


@with_parameters
class ScoredRows(ClassifierMixin, BaseEstimator):
    """A trained scorer under the user's own labels and column names, for scikit-learn.

    Parameters
    ----------
    scorer : object
        The trained scorer.
    design : Design
        Turns new rows into what the scorer sees.
    labels : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    prefit : bool
        Whether the scorer was trained on these labels rather than on 0 and 1.
    log_odds_shift : float, optional
        What is added to the log odds of its probabilities, for the class 0 rows that did not train.
    """

    scorer: object
    design: Design
    labels: np.ndarray
    prefit: bool = False
    log_odds_shift: float | None = None

    def fit(self, X, y):
        """Return self: the scorer is trained."""
        return self

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        """The two labels in sorted order."""
        return np.sort(self.labels)

    def decision_function(self, X):
        """Return the score for ``classes_[1]``, shape (m,): that of the split, negated if this is class 0.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        """
        score = partial(score_rows, self.scorer, values=self._values())
        with showing_rows(rows_in(X, "X")):
            scores = score_new_rows(score, self.design.transform(X))
        return scores if self._in_order() else -scores

    @available_if(lambda self: hasattr(self.scorer, "predict_proba"))
    def predict_proba(self, X):
        """Return the probabilities of `NPFit.predict_proba`, shape (m, 2), in the order of ``classes_``.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        """
        of_class1 = probability_of_class1(self.scorer, self.design.transform(X), self._values())
        found = both_probabilities(of_class1, self.log_odds_shift)
        return found if self._in_order() else found[:, ::-1]

    def _values(self):
        return self.labels if self.prefit else None

    def _in_order(self):
        return self.classes_.tolist()[1] == self.labels.tolist()[1]

    def predict(self, X):
        """Return the label with the larger score, at scikit-learn's threshold of 0, which controls no error.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        """
        return self.classes_[(self.decision_function(X) > 0).astype(np.int64)]


def fixed_threshold_classifier(fit, cut):
    """Return the `FixedThresholdClassifier` that calls class 1 where the score of a fit of one split is >= `cut`.

    The estimator inside is the scorer itself where scikit-learn's own reading of rows and labels is the same as ours,
    the scorer leaves rows as they are, and its probabilities, if it has any, need no correction; then the result needs
    nothing of this package. Otherwise it is a `ScoredRows`, which scores a copy of rows that the scorer may change.
    """
    scorer, design, labels = fit.scorers[0], fit.design, fit.labels
    shift = log_odds_shift(fit)
    as_it_is = _is_plain(scorer, design, labels, fit.prefit) and not (shift and hasattr(scorer, "predict_proba"))
    inner, method = scorer, scoring_method(scorer) if as_it_is else None
    if method not in ("decision_function", "predict_proba"):
        inner, method = ScoredRows(scorer, design, labels, fit.prefit, shift), "decision_function"
    twin = FixedThresholdClassifier(
        # frozen: training again, as cross-validation would, would void the threshold
        FrozenEstimator(inner),
        # as numpy's float, which raises single-precision scores to its own precision instead of stooping to theirs
        threshold=np.float64(cut),
        pos_label=labels.tolist()[1],
        response_method=method,
    )
    # what fit would set, without the rows that it asks for: check_is_fitted looks for them
    twin.estimator_ = twin.estimator
    twin.n_features_in_ = design.n_features
    twin.class0_ = fit.class0
    if design.feature_names is not None:
        twin.feature_names_in_ = np.array(design.feature_names, dtype=object)
    return twin


def smallest_above(threshold, guard):
    """Return the smallest float whose difference to the threshold is computed to be above the guard.

    scikit-learn calls class 1 where ``score >= cut``, this package where ``score - threshold > guard``.

    Examples
    --------
    >>> bool(smallest_above(0.5, 0.0) == np.nextafter(0.5, 1.0))
    True
    """
    cut = threshold + guard
    # rounding is monotone: the scores that pass are all those from some float on, a few steps away at most
    while cut - threshold > guard:
        cut = np.nextafter(cut, -np.inf)
    while not cut - threshold > guard:
        cut = np.nextafter(cut, np.inf)
    return float(cut)


def _is_plain(scorer, design, labels, prefit):
    is_sklearn = isinstance(scorer, BaseEstimator)
    # truth values equal 0 and 1 and are not the same labels
    same_labels = prefit or (labels.dtype.kind in "iu" and labels.tolist() == [0, 1])
    # a numeric method is trained on arrays, without the names of the columns
    same_rows = design.coding is None and not (design.numeric and design.columns is not None)
    return is_sklearn and same_labels and same_rows and hasattr(scorer, "classes_") and leaves_rows(scorer)


__all__ = ["ScoredRows", "fixed_threshold_classifier", "smallest_above"]
