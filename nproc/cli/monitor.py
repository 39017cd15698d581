"""The command ``monitor``: does a classifier in use still keep its bound on the type I error?"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from nproc.checks import class0_with_label, count_of
from nproc.cli import arguments, counted_rows, files, fit_rows, groups, label_texts
from nproc.cli.pictures import draw
from nproc.cli.predict import load_two_classes
from nproc.cli.rule import calls_of, complete_rows, is_rule, rule_columns
from nproc.cli.scores import class1_known, score_values
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.fits import SET_THE_RULE
from nproc.monitoring import Type1ChangeDetector, Type1Monitor, cluster_name
from nproc.persistence import is_kind
from nproc.review import REVIEW_LABEL
from nproc.row_chunks import counting
from nproc.rows import NO_GAPS, numbers_rows_anew
from nproc.serving import read_rule

ONLY_OTHERS = "Only the other rows are counted."
_LOST = "nothing is guaranteed by these rows"


def add_monitor(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "monitor",
        run_monitor,
        "new.csv --state monitor.json --label diagnosis --model model.joblib",
        "NEW has rows whose labels are now known; only those of class 0 count. Over all calls, give all class 0\n"
        "rows, or a sample drawn without looking at how they were called, and each row only once. A file that the\n"
        "state has counted is refused, and so is one of whose class 0 rows more equal counted rows than chance\n"
        "explains, in all columns or in those that the model or rule reads. For each file, each of the two happens\n"
        "by chance alone with probability at most 0.001. Rows do not tell where more than 6 are equal, nor do two\n"
        "files of at most 12 class 0 rows each.\n"
        "Rows that are likely to have made the classifier are refused, too. So is a file with a patient or another\n"
        "owner of an earlier file, as an identifier in NEW says, unless nothing is guaranteed any more because of\n"
        "that column, as where an earlier file had two rows of one owner. Where few owners have many rows each, as\n"
        "countries have, nothing is guaranteed, and a file with them is not refused.\n"
        "For a model or rule made with --clusters, one row of each cluster counts, by the column of that name in NEW.\n"
        "It is drawn at random when the cluster first comes. The state remembers the clusters, and does not count\n"
        "their later rows: a file given again counts nothing. For other models the rows must be independent.\n"
        "The file of --state keeps the counts from call to call, and is made by the first one. It is about one\n"
        "classifier: other labels or another level are refused. It holds the names of the clusters and hashes of the\n"
        "latest 100,000 rows and identifiers. Keep it as safely as the data, since a hash can confirm a guess.\n\n"
        "The exit code is 3 if there has been an alarm, in this call or an earlier one, 0 if not, and 2 for an error.",
    )
    command.add_argument("data", metavar="NEW", help="CSV, Parquet or JSON lines file of new rows")
    arguments.add_file_format(command)
    command.add_argument("--state", metavar="FILE", required=True, help="JSON file of the monitor, read and written")
    command.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    called = command.add_mutually_exclusive_group(required=True)
    called.add_argument("--model", metavar="FILE", help="saved classifier, or a rule (.json), that calls the rows")
    called.add_argument("--predicted", metavar="COL", help="column of the predicted labels of the rows")
    command.add_argument("--class0", metavar="VALUE", help="label of class 0, with --predicted; a model knows it")
    command.add_argument("--score", metavar="COL", help="column of scores, for a rule; default as there")
    command.add_argument("--groups", metavar="COL", help="column of groups, for a model with groups")
    command.add_argument(
        "--alpha", type=float, metavar="X", help="level; default that of the model or of the state, else 0.05"
    )
    command.add_argument(
        "--delta",
        type=float,
        metavar="X",
        help="bound on the probability that there is ever a false alarm; default 0.05",
    )
    command.add_argument(
        "--run-length",
        type=int,
        metavar="N",
        help="look for a late change, instead of the test. Without a change, the mean number of rows before a false "
        "alarm is at least N",
    )
    command.add_argument(
        "--again",
        action="store_true",
        help="count a file, rows or owners again that the state has counted, or rows that made the classifier; nothing "
        "is guaranteed from then on",
    )
    arguments.add_na_action(
        command,
        arguments.faults_for_model("NEW"),
        "leave these rows out, with --predicted those without a predicted label, and with a rule those without a "
        "score, and say how many; the test is then about the other rows. If the fit left out rows with missing values, "
        "such rows never count",
    )
    arguments.add_outputs(command, "the share of errors and the evidence")


def run_monitor(args):
    """Read the state, take the new rows, write the state."""
    if args.delta is not None and args.run_length is not None:
        raise InvalidInputError("--delta is for the test, and --run-length for the detector of changes; give one.")
    path, fit, said = Path(args.state), _classifier(args), []
    monitor = _kept_monitor(args, path)
    frame = arguments.table_of(args, "data", fit, omits=args.na_action == "omit")
    left_out, n_given = None, len(frame)
    if args.na_action == "omit":
        file = Path(args.data).name
        if args.predicted is not None:
            column = None if monitor is None else monitor.about.get("cluster_column")
            frame, left_out = _rows_with_prediction(args, frame, file, column)
        elif fit is None:
            frame, left_out = complete_rows(args, read_rule(args.model), frame, ONLY_OTHERS)
        else:
            by = groups.columns_of_rows(fit, frame, args.groups, evaluating=is_kind(fit, "NPClusterFit"))
            words = {"by": by, "done": "count", "rest": ONLY_OTHERS}
            frame, left_out, _ = fit_rows.rows_with_errors(fit, frame, args.label, file, args.decimal, **words)
        said += [left_out] if left_out else []
    truth = label_texts.label_values(frame, args.label)
    that = "" if left_out is None else " that is not left out"
    errors, rows, now = _errors(args, fit, frame, truth)
    n_left_out = n_given - len(frame)
    if fit is not None:
        # class 0 rows with gaps, if the fit left out such rows
        n_left_out += int(np.sum(label_texts.labels_for(fit, frame, args.label, args.data) == fit.class0)) - len(rows)
    if monitor is not None:
        _refuse_another(args, path, monitor, now)
        _refuse_again(args, path, monitor)
    else:
        chosen = now.get("alpha") if args.alpha is None else args.alpha
        if chosen is None:
            chosen = 0.05
            said.append(
                "alpha is 0.05, because --alpha is not given. If the classifier was made for another level, start a "
                "new state file with that level as --alpha."
            )
        monitor = (
            Type1Monitor(chosen, 0.05 if args.delta is None else args.delta)
            if args.run_length is None
            else Type1ChangeDetector(chosen, args.run_length)
        )
    own = _made_the_classifier(args, fit, rows)
    if own and not args.again:
        kept = f"{path} is left as it was" if path.exists() else "no state is written"
        raise InvalidInputError(
            f"the class 0 rows of {args.data} are likely to have made the classifier, and {kept}. A monitor counts new "
            "rows: give the file of these. To count these rows all the same, give --again; nothing is guaranteed from "
            "then on."
        )
    # of clusters no row counts twice, and of a file that is counted again all rows do
    by_cluster = (now | monitor.about).get("cluster_column") in rows.columns
    marks = {} if by_cluster or _was_counted(args, monitor) else _marks_of_rows(args, fit, rows)
    n_equal, likely, where = _judge_rows(marks, monitor)
    if likely and not args.again:
        raise InvalidInputError(
            f"{_equal_told(args, path, n_equal, len(rows), where)}, and it is left as it was. Each row "
            "counts only once: give a file of the new rows alone. To count all rows of this file all the same, give "
            "--again; nothing is guaranteed from then on."
        )
    # what an earlier call has recorded stays; with --predicted only class 0 is known
    longer = max(monitor.about.get("labels", []), now["labels"], key=len)
    monitor.about = now | monitor.about | {"labels": longer}
    is0 = label_texts.class0_rows(truth, args.label, now["labels"][0])
    _record_other_labels(args, path, frame[~is0], monitor)
    before = monitor.n
    if errors.size == 0:
        kept = f"{path} stays as it is." if path.exists() else "No state is written."
        sys.stderr.write(f"note: {_nothing_counted(args, truth, now['labels'][0], that)} {kept}\n")
    else:
        column = monitor.about.get("cluster_column")
        there = column in rows.columns
        # rows that a rule or a column of predictions calls are not left out
        ways = {} if fit is None else {"way_out": groups.FILL_OR_OMIT}
        clusters = files.complete_column(rows, column, "the column of clusters", **ways) if there else None
        if told := _rows_that_depend(args, path, fit, frame, rows, monitor, column if there else None):
            monitor.about["dependent"] = told
        monitor.update(errors, clusters=clusters)
        if monitor.clusters is not None:
            sys.stderr.write(f"note: one row counts for each {column!r}\n")
            if again := rows[column].nunique() - (monitor.n - before):
                sys.stderr.write(f"note: {again} {column!r} were counted in an earlier file, and do not count again\n")
        _record_model(args, path, monitor)
        _record_file(args, path, monitor, monitor.n - before, own)
        _record_rows(args, path, monitor, marks, n_equal, likely, where, own)
        monitor.write(path)
    record = {
        name: getattr(monitor, name)
        for name in ("alpha", "n", "n_errors", "alarm", "alarm_at", "rows_again", "rows_alike")
    }
    if isinstance(monitor, Type1ChangeDetector):
        if monitor.n_errors:
            draw(args.plot, monitor.plot, figsize=args.figsize, width=5.2, height=2.6)
        elif args.plot is not None:
            sys.stderr.write(f"note: {args.plot} is not drawn, because no row was an error so far\n")
        record |= {"run_length": monitor.run_length, "evidence": monitor.evidence, "evidence_at": monitor.evidence_at}
    else:
        if monitor.n:
            draw(args.plot, monitor.plot, figsize=args.figsize, width=5.2, height=4.6, heights=(3, 2))
        elif args.plot is not None:
            sys.stderr.write(f"note: {args.plot} is not drawn, because no row counts so far\n")
        record |= {name: getattr(monitor, name) for name in ("delta", "log_e_value", "lower_bound", "upper_bound")}
        if monitor.rows_again or monitor.about.get("dependent"):
            # JSON has no NaN
            record |= {"lower_bound": None, "upper_bound": None}
    record |= {"dependent": monitor.about.get("dependent"), "new_rows": monitor.n - before, "left_out": n_left_out}
    return [*said, monitor.summary()], record


def _kept_monitor(args, path):
    """Return the monitor of the file of a state, which has the levels that are asked for; None if there is no file."""
    if not path.exists():
        return None
    if not path.is_file():
        raise InvalidInputError(
            f"--state {path} is not a regular file. The state is kept from call to call: name a real file."
        )
    monitor = (Type1Monitor if args.run_length is None else Type1ChangeDetector).read(path)
    for name in ("alpha", "delta", "run_length"):
        given, kept = getattr(args, name), getattr(monitor, name, None)
        if given is not None and given != kept:
            raise InvalidInputError(
                f"--{name.replace('_', '-')} {given:g} differs from the {kept:g} of {path}. Leave it out, or start "
                "a new state file."
            )
    return monitor


def _rows_with_prediction(args, frame, file, clusters):
    """Return the rows of a table that have both labels and a cluster, and what is said of the others, or None.

    The column of `clusters` is that of the state, None if it has none.
    """
    column, given = args.predicted, frame
    files.require_columns(given, [column], "the column of predicted labels")
    frame = label_texts.labelled_rows(given, args.label)
    gone = frame[column].isna()
    if gone.all():
        beside = f" beside a label in the column {args.label!r}" * (len(frame) < len(given))
        raise InvalidInputError(f"no row of {file} has a value in the column {column!r} of predicted labels{beside}.")
    told = [files.omitted_note(len(given) - len(frame), len(given), file, label_texts.without_label(args.label))]
    told.append(files.omitted_note(int(gone.sum()), len(given), file, "no predicted label"))
    if clusters in frame.columns:
        alone = frame[clusters].isna() & ~gone
        told.append(files.omitted_note(int(alone.sum()), len(given), file, f"no value in the column {clusters!r}"))
        gone |= alone
    said = " ".join(filter(None, told))
    return frame[~gone], f"{said} {ONLY_OTHERS}" if said else None


def _refuse_another(args, path, monitor, now):
    """Raise if the classifier of this call has other labels, or another level, than that of the state."""
    whose = args.model or "--class0"
    for known, label, name in zip(monitor.about.get("labels", []), now["labels"], ("0", "1"), strict=False):
        try:
            label_texts.match_label(known, [label])
        except InvalidInputError as error:
            raise InvalidInputError(
                f"in {whose} class {name} is {label!r}, and in {path} it is {known!r}. A state is about one "
                "class 0: start a new state file."
            ) from error
    alpha = now.get("alpha")
    # the level that is tested, and that of the first model, for which --alpha may have chosen the other
    if args.alpha is None and alpha not in (None, monitor.alpha, monitor.about.get("alpha")):
        raise InvalidInputError(
            f"{whose} was made for alpha={alpha:g}, and {path} for alpha={monitor.alpha:g}. Start a new state file "
            f"for it. To test it at the level of {path} all the same, give --alpha {monitor.alpha:g}."
        )


def _refuse_again(args, path, monitor):
    """Raise if the state has counted the very bytes of this file, unless that is asked for."""
    if args.again or not _was_counted(args, monitor):
        return
    raise InvalidInputError(
        f"{path} has counted a file with the very bytes of {args.data} before, and is left as it was. Each row counts "
        "only once: give the file of new rows. To count these rows again all the same, give --again; nothing is "
        "guaranteed from then on."
    )


def _was_counted(args, monitor):
    """Return whether the state has counted the very bytes of this file."""
    # of clusters no row counts twice
    return monitor.clusters is None and _mark_of(args.data) in monitor.about.get("files", [])


def _rows_that_depend(args, path, fit, frame, rows, monitor, clusters):
    """Return in a few words which rows depend on each other, or on rows of an earlier file, and warn; "" if none do.

    Of the `clusters` of a state, a column or None, one row counts, whoever called it. It remembers the owners. Rows of
    owners who come again are refused, unless they are asked for.
    """
    if clusters is not None:
        counted = set(monitor.clusters or ())
        rows = rows[[cluster_name(value) not in counted for value in rows[clusters].tolist()]]
    way_out = (
        f"{path} is left as it was. Give a file without these rows, or leave out the column if its numbers begin anew "
        "in each file. To count the rows all the same, give --again; nothing is guaranteed from then on."
    )
    known = {"lost": _LOST, "earlier": monitor.about.get("owners", {}), "way_out": None if args.again else way_out}
    known["told_earlier"] = monitor.about.get("dependent", "")
    if fit is not None:
        told = groups.fresh_owners_of(fit, frame, [rows], [args.label, args.groups], **known)
    else:
        if args.predicted is not None:
            used, of_rule = [args.predicted], ()
        else:
            rule = read_rule(args.model)
            used, of_rule = rule_columns(args, rule), rule.owners
        told = groups.fresh_owners(frame, [rows], [args.label, *used], clusters, known=of_rule, **known)
    if known["earlier"]:
        monitor.about["owners"] = known["earlier"]
    return told


def _marks_of_rows(args, fit, rows):
    """Return the hashes of rows by all columns, "rows", and by those that a model or rule reads, "inputs".

    Where columns number the rows of the file anew, rows of other files have the same numbers, and "unnumbered" has the
    hashes without them.
    """
    marks = {"rows": counted_rows.row_marks(rows)}
    numbers = [name for name in rows.columns if numbers_rows_anew(rows[name])]
    if numbers:
        marks["unnumbered"] = counted_rows.row_marks(rows.drop(columns=numbers))
    if fit is not None and len(rows):
        marks["inputs"] = counted_rows.row_marks(pd.DataFrame(fit_rows.rows_for(fit, rows, besides=[args.label])))
    elif fit is None and args.predicted is None:
        # the names may differ from file to file
        inputs = rows[[name for name in rule_columns(args, read_rule(args.model)) if name is not None]]
        marks["inputs"] = counted_rows.row_marks(inputs.set_axis(range(inputs.shape[1]), axis=1))
    return marks


def _judge_rows(marks, monitor):
    """Return `counted_rows.judge_rows` by all columns, or by those that the classifier reads if these tell more.

    Few rows that equal others in the latter alone may be equal by chance. For each file, rows that are new are taken
    for counted ones by each of these two with probability at most 0.001. Where the latter tell more, a text says so.
    """
    judged = {
        columns: counted_rows.judge_rows(found, monitor.about.get(columns, [])) for columns, found in marks.items()
    }
    known = {name: len(monitor.about.get(name, [])) for name in ("rows", "unnumbered")}
    # rows of a file without such numbers, or of an older state, are known by all columns alone
    by_all = "unnumbered" if "unnumbered" in marks and known["unnumbered"] >= known["rows"] else "rows"
    n_equal, likely = judged.get(by_all, (0, False))
    by_inputs = judged.get("inputs", (0, False))
    if not by_inputs[1]:
        return n_equal, likely, ""
    where = " in the columns that the classifier reads" if by_inputs[0] > n_equal else ""
    return max(n_equal, by_inputs[0]), True, where


def _equal_told(args, path, n_equal, n, where):
    equal = "equals a row" if n_equal == 1 else "equal rows"
    return f"{count_of(n_equal, n, 'class 0 rows')} of {args.data} {equal} that {path} has counted{where}"


def _record_rows(args, path, monitor, marks, n_equal, likely, where, own):
    """Record the hashes of rows, and that some equal counted rows; rows of which many do are `likely` no new ones."""
    told = _equal_told(args, path, n_equal, len(marks.get("rows", [])), where)
    if likely and not own:
        monitor.about["rows_again"] = monitor.rows_again + n_equal
        sys.stderr.write(
            f"warning: {told}, and now {'counts' if n_equal == 1 else 'count'} again. Nothing is guaranteed where a "
            "row counts twice.\n"
        )
    elif n_equal and not likely:
        monitor.about["rows_alike"] = monitor.rows_alike + n_equal
        same = "If it is the same observation" if n_equal == 1 else "If they are the same observations"
        sys.stderr.write(
            f"warning: {told} before. {same}, nothing is guaranteed: go back to a copy of the state, and leave "
            f"{'it' if n_equal == 1 else 'them'} out.\n"
        )
    for columns, found in marks.items():
        counted = monitor.about.get(columns, [])
        known = set(counted) if likely else ()
        monitor.about[columns] = counted_rows.latest(counted + [mark for mark in found if mark not in known])


def _record_other_labels(args, path, others, monitor):
    """Record that rows which are not of class 0 in this file are likely to have been counted as class 0, and warn."""
    class0 = monitor.about["labels"][0]
    marks = counted_rows.row_marks(others.assign(**{args.label: class0}))
    # values that are rare in class 0 may be common in the other class, where rows then equal one another, too
    values, sizes = np.unique(np.array(marks, dtype=str), return_counts=True)
    n_equal, likely = counted_rows.judge_rows(values[sizes == 1].tolist(), monitor.about.get("rows", []))
    if likely:
        monitor.about["relabelled"] = max(n_equal, monitor.about.get("relabelled", 0))
        are = "equals a row" if n_equal == 1 else "equal rows"
        sys.stderr.write(
            f"warning: of the rows of {args.data} that are not of {class0_with_label(class0)}, {n_equal} {are} that "
            f"{path} has counted as class 0. If their labels were wrong then, they stay in the counts, and nothing is "
            "guaranteed: go back to a copy of the state from before that file, or start a new state file, and give all "
            "files since then again.\n"
        )


def _record_model(args, path, monitor):
    """Record which model file has called the rows, and note if it is another than before."""
    if args.model is None:
        return
    mark = _mark_of(args.model)
    models = monitor.about.setdefault("models", [])
    if models and mark != models[-1]:
        sys.stderr.write(
            f"note: {args.model} is not the file that called the rows before, and {path} counts the rows of both; to "
            "test it alone, start a new state file\n"
        )
    # each file once, and the latest last
    models[:] = [model for model in models if model != mark] + [mark]


def _made_the_classifier(args, fit, rows):
    """Return whether these class 0 rows are likely to be rows of the fit, or set the rule; a warning says which."""
    if args.predicted is not None or len(rows) == 0:
        return False
    if fit is not None:
        known = fit_rows.rows_for(fit, rows, besides=[args.label])
        return bool(fit._warn_of_own_rows(known, np.arange(len(rows))))
    rule = read_rule(args.model)
    own = rule.was_set_by(score_values(rows, rule_columns(args, rule)[0]))
    if own:
        warn_at_call(SET_THE_RULE, NPWarning)
    return own


def _record_file(args, path, monitor, n_rows, own):
    """Record which file has the rows, and warn if it was counted before; `own` rows are no new ones either."""
    mark = _mark_of(args.data)
    files_before = monitor.about.setdefault("files", [])
    again = _was_counted(args, monitor)
    if again or own:
        monitor.about["rows_again"] = monitor.rows_again + n_rows
    if again:
        sys.stderr.write(
            f"warning: {path} has counted a file with the very bytes of {args.data} before, and now counts its rows "
            "again. Nothing is guaranteed where a row counts twice.\n"
        )
    elif mark not in files_before:
        files_before.append(mark)


def _mark_of(path):
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _classifier(args):
    """Return the saved classifier that is named, or None for a rule or a column of predictions."""
    if args.predicted is not None or args.class0 is not None or is_rule(args.model):
        return None
    if args.score is not None:
        raise InvalidInputError("--score is for a rule; leave it out for a saved classifier.")
    return load_two_classes(args.model, None, "monitor")


def _errors(args, fit, frame, truth):
    """Return whether each class 0 row was called another class, these rows, and what is known of the classifier."""
    if args.predicted is not None:
        if args.class0 is None:
            raise InvalidInputError("--predicted needs --class0, the label of the class that is controlled.")
        if args.predicted == args.label:
            raise InvalidInputError(
                f"--predicted and --label are both {args.label!r}, so that no row could be an error. Name the column "
                "of the predicted labels, and that of the true ones."
            )
        if args.score is not None or args.groups is not None:
            raise InvalidInputError("--score and --groups are for a model; leave them out with --predicted.")
        is0 = label_texts.class0_rows(truth, args.label, args.class0)
        rows, now = frame[is0], {"labels": [str(args.class0)]}
        way_out = "give --na-action omit to count the other rows only"
        files.complete_column(rows, args.predicted, "the column of predicted labels", way_out)
        if len(rows) == 0:
            return np.zeros(0, dtype=bool), rows, now
        is_called = frame[args.predicted].notna().to_numpy()
        called = label_texts.label_values(frame[is_called], args.predicted)
        # the two columns may be read as other types, such as 1 and 1.0
        called0 = label_texts.class0_rows(called, args.predicted, args.class0)
        values, wrong = label_texts.distinct(called), ~called0
        if not called0.any():
            _refuse_no_labels(args, values, label_texts.distinct(truth))
            sys.stderr.write(
                f"note: no row was called {args.class0}; the column {args.predicted!r} has {files.listed(values)}\n"
            )
        if REVIEW_LABEL in values:
            sys.stderr.write(f"note: rows with {REVIEW_LABEL!r} in the column {args.predicted!r} count as no error\n")
            wrong &= np.asarray(called != REVIEW_LABEL)
        return wrong[is0[is_called]], rows, now
    if args.class0 is not None:
        raise InvalidInputError("--class0 is for --predicted; this model knows it, leave it out.")
    if fit is None:
        rule = read_rule(args.model)
        now = {"labels": [str(rule.class0), str(rule.class1)], "alpha": rule.alpha}
        if rule.clustered:
            now |= {"cluster_column": rule.cluster_column, "seed": rule.seed}
        rows = frame[label_texts.class0_rows(truth, args.label, rule.class0, class1_known(rule))]
        if len(rows) == 0:
            return np.zeros(0, dtype=bool), rows, now
        # the numbers of the seed would be the same in each file
        return calls_of(args, rule, rows, anew=True), rows, now
    now = fit.monitor().about
    rows = frame[label_texts.labels_for(fit, frame, args.label, args.data) == fit.class0]
    if len(rows) == 0:
        return np.zeros(0, dtype=bool), rows, now
    known = fit_rows.rows_for(fit, rows, besides=[args.label])
    gaps = fit.design.rows_with_gaps(known)
    if gaps is not None:
        have = "has missing values and is" if gaps.sum() == 1 else "have missing values and are"
        warn_at_call(f"{count_of(gaps.sum(), gaps.size, 'class 0 rows')} {have} left out. {NO_GAPS}", NPWarning)
        rows = rows[~gaps]
        if len(rows) == 0:
            return np.zeros(0, dtype=bool), rows, now
        known = fit_rows.rows_for(fit, rows, besides=[args.label])
    in_words = fit_rows.refusals_in_words(args.model, f"rows of {args.data}")
    with in_words, counting(str(args.data), lambda row: int(rows.index[row])):
        called1 = fit.predict(known, **groups.row_arguments(fit, rows, args.groups)) == fit.labels[1]
    fit_rows.OutsideRanges(fit).add(rows).warn(args.data)
    return called1, rows, now


def _refuse_no_labels(args, values, labels):
    """Raise where a column of predictions has none of the labels, so that each of its rows would count as an error."""
    # where all rows are of one class, the name of the other is not known
    if len(labels) > 1 and not any(label_texts.is_label(value, [*labels, REVIEW_LABEL]) for value in values):
        raise InvalidInputError(
            f"--predicted {args.predicted} has {files.listed(values)}, which are no labels: the column {args.label!r} "
            f"has {files.listed(labels)}. Name the column of the predicted labels, spelled as in {args.label!r}.",
            argument="predicted",
        )


def _nothing_counted(args, truth, class0, that):
    """Return why no row of a file counts, as a sentence; `that` says of its rows which were looked at."""
    file, labels = Path(args.data).name, label_texts.distinct(truth)
    if label_texts.is_label(class0, labels):
        return f"each class 0 row of {file} has missing values and is left out."
    class0 = class0_with_label(class0)
    return f"no row of {file}{that} is of {class0}: the column {args.label!r} has {files.listed(labels)}."
