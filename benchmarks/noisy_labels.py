"""How much power does a threshold have when a tenth of the labels is wrong, and how often is its bound broken?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy.stats import norm

from nproc import np_threshold, np_threshold_noisy
from nproc.orderstat import type1_upper

REPETITIONS = 1000
ALPHA = DELTA = 0.1
# (rows of each label, noise in both, mean of class 1)
WORLDS = ((4000, 0.1, 2.0), (1000, 0.1, 2.0), (1000, 0.2, 2.0), (300, 0.1, 2.0), (4000, 0.1, 0.2))


def by_dkw(labelled0, labelled1, noise):
    """Return the first cut whose lower bound on F0 reaches 1 - alpha, by two simultaneous bounds of one side."""
    n = labelled0.size
    share = noise / (1 - 2 * noise)
    half = np.sqrt(np.log(2 / DELTA) / (2 * n))
    below0 = np.arange(1, n + 1) / n - half
    below1 = np.searchsorted(np.sort(labelled1), np.sort(labelled0), side="right") / n + half
    passed = np.flatnonzero((1 + share) * below0 - share * np.minimum(below1, 1) >= 1 - ALPHA)
    return np.sort(labelled0)[passed[0]] if passed.size else np.inf


def by_plug_in(labelled0, labelled1, noise):
    """Return the first cut whose plain bound less the estimated gap to class 0 is at most alpha.

    This is the rule of Yao, Rava, Tong and James (2023), here with the gap estimated from the same scores.
    """
    n = labelled0.size
    cuts = np.sort(labelled0)
    below1 = np.searchsorted(np.sort(labelled1), cuts, side="right") / n
    gap = noise / (1 - 2 * noise) * (np.arange(1, n + 1) / n - below1)
    passed = np.flatnonzero(type1_upper(np.arange(1, n + 1), n, DELTA) - gap <= ALPHA)
    return cuts[passed[0]] if passed.size else np.inf


def one_run(n, noise, mean1, seed):
    """Return the threshold of each procedure."""
    rng = np.random.default_rng(seed)
    labelled0 = rng.normal(mean1 * (rng.random(n) < noise))
    labelled1 = rng.normal(mean1 * (rng.random(n) >= noise))
    levels = {"alpha": ALPHA, "delta": DELTA}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = {"noise0": (noise / 2, noise), "noise1": (noise / 2, noise)}
        return {
            "np_threshold (labels taken as right)": np_threshold(labelled0, **levels).value,
            "two simultaneous bounds (DKW)": by_dkw(labelled0, labelled1, noise),
            "plug-in as Yao et al.": by_plug_in(labelled0, labelled1, noise),
            "np_threshold_noisy": np_threshold_noisy(labelled0, labelled1, noise0=noise, noise1=noise, **levels).value,
            "np_threshold_noisy, half to all of the noise": np_threshold_noisy(
                labelled0, labelled1, **wide, **levels
            ).value,
        }


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        f"Class 0 is N(0, 1), class 1 N(mean, 1), alpha = delta = {ALPHA}. As many rows are labelled 0 as 1, and the",
        "same share of both is labelled wrongly. The violation rate is the share of the samples in which the type I",
        f"error is above alpha, and should be at most {DELTA}; power is the mean of 1 - type II error. The best power",
        "is that of the cut at the quantile of class 0.",
    )
    rows = []
    for n, noise, mean1 in WORLDS:
        label = f"noisy labels: {n}, {noise:g}, {mean1:g}"
        runs = measure.repeat(one_run, (n, noise, mean1), arguments.repetitions, label=label)
        world = (n, f"{noise:g}", f"{mean1:g}")
        for name in runs[0]:
            cuts = np.array([run[name] for run in runs])
            violated = np.mean(norm.sf(cuts) > ALPHA)
            rows.append((*world, name, len(runs), f"{violated:.3f}", f"{np.mean(norm.sf(cuts - mean1)):.3f}"))
        rows.append((*world, "best cut", "-", "-", f"{norm.sf(norm.isf(ALPHA) - mean1):.3f}"))
    columns = ("rows of each label", "noise", "mean of class 1", "threshold", "samples", "violation rate", "power")
    measure.print_table(columns, rows)


if __name__ == "__main__":
    main()
