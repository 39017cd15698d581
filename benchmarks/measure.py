"""What the benchmarks share: one BLAS thread, interleaved repetitions, ratios, tables, and where data lie.

Import it before numpy: the number of threads is fixed when numpy loads.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

# real data and the R package's figures lie beside the checkout, unless this variable says where
SHARED = Path(os.environ.get("NPROC_SHARED", Path(__file__).resolve().parents[2] / "shared"))
FIGURES = Path(__file__).resolve().parent / "figures"


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


def print_text(*sentences):
    """Print a paragraph."""
    print(" ".join(sentences) + "\n", flush=True)
