"""What else is wrong with a table of which the first fault is told, as far as a look at it tells."""

import itertools
from functools import partial

from nproc.cli import files, groups, label_texts
from nproc.cli.predictor_columns import single_values
from nproc.errors import InvalidInputError
from nproc.rows import check_labels, formula_columns

# columns with missing values that are told one by one
MOST_WITH_GAPS = 12


def note_other_faults(error, args, frame):
    """Note with the first fault of a table the others: in the columns of `_faults_of_named`, in labels and predictors.

    Whoever mends one fault after the other would meet them one by one. Where a named column is misspelt, it is not
    known which columns predict, and only faults of the named ones are told.
    """
    told = [*_faults_of_named(args, frame), *_faults_of_rows(args, frame)]
    for fault in dict.fromkeys(told):
        if fault and fault not in (str(error), error.fact):
            error.add_note(f"Also: {fault}")


def _faults_of_named(args, frame):
    """Return what is wrong with the columns of the label, of groups, clusters and weights; "" for nothing."""
    if not args.formula:
        yield _fault(files.require_columns, frame, [args.label], "the label")
    for name, column in groups.named_columns(args).items():
        yield _fault(groups.check_column, args, frame, name, column)
    if args.sample_weight is not None:
        yield _fault(files.require_columns, frame, [args.sample_weight], "the column of --sample-weight")


def _faults_of_rows(args, frame):
    """Return what is wrong with the values of labels and predictors, if these are known; "" for nothing."""
    try:
        label, columns = _label_and_predictors(args, frame)
        labels = label_texts.label_values(frame, label, "omit")
    except InvalidInputError:
        return
    yield _fault(label_texts.label_values, frame, label, args.na_action)
    if args.class0 is not None:
        yield _fault(label_texts.match_label, args.class0, label_texts.distinct(labels))
    elif len(label_texts.distinct(labels)) != 2:
        yield _fault(partial(check_labels, name="the label column"), label_texts.present(labels))
    if args.na_action == "error" and not _take_gaps(args.method):
        yield _told_of_gaps(frame[columns])


def _label_and_predictors(args, frame):
    """Return the label and the columns that predict; without --features those of text with a single value do not."""
    if args.formula:
        label, *named = formula_columns(args.formula, frame)
    else:
        label, named = args.label, args.features or frame.columns
    besides = {label, *groups.dropped(args, frame)}
    columns = [column for column in named if column in frame.columns and column not in besides]
    if not args.formula and not args.features:
        texts = frame[columns].select_dtypes(exclude=["number", "bool"]).columns
        single = single_values(frame, texts, texts)
        columns = [column for column in columns if column not in single]
    return label, columns


def _fault(check, *arguments):
    try:
        check(*arguments)
    except InvalidInputError as error:
        # the way out of a known fault is one in Python
        return str(error) if error.fault is None else error.fact
    return ""


def _take_gaps(methods):
    from nproc.scorers import scorer_names, scorer_spec

    methods = [methods] if isinstance(methods, str) else methods
    known = scorer_names()
    return bool(methods) and all(method in known and scorer_spec(method).takes_gaps for method in methods)


def _told_of_gaps(predictors):
    missing = predictors.isna().sum()
    # an empty column is another fault
    counts = dict(missing[(missing > 0) & (missing < len(predictors))])
    if not counts:
        return ""
    (first, n), *others = itertools.islice(counts.items(), MOST_WITH_GAPS)
    rest = "".join(f", {column!r} has {n}" for column, n in others)
    more = ", ..." if len(counts) > MOST_WITH_GAPS else ""
    return f"column {first!r} has {n} missing value(s){rest}{more}; --na-action omit leaves such rows out."
