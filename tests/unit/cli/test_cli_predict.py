"""Tests of ``npc predict`` on files that are read in parts: the same bytes as from the whole table."""

import codecs
import gzip
import io
import json
import re
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from nproc import load, npc, save
from nproc.cli import files as table_parts
from nproc.cli import files as tabular
from nproc.cli import main
from nproc.errors import NPWarning

RNG = np.random.default_rng(0)
N = 230
PART = 100
SCORES = str(files("nproc.data") / "simulation2.csv")


@pytest.fixture
def run(capsys):
    """Run the command line; return exit code, standard output and standard error."""

    def run(*args):
        code = main([str(arg) for arg in args])
        return code, *capsys.readouterr()

    return run


def table():
    y = np.arange(N) % 2
    frame = pd.DataFrame({"x": RNG.normal(size=N) + 2 * y, "z": RNG.integers(0, 9, N), "y": np.where(y, "yes", "no")})
    # whole numbers, with a gap in the second part; text that looks like numbers at first; true and false
    frame["count"] = np.arange(N).astype(float)
    frame.loc[150, "count"] = np.nan
    frame["code"] = [str(j) if j < 120 else f"c{j}" for j in range(N)]
    frame["flag"] = np.arange(N) % 3 == 0
    frame["empty at first"] = [None] * 110 + ["late"] * (N - 110)
    return frame


TABLE = table()
KEPT = "count,code,flag,empty at first"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    # whole numbers without a point, as they come from a data base
    text = TABLE.assign(count=TABLE["count"].astype("Int64")).to_csv(index=False)
    (folder / "new.csv").write_text(text)
    (folder / "new.csv.gz").write_bytes(gzip.compress(text.encode()))
    TABLE.assign(count=TABLE["count"].astype("Int64")).to_csv(folder / "named.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(
            npc(TABLE[["x", "z"]], TABLE["y"], n_splits=3, alpha=0.2, class0="no", random_state=1), folder / "m.joblib"
        )
        arrays = npc(TABLE[["x", "z"]].to_numpy(), TABLE["y"], alpha=0.2, class0="no", random_state=1)
        save(arrays, folder / "arrays.joblib")
        grouped = npc(
            TABLE[["x", "flag"]], TABLE["y"], groups="flag", alpha=0.3, delta=0.3, class0="no", random_state=1
        )
        save(grouped, folder / "groups.joblib")
        save(npc("y ~ x + C(z)", data=TABLE, alpha=0.2, class0="no", random_state=1), folder / "formula.joblib")
    return folder


def count_reads(monkeypatch):
    """Return a list that grows by one each time a file is read as a whole."""
    reads, real = [], tabular.read_table

    def counted(path, **options):
        reads.append(path)
        return real(path, **options)

    monkeypatch.setattr(tabular, "read_table", counted)
    return reads


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "model"),
    [
        ("new.csv", "m.joblib"),
        ("new.csv.gz", "m.joblib"),
        ("named.csv", "groups.joblib"),
        ("new.csv", "formula.joblib"),
        ("named.csv", "formula.joblib"),
    ],
)
def test_a_file_in_parts_gives_the_bytes_of_the_whole(folder, run, tmp_path, monkeypatch, file, model):
    options = ("--votes", "--scores", *(() if model == "groups.joblib" else ("--p-values",)), "--keep", KEPT)
    whole = run("predict", folder / model, folder / file, *options)
    assert whole[0] == 0
    numbered = run("predict", folder / model, folder / file)[1]
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    reads = count_reads(monkeypatch)
    assert run("predict", folder / model, folder / file, *options) == whole
    assert run("predict", folder / model, folder / file)[1] == numbered
    assert run("predict", folder / model, folder / file, *options, "--out", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == whole[1].encode()
    assert run("predict", folder / model, folder / file, *options, "--out", tmp_path / "out.csv.gz")[0] == 0
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == whole[1].encode()
    assert reads == []


@pytest.mark.slow
def test_errors_counted_in_parts_are_those_of_the_whole_and_headed_like_them(folder, run, tmp_path, monkeypatch):
    whole = run("predict", folder / "m.joblib", folder / "new.csv", "--label", "y")
    assert "type I" in whole[2]
    # those of the fit are at hand here, so that neither the head nor the notes speak of new data
    assert "Errors, probably on rows of the fit" in whole[2]
    assert "on new data" not in whole[2]
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    reads = count_reads(monkeypatch)
    assert run("predict", folder / "m.joblib", folder / "new.csv", "--label", "y") == whole
    assert reads == []
    # errors by group are counted on the whole
    by_group = run("predict", folder / "groups.joblib", folder / "new.csv", "--label", "y")[2]
    assert len(reads) == 1
    assert "Errors by group, probably on rows of the fit" in by_group
    fresh = TABLE.assign(x=TABLE["x"] + 1e-3)
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    assert "Errors on new data" in run("predict", folder / "m.joblib", tmp_path / "fresh.csv", "--label", "y")[2]
    # patients with two rows of a class: all in one part, none in the first, and each with its rows in two parts
    place = np.arange(N)
    for owners, told in (
        (place // 4, "228 of the"),
        (np.where(place < 2 * PART, 1000 + place, place // 4), "28 of the"),
        (place % 100, "all"),
    ):
        fresh.assign(patient_id=owners).to_csv(tmp_path / "fresh.csv", index=False)
        monkeypatch.setattr(table_parts, "PART_ROWS", 10**6)
        whole = run("predict", folder / "m.joblib", tmp_path / "fresh.csv", "--label", "y")
        assert f"{told} 230 rows share their 'patient_id' with another row of their class" in whole[2]
        monkeypatch.setattr(table_parts, "PART_ROWS", PART)
        assert run("predict", folder / "m.joblib", tmp_path / "fresh.csv", "--label", "y") == whole


def test_a_row_without_a_group_has_a_reason_and_no_prediction(folder, run, tmp_path):
    fresh = TABLE.assign(flag=TABLE["flag"].map({True: "yes", False: "no"}), x=TABLE["x"] + 1e-3)
    save(
        npc(fresh[["x", "z", "flag"]], TABLE["y"], groups="flag", alpha=0.3, delta=0.3, class0="no", random_state=1),
        tmp_path / "groups.joblib",
    )
    fresh.loc[3, "flag"], fresh.loc[5, "x"] = None, np.nan
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    for labelled in ((), ("--label", "y")):
        predict = ("predict", tmp_path / "groups.joblib", tmp_path / "fresh.csv", *labelled)
        code, _, err = run(*predict)
        assert (code, "column of groups 'flag' has 1 missing value(s), the first in row 4" in err) == (2, True)
        code, out, err = run(*predict, "--na-action", "omit")
        assert code == 0, err
        assert "2 of the 230 rows of fresh.csv have missing values and get no prediction: rows 4 and 6, in" in err
        reasons = pd.read_csv(io.StringIO(out))["reason"].dropna().to_dict()
        assert reasons == {3: "a missing value: flag", 5: "a missing value: x"}


def test_columns_by_position_are_read_in_parts(folder, run, tmp_path, monkeypatch):
    TABLE[["x", "z", "y"]].to_csv(tmp_path / "three.csv", index=False)
    whole = run("predict", folder / "arrays.joblib", tmp_path / "three.csv", "--label", "y")
    assert whole[0] == 0
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    assert run("predict", folder / "arrays.joblib", tmp_path / "three.csv", "--label", "y") == whole


def test_a_parquet_file_in_parts_gives_the_bytes_of_the_whole(folder, run, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    TABLE.assign(count=TABLE["count"].astype("Int64")).to_parquet(tmp_path / "nullable.parquet")
    # gaps that pandas knows nothing of: whole numbers in one part, decimal ones in another
    import pyarrow
    import pyarrow.parquet

    counts = pyarrow.array([None if j == 150 else j for j in range(N)])
    plain = pyarrow.table({"x": TABLE["x"].to_numpy(), "z": TABLE["z"].to_numpy(), "count": counts})
    pyarrow.parquet.write_table(plain.append_column("code", [TABLE["code"].tolist()]), tmp_path / "plain.parquet")
    for file, kept in (("plain.parquet", "count,code"), ("nullable.parquet", "count,code,flag,empty at first")):
        monkeypatch.setattr(table_parts, "PART_ROWS", N)
        whole = run("predict", folder / "m.joblib", tmp_path / file, "--keep", kept, "--votes")
        assert whole[0] == 0
        monkeypatch.setattr(table_parts, "PART_ROWS", PART)
        assert run("predict", folder / "m.joblib", tmp_path / file, "--keep", kept, "--votes") == whole


def test_what_is_written_by_all_its_values_is_read_as_a_whole(folder, run, tmp_path, monkeypatch):
    gaps = TABLE.assign(flag=[None if j == 170 else j % 3 == 0 for j in range(N)])
    gaps.to_json(tmp_path / "gaps.jsonl", orient="records", lines=True)
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    monkeypatch.setattr(table_parts, "PART_ROWS", N)
    whole = run("predict", folder / "m.joblib", tmp_path / "gaps.jsonl", "--keep", "flag")
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    reads = count_reads(monkeypatch)
    assert run("predict", folder / "m.joblib", tmp_path / "gaps.jsonl", "--keep", "flag") == whole
    assert len(reads) == 1
    # a column that nobody asks for does not matter, nor one of a CSV file that is kept as it stands
    assert run("predict", folder / "m.joblib", tmp_path / "gaps.jsonl")[0] == 0
    code, out, _ = run("predict", folder / "m.joblib", tmp_path / "gaps.csv", "--keep", "flag")
    assert (code, [line.split(",")[0] for line in out.splitlines()[169:172]]) == (0, ["True", "False", ""])
    assert len(reads) == 1


def test_whole_numbers_of_more_than_64_bits_are_kept_as_they_are(folder, run, tmp_path, monkeypatch):
    TABLE.assign(key=[str(2**70 + j) if j > 150 else str(j) for j in range(N)]).to_csv(tmp_path / "k.csv", index=False)
    monkeypatch.setattr(table_parts, "PART_ROWS", N)
    whole = run("predict", folder / "m.joblib", tmp_path / "k.csv", "--keep", "key")
    assert whole[0] == 0
    assert whole[1].splitlines()[-1].startswith(f"{2**70 + N - 1},")
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    assert run("predict", folder / "m.joblib", tmp_path / "k.csv", "--keep", "key") == whole


def test_a_bad_part_is_named_and_leaves_no_file(folder, run, tmp_path, monkeypatch):
    frame = TABLE.copy()
    frame.loc[140, "x"] = np.nan
    frame.to_csv(tmp_path / "bad.csv", index=False)
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    code, _, err = run("predict", folder / "m.joblib", tmp_path / "bad.csv", "--out", tmp_path / "out.csv")
    assert code == 2
    assert "bad.csv: column 'x' has a missing value (NaN), the first in row 141; the model refuses it" in err
    assert "Leave such rows out by --na-action omit, or impute them as in the training data. With --na" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv"]
    # what is given twice adds up
    twice = run("predict", folder / "m.joblib", folder / "new.csv", "--keep", "code", "--keep", "flag")[1]
    assert twice == run("predict", folder / "m.joblib", folder / "new.csv", "--keep", "code,flag")[1] != ""
    code, _, err = run("predict", folder / "m.joblib", folder / "new.csv", "--keep", "nothing")
    assert (code, err.startswith("error: the column to keep 'nothing' is not in the data")) == (2, True)
    (tmp_path / "short.csv").write_text("x,y\n" + "1,2\n" * 150 + '"1,2\n')
    code, _, err = run("predict", folder / "m.joblib", tmp_path / "short.csv")
    assert (code, "cannot be read as CSV" in err) == (2, True)


@pytest.mark.slow
def test_text_among_numbers_is_named_with_its_row_in_the_file(folder, run, tmp_path, monkeypatch):
    for row, sign, sep in ((0, ".", ","), (5, ",", ";")):
        frame = TABLE[["x", "z"]].round(2).astype(str)
        frame.loc[3, "z"] = ""
        frame.loc[row, "x"] = "k.A."
        comma = frame.apply(lambda column, sign=sign: column.where(column == "k.A.", column.str.replace(".", sign)))
        comma.to_csv(tmp_path / "bad.csv", index=False, sep=sep)
        given = ("predict", folder / "m.joblib", tmp_path / "bad.csv", "--sep", sep, "--decimal", sign)
        monkeypatch.undo()
        code, _, err = run(*given)
        assert code == 2
        told = f"bad.csv: column 'x' has text 'k.A.', the first in row {row + 1}. Correct such values, or leave "
        assert f"{told}the rows out by --na-action omit. Rows count from 1 below" in err
        for part_rows in (N, 4):
            monkeypatch.setattr("nproc.cli.files.PART_ROWS", part_rows)
            code, out, err = run(*given, "--na-action", "omit", "--scores")
            assert code == 0
            text = f"1 of the {N} rows of bad.csv has text in a column of numbers and gets no prediction"
            assert f"note: {text}: column 'x' has 'k.A.' (in row {row + 1}).\n" in err
            gap = f"1 of the {N} rows of bad.csv has missing values and gets no prediction: row 4, in 'z'."
            assert f"note: {gap}\n" in err
            kept = TABLE[["x", "z"]].round(2).drop(index=[row, 3])
            scores = load(folder / "m.joblib").decision_function(kept)
            # BLAS may round the last digit differently where parts have other sizes
            written = pd.read_csv(io.StringIO(out), sep=sep, decimal=sign)
            assert written["score"].dropna().to_numpy() == pytest.approx(scores, rel=1e-12)
            reasons = {row: "text where the fit has none: x = k.A.", 3: "a missing value: z"}
            assert written["reason"].dropna().to_dict() == reasons
            assert written["predicted"].isna().to_numpy().nonzero()[0].tolist() == sorted(reasons)
    frame.assign(x="k.A.").to_csv(tmp_path / "bad.csv", index=False)
    code, _, err = run("predict", folder / "m.joblib", tmp_path / "bad.csv", "--na-action", "omit")
    # who gave --na-action omit is not told to give it
    told = "column 'x' has text 'k.A.', the first in row 1. Correct such values, or leave the rows out. Rows"
    assert (code, told in err) == (2, True)
    frame.assign(x="=1+1", z=["1", "ca. 5"] * (N // 2)).to_csv(tmp_path / "bad.csv", index=False)
    code, _, err = run("predict", folder / "m.joblib", tmp_path / "bad.csv")
    assert "column 'x' has text '=1+1', the first in row 1, and so has 'z' ('ca. 5' in row 2)." in err


def test_types_of_parts_are_those_of_the_whole(folder, monkeypatch):
    monkeypatch.setattr(table_parts, "PART_ROWS", PART)
    types = table_parts.common_types(folder / "new.csv", None)
    parts = pd.concat(list(table_parts.read_parts(folder / "new.csv", types)))
    pd.testing.assert_frame_equal(parts, tabular.read_table(folder / "new.csv"))
    assert types["count"] == "float64"
    assert types["code"] == "str"
    assert table_parts.common_types(folder / "nothing.csv", None) is None
    monkeypatch.setattr(table_parts, "PART_ROWS", N)
    assert table_parts.common_types(folder / "new.csv", None) is None


def test_a_model_that_calls_rows_at_random_takes_a_seed(tmp_path, run):
    # the data that come with the repository
    data = str(files("nproc.data") / "simulation2.csv")
    model, options = tmp_path / "model.joblib", ["--label", "y", "--class0", "0", "--method", "lda", "--seed", "1"]
    random_vote = ["--splits", "3", "--vote", "random"]
    assert run("fit", data, *options, *random_vote, "--out", model)[0] == 0
    first, again, other = (run("predict", model, data, "--seed", seed)[1] for seed in (5, 5, 6))
    assert first == again != other
    # the errors are those of the labels that are written
    out = tmp_path / "predicted.csv"
    told = run("predict", model, data, "--seed", 5, "--label", "y", "--votes", "--out", out)[2]
    true, written = pd.read_csv(data)["y"].to_numpy(), pd.read_csv(out)
    n_wrong, n0 = int(np.sum(written["predicted"].to_numpy()[true == 0] == 1)), int(np.sum(true == 0))
    assert f"0 called 1 {n_wrong} {n0} " in " ".join(told.split())
    plain = tmp_path / "plain.joblib"
    assert run("fit", data, *options, "--rank", "randomize", "--ties", "randomize", "--out", plain)[0] == 0
    assert load(plain).rank == load(plain).ties == "randomize"
    assert run("fit", data, *options, "--out", plain)[0] == 0
    code, _, err = run("predict", plain, data, "--seed", 5)
    assert (code, "this model calls no row at random; leave out --seed" in err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [[], ["--seed", 5]], ids=["no seed", "a seed"])
def test_errors_are_those_of_the_labels_written_where_rows_are_called_at_random(seed, tmp_path, run):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"y": np.arange(500) % 2, "a": rng.normal(size=500), "b": rng.normal(size=500)})
    table.loc[::9, "a"] = np.nan
    data, model, out = tmp_path / "new.csv", tmp_path / "m.joblib", tmp_path / "out.csv"
    table.to_csv(data, index=False)
    # a forest takes gaps, so that the rows that the fit left out have labels too, and do not count
    fit = ["--alpha", 0.4, "--splits", 3, "--vote", "random", "--na-action", "omit", "--param", "n_estimators=30"]
    assert run("fit", data, "--label", "y", "--method", "randomforest", "--seed", 1, *fit, "--out", model)[0] == 0
    fresh = table.assign(b=rng.normal(size=500)).astype({"y": object})
    fresh.loc[::7, "y"] = None
    fresh.to_csv(data, index=False)
    code, _, err = run("predict", model, data, *seed, "--label", "y", "--out", out)
    written, counted = pd.read_csv(out)["predicted"], fresh["a"].notna()
    assert (code, written.notna().all()) == (0, True)
    for true, other in ((0, 1), (1, 0)):
        called = written[counted & (fresh["y"] == true)]
        assert f"{true} called {other} {(called == other).sum()} {len(called)} " in " ".join(err.split())
    if seed:
        # a column of labels changes no label that is written
        with pytest.warns(NPWarning, match="rows have missing values"):
            labels = load(model).predict(fresh[["a", "b"]], random_state=np.random.default_rng(5))
        assert written.tolist() == labels.tolist()
        assert pd.read_csv(io.StringIO(run("predict", model, data, *seed)[1]))["predicted"].tolist() == labels.tolist()


def test_errors_in_groups_are_those_of_the_labels_written_where_ties_are_called_at_random(tmp_path, run):
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"y": np.arange(600) % 2, "site": np.repeat(["n", "s"], 300)})
    # few values, so that many rows are tied
    table["x"] = rng.integers(0, 4, size=600) + table["y"]
    data, model, out = tmp_path / "new.csv", tmp_path / "m.joblib", tmp_path / "out.csv"
    table.to_csv(data, index=False)
    fit = ["--alpha", 0.3, "--ties", "randomize", "--groups", "site", "--method", "lda", "--class0", 0, "--seed", 1]
    assert run("fit", data, "--label", "y", *fit, "--out", model)[0] == 0
    fresh = table.assign(x=rng.integers(0, 4, size=600) + table["y"]).astype({"y": object})
    fresh.loc[::3, "y"] = None
    fresh.to_csv(data, index=False)
    code, _, err = run("predict", model, data, "--seed", 5, "--label", "y", "--out", out)
    written = pd.read_csv(out)["predicted"]
    labels = load(model).predict(fresh[["x"]], fresh["site"], random_state=np.random.default_rng(5))
    assert (code, written.tolist()) == (0, labels.tolist())
    assert written.tolist() != load(model).predict(fresh[["x"]], fresh["site"], random_state=6).tolist()
    for site in ("n", "s"):
        called = written[(fresh["site"] == site) & (fresh["y"] == 0)]
        assert f"{site} {len(called)} {called.mean():.4f} " in " ".join(err.split())


@pytest.mark.slow
def test_new_rows_with_gaps_are_counted_in_the_whole_file_which_is_named_and_can_be_left_out(run, tmp_path):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {"y": rng.permutation(np.arange(400) % 2), "a": rng.normal(size=400), "b": rng.normal(size=400)}
    )
    table["a"] += table["y"]
    table[:300].to_csv(tmp_path / "old.csv", index=False)
    fresh = table[300:].reset_index(drop=True)
    complete = fresh.copy()
    # two gaps among class 0, three among class 1
    zero, one = (np.flatnonzero(fresh["y"] == label) for label in (0, 1))
    fresh.loc[zero[:2], "a"] = fresh.loc[one[:3], "b"] = np.nan
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    model, new, out = tmp_path / "m.joblib", tmp_path / "fresh.csv", tmp_path / "r.md"
    given = ["fit", tmp_path / "old.csv", "--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1]
    assert run(*given, "--out", model)[0] == 0
    report = ["report", model, "--new", new, "--label", "y", "--out", out]
    for command in (report, [*given, "--test", new]):
        code, _, err = run(*command)
        assert code == 2
        assert f"{new}: the table contains NaN: 5 missing value(s) in column(s) ['a', 'b']" in err
        assert "leave these rows out by --na-action omit" in err
    kept = complete.drop([*zero[:2], *one[:3]])
    errors = load(model).evaluate(kept[["a", "b"]], kept["y"])
    told = "5 of the 100 rows of fresh.csv have missing values and are left out."
    assert run(*report, "--na-action", "omit")[0] == 0
    code, test_out, _ = run(*given, "--test", new, "--na-action", "omit")
    assert code == 0
    for text in (out.read_text(encoding="utf-8").replace("\\", ""), test_out):
        assert told in text
        # the report names the column of bare labels
        assert re.search(rf"type I +(y = )?0 called (y = )?1 +{errors.n_false1} +{errors.n0} ", text)
        assert re.search(rf"type II +(y = )?1 called (y = )?0 +{errors.n_false0} +{errors.n1} ", text)
    code, _, err = run("report", model, "--na-action", "omit", "--out", out)
    assert (code, "is about the rows of --new" in err) == (2, True)
    # beside the table of a fit that left out rows, as it was given there, it changes nothing
    given[1] = new
    assert run(*given, "--na-action", "omit", "--out", model)[0] == 0
    for command in ("check", "report"):
        words = [command, model, "--data", new, "--label", "y", *["--out", out] * (command == "report")]
        with_omit, without = run(*words, "--na-action", "omit"), run(*words)
        assert with_omit == without
        assert (with_omit[0], "5 of the 100 rows of fresh.csv" in with_omit[2]) == (0, True)


def test_names_and_labels_whose_umlauts_have_other_codes_are_said_to_differ_in_these(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    one, two = "n\u00fcchtern", "nu\u0308chtern"
    table = pd.DataFrame({one: rng.normal(size=300), "y": np.resize(["gest\u00f6rt", "gut"], 300)})
    table.to_csv("old.csv", index=False)
    table.rename(columns={one: two}).to_csv("names.csv", index=False)
    table.replace("gest\u00f6rt", "gesto\u0308rt").to_csv("labels.csv", index=False)
    given = ["--method", "lda", "--alpha", 0.2, "--seed", 1]
    assert run("fit", "old.csv", "--label", "y", *given, "--out", "m.joblib")[0] == 0
    told = "Texts that look the same here have other codes for an accent or umlaut (Unicode NFC and NFD)."
    for command in (
        ["predict", "m.joblib", "names.csv"],
        ["fit", "names.csv", "--label", "y", "--features", one, *given],
        ["fit", "labels.csv", "--label", "y", "--class0", "gest\u00f6rt", *given],
        ["certify", "m.joblib", "labels.csv", "--label", "y"],
    ):
        code, _, err = run(*command)
        assert (code, err.count(told)) == (2, 1), err
    # beside each other they are two classes that look the same
    mixed = table["y"].where(table.index > 9, "gesto\u0308rt")
    table.assign(y=mixed).to_csv("mixed.csv", index=False)
    err = run("fit", "mixed.csv", "--label", "y", *given)[2]
    assert "Some of them differ only in the codes of an accent or umlaut (Unicode NFC and NFD):" in err


@pytest.mark.slow
def test_rows_without_a_label_are_predicted_and_count_in_no_error(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    table = pd.DataFrame({"a": rng.normal(size=400), "y": pd.array(rng.permutation(np.arange(400) % 2), dtype="Int64")})
    table["a"] += table["y"].astype(float)
    table[:300].to_csv("old.csv", index=False)
    fresh = table[300:].reset_index(drop=True).assign(predicted=lambda rows: (rows["a"] > 2).astype(int))
    gaps = [0, 5, 70]
    fresh.drop(index=gaps).to_csv("kept.csv", index=False)
    fresh.to_csv("all.csv", index=False)
    fresh.assign(y=fresh["y"].mask(fresh.index.isin(gaps))).to_csv("gaps.csv", index=False)
    given = ["--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1, "--out", "m.joblib"]
    assert run("fit", "old.csv", *given)[0] == 0
    errors = run("predict", "m.joblib", "kept.csv", "--label", "y", "--out", "p.csv")[2]
    wanted = run("predict", "m.joblib", "all.csv", "--scores")[1]
    said = "3 of the 100 rows of gaps.csv have no label in the column 'y' and"
    for rows in (PART, 17):
        monkeypatch.setattr(table_parts, "PART_ROWS", rows)
        code, out, err = run("predict", "m.joblib", "gaps.csv", "--label", "y", "--scores")
        assert (code, out) == (0, wanted)
        assert f"note: {said} do not count in the errors.\n" in err
        assert errors in err
    for command in (
        ["certify", "m.joblib", "FILE"],
        ["monitor", "FILE", "--model", "m.joblib", "--state", "FILE.state"],
        ["monitor", "FILE", "--predicted", "predicted", "--class0", 0, "--alpha", 0.2, "--state", "FILE.other"],
        ["check", "m.joblib", "--new", "FILE"],
        ["report", "m.joblib", "--new", "FILE", "--out", "FILE.md"],
    ):
        of_gaps, of_kept = ([str(word).replace("FILE", file) for word in command] for file in ("gaps.csv", "kept.csv"))
        omits = [*of_gaps, "--label", "y", "--na-action", "omit"]
        assert run(*of_gaps, "--label", "y")[0] == 2
        code, out, _ = run(*omits)
        assert code == 0
        if command[0] == "report":
            out = Path("gaps.csv.md").read_text(encoding="utf-8").replace("\\", "")
            assert "3 of the 100 new rows had no label in the column 'y' and were left out." in " ".join(out.split())
        assert f"{said} are left out." in out
        if command[0] != "report":
            for file in tmp_path.glob("*.csv.*"):
                file.unlink()
            found = json.loads(run(*omits, "--json")[1])
            assert found == json.loads(run(*of_kept, "--label", "y", "--json")[1]) | {
                name: count for name, count in found.items() if name == "left_out"
            }


@pytest.mark.slow
def test_rows_with_gaps_have_a_reason_and_no_prediction_and_all_rows_keep_their_numbers(run, tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"y": np.arange(330) % 2, "a": rng.normal(size=330), "job": rng.choice(["x", "z"], 330)})
    table["a"] += table["y"]
    table[:300].to_csv(tmp_path / "old.csv", index=False)
    fresh = table[300:].reset_index(drop=True)
    fresh.loc[[0, 3], "a"] = np.nan
    fresh.loc[[5, 20], "job"] = None
    new, model, out = tmp_path / "fresh.csv", tmp_path / "m.joblib", tmp_path / "p.csv"
    fresh.to_csv(new, index=False)
    # parts of which the first row, and one whole part, have gaps; those in 'job' lie behind the rows that are named
    monkeypatch.setattr("nproc.cli.files.PART_ROWS", 1)
    monkeypatch.setattr("nproc.cli.fit_rows.MOST_ROWS", 2)
    # a forest takes gaps in numbers
    for method, gaps in (("lda", [1, 4, 6, 21]), ("randomforest", [6, 21])):
        given = ["fit", tmp_path / "old.csv", "--label", "y", "--method", method, "--alpha", 0.2, "--seed", 1]
        given += ["--param", "n_estimators=20"] * (method == "randomforest")
        # the classifier is saved though the test file has gaps, and the message says so
        code, _, err = run(*given, "--out", model, "--test", new)
        assert (code, f"The classifier is saved in {model}. {new}: column" in err) == (2, True)
        fit = load(model)
        code, _, err = run("predict", model, new, "--out", out)
        assert (code, "leave these rows out by --na-action omit" in err) == (2, True)
        code, _, err = run("predict", model, new, "--na-action", "omit", "--label", "y", "--out", out)
        assert code == 0
        where = "rows 1, 4 and 2 more, in 'a', 'job'" if method == "lda" else "rows 6 and 21, in 'job'"
        told = f"note: {len(gaps)} of the 30 rows of fresh.csv have missing values and get no prediction: {where}."
        assert told in err, err
        written = pd.read_csv(out)
        # each row of the file has its row
        assert written["row"].tolist() == list(range(1, 31))
        assert (written.index[written["reason"].notna()] + 1).tolist() == gaps
        written = written.dropna(subset="predicted")
        kept = fresh.drop(index=np.array(gaps) - 1)
        assert written["row"].tolist() == [row + 1 for row in kept.index]
        assert written["predicted"].tolist() == fit.predict(kept[["a", "job"]]).tolist()
        errors = fit.evaluate(kept[["a", "job"]], kept["y"])
        assert re.search(rf"type I +0 called 1 +{errors.n_false1} +{errors.n0} ", err)
        fresh[fresh.index == 5].to_csv(tmp_path / "none.csv", index=False)
        code, _, err = run("predict", model, tmp_path / "none.csv", "--na-action", "omit", "--out", out)
        assert (code, "none.csv has missing values, so none can be labelled" in err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lda", "randomforest"])
def test_a_gap_among_true_and_false_is_a_missing_value_and_no_text(method, run, tmp_path):
    rows = TABLE[["x", "flag"]]
    fit = npc(rows, TABLE["y"], method, alpha=0.3, delta=0.3, class0="no", random_state=1)
    save(fit, tmp_path / "m.joblib")
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    rows.assign(flag=rows["flag"].astype(object).where(rows.index != 7)).to_csv(new, index=False)
    code, _, err = run("predict", tmp_path / "m.joblib", new, "--out", out)
    if method == "lda":
        assert (code, "column 'flag' has a missing value (NaN), the first in row 8" in err) == (2, True)
        code, _, err = run("predict", tmp_path / "m.joblib", new, "--na-action", "omit", "--out", out)
    assert (code, "1 of the 230 rows" in err) == (0, method == "lda")
    found = pd.read_csv(out)
    found = found[found["row"] != 8]
    assert found["predicted"].tolist() == fit.predict(rows)[found["row"] - 1].tolist()
    assert len(found) == N - 1


def test_a_refused_value_has_the_number_of_its_row_also_of_the_first_and_after_rows_that_are_left_out(run, tmp_path):
    rng = np.random.default_rng(7)
    table = pd.DataFrame({"y": np.arange(300) % 2, "a": rng.normal(size=300), "b": rng.normal(size=300)})
    table.to_csv(tmp_path / "old.csv", index=False)
    model, new = tmp_path / "m.joblib", tmp_path / "new.csv"
    run("fit", tmp_path / "old.csv", "--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1, "--out", model)
    for place, gaps in ((0, []), (1, []), (6, [0, 2, 5])):
        # rows with text alone are left out, too
        for value, kind, more in (("?", "text '?'", []), (np.inf, "inf", ["--na-action", "omit"]))[len(gaps) > 0 :]:
            wrong = table[:20].astype({"a": object})
            wrong.loc[place, "a"] = value
            wrong.loc[gaps, "b"] = np.nan
            wrong.to_csv(new, index=False)
            code, _, err = run("predict", model, new, *more, "--out", tmp_path / "p.csv")
            assert (code, kind in err and f"row {place + 1};" in err.replace(". ", "; ")) == (2, True), err


@pytest.mark.slow
def test_rows_with_new_categories_are_refused_or_left_out_with_their_numbers_in_the_file(run, tmp_path, monkeypatch):
    rng = np.random.default_rng(7)
    table = pd.DataFrame({"y": np.arange(400) % 2, "a": rng.normal(size=400), "job": rng.choice(["x", "z"], 400)})
    table[:300].to_csv(tmp_path / "old.csv", index=False)
    fresh = table[300:].reset_index(drop=True)
    fresh.loc[[36, 60], "job"] = "w"
    new, model, out = tmp_path / "fresh.csv", tmp_path / "m.joblib", tmp_path / "p.csv"
    fresh.to_csv(new, index=False)
    settings = ["--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1]
    given = ["fit", tmp_path / "old.csv", *settings, "--out", model]
    said = "a category that was not in the training data"
    first = "column 'job' has 'w' (first in row 37; known: ['x', 'z'])"
    omit, labelled = ("--na-action", "omit"), ("--label", "y")
    code, _, err = run(*given, "--test", new)
    assert (code, f"{new}: 2 rows have {said}: {first}. Leave such rows out by --na-action omit" in err) == (2, True)
    predict, report = ("predict", model, new, "--out", out), ("report", model, "--new", new, "--out", tmp_path / "r.md")
    for command in (predict, report, ("certify", model, new)):
        code, _, err = run(*command, *labelled)
        assert (code, f"2 rows have {said}: {first}. Leave such rows out by --na-action omit" in err) == (2, True)
    # these two look at class 0 alone
    check, monitor = ("check", model, "--new", new), ("monitor", new, "--model", model, "--state", tmp_path / "s.json")
    for command in (check, monitor):
        code, _, err = run(*command, *labelled)
        assert (code, f"2 rows have {said}: {first}. Leave such rows out by --na-action omit" in err) == (2, True), err
    monkeypatch.setattr("nproc.cli.files.PART_ROWS", 30)
    code, _, err = run(*predict)
    alone = first.replace("first in", "in")
    assert (code, f"error: {new}, rows 31 to 60: 1 row has {said}: {alone}. Leave" in err) == (2, True)
    assert err.count("Rows count from 1 below the header: row 37 is line 38 of the file") == 1
    assert not out.exists()
    # rows with gaps are left out before
    gaps = [0, 33]
    fresh.loc[gaps, "a"] = np.nan
    fresh.to_csv(new, index=False)
    kept = fresh.drop(index=[*gaps, 36, 60])
    fit = load(model)
    errors, bound = (found(kept[["a", "job"]], kept["y"]) for found in (fit.evaluate, fit.certify))
    told = f"2 of the 100 rows of fresh.csv have {said} and %s: {first}."
    _, test, _ = run(*given, "--test", new, *omit)
    assert run(*report, *labelled, *omit)[0] == 0
    for text in (test, (tmp_path / "r.md").read_text(encoding="utf-8").replace("\\", "")):
        assert f"rows of fresh.csv have missing values and are left out. {told % 'are left out'} The errors" in text
        assert re.search(rf"type I +(y = )?0 called (y = )?1 +{errors.n_false1} +{errors.n0} ", text)
    had = "2 had missing values and 2 had a category that was not in the training data"
    assert f"4 of the 100 new rows were left out: {had}. Intervals" in text.split("## For a methods section")[1]
    certified = run("certify", model, new, *labelled, *omit)[1]
    assert f"{told % 'are left out'} The bound is about the other rows." in certified
    assert json.loads(run("certify", model, new, *labelled, *omit, "--json")[1])["type1_upper"] == bound.type1_upper
    class0 = kept[kept["y"] == 0]
    wanted = fit.check_assumptions(X0_new=class0[["a", "job"]])
    code, text, err = run(*check, *labelled, *omit)
    assert code == 0, err
    assert f"{told % 'are left out'} Only the other rows are checked." in text
    found = json.loads(run(*check, *labelled, *omit, "--json")[1])["checks"]
    assert [one["p_value"] for one in found] == [one.p_value for one in wanted.checks]
    code, text, err = run(*monitor, *labelled, *omit, "--json", tmp_path / "m.json")
    assert code == 0, err
    left_out = f"2 of the 100 rows of fresh.csv have missing values and are left out. {told % 'are left out'}"
    assert f"{left_out} Only the other rows are counted." in text
    counted = json.loads((tmp_path / "m.json").read_text())
    assert (counted["n"], counted["n_errors"]) == (len(class0), int((fit.predict(class0[["a", "job"]]) == 1).sum()))
    monkeypatch.undo()
    for part_rows, where in ((100, first), (30, alone)):
        monkeypatch.setattr("nproc.cli.files.PART_ROWS", part_rows)
        code, _, err = run(*predict, *labelled, *omit)
        assert f"note: 2 of the 100 rows of fresh.csv have {said} and get no prediction: {where}." in err
        assert re.search(rf"type I +0 called 1 +{errors.n_false1} +{errors.n0} ", err)
        written = pd.read_csv(out)
        gap, category = "a missing value: a", "a category that no row of the fit has: job = w"
        reasons = {gaps[0]: gap, gaps[1]: gap, 36: category, 60: category}
        assert written["reason"].dropna().to_dict() == reasons
        # whole numbers stay whole beside the empty cells
        assert set(pd.read_csv(out, dtype=str, na_filter=False)["predicted"]) == {"", "0", "1"}
        written = written[written["reason"].isna()]
        assert written["row"].tolist() == [row + 1 for row in kept.index]
        assert written["predicted"].tolist() == fit.predict(kept[["a", "job"]]).tolist()
    fresh[36:37].to_csv(new, index=False)
    code, _, err = run(*predict, *omit)
    assert (code, "has missing values or a category that was not in the training data (column 'job'" in err) == (2, 1)
    for command in (("certify", model, new), report):
        code, _, err = run(*command, *labelled, *omit)
        assert (code, f"no row is left to count errors on. The one row of fresh.csv has {said}" in err) == (2, True)
    for command, done in ((check, "check"), (monitor, "count")):
        code, _, err = run(*command, *labelled, *omit)
        assert (code, f"no row is left to {done}. The one row of fresh.csv has {said}" in err) == (2, True)
    fresh[fresh["y"] == 1].to_csv(new, index=False)
    code, _, err = run(*check, *labelled, *omit)
    assert (code, "has no row of class 0, that is not left out." in err) == (2, True), err
    code, _, err = run("check", model, *omit)
    assert (code, "is about the rows of --new" in err) == (2, True), err


def test_a_minus_as_the_output_is_the_standard_output_where_nothing_else_is_printed_and_else_refused(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    TABLE[["x", "y"]].to_csv("rows.csv", index=False)
    rule = ("threshold", "rows.csv", "--score", "x", "--label", "y", "--class0", "no", "--alpha", 0.3)
    assert run(*rule, "--out", "rule.json")[0] == 0
    fit = ("fit", "rows.csv", "--label", "y", "--class0", "no", "--alpha", 0.3, "--seed", 1)
    assert run(*fit, "--out", "m.joblib")[0] == 0
    for command in (("predict", "m.joblib", "rows.csv"), ("apply", "rule.json", "rows.csv")):
        printed = run(*command, "--out", "-")
        assert printed == run(*command)
        assert (printed[0], printed[1].count("\n")) == (0, len(TABLE) + 1)
    for command in (rule, fit, ("report", "m.joblib"), ("demo",)):
        code, out, err = run(*command, "--out", "-")
        assert (code, out, "give --out another name" in err) == (2, "", True), err
    code, _, err = run(*fit, "--plot", "-")
    assert (code, "give --plot another name" in err) == (2, True)
    assert not (tmp_path / "-").exists()


@pytest.mark.slow
def test_what_the_library_of_the_method_refuses_is_said_in_words(run, tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=300), "job": rng.choice(["x", "z"], 300)})
    columns = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    method = make_pipeline(columns, LogisticRegression())
    model, new = tmp_path / "m.joblib", tmp_path / "new.csv"
    save(npc(frame, np.arange(300) % 2, method, alpha=0.1, random_state=1), model)
    frame.assign(job="w", y=np.arange(300) % 2).to_csv(new, index=False)
    labelled = ("--label", "y")
    commands = (
        ("predict", model, new),
        ("certify", model, new, *labelled),
        ("check", model, "--new", new, *labelled),
        ("monitor", "--model", model, new, *labelled, "--state", tmp_path / "state.json"),
        ("report", model, "--new", new, *labelled, "--out", tmp_path / "report.html"),
    )
    for command in commands:
        code, _, err = run(*command)
        said = "0 rows have a category that was not in the training data: column 'job' has 'w' (first in row 1)"
        assert (code, said in err, "Leave such rows out by --na-action omit, merge" in err) == (2, True, True), err
    assert not (tmp_path / "state.json").exists()
    assert not (tmp_path / "report.html").exists()
    # a gap that the encoder refuses, and two new categories
    some = frame.assign(y=np.arange(300) % 2, a=frame["a"] + 1)
    some.loc[[3, 4, 6, 9], "job"] = ["w", None, "v", "w"]
    # gaps that the classifier behind it refuses, before and behind those
    some.loc[[2, 20], "a"] = np.nan
    some.to_csv(new, index=False)
    for command in commands:
        code, out, err = run(*command, "--na-action", "omit")
        told = (out if command[0] != "report" else (tmp_path / "report.html").read_text()) + err
        assert code == 0, err
        assert re.search("3 of the 300 (new )?rows( of new.csv)? ha(ve|d) missing values", told), told
        assert re.search("3 of the 300 (new )?rows( of new.csv)? ha(ve|d) a category that was not in", told), told
    lines = run("predict", model, new, "--na-action", "omit", "--out", tmp_path / "out.csv")[2]
    assert "get no prediction: column 'job' has 'w' and 1 more (first in row 4)" in lines, lines
    rows = pd.read_csv(tmp_path / "out.csv").set_index("row")
    gap, category = "a missing value: ", "a category that no row of the fit has: job = "
    reasons = {3: f"{gap}a", 4: f"{category}w", 5: f"{gap}job", 7: f"{category}v", 10: f"{category}w", 21: f"{gap}a"}
    assert rows["reason"].dropna().to_dict() == reasons
    assert rows.index[rows["predicted"].isna()].tolist() == list(reasons)
    # where an encoder meets one new category in each of two columns, each row has its own
    two = frame.assign(site=RNG.choice(["n", "s"], 300))
    columns = make_column_transformer((OneHotEncoder(), ["job", "site"]), remainder="passthrough")
    method = make_pipeline(columns, LogisticRegression())
    save(npc(two, np.arange(300) % 2, method, alpha=0.1, random_state=1), model)
    two.loc[[2, 4], "job"] = "w"
    two.loc[[3, 4], "site"] = "e"
    two.to_csv(new, index=False)
    code, out, err = run("predict", model, new, "--na-action", "omit")
    assert code == 0, err
    said = "a category that no row of the fit has: "
    reasons = pd.read_csv(io.StringIO(out))["reason"].dropna().to_dict()
    assert reasons == {2: f"{said}job = w", 3: f"{said}site = e", 4: f"{said}job = w, site = e"}


def test_a_method_that_refuses_all_rows_is_said_in_words(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"a": RNG.normal(size=300)})
    method = make_pipeline(FunctionTransformer(_many_rows_alone), LogisticRegression())
    save(npc(frame, np.arange(300) % 2, method, alpha=0.1, random_state=1), "m.joblib")
    frame[:3].to_csv("new.csv", index=False)
    code, _, err = run("predict", "m.joblib", "new.csv")
    said = "error: the method of m.joblib refuses rows 1 to 3 of new.csv: few rows. Correct them, leave them out"
    assert (code, said in err) == (2, True), err


def _many_rows_alone(X):
    if len(X) < 5:
        raise ValueError("few rows.")
    return X


@pytest.mark.parametrize("wards", [["t"], []])
def test_text_in_new_rows_where_training_had_numbers_is_named_as_in_a_fit(run, tmp_path, wards):
    train, new, model = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "m.joblib"
    table = pd.DataFrame(
        {"x": RNG.normal(size=300).round(2), "t": RNG.choice(["k", "l"], 300), "y": np.arange(300) % 2}
    )
    table = table[["x", *wards, "y"]].assign(z=RNG.normal(size=300).round(2))
    table.to_csv(train, index=False)
    assert run("fit", train, "--label", "y", "--alpha", 0.1, "--seed", 1, "--out", model)[0] == 0
    commands = [("certify", model, new), ("report", model, "--new", new, "--out", tmp_path / "report.html")]
    commands += [("predict", model, new, "--out", tmp_path / "p.csv")] * len(wards)
    for command in commands:
        table.to_csv(new, index=False, sep=";", decimal=",")
        code, _, err = run(*command, "--label", "y", "--sep", ";")
        assert (code, "If the column has decimal commas, give --decimal ','." in err) == (2, True), err
        words = table.astype({"x": object})
        words.loc[15, "x"] = "k.A."
        for sign, sep in ((".", ","), (",", ";")):
            texts = [value if value == "k.A." else str(value).replace(".", sign) for value in words["x"]]
            words.assign(x=texts).to_csv(new, index=False, sep=sep, decimal=sign)
            code, _, err = run(*command, "--label", "y", "--sep", sep, "--decimal", sign)
            told = "have text there, such as 'k.A.' in row 16. Correct it, leave the cell empty where the value is "
            assert (code, f"{told}missing, or leave such rows out by --na-action omit." in err) == (2, True), err


def test_new_rows_with_two_decimal_signs_are_refused_by_all_commands(run, tmp_path):
    new, model = tmp_path / "new.csv", tmp_path / "m.joblib"
    frame = pd.DataFrame(RNG.normal(size=(300, 2)).round(2), columns=["x", "z"]).assign(y=np.arange(300) % 2)
    save(npc(frame[["x", "z"]], frame["y"], alpha=0.1, random_state=1), model)
    frame.assign(x=frame["x"].astype(str).str.replace(".", ",")).to_csv(new, index=False, sep=";")
    form = ("--label", "y", "--sep", ";")
    for command in (
        ("predict", model, new),
        ("certify", model, new),
        ("check", model, "--new", new),
        ("check", model, "--data", new),
        ("monitor", "--model", model, new, "--state", tmp_path / "state.json"),
        ("report", model, "--new", new, "--out", tmp_path / "report.html"),
    ):
        code, _, err = run(*command, *form)
        assert (code, "column 'x' has decimal commas, and column 'z' has decimal points" in err) == (2, True), err


@pytest.mark.slow
def test_names_and_labels_of_a_file_of_excel_come_out_as_they_are_read(run, tmp_path):
    size, street = RNG.normal(size=300).round(2), RNG.choice(["Öl", "Gas"], 300)
    table = pd.DataFrame({"Größe": size, "Straße": street, "€": np.resize(["süß", "groß"], 300)})
    model, new, out = tmp_path / "m.joblib", tmp_path / "new.csv", tmp_path / "p.csv"
    for encoding, option in (("cp1252", ["--encoding", "cp1252"]), ("utf-8-sig", [])):
        table.to_csv(new, index=False, sep=";", decimal=",", encoding=encoding)
        given = ["--sep", ";", "--decimal", ",", *option]
        code, text, err = run("fit", new, "--label", "€", "--alpha", 0.2, "--seed", 1, "--out", model, *given)
        assert (code, "P(predict süß | groß) <= 0.2" in text) == (0, True), err
        assert load(model).feature_names == ("Größe", "Straße")
        words = ("predict", model, new, "--keep", "Straße,Größe,€", "--scores", *given)
        assert run(*words, "--out", out)[0] == 0
        assert run(*words)[1] == out.read_text(encoding="utf-8-sig")
        # the mark by which spreadsheets know UTF-8
        assert out.read_bytes().startswith(codecs.BOM_UTF8)
        written = pd.read_csv(out, sep=";", decimal=",")
        kept = ["Straße", "Größe", "€"]
        pd.testing.assert_frame_equal(written[kept], table[kept])
        assert set(written["predicted"]) == {"süß", "groß"}
        scores = load(model).decision_function(table[["Größe", "Straße"]])
        np.testing.assert_allclose(written["score"], scores, rtol=1e-14, atol=1e-15)
        # other commands read it by the same options, and write so too
        scored = (out, "--label", "€", "--class0", "groß", "--score", "score", *given)
        code, text, err = run("certify", 0, *scored, "--json")
        assert (code, json.loads(text)["n_called1"]) == (0, int(np.sum(scores[table["€"] == "groß"] > 0))), err
        rule, bands = tmp_path / "rule.json", tmp_path / "bands.csv"
        assert run("threshold", *scored, "--alpha", 0.2, "--out", rule)[0] == 0
        assert run("apply", rule, out, "--keep", "Größe", *given)[1].startswith("Größe;predicted\n")
        assert run("bands", *scored, "--out", bands)[0] == 0
        assert pd.read_csv(bands, sep=";", decimal=",")["alpha"].max() <= 1
    table.to_csv(new, index=False, encoding="cp1252")
    assert "of Excel, give --encoding cp1252." in run("predict", model, new)[2]


def test_a_file_with_decimal_commas_is_read_by_the_next_command_whatever_the_new_rows_were_read_from(run, tmp_path):
    rows = pd.DataFrame(RNG.normal(size=(300, 2)), columns=["x", "z"]).assign(y=np.arange(300) % 2)
    folder = tmp_path / "a.tsv.d"
    folder.mkdir()
    model, tabs, parquet = tmp_path / "m.joblib", folder / "new.tsv", folder / "new.parquet"
    fit = npc(rows[["x", "z"]], rows["y"], "lda", alpha=0.1, random_state=1)
    save(fit, model)
    rows.to_csv(tabs, index=False, sep="\t", decimal=",")
    rows.to_parquet(parquet)
    files = ((tabs, "p.csv", ";", ()), (parquet, "p.csv", ";", ()), (parquet, "p.tsv", "\t", ()))
    for new, name, sep, given in (*files, (parquet, "p.csv", ",", ("--sep", ","))):
        words = ("predict", model, new, "--keep", "y", "--scores", "--decimal", ",", *given)
        assert run(*words, "--out", folder / name)[0] == 0
        written = pd.read_csv(folder / name, sep=sep, decimal=",")
        scores = fit.decision_function(rows[["x", "z"]])
        np.testing.assert_allclose(written["score"], scores, rtol=1e-14, atol=1e-15)
        scored = ("--label", "y", "--class0", 0, "--score", "score", "--decimal", ",")
        assert run("certify", 0, folder / name, *scored)[0] == 0
        assert run("certify", 0, folder / name, *scored, "--sep", sep)[0] == 0
        assert run(*words)[1].startswith(f"y{given[1] if given else ';'}predicted")
    # before anything is read
    told = "error: --sep and --decimal are both '.'. Give another --sep"
    assert told in run("predict", tmp_path / "none.joblib", parquet, "--sep", ".")[2]
    for encoding, has_mark in (("utf8", False), ("utf-8-sig", False), ("UTF-8", False), ("cp1252", True)):
        assert run("predict", model, parquet, "--encoding", encoding, "--out", folder / "p.csv")[0] == 0
        assert (folder / "p.csv").read_bytes().startswith(codecs.BOM_UTF8) == has_mark
    assert run("predict", model, parquet, "--out", folder / "p.csv")[0] == 0
    assert (folder / "p.csv").read_bytes().startswith(b"row,predicted\n")


@pytest.mark.parametrize("end", ["", ".gz"])
def test_values_with_leading_zeros_are_codes_at_the_fit_and_in_new_rows(end, run, tmp_path, monkeypatch):
    opened = gzip.open if end else open
    codes, rate = np.resize(["1", "12", "011", "3"], 400), RNG.normal(size=400)
    rate += (codes == "011") + 2 * (np.arange(400) % 2)
    table = pd.DataFrame(
        {"site": codes, "y": np.resize(["1", "02"], 400), "rate": rate, "zero": np.resize([0, 1], 400)}
    )
    # of the first part no value has leading zeros
    new = table[table["site"] != "011"].sort_values("site", ascending=False)
    fresh = pd.concat([new, table[table["site"] == "011"]]).assign(y=lambda rows: rows["y"].replace("02", "2"))
    old, later = tmp_path / f"old.csv{end}", tmp_path / f"new.csv{end}"
    for file, rows in ((old, table), (later, fresh)):
        with opened(file, "wt") as stream:
            rows.to_csv(stream, index=False)
    given = ["--label", "y", "--class0", "02", "--method", "lda", "--alpha", 0.2, "--seed", 1]
    code, _, err = run("fit", old, *given, "--drop", "zero", "--out", tmp_path / "m.joblib")
    assert (code, "note: coded as categories: site (4 values)\n" in err) == (0, True)
    fit = load(tmp_path / "m.joblib")
    assert list(fit.labels) == ["02", "1"]
    for rows in (300, 100):
        monkeypatch.setattr(table_parts, "PART_ROWS", rows)
        code, out, err = run("predict", tmp_path / "m.joblib", later, "--label", "y")
        assert code == 0, err
        written = [line.split(",")[1] for line in out.splitlines()[1:]]
        assert written == fit.predict(fresh[["site", "rate"]]).tolist()
    read = tabular.read_table(old)
    assert [read[name].tolist() == table[name].tolist() for name in table] == [True] * 4
    table.assign(site=[f"{row:04d}" for row in range(400)]).to_csv(tmp_path / "wide.csv", index=False)
    code, _, err = run("fit", tmp_path / "wide.csv", *given)
    told = "Leading zeros, as in '0000', show codes, such as ZIP codes or case numbers, and no numbers: leave"
    assert (code, told in err) == (2, True), err
    assert "You can leave the column out by --drop" in err


def test_leading_zeros_are_found_behind_signs_and_blanks_and_quotes_and_not_within_numbers(tmp_path):
    path = tmp_path / "t.csv"
    for sep in ",;":
        text = 'a,b,c,d,e,f,g\n1,2,3,4,5,6,0\n-01,"00", 02,10.00,0.05,1e05,00\n0,,3,0,0.0,0,0\n7,8,9,0,0,0,0'
        path.write_text(text.replace(",", sep))
        read = tabular.read_table(path, sep=sep)
        assert [name for name in read if not pd.api.types.is_numeric_dtype(read[name])] == ["a", "b", "c", "g"]
        assert read["a"].tolist() == ["1", "-01", "0", "7"]


@pytest.mark.slow
def test_kept_columns_are_written_as_they_stand_in_the_file(run, tmp_path, monkeypatch):
    table = pd.DataFrame({"x": RNG.normal(size=300), "z": np.arange(300) % 7}).assign(y=np.arange(300) % 2)
    save(npc(table[["x", "z"]], table["y"], "lda", alpha=0.2, random_state=1), tmp_path / "m.joblib")
    kept = ["12", "", "000123", "1E5", "0,10", "NA", "TRUE", "12.50", " a", 'say "no"', "two, parts", "null"]
    given = pd.DataFrame({"x": "0.50", "id": kept, "nr": np.resize(["12", "", "7"], 12), "z": "+1"})
    new, rule = tmp_path / "new.csv", tmp_path / "rule.json"
    given.to_csv(new, index=False)
    table.to_csv(tmp_path / "old.csv", index=False)
    assert run("threshold", tmp_path / "old.csv", "--score", "x", "--label", "y", "--out", rule)[0] == 0
    for rows in (100, 5):
        monkeypatch.setattr(table_parts, "PART_ROWS", rows)
        for command, file in (("predict", tmp_path / "m.joblib"), ("apply", rule)):
            # a predictor and a score are numbers for the model all the same
            code, _, err = run(command, file, new, "--keep", "nr,id,x,z", "--out", tmp_path / "out.csv")
            assert code == 0, err
            written = pd.read_csv(tmp_path / "out.csv", dtype=str, na_filter=False)
            assert written[["nr", "id", "x", "z"]].to_dict("list") == given[["nr", "id", "x", "z"]].to_dict("list")
    # a gap among numbers of cases with 17 digits makes no two of them one, whatever the format
    cases = [26061012300040017 + row if row != 3 else None for row in range(12)]
    long = pd.DataFrame({"x": 0.5, "z": 1, "case": pd.array(cases, dtype="Int64")})
    long.to_csv(tmp_path / "long.csv", index=False)
    long.to_parquet(tmp_path / "long.parquet")
    records = [{"x": 0.5, "z": 1, "case": case} for case in cases]
    (tmp_path / "long.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    for command, file in (("predict", tmp_path / "m.joblib"), ("apply", rule)):
        for ending in (".csv", ".parquet", ".jsonl"):
            code, out, err = run(command, file, tmp_path / f"long{ending}", "--keep", "case")
            if out.startswith("{"):
                found = [json.loads(line)["case"] for line in out.splitlines()]
            else:
                found = [int(text) if (text := line.split(",")[0]) else None for line in out.splitlines()[1:]]
            assert (code, found) == (0, cases), err
    gaps = given.assign(x=["", *["0.5"] * 11])
    gaps.to_csv(new, index=False)
    code, out, _ = run("predict", tmp_path / "m.joblib", new, "--keep", "nr", "--na-action", "omit")
    assert (code, [line.split(",")[0].strip('"') for line in out.splitlines()[1:]]) == (0, gaps["nr"].tolist())
    assert run("predict", tmp_path / "m.joblib", new, "--keep", "reason", "--na-action", "omit")[0] == 2


def test_numbers_of_the_fit_are_numbers_in_new_rows_with_leading_zeros(run, tmp_path, monkeypatch):
    table = pd.DataFrame({"x": RNG.normal(size=300), "month": np.arange(300) % 12 + 1}).assign(y=np.arange(300) % 2)
    save(npc(table[["x", "month"]], table["y"], "lda", alpha=0.2, random_state=1), tmp_path / "m.joblib")
    found = []
    for form in ("d", "02d"):
        table.assign(month=[f"{month:{form}}" for month in table["month"]]).to_csv(tmp_path / "new.csv", index=False)
        for rows in (300, 100):
            monkeypatch.setattr(table_parts, "PART_ROWS", rows)
            found.append(run("predict", tmp_path / "m.joblib", tmp_path / "new.csv"))
        called = np.concatenate(list(load(tmp_path / "m.joblib").predict_chunks(tmp_path / "new.csv")))
        assert [line.split(",")[1] for line in found[-1][1].splitlines()[1:]] == [str(label) for label in called]
    assert found[0][0] == 0
    assert found == [found[0]] * 4


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["y", "a"], ["y", "a", "job"]])
def test_every_command_leaves_out_rows_with_text_among_numbers_and_counts_each_cause(columns, run, tmp_path):
    rng = np.random.default_rng(8)
    table = pd.DataFrame({"y": np.arange(400) % 2, "a": rng.normal(size=400), "job": rng.choice(["x", "z"], 400)})
    table = table[columns]
    table[:300].to_csv(tmp_path / "old.csv", index=False)
    fresh = table[300:].reset_index(drop=True).astype({"a": object})
    fresh.loc[[3, 8], "a"] = np.nan
    fresh.loc[36, "a"] = "k.A."
    new, model, page = tmp_path / "fresh.csv", tmp_path / "m.joblib", tmp_path / "r.md"
    fresh.to_csv(new, index=False)
    given = ["fit", tmp_path / "old.csv", "--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1]
    told = "of the 100 rows of fresh.csv"
    for command in (
        [*given, "--out", model, "--test", new],
        ["report", model, "--new", new, "--label", "y", "--out", page],
        ["certify", model, new, "--label", "y"],
        ["check", model, "--new", new, "--label", "y"],
        ["monitor", new, "--model", model, "--label", "y", "--state", tmp_path / "s.json"],
    ):
        assert run(*command)[0] == 2
        code, out, err = run(*command, "--na-action", "omit")
        assert code == 0, err
        said = said_of(page) if command[0] == "report" else " ".join(out.split())
        assert f"2 {told} have missing values and are left out." in said
        assert f"1 {told} has text in a column of numbers and is left out: column 'a' has 'k.A.' (in row 37)." in said
    assert "were left out: 2 had missing values and 1 had text in a column of numbers." in said_of(page)
    kept = table[300:].reset_index(drop=True).drop(index=[3, 8, 36])
    bound = load(model).certify(kept[columns[1:]], kept["y"])
    _, out, _ = run("certify", model, new, "--label", "y", "--na-action", "omit", "--json")
    assert json.loads(out)["n0"] == bound.n0


@pytest.mark.slow
@pytest.mark.parametrize("part_rows", [30, 1000])
def test_a_row_that_a_formula_cannot_code_has_its_number_in_the_whole_file(part_rows, run, tmp_path, monkeypatch):
    rng = np.random.default_rng(9)
    table = pd.DataFrame({"y": np.arange(400) % 2, "a": rng.uniform(1, 2, 400), "job": rng.choice(["x", "z"], 400)})
    table[:300].to_csv(tmp_path / "old.csv", index=False)
    model, new = tmp_path / "m.joblib", tmp_path / "fresh.csv"
    formula = ["--formula", "y ~ log(a) + job", "--method", "lda", "--alpha", 0.2, "--seed", 1]
    assert run("fit", tmp_path / "old.csv", *formula, "--out", model)[0] == 0
    monkeypatch.setattr("nproc.cli.files.PART_ROWS", part_rows)
    for column, value in (("a", np.nan), ("a", np.inf), ("a", 0), ("job", None)):
        fresh = table[300:].reset_index(drop=True)
        fresh.loc[[77, 80], column] = value
        fresh.to_csv(new, index=False)
        code, _, err = run("predict", model, new, "--out", tmp_path / "p.csv")
        told = "in row 78; no row is" if pd.isna(value) else "(first in row 78): "
        assert (code, told in err) == (2, True), err
    # each column has its own first row
    fresh.loc[41, "a"] = np.nan
    fresh.loc[[43, 44, 77, 80], "job"] = None
    fresh.to_csv(new, index=False)
    gaps = "column 'a' has 1 missing value(s) (NaN), the first in row 42, and so has 'job' (2, the first in row 44)"
    err = run("predict", model, new, "--out", tmp_path / "p.csv")[2]
    assert (gaps if part_rows == 30 else gaps.replace("(2", "(4")) in err
    # points that may stand between thousands, from row 31 on, are refused there before any coding
    fresh = table[300:].assign(a=["7"] * 30 + [f"1.{k}" for k in range(100, 169)] + ["1.234.567"])
    fresh.to_csv(new, index=False)
    err = run("predict", model, new, "--na-action", "omit", "--out", tmp_path / "p.csv")[2]
    assert ("error: rows 31 to 60: column 'a' of the new data has numbers such as '1.100'" in err) == (part_rows == 30)


def said_of(page):
    return " ".join(page.read_text(encoding="utf-8").replace("\\", "").split())


def test_decimal_points_in_a_file_of_commas_are_refused_with_the_option_whatever_is_omitted(run, tmp_path):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.normal(size=300), "z": rng.normal(size=300), "y": np.resize([0, 1], 300)})
    table.to_csv(tmp_path / "old.csv", index=False, sep=";", decimal=",")
    given = ["--label", "y", "--method", "lda", "--alpha", 0.2, "--seed", 1, "--sep", ";", "--decimal", ",", "--out"]
    assert run("fit", tmp_path / "old.csv", *given, tmp_path / "m.joblib")[0] == 0
    # whole numbers in the other column do not tell the sign of the file
    new = table.assign(x=table["x"].round(2).astype(str), z=np.arange(300))
    new.to_csv(tmp_path / "new.csv", index=False, sep=";", decimal=",")
    for command in (["predict"], ["certify", "--label", "y"], ["check", "--label", "y"], ["report", "--label", "y"]):
        name = {"check": ["--new"], "report": ["--out", tmp_path / "r.md", "--new"]}.get(command[0], [])
        for omit in ([], ["--na-action", "omit"]):
            words = [command[0], tmp_path / "m.joblib", *name, tmp_path / "new.csv", *command[1:]]
            code, out, err = run(*words, "--sep", ";", "--decimal", ",", *omit)
            assert (code, out, "give --decimal '.'" in err or "give --decimal ." in err) == (2, "", True), err
            assert "column 'x' of the new data is text that looks like numbers with points" in err
