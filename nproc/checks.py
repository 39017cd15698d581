"""Clean values or a clear error: levels, counts, scores, matrices, seeds.

Every function takes a value and the name of the argument it came from, and returns the
value in the one form the rest of the package works with.
"""

import inspect
import numbers
import os
import re
from collections.abc import Callable, Iterator, Mapping, Set, ValuesView
from contextlib import suppress
from decimal import ROUND_CEILING, Decimal
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nproc.errors import FirstRowError, InvalidInputError, InvalidTypeError, at_row

# what solvers take: rows of float64, dense or CSR
Matrix: TypeAlias = NDArray[np.float64] | sparse.csr_matrix | sparse.csr_array
# what a random_state may be
Seed: TypeAlias = int | np.integer | np.random.Generator | np.random.RandomState | None
# what may stand in one row of a column of objects, and is no single value
SEVERAL_VALUES = list | tuple | dict | set | np.ndarray
P = ParamSpec("P")
T = TypeVar("T")


def refuse_unordered(value, name):
    """Raise for a set, a dict, a view of a dict or an iterator such as a generator; all else passes.

    The order of a set of texts differs from one run of Python to the next, a dict would give its keys, and an iterator
    has nothing left for whoever reads it second.

    Examples
    --------
    >>> from nproc.checks import refuse_unordered
    >>> refuse_unordered(["b", "a"], "priority")
    >>> refuse_unordered({"b", "a"}, "priority")
    Traceback (most recent call last):
    nproc.errors.InvalidInputError: priority is a set, which has no order, and its order means something: give a list.
    """
    kind = type(value).__name__
    if isinstance(value, Iterator):
        raise InvalidInputError(f"{name} is a {kind}, which can be read only once: give list({name}).", argument=name)
    if isinstance(value, Mapping | ValuesView):
        # a Dataset of xarray is one too
        raise InvalidInputError(
            f"{name} is a {kind}, which has values by name, but the order of the values matters here. Give a list "
            "or an array.",
            argument=name,
        )
    if isinstance(value, Set):
        raise InvalidInputError(
            f"{name} is a {kind}, which has no order, and its order means something: give a list.", argument=name
        )


# up to here every whole number is exact as a float, and so are ranks and their differences
LARGEST_COUNT = 2**53
# far more than anyone trains
MOST_MODELS = 100_000
# the quotient of a logarithm and a smaller level may overflow
SMALLEST_LEVEL = 1e-300
LARGEST_DELTA = 0.5
# of values that are no numbers, though Python or numpy would make numbers of some of them
_NO_NUMBERS = (str, bytes, bytearray, complex, np.complexfloating, np.datetime64, np.timedelta64)


def as_array(values, name, rule=None):
    """Return `values` as a numpy array of whatever dtype; a masked value, and what cannot be an array, is an error.

    Every value of a user goes through here on its way to an array: ``np.asarray`` drops masks without a word.

    Parameters
    ----------
    values : array-like
        What was given. An array is not copied.
    name : str
        Name of the argument, for messages.
    rule : str, optional
        What `name` must do, for messages.
    """
    refuse_masked(values, name)
    refuse_unordered(values, name)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        broken = f"must {rule}, got {shown(values)}, which cannot" if rule else "cannot"
        raise InvalidInputError(
            f"{name} {broken} be made an array ({error}); give rows of equal length.", argument=name
        ) from error
    if array.dtype.kind == "V":
        raise InvalidInputError(
            f"{name} has named fields, {', '.join(array.dtype.names or ())}; give pandas.DataFrame({name}), of which "
            "they are the columns, or an array of plain values.",
            argument=name,
        )
    if array.dtype.kind == "O" and not isinstance(values, np.ndarray):
        refuse_masked(array, name)
    return array


def refuse_masked(values, name):
    """Raise if `values` is or holds a masked array of numpy with a masked value."""
    n_masked = _n_masked(values, name)
    if n_masked:
        raise InvalidInputError(
            f"{name} has {n_masked} masked value(s), and masks are not read here. Leave those rows out, or fill the "
            "values in by filled().",
            argument=name,
        )


def _n_masked(values, name, around=()):
    """Return how many masked values there are, also in lists; `around` are the ids of the lists that hold this one."""
    if id(values) in around:
        raise InvalidInputError(f"{name} is a list that holds itself; give rows of equal length.", argument=name)
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmask(values)
        return 0 if mask is np.ma.nomask else int(np.sum(np.ma.flatten_mask(mask)))
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        inside = values.ravel().tolist()
    elif isinstance(values, list | tuple):
        inside = values
    else:
        return 0
    # the few types of many values are found fast
    holders = tuple(kind for kind in set(map(type, inside)) if issubclass(kind, list | tuple | np.ndarray))
    if not holders:
        return 0
    around = (*around, id(values))
    return sum(_n_masked(value, name, around) for value in inside if isinstance(value, holders))


def as_floats(values, name, rule="hold numbers", advice=""):
    """Return `values` as a float64 array of any shape; NaN and infinite values pass.

    Text, dates and complex values are errors, also in object arrays, where numpy would make numbers of some of them.

    Parameters
    ----------
    values : array-like
        What was given. A float64 array is not copied.
    name : str
        Name of the argument, for messages.
    rule, advice : str
        What `name` must do, and a last sentence, for messages.
    """
    array = as_array(values, name, rule)
    kind = array.dtype.kind
    if kind == "c":
        raise InvalidInputError(
            f"{name} must {rule}. Complex data not supported: {name} has complex values. Give the real and imaginary "
            "parts, or the absolute values, as separate numbers.",
            argument=name,
        )
    try:
        if kind == "O":
            kinds = set(map(type, array.ravel().tolist()))
            wrong = sorted(one.__name__ for one in kinds if issubclass(one, _NO_NUMBERS))
            if wrong:
                raise TypeError(f"with values of type {', '.join(wrong)}")
        elif kind not in "biuf":
            # text that looks like numbers, and dates, would become floats without a word
            raise TypeError("text is no number" if kind in "US" else "not a numeric dtype")
        with np.errstate(over="ignore"):
            # a longdouble beyond float64 becomes infinite, which the caller refuses
            return array.astype(np.float64, copy=False)
    except OverflowError as error:
        raise InvalidInputError(
            f"{name} must {rule}, and a number in it is too large for a float ({error}).",
            argument=name,
        ) from error
    except (TypeError, ValueError) as error:
        what = InvalidTypeError if isinstance(error, TypeError) else InvalidInputError
        fact = f"{name} must {rule}, got dtype {array.dtype} ({error})."
        raise what(fact, fault="no numbers", way_out=advice) from error


def shown(value):
    """Return the repr of `value` for a message, or what it is where that is long: a table or an array by its shape.

    Examples
    --------
    >>> shown("lda"), shown(np.zeros((100, 3)))
    ("'lda'", 'ndarray of shape (100, 3)')
    """
    if np.ndim(getattr(value, "shape", None)) == 1 and np.prod(value.shape) > 10:
        return f"{type(value).__name__} of shape {value.shape}"
    try:
        text = repr(value)
    except ValueError:
        # Python writes out no whole number of more than 4300 digits
        return f"a very large {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:80]}... ({len(text)} characters)"


def shown_label(label):
    """Return the repr of one label for a message; a number or text of numpy is shown as that of Python.

    Examples
    --------
    >>> shown_label(np.int64(1)), shown_label(np.array("ill")), shown_label("well")
    ('1', "'ill'", "'well'")
    """
    # a date in nanoseconds would become a whole number
    of_numpy = isinstance(label, np.generic | np.ndarray) and label.ndim == 0 and label.dtype.kind not in "mM"
    return shown(label.tolist() if of_numpy else label)


def class_names(labels):
    """Return the names of class 0 and class 1 in a picture or a formula: a label that is a bare number is called one.

    If the label of class 0 is known alone, class 1 is "another class".

    Examples
    --------
    >>> class_names(None), class_names((0, 1)), class_names(("ill", "well")), class_names((1, 0))
    (('class 0', 'class 1'), ('class 0', 'class 1'), ('ill', 'well'), ('label 1', 'label 0'))
    >>> class_names(["ill"]), class_names([0])
    (('ill', 'another class'), ('class 0', 'another class'))
    """
    if labels is not None and len(labels) == 1:
        [label] = labels
        return class_names((label, 1 if str(label) == "0" else "another class"))[0], "another class"
    texts = ("class 0", "class 1") if labels is None else tuple(str(label) for label in labels)
    try:
        values = [float(text) for text in texts]
    except ValueError:
        return texts
    return ("class 0", "class 1") if values == [0, 1] else tuple(f"label {text}" for text in texts)


def rows_of(name):
    """Return what to call the rows of a class, by its name of `class_names`.

    Examples
    --------
    >>> rows_of("class 0"), rows_of("ill")
    ('class 0 rows', 'rows of ill')
    """
    return f"{name} rows" if name in ("class 0", "class 1") else f"rows of {name}"


def class0_with_label(label):
    """Return "class 0" with its label, for a sentence: the label 0 says no more than that.

    Examples
    --------
    >>> class0_with_label(0), class0_with_label(1), class0_with_label("ill")
    ('class 0', 'class 0 (label 1)', 'class 0, ill')
    """
    name = class_names((label, label))[0]
    if str(label) == name:
        return f"class 0, {name}"
    return "class 0" if float(label) == 0 else f"class 0 ({name})"


def is_number(value):
    """Whether `value` is one real number; True and False are none, nor is text, nor a span of time of numpy."""
    # numpy counts timedelta64 among its integers
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def whole_number(value):
    """Return `value` as an int if it is a whole number of any type, such as 5.0, and None if it is not.

    This is the one rule for whole numbers: counts, ranks and seeds may be floats, as other languages send them.
    """
    if not is_number(value):
        return None
    try:
        whole = int(value)
    except (OverflowError, ValueError):  # infinite or NaN
        return None
    return whole if whole == value else None


def as_float(value, name):
    """Return a number as a float; one that is too large for a float is an error."""
    try:
        return float(value)
    except OverflowError as error:
        raise InvalidInputError(f"{name} is too large for a float, got {shown(value)}.", argument=name) from error


# where a pandas object keeps the code that shows its rows, see `with_rows_in`; pandas hands it on to parts
_ROWS = "nproc.rows"

OF_A_CHOICE = "Use band.classifier(choice), or choice.alpha if the choice was made on other rows."


def is_choice(value):
    """Whether `value` is an `AlphaChoice`, a level that was chosen on a band."""
    return type(value).__name__ == "AlphaChoice"


def check_level(value, name):
    """Return `value` as a float that lies strictly between 0 and 1."""
    if not is_number(value):
        raise InvalidInputError(
            f"{name} must be a number strictly between 0 and 1, got {shown(value)}.",
            argument=name,
            way_out=OF_A_CHOICE if is_choice(value) else _share_meant(value, name),
        )
    # a float32 of 0.1 is meant as 0.1
    value = as_float(str(value) if isinstance(value, np.float32 | np.float16) else value, name)
    if not 0.0 < value < 1.0:
        raise InvalidInputError(
            f"{name} must lie strictly between 0 and 1, got {value:g}.",
            argument=name,
            value=value,
            limit=(0.0, 1.0),
            way_out=_share_meant(value, name),
        )
    refuse_tiny(value, name)
    return value


def check_end_of_area(value, name):
    """Return the level to which an area is asked for; of a pair as pROC has them, an error says which level it means.

    Examples
    --------
    >>> check_end_of_area((1, 0.9), "fpr_max")
    Traceback (most recent call last):
    nproc.errors.InvalidInputError: fpr_max must be one number, the type I error up to which the area is asked for, ...
    """
    pair = np.ravel(as_floats(value, name)) if isinstance(value, list | tuple | np.ndarray) else np.empty(0)
    if pair.size != 2:
        return check_level(value, name)
    low, high = sorted(pair.tolist())
    known = high == 1 and 0 < low < 1
    raise InvalidInputError(
        f"{name} must be one number, the type I error up to which the area is asked for, got {shown(value)}.",
        argument=name,
        way_out=f"partial.auc = c(1, {low:g}) of R's pROC is {name}={1 - low:.10g} here." if known else "",
    )


def _share_meant(value, name):
    """Say which number is meant by a percentage, such as 5 or "5 %"; nothing where none is."""
    percent = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value) if isinstance(value, str) else None
    number = value if isinstance(value, float) else None if percent is None else float(percent[1])
    # 0.5 without a sign is a level
    if number is None or not 0 < number < 100 or not (percent or number > 1):
        return ""
    if name.startswith("delta") and number > 50:
        return f"For {number:g} % confidence give {1 - number / 100:g}."
    return f"For {number:g} % give {number / 100:g}."


def check_delta(value, name="delta"):
    """Return `value` as a float above 0 and at most 0.5; a larger one is likely to be meant as the confidence."""
    delta = check_level(value, name)
    if delta > LARGEST_DELTA:
        raise InvalidInputError(
            f"{name} must be at most {LARGEST_DELTA:g}, got {delta:g}. It is the probability that the bound does not "
            "hold.",
            argument=name,
            value=delta,
            limit=(0.0, LARGEST_DELTA),
            way_out=f"Did you mean {name}={1 - delta:g}?",
        )
    return delta


def refuse_tiny(number, name):
    """Raise for a number above 0 that is so small that a formula may overflow."""
    if 0 < number < SMALLEST_LEVEL:
        raise InvalidInputError(
            f"{name} must be at least {SMALLEST_LEVEL:g}, below which the formulas overflow, got {number:g}.",
            argument=name,
        )


def level_text(alpha, digits=None):
    """Return a level as text, rounded up: typed in by hand it must not fall below its knot, into the rank before.

    It has six digits, or all of them where twelve are enough: a step of a large band is narrower than the sixth digit.

    Examples
    --------
    >>> level_text(0.05), level_text(1 - 0.95), level_text(0.1498134), level_text(0.14 / 3), level_text(1.23e-7)
    ('0.05', '0.05', '0.1498134', '0.0466667', '1.23e-07')
    >>> level_text(1 - 1.234567891e-8 / 3)
    '0.999999996'
    >>> level_text(0.0218147, digits=3)
    '0.0219'
    """
    if digits is None:
        exact = len(Decimal(repr(float(alpha))).normalize().as_tuple().digits)
        digits = exact if exact <= 12 else 6
    text = f"{alpha:.{digits}g}"
    # less the rounding error of a difference such as 1 - 0.95
    if float(text) < alpha * (1 - 1e-12):
        exact = Decimal(repr(float(alpha)))
        step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        text = f"{exact.quantize(step, ROUND_CEILING).normalize():g}"
    # 1 is no level
    return level_text(alpha, digits + 1) if alpha < 1 <= float(text) else text


def check_levels(value, name, *, closed=False):
    """Return `value` as a float64 array whose entries all lie in (0, 1), or in [0, 1] if `closed`."""
    given = as_array(value, name, "hold numbers between 0 and 1")
    if given.dtype.kind == "b":
        raise InvalidInputError(f"{name} must hold numbers between 0 and 1, got {shown(value)}.", argument=name)
    levels = as_floats(given, name, "hold numbers between 0 and 1")
    good = (levels >= 0) & (levels <= 1) if closed else (levels > 0) & (levels < 1)
    if not np.all(good):
        bad = levels[~good].flat[0]
        how = "between 0 and 1" if closed else "strictly between 0 and 1"
        raise InvalidInputError(
            f"{name} must lie {how}, got {bad:g}.",
            argument=name,
            value=float(bad),
            limit=(0.0, 1.0),
            way_out=_share_meant(float(bad), name),
        )
    if levels.size and not closed:
        refuse_tiny(levels.min(), name)
    return levels


def refuse_beyond(levels, alpha_max):
    """Refuse levels above `alpha_max`, where a band ends; None is no end."""
    if alpha_max is None or np.size(levels) == 0 or (largest := np.max(levels)) <= alpha_max:
        return
    raise InvalidInputError(
        f"alpha={largest:g} is above alpha_max={alpha_max:g}, where this band ends. Ask for at most alpha_max, or make "
        "the band again with a larger one.",
        argument="alpha",
    )


def check_count(value, name, *, minimum=1, maximum=LARGEST_COUNT, reason="more cannot be counted exactly in floats"):
    """Return `value` as an int from `minimum` to `maximum`; the `reason` for the latter is told."""
    whole = whole_number(value)
    if whole is None:
        raise InvalidInputError(
            f"{name} must be a whole number of at least {minimum}, got {shown(value)}.", argument=name
        )
    if whole < minimum:
        raise InvalidInputError(
            f"{name} must be at least {minimum}, got {shown(whole)}.", argument=name, value=whole, limit=minimum
        )
    if whole > maximum:
        raise InvalidInputError(f"{name} must be at most {maximum} ({reason}), got {shown(whole)}.", argument=name)
    return whole


def check_models(value, name, *, minimum=1):
    """Return `value` as an int, if so many models can be trained and kept."""
    # a larger number, by mistake, would fill the memory before the first is trained
    reason = "each is a model that is trained and kept; some tens are usual"
    return check_count(value, name, minimum=minimum, maximum=MOST_MODELS, reason=reason)


def check_counts(value, name, *, minimum, maximum, limit=""):
    """Return `value`, one whole number or an array, as an int64 array with entries from `minimum` to `maximum`.

    `limit` names the argument that `maximum` comes from, for the message.
    """
    top = f"{limit}={maximum}" if limit else maximum
    rule = f"hold whole numbers from {minimum} to {top}"
    array = as_array(value, name)
    whole = array.dtype.kind in "iu"
    if not whole and array.dtype.kind != "b":
        array = as_floats(array, name, rule)
        whole = np.isfinite(array).all() and np.all(array % 1 == 0)
    if not whole or np.any(array < minimum) or np.any(array > maximum):
        raise InvalidInputError(f"{name} must {rule}, got {shown(value)}.", argument=name)
    return array.astype(np.int64)


def check_number(value, name, *, zero=False, optional=False, otherwise=None):
    """Return `value` as a finite float above 0, or of at least 0 with `zero`; None passes where `optional`.

    `otherwise` names what else the argument may be, for the message.
    """
    if value is None and optional:
        return None
    number = as_float(value, name) if is_number(value) else np.nan
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        rule = "of at least 0" if zero else "above 0"
        other = " or None" if optional else f" or {otherwise}" if otherwise else ""
        raise InvalidInputError(f"{name} must be a finite number {rule}{other}, got {shown(value)}.", argument=name)
    refuse_tiny(number, name)
    return number


def is_label(value):
    """Whether a value can be one label: one value that is there, and no span of time, which equals whole numbers."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and not isinstance(value, np.ma.MaskedArray)
    one = isinstance(value, str | bytes | np.generic) or not any(
        hasattr(type(value), name) for name in ("__array__", "__len__", "__iter__")
    )
    return one and not isinstance(value, np.timedelta64) and not differs_from_itself(value)


def differs_from_itself(value):
    """Whether a value is NaN, NaT or pandas.NA, none of which equals itself as True."""
    if isinstance(value, Decimal):
        # a signalling NaN refuses to be compared
        return value.is_nan()
    same = value == value
    return not isinstance(same, bool | np.bool_) or not same


def _is_real(value):
    return isinstance(value, numbers.Real | Decimal) and not isinstance(value, _NO_NUMBERS)


def _is_gap(value):
    return value is None or differs_from_itself(value)


def check_real(value, name, rule="be a finite number"):
    """Return `value` as a finite float, of any sign; `rule` is what `name` must do, for the message."""
    number = as_float(value, name) if is_number(value) else np.nan
    if not np.isfinite(number):
        raise InvalidInputError(f"{name} must {rule}, got {shown(value)}.", argument=name)
    return number


def check_one_label(value, name):
    """Return `value` if it can be one label, or is None."""
    if value is not None and not is_label(value):
        raise InvalidInputError(f"{name} must be one label, got {shown(value)}.", argument=name)
    return value


def check_choice(value, name, choices):
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        close = get_close_matches(value, choices, n=1) if isinstance(value, str) else []
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InvalidInputError(f"{name} must be one of {listed}, got {shown(value)}.{hint}", argument=name)
    return value


def keywords_of(*functions):
    """Return the names of the arguments of functions or methods, each once, but for self and those that take any."""
    named = {}
    for function in functions:
        for name, one in inspect.signature(function).parameters.items():
            if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and name != "self":
                named[name] = one
    return tuple(named)


def check_keywords(given, known, of):
    """Raise if one of the names given is no argument of a function, and list its arguments."""
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        close = get_close_matches(unknown, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InvalidTypeError(
            f"{of} has no argument {unknown!r}.{hint} Its arguments are: {', '.join(known)}.", argument=unknown
        )


def tells_names(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function say what goes by name, and which argument a misspelt name may mean, where Python says neither.

    Examples
    --------
    >>> from nproc import np_threshold
    >>> np_threshold([0.5, 0.9], [0, 1])
    Traceback (most recent call last):
    nproc.errors.InvalidTypeError: np_threshold takes the scores of class 0 alone, and got [0, 1] after them. With ...
    >>> np_threshold([0.5, 0.9], 0.1)
    Traceback (most recent call last):
    nproc.errors.InvalidTypeError: np_threshold takes by position only scores0, and got 0.1 after that. Give what ...
    >>> np_threshold([0.5, 0.9], alhpa=0.1)
    Traceback (most recent call last):
    nproc.errors.InvalidTypeError: np_threshold has no argument 'alhpa'. Did you mean 'alpha'? Its arguments are: ...
    """
    known = inspect.signature(function).parameters
    positional = [name for name, own in known.items() if own.kind is own.POSITIONAL_OR_KEYWORD]
    by_name = [name for name, own in known.items() if own.kind is own.KEYWORD_ONLY]
    takes_all = any(own.kind is own.VAR_POSITIONAL for own in known.values())
    takes_any = any(own.kind is own.VAR_KEYWORD for own in known.values())
    # a constructor is called by the name of its class
    called_as = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        named = [kwargs[name] for name in ("y",) if name not in known and name in kwargs]
        later = [*args[len(positional) :], *named]
        if later and positional == ["scores0"] and hasattr(later[0], "__len__") and not isinstance(later[0], str):
            raise InvalidTypeError(
                f"{called_as} takes the scores of class 0 alone, and got {shown(later[0])} after them. With scores s "
                f"and labels y: {called_as}(s[y == class0], {by_name[0]}=...)."
            )
        if named and positional[:1] == ["scores0"] and len(positional) > 1:
            second = positional[1]
            # `scores` are those of new rows
            beside = {"scores1": "s[y == class1]", "scores": second}.get(second, f"{second}[y == class0]")
            raise InvalidTypeError(
                f"{called_as} takes no labels y. With scores s and labels y: "
                f"{called_as}(s[y == class0], {beside}, ...)."
            )
        if by_name and not takes_all and len(args) > len(positional):
            names, got = ", ".join(name for name in positional if name != "self"), shown(args[len(positional)])
            if not names:
                raise InvalidTypeError(
                    f"{called_as} takes no argument by position; give it by its name, as in "
                    f"{called_as}({by_name[0]}={got})."
                )
            raise InvalidTypeError(
                f"{called_as} takes by position only {names}, and got {got} after that. Give what follows by its name, "
                f"such as {by_name[0]}."
            )
        if not takes_any:
            check_keywords(kwargs, [name for name in (*positional, *by_name) if name != "self"], called_as)
        return function(*args, **kwargs)

    return called


def check_flag(value, name):
    """Return `value` as a bool if it is True or False; text and numbers are refused, since "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} must be True or False, got {shown(value)}.", argument=name)
    return bool(value)


def check_scores(scores, name):
    """Return `scores` as a one-dimensional float64 array of finite values, not empty."""
    values = as_floats(scores, name, "be a one-dimensional array of numbers")
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidInputError(
            f"{name} must be one-dimensional (one score a row), got shape {values.shape}.", argument=name
        )
    if values.size == 0:
        raise InvalidInputError(f"{name} is empty; at least one score is needed.", argument=name)
    if not np.isfinite(values).all():
        n_nan = int(np.isnan(values).sum())
        n_inf = int(np.isinf(values).sum())
        raise InvalidInputError(
            f"{name} must be finite, got {n_nan} NaN and {n_inf} infinite values out of {values.size}. "
            "Remove or impute NaN yourself; replace an infinite score by a finite one that keeps its rank.",
            argument=name,
        )
    return values


def check_weights(sample_weight, codes, classes, needed):
    """Return the weights of labelled rows, shape (n,), finite, at least 0 and not all 0 in a class; `needed` says why.

    Examples
    --------
    >>> check_weights([1, 0, 2], np.array([0, 1, 1]), ["no", "yes"], "both classes are needed.")
    array([1., 0., 2.])
    >>> check_weights([1, 0, 0], np.array([0, 1, 1]), ["no", "yes"], "both classes are needed.")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: sample_weight is zero for all 2 rows of class 'yes'; both classes are needed.
    """
    weight = as_floats(sample_weight, "sample_weight", "hold numbers, one a row")
    if weight.shape != codes.shape:
        raise InvalidInputError(
            f"sample_weight must have one weight a row ({codes.size}), got shape {weight.shape}.",
            argument="sample_weight",
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInputError(
            f"sample_weight must be finite and at least 0, got {weight[row]:g} "
            f"{at_row(row, rows_in(sample_weight, 'sample_weight'))}.",
            argument="sample_weight",
        )
    for code, value in enumerate(classes):
        if not np.any(weight[codes == code] > 0):
            raise InvalidInputError(
                f"sample_weight is zero for all {int(np.sum(codes == code))} rows of class {value!r}; {needed}",
                argument="sample_weight",
            )
    return weight


def check_path(path, name):
    """Return the `Path` of a file or folder, there or not; a NUL, a loop of links and too long a name are errors."""
    if not isinstance(path, str | os.PathLike) or path == "":
        # the empty text would be the folder in which Python runs
        raise InvalidInputError(f"{name} must be the path of a file or folder, got {shown(path)}.", argument=name)
    try:
        target = Path(path).expanduser()
        target.resolve()
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            # a name that is too long
            target.lstat()
    except (RuntimeError, ValueError, OSError) as error:
        # RuntimeError: a loop of links, or no home for ~
        why = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{name} cannot be a path, got {shown(path)} ({why}).", argument=name) from error
    return target


def fresh_seed():
    """Return a seed of 32 bits that the operating system drew."""
    return int(np.random.SeedSequence().entropy % 2**32)


def check_seed(random_state):
    """Return an int seed: the one given, one drawn from the generator given, or a fresh one for None."""
    if random_state is None:
        return fresh_seed()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint32))
    seed = whole_number(random_state)
    if seed is None:
        raise InvalidInputError(
            "random_state must be None, a whole number of at least 0, a numpy Generator or a "
            f"RandomState, got {shown(random_state)}.",
            argument="random_state",
        )
    if seed < 0:
        raise InvalidInputError(
            f"random_state must be at least 0, got {shown(seed)}.", argument="random_state", value=seed, limit=0
        )
    return seed


def refuse_bad_seed(random_state):
    """Raise for a bad seed where it may not be needed; a generator is not asked for a number in vain."""
    if not isinstance(random_state, np.random.Generator | np.random.RandomState):
        check_seed(random_state)


def check_numeric_matrix(X, name="X", *, allow_nan=False, accept_sparse=False, method=None, in_fit=False):
    """Return `X` as a two-dimensional float64 array, or a CSR matrix where sparse input is accepted.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix, shape (n, p)
        The rows to check.
    name : str
        Name of the argument, for messages.
    allow_nan : bool
        Let NaN through (infinite values never are).
    accept_sparse : bool
        Let sparse input through, as CSR.
    method : str, optional
        Name of the scoring method that needs such a matrix, for messages; None if it is the function itself.
    in_fit : bool
        Whether the rows are those of a fit, where empty columns are named apart: they have no use.
    """
    who = f"method {method!r}" if method else "this function"
    if sparse.issparse(X):
        if not accept_sparse:
            raise InvalidInputError(
                f"{name} is sparse, and {who} needs a dense array.",
                argument=name,
                fault="sparse",
                way_out=f"Use {name}.toarray() if it fits in memory.",
            )
        refuse_unreal(X, name)
        matrix = sparse.csr_array(X, dtype=np.float64)
        values = matrix.data
    else:
        matrix = _dense_float(X, name)
        values = matrix
    refuse_other_shapes(matrix, name)
    if matrix.shape[0] == 0:
        raise InvalidInputError(f"{name} is empty: 0 rows (shape={matrix.shape}).", argument=name)
    if matrix.shape[1] == 0:
        raise InvalidInputError(
            f"{name} has 0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required.", argument=name
        )
    if not np.isfinite(values).all():
        columns = list(X.columns) if hasattr(X, "columns") else range(matrix.shape[1])
        error = _non_finite_error(matrix, name, columns, allow_nan, who, rows=rows_in(X, name), in_fit=in_fit)
        if error is not None:
            raise error
    return matrix


def refuse_other_shapes(table, name):
    """Raise unless a table has two dimensions, and say what to do with a vector, which may be a row or a column."""
    if table.ndim == 2:
        return
    way_out = "Reshape your data."
    if table.ndim == 1:
        refuse_rows_of_words(table.tolist(), name)
        way_out = (
            f"Reshape your data: {name}.reshape(1, -1) for one row of an array, {name}.reshape(-1, 1) for one "
            "predictor. Of a DataFrame give frame.iloc[[0]] for one row, frame[['NAME']] for one predictor."
        )
        if table.dtype.kind in "OUT":
            way_out = (
                "Texts without a table require a method that begins with a vectorizer, as in "
                "make_pipeline(TfidfVectorizer(), LogisticRegression()), at the fit and then in predict. Give one row "
                "of a DataFrame as frame.iloc[[0]]."
            )
    raise InvalidInputError(
        f"{name} must be two-dimensional (rows, predictors), got shape {table.shape}.", argument=name, way_out=way_out
    )


def refuse_rows_of_words(rows, name):
    """Raise for rows that are dicts, or lists of texts, and say how they become a table or texts.

    Examples
    --------
    >>> refuse_rows_of_words([{"age": 40}, {"age": 50}], "X")
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: X must be a table or texts, and its rows are dicts. Make a table of them by ...
    """
    rows = [row for row in rows if not _is_gap(row)]
    if rows and all(isinstance(row, dict) for row in rows):
        kind = "dicts"
        way_out = (
            f"Make a table of them by pandas.DataFrame({name}), or a sparse one by "
            f"DictVectorizer().fit_transform({name}), which learns from no label; of new rows by its transform."
        )
    elif any(rows) and all(isinstance(row, list | tuple) and all(isinstance(v, str) for v in row) for row in rows):
        kind = "lists of texts"
        way_out = (
            f"Join each by blanks, as in [' '.join(row) for row in {name}], and let the method begin with "
            r"TfidfVectorizer(token_pattern=r'\S+'), which takes the words apart again."
        )
    else:
        return
    raise InvalidInputError(
        f"{name} must be a table or texts, and its rows are {kind}.", argument=name, way_out=way_out
    )


def _dense_float(X, name):
    if hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "to_numpy"):
        refuse_text_columns(X, name)
        if object in X.dtypes.tolist():
            # each by itself: beside others pandas.NA would stay what it is
            return np.column_stack([X.iloc[:, j].to_numpy(np.float64, na_value=np.nan) for j in range(X.shape[1])])
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    return as_floats(X, name, "hold numbers", "Encode text columns as numbers.")


def rows_in(X, name):
    """Return the code that has the rows of an argument in brackets behind it, see `nproc.errors.at_row`.

    Examples
    --------
    >>> rows_in([0.2, 0.3], "weights"), rows_in(sparse.eye(3), "X")
    ('weights', 'X.tocsr()')
    """
    if sparse.issparse(X):
        # of several formats no row can be taken
        return f"{name}.tocsr()"
    if not hasattr(X, "iloc"):
        return name
    known = getattr(X, "attrs", {}).get(_ROWS)
    if known is None:
        return f"{name}.iloc"
    return known if known[:1].isalnum() else f"{name}{known}"


def with_rows_in(X, code):
    """Return a pandas object that a message shows the rows of by other code: all of it, or what follows the name.

    Examples
    --------
    >>> import pandas as pd
    >>> of_polars = with_rows_in(pd.DataFrame({"a": [1]}), "")
    >>> rows_in(of_polars, "X"), rows_in(of_polars[["a"]], "X")
    ('X', 'X')
    """
    X = X.copy(deep=False)
    X.attrs[_ROWS] = code
    return X


def refuse_text_columns(frame, name):
    """Raise if a DataFrame has columns of anything but numbers; those of Python objects may hold numbers."""
    kinds = enumerate(zip(frame.columns, frame.dtypes, strict=True))
    others = {str(c): frame.iloc[:, j] for j, (c, kind) in kinds if not _is_numeric(kind)}
    others = {column: values for column, values in others.items() if not _holds_numbers(values)}
    rows = rows_in(frame, name)
    ways = {column: _way_to_numbers(values, name, column, rows) for column, values in others.items()}
    texts = [column for column in others if ways[column]]
    if texts:
        row, what, way = ways[texts[0]]
        fact = f"{name} has columns that are not numbers: {texts[:MOST_NAMED]}. {texts[0]!r} {what}"
        fields = {"argument": name, "fault": "numbers as text", "way_out": "If they are categories, encode them."}
        if row is None:
            raise InvalidInputError(f"{fact}{way}", **fields)
        raise FirstRowError.at(row, fact, way, table=rows, **fields)
    texts = list(others)
    if texts:
        more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        raise InvalidInputError(
            f"{name} has columns that are not numbers: {texts[:MOST_NAMED]}{more}.",
            argument=name,
            fault="columns of text",
            way_out="Encode them as numbers, or leave them out.",
        )


def _holds_numbers(values):
    """Whether a column of Python objects holds numbers and gaps alone, such as the decimal numbers of a database."""
    if values.dtype != object:
        return False
    try:
        values.to_numpy(dtype=np.float64, na_value=np.nan)
        return all(_is_real(value) or _is_gap(value) for value in values)
    except (ArithmeticError, TypeError, ValueError):
        # a signalling NaN, or a whole number too large for a float
        return False


def _reads_as_number(text):
    try:
        return "_" not in text and not np.isnan(float(text))
    except ValueError:
        return False


def code_for_numbers(table, column, rows, *, commas=False, coerce=False):
    """Return code that makes numbers of a column of text, in a table of which `rows_in` gives the code of its rows.

    Examples
    --------
    >>> code_for_numbers("X", "a", "X.iloc", commas=True)
    "X['a'] = pandas.to_numeric(X['a'].str.replace(',', '.'))"
    >>> code_for_numbers("X", "a", "X")
    "X = X.with_columns(polars.col('a').cast(polars.Float64))"
    >>> code_for_numbers("X", "a", "X.to_pandas().iloc")
    "X = X.to_pandas(); X['a'] = pandas.to_numeric(X['a'])"
    """
    with_points = ".str.replace(',', '.')" * commas
    if rows == table:
        others = ", strict=False" * coerce
        return f"{table} = {table}.with_columns(polars.col({column!r}){with_points}.cast(polars.Float64{others}))"
    values, others = f"{table}[{column!r}]", ", errors='coerce'" * coerce
    in_pandas = f"{table} = {table}.to_pandas(); " * rows.startswith(f"{table}.to_pandas()")
    return f"{in_pandas}{values} = pandas.to_numeric({values}{with_points}{others})"


def ways_of_commas(table, column, rows, *, coerce=False):
    """Return what to do with a column of numbers that have decimal commas, as the end of a sentence."""
    code = code_for_numbers(table, column, rows, commas=True, coerce=coerce)
    reader = "decimal_comma=True to polars.read_csv" if rows == table else "decimal=',' to pandas.read_csv"
    return f"give {reader}, or make numbers of them by {code}"


def _way_to_numbers(values, table, column, rows):
    """Tell how a column of which most values are numbers, some as text, becomes numbers; None for any other.

    Return the first row with a text that is no number, or None; what the column holds; and what to do.
    """
    texts = {row: value for row, value in enumerate(values.tolist()) if isinstance(value, str)}
    others = [value for value in values.tolist() if not (isinstance(value, str) or _is_gap(value))]
    if not texts or hasattr(values.dtype, "categories") or not all(map(_is_real, others)):
        return None
    unread = [row for row, text in texts.items() if not _reads_as_number(text)]
    with_commas = [row for row in unread if _reads_as_number(texts[row].replace(",", "."))]
    n_rest = len(unread) - len(with_commas)
    if len(with_commas) > n_rest and 2 * n_rest < len(texts) and not others:
        return (
            with_commas[0],
            f"holds texts with commas such as {texts[with_commas[0]]!r}",
            f": if these are decimal commas, {ways_of_commas(table, column, rows, coerce=n_rest > 0)}.",
        )
    if 2 * len(unread) >= len(texts) + len(others):
        return None
    if not unread:
        code = code_for_numbers(table, column, rows)
        return None, "holds numbers as text", f": {code} makes numbers of them."
    return (
        unread[0],
        f"holds numbers and texts such as {texts[unread[0]]!r}",
        f": {code_for_numbers(table, column, rows, coerce=True)} makes such values missing.",
    )


def refuse_unreal(X, name):
    """Raise if an array or sparse matrix has complex values, of which the imaginary part would be lost."""
    if np.dtype(X.dtype).kind == "c":
        raise InvalidInputError(
            f"Complex data not supported: {name} has complex values. Give the real and imaginary parts, or the "
            "absolute values, as separate numbers."
        )


def _is_numeric(kind):
    return getattr(kind, "kind", "O") in "biuf"


def gaps_error(X, name, who, *, in_pipeline=False):
    """Return the error that names the columns of a table with missing or infinite values; None if there are none.

    `who` refuses them, and if it is `in_pipeline`, steps before it may have imputed some. Text in a column of text
    counts as a value that is there.
    """
    known = {"allow_nan": False, "who": who, "in_pipeline": in_pipeline}
    if sparse.issparse(X):
        return _non_finite_error(X, name, (), **known)
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = [X.iloc[:, j] for j in range(X.shape[1])]
        numbers = [
            column.to_numpy(dtype=np.float64, na_value=np.nan)
            if _is_numeric(column.dtype)
            else np.where(column.isna(), np.nan, 0.0)
            for column in columns
        ]
        return _non_finite_error(np.column_stack(numbers), name, list(X.columns), rows=rows_in(X, name), **known)
    values = np.asarray(X)
    if values.dtype.kind == "O":
        is_gap = np.frompyfunc(_is_gap, 1, 1)
        values = np.where(is_gap(values).astype(bool), np.nan, 0.0)
    if values.dtype.kind != "f" or values.ndim != 2:
        return None
    return _non_finite_error(values, name, range(values.shape[1]), **known)


def _non_finite_error(table, name, columns, allow_nan, who, in_pipeline=False, rows=None, in_fit=True):
    rows = rows_in(table, name) if rows is None else rows
    entries = table.tocoo() if sparse.issparse(table) else None
    values = table if entries is None else entries.data
    n_nan, n_inf = int(np.isnan(values).sum()), int(np.isinf(values).sum())

    def first_row(bad):
        return int(np.argmax(bad.any(axis=1)) if entries is None else entries.row[bad].min())

    if n_inf:
        return FirstRowError.at(
            first_row(np.isinf(values)),
            f"{name} has {n_inf} infinite value(s){_columns_with(np.isinf(values), columns)} (infinity or a number too "
            "large)",
            "; remove those rows or replace the values.",
            table=rows,
            argument=name,
        )
    if n_nan and not allow_nan:
        gaps, empty = np.isnan(values), ""
        needs, impute = f"{who} needs complete rows", "Impute them in a pipeline"
        if in_pipeline:
            needs = f"some of these columns still have gaps when they reach {who}, which needs complete rows"
            impute = "Impute these columns in the pipeline too"
        way_out = (
            f"{impute}, leave out these rows (in a fit by na_action='omit'), or use a method that accepts NaN, such as "
            "'randomforest'."
        )
        known = {"argument": name, "fault": "missing values"}
        is_empty = gaps.all(axis=0) if in_fit and gaps.ndim == 2 and len(gaps) > 1 else np.array([False])
        if is_empty.any():
            # of them nothing can be imputed
            empty = f"no value at all{_columns_with(is_empty[None], columns)}"
            gaps = gaps & ~is_empty
            if not gaps.any():
                told = f"{name} contains NaN: {empty}, and {needs}."
                return InvalidInputError(told, way_out="Leave out the empty columns.", **known)
            empty, way_out = (
                f"{empty}, and ",
                f"Leave out the empty columns. For the others: {way_out[0].lower()}{way_out[1:]}",
            )
        return FirstRowError.at(
            first_row(gaps),
            f"{name} contains NaN: {empty}{int(gaps.sum())} missing value(s){_columns_with(gaps, columns)}",
            f", and {needs}.",
            table=rows,
            way_out=way_out,
            **known,
        )
    return None


def _columns_with(bad, columns):
    """Say which of the named columns have a bad value; of a sparse matrix only its values are known."""
    if bad.ndim != 2:
        return ""
    found = [columns[j] for j in np.flatnonzero(bad.any(axis=0)).tolist()]
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f" in column(s) {found[:MOST_NAMED]}{more}"


# columns with missing values that a message names; of others it says how many more there are
MOST_NAMED = 20


def counts_named(counts):
    """Return pairs of a name and a count as text, and beyond `MOST_NAMED` pairs how many more there are.

    Examples
    --------
    >>> counts_named([("age", 3), ("dose", 1)])
    'age (3), dose (1)'
    """
    pairs = list(counts)
    more = f" and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else ""
    return ", ".join(f"{name} ({count})" for name, count in pairs[:MOST_NAMED]) + more


def count_of(count, total, what="rows", *, first=False):
    """Return how many of some things there are as text; with a capital if it is the `first` of a sentence.

    Examples
    --------
    >>> count_of(3, 9), count_of(9, 9, "new rows"), count_of(1, 1, first=True)
    ('3 of the 9 rows', 'all 9 new rows', 'The one row')
    """
    text = f"{count} of the {total} {what}"
    if count == total > 0:
        text = f"all {total} {what}" if total > 1 else f"the one {what.removesuffix('s')}"
    return text[0].upper() + text[1:] if first else text
