"""One function, run compiled or as Python."""

import importlib.util
import pickle
import sys

import numpy as np
import pytest

from nproc.solvers import jit
from nproc.solvers.jit import compiler_on, hot, plain_python, prefetch


@hot
def square(x):
    return x * x


@hot
def sum_of_squares(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += square(values[i])
    return total


@hot(inline=True)
def inverse(x):
    return 1.0 / x


@hot
def sum_of_inverses(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += inverse(values[i])
    return total


@hot(reassociate=True)
def dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


def test_compiled_and_plain_runs_agree():
    values = np.random.default_rng(1).normal(size=100)
    compiled = sum_of_squares(values), dot(values, values), sum_of_inverses(values)
    with plain_python():
        assert not compiler_on()
        plain = sum_of_squares(values), dot(values, values), sum_of_inverses(values)
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


@pytest.mark.parametrize(("folder", "beside"), [("site-packages", False), ("checkout", True)])
def test_an_installed_package_leaves_no_compiled_files_where_it_lies(folder, beside, tmp_path, monkeypatch):
    pytest.importorskip("numba", reason="the extra [fast] is not installed")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    package = tmp_path / folder / "squares"
    package.mkdir(parents=True)
    text = "from nproc.solvers.jit import hot\n\n\n@hot\ndef square(x):\n    return x * x\n"
    (package / "squaring.py").write_text(text)
    spec = importlib.util.spec_from_file_location("squaring", package / "squaring.py")
    module = importlib.util.module_from_spec(spec)
    # numba reads the module of what it compiles
    monkeypatch.setitem(sys.modules, "squaring", module)
    spec.loader.exec_module(module)
    assert module.square(3.0) == 9.0
    assert bool(list(package.rglob("*.nbi"))) == beside
    assert bool(list((tmp_path / "cache").rglob("*.nbi"))) != beside


@hot
def sum_asked_for_ahead(values, ahead):
    total = 0.0
    for i in range(values.shape[0]):
        if i + ahead < values.shape[0]:
            prefetch(values, i + ahead)
        total += values[i]
    return total


def test_asking_for_memory_ahead_changes_no_result():
    values = np.random.default_rng(0).normal(size=1000)
    for ahead in (1, 16):
        with plain_python():
            right = sum_asked_for_ahead(values, ahead)
        assert sum_asked_for_ahead(values, ahead) == right == np.cumsum(values)[-1]
