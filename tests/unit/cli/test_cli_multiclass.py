import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from nproc import NPMultiClassifier, load, npc_multiclass, save
from nproc.cli import main


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 100)
    X = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 3.0]])[codes] + rng.standard_normal((300, 2))
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(kind=np.array(["bad", "odd", "good"])[codes])
    train = rng.random(300) < 0.8
    frame[train].to_csv(tmp_path / "data.csv", index=False)
    frame[~train].to_csv(tmp_path / "test.csv", index=False)
    return tmp_path, frame[train]


@pytest.mark.slow
def test_multiclass_fits_evaluates_predicts_saves_and_draws(tables, capsys):
    folder, train = tables
    command = ["multiclass", f"{folder}/data.csv", "--label", "kind", "--priority", "bad,odd,good", "--alphas", ".1,.2"]
    command += ["--method", "lda", "--seed", "1", "--test", f"{folder}/test.csv", "--new", f"{folder}/test.csv"]
    command += ["--predictions", f"{folder}/called.csv", "--out", f"{folder}/model.joblib"]
    command += ["--plot", f"{folder}/table.png", "--figsize", "6.7x4", "--json", f"{folder}/fit.json"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "bad > odd > good" in printed
    assert "Confusion table on new data" in printed
    fit = npc_multiclass(
        train[["u", "v"]],
        train["kind"].to_numpy(),
        "lda",
        priority=["bad", "odd", "good"],
        alphas=(0.1, 0.2),
        random_state=1,
    )
    test = pd.read_csv(folder / "test.csv")
    called = pd.read_csv(folder / "called.csv")
    assert called["predicted"].tolist() == fit.predict(test[["u", "v"]]).tolist()
    assert load(folder / "model.joblib").thresholds.tolist() == fit.thresholds.tolist()
    assert imread(folder / "table.png").shape[:2] == (1200, 2010)
    record = json.loads((folder / "fit.json").read_text())
    assert record["labels"] == ["bad", "odd", "good"]
    assert record["classes"][0]["threshold"] == fit.thresholds[0]
    assert len(record["test"]) == 3


@pytest.mark.parametrize("priority", [True, False])
def test_columns_of_the_new_rows_are_kept_beside_their_labels(priority, tables, capsys):
    folder, _ = tables
    new = pd.read_csv(folder / "test.csv").drop(columns="kind")
    new.insert(0, "case", [f"{j:03d}" for j in range(len(new))])
    new.to_csv(folder / "new.csv", index=False)
    how = ["--priority", "bad,odd,good", "--alphas", ".1,.2"] if priority else ["--alphas", "bad=0.2,odd=0.3"]
    command = ["multiclass" if priority else "npcs", f"{folder}/data.csv", "--label", "kind", *how, "--method", "lda"]
    rows = ["--new", f"{folder}/new.csv", "--predictions", f"{folder}/called.csv"]
    assert main([*command, "--seed", "1", *rows]) == 0
    called = pd.read_csv(folder / "called.csv")["predicted"].tolist()
    assert main([*command, "--seed", "1", *rows, "--keep", "case"]) == 0
    kept = pd.read_csv(folder / "called.csv", dtype=str)
    assert kept.columns.tolist() == ["case", "predicted"]
    assert kept["case"].tolist() == new["case"].tolist()
    assert kept["predicted"].tolist() == called
    for given, told in (
        (["--keep", "case"], "--keep copies columns of --new"),
        ([*rows, "--keep", "predicted"], "'predicted' of its own"),
        ([*rows, "--keep", "ward"], "ward"),
    ):
        assert main([*command, *given]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["multiclass", "--priority", "bad,odd,good", "--alphas", ".1,.2"], ["npcs", "--alphas", "bad=0.2,odd=0.3"]],
    ids=["multiclass", "npcs"],
)
def test_a_test_set_of_rows_of_the_fit_is_told(command, tables, capsys):
    folder, train = tables
    command = [command[0], f"{folder}/data.csv", "--label", "kind", *command[1:], "--method", "lda", "--seed", "1"]
    for name, told in (("data", f"warning: all {len(train)} test rows equal a row of the fit"), ("test", "")):
        assert main([*command, "--test", f"{folder}/{name}.csv"]) == 0
        err = capsys.readouterr().err
        assert told in err if told else "equal a row of the fit" not in err
        assert "independent" not in err
    test = pd.read_csv(folder / "test.csv")
    test.assign(patient_id=test.groupby("kind").cumcount()).to_csv(folder / "each class.csv", index=False)
    test.assign(patient_id=np.arange(len(test)) // 4).to_csv(folder / "twice.csv", index=False)
    for name, is_shared in (("each class", False), ("twice", True)):
        assert main([*command, "--test", f"{folder}/{name}.csv"]) == 0
        told = "warning: the intervals of the errors do not hold, because rows of one patient, country or other unit"
        assert (told in capsys.readouterr().err) is is_shared


def test_several_classes_of_rows_that_share_owners_are_not_sent_to_a_command_for_two(tables, capsys):
    folder, train = tables
    command = ["multiclass", f"{folder}/owned.csv", "--label", "kind", "--priority", "bad,odd,good", "--alphas", "0.3"]
    train.assign(patient_id=np.arange(len(train)) // 2).to_csv(folder / "owned.csv", index=False)
    assert main([*command, "--features", "u,v"]) == 0
    err = capsys.readouterr().err
    assert "This command cannot take that into account. Give rows of which no two share one. If rows with" in err
    # text of many values is no category
    train.assign(patient_id=[f"P{j // 2}" for j in range(len(train))]).to_csv(folder / "owned.csv", index=False)
    assert main(command) == 2
    err = capsys.readouterr().err
    assert "such as those of one patient, give one row of each; with --drop patient_id nothing is guaranteed." in err


def test_multiclass_has_the_scheme_of_the_paper(tables, capsys):
    folder, train = tables
    command = ["multiclass", f"{folder}/data.csv", "--label", "kind", "--priority", "bad,odd,good", "--alphas", "0.2"]
    command += ["--method", "lda", "--seed", "1", "--scheme", "separate", "--stage-score", "own", "--json"]
    assert main(command) == 0
    record = json.loads(capsys.readouterr().out)
    levels = {"priority": ["bad", "odd", "good"], "alphas": 0.2, "random_state": 1}
    paper = {"scheme": "separate", "stage_score": "own"}
    fit = npc_multiclass(train[["u", "v"]], train["kind"].to_numpy(), "lda", **levels, **paper)
    assert [row["threshold"] for row in record["classes"][:2]] == fit.thresholds.tolist()


def test_a_saved_model_predicts_by_the_command_predict(tables, capsys):
    folder, _ = tables
    command = ["multiclass", f"{folder}/data.csv", "--label", "kind", "--priority", "bad,odd,good", "--alphas", "0.2"]
    assert main([*command, "--seed", "1", "--method", "lda", "--out", f"{folder}/model.joblib"]) == 0
    capsys.readouterr()
    assert main(["predict", f"{folder}/model.joblib", f"{folder}/test.csv"]) == 0
    assert capsys.readouterr().out.startswith("row,predicted\n1,")
    assert main(["predict", f"{folder}/model.joblib", f"{folder}/test.csv", "--scores"]) == 2
    assert "--votes and --scores are for two classes" in capsys.readouterr().err


def test_a_saved_estimator_predicts_by_the_command_predict(tables, capsys):
    folder, train = tables
    model = NPMultiClassifier("lda", priority=["bad", "odd", "good"], alphas=0.2, random_state=1)
    save(model.fit(train[["u", "v"]], train["kind"].to_numpy()), folder / "model.joblib")
    assert main(["predict", f"{folder}/model.joblib", f"{folder}/test.csv"]) == 0
    assert capsys.readouterr().out.startswith("row,predicted\n1,")


def test_npcs_takes_levels_by_label(tables, capsys):
    folder, _ = tables
    command = ["npcs", f"{folder}/data.csv", "--label", "kind", "--alphas", "bad=0.1,odd=0.2", "--seed", "1", "--json"]
    assert main(command) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["alpha"] for row in record["classes"]] == [0.1, None, 0.2]
    weighted = [*command[:-1], "--weights", "good=2", "--variant", "er", "--method", "lda"]
    assert main(weighted) == 0
    assert "ER (held-out errors)" in capsys.readouterr().out


def test_text_columns_are_coded(tables, capsys):
    folder, train = tables
    train.assign(side=np.where(np.arange(len(train)) % 2, "left", "right")).to_csv(folder / "text.csv", index=False)
    command = ["multiclass", f"{folder}/text.csv", "--label", "kind", "--priority", "bad,odd,good", "--alphas", "0.2"]
    assert main([*command, "--seed", "1"]) == 0
    assert "coded as categories: side" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("multiclass", ["--priority", "bad,odd"], "priority must list each of the labels"),
        ("multiclass", ["--priority", "bad,odd,other"], "'other' is not a label"),
        ("multiclass", ["--priority", ","], "give names, separated by commas"),
        ("multiclass", ["--priority", "bad,odd,good", "--alphas", "x"], "give numbers separated by commas"),
        ("multiclass", ["--priority", "bad,odd,good", "--new", "x.csv"], "go together; give both"),
        ("multiclass", ["--priority", "bad,odd,good", "--plot", "x.png"], "--plot draws the confusion table of --test"),
        ("npcs", ["--alphas", "bad"], "give label=number, separated by commas, not 'bad'"),
        ("npcs", ["--alphas", "bad=x"], "give label=number, separated by commas, not 'bad=x'"),
    ],
)
def test_wrong_options_are_one_line_on_the_standard_error(tables, capsys, command, options, message):
    folder, _ = tables
    assert main([command, f"{folder}/data.csv", "--label", "kind", "--seed", "1", *options]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""
