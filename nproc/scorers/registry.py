"""Names for scoring methods: ``get_scorer("svm", C=10)`` instead of an import and a pipeline."""

from __future__ import annotations

import difflib
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_flag, shown, tells_names
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

    @property
    def takes_gaps(self) -> bool:
        """Whether the method takes missing values with its defaults: one that trains another does if that one does."""
        inner = self.parameters.get("scorer")
        return self.allow_nan and (not isinstance(inner, str) or scorer_spec(inner).takes_gaps)


@tells_names
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
    ...     '''Linear discriminant analysis with a shrunken covariance matrix.'''
    ...     from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    ...     return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
    >>> get_scorer("shrunken_lda", shrinkage=0.1)
    LinearDiscriminantAnalysis(shrinkage=0.1, solver='lsqr')
    """
    if not isinstance(name, str) or not name or any(character.isspace() for character in name):
        raise InvalidInputError(f"name must be a word without spaces, got {shown(name)}.")
    if r_name is not None and not isinstance(r_name, str):
        raise InvalidInputError(
            f"r_name must be the text that R nproc calls the method by, or None, got {shown(r_name)}."
        )
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
    describe_scorers : What each of them is, and its parameters.

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


class _Specs(list):
    """Specs that print as text: one of them with all its parameters explained, several in a few lines each."""

    def __repr__(self):
        docs = [inspect.getdoc(spec.factory) or "" for spec in self]
        if len(self) == 1:
            said = docs[0].partition("\n\nReturns\n")[0]
            defaults = _defaults(self[0])
            told = textwrap.fill(f"Defaults: {defaults}.", 112) if defaults else ""
            return f"{self[0].name}: {said}\n\n{told}".rstrip()
        return "\n".join(_entry(spec, doc.partition("\n")[0]) for spec, doc in zip(self, docs, strict=True))


def _defaults(spec):
    return ", ".join(f"{name}={value!r}" for name, value in spec.parameters.items())


def _entry(spec, line):
    defaults = _defaults(spec)
    gaps = "missing values in columns of numbers"
    accepted = [what for what, taken in (("sparse X", spec.sparse), (gaps, spec.takes_gaps)) if taken]
    also = f"Accepts {' and '.join(accepted)}." if accepted else ""
    indented = [textwrap.indent(textwrap.fill(text, 74), "    ") for text in (f"{line} {also}", defaults) if text]
    return "\n".join([spec.name, *indented])


@tells_names
def describe_scorers(method: str | None = None) -> list[ScorerSpec]:
    """Show which methods there are and which parameters each takes, or explain those of one method.

    Parameters
    ----------
    method : str, optional
        A registered name. With None, all methods are listed, sorted by name.

    Returns
    -------
    specs : list of ScorerSpec
        It prints as text: what each method is, whether it accepts a sparse X and missing values in columns of
        numbers, and its parameters with their defaults. A single method prints with all its parameters explained.

    Raises
    ------
    InvalidInputError
        If the name is not registered; the message lists the names that are.

    See Also
    --------
    scorer_names : The names alone.

    Notes
    -----
    A method with a parameter ``alpha`` trains for a type I error. `npc` gives such a method its own alpha, unless you
    give another in ``method_params``.

    Examples
    --------
    >>> from nproc import describe_scorers
    >>> describe_scorers("nnb")
    nnb: Naive Bayes with a Gaussian kernel density for each column and class, for columns far from normal.
    ...
    >>> [spec.name for spec in describe_scorers() if spec.name.endswith("lda")]
    ['lda', 'slda']
    """
    return _Specs([scorer_spec(name) for name in (scorer_names() if method is None else [method])])


# they keep their capital letter within a sentence
_PROPER = ("AdaBoost", "Gaussian", "Parzen")
# of a method with more parameters those are told that it was given
MOST_TOLD = 4


def method_in_words(name: str, given: Mapping[str, str]) -> str:
    """Return what a method is for a sentence of a paper, with its name and its parameters in brackets.

    Parameters
    ----------
    name : str
        A registered name, or that of another model, which is all that is said of it.
    given : mapping of str
        The parameters that it was given, as they are written. Of a method with few parameters all are told.

    Returns
    -------
    str

    Examples
    --------
    >>> from nproc.scorers import method_in_words
    >>> method_in_words("randomforest", {"n_estimators": "50"})
    "a random forest (randomforest, n_estimators=50, max_features='sqrt', min_samples_leaf=1)"
    >>> method_in_words("svm", {"C": "3.0"}), method_in_words("SVC", {})
    ('a support vector machine on standardised columns (svm, C=3.0)', 'the method SVC')
    >>> method_in_words("knn", {})
    "the share of class 1 among the nearest training rows (sqrt(n) by default) (knn, weights='distance')"
    """
    spec = _spec(name)
    if spec is None:
        return f"the method {name}"
    line = (inspect.getdoc(spec.factory) or "").partition("\n")[0].rstrip(".")
    # up to the first comma that is not within brackets
    what = re.sub(r"^((?:\([^)]*\)|[^,;:(])*).*", r"\1", line).strip() or "the method"
    if not what.startswith(_PROPER):
        what = what[:1].lower() + what[1:]
    hidden = ("alpha", "n_jobs", "random_state", "verbose")
    own = {key: repr(value) for key, value in spec.parameters.items() if value is not None}
    told = {key: value for key, value in given.items() if key in spec.parameters and key not in hidden}
    usual = {key: value for key, value in own.items() if key not in hidden}
    if len(usual | told) <= MOST_TOLD:
        told = usual | told
    return f"{what} ({', '.join([name, *(f'{key}={value}' for key, value in told.items())])})"


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
    describe_scorers : The registered names and their parameters.
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
            hint = parameter_of_r(keyword, spec) or _hint(keyword, spec.parameters)
            raise InvalidInputError(
                f"method {spec.name!r} has no parameter {keyword!r}.{hint} Its parameters are: {valid}.",
                fault="unknown parameter",
                way_out=f"describe_scorers({spec.name!r}) explains them." if spec.parameters else "",
            )
        if keyword == "kernel" and isinstance(value, str) and value in _KERNELS_OF_R:
            here = _KERNELS_OF_R[value]
            raise InvalidInputError(f"R's kernel {value!r} is {here!r} here. Give kernel={here!r} to {spec.name!r}.")
        # a method of the user's may have an infinite default
        if isinstance(value, float | np.floating) and not np.isfinite(value) and spec.parameters[keyword] != value:
            # some solvers would never end, others give a model of NaN
            raise InvalidInputError(f"{keyword} of method {spec.name!r} must be finite, got {shown(value)}.")


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
    "xgb": "gradientboosting",
    "xgboost": "gradientboosting",
    "lightgbm": "gradientboosting",
    "boosting": "gradientboosting",
    "svc": "svm",
    "ksvm": "svm",
    "naivebayes": "nb",
    "neighbors": "knn",
}


# what R's functions behind the methods call a parameter: the first of these names that a method has
_PARAMETERS_OF_R = {
    "ntree": ["n_estimators"],
    "num_trees": ["n_estimators"],
    "n_trees": ["n_estimators", "max_iter"],
    "iter": ["n_estimators", "max_iter"],
    "nrounds": ["n_estimators", "max_iter"],
    "mtry": ["max_features"],
    "nodesize": ["min_samples_leaf"],
    "min_node_size": ["min_samples_leaf"],
    "mincut": ["min_samples_leaf"],
    "minbucket": ["min_samples_leaf"],
    "minsize": ["min_samples_split"],
    "minsplit": ["min_samples_split"],
    "maxnodes": ["max_leaf_nodes"],
    "interaction_depth": ["max_depth"],
    "sampsize": ["max_samples"],
    "classwt": ["class_weight"],
    "class_weights": ["class_weight"],
    "nu": ["learning_rate"],
    "shrinkage": ["learning_rate"],
    "cp": ["ccp_alpha"],
    "mindev": ["ccp_alpha"],
    "cost": ["C"],
    "k": ["n_neighbors"],
    "bw": ["adjust", "bandwidth"],
    "nfolds": ["n_folds"],
    "s": ["rule"],
    "lambda": ["rule", "lam"],
}
# what is to be known besides
_MORE_OF_R = {
    "ccp_alpha": " It is on another scale.",
    "class_weight": " Its keys are 0, for class 0, and 1.",
    "adjust": " It is a factor on the bandwidths that the method finds.",
    "rule": " The penalty is chosen by cross-validation: 'min' is R's lambda.min, '1se' is lambda.1se.",
}
_LEFT_OUT_OF_R = {
    "probability": "Leave it out: the decision value is the score.",
    "family": "Leave it out: there are two classes.",
    "usekernel": "With a kernel the method is 'nnb', without it 'nb'.",
    "importance": "Leave it out, and look at the trained model in fit.scorers.",
    "subset": "Select the rows before the call.",
}
_KERNELS_OF_R = {"radial": "rbf", "polynomial": "poly"}


def parameter_of_r(keyword, spec):
    """Return a hint for a keyword that R's function behind a method knows and the method here does not, or ''.

    Examples
    --------
    >>> parameter_of_r("cost", scorer_spec("svm"))
    " R's cost is C here."
    """
    # a call from R may have the names with their points
    word = keyword.replace(".", "_")
    if word in spec.parameters:
        return ""
    here = next((name for name in _PARAMETERS_OF_R.get(word, []) if name in spec.parameters), None)
    if here is not None:
        return f" R's {keyword} is {here} here.{_MORE_OF_R.get(here, '')}"
    return f" {_LEFT_OUT_OF_R[word]}" if word in _LEFT_OUT_OF_R else ""


def _hint(word, known):
    begun = [name for name in known if len(word) > 1 and name.startswith(word)]
    close = begun or difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _unknown_method(given):
    names = scorer_names()
    if isinstance(given, str) and "~" in given:
        return InvalidInputError(
            f"method {given!r} is a formula, which goes to a function with its table: npc({given!r}, data=frame). A "
            f"method must be one of {', '.join(names)}, or in Python a scikit-learn compatible classifier."
        )
    elsewhere = ELSEWHERE.get(re.sub(r"[^a-z]", "", given.lower())) if isinstance(given, str) else None
    hint = _hint(given.lower(), names) if isinstance(given, str) else ""
    hint = f" Did you mean {elsewhere!r}?" if elsewhere else hint
    known = f"{', '.join(names)}, or in Python a scikit-learn compatible classifier"
    if hint:
        # before the long list, where it is seen
        return InvalidInputError(f"unknown method {given!r}.{hint} A method must be one of {known}.")
    return InvalidInputError(f"method must be one of {known}; got {shown(given)}.")


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
