"""nproc.outputs: files are written whole or not at all, and never over what a command reads."""

import argparse
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from nproc import npc, save
from nproc.cli import main
from nproc.cli.options import FILES_READ, FILES_WRITTEN, build_parser
from nproc.datasets import load_simulation2
from nproc.errors import InvalidInputError
from nproc.outputs import check_output, check_outputs, csv_text, remove_abandoned, replaced_file
from nproc.serving import score_rule


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Rows and a model, which no command may touch."""
    folder = tmp_path_factory.mktemp("given")
    data = load_simulation2()
    data.frame.to_csv(folder / "rows.csv", index=False)
    save(npc(data.X, data.y, class0=0, random_state=1), folder / "model.joblib")
    data.frame.rename(columns={"x1": "score", "y": "label"}).to_csv(folder / "pilot.csv", index=False)
    score_rule(data.frame.loc[data.frame["y"] == 0, "x1"]).write(folder / "rule.json")
    return folder


FIT, BOTH = ["--label", "y", "--class0", "0", "--seed", "1"], ["--method", "logistic", "--method", "lda"]
MANY = ["--label", "y", "--priority", "0,1", "--seed", "1"]
CLASHES = [
    ["fit", "rows.csv", *FIT, "--out", "rows.csv"],
    ["fit", "rows.csv", *FIT, "--out", "./rows.csv"],
    ["fit", "rows.csv", *FIT, "--out", "soft.csv"],
    ["fit", "rows.csv", *FIT, "--out", "hard.csv"],
    ["fit", "soft.csv", *FIT, "--out", "rows.csv"],
    ["fit", "rows.csv", *FIT, "--json", "rows.csv"],
    ["fit", "pilot.csv", *FIT, "--test", "rows.csv", "--out", "rows.csv"],
    ["fit", "rows.csv", *FIT, "--out", "new.svg", "--plot", "new.svg"],
    ["fit", "rows.csv", *FIT, "--out", "new.json", "--json", "./new.json"],
    ["bands", "rows.csv", *FIT, "--out", "rows.csv"],
    ["bands", "rows.csv", *FIT, "--out", "new.svg", "--plot", "new.svg"],
    ["compare", "rows.csv", *FIT, *BOTH, "--json", "rows.csv"],
    ["compare", "rows.csv", *FIT, *BOTH, "--json", "new.svg", "--plot", "new.svg"],
    ["predict", "model.joblib", "rows.csv", "--out", "rows.csv"],
    ["predict", "model.joblib", "rows.csv", "--out", "model.joblib"],
    ["certify", "model.joblib", "rows.csv", "--label", "y", "--json", "model.joblib"],
    ["multiclass", "rows.csv", *MANY, "--out", "rows.csv"],
    ["multiclass", "rows.csv", *MANY, "--new", "pilot.csv", "--predictions", "pilot.csv"],
    ["multiclass", "rows.csv", *MANY, "--new", "rows.csv", "--predictions", "new.csv", "--out", "new.csv"],
    ["npcs", "rows.csv", "--label", "y", "--alphas", "0=0.1", "--out", "rows.csv"],
    ["plan", "pilot.csv", "--json", "pilot.csv"],
    ["threshold", "pilot.csv", "--score", "score", "--out", "pilot.csv"],
    ["apply", "rule.json", "pilot.csv", "--out", "pilot.csv"],
    ["apply", "rule.json", "pilot.csv", "--out", "rule.json"],
]


@pytest.mark.parametrize("arguments", CLASHES, ids=" ".join)
def test_no_command_writes_over_what_it_reads_or_has_written(given, monkeypatch, capsys, arguments):
    monkeypatch.chdir(given)
    if not Path("soft.csv").exists():
        Path("soft.csv").symlink_to("rows.csv")
        os.link("rows.csv", "hard.csv")
    before = {path.name: path.read_bytes() for path in given.iterdir()}
    assert main(arguments) == 2
    assert " are the same file, " in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in given.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["fit", "rows.csv", *FIT, "--out", ""], "--out"),
        (["fit", "rows.csv", *FIT, "--plot", ""], "--plot"),
        (["fit", "rows.csv", *FIT, "--json", ""], "--json"),
        (["fit", "rows.csv", *FIT, "--test", ""], "--test"),
        (["fit", "", *FIT], "the data"),
        (["predict", "model.joblib", "rows.csv", "--out", ""], "--out"),
        (["multiclass", "rows.csv", *MANY, "--new", "", "--predictions", "p.csv"], "--new"),
        (["demo", "--out", ""], "--out"),
    ],
)
def test_an_empty_name_is_an_error_before_anything_is_computed(given, monkeypatch, capsys, arguments, option):
    monkeypatch.chdir(given)
    assert main(arguments) == 2
    assert f"the name of {option} is empty" in capsys.readouterr().err


def test_every_option_that_names_a_file_is_checked():
    actions = build_parser()._subparsers._group_actions[0].choices.values()
    named = {
        action.dest
        for command in actions
        for action in command._actions
        if action.metavar in ("FILE", "DATA", "MODEL", "NEW", "FRESH", "SCORES", "RULE")
        and not isinstance(action, argparse._HelpAction)
    }
    assert named == {*FILES_READ, *FILES_WRITTEN}


def test_files_of_their_own_are_fine(tmp_path):
    (tmp_path / "rows.csv").touch()
    check_outputs({"--out": tmp_path / "a", "--plot": tmp_path / "b"}, {"the data": tmp_path / "rows.csv"})


def test_an_interrupt_leaves_no_file(tmp_path):
    def interrupted():
        with replaced_file(tmp_path / "new.txt") as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_outputs_that_cannot_be_written_say_why(tmp_path):
    (tmp_path / "round").symlink_to(tmp_path / "round")
    for path, message in [
        (tmp_path / "no" / "file", "there is no folder"),
        (tmp_path, "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("", "is empty"),
        (tmp_path / "a\0b", "cannot be the name of a file"),
        (tmp_path / "round", "cannot be the name of a file"),
        (tmp_path / ("x" * 400), "cannot be the name of a file"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            check_output(path)
    with pytest.raises(InvalidInputError, match="round' cannot be the name of a file"):
        check_outputs({"--out": tmp_path / "new"}, {"the data": tmp_path / "round"})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_protected_files_and_folders_are_errors(tmp_path):
    (tmp_path / "file").touch(mode=0o444)
    with pytest.raises(InvalidInputError, match="protected against writing"):
        check_output(tmp_path / "file")
    tmp_path.chmod(0o555)
    with pytest.raises(InvalidInputError, match="no permission to write in the folder"):
        check_output(tmp_path / "other")
    tmp_path.chmod(0o755)


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "any").touch()
    with replaced_file(tmp_path / "new") as part:
        part.write_text("")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_written_again_keeps_its_permissions_at_every_moment(tmp_path, mode):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(mode)
    with replaced_file(path) as part:
        part.write_text("new")
        assert part.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_text() == "new"


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    Path(tmp_path / "link").symlink_to(tmp_path / "real")
    with replaced_file(tmp_path / "link") as part:
        part.write_text("new")
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_file_and_folder_are_on_the_disk_before_and_after_the_replacement(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace

    def noted_sync(descriptor):
        number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        done.append(Path(os.readlink(f"/proc/self/fd/{number}")) if Path("/proc/self/fd").exists() else None)
        fsync(descriptor)

    def noted_replace(source, target):
        done.append("replaced")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    with replaced_file(tmp_path / "file") as part:
        part.write_text("new")
    assert done[1] == "replaced"
    assert len(done) == 3
    if done[0] is not None:
        assert (done[0], done[2]) == (part, tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_full_disk_is_an_error_that_names_the_file_and_leaves_the_old_one(tmp_path, number):
    path = tmp_path / "model"
    path.write_text("old")

    def fill():
        with replaced_file(path) as part:
            part.write_text("half")
            raise OSError(number, os.strerror(number))

    with pytest.raises(
        InvalidInputError, match=rf"cannot write .*model: {os.strerror(number)}. The existing file was not changed"
    ):
        fill()
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("model", "old")]


@pytest.mark.slow
def test_what_a_killed_program_left_is_removed_when_the_file_is_written_again(tmp_path):
    script = (
        "import os, signal, sys\n"
        "from nproc.outputs import replaced_file\n"
        "with replaced_file(sys.argv[1]) as part:\n"
        "    part.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "model"
    for number in (1, 1):
        assert subprocess.run([sys.executable, "-c", script, path], check=False).returncode == -9
        assert len(list(tmp_path.iterdir())) == number
    with replaced_file(path) as living:
        # one of another file, and one that is being written
        (tmp_path / ".other.1234.part").touch()
        with replaced_file(path) as second:
            second.write_text("second")
        assert living.exists()
        living.write_text("new")
    assert path.read_text() == "new"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".other.1234.part", "model"]
    remove_abandoned(tmp_path, ".*.part")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("cell", ["a\rb", "a\nb", "a\r\nb", 'a"\r', "a,\r"])
def test_a_table_with_ends_of_lines_in_its_cells_is_read_as_it_was(cell):
    frame = pd.DataFrame({"id": [cell, "plain"], "n": [1, 2], "x": [0.5, 1.0]})
    for signs in ({}, {"sep": ";", "decimal": ","}):
        read = pd.read_csv(io.StringIO(csv_text(frame, **signs), newline=""), **signs)
        pd.testing.assert_frame_equal(read, frame)


def test_a_plain_table_has_no_quotation_marks():
    assert csv_text(pd.DataFrame({"id": ["a"], "n": [1]})) == "id,n\na,1\n"


def test_what_is_written_to_the_null_device_is_gone_and_the_device_stays(given, monkeypatch, capsys):
    monkeypatch.chdir(given)
    before, device = {path.name: path.read_bytes() for path in given.iterdir()}, os.stat(os.devnull).st_ino
    for arguments in (
        ["fit", "rows.csv", *FIT, "--out", os.devnull, "--json", os.devnull],
        ["predict", "model.joblib", "rows.csv", "--out", os.devnull],
        ["threshold", "pilot.csv", "--score", "score", "--label", "label", "--class0", "0", "--out", os.devnull],
        ["apply", "rule.json", "pilot.csv", "--out", os.devnull],
        ["bands", "rows.csv", *FIT, "--out", os.devnull],
    ):
        assert main(arguments) == 0, capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in given.iterdir()} == before
    assert (os.stat(os.devnull).st_ino, Path(os.devnull).is_char_device()) == (device, True)


def test_a_stream_that_cannot_be_written_is_told_with_its_option_and_the_sign_for_the_standard_output(
    given, monkeypatch, capsys
):
    monkeypatch.chdir(given)
    told = "/dev/stdout: it is a device or a stream, and not a regular file."
    for arguments, option, way_out in (
        (["predict", "model.joblib", "rows.csv", "--out", "/dev/stdout"], "--out", " --out - is the standard output."),
        (["apply", "rule.json", "pilot.csv", "--out", "/dev/stdout"], "--out", " --out - is the standard output."),
        (["fit", "rows.csv", *FIT, "--out", "/dev/stdout"], "--out", ""),
        (["fit", "rows.csv", *FIT, "--json", "/dev/stdout"], "--json", " --json - is the standard output."),
    ):
        assert main(arguments) == 2
        assert f"cannot write {option} {told}{way_out}\n" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_streams_are_no_files_to_write(path, tmp_path):
    program = f"from nproc.outputs import check_output\ncheck_output({path!r})"
    with open(tmp_path / "log", "w") as log:
        run = subprocess.run([sys.executable, "-c", program], stdout=log, stderr=subprocess.PIPE, text=True)
    assert "it is a device or a stream, and not a regular file" in run.stderr
