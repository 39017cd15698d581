"""The vignettes of the site: copies of the notebooks as they are stored, and a page that lists them."""

import base64
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


def section_pictures(notebook, section):
    """Return the stored pictures (PNG, as bytes) of the cells from a heading to the next one."""
    inside, found, pictures = False, False, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for heading in re.findall(r"^#+ (.+)$", "".join(cell["source"]), flags=re.MULTILINE):
                inside = heading.strip() == section
                found = found or inside
        elif inside:
            data = [output.get("data", {}) for output in cell.get("outputs", [])]
            pictures += [base64.b64decode("".join(kinds["image/png"])) for kinds in data if "image/png" in kinds]
    if not found:
        raise ValueError(f"the vignette has no section {section!r}")
    return pictures


def write_pictures(source, target, wanted):
    """Write the pictures of sections of notebooks as files; return {(number, section): [file names]}.

    A vignette that is not there has no pictures; a section that its vignette has not is an error.
    """
    names = {}
    for number, section in wanted:
        for path in sorted(source.glob(f"{number}_*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            place = names.setdefault((number, section), [])
            for picture in section_pictures(notebook, section):
                slug = re.sub(r"[^a-z0-9]+", "-", section.lower()).strip("-")
                name = f"vignette-{number}-{slug}-{len(place) + 1}.png"
                (target / name).write_bytes(picture)
                place.append(name)
    return names


def vignettes_page(titles):
    """Return the page that lists the vignettes, in Markdown."""
    entries = "\n".join(name.removesuffix(".ipynb") for name in titles)
    text = (
        "The vignettes are notebooks with stored outputs, in `vignettes/` of the repository. "
        "The last cell of each asserts what its text claims."
    )
    return f"# Vignettes\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
