"""Features in the order of how well each predicts alone, under a bound on the type I error or without one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from nproc.checks import (
    Seed,
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_level,
    check_models,
    check_seed,
    tells_names,
)
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, giving_ways_out, warn_at_call
from nproc.feature_ranking.averages import averaged_error_bounds
from nproc.feature_ranking.densities import scale_exponent, sorted_log_ratio
from nproc.inputs import Method, read_method
from nproc.orderstat import clopper_pearson, np_order
from nproc.parallel import check_n_jobs, check_verbose, run_tasks
from nproc.rows import check_labels, code_of_dummies, read_table
from nproc.scorers import MethodLike, fit_scorer, fresh_copy, score_rows
from nproc.splitting import check_split_ratio, check_split_sizes, make_splits, n_train, stream
from nproc.tables import (
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    rounded_down,
    rounded_up,
    summary_table,
    table_frame,
)
from nproc.thresholds import rounding_guard

CRITERIA = ("np", "classical")
# features of one task
TOGETHER = 8
# features with ties that are named
MOST_TIED = 5
# middle share of the splits whose ranks are shown
MIDDLE = (0.05, 0.95)
_WAYS_OUT = {
    "no numbers": "Encode text columns as numbers, or leave them out.",
    "sparse": "Use X.toarray() if it fits in memory, or give fewer columns.",
    "missing values": "Impute them, or leave out these rows.",
}


@dataclass(frozen=True, repr=False, eq=False)
class FeatureRanking(InNotebook):
    """Features ranked by the errors of classifiers that use one feature each; made by `rank_features`.

    Arrays have one entry for each column of X, in the order of X.

    Attributes
    ----------
    features : tuple
        Columns of the frame, or the column numbers of an array.
    scores : ndarray, shape (p,)
        Mean over the splits of the share of errors on left-out rows: of type II errors (``criterion="np"``) or of all
        errors (``"classical"``). Smaller is better.
    lower, upper : ndarray, shape (p,)
        Interval for the mean over the splits of the error rates of the classifiers.
    ranks : ndarray of int, shape (p,)
        1 for the smallest score. Features with equal scores share the smallest of their ranks.
    ranks_low, ranks_high : ndarray of int, shape (p,)
        5 % and 95 % quantile of the ranks in the single splits: a description, and not an interval. The rank by the
        mean over the splits may lie outside.
    split_scores : ndarray, shape (n_splits, p)
        The shares of errors in each split.
    n_tied : ndarray of int, shape (p,)
        Splits in which the feature varies, but the largest left-out class 0 scores are tied and no row has a larger
        one. All rows are then called class 0, and the type II error is 1. Always 0 for ``"classical"``.
    criterion, method : str
        What is counted, and how a row is scored by one feature.
    alpha, delta : float
        Bound on the type I error, and on the probability that it is broken; without effect for ``"classical"``.
    order : int or None
        Rank of the threshold among the left-out class 0 scores; None for ``"classical"``.
    level : float
        Probability with which an interval holds; of all intervals at once if `simultaneous`.
    simultaneous : bool
        Whether the intervals hold for all features at once.
    n0, n1, n0_left_out, n1_left_out : int
        Rows of each class, and those that each split leaves out.
    split_ratio : float
        Share of each class that trains.
    labels : ndarray, shape (2,)
        The labels, that of class 0 first.
    seed : int
        Root seed of the splits.
    """

    features: tuple
    scores: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ranks: NDArray[np.int64]
    ranks_low: NDArray[np.int64]
    ranks_high: NDArray[np.int64]
    split_scores: NDArray[np.float64]
    n_tied: NDArray[np.int64]
    criterion: str
    method: str
    alpha: float
    delta: float
    order: int | None
    level: float
    simultaneous: bool
    n0: int
    n1: int
    n0_left_out: int
    n1_left_out: int
    split_ratio: float
    labels: np.ndarray
    seed: Any

    def __repr__(self):
        levels = f", alpha={self.alpha:g}, delta={self.delta:g}" if self.criterion == "np" else ""
        best = ", ".join(
            f"{name} ({self.scores[j]:.3f})" for j, name in zip(self._sorted()[:3], self.top(3), strict=True)
        )
        if len(best) > 90:
            best = best[:87] + "..."
        plural = "s" * (len(self.features) != 1)
        return (
            f"FeatureRanking({self.criterion!r}, {len(self.features)} feature{plural}{levels}, "
            f"method={self.method!r}, n_splits={self.n_splits}, class0={self.class0!r}\n  best: {best})"
        )

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.split_scores)

    @property
    def class0(self) -> Any:
        """The label whose error has the bound."""
        return self.labels.tolist()[0]

    def _sorted(self):
        """Return the columns from the best to the worst, equal scores in the order of X."""
        return np.argsort(self.scores, kind="stable")

    def top(self, k: int = 10) -> list[Any]:
        """Return the names (of an array the column numbers) of the best features, the best first.

        Parameters
        ----------
        k : int
            How many; all where there are fewer.

        Returns
        -------
        list
            For ``X[ranking.top(5)]``, or ``X[:, ranking.top(5)]`` with an array.
        """
        return [self.features[j] for j in self._sorted()[: check_count(k, "k")].tolist()]

    def to_frame(self) -> DataFrame:
        """Return one row for each feature, the best first: feature, score, lower, upper, rank, rank_low, rank_high."""
        order = self._sorted()
        return table_frame(
            {
                "feature": [self.features[j] for j in order.tolist()],
                "score": self.scores[order],
                "lower": self.lower[order],
                "upper": self.upper[order],
                "rank": self.ranks[order],
                "rank_low": self.ranks_low[order],
                "rank_high": self.ranks_high[order],
            }
        )

    def summary(self, *, max_rows: int = 10) -> Summary:
        """Return the settings and the best features, as a summary of statsmodels.

        Parameters
        ----------
        max_rows : int
            Features that are shown.
        """
        max_rows = check_count(max_rows, "max_rows")
        np_rule = self.criterion == "np"
        pairs = [
            ("Features", len(self.features)),
            ("Score", "type II error" if np_rule else "overall error"),
            ("Method", self.method),
            ("Splits", self.n_splits),
            ("Class 0", f"{self.class0!r}"),
            ("Class 0 rows left out", f"{self.n0_left_out} of {self.n0}"),
            ("Seed", f"{self.seed}"),
            ("Class 1 rows left out", f"{self.n1_left_out} of {self.n1}"),
        ]
        if np_rule:
            pairs[2:2] = [("alpha", f"{self.alpha:g}"), ("delta", f"{self.delta:g}")]
        columns = ["Feature", "Score", "Lower", "Upper", "Rank", "5 % of splits", "95 %"]
        rows = [
            (str(name), score, rounded_down(low), rounded_up(high), *ranks)
            for name, score, low, high, *ranks in self.to_frame().itertuples(index=False, name=None)
        ]
        return summary_table("Ranking of features", pairs, columns, rows, self._notes(), max_rows=max_rows)

    def _notes(self):
        for_all = "for all features at once" if self.simultaneous else "for each feature by itself"
        notes = [
            f"The intervals hold {for_all} with probability at least {self.level:g}. They are for the mean error of "
            f"the {self.n_splits} classifiers of a feature. The columns of ranks only describe the splits.",
            "The scores of the best features are too good on average, since they were chosen by these rows. Use other "
            "rows for a threshold and for an estimate of its errors.",
        ]
        if self.criterion == "np":
            notes.insert(
                0,
                f"In each split, the classifier of each feature has a type I error of at most {self.alpha:g} with "
                f"probability at least {at_least(1 - self.delta)}. This does not hold for the feature that looks best.",
            )
        return [*notes, *self._told_of_ties()]

    def _told_of_ties(self):
        """Say in a list which features are ranked by ties alone in some splits, if there are any."""
        tied = np.flatnonzero(self.n_tied)
        if tied.size == 0:
            return []
        names = ", ".join(repr(self.features[j]) for j in tied[:MOST_TIED].tolist())
        rest = f" and {tied.size - MOST_TIED} more" if tied.size > MOST_TIED else ""
        return [
            f"Ties leave no rule for {names}{rest} in up to {self.n_tied.max()} of {self.n_splits} splits: the largest "
            "class 0 scores are equal, no row lies above them, and every class 1 row counts as missed. These features "
            "may be better than their scores. npc with ties='randomize' can use them, and so can a larger alpha."
        ]

    def plot(self, *, n_features: int = 20, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the scores of the best features with their intervals; return the Axes.

        Parameters
        ----------
        n_features : int
            Features that are shown.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_features

        shown = self._sorted()[: check_count(n_features, "n_features")]
        error = rf"type II error at $\alpha$ = {self.alpha:g}" if self.criterion == "np" else "overall error"
        return plot_features(
            [str(self.features[j]) for j in shown.tolist()],
            self.scores[shown],
            self.lower[shown],
            self.upper[shown],
            xlabel=error,
            level=self.level,
            simultaneous=self.simultaneous,
            ax=ax,
            figsize=figsize,
        )


@tells_names
def rank_features(
    X: Any,
    y: ArrayLike,
    criterion: Literal["np", "classical"] = "np",
    *,
    method: MethodLike = "density",
    alpha: float = 0.05,
    delta: float = 0.05,
    n_splits: int = 11,
    split_ratio: float = 0.5,
    level: float = 0.95,
    simultaneous: bool = False,
    class0: object = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
) -> FeatureRanking:
    r"""Rank features by the type II error that each reaches alone, under a bound on the type I error.

    For each feature, and in each of several random splits, a classifier is trained on one part of the rows. Its
    threshold is the order statistic of the left-out class 0 scores with which the type I error is at most alpha with
    probability at least 1 - delta. The score of the feature is the share of the left-out class 1 rows that are missed,
    averaged over the splits (s-NPC). With ``criterion="classical"`` it is the share of all left-out rows that are
    misclassified where the more likely class is predicted (s-CC).

    Parameters
    ----------
    X : DataFrame, or array-like of shape (n, p)
        Numbers without missing values; pandas, polars or numpy. The names of a frame are kept.
    y : array-like, shape (n,)
        Labels of two classes.
    criterion : {"np", "classical"}
        By which error features are ranked.
    method : str or estimator
        How rows are scored by one feature. ``"density"`` takes the ratio of two density estimates, so the feature
        need not be monotone in the class; see `nproc.feature_ranking.log_density_ratio`. Otherwise a name of
        `scorer_names` or an unfitted estimator, which gets a matrix of one column.
    alpha, delta : float
        Bound on the type I error, in (0, 1), and on the probability that it is broken, in (0, 0.5]. Only for
        ``"np"``.
    n_splits : int
        Random splits, B in the paper.
    split_ratio : float
        Share of the rows of each class that train, in (0, 1).
    level : float
        Probability with which an interval holds, in (0, 1).
    simultaneous : bool
        Whether the intervals are to hold for all p features at once (each at 1 - (1 - level) / p).
    class0 : label, optional
        The class whose error has the bound; see `npc`.
    n_jobs : int, optional
        Processes, as in `npc`. The result does not depend on it.
    random_state : None, int or numpy Generator
        Seed of the splits, which are the same for all features.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    FeatureRanking
        Scores, intervals and ranks, with ``top``, ``to_frame``, ``summary`` and ``plot``.

    Raises
    ------
    InvalidInputError
        If X is sparse, a column has missing values or other values than numbers, the method cannot be trained on a
        feature, or an argument is outside its range.
    TooFewSamplesError
        If too few class 0 rows are left out for alpha and delta, or a class has fewer than two rows that train.

    Warns
    -----
    NPWarning
        If `class0` is not given and the labels do not say which class it is. If the largest class 0 scores of a feature
        that varies are tied in a split, so that no rule by this feature calls a row class 1 (`n_tied`).

    See Also
    --------
    npc : Train the classifier with the features that were chosen.
    nproc.feature_ranking.averaged_error_bounds : The intervals.

    Notes
    -----
    *What is proved of the classifiers.* In each split, and for each feature, the left-out class 0 rows are independent
    of the training rows. So with probability at least 1 - delta, the type I error of this one classifier is at most
    alpha (Proposition 1 of [tong2018]_). Nothing is proved of all features at once, or of a feature that was chosen
    because it looks best.

    *What is proved of the scores.* Given its training rows and threshold, a classifier misses a binomial number of the
    left-out class 1 rows. The splits share rows, so their scores are dependent, and the spread of the scores over the
    splits is no basis for an interval. The intervals here hold for the mean type II error of the n_splits classifiers
    of a feature (classical: the mean overall error, at the shares of the classes in the sample), whatever this
    dependence; see `nproc.feature_ranking.averaged_error_bounds` for the proof. With ``n_splits=1`` and ``"np"`` the
    interval is the exact one of Clopper and Pearson. Nothing is proved at finite sample size of the distance
    between a score and the type II error of the best classifier of this feature. [li2021]_ prove, for
    densities that are smooth, that the order by the scores is that of these population values with a probability that
    tends to 1.

    *What is not proved.* The ranges of ranks over the splits only describe them. The score of the best
    of many features is too small on average, as the minimum of many estimates is. So rank on one half of the rows, and
    use the other half for everything else, as in the example.

    *Against the paper.* Its figures and tables were not at hand, and no number here is set beside one of them.
    benchmarks/feature_ranking.py compares the order with the best one in closed form, and ranks genes of neuroblastoma.

    *Against the package of the authors* (frc for R): alpha is 0.05 here and 0.3 there; the bandwidth is the normal
    reference rule and there a plug-in rule; round(n split_ratio) rows of a class train, and there half rounded up.
    All features have the same splits, so the order of the columns does not matter.

    *One feature at a time.* Features that repeat each other have nearly the same rank, and a feature that helps only
    beside others is ranked low.

    *Cost.* Time grows with p times n_splits. With 11 splits one feature took 3 ms for 500 rows, 11 ms for 5000, and
    0.2 s for 100,000 (one core).

    References
    ----------
    The criteria are those of [li2021]_; the threshold is that of [tong2018]_.

    Examples
    --------
    Feature 1 is shifted in class 1. Feature 0 has the same mean in both classes, but is more spread out in class 1.
    Rank on one half, train on the other:

    >>> import numpy as np
    >>> from nproc import npc, rank_features
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat([0, 1], 400)
    >>> X = rng.normal(size=(800, 4))
    >>> X[y == 1, 0] *= 6
    >>> X[y == 1, 1] += 1
    >>> first = rng.permutation(800) < 400
    >>> ranking = rank_features(X[first], y[first], alpha=0.1, n_splits=5, random_state=1)
    >>> ranking.top(2)
    [0, 1]
    >>> fit = npc(X[~first][:, ranking.top(2)], y[~first], "qda", alpha=0.1, random_state=1)
    """
    if isinstance(X, str):
        raise InvalidInputError(
            f"X must be a table with one column for each feature, got the text {X!r}. "
            "Formulas and paths do not work here.",
            argument="X",
        )
    criterion = check_choice(criterion, "criterion", CRITERIA)
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    level, simultaneous = check_level(level, "level"), check_flag(simultaneous, "simultaneous")
    n_splits, split_ratio = check_models(n_splits, "n_splits"), check_split_ratio(split_ratio)
    n_jobs, seed = check_n_jobs(n_jobs), check_seed(random_state)
    check_verbose(verbose)
    if isinstance(method, str) and method == "density":
        how = Method(method, None, False, True, False, False)
    else:
        how = replace(read_method(method), numeric=True, allow_nan=False, sparse=False)
    encoded = f"Encode them as numbers, for example categories by {code_of_dummies(X, 'X')}, or leave them out."
    with giving_ways_out(_WAYS_OUT | {"columns of text": encoded}):
        # whatever the method takes, here it gets one column of numbers
        read = read_table(X, y, None, method=replace(how, name=None), encode=partial(check_labels, class0=class0))
    labels, columns = read.labels, read.design.columns
    p = read.X.shape[1]
    n0, n1 = labels.n0, labels.n1
    if criterion == "np":
        check_split_sizes(n0, split_ratio, alpha, delta)
    for n, label in ((n0, labels.values.tolist()[0]), (n1, labels.values.tolist()[1])):
        trained = n_train(n, split_ratio)
        if trained < 2 or trained == n:
            raise TooFewSamplesError(
                f"split_ratio={split_ratio:g} of the {n} rows of class {label!r} leaves {trained} to train and "
                f"{n - trained} to be counted; at least 2 and 1 are needed."
            )
    n0_left, n1_left = n0 - n_train(n0, split_ratio), n1 - n_train(n1, split_ratio)
    order = np_order(n0_left, alpha, delta) if criterion == "np" else None
    names = tuple(range(p)) if columns is None else tuple(columns)
    splits = make_splits(labels.y, n_splits, split_ratio, seed, leave_out_class1=True)
    found = run_tasks(
        _count_errors,
        [(start, min(start + TOGETHER, p)) for start in range(0, p, TOGETHER)],
        shared=(read.X, labels.y, splits, how.scorer, order, names),
        n_jobs=n_jobs,
        verbose=verbose,
        label="rank_features: features",
    )
    errors = np.concatenate(found, axis=1)
    counted, n_counted = errors[..., 1], n1_left
    if order is None:
        counted, n_counted = errors[..., :2].sum(axis=-1), n0_left + n1_left
    each = 1 - (1 - level) / p if simultaneous else level
    total = counted.sum(axis=0)
    scores = total / (n_splits * n_counted)
    if n_splits == 1 and order is not None:
        bounds = clopper_pearson(total, n_counted, level=each)
    else:
        bounds = averaged_error_bounds(scores, n_counted, level=each)
    in_splits = rankdata(counted, method="min", axis=1)
    low, high = np.quantile(in_splits, MIDDLE, axis=0, method="inverted_cdf")
    ranking = FeatureRanking(
        features=names,
        scores=scores,
        lower=np.asarray(bounds.lower),
        upper=np.asarray(bounds.upper),
        # counts, since equal counts must be equal ranks
        ranks=rankdata(total, method="min").astype(np.int64),
        ranks_low=low.astype(np.int64),
        ranks_high=high.astype(np.int64),
        split_scores=counted / n_counted,
        n_tied=errors[..., 2].sum(axis=0),
        criterion=criterion,
        method=how.name,
        alpha=alpha,
        delta=delta,
        order=order,
        level=level,
        simultaneous=simultaneous,
        n0=n0,
        n1=n1,
        n0_left_out=n0_left,
        n1_left_out=n1_left,
        split_ratio=split_ratio,
        labels=labels.values,
        seed=seed,
    )
    for told in ranking._told_of_ties():
        warn_at_call(told, NPWarning)
    return ranking


def _count_errors(X, y, splits, scorer, order, names, start, stop):
    """Return the errors on left-out class 0 and class 1 rows of some features, and whether ties left no rule.

    The shape is (n_splits, features, 3).
    """
    errors = np.empty((len(splits), stop - start, 3), dtype=np.int64)
    in_order = [np.argsort(X[:, j], kind="stable") for j in range(start, stop)]
    sorted_columns = [X[rows, j] for rows, j in zip(in_order, range(start, stop), strict=True)]
    # a power of two changes no digit
    sorted_columns = [np.ldexp(column, -scale_exponent(column)) for column in sorted_columns]
    role = np.empty(y.size, dtype=np.int8)
    for s, split in enumerate(splits):
        if scorer is not None:
            for j in range(start, stop):
                errors[s, j - start] = _errors_of_scorer(X[:, [j]], y, split, scorer, order, names[j])
            continue
        role[:] = y
        role[split.idx_left0], role[split.idx_left1] = 2, 3
        for j, (rows, column) in enumerate(zip(in_order, sorted_columns, strict=True)):
            errors[s, j] = _errors_of_densities(column, role[rows], order)
    return errors


def _errors_of_densities(column, role, order):
    """Return both counts of errors, and whether ties left no rule, from a sorted feature and the role of each row.

    The role is the class, plus 2 where the row is left out.
    """
    train0, train1 = column[role == 0], column[role == 1]
    left, is_class1 = column[role >= 2], role[role >= 2] == 3
    first = np.append(True, left[1:] > left[:-1])
    # equal values have equal scores, whatever their places
    scores = sorted_log_ratio(train0, train1, left[first])[np.cumsum(first) - 1]
    if order is None:
        cut, n_tied = np.log(train0.size / train1.size), 0
    else:
        cut = np.partition(scores[~is_class1], order - 1)[order - 1]
        n_tied = np.count_nonzero(scores[~is_class1] == cut)
    called1 = scores > cut
    no_rule = n_tied > 1 and not called1.any() and column[0] < column[-1]
    return np.count_nonzero(called1 & ~is_class1), np.count_nonzero(~called1 & is_class1), no_rule


def _errors_of_scorer(column, y, split, scorer, order, name):
    """Return both counts of errors of a scorer that is trained on one column, and whether ties left no rule."""
    state = int(stream(split.seed, "scorer").generate_state(1)[0])
    try:
        model = fit_scorer(fresh_copy(scorer, state), column[split.idx_train], y[split.idx_train])
        if order is None:
            wrong0 = np.asarray(model.predict(column[split.idx_left0])) != 0
            wrong1 = np.asarray(model.predict(column[split.idx_left1])) != 1
            return np.count_nonzero(wrong0), np.count_nonzero(wrong1), False
        scores0, scores1 = (score_rows(model, column[rows]) for rows in (split.idx_left0, split.idx_left1))
    except InvalidInputError as error:
        raise InvalidInputError(f"feature {name!r}: {error}") from error
    cut = np.partition(scores0, order - 1)[order - 1]
    guard = rounding_guard(scores0, cut)
    wrong0, called1 = np.count_nonzero(scores0 - cut > guard), np.count_nonzero(scores1 - cut > guard)
    n_tied = np.count_nonzero(np.abs(scores0 - cut) <= guard)
    no_rule = n_tied > 1 and wrong0 + called1 == 0 and np.ptp(column) > 0
    return wrong0, scores1.size - called1, no_rule
