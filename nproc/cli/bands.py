"""The command ``bands``: NP-ROC bands of one or more methods, and levels chosen from them."""

import sys

import numpy as np

from nproc.bands import NAMES
from nproc.checks import check_level, check_levels
from nproc.cli import arguments, records, values
from nproc.cli.files import write_csv
from nproc.cli.pictures import draw
from nproc.comparison import nproc_bands
from nproc.errors import InvalidInputError
from nproc.outputs import csv_text
from nproc.persistence import save

BAND_ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def add_bands(add):
    """Register the command; `add` makes a parser."""
    command = add(
        "bands",
        run_bands,
        "compute NP-ROC bands: bounds on the type II error at every alpha",
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
        "--prevalence",
        type=values.prevalence,
        metavar="P",
        help=(
            "share of class 1 where the classifier will be used, such as 0.1, or an interval, such as 0.05,0.1; adds "
            "bounds on the predictive values"
        ),
    )
    out = "write the bounds at all ranks to a .csv file, or save the band (.joblib; with one --method only)"
    arguments.add_outputs(command, "all bands", out=out)


def add_methods(command, more):
    """Add the options of the commands that make bands of methods."""
    help_text = arguments.method_help(f"; repeatable, {more}")
    command.add_argument("--method", action="append", default=[], dest="methods", metavar="M", help=help_text)
    kinds = "bounds at one alpha fixed beforehand (default), or at all alpha at once"
    command.add_argument("--band", choices=("pointwise", "simultaneous"), default="pointwise", help=kinds)
    largest = (
        "for a simultaneous band: the largest alpha that you may choose, fixed beforehand; the band is then narrower "
        "up to it"
    )
    command.add_argument("--alpha-max", type=float, metavar="A", help=largest)


def of_methods(args, methods):
    """Return the methods and their parameters, as `nproc_bands` takes them; none of them may be there twice."""
    twice = sorted({method for method in methods if methods.count(method) > 1})
    if twice:
        raise InvalidInputError(f"--method {twice[0]} is given twice, which would give the same band twice.")
    params = {method: arguments.params_of(method, args, methods) for method in methods}
    return {"methods": methods, "method_params": params}


def made_bands(args, options, methods):
    """Return the bands of all methods, by name."""
    return nproc_bands(**options, **methods, band=args.band, alpha_max=args.alpha_max)


def run_bands(args):
    """Compute a band for every method, choose levels, save and draw."""
    methods = of_methods(args, args.methods or ["logistic"])
    as_table = args.out is not None and args.out.lower().endswith((".csv", ".csv.gz"))
    if args.out and not as_table and len(methods["methods"]) > 1:
        raise InvalidInputError(
            "--out saves one band; give one --method, or a .csv file for a table of the bounds at all ranks."
        )
    alphas = check_levels(args.alphas or BAND_ALPHAS, "alphas").tolist()
    if args.type2_max is not None:
        check_level(args.type2_max, "type2-max")
    options, *_ = arguments.two_classes(args)
    bands = list(made_bands(args, options, methods).values())
    choices = [_choose(band, args, alone=len(bands) == 1) for band in bands]
    if as_table:
        write_csv(args.out, [csv_text(knots(bands))])
    elif args.out:
        save(bands[0], args.out)

    def plot(ax):
        for band in bands:
            # the areas of three bands and more would hide each other
            band.plot(ax=ax, alpha=choices[0] if len(bands) == 1 else None, shade=len(bands) < 3)

    draw(args.plot, plot)
    parts, entries = [], []
    for band, choice in zip(bands, choices, strict=True):
        parts.append(band.summary(alphas=alphas))
        entries.append(records.band_record(band, alphas, choice))
        if choice is not None:
            parts.append(records.choice_text(band, choice))
        if args.prevalence is not None:
            predictive = band.predictive_values(args.prevalence)
            parts.append(predictive.summary(alphas=alphas))
            points = predictive.at(np.asarray(alphas)).to_frame()[["alpha", *NAMES]].to_dict("records")
            entries[-1]["predictive_values"] = {"prevalence": args.prevalence, "values": points}
    arguments.say_class0(args, options["class0"])
    return parts, {"bands": entries}


def _choose(band, args, *, alone):
    if args.youden:
        return band.choose_alpha("youden")
    if args.type2_max is None:
        return None
    lowest = band.type2_upper.min()
    if not alone and lowest > args.type2_max:
        sys.stderr.write(f"warning: {band.method}: no alpha reaches {args.type2_max:g}; the best is {lowest:.3g}\n")
        return None
    return band.choose_alpha(type2_max=args.type2_max)


def knots(bands):
    """Return one table of the knots of all bands, each with its method."""
    import pandas as pd

    return pd.concat([band.to_frame().assign(method=band.method) for band in bands], ignore_index=True)
