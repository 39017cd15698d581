"""Clean values or a clear error: levels, counts, scores, matrices, seeds.

Every function takes a value and the name of the argument it came from, and returns the
value in the one form the rest of the package works with.
"""

from __future__ import annotations

import numbers

import numpy as np
from scipy import sparse

from nproc.errors import InvalidInputError, InvalidTypeError


def check_level(value, name):
    """Return `value` as a float that lies strictly between 0 and 1."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise InvalidInputError(f"{name} must be a number strictly between 0 and 1, got {value!r}.")
    value = float(value)
    if not 0.0 < value < 1.0:
        raise InvalidInputError(f"{name} must lie strictly between 0 and 1, got {value:g}.")
    return value


def check_levels(value, name, *, closed=False):
    """Return `value` as a float64 array whose entries all lie in (0, 1), or in [0, 1] if `closed`."""
    try:
        levels = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must hold numbers between 0 and 1, got {value!r}.") from error
    good = (levels >= 0) & (levels <= 1) if closed else (levels > 0) & (levels < 1)
    if not np.all(good):
        bad = levels[~good].flat[0]
        how = "between 0 and 1" if closed else "strictly between 0 and 1"
        raise InvalidInputError(f"{name} must lie {how}, got {bad:g}.")
    return levels


def check_count(value, name, *, minimum=1):
    """Return `value` as an int of at least `minimum`."""
    if (
        isinstance(value, bool | np.bool_)
        or not isinstance(value, numbers.Real)
        or not np.isfinite(value)
        or value != int(value)
    ):
        raise InvalidInputError(f"{name} must be a whole number of at least {minimum}, got {value!r}.")
    if value < minimum:
        raise InvalidInputError(f"{name} must be at least {minimum}, got {int(value)}.")
    return int(value)


def check_number(value, name, *, zero=False, optional=False, otherwise=None):
    """Return `value` as a finite float above 0, or of at least 0 with `zero`; None passes where `optional`.

    `otherwise` names what else the argument may be, for the message.
    """
    if value is None and optional:
        return None
    number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) and np.isfinite(value)
    if not number or value < 0 or (value == 0 and not zero):
        rule = "of at least 0" if zero else "above 0"
        other = " or None" if optional else f" or {otherwise}" if otherwise else ""
        raise InvalidInputError(f"{name} must be a finite number {rule}{other}, got {value!r}.")
    return float(value)


def check_choice(value, name, choices):
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InvalidInputError(f"{name} must be one of {listed}, got {value!r}.")
    return value


def check_flag(value, name):
    """Return `value` as a bool if it is True or False; text and numbers are refused, since "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_scores(scores, name):
    """Return `scores` as a one-dimensional float64 array of finite values, not empty."""
    try:
        given = np.asarray(scores)
        if given.dtype.kind not in "biufO":
            raise TypeError("got text" if given.dtype.kind in "US" else f"got dtype {given.dtype}")
        values = given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be a one-dimensional array of numbers ({error}).") from error
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidInputError(f"{name} must be one-dimensional (one score a row), got shape {values.shape}.")
    if values.size == 0:
        raise InvalidInputError(f"{name} is empty; at least one score is needed.")
    if not np.isfinite(values).all():
        n_nan = int(np.isnan(values).sum())
        n_inf = int(np.isinf(values).sum())
        raise InvalidInputError(
            f"{name} must be finite, got {n_nan} NaN and {n_inf} infinite values out of {values.size}. "
            "Remove or impute NaN yourself; replace an infinite score by a finite one that keeps its rank."
        )
    return values


def fresh_seed():
    """Return a seed of 32 bits that the operating system drew."""
    return int(np.random.SeedSequence().entropy % 2**32)


def check_seed(random_state):
    """Return an int seed: the one given, one drawn from the generator given, or a fresh one for None."""
    if random_state is None:
        return fresh_seed()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint32))
    if isinstance(random_state, bool | np.bool_) or not isinstance(random_state, numbers.Integral):
        raise InvalidInputError(
            "random_state must be None, a whole number of at least 0, a numpy Generator or a "
            f"RandomState, got {random_state!r}."
        )
    if random_state < 0:
        raise InvalidInputError(f"random_state must be at least 0, got {random_state}.")
    return int(random_state)


def check_numeric_matrix(X, name="X", *, allow_nan=False, accept_sparse=False, method=None):
    """Return `X` as a two-dimensional float64 array, or a CSR matrix where sparse input is accepted.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        The rows to check.
    name : str
        Name of the argument, for messages.
    allow_nan : bool
        Let NaN through (infinite values never are).
    accept_sparse : bool
        Let sparse input through, as CSR.
    method : str, optional
        Name of the scoring method, for messages.
    """
    who = f"method {method!r}" if method else "this method"
    if sparse.issparse(X):
        if not accept_sparse:
            raise InvalidInputError(
                f"{name} is sparse, and {who} needs a dense array. Use {name}.toarray() if it fits in "
                "memory, or a method that takes sparse input (see scorer_names and get_scorer)."
            )
        matrix = sparse.csr_array(X, dtype=np.float64)
        values = matrix.data
    else:
        matrix = _dense_float(X, name)
        values = matrix
    if matrix.ndim != 2:
        way_out = ": use X.reshape(-1, 1) for one predictor, X.reshape(1, -1) for one row" if matrix.ndim == 1 else ""
        raise InvalidInputError(
            f"{name} must be two-dimensional (rows, predictors), got shape {matrix.shape}{way_out}. Reshape your data."
        )
    if matrix.shape[0] == 0:
        raise InvalidInputError(f"{name} is empty: 0 rows (shape={matrix.shape}).")
    if matrix.shape[1] == 0:
        raise InvalidInputError(f"{name} has 0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required.")
    if not np.isfinite(values).all():
        _explain_non_finite(matrix, values, name, allow_nan, who)
    return matrix


def _dense_float(X, name):
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        texts = [str(c) for c, kind in zip(X.columns, X.dtypes, strict=True) if not _is_numeric(kind)]
        if texts:
            raise InvalidInputError(
                f"{name} has columns that are not numbers: {texts[:5]}. Encode them, give a formula "
                "('y ~ a + b'), or pass a pipeline with an encoder as method."
            )
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise InvalidInputError(f"Complex data not supported: {name} has complex values.")
    try:
        if array.dtype.kind not in "biufO":
            # text that looks like numbers, and dates, would become floats without a word
            raise TypeError("not a numeric dtype")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        kind = InvalidTypeError if isinstance(error, TypeError) else InvalidInputError
        raise kind(
            f"{name} must hold numbers, got dtype {array.dtype} ({error}). Encode text columns, give a "
            "formula ('y ~ a + b'), or pass a pipeline with an encoder as method."
        ) from error


def _is_numeric(kind):
    return getattr(kind, "kind", "O") in "biuf" or str(kind).lower().startswith(("int", "uint", "float", "bool"))


def _explain_non_finite(matrix, values, name, allow_nan, who):
    n_nan, n_inf = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if n_inf:
        raise InvalidInputError(
            f"{name} has {n_inf} infinite value(s) (infinity or a number too large); "
            "remove those rows or replace the values."
        )
    if n_nan and not allow_nan:
        where = ""
        if isinstance(values, np.ndarray) and values.ndim == 2:
            columns = np.flatnonzero(np.isnan(values).any(axis=0))[:5].tolist()
            where = f" in column(s) {columns}"
        raise InvalidInputError(
            f"{name} contains NaN: {n_nan} missing value(s){where}, and {who} needs complete rows. Impute them "
            "in a pipeline, or use a method that accepts NaN, such as 'randomforest'."
        )
