"""Every folder of files is installed, and the description of the built package has no link that leads nowhere."""

import ast
import re

from source_files import FILES, PACKAGE

ROOT = PACKAGE.parent


def test_every_folder_of_the_package_is_one_that_setuptools_finds():
    folders = {path.parent for path in FILES}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def description():
    """The function of setup.py, which cannot be imported without building the package."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = {"re": re}
    exec(compile(tree, "setup.py", "exec"), names)
    return names["description"]


def test_links_of_the_description_are_absolute_or_names_of_files():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", readme)
    relative = [link for link in links if "://" not in link]
    assert all((ROOT / link).exists() for link in relative)
    plain = description()(readme, None)
    assert "](" not in plain or re.findall(r"\]\((?!https?://)", plain) == []
    assert "`docs/tasks.md`" in plain
    absolute = description()(readme, "https://host.example/nproc/")
    assert re.findall(r"\]\((?!https?://)", absolute) == []
    assert "(https://host.example/nproc/raw/main/vignettes/band.png)" in absolute
    assert absolute.count("https://host.example/nproc/") == len(relative)
