"""How much does the start of the annealed Neyman-Pearson SVM move its errors? (Gasso et al., Figure 3)"""

import sys
import time

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nproc.solvers import made_constraint, solve_annealed

ALPHAS = (0.05, 0.1)
COSTS = (0.01, 0.1, 1.0, 10.0)
STARTS = 24
COLUMNS = (
    *("alpha", "C", "P_fa from 0", "P_nd from 0", "P_fa from random starts", "P_nd from random starts"),
    *(
        "median distance of P_nd",
        "largest",
        "lower objective than from 0",
        "converged",
        "iterations, from 0 and median",
    ),
)


def training_rows():
    """Return the half of spambase that trains, standardised."""
    X, y = load("spambase")
    X, _, y, _ = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
    return StandardScaler().fit_transform(X), y


def end_of(X, y, alpha, C, beta):
    """Return P_fa, P_nd on the training rows, the objective, whether it converged, and the iterations."""
    found = solve_annealed(
        X, y, constraint=made_constraint(y, alpha), kernel="linear", C=C, beta=beta, cache_size=1000.0
    )
    called = found.decision > 0
    rates = float(np.mean(called[y == 0])), float(np.mean(~called[y == 1]))
    return (*rates, float(found.objective[-1]), found.converged, found.n_iter)


def run(alpha, C, start):
    """Return the end from beta = 0 (start 0) or from a random beta."""
    X, y = training_rows()
    beta = None if start == 0 else np.random.default_rng(start).integers(0, 2, y.size).astype(float)
    return end_of(X, y, alpha, C, beta)


def span(values):
    """Return the smallest and the largest value."""
    return f"{min(values):.4f} to {max(values):.4f}"


def row_of(alpha, C, ends):
    """Return a row of the table; the first end is that from beta = 0."""
    type1, type2, objective, converged, n_iter = (np.array(part) for part in zip(*ends, strict=True))
    far = np.abs(type2[1:] - type2[0])
    return (
        f"{alpha:g}",
        f"{C:g}",
        f"{type1[0]:.4f}",
        f"{type2[0]:.4f}",
        span(type1[1:]),
        span(type2[1:]),
        f"{np.median(far):.4f}",
        f"{far.max():.4f}",
        f"{np.sum(objective[1:] < objective[0] * (1 - 1e-6))} of {STARTS}",
        f"{converged.sum()} of {converged.size}",
        f"{n_iter[0]}, {np.median(n_iter[1:]):g}",
    )


def picture(ends):
    """Draw the errors at the end, one panel for each alpha and C, as Figure 3; return the path."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shape = (len(ALPHAS), len(COSTS))
    # the panels of an alpha share both axes, which reach as far as the points do
    figure, axes = plt.subplots(*shape, figsize=(11, 5.2), sharex="row", sharey="row", layout="constrained")
    for (alpha, C), found in ends.items():
        ax = axes[ALPHAS.index(alpha), COSTS.index(C)]
        type1, type2 = np.array([end[:2] for end in found]).T
        ax.axvline(alpha, color="0.75", lw=3, zorder=0, label="type I error = alpha")
        ax.plot(type1[1:], type2[1:], "s", color="#e0b000", mec="black", mew=0.4, ms=5, label="from a random start")
        ax.plot(type1[0], type2[0], "*", color="#c00000", ms=13, label="from beta = 0")
        ax.set_title(f"alpha = {alpha:g}, C = {C:g}", fontsize=9)
        ax.locator_params(axis="x", nbins=5)
        ax.tick_params(labelsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("type I error, training rows", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel("type II error, training rows", fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    path = measure.FIGURES / "annealed_start.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def main():
    ends = {}
    for alpha in ALPHAS:
        for C in COSTS:
            started = time.monotonic()
            ends[alpha, C] = measure.repeat(
                run, (alpha, C), 1 + STARTS, label=f"alpha = {alpha:g}, C = {C:g}", n_jobs=1
            )
            sys.stderr.write(f"alpha = {alpha:g}, C = {C:g}: {time.monotonic() - started:.0f} s\n")
    measure.print_text(
        "Linear kernel, 2300 rows of spambase (half of them, standardised), the ramp loss and the defaults of "
        f"`solve_annealed`. From beta = 0, the paper's start, and from {STARTS} vectors beta of fair coins, as many as "
        "in the paper. Errors on the training rows at the end; ranges are the smallest and the largest value."
    )
    measure.print_table(COLUMNS, [row_of(alpha, C, found) for (alpha, C), found in ends.items()])
    print(f"![Errors by the start](figures/{picture(ends).name})")


if __name__ == "__main__":
    main()
