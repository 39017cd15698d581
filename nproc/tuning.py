"""The split ratio chosen from data, without touching the rows that set the threshold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import min_class0_size, search_orders
from nproc.parallel import run_tasks
from nproc.rows import row_keys
from nproc.splitting import check_split_ratio, n_train
from nproc.tables import DataFrame, InNotebook, Summary, short, summary_table

RATIOS = tuple(round(0.1 * i, 1) for i in range(1, 10))
TUNING_SHARE = 0.2
# a split must leave some of the other rows to chance, or all splits would be one
LEAST_FREE_SHARE = 0.1
N_FOLDS = 5


@dataclass(frozen=True, repr=False, eq=False)
class RatioChoice(InNotebook):
    """A split ratio and how it was chosen: ``fit.ratio_choice``, which `npc` and `nproc` take as ``split_ratio``.

    Made by `npc`, `nproc` and `nproc_bands` with ``split_ratio="adaptive"``.

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
    rows : str
        Mark of the rows and labels, by which they are known again; empty until `npc` or `nproc` has set it.

    Notes
    -----
    Passed on, it saves all fits of the choice. The choice is a function of the rows `used`, which then always train;
    given these rows, the left-out ones are a sample that nothing has looked at, and Proposition 1 holds as for a ratio
    fixed beforehand. It does so whatever made the choice: another method, alpha, delta or seed. Only the type II
    error may suffer, since the ratio is fitted to the problem that it was chosen for.

    What is passed on is the ratio. A method or level of the later call that was picked by looking at the bands or
    thresholds of an earlier one has seen rows that are left out again, here as with any ratio: of K methods decided on
    beforehand, the one that looks best has a type I error above alpha with probability at most K delta.

    The number alone, ``split_ratio=choice.split_ratio``, forgets which rows were looked at: some of them may then set
    the threshold, and nothing is proved. A choice by `npc` has looked at all class 1 rows, so that `nproc`, which
    leaves out some of them, cannot take it; a choice by `nproc` serves both.

    Examples
    --------
    >>> from nproc import npc
    >>> from nproc.simulate import simulation1
    >>> sample = simulation1(1000, random_state=1)
    >>> choice = npc(sample.X, sample.y, "lda", split_ratio="adaptive", random_state=1).ratio_choice
    >>> choice
    RatioChoice(split_ratio=0.3 of 0.3 to 0.8, type2=0.5169, 594 of 1000 rows looked at)
    >>> npc(sample.X, sample.y, "logistic", alpha=0.1, split_ratio=choice, random_state=2).split_ratio
    0.3
    """

    split_ratio: float
    ratios: tuple
    type2: tuple
    used: np.ndarray
    rows: str = ""

    def __repr__(self):
        chosen = dict(zip(self.ratios, self.type2, strict=True)).get(self.split_ratio)
        return (
            f"RatioChoice(split_ratio={self.split_ratio:g} of {min(self.ratios):g} to {max(self.ratios):g}, "
            f"type2={short(chosen)}, {int(self.used.sum())} of {self.used.size} rows looked at)"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a ratio: split_ratio, type2, chosen."""
        from nproc.tables import table_frame

        ratios = np.array(self.ratios)
        return table_frame({"split_ratio": ratios, "type2": self.type2, "chosen": ratios == self.split_ratio})

    def summary(self) -> Summary:
        """Return a table of the ratios compared and their cross-validated type II errors.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        pairs = [
            ("Split ratio", f"{self.split_ratio:g}"),
            ("Ratios compared", len(self.ratios)),
            ("Rows", self.used.size),
            ("Rows looked at", int(self.used.sum())),
        ]
        rows = [
            (f"{ratio:g}", error, "chosen" if ratio == self.split_ratio else "")
            for ratio, error in zip(self.ratios, self.type2, strict=True)
        ]
        notes = [
            "These are type II errors, cross-validated on the rows that were used to choose the ratio, at the alpha "
            "and delta of that call. They are estimates. The chosen ratio is the one nearest to 1/2 whose error is "
            "within one standard error of the smallest.",
            "If you pass this object as split_ratio, the rows used for the choice are training rows in every split, "
            "so the bound on the type I error holds as for a ratio fixed beforehand. It does not hold if only the "
            "number is given as split_ratio on the same rows.",
        ]
        return summary_table("Choice of a split ratio", pairs, ["Split ratio", "Type II error", ""], rows, notes)


def check_ratio(split_ratio):
    """Return a `RatioChoice` as it is, and anything else as `nproc.splitting.check_split_ratio` does."""
    if isinstance(split_ratio, RatioChoice):
        return split_ratio
    return check_split_ratio(split_ratio, words=("auto", "adaptive"))


def choose_split_ratio(
    y,
    score,
    *,
    alphas,
    delta,
    seed,
    shared=(),
    leave_out_class1=False,
    ratios=RATIOS,
    **running,
):
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
        ``score(*shared, idx_train, idx_score, seed) -> ndarray``, scores of some rows by a model trained on others.
        It must be picklable when `n_jobs` is not 1.
    alphas : sequence of float
        Levels whose type II errors are averaged: one for a classifier, several for a band.
    delta : float
        Bound on the probability that the type I error is above alpha.
    seed : numpy.random.SeedSequence
        Source of all randomness.
    shared : tuple
        First arguments of `score`, such as the table of all rows, which reach each process once.
    leave_out_class1 : bool
        Whether later splits leave out class 1 rows as well.
    ratios : sequence of float
        Ratios to compare; those that leave out too few rows, or train on hardly more than the rows set aside (below
        0.3), are skipped.
    **running
        ``n_jobs``, ``verbose`` and ``store`` of `run_tasks`.

    Returns
    -------
    RatioChoice

    Raises
    ------
    TooFewSamplesError
        If no ratio leaves out enough class 0 rows and keeps enough for training.

    Notes
    -----
    At most 9 ratios times 5 folds are fitted. Where tuning rows are few, ratios that round to the same number of
    training rows have the same training set, seed and held-out rows in a fold: such a fit is made once, and its scores
    serve them all, so that the result is the same to the last bit. No more can be shared: the training sets of two
    other ratios differ.

    The counterpart of find.optim.split in the R package, which looks at all rows, those that later set the
    threshold included.
    """
    rng = np.random.default_rng(seed)
    rows0, rows1 = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    if rows1.size < (3 if leave_out_class1 else 2):
        raise TooFewSamplesError(
            f"split_ratio='adaptive' needs more class 1 rows for its cross-validation (n1={rows1.size}); give "
            "split_ratio as a number."
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
            f"split_ratio='adaptive' uses {tune0.size} of n0={rows0.size} class 0 rows to choose the ratio, and no "
            f"ratio then leaves out the {needed} rows that alpha={max(alphas):g} and delta={delta:g} need; give "
            "split_ratio as a number."
        )
    n_folds = min(N_FOLDS, tune1.size)
    folds = np.array_split(rng.permutation(tune1), n_folds)
    # the same permutations and seeds for every ratio, so that ratios differ by nothing else
    orders0 = [rng.permutation(tune0) for _ in folds]
    fold_seeds = [int(s) for s in rng.integers(2**31, size=n_folds)]
    levels = [_average_levels(r, rows0.size, alphas, delta) for r in usable]
    fits = _ratios_by_training_set(usable, [f.size for f in folds], tune0.size, tune1.size, leave_out_class1)
    # rows of a fit are drawn where it runs: a task is a few numbers, whatever the number of rows
    found = run_tasks(
        _fold_errors,
        [(*fit, fold_seeds[fit[0]], [levels[j] for j in positions]) for fit, positions in fits.items()],
        shared=(score, np.array(orders0), np.concatenate(folds), np.cumsum([f.size for f in folds]), *shared),
        label="split ratio: fit",
        **running,
        keys=[f"ratio-{i}-{m0}-{m1}" for i, m0, m1 in fits],
    )
    errors = np.empty((len(usable), n_folds))
    for ((i, _, _), positions), values in zip(fits.items(), found, strict=True):
        errors[positions, i] = values
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


def _halves(order0):
    # half of the class 0 rows stand for the threshold at every ratio: with fewer at the larger ratios, their extreme
    # quantiles would be cut off and these ratios look better than they are
    return order0[: order0.size // 2], order0[order0.size // 2 :]


def _ratios_by_training_set(ratios, fold_sizes, n_tune0, n_tune1, leave_out_class1):
    """Return a dict: fold and training rows of each class -> positions of the ratios that train on just these rows."""
    n_pool0 = _halves(np.arange(n_tune0))[1].size
    found = {}
    for position, ratio in enumerate(ratios):
        m0 = max(1, n_train(n_pool0, ratio))
        for fold, size in enumerate(fold_sizes):
            n_train1 = n_tune1 - size
            m1 = max(1, n_train(n_train1, ratio)) if leave_out_class1 else n_train1
            found.setdefault((fold, m0, m1), []).append(position)
    return found


def _fold_errors(score, orders0, order1, stops, *arguments):
    """Type II errors of one fit on its fold, for the levels of each ratio that it serves."""
    *shared, i, m0, m1, seed, levels_of_ratios = arguments
    folds = np.split(order1, stops[:-1])
    held0, pool0 = _halves(orders0[i])
    train1 = np.concatenate([fold for j, fold in enumerate(folds) if j != i])[:m1]
    idx_train = np.sort(np.concatenate([pool0[:m0], train1]))
    scores = score(*shared, idx_train, np.concatenate([held0, folds[i]]), seed)
    return [_mean_missed(scores[: held0.size], scores[held0.size :], levels) for levels in levels_of_ratios]


def _mean_missed(scores0, scores1, levels):
    missed = [
        1.0 if level == 0 else np.mean(scores1 <= np.quantile(scores0, 1 - level, method="weibull")) for level in levels
    ]
    return float(np.mean(missed))


WAY_OUT = "Use split_ratio='adaptive' to choose it on these rows, or a number fixed beforehand."


def mark_rows(X, y):
    """Return a text that two tables share only if they have equal rows and 0/1 labels in the same order.

    Rows are compared by `nproc.rows.keys.row_keys`, so that an array and a frame of the same numbers are equal.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    >>> mark_rows(X, y) == mark_rows(X.copy(), y), mark_rows(X, y) == mark_rows(X[::-1], y)
    (True, False)
    """
    digest = hashlib.sha256(np.asarray(y, dtype="<i8").tobytes())
    digest.update(row_keys(X).astype("<u8").tobytes())
    return digest.hexdigest()


def check_same_data(choice, X, y, *, leave_out_class1):
    """Return an earlier `RatioChoice` if it may serve these rows, with 0/1 labels, and leave out class 1 rows if asked.

    Raises
    ------
    InvalidInputError
        If the rows are not those that the choice has seen, or none of class 1 is left that it has not.
    """
    if choice.used.size != y.size:
        raise InvalidInputError(
            f"split_ratio was chosen on {choice.used.size} rows, and there are {y.size}: the rows that were used "
            f"for the choice cannot be identified. {WAY_OUT}"
        )
    if choice.rows != mark_rows(X, y):
        raise InvalidInputError(
            "split_ratio was chosen on other rows, another order of them, other columns or another class0: rows that "
            f"were looked at might set the threshold, and the guarantee would be void. {WAY_OUT}"
        )
    if leave_out_class1 and choice.used[y == 1].all():
        raise InvalidInputError(
            "split_ratio was chosen by npc, which looks at all class 1 rows, but a band requires class 1 rows "
            "that were not used for the choice. Let nproc choose the ratio (split_ratio='adaptive'); npc also "
            "accepts the ratio chosen by nproc."
        )
    return choice
