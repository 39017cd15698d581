"""What share of rows do two cuts leave to a person, and how often are the bounds on both errors broken?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy.stats import norm, t

from nproc import np_review

REPETITIONS = 2000
LEVEL = DELTA = 0.05
SIZES = (100, 200, 500, 2000)
# laws of class 0 and class 1 scores
WORLDS = {
    "normal, 2 apart": (norm(0), norm(2)),
    "normal, 3 apart": (norm(0), norm(3)),
    "heavy tails, 3 apart": (t(3), t(3, loc=3)),
}


def np_cuts(scores0, scores1):
    """Return the lower and the upper cut of `np_review`."""
    rule = np_review(scores0, scores1, alpha=LEVEL, beta=LEVEL, delta0=DELTA, delta1=DELTA)
    return rule.lower, rule.upper


def conformal_cuts(scores0, scores1):
    """Return those of class-conditional conformal prediction: sets of one label are calls, all others are reviews.

    Each label is covered with probability at least 1 - LEVEL on average over samples, and not in most samples.
    """
    n0, n1 = scores0.size, scores1.size
    upper = np.sort(scores0)[min(n0, int(np.ceil((1 - LEVEL) * (n0 + 1)))) - 1]
    lower = np.sort(scores1)[max(1, int(np.floor(LEVEL * (n1 + 1)))) - 1]
    # where they cross, no label is in the set of what lies between: one cut is taken there
    return min(lower, upper), upper


PROCEDURES = {"np_review": np_cuts, "conformal": conformal_cuts}


def one_sample(world, n, seed):
    """Return the true errors and the share of reviews, half of the rows of each class, of each procedure."""
    rng = np.random.default_rng(seed)
    law0, law1 = WORLDS[world]
    scores = law0.rvs(n, random_state=rng), law1.rvs(n, random_state=rng)
    found = {}
    for name, cuts in PROCEDURES.items():
        lower, upper = cuts(*scores)
        type1, type2 = law0.sf(upper), law1.cdf(lower)
        found[name] = type1, type2, 0.5 * (law0.cdf(upper) - law0.cdf(lower) + law1.cdf(upper) - law1.cdf(lower))
    return found


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        f"Both errors shall be at most {LEVEL}, each with probability at least {1 - DELTA}. n scores of each class set",
        "the cuts. The peer is class-conditional conformal prediction, whose bounds hold on average over samples. The",
        "share in review is that of a row of either class with the same probability, on average over samples.",
    )
    table = []
    for world in WORLDS:
        for n in SIZES:
            runs = measure.repeat(one_sample, (world, n), arguments.repetitions, label=f"review: {world}, n = {n}")
            for name in PROCEDURES:
                type1, type2, review = np.array([run[name] for run in runs]).T
                broken = type1 > LEVEL, type2 > LEVEL
                shares = [f"{np.mean(rows):.3f}" for rows in (*broken, broken[0] | broken[1])]
                table.append((f"{world}, n = {n}, {name}", *shares, f"{np.mean(review):.3f}"))
    measure.print_table(
        ("world", "type I above", "type II above", "either above", "share in review"),
        table,
    )


if __name__ == "__main__":
    main()
