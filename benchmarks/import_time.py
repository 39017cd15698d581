"""How long do `from nproc import npc` and short commands take, relative to the imports that they need?"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure

REPEATS = 15
LINEAR, SPECIAL, TABLE = "import sklearn.linear_model", "import scipy.special", "import pandas, scipy.special"
# what is run, its peer, and at most how many times the peer's seconds it takes
CASES = {
    "from nproc import npc": ("from nproc import npc", LINEAR, 1.15),
    "npc plan --n0 100": (["plan", "--n0", "100"], SPECIAL, 2.0),
    "npc apply, a rule on 1000 scores": (["apply", "rule.json", "rows.csv"], TABLE, 2.0),
    "npc predict, logistic, 1000 rows": (["predict", "model.joblib", "rows.csv"], LINEAR, 1.5),
    "npc predict, penlog, 569 rows of 30 columns": (["predict", "cancer.joblib", "cancer.csv"], LINEAR, 1.5),
    "npc predict --help": (["predict", "--help"], SPECIAL, 2.0),
}
LAZY = ("matplotlib", "statsmodels", "formulaic", "joblib", "sklearn.ensemble", "sklearn.linear_model")


def run(what, folder):
    """Return wall seconds and processor seconds of a fresh interpreter that runs a statement or a command."""
    words = ["-c", what] if isinstance(what, str) else ["-m", "nproc", *what]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def loaded_by_npc():
    """Return which of the modules that should wait are loaded by `from nproc import npc`."""
    probe = f"import sys; from nproc import npc; print(*[name for name in {LAZY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout.split()


def write_files(folder):
    """Write the rows, the model and the rule that the commands read."""
    import pandas as pd

    from nproc import npc, save
    from nproc.datasets import load_breast_cancer_np
    from nproc.serving import score_rule
    from nproc.simulate import GaussianWorld

    sample = GaussianWorld([0.0, 0.0], [1.5, 0.5]).sample(1000, random_state=1)
    rows = pd.DataFrame(sample.X, columns=["a", "b"])
    rows.to_csv(folder / "rows.csv", index=False)
    save(npc(rows, sample.y, random_state=1), folder / "model.joblib")
    cancer = load_breast_cancer_np()
    cancer.X.to_csv(folder / "cancer.csv", index=False)
    save(npc(cancer.X, cancer.y, "penlog", alpha=0.1, class0="malignant", random_state=1), folder / "cancer.joblib")
    score_rule(sample.X[sample.y == 0, 0], score="a").write(folder / "rule.json")


def main():
    runs = measure.arguments(runs=REPEATS).runs
    # as in an installed package, whatever the folder
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    wall_rows, processor_rows = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # as after an installation, whatever the environment says of bytecode
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        write_files(folder)
        for title, (what, peer, limit) in CASES.items():
            both = {"this": what, "peer": peer}
            seconds = {side: [] for side in both}
            # a single run is no measurement, and needs none before it
            for repeat in range(-1 if runs > 1 else 0, runs):
                for side in both if repeat % 2 == 0 else reversed(both):
                    taken = run(both[side], folder)
                    # the first time bytecode is written, and files come from the disk
                    if repeat >= 0:
                        seconds[side].append(taken)
            (wall, processor), (wall0, processor0) = (zip(*seconds[side], strict=True) for side in both)
            processor_rows.append(measure.ratio_row(f"{title}, processor time", processor, processor0, limit))
            wall_rows.append(measure.ratio_row(f"{title}, wall clock", wall, wall0, limit))
    measure.print_text(
        f"Peers: `{LINEAR}` for `npc` and `npc predict`, `{SPECIAL}` for `npc plan` and the help of `npc predict`, and",
        f"`{TABLE}` for `npc apply`.",
        "Fresh interpreters in turn, their start included, bytecode cached.",
    )
    measure.print_table(measure.RATIO_COLUMNS, processor_rows + wall_rows)
    heavy = loaded_by_npc()
    measure.print_text(
        f"Of {', '.join(LAZY)}, `from nproc import npc` loads: {', '.join(heavy) or 'none'}. Most of the time goes to",
        "scikit-learn's base (scipy.stats, and pandas where it is installed), which both need.",
    )


if __name__ == "__main__":
    main()
