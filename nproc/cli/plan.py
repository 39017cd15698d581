"""The command ``plan``: sizes for given levels, levels for given sizes."""

import sys

from nproc.checks import check_count, check_level
from nproc.cli import files as pictures
from nproc.cli import files as tabular
from nproc.cli import values as cli_values
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import min_class0_size, np_order, round_up, type1_upper, violation_rate
from nproc.planning import plan_class0
from nproc.splitting import n_train, rows_in_all
from nproc.tables import summary_table


def plan(alphas, deltas, split_ratio, *, n0=None, rows=None):
    """Return text and an object for JSON.

    Parameters
    ----------
    alphas, deltas : sequence of float
        Levels, all pairs of which are shown.
    split_ratio : float
        Share of class 0 that trains.
    n0, rows : int, optional
        Class 0 rows left out, or in all; without both the smallest sizes are shown.
    """
    split_ratio = check_level(split_ratio, "split_ratio")
    pairs = [(check_level(a, "alpha"), check_level(d, "delta")) for a in alphas for d in deltas]
    if rows is not None:
        rows = check_count(rows, "rows", minimum=2)
        n0 = rows - n_train(rows, split_ratio)
    if n0 is not None:
        n0 = check_count(n0, "n0")
    if n0 is None:
        return _sizes(pairs, split_ratio)
    return _levels(pairs, split_ratio, n0, rows)


def _sizes(pairs, split_ratio):
    found = []
    for alpha, delta in pairs:
        n_left = min_class0_size(alpha, delta)
        found.append({"alpha": alpha, "delta": delta, "n0": n_left, "rows": rows_in_all(n_left, split_ratio)})
    text = summary_table(
        "Smallest number of class 0 rows",
        [("Split ratio", f"{split_ratio:g}")],
        ["alpha", "delta", "Left out for the threshold", "In all"],
        [(f"{r['alpha']:g}", f"{r['delta']:g}", r["n0"], r["rows"]) for r in found],
        [
            "With these numbers the threshold is the largest left-out score. More rows bring the type I error "
            "closer to alpha and so lower the type II error."
        ],
    )
    return f"{text}\n", {"command": "plan", "split_ratio": split_ratio, "plan": found}


def _levels(pairs, split_ratio, n0, rows):
    found = []
    for alpha, delta in pairs:
        try:
            order = np_order(n0, alpha, delta)
        except TooFewSamplesError:
            order = None
        found.append(
            {
                "alpha": alpha,
                "delta": delta,
                "order": order,
                "violation_rate": None if order is None else violation_rate(order, n0, alpha),
                "type1_upper": None if order is None else type1_upper(order, n0, delta),
                "smallest_alpha": type1_upper(n0, n0, delta),
                "smallest_delta": violation_rate(n0, n0, alpha),
                "n0_needed": min_class0_size(alpha, delta),
            }
        )
    in_all = "-" if rows is None else f"{rows} (split ratio {split_ratio:g})"
    text = summary_table(
        "What these class 0 rows allow",
        [("Left out for the threshold", n0), ("Class 0 rows in all", in_all)],
        ["alpha", "delta", "Rank", "Violation rate", "Type I bound", "Least alpha", "Least delta", "Needed"],
        [_level_cells(record) for record in found],
        [
            "Rank: of the threshold among the left-out scores; none: too few rows for these levels. Violation "
            "rate: probability that the type I error exceeds alpha. Type I bound: holds with probability at least "
            "1 - delta. Least alpha and delta: the smallest that these rows allow, each with the other as given. "
            "Needed: the smallest number of left-out rows for these levels."
        ],
    )
    record = {"command": "plan", "n0": n0, "rows": rows, "plan": found}
    if rows is not None:
        record["split_ratio"] = split_ratio
    return f"{text}\n", record


def _level_cells(record):
    shown = [f"{record['alpha']:g}", f"{record['delta']:g}"]
    if record["order"] is None:
        shown += ["none", "-", "-"]
    else:
        shown += [record["order"], f"{record['violation_rate']:.3g}", f"{record['type1_upper']:.4g}"]
    least = [round_up(record["smallest_alpha"]), round_up(record["smallest_delta"])]
    return [*shown, *least, record["n0_needed"]]


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
        return plan(alphas, deltas, args.split_ratio, n0=args.n0, rows=args.rows)
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
