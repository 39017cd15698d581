"""The penalty of an L1-penalised fit by cross-validation, as cv.glmnet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError
from nproc.scorers.l1_path import L1Fit, largest_penalty, walk_path

# the folds need no more digits than their noise; the chosen model is fitted to FINAL_TOL
FOLD_TOL = 1e-3
FINAL_TOL = 1e-7
# the path is left when the curve has not gained within so many penalties
PATIENCE = 10


@dataclass(frozen=True)
class L1Choice:
    """A penalty chosen by cross-validation, and the fit of all rows there.

    Attributes
    ----------
    lams : ndarray, shape (m,)
        Penalties tried, decreasing.
    losses, standard_errors : ndarray, shape (m,)
        Mean loss on left-out rows and its standard error over the folds.
    fit : L1Fit
        The fit of all rows at the penalty chosen.
    """

    lams: np.ndarray
    losses: np.ndarray
    standard_errors: np.ndarray
    fit: L1Fit


def penalty_grid(X, y, n_lams):
    """Return `n_lams` penalties from the smallest with an empty model down to 1e-4 (1e-2 if n < p) of it."""
    largest = largest_penalty(X, y)
    if largest <= 1e-12 * np.abs(y - y.mean()).max():
        raise InvalidInputError(
            "no column of X varies with y: every column is constant or exactly uncorrelated with y."
        )
    n, p = X.shape
    return largest * np.geomspace(1.0, 1e-4 if n >= p else 1e-2, n_lams)


def stratified_folds(codes, n_folds, rng):
    """Return the fold of each row, shape (n,); the classes are spread evenly over the folds."""
    fold = np.empty(codes.size, dtype=np.int64)
    start = 0
    for label in (0, 1):
        rows = np.flatnonzero(codes == label)
        # the second class goes on where the first stopped, so that fold sizes differ by at most one
        fold[rng.permutation(rows)] = (start + np.arange(rows.size)) % n_folds
        start += rows.size
    return fold


def choose_penalty(X, y, fold, loss, left_out_loss, *, n_lams, rule):
    """Return the `L1Choice` by cross-validation over the given folds.

    Parameters
    ----------
    X : ndarray or CSC array, shape (n, p)
        Columns of unit standard deviation.
    y : ndarray, shape (n,)
        Response.
    fold : ndarray of int, shape (n,)
        The fold that leaves each row out.
    loss : callable
        Loss of the fit, for `walk_path`.
    left_out_loss : callable
        Takes linear predictors and responses and gives one loss a row.
    n_lams : int
        Length of the path.
    rule : {'1se', 'min'}
        The penalty of least left-out loss, or the largest within one standard error of it.

    Returns
    -------
    choice : L1Choice

    Notes
    -----
    All folds walk down the path together and stop when the left-out loss no longer falls, since the last
    and largest models are the slow ones. A model without any column would give every row the same score:
    if the rule asks for it, the largest penalty with a column is taken.
    """
    lams = penalty_grid(X, y, n_lams)
    # not every fold number need occur in small samples
    parts = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    walks = [walk_path(X[kept], y[kept], lams, loss, tol=FOLD_TOL) for kept, _ in parts]
    left_out = [(X[out], y[out]) for _, out in parts]
    share = np.array([out.size for _, out in parts]) / y.size
    means, errors = [], []
    for fits in zip(*walks, strict=True):
        by_fold = np.array(
            [
                left_out_loss(fit.intercept + rows @ fit.coef, response).mean()
                for fit, (rows, response) in zip(fits, left_out, strict=True)
            ]
        )
        mean = float(share @ by_fold)
        means.append(mean)
        errors.append(float(np.sqrt(share @ (by_fold - mean) ** 2 / max(len(parts) - 1, 1))))
        if _no_longer_falls(means, errors):
            break
    means, errors = np.array(means), np.array(errors)
    best = int(means.argmin())
    chosen = best if rule == "min" else int(np.flatnonzero(means <= means[best] + errors[best])[0])
    # the first penalty is the one where the model is still empty
    fit = _fit_down_to(X, y, lams, max(chosen, 1), loss)
    return L1Choice(lams[: means.size], means, errors, fit)


def _no_longer_falls(means, errors):
    latest = len(means) - 1
    best = int(np.argmin(means))
    if latest - best >= PATIENCE:
        return True
    # flat: what the last steps gained is nothing beside the noise
    before = min(means[:-PATIENCE], default=np.inf)
    return before - means[best] < 0.01 * errors[best]


def _fit_down_to(X, y, lams, chosen, loss):
    # steps of the path serve only as warm starts, so every fifth is enough
    steps = np.unique(np.append(np.arange(0, chosen, 5), chosen))
    return list(walk_path(X, y, lams[steps], loss, tol=FINAL_TOL))[-1]
