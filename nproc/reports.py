"""The summaries of results, as tables that print like those of statsmodels.

A report reads the plain attributes of a result and knows nothing of its class; the results call it from
their ``summary``.
"""

from __future__ import annotations

import numpy as np

from nproc.checks import check_count
from nproc.tables import summary_table

VALUE_COLUMNS = ("alpha", "Rank", "Type II lower", "Estimate", "Type II upper")


def evaluation_report(evaluation):
    """Return a table of both errors with their intervals, and the confusion counts."""
    zero, one = (str(v) for v in evaluation.labels.tolist())
    rows = [
        (
            "type I",
            f"{zero} called {one}",
            evaluation.n_false1,
            evaluation.n0,
            *_cells(evaluation.type1, evaluation.type1_interval),
        ),
        (
            "type II",
            f"{one} called {zero}",
            evaluation.n_false0,
            evaluation.n1,
            *_cells(evaluation.type2, evaluation.type2_interval),
        ),
    ]
    per = f"{100 * evaluation.level:g} %"
    return summary_table(
        "Errors on new data",
        [("alpha", evaluation.alpha), ("delta", evaluation.delta)],
        ["Error", "What", "Count", "Of", "Rate", f"{per} low", f"{per} high"],
        rows,
        [
            "Intervals are Clopper-Pearson's, two-sided. The promise of the classifier is about the type I error "
            "in the population; on a finite test set the rate may exceed alpha by chance more often than delta."
        ],
    )


def threshold_report(rule):
    """Return a table of a threshold, its rank and what it promises."""
    pairs = [
        ("Threshold", rule.value),
        ("Rank", rule.order),
        ("Of", rule.n0),
        ("alpha", f"{rule.alpha:g}"),
        ("delta", f"{rule.delta:g}"),
        ("Violation rate", rule.violation_rate),
        ("Type I upper", rule.type1_upper),
        ("Ties", "conservative" if rule.tie_cut is None else f"randomize (cut {rule.tie_cut:.4f})"),
    ]
    notes = [
        "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
        f"The type I error is at most {rule.alpha:g} with probability at least {1 - rule.delta:g} over the draw of the "
        "class 0 scores, if the scoring function never saw their rows (Proposition 1).",
        _rates_note(rule.delta),
    ]
    return summary_table("Neyman-Pearson threshold", pairs, notes=notes)


def values_report(values):
    """Return a table of a band at some levels; it knows neither the method nor delta."""
    frame = values.to_frame()
    rows = [
        # where the upper bound is 1 for want of a classifier, the rank is one more than there are scores
        tuple(row)
        for row in frame[["alpha", "order", "type2_lower", "type2", "type2_upper"]].itertuples(index=False)
    ]
    notes = [
        f"{values.note} An upper bound of 1 at a rank beyond the number of scores: no classifier respects this alpha."
    ]
    return summary_table("NP-ROC band at some levels", [], VALUE_COLUMNS, rows, notes)


def choice_report(choice):
    """Return a table of a level chosen from a band."""
    pairs = [
        ("alpha", choice.shown_alpha),
        ("Guaranteed", choice.guaranteed),
        ("Type II lower", choice.type2_lower),
        ("Type II upper", choice.type2_upper),
    ]
    notes = [f"Criterion: {choice.criterion}.", choice.reason]
    return summary_table("Level chosen from an NP-ROC band", pairs, notes=notes)


def rows_to_show(max_rows):
    """Return how many rows of a table a summary shows, or None for all of them."""
    return None if max_rows is None else check_count(max_rows, "max_rows", minimum=0)


def fit_report(fit, *, scorer, max_rows):
    """Return a table of levels, sizes and thresholds that prints like those of statsmodels; `scorer` is a note."""
    one = "-" if fit.split_ratio is None else f"{fit.split_ratio:g}"
    pairs = [
        ("Method", fit.method),
        ("Class 0 (controlled)", str(fit.class0)),
        ("Class 1", str(fit.labels[1])),
        ("Class 0 rows", fit.n0),
        ("Class 0 rows left out", fit.n0_left_out),
        ("Class 1 rows", fit.n1),
        ("alpha", f"{fit.alpha:g}"),
        ("delta", f"{fit.delta:g}"),
        ("Violation rate", span(fit.violation_rates)),
        ("Splits", fit.n_splits),
        ("Split ratio", one + (" (adaptive)" if fit.ratio_choice is not None else "")),
        ("Seed", fit.seed),
    ]
    rows = [
        (j, rule.value, rule.order, rule.n0, rule.violation_rate, rule.type1_upper)
        for j, rule in enumerate(fit.rules, start=1)
    ]
    columns = ["Split", "Threshold", "Rank", "Of", "Violation rate", "Type I upper"]
    title = "Neyman-Pearson classifier"
    return summary_table(title, pairs, columns, rows, [*fit_notes(fit), scorer], max_rows=rows_to_show(max_rows))


def ratio_report(choice):
    """Return a table of split ratios and their type II errors that prints like those of statsmodels."""
    pairs = [
        ("Split ratio", f"{choice.split_ratio:g}"),
        ("Ratios compared", len(choice.ratios)),
        ("Rows", choice.used.size),
        ("Rows looked at", int(choice.used.sum())),
    ]
    rows = [
        (f"{ratio:g}", error, "chosen" if ratio == choice.split_ratio else "")
        for ratio, error in zip(choice.ratios, choice.type2, strict=True)
    ]
    notes = [
        "Cross-validated type II errors on the rows looked at, for the levels of the call that chose; estimates, of "
        "which the ratio nearest to 1/2 within one standard error of the best is taken.",
        "The rows looked at always train where this choice is given as split_ratio, so that the bound on the type I "
        "error holds as for a ratio fixed beforehand. It does not where the number alone is given on these rows.",
    ]
    return summary_table("Choice of a split ratio", pairs, ["Split ratio", "Type II error", ""], rows, notes)


def band_report(band, *, alphas):
    """Return a table of the band at some levels that prints like those of statsmodels."""
    values, n0 = band.at(alphas), band.n0_left_out
    rows = [
        (a, k if k <= band.n0_left_out else "none", low, mid, up)
        for a, k, low, mid, up in zip(
            values.alpha,
            values.order.tolist(),
            values.type2_lower,
            values.type2,
            values.type2_upper,
            strict=True,
        )
    ]
    pairs = [
        ("Method", band.method),
        ("Class 0 (controlled)", "-" if band.subject is None else str(band.subject.labels[0])),
        ("Class 1", "-" if band.subject is None else str(band.subject.labels[1])),
        ("Class 0 rows left out", band.n0_left_out),
        ("Class 1 rows left out", band.n1_left_out),
        ("delta", f"{band.delta:g}"),
        ("Bounds", band.rule.in_table),
        ("Splits", band.n_splits),
        ("Smallest alpha", f"{band.rule.type1_at(np.array([n0]), n0)[0]:.4g}"),
        ("AUC, lower curve", band.auc_lower),
        ("AUC, upper curve", band.auc_upper),
        ("Seed", "-" if band.seed is None else band.seed),
    ]
    notes = [band.rule.promise()]
    notes.append("Larger scores are taken to mean class 1.")
    if any(row[1] == "none" for row in rows):
        notes.append("Rank none: no rule has this alpha; type II error 1 at most, at least that of the strictest rule.")
    if band.n_splits > 1:
        notes.append(f"Curves are averages over {band.n_splits} splits, for which no proof exists.")
    return summary_table("NP-ROC band", pairs, VALUE_COLUMNS, rows, notes)


def roc_report(curve, *, fpr):
    """Return a table of the curve at some points that prints like those of statsmodels."""
    how = "folds" if curve.metric == "cv" else "subsamples"
    pairs = [
        ("Method", curve.method),
        ("Class 0", str(curve.labels[0])),
        ("Class 1", str(curve.labels[1])),
        ("Curves averaged", f"{curve.n_folds} {how}"),
        ("AUC", curve.auc),
        ("AUC, lowest curve", curve.auc_folds.min()),
        ("AUC, highest curve", curve.auc_folds.max()),
        ("Seed", curve.seed),
    ]
    rows = [(f, t) for f, t in zip(fpr, np.interp(fpr, curve.fpr, curve.tpr), strict=True)]
    notes = [
        "Both axes are estimates. A classifier chosen from this curve at an empirical type I error of alpha has "
        "a true one above alpha about half of the time; see the NP-ROC band for a bound.",
        "Larger scores are taken to mean class 1.",
    ]
    return summary_table("ROC curve, vertical average", pairs, ["Type I error", "1 - type II error"], rows, notes)


def fit_notes(fit):
    """Return what holds for a classifier at an order statistic and what does not, as a list of sentences."""
    if fit.simultaneous or not fit.alpha_chosen:
        source = "and all alpha at once, so that alpha may be chosen on them" if fit.simultaneous else "(Proposition 1)"
        drawn = "class 0 rows" if fit.prefit else "left-out class 0 rows, for each single split"
        promise = (
            f"P(predict {fit.labels[1]} | {fit.class0}) <= {fit.alpha:g} holds with probability at least "
            f"{1 - fit.delta:g} over the draw of the {drawn} {source}."
        )
        if fit.prefit:
            promise += (
                " The scorer came trained (prefit=True): it must not have seen these rows, which nobody can check."
            )
    else:
        promise = "No guarantee on the type I error: see below."
    rates = _rates_note(fit.delta) + (" Both only where alpha is fixed beforehand; here it was not." * fit.alpha_chosen)
    notes = [
        promise,
        _simultaneous_rates_note(fit.delta) if fit.simultaneous else rates,
        f"A row is called {fit.labels[1]} (class 1) when its score exceeds the threshold: larger scores mean class 1.",
    ]
    if fit.n_splits > 1:
        proved = "" if fit.alpha_chosen and not fit.simultaneous else " " + fit.vote_bound().sentence()
        notes.append(
            f"The majority vote of {fit.n_splits} splits has no proof of the same bound; in experiments it keeps it."
            + proved
        )
    if fit.ties == "randomize":
        notes.append("Scores equal to a threshold are called at random, so that the violation rate is exact.")
    return notes + list(fit.caveats)


def _rates_note(delta):
    return (
        f"Violation rate: the chance, reached by the rank, of a type I error above alpha (at most delta = {delta:g}). "
        "Type I upper: a bound that holds except with chance delta."
    )


def _simultaneous_rates_note(delta):
    return (
        f"Type I upper: the bounds of all ranks hold at once except with chance delta = {delta:g}, so also that of a "
        "rank chosen on these rows. Violation rate: the chance of a type I error above alpha, if alpha was fixed "
        "beforehand."
    )


def span(values):
    """Return one number as text, or the lowest and the highest of several."""
    low, high = values.min(), values.max()
    text = (lambda v: f"{v:d}") if values.dtype.kind == "i" else (lambda v: f"{v:.4f}")
    return text(low) if low == high else f"{text(low)} to {text(high)}"


def _cells(rate, interval):
    return ("-", "-", "-") if rate is None else (rate, interval.lower, interval.upper)
