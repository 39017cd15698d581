"""The command ``report``: a report on a saved classifier in one file."""

import sys
from pathlib import Path

from nproc.cli import arguments, files, fit_rows, groups, label_texts, values
from nproc.cli.predict import load_model, load_with_band
from nproc.errors import InvalidInputError, NPError
from nproc.persistence import is_kind


def add_report(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "report",
        run_report,
        "model.joblib --data train.csv --new fresh.csv --label default --out report.html",
        f"{arguments.MODEL} The rows of --new must not have been used to make or\nto choose this model. "
        "The rows of --data are those that it was fitted on. The\nreport states their hash, and counts copies among "
        "them and rows of --new that\nequal one of them. If MODEL is a band, the report draws it, marked at --alpha. "
        "For a classifier give a band\nof the same rows by --band.",
    )
    command.add_argument("model", metavar="MODEL", help="file of a fitted classifier or band")
    command.add_argument(
        "--new", metavar="FRESH", help="CSV, Parquet or JSON lines file of new rows, for the errors there"
    )
    command.add_argument("--data", metavar="DATA", help="the file that the classifier was fitted on")
    arguments.add_file_format(command)
    command.add_argument("--label", metavar="COL", help="column of true labels, in FRESH and in DATA")
    arguments.add_na_action(
        command,
        arguments.faults_for_model("FRESH"),
        "leave these rows out of the errors there and say how many. If the fit left out rows with missing values, such "
        "rows never count",
    )
    command.add_argument("--alpha", type=float, metavar="X", help="level of the classifier, if MODEL is a band")
    command.add_argument(
        "--band",
        dest="band_file",
        metavar="FILE",
        help="file of a band, from 'bands --out', to draw in the report, marked at the level of the classifier",
    )
    command.add_argument(
        "--prevalence",
        type=values.prevalence,
        metavar="LABEL=P",
        help="share of a class where the classifier will be used, such as ill=0.1; without a label it is the share of "
        "class 1. Adds the predictive values on FRESH at this share",
    )
    command.add_argument("--groups", metavar="COL", help="column of groups, for a model with groups")
    command.add_argument("--out", metavar="FILE", required=True, help="the report, a file that ends in .html or .md")
    command.set_defaults(json=None)


def run_report(args):
    """Write the report."""
    from nproc.fits import UnseenRows, new_rows_left_out, write_report

    fit, band = load_with_band(args.model, args.alpha, "report")
    if args.band_file is not None:
        if band is not None:
            raise InvalidInputError(f"{args.model} is a band itself, which the report draws; leave out --band.")
        band = load_model(args.band_file)
        if not is_kind(band, "NPROCBand"):
            raise InvalidInputError(
                f"--band must be a file of a band, and {args.band_file} holds a {type(band).__name__}. "
                "Make one with npc bands --out."
            )
    if (args.new is None and args.data is None) != (args.label is None):
        raise InvalidInputError(
            "--new and --data need --label, the column of true labels, and --label needs one of these files.",
            argument="label",
        )
    # in --data the rows that the fit left out are left out anyway
    if args.na_action == "omit" and args.new is None and args.data is None:
        raise InvalidInputError("--na-action omit is about the rows of --new; give that file, or leave the option out.")
    if args.prevalence is not None and args.new is None:
        raise InvalidInputError("--prevalence is about the rows of --new; give that file, or leave the option out.")
    if args.prevalence is not None and not isinstance(args.prevalence[1], float):
        raise InvalidInputError("--prevalence must be one share here; an interval of shares is for npc bands.")
    prevalence = None if args.prevalence is None else label_texts.prevalence_of(args.prevalence, list(fit.labels))
    rows = truth = data = note = data_code = refused = None
    options, left_out, owners, of_errors = {}, "", "", ""
    if args.new is not None:
        frame = arguments.table_of(args, "new", fit, omits=args.na_action == "omit")
        if args.na_action == "omit":
            n_given = len(frame)
            by = groups.columns_of_rows(fit, frame, args.groups, evaluating=True)
            frame, note, counts = fit_rows.rows_with_errors(
                fit, frame, args.label, Path(args.new).name, args.decimal, by=by
            )
            left_out = new_rows_left_out(counts, n_given)
        truth = label_texts.labels_for(fit, frame, args.label, args.new)
        rows = fit_rows.rows_for(fit, frame, besides=[args.label])
        options, refused = groups.row_arguments(fit, frame, args.groups, evaluating=True), frame
        owners = groups.fresh_owners_of(fit, frame, [frame[truth == fit.class0]], [args.label, args.groups])
        of_errors = groups.owners_of_errors(fit, frame, args.label, args.new, args.groups)
        note = f"{note or ''} No intervals are shown, because {of_errors}.".strip() if of_errors else note
    if args.data is not None:
        table = arguments.table_of(args, "data", fit)
        # an array has no columns to take from the table
        data_code = None if fit.feature_names is None else _code_of(args, table, fit)
        frame, omitted = fit_rows.rows_of_fit(fit, table, args.label, [], Path(args.data).name)
        # the rows of the fit had no values that it refuses
        refused = frame if refused is None else refused
        if omitted is not None:
            sys.stderr.write(f"note: {omitted}\n")
        data = (
            fit_rows.rows_for(fit, frame, besides=[args.label]),
            label_texts.labels_for(fit, frame, args.label, args.data),
        )
    given = {"data": data, "band": band, "summaries": (), "data_code": data_code}
    named = (None if args.data is None else Path(args.data).name, args.label)
    try:
        words = fit_rows.refusals_in_words(args.model, f"rows of {args.new or args.data}")
        with words, fit_rows.places_of({} if refused is None else {"X": refused}):
            name = None if args.new is None else Path(args.new).name
            dependent = {"dependent": owners, "dependent_errors": of_errors}
            new = UnseenRows(rows, truth, note, options, left_out, name=name, prevalence=prevalence, **dependent)
            path = write_report(fit, args.out, new, named=named, **given)
    except NPError as error:
        if error.fault == "rows of the fit":
            raise InvalidInputError(
                f"--new {args.new} has the rows of --data {args.data}, and the errors on them are not those of new "
                "rows. Give rows that had no part in the fit, or leave --new out.",
                argument="new",
            ) from error
        if error.fault != "gaps of new rows" or args.new is None:
            raise
        raise error.told(f"{args.new}: ") from error
    if rows is not None:
        fit_rows.OutsideRanges(fit).add(rows).warn(args.new)
    return [f"The report is in {path}."], {"report": str(path)}


def _code_of(args, frame, fit):
    """Return the lines of Python that read the table of a fit as the command line did."""
    form = {name: value for name, value in arguments.file_format(args).items() if value is not None}
    alone = files.read_table(args.data, **form)
    # a fit made in Python may have taken codes for numbers, or numbers for text
    texts = {
        name: signs
        for name, signs in (fit_rows.texts_of(fit) or {}).items()
        if name in frame.columns and not alone[name].equals(frame[name])
    }
    given = form | ({"texts": texts} if texts else {})
    arguments_given = "".join(f", {name}={value!r}" for name, value in given.items())
    return f"from nproc.cli import read_table\ndata = read_table({Path(args.data).name!r}{arguments_given})"
