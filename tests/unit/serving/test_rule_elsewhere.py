"""The programs of docs/score_files.md call the same labels as the package."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nproc.serving import score_rule

PAGE = Path(__file__).resolve().parents[3] / "docs" / "score_files.md"
RUNNERS = {"python": [sys.executable, "-c"], "javascript": ["node", "-e"]}


@pytest.mark.parametrize("language", RUNNERS)
@pytest.mark.parametrize("larger_means", ["class1", "class0"])
def test_another_program_calls_the_same_labels(language, larger_means, tmp_path):
    command, code = RUNNERS[language]
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    rng = np.random.default_rng(2)
    rule = score_rule(rng.normal(size=200), score="s", class0="bad", class1="good", larger_means=larger_means)
    rule.write(tmp_path / "rule.json")
    value = rule.to_dict()["value"]
    scores = [value, np.nextafter(value, 9), np.nextafter(value, -9), *rng.normal(size=50).tolist()]
    lines = [json.dumps({"id": f"p{row}", "s": float(score)}) + "\n" for row, score in enumerate(scores)]
    (tmp_path / "new.jsonl").write_text("".join(lines))
    program = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    done = subprocess.run([command, code, program], cwd=tmp_path, capture_output=True, text=True, check=True)
    wanted = [f"p{row} {label}" for row, label in enumerate(rule.predict(scores))]
    assert done.stdout.splitlines() == wanted
