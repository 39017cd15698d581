"""Random training and test parts of one data set, and the exact law of how often their type I error exceeds alpha."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import measure  # isort: skip  (before numpy)
import numpy as np
from scipy import stats

from nproc import npc

TRAIN_SHARE = 0.75


@dataclass(frozen=True)
class Subject:
    """One data set and one method; `X` and `y` are None where `formula` reads `frame`."""

    name: str
    method: str
    alpha: float
    delta: float
    X: object = None
    y: object = None
    formula: str | None = None
    frame: object = None
    params: dict | None = None

    @property
    def title(self):
        return self.method + (f" ({', '.join(f'{k}={v}' for k, v in self.params.items())})" if self.params else "")

    @property
    def labels(self):
        return np.asarray(self.frame["y"] if self.formula else self.y)

    def part(self, idx):
        """The rows of `npc` and of `evaluate`: two dictionaries of arguments."""
        if self.formula:
            rows = self.frame.iloc[idx]
            return {"X": self.formula, "data": rows}, {"X": rows}
        rows = self.X.iloc[idx] if hasattr(self.X, "iloc") else self.X[idx]
        return {"X": rows, "y": self.y[idx]}, {"X": rows, "y": self.y[idx]}


@dataclass(frozen=True)
class Outcome:
    """One fit and its errors on the test part."""

    type1: float
    type2: float
    exceeds: bool
    n_test0: int
    n0_left_out: int
    order: int
    tied: bool
    heard: tuple


def test_part(y, rng):
    """Return a quarter of the rows of each class, drawn at random."""
    parts = []
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        parts.append(rng.permutation(rows)[: rows.size - round(rows.size * TRAIN_SHARE)])
    return np.sort(np.concatenate(parts))


def one_repetition(subject, seed):
    """Fit three quarters, test on the fourth."""
    y = subject.labels
    rng = np.random.default_rng(np.random.SeedSequence([2018, seed]))
    idx_test = test_part(y, rng)
    idx_train = np.setdiff1d(np.arange(y.size), idx_test)
    train, test = subject.part(idx_train)[0], subject.part(idx_test)[1]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        fit = npc(
            **train,
            method=subject.method,
            alpha=subject.alpha,
            delta=subject.delta,
            class0=0,
            split_ratio=0.5,
            random_state=rng,
            method_params=subject.params,
        )
        found = fit.evaluate(**test)
    scores = fit.decision_function(subject.part(idx_test[y[idx_test] == 0])[1]["X"])
    return Outcome(
        found.type1,
        found.type2,
        found.n_false1 > subject.alpha * found.n0 * (1 + 1e-12),
        found.n0,
        fit.n0_left_out,
        int(fit.orders[0]),
        bool(np.any(scores == 0)),
        tuple(sorted({entry.category.__name__ for entry in heard})),
    )


def repeat(subject, repetitions, n_jobs=2):
    """Return the `Outcome` of every repetition; the seeds are 0, 1, ..."""
    label = f"{subject.name}, {subject.title}"
    return measure.repeat(one_repetition, (subject,), repetitions, n_jobs=n_jobs, label=label)


def chance_to_exceed(n_test0, n0_left_out, order, alpha):
    """Return P(BetaBinomial(m, n + 1 - k, k) > alpha m), the chance that a test set's type I error exceeds alpha."""
    allowed = np.floor(alpha * n_test0 * (1 + 1e-12))
    return float(stats.betabinom.sf(allowed, n_test0, n0_left_out + 1 - order, order))


def outcome_row(subject, outcomes):
    """Return a table row: sizes, the share that exceeds alpha beside its expectation, and the mean errors."""
    first = outcomes[0]
    n_over = sum(o.exceeds for o in outcomes)
    chance = chance_to_exceed(first.n_test0, first.n0_left_out, first.order, subject.alpha)
    tied = np.mean([o.tied for o in outcomes])
    # ties can only lower the count: one-sided there
    side = "greater" if tied else "two-sided"
    p_value = stats.binomtest(n_over, len(outcomes), chance, alternative=side).pvalue
    low, high = stats.binom.interval(0.99, len(outcomes), chance)
    type1, type2 = (np.array([getattr(o, error) for o in outcomes]) for error in ("type1", "type2"))
    heard = sorted({name for o in outcomes for name in o.heard})
    return (
        subject.name,
        subject.title,
        f"{subject.alpha:g}, {subject.delta:g}",
        f"{first.n0_left_out}, {first.order}, {first.n_test0}",
        f"{n_over} of {len(outcomes)}",
        f"{chance:.3f}",
        f"{low:.0f} to {high:.0f}",
        f"{p_value:.2g}" + (" (one-sided)" if tied else ""),
        "yes" if p_value > 1e-3 else "**no**",
        f"{tied:.2f}",
        f"{type1.mean():.4f} ({type1.std(ddof=1):.4f})",
        f"{type2.mean():.3f} ({type2.std(ddof=1):.3f})",
        ", ".join(heard) or "-",
    )


OUTCOME_COLUMNS = (
    "data",
    "method",
    "alpha, delta",
    "n, k, m",
    "over alpha",
    "expected share",
    "99 % of counts",
    "p-value",
    "agrees",
    "ties",
    "type I, mean (sd)",
    "type II, mean (sd)",
    "warnings heard",
)
