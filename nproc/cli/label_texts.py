"""Labels on the command line: the label column of a file, and the labels that a user gives as text."""

import sys

import numpy as np

from nproc.cli.files import listed, require_columns
from nproc.cli.wording import option_with
from nproc.errors import InvalidInputError
from nproc.rows import (
    OTHER_CODES,
    columns_of_labels,
    composed,
    distinct_labels,
    distinct_values,
    is_alike,
    refuse_other_spellings,
    same_labels,
)


def label_values(frame, label, na_action=None):
    """Return the label column as an array; missing labels are an error, unless `na_action` says to omit the rows."""
    require_columns(frame, [label], "the label")
    values = frame[label]
    missing = np.flatnonzero(values.isna().to_numpy())
    if missing.size and na_action == "omit":
        # a gap makes whole numbers decimal
        return values.convert_dtypes().to_numpy(dtype=object)
    if missing.size:
        raise InvalidInputError(
            f"the label column {label!r} has {missing.size} missing value(s), the first in row "
            f"{frame.index[missing[0]] + 1} (empty, NA, NaN, NULL and None count as missing).",
            fault="missing labels",
            way_out="Remove those rows, or label them.",
        )
    plain = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    return values.to_numpy() if plain in "biuf" else np.array(values.tolist())


def labelled_rows(frame, label):
    """Return the rows of a table that have a label; whole numbers are such again, which a gap has made decimal."""
    require_columns(frame, [label], "the label")
    missing = frame[label].isna()
    kept = frame[~missing]
    return kept.assign(**{label: kept[label].convert_dtypes()}) if missing.any() else frame


def without_label(label):
    """Return what rows have that `labelled_rows` leaves out."""
    return f"no label in the column {label!r}"


def match_label(text, values, *, where="the label column"):
    """Return the one of `values` that the user means by `text`: the same text, the same number, or true and false.

    Examples
    --------
    >>> match_label("1", [0.0, 1.0]), match_label("0", ["0", "1"]), match_label("1", [False, True])
    (1.0, '0', True)
    """
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    found = same_labels(text, values)
    if found:
        return found[0]
    meant = [value for value in values if is_alike(value, text)]
    hint = f" Did you mean {meant[0]!r}?" if meant else ""
    hint += f" {OTHER_CODES.rstrip()}" * (bool(meant) and composed(meant[0]) == composed(text))
    many = f" It has {len(values)} different values: is it the column of labels?" if len(values) > 20 else ""
    raise InvalidInputError(f"{str(text)!r} is not a label in {where}, which has {listed(values)}.{many}{hint}")


def is_label(value, labels):
    """Return whether a value is one of some labels, as the same text or number."""
    return bool(same_labels(value, labels))


def prevalence_of(given, labels):
    """Return a prevalence as the library takes it: a dict by one of the labels; without a label it is that of class 1.

    Examples
    --------
    >>> prevalence_of(("1", 0.25), [0, 1]), prevalence_of((None, 0.25), [0, 1])
    ({1: 0.25}, {1: 0.25})
    """
    label, share = given
    if label is not None:
        return {match_label(label, labels): share}
    if list(labels) != [0, 1]:
        sys.stderr.write(
            f"note: --prevalence without a label is the share of {labels[1]}; for that of {labels[0]}, give "
            f"{option_with('--prevalence', f'{labels[0]}=P')}\n"
        )
    return {labels[1]: share}


def distinct(values):
    """Return the different labels in the order of their texts."""
    return sorted(set(present(values).tolist()), key=str)


def present(labels):
    """Return the labels that are there, where rows without one are to be omitted."""
    import pandas as pd

    return labels if labels.dtype != object else labels[~pd.isna(labels)]


def first_label(values):
    """Return the first label in sorted order, which is class 0 unless another is named; None unless there are two."""
    found = distinct_labels(present(values), "the label column")[0].tolist()
    return found[0] if len(found) == 2 else None


def labels_for(fit, frame, label, file):
    """Return the label column of a file as the labels of a fit: text "1" from one file is the number 1 of another."""
    distinct, codes = np.unique(label_values(frame, label), return_inverse=True)
    distinct, labels = distinct.tolist(), np.asarray(fit.labels).tolist()
    unknown = [value for value in distinct if not same_labels(value, labels)]
    if unknown:
        many = f" It has {len(distinct)} different values: is it the column of labels?" if len(distinct) > 20 else ""
        look_same = not {composed(value) for value in labels}.isdisjoint(map(composed, unknown))
        raise InvalidInputError(
            f"the labels of the fit are {listed(labels)}, and the column {label!r} of {file} has {listed(unknown)}."
            f"{many}{f' {OTHER_CODES.rstrip()}' * look_same}",
            fault="unknown labels",
        )
    return np.array([same_labels(value, labels)[0] for value in distinct])[codes]


def _columns_with(frame, label, used):
    """Return the columns that are not `used` and hold a label beside other values.

    Texts are labels if they are few, and numbers only if they are two, because more may be counts.
    """
    found = []
    for column in frame.columns.difference(used, sort=False):
        values = distinct_values(frame[column])
        most = 20 if frame[column].dtype.kind not in "biuf" else 2
        if 1 < len(values) <= most and is_label(label, values):
            found.append(column)
    return found


def mixed_rows_told(frame, used):
    """Return what to say of columns that are not `used` with 0 and 1, which may hold the labels; "" without any."""
    found = columns_of_labels(frame, (0, 1), used)
    if not found:
        return ""
    has = ", or ".join(dict.fromkeys(" and ".join(sorted(map(str, distinct_values(frame[one])))) for one in found))
    told = f"The column {found[0]!r} has {has}. If it holds the labels, give {option_with('--label', found[0])}"
    if len(found) > 1:
        told = f"The columns {listed(found)} have {has}. If one of them holds the labels, give its name by --label"
    return f"{told}; otherwise all rows count as class 0."


def warn_of_mixed_rows(told, path):
    """Warn of what `mixed_rows_told` returns, unless it is ""."""
    if told:
        sys.stderr.write(f"warning: {path}: t{told[1:]}\n")


def refuse_mixed_rows(frame, class0, class1, used, path, *, or_else=""):
    """Stop if columns that are not `used` say that these rows are not all of class 0; `class1` may be None.

    `or_else` says what helps where the column holds no labels, besides leaving it out.
    """
    if class1 is None:
        found, told = _columns_with(frame, class0, used), f"{str(class0)!r} and other values"
    else:
        found, told = columns_of_labels(frame, (class0, class1), used), "the labels of both classes"
    counts = f"with {told}; without --label all rows count as {str(class0)!r}."
    if len(found) > 1:
        raise InvalidInputError(
            f"{path} has the columns {listed(found)} {counts} If one of them holds labels, give its name by --label, "
            f"or leave out the rows of other classes and the other columns. If none does, leave them all out{or_else}."
        )
    if found:
        column = found[0]
        raise InvalidInputError(
            f"{path} has the column {str(column)!r} {counts} If it holds labels, give "
            f"{option_with('--label', column)}, or leave out the rows of other classes. If not, leave out the "
            f"column{or_else}."
        )


def class0_rows(labels, column, class0, class1=None):
    """Return which labels of a column are class 0: text "1" is the number 1 of another file.

    A label that is neither of the two classes is an error, and so is another spelling of class 0 where `class1` is
    None, which lets all other labels be. A class 0 row with a typing error would else be left out in silence.

    Examples
    --------
    >>> class0_rows(np.array(["bad", "fine"]), "label", "bad")
    array([ True, False])
    """
    found, codes = np.unique(labels, return_inverse=True)
    known = [class0] if class1 is None else [class0, class1]
    meant = [same_labels(value, known) for value in found.tolist()]
    unknown = [value for value, same in zip(found.tolist(), meant, strict=True) if not same]
    refuse_other_spellings(class0, unknown, f"the column {column!r}")
    if unknown and class1 is not None:
        many = f" It has {len(found)} different values: is it the column of labels?" if len(found) > 20 else ""
        raise InvalidInputError(
            f"the classes are {listed(known)}, and the column {column!r} also has {listed(unknown)}.{many}",
            fault="unknown labels",
            way_out="Write the labels as these two, or leave out the rows of other classes.",
        )
    return np.array([same[:1] == [class0] for same in meant], dtype=bool)[codes]
