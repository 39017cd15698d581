"""The summaries of thresholds and classifiers by group, and of those from clusters."""

from __future__ import annotations

from nproc.reports import fit_notes, rows_to_show, span
from nproc.tables import summary_table

GROUP_COLUMNS = ["Group", "Class 0 left out", "Rank", "Threshold", "Violation rate", "Type I upper"]


def group_thresholds_report(result):
    """Return a table with a row a group, and what is promised."""
    pairs = [
        ("Thresholds", _kind(result.pooled)),
        ("Groups", len(result.groups)),
        ("alpha", f"{result.alpha:g}"),
        ("delta", f"{result.delta:g}"),
        ("delta of each group", f"{result.group_delta:.4g}"),
        ("Violation rate, any group", result.violation_rate),
    ]
    rows = list(zip(map(str, result.groups), result.n0, result.orders, result.values, result.violation_rates,
                    result.type1_uppers, strict=True))  # fmt: skip
    notes = [
        "Predict class 1 when the score exceeds the threshold of its group: larger scores are taken to mean class 1.",
        *_group_promise(result.pooled, result.alpha, result.delta),
    ]
    if result.pooled:
        notes.append(f"The threshold is that of the group {result.setter}; ranks are of each group's own scores.")
    return summary_table("Neyman-Pearson thresholds by group", pairs, GROUP_COLUMNS, rows, notes)


def group_fit_report(fit, *, scorer, max_rows):
    """Return a table of levels and sizes with a row for each split and group."""
    pairs = [
        *_head(fit),
        ("Groups", len(fit.group_values)),
        ("Thresholds", _kind(fit.pooled)),
        ("delta of each group", f"{fit.rules[0].group_delta:.4g}"),
        ("Violation rate, any group", span(fit.violation_rate)),
        *_tail(fit),
    ]
    rows, several = [], fit.n_splits > 1
    for j, rule in enumerate(fit.rules, start=1):
        for g, group in enumerate(rule.groups):
            values = (rule.n0[g], rule.orders[g], rule.values[g], rule.violation_rates[g], rule.type1_uppers[g])
            rows.append((str(group), *((j,) if several else ()), *values))
    columns = [GROUP_COLUMNS[0], *(["Split"] if several else []), *GROUP_COLUMNS[1:]]
    title = "Neyman-Pearson classifier, type I error controlled in every group"
    return summary_table(title, pairs, columns, rows, [*group_notes(fit), scorer], max_rows=rows_to_show(max_rows))


def group_notes(fit):
    """Return what holds for a classifier by group and what does not, as a list of sentences."""
    notes = [
        *_group_promise(fit.pooled, fit.alpha, fit.delta),
        f"A row is called {fit.labels[1]} (class 1) when its score exceeds the threshold of its group.",
    ]
    if fit.pooled:
        notes.append("One threshold: the group of a new row is not needed. The ranks are of each group's own scores.")
    notes.append("Nothing is said about groups that the fit did not have, nor about the type II error.")
    return [*notes, *_vote_notes(fit), *fit.caveats]


def group_evaluation_report(evaluation):
    """Return a table with both errors of each group and their intervals."""
    overall = evaluation.overall
    rows = []
    names = [*map(str, evaluation.groups), "all rows"]
    for name, part in zip(names, [*evaluation.parts, overall], strict=True):
        cells = []
        for rate, interval, n in (
            (part.type1, part.type1_interval, part.n0),
            (part.type2, part.type2_interval, part.n1),
        ):
            shown = "-" if rate is None else f"{rate:.4f} [{interval.lower:.4f}, {interval.upper:.4f}]"
            cells += [n, shown]
        rows.append((name, *cells))
    zero, one = (str(value) for value in overall.labels.tolist())
    notes = [
        f"Type I: {zero} called {one}. Intervals are Clopper-Pearson's, two-sided, {100 * overall.level:g} % each, not "
        "for all groups at once. The rate of a finite test set may exceed alpha by chance more often than delta."
    ]
    pairs = [("alpha", f"{overall.alpha:g}"), ("delta", f"{overall.delta:g}")]
    columns = ["Group", "n0", "Type I error", "n1", "Type II error"]
    return summary_table("Errors on new data by group", pairs, columns, rows, notes)


def cluster_fit_report(fit, *, scorer, max_rows):
    """Return a table of levels, rows, clusters and thresholds."""
    pairs = [
        *_head(fit),
        ("Clusters", fit.n_clusters),
        ("Clusters with class 0", fit.n_clusters0),
        ("Of these left out", fit.n0_left_out),
        ("Violation rate", span(fit.violation_rates)),
        *_tail(fit),
    ]
    rows = [
        (j, rule.value, rule.order, rule.n0, rule.violation_rate, rule.type1_upper)
        for j, rule in enumerate(fit.rules, start=1)
    ]
    columns = ["Split", "Threshold", "Rank", "Of", "Violation rate", "Type I upper"]
    title = "Neyman-Pearson classifier from clusters of rows"
    return summary_table(title, pairs, columns, rows, [*cluster_notes(fit), scorer], max_rows=rows_to_show(max_rows))


def cluster_notes(fit):
    """Return what holds for a classifier from clusters and what does not, as a list of sentences."""
    return [
        f"P(predict {fit.labels[1]} | {fit.class0}) <= {fit.alpha:g} holds with probability at least {1 - fit.delta:g} "
        "for a class 0 row drawn at random from a new cluster, if clusters are independent with one distribution: one "
        "row of each left-out cluster, drawn at random, sets the threshold (for each single split; Proposition 1).",
        "It is an average over clusters, large and small counting alike; in a single cluster the type I error may be "
        "higher, and so may that of all rows together where large clusters are harder.",
        *fit_notes(fit)[1:],
    ]


def _head(fit):
    return [
        ("Method", fit.method),
        ("Class 0 (controlled)", str(fit.class0)),
        ("Class 1", str(fit.labels[1])),
        ("Class 0 rows", fit.n0),
        ("Class 1 rows", fit.n1),
        ("alpha", f"{fit.alpha:g}"),
        ("delta", f"{fit.delta:g}"),
    ]


def _tail(fit):
    ratio = "-" if fit.split_ratio is None else f"{fit.split_ratio:g}"
    return [("Splits", fit.n_splits), ("Split ratio", ratio), ("Seed", fit.seed)]


def _kind(pooled):
    return "one for all groups" if pooled else "separate"


def _group_promise(pooled, alpha, delta):
    how = (
        "the threshold is the largest of the groups', each at delta itself, since only the worst group can fail"
        if pooled
        else "each group's threshold at 1 - (1 - delta)^(1/G), and groups independent"
    )
    return [
        f"The type I error is at most {alpha:g} in all groups at once with probability at least {1 - delta:g} over "
        f"the draw of the left-out class 0 rows, for each single split ({how}; Proposition 1).",
        "Violation rate: the chance of a type I error above alpha in the group"
        + (", at most" * pooled)
        + ". Type I upper: bounds that hold in all groups at once except with chance delta.",
    ]


def _vote_notes(fit):
    notes = []
    if fit.n_splits > 1:
        notes.append(f"The majority vote of {fit.n_splits} splits has no proof of the same bound.")
        notes.append(f"In all groups at once: {fit.vote_bound().sentence()}")
    if fit.ties == "randomize":
        notes.append("Scores equal to a threshold are called at random.")
    return notes
