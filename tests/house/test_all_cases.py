"""A loop over cases fails where one of them does, whichever way, and names it."""

import pytest
from all_cases import check_all_cases


def claim(value):
    if value < 0:
        raise ValueError("below 0")
    if value == 1:
        pytest.fail("did not raise")
    assert value != 2


def test_every_kind_of_failure_is_told_with_the_name_of_its_case():
    cases = {"fine": (0,), "negative": (-1,), "one": (1,), "two": (2,), "last": (3,)}
    with pytest.raises(AssertionError) as told:
        check_all_cases(claim, cases)
    first, *lines = str(told.value).splitlines()
    assert first == "3 of 5 cases fail"
    assert [line for line in lines if line.startswith("negative: ValueError: below 0")]
    assert [line for line in lines if line.startswith("one: Failed: did not raise")]
    assert [line for line in lines if line.startswith("two: AssertionError")]


def test_no_case_is_a_failure():
    with pytest.raises(AssertionError, match="no case is given"):
        check_all_cases(claim, {})
