"""The summaries of comparisons, and in words what each speaks of and how sure it is.

A report reads the plain attributes of a result and knows nothing of its class.
"""

from __future__ import annotations

from nproc.tables import summary_table

LESS_POWER = (
    " These compare scores at true type I errors, which takes more rows; about='rules' compares the classifiers as "
    "they stand, as pointwise regions do."
)
TITLES = {
    "pointwise": "Dominance between NP-ROC bands",
    "simultaneous": "Simultaneous regions of dominance",
    "paired": "Simultaneous regions of dominance, paired rows",
}
# with few degrees of freedom Student's law is far off where the differences have heavy tails
FEW_SPLITS = (
    " {} splits are few: in simulations of equal methods with 2 to 5, where the threshold was one of the two largest "
    "class 0 scores, p was at most 0.05 in 5 to 8 % of the samples. Take ten or more."
)


def target_of(comparison):
    """Return in a few words what the regions speak of, for a picture."""
    what = f"fitted {comparison.about}, not procedures"
    if comparison.kind == "pointwise":
        return f"{what}; each alpha by itself"
    return f"{what}; all alpha at once, delta = {comparison.delta:g}"


def statement_of(comparison):
    """Return what the regions say, of what, and with which probability."""
    delta, n = comparison.delta, len(comparison.bands)
    if comparison.kind == "pointwise":
        return (
            "The regions speak of the fitted rules (this training, these thresholds), not of the methods as "
            "procedures: at one alpha fixed beforehand, for one split, the worse of two fitted rules is called better "
            f"with probability at most 2 delta = {2 * delta:g} (of two equal ones, each with that); not for all alpha "
            "at once."
        )
    how = {
        "simultaneous": f"Simultaneous bounds at delta / {n} each do not overlap.",
        "paired": "Exact sign tests on the same class 1 rows, with Holm's procedure.",
    }[comparison.kind]
    promise = f"with probability at least {1 - delta:g} no region is false, for all alpha and all pairs at once. {how}"
    if comparison.about == "scores":
        return (
            "The regions speak of the fitted scores (this training; each with the threshold that has a type I error of "
            f"alpha), not of the methods as procedures: {promise}"
        )
    return (
        "The regions speak of the fitted rules (this training, these thresholds), not of the scores or of the methods "
        f"as procedures: {promise} Of equally good scores one rule is the better one by the chance of its threshold, "
        "and may be called so."
    )


def comparison_report(comparison):
    """Return a table of the regions that prints like those of statsmodels."""
    class0 = next((str(b.subject.labels[0]) for b in comparison.bands if b.subject is not None), "-")
    pairs = [
        ("Methods", ", ".join(comparison.names)),
        ("Class 0 (controlled)", class0),
        ("delta", f"{comparison.delta:g}"),
        ("Compared", f"fitted {comparison.about}"),
        ("Splits", ", ".join(str(b.n_splits) for b in comparison.bands)),
        ("Regions", f"{len(comparison.intervals)}, {comparison.kind}"),
    ]
    rows = [(r.better, r.worse, f"{r.alpha_low:.4f}", f"{r.alpha_high:.4f}") for r in comparison.intervals]
    notes = [comparison.statement]
    if comparison.kind == "pointwise":
        notes.append("A method dominates at alpha if its band there lies wholly above the other's.")
    simultaneous = comparison.bands[0].simultaneous
    when = "for one split, " + ("for all alpha at once, " if simultaneous else "at one alpha fixed beforehand, ")
    notes.append(
        f"A method chosen here has looked at its own threshold rows: {when}its type I error exceeds alpha with "
        f"probability at most {len(comparison.bands)} delta, not delta"
        + ("." if simultaneous else ", and not at an alpha chosen here as well.")
        + " Use other rows for the final classifier, or a smaller delta."
    )
    if any(b.n_splits > 1 for b in comparison.bands):
        notes.append("Some bands are averages over splits, for which no proof exists.")
    if not rows:
        rows = [("none", "none", "-", "-")]
        more = LESS_POWER if comparison.about == "scores" else ""
        notes.append(f"No region does not mean that the methods are equally good.{more}")
    columns = ["Better", "Worse", "alpha from", "alpha to (below)"]
    return summary_table(TITLES[comparison.kind], pairs, columns, rows, notes)


def procedures_report(result):
    """Return a table of differences between procedures that prints like those of statsmodels."""
    pairs = [
        ("Methods", ", ".join(result.names)),
        ("Class 0 (controlled)", str(result.labels[0])),
        ("Compared", "procedures"),
        ("Splits", result.n_splits),
        ("delta", f"{result.delta:g}"),
        ("Rows that train", result.n_train),
        ("Rows left out", result.n_left_out),
        ("Seed", result.seed),
    ]
    percent = f"{100 * result.level:g}%"
    columns = ["Methods", "alpha", "Difference", "Std. err.", f"{percent} low", f"{percent} high", "p", "p adj."]
    rows = [
        (
            f"{d.first} - {d.second}",
            f"{d.alpha:g}",
            d.difference,
            d.std_error,
            d.lower,
            d.upper,
            d.p_value,
            d.p_adjusted,
        )
        for d in result.differences
    ]
    means = ", ".join(
        f"{name} {' / '.join(f'{value:.3f}' for value in result.type2[:, k].mean(axis=0))}"
        for k, name in enumerate(result.names)
    )
    notes = [
        "Difference of mean type II errors, first minus second, of the methods as procedures: trained on other samples "
        f"of {result.n_train} rows, with a threshold at the rank of npc. Approximate, without proof: t test with the "
        "corrected variance of Nadeau and Bengio (2003) for splits that share rows."
        + (FEW_SPLITS.format(result.n_splits) * (result.n_splits < 10)),
        "Each interval is for its difference alone; p adj. is Holm's, for all pairs and levels together.",
        f"Mean type II errors{' (by alpha)' if result.alpha.size > 1 else ''}: {means}.",
    ]
    return summary_table("Comparison of procedures, approximate", pairs, columns, rows, notes)
