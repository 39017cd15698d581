"""The command ``certify``: a bound on the type I error of a saved classifier from rows that it has never seen."""

import sys

from nproc.cli import arguments, files, groups
from nproc.cli.predict import load_classifier
from nproc.errors import InvalidInputError
from nproc.fits import NPFit
from nproc.groups import NPClusterFit


def add_certify(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "certify",
        run_certify,
        "bound the type I error of a saved classifier from class 0 rows that it has never seen",
        "model.joblib fresh.csv --label default",
        f"{arguments.MODEL} The rows of FRESH must be independent, and not used to make or to\nchoose this model.\n"
        "Without --label all of them must be of class 0.",
    )
    command.add_argument("model", metavar="MODEL", help="file of a fitted classifier or band")
    command.add_argument("data", metavar="FRESH", help="CSV or Parquet file of new rows")
    arguments.add_file_format(command)
    command.add_argument("--label", metavar="COL", help="column of true labels: only rows of class 0 count")
    command.add_argument("--alpha", type=float, metavar="X", help="level of the classifier, if MODEL is a band")
    confidence = "the bound holds with probability at least 1 - delta; default: delta of the model"
    command.add_argument("--delta", type=float, metavar="X", help=confidence)
    command.add_argument(
        "--candidates",
        type=int,
        default=1,
        metavar="K",
        help="number K of classifiers that are certified on these rows, all fixed beforehand; each bound uses delta / "
        "K; default 1",
    )
    command.add_argument("--groups", metavar="COL", help="column of groups, for a model with groups")
    arguments.add_outputs(command, None)


def run_certify(args):
    """Certify a saved classifier."""
    fit = load_classifier(args.model, args.alpha)
    if not isinstance(fit, NPFit):
        raise InvalidInputError(f"{args.model} holds a {type(fit).__name__}; certify takes classifiers of two classes.")
    frame = arguments.table_of(args, "data")
    if args.label is not None:
        truth, besides = files.labels_for(fit, frame, args.label), [args.label]
    else:
        truth, besides = None, []
        _refuse_labels(frame, fit, args.data)
        sys.stderr.write(f"note: all {len(frame)} rows are taken to be of class 0, {fit.class0}\n")
    rows = files.rows_for(fit, frame, besides=besides)
    # one row of each cluster counts, as where errors are evaluated
    options = groups.row_arguments(fit, frame, args.groups, evaluating=isinstance(fit, NPClusterFit))
    bound = fit.certify(rows, truth, delta=args.delta, n_candidates=args.candidates, **options)
    return [bound.summary()], bound.to_frame().to_dict("records")[0]


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
