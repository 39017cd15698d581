"""Parts of the page on cost: sections of benchmarks/RESULTS.md."""

from sitegen.paper_pages import local_figures, sections_of


def cost_part(results, name):
    """Return a section of the results without its question, or the command that writes it where it is missing."""
    sections = sections_of(results)
    if name not in sections:
        return f"No result yet: `python benchmarks/run_all.py {name}` writes what belongs here.\n"
    return local_figures(sections[name].partition("\n\n")[2]) + "\n"
