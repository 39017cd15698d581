"""How long do npc and NPClassifier take, relative to threshold tuning in scikit-learn and risk control in MAPIE?"""

import csv
import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from nproc import NPClassifier, npc, nproc

ROWS = (1000, 10_000, 100_000)
RUNS = 9
N_COLUMNS = 10
ALPHA = DELTA = 0.05
SEED = 1
# of the peer's time
MOST = 1.0
# those of R nproc's timings that have a counterpart here
R_TASKS = (
    "npc logistic split=1 n=1000 p=2",
    "npc logistic split=11 n=10000 p=20 n.cores=1",
    "predict npc logistic split=11 newx 100000x20",
    "nproc lda split=11 n=10000 p=10 n.cores=1",
)


def data(n, seed):
    """Return predictors and labels, classes equally likely and normal."""
    rng = np.random.default_rng([n, seed])
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, N_COLUMNS)) + 0.3 * y[:, None], y


def fit_mapie(X, y):
    """Return MAPIE's controller of the false positive rate: half of the rows train, half choose the threshold."""
    from mapie.risk_control import BinaryClassificationController

    X_train, X_held, y_train, y_held = train_test_split(X, y, test_size=0.5, stratify=y, random_state=SEED)
    model = LogisticRegression().fit(X_train, y_train)
    control = BinaryClassificationController(
        model.predict_proba, "fpr", target_level=ALPHA, confidence_level=1 - DELTA, fwer_method="fixed_sequence"
    )
    return control.calibrate(X_held, y_held)


def fits(X, y):
    """Return what is timed, by name; all of it trains scikit-learn's logistic regression."""
    call = {"alpha": ALPHA, "delta": DELTA, "random_state": SEED}
    tasks = {
        "LogisticRegression": lambda: LogisticRegression().fit(X, y),
        "npc": lambda: npc(X, y, LogisticRegression(), class0=0, **call),
        "npc, 11 splits": lambda: npc(X, y, LogisticRegression(), class0=0, n_splits=11, **call),
        "NPClassifier": lambda: NPClassifier(LogisticRegression(), class0=0, **call).fit(X, y),
        "nproc, with the band at 1001 levels": lambda: nproc(
            X, y, LogisticRegression(), class0=0, delta=DELTA, random_state=SEED
        ).at(np.linspace(0, 1, 1001)),
        "scikit-learn": lambda: TunedThresholdClassifierCV(LogisticRegression(), cv=5, random_state=SEED).fit(X, y),
    }
    if measure.installed("mapie"):
        tasks["MAPIE"] = lambda: fit_mapie(X, y)
    return tasks


def rows_for(n, runs):
    """Yield table rows: each of ours beside each peer that is installed, then the predictions of new rows."""
    X, y = data(n, 0)
    tasks = fits(X, y)
    seconds = measure.interleave(tasks, runs)
    new = data(n, 1)[0]
    fitted = {name: tasks[name]() for name in ("npc", "scikit-learn", "MAPIE") if name in tasks}
    predicted = measure.interleave({name: lambda f=fit: f.predict(new) for name, fit in fitted.items()}, runs)
    for peer in [name for name in ("scikit-learn", "MAPIE") if name in tasks]:
        for name in ("npc", "NPClassifier", "npc, 11 splits", "nproc, with the band at 1001 levels"):
            limit = MOST if name in ("npc", "NPClassifier") else None
            yield measure.ratio_row(f"{name} to {peer}, n = {n:,}", seconds[name], seconds[peer], limit)
        yield measure.ratio_row(f"predict to that of {peer}, n = {n:,}", predicted["npc"], predicted[peer], None)
    yield measure.ratio_row(
        f"npc to LogisticRegression.fit alone, n = {n:,}", seconds["npc"], seconds["LogisticRegression"], None
    )


def print_timings_of_r():
    """Print the R package's own figures, which are another run on another machine."""
    path = measure.SHARED / "reference" / "timings.csv"
    if not path.is_file():
        measure.print_text("R nproc is not run here, and the file of its timings is not there.")
        return
    with path.open(newline="") as stream:
        timings = {row["task"]: row for row in csv.DictReader(stream)}
    measure.print_text(
        "A note, not a comparison: wall seconds of R nproc 2.1.5 from **another run, on two cores under some load**,",
        "with other data. No ratio is given, since nothing was measured in turn.",
    )
    measure.print_table(
        ("R nproc: task", "runs", "median, s", "spread"),
        [
            (
                task,
                timings[task]["runs"],
                f"{float(timings[task]['median_s']):.3g}",
                f"{float(timings[task]['min_s']):.3g} to {float(timings[task]['max_s']):.3g}",
            )
            for task in R_TASKS
            if task in timings
        ],
    )


def main():
    given = measure.arguments(rows=ROWS, runs=RUNS)
    # MAPIE warns where no threshold is valid
    warnings.simplefilter("ignore", UserWarning)
    measure.print_text(
        "Peers in the same run: scikit-learn's TunedThresholdClassifierCV (five folds, 100 thresholds, balanced",
        "accuracy, its defaults) and MAPIE's BinaryClassificationController (false positive rate, fixed_sequence, 100",
        f"thresholds), alpha = delta = {ALPHA:g}. All train scikit-learn's logistic regression on {N_COLUMNS} columns,",
        "with equally likely classes. npc trains once, on half of class 0 and all of class 1. The first peer trains",
        "six times, five of them on four fifths of the rows, and spends most of its time on the metric at each",
        "threshold. The second trains once, on half of the rows. Predictions are of n new rows. Only the time is",
        "compared here; docs/comparison.md says what each of them guarantees.",
    )
    found = {name: measure.installed(name) for name in ("scikit-learn", "mapie")}
    told = (f"{name} {number or 'is not installed: skipped'}" for name, number in found.items())
    measure.print_text("; ".join(told) + ".")
    measure.print_table(measure.RATIO_COLUMNS, (row for n in given.rows for row in rows_for(n, given.runs)))
    print_timings_of_r()


if __name__ == "__main__":
    main()
