"""What pyproject.toml cannot say of a built package: all its folders, and a description with links that work.

The links of README.md lead to files of the repository. With its address, `Source` in ``[project.urls]`` of
pyproject.toml, they become absolute. Without one they become the names of the files, and the picture is left out.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent


def description(text, source):
    """Return Markdown whose relative links are absolute, or names of files if `source` is None."""

    def link(found):
        picture, words, place = found.groups()
        if "://" in place or place.startswith("#"):
            return found[0]
        if source is not None:
            return f"{picture}[{words}]({source.rstrip('/')}/{'raw' if picture else 'blob'}/main/{place})"
        return "" if picture else words if words == place else f"{words} (`{place}`)"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text)


project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
setup(
    # every folder of the package, and the bundled data, which setup.cfg finds beside it
    packages=[*find_packages(include=["nproc", "nproc.*"]), "nproc.data"],
    long_description=description(
        (HERE / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source")
    ),
    long_description_content_type="text/markdown",
)
