"""Tests of `nproc.score_chunks.sources`: all sources of scores give the same clean chunks; errors say which."""

import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nproc import np_threshold
from nproc.errors import InvalidInputError
from nproc.score_chunks.sources import ScoreChunks, as_chunks

SCORES = np.random.default_rng(0).normal(size=1000)


class Stored:
    """What h5py and zarr give: shape, dtype and slices, and nothing else."""

    def __init__(self, values):
        self.values, self.asked = values, []

    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)

    def __getitem__(self, where):
        self.asked.append(where)
        return self.values[where]


class Days:
    """An iterable that starts afresh each time, and says how often."""

    def __init__(self, parts):
        self.parts, self.passes = parts, 0

    def __iter__(self):
        self.passes += 1
        return iter(self.parts)


def memmap(folder, values=SCORES):
    path = folder / "scores.f8"
    values.tofile(path)
    return np.memmap(path, dtype=values.dtype, mode="r")


def parquet(folder, columns=None, parts=3):
    folder = folder / "scores.parquet"
    folder.mkdir()
    for number, part in enumerate(np.array_split(SCORES, parts)):
        table = pa.table(columns(part) if columns else {"score": part})
        pq.write_table(table, folder / f"part-{number}.parquet", row_group_size=100)
    return folder


SOURCES = {
    "array": lambda folder: SCORES,
    "column": lambda folder: SCORES[:, None],
    "list": lambda folder: SCORES.tolist(),
    "Series": lambda folder: pd.Series(SCORES, index=np.arange(1000)[::-1]),
    "table of one column": lambda folder: pd.DataFrame({"score": SCORES}),
    "memmap": memmap,
    "slice of a memmap": lambda folder: memmap(folder, np.repeat(SCORES, 2))[::2],
    "view of a memmap": lambda folder: np.asarray(memmap(folder)),
    "npy": lambda folder: (np.save(folder / "scores.npy", SCORES), folder / "scores.npy")[1],
    "Parquet file": lambda folder: str(next(parquet(folder, parts=1).iterdir())),
    "Parquet folder": parquet,
    "stored": lambda folder: Stored(SCORES),
    "list of chunks": lambda folder: np.split(SCORES, [0, 10, 500]),
    "iterable of chunks": lambda folder: Days(np.split(SCORES, [0, 10, 500])),
    "generator": lambda folder: (part for part in np.split(SCORES, [0, 10, 500])),
    "Series in an iterable": lambda folder: Days([pd.Series(SCORES[:5]), pd.Series(SCORES[5:])]),
    "Arrow in an iterable": lambda folder: Days([pa.chunked_array([SCORES[:5]]), pa.array(SCORES[5:])]),
    "dask array": lambda folder: da.from_array(SCORES, chunks=300),
    "dask column": lambda folder: da.from_array(SCORES[:, None], chunks=300),
    "dask array of unknown sizes": lambda folder: (lambda a: a[a > -np.inf])(da.from_array(SCORES, chunks=300)),
    "dask Series": lambda folder: dd.from_pandas(pd.Series(SCORES), npartitions=3),
    "dask table": lambda folder: dd.from_pandas(pd.DataFrame({"score": SCORES}), npartitions=3),
}
ONE_SHOT = {"generator"}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_scores_in_order_as_float64(kind, tmp_path):
    chunks = ScoreChunks(SOURCES[kind](tmp_path), chunk_size=128)
    assert chunks.one_shot == (kind in ONE_SHOT)
    if kind not in ONE_SHOT:
        assert chunks.count("scores") == 1000
    parts = list(chunks)
    assert all(part.dtype == np.float64 and part.ndim == 1 for part in parts)
    np.testing.assert_array_equal(np.concatenate(parts), SCORES)
    assert f"{chunks!r}".startswith("ScoreChunks(")
    assert ("not known yet" in f"{chunks!r}") == (chunks.size is None)
    if kind not in ONE_SHOT:
        np.testing.assert_array_equal(np.concatenate(list(chunks)), SCORES)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("ties", ["conservative", "randomize"])
def test_a_threshold_from_every_source_is_that_of_the_array(kind, ties, tmp_path):
    source = SOURCES[kind](tmp_path)
    source = ScoreChunks(source) if kind in ("stored", "list of chunks") else source
    n0 = 1000 if kind in ONE_SHOT else None
    levels = {"alpha": 0.1, "delta": 0.1, "ties": ties, "random_state": 3}
    assert np_threshold(source, n0=n0, **levels) == np_threshold(SCORES, **levels)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint16, np.bool_, ">f8"])
def test_other_numbers_become_float64_a_chunk_at_a_time(dtype, tmp_path):
    values = (100 * np.abs(SCORES) % 120).astype(dtype)
    for source in (values, memmap(tmp_path, values)):
        parts = list(ScoreChunks(source, chunk_size=300))
        assert [part.dtype for part in parts] == [np.float64] * 4
        np.testing.assert_array_equal(np.concatenate(parts), values.astype(np.float64))


def test_a_memmap_is_read_in_pieces_and_never_whole(tmp_path):
    stored = Stored(SCORES.astype(np.float32))
    np_threshold(ScoreChunks(stored, chunk_size=100), alpha=0.1, delta=0.1)
    assert stored.asked == [slice(start, start + 100) for start in range(0, 1000, 100)]
    chunks = ScoreChunks(memmap(tmp_path), chunk_size=64)
    assert max(part.size for part in chunks) == 64


@pytest.mark.parametrize("kind", [pa.int32(), pa.float32(), pa.bool_(), pa.decimal128(9, 2)])
def test_parquet_columns_of_any_numbers_are_read(kind, tmp_path):
    values = pa.array(np.arange(10)).cast(pa.int8()).cast(kind) if kind != pa.bool_() else pa.array([True, False] * 5)
    pq.write_table(pa.table({"score": values}), tmp_path / "a.parquet")
    read = np.concatenate(list(ScoreChunks(tmp_path / "a.parquet")))
    np.testing.assert_array_equal(read, values.to_numpy(zero_copy_only=False).astype(np.float64))


def test_a_column_is_named_where_there_are_several(tmp_path):
    folder = parquet(tmp_path, lambda part: {"id": np.arange(part.size), "score": part})
    with pytest.raises(InvalidInputError, match=r"has 2 columns \['id', 'score'\]; name the column of the scores"):
        np_threshold(folder)
    with pytest.raises(InvalidInputError, match=r"has no column 'scores'; it has \['id', 'score'\]"):
        ScoreChunks(folder, column="scores")
    tables = [pd.DataFrame({"id": 1, "score": part}) for part in np.split(SCORES, 4)]
    for source in (folder, tables, Days(tables), (pa.table({"id": part, "score": part}) for part in [SCORES]),
                   dd.from_pandas(pd.concat(tables, ignore_index=True), npartitions=2), pd.concat(tables)):  # fmt: skip
        np.testing.assert_array_equal(np.concatenate(list(ScoreChunks(source, column="score"))), SCORES)
    with pytest.raises(InvalidInputError, match="column='score' is for Parquet files and tables; leave it out for"):
        ScoreChunks(SCORES, column="score")


def test_the_index_that_pandas_writes_is_no_column_of_scores(tmp_path):
    pd.DataFrame({"score": SCORES}, index=np.arange(1000)[::-1]).to_parquet(tmp_path / "a.parquet")
    np.testing.assert_array_equal(np.concatenate(list(ScoreChunks(tmp_path / "a.parquet"))), SCORES)


class TestErrors:
    """What is wrong, and in which chunk."""

    @pytest.mark.parametrize("kind", ["iterable", "generator", "memmap", "dask"])
    def test_a_missing_score_in_the_third_chunk_is_found_there(self, kind, tmp_path):
        scores = SCORES.copy()
        scores[[250, 260]] = np.nan, np.inf
        parts = np.split(scores, 10)
        source = {
            "iterable": lambda: Days(parts),
            "generator": lambda: (part for part in parts),
            "memmap": lambda: ScoreChunks(memmap(tmp_path, scores), chunk_size=100),
            "dask": lambda: da.from_array(scores, chunks=100),
        }[kind]()
        where = "" if kind == "dask" else r", scores0\[200:300\]"
        message = rf"scores0 must be finite, got 1 NaN and 1 infinite values out of 100\. .* This is chunk 3{where}\."
        with pytest.raises(InvalidInputError, match=message):
            np_threshold(source, n0=1000)

    def test_a_null_in_parquet_is_a_missing_score(self, tmp_path):
        pq.write_table(pa.table({"score": pa.array([1, None, 3])}), tmp_path / "a.parquet")
        with pytest.raises(InvalidInputError, match=r"scores must be finite, got 1 NaN .* scores\[0:3\]"):
            list(ScoreChunks(tmp_path / "a.parquet"))

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            (5.0, "scores must be an array, the path of an .npy or Parquet file, .* got float"),
            ({1.0, 2.0}, "scores must be an array, .* got set"),
            ("nowhere.parquet", "there is no file or folder nowhere.parquet"),
            (np.ones((3, 2)), r"one score a row\), got shape \(3, 2\)"),
            (da.ones((3, 2)), r"one score a row\), got shape \(3, 2\)"),
            (dask.delayed(SCORES), "dask objects must be an array, a Series, or a DataFrame with column=, got Delayed"),
            (pd.DataFrame({"a": [1.0], "b": [2.0]}), r"the DataFrame has 2 columns \['a', 'b'\]; name the column"),
        ],
    )
    def test_what_holds_no_scores_is_refused(self, source, message):
        with pytest.raises(InvalidInputError, match=message):
            ScoreChunks(source)

    @pytest.mark.parametrize(
        ("chunk", "message"),
        [
            (np.ones((3, 2)), r"scores must be one-dimensional .* got shape \(3, 2\)\. This is chunk 2, scores\[1:4\]"),
            (
                ["a", "b"],
                r"array of numbers, got dtype <U1 \(text is no number\)\. This is chunk 2, scores\[1:3\]",
            ),
            (1.5, "must give chunks that are arrays of scores, got 1.5 as chunk 2. Put single numbers into a list"),
            (np.float64(1.5), r"got np.float64\(1.5\) as chunk 2"),
            (np.array(1.5), r"got array\(1.5\) as chunk 2"),
        ],
    )
    def test_a_chunk_that_is_no_array_of_scores_is_refused(self, chunk, message):
        with pytest.raises(InvalidInputError, match=message):
            list(ScoreChunks(Days([np.ones(1), chunk])))

    def test_files_that_are_none_are_refused(self, tmp_path):
        for name in ("scores.csv", "scores.npy", "scores.parquet", "objects.npy"):
            (tmp_path / name).write_text("score\n1\n")
        np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
        with pytest.raises(InvalidInputError, match=r"must be an .npy file, .* pandas.read_csv\(path"):
            ScoreChunks(tmp_path / "scores.csv")
        for name in ("scores.npy", "objects.npy"):
            with pytest.raises(InvalidInputError, match=f"{name} holds no array of numbers"):
                ScoreChunks(tmp_path / name)
        with pytest.raises(InvalidInputError, match="is not a Parquet file, or is damaged"):
            ScoreChunks(tmp_path / "scores.parquet")
        (tmp_path / "empty").mkdir()
        with pytest.raises(InvalidInputError, match=r"the folder .* holds no Parquet file"):
            ScoreChunks(tmp_path / "empty")

    def test_several_arrays_in_one_file_are_refused(self, tmp_path):
        with open(tmp_path / "scores.npy", "wb") as file:
            np.savez(file, a=SCORES, b=SCORES)
        with pytest.raises(InvalidInputError, match=r"scores\.npy holds several arrays, .* save the scores alone"):
            ScoreChunks(tmp_path / "scores.npy")

    def test_two_columns_of_one_name_are_refused(self, tmp_path):
        pq.write_table(pa.Table.from_arrays([SCORES, SCORES + 1], names=["score"] * 2), tmp_path / "a.parquet")
        with pytest.raises(InvalidInputError, match=r"has 2 columns 'score'; give them different names"):
            ScoreChunks(tmp_path / "a.parquet", column="score")

    def test_a_parquet_column_of_text_is_refused(self, tmp_path):
        pq.write_table(pa.table({"score": ["1.5", "2"]}), tmp_path / "a.parquet")
        with pytest.raises(InvalidInputError, match=r"column 'score' of .* holds string, not numbers"):
            ScoreChunks(tmp_path / "a.parquet")

    def test_a_missing_pyarrow_is_named_with_the_extra(self, tmp_path, monkeypatch):
        (tmp_path / "a.parquet").touch()
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        with pytest.raises(InvalidInputError, match=r"pip install 'nproc-py\[parquet\]'"):
            ScoreChunks(tmp_path / "a.parquet")

    def test_an_iterator_is_not_read_twice(self):
        chunks = ScoreChunks(part for part in [SCORES])
        assert len(list(chunks)) == 1
        with pytest.raises(InvalidInputError, match="is an iterator that has been read already"):
            list(chunks)


def test_arrays_and_lists_in_memory_are_no_chunks():
    for scores in (SCORES, SCORES.tolist(), pd.Series(SCORES), range(5), [SCORES, SCORES], 5.0, None, {1.0}):
        assert as_chunks(scores) is None


def test_what_is_counted_is_not_looked_at():
    days = Days([np.full(10, np.nan), [], np.ones(5)])
    assert ScoreChunks(days).count("scores") == 15
    assert days.passes == 1


def test_a_sample_comes_from_all_over_and_only_of_large_arrays():
    assert ScoreChunks(SCORES).sample() is None
    assert ScoreChunks(Days([SCORES])).sample() is None
    assert ScoreChunks(np.full(2**20, b"a")).sample() is None
    large = np.arange(2**20, dtype=np.float32)
    sample = ScoreChunks(large).sample()
    assert sample.size == 2**17
    assert (sample[0], sample[-1]) == (0, 2**20 - 1)
    assert np.max(np.diff(sample)) < 2**13
