"""What a model calls training rows that it has not seen, by training it again without a part of them at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nproc.scorers.classical.penalised import stratified_folds

N_FOLDS = 4
# with more rows four trainings take long for a warning
MOST_ROWS = 5_000
# for a warning
BY_FOLDS = "This was counted on a quarter of the training rows after the other, by models trained without it."


def called_left_out(
    scores_without: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    codes: NDArray[np.integer],
    rng: np.random.Generator,
) -> NDArray[np.bool_] | None:
    """Return which rows are called class 1 by a model that was trained without their fold.

    Parameters
    ----------
    scores_without : callable
        Gives the scores of the rows of its second argument by a model that was trained on those of the first.
    codes : ndarray, shape (n,)
        0 or 1 a row.
    rng : numpy.random.Generator
        Where the folds come from.

    Returns
    -------
    ndarray of bool, shape (n,), or None
        None if a class has fewer rows than there are folds, if there are more than `MOST_ROWS` rows, or if a score is
        not finite.

    Examples
    --------
    >>> codes = np.array([0, 1] * 4)
    >>> called_left_out(lambda training, left_out: codes[left_out] - 0.5, codes, np.random.default_rng(0)).astype(int)
    array([0, 1, 0, 1, 0, 1, 0, 1])
    """
    n1 = int(np.count_nonzero(codes))
    if min(n1, codes.size - n1) < N_FOLDS or codes.size > MOST_ROWS:
        return None
    fold = stratified_folds(codes, N_FOLDS, rng)
    called = np.empty(codes.size, dtype=bool)
    for number in range(N_FOLDS):
        left_out = np.flatnonzero(fold == number)
        scores = scores_without(np.flatnonzero(fold != number), left_out)
        if not np.isfinite(scores).all():
            return None
        called[left_out] = scores > 0
    return called
