"""Conditions of the guarantee that a fit can tell are not met, from the code that stands between it and the user."""

from nproc.errors import NPWarning, frames_of, warn_at_call

# each as it would follow "if"
NO_SEARCH = "no search had chosen among candidates by the rows of this fit"
NO_LABELS_IN_FRONT = "no step in front of the classifier had learned from the labels of these rows"

# what the user can do
WAYS_OUT = {
    NO_SEARCH: (
        "Make the search the method, as in method=GridSearchCV(...), or fit the chosen candidate to rows "
        "that the search has not seen. A second fit to the same rows has no guarantee either, and its summary does not "
        "show this."
    ),
    NO_LABELS_IN_FRONT: "Put the step into the method, as in method=make_pipeline(step, classifier).",
}


def unmet_by_callers() -> tuple[str, ...]:
    """Return what the callers of a fit have done to the guarantee; warn of pipeline steps that learn from the labels.

    The callers are a search of scikit-learn that has several candidates, and a pipeline of scikit-learn or
    imbalanced-learn. Steps that do not look at the labels are passed over, although they may break the bound too.
    """
    unmet = []
    if any(_chooses(frame) for frame in frames_of("sklearn.model_selection._search")):
        unmet.append(NO_SEARCH)
    pipelines = [frame for name in ("sklearn.pipeline", "imblearn.pipeline") for frame in frames_of(name)]
    steps = [step for frame in pipelines for _, step in getattr(frame.f_locals.get("self"), "steps", [])[:-1]]
    learned = [type(step).__name__ for step in steps if _learns_from_labels(step)]
    if learned:
        unmet.append(NO_LABELS_IN_FRONT)
        warn_at_call(
            f"{', '.join(learned)} in front of the classifier learned from the labels of the rows that set the "
            f"threshold, so the type I error is not guaranteed. {WAYS_OUT[NO_LABELS_IN_FRONT]}",
            NPWarning,
        )
    return tuple(unmet)


def _chooses(frame):
    """Return whether a search has more than one candidate, or cannot tell."""
    found = frame.f_locals.get("results")
    return not isinstance(found, dict) or len(found.get("params", ())) != 1


def _learns_from_labels(step):
    # only pipelines need it
    from sklearn.feature_selection import SelectorMixin, VarianceThreshold

    kind = type(step)
    # a frozen step is not fitted again, and text such as "passthrough" is none
    if kind.__name__ == "FrozenEstimator" or not hasattr(step, "fit"):
        return False
    if hasattr(step, "fit_resample"):
        # rows left out at random leave a random sample of the class
        return kind.__name__ != "RandomUnderSampler" or step.replacement
    if isinstance(step, SelectorMixin):
        return not isinstance(step, VarianceThreshold)
    if not hasattr(step, "__sklearn_tags__"):
        return False
    tags = step.__sklearn_tags__()
    if tags.target_tags.required or tags.estimator_type in ("classifier", "regressor"):
        return True
    # the regressors of an imputer predict columns from columns
    parts = {} if kind.__module__.startswith("sklearn.impute") else step.get_params()
    return any(_learns_from_labels(part) for name, part in parts.items() if "__" not in name)
