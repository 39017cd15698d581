"""Tests of reading rows from files in chunks: what comes out is what is in the file, whatever the format and sizes."""

import gzip
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from nproc import InvalidInputError, read_in_chunks
from nproc.row_chunks.csv_lines import SCAN_BYTES, read_lines

N = 1013


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["grade"] = np.where(rng.random(n) < 0.3, "bad", "good")
    return frame


FRAME = table()


def write(folder, kind, frame=FRAME):
    path = folder / f"rows{kind}"
    if kind == ".parquet":
        frame.to_parquet(path, index=False, row_group_size=100)
    elif kind == "":
        path.mkdir()
        for part, name in enumerate(["2.parquet", "10.parquet"]):
            frame[part::2].to_parquet(path / name)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in kind else ",")
    return path


def whole(rows):
    X, y = zip(*rows, strict=True)
    return pd.concat(X, ignore_index=True), np.concatenate(y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".parquet", ".csv", ".csv.gz", ".tsv"])
@pytest.mark.parametrize("chunk_size", [7, 100, 5000])
def test_chunks_hold_the_rows_of_the_file_in_order(tmp_path, kind, chunk_size):
    rows = read_in_chunks(write(tmp_path, kind), "grade", chunk_size=chunk_size)
    for _ in range(2):
        X, y = whole(rows)
        pd.testing.assert_frame_equal(X, FRAME[["a", "b", "c"]], check_exact=True)
        assert y.tolist() == FRAME["grade"].tolist()
    sizes = [len(y) for y in rows.labels()]
    assert sizes[:-1] == [chunk_size] * (len(sizes) - 1)
    assert sum(len(X) for X in rows.rows()) == rows.n_rows == N
    assert rows.label_counts() == FRAME["grade"].value_counts().to_dict()


def test_a_folder_is_its_files_in_the_order_of_their_names(tmp_path):
    rows = read_in_chunks(write(tmp_path, ""), "grade", chunk_size=300)
    X, _ = whole(rows)
    # "10.parquet" sorts before "2.parquet"; the index that pandas stored is no predictor
    expected = pd.concat([FRAME[1::2], FRAME[::2]], ignore_index=True)
    pd.testing.assert_frame_equal(X, expected[["a", "b", "c"]], check_exact=True)


def test_a_dask_frame_gives_its_partitions_in_order():
    dask_frame = pytest.importorskip("dask.dataframe").from_pandas(FRAME, npartitions=4)
    rows = read_in_chunks(dask_frame, "grade", drop=["c"], chunk_size=300)
    X, y = whole(rows)
    pd.testing.assert_frame_equal(X, FRAME[["a", "b"]], check_exact=True)
    assert y.tolist() == FRAME["grade"].tolist()
    assert rows.n_rows == N


@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_features_and_drop_choose_the_columns(tmp_path, kind):
    path = write(tmp_path, kind)
    assert read_in_chunks(path, "grade", features=["c", "a"]).features == ["c", "a"]
    assert next(iter(read_in_chunks(path, "grade", features=["c", "a"]).rows())).columns.tolist() == ["c", "a"]
    assert read_in_chunks(path, "grade", drop=["b"]).features == ["a", "c"]
    unlabelled = read_in_chunks(path, None, drop=["grade"])
    assert unlabelled.features == ["a", "b", "c"]
    with pytest.raises(InvalidInputError, match="was read without labels"):
        iter(unlabelled)


def test_row_names_in_a_csv_file_are_no_predictor(tmp_path):
    FRAME.to_csv(tmp_path / "named.csv")
    assert read_in_chunks(tmp_path / "named.csv", "grade").features == ["a", "b", "c"]


def test_types_are_the_same_in_every_block_of_a_csv_file(tmp_path):
    path = tmp_path / "types.csv"
    lines = ["a,flag,t,y"] + [f"{i},{i % 2 == 0},{i},{i % 2}" for i in range(20)]
    lines[15] = ",True,w,1"
    path.write_text("\n".join(lines))
    X, y = whole(read_in_chunks(path, "y", chunk_size=3))
    assert [kind.kind for kind in X.dtypes[:2]] == ["f", "b"]
    assert np.flatnonzero(X["a"].isna()).tolist() == [14]
    assert X["t"][14] == "w"
    assert X["t"][3] == "3"
    assert y.dtype == np.int64


def test_lines_are_found_across_quotes_and_pieces(tmp_path):
    path = tmp_path / "odd.csv"
    with open(path, "wb") as file:
        file.write(
            b'\xef\xbb\xbfa,"te\nxt",y\r\n1,"two\nlines, ""quoted""",0\r\n2,plain,1\n3,"\n\n",0\r\n4,end,1\r\n\n \n'
        )
    lines = read_lines(path, ",", 2)
    places, n_rows = lines.places, lines.n_rows
    content = path.read_bytes()
    assert n_rows == 4
    assert [content[place : place + 2] for place in places[:-1]] == [b"1,", b"3,"]
    assert content[: places[-1]].endswith(b"4,end,1\r\n")
    X, y = whole(read_in_chunks(path, "y", chunk_size=2))
    assert X.iloc[:, 1].tolist() == ['two\nlines, "quoted"', "plain", "\n\n", "end"]
    assert y.tolist() == [0, 1, 0, 1]


def test_lines_are_found_in_files_larger_than_a_piece(tmp_path):
    path = tmp_path / "long.csv"
    n = 2 * SCAN_BYTES // 10
    # lines of 11 bytes with their quotes, so that pieces end within lines and within quotes
    path.write_bytes(b"a,y\n" + b"".join(b'"%6d",%d\n' % (100_000 + i, i % 2) for i in range(n)))
    lines = read_lines(path, ",", 1000)
    places, n_rows = lines.places, lines.n_rows
    assert n_rows == n
    assert np.diff(places[:-1]).tolist() == [11_000] * (len(places) - 2)
    rows = read_in_chunks(path, "y", chunk_size=50_000)
    assert np.concatenate([X["a"].to_numpy() for X in rows.rows()]).tolist() == list(range(100_000, 100_000 + n))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.csv", None, "there is no file or folder"),
        ("x.dat", b"", "unknown extension; the known ones are .csv"),
        ("x.xlsx", b"", "in Excel: 'CSV UTF-8'. with one row of column names"),
        ("empty.csv", b"", "empty.csv is empty"),
        ("head.csv", b"a,y\n", "head.csv has a header but no rows"),
        ("one.csv", b"a;y\n1;2\n", "single column 'a;y' with the separator ','; give sep=';'"),
        ("twice.csv", b"a,a,y\n1,2,3\n", r"several columns of the name\(s\) \['a'\]"),
        ("other.csv", b"a,b\n1,2\n", r"the label \['y'\] is not in .*other.csv; its columns are \['a', 'b'\]"),
        ("alone.csv", b"y\n1\n", "no predictor left beside the label 'y'"),
        ("bad.parquet", b"PAR1nothing", "cannot be read as Parquet"),
        ("bad.csv.gz", b"no gzip", "cannot be read as CSV"),
        ("latin.csv", "a,y\nä,1\n".encode("latin-1"), "cannot be read as CSV"),
    ],
)
def test_what_is_no_table_is_an_error_that_names_the_file(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=message):
        read_in_chunks(tmp_path / name, "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["zz"]}, r"the feature \['zz'\] is not in"),
        ({"features": ["a", "grade"]}, "the label 'grade' is among the features"),
        ({"drop": ["zz"]}, r"the column to drop \['zz'\] is not in"),
        ({"features": "a"}, "features must be a list"),
        ({"features": ["a", "a"]}, r"features names a column twice: \['a', 'a'\]"),
        ({"chunk_size": 0}, "chunk_size must be at least 1, got 0"),
        ({"sep": "::"}, r"sep must be a single character, such as ';' or '\\t', got '::'"),
    ],
)
def test_bad_arguments_are_errors(tmp_path, options, message):
    with pytest.raises(InvalidInputError, match=message):
        read_in_chunks(write(tmp_path, ".csv"), "grade", **options)


def test_arrays_have_their_own_door():
    with pytest.raises(InvalidInputError, match=r"for arrays use nproc.row_chunks.RowChunks.from_arrays"):
        read_in_chunks(np.zeros((2, 2)), "y")


def test_an_empty_parquet_file_and_folder_are_errors(tmp_path):
    FRAME[:0].to_parquet(tmp_path / "none.parquet")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInputError, match=r"none.parquet has no rows"):
        read_in_chunks(tmp_path / "none.parquet", "grade")
    with pytest.raises(InvalidInputError, match="has no Parquet files"):
        read_in_chunks(tmp_path / "folder", "grade")


def test_files_of_a_folder_need_the_same_columns(tmp_path):
    FRAME.to_parquet(tmp_path / "1.parquet")
    FRAME.drop(columns="b").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InvalidInputError, match=r"2.parquet has other columns than .*1.parquet: \['b'\]"):
        read_in_chunks(tmp_path, "grade")


def test_pyarrow_missing_is_an_error_that_says_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path, ".parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidInputError, match=r"requires pyarrow: pip install 'nproc-py\[parquet\]'"):
        read_in_chunks(path, "grade")


@pytest.mark.parametrize("kind", [".parquet", ".csv", ".csv.gz"])
def test_a_missing_label_is_an_error_that_tells_file_and_row(tmp_path, kind):
    frame = FRAME.copy()
    frame.loc[412, "grade"] = None
    rows = read_in_chunks(write(tmp_path, kind, frame), "grade", chunk_size=60)
    with pytest.raises(InvalidInputError, match=rf"'grade' of .*rows\{kind} has a missing value in row 413"):
        rows.label_counts()


def test_text_among_numbers_is_an_error_that_tells_the_place(tmp_path):
    path = tmp_path / "text.csv"
    path.write_text("a,y\n" + "1,0\n" * 12_000 + "one,1\n")
    with pytest.raises(InvalidInputError, match=r"text.csv has 'one' in row 12001 of column 'a', which holds num"):
        list(read_in_chunks(path, "y", chunk_size=1000))


def test_a_file_that_changes_between_passes_is_an_error(tmp_path):
    path = write(tmp_path, ".csv")
    rows = read_in_chunks(path, "grade")
    assert rows.n_rows == N
    with open(path, "a") as file:
        file.write("1,2,3,bad\n")
    with pytest.raises(InvalidInputError, match="has changed since it was opened"):
        list(rows)


def test_a_quotation_mark_within_a_plain_field_stands_for_itself(tmp_path):
    path = tmp_path / "quote.csv"
    path.write_text('a,t,y\n1,5" pipe,0\n2,"6"" pipe",1\n3,7"" pipe,0\n')
    X, _ = whole(read_in_chunks(path, "y"))
    assert X["t"].tolist() == ['5" pipe', '6" pipe', '7"" pipe']


def test_a_compressed_file_is_read_as_the_plain_one(tmp_path):
    path = write(tmp_path, ".csv")
    (tmp_path / "again.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    plain, packed = (whole(read_in_chunks(p, "grade", chunk_size=88)) for p in (path, tmp_path / "again.csv.gz"))
    pd.testing.assert_frame_equal(plain[0], packed[0], check_exact=True)
    assert plain[1].tolist() == packed[1].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["many row groups", "one row group", "csv"])
def test_memory_is_that_of_a_few_chunks(tmp_path, kind):
    import tracemalloc

    n, p, chunk_size = 200_000, 8, 5000
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(n, p)).round(3), columns=[f"x{j}" for j in range(p)])
    frame["y"] = np.arange(n) % 2
    path = tmp_path / ("rows.csv" if kind == "csv" else "rows.parquet")
    if kind == "csv":
        frame[: n // 2].to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False, row_group_size=n if kind == "one row group" else 5000)
    del frame
    chunk_bytes = chunk_size * (p + 1) * 8
    rows = read_in_chunks(path, "y", chunk_size=chunk_size)
    next(iter(rows))
    before, most_arrow = pyarrow.total_allocated_bytes(), 0
    tracemalloc.start()
    for X, _ in rows:
        most_arrow = max(most_arrow, pyarrow.total_allocated_bytes() - before)
        assert len(X) <= chunk_size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # the file holds 40 (CSV: 20) chunks
    assert peak < 8 * chunk_bytes + (3 * SCAN_BYTES if kind == "csv" else 0)
    assert most_arrow < 8 * chunk_bytes


@pytest.mark.parametrize("kind", [".csv", ".csv.gz"])
# the first line of a block, and one within it
@pytest.mark.parametrize("row", [10_241, 10_300])
def test_a_line_with_too_many_fields_is_an_error_that_tells_its_row(tmp_path, kind, row):
    lines = ["a,b,y", *["1,2,0", "3,4,1"] * 6000]
    lines[row] = "1,234,5,1"
    content = "\n".join(lines).encode()
    path = tmp_path / f"long{kind}"
    path.write_bytes(gzip.compress(content) if kind == ".csv.gz" else content)
    with pytest.raises(InvalidInputError, match=f"line {row + 1} has 4 fields, and the header has 3"):
        read_in_chunks(path, "y", drop=["b"], chunk_size=256)


@pytest.mark.parametrize("label", ["y", None])
def test_row_names_without_a_name_in_the_header_are_an_error(tmp_path, label):
    # as R's write.table leaves them: each value would be taken for that of the next column
    path = tmp_path / "r.csv"
    path.write_text('"a","b","y"\n"1",0.1,0.2,0\n"2",0.3,0.4,1\n')
    with pytest.raises(InvalidInputError, match=r"line 2 has 4 fields, and the header has 3.*Row names.*write.csv"):
        read_in_chunks(path, label)


def test_an_empty_field_at_the_end_of_each_line_is_no_column(tmp_path):
    path = tmp_path / "trailing.csv"
    path.write_text("a,b,y,\n1,2,0,\n3,4,1,\n")
    X, y = whole(read_in_chunks(path, "y"))
    assert (X.to_dict("list"), y.tolist()) == ({"a": [1.0, 3.0], "b": [2.0, 4.0]}, [0, 1])


def test_lines_may_end_in_a_carriage_return_alone(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(b"a,y\r1,0\r2,1\r")
    X, y = whole(read_in_chunks(path, "y"))
    assert (X["a"].tolist(), y.tolist()) == ([1.0, 2.0], [0, 1])


def test_text_labels_beside_numbers_are_an_error(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}).to_parquet(tmp_path / "1.parquet")
    pd.DataFrame({"a": [1.0, 2.0], "y": ["0", "1"]}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InvalidInputError, match=r"mixes values of different types \(int, str\)"):
        read_in_chunks(tmp_path, "y").label_counts()
