"""Write docs/papers.md: every figure and table of the five papers with our figure beside it, from the stored results.

`run_all.py` writes the page with RESULTS.md; `python benchmarks/papers_page.py` writes it alone.
"""

import json
import re
from collections import Counter
from pathlib import Path

from paper_rows import PAPERS, VERDICTS
from results_file import earlier_sections, filled, write_whole

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
PAGE = HERE.parent / "docs" / "papers.md"
VIGNETTES = HERE.parent / "vignettes"
COLUMNS = ("in the paper", "shows", "the paper's figure", "ours", "verdict", "reason", "from")
INTRODUCTION = """# The papers' figures and tables

Every figure and table of the five papers that this package implements, with our figure beside the paper's. Our figures
are filled in from the stored results in `benchmarks/results/` and from the stored outputs of the vignettes. The last
column names the file (`rcv1` is `benchmarks/results/rcv1.md`), which has the sizes, the repetitions, the intervals and
the machine. The verdicts and the reasons are written by hand in `benchmarks/paper_rows.py`. `make bench-studies`
measures again, except for the repetitions that are stored, and writes this page.

- **reproduced**: our figure says what the paper's says, within the noise of both.
- **direction reproduced**: the same order of the methods or the same shape, with other numbers, often on other data.
- **inconclusive**: the rows or the repetitions here are too few. An interval, where there is one, has both answers in
  it.
- **not reproduced**: our figure contradicts the paper's, or there is none.
- **nothing measured**: a drawing that explains, a formula, or a list.

± is a standard deviation, and a number in brackets a standard error, unless the row says otherwise.
"""


def outputs_of(number):
    """Return the text of all stored outputs of the vignette with this number."""
    (path,) = VIGNETTES.glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = [output for cell in cells for output in cell.get("outputs", [])]
    return "\n".join("".join(out.get("text", out.get("data", {}).get("text/plain", ""))) for out in found)


def figure_at(place, sections):
    """Return the figure of ours at a place as `paper_rows.py` writes them; a dash where there is none."""
    source, *begins, cell = place.split(" > ")
    if source[:2].isdigit():
        match = re.search(cell, outputs_of(source))
        return match[1] if match else "-"
    text = sections.get(source, "")
    for beginning in begins:
        text = text[text.index(beginning) :] if beginning in text else ""
    if " | " in cell:
        return filled("{" + cell + "}", text)
    match = re.search(cell, text)
    return match[1] if match else "-"


def filled_in(words, sections):
    """Return a text with its figures."""
    return re.sub(r"\{([^{}]+)\}", lambda match: figure_at(match[1], sections), words)


def source_of(name):
    """Return how the page names a result, a vignette or a test."""
    return f"vignette {name}" if name[:2].isdigit() else f"`{name}`"


def papers_page(sections):
    """Return the page in Markdown from the sections of the results by name."""
    rows = [row for paper in PAPERS for row in paper.rows]
    counts = Counter(row.verdict for row in rows)
    told = ", ".join(f"{counts[verdict]} {verdict.strip('*')}" for verdict in VERDICTS)
    parts = [INTRODUCTION + f"\nOf {len(rows)} entries: {told}.\n"]
    for paper in PAPERS:
        lines = [COLUMNS, ["---"] * len(COLUMNS)]
        for row in paper.rows:
            ours, reason = (filled_in(words, sections) for words in (row.ours, row.reason))
            where = ", ".join(source_of(name) for name in row.where) or "-"
            lines.append((f"**{row.label}**", row.shows, row.paper, ours, row.verdict, reason, where))
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"## {paper.citation}\n\n{table}\n")
    return "\n".join(parts)


def write_papers():
    """Write the page from the files beside RESULTS.md."""
    write_whole(PAGE, papers_page(earlier_sections(RESULTS)))


if __name__ == "__main__":
    write_papers()
