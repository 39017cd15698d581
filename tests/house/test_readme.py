"""The README and the pages of the site are tried as a new user would: each snippet runs, each link leads somewhere."""

import re
import shutil
import tomllib

import matplotlib as mpl
import pytest
from source_files import ROOT

from nproc.cli import main

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WRITTEN = [
    "README.md",
    *(f"docs/{name}.md" for name in ("index", "install", "tasks", "choosing", "guarantees", "training")),
]
WRITTEN.append("docs/comparison.md")


def fenced(path, language):
    text = (ROOT / path).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\S*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [block for name, block in blocks if name == language]


PYTHON = [(path, number, code) for path in WRITTEN for number, code in enumerate(fenced(path, "python"), start=1)]


def test_there_are_snippets_to_run():
    assert sum(path == "README.md" for path, _, _ in PYTHON) == 1
    assert len(PYTHON) >= 7


def test_the_readme_is_read_in_a_few_minutes_and_has_the_picture_of_its_own_lines():
    assert len(README.splitlines()) <= 120
    (saved,) = re.findall(r'savefig\("([^"]+)"\)', "".join(fenced("README.md", "python")))
    assert f"](vignettes/{saved})" in README


@pytest.mark.slow
@pytest.mark.parametrize(("path", "number", "code"), PYTHON, ids=[f"{path} {number}" for path, number, _ in PYTHON])
def test_a_python_snippet_runs_without_a_warning(path, number, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    exec(compile(code, f"{path}, snippet {number}", "exec"), {"__name__": "snippet"})


@pytest.mark.slow
@pytest.mark.parametrize("path", ["docs/install.md"])
def test_the_commands_run(path, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / "data" / "simulation2.csv", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    lines = [line for block in fenced(path, "") for line in block.splitlines() if line.startswith("npc ")]
    assert len(lines) >= 4
    for line in lines:
        assert main(line.split()[1:]) == 0, line


@pytest.mark.parametrize("path", ["README.md"])
def test_every_target_of_make_that_is_named_exists(path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)", "".join(fenced(path, ""))))
    named |= set(re.findall(r"`make ([a-z-]+)`", README))
    assert {"demo", "test"} <= named
    assert sorted(target for target in named if not re.search(rf"^{target}:", makefile, flags=re.MULTILINE)) == []


def package_names(requirements):
    return {re.match(r"[\w.-]+", requirement)[0] for requirement in requirements} - {PROJECT["name"]}


def test_each_dependency_has_its_reason_in_the_table():
    table = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split(" | ")] for line in table.splitlines() if line.startswith("| ")][2:]
    named = {name for row in rows for name in re.findall(r"[\w.-]+", row[0].strip("| ").partition("(extra")[0])}
    declared = package_names(PROJECT["dependencies"])
    for extra in PROJECT["optional-dependencies"].values():
        declared |= package_names(extra)
    assert sorted(declared - named) == []
    assert sorted(named - declared) == []
    assert all(len(row) == 2 and len(row[1].strip("| ")) > 20 for row in rows)


def test_each_extra_that_a_user_may_want_is_named():
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for extra in set(PROJECT["optional-dependencies"]):
        assert f"`{extra}`" in page, extra
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for extra in ("fast", "parquet", "safe", "app", "dask"):
        assert f'".[{extra}]"' in page, extra


@pytest.mark.parametrize("path", WRITTEN)
def test_links_inside_the_repository_lead_somewhere(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    # written by the site when it is built
    made = {"api/index.rst", "vignettes/index.md", "figures/demo.png"}
    targets = {target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target}
    folder = (ROOT / path).parent
    assert sorted(target for target in targets - made - {""} if not (folder / target).exists()) == []


def test_the_citation_file_names_this_version_and_the_paper():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([a-z-]+): (.+)$", text, flags=re.MULTILINE))
    assert fields["cff-version"] == "1.2.0"
    assert fields["type"] == "software"
    assert fields["version"] == PROJECT["version"]
    assert fields["license"] == PROJECT["license"]
    assert {"message", "title"} <= set(fields)
    assert re.search(r"^authors:\n  - name:", text, flags=re.MULTILINE)
    assert "doi: 10.1126/sciadv.aao1659" in text
