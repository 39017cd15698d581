"""Sparse logistic regression on covertype (Tables 3 and 4, Figure 6): test cost, threshold, support vectors, time."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from nproc.scorers.papers_sparse_logistic import SparseLogisticClassifier

PARTS = 10
FOLDS = 5
INTERVALS = ((0.0, 1.0), (0.004, 0.72), (0.01, 0.475), (0.029, 0.241), (0.048, 0.158), (0.078, 0.10))
# Table 3: mean cost x 100 and its standard deviation, mean threshold and its standard deviation, share of support, in %
PAPER = (
    (1.86, 0.01, 9.5, 1.3, 100),
    (1.86, 0.01, 9.0, 1.1, 65.5),
    (1.85, 0.01, 9.0, 0.9, 53.5),
    (1.85, 0.01, 9.0, 0.6, 40.5),
    (1.83, 0.02, 8.8, 0.2, 34.0),
    (1.78, 0.02, 8.8, 0.0, 27.9),
)
PAPER_SVM = {
    "standard": ("3.75 ± 0.23", "12.84 ± 0.79"),
    "bias corrected": ("2.31 ± 0.12", "13.16 ± 1.13"),
    "costs c+/c-": ("1.79 ± 0.02", "26.19 ± 0.60"),
}
LAMBDAS = 10 ** (np.arange(-4, 5) / 2)
COSTS = 10 ** np.arange(-3.0, 1.1)
LEVELS = np.arange(1, 1000) / 1000


@dataclass(frozen=True)
class Rows:
    """Rows standardised by the training part, and labels: 1 for Krummholz, the paper's positive class."""

    X: np.ndarray
    y: np.ndarray


def parts():
    """Return for each part its rows and all others, standardised by the part; the share of Krummholz is the same."""
    X, y = load("covertype")
    # the file codes Krummholz as 0
    positive = 1 - y
    folds = StratifiedKFold(PARTS, shuffle=True, random_state=1).split(X, positive)
    for others, part in folds:
        scale = StandardScaler().fit(X[part])
        yield Rows(scale.transform(X[part]), positive[part]), Rows(scale.transform(X[others]), positive[others])


def cost_at(scores, y, cuts, share):
    """Return the mean cost at each of some cuts of a score: `share` for a false positive, 1 - share for a miss."""
    zero, one = np.sort(scores[y == 0]), np.sort(scores[y == 1])
    false_positives = zero.size - np.searchsorted(zero, cuts, side="right")
    misses = np.searchsorted(one, cuts, side="right")
    return (share * false_positives + (1 - share) * misses) / y.size


def folds_of(y):
    """Return the folds that all methods share."""
    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=2).split(np.zeros(y.size), y))


def sparse_logistic(rows, interval, lam):
    """Return a fitted classifier; a solver that has not converged would warn."""
    return SparseLogisticClassifier(*interval, lam).fit(rows.X, rows.y)


def probabilities(model, X):
    """Return P(Krummholz)."""
    return model.predict_proba(X)[:, 1]


def best_cut(costs, cuts, centre):
    """Return the cut of least cost, of equal ones the nearest to `centre`."""
    tied = np.flatnonzero(costs <= costs.min() + 1e-12)
    return cuts[tied[np.argmin(np.abs(cuts[tied] - centre))]]


def chosen(rows, interval, share):
    """Return the penalty and the threshold of least cost over 5 folds, chosen together, and the number of fits."""
    best = (np.inf, None, None)
    folds = folds_of(rows.y)
    for lam in LAMBDAS:
        out = np.empty(rows.y.size)
        for trained, left_out in folds:
            model = sparse_logistic(Rows(rows.X[trained], rows.y[trained]), interval, lam)
            out[left_out] = probabilities(model, rows.X[left_out])
        costs = cost_at(out, rows.y, LEVELS, share)
        if costs.min() < best[0] - 1e-12:
            best = (costs.min(), lam, best_cut(costs, LEVELS, share))
    return best[1:]


def svm(rows, C, weight):
    """Return a fitted linear support vector machine, with a weight of positive rows."""
    return SVC(C=C, kernel="linear", class_weight={1: weight}, cache_size=500, tol=1e-2).fit(rows.X, rows.y)


def svm_results(rows, test, share):
    """Return cost and share of support of the three machines of Table 4: C (and the cut) by 5 folds.

    The standard machine takes the C of least error, the corrected one the pair of C and cut of least cost.
    """
    found = {}
    weights = {"standard": 1.0, "bias corrected": 1.0, "costs c+/c-": (1 - share) / share}
    out = {}
    for weight in set(weights.values()):
        for C in COSTS:
            scores = np.empty(rows.y.size)
            for trained, left_out in folds_of(rows.y):
                machine = svm(Rows(rows.X[trained], rows.y[trained]), C, weight)
                scores[left_out] = machine.decision_function(rows.X[left_out])
            out[weight, C] = scores
    for name, weight in weights.items():
        candidates = {}
        for C in COSTS:
            scores = out[weight, C]
            if name == "bias corrected":
                cuts = np.quantile(scores, np.linspace(0.5, 1, 1001))
                costs = cost_at(scores, rows.y, cuts, share)
                candidates[C] = (costs.min(), best_cut(costs, cuts, 0.0))
            else:
                judged = 0.5 if name == "standard" else share
                candidates[C] = (cost_at(scores, rows.y, np.zeros(1), judged)[0], 0.0)
        C = min(candidates, key=lambda c: candidates[c][0])
        machine = svm(rows, C, weight)
        cost = cost_at(machine.decision_function(test.X), test.y, np.array([candidates[C][1]]), share)[0]
        found[name] = (100 * cost, 100 * machine.support_.size / rows.y.size, np.log10(C))
    return found


def shown(values, digits=2):
    """Return mean and standard deviation over the parts."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def logistic_rows(results):
    """Return the rows of Table 3, the paper's numbers beside ours."""
    rows = []
    for interval, paper in zip(INTERVALS, PAPER, strict=True):
        cost, at_share, level, support, log_lam, _ = np.array(results[interval]).T
        rows.append(
            (
                f"{100 * interval[0]:g} to {100 * interval[1]:g}",
                shown(cost, 3),
                f"{paper[0]} ± {paper[1]}",
                shown(at_share, 3),
                shown(100 * level, 1),
                f"{paper[2]} ± {paper[3]}",
                shown(support, 1),
                paper[4],
                shown(log_lam, 1),
            )
        )
    return rows


COLUMNS = (
    "interval, %",
    "test cost, x 100",
    "paper",
    "at the share of positives",
    "threshold, %",
    "paper",
    "support vectors, %",
    "paper",
    "log10 lambda",
)


def times(rows, results):
    """Return the ratio rows: training time at the narrowest interval and in between against ordinary logistic."""
    middle = {i: 10 ** np.median([entry[4] for entry in results[i]]) for i in INTERVALS}
    table = []
    for title, lams in (
        ("lambda of each", middle),
        ("lambda of ordinary logistic", dict.fromkeys(INTERVALS, middle[INTERVALS[0]])),
    ):
        tasks = {i: lambda i=i, lams=lams: sparse_logistic(rows, i, lams[i]) for i in INTERVALS}
        seconds = measure.interleave(tasks, 9)
        ordinary = seconds[INTERVALS[0]]
        for interval in INTERVALS[1:]:
            what = f"{100 * interval[0]:g} to {100 * interval[1]:g} %, {title}"
            limit = 1.0 if interval == INTERVALS[-1] else None
            table.append(measure.ratio_row(what, seconds[interval], ordinary, limit))
    return table


def picture(curves, share):
    """Draw the test cost of two classifiers against the threshold, as Figure 6; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="constrained")
    for ax, (low, high) in zip(axes, ((0, 1), (0.04, 0.2)), strict=True):
        for (name, costs), style in zip(curves.items(), ("--", "-"), strict=True):
            ax.plot(100 * LEVELS, 100 * costs, ls=style, color="black", lw=1.4, label=name)
        ax.axvline(100 * share, color="0.6", lw=1, label=f"share of positive rows, {100 * share:.1f} %")
        part = slice(*np.searchsorted(LEVELS, (low, high)))
        top = max(costs[part].max() for costs in curves.values())
        bottom = min(costs[part].min() for costs in curves.values())
        ax.set_xlim(100 * low, 100 * high)
        ax.set_ylim(100 * (bottom - 0.05 * (top - bottom)), 100 * (top + 0.05 * (top - bottom)))
        ax.set(xlabel="threshold on the estimated probability, %", ylabel="test cost, x 100")
    axes[0].legend(fontsize="small")
    path = measure.FIGURES / "sparse_logistic_covertype.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def main():
    results, machines, curves, first = {i: [] for i in INTERVALS}, {}, {}, None
    for number, (rows, test) in enumerate(parts()):
        started = time.monotonic()
        share = float(np.mean(rows.y))
        for interval in INTERVALS:
            lam, level = chosen(rows, interval, share)
            model = sparse_logistic(rows, interval, lam)
            costs = cost_at(probabilities(model, test.X), test.y, np.array([level, share]), share)
            support = 100 * model.support_.size / rows.y.size
            results[interval].append((*(100 * costs), level, support, np.log10(lam), model.certificate_))
            if number == 0 and interval in (INTERVALS[0], INTERVALS[-1]):
                name = "ordinary logistic regression" if interval == INTERVALS[0] else "sparse, 7.8 to 10 %"
                curves[name] = cost_at(probabilities(model, test.X), test.y, LEVELS, share)
        for name, entry in svm_results(rows, test, share).items():
            machines.setdefault(name, []).append(entry)
        first = first or rows
        sys.stderr.write(f"part {number + 1}: {time.monotonic() - started:.0f} s\n")
    measure.print_text(
        f"Positive is Krummholz ({100 * share:.1f} %; the file's class 0). Each of {PARTS} parts of {first.y.size} "
        f"rows (the paper's have 23,235: the file is a sample of 16 %) trains, the others test; columns are "
        f"standardised by the part. Penalty (10^(k/2), {LAMBDAS[0]:g} to {LAMBDAS[-1]:g}) and threshold (multiples of "
        f"0.1 %) are those of least cost over {FOLDS} folds, chosen together. Means and standard deviations over the "
        f"parts. A false positive costs the share of positive rows, a miss the rest. The largest violation of the "
        f"optimality conditions is {max(entry[5] for entries in results.values() for entry in entries):.1e}."
    )
    measure.print_table(COLUMNS, logistic_rows(results))
    gaps = np.array(results[INTERVALS[-1]])[:, :2] - np.array(results[INTERVALS[0]])[:, :2]
    measure.print_text(
        f"Cost at the narrowest interval less that of ordinary logistic regression, part by part: "
        f"{shown(gaps[:, 0], 3)} with the chosen thresholds, {shown(gaps[:, 1], 3)} with the share of positives as "
        f"threshold."
    )
    measure.print_text(
        f"Linear support vector machines (scikit-learn's SVC; C from {COSTS[0]:g} to {COSTS[-1]:g} by {FOLDS} folds)."
    )
    rows = [
        (name, shown([e[0] for e in entries]), PAPER_SVM[name][0], shown([e[1] for e in entries]), PAPER_SVM[name][1])
        for name, entries in machines.items()
    ]
    measure.print_table(("machine", "test cost, x 100", "paper", "support vectors, %", "paper"), rows)
    measure.print_text("Training time of the same code on one part, against the interval 0 to 100 %.")
    measure.print_table(measure.RATIO_COLUMNS, times(first, results))
    print(f"![Test cost against the threshold](figures/{picture(curves, share).name})")


if __name__ == "__main__":
    main()
