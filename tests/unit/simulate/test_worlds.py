"""The worlds of nproc.simulate: laws of the samples, true errors, seeds, bad input.

A check of a law is two-sided and raises a false alarm with probability 1e-4 over the choice of the seed.
"""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from nproc.errors import InvalidInputError
from nproc.simulate import (
    DiscreteWorld,
    GaussianWorld,
    LogisticWorld,
    logistic_world,
    simulation1,
    simulation2,
)

FALSE_ALARM = 1e-4
SKEWED = GaussianWorld([1, -1], [0.5, 2], [[2, 0.6], [0.6, 1]], [[1, -0.3], [-0.3, 3]], prob0=0.3)
LOGISTIC = LogisticWorld(1, [3, 0])
ATOMS = DiscreteWorld([0, 1, 2.5, 4], [0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.3, 0.5], prob0=0.2)


def assert_rate(count, n, rate):
    assert stats.binomtest(int(count), n, rate).pvalue > FALSE_ALARM


def assert_law(values, law):
    assert stats.kstest(values, law.cdf).pvalue > FALSE_ALARM


def test_simulation1_has_the_laws_of_the_paper():
    sample = simulation1(20_000, random_state=11)
    assert sample.X.shape == (20_000, 1)
    assert sample.y.shape == (20_000,)
    assert_rate(sample.y.sum(), 20_000, 0.5)
    assert_law(sample.X[sample.y == 0, 0], stats.norm(0, 1))
    assert_law(sample.X[sample.y == 1, 0], stats.norm(2, 1))


@pytest.mark.parametrize(("options", "variance"), [({}, 6.0), ({"var2": 36.0}, 36.0)])
def test_simulation2_has_the_laws_of_the_paper(options, variance):
    sample = simulation2(20_000, random_state=12, **options)
    X0, X1 = sample.X[sample.y == 0], sample.X[sample.y == 1]
    assert_rate(sample.y.sum(), 20_000, 0.5)
    assert_law(X0[:, 0], stats.norm(0, 1))
    assert_law(X0[:, 1], stats.norm(0, 1))
    assert_law(X1[:, 0], stats.norm(1, 1))
    assert_law(X1[:, 1], stats.norm(1, np.sqrt(variance)))
    assert stats.pearsonr(X0[:, 0], X0[:, 1]).pvalue > FALSE_ALARM
    assert stats.pearsonr(X1[:, 0], X1[:, 1]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("var2", [6.0, 36.0])
def test_in_simulation2_x2_is_better_below_the_crossing_and_x1_above(var2):
    world = simulation2(10, var2=var2, random_state=1).world
    crossing = stats.norm.sf(1)
    below, above = np.linspace(1e-4, crossing - 1e-3, 50), np.linspace(crossing + 1e-3, 0.99, 50)
    assert np.all(world.roc(below, [0, 1]) > world.roc(below, [1, 0]))
    assert np.all(world.roc(above, [0, 1]) < world.roc(above, [1, 0]))
    np.testing.assert_allclose(world.roc(crossing, [0, 1]), world.roc(crossing, [1, 0]), rtol=1e-12)


def test_logistic_world_has_normal_predictors_and_the_logistic_probability():
    sample = logistic_world(20_000, random_state=13)
    assert_law(sample.X[:, 0], stats.norm())
    assert_law(sample.X[:, 1], stats.norm())
    assert stats.pearsonr(sample.X[:, 0], sample.X[:, 1]).pvalue > FALSE_ALARM
    # given X, the labels are independent with probability p: a normal test in ten slices of p
    p = expit(1 + 3 * sample.X[:, 0])
    for rows in np.array_split(np.argsort(p), 10):
        z = np.sum(sample.y[rows] - p[rows]) / np.sqrt(np.sum(p[rows] * (1 - p[rows])))
        assert 2 * stats.norm.sf(abs(z)) > FALSE_ALARM


def test_discrete_world_has_its_masses():
    sample = ATOMS.sample(20_000, random_state=14)
    assert_rate(np.sum(sample.y == 0), 20_000, 0.2)
    for label, masses in ((0, ATOMS.mass0), (1, ATOMS.mass1)):
        counts = [np.sum(sample.X[sample.y == label, 0] == value) for value in ATOMS.values]
        assert sum(counts) == np.sum(sample.y == label)
        assert stats.chisquare(counts, masses * sum(counts)).pvalue > FALSE_ALARM


def test_an_atom_without_mass_never_comes_up():
    world = DiscreteWorld([0, 1, 2], [0.1, 0.9, 0], [0, 0.3, 0.7])
    sample = world.sample_classes(2000, 2000, random_state=15)
    assert set(sample.X[:2000, 0]) == {0.0, 1.0}
    assert set(sample.X[2000:, 0]) == {1.0, 2.0}


def test_correlated_classes_have_their_means_and_covariances():
    sample = SKEWED.sample(20_000, random_state=16)
    assert_rate(np.sum(sample.y == 0), 20_000, 0.3)
    for label, mean, cov in ((0, SKEWED.mean0, SKEWED.cov0), (1, SKEWED.mean1, SKEWED.cov1)):
        X = sample.X[sample.y == label]
        for weights in np.array([[1, 0], [0, 1], [1, 1], [1, -1]]):
            law = stats.norm(weights @ mean, np.sqrt(weights @ cov @ weights))
            assert_law(X @ weights, law)


@pytest.mark.parametrize("world", [SKEWED, LOGISTIC], ids=["gaussian", "logistic"])
@pytest.mark.parametrize("weights", [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [3.0, 1e-9]])
def test_the_true_errors_agree_with_the_errors_on_a_large_sample(world, weights):
    sample = world.sample_classes(20_000, 20_000, random_state=17)
    assert np.array_equal(sample.y, np.repeat([0, 1], 20_000))
    scores = sample.X @ weights
    for threshold in (-1.0, 0.3, 1.7):
        assert_rate(np.sum(scores[:20_000] > threshold), 20_000, world.type1(weights, threshold))
        assert_rate(np.sum(scores[20_000:] <= threshold), 20_000, world.type2(weights, threshold))


def test_gaussian_errors_are_the_closed_form():
    weights, threshold = np.array([3.0, 4.0]), np.array([[-1.0, 0.5], [2.0, np.inf]])
    world = GaussianWorld([0, 0], [1, 2])
    np.testing.assert_allclose(world.type1(weights, threshold), stats.norm.sf(threshold / 5), rtol=1e-12)
    np.testing.assert_allclose(world.type2(weights, threshold), stats.norm.cdf((threshold - 11) / 5), rtol=1e-12)


def test_gaussian_errors_are_integrals_of_the_density():
    law = stats.multivariate_normal(SKEWED.mean1, SKEWED.cov1)
    # P(x1 + 2 x2 <= 1 | y = 1) by integration over x2, then x1
    found, _ = integrate.dblquad(lambda x2, x1: law.pdf([x1, x2]), -8, 9, -12, lambda x1: (1 - x1) / 2)
    # dblquad's own tolerance
    np.testing.assert_allclose(SKEWED.type2([1, 2], 1.0), found, rtol=1e-6)


@pytest.mark.parametrize(
    ("world", "weights"),
    [
        (LOGISTIC, [3.0, 0.0]),
        (LOGISTIC, [1.0, 2.0]),
        (LOGISTIC, [-1.0, 0.01]),
        (LOGISTIC, [1.0, 5e-4]),
        (LogisticWorld(-2, [0.5, 0.2]), [0.3, 1.0]),
        (LogisticWorld(4, [6.0, -8.0]), [3.1, -4.0]),
    ],
)
@pytest.mark.parametrize("threshold", [-0.7, 0.9])
def test_logistic_errors_agree_with_integration_over_the_score(world, weights, threshold):
    # another order of integration: over the score, with the label's probability given the score inside
    weights = np.asarray(weights)
    length = np.linalg.norm(weights)
    slope = world.slopes @ weights / length
    rest = np.linalg.norm(world.slopes - slope * weights / length)
    nodes, masses = np.polynomial.legendre.leggauss(500)
    z, z_mass = 10 * nodes, 10 * masses * stats.norm.pdf(10 * nodes)

    def joint(label, low, high):
        u = (low + high) / 2 + (high - low) / 2 * nodes
        p1 = expit(world.intercept + slope * u[:, None] + rest * z)
        given_u = (p1 if label else 1 - p1) @ z_mass
        return (high - low) / 2 * np.sum(masses * stats.norm.pdf(u) * given_u)

    cut = threshold / length
    whole0, whole1 = joint(0, -10, 10), joint(1, -10, 10)
    np.testing.assert_allclose(world.prob0, whole0, rtol=1e-9)
    np.testing.assert_allclose(world.type1(weights, threshold), joint(0, cut, 10) / whole0, rtol=1e-9)
    np.testing.assert_allclose(world.type2(weights, threshold), joint(1, -10, cut) / whole1, rtol=1e-9)


@pytest.mark.parametrize(("intercept", "slopes"), [(1, [3, 0]), (-40, [30, -40])])
def test_logistic_errors_of_the_best_score_are_tails_of_one_integral(intercept, slopes):
    world, steepness = LogisticWorld(intercept, slopes), np.linalg.norm(slopes)

    def density0(v):
        return stats.norm.pdf(v) * expit(-intercept - steepness * v)

    pieces = [integrate.quad(density0, low, low + 0.1, epsabs=0, epsrel=1e-12)[0] for low in (0.5, 0.6, 0.7, 0.8)]
    ends = np.array([0.5, 0.9]) * steepness
    found = -np.diff(world.type1(slopes, ends))[0] * world.prob0
    np.testing.assert_allclose(found, sum(pieces), rtol=1e-10)  # a difference of two tails loses digits


@pytest.mark.parametrize("world", [SKEWED, LOGISTIC], ids=["gaussian", "logistic"])
@pytest.mark.parametrize("weights", [[3.0, 0.0], [-0.2, 0.1]])
def test_threshold_inverts_the_type_1_error(world, weights):
    alpha = np.array([[1e-12, 1e-4], [0.05, 0.5], [0.9, 1 - 1e-9]])
    # the quadrature and the root each carry about 1e-12 of relative error
    np.testing.assert_allclose(world.type1(weights, world.threshold(weights, alpha)), alpha, rtol=1e-10)
    assert world.threshold(weights, [0, 1]).tolist() == [np.inf, -np.inf]
    assert world.roc([0, 1], weights).tolist() == [0, 1]


def test_np_oracle_of_two_normal_classes_is_the_textbook_formula():
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    world = GaussianWorld([1, 0], [2, 2], cov)
    distance = np.sqrt([1, 2] @ np.linalg.solve(cov, [1, 2]))
    rule = world.np_oracle(0.05)
    np.testing.assert_allclose(rule.type1, 0.05, rtol=1e-12)
    np.testing.assert_allclose(rule.type2, stats.norm.cdf(stats.norm.isf(0.05) - distance), rtol=1e-12)
    np.testing.assert_allclose(1 - world.roc(0.05), rule.type2, rtol=1e-12)


@pytest.mark.parametrize("world", [GaussianWorld([1, 0], [2, 2], [[2, 0.5], [0.5, 1]]), LOGISTIC])
def test_no_other_score_beats_the_np_oracle(world):
    best = world.np_oracle(0.1)
    for angle in np.linspace(0, 2 * np.pi, 24):
        assert world.np_oracle(0.1, [np.cos(angle), np.sin(angle)]).type2 >= best.type2 - 1e-12


def test_discrete_errors_are_sums_of_masses():
    thresholds = np.array([-1, 0, 0.5, 1, 2.5, 4])
    np.testing.assert_allclose(ATOMS.type1([1], thresholds), [1, 0.6, 0.6, 0.3, 0.1, 0], atol=1e-15)
    np.testing.assert_allclose(ATOMS.type2([1], thresholds), [0, 0.1, 0.1, 0.2, 0.5, 1], atol=1e-15)
    np.testing.assert_allclose(ATOMS.type1([-2], [-8, -5, -0.1, 0]), [0.9, 0.7, 0.4, 0], atol=1e-15)


def test_discrete_threshold_is_the_smallest_atom_that_keeps_alpha():
    alpha = [0, 0.05, 0.1, 0.3, 0.59, 0.6, 1]
    assert ATOMS.threshold([1], alpha).tolist() == [4, 4, 2.5, 1, 1, 0, -np.inf]
    rule = ATOMS.np_oracle(0.3)
    assert (rule.weights.tolist(), rule.threshold) == ([1.0], 1.0)
    np.testing.assert_allclose([rule.type1, rule.type2], [0.3, 0.2], rtol=1e-12)
    np.testing.assert_allclose(ATOMS.roc(alpha), [0, 0, 0.5, 0.8, 0.8, 0.9, 1], atol=1e-15)


def test_scalars_come_back_as_floats():
    for world, weights in ((SKEWED, [1, 2]), (LOGISTIC, [1, 2]), (ATOMS, [1])):
        for found in (world.type1(weights, 1), world.type2(weights, 1), world.threshold(weights, 0.2)):
            assert type(found) is float
        assert type(world.np_oracle(0.2, weights).type2) is float


MAKERS = [
    simulation1,
    simulation2,
    logistic_world,
    lambda n, random_state: ATOMS.sample(n, random_state),
    lambda n, random_state: SKEWED.sample_classes(n, n + 1, random_state),
]


@pytest.mark.parametrize("make", MAKERS)
def test_one_seed_makes_one_sample_and_the_global_state_stays(make):
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()  # noqa: NPY002
    first, again, other = (make(50, random_state=seed) for seed in (3, 3, 4))
    fresh = make(50, random_state=None)
    repeated = make(50, random_state=fresh.seed)
    after = np.random.get_state()  # noqa: NPY002
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    assert np.array_equal(fresh.X, repeated.X)
    assert before[2:] == after[2:]
    assert np.array_equal(before[1], after[1])


def test_a_generator_or_random_state_gives_a_new_sample_each_time():
    for make in (np.random.default_rng, np.random.RandomState):
        source, twin = make(8), make(8)
        first, second = simulation1(20, random_state=source), simulation1(20, random_state=source)
        assert not np.array_equal(first.X, second.X)
        assert np.array_equal(first.X, simulation1(20, random_state=twin).X)


def test_worlds_do_not_change_or_share_the_arrays_given():
    mean1 = np.array([1.0, 2.0])
    world = GaussianWorld([0, 0], mean1)
    mean1[0] = 9.0
    assert world.mean1.tolist() == [1.0, 2.0]


def test_sizes_of_zero_are_allowed_for_one_class():
    assert LOGISTIC.sample_classes(0, 5, random_state=1).X.shape == (5, 2)
    assert repr(SKEWED.sample_classes(3, 0, random_state=1)) == "Sample(n0=3, n1=0, d=2, seed=1)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulation1(0), "n must be at least 1, got 0"),
        (lambda: simulation1(5, random_state=-1), "random_state must be at least 0"),
        (lambda: simulation1(5, random_state="x"), "random_state must be None, a whole number"),
        (lambda: simulation2(5, var2=0), "var2 must be a finite number above 0, got 0"),
        (lambda: simulation2(5, var2=np.nan), "var2 must be a finite number above 0, got nan"),
        (lambda: simulation2(5, var2="6"), "var2 must be a finite number above 0, got '6'"),
        (lambda: SKEWED.sample_classes(-1, 3), "n0 must be at least 0, got -1"),
        (lambda: SKEWED.type1([1], 0), "weights must hold 2 numbers, got 1"),
        (lambda: SKEWED.type1([0, 0], 0), "weights must not be all zero"),
        (lambda: SKEWED.type2([1, np.nan], 0), "weights must be finite"),
        (lambda: SKEWED.type1([1, 1], np.nan), "threshold must hold numbers, got NaN"),
        (lambda: SKEWED.type1([1, 1], "a"), "threshold must hold numbers"),
        (lambda: SKEWED.threshold([1, 1], 1.2), "alpha must lie between 0 and 1, got 1.2"),
        (lambda: SKEWED.np_oracle(0, [1, 1]), "alpha must lie strictly between 0 and 1"),
        (lambda: SKEWED.np_oracle(0.1), "weights must be given: cov0 and cov1 differ"),
        (lambda: SKEWED.roc(0.1), "weights must be given: cov0 and cov1 differ"),
        (lambda: GaussianWorld([0], [0]).np_oracle(0.1), "mean0 and mean1 are equal"),
        (lambda: GaussianWorld([0, 0], [1]), "mean1 must hold 2 numbers, got 1"),
        (
            lambda: GaussianWorld([0, 0], [1, 1], np.ones((2, 2))),
            "cov0 must be a symmetric positive definite",
        ),
        (lambda: GaussianWorld([0], [1], cov1=[[1, 2]]), "cov1 must be a symmetric positive definite 1 by 1"),
        (lambda: GaussianWorld([0, 0], [1, 1], [[1, 0.5], [0, 1]]), "cov0 must be a symmetric"),
        (lambda: GaussianWorld([0], [1], [["a"]]), "cov0 must hold numbers"),
        (lambda: GaussianWorld([0], [1], prob0=1), "prob0 must lie strictly between 0 and 1"),
        (lambda: LogisticWorld(1, [0, 0]), "slopes must not be all zero"),
        (lambda: LogisticWorld(np.inf, [1, 0]), "intercept must be a finite number, got inf"),
        (lambda: DiscreteWorld([0, 0], [0.5, 0.5], [0.5, 0.5]), "values must be strictly increasing"),
        (lambda: DiscreteWorld([0, 1], [0.5, 0.6], [0.5, 0.5]), "mass0 must be at least 0 and sum to 1"),
        (lambda: DiscreteWorld([0, 1], [0.5, 0.5], [-0.5, 1.5]), "mass1 must be at least 0 and sum to 1"),
        (lambda: DiscreteWorld([0, 1], [0.5, 0.5], [1]), "mass1 must hold 2 numbers, got 1"),
    ],
)
def test_bad_input_has_its_own_message(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
