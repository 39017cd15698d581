"""Results as plain objects for JSON: every number of the summaries, finite or null; and a few lines of text."""

import json
import math
import textwrap

import numpy as np


def as_json(record):
    """Return a record as JSON text; numpy values become plain ones, and what is not finite becomes null."""
    return json.dumps(_plain(record), indent=2, allow_nan=False) + "\n"


def as_columns(frame):
    """Return a frame as lines of text."""
    return frame.to_string(index=False, float_format="{:.4f}".format, justify="right")


def choice_text(band, choice):
    """Return the level chosen from a band, and why it is guaranteed or not, as text."""
    lines = (
        f"Chosen for {band.method} ({choice.criterion}): alpha = {choice.shown_alpha}, type II error between "
        f"{choice.type2_lower:.4g} and {choice.type2_upper:.4g}.",
        f"{'Guaranteed' if choice.guaranteed else 'Not guaranteed'}: {choice.reason}",
    )
    return "\n".join(textwrap.fill(line, 78) for line in lines)


def best_text(comparison, best, alpha):
    """Return the best method at a level, and why it is the best, as text."""
    by_dominance = comparison.best_at(alpha, fallback=None) is not None
    if comparison.kind == "pointwise":
        why = "its band lies above all others" if by_dominance else "no band lies above all others; lowest estimate"
    else:
        why = "it dominates all others" if by_dominance else "none dominates all others; lowest estimate"
    return f"Best: {best} ({why})."


def fit_record(fit, evaluation, *, label):
    """Return the object of ``fit``."""
    return {
        **_head("fit"),
        "method": fit.method,
        "label": label,
        "class0": fit.class0,
        "class1": fit.labels[1],
        "features": fit.feature_names,
        "formula": fit.design.formula,
        "alpha": fit.alpha,
        "delta": fit.delta,
        "n0": fit.n0,
        "n1": fit.n1,
        "n0_left_out": fit.n0_left_out,
        "n_splits": fit.n_splits,
        "split_ratio": fit.split_ratio,
        "split_ratio_adaptive": fit.ratio_choice is not None,
        "seed": fit.seed,
        "guaranteed": fit.guaranteed,
        "notes": fit.notes(),
        "splits": fit.to_frame().to_dict("records"),
        "test": None if evaluation is None else evaluation_record(evaluation),
        "versions": fit.versions,
    }


def evaluation_record(evaluation):
    """Return the object of both errors on new data."""
    record = {key: getattr(evaluation, key) for key in ("n0", "n1", "n_false1", "n_false0", "type1", "type2", "level")}
    for key in ("type1_interval", "type2_interval"):
        interval = getattr(evaluation, key)
        record[key] = None if interval is None else [interval.lower, interval.upper]
    return record


def bands_record(bands, choices, alphas):
    """Return the object of ``bands``."""
    return {
        **_head("bands"),
        "bands": [_band_record(band, alphas, choice) for band, choice in zip(bands, choices, strict=True)],
    }


def comparison_record(comparison, alpha, there, best):
    """Return the object of ``compare``."""
    return {
        **_head("compare"),
        "methods": comparison.names,
        "delta": comparison.delta,
        "bands": [_band_record(band, (), None) for band in comparison.bands],
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
        **_head("compare"),
        "methods": result.names,
        "delta": result.delta,
        "about": "procedures, approximate",
        "differences": result.to_frame().to_dict("records"),
        "n_splits": result.n_splits,
        "n_train": result.n_train,
        "n_left_out": result.n_left_out,
        "level": result.level,
        "seed": result.seed,
    }


def _head(command):
    from nproc.umbrella import package_versions

    return {"command": command, "version": package_versions()["nproc-py"]}


def _band_record(band, alphas, choice):
    keys = ("alpha", "type2_lower", "type2", "type2_upper", "order")
    record = {
        "method": band.method,
        "class0": band.subject.labels[0],
        "class1": band.subject.labels[1],
        "delta": band.delta,
        "band": band.band,
        "n0": band.subject.n0,
        "n1": band.subject.n1,
        "n0_left_out": band.n0_left_out,
        "n1_left_out": band.n1_left_out,
        "n_splits": band.n_splits,
        "split_ratio": band.split_ratio,
        "seed": band.seed,
        "smallest_alpha": band.alpha[0],
        "auc_lower": band.auc_lower,
        "auc_upper": band.auc_upper,
        "knots": {key: values.tolist() for key, values in band.to_frame().items()},
    }
    if len(alphas):
        values = band.at(np.asarray(alphas))
        columns = {key: getattr(values, key).tolist() for key in keys}
        # above the last rank there is no classifier
        columns["order"] = [order if order <= band.n0_left_out else None for order in columns["order"]]
        record["values"] = [dict(zip(keys, point, strict=True)) for point in zip(*columns.values(), strict=True)]
    if choice is not None:
        fields = ("alpha", "type2_lower", "type2_upper", "criterion", "guaranteed", "reason")
        record["chosen"] = {field: getattr(choice, field) for field in fields}
    return record


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
