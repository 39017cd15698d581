"""The main job on real data: three Neyman-Pearson classifiers, their errors, their bands and a picture.

Scikit-learn's breast cancer data; class 0 is 'malignant', so that the type I error is calling a malignant tumour
benign. A quarter of the rows is held out before anything else, and only used to count errors at the end.
"""

import sys
import time

import numpy as np

from nproc.api import npc, nproc
from nproc.checks import check_path
from nproc.cli.pictures import draw
from nproc.cli.records import at_text
from nproc.comparison import compare
from nproc.datasets import load_breast_cancer_np
from nproc.errors import InvalidInputError
from nproc.outputs import check_output
from nproc.tables import summary_table

METHODS = ("lda", "penlog", "randomforest")
ALPHA, DELTA, SEED = 0.1, 0.05, 1
HELD_OUT = 0.25
PICTURE = "np-roc-breast-cancer.png"


def add_demo(add):
    """Register the command; `add` makes a parser."""
    command = add("demo", _run, "--out demo-out")
    command.add_argument("--out", default="demo-out", metavar="FOLDER", help="where the picture goes; default demo-out")


def _run(args):
    # it has written all there is
    run_demo(args.out)


def run_demo(folder="demo-out"):
    """Run the demonstration, print its results, and return the path of the picture.

    Parameters
    ----------
    folder : str or path
        Where the picture goes; made if it is not there.

    Returns
    -------
    Path
        The picture, an absolute path, which is also the last line printed.

    Raises
    ------
    InvalidInputError
        If the folder cannot be made or written to.

    Notes
    -----
    Levels: with alpha = 0.1 and delta = 0.05 a threshold takes 29 left-out class 0 rows; 79 of the 159 malignant rows
    that are not held out are there for it.
    """
    picture = _picture_in(folder)
    started = time.monotonic()
    cancer = load_breast_cancer_np()
    held_out = _draw_held_out(cancer.y.to_numpy())
    X, y, X_new, y_new = cancer.X[~held_out], cancer.y[~held_out], cancer.X[held_out], cancer.y[held_out]
    print(cancer.description)
    print(
        f"{len(y)} rows to fit ({int((y == cancer.class0).sum())} malignant), {len(y_new)} held out "
        f"({int((y_new == cancer.class0).sum())} malignant).\nGuarantee of each classifier: P(malignant called "
        f"benign) <= {ALPHA:g} with probability at least {1 - DELTA:g}.\n"
    )
    common = {"delta": DELTA, "class0": cancer.class0, "random_state": SEED}
    evaluations, bands = [], []
    for method in METHODS:
        _progress(started, f"fitting {method}")
        fit = npc(X, y, method, alpha=ALPHA, **common)
        print(fit.summary(), end="\n\n")
        evaluations.append(fit.evaluate(X_new, y_new))
    print(_errors_table(evaluations), end="\n\n")
    for method in METHODS:
        _progress(started, f"NP-ROC band of {method}")
        bands.append(nproc(X, y, method, **common))
    comparison = compare(*bands)
    print(comparison.summary(), end="\n\n")
    print(at_text(comparison, comparison.at(ALPHA), ALPHA), end="\n\n")
    print(_verdict(comparison), end="\n\n")
    _progress(started, "drawing")
    draw(picture, lambda ax: _plot(comparison, ax), width=7.2, height=5.4)
    _progress(started, "done")
    print(f"NP-ROC bands and comparison:\n{picture}")
    return picture


def _picture_in(folder):
    folder = check_path(folder, "folder").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"cannot make the folder {folder}: {error.strerror}.") from error
    return check_output(folder / PICTURE)


def _draw_held_out(labels):
    """Return a mask of the rows to hold out: the same share of each class, drawn at random."""
    rng = np.random.default_rng(SEED)
    held_out = np.zeros(labels.size, dtype=bool)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        held_out[rng.permutation(rows)[: round(rows.size * HELD_OUT)]] = True
    return held_out


def _errors_table(evaluations):
    rows = []
    for method, e in zip(METHODS, evaluations, strict=True):
        for name, count, n, rate, interval in (
            ("type I", e.n_false1, e.n0, e.type1, e.type1_interval),
            ("type II", e.n_false0, e.n1, e.type2, e.type2_interval),
        ):
            rows.append((method, name, count, n, rate, interval.lower, interval.upper))
    return summary_table(
        "Errors on the held-out rows",
        [("alpha", f"{ALPHA:g}"), ("delta", f"{DELTA:g}")],
        ["Method", "Error", "Count", "Of", "Rate", "95 % low", "95 % high"],
        rows,
        [
            "Type I: malignant called benign. Intervals are Clopper-Pearson's. The guarantee is about the type I error "
            "in the population. On so few rows the observed rate may exceed alpha with a probability above delta."
        ],
    )


def _verdict(comparison):
    best = comparison.best_at(ALPHA, fallback="estimate")
    if comparison.best_at(ALPHA, fallback=None) is not None:
        return f"Best at alpha = {ALPHA:g}: {best}, whose band lies above all others."
    return (
        f"At alpha = {ALPHA:g} no band lies above all others, so these data do not show which method is better at "
        f"this\nalpha. Lowest estimate of the type II error: {best}."
    )


def _plot(comparison, ax):
    comparison.plot(ax=ax, alpha=ALPHA)
    # beyond, the bands are flat; under the lowest knot they are only the statement that no classifier exists
    ax.set(xlim=(0, 0.3), ylim=(0.45, 1.005))
    ax.set_title("NP-ROC bands, breast cancer data (class 0: malignant), enlarged", fontsize="medium")


def _progress(started, text):
    sys.stderr.write(f"[{time.monotonic() - started:4.1f} s] {text}\n")
    sys.stderr.flush()
