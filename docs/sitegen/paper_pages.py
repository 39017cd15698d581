"""The page of the papers' figures and tables with ours beside them; all numbers come from benchmarks/results/."""

import re

from sitegen.markdown import page, table
from sitegen.paper_items import PAPERS

INTRODUCTION = (
    "This page lists every figure and table of the papers that this package implements, with its counterpart here: a "
    "part of `benchmarks/results/`, a vignette, or a test. The tables and pictures below are copied from those results "
    "when this page is built. The papers' own numbers are shown beside ours where a section has them. If the data of a "
    "paper are not public, the entry says which data are used instead."
)


def sections_in(folder):
    """Return {name: text} of the sections of all files of results, each text without its heading."""
    sections = {}
    for path in sorted(folder.glob("*.md")):
        for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            sections[part.partition("\n")[0].strip()] = part.partition("\n")[2].strip()
    return sections


def blocks_of(text):
    """Return the paragraphs, tables and pictures of a section."""
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def excerpt(text, begins, ends):
    """Return the part of a section from the block that begins with `begins` to the one before `ends`.

    The last block, which says when and where the section was run, always comes with it.
    """
    blocks = blocks_of(text)
    *body, run = blocks
    if begins:
        first = next((j for j, block in enumerate(body) if block.startswith(begins)), None)
        if first is None:
            raise ValueError(f"no part of the section begins with {begins!r}")
        body = body[first:]
    if ends:
        last = next((j for j, block in enumerate(body) if j and block.startswith(ends)), len(body))
        body = body[:last]
    return "\n\n".join([*body, run])


def anchor(paper, item):
    """Return a name for links: paper-tong2018-fig-2."""
    return re.sub(r"[^a-z0-9]+", "-", f"paper-{paper}-{item.label}".lower()).strip("-")


def where(item, sections, titles):
    """Return what answers an item, in a few words."""
    parts = []
    for source in item.sources:
        parts.append(f"`{source.section}`" + ("" if source.section in sections else " (not run yet)"))
    for number in item.vignettes:
        name = vignette(number, titles)
        parts.append(f"[vignette {number}](vignettes/{name})" if name else f"vignette {number}")
    parts += [f"`{path}`" for path in item.tests]
    return ", ".join(parts) if parts else "not repeated"


def vignette(number, titles):
    """Return the file of a vignette, or None if it is not there."""
    return next((name for name in titles if name.startswith(f"{number}_")), None)


def item_text(paper, item, sections, titles, pictures):
    """Return an item of the page: what the paper shows, and ours."""
    parts = [f"({anchor(paper, item)})=\n### {item.label}: {item.shows}"]
    if item.note:
        parts.append(item.note)
    linked = [(number, vignette(number, titles)) for number in item.vignettes]
    shown = [f"[{titles[name]}](vignettes/{name})" for _, name in linked if name]
    if shown:
        parts.append("Ours, with code: " + ", ".join(shown) + ".")
    for picture in item.pictures:
        for name in pictures.get((picture.vignette, picture.section), []):
            parts.append(f"![{picture.section} (vignette {picture.vignette})](figures/{name})")
    if item.tests:
        parts.append("Checked by " + ", ".join(f"`{path}`" for path in item.tests) + ".")
    for source in item.sources:
        if source.section not in sections:
            parts.append(
                f"No result yet: `python benchmarks/run_all.py {source.section}` writes the section that belongs here."
            )
            continue
        text = excerpt(sections[source.section], source.begins, source.ends)
        parts.append(f"From `{source.section}`:\n\n{text}")
    return "\n\n".join(parts)


def wanted_pictures():
    """Return the sections of vignettes whose pictures the page shows."""
    return [(p.vignette, p.section) for paper in PAPERS.values() for item in paper.items for p in item.pictures]


def papers_page(sections, titles, repository, pictures):
    """Return the page in Markdown.

    Parameters
    ----------
    sections : dict
        Sections of the results by name, as `sections_in` returns them.
    titles : dict
        Titles of the vignettes by file name.
    repository : Path
        Where the tests that the page names are looked for; one that is not there is an error.
    pictures : dict
        Files of the pictures of sections of vignettes, as `write_pictures` returns them.
    """
    scripts = {path.stem for path in (repository / "benchmarks").glob("*.py")}
    parts = [INTRODUCTION]
    for key, paper in PAPERS.items():
        for item in paper.items:
            missing = [path for path in item.tests if not (repository / path).is_file()]
            missing += [s.section for s in item.sources if s.section not in scripts]
            if missing:
                raise ValueError(f"{item.label} of {key} names {missing}, which are not there")
        rows = [
            [f"[{item.label}](#{anchor(key, item)})", item.shows, where(item, sections, titles)] for item in paper.items
        ]
        parts.append(f"## {paper.citation}\n\nReference: [{key}](#ref-{key}).")
        parts.append(table(["in the paper", "shows", "ours"], rows))
        parts += [item_text(key, item, sections, titles, pictures) for item in paper.items]
    return page("The papers' figures and tables", *parts)
