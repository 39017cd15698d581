"""The functions in the style of the R package: npc, nproc, compare, roc_cv."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from nproc.bands import NPROCBand, fit_band
from nproc.checks import Seed, check_choice, check_level
from nproc.comparison import compare
from nproc.crossval import ROCCurve, average_roc
from nproc.errors import InvalidInputError
from nproc.fits import NPFit
from nproc.inputs import merged_params, read_inputs, read_method, read_run
from nproc.row_chunks import RowChunks, is_file_name, read_chunk_inputs, refuse_chunks, refuse_members
from nproc.rows import Table, check_same_rows, refuse_path
from nproc.scorers import MethodLike, Resampler, scorer_names, scorer_spec
from nproc.thresholds import TIES
from nproc.tuning import RatioChoice
from nproc.umbrella import check_resample, fit_umbrella


def npc(
    X: Table | RowChunks,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    alpha: float = 0.05,
    delta: float = 0.05,
    n_splits: int = 1,
    split_ratio: float | str | RatioChoice = 0.5,
    class0: object = None,
    data: Table | None = None,
    groups: ArrayLike | None = None,
    group_thresholds: Literal["separate", "pooled"] = "separate",
    clusters: ArrayLike | None = None,
    small_sample: Literal["error", "normal"] = "error",
    ties: Literal["conservative", "randomize"] = "conservative",
    prefit: bool = False,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | None = None,
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> NPFit:
    r"""Return a Neyman-Pearson classifier: type I error at most `alpha` with probability at least 1 - `delta`.

    Class 0 rows are split at random: one part trains a scoring function together with all class 1
    rows, the other sets the threshold, which is an order statistic of its scores. With several splits the
    classifiers vote.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n, p), or str or RowChunks
        The rows, or a formula such as ``"default ~ age + income"`` with `data`. With ``prefit=True`` also rows larger
        than memory from `read_in_chunks`, scored a chunk at a time: 8 bytes for each of class 0 are kept.
    y : array-like, shape (n,), optional
        Labels with two distinct values of any type. Not with a formula, nor with `RowChunks`. Rows are matched by
        position; pandas objects given together must have the same row labels in the same order.
    method : str or estimator or function
        A name (see `scorer_names`), any scikit-learn classifier or pipeline, which is cloned for every split,
        or, with ``prefit=True``, a fitted model or a function of X that returns scores.
    alpha : float
        Bound on the type I error P(predict class 1 | class 0), in (0, 1).
    delta : float
        Chance, in (0, 1), with which the bound may be broken.
    n_splits : int
        Number of random splits, M in the paper; odd, so that votes do not tie.
    split_ratio : float, "adaptive" or RatioChoice
        Share of the class 0 rows that train; the others set the threshold. "adaptive" chooses it by cross-validated
        type II error on 20 % of the class 0 rows, which then always train; it is at least 0.3. The ``ratio_choice`` of
        an earlier `npc` or `nproc` on the same rows is taken without a new choice, and keeps the guarantee.
    class0 : label, optional
        The label whose misclassification is controlled; None takes the first in sorted order, with a warning unless the
        labels are 0 and 1, -1 and 1, or False and True. Scorers and resamplers see 0 for it and 1 for the other,
        whatever the labels are.
    data : DataFrame, optional
        The table of a formula.
    groups : array-like, shape (n,), or str, optional
        The group of each row, of any hashable type, or the name of a column: type I error at most `alpha` in every
        group at once. A named column does not predict (unless a formula names it), one given as an array changes
        nothing in `X`: whether the groups predict as well is for you to decide.
    group_thresholds : {"separate", "pooled"}
        A threshold for each group, or one for all, so that the groups of new rows need not be known; see
        `np_group_thresholds`.
    clusters : array-like, shape (n,), or str, optional
        The cluster of each row, such as its patient or country, given as `groups` are, where rows of one cluster are
        not independent. Whole clusters are left out, and one class 0 row of each, drawn at random, sets the
        threshold; see `NPClusterFit`. `split_ratio` is then a share of the clusters that have class 0 rows.
    small_sample : {"error", "normal"}
        Where the left-out class 0 rows are too few for an order statistic: an error that says how many are needed, or
        a threshold that assumes normal class 0 scores, with a warning; see `np_threshold_normal`.
    ties : {"conservative", "randomize"}
        What a score equal to the threshold means, see `np_threshold`.
    prefit : bool
        Use `method` as it is: all class 0 rows of `X` set the threshold, and `split_ratio` has no meaning. They
        must not have trained it, which is checked of `RowChunks` and a model from `train_in_chunks` alone (see there).
    resample : object with ``fit_resample``, optional
        Resampling of the training part, such as imbalanced-learn's ``SMOTE()`` (step 14 of Algorithm 1).
    sample_weight : array-like, shape (n,), optional
        Weights, for training only: the threshold is that of the unweighted class 0 sample.
    method_params, **params
        Arguments of a named method, such as ``C=10`` of "svm". An unknown one is an error. A dict in `method_params` is
        for names that this function has too, such as the ``n_folds`` of "penlog" in `roc_cv`. A named method
        that trains for a level ("npsvm") does so at `alpha` unless `method_params` holds another; objects keep theirs.
    n_jobs : int, optional
        Splits at the same time, as in joblib: processes, unless ``with joblib.parallel_config(backend=...)`` says
        threads or a Dask cluster. The result is the same for every value; see Notes.
    random_state : None, int, Generator or RandomState
        Source of randomness. None draws a fresh seed, which the result records.
    verbose : int
        1 shows a progress bar on the standard error, 2 a line for every split.
    checkpoint : str or path, optional
        A folder that keeps each split as soon as it is trained, for a later run of the same to go on from; it takes
        `random_state`. See Notes.

    Returns
    -------
    NPFit
        With predict, decision_function, votes, evaluate, summary and plot; with `groups` an `NPGroupFit`, with
        `clusters` an `NPClusterFit`. A threshold that assumes normal scores makes it an `NPNormalFit`.

    Raises
    ------
    TooFewSamplesError
        If the left-out class 0 rows cannot meet the levels; the message says what would.
    InvalidInputError
        If an argument breaks its rule.
    LostWorkerError
        If worker processes die again and again, usually for want of memory.

    Warns
    -----
    NPWarning
        Even `n_splits`; exact duplicates on both sides of a split; constant scores; scores that clearly point the
        wrong way, whose sign is never flipped (training rows tell, which set no threshold; with ``prefit=True`` the
        message says what a change of sign costs); workers that died and were replaced; a damaged file in `checkpoint`;
        labels that do not say which of them is class 0, without `class0`.

    See Also
    --------
    NPClassifier : the same as a scikit-learn estimator.
    nproc : the band of all levels at once.
    NPFit.with_levels : the same scorers at another alpha or delta, without training.
    np_threshold : the threshold for scores from anywhere.

    Notes
    -----
    Proved (Proposition 1) for one split, any method and any distribution, when class 0 rows are independent and
    identically distributed: P(type I error > alpha) <= v(k*) <= delta. For the majority vote there is no proof of
    the same bound; in experiments it keeps it, and `NPFit.vote_bound` says what is proved. Nothing is promised about
    the type II error.

    **Many processes.** The rows reach every process once: processes of this machine map one copy, and
    ``with joblib.parallel_config(backend="dask"):`` sends them once to each worker of a Dask cluster (``pip install
    'nproc-py[dask]'``, and a ``distributed.Client``). A split is then one small task, and is sequential inside: a
    forest with processes of its own is faster with ``n_jobs=None`` if there are more cores than splits. The tasks of a
    worker that dies are run again. The same seed gives the same splits and seeds everywhere, and the same bits of the
    result where the linear algebra has as many threads (``OMP_NUM_THREADS=1``, say, in every process): a sum in another
    order may have another last digit.

    **Checkpoints.** A file in `checkpoint` belongs to one split and to all that decides it: rows, labels, weights,
    scorer, resampler, seed, ratio, and versions of the packages. Only what is the same is used again, so that an
    interrupted run goes on where it was and gives the same bits; more splits train only those that are new; another
    `alpha` or `delta` trains nothing, unless the method or an adaptive ratio goes by it. `nproc` shares nothing with
    `npc`, which trains on all class 1 rows. Not seen: the code of functions and classes of your own, which are known
    by their names, and the machine. Take a new folder when they change, and delete it when it is no longer needed. The
    files are pickles, which can run code: use only folders that you trust.

    References
    ----------
    Algorithm 1 of [tong2018]_.

    Examples
    --------
    >>> from nproc import npc
    >>> from nproc.datasets import load_breast_cancer_np
    >>> cancer = load_breast_cancer_np()
    >>> fit = npc(cancer.X, cancer.y, "lda", class0="malignant", random_state=1)
    >>> fit
    NPFit(method='lda', alpha=0.05, delta=0.05, 1 split, class0=malignant, seed=1)
      106 of 212 class 0 rows set the threshold at rank 105: violation rate 0.0286, type I error <= 0.0440
    """
    alpha = check_level(alpha, "alpha")
    delta = check_level(delta, "delta")
    check_choice(ties, "ties", TIES)
    run = read_run(
        random_state=random_state,
        n_splits=n_splits,
        split_ratio=split_ratio,
        prefit=prefit,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        checkpoint=checkpoint,
    )
    refuse_members(X, groups, clusters)
    check_same_rows(X=X, data=data, y=y, sample_weight=sample_weight, groups=groups, clusters=clusters)
    fit = fit_umbrella
    if groups is not None or clusters is not None or group_thresholds != "separate":
        from nproc.groups import umbrella_for

        X, data, fit = umbrella_for(X, data, groups=groups, group_thresholds=group_thresholds, clusters=clusters)
    if small_sample != "error":
        from nproc.small_samples import small_sample_umbrella

        fit = small_sample_umbrella(small_sample, alone=fit is fit_umbrella)
    chosen = _read_method(method, method_params, params, prefit=prefit, alpha=alpha)
    inputs = _read_rows(X, y, chosen, run, data=data, class0=class0, sample_weight=sample_weight, all_scores1=False)
    return fit(inputs, run, alpha=alpha, delta=delta, ties=ties)


def nproc(
    X: Table,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    delta: float = 0.05,
    band: Literal["pointwise", "simultaneous"] = "pointwise",
    bounds: Literal["berk_jones", "dkw"] = "berk_jones",
    n_splits: int = 1,
    split_ratio: float | str | RatioChoice = 0.5,
    class0: object = None,
    data: Table | None = None,
    prefit: bool = False,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | None = None,
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> NPROCBand:
    r"""Return the NP-ROC band of a method: at every alpha, bounds on the type II error of its NP classifier.

    Rows of both classes are left out of the training by `split_ratio`. The left-out class 0 scores are the
    thresholds, each with an upper bound on its type I error; the left-out class 1 scores bound the conditional type II
    error of each.

    Parameters
    ----------
    X, y, method, class0, data, prefit, resample, sample_weight, method_params, **params
        As in `npc`. A method that trains for a level, such as "npsvm", takes it as ``alpha``, 0.05 unless given; the
        whole band is that of the model so trained.
    delta : float
        Chance, in (0, 1), with which each bound may be broken; of a simultaneous band, the whole band.
    band : {"pointwise", "simultaneous"}
        "pointwise": the bounds hold at one alpha fixed beforehand. "simultaneous": at all alpha at once, so that alpha
        may be chosen on the band; wider, and its classifiers have larger ranks.
    bounds : {"berk_jones", "dkw"}
        Of a simultaneous band: exact bounds, or simple and much wider ones; see `NPROCBand.from_scores`.
    n_splits : int
        Number of random splits; the curves are averaged at each alpha.
    split_ratio : float, "adaptive" or RatioChoice
        Share of the rows of each class that train. "adaptive" averages the type II error over
        alpha = 0.05, 0.1, 0.2, ..., 0.5. The ``ratio_choice`` of an earlier band on the same rows is taken without a
        new choice; that of `npc` is not, since it has looked at all class 1 rows.
    n_jobs, random_state, verbose, checkpoint
        As in `npc`.

    Returns
    -------
    NPROCBand

    Raises
    ------
    InvalidInputError, TooFewSamplesError
        As in `npc`; a class with too few rows to train on and to leave out.

    Warns
    -----
    NPWarning
        As in `npc`.

    See Also
    --------
    NPROCBand : what is proved, and for what.
    nproc_bands : the bands of several methods, in one pool of processes.
    compare : where one band dominates another.

    Notes
    -----
    Proved for one split only, at one alpha or at all alpha at once; see `NPROCBand`.

    After `npc` on the same rows nothing can be used again: it has trained on all class 1 rows, so that no honest score
    of class 1 is left to bound a type II error. For both, make the band first; `NPROCBand.classifier` trains nothing.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.

    Examples
    --------
    >>> from nproc import nproc
    >>> from nproc.datasets import load_breast_cancer_np
    >>> cancer = load_breast_cancer_np()
    >>> band = nproc(cancer.X, cancer.y, "lda", class0="malignant", random_state=1)
    >>> band
    NPROCBand(method='lda', delta=0.05, 1 split, class0=malignant, left out: 106 of class 0, 179 of class 1)
    """
    delta = check_level(delta, "delta")
    run = read_run(
        random_state=random_state,
        n_splits=n_splits,
        split_ratio=split_ratio,
        prefit=prefit,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        checkpoint=checkpoint,
    )
    chosen = _read_method(method, method_params, params, prefit=prefit)
    inputs = _read_rows(X, y, chosen, run, data=data, class0=class0, sample_weight=sample_weight)
    return fit_band(inputs, run, delta=delta, band=band, bounds=bounds)


def roc_cv(
    X: Table,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    metric: Literal["cv", "subsample"] = "cv",
    n_folds: int = 5,
    train_fraction: float = 0.8,
    class0: object = None,
    data: Table | None = None,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | None = None,
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> ROCCurve:
    r"""Return the vertical average of cross-validated ROC curves.

    Parameters
    ----------
    X, y, method, class0, data, resample, sample_weight, method_params, **params
        As in `npc`.
    metric : {"cv", "subsample"}
        "cv": stratified folds, each the test set once. "subsample": `n_folds` random stratified splits.
    n_folds : int
        Number of curves to average.
    train_fraction : float
        Share of the rows that train in each random split, in (0, 1); for "subsample" only.
    n_jobs, random_state, verbose, checkpoint
        As in `npc`, of folds instead of splits.

    Returns
    -------
    ROCCurve

    Raises
    ------
    InvalidInputError, TooFewSamplesError
        As in `npc`; a class with fewer rows than folds.

    See Also
    --------
    nproc : a band whose horizontal axis is a bound, not an estimate.

    Notes
    -----
    The horizontal axis is the empirical type I error: this curve does not tell which alpha can be promised.

    References
    ----------
    ROC-CV in "Real data application 1" and Figure 5 of [tong2018]_.

    Examples
    --------
    >>> from nproc import roc_cv
    >>> from nproc.datasets import load_breast_cancer_np
    >>> cancer = load_breast_cancer_np()
    >>> roc_cv(cancer.X, cancer.y, "lda", class0="malignant", random_state=1).n_folds
    5
    """
    refuse_chunks(X, "roc_cv")
    train_fraction = check_level(train_fraction, "train_fraction")
    run = read_run(random_state=random_state, resample=resample, n_jobs=n_jobs, verbose=verbose, checkpoint=checkpoint)
    chosen = _read_method(method, method_params, params)
    inputs = _read_rows(X, y, chosen, run, data=data, class0=class0, sample_weight=sample_weight)
    return average_roc(inputs, run, metric=metric, n_folds=n_folds, train_fraction=train_fraction)


# what R calls it, and what is asked of the wrong function
_OTHER_NAMES = {
    "split": "n_splits",
    "n_cores": "n_jobs",
    "randSeed": "random_state",
    "nfolds": "n_folds (of roc_cv, penlog and slda)",
    "band": "the function nproc()",
    "alpha": "band.at(alpha) or npc(); a band and a ROC curve hold every alpha",
    "delta": "npc() or nproc(); a cross-validated ROC curve promises nothing",
}


def _read_method(method, method_params, params, *, prefit=False, alpha=None):
    for name in params:
        if name in _OTHER_NAMES and not _is_keyword_of(method, name):
            raise InvalidInputError(f"unknown argument {name!r}: use {_OTHER_NAMES[name]}.")
    return read_method(method, merged_params(method_params, params), prefit=prefit, alpha=alpha)


def _read_rows(X, y, method, run, *, data, class0, sample_weight, all_scores1=True):
    if method.prefit:
        if run.n_splits != 1:
            raise InvalidInputError(
                f"prefit=True trains nothing, so there is nothing to split: n_splits must be 1, got {run.n_splits}."
            )
        if run.resample is not None or sample_weight is not None:
            raise InvalidInputError("prefit=True trains nothing; leave out resample and sample_weight.")
    if is_file_name(X):
        refuse_path(X, "X")
    if isinstance(X, RowChunks):
        # a classifier needs no more of class 1 than its range of scores
        return read_chunk_inputs(X, y, method=method, data=data, class0=class0, all_scores1=all_scores1)
    inputs = read_inputs(X, y, method=method, data=data, class0=class0, sample_weight=sample_weight)
    check_resample(run.resample, inputs.sample_weight)
    return inputs


def _is_keyword_of(method, name):
    # the level at which a method trains goes to nproc and roc_cv by the name alpha
    return isinstance(method, str) and method in scorer_names() and name in scorer_spec(method).parameters


__all__ = ["compare", "npc", "nproc", "roc_cv"]
