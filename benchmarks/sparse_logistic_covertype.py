"""How does sparse logistic regression do on covertype? (Hérault and Grandvalet, Tables 3 and 4, Figure 6)"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import partial

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier

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
# times: rows of a tenth of the sample and of the paper's parts, draws of each, runs of each draw, and penalties
SIZES = (3_717, 23_235)
TIME_DRAWS, TIME_REPEATS = 3, 7
TIME_LAMBDAS = (0.01, 0.1, 1.0, 10.0, 100.0)


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
    for others, part in StratifiedKFold(PARTS, shuffle=True, random_state=1).split(X, positive):
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
    """Return mean and standard deviation over the parts, and the standard error of the mean in brackets."""
    deviation = np.std(values, ddof=1)
    return f"{np.mean(values):.{digits}f} ± {deviation:.{digits}f} ({deviation / np.sqrt(len(values)):.{digits}f})"


def logistic_rows(results):
    """Return the rows of Table 3, the paper's numbers beside ours."""
    rows = []
    for interval, paper in zip(INTERVALS, PAPER, strict=True):
        cost, at_share, level, support, log_lam, _ = np.array(results[interval]).T
        rows.append(
            (
                title(interval),
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


def sample(size, seed):
    """Return some rows of all, drawn with the shares of the classes kept, and standardised."""
    X, y = load("covertype")
    X, _, y, _ = train_test_split(X, 1 - y, train_size=size, stratify=y, random_state=seed)
    return Rows(StandardScaler().fit_transform(X), y)


def title(interval):
    """Return how tables name an interval."""
    return f"{100 * interval[0]:g} to {100 * interval[1]:g}"


def times(results):
    """Return ratio rows: training time at an interval against ordinary logistic regression, by the number of rows."""
    whole, narrow = INTERVALS[0], INTERVALS[-1]
    own = {i: 10 ** np.median([entry[4] for entry in results[i]]) for i in INTERVALS}
    table = []
    for size in SIZES:
        pooled, draws = ([], []), [sample(size, seed) for seed in range(TIME_DRAWS)]
        for lam in TIME_LAMBDAS:
            seconds = timed(draws, {whole: lam, narrow: lam})
            table.append(measure.ratio_row(f"{size} rows, lambda {lam:g}", seconds[narrow], seconds[whole], None))
            pooled = (pooled[0] + seconds[narrow], pooled[1] + seconds[whole])
        table.append(measure.ratio_row(f"{size} rows, all these lambdas", *pooled, 1.0))
        seconds = timed(draws, own)
        for interval in INTERVALS[1:]:
            what = f"{size} rows, {title(interval)} %, lambda {own[interval]:.3g} against {own[whole]:.3g}"
            limit = 1.0 if interval == narrow else None
            table.append(measure.ratio_row(what, seconds[interval], seconds[whole], limit))
    return table


def timed(draws, lams):
    """Return the seconds of fits at some intervals, each with its penalty, in turn, on all draws."""
    seconds = {i: [] for i in lams}
    for rows in draws:
        tasks = {i: partial(sparse_logistic, rows, i, lam) for i, lam in lams.items()}
        for interval, found in measure.interleave(tasks, TIME_REPEATS).items():
            seconds[interval] += found
    return seconds


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
        edge = 0.05 * (top - bottom)
        ax.set(xlim=(100 * low, 100 * high), ylim=(100 * (bottom - edge), 100 * (top + edge)))
        ax.set(xlabel="threshold on the estimated probability, %", ylabel="test cost, x 100")
    axes[0].legend(fontsize="small")
    path = measure.FIGURES / "sparse_logistic_covertype.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def main():
    results, machines, curves = {i: [] for i in INTERVALS}, {}, {}
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
        size = rows.y.size
        sys.stderr.write(f"part {number + 1}: {time.monotonic() - started:.0f} s\n")
    measure.print_text(
        f"Positive is Krummholz ({100 * share:.1f} %; the file's class 0). Each of {PARTS} parts of {size} rows (the "
        f"paper's have 23,235: the file is a sample of 16 %) trains, the others test; columns are standardised by the "
        f"part. Penalty (10^(k/2), {LAMBDAS[0]:g} to {LAMBDAS[-1]:g}) and threshold (multiples of 0.1 %) are those of "
        f"least cost over {FOLDS} folds, chosen together. Mean ± standard deviation over the parts, as in the paper, "
        f"and in brackets the standard error of the mean; the parts share most of their test rows, so it speaks of the "
        f"draw of training rows. A false positive costs the share of positive rows, a miss the rest. Largest violation "
        f"of the optimality conditions: {max(entry[5] for entries in results.values() for entry in entries):.1e}."
    )
    measure.print_table(COLUMNS, logistic_rows(results))
    gaps = np.array(results[INTERVALS[-1]])[:, :2] - np.array(results[INTERVALS[0]])[:, :2]
    measure.print_text(
        f"Cost at the narrowest interval less that of ordinary logistic regression, part by part: "
        f"{shown(gaps[:, 0], 3)} with the chosen thresholds, {shown(gaps[:, 1], 3)} with the share of positives."
    )
    span = f"C from {COSTS[0]:g} to {COSTS[-1]:g} by {FOLDS} folds"
    measure.print_text(f"Linear support vector machines (scikit-learn's SVC; {span}).")
    both = {name: np.array(entries).T for name, entries in machines.items()}
    rows = [(k, shown(v[0]), PAPER_SVM[k][0], shown(v[1]), PAPER_SVM[k][1]) for k, v in both.items()]
    measure.print_table(("machine", "test cost, x 100", "paper", "support vectors, %", "paper"), rows)
    measure.print_text(
        f"Training time, {title(INTERVALS[-1])} % (or as named) against 0 to 100 % by the same code to the same "
        f"certificate: {TIME_DRAWS} draws of as many rows as our parts or the paper's have, {TIME_REPEATS} runs each. "
        f"Below 1 the interval trains faster. Last rows: each has its own penalty, the median over the parts."
    )
    measure.print_table(measure.RATIO_COLUMNS, times(results))
    print(f"![Test cost against the threshold](figures/{picture(curves, share).name})")


if __name__ == "__main__":
    main()
