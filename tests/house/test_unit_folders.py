"""`tests/unit` mirrors the package: a folder for each room, and files at the top for the files of the hall."""

from source_files import PACKAGE, ROOT

UNIT = ROOT / "tests" / "unit"


def test_each_folder_of_unit_tests_is_a_room():
    # the folder of a room holds the tests of its folders too
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    folders = {path.parent.relative_to(UNIT).as_posix() for path in UNIT.rglob("*.py")} - {"."}
    assert sorted(folders - rooms) == []


def test_each_unit_test_at_the_top_is_called_after_a_file_of_the_hall():
    hall = {path.stem for path in PACKAGE.glob("*.py")} | {"public_names"}
    names = [path.stem.removeprefix("test_") for path in UNIT.glob("*.py")]
    assert [name for name in names if not any(f"{name}_".startswith(f"{file}_") for file in hall)] == []


def test_no_two_test_files_share_a_name():
    # pytest imports a file by its name alone
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []
