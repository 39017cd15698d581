"""What the user gives for several classes becomes clean values: rows, labels in order, levels, sizes."""

from __future__ import annotations

from nproc.checks import as_array, check_level
from nproc.design import check_same_length
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.inputs import Method, read_method, read_rows
from nproc.labels import order_labels
from nproc.matching_rows import check_same_rows
from nproc.orderstat import min_class0_size, too_few_message
from nproc.scorers.multinomial import multinomial_model
from nproc.scorers.outliers import outlier_scorers
from nproc.sequences import refuse_unordered
from nproc.splitting import n_train, rows_in_all


def read_model(method, params, *, prefit=False):
    """Return the `Method` of one model of all classes: an estimator, or by name; see `multinomial_model`."""
    if prefit or not isinstance(method, str):
        if not isinstance(method, type) and outlier_scorers(method):
            raise InvalidInputError(
                "OutlierScorer knows two classes, and not which of several the outliers are. Use npc, or merge classes."
            )
        return read_method(method, params, prefit=prefit)
    return Method(method, multinomial_model(method, **params), False, True, False, False)


def read_classes(X, y, data, chosen, priority):
    """Return the design of the rows and the `Labels` of two or more classes, in the order of priority."""
    check_same_rows(X=X, y=y)
    built = read_rows(X, y, data, chosen)
    labels = order_labels(built.y, priority)
    check_same_length(built.X, labels.y)
    return built, labels


def class_levels(value, name, n_stages):
    """Return a level for every class but the last, as a tuple of floats in (0, 1)."""
    refuse_unordered(value, name)
    if as_array(value, name).ndim == 0:
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
