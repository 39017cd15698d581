"""Which lam suits OnlineNPClassifier where there are too few rows to choose it, and what does its cut add?"""

import warnings
from unittest import mock

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import error_rates, load
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nproc import npc
from nproc.model_choice import np_loss
from nproc.scorers import OnlineNPClassifier
from nproc.scorers.papers import online
from nproc.simulate import GaussianWorld
from nproc.solvers.stochastic.run import mean_square_norm

DIVISIONS = 12
# rows that train, and the largest number of rows that test
DATA = {"rcv1": (600, 2000), "spambase": (300, 600), "magic": (400, 1000), "pima": (500,), "page blocks": (1500,)}
WORLDS = {"normal, 20 columns": (20, 0.45, (400, 700)), "normal, 200 columns": (200, 0.15, (400, 700))}
TEST_ROWS = 10_000
LEVELS = (0.05, 0.1)
DELTA = 0.05
FACTORS = (0.03, 0.1, 0.3, 1.0, 3.0)
LAMS = tuple(f"{factor:g} r^2 / n" for factor in FACTORS)
# what the package takes: within npc, and alone
IN_NPC, ALONE = f"{online.ORDER_FACTOR:g} r^2 / n", f"{online.LABELS_FACTOR:g} r^2 / n"


def rows_of(name, n, seed):
    """Return rows that train and rows that test, each as (X, y); columns as they come."""
    if name in WORLDS:
        p, shift, _ = WORLDS[name]
        world = GaussianWorld([0] * p, [shift] * p)
        samples = world.sample(n, seed), world.sample(TEST_ROWS, 10**6 + seed)
        return [(sample.X, sample.y) for sample in samples]
    X, y = load(name)
    rest = min(TEST_ROWS, y.size - n)
    parts = train_test_split(np.arange(y.size), train_size=n, test_size=rest, stratify=y, random_state=seed)
    return [(X[rows], y[rows]) for rows in parts]


def run(name, n, alpha, seed):
    """Return type II errors in npc by factor, J alone by factor, and J alone with the package's lam and no cut."""
    (X, y), (X_test, y_test) = rows_of(name, n, seed)
    scale = None if sparse.issparse(X) else StandardScaler().fit(X)
    train, test = (X, X_test) if scale is None else (scale.transform(X), scale.transform(X_test))
    model = OnlineNPClassifier(alpha, class0=0, random_state=seed)
    in_npc, alone = [], []
    for factor in FACTORS:
        with mock.patch.multiple(online, ORDER_FACTOR=factor, LABELS_FACTOR=factor), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = npc(train, y, model, alpha=alpha, delta=DELTA, class0=0, random_state=seed)
            in_npc.append(error_rates(fit, test, y_test)[1])
            alone.append(loss(model.fit(train, y), test, y_test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(lam=online.LABELS_FACTOR * mean_square_norm(train) / n)
        return in_npc, alone, loss(model.fit(train, y), test, y_test)


def loss(model, X, y):
    """Return J of a fitted model on rows that it has not seen."""
    return float(np_loss(*error_rates(model, X, y), model.alpha))


def main():
    arguments = measure.arguments(divisions=DIVISIONS)
    measure.print_text(
        f"{arguments.divisions} random divisions: n rows train, the others test, at most {TEST_ROWS:,}. Columns are",
        "standardised by the training rows, but for the words of rcv1. r^2 is the mean square norm of the training",
        "rows: about the number of columns where these are standardised, and 1 for rcv1. In all settings there are too",
        f"few rows to choose lam by rows set aside. Then the classifier takes {IN_NPC} within `npc` and {ALONE} alone,",
        "there with a cut by models that left rows out.",
    )
    in_npc, alone, columns = [], [], ("data", "rows", "alpha")
    for name, sizes in (*DATA.items(), *((name, sizes) for name, (*_, sizes) in WORLDS.items())):
        for n in sizes:
            for alpha in LEVELS:
                label = f"online_few_rows: {name}, {n} rows, alpha = {alpha:g}"
                runs = measure.repeat(run, (name, n, alpha), arguments.divisions, label=label)
                ranked, labels, uncut = (np.array(part) for part in zip(*runs, strict=True))
                in_npc.append((name, n, f"{alpha:g}", ranked))
                alone.append((name, n, f"{alpha:g}", np.column_stack([labels, uncut])))
    measure.print_text(
        f"**In `npc`**, with delta = {DELTA:g}: the type II error on test rows, by lam. `npc` sets its own threshold,",
        "so that this tells of the order of the scores alone. The last rows have the mean over the settings, how far",
        f"it is above that of {IN_NPC} with its standard error, and how far each lam is above the best in its worst",
        "setting.",
    )
    measure.print_table((*columns, *LAMS), list(with_mean(in_npc, LAMS.index(IN_NPC))))
    measure.print_text(
        f"**The classifier alone**: J of its labels on the test rows, by lam, and with {ALONE} and no cut. The row",
        f"before the last compares with {ALONE} and a cut.",
    )
    measure.print_table((*columns, *LAMS, "no cut"), list(with_mean(alone, LAMS.index(ALONE))))


def with_mean(rows, own):
    """Yield the means of each setting as text, then their mean, its excess over column `own`, and the worst excess."""
    means = np.array([figures.mean(axis=0) for *_, figures in rows])
    less = np.array([figures - figures[:, [own]] for *_, figures in rows])
    errors = np.sqrt((less.var(axis=1, ddof=1) / less.shape[1]).sum(axis=0)) / len(rows)
    for (*key, _), row in zip((*rows, ("mean", "-", "-", None)), (*means, means.mean(axis=0)), strict=True):
        yield (*key, *(f"{figure:.3f}" for figure in row))
    excess = zip(less.mean(axis=(0, 1)), errors, strict=True)
    yield ("above the package's", "-", "-", *(f"{mean:+.4f} ({error:.4f})" for mean, error in excess))
    behind = (means - means.min(axis=1, keepdims=True)).max(axis=0)
    yield ("above the best, at most", "-", "-", *(f"{figure:.3f}" for figure in behind))


if __name__ == "__main__":
    main()
