"""How near to half should the size be that `split_ratio="auto"` leaves out, and by which rule is it chosen?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from nproc import min_class0_size, np_order, violation_rate
from nproc.simulate import GaussianWorld
from nproc.splitting import auto_left_out

REPETITIONS = 100
# data sets of the largest sizes, which vary little
REPETITIONS_OF_LARGE, LARGE = 25, 1500
SIZES = (60, 90, 120, 150, 180, 220, 290, 300, 400, 500, 1000, 2000, 5000)
LEVELS = ((0.05, 0.05), (0.05, 0.01))
# by method and number of predictors: what the rows that train are worth, most to qda, which estimates two covariances
SETTINGS = {
    (method, p): GaussianWorld([0] * p, [shift] * p)
    for method, p, shift in (("lda", 2, 1.5), ("lda", 20, 0.6), ("lda", 50, 0.4), ("qda", 20, 0.6))
}
# few class 0 rows that train for many predictors: (class 0 rows, method, predictors, shift)
SCARCE = (
    (150, "qda", 30, 0.6),
    (150, "qda", 45, 0.745),
    (220, "qda", 60, 0.6),
    (150, "lda", 180, 0.447),
    (220, "lda", 300, 0.462),
)
# rows of class 1 that estimate the type II error of qda, which has no formula
TEST_ROWS = 20_000
# largest distance from half, as a multiple of 1 / alpha
NEAR = {
    "half": 0,
    "within 0.5 / alpha": 0.5,
    "within 1 / alpha": 1,
    "within 2 / alpha": 2,
    "within 3 / alpha": 3,
    "anywhere": None,
}
CLOSEST, DEFAULT = "v closest to delta, within 1 / alpha", "auto (default)"


def average_of(size, alpha, delta):
    """Return the type I error on average of the threshold of so many left-out scores."""
    return (size - np_order(size, alpha, delta) + 1) / (size + 1)


def sizes_of(n0, alpha, delta):
    """Return the number of left-out rows by each rule, by name."""
    half, least = n0 - round(n0 / 2), min_class0_size(alpha, delta)
    found = {}
    for rule, near in NEAR.items():
        reach = n0 if near is None else round(near / alpha)
        sizes = range(max(half - reach, least), min(half + reach, n0 - 5) + 1)
        if len(sizes):
            found[rule] = max(sizes, key=lambda size: (average_of(size, alpha, delta), -abs(size - half)))
    reach = round(1 / alpha)
    sizes = range(max(half - reach, least), min(half + reach, n0 - 5) + 1)
    if len(sizes):
        found[CLOSEST] = max(sizes, key=lambda m: violation_rate(np_order(m, alpha, delta), m, alpha))
        found[DEFAULT] = auto_left_out(n0, alpha, delta)
    return found


def one_data_set(n0, setting, alpha, delta, sizes, seed):
    """Return the type II error for each number of left-out rows; the rows that train are nested in each other."""
    method, p, *shift = setting
    world = GaussianWorld([0] * p, shift * p) if shift else SETTINGS[setting]
    sample = world.sample_classes(n0, n0, seed)
    rows0 = np.random.default_rng([seed, n0]).permutation(np.flatnonzero(sample.y == 0))
    if method == "qda":
        test = world.sample_classes(1, TEST_ROWS, 10**6 + seed)
        X1 = test.X[test.y == 1]
    found = []
    for size in sizes:
        rows = np.concatenate([rows0[size:], np.flatnonzero(sample.y == 1)])
        X, y, left_out = sample.X[rows], sample.y[rows], sample.X[rows0[:size]]
        if method == "lda":
            weights = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
            found.append(world.type2(weights, cut(left_out @ weights, alpha, delta)))
        elif rows0.size - size <= p:
            # no covariance of class 0 can be estimated
            found.append(1.0)
        else:
            scores = QuadraticDiscriminantAnalysis(tol=1e-9).fit(X, y).decision_function
            found.append(np.mean(scores(X1) <= cut(scores(left_out), alpha, delta)))
    return found


def cut(scores0, alpha, delta):
    """Return the threshold of these left-out scores."""
    return np.sort(scores0)[np_order(scores0.size, alpha, delta) - 1]


def main():
    arguments = measure.arguments(repetitions=REPETITIONS, sizes=SIZES)
    measure.print_text(
        "Two normal classes in 2, 20 and 50 predictors, as many rows of class 1 as of class 0. All rules but half",
        'take, of the sizes near half, the one with the largest average type I error; "v closest to delta" takes the',
        "one with the largest violation rate. Differences are paired. The type II errors of lda are exact, given the",
        f"rule. Those of qda are estimated on {TEST_ROWS:,} rows, and are 1 where no more rows train than there are",
        "predictors. It estimates two covariances, so that the rows that train are worth most to it.",
    )
    settings, table = {}, []
    for alpha, delta in LEVELS:
        for n0 in arguments.sizes:
            rules = sizes_of(n0, alpha, delta)
            sizes = sorted(set(rules.values()))
            for method, p in SETTINGS:
                if DEFAULT not in rules:
                    table.append((delta, n0, method, p, "needs more rows", *["-"] * 4))
                    continue
                repetitions = arguments.repetitions if n0 < LARGE else min(arguments.repetitions, REPETITIONS_OF_LARGE)
                label = f"left_out_size: {n0} rows, {method}, {p} predictors, delta = {delta}"
                shared = (n0, (method, p), alpha, delta, tuple(sizes))
                runs = measure.repeat(one_data_set, shared, repetitions, label=label)
                type2 = dict(zip(sizes, np.array(runs).T, strict=True))
                settings[delta, n0, method, p] = {rule: type2[size] for rule, size in rules.items()}
                half = type2.get(rules.get("half"))
                for rule in ("half", DEFAULT):
                    if rule not in rules:
                        continue
                    errors, v = (
                        type2[rules[rule]],
                        violation_rate(np_order(rules[rule], alpha, delta), rules[rule], alpha),
                    )
                    less = (
                        "-"
                        if half is None or rule == "half"
                        else f"{(errors - half).mean():+.3f} ({se(errors - half):.3f})"
                    )
                    table.append((delta, n0, method, p, rule, rules[rule], f"{v:.4f}", f"{errors.mean():.3f}", less))
    columns = ("delta", "class 0 rows", "method", "predictors", "rule", "left out", "v", "type II", "less half (s.e.)")
    measure.print_table(columns, table)
    measure.print_text(
        "Over the settings where half has a threshold: type II error less that of the best rule of the setting, and",
        "less that of half; and the largest excess over half in standard errors.",
    )
    summary = []
    for method in ("lda", "qda"):
        full = [errors for (*_, used, _), errors in settings.items() if used == method and "half" in errors]
        for rule in (*NEAR, CLOSEST, DEFAULT):
            behind = [errors[rule].mean() - min(each.mean() for each in errors.values()) for errors in full]
            against = [errors[rule] - errors["half"] for errors in full]
            excess = max((d.mean() / se(d) if np.ptp(d) > 0 else 0.0) for d in against)
            means = [d.mean() for d in against]
            figures = (f"{np.mean(behind):.4f}", f"{max(behind):.4f}", f"{np.mean(means):+.4f}", f"{max(means):+.4f}")
            summary.append((method, rule, *figures, f"{excess:.1f}"))
    columns = (
        "method",
        "rule",
        "behind the best, mean",
        "behind, at most",
        "less half, mean",
        "less half, at most",
        "in s.e.",
    )
    measure.print_table(columns, summary)
    measure.print_text("Where few class 0 rows train for many predictors, the default can cost much more than half:")
    alpha, delta = LEVELS[0]
    scarce = []
    for n0, method, p, shift in SCARCE:
        sizes = (n0 - round(n0 / 2), auto_left_out(n0, alpha, delta))
        label = f"left_out_size: {n0} rows, {method}, {p} predictors"
        shared = (n0, (method, p, shift), alpha, delta, sizes)
        half, default = np.array(measure.repeat(one_data_set, shared, arguments.repetitions, label=label)).T
        less = f"{(default - half).mean():+.3f} ({se(default - half):.3f})"
        scarce.append((method, p, n0, *sizes, f"{half.mean():.3f}", f"{default.mean():.3f}", less))
    left, errors = ("half of them", "left out by default"), ("type II, half", "type II, default")
    measure.print_table(("method", "predictors", "class 0 rows", *left, *errors, "less half (s.e.)"), scarce)


def se(values):
    """Return the standard error of a mean."""
    return values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan


if __name__ == "__main__":
    main()
