"""The command line speaks of options, where Python's notes and warnings speak of arguments."""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nproc
from nproc import certify, compare, npc, nproc_bands
from nproc.cli import build_parser, main
from nproc.cli.wording import Wording
from nproc.datasets import load_logistic_world
from nproc.errors import LostWorkerError
from nproc.scorers import scorer_names

# an argument with its value, a name of the package, or a call
PYTHON = re.compile(r"\b[a-z]\w*=['\"\[{A-Z]|\b[a-z]+_\w+=|\bnproc\.\w+|\b\w+\(\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    world = load_logistic_world()
    frame = pd.DataFrame(world.X).set_axis(["a", "b"], axis=1).assign(y=np.where(world.y == 0, "ill", "well"))
    frame.to_csv(folder / "rows.csv", index=False)
    frame.assign(minus=-frame["a"]).to_csv(folder / "minus.csv", index=False)
    codes = frame["a"].where((frame["y"] == "well") | (np.arange(len(frame)) % 9 > 0), 999)
    frame[["y"]].assign(a=codes).to_csv(folder / "codes.csv", index=False)
    frame.assign(a=(frame["a"] > 0).astype(int), b=0).to_csv(folder / "tied.csv", index=False)
    frame.head(40).to_csv(folder / "few.csv", index=False)
    frame.head(60).assign(a=[np.nan] + [1.0] * 59).to_csv(folder / "gaps.csv", index=False)
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
            "Use a new seed (--seed) for each call of predict",
        ),
        (["fit", "few.csv", *LABEL, "--alpha", "0.4", "--small-sample", "normal"], None),
        (["compare", "rows.csv", *LABEL, *TWO, "--regions", "simultaneous"], "--about rules compares the fitted"),
        (["certify", "fit.npc", "rows.csv", *LABEL], "give --candidates K. The bounds"),
        (["certify", "fit.npc", "rows.csv", *LABEL, "--anytime"], "(--anytime). You may look"),
        (["check", "fit.npc"], "were given (--new). Not made: clusters. To make it"),
        (["multiclass", "three.csv", *LABEL, "--priority", "ill,mild,well"], "evaluate the fit on new rows."),
        (
            ["npcs", "three.csv", *LABEL, "--alphas", "ill=0.3"],
            "A multiclass classifier by priority bounds another error",
        ),
        (
            ["threshold", "few.csv", *LABEL, "--score", "a"],
            "nproc.small_samples.np_threshold_normal (in Python) requires",
        ),
        (["bands", "rows.csv", *LABEL], "nproc.comparison.compare_aucs (in Python) gives one"),
        (
            ["bands", "rows.csv", *LABEL, "--band", "simultaneous", "--alpha-max", "0.3"],
            "Levels above --alpha-max 0.3 are",
        ),
        (
            ["bands", "minus.csv", *LABEL, "--score", "minus", "--larger-means", "class1"],
            "has the wrong sign, give --larger-means class0. If the other",
        ),
        (
            ["bands", "rows.csv", *LABEL, "--score", "a", "--larger-means", "class0"],
            "has the wrong sign, leave --larger-means class0 out. If the other",
        ),
        *(
            ([c, "codes.csv", *LABEL], "learned another than its training rows show. Look for")
            for c in ("fit", "bands")
        ),
        (["bands", "rows.csv", *LABEL, "--alpha-max", "0.1"], "--alpha-max can be used only with --band simultaneous;"),
        (
            ["compare", "rows.csv", *LABEL, *TWO, "--regions", "simultaneous", "--splits", "3"],
            "Leave out --splits, or compare the methods by --regions procedures.",
        ),
        (
            ["compare", "rows.csv", *LABEL, *TWO, "--regions", "pointwise", "--band", "simultaneous"],
            "Leave it out, or make the bands with --band pointwise.",
        ),
        (["compare", "rows.csv", *LABEL, *TWO, "--about", "scores"], "use --regions simultaneous or --regions paired."),
        (["bands", "rows.csv", *LABEL, "--type2-max", "0.001"], "Raise --type2-max, or leave out more"),
        (
            ["report", "fit.npc", "--out", "r.pdf"],
            "--out must end in .html or .md, got 'r.pdf'. Name it report.html, say",
        ),
        (["fit", "rows.csv", *LABEL, "--plot", "/dev/null"], "got '/dev/null'. Name it picture.png, say; the"),
        (["fit", "rows.csv", *LABEL, "--vote", "random"], "give --splits above 1."),
        (["fit", "rows.csv", *LABEL, "--cross-fit", "3", "--splits", "3"], "--cross-fit divides all class 0 rows"),
        (["fit", "rows.csv", *LABEL, "--jobs", "0"], "--jobs must be None or a whole number"),
        (["certify", "fit.npc", "rows.csv", *LABEL, "--candidates", "0"], "--candidates must be at least 1"),
        (["plan", "--rows", "200"], "split ratio auto"),
        (
            ["bands", "rows.csv", *LABEL, "--splits", "3", "--band", "simultaneous", "--youden"],
            "see nproc.fits.vote_bound() (in Python).",
        ),
        (["fit", "three.csv", *LABEL], "the label column has 3 classes"),
        (
            ["fit", "three.csv", *LABEL],
            "Keep the rows of two classes, or merge classes until two are left, or use the command multiclass.",
        ),
        (["fit", "rows.csv", *LABEL, "--param", "bad=1"], "has no parameter 'bad'"),
        (["multiclass", "three.csv", *LABEL, "--priority", "ill,mild"], "--priority must list each of the labels"),
        (["fit", "few.csv", *LABEL, "--alpha", "0.4", "--test", "gaps.csv"], "error: gaps.csv: "),
        (["fit", "gaps.csv", *LABEL], "the table contains NaN"),
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
    rest = re.sub(r"Scorer: \S+(, then \S+\))?|\bn0=\d+|nproc\.\S+ \(in Python\)", "", printed)
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


# what the package says for users of Python, and what a command says
SAID = [
    ("fit", "use small_sample='normal'", "use --small-sample normal"),
    ("fit", "use small_sample='log_concave'", "use --small-sample log_concave"),
    ("fit", "give a larger split_ratio (", "give a larger --split-ratio ("),
    ("bands", "split_ratio='auto' depends on alpha", "--split-ratio auto depends on alpha"),
    ("fit", "Use split_ratio='adaptive' to", "Use --split-ratio adaptive to"),
    ("fit", "give split_ratio as a number.", "give --split-ratio as a number."),
    ("fit", "or ties='randomize'.", "or --ties randomize."),
    ("fit", "too few for vote='random' at", "too few for --vote random at"),
    ("fit", "review_beta leaves tied scores", "--review-beta leaves tied scores"),
    ("fit", "cross_fit divides all", "--cross-fit divides all"),
    ("fit", "checkpoint requires random_state.", "checkpoint requires --seed."),
    ("certify", "; fit with n_splits=1, or", "; fit with --splits 1, or"),
    ("fit", "(in a fit by na_action='omit')", "(in a fit by --na-action omit)"),
    ("compare", "or use about='scores'.", "or use --about scores."),
    ("compare", "regions='paired' needs the scores", "--regions paired needs the scores"),
    ("npcs", "variant='er' needs at least", "--variant er needs at least"),
    ("npcs", "variant='cx' can prove it", "--variant cx can prove it"),
    ("multiclass", "or use scheme='separate'.", "or use --scheme separate."),
    ("certify", "the number of groups as n_candidates.", "the number of groups as --candidates."),
    ("certify", "See check_assumptions.", "See npc check."),
    ("bands", "with an alpha_max above ", "with an --alpha-max above "),
    ("fit", "fewer processes at a time (n_jobs) need", "fewer processes at a time (--jobs) need"),
    ("predict", "may have with decimal=','", "may have with --decimal ','"),
    ("bands", "see nproc.fits.vote_bound().", "see nproc.fits.vote_bound() (in Python)."),
    ("fit", "see fit.check().", "see fit.check() (in Python)."),
    (
        "fit",
        "See nproc.small_samples.normality_check.",
        "See nproc.small_samples.normality_check (in Python).",
    ),
    ("sparselogit", "Use interval='alpha' for", "Use --param interval=alpha for"),
    ("sparselogit", "interval='costs' needs", "--param interval=costs needs"),
    ("penlog", "(rule='1se')", "(--param rule=1se)"),
    ("constrained", "norm='l2' or norm='l1' with", "--param norm=l2 or --param norm=l1 with"),
    ("gen", "or bound='gaussian'.", "or --param bound=gaussian."),
    ("npsvm", "shift=True, ", "--param shift=true, "),
]


def worded(command, text):
    words = Wording()
    words.methods = [command] if command in scorer_names() else []
    words.parser = build_parser(["fit" if words.methods else command]).asked
    return words(text)


def test_phrases_for_python_name_options_on_the_command_line():
    assert [(text, worded(command, text)) for command, text, told in SAID if worded(command, text) != told] == []


@pytest.mark.slow
def test_these_phrases_are_said_by_the_package():
    pieces = []
    for path in Path(inspect.getfile(nproc)).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        pieces += [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    said = "\n".join(piece for piece in pieces if isinstance(piece, str))
    assert [text for _, text, _ in SAID if text not in said] == []


@pytest.mark.parametrize(
    "text",
    [
        "n0=58 left-out class 0 scores cannot meet alpha=0.05 with delta=0.05",
        "there is no file /data/split_ratio/rows.csv.",
        "column 'split_ratio' is text",
        "Scorer: LogisticRegressionML(max_iter=1), whose n_splits(split_ratio=2) is a call",
        "ties, groups and the method stay words of English",
    ],
)
def test_mathematics_names_in_quotation_marks_and_paths_stay(text):
    assert worded("fit", text) == text


def test_of_two_methods_a_parameter_is_given_to_the_one_that_has_it():
    words = Wording()
    words.parser, words.methods = build_parser(["compare"]).asked, ["lda", "penlog"]
    assert words("Use a larger lambda (rule='1se').") == "Use a larger lambda (--param penlog.rule=1se)."


def test_lost_workers_are_told_the_commands_that_resume():
    lost = LostWorkerError(
        "worker processes were lost 3 times.", fault="lost workers", way_out="checkpoint= (a folder)"
    )
    words = Wording()
    words.parser = build_parser(["fit"]).asked
    assert "fewer processes at a time (--jobs)" in words.told(lost)
    assert "another run of fit, bands or compare resumes" in words.told(lost)


def test_advice_with_names_that_begin_with_a_dash_can_be_pasted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng, sick = np.random.default_rng(1), np.arange(400) % 2
    table = pd.DataFrame({"dose": rng.normal(size=400) + sick, "-sick": sick})
    table.assign(**{"-who": [f"patient {row // 2}" for row in range(400)]}).to_csv("owners.csv", index=False)
    texts = {"-no": [f"note {row}" for row in range(400)], "-x": [f"text {row}" for row in range(400)]}
    table.assign(**texts).to_csv("texts.csv", index=False)
    table.to_csv("plain.csv", index=False)
    given = ["plain.csv", "--label=-sick", "--features", "dose", "--seed", "1"]
    assert main(["fit", *given, "--out", "m.npc"]) == 0
    for words, option in (
        (["fit", "owners.csv", "--label=-sick"], "--clusters=-who"),
        (["fit", "texts.csv", "--label=-sick"], "--drop=-no,-x"),
        (["fit", "owners.csv", "--formula", "`-sick` ~ dose + `-who`"], "--clusters=-who"),
        (["certify", "m.npc", "plain.csv"], "--label=-sick"),
    ):
        assert main(words) == 2
        assert f" {option}" in capsys.readouterr().err, words
    table.assign(**{"-sick": 1 - 2 * sick}).to_csv("plain.csv", index=False)
    assert main(["bands", *given, "--prevalence", "0.3"]) == 0
    assert "for that of -1, give --prevalence=-1=P" in capsys.readouterr().err
