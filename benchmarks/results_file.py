"""RESULTS.md, a page with a row for each question, and beside it results/NAME.md with all that a script NAME found."""

import os
import re
from pathlib import Path

from page_rows import ROWS
from suite import BENCHMARKS, MOST_SECONDS, SUITE

ENDING = re.compile(r"^\*(Run in|Failed after|Stopped after) (\d+) s: (\S+ \S+) UTC, (.*)\*$")
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
COLUMNS = ("question", "measured", "target", "outcome", "details", "run, UTC")
HEADER = """# Results of the benchmarks

One row for each question, those that miss a target first. `benchmarks/run_all.py` writes this page from the tables in
[results/](results/), so do not edit it; the details have the tables, the machine and the versions.
"0.5 to 2" gives the smallest and the largest value among the rows of a table that have a target (among all rows, if
none has). Each ratio is to a peer that was measured in the same run, in turn, with one BLAS thread; the median over
the runs is compared with the target. The outcome counts the targets of all rows. A question without a target shows
what was found.

`make bench` runs the **suite** within {minutes} minutes, `make bench-studies` the longer **studies**, and
`python benchmarks/run_all.py NAME` a single benchmark. Some scripts are in the suite at a small size as well, as
`NAME-small`; the row then shows the study.

{suite}
"""
DETAILS = """# {script}

Written by `benchmarks/run_all.py`, so do not edit. [All results](../RESULTS.md).
"""


def details_folder(page):
    """Return the folder of the files that a page of results links to."""
    return Path(page).parent / "results"


def earlier_sections(page):
    """Return the sections of the files beside a page of results by name, none if there are no files."""
    found = {}
    for path in sorted(details_folder(page).glob("*.md")):
        for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            found[part.partition("\n")[0].strip()] = part.partition("\n")[2].strip()
    return found


def write_results(page, sections):
    """Write the page, and the files of those scripts whose sections have changed; each file is replaced whole."""
    page = Path(page)
    details_folder(page).mkdir(parents=True, exist_ok=True)
    by_script = {}
    for name in BENCHMARKS:
        if name in sections:
            by_script.setdefault(BENCHMARKS[name].script, []).append(name)
    for script, names in by_script.items():
        text = DETAILS.format(script=script) + "".join(f"\n## {name}\n\n{sections[name]}\n" for name in names)
        path = details_folder(page) / f"{script}.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text)
    rows = sorted((page_row(script, names, sections) for script, names in by_script.items()), key=urgency)
    table = [f"| {' | '.join(row)} |" for row in (COLUMNS, ["---"] * len(COLUMNS), *rows)]
    missing = [name for name in BENCHMARKS if name not in sections]
    not_run = f"\nNot run yet: {', '.join(f'`{name}`' for name in missing)}.\n" if missing else ""
    header = HEADER.format(minutes=MOST_SECONDS // 60, suite=about_suite(sections))
    write_whole(page, header + "\n" + "\n".join(table) + "\n" + not_run)


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


def page_row(script, names, sections):
    """Return the row of the page for one script; the figure is that of the study where there is one."""
    main = min(names, key=lambda name: name != script)
    text = sections[main]
    ending = ENDING.match(text.splitlines()[-1])
    verdicts = [outcome(sections[main])]
    verdicts += [f"{name}: {told}" for name in names if name != main and "**" in (told := outcome(sections[name]))]
    figure, wanted = (filled(words, text) for words in ROWS.get(script, ("-", "-")))
    question = text.splitlines()[0]
    date = ending[3] if ending else "-"
    cells = [question, figure, wanted, "; ".join(verdicts), f"[{script}](results/{script}.md)", date]
    return [cell.replace("|", "\\|") for cell in cells]


def urgency(row):
    """Return what sorts a row: failures and misses first, then what meets its targets, then what has none."""
    told = row[COLUMNS.index("outcome")]
    return next((j for j, mark in enumerate(("**failed**", "**stopped**", "**missed**", "met")) if mark in told), 4)


def outcome(text):
    """Return whether the targets of a section are met, with up to three rows that miss theirs; a dash without targets.

    "yes", "**no**" and "inconclusive" are the verdicts of the tables; the last counts only where there is no other.
    """
    ending = ENDING.match(text.splitlines()[-1])
    if ending and ending[1] != "Run in":
        return f"**{ending[1].split()[0].lower()}**"
    rows = [(header, row) for header, body in tables(text) for row in body]
    cells = [cell for _, row in rows for cell in row]
    missed = sum(cell.startswith("**no**") for cell in cells)
    met, untold = cells.count("yes"), cells.count("inconclusive")
    if not missed and not met:
        return f"inconclusive, {untold} of {untold}" if untold else "-"
    if not missed:
        return f"met, {met} of {met}"
    told = [called(header, row) for header, row in rows if any(cell.startswith("**no**") for cell in row)]
    which = f": {'; '.join(told)}" if len(told) <= 3 else ""
    return f"**missed**, {missed} of {missed + met}{which}"


def called(header, row):
    """Return what a row of a table is called, with its ratio and its target where it has both."""
    if {"median ratio", "at most"} <= set(header):
        return f"{row[0]} ({row[header.index('median ratio')]}, at most {row[header.index('at most')]})"
    return ", ".join(row[:2])


def tables(text):
    """Return the tables of a section, each as its header and its rows of cells."""
    found, lines = [], text.splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if line.startswith("| ---"):
            found.append(([cell.strip() for cell in above.strip("|").split(" | ")], []))
        elif found and cells and above.startswith("|"):
            found[-1][1].append(cells)
    return found


def filled(words, text):
    """Return a text of `ROWS`, filled in from the tables of a section; a dash where there is no such cell."""
    found = tables(text)

    def value(match):
        row, _, column = match[1].rpartition(" | ")
        return cell_at(found, row.split("; "), column) if row else range_of(found, column)

    return re.sub(r"\{([^{}]+)\}", value, words)


def cell_at(found, leading, column):
    """Return the cell of a column in the first row that begins with the `leading` cells, a star standing for any."""
    for header, rows in found:
        for row in rows if column in header else []:
            if all(wanted in ("*", cell) for wanted, cell in zip(leading, row, strict=False)):
                return row[header.index(column)]
    return "-"


def range_of(found, column):
    """Return the smallest and the largest number that begin the cells of a column, where there are verdicts if any."""
    rows = [(row, row[header.index(column)]) for header, body in found if column in header for row in body]
    judged = [cell for row, cell in rows if any(c in ("yes", "inconclusive") or c.startswith("**no**") for c in row)]
    numbers = [match[0] for cell in judged or [cell for _, cell in rows] if (match := NUMBER.match(cell))]
    if not numbers:
        return "-"
    ordered = sorted(numbers, key=lambda number: float(number.replace(",", "")))
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"
