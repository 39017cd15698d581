"""Methods as procedures: type II errors over repeated splits, compared by an approximate corrected t test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from nproc.checks import Seed, check_delta, check_level, check_levels, check_models
from nproc.comparison.methods import named_methods, read_all_inputs, score_methods
from nproc.comparison.result import ProcedureComparison, ProcedureDifference
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.inputs import knows_names_of_r, read_run
from nproc.orderstat import holm_adjusted, np_order
from nproc.rows import Table, read_given
from nproc.scorers import MethodLike, Resampler
from nproc.splitting import check_split_ratio, check_split_sizes, make_splits, n_train
from nproc.thresholds import rounding_guard


@knows_names_of_r
def compare_procedures(
    X: Table,
    y: ArrayLike | Table | None = None,
    methods: Sequence[MethodLike] | Mapping[str, MethodLike] | None = None,
    *,
    alpha: float | Sequence[float] = 0.05,
    delta: float = 0.05,
    n_splits: int = 15,
    split_ratio: float = 0.5,
    level: float = 0.95,
    class0: object = None,
    data: Table | None = None,
    method_params: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | str | None = None,
    na_action: Literal["error", "omit"] = "error",
    resample: Resampler | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
) -> ProcedureComparison:
    r"""Compare methods as procedures, over training samples, by their type II errors; approximate.

    In each of J random splits every method trains on the same rows, takes its threshold at the rank of `npc` from the
    left-out class 0 rows, and its type II error is counted on the left-out class 1 rows. The mean difference of two
    methods over the splits estimates the difference to be expected on other data of the same size.

    Parameters
    ----------
    X, y, class0, data, sample_weight, na_action, resample, n_jobs, random_state, verbose
        As in `npc`.
    methods : sequence or dict
        At least two methods as `npc` takes them: names or scikit-learn classifiers; as a dict, by the names that they
        are to have.
    alpha : float or sequence of float
        Bounds on the type I error, in (0, 1). A named method that trains for a level is trained for `alpha`, if `alpha`
        is a single number.
    delta : float
        Each bound holds with probability at least 1 - `delta`, in (0, 0.5].
    n_splits : int
        Number of random splits J, at least 2; ten or more are advised, see Notes.
    split_ratio : float
        Share of the rows of each class that train, in (0, 1).
    level : float
        Coverage that each interval aims at, in (0, 1); one minus it is the level of the tests.
    method_params : dict of dict, optional
        Arguments of named methods, by name of the method: ``{"svm": {"C": 10}}``.

    Returns
    -------
    ProcedureComparison

    Raises
    ------
    InvalidInputError
        If an argument is not valid, or methods share a name.
    TooFewSamplesError
        If the left-out class 0 rows cannot meet the levels.

    See Also
    --------
    compare : Exact statements about the fitted rules or scores.
    nproc_bands : Bands of several methods.

    Notes
    -----
    Approximate: there is no proof, and no unbiased estimate of the variance exists. Splits share rows, so that their
    differences :math:`d_1, \dots, d_J` are correlated. With :math:`S^2` their sample variance and
    :math:`n_1, n_2` the rows that train and that are left out, the corrected variance of the mean is

    .. math:: \left( \frac1J + \frac{n_2}{n_1} \right) S^2 ,

    as if the correlation were :math:`n_2 / (n_1 + n_2)`; interval and p-value take Student's law with J - 1 degrees of
    freedom: the corrected resampled t statistic of [nadeau2003]_. It estimates the difference for samples of
    :math:`n_1` training rows, fewer rows than you have. Where the differences do not vary at all, nothing is known of
    their variance: the p-value is 1 and the interval [-1, 1].

    How well it keeps a level of 5 % was seen in simulations of equal methods, 1200 to 3000 samples each. In fourteen
    settings with delta = 0.1 or 0.2 and 2 to 15 splits it found a difference in 0 to 5.6 % of the samples. At alpha =
    delta = 0.05 with 120 or 240 class 0 rows, where the threshold is the largest of 60 scores or the second largest of
    120, type II errors have heavy tails, and Student's t distribution fits badly with few degrees of freedom. There the
    test rejected in 5 to 8 % of the samples with 2 to 5 splits, and in 5 to 6 % with 10 or 15 splits. With two splits
    there is one degree of freedom, so that an interval reaches 12.7 standard errors to either side. Use at least ten
    splits.

    All methods and splits are trained in one pool, the rows reach each process once, and copies of rows are looked for
    once.

    Intervals are each by itself; p-values are adjusted by Holm's procedure for all pairs and levels [holm1979]_.

    References
    ----------
    [nadeau2003]_, [holm1979]_.

    Examples
    --------
    >>> from nproc.simulate import logistic_world
    >>> sample = logistic_world(800, random_state=1)
    >>> result = compare_procedures(sample.X, sample.y, ["lda", "tree"], alpha=0.1, random_state=1)
    >>> first = result.differences[0]
    >>> first.difference < 0, first.first, first.second
    (True, 'lda', 'tree')
    """
    named = named_methods(methods, X=X, y=y)
    alphas = np.atleast_1d(check_levels(alpha, "alpha"))
    if alphas.size == 0:
        raise InvalidInputError("alpha is empty; give one level or several.")
    delta, level = check_delta(delta), check_level(level, "level")
    n_splits = check_models(n_splits, "n_splits", minimum=2)
    split_ratio = check_split_ratio(split_ratio)
    run = read_run(
        random_state=random_state,
        n_splits=n_splits,
        split_ratio=split_ratio,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    own_level = float(alphas[0]) if alphas.size == 1 else None
    rows = read_given(X, y, data, na_action=na_action, sample_weight=sample_weight)
    with rows.counted():
        inputs = read_all_inputs(rows, named, method_params, alpha=own_level, class0=class0, resample=resample)
    first = inputs[0]
    splits = _splits(first, run, alphas, delta)
    errors = partial(_type2, alphas=alphas, delta=delta)
    with rows.counted():
        found = score_methods(inputs, [splits] * len(inputs), run, "compare_procedures: fit", summarise=errors)
    names, type2 = tuple(named), np.swapaxes(found, 0, 1)
    trained = splits[0].idx_train.size
    left_out = first.y.size - trained
    return ProcedureComparison(
        names=names,
        alpha=alphas,
        delta=delta,
        level=level,
        type2=type2,
        differences=_differences(names, alphas, type2, left_out / trained, level),
        n_train=trained,
        n_left_out=left_out,
        split_ratio=run.split_ratio,
        labels=first.labels.values,
        seed=run.seed,
        own_names=tuple(name for name, one in zip(names, inputs, strict=True) if name == one.method.name),
    )


def corrected_t(values, ratio, level):
    """Return mean, corrected standard error, interval and two-sided p-value of correlated values.

    Parameters
    ----------
    values : ndarray, shape (J, ...)
        Values of J splits.
    ratio : float
        Left-out rows to training rows.
    level : float
        Coverage that the interval aims at.

    Returns
    -------
    mean, std_error, lower, upper, p_value : ndarray

    Notes
    -----
    See `compare_procedures`, also for values that are all the same.
    """
    n = values.shape[0]
    mean = values.mean(axis=0)
    std_error = math.sqrt(1 / n + ratio) * values.std(axis=0, ddof=1)
    varies = np.ptp(values, axis=0) > 0
    half = stdtrit(n - 1, (1 + level) / 2) * std_error
    statistic = np.divide(np.abs(mean), std_error, out=np.zeros_like(mean), where=varies)
    lower = np.where(varies, np.maximum(mean - half, -1.0), -1.0)
    upper = np.where(varies, np.minimum(mean + half, 1.0), 1.0)
    return mean, std_error, lower, upper, np.minimum(1.0, 2 * stdtr(n - 1, -statistic))


def _differences(names, alphas, type2, ratio, level):
    pairs = list(combinations(range(len(names)), 2))
    values = np.stack([type2[:, a] - type2[:, b] for a, b in pairs], axis=1)
    tested = corrected_t(values, ratio, level)
    adjusted = holm_adjusted(tested[-1].ravel()).reshape(tested[-1].shape)
    return tuple(
        ProcedureDifference(names[a], names[b], float(alpha), *(float(part[p, j]) for part in (*tested, adjusted)))
        for p, (a, b) in enumerate(pairs)
        for j, alpha in enumerate(alphas)
    )


def _splits(inputs, run, alphas, delta):
    n1, split_ratio = inputs.labels.n1, run.split_ratio
    trains = n_train(n1, split_ratio)
    if not 1 <= trains < n1:
        raise TooFewSamplesError(
            f"split_ratio={split_ratio:g} of {n1} class 1 rows leaves {trains} to train and {n1 - trains} to count "
            "errors on; both need at least 1."
        )
    check_split_sizes(inputs.labels.n0, split_ratio, float(alphas.min()), delta)
    return make_splits(inputs.y, run.n_splits, split_ratio, run.seed, leave_out_class1=True)


def _type2(split, alphas, delta):
    scores0 = np.sort(split.scores0)
    cuts = scores0[[np_order(scores0.size, float(alpha), delta) - 1 for alpha in alphas]]
    cuts = cuts + rounding_guard(scores0, cuts)
    return np.searchsorted(np.sort(split.scores1), cuts, side="right") / split.scores1.size
