"""The split ratio chosen from data, without touching the rows that set the threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.errors import TooFewSamplesError
from nproc.orderstat import min_class0_size
from nproc.parallel import run_tasks
from nproc.ranks import search_orders
from nproc.reprs import ShortRepr
from nproc.splitting import n_train

RATIOS = tuple(round(0.1 * i, 1) for i in range(1, 10))
TUNING_SHARE = 0.2
# a split must leave some of the other rows to chance, or all splits would be one
LEAST_FREE_SHARE = 0.1
N_FOLDS = 5


@dataclass(frozen=True, repr=False)
class RatioChoice(ShortRepr):
    """A split ratio and how it was chosen.

    Attributes
    ----------
    split_ratio : float
        The ratio chosen.
    ratios : tuple of float
        The ratios compared.
    type2 : tuple of float
        Their cross-validated type II errors.
    used : ndarray of bool, shape (n,)
        Rows that were looked at: they may train, and must never set a threshold or a type II bound.
    """

    split_ratio: float
    ratios: tuple
    type2: tuple
    used: np.ndarray


def choose_split_ratio(y, score, *, alphas, delta, seed, leave_out_class1=False, ratios=RATIOS, n_jobs=None, verbose=0):
    """Return the split ratio nearest to 1/2 among those within one standard error of the smallest type II error.

    A random 20 % of the class 0 rows (and of the class 1 rows, where those are left out too) are set aside
    for the choice and train in every later split; the threshold comes from the others alone, so that
    Proposition 1 holds as for a fixed ratio. Half of the tuning rows of class 0 stand for the
    threshold; each ratio r trains on a share r of the other half, and its threshold is the quantile at the type I
    error that the final rule will have on average, (n + 1 - k*) / (n + 1) for the n rows that r would leave out in the
    end: this is the price that a large r pays. Beyond the reach of the tuning rows it is cut off at their largest
    score.
    The errors come from few rows and are noisy, hence the rule of one standard error (of the paired differences).

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        0/1 labels.
    score : callable
        ``score(idx_train, idx_score, seed) -> ndarray``, scores of some rows by a model trained on others.
        It must be picklable when `n_jobs` is not 1.
    alphas : sequence of float
        Levels whose type II errors are averaged: one for a classifier, several for a band.
    delta : float
        Chance with which the bound may be broken.
    seed : numpy.random.SeedSequence
        Source of all randomness.
    leave_out_class1 : bool
        Whether later splits leave out class 1 rows as well.
    ratios : sequence of float
        Ratios to compare; those that leave out too few rows, or train on hardly more than the rows set aside (below
        0.3), are skipped.
    n_jobs, verbose
        As in `run_tasks`.

    Returns
    -------
    RatioChoice

    Raises
    ------
    TooFewSamplesError
        If no ratio leaves out enough class 0 rows and keeps enough for training.

    Notes
    -----
    The counterpart of find.optim.split in the R package, which looks at all rows, those that later set the
    threshold included.
    """
    rng = np.random.default_rng(seed)
    rows0, rows1 = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    if rows1.size < (3 if leave_out_class1 else 2):
        raise TooFewSamplesError(
            f"split_ratio='adaptive' cross-validates class 1, and n1={rows1.size} rows are too few; "
            "give split_ratio as a number."
        )
    tune0 = rng.permutation(rows0)[: max(2, round(TUNING_SHARE * rows0.size))]
    tune1 = rng.permutation(rows1)[: max(2, round(TUNING_SHARE * rows1.size))] if leave_out_class1 else rows1
    used = np.zeros(y.size, dtype=bool)
    used[tune0] = True
    used[tune1] = True

    # where class 1 rows are left out too, the tuning rows among them must fit into the training part
    fits1 = [not leave_out_class1 or tune1.size <= n_train(rows1.size, r) < rows1.size for r in ratios]
    usable = [
        r
        for r, fits in zip(ratios, fits1, strict=True)
        if fits and _is_usable(r, rows0.size, tune0.size, alphas, delta)
    ]
    if not usable:
        needed = min(min_class0_size(alpha, delta) for alpha in alphas)
        raise TooFewSamplesError(
            f"split_ratio='adaptive' sets aside {tune0.size} of n0={rows0.size} class 0 rows to choose the ratio, "
            f"and no ratio then leaves the {needed} rows that alpha={max(alphas):g} and delta={delta:g} need; "
            "give split_ratio as a number."
        )
    n_folds = min(N_FOLDS, tune1.size)
    folds = np.array_split(rng.permutation(tune1), n_folds)
    # the same permutations and seeds for every ratio, so that ratios differ by nothing else
    orders0 = [rng.permutation(tune0) for _ in folds]
    fold_seeds = [int(s) for s in rng.integers(2**31, size=n_folds)]
    tasks = [
        (
            score,
            r,
            np.concatenate([f for j, f in enumerate(folds) if j != i]),
            fold,
            orders0[i],
            fold_seeds[i],
            _average_levels(r, rows0.size, alphas, delta),
            leave_out_class1,
        )
        for r in usable
        for i, fold in enumerate(folds)
    ]
    errors = run_tasks(_fold_error, tasks, n_jobs=n_jobs, verbose=verbose, label="split ratio: fit")
    errors = np.reshape(errors, (len(usable), n_folds))
    return RatioChoice(usable[_choose(errors, usable)], tuple(usable), tuple(errors.mean(axis=1).tolist()), used)


def _choose(errors, ratios):
    """Position of the ratio nearest to 1/2 among those not clearly worse than the best (one standard error)."""
    best = int(np.argmin(errors.mean(axis=1)))
    excess = errors - errors[best]
    standard_error = excess.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    fair = np.flatnonzero(excess.mean(axis=1) <= standard_error)
    return int(fair[np.argmin(np.abs(np.asarray(ratios)[fair] - 0.5))])


def _is_usable(ratio, n0, n_tune0, alphas, delta):
    trains = n_train(n0, ratio)
    needed = min(min_class0_size(alpha, delta) for alpha in alphas)
    in_tuning = n_train(n_tune0, ratio)
    return n0 - trains >= needed and trains >= n_tune0 + LEAST_FREE_SHARE * n0 and 1 <= in_tuning < n_tune0


def _average_levels(ratio, n0, alphas, delta):
    """Average type I error of the final rule at each level that its left-out rows can meet."""
    n_left = n0 - n_train(n0, ratio)
    orders = search_orders(n_left, np.asarray(alphas, dtype=np.float64), delta)
    # a level out of reach has no classifier: type I error 0, and type II error 1
    return (n_left + 1 - orders) / (n_left + 1)


def _fold_error(score, ratio, train1, held1, order0, seed, levels, leave_out_class1):
    # half of the class 0 rows stand for the threshold at every ratio: with fewer at the larger ratios, their extreme
    # quantiles would be cut off and these ratios look better than they are
    held0, pool0 = order0[: order0.size // 2], order0[order0.size // 2 :]
    m = max(1, n_train(pool0.size, ratio))
    if leave_out_class1:
        train1 = train1[: max(1, n_train(train1.size, ratio))]
    scores = score(np.sort(np.concatenate([pool0[:m], train1])), np.concatenate([held0, held1]), seed)
    scores0, scores1 = scores[: held0.size], scores[held0.size :]
    missed = [
        1.0 if level == 0 else np.mean(scores1 <= np.quantile(scores0, 1 - level, method="weibull")) for level in levels
    ]
    return float(np.mean(missed))
