"""What is to be fitted: checked settings, and the arguments of `nproc` that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from nproc import tabular
from nproc.app.sources import Source
from nproc.checks import check_count, check_level, check_seed
from nproc.errors import InvalidInputError
from nproc.orderstat import min_class0_size
from nproc.scorers import scorer_spec
from nproc.splitting import n_train

SPLIT_RATIO = 0.5
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, eq=False)
class Plan:
    """Settings of a fit, all checked.

    Attributes
    ----------
    source : Source
        The table.
    label : str
        The label column.
    class0 : object
        The label of class 0.
    class1 : object
        The other label.
    features : tuple of str
        The predictors.
    texts : tuple of str
        Those of them that are text, and coded as categories.
    methods : tuple of str
        Names of the methods, all different.
    n_splits : int
        Number of splits.
    alpha, delta : float
        The level fixed before the fit, and the chance of breaking a bound.
    seed : int
        Root seed, the same for all methods, which therefore get the same splits.
    alpha_fixed : bool
        Whether `alpha` was set before any band of these rows was seen.
    """

    source: Source
    label: str
    class0: object
    class1: object
    features: tuple
    texts: tuple
    methods: tuple
    n_splits: int
    alpha: float
    delta: float
    seed: int
    alpha_fixed: bool = True

    def arguments(self):
        """Return the arguments of `nproc` but for the method, as the command line gives them."""
        rows = self.source.frame[list(self.features)]
        values = tabular.label_values(self.source.frame, self.label)
        common = {
            "class0": self.class0,
            "delta": self.delta,
            "n_splits": self.n_splits,
            "random_state": self.seed,
        }
        if self.texts:
            return {"X": f"`{self.label}` ~ .", "data": rows.assign(**{self.label: values}), **common}
        return {"X": rows, "y": values, **common}

    def advice(self):
        """Return what the reader should know before looking at the band, as a list of sentences."""
        n0 = int((tabular.label_values(self.source.frame, self.label) == self.class0).sum())
        left = n0 - n_train(n0, SPLIT_RATIO)
        needed = min_class0_size(self.alpha, self.delta)
        notes = [f"Coded as categories: {', '.join(self.texts)}."] if self.texts else []
        if left < needed:
            notes.append(
                f"alpha = {self.alpha:g} with delta = {self.delta:g} takes {needed} left-out class 0 rows; "
                f"{left} of the {n0} are left out. The band shows which levels these rows allow."
            )
        return notes


def make_plan(source, *, label, class0, features, methods, n_splits, alpha, delta, seed, first_alpha=None):
    """Return the `Plan` of the settings on the page; InvalidInputError says what is wrong with them.

    `first_alpha` is the level of the first fit of these rows, if a band of them has been seen.
    """
    if source is None:
        raise InvalidInputError("there are no data yet: upload a CSV file, or pick a sample.")
    tabular.require_columns(source.frame, [label], "the label")
    present = source.labels(label)
    if len(present) != 2:
        shown = ", ".join(str(value) for value in present[:5]) + (", ..." if len(present) > 5 else "")
        raise InvalidInputError(
            f"the label column {label!r} has {len(present)} distinct value(s) ({shown}); it must have exactly two."
        )
    class0 = tabular.match_label(class0, present)
    class1 = present[1] if class0 == present[0] else present[0]
    if not features:
        raise InvalidInputError("choose at least one predictor.")
    texts = tabular.choose_predictors(source.frame, label, features=list(features))[1]
    if not methods:
        raise InvalidInputError("choose at least one method.")
    for method in methods:
        scorer_spec(method)
    for value, name in ((alpha, "alpha"), (delta, "delta"), (n_splits, "number of splits"), (seed, "seed")):
        if value is None:
            raise InvalidInputError(f"{name} is empty: give a number.")
    return Plan(
        source=source,
        label=label,
        class0=class0,
        class1=class1,
        features=tuple(features),
        texts=tuple(texts),
        methods=tuple(dict.fromkeys(methods)),
        n_splits=check_count(n_splits, "number of splits"),
        alpha=check_level(alpha, "alpha"),
        delta=check_level(delta, "delta"),
        seed=check_seed(seed),
        alpha_fixed=first_alpha in (None, alpha),
    )
