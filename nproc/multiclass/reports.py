"""The summaries of classifiers for several classes and of their confusion tables."""

from __future__ import annotations

from nproc.tables import summary_table


def confusion_report(evaluation):
    """Return the confusion table, and for each class the controlled and the total error with intervals."""
    labels = [str(label) for label in evaluation.labels.tolist()]
    per = f"{100 * evaluation.level:g} %"
    rows = []
    for k, label in enumerate(labels):
        counts = [
            f"{count} ({100 * count / n:.1f} %)" if (n := int(evaluation.n[k])) else "-"
            for count in evaluation.counts[k].tolist()
        ]
        alpha, error = evaluation.alphas[k], evaluation.controlled_errors[k]
        shown = "none" if alpha is None else f"{alpha:g}"
        rows.append((label, *counts, shown, _error(error), _error(evaluation.total_errors[k])))
    columns = ["True class", *(f"Called {label}" for label in labels), "alpha", f"Controlled [{per}]", f"Total [{per}]"]
    pairs = [("Rows", int(evaluation.counts.sum())), ("Classes", len(labels))]
    notes = [
        f"Controlled: the share of errors that alpha is about: {evaluation.promise}.",
        "Total: the share of all rows of the class that were called another one. It is estimated here"
        + (
            ", and no bound is promised for it."
            if evaluation.controlled.sum() < len(labels) * (len(labels) - 1)
            else "."
        ),
        "Intervals are Clopper-Pearson's, two-sided. On a finite test set a rate may exceed alpha by chance more often "
        "than the error in the population does.",
    ]
    return summary_table("Confusion table on new data", pairs, columns, rows, notes)


def multi_report(fit):
    """Return a table of levels, thresholds and bounds of each class, and what holds and what does not."""
    labels = [str(label) for label in fit.labels.tolist()]
    ratio = "-" if fit.split_ratio is None else f"{fit.split_ratio:g}"
    pairs = [
        ("Method", fit.method),
        ("Priority", " > ".join(labels)),
        ("Classes", fit.n_classes),
        ("Split ratio", ratio),
        ("Thresholds", fit.scheme),
        ("Score", fit.stage_score or "given"),
        ("Seed", fit.seed),
    ]
    rows = []
    for label, n, rule, caught in zip(labels, fit.n_rows, fit.rules, fit.stage_rules.n_caught, strict=False):
        levels = (f"{rule.alpha:g}", f"{rule.delta:g}")
        kept = rule.value if rule.value > float("-inf") else "none kept"
        rows.append((label, n, rule.n0, *levels, rule.order, kept, rule.violation_rate, rule.type1_upper, caught))
    rows.append((labels[-1], fit.n_rows[-1], *["-"] * 8))
    columns = ["Class", "Rows", "Left out", "alpha", "delta", "Rank", "Threshold", "Violation", "Error upper", "Caught"]
    return summary_table("Neyman-Pearson classifier, several classes", pairs, columns, rows, multi_notes(fit))


def multi_notes(fit):
    """Return what holds for the classifier and what does not, as a list of sentences."""
    notes = [
        "For each class but the last, P(called a class of lower priority | class) <= alpha holds with probability at "
        "least 1 - delta over the draw of its left-out rows (Proposition 1). All these bounds hold at once with "
        f"probability at least {fit.joint_probability:.4f}, the product of 1 - violation rate.",
        "Not bounded: the total error of a class after the first, since rows called a class of *higher* priority are "
        "errors too, and every error of the last class. Use evaluate() on new rows to estimate them.",
        "Violation: the chance, reached by the rank, that the error exceeds alpha. Error upper: a bound on "
        "P(called lower | class) that holds except with chance delta. Caught: left-out rows of the class that an "
        "earlier stage calls a class of higher priority.",
    ]
    if fit.scheme == "joint":
        notes.append(
            "Thresholds are joint: rows caught earlier can no longer be called too low, and count as kept. The "
            "violation rate is exact for continuous scores as long as fewer than 1 - alpha of the class are caught."
        )
    else:
        notes.append(
            "Thresholds are separate, as in the paper: each holds for its own stage alone, and so more than holds for "
            "rows called lower."
        )
    silent = [str(fit.labels[j]) for j, rule in enumerate(fit.rules) if rule.value == float("-inf")]
    if silent:
        notes.append(f"No row is ever called {', '.join(silent)}: {NEVER_CALLED}")
    return notes


NEVER_CALLED = (
    "so many of its left-out rows are called a class of higher priority that its bound holds with nothing kept. Raise "
    "the alpha of the classes before it, or use scheme='separate'."
)


def cost_report(fit):
    """Return a table of the levels, multipliers and costs of a cost-sensitive fit, and what holds and what does not."""
    labels = [str(label) for label in fit.labels.tolist()]
    pairs = [
        ("Method", fit.method),
        ("Variant", {"cx": "CX (convex, plug-in)", "er": "ER (held-out errors)"}[fit.variant]),
        ("Classes", len(labels)),
        ("Rows", sum(fit.n_rows)),
        ("Feasible as estimated", fit.feasible),
        ("Dual value", fit.dual_value),
        ("Dual gap", "-" if fit.gap is None else f"{fit.gap:.1e}"),
        ("Seed", fit.seed),
    ]
    rows = []
    for k, label in enumerate(labels):
        alpha = fit.alphas[k]
        shown = "none" if alpha is None else f"{alpha:g}"
        rows.append((label, fit.n_rows[k], fit.weights[k], shown, fit.lam[k], fit.costs[k], fit.estimated_errors[k]))
    columns = ["Class", "Rows", "Weight", "alpha", "lambda", "Cost", "Error on these rows"]
    which = "the held-out rows that chose lambda" if fit.variant == "er" else "the training rows"
    notes = [
        "No probability is promised: the levels are aimed at through estimated probabilities, and in simulations the "
        "true error of a class exceeded its alpha in 42 to 75 % of the samples. npc_multiclass gives a bound.",
        f"Error on these rows: the share of rows of the class called another one, on {which}; it is too low where the "
        "model overfits.",
        "A row is called the class with the largest cost x estimated probability; cost = (weight + lambda) / share of "
        "the class.",
    ]
    if not fit.feasible:
        notes.insert(1, fit.diagnosis)
    title = "Cost-sensitive Neyman-Pearson classifier, several classes"
    return summary_table(title, pairs, columns, rows, notes)


def _error(error):
    if error is None or error.rate is None:
        return "-"
    return f"{error.rate:.4f} [{error.lower:.4f}, {error.upper:.4f}]"
