"""Samples, their ensembles and the errors of these: what `ensembles.py` reports."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import measure  # isort: skip  (before numpy)
import numpy as np
import pandas as pd
from repetitions import chance_to_exceed

from nproc import get_scorer, np_order, np_threshold, violation_rate
from nproc.scorers import AveragedScorer, fit_scorer, fresh_copy, score_rows
from nproc.scorers.averaged import centred_scores
from nproc.simulate import GaussianWorld
from nproc.splitting import make_splits

SIZES = (1, 3, 5, 7, 9, 11, 13, 15)
LARGEST = SIZES[-1]
KINDS = ("vote", "bootstrap", "subsample")
# rows of each class that stand for the population: a type I error of 0.05 is seen to 0.0013
N_TEST = (30_000, 10_000)
DATA = measure.SHARED / "data"
# leaves of 5 rows, the default, are so pure that a tree's largest score is shared by a sixth of class 0
LEAVES = {"min_samples_leaf": 25}
SIMULATION1 = GaussianWorld([0], [2])
SIMULATION2 = GaussianWorld([0, 0], [1, 1], np.eye(2), np.diag([1.0, 6.0]))


@dataclass(frozen=True, eq=False)
class Case:
    """A population, a method, and how many rows of each class are in a sample; `rows` only for real data."""

    name: str
    method: str
    n0: int
    n1: int
    alpha: float
    delta: float
    world: object = None
    rows: tuple | None = None
    params: dict | None = None

    @property
    def title(self):
        return self.method + (f" ({', '.join(f'{k}={v}' for k, v in self.params.items())})" if self.params else "")

    @property
    def n_left(self):
        return self.n0 - round(self.n0 / 2)

    @property
    def order(self):
        return np_order(self.n_left, self.alpha, self.delta)

    def draw(self, seed):
        """Return training rows and labels, and the test rows of each class."""
        if self.world is not None:
            sample = self.world.sample_classes(self.n0, self.n1, seed)
            test = self.world.sample_classes(*N_TEST, seed + 10**6)
            return sample.X, sample.y, test.X[: N_TEST[0]], test.X[N_TEST[0] :]
        rng = np.random.default_rng([2018, seed])
        X, y = self.rows
        parts = [rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)]
        train = np.concatenate([parts[0][: self.n0], parts[1][: self.n1]])
        return X[train], y[train], X[parts[0][self.n0 :]], X[parts[1][self.n1 :][:5000]]


def one_repetition(case, seed):
    """Return type I and type II errors, an array of kinds by ensemble sizes by 2, and those of the single split."""
    X, y, test0, test1 = case.draw(seed)
    with warnings.catch_warnings():
        # separable or collinear training rows are part of the study
        warnings.simplefilter("ignore")
        splits = make_splits(y, LARGEST, 0.5, seed, leave_out_class1=False)
        errors = {"vote": vote_errors(case, X, y, splits, test0, test1)}
        for sampling in ("bootstrap", "subsample"):
            errors[sampling] = average_errors(case, X, y, splits[0], sampling, seed, test0, test1)
    return np.array([errors[kind] for kind in KINDS])


def vote_errors(case, X, y, splits, test0, test1):
    """Return the errors of the votes of the first 1, 3, ... splits; split j is the same in all."""
    above0, above1 = [], []
    for j, split in enumerate(splits):
        scorer = fresh_copy(get_scorer(case.method, **(case.params or {})), j)
        scorer = fit_scorer(scorer, X[split.idx_train], y[split.idx_train])
        cut = np_threshold(score_rows(scorer, X[split.idx_left0]), alpha=case.alpha, delta=case.delta).value
        above0.append(score_rows(scorer, test0) > cut)
        above1.append(score_rows(scorer, test1) > cut)
    votes0, votes1 = np.cumsum(above0, axis=0), np.cumsum(above1, axis=0)
    return [((votes0[m - 1] > m / 2).mean(), 1 - (votes1[m - 1] > m / 2).mean()) for m in SIZES]


def average_errors(case, X, y, split, sampling, seed, test0, test1):
    """Return the errors of the averages of the first 1, 3, ... members, with the left-out rows of one split."""
    ensemble = AveragedScorer(
        case.method, params=case.params, n_members=LARGEST, sampling=sampling, random_state=seed
    ).fit(X[split.idx_train], y[split.idx_train])
    left, zero, one = (
        np.cumsum(
            [centred_scores(f, rows) / s for f, s in zip(ensemble.members_, ensemble.scales_, strict=True)], axis=0
        )
        for rows in (X[split.idx_left0], test0, test1)
    )
    found = []
    for m in SIZES:
        cut = np_threshold(left[m - 1], alpha=case.alpha, delta=case.delta).value
        found.append(((zero[m - 1] > cut).mean(), 1 - (one[m - 1] > cut).mean()))
    return found


def real_rows(file):
    frame = pd.read_csv(DATA / file).drop_duplicates()
    columns = [c for c in frame.columns if c != "y" and not c.startswith("id_")]
    return frame[columns].to_numpy(dtype=np.float64), frame["y"].to_numpy()


def simulated_cases():
    """Return {case: repetitions}."""
    return {
        Case("Simulation 1", "logistic", 500, 500, 0.05, 0.05, SIMULATION1): 400,
        Case("Simulation 2", "lda", 500, 500, 0.05, 0.05, SIMULATION2): 1000,
        Case("Simulation 2", "tree", 500, 500, 0.05, 0.05, SIMULATION2, params=LEAVES): 250,
        Case("Simulation 2, few rows", "lda", 118, 118, 0.05, 0.05, SIMULATION2): 500,
    }


def real_cases():
    """Return {case: repetitions} of the data sets that are there."""
    if not DATA.is_dir():
        return {}
    return {
        Case("spambase", "lda", 300, 400, 0.1, 0.1, rows=real_rows("spambase.csv.gz")): 100,
        Case("magic04", "tree", 300, 400, 0.1, 0.1, rows=real_rows("magic04.csv.gz"), params=LEAVES): 100,
        Case("page blocks", "logistic", 200, 400, 0.1, 0.1, rows=real_rows("page_blocks.csv")): 100,
    }


def exact_rate(case):
    """Return the chance that one threshold, on untied scores, has an error above alpha in the test rows."""
    if case.world is not None:
        return float(violation_rate(case.order, case.n_left, case.alpha))
    n_test = int(np.sum(case.rows[1] == 0)) - case.n0
    return chance_to_exceed(n_test, case.n_left, case.order, case.alpha)
