"""What the house tests ask of the source: its files, and the modules that each imports."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "nproc"
FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(path):
    """Dotted name of a file of the package."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


@cache
def nodes_of(path):
    """All nodes of the syntax tree of a file, in the order of `ast.walk`."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imported_modules(path):
    """Names of all modules that a file imports anywhere, inside functions too; a leading dot marks a relative one.

    What is imported for type checkers alone does not count.
    """
    found = set()
    blocks = [node for node in nodes_of(path) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    unseen = {inner for block in blocks for part in block.body for inner in ast.walk(part)}
    for node in nodes_of(path):
        if node in unseen:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                if (base, alias.name) == ("nproc", "__version__"):
                    continue
                # "from nproc import ranks" imports a module, "from nproc.orderstat import x" a name
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in MODULES else base)
    return frozenset(found)
