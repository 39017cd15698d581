"""How often does compare() find a difference between equal features, and how often a true difference?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy import stats

from nproc import NPROCBand, compare
from nproc.comparison import compare_scores
from nproc.comparison.regions import THROUGHOUT

DATA_SETS = 300
SIZES = (100, 250, 500)
DELTAS = (0.05, 0.1)
# R's grid of levels, and two directions
R_CORRECTION = 2 * 1001
CROSSING = stats.norm.sf(1.0)
# class 1 means of two correlated features
MEANS, CORRELATIONS = (2.0, 1.5), (0.0, 0.5, 0.8, 0.9, 0.95)
KINDS = (
    "pointwise, rules (as R's compare)",
    "the same at delta / 2002",
    "simultaneous, rules",
    "paired, rules",
    "simultaneous, scores",
    "paired, scores",
)


def comparisons(scores0, scores1, delta):
    """Return the six comparisons of the columns, in the order of `KINDS`."""
    names = [str(j) for j in range(scores0.shape[1])]

    def bands(level):
        return [NPROCBand.from_scores(scores0[:, j], scores1[:, j], delta=level) for j in range(len(names))]

    usual = bands(delta)
    return (
        compare(*usual, names=names),
        compare(*bands(delta / R_CORRECTION), names=names),
        compare(*usual, names=names, regions="simultaneous", about="rules"),
        compare_scores(scores0, scores1, delta=delta, names=names, about="rules"),
        compare(*usual, names=names, regions="simultaneous", about="scores"),
        compare_scores(scores0, scores1, delta=delta, names=names, about="scores"),
    )


def equal_features(n, n_methods, delta, seed):
    """Return which comparisons of features with one law, N(0, 1) against N(1, 1), have any region."""
    rng = np.random.default_rng([n, n_methods, seed])
    scores0, scores1 = rng.standard_normal((n, n_methods)), 1 + rng.standard_normal((n, n_methods))
    return [len(result.regions) > 0 for result in comparisons(scores0, scores1, delta)]


def crossing_features(n, delta, seed):
    """Return, for each comparison of Simulation 2: whether either is called, the share called, any false region."""
    rng = np.random.default_rng([n, seed])
    scores0 = rng.standard_normal((n, 2))
    scores1 = 1 + rng.standard_normal((n, 2)) * [1.0, np.sqrt(6)]
    found = []
    for result in comparisons(scores0, scores1, delta):
        called = [_points(result, better) for better in ("0", "1")]
        wrong = _wrong(result, scores0) if result.about == "rules" else _wrong_scores(result)
        found.append((called[0] > 0, called[1] > 0, called[0], called[1], wrong))
    return found


def correlated_features(n, correlation, seed):
    """Return whether the better of two correlated features is called so: throughout a region, somewhere in a range."""
    rng = np.random.default_rng([n, round(100 * correlation), seed])
    covariance = np.array([[1.0, correlation], [correlation, 1.0]])
    scores0, scores1 = rng.multivariate_normal([0, 0], covariance, n), rng.multivariate_normal(MEANS, covariance, n)
    result = compare_scores(scores0, scores1, names=["0", "1"])
    alone = paired_regions_alone(scores0, scores1)
    return [
        any(region.better == name for region in kept)
        for kept in (alone, result.intervals, result.somewhere, (*result.intervals, *result.somewhere))
        for name in ("0", "1")
    ]


def paired_regions_alone(scores0, scores1):
    """Return the regions throughout which one method is better, where all of delta is theirs."""
    return compare_scores(scores0, scores1, delta=0.05 / THROUGHOUT, names=["0", "1"]).intervals


def _points(result, better):
    """Share of the ranks, or of the levels, that are called for one method."""
    mine = [r for r in result.intervals if r.better == better]
    if result.about == "scores":
        return sum(r.alpha_high - r.alpha_low for r in mine)
    alpha = result.bands[0].alpha
    return float(np.mean([any(r.alpha_low <= level < r.alpha_high for r in mine) for level in alpha]))


def _wrong(result, scores0):
    cuts = np.sort(scores0, axis=0)[::-1]
    type2 = np.stack([stats.norm.cdf(cuts[:, 0] - 1), stats.norm.cdf((cuts[:, 1] - 1) / np.sqrt(6))], axis=1)
    alpha = result.bands[0].alpha
    for r in result.intervals:
        inside = (alpha >= r.alpha_low) & (alpha < r.alpha_high)
        if np.any(type2[inside, int(r.better)] >= type2[inside, int(r.worse)]):
            return True
    return False


def _wrong_scores(result):
    return any(r.alpha_low < CROSSING if r.better == "0" else r.alpha_high > CROSSING for r in result.intervals)


def main():
    data_sets = measure.arguments(repetitions=DATA_SETS).repetitions
    measure.print_text(
        f"{data_sets} data sets for each row, with n left-out rows of each class; the features are the scores. Equal",
        "features: N(0, 1) against N(1, 1), independent. Of their fitted rules one is the better one, by the chance of",
        "the thresholds; their scores are equal, and a region that speaks of scores is false.",
    )
    rows = []
    for n_methods in (2, 3):
        for n in SIZES:
            for delta in DELTAS:
                label = f"equal features, {n_methods} methods, n = {n}, delta = {delta}"
                shares = np.mean(measure.repeat(equal_features, (n, n_methods, delta), data_sets, label=label), axis=0)
                rows.append((n_methods, n, delta, *(f"{share:.3f}" for share in shares)))
    measure.print_text("Share of data sets with any region, equal features:")
    measure.print_table(("methods", "n", "delta", *KINDS), rows)
    rows = []
    for n in SIZES:
        for delta in DELTAS:
            label = f"crossing features, n = {n}, delta = {delta}"
            runs = measure.repeat(crossing_features, (n, delta), data_sets, label=label)
            found = np.array(runs, dtype=np.float64)
            for kind, (any1, any2, part1, part2, wrong) in zip(KINDS, found.mean(axis=0), strict=True):
                cells = (f"{value:.3f}" for value in (any1, any2, part1, part2, wrong))
                rows.append((n, delta, kind, *cells))
    measure.print_text(
        "Simulation 2: x1 is the better score above alpha = 0.1587, x2 below. Share of the data sets with a region for",
        "either, mean share of the ranks (rules) or length of alpha (scores) in its regions, and share of the data",
        "sets with a false region: of rules, the worse one is called better at some rank; of scores, a region that",
        "crosses 0.1587.",
    )
    measure.print_table(
        ("n", "delta", "regions", "x1 somewhere", "x2 somewhere", "x1, mean share", "x2, mean share", "any false"), rows
    )
    rows = []
    for n in (250, 500, 1000):
        for correlation in CORRELATIONS:
            label = f"correlated features, n = {n}, correlation = {correlation}"
            shares = np.mean(measure.repeat(correlated_features, (n, correlation), data_sets, label=label), axis=0)
            rows.append((n, correlation, *(f"{share:.3f}" for share in (*shares[::2], shares[7]))))
    measure.print_text(
        f"Two correlated features, N(0, 1) in class 0 and N({MEANS[0]:g}, 1), N({MEANS[1]:g}, 1) in class 1,",
        "delta = 0.05. Share of the data sets in which the better one is found: with all of delta for regions",
        "throughout which it is better, with three quarters of it, by ranges in which it is better somewhere, and by",
        "either.",
    )
    columns = ("all of delta, throughout", "now, throughout", "now, somewhere", "now, either", "the worse one")
    measure.print_table(("n", "correlation", *columns), rows)
    measure.print_text(
        "Simultaneous regions of rules hold every rank that bands at delta over the grid tell apart, and more; both",
        "find regions between equal features, since they speak of rules. Regions of scores are fewer: they allow also",
        "for thresholds that lie at another type I error than their ranks say.",
    )


if __name__ == "__main__":
    main()
