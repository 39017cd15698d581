"""What is to be fitted: checked settings, and the arguments of `nproc` that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nproc import tabular
from nproc.app.sources import Source
from nproc.checks import check_count, check_level
from nproc.errors import InvalidInputError
from nproc.orderstat import min_class0_size
from nproc.scorers import scorer_spec
from nproc.splitting import n_train

SPLIT_RATIO = 0.5
LARGEST_SEED = 2**32 - 1
# the server keeps the model of every split, of every user; the vote of more changes nothing that can be seen
MAX_SPLITS = 999


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
    changed : tuple of str
        Settings that differ from those of the first fit of these rows, whose band has been seen.
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
    changed: tuple = ()

    @property
    def formula(self):
        """The formula of a fit with categories: the label on all predictors."""
        return f"`{self.label}` ~ ."

    def settings(self):
        """Return what the user set, by the names on the page, but for the label, which makes another problem."""
        return {
            "class 0": self.class0,
            "predictors": frozenset(self.features),
            "methods": frozenset(self.methods),
            "alpha": self.alpha,
            "delta": self.delta,
            "splits": self.n_splits,
            "seed": self.seed,
        }

    def after(self, first):
        """Return this plan with what changed since the settings of the first fit; None where this is the first."""
        settings = self.settings()
        changed = () if first is None else tuple(name for name in settings if settings[name] != first[name])
        return replace(self, changed=changed)

    def differences(self, *, source, label, class0, features, methods, n_splits, alpha, delta, seed):
        """Return in words where the settings on the page, given as to `make_plan`, are not those of this plan."""
        pairs = {
            "data": (self.source.name, source.name),
            "label": (self.label, label),
            "class 0": (str(self.class0), class0),
            "predictors": (sorted(self.features), sorted(features)),
            "methods": (sorted(self.methods), sorted(methods)),
            "splits": (self.n_splits, n_splits),
            "alpha": (self.alpha, alpha),
            "delta": (self.delta, delta),
            "seed": (self.seed, seed),
        }
        differ = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        return [f"{name} (fitted {_shown(was)}, now {_shown(now)})" for name, (was, now) in differ.items()]

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
            return {"X": self.formula, "data": rows.assign(**{self.label: values}), **common}
        return {"X": rows, "y": values, **common}

    def missing_note(self):
        """Return a sentence that names the predictors with missing values, empty if there are none."""
        counts = self.source.frame[list(self.features)].isna().sum()
        shown = [f"{name!r} ({count})" for name, count in counts.items() if count > 0]
        return f"Missing values: {', '.join(shown[:10])}{', ...' if len(shown) > 10 else ''}." if shown else ""

    def advice(self):
        """Return what the reader should know before looking at the band, as a list of sentences."""
        values = self.source.labels(self.label)
        n0 = values.counts[values.first.index(self.class0)]
        left = n0 - n_train(n0, SPLIT_RATIO)
        needed = min_class0_size(self.alpha, self.delta)
        notes = [f"Coded as categories: {', '.join(self.texts)}."] if self.texts else []
        if left < needed:
            notes.append(
                f"alpha = {self.alpha:g} with delta = {self.delta:g} takes {needed} left-out class 0 rows; "
                f"{left} of the {n0} are left out. The band shows which levels these rows allow."
            )
        return notes


def _shown(setting):
    if isinstance(setting, list) and len(setting) > 5:
        return f"{len(setting)} of them"
    if isinstance(setting, list):
        return ", ".join(setting) or "none"
    if isinstance(setting, str):
        return repr(setting)
    return "empty" if setting is None else f"{setting:.10g}"


def make_plan(source, *, label, class0, features, methods, n_splits, alpha, delta, seed):
    """Return the `Plan` of the settings on the page; InvalidInputError says what is wrong with them."""
    if source is None:
        raise InvalidInputError("there are no data yet: upload a CSV file, or pick a sample.")
    tabular.require_columns(source.frame, [label], "the label")
    present = source.labels(label)
    if present.n_distinct != 2:
        raise InvalidInputError(
            f"the label column {label!r} has {present.n_distinct} distinct value(s) ({present}); it must have exactly "
            "two."
        )
    first, second = present.first
    class0 = tabular.match_label(class0, present.first)
    class1 = second if class0 == first else first
    if not features:
        raise InvalidInputError("choose at least one predictor.")
    tabular.require_columns(source.frame, features, "the predictor")
    if label in features:
        raise InvalidInputError(f"the label {label!r} is among the features; leave it out of the predictors.")
    _, texts, unusable = source.predictors(label)
    for feature in features:
        if feature in unusable:
            raise InvalidInputError(unusable[feature])
    if not methods:
        raise InvalidInputError("choose at least one method.")
    for method in methods:
        scorer_spec(method)
    for value, name in ((alpha, "alpha"), (delta, "delta"), (n_splits, "number of splits"), (seed, "seed")):
        if value is None:
            raise InvalidInputError(f"{name} is empty: give a number.")
    reason = "the server keeps a model of each; fewer give nearly the same vote, and the command line takes more"
    n_splits = check_count(n_splits, "number of splits", maximum=MAX_SPLITS, reason=reason)
    seed = check_count(seed, "seed", minimum=0, maximum=LARGEST_SEED, reason="it has 32 bits")
    return Plan(
        source=source,
        label=label,
        class0=class0,
        class1=class1,
        features=tuple(features),
        texts=tuple(name for name in texts if name in set(features)),
        methods=tuple(dict.fromkeys(methods)),
        n_splits=n_splits,
        alpha=check_level(alpha, "alpha"),
        delta=check_level(delta, "delta"),
        seed=seed,
    )
