"""Parts of the page on cost: sections of benchmarks/results/."""


def cost_part(sections, name):
    """Return a section of the results without its question, or the command that writes it where it is missing."""
    if name not in sections:
        return f"No result yet: `python benchmarks/run_all.py {name}` writes what belongs here.\n"
    return sections[name].partition("\n\n")[2] + "\n"
