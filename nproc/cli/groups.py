"""Groups and clusters on the command line: their options, their columns, and what is reported of them."""

import sys

from nproc.cli import files, records
from nproc.errors import InvalidInputError


def add_groups(command, promise):
    """Add the options of groups, with what is promised of them."""
    command.add_argument("--groups", metavar="COL", help=f"column of groups: {promise}")
    command.add_argument(
        "--group-thresholds",
        choices=("separate", "pooled"),
        default="separate",
        help="a threshold for each group, or one for all; default separate",
    )


def dropped(args, frame):
    """Return the columns that do not predict: those of --drop, and those of groups, clusters and weights."""
    own = _columns(args, frame, ("groups", "clusters", "sample_weight")).values()
    return [*args.drop, *(column for column in own if column not in (args.features or ()))]


def fit_arguments(args, frame):
    """Return the arguments of `npc` for groups and clusters."""
    found = {name: frame[column] for name, column in _columns(args, frame).items()}
    return {**found, "group_thresholds": args.group_thresholds}


def _columns(args, frame, names=("groups", "clusters")):
    given = {name: getattr(args, name, None) for name in names}
    given = {name: column for name, column in given.items() if column is not None}
    for name, column in given.items():
        files.require_columns(frame, [column], f"the column of --{name.replace('_', '-')}")
    return given


def row_arguments(fit, frame, column=None, *, evaluating=False):
    """Return the arguments of `predict`, or of `evaluate`, for the rows of a table: their groups or clusters."""
    from nproc.groups import NPClusterFit, NPGroupFit

    if isinstance(fit, NPGroupFit):
        if fit.pooled and not evaluating:
            return {}
        column = fit.group_column if column is None else column
        if column is None:
            raise InvalidInputError("the model needs the groups of the rows; name their column with --groups.")
        files.require_columns(frame, [column], "the column of groups")
        return {"groups": frame[column]}
    if column is not None:
        raise InvalidInputError("--groups is for a model that was fitted with groups, and this one was not.")
    if evaluating and isinstance(fit, NPClusterFit) and fit.cluster_column in frame.columns:
        sys.stderr.write(f"note: errors are counted on one row of each class for each {fit.cluster_column!r}\n")
        return {"clusters": frame[fit.cluster_column], "random_state": fit.seed}
    return {}


def evaluate_table(fit, frame, label, besides=None, groups=None, **at_random):
    """Return the errors of a fit on a table with labels; `besides` are its columns that are no predictors."""
    labels = files.labels_for(fit, frame, label)
    of_rows = row_arguments(fit, frame, groups, evaluating=True)
    return fit.evaluate(files.rows_for(fit, frame, besides=besides or [label]), labels, **of_rows, **at_random)


def fit_record(fit, evaluation, *, label):
    """Return the object of ``fit``, with what groups or clusters add."""
    from nproc.groups import NPClusterFit, NPGroupFit

    if isinstance(fit, NPClusterFit):
        added = records.fields(fit, "cluster_column", "n_clusters", "n_clusters0")
        return records.fit_record(fit, evaluation, label=label) | added
    if not isinstance(fit, NPGroupFit):
        return records.fit_record(fit, evaluation, label=label)
    parts = [] if evaluation is None else zip(evaluation.groups, evaluation.parts, strict=True)
    return {
        **records.fit_record(fit, evaluation and evaluation.overall, label=label),
        "groups": list(fit.group_values),
        **records.fields(fit, "group_column", "pooled"),
        "violation_rate_any_group": fit.violation_rate,
        "n0_by_group": fit.n0_by_group,
        "test_by_group": [{"group": group, **records.evaluation_record(part)} for group, part in parts] or None,
    }
