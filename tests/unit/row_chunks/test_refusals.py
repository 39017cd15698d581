"""Tests of messages about rows that come in chunks: they name file, row and column, and what to do."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nproc import InvalidInputError, NPWarning, OnlineNPClassifier, npc, nproc, read_in_chunks, roc_cv, train_in_chunks
from nproc.cli import main
from nproc.persistence import save
from nproc.row_chunks import RowChunks
from nproc.row_chunks.refusals import find_faults, row_in_file

N = 12_000
RNG = np.random.default_rng(0)
KIND = (RNG.random(N) < 0.5).astype(int)
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)) + KIND[:, None], columns=list("abc")).assign(kind=KIND)
ROW = 11_000


def written(folder, name="rows.csv", **changes):
    """Write the rows, with some columns changed, and return the path."""
    path = folder / name
    frame = FRAME.assign(**changes)
    frame.to_parquet(path, row_group_size=3000) if name.endswith("parquet") else frame.to_csv(path, index=False)
    return path


def with_value(column, value):
    """Return a column with another value in row `ROW`."""
    values = FRAME[column].astype(object)
    values[ROW - 1] = value
    return {column: values.astype(float) if isinstance(value, float) else values.astype(str)}


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    rows = read_in_chunks(written(tmp_path_factory.mktemp("fit")), "kind", chunk_size=2000)
    train, rest = rows.split(0.5, random_state=1)
    model = train_in_chunks(OnlineNPClassifier(), train, random_state=2)
    return npc(rest, method=model, prefit=True, random_state=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.parquet"])
def test_a_gap_in_a_file_to_be_predicted_is_named(tmp_path, fit, name):
    path = written(tmp_path, name, **with_value("b", np.nan))
    message = rf"{name}, chunk \d: column 'b' has a missing value \(NaN\), the first in row {ROW}; .* Leave such rows"
    with pytest.raises(InvalidInputError, match=message):
        list(fit.predict_chunks(path))
    rows = read_in_chunks(path, "kind", chunk_size=700)
    with pytest.raises(InvalidInputError, match=message.replace(r"\d", str((ROW - 1) // 700 + 1))):
        fit.evaluate(rows)
    # parts of the rows tell the row of the file
    for part in rows.split(0.5, random_state=1):
        held = np.isnan(pd.concat(part.rows())["b"]).any()
        if held:
            with pytest.raises(InvalidInputError, match=f"in row {ROW};"):
                list(fit.predict_chunks(part))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_the_model_refuses_is_named_in_memory_too(fit, value):
    frame = FRAME[["a", "b", "c"]].copy()
    frame.loc[ROW - 1, ["b", "c"]] = value
    place = rf"X\.iloc\[{ROW - 1}\]"
    for call in (fit.predict, fit.votes, fit.decision_function, fit.p_values):
        with pytest.raises(InvalidInputError, match=rf"^X: column 'b' has .* at {place}, and so has 'c' \({place}\)"):
            call(frame)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("b", np.nan, rf"rows.csv: column 'b' has a missing value \(NaN\), the first in row {ROW};"),
        ("b", "unknown", rf"rows.csv: column 'b' has text 'unknown', the first in row {ROW};"),
        ("b", "637,386", rf"column 'b' has text '637,386', the first in row {ROW};.*--decimal ','"),
    ],
)
@pytest.mark.parametrize("part_rows", [100_000, 5000])
def test_the_command_line_says_so_in_one_line(tmp_path, capsys, monkeypatch, fit, column, value, message, part_rows):
    monkeypatch.setattr("nproc.cli.files.PART_ROWS", part_rows)
    save(fit, tmp_path / "fit.np")
    path = written(tmp_path, **with_value(column, value))
    assert main(["predict", str(tmp_path / "fit.np"), str(path)]) == 2
    text = capsys.readouterr().err
    with pytest.raises(InvalidInputError, match=message):
        raise InvalidInputError(text)
    assert text.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("standardize", [True, False])
def test_text_and_gaps_in_training_are_named_with_the_remedy(tmp_path, name, standardize):
    settings = {"standardize": standardize, "random_state": 1}
    text = read_in_chunks(written(tmp_path, name, country="FR"), "kind")
    with pytest.raises(InvalidInputError, match=r"column 'country' has text 'FR', .* row 1;.* drop=\['country'\]"):
        train_in_chunks(OnlineNPClassifier(), text, **settings)
    comma = written(tmp_path, name, b="637,386")
    # in a CSV file such a column is refused when the file is opened
    message = r"column 'b' (of|in the first 10000 rows of|has text) .*'637,386'.*decimal=','"
    with pytest.raises(InvalidInputError, match=message):
        train_in_chunks(OnlineNPClassifier(), read_in_chunks(comma, "kind"), **settings)
    gap = read_in_chunks(written(tmp_path, name, **with_value("b", np.nan)), "kind", chunk_size=1000)
    for part in gap.split(0.5, random_state=1):
        if np.isnan(pd.concat(part.rows())["b"]).any():
            with pytest.raises(InvalidInputError, match=rf"column 'b' has a missing .* row {ROW};.* or fill them in"):
                train_in_chunks(OnlineNPClassifier(), part, **settings)


@pytest.mark.slow
def test_gaps_and_text_where_a_threshold_is_set(tmp_path, fit):
    model = fit.scorers[0]
    gap = read_in_chunks(written(tmp_path, **with_value("b", np.nan)), "kind", chunk_size=1000)
    with pytest.raises(InvalidInputError, match=rf"column 'b' has a missing .* row {ROW};.*trained imputer"):
        npc(gap, method=model, prefit=True, random_state=1)
    beyond = read_in_chunks(written(tmp_path, country="FR"), "kind")
    for function in (npc, nproc):
        with pytest.raises(
            InvalidInputError, match=r"unknown to it are \['country'\], so .* features=\['a', 'b', 'c'\]"
        ):
            function(beyond, method=model, prefit=True, random_state=1)
    lacking = read_in_chunks(written(tmp_path), "kind", drop=["b"])
    with pytest.raises(InvalidInputError, match=r"missing are \['b'\], so give columns on which"):
        npc(lacking, method=model, prefit=True, random_state=1)
    turned = read_in_chunks(written(tmp_path), "kind", features=["b", "a", "c"])
    with pytest.raises(InvalidInputError, match="the same in another order, so read them with features="):
        npc(turned, method=model, prefit=True, random_state=1)


def test_a_pipeline_that_codes_text_takes_it(tmp_path):
    frame = FRAME.assign(country=np.where(np.arange(len(FRAME)) % 3, "FR", "DE"))
    coding = make_column_transformer((OneHotEncoder(), ["country"]), remainder="passthrough")
    model = make_pipeline(coding, LogisticRegression()).fit(frame.drop(columns="kind")[:500], KIND[:500])
    rows = read_in_chunks(written(tmp_path, country=frame["country"]), "kind", chunk_size=5000)
    fitted = npc(rows, method=model, prefit=True, random_state=1)
    # a gap in a number is what is named, and not the text that the model takes
    frame.loc[7, "b"] = np.nan
    with pytest.raises(InvalidInputError, match="column 'b' has a missing value"):
        fitted.predict(frame.drop(columns="kind"))
    # nor is that text what is wrong with another column
    with pytest.raises(InvalidInputError, match=rf"column 'b' has text '\?', the first at X\.iloc\[{ROW - 1}\];"):
        fitted.predict(frame.drop(columns="kind").assign(**with_value("b", "?")))


def test_columns_that_the_fit_does_not_know_are_ignored_in_chunks(tmp_path, fit):
    path = written(tmp_path, extra="x")
    expected = fit.predict(FRAME[["a", "b", "c"]])
    chunks = [read_in_chunks(path, "kind", chunk_size=5000), path, [pd.read_csv(path)[::1]]]
    for given in chunks:
        np.testing.assert_array_equal(np.concatenate(list(fit.predict_chunks(given))), expected)
    turned = FRAME[["c", "kind", "b", "a"]]
    np.testing.assert_array_equal(next(fit.predict_chunks([turned])), expected)
    whole = fit.evaluate(FRAME[["a", "b", "c"]], KIND)
    assert repr(fit.evaluate(chunks[0])) == repr(whole)
    assert repr(fit.evaluate([(turned, KIND)])) == repr(whole)
    with pytest.raises(InvalidInputError, match=r"chunks, chunk 1: [^$]*now missing:\n- b"):
        list(fit.predict_chunks([FRAME[["a", "c"]]]))


def test_what_is_no_table_points_to_what_reads_it(tmp_path, fit):
    path = written(tmp_path)
    rows, model = read_in_chunks(path, "kind"), fit.scorers[0]
    calls = [
        lambda: fit.predict(str(path)),
        lambda: fit.predict(path),
        lambda: fit.evaluate(str(path)),
        lambda: fit.evaluate(str(path), "kind"),
        lambda: npc(str(path), "kind", random_state=1),
        lambda: npc(str(path), data=FRAME, random_state=1),
        lambda: nproc(path, "kind", random_state=1),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError, match=r"^X is the text .*rows.csv.*predict_chunks.*read_in_chunks"):
            call()
    with pytest.raises(InvalidInputError, match="contains the labels; leave out y"):
        fit.evaluate(rows, "kind")
    with pytest.raises(InvalidInputError, match=r"gave the text .*rows.csv.*one path at a time"):
        list(fit.predict_chunks([path]))
    for function in (npc, nproc):
        with pytest.raises(InvalidInputError, match="If it is trained already, on other rows, give prefit=True"):
            function(rows, method=model, random_state=1)
    with pytest.raises(
        InvalidInputError, match=r"roc_cv requires rows in memory.* nproc\(rows, method=model, prefit=True\)"
    ):
        roc_cv(rows, random_state=1)
    with pytest.raises(InvalidInputError, match=r"such as OnlineNPClassifier\(\), got the name 'onpsvm'"):
        train_in_chunks("onpsvm", rows, random_state=1)


def test_several_files_are_a_folder_of_parquet_files(tmp_path):
    path = written(tmp_path)
    with pytest.raises(InvalidInputError, match=r"got a list of 2. .* folder of Parquet files"):
        read_in_chunks([path, path], "kind")
    with pytest.raises(InvalidInputError, match="Patterns are not read; a folder of Parquet files"):
        read_in_chunks(tmp_path / "*.csv", "kind")
    with pytest.raises(InvalidInputError, match=r"has no Parquet files .* Of CSV files give one by its own path"):
        read_in_chunks(tmp_path, "kind")


def test_no_chunk_at_all_is_a_warning(fit):
    used = iter([])
    with pytest.warns(NPWarning, match="chunks gave no table of rows at all. A generator .* used up") as heard:
        assert list(fit.predict_chunks(used)) == []
    assert heard[0].filename == __file__
    with pytest.warns(NPWarning, match="X gave no table of rows at all") as heard:
        assert fit.evaluate(used).n0 == 0
    assert heard[0].filename == __file__


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_the_separator_that_the_header_shows_is_named(tmp_path, sep, decimal):
    path = tmp_path / "rows.csv"
    FRAME[:50].to_csv(path, index=False, sep=sep, decimal=decimal)
    wrong = ";" if sep == "," else None
    comma = ", and decimal=',' too if its numbers have decimal commas" * (sep == ";")
    comma += " without decimal=','" * (sep == ",")
    with pytest.raises(
        InvalidInputError, match=r"rows.csv has a single column 'a.*; " + re.escape(f"give sep={sep!r}{comma}.")
    ):
        read_in_chunks(path, "kind", sep=wrong)


def test_a_decimal_comma_that_is_not_there_is_to_be_left_out(tmp_path):
    path = tmp_path / "rows.csv"
    FRAME[:50].to_csv(path, index=False)
    for sep, told in (
        (None, "If the column has decimal points, give decimal='.'."),
        (";", "give sep=',' without decimal=','."),
    ):
        with pytest.raises(InvalidInputError, match=re.escape(told)):
            read_in_chunks(path, "kind", sep=sep, decimal=",")


def test_a_single_column_may_have_any_name(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('"income, yearly"\n1\n2\n')
    rows = read_in_chunks(path, None, features=["income, yearly"], sep=";")
    assert [X.to_numpy().ravel().tolist() for X in rows.rows()] == [[1.0, 2.0]]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize(
    ("column", "first", "value", "message"),
    [
        ("y", "0", "yes", "has 'yes' in row 11001 of column 'y', which holds numbers.*Give all labels one type"),
        ("a", "1.5", "n/k", "has 'n/k' in row 11001 of column 'a', which holds numbers.* leave it empty"),
        ("a", "True", "", "has a missing value in row 11001 of column 'a', which holds true and false only"),
    ],
)
def test_a_value_of_another_type_further_on_is_named(tmp_path, ending, column, first, value, message):
    cells = {"a": "1", "y": "1"}
    line, odd = ({**cells, column: text} for text in (first, value))
    text = "a,y\n" + f"{line['a']},{line['y']}\n" * 11_000 + f"{odd['a']},{odd['y']}\n"
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    rows = read_in_chunks(path, "y", chunk_size=3000)
    with pytest.raises(InvalidInputError, match=message):
        list(rows)


def test_faults_of_tables_of_all_kinds():
    from scipy import sparse

    X = np.array([[1.0, 0.0], [0.0, np.inf], [0.0, np.nan]])
    for table in (X, sparse.csr_array(X), pd.DataFrame(X)):
        (fault,) = find_faults(table, "Input X contains infinity")
        assert (fault.column, fault.row) == (1, 1)
        (fault,) = find_faults(table, "Input X contains NaN.")
        assert (fault.column, fault.row) == (1, 2)
    mixed = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": ["1", "x"], "c": pd.Categorical(["u", "v"])})
    assert [f.column for f in find_faults(mixed, "could not convert string to float")] == ["b", "c"]
    assert [f.column for f in find_faults(mixed, "could not convert string to float: 'x'")] == ["b"]
    assert [f.column for f in find_faults(mixed, "not 'NAType'")] == ["a"]
    assert find_faults(X[:1], "Input X contains NaN.") == []


def test_rows_of_parts_are_found_in_the_file():
    rows = RowChunks.from_arrays(np.arange(1000.0)[:, None], np.arange(1000) % 2, chunk_size=90)
    for part in (
        rows,
        *rows.split(0.3, random_state=1),
        rows.split(0.5, random_state=2)[0].split(0.5, random_state=2)[1],
    ):
        values = np.concatenate(list(part.rows())).ravel()
        assert [row_in_file(part, j) for j in range(0, values.size, 37)] == values[::37].tolist()
