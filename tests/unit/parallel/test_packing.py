"""Tests of `nproc.parallel.packing`: whatever the rows are, no task carries them to a process of this machine."""

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky.backend import queues
from scipy import sparse

from nproc.parallel.packing import MAPPED_ABOVE, PackedArguments
from nproc.parallel.tasks import run_tasks


def table_of(kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30_000, 3)), columns=list("abc"))
    text = rng.choice(["one", "two", "and three"], 30_000)
    return {
        "array": frame.to_numpy()[:, :2],
        "objects": text.astype(object)[:, np.newaxis],
        "list": text.tolist(),
        "text": frame.assign(d=text),
        "objects in a frame": frame.assign(d=[1, "two", None] * 10_000),
        "categories": frame.assign(d=pd.Categorical(text)),
        "missing integers": frame.assign(d=pd.array([1, 2, None] * 10_000, dtype="Int64")),
        "names of rows": frame.set_index(pd.Index([f"row {j}" for j in range(30_000)])),
        "csc": sparse.csc_matrix(np.where(frame > 0, frame, 0)),
    }[kind]


def same_table(one, other):
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
        return True
    if sparse.issparse(one):
        return one.format == other.format and np.array_equal(one.toarray(), other.toarray())
    return type(one) is type(other) and np.array_equal(one, other)


def give_back(table, labels, number):
    return table if number == 0 else labels


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["array", "objects", "list", "text", "objects in a frame", "categories"])
def test_no_table_is_written_with_a_task(kind, monkeypatch):
    messages, dumps = [], queues.dumps

    def counted(obj, *args, **kwargs):
        if obj is not None:
            # None ends the workers of a pool of an earlier test
            messages.append(len(dumps(obj, *args, **kwargs)))
        return dumps(obj, *args, **kwargs)

    monkeypatch.setattr(queues, "dumps", counted)
    table, labels = table_of(kind), np.arange(30_000) % 2
    found = run_tasks(give_back, [(j,) for j in range(4)], shared=(table, labels), n_jobs=2)
    assert same_table(found[0], table)
    assert all(np.array_equal(part, labels) for part in found[1:])
    assert len(messages) == 4
    assert max(messages) < 10_000


@pytest.mark.parametrize("kind", ["text", "missing integers", "names of rows", "csc", "array"])
def test_packed_arguments_come_out_as_they_were_and_all_their_memory_is_mapped(kind):
    arguments = (len, table_of(kind), None, np.empty((0, 2)), np.arange(20, dtype=np.int32)[::-2], 0.5)
    packed = PackedArguments(arguments)
    assert all(array is None or array.nbytes > MAPPED_ABOVE for array in packed._large)
    assert packed._joined.nbytes > MAPPED_ABOVE
    found = packed.unpacked()
    assert (found[0], found[2], found[5]) == (len, None, 0.5)
    assert same_table(found[1], arguments[1])
    for j in (3, 4):
        np.testing.assert_array_equal(found[j], arguments[j])
        assert found[j].dtype == arguments[j].dtype


def test_a_few_small_arguments_are_worth_no_file():
    assert PackedArguments((np.arange(10), ["a", "b"]))._joined.nbytes < 1000


def test_what_pickle_cannot_write_is_left_to_joblib():
    table = [lambda: 3, 4]
    assert PackedArguments((table,)).unpacked()[0] is table
    assert run_tasks(call_first, [(j,) for j in range(2)], shared=(table,), n_jobs=2) == [3, 4]


def call_first(table, number):
    return table[0]() + number
