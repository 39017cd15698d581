"""How long does predict with 11 splits take, relative to the matrix products of its members?"""

import time
import tracemalloc

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from nproc import npc

SIZES = (100_000, 1_000_000, 10_000_000)
N_COLUMNS, N_SPLITS = 20, 11
RUNS = 5
MOST = 1.2
# of these rows a fifth of the entries are stored
SPARSE_ROWS, DENSITY = 1_000_000, 0.2
FOREST_ROWS, FOREST_CHUNK = 200_000, 50_000


def training_rows(n=4000):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, N_COLUMNS)) + 0.3 * y[:, np.newaxis], y


def new_rows(n):
    rng = np.random.default_rng(n)
    X = np.empty((n, N_COLUMNS))
    # a part at a time, so that making the rows takes no second copy of them
    for start in range(0, n, 1 << 16):
        X[start : start + (1 << 16)] = rng.normal(0.15, 1, size=X[start : start + (1 << 16)].shape)
    return X


def peak_of(task):
    """Return what a call takes at most beyond what there is, and the bytes of its result."""
    tracemalloc.start()
    result = task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result.nbytes


def elapsed(task):
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def dense_rows(fit, n, runs):
    X = new_rows(n)
    weights = [scorer.coef_ for scorer in fit.scorers]

    def products():
        for w in weights:
            X @ w

    seconds = measure.interleave(
        {
            "peer": products,
            "predict": lambda: fit.predict(X),
            "threads": lambda: fit.predict(X, n_jobs=2),
            "margins": lambda: fit.decision_function(X),
        },
        runs,
    )
    peer, at_n = seconds["peer"], f", {n:,} rows"
    yield measure.ratio_row("predict" + at_n, seconds["predict"], peer, MOST)
    yield measure.ratio_row("predict, n_jobs=2" + at_n, seconds["threads"], peer, None)
    yield measure.ratio_row("decision_function" + at_n, seconds["margins"], peer, None)
    peak, size = peak_of(lambda: fit.predict(X))
    one, two = (min(elapsed(lambda j=j: fit.predict(X, n_jobs=j)) for _ in range(2)) for j in (1, 2))
    memory = f"{n:,}", f"{X.nbytes / 1e6:.0f}", f"{size / 1e6:.1f}", f"{(peak - size) / 1e6:.1f}"
    MEMORY.append((*memory, f"{one:.2f}", f"{two:.2f}"))


MEMORY = []


def sparse_row(n, runs):
    rng = np.random.default_rng(1)
    training, y = training_rows()
    kept = sparse.csr_array(np.where(rng.random(training.shape) < DENSITY, training, 0.0))
    # rows with nothing stored are equal, of which npc would warn
    enough = np.flatnonzero(np.diff(kept.indptr) > 0)
    kept, y = kept[enough], y[enough]
    fit = npc(kept, y, "penlog", n_lambdas=10, n_folds=3, n_splits=N_SPLITS, random_state=1)
    X = sparse.random_array((n, N_COLUMNS), density=DENSITY, format="csr", rng=rng)
    weights = [scorer.coef_ for scorer in fit.scorers]

    def products():
        for w in weights:
            X @ w

    seconds = measure.interleave({"peer": products, "predict": lambda: fit.predict(X)}, runs)
    what = f"predict, sparse, {n:,} rows"
    return measure.ratio_row(what, seconds["predict"], seconds["peer"], MOST)


def forest_row(n, runs):
    X, y = training_rows()
    forest = RandomForestClassifier(20, max_depth=8, random_state=1)
    fit = npc(X, y, forest, n_splits=N_SPLITS, random_state=1)
    new = new_rows(n)
    chunks = [new[start : start + FOREST_CHUNK] for start in range(0, n, FOREST_CHUNK)]

    def probabilities():
        for scorer in fit.scorers:
            scorer.predict_proba(new)

    def labels():
        for _ in fit.predict_chunks(chunks):
            pass

    seconds = measure.interleave({"peer": probabilities, "chunks": labels}, max(1, runs // 2))
    return measure.ratio_row(f"predict_chunks, forests, {n:,} rows", seconds["chunks"], seconds["peer"], None)


def main():
    given = measure.arguments(sizes=SIZES, runs=RUNS)
    X, y = training_rows()
    fit = npc(X, y, "logistic", n_splits=N_SPLITS, random_state=1)
    measure.print_text(
        f"Logistic ensemble of {N_SPLITS} splits, {N_COLUMNS} columns. Peer: the matrix-vector products of the",
        "same rows with the weights of each member (of the forests: their `predict_proba`). Processor time, one BLAS",
        "thread.",
    )
    rows = [row for n in given.sizes for row in dense_rows(fit, n, given.runs)]
    most = max(given.sizes)
    rows += [sparse_row(min(SPARSE_ROWS, most), given.runs), forest_row(min(FOREST_ROWS, most), given.runs)]
    measure.print_table(measure.RATIO_COLUMNS, rows)
    measure.print_text(
        "`predict` takes one matrix product for all members, block by block, with the check that all values are",
        "finite; `decision_function` scores by each member itself. Memory of `predict` (tracemalloc) and elapsed time:",
    )
    columns = ("rows", "X, MB", "labels, MB", "beyond both, MB", "1 thread, s", "2 threads, s")
    measure.print_table(columns, MEMORY)


if __name__ == "__main__":
    main()
