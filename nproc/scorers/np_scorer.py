"""What the estimators of the papers share: a prioritised class, a level alpha, and honest warnings."""

from __future__ import annotations

import math

import numpy as np

from nproc.checks import check_level, check_one_label, differs_from_itself
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning, PlainPythonWarning
from nproc.labels import warn_of_first_label
from nproc.scorers.binary import BinaryScorer
from nproc.solvers import jit
from nproc.tables import table_frame
from nproc.warning_place import warn_at_call

_told_of_numba = False


class NPScorer(BinaryScorer):
    """A classifier of two labels that bounds the training error of the prioritised class.

    A child has the parameters ``alpha`` and ``class0`` (None: the first label in sorted order, with a warning unless
    they are 0 and 1, -1 and 1, or False and True), calls
    `_read_two_classes` in ``fit`` and defines ``_score(X)``: above zero where a row is called class 1, the class that
    is not prioritised. ``classes_`` stays sorted, and `decision_function` turns the score round where ``class0`` is
    the second of them, as scikit-learn expects.
    """

    def decision_function(self, X):
        """Return the score of each row of `X`, shape (n,); larger = more like ``classes_[1]``."""
        scores = super().decision_function(X)
        if self.class0_ == self.classes_[0]:
            return scores
        # a score of exactly 0 is called class 0, here classes_[1], whose scores lie above 0
        return np.where(scores == 0, np.nextafter(0.0, 1.0), -scores)

    def _read_two_classes(self, X, y, dtype=np.int64):
        """Return checked `X` and `y` as `dtype`, 0 for the prioritised class and 1 for the other; set ``class0_``."""
        X, y = self._read_rows(X, y)
        self._set_class0()
        # a view: one byte a row is all that many rows may take
        return X, (y != self.class0_).view(np.uint8).astype(dtype, copy=False)

    def _set_class0(self):
        """Set ``class0_`` by ``classes_`` and the parameter; warn if neither says which label is meant."""
        self.class0_ = self.classes_[int(self._class0_is_second())]
        if self.class0 is None:
            warn_of_first_label(self.classes_)

    def _class0_is_second(self):
        if self.class0 is None:
            return False
        # a missing value equals nothing, and numpy takes a span of time for its whole number
        one = not differs_from_itself(check_one_label(self.class0, "class0"))
        one = one and isinstance(self.class0, np.timedelta64) == (self.classes_.dtype.kind == "m")
        found = np.flatnonzero(self.classes_ == self.class0) if one else np.zeros(0)
        if found.size != 1:
            raise InvalidInputError(
                f"class0 must be one of the labels {self.classes_.tolist()} of y, got {self.class0!r}."
            )
        return bool(found[0] == 1)

    def _check_alpha(self, n0):
        """Return alpha; warn if `n0` training rows of class 0 make the constraint one of no error at all."""
        alpha = check_level(self.alpha, "alpha")
        if not one_row(alpha, n0):
            warn_at_call(
                f"alpha={alpha:g} of {n0} class 0 training rows is less than one row: the constraint asks for no "
                f"training error in class 0. Use alpha of at least {least_alpha(n0):g}, or more class 0 rows.",
                NPWarning,
            )
        return alpha

    def _warn_not_converged(self, result, advice):
        """Warn, with the solver's reason and some advice, if `result` has not converged."""
        if not result.converged:
            name = type(self).__name__
            message = f"{name} stopped after {result.n_iter} iterations: {result.reason} {advice}"
            warn_at_call(message, NotConvergedWarning)


def one_row(alpha, n0):
    """Return whether a share `alpha` of `n0` rows is at least one row, whatever the last digits of 1 / n0."""
    return alpha * n0 >= 1 - 1e-12


def least_alpha(n0):
    """Return a short number that is a share of at least one of `n0` rows.

    Examples
    --------
    >>> from nproc.scorers.np_scorer import least_alpha
    >>> least_alpha(30), least_alpha(100), least_alpha(1)
    (0.034, 0.01, 1.0)
    """
    # rounded up: 0.033 would be less than one row of 30
    digits = 1 - math.floor(math.log10(1 / n0))
    return math.ceil(round(10**digits / n0, 9)) / 10**digits


def history_frame(history):
    """Return a DataFrame of a solver's history, one row an iteration."""
    return table_frame(history)


def warn_plain_python(name, slowdown):
    """Warn, once in a session, that the solver of `name` runs as plain Python, `slowdown` times slower."""
    global _told_of_numba
    if _told_of_numba or jit.numba_installed():
        return
    _told_of_numba = True
    warn_at_call(
        f"numba is not installed: the solver of {name} runs as plain Python, about {slowdown} times slower. "
        "Install it with pip install 'nproc-py[fast]'.",
        PlainPythonWarning,
    )
