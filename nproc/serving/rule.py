"""A rule on a column of scores, with all that another program needs to apply it: ``rule.json``."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.biased_samples import NoisyThreshold, np_threshold_noisy, np_threshold_shifted
from nproc.checks import (
    Seed,
    as_floats,
    check_choice,
    check_level,
    check_path,
    check_real,
    check_scores,
    check_seed,
    is_number,
    refuse_bad_seed,
    shown,
    tells_names,
)
from nproc.doors import package_versions
from nproc.errors import InvalidInputError, NPWarning, changed_filter
from nproc.groups import (
    EqualThresholds,
    GroupThresholds,
    equal_thresholds_at,
    np_equal_thresholds,
    np_group_thresholds,
    plain_labels,
)
from nproc.orderstat import round_up, type1_upper, violation_rate
from nproc.outputs import RULE, write_json, wrong_file
from nproc.rows import check_same_rows
from nproc.score_direction import PAID_BY_BOTH, warn_direction
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    level_pairs,
    rounded_up,
    short,
    summary_table,
    table_frame,
)
from nproc.thresholds import RANKS, TIES, Threshold, and_of_rank, coin_notes, np_threshold

FORMAT, FORMAT_VERSION = RULE, 1
# entries that only some rules have
OPTIONAL = ("noise", "shift", "difference", "dependent", "owners", "labelled")
# what a larger score speaks for, and the comparison that calls class 1
COMPARISONS = {"class1": "score > value", "class0": "score < value"}


def _or_null(schema):
    """Return the schema of the same or null."""
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return schema


_PLAIN = (str, int, float, bool)
_LABEL = {"type": ["string", "number", "boolean"]}
_CUT = {
    "value": {"type": "number", "description": "the threshold, in the units of the score"},
    "tie_cut": {
        "type": ["number", "null"],
        "description": "with ties randomize: a score equal to value is class 1 if a uniform number between 0 and 1, "
        "drawn anew for this row, is larger than this; null: a score equal to value is class 0",
    },
    "order": {
        "type": "integer",
        "minimum": 1,
        "description": "rank of value among the class 0 scores; 1 is the score that speaks most for class 0",
    },
    "n0": {"type": "integer", "minimum": 1, "description": "number of class 0 scores that set value"},
    "violation_rate": {
        "type": "number",
        "description": "upper bound on the probability that the type I error exceeds alpha; exact for scores without "
        "ties",
    },
    "type1_upper": {
        "type": "number",
        "description": "upper bound on the type I error, which holds with probability at least 1 - delta",
    },
}
# with a bound on their difference, groups have no bound of their own
_CUT_OF_GROUP = {**_CUT, **{name: _or_null(_CUT[name]) for name in ("violation_rate", "type1_upper")}}
_LEVEL = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
_SHARE = {
    "type": "array",
    "items": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    "minItems": 2,
    "maxItems": 2,
}


def _object(properties, **more):
    required = [name for name in properties if name not in OPTIONAL]
    return {"type": "object", "properties": properties, "required": required, **more}


# JSON Schema of the file
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A Neyman-Pearson rule on a score",
    "description": "A row is of class 1 where class1_when holds with value, and of class 0 otherwise.",
    **_object(
        {
            "format": {"const": FORMAT},
            "format_version": {"const": FORMAT_VERSION},
            "nproc_version": {"type": "string", "description": "the version of nproc that wrote the file"},
            "statement": {"type": "string", "description": "what is guaranteed, in words"},
            "score": {"type": "string", "description": "name of the column of scores"},
            "class0": {**_LABEL, "description": "label of class 0, whose misclassification is controlled"},
            "class1": {**_LABEL, "description": "label of class 1"},
            "class1_when": {"enum": list(COMPARISONS.values())},
            "ties": {"enum": ["conservative", "randomize"]},
            "rank": {"enum": ["conservative", "randomize"]},
            "alpha": {**_LEVEL, "description": "bound on the type I error"},
            "delta": {**_LEVEL, "description": "bound on the probability that the type I error is above alpha"},
            **{name: _or_null(schema) for name, schema in _CUT.items()},
            "coin": {
                "type": ["number", "null"],
                "description": "with rank randomize: the probability with which the lower of two ranks was drawn",
            },
            "groups": {
                "type": ["object", "null"],
                "description": "null, or the thresholds of the groups; value above is null where each has its own",
                **{
                    key: value
                    for key, value in _object(
                        {
                            "column": {"type": ["string", "null"]},
                            "pooled": {"type": "boolean", "description": "whether one value serves all groups"},
                            "group_delta": _or_null(_LEVEL),
                            "rules": {
                                "type": "array",
                                "minItems": 1,
                                "items": _object({"group": _LABEL, **_CUT_OF_GROUP}),
                            },
                        }
                    ).items()
                    if key != "type"
                },
            },
            "noise": {
                "description": "only where some labels of the rows that set value are wrong: what was assumed of them",
                **_object(
                    {
                        "noise0": {**_SHARE, "description": "share of class 1 among the n0 rows labelled class 0"},
                        "noise1": {**_SHARE, "description": "share of class 0 among the n1 rows labelled class 1"},
                        "n1": {"type": "integer", "minimum": 1},
                        "n_above1": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "rows labelled class 1 that the rule calls class 1",
                        },
                    }
                ),
            },
            "shift": {
                "description": "only where class 0 will come in other proportions: a row with the weight w was kept "
                "with the probability w / weight_max, and the n0 rows kept set value",
                **_object(
                    {
                        "column": {"type": ["string", "null"], "description": "name of the column of weights"},
                        "weight_max": {"type": "number", "exclusiveMinimum": 0},
                        "n0_given": {"type": "integer", "minimum": 1, "description": "class 0 scores before that"},
                    }
                ),
            },
            "difference": {
                "description": "only with a bound on the difference of the type I errors of two groups; alpha then "
                "bounds the type I error over all of class 0",
                **_object(
                    {
                        "epsilon": {**_LEVEL, "description": "bound on the difference"},
                        "gamma": {**_LEVEL, "description": "probability with which it may fail"},
                        "violation_rate": {"type": "number", "description": "probability with which it is broken"},
                        "upper": {
                            "type": "number",
                            "description": "upper bound on the difference, which holds with probability at least 1 - "
                            "gamma",
                        },
                        "share": {
                            "type": "array",
                            "items": {"type": "number", "minimum": 0, "maximum": 1},
                            "minItems": 2,
                            "maxItems": 2,
                            "description": "interval of the share of the first group in class 0, for which alpha holds",
                        },
                    }
                ),
            },
            "clusters": {
                "type": ["object", "null"],
                "description": "null, or the column of clusters, where one class 0 row of each set the threshold",
                "properties": {"column": {"type": ["string", "null"]}},
                "required": ["column"],
            },
            "dependent": {
                "type": "string",
                "description": "only where some of the rows that set value depend on each other, so that nothing is "
                "guaranteed: in a few words which",
            },
            "owners": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "only where some of the rows that set value share an owner, such as a patient: the "
                "names of the columns that name the owners",
            },
            "labelled": {
                "const": True,
                "description": "only where the rows had a column of labels, whose class 0 rows set value",
            },
            "seed": {"type": ["integer", "null"], "description": "seed of what was drawn at random; null: nothing was"},
            "scores_sha256": {
                "type": "string",
                "pattern": "^[0-9a-f]{64}$",
                "description": "SHA-256 of the class 0 scores that the rule was made from, sorted, as 64-bit "
                "little-endian floating-point numbers; with clusters those of all rows, before one of each was drawn",
            },
        },
        additionalProperties=False,
    ),
}


@dataclass(frozen=True)
class ShiftOfClass0:
    """What a rule knows of the weights that kept some of the class 0 scores.

    Attributes
    ----------
    column : str or None
        Name of the column of weights, which ``npc threshold`` knows.
    weight_max : float
        The bound on the weights.
    n0_given : int
        Class 0 scores, of which those kept set the threshold.
    """

    column: str | None
    weight_max: float
    n0_given: int


@dataclass(frozen=True, repr=False, eq=False)
class ScoreRule(InNotebook):
    """A threshold on a column of scores, and what a program needs to use it; made by `score_rule` and `read_rule`.

    Attributes
    ----------
    threshold : Threshold, GroupThresholds, EqualThresholds or NoisyThreshold
        The threshold. Where larger scores mean class 0 it is that of the scores with their sign changed.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`.
    score : str
        Name of the column of scores.
    class0, class1 : label
        The labels: text, numbers or truth values.
    larger_means : {"class1", "class0"}
        The class for which larger scores speak.
    group_column, cluster_column : str or None
        Names of the columns in which the command line looks for groups and clusters. ``npc threshold`` names them. A
        rule made in Python names none, because its groups and clusters may be computed from a column; use
        ``dataclasses.replace(rule, group_column="site")``.
    clustered : bool
        Whether one class 0 row of each cluster set the threshold.
    seed : int or None
        The seed of the draws; None where nothing was drawn.
    shift : ShiftOfClass0 or None
        With weights: what kept some of the class 0 scores, which set the threshold.
    scores_sha256 : str
        SHA-256 of the class 0 scores that set the threshold, or with weights of all that were given. They count in any
        order, as 64-bit floating-point numbers.
    version : str
        The version of the package that made the rule.
    dependent : str
        In a few words which of the rows that set the threshold depend on each other, so that nothing is guaranteed; ""
        if nothing is known of any. ``npc threshold`` looks for such rows.
    owners : tuple of str
        The columns by which it found them. In new rows the command line looks there too, however few owners they have.
    labelled : bool
        Whether ``npc threshold`` took the class 0 rows by a column of labels. ``npc certify`` without ``--label`` then
        stops at a column of both labels.

    Examples
    --------
    >>> import numpy as np
    >>> scores0 = np.random.default_rng(0).normal(size=500)
    >>> rule = score_rule(scores0, class0="ill", class1="well", score="marker")
    >>> rule.predict([-1.0, 5.0])
    array(['ill', 'well'], dtype='<U4')
    """

    threshold: Threshold | GroupThresholds | EqualThresholds | NoisyThreshold
    score: str
    class0: Any
    class1: Any
    larger_means: Literal["class1", "class0"]
    group_column: str | None
    cluster_column: str | None
    clustered: bool
    seed: int | None
    scores_sha256: str
    version: str
    shift: ShiftOfClass0 | None = None
    dependent: str = ""
    owners: tuple[str, ...] = ()
    labelled: bool = False

    @property
    def _sign(self):
        return 1.0 if self.larger_means == "class1" else -1.0

    @property
    def alpha(self) -> float:
        return self.threshold.alpha

    @property
    def delta(self) -> float:
        return self.threshold.delta

    @property
    def groups(self) -> tuple:
        """The groups; empty without groups."""
        return self.threshold.groups if isinstance(self.threshold, GroupThresholds | EqualThresholds) else ()

    @property
    def needs_groups(self) -> bool:
        """Whether the group of a new row is needed."""
        return bool(self.groups) and not getattr(self.threshold, "pooled", False)

    @property
    def at_random(self) -> bool:
        """Whether a score equal to the threshold is called at random."""
        rule = self.threshold
        if isinstance(rule, EqualThresholds):
            return rule.tie_cuts[0] is not None
        cuts = rule.rules if isinstance(rule, GroupThresholds) else (rule,)
        return any(getattr(cut, "tie_cut", None) is not None for cut in cuts)

    def __repr__(self):
        if self.needs_groups:
            cut = f"value={short(self._sign * self.threshold.values)} by group"
        else:
            cut = f"value={short(self._one['value'])}"
        return (
            f"ScoreRule({self.class1!s} when {COMPARISONS[self.larger_means].replace('score', self.score)}, {cut}, "
            f"class0={self.class0!s}, alpha={short(self.alpha)}, delta={short(self.delta)})"
        )

    def predict(self, scores: ArrayLike, groups: ArrayLike | None = None, *, random_state: Seed = None) -> NDArray[Any]:
        """Return the label of each score.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, as they are in the column of the rule.
        groups : array-like, shape (n,), optional
            The group of each; needed where each group has its own threshold.
        random_state : None, int, Generator or RandomState
            Source of the uniform numbers of a rule with random ties; not used otherwise.

        Returns
        -------
        ndarray, shape (n,)
            `class0` or `class1` for each.

        Raises
        ------
        InvalidInputError
            If a score is not finite, or groups are needed and missing or unknown.
        """
        check_same_rows(scores=scores, groups=groups)
        scores = self._sign * check_scores(scores, "scores")
        if isinstance(self.threshold, EqualThresholds):
            if groups is None:
                raise InvalidInputError("groups is missing: the rule needs the group of every score.")
            called = self.threshold.predict(scores, groups, random_state=random_state)
        elif isinstance(self.threshold, GroupThresholds):
            called = self.threshold.predict(scores, groups, random_state=random_state)
        elif isinstance(self.threshold, NoisyThreshold):
            called = self.threshold.predict(scores)
        else:
            called = self.threshold.predict(scores, random_state=random_state)
        labels = [self.class0, self.class1]
        # labels of two types stay what they are
        kind = None if type(self.class0) is type(self.class1) else object
        return np.array(labels, dtype=kind)[called]

    def was_set_by(self, scores: ArrayLike) -> bool:
        """Return whether these are the very class 0 scores that the rule was made from, in any order.

        Of a rule with clusters these are all the scores that it was given, of which it drew one for each cluster.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Class 0 scores, as they are in the column of the rule.

        Returns
        -------
        bool

        Raises
        ------
        InvalidInputError
            If a score is not finite.
        """
        return hash_of_scores(check_scores(scores, "scores")) == self.scores_sha256

    @property
    def _one(self):
        """What the file says of the one threshold; of groups with their own, the bounds that hold in all of them."""
        rule = self.threshold
        if isinstance(rule, EqualThresholds):
            bounds = {"violation_rate": rule.violation_rate, "type1_upper": rule.type1_upper}
            return {"value": None, "tie_cut": None, "order": None, "n0": int(rule.n0.sum()), **bounds}
        if not isinstance(rule, GroupThresholds):
            return self._entry(rule)
        cut = self._entry(rule.used[0]) if rule.pooled else dict.fromkeys(("value", "tie_cut"))
        return {
            **{name: cut[name] for name in ("value", "tie_cut")},
            "order": None,
            "n0": int(rule.n0.sum()),
            "violation_rate": rule.violation_rate,
            "type1_upper": float(rule.type1_uppers.max()),
        }

    def _entry(self, cut):
        names = ("order", "n0", "violation_rate", "type1_upper")
        tie_cut = {"tie_cut": getattr(cut, "tie_cut", None)}
        return {"value": self._sign * cut.value, **tie_cut, **{name: getattr(cut, name) for name in names}}

    @property
    def statement(self) -> str:
        """What is guaranteed, in words."""
        where = ""
        if isinstance(self.threshold, EqualThresholds):
            where = ", over both groups together"
        elif self.groups:
            where = " in every group at once"
        elif self.clustered:
            where = ", for a row drawn at random from a new cluster"
        elif self.shift is not None:
            where = ", where class 0 comes in the proportions of the weights"
        drawn = and_of_rank(self.threshold)
        drawn += " and of those that were kept" * (self.shift is not None)
        nothing = f"Nothing is guaranteed, because {self.dependent}. What follows would hold for independent rows. "
        return (
            f"{nothing * bool(self.dependent)}"
            f"With probability at least {at_least(1 - self.delta)} over the draw of the class 0 scores{drawn}, at most "
            f"{100 * self.alpha:g} % of the rows of class {self.class0!s} are called {self.class1!s}{where}, if the "
            "scoring function never saw these rows and new rows are like them."
            f"{self._noise_words}{self._shift_words}{self._difference_words}"
        )

    @property
    def _difference_words(self):
        rule = self.threshold
        if not isinstance(rule, EqualThresholds):
            return ""
        one, other = rule.groups
        return (
            f" With probability at least {at_least(1 - rule.gamma)}, this share differs by at most "
            f"{100 * rule.epsilon:g} percentage points between the groups {one!r} and {other!r}. The class 0 rows must "
            "be a random sample of class 0, so that their groups tell the shares of the groups."
        )

    @property
    def _shift_words(self):
        if self.shift is None:
            return ""
        return (
            f" The weights must be the right ratios, and {self.shift.weight_max:g} a bound on them that was known "
            "before these rows were seen."
        )

    @property
    def _noise_words(self):
        rule = self.threshold
        if not isinstance(rule, NoisyThreshold):
            return ""
        shares = [f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in (rule.noise0, rule.noise1)]
        return (
            f" It is assumed that a share of {shares[0]} of the rows labelled {self.class0!s} are of class "
            f"{self.class1!s}, and a share of {shares[1]} of the rows labelled {self.class1!s} are of class "
            f"{self.class0!s}; a wrong label must not depend on the score within a class. If fewer rows labelled "
            f"{self.class0!s} are wrong than assumed, the bound may fail."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain values, as they are in the file; `nproc.serving.SCHEMA` describes them."""
        rule = self.threshold
        of_groups = None
        if isinstance(rule, EqualThresholds):
            of_groups = {"column": self.group_column, "pooled": False, "group_delta": None, "rules": self._equal_cuts}
        elif isinstance(rule, GroupThresholds):
            entries = [{"group": group, **self._entry(cut)} for group, cut in zip(rule.groups, rule.rules, strict=True)]
            of_groups = {
                "column": self.group_column,
                "pooled": rule.pooled,
                "group_delta": rule.group_delta,
                "rules": entries,
            }
        coin = getattr(rule, "coin", None)
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "nproc_version": self.version,
            "statement": self.statement,
            "score": self.score,
            "class0": self.class0,
            "class1": self.class1,
            "class1_when": COMPARISONS[self.larger_means],
            "ties": "randomize" if self.at_random else "conservative",
            "rank": "conservative" if coin is None else "randomize",
            "alpha": self.alpha,
            "delta": self.delta,
            **self._one,
            "coin": coin,
            "groups": of_groups,
            **self._noise_entry,
            **({} if self.shift is None else {"shift": asdict(self.shift)}),
            **self._difference_entry,
            "clusters": {"column": self.cluster_column} if self.clustered else None,
            **({"dependent": self.dependent} if self.dependent else {}),
            **({"owners": list(self.owners)} if self.owners else {}),
            **({"labelled": True} if self.labelled else {}),
            "seed": self.seed,
            "scores_sha256": self.scores_sha256,
        }

    @property
    def _noise_entry(self):
        rule = self.threshold
        if not isinstance(rule, NoisyThreshold):
            return {}
        shares = {"noise0": list(rule.noise0), "noise1": list(rule.noise1)}
        return {"noise": {**shares, "n1": rule.n1, "n_above1": rule.n_above1}}

    @property
    def _equal_cuts(self):
        rule = self.threshold
        columns = (
            rule.groups,
            (self._sign * rule.values).tolist(),
            rule.tie_cuts,
            rule.orders.tolist(),
            rule.n0.tolist(),
        )
        names = ("group", "value", "tie_cut", "order", "n0")
        no_bounds = {"violation_rate": None, "type1_upper": None}
        return [{**dict(zip(names, cut, strict=True)), **no_bounds} for cut in zip(*columns, strict=True)]

    @property
    def _difference_entry(self):
        rule = self.threshold
        if not isinstance(rule, EqualThresholds):
            return {}
        bounds = {"violation_rate": rule.difference_violation_rate, "upper": rule.difference_upper}
        share = [rule.share_lower, rule.share_upper]
        return {"difference": {"epsilon": rule.epsilon, "gamma": rule.gamma, **bounds, "share": share}}

    def write(self, path: str | PathLike[str]) -> None:
        """Write the rule to a JSON file, from which `read_rule` makes the same rule to the last bit.

        Parameters
        ----------
        path : str or path
            The file, such as ``rule.json``.

        Raises
        ------
        InvalidInputError
            If the file cannot be written.
        """
        write_json(check_path(path, "path"), self.to_dict(), indent=2, ensure_ascii=False)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a group, or one row: group, value, tie_cut, order, n0 and both bounds."""
        known = self.to_dict()
        rows = known["groups"]["rules"] if known["groups"] else [{"group": None, **self._one}]
        if known["groups"] and known["groups"]["pooled"]:
            # of each group the rank is its own, and the value that of all
            rows = [{**row, "value": known["value"], "tie_cut": known["tie_cut"]} for row in rows]
        return table_frame({name: [row[name] for row in rows] for name in rows[0]})

    def summary(self) -> Summary:
        """Return a table of the rule and what it promises, as a summary of statsmodels."""
        known = self.to_dict()
        grouped = known["groups"]
        pairs = [
            ("Score", self.score),
            ("Class 0 (controlled)", str(self.class0)),
            ("Class 1", str(self.class1)),
            ("Class 1 when", known["class1_when"]),
            ("Value", "by group" if known["value"] is None else repr(known["value"])),
            ("Class 0 scores", known["n0"]),
            *level_pairs(self, "alpha", "delta"),
            ("Rank", "by group" if known["order"] is None else known["order"]),
            ("Violation rate", rounded_up(known["violation_rate"], self.delta)),
            ("Type I upper", rounded_up(known["type1_upper"], self.alpha)),
            ("Ties", known["ties"]),
        ]
        body, columns = None, None
        if isinstance(self.threshold, EqualThresholds):
            equal = self.threshold
            pairs += [
                ("epsilon", f"{equal.epsilon:g}"),
                ("gamma", f"{equal.gamma:g}"),
                ("Violation, difference", rounded_up(equal.difference_violation_rate, equal.gamma)),
                ("Difference upper", rounded_up(equal.difference_upper, equal.epsilon)),
            ]
            columns = ["Group", "Class 0 scores", "Rank", "Value", "Mean type I"]
            body = [
                [row["group"], row["n0"], row["order"], repr(row["value"]), mean]
                for row, mean in zip(grouped["rules"], equal.expected_type1, strict=True)
            ]
        elif grouped:
            columns = ["Group", "Class 0 scores", "Rank", "Value", "Violation rate", "Type I upper"]
            shown_rows = self.to_frame()
            body = [
                [
                    row.group,
                    row.n0,
                    row.order,
                    repr(float(row.value)),
                    rounded_up(row.violation_rate, self.delta),
                    rounded_up(row.type1_upper, self.alpha),
                ]
                for row in shown_rows.itertuples()
            ]
        drawn = []
        if self.shift is not None:
            drawn.append(
                f"Each of {self.shift.n0_given} class 0 scores was kept with probability weight / "
                f"{self.shift.weight_max:g}; those kept set the threshold."
            )
        if self.clustered:
            drawn.append("One class 0 row of each cluster, drawn at random, set the threshold.")
        drawn += coin_notes(self.threshold) if isinstance(self.threshold, Threshold) else []
        if self.at_random:
            ties = "A score equal to the threshold is called class 1 at random, see tie_cut in the file."
        else:
            ties = f"A score equal to the value is called {self.class0!s}."
        notes = [self.statement, *[" ".join(drawn)] * bool(drawn), ties]
        return summary_table("Neyman-Pearson rule on a score", pairs, columns, body, notes)


@tells_names
def score_rule(
    scores0: ArrayLike,
    *,
    class0: Any = 0,
    class1: Any = 1,
    score: str = "score",
    larger_means: Literal["class1", "class0"] = "class1",
    groups: ArrayLike | None = None,
    pooled: bool = False,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    delta: float = 0.05,
    ties: Literal["conservative", "randomize"] = "conservative",
    rank: Literal["conservative", "randomize"] = "conservative",
    random_state: Seed = None,
    scores1: ArrayLike | None = None,
    noise0: float | tuple[float, float] = 0.0,
    noise1: float | tuple[float, float] = 0.0,
    weights: ArrayLike | None = None,
    weight_max: float | None = None,
    epsilon: float | None = None,
    gamma: float = 0.05,
) -> ScoreRule:
    """Make a rule that can be written to a file from the scores of class 0 rows.

    The threshold is that of `np_threshold`, or of `np_group_thresholds` with groups, of `np_equal_thresholds` with
    `epsilon`, of `np_threshold_noisy` with `scores1`, or of `np_threshold_shifted` with `weights`, to the last bit.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of class 0 rows that the scoring function never saw, finite.
    class0, class1 : str, number or bool
        The labels that the rule gives.
    score : str
        Name of the column of scores.
    larger_means : {"class1", "class0"}
        The class for which larger scores speak. With "class0" a row is of class 1 where its score is *below* the value.
    groups : array-like, shape (n0,), optional
        The group of each row: text, numbers or truth values. The type I error is bounded in every group at once.
    pooled : bool
        With groups: one threshold for all of them, so that the group of a new row need not be known.
    clusters : array-like, shape (n0,), optional
        The cluster of each row, such as its patient. One row of each, drawn at random, sets the threshold.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`.
    ties, rank : {"conservative", "randomize"}
        As in `np_threshold`; with groups the rank cannot be random.
    random_state : None, int, Generator or RandomState
        Used by "randomize", by `clusters` and by `weights`.
    scores1 : array-like of float, shape (n1,), optional
        Scores of rows labelled class 1, where labels are partly wrong. Without groups, clusters and "randomize".
    noise0, noise1 : float or (float, float)
        With `scores1`: the share of class 1 among the rows of `scores0`, and of class 0 among those of `scores1`, as in
        `np_threshold_noisy`.
    weights : array-like of float, shape (n0,), optional
        Where class 0 will come in other proportions: how many times more often rows such as each will come, as in
        `np_threshold_shifted` with drawn coins. Without groups, clusters, `scores1` and "randomize".
    weight_max : float, optional
        With `weights`: a bound on them that was known beforehand.
    epsilon, gamma : float, optional
        With two `groups`: the type I error over all of class 0 is at most `alpha` with probability at least 1 -
        `delta`, and its difference between the groups at most `epsilon` with probability at least 1 - `gamma`, as in
        `np_equal_thresholds`. Equal scores in a group then need ``ties="randomize"``. `scores0` must be a random
        sample of class 0; for what else may be known of the shares of the groups use that function.

    Returns
    -------
    ScoreRule

    Raises
    ------
    TooFewSamplesError
        If there are too few scores, or too few in a group, or too few clusters.
    InvalidInputError
        If a score is not finite, a level not in (0, 1), a label or a group neither text, number nor truth value, or
        groups are combined with clusters or with a random rank, noise is given without `scores1`, or `weights` are
        negative or above `weight_max`.

    See Also
    --------
    np_threshold : the threshold alone.
    read_rule : the rule from its file.

    Examples
    --------
    >>> import numpy as np
    >>> unsafe = np.random.default_rng(1).beta(5, 2, size=400)
    >>> rule = score_rule(unsafe, class0="harmful", class1="safe", score="unsafe_score", larger_means="class0")
    >>> print(rule)
    ScoreRule(safe when unsafe_score < value, value=0.3776, class0=harmful, alpha=0.05, delta=0.05)
    """
    check_choice(larger_means, "larger_means", tuple(COMPARISONS))
    check_same_rows(scores0=scores0, groups=groups, clusters=clusters)
    if groups is not None and clusters is not None:
        raise InvalidInputError("groups and clusters cannot be combined; leave one of them out.")
    if groups is not None and rank == "randomize":
        raise InvalidInputError("rank='randomize' works with one threshold only; leave it out with groups.")
    class0, class1 = (plain_value(value, name) for value, name in ((class0, "class0"), (class1, "class1")))
    if class0 == class1:
        raise InvalidInputError(f"class0 and class1 are both {class0!r}; give each class a label of its own.")
    if not isinstance(score, str) or not score:
        raise InvalidInputError(f"score must be the name of the column of scores, got {shown(score)}.")
    if epsilon is not None and (groups is None or pooled):
        raise InvalidInputError(
            "epsilon bounds a difference between two groups, each with its own threshold; give groups, and leave out "
            "pooled.",
            argument="epsilon",
        )
    values = check_scores(scores0, "scores0")
    check_choice(ties, "ties", TIES)
    check_choice(rank, "rank", RANKS)
    refuse_bad_seed(random_state)
    at_random = clusters is not None or weights is not None or "randomize" in (ties, rank)
    seed = check_seed(random_state) if at_random else None
    levels: dict[str, Any] = {"alpha": alpha, "delta": delta, "ties": ties, "random_state": seed}
    if clusters is not None:
        n_clusters = len(plain_labels(clusters, "clusters"))
        if n_clusters != values.size:
            raise InvalidInputError(
                f"clusters has {n_clusters} values and scores0 has {values.size}; give one cluster for each score."
            )
        # with the fits and scikit-learn, which a rule does without
        from nproc.groups import one_per_cluster

        chosen = one_per_cluster(clusters, random_state=seed)
        values = values[chosen]
    signed = values if larger_means == "class1" else -values
    shift = None
    threshold: Threshold | GroupThresholds | EqualThresholds | NoisyThreshold
    if weights is not None:
        others_given = {"groups": groups, "clusters": clusters, "scores1": scores1}
        if any(given is not None for given in others_given.values()) or "randomize" in (ties, rank):
            raise InvalidInputError("weights cannot be combined with groups, clusters, scores1 or 'randomize'.")
        threshold, shift = _shifted(signed, weights, weight_max, alpha, delta, seed)
    elif weight_max is not None:
        raise InvalidInputError("weight_max is a bound on weights; give weights, too.", argument="weight_max")
    elif scores1 is not None:
        if groups is not None or clusters is not None or seed is not None:
            raise InvalidInputError(
                "scores1 is for noisy labels and cannot be combined with groups, clusters or 'randomize'."
            )
        others = check_scores(scores1, "scores1")
        noise: dict[str, Any] = {"noise0": noise0, "noise1": noise1, "alpha": alpha, "delta": delta}
        others = others if larger_means == "class1" else -others
        with changed_filter("ignore", NPWarning, "the scores seem to have the wrong sign"):
            # said below, with the argument that changes it
            threshold = np_threshold_noisy(signed, others, **noise)
        change = f"If larger_means={larger_means!r} is wrong, give the other one."
        warn_direction(signed, others, f"with larger_means={larger_means!r}", PAID_BY_BOTH, change=change)
    elif np.any(as_floats(noise0, "noise0") != 0) or np.any(as_floats(noise1, "noise1") != 0):
        raise InvalidInputError("noise0 and noise1 need scores1, the scores of rows labelled class 1.")
    elif groups is None:
        threshold = np_threshold(signed, rank=rank, **levels)
    else:
        labels = [plain_value(label, "groups") for label in plain_labels(groups, "groups")]
        if epsilon is None:
            threshold = np_group_thresholds(signed, labels, pooled=pooled, **levels)
        else:
            levels |= {"epsilon": epsilon, "gamma": gamma, "ties": "randomize" if ties == "randomize" else "refuse"}
            threshold = np_equal_thresholds(signed, labels, **levels)
    return ScoreRule(
        threshold=threshold,
        score=score,
        class0=class0,
        class1=class1,
        larger_means=larger_means,
        group_column=None,
        cluster_column=None,
        clustered=clusters is not None,
        seed=seed,
        scores_sha256=hash_of_scores(check_scores(scores0, "scores0")),
        version=package_versions().get("nproc-py", "unknown"),
        shift=shift,
    )


def _shifted(scores0, weights, weight_max, alpha, delta, seed):
    """Return the threshold of the scores that coins keep, as one of these alone, and what the rule says of it."""
    values = as_floats(weights, "weights", "hold numbers, one for each score")
    if values.ndim != 1:
        raise InvalidInputError(
            "weights must be one number for each score; intervals are for np_threshold_shifted.", argument="weights"
        )
    found = np_threshold_shifted(scores0, values, weight_max=weight_max, alpha=alpha, delta=delta, random_state=seed)
    threshold = Threshold(
        value=found.value,
        order=found.order,
        n0=found.n_kept,
        alpha=found.alpha,
        delta=found.delta,
        violation_rate=found.violation_rate,
        type1_upper=type1_upper(found.order, found.n_kept, found.delta),
    )
    return threshold, ShiftOfClass0(None, found.weight_max, found.n0)


def hash_of_scores(scores):
    """Return the SHA-256 of scores in any order, as sorted 64-bit little-endian floating-point numbers.

    Examples
    --------
    >>> hash_of_scores(np.array([2.0, 1.0])) == hash_of_scores(np.array([1, 2]))
    True
    """
    # -0.0 is the same score as 0.0
    return hashlib.sha256(np.sort(np.asarray(scores, dtype="<f8") + 0.0).tobytes()).hexdigest()


def plain_value(value, name):
    """Return a label as a value that JSON has; others are refused."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, _PLAIN) or (isinstance(value, float) and not math.isfinite(value)):
        raise InvalidInputError(
            f"{name} must hold text, numbers or truth values, which a rule file can hold, got {shown(value)}."
        )
    return value


@tells_names
def read_rule(path: str | PathLike[str]) -> ScoreRule:
    """Read a rule from the file that `ScoreRule.write` or ``npc threshold --out`` has written.

    Parameters
    ----------
    path : str or path
        The JSON file. Nothing in it is run.

    Returns
    -------
    ScoreRule

    Raises
    ------
    InvalidInputError
        If the file is missing or no rule, or if its numbers contradict each other.

    Examples
    --------
    >>> import tempfile
    >>> rule = score_rule(np.arange(100.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rule.write(f"{folder}/rule.json")
    ...     read_rule(f"{folder}/rule.json").threshold == rule.threshold
    True
    """
    path = Path(check_path(path, "path"))
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInputError(f"there is no file {path}.") from None
    except (OSError, ValueError) as error:
        raise wrong_file(path, "a rule", f"cannot be read as JSON: {error}.") from error
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        raise wrong_file(path, "a rule", "is not a rule of this package; `npc threshold --out rule.json` writes one.")
    if known.get("format_version") != FORMAT_VERSION:
        raise InvalidInputError(
            f"{path} has format_version {shown(known.get('format_version'))}, and this version of nproc-py reads "
            f"{FORMAT_VERSION}; install the version that wrote it, {shown(known.get('nproc_version'))}."
        )
    try:
        rule = _rule_of(known)
    except (KeyError, TypeError, ValueError) as error:
        # NPError is a ValueError
        what = f"it has no {error}" if isinstance(error, KeyError) else error
        raise InvalidInputError(f"{path} is not a complete rule: {what}") from error
    wrong = _differing(known, rule.to_dict())
    if wrong:
        raise InvalidInputError(
            f"{path} contradicts itself: {wrong[0]} is {shown(wrong[1])}, and the rest of the file gives "
            f"{shown(wrong[2])}. The file was changed after it was written; make the rule again."
        )
    return rule


def _rule_of(known: Mapping[str, Any]) -> ScoreRule:
    if not isinstance(known.get("dependent", ""), str):
        raise InvalidInputError(f"dependent must be text, got {shown(known['dependent'])}.")
    owners = known.get("owners", [])
    if not isinstance(owners, list) or not all(isinstance(column, str) for column in owners):
        raise InvalidInputError(f"owners must be a list of names of columns, got {shown(owners)}.")
    if known["class0"] == known["class1"]:
        raise InvalidInputError(f"class0 and class1 are the same label, {shown(known['class0'])}.")
    larger_means = {comparison: which for which, comparison in COMPARISONS.items()}[known["class1_when"]]
    sign = 1.0 if larger_means == "class1" else -1.0
    alpha, delta = check_level(known["alpha"], "alpha"), check_level(known["delta"], "delta")
    groups, clusters = known["groups"], known["clusters"]
    threshold: Threshold | GroupThresholds | EqualThresholds | NoisyThreshold
    if "noise" in known:
        threshold = _noisy_of(known, sign, alpha, delta)
    elif groups is None:
        threshold = _threshold_of(known, sign, alpha, delta, known["coin"])
    elif "difference" in known:
        threshold = _equal_of(known, sign, alpha, delta)
    else:
        each = check_level(groups["group_delta"], "group_delta")
        rules = tuple(_threshold_of(entry, sign, alpha, each, None) for entry in groups["rules"])
        values = tuple(plain_value(entry["group"], "group") for entry in groups["rules"])
        threshold = GroupThresholds(values, rules, groups["pooled"], alpha, delta, each)
    return ScoreRule(
        threshold=threshold,
        score=known["score"],
        class0=plain_value(known["class0"], "class0"),
        class1=plain_value(known["class1"], "class1"),
        larger_means=larger_means,  # type: ignore[arg-type]
        group_column=None if groups is None else groups["column"],
        cluster_column=None if clusters is None else clusters["column"],
        clustered=clusters is not None,
        seed=known["seed"],
        scores_sha256=known["scores_sha256"],
        version=known["nproc_version"],
        shift=_shift_of(known) if "shift" in known else None,
        dependent=known.get("dependent", ""),
        owners=tuple(owners),
        labelled=known.get("labelled", False) is True,
    )


def _shift_of(known):
    shift = ShiftOfClass0(**known["shift"])
    at_odds = any(known[name] is not None for name in ("groups", "clusters", "coin", "tie_cut")) or "noise" in known
    if at_odds or not (is_number(shift.weight_max) and shift.weight_max > 0 and known["n0"] <= shift.n0_given):
        raise InvalidInputError("its entry shift contradicts n0, groups, clusters, coin, tie_cut or noise.")
    return shift


def _threshold_of(entry, sign, alpha, delta, coin):
    """Return the threshold of an entry of the file, with the bounds that its rank has."""
    order, n0 = entry["order"], entry["n0"]
    if not 1 <= order <= n0:
        raise InvalidInputError(f"order must be between 1 and n0={n0}, got {order}.")
    for name, share in (("tie_cut", entry["tie_cut"]), ("coin", coin)):
        if share is not None and not (is_number(share) and 0 <= share <= 1):
            raise InvalidInputError(f"{name} must be null or lie between 0 and 1, got {shown(share)}.")
    drawn = bool(coin)
    rate = delta if drawn else violation_rate(order, n0, alpha)
    # a bound of a group is for its own share of delta; rounding may have decided where the two are equal
    if rate > delta * (1 + 1e-6):
        raise InvalidInputError(
            f"its violation_rate is {round_up(rate, 4)} for order={order} of n0={n0}. That is above delta={delta:g}, "
            "so the threshold does not carry the guarantee that the file states."
        )
    return Threshold(
        value=sign * check_real(entry["value"], "value"),
        order=order,
        n0=n0,
        alpha=alpha,
        delta=delta,
        violation_rate=rate,
        type1_upper=alpha if drawn else type1_upper(order, n0, delta),
        tie_cut=entry["tie_cut"],
        coin=coin,
    )


def _equal_of(known, sign, alpha, delta):
    """Return the thresholds of two groups, with the bounds that their ranks have."""
    levels = {name: check_level(known["difference"][name], name) for name in ("epsilon", "gamma")}
    entries = known["groups"]["rules"]
    names = ("group", "value", "tie_cut", "order", "n0")
    groups, values, tie_cuts, orders, n0 = ([entry[name] for entry in entries] for name in names)
    if not all(1 <= order <= n for order, n in zip(orders, n0, strict=True)):
        raise InvalidInputError(f"order must be between 1 and n0 for each group, got {orders} and {n0}.")
    drawn = all(is_number(cut) and 0 <= cut <= 1 for cut in tie_cuts)
    if not drawn and any(cut is not None for cut in tie_cuts):
        raise InvalidInputError(f"tie_cut must be null or between 0 and 1 for both groups, got {shown(tie_cuts)}.")
    groups = tuple(plain_value(group, "group") for group in groups)
    cuts = [sign * check_real(value, "value") for value in values], tie_cuts, orders, n0
    return equal_thresholds_at(groups, *cuts, alpha=alpha, delta=delta, **levels)


def _noisy_of(known, sign, alpha, delta):
    """Return the threshold of a file with noisy labels; its violation rate is read, since it takes a search to find."""
    noise, order, n0, rate = known["noise"], known["order"], known["n0"], known["violation_rate"]
    (low0, high0), (low1, high1) = box = tuple(noise["noise0"]), tuple(noise["noise1"])
    n1, n_above1 = noise["n1"], noise["n_above1"]
    in_order = 0 <= low0 <= high0 and 0 <= low1 <= high1 and high0 + high1 < 1
    if not (in_order and 1 <= order <= n0 and 0 <= n_above1 <= n1 and 0 < rate <= delta and known["groups"] is None):
        raise InvalidInputError("its entries noise, order, n0, violation_rate and delta contradict each other.")
    return NoisyThreshold(
        value=sign * float(known["value"]),
        order=order,
        n0=n0,
        n1=n1,
        n_above0=n0 - order,
        n_above1=n_above1,
        noise0=box[0],
        noise1=box[1],
        alpha=alpha,
        delta=delta,
        violation_rate=rate,
    )


def _differing(found, made, at=""):
    """Return where a file differs from what its own numbers give, and both values; None where it does not.

    Bounds may differ in their last digits between two versions of scipy.
    """
    if isinstance(made, dict):
        names = [*made, *(name for name in found if name not in made)]
        for name in names:
            if name == "statement":
                continue
            wrong = _differing(found.get(name), made.get(name), f"{at}{name}")
            if wrong:
                return wrong
        return None
    if isinstance(made, list):
        pairs = zip(found, made, strict=True)
        found_in = (_differing(one, other, f"{at}[{k}].") for k, (one, other) in enumerate(pairs))
        return next(filter(None, found_in), None)
    numbers = all(isinstance(value, float) for value in (found, made))
    same = math.isclose(found, made, rel_tol=1e-9, abs_tol=1e-300) if numbers else found == made
    return None if same else (at, found, made)
