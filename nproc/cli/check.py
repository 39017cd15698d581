"""The command ``check``: does anything speak against what the bound of a saved classifier rests on?"""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

from nproc.checks import class0_with_label
from nproc.cli import arguments, files, fit_rows, groups, label_texts
from nproc.cli.pictures import draw
from nproc.cli.predict import load_two_classes
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.persistence import is_kind
from nproc.rows import counting_rows

# a date of eight digits that ends in its year
DAY_FIRST = "(0[1-9]|[12][0-9]|3[01]){2}(19|20)[0-9]{2}"
# dates such as 03.05.2024, 3/5/2024 10:30 and 3-5-24
_ENDS_IN_YEAR = r"^\s*(?P<first>\d{1,2})(?P<sign>[./-])(?P<middle>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})(?!\d)"
_ONE_FORMAT = "Write them all as 2024-02-01."


def add_check(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "check",
        run_check,
        "model.joblib --data train.csv --new new.csv --label diagnosis --order date --clusters patient",
        f"{arguments.MODEL}\nWithout files, the left-out class 0 scores are checked in the order of their rows. If no\n"
        "check speaks against an assumption, that does not prove it.",
    )
    command.add_argument("model", metavar="MODEL", help="file of a classifier or of a band")
    command.add_argument("--data", metavar="DATA", help="the file that the classifier was fitted on")
    command.add_argument(
        "--new",
        dest="X0_new",
        metavar="NEW",
        help="file of new rows, of which those of class 0 count; for a model with clusters, one row of each cluster "
        "by the column of --clusters, or else that of the fit",
    )
    arguments.add_file_format(command)
    command.add_argument("--label", metavar="COL", help="column of true labels, in DATA and in NEW")
    command.add_argument(
        "--order",
        metavar="COL",
        help="column of DATA with the time of each row; for a model with clusters, that of the cluster, the same in "
        "all of its rows",
    )
    command.add_argument(
        "--clusters",
        metavar="COL",
        help="column of DATA, and for a model with clusters of NEW, with the cluster of each row",
    )
    command.add_argument("--alpha", type=float, metavar="X", help="level of the classifier of a band")
    command.add_argument("--level", type=float, default=0.05, metavar="X", help="level of each check; default 0.05")
    arguments.add_na_action(
        command,
        arguments.faults_for_model("NEW"),
        "leave these rows out of the checks of new rows and say how many. If the fit left out rows with missing "
        "values, such rows never count",
    )
    arguments.add_outputs(command, "the left-out scores with the new ones or the evidence")


def run_check(args):
    """Check a saved classifier."""
    fit = load_two_classes(args.model, args.alpha, "check")
    if args.label is None and (args.data is not None or args.X0_new is not None):
        raise InvalidInputError("give --label, the column of true labels in --data and --new.")
    # in --data the rows that the fit left out are left out anyway
    if args.na_action == "omit" and args.X0_new is None and args.data is None:
        raise InvalidInputError("--na-action omit is about the rows of --new; give that file, or leave the option out.")
    given, tables, left_out, dependent = {}, {}, None, ""
    if args.data is not None:
        frame = arguments.table_of(args, "data", fit)
        beside = [name for name in (args.order, args.clusters) if name is not None]
        files.require_columns(frame, [args.label, *beside], "the column")
        frame, note = fit_rows.rows_of_fit(fit, frame, args.label, beside, Path(args.data).name)
        if note is not None:
            sys.stderr.write(f"note: {note}\n")
        given["y"] = label_texts.labels_for(fit, frame, args.label, args.data)
        tables["X"] = frame
        given["X"] = fit_rows.rows_for(fit, frame, besides=dict.fromkeys([args.label, *beside]))
        if args.order is not None:
            given["order"] = _times(frame[args.order])
        clusters, where = args.clusters, "the column of --clusters"
        if clusters is None and getattr(fit, "cluster_column", None) in frame.columns:
            clusters, where = fit.cluster_column, "the column of clusters"
        if clusters is not None:
            given["clusters"] = files.complete_column(frame, clusters, where).to_numpy()
    elif args.order is not None:
        raise InvalidInputError("--order is a column of --data; give that file, too.")
    elif args.clusters is not None and not is_kind(fit, "NPClusterFit"):
        raise InvalidInputError("--clusters is a column of --data; give that file, too.")
    elif args.clusters is not None and args.X0_new is None:
        raise InvalidInputError("--clusters is a column of --data or --new; give one of these files, too.")
    if args.X0_new is not None:
        new = arguments.table_of(args, "X0_new", fit, omits=args.na_action == "omit")
        if args.data is None and args.clusters is not None:
            files.require_columns(new, [args.clusters], "the column")
        beside = [name for name in (args.order, args.clusters) if name in new.columns]
        clustered = is_kind(fit, "NPClusterFit")
        cluster_column = groups.cluster_column_of_new(fit, new, args.clusters) if clustered else None
        if args.na_action == "omit":
            by = () if cluster_column is None else (cluster_column,)
            words = {"by": by, "beside": beside, "done": "check", "rest": "Only the other rows are checked."}
            file = Path(args.X0_new).name
            new, left_out, _ = fit_rows.rows_with_errors(fit, new, args.label, file, args.decimal, **words)
        table, new = new, new[label_texts.labels_for(fit, new, args.label, args.X0_new) == fit.class0]
        lost = "the checks of new rows do not hold"
        dependent = groups.fresh_owners_of(fit, table, [new], [args.label, *beside], cluster_column, lost=lost)
        if len(new) == 0:
            left = "" if left_out is None else ", that is not left out"
            raise InvalidInputError(f"{args.X0_new} has no row of {class0_with_label(fit.class0)}{left}.")
        known = fit_rows.rows_for(fit, new, besides=dict.fromkeys([args.label, *beside]))
        if fit.design.coding is not None:
            with counting_rows(lambda row: int(new.index[row])):
                fit.design.transform(known)
        tables["X0_new"] = new
        given["X0_new"] = known
        given |= groups.clusters_of_new(fit, new, cluster_column)
        fit_rows.OutsideRanges(fit).add(known).warn_of_values(args.X0_new)
    with fit_rows.refusals_in_words(args.model, f"rows of {args.X0_new or args.data}"), fit_rows.places_of(tables):
        checks = fit.check_assumptions(**given, level=args.level)
    if dependent:
        note = f"The checks of new rows do not hold, because {dependent}."
        checks = replace(checks, note=f"{checks.note} {note}".strip())
    draw(args.plot, checks.plot, figsize=args.figsize, height=4.8, heights=(1, 1), sharex=checks.drawn.fresh is None)
    columns = {
        name: getattr(checks, name) for name in ("level", "n0_left_out", "n_splits", "n_permutations", "seed", "order")
    }
    records = [
        {"check": check.name, "found": check.found, "p_value": check.p_value, "p_holm": p, "reading": reading}
        for check, p, reading in zip(checks.checks, checks.holm, checks.readings, strict=True)
    ]
    return [*([left_out] if left_out else []), checks.summary()], columns | {"checks": records}


def _times(column):
    """Return a column of numbers or times under its name, with dates as text read as times; raise if one is missing."""
    files.complete_column(column.to_frame(), column.name, "the column of --order")
    if column.dtype.kind in "biufM":
        return column
    import pandas as pd

    texts = column.astype(str)
    # 01022024 is a day, and no number that grows with time
    if texts.str.fullmatch("[0-9]{1,18}").all() and not texts.str.fullmatch(DAY_FIRST).all():
        return column.astype(int)
    day_first = _is_day_first(column.name, texts)
    try:
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            # hours of one place differ from those of the world by another number in summer
            times = pd.to_datetime(column, dayfirst=day_first, utc=True)
    except (ValueError, TypeError) as error:
        wrong = pd.to_datetime(column, errors="coerce", format="mixed", dayfirst=day_first, utc=True).isna()
        if not wrong.any():
            raise InvalidInputError(
                f"--order {column.name} has dates in several formats; it begins with {texts.iloc[0]!r}. {_ONE_FORMAT}"
            ) from error
        first = "" if wrong.all() else f" Row {column.index[wrong][0] + 1} has {column[wrong].iloc[0]!r}."
        raise InvalidInputError(
            f"--order {column.name} holds neither numbers nor dates such as 2024-05-03; name a column that does.{first}"
        ) from error
    if met:
        warn_at_call(
            f"--order {column.name} has dates that may be read wrongly. {_ONE_FORMAT}",
            NPWarning,
        )
    return times


def _is_day_first(name, texts):
    """Return whether dates that end in their year begin with the day; raise where that is in doubt.

    With points they do. With other signs a day above 12 shows it.
    """
    parts = texts.str.extract(_ENDS_IN_YEAR).dropna()
    first, middle = (parts[place].astype(int) for place in ("first", "middle"))
    points, short = parts["sign"] == ".", parts["year"].str.len() == 2
    by_days, by_months = points | ((first > 12).any() & ~short), (middle > 12).any()
    doubt = parts.index[by_days if by_months else ~by_days]
    if len(doubt):
        raise InvalidInputError(
            f"--order {name} has dates such as {texts[doubt[0]]!r} in row {doubt[0] + 1}, of which the day or the "
            f"month may come first. {_ONE_FORMAT}"
        )
    return bool(by_days.any())
