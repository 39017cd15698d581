"""Is a method given by name as good on documents as the model that a user would type?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from nproc import NPWarning, npc
from nproc.scorers import OnlineNPClassifier

ALPHA = DELTA = 0.05
# with 1000 documents onpsvm cannot set rows aside to choose its penalty
N_TRAIN = (1000, 4000)
REPETITIONS = 10


def ways(X):
    """Return ``{name: (method, typed model, model on standardised columns)}``."""
    models = {
        "logistic": lambda: LogisticRegression(max_iter=1000),
        "onpsvm": lambda: OnlineNPClassifier(ALPHA, lam=1e-4, tol=None, class0=0, random_state=0),
        "svm": lambda: SVC(),
    }
    standard = X.copy()
    standard.data = standard.data / np.sqrt(np.asarray((X * X).mean(axis=0)).ravel())[standard.indices]
    return {name: ((name, X), (model(), X), (model(), standard)) for name, model in models.items()}


def one_division(X, y, seed):
    """Return ``{(n, name): [(type I, type II) by name, typed, on standardised columns]}`` on the rows that are left."""
    order = np.random.default_rng(seed).permutation(y.size)
    test = order[max(N_TRAIN) :]
    found = {}
    for n in N_TRAIN:
        train = order[:n]
        for name, cases in ways(X).items():
            found[n, name] = []
            for method, rows in cases:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NPWarning)
                    fit = npc(rows[train], y[train], method, alpha=ALPHA, delta=DELTA, random_state=seed)
                wrong = fit.predict(rows[test]) != y[test]
                found[n, name].append([float(np.mean(wrong[y[test] == c])) for c in (0, 1)])
    return found


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    X, y = load("rcv1")
    measure.print_text(
        f"RCV1 documents, y = 0 for ECAT; {' or '.join(map(str, N_TRAIN))} of {y.size:,} documents of {X.shape[1]:,}",
        f"words in npc, {y.size - max(N_TRAIN):,} others test; alpha = delta = {ALPHA}; means of",
        f"{arguments.repetitions} divisions, with their standard errors.",
        "The typed models are scikit-learn's with its defaults, and OnlineNPClassifier(lam=1e-4).",
    )
    runs = measure.repeat(one_division, (X, y), arguments.repetitions, label="text_names")
    table = []
    for n, name in runs[0]:
        errors = np.array([run[n, name] for run in runs])
        se = errors.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.full(errors.shape[1:], np.nan)
        gap = errors[:, 0, 1] - errors[:, 1, 1]
        gap_se = gap.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan
        told = [f"{mean:.3f} ({error:.3f})" for mean, error in zip(errors.mean(axis=0)[:, 1], se[:, 1], strict=True)]
        table.append((n, name, *told, f"{gap.mean():+.3f} ({gap_se:.3f})", f"{errors.mean(axis=0)[0, 0]:.3f}"))
    columns = (
        "documents",
        "name",
        "type II by name",
        "typed",
        "columns standardised",
        "by name less typed",
        "type I by name",
    )
    measure.print_table(columns, table)


if __name__ == "__main__":
    main()
