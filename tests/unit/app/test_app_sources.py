"""nproc.app.data: uploads and samples, and what is said of bad files."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from nproc import NPROCBand
from nproc.app.data import (
    MAX_BYTES,
    MAX_COLUMNS,
    SAMPLES,
    check_size,
    make_plan,
    page_words,
    sample_source,
    uploaded_source,
)
from nproc.app.page import spelled_alike
from nproc.app.seen_rows import same_rows
from nproc.errors import InvalidInputError


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("age,default\n1.5,yes\n2,no\n", "a.csv"),
        ("age;default\n1.5;yes\n2;no\n", "b.csv"),
        ("age\tdefault\n1.5\tyes\n2\tno\n", "c.tsv"),
        ("age\tdefault\n1.5\tyes\n2\tno\n", "d.txt"),
        ("\ufeffage,default\n1.5,yes\n2,no\n", "e.csv"),
    ],
)
def test_the_separator_is_found_and_the_code_reads_the_same_table(upload, content, name, tmp_path, monkeypatch):
    source = upload(content, name)
    assert source.frame["age"].tolist() == [1.5, 2.0]
    assert source.frame["default"].tolist() == ["yes", "no"]
    (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec("\n".join([source.code[0], f"frame = {source.code[1]}"]), names)
    pd.testing.assert_frame_equal(names["frame"], source.frame)


@pytest.mark.parametrize("values", [["1,234", "12,345,678"], ["1.234,5", "2,5"], ["1,5", "2.5"]])
def test_numbers_that_fit_no_decimal_sign_are_refused_and_never_categories(upload, values):
    source = upload("x;z;y\n" + "".join(f"{value};0,5;{k}\n" for k, value in enumerate(values)))
    usable, texts, reasons = source.predictors("y")
    assert "x" in reasons
    assert texts == []
    assert "x" not in usable


def test_a_column_with_points_between_thousands_is_named_alone_and_the_others_are_read_with_decimal_commas(upload):
    source = upload("plas;mass;pedi;y\n" + "".join(f"1.48{k},0;33,{k};0,62{k};{k % 2}\n" for k in range(9)))
    assert source.frame["mass"].tolist() == [33 + k / 10 for k in range(9)]
    usable, texts, reasons = source.predictors("y")
    assert (usable, texts) == (["mass", "pedi"], [])
    assert reasons == {
        "plas": "column 'plas' is text that looks like numbers with points between thousands, such as '1.480,0' in row "
        "1. Write the numbers without these points, or leave the column out."
    }
    assert source.description == "Numbers are read with decimal commas: '33,0' in 'mass' is 33."


def test_the_columns_with_points_are_named_where_others_have_decimal_commas(upload):
    source = upload("a;b;y\n" + "".join(f"1,{k};0.{k};{k % 2}\n" for k in range(9)))
    assert source.frame["b"].tolist() == [k / 10 for k in range(9)]
    assert list(source.predictors("y")[2]) == ["a"]
    assert source.predictors("y")[2]["a"].endswith(
        "If the column has decimal commas, write all numbers of the table with them: those of 'b' have points."
    )
    quoted = upload('a,b,y\n"1,5",0.5,0\n"2,5",1.5,1\n')
    assert quoted.predictors("y")[2]["a"].endswith(
        "write all numbers of the table with them: those of 'b' have points."
    )
    # within quotation marks between commas, three digits may be thousands, unless other numbers show decimal commas
    thousands = 'a,b,y\n"1,500","{0}",0\n"2,750","{0}",1\n'
    quoted = upload(thousands.format(7))
    assert quoted.predictors("y")[2]["a"].endswith("save the table with semicolons or tabs between its columns.")
    with pytest.raises(InvalidInputError, match=r"No column can be a predictor\. Column 'a' is text that looks like"):
        make_plan(upload('a,y\n"1,500",0\n"2,750",1\n'), label="y", class0="0", features=[], methods=["lda"], alpha=0.1)
    assert upload(thousands.format("0,25")).frame["a"].tolist() == [1.5, 2.75]


GERMAN = [f"{k % 7};33,{k};0,6{10 + k};{'ab'[k % 2]}" for k in range(60)]


def german(*changes):
    """A table in German format with decimal commas in two columns, in which some texts are put in place of others."""
    content = "preg;mass;pedi;y\n" + "\n".join(GERMAN) + "\n"
    for old, new in changes:
        content = content.replace(old, new)
    return content


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("33,5;", "k.A.;")], {"mass": "1 of its 60 values is not a number ('k.A.' in row 6). Correct it,"}),
        (
            [("0,612", "<0,1"), ("0,618", "<0,1")],
            {"pedi": "2 of its 60 values are not numbers ('<0,1' in row 3, '<0,1' in row 9). Correct them,"},
        ),
        (
            [("y\n", "y\n;kg/m2;;a\n")],
            {"mass": "1 of its 61 values is not a number ('kg/m2' in row 1). Correct it,"},
        ),
        (
            [("y\n", "y\n;kg/m2;Punkte;a\n")],
            {
                "mass": "1 of its 61 values is not a number ('kg/m2' in row 1). Correct it,",
                "pedi": "1 of its 61 values is not a number ('Punkte' in row 1). Correct it,",
            },
        ),
        # three digits behind a comma are decimals, with a 0 before it and without
        (
            [("0,6", "1,6"), ("1,612", "k.A.")],
            {"pedi": "1 of its 60 values is not a number ('k.A.' in row 3). Correct"},
        ),
    ],
    ids=["one cell", "below a limit", "a line of units", "no column of numbers is left", "three decimals"],
)
def test_cells_of_text_make_their_column_unusable_and_no_other_one_with_decimal_commas(upload, changes, told):
    source = upload(german(*changes))
    usable, texts, reasons = source.predictors("y")
    assert (source.decimal, texts) == (",", [])
    assert sorted(usable) == sorted({"preg", "mass", "pedi"} - set(told))
    for column, said in told.items():
        assert reasons[column].startswith(f"column {column!r} is text because {said}")


@pytest.mark.parametrize("word", ["", "stage "])
def test_a_column_of_stages_is_never_coded_in_silence_and_is_read_as_categories_as_the_message_says(upload, word):
    lines = [f"{k / 7:.3f},{word}{['1', '2', '3', '4', '4S'][k % 5]},{'ab'[k % 2]}" for k in range(50)]
    usable, texts, reasons = upload("x,stage,y\n" + "\n".join(lines) + "\n").predictors("y")
    if word:
        assert (usable, texts, reasons) == (["x", "stage"], ["stage"], {})
        return
    assert (usable, texts) == (["x"], [])
    assert reasons["stage"] == (
        "column 'stage' is text because 10 of its 50 values are not numbers (such as '4S' in row 5). Correct them, or "
        "leave the cell empty where the value is missing. If the values are codes, such as the stages of a disease, "
        "write a word before every one of them, as in 'stage 1' and 'stage 4S'. The column is then read as categories."
    )


def test_a_column_with_too_many_different_values_for_categories_is_not_told_to_be_codes(upload):
    lines = [f"{k / 7:.3f},{'k.A.' if k == 3 else k},{'ab'[k % 2]}" for k in range(60)]
    reason = upload("x,z,y\n" + "\n".join(lines * 2) + "\n").predictors("y")[2]["z"]
    assert "2 of its 120 values are not numbers" in reason
    assert "codes" not in reason


def test_a_row_in_a_message_is_that_of_the_file_also_where_rows_without_a_label_are_left_out(upload):
    source = upload(german(("0,611;b", "0,611;"), ("33,5;", "k.A.;"))).without_unlabelled("y")
    assert len(source.frame) == 59
    assert "('k.A.' in row 6)" in source.predictors("y")[2]["mass"]


@pytest.mark.parametrize("text", ["{},5 %", "{} 234,5", "{} %"])
@pytest.mark.parametrize("sep", [";", ","])
def test_numbers_with_other_signs_are_named_and_are_no_categories(upload, sep, text):
    lines = [f"1,{k};{text.format(k % 5 + 1)};{'ab'[k % 2]}" for k in range(20)]
    text, *lines = [line if sep == ";" else line.replace(",", ".").replace(";", sep) for line in [text, *lines]]
    source = upload(sep.join(["x", "rate", "y"]) + "\n" + "\n".join(lines) + "\n")
    usable, texts, reasons = source.predictors("y")
    assert (usable, texts) == (["x"], [])
    assert reasons["rate"] == (
        f"column 'rate' is text that looks like numbers, such as {text.format(1)!r} in row 1. Write plain numbers."
    )


def test_few_different_numbers_with_decimals_are_no_categories_though_most_cells_are_text(upload):
    for sep, sign in ((";", ","), (",", ".")):
        rows = [[f"1{sign}{k}", f"{k % 5}{sign}5" if k % 3 == 0 else "k.A.", "ab"[k % 2]] for k in range(40)]
        source = upload("".join(sep.join(row) + "\n" for row in [["x", "z", "y"], *rows]))
        assert source.predictors("y")[:2] == (["x"], [])
        assert "26 of its 40 values are not numbers (such as 'k.A.' in row 2)" in source.predictors("y")[2]["z"]


AMOUNTS = [480, 701, 1169, 5951, 2096, 7882, 999, 1500, 6948, 12345]
RATES = [k + 0.25 for k in range(10)]


def with_points(sep=";", rates=True):
    """Rows in German format: points between thousands, and decimal commas in another column."""
    lines = [f"{amount:,}".replace(",", ".") for amount in AMOUNTS]
    lines = [f"{line}{sep}{k % 3}" for k, line in enumerate(lines)]
    if rates:
        lines = [line + sep + str(rate).replace(".", ",") for line, rate in zip(lines, RATES, strict=True)]
    head = ["amount", "z", *["rate"] * rates, "y"]
    return "\n".join([sep.join(head), *(f"{line}{sep}{'ab'[k % 2]}" for k, line in enumerate(lines))]) + "\n"


def test_points_that_may_stand_between_thousands_are_never_read_as_decimal_points(upload):
    source = upload(with_points())
    assert source.predictors("y")[0] == ["z", "rate"]
    assert source.frame["rate"].tolist() == RATES
    told = source.predictors("y")[2]["amount"]
    assert told.startswith("column 'amount' is text that looks like numbers with points, such as '1.169' in row 3. If")
    assert "between thousands, write the numbers without them, or leave the column out." in told
    # without another column with decimal commas both readings are named, and the way out that is offered works
    content = with_points(rates=False)
    usable, _, reasons = upload(content).predictors("y")
    assert usable == ["z"]
    assert reasons["amount"].startswith("column 'amount' has numbers such as '1.169', which may be 1169 or a decimal")
    assert reasons["amount"].endswith("write one of the numbers with more digits, such as 1.1690.")
    assert upload(content.replace("1.169", "1.1690")).frame["amount"].tolist()[2:4] == [1.169, 5.951]
    assert upload(content.replace(".", "")).frame["amount"].tolist() == AMOUNTS


@pytest.mark.parametrize(
    "values",
    [
        ["1.169", "5.951", "2.5", "7"],
        ["1.169", "5.951", "0.123", "7"],
        ["0.111", "0.222"],
        ["7", "1.169"],
    ],
    ids=["other digits", "a leading zero", "below one", "one value"],
)
def test_numbers_with_three_decimals_are_read_where_nothing_speaks_against_it(upload, values):
    source = upload("x;y\n" + "".join(f"{value};{k % 2}\n" for k, value in enumerate(values)))
    assert source.frame["x"].tolist() == [float(value) for value in values]


def test_amounts_of_a_thousand_and_more_alone_are_in_doubt_unless_another_column_has_decimal_points(upload):
    def read(sep, other):
        lines = [sep.join([value, other, "ab"[k % 2]]) for k, value in enumerate(["1.169", "5.951", "2.000"])]
        return upload("\n".join([sep.join("xzy"), *lines]) + "\n")

    assert read(";", "3").predictors("y")[2]["x"].startswith("column 'x' has numbers such as '1.169', which may be")
    assert read(";", "3.5").frame["x"].tolist() == [1.169, 5.951, 2.0]
    assert read(",", "3").frame["x"].tolist() == [1.169, 5.951, 2.0]


def test_rows_are_known_again_from_a_file_with_points_between_thousands(upload):
    plain = pd.DataFrame({"amount": AMOUNTS, "z": np.arange(10) % 3, "rate": RATES, "y": list("ab" * 5)})
    for content in (with_points(), with_points(rates=False)):
        marks = upload(content).marks_of_rows("y")
        assert same_rows(upload(plain.to_csv(index=False)).marks_of_rows("y"), marks)
        assert not same_rows(
            upload(plain.assign(z=plain.z[::-1].to_numpy()).to_csv(index=False)).marks_of_rows("y"), marks
        )


def test_folders_in_the_name_of_a_file_are_dropped(tmp_path):
    path = tmp_path / "0.csv"
    path.write_text("x,y\n1,0\n", encoding="utf-8")
    source = uploaded_source(path, "../../etc/loans.csv")
    assert (source.name, source.code[1]) == ("loans.csv", "read_table('loans.csv')")


def test_a_comma_inside_quotes_is_no_separator(upload):
    assert upload('"a, b, c";y\n1;0\n').frame.columns.tolist() == ["a, b, c", "y"]


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "loans.csv", "loans.csv is empty"),
        (b"age,y\n", "loans.csv", "loans.csv has a header but no rows"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "loans.csv", "loans.csv cannot be read as CSV: line 3 holds binary data"),
        (
            b"age,y\n1,\xe9t\x81\n",
            "loans.csv",
            "loans.csv cannot be read as CSV: line 2 .*Save the table as CSV in the encoding UTF-8",
        ),
        (b"PK\3\4", "loans.xlsx", "loans.xlsx does not end in .csv"),
        (b"just text\nmore text\n", "loans.csv", "loans.csv has a single column"),
        (b"a,b\n1,2\n1,2,3,4\n", "loans.csv", "loans.csv cannot be read as CSV"),
        (b"a" * 200_000 + b"\n1\n", "loans.csv", "the first line of loans.csv cannot be read as column names"),
        (b"a,a\n1,2\n", "loans.csv", "several columns of the name"),
    ],
)
def test_a_bad_file_is_refused_under_its_own_name(upload, content, name, message):
    with pytest.raises(InvalidInputError, match=message) as error:
        upload(content, name)
    assert "/0." not in str(error.value)
    assert " --" not in str(error.value)


@pytest.mark.parametrize(("cells", "kind"), [([1.5, 2.5, 1.0], None), (["ab", "cd", "ab"], ())])
def test_new_rows_may_have_the_one_predictor_of_a_fit_alone(tmp_path, cells, kind):
    path = tmp_path / "new.csv"
    pd.DataFrame({"dose": cells}).to_csv(path, index=False)
    source = uploaded_source(path, "new.csv", {"dose": kind})
    assert source.frame["dose"].tolist() == cells
    # the page looks for a label in each file
    assert source.likely_predictors(source.likely_label) == []


@pytest.mark.parametrize("sign", [".", ","])
def test_a_file_in_the_encoding_of_excel_is_read_and_told_with_letters_by_which_to_judge(upload, tmp_path, sign):
    frame = pd.DataFrame({"größe": [0.5, 1.5, 2.5], "ward": ["east", "nörd", "east"], "y": [0, 1, 1]})
    signs = {"index": False, "sep": {".": ",", ",": ";"}[sign], "decimal": sign}
    source = upload(frame.to_csv(**signs).encode("cp1252"), "excel.csv")
    pd.testing.assert_frame_equal(source.frame, frame, check_dtype=False)
    assert source.description.startswith(
        "The file is not in UTF-8 and is read as Windows-1252, in which Excel writes CSV files: 'nörd' in 'ward'. If "
        "letters are wrong, save the table as CSV in the encoding UTF-8 and upload it again."
    )
    assert ("read with decimal commas" in source.description) == (sign == ",")
    assert source.code[1].endswith(", encoding='cp1252')")
    # in the name of a column alone
    source = upload(frame.drop(columns="ward").to_csv(**signs).encode("cp1252"), "excel.csv")
    assert "CSV files: the column 'größe'. If" in source.description
    assert upload(frame.to_csv(**signs), "utf.csv").code[1].find("encoding") == -1
    # one broken letter does not make two letters of each of the others
    broken = frame.to_csv(**signs).encode().replace("nörd".encode(), b"n\xf6rd")
    with pytest.raises(InvalidInputError, match=r"utf.csv cannot .* line 3 holds the byte 0xf6, which is no UTF-8"):
        upload(broken + signs["sep"].join(["1", "süß", "1\n"]).encode(), "utf.csv")
    # what is wrong in either encoding
    twice = frame.to_csv(**signs).replace("ward", "größe").encode("cp1252")
    with pytest.raises(InvalidInputError, match=r"twice.csv .*'größe'"):
        upload(twice, "twice.csv")
    with pytest.raises(InvalidInputError, match=r"mark.csv .*no UTF-8"):
        upload(b"\xef\xbb\xbf" + frame.to_csv(**signs).encode("cp1252"), "mark.csv")


def test_a_file_above_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "0.csv"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # takes no room on the disk
    with pytest.raises(InvalidInputError, match=r"large\.csv has 200 MB and was not read"):
        uploaded_source(path, "large.csv")
    check_size("fits.csv", MAX_BYTES)


def test_a_file_with_too_many_columns_is_refused_by_its_first_line(upload, monkeypatch):
    names = ",".join(f"x{j}" for j in range(MAX_COLUMNS + 1))
    with monkeypatch.context() as patch:
        patch.setattr("nproc.app.data.read_table", None)
        with pytest.raises(
            InvalidInputError, match=r"loans\.csv has 2001 columns and was not read: the page takes at most"
        ):
            upload(f"{names}\n1\n")
    fewer = names.rpartition(",")[0]
    assert upload(f"{fewer}\n{'1,' * (MAX_COLUMNS - 1)}1\n").frame.shape == (1, MAX_COLUMNS)


def test_messages_about_tables_speak_of_no_options(upload):
    tables = {
        "neither numbers nor text": "id,y\n" + "".join(f"person {j},{j % 2}\n" for j in range(60)),
        "decimal commas": 'x,y\n"1,500",a\n"2,500",b\n',
        "mark of the separator": "sep=;\nx;y\n1;a\n",
        "some are no numbers": "x,y\n1,a\n2,b\n3,a\n4,b\nx,a\n",
    }
    said = []
    for content in tables.values():
        try:
            said += upload(content).predictors("y")[2].values()
        except InvalidInputError as error:
            said.append(str(error))
    assert len(said) == len(tables)
    assert [text for text in said if re.search(r"--[a-z]|sep=|decimal=", text)] == []


@pytest.mark.parametrize("key", SAMPLES)
def test_a_sample_names_its_label_and_class_0(key):
    source = sample_source(key)
    assert source.likely_label == source.label
    assert source.class0 in source.labels(source.label).first
    names = {}
    exec("\n".join([source.code[0], f"frame = {source.code[1]}"]), names)
    pd.testing.assert_frame_equal(names["frame"], source.frame)


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({"y": [0, 1, 0], "sex": [1, 0, 1], "x": [1, 2, 3]}, "y"),
        ({"x": [1, 2, 3], "paid": ["a", "b", "a"]}, "paid"),
        ({"x": [1, 2, 3], "z": [4, 5, 6]}, "z"),
        # of two that are as likely the one with two spellings comes first
        ({"sick": ["a", "b", "a"], "died": ["yes", "Yes ", "no"], "x": [1, 2, 3]}, "sick"),
        ({"status": ["yes", "Yes ", "no"], "outcome": ["a", "b", "a"], "x": [1, 2, 3]}, "outcome"),
        ({"sick": ["a", "b", "a"], "status": ["yes", "Yes ", "no"], "x": [1, 2, 3]}, "status"),
        ({"sex": ["f", "m", "f"], "x": [1, 2, 3], "test": ["+", "-", "-"]}, "test"),
        ({"sex": ["f", "m", "f", "m"], "x": [1, 2, 3, 4], "test": ["+", "-", "-", "?"]}, "sex"),
    ],
)
def test_the_likely_label_has_two_values_or_is_the_last_column(upload, columns, label):
    assert upload(pd.DataFrame(columns).to_csv(index=False)).likely_label == label


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (["Yes", "YES", "yes", "No", "NO", "no"], "capital letters: 'NO', 'No' and 'no'; 'YES', 'Yes' and 'yes'."),
        (["Yes", "Yes ", "No", "No "], "spaces: 'No' and 'No '; 'Yes' and 'Yes '."),
        (["not  ill", "not ill", "ill"], "spaces: 'not  ill' and 'not ill'. The other is 'ill'."),
        (["Yes", "yes ", "No"], "capital letters or spaces: 'Yes' and 'yes '. The other is 'No'."),
        (["Yes", "yes", "No", "No "], "capital letters or spaces: 'No' and 'No '; 'Yes' and 'yes'."),
    ],
)
def test_labels_in_several_spellings_are_told_with_their_values_in_quotes_and_what_to_do(upload, labels, what):
    rows = "".join(f"{'ab'[j % 2]},{j}.5,{label}\n" for j, label in enumerate(labels * 2))
    source = upload(f"sex,age,sepsis\n{rows}")
    # the column that is meant is the label at first, and the page says what is wrong with it
    assert source.likely_label == "sepsis"
    told = source.values["sepsis"].not_two("sepsis")
    assert told.startswith(f"The column 'sepsis' has {len(labels)} distinct values. A label needs exactly two.")
    assert f"Some of them differ only in {what}" in told
    assert told.endswith("Spell each label in one way in the file, and upload it again.")
    # Fit says the same
    with pytest.raises(InvalidInputError) as caught:
        make_plan(source, label="sepsis", class0="Yes", features=["age"], methods=["lda"], alpha=0.1)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (["gesund", "unklar"], "The others are 'gesund' and 'unklar'."),
        ("abcdefg", "The others are 'a', 'b', 'c', 'd', 'e' and 2 more."),
    ],
)
def test_beside_labels_in_several_spellings_the_other_ones_are_named_at_once(upload, others, told):
    labels = ["krank", "Krank", "krank ", *others]
    values = upload("x,y\n" + "".join(f"{j},{label}\n" for j, label in enumerate(labels))).values["y"]
    way_out = "Spell each label in one way in the file, leave the rows of two labels in it, and upload it again."
    assert values.not_two("y").endswith(f"'Krank', 'krank' and 'krank '. {told} {way_out}")


def test_two_labels_that_may_be_one_in_two_spellings_are_warned_of(upload):
    source = upload("age,sex,sick\n" + "".join(f"{j},{'fm'[j % 3 % 2]},{('Yes', 'yes')[j % 2]}\n" for j in range(9)))
    assert source.likely_label == "sex"
    shown = " ".join(html.unescape(str(spelled_alike("sick", source.values["sick"]))).split())
    assert "Both labels of 'sick' differ only in capital letters: 'Yes' and 'yes'. If they mean the same" in shown
    assert spelled_alike("sex", source.values["sex"]) is None


def test_another_column_is_asked_for_where_a_label_has_other_than_two_values(upload):
    source = upload("y,grade,k\n" + "".join(f"a,{'ABC'[j % 3]},{j % 7}\n" for j in range(9)))
    way = "A label needs exactly two. Choose another column."
    assert source.values["y"].not_two("y") == f"The column 'y' has 1 distinct value ('a'). {way}"
    assert source.values["k"].not_two("k").endswith(f" has 7 distinct values (0, 1, 2, 3, 4 and 2 more). {way}")


def test_of_three_labels_two_must_be_left_whether_or_not_some_are_missing(upload):
    told = (
        "The column 'grade' has 3 distinct values ('A', 'B', 'C'). A label needs exactly two. Leave the rows of two "
        "labels in the file and upload it again, or choose another column. For more than two classes the command line "
        "has npc multiclass."
    )
    for grades in ("ABC", ["A", "B", "C", ""]):
        source = upload("x,grade\n" + "".join(f"{j}.5,{grades[j % len(grades)]}\n" for j in range(12)))
        with pytest.raises(InvalidInputError) as caught:
            make_plan(source, label="grade", class0="A", features=["x"], methods=["lda"], alpha=0.1)
        assert str(caught.value) == told
    # a column with two values is the label at first, wherever it stands
    rows = "".join(f"{j % 2},{j}.5,{'ABC'[j % 3]}\n" for j in range(12))
    source = upload(f"sick,x,diagnosis\n{rows}")
    assert source.likely_label == "sick"
    assert source.label_told == (
        "The last column, 'diagnosis', has 3 distinct values (A, B, C), and a label has two: 'sick' is chosen at "
        "first. Choose the one that you mean."
    )
    assert upload(f"sick,x,diagnosis\n{re.sub('[BC]', 'A', rows)}").label_told == (
        "The last column, 'diagnosis', has a single value (A) in all rows, and a label has two: 'sick' is chosen at "
        "first. Choose the one that you mean."
    )
    assert upload(f"y,x,diagnosis\n{rows}").label_told == ""
    # numbers of three stages may be a label as well, also with gaps, and a measurement is none
    stages = f"sick,x,stage\n{rows}".translate({65: "1", 66: "2", 67: "3"})
    for table in (stages, f"{stages}1,2.5,\n"):
        assert "The last column, 'stage', has 3 distinct values (1, 2, 3)" in upload(table).label_told
    assert upload(stages.replace("3\n", "1.5\n")).label_told == ""


def test_a_last_column_of_two_labels_and_a_mark_of_gaps_is_the_label_and_the_mark_is_told(upload):
    source = upload(
        "smoker,age,sick\n" + "".join(f"{'yn'[j % 2]},{j},{['no', 'yes', '-'][j % 3]}\n" for j in range(12))
    )
    assert (source.likely_label, source.label_told) == ("sick", "")
    assert source.values["sick"].not_two("sick") == (
        "The column 'sick' has 3 distinct values ('-', 'no', 'yes'). A label needs exactly two. If '-' means that the "
        "label is missing, leave those cells of the file empty and upload it again."
    )


def test_columns_that_cannot_predict_come_with_the_reason(upload):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "id": [f"person {j}" for j in range(60)],
            "age": rng.normal(size=60),
            "job": rng.choice(["cook", "clerk"], 60),
            "y": np.arange(60) % 2,
        }
    )
    usable, texts, unusable = upload(table.to_csv(index=False)).predictors("y")
    assert (usable, texts, list(unusable)) == (["age", "job"], ["job"], ["id"])
    assert unusable["id"].endswith("too many to be categories (at most 50).")
    twice = pd.concat([table, table]).rename(columns={"id": "by whom"})
    told = upload(twice.to_csv(index=False)).predictors("y")[2]["by whom"]
    assert told.endswith("take that into account. The command npc fit --clusters 'by whom' can.")
    # those that can be mended stand first
    bad = {"site": "north", "mass": ["<1", *map(str, range(59))], "when": pd.date_range("2020-01-01", periods=60)}
    table = table.assign(**bad, rate=[f"0,{j}" for j in range(60)])
    unusable = upload(table.to_csv(index=False)).predictors("y")[2]
    assert list(unusable) == ["mass", "rate", "id", "site", "when"]


def test_missing_labels_are_an_error_that_counts_them(upload):
    with pytest.raises(InvalidInputError, match=r"'y' has 1 missing value\(s\), the first in row 2"):
        upload("x,y\n1,a\n2,\n3,b\n").labels("y")


def test_a_target_out_of_reach_is_told_in_words_of_the_page():
    band = NPROCBand.from_scores(np.arange(100.0), np.arange(100.0))
    with pytest.raises(InvalidInputError, match="Raise type2_max, or") as caught:
        band.choose_alpha(type2_max=0.01)
    told = page_words(caught.value)
    assert told.startswith("No alpha has a type II upper bound of at most 0.01")
    assert told.endswith("Raise the target, or upload a table with more class 1 rows.")


def test_identifiers_are_not_predictors_at_first_and_useless_columns_never(upload):
    rng = np.random.default_rng(3)
    n = 120
    table = pd.DataFrame(
        {
            "entry": 1000 + rng.permutation(n),
            "patient_id": np.arange(n) // 2,
            "name": [f"p{j}" for j in range(n)],
            "site": "north",
            "ward": np.where(np.arange(n) % 2, "east", None),
            "grade": np.where(np.arange(n) % 3, 2, np.nan),
            "gap": np.nan,
            "dose": rng.normal(size=n),
            "visits": rng.integers(0, 9, n),
            "valid": rng.integers(0, 5, n),
            "y": np.arange(n) % 2,
        }
    )
    source = upload(table.to_csv(index=False))
    usable, texts, reasons = source.predictors("y")
    # gaps among numbers may tell something, as the command line has it
    assert usable == ["entry", "patient_id", "grade", "dose", "visits", "valid"]
    assert texts == []
    assert reasons == {
        "name": "column 'name' is text with 120 different values (such as 'p0'), too many to be categories (at most "
        "50).",
        "site": "column 'site' has a single value (north) in all rows.",
        "ward": "column 'ward' has a single value (east) in all rows that have a value.",
        "gap": "column 'gap' is empty.",
    }
    assert source.likely_predictors("y") == ["grade", "dose", "visits", "valid"]
    assert source.identifiers["entry"] == "it has another whole number in each row"
    few = upload("who,x,y\n" + "".join(f"p{k},{k / 3},{k % 2}\n" for k in range(9)))
    assert few.predictors("y")[2] == {"who": "column 'who' has another text in each row, such as a name."}
    assert source.identifiers["patient_id"] == "its name is that of an identifier, and some rows share their value"
    shared = "not independent: all 120 rows share their 'patient_id' with another row"
    assert source.owners_told("y").endswith(shared)


@pytest.mark.parametrize("name", ["id", "ID", "PatientID", "patient.id", "id_scan", "sample id", "uuid"])
def test_a_name_of_an_identifier_is_known(upload, name):
    values = [3, 1, 4, 1, 5, 9]
    source = upload(f"{name},x,y\n" + "".join(f"{v},{v / 3},{k % 2}\n" for k, v in enumerate(values)))
    assert list(source.identifiers) == [name]


@pytest.mark.parametrize("name", ["valid", "acid", "rapid", "idle", "body mass index", "lipid"])
def test_a_measurement_is_no_identifier_by_its_name(upload, name):
    values = [3, 1, 4, 1, 5, 9]
    source = upload(f"{name},x,y\n" + "".join(f"{v},{v / 3},{k % 2}\n" for k, v in enumerate(values)))
    assert list(source.identifiers) == []


def test_a_column_with_leading_zeros_is_text(upload):
    source = upload("site;y;x\n10;01;1,5\n011;2;2,5\n10;01;3\n")
    assert source.frame.to_dict("list") == {"site": ["10", "011", "10"], "y": ["01", "2", "01"], "x": [1.5, 2.5, 3]}
