"""From checked inputs to an NP-ROC band: splits of both classes, training, left-out scores."""

import numpy as np

from nproc.bands.band import NPROCBand
from nproc.bands.bounds import bound_rule
from nproc.errors import TooFewSamplesError
from nproc.splitting import make_splits, n_train
from nproc.umbrella import adaptive_choice, score_splits, warn_even, warn_reversed, warn_uninformative

# levels whose type II errors an adaptive split ratio averages for a band, which has no alpha of its own
BAND_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def fit_band(
    inputs,
    *,
    delta,
    n_splits,
    split_ratio,
    resample,
    n_jobs,
    seed,
    verbose=0,
    band="pointwise",
    bounds="berk_jones",
    checkpoint=None,
):
    """Return the `NPROCBand` of checked inputs; see `nproc.nproc` for the arguments.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.
    """
    # before any training
    bound_rule(band, bounds, delta)
    if not inputs.method.prefit:
        warn_even(n_splits)
    splits, split_ratio, choice = plan_splits(
        inputs,
        delta=delta,
        n_splits=n_splits,
        split_ratio=split_ratio,
        resample=resample,
        n_jobs=n_jobs,
        seed=seed,
        verbose=verbose,
        checkpoint=checkpoint,
    )
    scored = score_splits(
        inputs,
        splits,
        seed=seed,
        resample=resample,
        n_jobs=n_jobs,
        verbose=verbose,
        label="nproc: split",
        checkpoint=checkpoint,
    )
    return band_of_splits(
        inputs,
        scored,
        splits,
        delta=delta,
        split_ratio=split_ratio,
        ratio_choice=choice,
        seed=seed,
        band=band,
        bounds=bounds,
    )


def plan_splits(inputs, *, delta, n_splits, split_ratio, resample, n_jobs, seed, verbose, checkpoint=None):
    """Return the splits of a band (None for a prefit scorer), their ratio, and the `RatioChoice` of an adaptive one."""
    if inputs.method.prefit:
        return None, None, None
    choice = adaptive_choice(inputs, split_ratio, BAND_LEVELS, delta, seed, resample, True, n_jobs, verbose, checkpoint)
    split_ratio = choice.split_ratio if choice else split_ratio
    for n, what in ((inputs.labels.n0, "class 0"), (inputs.labels.n1, "class 1")):
        if not 1 <= n_train(n, split_ratio) < n:
            raise TooFewSamplesError(
                f"split_ratio={split_ratio:g} of {n} {what} rows leaves {n_train(n, split_ratio)} to train and "
                f"{n - n_train(n, split_ratio)} for the band; both need at least 1."
            )
    always_train = choice and choice.used
    splits = make_splits(inputs.y, n_splits, split_ratio, seed, leave_out_class1=True, always_train=always_train)
    return splits, split_ratio, choice


def band_of_splits(inputs, scored, splits, *, delta, split_ratio, ratio_choice, seed, band, bounds):
    """Return the `NPROCBand` of scored splits, with its warnings."""
    # a band has no alpha of its own: only a sample of equal scores is useless at every rank
    warn_uninformative(inputs, scored, [s.scores0.min() for s in scored])
    result = NPROCBand(
        sorted0=tuple(np.sort(s.scores0) for s in scored),
        sorted1=tuple(np.sort(s.scores1) for s in scored),
        delta=delta,
        method=inputs.method.name,
        seed=seed,
        split_ratio=split_ratio,
        subject=inputs.subject,
        scored=tuple(scored),
        ratio_choice=ratio_choice,
        band=band,
        bounds=bounds,
    )
    warn_reversed(inputs, scored, splits, ratio_choice)
    return result
