"""The commands ``threshold`` and ``apply``: from a file of scores to a rule, and from the rule to labels."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from nproc.biased_samples import NoisyThreshold
from nproc.checks import check_seed
from nproc.cli import arguments, files, groups, label_texts, values
from nproc.cli.reasons import GAP, reasons_of_rows
from nproc.cli.scores import SCORES, add_score_columns, classes_of, score_values, without_gaps
from nproc.errors import InvalidInputError
from nproc.fits import evaluation_of_counts
from nproc.outputs import RULE, csv_text, kind_of_file
from nproc.rows import counting_rows
from nproc.score_direction import warn_direction
from nproc.serving import read_rule, score_rule
from nproc.tables import rounded_down, rounded_up
from nproc.thresholds import RANKS, TIES


def add_threshold(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "threshold",
        run_threshold,
        "predictions.jsonl --score unsafe_score --label label --class0 harmful --larger-means class0 --out rule.json",
        f"{SCORES} Without --label all rows are taken to be of class 0.\nOnly class 0 rows set the threshold. Rows "
        "of class 1, if there are any, only estimate the type II error, unless --noise0 or --noise1 says that some\n"
        "labels are wrong.",
    )
    command.add_argument("data", metavar="SCORES", help="CSV, Parquet or JSON lines file")
    arguments.add_file_format(command)
    add_score_columns(command)
    command.add_argument(
        "--class1", metavar="VALUE", help="label of class 1; by default the other label, or 1 without --label"
    )
    groups.add_groups(command, "the bound holds in each of them")
    command.add_argument(
        "--epsilon",
        type=float,
        metavar="X",
        help="for two groups: the type I error over all of class 0 is at most alpha, and the type I errors of the "
        "groups differ by at most X",
    )
    command.add_argument(
        "--gamma",
        type=float,
        default=0.05,
        help="the bound of --epsilon holds with probability at least 1 - gamma; default 0.05",
    )
    command.add_argument(
        "--clusters", metavar="COL", help="column of clusters, such as patients; one class 0 row of each is drawn"
    )
    for name, labelled, truly in (("--noise0", "0", "1"), ("--noise1", "1", "0")):
        command.add_argument(
            name,
            type=values.one_or_more,
            metavar="SHARE",
            help=f"if some labels are wrong: share of class {truly} among the rows labelled class {labelled}, such as "
            "0.1, or an interval, such as 0.05,0.15",
        )
    command.add_argument(
        "--weights",
        metavar="COL",
        help="if class 0 rows will come in other proportions: column with a weight for each row, which says how many "
        "times as often such rows will come",
    )
    command.add_argument(
        "--weight-max", type=float, metavar="X", help="bound on --weights that was known before these rows were seen"
    )
    arguments.add_alpha(command, default=0.05)
    command.add_argument(
        "--delta", type=float, default=0.05, help="the bound holds with probability at least 1 - delta; default 0.05"
    )
    command.add_argument(
        "--ties", choices=TIES, default=TIES[0], help="what a score equal to the threshold is called; default class 0"
    )
    command.add_argument(
        "--rank",
        choices=RANKS,
        default=RANKS[0],
        help="randomize: the rank is drawn once from two; for continuous scores the type I error then exceeds alpha "
        "with probability exactly delta",
    )
    command.add_argument(
        "--seed", type=int, dest="random_state", metavar="N", help="seed of --clusters, of --weights and of randomize"
    )
    arguments.add_na_action(
        command,
        "a row without a label, a score, or a value in another column that is used is an error",
        "leave such rows out and say how many; the bound is then about rows without missing values",
    )
    arguments.add_outputs(command, None, out="write the rule as JSON")


def run_threshold(args):
    """Set the threshold and write the rule."""
    frame, left_out = arguments.table_of(args, "data"), None
    if args.na_action == "omit":
        used = [args.score, args.groups, args.clusters, args.weights]
        rest = "The threshold is set by the other rows, and its bound is about rows without missing values."
        frame, left_out = without_gaps(frame, args.label, used, args.data, rest)
    is0, class0, class1 = classes_of(args, frame)
    # with labels that may be wrong the other rows set the threshold too
    counted = frame[is0] if args.noise0 is None and args.noise1 is None else None
    told, owners = groups.shared_owners(args, frame, args.label, [args.score, args.weights], counted)
    columns = {}
    for name in ("groups", "clusters"):
        column = getattr(args, name)
        if column is not None:
            # the other classes need theirs for the type II error
            columns[name] = files.complete_column(frame, column, f"the column of --{name}")[is0]
    numbers = frame.index[is0]
    with counting_rows(lambda row: int(numbers[row])):
        rule = score_rule(
            score_values(frame, args.score, is0),
            class0=class0,
            class1=class1,
            score=args.score,
            larger_means=args.larger_means,
            **columns,
            pooled=args.group_thresholds == "pooled",
            alpha=args.alpha,
            delta=args.delta,
            ties=args.ties,
            rank=args.rank,
            epsilon=args.epsilon,
            gamma=args.gamma,
            random_state=args.random_state,
            **_noise(args, frame, is0),
            **_weights(args, frame, is0),
        )
    shift = None if rule.shift is None else replace(rule.shift, column=args.weights)
    rule = replace(rule, group_column=args.groups, cluster_column=args.clusters, shift=shift)
    rule = replace(rule, dependent=told, owners=owners, labelled=args.label is not None)
    if args.out:
        rule.write(args.out)
    parts, record = [*([left_out] if left_out else []), rule.summary()], rule.to_dict()
    if isinstance(rule.threshold, NoisyThreshold):
        estimate = rule.threshold.type2_estimate
        parts.append(f"Type II error, estimated for rows with right labels if the noise is as assumed: {estimate:.4f}.")
        return parts, {**record, "type2": estimate}
    others = _others(args, frame, is0, rule)
    if others is not None:
        counted = f"{others.n1} rows" if args.clusters is None else f"one row of each of {others.n1} clusters"
        parts.append(
            f"Type II error, estimated on {counted} that are not of class {rule.class0!s}: {others.type2:.4f}, "
            f"{100 * others.level:g} % interval {rounded_down(others.type2_interval.lower)} to "
            f"{rounded_up(others.type2_interval.upper)}."
        )
        record = {
            **record,
            "type2": others.type2,
            "type2_interval": [others.type2_interval.lower, others.type2_interval.upper],
            "n1": others.n1,
        }
    return parts, record


def _noise(args, frame, is0):
    """Return what `score_rule` needs to know of wrong labels; nothing where no option speaks of them."""
    if args.noise0 is None and args.noise1 is None:
        return {}
    if is0.all():
        raise InvalidInputError("--noise0 and --noise1 need rows labelled class 1 too; name their column by --label.")
    _refuse_beside(args, "--noise0 and --noise1", ("groups", "clusters"))
    return {
        "scores1": score_values(frame, args.score, ~is0),
        "noise0": 0.0 if args.noise0 is None else args.noise0,
        "noise1": 0.0 if args.noise1 is None else args.noise1,
    }


def _weights(args, frame, is0):
    """Return what `score_rule` needs to know of weights; nothing where no option speaks of them."""
    if args.weights is None:
        if args.weight_max is not None:
            raise InvalidInputError("--weight-max is a bound on the column of --weights; name that column, too.")
        return {}
    _refuse_beside(args, "--weights", ("groups", "clusters", "noise0", "noise1"))
    if args.weight_max is None:
        raise InvalidInputError(
            "--weights needs --weight-max, a bound on the weights that was known before these rows were seen. The "
            "largest weight of the file is no such bound."
        )
    files.require_columns(frame, [args.weights], "the column of --weights")
    return {"weights": score_values(frame, args.weights, is0), "weight_max": args.weight_max}


def _refuse_beside(args, option, others):
    """Stop if one of some other options, or a random draw, is asked for beside an option."""
    given = [name for name in others if getattr(args, name) is not None]
    given += [f"{name} randomize" for name in ("ties", "rank") if getattr(args, name) == "randomize"]
    if given:
        raise InvalidInputError(f"{option} cannot be combined with --{given[0]}.")


def _others(args, frame, is0, rule):
    """Return the errors on the rows of other classes, and warn if their scores lie on the wrong side."""
    n1 = int((~is0).sum())
    if n1 == 0:
        return None
    scores, sign = score_values(frame, args.score, ~is0), 1 if args.larger_means == "class1" else -1
    scores0 = score_values(frame, args.score, is0)
    if args.clusters is not None:
        # with the fits and scikit-learn, which other rules do without
        from nproc.groups import one_per_cluster

        drawn = one_per_cluster(frame.loc[~is0, args.clusters], random_state=rule.seed)
        scores, n1 = scores[drawn], len(drawn)
        scores0 = scores0[one_per_cluster(frame.loc[is0, args.clusters], random_state=rule.seed)]
    warn_direction(
        sign * scores0,
        sign * scores,
        f"with --larger-means {args.larger_means}",
        "The bound still holds. The rows used to see this set the threshold: use new class 0 rows after such "
        "a change, unless you knew beforehand that it was needed.",
    )
    column = frame.loc[~is0, args.groups] if rule.needs_groups else None
    called = rule.predict(scores, groups_of(rule, column), random_state=rule.seed)
    return evaluation_of_counts(
        0,
        n1,
        0,
        int(np.sum(called == rule.class0)),
        level=0.95,
        alpha=rule.alpha,
        delta=rule.delta,
        labels=(rule.class0, rule.class1),
        guaranteed=True,
    )


def groups_of(rule, column):
    """Return the groups of rows as the rule spells them: text "1" of one file is the number 1 of another."""
    if column is None or not rule.needs_groups:
        return None
    known = {
        value: label_texts.match_label(value, rule.groups, where="the groups of the rule") for value in column.unique()
    }
    return [known[value] for value in column]


def add_apply(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "apply",
        run_apply,
        "rule.json new.jsonl --keep id --out labels.jsonl",
        "RULE is a file that 'threshold --out' wrote. It is plain JSON, and nothing in it is run. Large files of\n"
        f"scores are read in parts.\n{arguments.ROW_NUMBERS}",
    )
    command.add_argument("rule", metavar="RULE", help="the rule, a JSON file")
    command.add_argument("data", metavar="NEW", help="CSV, Parquet or JSON lines file of new scores")
    arguments.add_file_format(command)
    command.add_argument("--score", metavar="COL", help="column of scores; default as in the rule")
    command.add_argument("--groups", metavar="COL", help="column of groups; default as in the rule")
    arguments.add_keep(command)
    command.add_argument(
        "--seed",
        type=int,
        dest="random_state",
        metavar="N",
        help="for a rule with random ties: the same seed gives the same labels",
    )
    arguments.add_na_action(
        command,
        "a row without a score or a group is an error",
        'label the other rows, and say in the column "reason" of the output why a row has no label',
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        help="CSV or JSON lines file (.jsonl) to write; default the standard output, in the format of NEW. "
        f"{arguments.FORM_WRITTEN}",
    )


def is_rule(path):
    """Return whether a file is a rule by its contents, or, where these do not tell, by its name."""
    kind = kind_of_file(path)
    return kind == RULE or (kind is None and path.lower().endswith(".json"))


def run_apply(args):
    """Write the labels of new scores."""
    rule = read_rule(args.rule)
    if args.random_state is not None and not rule.at_random:
        raise InvalidInputError("this rule calls no row at random; leave out --seed.")
    score, groups = rule_columns(args, rule)
    as_json = (args.out or str(args.data)).lower().endswith(files.JSON_ENDINGS)
    texts = _labelled(args, rule, score, groups, as_json)
    files.write_texts(args.out, texts, **({} if as_json else arguments.file_format(args)))


def rule_columns(args, rule):
    """Return the names of the columns of scores and groups, which the rule knows unless an option names them."""
    column = None
    if rule.needs_groups:
        column = getattr(args, "groups", None) or rule.group_column
        if column is None:
            raise InvalidInputError("the rule needs the group of each row; name the column with --groups.")
    elif getattr(args, "groups", None) is not None:
        raise InvalidInputError("this rule needs no groups; leave out --groups.")
    return getattr(args, "score", None) or rule.score, column


def _labelled(args, rule, score, groups, as_json):
    import pandas as pd

    source = np.random.default_rng(check_seed(args.random_state)) if rule.at_random else None
    omits = args.na_action == "omit"
    taken = [name for name in args.keep if name in ["predicted", *["reason"] * omits]]
    if taken:
        raise InvalidInputError(f"the output has a column {taken[0]!r} of its own; leave it out of --keep.")
    first = n_omitted = 0
    form = arguments.file_format(args)
    signs = files.signs_written(args.out, sep=args.sep, decimal=args.decimal)
    used = {score, groups, *files.columns_to_type(args.data, args.keep)} - {None}
    frames = files.read_in_parts(args.data, used, **form)
    for frame, kept in files.with_kept(frames, args.data, args.keep, **form):
        columns = {name: kept[name].array for name in args.keep} or {"row": frame.index.to_numpy() + 1}
        if omits:
            gaps = {name: frame[name].isna() for name in (score, groups) if name in frame.columns}
            complete = frame[~np.any([np.zeros(len(frame), dtype=bool), *gaps.values()], axis=0)]
            labels = pd.Series(None, index=frame.index, dtype=object)
            if not complete.empty:
                labels[complete.index] = list(predicted(rule, complete, score, groups, source))
            columns |= {"predicted": labels.array, "reason": reasons_of_rows(frame, {GAP: gaps})}
            n_omitted += len(frame) - len(complete)
        else:
            columns["predicted"] = predicted(rule, frame, score, groups, source)
        table = pd.DataFrame(columns)
        yield _json_lines(table) if as_json else csv_text(table, header=first == 0, **signs)
        first += len(frame)
    fate = {"one": "gets no label", "several": "get no label"}
    if note := files.omitted_note(n_omitted, first, Path(args.data).name, **fate):
        sys.stderr.write(f"note: {note}\n")
    if n_omitted and n_omitted == first:
        raise InvalidInputError(f"each row of {args.data} has missing values, so none can be labelled.")


def predicted(rule, frame, score, groups=None, source=None):
    """Return the labels of the rows of a table, of which the index has the places in the file."""
    if groups is not None:
        groups = groups_of(rule, files.complete_column(frame, groups, "the column of groups"))
    return rule.predict(score_values(frame, score), groups, random_state=source)


def complete_rows(args, rule, frame, rest):
    """Return the rows of a table that have a label and what a rule uses, and what is said of the others, or None.

    The sentence `rest` says what comes of the rows that are returned.
    """
    used = [*rule_columns(args, rule), rule.cluster_column if rule.clustered else None]
    return without_gaps(frame, args.label, used, args.data, rest)


def calls_of(args, rule, frame, *, anew=False):
    """Return which rows a rule calls class 1; random calls are drawn anew, or are those of the seed of the rule."""
    source = np.random.default_rng(None if anew else rule.seed) if rule.at_random else None
    return predicted(rule, frame, *rule_columns(args, rule), source) != rule.class0


def _json_lines(table):
    columns = [
        [None if missing else value for value, missing in zip(table[name].tolist(), table[name].isna(), strict=True)]
        for name in table
    ]
    rows = zip(*columns, strict=True)
    return "".join(
        json.dumps(dict(zip(table.columns, row, strict=True)), ensure_ascii=False, default=str) + "\n" for row in rows
    )
