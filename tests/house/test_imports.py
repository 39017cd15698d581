"""What the package and its commands import: what only some users need is imported when they need it."""

import compileall
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nproc

HEAVY = {
    "sklearn",
    "pandas",
    "scipy.stats",
    "scipy.optimize",
    "statsmodels",
    "matplotlib",
    "joblib",
    "formulaic",
    "numba",
}
PROGRAM = """
import sys, json
{statement}
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(statement, folder=None):
    program = PROGRAM.format(statement=statement)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    return set(json.loads(run.stdout.splitlines()[-1]))


def loaded_by_command(*words, folder=None):
    return loaded_by(f"from nproc.cli import main; assert main({list(words)!r}) == 0", folder)


def test_the_package_itself_imports_no_other_package():
    assert not loaded_by("import nproc") & {*HEAVY, "numpy", "scipy", "shiny", "skops"}


@pytest.mark.slow
def test_heavy_packages_are_not_imported_with_the_main_job():
    loaded, by_sklearn = loaded_by("from nproc import npc"), loaded_by("import sklearn.linear_model")
    heavy = {"matplotlib", "statsmodels", "formulaic", "pandas", "pyarrow", "imblearn", "IPython", "numba"}
    # scikit-learn brings pandas along where it is installed
    assert sorted((loaded & heavy) - by_sklearn) == []
    assert not loaded & {"matplotlib", "statsmodels", "formulaic", "numba", "shiny", "skops"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--n0", "100", "--alpha", "0.05"],
        ["plan", "--alpha", "0.05,0.1"],
        ["plan", "--power", "0.9", "--json"],
        ["plan", "--auc", "0.8"],
    ],
)
def test_a_plan_needs_none_of_the_heavy_packages(words):
    assert loaded_by_command(*words) & HEAVY == set()


@pytest.mark.slow
def test_a_rule_is_applied_without_scikit_learn(tmp_path):
    (tmp_path / "scores.csv").write_text("score\n" + "".join(f"{number}\n" for number in range(100)), encoding="utf-8")
    made = loaded_by_command("threshold", "scores.csv", "--score", "score", "--out", "rule.json", folder=tmp_path)
    applied = loaded_by_command("apply", "rule.json", "scores.csv", folder=tmp_path)
    # pandas reads the scores
    assert (made | applied) & HEAVY == {"pandas"}
    read = loaded_by("from nproc.serving import read_rule; read_rule('rule.json').predict([1.0, 99.0])", tmp_path)
    assert read & HEAVY == set()


@pytest.mark.slow
def test_a_prediction_imports_the_room_of_its_model_and_no_other(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    nproc.save(nproc.npc(rows, rng.integers(2, size=200), "penlog", random_state=0), tmp_path / "model.joblib")
    loaded = loaded_by_command("predict", "model.joblib", "rows.csv", folder=tmp_path)
    others = {"umbrella", "bands", "comparison", "cross_fitting", "groups", "multiclass", "small_samples"}
    assert loaded & {f"nproc.{room}" for room in others} == set()
    # the model is a BaseEstimator, and its base brings pandas, joblib and scipy.stats
    assert loaded & {"sklearn.pipeline", "sklearn.preprocessing", "sklearn.linear_model"} == set()
    assert loaded_by_command("predict", "--help") & HEAVY == set()


@pytest.mark.slow
def test_the_help_imports_the_file_of_no_command_and_that_of_a_command_only_its_own():
    loaded = loaded_by_command("--help")
    assert "numpy" not in loaded
    assert {"nproc.cli.plan", "nproc.cli.fit"} & loaded == set()
    assert {"nproc.cli.plan", "nproc.cli.fit"} & loaded_by_command("plan", "--help") == {"nproc.cli.plan"}


THREADS = """
import threading
import nproc

names = ["npc", "NPClassifier", "np_threshold", "Type1Monitor"]
start, failed = threading.Barrier(len(names)), []

def ask(name):
    start.wait()
    try:
        getattr(nproc, name)
    except Exception as error:
        failed.append(repr(error))

threads = [threading.Thread(target=ask, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed)
"""


@pytest.mark.slow
def test_threads_may_ask_for_the_first_names_at_once():
    run = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout.strip() == "[]"


OPENS_DOORS = """
import nproc

assert nproc.__file__.startswith({folder!r}), nproc.__file__
assert callable(nproc.npc) and callable(nproc.solvers.solve_shifted_svm) and callable(nproc.cli.read_table)
assert not hasattr(nproc.solvers, "x") and not hasattr(nproc, "foo.bar")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("form", "option"), [("folder", "-O"), ("zip", "-OO")])
def test_doors_open_in_a_compiled_copy_without_the_source(form, option, tmp_path):
    shutil.copytree(
        Path(nproc.__file__).parent, tmp_path / "copy" / "nproc", ignore=shutil.ignore_patterns("__pycache__")
    )
    assert compileall.compile_dir(tmp_path / "copy", quiet=1, legacy=True)
    for path in (tmp_path / "copy").rglob("*.py"):
        path.unlink()
    place = tmp_path / "copy"
    if form == "zip":
        place = shutil.make_archive(tmp_path / "copy", "zip", place)
    program = f"import sys; sys.path.insert(0, {str(place)!r})" + OPENS_DOORS.format(folder=str(place))
    subprocess.run([sys.executable, option, "-c", program], check=True, cwd=tmp_path, timeout=120)


WITHOUT_DOCSTRINGS = """
import numpy as np
import nproc

rng = np.random.default_rng(0)
X, y = rng.normal(size=(150, 2)), np.repeat([0, 1], [120, 30])
for method in ("logistic", "npsvm"):
    print(nproc.npc(X, y, method, alpha=0.1, delta=0.1, random_state=0).method)
"""


@pytest.mark.slow
def test_methods_fit_where_python_strips_docstrings():
    run = subprocess.run([sys.executable, "-OO", "-c", WITHOUT_DOCSTRINGS], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["logistic", "npsvm"]
