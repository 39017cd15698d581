"""The summaries of thresholds and fits that assume normal class 0 scores."""

from __future__ import annotations

from nproc.reports import rows_to_show
from nproc.tables import summary_table


def normal_threshold_report(rule):
    """Return a table of a normal threshold and of what it promises under the model."""
    pairs = [
        ("Threshold", rule.value),
        ("Mean", rule.mean),
        ("Standard deviation", rule.sd),
        ("Factor", rule.factor),
        ("Class 0 scores", rule.n0),
        ("alpha", f"{rule.alpha:g}"),
        ("delta", f"{rule.delta:g}"),
        ("Expected type I error", rule.type1_mean),
    ]
    notes = [
        "Assumes normal class 0 scores. Threshold: mean + factor * standard deviation, a one-sided tolerance limit.",
        f"If they are normal, the type I error is at most {rule.alpha:g} with probability {1 - rule.delta:g}, exactly, "
        "over the draw of the class 0 scores. Without normality nothing is promised.",
        "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
    ]
    return summary_table("Normal threshold", pairs, notes=notes)


def normal_fit_notes(fit):
    """Return what holds for a fit with normal thresholds and what does not, as a list of sentences."""
    notes = [
        f"Assumes normal class 0 scores: {fit.n0_left_out} left-out class 0 rows are fewer than the "
        f"{fit.n0_needed} that an order statistic needs at these levels. Threshold: mean + factor * standard "
        "deviation.",
        f"Only if they are normal: P(predict {fit.labels[1]} | {fit.class0}) <= {fit.alpha:g} holds with probability "
        f"{1 - fit.delta:g} over the draw of the left-out class 0 rows, for each single split. They are normal where "
        "class 0 rows are multivariate normal and the score is linear (lda, logistic, penlog, slda). Without "
        "normality nothing is promised; look at check().",
        f"A row is called {fit.labels[1]} (class 1) when its score exceeds the threshold: larger scores mean class 1.",
    ]
    if fit.n_splits > 1:
        notes.append(f"The majority vote of {fit.n_splits} splits has no proof of the same bound, even then.")
    return notes + list(fit.caveats)


def normal_fit_report(fit, *, scorer, max_rows):
    """Return a table of levels, sizes and normal thresholds; `scorer` is a note."""
    pairs = [
        ("Method", fit.method),
        ("Class 0 (controlled)", str(fit.class0)),
        ("Class 1", str(fit.labels[1])),
        ("Class 0 rows", fit.n0),
        ("Class 0 rows left out", fit.n0_left_out),
        ("Class 1 rows", fit.n1),
        ("alpha", f"{fit.alpha:g}"),
        ("delta", f"{fit.delta:g}"),
        ("Assumes", fit.assumption),
        ("Splits", fit.n_splits),
        ("Split ratio", "-" if fit.split_ratio is None else f"{fit.split_ratio:g}"),
        ("Seed", fit.seed),
    ]
    rows = [(j, r.value, r.mean, r.sd, r.factor, r.n0, r.type1_mean) for j, r in enumerate(fit.rules, start=1)]
    columns = ["Split", "Threshold", "Mean", "SD", "Factor", "Of", "E type I"]
    title = "Neyman-Pearson classifier, normal threshold"
    return summary_table(title, pairs, columns, rows, [*normal_fit_notes(fit), scorer], max_rows=rows_to_show(max_rows))


def normality_report(check):
    """Return a table of the tests and of the band."""
    rows = [
        ("Shapiro-Wilk W", check.shapiro, check.shapiro_p),
        ("Anderson-Darling A2", check.anderson, check.anderson_p),
    ]
    pairs = [
        ("Scores", check.n0),
        ("Outside the band", int(check.outside.sum())),
        ("Band holds a normal sample", f"{1 - check.level:.0%}"),
        ("Seed", check.seed),
    ]
    notes = [
        "Null hypothesis: a sample of a normal distribution, mean and variance unknown. A small p-value, or a score "
        "outside the band, speaks against it.",
        "A large p-value is no evidence for it: tests of so few scores have little power. The bound of a normal "
        "threshold depends on the upper tail, of which a small sample shows least.",
    ]
    return summary_table("Are the class 0 scores normal?", pairs, ["Test", "Statistic", "p-value"], rows, notes)
