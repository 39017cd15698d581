"""Names for scoring methods: ``get_scorer("svm", C=10)`` instead of an import and a pipeline."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_flag
from nproc.errors import InvalidInputError


class Scorer(Protocol):
    """An unfitted scoring method, such as any classifier of scikit-learn.

    Once fitted it has ``decision_function`` or ``predict_proba``, larger for rows more like class 1.
    """

    def fit(self, X: Any, y: Any, /) -> Any:
        """Train on rows `X` with labels `y`, 0 for the controlled class, and return the trained scorer."""


class TrainedScorer(Protocol):
    """A fitted model that gives each row a score, for ``prefit=True``."""

    def decision_function(self, X: Any, /) -> ArrayLike:
        """Return a score for each row of `X`, larger for rows more like class 1."""


class Resampler(Protocol):
    """An object that resamples training rows, such as imbalanced-learn's ``SMOTE()``."""

    def fit_resample(self, X: Any, y: Any, /) -> Any:
        """Return the pair of resampled rows and their labels."""


# what a method may be: a name, a classifier, or with prefit=True a trained model or a function of rows
MethodLike: TypeAlias = str | Scorer | TrainedScorer | Callable[[Any], ArrayLike]

_SPECS: dict[str, ScorerSpec] = {}

# the module that gives a built-in name; it is imported when somebody asks for the name
_MODULES = {
    name: f"nproc.scorers.{module}"
    for module, names in {
        "averaged": ["averaged"],
        "classical.discriminant": ["lda", "qda"],
        "classical.logistic": ["logistic"],
        "classical.naive_bayes": ["nb", "nnb"],
        "classical.neighbours_and_svm": ["knn", "svm"],
        "classical.penalised": ["penlog", "slda"],
        "classical.trees": ["ada", "gradientboosting", "randomforest", "tree"],
        "papers.acsvm": ["acsvm"],
        "papers.constrained": ["constrained"],
        "papers.generative": ["gen"],
        "papers.network": ["onpnet"],
        "papers.npsvm": ["npsvm"],
        "papers.online": ["onpsvm"],
        "papers.parzen": ["parzen"],
        "papers.qvalue": ["qnet"],
        "papers.qvalue_svm": ["qsvm"],
        "papers.sparse_logistic": ["sparselogit"],
        "papers.svmperf": ["svmperf"],
    }.items()
    for name in names
}


@dataclass(frozen=True)
class ScorerSpec:
    """What is known about a named scoring method.

    Attributes
    ----------
    name : str
        The name that `get_scorer` takes.
    factory : callable
        Takes the method's own keywords and returns an unfitted estimator.
    r_name : str or None
        What the R package nproc calls the method; None if R has no such method.
    allow_nan : bool
        Whether the method takes missing values in X.
    sparse : bool
        Whether the method takes a sparse X.
    follows_alpha : bool
        Whether the parameter ``alpha`` of the method is the level it trains at, which `npc` sets to its own.
    parameters : mapping
        Keyword to default value.
    """

    name: str
    factory: Callable
    r_name: str | None
    allow_nan: bool
    sparse: bool
    follows_alpha: bool
    parameters: Mapping


def register(
    name: str,
    *,
    r_name: str | None = None,
    allow_nan: bool = False,
    sparse: bool = False,
    follows_alpha: bool = False,
    replace: bool = False,
) -> Any:
    """Give a scoring method of your own a name, by a decorator of the factory that builds it.

    Parameters
    ----------
    name : str
        The new name, without spaces.
    r_name : str, optional
        What the R package nproc calls the method.
    allow_nan : bool
        Whether the method takes missing values in X.
    sparse : bool
        Whether the method takes a sparse X.
    follows_alpha : bool
        Whether the factory has an argument ``alpha``, the level of the type I error at which it trains. `npc` gives
        it its own alpha, unless the user gives another.
    replace : bool
        Allow the name to be one that is taken already.

    Returns
    -------
    decorator : callable
        Takes a factory and returns it unchanged. The factory is a function (or an estimator class) whose
        arguments all have defaults and are spelled out, and which returns an unfitted scikit-learn
        compatible estimator.

    Raises
    ------
    InvalidInputError
        If the name is taken by another factory, is not a word, or if the factory's arguments are not
        spelled out with defaults.

    See Also
    --------
    get_scorer : Build a registered method.

    Examples
    --------
    >>> from nproc.scorers import get_scorer, register
    >>> @register("shrunken_lda", replace=True)
    ... def shrunken_lda(*, shrinkage=0.5):
    ...     from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    ...     return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
    >>> get_scorer("shrunken_lda", shrinkage=0.1)
    LinearDiscriminantAnalysis(shrinkage=0.1, solver='lsqr')
    """
    if not isinstance(name, str) or not name or any(character.isspace() for character in name):
        raise InvalidInputError(f"name must be a word without spaces, got {name!r}.")
    if r_name is not None and not isinstance(r_name, str):
        raise InvalidInputError(f"r_name must be the text that R nproc calls the method by, or None, got {r_name!r}.")
    flags = {"allow_nan": allow_nan, "sparse": sparse, "follows_alpha": follows_alpha, "replace": replace}
    for argument, value in flags.items():
        check_flag(value, argument)

    def decorate(factory):
        parameters = _keyword_defaults(factory, name)
        if follows_alpha and "alpha" not in parameters:
            raise InvalidInputError(f"follows_alpha=True, but the factory of method {name!r} has no argument alpha.")
        taken = _spec(name)
        # a module that is reloaded defines the same factory anew; that is no clash
        clash = taken is not None and _qualified_name(taken.factory) != _qualified_name(factory)
        if clash and not replace:
            raise InvalidInputError(
                f"the method name {name!r} is taken by {_qualified_name(taken.factory)}; "
                "choose another name, or pass replace=True."
            )
        _SPECS[name] = ScorerSpec(name, factory, r_name, allow_nan, sparse, follows_alpha, MappingProxyType(parameters))
        return factory

    return decorate


def scorer_names() -> list[str]:
    """List the names of all registered scoring methods, sorted; `npc` and the others take any of them.

    Returns
    -------
    names : list of str

    See Also
    --------
    scorer_spec : What is known about one of them.

    Examples
    --------
    >>> from nproc.scorers import scorer_names
    >>> "logistic" in scorer_names()
    True
    """
    return sorted({*_SPECS, *_MODULES})


def _spec(name):
    """Return what is registered under a name, or None; a module of this package gives its names when it is imported."""
    if name not in _SPECS and name in _MODULES:
        import_module(_MODULES[name])
    return _SPECS.get(name)


def scorer_spec(name):
    """Look up what is known about a named scoring method: its keywords, and whether it takes sparse X or NaN.

    Parameters
    ----------
    name : str
        A registered name.

    Returns
    -------
    spec : ScorerSpec

    Raises
    ------
    InvalidInputError
        If the name is not registered; the message lists the names that are.

    See Also
    --------
    describe_scorers : All of them.

    Examples
    --------
    >>> from nproc.scorers import scorer_spec
    >>> scorer_spec("svm").r_name
    'svm'
    >>> scorer_spec("svm").parameters["C"]
    1.0
    """
    if isinstance(name, str) and (found := _spec(name)):
        return found
    raise _unknown_method(name)


def describe_scorers():
    """List what is known about every registered method, sorted by name, to choose one.

    Returns
    -------
    specs : list of ScorerSpec

    See Also
    --------
    scorer_names : The names alone.

    Examples
    --------
    >>> from nproc.scorers import describe_scorers
    >>> [spec.name for spec in describe_scorers() if spec.name.endswith("lda")][:1]
    ['lda']
    """
    return [scorer_spec(name) for name in scorer_names()]


def get_scorer(name_or_object: MethodLike, **params: Any) -> Any:
    """Build an unfitted scorer by name, to look at it or to change it; an object is given back as it is.

    Parameters
    ----------
    name_or_object : str or object
        A registered name, or an object with ``fit`` and ``decision_function`` or ``predict_proba``, or
        (for use with ``prefit=True``) a trained model or a function of X.
    **params
        Keywords of the named method; none are allowed with an object.

    Returns
    -------
    scorer : object
        A new estimator for a name; the same object, untouched, for an object.

    Raises
    ------
    InvalidInputError
        For an unknown name, an unknown keyword or a number for one that is not finite, keywords beside an object, or an
        object that cannot score.

    See Also
    --------
    scorer_names : The registered names.
    register : Add a name.

    Notes
    -----
    The R package swallows unknown arguments without a word; here each is an error.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("svm", C=3).get_params()["svc__C"]
    3
    >>> get_scorer("tree", maxdepth=3)
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: method 'tree' has no parameter 'maxdepth'. Did you mean 'max_depth'? ...
    """
    if isinstance(name_or_object, str):
        spec = scorer_spec(name_or_object)
        _check_params(params, spec)
        return spec.factory(**params)
    if isinstance(name_or_object, type):
        kind = name_or_object.__name__
        raise InvalidInputError(f"method is the class {kind}; pass an instance, {kind}().")
    can_score = any(hasattr(name_or_object, method) for method in ("fit", "decision_function", "predict_proba"))
    if not can_score and not callable(name_or_object):
        raise _unknown_method(name_or_object)
    if params:
        listed = ", ".join(sorted(params))
        raise InvalidInputError(
            f"parameters ({listed}) go with a method given by name; set them on your "
            f"{type(name_or_object).__name__} itself."
        )
    return name_or_object


def _check_params(params, spec):
    for keyword, value in params.items():
        if keyword not in spec.parameters:
            valid = ", ".join(spec.parameters) or "none"
            raise InvalidInputError(
                f"method {spec.name!r} has no parameter {keyword!r}.{_hint(keyword, spec.parameters)} "
                f"Its parameters are: {valid}."
            )
        # a method of the user's may have an infinite default
        if isinstance(value, float | np.floating) and not np.isfinite(value) and spec.parameters[keyword] != value:
            # some solvers would never end, others give a model of NaN
            raise InvalidInputError(f"{keyword} of method {spec.name!r} must be finite, got {value!r}.")


# what other packages call a method
ELSEWHERE = {
    "glm": "logistic",
    "logit": "logistic",
    "logisticregression": "logistic",
    "glmnet": "penlog",
    "lasso": "penlog",
    "rf": "randomforest",
    "ranger": "randomforest",
    "forest": "randomforest",
    "rpart": "tree",
    "cart": "tree",
    "decisiontree": "tree",
    "adaboost": "ada",
    "gbm": "gradientboosting",
    "xgboost": "gradientboosting",
    "lightgbm": "gradientboosting",
    "boosting": "gradientboosting",
    "svc": "svm",
    "ksvm": "svm",
    "naivebayes": "nb",
    "neighbors": "knn",
}


def _hint(word, known):
    close = difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _unknown_method(given):
    names = scorer_names()
    elsewhere = ELSEWHERE.get(re.sub(r"[^a-z]", "", given.lower())) if isinstance(given, str) else None
    hint = _hint(given.lower(), names) if isinstance(given, str) else ""
    hint = f" Did you mean {elsewhere!r}?" if elsewhere else hint
    return InvalidInputError(
        f"method must be one of {', '.join(names)}, or in Python a scikit-learn compatible classifier; "
        f"got {given!r}.{hint}"
    )


def _keyword_defaults(factory, name):
    defaults = {}
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise InvalidInputError(
                f"the factory of method {name!r} must name all its keywords, got {str(parameter)!r}; otherwise a "
                "misspelt keyword could not be detected."
            )
        if parameter.default is parameter.empty:
            raise InvalidInputError(f"the parameter {parameter.name!r} of method {name!r} needs a default value.")
        defaults[parameter.name] = parameter.default
    return defaults


def _qualified_name(factory):
    return f"{getattr(factory, '__module__', '?')}.{getattr(factory, '__qualname__', repr(factory))}"
