"""nproc.app.inputs and nproc.app.reading: what a browser may say of a file and of all else."""

import asyncio
import os

import pandas as pd
import pytest

from nproc.app import reading
from nproc.app.data import make_plan
from nproc.app.inputs import Inputs, own_upload, picture_fits
from nproc.app.reading import read_uploaded
from nproc.errors import InvalidInputError


@pytest.fixture
def folder(tmp_path):
    """An upload folder as Shiny makes it, with one upload, and things that lie beside it."""
    folder = tmp_path / "fileupload-a"
    (folder / "job").mkdir(parents=True)
    for place in (folder / "job" / "0.csv", tmp_path / "secret.csv"):
        place.write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    (tmp_path / "fileupload-ab").mkdir()
    (tmp_path / "fileupload-ab" / "0.csv").write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    return folder


def test_an_upload_in_the_folder_of_the_session_is_taken(folder):
    assert own_upload(str(folder / "job" / "0.csv"), folder) == folder / "job" / "0.csv"


def test_the_folder_may_be_reached_by_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert own_upload(str(folder / "job" / "0.csv"), tmp_path / "link").name == "0.csv"


FORGED = {
    "elsewhere": lambda folder: folder.parent / "secret.csv",
    "out by dots": lambda folder: f"{folder}/job/../../secret.csv",
    "a folder of a longer name": lambda folder: folder.parent / "fileupload-ab" / "0.csv",
    "not there": lambda folder: folder / "job" / "1.csv",
    "a folder": lambda folder: folder / "job",
    "the folder": lambda folder: folder,
    "a file used as a folder": lambda folder: folder / "job" / "0.csv" / "x",
    "empty": lambda folder: "",
    "a NUL": lambda folder: f"{folder}/job/0.csv\0",
    "half a character": lambda folder: f"{folder}/job/\ud800.csv",
    "too long": lambda folder: f"{folder}/{'a' * 100_000}",
    "a link out": lambda folder: link(folder / "job" / "2.csv", folder.parent / "secret.csv"),
    "a link inside": lambda folder: link(folder / "job" / "3.csv", folder / "job" / "0.csv"),
    "a circle of links": lambda folder: link(folder / "job" / "4.csv", folder / "job" / "4.csv"),
    "a linked folder": lambda folder: link(folder / "job" / "out", folder.parent) / "secret.csv",
    "a device": lambda folder: "/dev/zero",
    # whoever opened it would wait for ever
    "a pipe": lambda folder: pipe(folder / "job" / "5.csv"),
}


def link(place, target):
    place.symlink_to(target)
    return place


def pipe(place):
    os.mkfifo(place)
    return place


@pytest.mark.skipif(os.name == "nt", reason="makes links and pipes")
@pytest.mark.parametrize("what", FORGED)
def test_any_other_path_is_refused_unopened_and_nothing_is_removed(folder, what, monkeypatch):
    path = str(FORGED[what](folder))
    monkeypatch.setattr(reading, "Errand", None)  # what reads
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(InvalidInputError, match="not uploaded here, and was not read"):
        own_upload(path, folder)
    source, problem = asyncio.run(read_uploaded([{"name": "x.csv", "datapath": path}], folder))
    assert source is None
    assert "not uploaded here" in problem
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.slow
def test_an_upload_is_read_elsewhere_and_removed(folder):
    path = folder / "job" / "0.csv"
    source, problem = asyncio.run(read_uploaded([{"name": "loans.csv", "datapath": str(path)}], folder))
    assert (source.name, source.frame.shape, problem) == ("loans.csv", (2, 2), "")
    # what the page asks for at once was found there
    assert {"likely_label", "_not_numeric"} <= set(vars(source))
    assert not path.exists()


def test_a_bad_upload_is_told_and_removed(folder):
    path = folder / "job" / "0.csv"
    path.write_bytes(b"")
    answer = asyncio.run(read_uploaded([{"name": "loans.csv", "datapath": str(path)}], folder))
    assert answer[0] is None
    assert "loans.csv is empty" in answer[1]
    assert not path.exists()


def test_reading_that_nobody_waits_for_any_more_ends_and_removes_the_upload(folder):
    path = folder / "job" / "0.csv"

    async def main():
        task = asyncio.create_task(read_uploaded([{"name": "loans.csv", "datapath": str(path)}], folder))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not path.exists()


class Raw(dict):
    """Inputs as Shiny gives them: a function for each name."""

    def __missing__(self, name):
        return lambda: f"value of {name}"


GOOD = {
    "kind": ["sample", "upload"],
    "sample": ["simulation1"],
    "file": [[{"name": "a.csv", "size": 1, "type": "", "datapath": "/tmp/0.csv"}]],
    "refused": [{"name": "a.csv", "size": 3e8}],
    "label": ["y"],
    "class0": ["0", None],
    "prevalence": [0.01, None],
    "features": [("a", "b"), ["a"], (), None],
    "methods": [("lda",), None],
    "alpha": [0.05, 1, None],
    "n_splits": [1, 10**20],
    "seed": [0],
    "target": [0.3, None],
    "alpha_moved": [0.2],
    "bands_click": [{"x": 0.3, "y": 1}, {"y": 2}],
    "zoom": ["0.5", "around"],
    "picture_width": ["170", "85"],
    "new_file": [({"name": "a.csv", "datapath": ""},)],
}
BAD = {
    "kind": ["other", 1, None, ["sample"], {}],
    "sample": ["no such", ["simulation1"], {"a": 1}, 3],
    "file": [
        None,
        [],
        "x",
        3,
        [1],
        [{}],
        [{"name": "a", "datapath": 3}],
        [{"name": 3, "datapath": "a"}],
        {"name": "a"},
    ],
    "refused": [{"name": 1, "size": 1}, {"name": "a", "size": "9"}, {"name": "a", "size": float("nan")}, {}, [], "a"],
    "label": [1, ["y"], {}, None, True],
    "class0": [1, ["0"], True],
    "prevalence": ["0.01", [0.01], True],
    "features": ["ab", [1], [["a"]], {"a": 1}, 3],
    "methods": ["lda", [None], 3],
    "alpha": ["0.05", True, [0.05], float("nan"), float("inf"), 10**400, -(10**400), {}],
    "n_splits": ["1", [1], True],
    "seed": ["1", [1]],
    "target": ["0.3", []],
    "alpha_moved": ["0.2", None, [0.2]],
    "bands_click": [{"x": "0.3"}, {"x": [1]}, 3, [0.3], "x"],
    "zoom": ["2", "nan", 0.5, ["1"], None],
    "picture_width": ["86", 85, ["85"], None],
    "new_file": [None, [], [{"name": "a"}]],
}


@pytest.mark.parametrize("name", GOOD)
def test_values_as_the_page_gives_them_pass(name):
    for value in GOOD[name]:
        assert getattr(Inputs(Raw({name: lambda value=value: value})), name)() is value


@pytest.mark.parametrize("name", BAD)
def test_values_of_another_form_are_as_good_as_none(name):
    from shiny.types import SilentException

    for value in BAD[name]:
        with pytest.raises(SilentException):
            getattr(Inputs(Raw({name: lambda value=value: value})), name)()


class Client:
    """What a browser says of its screen."""

    def __init__(self, ratio, width, height):
        self.pixelratio = lambda: ratio
        self.output_width = lambda name: width
        self.output_height = lambda name: height


def test_a_picture_that_no_screen_can_show_is_not_drawn():
    assert picture_fits(Client(2, 1200.5, 560), "bands")
    for ratio, width, height in ((1, 1e9, 560), (1e9, 800, 560), (1, 0, 560), (1, -800, 560), ("1", 800, 560)):
        assert not picture_fits(Client(ratio, width, height), "bands")
    assert not picture_fits(Client(1, [800], 560), "bands")


def test_a_table_that_was_read_is_looked_through_no_more(tmp_path, monkeypatch):
    path = tmp_path / "0.csv"
    path.write_text("id,t,y\n" + "".join(f"{i},u{i},{'ab'[i % 2]}\n" for i in range(400)))
    source, problem = asyncio.run(read_uploaded([{"name": "x.csv", "datapath": str(path)}], tmp_path))
    assert problem == ""

    def looks(*_):
        raise AssertionError("a page would wait for this")

    # what the page asks for while others wait, where the columns may have millions of values
    monkeypatch.setattr("nproc.app.data.label_values", looks)
    monkeypatch.setattr("nproc.app.data.choose_predictors", looks)
    monkeypatch.setattr(pd.Series, "nunique", looks)
    monkeypatch.setattr(pd.Series, "__eq__", looks)
    assert source.likely_label == "y"
    assert (source.labels("t").n_distinct, str(source.labels("t"))) == (400, "u0, u1, u10, u100, u101, ...")
    assert (source.labels("y").first, source.labels("y").counts) == (("a", "b"), (200, 200))
    assert source.predictors("y")[0] == ["id"]
    settings = {"n_splits": 1, "alpha": 0.1, "delta": 0.1, "seed": 1}
    plan = make_plan(source, label="y", class0="b", features=["id"], methods=["lda"], **settings)
    assert plan.advice() == []
