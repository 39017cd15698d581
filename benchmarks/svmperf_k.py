"""Why does SVMPerf miss nearly all of class 1 on page blocks at a small alpha? (Gasso et al., Figure 5)"""

import itertools
import statistics

import measure  # isort: skip  (before numpy)
import numpy as np
from np_online import PAPER, onp_svm
from np_protocol import divide, error_rates

from nproc.model_choice import np_loss
from nproc.scorers.papers.svmperf import PrecisionAtKSVC

DATA = ("page blocks", "spambase")
ALPHAS = (0.01, 0.05)
DIVISIONS = 10
COSTS = np.logspace(0, 4, 5)
REFERENCES = ("labels", "average")
RULES = ("J", "nearest P_fa")
COLUMNS = ("data", "alpha", "method", "chosen by", "divisions", "P_fa", "P_nd", "J", "mean k, share of class 1")
SHARES_COLUMNS = ("data", "k, share of class 1", "reference", "weights' norm at C = 1", "at C = 10,000", "P_fa", "P_nd")


def chosen(rates, shares, alpha, rule):
    """Return the candidate of least J, or as in the paper one of the k whose P_fa is nearest to alpha."""
    losses = np_loss(rates[:, 0], rates[:, 1], alpha)
    if rule == "J":
        return int(np.argmin(losses))
    away = {share: np.abs(rates[shares == share, 0] - alpha).min() for share in np.unique(shares)}
    best = min(away, key=away.get)
    among = np.flatnonzero((shares == best) & (np.abs(rates[:, 0] - alpha) <= away[best]))
    return int(among[np.argmin(losses[among])])


def run(name, seed):
    """Return the errors of the chosen machines on the test rows, and those of all machines on the validation rows."""
    protocol = divide(name, seed)
    ((fitted, validated),) = protocol.folds
    X, y = protocol.X, protocol.y
    n1 = int(np.sum(y[fitted] == 1))
    grid = list(itertools.product(np.linspace(1 / n1, 1, 10), COSTS))
    shares, found, every = np.array([share for share, _ in grid]), {}, {}
    for reference in REFERENCES:
        machines = [
            PrecisionAtKSVC(C=C, k=max(1, round(share * n1)), reference=reference).fit(X[fitted], y[fitted])
            for share, C in grid
        ]
        rates = np.array([error_rates(machine, X[validated], y[validated]) for machine in machines])
        norms = np.array([np.linalg.norm(machine.coef_) for machine in machines])
        every[reference] = np.column_stack([rates, norms]).reshape(10, COSTS.size, 3)
        for alpha, rule in itertools.product(ALPHAS, RULES):
            best = chosen(rates, shares, alpha, rule)
            errors = error_rates(machines[best], X[protocol.test], y[protocol.test])
            found[alpha, f"SVMPerf, {reference}", rule] = (*errors, shares[best])
    for alpha, outcome in onp_svm(protocol, PAPER, list(ALPHAS))[0].items():
        found[alpha, "ONP-SVM", "J"] = (outcome.type1, outcome.type2, np.nan)
    return found, every


def main():
    rows, by_share = [], []
    for name in DATA:
        runs = measure.repeat(run, (name,), DIVISIONS, label=name, n_jobs=1)
        for key in sorted(runs[0][0]):
            type1, type2, share = np.array([found[key] for found, _ in runs]).T
            losses = np_loss(type1, type2, key[0])
            cells = [f"{statistics.median(values):.4f}" for values in (type1, type2, losses)]
            rows.append(
                (
                    name,
                    f"{key[0]:g}",
                    *key[1:],
                    len(runs),
                    *cells,
                    "-" if np.isnan(share).any() else f"{share.mean():.2f}",
                )
            )
        for at, reference in itertools.product((1, 3, 5, 7, 9), REFERENCES):
            type1, type2, norm = np.array([every[reference][at] for _, every in runs]).mean(axis=0).T
            cells = (f"{norm[0]:.3g}", f"{norm[-1]:.3g}", f"{type1[-1]:.3f}", f"{type2[-1]:.3f}")
            by_share.append((name, f"{at / 9:.2f}", reference, *cells))
    measure.print_text(
        f"The divisions of Figure 5, {DIVISIONS} of the paper's 25; 10 values of k from one row to all of class 1 and "
        f"{COSTS.size} of C, {COSTS[0]:g} to {COSTS[-1]:,.0f}. `labels` is the paper's SVMPerf: the slack compares a "
        "list of k rows with the labels. `average` compares it with the average of the lists without a loss. The rule "
        "`nearest P_fa` is the paper's: the k whose P_fa on the rows that select is nearest to alpha. Medians over the "
        "divisions, on the test rows. ONP-SVM: the paper's candidates, sigmoid loss, 100 epochs."
    )
    measure.print_table(COLUMNS, rows)
    measure.print_text("All divisions, the rows that select, by k (errors at C = 10,000; means):")
    measure.print_table(SHARES_COLUMNS, by_share)
    measure.print_text(
        "With k below the number of class 1 rows, the paper's slack is no upper bound of the loss: a list of k class 1 "
        "rows has no loss, and yet counts as a departure from the labels. Where the weights stay the same from C = 1 "
        "to C = 10,000, no cost clears the list of class 0 rows. On page blocks this leaves a P_fa above 0.01 at every "
        "k but one near nothing, which J then takes. The average reference has a slack that bounds the loss at every "
        "k; its lists have fewer class 0 rows. It explains a part of the distance to ONP-SVM, not all of it."
    )


if __name__ == "__main__":
    main()
