"""How soon does a monitor of the type I error see that the bound is broken, and how often is its alarm false?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from mapie.exchangeability_testing import RiskMonitoring

from nproc.monitoring import Type1ChangeDetector, Type1Monitor, default_prior

REPETITIONS = 500
# MAPIE's monitor takes seconds for a stream
REPETITIONS_OF_PEER = 40
ALPHA = DELTA = 0.05
LONGEST = 6000
RATES = (0.05, 0.08, 0.10, 0.15)
GOOD_ROWS = 10_000
PRIORS = {
    "default": None,
    "(1, 1)": (1, 1),
    "(1, 5)": (1, 5),
    "(1, 20)": (1, 20),
    "(1, 40)": (1, 40),
    "(2, 20)": (2, 20),
}


def alarm_of_peer(errors):
    """Return the first row at which MAPIE's lower bound on the rate is above alpha."""
    # false positive rate among rows of class 0
    monitor = RiskMonitoring(risk="fpr", test_level=DELTA, threshold=ALPHA, warn=False)
    monitor.update(np.zeros(errors.size, dtype=int), errors.astype(int))
    above = np.flatnonzero(np.asarray(monitor.online_risk_lower_bound_sequence_history) > ALPHA)
    return int(above[0]) + 1 if above.size else None


def one_stream(rate, with_peer, seed):
    """Return the rows until the alarm of each monitor, None where there is none."""
    errors = np.random.default_rng(seed).random(LONGEST) < rate
    found = {name: Type1Monitor(ALPHA, DELTA, prior).update(errors).alarm_at for name, prior in PRIORS.items()}
    if with_peer:
        found["MAPIE"] = alarm_of_peer(errors)
    return found


def one_late_change(rate, seed):
    """Return the rows from the change to the alarm of the test and of the detector; None for none or a false one."""
    rng = np.random.default_rng(seed)
    errors = np.concatenate([rng.random(GOOD_ROWS) < 0.8 * ALPHA, rng.random(LONGEST) < rate])
    kinds = {"test": Type1Monitor(ALPHA, DELTA), "detector": Type1ChangeDetector(ALPHA, 2 * GOOD_ROWS)}
    at = {name: monitor.update(errors).alarm_at for name, monitor in kinds.items()}
    return {name: None if row is None or row <= GOOD_ROWS else row - GOOD_ROWS for name, row in at.items()} | {
        f"{name}, before": row is not None and row <= GOOD_ROWS for name, row in at.items()
    }


def shown(rows):
    """Return the median of rows until an alarm, in words where most streams have none."""
    median = np.median([LONGEST + 1 if row is None else row for row in rows])
    return f"{median:.0f}" if median <= LONGEST else f"more than {LONGEST}"


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    n_peer = min(arguments.repetitions, REPETITIONS_OF_PEER)
    measure.print_text(
        f"Streams of up to {LONGEST:,} class 0 rows of a constant type I error, alpha = delta = {ALPHA}. The default",
        f"prior is {default_prior(ALPHA)}. At 0.05 the share of the streams with an alarm, which must be at most 0.05,",
        "and else the median of the rows until the alarm.",
    )
    runs = {
        rate: measure.repeat(one_stream, (rate, False), arguments.repetitions, label=f"monitor: rate {rate}")
        for rate in RATES
    }
    peer = {rate: measure.repeat(one_stream, (rate, True), n_peer, label=f"monitor: MAPIE, {rate}") for rate in RATES}
    table = []
    for name in [*PRIORS, "MAPIE"]:
        own = peer if name == "MAPIE" else runs
        rows = {rate: [run[name] for run in own[rate]] for rate in RATES}
        false = np.mean([row is not None for row in rows[RATES[0]]])
        table.append((name, len(rows[RATES[0]]), f"{false:.3f}", *(shown(rows[rate]) for rate in RATES[1:])))
    measure.print_table(("prior", "streams", *(f"type I error {rate:g}" for rate in RATES)), table)
    measure.print_text(
        f"A change after {GOOD_ROWS:,} rows of {0.8 * ALPHA:g}, as median rows from the change to the alarm. The",
        f"detector has a mean run length of at least {2 * GOOD_ROWS:,} rows without a change. The last column is the",
        "share of the streams with an alarm before it.",
    )
    table = []
    for rate in RATES[1:]:
        late = measure.repeat(one_late_change, (rate,), arguments.repetitions // 5 + 1, label=f"monitor: late {rate}")
        for name in ("test", "detector"):
            before = np.mean([run[f"{name}, before"] for run in late])
            table.append((rate, name, shown([run[name] for run in late]), f"{before:.3f}"))
    measure.print_table(("type I error after it", "monitor", "rows until the alarm", "false before"), table)


if __name__ == "__main__":
    main()
