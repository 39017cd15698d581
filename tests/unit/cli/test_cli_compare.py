"""Tests of `nproc.cli.compare`: compare on the command line says what it speaks of."""

import json
from pathlib import Path

import pandas as pd
import pytest

from nproc import cli, compare, nproc
from nproc.cli.files import read_table
from nproc.comparison import compare_procedures

DATA = str(Path(__file__).resolve().parents[3] / "data" / "simulation2.csv")
COMMON = [DATA, "--label", "y", "--class0", "0", "--method", "lda", "--method", "nb", "--seed", "1"]


def run(capsys, *options):
    code = cli.main(["compare", *COMMON, *options])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def table():
    frame = read_table(DATA)
    return frame.drop(columns="y"), frame["y"]


@pytest.mark.parametrize("regions", ["simultaneous", "paired"])
@pytest.mark.parametrize("about", ["rules", "scores"])
def test_regions_are_those_of_the_function(capsys, regions, about):
    record = json.loads(run(capsys, "--regions", regions, "--about", about, "--json"))
    X, y = table()
    bands = [nproc(X, y, method, class0=0, random_state=1) for method in ("lda", "nb")]
    expected = compare(*bands, regions=regions, about=about)
    assert record["regions"] == expected.to_frame().to_dict("records")
    assert (record["kind"], record["about"]) == (regions, f"fitted {about}")
    assert record["statement"] == expected.statement


def test_the_default_says_that_it_speaks_of_fitted_rules(capsys):
    out = " ".join(run(capsys).split())
    assert "The regions compare the fitted rules" in out
    assert "do not compare the methods on other training samples" in out


def test_the_table_at_a_level_says_what_its_bounds_are(capsys):
    paired = " ".join(run(capsys, "--regions", "paired", "--alpha", "0.2").split())
    assert "bounds are those of the fitted scores, at a true type I error of alpha" in paired
    assert "bounds are those of the fitted rules, at one alpha" in " ".join(run(capsys, "--alpha", "0.2").split())


def test_copies_of_rows_are_told_once_in_a_note_of_their_own(capsys, tmp_path):
    table = read_table(DATA)
    file = tmp_path / "copies.csv"
    pd.concat([table, table[:100]]).to_csv(file, index=False)
    assert cli.main(["compare", str(file), *COMMON[1:], "--alpha", "0.2"]) == 0
    out, err = (" ".join(text.split()) for text in capsys.readouterr())
    copied = "are exact copies of training rows with the same label"
    assert (out.count(copied), err.count(copied)) == (1, 1)
    own = out.partition("Notes: [1] ")[2].partition(" [2] ")[0]
    assert copied in own
    assert own.endswith("they do no harm.")


def test_procedures_are_those_of_the_function(capsys, tmp_path):
    picture = tmp_path / "procedures.png"
    options = ["--regions", "procedures", "--alpha", "0.2", "--splits", "3", "--plot", str(picture)]
    record = json.loads(run(capsys, *options, "--json"))
    X, y = table()
    expected = compare_procedures(X, y, ["lda", "nb"], alpha=0.2, n_splits=3, class0=0, random_state=1)
    assert record["differences"] == expected.to_frame().to_dict("records")
    assert record["about"] == "procedures, approximate"
    assert picture.stat().st_size > 0


def test_procedures_take_15_splits_unless_more_are_asked_for(capsys):
    assert "Splits:" in run(capsys, "--regions", "procedures", "--alpha", "0.2")
    assert json.loads(run(capsys, "--regions", "procedures", "--json"))["n_splits"] == 15


def test_procedures_and_about_do_not_go_together(capsys):
    assert cli.main(["compare", *COMMON, "--regions", "procedures", "--about", "rules"]) != 0
    assert "--about is for regions of fitted scores and rules" in capsys.readouterr().err


def test_procedures_have_no_bands_that_could_be_simultaneous(capsys):
    assert cli.main(["compare", *COMMON, "--regions", "procedures", "--band", "simultaneous"]) != 0
    assert "procedures are compared without bands; leave it out" in capsys.readouterr().err
