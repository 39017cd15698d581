"""The command ``bands``: NP-ROC bands of one or more methods, and levels chosen from them."""

import sys

import numpy as np

from nproc.api import nproc
from nproc.checks import check_level, check_levels, class_names
from nproc.cli import arguments, files, groups, label_texts, records, values
from nproc.cli.options import TABLES
from nproc.cli.pictures import draw
from nproc.cli.scores import ScoreColumn, add_larger_means, score_values, smaller_means
from nproc.comparison import nproc_bands
from nproc.errors import InvalidInputError
from nproc.fits import with_shared_owners
from nproc.orderstat import round_up
from nproc.outputs import csv_text
from nproc.persistence import save
from nproc.rows import counting_rows

BAND_ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def add_bands(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "bands",
        run_bands,
        "loans.csv --label default --class0 yes --method lda --method svm --alphas 0.05,0.1 --plot bands.png",
        arguments.DATA,
    )
    arguments.add_two_classes(command)
    add_methods(command, "one band each; default logistic")
    command.add_argument(
        "--alphas", type=values.numbers, metavar="A,B,...", help="levels to tabulate, separated by commas"
    )
    choice = command.add_mutually_exclusive_group()
    choice.add_argument(
        "--type2-max",
        type=float,
        metavar="B",
        help="choose the smallest alpha whose upper bound on the type II error is at most B",
    )
    choice.add_argument(
        "--youden",
        action="store_true",
        help="choose the alpha where the lower curve is highest above the diagonal (Youden)",
    )
    command.add_argument(
        "--cross-fit",
        type=int,
        metavar="K",
        help="adds an estimate of the type II error of classifiers that are cross-fitted in K folds, such as 5; "
        "nothing is proved about it",
    )
    command.add_argument(
        "--prevalence",
        type=values.prevalence,
        metavar="LABEL=P",
        help=(
            "share of a class where the classifier will be used, such as ill=0.1, or an interval, such as "
            "ill=0.05,0.1; without a label it is the share of class 1. Adds bounds on the predictive values"
        ),
    )
    out = "write the bounds at all ranks to a .csv file, or save the band (.joblib; with one --method only). "
    out += f"{arguments.FORM_WRITTEN}. A{arguments.READ_BY.removeprefix('a')}"
    arguments.add_outputs(command, "all bands", out=out)
    arguments.add_limits(command, "--alphas")


def add_methods(command, more):
    """Add the options of the commands that make bands of methods."""
    help_text = arguments.method_help(f"; repeatable, {more}")
    command.add_argument("--method", action="append", default=[], metavar="M", help=help_text)
    command.add_argument(
        "--score",
        action="append",
        default=[],
        dest="scores",
        metavar="COL",
        help="instead of --method: a column of scores of a model that never saw these rows; repeatable. Nothing is "
        "trained, and all rows are used",
    )
    add_larger_means(command)
    kinds = "bounds at one alpha fixed beforehand (default), or at all alpha at once"
    command.add_argument("--band", choices=("pointwise", "simultaneous"), default="pointwise", help=kinds)
    largest = (
        "for a simultaneous band: the largest alpha that you may choose, fixed beforehand; the band ends there and "
        "is narrower than without it"
    )
    command.add_argument("--alpha-max", type=float, metavar="A", help=largest)


def names_given(args, *, default=()):
    """Return the methods, or the columns of scores, of which there is to be a band each; none may be there twice."""
    option = "--score" if args.scores else "--method"
    names = args.scores or args.method or list(default)
    several = next((name for name in args.method if "," in name), None)
    if several is not None:
        each = " ".join(f"--method {name.strip()}" for name in several.split(","))
        raise InvalidInputError(f"--method {several} is no method; give each its own option: {each}.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInputError(f"{option} {twice[0]} is given twice, which would make the same band twice.")
    if not args.scores and args.larger_means != "class1":
        raise InvalidInputError("--larger-means is for --score; a trained method learns the direction.")
    return names


def of_methods(args, methods):
    """Return the methods and their parameters, as `nproc_bands` takes them."""
    params = {method: arguments.params_of(method, args, methods) for method in methods}
    return {"methods": methods, "method_params": params}


def made_bands(args, names, *, cross_fit=None):
    """Return the bands of methods or columns of scores by name, and the label of class 0, None if two are known."""
    kind = {"band": args.band, "alpha_max": args.alpha_max}
    if not args.scores:
        options, label, frame = arguments.two_classes(args)
        owners = groups.shared_owners(args, frame, label)
        with counting_rows(lambda row: int(frame.index[row])):
            bands = nproc_bands(**options, **of_methods(args, names), **kind, cross_fit=cross_fit)
        return {name: with_shared_owners(band, *owners) for name, band in bands.items()}, options["class0"]
    import pandas as pd

    _refuse_training(args, cross_fit)
    frame = arguments.table_of(args, "data")
    labels = label_texts.label_values(frame, args.label, args.na_action)
    class0 = arguments.class0_of(args, labels)
    # no rows are divided, so that the seed decides nothing
    known = {"y": labels, "class0": class0, "delta": args.delta, "prefit": True, "random_state": 0}
    known["na_action"] = args.na_action
    bands, owners = {}, groups.shared_owners(args, frame, args.label, names)
    files.require_columns(frame, names, "the score")
    # rows that are left out have no number, and all bands are of the same rows
    counted = frame.dropna(subset=names) if args.na_action == "omit" else frame
    scores = frame[names].assign(**{name: pd.Series(score_values(counted, name), counted.index) for name in names})
    for name in names:
        with counting_rows(lambda row: int(frame.index[row])):
            band = nproc(scores, method=ScoreColumn(name, args.larger_means), **known, **kind)
        bands[band.method] = with_shared_owners(band, *owners)
    return bands, class0


def _refuse_training(args, cross_fit):
    """Stop if an option says how to train, where the scores are there."""
    training = {
        "--method": args.method,
        "--formula": args.formula,
        "--features": args.features,
        "--drop": args.drop,
        "--param": args.param,
        "--splits": args.n_splits != 1,
        "--split-ratio": args.split_ratio != 0.5,
        "--sample-weight": args.sample_weight,
        "--checkpoint": args.checkpoint,
        "--seed": args.random_state is not None,
        "--cross-fit": cross_fit is not None,
    }
    given = [option for option, there in training.items() if there]
    if given:
        raise InvalidInputError(f"{given[0]} is for methods that are trained, and --score gives scores; leave it out.")


def run_bands(args):
    """Compute a band for every method, choose levels, save and draw."""
    names = names_given(args, default=["logistic"])
    as_table = args.out is not None and args.out.lower().endswith(TABLES)
    if args.out and not as_table and len(names) > 1:
        raise InvalidInputError(
            "--out saves one band; give one --method or --score, or a .csv file for a table of the bounds at all ranks."
        )
    alphas = check_levels(args.alphas or BAND_ALPHAS, "alphas").tolist()
    if args.type2_max is not None:
        check_level(args.type2_max, "type2_max")
    bands, class0 = made_bands(args, names, cross_fit=args.cross_fit)
    bands = list(bands.values())
    choices = [_choose(band, args, alone=len(bands) == 1) for band in bands]
    predictive, share = [], None
    if args.prevalence is not None:
        given = label_texts.prevalence_of(args.prevalence, bands[0].subject.labels)
        (share,) = given.values()
        predictive = [band.predictive_values(given) for band in bands]
    if as_table:
        signs = files.signs_written(args.out, sep=args.sep, decimal=args.decimal)
        text = csv_text(knots(bands, predictive), **signs)
        files.write_texts(args.out, [text], **arguments.file_format(args))
    elif args.out:
        save(bands[0], args.out)

    def plot(ax):
        from nproc.plotting import error_axes, mark_level, name_classes

        chosen = choices[0] if len(bands) == 1 else None
        marked = [choice.alpha for choice in [chosen] if choice is not None]
        error_axes(ax)
        name_classes(ax)
        xlim = levels_shown(args.xlim, args.alphas, bands, marked)
        for alpha in args.alphas or ():
            if chosen is None or alpha != chosen.alpha:
                mark_level(alpha, ax=ax)
        for band in bands:
            band.plot(ax=ax, alpha=chosen, xlim=xlim, scale=args.scale)
        show_errors(ax, args.ylim)

    draw(args.plot, plot, figsize=args.figsize)
    parts, entries = [], []
    for number, (name, band, choice) in enumerate(zip(names, bands, choices, strict=True)):
        is_reversed = args.larger_means == "class0"
        direction = {"direction": smaller_means(name, class_names(band.subject.labels)[1])} if is_reversed else {}
        parts.append(band._summary(alphas, **direction))
        entries.append(records.band_record(band, alphas, choice))
        if choice is not None:
            parts.append(records.choice_text(band, choice))
        if band.cross_fitted is not None:
            parts.append(band.cross_fitted.summary(alphas=alphas))
        if predictive:
            parts.append(predictive[number].summary(alphas=alphas))
            entries[-1]["predictive_values"] = records.predictive_record(predictive[number], share, np.asarray(alphas))
    arguments.say_class0(args, class0)
    return parts, {"bands": entries}


def levels_shown(xlim, alphas, bands, marked=()):
    """Return the ends of the axis of levels: those that are given, or around the alphas, or the whole axis."""
    if xlim is not None or not alphas:
        return xlim
    from nproc.plotting import end_of_levels

    return 0.0, end_of_levels(max(alphas), [band.shown_knots for band in bands], marked=max([*alphas, *marked]))


def show_errors(ax, ylim):
    """Set the ends of the vertical axis if they are given, with room for a curve along the frame."""
    if ylim is not None:
        low, high = ylim
        room = 0.01 * (high - low)
        ax.set_ylim(low - room, high + room)


def _choose(band, args, *, alone):
    if args.youden:
        return band.choose_alpha("youden")
    if args.type2_max is None:
        return None
    lowest = band.type2_upper.min()
    if not alone and lowest > args.type2_max:
        why = f"no alpha reaches {args.type2_max:g}; the best is {round_up(lowest)}"
        sys.stderr.write(f"warning: {band.method}: {why}\n")
        return None
    return band.choose_alpha(type2_max=args.type2_max)


def knots(bands, predictive=()):
    """Return one table of the knots of all bands, each with its method, and with its predictive values if given."""
    import pandas as pd

    tables = [band.to_frame().assign(method=band.method) for band in bands]
    if predictive:
        # the rows of both are the knots
        more = [values.to_frame().drop(columns=["alpha", "order"]) for values in predictive]
        tables = [pd.concat(pair, axis=1) for pair in zip(tables, more, strict=True)]
    return pd.concat(tables, ignore_index=True)
