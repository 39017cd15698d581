"""A table of thresholds: what each level costs, with errors and predictive values on new rows."""

import numpy as np

from nproc.checks import OF_A_CHOICE, check_level, check_levels, check_seed, class_names, is_choice, shown
from nproc.errors import InvalidInputError, TooFewSamplesError, each_warning_once
from nproc.fits.probabilities import refuse_one_class
from nproc.orderstat import clopper_pearson
from nproc.rows import one_share_of_class1, share_of_all_rows, share_of_right_calls
from nproc.tables import table_frame

USUAL = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)


def thresholds_table(fit, X, y, *, alphas, prevalence, level, random_state, **of_rows):
    """Return the DataFrame of `NPFit.thresholds_table`; `of_rows` is what else `evaluate` takes, such as clusters."""
    level = check_level(level, "level")
    seed = None if random_state is None else check_seed(random_state)
    if (X is None) != (y is None) and fit.design.formula is None:
        raise InvalidInputError("X and y go together: give the new rows with their labels, or neither.")
    for name, value in {"prevalence": prevalence, **of_rows}.items():
        if X is None and value is not None:
            raise InvalidInputError(f"{name} is for new rows; give X and y too.", argument=name)
    if prevalence is not None:
        prevalence = one_share_of_class1(prevalence, fit.labels.tolist())
    fits, rows = _fits(fit, alphas), []
    for at in fits:
        row = {"alpha": at.alpha, "rank": int(at.orders[0])}
        if at.n_splits == 1:
            row["threshold"] = float(at.thresholds[0])
        one = at.n_splits == 1 and not hasattr(at, "n_folds")
        rate = float(np.max(at.violation_rates)) if one else float("nan")
        row |= {"type1_bound": at._proved_bound(), "violation_rate": rate}
        rows.append(row)
    if X is not None:
        with each_warning_once():
            for at, row in zip(fits, rows, strict=True):
                row |= _errors(at, X, y, prevalence, level, random_state=seed, **of_rows)
    return table_frame({name: [row[name] for row in rows] for name in rows[0]} if rows else {})


def _fits(fit, alphas):
    """The fit at each level; of the usual levels those that its class 0 rows can meet."""
    if fit.alpha_chosen and not fit.simultaneous:
        raise InvalidInputError(
            "a table of several levels needs a classifier whose alpha was fixed beforehand, as in "
            "band.classifier(0.1), or one of a band made with band='simultaneous'. alpha of this classifier was chosen "
            "on a band. evaluate(X, y) gives the errors of this classifier."
        )
    if alphas is not None:
        several = isinstance(alphas, list | tuple) or (isinstance(alphas, np.ndarray) and alphas.ndim > 0)
        given = list(alphas) if several else [alphas]
        chosen = [level for level in given if is_choice(level)]
        if chosen and not fit.simultaneous:
            raise InvalidInputError(
                f"alphas must be fixed beforehand, because the bounds of this table are not proved at a level that was "
                f"chosen on a band; got {shown(chosen[0])}.",
                argument="alphas",
                way_out=OF_A_CHOICE,
            )
        levels = np.atleast_1d(check_levels(alphas, "alphas"))
        if levels.ndim > 1 or levels.size == 0:
            raise InvalidInputError(f"alphas must be one or several levels, got an array of shape {levels.shape}.")
        return [fit._at(alpha) for alpha in np.unique(levels).tolist()]
    found = []
    for alpha in sorted({*USUAL, fit.alpha}):
        if fit.of_band is not None and alpha > (fit.of_band["alpha_max"] or 1):
            # the band ends before
            continue
        try:
            found.append(fit._at(alpha))
        except TooFewSamplesError:
            # too small for these rows
            continue
    return found


def _errors(fit, X, y, prevalence, level, **of_rows):
    told = fit.evaluate(X, y, level=level, **of_rows)
    refuse_one_class((told.n0, told.n1), fit.labels)
    errors = {"type1": (told.type1, told.type1_interval), "type2": (told.type2, told.type2_interval)}
    row = {}
    for name, (rate, bounds) in errors.items():
        row |= {name: rate} | _ends(told, bounds, name)
    if prevalence is None:
        return row
    of_class1, of_class0 = prevalence, 1 - prevalence
    names = class_names(fit.labels)
    right0, right1 = map(share_of_right_calls, names)
    # of two intervals at this level both hold with probability at least `level`, and with them both predictive values
    both1 = clopper_pearson(told.n_false1, told.n0, level=(1 + level) / 2)
    both2 = clopper_pearson(told.n_false0, told.n1, level=(1 + level) / 2)
    ends1, ends2 = ({"": rate} | _ends(told, b) for rate, b in ((told.type1, both1), (told.type2, both2)))
    of1, of0 = {}, {}
    for end, other in (("", ""), ("_lower", "_upper"), ("_upper", "_lower")):
        # the larger both errors, the smaller both predictive values
        type1, type2 = ends1[other], ends2[other]
        of1[f"{right1}{end}"] = _share(of_class1 * (1 - type2), of_class0 * type1)
        of0[f"{right0}{end}"] = _share(of_class0 * (1 - type1), of_class1 * type2)
    return row | {share_of_all_rows(names[1]): of_class1} | of1 | of0


def _ends(told, bounds, name=""):
    """Return both ends of an interval by their names; they are NaN where no interval of these errors holds."""
    ends = (bounds.lower, bounds.upper) if told.intervals_hold else (float("nan"),) * 2
    return dict(zip((f"{name}_lower", f"{name}_upper"), ends, strict=True))


def _share(part, rest):
    return part / (part + rest) if part + rest > 0 else float("nan")
