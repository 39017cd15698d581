"""The parser of the command line, and the files that its options name."""

import argparse
import difflib
import re
import shutil
import sys
import textwrap
from importlib import import_module
from pathlib import Path

from nproc.cli import values
from nproc.cli.pictures import check_picture
from nproc.errors import InvalidInputError
from nproc.outputs import MODEL, REPORT, check_outputs, refuse_other_file

# what the help says of each command
COMMANDS = {
    "fit": "fit a Neyman-Pearson classifier",
    "bands": "compute NP-ROC bands: bounds on the type II error at every alpha",
    "compare": "find the levels at which the NP-ROC band of one method lies above that of another",
    "predict": "predict the labels of new rows, as CSV",
    "threshold": "set the threshold of a score from a file of scores, and write the rule as JSON",
    "apply": "apply a rule of the command threshold to new scores",
    "certify": "bound the type I error of a classifier, a rule or a cut from class 0 rows that it has never seen",
    "monitor": "raise an alarm when new labels show that the type I error is above alpha",
    "check": "look for what speaks against the assumptions of the bound: drift, other new rows, dependent rows",
    "report": "write a report on a saved classifier: claim, assumptions, errors on new rows, checks",
    "multiclass": "fit a classifier that limits how often a row is assigned to a class of lower priority than its own",
    "npcs": "fit a classifier of several classes whose total error in each class aims at a given level, without a "
    "guarantee",
    "plan": "for given alpha and delta, print how many class 0 rows are needed; for a given number of rows, print "
    "which alpha and delta are possible",
    "demo": "run an example with scikit-learn's breast cancer data and draw a picture",
    "app": "serve the web page: bands, levels and predictions of your CSV files in a browser",
}
# the files of commands whose names are others
_FILES = {"threshold": "rule", "apply": "rule", "npcs": "multiclass"}
# the arguments that name files, and what messages call them
FILES_READ = {
    "data": "the data",
    "model": "the model",
    "rule": "the rule",
    "test": "--test",
    "new": "--new",
    "band_file": "--band",
    "X0_new": "--new",
    "pilot": "the scores",
}
# what an argument of Python or of R is here
OTHER_NAMES = {"--random-state": "--seed", "--newdata": "--test", "--pilot": "--auc"}
# how alike an option must be to be meant in place of one of other commands
SAME_OPTION = 0.85
# the commands that print nothing but the rows that --out would hold
ROWS_ALONE = ("predict", "apply")
# the commands that save a model by --out, and the endings by which bands are written as a table instead
SAVING, TABLES = ("fit", "bands", "multiclass", "npcs"), (".csv", ".csv.gz")
FILES_WRITTEN = {"out": "--out", "state": "--state", "predictions": "--predictions", "plot": "--plot", "json": "--json"}


class _Parser(argparse.ArgumentParser):
    # of the parser of all commands: that of the command which is asked for, and those that have their options
    asked = None
    commands: dict

    def parse_args(self, args=None, namespace=None):
        words = sys.argv[1:] if args is None else args
        # the options before the command have no values
        command = next((word for word in words if not word.startswith("-")), None)
        if command is not None and command not in COMMANDS:
            near = difflib.get_close_matches(command, COMMANDS, 1)
            way_out = f"Did you mean {near[0]}?" if near else f"The commands are {', '.join(COMMANDS)}."
            self.error(f"there is no command {command}. {way_out}")
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            parser = self.asked or self
            text = f"there is no option {rest[0]}" if rest[0].startswith("-") else f"{rest[0]} is one argument too many"
            option = rest[0].partition("=")[0]
            known = parser._option_string_actions
            here = OTHER_NAMES.get(option)
            near = [here] if here in known else difflib.get_close_matches(option, known, 1)
            # an option of other commands, unless this one has nearly the same
            alike = difflib.get_close_matches(option, near, 1, cutoff=SAME_OPTION)
            others = {} if alike or not option.startswith("--") else build_parser().commands
            elsewhere = [f"npc {name}" for name, other in others.items() if option in other._option_string_actions]
            if elsewhere:
                text += f", which belongs to {', '.join(elsewhere)}"
                if option == "--clusters" and {"--label", "--method"}.issubset(known):
                    text += ". Keep one row of each cluster in the file, drawn at random"
            elif near:
                meant = re.split("[;:.]", known[near[0]].help or "")[0]
                text += f". Did you mean {near[0]} ({meant})?"
                # an option that may be repeated starts as a list
                if option == f"{near[0]}s" and known[near[0]].default == []:
                    text += f" Give it once for each: {near[0]} A {near[0]} B."
            parser.error(text)
        return found

    def error(self, message):
        # in one line, whatever the arguments hold
        self.exit(2, " ".join(f"{self.prog}: {message} (see {self.prog} --help)".split()) + "\n")


def build_parser(argv=None):
    """Return the parser; ``parse_args`` gives a namespace whose `run` takes it and does the work.

    `run` returns what to print, a list of texts and summaries, and a dict of all numbers for JSON; or None where it
    has written all there is. With the arguments of the process, only the command that they name gets its options: the
    files of the others are not imported.
    """
    from nproc import __version__

    width = shutil.get_terminal_size().columns - 2
    prog = "python -m nproc" if Path(sys.argv[0]).name == "__main__.py" else "npc"
    options = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = _Parser(
        prog=prog,
        description="Neyman-Pearson classification: type I error at most alpha with probability at least 1 - delta.",
        epilog=f"example:\n  {prog} demo\n\nEach command has its own help and example: {prog} fit --help",
        **options,
    )
    parser.commands = {}
    parser.add_argument("--version", action="version", version=f"nproc-py {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name, run, example, more=""):
        summary = COMMANDS[name]
        # argparse leaves both as they are, and its options as wide as the terminal
        paragraphs = [f"{summary[0].upper()}{summary[1:]}.", *more.split("\n\n")]
        command = subparsers.add_parser(
            name,
            help=summary,
            description="\n\n".join(textwrap.fill(text, width, break_on_hyphens=False) for text in paragraphs if text),
            epilog=f"example:\n{_in_lines(f'{prog} {name} {example}', width)}",
            **options,
        )
        command.set_defaults(run=run, command=name)
        # with an error that knows decimal commas
        command.register("type", float, values.number)
        parser.commands[name] = command
        if argv is not None:
            parser.asked = command
        return command

    # the options before the command have no values, so that the first word that is a command is the one asked for
    asked = COMMANDS if argv is None else [word for word in argv if word in COMMANDS][:1]
    for name, summary in COMMANDS.items():
        if name in asked:
            file = import_module(f"nproc.cli.{_FILES.get(name, name)}")
            getattr(file, f"add_{name}")(add)
        else:
            subparsers.add_parser(name, help=summary)
    return parser


def _in_lines(command, width):
    """Return a command in lines that a shell takes as one."""
    lines = textwrap.wrap(
        command,
        width - 2,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return " \\\n".join(lines)


def check_files(args):
    """Raise unless the files that a command writes can be written and are none it reads."""

    def given(options):
        return {option: path for name, option in options.items() if (path := getattr(args, name, None)) is not None}

    read, written = given(FILES_READ), given(FILES_WRITTEN)
    for option, path in (read | written).items():
        if path == "":
            raise InvalidInputError(f"the name of {option} is empty; give one, or leave it out.")
    to_standard = ["--json", *["--out"] * (args.command in ROWS_ALONE)]
    for option in to_standard:
        if written.get(option) == "-":
            del written[option]
            if option == "--out":
                args.out = None
    for option, path in written.items():
        if path == "-":
            raise InvalidInputError(
                f"{option} - would be the standard output, where {args.command} prints other text; give {option} "
                "another name."
            )
    if args.command == "demo":
        # its output is a folder
        return
    check_outputs(written, read, to_standard=to_standard)
    is_table = args.command == "bands" and written.get("--out", "").lower().endswith(TABLES)
    if "--out" in written and args.command in SAVING and not is_table:
        refuse_other_file(written["--out"], MODEL, "--out")
    if args.command == "report":
        refuse_other_file(written["--out"], REPORT, "--out")
    sep = getattr(args, "sep", None)
    if sep == "." and args.decimal != ",":
        # of a file that is no CSV file nobody else would say it before the output is written
        raise InvalidInputError("--sep and --decimal are both '.'. Give another --sep, such as ';'.")
    if getattr(args, "figsize", None) is not None and "--plot" not in written:
        raise InvalidInputError("--figsize is the size of the picture of --plot; give --plot, or leave it out.")
    for name in ("xlim", "ylim", "scale"):
        if getattr(args, name, None) is not None and args.plot is None:
            raise InvalidInputError(f"--{name} is about the picture of --plot; give --plot, or leave it out.")
    if "--plot" in written:
        check_picture(written["--plot"])
