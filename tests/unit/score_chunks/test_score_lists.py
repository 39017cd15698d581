"""Scores given as lists of files, of text or of arrays: read as one sample where that is said, else refused by name."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nproc import InvalidInputError, NPROCBand, np_threshold
from nproc.score_chunks import ScoreChunks

SCORES = np.random.default_rng(0).normal(size=300)
DAYS = np.array_split(SCORES, [60, 210])


@pytest.fixture
def paths(tmp_path):
    pytest.importorskip("pyarrow")
    for number, day in enumerate(DAYS):
        pd.DataFrame({"row": range(day.size), "score": day}).to_parquet(tmp_path / f"{number}.parquet")
    return sorted(map(str, tmp_path.glob("*.parquet")))


@pytest.mark.parametrize("kind", [str, Path])
def test_a_list_of_paths_is_one_sample(paths, kind):
    chunks = ScoreChunks([kind(path) for path in paths], column="score", chunk_size=50)
    assert repr(chunks) == "ScoreChunks(3 paths, 300 scores)"
    assert np_threshold(chunks, alpha=0.1) == np_threshold(SCORES, alpha=0.1)
    np.testing.assert_array_equal(np.concatenate(list(chunks)), SCORES)
    band = NPROCBand.from_scores(chunks, ScoreChunks(paths, column="score"))
    np.testing.assert_array_equal(band.sorted0[0], np.sort(SCORES))


def test_a_list_of_npy_files_is_one_sample(tmp_path):
    paths = [tmp_path / f"{number}.npy" for number in range(len(DAYS))]
    for path, day in zip(paths, DAYS, strict=True):
        np.save(path, day)
    assert np_threshold(ScoreChunks(paths)) == np_threshold(SCORES)
    assert np_threshold(ScoreChunks([DAYS[0], DAYS[1], DAYS[2]])) == np_threshold(SCORES)


def test_a_list_of_paths_needs_the_column_of_each(paths):
    with pytest.raises(InvalidInputError, match=r"has 2 columns \['row', 'score'\]; name the column of the scores"):
        ScoreChunks(paths)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["0.1", "0.2"], "scores must be numbers, or the path of an .npy or Parquet file; .* no file or folder 0.1"),
        (["nowhere.parquet"], "there is no file or folder nowhere.parquet"),
    ],
)
def test_text_in_a_list_is_taken_for_no_score(source, message):
    with pytest.raises(InvalidInputError, match=message):
        ScoreChunks(source)


def test_a_list_of_paths_and_arrays_is_refused(paths):
    with pytest.raises(InvalidInputError, match="scores is a list of paths and ndarray; give the chunks in one form"):
        ScoreChunks([paths[0], SCORES], column="score")
    with pytest.raises(
        InvalidInputError,
        match=r"got '.*0\.parquet' as chunk 2\. .* nproc\.score_chunks\.ScoreChunks\(\[path, \.\.\.\]\)",
    ):
        np_threshold(ScoreChunks([SCORES, paths[0]]))


def test_an_iterator_of_paths_is_told_what_to_give(paths):
    with pytest.raises(
        InvalidInputError,
        match=r"scores0 must give chunks .* pass paths as nproc\.score_chunks\.ScoreChunks\(\[path, \.\.\.",
    ):
        np_threshold(iter(paths), n0=300)


@pytest.mark.parametrize(
    ("scores0", "message"),
    [
        (
            ["a.parquet", "b.parquet"],
            r"scores0 is a list of text or paths, .* 'a\.parquet'.* nproc\.score_chunks\.ScoreChunks\(\[path, \.\.\.",
        ),
        ([Path("a.parquet")], r"scores0 is a list of text or paths"),
        (["0.1"] * 100, "Convert text to numbers first"),
        (np.array(["0.1"] * 100), r"scores0 must be a one-dimensional array of numbers, got dtype <U3"),
        (
            DAYS,
            r"scores0 is a list of 3 arrays or lists, of which the first has 60 .*ScoreChunks\(\[array, \.\.\.\]\)",
        ),
        ([[1.0, 2.0], [3.0, 4.0]], "scores0 is a list of 2 arrays or lists, of which the first has 2 elements"),
        ({"a": SCORES}, r"scores0 is a dict with the keys \['a'\]; give one of its values"),
        ({1.0, 2.0}, "scores0 is a set, which drops tied scores; give an array or list"),
    ],
)
def test_what_may_be_chunks_or_a_mistake_is_refused(scores0, message):
    with pytest.raises(InvalidInputError, match=message):
        np_threshold(scores0)


def test_a_list_of_lists_of_one_score_is_a_column():
    assert np_threshold([[score] for score in SCORES.tolist()]) == np_threshold(SCORES)


def test_a_band_says_that_a_list_is_one_of_splits():
    with pytest.raises(
        InvalidInputError,
        match=r"got \[60, 90, 150\]\. A list is read as one array for each split.* nproc\.score_chunks\.ScoreChunks",
    ):
        NPROCBand.from_scores(DAYS, [SCORES] * 3)
    with pytest.raises(
        InvalidInputError,
        match=r"got 3 and 1\. A list is read as one array for each split.* nproc\.score_chunks\.ScoreChunks",
    ):
        NPROCBand.from_scores(DAYS, SCORES)
    with pytest.raises(InvalidInputError, match="scores0 is a dict"):
        NPROCBand.from_scores({"a": SCORES}, SCORES)
