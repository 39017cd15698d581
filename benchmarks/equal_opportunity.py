"""What does a bounded difference of type I errors between women and men cost on the German credit data?"""

import measure  # isort: skip  (before numpy)
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import np_threshold
from nproc.groups import np_equal_thresholds, np_group_thresholds

REPETITIONS = 200
ALPHA, DELTA, EPSILON, GAMMA = 0.15, 0.1, 0.1, 0.1
DATA = measure.SHARED / "data"
FEMALE = ("A92", "A95")


def german_credit():
    """Return the predictors without sex, the labels (0 = bad) and the sex."""
    frame = pd.read_csv(DATA / "german_categorical20.csv")
    sex = np.where(frame["personal_status_sex"].isin(FEMALE), "female", "male")
    X = pd.get_dummies(frame.drop(columns=["y", "personal_status_sex"]), drop_first=True).to_numpy(dtype=float)
    return X, frame["y"].to_numpy(), sex


def one_split(data, seed):
    """Return the errors on test rows of each procedure: 30 % of the class 0 rows train, 35 % set thresholds."""
    X, y, sex = data
    rng = np.random.default_rng(seed)
    part = np.empty(y.size, dtype=int)
    for label, shares in ((0, (0.3, 0.65)), (1, (0.6, 0.6))):
        rows = rng.permutation(np.flatnonzero(y == label))
        part[rows] = np.searchsorted((np.array(shares) * rows.size).astype(int), np.arange(rows.size), side="right")
    train, left, test = part == 0, (part == 1) & (y == 0), part == 2
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)).fit(X[train], y[train])
    scores = model.decision_function(X)
    levels = {"alpha": ALPHA, "delta": DELTA}
    both = {**levels, "epsilon": EPSILON, "gamma": GAMMA}
    pilot = {"pilot_scores": scores[train], "pilot_groups": sex[train], "pilot_y": y[train]}
    called = {
        "np_threshold": np_threshold(scores[left], **levels).predict(scores[test]),
        "np_group_thresholds": np_group_thresholds(scores[left], sex[left], **levels).predict(scores[test], sex[test]),
        "np_equal_thresholds": np_equal_thresholds(scores[left], sex[left], random_state=seed, **both).predict(
            scores[test], sex[test], random_state=seed
        ),
        "the same, by pilot rows": np_equal_thresholds(
            scores[left], sex[left], random_state=seed, **both, **pilot
        ).predict(scores[test], sex[test], random_state=seed),
    }
    found = {}
    for name, labels in called.items():
        good, of = y[test] == 1, sex[test]
        by_sex = [labels[~good & (of == group)].mean() for group in ("female", "male")]
        found[name] = (*by_sex, labels[~good].mean(), 1 - labels[good].mean())
    return found


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    if not (DATA / "german_categorical20.csv").exists():
        measure.print_text(f"Not run: there is no german_categorical20.csv in {DATA.name}/ of the shared data.")
        return
    data = german_credit()
    runs = measure.repeat(one_split, (data,), arguments.repetitions, label="equal_opportunity")
    measure.print_text(
        "German credit data, class 0 = bad, 109 women and 191 men of it; sex is no predictor. Logistic regression with",
        f"alpha = {ALPHA}, delta = {DELTA}, epsilon = {EPSILON}, gamma = {GAMMA}. Of the class 0 rows 30 % train, 35 %",
        "set the thresholds and 35 % test. Means over the splits of errors on the test rows. The difference of two",
        "errors on few test rows is noisy, so that its size on test rows is larger than the true one.",
    )
    table = []
    for name in runs[0]:
        values = np.array([run[name] for run in runs])
        female, male, overall, type2 = values.mean(axis=0)
        noisy = np.abs(values[:, 0] - values[:, 1]).mean()
        se = values[:, 3].std(ddof=1) / np.sqrt(len(values))
        table.append(
            (
                name,
                len(runs),
                *(f"{x:.3f}" for x in (female, male, male - female, noisy, overall)),
                f"{type2:.3f} ({se:.3f})",
            )
        )
    heads = "type I, women", "type I, men", "men less women", "size of the difference", "type I, all", "type II"
    measure.print_table(("procedure", "splits", *heads), table)


if __name__ == "__main__":
    main()
