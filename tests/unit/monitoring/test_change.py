"""`Type1ChangeDetector`: its sum by hand, a state that goes on, and what it shows."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

from nproc.errors import InvalidInputError
from nproc.monitoring import Type1ChangeDetector, Type1Monitor
from nproc.monitoring.change import N_RATES

RNG = np.random.default_rng(8)
STREAM = np.concatenate([RNG.random(3000) < 0.03, RNG.random(4000) < 0.12])


def sums_row_by_row(errors, alpha):
    """M_t after each row, by its recursion for one rate after the other."""
    odds = alpha / (1 - alpha) * np.geomspace(1.1, 100.0, N_RATES)
    rates = odds / (1 + odds)
    found, sums = np.empty(len(errors)), np.zeros(N_RATES)
    for t, error in enumerate(errors):
        sums = (sums + 1) * (rates / alpha if error else (1 - rates) / (1 - alpha))
        found[t] = sums.mean()
    return found


def test_the_evidence_is_the_sum_over_all_starts_and_the_alarm_its_first_error_beyond_the_limit():
    detector = Type1ChangeDetector(0.05, 5000).update(STREAM)
    by_hand = sums_row_by_row(STREAM, 0.05)
    high = np.flatnonzero(STREAM & (by_hand >= 5000))
    assert detector.alarm_at == int(high[0]) + 1
    frame = detector.to_frame()
    assert frame["n"].tolist() == (np.flatnonzero(STREAM) + 1).tolist()
    np.testing.assert_allclose(frame["log_evidence"], np.log(by_hand[STREAM]), rtol=1e-9)
    assert frame["n_errors"].tolist() == list(range(1, int(STREAM.sum()) + 1))


def test_a_state_goes_on_where_it_was(tmp_path):
    for cut in (0, 1, 2999, 5001):
        first = Type1ChangeDetector(0.05, 5000).update(STREAM[:cut])
        path = first.write(tmp_path / "state.json")
        again = Type1ChangeDetector.read(path)
        assert again == first
        assert again.update(STREAM[cut:]) == Type1ChangeDetector(0.05, 5000).update(STREAM)
    long = Type1ChangeDetector(0.5).update(RNG.random(20_000) < 0.4)
    assert len(long.to_frame()) <= 1024
    assert Type1ChangeDetector.read(long.write(tmp_path / "long.json")) == long


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "nproc-monitor"}, "is not a file of the format 'nproc-change-detector'"),
        ({"run_length": 1}, "run_length must be"),
        ({"sums": [1.0]}, "contradict each other"),
        ({"sums": [-1.0] * N_RATES}, "contradict each other"),
        ({"sums": [1e9] * N_RATES, "alarm_at": None}, "contradict each other"),
        ({"n_errors": 4000}, "contradict each other"),
        ({"alarm_at": 9000}, "contradict each other"),
        ({"path": [[8000, 1, 0.0]]}, "contradict each other"),
        ({"about": {"rows_again": 8001}}, "rows_again must be at most"),
        ({"path": 3}, "is not a saved Type1ChangeDetector"),
    ],
)
def test_a_file_that_was_changed_is_refused(change, message, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps(Type1ChangeDetector(0.05, 5000).update(STREAM).to_dict() | change))
    with pytest.raises(InvalidInputError, match=message):
        Type1ChangeDetector.read(path)
    test = Type1Monitor(0.05).update(STREAM).write(path)
    with pytest.raises(InvalidInputError, match="is not a file of the format"):
        Type1ChangeDetector.read(test)


def test_it_says_that_false_alarms_come_and_draws_the_alarm():
    detector = Type1ChangeDetector(0.05, 5000).update(STREAM)
    text = " ".join(str(detector.summary()).split())
    assert f"after {detector.alarm_at} rows" in text
    assert "the mean number of rows before an alarm is at least 5000" in text
    assert "The probability of a false alarm has no bound" in text
    ax = detector.plot()
    lines = {line.get_gid(): line for line in ax.lines}
    assert lines["nproc-monitor-alarm"].get_xdata()[0] == detector.alarm_at
    np.testing.assert_allclose(lines["nproc-monitor-alarm-level"].get_ydata()[0], np.log10(5000))
    # the evidence is known at errors only, each of which has a dot
    assert ax.get_ylabel() == "evidence at errors"
    evidence = Type1ChangeDetector(0.05).update(np.arange(200) % 12 == 0).plot().lines[0]
    assert evidence.get_marker() == "o"
    assert evidence.get_xdata().tolist() == list(range(1, 200, 12))
    plt.close("all")
    quiet = Type1ChangeDetector(0.05).update(np.zeros(10))
    assert "none" in str(quiet.summary())
    with pytest.raises(InvalidInputError, match="nothing to draw yet"):
        quiet.plot()
