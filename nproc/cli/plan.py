"""The command ``plan``: sizes for given levels, levels for given sizes."""

from nproc.checks import LARGEST_DELTA, check_delta, check_level, class_names
from nproc.cli import arguments, files, groups, label_texts, values
from nproc.cli.pictures import draw
from nproc.cli.records import fields
from nproc.cli.scores import add_larger_means, score_values, smaller_means, without_gaps
from nproc.cli.wording import option_with
from nproc.errors import InvalidInputError
from nproc.orderstat import round_up, type1_upper, violation_rate
from nproc.planning import plan_class0, supported_levels
from nproc.rows import near_names
from nproc.splitting import check_split_ratio, shown_ratio, smaller_ratio
from nproc.tables import summary_table

DEFAULT_POWER = 0.8


def add_plan(add):
    """Register the command; `add` makes a parser."""
    command = add("plan", run_plan, "--alpha 0.05,0.1 --delta 0.05 --n0 120")
    for name, what in (
        ("alpha", "bounds on the type I error"),
        ("delta", "each bound holds with probability at least 1 - delta"),
    ):
        command.add_argument(
            f"--{name}", type=values.numbers, action="extend", metavar="X,Y,...", help=f"{what}; default 0.05"
        )
    size = command.add_mutually_exclusive_group()
    size.add_argument("--n0", type=int, metavar="N", help="class 0 rows that are left out to set the threshold")
    size.add_argument("--rows", type=int, metavar="N", help="class 0 rows in all; --split-ratio of them train")
    command.add_argument(
        "--split-ratio", type=values.split_ratio, default="auto", metavar="R", help="share that trains; default auto"
    )
    command.add_argument(
        "--power",
        type=float,
        metavar="P",
        help=(
            "expected power, as a share of the power at a type I error of exactly alpha; default 0.8 with a pilot or "
            "--plot"
        ),
    )
    command.add_argument(
        "--max-review",
        type=float,
        metavar="SHARE",
        help="plan a rule with review, such that a person reviews at most this share of all rows; requires a pilot "
        "(SCORES)",
    )
    command.add_argument(
        "--review-beta",
        type=float,
        metavar="B",
        help="with --max-review: bound on the type II error, which also holds with probability at least 1 - delta; "
        "default 0.05",
    )
    command.add_argument(
        "--prevalence",
        type=values.prevalence,
        metavar="LABEL=P",
        help="share of a class among the rows to come, such as ill=0.1 (without SCORES with --class0); a number "
        "without a label is the share of class 1. The answer then has the rows of both classes, too. With --max-review "
        "the default is the share in the pilot",
    )
    source = command.add_mutually_exclusive_group()
    source.add_argument("--auc", type=float, metavar="A", help="pilot: area under the ROC curve of two normal classes")
    source.add_argument(
        "pilot", nargs="?", metavar="SCORES", help="pilot: a file of scores of rows that the model never saw"
    )
    command.add_argument("--score", default="score", metavar="COL", help="its column of scores; default 'score'")
    command.add_argument("--label", default="label", metavar="COL", help="its column of labels; default 'label'")
    command.add_argument("--class0", metavar="VALUE", help="label of class 0; default the first in sorted order")
    add_larger_means(command)
    arguments.add_na_action(
        command,
        "a row of SCORES without a label or a score is an error",
        "leave such rows out and say how many; the plan is then about rows without missing values",
    )
    arguments.add_file_format(command)
    arguments.add_outputs(command, "the error against the number of rows")


def run_plan(args):
    """Say what sizes and levels allow, or which sizes a power needs."""
    if args.na_action == "omit" and args.pilot is None:
        raise InvalidInputError(
            "--na-action omit is about the rows of SCORES; give that file, or leave the option out."
        )
    asks_for_power = any(given is not None for given in (args.power, args.auc, args.pilot, args.plot))
    if asks_for_power and (args.n0 is not None or args.rows is not None):
        raise InvalidInputError(
            "with --power, --auc, SCORES or --plot the answer is a number of rows; leave out --n0 and --rows. The "
            "errors at each number of left-out rows are in the picture of --plot. In Python "
            f"plan_class0({(args.alpha or [0.05])[0]:g}, {(args.delta or [0.05])[0]:g}, "
            f"pilot={'(scores0, scores1)' if args.auc is None else format(args.auc, 'g')})"
            f".to_frame({'N' if args.n0 is None else args.n0}) of nproc.planning gives them in numbers"
            f"{', with N left-out rows, as npc plan --rows prints them' * (args.n0 is None)}."
        )
    pairs = [(alpha, delta) for alpha in args.alpha or [0.05] for delta in args.delta or [0.05]]
    if args.plot and len(pairs) > 1:
        raise InvalidInputError("--plot draws one plan; give one --alpha and one --delta.")
    pairs = [(check_level(alpha, "alpha"), check_delta(delta)) for alpha, delta in pairs]
    if args.max_review is not None:
        return _review(args, pairs)
    if args.review_beta is not None:
        raise InvalidInputError("--review-beta is for a rule with review; give --max-review, too.")
    ratio = check_split_ratio(args.split_ratio, words=("auto",))
    if asks_for_power:
        return _sizes_for_power(args, pairs, ratio)
    if args.n0 is None and args.rows is None:
        return _smallest_sizes(pairs, ratio, _prevalence(args, None))
    if args.prevalence is not None:
        raise InvalidInputError("--prevalence is for numbers of rows to collect; leave out --n0 and --rows.")
    return _levels(args, pairs, ratio)


def _prevalence(args, labels):
    """Return --prevalence as `plan_class0` takes it, with labels; `labels` are those of the pilot, None without."""
    if args.prevalence is None:
        return {"labels": labels}
    label, share = args.prevalence
    if labels is None and label is not None:
        if args.class0 is None:
            this = option_with("--class0", label)
            raise InvalidInputError(
                f"--prevalence {label}=... is of one class; say which is class 0: add {this} if the error on the rows "
                f"of {label} is to be bounded, or --class0 with the name of the other class."
            )
        labels = (args.class0, "class 1" if label == args.class0 else label)
    given = share if labels is None else label_texts.prevalence_of(args.prevalence, labels)
    return {"prevalence": given, "labels": labels}


def _smallest_sizes(pairs, ratio, prevalence):
    has_prevalence = "prevalence" in prevalence
    names = ["n0", "rows"] + ["rows_of_both"] * has_prevalence
    found = []
    for alpha, delta in pairs:
        sizes = {}
        for power, end in ((None, ""), (DEFAULT_POWER, "_for_power")):
            plan = plan_class0(alpha, delta, power=power, split_ratio=ratio, **prevalence)
            sizes |= {f"{name}{end}": getattr(plan, name) for name in names}
        found.append({"alpha": alpha, "delta": delta, **sizes})
    shares = [(f"Share of {class_names(plan.labels)[1]}", plan.prevalence)] * has_prevalence
    share = f"{100 * DEFAULT_POWER:g} % power"
    heads = ["left out", "in all", "both classes"][: len(names)]
    columns = [f"Least: {heads[0]}", *heads[1:], f"{share}: {heads[0]}", *heads[1:]]
    text = summary_table(
        "How many class 0 rows",
        [("Split ratio", shown_ratio(ratio)), *shares],
        ["alpha", "delta", *columns],
        [(f"{alpha:g}", f"{delta:g}", *sizes) for alpha, delta, *sizes in map(dict.values, found)],
        [
            "Least: with fewer rows left out for the threshold there is no guarantee. The threshold is then the "
            "largest left-out score, and the type II error may be large.",
            f"{share}: put this size into a protocol. The guarantee holds with either size, but with the least one "
            "the rule may find few class 1 rows.",
            "The best rule with the same score has a type I error of exactly alpha. On average the rule of the size "
            f"for {share} calls at least {100 * DEFAULT_POWER:g} % as many class 1 rows class 1 as that rule, if a "
            "larger score means a larger likelihood ratio. All larger sizes reach it, and some smaller ones may. "
            "For another share give --power. A pilot (SCORES, --auc) gives the size for its own ROC curve, which is no "
            "larger if that curve is concave.",
            *["Both classes: with probability at least 1 - delta so many random rows hold the class 0 rows in all."]
            * has_prevalence,
        ],
    )
    return [text], {"split_ratio": ratio, "plan": found}


def _levels(args, pairs, ratio):
    found, lines, ways_out = [], [], []
    for alpha, delta in pairs:
        levels = supported_levels(args.n0, rows=args.rows, split_ratio=ratio, alpha=alpha, delta=delta)
        n0, order = levels.n0, levels.order
        rate = None if order is None else violation_rate(order, n0, alpha)
        bound = None if order is None else type1_upper(order, n0, delta)
        found.append(
            {
                **fields(levels, "alpha", "delta", "n0", "order"),
                "violation_rate": rate,
                "type1_upper": bound,
                **fields(levels, "smallest_alpha", "smallest_delta"),
                "n0_needed": levels.n0_min,
            }
        )
        at_rank = ["none", "-", "-"] if order is None else [order, round_up(rate), round_up(bound, 4)]
        delta_text = round_up(levels.smallest_delta)
        # a larger delta is refused
        least = [round_up(levels.smallest_alpha), delta_text if float(delta_text) <= LARGEST_DELTA else "none"]
        lines.append([f"{alpha:g}", f"{delta:g}", n0, *at_rank, *least, levels.n0_min])
        smaller = "" if order is not None or args.rows is None else smaller_ratio(levels.n0_min, args.rows).strip()
        if smaller:
            ways_out.append(f"For alpha = {alpha:g} and delta = {delta:g} these rows suffice: {smaller}")
    head = [] if args.rows is None else [("Class 0 rows in all", args.rows), ("Split ratio", shown_ratio(ratio))]
    auto, reached = "", ("these left-out rows allow", "")
    if args.rows is not None and ratio == "auto":
        auto = " With split ratio auto another number of these rows may be left out at a least level."
        reached = ("split ratio auto reaches", " that it reaches")
    text = summary_table(
        "What these class 0 rows allow",
        head,
        ["alpha", "delta", "Left out", "Rank", "Violation", "Bound", "Least alpha", "Least delta", "Need"],
        lines,
        [
            "Left out: the class 0 rows that are left out to set the threshold. Rank: the rank of the threshold among "
            "their scores (none: too few rows for these levels). Violation: the probability that the type I error "
            "exceeds alpha. Bound: an upper bound on the type I error, which holds with probability at least "
            f"1 - delta. Least alpha: the smallest alpha that {reached[0]} at the given delta. Least delta: the "
            f"smallest delta{reached[1]} at the given alpha (none: a delta above 0.5 is not allowed)."
            f"{auto} Need: the smallest number of left-out rows for these levels.",
            *ways_out,
        ],
    )
    record = {"rows": args.rows, "plan": found}
    return [text], record if args.rows is None else record | {"split_ratio": ratio}


def _sizes_for_power(args, pairs, ratio):
    if args.auc is not None and not 0.5 < args.auc < 1:
        raise InvalidInputError(f"--auc must lie between 0.5 and 1, got {args.auc:g}.")
    pilot, labels, said, told = (args.auc, None, [], "") if args.pilot is None else _scores(args)
    power = DEFAULT_POWER if args.power is None else args.power
    asked = {"power": power, "pilot": pilot, "split_ratio": ratio, **_prevalence(args, labels)}
    plans = [plan_class0(alpha, delta, **asked) for alpha, delta in pairs]
    draw(args.plot, plans[0].plot, figsize=args.figsize, width=6.4, height=4.2)
    words = {}
    if told:
        from nproc.fits import NO_SHARED_OWNERS

        words["unmet"] = (NO_SHARED_OWNERS,)
        words["caveats"] = (f"The interval of E type II is not guaranteed, because {told}.",)
    if args.larger_means == "class0" and labels is not None:
        class1 = class_names(labels)[1]
        words["rule"] = (
            f"{smaller_means(args.score, class1)} A row is called {class1} if its value is below the order "
            "statistic in column Rank, which counts from the largest value."
        )
    return [*said, *(plan._summary(**words) for plan in plans)], {
        "split_ratio": ratio,
        "plan": [{**_record(plan), "caveats": words.get("caveats", ())} for plan in plans],
    }


def _review(args, pairs):
    if args.pilot is None:
        raise InvalidInputError("--max-review needs a pilot: give SCORES, a file of scores and labels.")
    if args.power is not None or args.split_ratio != "auto":
        raise InvalidInputError("--max-review cannot be combined with --power and --split-ratio; leave these out.")
    beta = check_level(0.05 if args.review_beta is None else args.review_beta, "review_beta")
    asked = {"max_review": check_level(args.max_review, "max_review"), "beta": beta}
    from nproc.review import plan_review

    (scores0, scores1), labels, said, told = _scores(args)
    if args.prevalence is not None:
        asked["prevalence"] = label_texts.prevalence_of(args.prevalence, labels)
    asked["labels"] = labels
    plans = [plan_review(scores0, scores1, alpha=a, delta0=d, delta1=d, **asked) for a, d in pairs]
    draw(args.plot, plans[0].plot, figsize=args.figsize, width=6.4, height=4.2)
    caveats = ()
    if told:
        caveats = (
            "Scores needed is about independent rows. The estimates from this pilot may be less accurate than from as "
            f"many independent rows, because {told}.",
        )
    return [*said, *(plan._summary(caveats) for plan in plans)], {
        "plan": [{**_review_record(plan), "caveats": caveats} for plan in plans]
    }


def _review_record(plan):
    asked = fields(plan, "max_review", "prevalence", "alpha", "beta", "delta0", "delta1", "n0_pilot", "n1_pilot")
    found = fields(plan, "review_limit", "n0_needed", "n1_needed", "alpha_needed", "beta_needed")
    named = dict(zip(("class0", "class1"), plan.labels, strict=True))
    return {**named, **asked, **found, "sizes": plan.to_frame().to_dict("records")}


def _scores(args):
    frame, left_out = arguments.table_of(args, "pilot"), None
    _refuse_lost_defaults(args, frame)
    if args.na_action == "omit":
        rest = "The pilot is the other rows, and the plan is about rows without missing values."
        frame, left_out = without_gaps(frame, args.label, [args.score], args.pilot, rest)
    labels = label_texts.label_values(frame, args.label)
    present = label_texts.distinct(labels)
    if len(present) != 2:
        raise InvalidInputError(f"--label {args.label} must have two values, got {len(present)}: {present[:5]}.")
    class0 = arguments.class0_of(args, labels)
    arguments.say_class0(args, class0)
    scores = score_values(frame, args.score)
    if args.larger_means == "class0":
        scores = -scores
    class1 = next(label for label in present if label != class0)
    pilot = scores[labels == class0], scores[labels != class0]
    told, _ = groups.shared_owners(args, frame, args.label, [args.score])
    return pilot, (class0, class1), [left_out] if left_out else [], told


def _refuse_lost_defaults(args, frame):
    """Stop if the pilot lacks the column of scores or of labels that counts where no option names one."""
    lost = [name for name in ("score", "label") if getattr(args, name) == name and name not in frame.columns]
    if lost:
        told = ", and ".join(f"no column {name!r}, the default of --{name}" for name in lost)
        raise InvalidInputError(
            f"{args.pilot} has {told}. {near_names(lost, frame.columns)}The columns are "
            f"{files.listed(frame.columns)}. Name the {'columns' if len(lost) > 1 else 'column'} by "
            f"{' and '.join(f'--{name}' for name in lost)}."
        )


def _record(plan):
    sizes = fields(plan, "alpha", "delta", "power", "n0", "n0_first", "n0_min", "rows", "order", "violation_rate")
    errors = fields(plan, "type1_mean", "price", "type2_mean", "type2_oracle", "type2_price", "type2_bounds")
    both = {} if plan.prevalence is None else fields(plan, "prevalence", "rows_of_both")
    return {**sizes, **both, **errors, "pilot": plan.curve.name}
