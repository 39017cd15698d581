"""Which release of another package the tests run with."""

from importlib.metadata import version

from sklearn.utils.fixes import parse_version


def since(package, release):
    """Whether a package is of this release or a newer one."""
    return parse_version(version(package)) >= parse_version(release)
