"""The lines of Python that make a fit again from its rows."""

from __future__ import annotations

import pprint
import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from nproc.fits.as_python import AsPython, NotWritableError
from nproc.fits.unmet import of_shared_owners
from nproc.rows import SIGNS_OF_GAPS
from nproc.score_direction import WRONG_SIGN
from nproc.scorers import scorer_names, splitters_with_seeds

# what a fit tells of left-out rows that are copies of training rows, behind their number
ONE_OR_TWO = (
    "If they are one observation entered twice, the left-out rows are not independent of the training, and errors on "
    "new rows can be larger than the left-out rows show. If they are different observations that agree"
)
# how the caveat begins that a fit is of no use
EQUAL_SCORES = "Some scores are tied."
# how a level was chosen, if not by a rule
BY_EYE = "chosen after the band was seen"
# what a classifier of a band tells of itself
PART_OF_CLASS1 = (
    "The scorers are those of the NP-ROC band of this method, which were trained on only a part of the class 1 rows."
)
RATIO_KEPT = (
    "The adaptive split ratio was chosen for the alpha and delta of the first fit. This may increase the type II "
    "error; the bound holds."
)
GROUP_RATIOS_KEPT = (
    "The split ratio (auto) of each group was chosen for the alpha and delta of the first fit. This may increase the "
    "type II error; the bound holds."
)
WIDTH = 100


def call_of(fit: Any, label_name: str | None = None, data_code: str | None = None) -> str:
    """Return the lines that make a fit again, with the method if it has no name, and with what the fit tells of itself.

    They take the rows from ``data``, a DataFrame, by the names of the columns used. The lines `data_code` read it from
    a file. A fit to an array has no such names; its lines take ``X``. The labels are the column `label_name` of
    ``data``, or ``y`` if that is None.
    """
    reading = [] if data_code is None else data_code.splitlines()
    to_read = [line for line in reading if line.startswith(("import ", "from "))]
    imported, first, method = _method_of(fit)
    given = {"delta": fit.delta, "class0": fit.class0}
    if fit.prefit:
        given["prefit"] = True
    elif hasattr(fit, "n_folds"):
        given["cross_fit"] = fit.n_folds
    else:
        given |= {"n_splits": fit.n_splits, "split_ratio": _ratio_of(fit)}
    if fit.design.n_omitted:
        given["na_action"] = "omit"
    written = {name: repr(value) for name, value in given.items()}
    if RATIO_KEPT in fit.caveats:
        # the levels that it was chosen for are not known any more
        written["split_ratio"] = "ratio_choice"
    given = dict(fit.given)
    # a method that trains for a level has that of the fit, unless it was given another
    own_alpha = given.pop("alpha", repr(fit.alpha))
    if own_alpha != repr(fit.alpha):
        given["method_params"] = f"{{'alpha': {own_alpha}}}"
    named, rows, columns = _rows_of(fit, label_name)
    if columns:
        given["data"] = columns
    if fit.of_band is None:
        maker, after = "npc", ""
        written = {"alpha": repr(fit.alpha)} | written | _of_npc(fit)
        if GROUP_RATIOS_KEPT in fit.caveats:
            # no one number gives the left-out rows of all groups
            written |= {"alpha": "first_alpha", "delta": "first_delta", "split_ratio": "'auto'"}
            after = f".with_levels(alpha={fit.alpha!r}, delta={fit.delta!r})"
    else:
        usual = {"band": "pointwise", "bounds": "berk_jones", "alpha_max": None}
        written |= {name: repr(fit.of_band[name]) for name in usual if fit.of_band[name] != usual[name]}
        maker, after = "nproc", ""
    arguments = ", ".join(f"{name}={value}" for name, value in (written | given).items())
    made = [f"{maker}({rows}{method}, {arguments}, random_state={fit.seed}){after}"]
    imports = [*imported, f"from nproc import {maker}", *to_read]
    if fit.unmet:
        imports.insert(0, "from dataclasses import replace")
    if fit.of_band is not None:
        level = repr(fit.alpha)
        if "choice" in fit.of_band:
            level = choice_call("band", fit.of_band["choice"])
        review = f", review_beta={fit.beta!r}" if hasattr(fit, "review_rules") else ""
        made = [f"band = {made[0]}", f"band.classifier({level}{review})"]
        if fit.unmet:
            made.insert(1, f"band = {with_unmet('band', fit.unmet)}")
    elif fit.unmet:
        made = [with_unmet(made[0], fit.unmet)]
    beyond = _as_comment(_told_beyond(fit))
    return "\n".join([*imports, *(line for line in reading if line not in to_read), *named, *first, *beyond, *made])


def choice_call(band: str, asked: dict[str, Any]) -> str:
    """Return Python that chooses alpha on a band, by the arguments of `choose_alpha`."""
    return f"{band}.choose_alpha({', '.join(f'{name}={value!r}' for name, value in asked.items())})"


def with_unmet(made: str, unmet: tuple[str, ...]) -> str:
    """Return Python that gives the fit or band of `made` the conditions of the guarantee that do not hold."""
    return f"replace({made}, unmet={unmet!r})"


def _as_comment(told: Iterable[str]) -> list[str]:
    """Return lines of comments that say what a fit tells of itself and the code below does not make."""
    return [line for one in told for line in textwrap.wrap(one, WIDTH, initial_indent="# ", subsequent_indent="# ")]


def listing(name: str, values: Any) -> str:
    """Return Python that gives a list a name, on as many lines as it needs."""
    text = pprint.pformat(list(values), width=WIDTH - len(name) - 3, compact=True)
    return f"{name} = " + text.replace("\n", "\n" + " " * (len(name) + 3))


def needed_for(fit: Any, data_name: str | None, label_name: str | None, data_code: str | None = None) -> str:
    """Return what the names in the lines of `call_of` stand for, in a sentence or two."""
    design, n_rows = fit.design, fit.n0 + fit.n1 + fit.design.n_omitted
    columns, beside = _columns_of(fit), []
    if columns is None:
        kind = "list of texts" if design.bare_texts else "array or matrix"
        said = f"Here X is the {kind} that was fitted, with its {n_rows} rows in their order"
    else:
        table = "the table that was fitted" if data_name is None else f"the table {data_name}"
        said = f"Here data is {table}, as a DataFrame with the {n_rows} rows of the fit in their order"
    if design.formula is None and (columns is None or label_name is None):
        beside.append("y has their labels")
    for name, what in (("groups", "group"), ("clusters", "cluster")):
        if _of_npc(fit).get(name) == name:
            beside.append(f"{name} has the {what} of each row")
    if "sample_weight" in fit.given:
        beside.append("sample_weight has the weight of each row")
    if "resample" in fit.given:
        beside.append("resample is the resampler that was given")
    if GROUP_RATIOS_KEPT in fit.caveats:
        beside.append("first_alpha and first_delta are the levels of the fit that with_levels moved")
    if RATIO_KEPT in fit.caveats:
        beside.append("ratio_choice is that of the fit, fit.ratio_choice")
    said = ", and ".join([said, *beside]) + "."
    types = "" if columns is None or data_code is not None else _types_of_file(design)
    return f"{said} {types}".strip()


def _types_of_file(design):
    """Return how to read a file so that its columns have the types of the fit; nothing where any reader does so."""
    levels = {} if design.coding is None else design.coding.levels
    types = {column: "'str'" for column in design.texts if any(map(_is_read_otherwise, levels.get(column, ["0"])))}
    ordered = {column: (known, False) for column, known in levels.items() if known != sorted(known, key=_in_order)}
    for column, (known, has_order) in (ordered | design.types.categories).items():
        types[column] = f"pd.CategoricalDtype({list(known)!r}{', ordered=True' * has_order})"
    if not types:
        return ""
    options = [f"dtype={{{', '.join(f'{column!r}: {kind}' for column, kind in types.items())}}}"]
    if any(sign for signs in design.texts.values() for sign in signs):
        options += ["keep_default_na=False", "na_values=['']"]
    return (
        "If you read data from a CSV file, its columns must have the types that they had at the fit: "
        f"pd.read_csv(..., {', '.join(options)})."
    )


def _is_read_otherwise(text):
    """Return whether a text of a column may come back from a CSV file as a number, a truth value or a gap."""
    if text in SIGNS_OF_GAPS or str(text).lower() in ("true", "false"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _in_order(level):
    """Return what puts the categories of a column without an order of its own in theirs."""
    return isinstance(level, str), level


def _told_beyond(fit):
    """Return the caveats of a fit that its call does not make, as a list."""
    of_call = {GROUP_RATIOS_KEPT}
    if fit.of_band is not None:
        of_call.add(PART_OF_CLASS1)
        how = f" {BY_EYE}." * ("by_eye" in fit.of_band.get("choice", {}))
        of_call |= {caveat for caveat in fit.caveats if caveat.startswith(f"Choice of alpha:{how}")}
    # the call looks for copies of rows, equal scores and a wrong sign again
    begin = (EQUAL_SCORES, WRONG_SIGN)
    found_again = {caveat for caveat in fit.caveats if ONE_OR_TWO in caveat or caveat.startswith(begin)}
    # and for owners among the predictors
    if set(fit.design.owners) <= set(fit.design.required_columns or ()):
        found_again.update(of_shared_owners(fit.design.dependent)[1])
    return [caveat for caveat in fit.caveats if caveat not in of_call | found_again]


def _columns_of(fit):
    """Return the columns that a call needs beside the label, as a list; None of an array."""
    design = fit.design
    columns = design.columns if design.formula is None else design.required_columns
    if columns is None:
        return None
    columns = [name.item() if isinstance(name, np.generic) else name for name in columns]
    return list(dict.fromkeys([*columns, *_columns_beside(fit).values()]))


def _columns_beside(fit):
    """Return the columns that were named as the groups or clusters of the rows, by the name of the argument."""
    found = {"groups": getattr(fit, "group_column", None), "clusters": getattr(fit, "cluster_column", None)}
    return {name: column for name, column in found.items() if column is not None}


def _rows_of(fit, label_name):
    """Return lines that name columns and rows, how the call begins up to its method, and its table or nothing."""
    columns, design = _columns_of(fit), fit.design
    if columns is None:
        return [], "X, y, ", ""
    named = [listing("columns", columns)]
    if design.formula is None:
        labels = "" if label_name is None else f", data[{label_name!r}]"
        rows = f"X{', y' if labels else ''} = data[columns]{labels}"
        return [*named, rows], "X, y, ", ""
    return named, f"{design.formula!r}, method=", f"data[[*columns, {design.coding.label!r}]]"


def _method_of(fit):
    """Return imports and a line that make the method, where it has no name, and what stands for it in the call."""
    if fit.method in scorer_names() and not fit.prefit:
        return [], [], repr(fit.method)
    if fit.prefit:
        return [], [f"# method: the trained model, {fit.method}, which is not made again here"], "method"
    writer = AsPython()
    try:
        models = fit._models()
        # what stands before the method of the user is put there again
        text = writer(_without_own_seeds([model.steps[-1][1] for model in models] if fit.design.bare_texts else models))
    except NotWritableError:
        return [], [f"# method: {fit.method} as it was given, of which a part cannot be written as text"], "method"
    return sorted(writer.imports), [f"method = {text}"], "method"


def writes_seeds(fit: Any) -> bool:
    """Return whether the line of `call_of` that makes the method has a seed, which a description leaves out."""
    return any("random_state=" in line for line in _method_of(fit)[1])


def _without_own_seeds(scorers):
    """Return the first scorer, untrained where that is possible, without the seeds that each split draws for itself."""
    first = scorers[0]
    if len(scorers) == 1 or not hasattr(first, "get_params"):
        return first
    drawn = {
        name: None
        for name, value in first.get_params().items()
        if name.rpartition("__")[2] == "random_state" and any(value != s.get_params()[name] for s in scorers[1:])
    }
    untrained = clone(first).set_params(**drawn)
    others = [splitters_with_seeds(scorer) for scorer in scorers[1:]]
    for name, splitter in splitters_with_seeds(untrained).items():
        if any(splitter.random_state != other[name].random_state for other in others):
            splitter.random_state = None
    return untrained


def _ratio_of(fit):
    """Return the split ratio of the call, by its name where it has one, since each group or class has its own."""
    if fit.ratio_choice is not None:
        return "adaptive"
    return "auto" if fit.auto_ratio else fit.split_ratio


def _of_npc(fit):
    """Return the arguments that `npc` alone takes, as they are written."""
    written, beside = {}, _columns_beside(fit)
    for name, attribute, usual in (("ties", "ties", "conservative"), ("rank", "rank", "conservative")):
        if getattr(fit, attribute, usual) != usual:
            written[name] = repr(getattr(fit, attribute))
    if votes_at_random(fit):
        written["vote"] = "'random'"
    if hasattr(fit, "review_rules"):
        written["review_beta"] = repr(fit.beta)
    for name, attribute in (("groups", "group_values"), ("clusters", "n_clusters")):
        if hasattr(fit, attribute):
            written[name] = _beside_as_written(fit, beside[name]) if name in beside else name
    if getattr(fit, "pooled", False):
        written["group_thresholds"] = "'pooled'"
    if hasattr(fit, "assumption"):
        written["small_sample"] = repr("normal" if "normal" in fit.assumption else "log_concave")
    return written


def _beside_as_written(fit, column):
    design = fit.design
    # a column that is named does not predict
    predicts = column in (design.columns if design.formula is None else design.required_columns)
    return f"data[{column!r}]" if predicts else repr(column)


def votes_at_random(fit: Any) -> bool:
    """Return whether one split that is drawn at random decides."""
    return type(fit).__name__ == "NPRandomVoteFit"
