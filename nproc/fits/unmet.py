"""Conditions of the guarantee that a fit can tell are not met, from the code that stands between it and the user."""

import inspect
from dataclasses import replace

from nproc.errors import NPWarning, frames_of, warn_at_call

# each says what would have to be true
NO_SEARCH = "if no search had chosen among candidates by the rows of this fit"
NO_LABELS_IN_FRONT = "if no step in front of the classifier had learned from the labels of these rows"
NO_FROZEN_LABELS = (
    "if it were known that no frozen step in front of the classifier had learned from the labels of these rows"
)
NOT_OVERSAMPLED = "if class 0 had not been oversampled before the fit, which it seems to have been"
# only somebody can tell this who saw more than one fit, such as the web page
SETTINGS_FIXED = "if all settings had been fixed beforehand"
NO_SHARED_OWNERS = "if no two rows were of one patient, country or other unit"

_NOT_HERE = "Not guaranteed here, because "
# what broke them; of the last two a caveat says more
BROKEN_BY = {
    NO_SEARCH: "a search chose among candidates by the rows of this fit",
    NO_LABELS_IN_FRONT: "a step in front of the classifier learned from the labels of these rows",
    NO_FROZEN_LABELS: "a frozen step in front of the classifier may have learned from the labels of these rows",
    NOT_OVERSAMPLED: "class 0 seems to have been oversampled before the fit",
}
# the same in few words, for a picture
BROKEN_IN_PICTURES = {
    NO_SEARCH: "a search chose by these rows",
    NO_LABELS_IN_FRONT: "a step in front learned from these labels",
    NO_FROZEN_LABELS: "a frozen step may have learned from these labels",
    NOT_OVERSAMPLED: "class 0 seems to be oversampled",
    SETTINGS_FIXED: "settings were not fixed beforehand",
    NO_SHARED_OWNERS: "some rows depend on each other",
}
# what the user can do
WAYS_OUT = {
    NO_SEARCH: (
        "Make the search the method, as in method=GridSearchCV(...), or fit the chosen candidate to rows "
        "that the search has not seen. A second fit to the same rows has no guarantee either, and its summary does not "
        "show this."
    ),
    NO_LABELS_IN_FRONT: "Put the step into the method, as in method=make_pipeline(step, classifier).",
    NO_FROZEN_LABELS: (
        "If the step was trained on other rows, transform X with it beforehand. If it was trained on these rows, put "
        "it untrained into the method, as in method=make_pipeline(step, classifier)."
    ),
    NOT_OVERSAMPLED: (
        "Fit to the rows before oversampling. To oversample the training rows only, put RandomOverSampler() into the "
        "method, as in method=imblearn.pipeline.make_pipeline(RandomOverSampler(), classifier). "
        "If equal rows are different observations, such as replicates of an experiment, number the observations. Give "
        "the numbers as clusters= of npc, or as a column of data= that the formula does not use."
    ),
}


def doubt_in_picture(unmet):
    """Return in few words that the bounds in a picture are not guaranteed, and why; "" if no condition is unmet.

    Examples
    --------
    >>> doubt_in_picture([NO_SEARCH]), doubt_in_picture([])
    ('not guaranteed: a search chose by these rows', '')
    """
    reasons = [BROKEN_IN_PICTURES.get(condition, "a condition is not met") for condition in unmet]
    return f"not guaranteed: {' and '.join(dict.fromkeys(reasons))}" * bool(reasons)


def unmet_by_copies(subject, copies):
    """Return the condition that class 0 was not oversampled, if it seems to have been, as no or one text.

    Parameters
    ----------
    subject : Subject
        What is remembered of the inputs.
    copies : iterable of (int, int)
        Of each split the left-out class 0 rows that are copies of rows that trained, and all that are left out. They do
        not matter for a scorer that was given trained.
    """
    mostly = subject.prefit or any(2 * n_copies > n_left for n_copies, n_left in copies)
    return (NOT_OVERSAMPLED,) if mostly and subject.oversampled else ()


def of_shared_owners(told):
    """Return the condition that rows of one owner break, and what a result says of them, each as no or one text.

    Which rows those are is `told`, "" where there are none.
    """
    return ((NO_SHARED_OWNERS,), (f"{_NOT_HERE}{told}.",)) if told else ((), ())


def with_shared_owners(result, told, columns):
    """Return a result with the condition that rows of one owner break, by somebody who saw all columns of the table.

    What the fit found among its predictors no longer counts.

    Parameters
    ----------
    result : NPFit, NPROCBand or NPMultiFit
        The result.
    told : str
        Which rows those are, as `nproc.rows.owners_told` says it; "" where there are none.
    columns : collection of str
        The columns that name the owners, also of new rows.
    """
    conditions, said = of_shared_owners(told)
    unmet = tuple(condition for condition in result.unmet if condition != NO_SHARED_OWNERS)
    caveats = tuple(text for text in result.caveats if not text.startswith(_NOT_HERE))
    result = _with_owners(result, told, columns)
    return replace(result, caveats=(*caveats, *said), unmet=(*unmet, *conditions))


def _with_owners(result, told, columns):
    """Return a result that knows which columns of its table name the owners of rows; of scores none are kept."""
    if hasattr(result, "design"):
        return replace(result, design=replace(result.design, owners=tuple(columns), dependent=told))
    if result.subject is None:
        return result
    return replace(result, subject=_with_owners(result.subject, told, columns))


def unmet_by_callers() -> tuple[str, ...]:
    """Return what the callers of a fit have done to the guarantee; warn of pipeline steps that learn from the labels.

    The callers are a search of scikit-learn that has several candidates, and a pipeline of scikit-learn or
    imbalanced-learn. A step counts as one that learns from the labels if it is a selector or makes rows, if
    scikit-learn's tags say so, or if its ``fit`` requires labels. All others are passed over, although they may break
    the bound too.
    """
    unmet = []
    if any(_chooses(frame) for frame in frames_of("sklearn.model_selection._search")):
        unmet.append(NO_SEARCH)
    pipelines = [frame for name in ("sklearn.pipeline", "imblearn.pipeline") for frame in frames_of(name)]
    steps = [step for frame in pipelines for _, step in getattr(frame.f_locals.get("self"), "steps", [])[:-1]]
    for condition, told in (
        (
            NO_LABELS_IN_FRONT,
            "{} in front of the classifier learned from the labels of the rows that set the threshold, so the type I "
            "error is not guaranteed.",
        ),
        (
            NO_FROZEN_LABELS,
            "{} in front of the classifier is frozen, or has a frozen part, and learned from labels. If these were "
            "labels of the rows that set the threshold, the type I error is not guaranteed. This cannot be seen, so "
            "the fit claims no guarantee.",
        ),
    ):
        names = [_own_name(step) for step in steps if condition in _broken_by(step)]
        if names:
            unmet.append(condition)
            warn_at_call(f"{told.format(', '.join(names))} {WAYS_OUT[condition]}", NPWarning)
    return tuple(unmet)


def _chooses(frame):
    """Return whether a search has more than one candidate, or cannot tell."""
    found = frame.f_locals.get("results")
    return not isinstance(found, dict) or len(found.get("params", ())) != 1


def _own_name(step):
    inner = f"({type(step.estimator).__name__})" if _is_frozen(step) else ""
    return type(step).__name__ + inner


def _is_frozen(step):
    return type(step).__name__ == "FrozenEstimator"


def _broken_by(step):
    """Return the conditions that a step in front of the classifier breaks, a set."""
    # text such as "passthrough" is none
    if isinstance(step, type) or not hasattr(step, "fit"):
        return set()
    if _is_frozen(step):
        return {NO_FROZEN_LABELS} if _broken_by(step.estimator) else set()
    if _learns_from_labels(step):
        return {NO_LABELS_IN_FRONT}
    # the regressors of an imputer predict columns from columns
    parts = step.get_params() if hasattr(step, "get_params") and not _of_sklearn(step, "impute") else {}
    return set().union(*(_broken_by(part) for name, part in parts.items() if "__" not in name))


def _learns_from_labels(step):
    """Return whether a step learns from labels itself, and not by its parts, as far as this can be told."""
    # only pipelines need it
    from sklearn.feature_selection import SelectorMixin, VarianceThreshold

    if hasattr(step, "fit_resample"):
        # rows left out at random leave a random sample of the class
        return type(step).__name__ != "RandomUnderSampler" or step.replacement
    if isinstance(step, SelectorMixin):
        return not isinstance(step, VarianceThreshold)
    if any(_requires_labels(getattr(step, name, None)) for name in ("fit", "fit_transform")):
        return True
    if not hasattr(step, "__sklearn_tags__"):
        return False
    tags = step.__sklearn_tags__()
    return tags.target_tags.required or tags.estimator_type in ("classifier", "regressor")


def _requires_labels(function):
    """Return whether a second argument, which a pipeline gives the labels, has no default."""
    try:
        taken = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        # no function, or one that is not written in Python
        return False
    positional = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len(positional) > 1 and positional[1].default is inspect.Parameter.empty


def _of_sklearn(step, part):
    return type(step).__module__.startswith(f"sklearn.{part}")
