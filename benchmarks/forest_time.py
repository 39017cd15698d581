"""Where does the time of `npc(X, y, "randomforest")` go?"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from nproc import npc
from nproc.splitting import make_splits

N_ROWS, N_COLUMNS, N_TREES, SEED = 4000, 10, 500, 1
RUNS = 3
# prints the processor time of a training of R's package randomForest, as R's nproc calls it
IN_R = """
library(randomForest)
rows <- as.matrix(read.csv("{file}", header = FALSE))
y <- factor(rows[, 1]); X <- rows[, -1]
cat(replicate({runs}, system.time(randomForest(X, y, ntree = {trees}))[["user.self"]]))
"""


def seconds_in_r(X, y, trees, runs):
    """Return the processor time of each of `runs` trainings in R; None where R or its package is not installed."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        np.savetxt(file, np.column_stack([y, X]), delimiter=",", fmt="%.17g")
        script = IN_R.format(file=file.as_posix(), runs=runs, trees=trees)
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False)
    if "there is no package called" in done.stderr:
        return None
    done.check_returncode()
    return np.array(done.stdout.split(), dtype=float)


def main():
    given = measure.arguments(runs=RUNS, trees=N_TREES)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_ROWS)
    X = rng.normal(size=(N_ROWS, N_COLUMNS)) + 0.5 * y[:, None]
    split = make_splits(y, 1, 0.5, SEED, leave_out_class1=False)[0]
    train, left = split.idx_train, split.idx_left0
    forests = {
        "forest": RandomForestClassifier(given.trees, random_state=SEED),
        "drawn cuts": ExtraTreesClassifier(given.trees, bootstrap=True, random_state=SEED),
    }
    tasks = {
        "npc": lambda: npc(X, y, "randomforest", n_estimators=given.trees, split_ratio=0.5, random_state=SEED),
        "forest": lambda: forests["forest"].fit(X[train], y[train]),
        "scores": lambda: forests["forest"].predict_proba(X[left]),
        "drawn cuts": lambda: forests["drawn cuts"].fit(X[train], y[train]),
    }
    seconds = {name: np.array(values) for name, values in measure.interleave(tasks, given.runs).items()}
    in_r = seconds_in_r(X[train], y[train], given.trees, given.runs)
    nodes = {name: sum(tree.tree_.node_count for tree in forest.estimators_) for name, forest in forests.items()}
    a_tree = {name: f"{count / given.trees:.0f} nodes a tree" for name, count in nodes.items()}
    of_r = "R is not installed here."
    if in_r is not None:
        of_r = (
            "R's package randomForest (with its defaults, as R's nproc calls it) keeps the values sorted from one node "
            "to the next instead."
        )
    measure.print_text(
        f"{N_ROWS} rows, {N_COLUMNS} columns, {given.trees} trees, processor time, one thread. The peer of the first",
        "two rows is npc. The last row is of one node of a tree. Its peer is a node of the forest",
        f"({a_tree['forest']}), where scikit-learn sorts the values of each tried column and computes the impurities",
        "of all cuts. It is compared with scikit-learn's trees that draw one cut of each column at random",
        f"({a_tree['drawn cuts']}). They save both, so that the ratio does not tell what the sorting alone takes. By",
        "the profiler perf, with 2000 trees, about 33 % of the fit is the sorting, about 28 % the impurities of all",
        "cuts, and the rest Python and the splitter.",
        of_r,
    )
    a_node = {name: seconds[name] / nodes[name] for name in forests}
    rows = (
        ("RandomForestClassifier alone, fit", seconds["forest"], seconds["npc"]),
        ("the same, fit and scores of the left-out rows", seconds["forest"] + seconds["scores"], seconds["npc"]),
        *([("RandomForestClassifier alone, to R's randomForest", seconds["forest"], in_r)] if in_r is not None else []),
        ("a node where cuts are drawn, to a node of the forest", a_node["drawn cuts"], a_node["forest"]),
    )
    measure.print_table(measure.RATIO_COLUMNS, [measure.ratio_row(*row, None) for row in rows])


if __name__ == "__main__":
    main()
