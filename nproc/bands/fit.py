"""From checked inputs to an NP-ROC band: splits of both classes, training, left-out scores."""

from dataclasses import replace

import numpy as np

from nproc.bands.band import NPROCBand
from nproc.bands.bounds import bound_rule
from nproc.errors import TooFewSamplesError
from nproc.splitting import make_splits, n_train
from nproc.umbrella import (
    adaptive_choice,
    caveats_of_splits,
    score_splits,
    unmet_of_splits,
    warn_even,
    warn_reversed,
    warn_uninformative,
)

# levels whose type II errors an adaptive split ratio averages for a band, which has no alpha of its own
BAND_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def fit_band(inputs, run, *, delta, band, bounds, alpha_max=None):
    """Return the `NPROCBand` of checked inputs; see `nproc.nproc` for the arguments.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.
    """
    # before any training
    kind = {"band": band, "bounds": bounds, "alpha_max": alpha_max}
    bound_rule(delta=delta, **kind)
    if not inputs.method.prefit:
        warn_even(run.n_splits)
    splits, run, choice = plan_splits(inputs, run, delta=delta)
    scored = score_splits(inputs, splits, run, "nproc: split")
    return band_of_splits(inputs, (splits, run, choice), scored, delta=delta, **kind)


def plan_splits(inputs, run, *, delta):
    """Return the splits of a band, its settings with the ratio as a number, and the `RatioChoice` if there is one.

    A prefit scorer has no splits: None.
    """
    if inputs.method.prefit:
        return None, run, None
    choice, run = adaptive_choice(inputs, run, BAND_LEVELS, delta, leave_out_class1=True)
    for n, what in ((inputs.labels.n0, "class 0"), (inputs.labels.n1, "class 1")):
        trains = n_train(n, run.split_ratio)
        if not 1 <= trains < n:
            raise TooFewSamplesError(
                f"split_ratio={run.split_ratio:g} of {n} {what} rows leaves {trains} to train and {n - trains} for the "
                "band; both need at least 1."
            )
    used = choice and choice.used
    splits = make_splits(inputs.y, run.n_splits, run.split_ratio, run.seed, leave_out_class1=True, always_train=used)
    return splits, run, choice


def band_of_splits(inputs, plan, scored, *, delta, **kind):
    """Return the `NPROCBand` of scored splits and what `plan_splits` gave, with its warnings."""
    splits, run, choice = plan
    # a band has no alpha of its own: only a sample of equal scores is useless at every rank
    told = warn_uninformative(inputs, scored, [s.scores0.min() for s in scored])
    told = (*told, *warn_reversed(inputs, scored, splits, choice))
    resampled = {} if run.resample is None else {"resample": "resample"}
    result = NPROCBand(
        sorted0=tuple(np.sort(s.scores0) for s in scored),
        sorted1=tuple(np.sort(s.scores1) for s in scored),
        delta=delta,
        method=inputs.method.name,
        seed=run.seed,
        split_ratio=None if splits is None else run.split_ratio,
        subject=replace(inputs.subject, given=inputs.subject.given | resampled),
        scored=tuple(scored),
        ratio_choice=choice,
        caveats=(*caveats_of_splits(inputs.subject, scored), *told),
        unmet=unmet_of_splits(inputs.subject, scored),
        **kind,
    )
    result.warn_no_rank()
    return result
