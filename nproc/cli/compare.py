"""The command ``compare``: what it may speak of are fitted rules, fitted scores, or procedures."""

from nproc.checks import check_level
from nproc.cli import arguments, groups, records
from nproc.cli.bands import add_methods, levels_shown, made_bands, names_given, of_methods, show_errors
from nproc.cli.pictures import draw
from nproc.comparison import ABOUT, REGIONS, compare, compare_procedures
from nproc.errors import InvalidInputError
from nproc.rows import counting_rows

PROCEDURES = "procedures"


def add_compare(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "compare",
        run_compare,
        "loans.csv --label default --class0 yes --method lda --method svm --alpha 0.05 --plot compare.png",
        arguments.DATA,
    )
    arguments.add_two_classes(command)
    add_methods(command, "at least two")
    arguments.add_alpha(command, more="; also prints a table of the methods at this alpha")
    command.add_argument(
        "--regions",
        choices=(*REGIONS, PROCEDURES),
        help=(
            "pointwise (default): valid at one alpha fixed beforehand. simultaneous: valid at all alpha at once. "
            "paired: the same, by tests row by row; usually finds more, but not at every alpha. procedures: an "
            "approximate test at --alpha over repeated splits (default --alpha 0.05, --splits 15)"
        ),
    )
    command.add_argument(
        "--about",
        choices=ABOUT,
        help=(
            "what simultaneous and paired regions compare: the fitted scores (default) or the rules with their "
            "thresholds. With few class 0 rows or at small alpha, rules finds much more"
        ),
    )
    arguments.add_outputs(command, "the bands, with bars where one dominates")
    arguments.add_limits(command, "--alpha")


def run_compare(args):
    """Compare the bands of two or more methods, or the methods as procedures."""
    names = names_given(args)
    if len(names) < 2:
        raise InvalidInputError(f"compare needs --method or --score at least twice, got {len(names)}.")
    if args.alpha is not None:
        check_level(args.alpha, "alpha")
    if args.regions == PROCEDURES:
        return _compare_procedures(args, names)
    bands, class0 = made_bands(args, names)
    comparison = compare(bands, regions=args.regions, about=args.about)
    best, there = None, None
    parts = [comparison._summary("--alpha shows it" if args.alpha is None else "")]
    if args.alpha is not None:
        best, there = comparison.best_at(args.alpha, fallback="estimate"), comparison.at(args.alpha)
        parts.append(records.at_text(comparison, there, args.alpha))
        parts.append(records.best_text(comparison, best, args.alpha))
    n_methods = len(comparison.names)
    # three methods and more have panels, and each may add a row of bars
    size = {"width": 7.0, "height": 4.4 + 0.5 * n_methods} if n_methods > 2 else {}

    def plot(ax):
        from nproc.plotting import name_classes

        alphas = [] if args.alpha is None else [args.alpha]
        xlim = levels_shown(args.xlim, alphas, bands.values())
        name_classes(ax)
        comparison.plot(ax=ax, alpha=args.alpha, xlim=xlim, scale=args.scale)
        show_errors(ax, args.ylim)

    draw(args.plot, plot, figsize=args.figsize, **size)
    arguments.say_class0(args, class0)
    return parts, records.comparison_record(comparison, args.alpha, there, best)


def _compare_procedures(args, names):
    if args.scores:
        raise InvalidInputError("--regions procedures trains methods over and over; give --method instead of --score.")
    if args.about is not None:
        raise InvalidInputError(
            "--about is for regions of fitted scores and rules; leave it out with --regions procedures."
        )
    if args.checkpoint is not None:
        raise InvalidInputError("--checkpoint is for classifiers and bands; leave it out with --regions procedures.")
    for name in ("xlim", "ylim", "scale"):
        if getattr(args, name) is not None:
            raise InvalidInputError(f"--{name} is for pictures of bands; leave it out with --regions procedures.")
    if args.band == "simultaneous":
        raise InvalidInputError(
            "--band simultaneous is for regions between bands, and procedures are compared without bands; leave it out."
        )
    options, label, frame = arguments.two_classes(args)
    groups.shared_owners(args, frame, label)
    del options["checkpoint"]
    options["n_splits"] = 15 if args.n_splits == 1 else args.n_splits
    alpha = 0.05 if args.alpha is None else args.alpha
    with counting_rows(lambda row: int(frame.index[row])):
        result = compare_procedures(**options, **of_methods(args, names), alpha=alpha)
    draw(args.plot, result.plot, figsize=args.figsize, width=6.4, height=1.4 + 0.34 * len(result.differences))
    arguments.say_class0(args, options["class0"])
    return [result.summary()], records.procedures_record(result)
