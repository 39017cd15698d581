"""The table and the snippets of docs/ecosystem.md, with the real libraries."""

import re
from pathlib import Path

import numpy as np
import pytest
from ecosystem import CASES, row

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ecosystem.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_table_says_what_happens(name):
    try:
        found = row(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    assert found in PAGE


def test_the_table_has_no_other_rows():
    rows = re.findall(r"^\| (?!what you bring|---)(.*?) \|", PAGE, flags=re.MULTILINE)
    assert rows == list(CASES)


@pytest.mark.slow
def test_the_snippets_run_without_a_warning():
    pytest.importorskip("lightgbm")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(code, names)
    assert names["fit"].guaranteed
    assert np.isfinite(names["found"]["test_score"]).all()
    assert names["importance"].importances_mean[0] > 0
