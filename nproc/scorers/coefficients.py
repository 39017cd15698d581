"""Fitted coefficients with the sign and the shape that scikit-learn's binary classifiers give them."""

from __future__ import annotations

import numpy as np


class Coefficients:
    """What an `nproc.scorers.np_scorer.NPScorer` that adds up columns, or values of a kernel, shows of its score.

    A child calls `_keep_coefficients` in ``fit`` and scores by ``_weights`` or ``_dual_weights`` and ``_constant``, all
    towards the class that is not prioritised. The properties turn them as `decision_function` turns the score. Their
    arrays cannot be written to: a change of what may be a turned copy would not reach the model.
    """

    @property
    def coef_(self):
        """Return the weights of the score, shape (1, p); larger score = more like ``classes_[1]``."""
        return self._turned(self._kept("_weights", "coef_", "columns"))

    @property
    def intercept_(self):
        """Return the constant of the score, shape (1,); larger score = more like ``classes_[1]``."""
        self._kept("_constant", "intercept_", "")
        return self._turned(self._constant_of_score())[0]

    @property
    def dual_coef_(self):
        """Return the coefficients of the kernel values, shape (1, s); larger score = more like ``classes_[1]``."""
        return self._turned(self._kept("_dual_weights", "dual_coef_", "kernel values of training rows"))

    def _keep_coefficients(self, constant, *, weights=None, dual_weights=None):
        # those of an earlier fit with another kernel go as well
        self._constant, self._weights, self._dual_weights = float(constant), weights, dual_weights

    def _constant_of_score(self):
        return self._constant

    def _kept(self, private, name, terms):
        if not hasattr(self, "_constant"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so it has no {name}.")
        value = getattr(self, private)
        if value is None:
            raise AttributeError(
                f"this {type(self).__name__} has no {name}: its score is not kept as a weighted sum of {terms}."
            )
        return value

    def _turned(self, values):
        values = np.array(values, dtype=np.float64, copy=None, ndmin=1)
        # not -values, which makes -0.0 of the zeros of a sparse model
        turned = 0.0 - values if self.class0_ != self.classes_[0] else values.view()
        turned.flags.writeable = False
        return turned[np.newaxis, :]
