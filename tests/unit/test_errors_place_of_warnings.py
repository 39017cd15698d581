"""A warning points at the user's line, wherever in the package it was raised, and none is lost."""

import inspect
import re
import threading
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nproc
from nproc import npc
from nproc.errors import NPWarning, SeparationWarning, changed_filter
from nproc.scorers import get_scorer
from nproc.scorers.papers.online import OnlineNPClassifier

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [80, 60])
X = RNG.normal(size=(140, 2)) + 2.0 * Y[:, None]


def hasty(**params):
    """A classifier whose training warns: fewer class 0 rows than 1 / alpha."""
    return OnlineNPClassifier(0.001, max_iter=2, tol=None, random_state=0, **params)


def line_here():
    return inspect.currentframe().f_back.f_lineno


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "n_heard"),
    [
        (lambda: hasty().fit(X, Y), 1),
        (lambda: make_pipeline(StandardScaler(), hasty()).fit(X, Y), 1),
        # scikit-learn and joblib, which calls it, are passed over
        (lambda: cross_val_score(hasty(), X, Y, cv=2), 2),
        # the warning of the training, carried home from the split; and that of the even number of splits
        (lambda: npc(X, Y, hasty(), alpha=0.1, delta=0.5, random_state=0), 1),
        (lambda: npc(X, Y, hasty(), alpha=0.1, delta=0.5, n_splits=2, random_state=0), 2),
        (lambda: npc(X, Y, hasty(), alpha=0.1, delta=0.5, n_splits=2, n_jobs=2, random_state=0), 2),
        (lambda: nproc.np_threshold(np.ones(100)), 1),
    ],
)
def test_it_points_at_the_call(call, n_heard):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    ours = [w for w in heard if issubclass(w.category, NPWarning)]
    assert len(ours) == n_heard
    assert {w.filename for w in ours} == {__file__}
    # the lambda's own line
    assert {w.lineno for w in ours} == {call.__code__.co_firstlineno}


def test_a_warning_below_a_decorator_of_numpy_points_at_the_call():
    # the loop of "logistic", which finds the separation, is decorated with errstate
    first = line_here()
    with pytest.warns(SeparationWarning) as heard:
        get_scorer("logistic").fit(X + 40.0 * Y[:, None], Y)
    assert [(w.filename, w.lineno) for w in heard] == [(__file__, first + 2)]


def test_a_warning_of_a_function_that_pandas_calls_points_at_the_call():
    frame = pd.DataFrame({"group": np.repeat(["a", "b"], 100), "score": 1.0})
    first = line_here()
    with pytest.warns(NPWarning, match="tied") as heard:
        frame.groupby("group")["score"].apply(nproc.np_threshold)
    assert {(w.filename, w.lineno) for w in heard} == {(__file__, first + 2)}


def test_the_filter_that_shows_each_location_once_counts_the_lines_of_the_user():
    tied = np.ones(100)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        for _ in range(3):
            nproc.np_threshold(tied)
        nproc.np_threshold(tied)
        last = line_here() - 1
    assert [w.lineno for w in heard] == [last - 1, last]


@pytest.mark.parametrize("n_splits", [1, 3])
def test_a_warning_recorded_in_a_split_does_not_swallow_the_one_that_is_told(n_splits):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        for seed in range(2):
            npc(X, Y, hasty(), alpha=0.1, delta=0.5, n_splits=n_splits, random_state=seed)
    assert len(heard) >= 1
    assert "less than one row" in str(heard[0].message)


def test_a_function_of_the_user_that_the_package_calls_is_his_code():
    def score(A):
        nproc.np_threshold(np.ones(100))
        return A[:, 0]

    with pytest.warns(NPWarning, match="tied") as heard:
        npc(X, Y, score, prefit=True, alpha=0.1, delta=0.5)
    assert {w.lineno for w in heard} == {score.__code__.co_firstlineno + 1}


def test_a_thread_without_a_line_of_the_user_still_warns():
    thread = threading.Thread(target=hasty().fit, args=(X, Y))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        thread.start()
        thread.join()
    assert "less than one row" in str(heard[0].message)
    assert Path(heard[0].filename).parent.name == "scorers"


def warned_in_worker():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        hasty().fit(X, Y)
    return [w.filename for w in heard]


def test_a_worker_process_of_joblib_warns_too():
    (found, _) = joblib.Parallel(n_jobs=2)(joblib.delayed(warned_in_worker)() for _ in range(2))
    assert [Path(name).name for name in found] == [Path(__file__).name]


def test_warnings_of_scikit_learns_workers_point_into_the_package():
    with joblib.parallel_config("threading", n_jobs=2), pytest.warns(NPWarning, match="less than one row"):
        cross_val_score(hasty(), X, Y, cv=2)


def test_all_warnings_of_the_package_are_raised_here():
    package = Path(nproc.__file__).parent
    with_warn = [p.name for p in package.rglob("*.py") if re.search(r"\bwarnings\.warn\(", p.read_text("utf-8"))]
    assert with_warn == ["errors.py"]


def test_two_threads_that_ignore_a_warning_at_the_same_time_leave_the_filters_as_they_were():
    before, second_within, first_left = list(warnings.filters), threading.Event(), threading.Event()

    def second():
        with changed_filter("ignore", NPWarning):
            second_within.set()
            first_left.wait(60)

    thread = threading.Thread(target=second)
    with changed_filter("ignore", NPWarning):
        thread.start()
        # it waits for its turn
        second_within.wait(0.2)
    first_left.set()
    thread.join()
    assert list(warnings.filters) == before
