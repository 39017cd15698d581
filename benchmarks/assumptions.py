"""How often does each check of `fit.check_assumptions` speak up, where all assumptions hold and where one is broken?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from mapie.exchangeability_testing import OnlineMartingaleTest
from scipy import stats

from nproc import npc

REPETITIONS = 120
# a level is measured by more samples than a power
MORE = 8
ALPHA = DELTA = LEVEL = 0.05
N0, N1, N_NEW, CLUSTER = 400, 200, 200, 5
NAMES = ("trend", "change", "martingale", "new_scores", "new_errors", "clusters")
# what is broken, and how strongly
WORLDS = (
    ("all holds", 0),
    ("drift", 0.25),
    ("drift", 0.5),
    ("drift", 1.0),
    ("change", 0.2),
    ("change", 0.4),
    ("change", 0.8),
    ("shifted new rows", 0.1),
    ("shifted new rows", 0.2),
    ("shifted new rows", 0.4),
    ("clusters", 0.1),
    ("clusters", 0.3),
    ("clusters", 0.6),
)
PEERS = {
    "trend": "Kendall's tau, scipy",
    "martingale": "jumper, MAPIE",
    "new errors": "binomial test of the mean share",
    "clusters": "F test, scipy",
}
PEER_WORLDS = {
    "trend": (("drift", 0.5), ("change", 0.4)),
    "martingale": (("drift", 0.5), ("change", 0.4)),
    "new_errors": (("shifted new rows", 0.2), ("shifted new rows", 0.4)),
    "clusters": (("clusters", 0.1), ("clusters", 0.3)),
}


def class0(world, strength, rng):
    """Return class 0 rows of the fit, and the mean of those to come; each has variance 1 given its time."""
    X, t = rng.normal(size=(N0, 2)), np.arange(N0)[:, None]
    if world == "drift":
        return X + strength * t / N0, strength
    if world == "change":
        return X + strength * (t >= N0 // 2), strength
    if world == "clusters":
        shared = np.repeat(rng.normal(size=(N0 // CLUSTER, 2)), CLUSTER, axis=0)
        X = np.sqrt(strength) * shared + np.sqrt(1 - strength) * X
    return X, strength if world == "shifted new rows" else 0.0


def one_sample(world, strength, seed):
    """Return which checks, and which tests of others, speak up at the level; and whether the bound is broken."""
    rng = np.random.default_rng(seed)
    X0, mean = class0(world, strength, rng)
    X = np.concatenate([X0, rng.normal(2, 1, size=(N1, 2))])
    y = np.repeat([0, 1], [N0, N1])
    fit = npc(X, y, "lda", alpha=ALPHA, delta=DELTA, random_state=seed)
    new = rng.normal(mean, 1, size=(N_NEW, 2))
    found = fit.check_assumptions(new, clusters=np.arange(N0) // CLUSTER, X=X, y=y, n_permutations=199)
    at0, *at_units = fit.scorers[0].decision_function(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    weights = np.array(at_units) - at0
    type1 = stats.norm.sf((fit.thresholds[0] - at0 - mean * weights.sum()) / np.linalg.norm(weights))
    shares = {name: getattr(found, name).against for name in NAMES} | {"broken": bool(type1 > ALPHA)}
    return shares | peers(fit, found, X0)


def peers(fit, found, X0):
    """Return which tests of other packages speak up on the same scores."""
    scores = fit.scores0[0]
    errors, one = found.new_errors.by_split[0], {}
    one["trend"] = stats.kendalltau(np.arange(scores.size), scores).pvalue <= LEVEL
    test = OnlineMartingaleTest(task="regression", test_level=LEVEL, warn=False, random_state=1)
    path = [
        test.update_simple_jumper_martingale(test.compute_p_value(score, scores[:i])) for i, score in enumerate(scores)
    ]
    one["martingale"] = max(path) >= 1 / LEVEL
    one["new errors"] = stats.binomtest(errors.n_above, errors.n_new, errors.expected, "greater").pvalue <= LEVEL
    # the row of each left-out score, and so its cluster
    rows = np.abs(fit.scorers[0].decision_function(X0)[:, None] - scores).argmin(axis=0)
    groups = [scores[rows // CLUSTER == cluster] for cluster in np.unique(rows // CLUSTER)]
    one["clusters"] = stats.f_oneway(*groups).pvalue <= LEVEL
    return {f"peer: {key}": bool(value) for key, value in one.items()}


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        f"Samples of {N0} class 0 and {N1} class 1 rows of two normal columns, lda, one split, alpha = delta =",
        f"{ALPHA}, {N_NEW} new class 0 rows. The share of the samples in which each check speaks against its",
        f"assumption, at the level {LEVEL}. Drift is the way of both means from the first row to the last, change is a",
        "jump of them half way, both in standard deviations, and the new rows are like the last ones. Clusters is the",
        f"correlation of {CLUSTER} neighbouring rows, so that the check of clusters sees a drift, too. Bound broken is",
        "the share with a type I error above alpha for rows like the new ones: delta at most where all holds.",
    )
    runs = {
        (world, strength): measure.repeat(
            one_sample,
            (world, strength),
            arguments.repetitions * (1 if strength else MORE),
            label=f"assumptions: {world}, {strength}",
        )
        for world, strength in WORLDS
    }
    table = [
        (world, strength, len(found), *(f"{np.mean([one[name] for one in found]):.3f}" for name in (*NAMES, "broken")))
        for (world, strength), found in runs.items()
    ]
    words = [name.replace("_", " ") for name in NAMES]
    measure.print_table(("broken", "strength", "samples", *words, "bound broken"), table)
    measure.print_text(
        "The same samples and scores by tests of other packages. The binomial test takes the mean share of new rows",
        "above the threshold, as the rank gives it, for the type I error itself: it has no level, since the error of",
        "the threshold at hand varies about it.",
    )
    table = []
    for key, name in PEERS.items():
        own = key.replace(" ", "_")
        for world, strength in (WORLDS[0], *PEER_WORLDS[own]):
            found = runs[world, strength]
            shares = [np.mean([one[column] for one in found]) for column in (f"peer: {key}", own)]
            table.append((name, key, world, strength, *(f"{share:.3f}" for share in shares)))
    measure.print_table(("peer", "check", "broken", "strength", "peer's share", "share of the check"), table)


if __name__ == "__main__":
    main()
