"""Files of scores: which column holds the scores, which the labels, and which way the scores run."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nproc.checks import class0_with_label
from nproc.cli import arguments, files, label_texts
from nproc.errors import InvalidInputError
from nproc.rows import refuse_commas_in_doubt, warn_of_score_codes

SCORES = """\
SCORES is a CSV file (.csv, .csv.gz, .tsv, .txt) with a header, Parquet, or JSON lines (.jsonl), with a score in each
row. The rows must be independent, and not used to train or to choose the model that scored them.
Class 0 is the class whose misclassification is controlled."""


@dataclass(frozen=True)
class ScoreColumn:
    """A scorer that reads a column, so that a saved band can score new rows."""

    column: str
    larger_means: str

    @property
    def __name__(self):
        # the sign shows that larger scores of the column speak for class 0
        return self.column if self.larger_means == "class1" else f"-{self.column}"

    def __call__(self, rows):
        """Return the scores of rows, larger for class 1."""
        return rows[self.column] if self.larger_means == "class1" else -rows[self.column]


def add_score_columns(command):
    """Add the options that say which column holds the scores, which the labels, and what they mean."""
    command.add_argument("--score", required=True, metavar="COL", help="column of scores")
    command.add_argument("--label", metavar="COL", help="column of labels")
    command.add_argument("--class0", metavar="VALUE", help="label of class 0; default the first in sorted order")
    add_larger_means(command)


def add_larger_means(command):
    """Add the option of the direction of scores."""
    command.add_argument(
        "--larger-means",
        choices=("class1", "class0"),
        default="class1",
        help="the class that larger scores indicate; default class1",
    )


def smaller_means(column, class1):
    """Return what smaller values of a column mean, as a sentence; `class1` is a name as of `class_names`."""
    return f"Smaller values of {column!r} are taken to mean {class1}."


def without_gaps(frame, label, used, path, rest):
    """Return the rows of a table with a label and without gaps in the columns `used`, and what is said of the others.

    Nothing is said, None, where there are no others. The `label` is None for rows without such a column. The sentence
    `rest` says what comes of the rows that are returned.
    """
    labelled = frame if label is None else label_texts.labelled_rows(frame, label)
    kept = labelled.dropna(subset=[column for column in used if column in frame.columns])
    counts = {label_texts.without_label(label): len(frame) - len(labelled), files.GAPS: len(labelled) - len(kept)}
    told = (files.omitted_note(n, len(frame), Path(path).name, what) for what, n in counts.items())
    note = " ".join(filter(None, told)) or None
    if kept.empty and note is not None:
        raise InvalidInputError(f"no row is left. {note}")
    return kept, note and f"{note} {rest}"


def classes_of(args, frame):
    """Return which rows are of class 0, and both labels."""
    class1 = getattr(args, "class1", None)
    if args.label is None:
        class0 = 0 if args.class0 is None else args.class0
        used = [getattr(args, name, None) for name in ("score", "groups", "clusters", "weights")]
        if args.class0 is None and class1 is None:
            label_texts.warn_of_mixed_rows(label_texts.mixed_rows_told(frame, used), args.data)
        else:
            or_else = ", or name class 0 by --class0 with a word that no column has"
            label_texts.refuse_mixed_rows(frame, class0, class1, used, args.data, or_else=or_else)
        sys.stderr.write(f"note: all {len(frame)} rows are taken to be of {class0_with_label(class0)}\n")
        return np.ones(len(frame), dtype=bool), class0, 1 if class1 is None else _of_kind(class1, class0)
    labels = label_texts.label_values(frame, args.label)
    known = label_texts.distinct(labels)
    if args.class0 is None and len(known) != 2:
        raise InvalidInputError(
            f"the label column {args.label!r} has {len(known)} different values, {files.listed(known)}; name the label "
            "of class 0 with --class0."
        )
    class0 = arguments.class0_of(args, labels)
    arguments.say_class0(args, class0)
    is0 = label_texts.class0_rows(labels, args.label, class0, class1)
    others = label_texts.distinct(labels[~is0])
    if class1 is not None:
        return is0, class0, others[0] if others else _of_kind(class1, class0)
    return is0, class0, others[0] if len(others) == 1 else f"not {class0}"


def _of_kind(class1, class0):
    """Return the text of --class1 as a label of the type of class 0, such as the number 1 beside 0."""
    if isinstance(class0, str):
        return class1
    if isinstance(class0, bool):
        return label_texts.match_label(class1, [not class0])
    if isinstance(class0, int):
        # no float has all the digits of a large whole number
        with suppress(ValueError):
            return int(class1)
    try:
        number = float(class1)
    except ValueError:
        raise InvalidInputError(
            f"--class1 must be a number, because the label of class 0 is the number {class0}, got {class1!r}. Give the "
            "label of class 1 as the column of labels has it. Without such a column, give both --class0 and --class1."
        ) from None
    return int(number) if number.is_integer() and isinstance(class0, int) else number


def class1_known(rule):
    """Return the label of class 1 that a rule was made with, or None where it was made from class 0 alone.

    Examples
    --------
    >>> from nproc.serving import score_rule
    >>> scores0 = np.arange(100.0)
    >>> class1_known(score_rule(scores0, class0="ill", class1="well")), class1_known(score_rule(scores0, class0="ill"))
    ('well', None)
    """
    stands_for_all = rule.class1 == f"not {rule.class0}" or (isinstance(rule.class0, str) and rule.class1 == 1)
    return None if stands_for_all else rule.class1


def score_values(frame, column, chosen=None):
    """Return the scores of the chosen rows as floats; what is missing or no number is an error that names the row."""
    import pandas as pd

    files.require_columns(frame, [column], "the score")
    found = frame[column] if chosen is None else frame.loc[chosen, column]
    # a float32 is taken by its shortest text, so that the same scores in a CSV file are the same numbers
    given = (found.astype(str).astype(float) if found.dtype == np.float32 else found).tolist()
    scores = np.array([value if _is_score(value) else np.nan for value in given], dtype=float)
    bad = np.flatnonzero(~np.isfinite(scores))
    if bad.size:
        if all(isinstance(value, str) for value in given):
            refuse_commas_in_doubt(found, f"the column {column!r}")
        omit = " by --na-action omit" * bool(found.iloc[bad].isna().all())
        raise InvalidInputError(
            f"the column {column!r} must hold a finite number in every row that counts; row "
            f"{found.index[bad[0]] + 1} has {given[bad[0]]!r} ({bad.size} such row(s)). Correct them, or leave these "
            f"rows out{omit}."
        )
    # of all classes together, so that it is said once
    whole = pd.to_numeric(frame[column], errors="coerce").astype(float)
    whole = whole[np.isfinite(whole)]
    warn_of_score_codes(whole.to_numpy(), f"the column {column!r}", whole.index)
    return scores


def _is_score(value):
    return isinstance(value, int | float) and not isinstance(value, bool)
