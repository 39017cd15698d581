"""A file that fits in the head: 300 lines, or an excuse; and every folder of files is installed."""

from configparser import ConfigParser

import pytest
from source_files import FILES, PACKAGE, module_name

LIMIT = 300
EXCUSES = {
    "api.py": "four doors whose docstrings are the manual: less than a third of the lines is code",
    "bands.py": "one result class; points, summary and drawing already live in other files",
}


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_a_file_has_at_most_300_lines_or_an_excuse(path):
    name = path.relative_to(PACKAGE).as_posix()
    assert lines_of(path) <= LIMIT or name in EXCUSES, f"{name} has {lines_of(path)} lines: split it"


@pytest.mark.parametrize("name", EXCUSES)
def test_an_excuse_is_still_needed(name):
    assert lines_of(PACKAGE / name) > LIMIT


def test_every_folder_of_the_package_is_installed():
    config = ConfigParser()
    config.read(PACKAGE.parent / "setup.cfg", encoding="utf-8")
    named = config["options"]["packages"].split()
    folders = {path.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".") for path in FILES}
    assert sorted(named) == sorted(folders | {"nproc.data"})
