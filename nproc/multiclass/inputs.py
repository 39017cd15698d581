"""What the user gives for several classes becomes clean values: rows, labels in order, levels, sizes."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_level
from nproc.design import build_design, check_same_length
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.labels import order_labels
from nproc.orderstat import min_class0_size, too_few_message
from nproc.splitting import n_train, rows_in_all


def merged_params(method_params, params):
    """Return the arguments of a method from a dict and from keywords; none may be given twice."""
    if method_params is not None and not isinstance(method_params, dict):
        raise InvalidInputError(f"method_params must be a dict such as {{'C': 10}}, got {method_params!r}.")
    both = sorted(set(method_params or {}) & set(params))
    if both:
        raise InvalidInputError(f"argument(s) {both} are given twice: in method_params and as keywords.")
    return {**(method_params or {}), **params}


def read_classes(X, y, data, chosen, priority):
    """Return the design of the rows and the `Labels` of two or more classes, in the order of priority."""
    built = build_design(
        X,
        y,
        data,
        numeric=chosen.numeric,
        allow_nan=chosen.allow_nan,
        accept_sparse=chosen.sparse,
        method=chosen.name,
    )
    if built.design.formula is not None and chosen.prefit:
        raise InvalidInputError(
            "prefit=True and a formula do not go together: the formula would code the columns anew from these rows, "
            "not as the model was trained. Give X as the table that the model takes."
        )
    if built.design.learned_terms:
        raise InvalidInputError(
            f"the formula terms {list(built.design.learned_terms)} learn numbers from all rows, also from those that "
            "are left out. Write them with constants, or use a pipeline as method, which learns from training rows."
        )
    labels = order_labels(built.y, priority)
    check_same_length(built.X, labels.y)
    _check_same_index(X, y)
    return built, labels


def _check_same_index(X, y):
    if not (hasattr(X, "columns") and hasattr(y, "index")) or X.index.equals(y.index):
        return
    if X.index.is_unique and set(X.index) == set(y.index):
        raise InvalidInputError(
            "X and y have the same row labels in a different order, and rows are matched by position. Put them in one "
            "order, as y.loc[X.index] does."
        )


def class_levels(value, name, n_stages):
    """Return a level for every class but the last, as a tuple of floats in (0, 1)."""
    if np.ndim(value) == 0:
        return (check_level(value, name),) * n_stages
    values = list(value)
    if len(values) != n_stages:
        raise InvalidInputError(
            f"{name} must be one number, or one for each class but the last ({n_stages}), got {len(values)}."
        )
    return tuple(check_level(level, name) for level in values)


def check_class_sizes(labels, n_rows, split_ratio, alphas, deltas):
    """Raise TooFewSamplesError, naming the class, unless each class but the last has rows enough for its levels."""
    for j, (alpha, delta) in enumerate(zip(alphas, deltas, strict=True)):
        label, n = labels.tolist()[j], int(n_rows[j])
        needed = min_class0_size(alpha, delta)
        trains = 0 if split_ratio is None else n_train(n, split_ratio)
        enough = ""
        if split_ratio is not None:
            enough = (
                f" With split_ratio={split_ratio:g} that takes {rows_in_all(needed, split_ratio)} rows of class "
                f"{label!r} in all; there are {n}."
            )
        if n - trains < 1 or (split_ratio is not None and trains < 1):
            raise TooFewSamplesError(
                f"class {label!r} has {n} row(s): {trains} to train and {n - trains} to set its threshold, and both "
                f"need at least 1; {needed} are needed for the threshold at alpha={alpha:g}, delta={delta:g}.{enough}"
            )
        if n - trains < needed:
            text = too_few_message(n - trains, alpha, delta, rows=f"left-out rows of class {label!r}")
            raise TooFewSamplesError(text.removeprefix("n0=") + enough)
