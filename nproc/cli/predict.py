"""The command ``predict``: labels of new rows, read a part at a time, and with ``--out`` written so."""

import re
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from nproc.checks import check_seed, count_of
from nproc.cli import arguments, files, fit_rows, groups, label_texts
from nproc.cli.reasons import GAP, TEXT, UNSEEN, reasons_of_rows
from nproc.cli.wording import rows_counted
from nproc.errors import InvalidInputError, NPWarning
from nproc.outputs import csv_text
from nproc.persistence import ESTIMATORS, is_kind, load
from nproc.row_chunks import RefusedValuesError, counting
from nproc.rows import NO_GAPS, MissingValuesError, UnseenCategoriesError, may_name_owners
from nproc.starting import starting


def add_predict(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "predict",
        run_predict,
        "model.joblib new.csv --keep id --out predictions.csv",
        f"{arguments.MODEL} Columns of NEW that the model does not know are ignored. Large files\nare read in parts.\n"
        f"{arguments.ROW_NUMBERS}",
    )
    command.add_argument("model", metavar="MODEL", help="a saved model")
    command.add_argument("data", metavar="NEW", help="CSV, Parquet or JSON lines file of new rows")
    arguments.add_file_format(command)
    arguments.add_alpha(command, more="; only for a saved band")
    arguments.add_keep(command)
    arguments.add_na_action(
        command,
        arguments.faults_for_model("NEW", labels=""),
        'predict the other rows, and say in the column "reason" of the output why a row has no prediction; of a model '
        "that was fitted with --na-action omit and left out rows, no row with a missing value in a column that is used "
        "has one. With --label, neither has a row without the group or cluster by which its error would count",
    )
    command.add_argument("--votes", action="store_true", help="add the share of splits that vote for class 1")
    command.add_argument(
        "--scores",
        action="store_true",
        help="add score minus threshold, with all digits so that the sign is exact: above 0 means class 1",
    )
    command.add_argument(
        "--p-values", action="store_true", help="add p-values of the hypothesis that a row is of class 0"
    )
    command.add_argument(
        "--label",
        metavar="COL",
        help="column of true labels: prints the type I and type II errors (to the standard error); a row "
        "without a label is predicted and does not count there",
    )
    command.add_argument(
        "--groups", metavar="COL", help="column of groups, if its name differs from the name in the fit"
    )
    command.add_argument(
        "--seed",
        type=int,
        dest="random_state",
        metavar="N",
        help="for a model that calls rows at random (fit --vote random, --ties randomize): the same seed gives the "
        "same labels",
    )
    command.add_argument("--out", metavar="FILE", help=arguments.OUT_ROWS)


def load_model(path):
    """Return what a model file holds."""
    if not Path(path).is_file():
        raise InvalidInputError(f"there is no model file {path}.")
    # most of the imports come with the model
    with starting():
        return load(path)


def load_classifier(path, alpha):
    """Return the `NPFit` in a model file; of a band that at a level."""
    return _classifier_in(load_model(path), path, alpha)


def _classifier_in(model, path, alpha):
    if is_kind(model, "NPROCBand"):
        if alpha is None:
            raise InvalidInputError(f"{path} holds a band; give --alpha to predict by its classifier at that level.")
        return model.classifier(alpha)
    if alpha is not None:
        raise InvalidInputError(f"{path} holds a classifier, whose alpha is fixed; leave out --alpha.")
    return model.fit_ if is_kind(model, *ESTIMATORS) else model


def load_two_classes(path, alpha, command):
    """Return the `NPFit` in a model file, for a command that takes classifiers of two classes only."""
    return load_with_band(path, alpha, command)[0]


def load_with_band(path, alpha, command):
    """Return the same `NPFit`, and the band that the file holds, None if it holds a classifier."""
    model = load_model(path)
    fit = _classifier_in(model, path, alpha)
    if not is_kind(fit, "NPFit"):
        raise InvalidInputError(f"{path} holds a {type(fit).__name__}; {command} takes classifiers of two classes.")
    return fit, model if is_kind(model, "NPROCBand") else None


def run_predict(args):
    """Predict the rows of a file."""
    import pandas as pd

    fit = load_classifier(args.model, args.alpha)
    from nproc.fits import parts_together, with_known

    if (args.votes or args.scores) and len(fit.labels) > 2:
        raise InvalidInputError("--votes and --scores are for two classes, and the model has more; leave them out.")
    at_random = is_kind(fit, "NPRandomVoteFit") or getattr(fit, "ties", "conservative") == "randomize"
    if args.random_state is not None and not at_random:
        raise InvalidInputError("this model calls no row at random; leave out --seed.")
    taken = [column for column in args.keep if column in _names_made(args)]
    if taken:
        raise InvalidInputError(f"the output has a column {taken[0]!r} of its own; leave it out of --keep.")
    evaluations = []
    # one source for all parts of a large file, with or without a seed: the errors see the coins of the labels
    seed = None if args.random_state is None else check_seed(args.random_state)
    source = np.random.default_rng(seed) if at_random else None
    counts = {"rows": 0, "omitted": 0, "text": 0, "new": 0, "labelled": 0, "gaps": 0, "unknown": 0}
    outside = fit_rows.OutsideRanges(fit)
    where: dict[str, list] = {"gaps": [], "text": [], "new": []}
    unknown = []
    # of all parts together it is said below
    warnings.filterwarnings("ignore", f".*{re.escape(NO_GAPS)}", NPWarning)
    texts = _predicted(args, fit, source, evaluations, counts, where, unknown, outside)
    # rows of the fit are told of by all parts as well
    with parts_together() if _comes_in_parts(args, fit) else nullcontext([]) as own_rows:
        files.write_texts(args.out, texts, **arguments.file_format(args))
    fate = {"one": "gets no prediction", "several": "get no prediction"}
    notes, file = [], Path(args.data).name
    in_gaps = fit_rows.places_of_gaps(where["gaps"], counts["omitted"])
    for name, what in (("omitted", files.GAPS), ("text", fit_rows.TEXT), ("new", fit_rows.UNSEEN)):
        first = in_gaps if name == "omitted" else next(iter(where[name]), None)
        notes.append(files.omitted_note(counts[name], counts["rows"], file, what, first, **fate))
    no_label = label_texts.without_label(args.label)
    fate = {"one": "does not count in the errors", "several": "do not count in the errors"}
    notes.append(files.omitted_note(counts["unknown"], counts["rows"], file, no_label, **fate))
    notes = list(filter(None, notes))
    of_scores = "the column 'score' is the score minus the threshold." if args.scores else None
    for note in filter(None, [*notes, rows_counted(" ".join(notes), [file]), of_scores]):
        sys.stderr.write(f"note: {note}\n")
    if counts["gaps"]:
        have = "has missing values. It is" if counts["gaps"] == 1 else "have missing values. They are"
        errors = " The errors below are those of the other rows." * bool(evaluations and not unknown)
        sys.stderr.write(
            f"warning: {count_of(counts['gaps'], counts['rows'])} of {Path(args.data).name} {have} classified, but "
            f"nothing is guaranteed there, because the fit left such rows out.{errors}\n"
        )
    outside.warn(args.data)
    if unknown:
        raise unknown[0].told("the rows are predicted, but no errors are counted: ")
    if evaluations:
        parts, counted = zip(*evaluations, strict=True)
        # an owner may have rows in several parts
        told = groups.owners_of_errors(fit, pd.concat(counted), args.label, args.data, args.groups)
        sys.stderr.write(f"{with_known(_pooled(parts, own_rows), dependent=told).summary()}\n")


def _predicted(args, fit, source, evaluations, counts, where, unknown, outside):
    """Yield the output of each part of the rows as text; add its errors to `evaluations` and its rows to `counts`.

    Where a part has missing values, text among numbers, or new categories, and its rows are left out, is added to
    `where`; what is said of labels that the fit has not to `unknown`, and values outside the ranges to `outside`.
    """
    import pandas as pd

    signs = files.signs_written(args.out, sep=args.sep, decimal=args.decimal)
    for frame, kept in files.with_kept(_frames(args, fit), args.data, args.keep, **arguments.file_format(args)):
        first, last = int(frame.index[0]), int(frame.index[-1])
        is_first = counts["rows"] == 0
        counts["rows"] += len(frame)
        known, reasons, found = None, None, {}
        # such as an encoder that does not know a category
        with fit_rows.refusals_in_words(args.model, f"rows {first + 1} to {last + 1} of {args.data}"):
            try:
                if args.na_action != "omit" and getattr(getattr(fit, "design", None), "coding", None) is not None:
                    fit_rows.refuse_text_among_numbers(fit, frame, args.decimal)
                known = frame
                if args.na_action == "omit":
                    beside = groups.columns_of_rows(fit, frame, args.groups, evaluating=args.label is not None)
                    complete = fit_rows.complete_rows(fit, frame, _besides(args)).dropna(subset=beside)
                    lost = frame.drop(index=complete.index)
                    asked = [*_columns_asked(fit, lost, args), *beside]
                    gaps = lost[list(dict.fromkeys(asked))].isna()
                    if not lost.empty:
                        # as many as the note names
                        where["gaps"].append((gaps.index[: fit_rows.MOST_ROWS], gaps.any()))
                    numbers, text, texts = fit_rows.rows_of_numbers(fit, complete, args.decimal)
                    if fit.design.coding is not None:
                        fit_rows.refuse_text_among_numbers(fit, numbers, args.decimal, omitted=True)
                    known, unseen, others = fit_rows.known_rows(fit, numbers, _besides(args))
                    counts["omitted"] += len(frame) - len(complete)
                    counts["text"] += len(complete) - len(numbers)
                    counts["new"] += len(numbers) - len(known)
                    where["text"] += [] if text is None else [text]
                    where["new"] += [] if unseen is None else [unseen]
                    empty = {name: lost.index[gaps[name]] for name in gaps} | {None: lost.index[~gaps.any(axis=1)]}
                    causes = {GAP: empty, TEXT: texts, UNSEEN: others}
                    rows = {cause: {k: frame.index.isin(v) for k, v in of.items()} for cause, of in causes.items()}
                    reasons = reasons_of_rows(frame, rows)
                if not known.empty:
                    found = _predictions(args, fit, known, source, evaluations, counts, unknown)
            except RefusedValuesError as error:
                # it names file and row itself
                if args.na_action == "omit":
                    # what could be omitted has been
                    error.fault = None
                raise
            except (UnseenCategoriesError, MissingValuesError) as error:
                # its count is that of this part
                part = f", rows {first + 1} to {last + 1}" if first or len(frame) >= files.PART_ROWS else ""
                raise error.told(f"{args.data}{part}: ") from error
            except InvalidInputError as error:
                row = None if known is None else fit_rows.first_refused(fit, known)
                if first == 0 and row is None:
                    raise
                part = f"rows {first + 1} to {last + 1}" if first else str(args.data)
                raise error.told(f"{part}{'' if row is None else f' (first in row {row + 1})'}: ") from error
        found = pd.DataFrame(found, index=known.index)
        yield csv_text(_table(args, frame, kept, found, reasons), header=is_first, **signs)
        counts["labelled"] += len(known)
        if not known.empty:
            outside.add(known)
    if counts["rows"] and not counts["labelled"]:
        of = (("text", fit_rows.TEXT), ("new", fit_rows.UNSEEN))
        also = "".join(f" or {what} ({where[name][0]})" for name, what in of if where[name])
        raise InvalidInputError(f"each row of {args.data} has missing values{also}, so none can be labelled.")


def _frames(args, fit):
    """Return an iterator over parts of the rows; a single one where they are few, or only the whole can be judged."""
    if _comes_in_parts(args, fit):
        form = arguments.file_format(args) | {"texts": fit_rows.texts_of(fit)}
        parts = files.read_in_parts(args.data, _columns_used(args, fit), **form)
        return (fit_rows.as_fitted(fit, frame, args.decimal) for frame in parts)
    return [arguments.table_of(args, "data", fit)]


def _comes_in_parts(args, fit):
    # errors in groups and clusters are not sums over parts of the rows
    return args.label is None or type(fit).__name__ in ("NPFit", "NPRandomVoteFit", "NPSmallSampleFit", "NPCrossFit")


def _columns_used(args, fit):
    """Return the columns of the file that are looked at; None for all."""
    if fit.feature_names is None:
        return None
    of_fit = [getattr(fit, name, None) for name in ("group_column", "cluster_column")]
    kept = files.columns_to_type(args.data, args.keep)
    return {*fit.feature_names, *kept, args.label, args.groups, *of_fit} - {None}


def _besides(args):
    """Return the columns that are no predictors of a model that knows no names."""
    return dict.fromkeys([*args.keep, *([args.label] if args.label else [])])


def _columns_asked(fit, frame, args):
    return list(fit.feature_names or frame.columns.drop(list(_besides(args)), errors="ignore"))


def _names_made(args):
    """Return the names of the columns that the output has beside those that are kept."""
    asked = {"votes": args.votes, "score": args.scores, "p_value": args.p_values, "reason": args.na_action == "omit"}
    return ["predicted", *(name for name, is_asked in asked.items() if is_asked)]


def _predictions(args, fit, frame, source, evaluations, counts, unknown):
    """Return the columns of the output that say what is predicted of some rows, as a dict of arrays.

    The errors of the rows with labels are added to `evaluations`.
    """
    from nproc.fits import SeedOfRows

    # one seed, so that votes and errors are those of the labels that are written
    seed = None if source is None else check_seed(source)
    coins = {} if source is None else {"random_state": seed}
    besides = _besides(args)
    labelled = None if args.label is None else label_texts.labelled_rows(frame, args.label)
    with _counting_rows_of(args, frame):
        rows = fit_rows.rows_for(fit, frame, besides=besides)
        design = getattr(fit, "design", None)
        gaps = None if design is None else design.rows_with_gaps(rows)
        counts["gaps"] += 0 if gaps is None else int(gaps.sum())
        of_rows = groups.row_arguments(fit, frame, args.groups)
        columns = {"predicted": fit.predict(rows, **of_rows, **coins)}
        if args.votes:
            columns["votes"] = fit.votes(rows, **of_rows, **coins)
        if args.scores:
            columns["score"] = fit.decision_function(rows, **of_rows)
        if args.p_values:
            columns["p_value"] = fit.p_values(rows)
    if labelled is None:
        return columns
    counts["unknown"] += len(frame) - len(labelled)
    # errors are counted without rows with missing values, where the fit left such rows out
    counted = labelled if gaps is None else labelled[labelled.index.isin(frame.index[~gaps])]
    if counted.empty:
        return columns
    # a fit of clusters draws by the seed which rows count, as well
    if source is not None and not is_kind(fit, "NPClusterFit"):
        coins = {"random_state": SeedOfRows(seed, frame.index.get_indexer(counted.index))}
    try:
        with _counting_rows_of(args, counted):
            errors = groups.evaluate_table(fit, counted, args.label, args.data, besides, args.groups, **coins)
        evaluations.append((errors, counted[_columns_of_owners(args, fit, counted)]))
    except InvalidInputError as error:
        if error.fault != "unknown labels":
            raise
        unknown.append(error)
    return columns


def _counting_rows_of(args, frame):
    return counting(str(args.data), lambda row: frame.index[row])


def _columns_of_owners(args, fit, frame):
    """Return the columns that are looked at for rows of one owner, and those that say which rows count."""
    named = {args.label, args.groups, *(getattr(fit, name, None) for name in ("group_column", "cluster_column"))}
    return [name for name in frame.columns if name in named or may_name_owners(str(name))]


def _table(args, frame, kept, found, reasons):
    """Return the output of a part of the rows, of which those in the index of `found` have what was found there.

    The others have empty cells there, and their `reasons`, which are None where every row has a prediction.
    """
    import pandas as pd

    given = {name: kept[name].array for name in args.keep} or {"row": frame.index.to_numpy() + 1}
    if reasons is None:
        return pd.DataFrame({**given, **{name: found[name].array for name in found}})
    made = found.reindex(columns=[name for name in _names_made(args) if name != "reason"])
    # beside empty cells whole numbers would become decimal ones
    whole = {name: object for name in made if made[name].dtype.kind in "iub"}
    made = made.astype(whole).reindex(frame.index)
    return pd.DataFrame({**given, **{name: made[name].array for name in made}, "reason": reasons})


def _pooled(evaluations, own_rows):
    """Return the errors on all parts of the rows; a list has whether these are likely to be rows of the fit."""
    from nproc.fits import evaluation_of_counts

    whole = evaluations[0]
    if not own_rows:
        return whole
    counts = [sum(getattr(part, name) for part in evaluations) for name in ("n0", "n1", "n_false1", "n_false0")]
    known = {name: getattr(whole, name) for name in ("level", "alpha", "delta", "labels", "guaranteed")}
    return evaluation_of_counts(*counts, own_rows=own_rows[0], **known)
