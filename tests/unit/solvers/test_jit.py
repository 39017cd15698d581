"""One function, run compiled or as Python."""

import pickle

import numpy as np
import pytest

from nproc.solvers import jit
from nproc.solvers.jit import compiler_on, hot, plain_python


@hot
def square(x):
    return x * x


@hot
def sum_of_squares(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += square(values[i])
    return total


@hot(reassociate=True)
def dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


def test_compiled_and_plain_runs_agree():
    values = np.random.default_rng(1).normal(size=100)
    compiled = sum_of_squares(values), dot(values, values)
    with plain_python():
        assert not compiler_on()
        plain = sum_of_squares(values), dot(values, values)
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)
    np.testing.assert_allclose(plain[0], np.sum(values**2), rtol=1e-12)


def test_the_compiler_comes_back_after_an_error():
    before = compiler_on()
    with pytest.raises(ZeroDivisionError), plain_python():
        raise ZeroDivisionError
    assert compiler_on() == before


def test_without_numba_the_plain_function_runs(monkeypatch):
    monkeypatch.setattr(jit, "numba_installed", lambda: False)
    assert sum_of_squares.target() is sum_of_squares.function
    assert sum_of_squares(np.array([3.0, 4.0])) == 25.0


def test_with_numba_the_compiled_function_runs():
    pytest.importorskip("numba", reason="the extra [fast] is not installed")
    assert sum_of_squares.target() is not sum_of_squares.function
    assert type(sum_of_squares.target()).__name__ == "CPUDispatcher"


def test_what_is_kept_compiled_is_told_from_that_of_other_code_that_it_calls(monkeypatch):
    before = sum_of_squares.fingerprint()
    assert before == sum_of_squares.fingerprint()
    assert before != dot.fingerprint()

    def cube(x):
        return x * x * x

    # as if another module, whose file numba does not look at, had changed
    monkeypatch.setattr(square, "function", cube)
    assert sum_of_squares.fingerprint() != before


def test_a_hot_function_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(square)) is square
