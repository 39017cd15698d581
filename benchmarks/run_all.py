"""Run the suite of benchmarks within its time and write their results; or run those that are named.

`make bench` runs the suite: each script in an interpreter of its own, all of them together within 20 minutes. With
names on the command line only these are run; `--studies` runs all the long ones, which have no limit. As soon as a
script ends, its section in `results/SCRIPT.md` and its row in `RESULTS.md` are written, so that they stay if the rest
is interrupted. With `--checkpoint` the same command resumes where it stopped.
"""

import argparse
import hashlib
import os
import platform
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from papers_page import RESULTS, write_papers
from results_file import details_folder, earlier_sections, write_results, write_whole
from suite import BENCHMARKS, STUDIES, SUITE

HERE = Path(__file__).resolve().parent
PACKAGES = (
    *("nproc-py", "numpy", "scipy", "scikit-learn", "statsmodels", "joblib", "pandas", "numba", "pyarrow", "dask"),
    "mapie",
)
# what a script that is stopped may take to end its processes, in seconds
GRACE = 5


def processor():
    """Return what the processor calls itself, where the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def memory():
    """Return the size of the main memory, where the system tells."""
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GB of memory"
    except (AttributeError, ValueError, OSError):
        return "memory unknown"


def versions():
    """Return the names and versions of those packages that are installed."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def environment():
    """Return one line on the machine and the packages, which stands under each section."""
    return (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {os.cpu_count()} cores, {processor()}, {memory()}, "
        f"{platform.system()} {platform.machine()}, load {os.getloadavg()[0]:.1f} at the start; "
        f"Python {platform.python_version()}, {versions()}"
    )


def run_script(command, seconds, environ):
    """Return the output, the errors and the exit code of a command, None if it was stopped after so many seconds.

    It gets a process group of its own, so that its workers end with it, also where this run is interrupted.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes, cwd=HERE, env=environ, start_new_session=True)
    try:
        return (*process.communicate(timeout=seconds), process.returncode)
    except subprocess.TimeoutExpired:
        end(process)
        return (*process.communicate(), None)
    except BaseException:
        end(process)
        raise


def end(process):
    """End a process and its children: asked first, and then made to."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            continue


def end_at_signals():
    """Let a request to end this process, or the end of its terminal, be an exit that ends its scripts as well."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: sys.exit(128 + number))


def kept_section(folder, name, *, figures, tiny):
    """Return the file that keeps the section of a benchmark which ended well.

    Its name depends on all that the section does: sizes, versions, place of the figures, and the source of benchmarks
    and package.
    """
    benchmark = BENCHMARKS[name]
    sizes = benchmark.tiny if tiny else benchmark.arguments
    digest = hashlib.sha256(repr((name, sizes, versions(), platform.python_version(), str(figures))).encode())
    for path in (*sorted(HERE.glob("*.py")), *sorted((HERE.parent / "nproc").rglob("*.py"))):
        digest.update(path.read_bytes())
    return folder / "sections" / f"{name}-{digest.hexdigest()[:16]}.md"


def section(name, seconds, *, figures, tiny=False, checkpoint=None):
    """Run one benchmark; return its part of the report and whether it ended well."""
    benchmark = BENCHMARKS[name]
    script = HERE / f"{benchmark.script}.py"
    sizes = benchmark.tiny if tiny else benchmark.arguments
    where, started = environment(), time.monotonic()
    environ = {**os.environ, "NPROC_FIGURES": str(figures)}
    if checkpoint is not None:
        environ["NPROC_CHECKPOINT"] = str(checkpoint.resolve())
    out, err, code = run_script([sys.executable, str(script), *sizes], seconds, environ)
    took = time.monotonic() - started
    body, ending = out.strip(), "Run in"
    if code is None:
        ending = "Stopped after"
        body = f"**Stopped** after {took:.0f} s, when its time in the suite was over. It had printed:\n\n{body}"
    elif code != 0:
        ending = "Failed after"
        printed = f" It had printed:\n\n{body}" if body else ""
        body = f"**Failed.** {(err.strip().splitlines() or ['no message'])[-1]}{printed}"
    sys.stderr.write(f"{name}: {ending.lower()} {took:.0f} s\n{err}")
    question = script.read_text(encoding="utf-8").split('"""')[1].splitlines()[0]
    notes = [f"Sizes: `{' '.join(sizes)}`."] if sizes else []
    if checkpoint is not None:
        notes.append("Run with a checkpoint: repetitions that an earlier run had kept are not in the seconds below.")
    parts = [question, " ".join(notes), body, f"*{ending} {took:.0f} s: {where}.*"]
    return "\n\n".join(part for part in parts if part), code == 0


def write_pages(results, sections):
    """Write the page of results, and docs/papers.md if the results are those of this folder."""
    write_results(results, sections)
    if results.resolve() == RESULTS:
        write_papers()


def chosen(arguments):
    """Return the names to run, in the order of the results."""
    unknown = sorted(set(arguments.names) - set(BENCHMARKS))
    if unknown:
        raise SystemExit(f"unknown benchmark(s) {unknown}; there are {', '.join(BENCHMARKS)}")
    names = set(arguments.names) or set(STUDIES if arguments.studies else SUITE)
    return [name for name in BENCHMARKS if name in names]


def all_names():
    """Return the names of all benchmarks, those of the suite and the studies apart, for the help."""
    groups = {"the suite": SUITE, "the studies": STUDIES}
    wrap = textwrap.TextWrapper(80, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(f"{group}:\n{wrap.fill(', '.join(names))}" for group, names in groups.items())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=all_names(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run alone; by default the suite")
    parser.add_argument("--studies", action="store_true", help="run all studies, which take hours")
    parser.add_argument("--tiny", action="store_true", help="sizes that only show that the scripts run")
    parser.add_argument(
        "--checkpoint", type=Path, help="a folder for sections and for what repetitions yield: run again to resume"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=HERE / "RESULTS.md",
        help="the page to write; the details go into the folder results beside it",
    )
    given = parser.parse_args()
    names = chosen(given)
    if given.tiny and given.results.resolve() == HERE / "RESULTS.md":
        raise SystemExit("--tiny measures nothing: give --results another file than RESULTS.md.")
    sections, failed, deadline = earlier_sections(given.results), [], time.monotonic()
    figures = details_folder(given.results.resolve()) / "figures"
    # what one script leaves of its share, the next may use; nobody gets the share of a later one
    for name in names:
        kept = given.checkpoint and kept_section(given.checkpoint, name, figures=figures, tiny=given.tiny)
        if kept and kept.is_file():
            sys.stderr.write(f"{name}: kept from an earlier run\n")
            sections[name] = kept.read_text(encoding="utf-8")
            write_pages(given.results, sections)
            continue
        share = BENCHMARKS[name].share
        deadline += share or 0
        seconds = None if share is None else max(1.0, deadline - time.monotonic())
        sections[name], good = section(name, seconds, figures=figures, tiny=given.tiny, checkpoint=given.checkpoint)
        failed += [] if good else [name]
        write_pages(given.results, sections)
        if kept and good:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, sections[name])
    print(given.results.read_text(encoding="utf-8"))
    if failed:
        raise SystemExit(f"failed or stopped: {', '.join(failed)}")


if __name__ == "__main__":
    end_at_signals()
    main()
