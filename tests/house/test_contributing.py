"""CONTRIBUTING.md tells the truth: its Python blocks run, their tests pass, and its commands and files exist."""

import ast
import inspect
import re

import numpy as np
import pytest
from source_files import ROOT

from nproc.errors import InvalidInputError
from nproc.scorers import get_scorer, registry, scorer_spec

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE)
TESTS = [
    node.name
    for block in BLOCKS
    for node in ast.parse(block).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module")
def page():
    """The names that the blocks define, run in order; the name that they register is taken back afterwards."""
    names = {"__name__": "contributing_page"}
    known = dict(registry._SPECS)
    for block in BLOCKS:
        exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    yield names
    registry._SPECS.clear()
    registry._SPECS.update(known)


def test_the_page_shows_a_scorer_and_a_solver_with_their_tests():
    assert len(BLOCKS) == 4
    assert len(TESTS) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_a_test_of_the_page_passes(name, page):
    page[name]()


def test_the_scorer_of_the_page_has_at_most_20_lines():
    tree = ast.parse(BLOCKS[0])
    scorer = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    code = [line for line in BLOCKS[0].splitlines()[scorer.lineno - 1 : scorer.end_lineno] if line.strip()]
    assert len(code) <= 20


def test_the_named_method_of_the_page_keeps_the_contract_of_names(page):
    text = inspect.getdoc(scorer_spec("centre").factory)
    assert "\nR: " in text
    assert all(f"\n{keyword} : " in text for keyword in scorer_spec("centre").parameters)
    with pytest.raises(InvalidInputError, match=r"has no parameter 'powr'\. Did you mean 'power'"):
        get_scorer("centre", powr=1)


def test_the_solver_of_the_page_returns_what_a_solver_returns(page):
    rng = np.random.default_rng(0)
    solved = page["solve_sign_ridge"](rng.normal(size=(50, 3)), rng.integers(0, 2, 50), lam=0.5, max_iter=3)
    assert solved.n_iter == 3
    assert len(solved.objective) == 4
    assert np.all(np.diff(solved.objective) < 0)
    assert not solved.converged


def test_every_make_target_of_the_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)`", TEXT))
    assert {"lint", "test", "vignettes", "docs"} <= named <= targets


def test_every_file_of_the_page_exists():
    named = set(re.findall(r"`((?:nproc|tests|vignettes)/[\w/.]+)`", TEXT))
    assert len(named) > 5
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_the_walks_name_functions_that_their_files_have():
    steps = re.findall(r"^\d+\. `(nproc/[\w/]+\.py)`, `(\w+)`(?: and `(\w+)`)?", TEXT, flags=re.MULTILINE)
    assert len(steps) == 20
    lost = []
    for path, *names in steps:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        lost += [(path, name) for name in names if name and name not in there]
    assert lost == []
