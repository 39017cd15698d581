"""The programs of docs/serving.md, with the real libraries."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
LIBRARIES = {"onnxruntime": ["onnxruntime", "skl2onnx"], "mlflow": ["mlflow", "skops"], "shap": ["shap"]}
LIBRARIES |= {"skore": ["skore"]}


@pytest.mark.slow
@pytest.mark.parametrize("library", [None, *LIBRARIES])
def test_the_programs_run(library, tmp_path, monkeypatch):
    for name in LIBRARIES.get(library, []):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    # nothing leaves this machine
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    first, *others = PROGRAMS
    # a program that uses what the one before it has imported
    mine = [code for code in others if re.search(rf"\b(?:import|from) {library}\b|{library}\.", code)]
    mine = mine if library else others[:2]
    assert len(mine) == (2 if library in (None, "onnxruntime") else 1)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for code in [first, *mine]:
            exec(code, names)


def test_every_program_is_run_once():
    assert len(PROGRAMS) == 4 + len(LIBRARIES)
