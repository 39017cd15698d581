"""Tests of `nproc.errors`: one family, and every error is also what Python users expect to catch."""

import pytest

from nproc import errors


@pytest.mark.parametrize("name", ["InvalidInputError", "TooFewSamplesError", "InvalidTypeError"])
def test_every_error_is_an_nperror_and_a_value_error(name):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.NPError)
    assert issubclass(kind, ValueError)


def test_lost_workers_are_no_fault_of_a_value():
    assert issubclass(errors.LostWorkerError, errors.NPError)
    assert issubclass(errors.LostWorkerError, RuntimeError)
    assert not issubclass(errors.LostWorkerError, ValueError)


def test_a_value_of_the_wrong_type_is_also_a_type_error():
    assert issubclass(errors.InvalidTypeError, TypeError)


@pytest.mark.parametrize("name", ["NotConvergedWarning", "SeparationWarning"])
def test_every_warning_is_an_npwarning(name):
    assert issubclass(getattr(errors, name), errors.NPWarning)
    assert issubclass(errors.NPWarning, UserWarning)
