"""False alarms of the monitors, in streams that try to provoke them, and how soon a true alarm comes."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from nproc.fits import bound_of_count
from nproc.monitoring import Type1ChangeDetector, Type1Monitor, default_prior, log_evidence, rate_bounds

ALPHA = DELTA = 0.05


def drifting(rng, n):
    """Rates that wander below alpha, and are exactly alpha for long."""
    return np.minimum(ALPHA, 0.02 + 0.04 * np.abs(np.sin(np.arange(n) / rng.uniform(20, 500))))


def provoked(rng, n):
    """The rate is alpha after errors and less after a row without one: the rows depend on each other."""
    errors = np.zeros(n, dtype=bool)
    for t in range(n):
        errors[t] = rng.random() < (ALPHA if t == 0 or errors[max(0, t - 5) : t].any() else 0.8 * ALPHA)
    return errors


@pytest.mark.slow
@pytest.mark.parametrize("world", ["constant", "drifting", "provoked"])
def test_an_alarm_ever_is_rarer_than_delta(world):
    rng = np.random.default_rng(1)
    n_runs, n = (300, 1500) if world == "provoked" else (1500, 4000)
    alarms = 0
    for _ in range(n_runs):
        if world == "provoked":
            errors = provoked(rng, n)
        else:
            errors = rng.random(n) < (ALPHA if world == "constant" else drifting(rng, n))
        alarms += Type1Monitor(ALPHA, DELTA).update(errors).alarm
    # a false alarm of this test itself once in a million
    assert binomtest(alarms, n_runs, DELTA, alternative="greater").pvalue > 1e-6
    if world == "constant":
        # and it is a test: the level is spent to a good part
        assert alarms / n_runs > 0.015


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.3])
def test_each_bound_holds_at_all_times(rate):
    rng = np.random.default_rng(2)
    n, n_runs, prior = 2000, 600, (1.0, 10.0)
    size = np.arange(1, n + 1)
    low = high = 0
    for _ in range(n_runs):
        k = np.cumsum(rng.random(n) < rate)
        low += bool((log_evidence(k, size, rate, prior) >= np.log(1 / DELTA)).any())
        high += bool((log_evidence(size - k, size, 1 - rate, prior[::-1]) >= np.log(1 / DELTA)).any())
    for missed in (low, high):
        assert binomtest(missed, n_runs, DELTA, alternative="greater").pvalue > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "most"), [(0.08, 600), (0.10, 274), (0.15, 55)])
def test_a_broken_bound_is_found_soon(rate, most):
    rng = np.random.default_rng(3)
    found = [Type1Monitor(ALPHA, DELTA).update(rng.random(4000) < rate).alarm_at or 4001 for _ in range(400)]
    assert np.median(found) <= most


@pytest.mark.slow
def test_the_anytime_bound_of_certify_survives_a_look_after_every_row():
    rng = np.random.default_rng(4)
    known = {"delta": DELTA, "alpha": ALPHA, "n_candidates": 1, "class0": 0, "method": "m"}
    rate, n_runs = 0.1, 600
    looks = np.arange(5, 401, 5)
    k = np.cumsum(rng.random((n_runs, 400)) < rate, axis=1)[:, looks - 1]
    anytime = rate_bounds(k, np.broadcast_to(looks, k.shape), DELTA, default_prior(ALPHA))[1]
    assert bound_of_count(int(k[0, 9]), 50, anytime=True, **known).type1_upper == pytest.approx(
        anytime[0, 9], rel=1e-12
    )
    wrong = int((anytime < rate).any(axis=1).sum())
    once = int((beta.ppf(1 - DELTA, k + 1, looks - k) < rate).any(axis=1).sum())
    assert binomtest(wrong, n_runs, DELTA, alternative="greater").pvalue > 1e-6
    # the bound for one look does not
    assert binomtest(once, n_runs, DELTA, alternative="greater").pvalue < 1e-3


@pytest.mark.slow
def test_a_mean_run_length_is_kept_and_a_late_change_is_found_sooner():
    rng = np.random.default_rng(5)
    length = 500
    times = []
    for _ in range(200):
        detector = Type1ChangeDetector(ALPHA, length)
        while not detector.alarm and detector.n < 20_000:
            detector.update(rng.random(500) < ALPHA)
        times.append(detector.alarm_at or 20_000)
    assert np.mean(times) > length
    late = {Type1Monitor: [], Type1ChangeDetector: []}
    for _ in range(60):
        stream = np.concatenate([rng.random(10_000) < 0.04, rng.random(6000) < 0.10])
        for kind, found in late.items():
            monitor = kind(ALPHA, 20_000) if kind is Type1ChangeDetector else kind(ALPHA, DELTA)
            at = monitor.update(stream).alarm_at
            found.append(6000 if at is None or at <= 10_000 else at - 10_000)
    assert np.median(late[Type1ChangeDetector]) < 0.5 * np.median(late[Type1Monitor])


def test_a_rate_at_the_edge_has_bounds():
    assert rate_bounds(0, 100, DELTA, (1.0, 10.0))[0] == 0.0
    assert rate_bounds(100, 100, DELTA, (1.0, 10.0))[1] == 1.0
