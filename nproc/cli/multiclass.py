"""The commands for several classes: ``multiclass``, with bounds by priority, and ``npcs``, with levels aimed at."""

import argparse
import sys

import numpy as np

from nproc.cli import files as pictures
from nproc.cli import files as tabular
from nproc.cli import values as cli_values
from nproc.cli.commands import Output
from nproc.errors import InvalidInputError
from nproc.multiclass import SCHEMES, SCORES, VARIANTS, npc_multiclass, npcs
from nproc.outputs import csv_text, replaced_file
from nproc.persistence import save
from nproc.umbrella import package_versions

_DATA = """\
DATA is a CSV or Parquet file as for 'fit'; the label column has two or more values. Text columns are coded as
categories."""


def add_multiclass(add, param):
    """Register both commands; `add` makes a command, `param` reads an argument of a method."""
    command = add(
        "multiclass",
        run_multiclass,
        "bound how often each class is called one of lower priority",
        "tumours.csv --label kind --priority malignant,suspect,benign --alphas 0.05,0.1 --new new.csv "
        "--predictions called.csv",
        f"{_DATA}\nFor every class but the last, P(called a class of lower priority | class) <= alpha with probability "
        "at least\n1 - delta. Rows called a class of higher priority are errors without a bound.",
    )
    _add_data(command, param)
    command.add_argument("--priority", type=_names, required=True, metavar="A,B,...", help="all labels, highest first")
    for name, what in (("alphas", "bounds"), ("deltas", "chances of breaking them")):
        command.add_argument(
            f"--{name}",
            type=_numbers,
            default=0.05,
            metavar="X,...",
            help=f"{what}, one for each class but the last or one for all; default 0.05",
        )
    command.add_argument("--scheme", choices=SCHEMES, default="joint", help="how rows caught earlier count")
    command.add_argument(
        "--stage-score",
        choices=SCORES,
        default="against_lower",
        help="own: the probability of the class by one model of all classes; default: against the lower classes",
    )
    command.add_argument("--split-ratio", type=float, default=0.5, metavar="R", help="share that trains; default 0.5")
    _add_outputs(command)

    command = add(
        "npcs",
        run_npcs,
        "aim at levels of the total errors of several classes by costs, without a promise",
        "tumours.csv --label kind --alphas malignant=0.05,suspect=0.2 --variant er --plot table.png --test test.csv",
        f"{_DATA}\nLevels are aimed at, not promised; a warning says if they seem out of reach together.",
    )
    _add_data(command, param)
    command.add_argument("--alphas", type=_pairs, required=True, metavar="A=X,...", help="levels of the total errors")
    command.add_argument("--weights", type=_pairs, metavar="A=X,...", help="weights of the errors to be made small")
    command.add_argument("--variant", choices=VARIANTS, default="cx", help="cx: plug-in, er: held-out errors")
    command.add_argument("--split-ratio", type=float, default=0.5, metavar="R", help="for er: share that trains")
    _add_outputs(command)


def run_multiclass(args):
    """Fit by priority, evaluate, predict, save and draw."""

    def fit(arguments, present):
        priority = [tabular.match_label(text, present) for text in args.priority]
        levels = {"alphas": args.alphas, "deltas": args.deltas, "split_ratio": args.split_ratio}
        scores = {"scheme": args.scheme, "stage_score": args.stage_score}
        return npc_multiclass(**arguments, priority=priority, **levels, **scores)

    return _run(args, fit)


def run_npcs(args):
    """Fit by costs, evaluate, predict, save and draw."""

    def fit(arguments, present):
        alphas = {tabular.match_label(text, present): x for text, x in args.alphas.items()}
        weights = args.weights and {tabular.match_label(text, present): x for text, x in args.weights.items()}
        own = {"alphas": alphas, "weights": weights, "variant": args.variant, "split_ratio": args.split_ratio}
        return npcs(**arguments, **own)

    return _run(args, fit)


def _run(args, fit):
    pictures.check_picture(args.plot)
    if (args.new is None) != (args.predictions is None):
        raise InvalidInputError("--new and --predictions go together: the rows, and the CSV file for their labels.")
    if args.plot and args.test is None:
        raise InvalidInputError("--plot draws the confusion table of --test; give a file of rows with labels.")
    arguments, present = _read(args)
    test = None if args.test is None else tabular.read_table(args.test, **cli_values.file_format(args))
    new = None if args.new is None else tabular.read_table(args.new, **cli_values.file_format(args))
    fitted = fit({**arguments, **_method(args)}, present)
    parts, record = [fitted.summary()], _record(args, fitted)
    if test is not None:
        values = tabular.as_trained(tabular.label_values(test, args.label), fitted.labels)
        evaluation = fitted.evaluate(tabular.rows_for(fitted, test, besides=[args.label]), values)
        parts.append(evaluation.summary())
        record["test"] = evaluation.to_frame().to_dict("records")
        if args.plot:
            n_classes = len(present)
            ax = pictures.blank_axes(width=4.4 + 1.05 * n_classes, height=1.6 + 0.9 * n_classes)
            evaluation.plot(ax=ax)
            pictures.write_picture(ax, args.plot)
    if new is not None:
        _write_predictions(fitted, new, args)
    if args.out:
        save(fitted, args.out)
    return Output("\n\n".join(str(part).rstrip() for part in parts) + "\n", record)


def _read(args):
    frame = tabular.read_table(args.data, **cli_values.file_format(args))
    rows, texts = tabular.choose_predictors(
        frame, args.label, features=args.features, drop=args.drop, decimal=args.decimal
    )
    values = tabular.label_values(frame, args.label)
    present = sorted(dict.fromkeys(values.tolist()), key=str)
    if texts:
        sys.stderr.write(f"note: coded as categories: {', '.join(texts)}\n")
        return {"X": f"`{args.label}` ~ .", "data": rows.assign(**{args.label: values})}, present
    return {"X": rows, "y": values}, present


def _method(args):
    return {"method": args.method, "method_params": dict(args.param), "random_state": args.seed}


def _write_predictions(fitted, new, args):
    import pandas as pd

    besides = [args.label] if args.label in new.columns else []
    predicted = fitted.predict(tabular.rows_for(fitted, new, besides=besides))
    table = pd.DataFrame({"row": np.arange(1, len(new) + 1), "predicted": predicted})
    with replaced_file(args.predictions) as part:
        part.write_text(csv_text(table), encoding="utf-8")


def _record(args, fitted):
    return {
        "command": args.command,
        "version": package_versions()["nproc-py"],
        "method": fitted.method,
        "label": args.label,
        "labels": fitted.labels,
        "seed": fitted.seed,
        "classes": fitted.to_frame().to_dict("records"),
    }


def _add_data(command, param):
    command.add_argument("data", metavar="DATA", help="CSV or Parquet file")
    cli_values.add_file_format(command)
    command.add_argument("--label", required=True, metavar="COL", help="the label column")
    command.add_argument("--features", type=_names, metavar="A,B,...", help="the columns that predict")
    command.add_argument("--drop", type=_names, default=[], metavar="A,B,...", help="columns that do not predict")
    command.add_argument("--method", default="logistic", metavar="M", help="scoring method; default logistic")
    command.add_argument(
        "--param", action="append", type=param, default=[], metavar="K=V", help="argument of the method; repeatable"
    )
    command.add_argument("--seed", type=int, metavar="N", help="for the same result again; default a fresh one, shown")


def _add_outputs(command):
    command.add_argument("--test", metavar="FILE", help="rows with labels, not used for fitting: a confusion table")
    command.add_argument("--new", metavar="FILE", help="rows to predict, to --predictions")
    command.add_argument("--predictions", metavar="FILE", help="CSV file for the labels of the rows of --new")
    command.add_argument("--out", metavar="FILE", help="save the classifier here")
    command.add_argument("--plot", metavar="FILE", help="draw the confusion table of --test: .png, .pdf, .svg")
    command.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="all numbers as JSON, to FILE or instead of the text"
    )


def _names(text):
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("give names, separated by commas")
    return names


def _numbers(text):
    try:
        values = [float(piece) for piece in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"give numbers separated by commas, not {text!r}") from None
    return values if len(values) > 1 else values[0]


def _pairs(text):
    found = {}
    for piece in _names(text):
        label, equals, number = piece.rpartition("=")
        try:
            found[label.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not label.strip():
            raise argparse.ArgumentTypeError(f"give label=number, separated by commas, not {piece!r}")
    return found
