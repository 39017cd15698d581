"""A seed that a test leaves out comes from its name: a test has one outcome, and no chance of failing now and then."""

import sys
import zlib

import numpy as np
import pytest
from all_cases import forget_warnings

from nproc import checks


@pytest.fixture(autouse=True)
def warnings_that_come_once_come_in_each_test():
    forget_warnings()


@pytest.fixture(autouse=True)
def seeds_left_out_come_from_the_name(request, monkeypatch):
    seeds = np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
    monkeypatch.setattr(checks, "fresh_seed", lambda: int(seeds.integers(2**32)))


@pytest.fixture
def reports_without_pictures(request, monkeypatch):
    """Reports whose pictures are empty files, as drawing takes long, unless a test asks for `with_pictures`."""
    if "with_pictures" not in request.fixturenames:
        monkeypatch.setattr("nproc.plotting.as_svg", lambda draw, *size: b"<svg/>")


@pytest.fixture
def with_pictures():
    """Asked for by tests that look at the pictures of reports, or show that these can be drawn."""


@pytest.fixture(autouse=True)
def pictures_are_closed():
    # pyplot keeps each until it is told, and warns of many
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
