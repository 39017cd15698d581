"""How many peptide-spectrum matches are accepted at a q-value on held-out spectra, by method?"""

import itertools
import time
import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc.errors import NotConvergedWarning, NPWarning
from nproc.qvalues import accepted
from nproc.scorers.papers.qvalue import QValueLinear, QValueNetwork
from nproc.scorers.papers.qvalue_svm import QValueSVC

DATA = measure.SHARED / "data" / "psm_yeast_percolator.csv.gz"
LEVELS = (0.0025, 0.01, 0.1)
# settings are chosen by the count at this one
AT = LEVELS.index(0.01)
N_SPLITS = 10
SEED = 2026
SEVERAL = (0.01, 0.03, 0.1)
# the default, and a tenth of it
LAMS = {QValueLinear: (1e-4, 1e-3), QValueNetwork: (1e-3, 1e-2)}
# the default, a third of it and three times it
GAMMAS = {QValueLinear: (0.3, 1.0, 3.0), QValueNetwork: (0.03, 0.1, 0.3)}
# so small a learning rate leaves the model as the logistic loss made it
WARM_GAMMA = 1e-9
COSTS = (0.1, 0.3, 1.0)
XCORR, LOGISTIC, SVC = "Xcorr alone", "logistic", "QValueSVC (rbf)"


def matches():
    """Return predictors, labels (1 target, 0 decoy), scans and the column of Xcorr."""
    frame = pd.read_csv(DATA)
    names = [c for c in frame.columns if c != "y" and not c.startswith("id_") and c not in ("Charge4", "Charge5")]
    X = np.ascontiguousarray(frame[names].to_numpy(dtype=np.float64))
    return X, frame["y"].to_numpy(), frame["id_scan"].to_numpy(), names.index("Xcorr")


def halves(scans, seed, n_splits=1):
    """Return random halves of some rows; the rows of a spectrum stay together."""
    return list(GroupShuffleSplit(n_splits, test_size=0.5, random_state=seed).split(scans, groups=scans))


def named(model, q):
    """Return the name of a model for one or several q."""
    return f"{model}, q = {', '.join(f'{level:g}' for level in np.atleast_1d(q))}"


def warm(model):
    """Return the name of the warm start of a model."""
    return f"{model}, warm start alone"


def methods():
    """Return {name: (function of a seed and settings that returns an estimator, the settings to choose from)}."""

    def trained_for(kind, q):
        return lambda seed, **settings: kind(q, random_state=seed, **settings)

    def grid(kind, gammas):
        return [{"lam": lam, "gamma0": gamma} for lam, gamma in itertools.product(LAMS[kind], gammas)]

    found = {LOGISTIC: (lambda seed: LogisticRegression(max_iter=1000), [{}])}
    for kind in LAMS:
        found[warm(kind.__name__)] = trained_for(kind, 0.01), grid(kind, (WARM_GAMMA,))
        for q in (0.01, SEVERAL):
            found[named(kind.__name__, q)] = trained_for(kind, q), grid(kind, GAMMAS[kind])
    found[SVC] = lambda seed, C: QValueSVC(q=0.01, C=C, kernel="rbf"), [{"C": C} for C in COSTS]
    return found


def counts_after(model, X, y, train, test):
    """Return the number of targets accepted among the rows `test` at each level, without the correction."""
    scores = make_pipeline(StandardScaler(), model).fit(X[train], y[train]).decision_function(X[test])
    return counts_of(scores, y[test])


def counts_of(scores, y):
    """Return the number of targets accepted at each level; plain counts, without the correction."""
    return [int(accepted(scores, y, q).sum()) for q in LEVELS]


def chosen(make, grid, X, y, scans, train, seed):
    """Return the settings with the most targets accepted at 0.01, from halves of the training spectra."""
    if len(grid) == 1:
        return grid[0]
    one, other = (train[part] for part in halves(scans[train], seed)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        totals = [
            sum(counts_after(make(seed, **settings), X, y, *pair)[AT] for pair in ((one, other), (other, one)))
            for settings in grid
        ]
    return grid[int(np.argmax(totals))]


def run(name, seed):
    """Return the counts of one split, the seconds of the last fit and whether it did not converge."""
    X, y, scans, xcorr = matches()
    train, test = halves(scans, SEED, N_SPLITS)[seed]
    if name == XCORR:
        return counts_of(X[test, xcorr], y[test]), 0.0, False
    make, grid = methods()[name]
    settings = chosen(make, grid, X, y, scans, train, seed)
    started = time.process_time()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        counts = counts_after(make(seed, **settings), X, y, train, test)
    return counts, time.process_time() - started, any(issubclass(w.category, NotConvergedWarning) for w in heard)


def with_error(values):
    """Return "mean (standard error)" of one number a split."""
    return f"{np.mean(values):.1f} ({np.std(values, ddof=1) / np.sqrt(len(values)):.1f})"


def differences(found):
    """Return the rows of differences between two methods in the same splits, each with its interval at 0.01."""
    pairs = [(name, LOGISTIC) for name in found if name not in (XCORR, LOGISTIC)]
    pairs += [(named(model, 0.01), warm(model)) for model in ("QValueNetwork", "QValueLinear")]
    rows = []
    for name, peer in pairs:
        gain = found[name] - found[peer]
        # one half of the spectra trains, the other counts
        low, high = measure.interval_of_splits(gain[:, AT], 1.0)
        more = "yes" if low > 0 else "**no**" if high < 0 else "inconclusive"
        interval = f"{gain[:, AT].mean():+.1f} ({low:+.1f} to {high:+.1f})"
        positive = f"{np.sum(gain[:, AT] > 0)} of {N_SPLITS}"
        rows.append((f"{name} - {peer}", *(with_error(column) for column in gain.T), interval, positive, more))
    return rows


def main():
    if not DATA.is_file():
        measure.print_text("Skipped: the real data are not there (set NPROC_SHARED to the folder that holds `data`).")
        return
    found, rows = {}, []
    for name in (XCORR, *methods()):
        counts, seconds, failed = zip(*measure.repeat(run, (name,), N_SPLITS, label=name, n_jobs=1), strict=True)
        found[name] = np.array(counts)
        rows.append((name, *(with_error(c) for c in found[name].T), f"{np.median(seconds):.2f}", sum(failed)))
    X, y, scans, _ = matches()
    measure.print_text(
        f"{len(X)} matches of {np.unique(scans).size} spectra (yeast), {X.shape[1]} predictors, {int(y.sum())} "
        f"targets. {N_SPLITS} random splits of the spectra in half (seed {SEED}): train on one, count the targets "
        "accepted at q on the other, by the decoys there. Mean (standard error over splits). The splits share rows, "
        "so that the errors speak of the split, not of new spectra.",
        "Settings are chosen in each training half by the count at q = 0.01, training on a quarter of the spectra "
        "and counting on another: lam (the default and a tenth of it) and gamma0 (the default, a third of it and "
        "three times it) of QValueLinear and QValueNetwork, lam of their warm starts, C "
        f"({', '.join(f'{C:g}' for C in COSTS)}) of QValueSVC. Seconds are those of the last fit. Warm start alone: "
        "the same model trained by the logistic loss.",
    )
    levels = [f"q = {q:g}" for q in LEVELS]
    measure.print_table(("method", *levels, "seconds", "not converged"), rows)
    measure.print_text(
        "Differences between two methods in the same splits. The interval counts that the splits share spectra "
        "(Nadeau and Bengio, 2003): it speaks of new spectra."
    )
    columns = ("difference", *levels, "at 0.01 (95 %)", "splits with more at 0.01", "more at 0.01")
    measure.print_table(columns, differences(found))
    measure.print_text(
        "Most targets are wrong matches, and a q-value near 0.01 stands on about 5 decoys: counts at 0.0025 stand on "
        "1 or none and jump between splits."
    )


if __name__ == "__main__":
    main()
