"""The generated pages of the documentation: what they say comes from the registry, the results and the bibliography."""

import importlib
import inspect
import json
import pkgutil
import re
import sys

import numpy as np
import pytest
from public_names import PATHS
from scipy import sparse
from source_files import ROOT

import nproc as package
from nproc import get_scorer, scorer_names, solvers
from nproc.scorers import registry, score_rows, scorer_spec

sys.path.insert(0, str(ROOT / "docs"))

from sitegen import api_pages, bibliography, cost, docstrings, methods, notebooks, peers

RESULTS = cost.sections_in(ROOT / "benchmarks" / "results")
BIB = (ROOT / "vignettes" / "references.bib").read_text(encoding="utf-8")


# the API reference


def test_every_public_name_stands_in_one_group_of_the_api_reference():
    api_pages.check_groups()
    page = api_pages.api_page()
    assert all(f"\n   {path}\n" in page for path in PATHS.values())
    assert set(package.__all__) <= set(PATHS)


def test_a_public_name_without_a_group_is_an_error(monkeypatch):
    monkeypatch.setattr(package, "__all__", [*package.__all__, "forgotten"])
    with pytest.raises(ValueError, match="forgotten"):
        api_pages.check_groups()


def test_the_door_of_the_solvers_exports_every_solver():
    found = set()
    for part in pkgutil.walk_packages(solvers.__path__, "nproc.solvers."):
        module = importlib.import_module(part.name)
        for name, thing in vars(module).items():
            # a solver takes data; steps of one take its inner objects
            own = inspect.isfunction(thing) and thing.__module__ == module.__name__ and name.startswith("solve_")
            if own and list(inspect.signature(thing).parameters)[:1] in (["X"], ["K"]):
                found.add(name)
                assert getattr(solvers, name) is thing
    others = {"SolverResult", "leave_one_out_scores", "made_constraint", "project_level_set"}
    assert found == set(solvers.__all__) - others
    assert set(solvers.__all__) <= set(dir(solvers))


def test_the_solvers_losses_and_worlds_are_in_the_api_reference():
    page = api_pages.api_page()
    for name in ("solve_annealed", "project_level_set", "solve_uzawa", "SolverResult"):
        assert f"   solvers.{name}\n" in page
    for name in ("GaussianWorld", "simulation1", "load_breast_cancer_np", "log_counts", "RampLoss", "L2Ball"):
        assert f"\n   {name}\n" in page


# which method when


def test_the_tables_have_every_registered_name_once(monkeypatch):
    # the examples of register and register_estimator, where they ran before
    for name in ("shrunken_lda", "smooth"):
        monkeypatch.delitem(registry._SPECS, name, raising=False)
    text = methods.method_tables()
    rows = re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)
    assert sorted(rows) == scorer_names()
    assert f"{len(rows)} names" in text


def test_a_method_without_advice_is_an_error(monkeypatch):
    monkeypatch.delitem(methods.ADVICE, "lda")
    with pytest.raises(ValueError, match="lda"):
        methods.method_tables()


@pytest.mark.parametrize("name", [n for n, advice in methods.ADVICE.items() if advice.shape in ("linear", "quadratic")])
def test_a_rule_that_is_called_linear_or_quadratic_is(name):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) * (1 + y[:, None]) + y[:, None]
    scorer = get_scorer(name, **({"C": 1.0, "n_values": 3, "n_folds": 2} if name == "svmperf" else {})).fit(X, y)
    line = np.linspace(-1, 1, 9)[:, None] * np.array([1.0, 0.5])
    scores = score_rows(scorer, line)
    order = 2 if methods.ADVICE[name].shape == "linear" else 3
    assert np.max(np.abs(np.diff(scores, order))) <= 1e-8 * np.max(np.abs(scores))
    assert np.max(np.abs(np.diff(scores, order - 1))) > 1e-6 * np.max(np.abs(scores))


def test_the_flags_of_the_table_are_those_of_the_registry():
    rows = {row[0].strip("`"): row for row in methods.method_rows(list(methods.ADVICE), lambda name: name)}
    for name, row in rows.items():
        spec = scorer_spec(name)
        assert row[3:5] == ["yes" if spec.sparse else "no", "yes" if spec.allow_nan else "no"]
        assert (row[6] == "alpha") == spec.follows_alpha


@pytest.mark.parametrize("name", ["logistic", "lda", "penlog", "svm", "knn"])
def test_the_registry_is_right_about_sparse_rows(name):
    y = np.repeat([0, 1], 60)
    X = np.random.default_rng(1).normal(size=(120, 2)) + y[:, None]
    call = {"alpha": 0.3, "delta": 0.3, "random_state": 1}
    if scorer_spec(name).sparse:
        assert package.npc(sparse.csr_array(X), y, name, **call).predict(sparse.csr_array(X)).shape == (120,)
    else:
        with pytest.raises(package.InvalidInputError, match="sparse"):
            package.npc(sparse.csr_array(X), y, name, **call)


# the tests that pages name


def test_the_tests_that_the_guarantees_name_exist():
    named = set(re.findall(r"`(tests/\S+\.py)`", (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")))
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "guarantee").glob("test_*.py")}
    assert there - named == set()
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


# how do I


def test_the_page_of_tasks_says_where_a_name_is_that_nproc_itself_does_not_have():
    text = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    called = [
        (name, part)
        for part in re.split(r"\n(?=[|-])", text)
        for code in re.findall(r"`([^`\n]+)`", part)
        for name in re.findall(r"(?<![\w.])([A-Za-z]\w+)\(|^(\w+)$", code)
    ]
    called = [(call or bare, part) for (call, bare), part in called]
    assert len(called) > 40
    elsewhere = {(name, part) for name, part in called if name in PATHS and not hasattr(package, name)}
    assert [name for name, part in elsewhere if not re.search(r"from `?nproc\.\w+", part)] == []


# references, docstrings, notebooks, peers


def test_the_page_of_references_defines_every_key_once():
    keys = set(re.findall(r"@\w+\{(\w+),", BIB))
    page = bibliography.references_page(BIB)
    assert sorted(re.findall(r"^\.\. \[(\w+)\] ", page, flags=re.MULTILINE)) == sorted(keys)
    assert "{" not in page
    assert "\\" not in page
    assert "Tong, X., Feng, Y. and Li, J. J. (2018)." in page
    assert "*Science Advances* 4(2), eaao1659." in page


def test_a_docstring_cites_in_the_place_of_a_definition():
    lines = ["Equation (1) of [tong2018]_.", "", ".. [tong2018] Tong, X. (2018).", "   Title.", ".. [kim2006] Kim.", ""]
    bibliography.cite_only(lines, {"tong2018", "kim2006"})
    assert lines == ["Equation (1) of [tong2018]_.", "", "[kim2006]_.", ""]
    unknown = [".. [other] Someone."]
    bibliography.cite_only(unknown, {"tong2018"})
    assert unknown == [".. [other] Someone."]


def test_names_with_an_underscore_and_bars_are_text_but_not_in_code_or_formulas():
    lines = ["``coef_`` and coef_ of |x|, `a_` [tong2018]_", "", ".. math:: |x| + a_ b", "", "Now b_.", ">>> c_", "|d|"]
    docstrings.escape_names(lines)
    assert lines == [
        "``coef_`` and coef\\_ of \\|x\\|, `a_` [tong2018]_",
        "",
        ".. math:: |x| + a_ b",
        "",
        "Now b\\_.",
        ">>> c_",
        "|d|",
    ]


def test_notebooks_are_copied_as_they_are(tmp_path):
    source, target = tmp_path / "vignettes", tmp_path / "site"
    source.mkdir()
    text = '{"cells": [{"cell_type": "markdown", "source": ["# A title\\n", "text"]}]}'
    (source / "01_a.ipynb").write_text(text, encoding="utf-8")
    (source / "notes.txt").write_text("no notebook", encoding="utf-8")
    titles = notebooks.copy_notebooks(source, target)
    assert titles == {"01_a.ipynb": "A title"}
    assert [path.name for path in target.iterdir()] == ["01_a.ipynb"]
    assert (target / "01_a.ipynb").read_text(encoding="utf-8") == text
    assert "01_a\n" in notebooks.vignettes_page(titles)


def test_the_table_of_peers_has_the_standard_error_of_each_rate():
    found = {"violations": 40, "type1": 0.02, "type2": 0.4, "type2_sd": 0.1, "no_rule": 0}
    record = {"data_sets": 1000, "methods": dict.fromkeys(peers.NAMES, found)}
    assert peers.peers_table(record).count("| 0.040 (0.006) | 0.0200 | 0.400 (0.100) |") == len(peers.NAMES)


# what it costs


def test_the_page_on_cost_has_the_sections_of_the_results():
    results = {"peers": "How long?\n\n| what |\n| --- |\n\n![Cost](figures/a.png)\n\n*Run in 1 s.*"}
    assert cost.cost_part(results, "peers") == "| what |\n| --- |\n\n![Cost](figures/a.png)\n\n*Run in 1 s.*\n"
    assert "python benchmarks/run_all.py cost_curves" in cost.cost_part(results, "cost_curves")


def test_the_numbers_of_sorts_are_those_of_the_stored_benchmark():
    text = " ".join((ROOT / "docs" / "cost.md").read_text(encoding="utf-8").split())
    told = re.search(
        r"With ([\d,]+) scores .* at all knots takes (\S+) stable sorts .* of two bands (\S+) for each of them", text
    )
    n, *sorts = told.groups()
    rows = [[cell.strip() for cell in line.split("|")[1:]] for line in RESULTS["threshold_and_band"].splitlines()]
    # what, runs, peer, this, median ratio
    median = {row[0]: float(row[4]) for row in rows if len(row) > 4 and row[0].endswith(f"n0 = n1 = {n}")}
    measured = [f"{what}, n0 = n1 = {n}" for what in ("band at all knots", "compare, two bands, for each of them")]
    assert sorts == [f"{median[what]:.1f}" for what in measured]


def test_attributes_are_listed_with_all_their_names_and_their_type():
    lines = [
        "One line.",
        "",
        "Attributes",
        "----------",
        "a, b : ndarray, shape (n, p)",
        "    Two of them.",
        "c : float or None",
        "    One.",
        "",
        "Notes",
        "-----",
        "More.",
    ]
    docstrings.list_attributes(lines)
    text = "\n".join(lines)
    assert "**a**, **b** : ndarray, shape (n, p)\n    Two of them." in text
    assert "\n\n**c** : float or None\n    One." in text
    assert "Attributes\n---" not in text
    # else napoleon takes it for a parameter
    assert "\n\n\n.. rubric:: Attributes" in text
    assert text.endswith("Notes\n-----\nMore.")


def test_checks_at_the_end_of_vignettes_are_folded():
    open_cells = []
    for path in sorted((ROOT / "vignettes").glob("[0-9]*.ipynb")):
        inside = False
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown" and source.startswith("## "):
                inside = source.startswith("## Checks")
            elif inside and cell["cell_type"] == "code" and "hide-input" not in cell["metadata"].get("tags", []):
                open_cells.append(f"{path.name}: {source[:40]}")
    assert open_cells == []


@pytest.mark.slow
def test_what_a_user_of_r_writes_here_runs():
    page = (ROOT / "docs" / "from_r.md").read_text(encoding="utf-8").split("## What you write in R, in Python")[1]
    known = {}
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], known)
    cells = [row.split(" | ")[1] for row in page.splitlines() if row.startswith("| `")]
    calls = [re.match(r"`([^`]+)`", cell)[1] for cell in cells]
    assert len(calls) > 7
    for call in calls:
        assert eval(call, known) is not None, call
