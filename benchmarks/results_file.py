"""RESULTS.md: a header, a table of what was run and with which outcome, and a section for each benchmark."""

import os
import re
from pathlib import Path

from suite import BENCHMARKS, MOST_SECONDS, SUITE

ENDING = re.compile(r"^\*(Run in|Failed after|Stopped after) (\d+) s: (\S+ \S+) UTC, (.*)\*$")
COLUMNS = ("benchmark", "question", "kind", "seconds", "run, UTC", "outcome")
HEADER = """# Results of the benchmarks

Written by `benchmarks/run_all.py`; do not edit. Each ratio is to a peer measured in the same run, in turn, with
one BLAS thread; the median over the runs is what is compared with the target. Other programs may have run at the
same time: the load is in the line under each section, with the machine and the versions.

There are two kinds. The **suite** is what `make bench` runs, within {minutes} minutes. A **study** takes longer, up to
an hour, and is run alone: `python benchmarks/run_all.py NAME`, or all of them by `make bench-studies`; its section
stays as it was run, with a date of its own. The outcome counts the cells of a section that say whether a target, or
what a paper claims, is met; a dash where a section states none.

{suite}
"""


def earlier_sections(path):
    """Return the sections of a file of results by name, none if it is not there."""
    if not path.is_file():
        return {}
    parts = path.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0].strip(): part.partition("\n")[2].strip() for part in parts}


def write_results(path, sections):
    """Write the sections in the order of `BENCHMARKS` under a summary; the file is replaced whole, or not at all."""
    path = Path(path)
    names = [name for name in BENCHMARKS if name in sections]
    rows = [summary_row(name, sections[name]) for name in names]
    table = [f"| {' | '.join(row)} |" for row in (COLUMNS, ["---"] * len(COLUMNS), *rows)]
    missing = [name for name in BENCHMARKS if name not in sections]
    not_run = f"\nNot run yet: {', '.join(f'`{name}`' for name in missing)}.\n" if missing else ""
    header = HEADER.format(minutes=MOST_SECONDS // 60, suite=about_suite(sections))
    text = header + "\n" + "\n".join(table) + "\n" + about_missed(sections) + not_run
    text += "".join(f"\n## {name}\n\n{sections[name]}\n" for name in names)
    write_whole(path, text)


def write_whole(path, text):
    """Write a file by putting a complete one in its place."""
    half_written = path.with_name(f".{path.name}.{os.getpid()}")
    half_written.write_text(text, encoding="utf-8")
    half_written.replace(path)


def about_suite(sections):
    """Return a sentence on when the suite was last run, and how long it took."""
    found = [ENDING.match(sections[name].splitlines()[-1]) for name in SUITE if name in sections]
    found = [match for match in found if match]
    if not found:
        return "The suite was not run yet."
    dates = sorted(match[3] for match in found)
    seconds = sum(int(match[2]) for match in found)
    when = f"on {dates[0]}" if dates[0] == dates[-1] else f"from {dates[0]} to {dates[-1]}"
    were, together = ("was", "") if len(found) == 1 else ("were", " together")
    return f"{len(found)} of the {len(SUITE)} parts of the suite {were} run {when} UTC and took {seconds} s{together}."


def summary_row(name, text):
    """Return the row of the summary for one section."""
    ending = ENDING.match(text.splitlines()[-1])
    how, seconds, date = (ending[1], ending[2], ending[3]) if ending else ("", "-", "-")
    question = text.splitlines()[0].replace("|", "\\|")
    outcome = {"Failed after": "**failed**", "Stopped after": "**stopped**"}.get(how) or targets(text)
    return [f"[{name}](#{name})", question, BENCHMARKS[name].kind, seconds, date, outcome]


def cells_of(text):
    """Return the rows of the tables of a section, as lists of cells."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def targets(text):
    """Return how many of the targets of a section are met: "yes" and "**no**" are the verdicts of its tables."""
    cells = [cell for row in cells_of(text) for cell in row]
    met, missed = cells.count("yes"), sum(cell.startswith("**no**") for cell in cells)
    if not met + missed:
        return "-"
    return f"{met} of {met + missed} met" + f", **{missed} missed**" * bool(missed)


def about_missed(sections):
    """Return a paragraph that names what missed its target in the suite, or nothing."""
    missed = {
        name: [row[0] for row in cells_of(sections[name]) if any(cell.startswith("**no**") for cell in row)]
        for name in SUITE
        if name in sections
    }
    told = [f"`{name}`: {'; '.join(rows)}" for name, rows in missed.items() if rows]
    return f"\nMissed in the suite: {'. '.join(told)}.\n" if told else ""
