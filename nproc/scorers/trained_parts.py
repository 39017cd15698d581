"""Parts of an estimator that stay trained where it is copied for training, and may have seen the left-out rows."""

import copy
import functools
import inspect

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from nproc.errors import InvalidInputError, NPWarning, warn_at_call

# characters of an estimator in a message
LONGEST = 200


def refuse_trained_parts(estimator, name):
    """Raise if a part of `estimator` stays trained where the whole is trained on a part of the rows.

    ``sklearn.base.clone`` makes most estimators forget their training, so that a trained one may be given. It keeps a
    ``FrozenEstimator`` (any class with a ``__sklearn_clone__`` of its own), and what a function holds: a bound method
    of a trained model, or a trained model that the function names, itself or in a list or dict. Parameters such as
    ``prefit=True`` and ``cv="prefit"`` ask for a trained part.

    Parameters
    ----------
    estimator : object
        A scorer or a resampler; all its parameters are looked through, those of its parts too.
    name : str
        Name of the argument, for messages.

    Raises
    ------
    InvalidInputError
        If there is such a part.

    Notes
    -----
    The threshold is an order statistic of scores of rows that the scoring function never saw. A part that was trained
    on some of them makes their scores smaller than those of new rows of class 0, and the type I error then exceeds
    alpha far too often. Nothing tells which rows a trained part saw, so it is refused.

    A part without training (scikit-learn's tag ``requires_fit`` is false) is none of these. What a function reaches by
    other ways than names (an attribute of an object, a file, another module), numbers that the user has learned from
    all rows, and the training of models without ``get_params``, such as those of Keras and PyTorch, cannot be seen.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from nproc.scorers.trained_parts import refuse_trained_parts
    >>> refuse_trained_parts(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), "method")
    """
    found = _trained_part(estimator, "", set())
    if found is None:
        return
    where, what = found
    raise InvalidInputError(
        f"{name} has a part that is trained already: {f'{where} is ' if where else ''}{what}. This part is not "
        "trained again, and if it was trained on rows that are left out, nothing is guaranteed. Pass the part "
        "untrained (and not frozen), so that it is trained on the training rows only. If it was trained on other "
        "rows, you can transform X with it beforehand; or train the whole model on other rows and use "
        "prefit=True."
    )


def owner_of(method):
    """Return the object whose bound method a function is, or the function itself."""
    while isinstance(method, functools.partial):
        method = method.func
    return method.__self__ if inspect.ismethod(method) else method


def refuse_untrained(model, name):
    """Raise if a model that is to be used as it is was never trained; of a function nothing can be said."""
    model = owner_of(model)
    # an OutlierScorer may hold a detector that was trained by itself
    model = getattr(model, "detector", model) if not hasattr(model, "detector_") else model
    if not hasattr(model, "__sklearn_tags__") or not hasattr(model, "fit"):
        return
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InvalidInputError(
            f"prefit=True needs a trained model, and {name}={_words(model)} is not trained. Train it on other rows "
            "first, or leave prefit out. If you have trained it, scikit-learn's clone made it forget this, as in "
            "cross_val_score and in searches: then give FrozenEstimator(model) of sklearn.frozen, which clone keeps."
        ) from error


def kept_copy(model, name):
    """Return a deep copy of a trained model, so that further training of the model changes no fit that uses the copy.

    A function is returned as it is, even if it holds a model: only a bound method, such as ``model.predict``, is copied
    with its model. A model that cannot be copied is returned itself, with a warning, since its threshold is only for
    the model as it is now. A forest of 500 trees trained on 10,000 rows was copied in 0.2 s; its scores of these rows
    took 0.3 s.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nproc.scorers.trained_parts import kept_copy
    >>> model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> kept = kept_copy(model, "method")
    >>> kept.theta_ is model.theta_
    False
    """
    try:
        return copy.deepcopy(model)
    # what a library raises where its objects hold what cannot be copied, such as a lock or a session
    except Exception as error:
        reason = " ".join(str(error).split())[:LONGEST]
        warn_at_call(
            f"{name}={_words(owner_of(model))} cannot be copied ({type(error).__name__}: {reason}), so the fit uses "
            "the model itself. Do not train it further: the guarantee is for the model as it is now.",
            NPWarning,
        )
        return model


def _trained_part(value, path, seen):
    """Return where a part that stays trained is and what it is, or None."""
    if value is None or isinstance(value, type | str | bytes | int | float) or id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, dict):
        return _trained_in_dict(value, path, seen)
    value = _listed(value)
    if isinstance(value, list | tuple):
        inner = [(_name_in(path, position, value), part) for position, part in enumerate(value)]
    elif hasattr(value, "get_params"):
        own_clone = getattr(type(value), "__sklearn_clone__", BaseEstimator.__sklearn_clone__)
        if own_clone is not BaseEstimator.__sklearn_clone__ and _is_trained(value):
            return path, _words(value)
        params = value.get_params(deep=False)
        for key, wanted in (("prefit", True), ("cv", "prefit")):
            if isinstance(params.get(key), bool | np.bool_ | str) and params[key] == wanted:
                return _joined(path, key), f"{wanted!r}, which asks for one"
        inner = [(_joined(path, key), part) for key, part in params.items()]
    elif inspect.isroutine(value) or isinstance(value, functools.partial):
        trained = _trained_in_function(value, set())
        return None if trained is None else (path, f"a function that holds a trained {type(trained).__name__}")
    elif hasattr(value, "fit") or callable(value):
        return _trained_in_dict(getattr(value, "__dict__", {}), path, seen)
    else:
        return None
    return next((found for where, part in inner if (found := _trained_part(part, where, seen))), None)


def _trained_in_dict(held, path, seen):
    # copied with all that it holds, but the lists of a search, whose estimators are cloned
    for key, part in held.items():
        where = _joined(path, key)
        found = (where, _words(part)) if _is_trained(part) else _trained_part(part, where, seen)
        if found is not None:
            return found
    return None


def _trained_in_function(function, seen):
    """Return a trained model that a function holds: its bound object, arguments and names, in lists and dicts too."""
    held = []
    while isinstance(function, functools.partial):
        held += [*function.args, *function.keywords.values()]
        function = function.func
    if inspect.ismethod(function):
        held.append(function.__self__)
        function = function.__func__
    names = {}
    if inspect.isfunction(function):
        names = function.__globals__
        held += [names.get(name) for name in _names_of(function.__code__)]
        held += map(_content, function.__closure__ or ())
        held += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    while held:
        part = held.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if _is_trained(part):
            return part
        if isinstance(part, dict):
            held += part.values()
        elif isinstance(_listed(part), list | tuple):
            held += _listed(part)
        elif inspect.isfunction(part) and part.__globals__ is names:
            # another function of the user's, and none of a library
            trained = _trained_in_function(part, seen)
            if trained is not None:
                return trained
    return None


def _listed(value):
    """Return the parts of a set or of an array of objects as a list, and anything else as it is."""
    if isinstance(value, set | frozenset):
        return list(value)
    return value.ravel().tolist() if isinstance(value, np.ndarray) and value.dtype == object else value


def _names_of(code):
    """Return the names that a function reads, those of the functions inside it too."""
    inside = [name for part in code.co_consts if inspect.iscode(part) for name in _names_of(part)]
    return [*code.co_names, *inside]


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        # not assigned yet
        return None


def _is_trained(part):
    if isinstance(part, type) or not hasattr(part, "fit") or not hasattr(part, "get_params"):
        return False
    if not hasattr(part, "__sklearn_tags__"):
        return any(name.endswith("_") and not name.startswith("__") for name in vars(part))
    try:
        check_is_fitted(part)
    except NotFittedError:
        return False
    return get_tags(part).requires_fit


def _words(estimator):
    text = " ".join(repr(estimator).split())
    return text if len(text) <= LONGEST else f"{type(estimator).__name__}(...)"


def _joined(path, key):
    return f"{path}__{key}" if path else str(key)


def _name_in(path, position, values):
    # (name, estimator) and (name, estimator, columns) of pipelines, votes and column transformers
    if position and isinstance(values[0], str):
        return path.rpartition("[")[0] + f"[{values[0]!r}]" if path.endswith("]") else path
    return f"{path}[{position}]"
