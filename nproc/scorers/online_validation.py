"""Errors of many linear models on validation rows, and what validation rows must hold."""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError

# rows that are scored by all models at a time
ROWS_AT_A_TIME = 1 << 14


def check_part(codes, what, number):
    """Refuse rows of a fold that hold one class only; `codes` are 0 or 1."""
    n1 = int(np.count_nonzero(codes))
    if n1 in (0, codes.size):
        raise InvalidInputError(
            f"the {what} rows of fold {number} hold one class only ({codes.size} rows); both errors must be counted in "
            "each fold. Use stratified folds, or fewer."
        )


def checked_divisions(divisions, codes):
    """Return pairs of row numbers (training, validation) as a list; refuse what cannot judge candidates."""
    divisions = list(divisions)
    if not divisions:
        raise InvalidInputError(
            "cv gave no division of the rows: it is empty, or a generator that an earlier fit has used up. Give a "
            "splitter, or a list of pairs of row numbers."
        )
    everything, checked = np.arange(codes.size), []
    for number, pair in enumerate(divisions, start=1):
        try:
            training, validation = (everything[np.asarray(rows)] for rows in pair)
        except (IndexError, TypeError, ValueError) as error:
            raise InvalidInputError(
                f"division {number} of cv is not a pair (training, validation) of numbers, or masks, of {codes.size} "
                f"rows: {error}."
            ) from error
        if np.intersect1d(training, validation).size:
            raise InvalidInputError(
                f"division {number} of cv has rows that both train and validate; a candidate is not judged by rows "
                "that it was trained on."
            )
        check_part(codes[training], "training", number)
        check_part(codes[validation], "validation", number)
        checked.append((training, validation))
    return checked


def error_rates(result, X, codes):
    """Return the type I and type II errors of each run on some rows, shape (runs, 2); 1 for runs that overflowed."""
    errors = np.zeros((result.finite.size, 2))
    for start in range(0, codes.size, ROWS_AT_A_TIME):
        part = codes[start : start + ROWS_AT_A_TIME]
        called = np.asarray(X[start : start + ROWS_AT_A_TIME] @ result.coef.T) + result.intercept > 0
        errors[:, 0] += np.count_nonzero(called[part == 0], axis=0)
        errors[:, 1] += np.count_nonzero(~called[part == 1], axis=0)
    n1 = np.count_nonzero(codes)
    return np.where(result.finite[:, np.newaxis], errors / (codes.size - n1, n1), 1.0)
