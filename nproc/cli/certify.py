"""The command ``certify``: a bound on the type I error of a saved classifier from rows that it has never seen."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from nproc.checks import class0_with_label, count_of
from nproc.cli import arguments, files, fit_rows, groups, label_texts, values
from nproc.cli.predict import load_two_classes
from nproc.cli.rule import calls_of, complete_rows, is_rule, rule_columns
from nproc.cli.scores import add_larger_means, class1_known, classes_of, score_values, without_gaps
from nproc.errors import InvalidInputError
from nproc.fits import (
    ALL_GROUPS,
    ONE_ROW_EACH,
    SET_THE_RULE,
    bound_of_count,
    one_row_each,
    warn_no_clusters,
)
from nproc.groups import EqualThresholds, NPClusterFit
from nproc.monitoring import CLUSTERS_UNKNOWN, read_clusters
from nproc.rows import counting_rows
from nproc.score_direction import warn_direction
from nproc.serving import read_rule

_OTHERS = "The bound is about the other rows."


def add_certify(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "certify",
        run_certify,
        "rule.json fresh.jsonl --label label",
        f"{arguments.MODEL}\nMODEL may also be a rule of 'threshold --out' (.json), or a number: a cut on --score.\n"
        "The rows of FRESH must be independent, and not used to make or to choose this model.\n"
        "For a model or rule made with --clusters, one row of each cluster counts, by the column of that name in\n"
        "FRESH, and only the clusters must be independent. Without it nothing is certified.\n"
        "Without --label all of them must be of class 0, unless FRESH has the label column of the fit's formula.",
    )
    command.add_argument("model", metavar="MODEL", help="file of a classifier, a band or a rule, or a number")
    command.add_argument("data", metavar="FRESH", help="CSV, Parquet or JSON lines file of new rows")
    arguments.add_file_format(command)
    command.add_argument("--label", metavar="COL", help="column of true labels: only rows of class 0 count")
    command.add_argument("--score", metavar="COL", help="column of scores, for a rule (default as there) or a number")
    command.add_argument(
        "--class0", metavar="VALUE", help="label of class 0, for a number; a saved model or rule knows it"
    )
    add_larger_means(command)
    command.add_argument(
        "--alpha",
        type=float,
        metavar="X",
        help="level of the classifier of a band; for a cut, the level to compare its bound with",
    )
    command.add_argument(
        "--delta",
        type=float,
        metavar="X",
        help="the bound holds with probability at least 1 - delta; default: delta of the model",
    )
    command.add_argument(
        "--candidates",
        type=int,
        dest="n_candidates",
        default=1,
        metavar="K",
        help=(
            "number K of classifiers that are certified on these rows, all fixed beforehand; each bound uses delta / "
            "K; default 1"
        ),
    )
    command.add_argument(
        "--anytime",
        action="store_true",
        help="the bound holds however often you look as rows come in, each time at all rows since the first",
    )
    command.add_argument("--groups", metavar="COL", help="column of groups, for a model with groups")
    arguments.add_na_action(
        command,
        arguments.faults_for_model("FRESH"),
        "leave these rows out and say how many; the bound is then about the other rows. If the fit left out rows with "
        "missing values, such rows never count",
    )
    arguments.add_outputs(command, None)


def run_certify(args):
    """Certify a saved classifier, a rule or a cut."""
    cut = _number(args.model, args.decimal)
    if cut is not None:
        return _certify_cut(args, cut)
    if not Path(args.model).is_file():
        way_out = values.decimal_point(args.model)
        raise InvalidInputError(f"{args.model!r} is neither a number nor a file{way_out}.")
    if args.class0 is not None or args.larger_means != "class1":
        raise InvalidInputError("--class0 and --larger-means are for a cut; this model knows both, leave them out.")
    if is_rule(args.model):
        return _certify_rule(args)
    if args.score is not None:
        raise InvalidInputError("--score is for a rule or a cut; leave it out for a saved classifier.")
    fit = load_two_classes(args.model, args.alpha, "certify")
    frame = arguments.table_of(args, "data", fit, omits=args.na_action == "omit")
    known = None if fit.design.coding is None else fit.design.coding.label
    label = known if args.label is None and known in frame.columns else args.label
    note = None
    if args.na_action == "omit":
        by = groups.columns_of_rows(fit, frame, args.groups, evaluating=isinstance(fit, NPClusterFit))
        frame, note, _ = fit_rows.rows_with_errors(
            fit, frame, label, Path(args.data).name, args.decimal, by=by, rest=_OTHERS
        )
    if label is not None:
        truth, besides = label_texts.labels_for(fit, frame, label, args.data), [label]
        if args.label is None:
            n_others = int(np.sum(truth != fit.class0))
            are = "is of another class and is" if n_others == 1 else "are of another class and are"
            sys.stderr.write(
                f"note: the column {label!r} has the labels; {count_of(n_others, len(frame))} {are} left out\n"
            )
    else:
        truth, besides = None, []
        of_fit = [getattr(fit, name, None) for name in ("group_column", "cluster_column")]
        used = [*(fit.design.required_columns or ()), args.groups, *of_fit]
        label_texts.refuse_mixed_rows(frame, *fit.labels, used, args.data)
        sys.stderr.write(f"note: all {len(frame)} rows are taken to be of {class0_with_label(fit.class0)}\n")
    class0_rows = frame if truth is None else frame[truth == fit.class0]
    if groups.cluster_column_in(fit, class0_rows) is None:
        groups.warn_of_copies(class0_rows)
    owners = groups.fresh_owners_of(fit, frame, [class0_rows], [*besides, args.groups])
    rows = fit_rows.rows_for(fit, frame, besides=besides)
    # one row of each cluster counts, as where errors are evaluated
    options = groups.row_arguments(fit, frame, args.groups, evaluating=isinstance(fit, NPClusterFit))
    options |= {"delta": args.delta, "n_candidates": args.n_candidates, "anytime": args.anytime}
    with (
        fit_rows.refusals_in_words(args.model, f"rows of {args.data}"),
        counting_rows(lambda row: int(frame.index[row])),
    ):
        bound = fit.certify(rows, truth, **options)
        bound = replace(bound, dependent=owners or bound.dependent)
    fit_rows.OutsideRanges(fit).add(class0_rows).warn(args.data)
    return [*([note] if note else []), bound.summary()], _record(bound)


def _number(text, decimal=None):
    try:
        return float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return None


def _certify_rule(args):
    rule = read_rule(args.model)
    if args.alpha is not None:
        raise InvalidInputError("the rule has an alpha of its own; leave out --alpha.")
    frame, left_out = arguments.table_of(args, "data"), None
    if args.na_action == "omit":
        frame, left_out = complete_rows(args, rule, frame, _OTHERS)
    table, mixed = frame, ""
    if args.label is None:
        used = [*rule_columns(args, rule), rule.cluster_column]
        if (rule.class0, rule.class1) == (0, 1) and not rule.labelled:
            # these labels are also those of a rule of rows without labels
            mixed = label_texts.mixed_rows_told(frame, used)
            label_texts.warn_of_mixed_rows(mixed, args.data)
        else:
            known = class1_known(rule)
            again = ", or make the rule again by threshold --class0 with a word that no column has"
            or_else = again if known is None else ""
            label_texts.refuse_mixed_rows(frame, rule.class0, known, used, args.data, or_else=or_else)
        sys.stderr.write(f"note: all {len(frame)} rows are taken to be of {class0_with_label(rule.class0)}\n")
    else:
        truth = label_texts.label_values(frame, args.label)
        is0 = label_texts.class0_rows(truth, args.label, rule.class0, class1_known(rule))
        # that there are any
        label_texts.match_label(rule.class0, label_texts.distinct(truth))
        frame = frame[is0]
    used = rule_columns(args, rule)
    scores, called1 = score_values(frame, used[0]), calls_of(args, rule, frame)
    drawn_from = rule.cluster_column if rule.clustered and rule.cluster_column in frame.columns else None
    owners = groups.fresh_owners(table, [frame], [args.label, *used], drawn_from, known=rule.owners)
    note = ALL_GROUPS if rule.groups and not isinstance(rule.threshold, EqualThresholds) else ""
    if drawn_from is not None:
        clusters = read_clusters(files.complete_column(frame, drawn_from, "the column of clusters"), len(frame))
        sys.stderr.write(f"note: one row counts for each {rule.cluster_column!r}\n")
        called1 = called1[one_row_each(clusters, rule.seed)]
        note = ONE_ROW_EACH if len(called1) < len(frame) else ""
    elif rule.clustered:
        warn_no_clusters(len(frame))
        owners = owners or CLUSTERS_UNKNOWN
    # the rows that set the threshold, if this is their file
    own_rows = rule.was_set_by(scores) or None
    if own_rows:
        sys.stderr.write(f"warning: {SET_THE_RULE}\n")
    delta = rule.delta if args.delta is None else args.delta
    note = f"{note} {mixed}".strip()
    known = {"delta": delta, "alpha": rule.alpha, "method": args.model, "note": note, "own_rows": own_rows}
    known |= {"dependent": owners, "guaranteed_delta": None if rule.dependent else rule.delta, "is_rule": True}
    parts, record = _bound(args, called1, classes=(rule.class0, rule.class1), **known)
    return [*([left_out] if left_out else []), *parts], record


def _certify_cut(args, cut):
    if args.score is None:
        raise InvalidInputError("a cut needs the column of scores; name it with --score.")
    frame, left_out = arguments.table_of(args, "data"), None
    if args.na_action == "omit":
        frame, left_out = without_gaps(frame, args.label, [args.score], args.data, _OTHERS)
    is0, *classes = classes_of(args, frame)
    scores = score_values(frame, args.score, is0)
    called1 = scores > cut if args.larger_means == "class1" else scores < cut
    _warn_of_direction(args, frame, scores, ~is0)
    side = ">" if args.larger_means == "class1" else "<"
    delta = 0.05 if args.delta is None else args.delta
    method = f"{args.score} {side} {args.model}"
    owners = groups.fresh_owners(frame, [frame[is0]], [args.label, args.score])
    mixed = ""
    if args.label is None and args.class0 is None:
        mixed = label_texts.mixed_rows_told(frame, [args.score])
    known = {"delta": delta, "alpha": args.alpha, "method": method, "dependent": owners, "note": mixed}
    parts, record = _bound(args, called1, classes=classes, **known)
    return [*([left_out] if left_out else []), *parts], record


def _warn_of_direction(args, frame, scores0, is1):
    """Warn if the class 1 rows lie on the other side; what is no number there does not matter."""
    import pandas as pd

    scores1 = pd.to_numeric(frame.loc[is1, args.score], errors="coerce").to_numpy(dtype=float)
    sign = 1 if args.larger_means == "class1" else -1
    warn_direction(
        sign * scores0,
        sign * scores1[np.isfinite(scores1)],
        f"with --larger-means {args.larger_means}",
        "The bound of this cut still holds. If you change the direction because of this warning, give --candidates 2, "
        "because these rows then serve for both directions.",
    )


def _bound(args, called1, *, classes, **known):
    known |= dict(zip(("class0", "class1"), classes, strict=True))
    known |= {"n_candidates": args.n_candidates, "anytime": args.anytime}
    bound = bound_of_count(int(called1.sum()), len(called1), **known)
    return [bound.summary()], _record(bound)


def _record(bound):
    return {**bound.to_frame().to_dict("records")[0], "note": bound.note}
