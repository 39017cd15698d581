"""What users may import: the names of the package, and those of its rooms that the API reference lists."""

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

from sitegen import api_pages

PATHS = {name: api_pages.path_of(name) for _, names in api_pages.GROUPS.values() for name in names}


def thing_at(path):
    """Return what a path such as ``groups.NPGroupFit`` names."""
    room, _, name = path.rpartition(".")
    return getattr(import_module(f"nproc.{room}" if room else "nproc"), name)


PUBLIC = {name: thing_at(path) for name, path in PATHS.items()}
public = SimpleNamespace(**PUBLIC)
