"""A fresh copy of a scorer for each split, with its own seed, its training, and what became of it, in words."""

import copy
import inspect
import numbers
import re
import reprlib
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from nproc.checks import (
    MOST_NAMED,
    SEVERAL_VALUES,
    check_weights,
    counts_named,
    gaps_error,
    refuse_text_columns,
    rows_in,
)
from nproc.errors import FirstRowError, InvalidInputError, NPError, giving_ways_out, is_of_library, with_kind
from nproc.rows import (
    NO_TEXT,
    bare_texts_error,
    check_same_rows,
    code_of_categories,
    code_of_filled,
    holds_dates,
    is_frame,
    values_without_text,
)
from nproc.scorers.adapter import last_model, name_of
from nproc.scorers.base import ranks_only
from nproc.scorers.coding import TextsOfColumn
from nproc.tables import table_frame

# characters of a description of a scorer: two to three lines of a summary
LONGEST = 200
QUOTED = re.compile(r"""(?<!\w)(['"])(?:\\.|(?!\1)[^\\])*\1""")
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 40
# what libraries say of a value that is missing or infinite
_NOT_FINITE = re.compile(r"\bNaN\b|NAType|missing value|infinit|\binf\b")
# what comes of a table where a vectorizer needs one text a row: it takes the names of the columns for the texts
_NO_VECTOR_OF_TEXTS = re.compile(
    r"inconsistent numbers of samples|incompatible row dimensions|dimensions .*must match|"
    r"'(numpy\.)?ndarray' object has no attribute|expected string or bytes-like object"
)
# what scikit-learn says of texts where it needs a table or numbers
_NO_TEXTS = re.compile(r"Expected 2D array|2-dimensional|could not convert string")
# what numpy, pandas and other libraries say of dates and times where they need numbers
_NO_DATES = re.compile(
    r"(DateTime|TimeDelta)64DType|(datetime|timedelta)64|period\[|Cannot convert obj|"
    r"Cannot cast (Datetime|Timedelta|Period)Array|"
    r"must be a string or a real number, not '([\w.]*\.)?(Timestamp|Timedelta|Period|date|datetime|time|timedelta)'"
)
# what numpy says of lists where it needs numbers
_NO_SEQUENCE = re.compile(r"setting an array element with a sequence|must be a (string or a )?real number, not 'list'")
# squares of larger numbers, or the sums of some of them, are too large for a float
_LARGEST_SQUARED = 1e150
_SMALLER = "Divide these columns by a power of ten, take their logarithm, or leave them out."
# what scikit-learn says of a column that a step asks for by its name
_NO_COLUMN = re.compile(r"not (a column|columns) of the dataframe")
_FOLDS_BY_GROUPS = (
    "The groups of folds inside a method are the clusters of npc: give clusters=, the cluster of each row"
)
_NO_WAY_FOR_GROUPS = (
    "The clusters do not reach all folds inside this method. They reach those of a search, or of a selection such as "
    "RFECV, that is the whole method or a step of a pipeline. If that is not possible, give a cv without groups, such "
    "as cv=5"
)
# how a linear rule separates the classes, by the kind of separation
SEPARATED = {
    "complete": "The classes of the training rows are completely separated by a linear rule",
    "quasi-complete": "There is quasi-complete separation: a linear rule is right for certain about some training rows "
    "and ties on the others, as with a rare category that occurs in one class only",
}
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _unfitted(scorer):
    try:
        return clone(scorer)
    except RuntimeError:
        # CatBoost copies some of its parameters, which clone takes for a change
        made = type(scorer)(**copy.deepcopy(scorer.get_params(deep=False)))
        if repr(made.get_params(deep=False)) != repr(scorer.get_params(deep=False)):
            raise
        return made


def fresh_copy(scorer, seed):
    """Copy a scorer for one split: unfitted, with its random parts set by `seed`.

    Every ``random_state``, also of nested estimators, that is None or a generator is replaced by an int
    derived from `seed`; a whole number set by the user stays. A generator would be shared between copies
    and make the result depend on the order in which splits are run.

    Parameters
    ----------
    scorer : object
        An estimator; it is never changed.
    seed : int
        Seed of this copy.

    Returns
    -------
    scorer : object
        ``sklearn.base.clone`` of an object with ``get_params``, else a deep copy.

    See Also
    --------
    fit_scorer : Train the copy.

    Examples
    --------
    >>> from nproc.scorers import fresh_copy, get_scorer
    >>> one, two = (fresh_copy(get_scorer("gradientboosting"), 1) for _ in range(2))
    >>> one.random_state == two.random_state
    True
    """
    if not hasattr(scorer, "get_params"):
        return copy.deepcopy(scorer)
    fresh = _unfitted(scorer)
    params = fresh.get_params(deep=True)
    names = sorted(
        name
        for name, value in params.items()
        if name.rpartition("__")[2] == "random_state" and not isinstance(value, numbers.Integral)
    )
    for splitter in splitters_with_seeds(fresh).values():
        if splitter.random_state is None:
            splitter.random_state = int(np.random.SeedSequence([seed, 1]).generate_state(1)[0] >> 1)
    if names:
        # 31 bits: a random_state of older estimators may not be larger
        states = np.random.SeedSequence(seed).generate_state(len(names)) >> 1
        fresh.set_params(**{name: int(state) for name, state in zip(names, states, strict=True)})
    return fresh


def splitters_with_seeds(scorer):
    """Return the splitters of searches that divide at random, by the name of the parameter.

    ``clone`` copies them, and their random_state is no parameter.
    """
    return {
        name: value
        for name, value in scorer.get_params(deep=True).items()
        if hasattr(value, "random_state") and not hasattr(value, "get_params") and getattr(value, "shuffle", True)
    }


def fit_scorer(scorer, X, y, sample_weight=None, groups=None, *, resampled=False):
    """Train a scorer on 0/1 labels, with or without weights; return it.

    Parameters
    ----------
    scorer : object
        An unfitted estimator; it is trained in place (see `fresh_copy`).
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        Training rows.
    y : ndarray, shape (n,)
        0 for class 0 and 1 for class 1.
    sample_weight : ndarray, shape (n,), optional
        Weights of the training rows. They go where the scorer asks for them by ``set_fit_request``, as with
        scikit-learn's metadata routing; if no part of it asks, they go to the last step of a pipeline.
    groups : ndarray, shape (n,), optional
        The cluster of each training row, for parts that ask for groups, as a search with ``cv=GroupKFold()`` does.
    resampled : bool
        Whether a resampler made the training rows, so that they have no groups.

    Returns
    -------
    scorer : object
        What ``fit`` returns, or `scorer` itself if that is None.

    Raises
    ------
    InvalidInputError
        If weights are given and the scorer takes or wants none, or they are 0 for all rows of a class, or the columns
        are linearly dependent and the scorer cannot handle it, or a part asks for groups and weights are given that no
        part asks for.

    See Also
    --------
    score_rows : Scores of the trained model.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers import fit_scorer, get_scorer, score_rows
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> score_rows(fit_scorer(get_scorer("logistic"), X, y), X).shape
    (4,)
    """
    check_same_rows(X=X, y=y, sample_weight=sample_weight)
    if sample_weight is not None:
        check_weights(sample_weight, np.asarray(y), [0, 1], "both classes are needed to train.")
    keywords = {}
    # the setting of scikit-learn is one of the thread and unknown to workers, the request goes with the scorer
    routed = sample_weight is not None and _asks_for(scorer, "sample_weight")
    if groups is not None and _asks_for(scorer, "groups"):
        if sample_weight is not None and not routed:
            raise InvalidInputError(
                f"{_shown_name(scorer)} asks for groups, and sample_weight is given as well. Make its classifier ask "
                "for the weights too, by set_fit_request(sample_weight=True) with metadata routing, or leave the "
                "weights out."
            )
        routed, keywords = True, {"groups": groups}
    if sample_weight is not None:
        keyword, refusing = ("sample_weight", None) if routed else _weight_keyword(scorer)
        if keyword is None:
            whole, part = _shown_name(scorer), _names(refusing)
            inside = "" if part == whole else f" in {whole}"
            if _declines_weights(refusing):
                raise InvalidInputError(
                    f"sample_weight was given, but {part}{inside} declines weights by "
                    "set_fit_request(sample_weight=False). Leave the weights out, or let it ask for them by "
                    "set_fit_request(sample_weight=True).",
                    argument="sample_weight",
                )
            asked = ", make them reach its models by set_fit_request(sample_weight=True) with metadata routing"
            asked = asked if _weight_keyword(refusing)[0] else ""
            raise InvalidInputError(
                f"sample_weight was given, but {part}{inside} cannot use weights in fit. Leave the weights out"
                f"{asked}, or use a method that takes them, such as 'logistic'.",
                argument="sample_weight",
            )
        keywords[keyword] = sample_weight
    try:
        with ranks_only(), config_context(enable_metadata_routing=routed) if keywords else nullcontext():
            fitted = scorer.fit(X, y, **keywords)
    except (np.linalg.LinAlgError, LookupError) as error:
        # IndexError: scikit-learn's discriminant analysis where all columns are constant, or a fault of another method
        constant = isinstance(error, IndexError) and isinstance(X, np.ndarray) and not np.ptp(X, axis=0).any()
        reason = "all columns are constant" if constant else with_kind(error).rstrip(".")
        way_out = "Drop columns that are constant or copies of others, regularise, or choose another method."
        raise InvalidInputError(
            f"{_shown_name(scorer)} cannot be trained on these {len(y)} rows, {int(np.sum(y == 0))} of class 0: "
            f"{reason}.",
            way_out=way_out if constant or not isinstance(error, LookupError) else "",
        ) from error
    except InvalidInputError:
        raise
    except ValueError as error:
        if "could not convert string" in str(error) and is_frame(X) and not hasattr(scorer, "steps"):
            # a pipeline may encode some of these columns
            by_dtype = getattr(scorer, "categorical_features", None) == "from_dtype"
            way = f"Turn text into categories by {code_of_categories(X, 'X')}" if by_dtype else "Encode them"
            way = f"{way}, give a formula ('y ~ a + b'), or pass a pipeline with an encoder as method."
            with giving_ways_out({"columns of text": way}):
                refuse_text_columns(X, "X")
        if _takes_bare_texts(scorer) and _NO_TEXTS.search(str(error)):
            raise bare_texts_error(_shown_name(scorer)) from error
        # a parameter or rows that the estimator refuses, in its own words
        coded = ""
        if "could not convert string" in str(error) and is_frame(X):
            coded = _columns_with_text(X, str(error))
        # a misspelt parameter is answered by the names of all, and this is one of them
        if "class_weight" in str(error) and "Invalid parameter" not in str(error):
            coded = ". A method sees the labels 0 (class 0) and 1: use them as keys, as in class_weight={0: 10, 1: 1}"
        if "'groups' parameter should not be None" in str(error):
            coded = f" {_FOLDS_BY_GROUPS if groups is None else _NO_WAY_FOR_GROUPS}{', and no resample=' * resampled}"
        if _NO_COLUMN.search(str(error)):
            coded = (
                ". A column whose name was given as groups, clusters or sample_weight is no longer in X. To keep it as "
                "a predictor, give the column itself, as in groups=X[NAME]"
            )
        said = str(error).rstrip().removesuffix(".") if coded.startswith(". ") else error
        raise InvalidInputError(f"{_shown_name(scorer)} cannot be trained: {said}{coded}") from error
    except TypeError as error:
        # a part that hands on all that it is given, such as StackingClassifier
        if "groups" not in keywords or "groups" not in str(error):
            raise
        raise InvalidInputError(f"{_shown_name(scorer)} cannot be trained: {error}. {_NO_WAY_FOR_GROUPS}") from error
    except Exception as error:
        # libraries may have classes of errors of their own
        if not is_of_library(error):
            raise
        raise InvalidInputError(f"{_shown_name(scorer)} cannot be trained: {with_kind(error)}") from error
    return scorer if fitted is None else fitted


@contextmanager
def naming_refused(scorer, X):
    """Name the columns of a whole table with missing or infinite values, dates or times, if these are refused inside.

    A table that a vectorizer gets in the place of one column of texts is named, too.

    Other errors of what scores are told with its name. What is trained or scored inside may be a part of the rows, and
    says less than a named method, which looks at all rows beforehand.

    Parameters
    ----------
    scorer : object
        What is trained or scores.
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        All rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from nproc.scorers import naming_refused
    >>> X, model = np.array([[0.0, 1.0], [1.0, np.nan]]), LogisticRegression()
    >>> with naming_refused(model, X):
    ...     model.fit(X, [0, 1])
    Traceback (most recent call last):
    ...
    nproc.errors.FirstRowError: X contains NaN: 1 missing value(s) in column(s) [1], the first at X[1], ...
    """
    try:
        yield
    except Exception as error:
        # libraries may have classes of errors of their own
        said, refused = str(error), None
        if _NO_DATES.search(said):
            refused = _dates_error(X, _who_refuses(scorer, said))
        elif NO_TEXT.search(said):
            refused = _no_text_error(X, _who_refuses(scorer, said))
        elif isinstance(error, ValueError) and _NOT_FINITE.search(said):
            refused = gaps_error(X, "X", _who_refuses(scorer, said), in_pipeline=hasattr(scorer, "steps"))
            refused = refused or too_large_error(X, _who_refuses(scorer, said))
        elif _NO_SEQUENCE.search(said):
            refused = _sequences_error(X, _who_refuses(scorer, said))
        if refused is None:
            refused = _table_of_texts_error(scorer, X, said)
        of_scorer = not isinstance(error, NPError) and isinstance(error, ValueError | LookupError)
        if refused is None and (of_scorer or is_of_library(error)):
            refused = InvalidInputError(
                f"{_shown_name(scorer)} cannot score these rows: {with_kind(error).rstrip('.')}.",
                way_out="If it was trained before, give it the columns of that training, in their order and with "
                "their types.",
            )
        if refused is None:
            raise
        # what the library said, which fit_scorer may have told in words of its own
        raise refused from error.__cause__ or error


def _dates_error(X, who):
    """Return the error that names the columns of a frame with dates or times; None if there are none."""
    found = [name for j, name in enumerate(X.columns) if holds_dates(X.iloc[:, j])] if is_frame(X) else []
    if not found:
        return None
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return InvalidInputError(
        f"X has columns of dates or times: {found[:MOST_NAMED]}{more}, and {who} refuses such values.",
        argument="X",
        way_out="Turn each into a number, such as the year or the days since a fixed date, or leave it out.",
    )


def _sequences_error(X, who):
    """Return the error that names the columns of a frame with lists, arrays or tables; None if there are none."""
    texts = [j for j, kind in enumerate(X.dtypes) if getattr(kind, "kind", "O") == "O"] if is_frame(X) else []
    found = [X.columns[j] for j in texts if any(isinstance(value, SEVERAL_VALUES) for value in X.iloc[:, j])]
    if not found:
        return None
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return InvalidInputError(
        f"X has columns with several values in one row, such as lists: {found[:MOST_NAMED]}{more}, and {who} needs one "
        "number there.",
        argument="X",
        way_out="Make a column of each value, or leave such columns out.",
    )


def too_large_error(X, who, name="X", *, way_out=_SMALLER):
    """Return the error that names the columns of a table with finite numbers of a size that overflows; None if none.

    The table has no missing and no infinite value. It is `who` that refuses it, and `way_out` says what to do.
    """
    if sparse.issparse(X):
        return None
    columns = list(X.items()) if is_frame(X) else list(enumerate(np.asarray(X).T))
    largest = {column: _largest_size(values) for column, values in columns}
    found = [column for column, size in largest.items() if size > _LARGEST_SQUARED]
    if not found:
        return None
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return InvalidInputError(
        f"{name} has numbers of a size up to {largest[found[0]]:.3g} in column(s) {found[:MOST_NAMED]}{more}. {name} "
        "has no missing and no infinite value, but sums or squares of such numbers are too large for a float, and "
        f"{who} refuses what comes of them.",
        argument=name,
        way_out=way_out,
    )


def _largest_size(values):
    if getattr(values.dtype, "kind", "O") not in "iuf":
        return 0.0
    return float(np.max(np.abs(np.asarray(values, dtype=np.float64)), initial=0.0))


def _columns_with_text(X, said):
    """Return the columns of a frame in which the text stands that could not be made a number, and what to do."""
    quoted = re.search(r"could not convert string to float: (?:np\.str_\()?(['\"])(.*)\1", said, re.DOTALL)
    texts = [j for j, kind in enumerate(X.dtypes) if getattr(kind, "kind", "O") in "OUT"] if quoted else []
    found = [X.columns[j] for j in texts if (X.iloc[:, j].astype(str) == quoted[2]).any()]
    if not found:
        return ""
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return (
        f". This text is in column(s) {found[:MOST_NAMED]}{more} of X. Leave out what is no predictor, and encode the "
        "other columns of text by a step of the pipeline, such as a ColumnTransformer with a OneHotEncoder"
    )


def _no_text_error(X, who):
    """Return the error that names the columns of text of a table with gaps, or with other values; None without any."""
    if not is_frame(X) and X.dtype != object:
        return gaps_error(X, "X", who)
    rows = rows_in(X, "X")
    given, X = ("X", X) if is_frame(X) else ("pandas.DataFrame(X)", table_frame(enumerate(X.T)))
    texts = [j for j, kind in enumerate(X.dtypes) if getattr(kind, "kind", "O") in "OUT"]
    gaps = X.iloc[:, texts].isna()
    counts = [(name, int(count)) for name, count in gaps.sum().items() if count]
    if not counts:
        return _other_values_error(X, who, given, rows)
    return FirstRowError.at(
        int(np.argmax(gaps.to_numpy().any(axis=1))),
        f"X has missing values in columns of text: {counts_named(counts)}",
        f", and {who} needs a text in every row.",
        table=rows,
        argument="X",
        fault="missing values",
        way_out=f"Fill them, as by {code_of_filled(X, given, counts[0][0])}, or leave out these rows (in a fit by "
        "na_action='omit').",
    )


def _other_values_error(X, who, given, rows):
    found = values_without_text(X)
    if not found:
        return None
    column, row, value = found[0]
    others = [name for name, *_ in found[1:]]
    also = f" Such values are in {others[:MOST_NAMED]} too." if others else ""
    return FirstRowError.at(
        row,
        f"column {column!r} of X holds texts and has a value that is no text ({value!r})",
        f". {who[0].upper()}{who[1:]} needs a text in every row.{also}",
        table=rows,
        argument="X",
        way_out=f"Correct such values, or make texts of them by {given}[{column!r}].astype(str).",
    )


def _table_of_texts_error(scorer, X, said):
    """Return the error that says how a vectorizer of text gets one column; None if no vectorizer gets a table.

    One that stands first gets the table, whatever it says of it: it may count the letters of the names of the columns.
    """
    vectorizers = _first_vectorizers(scorer)
    if not vectorizers and _NO_VECTOR_OF_TEXTS.search(said):
        parts = scorer.get_params().values() if hasattr(scorer, "get_params") else ()
        vectorizers = [type(part).__name__ for part in parts if hasattr(part, "build_analyzer")]
    if not vectorizers:
        return None
    kinds = X.dtypes if is_frame(X) else ()
    texts = [X.columns[j] for j, kind in enumerate(kinds) if getattr(kind, "kind", "O") in "OUT"]
    column, alone = (repr(texts[0]), f"X[{texts[0]!r}]") if texts else ("0", "X[:, 0]")
    return InvalidInputError(
        f"{vectorizers[0]} requires one text a row, and got a table. In a ColumnTransformer give the column without "
        f"brackets, as in make_column_transformer(({vectorizers[0]}(), {column})). Without a ColumnTransformer give "
        f"the texts themselves as X, as in {alone}.",
        argument="X",
    )


def _first_vectorizers(part):
    """Return the names of the vectorizers of text that get the very table which a part of a scorer gets."""
    if hasattr(part, "build_analyzer"):
        # a function of the user's may take rows
        return [] if callable(part.analyzer) else [type(part).__name__]
    if hasattr(part, "steps"):
        inside = [part.steps[0][1]]
    elif hasattr(part, "transformer_list"):
        inside = [one for _, one in part.transformer_list]
    elif hasattr(part, "transformers"):
        # one column without brackets is given as a vector
        inside = [one for _, one, columns in part.transformers if not isinstance(columns, str | int | np.integer)]
    else:
        # of a search or a calibration
        inside = [part.estimator] if hasattr(part, "estimator") else []
    return [name for one in inside for name in _first_vectorizers(one)]


def _who_refuses(scorer, said):
    """Return the name of what refuses a value: scikit-learn may say which step of a pipeline it is."""
    named = re.search(r"^(\w+) does not accept missing values", said, re.MULTILINE)
    if named:
        return named[1]
    return "a step of the pipeline" if hasattr(scorer, "steps") else name_of(scorer)


def _takes_bare_texts(scorer):
    steps = getattr(scorer, "steps", None)
    return bool(steps) and isinstance(steps[0][1], TextsOfColumn)


def _shown_name(scorer):
    steps = getattr(scorer, "steps", None)
    if _takes_bare_texts(scorer):
        return _shown_name(steps[1][1])
    # any step of a user's pipeline may have refused, and the error that follows says which; of ours it is the last
    *first, last = [step for _, step in steps] if steps else [scorer]
    theirs = [step for step in first if not type(step).__module__.startswith("nproc.")]
    return "+".join(map(_names, [*theirs, last]))


def _asks_for(scorer, name):
    """Whether the scorer or a part of it asks for weights or groups of rows, as by ``set_fit_request``."""
    # scikit-learn does not count the folds of a step before the last, such as RFECV, although it hands groups to them
    if name == "groups" and any(_asks_for(step, name) for _, step in getattr(scorer, "steps", None) or ()):
        return True
    try:
        return bool(get_routing_for_object(scorer).consumes("fit", [name]))
    except NotImplementedError:
        return False  # a part for which scikit-learn has no routing, such as AdaBoostClassifier


def _declines_weights(part):
    """Whether a part says by ``set_fit_request(sample_weight=False)`` that it is to get no weights."""
    try:
        of_fit = getattr(get_routing_for_object(part), "fit", None)
    except NotImplementedError:
        return False
    return getattr(of_fit, "requests", {}).get("sample_weight") is False


def _weight_keyword(scorer):
    """Return the keyword of fit by which weights reach a scorer, and None; or None, and the part that takes none."""
    # the step 'passthrough' of a pipeline, and what is not trained again
    if not hasattr(scorer, "fit") or isinstance(scorer, FrozenEstimator) or _declines_weights(scorer):
        return None, scorer
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import StackingClassifier, VotingClassifier

    if isinstance(scorer, CalibratedClassifierCV) and scorer.estimator is not None:
        # it hands weights on by this name alone, and keeps those for itself that the fit of the estimator does not name
        inner, refusing = _weight_keyword(scorer.estimator)
        named = inner == "sample_weight" and has_fit_parameter(scorer.estimator, "sample_weight")
        return ("sample_weight", None) if named else (None, refusing or scorer.estimator)
    # old releases name sample_weight in their fit, whatever their parts take
    if isinstance(scorer, VotingClassifier | StackingClassifier):
        # they hand weights on to all their parts, by this name alone
        for part in [*(one for _, one in scorer.estimators), getattr(scorer, "final_estimator", None)]:
            inner, refusing = ("sample_weight", None) if part in (None, "drop") else _weight_keyword(part)
            if inner != "sample_weight":
                return None, refusing or part
        return "sample_weight", None
    if has_fit_parameter(scorer, "sample_weight"):
        return "sample_weight", None
    if hasattr(scorer, "steps"):
        step, last = scorer.steps[-1]
        inner, refusing = _weight_keyword(last)
        return None if inner is None else f"{step}__{inner}", refusing
    takes_any = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(scorer.fit).parameters.values())
    if takes_any and hasattr(scorer, "estimator"):
        # a search over parameters hands its fit keywords on to the estimator inside
        return _weight_keyword(scorer.estimator)
    return None, scorer


def describe_trained(scorers, parts="splits", names=None):
    """Say in a sentence or two what the scorers of a fit are, and that their training converged if all of it did.

    Parameters
    ----------
    scorers : sequence
        The trained scorers of one method, one a split.
    parts : str
        What each scorer belongs to: "splits" or "folds".
    names : sequence of str, optional
        Names of the columns that the scorers see.

    Returns
    -------
    text : str
        What a search inside has chosen, in each split; class and parameters other than the defaults, without seeds,
        which usually differ from split to split; the seed of the scorer where all splits share one; then that all
        converged, if they have ``converged_`` (a pipeline: in its last step; a search: in its best estimator) and have
        judged it (``certificate_`` is not None).

    See Also
    --------
    fit_scorer : The training.
    not_converged : What is said where some did not converge.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from nproc.scorers.training import describe_trained
    >>> describe_trained([LogisticRegression(C=3.0, random_state=1)])
    'Scorer: LogisticRegression(C=3.0).'
    """
    text = f"Scorer: {_at_most_long(_described(scorers[0]))}.{_shared_seed(scorers, parts)}"
    text = _chosen(scorers, parts) + text
    if hasattr(last_model(scorers[0]), "describe_sign"):
        text = f"{text} {last_model(scorers[0]).describe_sign()}"
    members = getattr(last_model(scorers[0]), "members_", None)
    if members is not None:
        text = f"{text} Its score is the average of {len(members)} members."
    verdicts = [_verdict(last_model(scorer)) for scorer in scorers]
    if not all(isinstance(verdict, bool | np.bool_) and verdict for verdict in verdicts):
        return text
    told = "Its training converged" + f" in {len(verdicts)} of {len(verdicts)} {parts}" * (len(verdicts) > 1)
    return f"{text} {told}."


def _chosen(scorers, parts):
    """Return what searches have chosen as a sentence with a space behind it; "" where there is no search."""
    found = [_search_and_choice(scorer) for scorer in scorers]
    if not all(choice for _, choice in found):
        return ""
    search = found[0][0]
    counts = Counter(_as_keywords(choice) for _, choice in found)
    often = counts.most_common(MOST_NAMED)
    told = [f"{text} in {n}" for text, n in often]
    if len(counts) > 1:
        told[0] += f" of {len(found)} {parts}"
    else:
        told = [often[0][0] + f" in all {len(found)} {parts}" * (len(found) > 1)]
    if rest := len(found) - sum(n for _, n in often):
        told.append(f"something else in {rest}")
    # the default of LogisticRegressionCV may be a text that names no score
    words = [getattr(search, name, None) for name in ("refit", "scoring") if hasattr(search, "best_params_")]
    by = next((f", by {_name_of_score(one)}" for one in words if isinstance(one, str) or callable(one)), "")
    return f"{type(search).__name__} chose {'; '.join(told)}{by}. "


def _name_of_score(scoring):
    """Return the name of what a search compares, and whether less of it is better, as ``make_scorer`` has it."""
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    smaller = ", smaller is better" if getattr(scoring, "_sign", 1) < 0 else ""
    name = getattr(function, "__name__", type(function).__name__)
    return f"{name.strip('<>')}{smaller}"


def _as_keywords(choice):
    """Return parameters as the keywords of a call, with numbers to four digits."""
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in choice.items()}
    text = ", ".join(
        f"{name}={f'{value:.4g}' if isinstance(value, float) else _told(value)}" for name, value in plain.items()
    )
    return _at_most_long(text)


def _at_most_long(words):
    """Return a description of at most some `LONGEST` characters, without the last of its entries.

    Examples
    --------
    >>> _at_most_long(f"A(b={'b' * 90}, c=[{'c' * 90}, 0.12345678901234567])")[180:]
    'ccccccccc, ...])'
    >>> _at_most_long(f"A(b=':(', c='{'c' * 90}', d='{'d' * 90}, e', f=1)")[100:]
    "ccc', ...)"
    """
    if len(words) <= LONGEST:
        return words
    # brackets and commas within quotes are not those of the call
    plain = QUOTED.sub(lambda found: "_" * len(found[0]), words)
    kept = words[: plain.rfind(", ", 0, LONGEST)]
    ends = []
    for letter in plain[: len(kept)]:
        if letter in "([{":
            ends.append(")]}"["([{".index(letter)])
        elif ends and letter == ends[-1]:
            ends.pop()
    return f"{kept}, ...{''.join(reversed(ends))}" if kept != words[:-1] else f"{words[: LONGEST - 3]}..."


def _search_and_choice(scorer):
    """Return the search that a scorer is or ends with, and the parameters that it chose; none of both elsewhere."""
    while getattr(scorer, "steps", None):
        scorer = scorer.steps[-1][1]
    choice = getattr(scorer, "best_params_", None)
    if choice is None and type(scorer).__name__.endswith("CV"):
        # of LogisticRegressionCV and its like, which may hold them in arrays of one value
        own = {name: np.ravel(getattr(scorer, f"{name}_", None)) for name in ("C", "alpha", "l1_ratio")}
        choice = {name: value[0] for name, value in own.items() if value.size == 1 and value[0] is not None}
    choice = dict(choice) if isinstance(choice, Mapping) else {}
    if type(scorer).__module__.startswith("nproc."):
        # the level at which an estimator of a paper trains reads as that of the fit
        choice.pop("alpha", None)
    return scorer, choice


def _shared_seed(scorers, parts):
    """Return the seed that the scorers of all splits share, as a sentence; "" for one split, and if it is not one."""
    if len(scorers) < 2 or not all(hasattr(scorer, "get_params") for scorer in scorers):
        return ""
    given = [scorer.get_params() for scorer in scorers]
    shared = {
        value
        for name, value in given[0].items()
        if name.rpartition("__")[2] == "random_state"
        and isinstance(value, int | np.integer)
        and all(other[name] == value for other in given[1:])
    }
    return f" Its random_state is {shared.pop()} in all {parts}." if len(shared) == 1 else ""


def not_converged(scorers, parts="splits", names=None):
    """Say that the training of scorers of a fit did not converge, and in a second text why, where that is known.

    There is no text if all converged.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from nproc.scorers.training import not_converged
    >>> not_converged([LogisticRegression()])
    []
    """
    models = [last_model(scorer) for scorer in scorers]
    verdicts = [_verdict(model) for model in models]
    if all(verdicts) or not all(isinstance(verdict, bool | np.bool_) for verdict in verdicts):
        return []
    told = "The training of the method did not converge."
    if len(models) > 1:
        told = f"The training of the method converged in {int(sum(verdicts))} of {len(models)} {parts}."
    told += " A bound on the type I error does not need convergence, but the type II error may be larger."
    found = [getattr(model, "separation_", None) for model in models]
    counts = {said: found.count(kind) for kind, said in SEPARATED.items() if kind in found}
    if not counts:
        return [told]
    why = [
        f"In {n} of {len(models)} {parts} {said[0].lower()}{said[1:]}." if len(models) > 1 else f"{said}."
        for said, n in counts.items()
    ]
    there = " there" * (sum(counts.values()) < len(models))
    why.append(
        f"So logistic regression has no maximum likelihood estimate{there}. The scores still rank the rows, but "
        f"{_diverging(models, scorers, names)} arbitrary in size."
    )
    return [told, " ".join(why)]


def _diverging(models, scorers, names):
    """Name the coefficients that the likelihood of the models does not bound, with the verb."""
    each = [model.diverging_ for model in models if model.separation_ is not None]
    if len({one.size for one in each}) > 1:
        # a step before has made other columns in each split, as of categories that only some of them have
        return "some of the coefficients are"
    found = np.any(each, axis=0)
    if found.all():
        return "the coefficients are"
    if any(hasattr(scorer, "steps") for scorer in scorers):
        # a step before may have made other columns
        return f"{int(found.sum())} of the {found.size} coefficients {'is' if found.sum() == 1 else 'are'}"
    at = np.flatnonzero(found).tolist()
    named = [str(j if names is None else names[j]) for j in at]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    kind = "" if names is not None else "column " if len(named) == 1 else "columns "
    columns = f"{kind}{', '.join(named[:MOST_NAMED])}{more}"
    return f"the coefficient of {columns} is" if len(named) == 1 else f"the coefficients of {columns} are"


def _verdict(scorer):
    # where no certificate was asked for, ``converged_`` says that all epochs were run
    return None if getattr(scorer, "certificate_", 0.0) is None else getattr(scorer, "converged_", None)


def _described(scorer):
    """Return what `_with_parameters` does; of a long pipeline the first steps by name alone."""
    steps = [step for _, step in getattr(scorer, "steps", None) or [("", scorer)]]
    if _takes_bare_texts(scorer):
        return _described(steps[1])
    told = [_with_parameters(step) for step in steps]
    for number, step in enumerate(steps[:-1]):
        if len(", then ".join(told)) > LONGEST:
            told[number] = _names(step)
    return ", then ".join(told)


def _with_parameters(scorer):
    """Return the class of `scorer` with its parameters other than the defaults and seeds; of a pipeline, each step."""
    steps = getattr(scorer, "steps", None)
    if steps:
        return ", then ".join(_with_parameters(step) for _, step in steps)
    if not hasattr(scorer, "get_params") or isinstance(scorer, type):
        return scorer if isinstance(scorer, str) else getattr(scorer, "__name__", type(scorer).__name__)
    params, told = scorer.get_params(deep=False), []
    for name, given in inspect.signature(type(scorer)).parameters.items():
        value = params.get(name, given.default)
        if name != "random_state" and repr(value) != repr(given.default):
            told.append(f"{name}={_told(value)}")
    return f"{type(scorer).__name__}({', '.join(told)})"


def _names(part):
    """Return the class of a part; of a pipeline those of its steps; 'drop' and 'passthrough' as they are."""
    steps = [step for _, step in getattr(part, "steps", None) or [("", part)]]
    return "+".join(step if isinstance(step, str) else type(step).__name__ for step in steps)


def _told(value):
    """Return a parameter in words that are the same in every run, so without addresses in memory."""
    if hasattr(value, "get_params"):
        return _with_parameters(value)
    if isinstance(value, list) and value and all(isinstance(part, tuple) and len(part) > 1 for part in value):
        # parts by name, such as those of a ColumnTransformer or a VotingClassifier
        return f"[{', '.join(_names(part[1]) for part in value)}]"
    if inspect.isroutine(value) or isinstance(value, np.ufunc):
        return value.__name__
    return _ADDRESS.sub("", _SHORT.repr(value))
