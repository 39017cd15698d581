"""Docstrings are written for a reader at the prompt; here they become correct reStructuredText."""

import re

QUOTED = re.compile(r"(``.*?``|`[^`]*`)", flags=re.DOTALL)
# coef_ is a name of scikit-learn's convention, not a link; [tong2018]_ is one
TRAILING = re.compile(r"(?<![\w\\`])([A-Za-z]\w*)_(?![\w`])")
# |x| is an absolute value, not a substitution
BAR = re.compile(r"(?<!\\)\|")


def escape_names(lines):
    """Escape trailing underscores and bars in the text of a docstring, in place; code and formulas stay."""
    text, kept = [], []
    verbatim = None

    def flush():
        parts = QUOTED.split("\n".join(text))
        plain = [BAR.sub(r"\\|", TRAILING.sub(r"\1\\_", part)) for part in parts[::2]]
        parts[::2] = plain
        kept.extend("".join(parts).split("\n"))
        text.clear()

    for line in lines:
        indent = len(line) - len(line.lstrip())
        if verbatim is not None and line.strip() and (verbatim < 0 or indent > verbatim):
            kept.append(line)
            continue
        if verbatim is not None and not line.strip() and verbatim >= 0:
            kept.append(line)
            continue
        verbatim = None
        if line.lstrip().startswith(">>>"):
            verbatim = -1
        elif line.lstrip().startswith(".. math::"):
            verbatim = indent
        if verbatim is None:
            text.append(line)
        else:
            if text:
                flush()
            kept.append(line)
    if text:
        flush()
    lines[:] = kept


ENTRY = re.compile(r"(?P<names>\*?\w+(, \*?\w+)*)( : (?P<kind>.*))?")


def list_attributes(lines):
    """Make a definition list of each section of attributes, in place: an entry may be of several names, and has a type.

    napoleon takes ``a, b : float`` for one name with a type in front.
    """
    found = [i for i in range(len(lines) - 1) if lines[i] == "Attributes" and set(lines[i + 1]) == {"-"}]
    for start in reversed(found):
        end = next((i for i in range(start + 2, len(lines) - 1) if set(lines[i + 1].strip()) == {"-"}), len(lines))
        entries = []
        for line in lines[start + 2 : end]:
            entry = ENTRY.fullmatch(line)
            if entry is None:
                entries.append(line)
                continue
            names = ", ".join(f"**{name}**" for name in entry["names"].split(", "))
            kind = f" : {_plain(entry['kind'])}" if entry["kind"] else ""
            entries += ["", names + kind]
        # napoleon ends a section of parameters at two blank lines
        lines[start:end] = ["", ".. rubric:: Attributes", *entries, ""]


def _plain(kind):
    # in the line of a definition, " : " would start a classifier, and a star emphasis
    return kind.replace("*", r"\*")
