"""The command line speaks of options, where Python's notes and warnings speak of arguments."""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nproc import certify, compare, npc, nproc_bands
from nproc.cli import main, values
from nproc.datasets import load_logistic_world

# an argument with its value, a name of the package, or a call
PYTHON = re.compile(r"\b[a-z]\w*=['\"\[{A-Z]|\b[a-z]+_\w+=|\bnproc\.\w+|\b\w+\(\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    world = load_logistic_world()
    frame = pd.DataFrame(world.X).set_axis(["a", "b"], axis=1).assign(y=np.where(world.y == 0, "ill", "well"))
    frame.to_csv(folder / "rows.csv", index=False)
    frame.assign(minus=-frame["a"]).to_csv(folder / "minus.csv", index=False)
    frame.assign(a=(frame["a"] > 0).astype(int), b=0).to_csv(folder / "tied.csv", index=False)
    frame.head(40).to_csv(folder / "few.csv", index=False)
    three = frame.assign(y=np.where(frame["b"] > 1, "mild", frame["y"]))
    three.to_csv(folder / "three.csv", index=False)
    assert main(["fit", str(folder / "rows.csv"), "--label", "y", "--out", str(folder / "fit.npc"), "--seed", "1"]) == 0
    return folder


LABEL, TWO = ["--label", "y"], ["--method", "lda", "--method", "logistic"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fit", "tied.csv", *LABEL, "--splits", "2"], "--splits 2 is even"),
        (["fit", "tied.csv", *LABEL, "--class0", "well"], "or --ties randomize."),
        (["fit", "few.csv", *LABEL], "With --split-ratio auto, "),
        (
            ["fit", "rows.csv", *LABEL, "--splits", "3", "--vote", "random"],
            "If you give predict a --seed, use it in one call only",
        ),
        (["fit", "few.csv", *LABEL, "--alpha", "0.4", "--small-sample", "normal"], None),
        (["compare", "rows.csv", *LABEL, *TWO, "--regions", "simultaneous"], "--about rules compares the fitted"),
        (["certify", "fit.npc", "rows.csv", *LABEL], "give --candidates K. The bounds"),
        (["certify", "fit.npc", "rows.csv", *LABEL, "--anytime"], "(--anytime). You may look"),
        (["check", "fit.npc"], "Give the file of the fit by --data. Not made: clusters"),
        (["multiclass", "three.csv", *LABEL, "--priority", "ill,mild,well"], "--test FILE estimates all errors"),
        (["npcs", "three.csv", *LABEL, "--alphas", "ill=0.3"], "the command multiclass bounds another error"),
        (
            ["threshold", "few.csv", *LABEL, "--score", "a"],
            "in Python nproc.small_samples.np_threshold_normal requires",
        ),
        (["bands", "rows.csv", *LABEL], "in Python, nproc.comparison.compare_aucs gives one"),
        (
            ["bands", "rows.csv", *LABEL, "--band", "simultaneous", "--alpha-max", "0.3"],
            "Levels above --alpha-max 0.3 are",
        ),
        (["bands", "minus.csv", *LABEL, "--score", "minus", "--larger-means", "class1"], "by --larger-means class0)"),
        (["bands", "rows.csv", *LABEL, "--alpha-max", "0.1"], "--alpha-max can be used only with --band simultaneous;"),
        (
            ["compare", "rows.csv", *LABEL, *TWO, "--regions", "simultaneous", "--splits", "3"],
            "--regions simultaneous req",
        ),
        (["fit", "rows.csv", *LABEL, "--vote", "random"], "give --splits above 1."),
        (["fit", "rows.csv", *LABEL, "--cross-fit", "3", "--splits", "3"], "--cross-fit divides all class 0 rows"),
        (["fit", "rows.csv", *LABEL, "--jobs", "0"], "--jobs must be None or a whole number"),
        (["certify", "fit.npc", "rows.csv", *LABEL, "--candidates", "0"], "--candidates must be at least 1"),
        (["plan", "--rows", "200"], "split ratio auto"),
    ],
)
def test_what_a_command_prints_names_its_options(folder, capsys, monkeypatch, words, told):
    monkeypatch.chdir(folder)
    trains = words[0] in ("fit", "compare", "bands", "multiclass", "npcs") and "--score" not in words
    main([*words, *["--seed", "1"] * trains])
    printed = " ".join(" ".join(capsys.readouterr()).replace("[", " [").split())
    printed = re.sub(r" \[\d+\] ", " ", printed)
    assert told is None or told in printed
    # a scorer is described as Python writes it, and numbers of rows are no arguments
    rest = re.sub(r"Scorer: \S+(, then \S+\))?|\bn0=\d+|in Python,? nproc\.\S+", "", printed)
    assert PYTHON.findall(rest) == []


def test_in_python_the_same_notes_name_arguments():
    world = load_logistic_world()
    bands = nproc_bands(world.X, world.y, ["lda", "logistic"], random_state=1)
    assert "about='rules' compares" in str(compare(bands, regions="simultaneous").summary()).replace("\n   ", "")
    fit = npc(world.X[:500], world.y[:500], random_state=1)
    fresh = str(certify(fit, world.X[500:][world.y[500:] == 0]).summary())
    assert "anytime=True" in fresh
    assert "n_candidates=K" in fresh
    assert "--" not in re.sub("---+", "", fresh)


def test_every_phrase_that_is_put_in_other_words_is_still_said():
    pieces = []
    for path in Path(inspect.getfile(values)).parents[1].rglob("*.py"):
        if path.parent.name != "cli":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            pieces += [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value]
    said = "\n".join(piece for piece in pieces if isinstance(piece, str))
    # an f-string is in pieces, which end where a value comes in
    ends = {"split_ratio='auto'": "split_ratio="}
    assert [phrase for phrase in values._WORDS if ends.get(phrase, phrase) not in said] == []
