"""Does npc have a smaller type II error if logistic regression is fitted only near the threshold?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.model_selection import train_test_split

from nproc import npc

DATA = {
    "spambase": (0.01, 0.05, 0.2),
    "magic": (0.01, 0.05, 0.2),
    "covertype": (0.05, 0.2),
    "page blocks": (0.1, 0.2),
    "pima": (0.1, 0.2),
}
REPETITIONS, MOST_ROWS, DELTA = 8, 4000, 0.1
METHODS = {
    "0 to 1": {"interval": "given"},
    "factor 10": {"factor": 10.0},
    "factor 3": {"factor": 3.0},
    "factor 2": {"factor": 2.0},
}


def distinct(name):
    """Return the rows and labels of a data set, one of each group of equal rows: copies would be no new rows."""
    X, y = load(name)
    first = np.sort(np.unique(X, axis=0, return_index=True)[1])
    return X[first], y[first]


def errors(X, y, alpha, seed):
    """Return (type I error on test rows, type II error, share of support) of each method, for one division."""
    size = min(MOST_ROWS, int(y.size / 1.5))
    X, X_new, y, y_new = train_test_split(X, y, train_size=size, stratify=y, random_state=seed)
    found = []
    for params in METHODS.values():
        fit = npc(X, y, "sparselogit", alpha=alpha, delta=DELTA, split_ratio=0.5, random_state=seed, **params)
        called = fit.predict(X_new)
        # half of the class 0 rows train
        n_trained = np.sum(y == 1) + np.sum(y == 0) / 2
        share = fit.scorers[0][-1].support_.size / n_trained
        found.append((np.mean(called[y_new == 0] == 1), np.mean(called[y_new == 1] == 0), share))
    return np.array(found)


def main():
    measure.print_text(
        f"npc(method='sparselogit') with delta = {DELTA}: ordinary logistic regression (interval 0 to 1), and "
        f"intervals of the probabilities at which the type I error is within a factor of alpha. Up to {MOST_ROWS} rows "
        f"in npc, the others test; means of {REPETITIONS} divisions. In brackets the standard error of the difference "
        f"from 0 to 1, division by division, and the share of the training rows that are support vectors."
    )
    rows = []
    for name, alphas in DATA.items():
        X, y = distinct(name)
        for alpha in alphas:
            runs = np.array([errors(X, y, alpha, seed) for seed in range(REPETITIONS)])
            gaps = (runs[:, :, 1] - runs[:, :1, 1]).std(axis=0, ddof=1) / np.sqrt(REPETITIONS)
            means = runs.mean(axis=0)
            cells = [
                f"{type2:.3f}" + (f" (± {gap:.3f}, " if k else " (") + f"{100 * share:.0f} %)"
                for k, ((_, type2, share), gap) in enumerate(zip(means, gaps, strict=True))
            ]
            rows.append((name, f"{alpha:g}", *cells, f"{means[:, 0].max():.4f}"))
    measure.print_table(("data", "alpha", *(f"type II, {name}" for name in METHODS), "largest mean type I"), rows)


if __name__ == "__main__":
    main()
