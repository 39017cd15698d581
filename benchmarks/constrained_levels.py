"""How strict are the levels of the surrogate loss, of the theorem and of npc in the constrained problem?"""

import measure  # isort: skip  (before numpy)
import numpy as np
from constrained_rna import ALPHA, DELTA, LOSS, Halves, halves, in_a_ball, quality, under_npc
from np_protocol import load
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nproc.errors import NPError
from nproc.scorers.papers.constrained import ConstrainedNPClassifier


def spam():
    """Return the `Halves` of spambase; class 0 is spam."""
    X, y = load("spambase")
    train, test = train_test_split(np.arange(y.size), test_size=0.5, stratify=y, random_state=0)
    scaler = StandardScaler().fit(X[train])
    return Halves(scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test])


def boxed(n=150_000, seed=1):
    """Return `Halves` of simulated rows in the square from -1 to 1, where Theorem 2.3 can hold: n rows a class each."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    X, X_test = (np.column_stack([rng.beta(1 + 2 * y, 3 - 2 * y), rng.random(2 * n)]) * 2.0 - 1.0 for _ in range(2))
    return Halves(X, y, X_test, y)


def by_theorem(tau, alpha):
    """Return a function that fits at the level of Theorem 2.3."""
    return lambda X, y: ConstrainedNPClassifier(tau=tau, alpha=alpha, delta=DELTA / 2).fit(X, y)


def level_rows(name, part, alpha):
    """Return a table row for each way to a level: what it promises, and the errors on the test half."""
    n0 = int(np.sum(part.y == 0))
    chance = f"with probability {1 - DELTA:g}"
    ways = {
        "tau = alpha": (in_a_ball(alpha), f"training error at most {min(1.0, alpha / LOSS.at_zero):.3g}"),
        "tau = alpha phi(0)": (in_a_ball(None, alpha), f"training error at most {alpha:g}"),
        "Theorem 2.3": (by_theorem("theorem", alpha), f"expected loss at most {alpha:g} {chance}"),
        "Theorem 2.3, scaled": (by_theorem("theorem_scaled", alpha), f"type I error at most {alpha:g} {chance}"),
        "npc": (under_npc(alpha), f"type I error at most {alpha:g} {chance}"),
    }
    rows = []
    for way, (fit, promise) in ways.items():
        try:
            model = fit(part.X, part.y)
        except NPError as error:
            # what the error says, up to the advice; a bar would end the cell of the table
            reason = str(error).partition(". Use")[0].replace("|", "\\|")
            rows.append((name, f"{alpha:g}", n0, way, "-", reason, "-", "-", "-"))
            continue
        tau = f"{model.tau_:.4f}" if hasattr(model, "tau_") else "-"
        train = quality(model.decision_function(part.X), part.y)
        test = quality(model.decision_function(part.X_test), part.y_test)
        errors = [f"{value:.4f}" for value in (train.type1, test.type1, test.type2)]
        rows.append((name, f"{alpha:g}", n0, way, tau, promise, *errors))
    return rows


LEVEL_COLUMNS = ("data", "alpha", "n0", "level", "tau", "promise", "type I, training", "type I, test", "type II, test")


def main():
    measure.print_text(
        "The same rows, the logistic loss and, but for the theorem, the ball of radius 30 / sqrt(p). Half training, "
        "half test. The theorem is about linear rules with scores bounded, |h(x)| <= 1 for every row x, which an l1 "
        "ball sees to; no mean loss is then below phi(1) = 0.313. The simulated square, 150,000 rows a class, has an "
        "alpha and a size for it."
    )
    subjects = [(name, halves(name, 0), ALPHA) for name in ("rna_seq, shift 0.1", "neuroblastoma")]
    subjects += [("spambase", spam(), ALPHA), ("square", boxed(), 0.6), ("square", boxed(), 0.7)]
    measure.print_table(LEVEL_COLUMNS, [row for subject in subjects for row in level_rows(*subject)])


if __name__ == "__main__":
    main()
