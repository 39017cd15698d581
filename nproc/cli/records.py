"""Results as plain objects for JSON: every number of the summaries, finite or null; and a few lines of text."""

import json
import math
import textwrap

import numpy as np

from nproc.checks import level_text
from nproc.rows import share_of_right_calls
from nproc.tables import note_text, rounded_down, rounded_up


def as_json(record):
    """Return a record as JSON text; numpy values become plain ones, and what is not finite becomes null."""
    return json.dumps(_plain(record), indent=2, allow_nan=False) + "\n"


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


# what the columns of `Comparison.at` are called in the text
_HEADS = {
    "method": "Method",
    "type2_lower": "Type II lower",
    "type2": "Estimate",
    "type2_upper": "Type II upper",
    "dominates": "Better than",
}


def choice_text(band, choice):
    """Return the level chosen from a band, and why it is guaranteed or not, as text."""
    lines = (
        f"Chosen for {band.method} ({choice.criterion}): alpha = {choice.shown_alpha}, type II error between "
        f"{rounded_down(choice.type2_lower)} and {rounded_up(choice.type2_upper)}.",
        f"{'Guaranteed' if choice.guaranteed else 'Not guaranteed'}: {note_text(choice.reason)}",
    )
    return "\n".join(textwrap.fill(line, 78) for line in lines)


def at_text(comparison, there, alpha):
    """Return the table of the methods at a level, and what its bounds are, as text."""
    table = there.drop(columns="bounds").rename(columns=_HEADS)
    outward = {_HEADS["type2_lower"]: rounded_down, _HEADS["type2_upper"]: rounded_up}
    table = table.to_string(index=False, float_format="{:.4f}".format, formatters=outward, justify="right", na_rep="-")
    return f"At alpha = {level_text(alpha)}:\n{table}\n{textwrap.fill(comparison.bounds_text, 78)}"


def best_text(comparison, best, alpha):
    """Return the best method at a level, and why it is the best, as text."""
    by_band = comparison.kind == "pointwise"
    if comparison.best_at(alpha, fallback=None) is not None:
        why = "its type II bounds lie below those of all others" if by_band else "it dominates all others"
        return f"Best at alpha = {level_text(alpha)}: {best}; {why}."
    table = comparison.at(alpha)
    estimates = dict(zip(table["method"], table["type2"], strict=True))
    first, *others = [name for name, estimate in estimates.items() if name == best or estimate == estimates[best]]
    what = "has type II bounds that lie below those of all others" if by_band else "dominates all others"
    lowest = f"The lowest estimate of the type II error is that of {first}."
    if others:
        lowest = f"{', '.join([first, *others[:-1]])} and {others[-1]} share the lowest estimate of the type II error."
    return f"No method {what} at alpha = {level_text(alpha)}, so the best one is not known. {lowest}"


def fields(result, *names):
    """Return some attributes of an object by their names."""
    return {name: getattr(result, name) for name in names}


def fit_record(fit, evaluation, *, label):
    """Return the object of ``fit``."""
    return {
        "method": fit.method,
        "label": label,
        "class0": fit.class0,
        "class1": fit.labels[1],
        "features": fit.feature_names,
        "formula": fit.design.formula,
        **fields(fit, "alpha", "delta", "n0", "n1", "n0_left_out", "n_splits", "split_ratio"),
        "split_ratio_adaptive": fit.ratio_choice is not None,
        **fields(fit, "seed", "guaranteed"),
        "notes": fit.notes(),
        "splits": fit.to_frame().to_dict("records"),
        "test": None if evaluation is None else evaluation_record(evaluation),
        "versions": fit.versions,
    }


def evaluation_record(evaluation):
    """Return the object of both errors on new data."""
    record = fields(evaluation, "n0", "n1", "n_false1", "n_false0", "type1", "type2", "level")
    for name, interval in fields(evaluation, "type1_interval", "type2_interval").items():
        record[name] = None if interval is None else [interval.lower, interval.upper]
    if hasattr(evaluation, "review"):
        record |= fields(evaluation, "beta", "n0_review", "n1_review", "review")
        record["review_interval"] = [evaluation.review_interval.lower, evaluation.review_interval.upper]
    return record


def _areas(band):
    """Return the areas under both curves; of a band that ends at alpha_max those up to there."""
    if band.alpha_max is None:
        return fields(band, "auc_lower", "auc_upper")
    return {
        "alpha_max": band.alpha_max,
        "partial_auc": fields(band.partial_auc(), "alpha", "lower", "estimate", "upper"),
    }


def _up_to_end(band, alphas):
    """Return the levels at which a band that ends at alpha_max says anything."""
    return np.asarray([alpha for alpha in alphas if alpha <= (band.alpha_max or 1.0)])


def predictive_record(predictive, share, alphas):
    """Return the prevalence as it was given, what PPV and NPV are by the labels, and both values at some levels."""
    values = predictive.at(_up_to_end(predictive.band, alphas))
    zero, one = map(share_of_right_calls, values.classes)
    names = ["alpha", *(f"{name}{end}" for name in ("ppv", "npv") for end in ("_lower", "", "_upper"))]
    rows = zip(*(getattr(values, name).tolist() for name in names), strict=True)
    prevalence = {"prevalence_of": values.classes[values.given_of], "prevalence": share}
    return prevalence | {"ppv": one, "npv": zero, "values": [dict(zip(names, row, strict=True)) for row in rows]}


def band_record(band, alphas=(), choice=None):
    """Return the object of a band, with its values at levels and the level chosen from it."""
    record = {
        "method": band.method,
        "class0": band.subject.labels[0],
        "class1": band.subject.labels[1],
        **fields(band, "delta", "band"),
        **fields(band.subject, "n0", "n1"),
        **fields(band, "n0_left_out", "n1_left_out", "n_splits", "split_ratio"),
        "seed": band.shown_seed,
        "smallest_alpha": band.alpha[0] if band.n_knots else None,
        **_areas(band),
        "caveats": band.caveats,
        "knots": band.to_frame().to_dict("list"),
    }
    if band.cross_fitted is not None:
        folds, knots = band.cross_fitted.n_folds, band.cross_fitted.to_frame().to_dict("list")
        record["cross_fitted"] = {"n_folds": folds, "guaranteed": False, "knots": knots}
    if len(alphas):
        columns = fields(band.at(_up_to_end(band, alphas)), "alpha", "type2_lower", "type2", "type2_upper", "order")
        record["values"] = [dict(zip(columns, point, strict=True)) for point in zip(*columns.values(), strict=True)]
        for point in record["values"]:
            # above the last rank there is no classifier
            if point["order"] > band.n0_left_out:
                point |= {"order": None, "type2": None}
        if band.cross_fitted is not None:
            type2 = band.cross_fitted.at(np.asarray(alphas)).tolist()
            record["cross_fitted"]["values"] = [{"alpha": a, "type2": t} for a, t in zip(alphas, type2, strict=True)]
    if choice is not None:
        record["chosen"] = fields(choice, "alpha", "type2_lower", "type2_upper", "criterion", "guaranteed", "reason")
    return record


def comparison_record(comparison, alpha, there, best):
    """Return the object of ``compare``."""
    return {
        "methods": comparison.names,
        "delta": comparison.delta,
        "bands": [band_record(band) for band in comparison.bands],
        "kind": comparison.kind,
        "about": f"fitted {comparison.about}",
        "statement": comparison.statement,
        "regions": comparison.to_frame().to_dict("records"),
        "alpha": alpha,
        "at_alpha": None if there is None else there.to_dict("records"),
        "best": best,
    }


def procedures_record(result):
    """Return the object of ``compare`` for procedures."""
    return {
        "methods": result.names,
        "delta": result.delta,
        "about": "procedures, approximate",
        "differences": result.to_frame().to_dict("records"),
        **fields(result, "n_splits", "n_train", "n_left_out", "level", "seed"),
    }
