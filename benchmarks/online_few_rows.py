"""Which lam suits OnlineNPClassifier where there are too few rows to choose it, and what does its cut add?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import error_rates, load
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import npc
from nproc.model_choice import np_loss
from nproc.scorers import OnlineNPClassifier
from nproc.simulate import GaussianWorld
from nproc.solvers.stochastic.run import mean_square_norm

DIVISIONS = 8
# rows that train, and the largest number of rows that test
DATA = {"rcv1": (600, 2000), "spambase": (300, 600), "magic": (400, 1000), "pima": (500,), "page blocks": (1500,)}
WORLDS = {"normal, 20 columns": (20, 0.45, (400, 700)), "normal, 200 columns": (200, 0.15, (400, 700))}
TEST_ROWS = 10_000
LEVELS = (0.05, 0.1)
DELTA = 0.05
FACTORS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
LAMS = ("1 / n, at most 1/1000", *(f"{factor:g} r^2 / n" for factor in FACTORS))


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
    """Return type II errors in npc by each lam, J alone by each lam, and J alone at the default."""
    (X, y), (X_test, y_test) = rows_of(name, n, seed)
    standardised = not sparse.issparse(X)
    scale = StandardScaler().fit(X) if standardised else None
    train, test = (scale.transform(X), scale.transform(X_test)) if standardised else (X, X_test)
    square = mean_square_norm(train)
    lams = [min(1 / n, 1 / 1000), *(factor * square / n for factor in FACTORS)]
    in_npc, alone = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for lam in lams:
            model = OnlineNPClassifier(alpha, lam=lam, class0=0, random_state=seed)
            alone.append(float(np_loss(*error_rates(model.fit(train, y), test, y_test), alpha)))
            method = make_pipeline(StandardScaler(), model) if standardised else model
            fit = npc(X, y, method, alpha=alpha, delta=DELTA, class0=0, random_state=seed)
            in_npc.append(error_rates(fit, X_test, y_test)[1])
        default = OnlineNPClassifier(alpha, class0=0, random_state=seed).fit(train, y)
    return in_npc, alone, float(np_loss(*error_rates(default, test, y_test), alpha))


def main():
    arguments = measure.arguments(divisions=DIVISIONS)
    measure.print_text(
        f"{arguments.divisions} random divisions: n rows train, the others test, at most {TEST_ROWS:,}. Columns are",
        "standardised by the training rows, but for the words of rcv1. r^2 is the mean square norm of the training",
        "rows: about the number of columns where these are standardised. In all settings there are too few rows to",
        "choose lam by rows set aside, and the default is 0.3 r^2 / n with a cut by models that left rows out.",
    )
    in_npc, alone, columns = [], [], ("data", "rows", "alpha")
    for name, sizes in (*DATA.items(), *((name, sizes) for name, (*_, sizes) in WORLDS.items())):
        for n in sizes:
            for alpha in LEVELS:
                label = f"online_few_rows: {name}, {n} rows, alpha = {alpha:g}"
                runs = measure.repeat(run, (name, n, alpha), arguments.divisions, label=label)
                ranked, labels, default = (np.mean(part, axis=0) for part in zip(*runs, strict=True))
                in_npc.append((name, n, f"{alpha:g}", ranked))
                alone.append((name, n, f"{alpha:g}", np.append(labels, default)))
    measure.print_text(
        f"**In `npc`**, with delta = {DELTA:g}: the type II error on test rows, by lam. `npc` sets its own threshold,",
        "so that this tells of the order of the scores alone.",
    )
    measure.print_table((*columns, *LAMS), list(with_mean(in_npc)))
    measure.print_text(
        "**The classifier alone**: J of its labels on the test rows, by lam and without a cut, and at the default."
    )
    measure.print_table((*columns, *LAMS, "default"), list(with_mean(alone)))


def with_mean(rows):
    """Yield the rows of a table with figures as text, then their mean, and at most how far they are behind the best."""
    figures = np.array([each for *_, each in rows])
    behind = (figures - figures.min(axis=1, keepdims=True)).max(axis=0)
    for *key, row in (*rows, ("mean", "-", "-", figures.mean(axis=0)), ("most behind", "-", "-", behind)):
        yield (*key, *(f"{figure:.3f}" for figure in row))


if __name__ == "__main__":
    main()
