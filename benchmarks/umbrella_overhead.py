"""How much time does npc add to fitting and scoring its base models?"""

import os
import resource
import statistics
import subprocess
import sys

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nproc import npc
from nproc.splitting import make_splits

N_ROWS, N_COLUMNS, N_SPLITS, SEED = 10_000, 10, 11, 1
ROUNDS, REPEATS = 9, 15
LIMIT = 1.15
COLUMNS = (*measure.RATIO_COLUMNS, "pages, peer and this")
TASKS = ("alone", "with splits", "umbrella")
# for interpreters whose C library keeps freed memory (glibc reads these variables; others ignore them)
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}


def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_ROWS)
    return rng.normal(size=(N_ROWS, N_COLUMNS)) + 0.5 * y[:, None], y


def own_splits(y):
    return make_splits(y, N_SPLITS, 0.5, SEED, leave_out_class1=False)


def base_models(X, y, splits):
    scores = []
    for split in splits:
        model = LinearDiscriminantAnalysis().fit(X[split.idx_train], y[split.idx_train])
        scores.append(model.decision_function(X[split.idx_left0]))
    return scores


def measure_one(name, runs):
    """Print the median processor time of a task in this interpreter, and the pages it is given by the system."""
    X, y = data()
    splits = own_splits(y)
    task = {
        "alone": lambda: base_models(X, y, splits),
        "with splits": lambda: base_models(X, y, own_splits(y)),
        "umbrella": lambda: npc(X, y, "lda", n_splits=N_SPLITS, split_ratio=0.5, random_state=SEED),
    }[name]
    if name == "umbrella":
        for ours, theirs in zip(task().scores0, base_models(X, y, splits), strict=True):
            # the very same work, or the ratio would say nothing
            if not np.array_equal(ours, theirs):
                raise SystemExit("the umbrella and the base models were not given the same splits")
    task()
    seconds, pages = [], []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        seconds.append(measure.seconds_of(task))
        pages.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    print(statistics.median(seconds), statistics.median(pages))


def rows(ending, environment, rounds, runs):
    """Yield the ratios to the base models alone, and to the base models with the drawing of the splits."""
    seconds, pages = {name: [] for name in TASKS}, {name: [] for name in TASKS}
    for number in range(rounds):
        for name in TASKS if number % 2 == 0 else reversed(TASKS):
            done = subprocess.run(
                [sys.executable, __file__, "--runs", str(runs), "--task", str(TASKS.index(name))],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=True,
            )
            one_seconds, one_pages = map(float, done.stdout.split())
            seconds[name].append(one_seconds)
            pages[name].append(one_pages)
    for peer, what in (("alone", "base models alone"), ("with splits", "base models and their splits")):
        row = measure.ratio_row(f"npc to {what}{ending}", seconds["umbrella"], seconds[peer], LIMIT)
        yield (*row, f"{statistics.median(pages[peer]):,.0f}, {statistics.median(pages['umbrella']):,.0f}")


def main():
    given = measure.arguments(rounds=ROUNDS, runs=REPEATS, task=-1)
    if given.task >= 0:
        measure_one(TASKS[given.task], given.runs)
        return
    measure.print_text(
        f"Peer: the {N_SPLITS} base models: scikit-learn's LinearDiscriminantAnalysis on the same training rows, and",
        f"its scores of the same left-out rows (equal to ours). n = {N_ROWS:,}, p = {N_COLUMNS}. Once with",
        "the splits given to it, and once drawing the splits in the same call, as npc does. A run is the median of",
        f"{given.runs} calls in an interpreter of its own: within one, what ran before decides how blocks of memory",
        "lie, and so how often the system must give pages anew, which here is a fifth of the time.",
    )
    measure.print_table(COLUMNS, rows("", {}, given.rounds, given.runs))
    measure.print_text("The same where the C library keeps freed memory:")
    measure.print_table(COLUMNS, rows(", memory kept", KEEP_MEMORY, given.rounds, given.runs))


if __name__ == "__main__":
    main()
