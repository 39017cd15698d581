"""Tests of `nproc.errors`: one family, and every error is also what Python users expect to catch."""

import pickle

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


def test_an_error_keeps_its_fields_through_a_process():
    error = errors.InvalidInputError(
        "alpha must lie below 1, got 2.", argument="alpha", value=2, limit=1, fault="level", way_out="Take 0.05."
    )
    there = pickle.loads(pickle.dumps(error))
    assert (str(there), vars(there)) == ("alpha must lie below 1, got 2. Take 0.05.", vars(error))
    assert there.worded(argument="--alpha", way_out="") == "--alpha must lie below 1, got 2."


def test_every_kind_of_error_has_the_fields():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.NPError)]
    assert [
        kind for kind in kinds if kind("n0 is 3.", argument="n0", way_out="More.").worded(way_out="") != "n0 is 3."
    ] == []


def test_an_error_keeps_its_fields_when_it_is_told_of_what_it_is_about():
    error = errors.InvalidInputError("C must be above 0, got -1.", argument="C", value=-1, way_out="Take 1.")
    told = error.told("method 'npsvm': ").told("file a.csv: ")
    assert str(told) == "file a.csv: method 'npsvm': C must be above 0, got -1. Take 1."
    assert told.worded(argument="--param C") == "file a.csv: method 'npsvm': --param C must be above 0, got -1. Take 1."
    assert (told.argument, told.value, type(told)) == ("C", -1, errors.InvalidInputError)
