"""Is the shifted-box solver as fast as LIBSVM (scikit-learn's SVC) where both solve the same problem?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm

DATA = measure.SHARED / "data"
# name, file, training rows as in the paper, repetitions
SETS = (("spambase", "spambase.csv.gz", 2300, 7), ("magic", "magic04.csv.gz", 9500, 5))
COSTS = (1.0, 10.0, 100.0)
# with a linear kernel: name, file, rows at most; costs, repetitions, and the steps after which SVC stops
LINEAR_SETS = (
    ("ionosphere", "ionosphere.csv", 351),
    ("pima", "pima.csv", 768),
    ("german", "german_numeric24.csv", 1000),
    ("spambase", "spambase.csv.gz", 2300),
)
LINEAR_COSTS, LINEAR_REPEATS, MOST_STEPS = (1.0, 1e3, 1e5), 3, 1_000_000
TOL = 1e-3
CACHE_SIZE = 200.0
MOST = 1.0
# DC iterations: the multiplier moves by this factor, and rows on the wrong side by more than eta are given up
TURNS = 8
FACTOR = 1.02


def training_rows(file, n):
    """Return n rows drawn at random, with standardised columns, and their labels."""
    frame = pd.read_csv(DATA / file)
    frame = frame.iloc[np.random.default_rng(2011).permutation(len(frame))[:n]]
    X, y = frame.drop(columns="y").to_numpy(np.float64), frame["y"].to_numpy()
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def solve(X, y, gamma, cost, **terms):
    # C / (2 eta^2) is SVC's C
    kernel = make_kernel("rbf", gamma=gamma)
    return solve_shifted_svm(
        X, y, kernel=kernel, cost=np.full(y.size, 2.0 * cost), tol=TOL, cache_size=CACHE_SIZE, **terms
    )


def svc(X, y, gamma, cost, tol=TOL):
    return SVC(C=cost, gamma=gamma, tol=tol, cache_size=CACHE_SIZE).fit(X, y)


def objective_of(peer, rows, n):
    """Return the dual objective at SVC's coefficients."""
    coef = np.zeros(n)
    coef[peer.support_] = peer.dual_coef_[0]
    return 0.5 * coef @ rows.product(coef) - np.abs(coef).sum()


def compare(name, X, y, gamma, cost, repeats):
    """Return two table rows: times, and objectives with both solvers' rows, steps and gaps."""
    seconds = measure.interleave(
        {"this": lambda: solve(X, y, gamma, cost), "peer": lambda: svc(X, y, gamma, cost)}, repeats
    )
    rows = KernelRows(make_kernel("rbf", gamma=gamma), X, cache_size=1000.0)
    found, peer = solve(X, y, gamma, cost), svc(X, y, gamma, cost)
    theirs = objective_of(peer, rows, y.size)
    ours = 0.5 * found.coef @ rows.product(found.coef) - np.abs(found.coef).sum()
    what = f"{name} (n = {y.size}), C = {cost:g}"
    return measure.ratio_row(what, seconds["this"], seconds["peer"], MOST), (
        what,
        f"{ours:.6f}",
        f"{(ours - theirs) / abs(theirs):.1e}",
        f"{found.certificate:.1e}",
        f"{found.duality_gap / abs(ours):.1e}",
        found.n_iter,
        int(np.max(peer.n_iter_)),
        int(np.sum(found.coef != 0)),
        peer.support_.size,
    )


OBJECTIVE_COLUMNS = (
    "what",
    "objective",
    "relative difference to SVC",
    "KKT gap",
    "duality gap / objective",
    "steps",
    "SVC's steps",
    "support vectors",
    "SVC's",
)


def tight_difference(X, y, gamma, cost):
    """Return the relative difference of the objectives where both solvers are given a tolerance of 1e-6."""
    rows = KernelRows(make_kernel("rbf", gamma=gamma), X, cache_size=1000.0)
    terms = {"kernel": rows.kernel, "cost": np.full(y.size, 2.0 * cost), "rows": rows}
    found = solve_shifted_svm(X, y, tol=1e-6, **terms)
    theirs = objective_of(svc(X, y, gamma, cost, tol=1e-6), rows, y.size)
    return (found.objective[-1] - theirs) / abs(theirs)


def dc_chain(X, y, gamma, cost, warm):
    """Solve the problems of a few annealed DC iterations; return the number of steps."""
    rows = KernelRows(make_kernel("rbf", gamma=gamma), X, cache_size=CACHE_SIZE) if warm else None
    signs, costs, beta = np.where(y == 1, 1.0, -1.0), np.full(y.size, 2.0 * cost), np.zeros(y.size)
    kernel, found, steps = make_kernel("rbf", gamma=gamma), None, 0
    for _ in range(TURNS):
        start = found if warm else None
        found = solve_shifted_svm(X, y, kernel=kernel, cost=costs, beta=beta, tol=TOL, rows=rows, start=start)
        beta = (signs * found.decision < -1.0).astype(np.float64)
        costs = np.where(y == 0, costs * FACTOR, costs)
        steps += found.n_iter
    return steps


def chain_row(X, y, gamma, cost):
    """Return a table row: warm starts on shared rows against cold ones."""
    tasks = {warm: lambda warm=warm: dc_chain(X, y, gamma, cost, warm) for warm in (True, False)}
    seconds = measure.interleave(tasks, 3)
    steps = [task() for task in tasks.values()]
    row = measure.ratio_row(f"spambase, C = {cost:g}", seconds[True], seconds[False], None)
    return (*row, f"{steps[0]} / {steps[1]}")


def linear_row(name, X, y, cost, repeats):
    """Return a table row: times with a linear kernel, and whether both reach the tolerance."""
    machine = SVC(kernel="linear", C=cost, tol=TOL, cache_size=CACHE_SIZE, max_iter=MOST_STEPS)
    terms = {"kernel": "linear", "cost": np.full(y.size, 2.0 * cost), "tol": TOL}
    tasks = {"this": lambda: solve_shifted_svm(X, y, **terms), "peer": lambda: machine.fit(X, y)}
    with warnings.catch_warnings():
        # it stops early, as the table says
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds = measure.interleave(tasks, repeats)
    found = solve_shifted_svm(X, y, **terms)
    verdicts = ["no" if stopped else "yes" for stopped in (machine.fit_status_, found.certificate > TOL)]
    what = f"{name} ({y.size} x {X.shape[1]}), C = {cost:g}"
    return (*measure.ratio_row(what, seconds["this"], seconds["peer"], MOST), *verdicts)


def main():
    if not DATA.is_dir():
        measure.print_text("Skipped: the real data are not there (set NPROC_SHARED to the folder that holds `data`).")
        return
    runs = measure.arguments(runs=max(repeats for *_, repeats in SETS)).runs
    times, objectives, chains, tight = [], [], [], []
    for name, file, n, repeats in SETS:
        X, y = training_rows(file, n)
        gamma = 1.0 / X.shape[1]
        for cost in COSTS:
            row, objective = compare(name, X, y, gamma, cost, min(repeats, runs))
            times.append(row)
            objectives.append(objective)
        if name == "spambase":
            tight = [f"{tight_difference(X, y, gamma, cost):.1e}" for cost in COSTS]
            chains = [chain_row(X, y, gamma, cost) for cost in COSTS]
    measure.print_text(
        "Rows drawn at random, columns standardised, rbf kernel with gamma = 1/p, no row given up (beta = 0), eta = 1,",
        f"the same tolerance ({TOL:g}) and cache ({CACHE_SIZE:g} MB) for both, one thread, after compilation.",
        "The peer is SVC with the same C; each run begins with an empty cache.",
    )
    measure.print_table(measure.RATIO_COLUMNS, times)
    measure.print_text("Objectives of the dual (smaller is better) at that tolerance:")
    measure.print_table(OBJECTIVE_COLUMNS, objectives)
    measure.print_text(
        "At a tolerance of 1e-6 for both the relative differences on spambase are",
        ", ".join(f"{value} (C = {cost:g})" for value, cost in zip(tight, COSTS, strict=True)) + ".",
    )
    measure.print_text(
        f"{TURNS} DC iterations with the cost of class 0 growing by {FACTOR - 1:.0%} each: warm starts on shared",
        "kernel rows (this) against solving each problem from nothing (peer):",
    )
    measure.print_table((*measure.RATIO_COLUMNS, "steps, warm / cold"), chains)
    linear = []
    for name, file, n in LINEAR_SETS:
        X, y = training_rows(file, n)
        linear += [linear_row(name, X, y, cost, min(LINEAR_REPEATS, runs)) for cost in LINEAR_COSTS]
    measure.print_text(
        f"**Linear kernel.** SVC stops after {MOST_STEPS:,} steps. Where it has not reached the tolerance by then, its",
        "time is a lower bound.",
    )
    measure.print_table((*measure.RATIO_COLUMNS, "SVC reaches the tolerance", "this reaches it"), linear)


if __name__ == "__main__":
    main()
