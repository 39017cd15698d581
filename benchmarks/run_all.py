"""Run every benchmark in an interpreter of its own and write RESULTS.md.

With names of scripts on the command line, run those alone and replace their sections.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = (
    "threshold_and_band",
    "simultaneous_band",
    "umbrella_overhead",
    "import_time",
    "real_data",
    "split_ratio",
    "comparison_power",
    "multiclass",
    "shifted_svm",
    "annealed_speedup",
    "stochastic_epoch",
    "np_methods_rbf",
    "np_methods_gen",
    "np_methods_linear",
    "np_methods_onp",
    "rcv1",
    "qvalues_psm",
    "constrained_np",
    "constrained_rna",
    "constrained_levels",
    "sparse_logistic_artificial",
    "sparse_logistic_covertype",
    "sparse_logistic_npc",
    "ensembles",
)
RESULTS = HERE / "RESULTS.md"
HEADER = """# Results of the benchmarks

Written by `benchmarks/run_all.py`; do not edit. Each ratio is to a peer measured in the same run, in turn, with
one BLAS thread; the median over the runs is what is compared with the target. Other programs may have run at the
same time.
"""
PACKAGES = ("nproc-py", "numpy", "scipy", "scikit-learn", "statsmodels", "joblib", "pandas", "numba")


def processor():
    """Return what the processor calls itself, where the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def environment():
    """Return one line on the machine and the packages, which stands under each section."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {os.cpu_count()} cores, {processor()}, "
        f"{platform.system()} {platform.machine()}, load {os.getloadavg()[0]:.1f} at the start; "
        f"Python {platform.python_version()}, {versions}"
    )


def section(name):
    """Run one script; return its part of the report and whether it ended well."""
    script = HERE / f"{name}.py"
    where, started = environment(), time.monotonic()
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=HERE)
    seconds = time.monotonic() - started
    question = script.read_text().split('"""')[1].splitlines()[0]
    body = run.stdout
    if run.returncode != 0:
        body = f"**Failed.** {(run.stderr.strip().splitlines() or ['no message'])[-1]}"
    sys.stderr.write(f"{name}: {seconds:.0f} s, exit code {run.returncode}\n{run.stderr}")
    return f"{question}\n\n{body.strip()}\n\n*Run in {seconds:.0f} s: {where}.*", run.returncode == 0


def earlier_sections():
    """Return the sections of the present RESULTS.md by name."""
    if not RESULTS.is_file():
        return {}
    parts = RESULTS.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0].strip(): part.partition("\n")[2].strip() for part in parts}


def main():
    chosen = sys.argv[1:] or SCRIPTS
    unknown = sorted(set(chosen) - set(SCRIPTS))
    if unknown:
        raise SystemExit(f"unknown benchmark(s) {unknown}; there are {', '.join(SCRIPTS)}")
    sections, failed = earlier_sections(), []
    for name in chosen:
        sections[name], good = section(name)
        failed += [] if good else [name]
        ordered = [f"\n## {known}\n\n{sections[known]}\n" for known in SCRIPTS if known in sections]
        RESULTS.write_text(HEADER + "".join(ordered))
    print(RESULTS.read_text())
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
