"""What does a simultaneous band gain where only an alpha up to a level fixed beforehand may be chosen?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy import stats

from nproc import np_order
from nproc.bands import bound_rule

SIZES = (200, 1000, 10_000)
LEVELS = (0.01, 0.05, 0.1, 0.2)
ALPHA = DELTA = 0.05
DISTANCE = 2.0
GRID = (np.arange(20_000) + 0.5) / 20_000


def expected_type2(n0, order):
    """Return the mean type II error of the threshold of a rank, for normal scores; 1 where there is no rank."""
    if order > n0:
        return 1.0
    type1 = stats.beta.ppf(GRID, n0 + 1 - order, order)
    return float(stats.norm.cdf(stats.norm.isf(type1) - DISTANCE).mean())


def rows_of(n0):
    """Give a row for a band at all alpha, and for one up to each level."""
    whole = bound_rule("simultaneous", "berk_jones", DELTA)
    known, one = whole.level(n0, sides=1), np_order(n0, ALPHA, DELTA)
    for most in (None, *LEVELS):
        rule = bound_rule("simultaneous", "berk_jones", DELTA, most)
        level = rule.level(n0, sides=1)
        at = ALPHA if most is None else min(most, ALPHA)
        if at == ALPHA:
            order, pointwise = int(rule.orders(n0, np.array([ALPHA]))[0]), one
            type2 = f"{expected_type2(n0, order):.4f}"
        else:
            order, pointwise, type2 = "-", "-", "-"
        shown = "all" if most is None else f"{most:g}"
        order = "none" if order == n0 + 1 else order
        bounded = n0 if most is None else rule.most(n0)
        yield (n0, shown, bounded, f"{level:.5f}", f"{level / known:.2f}", order, pointwise, type2)


def main():
    arguments = measure.arguments(sizes=SIZES)
    measure.print_text(
        f"delta = {DELTA}. The local level is the probability with which each single bound on a type I error may fail.",
        f"Ranks and mean type II errors are those of the rule at alpha = {ALPHA}, for normal scores with unit variance",
        f"that are {DISTANCE:g} apart, without simulation. At one alpha fixed beforehand the mean type II error is",
        *[f"{expected_type2(n0, np_order(n0, ALPHA, DELTA)):.4f} ({n0} scores)," for n0 in arguments.sizes[:-1]],
        *[f"{expected_type2(n0, np_order(n0, ALPHA, DELTA)):.4f} ({n0} scores)." for n0 in arguments.sizes[-1:]],
    )
    columns = (
        *("class 0 scores", "alpha up to", "ranks bounded", "local level", "times that of all"),
        *("rank", "rank at one alpha", "type II"),
    )
    measure.print_table(columns, [row for n0 in arguments.sizes for row in rows_of(n0)])


if __name__ == "__main__":
    main()
