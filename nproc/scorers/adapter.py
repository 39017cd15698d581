"""Scores from any model: one float a row, larger = more like class 1."""

import numbers
import re
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.base import is_regressor

from nproc.checks import as_array, check_scores, shown
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows import check_returned_rows, copied_rows, is_frame, n_rows
from nproc.scorers.trained_parts import refuse_trained_parts
from nproc.thresholds import middle_range

# of a naive Bayes model, where a class is impossible
LARGEST_LOG_ODDS = 1e300
# the logarithm of a probability of 0 is taken to be that of the least number above it
LEAST_PROBABILITY = float(np.finfo(float).smallest_subnormal)
# values, 0.5 MB, that are copied in less time than it takes to look at the model
SMALL_TABLE = 1 << 16
# their predict_proba takes one column as 1 minus the other, or counts shares, so that the second column says all; but
# for naive Bayes and ensembles, which are looked into
_ONE_COLUMN_SAYS_ALL = {"sklearn", "lightgbm", "xgboost", "imblearn"}
_AVERAGE_PROBABILITIES = {"BaggingClassifier", "VotingClassifier"}


def score_rows(scorer, X, values=None):
    """Score the rows of `X` by any trained model: return one float a row, larger = more like class 1.

    The score is what the scorer offers first in this order: the value of a plain function of X, its
    ``decision_function``, the log odds of those models that `scoring_method` lists, the class 1 column of its
    ``predict_proba``. The direction is never chosen from data: doing so on the rows that set the threshold would break
    the type I error guarantee.

    Parameters
    ----------
    scorer : object
        A fitted model, or a function that takes X and returns n numbers.
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        The rows to score. They are passed on as they are, or as a copy to a scorer that may change them.
    values : array-like, shape (2,), optional
        For a model that the user trained on his own labels: his label of class 0, then that of class 1.
        None for a model trained on y in {0, 1}.

    Returns
    -------
    scores : ndarray of float64, shape (n,)

    Raises
    ------
    InvalidInputError
        If the scorer has no scores, its classes are not those expected, or its scores are not n finite
        numbers.

    See Also
    --------
    fit_scorer : Train a scorer.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers import score_rows
    >>> score_rows(lambda X: X[:, 0] - X[:, 1], np.array([[3.0, 1.0], [0.0, 5.0]]))
    array([ 2., -5.])
    """
    if _is_plain_function(scorer):
        kind, method, reverse, score, called = None, None, False, scorer, f"{name_of(scorer)}(X)"
    else:
        kind = scoring_method(scorer)
        method = "predict_proba" if kind == "log_odds" else kind
        reverse = class0_comes_second(scorer, values)
        score, called = getattr(scorer, method), f"{name_of(scorer)}.{method}(X)"
    raw = score(rows_for(scorer, X))
    check_returned_rows(X, raw, called)
    raw = as_array(raw, called)
    two_columns = raw.ndim == 2 and raw.shape[1] == 2
    if kind == "predict_log_proba" and two_columns:
        # finite also where one class is impossible
        raw = np.clip(raw[:, 1] - raw[:, 0], -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
    elif kind == "log_odds" and two_columns:
        raw = _log_odds(*(_one_a_row(raw[:, j], X, called) for j in (0, 1)), called)
    elif method == "predict_proba":
        if two_columns:
            raw = raw[:, 0 if reverse else 1]
        elif reverse:
            raw = 1.0 - raw
        return _one_a_row(raw, X, called)
    way_out = ""
    if kind is None and raw.ndim == 2:
        way_out = f"Return the column of class 1 alone, {_column_of_class1(scorer, values)}."
    scores = _one_a_row(raw, X, called, way_out)
    return -scores if reverse else scores


def rows_for(model, X):
    """Return the rows to pass to a fitted model or function: `X` itself, or a copy where the model may change them.

    A transformer with ``copy=False``, or a function that fills a column in, writes into the rows that it is given. The
    next scorer, the next method called and the user himself would then find other rows.

    Parameters
    ----------
    model : object
        A fitted model or a function. Taken to leave rows as they are: classes of scikit-learn and of this package whose
        parameters are numbers and names, none of them ``copy=False``, and pipelines and searches of these.
    X : array-like, DataFrame or sparse matrix, n rows
        The rows.

    Returns
    -------
    rows : same type as `X`

    Notes
    -----
    A copy of 1e6 rows of ten numbers, made in blocks, took 0.01 s. Small tables are always copied.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from nproc.scorers import rows_for
    >>> X = np.ones((100_000, 1))
    >>> rows_for(MinMaxScaler(), X) is X, rows_for(MinMaxScaler(copy=False), X) is X
    (True, False)
    """
    size = getattr(X, "size", None)
    small = isinstance(size, int | np.integer) and size < SMALL_TABLE
    return X if not small and leaves_rows(model) else copied_rows(X)


def leaves_rows(model):
    """Return whether a fitted model is taken to leave rows as they are; `rows_for` says which are."""
    kind = type(model)
    if kind.__module__.partition(".")[0] not in ("sklearn", "nproc"):
        # the step "passthrough" of a pipeline
        return model is None or isinstance(model, str)
    if kind.__name__ == "Pipeline":
        return all(leaves_rows(step) for _, step in model.steps)
    if hasattr(model, "best_estimator_"):
        return leaves_rows(model.best_estimator_)
    if kind.__name__ == "FrozenEstimator":
        return leaves_rows(model.estimator)
    if not hasattr(model, "get_params"):
        return False
    return all(
        _is_plain(value) and not (name.startswith("copy") and value is not None and not value)
        for name, value in model.get_params(deep=False).items()
    )


def _is_plain(value):
    """Whether a parameter is a number or a name, or several, and so neither a function nor a part that sees rows."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | numbers.Number | np.generic)


def _log_odds(p0, p1, called):
    """Return log p1 - log p0, finite also where a probability is 0."""
    least = min(p0.min(initial=0.0), p1.min(initial=0.0))
    # of 1 - p rounding leaves less than this below 0
    if least < -1e-6:
        raise InvalidInputError(
            f"{called} must give probabilities, which are not negative, got {least:.4g}. Give scores of another kind "
            "by decision_function."
        )
    return np.log(np.maximum(p1, LEAST_PROBABILITY)) - np.log(np.maximum(p0, LEAST_PROBABILITY))


def on_scale_of_rounding(scorer, scores):
    """Return scores on a scale where rounding of what the scorer returned is small: log odds as probabilities.

    Where p is nearly 1, a last digit of p moves the log odds of p and 1 - p by log 2 or more.
    """
    by_log_odds = not _is_plain_function(scorer) and scoring_method(scorer) == "log_odds"
    return expit(scores) if by_log_odds else scores


def refuse_batch_scores(score_again, scores, name):
    """Refuse a score of a row that depends on the rows beside it, as after scaling or ranking the rows at hand.

    Parameters
    ----------
    score_again : callable
        Takes positions, an array of int, and scores these rows by themselves.
    scores : ndarray, shape (n,) or (n, K)
        Scores of n rows that were scored together.
    name : str
        Name of the scorer or function, for the message.

    Raises
    ------
    InvalidInputError
        If one of some eight rows has another score without the others, by more than rounding and a thousandth of the
        scale. The scale is the range of the middle nine tenths of all scores plus the distance of this one from their
        median. Scores that are drawn at random, so that two calls on the same rows differ too, are let pass.

    Notes
    -----
    The threshold is an order statistic of scores of independent rows. A score that is made of all rows of a call is
    another score at the next call, of which nothing is known.
    """
    n = len(scores)
    few = np.linspace(n - 1, 0, min(8, n // 2)).astype(np.intp)
    if few.size == 0:
        return
    alone, together = score_again(few), scores[few]
    if np.array_equal(alone, together):
        return
    # by the row's own score and those of most others, so that one score far out hides nothing
    with np.errstate(over="ignore"):
        size = np.median(np.abs(scores), axis=0) + np.abs(together)
        away = middle_range(scores) + np.abs(together - np.median(scores, axis=0))
        # scores of single precision are right to about 1e-7 of their size
        single = np.array_equal(scores, scores.astype(np.float32))
    allowed = 1e-3 * away + (1e-6 * size if single else 64 * np.spacing(size))
    differs = np.abs(alone - together) > allowed
    if not differs.any() or np.any(np.abs(score_again(few) - alone) > allowed):
        return
    at = int(np.flatnonzero(differs.ravel())[0])
    raise InvalidInputError(
        f"the score of a row depends on the other rows: {name} gives a row the score {together.ravel()[at]:.4g} "
        f"among {n} rows and {alone.ravel()[at]:.4g} among {few.size} of them. No threshold has a guarantee for "
        "such scores. Fit scalers and ranks on training rows, such as in a pipeline, and let the scorer only "
        "apply them."
    )


def scoring_method(scorer):
    """Tell which method of a fitted scorer gives its scores.

    Parameters
    ----------
    scorer : object
        A fitted model.

    Returns
    -------
    name : {'decision_function', 'predict_log_proba', 'log_odds', 'predict_proba'}
        'predict_log_proba' and 'log_odds' both stand for log p1 - log p0. They take the logarithms from
        ``predict_log_proba``, or from the two columns of ``predict_proba``. See the notes for when.

    Raises
    ------
    InvalidInputError
        If it has neither.

    See Also
    --------
    check_trainable : The check before training.

    Notes
    -----
    Where p1 is so near 1 that it is rounded to 1, rows tie. They differ in p0, if that was computed by itself and not
    as 1 - p1. Of probabilities that add up to 1 the log odds increase with p1. They then change no order of rows but
    for rounding. Of two columns that do not add up to 1 they may order the rows in another way than p1. They are taken
    from

    - ``predict_log_proba`` of scikit-learn's naive Bayes models, of a class outside scikit-learn that defines it, and
      of bagging of these models;
    - ``predict_proba`` of a class outside scikit-learn, imbalanced-learn, LightGBM and XGBoost that defines it, of
      bagging of such a class, and of soft voting with a member of these kinds. Rows still tie where p0 is rounded to 0.

    Such a model may also be the last step of a pipeline, in a search, or in a classifier of scikit-learn that passes
    its probabilities on, as `FixedThresholdClassifier` does. All other models without ``decision_function`` are scored
    by p1. This goes by the classes of the models and never by the rows.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> from nproc.scorers.adapter import scoring_method
    >>> scoring_method(get_scorer("randomforest"))
    'predict_proba'
    """
    if hasattr(scorer, "decision_function"):
        return "decision_function"
    if _computes_logarithms(scorer):
        return "predict_log_proba"
    if hasattr(scorer, "predict_proba"):
        return "log_odds" if _computes_both_columns(scorer) else "predict_proba"
    raise _no_scores(scorer, "only predict" if hasattr(scorer, "predict") else "neither")


def _computes_logarithms(model):
    """Whether `predict_log_proba` is more than the logarithm of `predict_proba`."""
    model = last_model(model)
    if not hasattr(model, "predict_log_proba"):
        return False
    # a method of all of scikit-learn's naive Bayes models and no others
    if hasattr(type(model), "predict_joint_log_proba") or _is_of_its_own(model, "predict_log_proba"):
        return True
    inner = _inner_models(model)
    return bool(inner) and all(map(_computes_logarithms, inner))


def _computes_both_columns(model):
    """Whether `predict_proba` may tell rows apart by p0 where p1 is rounded to 1."""
    model = last_model(model)
    own = _is_of_its_own(model, "predict_proba") or _computes_logarithms(model)
    return own or any(map(_computes_both_columns, _inner_models(model)))


def _is_of_its_own(model, method):
    """Whether a method is defined outside the packages where one column says all."""
    homes = [kind.__module__.split(".")[0] for kind in type(model).__mro__ if method in vars(kind)]
    return bool(homes) and homes[0] not in _ONE_COLUMN_SAYS_ALL


def _inner_models(model):
    """Return the fitted models whose probabilities a model averages or passes on."""
    if any(kind.__name__ in _AVERAGE_PROBABILITIES for kind in type(model).__mro__):
        return model.estimators_
    return [model.estimator_] if hasattr(model, "estimator_") else []


def last_model(scorer):
    """Look inside pipelines and searches: return the model that makes the scores."""
    while True:
        if getattr(scorer, "steps", None):
            scorer = scorer.steps[-1][1]
        elif hasattr(scorer, "best_estimator_"):
            scorer = scorer.best_estimator_
        elif type(scorer).__name__ == "FrozenEstimator":
            scorer = scorer.estimator
        else:
            return scorer


def check_trainable(scorer, name="method"):
    """Check an object before it is trained on a part of the rows: return it, or raise if it cannot be trained or score.

    Parameters
    ----------
    scorer : object
        An unfitted estimator.
    name : str
        Name of the argument, for messages.

    Returns
    -------
    scorer : object
        The same object.

    Raises
    ------
    InvalidInputError
        For a class instead of an instance, an object without ``fit``, a regressor, or an object with a part that
        would stay trained.

    See Also
    --------
    score_rows : Refuses a fitted model without scores.

    Notes
    -----
    A scoring method may appear only after ``fit`` (pipelines, grid searches, ensembles), so its absence
    here is no error; `score_rows` looks again.

    Examples
    --------
    >>> from nproc.scorers import check_trainable, get_scorer
    >>> check_trainable(get_scorer("lda"))
    LinearDiscriminantAnalysis()
    """
    if isinstance(scorer, type):
        raise InvalidInputError(f"{name} is the class {scorer.__name__}; pass an instance, {scorer.__name__}().")
    if not hasattr(scorer, "fit"):
        if callable(scorer) or hasattr(scorer, "decision_function") or hasattr(scorer, "predict_proba"):
            what = "a function" if _is_plain_function(scorer) else "a model"
            raise InvalidInputError(
                f"{name}={name_of(scorer)} is {what} without fit, so it cannot be trained. Pass prefit=True "
                "to use it as it is: all class 0 rows then set the threshold."
            )
        raise InvalidInputError(
            f"{name} must have fit and decision_function or predict_proba, got {shown(scorer)}.",
            way_out="The order is X, y, method." if name == "method" and hasattr(scorer, "shape") else "",
        )
    if _is_regressor(scorer):
        raise _no_scores(scorer, "only predict")
    refuse_trained_parts(scorer, name)
    return scorer


def _one_a_row(raw, X, name, way_out=""):
    if raw.ndim == 2 and raw.shape[1] != 1:
        way_out = way_out or "A model of more than two classes gives several scores a row; train it on two."
        raise InvalidInputError(f"{name} must give one score a row, got shape {raw.shape}. {way_out}")
    n, scores = n_rows(X), check_scores(raw, name)
    if scores.shape[0] != n:
        raise InvalidInputError(f"{name} must give one score a row: X has {n} rows, got {scores.shape[0]} scores.")
    return scores


def class0_comes_second(scorer, values):
    """Return whether a fitted model scores in the direction of class 0; raise if its classes are not `values`."""
    classes = getattr(scorer, "classes_", None)
    if classes is None:
        return False
    classes = np.asarray(classes).tolist()
    wanted = [0, 1] if values is None else np.asarray(values).tolist()
    if classes == wanted:
        return False
    # without `values`, which of 0 and 1 is the user's class 0 would be a guess, and a wrong one would flip the sign
    if values is not None and classes == wanted[::-1]:
        return True
    raise InvalidInputError(
        f"{name_of(scorer)} was trained on the classes {classes}, but {wanted} are expected. "
        "Train it on the same two labels, or pass a function of X whose scores are larger for class 1, such as "
        f"lambda X: {_column_if(classes, wanted[1])}. The function must keep giving the same scores."
    )


def _column_of_class1(function, values):
    """Return code that takes the column of class 1 of the probabilities that a function gives, for a message."""
    wanted = [0, 1] if values is None else np.asarray(values).tolist()
    # of a function that is no method of a model it is not known what classes are behind it
    classes = np.asarray(getattr(getattr(function, "__self__", None), "classes_", wanted)).tolist()
    if wanted[1] not in classes:
        return _column_if(classes, wanted[1])
    # those of a model are sorted, whichever of them the user has as class 0
    place = "1" if wanted == [0, 1] else f"list(model.classes_).index({wanted[1]!r})"
    return f"for example model.predict_proba(X)[:, {place}]"


def _column_if(classes, class1):
    """Return code for the column of class 1 where a model has other labels, and what this takes for granted."""
    if len(classes) != 2:
        return f"model.predict_proba(X)[:, j] with the place j of class 1 among {classes}"
    first, second = classes
    return f"model.predict_proba(X)[:, 1] if its label {second!r} stands for {class1!r}, and [:, 0] if {first!r} does"


@dataclass(frozen=True)
class PredictedScores:
    """A fitted model whose predictions are scores, such as probabilities, as a function of rows.

    Attributes
    ----------
    model : object
        The fitted model.
    way : str
        Name of the method that predicts.
    """

    model: object
    way: str

    @property
    def __name__(self):
        return type(self.model).__name__

    def __call__(self, X):
        """Return the predictions."""
        _refuse_other_columns(self.model, X)
        return getattr(self.model, self.way)(X)


def _refuse_other_columns(result, X):
    """Raise if rows do not have the columns that a result of statsmodels was fitted on, as far as it knows them."""
    model = getattr(result, "model", None)
    names, formula = getattr(model, "exog_names", None), getattr(model, "formula", None)
    found = [str(name) for name in X.columns] if is_frame(X) else None
    # without its data a result knows no columns of a formula
    data = getattr(getattr(model, "data", None), "frame", None)
    if isinstance(formula, str) and is_frame(data):
        # without texts but those of Q('name'), functions and keywords
        right = re.sub(r"(?<!Q\()(['\"]).*?\1", "", formula.partition("~")[2])
        not_after = r"(?!\w|\s*[(.]|\s*=(?!=))"
        used = [name for name in map(str, data.columns) if re.search(rf"(?<![\w.]){re.escape(name)}{not_after}", right)]
        if found is None or not set(used) <= set(found):
            has = "is no DataFrame" if found is None else f"has {shown(found)}"
            raise InvalidInputError(
                f"the model was fitted by the formula {formula!r} on the columns {shown(used)}, but X {has}. Give a "
                "DataFrame with these columns."
            )
    elif names is not None and formula is None and np.ndim(X) == 2 and np.shape(X)[1] != len(names):
        has = f"{np.shape(X)[1]} column(s)" if found is None else shown(found)
        constant = " Put a column of ones first, as add_constant of statsmodels does." if "const" in names else ""
        raise InvalidInputError(f"the model was fitted on the columns {shown(list(names))}, but X has {has}.{constant}")


# packages whose fitted models predict numbers and no labels
_PREDICT_SCORES = {"statsmodels": "predict", "lightgbm": "predict", "xgboost": "inplace_predict"}


def as_scorer(model):
    """Return a fitted model, or where its predictions are scores the function that gives them.

    Results of statsmodels and boosters of LightGBM and XGBoost predict probabilities of the 1 that they were trained
    on, and have neither ``predict_proba`` nor ``decision_function``.
    """
    way = _PREDICT_SCORES.get(type(model).__module__.split(".")[0])
    scored = hasattr(model, "decision_function") or hasattr(model, "predict_proba")
    inner = getattr(model, "model", None)
    if way == "predict" and any(getattr(inner, name, None) is not None for name in ("offset", "exposure")):
        warn_at_call(
            "the model was fitted with an offset or exposure, which its predictions for X leave out. The bound on the "
            "type I error holds all the same, but the type II error may be larger. To use it, give a function with "
            "prefit=True, such as lambda X: result.predict(X, offset=np.log(X['time'])).",
            NPWarning,
        )
    return PredictedScores(model, way) if way is not None and not scored and hasattr(model, way) else model


def _is_plain_function(scorer):
    has_scores = hasattr(scorer, "decision_function") or hasattr(scorer, "predict_proba")
    return callable(scorer) and not hasattr(scorer, "fit") and not has_scores


def _is_regressor(scorer):
    return hasattr(scorer, "__sklearn_tags__") and is_regressor(scorer)


def _no_scores(scorer, offered):
    advice = (
        "Predicted labels alone cannot be thresholded. Wrap the classifier (for example in scikit-learn's "
        "CalibratedClassifierCV). If its predictions are scores and not labels, give method=model.predict with "
        "prefit=True."
    )
    if _is_regressor(scorer):
        advice = (
            "Use a classifier instead, or train the regressor on 0/1 labels yourself and pass "
            "lambda X: model.predict(X) with prefit=True."
        )
    elif getattr(scorer, "voting", None) == "hard":
        advice = "Use voting='soft', so that it averages probabilities."
    return InvalidInputError(
        f"a scorer needs decision_function or predict_proba; {name_of(scorer)} has {offered}. {advice}"
    )


def name_of(scorer):
    if _is_plain_function(scorer):
        return getattr(scorer, "__name__", type(scorer).__name__)
    return type(scorer).__name__
