"""Groups and clusters on the command line: their options, their columns, and what is reported of them."""

import sys
from dataclasses import replace

from nproc.checks import count_of
from nproc.cli import files, fit_rows, label_texts, records
from nproc.cli.wording import SEVERAL_CLASSES, excluding_clusters, give_clusters, option_with
from nproc.errors import InvalidInputError
from nproc.persistence import is_kind
from nproc.rows import (
    formula_columns,
    has_twin,
    holds_all,
    names_owners,
    numbers_rows_anew,
    owners_told,
    owners_within,
    row_keys,
    rows_across,
)

NOTHING_CERTIFIED = "nothing is certified by these rows"
# rows of each value, on average, of a column of owners that holds categories such as countries
ROWS_OF_CATEGORY = 3
FILL_OR_OMIT = "fill them in, or leave out these rows, as --na-action omit does"


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
    found = _columns(args, frame)
    # by its name a formula with "." leaves it out
    found = {name: column if args.formula else frame[column] for name, column in found.items()}
    return {**found, "group_thresholds": args.group_thresholds}


def with_columns(fit, args):
    """Return a fit that knows in which columns of a table its groups or clusters are, as the options say."""
    if args.groups is not None:
        return replace(fit, group_column=args.groups)
    return fit if args.clusters is None else replace(fit, cluster_column=args.clusters)


def named_columns(args, names=("groups", "clusters")):
    """Return the columns that options name, by the names of the options."""
    given = {name: getattr(args, name, None) for name in names}
    return {name: column for name, column in given.items() if column is not None}


def check_column(args, frame, name, column):
    """Raise unless a table has the column of an option, without gaps if the rows with them are not left out."""
    if args.na_action == "omit":
        files.require_columns(frame, [column], f"the column of --{name}")
    else:
        files.complete_column(frame, column, f"the column of --{name}", FILL_OR_OMIT)


def _columns(args, frame, names=("groups", "clusters")):
    given = named_columns(args, names)
    for name, column in given.items():
        files.require_columns(frame, [column], f"the column of --{name.replace('_', '-')}")
    return given


def shared_owners(args, frame, label, used=(), counted=None):
    """Return in a few words which rows depend on each other by their owners, and by which columns, and warn of them.

    The words are "" if no rows do. Owners are told by the identifiers of the table. A user who names one as a
    predictor, or its use by another option, says that it names none. With clusters only owners count whose rows are in
    several of them.

    Parameters
    ----------
    args : Namespace
        The options of the command.
    frame : DataFrame
        The whole table.
    label : str or None
        Its label column; None where all rows are of class 0.
    used : sequence of str
        Columns that an option names, such as scores.
    counted : DataFrame, optional
        The rows of which no two may share an owner; without it all with a label.
    """
    own = _columns(args, frame, ("groups", "clusters", "sample_weight"))
    named, predictors = _predictors(args, frame, label)
    besides = {label, *own.values(), *used, *(predictors if named else ())}
    # rows without a label are left out, if they are no error
    rows = frame if label is None else frame[frame[label].notna()]
    counted = rows if counted is None else counted
    counts = _owners(rows, [counted], besides, own.get("clusters"))
    other = "another row" if own.get("clusters") is None else "a row of another cluster"
    told = owners_told(counts, len(counted), other)
    # of a predictor the package warns itself
    if any(column not in predictors for column in counts):
        way_out = _way_of_clusters(args, _by_owners(rows, counts, own.get("clusters")))
        _warn(f"nothing is guaranteed for these rows, because {told}. {way_out}", counts)
    return told, tuple(counts)


def _way_of_clusters(args, by):
    """Return how a user takes into account that rows share owners, by the option --clusters."""
    if args.command in (*SEVERAL_CLASSES, "plan"):
        return "This command cannot take that into account. Give rows of which no two share one."
    if not hasattr(args, "clusters"):
        command = "threshold" if getattr(args, "scores", None) else "fit"
        return f"This command cannot take that into account. The command npc {command} {by} can."
    instead_of = excluding_clusters(args)
    other = "give rows of which no two share one, or " if instead_of else ""
    return f"To take that into account, {other}{give_clusters(by, instead_of)}."


def fresh_owners(
    table,
    parts,
    besides,
    clusters=None,
    *,
    known=(),
    lost=NOTHING_CERTIFIED,
    earlier=None,
    told_earlier="",
    way_out=None,
):
    """Return in a few words which new rows depend on each other by their owners, and warn of them; "" if none do.

    Parameters
    ----------
    table : DataFrame
        All rows, with all columns.
    parts : sequence of DataFrame
        Those that are counted together: the rows of class 0, or of each class.
    besides : sequence of str
        Columns that name no owners, such as the labels.
    clusters : str, optional
        A column of clusters, of each of which one row counts.
    known : collection of str
        Columns that named owners in the rows of a fit, or in those that set the threshold of a rule.
    lost : str
        What does not hold for rows that depend on each other.
    earlier : dict of list of str, optional
        The hashes of the owners of rows that were counted before, by the columns; those of these rows are added.
    told_earlier : str
        What this function returned for rows that were counted before.
    way_out : str, optional
        What to do about rows whose owners were counted before; None accepts these rows. They are accepted, too, where
        a column has few values for its rows, as countries, which come again in each file. So they are where it was
        told of earlier rows, of which nothing is guaranteed any more.

    Raises
    ------
    InvalidInputError
        If owners were counted before, and their rows are not accepted.
    """
    counts = _owners(table, parts, {*besides, clusters}, clusters, known)
    again = {} if earlier is None else _owners_again(table, parts, {*besides, clusters}, known, earlier)
    other = "another row" if clusters is None else "a row of another cluster"
    other += "" if len(parts) == 1 else " of their class"
    if way_out is not None:
        refused = {
            column: n
            for column, n in again.items()
            if not (_is_category(parts, column) or f"{column!r} with " in told_earlier)
        }
        if refused:
            raise InvalidInputError(f"{owners_told({}, sum(map(len, parts)), earlier=refused)}. {way_out}")
    told = owners_told(counts, sum(map(len, parts)), other, again)
    if told:
        counts |= again
        by = _by_owners(table, counts, clusters)
        way_out = f"Give rows of which no two share one, or use a model or rule that was made with {by}."
        _warn(f"{lost}, because {told}. {way_out}", counts)
    return told


def fresh_owners_of(fit, table, parts, besides, clusters=None, **options):
    """Return `fresh_owners` of new rows of a saved fit, whose columns may name owners too.

    A predictor names owners if the fit has told so of its own rows. `clusters` is the column of clusters where it is
    not that of the fit, which then names owners.
    """
    from nproc.fits import NO_SHARED_OWNERS

    predictors = () if NO_SHARED_OWNERS in getattr(fit, "unmet", ()) else fit.feature_names or ()
    of_groups, of_fit = getattr(fit, "group_column", None), cluster_column_in(fit, table)
    clusters = of_fit if clusters is None else clusters
    known = {*fit.design.owners, of_fit} - {clusters, None}
    return fresh_owners(table, parts, [*besides, *predictors, of_groups], clusters, known=known, **options)


def owners_of_errors(fit, table, label, file, groups=None):
    """Return `fresh_owners` of the rows of each class of a fit, on which its errors are counted."""
    labels = label_texts.labels_for(fit, table, label, file)
    classes = [table[labels == one] for one in fit.labels]
    lost = "the intervals of the errors do not hold"
    return fresh_owners_of(fit, table, classes, [label, groups], lost=lost)


def cluster_column_in(fit, rows):
    """Return the column of some rows that has the clusters of a fit, or None."""
    column = getattr(fit, "cluster_column", None)
    return column if column in rows.columns else None


def warn_of_copies(rows):
    """Warn of rows to certify that equal other ones in all columns of their file."""
    n_copies = int(has_twin(row_keys(rows)).sum())
    if n_copies:
        sys.stderr.write(
            f"warning: {count_of(n_copies, len(rows), 'class 0 rows')} equal another one in all columns. If they are "
            "one observation entered twice, they are not independent, and the bound does not hold: remove the copies. "
            "If they are different observations that agree in all columns, they do no harm.\n"
        )


def _owners(table, parts, besides, clusters, known=()):
    """Return how many rows share an owner with others, in other clusters if there are any, by the columns of owners."""
    counts = owners_within(table, parts, besides, known)
    if clusters is not None:
        counts = {column: sum(rows_across(part, column, clusters) for part in parts) for column in counts}
    return {column: count for column, count in counts.items() if count}


def _owners_again(table, parts, besides, known, earlier):
    """Return how many rows share an owner with a row that was counted before, by the columns; remember their owners.

    A column of which two values or fewer have come so far tells no owners apart, such as a mark of one of two groups.
    Nor does one that numbers the rows of each file anew.
    """
    from nproc.cli import counted_rows

    counts = {}
    for column in table.columns:
        if column in besides or not (column in known or column in earlier or names_owners(table[column])):
            continue
        marks = [mark for part in parts for mark in counted_rows.value_marks(part[column]) if mark is not None]
        before = earlier.get(column, [])
        counted = set(before)
        fresh = list(dict.fromkeys(mark for mark in marks if mark not in counted))
        n_again = sum(mark in counted for mark in marks)
        tells = column in known or len(counted) + len(fresh) > 2
        if n_again and tells and not numbers_rows_anew(table[column]):
            counts[column] = n_again
        earlier[column] = counted_rows.latest(before + fresh)
    return counts


def _is_category(parts, column):
    """Return whether a column of owners has so few values for its rows that they are categories."""
    values = [part[column].dropna() for part in parts]
    return sum(map(len, values)) >= ROWS_OF_CATEGORY * sum(part.nunique() for part in values)


def _by_owners(rows, counts, clusters):
    column = holds_all(rows, [*counts, *([] if clusters is None else [clusters])])
    return (
        "--clusters a column in which all rows that belong together share one value"
        if column is None
        else option_with("--clusters", column)
    )


def _warn(text, counts):
    names = " or ".join(map(repr, counts))
    sys.stderr.write(
        f"warning: {text} If rows with the same {names} do not belong together, leave "
        f"{'it' if len(counts) == 1 else 'such a column'} out of the file.\n"
    )


def _predictors(args, frame, label):
    """Return whether the user has named the predictors one by one, and which they are."""
    formula, features = getattr(args, "formula", None), getattr(args, "features", None)
    if formula:
        return "." not in formula.partition("~")[2].split(), formula_columns(formula, frame)
    if getattr(args, "scores", None) or not hasattr(args, "drop"):
        return True, ()
    drop = dropped(args, frame)
    return features is not None, [column for column in features or frame.columns if column not in drop]


def row_arguments(fit, frame, column=None, *, evaluating=False):
    """Return the arguments of `predict`, or of `evaluate`, for the rows of a table: their groups or clusters."""
    if is_kind(fit, "NPGroupFit"):
        if fit.pooled and not evaluating:
            return {}
        column = fit.group_column if column is None else column
        if column is None:
            raise InvalidInputError("the model needs the groups of the rows; name their column with --groups.")
        return {"groups": files.complete_column(frame, column, "the column of groups", FILL_OR_OMIT)}
    if column is not None:
        raise InvalidInputError("--groups is for a model that was fitted with groups, and this one was not.")
    column = cluster_column_in(fit, frame) if evaluating else None
    if column is not None:
        sys.stderr.write(f"note: errors are counted on one row of each class for each {column!r}\n")
        clusters = files.complete_column(frame, column, "the column of clusters", FILL_OR_OMIT)
        return {"clusters": clusters, "random_state": fit.seed}
    return {}


def columns_of_rows(fit, frame, column=None, *, evaluating=False):
    """Return the column of groups or clusters that `row_arguments` reads from a table, in a list; an empty one if none.

    A row with a gap there is left out where rows with missing values are.
    """
    if is_kind(fit, "NPGroupFit"):
        column = None if fit.pooled and not evaluating else column or fit.group_column
    else:
        column = cluster_column_in(fit, frame) if evaluating else None
    return [column] if column in frame.columns else []


def cluster_column_of_new(fit, new, named):
    """Return the column of new rows that has their clusters: the `named` one, else that of the fit, else None."""
    return named if named in new.columns else cluster_column_in(fit, new)


def clusters_of_new(fit, new, column):
    """Return as an argument the clusters of class 0 rows in a column; nothing if it is None."""
    if column is None:
        return {}
    of_fit = cluster_column_in(fit, new)
    is_other = of_fit not in (column, None)
    other = f", as --clusters says, and not for each {of_fit!r}" if is_other else ""
    sys.stderr.write(f"note: one of the new rows counts for each {column!r}{other}\n")
    # its name tells whether these are clusters of another column than that of the fit
    return {"clusters_new": files.complete_column(new, column, "the column of clusters", FILL_OR_OMIT)}


def evaluate_table(fit, frame, label, file, besides=None, groups=None, **at_random):
    """Return the errors of a fit on the table of a file; `besides` are its columns that are no predictors."""
    labels = label_texts.labels_for(fit, frame, label, file)
    of_rows = at_random | row_arguments(fit, frame, groups, evaluating=True)
    return fit.evaluate(fit_rows.rows_for(fit, frame, besides=besides or [label]), labels, **of_rows)


def fit_record(fit, evaluation, *, label):
    """Return the object of ``fit``, with what groups or clusters add."""
    if is_kind(fit, "NPClusterFit"):
        added = records.fields(fit, "cluster_column", "n_clusters", "n_clusters0", "n0_trained", "n1_trained")
        return records.fit_record(fit, evaluation, label=label) | added
    if not is_kind(fit, "NPGroupFit"):
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
