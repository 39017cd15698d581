"""What the package's own estimators of two classes share."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from nproc.checks import as_floats, refuse_text_columns
from nproc.errors import InvalidInputError
from nproc.labels import unmixed
from nproc.matching_rows import check_same_rows
from nproc.tables import table_frame

LABELS_AT_A_TIME = 1 << 14
# fitted attributes that are a DataFrame
FRAMES = {"history_", "cv_results_"}


def validate_numbers(estimator, X, *y, **settings):
    """Return what scikit-learn's ``validate_data`` does, which alone takes masks away and makes numbers of text."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 2) == 2:
        refuse_text_columns(X, "X")
    elif X is not None and not sparse.issparse(X):
        X = as_floats(X, "X")
    return validate_data(estimator, X, *(labels_to_validate(labels) for labels in y), **settings)


def labels_to_validate(y):
    """Return labels as scikit-learn may check them: without masks, fields or texts that were numbers."""
    if y is None or sparse.issparse(y):
        return y
    values = unmixed(y, "y")
    # what has row labels or categories stays as it is
    return values if isinstance(y, list | tuple) else y


class RowClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose accuracy is that of rows which belong together."""

    def score(self, X, y, sample_weight=None):
        """Return the accuracy: the share of the rows of `X` that are called by their label in `y`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (m, p)
            The rows.
        y : array-like, shape (m,)
            Their labels.
        sample_weight : array-like, shape (m,), optional
            Weights of the rows.

        Returns
        -------
        float

        Raises
        ------
        InvalidInputError
            If pandas objects among the three have other row labels, or the same ones in another order.
        """
        check_same_rows(X=X, y=y, sample_weight=sample_weight)
        return super().score(X, y, sample_weight)


class BinaryScorer(RowClassifier):
    """A classifier of two classes with a score, larger = more like ``classes_[1]``.

    A child sets ``_accepts_sparse``, calls `_read_training` in ``fit`` and defines ``_score(X)``; its score
    is above zero where it predicts ``classes_[1]``.
    """

    _accepts_sparse = False

    def decision_function(self, X):
        """Return the score of each row of `X`, shape (n,); larger = more like ``classes_[1]``."""
        check_is_fitted(self)
        X = validate_numbers(self, X, reset=False, dtype=np.float64, accept_sparse=self._sparse_format)
        return self._score(X)

    def predict(self, X):
        """Return the label of each row of `X`, shape (n,): the score cut at zero."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.int64)]

    @property
    def _sparse_format(self):
        return "csr" if self._accepts_sparse else False

    def _read_training(self, X, y):
        """Return checked `X` and the 0/1 codes of `y` as floats, and set ``classes_`` and ``n_features_in_``."""
        X, y = self._read_rows(X, y)
        return X, (y == self.classes_[1]).astype(np.float64)

    def _read_rows(self, X, y):
        """Return checked `X` and `y` as they are, and set ``classes_`` and ``n_features_in_``."""
        check_same_rows(X=X, y=y)
        X, y = validate_numbers(self, X, y, dtype=np.float64, accept_sparse=self._sparse_format)
        # in parts: sorting all labels at once would take a copy of them, and the check of numbers with a point two more
        parts = [y[start : start + LABELS_AT_A_TIME] for start in range(0, y.shape[0], LABELS_AT_A_TIME)]
        if y.dtype.kind not in "biu":
            # whole numbers are classes; the check takes as long as an epoch of a fast solver
            for part in parts:
                check_classification_targets(part)
        try:
            self.classes_ = np.unique(np.concatenate([np.unique(part) for part in parts]))
        except TypeError as error:
            kinds = sorted({type(label).__name__ for label in y.tolist()})
            raise InvalidInputError(
                f"y mixes values of different types ({', '.join(kinds)}); give all labels the same type."
            ) from error
        if self.classes_.size > 2:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}."
            )
        if self.classes_.size < 2:
            raise InvalidInputError(
                f"y has one class only ({self.classes_[0]!r}); {type(self).__name__} needs 2 classes."
            )
        return X, y

    def __getstate__(self):
        # a frame as its columns: a saved model is then free of pandas, whose inside is not for other versions
        state = dict(super().__getstate__())
        for frame in FRAMES.intersection(state):
            state[frame] = {name: column.to_numpy() for name, column in state[frame].items()}
        return state

    def __setstate__(self, state):
        frames = {frame: table_frame(state[frame]) for frame in FRAMES.intersection(state)}
        super().__setstate__({**state, **frames})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._accepts_sparse
        return tags
