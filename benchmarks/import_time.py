"""How long does `import nproc` take, relative to `import sklearn.linear_model`?"""

import resource
import subprocess
import sys
import time

import measure

REPEATS = 15
LIMIT = 1.15
LAZY = ("matplotlib", "statsmodels", "formulaic", "joblib", "sklearn.ensemble", "sklearn.linear_model")


def run(statement):
    """Return wall seconds and processor seconds of a fresh interpreter that runs `statement`."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def loaded_by_nproc():
    """Return which of the modules that should wait are loaded by `import nproc`."""
    probe = f"import sys, nproc; print(*[name for name in {LAZY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout.split()


def main():
    runs = measure.arguments(runs=REPEATS).runs
    statements = {"peer": "import sklearn.linear_model", "nproc": "import nproc"}
    for statement in statements.values():
        run(statement)
    wall = {name: [] for name in statements}
    processor = {name: [] for name in statements}
    for repeat in range(runs):
        for name in statements if repeat % 2 == 0 else reversed(statements):
            seconds = run(statements[name])
            wall[name].append(seconds[0])
            processor[name].append(seconds[1])
    measure.print_text(
        "Peer: `import sklearn.linear_model`. Fresh interpreters in turn, their start included, bytecode cached."
    )
    measure.print_table(
        measure.RATIO_COLUMNS,
        [
            measure.ratio_row("import nproc, processor time", processor["nproc"], processor["peer"], LIMIT),
            measure.ratio_row("import nproc, wall clock", wall["nproc"], wall["peer"], LIMIT),
        ],
    )
    heavy = loaded_by_nproc()
    measure.print_text(
        f"Of {', '.join(LAZY)}, the import loads: {', '.join(heavy) or 'none'}. Most of the time goes to",
        "scikit-learn's base (scipy.stats, and pandas where it is installed), which both need.",
    )


if __name__ == "__main__":
    main()
