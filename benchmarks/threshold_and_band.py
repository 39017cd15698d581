"""How long do a threshold and an NP-ROC band from raw scores take, relative to a sort of the scores?"""

import os
import subprocess
import sys

import measure  # isort: skip  (before numpy)
import numpy as np

from nproc import NPROCBand, compare, np_threshold
from nproc.bands.large import bounds_of_counts

SIZES = (300_000, 1_000_000, 3_000_000)
GRID = np.linspace(0, 1, 1001)
REPEATS = 9
# repetitions of all knots: as many as come to so many scores, 1 to 3
KNOT_SCORES = 3_000_000
# the option that makes this script measure the band alone, in an interpreter whose numpy sorts without vector code
BAND_ONLY = "--band-only"
NO_VECTOR_SORT = "X86_V4 X86_V3 AVX512_ICL AVX512_SPR"


def scores(n):
    """Two normal samples, one apart."""
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.normal(1, 1, size=n)


def stable_sorts(scores0, scores1):
    np.sort(scores0, kind="stable")
    np.sort(scores1, kind="stable")


def threshold_and_band(scores0, scores1):
    np_threshold(scores0, alpha=0.05, delta=0.05)
    NPROCBand.from_scores(scores0, scores1, delta=0.05).at(GRID)


def all_knots(scores0, scores1):
    band = NPROCBand.from_scores(scores0, scores1, delta=0.05)
    return band.alpha, band.type2_lower, band.type2_upper


def areas(scores0, scores1):
    band = NPROCBand.from_scores(scores0, scores1, delta=0.05)
    return band.auc_lower, band.auc_upper


def two_bands_compared(scores0, scores1):
    bands = [NPROCBand.from_scores(scale * scores0, scale * scores1, delta=0.05) for scale in (1, 1.5)]
    return compare(*bands)


def rows_for(n, runs):
    scores0, scores1 = scores(n)
    seconds = measure.interleave(
        {
            "peer": lambda: stable_sorts(scores0, scores1),
            "default sort": lambda: (np.sort(scores0), np.sort(scores1)),
            "threshold": lambda: np_threshold(scores0, alpha=0.05, delta=0.05),
            "band": lambda: threshold_and_band(scores0, scores1),
        },
        runs,
    )
    peer = seconds["peer"]
    at_n = f", n0 = n1 = {n:,}"
    yield measure.ratio_row("np_threshold" + at_n, seconds["threshold"], peer, 0.1)
    yield measure.ratio_row("np_threshold and band at 1001 levels" + at_n, seconds["band"], peer, 0.8)
    yield measure.ratio_row("(two default np.sort)" + at_n, seconds["default sort"], peer, None)


def knot_rows(n, runs):
    scores0, scores1 = scores(n)
    # no band comes from what an earlier one computed: there is no warm-up but of the sorts
    tasks = {
        "band at all knots": lambda: all_knots(scores0, scores1),
        "areas of the band": lambda: areas(scores0, scores1),
        "compare, two bands, for each of them": lambda: two_bands_compared(scores0, scores1),
    }
    stable_sorts(scores0, scores1)
    peer, seconds = [], {name: [] for name in tasks}
    for _ in range(max(1, min(3, runs, KNOT_SCORES // n))):
        peer.append(measure.seconds_of(lambda: stable_sorts(scores0, scores1)))
        for name, task in tasks.items():
            bounds_of_counts.cache_clear()
            seconds[name].append(measure.seconds_of(task) / (2 if "each" in name else 1))
    for name, values in seconds.items():
        yield measure.ratio_row(f"{name}, n0 = n1 = {n:,}", values, peer, 6)


def without_vector_sort(n, runs):
    """Return the rows of one size where numpy may not use vector instructions, or None if it cannot be told."""
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": NO_VECTOR_SORT}
    command = [sys.executable, "-W", "ignore", __file__, BAND_ONLY, "1", "--sizes", str(n), "--runs", str(runs)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


def main():
    given = measure.arguments(sizes=SIZES, runs=REPEATS, band_only=0)
    if given.band_only:
        measure.print_table(measure.RATIO_COLUMNS, rows_for(given.sizes[0], given.runs))
        return
    measure.print_text('Peer: `np.sort(kind="stable")` of both score arrays. Normal scores, processor time.')
    rows = [row for n in given.sizes for row in rows_for(n, given.runs)]
    rows += [row for n in given.sizes for row in knot_rows(n, given.runs)]
    measure.print_table(measure.RATIO_COLUMNS, rows)
    measure.print_text(
        "A band sorts both samples by numpy's default sort and then solves two beta quantiles and two binomial tails",
        "for each of the levels; the threshold is one selection. With more than 16,384 knots the bounds at all of them",
        "come from a spline through some thousands of beta quantiles, whose error is bounded anew for each band. The",
        "two bands that are compared have the same sizes and levels, so that they share one spline.",
    )
    plain = without_vector_sort(given.sizes[len(given.sizes) // 2], given.runs)
    if plain:
        measure.print_text(
            "The default sort is fast where the processor has AVX2 or AVX-512 and numpy uses them. The same with these",
            "switched off, in an interpreter of its own; the targets are those of a machine that has them:",
        )
        print(plain)


if __name__ == "__main__":
    main()
