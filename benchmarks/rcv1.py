"""Does ONP-SVM have smaller errors than AC-SVM on RCV1 documents? (Gasso et al., Table IV)"""

import itertools
import sys
import time
from functools import partial

import measure  # isort: skip  (before numpy)
import numpy as np
from np_methods_linear import PEERS, weighted_svc
from np_protocol import divide, search, search_each

from nproc.scorers.papers.online import OnlineNPClassifier

ALPHAS = (0.001, 0.005, 0.05, 0.1)
METHODS = ("ONP-SVM", "AC-SVM")
# P_fa and P_nd in per cent, of ONP-SVM and of AC-SVM
PAPER = {
    0.001: ((0.029, 76.8), (0.0, 93.26)),
    0.005: ((0.31, 60.0), (0.145, 59.35)),
    0.05: ((4.69, 11.84), (5.01, 9.53)),
    0.1: ((10.0, 4.63), (8.3, 7.9)),
}
# where the paper's ONP-SVM has the lower P_nd
CLAIMED = tuple(alpha for alpha, (ours, peer) in PAPER.items() if ours[1] < peer[1])
LAMBDAS = (0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01)
TAUS = (0.1, 1, 5, 10, 50, 100)
EPOCHS = 50
# the paper's grid: a coarser one misses the pairs that AC-SVM needs at small alphas
COSTS = np.logspace(-2, 2, 10)
SEEDS = (1, 2, 3)
# a difference of this many standard errors is told apart
ERRORS = 2
COLUMNS = ("alpha", "method", "P_fa", "P_nd", "its s. e.", "J", "its s. e.", "not converged", "s a fit", "s in all")
VERDICTS = (
    *("alpha", "P_fa of ONP-SVM", "P_fa of AC-SVM", "P_nd, ONP-SVM less AC-SVM", "so P_nd is", "J, the same"),
    *("so J is", "as in Table IV"),
)


def run(seed):
    """Return ``{method: {alpha: Outcome}}`` of one division, and how many documents of class 0 it tests on."""
    protocol = divide("rcv1", seed)
    candidates = [{"lam": lam, "tau": tau} for lam, tau in itertools.product(LAMBDAS, TAUS)]
    outcomes = {
        "ONP-SVM": search_each(
            lambda p, alpha: OnlineNPClassifier(alpha, max_iter=EPOCHS, random_state=1, **p),
            candidates,
            protocol,
            ALPHAS,
        ),
        "AC-SVM": search(
            partial(weighted_svc, **PEERS["AC-SVM"]), list(itertools.product(COSTS, COSTS)), protocol, ALPHAS
        ),
    }
    return outcomes, int(np.sum(protocol.y[protocol.test] == 0))


def mean_and_error(values):
    """Return the mean over the divisions and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def values_of(runs, method, alpha):
    """Return P_fa, P_nd and J of each division, three arrays."""
    outcomes = [by_method[method][alpha] for by_method in runs]
    return (np.array(v) for v in zip(*((o.type1, o.type2, o.loss(alpha)) for o in outcomes), strict=True))


def figures_row(runs, method, alpha):
    """Return a row on the errors and the cost of one method."""
    outcomes = [by_method[method][alpha] for by_method in runs]
    known = PAPER[alpha][METHODS.index(method)]
    type1, type2, loss = (mean_and_error(values) for values in values_of(runs, method, alpha))
    fits = sum(o.n_fits for o in outcomes)
    seconds = np.mean([o.seconds for o in outcomes])
    return (
        f"{100 * alpha:g} %",
        method,
        f"{100 * type1[0]:.2f} ({known[0]:g})",
        f"{100 * type2[0]:.2f} ({known[1]:g})",
        f"{100 * type2[1]:.2f}",
        f"{loss[0]:.3f}",
        f"{loss[1]:.3f}",
        f"{sum(o.failures for o in outcomes)} of {fits}",
        f"{seconds / outcomes[0].n_fits:.3g}",
        f"{seconds:.3g}",
    )


def place(type1, alpha, row):
    """Return where a P_fa lies: at alpha by one test document or a tenth of alpha, or beyond."""
    allowed = max(row, 0.1 * alpha)
    return "tight" if abs(type1 - alpha) <= allowed else "too large" if type1 > alpha else "too small"


def told(gain):
    """Return the mean and standard error of a difference, and in a word which way it goes."""
    mean, error = mean_and_error(gain)
    word = "not told apart" if abs(mean) <= ERRORS * error else "lower" if mean < 0 else "higher"
    return mean, error, word


def verdict(runs, alpha, row):
    """Return a dict of words for one alpha, and its row of the table."""
    (ours1, ours2, ours_loss), (peer1, peer2, peer_loss) = (values_of(runs, method, alpha) for method in METHODS)
    power, loss = told(ours2 - peer2), told(ours_loss - peer_loss)
    words = {
        "P_fa": place(ours1.mean(), alpha, row),
        "P_fa of AC-SVM": place(peer1.mean(), alpha, row),
        "P_nd": power[2],
        "J": loss[2],
    }
    if alpha not in CLAIMED:
        found = "-"
    elif words["P_fa"] != "tight" or words["P_nd"] == "higher":
        found = "**no**"
    else:
        found = "yes" if words["P_nd"] == "lower" else "not told apart"
    cells = (
        f"{100 * alpha:g} %",
        words["P_fa"],
        words["P_fa of AC-SVM"],
        f"{100 * power[0]:+.2f} ({100 * power[1]:.2f})",
        words["P_nd"],
        f"{loss[0]:+.3f} ({loss[1]:.3f})",
        words["J"],
        found,
    )
    return {**words, "as in Table IV": found}, cells


def levels(alphas):
    """Return "0.1 % and 10 %", or "no alpha"."""
    shown = [f"{100 * alpha:g} %" for alpha in alphas]
    return " and ".join([", ".join(shown[:-1])] * (len(shown) > 1) + shown[-1:]) or "no alpha"


def conclusion(words):
    """Return sentences on what was found, from ``{alpha: words}``."""

    def at(name, word):
        return levels([alpha for alpha in ALPHAS if words[alpha][name] == word])

    found = [alpha for alpha in CLAIMED if words[alpha]["as in Table IV"] == "yes"]
    open_ = [alpha for alpha in CLAIMED if words[alpha]["as in Table IV"] == "not told apart"]
    so = "is found" if found == list(CLAIMED) else f"is found at {levels(found)} only" if found else "is not found"
    return (
        f"ONP-SVM's P_fa is tight at {at('P_fa', 'tight')}; AC-SVM's at {at('P_fa of AC-SVM', 'tight')}. ONP-SVM's "
        f"P_nd is lower than AC-SVM's at {at('P_nd', 'lower')}, higher at {at('P_nd', 'higher')}; its J is lower at "
        f"{at('J', 'lower')}, higher at {at('J', 'higher')}; elsewhere they are not told apart. **Table IV's pattern, "
        f"a tight P_fa with a lower P_nd than AC-SVM's at {levels(CLAIMED)}, {so}"
        + (f" (not told apart at {levels(open_)})" if open_ else "")
        + ".**"
    )


def main():
    runs = []
    for seed in SEEDS:
        started = time.monotonic()
        outcomes, n0 = run(seed)
        runs.append(outcomes)
        sys.stderr.write(f"division {seed}: {time.monotonic() - started:.0f} s\n")
    passes = PEERS["AC-SVM"]["max_iter"]
    measure.print_text(
        f"Half of the 13842 documents train, a quarter selects by J, a quarter tests; {len(SEEDS)} divisions, means "
        "and their standard errors (the divisions share documents, so that these speak of the division, not of new "
        f"documents). ONP-SVM: 36 candidates as in the paper, {EPOCHS} epochs, a search for each alpha. AC-SVM: hinge "
        f"loss, {COSTS.size**2} cost pairs as in the paper, up to {passes:,} passes, one search that serves all "
        "alphas, so that its fits are the same at each. Errors in per cent; the paper's, on 23149 test documents of "
        f"the full collection, in brackets. A quarter has {n0} ECAT documents: at alpha = 0.1 % the constraint allows "
        "none of them. Not converged: fits of all divisions that warn so, those of AC-SVM at the limit of passes, "
        "those of ONP-SVM where the certificate is above its tolerance after the last epoch."
    )
    measure.print_table(COLUMNS, [figures_row(runs, method, alpha) for alpha in ALPHAS for method in METHODS])
    words, rows = {}, []
    for alpha in ALPHAS:
        words[alpha], cells = verdict(runs, alpha, 1 / n0)
        rows.append(cells)
    measure.print_text(
        "P_fa is tight if its mean is within a tenth of alpha of alpha, or within one test document if that is more: "
        f"a share below {100 / n0:.2f} % cannot be seen. Differences within a division, with the standard error of "
        f"their mean; one of {ERRORS} standard errors or less is not told apart."
    )
    measure.print_table(VERDICTS, rows)
    measure.print_text(conclusion(words))


if __name__ == "__main__":
    main()
