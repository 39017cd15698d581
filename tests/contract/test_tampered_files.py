"""Numbers of a saved file that are not what they were: an error, or scores, but never the end of Python.

Files are loaded in another process, which says before each of them what comes.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from crafted_models import MODELS, X, fitted
from tampered_files import use

from nproc import save

pytest.importorskip("skops")

N_SEEDS = 24
HERE = Path(__file__).parent
# all that load without trust; those of trees and neighbours need it
METHODS = (
    *("acsvm", "averaged", "constrained", "gen", "lda", "logistic", "nb", "nnb", "npsvm", "onpnet", "onpsvm", "parzen"),
    *("penlog", "qda", "qnet", "qsvm", "slda", "sparselogit", "svm", "svmperf"),
)
FEW = {"acsvm": {"C1s": [1], "C0s": [1]}, "onpnet": {"max_iter": 5}}


def run(script, *arguments):
    """Return the lines that a script of this folder prints, if it lives to its end."""
    done = subprocess.run(
        [sys.executable, str(HERE / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr[-2000:])
    return lines


@pytest.mark.slow
def test_models_that_lead_compiled_code_out_of_bounds_are_refused(tmp_path):
    told = dict(line.split(": ", 1) for line in run("crafted_models.py", tmp_path))
    assert sorted(told) == sorted(MODELS)
    expected = ("refused", "InvalidInputError the weights")
    assert {name: words for name, words in told.items() if not words.startswith(expected)} == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_files_with_other_numbers_are_refused_or_used_and_python_lives(tmp_path):
    for method in METHODS:
        save(fitted(method, **FEW.get(method, {})), tmp_path / f"{method}.skops")
    np.save(tmp_path / "rows.npy", X[:20])
    lines = run("tampered_files.py", tmp_path, 0, N_SEEDS)
    assert len(lines) == N_SEEDS * len(METHODS)
    # scores that are no numbers are refused, too
    assert [line for line in lines if line.endswith("not finite")] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_file_as_it_was_is_used(tmp_path):
    for method in ("svm", "onpnet", "onpsvm", "qnet", "nnb"):
        assert use(save(fitted(method, **FEW.get(method, {})), tmp_path / "model.skops"), X[:20]) == "finite"
