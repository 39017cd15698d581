"""Random splits of the rows: which train the scoring function and which set the threshold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nproc.checks import check_level, is_number, shown
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import least_alpha, least_delta, min_class0_size, search_orders, smallest_size, too_few_message


@dataclass(frozen=True)
class Split:
    """Rows of one split; the three index arrays are disjoint and sorted.

    Attributes
    ----------
    idx_train : ndarray of int
        Rows that train the scoring function (both classes).
    idx_left0 : ndarray of int
        Left-out class 0 rows, which set the threshold.
    idx_left1 : ndarray of int
        Left-out class 1 rows, which bound the type II error; empty where all class 1 rows train.
    seed : numpy.random.SeedSequence
        Source of all further randomness of this split (the scorer's, the resampler's, the ties').
    clusters : ndarray of int, shape (n,), optional
        The cluster of each of the n rows, for folds inside the training that keep clusters together.
    part : str
        What a message calls it, "split" or "fold".
    """

    idx_train: np.ndarray
    idx_left0: np.ndarray
    idx_left1: np.ndarray
    seed: np.random.SeedSequence
    clusters: np.ndarray | None = None
    part: str = "split"


@dataclass(frozen=True, eq=False)
class Splits(Sequence):
    """Random splits, of which each is drawn when it is asked for: M splits of n rows take O(n) memory, not O(M n).

    Attributes
    ----------
    draw : callable
        ``draw(arrays, settings, seed) -> Split``, the same split for the same arguments, wherever it is called.
    arrays : tuple
        What `draw` needs of the size of the data, such as the labels.
    settings : tuple
        What else it needs, small and readable.
    n_splits : int
        How many splits there are.
    seed : int
        Root seed; split j depends on (seed, j) alone, so more splits extend fewer.
    folds : bool
        Whether each row is left out once, so that the splits are folds.
    """

    draw: object
    arrays: tuple
    settings: tuple
    n_splits: int
    seed: int
    folds: bool = False

    def __len__(self):
        return self.n_splits

    def __getitem__(self, j):
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(self.n_splits))]
        if not -self.n_splits <= j < self.n_splits:
            raise IndexError(f"there are {self.n_splits} splits, and no split {j}.")
        return self.draw(self.arrays, self.settings, self.seed_of(j % self.n_splits))

    def seed_of(self, j):
        """Return the SeedSequence of split j, which is the j-th child of ``SeedSequence(seed)``."""
        return np.random.SeedSequence(self.seed, spawn_key=(j,))


# a message names a ratio that leaves out enough rows where so many are left to train, and otherwise none
LEAST_NAMED = 5
_STREAMS = {"rows": 0, "scorer": 1, "resample": 2, "ties": 3}


def stream(seed, purpose):
    """Return the SeedSequence of one purpose under `seed`: the same whenever and wherever it is asked for."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _STREAMS[purpose]))


def check_split_ratio(split_ratio, *, words=()):
    """Return `split_ratio` as a float in (0, 1), or as one of the `words` that are understood here."""
    if isinstance(split_ratio, str) and split_ratio in words:
        return split_ratio
    if not is_number(split_ratio):
        others = " or ".join(["a number in (0, 1)", *map(repr, words)])
        raise InvalidInputError(f"split_ratio must be {others}, got {shown(split_ratio)}.", argument="split_ratio")
    return check_level(split_ratio, "split_ratio")


def n_train(n, split_ratio):
    """Return round(n * split_ratio), the number of rows of a class of `n` that train."""
    return round(n * split_ratio)


def n_left_out(n, split_ratio, alpha, delta):
    """Return the number of class 0 rows of `n` that set the threshold, by a ratio or by the word "auto"."""
    return auto_left_out(n, alpha, delta) if split_ratio == "auto" else n - n_train(n, split_ratio)


def auto_left_out(n, alpha, delta, *, order_of=None, least=None):
    r"""Return how many of `n` class 0 rows ``split_ratio="auto"`` leaves out: a size near half that wastes no delta.

    With m rows left out and the rank k*(m), the type I error is on average (m - k* + 1) / (m + 1). The rank moves in
    whole steps, so that this average falls while m grows, and then jumps up, where v(k*) is just below `delta`. At
    `alpha` = `delta` = .05 the gap between jumps is 1.7 / `alpha` rows at first (59 to 93). As m grows, it falls
    towards 1 / `alpha`. Of the sizes at most round(1 / `alpha`) rows from half that leave a fifth of the rows to train,
    the one with the largest average is taken. Nearly always there is a jump among them.

    Why 1 / `alpha`: simulated at `alpha` = .05 with lda in 2, 20 and 50 predictors, twice the distance had a type II
    error smaller by .009 in the mean. But with qda in 20 predictors, which needs more rows to train, its type II error
    was up to .141 larger than with half, and with 1 / `alpha` at most .0001 larger. Half could be compared from 120
    class 0 rows on (`delta` = .05) or 180 (`delta` = .01). Outside these settings the price can be much higher. Where
    57 or 96 class 0 rows of 150 or 220 train, the type II error was .06 to .18 above that with half: with qda in 30 to
    60 predictors, and with lda in 180 and 300.

    Why the largest average, and not v(k*) closest to `delta`: the average rises from jump to jump, and the rate does
    not, so that by the rate a smaller size may win by chance. With lda the type II error was .0193 above that of the
    best rule in the mean, and .0246 by the rate; with qda .0054, and .0018 by the rate
    (``benchmarks/left_out_size.py``).

    Parameters
    ----------
    n : int
        Class 0 rows, or clusters with class 0 rows.
    alpha, delta : float
        Levels of the threshold.
    order_of : callable, optional
        Rank of a number of left-out scores; None is `np_order`.
    least : int, optional
        The smallest number with such a rank.

    Returns
    -------
    int
        Where no size near half can meet the levels, half of the rows.

    Notes
    -----
    The size is a function of `n`, `alpha` and `delta`. It looks at no row, so that given the labels the left-out rows
    are a sample of class 0 as with a ratio fixed beforehand, and Proposition 1 holds as it stands.

    Examples
    --------
    >>> auto_left_out(180, 0.05, 0.05), auto_left_out(290, 0.05, 0.05), auto_left_out(60, 0.05, 0.05)
    (93, 153, 30)
    """
    half, near = n - n_train(n, 0.5), most_from_half(alpha)
    low, high = max(half - near, least or smallest_size(alpha, delta)), min(half + near, most_left_out(n))
    if low > high:
        return half

    def steps(size):
        # from the largest score down to the threshold; never fewer where more rows are left out
        order = search_orders(size, np.array([alpha]), delta)[0] if order_of is None else order_of(size)
        return size + 1 - int(order)

    # for each number of steps the average is largest at the smallest size that allows them
    sizes = range(low, high + 1)
    first = [sizes[bisect_left(sizes, count, key=steps)] for count in range(steps(low), steps(high) + 1)]
    return max(first, key=lambda size: (steps(size) / (size + 1), -abs(size - half)))


def most_left_out(n):
    """Return how many of `n` rows "auto" leaves out at most: four of five, for a fifth that trains.

    Examples
    --------
    >>> [most_left_out(n) for n in (1, 2, 3, 100)]
    [1, 1, 2, 80]
    """
    return max(n - n_train(n, 0.5), 4 * n // 5)


def most_from_half(alpha):
    """Return by how many rows at most the size of "auto" differs from half."""
    return max(1, round(1 / alpha))


def sizes_looked_at(alpha, n):
    """Return the words for the numbers of left-out rows of `n` that "auto" looks at.

    Examples
    --------
    >>> sizes_looked_at(0.05, 150)
    'within 20 of half'
    >>> sizes_looked_at(0.05, 60)
    'within 20 of half and at most four fifths of all'
    """
    near = most_from_half(alpha)
    capped = " and at most four fifths of all" if most_left_out(n) < n - n_train(n, 0.5) + near else ""
    return f"within {near} of half{capped}"


def least_levels(n, split_ratio, alpha, delta):
    """Return the smallest alpha at `delta`, and the smallest delta at `alpha`, from which on `n` class 0 rows suffice.

    By "auto" the number of left-out rows follows alpha: up to r = round(1 / alpha) more than half of the rows, and at
    most four fifths of them. Where r falls by one, an alpha may have too few rows although a somewhat smaller one has
    enough. The smallest alpha that is returned lies above all such gaps.

    Examples
    --------
    >>> [round(least, 4) for least in least_levels(60, 0.5, 0.05, 0.05)]
    [0.095, 0.2146]
    >>> [round(least, 4) for least in least_levels(60, "auto", 0.05, 0.05)]
    [0.063, 0.0853]
    """
    half = n_left = n - n_train(n, 0.5)
    if split_ratio != "auto":
        n_left = n - n_train(n, split_ratio)
        return least_alpha(n_left, delta), least_delta(n_left, alpha)
    most = max(1, most_left_out(n) - half)

    def has_gap(r):
        # not every alpha that rounds to r has enough rows
        return (r + 0.5) * least_alpha(half + r, delta) > 1

    # a gap gets no smaller from there on
    r = min(most, 1 + bisect_left(range(1, most + 1), True, key=has_gap))
    least = least_alpha(min(half + r, most_left_out(n)), delta)
    return least, least_delta(min(half + most_from_half(alpha), most_left_out(n)), alpha)


def rows_in_all(n_left, split_ratio, alpha=None, delta=None):
    """Return the smallest number of class 0 rows of which at least one trains and `n_left` or more are left out.

    The levels are for "auto" alone.

    Examples
    --------
    >>> rows_in_all(59, 0.5), rows_in_all(59, "auto", 0.05, 0.05)
    (117, 77)
    """
    if split_ratio == "auto":
        # half of these rows, rounded up where the number is odd, and what may be added to it
        total = max(n_left + 1, 2 * (n_left - most_from_half(alpha)) - 1)
        while auto_left_out(total, alpha, delta) < n_left:
            total += 1
        return total
    # rounding may leave out up to half a row more than the share, and half a row is rounded to none
    total = max(n_left, int((n_left - 0.5) / (1 - split_ratio)), int(0.5 / split_ratio))
    while total - n_train(total, split_ratio) < n_left or n_train(total, split_ratio) < 1:
        # by more than one only where floats no longer tell neighbours apart
        total += 1 + (total >> 50)
    return total


def ratio_that_leaves(n_left, n):
    """Return the ratio of fewest digits of which `n` rows leave out `n_left`, of 1 to n - 1.

    Examples
    --------
    >>> ratio_that_leaves(59, 70), ratio_that_leaves(93, 120)
    (0.16, 0.225)
    """
    share = (n - n_left) / n
    shorter = (round(share, digits) for digits in range(1, 16))
    return next((ratio for ratio in shorter if n_train(n, ratio) == n - n_left), share)


def smaller_ratio(needed, n):
    """Return a sentence on a smaller ratio by which `n` rows leave out enough, or nothing where there is none."""
    return "" if n - needed < LEAST_NAMED else ratio_told(ratio_that_leaves(needed, n), n)


def needed_in_all(needed, n, split_ratio, alpha=None, delta=None, *, rows="class 0 rows"):
    """Return how many rows in all leave out `needed`, and the ratio by which `n` do, if any, as sentences.

    Examples
    --------
    >>> needed_in_all(299, 212, 0.5)
    'With split_ratio=0.5, 597 class 0 rows are needed in all, and there are 212.'
    """
    total = rows_in_all(needed, split_ratio, alpha, delta)
    told = f"With split_ratio={said(split_ratio)}, {total} {rows} are needed in all, and there are {n}. "
    return (told + smaller_ratio(needed, n)).rstrip()


def smaller_ratio_of_each(needed, counts, j):
    """Return the same of class `j` where one ratio serves all classes; the last of the `counts` needs no rows."""
    if any(n <= least for least, n in zip(needed, counts, strict=False)):
        return ""
    ratio = min(ratio_that_leaves(least, n) for least, n in zip(needed, counts, strict=False))
    left = [n - n_train(n, ratio) for n in counts]
    enough = all(some >= least for least, some in zip(needed, left, strict=False))
    named = enough and all(n - some >= LEAST_NAMED for n, some in zip(counts, left, strict=True))
    return ratio_told(ratio, counts[j]) if named else ""


def ratio_told(ratio, n):
    """Return a sentence on what a ratio does with `n` rows of class 0."""
    trains = n_train(n, ratio)
    return f"split_ratio={ratio:g} leaves out {n - trains} of them, so that {trains} train, with the same guarantee. "


def said(split_ratio):
    """Return a ratio, or the word "auto", as a message has it that gives Python's argument."""
    return repr(split_ratio) if isinstance(split_ratio, str) else f"{split_ratio:.4g}"


def shown_ratio(split_ratio):
    """Return a ratio, or the word "auto", as a summary has it."""
    return split_ratio if isinstance(split_ratio, str) else f"{split_ratio:.4g}"


def check_split_sizes(n0, split_ratio, alpha, delta, *, way_out=""):
    """Raise if the rows that `split_ratio` leaves out of `n0` cannot meet the levels; `way_out` ends the message."""
    n_left = n_left_out(n0, split_ratio, alpha, delta)
    needed = min_class0_size(alpha, delta)
    if n_left == n0 or n_left < 1:
        raise TooFewSamplesError(
            f"split_ratio={said(split_ratio)} of n0={n0} class 0 rows leaves {n0 - n_left} row(s) to train and "
            f"{n_left} to set the threshold; both need at least 1. {needed} are needed for the threshold at "
            f"alpha={alpha:g}, delta={delta:g}."
        )
    if n_left < needed:
        told = too_few_message(n_left, alpha, delta, least=least_levels(n0, split_ratio, alpha, delta))
        raise TooFewSamplesError(f"{told} {needed_in_all(needed, n0, split_ratio, alpha, delta)} {way_out}".rstrip())


def make_splits(y, n_splits, split_ratio, seed, *, leave_out_class1, always_train=None):
    """Return `n_splits` random splits of rows with 0/1 labels `y`.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        0/1 labels.
    n_splits : int
        Number of splits, M in Algorithm 1.
    split_ratio : float or pair of float
        Share of class 0 (and, for bands, of class 1) that trains; a pair has one for each class.
    seed : int
        Root seed; split j depends on (seed, j) alone, so more splits extend fewer.
    leave_out_class1 : bool
        Leave out class 1 rows by the same ratio (bands), or train on all of them (classifiers).
    always_train : ndarray of bool, shape (n,), optional
        Rows that were already looked at (to choose the ratio) and so must never be left out. They
        count towards the training share.

    Returns
    -------
    Splits
        A sequence of `Split` objects.
    """
    arrays, settings = (y, always_train), (split_ratio, leave_out_class1)
    # before anything is trained
    _pools(arrays, settings)
    return Splits(draw_split, arrays, settings, n_splits, seed)


def draw_split(arrays, settings, seed):
    """Return the `Split` of `make_splits` that belongs to one SeedSequence."""
    pools = _pools(arrays, settings)
    rng = np.random.default_rng(stream(seed, "rows"))
    trains = np.ones(arrays[0].size, dtype=bool)
    left_out = [np.sort(rng.permutation(free)[:n_left]) for free, n_left in pools]
    for left in left_out:
        trains[left] = False
    left1 = left_out[1] if len(left_out) > 1 else np.empty(0, dtype=np.intp)
    return Split(np.flatnonzero(trains), left_out[0], left1, seed)


def _pools(arrays, settings):
    (y, always_train), (split_ratio, leave_out_class1) = arrays, settings
    ratios = split_ratio if isinstance(split_ratio, tuple) else (split_ratio, split_ratio)
    classes = (0, 1) if leave_out_class1 else (0,)
    return [_pool(np.flatnonzero(y == c), ratios[c], always_train) for c in classes]


def _pool(rows, split_ratio, always_train):
    """Rows of a class that may be left out, and how many of them are."""
    n_left = rows.size - n_train(rows.size, split_ratio)
    free = rows if always_train is None else rows[~always_train[rows]]
    if n_left > free.size:
        raise InvalidInputError(
            f"split_ratio={split_ratio:g} leaves out {n_left} rows, but only {free.size} were not used to choose it."
        )
    return free, n_left
