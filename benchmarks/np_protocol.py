"""What the comparisons of Figures 4 and 5 share: data, splits, selection by J, and what is reported."""

from __future__ import annotations

import itertools
import time
import warnings
from dataclasses import dataclass, fields

import measure  # isort: skip  (before numpy)
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from nproc.errors import NPWarning
from nproc.model_choice import np_loss
from nproc.scorers.base import ranks_only

DATA = measure.SHARED / "data"
ALPHAS = (0.01, 0.05, 0.1, 0.2)


def load(name):
    """Return (X, y) of a data set of Table I; y = 0 is the paper's negative class."""
    if name == "breast":
        return load_breast_cancer(return_X_y=True)
    if name == "covertype":
        with np.load(DATA / "covtype_sprucefir_krummholz_16pct.npz", allow_pickle=False) as stored:
            X = np.hstack([stored["X_quant"], stored["X_binary"]]).astype(np.float64)
            return X, stored["y"].astype(np.int64)
    if name == "rcv1":
        with np.load(DATA / "rcv1v2_part1.npz", allow_pickle=False) as stored:
            shape = tuple(stored["shape"])
            X = sparse.csr_array((stored["data"].astype(np.float64), stored["indices"], stored["indptr"]), shape=shape)
            ecat = stored["topic_names"].tolist().index("ECAT")
            pointers, topics = stored["topic_indptr"], stored["topic_indices"]
            has = [ecat in topics[a:b] for a, b in itertools.pairwise(pointers)]
            return X, 1 - np.array(has, dtype=np.int64)
    file = {"spambase": "spambase.csv.gz", "magic": "magic04.csv.gz", "page blocks": "page_blocks.csv"}
    frame = pd.read_csv(DATA / file.get(name, f"{name}.csv"))
    return frame.drop(columns="y").to_numpy(dtype=np.float64), frame["y"].to_numpy(dtype=np.int64)


@dataclass(frozen=True)
class Protocol:
    """One random division: rows to fit and validate on (several pairs for cross-validation), and rows to test on.

    Columns are standardised by the rows that are not tested; a sparse X is left as it is.
    """

    X: object
    y: np.ndarray
    folds: tuple
    rest: np.ndarray
    test: np.ndarray


def divide(name, seed):
    """Return the `Protocol` of sections 5.1: 4-fold on 3/4 of breast and pima, else 1/2, 1/4 and 1/4."""
    X, y = load(name)
    rest, test = train_test_split(np.arange(y.size), test_size=0.25, stratify=y, random_state=seed)
    if name in ("breast", "pima"):
        inner = StratifiedKFold(4, shuffle=True, random_state=seed).split(rest, y[rest])
        folds = tuple((rest[a], rest[b]) for a, b in inner)
    else:
        fitted, validated = train_test_split(rest, test_size=1 / 3, stratify=y[rest], random_state=seed)
        folds = ((fitted, validated),)
    if not sparse.issparse(X):
        X = StandardScaler().fit(X[rest]).transform(X)
    return Protocol(X, y, folds, rest, test)


def error_rates(model, X, y):
    """Return (P_fa, P_nd) of a fitted model: the shares of class 0 called 1, and of class 1 called 0."""
    called = np.asarray(model.predict(X))
    return float(np.mean(called[y == 0] == 1)), float(np.mean(called[y == 1] == 0))


@dataclass(frozen=True)
class Outcome:
    """Errors on the test rows of the candidate that J selects, and the processor time of the whole search."""

    type1: float
    type2: float
    seconds: float
    n_fits: int
    failures: int


NUMBERS = tuple(field.name for field in fields(Outcome))


def search(make, grid, protocol, alphas, scale=1.0):
    """Return ``{alpha: Outcome}``: the candidate of `grid` with the least J on the rows kept for that.

    `make` turns an entry of `grid` into an unfitted classifier. All `alphas` share the fits, so the grid must not
    depend on alpha; `seconds` is multiplied by `scale` where the grid is a share 1 / scale of the paper's.
    """
    rates = np.zeros((len(grid), len(protocol.folds), 2))
    kept, failures, started = {}, 0, time.process_time()
    for i, params in enumerate(grid):
        for j, (fitted, validated) in enumerate(protocol.folds):
            # the validation rows judge the labels: without this NPSVC would also estimate its errors on new rows
            with ranks_only(), warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                model = make(params).fit(protocol.X[fitted], protocol.y[fitted])
            failures += any(issubclass(w.category, (NPWarning, UserWarning)) for w in heard)
            rates[i, j] = error_rates(model, protocol.X[validated], protocol.y[validated])
            kept[i] = model
    searching = time.process_time() - started
    outcomes = {}
    for alpha in alphas:
        losses = np_loss(rates[:, :, 0], rates[:, :, 1], alpha).mean(axis=1)
        best = int(np.argmin(losses))
        started = time.process_time()
        model = kept[best]
        if len(protocol.folds) > 1:
            with ranks_only(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = make(grid[best]).fit(protocol.X[protocol.rest], protocol.y[protocol.rest])
        seconds = scale * searching + time.process_time() - started
        type1, type2 = error_rates(model, protocol.X[protocol.test], protocol.y[protocol.test])
        outcomes[alpha] = Outcome(type1, type2, seconds, len(grid) * len(protocol.folds), failures)
    return outcomes


def search_each(make, grid, protocol, alphas, scale=1.0):
    """Return ``{alpha: Outcome}`` where every alpha needs fits of its own: `make` takes (params, alpha)."""
    return {a: search(lambda p, a=a: make(p, a), grid, protocol, [a], scale)[a] for a in alphas}


def median_rows(results):
    """Return table rows of medians over the divisions of `Store.complete`."""
    rows = []
    for name, alpha in itertools.product(results, ALPHAS):
        for method in results[name][0]:
            lines = [[by_method[method][alpha][number] for number in NUMBERS] for by_method in results[name]]
            type1, type2, seconds, n_fits, failures = np.array(lines).T
            middles = [np.median(values) for values in (type1, type2, np_loss(type1, type2, alpha), seconds)]
            cells = [f"{middle:{form}}" for middle, form in zip(middles, (".4f", ".4f", ".3f", ".3g"), strict=True)]
            rows.append((name, f"{alpha:g}", method, len(lines), *cells, int(n_fits[0]), int(failures.sum())))
    return rows


COLUMNS = ("data", "alpha", "method", "runs", "P_fa", "P_nd", "J", "seconds", "fits", "fits with a warning")


# marker, line and grey level of each method, the same in both figures
STYLES = {
    "ONP-SVM": ("o", "-", 0.0),
    "NP-SVM": ("s", "-", 0.35),
    "AC-SVM": ("^", "--", 0.0),
    "AC-SVM, closer costs": ("x", "-.", 0.85),
    "GEN": ("D", ":", 0.5),
    "SVMPerf": ("v", "-.", 0.7),
}


def draw(rows, path):
    """Draw P_fa, P_nd and time against alpha from the rows of `median_rows`, as Figures 4 and 5; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    names = list(dict.fromkeys(row[0] for row in rows))
    methods = [method for method in STYLES if any(row[2] == method for row in rows)]
    figure, axes = plt.subplots(len(names), 3, figsize=(9.5, 2.3 * len(names)), squeeze=False, layout="constrained")
    quantities = ((4, "type I error, test rows"), (5, "type II error, test rows"), (7, "time of the search, s"))
    for line_of_axes, name in zip(axes, names, strict=True):
        for ax, (column, label) in zip(line_of_axes, quantities, strict=True):
            alphas = sorted({float(row[1]) for row in rows})
            if column == 4:
                ax.plot(alphas, alphas, color="0.75", lw=3, zorder=0, label="type I error = alpha")
                ax.set_yscale("symlog", linthresh=0.01)
            for method in methods:
                points = [(float(row[1]), float(row[column])) for row in rows if (row[0], row[2]) == (name, method)]
                if points:
                    marker, line, grey = STYLES[method]
                    x, values = zip(*points, strict=True)
                    colour = plt.get_cmap("viridis")(grey)
                    ax.plot(x, values, marker=marker, ls=line, color=colour, label=method, ms=4.5, lw=1.3)
            if column == 4:
                ax.set_ylim(bottom=-0.001)
            if column == 7:
                ax.set_yscale("log")
                low, high = ax.get_ylim()
                # whole decades, so that each axis has labels
                ax.set_ylim(10 ** np.floor(np.log10(low)), 10 ** np.ceil(np.log10(high)))
                ax.yaxis.set_major_locator(LogLocator(numticks=6))
                ax.yaxis.set_minor_formatter(NullFormatter())
            ax.set_ylabel(label, fontsize=8)
            ax.set_xscale("log")
            ax.set_xticks(alphas, [f"{alpha:g}" for alpha in alphas], fontsize=8)
            ax.xaxis.set_minor_locator(plt.NullLocator())
            ax.tick_params(labelsize=8)
            ax.set_title(name, fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("alpha", fontsize=8)
    named = {}
    for ax in axes[:, 0]:
        handles, labels = ax.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    figure.legend(named.values(), named, loc="outside lower center", ncols=len(named), fontsize=8, frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path


def limits(differences):
    """Return the ends of Student's 95 % interval of the mean of some differences."""
    half = student.ppf(0.975, differences.size - 1) * differences.std(ddof=1) / np.sqrt(differences.size)
    return differences.mean() - half, differences.mean() + half
