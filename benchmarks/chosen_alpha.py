"""How often is the type I error above an alpha that was chosen on a pointwise band?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy.stats import norm

from nproc import NPROCBand, NPWarning

REPETITIONS = 1000
# left-out rows of class 0 and of class 1
SIZES = ((60, 60), (200, 200), (500, 500), (500, 50), (2000, 2000))
DISTANCES = (0.5, 1.0, 2.0, 3.0)
DELTAS = (0.05, 0.1)
TYPE2_MAX = (0.2, 0.4, 0.6, 0.8)


def one_sample(n0, n1, distance, delta, seed):
    """Return by each way to choose whether the type I error is above the alpha chosen; normal scores."""
    rng = np.random.default_rng(seed)
    scores0 = rng.normal(size=n0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        band = NPROCBand.from_scores(scores0, distance + rng.normal(size=n1), delta=delta)
        chosen = [band.choose_alpha("youden"), *(band.choose_alpha(type2_max=bound) for bound in TYPE2_MAX)]
    ranks = [band.at(choice.alpha).order for choice in chosen]
    return [
        float(norm.sf(np.sort(scores0)[rank - 1]) > choice.alpha) for rank, choice in zip(ranks, chosen, strict=True)
    ]


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        f"Normal scores with unit variance whose means are d apart; {arguments.repetitions} samples of each setting.",
        "alpha is chosen on the pointwise band of the sample, by Youden's index or as the smallest whose upper bound",
        "on the type II error is at most a level. Shares of samples with a type I error above this alpha.",
    )
    table = []
    for delta in DELTAS:
        for n0, n1 in SIZES:
            for distance in DISTANCES:
                runs = measure.repeat(
                    one_sample, (n0, n1, distance, delta), arguments.repetitions, label=f"chosen_alpha: {n0}, {n1}"
                )
                shares = (f"{share:.3f}" for share in np.mean(runs, axis=0))
                table.append((f"{delta:g}", n0, n1, f"{distance:g}", *shares))
    columns = ("delta", "class 0", "class 1", "d", "Youden", *(f"type II at most {bound:g}" for bound in TYPE2_MAX))
    measure.print_table(columns, table)


if __name__ == "__main__":
    main()
