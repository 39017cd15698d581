"""How often a threshold from noisy labels breaks its bound, in worlds that try to break it, and the power it has."""

import warnings

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from nproc import np_threshold, np_threshold_noisy

ALPHA = DELTA = 0.1


def sample(rng, n, share1, mean1, tick=None):
    """Scores of rows of which each is of class 1, normal around mean1, with the probability share1."""
    scores = rng.normal(mean1 * (rng.random(n) < share1))
    return scores if tick is None else tick * np.round(scores / tick)


def type1(value, tick=None):
    """The type I error of a threshold; with ticks, which are scores, that of the next half tick."""
    return norm.sf(value if tick is None else value + tick / 2)


def runs(n0, n1, noise0, noise1, mean1, n_runs, *, assumed=None, tick=None, delta=DELTA, seed=1):
    """The type I and type II errors of repeated thresholds."""
    rng = np.random.default_rng(seed)
    assumed0, assumed1 = assumed or (noise0, noise1)
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_runs):
            labelled0, labelled1 = sample(rng, n0, noise0, mean1, tick), sample(rng, n1, 1 - noise1, mean1, tick)
            rule = np_threshold_noisy(labelled0, labelled1, noise0=assumed0, noise1=assumed1, alpha=ALPHA, delta=delta)
            errors.append((type1(rule.value, tick), norm.cdf(rule.value - mean1)))
    return np.array(errors).T


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n0", "n1", "noise0", "noise1", "mean1", "options"),
    [
        (1000, 1000, 0.1, 0.1, 2.0, {}),
        (1000, 1000, 0.1, 0.1, 0.1, {}),
        (1000, 1000, 0.1, 0.1, -1.0, {}),
        (60, 20, 0.2, 0.2, 1.0, {}),
        (30, 1, 0.05, 0.05, 1.0, {}),
        (300, 300, 0.4, 0.4, 1.5, {}),
        (300, 300, 0.2, 0.1, 1.0, {"tick": 0.25}),
        (400, 200, 0.1, 0.1, 2.0, {"assumed": ((0.1, 0.3), (0.1, 0.3))}),
        (400, 200, 0.3, 0.3, -2.0, {"assumed": ((0.1, 0.3), (0.1, 0.3))}),
        (500, 500, 0.1, 0.1, 1.5, {"delta": 0.5}),
    ],
)
def test_the_bound_is_broken_no_oftener_than_delta(n0, n1, noise0, noise1, mean1, options):
    # overlap, a score that runs the wrong way, tiny samples, ties, and true noise at the worst corner of a box
    n_runs = 2000
    broken = int((runs(n0, n1, noise0, noise1, mean1, n_runs, **options)[0] > ALPHA).sum())
    assert binomtest(broken, n_runs, options.get("delta", DELTA), alternative="greater").pvalue > 1e-6


@pytest.mark.slow
def test_the_bound_is_nearly_exact_for_many_rows():
    errors = runs(4000, 4000, 0.1, 0.1, 2.0, 1500)[0]
    # delta is spent but for a seventh of it or less
    assert binomtest(int((errors > ALPHA).sum()), 1500, 0.86 * DELTA, alternative="less").pvalue > 1e-4
    assert binomtest(int((errors > ALPHA).sum()), 1500, DELTA, alternative="greater").pvalue > 1e-6


@pytest.mark.slow
def test_too_much_assumed_noise_breaks_the_bound_and_too_little_does_not():
    much = runs(2000, 2000, 0.05, 0.05, 2.0, 300, assumed=(0.1, 0.1))[0]
    little = runs(2000, 2000, 0.1, 0.1, 2.0, 300, assumed=(0.05, 0.05))[0]
    assert np.mean(much > ALPHA) > 0.9
    assert np.mean(little > ALPHA) == 0


@pytest.mark.slow
def test_power_against_the_plain_threshold():
    power = 1 - runs(4000, 4000, 0.1, 0.1, 2.0, 200)[1].mean()
    rng = np.random.default_rng(2)
    plain = np.mean(
        [norm.sf(np_threshold(sample(rng, 4000, 0.1, 2.0), alpha=ALPHA, delta=DELTA).value - 2) for _ in range(200)]
    )
    # 0.764 is the power of the best cut of known distributions
    assert plain < 0.60
    assert power > 0.74


@pytest.mark.slow
def test_mislabelled_rows_that_look_like_class_0_break_both_thresholds():
    # of class 1 only rows with low scores are labelled 0, so that no threshold from these samples is safe
    rng = np.random.default_rng(3)
    plain = noisy = 0
    for _ in range(100):
        labelled0 = np.concatenate([rng.normal(size=1600), rng.normal(-3, 1, size=400)])
        labelled1 = rng.normal(2, 1, size=2000)
        plain += type1(np_threshold(labelled0, alpha=ALPHA, delta=DELTA).value) > ALPHA
        rule = np_threshold_noisy(labelled0, labelled1, noise0=0.2, noise1=0, alpha=ALPHA, delta=DELTA)
        noisy += type1(rule.value) > ALPHA
    assert plain > 90
    assert noisy == 100


@pytest.mark.slow
def test_unnoticed_frauds_keep_the_bound_at_any_score_and_break_it_at_low_scores():
    # vignette 11, "Labels come late": 2 % of the rows labelled honest are frauds, unnoticed at random or below a cut
    rng = np.random.default_rng(4)
    at_random = below_a_cut = 0
    for _ in range(300):
        honest, frauds = rng.normal(size=19_600), rng.normal(1, 1, size=4000)
        low = frauds[frauds < norm.isf(ALPHA)][:400]
        at_random += type1(np_threshold(np.r_[honest, frauds[:400]], alpha=ALPHA, delta=DELTA).value) > ALPHA
        below_a_cut += type1(np_threshold(np.r_[honest, low], alpha=ALPHA, delta=DELTA).value) > ALPHA
    assert at_random <= 300 * DELTA
    assert below_a_cut > 2 * 300 * DELTA
