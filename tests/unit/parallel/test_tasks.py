"""Tests of `nproc.parallel.tasks`: order, warnings, progress and interrupts, for every way to run tasks."""

import importlib.util
import mmap
import os
import threading
import time
import warnings
from contextlib import contextmanager

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context, get_config
from threadpoolctl import threadpool_info, threadpool_limits

from nproc.errors import InvalidInputError, NPWarning
from nproc.parallel.tasks import _bar_class, check_n_jobs, run_tasks
from nproc.parallel.threads import heard_in_this_thread
from nproc.rows.keys import take_rows


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


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential", "multiprocessing"])
def test_a_backend_of_joblib_gives_the_same_results(backend):
    tasks = [(seed, 3) for seed in range(6)]
    with joblib.parallel_config(backend, n_jobs=2):
        results = run_tasks(draw, tasks)
    np.testing.assert_array_equal(results, [draw(*task) for task in tasks])


def settings_of_scikit_learn(_):
    return get_config()


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential", "multiprocessing"])
def test_the_settings_of_scikit_learn_hold_in_every_worker_and_only_for_the_task(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        with config_context(transform_output="pandas", enable_metadata_routing=True, assume_finite=True):
            here, found = get_config(), run_tasks(settings_of_scikit_learn, [(j,) for j in range(4)])
        assert run_tasks(settings_of_scikit_learn, [(j,) for j in range(4)]) == [get_config()] * 4
    assert found == [here] * 4
    assert here["transform_output"] == "pandas"


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


def test_warnings_of_threads_are_heard_once_with_their_number():
    filters, show = list(warnings.filters), warnings.showwarning
    with (
        joblib.parallel_config("threading", n_jobs=2),
        pytest.warns(NPWarning, match=r"odd one \(task: 3 of 6\)") as heard,
    ):
        run_tasks(warn_on_odd, [(j,) for j in range(6)])
    assert len(heard) == 1
    with joblib.parallel_config("threading", n_jobs=2), pytest.raises(KeyboardInterrupt):
        run_tasks(interrupt_at, [(j, 2) for j in range(6)])
    assert warnings.filters == filters
    assert warnings.showwarning is show


def test_tasks_in_threads_of_a_thread_leave_the_filters_alone():
    seen = []

    def look(number):
        seen.append((list(warnings.filters), warnings.showwarning))
        return number

    def work():
        with joblib.parallel_config("threading", n_jobs=2):
            run_tasks(look, [(j,) for j in range(4)])

    before = list(warnings.filters), warnings.showwarning
    other = threading.Thread(target=work)
    other.start()
    other.join(timeout=20)
    assert seen == [before] * 4


def test_a_single_task_has_no_count_in_its_warning():
    with pytest.warns(NPWarning, match="an odd one$"):
        run_tasks(warn_on_odd, [(1,)])


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_passes(n_jobs):
    with pytest.raises(KeyboardInterrupt):
        run_tasks(interrupt_at, [(j, 2) for j in range(6)], n_jobs=n_jobs)


@pytest.mark.slow
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


@pytest.mark.slow
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


def inner_parallelism(_):
    time.sleep(0.05)
    pools = [(pool["user_api"], pool["num_threads"]) for pool in threadpool_info()]
    return os.getpid(), joblib.effective_n_jobs(-1), sorted(set(pools))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_task_among_several_workers_is_sequential_inside(backend):
    with threadpool_limits(2):
        before = threadpool_info()
        with joblib.parallel_config(backend, n_jobs=2):
            found = run_tasks(inner_parallelism, [(j,) for j in range(4)])
        assert threadpool_info() == before
    assert {n_jobs for _, n_jobs, _ in found} == {1}
    if backend == "threading":
        # processes get their share of the cores from joblib
        assert {n for _, _, pools in found for _, n in pools} == {1}


@pytest.mark.parametrize(("tasks", "n_jobs"), [(3, 1), (3, None), (1, 2)])
def test_what_runs_here_one_after_the_other_may_be_parallel_inside(tasks, n_jobs):
    with threadpool_limits(2):
        for pid, inner, pools in run_tasks(inner_parallelism, [(j,) for j in range(tasks)], n_jobs=n_jobs):
            assert pid == os.getpid()
            assert inner == joblib.effective_n_jobs(-1)
            assert ("blas", 2) in pools


def seen_by_a_worker(table, vector, number):
    arrays = [table.data if sparse.issparse(table) else getattr(table, "values", table), vector]
    mapped = [isinstance(base_of(array), mmap.mmap) for array in arrays]
    part = take_rows(table, np.array([number, 0]))
    if hasattr(part, "iloc"):
        part.iloc[:, :] = -1.0
    else:
        values = part.data if sparse.issparse(part) else part
        assert type(values) is np.ndarray
        values[:] = -1.0
    return mapped, [array.flags.writeable for array in arrays], float(vector.sum())


def base_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


@pytest.mark.parametrize("kind", ["array", "csr", "frame"])
def test_processes_map_one_copy_of_large_arrays_and_cannot_write_into_it(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    values = np.random.default_rng(0).normal(size=(150_000, 2))
    table = {"array": values, "csr": sparse.csr_matrix(values), "frame": pd.DataFrame(values)}[kind]
    vector, most = values[:, 0] + 200_000.0, []

    def count_files(verbose, label, n_tasks):
        return progress_that(lambda: most.append(sum(1 for path in tmp_path.rglob("*.pkl"))))

    monkeypatch.setattr("nproc.parallel.tasks.progress", count_files)
    found = run_tasks(seen_by_a_worker, [(j,) for j in range(6)], shared=(table, vector), n_jobs=2)
    assert [mapped for mapped, _, _ in found] == [[True, True]] * 6
    assert {writeable for _, flags, _ in found for writeable in flags} == {False}
    assert {total for _, _, total in found} == {vector.sum()}
    # what a task wrote into its rows is its own
    assert values.min() > -10
    # table and vector, and for a sparse one its integers, once for all tasks
    assert max(most) <= (4 if kind == "csr" else 2)


@contextmanager
def progress_that(does):
    yield does


class Memory(dict):
    """A store in memory."""

    read = dict.get
    write = dict.__setitem__


def test_tasks_that_a_store_has_are_not_run_and_others_go_there():
    store, tasks = Memory(), [(seed, 3) for seed in range(5)]
    keys = [f"task {j}" for j in range(5)]
    first = run_tasks(draw, tasks[:3], store=store, keys=keys[:3])
    assert sorted(store) == keys[:3]
    store["task 1"] = ("from the store", ())
    again = run_tasks(draw, tasks, store=store, keys=keys, n_jobs=2)
    assert again[1] == "from the store"
    np.testing.assert_array_equal([again[0], again[2]], [first[0], first[2]])
    np.testing.assert_array_equal(again[3:], [draw(*task) for task in tasks[3:]])
    assert sorted(store) == keys


def test_what_was_done_before_an_error_is_in_the_store():
    store = Memory()
    with pytest.raises(InvalidInputError, match="task 3 is bad"):
        run_tasks(fail_at, [(j, 3) for j in range(6)], store=store, keys="abcdef")
    assert sorted(store) == ["a", "b", "c"]


def test_warnings_of_stored_tasks_are_heard_again():
    store, tasks = Memory(), [(j,) for j in range(4)]
    for _ in range(2):
        with pytest.warns(NPWarning, match=r"an odd one \(number: 2 of 4\)"):
            run_tasks(warn_on_odd, tasks, label="number", store=store, keys="abcd")


def test_threads_of_a_worker_hear_their_own_warnings_and_filters_are_as_before():
    filters, show = list(warnings.filters), warnings.showwarning
    heard, barrier = {}, threading.Barrier(3)

    def warn_by_name(name):
        with heard_in_this_thread() as mine:
            barrier.wait(timeout=10)
            for _ in range(20):
                warnings.warn(name, UserWarning, stacklevel=1)
            # the first to leave must not take the place away from the others
            barrier.wait(timeout=10)
        heard[name] = mine

    threads = [threading.Thread(target=warn_by_name, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    barrier.wait(timeout=10)
    barrier.wait(timeout=10)
    for thread in threads:
        thread.join(timeout=10)
    assert heard == {name: [(UserWarning, name)] * 20 for name in "ab"}
    assert warnings.filters == filters
    assert warnings.showwarning is show


def test_a_thread_that_runs_no_task_is_heard_where_it_always_was():
    with warnings.catch_warnings(record=True) as heard, heard_in_this_thread() as mine:
        other = threading.Thread(target=warnings.warn, args=("elsewhere", UserWarning))
        other.start()
        other.join(timeout=10)
    assert mine == []
    assert [str(entry.message) for entry in heard] == ["elsewhere"]


# loky's manager thread may look up a task that was cancelled while the error was on its way: not what is tested
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_in_the_store_is_not_covered_by_what_joblib_says_of_unused_results():
    class Full(Memory):
        def write(self, key, outcome):
            raise InvalidInputError("the disk is full.")

    with pytest.raises(InvalidInputError, match="the disk is full"):
        run_tasks(draw, [(j, 1) for j in range(6)], store=Full(), keys="abcdef", n_jobs=2)
