"""The scores of training rows by models that have not seen them: each is trained without a part of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nproc.scorers.base import ErrorShares
from nproc.scorers.classical.penalised import stratified_folds

N_FOLDS = 4
# with more rows four more trainings take long
MOST_ROWS = 5_000
# for a warning
BY_FOLDS = "This was counted on each quarter of the training rows in turn, by models trained without it."
BY_SAMPLE = (
    f"This was counted on each quarter of a sample of {MOST_ROWS:,} training rows in turn, by models trained on the "
    "rest of the sample."
)


def scores_left_out(
    scores_without: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    codes: NDArray[np.integer],
    rng: np.random.Generator,
    any_number: bool = False,
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
    any_number : bool
        Whether models are trained with more than `MOST_ROWS` rows as well.

    Returns
    -------
    ndarray, shape (n,), or None
        None if a class has fewer rows than there are folds, if there are more than `MOST_ROWS` rows (unless
        `any_number`), or if a score is not finite.

    Examples
    --------
    >>> codes = np.array([0, 1] * 4)
    >>> scores_left_out(lambda training, left_out: codes[left_out] - 0.5, codes, np.random.default_rng(0))
    array([-0.5,  0.5, -0.5,  0.5, -0.5,  0.5, -0.5,  0.5])
    """
    n1 = int(np.count_nonzero(codes))
    if min(n1, codes.size - n1) < N_FOLDS or (codes.size > MOST_ROWS and not any_number):
        return None
    fold = stratified_folds(codes, N_FOLDS, rng)
    scores = np.empty(codes.size)
    for number in range(N_FOLDS):
        left_out = np.flatnonzero(fold == number)
        scores[left_out] = scores_without(np.flatnonzero(fold != number), left_out)
    return scores if np.isfinite(scores).all() else None


def errors_left_out(
    scores_without: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    codes: NDArray[np.integer],
    rng: np.random.Generator,
    any_number: bool = False,
) -> ErrorShares | None:
    """Return the errors of rows at the cut 0 by models that were trained without their fold, of a sample if need be.

    Parameters
    ----------
    scores_without, codes, rng
        As in `scores_left_out`.
    any_number : bool
        Whether all rows are looked at. Otherwise it is a random sample of `MOST_ROWS` if there are more.

    Returns
    -------
    ErrorShares or None
        None where `scores_left_out` has no scores.

    Examples
    --------
    >>> codes = np.array([0, 1] * 3_000)
    >>> errors = errors_left_out(lambda training, left_out: codes[left_out] - 0.5, codes, np.random.default_rng(0))
    >>> errors.type1, errors.n0 + errors.n1, errors.of_fewer
    (0.0, 5000, True)
    """
    sampled = codes.size > MOST_ROWS and not any_number
    rows = _sample(codes) if sampled else np.arange(codes.size)

    def scores_of_sample(training, left_out):
        return scores_without(rows[training], rows[left_out])

    scores = scores_left_out(scores_of_sample, codes[rows], rng, any_number)
    if scores is None:
        return None
    return ErrorShares.of_scores(scores, codes[rows], BY_SAMPLE if sampled else BY_FOLDS, of_fewer=sampled)


def _sample(codes):
    """Return the numbers of `MOST_ROWS` rows drawn at random, always the same; half are of the rarer class if it can.

    A model of very few rows of a class would tell nothing about the one of all rows.
    """
    rng = np.random.default_rng(0)
    counts = np.bincount(codes, minlength=2)
    rarer = int(np.argmin(counts))
    n_rarer = min(int(counts[rarer]), MOST_ROWS // 2)
    drawn = [
        rng.choice(np.flatnonzero(codes == code), size, replace=False)
        for code, size in ((rarer, n_rarer), (1 - rarer, MOST_ROWS - n_rarer))
    ]
    return np.sort(np.concatenate(drawn))
