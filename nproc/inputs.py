"""The user's words become clean values: method, rows, labels and weights, checked once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from nproc.checkpoints import check_checkpoint
from nproc.checks import (
    as_floats,
    check_flag,
    check_models,
    check_seed,
    is_label,
    refuse_tiny,
    rows_in,
    shown,
    shown_label,
    tells_names,
)
from nproc.errors import FirstRowError, InvalidInputError, InvalidTypeError, NPWarning, warn_at_call
from nproc.model_choice import fit_inside, model_with_class0, stated_class0
from nproc.parallel import check_n_jobs
from nproc.rows import (
    Design,
    Labels,
    TableKeys,
    check_labels,
    distinct_labels,
    keys_of_table,
    listed,
    looks_oversampled,
    lowest_keys,
    read_table,
)
from nproc.scorers import (
    as_scorer,
    check_trainable,
    columns_of_xgboost,
    columns_without_encoder,
    get_scorer,
    kept_copy,
    name_outliers,
    owner_of,
    refuse_detector,
    refuse_trained_parts,
    refuse_untrained,
    scorer_names,
    scorer_spec,
    with_coding,
)
from nproc.tuning import check_ratio


@dataclass(frozen=True)
class Method:
    """A scorer and what it can take.

    Attributes
    ----------
    name : str
        Registered name, or the class name of the user's object.
    scorer : object
        Unfitted estimator, which is never changed, or with ``prefit`` a copy of a fitted model, or a function.
    prefit : bool
        Whether the scorer is used as it is.
    numeric, allow_nan, sparse : bool
        Needs a matrix of numbers; takes NaN; takes sparse matrices.
    given : dict
        The parameters that a named method was given, as they would be written.
    """

    name: str
    scorer: object
    prefit: bool
    numeric: bool
    allow_nan: bool
    sparse: bool
    given: dict = field(default_factory=dict)

    def columns_without_encoder(self, table):
        """Return the columns of a frame of which no encoder in the scorer says what becomes of a new category."""
        return columns_without_encoder(self.scorer, table)

    def columns_of_xgboost(self, table):
        """Return the columns of a frame that come to a model of XGBoost as they are."""
        return columns_of_xgboost(self.scorer, table)


@dataclass(frozen=True)
class Subject:
    """What a result remembers of its inputs: everything but the rows.

    Attributes
    ----------
    method : str
        Name of the scorer.
    prefit : bool
        Whether it was given trained.
    design : Design
        Turns new rows into what the scorer sees.
    labels : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    n0, n1 : int
        Rows of each class.
    given : dict
        The parameters that a named method was given, and that there were weights, as they would be written.
    keys0 : ndarray of uint32, or None
        The smallest keys of the class 0 rows, see `nproc.rows.lowest_keys`; None for rows in chunks.
    table_keys0 : TableKeys or None
        Those by all columns of the table of a formula that uses only some; else None.
    oversampled : bool
        Whether class 0 seems to have been copied up to the size of class 1.
    """

    method: str
    prefit: bool
    design: Design
    labels: np.ndarray
    n0: int
    n1: int
    given: dict = field(default_factory=dict)
    keys0: np.ndarray | None = None
    table_keys0: TableKeys | None = None
    oversampled: bool = False


@dataclass(frozen=True)
class Inputs:
    """Everything that a fit needs, checked.

    Attributes
    ----------
    method : Method
        The scorer.
    design : Design
        Turns new rows into what the scorer sees.
    X : ndarray, CSR matrix or DataFrame, n rows
        What the scorer sees.
    table : ndarray, CSR matrix or DataFrame, n rows
        All columns that the user gave: `X`, or the whole table of a formula.
    labels : Labels
        0/1 codes and the user's two labels.
    sample_weight : ndarray of float, shape (n,), or None
        For training only.
    told_apart : bool
        Whether the user has said which rows belong together, so that equal rows of different clusters are no copies.
    """

    method: Method
    design: Design
    X: object
    table: object
    labels: Labels
    sample_weight: np.ndarray | None
    told_apart: bool = False

    @property
    def y(self):
        """0/1 codes."""
        return self.labels.y

    def remember(self):
        """Make the `subject` now."""
        return self.subject

    @cached_property
    def subject(self):
        """The `Subject` of these inputs."""
        labels, method = self.labels, self.method
        weights = {} if self.sample_weight is None else {"sample_weight": "sample_weight"}
        given, keys0 = method.given | weights, lowest_keys(self.X, labels.y == 0)
        # where rows train, how many left-out rows have copies among them is counted
        least = 0.5 if method.prefit else 0.0
        # a single column for a trained method is often a score, which different observations share
        apart = self.told_apart or (method.prefit and self.table.shape[1] == 1)
        oversampled = not apart and looks_oversampled(self.table, labels.y, least=least)
        table_keys0 = keys_of_table(self.design, self.table, labels.y == 0)
        known = {"keys0": keys0, "table_keys0": table_keys0, "oversampled": oversampled}
        return Subject(method.name, method.prefit, self.design, labels.values, labels.n0, labels.n1, given, **known)


@dataclass(frozen=True)
class RunSettings:
    """How a fit is run: what decides the splits, and what decides nothing but the way there.

    Attributes
    ----------
    seed : int
        Root seed.
    n_splits : int
        Number of splits, M.
    split_ratio : float, "auto", "adaptive" or RatioChoice
        Share of the class 0 rows that train.
    auto_ratio : bool
        Whether `split_ratio` is the number that "auto" stood for.
    resample : object or None
        Resampler of the training part.
    n_jobs : int or None
        Splits at the same time.
    verbose : int
        0, 1 or 2.
    checkpoint : Path or None
        Folder that keeps what is trained.
    """

    seed: Any
    n_splits: int = 1
    split_ratio: Any = 0.5
    auto_ratio: bool = False
    resample: object = None
    n_jobs: int | None = None
    verbose: int = 0
    checkpoint: Path | None = None


# what arguments of R's npc and nproc are here, and those that a user of scikit-learn may expect
_NAMES_OF_R: dict[str | tuple[str, str], str] = {
    "x": "use X, or give the rows first and without a name",
    "formula": "give the formula first and without a name, and the table as data=",
    "split": "use n_splits",
    "n_cores": "use n_jobs",
    "randSeed": "use random_state",
    "seed": "use random_state",
    "nfolds": "use n_folds (of roc_cv, and of the methods penlog and slda)",
    "kernel": "it belongs to methods such as 'svm' and 'npsvm'. Choose one, with method_params={'kernel': 'rbf'}. R's "
    "'radial' is 'rbf'",
    "pred_score": "with scores of your own, use np_threshold for a classifier and NPROCBand.from_scores for a band",
    "loc_prob": "leave it out. The rank of the threshold follows from alpha and delta, see np_order",
    # of pROC and caret
    "conf_level": "use delta, the probability with which a bound may fail, and level for intervals in evaluate",
    **dict.fromkeys(("levels", "positive"), "use class0, the label whose error has the bound"),
    "direction": "larger scores must mean class 1. The sign of a score is never flipped; change it before the call",
    "warning": "use warnings.simplefilter('ignore', NPWarning)",
    **dict.fromkeys(("model", "estimator", "clf", "classifier"), "use method, which takes a name or an estimator"),
    # of one function or method alone
    **{
        (function, name): f"{name} is an argument of npc and not of bands. "
        + (
            "The bounds of a band are proved for independent rows: give one row of each cluster, or use npc"
            if name == "clusters"
            else "Use npc"
        )
        for function in ("nproc", "nproc_bands")
        for name in ("clusters", "groups", "rank", "ties", "vote", "small_sample", "review_beta")
    },
    ("nproc_bands", "method"): "use methods, a list of names or estimators",
    ("compare_procedures", "method"): "use methods, a list of names or estimators",
    ("npc", "alphas"): "use alpha. Several levels are for several classes, see npc_multiclass",
    ("npc", "deltas"): "use delta. Several levels are for several classes, see npc_multiclass",
    ("npc_multiclass", "alpha"): "use alphas, one level or one for each class but the last in priority",
    ("npc_multiclass", "delta"): "use deltas, one level or one for each class but the last in priority",
    **{
        (function, name): f"{function} has none. {way}"
        for function in ("npc_multiclass", "npcs")
        for name, way in {
            "clusters": "Give one row of each cluster, since the rows must be independent",
            "groups": "npc has groups, for two classes",
            "na_action": "Leave out rows with missing values before the call, such as by data.dropna()",
            "sample_weight": "npc has weights, for two classes",
            "n_splits": "It divides the rows at most once",
            **dict.fromkeys(
                ("ties", "rank", "vote", "small_sample", "cross_fit", "review_beta", "resample", "checkpoint"),
                "npc has it, for two classes",
            ),
        }.items()
    },
    ("npc_multiclass", "class0"): "use priority, all labels from the highest priority to the lowest. The error of each "
    "but the last has a bound",
    ("npcs", "class0"): "use alphas, a level for each label whose error is to have one",
    ("compare", "alpha"): "the regions cover all alpha. Use .at(alpha) or .best_at(alpha) of the result",
    ("compare", "method"): "use regions='pointwise', 'simultaneous' or 'paired'",
    ("compare", "paired"): "use regions='paired'",
    ("predict", "type"): "predict returns labels. Use decision_function for scores, or predict_proba for estimated "
    "probabilities",
    **{
        (function, name): "use X, or give the new rows first and without a name"
        for function in ("predict", "evaluate", "votes", "decision_function")
        for name in ("newdata", "newx", "data")
    },
    **dict.fromkeys(
        (("certify", name) for name in ("newdata", "newx", "data", "X")),
        "use X0, or give the new rows of class 0 first and without a name",
    ),
    ("choose_alpha", "youden"): "write choose_alpha('youden')",
    ("check_assumptions", "data"): "use X and y for the rows of the fit, and X0_new for new rows of class 0",
}
# those of R that stand where the rows do here, without which Python would only say that X is missing
_IN_PLACE_OF_ROWS = ("x", "formula", "pred_score")
# the other entries are of functions that fit
_ONLY_THEIR_OWN = (
    *("compare", "choose_alpha", "check_assumptions"),
    *("predict", "evaluate", "votes", "decision_function", "certify"),
)
P = ParamSpec("P")
T = TypeVar("T")


def refuse_name_of_r(name, of=None):
    """Raise if an argument that is not known here has a name that R knows, and say what it is in the function `of`."""
    # a call from R may have the names with their points
    name_here = name.replace(".", "_")
    advice = _NAMES_OF_R.get((of, name_here))
    if advice is None and of not in _ONLY_THEIR_OWN:
        advice = _NAMES_OF_R.get(name_here)
    if advice is not None:
        raise InvalidInputError(f"unknown argument {name!r}: {advice}.")


def refuse_other_params(params, method, of, *, never=""):
    """Say what keywords of `of` are here, if they are no parameters of the method; `never` is none of any method."""
    for name in params:
        if name == never or not (isinstance(method, str) and name in scorer_spec(method).parameters):
            refuse_name_of_r(name, of)


def _refuse_parameter(name, method):
    if isinstance(method, str) and method in scorer_names() and name in scorer_spec(method).parameters:
        raise InvalidInputError(
            f"unknown argument {name!r}: it is a parameter of {method!r}. Give method_params={{{name!r}: ...}}."
        )


def knows_names_of_r(function: Callable[P, T], of: str | None = None) -> Callable[P, T]:
    """Make a function say what an argument of R is here, where Python would only say that it knows no such name.

    A function that takes any keyword, as parameters of a method, looks at all itself but `_IN_PLACE_OF_ROWS` and those
    of this function alone. A method named plot says what the arguments of R's plot are. `of` is the function whose
    arguments these are, by default this one.
    """
    of = of or function.__name__
    known = inspect.signature(function).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    takes_rows = any(own.kind is own.POSITIONAL_OR_KEYWORD and name != "self" for name, own in known.items())
    checked = tells_names(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if function.__name__ == "plot" and len(args) > 1 and not takes_rows:
            names = ", ".join(name for name in known if name != "self")
            raise InvalidTypeError(f"plot takes no rows, because it draws what the object holds. Give {names} by name.")
        for name in kwargs:
            if name not in known and function.__name__ == "plot":
                from nproc.plotting import check_style

                check_style([name], [other for other in known if other != "self"])
            refused = name.replace(".", "_") in _IN_PLACE_OF_ROWS or (of, name) in _NAMES_OF_R
            if name not in known and (refused or not takes_any):
                _refuse_parameter(name, kwargs.get("method", args[-1] if args else None))
                refuse_name_of_r(name, of)
        return checked(*args, **kwargs)

    return called


def tell_names_of_r(kind: Any, of: str) -> None:
    """Make the constructor of the class of a function do what `knows_names_of_r` says, without hiding its arguments."""
    kind.__init__ = knows_names_of_r(kind.__init__, of)


def read_run(
    *,
    random_state,
    n_splits=1,
    split_ratio=0.5,
    prefit=False,
    resample=None,
    n_jobs=None,
    verbose=0,
    checkpoint=None,
):
    """Return checked `RunSettings`, but for the resampler, which is checked where the weights are known."""
    return RunSettings(
        n_splits=check_models(n_splits, "n_splits"),
        split_ratio=check_ratio(split_ratio),
        resample=resample,
        n_jobs=check_n_jobs(n_jobs),
        verbose=verbose,
        checkpoint=check_checkpoint(checkpoint, random_state, check_flag(prefit, "prefit")),
        seed=check_seed(random_state),
    )


def read_method(method, params=None, *, prefit=False, alpha=None):
    """Return the `Method` for a registered name, an estimator or, with ``prefit``, a model or function.

    `alpha` is the level at which a named method trains that has such a level, unless `params` holds another.
    """
    params, prefit = dict(params or {}), check_flag(prefit, "prefit")
    if isinstance(method, list | tuple | set | dict):
        raise InvalidInputError(
            f"method must be one name or object, got {type(method).__name__} of {len(method)}. Call the function once "
            "for each method. nproc_bands takes several methods, and compare() compares the bands."
        )
    if isinstance(method, str):
        if prefit:
            raise InvalidInputError(
                f"prefit=True needs a fitted model or a function as method, got the name {method!r}."
            )
        spec = scorer_spec(method)
        if alpha is not None and spec.follows_alpha:
            params = {"alpha": alpha, **params}
        scorer = get_scorer(method, **params)
        refuse_trained_parts(scorer, f"method {method!r}")
        given = {name: repr(value) for name, value in params.items()}
        return Method(method, scorer, False, True, spec.allow_nan, spec.sparse, given)
    if params:
        raise InvalidInputError(
            f"unknown argument(s) {sorted(params)}: only a method that is given by its name takes parameters here. "
            f"Set those of {_object_name(method)} on the object itself."
        )
    if not prefit:
        check_trainable(method)
        _refuse_own_class0(method)
        _refuse_search_in_part(method)
    refuse_detector(method, "method")
    if prefit:
        refuse_untrained(method, "method")
        method = as_scorer(kept_copy(method, "method"))
    return Method(_object_name(method), method, prefit, False, True, True)


def _refuse_own_class0(method):
    # inside the umbrella class 0 has the label 0, whatever the user calls it: another label would be the wrong class
    params = method.get_params(deep=True) if hasattr(method, "get_params") else {}
    for key, value in params.items():
        scored = getattr(value, "class0", None) if key.rpartition("__")[2] == "scoring" else None
        named = value if key.rpartition("__")[2] == "class0" else scored
        if named is None or (not isinstance(named, bool | str) and named == 0):
            continue
        raise InvalidInputError(
            f"{_object_name(method)} has {key}={value!r} of its own. Give class0 here only, and leave it out of "
            "the estimator and of its scoring, because a scorer sees the labels 0 (class 0) and 1."
        )
    for key, value in params.items():
        for scoring in _scorings(value) if _last(key) == "scoring" else []:
            label = _arguments_of(scoring).get("pos_label", 1)
            if label not in (0, 1):
                raise InvalidInputError(
                    f"{_object_name(method)} has {key} with pos_label={label!r}, but it sees the labels 0 (class 0) "
                    "and 1. Give pos_label=0 for class 0 and pos_label=1 for the other class."
                )


def _refuse_search_in_part(method):
    """Refuse a search that trains no final model, and any method with ``cv`` whose folds are numbers of rows."""
    params = method.get_params(deep=True) if hasattr(method, "get_params") else {}
    for key, value in params.items():
        stem, _, last = key.rpartition("__")
        beside = {f"{stem}__{name}" if stem else name for name in ("cv", "error_score")}
        if last == "refit" and value is False and beside <= params.keys():
            raise InvalidInputError(
                f"{_object_name(method)} has {key}=False and trains no classifier in the end.",
                way_out=f"Use {key}=True.",
            )
        # PredefinedSplit has a fold for each row, and else the folds themselves may be given
        if last == "cv" and (hasattr(value, "test_fold") or (np.iterable(value) and not isinstance(value, str))):
            raise InvalidInputError(
                f"{_object_name(method)} has {key}={type(value).__name__}, which names rows by their numbers. It is "
                "trained on a part of the rows, where these numbers are other rows.",
                way_out="Give a number of folds, or a splitter such as StratifiedKFold(5).",
            )


def merged_params(method_params, params):
    """Return the arguments of a method from a dict and from keywords; none may be given twice."""
    if method_params is not None and not isinstance(method_params, dict):
        raise InvalidInputError(f"method_params must be a dict such as {{'C': 10}}, got {shown(method_params)}.")
    both = sorted(set(method_params or {}) & set(params))
    if both:
        raise InvalidInputError(f"argument(s) {both} are given twice: in method_params and as keywords.")
    return {**(method_params or {}), **params}


def read_inputs(rows, *, method, class0=None):
    """Return `Inputs` from the `GivenRows` of a call; see `npc` for the arguments."""
    encode = partial(_encode, method=method, class0=class0)
    beside = {"sample_weight": rows.sample_weight, "groups": rows.groups, "clusters": rows.clusters}
    read = read_table(rows.X, rows.y, rows.data, method=method, encode=encode, places=rows.places, **beside)
    labels, design = read.labels, read.design.after_omitting(rows.n_omitted)
    _warn_of_label_1(method, labels.values)
    warn_of_other_class0(method, labels.values)
    _warn_of_rows_of_model(method, read.table, labels)
    scorer = name_outliers(method.scorer, labels.values, method.prefit)
    method = replace(method, scorer=with_coding(scorer, design))
    return Inputs(method, design, read.X, read.table, labels, _check_weights(rows, labels.y.size))


def _encode(y, *, method, class0):
    return check_labels(y, class0_of_method(method, class0, lambda: distinct_labels(y)[0].tolist(), "y"))


def class0_of_method(method, class0, find_labels, name):
    """Return the label of class 0 that is given, or else that which a trained model has of its own, or None.

    It must be one of the labels of `name`, which `find_labels` returns.
    """
    own = None if _is_by_classes(method) else _own_class0(method)
    if class0 is not None or own is None:
        return class0
    found = find_labels()
    if len(found) == 2 and own not in found:
        # an estimator with classes must know the labels in any case
        or_class0 = "" if hasattr(method.scorer, "classes_") else ", or give class0"
        raise InvalidInputError(
            f"{name} has the labels {listed(found)}, but {method.name} has class0={shown_label(own)} of its own.",
            way_out=f"Give the labels by which the model was trained{or_class0}.",
            argument=name,
        )
    return own


def warn_of_other_class0(method, values):
    """Warn if a trained model has another class 0 of its own than the call, whose labels are `values`."""
    own, (first, second) = _own_class0(method), values.tolist()
    if own is None or own != second:
        return
    told, itself = shown_label(own), "the model itself as method, with " * _is_by_classes(method)
    warn_at_call(
        f"{_object_name(owner_of(method.scorer))} has class0={told} of its own. It controls the errors of {told} "
        f"rows, but this call bounds those of {first!r} rows. Give {itself}class0={told}, to bound the errors that "
        "the model controls.",
        NPWarning,
    )


def _is_by_classes(method):
    """Whether the method is a function of an estimator, whose values are larger for the second of its classes."""
    # this may be its class 0
    owner = owner_of(method.scorer)
    return owner is not method.scorer and hasattr(owner, "classes_")


def _own_class0(method):
    return stated_class0(model_with_class0(owner_of(method.scorer))) if method.prefit else None


def _warn_of_rows_of_model(method, table, labels):
    """Warn if a trained classifier of this package is to have a threshold or band by the rows of its own fit."""
    fit, table = fit_inside(owner_of(method.scorer), table) if method.prefit else (None, None)
    if hasattr(fit, "_warn_of_own_rows") and is_label(getattr(fit, "class0", None)):
        fit._warn_of_own_rows(table, np.flatnonzero(labels.values[labels.y] == fit.class0))


# what to give where class 0 is the label 1, for parameters that name labels or are about the label 1
BY_LABEL = dict.fromkeys(["class_weight", "class_weights", "sampling_strategy"], "Give the numbers for 0 and 1.")
CONSTRAINTS = ("monotonic_cst", "monotone_constraints")
BY_LABEL |= dict.fromkeys(CONSTRAINTS, "Change the sign of each constraint.")
BY_LABEL |= {
    "scale_pos_weight": "Give 1 / scale_pos_weight.",
    "scoring": "For the score of label 1 give a scorer with pos_label=0.",
}
SCORES_OF_LABEL_1 = ("recall", "precision", "f1", "fbeta", "jaccard", "average_precision")
# they have no pos_label; the positive ratio of one label is 1 over the negative ratio of the other
RATIOS_OF_LABEL_1 = ("positive_likelihood_ratio", "negative_likelihood_ratio")
EXCHANGE_RATIOS = (
    "For the likelihood ratio of label 1 exchange 'positive_likelihood_ratio' and 'neg_negative_likelihood_ratio': the "
    "one of label 1 ranks candidates as the other of label 0 does."
)


def _warn_of_label_1(method, values):
    """Warn of parameters that mean the label that scikit-learn would code by 1, where scorers see 0 in its place."""
    class0, class1 = values.tolist()
    if method.prefit or not hasattr(method.scorer, "get_params"):
        return

    def turned_round(name, value):
        if _last(name) == "scoring":
            return class0 == 1
        # numbers by label are for 0 and 1, as scorers see them, unless these are the labels; others go by the order,
        # and so do constraints, which are numbers by column
        by_label = isinstance(value, Mapping) and _last(name) not in CONSTRAINTS
        return (class0, class1) == (1, 0) if by_label else class0 > class1

    named = {
        name: _way_out(name, value)
        for name, value in _settings(method.scorer.get_params())
        if _by_label(name, value) and turned_round(name, value)
    }
    if named:
        ways_out = dict.fromkeys(named.values())
        by_order = class0 > class1 and class0 != 1
        as_here = f" In sorted order {class0!r} is the second label." if by_order else ""
        warn_at_call(
            f"{method.name} has {', '.join(named)}, but scorers see the labels 0 (for class 0, here label {class0!r}) "
            f"and 1 (here label {class1!r}).{as_here} {' '.join(ways_out)}",
            NPWarning,
        )


def _way_out(name, value):
    if _last(name) == "scoring" and any(_name_of_scoring(one) in RATIOS_OF_LABEL_1 for one in _scorings(value)):
        return EXCHANGE_RATIOS
    return BY_LABEL[_last(name)]


def _settings(params):
    """Yield names and values of parameters, also those that a search tries."""
    for name, value in params.items():
        yield name, value
        if _last(name) not in ("param_grid", "param_distributions"):
            continue
        for grid in value if isinstance(value, list | tuple) else [value]:
            for inner, tried in grid.items() if isinstance(grid, Mapping) else []:
                for one in tried if isinstance(tried, list | tuple) else [tried]:
                    # a search may try estimators too
                    own = one.get_params() if hasattr(one, "get_params") else {}
                    yield from _settings({inner: one} | own)


def _by_label(name, value):
    name = _last(name)
    if name == "scoring":
        return any(map(_scores_label_1, _scorings(value)))
    if name in ("class_weight", "sampling_strategy"):
        return isinstance(value, Mapping)
    if name == "scale_pos_weight":
        return value not in (None, 1)
    return name in BY_LABEL and value is not None


def _scores_label_1(scoring):
    name = _name_of_scoring(scoring)
    about_1 = isinstance(scoring, str) or _arguments_of(scoring).get("pos_label", 1) == 1
    return name in RATIOS_OF_LABEL_1 or (name in SCORES_OF_LABEL_1 and about_1)


def _name_of_scoring(scoring):
    """Return what a score is called, by its name or by the function of a scorer; "" of any other function."""
    if isinstance(scoring, str):
        return scoring.removeprefix("neg_")
    return getattr(getattr(scoring, "_score_func", None), "__name__", "").removesuffix("_score")


def _scorings(scoring):
    """Return the scores that a search computes, as a list."""
    if isinstance(scoring, Mapping):
        return list(scoring.values())
    return list(scoring) if isinstance(scoring, list | tuple | set) else [scoring]


def _arguments_of(scoring):
    """Return the arguments of a scorer by scikit-learn's make_scorer, which has no public name for them."""
    return getattr(scoring, "_kwargs", {})


def _last(name):
    return name.rpartition("__")[2]


def _check_weights(rows, n):
    if rows.sample_weight is None:
        return None
    weights = as_floats(rows.sample_weight, "sample_weight", "hold numbers, one a row")
    if weights.shape != (n,):
        raise InvalidInputError(f"sample_weight must have one weight a row ({n}), got shape {weights.shape}.")
    leave_out = "leave out these rows (in a fit by na_action='omit')"
    for bad, what, way_out in (
        (np.isnan(weights), "missing value(s) (None or NaN)", f"{leave_out}, or give them a weight."),
        (np.isinf(weights), "infinite value(s)", "weights must be finite."),
        (weights < 0, "negative value(s)", "weights must not be negative; a row with weight 0 does not train."),
    ):
        if bad.any():
            raise FirstRowError.at(
                int(np.argmax(bad)),
                f"sample_weight has {np.sum(bad)} {what}",
                f"; {way_out}",
                table=rows_in(rows.sample_weight, "sample_weight"),
                argument="sample_weight",
            )
    if not weights.any():
        raise InvalidInputError(
            "sample_weight is 0 in every row, so that no row would train; give some rows a weight above 0.",
            argument="sample_weight",
        )
    refuse_tiny(weights.max(), "the largest sample_weight")
    return weights


def _object_name(method):
    # a step that passes all on would be named as a text
    steps = [step for _, step in getattr(method, "steps", None) or () if not isinstance(step, str | None)]
    if steps:
        *front, last = map(_object_name, steps)
        # without brackets the steps behind it would seem to be inside
        return "+".join([*(f"({name})" if " of " in name else name for name in front), last])
    name = getattr(method, "__name__", type(method).__name__)
    # a forest has an estimator too, which is no parameter of it
    settings = method.get_params(deep=False) if hasattr(method, "get_params") and not isinstance(method, type) else {}
    inner = settings.get("estimator")
    # two searches, or two calibrations, differ by what is inside
    return f"{name} of {_object_name(inner)}" if hasattr(inner, "fit") else name
