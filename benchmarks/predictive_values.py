"""How much closer are bounds on predictive values by the region of both errors than by two separate bounds?"""

from itertools import product

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy import stats

from nproc import np_order
from nproc.bands.predictive import pointwise_values

DELTA = 0.05
SIZES = ((100, 100), (500, 500), (1000, 200), (200, 1000), (5000, 500))
ALPHAS, TYPE2, PREVALENCES = (0.05, 0.2), (0.1, 0.4), (0.05, 0.3)
SHARE = 1 - np.sqrt(1 - DELTA)


def by_separate_bounds(n0, order, n1, missed, prevalence):
    """Return lower and upper bounds of PPV, and of NPV, from bounds on the errors that hold together."""
    high1, low1 = stats.beta.ppf(1 - SHARE, n0 + 1 - order, order), stats.beta.ppf(SHARE, n0 - order, order + 1)
    high2, low2 = stats.beta.ppf(1 - SHARE, missed + 1, n1 - missed), stats.beta.ppf(SHARE, missed, n1 + 1 - missed)
    odds = (1 - prevalence) / prevalence
    ppv = [1 / (1 + odds * type1 / (1 - type2)) for type1, type2 in ((high1, high2), (low1, low2))]
    npv = [1 / (1 + type2 / (1 - type1) / odds) for type1, type2 in ((high1, high2), (low1, low2))]
    return ppv + npv


def main():
    measure.arguments()
    measure.print_text(
        f"Bounds at one alpha, delta = {DELTA}; the share of missed class 1 scores is the type II error. The last",
        "columns say by how much of the distance between the separate bound and the estimate the new bound is closer.",
    )
    table, all_gains = [], []
    for (n0, n1), alpha, type2, prevalence in product(SIZES, ALPHAS, TYPE2, PREVALENCES):
        order, missed = np_order(n0, alpha, DELTA), round(type2 * n1)
        ranks, counts = np.array([order]), np.array([missed])
        found = pointwise_values(ranks, ranks, n0, counts, n1, DELTA, (prevalence, prevalence))[:, 0]
        old = by_separate_bounds(n0, order, n1, missed, prevalence)
        new, middle = found[[0, 2, 3, 5]], found[[1, 1, 4, 4]]
        gains = (new - old) / (middle - old)
        all_gains.append(gains)
        table.append(
            (f"{n0}, {n1}", alpha, type2, prevalence, f"{old[0]:.4f}", f"{new[0]:.4f}", *(f"{g:.1%}" for g in gains))
        )
    columns = ["rows left out", "alpha", "type II", "prevalence", "PPV lower, separate", "PPV lower, region"]
    names = ["PPV lower", "PPV upper", "NPV lower", "NPV upper"]
    measure.print_table([*columns, *(f"{name} closer by" for name in names)], table)
    of_all = zip(names, np.transpose(all_gains), strict=True)
    rows = [(name, f"{np.median(gains):.1%}", f"{gains.min():.1%}", f"{gains.max():.1%}") for name, gains in of_all]
    measure.print_table(["bound", "closer by, median", "least", "most"], rows)


if __name__ == "__main__":
    main()
