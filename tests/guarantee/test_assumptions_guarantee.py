"""The checks of assumptions keep their levels where all assumptions hold, and find what they are made for."""

from types import SimpleNamespace

import numpy as np
import pytest
from exactness import MeanDifference, assert_rate, assert_rate_at_most
from scipy import stats

from nproc import npc
from nproc.assumptions.dependence import cluster_test
from nproc.assumptions.new_rows import new_errors_test, new_scores_test
from nproc.assumptions.order import in_order, martingale_test, rank_tests

ALPHA = DELTA = LEVEL = 0.05
# with 19 permutations p <= 0.05 means that the observed statistic is above all of them: probability 1/20 without ties
N_PERMUTATIONS = 19
NAMES = ("trend", "change", "martingale", "new_scores", "new_errors", "clusters")


def scores_of(law, n, rng):
    return {
        "normal": lambda: rng.normal(size=n),
        "cauchy": lambda: rng.standard_cauchy(size=n),
        "three values": lambda: rng.integers(0, 3, size=n).astype(float),
    }[law]()


@pytest.mark.slow
@pytest.mark.parametrize("law", ["normal", "cauchy", "three values"])
@pytest.mark.parametrize("times", ["own", "shared"])
def test_tests_of_the_order_keep_their_level(law, times):
    rng, n, n_runs = np.random.default_rng(1), 50, 1500
    counts = np.zeros(3)
    for _ in range(n_runs):
        when = np.arange(n) if times == "own" else np.sort(rng.integers(0, 6, size=n))
        scores, when = in_order(scores_of(law, n, rng), when, rng)
        found = (*rank_tests(scores, when, N_PERMUTATIONS, rng), martingale_test(scores, rng))
        counts += [one.p_value <= LEVEL for one in found]
    for count in counts:
        assert_rate_at_most(count, n_runs, LEVEL)
    if law != "three values":
        # equal sums are rare, so the level is spent
        assert_rate(counts[1], n_runs, LEVEL)
        assert counts[0] > 0.03 * n_runs


@pytest.mark.parametrize("law", ["normal", "cauchy"])
@pytest.mark.parametrize(("n0", "order", "n_new"), [(59, 59, 40), (120, 118, 150)])
def test_the_number_of_new_errors_has_the_law_of_the_rank(law, n0, order, n_new):
    rng, n_runs = np.random.default_rng(2), 6000
    known = np.sort(scores_of(law, n0 * n_runs, rng).reshape(n_runs, n0), axis=1)
    counts = np.sum(scores_of(law, n_new * n_runs, rng).reshape(n_runs, n_new) > known[:, [order - 1]], axis=1)
    exact = stats.betabinom(n_new, n0 + 1 - order, order)
    seen = np.bincount(np.minimum(counts, 8), minlength=9)
    wanted = n_runs * np.append(exact.pmf(np.arange(8)), exact.sf(7))
    assert stats.chisquare(seen, wanted).pvalue > 1e-4
    # and so the p-value has P(p <= t) <= t, with equality at each value that it takes
    p = np.array([new_errors_test(c, n_new, order, n0).p_value for c in range(n_new + 1)])
    for count in (2, 5, 9):
        assert_rate(np.sum(p[counts] <= p[count]), n_runs, exact.sf(count - 1))


@pytest.mark.slow
def test_tied_scores_make_fewer_new_errors_than_the_law_says():
    rng, n_runs, n0, order, n_new = np.random.default_rng(3), 2000, 80, 78, 100
    rejected = 0
    for _ in range(n_runs):
        known, fresh = scores_of("three values", n0, rng), scores_of("three values", n_new, rng)
        n_above = int(np.sum(fresh > np.sort(known)[order - 1]))
        rejected += new_errors_test(n_above, n_new, order, n0).p_value <= LEVEL
        assert new_scores_test(known, fresh).p_value > 0
    assert_rate_at_most(rejected, n_runs, LEVEL)


@pytest.mark.slow
def test_the_new_errors_of_a_trained_classifier_have_that_law():
    rng, n_runs, counts, law = np.random.default_rng(4), 300, [], None
    for seed in range(n_runs):
        y = np.repeat([0, 1], [200, 60])
        X = rng.normal(size=(260, 3)) + y[:, None]
        fit = npc(X, y, MeanDifference(), random_state=seed)
        one = fit.check_assumptions(rng.normal(size=(120, 3)), n_permutations=19).new_errors.by_split[0]
        counts.append(one.n_above)
        law = stats.betabinom(one.n_new, one.n0 + 1 - one.order, one.order)
    seen = np.bincount(np.minimum(counts, 5), minlength=6)
    wanted = n_runs * np.append(law.pmf(np.arange(5)), law.sf(4))
    assert stats.chisquare(seen, wanted).pvalue > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
def test_independent_rows_in_clusters_keep_the_level(sizes):
    rng, n, n_runs, rejected = np.random.default_rng(5), 120, 2000, 0
    given = {"order": 118, "alpha": ALPHA, "n_permutations": N_PERMUTATIONS, "rng": rng}
    for _ in range(n_runs):
        codes = np.arange(n) // 6 if sizes == "equal" else np.minimum(rng.geometric(0.1, size=n), 30)
        found = cluster_test(rng.standard_cauchy(size=n), codes, np.empty(0, dtype=int), **given)
        rejected += found.p_value <= LEVEL
    assert_rate(rejected, n_runs, LEVEL)


def class0(rng, n, **world):
    """Class 0 rows of two columns that drift, change after half or come in clusters."""
    given = SimpleNamespace(**{"drift": 0.0, "jump": 0.0, "icc": 0.0} | world)
    X = rng.normal(size=(n, 2)) * np.sqrt(1 - given.icc)
    X += np.repeat(rng.normal(size=(n // 5, 2)), 5, axis=0) * np.sqrt(given.icc)
    return X + given.drift * np.linspace(0, 1, n)[:, None] + given.jump * (np.arange(n) >= n // 2)[:, None]


def checked(seed, *, shift=0.0, n_splits=1, **world):
    """The checks of one classifier of 400 class 0 rows, with new rows, clusters and all that can be given."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([class0(rng, 400, **world), rng.normal(1.5, 1, size=(100, 2))])
    y = np.repeat([0, 1], [400, 100])
    fit = npc(X, y, MeanDifference(), n_splits=n_splits, random_state=seed)
    new = rng.normal(size=(200, 2)) + shift
    return fit.check_assumptions(new, clusters=np.arange(400) // 5, X=X, y=y, n_permutations=99)


@pytest.mark.slow
@pytest.mark.parametrize("n_splits", [1, 3])
def test_where_all_holds_each_check_of_a_fit_keeps_its_level(n_splits):
    n_runs, counts = 200, dict.fromkeys(NAMES, 0)
    for seed in range(n_runs):
        found = checked(seed, n_splits=n_splits)
        assert len(found.made) == 6
        for name in NAMES:
            counts[name] += getattr(found, name).against
    for count in counts.values():
        assert_rate_at_most(count, n_runs, LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("n_splits", [1, 3])
def test_independent_clusters_keep_the_level_of_the_order_by_the_time_of_each_cluster(n_splits):
    # three splits that together reject at 0.12 would be found with probability 0.999
    n_runs, counts = 800, np.zeros(3)
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        # sizes and scores depend on each other, all rows of a cluster are alike, and later visits score higher
        level = rng.normal(size=160)
        person = np.repeat(np.arange(160), 1 + rng.poisson(np.exp(level / 2)))
        entered, visit = rng.integers(0, 50, size=160)[person], rng.integers(0, 4, size=person.size)
        X = np.column_stack([level[person] + visit, rng.normal(size=person.size)])
        y = (rng.random(person.size) < 1 / (1 + np.exp(2 - X[:, 0]))).astype(int)
        # rows of a table by visit do not stand together
        X, y, person, entered = (values[np.argsort(entered + visit)] for values in (X, y, person, entered))
        given = {"clusters": person, "n_splits": n_splits, "random_state": seed}
        fit = npc(X, y, MeanDifference(), alpha=0.2, delta=0.2, **given)
        of_clusters = {"order": entered, "clusters": person, "X": X, "y": y}
        found = fit.check_assumptions(**of_clusters, n_permutations=N_PERMUTATIONS if n_splits == 1 else 99)
        counts += [check.against for check in (found.trend, found.change, found.martingale)]
    for count in counts:
        assert_rate_at_most(count, n_runs, LEVEL)
    if n_splits == 1:
        # the times of all clusters are those of the drawn rows, so that the level is spent
        assert_rate(counts[1], n_runs, LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "names"),
    [
        ({"drift": 1.5}, ["trend", "change", "martingale"]),
        ({"jump": 1.0}, ["trend", "change", "martingale"]),
        ({"shift": 0.8}, ["new_scores", "new_errors"]),
        ({"icc": 0.4}, ["clusters"]),
    ],
)
def test_what_breaks_the_promise_is_found(world, names):
    n_runs, counts = 30, dict.fromkeys(names, 0)
    for seed in range(n_runs):
        found = checked(seed, **world)
        for name in names:
            counts[name] += getattr(found, name).against
    assert min(counts.values()) >= 0.8 * n_runs, counts


@pytest.mark.parametrize(("size", "icc"), [(5, 0.6), (10, 0.3), (20, 0.3)])
def test_the_rough_violation_rate_of_normal_clusters_is_near_the_true_one(size, icc):
    rng, n, n_runs = np.random.default_rng(8), 300, 4000
    order = int(np.argmax(stats.binom.sf(np.arange(n), n, 1 - ALPHA) <= DELTA)) + 1
    effects = rng.normal(size=(n_runs, n // size)).repeat(size, axis=1) * np.sqrt(icc)
    scores = effects + rng.normal(size=(n_runs, n)) * np.sqrt(1 - icc)
    true = np.mean(stats.norm.sf(np.sort(scores, axis=1)[:, order - 1]) > ALPHA)
    codes, nobody = np.arange(n) // size, np.empty(0, dtype=int)
    given = {"order": order, "alpha": ALPHA, "n_permutations": 19, "rng": rng}
    rough = np.mean([cluster_test(one, codes, nobody, **given).violation_rate for one in scores[:150]])
    # nothing is proved; far above delta in any case
    assert 0.75 * true <= rough <= 1.4 * true
    assert true > 1.5 * DELTA
