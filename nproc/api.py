"""The functions in the style of the R package: npc, nproc, compare, roc_cv."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from nproc.bands import NPROCBand, fit_band
from nproc.checks import Seed, check_choice, check_delta, check_level
from nproc.comparison import compare
from nproc.crossval import ROCCurve, average_roc
from nproc.errors import InvalidInputError
from nproc.fits import NPFit
from nproc.inputs import knows_names_of_r, merged_params, read_inputs, read_method, read_run, refuse_name_of_r
from nproc.row_chunks import RowChunks, is_file_name, read_chunk_inputs, refuse_chunks, refuse_members
from nproc.rows import Table, read_given, refuse_path
from nproc.scorers import MethodLike, Resampler, parameter_of_r, scorer_names, scorer_spec
from nproc.thresholds import GROUP_THRESHOLDS, RANKS, SMALL_SAMPLES, TIES, VOTES
from nproc.tuning import RatioChoice
from nproc.umbrella import check_resample, fit_umbrella, score_splits


@knows_names_of_r
def npc(
    X: Table | RowChunks,
    y: ArrayLike | Table | None = None,
    method: MethodLike = "logistic",
    *,
    alpha: float = 0.05,
    delta: float = 0.05,
    n_splits: int = 1,
    split_ratio: float | str | RatioChoice = "auto",
    class0: object = None,
    data: Table | None = None,
    groups: ArrayLike | None = None,
    group_thresholds: Literal["separate", "pooled"] = "separate",
    clusters: ArrayLike | None = None,
    small_sample: Literal["error", "normal", "log_concave"] = "error",
    ties: Literal["conservative", "randomize"] = "conservative",
    rank: Literal["conservative", "randomize"] = "conservative",
    vote: Literal["majority", "random"] = "majority",
    cross_fit: int | None = None,
    review_beta: float | None = None,
    prefit: bool = False,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | str | None = None,
    na_action: Literal["error", "omit"] = "error",
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> NPFit:
    r"""Train a classifier whose type I error is at most `alpha` with probability at least 1 - `delta`.

    Class 0 rows are split at random. One part, together with all class 1 rows, trains a scoring function. The other
    part sets the threshold, which is an order statistic of the scores of these rows. If there are several splits, the
    classifiers vote.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of shape (n, p), or str or RowChunks
        The rows, or a formula such as ``"default ~ age + income"`` with `data`. With ``prefit=True`` they may also be
        rows from `read_in_chunks`, which need not fit in memory. They are scored chunk by chunk, and only the class 0
        scores are kept, at 8 bytes each. A method that begins with a vectorizer also takes a list or Series of texts.
    y : array-like, shape (n,), or DataFrame, optional
        Labels with two distinct values of any type. Leave it out if `X` is `RowChunks`, which have the labels already.
        A formula names the labels itself; with a formula, give the table here or as `data`. Rows are matched by
        position; pandas objects given together must have the same row labels in the same order.
    method : str or estimator or function
        A name, or any scikit-learn classifier or pipeline, which is cloned for every split. `describe_scorers` lists
        the names with their parameters. With ``prefit=True`` it is a fitted model, or a function of X that returns
        scores.
    alpha : float
        Bound on the type I error P(predict class 1 | class 0), in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.
    n_splits : int
        Number of random splits, M in the paper. Use an odd number, so that votes cannot tie. For three or
        more splits the guarantee of the vote is not proved; see `vote`.
    split_ratio : float, "auto", "adaptive" or RatioChoice
        Share of the class 0 rows that train; the others set the threshold. "auto" leaves out about half of them.
        Because ranks are whole numbers, some sample sizes bring the type I error closer to `alpha` than others. "auto"
        looks at all sizes that differ from half by at most round(1 / `alpha`) rows and leave a fifth of the rows to
        train. It uses the size whose expected type I error is closest to `alpha`, and still below it. The size depends
        only on the number of class 0 rows, `alpha` and `delta`. Any number that you fix before you look at the data has
        the same guarantee; ``supported_levels(rows=n0).sizes()`` of `nproc.planning` lists sizes that leave little of
        `alpha` unused. 0.5 leaves out half, as the R package does. "adaptive" chooses a share of at least 0.3 with a
        small cross-validated type II error. It uses 20 % of the class 0 rows for this choice, and these rows are
        training rows in every split. To use the ratio that an earlier call of `npc` or `nproc` chose on the same rows,
        give the ``ratio_choice`` of its result. No new choice is then made, and the guarantee holds.
    class0 : label, optional
        The label whose misclassification is controlled. With None it is the first label in sorted order, and a warning
        says so unless the labels are 0 and 1, -1 and 1, or False and True. With ``prefit=True`` None takes the class 0
        of a model that has one of its own, also inside a pipeline or a search. Scorers and resamplers see 0 for it and
        1 for the other, whatever the labels are.
    data : DataFrame, optional
        The table of a formula.
    groups : array-like, shape (n,), or str, optional
        The group of each row, of any hashable type, or the name of a column. The type I error is then at most `alpha`
        in all groups at once, with probability at least 1 - `delta`. A column that is given by its name is not used as
        a predictor, unless a formula contains it. If the groups are given as an array, `X` is used as it is, and you
        decide whether it contains the groups. New rows then need their groups too, unless `X` has a column with the
        name and the values of a given Series.
    group_thresholds : {"separate", "pooled"}
        "separate": a threshold for each group. "pooled": one threshold for all groups, so that the groups of new rows
        need not be known. See `np_group_thresholds`.
    clusters : array-like, shape (n,), or str, optional
        The cluster of each row, such as its patient or country, given in the same way as `groups`. Use it if rows of
        one cluster depend on each other. Whole clusters are left out of the training. One class 0 row is drawn at
        random from each of them, and these rows set the threshold; see `NPClusterFit`. `split_ratio` is then a share of
        the clusters that have class 0 rows. Folds inside the method that need groups, as in
        ``GridSearchCV(..., cv=GroupKFold())``, are given the clusters as their groups, except with `resample`.
    small_sample : {"error", "normal", "log_concave"}
        What to do if there are too few left-out class 0 rows for an order statistic. "error": raise an error that says
        how many are needed. "normal": warn, and set a threshold that assumes normal class 0 scores
        (`np_threshold_normal`). "log_concave": warn, and set a threshold that assumes only that the upper tail of the
        class 0 scores is log-concave (`np_threshold_log_concave`). `split_ratio` "auto" then leaves out half of the
        class 0 rows. With few columns a smaller `split_ratio` lowered the type II error in simulations.
    ties : {"conservative", "randomize"}
        How rows with a score equal to the threshold are classified; see `np_threshold`.
    rank : {"conservative", "randomize"}
        "conservative": the smallest rank that keeps the guarantee, see `np_order`. "randomize": this rank or the one
        below it, drawn at random once for all splits. For one split and continuous scores the type I error then exceeds
        `alpha` with probability exactly `delta`; see `np_threshold`. With ``split_ratio="auto"`` the violation rate is
        close to `delta` already, so that a random rank changes little. A random rank helps with ``prefit=True``, or if
        you fix the number of left-out rows.
    vote : {"majority", "random"}
        How several splits decide. "majority": a row is called class 1 if more than half of the splits call it so. For
        three or more splits it is not proved that the type I error of the vote is at most `alpha`. A weaker bound is
        proved; see `NPFit.vote_bound`. "random": for each new row one split is drawn at random, and this split decides.
        The rank is slightly larger. The type I error is then at most `alpha` with probability at least 1 - `delta`, for
        any number of splits; see `NPRandomVoteFit`.
    cross_fit : int, optional
        Number of folds of the class 0 rows, such as 5, in place of a random split. Each fold has its own scorer, which
        is trained without the class 0 rows of this fold and then scores them. The scores of all folds together set the
        threshold. In simulations at `alpha` = `delta` = 0.05 the type II error was lower than with a split, or about
        equal, from 93 class 0 rows on. With fewer rows it can be higher, because the threshold is then the largest of
        all class 0 scores. It is not proved that the type I error is at most `alpha`. A weaker
        bound is proved; see `cross_fit_bound`. With few folds of many rows each, the type I error is at most about
        twice `alpha` on average over samples.
    review_beta : float, optional
        Bound on the type II error, in (0, 1). The classifier then calls each row class 1, class 0 or "review". The
        type I error is at most `alpha` with probability at least 1 - `delta`, and the type II error is at most
        `review_beta` with probability at least 1 - `delta`. Rows in review do not count as errors. This is proved for
        one split, and for two; see `np_review`. About half of the class 1 rows are then left out of the training too.
        With labels that are numbers, the predictions mix numbers with the text "review" and cannot be sorted, as
        scikit-learn's ``confusion_matrix`` does: count them by `pandas.crosstab`, or fit with labels that are text.
    prefit : bool
        Use `method` as it is, without training. All class 0 rows of `X` set the threshold, and `split_ratio` is
        ignored. The model must not have been trained on these rows. This is your responsibility, and the package
        usually cannot notice a mistake: a model does not say which rows trained it. It is checked only for `RowChunks`
        with a model from `train_in_chunks`, and for rows in memory if the model is an `NPClassifier` or a fit of this
        package, by the rows of its own fit. There is also a warning if the scores tell the classes apart without an
        error. The fit keeps a deep copy of the model, so you may train yours further. A function is not copied, except
        a method such as ``model.predict``: it must keep giving the same scores.
    resample : object with ``fit_resample``, optional
        Resampling of the training rows, such as imbalanced-learn's ``SMOTE()`` (step 14 of Algorithm 1). Do not
        oversample class 0 before the fit: copies of training rows would set the threshold, and a fit to rows that look
        so claims no guarantee. Where equal rows are different observations, say so by a number of each as `clusters`.
    sample_weight : array-like, shape (n,), or str, optional
        Weights for the training, or the name of a column, given in the same way as `groups`. The threshold does not use
        them.
    na_action : {"error", "omit"}
        "error": missing values that the method cannot take raise an error that names the column; a missing label does
        so always. "omit": leave out every row with a missing value in a column that is used, even if the method can
        take it, or in its label, weight, group or cluster. A warning says how many rows were left out. The guarantee
        then holds for class 0 rows without missing values. New rows with missing values are left out of `evaluate`,
        `certify`, `check_assumptions` and `report`, and a warning says how many. `predict` labels them if the method
        takes them, and warns that nothing is guaranteed about them; if it does not, they are an error.
    method_params, **params
        Arguments of a named method, such as ``C=10`` of "svm". An unknown argument raises an error. If a parameter of
        the method has the same name as an argument of the function that you call, give it in the dict `method_params`.
        An example is the ``n_folds`` of "penlog" in `roc_cv`. A named method that trains for a type I error level, such
        as "npsvm", trains for `alpha`, unless `method_params` gives another level. An estimator object keeps its own
        level.
    n_jobs : int, optional
        Number of splits that run at the same time, as in joblib. They run in processes, unless ``with
        joblib.parallel_config(backend=...)`` chooses threads or a Dask cluster. The result is the same for every value;
        see Notes.
    random_state : None, int, Generator or RandomState
        Source of randomness. With None a fresh seed is drawn; it is stored as `seed` in the result.
    verbose : int
        1 shows a progress bar on the standard error. 2 shows a line for every split.
    checkpoint : str or path, optional
        A folder in which each split is saved as soon as it is trained. After an interruption the same call resumes from
        these files. This requires `random_state`. See Notes.

    Returns
    -------
    NPFit
        The classifier, with the methods predict, decision_function, votes, evaluate, summary and plot. If `groups` is
        given, the result is an `NPGroupFit`. With `clusters` it is an `NPClusterFit`, with `cross_fit` an `NPCrossFit`,
        with `review_beta` an `NPReviewFit`, and with ``vote="random"`` an `NPRandomVoteFit`. If the threshold rests on
        an assumption about the scores, it is an `NPSmallSampleFit`.

    Raises
    ------
    TooFewSamplesError
        If there are too few left-out class 0 rows for `alpha` and `delta`; the message says how many are needed.
    InvalidInputError
        If an argument is not valid.
    LostWorkerError
        If worker processes die repeatedly, usually because memory is too small.

    Warns
    -----
    NPWarning
        The classifier is made, and the warning says what was noticed:

        - `class0` is not given, and the labels do not show which of them it is.
        - `n_splits` is even.
        - Rows on the two sides of a split are exact copies of each other: they agree in their label and in all columns
          of the table, also in those that a formula does not use. In a cross-validation by scikit-learn this warning
          appears once.
        - A predictor that a formula does not name looks like an identifier. If rows share its values, as those of one
          patient do, the fit claims no guarantee, except by `clusters` of which no two share a value.
        - Scores are equal to each other, so that no row or few rows are called class 1.
        - The scores are clearly larger for class 0 than for class 1. Their sign is never flipped, and the message says
          what a change of sign would mean for the guarantee. This is checked on training rows of the first split, which
          do not set its threshold. With ``prefit=True`` it is checked on the rows that set the threshold.
        - With ``prefit=True`` every row of class 1 has a larger score than every row of class 0, as is usual for rows
          that trained the model.
        - With ``prefit=True`` the model has another class 0 of its own, or it is a fit of this package or an
          `NPClassifier`, and many of the class 0 rows (in memory) are likely to be rows of its own fit.
        - Workers died and were replaced, or a file in `checkpoint` is damaged.

    See Also
    --------
    NPClassifier : the same as a scikit-learn estimator.
    nproc : NP-ROC band, the type II error at every alpha.
    NPFit.with_levels : the same scorers at another alpha or delta, without training.
    np_threshold : the threshold for scores that you already have.

    Notes
    -----
    If class 0 rows are independent and identically distributed, then P(type I error > alpha) <= v(k*) <= delta. This is
    proved for one split, any method and any distribution (Proposition 1). Here k* is the rank of the threshold, and
    v(k*) is its violation rate (`violation_rate`). For the majority vote of three or more splits the same bound is not
    proved. It held in experiments with useful scores. There are scores for which it fails. `NPFit.vote_bound` gives a
    weaker bound that is proved. There is no guarantee on the type II error.

    **Many processes.** The rows are sent to each process once, and processes on this machine share one copy. With
    ``with joblib.parallel_config(backend="dask"):`` they are sent once to each worker of a Dask cluster. This requires
    ``pip install 'nproc-py[dask]'`` and a ``distributed.Client``. Each split is one task, and a task does no parallel
    work of its own. If you have more cores than splits, a method that is itself parallel, such as a forest, is faster
    with ``n_jobs=None``. The tasks of a worker that dies are run again. The same seed gives the same splits everywhere.
    The results agree bit for bit if the linear algebra uses the same number of threads, such as ``OMP_NUM_THREADS=1``
    in every process; otherwise sums are taken in another order, and last digits may differ.

    **Checkpoints.** Each file in `checkpoint` holds one split. It is used again only if all that determines the split
    is the same: rows, labels, weights, scorer, resampler, seed, ratio and package versions. An interrupted run
    therefore resumes where it stopped, with the same result bit for bit. If you ask for more splits, only the new ones
    are trained. Another `alpha` or `delta` requires no training if `split_ratio` is a number and the method does not
    train for a level. `nproc` cannot use the files of `npc`, which trains on all class 1 rows. Your own functions and
    classes are identified by name, so a change in their code is not noticed. A change of machine is not noticed either.
    Use a new folder after such a change. The files are pickles, which can run code: use only folders that you trust.

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
      124 of 212 class 0 rows set the threshold at rank 122: violation rate 0.0496, type I error <= 0.0500
    """
    alpha = check_level(alpha, "alpha")
    delta = check_delta(delta)
    check_choice(ties, "ties", TIES)
    check_choice(rank, "rank", RANKS)
    check_choice(vote, "vote", VOTES)
    check_choice(group_thresholds, "group_thresholds", GROUP_THRESHOLDS)
    check_choice(small_sample, "small_sample", SMALL_SAMPLES)
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
    forms = {
        "groups": groups is not None,
        "clusters": clusters is not None,
        "small_sample": small_sample != "error",
        "cross_fit": cross_fit is not None,
        "rank='randomize'": rank == "randomize",
        "vote='random'": vote == "random",
        "review_beta": review_beta is not None,
    }
    asked = [name for name, is_asked in forms.items() if is_asked]
    if len(asked) > 1 and asked != ["clusters", "rank='randomize'"]:
        raise InvalidInputError(
            f"{asked[1]} cannot be combined with {asked[0]}; leave one of them out.",
            argument=asked[1].partition("=")[0],
        )
    if vote == "random" and (prefit or run.n_splits == 1):
        cure = "prefit=True makes none; leave out one of the two" if prefit else "give n_splits above 1"
        raise InvalidInputError(f"vote='random' draws one of several splits; {cure}.", argument="vote")
    refuse_members(X, groups, clusters)
    rows = read_given(X, y, data, na_action=na_action, sample_weight=sample_weight, groups=groups, clusters=clusters)
    fit: Any = fit_umbrella
    if groups is not None or clusters is not None or group_thresholds != "separate":
        from nproc.groups import umbrella_for

        rows, fit = umbrella_for(rows, group_thresholds)
    elif small_sample != "error":
        from nproc.small_samples import fit_small_sample

        fit = partial(fit_small_sample, model=small_sample)
    elif cross_fit is not None:
        from nproc.cross_fitting import fit_cross

        fit = partial(fit_cross, n_folds=cross_fit)
    elif review_beta is not None:
        from nproc.review import fit_review

        fit = partial(fit_review, beta=review_beta)
    elif vote == "random":
        fit = partial(fit, vote=vote)
    if rank == "randomize":
        fit = partial(fit, rank=rank)
    chosen = _read_method(method, method_params, params, prefit=prefit, alpha=alpha)
    with rows.counted():
        inputs = _read_rows(rows, chosen, run, class0=class0, all_scores1=review_beta is not None)
        return fit(inputs, run, alpha=alpha, delta=delta, ties=ties)


@knows_names_of_r
def nproc(
    X: Table,
    y: ArrayLike | Table | None = None,
    method: MethodLike = "logistic",
    *,
    delta: float = 0.05,
    band: Literal["pointwise", "simultaneous"] = "pointwise",
    bounds: Literal["berk_jones", "dkw"] = "berk_jones",
    alpha_max: float | None = None,
    cross_fit: int | None = None,
    n_splits: int = 1,
    split_ratio: float | str | RatioChoice = 0.5,
    class0: object = None,
    data: Table | None = None,
    prefit: bool = False,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | str | None = None,
    na_action: Literal["error", "omit"] = "error",
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> NPROCBand:
    r"""Make the NP-ROC band of a method: at every alpha, bounds on the type II error of its NP classifier.

    `split_ratio` is the share of each class that trains; the other rows are left out. Each left-out class 0 score is a
    possible threshold, with an upper bound on its type I error. The left-out class 1 scores give bounds on the type II
    error of this threshold, given the training rows and the threshold.

    Parameters
    ----------
    X, y, method, class0, data, prefit, resample, sample_weight, na_action, method_params, **params
        As in `npc`. A method that trains for a type I error level, such as "npsvm", accepts this level as the keyword
        ``alpha`` (default 0.05, part of `**params`). One model is trained for this level, and the whole band describes
        this model.
    delta : float
        In (0, 0.5]. Each bound of a pointwise band fails with probability at most `delta`. For a simultaneous band, the
        probability that one bound or more fails is at most `delta`.
    band : {"pointwise", "simultaneous"}
        "pointwise": the bounds hold at one alpha fixed beforehand. "simultaneous": the bounds hold at all alpha at
        once, so that alpha may be chosen after looking at the band. Such a band is wider, and its classifiers use
        larger ranks.
    bounds : {"berk_jones", "dkw"}
        For a simultaneous band: exact bounds ("berk_jones"), or simpler ones that are much wider where the error is
        small ("dkw"); see `NPROCBand.from_scores`.
    alpha_max : float, optional
        For a simultaneous band: the largest alpha that you may choose, fixed beforehand. The band ends at this alpha,
        and it is narrower than a band for all alpha.
    cross_fit : int, optional
        Number of folds, such as 5. The band then has one more curve, `NPROCBand.cross_fitted`. It estimates the type II
        error of cross-fitted classifiers from all rows of both classes, and nothing is proved about it. The bounds of
        the band do not change. One further model is trained for each fold.
    n_splits : int
        Number of random splits; the curves are averaged at each alpha. The average is about single splits. The
        classifiers of the band are votes, so use an odd number.
    split_ratio : float, "adaptive" or RatioChoice
        Share of the rows of each class that train. "adaptive" chooses it as in `npc`, by the type II error averaged
        over alpha = 0.05, 0.1, 0.2, ..., 0.5. You may also give the ``ratio_choice`` of an earlier band on the same
        rows; then no new choice is made. A ``ratio_choice`` of `npc` is refused, because `npc` chose it with all class
        1 rows.
    n_jobs, random_state, verbose, checkpoint
        As in `npc`.

    Returns
    -------
    NPROCBand

    Raises
    ------
    InvalidInputError, TooFewSamplesError
        As in `npc`, and if a class has too few rows to train and to leave out.

    Warns
    -----
    NPWarning
        As in `npc`.

    See Also
    --------
    NPROCBand : what is proved about the band, and under which conditions.
    nproc_bands : the bands of several methods, in one pool of processes.
        ``compare(bands).plot()`` draws them in one picture.
    compare : where one band dominates another.

    Notes
    -----
    The bounds are proved for one split only. A pointwise band holds at one alpha fixed beforehand, and a
    simultaneous band holds at all alpha at once; see `NPROCBand`.

    A fit by `npc` on the same rows cannot be reused: it was trained on all class 1 rows, so no class 1 row is left to
    bound the type II error. If you need both, make the band first; `NPROCBand.classifier` gives the classifier without
    training.

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
    delta = check_delta(delta)
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
    chosen = _read_method(method, method_params, params, prefit=prefit, of=nproc)
    rows = read_given(X, y, data, na_action=na_action, sample_weight=sample_weight)
    kind = {"band": band, "bounds": bounds, "alpha_max": alpha_max}
    with rows.counted():
        inputs = _read_rows(rows, chosen, run, class0=class0)
        if cross_fit is None:
            return fit_band(inputs, run, delta=delta, **kind)
        from nproc.cross_fitting import cross_fitted_curve, curve_folds

        folds = curve_folds(inputs, run.seed, cross_fit)
        found = fit_band(inputs, run, delta=delta, **kind)
        scored = score_splits(inputs, folds, run, "nproc: fold")
    return replace(found, cross_fitted=cross_fitted_curve(scored, found.rule))


@knows_names_of_r
def roc_cv(
    X: Table,
    y: ArrayLike | Table | None = None,
    method: MethodLike = "logistic",
    *,
    metric: Literal["cv", "subsample"] = "cv",
    n_folds: int = 5,
    train_fraction: float = 0.8,
    class0: object = None,
    data: Table | None = None,
    resample: Resampler | None = None,
    sample_weight: ArrayLike | str | None = None,
    na_action: Literal["error", "omit"] = "error",
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> ROCCurve:
    r"""Estimate an ordinary ROC curve by cross-validation, for comparison with a band. It carries no guarantee.

    Parameters
    ----------
    X, y, method, class0, data, resample, sample_weight, na_action, method_params, **params
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
    The horizontal axis is the empirical type I error: this curve does not show which alpha can be guaranteed.

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
    chosen = _read_method(method, method_params, params, of=roc_cv)
    rows = read_given(X, y, data, na_action=na_action, sample_weight=sample_weight)
    with rows.counted():
        inputs = _read_rows(rows, chosen, run, class0=class0)
        return average_roc(inputs, run, metric=metric, n_folds=n_folds, train_fraction=train_fraction)


# what is asked of the wrong function
_OTHER_FUNCTIONS = {
    "band": "use the function nproc()",
    "alpha": "use band.at(alpha) or npc(). A band or ROC curve covers all alpha",
    "delta": "use npc() or nproc(); a cross-validated ROC curve promises nothing",
}


def _read_method(method, method_params, params, *, prefit=False, alpha=None, of=npc):
    own = [name for name, known in inspect.signature(of).parameters.items() if known.kind is known.KEYWORD_ONLY]
    for name in params:
        if name in _keywords_of(method) or (_is_name(method) and parameter_of_r(name, scorer_spec(method))):
            continue
        refuse_name_of_r(name)
        if name in _OTHER_FUNCTIONS:
            raise InvalidInputError(f"unknown argument {name!r}: {_OTHER_FUNCTIONS[name]}.")
        close = difflib.get_close_matches(name, [*_keywords_of(method), *own], n=1)
        if close and close[0] in own:
            raise InvalidInputError(f"{of.__name__} has no argument {name!r}. Did you mean {close[0]!r}?")
    return read_method(method, merged_params(method_params, params), prefit=prefit, alpha=alpha)


def _read_rows(rows, method, run, *, class0, all_scores1=True):
    if method.prefit:
        if run.n_splits != 1:
            raise InvalidInputError(
                f"prefit=True trains nothing, so there is nothing to split: n_splits must be 1, got {run.n_splits}."
            )
        if run.resample is not None or rows.sample_weight is not None:
            raise InvalidInputError("prefit=True trains nothing; leave out resample and sample_weight.")
    if is_file_name(rows.X):
        refuse_path(rows.X, "X")
    if isinstance(rows.X, RowChunks):
        # a classifier needs no more of class 1 than its range of scores
        return read_chunk_inputs(rows.X, rows.y, method=method, data=rows.data, class0=class0, all_scores1=all_scores1)
    inputs = read_inputs(rows, method=method, class0=class0)
    check_resample(run.resample, inputs.sample_weight)
    return inputs


def _keywords_of(method):
    # the level at which a method trains goes to nproc and roc_cv by the name alpha
    return scorer_spec(method).parameters if _is_name(method) else ()


def _is_name(method):
    return isinstance(method, str) and method in scorer_names()


__all__ = ["compare", "npc", "nproc", "roc_cv"]
