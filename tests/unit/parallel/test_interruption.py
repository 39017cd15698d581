"""A stopped program: it ends at once, leaves no process and no half-written file, and what it kept is resumed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from nproc import npc
from nproc.parallel.tasks import run_tasks

psutil = pytest.importorskip("psutil")

# a module of its own, which workers can import
SLOW_SCORER = '''
import os, sys, time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

FOLDER = Path(__file__).parent


def takes(place):
    """Whether this process is the first to ask for a place: exactly one is, in whatever order they run."""
    try:
        (FOLDER / place).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class SlowScorer(ClassifierMixin, BaseEstimator):
    """The first column; every training leaves a file, and those after the second take a minute."""

    def fit(self, X, y):
        (FOLDER / f"training-{os.getpid()}-{time.monotonic_ns()}").touch()
        if not (FOLDER / "fast").exists() and not takes("place-1") and not takes("place-2"):
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
    from slow_scorer import SlowScorer

    if len(sys.argv) == 1:
        from nproc import npc

        npc(*rows(), SlowScorer(), n_splits=9, alpha=0.2, random_state=1, n_jobs=2, checkpoint=FOLDER / "kept")
    else:
        from nproc import register
        from nproc.cli import main

        register("slow")(lambda: SlowScorer())
        sys.exit(main(sys.argv[1:]))
'''


def wait_for(happened, process, seconds=60):
    deadline = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def start(folder, *arguments):
    """Return a program of two workers, which begin with trainings of a minute, and the folder of what they share."""
    (folder / "slow_scorer.py").write_text(SLOW_SCORER)
    maps = folder / "maps"
    maps.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(folder / "slow_scorer.py"), *arguments],
        env=os.environ | {"JOBLIB_TEMP_FOLDER": str(maps), "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        stderr=subprocess.PIPE,
        # a group of its own, to which the signal goes as from the keyboard of a terminal
        start_new_session=True,
    )
    return process, maps


def children_at_work(folder, process, maps):
    """Return the processes that a program has started, when two of its trainings of a minute are under way."""
    kept = folder / "kept"
    wait_for(lambda: (len(list(folder.glob("training-*"))), len(list(kept.glob("*/*split*")))) == (4, 2), process)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2
    assert any(path.suffix == ".pkl" for path in maps.rglob("*"))
    return children


def gone(children, maps):
    """Whether processes end by themselves, long before their trainings would, and then what they shared."""
    _, alive = psutil.wait_procs(children, timeout=120)
    for child in alive:
        child.kill()
    return alive == [] and [path for path in maps.rglob("*") if path.is_file()] == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_and_what_they_share_end_with_a_program_that_is_killed(number, tmp_path):
    process, maps = start(tmp_path)
    try:
        children = children_at_work(tmp_path, process, maps)
    finally:
        process.send_signal(number)
    process.stderr.close()
    assert process.wait(timeout=20) == -number
    assert gone(children, maps)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of Unix")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_command_line_ends_its_workers_and_says_why_it_ends(number, tmp_path):
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip(f"{signal.Signals(number).name} is ignored here, as under nohup, and so by all that is started")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 700))).add_prefix("x").assign(y=np.arange(200) % 2)
    table.to_csv(tmp_path / "rows.csv", index=False)
    options = {"--label": "y", "--class0": "0", "--method": "slow", "--splits": "9", "--alpha": "0.2", "--seed": "1"}
    options |= {"--jobs": "2", "--checkpoint": str(tmp_path / "kept"), "--out": str(tmp_path / "model.joblib")}
    words = [word for option in options.items() for word in option]
    process, maps = start(tmp_path, "fit", str(tmp_path / "rows.csv"), *words)
    try:
        children = children_at_work(tmp_path, process, maps)
    finally:
        # to the program alone, as another program does it
        process.send_signal(number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert f"ended by {number.name}" in told.decode()
    assert "Traceback" not in told.decode()
    assert gone(children, maps)
    assert [path for path in tmp_path.rglob("*") if path.suffix == ".part" or path.name == "model.joblib"] == []


def processes_at_work(_):
    # those that are slow to start are seen too
    time.sleep(1.0)
    return sum(map(is_worker, psutil.Process(os.getppid()).children()))


def is_worker(process):
    try:
        return "popen_loky" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        # it has ended in the meantime
        return False


@pytest.mark.slow
def test_there_are_no_more_workers_than_tasks():
    assert run_tasks(processes_at_work, [(j,) for j in range(3)], n_jobs=24) == [3, 3, 3]


class Kept(dict):
    """A store in memory that has some tasks."""

    read = dict.get
    write = dict.__setitem__


def test_a_single_task_that_is_left_needs_no_worker():
    store = Kept({f"{j}": (0, ()) for j in range(3)})
    assert run_tasks(process_number, [(j,) for j in range(4)], n_jobs=4, store=store, keys="0123")[3] == os.getpid()


def process_number(_):
    return os.getpid()


@pytest.mark.slow
def test_ctrl_c_ends_the_workers_and_leaves_whole_files_that_are_resumed(tmp_path, monkeypatch):
    process, maps = start(tmp_path)
    try:
        children = children_at_work(tmp_path, process, maps)
        os.killpg(process.pid, signal.SIGINT)
        # the trainings under way would have taken a minute
        _, words = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert b"KeyboardInterrupt" in words
    assert process.returncode in (-signal.SIGINT, 130, 1)
    assert gone(children, maps)
    kept = tmp_path / "kept"
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
