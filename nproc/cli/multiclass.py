"""The commands for several classes: ``multiclass``, with bounds by priority, and ``npcs``, with levels aimed at."""

import sys

import numpy as np

from nproc.cli import arguments, files, fit_rows, groups, label_texts, values
from nproc.cli.groups import evaluate_table
from nproc.cli.pictures import draw
from nproc.cli.records import fields
from nproc.errors import InvalidInputError
from nproc.fits import with_known, with_shared_owners
from nproc.multiclass import SCHEMES, SCORES, VARIANTS, npc_multiclass, npcs
from nproc.outputs import csv_text
from nproc.persistence import save
from nproc.rows import counting_rows

_DATA = """\
DATA is a file as for 'fit'; the label column has two or more values. Text columns are coded as
categories."""


def add_multiclass(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "multiclass",
        run_several_classes,
        "tumours.csv --label kind --priority malignant,suspect,benign --alphas 0.05,0.1 --new new.csv "
        "--predictions called.csv",
        f"{_DATA}\nFor every class but the last, P(called a class of lower priority | class) <= alpha with probability "
        "at least\n1 - delta. Rows called a class of higher priority are errors without a bound.",
    )
    command.add_argument(
        "--priority", type=values.names, required=True, metavar="A,B,...", help="all labels, highest first"
    )
    for name, what in (("alphas", "bounds"), ("deltas", "each bound holds with probability at least 1 - delta")):
        command.add_argument(
            f"--{name}",
            type=values.one_or_more,
            default=0.05,
            metavar="X,...",
            help=f"{what}, one for each class but the last or one for all; default 0.05",
        )
    command.add_argument(
        "--scheme",
        choices=SCHEMES,
        default="joint",
        help="how a threshold counts left-out rows of its class that are called a class of higher priority. joint "
        "(default): as correct. separate: like all others, which is conservative",
    )
    command.add_argument(
        "--stage-score",
        choices=SCORES,
        default="against_lower",
        help=(
            "score of each stage. own: probability of the class in one model of all classes. against_lower (default): "
            "the class against all lower classes"
        ),
    )
    _add_common(command, _by_priority, "share that trains; default 0.5")


def add_npcs(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "npcs",
        run_several_classes,
        "tumours.csv --label kind --alphas malignant=0.05,suspect=0.2 --variant er --plot table.png --test test.csv",
        f"{_DATA}\nThe levels are targets without a guarantee. A warning is printed if they probably cannot all be "
        "met.",
    )
    for name, what in (
        ("alphas", "level of the total error of each class"),
        ("weights", "weights in the weighted sum of errors that is minimised"),
    ):
        required = name == "alphas"
        command.add_argument(f"--{name}", type=values.pairs, required=required, metavar="A=X,...", help=what)
    command.add_argument("--variant", choices=VARIANTS, default="cx", help="cx: plug-in, er: held-out errors")
    _add_common(command, _by_costs, "for er: share that trains")


def _add_common(command, fit, ratio_help):
    command.set_defaults(fit=fit, formula=None)
    arguments.add_data(command)
    command.add_argument("--label", required=True, metavar="COL", help="the label column")
    help_text = "scoring method; default logistic"
    command.add_argument("--method", action=arguments.OneMethod, default="logistic", metavar="M", help=help_text)
    command.add_argument("--split-ratio", type=float, default=0.5, metavar="R", help=ratio_help)
    command.add_argument("--test", metavar="FILE", help="rows with labels, not used for fitting: a confusion table")
    command.add_argument("--new", metavar="FILE", help="rows to predict; their labels go to the file of --predictions")
    command.add_argument(
        "--predictions",
        metavar="FILE",
        help="CSV file for the labels of the rows of --new; without --keep its column 'row' counts them from 1 below "
        f"the header. {arguments.FORM_WRITTEN}",
    )
    arguments.add_keep(command)
    arguments.add_outputs(
        command, "the confusion table of --test", out=f"save the classifier here; {arguments.READ_BY}"
    )


def _by_priority(args, labels, options, frame):
    priority = [label_texts.match_label(text, labels) for text in args.priority]
    own = fields(args, "alphas", "deltas", "split_ratio", "scheme", "stage_score")
    owners = groups.shared_owners(args, frame, args.label)
    fit = npc_multiclass(**options, priority=priority, **own)
    return with_shared_owners(fit, *owners)


def _by_costs(args, labels, options, _frame):
    given = fields(args, "alphas", "weights")
    own = {
        name: found and {label_texts.match_label(text, labels): number for text, number in found.items()}
        for name, found in given.items()
    }
    return npcs(**options, **own, **fields(args, "variant", "split_ratio"))


def run_several_classes(args):
    """Fit by priority or by costs, evaluate, predict, save and draw."""
    if (args.new is None) != (args.predictions is None):
        raise InvalidInputError(
            "--new, the rows, and --predictions, the CSV file for their labels, go together; give both."
        )
    if args.keep and args.new is None:
        raise InvalidInputError("--keep copies columns of --new to the file of --predictions; give both, too.")
    if "predicted" in args.keep:
        raise InvalidInputError("the output has a column 'predicted' of its own; leave it out of --keep.")
    if args.plot and args.test is None:
        raise InvalidInputError("--plot draws the confusion table of --test; give a file of rows with labels.")
    frame = arguments.table_of(args, "data")
    label, column, rows = arguments.training_rows(args, frame)
    labels = label_texts.distinct(column)
    test, new = arguments.table_of(args, "test"), arguments.table_of(args, "new")
    params = arguments.params_of(args.method, args, [args.method])
    options = {**rows, "method": args.method, "method_params": params, "random_state": args.random_state}
    with counting_rows(lambda row: int(frame.index[row])):
        fit = args.fit(args, labels, options, frame)
    parts = [fit.summary()]
    record = {
        "method": fit.method,
        "label": label,
        **fields(fit, "labels", "seed"),
        "classes": fit.to_frame().to_dict("records"),
    }
    if test is not None:
        with counting_rows(lambda row: int(test.index[row])):
            evaluation = evaluate_table(fit, test, label, args.test)
        evaluation = with_known(evaluation, dependent=groups.owners_of_errors(fit, test, label, args.test))
        parts.append(evaluation.summary())
        record["test"] = evaluation.to_frame().to_dict("records")
        draw(
            args.plot,
            evaluation.plot,
            figsize=args.figsize,
            width=4.4 + 1.05 * len(labels),
            height=1.6 + 0.9 * len(labels),
        )
        sys.stderr.write(fit_rows.repeated_note(frame, test, fit.feature_names))
        fit_rows.OutsideRanges(fit).add(test).warn(args.test)
    if new is not None:
        _write_predictions(fit, new, args)
    if args.out:
        save(fit, args.out)
    return parts, record


def _write_predictions(fit, new, args):
    import pandas as pd

    ((_, kept),) = files.with_kept([new], args.new, args.keep, **arguments.file_format(args))
    besides = dict.fromkeys([*([args.label] if args.label in new.columns else []), *args.keep])
    predicted = fit.predict(fit_rows.rows_for(fit, new, besides=besides))
    first = {name: kept[name].array for name in args.keep} or {"row": np.arange(1, len(new) + 1)}
    table = pd.DataFrame({**first, "predicted": predicted})
    signs = files.signs_written(args.predictions, sep=args.sep, decimal=args.decimal)
    files.write_texts(args.predictions, [csv_text(table, **signs)], **arguments.file_format(args))
    fit_rows.OutsideRanges(fit).add(new).warn(args.new)
