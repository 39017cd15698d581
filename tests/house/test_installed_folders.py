"""Every folder of files is installed."""

from configparser import ConfigParser

from source_files import FILES, PACKAGE


def test_every_folder_of_the_package_is_installed():
    config = ConfigParser()
    config.read(PACKAGE.parent / "setup.cfg", encoding="utf-8")
    named = config["options"]["packages"].split()
    folders = {path.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".") for path in FILES}
    assert sorted(named) == sorted(folders | {"nproc.data"})
