"""nproc.row_chunks.csv_lines: the command line, the page and the chunk reader take or refuse the same CSV files."""

import gzip
import itertools
import random
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from nproc import InvalidInputError, read_in_chunks
from nproc.app.data import uploaded_source
from nproc.cli import main
from nproc.cli.files import csv_parts, read_table, with_kept
from nproc.datasets import load_simulation2
from nproc.errors import NPWarning
from nproc.row_chunks import csv_files, csv_lines
from nproc.row_chunks.csv_files import CSVTable
from nproc.row_chunks.csv_lines import find_separator, read_lines
from nproc.row_chunks.refusals import row_in_file
from nproc.rows import refuse_commas, refuse_two_signs

# content, and the number of the line and the way out that the message names
REFUSED = {
    "a separator at the end of each row": (b"y,a,b\n0,1,2,\n1,3,4,\n", "line 2 has 4 .* Remove the ',' at its end"),
    "a separator at the end of one row": (b"y,a,b\n0,1,2\n1,3,4,\n", "line 3 has 4 .* Remove the ',' at its end"),
    "row names of R's write.table": (b"y,a,b\nr1,0,1,2\nr2,1,3,4\n", "line 2 has 4 .*in R use write.csv"),
    "a field too many": (b"y,a,b\n0,1,2\n1,3,4,5,6\n", "line 3 has 5 fields, and the header has 3.*quotation marks"),
    "a field too few": (b"y,a,b\n0,1,2\n1,3\n", "line 3 has 2 fields, and the header has 3.*missing values as NA"),
    "a short last line": (b"y,a,b\n0,1,2\n1", "line 3 has 1 field, and the header has 3"),
    "a header with a separator too many": (b"y,a,\n0,1\n1,3\n", "line 2 has 2 fields, and the header has 3.*remove it"),
    "a header with a name too many": (b"y,a,b,c\n0,1,2\n1,3,4\n", "line 2 has 3 fields, and the header has 4"),
    "a value in a column without a name": (b"y,a,\n0,1,\n1,3,4\n", "line 3 has a value in column 3, which has no name"),
    "a title": (
        b"Study 2024\ny,a,b\n0,1,2\n",
        "line 2 has 3 fields, and the header has 1. If line 1 is a title, remove it",
    ),
    "a title of Excel": (b"Study 2024,,\ny,a,b\n0,1,2\n", "no name in the header. If line 1 is a title, remove it"),
    "a title with more separators": (
        b"Study 2024,,,\ny,a,b\n0,1,2\n",
        "line 2 has 3 fields, and the header has 4. If line 1 is a title, remove it",
    ),
    "a column without a name": (b"y,,b\n0,1,2\n1,3,4\n", "column 2 of .* has no name in the header"),
    "a blank line": (b"y,a\n0,1\n\n1,2\n", "line 3 is blank, and rows follow.*write NA"),
    "lines of blanks": (b"y,a\n0,1\n \t \n\n1,2\n", "line 3 is blank, and rows follow"),
    "a blank line in front": (b"\ny,a\n0,1\n", "line 1 is blank, and rows follow"),
    "line ends that were doubled": (b"y,a\r\r\n0,1\r\r\n1,2\r\r\n", "line 2 is blank, and rows follow"),
    "two kinds of line ends": (
        b"y,a\r0,1\r,\n1,2\n",
        "a carriage return and others with a line feed, and row 2 has no",
    ),
    "a comment in front": (b"# made by hand\ny,a\n0,1\n", "line 2 has 2 fields, and the header has 1"),
    "a comment": (b"y,a\n0,1\n# doubtful\n1,2\n", "line 3 has 1 field, .* comments are not read"),
    "a repeated name": (b"y,a,a\n0,1,2\n", "several columns of the name"),
    "a quotation mark that is not closed": (b'y,a\n0,"x\n1,z\n', "line 2 begins a field that has no closing quotation"),
    "two such marks": (b'y,a\n0,"6 pipe\n1,2\n0,"7 pipe\n', "line 2 begins a field that goes on after its closing"),
    "a zero byte": (b"y,a\n0,1\n1,2\0\n", "line 3 holds binary data, not text.*UTF-8"),
    "UTF-16": ("y,a\n0,1\n".encode("utf-16"), "is in the encoding UTF-16.*UTF-8"),
    "Latin-1": ("y,a\n0,1\n1,é\n".encode("latin-1"), "line 3 holds the byte 0xe9, which.*in Excel: 'CSV UTF-8'"),
    "nothing": (b"", "is empty"),
    "blank lines alone": (b"\n \n\n", "is empty"),
    "a header alone": (b"y,a\n", "has a header but no rows"),
}
READ = {
    "plain": b"y,a\n0,1.5\n1,2.5\n",
    "no end of the last line": b"y,a\n0,1.5\n1,2.5",
    "blank lines at the end": b"y,a\n0,1.5\n1,2.5\n\n  \n\n",
    "a mark of the encoding": b"\xef\xbb\xbfy,a\n0,1.5\n1,2.5\n",
    "a mark before a quoted name": b'\xef\xbb\xbf"y","a"\n0,1.5\n1,2.5\n',
    "line ends of Windows": b"y,a\r\n0,1.5\r\n1,2.5\r\n",
    "line ends of old Macs": b"y,a\r0,1.5\r1,2.5\r",
    "row names": b",y,a\nr1,0,1.5\nr2,1,2.5\n",
    "empty columns at the end": b"y,a,,\n0,1.5,,\n1,2.5,,\n",
    "quoted fields": b'"y","a"\n"0","1.5"\n"1","2.5"\n',
}


def faces(path, sep=None, decimal="."):
    """What each reader makes of a file: its rows, or why it refuses them."""
    chunks = read_in_chunks
    readers = {
        "table": lambda: read_table(path, sep=sep, decimal=decimal),
        "parts": lambda: pd.concat(csv_parts(path, 1, None, sep=sep, decimal=decimal), ignore_index=True),
        "chunks": lambda: pd.concat(chunks(path, None, sep=sep, decimal=decimal, chunk_size=1).rows()),
        "page": lambda: uploaded_source(path, path.name).frame,
    }
    found = {}
    for name, reader in readers.items():
        try:
            found[name] = reader()
        except InvalidInputError as error:
            found[name] = str(error)
    return found


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "mac_roman", "UTF8", "utf-8-sig"])
def test_all_readers_take_the_encoding_of_a_file(tmp_path, ending, encoding):
    text = "Größe,Maß\n1.5,Öl\n2.5,Café\n"
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(text.encode(encoding)) if ending == ".csv.gz" else text.encode(encoding))
    wanted = pd.DataFrame({"Größe": [1.5, 2.5], "Maß": ["Öl", "Café"]})
    for found in (
        read_table(path, encoding=encoding),
        pd.concat(csv_parts(path, 1, None, encoding=encoding), ignore_index=True),
        pd.concat(read_in_chunks(path, None, encoding=encoding, chunk_size=1).rows(), ignore_index=True),
    ):
        pd.testing.assert_frame_equal(found, wanted)


def test_a_file_with_the_mark_of_utf_8_is_read_as_such_beside_one_in_the_encoding_that_is_given(tmp_path):
    wanted = pd.DataFrame({"Größe": [1.5, 2.5], "Maß": ["Öl", "Café"]})
    for written in ("utf-8-sig", "cp1252"):
        path = tmp_path / f"{written}.csv"
        wanted.to_csv(path, index=False, encoding=written)
        for found in (
            read_table(path, encoding="cp1252"),
            pd.concat(csv_parts(path, 1, None, encoding="cp1252"), ignore_index=True),
            pd.concat(read_in_chunks(path, None, encoding="cp1252", chunk_size=1).rows(), ignore_index=True),
        ):
            pd.testing.assert_frame_equal(found, wanted)


@pytest.mark.parametrize(
    ("encoding", "content", "message"),
    [
        (None, "y,a\n0,1\n1,Größe\n".encode("cp1252"), "line 3 .* If it stands for 'ö', .* give encoding='cp1252'"),
        # one letter is broken among those of UTF-8, which would become two letters each
        *(
            (
                None,
                "y,a\n0,Öl\n1,süß\n".encode() + broken,
                "line 4 holds the byte 0x.., .* The file is in UTF-8 otherwise",
            )
            for broken in (b"1,Gr\xf6\xdfe\n", b"1,\xc3")
        ),
        ("cp1252", b"y,a\n0,1\n1,\x81\n", "line 3 holds the byte 0x81, which is no cp1252"),
        # a letter may hold the byte of a separator
        *(
            (name, b"y\n1\n", f"encoding must be UTF-8 .*'{name}'.* such as UTF-16")
            for name in ("shift_jis", "utf-16", "base64", "x")
        ),
    ],
)
def test_an_encoding_that_is_not_that_of_the_file_is_refused(tmp_path, encoding, content, message):
    (tmp_path / "rows.csv").write_bytes(content)
    for reader in (read_table, partial(read_in_chunks, label=None)):
        with pytest.raises(InvalidInputError, match=message):
            reader(tmp_path / "rows.csv", encoding=encoding)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_all_readers_refuse_a_bad_file_in_the_same_words(tmp_path, name, ending):
    content, message = REFUSED[name]
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
    found = faces(path)
    # it takes plain files, and reads letters of Excel on Windows
    if ending == ".csv.gz" or name == "Latin-1":
        found.pop("page")
    for words in found.values():
        with pytest.raises(InvalidInputError, match=message):
            raise InvalidInputError(words)
    found.pop("page", None)  # names the file as the user does
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("name", READ)
def test_all_readers_read_a_good_file_alike(tmp_path, name):
    path = tmp_path / "rows.csv"
    path.write_bytes(READ[name])
    for frame in faces(path).values():
        assert frame.astype(float).to_dict("list") == {"y": [0.0, 1.0], "a": [1.5, 2.5]}


@pytest.mark.parametrize("name", ["NA", "nan", "null"])
def test_a_column_may_be_called_as_a_missing_value(tmp_path, name):
    path = tmp_path / "rows.csv"
    path.write_text(f"{name},K\n1,2\n3,4\n")
    for frame in faces(path).values():
        assert frame.columns.tolist() == [name, "K"]


def test_blank_lines_in_a_file_of_one_column_are_refused_and_quoted_gaps_are_rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n\n2\n")
    found = faces(path)
    assert "line 3 is blank" in found["table"]
    assert "line 3 is blank" in found["chunks"]
    pd.DataFrame({"a": [1.0, np.nan, 2.0]}).to_csv(path, index=False)
    found = faces(path)
    for face in ("table", "parts", "chunks"):
        assert found[face]["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("command", ["fit", "predict", "certify", "multiclass"])
def test_no_command_takes_rows_whose_fields_have_moved(tmp_path, capsys, command):
    load_simulation2().frame.to_csv(tmp_path / "train.csv", index=False)
    model, moved = str(tmp_path / "m.joblib"), tmp_path / "moved.csv"
    assert main(["fit", str(tmp_path / "train.csv"), "--label", "y", "--class0", "0", "--out", model]) == 0
    lines = (tmp_path / "train.csv").read_text().splitlines()
    moved.write_text("\n".join([lines[0]] + [f"{line}," for line in lines[1:]]))
    arguments = {
        "fit": [str(moved), "--label", "y"],
        "predict": [model, str(moved)],
        "certify": [model, str(moved), "--label", "y"],
        "multiclass": [str(moved), "--label", "y", "--priority", "0,1"],
    }
    capsys.readouterr()
    assert main([command, *arguments[command]]) == 2
    assert "line 2 has 4 fields, and the header has 3" in capsys.readouterr().err


def test_decimal_commas_are_read_if_they_are_named_and_refused_otherwise(tmp_path, capsys):
    frame = load_simulation2().frame
    path = tmp_path / "german.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    read = read_table(path, sep=";", decimal=",")
    pd.testing.assert_frame_equal(read, frame, check_exact=True)
    X, y = next(iter(read_in_chunks(path, "y", sep=";", decimal=",")))
    np.testing.assert_array_equal(X, frame[["x1", "x2"]])
    np.testing.assert_array_equal(y, frame["y"])
    message = "column 'x1'.* looks like numbers with commas, such as .*decimal=','"
    with pytest.raises(InvalidInputError, match=message):
        read_in_chunks(path, "y", sep=";")
    assert read_in_chunks(path, "y", sep=";", drop=["x1"], decimal=",").features == ["x2"]
    for ask in (["--label", "y"], ["--formula", "y ~ x1"], ["--formula", "y ~ ."]):
        assert main(["fit", str(path), *ask, "--class0", "0", "--sep", ";"]) == 2
        assert "column 'x1' is text that looks like numbers with commas" in capsys.readouterr().err
        assert main(["fit", str(path), *ask, "--class0", "0", "--sep", ";", "--decimal", ",", "--seed", "1"]) == 0
    source = uploaded_source(path, "german.csv")
    # the page has no such option: it finds the sign, and says how it read the first number
    pd.testing.assert_frame_equal(source.frame, frame, check_exact=True)
    assert source.predictors("y")[0] == ["x1", "x2"]
    assert re.search(r"decimal commas: '-?\d,\d+' in 'x1' is -?\d\.\d+\.$", source.description)
    assert source.code[1] == "read_table('german.csv', sep=';', decimal=',')"


@pytest.mark.parametrize(
    ("values", "decimal", "refused"),
    [
        (["1,5", "2"], ".", True),
        (["1,234", "12,345,678"], ".", True),
        (["1.234,5", "1.000.000", None], ".", True),
        (["-0,5e-3"], ".", True),
        (["1.5", "2"], ",", True),
        (["1.234,5"], ",", True),
        (["1.5", "2"], ".", False),
        (["1,5", "low"], ".", False),
        (["01.02.2024", "03.04.2024"], ".", False),
        (["01.02.2024", "03.04.2024"], ",", False),
        (["a,b", "c"], ".", False),
        # signs for missing values do not make categories of numbers
        (["0,5", "1,5", "2,5", "?"], ".", True),
        (["0,5", "1,5", "2,5", "-", None], ".", True),
        (["5,5%", "6,25 %"], ".", True),
        (["1,101.50", "2,000.25"], ".", True),
        (["1 200,5", "3 000,25"], ".", True),
        (["1,5", "2,5", "low", "high"], ".", False),
    ],
)
def test_text_is_taken_for_numbers_if_most_of_it_is(values, decimal, refused):
    column = pd.Series(values, dtype=object)
    if refused:
        with pytest.raises(InvalidInputError, match="column 'a' is text that looks like numbers with"):
            refuse_commas(column, "column 'a'", decimal)
    else:
        refuse_commas(column, "column 'a'", decimal)


@pytest.mark.parametrize(
    ("values", "decimal", "told"),
    [
        (
            ["480,0", "1.480,0"],
            ",",
            "points between thousands, such as '1.480,0' in row 2. Write the numbers without these",
        ),
        (["480,0", "1.480,0"], ".", "out. If the column has decimal commas, give decimal=','."),
        (
            ["1,101.50"],
            ".",
            "such as '1,101.50' in row 1. Write the numbers without these commas, or leave the column out.",
        ),
        (["1,5", "12,345,678"], ".", "commas between thousands, such as '12,345,678' in row 2."),
        (["1,2,3", "4,5,6"], ".", "commas, such as '1,2,3' in row 1. If they stand between thousands"),
        (["1,234"], ".", "commas, such as '1,234' in row 1. If they stand between thousands"),
        (["1,5", "2.5"], ".", "are decimal commas, write all numbers with one decimal sign: '2.5'"),
        (
            ["1,5", "2.5"],
            ",",
            "such as '2.5' in row 2. If they stand between thousands, write the numbers without them, or ",
        ),
        (["1,5", "2.5"], ",", "decimal points, write all numbers with one decimal sign: '1,5' has a comma"),
    ],
)
def test_signs_between_thousands_are_called_so_where_they_can_be_nothing_else(values, decimal, told):
    with pytest.raises(InvalidInputError) as caught:
        refuse_commas(pd.Series(values, dtype=object), "column 'a'", decimal)
    assert told in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["", ";2,25"])
def test_points_that_may_stand_between_thousands_are_refused_by_each_command_and_reader(tmp_path, capsys, rate):
    frame = load_simulation2().frame
    frame["x1"] = np.arange(len(frame)) * 7 + 100
    plain, points = tmp_path / "plain.csv", tmp_path / "points.csv"
    frame.assign(x2=1 + np.arange(len(frame)) % 5).to_csv(plain, index=False)
    written = frame.assign(x1=[f"{x:,}".replace(",", ".") for x in frame["x1"]], x2=1 + np.arange(len(frame)) % 5)
    if rate:
        written = written.assign(rate="2,25")
    written.to_csv(points, index=False, sep=";")
    ask = ["--label", "y", "--class0", "0", "--method", "lda", "--seed", "1"]
    drop = ["--drop", "rate"] if rate else []
    model = str(tmp_path / "m.joblib")
    assert main(["fit", str(plain), *ask, "--out", model]) == 0
    capsys.readouterr()
    calls = {
        "fit": ["fit", str(points), *ask, *drop],
        "formula": ["fit", str(points), "--formula", "y ~ x1 + x2", *ask[2:]],
        "predict": ["predict", model, str(points)],
        "errors": ["predict", model, str(points), "--label", "y"],
    }
    for name, call in calls.items():
        assert main([*call, "--sep", ";"]) == 2, name
        told = capsys.readouterr().err
        assert "column 'x1'" in told
        assert "has numbers such as '1.003', which may be 1003 or a decimal number" in told
        assert "write the numbers without them" in told
        assert "If they are decimal points, give --decimal '.'." in told
        # whoever says so is believed, and decimal commas leave no such numbers
        assert main([*call, "--sep", ";", "--decimal", "."]) == 0, name
        capsys.readouterr()
        assert main([*call, "--sep", ";", "--decimal", ","]) == 2, name
        told = capsys.readouterr().err
        assert "'1.003'" in told
        assert "between thousands, write the numbers without them" in told
    with pytest.raises(InvalidInputError, match=r"'x1' of .*'1.003', which may be 1003 .* give decimal='.'"):
        read_in_chunks(points, "y", features=["x1", "x2"], sep=";")
    assert read_in_chunks(points, "y", features=["x2"], sep=";").features == ["x2"]
    assert pd.concat(csv_parts(points, 100, None, sep=";"))["x1"].iloc[-1] == read_table(points, sep=";")["x1"].iloc[-1]


@pytest.mark.slow
def test_decimal_points_beside_decimal_commas_are_refused_with_both_columns_whatever_sign_is_given(tmp_path, capsys):
    frame = load_simulation2().frame.round(4)
    plain, mixed = tmp_path / "plain.csv", tmp_path / "mixed.csv"
    frame.to_csv(plain, index=False)
    commas = frame.assign(x1=[f"{x}".replace(".", ",") for x in frame["x1"]])
    commas.to_csv(mixed, index=False, sep=";")
    ask = ["--label", "y", "--class0", "0", "--method", "lda", "--seed", "1"]
    models = {"matrix": str(tmp_path / "m.joblib"), "terms": str(tmp_path / "f.joblib")}
    assert main(["fit", str(plain), *ask, "--out", models["matrix"]]) == 0
    assert main(["fit", str(plain), "--formula", "y ~ x1 + x2", *ask[2:], "--out", models["terms"]]) == 0
    capsys.readouterr()
    calls = {
        "fit": ["fit", str(mixed), *ask],
        "formula": ["fit", str(mixed), "--formula", "y ~ x1 + x2", *ask[2:]],
        "predict": ["predict", models["matrix"], str(mixed)],
        "predict by formula": ["predict", models["terms"], str(mixed), "--label", "y"],
    }
    both = {
        ".": "column 'x1' has decimal commas, and column 'x2' has decimal points: with ",
        ",": "column 'x2' has decimal points, and column 'x1' has decimal commas: with ",
    }
    way_out = "all columns are read with commas, and otherwise with points. Write the file again with one decimal sign"
    for name, call in calls.items():
        for sign, told in {None: both["."], **both}.items():
            given = [] if sign is None else ["--decimal", sign]
            assert main([*call, "--sep", ";", *given]) == 2, name
            assert f"{told}--decimal ',' {way_out}" in capsys.readouterr().err, name
    for sign, told in {None: both["."], **both}.items():
        with pytest.raises(InvalidInputError, match=f"{told}decimal=',' {way_out}"):
            read_in_chunks(mixed, "y", sep=";", decimal=sign)
    # the other columns can be read
    for sign, column in {".": "x1", ",": "x2"}.items():
        assert main(["fit", str(mixed), *ask, "--sep", ";", "--decimal", sign, "--drop", column]) == 0


def test_both_signs_in_one_column_and_signs_between_thousands_are_told_of_that_column_alone():
    pointed = pd.Series([0.5, 1.25, 2.5])
    for texts in (["0.5", "1,5", "2.5"], ["1,234", "2,345", "10,001"], ["low", "high", "1,5"]):
        refuse_two_signs(pd.DataFrame({"a": texts, "b": pointed}), ".")
    for texts in (["0.5", "1,5", "2,5"], ["1.234", "2.345", "10.001"], ["1.234,5", "2,5", "3,5"]):
        refuse_two_signs(pd.DataFrame({"a": texts, "b": pointed}), ",")
    # no other column has decimals
    refuse_two_signs(pd.DataFrame({"a": ["0,5", "1,5"], "b": [1.0, 2.0]}))


def test_a_tab_can_be_written_as_a_backslash_and_t(tmp_path):
    path = tmp_path / "tabs.txt"
    load_simulation2().frame.to_csv(path, index=False, sep="\t")
    assert main(["fit", str(path), "--label", "y", "--class0", "0", "--sep", r"\t", "--seed", "1"]) == 0


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_beside_decimal_commas_the_separator_is_found_in_the_first_lines(tmp_path, capsys, sep, ending):
    frame = load_simulation2().frame
    path = tmp_path / f"german{ending}"
    # numbers with a comma stand within quotation marks where commas separate the columns
    frame.rename(columns={"x1": "a, b; c"}).to_csv(path, index=False, sep=sep, decimal=",")
    read = read_table(path, decimal=",")
    pd.testing.assert_frame_equal(read, frame.rename(columns={"x1": "a, b; c"}), check_exact=True)
    X, _ = next(iter(read_in_chunks(path, "y", decimal=",")))
    np.testing.assert_array_equal(X, frame[["x1", "x2"]])
    ask = ["fit", str(path), "--label", "y", "--class0", "0", "--seed", "1", "--decimal", ","]
    assert main(ask) == 0
    told = capsys.readouterr().out
    assert main([*ask, "--sep", sep]) == 0
    assert capsys.readouterr().out == told
    source = uploaded_source(path, "german.csv") if ending == ".csv" else None
    if source is not None:
        pd.testing.assert_frame_equal(source.frame, read, check_exact=True)
        assert "Numbers are read with decimal commas" in source.description
        assert eval(source.code[1], {"read_table": lambda _, **form: read_table(path, **form)}).equals(read)


@pytest.mark.parametrize("sep", [";", "\t", "|"])
@pytest.mark.parametrize(
    ("names", "row"),
    [
        (["x, a, b, c", "z", "y"], ["0,5", "3", "1"]),
        # the header has as many commas as separators, and so have the rows
        (["height, cm", "y"], ["1,63", "1"]),
        (["height, cm", "y"], ["163", "1"]),
        # each row has as many commas as the header, and fewer separators
        (["x, a, b", "y"], ["0,5", "1,5"]),
        (["x (a|b; c)", "u, v, w", "y"], ["0,5", "1", "0"]),
    ],
)
def test_commas_and_bars_in_names_are_no_separators_where_the_rows_show_another(tmp_path, sep, names, row):
    path = tmp_path / "named.csv"
    pd.DataFrame([row] * 30, columns=names).to_csv(path, index=False, sep=sep)
    wanted = [float(value.replace(",", ".")) for value in row]
    assert find_separator(path) == (sep, len(names))
    assert read_table(path, decimal=",").iloc[-1].to_dict() == dict(zip(names, wanted, strict=True))
    assert read_in_chunks(path, names[-1], decimal=",").features == names[:-1]
    assert uploaded_source(path, path.name).frame.columns.tolist() == names


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('dose (a|b),arm,y\n"1,5",x|u,0\n"2,5",x|v,1\n', ["dose (a|b)", "arm", "y"]),
        ("dose|unit,age,y\n3|mg,45,0\n5|mg,62,1\n", ["dose|unit", "age", "y"]),
        # the last of the first lines is within quotation marks
        ("a,b;y\n" + 19 * '"1,5",2;0\n' + '"1,5","see\nbelow"\n', ["a", "b;y"]),
    ],
)
def test_bars_in_names_and_rows_are_no_separators_where_commas_make_more_columns(tmp_path, text, columns):
    path = tmp_path / "named.csv"
    path.write_text(text)
    assert find_separator(path) == (",", len(columns))
    assert read_table(path, decimal=",").columns.tolist() == columns


def test_without_rows_that_show_a_separator_it_is_the_one_with_most_columns_in_the_header(tmp_path):
    path = tmp_path / "named.csv"
    for text, found in (
        ("a,b,c;d\n1\n", (",", 3)),
        ("height, cm;y\n", (";", 2)),
        ("a\n1,5\n", (",", 1)),
        ("", (",", 0)),
    ):
        path.write_text(text)
        assert find_separator(path) == found


def test_where_lines_do_not_fit_a_separator_that_was_found_the_other_one_of_the_header_is_named(tmp_path, capsys):
    path = tmp_path / "named.csv"
    path.write_text("x, a, b;y\n0;1;2\n")
    told = "and the header has 3.* The separator ',' was found in the first lines; give "
    with pytest.raises(InvalidInputError, match=f"{told}sep=';' if it is that"):
        read_in_chunks(path, "y", decimal=",")
    assert main(["fit", str(path), "--label", "y", "--decimal", ","]) == 2
    assert "was found in the first lines; give --sep ';' if it is that." in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match="and the header has 3") as caught:
        read_in_chunks(path, "y", sep=",", decimal=",")
    assert "was found" not in str(caught.value)


def test_quoted_commas_between_commas_that_may_stand_between_thousands_are_no_decimal_commas(tmp_path, capsys):
    frame, path = load_simulation2().frame, tmp_path / "thousands.csv"
    frame["x1"] = [f"{x:,}" for x in np.arange(len(frame)) * 7 + 100]
    frame["x2"] = np.arange(len(frame)) % 5
    frame.to_csv(path, index=False)
    ask = ["--label", "y", "--class0", "0", "--method", "lda", "--seed", "1"]
    told = "'1,003', which may be 1003 or a decimal number: each number with a comma has three digits behind it."
    for call in (
        ["fit", str(path), *ask],
        ["fit", str(path), "--formula", "y ~ x1 + x2", *ask[2:]],
        ["threshold", str(path), "--score", "x1", *ask[:4]],
    ):
        assert main([*call, "--decimal", ","]) == 2
        said = capsys.readouterr().err
        assert f"has numbers such as {told}" in said
        assert "If they are decimal commas, save the table with semicolons between its columns, and give" in said
    with pytest.raises(InvalidInputError, match=f"column 'x1' of .*{told}"):
        read_in_chunks(path, "y", decimal=",")
    parts = pd.concat(csv_parts(path, 100, None, decimal=","))
    assert parts["x1"].tolist() == read_table(path, decimal=",")["x1"].tolist() == frame["x1"].tolist()
    assert parts["x2"].tolist() == frame["x2"].tolist()
    # nobody is told to read them so
    assert main(["fit", str(path), *ask, "--drop", "x2"]) == 2
    way_out = "save the table with semicolons between its columns, and give --decimal ','."
    assert f"without them, or leave the column out. If they are decimal commas, {way_out}" in capsys.readouterr().err
    # other numbers show decimal commas
    frame.assign(x2="0,25").to_csv(path, index=False)
    assert read_table(path, decimal=",")["x1"].iloc[-1] == float(frame["x1"].iloc[-1].replace(",", "."))
    # between semicolons whoever says so is believed
    frame.to_csv(path, index=False, sep=";")
    assert read_table(path, decimal=",")["x1"].iloc[-1] == float(frame["x1"].iloc[-1].replace(",", "."))


def test_few_new_rows_of_a_saved_model_are_read_with_the_decimal_commas_that_are_given(tmp_path, capsys):
    path, new, model = tmp_path / "rows.csv", tmp_path / "new.csv", str(tmp_path / "m.joblib")
    frame = load_simulation2().frame.round(3)
    frame.to_csv(path, index=False, decimal=",")
    ask = ["--label", "y", "--class0", "0", "--method", "lda", "--seed", "1", "--decimal", ","]
    assert main(["fit", str(path), *ask, "--out", model]) == 0
    frame = pd.DataFrame({"x1": [4.513, 3.127], "x2": [3, 4]})
    said = []
    for sep in (",", ";"):
        frame.to_csv(new, index=False, sep=sep, decimal=",")
        capsys.readouterr()
        assert main(["predict", model, str(new), "--decimal", ","]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_of_a_long_file_the_first_rows_are_said_to_have_three_digits_behind_each_comma(tmp_path):
    path = tmp_path / "late.csv"
    rows = [f'"{1 + k % 8},{100 + k % 800}",{k % 2}\n' for k in range(csv_files.LOOK_ROWS)]
    path.write_text("".join(["a,y\n", *rows, '"2,5",1\n']))
    with pytest.raises(InvalidInputError, match=r"column 'a' in the first 10000 rows of .*three digits behind it"):
        read_in_chunks(path, "y", decimal=",")


def test_commas_in_doubt_are_told_of_semicolons_only_where_commas_separate_the_columns(tmp_path, capsys):
    frame = load_simulation2().frame.assign(x1=[f"{x:,}" for x in 1001 + 7 * np.arange(1000)], x2=1)
    ask = ["--label", "y", "--class0", "0"]
    for name, sep in (("s.csv", ";"), ("t.tsv", "\t"), ("b.csv", "|")):
        path, given = tmp_path / name, [] if sep == "\t" else ["--sep", sep]
        frame.to_csv(path, index=False, sep=sep)
        for call in (["fit", str(path), *ask, "--seed", "1"], ["threshold", str(path), "--score", "x1", *ask]):
            assert main([*call, *given]) == 2
            said = capsys.readouterr().err
            assert "If the column has decimal commas, give --decimal ','." in said
            assert "semicolons" not in said
        with pytest.raises(InvalidInputError, match=r"If they are decimal commas, give decimal=','\.$"):
            read_in_chunks(path, "y", sep=sep)
    path = tmp_path / "j.jsonl"
    frame.to_json(path, orient="records", lines=True)
    for given in ([], ["--decimal", ","]):
        assert main(["fit", str(path), *ask, *given]) == 2
        assert "If they are decimal commas, write the numbers with points." in capsys.readouterr().err
    # a column of scores cannot be left out
    assert main(["threshold", str(path), "--score", "x1", *ask]) == 2
    assert "leave the column out" not in capsys.readouterr().err


def test_numbers_with_points_that_are_read_with_decimal_commas_are_refused(tmp_path, capsys):
    path = tmp_path / "points.csv"
    load_simulation2().frame.to_csv(path, index=False)
    assert main(["fit", str(path), "--label", "y", "--class0", "0", "--decimal", ","]) == 2
    assert "If the column has decimal points, give --decimal '.'." in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match=r"decimal points, give decimal='\.'"):
        read_in_chunks(path, "y", decimal=",")


@pytest.mark.parametrize(("sep", "decimal"), [("::", "."), ("", "."), ('"', "."), ("§", "."), (".", "."), (";", "x")])
def test_signs_that_no_file_has_are_errors(tmp_path, sep, decimal):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n1,0\n")
    found = faces(path, sep, decimal)
    assert isinstance(found["table"], str)
    assert found["table"] == found["chunks"] == found["parts"]


@pytest.mark.slow
@pytest.mark.parametrize("scan_bytes", [1, 7, 1 << 20])
def test_odd_files_are_read_as_the_standard_library_does_or_refused(tmp_path, monkeypatch, scan_bytes):
    import csv
    import io

    monkeypatch.setattr(csv_lines, "SCAN_BYTES", scan_bytes)
    rng, path, n_read = random.Random(scan_bytes), tmp_path / "rows.csv", 0
    fields = ["1", "a", '"b"', '"c,d"', '"e\nf"', '"g""h"', '5" x', '""', "", ' "k"', '"i\r\nj"', '"x" y']
    for _ in range(300):
        n_columns, end = rng.randint(2, 3), rng.choice(["\n", "\r\n", "\r"])
        lines = [",".join(["h", "i", "j"][:n_columns])]
        for _ in range(rng.randint(1, 6)):
            n_fields = n_columns if rng.random() < 0.97 else rng.randint(1, 4)
            lines.append(",".join(rng.choice(fields[: 8 if rng.random() < 0.97 else 12]) for _ in range(n_fields)))
        text = end.join(lines) + rng.choice(["", end, 2 * end])
        path.write_bytes(text.encode())
        try:
            table = CSVTable(path, n_block=2)
        except InvalidInputError:
            continue
        n_read += 1
        expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row][1:]
        plain = {"dtype": str, "keep_default_na": False}
        blocks = [table.read_block(block, **plain) for block in range(len(table.places) - 1)]
        assert table.read(**plain).to_numpy().tolist() == expected
        read = pd.concat([block for block in blocks if len(block)] or blocks)
        assert read.index.tolist() == [row for row in range(len(expected)) if row not in table.empty]
        assert read.to_numpy().tolist() == [expected[row] for row in read.index]
        assert all((block.index // 2 == number).all() for number, block in enumerate(blocks))
        assert table.n_rows == len(expected)
    assert n_read > 150


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sep=;\ny;a\n0;1.5\n", "Excel's separator line \\(';'\\).*Remove this line. Then give sep=';'"),
        ('"sep=,"\ny,a\n0,1.5\n', "Excel's separator line \\(','\\)"),
        ("# of 2024\ny,a\n0,1.5\n", "Line 1 begins with '#', and is taken for the header"),
        ('"y" "a"\n"1" 0 1.5\n', "separated by blanks, as R's write.table does"),
    ],
)
def test_a_first_line_that_is_no_header_is_told(tmp_path, text, message):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_lines(path, ",")


def test_a_column_may_be_called_sep_or_begin_with_a_hash(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("#id,sep=\n1,2\n")
    assert read_lines(path, ",").columns == ["#id", "sep="]


def test_blank_lines_at_the_end_of_a_single_column_are_no_rows_in_silence(tmp_path):
    path = tmp_path / "one.csv"
    for end, told in (("", None), ("\n", None), ("\n\n", "line 4 is blank"), ("\n\n\n \n", "line 4 is blank")):
        path.write_text("a\n1\n2" + end)
        if told is None:
            assert read_table(path)["a"].tolist() == [1, 2]
        else:
            with pytest.raises(InvalidInputError, match=f"{told}. In a file with one column"):
                read_table(path)
    path.write_text("a,b\n1,2\n\n\n")
    assert len(read_table(path)) == 1


def test_rows_without_anything_are_skipped_and_told_and_the_others_keep_their_numbers(tmp_path, capsys):
    rng = np.random.default_rng(4)
    lines = [f"{rng.normal() + 2 * (j % 2):.6f};{j % 7};{'ny'[j % 2]}" for j in range(200)]
    lines[150] = lines[150].replace(";n", ";k.A.;n").replace(f"{lines[150].split(';')[1]};k.A.", "k.A.")
    blank = [*lines[:90], ";;", *lines[90:], '"";"";""', " ; \t;"]
    words = ["--label", "y", "--class0", "y", "--alpha", "0.1", "--seed", "1", "--method", "lda", "--sep", ";"]
    told = "3 of the 203 rows of the file have nothing in any column and are skipped."
    for name, rows in (("whole", lines), ("blank", blank)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["a;b;y", *rows]) + "\n", encoding="utf-8")
        assert (told in uploaded_source(path, path.name).description) is (name == "blank")
        assert main(["fit", str(path), *words]) == 2
        err = capsys.readouterr().err
        assert f"'k.A.' in row {151 + (name == 'blank')}" in err
        assert (f"note: {told}" in err) is (name == "blank")
        path.write_text(path.read_text("utf-8").replace("k.A.", "3"), encoding="utf-8")
    frames = [read_table(tmp_path / name, sep=";") for name in ("whole.csv", "blank.csv")]
    # whole numbers stay so
    pd.testing.assert_frame_equal(frames[1].reset_index(drop=True), frames[0])
    assert frames[1].index[[89, 90]].tolist() == [89, 91]
    results = []
    for name in ("whole", "blank"):
        path, model, out = (str(tmp_path / f"{name}{ending}") for ending in (".csv", ".joblib", ".txt"))
        assert main(["fit", path, *words, "--out", model, "--json"]) == 0
        results.append(capsys.readouterr().out)
        assert main(["predict", model, path, "--sep", ";", "--out", out]) == 0
        results.append(pd.read_csv(out, sep=";"))
        assert main(["predict", model, path, "--sep", ";", "--keep", "a", "--out", out]) == 0
        results.append(pd.read_csv(out, sep=";"))
        capsys.readouterr()
    assert results[0] == results[3]
    pd.testing.assert_frame_equal(results[2], results[5])
    pd.testing.assert_series_equal(results[1]["predicted"], results[4]["predicted"])
    assert results[4]["row"].tolist() == [*range(1, 91), *range(92, 202)]


def test_infinity_beside_a_gap_is_read_without_a_warning(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\ninf,2\n,4\n", encoding="utf-8")
    assert read_table(tmp_path / "a.csv")["a"].tolist()[:2] == [1, np.inf]


@pytest.mark.slow
@pytest.mark.parametrize("scan_bytes", [1, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_parts_of_a_file_have_no_rows_without_anything(tmp_path, monkeypatch, end, scan_bytes):
    monkeypatch.setattr(csv_lines, "SCAN_BYTES", scan_bytes)
    for sep, empty, ending in itertools.product(",\t ", ("", '""', " "), ("csv", "csv.gz")):
        if sep == empty:
            continue
        nothing = sep.join([empty, empty])
        lines = [f"a{sep}b", f"1{sep}2", nothing, f"3{sep}4", f'5{sep}"6"', nothing, f"7{sep}8"]
        for at_end in ([], [nothing]):
            text = end.join([*lines, *at_end, ""]).encode()
            path = tmp_path / f"a.{ending}"
            path.write_bytes(gzip.compress(text) if ending == "csv.gz" else text)
            told = []
            parts = list(csv_parts(path, 2, None, sep=sep, tell=told.append))
            assert [part.index.tolist() for part in parts] == [[0, 2], [3, 5]]
            assert pd.concat(parts)["b"].tolist() == [2, 4, 6, 8]
            n = 2 + len(at_end)
            assert told == [f"{n} of the {4 + n} rows of the file have nothing in any column and are skipped."]
            frame = pd.DataFrame({"a": [0, 2, 3, 5]})
            ((_, kept),) = with_kept([frame], path, ["b"], sep=sep)
            assert kept["b"].tolist() == ["2", "4", "6", "8"]
            with pytest.warns(NPWarning, match=f"{n} of the {4 + n} rows of .* and are skipped, the first in row 2."):
                rows = read_in_chunks(path, "b", sep=sep, chunk_size=3)
            assert [(X["a"].tolist(), y.tolist()) for X, y in rows] == [([1, 3, 5], [2, 4, 6]), ([7], [8])]
            assert rows.n_rows == 4
            assert [row_in_file(rows, number) for number in range(4)] == [0, 2, 3, 5]
            for part in rows.split(0.5, random_state=3):
                places = [row_in_file(part, number) for number in range(part.n_rows)]
                assert [label for y in part.labels() for label in y] == [
                    {0: 2, 2: 4, 3: 6, 5: 8}[row] for row in places
                ]


def test_rows_without_anything_in_a_file_of_many_blocks_change_no_number_of_a_row(tmp_path):
    path = tmp_path / "a.csv"
    lines = [f"{row},{row % 2}" for row in range(800)]
    lines[100] = ","
    path.write_text("a,y\n" + "\n".join([*lines[:600], *[","] * 300]) + "\n", encoding="utf-8")
    with pytest.warns(NPWarning, match="301 of the 900 rows"):
        rows = read_in_chunks(path, "y", chunk_size=256)
    assert np.concatenate([X["a"] for X in rows.rows()]).tolist() == [row for row in range(600) if row != 100]
    assert sorted(np.concatenate([X["a"] for X, _ in rows.shuffled(1)])) == [row for row in range(600) if row != 100]
    source, _ = rows.origin
    assert [len(X) for _, X, _ in source.read(0, 256, "X")] == [255]
    path.write_text("a,y\n,\n,\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has no rows"):
        read_in_chunks(path, "y")


def test_a_gap_among_whole_numbers_beyond_63_bits_is_missing(tmp_path):
    values = [str(2**63), "", str(2**64 - 1), "NA", "7"]
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{value},1\n" for value in ["k", *values]), encoding="utf-8")
    for frame in (read_table(path), *csv_parts(path, 5, None), uploaded_source(path, path.name).frame):
        assert frame["k"].isna().tolist() == [False, True, False, True, False]
        assert frame["k"].dropna().tolist() == [str(2**63), str(2**64 - 1), "7"]


def test_a_quoted_blank_is_a_value_of_its_column_if_the_row_has_others(tmp_path):
    (tmp_path / "a.csv").write_text('a,b\n1,x\n2," "\n"", \n', encoding="utf-8")
    assert read_table(tmp_path / "a.csv").to_numpy().tolist() == [[1, "x"], [2, " "]]
