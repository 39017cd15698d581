"""The umbrella algorithm where left-out class 0 rows are too few for an order statistic."""

from __future__ import annotations

from nproc.checks import check_choice
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.orderstat import min_class0_size
from nproc.small_samples.fit import NPNormalFit
from nproc.small_samples.threshold import normal_message, normal_threshold_at, warn_tied
from nproc.split_warnings import warn_even, warn_reversed
from nproc.splitting import make_splits, n_train
from nproc.tuning import RatioChoice
from nproc.umbrella import fit_umbrella, package_versions, score_splits
from nproc.warning_place import warn_at_call

SMALL_SAMPLES = ("error", "normal")


def small_sample_umbrella(small_sample, fit, *, alone):
    """Return the form of the umbrella algorithm for a choice of `small_sample`; see `npc`.

    Parameters
    ----------
    small_sample : {"error", "normal"}
        The choice.
    fit : callable
        The form without it.
    alone : bool
        Whether there are no groups and no clusters.
    """
    check_choice(small_sample, "small_sample", SMALL_SAMPLES)
    if small_sample == "error":
        return fit
    if not alone:
        raise InvalidInputError("small_sample='normal' is for rows without groups and clusters; leave one of them out.")
    return fit_small_sample


def fit_small_sample(
    inputs, *, alpha, delta, n_splits, split_ratio, ties, resample, n_jobs, seed, verbose=0, checkpoint=None
):
    """Return the `NPFit` of checked inputs where the rows suffice, and otherwise the `NPNormalFit`.

    The splits and the scorers are those of `fit_umbrella` for the same seed; only the threshold differs. An adaptive
    split ratio needs as many rows as the order statistic.
    """
    labels, prefit = inputs.labels, inputs.method.prefit
    settings = {"n_splits": n_splits, "split_ratio": split_ratio, "seed": seed}
    adaptive = split_ratio == "adaptive" or isinstance(split_ratio, RatioChoice)
    n_left = labels.n0 if prefit or adaptive else labels.n0 - n_train(labels.n0, split_ratio)
    if adaptive or n_left >= min_class0_size(alpha, delta):
        return fit_umbrella(
            inputs,
            alpha=alpha,
            delta=delta,
            ties=ties,
            resample=resample,
            n_jobs=n_jobs,
            verbose=verbose,
            checkpoint=checkpoint,
            **settings,
        )
    if ties != "conservative":
        raise InvalidInputError(f"ties={ties!r} is for order statistics; a normal threshold knows no ties.")
    if prefit and n_left < 2:
        raise TooFewSamplesError("small_sample='normal' needs 2 class 0 rows to set the threshold, got n0=1.")
    if n_left < 2 or (not prefit and n_left == labels.n0):
        raise TooFewSamplesError(
            f"small_sample='normal' needs a class 0 row to train and 2 to set the threshold; of n0={labels.n0} rows, "
            f"split_ratio={split_ratio:g} leaves {n_left} out."
        )
    splits = None
    if not prefit:
        warn_even(n_splits)
        splits = make_splits(labels.y, n_splits, split_ratio, seed, leave_out_class1=False)
    scored = score_splits(
        inputs,
        splits,
        seed=seed,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        label="npc: split",
        checkpoint=checkpoint,
    )
    rules = tuple(normal_threshold_at(s.scores0, alpha, delta) for s in scored)
    warn_at_call(normal_message(n_left), NPWarning)
    for split in scored:
        warn_tied(split.scores0)
    warn_reversed(inputs, scored, splits)
    subject = inputs.subject
    return NPNormalFit(
        method=subject.method,
        alpha=alpha,
        delta=delta,
        n0=subject.n0,
        n1=subject.n1,
        n_splits=len(scored),
        split_ratio=None if prefit else split_ratio,
        labels=subject.labels,
        seed=seed,
        scorers=tuple(s.scorer for s in scored),
        rules=rules,
        scores0=tuple(s.scores0 for s in scored),
        design=subject.design,
        prefit=prefit,
        versions=package_versions(),
    )
