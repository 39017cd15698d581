"""The options of the command line, with their help texts."""

import argparse
import sys
from pathlib import Path

from nproc.cli import commands
from nproc.cli import values as cli_values
from nproc.cli.compare import add_regions
from nproc.cli.groups import add_groups
from nproc.cli.multiclass import add_multiclass
from nproc.cli.plan import add_planning
from nproc.cli.predict import add_certify, run_predict
from nproc.cli.predictive import add_predictive
from nproc.errors import InvalidInputError
from nproc.outputs import check_outputs
from nproc.thresholds import SMALL_SAMPLES

_DATA = """\
DATA is a CSV file (.csv, .csv.gz, .tsv, .txt) with a header, or Parquet. All columns but the label predict, unless
--features, --drop or --formula say otherwise. Text columns are coded as categories; one that looks like an
identifier, or like numbers with mistakes, is an error. A first column without a name holds row names and is left out.
Class 0 is the class whose misclassification is controlled: name it with --class0."""

_SMALL = "too few class 0 rows: an error (default), or a threshold that assumes normal scores, or a log-concave tail"


# the arguments that name files, and what messages call them
FILES_READ = {"data": "the data", "model": "the model", "test": "--test", "new": "--new", "pilot": "--pilot"}
FILES_WRITTEN = {"out": "--out", "predictions": "--predictions", "plot": "--plot", "json": "--json"}


class UsageError(Exception):
    """Wrong options."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{self.prog}: {message} (see {self.prog} --help)")


def build_parser():
    """Return the parser; ``parse_args`` gives a namespace whose `run` takes it and does the work."""
    from nproc import __version__

    prog = "python -m nproc" if Path(sys.argv[0]).name == "__main__.py" else "npc"
    parser = _Parser(
        prog=prog,
        allow_abbrev=False,
        description="Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.",
        epilog=f"example:\n  {prog} demo\n\nEach command has its own help and example: {prog} fit --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nproc-py {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name, run, summary, example, more=""):
        command = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.\n\n{more}".strip(),
            epilog=f"example:\n  {prog} {name} {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(run=run, command=name)
        return command

    fit = add(
        "fit",
        commands.run_fit,
        "fit a Neyman-Pearson classifier",
        "loans.csv --label default --class0 yes --method lda --seed 1 --out model.joblib",
        _DATA,
    )
    _add_data(fit)
    fit.add_argument("--method", default="logistic", metavar="M", help=_method_help("; default logistic"))
    _add_training(fit, ratio="auto")
    _add_alpha(fit, default=0.05)
    fit.add_argument("--small-sample", choices=SMALL_SAMPLES, default="error", help=_SMALL)
    fit.add_argument("--test", metavar="FILE", help="rows with labels, not used for fitting, to count errors on")
    _add_outputs(fit, "the left-out class 0 scores about the threshold", out="save the classifier here")

    bands = add(
        "bands",
        commands.run_bands,
        "compute NP-ROC bands: bounds on the type II error at every alpha",
        "loans.csv --label default --class0 yes --method lda --method svm --alphas 0.05,0.1 --plot bands.png",
        _DATA,
    )
    _add_data(bands)
    _add_methods(bands, "one band each; default logistic")
    _add_training(bands)
    bands.add_argument(
        "--alphas", type=cli_values.levels, metavar="A,B,...", help="levels to tabulate, separated by commas"
    )
    choice = bands.add_mutually_exclusive_group()
    choice.add_argument(
        "--type2-max",
        type=float,
        metavar="B",
        help="choose the smallest alpha whose upper bound on the type II error is at most B",
    )
    choice.add_argument("--youden", action="store_true", help="choose the alpha where the lower curve is highest")
    _add_outputs(bands, "all bands", out="a table of all knots (.csv), or with one --method the band itself (.joblib)")

    compare = add(
        "compare",
        commands.run_compare,
        "find the levels at which the NP-ROC band of one method lies above that of another",
        "loans.csv --label default --class0 yes --method lda --method svm --alpha 0.05 --plot compare.png",
        _DATA,
    )
    _add_data(compare)
    _add_methods(compare, "at least two")
    _add_training(compare)
    _add_alpha(compare, default=None, more="; prints the methods side by side there")
    add_regions(compare)
    _add_outputs(compare, "the bands, with bars where one dominates")

    predict = add(
        "predict",
        run_predict,
        "predict the labels of new rows, as CSV",
        "model.joblib new.csv --keep id --out predictions.csv",
        "MODEL comes from 'fit --out', or from 'bands --out' (then give --alpha here). It holds a\n"
        "pickle: use only models that you trust. Columns of NEW that the model does not know are ignored. Large files\n"
        "are read in parts.",
    )
    predict.add_argument("model", metavar="MODEL", help="a saved model")
    predict.add_argument("data", metavar="NEW", help="CSV or Parquet file of new rows")
    cli_values.add_file_format(predict)
    _add_alpha(predict, default=None, more="; only for a saved band")
    predict.add_argument(
        "--keep", type=cli_values.column_names, default=(), metavar="A,B,...", help="columns to copy to the output"
    )
    predict.add_argument("--votes", action="store_true", help="add the share of splits that vote for class 1")
    predict.add_argument("--scores", action="store_true", help="add score minus threshold: above 0 means class 1")
    predict.add_argument(
        "--label", metavar="COL", help="column of true labels: prints both errors on the standard error"
    )
    predict.add_argument("--out", metavar="FILE", help="CSV file to write; default the standard output")
    add_groups(fit, predict)
    add_predictive(bands, predict)
    add_certify(add)

    add_multiclass(add, cli_values.method_param)

    plan = add(
        "plan",
        commands.run_plan,
        "print how many class 0 rows given levels need, or which levels given rows allow",
        "--alpha 0.05 0.1 --delta 0.05 --n0 120",
    )
    for name, what in (("alpha", "bounds on the type I error"), ("delta", "chances of breaking it")):
        plan.add_argument(
            f"--{name}", type=float, nargs="+", action="extend", metavar="X", help=f"{what}; default 0.05"
        )
    size = plan.add_mutually_exclusive_group()
    size.add_argument("--n0", type=int, metavar="N", help="class 0 rows that are left out to set the threshold")
    size.add_argument("--rows", type=int, metavar="N", help="class 0 rows in all, of which --split-ratio train")
    plan.add_argument("--split-ratio", type=float, default=0.5, metavar="R", help="share that trains; default 0.5")
    add_planning(plan)
    cli_values.add_json(plan)

    demo = add(
        "demo",
        commands.run_demo,
        "run the main job on scikit-learn's breast cancer data and draw a picture",
        "--out demo-out",
    )
    demo.add_argument("--out", default="demo-out", metavar="FOLDER", help="where the picture goes; default demo-out")

    app = add(
        "app",
        _run_app,
        "serve the web page: bands, levels and predictions of your CSV files in a browser",
        "--no-browser --port 8050",
        "It requires the extra 'app': pip install 'nproc-py[app]'. It runs until Ctrl-C, listens on this computer\n"
        "only unless --host says otherwise, and keeps nothing: uploads lie in a temporary folder. The address that it\n"
        "prints ends with a token, without which nobody gets in. NPROC_APP_TOKEN in the environment, at least 16\n"
        "characters, fixes the token. The page answers under localhost and the address of --host only (for 0.0.0.0,\n"
        "under any address in numbers); behind a proxy, give the name that browsers ask for with --name.",
    )
    app.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on; default 127.0.0.1")
    app.add_argument("--port", type=int, default=8050, metavar="N", help="port, 0 for any free one; default 8050")
    app.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of the server, as behind a proxy; repeatable",
    )
    app.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")
    return parser


def check_files(args):
    """Raise unless the files that a command writes can be written and are none it reads."""
    files = {name: getattr(args, name, None) for name in (*FILES_READ, *FILES_WRITTEN)}
    for name, path in files.items():
        if path == "":
            option = FILES_READ.get(name) or FILES_WRITTEN[name]
            raise InvalidInputError(f"the name of {option} is empty; give one, or leave it out.")
    if args.command != "demo":
        written = {FILES_WRITTEN[name]: files[name] for name in FILES_WRITTEN if files[name] is not None}
        if files["json"] == "-":
            written.pop(FILES_WRITTEN["json"])
        check_outputs(written, {FILES_READ[name]: files[name] for name in FILES_READ if files[name] is not None})


def _run_app(args):
    from nproc.app import serve

    serve(host=args.host, port=args.port, browser=not args.no_browser, names=args.name)
    return commands.Output("", {})


def _add_data(command):
    command.add_argument("data", metavar="DATA", help="CSV or Parquet file")
    cli_values.add_file_format(command)
    label = command.add_mutually_exclusive_group(required=True)
    label.add_argument("--label", metavar="COL", help="the label column, with two values")
    label.add_argument("--formula", metavar="F", help="instead of --label, such as 'default ~ age + log(income)'")
    command.add_argument("--class0", metavar="VALUE", help="label of class 0; default the first in sorted order")
    command.add_argument("--features", type=cli_values.column_names, metavar="A,B,...", help="the columns that predict")
    command.add_argument(
        "--drop",
        type=cli_values.column_names,
        action="extend",
        default=[],
        metavar="A,B,...",
        help="columns that do not predict",
    )


def _add_methods(command, more):
    help_text = _method_help(f"; repeatable, {more}")
    command.add_argument("--method", action="append", dest="methods", metavar="M", help=help_text)
    kinds = "bounds at one alpha fixed beforehand (default), or at all alpha at once"
    command.add_argument("--band", choices=("pointwise", "simultaneous"), default="pointwise", help=kinds)


def _add_training(command, ratio=0.5):
    command.add_argument(
        "--param",
        action="append",
        type=cli_values.method_param,
        default=[],
        metavar="K=V",
        help="argument of the method, such as --method svm --param C=10, or svm.C=10 for one of several "
        "methods; a list in brackets, C1s=[1,10]; repeatable",
    )
    command.add_argument("--delta", type=float, default=0.05, help="chance of breaking a bound; default 0.05")
    command.add_argument("--splits", type=int, default=1, metavar="N", help="random splits, odd; default 1")
    command.add_argument(
        "--split-ratio",
        type=cli_values.split_ratio,
        default=ratio,
        metavar="R",
        help=f"share of class 0 that trains, {'auto or ' * (ratio == 'auto')}adaptive; default {ratio}",
    )
    command.add_argument("--seed", type=int, metavar="N", help="for the same result again; default a fresh one, shown")
    command.add_argument("--jobs", type=int, metavar="N", help="processes, -1 for all cores; the result is the same")
    command.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help="keep each trained split there, so that the same command goes on where it was interrupted; takes --seed",
    )
    command.add_argument("-v", "--verbose", action="store_true", help="progress on the standard error")


def _add_alpha(command, *, default, more=""):
    shown = "" if default is None else f"; default {default:g}"
    command.add_argument("--alpha", type=float, default=default, help=f"bound on the type I error{shown}{more}")


def _add_outputs(command, picture, *, out=None):
    if out:
        command.add_argument("--out", metavar="FILE", help=out)
    command.add_argument("--plot", metavar="FILE", help=f"draw {picture}: .png, .pdf, .svg")
    cli_values.add_json(command)


def _method_help(more):
    from nproc.scorers import scorer_names

    return f"scoring method: {', '.join(scorer_names())}{more}"
