"""The command ``plan`` where it asks for power, a pilot or a picture: sizes for a power."""

from __future__ import annotations

import sys

from nproc import cli_plan, cli_values, pictures, tabular
from nproc.errors import InvalidInputError
from nproc.planning.class0 import plan_class0

DEFAULT_POWER = 0.8


def add_planning(plan):
    """Add the options of power and pilot to the parser of ``plan``."""
    plan.add_argument(
        "--power",
        type=float,
        metavar="P",
        help="expected power as a share of that at a type I error of alpha exactly; default 0.8 with a pilot or --plot",
    )
    source = plan.add_mutually_exclusive_group()
    source.add_argument("--auc", type=float, metavar="A", help="pilot: area under the ROC curve of two normal classes")
    source.add_argument("--pilot", metavar="FILE", help="pilot: a table of scores of rows that the model never saw")
    plan.add_argument("--score", default="score", metavar="COL", help="its column of scores; default 'score'")
    plan.add_argument("--label", default="label", metavar="COL", help="its column of labels; default 'label'")
    plan.add_argument("--class0", metavar="VALUE", help="label of class 0; default the first in sorted order")
    cli_values.add_file_format(plan)
    plan.add_argument("--plot", metavar="FILE", help="draw the error against the number of rows: .png, .pdf, .svg")


def run(args):
    """Return text and an object for JSON, for the arguments of the command."""
    alphas, deltas = args.alpha or [0.05], args.delta or [0.05]
    if all(given is None for given in (args.power, args.auc, args.pilot, args.plot)):
        return cli_plan.plan(alphas, deltas, args.split_ratio, n0=args.n0, rows=args.rows)
    if args.n0 is not None or args.rows is not None:
        raise InvalidInputError(
            "--power, --auc, --pilot and --plot ask for a number of rows; leave out --n0 and --rows."
        )
    if args.plot and len(alphas) * len(deltas) > 1:
        raise InvalidInputError("--plot draws one plan; give one --alpha and one --delta.")
    pictures.check_picture(args.plot)
    pilot = args.auc if args.pilot is None else _scores(args)
    power = DEFAULT_POWER if args.power is None else args.power
    plans = [
        plan_class0(alpha, delta, power=power, pilot=pilot, split_ratio=args.split_ratio)
        for alpha in alphas
        for delta in deltas
    ]
    if args.plot:
        ax = pictures.blank_axes(width=6.4, height=4.2)
        plans[0].plot(ax=ax)
        pictures.write_picture(ax, args.plot)
    text = "\n\n".join(plan.summary().as_text() for plan in plans)
    record = {"command": "plan", "split_ratio": args.split_ratio, "plan": [_record(plan) for plan in plans]}
    return f"{text}\n", record


def _scores(args):
    frame = tabular.read_table(args.pilot, **cli_values.file_format(args))
    tabular.require_columns(frame, [args.score], "the score")
    labels = tabular.label_values(frame, args.label)
    present = sorted(set(labels.tolist()), key=str)
    if len(present) != 2:
        raise InvalidInputError(f"--label {args.label} must have two values, got {len(present)}: {present[:5]}.")
    if args.class0 is None:
        class0 = tabular.first_label(labels)
        sys.stderr.write(cli_values.class0_note(class0))
    else:
        class0 = tabular.match_label(args.class0, present)
    scores = frame[args.score].to_numpy()
    return scores[labels == class0], scores[labels != class0]


def _record(plan):
    sizes = ("n0", "n0_first", "n0_min", "rows", "order")
    errors = ("type1_mean", "price", "type2_mean", "type2_oracle", "type2_price", "type2_bounds")
    names = ("alpha", "delta", "power", *sizes, "violation_rate", *errors)
    return {**{name: getattr(plan, name) for name in names}, "pilot": plan.curve.name}
