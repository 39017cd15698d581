"""Rows that trained a model in chunks do not set its threshold."""

import json
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

from nproc import (
    InvalidInputError,
    NPClassifier,
    OnlineNPClassifier,
    load,
    npc,
    nproc,
    read_in_chunks,
    save,
    train_in_chunks,
)
from nproc.row_chunks import RowChunks
from nproc.row_chunks.inputs import NOTE

N = 2000
REFUSED = r"X holds rows of .* that trained the model\. .* Give the other part of the same split"
SETTINGS = {"prefit": True, "alpha": 0.2, "delta": 0.2, "random_state": 1}


def frame_of(seed=0, n=N):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(int)
    return pd.DataFrame(rng.normal(size=(n, 2)) + y[:, None], columns=["a", "b"]).assign(y=y)


def rows_at(path, frame=None, **options):
    frame = frame_of() if frame is None else frame
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=300)
    else:
        frame.to_csv(path, index=False)
    return read_in_chunks(path, "y", chunk_size=500, **options)


def trained_on(rows, model=None, **options):
    return train_in_chunks(OnlineNPClassifier() if model is None else model, rows, random_state=2, **options)


@pytest.fixture(params=["parquet", "csv", "csv.gz", "arrays"])
def rows(request, tmp_path):
    if request.param == "arrays":
        frame = frame_of()
        return RowChunks.from_arrays(frame[["a", "b"]].to_numpy(), frame["y"].to_numpy(), chunk_size=500)
    return rows_at(tmp_path / f"rows.{request.param}")


@pytest.mark.parametrize("threshold", [npc, nproc])
def test_rows_that_trained_are_refused_and_the_other_part_is_not(rows, threshold):
    train, rest = rows.split(0.5, random_state=1)
    model = trained_on(train)
    settings = {name: value for name, value in SETTINGS.items() if threshold is npc or name != "alpha"}
    threshold(rest, method=model, **settings)
    for seen in (train, rows, rows.split(0.5, random_state=7)[1]):
        with pytest.raises(InvalidInputError, match=REFUSED):
            threshold(seen, method=model, **settings)


def test_parts_of_the_rest_and_of_a_part_of_the_training_rows_are_told_apart(rows):
    train, rest = rows.split(0.6, random_state=1)
    small, left = train.split(0.5, random_state=1)
    model = trained_on(small, standardize=False)
    for apart in (rest, left, rest.split(0.5, random_state=1)[0], left.split(0.5, random_state=9)[1]):
        npc(apart, method=model, **SETTINGS)
    for seen in (small, train, small.split(0.5, random_state=3)[1]):
        with pytest.raises(InvalidInputError, match=REFUSED):
            npc(seen, method=model, **SETTINGS)


def test_nothing_is_read_to_find_out(tmp_path, monkeypatch):
    rows = rows_at(tmp_path / "rows.csv.gz")
    model = trained_on(rows.split(0.5, random_state=1)[0])
    again = read_in_chunks(tmp_path / "rows.csv.gz", "y", chunk_size=100)
    monkeypatch.setattr(type(again.origin[0]), "read", None)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(again.split(0.5, random_state=1)[0], method=model, **SETTINGS)
    # the rest goes on to be read
    with pytest.raises(TypeError, match="not callable"):
        npc(again.split(0.5, random_state=1)[1], method=model, **SETTINGS)


@pytest.mark.slow
def test_a_file_is_known_in_its_folder_and_out_of_it(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    days = [rows_at(folder / f"{day}.parquet", frame_of(day)) for day in range(3)]
    whole = read_in_chunks(folder, "y", chunk_size=300, features=["a", "b"])
    on_one = trained_on(days[1])
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(whole, method=on_one, **SETTINGS)
    npc(days[2], method=on_one, **SETTINGS)
    train, rest = whole.split(0.5, random_state=1)
    model = trained_on(train)
    npc(rest, method=model, **SETTINGS)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(days[2], method=model, **SETTINGS)


def test_other_files_and_arrays_are_no_matter(tmp_path):
    frame, other = frame_of(), frame_of(1)
    model = trained_on(rows_at(tmp_path / "rows.parquet", frame))
    npc(rows_at(tmp_path / "other.parquet", other), method=model, **SETTINGS)
    arrays = [RowChunks.from_arrays(table[["a", "b"]], table["y"], chunk_size=500) for table in (frame, other)]
    model = trained_on(arrays[0])
    npc(arrays[1], method=model, **SETTINGS)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(RowChunks.from_arrays(frame[["a", "b"]].to_numpy(), frame["y"].tolist()), method=model, **SETTINGS)


def test_a_file_that_was_written_anew_is_another_and_raises_nothing(tmp_path):
    path = tmp_path / "rows.parquet"
    model = trained_on(rows_at(path))
    npc(rows_at(path, frame_of(1, n=N + 1)), method=model, **SETTINGS)


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_the_note_is_saved_with_the_model(tmp_path, ending):
    train, rest = rows_at(tmp_path / "rows.parquet").split(0.5, random_state=1)
    fit = npc(rest, method=trained_on(train), **SETTINGS)
    model = load(save(fit, tmp_path / f"fit.{ending}")).scorers[0]
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(train, method=model, **SETTINGS)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(train, method=pickle.loads(pickle.dumps(model)), **SETTINGS)


def test_the_note_does_not_show_the_path(tmp_path):
    model = trained_on(rows_at(tmp_path / "secret.parquet"))[-1]
    note = json.dumps(getattr(model, NOTE))
    assert "secret" not in note
    assert json.loads(note) == getattr(model, NOTE)


def test_a_clone_has_no_note_since_it_has_seen_nothing(rows):
    model = trained_on(rows, SGDClassifier(loss="log_loss", random_state=0))
    assert hasattr(model[-1], NOTE)
    assert not hasattr(clone(model)[-1], NOTE)


def test_training_again_replaces_the_note(rows):
    train, rest = rows.split(0.5, random_state=1)
    again = trained_on(rest, trained_on(train)[-1])
    npc(train, method=again, **SETTINGS)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(rest, method=again, **SETTINGS)


def test_the_estimator_refuses_as_well(rows):
    train, rest = rows.split(0.5, random_state=1)
    estimator = NPClassifier(method=trained_on(train), **SETTINGS)
    estimator.fit(rest)
    with pytest.raises(InvalidInputError, match=REFUSED):
        estimator.fit(train)


def test_dask_frames_are_told_by_how_they_are_made(tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(frame_of(), npartitions=4)
    train, rest = read_in_chunks(frame, "y", chunk_size=500).split(0.5, random_state=1)
    model = trained_on(train)
    npc(rest, method=model, **SETTINGS)
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(read_in_chunks(frame, "y"), method=model, **SETTINGS)


def test_a_copied_file_is_not_known_and_raises_nothing(tmp_path):
    # what the documentation says is left to the user
    model = trained_on(rows_at(tmp_path / "rows.parquet"))
    shutil.copy(tmp_path / "rows.parquet", tmp_path / "copy.parquet")
    npc(read_in_chunks(tmp_path / "copy.parquet", "y"), method=model, **SETTINGS)
