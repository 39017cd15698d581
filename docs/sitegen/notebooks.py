"""The vignettes of the site: copies of the notebooks as they are stored, and a page that lists them."""

import json
import re
import shutil


def title_of(notebook):
    """Return the title of a notebook, its first heading."""
    for cell in notebook["cells"]:
        found = re.search(r"^# (.+)$", "".join(cell["source"]), flags=re.MULTILINE)
        if cell["cell_type"] == "markdown" and found:
            return found[1].strip()
    raise ValueError("a vignette needs a title, a line that begins with one #")


def copy_notebooks(source, target):
    """Copy all notebooks of a folder into another, emptied first; return {file name: title}."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    titles = {}
    for path in sorted(source.glob("[0-9]*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        titles[path.name] = title_of(notebook)
        shutil.copyfile(path, target / path.name)
    return titles


def vignettes_page(titles):
    """Return the page that lists the vignettes, in Markdown."""
    entries = "\n".join(name.removesuffix(".ipynb") for name in titles)
    text = (
        "The vignettes are notebooks with stored outputs, in `vignettes/` of the repository. "
        "The last cell of each asserts what its text claims."
    )
    return f"# Vignettes\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
