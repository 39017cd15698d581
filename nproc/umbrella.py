"""The umbrella algorithm, once: splits, training, left-out scores, thresholds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version

import numpy as np

from nproc.errors import InvalidInputError, NPWarning
from nproc.fitted import NPFit
from nproc.orderstat import np_order, order_or_error
from nproc.parallel import run_tasks
from nproc.rows import count_shared, has_twin, row_keys, take_rows
from nproc.scorers import fit_scorer, fresh_copy, score_rows
from nproc.splitting import Split, check_split_sizes, make_splits, stream
from nproc.thresholds import FINER_SCORES, all_tied_message, threshold_at
from nproc.tuning import choose_split_ratio
from nproc.warning_place import warn_at_call

NORMAL_WAY_OUT = "Where class 0 scores may be taken for normal, npc also has small_sample='normal'."


@dataclass(frozen=True)
class ScoredSplit:
    """A trained scorer and the scores of the rows that it never saw.

    Attributes
    ----------
    scorer : object
        The trained scorer.
    scores0, scores1 : ndarray
        Left-out scores of each class; `scores1` is empty where all class 1 rows trained.
    seed : numpy.random.SeedSequence
        Source of further randomness.
    rows : str or None
        Mark of the left-out rows, see `left_out_mark`; None in a file of an older version.
    """

    scorer: object
    scores0: np.ndarray
    scores1: np.ndarray
    seed: np.random.SeedSequence
    rows: str | None = None


def fit_umbrella(inputs, *, alpha, delta, n_splits, split_ratio, ties, resample, n_jobs, seed, verbose=0):
    """Return the `NPFit` of Algorithm 1 for checked inputs; see `npc` for the arguments.

    References
    ----------
    Algorithm 1 of [tong2018]_. Step 12 trains on all class 1 rows.
    """
    labels = inputs.labels
    choice = None
    if inputs.method.prefit:
        order = order_or_error(labels.n0, alpha, delta, way_out=NORMAL_WAY_OUT)
        split_ratio = None
        splits = None
    else:
        warn_even(n_splits)
        if split_ratio == "adaptive":
            choice = adaptive_ratio(inputs, [alpha], delta, seed, resample, False, n_jobs, verbose)
            split_ratio = choice.split_ratio
        check_split_sizes(labels.n0, split_ratio, alpha, delta, way_out=NORMAL_WAY_OUT)
        splits = make_splits(
            labels.y, n_splits, split_ratio, seed, leave_out_class1=False, always_train=choice and choice.used
        )
        order = np_order(splits[0].idx_left0.size, alpha, delta)
    scored = score_splits(
        inputs, splits, seed=seed, resample=resample, n_jobs=n_jobs, verbose=verbose, label="npc: split"
    )
    fit = assemble(
        inputs.subject,
        scored,
        order,
        alpha=alpha,
        delta=delta,
        split_ratio=split_ratio,
        ties=ties,
        seed=seed,
        ratio_choice=choice,
    )
    if ties == "conservative":
        warn_uninformative(inputs, scored, fit.thresholds)
    return fit


def assemble(subject, scored, order, *, alpha, delta, split_ratio, ties, seed, ratio_choice=None, **fields):
    """Return the `NPFit` that thresholds each scored split at the same rank."""
    randomize = ties == "randomize"
    rules = tuple(
        threshold_at(s.scores0, order, alpha, delta, ties, _int_seed(stream(s.seed, "ties")) if randomize else None)
        for s in scored
    )
    return NPFit(
        method=subject.method,
        alpha=alpha,
        delta=delta,
        n0=subject.n0,
        n1=subject.n1,
        n_splits=len(scored),
        split_ratio=split_ratio,
        labels=subject.labels,
        seed=seed,
        scorers=tuple(s.scorer for s in scored),
        rules=rules,
        scores0=tuple(s.scores0 for s in scored),
        design=subject.design,
        ties=ties,
        prefit=subject.prefit,
        versions=package_versions(),
        ratio_choice=ratio_choice,
        **fields,
    )


def score_splits(inputs, splits, *, seed, resample=None, n_jobs=None, verbose=0, label="split"):
    """Return a `ScoredSplit` for every split, or a single one of all rows for a prefit scorer."""
    if inputs.method.prefit:
        scores = score_rows(inputs.method.scorer, inputs.X, inputs.labels.values)
        y = inputs.y
        root = np.random.SeedSequence(seed)
        mark = left_out_mark(np.flatnonzero(y == 0), np.flatnonzero(y == 1))
        return [ScoredSplit(inputs.method.scorer, scores[y == 0], scores[y == 1], root, mark)]
    check_resample(resample, inputs.sample_weight)
    warn_duplicates(inputs.X, splits)
    task = partial(_score_split, inputs.X, inputs.y, inputs.method.scorer, inputs.sample_weight, resample)
    return run_tasks(task, [(split,) for split in splits], n_jobs=n_jobs, verbose=verbose, label=label)


def train(X, y, scorer, sample_weight, resample, idx_train, seed):
    """Return a fresh copy of `scorer` trained on some rows (step 14), resampled first if asked."""
    X_train, y_train = take_rows(X, idx_train), y[idx_train]
    if resample is not None:
        resampler = fresh_copy(resample, _int_seed(stream(seed, "resample")))
        X_train, y_train = resampler.fit_resample(X_train, y_train)
    weights = None if sample_weight is None else sample_weight[idx_train]
    return fit_scorer(fresh_copy(scorer, _int_seed(stream(seed, "scorer"))), X_train, y_train, weights)


def _int_seed(seed):
    return int(seed.generate_state(1)[0])


def _score_split(X, y, scorer, sample_weight, resample, split: Split):
    fitted = train(X, y, scorer, sample_weight, resample, split.idx_train, split.seed)
    scores0 = score_rows(fitted, take_rows(X, split.idx_left0))
    scores1 = score_rows(fitted, take_rows(X, split.idx_left1)) if split.idx_left1.size else scores0[:0]
    return ScoredSplit(fitted, scores0, scores1, split.seed, left_out_mark(split.idx_left0, split.idx_left1))


def left_out_mark(idx_left0, idx_left1):
    """Return a text that two splits share only if they leave out the same positions of each class, in one order."""
    parts = (np.asarray(rows, dtype="<i8").tobytes() for rows in ([idx_left0.size], idx_left0, idx_left1))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def adaptive_ratio(inputs, alphas, delta, seed, resample, leave_out_class1, n_jobs, verbose):
    """Return the `RatioChoice` for these inputs."""
    check_resample(resample, inputs.sample_weight)
    score = partial(_score_for_ratio, inputs.X, inputs.y, inputs.method.scorer, inputs.sample_weight, resample)
    # a stream apart from those of the splits, which are the children of SeedSequence(seed)
    own = np.random.SeedSequence([seed, 2])
    return choose_split_ratio(
        inputs.y,
        score,
        alphas=alphas,
        delta=delta,
        seed=own,
        leave_out_class1=leave_out_class1,
        n_jobs=n_jobs,
        verbose=verbose,
    )


def _score_for_ratio(X, y, scorer, sample_weight, resample, idx_train, idx_score, seed):
    fitted = train(X, y, scorer, sample_weight, resample, idx_train, np.random.SeedSequence(seed))
    return score_rows(fitted, take_rows(X, idx_score))


def check_resample(resample, sample_weight):
    """Raise unless `resample` is None or can resample, and no weights would be lost by it."""
    if resample is None:
        return
    if isinstance(resample, type) or not hasattr(resample, "fit_resample"):
        raise InvalidInputError(
            f"resample must be an object with fit_resample(X, y), such as imbalanced-learn's SMOTE(), got {resample!r}."
        )
    if sample_weight is not None:
        raise InvalidInputError(
            "resample and sample_weight do not go together: resampled rows have no weights. Give one of them."
        )


def warn_even(n_splits):
    """Warn that the tie of an even number of votes goes to class 0."""
    if n_splits % 2 == 0:
        warn_at_call(
            f"n_splits={n_splits} is even: a tied vote goes to class 0. Use an odd number to have none.",
            NPWarning,
        )


def warn_duplicates(X, splits):
    """Warn if exact copies of left-out rows were trained on, which makes them less than left out."""
    keys = row_keys(X)
    twin = has_twin(keys)
    if not twin.any():
        return
    shared = [count_shared(keys, s.idx_train, np.concatenate([s.idx_left0, s.idx_left1]), twin=twin) for s in splits]
    if max(shared):
        n_left = splits[0].idx_left0.size + splits[0].idx_left1.size
        warn_at_call(
            f"{max(shared)} of {n_left} left-out rows are exact copies of training rows (most, over {len(splits)} "
            "split(s)). If they are one observation entered twice, the left-out rows are not independent of the "
            "training and the guarantee is weakened: drop the copies first.",
            NPWarning,
        )


def warn_uninformative(inputs, scored, thresholds):
    """Warn once, of the first such split, if tied scores leave nothing that is called class 1."""
    for j, (split, value) in enumerate(zip(scored, thresholds, strict=True), start=1):
        scores0 = split.scores0
        n_tied = int(np.sum(scores0 == value))
        if n_tied < 2 or value < scores0.max():
            continue
        scores1 = _some_scores1(inputs, split)
        if scores0.min() == value and np.all(scores1 == value):
            message = (
                f"method {inputs.method.name!r} gives every row the constant score {value:g}: it separates "
                "nothing, and every row is called class 0. Check the predictors or choose another method."
            )
        elif scores0.min() == value:
            message = all_tied_message(scores0)
        elif np.all(scores1 <= value):
            message = (
                f"the {n_tied} largest of {scores0.size} left-out class 0 scores are tied at {value:g}, and no class 1 "
                f"score lies above: every row is called class 0. {FINER_SCORES}"
            )
        else:
            continue
        which = f" (split {j} of {len(scored)})" if len(scored) > 1 else ""
        warn_at_call(message + which, NPWarning)
        return


def _some_scores1(inputs, split):
    if split.scores1.size:
        return split.scores1
    # all class 1 rows trained: scores of these only help to word a warning
    idx = np.flatnonzero(inputs.y == 1)[:1000]
    return score_rows(split.scorer, take_rows(inputs.X, idx))


@cache
def _installed_versions():
    # reading the metadata of a package takes milliseconds
    return tuple((name, version(name)) for name in ("nproc-py", "numpy", "scipy", "scikit-learn", "statsmodels"))


def package_versions():
    """Return the versions of the packages that numbers depend on."""
    return dict(_installed_versions())
