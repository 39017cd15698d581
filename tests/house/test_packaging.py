"""What a package index, a builder and a reader of the support window are told is one thing in all files."""

import json
import re
import subprocess
import sys
import tomllib

import yaml
from source_files import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# what a server may leave out, and what then says that it is missing
SOFT = {"matplotlib": "a picture", "statsmodels": "a summary", "tqdm": "verbose=1", "formulaic": "a formula"}
WITHOUT = """
import importlib.metadata, json, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {soft}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
known = importlib.metadata.version
def version(name):
    if name in {soft}:
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)
importlib.metadata.version = version
import numpy as np, pandas as pd
from nproc import compare, npc, nproc
rng = np.random.default_rng(0)
y = np.repeat([0, 1], 200)
X = rng.normal(size=(400, 2)) + y[:, None]
fit = npc(X, y, "lda", class0=0, alpha=0.1, random_state=1)
bands = [nproc(X, y, name, class0=0, random_state=1) for name in ("lda", "nb")]
compare(*bands), bands[0].at(0.1), fit.evaluate(X[:5] + 3, y[:5]), repr(fit), fit.to_frame()
def told(call):
    try:
        call()
    except ModuleNotFoundError as error:
        return str(error)
frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
print(json.dumps({{
    "labels": sorted(set(fit.predict(X).tolist())),
    "matplotlib": told(bands[0].plot),
    "statsmodels": told(fit.summary),
    "tqdm": told(lambda: npc(X, y, "lda", class0=0, n_splits=3, verbose=1)),
    "formulaic": told(lambda: npc("y ~ a + b", data=frame, method="lda", class0=0)),
}}))
"""


def floors(requirements):
    """The lower bound of each requirement."""
    return dict(re.fullmatch(r"([\w.-]+)\s*>=([\d.]+)", text).groups() for text in requirements)


def test_the_conda_recipe_requires_what_the_project_requires():
    text = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", text))
    run = floors(recipe["requirements"]["run"])
    assert run.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    run["matplotlib"] = run.pop("matplotlib-base")
    assert run == floors(PROJECT["dependencies"])
    assert f'version = "{PROJECT["version"]}"' in text


def test_every_python_that_is_named_is_tested():
    named = {text.rsplit(" ", 1)[1] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)}
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    tested = {
        *jobs["versions"]["strategy"]["matrix"]["python"],
        jobs["everything"]["steps"][1]["with"]["python-version"],
    }
    assert tested == named
    assert min(named, key=lambda text: int(text.split(".")[1])) == PROJECT["requires-python"].removeprefix(">=")


def test_all_files_of_the_forge_can_be_read():
    for path in [*(ROOT / ".github").rglob("*.yml"), ROOT / ".readthedocs.yaml", ROOT / ".pre-commit-config.yaml"]:
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path.name


def test_the_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"]


def test_the_main_job_runs_without_the_packages_that_a_server_may_leave_out():
    program = WITHOUT.format(soft=set(SOFT))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("labels") == [0, 1]
    for package, purpose in SOFT.items():
        assert found[package].startswith(purpose)
        assert found[package].endswith(f"needs {package}, which is not installed: pip install {package}")
