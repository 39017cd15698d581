"""What ``compare`` may speak of on the command line: fitted rules, fitted scores, or procedures."""

from nproc.cli import files as pictures
from nproc.cli import records
from nproc.comparison import ABOUT, REGIONS, compare_procedures
from nproc.errors import InvalidInputError

PROCEDURES = "procedures"


def add_regions(compare):
    """Add the options of the command ``compare``."""
    compare.add_argument(
        "--regions",
        choices=(*REGIONS, PROCEDURES),
        help="pointwise: each level by itself (default); simultaneous: all levels at once; paired: the same by tests "
        "row by row, which finds more; procedures: an approximate test over repeated splits (--splits, 15 unless more "
        "than 1) at --alpha, 0.05 unless given",
    )
    compare.add_argument(
        "--about",
        choices=ABOUT,
        help="what simultaneous and paired regions speak of: the fitted scores (default) or the rules with thresholds",
    )


def asks_for_procedures(args):
    """Whether the procedures are to be compared; InvalidInputError if other options do not go with them."""
    if args.regions == PROCEDURES and args.about is not None:
        raise InvalidInputError("--about is for regions of fitted scores and rules; leave it out with procedures.")
    if args.regions == PROCEDURES and args.checkpoint is not None:
        raise InvalidInputError("--checkpoint is for classifiers and bands; leave it out with procedures.")
    if args.regions == PROCEDURES and args.band == "simultaneous":
        raise InvalidInputError(
            "--band simultaneous is for regions between bands, and procedures are compared without bands; leave it out."
        )
    return args.regions == PROCEDURES


def procedures_output(args, arguments, methods, params, training):
    """Compare procedures, draw them, and return text, record and the label of class 0."""
    n_splits = training.pop("n_splits")
    # refused above
    training.pop("checkpoint")
    result = compare_procedures(
        **arguments,
        **training,
        methods=methods,
        method_params=params,
        alpha=0.05 if args.alpha is None else args.alpha,
        n_splits=15 if n_splits == 1 else n_splits,
        random_state=args.seed,
    )
    if args.plot:
        ax = pictures.blank_axes(width=6.4, height=1.4 + 0.34 * len(result.differences))
        result.plot(ax=ax)
        pictures.write_picture(ax, args.plot)
    return f"{str(result.summary()).rstrip()}\n", records.procedures_record(result), result.labels[0]
