"""The command ``predict``: labels of new rows, read a part at a time, and with ``--out`` written so."""

from __future__ import annotations

import gzip
import sys

import numpy as np

from nproc import cli_groups, cli_values, table_parts, tabular
from nproc.cli_commands import Output
from nproc.cli_models import load_classifier
from nproc.errors import InvalidInputError
from nproc.evaluation import evaluation_of_counts
from nproc.fitted import NPFit
from nproc.outputs import csv_text, replaced_file
from nproc.row_chunks.refusals import RefusedValuesError, counting
from nproc.small_samples.fit import NPNormalFit


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
    in_parts = args.label is None or type(fit) in (NPFit, NPNormalFit)
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
