"""What a benchmark keeps of its repetitions: the same numbers after an interrupt, and none of another program's."""

import os
import sys

import numpy as np
import pytest
from source_files import ROOT

from nproc import doors

sys.path.append(str(ROOT / "benchmarks"))

import measure
from np_store import Store

RUNS = []


def one_repetition(scale, seed):
    if RUNS and RUNS[0] == seed:
        raise KeyboardInterrupt
    RUNS.append(None)
    return scale * np.random.default_rng(seed).normal()


def repetitions(n, scale=2.0):
    RUNS.extend([None] * (not RUNS))
    before = len(RUNS)
    return measure.repeat(one_repetition, (scale,), n, label="draws", n_jobs=1), len(RUNS) - before


@pytest.fixture(autouse=True)
def kept(monkeypatch, tmp_path):
    RUNS.clear()
    monkeypatch.setenv("NPROC_CHECKPOINT", str(tmp_path))
    return tmp_path


def test_repetitions_go_on_after_an_interrupt_with_the_same_bits(monkeypatch, kept):
    RUNS.append(3)
    with pytest.raises(KeyboardInterrupt):
        repetitions(6)
    RUNS[0] = None
    assert len(list(kept.rglob("*.joblib"))) == 3
    resumed, n_run = repetitions(6)
    assert n_run == 3
    monkeypatch.delenv("NPROC_CHECKPOINT")
    whole, n_run = repetitions(6)
    assert n_run == 6
    assert resumed == whole


def test_other_settings_another_version_and_another_source_are_other_runs(monkeypatch, tmp_path):
    repetitions(2)
    assert repetitions(2)[1] == 0
    assert repetitions(2, scale=3.0)[1] == 2
    versions = doors.package_versions()
    with monkeypatch.context() as patched:
        patched.setattr(doors, "package_versions", lambda: versions | {"scikit-learn": "9.9"})
        assert repetitions(2)[1] == 2
    benchmarks = tmp_path / "benchmarks"
    benchmarks.mkdir()
    (benchmarks / "sizes.py").write_text("EPOCHS = 10\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        # what a script imports from another one counts as well
        patched.setattr(measure, "BENCHMARKS", benchmarks)
        assert repetitions(2)[1] == 2
        (benchmarks / "sizes.py").write_text("EPOCHS = 20\n", encoding="utf-8")
        assert repetitions(2)[1] == 2
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("# changed\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(sys.modules["nproc"], "__file__", os.fspath(package / "__init__.py"))
        assert repetitions(2)[1] == 2
    assert repetitions(2)[1] == 0


ASKED = []


def ran(*key):
    ASKED.append(key)
    return {0.05: {"type1": key[1] / 8, "seconds": 2.0}}


def test_a_stored_study_goes_on_with_the_divisions_that_are_missing(tmp_path):
    ASKED.clear()
    store, searches = Store(tmp_path / "runs.csv", ("type1", "seconds")), ("one", "other")
    store.fill(ran, {"a": 2, "b": 1}, searches, minutes=0)
    assert ASKED == []
    assert store.complete(("a", "b"), searches) == {}
    store.fill(ran, {"a": 2, "b": 1}, searches, minutes=1)
    # all data sets go on together
    assert [key[:2] for key in ASKED] == [("a", 0), ("a", 0), ("b", 0), ("b", 0), ("a", 1), ("a", 1)]
    assert store.read()["a", 1, "other"] == {0.05: {"type1": 0.125, "seconds": 2.0}}
    ASKED.clear()
    store.fill(ran, {"a": 2, "b": 2}, searches, minutes=1)
    assert ASKED == [("b", 1, "one"), ("b", 1, "other")]
    assert len(store.read()) == 8


def test_two_processes_store_what_one_does_and_a_division_without_all_searches_is_not_shown(tmp_path):
    store = Store(tmp_path / "runs.csv", ("type1", "seconds"))
    store.fill(ran, {"b": 1, "a": 3}, ("one", "other"), minutes=1, processes=2)
    for division in (3, 10):
        store.add(("a", division, "one"), ran("a", division, "one"))
    store.add(("a", 10, "other"), ran("a", 10, "other"))
    results = store.complete(("a", "b", "c"), ("one", "other"))
    assert list(results) == ["a", "b"]
    assert [division["other"][0.05]["type1"] for division in results["a"]] == [0.0, 0.125, 0.25, 1.25]
    assert "Repetitions so far: a 4 of 5, b 1 of 2, c 0 of 3." in store.told({"a": 5, "b": 2, "c": 3}, results)
