"""What does the umbrella add to the fitting and scoring of its base models?"""

from __future__ import annotations

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
REPEATS = 31
LIMIT = 1.15
COLUMNS = (*measure.RATIO_COLUMNS, "pages, peer and this")
# the option for the child whose C library keeps freed memory (glibc reads these variables; others ignore them)
CHILD = "--memory-kept"
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


def page_faults(task, repeats=5):
    """Return the pages that a call is given by the system, the median of some calls."""
    counts = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        task()
        counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return f"{statistics.median(counts):,.0f}"


def rows(ending):
    """Yield the ratios to the base models alone, and to the base models with the drawing of the splits."""
    X, y = data()
    splits = own_splits(y)

    def umbrella():
        return npc(X, y, "lda", n_splits=N_SPLITS, random_state=SEED)

    for ours, theirs in zip(umbrella().scores0, base_models(X, y, splits), strict=True):
        # the very same work, or the ratio would say nothing
        if not np.array_equal(ours, theirs):
            raise SystemExit("the umbrella and the base models were not given the same splits")
    tasks = {
        "alone": lambda: base_models(X, y, splits),
        "with splits": lambda: base_models(X, y, own_splits(y)),
        "umbrella": umbrella,
    }
    seconds = measure.interleave(tasks, REPEATS)
    pages = {name: page_faults(task) for name, task in tasks.items()}
    for peer, what in (("alone", "base models alone"), ("with splits", "base models and their splits")):
        row = measure.ratio_row(f"npc to {what}{ending}", seconds["umbrella"], seconds[peer], LIMIT)
        yield (*row, f"{pages[peer]}, {pages['umbrella']}")


def main():
    if CHILD in sys.argv:
        measure.print_table(COLUMNS, rows(", memory kept"))
        return
    measure.print_text(
        f"Peer: the {N_SPLITS} base models: scikit-learn's LinearDiscriminantAnalysis on the same training rows, and",
        f"its scores of the same left-out rows (equal to ours). n = {N_ROWS:,}, p = {N_COLUMNS}. Once with",
        "the splits given to it, and once drawing the splits in the same call, as npc does.",
    )
    measure.print_table(COLUMNS, rows(""))
    kept = subprocess.run(
        [sys.executable, __file__, CHILD],
        env={**os.environ, **KEEP_MEMORY},
        capture_output=True,
        text=True,
        check=True,
    )
    measure.print_text(
        "The same where the C library keeps freed memory. By default it gives memory back after a model and is given",
        "it again page by page. How many pages depends on how the blocks of memory happen to lie, which differs",
        "between programs that do the same work (last column):",
    )
    print(kept.stdout)


if __name__ == "__main__":
    main()
