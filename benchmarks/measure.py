"""What the benchmarks share: one BLAS thread, interleaved repetitions, ratios, tables, and where data lie.

Import it before numpy: the number of threads is fixed when numpy loads.
"""

import argparse
import os
import statistics
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

# real data and the R package's figures lie beside the checkout, unless this variable says where
SHARED = Path(os.environ.get("NPROC_SHARED", Path(__file__).resolve().parents[2] / "shared"))
# beside the results, wherever `run_all.py --results` writes them
BENCHMARKS = Path(__file__).resolve().parent
# runs that a later one continues
STORED = BENCHMARKS / "results"
FIGURES = Path(os.environ.get("NPROC_FIGURES", BENCHMARKS / "results" / "figures"))

# a call that takes longer is not warmed up, and timed twice
LONG = 2.5
# of all runs of one size together, in seconds
ENOUGH = 3.0


def arguments(**defaults):
    """Return what the command line says of the sizes of a script: ``--name value`` for each keyword, whole numbers.

    A default that is a tuple takes several values.
    """
    parser = argparse.ArgumentParser()
    for name, default in defaults.items():
        several = {"nargs": "+"} if isinstance(default, tuple) else {}
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default, **several)
    return parser.parse_args()


def installed(package):
    """Return the version of a package, or None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def repeat(function, shared, repetitions, *, label, n_jobs=2):
    """Return ``[function(*shared, seed) for seed in range(repetitions)]``, in parallel.

    Runs as the package's own tasks do, so that ``joblib.parallel_config(backend="dask")`` takes them to a cluster. With
    `run_all.py --checkpoint FOLDER` what ends is kept there, and not run again.
    """
    from nproc.parallel.tasks import run_tasks

    seeds = [(seed,) for seed in range(repetitions)]
    return run_tasks(function, seeds, shared=shared, n_jobs=n_jobs, label=label, **kept(function, shared, label, seeds))


def kept(function, shared, label, tasks):
    """Return where the tasks of this run are kept, as `run_tasks` takes it; nothing without a folder."""
    folder = os.environ.get("NPROC_CHECKPOINT")
    if not folder:
        return {}
    import joblib

    from nproc.checkpoints import Checkpoint
    from nproc.doors import package_versions

    # benchmarks and package are changed while they are measured, so that a version says too little
    package = Path(sys.modules["nproc"].__file__).parent
    code = [path.read_bytes() for path in (*sorted(BENCHMARKS.glob("*.py")), *sorted(package.rglob("*.py")))]
    name = joblib.hash((code, function.__qualname__, shared, label, package_versions()))
    script = Path(sys.argv[0]).stem
    store = Checkpoint(Path(folder) / script / name, name, f"{script}: {label}\n")
    return {"store": store, "keys": [str(*task) for task in tasks]}


def interleave(tasks, repeats):
    """Return seconds of processor time of each task, in turn: ``{name: [seconds, ...]}`` after one warm-up of each.

    Other work on the machine then touches all tasks alike, and the ratio of one repetition is hardly moved.
    """
    for task in tasks.values():
        task()
    seconds = {name: [] for name in tasks}
    names = list(tasks)
    for repeat in range(repeats):
        for name in names if repeat % 2 == 0 else reversed(names):
            seconds[name].append(seconds_of(tasks[name]))
    return seconds


def seconds_of(task):
    """Return the processor time of one call."""
    started = time.process_time()
    task()
    return time.process_time() - started


def time_sizes(tasks, *, runs, least):
    """Return seconds of a call by size: ``{n: [seconds, ...]}`` for ``{n: task}``, the sizes in turn.

    Parameters
    ----------
    tasks : dict
        A function without arguments for each size.
    runs : int
        Most runs of a size, at least 2.
    least : float
        A run repeats the call until it takes about this many seconds.
    """
    seconds, wanted, calls = {}, {}, {}
    for n, task in tasks.items():
        first = seconds_of(task)
        seconds[n] = [first] if first > LONG else []
        calls[n] = 1
        if first < least:
            # the first call also loads what it needs: it says little of the next
            calls[n] = max(1, round(least / max(seconds_of(task), least / 1000)))
        wanted[n] = 2 if first > LONG else max(min(3, runs), min(runs, int(ENOUGH / max(first, least))))
    for turn in range(runs):
        for n in tasks if turn % 2 == 0 else reversed(tasks):
            if len(seconds[n]) < wanted[n]:
                seconds[n].append(seconds_of(lambda n=n: _repeat(tasks[n], calls[n])) / calls[n])
    return seconds


def _repeat(task, calls):
    for _ in range(calls):
        task()


def ratio_row(what, seconds, peer, limit):
    """Return a table row: the ratio of `seconds` to those of `peer`, repetition by repetition, and the verdict."""
    ratios = [a / b for a, b in zip(seconds, peer, strict=True)]
    middle = statistics.median(ratios)
    verdict = "-" if limit is None else ("yes" if middle <= limit else "**no**")
    return (
        what,
        len(ratios),
        f"{statistics.median(peer):.4g}",
        f"{statistics.median(seconds):.4g}",
        f"{middle:.3g}",
        f"{min(ratios):.3g} to {max(ratios):.3g}",
        f"{min(seconds) / min(peer):.3g}",
        "-" if limit is None else f"{limit:g}",
        verdict,
    )


def interval_of_splits(values, test_share):
    """Return the 95 % interval of the mean over random splits of the same rows, as (low, high).

    The splits share rows, so that the standard error over them is too small. That of Nadeau and Bengio (Machine
    Learning 52, 2003) has 1 / J + n_test / n_train for 1 / J; `test_share` is n_test / n_train.
    """
    from scipy.stats import t

    values = [float(value) for value in values]
    half = float(t.ppf(0.975, len(values) - 1)) * statistics.stdev(values) * (1 / len(values) + test_share) ** 0.5
    return statistics.fmean(values) - half, statistics.fmean(values) + half


RATIO_COLUMNS = (
    "what",
    "runs",
    "peer, s",
    "this, s",
    "median ratio",
    "spread",
    "ratio of minima",
    "at most",
    "met",
)


def print_table(columns, rows):
    """Print a Markdown table."""
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
    print()


def median_and_spread(seconds):
    """Return the text of a median with the smallest and the largest value."""
    return f"{statistics.median(seconds):.3g} ({min(seconds):.3g} to {max(seconds):.3g})"


def print_text(*sentences):
    """Print a paragraph."""
    print(" ".join(sentences) + "\n", flush=True)
