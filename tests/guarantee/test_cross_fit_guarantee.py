"""Cross-fitting keeps alpha with useful scores, breaks it with hostile ones, and keeps its proved bound with any."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin

from nproc import npc
from nproc.cross_fitting import cross_fit_bound
from nproc.simulate import GaussianWorld

ALPHA, DELTA = 0.1, 0.1


class Turned(ClassifierMixin, BaseEstimator):
    """Ranks x in [0, 1] by -x, and turns the ranks of the lowest about 2 alpha round if a coin of its rows says so.

    A row that one scorer puts first, another then puts at 2 alpha: on average it looks as extreme as alpha.
    """

    def __init__(self, share=0.1):
        self.share = share

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.turned_ = bool(np.floor(X.sum() * 1e6) % 2)
        return self

    def decision_function(self, X):
        x = X[:, 0]
        return -np.where(self.turned_ & (x < 2 * self.share), 2 * self.share - x, x)


def type1_of(fit, grid):
    return float(np.mean(fit.predict(grid) == 1))


@pytest.mark.slow
def test_a_hostile_learner_breaks_alpha_and_never_the_bound():
    n0, n_folds, repetitions = 400, 2, 400
    grid = (np.arange(20_000)[:, None] + 0.5) / 20_000
    bound = cross_fit_bound(n0, n_folds, ALPHA, DELTA)
    # of a rank that leaves alpha a little room the mean of both ranks is still low enough
    share = (n0 - bound.order) / n0
    errors = []
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        X, y = rng.random((n0 + 50, 1)), np.repeat([0, 1], [n0, 50])
        errors.append(
            type1_of(npc(X, y, Turned(0.9 * share), cross_fit=2, alpha=ALPHA, delta=DELTA, random_state=seed), grid)
        )
    errors = np.array(errors)
    assert binomtest(int(np.sum(errors > ALPHA)), repetitions, DELTA, alternative="greater").pvalue < 1e-6
    assert np.mean(errors > bound.type1_upper_at_delta) <= DELTA
    assert errors.mean() <= bound.mean_type1_upper


@pytest.mark.slow
def test_useful_scores_keep_alpha_and_have_more_power_than_a_split():
    world, repetitions = GaussianWorld([0.0, 0.0], [1.5, 1.5]), 200
    test = world.sample_classes(20_000, 20_000, 10**6)
    found = {name: [] for name in ("split", "folds")}
    for seed in range(repetitions):
        sample = world.sample_classes(200, 200, seed)
        for name, given in (("split", {}), ("folds", {"cross_fit": 5})):
            called = npc(sample.X, sample.y, "lda", random_state=seed, **given).predict(test.X)
            found[name].append([np.mean(called[test.y == 0] == 1), np.mean(called[test.y == 1] == 0)])
    split, folds = (np.array(found[name]) for name in ("split", "folds"))
    assert binomtest(int(np.sum(folds[:, 0] > 0.05)), repetitions, 0.05, alternative="greater").pvalue > 1e-3
    gain = split[:, 1] - folds[:, 1]
    assert gain.mean() > 4 * gain.std() / np.sqrt(repetitions)
