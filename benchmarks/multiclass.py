"""How often are the error levels of npc_multiclass and of npcs exceeded with three classes?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.linear_model import LogisticRegression

from nproc import npc_multiclass
from nproc.multiclass import npcs

REPETITIONS = 100
SIZES = (100, 300, 1000)
N_TEST = 20_000
ALPHA, DELTA = 0.1, 0.1
# Example 1 of Tian and Feng
MEANS = np.array([[-1.0, 2, 1, 1, 1], [1, 1, 0, 2, 0], [2, -1, -1, 0, 0]])


def draw(n, seed):
    codes = np.repeat([0, 1, 2], n)
    return MEANS[codes] + np.random.default_rng(seed).standard_normal((3 * n, 5)), codes


def methods(X, y, seed):
    """Yield a name, the fit, and whether it was told to be infeasible."""
    model = LogisticRegression(C=np.inf, max_iter=10_000)
    for scheme in ("joint", "separate"):
        call = {"alphas": ALPHA, "deltas": DELTA, "scheme": scheme, "random_state": seed}
        yield f"npc_multiclass, {scheme}", npc_multiclass(X, y, model, **call), False
        own = npc_multiclass(X, y, model, stage_score="own", **call)
        yield f"npc_multiclass, {scheme}, own probability", own, False
    for variant in ("cx", "er"):
        fit = npcs(X, y, model, alphas={0: ALPHA, 1: ALPHA}, variant=variant, random_state=seed)
        yield f"npcs, {variant}", fit, not fit.feasible


def one_data_set(n, test, seed):
    """Return ``{method: (called lower and total error of classes 0 and 1, error of class 2, infeasible)}``."""
    found = {}
    with warnings.catch_warnings():
        # of separation and of levels out of reach, which are counted
        warnings.simplefilter("ignore")
        for name, fit, infeasible in methods(*draw(n, seed), seed):
            rates = fit.evaluate(*test).rates
            lower = [rates[0, 1:].sum(), rates[1, 2]]
            found[name] = [*lower, *(1 - np.diag(rates)), float(infeasible)]
    return found


def main():
    repetitions = measure.arguments(repetitions=REPETITIONS).repetitions
    test = draw(N_TEST, 10**6)
    rows = []
    for n in SIZES:
        runs = measure.repeat(one_data_set, (n, test), repetitions, label=f"multiclass, n = {n}")
        for name in runs[0]:
            values = np.array([run[name] for run in runs])
            over = (values[:, :4] > ALPHA).mean(axis=0)
            mean = values.mean(axis=0)
            rows.append(
                (
                    n,
                    name,
                    f"{over[0]:.2f}, {over[1]:.2f}",
                    f"{over[2]:.2f}, {over[3]:.2f}",
                    f"{mean[3]:.3f}",
                    f"{mean[4]:.3f}",
                    f"{mean[5]:.2f}",
                )
            )
    measure.print_text(
        f"Three normal classes in five dimensions, n rows each, multinomial logistic model, {repetitions} samples.",
        f"Levels {ALPHA} for classes 0 and 1: of rows called lower, each with delta = {DELTA} (npc_multiclass),",
        f"of total errors (npcs). Errors are shares of {N_TEST:,} new rows of each class.",
    )
    columns = (
        "n",
        "method",
        "called lower: share of samples over the level, classes 0 and 1",
        "total error: share over",
        "total error of class 1",
        "error of class 2",
        "told infeasible",
    )
    measure.print_table(columns, rows)
    measure.print_text("The standard error of a share of .1 over 100 samples is .03, of one of .5 it is .05.")


if __name__ == "__main__":
    main()
