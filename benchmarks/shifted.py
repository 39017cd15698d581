"""What does a threshold for a shifted class 0 cost in type II error, by each way to use the weights?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy.stats import norm

from nproc import TooFewSamplesError, np_threshold, np_threshold_shifted

REPETITIONS = 120
ALPHA = DELTA = 0.05
SIZES = (500, 2000, 5000)
DRAWS = 25
MEAN1 = 3.5
# shares of groups of class 0 in the source and in the target, means of their scores, the bound on the weights
WORLDS = {
    "two groups": ((0.5, 0.5), (0.25, 0.75), (0.0, 1.0), 1.5),
    "two groups, loose bound": ((0.5, 0.5), (0.25, 0.75), (0.0, 1.0), 6.0),
    "four groups": ((0.4, 0.3, 0.2, 0.1), (0.1, 0.2, 0.3, 0.4), (0.0, 0.5, 1.0, 1.5), 4.0),
    "rare group": ((0.95, 0.05), (0.7, 0.3), (0.0, 1.5), 6.0),
}
BETS = np.geomspace(0.01, 0.99 / (1 - ALPHA), 40)


def by_betting(scores0, weights, weight_max):
    """Return the smallest score at which the mean of products of bets against a type I error above alpha is 1 / delta.

    A bet multiplies the capital by 1 - bet * weight / weight_max * (1(score above the cut) - alpha). The products are
    averaged over the bets. Infinite where no score will do.
    """
    ordered = np.argsort(scores0)
    shares = weights[ordered] / weight_max
    above = np.log1p(-np.outer(BETS, shares) * (1 - ALPHA))
    below = np.log1p(np.outer(BETS, shares) * ALPHA)
    logs = np.cumsum(below, axis=1) + above.sum(axis=1, keepdims=True) - np.cumsum(above, axis=1)
    passed = np.flatnonzero(np.logaddexp.reduce(logs, axis=0) - np.log(BETS.size) >= -np.log(DELTA))
    return scores0[ordered][passed[0]] if passed.size else np.inf


def by_median(scores0, weights, weight_max, seed):
    """Return the median of the thresholds of several draws of the coins, each at delta / 2."""
    found = []
    for draw in range(DRAWS):
        try:
            rule = np_threshold_shifted(
                scores0,
                weights,
                weight_max=weight_max,
                alpha=ALPHA,
                delta=DELTA / 2,
                random_state=1000 * seed + draw,
            )
            found.append(rule.value)
        except TooFewSamplesError:
            found.append(np.inf)
    return np.median(found)


def one_sample(world, n0, seed):
    """Return the type I error in the target and the type II error of each way, for one sample of the source."""
    source, target, means, top = WORLDS[world]
    source, target, means = np.array(source), np.array(target), np.array(means)
    rng = np.random.default_rng([seed, n0])
    group = rng.choice(source.size, size=n0, p=source)
    scores0 = rng.normal(means[group])
    weights = (target / source)[group]

    def ours(coins):
        try:
            return np_threshold_shifted(
                scores0, weights, weight_max=top, alpha=ALPHA, delta=DELTA, coins=coins, random_state=seed
            ).value
        except TooFewSamplesError:
            return np.inf

    cuts = {
        "weights ignored": np_threshold(scores0, alpha=ALPHA, delta=DELTA).value,
        "one draw": ours("drawn"),
        f"median of {DRAWS} draws at delta / 2": by_median(scores0, weights, top, seed),
        "averaged": ours("averaged"),
        "betting": by_betting(scores0, weights, top),
    }
    return {name: (float(target @ norm.sf(cut - means)), float(norm.cdf(cut - MEAN1))) for name, cut in cuts.items()}


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        "Class 0 is a mixture of groups with normal scores, whose shares shift from source to target. Class 1 is",
        f"N({MEAN1:g}, 1). alpha = delta = {ALPHA}. Both errors are computed from the laws, over",
        f"{arguments.repetitions} samples of the source. Violations: share of the samples with a type I error in the",
        "target above alpha. A sample without a threshold counts as a type II error of 1. Best: the type II error at",
        "the true cut. Betting: the mean of products of bets, a test for bounded variables, with the same guarantee.",
    )
    table = []
    for world, (_, target, means, _) in WORLDS.items():
        grid = np.linspace(0, 6, 60_001)
        type1 = sum(p * norm.sf(grid - mean) for p, mean in zip(target, means, strict=True))
        best = norm.cdf(grid[np.argmax(type1 <= ALPHA)] - MEAN1)
        for n0 in SIZES:
            runs = measure.repeat(one_sample, (world, n0), arguments.repetitions, label=f"shifted: {world}, {n0}")
            for name in runs[0]:
                errors = np.array([run[name] for run in runs])
                violations = np.mean(errors[:, 0] > ALPHA)
                spread = errors[:, 1].std(ddof=1) if len(runs) > 1 else 0.0
                table.append(
                    (world, n0, name, f"{violations:.3f}", f"{errors[:, 1].mean():.3f}", f"{spread:.3f}", f"{best:.3f}")
                )
    measure.print_table(
        ("world", "class 0 scores", "way", "violations", "type II error", "its standard deviation", "best"), table
    )


if __name__ == "__main__":
    main()
