"""The page of references, and the citations in docstrings that lead to it."""

import re

ACCENTS = {
    r"{\'e}": "é",
    r"{\"e}": "ë",
    r"{\`a}": "à",
    r"{\'E}": "É",
    r"{\`e}": "è",
    r"{\"a}": "ä",
    r"{\"o}": "ö",
    r"{\"u}": "ü",
    r"{\'a}": "á",
    r"{\'o}": "ó",
    r"{\^\i}": "î",
    r"{\^i}": "î",
    r"{\c c}": "ç",
    r"{\o}": "ø",
}
# where a work appeared, in the order in which it is written
PLACES = ("journal", "booktitle", "institution", "publisher", "note")
DEFINITION = re.compile(r"^( *)\.\. \[(\w+)\] ")


def read_bibliography(text):
    """Return the entries of a BibTeX file as {key: {field: value}}, in the file's order."""
    entries = {}
    for kind, key, body in re.findall(r"@(\w+)\{([\w-]+),\s*(.*?)\n\}", text, flags=re.DOTALL):
        pairs = re.findall(r"(\w+)\s*=\s*\{(.*)\}\s*,?\s*$", body, flags=re.MULTILINE)
        entries[key] = {"kind": kind.lower()} | {name.lower(): plain(value) for name, value in pairs}
    return entries


def plain(value):
    """Return a BibTeX value without braces, with its accents as letters."""
    for code, letter in ACCENTS.items():
        value = value.replace(code, letter)
    return value.replace("{", "").replace("}", "").replace("--", "-").replace("~", " ")


def initials(given):
    """Return the initials of given names, with the hyphen of a double one."""
    return " ".join("-".join(f"{part[0]}." for part in name.split("-") if part) for name in given.split())


def authors_of(entry):
    """Return the authors as they are cited: Tong, X., Feng, Y. and Li, J. J."""
    names = []
    for name in re.split(r"\s+and\s+", entry["author"]):
        family, _, given = name.partition(", ")
        names.append(f"{family}, {initials(given)}" if given else family)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def reference(entry):
    """Return one line of a list of references, in reStructuredText."""
    words = [f"{authors_of(entry)} ({entry['year']}). {entry['title'].rstrip('.')}."]
    place = next((entry[name] for name in PLACES if name in entry), "")
    volume = entry.get("volume", "") + (f"({entry['number']})" if "volume" in entry and "number" in entry else "")
    number = entry["number"] if "number" in entry and "volume" not in entry else ""
    details = ", ".join(part for part in (volume, entry.get("pages", ""), number) if part)
    if place:
        words.append(f"*{place}*" + (f" {details}." if details else "."))
    elif details:
        words.append(f"{details}.")
    if "doi" in entry:
        words.append(f"`doi:{entry['doi']} <https://doi.org/{entry['doi']}>`__")
    return " ".join(words)


def references_page(text):
    """Return the page that every citation leads to, in reStructuredText."""
    lines = ["References", "==========", ""]
    for key, entry in sorted(read_bibliography(text).items()):
        lines += [f".. _ref-{key}:", "", f".. [{key}] {reference(entry)}", ""]
    return "\n".join(lines)


def cite_only(lines, known):
    """Take the definitions of known citations out of a docstring's lines, in place.

    A docstring repeats the full reference for a reader at the prompt. On the site each reference is defined once, on
    a page of its own, and here its key is cited. A key that nothing else in the docstring cites gets a line.
    """
    kept, keys, place = [], [], None
    inside = None
    for line in lines:
        found = DEFINITION.match(line)
        if found and found[2] in known:
            inside = len(found[1])
            keys.append(found[2])
            place = len(kept) if place is None else place
            continue
        if inside is not None:
            if line.strip() and len(line) - len(line.lstrip()) > inside:
                continue
            inside = None
        kept.append(line)
    if keys:
        text = "\n".join(kept)
        missing = [f"[{key}]_" for key in keys if f"[{key}]_" not in text]
        kept[place:place] = [", ".join(missing) + "."] if missing else []
        lines[:] = kept
