"""`import nproc` stays light: what only some users need is imported when they need it."""

import json
import subprocess
import sys

PROGRAM = "import sys, json; import {module}; print(json.dumps(sorted(m for m in sys.modules if '.' not in m)))"


def loaded_by(module):
    program = PROGRAM.format(module=module)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_heavy_packages_are_not_imported_with_the_package():
    loaded, by_sklearn = loaded_by("nproc"), loaded_by("sklearn.linear_model")
    heavy = {"matplotlib", "statsmodels", "formulaic", "pandas", "pyarrow", "imblearn", "IPython", "numba"}
    # scikit-learn brings pandas along where it is installed
    assert sorted((loaded & heavy) - by_sklearn) == []
    assert not loaded & {"matplotlib", "statsmodels", "formulaic", "numba", "shiny", "skops"}
