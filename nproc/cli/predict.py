"""The command ``predict``: labels of new rows, read a part at a time, and with ``--out`` written so."""

import gzip
import sys
from pathlib import Path

import numpy as np

from nproc.bands import NPROCBand
from nproc.cli import files as table_parts
from nproc.cli import files as tabular
from nproc.cli import groups as cli_groups
from nproc.cli import values as cli_values
from nproc.cli.commands import Output
from nproc.errors import InvalidInputError
from nproc.fits import NPFit, evaluation_of_counts
from nproc.groups import NPClusterFit
from nproc.outputs import csv_text, replaced_file
from nproc.persistence import ESTIMATORS, load
from nproc.row_chunks import RefusedValuesError, counting
from nproc.small_samples import NPSmallSampleFit
from nproc.umbrella import package_versions


def load_classifier(path, alpha):
    """Return the `NPFit` in a model file; of a band that at a level."""
    if not Path(path).is_file():
        raise InvalidInputError(f"there is no model file {path}.")
    model = load(path)
    if isinstance(model, NPROCBand):
        if alpha is None:
            raise InvalidInputError(f"{path} holds a band; give --alpha to predict by its classifier at that level.")
        return model.classifier(alpha)
    if alpha is not None:
        raise InvalidInputError(f"{path} holds a classifier, whose alpha is fixed; leave out --alpha.")
    return model.fit_ if isinstance(model, ESTIMATORS) else model


def run_predict(args):
    """Predict the rows of a file."""
    fit = load_classifier(args.model, args.alpha)
    if (args.votes or args.scores) and len(fit.labels) > 2:
        raise InvalidInputError("--votes and --scores are for two classes, and the model has more; leave them out.")
    evaluations = []
    texts = (csv_text(predictions, header=first == 0) for first, predictions in _predicted(args, fit, evaluations))
    if not args.out:
        text = "".join(texts)
        _say_errors(evaluations)
        return Output(text, {})
    opened = gzip.open if str(args.out).lower().endswith(".gz") else open
    with replaced_file(args.out) as part, opened(part, "wb") as file:
        for text in texts:
            file.write(text.encode("utf-8"))
    _say_errors(evaluations)
    return Output("", {})


def _predicted(args, fit, evaluations):
    """Yield (number of rows before, output) of each part of the rows; add its errors to `evaluations`."""
    first = 0
    for frame in _frames(args, fit):
        try:
            output = _counted_output(args, fit, frame, first, evaluations)
        except RefusedValuesError:
            # it names file and row itself
            raise
        except InvalidInputError as error:
            if first == 0:
                raise
            raise InvalidInputError(f"rows {first + 1} to {first + len(frame)}: {error}") from error
        yield first, output
        first += len(frame)


def _counted_output(args, fit, frame, first, evaluations):
    with counting(str(args.data), lambda row: first + row):
        return _output(args, fit, frame, first, evaluations)


def _frames(args, fit):
    """Return an iterator over parts of the rows; a single one where they are few, or only the whole can be judged."""
    # errors in groups and clusters are not sums over parts of the rows
    in_parts = args.label is None or type(fit) in (NPFit, NPSmallSampleFit)
    written = cli_values.file_format(args)
    types = table_parts.common_types(args.data, _columns_used(args, fit), **written) if in_parts else None
    if types is None:
        return iter([tabular.read_table(args.data, **written)])
    return table_parts.read_parts(args.data, types, **written)


def _columns_used(args, fit):
    """Return the columns of the file that are looked at; None for all."""
    if fit.feature_names is None:
        return None
    of_fit = [getattr(fit, name, None) for name in ("group_column", "cluster_column")]
    return {*fit.feature_names, *args.keep, args.label, args.groups, *of_fit} - {None}


def _output(args, fit, frame, first, evaluations):
    import pandas as pd

    tabular.require_columns(frame, args.keep, "the column to keep")
    besides = dict.fromkeys([*args.keep, *([args.label] if args.label else [])])
    if args.label is not None:
        evaluations.append(cli_groups.evaluate_table(fit, frame, args.label, besides, args.groups))
    rows = tabular.rows_for(fit, frame, besides=besides)
    of_rows = cli_groups.row_arguments(fit, frame, args.groups)
    columns = {"predicted": fit.predict(rows, **of_rows)}
    if args.votes:
        columns["votes"] = fit.votes(rows, **of_rows)
    if args.scores:
        columns["score"] = fit.decision_function(rows, **of_rows)
    if args.p_values:
        columns["p_value"] = fit.p_values(rows)
    taken = [column for column in args.keep if column in columns]
    if taken:
        raise InvalidInputError(f"the output has a column {taken[0]!r} of its own; leave it out of --keep.")
    if args.keep:
        begin = {column: frame[column].to_numpy() for column in args.keep}
    else:
        begin = {"row": np.arange(first + 1, first + len(frame) + 1)}
    return pd.DataFrame({**begin, **columns})


def _say_errors(evaluations):
    if not evaluations:
        return
    whole = evaluations[0]
    if len(evaluations) > 1:
        counts = [sum(getattr(e, name) for e in evaluations) for name in ("n0", "n1", "n_false1", "n_false0")]
        known = {name: getattr(whole, name) for name in ("level", "alpha", "delta", "labels")}
        whole = evaluation_of_counts(*counts, **known)
    sys.stderr.write(f"{whole.summary()}\n")


def add_certify(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "certify",
        run_certify,
        "bound the type I error of a saved classifier from class 0 rows that it has never seen",
        "model.joblib fresh.csv --label default",
        "MODEL comes from 'fit --out', or from 'bands --out' (then give --alpha here). It holds a\n"
        "pickle: use only models that you trust. The rows of FRESH must be independent, and not used to make or to\n"
        "choose this model.\n"
        "Without --label all of them must be of class 0.",
    )
    command.add_argument("model", metavar="MODEL", help="file of a fitted classifier or band")
    command.add_argument("data", metavar="FRESH", help="CSV or Parquet file of new rows")
    cli_values.add_file_format(command)
    command.add_argument("--label", metavar="COL", help="column of true labels: only rows of class 0 count")
    command.add_argument("--alpha", type=float, metavar="X", help="level of the classifier, if MODEL is a band")
    command.add_argument("--delta", type=float, metavar="X", help="chance that the bound fails; default the model's")
    command.add_argument(
        "--candidates",
        type=int,
        default=1,
        metavar="K",
        help="classifiers, all fixed beforehand, certified on these rows: each is given delta / K; default 1",
    )
    command.add_argument("--groups", metavar="COL", help="column of groups, for a model with groups")
    cli_values.add_json(command)


def _refuse_labels(frame, fit, path):
    """Stop if a column that does not predict holds the labels of both classes: these rows are not all of class 0."""
    known = {str(label) for label in fit.labels}
    for column in frame.columns.difference(fit.design.required_columns or (), sort=False):
        values = {str(value) for value in frame[column].dropna().unique()[:3]}
        if values == known:
            raise InvalidInputError(
                f"{path} has the column {str(column)!r} with the labels of both classes; without --label all rows "
                f"count as {str(fit.class0)!r}. Give --label {column}, or leave out the rows of the other class."
            )


def run_certify(args):
    """Certify a saved classifier."""
    fit = load_classifier(args.model, args.alpha)
    if not isinstance(fit, NPFit):
        raise InvalidInputError(f"{args.model} holds a {type(fit).__name__}; certify takes classifiers of two classes.")
    frame = tabular.read_table(args.data, **cli_values.file_format(args))
    truth = None
    if args.label is not None:
        truth = tabular.as_trained(tabular.label_values(frame, args.label), fit.labels)
    else:
        _refuse_labels(frame, fit, args.data)
        sys.stderr.write(f"note: all {len(frame)} rows are taken to be of class 0, {fit.class0}\n")
    rows = tabular.rows_for(fit, frame, besides=[args.label] if args.label else [])
    # one row of each cluster counts, as where errors are evaluated
    options = cli_groups.row_arguments(fit, frame, args.groups, evaluating=isinstance(fit, NPClusterFit))
    bound = fit.certify(rows, truth, delta=args.delta, n_candidates=args.candidates, **options)
    record = {"command": "certify", "version": package_versions()["nproc-py"]}
    return Output(f"{str(bound.summary()).rstrip()}\n", record | bound.to_frame().to_dict("records")[0])
