"""A work is cited in full once in a room, in its door or that of the folder; elsewhere by its key."""

import re
from pathlib import Path

import pytest

import nproc

ROOT = Path(nproc.__file__).parent


@pytest.mark.parametrize("room", ["scorers", "losses"])
def test_every_key_is_explained_once_and_in_a_door(room):
    cited, explained = {}, []
    for path in sorted((ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        cited |= dict.fromkeys(re.findall(r"\[([a-z]\w*\d{4}\w*)\]_", text), path.name)
        keys = re.findall(r"^ *\.\. \[(\w+)\] ", text, flags=re.MULTILINE)
        assert not keys or path.name == "__init__.py", path
        explained += keys
    # in full at the door of the solvers, and only there
    del cited["gasso2011"]
    assert sorted(explained) == sorted(cited)


def test_the_work_that_many_rooms_cite_stands_in_full_once():
    full = [path for path in ROOT.rglob("*.py") if ".. [gasso2011] " in path.read_text(encoding="utf-8")]
    assert full == [ROOT / "solvers" / "__init__.py"]
