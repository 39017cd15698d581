"""Tests of `RowChunks`: random parts and random orders of rows that are never all in memory."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from nproc import InvalidInputError, NPWarning, read_in_chunks
from nproc.row_chunks import RowChunks
from nproc.row_chunks.mixing import LANES, RandomPart, in_order, mixed

N = 5000
X = np.arange(2.0 * N).reshape(N, 2)
Y = (np.arange(N) % 3 == 0).astype(int)


def arrays(chunk_size=300, X=X, Y=Y, **options):
    return RowChunks.from_arrays(X, Y, chunk_size=chunk_size, **options)


def places(chunks):
    """The places in the file of rows of `X`, whose first column is twice the place."""
    return np.concatenate([np.asarray(part)[:, 0] / 2 for part, _ in chunks]).astype(int)


@pytest.mark.parametrize("chunk_size", [1, 299, 8192])
def test_arrays_come_back_in_chunks(chunk_size):
    rows = arrays(chunk_size)
    parts, labels = zip(*rows, strict=True)
    np.testing.assert_array_equal(np.concatenate(parts), X)
    np.testing.assert_array_equal(np.concatenate(labels), Y)
    assert (rows.n_rows, rows.label_counts()) == (N, {0: N - Y.sum(), 1: Y.sum()})


def test_frames_sparse_matrices_lists_and_memory_maps_come_in_chunks(tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"], index=np.arange(N) + 7)
    stored = np.memmap(tmp_path / "x.dat", dtype=np.float64, mode="w+", shape=X.shape)
    stored[:] = X
    kinds = {"frame": frame, "csc": sparse.csc_array(X), "memmap": stored, "list": X.tolist()}
    for kind, given in kinds.items():
        labels = pd.Series(Y, index=frame.index) if kind == "frame" else Y.tolist()
        parts = [part for part, _ in arrays(700, given, labels)]
        assert [part.shape[0] for part in parts] == [700] * 7 + [100]
        back = [part.toarray() if kind == "csc" else np.asarray(part) for part in parts]
        np.testing.assert_array_equal(np.concatenate(back), X)
    assert arrays(700, frame).features == ["u", "v"]
    assert arrays(700, stored).features is None


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((3, 1)), [0, 1], "X has 3 rows and y has 2 labels"),
        (np.zeros(3), [0, 1, 1], r"must be two-dimensional with rows and columns, got shape \(3,\)"),
        (np.zeros((3, 0)), [0, 1, 1], r"must be two-dimensional with rows and columns, got shape \(3, 0\)"),
        (np.zeros((3, 1)), np.zeros((3, 2)), r"y must be one-dimensional, got shape \(3, 2\)"),
    ],
)
def test_arrays_that_do_not_fit_are_errors(X, y, message):
    with pytest.raises(InvalidInputError, match=message):
        RowChunks.from_arrays(X, y)


def test_labels_may_be_a_table_of_one_column():
    for column in (Y[:, None], pd.DataFrame({"y": Y})):
        assert arrays(Y=column).label_counts() == arrays().label_counts()


@pytest.mark.parametrize(("y", "row"), [([0, None, 1], 2), (np.array([0.0, 1.0, np.nan]), 3)])
def test_missing_labels_of_arrays_are_errors(y, row):
    with pytest.raises(InvalidInputError, match=f"y of the ndarray X has a missing value in row {row}"):
        RowChunks.from_arrays(np.zeros((3, 1)), y).label_counts()


def test_a_split_gives_disjoint_parts_that_are_all_rows_in_order():
    first, second = arrays().split(0.3, random_state=5)
    a, b = places(first), places(second)
    assert (np.diff(a) > 0).all()
    assert (np.diff(b) > 0).all()
    assert np.sort(np.concatenate([a, b])).tolist() == list(range(N))
    assert (first.n_rows, second.n_rows) == (a.size, b.size)
    assert stats.binomtest(a.size, N, 0.3).pvalue > 1e-4
    # neighbours fall independently
    taken = np.isin(np.arange(N), a)
    both = int((taken[1:] & taken[:-1]).sum())
    assert abs(both - 0.09 * N) < 5 * np.sqrt(N * 0.09)


@pytest.mark.slow
def test_a_split_depends_on_seed_and_place_alone(tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(y=Y)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=123)
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_csv(tmp_path / "x.csv.gz", index=False)
    expected = places(arrays().split(0.3, random_state=5)[0])
    for chunk_size in (1, 77, 100_000):
        np.testing.assert_array_equal(places(arrays(chunk_size).split(0.3, random_state=5)[0]), expected)
    for name in ("x.parquet", "x.csv", "x.csv.gz"):
        part = read_in_chunks(tmp_path / name, "y", chunk_size=450).split(0.3, random_state=5)[0]
        for _ in range(2):
            np.testing.assert_array_equal(places(part), expected)
    assert places(arrays().split(0.3, random_state=6)[0]).tolist() != expected.tolist()


def test_the_number_of_a_row_does_not_depend_on_where_reading_begins():
    part = RandomPart(3, 0, 0.0, 0.4)
    all_at_once = part.members(0, 1000)
    for start in (0, 1, 2, 3, 4, 511, 998):
        np.testing.assert_array_equal(part.members(start, 1000 - start), all_at_once[start:])


def test_parts_split_again_are_independent_also_with_one_seed():
    first, rest = arrays().split(0.5, random_state=1)
    second, third = rest.split(0.5, random_state=1)
    found = [set(places(part).tolist()) for part in (first, second, third)]
    assert sum(map(len, found)) == len(set.union(*found)) == N
    assert stats.binomtest(len(found[1]), rest.n_rows, 0.5).pvalue > 1e-4


@pytest.mark.parametrize(("chunk_size", "buffer"), [(100, 100), (100, 450), (300, None), (5000, None), (20_000, None)])
def test_an_epoch_has_every_row_once(chunk_size, buffer):
    rows = arrays(chunk_size)
    chunks = list(rows.shuffled(1, buffer=buffer))
    assert np.sort(places(chunks)).tolist() == list(range(N))
    np.testing.assert_array_equal(np.concatenate([y for _, y in chunks]), Y[places(chunks)])
    sizes = [len(y) for _, y in chunks]
    assert len(sizes) == -(-N // chunk_size)
    assert max(sizes) <= chunk_size
    # no tiny chunk, on which a step would be taken for few rows
    assert min(sizes) >= min(chunk_size, N) // 2


def test_each_epoch_has_its_own_order_which_the_seed_tells():
    rows = arrays()
    first, again = places(rows.shuffled(1)), places(rows.shuffled(1))
    np.testing.assert_array_equal(first, again)
    for other in (rows.shuffled(1, epoch=1), rows.shuffled(2)):
        # two random orders agree in about one place
        assert np.mean(places(other) == first) < 0.01


def test_a_part_is_shuffled_within_itself():
    part = arrays().split(0.2, random_state=1)[1]
    assert np.sort(places(part.shuffled(3))).tolist() == places(part).tolist()


def test_with_a_buffer_of_all_rows_the_order_is_uniform():
    rows = arrays(X=X[:4], Y=Y[:4], chunk_size=4)
    found = [tuple(places(rows.shuffled(seed))) for seed in range(2400)]
    counts = np.unique(np.array(found) @ [64, 16, 4, 1], return_counts=True)[1]
    assert counts.size == 24
    assert stats.chisquare(counts).pvalue > 1e-4


def test_sorted_rows_are_mixed_when_blocks_are_small_against_the_buffer():
    n = 200_000
    rows = RowChunks.from_arrays(np.zeros((n, 1)), np.repeat([0, 1], n // 2), chunk_size=1000)
    shares = [y.mean() for _, y in rows.shuffled(1, buffer=40_000)]
    # 40 blocks of 1000 rows a buffer: the share of class 1 in a chunk has standard deviation about 0.08
    assert min(shares) > 0.2
    assert max(shares) < 0.8


def test_several_blocks_are_read_in_turn():
    seen = []

    def read(block, piece_rows):
        for _ in range(3):
            seen.append(block)
            yield np.full((piece_rows, 1), block), None

    chunks = list(mixed(20, read, size=8, buffer=8 * LANES, rng=np.random.default_rng(0)))
    assert len(set(seen[:LANES])) == LANES
    assert sum(len(part) for part, _ in chunks) == 20 * 3 * 8


def test_chunks_in_order_are_cut_from_pieces_of_any_size():
    pieces = [(np.arange(start, stop), None) for start, stop in ((0, 2), (2, 3), (3, 6), (6, 9), (9, 10))]
    for size in (3, 4, 10, 11):
        parts = [part.tolist() for part, _ in in_order(iter(pieces), size)]
        assert [place for part in parts for place in part] == list(range(10))
        assert all(len(part) == size for part in parts[:-1])


def test_one_large_block_warns(tmp_path):
    pd.DataFrame(X, columns=["u", "v"]).assign(y=Y).to_parquet(tmp_path / "x.parquet")
    rows = read_in_chunks(tmp_path / "x.parquet", "y", chunk_size=400)
    with pytest.warns(
        NPWarning,
        match="is stored as one block of 5000 rows, .* within 1600 rows at a time.* row_group_size of at most 200",
    ):
        chunks = list(rows.shuffled(1))
    assert np.sort(places(chunks)).tolist() == list(range(N))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rows: rows.split(1.0, random_state=1), "share must lie strictly between 0 and 1"),
        (lambda rows: rows.shuffled(1, buffer=299), "buffer must be at least chunk_size=300, got 299"),
        (lambda rows: rows.shuffled(1, epoch=-1), "epoch must be at least 0"),
        (lambda rows: rows.two_labels(np.int64(5)), "^class0=5 is not a label in y"),
        (lambda rows: rows.two_labels(np.array("ill")), "^class0='ill' is not a label in y"),
        (
            lambda rows: arrays(class0=np.array(0)).two_labels(np.int64(1)),
            "class0=1 is given, but these rows were read with class0=0",
        ),
        (
            lambda rows: arrays(class0=0).two_labels(np.array([0, 1])),
            r"class0=array\(\[0, 1\]\) is given, but these rows",
        ),
        (lambda rows: arrays(Y=np.array(["a", 1] * 2500, dtype=object)).label_counts(), r"mixes values .*\(int, str\)"),
        (
            lambda rows: arrays(1, X[:2], np.array(["a", 1], dtype=object)).label_counts(),
            r"mixes values .*\(int, str\)",
        ),
        (lambda rows: RowChunks.from_arrays(X).shuffled(1), "was read without labels"),
        (lambda rows: RowChunks.from_arrays(X).label_counts(), "was read without labels"),
        (lambda rows: arrays(Y=np.zeros(N)).two_labels(), "has the label 0.0 only in its 5000 rows"),
        (lambda rows: arrays(Y=np.arange(N) % 4).two_labels(), "^y has 4 classes"),
        (
            lambda rows: arrays(Y=X[:, 0]).label_counts(),
            "^y has more than 100 distinct values, such as .*a measurement",
        ),
        (lambda rows: arrays(30, X[:3], Y[:3]).split(0.001, random_state=1)[0].two_labels(), "has no row in its 0"),
    ],
)
def test_what_cannot_be_done_is_an_error(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(arrays())


@pytest.mark.filterwarnings("ignore:class0 is not given")
def test_the_prioritised_label_comes_first():
    text = np.where(Y, "yes", "no")
    assert arrays(Y=text).two_labels().tolist() == ["no", "yes"]
    assert arrays(Y=text, class0="yes").two_labels().tolist() == ["yes", "no"]
    assert arrays(Y=text).two_labels("yes").tolist() == ["yes", "no"]


def test_the_repr_tells_part_and_seed():
    part = arrays(class0=1).split(0.25, random_state=8)[1]
    assert repr(part) == (
        "RowChunks('the ndarray X', class0=1, chunk_size=300, rows [0.25, 1) of the split with seed 8)"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda y: y.astype(complex), "Complex data not supported: y"),
        (lambda y: sparse.csr_array(y[:, None]), "y must be a dense"),
        (lambda y: np.array([(v,) for v in y.tolist()], dtype=[("v", int)]), "y has named fields"),
        (lambda y: np.r_[[Decimal("sNaN")], y[1:].astype(object)], "y of .* missing value"),
    ],
)
def test_what_is_no_label_is_refused_by_name(wrong, message):
    with pytest.raises(InvalidInputError, match=message):
        RowChunks.from_arrays(X, wrong(Y)).two_labels()
