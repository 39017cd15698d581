"""How many matches does the q-value objective add to its own warm start, its settings chosen on other spectra?"""

import itertools
import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from qvalues_psm import LEVELS, counts_of, matches, scores_of
from sklearn.model_selection import GroupShuffleSplit

from nproc.errors import NPWarning
from nproc.scorers.papers.qvalue import QValueLinear, QValueNetwork

SPLITS = 10
SEED = 4711
MODELS = {"QValueNetwork": QValueNetwork, "QValueLinear": QValueLinear}
LAMS = (1e-4, 1e-3)
GAMMAS = (0.3, 1.0, 3.0)
# so small a learning rate leaves the model as the logistic loss made it
WARM = 1e-9
AT = LEVELS.index(0.01)
COLUMNS = (
    *("model", "splits", "warm start at 0.01", "q-value at 0.01", "gain at 0.01", "naive standard error"),
    *("gain at 0.01 (95 %)", "gain at 0.1 (95 %)", "splits with a gain at 0.01"),
)


def split(spectra, seed):
    """Return two halves of some rows; the rows of a spectrum stay together."""
    ((first, second),) = GroupShuffleSplit(1, test_size=0.5, random_state=seed).split(spectra, groups=spectra)
    return first, second


def count(name, settings, data, train, test, seed):
    """Return the numbers of targets accepted on the rows `test` at the levels."""
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        return counts_of(scores_of(MODELS[name](0.01, random_state=seed, **settings), X, y, train, test), y[test])


def run(name, seed):
    """Return the counts on the second half by the warm start and by the q-value objective, both chosen on the first."""
    X, y, spectra, _ = matches()
    first, second = split(spectra, SEED + seed)
    one, other = (first[part] for part in split(spectra[first], seed))
    found = []
    for gammas in ((WARM,), GAMMAS):
        grid = [{"lam": lam, "gamma0": gamma} for lam, gamma in itertools.product(LAMS, gammas)]
        inner = [
            sum(count(name, settings, (X, y), *halves, seed)[AT] for halves in ((one, other), (other, one)))
            for settings in grid
        ]
        found.append(count(name, grid[int(np.argmax(inner))], (X, y), first, second, seed))
    return np.array(found)


def interval(gain):
    """Return the mean gain and its interval; one half of the spectra trains, the other counts."""
    low, high = measure.interval_of_splits(gain, 1.0)
    return f"{gain.mean():+.1f} ({low:+.1f} to {high:+.1f})"


def main():
    rows = []
    for name in MODELS:
        found = np.array(measure.repeat(run, (name,), SPLITS, label=name, n_jobs=1))
        gain = found[:, 1] - found[:, 0]
        rows.append(
            (
                name,
                SPLITS,
                f"{found[:, 0, AT].mean():.1f}",
                f"{found[:, 1, AT].mean():.1f}",
                f"{gain[:, AT].mean():+.1f}",
                f"{gain[:, AT].std(ddof=1) / np.sqrt(SPLITS):.1f}",
                interval(gain[:, AT]),
                interval(gain[:, -1]),
                f"{np.sum(gain[:, AT] > 0)} of {SPLITS}",
            )
        )
    X, _, spectra, _ = matches()
    measure.print_text(
        f"{len(X)} matches of {np.unique(spectra).size} spectra (yeast), all that there are, in {SPLITS} random "
        f"halves. On one half lam ({LAMS[0]:g}, {LAMS[1]:g}) and gamma0 ({', '.join(f'{g:g}' for g in GAMMAS)}) are "
        "chosen by the count at q = 0.01, training on a quarter of the spectra and counting on another, and the model "
        "is trained. Targets are counted on the other half. Warm start: the same model by the logistic loss alone, its "
        "lam chosen in the same way. The naive standard error is that over the splits; the intervals count that the "
        "splits share spectra (Nadeau and Bengio, 2003): they speak of new spectra."
    )
    measure.print_table(COLUMNS, rows)


if __name__ == "__main__":
    main()
