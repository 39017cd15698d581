"""An interrupted program: it ends at once, leaves no process and no half-written file, and what it kept is resumed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from nproc import npc

psutil = pytest.importorskip("psutil")

# a module of its own, which workers can import
SLOW_SCORER = '''
import os, sys, time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

FOLDER = Path(__file__).parent


class SlowScorer(ClassifierMixin, BaseEstimator):
    """The first column; every training leaves a file, and those after the second take a minute."""

    def fit(self, X, y):
        (FOLDER / f"training-{os.getpid()}-{time.monotonic_ns()}").touch()
        if len(list(FOLDER.glob("training-*"))) > 2 and not (FOLDER / "fast").exists():
            time.sleep(60)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


def rows():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], 100))
    return rng.normal(size=(200, 3000)) + y[:, np.newaxis], y


if __name__ == "__main__":
    from nproc import npc
    from slow_scorer import SlowScorer

    npc(*rows(), SlowScorer(), n_splits=9, alpha=0.2, random_state=1, n_jobs=2, checkpoint=FOLDER / "kept")
'''


def wait_for(happened, process, seconds=60):
    deadline = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_ctrl_c_ends_the_workers_and_leaves_whole_files_that_are_resumed(tmp_path, monkeypatch):
    (tmp_path / "slow_scorer.py").write_text(SLOW_SCORER)
    maps = tmp_path / "maps"
    maps.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "slow_scorer.py")],
        env=os.environ | {"JOBLIB_TEMP_FOLDER": str(maps), "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        stderr=subprocess.PIPE,
        # a group of its own, to which the signal goes as from the keyboard of a terminal
        start_new_session=True,
    )
    try:
        kept = tmp_path / "kept"
        wait_for(lambda: (len(list(tmp_path.glob("training-*"))), len(list(kept.glob("*/*split*")))) == (4, 2), process)
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 2
        assert any(path.suffix == ".pkl" for path in maps.rglob("*"))
        os.killpg(process.pid, signal.SIGINT)
        # the trainings under way would have taken a minute
        _, words = process.communicate(timeout=40)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert b"KeyboardInterrupt" in words
    assert process.returncode in (-signal.SIGINT, 130, 1)
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
    assert [path for path in maps.rglob("*") if path.is_file()] == []
    # which two of the first splits ended is a matter of chance, and nothing else is there
    assert len(list(kept.glob("*/split-0000?.joblib"))) == 2
    assert len(list(kept.glob("*/*"))) == 3

    (tmp_path / "fast").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    import slow_scorer

    X, y = slow_scorer.rows()
    settings = {"n_splits": 9, "alpha": 0.2, "random_state": 1}
    n_before = len(list(tmp_path.glob("training-*")))
    resumed = npc(X, y, slow_scorer.SlowScorer(), checkpoint=kept, **settings)
    assert len(list(tmp_path.glob("training-*"))) == n_before + 7
    whole = npc(X, y, slow_scorer.SlowScorer(), **settings)
    np.testing.assert_array_equal(resumed.thresholds, whole.thresholds)
