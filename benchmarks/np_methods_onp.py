"""Figure 5's main claim: ONP-SVM against AC-SVM by LIBLINEAR, time of the search and J on test rows, more divisions."""

from __future__ import annotations

import measure  # isort: skip  (before numpy)
import numpy as np
from np_methods_linear import EPOCHS, ONLINE_GRID, PEERS, PLAN, ac_svm, online_np
from np_protocol import ALPHAS, divide, search_each
from scipy.stats import wilcoxon

from nproc.scorers.papers_online import OnlineNPClassifier

# divisions of each data set: more where a search is short
DIVISIONS = {"spambase": 40, "page blocks": 150, "magic": 4, "covertype": 3}
# what tau is of: the paper prints gamma = tau / n0, and by its own rule that nu is proportional to 1/n0 may mean nu
READINGS = ("nu", "gamma")
# nu in the second reading, times n0
FIXED_TAU = 10.0
LIMIT = 6.0
# of page blocks, to show how little few divisions tell
FEW = 25
# a difference of J that no row of the test sets makes
NOTHING = 5e-5
COLUMNS = (
    "data",
    "tau is of",
    "alpha",
    "divisions",
    "mean J of ONP-SVM",
    "of AC-SVM",
    "mean difference (standard error)",
    "median J of ONP-SVM",
    "of AC-SVM",
    "median difference",
    "divisions better, equal, worse",
    "Wilcoxon p",
    "P_fa, mean difference",
    "P_nd, mean difference",
)
VERDICT_COLUMNS = (
    "data",
    "tau is of",
    "divisions",
    "times faster, one alpha (range)",
    f"at least {LIMIT:g} for one",
    "four alphas",
    "mean J of ONP-SVM",
    "of AC-SVM",
    "mean difference (standard error)",
    "equal or better",
    "median difference",
    "Wilcoxon p",
)


def run(name, seed):
    """Return {method: {alpha: Outcome}} of one division; one search of AC-SVM serves all alphas."""
    protocol = divide(name, seed)
    n0 = int(np.sum(protocol.y[protocol.folds[0][0]] == 0))

    def by_gamma(params, alpha):
        gamma0 = params["tau"] / n0
        return OnlineNPClassifier(
            alpha, lam=params["lam"], gamma0=gamma0, tau=FIXED_TAU, max_iter=EPOCHS, random_state=1
        )

    makers = {"nu": online_np, "gamma": by_gamma}
    outcomes = {reading: search_each(makers[reading], ONLINE_GRID, protocol, ALPHAS) for reading in READINGS}
    return {**outcomes, "AC-SVM": ac_svm(protocol, name, **PEERS["AC-SVM"])}


def array_of(runs, method, value, alphas):
    """Return a number of each outcome of a method, shape (divisions, alphas)."""
    return np.array([[value(run[method][alpha], alpha) for alpha in alphas] for run in runs])


def losses(runs, method, alphas):
    return array_of(runs, method, lambda outcome, alpha: outcome.loss(alpha), alphas)


def seconds(runs, method, alphas=ALPHAS):
    return array_of(runs, method, lambda outcome, alpha: outcome.seconds, alphas)


def mean_with_error(gain):
    """Return (text, mean, its standard error) of differences of shape (divisions, alphas), by division."""
    by_division = gain.mean(axis=1)
    error = by_division.std(ddof=1) / np.sqrt(by_division.size)
    return f"{by_division.mean():+.4f} ({error:.4f})", by_division.mean(), error


def verdict(name, runs, reading):
    """Return a row that says whether the claim holds."""
    mine, theirs = losses(runs, reading, ALPHAS), losses(runs, "AC-SVM", ALPHAS)
    ratios = seconds(runs, "AC-SVM") / seconds(runs, reading)
    # AC-SVM needs one search for all alphas, and ONP-SVM one for each
    four = seconds(runs, "AC-SVM")[:, 0] / seconds(runs, reading).sum(axis=1)
    text, mean, error = mean_with_error(mine - theirs)
    return (
        name,
        reading,
        len(runs),
        f"{np.median(ratios):.1f} ({ratios.min():.1f} to {ratios.max():.1f})",
        "yes" if np.median(ratios) >= LIMIT else "**no**",
        f"{np.median(four):.1f}",
        f"{mine.mean():.3f}",
        f"{theirs.mean():.3f}",
        text,
        "yes" if mean <= 0 else "not told apart" if mean <= 2 * error else "**no**",
        f"{np.median(mine - theirs):+.4f}",
        f"{wilcoxon((mine - theirs).mean(axis=1)).pvalue:.2g}",
    )


def compare(name, runs, reading, label, alphas):
    """Return a row on the outcomes of both methods for the same divisions and alphas."""
    mine, theirs = losses(runs, reading, alphas), losses(runs, "AC-SVM", alphas)
    gain = mine - theirs
    by_division = gain.mean(axis=1)
    better, worse = int(np.sum(by_division < -NOTHING)), int(np.sum(by_division > NOTHING))
    errors = [
        array_of(runs, reading, value, alphas).mean() - array_of(runs, "AC-SVM", value, alphas).mean()
        for value in (lambda outcome, alpha: outcome.type1, lambda outcome, alpha: outcome.type2)
    ]
    return (
        name,
        reading,
        label,
        len(runs),
        f"{mine.mean():.3f}",
        f"{theirs.mean():.3f}",
        mean_with_error(gain)[0],
        f"{np.median(mine):.3f}",
        f"{np.median(theirs):.3f}",
        f"{np.median(gain):+.4f}",
        f"{better}, {len(runs) - better - worse}, {worse}",
        f"{wilcoxon(by_division).pvalue:.2g}" if better + worse else "-",
        *(f"{error:+.4f}" for error in errors),
    )


def main():
    verdicts, details, few = [], [], None
    for name, divisions in DIVISIONS.items():
        runs = measure.repeat(run, (name,), divisions, label=name)
        if name == "page blocks":
            few = mean_with_error(losses(runs[:FEW], "nu", ALPHAS) - losses(runs[:FEW], "AC-SVM", ALPHAS))[0]
        for reading in READINGS:
            verdicts.append(verdict(name, runs, reading))
            details.append(compare(name, runs, reading, "all", ALPHAS))
            details += [compare(name, runs, reading, f"{alpha:g}", [alpha]) for alpha in ALPHAS]
    passes = PEERS["AC-SVM"]["max_iter"]
    measure.print_text(
        "ONP-SVM: sigmoid loss, 42 candidates, 100 epochs, a search for each alpha. AC-SVM: LIBLINEAR, hinge loss,",
        f"default tolerance, up to {passes:,} passes, which not all fits find enough, 225 cost pairs (covertype:",
        f"1/{PLAN['covertype'][1]} of them, drawn at random, and the time multiplied), one search that serves all",
        "alphas. With the 1000 passes of LinearSVC's own limit, or the squared hinge, AC-SVM is faster: see",
        "`np_methods_linear`. J, of the test rows, adds the relative excess of the type I error; differences are",
        "ONP-SVM less AC-SVM, within a division and an alpha. Seconds are processor time, with two divisions at a time",
        "on two cores.",
    )
    measure.print_text(
        'The paper prints "the learning rate gamma was sought as tau/n-"; elsewhere nu is the rate that is always',
        "proportional to 1/n-, so that nu may be meant. Both are here, the other rate fixed: gamma_0 at the default,",
        f"or nu at {FIXED_TAU:g}/n-, at most gamma_t. Neither was chosen by its results: the first verdicts are those",
        "of nu, as before, and a reader may take either.",
    )
    measure.print_text(
        "**The claim.** J is at or below that of AC-SVM by its mean over divisions and alphas (yes), above it by more",
        "than two standard errors (no), or above it by less (not told apart). The standard error is that of the mean",
        "over all divisions of these data, and says nothing of other data.",
    )
    measure.print_table(VERDICT_COLUMNS, verdicts)
    measure.print_text(
        "**Each alpha.** One row of class 0 in the test set of page blocks (140 such rows) is worth 0.71 of J at alpha",
        f"= 0.01 and 0.14 at 0.05, so that few divisions tell little: the first {FEW} of page blocks have a mean",
        f"difference of {few} with tau of nu.",
    )
    measure.print_table(COLUMNS, details)


if __name__ == "__main__":
    main()
