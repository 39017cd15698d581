"""Two labels of any type become 0 and 1: the class whose errors are bounded is 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.checks import (
    SEVERAL_VALUES,
    as_array,
    check_level,
    check_levels,
    class0_with_label,
    differs_from_itself,
    is_label,
    is_number,
    refuse_unordered,
    refuse_unreal,
    shown,
    shown_label,
)
from nproc.errors import InvalidInputError, NPWarning, warn_at_call, warn_of_data
from nproc.rows.spellings import alike_told, is_alike, values_alike
from nproc.rows.table_code import code_of_labelled, code_of_texts


@dataclass(frozen=True)
class Labels:
    """Labels in the form the package works with.

    Attributes
    ----------
    y : ndarray of int64, shape (n,)
        0 for class 0 and 1 for the other; of several classes, their places in the order of priority.
    values : ndarray, shape (2,) or (K,)
        The user's own labels: ``values[0]`` is that of class 0.
    """

    y: np.ndarray
    values: np.ndarray

    @property
    def n0(self):
        """Number of class 0 rows."""
        return int(np.sum(self.y == 0))

    @property
    def n1(self):
        """Number of class 1 rows."""
        return int(np.sum(self.y == 1))


def check_labels(y, class0=None, *, name="y"):
    """Return `Labels` for a one-dimensional `y` with exactly two distinct values.

    `class0` names the label of class 0; None takes the first in sorted order, with a warning where the labels do not
    say which is meant; see `warn_of_first_label`.
    """
    found, codes = distinct_labels(y, name)
    if found.size > 2:
        continuous = found.dtype.kind == "f" and np.any(found % 1 != 0)
        shown = ", ".join(repr(value) for value in found[:5].tolist()) + (", ..." if found.size > 5 else "")
        seen = f"distinct values [{shown}], which look continuous" if continuous else f"classes [{shown}]"
        fact = f"{name} has {found.size} {seen}. Only binary classification is supported here."
        fault = "several classes"
        way_out = (
            "Keep the rows of two classes, or merge classes until two are left, or use npc_multiclass, or "
            "NPMultiClassifier as an estimator."
        )
        alike = values_alike(found.tolist())
        if continuous:
            fault, way_out = None, "Give labels of two classes."
        elif alike:
            fact += f" Some of them {alike_told(alike)}."
            more = found.size - sum(len(values) - 1 for values in alike) > 2
            fault, way_out = None, f"Spell each label in one way{', and keep the rows of two classes' * more}."
        raise InvalidInputError(fact, argument=name, fault=fault, way_out=way_out)
    if found.size < 2:
        raise InvalidInputError(
            f"{name} has one class only ({found[0].item() if hasattr(found[0], 'item') else found[0]!r}, "
            f"{codes.size} rows); exactly 2 classes are needed."
        )
    if class0 is None:
        warn_of_first_label(found)
    first = 0 if class0 is None else _position_of_class0(found, class0, name)
    if first == 1:
        found = found[::-1]
        codes = 1 - codes
    return Labels(y=codes.astype(np.int64), values=found)


def warn_of_first_label(values):
    """Warn that the first of two labels in sorted order is taken for class 0, unless they say so themselves.

    They do where they are 0 and 1, -1 and 1, or False and True. Of all others the order, alphabetical for texts, has
    nothing to do with which error matters. Each call of the user's is told, and a cross-validation of scikit-learn once
    on each of his lines.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     warn_of_first_label(np.array([False, True]))
    ...     warn_of_first_label(np.array(["meek", "wild"]))
    >>> [str(warning.message).partition(".")[0] for warning in heard]
    ["class0 is not given, so 'meek', the first label in sorted order, is class 0"]
    """
    first, second = values.tolist()
    if _say_themselves([first, second]):
        return
    warn_of_data(
        f"class0 is not given, so {first!r}, the first label in sorted order, is class 0. The share of {first!r} rows "
        f"that are called {second!r} is controlled; the share of {second!r} rows that are called {first!r} is not. "
        f"Give class0={second!r} if the second share is the one to control, and class0={first!r} if the first is.",
        NPWarning,
    )


def _say_themselves(labels):
    # 0 and 1, -1 and 1, or False and True: which class is class 1 is plain
    return list(labels) in ([0, 1], [-1, 1])


def warn_of_alphabetical_order(values):
    """Warn that text labels stand in alphabetical order where an order of priority is needed and none is given."""
    labels = values.tolist()
    if any(isinstance(label, str) for label in labels):
        shown = " > ".join(repr(label) for label in labels[:10]) + (" > ..." if len(labels) > 10 else "")
        warn_of_data(
            f"priority is not given, so the classes are taken in alphabetical order: {shown}. Misses of "
            f"{labels[0]!r} are controlled first, and misses of {labels[-1]!r} are not controlled. Give "
            "priority=[...]: all labels, from the class whose misses matter most to the least important one.",
            NPWarning,
        )


def encode_labels(y, values):
    """Return the codes 0, 1, ... of `y` under the labels `values` of an earlier fit; other labels are an error."""
    given = label_array(y, needed="give one label for each row")
    codes = np.full(given.shape, -1, dtype=np.int64)
    for code, value in enumerate(values):
        codes[given == value] = code
    if np.any(codes < 0):
        unknown = given[codes < 0].tolist()[0]
        *others, last = (repr(value) for value in values.tolist())
        shown = f"{', '.join(others)} and {last}"
        raise InvalidInputError(
            f"y has the label {unknown!r}, which was not in the training data (labels there: {shown})."
        )
    return codes


NO_LABELS = "No labels were given"


def notes_on_class0_rows(n, class0):
    """Say that rows without labels count as those of class 0, as a list of one sentence."""
    return [f"{NO_LABELS}, so all {n} rows are taken to be of {class0_with_label(class0)}."]


def notes_on_labels_beside(labels, class0):
    """Say how many rows a label column among them leaves out, as a list of one sentence, or of none."""
    n_others = int(np.sum(np.asarray(labels) != class0))
    if n_others == 0:
        return []
    counted = "row" if n_others == 1 else "rows"
    return [f"The column {labels.name!r} has the labels; {n_others} {counted} of another class are left out."]


def no_class0_beside(labels, class0, argument):
    """Return the error for rows none of which is of class 0, by the label column among them."""
    return InvalidInputError(
        f"{argument} has no row of class 0, {labels.name} = {class0!r}; give new rows of class 0.",
        argument=argument,
    )


def share_of_class1(prevalence, labels):
    """Return a prevalence as the share of class 1: a number as it is, or of a dict that gives the share of one label.

    A number warns, and names both readings, unless the labels themselves say which class is class 1. Labels of None,
    where none were given, are 0 and 1.

    Examples
    --------
    >>> share_of_class1({"ill": 0.25}, ["ill", "well"]), share_of_class1({0: 0.25}, None)
    (0.75, 0.75)
    """
    none_given, labels = labels is None, (0, 1) if labels is None else labels
    if not isinstance(prevalence, Mapping):
        if not _say_themselves(labels):
            warn_at_call(
                f"prevalence={shown(prevalence)} is taken as the share of {labels[1]!r} rows, which are class 1. If it "
                f"is that of {labels[0]!r}, the result is wrong. Give prevalence={{{labels[1]!r}: ...}} or "
                f"prevalence={{{labels[0]!r}: ...}}.",
                NPWarning,
            )
        return prevalence
    if len(prevalence) != 1 or next(iter(prevalence)) not in labels:
        raise InvalidInputError(
            f"prevalence must have one of the labels {labels[0]!r} and {labels[1]!r} as its only key, got "
            f"{dict(prevalence)!r}." + " Name other labels by labels=, that of class 0 first." * none_given,
            argument="prevalence",
        )
    ((label, share),) = prevalence.items()
    if label == labels[1]:
        return share
    rest = 1 - check_levels(share, "prevalence")
    return rest[::-1] if rest.ndim else rest.item()


def one_share_of_class1(prevalence, labels):
    """Return a prevalence as `share_of_class1` does, checked, where it must be one number and no interval."""
    for share in prevalence.values() if isinstance(prevalence, Mapping) else [prevalence]:
        # a text may hold a percentage, of which the message says more
        if not is_number(share) and not isinstance(share, str):
            raise InvalidInputError(
                f"prevalence must be one number strictly between 0 and 1, got {shown(share)}. Intervals of shares are "
                "for NPROCBand.predictive_values only; give one share.",
                argument="prevalence",
            )
    return check_level(share_of_class1(prevalence, labels), "prevalence")


def two_names(labels):
    """Return the names of class 0 and class 1 as a tuple, or None where none are given.

    Examples
    --------
    >>> two_names(["ill", "well"]), two_names(None)
    (('ill', 'well'), None)
    """
    if labels is None:
        return None
    names = tuple(labels) if isinstance(labels, Sequence | np.ndarray) and not isinstance(labels, str) else ()
    if len(names) != 2 or not all(map(is_label, names)) or names[0] == names[1]:
        raise InvalidInputError(
            f"labels must be two different names, of class 0 and of class 1, got {shown(labels)}.", argument="labels"
        )
    return names


def share_of_right_calls(label):
    """Return the name of the predictive value of a label, which says what it is for either class.

    Examples
    --------
    >>> share_of_right_calls("benign")
    'P(benign | called benign)'
    """
    return f"P({label} | called {label})"


def share_of_all_rows(label):
    """Return the name of the prevalence of a label, which says whose it is.

    Examples
    --------
    >>> share_of_all_rows("benign")
    'P(benign)'
    """
    return f"P({label})"


def order_labels(y, priority=None):
    """Return the `Labels` of two or more classes: code 0 is the class of the highest priority.

    `priority` lists all labels of `y` from the highest to the lowest; None takes their sorted order.
    """
    found, codes = distinct_labels(y)
    if found.size < 2:
        raise InvalidInputError(f"y has one class only ({found.tolist()[0]!r}, {codes.size} rows); 2 are needed.")
    if found.dtype.kind == "f" and np.any(found % 1 != 0):
        raise InvalidInputError(
            f"y has {found.size} distinct values, which look continuous. Unknown label type: continuous. Give the "
            "class of each row."
        )
    if priority is None:
        return Labels(y=codes.astype(np.int64), values=found)
    refuse_unordered(priority, "priority")
    if isinstance(priority, str) or not hasattr(priority, "__iter__") or getattr(priority, "ndim", 1) != 1:
        raise InvalidInputError(
            f"priority must list the labels from the highest priority to the lowest, got {shown(priority)}."
        )
    wanted, there = list(priority), found.tolist()
    if not all(map(is_label, wanted)):
        raise InvalidInputError(f"priority must list labels, got {shown(wanted)}.")
    unknown = [label for label in wanted if label not in there]
    lost = [label for label in there if label not in wanted]
    if unknown or lost or len(wanted) != len(there):
        wrong = (
            f"{unknown} are not labels of y"
            if unknown
            else f"{lost} are missing"
            if lost
            else "some labels are repeated"
        )
        raise InvalidInputError(
            f"priority must list each of the labels {there} once, got {wanted}: {wrong}.", argument="priority"
        )
    place = np.array([wanted.index(label) for label in there])
    return Labels(y=place[codes].astype(np.int64), values=found[np.argsort(place)])


def distinct_labels(y, name="y"):
    """Return the distinct labels of a one-dimensional `y` in sorted order, and the place of each row's among them."""
    values = label_array(y, name=name)
    try:
        return np.unique(values, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in values.tolist()})
        raise InvalidInputError(
            f"{name} mixes values of different types ({', '.join(kinds)}); give all labels the same type."
        ) from error


def unmixed(y, name):
    """Return labels as an array of any shape, of objects where numpy would make text of the numbers beside texts.

    Examples
    --------
    >>> unmixed([1, "1"], "y"), unmixed([1, 2], "y")
    (array([1, '1'], dtype=object), array([1, 2]))
    """
    values = as_array(y, name)
    made = {"U": str, "S": bytes}.get(values.dtype.kind)
    if made is not None and isinstance(y, list | tuple) and not all(isinstance(label, made) for label in y):
        # 1 and "1" would be one class
        return np.asarray(y, dtype=object)
    if values.dtype.kind == "O":
        _refuse_lists(values, name)
    return values


def _refuse_lists(values, name):
    """Raise for lists or arrays in the place of labels, as a column of lists of pandas or polars has them."""
    held = next((value for value in values.flat if isinstance(value, SEVERAL_VALUES)), None)
    if held is not None:
        held = held.tolist() if isinstance(held, np.ndarray) else held
        raise InvalidInputError(f"{name} holds lists, such as {shown(held)}; give one label a row.", argument=name)


def label_array(y, *, name="y", needed="at least one row of each class is needed"):
    """Return labels as a one-dimensional array; missing ones are an error, and so is no label, as `needed` says."""
    if y is None:
        raise InvalidInputError(f"{name} is missing; give one label a row.")
    refuse_text(y, name)
    if sparse.issparse(y):
        raise InvalidInputError(f"{name} must be a dense one-dimensional array, got a sparse matrix.")
    values = unmixed(y, name)
    refuse_unreal(values, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidInputError(f"{name} must be one-dimensional, got shape {values.shape}.")
    if values.size == 0:
        raise InvalidInputError(f"{name} is empty; {needed}.")
    refuse_missing(values, name, y)
    if values.dtype.kind in "mM":
        # numpy's times become whole numbers, Python's dates or pandas' by their unit: no label would stay as it was
        code = code_of_texts(y, name)
        raise InvalidInputError(
            f"{name} holds dates or spans of time ({values.dtype}); write them as text, such as {code}."
        )
    return values


def refuse_text(y, name="y"):
    """Refuse a text in place of labels: the name of a column, or an argument that was left out."""
    if isinstance(y, str | bytes | bytearray):
        raise InvalidInputError(
            f"{name} is the text {y!r}; give the labels themselves, such as the column X[{y!r}] of a table."
        )


NO_LABEL = "missing labels"


def refuse_missing(values, name, given):
    """Raise if an array of labels has missing or infinite ones; `given` are the labels as the user has them."""
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            n_nan, n_inf = int(np.isnan(values).sum()), int(np.isinf(values).sum())
            raise _missing(f"{name} has {n_nan} NaN and {n_inf} infinite labels.", name, given)
    elif values.dtype.kind in "mM" and np.isnat(values).any():
        raise _missing(f"{name} has missing (NaT) labels.", name, given)
    elif values.dtype.kind == "O":
        # a missing label is None, NaN, NaT or pandas.NA: none of them equals itself as True
        missing = sum(1 for v in values.flat if v is None or differs_from_itself(v))
        if missing:
            raise _missing(f"{name} has {missing} missing (NaN or None) labels.", name, given)


def _missing(fact, name, given):
    return InvalidInputError(fact, argument=name, fault=NO_LABEL, way_out=way_out_of_unlabelled(given, name))


def way_out_of_unlabelled(y, name, X=None):
    """Return what to do about missing labels."""
    return f"Label those rows, or keep only the others: {code_of_labelled(y, name, X)}."


def _same_number(value, other):
    """Return whether two labels are one number, which may be written as text."""
    try:
        return float(str(value)) == float(str(other))
    except ValueError:
        return False


def _position_of_class0(found, class0, name):
    known = list(enumerate(found.tolist())) if is_label(class0) else []
    for position, value in known:
        if type(class0) is type(value) and class0 == value:
            return position
    for position, value in known:
        if class0 == value:
            return position
    there = " and ".join(repr(value) for value in found.tolist())
    meant = [value for _, value in known if is_alike(value, class0) or _same_number(value, class0)]
    hint = f" Did you mean {meant[0]!r}?" if meant else ""
    raise InvalidInputError(f"class0={shown_label(class0)} is not a label in {name}, which has {there}.{hint}")
