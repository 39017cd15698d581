"""How much type II error does each way to set the threshold cost, and what is proved of it?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nproc import NPWarning, TooFewSamplesError, certify, npc
from nproc.fits import certification_size
from nproc.planning import supported_levels
from nproc.simulate import GaussianWorld

REPETITIONS = 200
# data sets of the largest size, which vary little
REPETITIONS_OF_LARGE = 20
SIZES = (60, 70, 90, 100, 120, 180, 250, 500, 1000, 5000)
ALPHA = DELTA = 0.05
N_TEST = 20_000
# below this number of rows, sizes that the default does not take: each leaves a smaller part of alpha unused
FEW = 200
LARGER_SIZES = supported_levels(124, alpha=ALPHA, delta=DELTA).sizes()["n0_left_out"].tolist()
# shares of the class 0 rows that trained, above the cuts that are certified
CUTS = (0.005, 0.01, 0.02, 0.03, 0.04)
# few predictors and many: what the rows that train are worth
WORLDS = {2: GaussianWorld([0] * 2, [1.5] * 2), 20: GaussianWorld([0] * 20, [0.6] * 20)}
WAYS = {
    "half": ({"split_ratio": 0.5}, "delta"),
    "auto (default)": ({}, "delta"),
    "auto, random rank": ({"rank": "randomize"}, "delta, exactly"),
    "half, random rank": ({"split_ratio": 0.5, "rank": "randomize"}, "delta, exactly"),
    **{f"{n_left} left out": ({"n_left": n_left}, "delta") for n_left in LARGER_SIZES},
    "vote of 11, auto": ({"n_splits": 11}, "nothing at alpha"),
    "random member of 11, auto": ({"n_splits": 11, "vote": "random"}, "delta"),
    "cross-fit, 5 folds": ({"cross_fit": 5}, "nothing at alpha"),
    "averaged, auto": ({"method": "averaged", "scorer": "lda", "n_members": 11}, "delta"),
    # not an npc: see `certified_rule`
    "certify, then use": (None, "delta"),
    **{
        f"{model}, {share} trains": ({"small_sample": name, "split_ratio": share}, f"delta, if {condition}")
        for model, name, condition in (
            ("log-concave tail", "log_concave", "the tail is log-concave"),
            ("normal scores", "normal", "the scores are normal"),
        )
        for share in (0.5, 0.2, 0.1)
    },
}


class CertifiedRule:
    """One scorer trained with half of class 0, at the loosest of its cuts that the other half certifies at alpha."""

    n_splits = 1

    def __init__(self, sample, seed):
        rows0 = np.random.default_rng(seed).permutation(np.flatnonzero(sample.y == 0))
        if rows0.size // 2 < certification_size(ALPHA, DELTA / len(CUTS)):
            raise TooFewSamplesError("too few rows to certify any rule")
        fresh, known = rows0[: rows0.size // 2], rows0[rows0.size // 2 :]
        rows = np.concatenate([known, np.flatnonzero(sample.y == 1)])
        model = LinearDiscriminantAnalysis().fit(sample.X[rows], sample.y[rows])
        cuts = np.quantile(model.decision_function(sample.X[known]), 1 - np.array(CUTS))
        options = {"class0": 0, "alpha": ALPHA, "delta": DELTA, "n_candidates": len(CUTS)}
        good = [
            cut
            for cut in cuts
            if certify(lambda X, cut=cut: model.decision_function(X) > cut, sample.X[fresh], **options).certified
        ]
        # where nothing is certified, every row is called class 0
        self.scorers, self.thresholds, self.n0_left_out = [model], [min(good, default=np.inf)], fresh.size


def errors_of(fit, world, test):
    """Return both true errors of a fit: by formula for one linear rule, and else from many rows."""
    if fit.n_splits > 1 or not hasattr(fit.scorers[0], "coef_"):
        called = fit.predict(test.X)
        return [float(np.mean(called[test.y == c] != c)) for c in (0, 1)]
    weights, cut = fit.scorers[0].coef_[0], fit.thresholds[0] - fit.scorers[0].intercept_[0]
    return [world.type1(weights, cut), world.type2(weights, cut)]


def one_data_set(n0, n_features, tests, seed):
    """Return ``{way: (type I, type II, rows left out)}``, None for a way that needs more rows."""
    world, found = WORLDS[n_features], {}
    sample = world.sample_classes(n0, n0, seed)
    for way, (arguments, _) in WAYS.items():
        given = {"method": "lda"} | (arguments or {})
        if n0 > 60 and "small_sample" in given:
            # an order statistic does without
            continue
        n_left = given.pop("n_left", None)
        if n_left is not None:
            if not n_left < n0 < FEW:
                continue
            given["split_ratio"] = (n0 - n_left) / n0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NPWarning)
            try:
                if arguments is None:
                    fit = CertifiedRule(sample, seed)
                else:
                    fit = npc(sample.X, sample.y, **given, alpha=ALPHA, delta=DELTA, random_state=seed)
            except ValueError:
                found[way] = None
                continue
        found[way] = (*errors_of(fit, world, tests[n_features]), fit.n0_left_out)
    return found


def main():
    arguments = measure.arguments(repetitions=REPETITIONS, sizes=SIZES)
    tests = {p: world.sample_classes(N_TEST, N_TEST, 10**6) for p, world in WORLDS.items()}
    measure.print_text(
        f"Two normal classes whose means are d apart, in 2 predictors (d = {np.hypot(1.5, 1.5):.2f}) and in 20",
        f"(d = {0.6 * np.sqrt(20):.2f}), as many rows of class 1 as of class 0, lda, alpha = delta = {ALPHA}.",
        f"Errors of single linear rules are exact, those of votes and averages are from {N_TEST:,} rows a class.",
    )
    for n_features in WORLDS:
        table = []
        for n0 in arguments.sizes:
            repetitions = arguments.repetitions if n0 < 2000 else min(arguments.repetitions, REPETITIONS_OF_LARGE)
            label = f"power: {n0} rows, {n_features} predictors"
            runs = measure.repeat(one_data_set, (n0, n_features, tests), repetitions, label=label)
            for way, (_, proved) in WAYS.items():
                if way not in runs[0]:
                    continue
                known = [run[way] for run in runs if run[way] is not None]
                if not known:
                    table.append((n0, way, "-", "needs more rows", "-", "-", proved))
                    continue
                type1, type2, left_out = np.array(known).T
                se = type2.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.nan
                table.append(
                    (
                        n0,
                        way,
                        int(left_out[0]),
                        f"{type2.mean():.3f}",
                        f"{se:.3f}",
                        f"{np.mean(type1 > ALPHA):.3f}",
                        proved,
                    )
                )
        measure.print_text(f"{n_features} predictors, up to {arguments.repetitions} data sets of each size:")
        columns = ("class 0 rows", "way", "left out", "type II", "its s.e.", "share above alpha", "proved: fails with")
        measure.print_table(columns, table)
    measure.print_text(
        "The proved level is for the draw of the left-out rows: the type I error exceeds alpha with at most this",
        "probability. Of a majority vote and of cross-fitting nothing is proved at alpha; `NPFit.vote_bound` and",
        "`NPCrossFit.bound` have what is. To certify and then use: one scorer that is trained with half of class 0,",
        f"at the loosest of {len(CUTS)} cuts that the other half certifies; without one, all is called class 0.",
    )


if __name__ == "__main__":
    main()
