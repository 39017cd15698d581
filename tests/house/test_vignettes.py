"""The stored notebooks, without running them: whole, in order, free of errors, with pictures, references and checks."""

import ast
import json
import re

import nbformat
import pytest
from source_files import ROOT

FOLDER = ROOT / "vignettes"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MAX_BYTES = 1_000_000
# folders of a machine, at the start of a path: not the middle of an address or of a relative path
MACHINE_PATH = re.compile(r"(?<![\w./~-])/(?:work|home|tmp|root|mnt|opt|srv|usr|var|Users)/|\b[A-Z]:\\\\?Users")


def each_notebook(rule):
    """Make one test of a rule for a notebook: it lists all notebooks that break the rule, and how."""

    def test():
        broken = {}
        for path in NOTEBOOKS:
            try:
                rule(path)
            except AssertionError as error:
                broken[path.stem] = str(error)
        assert broken == {}

    test.__name__ = rule.__name__
    return test


def cells_of(path, kind):
    """Cells of one kind; their source is one string."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells if cell["cell_type"] == kind]


def prose_of(path):
    """The text cells, without the code that they show."""
    text = "\n\n".join(cell["source"] for cell in cells_of(path, "markdown"))
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def outputs_of(path):
    return [output for cell in cells_of(path, "code") for output in cell["outputs"]]


def stored_texts(path):
    """Everything that a reader sees as text: sources, and outputs but for bitmaps."""
    yield from (cell["source"] for kind in ("markdown", "code", "raw") for cell in cells_of(path, kind))
    for output in outputs_of(path):
        yield "".join(output.get("text", ""))
        for kind, data in output.get("data", {}).items():
            if kind not in ("image/png", "image/jpeg"):
                yield data if isinstance(data, str) else "".join(map(str, data))


def has_assert(cell):
    """Whether a code cell asserts anything; lines for the notebook program (% and !) are not Python."""
    python = "\n".join(line for line in cell["source"].splitlines() if not line.lstrip().startswith(("%", "!")))
    return any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(python)))


def references_of(path):
    """The bullets of the section References: key and text."""
    section = re.search(r"^## References\n(.*?)(?=^## |\Z)", prose_of(path), flags=re.DOTALL | re.MULTILINE)
    assert section, f"{path.name} has no section '## References'"
    bullets = re.split(r"^- ", section[1], flags=re.MULTILINE)[1:]
    assert bullets, f"{path.name}: References has no line '- key: ...'"
    return [tuple(part.strip() for part in bullet.partition(":")[::2]) for bullet in bullets]


def years_in_bibliography():
    """Year of each entry of references.bib."""
    entries = re.split(r"^@", (FOLDER / "references.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {re.match(r"\w+\{(\w+),", entry)[1]: re.search(r"year\s*=\s*[{\"]?(\d{4})", entry)[1] for entry in entries}


def test_there_are_notebooks_and_no_two_have_the_same_number():
    numbers = [path.name.partition("_")[0] for path in NOTEBOOKS]
    assert numbers
    assert len(set(numbers)) == len(numbers)


@each_notebook
def test_the_name_is_a_number_and_words(path):
    assert re.fullmatch(r"\d\d[a-z]?(_[A-Za-z0-9]+)+", path.stem)


@each_notebook
def test_the_file_is_a_valid_notebook_for_python_3(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert notebook.nbformat == 4
    assert notebook.metadata.kernelspec.name == "python3"


@each_notebook
def test_the_file_is_below_one_megabyte(path):
    assert path.stat().st_size < MAX_BYTES


@each_notebook
def test_every_code_cell_has_been_executed_in_order(path):
    cells = cells_of(path, "code")
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["source"].strip() for cell in cells), "an empty code cell"


@each_notebook
def test_no_error_and_nothing_from_the_standard_error_is_stored(path):
    bad = [output for output in outputs_of(path) if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert bad == []


@each_notebook
def test_a_picture_is_stored(path):
    kinds = {kind for output in outputs_of(path) for kind in output.get("data", {})}
    assert kinds & {"image/png", "image/svg+xml"}


@each_notebook
def test_the_last_code_cell_and_no_other_checks_the_claims(path):
    checks = [has_assert(cell) for cell in cells_of(path, "code")]
    assert [number for number, check in enumerate(checks, start=1) if check] == [len(checks)]


@each_notebook
def test_the_notebook_opens_with_its_only_title_and_has_sections(path):
    prose = prose_of(path)
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    assert first["cell_type"] == "markdown"
    assert prose.startswith("# ")
    assert len(re.findall(r"^# ", prose, flags=re.MULTILINE)) == 1
    assert len(re.findall(r"^## ", prose, flags=re.MULTILINE)) >= 2


@each_notebook
def test_every_reference_is_in_the_bibliography_with_its_year(path):
    years = years_in_bibliography()
    for key, text in references_of(path):
        assert key in years, f"{path.name}: {key!r} is not in references.bib"
        assert f"({years[key]})" in text, f"{path.name}: {key} is of {years[key]} in references.bib"


@each_notebook
def test_the_first_author_of_every_reference_is_named_in_the_text(path):
    body = re.sub(r"^## References\n.*?(?=^## |\Z)", "", prose_of(path), flags=re.DOTALL | re.MULTILINE)
    surnames = {re.match(r"[^,(]+", text)[0].strip() for _key, text in references_of(path)}
    assert sorted(surname for surname in surnames if not re.search(rf"\b{re.escape(surname)}\b", body)) == []


@each_notebook
def test_no_folder_of_a_machine_is_named(path):
    found = [match[0] + " in: " + text[:80] for text in stored_texts(path) for match in MACHINE_PATH.finditer(text)]
    assert found == []


@pytest.mark.parametrize("text", ["open('/work/x')", "/tmp/a.csv", 'File "/home/me/x.py"', r"C:\Users\me"])
def test_a_machine_path_is_recognised(text):
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize("text", ["../../work/x", "https://a.org/home/x", "work/home", "n0/home/2", "~/tmp/"])
def test_a_relative_path_or_an_address_is_no_machine_path(text):
    assert not MACHINE_PATH.search(text)


def test_notebooks_that_break_a_rule_are_listed():
    @each_notebook
    def rule(path):
        assert path.name[:2] != "01"

    with pytest.raises(AssertionError, match=NOTEBOOKS[0].stem):
        rule()
