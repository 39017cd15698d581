"""The table of violation rates beside other packages, from the record of a run."""

from math import sqrt

from sitegen.markdown import table

NAMES = {
    "nproc-py": "nproc-py, `npc`",
    "scikit-learn, power within alpha": "scikit-learn, power where the fold's type I error is at most alpha, else 0",
    "scikit-learn, criterion J": "scikit-learn, `np_score`'s criterion J",
    "MAPIE, default": "MAPIE, defaults (Bonferroni-Holm)",
    "MAPIE, fixed_sequence": 'MAPIE, `fwer_method="fixed_sequence"`',
}


def peers_table(record):
    """Return the table in Markdown."""
    n = record["data_sets"]
    rows = []
    for name, found in record["methods"].items():
        share = found["violations"] / n
        error = sqrt(share * (1 - share) / n)
        rows.append(
            [
                NAMES[name],
                f"{share:.3f} ({error:.3f})",
                f"{found['type1']:.4f}",
                f"{found['type2']:.3f} ({found['type2_sd']:.3f})",
            ]
        )
    return table(["package", "violation rate (standard error)", "mean type I error", "mean type II error (sd)"], rows)


def peers_text(record):
    """Return what the run was, in Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return (
        f"{record['data_sets']} data sets of Simulation 1 (N(0, 1) against N(2, 1), {record['rows']} rows, classes "
        f"equally likely), alpha = {record['alpha']:g}, delta = {record['delta']:g}; each package trains "
        "scikit-learn's logistic regression on the same rows. A violation is a true type I error above alpha, by the "
        f"formula. The exact rate of `npc` is {record['exact_rate']:.4f}; the smallest possible type II error is "
        f"{record['oracle_type2']:.3f}. {versions}."
    )
