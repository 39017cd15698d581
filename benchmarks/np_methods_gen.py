"""How does GEN with a Gaussian kernel do on page blocks and magic, from 2500 rows? (Gasso et al., Figure 4)"""

import sys
import time

import measure  # isort: skip  (before numpy)
from np_methods_rbf import METHODS, MOST_ROWS_OF_GEN, PLAN, gen
from np_protocol import ALPHAS, COLUMNS, divide, median_rows
from sklearn.model_selection import train_test_split

# of `np_methods_rbf`, which leaves GEN out on data with more rows: its kernel version needs the cube of their number
NAMES = ("page blocks", "magic")


class OnSomeRows:
    """A classifier that trains on at most `MOST_ROWS_OF_GEN` rows, drawn at random within the classes."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        """Return self after training."""
        if y.size > MOST_ROWS_OF_GEN:
            X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS_OF_GEN, stratify=y, random_state=1)
        self.model.fit(X, y)
        return self

    def predict(self, X):
        """Return the labels of rows."""
        return self.model.predict(X)


def main():
    results = {name: {"GEN": []} for name in NAMES}
    for name in NAMES:
        repetitions, _, n_sigmas = PLAN[name]
        for seed in range(repetitions):
            started = time.monotonic()
            results[name]["GEN"].append(gen(divide(name, seed), n_sigmas, wrap=OnSomeRows))
            sys.stderr.write(f"{name}, repetition {seed + 1}: {time.monotonic() - started:.0f} s\n")
    plan = "; ".join(f"{name} {PLAN[name][0]} repetitions, {PLAN[name][2]} bandwidths" for name in NAMES)
    measure.print_text(
        f"Divisions, bandwidths and selection of np_methods_rbf: {plan}. GEN is the Chebyshev version; it trains on "
        f"{MOST_ROWS_OF_GEN} rows drawn at random within the classes, and is judged on all that validate and test. "
        "Medians over the repetitions; processor time of the whole search."
    )
    measure.print_table(COLUMNS, median_rows(results, NAMES, ALPHAS, METHODS))


if __name__ == "__main__":
    main()
