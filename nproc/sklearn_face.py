"""What scikit-learn expects of every estimator of the package: a target, and the record of the columns."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import DataConversionWarning

from nproc.errors import InvalidInputError
from nproc.warning_place import warn_at_call


def check_target(estimator, y):
    """Raise if `y` is missing, and warn in scikit-learn's words if it is a column."""
    if y is None:
        raise InvalidInputError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        message = "A column-vector y was passed when a 1d array was expected; y.ravel() is the 1d array."
        warn_at_call(message, DataConversionWarning)


def record_columns(estimator, design):
    """Set ``n_features_in_``, and ``feature_names_in_`` where the columns have names."""
    estimator.n_features_in_ = design.n_features
    if design.feature_names is not None:
        estimator.feature_names_in_ = np.array(design.feature_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        # of a fit before this one
        del estimator.feature_names_in_
