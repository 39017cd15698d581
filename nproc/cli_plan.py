"""The command ``plan``: sizes for given levels, levels for given sizes."""

from __future__ import annotations

from nproc.checks import check_count, check_level
from nproc.errors import TooFewSamplesError
from nproc.orderstat import min_class0_size, np_order, round_up, type1_upper, violation_rate
from nproc.splitting import n_train, rows_in_all
from nproc.tables import summary_table


def plan(alphas, deltas, split_ratio, *, n0=None, rows=None):
    """Return text and an object for JSON.

    Parameters
    ----------
    alphas, deltas : sequence of float
        Levels, all pairs of which are shown.
    split_ratio : float
        Share of class 0 that trains.
    n0, rows : int, optional
        Class 0 rows left out, or in all; without both the smallest sizes are shown.
    """
    split_ratio = check_level(split_ratio, "split-ratio")
    pairs = [(check_level(a, "alpha"), check_level(d, "delta")) for a in alphas for d in deltas]
    if rows is not None:
        rows = check_count(rows, "rows", minimum=2)
        n0 = rows - n_train(rows, split_ratio)
    if n0 is not None:
        n0 = check_count(n0, "n0")
    if n0 is None:
        return _sizes(pairs, split_ratio)
    return _levels(pairs, split_ratio, n0, rows)


def _sizes(pairs, split_ratio):
    found = []
    for alpha, delta in pairs:
        n_left = min_class0_size(alpha, delta)
        found.append({"alpha": alpha, "delta": delta, "n0": n_left, "rows": rows_in_all(n_left, split_ratio)})
    text = summary_table(
        "Smallest number of class 0 rows",
        [("Split ratio", f"{split_ratio:g}")],
        ["alpha", "delta", "Left out for the threshold", "In all"],
        [(f"{r['alpha']:g}", f"{r['delta']:g}", r["n0"], r["rows"]) for r in found],
        [
            "With these numbers the threshold is the largest left-out score. More rows bring the type I error "
            "closer to alpha and so lower the type II error."
        ],
    )
    return f"{text}\n", {"command": "plan", "split_ratio": split_ratio, "plan": found}


def _levels(pairs, split_ratio, n0, rows):
    found = []
    for alpha, delta in pairs:
        try:
            order = np_order(n0, alpha, delta)
        except TooFewSamplesError:
            order = None
        found.append(
            {
                "alpha": alpha,
                "delta": delta,
                "order": order,
                "violation_rate": None if order is None else violation_rate(order, n0, alpha),
                "type1_upper": None if order is None else type1_upper(order, n0, delta),
                "smallest_alpha": type1_upper(n0, n0, delta),
                "smallest_delta": violation_rate(n0, n0, alpha),
                "n0_needed": min_class0_size(alpha, delta),
            }
        )
    in_all = "-" if rows is None else f"{rows} (split ratio {split_ratio:g})"
    text = summary_table(
        "What these class 0 rows allow",
        [("Left out for the threshold", n0), ("Class 0 rows in all", in_all)],
        ["alpha", "delta", "Rank", "Violation rate", "Type I bound", "Least alpha", "Least delta", "Needed"],
        [_level_cells(record) for record in found],
        [
            "Rank: of the threshold among the left-out scores; none: too few rows for these levels. Violation "
            "rate: chance that the type I error exceeds alpha. Type I bound: holds except with chance delta. Least "
            "alpha and delta: the smallest that these rows allow, each with the other as given. Needed: the smallest "
            "number of left-out rows for these levels."
        ],
    )
    record = {"command": "plan", "n0": n0, "rows": rows, "plan": found}
    if rows is not None:
        record["split_ratio"] = split_ratio
    return f"{text}\n", record


def _level_cells(record):
    shown = [f"{record['alpha']:g}", f"{record['delta']:g}"]
    if record["order"] is None:
        shown += ["none", "-", "-"]
    else:
        shown += [record["order"], f"{record['violation_rate']:.3g}", f"{record['type1_upper']:.4g}"]
    least = [round_up(record["smallest_alpha"]), round_up(record["smallest_delta"])]
    return [*shown, *least, record["n0_needed"]]
