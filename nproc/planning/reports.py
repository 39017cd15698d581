"""The summaries of plans, as tables that print like those of statsmodels."""

from __future__ import annotations

from nproc.orderstat import round_up
from nproc.tables import summary_table


def law_report(law):
    """Return a table of one rank and the law of its type I error."""
    low, high = law.quantile([0.05, 0.95]).tolist()
    pairs = [
        ("Left-out class 0 rows", law.n0),
        ("alpha", f"{law.alpha:g}"),
        ("delta", f"{law.delta:g}"),
        ("Rank", law.order),
        ("Violation rate", law.violation_rate),
        ("Expected type I error", law.type1_mean),
        ("Price, alpha less that", law.price),
        ("90 % of samples between", f"{low:.4f} and {high:.4f}"),
        ("Type I upper", law.type1_upper),
        ("Least share of power", law.power_share),
    ]
    return summary_table("Law of the type I error", pairs, notes=[_LAW, _SHARE])


def plan_report(plan):
    """Return a table of the sizes of a plan and of what each buys."""
    asked = "smallest size" if plan.power is None else f"{plan.power:g} of the oracle's"
    pairs = [
        ("alpha", f"{plan.alpha:g}"),
        ("delta", f"{plan.delta:g}"),
        ("Power", asked),
        ("Class 0 rows left out", plan.n0),
        ("Class 0 rows in all", f"{plan.rows} (split ratio {plan.split_ratio:g})"),
        ("Rank", plan.order),
        ("Expected type I error", plan.type1_mean),
        ("Price, alpha less that", plan.price),
    ]
    columns = ["Left out", "", "Rank", "Violation rate", "E type I", "Least share"]
    if plan.has_pilot:
        pairs += [("Type II of the oracle", plan.type2_oracle), ("Price in type II error", plan.type2_price)]
        columns.append("E type II")
    if plan.curve.has_bounds:
        columns += ["lower", "upper"]
    sizes = {plan.n0_min: "a rule exists", plan.n0_first: "first with the power", plan.n0: "from here on"}
    frame = plan.to_frame(sorted(sizes))
    names = ["order", "violation_rate", "type1_mean", "power_share"]
    names += [name for name in ("type2_mean", "type2_lower", "type2_upper") if name in frame.columns]
    values = zip(*(frame[name].tolist() for name in ["n0", *names]), strict=True)
    rows = [(n, sizes[n], *rest) for n, *rest in values]
    notes = [
        f"Pilot: {plan.curve.name}.",
        "The rule: class 1 when the score exceeds the order statistic of that rank. The bound on the type I error "
        "holds at each of these sizes; they differ in power alone.",
        "Oracle: the threshold of the same score with type I error alpha exactly.",
        _LAW,
        _SHARE,
        "From here on: this and every larger number has the power. Some between the first and this one fall short, "
        "since the rank steps.",
    ]
    if plan.curve.has_bounds:
        notes.append(
            f"Lower and upper bound the expected type II error of the pilot's score at all sizes together, except with "
            f"chance {plan.level:g}. E type II is an estimate. A score trained on more rows may be better."
        )
    return summary_table("Plan: class 0 rows", pairs, columns, rows, notes)


def support_report(support):
    """Return a table of the levels that given rows support."""
    pairs = [
        ("Class 0 rows left out", support.n0),
        ("Class 0 rows in all", "-" if support.rows is None else support.rows),
        ("Split ratio", "-" if support.split_ratio is None else f"{support.split_ratio:g}"),
        ("alpha", f"{support.alpha:g}"),
        ("delta", f"{support.delta:g}"),
        ("Least alpha at this delta", round_up(support.smallest_alpha)),
        ("Least delta at this alpha", round_up(support.smallest_delta)),
        ("Rank at both", "none" if support.order is None else support.order),
        ("Left-out rows needed", support.n0_min),
    ]
    note = "Both least levels are those of the largest left-out score as the threshold. Rounded up."
    return summary_table("What these class 0 rows support", pairs, notes=[note])


def split_report(choice):
    """Return a table of split ratios and their expected type II errors."""
    pairs = [
        ("Method", choice.method),
        ("Class 0 rows of the study", choice.rows),
        ("Class 0 rows of the pilot", choice.pilot_rows),
        ("alpha", f"{choice.alpha:g}"),
        ("delta", f"{choice.delta:g}"),
        ("Best split ratio", f"{choice.split_ratio:g}"),
        ("Folds", f"{choice.n_folds} x {choice.n_repeats}"),
        ("Seed", choice.seed),
    ]
    frame = choice.to_frame()
    columns = ["Ratio", "Train", "Left out", "Rank", "E type I", "E type II", "se", "Beyond the pilot"]
    rows = list(frame.itertuples(index=False, name=None))
    notes = [
        "E type II: expectation over the left-out rows (exact law of the rank) of the cross-validated ROC curve of a "
        "scorer trained on so many class 0 rows, by an inverse power law fitted to the training sizes of the pilot: "
        f"limit + slope / size^{choice.rate:g}. Class 1 rows as many as in the pilot.",
        "An estimate with an assumption, and no bound. Beyond the pilot: the training size is smaller or larger than "
        "all that the pilot could show, so that the law extrapolates. se: over repeats of the folds; it does not tell "
        "how far another pilot would differ.",
    ]
    return summary_table("Plan: split ratio", pairs, columns, rows, notes)


_LAW = "The type I error of the rule is Beta(n + 1 - rank, rank), exactly so for continuous scores."
_SHARE = (
    "Least share: E min(1, type I error / alpha), a lower bound on the expected power as a share of the oracle's "
    "for every continuous score with a concave ROC curve."
)
