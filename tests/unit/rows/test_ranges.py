"""New rows in another unit than those of the fit: nearly all values of a column lie outside the range of the fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nproc import load, npc, save
from nproc.cli import files, main

TOLD = "values of 'glucose' lie outside 70 to 210, the range in the rows of the fit. Are the units the same?"


def rows(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["yes", "no"], n)
    glucose = rng.uniform(71, 170, n) + 39 * (ill == "yes")
    return pd.DataFrame({"glucose": glucose, "sex": rng.choice(["m", "f"], n), "ill": ill})


@pytest.fixture(scope="module")
def table():
    known = rows(300, 1)
    known.loc[[0, 1], "glucose"] = [70, 210]
    return known


def in_other_unit(frame):
    return frame.assign(glucose=frame["glucose"] / 18)


def of_pipeline(table):
    method = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough"), LogisticRegression()
    )
    return npc(table[["glucose", "sex"]], table["ill"], method, class0="yes", alpha=0.1, random_state=1)


FITS = {
    "table": lambda table: npc(table[["glucose"]], table["ill"], "lda", class0="yes", alpha=0.1, random_state=1),
    "formula": lambda table: npc("ill ~ .", data=table, method="lda", class0="yes", alpha=0.1, random_state=1),
    "pipeline": of_pipeline,
}


@pytest.mark.parametrize("kind", FITS)
def test_predictions_of_a_file_in_another_unit_are_warned_of_once_for_all_parts(
    kind, table, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "PART_ROWS", 16)
    save(FITS[kind](table), "m.joblib")
    new = rows(40, 2)
    in_other_unit(new).to_csv("new.csv", index=False)
    assert main(["predict", "m.joblib", "new.csv", "--out", "p.csv"]) == 0
    assert capsys.readouterr().err == f"warning: new.csv: all 40 {TOLD}\n"
    # the same rows as at the fit, a few patients alone, and half of the rows
    half = new.assign(glucose=np.where(np.arange(40) < 20, 5, new["glucose"]))
    for quiet in (new, in_other_unit(new)[:9], half):
        quiet.to_csv("new.csv", index=False)
        assert main(["predict", "m.joblib", "new.csv", "--out", "p.csv"]) == 0
        assert "the units" not in capsys.readouterr().err


@pytest.mark.slow
def test_the_commands_that_take_new_rows_warn_of_another_unit(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(FITS["table"](table), "m.joblib")
    new = rows(80, 2)
    n0 = (new["ill"] == "yes").sum()
    label = ["--label", "ill"]
    commands = [
        (["certify", "m.joblib", "new.csv", *label], n0),
        (["monitor", "new.csv", "--state", "s.json", "--model", "m.joblib", *label], n0),
        (["report", "m.joblib", "--new", "new.csv", *label, "--out", "r.md"], 80),
    ]
    for words, n in commands:
        for frame in (in_other_unit(new), new):
            frame.to_csv("new.csv", index=False)
            # rows in another unit are an alarm of the monitor, which its state keeps
            assert main(words) == (3 if words[0] == "monitor" else 0)
            assert (f"warning: new.csv: all {n} {TOLD}\n" in capsys.readouterr().err) is (frame is not new)


def test_the_checks_of_the_assumptions_tell_of_it(table):
    fit, new = FITS["table"](table), rows(80, 2)
    new0 = new[new["ill"] == "yes"][["glucose"]]
    assert f"All {len(new0)} {TOLD}" in fit.check_assumptions(in_other_unit(new0)).note
    assert fit.check_assumptions(new0).note == ""


def test_of_many_columns_three_are_named_and_gaps_and_texts_are_no_values():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(200, 6)), columns=list("abcdef"))
    fit = npc(X, rng.integers(0, 2, 200), "lda", class0=0, alpha=0.2, random_state=1)
    ranges = fit.design.ranges
    new = pd.DataFrame(5.0, index=range(20), columns=list("abcdef")).assign(f=[np.nan] * 11 + [5.0] * 9)
    told = ranges.told(ranges.count_outside(new.assign(a=["5"] * 12 + ["unknown"] * 8)))
    assert told.startswith("all 12 values of 'a' lie outside ")
    assert told.endswith("; and so it is in 2 more columns. Are the units the same?")
    assert ranges.told(ranges.count_outside(new[["f"]])) == ""


@pytest.mark.slow
@pytest.mark.parametrize("end", [".joblib", ".skops"])
def test_a_saved_fit_keeps_the_ranges_and_holds_no_other_value_of_a_row(end, table, tmp_path):
    save(FITS["table"](table), tmp_path / f"m{end}")
    ranges = load(tmp_path / f"m{end}").design.ranges
    assert (ranges.names, ranges.lowest.tolist(), ranges.highest.tolist()) == (("glucose",), [70], [210])


def test_rows_without_names_of_columns_and_sparse_ones_have_no_ranges(table):
    fit = npc(table[["glucose"]].to_numpy(), table["ill"], "lda", class0="yes", alpha=0.1, random_state=1)
    assert fit.design.ranges is None
