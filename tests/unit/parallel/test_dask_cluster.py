"""Tests of a Dask cluster of processes: the same bits as here, data sent once, lost workers, warnings heard."""

import os
import signal
import time
import uuid
import warnings
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
import pytest
from joblib import effective_n_jobs
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from threadpoolctl import threadpool_info, threadpool_limits

from nproc import npc, nproc, roc_cv
from nproc.errors import InvalidInputError, LostWorkerError, NPWarning
from nproc.parallel import cluster as cluster_tasks
from nproc.parallel.tasks import run_tasks
from nproc.scorers import get_scorer

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    """Two worker processes of one thread each; workers that die are replaced."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def on_dask(client):
    with joblib.parallel_config(backend="dask"):
        yield client


def world(n=240, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], n // 2))
    return rng.normal(size=(n, 3)) + np.outer(y, [2.0, 0.0, 1.0]), y


X, Y = world()


class Killer(ClassifierMixin, BaseEstimator):
    """Linear discriminant analysis, of which `n_deaths` trainings end their process, once `n_before` have ended."""

    def __init__(self, folder=None, n_deaths=1, n_before=0):
        self.folder = folder
        self.n_deaths = n_deaths
        self.n_before = n_before

    def fit(self, X, y):
        for death in range(self.n_deaths):
            if len(list(Path(self.folder).glob("trained*"))) < self.n_before:
                break
            try:
                (Path(self.folder) / f"death{death}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        self.classes_ = np.unique(y)
        self.model_ = LinearDiscriminantAnalysis().fit(X, y)
        # so that more than one task is under way when a process dies
        time.sleep(0.02)
        if self.folder is not None:
            (Path(self.folder) / f"trained{uuid.uuid4()}").touch()
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


def numbers(result):
    """All that a result says in numbers."""
    if hasattr(result, "thresholds"):
        return [result.thresholds, *result.scores0, result.decision_function(X[:20])]
    if hasattr(result, "sorted0"):
        return [*result.sorted0, *result.sorted1]
    return [result.fpr, result.tpr]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


GROUPS = np.random.default_rng(5).integers(2, size=Y.size)
JOBS = {
    "npc": lambda **more: npc(X, Y, "logistic", n_splits=5, alpha=0.1, random_state=1, **more),
    "nproc": lambda **more: nproc(X, Y, "lda", n_splits=5, random_state=1, **more),
    "roc_cv": lambda **more: roc_cv(X, Y, "logistic", random_state=1, **more),
    "random folds": lambda **more: roc_cv(X, Y, "lda", metric="subsample", n_folds=4, random_state=1, **more),
    "adaptive": lambda **more: npc(X, Y, "lda", alpha=0.2, split_ratio="adaptive", random_state=1, **more),
}
BACKENDS = [
    ("dask", {}),
    ("loky", {"n_jobs": 2, "inner_max_num_threads": 1}),
    ("threading", {"n_jobs": 2}),
    ("sequential", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_one_seed_gives_the_same_bits_on_every_backend(name, client):
    with threadpool_limits(1):
        here = JOBS[name]()
        for backend, more in BACKENDS:
            with joblib.parallel_config(backend=backend, **more):
                assert same(JOBS[name](), here), backend


@pytest.mark.slow
def test_groups_and_clusters_too(client):
    by_group = {"groups": GROUPS, "alpha": 0.2, "n_splits": 3, "random_state": 1}
    by_cluster = {"clusters": np.arange(Y.size) // 2, "alpha": 0.2, "n_splits": 3, "random_state": 1}
    with threadpool_limits(1):
        here = [npc(X, Y, "lda", **by_group), npc(X, Y, "lda", **by_cluster)]
        with joblib.parallel_config(backend="dask"):
            there = [npc(X, Y, "lda", **by_group), npc(X, Y, "lda", **by_cluster)]
    assert here[1].thresholds.tolist() == there[1].thresholds.tolist()
    assert [rule.values.tolist() for rule in here[0].rules] == [rule.values.tolist() for rule in there[0].rules]


@pytest.mark.slow
def test_the_tasks_run_on_the_workers(on_dask):
    pids = {pid for pid, _ in run_tasks(process_and_jobs, [(j,) for j in range(6)])}
    assert pids == set(on_dask.run(os.getpid).values())


def process_and_jobs(_):
    time.sleep(0.05)
    return os.getpid(), (effective_n_jobs(-1), [pool["num_threads"] for pool in threadpool_info()])


def test_a_task_on_a_worker_is_sequential_inside(on_dask):
    for _, (n_jobs, n_threads) in run_tasks(process_and_jobs, [(j,) for j in range(4)]):
        assert n_jobs == 1
        assert set(n_threads) <= {1}


def settings_of_scikit_learn(_):
    return get_config()


def test_the_settings_of_scikit_learn_hold_on_a_worker(on_dask):
    with config_context(transform_output="pandas", enable_metadata_routing=True):
        here, found = get_config(), run_tasks(settings_of_scikit_learn, [(j,) for j in range(4)])
    assert found == [here] * 4


@pytest.mark.parametrize("backend", ["dask", pytest.param("loky", marks=pytest.mark.slow)])
def test_a_worker_that_dies_in_the_middle_changes_nothing(backend, client, tmp_path):
    with threadpool_limits(1):
        here = npc(X, Y, Killer(n_deaths=0), n_splits=7, alpha=0.1, random_state=1)
    scorer = Killer(tmp_path, n_before=3)
    with joblib.parallel_config(backend=backend, n_jobs=2), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        there = npc(X, Y, scorer, n_splits=7, alpha=0.1, random_state=1)
    assert (tmp_path / "death0").exists()
    assert len(list(tmp_path.glob("trained*"))) >= 7
    assert same(there, here)
    told = [str(entry.message) for entry in heard if issubclass(entry.category, NPWarning)]
    # Dask replaces a worker by itself, unless the rows were lost with it; for loky the tasks are given out again
    assert ["run again" in text for text in told] in ([[True]] if backend == "loky" else [[], [True]])


@pytest.mark.slow
def test_workers_that_die_again_and_again_are_an_error_that_says_how_far_it_came(tmp_path):
    scorer = Killer(tmp_path, n_deaths=99)
    with pytest.raises(LostWorkerError, match=r"lost 3 times, with \d of 5 tasks \(npc: split\) done.*checkpoint="):
        npc(X, Y, scorer, n_splits=5, alpha=0.1, random_state=1, n_jobs=2)
    assert 3 <= len(list(tmp_path.glob("death*"))) <= 6


def lose_data_once(backend, *arguments, cluster=cluster_tasks.run_on_cluster):
    if not LOST:
        LOST.append(True)
        raise cluster_tasks.LostDataError("gone")
    return cluster(backend, *arguments)


LOST = []


def test_data_that_the_cluster_lost_are_sent_again(on_dask, monkeypatch):
    LOST.clear()
    monkeypatch.setattr("nproc.parallel.tasks.run_on_cluster", lose_data_once)
    with pytest.warns(NPWarning, match=r"lost 1 time\(s\) .* Their tasks were run again"):
        assert run_tasks(scaled, [(j,) for j in range(4)], shared=(2,)) == [0, 2, 4, 6]


def held_by_workers(client):
    return sorted(key for keys in client.run(lambda dask_worker: list(dask_worker.data)).values() for key in keys)


def test_the_rows_leave_the_workers_even_while_a_traceback_is_kept(on_dask):
    with pytest.raises(InvalidInputError, match="cannot be trained: no") as kept:
        npc(X, Y, Failing(), n_splits=5, alpha=0.1, random_state=1)
    deadline = time.monotonic() + 10
    while held_by_workers(on_dask) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert held_by_workers(on_dask) == []
    assert kept.tb is not None


class Failing(LinearDiscriminantAnalysis):
    def fit(self, X, y):
        raise ValueError("no")


@pytest.mark.parametrize("where", ["before", "while it shuts down"])
def test_a_cluster_that_is_gone_is_told_at_once(where, on_dask, monkeypatch):
    def fail(*_):
        raise distributed.CancelledError("probe")

    if where == "before":
        monkeypatch.setattr(on_dask, "status", "closed")
    else:
        monkeypatch.setattr("joblib._dask.DaskDistributedBackend.effective_n_jobs", fail)
    with pytest.raises(LostWorkerError, match=r"the Dask cluster is gone \(.*\), with 0 of 4 tasks .*checkpoint="):
        run_tasks(scaled, [(j,) for j in range(4)], shared=(2,))


def no_worker(*_):
    raise TimeoutError("no worker after 10 seconds, increase wait_for_workers_timeout")


def test_a_cluster_without_workers_is_told_with_the_words_of_joblib(on_dask, monkeypatch):
    monkeypatch.setattr("joblib._dask.DaskDistributedBackend.effective_n_jobs", no_worker)
    with pytest.raises(LostWorkerError, match=r"has no worker \(.*wait_for_workers_timeout\), with 0 of 4 tasks"):
        run_tasks(scaled, [(j,) for j in range(4)], shared=(2,))


def test_workers_that_come_back_late_are_waited_for_again(on_dask, monkeypatch):
    turns = ["lost", "late", "there"]
    real = cluster_tasks.run_on_cluster

    def in_turn(*arguments):
        turn = turns.pop(0)
        if turn != "there":
            raise cluster_tasks.LostDataError("gone") if turn == "lost" else cluster_tasks.NoWorkersError("none")
        return real(*arguments)

    monkeypatch.setattr("nproc.parallel.tasks.run_on_cluster", in_turn)
    with pytest.warns(NPWarning, match=r"lost 2 time\(s\)"):
        assert run_tasks(scaled, [(j,) for j in range(4)], shared=(2,)) == [0, 2, 4, 6]


def scaled(factor, number):
    return factor * number


def bad_at_two(number):
    if number == 2:
        raise InvalidInputError("number 2 is bad.")
    time.sleep(0.02)
    return number


def test_an_error_keeps_its_class_and_words_and_stops_the_rest(on_dask):
    with pytest.raises(InvalidInputError, match=r"number 2 is bad\."):
        run_tasks(bad_at_two, [(j,) for j in range(40)])
    deadline = time.monotonic() + 10
    while any(on_dask.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(on_dask.processing().values())


def warn_on_odd(number):
    if number % 2:
        warnings.warn("an odd one", NPWarning, stacklevel=2)
    return number


def test_warnings_come_home_from_the_cluster(on_dask):
    with pytest.warns(NPWarning, match=r"an odd one \(number: 3 of 6\)") as heard:
        assert run_tasks(warn_on_odd, [(j,) for j in range(6)], label="number") == list(range(6))
    assert len(heard) == 1


@pytest.mark.slow
def test_rows_are_sent_once_to_each_worker_and_never_with_a_task(client, monkeypatch):
    messages, sent = [], []
    submit, scatter = distributed.Client.submit, distributed.Client.scatter

    def counted_submit(self, *args, **kwargs):
        messages.append(len(cloudpickle.dumps([a for a in args if not isinstance(a, distributed.Future)])))
        return submit(self, *args, **kwargs)

    def counted_scatter(self, data, **kwargs):
        sent.append(sum(getattr(part, "nbytes", 0) for part in data))
        return scatter(self, data, **kwargs)

    monkeypatch.setattr(distributed.Client, "submit", counted_submit)
    monkeypatch.setattr(distributed.Client, "scatter", counted_scatter)
    big, labels = world(20_000)
    jobs = (
        lambda: npc(big, labels, "lda", n_splits=5, random_state=1),
        lambda: npc(big, labels, "lda", n_splits=5, groups=labels * 0, random_state=1),
        lambda: roc_cv(big, labels, "lda", random_state=1),
        lambda: roc_cv(big, labels, "lda", metric="subsample", random_state=1),
    )
    for job in jobs:
        messages.clear()
        sent.clear()
        with joblib.parallel_config(backend="dask"):
            job()
        assert len(messages) == 5
        assert max(messages) < 10_000
        assert len(sent) == 1
        # the rows, and at most three integers for each
        assert big.nbytes <= sent[0] <= 2 * big.nbytes


@pytest.mark.slow
def test_a_fit_of_an_adaptive_ratio_is_a_small_message_too(on_dask, monkeypatch):
    messages, submit = [], distributed.Client.submit

    def counted_submit(self, *args, **kwargs):
        messages.append(len(cloudpickle.dumps([a for a in args if not isinstance(a, distributed.Future)])))
        return submit(self, *args, **kwargs)

    monkeypatch.setattr(distributed.Client, "submit", counted_submit)
    fit = npc(*world(20_000), "lda", split_ratio="adaptive", random_state=1)
    assert len(messages) == 5 * len(fit.ratio_choice.ratios)
    assert max(messages) < 10_000


@pytest.mark.slow
def test_one_job_stays_here(on_dask):
    assert {pid for pid, _ in run_tasks(process_and_jobs, [(j,) for j in range(3)], n_jobs=1)} == {os.getpid()}


@pytest.mark.slow
def test_processes_that_a_scorer_asks_for_are_not_started_on_a_worker(on_dask):
    scorer = get_scorer("averaged", scorer="lda", n_members=3, n_jobs=2)
    with threadpool_limits(1):
        there = npc(X, Y, scorer, n_splits=3, alpha=0.1, random_state=1)
        with joblib.parallel_config(backend="sequential"):
            here = npc(X, Y, scorer, n_splits=3, alpha=0.1, random_state=1)
    assert same(there, here)
