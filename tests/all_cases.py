"""One claim for many cases: a loop that goes on after a failure, and tells at the end which cases fail, and why."""

import pytest

from nproc import errors


def forget_warnings():
    """Let warnings that come once in a process come again."""
    errors._TOLD.clear()
    errors._TOLD_ROWS.clear()


def check_all_cases(check, cases):
    """Run ``check(*case)`` for each named case, and raise an AssertionError with a line for each that fails."""
    assert cases, "no case is given"
    failed = []
    for name, case in cases.items():
        # each case hears a warning that comes once in a process
        forget_warnings()
        try:
            check(*case)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
    assert not failed, f"{len(failed)} of {len(cases)} cases fail\n" + "\n".join(failed)
