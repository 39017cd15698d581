"""Is OnlineNPClassifier at its defaults as good as the best of a grid of penalties?"""

import time
import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import divide, error_rates
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from nproc.errors import NPWarning
from nproc.model_choice import np_loss, np_score
from nproc.scorers import OnlineNPClassifier, OnlineNPClassifierCV

DATA = ("rcv1", "spambase", "magic")
LEVELS = (0.05, 0.1)
# the searches take nearly all of the time, and are made on the first divisions only
DIVISIONS, SEARCHED = 100, 10
# rows of the test for each row that trains
TEST_SHARE = 1 / 3
LAMS = (1e-6, 1e-5, 1e-4, 5e-4, 1e-3, 1e-2, 1e-1)
SHARES, FOLDS = (1.0, 0.5), 4
# J of the default less that of the best of the grid, relative to it; and its share of the time of the search
MOST, TIME = 0.1, 0.1
COLUMNS = (
    "data",
    "alpha",
    "J at the defaults",
    "P_fa",
    "P_nd",
    "J with lam = 1/n",
    "best mean J of a lam",
    "J at the defaults less that of the best lam (95 %)",
    f"at most {MOST:.0%} above the best lam",
    f"on the first {SEARCHED}: J at the defaults",
    "J of the search at once",
    "J at the defaults less that of the search (95 %)",
    f"at most {MOST:.0%} above the search at once",
    "time of GridSearchCV / default",
    f"at least {1 / TIME:g}, GridSearchCV",
    "time of the search at once / default",
    f"at least {1 / TIME:g}, search at once",
    "time of OnlineNPClassifierCV at its defaults / default",
    "J of OnlineNPClassifierCV at its defaults",
)


def run(name, seed):
    """Return ``{alpha: rows of (type I, type II, J, seconds)}``: at the defaults, by 1/n, by each lam, by searches.

    Only the first divisions have the rows of the searches: OnlineNPClassifierCV at its own defaults, then over LAMS,
    and GridSearchCV.
    """
    protocol = divide(name, seed)
    X, y = protocol.X[protocol.rest], protocol.y[protocol.rest]
    found = {}
    for alpha in LEVELS:
        models = [OnlineNPClassifier(alpha, class0=0, random_state=seed)]
        models += [OnlineNPClassifier(alpha, lam=lam, class0=0, random_state=seed) for lam in (1 / y.size, *LAMS)]
        if seed < SEARCHED:
            searched = {"shares": SHARES, "lams": LAMS, "taus": (10.0,)}
            models.append(OnlineNPClassifierCV(alpha, class0=0, random_state=seed))
            models.append(OnlineNPClassifierCV(alpha, class0=0, random_state=seed, **searched))
            models.append(one_by_one(alpha, seed))
        rows = []
        for model in models:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NPWarning)
                # compiled before the clock starts
                for lam in (0.1, "auto"):
                    OnlineNPClassifier(0.3, lam=lam, class0=0, max_iter=1, tol=None).fit(X[:500], y[:500])
                started = time.process_time()
                model.fit(X, y)
            seconds = time.process_time() - started
            errors = error_rates(model, protocol.X[protocol.test], protocol.y[protocol.test])
            rows.append((*errors, float(np_loss(*errors, alpha)), seconds))
        found[alpha] = rows
    return found


def one_by_one(alpha, seed):
    """Return scikit-learn's search over the candidates of OnlineNPClassifierCV, on as many folds, a fit for each."""
    return GridSearchCV(
        OnlineNPClassifier(class0=0, random_state=seed),
        {"alpha": [share * alpha for share in SHARES], "lam": list(LAMS)},
        scoring=np_score(alpha, class0=0),
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
    )


def told(good):
    """Return a verdict in a word."""
    return "yes" if good else "**no**"


def told_difference(values):
    """Return the mean of differences over the divisions with its interval."""
    low, high = measure.interval_of_splits(values, TEST_SHARE)
    return f"{np.mean(values):+.3f} ({low:+.3f} to {high:+.3f})"


def main():
    measure.print_text(
        f"{DIVISIONS} random divisions: three quarters of the rows train, the others are the test. `lam='auto'` of",
        "OnlineNPClassifier sets a quarter of the training rows aside, trains six penalties at once, chooses one",
        "and sets the cut. Against it: lam = 1/n without a choice; the best of seven lams from 1e-6 to 0.1 by its mean",
        f"J on the test rows, which no user knows; and on the first {SEARCHED} divisions two searches over these lams",
        f"and shares 1 and 1/2 of alpha, with {len(SHARES) * len(LAMS)} candidates and {FOLDS} folds. The first is",
        "what a user of scikit-learn would do, `GridSearchCV` over OnlineNPClassifier: one candidate after another.",
        "The second is OnlineNPClassifierCV, which trains all candidates of a fold at once on the same draws, so that",
        "it is itself several times faster than the first. By its own defaults it has 84 candidates. Times",
        f"are means of processor time over the first {SEARCHED} divisions. The intervals are for the mean over such",
        "divisions (Nadeau and Bengio's standard error, since divisions share rows).",
    )
    table = []
    for name in DATA:
        runs = measure.repeat(run, (name,), DIVISIONS, label=name, n_jobs=1)
        for alpha in LEVELS:
            lams = np.array([found[alpha][: 2 + len(LAMS)] for found in runs])
            losses = lams.mean(axis=0)[:, 2]
            best = 2 + int(losses[2:].argmin())
            first = np.array([found[alpha] for found in runs[:SEARCHED]])
            of_first = first.mean(axis=0)
            differences = lams[:, 0, 2] - lams[:, best, 2], first[:, 0, 2] - first[:, -2, 2]
            ratios = of_first[-1, 3] / of_first[0, 3], of_first[-2, 3] / of_first[0, 3]
            table.append(
                (
                    name,
                    f"{alpha:g}",
                    f"{losses[0]:.3f}",
                    f"{lams[:, 0, 0].mean():.4f}",
                    f"{lams[:, 0, 1].mean():.3f}",
                    f"{losses[1]:.3f}",
                    f"{losses[best]:.3f}",
                    told_difference(differences[0]),
                    told(losses[0] <= (1 + MOST) * losses[best]),
                    f"{of_first[0, 2]:.3f}",
                    f"{of_first[-2, 2]:.3f}",
                    told_difference(differences[1]),
                    told(of_first[0, 2] <= (1 + MOST) * of_first[-2, 2]),
                    *(text for ratio in ratios for text in (f"{ratio:.1f}", told(ratio >= 1 / TIME))),
                    f"{of_first[-3, 3] / of_first[0, 3]:.1f}",
                    f"{of_first[-3, 2]:.3f}",
                )
            )
    measure.print_table(COLUMNS, table)


if __name__ == "__main__":
    main()
