"""The parser of the command line, and the files that its options name."""

import argparse
import sys
from pathlib import Path

from nproc.cli.bands import add_bands
from nproc.cli.certify import add_certify
from nproc.cli.check import add_check
from nproc.cli.compare import add_compare
from nproc.cli.fit import add_fit
from nproc.cli.monitor import add_monitor
from nproc.cli.multiclass import add_multiclass
from nproc.cli.pictures import check_picture
from nproc.cli.plan import add_plan
from nproc.cli.predict import add_predict
from nproc.cli.report import add_report
from nproc.cli.rule import add_apply, add_threshold
from nproc.errors import InvalidInputError
from nproc.outputs import check_outputs

# the arguments that name files, and what messages call them
FILES_READ = {
    "data": "the data",
    "model": "the model",
    "rule": "the rule",
    "test": "--test",
    "new": "--new",
    "pilot": "the scores",
}
FILES_WRITTEN = {"out": "--out", "state": "--state", "predictions": "--predictions", "plot": "--plot", "json": "--json"}


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        # in one line, whatever the arguments hold
        self.exit(2, " ".join(f"{self.prog}: {message} (see {self.prog} --help)".split()) + "\n")


def build_parser():
    """Return the parser; ``parse_args`` gives a namespace whose `run` takes it and does the work.

    `run` returns what to print, a list of texts and summaries, and a dict of all numbers for JSON; or None where it
    has written all there is.
    """
    from nproc import __version__

    prog = "python -m nproc" if Path(sys.argv[0]).name == "__main__.py" else "npc"
    options = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = _Parser(
        prog=prog,
        description="Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.",
        epilog=f"example:\n  {prog} demo\n\nEach command has its own help and example: {prog} fit --help",
        **options,
    )
    parser.add_argument("--version", action="version", version=f"nproc-py {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name, run, summary, example, more=""):
        command = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.\n\n{more}".strip(),
            epilog=f"example:\n  {prog} {name} {example}",
            **options,
        )
        command.set_defaults(run=run, command=name)
        return command

    for register in (
        add_fit,
        add_bands,
        add_compare,
        add_predict,
        add_threshold,
        add_apply,
        add_certify,
        add_monitor,
        add_check,
        add_report,
        add_multiclass,
        add_plan,
    ):
        register(add)
    demo = add(
        "demo",
        _run_demo,
        "run an example with scikit-learn's breast cancer data and draw a picture",
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
        "prints ends with a token, and the page opens only with this token. To choose it yourself, set the\n"
        "environment variable NPROC_APP_TOKEN (at least 16 characters). The page answers under localhost and the\n"
        "address of --host only (for 0.0.0.0, under any address in numbers); behind a proxy, give the name that\n"
        "browsers ask for with --name.",
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

    def given(options):
        paths = {option: getattr(args, name, None) for name, option in options.items()}
        return {option: path for option, path in paths.items() if path is not None}

    read, written = given(FILES_READ), given(FILES_WRITTEN)
    for option, path in (read | written).items():
        if path == "":
            raise InvalidInputError(f"the name of {option} is empty; give one, or leave it out.")
    if args.command == "demo":
        # its output is a folder
        return
    if written.get("--json") == "-":
        del written["--json"]
    check_outputs(written, read)
    if "--plot" in written:
        check_picture(written["--plot"])


def _run_demo(args):
    from nproc.cli.demo import run_demo

    run_demo(args.out)


def _run_app(args):
    try:
        from nproc.app import serve
    except ModuleNotFoundError as error:
        if error.name not in ("shiny", "uvicorn"):
            raise
        raise InvalidInputError("the page requires Shiny for Python: pip install 'nproc-py[app]'.") from None
    serve(host=args.host, port=args.port, browser=not args.no_browser, names=args.name)
