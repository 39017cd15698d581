"""The command ``fit``: a classifier of two classes."""

import sys
from pathlib import Path

from nproc.api import npc
from nproc.cli import arguments, groups
from nproc.cli.fit_rows import OutsideRanges, as_fitted, repeated_note, rows_with_errors
from nproc.cli.label_texts import label_values
from nproc.cli.pictures import draw
from nproc.errors import InvalidInputError, NPError
from nproc.fits import with_known, with_shared_owners
from nproc.persistence import save
from nproc.rows import counting_rows
from nproc.thresholds import RANKS, SMALL_SAMPLES, TIES, VOTES

_SMALL = (
    "what to do with too few class 0 rows: stop with an error (default), or assume normal scores, or assume a "
    "log-concave upper tail"
)


def add_fit(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "fit",
        run_fit,
        "loans.csv --label default --class0 yes --method lda --seed 1 --out model.joblib",
        arguments.DATA,
    )
    arguments.add_two_classes(command, split_ratio="auto")
    help_text = arguments.method_help("; default logistic")
    command.add_argument("--method", action=arguments.OneMethod, default="logistic", metavar="M", help=help_text)
    arguments.add_alpha(command, default=0.05)
    command.add_argument("--small-sample", choices=SMALL_SAMPLES, default="error", help=_SMALL)
    folds = (
        "number of folds of the class 0 rows, used in place of a split. All class 0 rows are then used for training. "
        "It is not proved that the type I error is at most alpha"
    )
    command.add_argument("--cross-fit", type=int, metavar="K", help=folds)
    command.add_argument(
        "--review-beta",
        type=float,
        metavar="B",
        help="bound on the type II error too: rows between two cuts are left to a person, and predicted 'review'",
    )
    command.add_argument(
        "--vote",
        choices=VOTES,
        default="majority",
        help="how several splits decide. majority (default): by majority. random: one split, drawn at random for each "
        "row, decides; the bound on the type I error is then proved",
    )
    command.add_argument(
        "--rank",
        choices=RANKS,
        default="conservative",
        help="randomize: the rank of the threshold is drawn once; for one split and continuous scores the type I error "
        "then exceeds alpha with probability exactly delta",
    )
    command.add_argument(
        "--ties",
        choices=TIES,
        default="conservative",
        help="conservative (default): scores equal to the threshold are called class 0. randomize: they are called at "
        "random, so that the violation rate is as without ties",
    )
    groups.add_groups(command, "the type I error is bounded in each of them")
    command.add_argument(
        "--clusters",
        metavar="COL",
        help=(
            "column of clusters, such as patients; rows of one cluster may depend on each other. Like the column of "
            "--groups, it is not a predictor unless --features or --formula names it"
        ),
    )
    command.add_argument(
        "--test",
        metavar="FILE",
        help="rows with labels, not used for fitting, to count errors on; with --na-action omit those with text in a "
        "column of numbers are left out, and also those with missing values, unless the method takes them and the fit "
        "left out none",
    )
    picture = "the left-out class 0 scores around the threshold"
    arguments.add_outputs(command, picture, out=f"save the classifier here; {arguments.READ_BY}")


def run_fit(args):
    """Fit, evaluate on the test file if there is one, save and draw."""
    if args.cross_fit is not None and args.plot:
        raise InvalidInputError(
            "--plot draws the scores of one scorer, and --cross-fit has one for each fold; leave one of the two out."
        )
    options, label, frame = arguments.two_classes(args)
    test = arguments.table_of(args, "test")
    if test is not None:
        # before the work
        label_values(test, label, args.na_action)
    owners = groups.shared_owners(args, frame, label)
    with counting_rows(lambda row: int(frame.index[row])):
        fit = npc(
            **options,
            **groups.fit_arguments(args, frame),
            method=args.method,
            alpha=args.alpha,
            small_sample=args.small_sample,
            cross_fit=args.cross_fit,
            review_beta=args.review_beta,
            vote=args.vote,
            rank=args.rank,
            ties=args.ties,
            method_params=arguments.params_of(args.method, args, [args.method]),
        )
    fit = with_shared_owners(groups.with_columns(fit, args), *owners)
    if args.out:
        # before the test file, which may have a fault that the fit has not
        save(fit, args.out)
    parts, evaluation = [fit.summary()], None
    if test is not None:
        try:
            known, note = test, None
            if args.na_action == "omit":
                known = as_fitted(fit, test, args.decimal)
                by = groups.columns_of_rows(fit, known, evaluating=True)
                known, note, _ = rows_with_errors(fit, known, label, Path(args.test).name, args.decimal, by=by)
            with counting_rows(lambda row: int(known.index[row])):
                evaluation = groups.evaluate_table(fit, known, label, args.test)
                evaluation = with_known(evaluation, dependent=groups.owners_of_errors(fit, known, label, args.test))
        except NPError as error:
            saved = f"The classifier is saved in {args.out}. " if args.out else ""
            raise error.told(f"{saved}{args.test}: ") from error
        parts += [*([note] if note else []), evaluation.summary()]
    draw(args.plot, fit.plot, figsize=args.figsize, width=6.4, height=4.4)
    if test is not None:
        sys.stderr.write(repeated_note(frame, known, fit.feature_names))
        OutsideRanges(fit).add(known).warn(args.test)
    arguments.say_class0(args, fit.class0)
    return parts, groups.fit_record(fit, evaluation, label=label)
