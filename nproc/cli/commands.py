"""What each command does: options in, text and numbers out. Files are written after the work."""

from __future__ import annotations

import gzip
import sys
from dataclasses import dataclass

from nproc.api import npc
from nproc.checks import check_level, check_levels
from nproc.cli import compare as cli_regions
from nproc.cli import files as pictures
from nproc.cli import files as tabular
from nproc.cli import groups as cli_groups
from nproc.cli import records
from nproc.cli import values as cli_values
from nproc.cli.predictive import predictive_parts, predictive_record
from nproc.comparison import compare, nproc_bands
from nproc.errors import InvalidInputError
from nproc.outputs import csv_text, replaced_file
from nproc.persistence import save
from nproc.row_chunks import refuse_commas
from nproc.scorers import scorer_spec

BAND_ALPHAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True)
class Output:
    """The result of a command: as text, and as an object for JSON."""

    text: str
    record: dict


@dataclass(frozen=True)
class Table:
    """The data of a command, as `npc` and `nproc` take them."""

    arguments: dict
    label: str
    frame: object


def run_fit(args):
    """Fit, evaluate on the test file if there is one, save and draw."""
    pictures.check_picture(args.plot)
    table = _read_data(args)
    test = None if args.test is None else tabular.read_table(args.test, **cli_values.file_format(args))
    if test is not None:
        tabular.label_values(test, table.label)
    fit = npc(
        **table.arguments,
        **cli_groups.fit_arguments(args, table.frame),
        **_training(args),
        method=args.method,
        alpha=args.alpha,
        small_sample=args.small_sample,
        method_params=_params_of(args.method, args.param, [args.method]),
        random_state=args.seed,
    )
    evaluation = None if test is None else cli_groups.evaluate_table(fit, test, table.label)
    if args.out:
        save(fit, args.out)
    if args.plot:
        ax = pictures.blank_axes(width=6.4, height=4.4)
        fit.plot(ax=ax)
        pictures.write_picture(ax, args.plot)
    if test is not None:
        sys.stderr.write(tabular.repeated_note(table.frame, test, fit.feature_names))
    _say_class0(args, fit.class0)
    parts = [fit.summary()] + ([] if evaluation is None else [evaluation.summary()])
    return Output(_text(*parts), cli_groups.fit_record(fit, evaluation, label=table.label))


def run_bands(args):
    """Compute a band for every method, choose levels, save and draw."""
    pictures.check_picture(args.plot)
    methods = _distinct(args.methods or ["logistic"])
    as_table = args.out is not None and args.out.lower().endswith((".csv", ".csv.gz"))
    if args.out and not as_table and len(methods) > 1:
        raise InvalidInputError("--out saves one band; give one --method, or a .csv file for a table of all knots.")
    alphas = check_levels(args.alphas or BAND_ALPHAS, "alphas").tolist()
    if args.type2_max is not None:
        check_level(args.type2_max, "type2-max")
    bands = _bands(args, methods)
    choices = [_choose(band, args, alone=len(bands) == 1) for band in bands]
    if as_table:
        _write_csv(_knots(bands), args.out)
    elif args.out:
        save(bands[0], args.out)
    if args.plot:
        ax = pictures.blank_axes()
        for band, choice in zip(bands, choices, strict=True):
            band.plot(ax=ax, alpha=choice if len(bands) == 1 else None)
        pictures.write_picture(ax, args.plot)
    parts = []
    for band, choice in zip(bands, choices, strict=True):
        parts += [band.summary(alphas=alphas)] + ([] if choice is None else [records.choice_text(band, choice)])
        parts += predictive_parts(band, args.prevalence, alphas)
    _say_class0(args, bands[0].subject.labels[0])
    record = records.bands_record(bands, choices, alphas)
    return Output(_text(*parts), predictive_record(record, bands, args.prevalence, alphas))


def run_compare(args):
    """Compare the bands of two or more methods."""
    pictures.check_picture(args.plot)
    methods = _distinct(args.methods or [])
    if len(methods) < 2:
        raise InvalidInputError(f"compare needs --method at least twice, got {len(methods)}.")
    if args.alpha is not None:
        check_level(args.alpha, "alpha")
    if cli_regions.asks_for_procedures(args):
        params = {method: _params_of(method, args.param, methods) for method in methods}
        *output, class0 = cli_regions.procedures_output(
            args, _read_data(args).arguments, methods, params, _training(args)
        )
        _say_class0(args, class0)
        return Output(*output)
    comparison = compare(*_bands(args, methods), regions=args.regions, about=args.about)
    parts, best, there = [comparison.summary()], None, None
    if args.alpha is not None:
        best, there = comparison.best_at(args.alpha), comparison.at(args.alpha)
        parts.append(f"At alpha = {args.alpha:g}:\n{records.as_columns(there)}")
        parts.append(records.best_text(comparison, best, args.alpha))
    if args.plot:
        ax = pictures.blank_axes()
        comparison.plot(ax=ax, alpha=args.alpha)
        pictures.write_picture(ax, args.plot)
    _say_class0(args, comparison.bands[0].subject.labels[0])
    return Output(_text(*parts), records.comparison_record(comparison, args.alpha, there, best))


def run_plan(args):
    """Say what sizes and levels allow."""
    from nproc.cli.plan import run

    return Output(*run(args))


def run_demo(args):
    """Run the demonstration, which prints as it goes."""
    from nproc.cli.demo import run_demo as demonstrate

    demonstrate(args.out)
    return Output("", {})


def _read_data(args):
    frame = tabular.read_table(args.data, **cli_values.file_format(args))
    texts = []
    if args.formula:
        if args.features or args.drop:
            raise InvalidInputError("--formula names the columns itself; leave out --features and --drop.")
        label = args.formula.split("~")[0].strip().strip("`")
        X, rows = args.formula, frame
        right = args.formula.partition("~")[2]
        for column in frame.columns:
            if column != label and (column in right or "." in right.split()):
                refuse_commas(frame[column], f"column {column!r}", args.decimal)
    else:
        label = args.label
        drop = cli_groups.dropped(args, frame)
        rows, texts = tabular.choose_predictors(frame, label, features=args.features, drop=drop, decimal=args.decimal)
        X = f"`{label}` ~ ." if texts else rows
    values = tabular.label_values(frame, label)
    present = sorted(dict.fromkeys(values.tolist()), key=str)
    class0 = tabular.first_label(values) if args.class0 is None else tabular.match_label(args.class0, present)
    if texts:
        sys.stderr.write(f"note: coded as categories: {', '.join(texts)}\n")
    if isinstance(X, str):
        arguments = {"X": X, "data": rows.assign(**{label: values}), "class0": class0}
    else:
        arguments = {"X": X, "y": values, "class0": class0}
    return Table(arguments, label, frame)


def _training(args):
    return {
        "delta": args.delta,
        "n_splits": args.splits,
        "split_ratio": args.split_ratio,
        "n_jobs": args.jobs,
        "checkpoint": args.checkpoint,
        # a bar for the eye, lines for a log file
        "verbose": 0 if not args.verbose else 1 if sys.stderr.isatty() else 2,
    }


def _bands(args, methods):
    """Return the bands of all methods, on the same splits."""
    params = {method: _params_of(method, args.param, methods) for method in methods}
    for method in methods:
        scorer_spec(method)
    arguments = {**_read_data(args).arguments, **_training(args), "band": args.band, "random_state": args.seed}
    return list(nproc_bands(**arguments, methods=methods, method_params=params).values())


def _params_of(method, pairs, methods):
    """Return the parameters of one method: those for all, and those with its name and a dot before them."""
    own = {}
    for key, value in pairs:
        head, dot, tail = key.partition(".")
        if dot and head not in methods:
            raise InvalidInputError(f"--param {key}: {head!r} is not one of the methods {', '.join(methods)}.")
        if not dot:
            own[key] = value
        elif head == method:
            own[tail] = value
    return own


def _distinct(methods):
    twice = sorted({method for method in methods if methods.count(method) > 1})
    if twice:
        raise InvalidInputError(f"--method {twice[0]} is given twice, which would give the same band twice.")
    return methods


def _choose(band, args, *, alone):
    if args.youden:
        return band.choose_alpha("youden")
    if args.type2_max is None:
        return None
    if not alone and band.type2_upper.min() > args.type2_max:
        lowest = band.type2_upper.min()
        sys.stderr.write(f"warning: {band.method}: no alpha reaches {args.type2_max:g}; the best is {lowest:.3g}\n")
        return None
    return band.choose_alpha(type2_max=args.type2_max)


def _knots(bands):
    import pandas as pd

    return pd.concat([band.to_frame().assign(method=band.method) for band in bands], ignore_index=True)


def _say_class0(args, label):
    if args.class0 is None:
        sys.stderr.write(cli_values.class0_note(label))


def _write_csv(frame, path):
    text = csv_text(frame).encode("utf-8")
    with replaced_file(path) as part:
        part.write_bytes(gzip.compress(text) if str(path).lower().endswith(".gz") else text)


def _text(*parts):
    return "\n\n".join(str(part).rstrip() for part in parts) + "\n"
