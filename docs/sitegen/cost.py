"""Parts of the page on cost: sections of benchmarks/results/."""


def sections_in(folder):
    """Return {name: text} of the sections of all files of results, each text without its heading."""
    sections = {}
    for path in sorted(folder.glob("*.md")):
        for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            sections[part.partition("\n")[0].strip()] = part.partition("\n")[2].strip()
    return sections


def cost_part(sections, name):
    """Return a section of the results without its question, or the command that writes it where it is missing."""
    if name not in sections:
        return f"No result yet: `python benchmarks/run_all.py {name}` writes what belongs here.\n"
    return sections[name].partition("\n\n")[2] + "\n"
