"""Tests of `nproc.score_chunks.sorted_scores`: bands from any source, in memory or in a folder."""

import os
import pickle
import subprocess
import sys
import tempfile

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nproc import NPROCBand, load, np_threshold, save
from nproc.errors import InvalidInputError, NPWarning
from nproc.score_chunks import sorted_scores
from nproc.score_chunks.sorted_scores import area_under_roc, sort_splits
from nproc.score_chunks.sources import ScoreChunks

STEADY = settings(deadline=None, derandomize=True, max_examples=60)
RNG = np.random.default_rng(0)
SCORES0, SCORES1 = RNG.normal(size=700), RNG.normal(1.5, 1, size=450)


def on_disk(folder, name, values):
    values.tofile(folder / name)
    return np.memmap(folder / name, dtype=values.dtype, mode="r")


def in_parquet(folder, name, values):
    pq.write_table(pa.table({"score": values}), folder / f"{name}.parquet", row_group_size=100)
    return folder / f"{name}.parquet"


SOURCES = {
    "array": lambda folder, name, values: values,
    "memmap": on_disk,
    "Parquet": in_parquet,
    "chunks": lambda folder, name, values: ScoreChunks(np.split(values, [0, 10, 300])),
    "generator": lambda folder, name, values: (part for part in np.split(values, [0, 10, 300])),
    "dask": lambda folder, name, values: da.from_array(values, chunks=200),
    "dask of unknown sizes": lambda folder, name, values: (lambda a: a[a > -99])(da.from_array(values, chunks=200)),
}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def same(band, other):
    """Whether all that two bands say is the same."""
    for name in ("alpha", "type2_lower", "type2_upper", "type2"):
        np.testing.assert_array_equal(getattr(band, name), getattr(other, name))
    values, expected = band.at(np.linspace(0, 1, 101)), other.at(np.linspace(0, 1, 101))
    for name in ("alpha", "type2_lower", "type2_upper", "type2", "order"):
        np.testing.assert_array_equal(getattr(values, name), getattr(expected, name))
    assert (band.auc_lower, band.auc_upper) == (other.auc_lower, other.auc_upper)
    assert band.choose_alpha("youden") == other.choose_alpha("youden")
    assert band.choose_alpha(type2_max=0.6) == other.choose_alpha(type2_max=0.6)
    assert str(band.summary()) == str(other.summary())
    assert repr(band) == repr(other)
    return True


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("in_folder", [False, True])
def test_a_band_from_every_source_is_that_of_arrays(kind, in_folder, tmp_path):
    sources = [SOURCES[kind](tmp_path, name, v) for name, v in (("a", SCORES0), ("b", SCORES1))]
    before = sorted(os.listdir(tmp_path))
    band = NPROCBand.from_scores(*sources, delta=0.1, folder=tmp_path if in_folder else None)
    assert same(band, NPROCBand.from_scores(SCORES0, SCORES1, delta=0.1))
    # the sorted scores have no name in the folder
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 200),
    cuts=st.lists(st.integers(0, 200), max_size=5),
    digits=st.sampled_from([0, 1, 9]),
)
@STEADY
def test_any_chunks_in_any_order_sort_as_the_whole(seed, n, cuts, digits):
    scores = np.round(np.random.default_rng(seed).normal(size=n), digits)
    parts = np.split(scores, sorted(cuts))[::-1]
    with tempfile.TemporaryDirectory() as folder:
        for make in (lambda: ScoreChunks(parts), lambda: (part for part in parts)):
            for where in (None, folder):
                (ordered,) = sort_splits(make(), "scores0", where)
                np.testing.assert_array_equal(ordered, np.sort(scores))


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
def test_several_splits_may_each_be_a_source(kind, tmp_path):
    parts0, parts1 = np.split(SCORES0[:699], 3), np.split(SCORES1, 3)
    expected = NPROCBand.from_scores(parts0, parts1, band=kind)
    for source in ("memmap", "Parquet", "chunks", "generator"):
        make = SOURCES[source]
        sources = [
            [make(tmp_path, f"{number}{name}", part) for number, part in enumerate(parts)]
            for name, parts in (("a", parts0), ("b", parts1))
        ]
        assert same(NPROCBand.from_scores(*sources, band=kind, folder=tmp_path), expected)


def test_a_sample_in_a_folder_is_not_in_memory_and_cannot_be_written_to(tmp_path):
    band = NPROCBand.from_scores(SCORES0, SCORES1, folder=str(tmp_path))
    for scores in (band.sorted0[0], band.sorted1[0]):
        assert type(scores) is np.ndarray
        assert isinstance(scores.base, np.memmap)
        with pytest.raises(ValueError, match="read-only"):
            scores[0] = 1.0


def test_two_bands_in_one_folder_do_not_touch_each_other(tmp_path):
    first = NPROCBand.from_scores(SCORES0, SCORES1, folder=tmp_path)
    second = NPROCBand.from_scores(SCORES1, SCORES1 + 1, folder=tmp_path)
    assert same(first, NPROCBand.from_scores(SCORES0, SCORES1))
    assert same(second, NPROCBand.from_scores(SCORES1, SCORES1 + 1))


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_a_band_in_a_folder_can_be_saved_and_no_longer_needs_it(ending, tmp_path):
    (tmp_path / "scratch").mkdir()
    band = NPROCBand.from_scores(SCORES0, SCORES1, folder=tmp_path / "scratch")
    loaded = load(save(band, tmp_path / f"band.{ending}"))
    copied = pickle.loads(pickle.dumps(band))
    (tmp_path / "scratch").rmdir()
    assert same(loaded, band)
    assert same(copied, band)


def test_the_buffer_of_a_sample_of_unknown_size_grows_as_needed(monkeypatch):
    monkeypatch.setattr(sorted_scores, "CHUNK_SIZE", 4)
    (ordered,) = sort_splits((SCORES0[i : i + 9] for i in range(0, 700, 9)), "scores0")
    np.testing.assert_array_equal(ordered, np.sort(SCORES0))
    assert ordered.base is None


def test_levels_of_a_band_in_a_folder_read_few_pages(tmp_path):
    # a level takes one score of class 0 and a binary search in class 1
    asked = []

    class Counted(np.ndarray):
        def __getitem__(self, where):
            asked.append(np.size(where))
            return np.asarray(super().__getitem__(where))

    band = NPROCBand.from_scores(SCORES0, SCORES1)
    counted = NPROCBand((band.sorted0[0].view(Counted),), band.sorted1, 0.05)
    assert counted.at([0.1, 0.2, 0.3]).type2.tolist() == band.at([0.1, 0.2, 0.3]).type2.tolist()
    assert asked == [3]


@given(seed=st.integers(0, 2**32), n0=st.integers(1, 60), n1=st.integers(1, 60), digits=st.sampled_from([0, 1, 9]))
@STEADY
def test_the_area_is_the_share_of_pairs_whatever_the_blocks(seed, n0, n1, digits):
    rng = np.random.default_rng(seed)
    scores0, scores1 = np.round(rng.normal(size=n0), digits), np.round(rng.normal(size=n1), digits)
    pairs = (scores0[:, None] < scores1) + 0.5 * (scores0[:, None] == scores1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_scores, "CHUNK_SIZE", 7)
        assert area_under_roc(np.sort(scores0), np.sort(scores1)) == pytest.approx(pairs.mean(), rel=1e-14)


def test_scores_the_wrong_way_round_warn_from_chunks_too(tmp_path):
    with pytest.warns(NPWarning, match="the wrong sign.*of scores0, class 0, and scores1, class 1"):
        NPROCBand.from_scores(ScoreChunks([SCORES1]), ScoreChunks([SCORES0]), folder=tmp_path)


@pytest.mark.parametrize("in_folder", [False, True])
def test_what_is_wrong_with_a_chunk_is_said(in_folder, tmp_path):
    folder = tmp_path if in_folder else None
    with pytest.raises(InvalidInputError, match=r"scores1 must be finite, got 1 NaN .* chunk 2, scores1\[450:451\]"):
        NPROCBand.from_scores(SCORES0, ScoreChunks([SCORES1, np.array([np.nan])]), folder=folder)
    with pytest.raises(InvalidInputError, match="scores0 is empty; at least one score is needed"):
        NPROCBand.from_scores((part for part in []), SCORES1, folder=folder)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="folder must be a folder that exists, for the sorted scores; there is"):
        NPROCBand.from_scores(SCORES0, SCORES1, folder=tmp_path / "nowhere")


@pytest.mark.parametrize("folder", [5, b"scratch", ["scratch"]])
def test_a_folder_that_is_no_path_is_refused(folder):
    with pytest.raises(InvalidInputError, match="folder must be the path of a folder, for the sorted scores, got"):
        NPROCBand.from_scores(SCORES0, SCORES1, folder=folder)


def test_a_folder_that_may_not_be_written_to_is_told(tmp_path, monkeypatch):
    def refuse(**arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(
        InvalidInputError, match=r"scores0 cannot be written to folder=.*8 bytes for each score .*Permission denied"
    ):
        NPROCBand.from_scores(SCORES0, SCORES1, folder=tmp_path)


@pytest.mark.parametrize("room", [4000, 4096, 5599])
def test_a_disk_without_room_is_told_and_left_as_it_was(room, tmp_path):
    # the limit on the size of a file stands for the end of the disk
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        with pytest.raises(
            InvalidInputError, match=r"scores0 cannot be written to folder=.* on a disk with enough free space"
        ):
            NPROCBand.from_scores(SCORES0, SCORES1, folder=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []


def test_an_error_of_the_source_is_not_one_of_the_folder(tmp_path):
    def broken():
        yield SCORES0
        raise ConnectionError("the store is gone")

    with pytest.raises(ConnectionError, match="the store is gone"):
        NPROCBand.from_scores(broken(), SCORES1, folder=tmp_path)


IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
import numpy as np
from nproc import NPROCBand, np_threshold

def on_disk(name):
    return np.memmap(Path(sys.argv[1]) / name, dtype=np.float32, mode="r")

def data_megabytes():
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmData"].split()[0]) // 1024

# once with few scores, so that all libraries are loaded
few = NPROCBand.from_scores(on_disk("a")[:1000], on_disk("b")[:1000], folder=sys.argv[1]).at(0.1)
allowed = (data_megabytes() + 40) * 2**20
resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
band = NPROCBand.from_scores(on_disk("a"), on_disk("b"), folder=sys.argv[1])
print(np_threshold(on_disk("a")).value, *band.at(0.05).to_frame().iloc[0])
try:
    NPROCBand.from_scores(on_disk("a"), on_disk("b"))
except MemoryError:
    print("too much for memory")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system's limit on private memory is one of Linux")
def test_a_threshold_and_a_band_in_a_folder_need_less_memory_than_the_scores(tmp_path):
    # 4 million scores of each class: 32 MB each as float64, and 40 MB are allowed in all
    rng = np.random.default_rng(0)
    scores = [rng.normal(shift, size=4 * 10**6).astype(np.float32) for shift in (0.0, 1.0)]
    for name, values in zip("ab", scores, strict=True):
        values.tofile(tmp_path / name)
    run = subprocess.run([sys.executable, "-c", IN_LITTLE_MEMORY, str(tmp_path)], capture_output=True, text=True)
    assert run.stderr == ""
    first, second = run.stdout.splitlines()
    band = NPROCBand.from_scores(*scores)
    expected = [np_threshold(scores[0]).value, *band.at(0.05).to_frame().iloc[0]]
    assert list(map(float, first.split())) == expected
    # so the limit is one
    assert second == "too much for memory"
