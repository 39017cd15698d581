"""What does a simultaneous NP-ROC band cost in time and width, and how often does a pointwise one hold?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy.special import gammaln
from scipy.stats import norm

from nproc import NPROCBand, np_order
from nproc.bands import bound_rule
from nproc.bands.large import bounds_of_counts
from nproc.orderstat import type1_upper
from nproc.simultaneous import (
    _log_level,
    inside_probability,
    local_bounds,
    local_level,
    simultaneous_cdf_bounds,
    simultaneous_type1_upper,
)

DELTA = 0.05
REPEATS = {1000: 9, 10_000: 5, 100_000: 1}
WORLDS = [(100, 1.5), (300, 0.5), (300, 1.5), (300, 3.0), (1000, 1.5)]
SAMPLES = 400
# of processor time, for the largest n, and how often it is measured
SECONDS_OF_BAND, BANDS = 1.5, 3
KINDS = {
    "pointwise": {"band": "pointwise"},
    "simultaneous": {"band": "simultaneous"},
    "DKW": {"band": "simultaneous", "bounds": "dkw"},
}


def poisson(count, mean):
    return np.exp(count * np.log(mean) - mean - gammaln(count + 1.0))


def one_bound_at_a_time(lower, upper, *, window=8.5):
    """The recursion as it is written: a convolution for each bound, over counts within so many standard deviations."""
    n = lower.size
    ranks = np.arange(1, n + 1)
    times, limits = np.concatenate([lower, upper]), np.concatenate([ranks - 1, ranks])
    is_floor = np.repeat([False, True], n)
    bites = np.where(is_floor, times < 1, times > 0)
    times, limits, is_floor = times[bites], limits[bites], is_floor[bites]
    order = np.lexsort((is_floor, times))
    weights, first, now = np.ones(1), 0, 0.0
    counts = np.arange(60)
    for at, limit, floor in zip(times[order], limits[order], is_floor[order], strict=True):
        gap = n * (at - now)
        if gap > 0:
            size = int(gap + 10 * np.sqrt(gap) + 12)
            weights = np.convolve(weights, poisson(counts[:size] if size <= 60 else np.arange(size), gap))
        reach = window * np.sqrt(n * at * (1 - at)) + 40
        low = max(first, int(n * at - reach), limit if floor else 0)
        high = min(n, first + weights.size - 1, int(n * at + reach) + 1, n if floor else limit)
        weights, first, now = weights[low - first : high - first + 1], low, at
    missing = n - first - np.arange(weights.size)
    last = poisson(np.maximum(missing, 0), n * (1 - now)) * (missing >= 0)
    return float(weights @ last / np.exp(n * np.log(n) - n - gammaln(n + 1.0)))


def fresh_level(n, sides):
    _log_level.cache_clear()
    return local_level(n, DELTA, sides=sides)


def speed_rows(most_scores):
    sizes = {n: repeats for n, repeats in REPEATS.items() if n <= most_scores}
    for n, repeats in sizes.items():
        for sides in (1, 2):
            lower, upper = local_bounds(n, local_level(n, DELTA, sides=sides), sides=sides)
            mine, theirs = inside_probability(lower, upper), one_bound_at_a_time(lower, upper)
            what = f"n = {n:,}, {sides} side" + "s" * (sides - 1)
            tasks = {
                "peer": lambda lo=lower, up=upper: one_bound_at_a_time(lo, up),
                "step": lambda lo=lower, up=upper: inside_probability(lo, up),
                "level": lambda n=n, sides=sides: fresh_level(n, sides),
            }
            seconds = measure.interleave(tasks, repeats)
            row = measure.ratio_row("one probability, " + what, seconds["step"], seconds["peer"], None)
            yield (*row[:-2], "-", f"{abs(mine - theirs):.1e}")
            limit = 1 if n == max(REPEATS) else None
            row = measure.ratio_row("local level from nothing, " + what, seconds["level"], seconds["peer"], limit)
            yield row


def band_rows(most_scores):
    for n in REPEATS:
        if n <= most_scores:
            rng = np.random.default_rng(n)
            scores0, scores1 = rng.normal(size=n), rng.normal(1.5, 1, n)
            seconds = [measure.seconds_of(lambda pair=(scores0, scores1): fresh_band(*pair)) for _ in range(BANDS)]
            limit = SECONDS_OF_BAND if n == max(REPEATS) else None
            verdict = "-" if limit is None else ("yes" if np.median(seconds) <= limit else "**no**")
            yield f"{n:,}", BANDS, measure.median_and_spread(seconds), "-" if limit is None else f"{limit:g}", verdict


def fresh_band(scores0, scores1):
    for kept in (_log_level, bounds_of_counts):
        kept.cache_clear()
    return NPROCBand.from_scores(scores0, scores1, delta=DELTA, band="simultaneous").to_frame()


def width_rows():
    n = 1000
    for delta in (0.05, 0.1):
        for error in (0.01, 0.05, 0.1, 0.3, 0.5):
            count = np.array([round(error * n)])
            widths = [
                float(np.diff(simultaneous_cdf_bounds(count, n, delta, method=method), axis=0)[0, 0])
                for method in ("berk_jones", "dkw")
            ]
            order = n - round(error * n)
            one_sided = [simultaneous_type1_upper(n, delta, method=m)[order - 1] - error for m in ("berk_jones", "dkw")]
            ratio = widths[0] / widths[1]
            target = 0.55 if error == 0.05 and delta == DELTA else None
            yield (
                f"{delta:g}",
                f"{error:g}",
                f"{widths[0]:.4f}",
                f"{widths[1]:.4f}",
                f"{ratio:.3f}",
                "-" if target is None else f"{target:g}",
                "-" if target is None else ("yes" if ratio <= target else "**no**"),
                f"{one_sided[0] / one_sided[1]:.3f}",
                f"{(type1_upper(order, n, delta) - error) / one_sided[0]:.3f}",
            )


def rank_rows():
    for n0 in (200, 1000, 10_000):
        for alpha in (0.05, 0.1):
            pointwise = np_order(n0, alpha, DELTA)
            # those of a band, which spends a part of delta on class 1
            exact, dkw = (
                int(bound_rule("simultaneous", bounds, DELTA).orders(n0, np.array([alpha]))[0])
                for bounds in ("berk_jones", "dkw")
            )
            means = [f"{(n0 + 1 - k) / (n0 + 1):.4f}" if k <= n0 else "-" for k in (pointwise, exact, dkw)]
            yield (n0, alpha, pointwise, exact, dkw if dkw <= n0 else "none", *means)


def covered(band, shift):
    """Whether all type I errors are at most their bounds, and all type II errors within theirs."""
    cuts = band.sorted0[0][::-1]
    type2 = norm.cdf(cuts, shift)
    return np.all(norm.sf(cuts) <= band.alpha), np.all((band.type2_lower <= type2) & (type2 <= band.type2_upper))


def coverage_rows(samples):
    for n, shift in WORLDS:
        rng = np.random.default_rng(n)
        found = {name: [] for name in KINDS}
        widths = {name: [] for name in KINDS}
        for _ in range(samples):
            scores0, scores1 = rng.normal(size=n), rng.normal(shift, 1, n)
            for name, kind in KINDS.items():
                band = NPROCBand.from_scores(scores0, scores1, delta=DELTA, **kind)
                found[name].append(covered(band, shift))
                widths[name].append(band.auc_upper - band.auc_lower)
        for name in KINDS:
            type1, type2 = np.array(found[name]).T
            rates = (np.mean(type1), np.mean(type2), np.mean(type1 & type2))
            error = np.sqrt(rates[2] * (1 - rates[2]) / samples)
            shown = [f"{100 * rate:.1f} %" for rate in rates]
            yield (n, shift, name, *shown, f"{100 * error:.1f} %", f"{np.mean(widths[name]):.4f}")


def main():
    given = measure.arguments(most_scores=max(REPEATS), samples=SAMPLES)
    measure.print_text(
        "Peer: the same recursion with a convolution for each of the n or 2n bounds, over the same window of counts.",
        "The local level from nothing takes two evaluations at n, and those of smaller samples that tell where to",
        "start; the target is that at the largest n it takes no longer than one evaluation of the peer. Processor",
        "time, one run at the largest n.",
        f"delta = {DELTA:g}. Last column of a probability: the difference from the peer's.",
    )
    columns = (*measure.RATIO_COLUMNS[:-1], "met, or difference")
    measure.print_table(columns, speed_rows(given.most_scores))
    measure.print_text(
        "Seconds of processor time (range) for a band and all its curves from nothing: both local levels, and the",
        "curves at all knots as a table; n scores of each class.",
    )
    measure.print_table(("n", "runs", "seconds", "at most", "met"), band_rows(given.most_scores))
    measure.print_text(
        "Widths, n = 1000: simultaneous bounds on a distribution function (the type II error of all thresholds) where",
        "it is estimated as `error`, of Berk and Jones against DKW. Then how far the one-sided bound on the type I",
        "error lies above the estimate: against DKW, and of the bound for one alpha against it.",
    )
    columns = ("delta", "error", "width", "DKW", "ratio", "at most", "met", "one-sided, to DKW", "one alpha, to all")
    measure.print_table(columns, width_rows())
    measure.print_text("Ranks and expected type I errors of the rules at alpha, delta = 0.05.")
    columns = ("n0", "alpha", "pointwise", "simultaneous", "DKW", "E type I", "E type I, simultaneous", "E type I, DKW")
    measure.print_table(columns, rank_rows())
    measure.print_text(
        f"How often the whole curve is inside, {given.samples} samples of normal scores, class 1 shifted, n of each",
        "class, delta = 0.05: the type I errors at all knots, the type II errors, both; and the area between the",
        "curves.",
    )
    columns = ("n", "shift", "band", "type I", "type II", "both", "standard error", "area between")
    measure.print_table(columns, coverage_rows(given.samples))


if __name__ == "__main__":
    main()
