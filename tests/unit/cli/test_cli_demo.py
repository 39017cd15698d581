"""nproc.cli.demo: the demonstration is quick and ends with the path of its picture."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nproc.cli import demo, main
from nproc.cli.demo import METHODS, PICTURE, run_demo
from nproc.errors import InvalidInputError


def test_the_command_ends_well(monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(demo, "run_demo", lambda folder: ran.append(folder) or Path(folder) / PICTURE)
    assert main(["demo", "--out", str(tmp_path)]) == 0
    assert ran == [str(tmp_path)]


@pytest.mark.slow
def test_it_prints_the_results_and_last_the_absolute_path_of_a_png(tmp_path):
    folder = tmp_path / "made" / "here"
    before = os.times()
    command = [sys.executable, "-m", "nproc", "demo", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    after = os.times()
    assert done.returncode == 0, done.stderr
    path = Path(done.stdout.splitlines()[-1])
    assert path.is_absolute()
    assert path == (folder / PICTURE).resolve()
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()] == [f"made/here/{PICTURE}"]
    assert done.stdout.count("Neyman-Pearson classifier") == len(METHODS)
    for text in ("Errors on the held-out rows", "Dominance between NP-ROC bands", "142 held out", *METHODS):
        assert text in done.stdout
    # progress, and no warning
    lines = done.stderr.splitlines()
    assert lines[-1].endswith("done")
    assert all(line.startswith("[") for line in lines)
    # seconds of processor time, which other programs on the machine do not change much
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 40


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="cannot make the folder"):
        run_demo(tmp_path / "file" / "below")
    with pytest.raises(InvalidInputError, match="cannot make the folder"):
        run_demo(tmp_path / "file")
