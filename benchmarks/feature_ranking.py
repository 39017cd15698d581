"""Which ranking of single features agrees best with the least type II errors under a bound on the type I error?"""

import measure  # isort: skip  (before numpy)
from functools import cache

import numpy as np
from scipy.stats import gaussian_kde, kendalltau, norm, rankdata, ttest_ind
from sklearn.feature_selection import mutual_info_classif

from nproc import rank_features
from nproc.orderstat import np_order
from nproc.splitting import make_splits

REPETITIONS = 20
SIZES = (200, 400, 1600)
ALPHA = DELTA = 0.1
# of the simulated world
LOW = 0.05
# class 0 is standard normal; class 1 is shifted, or more spread out
SHIFTS = np.linspace(0.4, 2.6, 12)
SPREADS = np.linspace(1.5, 9.0, 12)
LEVELS = (0.1, 0.2, 0.3)
TOP = 10
GENES = 200


def population_errors(alpha=LOW):
    """Return the type II error of the best classifier of each feature at alpha, and the least overall error."""
    cut = np.sqrt(2 * np.log(SPREADS) / (1 - SPREADS**-2))
    np_errors = norm.cdf(norm.isf(alpha) - SHIFTS), 2 * norm.cdf(norm.isf(alpha / 2) / SPREADS) - 1
    overall = norm.cdf(-SHIFTS / 2), norm.sf(cut) + norm.cdf(cut / SPREADS) - 0.5
    return np.concatenate(np_errors), np.concatenate(overall)


def one_sample(n, seed):
    """Return Kendall's tau between each ranking of one sample and the two orders of the population."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    X = rng.normal(size=(2 * n, SHIFTS.size + SPREADS.size))
    X[n:, : SHIFTS.size] += SHIFTS
    X[n:, SHIFTS.size :] *= SPREADS
    area = (rankdata(X, axis=0)[n:].sum(axis=0) - n * (n + 1) / 2) / n**2
    badness = {
        "s-NPC": rank_features(X, y, alpha=LOW, delta=DELTA, random_state=seed).scores,
        "s-CC": rank_features(X, y, "classical", random_state=seed).scores,
        "AUC": -np.abs(area - 0.5),
        "t test": -np.abs(ttest_ind(X[:n], X[n:], equal_var=False).statistic),
        "mutual information": -mutual_info_classif(X, y, random_state=seed),
    }
    np_order_of_world, classical = population_errors()
    return {
        name: (kendalltau(bad, np_order_of_world).statistic, kendalltau(bad, classical).statistic)
        for name, bad in badness.items()
    }


@cache
def genes():
    """Return the neuroblastoma rows of both halves, and the names; of the first half the 2040 genes were chosen."""
    # the names are stored as objects
    with np.load(measure.SHARED / "data" / "neuroblastoma_seqc_2040genes.npz", allow_pickle=True) as stored:
        names, X, y = stored["genes"].astype(str), stored["X"].astype(np.float64), stored["y"].astype(np.int64)
        chosen = stored["is_training"] == 1
    return names, {"first": (X[chosen], y[chosen]), "second": (X[~chosen], y[~chosen])}


def kde_loop(X, y, seed):
    """Return s-NPC scores by a plain loop over features and splits, with SciPy's kernel densities."""
    n0 = int(np.sum(y == 0))
    order = np_order(n0 - round(n0 / 2), ALPHA, DELTA)
    scores = np.empty(X.shape[1])
    splits = list(make_splits(y, 11, 0.5, seed, leave_out_class1=True))
    for j, x in enumerate(X.T):
        missed = []
        for split in splits:
            train, labels = x[split.idx_train], y[split.idx_train]
            p0, p1 = gaussian_kde(train[labels == 0]), gaussian_kde(train[labels == 1])
            # densities of 0 as in the package of the authors
            ratio0, ratio1 = (
                np.maximum(p1(x[left]), 1e-88) / np.maximum(p0(x[left]), 1e-88)
                for left in (split.idx_left0, split.idx_left1)
            )
            missed.append(np.mean(ratio1 <= np.sort(ratio0)[order - 1]))
        scores[j] = np.mean(missed)
    return scores


def simulated(sizes, repetitions):
    at_np, at_classical = population_errors()
    agree = kendalltau(at_np, at_classical).statistic
    measure.print_text(
        f"{at_np.size} features, standard normal in class 0. In class 1, {SHIFTS.size} are shifted by {SHIFTS[0]:g}",
        f"to {SHIFTS[-1]:g} and {SPREADS.size} multiplied by {SPREADS[0]:g} to {SPREADS[-1]:g}. The least type II",
        f"error of a feature at a type I error of {LOW:g} (p-NPC) and its least overall error (p-CC) have closed",
        f"forms. Kendall's tau of these two orders is {agree:.3f}. The table has the mean of Kendall's tau between",
        f"each ranking of a sample and the order of the population over {repetitions} samples, with its standard",
        f"error; alpha = {LOW:g}, delta = {DELTA:g}, 11 splits.",
    )
    table = []
    for n in sizes:
        runs = measure.repeat(one_sample, (n,), repetitions, label=f"feature_ranking: {n}", n_jobs=1)
        for name in runs[0]:
            values = np.array([run[name] for run in runs])
            errors = values.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else [np.nan, np.nan]
            shown = [f"{m:.3f} ({e:.3f})" for m, e in zip(values.mean(axis=0), errors, strict=True)]
            table.append((n, name, *shown))
    measure.print_table(("rows of each class", "ranking", "tau with p-NPC", "tau with p-CC"), table)


def real():
    names, halves = genes()
    X, y = halves["second"]
    measure.print_text(
        f"Neuroblastoma: {names.size} genes and the {y.size} rows that had no part in their preselection",
        f"({np.sum(y == 0)} high-risk, class 0); delta = {DELTA:g}, 11 splits. Of the {TOP} genes that are best",
        "by s-NPC, the number that are also among the best by s-CC.",
    )
    classical = rank_features(X, y, "classical", random_state=1)
    best = set(classical.top(TOP))
    rows = [("s-CC", f"{classical.scores.min():.3f}", TOP, ", ".join(names[classical.top(5)]))]
    for alpha in LEVELS:
        ranking = rank_features(X, y, alpha=alpha, delta=DELTA, random_state=1)
        both = len(best & set(ranking.top(TOP)))
        rows.append(
            (f"s-NPC, alpha = {alpha:g}", f"{ranking.scores.min():.3f}", both, ", ".join(names[ranking.top(5)]))
        )
    measure.print_table(("ranking", "best score", f"shared of {TOP}", "best five"), rows)
    measure.print_text(
        "How much too good are the scores of the best? Genes are ranked on one half of these rows, drawn within the",
        "classes, and scored again on the other (mean over 5 draws; alpha = delta = 0.2, because each half has 45",
        "rows of class 0 only).",
    )
    seen, again, all_seen, all_again = [], [], [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        part = np.zeros(y.size, dtype=bool)
        for label in (0, 1):
            rows_of = np.flatnonzero(y == label)
            part[rng.permutation(rows_of)[: rows_of.size // 2]] = True
        one, other = (rank_features(X[p], y[p], alpha=0.2, delta=0.2, random_state=seed) for p in (part, ~part))
        top = one.top(TOP)
        seen.append(one.scores[top].mean())
        again.append(other.scores[top].mean())
        all_seen.append(one.scores.mean())
        all_again.append(other.scores.mean())
    measure.print_table(
        ("genes", "s-NPC where ranked", "s-NPC on other rows"),
        [
            (f"best {TOP}", f"{np.mean(seen):.3f}", f"{np.mean(again):.3f}"),
            ("all", f"{np.mean(all_seen):.3f}", f"{np.mean(all_again):.3f}"),
        ],
    )


def speed(n_genes, runs):
    _, halves = genes()
    X, y = halves["second"]
    X = np.ascontiguousarray(X[:, :n_genes])
    tasks = {
        "rank_features, 11 splits": lambda: rank_features(X, y, alpha=ALPHA, delta=DELTA, random_state=1),
        "loop with scipy.stats.gaussian_kde, 11 splits": lambda: kde_loop(X, y, 1),
        "sklearn mutual_info_classif": lambda: mutual_info_classif(X, y, random_state=1),
    }
    seconds = {name: np.median(times) for name, times in measure.interleave(tasks, runs).items()}
    least = seconds["rank_features, 11 splits"]
    measure.print_text(
        f"Processor time for {n_genes} of these genes and {y.size} rows, in milliseconds a gene, and its ratio to",
        "`rank_features`.",
    )
    table = [(name, f"{1e3 * t / n_genes:.2f}", f"{t / least:.1f}") for name, t in seconds.items()]
    measure.print_table(("ranking", "ms a gene", "ratio"), table)


def main():
    arguments = measure.arguments(repetitions=REPETITIONS, sizes=SIZES, genes=GENES, runs=3)
    simulated(arguments.sizes, arguments.repetitions)
    real()
    speed(arguments.genes, arguments.runs)


if __name__ == "__main__":
    main()
