"""From checked inputs to an NP-ROC band: splits of both classes, training, left-out scores."""

from __future__ import annotations

import numpy as np

from nproc.bandpoints import warn_direction
from nproc.bandrules import bound_rule
from nproc.bands import NPROCBand
from nproc.errors import TooFewSamplesError
from nproc.splitting import make_splits, n_train
from nproc.umbrella import adaptive_ratio, score_splits, warn_even, warn_uninformative

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
):
    """Return the `NPROCBand` of checked inputs; see `nproc.nproc` for the arguments.

    References
    ----------
    Section "NP-ROC bands" of [tong2018]_.
    """
    # before any training
    bound_rule(band, bounds, delta)
    splits, choice = None, None
    if inputs.method.prefit:
        split_ratio = None
    else:
        warn_even(n_splits)
        if split_ratio == "adaptive":
            choice = adaptive_ratio(inputs, BAND_LEVELS, delta, seed, resample, True, n_jobs, verbose)
            split_ratio = choice.split_ratio
        for n, what in ((inputs.labels.n0, "class 0"), (inputs.labels.n1, "class 1")):
            if not 1 <= n_train(n, split_ratio) < n:
                raise TooFewSamplesError(
                    f"split_ratio={split_ratio:g} of {n} {what} rows leaves {n_train(n, split_ratio)} to train and "
                    f"{n - n_train(n, split_ratio)} for the band; both need at least 1."
                )
        splits = make_splits(
            inputs.y, n_splits, split_ratio, seed, leave_out_class1=True, always_train=choice and choice.used
        )
    scored = score_splits(
        inputs, splits, seed=seed, resample=resample, n_jobs=n_jobs, verbose=verbose, label="nproc: split"
    )
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
        ratio_choice=choice,
        band=band,
        bounds=bounds,
    )
    class0, class1 = inputs.labels.values.tolist()
    warn_direction(result.sorted0, result.sorted1, f"class 0 is {class0!r} and class 1 is {class1!r}")
    return result
