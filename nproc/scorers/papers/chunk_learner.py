"""What the estimators that learn one chunk of rows after the other share."""

import math

import numpy as np

from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows import distinct_labels
from nproc.scorers.base import STEPS_APART, NPScorer
from nproc.tables import table_frame

# rows in random order make a chunk of one class with a smaller probability than this hardly ever
HARDLY_EVER = 1e-6
# of fewer the standard deviations say little
ROWS_OF_SCALE = 10


def warn_of_sorted_rows(before, now):
    """Warn if a chunk has rows of one class only, as the rows before it make all but impossible in random order.

    Parameters
    ----------
    before, now : array-like of int, shape (2,)
        Rows of each class in the chunks before, and in this one.

    Examples
    --------
    >>> import warnings
    >>> from nproc.scorers.papers.chunk_learner import warn_of_sorted_rows
    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     warn_of_sorted_rows((50, 50), (10, 0))
    ...     warn_of_sorted_rows((50, 50), (40, 0))
    >>> len(heard)
    1
    """
    before, now = np.asarray(before), np.asarray(now)
    if before.sum() == 0 or now.min() > 0 or now.max() == 0:
        return
    # one row of each class more, so that a class that was not seen is not taken to be impossible
    share = (before[np.argmax(now)] + 1) / (before.sum() + 2)
    if now.max() * math.log(share) < math.log(HARDLY_EVER):
        warn_at_call(
            "a chunk has rows of one class only, but chunks of rows in random order would have both classes. The "
            "rows seem to be sorted by class. Training on one class after the other gives a type I error far from "
            "alpha. Shuffle the rows first. train_in_chunks shuffles data that do not fit in memory.",
            NPWarning,
        )


class ChunkLearner(NPScorer):
    """A classifier with ``partial_fit``; a child keeps the rows of its history as dicts in ``_history``.

    It returns by ``_rows_seen()`` how many rows of class 0 and of class 1 have trained it so far.
    """

    def __sklearn_is_fitted__(self):
        # a refused first chunk leaves the labels and the number of columns, but no weights
        return hasattr(self, "_history")

    def decision_function(self, X):
        """Score the rows of `X`, shape (n,); larger = more like ``classes_[1]``. Warn if a class had no row so far."""
        scores = super().decision_function(X)
        n_seen = self._rows_seen()
        if min(n_seen) == 0:
            # classes_ is sorted, and class 0 may be the second
            place = int((self.class0_ == self.classes_[0]) == (n_seen[0] > 0))
            unseen = self.classes_.tolist()[place]
            warn_at_call(
                f"{type(self).__name__} has seen no row of class {unseen!r} so far, so its labels say nothing. Call "
                "partial_fit with rows of both classes before you predict.",
                NPWarning,
            )
        return scores

    @property
    def history_(self):
        """A DataFrame with a row for each epoch of `fit` and each call of `partial_fit`."""
        if not hasattr(self, "_history"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so it has no history_.")
        return table_frame({name: [row[name] for row in self._history] for name in self._history[0]})

    def _keep_history(self, columns):
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        self._history = [dict(zip(columns, row, strict=True)) for row in rows]

    def _tell_of_first_scale(self, X):
        """Warn as `fit` does of the scales of columns, by the first chunk, if it is not very small."""
        if X.shape[0] >= ROWS_OF_SCALE and self._labels_matter():
            self._tell_of_scale(X, STEPS_APART)

    def _forget_certificate(self):
        # it speaks of the rows of an earlier fit
        for name in ("certificate_", "converged_"):
            vars(self).pop(name, None)

    def _read_classes(self, classes, rule="classes must hold 2 labels"):
        """Set ``classes_`` and ``class0_`` by the labels that all chunks will have."""
        self.classes_, _ = distinct_labels(classes, "classes")
        if self.classes_.size != 2:
            raise InvalidInputError(f"{rule}, got {self.classes_.tolist()}.")
        self._set_class0()

    def _refuse_other_classes(self, classes):
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InvalidInputError(
                f"classes must be the labels {self.classes_.tolist()} of the first call, "
                f"got {np.unique(classes).tolist()}."
            )

    def _chunk_codes(self, y):
        """Return 0 for the class whose error is bounded and 1 for the other, as one byte a row."""
        codes = y == self.classes_[int(self.class0_ == self.classes_[0])]
        known = y == self.class0_
        known |= codes
        if not known.all():
            raise InvalidInputError(
                f"y must hold only the labels {self.classes_.tolist()} given as classes, got {y[~known].tolist()[0]!r}."
            )
        return codes.view(np.uint8)

    def _class0_now_and_before(self):
        labels = self.classes_.tolist()
        return labels[int(self._class0_is_second())], labels[int(self.class0_ != self.classes_[0])]
