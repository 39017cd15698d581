"""Tests of `nproc.parallel`: order, warnings, progress and interrupts, for every way to run tasks."""

import importlib.util
import os
import threading
import time
import warnings

import joblib
import numpy as np
import pytest

from nproc.errors import InvalidInputError, NPWarning
from nproc.parallel import _bar_class, check_n_jobs, run_tasks


def draw(seed, size):
    return np.random.default_rng(seed).normal(size=size)


def warn_on_odd(number):
    if number % 2:
        warnings.warn("an odd one", NPWarning, stacklevel=2)
        warnings.warn("an odd one", NPWarning, stacklevel=2)
    return number


def interrupt_at(number, where):
    if number == where:
        raise KeyboardInterrupt
    return number


def fail_at(number, where):
    if number == where:
        raise InvalidInputError(f"task {number} is bad.")
    return number


def where_am_i(_):
    time.sleep(0.05)
    return os.getpid(), threading.get_ident()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_tasks(n_jobs):
    tasks = [(seed, 3) for seed in range(6)]
    results = run_tasks(draw, tasks, n_jobs=n_jobs)
    np.testing.assert_array_equal(results, [draw(*task) for task in tasks])


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential"])
def test_a_backend_of_joblib_gives_the_same_results(backend):
    tasks = [(seed, 3) for seed in range(6)]
    with joblib.parallel_config(backend, n_jobs=2):
        results = run_tasks(draw, tasks)
    np.testing.assert_array_equal(results, [draw(*task) for task in tasks])


def test_no_n_jobs_follows_an_active_parallel_config():
    with joblib.parallel_config("threading", n_jobs=2):
        threads = {thread for _, thread in run_tasks(where_am_i, [(j,) for j in range(6)])}
    assert len(threads) == 2


def test_two_jobs_run_in_other_processes():
    pids = {pid for pid, _ in run_tasks(where_am_i, [(j,) for j in range(6)], n_jobs=2)}
    assert os.getpid() not in pids


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_all_tasks_are_heard_once_with_their_number(n_jobs):
    with pytest.warns(NPWarning, match=r"an odd one \(number: 3 of 6\)") as heard:
        assert run_tasks(warn_on_odd, [(j,) for j in range(6)], n_jobs=n_jobs, label="number") == list(range(6))
    assert len(heard) == 1


def test_warnings_of_threads_are_heard():
    with joblib.parallel_config("threading", n_jobs=2), pytest.warns(NPWarning, match="an odd one"):
        run_tasks(warn_on_odd, [(j,) for j in range(6)])


def test_a_single_task_has_no_count_in_its_warning():
    with pytest.warns(NPWarning, match="an odd one$"):
        run_tasks(warn_on_odd, [(1,)])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_passes(n_jobs):
    with pytest.raises(KeyboardInterrupt):
        run_tasks(interrupt_at, [(j, 2) for j in range(6)], n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_keeps_its_class_and_words(n_jobs):
    with pytest.raises(InvalidInputError, match=r"task 2 is bad\."):
        run_tasks(fail_at, [(j, 2) for j in range(6)], n_jobs=n_jobs)


def test_an_interrupt_stops_the_tasks_that_are_left():
    done = []

    def note(number):
        done.append(number)
        return interrupt_at(number, 2)

    with pytest.raises(KeyboardInterrupt):
        run_tasks(note, [(j,) for j in range(6)], n_jobs=1)
    assert done == [0, 1, 2]


def test_progress_goes_to_the_standard_error_only_when_asked(capsys):
    run_tasks(draw, [(j, 1) for j in range(2)], label="split")
    assert capsys.readouterr().err == ""
    run_tasks(draw, [(j, 1) for j in range(2)], label="split", verbose=2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("split 1 of 2 done, ")
    assert "split 2 of 2 done, " in captured.err


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_verbose_1_is_a_bar_that_ends_at_the_number_of_tasks(n_jobs, capsys):
    assert len(run_tasks(draw, [(j, 1) for j in range(3)], label="split", verbose=1, n_jobs=n_jobs)) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.rstrip().split("\r")[-1].startswith("split: 100%")
    assert "3/3" in captured.err


def test_an_interrupt_closes_the_bar(capsys):
    with pytest.raises(KeyboardInterrupt):
        run_tasks(interrupt_at, [(j, 2) for j in range(6)], verbose=1, label="split")
    err = capsys.readouterr().err
    # the line is ended, so that what is written next does not follow the bar
    assert err.endswith("\n")
    assert "2/6" in err


def test_a_notebook_without_widgets_gets_the_bar_of_a_terminal_and_no_warning(monkeypatch):
    from tqdm.std import tqdm

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert _bar_class() is tqdm


def test_warning_filters_are_as_before():
    before = list(warnings.filters)
    with pytest.warns(NPWarning, match="odd"):
        run_tasks(warn_on_odd, [(1,)])
    assert warnings.filters == before


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1, np.int64(2)])
def test_n_jobs_is_none_or_a_whole_number(n_jobs):
    assert check_n_jobs(n_jobs) == n_jobs


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_any_other_n_jobs_is_refused(n_jobs):
    with pytest.raises(InvalidInputError, match=r"n_jobs must be None or a whole number other than 0 .*, got"):
        check_n_jobs(n_jobs)


@pytest.mark.parametrize("verbose", [-1, 1.5, "yes", None])
def test_verbose_is_a_whole_number(verbose):
    with pytest.raises(InvalidInputError, match="verbose must be 0"):
        run_tasks(draw, [(1, 3)], verbose=verbose)
