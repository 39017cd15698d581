"""Tests of `npc fit --review-beta` and of `predict` and `monitor` with a model that leaves rows to review."""

import json

import numpy as np
import pandas as pd
import pytest

from nproc.cli import main


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(1)
    for name, n in (("train", 600), ("new", 300)):
        y = np.arange(n) % 2
        frame = pd.DataFrame(rng.normal(size=(n, 2)) + 1.3 * y[:, None], columns=["a", "b"])
        frame.assign(label=np.array(["ill", "well"])[y]).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_three_labels_from_the_command_line(tables, capsys):
    model, train, new = (str(tables / name) for name in ("model.joblib", "train.csv", "new.csv"))
    options = "--label label --class0 ill --method lda --alpha 0.1 --review-beta 0.1 --seed 1"
    assert (
        main(["fit", train, *options.split(), "--out", model, "--test", new, "--json", str(tables / "fit.json")]) == 0
    )
    printed = capsys.readouterr().out
    assert "Neyman-Pearson classifier with review" in printed
    assert "Errors and reviews on new data" in printed
    record = json.loads((tables / "fit.json").read_text())
    assert record["test"]["n0_review"] + record["test"]["n1_review"] == pytest.approx(300 * record["test"]["review"])
    assert main(["predict", model, new, "--out", str(tables / "out.csv")]) == 0
    assert set(pd.read_csv(tables / "out.csv")["predicted"]) == {"ill", "well", "review"}


def test_a_review_is_no_error_for_the_monitor(tables, capsys):
    model, train, new = (str(tables / name) for name in ("model.joblib", "train.csv", "new.csv"))
    options = "--label label --class0 ill --method lda --alpha 0.1 --review-beta 0.1 --seed 1"
    assert main(["fit", train, *options.split(), "--out", model]) == 0
    counts = {}
    for name, more in (
        ("model", ["--model", model]),
        ("column", ["--predicted", "predicted", "--class0", "ill", "--alpha", "0.1"]),
    ):
        assert main(["predict", model, new, "--keep", "label", "--out", str(tables / "out.csv")]) == 0
        state = str(tables / f"{name}.json")
        given = new if name == "model" else str(tables / "out.csv")
        assert main(["monitor", given, "--state", state, "--label", "label", *more]) == 0
        counts[name] = json.loads((tables / f"{name}.json").read_text())["n_errors"]
    out = pd.read_csv(tables / "out.csv")
    assert counts["model"] == counts["column"] == np.sum((out["label"] == "ill") & (out["predicted"] == "well"))
    assert "'review'" in capsys.readouterr().err
