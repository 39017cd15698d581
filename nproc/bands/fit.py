"""From checked inputs to an NP-ROC band: splits of both classes, training, left-out scores."""

from dataclasses import dataclass

import numpy as np

from nproc.bands.band import NPROCBand
from nproc.bands.bounds import bound_rule
from nproc.errors import TooFewSamplesError
from nproc.inputs import RunSettings
from nproc.splitting import Splits, make_splits, n_train
from nproc.tuning import RatioChoice
from nproc.umbrella import adaptive_choice, score_splits, warn_even, warn_reversed, warn_uninformative

# levels whose type II errors an adaptive split ratio averages for a band, which has no alpha of its own
BAND_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def fit_band(inputs, run, *, delta, band, bounds):
    """Return the `NPROCBand` of checked inputs; see `nproc.nproc` for the arguments.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.
    """
    # before any training
    bound_rule(band, bounds, delta)
    if not inputs.method.prefit:
        warn_even(run.n_splits)
    plan = plan_splits(inputs, run, delta=delta)
    scored = score_splits(inputs, plan.splits, plan.run, "nproc: split")
    return band_of_splits(inputs, plan, scored, delta=delta, band=band, bounds=bounds)


@dataclass(frozen=True)
class SplitPlan:
    """The splits of a band.

    Attributes
    ----------
    splits : Splits or None
        None for a prefit scorer.
    run : RunSettings
        With the split ratio as a number.
    choice : RatioChoice or None
        Where it was chosen from the rows.
    """

    splits: Splits | None
    run: RunSettings
    choice: RatioChoice | None


def plan_splits(inputs, run, *, delta):
    """Return the `SplitPlan` of a band."""
    if inputs.method.prefit:
        return SplitPlan(None, run, None)
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
    return SplitPlan(splits, run, choice)


def band_of_splits(inputs, plan, scored, *, delta, band, bounds):
    """Return the `NPROCBand` of scored splits, with its warnings."""
    # a band has no alpha of its own: only a sample of equal scores is useless at every rank
    warn_uninformative(inputs, scored, [s.scores0.min() for s in scored])
    result = NPROCBand(
        sorted0=tuple(np.sort(s.scores0) for s in scored),
        sorted1=tuple(np.sort(s.scores1) for s in scored),
        delta=delta,
        method=inputs.method.name,
        seed=plan.run.seed,
        split_ratio=None if plan.splits is None else plan.run.split_ratio,
        subject=inputs.subject,
        scored=tuple(scored),
        ratio_choice=plan.choice,
        band=band,
        bounds=bounds,
    )
    warn_reversed(inputs, scored, plan.splits, plan.choice)
    return result
