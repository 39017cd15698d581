"""The scores of training rows by models that have not seen them: each is trained without a part of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nproc.scorers.classical.penalised import stratified_folds

N_FOLDS = 4
# with more rows four more trainings take long
MOST_ROWS = 5_000
# for a warning
BY_FOLDS = "This was counted on each quarter of the training rows in turn, by models trained without it."


def scores_left_out(
    scores_without: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    codes: NDArray[np.integer],
    rng: np.random.Generator,
) -> NDArray[np.float64] | None:
    """Return the score of each row by a model that was trained without its fold.

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
    ndarray, shape (n,), or None
        None if a class has fewer rows than there are folds, if there are more than `MOST_ROWS` rows, or if a score is
        not finite.

    Examples
    --------
    >>> codes = np.array([0, 1] * 4)
    >>> scores_left_out(lambda training, left_out: codes[left_out] - 0.5, codes, np.random.default_rng(0))
    array([-0.5,  0.5, -0.5,  0.5, -0.5,  0.5, -0.5,  0.5])
    """
    n1 = int(np.count_nonzero(codes))
    if min(n1, codes.size - n1) < N_FOLDS or codes.size > MOST_ROWS:
        return None
    fold = stratified_folds(codes, N_FOLDS, rng)
    scores = np.empty(codes.size)
    for number in range(N_FOLDS):
        left_out = np.flatnonzero(fold == number)
        scores[left_out] = scores_without(np.flatnonzero(fold != number), left_out)
    return scores if np.isfinite(scores).all() else None
