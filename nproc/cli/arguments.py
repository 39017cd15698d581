"""The options that several commands share, and the arguments that they become."""

import argparse
import sys
import warnings
from contextlib import contextmanager

from nproc.cli import files, fit_rows, label_texts, predictor_columns, values
from nproc.cli.groups import check_column, dropped, named_columns
from nproc.cli.other_faults import note_other_faults
from nproc.cli.wording import option_with
from nproc.errors import InvalidInputError
from nproc.rows import check_labels, fault_of_owners, formula_columns, refuse_two_signs

DATA = """\
DATA is a CSV file (.csv, .csv.gz, .tsv, .txt) with a header, Parquet, or JSON lines (.jsonl). All columns except the
label are predictors, unless you choose them by --features, --drop or --formula. Text columns are coded as categories;
one with a single value is left out, and one with many different values, or with mostly numbers, is an error. So is a
column without any value. Numbers that look like identifiers of the rows are used, with a warning. If the values of an
identifier repeat, as those of patients may, nothing is guaranteed: see --clusters of 'fit'. A first column without a
name holds row names and is left out. Class 0 is the class whose misclassification is controlled: name it with
--class0."""
MODEL = """\
MODEL comes from 'fit --out', or from 'bands --out' (then give --alpha here). It holds a
pickle: use only models that you trust."""
READ_BY = "a .joblib file is read only by npc and, in Python, nproc.load; not by joblib.load"

ROW_NUMBERS = """\
The column 'row' of the output has the number of each row of NEW, counted from 1 below the header. With --keep
the kept columns stand in its place."""


FORM_WRITTEN = (
    "A CSV file has the separator and the decimal sign of --sep and --decimal. Without --sep it has tabs if its name "
    "ends in .tsv, semicolons beside a decimal comma, and else commas"
)
QUOTED = "; a name with a comma stands within quotation marks, as in 'id,\"Age, years\"'"
OUT_ROWS = f"CSV file to write; default the standard output. {FORM_WRITTEN}"


def add_file_format(command):
    """Add the options that tell how the CSV files of a command are written."""
    command.add_argument(
        "--sep",
        type=values.separator,
        metavar="CHAR",
        help="separator of a CSV file, such as ; or tab; default a comma, and beside --decimal , the sign that the "
        "header and the first rows show",
    )
    command.add_argument(
        "--decimal", choices=(".", ","), metavar="SIGN", help="decimal sign of a CSV file; default a point"
    )
    command.add_argument(
        "--encoding",
        metavar="NAME",
        help="encoding of a CSV file, such as cp1252 of Excel on Windows; default UTF-8. A file "
        "that begins with the mark of UTF-8, as 'CSV UTF-8' of Excel does, is read as UTF-8 all the same. UTF-16 is "
        "not read: save the table as CSV UTF-8",
    )


def file_format(args):
    """Return how the CSV files of a command are written, as `files.read_table` takes it."""
    return {"sep": args.sep, "decimal": args.decimal, "encoding": args.encoding}


def add_keep(command):
    """Add the option of commands that write a row for each row of a file."""
    command.add_argument(
        "--keep",
        type=values.names,
        action="extend",
        default=[],
        metavar="A,B,...",
        help=f"columns to copy to the output; those of a CSV file as they stand there{QUOTED}",
    )


def add_na_action(command, faults, omit):
    """Add the option of what becomes of rows that cannot be used; `faults` says which these are, `omit` what omit does.

    The faults end with what they are, such as "is an error".
    """
    command.add_argument(
        "--na-action",
        choices=("error", "omit"),
        default="error",
        help=f"error (default): {faults}. omit: {omit}",
    )


def faults_for_model(file, *, labels="missing labels, "):
    """Return, as `add_na_action` takes it, what a model refuses in a file, and the missing `labels`."""
    return (
        f"{labels}missing values in {file} that the model cannot take, text in a column of numbers, and categories "
        "that were not in the training data, are an error"
    )


def table_of(args, name, fit=None, *, omits=False):
    """Return the table in the file that an argument names; None if it is not given.

    Of rows for a `fit`, the columns that held text there are read as text. Text in its columns of numbers is refused,
    unless the command `omits` the rows that have it.
    """
    path = getattr(args, name)
    if path is None:
        return None
    frame = files.read_table(path, **file_format(args), texts=fit_rows.texts_of(fit), tell=files.say_note)
    if fit is None:
        return frame
    frame = fit_rows.as_fitted(fit, frame, args.decimal)
    if not omits:
        fit_rows.refuse_text_among_numbers(fit, frame, args.decimal)
    return frame


def add_data(command):
    """Add the options of all commands that train: the table and its columns, the parameters of methods, the seed."""
    command.add_argument("data", metavar="DATA", help="CSV, Parquet or JSON lines file")
    add_file_format(command)
    command.add_argument(
        "--features", type=values.names, metavar="A,B,...", help=f"the columns that are predictors{QUOTED}"
    )
    command.add_argument(
        "--drop",
        type=values.names,
        action="extend",
        default=[],
        metavar="A,B,...",
        help=f"columns that are not predictors{QUOTED}",
    )
    command.add_argument(
        "--param",
        action="append",
        type=values.method_param,
        default=[],
        metavar="K=V",
        help="argument of the method, such as --method svm --param C=10, or svm.C=10 for one of several "
        "methods; a list in brackets, C1s=[1,10]; repeatable",
    )
    command.add_argument(
        "--seed",
        type=int,
        dest="random_state",
        metavar="N",
        help="the same seed gives the same result; by default a new one is drawn, and printed",
    )


def training_rows(args, frame):
    """Return the name of the label of a table, the values of that, and the rows as arguments of `npc`."""
    import pandas as pd

    if args.formula:
        if args.features or args.drop:
            raise InvalidInputError("--formula names the columns itself; leave out --features and --drop.")
        label, *named = formula_columns(args.formula, frame)
        # clusters, groups and weights are not among the columns that a dot stands for
        used = [column for column in named if column not in dropped(args, frame)]
        refuse_two_signs(frame[used], args.decimal)
        with _beside_clusters(args, frame):
            predictor_columns.check_texts_of_formula(frame[used], args.formula, args.decimal)
        formula, rows = args.formula, frame
    else:
        label, besides = args.label, dropped(args, frame)
        with _beside_clusters(args, frame):
            rows, texts = predictor_columns.choose_predictors(
                frame, label, features=args.features, drop=args.drop, besides=besides, decimal=args.decimal
            )
        formula = f"`{label}` ~ ." if texts else None
        predictor_columns.tell_categories(frame, texts)
        if args.features is not None:
            # the user has chosen them
            warnings.filterwarnings("ignore", ".* is used as a predictor, but it")
    labels = label_texts.label_values(frame, label, getattr(args, "na_action", None))
    # with its name, by which messages know it
    column = pd.Series(labels, index=rows.index, name=label, dtype=object if labels.dtype == object else None)
    return label, labels, predictor_columns.rows_as_arguments(rows, label, column, formula)


@contextmanager
def _beside_clusters(args, frame):
    """Say of a column of text that may name owners what to do with it beside the clusters that were given."""
    try:
        yield
    except InvalidInputError as error:
        clusters, column = getattr(args, "clusters", None), error.value
        if clusters is None or error.fault not in ("owners", "many categories", predictor_columns.MANY_OF_FORMULA):
            raise
        how = "of the formula" if args.formula else f"by {option_with('--drop', values.as_list([column]))}"
        error.fault, error.way_out = fault_of_owners(frame[column], frame[clusters], f"leave it out {how}")
        raise error.told("") from None


def add_two_classes(command, *, split_ratio=0.5):
    """Add the options of the commands that train for two classes."""
    add_data(command)
    label = command.add_mutually_exclusive_group(required=True)
    label.add_argument("--label", metavar="COL", help="the label column, with two values")
    label.add_argument("--formula", metavar="F", help="instead of --label, such as 'default ~ age + log(income)'")
    command.add_argument("--class0", metavar="VALUE", help="label of class 0; default the first in sorted order")
    command.add_argument(
        "--delta", type=float, default=0.05, help="each bound holds with probability at least 1 - delta; default 0.05"
    )
    command.add_argument(
        "--sample-weight", metavar="COL", help="column of weights for the training; it is not a predictor"
    )
    add_na_action(
        command,
        "missing labels, and missing values that the method cannot take, are an error; some methods take them in "
        "columns of numbers, none in columns of text",
        "leave out every row with a missing value in its label or in any column that is used, even if the method can "
        "take it, and say how many",
    )
    command.add_argument(
        "--splits", type=int, dest="n_splits", default=1, metavar="N", help="random splits, odd; default 1"
    )
    # a classifier trains on all class 1 rows, and a band leaves out some of them
    whose = "class 0" if split_ratio == "auto" else "each class"
    command.add_argument(
        "--split-ratio",
        type=values.split_ratio,
        default=split_ratio,
        metavar="R",
        help=f"share of {whose} used for training: a number, {'auto, ' * (split_ratio == 'auto')}or adaptive; default "
        f"{split_ratio}",
    )
    command.add_argument(
        "--jobs", type=int, dest="n_jobs", metavar="N", help="processes, -1 for all cores; the result is the same"
    )
    command.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help=(
            "save each trained split in this folder, so that the same command resumes after an interruption; requires "
            "--seed"
        ),
    )
    command.add_argument("-v", "--verbose", action="store_true", help="progress on the standard error")


def two_classes(args):
    """Return the arguments of `npc` that the options become, the name of the label, and the whole table."""
    frame = table_of(args, "data")
    try:
        label, labels, rows = training_rows(args, frame)
        class0 = class0_of(args, labels)
        for name, column in named_columns(args).items():
            check_column(args, frame, name, column)
        if class0 is None:
            # there are not two labels, and the fit would tell of gaps in predictors first
            check_labels(label_texts.present(labels), name="the label column")
    except InvalidInputError as error:
        note_other_faults(error, args, frame)
        raise
    weights = None
    if args.sample_weight is not None:
        files.require_columns(frame, [args.sample_weight], "the column of --sample-weight")
        # by its name a formula with "." leaves it out
        weights = frame[args.sample_weight] if args.formula is None else args.sample_weight
    training = {
        "class0": class0,
        "delta": args.delta,
        "sample_weight": weights,
        "na_action": args.na_action,
        "n_splits": args.n_splits,
        "split_ratio": args.split_ratio,
        "random_state": args.random_state,
        "n_jobs": args.n_jobs,
        "checkpoint": args.checkpoint,
        # a bar for the eye, lines for a log file
        "verbose": 0 if not args.verbose else 1 if sys.stderr.isatty() else 2,
    }
    return rows | training, label, frame


def class0_of(args, labels):
    """Return the label of class 0: the one that is named, else the first of two."""
    if args.class0 is None:
        return label_texts.first_label(labels)
    return label_texts.match_label(args.class0, label_texts.distinct(labels))


def say_class0(args, label):
    """Say which label was taken for class 0, where none was named."""
    if args.class0 is None:
        sys.stderr.write(
            f"note: class 0, whose misses are controlled, is {label}, the first label in sorted order; to control "
            "the misses of the other, name it with --class0\n"
        )


class OneMethod(argparse.Action):
    """The name of one method: a list, or a second name, is an error that says which commands take several."""

    given = False

    def __call__(self, parser, namespace, values, option_string=None):
        """Keep the name."""
        if self.given or "," in values:
            raise argparse.ArgumentError(
                self, "give one method; the commands compare and bands take several, as --method lda --method nb"
            )
        self.given = True
        setattr(namespace, self.dest, values)


def params_of(method, args, methods):
    """Return the parameters of one method: those for all, and those with its name and a dot before them."""
    own = {}
    for key, value in args.param:
        head, dot, tail = key.partition(".")
        if dot and head not in methods:
            raise InvalidInputError(f"--param {key}: {head!r} is not one of the methods {', '.join(methods)}.")
        if not dot:
            own[key] = value
        elif head == method:
            own[tail] = value
    return own


def method_help(more):
    """Return the help of an option that takes the name of a method."""
    from nproc.scorers import scorer_names

    return f"scoring method: {', '.join(scorer_names())}{more}"


def add_alpha(command, *, default=None, more=""):
    """Add the option of the level."""
    shown = "" if default is None else f"; default {default:g}"
    command.add_argument("--alpha", type=float, default=default, help=f"bound on the type I error{shown}{more}")


def add_limits(command, alphas):
    """Add the options of the ends of both axes of a picture of bands; it is drawn around the levels of `alphas`."""
    command.add_argument(
        "--xlim",
        type=values.limits,
        metavar="A,B",
        help=f"smallest and largest level that the picture shows, such as 0,0.2; default 0,1, and with {alphas} the "
        "levels around it",
    )
    command.add_argument(
        "--ylim",
        type=values.limits,
        metavar="A,B",
        help="ends of its vertical axis, 1 - type II error, such as 0.7,1; default 0,1",
    )
    command.add_argument(
        "--scale",
        choices=("roc", "sensitivity"),
        help="words of both axes. roc (default): type I error and 1 - type II error. sensitivity: 1 - specificity and "
        "sensitivity, the share of class 1 called class 1, in the names of the classes",
    )


def add_outputs(command, picture, *, out=None):
    """Add the options of the files that a command writes: the result if `out` says what it is, a picture, numbers."""
    if out:
        command.add_argument("--out", metavar="FILE", help=out)
    if picture:
        command.add_argument("--plot", metavar="FILE", help=f"draw {picture}: .png, .pdf, .svg")
        command.add_argument(
            "--figsize",
            type=values.figsize,
            metavar="WxH",
            help="width and height of the picture in inches, such as 3.35x3 for one column of a journal; default what "
            "it needs",
        )
    command.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help=(
            "print all numbers as JSON. With FILE they are written to it; if --json is the last argument, or with "
            "'-', JSON is printed instead of the text"
        ),
    )
